// A machine as fields and sliders, and as the TOML that the lab reads.
const KIB = 1024;
const SIZES = [];
for (let size = 256; size <= 64 << 20; size *= 2) SIZES.push(size, size + size / 4, size + size / 2);
const sizeText = bytes =>
  bytes % (1 << 20) === 0 ? `${bytes >> 20}M` : bytes % KIB === 0 ? `${bytes / KIB}K` : String(bytes);
const LINES = ["8", "16", "32", "64", "128", "256"];
const WAYS = ["1", "2", "3", "4", "5", "6", "8", "10", "11", "12", "16", "20", "24", "32", "full"];
const TIMES = ["1 ns", "2 ns", "3 ns", "4 ns", "5 ns", "6 ns", "8 ns", "10 ns", "12 ns", "15 ns", "20 ns", "30 ns",
  "40 ns", "60 ns", "80 ns", "100 ns", "150 ns", "200 ns"];
const ENTRIES = ["8", "16", "32", "48", "64", "96", "128", "256", "512", "1024", "1536", "2048"];
const CHOICES = {
  replacement: [["lru", "LRU"], ["plru", "tree-PLRU"], ["fifo", "FIFO"], ["random", "random"]],
  write: [["back", "marks the line (write-back)"], ["through", "is passed on (write-through)"]],
  allocate: [["true", "fetches it (write-allocate)"], ["false", "passes by (no-write-allocate)"]],
  inclusion: [["neither", "independent (neither)"], ["inclusive", "included (inclusive)"], ["exclusive", "excluded (exclusive)"]],
  index: [["virtual", "virtual address"], ["physical", "physical address"]],
  prefetch: [["none", "none"], ["next-line", "next line"], ["stride", "stride"], ["stream", "stream"]],
};

// A text field with a slider that moves through those of `all` that are `possible`
// beside the form's other fields.
function slider(key, name, all, value, possible = () => true) {
  const text = el("input", { name, value, autocomplete: "off", spellcheck: "false" });
  let values = all;
  const nearest = () => Math.max(0, values.indexOf(text.value.trim()));
  const range = el("input", {
    type: "range", min: 0, max: values.length - 1, value: nearest(), "aria-label": t("slider", t(key)),
    input: event => {
      event.stopPropagation(); // the field's event, below, stands for it
      text.value = values[range.value];
      range.setAttribute("aria-valuetext", text.value);
      text.dispatchEvent(new Event("input", { bubbles: true }));
    },
  });
  text.addEventListener("follow", () => {
    values = all.filter(value => value === text.value.trim() || possible(text.form, value));
    range.max = values.length - 1;
    if (values.includes(text.value.trim())) range.value = nearest();
    range.setAttribute("aria-valuetext", text.value);
  });
  const box = field(key, text);
  box.append(range);
  return box;
}

// Whether so many ways divide the lines of a cache, or the entries of a TLB.
const divides = (ways, lines) => ways === "full" || lines % Number(ways) === 0;

function levelFields(level, deep) {
  const at = (form, name) => bytesOf(form.elements[`${name}${level}`].value);
  const fit = (form, ways) => divides(ways, at(form, "size") / at(form, "line"));
  const choice = name => field(`m-${name}`, select(`${name}${level}`, CHOICES[name], CHOICES[name][0][0]));
  return el("fieldset", { id: `level-${level}` }, el("legend", {}, t("level-title", level)),
    slider("m-size", `size${level}`, SIZES.map(sizeText), ["32K", "256K", "4M"][level - 1]),
    slider("m-line", `line${level}`, LINES, "64"),
    slider("m-ways", `ways${level}`, WAYS, "8", fit),
    deep ? slider("m-latency", `latency${level}`, TIMES, ["1 ns", "4 ns", "15 ns"][level - 1]) : null,
    el("details", {}, el("summary", {}, t("level-more")),
      choice("replacement"), choice("write"), choice("allocate"),
      deep ? [level > 1 ? choice("inclusion") : null, choice("index"), choice("prefetch")] : null));
}

function tlbFields(level) {
  return el("fieldset", { id: `tlb-${level}` }, el("legend", {}, t("tlb-title", level)),
    slider("m-entries", `entries${level}`, ENTRIES, ["64", "1536"][level - 1]),
    slider("m-ways", `tlbways${level}`, WAYS, ["4", "12"][level - 1],
      (form, ways) => divides(ways, form.elements[`entries${level}`].value)),
    slider("m-penalty", `penalty${level}`, TIMES, ["3 ns", "10 ns"][level - 1]));
}

function machineFields() {
  const count = (name, most) => select(name, Array.from({ length: most }, (_, i) => [String(i + (name === "levels" ? 1 : 0)), String(i + (name === "levels" ? 1 : 0))]), name === "levels" ? "2" : "0");
  return [
    field("any-levels", count("levels", 3)), [1, 2, 3].map(level => levelFields(level, true)),
    slider("m-memory", "memory", TIMES, "80 ns"),
    field("m-page", select("page", [["4K", "4 KiB"], ["16K", "16 KiB"], ["64K", "64 KiB"], ["2M", "2 MiB"]], "4K")),
    field("m-mapping", select("mapping", [["identity", "one behind the other"], ["random", "anywhere"]], "identity")),
    field("any-tlbs", count("tlbs", 3)), [1, 2].map(tlbFields),
  ];
}

// Shows as many levels as there are, and lets sliders follow their fields.
function tidyMachine(form) {
  for (const level of [1, 2, 3]) byName(form, `level-${level}`)?.toggleAttribute("hidden", level > form.elements.levels.value);
  for (const level of [1, 2]) byName(form, `tlb-${level}`)?.toggleAttribute("hidden", level > form.elements.tlbs.value);
  for (const control of form.elements) if (control.name) control.dispatchEvent(new Event("follow"));
}
const byName = (form, id) => form.querySelector(`#${id}`);

const quoted = text => JSON.stringify(text);
const amount = text => (/^\d+$/.test(text.trim()) ? text.trim() : quoted(text.trim()));

// The form's machine as TOML; `deep` where it has more than a first cache.
function machineToml(form, deep = true) {
  const value = name => form.elements[name].value;
  const lines = ['name = "own"', 'description = "described on this page"'];
  if (deep) {
    if (value("memory")) lines.push("[memory]", `latency = ${quoted(value("memory"))}`);
    lines.push("[pages]", `size = ${amount(value("page"))}`, `mapping = ${quoted(value("mapping"))}`);
  }
  for (let level = 1; level <= (deep ? value("levels") : 1); level++) {
    const at = name => value(`${name}${level}`);
    lines.push("[[cache]]", `level = ${level}`, `size = ${amount(at("size"))}`, `line = ${amount(at("line"))}`,
      `ways = ${amount(at("ways"))}`, `replacement = ${quoted(at("replacement"))}`, `write = ${quoted(at("write"))}`,
      `allocate = ${at("allocate")}`);
    if (!deep) continue;
    if (level > 1) lines.push(`inclusion = ${quoted(at("inclusion"))}`);
    lines.push(`index = ${quoted(at("index"))}`, `prefetch = ${quoted(at("prefetch"))}`);
    if (at("latency")) lines.push(`latency = ${quoted(at("latency"))}`);
  }
  for (let level = 1; deep && level <= value("tlbs"); level++) {
    const at = name => value(`${name}${level}`);
    lines.push("[[tlb]]", `level = ${level}`, `entries = ${amount(at("entries"))}`, `ways = ${amount(at("tlbways"))}`);
    if (at("penalty")) lines.push(`penalty = ${quoted(at("penalty"))}`);
  }
  return lines.join("\n") + "\n";
}

const nanos = seconds => (seconds === null ? "" : `${+(seconds * 1e9).toFixed(3)} ns`);

// Fills the form from a machine as the lab tells it.
function fillMachine(form, machine) {
  const set = (name, value) => { if (form.elements[name]) form.elements[name].value = value; };
  const word = policy => (typeof policy === "string" ? policy : Object.keys(policy)[0]);
  set("levels", Math.min(3, machine.levels.length));
  set("memory", nanos(machine.memory_latency));
  set("page", sizeText(machine.page_size));
  set("mapping", word(machine.mapping));
  set("tlbs", Math.min(2, machine.tlbs.length));
  machine.levels.forEach((cache, i) => {
    const at = (name, value) => set(`${name}${i + 1}`, value);
    at("size", sizeText(cache.size));
    at("line", String(cache.line));
    at("ways", cache.ways * cache.line === cache.size && cache.ways > 32 ? "full" : String(cache.ways));
    at("latency", nanos(cache.latency));
    at("allocate", String(cache.allocate));
    for (const name of ["replacement", "write", "inclusion", "index", "prefetch"]) at(name, word(cache[name]));
  });
  machine.tlbs.forEach((tlb, i) => {
    const at = (name, value) => set(`${name}${i + 1}`, value);
    at("entries", String(tlb.entries));
    at("tlbways", tlb.ways === tlb.entries ? "full" : String(tlb.ways));
    at("penalty", nanos(tlb.penalty));
  });
  tidyMachine(form);
}
