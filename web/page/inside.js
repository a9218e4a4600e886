// Page 3: a kernel, access by access.
const PRESETS = {
  stride: { kernel: "cm1", array: "64K", stride: "8K", passes: "3", size1: "32K", line1: "64", ways1: "8", at: "17" },
  transposed: { kernel: "mm2", n: "64", size1: "2K", line1: "64", ways1: "4", at: "8193" },
  power: { kernel: "mm1", n: "32", size1: "1K", line1: "16", ways1: "2", at: "200", kind: "conflict" },
};
// Largest number of lines of a cache that can be shown.
const MOST_LINES = 4096;
const RUNGS = ["ge1", "ge2", "ge3", "ge4"];
const SMALL = SIZES.filter(size => size <= 64 * KIB).map(sizeText);

function insidePage(section, write) {
  const text = (key, name, value) => field(key, el("input", { name, value, autocomplete: "off" }));
  const form = el("form", { class: "controls" },
    el("input", { type: "hidden", name: "preset", value: "" }),
    field("inside-kernel", select("kernel", ["cm1", "mm1", "mm2", "mm3", ...ORDERS.map(order => `dgemm ${order}`), ...RUNGS].map(name => [name, name]), "mm1")),
    text("inside-n", "n", "32"), text("inside-array", "array", "64K"), text("inside-stride", "stride", "8K"), text("inside-passes", "passes", "3"),
    levelFields(1, false),
    el("input", { type: "hidden", name: "at", value: "0" }));
  const wrong = complaint();
  const range = el("input", { type: "range", min: 0, max: 0, value: 0, id: "step" });
  const go = (key, mark, to) => el("button", { type: "button", "aria-label": t(key), title: t(key), id: key, click: () => step(to()) }, mark);
  const at = () => Number(form.elements.at.value);
  const kind = el("select", { "aria-label": t("inside-kind") }, ["any", "compulsory", "capacity", "conflict"].map(name =>
    el("option", { value: name }, t(`inside-kind-${name}`))));
  const said = el("p", { class: "said", role: "status" });
  const stepper = el("div", { class: "stepper" },
    el("div", { class: "buttons" },
      go("inside-first", "|◀", () => 0), go("inside-back", "◀", () => at() - 1), go("inside-next", "▶", () => at() + 1),
      go("inside-miss", "▶ miss", () => missAfter(at())), kind, go("inside-last", "▶|", () => walked.steps)),
    el("div", { class: "grow range" }, el("label", { for: "step", class: "hidden-label" }, t("inside-slider")), range, el("small", { id: "step-at" })), said);
  const view = el("div", { class: "inside" });
  section.append(el("p", { class: "buttons", role: "group", "aria-label": t("inside-presets") }, Object.keys(PRESETS).map(key =>
    el("button", { type: "button", click: () => preset(key) }, t(`inside-preset-${key}`)))));
  section.append(el("div", { class: "split" }, form, el("div", { class: "results" },
    el("details", { class: "answer", id: "preset" }, el("summary", {}, t("inside-why")), el("p", { id: "preset-answer" })),
    el("p", { class: "soft", id: "preset-note" }), wrong.box, stepper, view)));
  settle(form);
  form.isPossible = () => {
    const first = isMachine(form, false)?.levels[0];
    const lines = first?.size / first?.line;
    return lines <= MOST_LINES && Number.isInteger(Math.log2(lines / first.ways));
  };
  let walked = { steps: 0 };

  function preset(key) {
    restore(form, { ...PRESETS[key], preset: key });
    byId("preset").open = false;
    walk();
    kind.value = PRESETS[key].kind ?? "any";
    if (PRESETS[key].kind) step(missAfter(at()));
  }

  function kernel() {
    const value = name => form.elements[name].value;
    const whole = (name, read = Number) => {
      const number = read(value(name));
      if (!Number.isSafeInteger(number) || number < 1) throw new Error(t("inside-whole", t(`inside-${name}`), value(name)));
      return number;
    };
    const name = value("kernel");
    if (name === "cm1") return { name, size: whole("array", bytesOf), stride: whole("stride", bytesOf), passes: whole("passes") };
    if (RUNGS.includes(name)) return { name: "ge", rung: name, n: whole("n") };
    const { kernel } = missRequest(name, whole("n"), "");
    return name === "mm3" ? { ...kernel, line: bytesOf(value("line1")) } : kernel;
  }

  function walk() {
    const sweeps = form.elements.kernel.value === "cm1";
    for (const name of ["array", "stride", "passes"]) form.elements[name].closest(".field").hidden = !sweeps;
    form.elements.n.closest(".field").hidden = sweeps;
    const key = form.elements.preset.value;
    byId("preset").hidden = !Object.hasOwn(PRESETS, key);
    byId("preset-answer").textContent = t(`inside-answer-${key}`);
    for (const control of form.elements) if (control.name) control.dispatchEvent(new Event("follow"));
    try {
      walked = { replacement: form.elements.replacement1.value, ...core({ do: "walk", toml: machineToml(form, false), kernel: kernel() }) };
      range.max = walked.steps;
      byId("preset-note").textContent = [RUNGS.includes(form.elements.kernel.value) && t("inside-words"),
        walked.cut && t("inside-only", number(walked.steps, 0))].filter(Boolean).join(" ");
      wrong.say();
      step(at());
      complaintOf(form, false);
      view.removeAttribute("data-old");
    } catch (error) {
      view.setAttribute("data-old", ""); // not of these fields
      wrong.say(complaintOf(form, false, error.message));
    }
  }

  function step(to) {
    to = Math.min(walked.steps, Math.max(0, Math.round(to) || 0));
    form.elements.at.value = range.value = to;
    range.setAttribute("aria-valuetext", t("inside-go", to, walked.steps));
    byId("step-at").textContent = t("inside-go", number(to, 0), number(walked.steps, 0));
    try {
      const state = core({ do: "step", at: to });
      said.textContent = spoken(state);
      const stood = [...view.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
      view.replaceChildren(...insideView(walked, state));
      view.querySelectorAll(".scroll").forEach((box, i) => { [box.scrollLeft, box.scrollTop] = stood[i] ?? [0, 0]; });
      for (const part of view.querySelectorAll("mark, .touched")) bring(part);
      section.dataset.state = JSON.stringify(state);
      wrong.say();
    } catch (error) { wrong.say(error.message); }
    write(stateOf(form));
  }

  function missAfter(from) {
    for (let to = from + 1; to <= walked.steps; to++) {
      const { outcome } = core({ do: "step", at: to }).step;
      if (outcome === kind.value || (kind.value === "any" && outcome !== "hit")) return to;
    }
    return walked.steps;
  }

  range.addEventListener("input", () => step(range.value));
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", () => { form.elements.at.value = 0; walk(); });
  return { restore(state) {
    if (!Object.keys(state).length) return preset("stride");
    restore(form, state);
    walk();
  } };
}

// Scrolls the marked element into the visible part of its box; the page does not scroll.
function bring(part) {
  const box = part.closest(".scroll");
  const [own, seen] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
  const row = part.closest("tr"); // whose number, and the names above, are before what moves
  const before = { left: row?.firstElementChild.offsetWidth ?? 0, top: row?.closest("table").tHead.offsetHeight ?? 0 };
  const room = 8;
  const past = (low, high) => { const after = own[high] + room - seen[high]; return after > 0 ? after : Math.min(0, own[low] - room - seen[low] - before[low]); };
  box.scrollLeft += past("left", "right");
  box.scrollTop += past("top", "bottom");
}

function spoken({ at, step }) {
  if (!step) return t("inside-start");
  const gone = step.evicted ? t(step.written_back ? "inside-written" : "inside-evicted", step.evicted) : "";
  return t("inside-said", number(at, 0), t(step.store ? "inside-store" : "inside-load"), step.element, t(`inside-${step.outcome}`)) + gone;
}

function insideView(walked, { step, sets, holding, counts, arrays }) {
  return [loopView(walked, step), addressView(step), countsView(counts, arrays), setsView(walked, sets, holding)];
}

function loopView({ source, first, file }, step) {
  const indent = Math.min(...source.filter(line => line.trim()).map(line => line.search(/\S/)));
  const lines = source.map(line => line.slice(indent)).map((line, i) => {
    const here = step?.line === first + i;
    const column = here ? step.column - 1 - indent : line.length;
    const end = here ? callLength(line.slice(column)) : 0;
    return el("li", { class: here ? "here" : null, style: `--depth: ${depth(line)}`, "aria-current": here ? "step" : null },
      tabbed(line.slice(0, column)), end ? el("mark", {}, line.slice(column, column + end)) : null, line.slice(column + end));
  });
  return el("section", { class: "loop" }, el("h3", {}, t("inside-loop", file)),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("inside-loop", file) }, el("ol", { start: first }, lines)));
}

// The depth of a line's indentation, and the line with a tab for each level, whose width is
// set by the style.
const depth = line => Math.floor(Math.max(0, line.search(/\S/)) / 4);
const tabbed = text => text.replace(/^ +/, spaces => "\t".repeat(spaces.length / 4));

// Length of the call at the start of `text`: `load(mul1.at(i, k))`.
function callLength(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    depth += { "(": 1, ")": -1 }[text[i]] ?? 0;
    if (depth === 0 && text[i] === ")") return i + 1;
  }
  return text.length;
}

function addressView(step) {
  const part = (key, bits, value) => el("div", { class: `part ${key}` }, el("dt", {}, t(`inside-${key}`)),
    el("dd", {}, el("code", {}, bits || "–"), ` = ${value}`));
  return el("section", { class: "address" }, el("h3", {}, t("inside-address")),
    step ? [el("p", {}, `${step.element}: ${number(step.address, 0)} = 0x${step.address.toString(16)}`),
      el("dl", {}, part("tag", step.tag_bits, step.tag), part("set", step.set_bits, step.set), part("offset", step.offset_bits, step.offset))]
      : el("p", {}, "–"));
}

function countsView(counts, arrays) {
  const ratio = counts.accesses ? 1 - counts.hits / counts.accesses : null;
  const entry = (key, value) => el("div", {}, el("dt", {}, key), el("dd", {}, value));
  return el("section", { class: "counts" }, el("h3", {}, t("inside-counts")), el("dl", {},
    Object.entries(counts).map(([key, value]) => entry(t(`count-${key}`), number(value, 0))),
    entry(t("inside-ratio"), number(ratio, 4))),
  arrays.length ? table(t("inside-arrays"), [t("any-array"), t("count-hits"), t("inside-misses"), t("inside-ratio")],
    arrays.map(({ name, hits, misses }) => [name, number(hits, 0), number(misses, 0), number(misses / (hits + misses), 4)])) : null);
}

function setsView({ sets: all, replacement }, sets, holding) {
  const ways = Math.max(0, ...sets.map(set => set.ways.length));
  const cell = way => way
    ? el("td", { class: `${way.touched ? "touched" : ""} ${way.next ? "next" : ""}` }, way.name,
      el("small", {}, [` ${way.rank}`, way.dirty && t("inside-dirty"), way.next && t("inside-evicted-next")].filter(Boolean).join(", ")))
    : el("td", { class: "empty" }, t("inside-empty"));
  return el("section", { class: "sets" }, el("h3", {}, t("inside-sets")),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("inside-sets") }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("inside-set")),
        Array.from({ length: ways }, (_, i) => el("th", { scope: "col" }, t("inside-way", i))))),
      el("tbody", {}, sets.map(set => el("tr", { class: set.now ? "now" : null },
        el("th", { scope: "row" }, set.now ? `▶ ${set.set}` : String(set.set)), set.ways.map(cell)))))),
    el("p", { class: "soft" }, t("inside-sets-note", holding, all, t(`inside-order-${replacement === "fifo" ? "fifo" : "used"}`),
      t(`inside-next-${replacement === "random" ? "random" : "known"}`))));
}
