// A machine as fields and sliders, and as the TOML that the lab reads.
const KIB = 1024;
const SIZES = [];
for (let size = 256; size <= 64 << 20; size *= 2) SIZES.push(size, size + size / 4, size + size / 2);
const sizeText = bytes =>
  bytes % (1 << 20) === 0 ? `${bytes >> 20}M` : bytes % KIB === 0 ? `${bytes / KIB}K` : String(bytes);
const bytesText = bytes =>
  bytes % (1 << 20) === 0 ? `${bytes >> 20} MiB` : bytes % 512 === 0 && bytes > 512 ? `${bytes / KIB} KiB` : `${bytes} B`;
const LINES = ["8", "16", "32", "64", "128", "256"];
const WAYS = ["1", "2", "3", "4", "5", "6", "8", "10", "11", "12", "16", "20", "24", "32", "full"];
const TIMES = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 120, 150, 200, 300, 500, 1000].map(time => `${time} ns`);
const ENTRIES = ["8", "16", "32", "48", "64", "96", "128", "256", "512", "1024", "1536", "2048"];
const CHOICES = { // of a level: the label, the glossary's term, the values
  replacement: ["Replacement", "replacement policy", [["lru", "LRU"], ["plru", "tree-PLRU"], ["fifo", "FIFO"], ["random", "random"]]],
  write: ["A store that hits", "write-back", [["back", "marks the line (write-back)"], ["through", "is passed on (write-through)"]]],
  allocate: ["A store that misses", "allocate", [["true", "fetches it (write-allocate)"], ["false", "passes by (no-write-allocate)"]]],
  inclusion: ["Levels above", "inclusive, exclusive", [["neither", "independent"], ["inclusive", "included (inclusive)"], ["exclusive", "excluded (exclusive)"]]],
  index: ["Set picked by", "", [["virtual", "virtual address"], ["physical", "physical address"]]],
};

// The amount that a field's text means, NaN if it has none; the units of sizes are those of
// a machine's description.
const BYTES = { "": 1, b: 1, k: KIB, kb: KIB, kib: KIB, m: KIB ** 2, mb: KIB ** 2, mib: KIB ** 2, g: KIB ** 3, gb: KIB ** 3, gib: KIB ** 3 };
const UNITS = { ...BYTES, ps: 1e-3, ns: 1, us: 1e3, "µs": 1e3 };
function amountOf(text, units = UNITS) {
  const [, digits, unit] = text.trim().match(/^([\d.]+)\s*(\S*)$/) ?? [];
  return text.trim() === "full" ? Infinity : digits * units[unit?.toLowerCase()];
}

// A text field with a slider. The field's own value is one of the slider's. The slider skips
// values with which the form's machine would become impossible.
function slider(label, name, all, value, hints) {
  const text = el("input", { name, value, autocomplete: "off", spellcheck: "false" });
  let values = all;
  const range = el("input", { type: "range", min: 0, "aria-label": `${label}, slider`, input: event => {
    event.stopPropagation(); // the field's event, below, is in its place
    const [from, to] = [values.indexOf(text.value.trim()), Number(range.value)];
    for (let at = to; at >= 0 && at < values.length; at += to < from ? -1 : 1) {
      if (change(text, values[at])) return text.dispatchEvent(new Event("input", { bubbles: true }));
    }
    range.value = from;
  } });
  const follow = () => {
    const own = text.value.trim();
    const amount = amountOf(own);
    const others = all.filter(other => amountOf(other) !== amount);
    values = Number.isNaN(amount) ? all : [...others, own].sort((a, b) => amountOf(a) - amountOf(b));
    range.max = values.length - 1;
    range.value = Math.max(0, values.indexOf(own));
    range.setAttribute("aria-valuetext", own);
  };
  text.addEventListener("follow", follow);
  follow();
  const box = field(label, text, hints);
  box.append(range);
  return box;
}

// Sets a field, and the line sizes of other levels with it: none may be shorter than that
// of the level above. Returns whether the machine is then possible, or was not before
// either; if not, all fields are restored.
function change(text, value) {
  const { form } = text;
  const wasPossible = form.isPossible();
  const before = controlsOf(form).map(control => [control, control.value]);
  text.value = value;
  const changed = Number(text.name.match(/^line(\d)$/)?.[1]);
  for (const level of changed ? [1, 2, 3] : []) {
    const line = form.elements[`line${level}`];
    if (line && (level > changed ? Number(line.value) < value : Number(line.value) > value)) line.value = value;
  }
  if (!wasPossible || form.isPossible()) return true;
  for (const [control, value] of before) control.value = value;
  return false;
}

function levelFields(level, deep) {
  const choice = name => {
    const [label, term, values] = CHOICES[name];
    return field(label, select(`${name}${level}`, values, values[0][0]), { term });
  };
  return el("fieldset", { id: `level-${level}` }, el("legend", {}, `Level ${level}`),
    slider("Size, like 32K", `size${level}`, SIZES.map(sizeText), ["32K", "256K", "4M"][level - 1]),
    slider("Line, in bytes", `line${level}`, LINES, "64", { term: level === 1 && "line" }),
    slider("Ways", `ways${level}`, WAYS, "8", { term: level === 1 && "way" }),
    el("details", {}, el("summary", {}, deep ? "Latency and policies" : "Policies"),
      deep ? slider("Latency, like 4 ns", `latency${level}`, TIMES, ["1 ns", "4 ns", "15 ns"][level - 1]) : null,
      choice("replacement"), choice("write"), choice("allocate"),
      deep ? [level > 1 ? choice("inclusion") : null, choice("index")] : null));
}

function tlbFields(level) {
  return el("fieldset", { id: `tlb-${level}` }, el("legend", {}, `TLB, level ${level}`),
    slider("Entries", `entries${level}`, ENTRIES, ["64", "1536"][level - 1]),
    slider("Ways", `tlbways${level}`, WAYS, ["4", "12"][level - 1]),
    slider("A miss adds, like 10 ns", `penalty${level}`, TIMES, ["3 ns", "10 ns"][level - 1]));
}

// The first level, and the rest of the machine behind a fold.
function machineFields() {
  const count = (name, from, to, value) => select(name, Array.from({ length: to - from + 1 }, (_, i) => [String(from + i), String(from + i)]), value);
  return [
    levelFields(1, true),
    el("details", { id: "rest" }, el("summary", {}, "More levels, memory, TLB"),
      field("Levels of cache", count("levels", 1, 3, "2")), [2, 3].map(level => levelFields(level, true)),
      slider("Memory latency, like 80 ns", "memory", TIMES, "80 ns"),
      field("Page", select("page", [["4K", "4 KiB"], ["16K", "16 KiB"], ["64K", "64 KiB"], ["2M", "2 MiB"]], "4K"), { term: "page" }),
      field("Pages in memory", select("mapping", [["identity", "in the order of their addresses"], ["random", "anywhere"]], "identity")),
      field("Levels of TLB", count("tlbs", 0, 2, "0"), { term: "TLB" }), [1, 2].map(tlbFields)),
  ];
}

// Shows as many levels as there are, and updates the sliders from their fields.
function tidyMachine(form) {
  for (const [kind, { value }] of [["level", form.elements.levels], ["tlb", form.elements.tlbs]])
    for (const part of form.querySelectorAll(`[id^=${kind}-]`)) part.hidden = part.id > `${kind}-${value}`;
  follow(form);
}
const follow = form => { for (const control of controlsOf(form)) control.dispatchEvent(new Event("follow")); };

const quoted = text => JSON.stringify(text);
const amount = text => (/^\d+$/.test(text.trim()) ? text.trim() : quoted(text.trim()));
const time = text => quoted(text.trim().replace(/^(\d*),(\d+)/, "$1.$2")); // a decimal comma

// The form's machine as lines of TOML, each with the name of its field; `deep` if it has
// more than a first-level cache.
function machineLines(form, deep) {
  const lines = [['name = "own"'], ['description = "described on this page"']];
  const add = (key, name, written = quoted) => lines.push([`${key} = ${written(form.elements[name].value)}`, name]);
  const given = name => form.elements[name].value;
  const plain = text => text;
  if (deep) {
    if (given("memory")) { lines.push(["[memory]"]); add("latency", "memory", time); }
    lines.push(["[pages]"]);
    add("size", "page", amount);
    add("mapping", "mapping");
  }
  for (let level = 1; level <= (deep ? given("levels") : 1); level++) {
    lines.push(["[[cache]]"], [`level = ${level}`]);
    for (const key of ["size", "line", "ways"]) add(key, `${key}${level}`, amount);
    for (const key of ["replacement", "write"]) add(key, `${key}${level}`);
    add("allocate", `allocate${level}`, plain);
    if (!deep) continue;
    if (level > 1) add("inclusion", `inclusion${level}`);
    add("index", `index${level}`);
    if (given(`latency${level}`)) add("latency", `latency${level}`, time);
  }
  for (let level = 1; deep && level <= given("tlbs"); level++) {
    lines.push(["[[tlb]]"], [`level = ${level}`]);
    add("entries", `entries${level}`, amount);
    add("ways", `tlbways${level}`, amount);
    if (given(`penalty${level}`)) add("penalty", `penalty${level}`, time);
  }
  return lines;
}

const machineToml = (form, deep = true) => `${machineLines(form, deep).map(([line]) => line).join("\n")}\n`;

// The error in the form's machine, with the field's name instead of the line of the
// description; the field is marked.
function complaintOf(form, deep, error) {
  for (const control of form.elements) control.removeAttribute?.("aria-invalid");
  const [line, reason] = error?.place ?? [];
  const control = form.elements[machineLines(form, deep)[line - 1]?.[1]];
  if (!control) return error?.message;
  control.setAttribute("aria-invalid", "true");
  const part = control.closest("fieldset")?.querySelector("legend").textContent;
  return `${part ? `${part}, ` : ""}${form.querySelector(`label[for="${control.id}"]`).textContent}: ${reason}`;
}

// Whether the lab accepts the form's machine.
function isMachine(form, deep) {
  try { return core({ do: "machine", toml: machineToml(form, deep) }); } catch { return undefined; }
}

const nanos = seconds => (seconds === null ? "" : `${+(seconds * 1e9).toFixed(3)} ns`);

// What an earlier visit measured; undefined if there is nothing that this version of the page can read.
function storedComputer() {
  const { found, points, at } = stored.get("computer") ?? {};
  const isText = text => typeof text === "string";
  const isLevel = level => [level?.level, level?.size_low, level?.size_high, level?.latency_ns, level?.penalty_ns].every(Number.isFinite) &&
    isText(level.size_text) && ["low", "medium", "high"].includes(level.confidence) && Object.values(level.why ?? [0]).flat().every(isText);
  const isPoint = point => point?.length === 2 && point.every(Number.isFinite);
  const isKnown = Number.isFinite(at) && [found?.levels, points].every(Array.isArray) && found.levels.every(isLevel) && points.length > 1 && points.every(isPoint);
  return isKnown ? { found, points, at } : undefined;
}

// This computer's first level as it was measured, or as `answer` read it from curves: its
// fields, and a description; undefined if it is not known.
function ownMachine(answer = {}) {
  const found = storedComputer()?.found.levels[0];
  const { size, line, ways, hit, penalty } = found?.ways ? { ...found, hit: found.latency_ns, penalty: found.penalty_ns }
    : { ...answer, hit: answer.hit_ns, penalty: answer.penalty_ns };
  if (!size || !ways || !line || !hit) return undefined;
  const cache = `[[cache]]\nlevel = 1\nsize = ${size}\nline = ${line}\nways = ${ways}\nlatency = "${nanos(hit / 1e9)}"\n`;
  return { size1: sizeText(size), line1: line, ways1: ways,
    toml: `name = "mine"\ndescription = "this computer, measured"\n[memory]\nlatency = "${nanos((hit + penalty) / 1e9)}"\n${cache}` };
}

// Fills the form with a machine from the lab.
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
    for (const name of ["replacement", "write", "inclusion", "index"]) at(name, word(cache[name]));
  });
  machine.tlbs.forEach((tlb, i) => {
    const at = (name, value) => set(`${name}${i + 1}`, value);
    at("entries", String(tlb.entries));
    at("tlbways", tlb.ways === tlb.entries ? "full" : String(tlb.ways));
    at("penalty", nanos(tlb.penalty));
  });
  tidyMachine(form);
}
