// Page 3: a program, access by access.

// Questions, each with its settings. Of the GUESSES the last is "I do not know", the one
// before it is right.
const PRESETS = {
  stride: { kernel: "cm1", array: "64K", stride: "8K", passes: "3", size1: "32K", line1: "64", ways1: "8", at: "16" },
  transposed: { kernel: "mm2", n: "64", size1: "2K", line1: "64", ways1: "4", at: "8192" },
  power: { kernel: "mm1", n: "32", size1: "1K", line1: "16", ways1: "2", at: "200", kind: "conflict" },
};
// Most steps of a program that are shown: `MAX_STEPS` of the library.
const MOST_STEPS = 20000;
// What is counted for a question: misses and accesses of these steps, before it says what happens.
const TALLIES = {
  stride: { from: 16, to: 32, of: ({ arrays: [x] }) => (x ? [x.misses, (x.hits + x.misses) / 2] : [0, 0]) },
  transposed: { from: 8192, to: 8448, of: ({ arrays }) => { const { misses, hits } = arrays.find(({ name }) => name === "tmp") ?? { misses: 0, hits: 0 }; return [misses, hits + misses]; } },
  power: { from: 0, to: MOST_STEPS, of: ({ counts }) => [counts.conflict, counts.accesses] },
};
// The field that a question asks to change; and fields that are not of its settings.
const CHANGED = { power: "n" };
const UNSET = ["preset", "guess", "at", "own"];
const GUESSES = 3;
// Largest number of lines of a cache, and of ways, that can be shown.
const MOST_LINES = 4096;
const MOST_WAYS = 1024;
// In the order of their digits in `walked.outcomes`.
const OUTCOMES = ["hit", "compulsory", "capacity", "conflict"];
// The counts in the order of thought.
const COUNTS = ["accesses", "hits", "compulsory", "capacity", "conflict", "evictions", "write_backs"];
// Milliseconds from one step that play makes to the next.
const PLAY = 250;

function insidePage(section, write) {
  const text = (key, name, value, term) => field(key, el("input", { name, value, autocomplete: "off" }), { term });
  const hidden = (name, value = "") => el("input", { type: "hidden", name, value });
  const programs = ["cm1", "mm1", "mm2", "mm3", ...ORDERS.map(order => `dgemm ${order}`)];
  const form = el("form", { class: "controls" }, hidden("preset"), hidden("guess"),
    field("inside-kernel", select("kernel", [...programs.map(name => [name, name.startsWith("dgemm ") ? t("kernel-dgemm", [...name.slice(6)].join(", ")) : t(`kernel-${name}`)]), ["own", t("inside-own")]], "mm1")),
    field("inside-text", el("textarea", { name: "own", rows: 6, spellcheck: "false" }, t("inside-own-first")), { hint: t("inside-own-hint") }),
    text("inside-n", "n", "32"), text("inside-array", "array", "64K"), text("inside-stride", "stride", "8K", "stride"), text("inside-passes", "passes", "3"),
    levelFields(1, false), hidden("at", "0"));
  const wrong = complaint();
  const range = el("input", { type: "range", min: 0, max: 0, value: 0, id: "step" });
  const go = (key, mark, to) => el("button", { type: "button", "aria-label": t(key), title: t(key), id: key, click: () => { play(false); step(to()); } }, mark);
  // The step that is shown. The field `at` has the one that the user chose, which may be
  // after the end of what is being typed.
  const at = () => Number(range.value);
  const kind = el("select", { "aria-label": t("inside-kind") }, ["any", "compulsory", "capacity", "conflict"].map(name =>
    el("option", { value: name }, t(`inside-kind-${name}`))));
  const said = el("p", { class: "said", role: "status" });
  const playing = el("button", { type: "button", id: "inside-play", click: () => play(!playing.next) }, t("inside-play"));
  const strip = el("canvas", { id: "strip", role: "img", "aria-label": t("inside-strip"), click: event => play(false) ||
    step(1 + Math.floor(walked.steps * event.offsetX / strip.clientWidth)) });
  const stepper = el("div", { class: "stepper" },
    el("div", { class: "buttons" },
      go("inside-first", "|◀", () => 0), go("inside-back", "◀", () => at() - 1), el("button", { type: "button", "aria-label": t("inside-half"), title: t("inside-half"), id: "inside-half", click: halfStep }, "½"), go("inside-on", "▶", () => at() + 1),
      el("button", { type: "button", "aria-label": t("inside-miss"), title: t("inside-miss"), id: "inside-miss", click: nextMiss }, "▶ miss"),
      kind, go("inside-last", "▶|", () => walked.steps), playing),
    el("div", { class: "grow" }, strip, el("div", { class: "range" },
      el("label", { for: "step", class: "hidden-label" }, t("inside-slider")), range, el("small", { id: "step-at" }))),
    said);
  const key = el("p", { class: "key" }, OUTCOMES.map(name => el("span", { class: name }, t(`inside-${name}`))));
  const view = el("div", { class: "inside" });
  const guesses = el("fieldset", { class: "guesses" });
  const address = el("input", { id: "probe", autocomplete: "off", spellcheck: "false", placeholder: "0x1000", input: probe });
  const probed = el("output", { for: "probe" });
  const after = el("div", {}, el("div", { class: "answer", id: "preset" }, el("p", { id: "guessed" }), el("p", { id: "tally", "aria-live": "polite" }),
    el("div", { id: "happens" }, el("p", {}), el("details", {}, el("summary", {}, t("inside-why")), el("p", { id: "preset-answer" }))),
    el("p", {}, t("inside-moved"), " ", el("button", { type: "button", click: () => preset(form.elements.preset.value, form.elements.guess.value) }, t("inside-return")))),
  wrong.box, stepper, el("div", { class: "under" }, key, el("p", { class: "probe" }, el("label", { for: "probe" }, t("inside-probe")), address, probed)), view,
  el("p", { class: "soft", id: "preset-note" }));
  section.append(el("p", { class: "buttons", role: "group", "aria-label": t("inside-presets") }, Object.keys(PRESETS).map(key =>
    el("button", { type: "button", click: () => preset(key) }, t(`inside-preset-${key}`)))));
  section.append(el("div", { class: "split" }, form, el("div", { class: "results" }, guesses, after)));
  useAsDefaults(form);
  form.isPossible = () => {
    const first = isMachine(form, false)?.levels[0];
    const lines = first?.size / first?.line;
    return lines <= MOST_LINES && first.ways <= MOST_WAYS && Number.isInteger(Math.log2(lines / first.ways));
  };
  let walked = { steps: 0 };
  let state;  // after the present step
  let isHalf = false; // whether the next access is shown, compared with the tags of its set
  const ended = {}; // the guess with which a question's steps were seen to their end
  let before; // counts before the last change: { program, counts, all }
  let changedAt = 0;
  let entered; // the counts when a text field got the focus
  const now = () => state && { program: walked.program, counts: state.counts, all: walked.counts };

  function preset(key, guess = "") {
    guesses.dataset.key = ""; // asked anew
    restore(form, { ...PRESETS[key], preset: key, guess });
    walk();
    kind.value = PRESETS[key].kind ?? "any";
  }

  // The guesses of a question. The arrow keys move between them; the button takes one.
  function offer(key, guess) {
    guesses.dataset.key = key;
    const chosen = () => guesses.querySelector(":checked");
    const take = el("button", { type: "button", disabled: guess === "", click: () => {
      form.elements.guess.value = chosen().value;
      walk();
      byId("inside-on").focus(); // the guesses are gone
    } }, t("inside-guess-take"));
    guesses.replaceChildren(el("legend", {}, t(`inside-ask-${key}`)), ...Array.from({ length: GUESSES }, (_, i) => el("label", { class: "check" },
      el("input", { type: "radio", name: "guesses", value: i, checked: guess === String(i), change: () => { take.disabled = false; } }),
      t(i === GUESSES - 1 ? "inside-guess-none" : `inside-guess-${key}-${i}`))), take);
  }

  // The question's guesses; its accesses are shown after one.
  function ask() {
    const [key, guess] = [form.elements.preset.value, form.elements.guess.value];
    const asks = Object.hasOwn(PRESETS, key);
    guesses.hidden = !asks || guess !== "";
    after.hidden = asks && guess === "";
    section.classList.toggle("stepping", !after.hidden);
    byId("preset").hidden = !asks;
    if (!asks) return;
    if (guesses.dataset.key !== key) offer(key, guess);
    byId("guessed").replaceChildren(el("b", {}, t(`inside-preset-${key}`)), guess < GUESSES - 1 ? ` ${t("inside-guessed", t(`inside-guess-${key}-${guess}`))}` : "");
    byId("happens").firstElementChild.textContent = t(`inside-happens-${key}`);
    byId("preset-answer").textContent = t(`inside-answer-${key}`);
    const isMoved = ({ name, value, dataset: { initial } }) => name && ![...UNSET, CHANGED[key]].includes(name) && value !== (PRESETS[key][name] ?? initial);
    const moved = [...form.elements].some(isMoved);
    byId("happens").firstElementChild.toggleAttribute("data-old", moved);
    byId("preset").lastElementChild.hidden = !moved;
  }

  // The misses and accesses of the question's steps, up to the present one; what happens is
  // shown after the last of them.
  function tally() {
    const { preset: { value: key }, guess: { value: guess } } = form.elements;
    if (!Object.hasOwn(PRESETS, key) || guess === "") return;
    const { from, to, of } = TALLIES[key];
    const isMoved = !byId("preset").lastElementChild.hidden;
    const counted = to => of(core({ do: "step", at: within(to) }));
    walked.start ??= counted(from);
    const [misses, accesses] = (at() > to ? counted(to) : of(state)).map((count, i) => Math.max(0, count - walked.start[i]));
    if (at() >= to && !isMoved) ended[key] = guess;
    byId("tally").textContent = isMoved ? "" : at() < from ? t("inside-tally-before", number(from, 0))
      : `${t(`inside-tally-${key}`, number(misses, 0), number(accesses, 0))} ${at() < to ? t(`inside-to-${key}`) : ""}`;
    byId("happens").hidden = ended[key] !== guess;
  }

  function kernel() {
    const value = name => form.elements[name].value;
    const whole = (name, read = Number, wrong = "inside-whole") => {
      const number = read(value(name));
      if (!Number.isSafeInteger(number) || number < 1) throw new Error(t(wrong, t(`inside-${name}`), value(name)));
      return number;
    };
    const size = name => whole(name, text => amountOf(text, BYTES), "inside-size");
    const name = value("kernel");
    if (name === "cm1") return { name, size: size("array"), stride: size("stride"), passes: whole("passes") };
    const { kernel } = missRequest(name, whole("n"), "");
    // A line that is no size is refused with its machine.
    return name === "mm3" ? { ...kernel, line: amountOf(value("line1"), BYTES) || 64 } : kernel;
  }

  function walk() {
    const { kernel: { value: program }, own } = form.elements;
    const uses = { n: !["cm1", "own"].includes(program), own: program === "own", array: program === "cm1", stride: program === "cm1", passes: program === "cm1" };
    for (const [name, used] of Object.entries(uses)) form.elements[name].closest(".field").hidden = !used;
    byId("preset-note").textContent = "";
    ask();
    for (const control of form.elements) if (control.name) control.dispatchEvent(new Event("follow"));
    try {
      const toml = machineToml(form, false);
      const request = uses.own ? { do: "loops", toml, text: own.value } : { do: "walk", toml, kernel: kernel() };
      const next = { program, replacement: form.elements.replacement1.value, ...core(request) };
      if (uses.own) next.source = own.value.split("\n");
      if (entered) before = entered;
      else if (performance.now() - changedAt > 1000) before = now();
      changedAt = performance.now();
      walked = next;
      if (before?.program !== program) before = undefined;
      range.max = walked.steps;
      byId("preset-note").textContent = [uses.own && t("inside-placed"), walked.cut && t("inside-only", number(walked.steps, 0))].filter(Boolean).join(" ");
      showStep(form.elements.at.value);
      complaintOf(form, false);
      view.removeAttribute("data-old");
    } catch (error) {
      view.setAttribute("data-old", ""); // not of these fields
      wrong.say(complaintOf(form, false, error));
    }
  }

  const within = to => Math.min(walked.steps, Math.max(0, Math.round(to) || 0));
  function step(to) {
    form.elements.at.value = within(to);
    showStep(to);
  }

  // Shows the next access, compared with the tags of its set; a second press makes the step.
  function halfStep() {
    play(false);
    if (isHalf || at() >= walked.steps) return step(at() + 1);
    showStep(at(), true);
  }

  // What an access to the typed address would do now.
  function probe() {
    const text = address.value.trim();
    const typed = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : NaN;
    probed.textContent = !text ? "" : Number.isSafeInteger(typed) ? wouldDo(core({ do: "probe", at: at(), address: typed })) : t("inside-probe-wrong");
  }

  function showStep(to, half = false) {
    to = within(to);
    isHalf = half;
    range.value = to;
    range.setAttribute("aria-valuetext", t("inside-go", to, walked.steps));
    byId("step-at").textContent = t("inside-go", number(to, 0), number(walked.steps, 0));
    try {
      state = core({ do: "step", at: to, half });
      said.textContent = half ? compared(state) : spoken(state);
      tally();
      drawStrip(strip, walked.outcomes, to);
      const stood = [...view.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
      view.replaceChildren(...insideView(walked, state, before, half));
      probe();
      view.querySelectorAll(".scroll").forEach((box, i) => { [box.scrollLeft, box.scrollTop] = stood[i] ?? [0, 0]; });
      for (const part of view.querySelectorAll("mark, .touched, .now .same")) bring(part);
      thread(view, half ? "half" : state.step?.outcome);
      section.dataset.state = JSON.stringify(state);
      wrong.say();
    } catch (error) { wrong.say(error.message); }
    write(stateOf(form));
  }

  // Makes a step and waits for the next one, until the end or another press. It is not read out.
  function play(goes) {
    clearTimeout(playing.next);
    const ends = !goes || at() >= walked.steps || section.hidden || after.hidden;
    playing.next = ends ? undefined : setTimeout(() => { step(at() + 1); play(true); }, PLAY);
    playing.textContent = t(ends ? "inside-play" : "inside-pause");
    said.setAttribute("aria-live", ends ? "polite" : "off");
  }

  function nextMiss() {
    play(false);
    const wanted = outcome => (kind.value === "any" ? outcome !== "0" : OUTCOMES[outcome] === kind.value);
    for (let to = at(); to < walked.steps; to++) if (wanted(walked.outcomes[to])) return step(to + 1);
    said.textContent = t("inside-none", kind.value === "any" ? "" : `${t(`inside-kind-${kind.value}`)} `, number(at(), 0));
  }

  new ResizeObserver(() => { if (walked.steps) { drawStrip(strip, walked.outcomes, at()); thread(view, state?.step?.outcome); } }).observe(strip);
  view.addEventListener("scroll", () => thread(view, state?.step?.outcome), true);
  range.addEventListener("input", () => { play(false); step(range.value); });
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("focusin", ({ target }) => { entered = target.matches("input:not([type=range]), textarea") ? now() : undefined; });
  form.addEventListener("focusout", () => { entered = undefined; });
  form.addEventListener("input", ({ target }) => {
    if (target.name === "kernel") form.elements.preset.value = ""; // the question is of another program
    walk();
  });
  return { restore(state) {
    if (!Object.keys(state).length) return preset("stride");
    guesses.dataset.key = "";
    restore(form, state);
    walk();
  } };
}

// All steps from left to right, each in the colour of its outcome; where several share a
// pixel, each outcome has its part of the height. A line marks the present step.
function drawStrip(canvas, outcomes, at) {
  const [width, height] = [canvas.width = canvas.clientWidth, canvas.height = canvas.clientHeight];
  const [paint, style] = [canvas.getContext("2d"), getComputedStyle(canvas)];
  for (let x = 0; x < width; x++) {
    const from = Math.floor(x * outcomes.length / width);
    const part = outcomes.slice(from, Math.max(from + 1, Math.floor((x + 1) * outcomes.length / width)));
    let top = height;
    for (const [outcome, name] of OUTCOMES.entries()) {
      const high = height * (part.split(outcome).length - 1) / part.length;
      paint.fillStyle = style.getPropertyValue(`--${name}`);
      paint.fillRect(x, top -= high, 1, high);
    }
  }
  paint.fillStyle = style.color;
  if (at) paint.fillRect(Math.min(width - 2, (at - 0.5) * width / outcomes.length - 1), 0, 3, height);
}

// A line from the access in the loop to the bits that pick its set, and to its box.
function thread(view, outcome) {
  view.querySelector(".thread")?.remove();
  const parts = ["mark", ".part.set", outcome === "half" ? ".now .way" : ".touched"].map(part => view.querySelector(part));
  if (!parts.every(Boolean)) return;
  const { left, top } = view.getBoundingClientRect();
  const isSeen = parts.every(part => {
    const [own, box] = [part, part.closest(".scroll") ?? view].map(part => part.getBoundingClientRect());
    return own.bottom > box.top && own.top < box.bottom;
  });
  if (!isSeen) return;
  const [from, set, box] = parts.map(part => part.getBoundingClientRect());
  const [x, y] = [from.right - left, (from.top + from.bottom) / 2 - top];
  const [below, gutter] = [set.bottom - top, view.querySelector(".address").getBoundingClientRect().left - left - 10];
  const [boxX, boxY] = [(box.left + box.right) / 2 - left, box.top - top];
  const middle = (set.left + set.right) / 2 - left;
  view.insertAdjacentHTML("beforeend", `<svg class="thread ${outcome}" aria-hidden="true"><path d="M${x},${y}C${gutter},${y} ${gutter},${y} ${gutter},${(y + below) / 2}S${gutter},${below + 8} ${gutter + 20},${below + 8}H${middle - 8}Q${middle},${below + 8} ${middle},${below}C${middle},${below + 30} ${boxX},${boxY - 30} ${boxX},${boxY}"/></svg>`);
}

// Scrolls the marked element into the visible part of its box; the page does not scroll.
function bring(part) {
  const box = part.closest(".scroll");
  const [own, seen] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
  const room = 8;
  const past = (low, high) => { const after = own[high] + room - seen[high]; return after > 0 ? after : Math.min(0, own[low] - room - seen[low]); };
  box.scrollLeft += past("left", "right");
  box.scrollTop += past("top", "bottom");
}

function spoken({ at, step }) {
  if (!step) return t("inside-start");
  const gone = step.evicted ? t(step.written_back ? "inside-written" : "inside-evicted", step.evicted) : "";
  return t("inside-said", number(at, 0), t(step.store ? "inside-store" : "inside-load"), step.element, t(`inside-${step.outcome}`)) + gone;
}

// The half step: the set is found, and the tag of each of its ways is compared.
function compared({ at, step, sets }) {
  const { place, element, outcome } = step;
  const { ways, first } = sets.find(({ now }) => now);
  const way = ways.findIndex(way => way?.tag === place.tag);
  return t("inside-compared", number(at + 1, 0), element, place.set, hex(place.tag), way < 0 ? t("inside-compared-none", t(`inside-${outcome}`)) : t("inside-compared-one", first + way));
}

const hex = tag => `0x${tag.toString(16)}`;

function wouldDo({ place, hit, full, evicts }) {
  const then = hit ? t("inside-hit") : t(evicts ? "inside-would-evict" : full ? "inside-would-random" : "inside-would-fill", evicts);
  return t("inside-would", place.set, hex(place.tag), place.offset, then);
}

function insideView(walked, state, before, half) {
  const { step, counts, arrays } = state;
  return [loopView(walked, step), addressView(step?.place, step?.element), setsView(walked, state, half), countsView(walked, counts, arrays, before)];
}

function loopView({ source, first, file }, step) {
  const indent = Math.min(...source.filter(line => line.trim()).map(line => line.search(/\S/)), 80);
  const lines = source.map(line => line.slice(indent)).map((line, i) => {
    const here = step?.line === first + i;
    const column = here ? step.column - 1 - indent : line.length;
    const end = here ? callLength(line.slice(column)) : 0;
    return el("li", { class: here ? "here" : null, "aria-current": here ? "step" : null },
      line.slice(0, column), end ? el("mark", {}, line.slice(column, column + end)) : null, line.slice(column + end));
  });
  const title = file ? t("inside-loop", file) : t("inside-own");
  return el("section", { class: "loop" }, el("h3", {}, title),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, el("ol", { start: first }, lines)));
}

// Length of the call at the start of `text`: `load(mul1.at(i, k))`, or `load a[i]`.
function callLength(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    depth += { "(": 1, ")": -1 }[text[i]] ?? 0;
    if (depth === 0 && ")]".includes(text[i])) return i + 1;
  }
  return text.length;
}

function addressView(place, element) {
  const part = (key, bits, value) => el("div", { class: `part ${key}` }, el("dt", {}, t(`inside-${key}`)),
    el("dd", {}, el("code", {}, bits || "–"), ` = ${value}`));
  return el("section", { class: "address" }, el("h3", {}, t("inside-address")),
    place ? [el("p", {}, `${element}: ${number(place.address, 0)} = ${hex(place.address)}`),
      el("dl", {}, part("tag", place.tag_bits, hex(place.tag)), part("set", place.set_bits, place.set), part("offset", place.offset_bits, place.offset))]
      : el("p", {}, "–"));
}

// The counts up to the present step and of all steps, each next to its value before the
// last change.
function countsView({ counts: all }, counts, arrays, before) {
  const ratio = ({ accesses, hits }) => (accesses ? number(1 - hits / accesses, 4) : "–");
  const cell = (now, was) => (was === undefined || was === now ? now : [now, el("small", {}, ` ${t("inside-was", was)}`)]);
  const row = key => [t(`count-${key}`), ...[[counts, before?.counts], [all, before?.all]].map(([now, was]) => cell(number(now[key], 0), was && number(was[key], 0)))];
  return el("section", { class: "counts" }, el("h3", {}, t("inside-counts")),
    table(t("inside-counts-of"), [t("inside-outcome"), t("inside-so-far"), t("inside-all", number(all.accesses, 0))],
      [...COUNTS.map(row), [t("inside-ratio"), cell(ratio(counts), before && ratio(before.counts)), cell(ratio(all), before && ratio(before.all))]]),
    arrays.length ? table(t("inside-arrays"), [t("any-array"), t("count-hits"), t("inside-misses"), t("inside-ratio")],
      arrays.map(({ name, hits, misses }) => [name, number(hits, 0), number(misses, 0), number(misses / (hits + misses), 4)])) : null);
}

// Each set in use is a row of boxes, one for each way, with its line's tag and in the colour
// of its array. What is in a box is said under the pointer.
function setsView({ sets: all, replacement, arrays, tag_digits: digits }, { sets, used, holding, step }, half) {
  const most = 16; // boxes in a row
  const ways = Math.max(1, ...sets.map(set => set.ways.length));
  // The letters of arrays: the names if these are letters, else A, B, C ...
  const letters = arrays.every(name => name.length === 1) ? arrays : arrays.map((_, i) => String.fromCharCode(65 + i % 26));
  const detail = el("p", { class: "detail", "aria-hidden": "true" }, t("inside-detail"));
  const content = way => (way ? [`${way.name}, ${t("inside-tag")} ${hex(way.tag)}`, t(`inside-order-${replacement === "fifo" ? "fifo" : "used"}`, way.rank),
    way.dirty && t("inside-dirty"), way.next && t("inside-evicted-next")].filter(Boolean).join(", ") : t("inside-empty"));
  const box = (set, way, i) => {
    const text = t("inside-box", set.set, i, content(way));
    const tell = () => { detail.textContent = text; };
    const compare = half && set.now && (way?.tag === step.place.tag ? "same" : "other");
    const marks = way ? [`array-${(way.array ?? 0) % 6}`, !half && way.touched && `touched ${step.outcome}`, way.next && "next", way.dirty && "dirty", compare] : ["empty", compare];
    return el("span", { class: ["way", ...marks].filter(Boolean).join(" "), role: "img", "aria-label": text, pointerenter: tell, pointerdown: tell },
      way ? [way.array === null ? null : el("b", {}, letters[way.array]), way.tag.toString(16)] : "");
  };
  // The evicted line leaves its set struck out; it is gone with the next step.
  const gone = set => (set.now && !half && step.evicted ? el("s", { class: "way gone", title: t("inside-gone", step.evicted) }, step.evicted_tag.toString(16)) : null);
  return el("section", { class: "sets", style: `--ways: ${Math.min(ways, most)}; --digits: ${digits}` }, el("h3", {}, t("inside-sets")),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("inside-sets") }, el("ul", {}, sets.map(set =>
      el("li", { class: set.now ? "now" : null }, el("span", {}, set.now ? `▶ ${set.set}` : String(set.set)), el("div", {}, set.ways.map((way, i) => box(set, way, set.first + i))), gone(set))))),
    el("p", { class: "key" }, arrays.map((name, i) => el("span", { class: `array-${i % 6}` }, letters[i] === name ? name : `${letters[i]} ${name}`)),
      el("span", { class: "next" }, t("inside-evicted-next")), el("span", { class: "dirty" }, t("inside-dirty"))),
    detail,
    el("p", { class: "soft" }, used > sets.length ? `${t("inside-window", sets.length, used)} ` : "", t("inside-sets-note", holding, all, t(`inside-next-${replacement === "random" ? "random" : "known"}`))));
}
