// Page 1: measures this computer.

// The experiments: the first one, those until two agree, and one with larger arrays. Each
// has a size of memory in megabytes, and a number of levels.
const COSTS = 300; // working sets of one experiment, about
const ROUNDS = [[1, 4, 1], [2, 4, 1], [2, 4, 1], [2, 4, 1], [2, 4, 1], [3, 16, 2]];
// The arrays of the curves: doubling, with sizes between at which first levels end.
const CURVE_SIZES = [4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 80, 96, 112, 128, 160, 192, 256].map(size => size * KIB);
const DRAWN_SIZES = [4, 8, 16, 32, 48, 64, 128, 256].map(size => size * KIB);

function herePage(section) {
  const step = clockStep();
  const isCoarse = step > 0.25; // as for the library: such a clock needs longer batches
  const form = el("form", {},
    el("p", { class: "buttons" },
      el("button", { class: "first", type: "submit", id: "measure" }, "Measure this computer"),
      el("button", { type: "button", id: "curves" }, "Curves by stride (5 seconds)"),
      el("button", { type: "button", id: "stop", disabled: true }, "Stop")),
    el("p", { class: "soft" }, step > 2 ? `The clock of this browser moves in steps of ${number(step)} ms, too coarse for any measurement: use another browser, or the programs of the kit.`
      : isCoarse ? `The clock of this browser is coarse: it moves in steps of ${number(step)} ms. So a first answer takes about 40 seconds, and a disturbed one longer. From a web server that isolates the page, this browser gives it a clock of 0.02 ms (README, “Serving it”).`
        : "Guess below the chart before you measure. A first answer takes about 5 seconds, all experiments about 20; more while other programs run."));
  const bar = el("progress", { max: ROUNDS.length, value: 0, "aria-label": "Measuring the clock …" });
  const progress = el("p", { class: "progress" }); // changes too often to be read out
  const running = el("div", { class: "buttons running" }, bar, progress);
  const said = el("p", { class: "hidden-label", role: "status" });
  const wrong = complaint();
  const verdict = el("div", { id: "verdict" });
  const curves = el("div", { id: "measured" });
  const curve = pictureBox("The curve while it is measured");
  const known = el("p", { class: "soft" });
  // The reader's guess: where the levels end, and what their accesses take on the known machine.
  const { toml } = core({ do: "catalogue" }).find(({ name }) => name === KNOWN);
  const { levels, memory_latency, summary } = core({ do: "machine", toml });
  const [ends, costs] = [levels.map(({ size }) => size), [...levels.map(({ latency }) => latency), memory_latency].map(cost => cost * 1e9)];
  const guess = { sizes: [...ends] };
  const sliders = guess.sizes.map((_, at) => el("input", { type: "range", id: `guess-${at}`, min: 0, max: SIZES.length - 1,
    input: ({ target }) => guessed(at, SIZES[target.value]) }));
  const hint = el("p", { class: "wide", id: "here-guess" }, "Draw before you measure: where do the levels of your computer end? Drag the steps of the dashed line, or move the sliders. Then measure.");
  const guessing = el("div", { class: "guessing", role: "group", "aria-labelledby": "here-guess" }, sliders.map((slider, at) =>
    el("div", {}, el("label", { for: slider.id }, `Level ${at + 1} ends at`), slider, el("output", {}))));
  section.append(el("div", { class: "beside" }, el("div", { class: "asked" }, form, running, said), el("div", { class: "found" }, wrong.box, verdict),
    el("div", { class: "pictured" }, curve, hint, guessing, known,
      el("details", {}, el("summary", {}, "What a browser hides"), el("p", {}, "A browser hides the processor’s name, the size and the place of memory pages, and the processor that the page runs on, which may change while it measures. It has no counters. So levels after the first are seen by their cost only, and their ways are not reported. Close other programs, and leave this tab in front.")))), curves);
  // A working set costs what the first level costs in which it fits.
  function showKnown() {
    const points = [];
    for (let size = KIB; size <= 8 * ends.at(-1); size *= 2 ** 0.25) points.push([size, costs.at(ends.findIndex(end => size <= end))]);
    showCurve(points, ends.map((size, at) => ({ low: size, high: size, label: `L${at + 1}` })), `${summary}; source: its description`, true);
  }
  showKnown();
  recall();

  let helper;
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
    running.toggleAttribute("data-on", true);
    bar.value = 0;
    progress.textContent = said.textContent = "Measuring the clock …";
    delete section.dataset.done;
    try {
      await work(seconds);
      progress.textContent = "";
    } catch (error) {
      const { stopped } = error;
      progress.textContent = said.textContent = !stopped ? "" : `Stopped after ${seconds()} s.` + (verdict.firstChild || curves.firstChild ? "" : ` There is no answer yet: let it run until the first one.`);
      if (!stopped) wrong.say(`No answer: ${error.message}`);
      if (!verdict.firstChild && !curves.firstChild) {
        if (stopped) (recall() || showKnown()); // the guess is there again
        else known.textContent = "The curve is what was measured, disturbed by other programs.";
      }
    }
    helper.stop();
    busy(false);
    running.toggleAttribute("data-on", false);
    if (hidden) wrong.say("This tab was in the background for a while, where browsers slow pages down: measure again with the tab in front.");
    document.removeEventListener("visibilitychange", look);
    section.dataset.done = "true";
  }

  // A curve by working set, with its numbers; that of a known machine is grey.
  function showCurve(points, found, caption, isKnown = false) {
    curve.classList.toggle("known", isKnown);
    known.textContent = isKnown ? `In grey: the curve that the description of a known machine gives (${KNOWN}). Your computer’s will have steps like these, at its own sizes.` : guess.isMade ? "Dashed: your guess." : "";
    guessing.hidden = hint.hidden = !isKnown;
    picture(curve, core({ do: "curve", points, found, caption, ...shape(curve) }), isKnown ? undefined : title =>
      table(title, ["working set", "ns per access"], points.map(([size, nanos]) => [bytesText(size), number(nanos)])), isKnown ? undefined : cause);
    drawGuess();
  }

  function guessed(at, size) {
    guess.isMade = true;
    guess.sizes[at] = Math.max(guess.sizes[at - 1] ?? 0, Math.min(guess.sizes[at + 1] ?? Infinity, size));
    drawGuess();
  }

  // The guess as a dashed line over the curve, with handles as long as nothing is measured.
  function drawGuess() {
    sliders.forEach((slider, at) => {
      slider.value = SIZES.indexOf(guess.sizes[at]);
      slider.setAttribute("aria-valuetext", slider.nextElementSibling.textContent = bytesText(guess.sizes[at]));
    });
    const svg = curve.querySelector("svg");
    svg.querySelector(".guess")?.remove();
    const scale = scales(svg);
    const isKnown = !guessing.hidden;
    if (!scale || !isKnown && !guess.isMade) return;
    const ends = guess.sizes.map((size, at) => [scale.x(size), scale.y(costs[at]), scale.y(costs[at + 1])]);
    const path = ends.map(([x, y, next]) => `H${x}V${next}`).join("");
    // A finger needs more than the circle that is seen.
    const handle = ([x, y, next], at) => [88, 36].map(r => `<circle cx="${x}" cy="${(y + next) / 2}" r="${r}" data-at="${at}"><title>Level ${at + 1} ends at</title></circle>`).join("");
    svg.insertAdjacentHTML("beforeend", `<g class="guess"><path d="M${scale.from},${ends[0][1]}${path}H${scale.to}"/>${isKnown ? ends.map(handle).join("") : ""}</g>`);
  }

  let dragged; // the handle's number
  curve.addEventListener("pointerdown", event => {
    dragged = event.target.dataset.at;
    if (dragged) { curve.setPointerCapture(event.pointerId); event.preventDefault(); }
  });
  curve.addEventListener("pointermove", event => {
    if (!dragged) return;
    const svg = curve.querySelector("svg");
    const bytes = scales(svg).bytes(new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x);
    const away = size => Math.abs(Math.log(size / bytes));
    guessed(Number(dragged), SIZES.reduce((best, size) => (away(size) < away(best) ? size : best)));
  });
  for (const kind of ["pointerup", "pointercancel"]) curve.addEventListener(kind, () => { dragged = undefined; });

  // The curve of these points, with the levels that were found.
  function showPoints(points, found) {
    const high = level => Math.min(level.size_high, points.at(-1)[0]);
    const places = (found?.levels ?? []).map(level => ({ low: level.size_low, label: `L${level.level}`, high: high(level) }));
    showCurve(points, places, "source: timing, in a browser tab; of repeated measurements, the median");
  }

  // What was measured at an earlier visit.
  function recall() {
    const before = storedComputer();
    if (!before) return false;
    const forget = () => { stored.set("computer", null); verdict.replaceChildren(); showKnown(); };
    showPoints(before.points, before.found);
    verdict.replaceChildren(...shownLevels(before.found), el("p", { class: "soft" }, `Measured on ${new Date(before.at).toLocaleString("en-GB")}, in this browser.`, " ",
      el("button", { type: "button", click: forget }, "Forget it")));
    return true;
  }

  // A working set of the first curve is accessed line by line.
  function cause(size, stride) {
    const { size1, line1: line, ways1: ways } = ownMachine() ?? {};
    const at = stride ?? line ?? 64;
    const inset = size1 && { size, stride: at, line, ways, sets: amountOf(size1) / line / ways };
    return { ...opens(size, at, size1 ? { size1, line1: line, ways1: ways } : {}), inset };
  }

  async function explore(seconds) {
    verdict.replaceChildren();
    curve.parentElement.hidden = false;
    const times = new Map(); // nanoseconds, in order, by bytes
    let [found, points, drawn, done, tried, dropped] = [undefined, [], 0, 0, 0, 0];
    const draw = () => {
      const medians = [...times].sort(([a], [b]) => a - b).map(([size, all]) => [size, all[(all.length - 1) >> 1]]);
      // No access takes less than a hit in one page: a shorter time is noise in the part
      // for translation.
      const hit = Math.min(...medians.filter(([size]) => size <= 4 * KIB).map(([, nanos]) => nanos));
      points = medians.map(([size, nanos]) => [size, Math.max(nanos, hit)]);
      showPoints(points, found);
      drawn = performance.now();
    };
    helper = new Helper((costs, points) => {
      for (const [size, nanos] of points) times.set(size, [...times.get(size) ?? [], nanos].sort((a, b) => a - b));
      bar.value = done + Math.min(0.95, costs / COSTS);
      const more = found ? " The answer below is the first one; this confirms it, or finds more. Stop keeps it."
        : !isCoarse && seconds() > 10 ? " Other programs use the processor, so the same times must be measured again and again: close them, and the answer comes sooner." : "";
      progress.textContent = `Experiment ${done + 1} of ${ROUNDS.length}: ${costs} working sets timed, ${seconds()} s.` + more;
      if (times.size > 1 && performance.now() - drawn > 500) draw();
    });
    for (const [at, [round, megabytes, levels]] of ROUNDS.entries()) {
      if (round === 2 && found?.settled) continue;
      done = at;
      try {
        found = await helper.ask({ do: "explore", megabytes, levels });
        tried = Math.max(tried + 1, found.runs);
      } catch (error) {
        if (!found || error.stopped) throw error;
        [tried, dropped] = [tried + 1, dropped + 1]; // what is known stays
      }
      draw();
      const yours = guess.sizes.map((size, at) => el("p", { class: "you-said" }, `Level ${at + 1}: you said ${bytesText(size)}; it is ${found.levels[at]?.size_text ?? "not seen here"}.`));
      verdict.replaceChildren(...(guess.isMade ? yours : []), ...shownLevels(found), el("p", { class: "soft" }, `Measured in ${seconds()} s by ${many("experiment", tried)}${dropped ? `, of which other programs disturbed ${dropped}, so that they do not count` : ""}.`));
      if (!at) said.textContent = verdict.querySelector(".tiles").innerText;
      section.dataset.verdict = JSON.stringify(found);
      stored.set("computer", { found, points, at: Date.now() });
    }
  }

  // Times the cells with these numbers; of a cell that was timed before, the shorter time counts: other programs
  // can only add to it.
  async function timed(record, wanted) {
    for (let from = 0; from < wanted.length;) {
      const { rows } = await helper.ask({ do: "times", sizes: CURVE_SIZES, cells: wanted.slice(from) });
      for (const row of rows) {
        const [at, figure] = [wanted[from++], row.figures[0]];
        figure.amount = Number(figure.amount.toPrecision(3)); // of a browser's clock
        if (!(record.rows[at]?.figures[0].amount <= figure.amount)) record.rows[at] = row;
      }
      progress.textContent = `${from} of ${wanted.length} cells timed.`;
      bar.value = ROUNDS.length * from / wanted.length;
    }
  }

  async function sweep() {
    helper = new Helper();
    const { record, cells } = await helper.ask({ do: "times", sizes: CURVE_SIZES, cells: [] });
    let [text, read] = [];
    const look = () => {
      text = JSON.stringify(record, null, 1);
      read = core({ do: "read", text, sizes: DRAWN_SIZES, ...shape() });
    };
    for (let tries = 0; tries < 2 && read?.answer.verdict !== "ok"; tries++) {
      await timed(record, Array.from({ length: cells }, (_, at) => at));
      look();
      for (let again = 0; again < 3 && read.disturbed.length; again++) {
        await timed(record, read.disturbed.map(([size, stride]) =>
          record.rows.findIndex(({ place }) => place.size_bytes === size && place.stride_bytes === stride)));
        look();
      }
    }
    const { answer, svg } = read;
    const [mine, own] = [ownMachine(), ownMachine(answer)];
    const box = pictureBox("Time per access of this computer");
    curve.parentElement.hidden = curve.classList.contains("known"); // no curve of this computer
    const said = answer.verdict === "ok" ? argument(answer) : [el("p", {}, "No answer: the times were disturbed, in two experiments. Close other programs, and press the button again. The curves are the shorter times of both.")];
    curves.replaceChildren(box, el("h3", {}, "What the curves show"), ...said, el("p", { class: "buttons" },
      el("button", { type: "button", click: () => download("spark.json", text, "application/json") }, "Save the curves"),
      own && el("button", { type: "button", click: () => {
        location.hash = `#any?${new URLSearchParams({ show: "time", max: "256K", ...(mine ? { machine: "mine" } : { machine: "own", toml: own.toml }) })}`;
        setTimeout(() => anyPage.lay(text));
      } }, "Compare them with a model")),
    ...(own ? [] : [el("p", { class: "soft" }, "To compare these curves with a model of this computer, measure this computer first.")]),
    ...(read.disturbed.length ? [el("p", { class: "soft" }, `Left out of the chart, after they were measured again: times that other programs disturbed (${read.disturbed.map(([size, stride]) => `${bytesText(size)}, stride ${bytesText(stride)}`).join("; ")}).`)] : []));
    picture(box, svg, title => sweepTable(record, title), cause);
  }

  form.addEventListener("submit", event => { event.preventDefault(); measuring(explore); });
  form.querySelector("#curves").addEventListener("click", () => measuring(sweep));
  stop.addEventListener("click", () => helper?.stop());
  return {};
}

// The usual step of this browser's clock, in milliseconds.
function clockStep() {
  const [began, steps] = [performance.now(), []];
  for (let last = began, now = began; steps.length < 9 && now - began < 100; now = performance.now()) {
    if (now > last) steps.push(now - last);
    last = now;
  }
  return steps.sort((a, b) => a - b)[steps.length >> 1] ?? Infinity;
}
const KNOWN = "i5-7500";

// The axes of a curve by working set: from bytes and nanoseconds to its picture, and from there
// to bytes. Undefined for a curve without a step.
function scales(svg) {
  const points = JSON.parse(svg.querySelector("metadata").textContent).curves[0].points.filter(Boolean);
  const [first, last] = [points[0], points.at(-1)];
  const [low, high] = [Math.min, Math.max].map(end => points.find(point => Number(point[3]) === end(...points.map(point => Number(point[3])))));
  const wide = (last[0] - first[0]) / Math.log(last[5] / first[5]);
  const tall = (high[1] - low[1]) / Math.log(high[3] / low[3]);
  if (!Number.isFinite(wide) || !Number.isFinite(tall)) return undefined;
  const inside = x => Math.max(first[0], Math.min(last[0], x));
  return { from: first[0], to: last[0], x: bytes => inside(first[0] + wide * Math.log(bytes / first[5])),
    y: nanos => low[1] + tall * Math.log(nanos / low[3]), bytes: x => first[5] * Math.exp((x - first[0]) / wide) };
}

// A level in three tiles, each with its argument.
function shownLevels({ levels, beyond_ns }) {
  const tile = (name, value, why) => el("div", { class: "tile" }, el("dt", {}, name),
    el("dd", { class: "value" }, value ?? "not seen"), el("dd", {}, [why ?? []].flat().map(text => el("p", {}, text))));
  const shown = levels.map(({ level, why, confidence, agree, of, ...found }) => {
    const isLow = confidence === "low";
    const sure = isLow ? agree ? `Not sure: ${agree} of ${of} experiments found this. The others found less, or no set, as other programs make it.` : "Not sure."
      : of === 1 ? "Likely, after one experiment." : `${confidence === "high" ? "Sure" : "Likely"}: ${agree} undisturbed experiments agree.`;
    const advice = level > 1 ? "A browser does not say which pages are next to each other in memory, so the size of this level stays a range."
      : `Close other programs, plug the charger in, and measure again.${crossOriginIsolated ? "" : " If this page comes from a web server that isolates it, it gets a clock with finer steps, which helps most."}`;
    return el("article", { class: "level" }, el("h3", {}, `Level ${level}`),
      el("dl", { class: "tiles" }, tile("Size", found.size_text, why.size), tile("Line", found.line && `${found.line} B`, why.line),
        tile("Ways", found.ways, why.ways)),
      el("p", {}, sure, " ",
        !isLow && of > agree ? `Other programs disturbed ${of - agree} more. ` : "", `A hit takes ${number(found.latency_ns)} ns, a miss ${number(found.penalty_ns)} ns more.`),
      isLow ? el("p", {}, advice) : null);
  });
  if (beyond_ns) shown.push(el("p", {}, `Beyond it an access takes ${number(beyond_ns, 1)} ns. There the reach of translation (TLB) and a level that others share mix with the size: read no further level from the curve.`));
  return shown;
}
