// Page 4: a sealed machine, measured; an answer, saved.
function mysteryPage(section, write) {
  const file = el("input", { type: "file", accept: ".toml,.txt" });
  const sizes = ["1K", "4K", "8K", "64K", "128K", "256K", "1M", "2M", "4M", "8M"].map(size => [size, size]);
  const form = el("form", { class: "row" },
    field("mystery-file", file, t("mystery-hint")),
    field("mystery-show", select("show", [["1", t("any-show-1")], ["2", t("any-show-2")], ["time", t("any-show-time")]], "1")),
    field("mystery-min", select("min", sizes, "1K")),
    field("mystery-max", select("max", sizes, "64K")),
    el("button", { class: "first" }, t("mystery-run")));
  const told = el("p", { role: "status" });
  const wrong = complaint();
  const box = pictureBox("mystery-chart");
  const entry = (key, name, type = "text") => field(key, el("input", { name, type, autocomplete: "off" }));
  const answer = el("form", { class: "controls wide" },
    el("h3", {}, t("mystery-answer")), entry("mystery-student", "student"),
    [1, 2].map(level => el("fieldset", { class: "row" }, el("legend", {}, t("mystery-level", level)),
      entry("mystery-size", `size${level}`), entry("mystery-line", `line${level}`), entry("mystery-ways", `ways${level}`))),
    field("mystery-why", el("textarea", { name: "why", rows: 6 })),
    el("p", { class: "buttons" }, el("button", {}, t("mystery-save"))));
  const saved = el("p", { role: "status" });
  section.append(form, told, wrong.box, box, answer, saved);
  settle(form);
  let machine;
  let helper;
  const experiments = [];

  async function load() {
    const text = await fileText(file);
    if (!text) return;
    const opened = core({ do: "machine", toml: text });
    if (!opened.sealed) throw new Error(t("mystery-open"));
    machine = { text, name: opened.name };
    told.textContent = t("mystery-loaded", machine.name);
  }

  async function measure() {
    if (!machine) throw new Error(t("mystery-none"));
    told.textContent = t("mystery-running");
    const show = form.elements.show.value;
    const [min, max] = [form.elements.min, form.elements.max].map(control => bytesOf(control.value));
    const drawn = await (helper ??= new Helper()).ask({ do: "sweep", toml: machine.text, min, max,
      show: show === "time" ? "time" : { misses: { level: Number(show) } } });
    experiments.push({ program: drawn.record.program, settings: drawn.record.settings, min, max });
    picture(box, drawn.svg);
    told.textContent = t("mystery-loaded", machine.name);
  }

  const guarded = work => async event => {
    event.preventDefault();
    try { wrong.say(); await work(); } catch (error) { told.textContent = ""; wrong.say(error.message); }
  };
  file.addEventListener("change", guarded(load));
  form.addEventListener("submit", guarded(measure));
  form.addEventListener("input", () => write("mystery", stateOf(form)));
  answer.addEventListener("submit", event => {
    event.preventDefault();
    const value = name => answer.elements[name].value.trim();
    if (!value("student") || !value("size1") || !value("why")) { saved.textContent = t("mystery-lacks"); return; }
    const levels = [1, 2].map(level => ({ level, size: value(`size${level}`), line: value(`line${level}`), ways: value(`ways${level}`) }));
    const name = `answer-${(machine?.name ?? "machine").replace(/[^\w.-]/g, "_")}.json`;
    download(name, JSON.stringify({ kind: "mystery-answer", student: value("student"), machine: machine?.name ?? null,
      sealed: machine?.text ?? null, levels, why: value("why"), experiments }, null, 1));
    saved.textContent = t("mystery-saved", name);
  });
  return { restore: state => restore(form, state) };
}
