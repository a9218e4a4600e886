// Page 3: a program, access by access.

// Most steps of a program that are shown: `MAX_STEPS` of the library.
const MOST_STEPS = 20000;
// Each question has its settings, guesses, of which the last is right, and what is counted: the misses and accesses `of`
// the steps `from` to `to`, before it says what happens.
const QUESTIONS = {
  stride: {
    title: "An array twice the cache: does it ever hit?",
    asks: "An array of 64 KiB is accessed at stride 8 KiB, three times. The cache has 32 KiB. What happens in the second pass?",
    settings: { kernel: "cm1", array: "64K", stride: "8K", passes: "3", size1: "32K", line1: "64", ways1: "8", at: "16" },
    guesses: ["Every element misses: the array is twice the cache.", "Every element hits."],
    from: 16, to: 32, of: ({ arrays: [x] }) => (x ? [x.misses, (x.hits + x.misses) / 2] : [0, 0]),
    tally: (misses, elements) => `Second pass, up to here: ${elements} elements, ${misses} misses.`,
    goOn: "Press ▶ to its end.",
    happens: "At stride 8 KiB every access of the second pass hits.",
    why: "64 KiB are twice this cache, yet only 8 lines of the array are touched. They all fall into set 0, whose 8 ways hold them all. Halve the stride: 16 lines compete for the same 8 ways, and every pass misses all of them.",
  },
  transposed: {
    title: "How often does a transposed matrix miss?",
    asks: "mm2 reads the transposed matrix tmp row by row, 2 bytes an element; a line has 64 bytes. How often does an access to tmp miss?",
    settings: { kernel: "mm2", n: "64", size1: "2K", line1: "64", ways1: "4", at: "8192" },
    guesses: ["Every time: the matrix is larger than the cache.", "Once in 32."],
    from: 8192, to: 8448, of: ({ arrays }) => { const { misses, hits } = arrays.find(({ name }) => name === "tmp") ?? { misses: 0, hits: 0 }; return [misses, hits + misses]; },
    tally: (misses, accesses) => `One row of tmp, up to here: ${accesses} accesses, ${misses} misses.`,
    goOn: "Press ▶, or ▶ miss, to the row’s end (step 8,448).",
    happens: "tmp misses about once in 32 accesses.",
    why: "tmp is walked row by row: one line of 64 bytes brings 32 elements of 2 bytes, so one access to it in 32 misses. In mm1 the inner loop jumps a whole row with each step, and every access to mul2 misses.",
  },
  power: {
    title: "Do rows of a power of two hurt?",
    asks: "A product of matrices with rows of 32 elements. Would rows of 36 elements, a little more data, miss less?",
    settings: { kernel: "mm1", n: "32", size1: "1K", line1: "16", ways1: "2", at: "200", kind: "conflict" },
    changed: "n", // the field that it asks to change
    guesses: ["Rows of 32 miss less: less data.", "Rows of 36 miss less."],
    from: 0, to: MOST_STEPS, of: ({ counts }) => [counts.conflict, counts.accesses],
    tally: (misses, accesses) => `Up to here: ${accesses} accesses, ${misses} conflict misses.`,
    goOn: "Go to the end (▶|).",
    happens: "Rows of 36 miss less. Change Rows and columns from 32 to 36, and watch the conflict misses.",
    why: "Rows of 32 elements are 64 bytes, four of this cache’s lines: the lines of a column of mul2 fall into every fourth set, 8 sets with 2 ways each, and 32 lines do not fit there though most of the cache is empty: conflict misses. Set rows and columns to 36: the same column spreads over all sets.",
  },
};
// Fields that are not of a question's settings.
const UNSET = ["preset", "guess", "at", "own"];
// Largest number of lines of a cache, and of ways, that can be shown.
const MOST_LINES = 4096;
const MOST_WAYS = 1024;
// In the order of their digits in `walked.outcomes`.
const OUTCOMES = ["hit", "compulsory", "capacity", "conflict"];
const outcomeText = outcome => (outcome === "hit" ? outcome : `${outcome} miss`);
// The counts in the order of thought.
const COUNTS = { accesses: "accesses", hits: "hits", compulsory: "compulsory misses", capacity: "capacity misses", conflict: "conflict misses", evictions: "evictions", write_backs: "write-backs" };
// Milliseconds from one step that play makes to the next.
const PLAY = 250;

function insidePage(section, write) {
  const text = (label, name, value, term) => field(label, el("input", { name, value, autocomplete: "off" }), { term });
  const hidden = (name, value = "") => el("input", { type: "hidden", name, value });
  const programs = { cm1: "cm1: an array, by stride", mm1: "mm1: a product of matrices", mm2: "mm2: one matrix transposed first", mm3: "mm3: in blocks of a line",
    ...Object.fromEntries(ORDERS.map(order => [`dgemm ${order}`, `dgemm, loops ${[...order].join(", ")}`])), own: "Your own accesses" };
  const form = el("form", { class: "controls" }, hidden("preset"), hidden("guess"),
    field("Program", select("kernel", Object.entries(programs), "mm1")),
    field("Your accesses", el("textarea", { name: "own", rows: 6, spellcheck: "false" }, "for pass in 0..2:\n  for i in 0..64 step 8:\n    load a[i]"), { hint: "Loops as in the example, with load and store." }),
    text("Rows and columns", "n", "32"), text("Array, like 64K", "array", "64K"), text("Stride, like 8K", "stride", "8K", "stride"), text("Passes", "passes", "3"),
    levelFields(1, false), hidden("at", "0"));
  const wrong = complaint();
  const range = el("input", { type: "range", min: 0, max: 0, value: 0, id: "step" });
  const press = (id, mark, label, click) => el("button", { type: "button", id, "aria-label": label, title: label, click }, mark);
  const go = (id, mark, label, to) => press(id, mark, label, () => { play(false); step(to()); });
  // The step that is shown. The field `at` has the one that the user chose, which may be
  // after the end of what is being typed.
  const at = () => Number(range.value);
  const kind = el("select", { "aria-label": "Which miss" }, ["any", "compulsory", "capacity", "conflict"].map(name => el("option", {}, name)));
  const said = el("p", { class: "said", role: "status" });
  const playing = el("button", { type: "button", id: "inside-play", click: () => play(!playing.next) }, "Play");
  const strip = el("canvas", { id: "strip", role: "img", "aria-label": "All steps by outcome; click one. The slider below does the same.", click: event => play(false) ||
    step(1 + Math.floor(walked.steps * event.offsetX / strip.clientWidth)) });
  const stepper = el("div", { class: "stepper" },
    el("div", { class: "buttons" },
      go("inside-first", "|◀", "To the beginning", () => 0), go("inside-back", "◀", "One step back", () => at() - 1),
      press("inside-half", "½", "Half a step: find the set and compare the tags", halfStep), go("inside-on", "▶", "One step on", () => at() + 1),
      press("inside-miss", "▶ miss", "To the next miss", nextMiss), kind, go("inside-last", "▶|", "To the end", () => walked.steps), playing),
    el("div", { class: "grow" }, strip, el("div", { class: "range" },
      el("label", { for: "step", class: "hidden-label" }, "Step"), range, el("small", { id: "step-at" }))),
    said);
  const key = el("p", { class: "key" }, OUTCOMES.map(name => el("span", { class: name }, outcomeText(name))));
  const view = el("div", { class: "inside" });
  const guesses = el("fieldset", { class: "guesses" });
  const address = el("input", { id: "probe", autocomplete: "off", spellcheck: "false", placeholder: "0x1000", input: probe });
  const probed = el("output", { for: "probe" });
  const after = el("div", {}, el("div", { class: "answer", id: "preset" }, el("p", { id: "guessed" }), el("p", { id: "tally", "aria-live": "polite" }),
    el("div", { id: "happens" }, el("p", {}), el("details", {}, el("summary", {}, "Why?"), el("p", { id: "preset-answer" }))),
    el("p", {}, "This was with the question’s settings.", " ", el("button", { type: "button", click: () => preset(form.elements.preset.value, form.elements.guess.value) }, "Back to them"))),
  wrong.box, stepper, el("div", { class: "under" }, key, el("p", { class: "probe" }, el("label", { for: "probe" }, "Try an address:"), address, probed)), view,
  el("p", { class: "soft", id: "preset-note" }));
  section.append(el("p", { class: "buttons", role: "group", "aria-label": "Three questions" }, Object.entries(QUESTIONS).map(([key, { title }]) =>
    el("button", { type: "button", click: () => preset(key) }, title))));
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
    const { settings } = QUESTIONS[key];
    restore(form, { ...settings, preset: key, guess });
    walk();
    kind.value = settings.kind ?? "any";
  }

  // The guesses of a question. The arrow keys move between them; the button takes one.
  function offer(key, guess) {
    guesses.dataset.key = key;
    const { asks, guesses: offered } = QUESTIONS[key];
    const take = el("button", { type: "button", disabled: guess === "", click: () => {
      form.elements.guess.value = guesses.querySelector(":checked").value;
      walk();
      byId("inside-on").focus(); // the guesses are gone
    } }, "That is my guess");
    guesses.replaceChildren(el("legend", {}, asks), ...[...offered, "I do not know yet."].map((text, i) => el("label", { class: "check" },
      el("input", { type: "radio", name: "guesses", value: i, checked: guess === String(i), change: () => { take.disabled = false; } }), text)), take);
  }

  // The question's guesses; its accesses are shown after one.
  function ask() {
    const [key, guess] = [form.elements.preset.value, form.elements.guess.value];
    const question = Object.hasOwn(QUESTIONS, key) && QUESTIONS[key];
    guesses.hidden = !question || guess !== "";
    after.hidden = question && guess === "";
    section.classList.toggle("stepping", !after.hidden);
    byId("preset").hidden = !question;
    if (!question) return;
    if (guesses.dataset.key !== key) offer(key, guess);
    const { title, settings, changed, guesses: offered, happens, why } = question;
    byId("guessed").replaceChildren(el("b", {}, title), offered[guess] ? ` Your guess: “${offered[guess]}”` : "");
    byId("preset-answer").textContent = why;
    const isMoved = ({ name, value, dataset: { initial } }) => name && ![...UNSET, changed].includes(name) && value !== (settings[name] ?? initial);
    const moved = [...form.elements].some(isMoved);
    byId("happens").firstElementChild.textContent = happens;
    byId("happens").firstElementChild.toggleAttribute("data-old", moved);
    byId("preset").lastElementChild.hidden = !moved;
  }

  // The misses and accesses of the question's steps, up to the present one; what happens is
  // shown after the last of them.
  function tally() {
    const { preset: { value: key }, guess: { value: guess } } = form.elements;
    if (!Object.hasOwn(QUESTIONS, key) || guess === "") return;
    const { from, to, of, tally, goOn } = QUESTIONS[key];
    const isMoved = !byId("preset").lastElementChild.hidden;
    const counted = to => of(core({ do: "step", at: within(to) }));
    walked.start ??= counted(from);
    const [misses, accesses] = (at() > to ? counted(to) : of(state)).map((count, i) => Math.max(0, count - walked.start[i]));
    if (at() >= to && !isMoved) ended[key] = guess;
    byId("tally").textContent = isMoved ? "" : at() < from ? `It is counted from step ${number(from, 0)} on.`
      : `${tally(number(misses, 0), number(accesses, 0))} ${at() < to ? goOn : ""}`;
    byId("happens").hidden = ended[key] !== guess;
  }

  function kernel() {
    const value = name => form.elements[name].value;
    const whole = (name, read = Number, is = "a whole number of 1 or more") => {
      const number = read(value(name));
      if (Number.isSafeInteger(number) && number >= 1) return number;
      throw new Error(`${form.elements[name].labels[0].textContent}: “${value(name)}” is not ${is}.`);
    };
    const size = name => whole(name, text => amountOf(text, BYTES), "a size of 1 byte or more: write bytes, or 8K, 64 KiB, 2M");
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
    follow(form);
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
      byId("preset-note").textContent = [uses.own && "An element has 4 bytes, as a C int. Arrays lie one after the other, each from a multiple of 64 bytes on.", walked.cut && `The program makes more accesses: the first ${number(walked.steps, 0)} are shown.`].filter(Boolean).join(" ");
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
    probed.textContent = !text ? "" : Number.isSafeInteger(typed) ? wouldDo(core({ do: "probe", at: at(), address: typed })) : "Write an address, as 4096 or 0x1000.";
  }

  function showStep(to, half = false) {
    to = within(to);
    isHalf = half;
    range.value = to;
    range.setAttribute("aria-valuetext", `Step ${to} of ${walked.steps}`);
    byId("step-at").textContent = `Step ${number(to, 0)} of ${number(walked.steps, 0)}`;
    try {
      state = core({ do: "step", at: to, half });
      said.textContent = half ? compared(state) : spoken(state);
      tally();
      drawStrip(strip, walked.outcomes, to);
      const stood = [...view.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
      view.replaceChildren(loopView(walked, state), addressView(state), setsView(walked, state, half), countsView(walked, state, before));
      probe();
      view.querySelectorAll(".scroll").forEach((box, i) => { [box.scrollLeft, box.scrollTop] = stood[i] ?? [0, 0]; });
      for (const part of view.querySelectorAll("mark, .touched, .now .same")) bring(part);
      thread(view, half ? "half" : state.step?.outcome);
      wrong.say();
    } catch (error) { wrong.say(error.message); }
    write(stateOf(form));
  }

  // Makes a step and waits for the next one, until the end or another press. It is not read out.
  function play(goes) {
    clearTimeout(playing.next);
    const ends = !goes || at() >= walked.steps || section.hidden || after.hidden;
    playing.next = ends ? undefined : setTimeout(() => { step(at() + 1); play(true); }, PLAY);
    playing.textContent = ends ? "Play" : "Pause";
    said.setAttribute("aria-live", ends ? "polite" : "off");
  }

  function nextMiss() {
    play(false);
    const wanted = outcome => (kind.value === "any" ? outcome !== "0" : OUTCOMES[outcome] === kind.value);
    for (let to = at(); to < walked.steps; to++) if (wanted(walked.outcomes[to])) return step(to + 1);
    said.textContent = `No ${kind.value === "any" ? "" : `${kind.value} `}miss after step ${number(at(), 0)}.`;
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
  const past = (low, high) => { const after = own[high] + 8 - seen[high]; return after > 0 ? after : Math.min(0, own[low] - 8 - seen[low]); };
  box.scrollLeft += past("left", "right");
  box.scrollTop += past("top", "bottom");
}

function spoken({ at, step }) {
  if (!step) return "Nothing has been accessed yet: the cache is empty.";
  const gone = step.evicted ? ` ${step.evicted} is evicted${step.written_back ? " and written back" : ""}.` : "";
  return `Step ${number(at, 0)}: ${step.store ? "store" : "load"} of ${step.element}: ${outcomeText(step.outcome)}.${gone}`;
}

// The half step: the set is found, and the tag of each of its ways is compared.
function compared({ at, step, sets }) {
  const { place, element, outcome } = step;
  const { ways, first } = sets.find(({ now }) => now);
  const way = ways.findIndex(way => way?.tag === place.tag);
  const found = way < 0 ? `None has it: a ${outcomeText(outcome)}.` : `Way ${first + way} has it: a hit.`;
  return `Step ${number(at + 1, 0)}, first half: ${element} is in set ${place.set}; its tag ${hex(place.tag)} is compared with those of all ways there. ${found}`;
}

const hex = tag => `0x${tag.toString(16)}`;

function wouldDo({ place, hit, full, evicts }) {
  const then = hit ? "hit" : `miss, ${evicts ? `which evicts ${evicts}` : full ? "which evicts a line drawn at random" : "whose line goes into an empty way"}`;
  return `Set ${place.set}, tag ${hex(place.tag)}, offset ${place.offset}: ${then}.`;
}

function loopView({ source, first, file }, { step }) {
  const indent = Math.min(...source.filter(line => line.trim()).map(line => line.search(/\S/)), 80);
  const lines = source.map(line => line.slice(indent)).map((line, i) => {
    const here = step?.line === first + i;
    const column = here ? step.column - 1 - indent : line.length;
    const end = here ? callLength(line.slice(column)) : 0;
    return el("li", { class: here ? "here" : null, "aria-current": here ? "step" : null },
      line.slice(0, column), end ? el("mark", {}, line.slice(column, column + end)) : null, line.slice(column + end));
  });
  const title = file ? `The loop (${file})` : "Your own accesses";
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

function addressView({ step }) {
  const place = step?.place;
  const part = (key, bits, value) => el("div", { class: `part ${key}` }, el("dt", {}, key),
    el("dd", {}, el("code", {}, bits || "–"), ` = ${value}`));
  return el("section", { class: "address" }, el("h3", {}, "The address"),
    el("p", {}, step ? `${step.element}: ${number(place.address, 0)} = ${hex(place.address)}` : "–"),
    step && el("dl", {}, part("tag", place.tag_bits, hex(place.tag)), part("set", place.set_bits, place.set), part("offset", place.offset_bits, place.offset)));
}

// The counts up to the present step and of all steps, each next to its value before the
// last change.
function countsView({ counts: all }, { counts, arrays }, before) {
  const ratio = ({ accesses, hits }) => (accesses ? number(1 - hits / accesses, 4) : "–");
  const cell = (now, was) => (was === undefined || was === now ? now : [now, el("small", {}, ` (before: ${was})`)]);
  const row = ([key, name]) => [name, ...[[counts, before?.counts], [all, before?.all]].map(([now, was]) => cell(number(now[key], 0), was && number(was[key], 0)))];
  return el("section", { class: "counts" }, el("h3", {}, "Counts"),
    table("Outcomes of the accesses", ["outcome", "up to this step", `all ${number(all.accesses, 0)} steps`],
      [...Object.entries(COUNTS).map(row), ["miss ratio", cell(ratio(counts), before && ratio(before.counts)), cell(ratio(all), before && ratio(before.all))]]),
    arrays.length ? table("By array", ["array", "hits", "misses", "miss ratio"],
      arrays.map(({ name, hits, misses }) => [name, number(hits, 0), number(misses, 0), number(misses / (hits + misses), 4)])) : null);
}

// Each set in use is a row of boxes, one for each way, with its line's tag and in the colour
// of its array. What is in a box is said under the pointer.
function setsView({ sets: all, replacement, arrays, tag_digits: digits }, { sets, used, holding, step }, half) {
  const most = 16; // boxes in a row
  const ways = Math.max(1, ...sets.map(set => set.ways.length));
  // The letters of arrays: the names if these are letters, else A, B, C ...
  const letters = arrays.every(name => name.length === 1) ? arrays : arrays.map((_, i) => String.fromCharCode(65 + i % 26));
  const detail = el("p", { class: "detail", "aria-hidden": "true" }, "Point at a box, or touch it, to read what is in it.");
  const content = way => (way ? [`${way.name}, tag ${hex(way.tag)}`, `number ${way.rank} by ${replacement === "fifo" ? "arrival" : "last use"}`,
    way.dirty && "dirty", way.next && "evicted next"].filter(Boolean).join(", ") : "empty");
  const box = (set, way, i) => {
    const text = `Set ${set.set}, way ${i}: ${content(way)}.`;
    const tell = () => { detail.textContent = text; };
    const compare = half && set.now && (way?.tag === step.place.tag ? "same" : "other");
    const marks = way ? [`array-${(way.array ?? 0) % 6}`, !half && way.touched && `touched ${step.outcome}`, way.next && "next", way.dirty && "dirty", compare] : ["empty", compare];
    return el("span", { class: ["way", ...marks].filter(Boolean).join(" "), role: "img", "aria-label": text, pointerenter: tell, pointerdown: tell },
      way ? [way.array === null ? null : el("b", {}, letters[way.array]), way.tag.toString(16)] : "");
  };
  // The evicted line leaves its set struck out; it is gone with the next step.
  const gone = set => (set.now && !half && step.evicted ? el("s", { class: "way gone", title: `${step.evicted} was evicted by this step` }, step.evicted_tag.toString(16)) : null);
  return el("section", { class: "sets", style: `--ways: ${Math.min(ways, most)}; --digits: ${digits}` }, el("h3", {}, "The sets in use"),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The sets in use" }, el("ul", {}, sets.map(set =>
      el("li", { class: set.now ? "now" : null }, el("span", {}, set.now ? `▶ ${set.set}` : String(set.set)), el("div", {}, set.ways.map((way, i) => box(set, way, set.first + i))), gone(set))))),
    el("p", { class: "key" }, arrays.map((name, i) => el("span", { class: `array-${i % 6}` }, letters[i] === name ? name : `${letters[i]} ${name}`)),
      el("span", { class: "next" }, "evicted next"), el("span", { class: "dirty" }, "dirty")),
    detail,
    el("p", { class: "soft" }, used > sets.length ? `Of ${used} sets in use, ${sets.length} are shown, around the one that is accessed. ` : "", "Each box is a way, with the tag of its line (hexadecimal). ",
      replacement === "random" ? "Which line a miss evicts is drawn at random." : "The marked line is the one that the next miss in its set evicts.", ` Sets with a line: ${holding} of ${all}.`));
}
