// Page 1: this computer, measured.

// Experiments: the first, those until two agree, and one with larger arrays;
// megabytes to walk in, and levels to look for.
const ROUNDS = [[1, 4, 1], [2, 4, 1], [2, 4, 1], [2, 4, 1], [2, 4, 1], [3, 16, 2]];

function herePage(section, write) {
  const options = el("details", {}, el("summary", {}, t("here-options")), el("div", { class: "row" },
    el("div", { class: "check" },
      el("input", { type: "checkbox", name: "patient", id: "patient" }), el("label", { for: "patient" }, t("here-patient"))),
    field("here-max", select("max", ["256K", "1M", "4M"].map(size => [size, size]), "256K")),
    field("here-clock", select("clock", ["plain", "coarse", "noisy"].map(key => [key, t(`here-clock-${key}`)]), "plain"))));
  const form = el("form", {},
    el("p", { class: "buttons" },
      el("button", { class: "first", type: "submit", id: "measure" }, t("here-start")),
      el("button", { type: "button", id: "curves" }, t("here-curves")),
      el("button", { type: "button", id: "stop", disabled: true }, t("here-stop"))),
    options);
  const progress = el("p", { class: "progress" }); // changes too often to be read out
  const said = el("p", { class: "hidden-label", role: "status" });
  const wrong = complaint();
  const verdict = el("div", { class: "verdict", "aria-live": "polite", id: "verdict" });
  const curves = el("div", { id: "measured" });
  section.append(el("div", { class: "beside" }, el("div", { class: "found" }, form, progress, said, wrong.box, verdict, curves),
    el("aside", {}, el("h3", {}, t("here-hidden-title")), el("p", {}, t("here-hidden")))));
  settle(form);

  let helper;
  const settings = () => ({ patient: form.elements.patient.checked });
  const [stop, starts] = [byId("stop"), [byId("measure"), byId("curves")]];
  // The keyboard stays at the buttons: on Stop while it measures, then where it was.
  const busy = is => {
    const from = document.activeElement;
    if (is) stop.disabled = false;
    if (is && starts.includes(from)) { stop.focus(); stop.back = from; }
    for (const start of starts) start.disabled = is;
    if (!is && from === stop) stop.back?.focus();
    if (!is) stop.disabled = true;
  };

  // Runs `work` with a fresh worker; says what goes wrong.
  async function measuring(work) {
    const began = performance.now();
    const seconds = () => number((performance.now() - began) / 1000, 1);
    let hidden = document.hidden;
    const look = () => { hidden ||= document.hidden; };
    document.addEventListener("visibilitychange", look);
    wrong.say();
    busy(true);
    progress.textContent = said.textContent = t("here-working");
    helper = new Helper(form.elements.clock.value, costs => { progress.textContent = t("here-progress", costs, seconds()); });
    try {
      await work(seconds);
      said.textContent = t("here-ended", seconds());
    } catch (error) {
      const stopped = error.message === t("stopped");
      progress.textContent = said.textContent = stopped ? t("here-stopped", seconds()) : "";
      if (!stopped) { wrong.say(t("here-refused", error.message)); options.open = true; }
    }
    helper.stop();
    busy(false);
    if (hidden) wrong.say(t("here-background"));
    document.removeEventListener("visibilitychange", look);
    section.dataset.done = "true";
  }

  async function explore(seconds) {
    verdict.replaceChildren();
    delete section.dataset.done;
    let found;
    for (const [round, megabytes, levels] of ROUNDS) {
      if (round === 2 && found?.settled) continue;
      try {
        found = await helper.ask({ do: "explore", megabytes, levels, first: !found, ...settings() });
      } catch (error) {
        if (!found || error.message === t("stopped")) throw error;
        break; // the first level is known; more memory is not available
      }
      verdict.replaceChildren(...shownLevels(found), el("p", { class: "soft" }, t(found.runs === 1 ? "here-done-one" : "here-done", seconds(), found.runs)));
      section.dataset.verdict = JSON.stringify(found);
      section.dataset.first ??= seconds();
      progress.textContent = t(found.settled ? "here-round-3" : "here-round-2");
    }
    progress.textContent = "";
    verdict.append(el("p", { class: "buttons" }, el("button", { type: "button",
      click: () => download("this-computer.json", JSON.stringify(found, null, 1)) }, t("here-save"))));
  }

  async function sweep() {
    const sizes = [];
    for (let size = 4 * KIB; size <= bytesOf(form.elements.max.value); size *= 2) sizes.push(size, ...(size < 64 * KIB && size >= 16 * KIB ? [size * 1.5] : []));
    let record;
    for (let from = 0, cells = 1; from < cells;) {
      const part = await helper.ask({ do: "times", sizes, from, ...settings() });
      record ??= part.record;
      record.rows.push(...part.rows);
      cells = part.cells;
      from += part.rows.length;
      progress.textContent = t("here-cells", from, cells);
    }
    progress.textContent = "";
    const text = JSON.stringify(record, null, 1);
    const read = core({ do: "read", text });
    const box = pictureBox("here-chart");
    picture(box, core({ do: "draw", text }));
    curves.replaceChildren(box, el("h3", {}, t("here-read")), ...argument(read.answer), el("p", { class: "buttons" },
      el("button", { type: "button", click: () => download("spark.json", text) }, t("here-save-curves")),
      el("button", { type: "button", click: () => { location.hash = "#any?show=time&max=4M"; setTimeout(() => anyPage.lay(text)); } }, t("here-lay"))));
    section.dataset.record = text;
  }

  form.addEventListener("submit", event => { event.preventDefault(); measuring(explore); });
  form.addEventListener("input", () => write(stateOf(form)));
  form.querySelector("#curves").addEventListener("click", () => measuring(sweep));
  stop.addEventListener("click", () => helper?.stop());
  return { restore: state => restore(form, state) };
}

function shownLevels({ levels, beyond_ns }) {
  const shown = levels.map(level => {
    const size = level.confidence !== "low" && level.size_low === level.size_high ? level.size_text
      : level.confidence === "low" ? t("here-between", level.range_text) : `${level.size_text} (${level.range_text})`;
    const line = level.line ? t("here-line", level.line) : t("here-no-line");
    const ways = level.ways ? t("here-ways", level.ways) : t("here-no-ways");
    return el("article", { class: "level" },
      el("h3", {}, t("here-verdict", level.level, size, line, ways)),
      el("p", {}, t("here-times", number(level.latency_ns), number(level.penalty_ns), t(`confidence-${level.confidence}`))),
      level.confidence === "low" ? el("p", {}, t("here-low")) : null,
      el("details", {}, el("summary", {}, t("here-why")), el("ul", {}, level.why.map(why => el("li", {}, why)))));
  });
  if (beyond_ns) shown.push(el("p", {}, t("here-beyond", number(beyond_ns, 1))));
  return shown;
}
