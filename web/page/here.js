// Page 1: measures this computer.

// The experiments: the first one, those until two agree, and one with larger arrays. Each
// has a size of memory in megabytes, and a number of levels.
const COSTS = 300; // working sets of one experiment, about
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
  const bar = el("progress", { max: ROUNDS.length, value: 0, "aria-label": t("here-working") });
  const progress = el("p", { class: "progress" }); // changes too often to be read out
  const running = el("div", { class: "buttons", hidden: true }, bar, progress);
  const said = el("p", { class: "hidden-label", role: "status" });
  const wrong = complaint();
  const verdict = el("div", { id: "verdict" });
  const curves = el("div", { id: "measured" });
  const curve = pictureBox("here-curve");
  section.append(el("div", { class: "beside" }, el("div", { class: "found" }, form, running, said, wrong.box, verdict, curves),
    el("div", { class: "grow" }, curve,
      el("aside", {}, el("h3", {}, t("here-hidden-title")), el("p", {}, t("here-hidden"))))));
  settle(form);

  let helper;
  const settings = () => ({ patient: form.elements.patient.checked });
  const [stop, starts] = [byId("stop"), [byId("measure"), byId("curves")]];
  // The keyboard focus stays on the buttons: on Stop during a measurement, then on the
  // button used before.
  const busy = is => {
    const from = document.activeElement;
    if (is) stop.disabled = false;
    if (is && starts.includes(from)) { stop.focus(); stop.back = from; }
    for (const start of starts) start.disabled = is;
    if (!is && from === stop) stop.back?.focus();
    if (!is) stop.disabled = true;
  };

  // Runs `work` with a new worker; shows errors.
  async function measuring(work) {
    const began = performance.now();
    const seconds = () => number((performance.now() - began) / 1000, 1);
    let hidden = document.hidden;
    const look = () => { hidden ||= document.hidden; };
    document.addEventListener("visibilitychange", look);
    wrong.say();
    busy(true);
    running.hidden = false;
    bar.hidden = false;
    bar.value = 0;
    progress.textContent = said.textContent = t("here-working");
    delete section.dataset.done;
    try {
      await work(seconds);
      said.textContent = t("here-ended", seconds());
      running.hidden = true;
    } catch (error) {
      const stopped = error.message === t("stopped");
      progress.textContent = said.textContent = stopped ? t("here-stopped", seconds()) : "";
      if (!stopped) { wrong.say(t("here-refused", error.message)); options.open = true; }
    }
    helper.stop();
    busy(false);
    bar.hidden = true;
    if (hidden) wrong.say(t("here-background"));
    document.removeEventListener("visibilitychange", look);
    section.dataset.done = "true";
  }

  async function explore(seconds) {
    verdict.replaceChildren();
    curve.replaceChildren();
    const timed = new Map(); // nanoseconds, in order, by bytes
    let [found, drawn, done] = [undefined, 0, 0];
    const draw = () => {
      const medians = [...timed].sort(([a], [b]) => a - b).map(([size, all]) => [size, all[(all.length - 1) >> 1]]);
      // No access takes less than a hit in one page: a shorter time is noise in the part
      // for translation.
      const hit = Math.min(...medians.filter(([size]) => size <= 4 * KIB).map(([, nanos]) => nanos));
      const points = medians.map(([size, nanos]) => [size, Math.max(nanos, hit)]);
      const places = (found?.levels ?? []).map(level => ({ low: level.size_low, label: `L${level.level}`,
        high: Math.min(level.size_high, points.at(-1)[0]) }));
      picture(curve, core({ do: "curve", points, found: places }), title =>
        table(title, [t("here-set"), t("here-ns")], points.map(([size, nanos]) => [bytesText(size), number(nanos)])));
      drawn = performance.now();
    };
    helper = new Helper(form.elements.clock.value, (costs, points) => {
      for (const [size, nanos] of points) timed.set(size, [...timed.get(size) ?? [], nanos].sort((a, b) => a - b));
      bar.value = done + Math.min(0.95, costs / COSTS);
      progress.textContent = t("here-progress", costs, seconds());
      if (timed.size > 1 && performance.now() - drawn > 500) draw();
    });
    for (const [at, [round, megabytes, levels]] of ROUNDS.entries()) {
      if (round === 2 && found?.settled) continue;
      done = at;
      try {
        found = await helper.ask({ do: "explore", megabytes, levels, first: !found, ...settings() });
      } catch (error) {
        if (!found || error.message === t("stopped")) throw error;
        break; // the first level is known; more memory is not available
      }
      draw();
      verdict.replaceChildren(...shownLevels(found), el("p", { class: "soft" }, t(found.runs === 1 ? "here-done-one" : "here-done", seconds(), found.runs)));
      if (!at) said.textContent = verdict.querySelector(".tiles").innerText;
      section.dataset.verdict = JSON.stringify(found);
      section.dataset.first ??= seconds();
    }
    verdict.append(el("p", { class: "buttons" }, el("button", { type: "button",
      click: () => download("this-computer.json", JSON.stringify(found, null, 1)) }, t("here-save"))));
  }

  async function sweep() {
    const sizes = [];
    for (let size = 4 * KIB; size <= bytesOf(form.elements.max.value); size *= 2) sizes.push(size, ...(size < 64 * KIB && size >= 16 * KIB ? [size * 1.5] : []));
    let record;
    helper = new Helper(form.elements.clock.value);
    for (let from = 0, cells = 1; from < cells;) {
      const part = await helper.ask({ do: "times", sizes, from, ...settings() });
      record ??= part.record;
      record.rows.push(...part.rows);
      cells = part.cells;
      from += part.rows.length;
      progress.textContent = t("here-cells", from, cells);
      bar.value = ROUNDS.length * from / cells;
    }
    const text = JSON.stringify(record, null, 1);
    const read = core({ do: "read", text });
    const box = pictureBox("here-chart");
    curves.replaceChildren(box, el("h3", {}, t("here-read")), ...argument(read.answer), el("p", { class: "buttons" },
      el("button", { type: "button", click: () => download("spark.json", text) }, t("here-save-curves")),
      el("button", { type: "button", click: () => { location.hash = `#any?${new URLSearchParams({ show: "time", max: "4M", ...ownMachine() })}`; setTimeout(() => anyPage.lay(text)); } }, t("here-lay"))));
    picture(box, core({ do: "draw", text }), title => sweepTable(record, title));
    section.dataset.record = text;
  }

  // The first level as measured, and the levels below it, as fields of "Any machine".
  function ownMachine() {
    const [first] = JSON.parse(section.dataset.verdict ?? '{ "levels": [] }').levels;
    if (!first?.ways || !first.line) return {};
    return { machine: "own", levels: 1, size1: sizeText(first.size), line1: first.line, ways1: first.ways,
      latency1: nanos(first.latency_ns / 1e9), memory: nanos((first.latency_ns + first.penalty_ns) / 1e9) };
  }

  form.addEventListener("submit", event => { event.preventDefault(); measuring(explore); });
  form.addEventListener("input", () => write(stateOf(form)));
  form.querySelector("#curves").addEventListener("click", () => measuring(sweep));
  stop.addEventListener("click", () => helper?.stop());
  return { restore: state => restore(form, state) };
}

// A level in three tiles, each with its argument.
function shownLevels({ levels, beyond_ns }) {
  const tile = (key, value, why) => el("div", { class: "tile" }, el("dt", {}, t(`here-${key}`)),
    el("dd", { class: "value" }, value ?? t("here-not-seen")), el("dd", {}, [why ?? []].flat().map(text => el("p", {}, text))));
  const shown = levels.map(({ level, why, confidence, agree, of, ...found }) => {
    const isLow = confidence === "low";
    const size = isLow || found.size_low < found.size_high ? found.range_text : found.size_text;
    return el("article", { class: "level" }, el("h3", {}, t("here-level", level)),
      el("dl", { class: "tiles" }, tile("size", size, why.size), tile("line", found.line && `${found.line} B`, why.line),
        tile("ways", found.ways, why.ways)),
      el("p", {}, t(of === 1 && !isLow ? "confidence-one" : `confidence-${confidence}`, agree, of), " ", t("here-times", number(found.latency_ns), number(found.penalty_ns))),
      isLow ? el("p", {}, t(level > 1 ? "here-low-2" : crossOriginIsolated ? "here-low" : "here-low-clock")) : null);
  });
  if (beyond_ns) shown.push(el("p", {}, t("here-beyond", number(beyond_ns, 1))));
  return shown;
}
