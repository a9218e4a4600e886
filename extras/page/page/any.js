// Page 2: any machine, its curves, and the misses of the products.
const ORDERS = ["ijk", "jik", "ikj", "kij", "jki", "kji"];
const PRODUCTS = ["mm1", "mm2", "mm3", ...ORDERS.map(order => `dgemm ${order}`)].map(name => [name, name]);

// What is on the vertical axis of the curves.
const showSelect = levels => select("show", [...levels.map(level => [String(level), `misses of L${level} (program cm1)`]), ["time", "time of an access (program spark)"]], "1");

const shownBy = ({ value }) => (value === "time" ? value : { misses: { level: Number(value) } });

// The request that counts the misses of a program at size `n`.
function missRequest(program, n, toml) {
  const [name, order] = program.split(" ");
  return { do: "misses", toml, kernel: { name, n, ...(order ? { order } : {}), ...(name === "mm3" ? { line: 64 } : {}) } };
}

function anyPage(section, write) {
  const catalogue = core({ do: "catalogue" });
  const mine = el("option", { value: "mine", hidden: true }, "this computer, measured");
  let measured; // the text of a sweep
  const wrong = complaint();
  const file = fileInput(".json,.csv,.out,.txt", wrong, text => { core({ do: "read", text, sizes: [] }); lay(text); });
  const forget = el("button", { type: "button", hidden: true, click: () => lay(undefined) }, "Remove the measured sweep");
  const toml = el("textarea", { rows: 12, spellcheck: "false", id: "toml" });
  const form = el("form", { class: "controls" },
    field("Machine", select("machine", [...catalogue.map(({ name, description }) => [name, `${description}, ${name}`]), ["own", "as set below"]], "i5-7500")),
    field("Curves", showSelect([1, 2, 3])),
    field("Largest array", select("max", ["64K", "128K", "256K", "512K", "1M", "2M", "4M"].map(size => [size, size]), "64K")),
    machineFields(),
    field("Your measured sweep", file, { hint: "A record of the programs cm1 or spark, or the curves that “This computer” saved; drawn over the model’s curves." }), forget);
  form.elements.machine.prepend(mine);
  const odd = el("p", { class: "soft" });
  const box = pictureBox("Curves of the machine");
  const reading = el("details", {}, el("summary", {}, "What the curves alone show"), el("div"));
  const importing = el("details", {}, el("summary", {}, "The description (TOML)"),
    field("Load a description", fileInput(".toml,.txt", wrong, text => use(text))), el("label", { for: "toml", class: "hidden-label" }, "The description (TOML)"), toml,
    el("p", { class: "buttons" },
      el("button", { type: "button", click: () => use(toml.value) }, "Use this text"),
      el("button", { type: "button", click: () => download("machine.toml", toml.value, "text/plain") }, "Save it")));
  const waiting = el("p", { class: "buttons waiting", hidden: true }, el("progress", { "aria-label": "Computing the curves …" }),
    el("button", { type: "button", click: () => helper?.stop() }, "Stop"));
  section.append(el("div", { class: "split" }, form,
    el("div", { class: "results" }, wrong.box, waiting, box, odd, reading, importing, products(() => current()))));
  useAsDefaults(form);
  form.isPossible = () => isMachine(form, true) !== undefined;
  // On narrow screens the chart stays visible as long as the sliders are.
  new IntersectionObserver(([seen]) => box.classList.toggle("stays", seen.isIntersecting), { rootMargin: "-45% 0px 0px" }).observe(form);

  let given;       // a description that the fields do not say whole
  let typing = false; // the description's box has what is not used yet
  let helper;
  let drawing = false;
  let again = false;
  let shown = ""; // the request of the chart that is shown

  function current() {
    const name = form.elements.machine.value;
    if (name === "own") return given ?? machineToml(form);
    if (name === "mine") return ownMachine().toml;
    return catalogue.find(entry => entry.name === name).toml;
  }

  function use(text) {
    try {
      const machine = core({ do: "machine", toml: text });
      if (machine.sealed) throw new Error("This description is sealed: open it on the page “The mystery”.");
      form.elements.machine.value = "own";
      fillMachine(form, machine);
      given = text;
      typing = false;
      changed();
    } catch (error) { wrong.say(error.message); }
  }

  // A worker computes all but small sweeps. Those of a random policy never repeat themselves,
  // and take minutes. Of several waiting changes only the last one is used; it stops a sweep
  // that takes long.
  async function draw() {
    if (drawing) {
      again = true;
      if (!waiting.hidden) helper?.stop();
      return;
    }
    drawing = true;
    let late;
    const { max, show } = form.elements;
    const request = { do: "sweep", toml: current(), show: shownBy(show), min: 8192, max: amountOf(max.value), measured, ...shape(box) };
    const asked = JSON.stringify(request);
    if (asked === shown && !box.hasAttribute("data-old")) { drawing = false; return; }
    try {
      const quick = request.max <= 64 * KIB && !request.toml.includes('"random"');
      box.toggleAttribute("aria-busy", !quick);
      if (!quick) late = setTimeout(() => { waiting.hidden = false; if (again) helper?.stop(); }, 500);
      const drawn = quick ? core(request) : await (helper ??= new Helper()).ask(request);
      const before = box.querySelector("svg:not(.before)");
      picture(box, drawn.svg, title => sweepTable(drawn.record, title, pointLink), pointAt);
      shadow(box, before);
      shown = asked;
      box.removeAttribute("data-old");
      complaintOf(form, true);
      reading.lastElementChild.replaceChildren(...argument(drawn.answer));
      wrong.say();
    } catch (error) {
      box.setAttribute("data-old", ""); // the chart is not of these fields
      if (error.stopped) helper = undefined;
      if (!error.stopped || !again) wrong.say(form.elements.machine.value === "own" && !given ? complaintOf(form, true, error) : error.message);
    }
    clearTimeout(late);
    waiting.hidden = true;
    box.removeAttribute("aria-busy");
    drawing = false;
    if (again) { again = false; requestAnimationFrame(draw); }
  }

  // The cause of a point, for the level that is shown.
  const pointAt = (size, stride) => pointOf(size, stride, form, Number(form.elements.show.value) || 1);

  // A number of the chart that opens "Inside a cache" with its array and stride.
  function pointLink(size, stride, text) {
    const point = pointAt(size, stride);
    return point ? el(point.href ? "a" : "span", { href: point.href, title: point.reason }, text) : text;
  }

  function changed() {
    tidyMachine(form);
    const { level, sets } = isMachine(form, true)?.levels.map(({ size, line, ways }, i) => ({ level: i + 1, sets: size / line / ways }))
      .find(({ sets }) => !Number.isInteger(Math.log2(sets))) ?? {};
    odd.textContent = level ? `Level ${level} has ${sets} sets, no power of two: its set is a remainder, not bits of the address, and “Inside a cache” cannot show it.` : "";
    const { show, levels } = form.elements;
    for (const option of show.options) option.disabled = Number(option.value) > levels.value;
    if (show.selectedOptions[0].disabled) show.value = levels.value;
    if (!typing) toml.value = current();
    const state = Object.entries(stateOf(form));
    const own = form.elements.machine.value === "own"; // else its name says all fields
    const fields = state.filter(([name]) => own || ["machine", "show", "max"].includes(name));
    write({ ...Object.fromEntries(fields), ...(given && { toml: given }) });
    draw();
  }

  function lay(text) {
    measured = text;
    forget.hidden = !text;
    draw();
  }
  anyPage.lay = text => { form.elements.show.value = "time"; form.elements.max.value = "256K"; lay(text); changed(); };

  form.addEventListener("submit", event => event.preventDefault());
  toml.addEventListener("input", () => { typing = toml.value.trim() !== ""; });
  form.addEventListener("input", ({ target }) => {
    if (target.type === "file") return;
    if (["show", "max"].includes(target.name)) return changed();
    const whole = given && core({ do: "machine", toml: given });
    if (whole && target.name !== "machine" && (whole.levels.length > 3 || whole.tlbs.length > 2)) {
      fillMachine(form, whole);
      return wrong.say("This description has more levels than there are fields: change its text below.");
    }
    if (target.name === "machine") {
      if (target.value !== "own") fillMachine(form, core({ do: "machine", toml: current() }));
    } else if (target.name) form.elements.machine.value = "own";
    given = undefined;
    changed();
  });
  return {
    restore(state) {
      mine.hidden = mine.disabled = !ownMachine();
      restore(form, mine.hidden && state.machine === "mine" ? {} : state);
      given = state.toml;
      try {
        if (given) fillMachine(form, core({ do: "machine", toml: given }));
      } catch { given = undefined; } // an address that was typed
      if (form.elements.machine.value !== "own") fillMachine(form, core({ do: "machine", toml: current() }));
      changed();
    },
  };
}

// Why a point of a curve is where it is, and the address of "Inside a cache" that shows its
// accesses from the second pass on. The cache is that of `level` in the form, or the first
// where that is too large to be shown.
function pointOf(size, stride, form, level) {
  const value = name => form.elements[name + level]?.value;
  let [bytes, line, ways] = ["size", "line", "ways"].map(name => amountOf(value(name) ?? ""));
  if (bytes / line > MOST_LINES && level > 1) return pointOf(size, stride, form, 1);
  if (ways === Infinity) ways = bytes / line;
  const sets = bytes / line / ways;
  if (!Number.isInteger(Math.log2(sets)) || ways > MOST_WAYS) return undefined;
  const lines = Math.ceil(size / Math.max(stride, line));
  const used = Math.min(lines, sets / gcd(Math.max(1, Math.floor(stride / line)), sets));
  const fields = ["size", "line", "ways", "replacement", "write", "allocate"].map(name => [`${name}1`, value(name)]);
  const reason = `${many("line", lines)} in ${many("set", used)} of ${many("way", ways)}`;
  return { ...opens(size, stride, Object.fromEntries(fields), reason), inset: { size, stride, line, ways, sets } };
}

// A point with its reason and the address of "Inside a cache" at the second pass over its
// array, with these fields of its cache; where no step of that pass is shown, the reason
// says so, and there is no address.
function opens(size, stride, fields, reason) {
  const at = 2 * Math.floor(size / stride) + 1;
  const said = (...all) => all.filter(Boolean).join("; ");
  if (at > MOST_STEPS) return { reason: said(reason, `its second pass begins after the ${number(MOST_STEPS, 0)} steps that can be shown`) };
  const state = { kernel: "cm1", array: sizeText(size), stride: sizeText(stride), passes: 3, ...fields, at };
  return { reason, href: `#inside?${new URLSearchParams(state)}` };
}
const gcd = (a, b) => (b ? gcd(b, a % b) : a);

// Shows the curves of `before` in grey behind the new ones, if their axes are the same.
function shadow(box, before) {
  const now = box.querySelector("svg");
  const axes = svg => [...svg.querySelectorAll("text")].map(text => text.textContent.trim()).filter(text => text.length < 12).join();
  if (!before || before.outerHTML === now.outerHTML || axes(before) !== axes(now)) return;
  before.setAttribute("class", "before"); // a picture: the script of charts gives it no focus and no points
  before.setAttribute("aria-hidden", "true");
  before.removeAttribute("tabindex");
  for (const text of before.querySelectorAll("title, desc, text, metadata")) text.remove();
  now.before(before);
}

// The lab's reading of a sweep, in lines: no size is left out that its argument allows.
function argument(answer) {
  const said = answer.verdict === "ok"
    ? `Size ${sizeRange(answer)}, line ${answer.line ? `${answer.line} B` : answer.line_reason}, ways ${answer.ways ?? answer.ways_reason ?? ""}; ${{ low: "not sure", medium: "likely", high: "sure" }[answer.confidence]}.`
    : `No answer: ${answer.reason}`;
  return [el("p", {}, said), el("ul", {}, answer.why.map(why => el("li", {}, why)))];
}

function sizeRange({ size, size_most: most, size_below: below, confidence }) {
  if (size === most && confidence !== "low") return bytesText(size);
  return `${bytesText(size)} or more, less than ${bytesText(Math.max(below, most + 1))}`;
}

// Misses of a product per array and level.
function products(machine) {
  const form = el("form", { class: "row" },
    field("Program", select("kernel", PRODUCTS, "mm1")),
    field("Rows and columns", el("input", { name: "n", type: "number", min: 1, max: 2048, value: 512 })),
    el("button", {}, "Count its misses"));
  const result = el("div", { "aria-live": "polite" });
  const wrong = complaint();
  const bar = el("progress", { max: 1000, value: 0, "aria-label": "Counting …" });
  const stop = el("button", { type: "button", click: () => helper?.stop() }, "Stop");
  const counting = el("p", { class: "buttons", hidden: true }, bar, stop);
  let helper;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const [program, n] = [form.elements.kernel.value, Number(form.elements.n.value)];
    helper?.stop();
    const own = helper = new Helper(done => { bar.value = done; });
    bar.value = 0;
    counting.hidden = false;
    result.replaceChildren();
    try {
      const counted = await own.ask(missRequest(program, n, machine()));
      result.replaceChildren(...missTables(program, n, counted));
      wrong.say();
    } catch (error) {
      if (own === helper && error.stopped) result.replaceChildren(el("p", {}, "Stopped."));
      else if (own === helper) wrong.say(error.message);
    }
    own.stop();
    if (own === helper) { counting.hidden = true; helper = undefined; }
  });
  return el("section", { "aria-labelledby": "products" }, el("h3", { id: "products" }, "Where do the products miss?"), form, counting, wrong.box, result);
}

function missTables(program, n, { counts, machine }) {
  const steps = n ** 3;
  const total = ({ misses }) => misses.loads + misses.stores;
  const row = (name, misses) => [name, ...misses.flatMap(m => [number(m, 0), number(m / steps, 4)])];
  const rows = counts.levels[0].arrays.map(({ name }, i) => [name, counts.levels.map(level => total(level.arrays[i]))])
    .filter(([, misses]) => misses.some(m => m > 0)).concat([["all", counts.levels.map(total)]]).map(([name, misses]) => row(name, misses));
  return [table(`${`${program} ${n}`} on ${machine}`, ["array", ...counts.levels.flatMap(level => [`L${level.level} misses`, "per step"])], rows),
    el("p", {}, `${number(counts.loads, 0)} loads and ${number(counts.stores, 0)} stores; ${number(counts.memory_reads, 0)} lines read from memory, ${number(counts.memory_writes, 0)} written.`)];
}
