// Page 4: measures a sealed machine, and saves an answer as the answers.json that the
// report writes and `course grade` reads.
const MYSTERY_LEVELS = { 1: "s311-c", 2: "s312-c" };
const FORMS = { one: "one value", range: "at least … and below …", "fully-associative": "fully associative", "not-visible": "not visible" };

// A field for a value, as in the report: its form, one or two numbers, their unit.
function valueField(id, name, kind, units) {
  const entry = (part, label) => el("input", { name: `${id}.${part}`, inputmode: "decimal", autocomplete: "off", "aria-label": label });
  const choice = (part, label, options) => el("select", { name: `${id}.${part}`, "aria-label": label }, options.map(([value, text]) => el("option", { value }, text)));
  const forms = Object.entries(FORMS).filter(([form]) => kind === "count" || form !== "fully-associative"); // ways alone can be that
  return el("fieldset", { class: "value", id, "data-kind": kind, "data-form": "one" }, el("legend", {}, name),
    choice("form", "what the answer is", forms), entry("value", "value"),
    el("span", { class: "end" }, "and below", " ", entry("to", "upper end")),
    units.length ? choice("unit", "unit", [["", "unit"], ...units.map(unit => [unit, unit])]) : null, el("output"));
}

function mysteryPage(section, write) {
  const wrong = complaint();
  const sizes = ["1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M"].map(size => [size, size]);
  const form = el("form", { class: "row" },
    field("Your sealed machine", fileInput(".toml,.txt", wrong, text => attempt(() => open(text))), { hint: "The file that the instructor gave you (NAME.toml)." }),
    field("Experiment", showSelect([1, 2])),
    field("Smallest array", select("min", sizes, "1K")),
    field("Largest array", select("max", sizes, "64K")),
    el("button", { class: "first" }, "Measure it"),
    el("button", { type: "button", id: "mystery-stop", disabled: true, click: () => helper?.stop() }, "Stop"));
  const status = el("p", { role: "status" });
  const box = pictureBox("Curves of the sealed machine");
  const entry = (label, name, type = "text") => field(label, el("input", { name, type, autocomplete: "off" }));
  const saved = el("p", { role: "status" });
  const answer = el("form", { class: "controls wide", hidden: true },
    el("h3", {}, "Your answer"),
    el("div", { class: "row" }, entry("Your number", "student-1-number"), entry("Your name", "student-1-name")),
    Object.entries(MYSTERY_LEVELS).map(([level, id]) => el("fieldset", {}, el("legend", {}, `Level ${level}`),
      valueField(`${id}-size`, "Size", "bytes", ["B", "KiB", "MiB"]), valueField(`${id}-line`, "Line", "bytes", ["B", "KiB", "MiB"]),
      valueField(`${id}-ways`, "Ways", "count", []),
      field("Your argument: which points of which curve show it?", el("textarea", { name: `${id}-size-why`, rows: 4 })))),
    el("p", { class: "buttons" }, el("button", {}, "Save the answer")), saved);
  // In place of the answer, until what is stored of it was read.
  const unread = el("p", { class: "soft" }, "Choose your machine’s file. Then the fields for your answer are here, with everything that you typed before in this browser.");
  const link = el("p", {});
  section.append(form, status, link, wrong.box, el("div", { class: "beside" }, el("div", { class: "pictured" }, box), answer, unread));
  useAsDefaults(form);
  let machine;
  let helper;

  // What was typed for each machine, and in other windows: {id: {saved, text}}. A browser may store nothing.
  const known = {};
  const store = new Store(() => { saved.textContent = "This browser stores nothing for this page: press Save the answer before you close it."; });
  const place = () => `mystery ${machine?.name}`;
  // The answers by field: a text, or a value's form, numbers and unit.
  const typed = () => {
    const fields = {};
    for (const [name, text] of new FormData(answer)) {
      const [id, part] = name.split(".");
      if (part) (fields[id] ??= { to: "", unit: "" })[part] = text.trim();
      else fields[id] = text.trim();
    }
    return fields;
  };
  const values = () => [...answer.querySelectorAll(".value")];
  // Says how a value is read, or why it is not: by the rule of the report and of the grader.
  function read(field) {
    const value = typed()[field.id];
    field.dataset.form = value.form;
    const { doubt, low, below, value: one } = core({ do: "reading", kind: field.dataset.kind, typed: value });
    const unit = field.dataset.kind === "bytes" ? "bytes" : "";
    const said = low !== undefined ? `= at least ${number(low)} and below ${number(below)} ${unit}` : one !== undefined ? `= ${number(one)} ${unit}` : "";
    field.lastElementChild.textContent = doubt ?? said;
    field.lastElementChild.classList.toggle("doubt", Boolean(doubt));
  }
  // Only the person's own input is stored.
  function keep({ name }) {
    const [id] = name.split(".");
    const text = typed()[id];
    saved.textContent = "";
    known[place()][id] = { saved: new Date().toISOString(), text };
    store.putField(place(), id, text);
    if (byId(id)?.dataset.kind) read(byId(id));
  }
  // Shows what is stored for this machine, also from another window; no field is empty before that.
  async function recall() {
    if (!machine) return;
    const at = place();
    const own = known[at] ??= {};
    for (const [id, field] of Object.entries(await store.fields(at))) if (!own[id] || own[id].saved <= field.saved) own[id] = field;
    if (at !== place()) return;
    for (const control of answer.elements) {
      const [id, part] = control.name?.split(".") ?? [];
      if (!id) continue;
      const text = part ? own[id]?.text?.[part] : own[id]?.text;
      const shown = typeof text === "string" ? text : part === "form" ? "one" : "";
      if (control.value.trim() !== shown) control.value = shown;
      if (control.selectedIndex === -1) control.selectedIndex = 0; // another version's
    }
    values().forEach(read);
    answer.hidden = false;
    unread.hidden = true;
    section.dataset.recalled = at;
  }

  function open(text) {
    const opened = core({ do: "machine", toml: text });
    if (!opened.sealed) throw new Error("This machine is not sealed, its description can be read: the page “Any machine” shows it. Choose the file that the instructor gave you.");
    if (machine?.text !== text) clear(); // another machine's curves
    if (machine?.name !== opened.name) [answer.hidden, unread.hidden, saved.textContent] = [true, false, ""];
    machine = { text, name: opened.name };
    recall();
    link.replaceChildren(el("a", { href: `#mystery?${new URLSearchParams({ sealed: text })}` }, `Link that opens machine ${machine.name} again`));
  }

  const clear = () => box.replaceChildren();

  async function measure() {
    if (!machine) throw new Error("Choose your machine first.");
    status.textContent = "Measuring …";
    clear();
    const asked = `${machine.text} ${JSON.stringify(stateOf(form))}`;
    const { show, min, max } = form.elements;
    helper = new Helper();
    byId("mystery-stop").disabled = false;
    try {
      const drawn = await helper.ask({ do: "sweep", toml: machine.text, show: shownBy(show), min: amountOf(min.value), max: amountOf(max.value), ...shape(box) });
      if (asked === `${machine.text} ${JSON.stringify(stateOf(form))}`) picture(box, drawn.svg, title => sweepTable(drawn.record, title));
    } finally {
      byId("mystery-stop").disabled = true;
      helper.stop();
    }
  }

  async function attempt(work) {
    try { wrong.say(); await work(); } catch (error) { wrong.say(error.message); }
    status.textContent = machine ? `Sealed machine ${machine.name}.` : "";
  }
  form.addEventListener("submit", event => { event.preventDefault(); attempt(measure); });
  form.addEventListener("input", clear); // the chart is of other settings
  form.addEventListener("input", () => write({ ...stateOf(form), ...(machine && { sealed: machine.text }) }));
  answer.addEventListener("input", ({ target }) => keep(target));
  answer.addEventListener("submit", async event => {
    event.preventDefault();
    const fields = typed();
    const doubts = values().filter(field => field.querySelector(".doubt")?.textContent)
      .map(field => `${field.closest(".controls fieldset:not(.value)").querySelector("legend").textContent}, ${field.querySelector("legend").textContent}`);
    const name = `answers-${machine.name.replace(/[^\w.-]/g, "_")}.json`;
    const as = await saveFile(name, `${JSON.stringify({ format: "cache-lab-answers", version: 2, saved: new Date().toISOString(), fields }, null, 1)}\n`);
    const { form: shape, value } = fields["s311-c-size"];
    const isShort = !fields["student-1-name"] || !value && ["one", "range"].includes(shape) || !fields["s311-c-size-why"];
    const asked = `Your browser was asked to save ${name}. Look for that file, and hand it in, alone or with the report’s answers.`;
    saved.textContent = as === "" ? "Nothing was saved." : [as ? `Saved as ${as}. Hand it in, alone or with the report’s answers.` : asked,
      !as && self !== top && "This page is shown inside another one, which may forbid saving: if there is no file, open the page itself.",
      doubts.length && `These values cannot be read and do not count: ${doubts.join("; ")}.`, isShort && "Still missing: your name, the size of level 1, or an argument."].filter(Boolean).join(" ");
  });
  addEventListener("focus", recall); // of two windows
  return { restore: state => {
    restore(form, state);
    if (state.sealed && state.sealed !== machine?.text) attempt(() => open(state.sealed));
  } };
}
