// Elements, texts, files.
const byId = id => document.getElementById(id);

// "1 line", "2 lines".
const many = (noun, count) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// el("p", {class: "x"}, "text", child): attributes with a function are listeners.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return element;
}

// The kit's glossary, the parts about caches: terms with a sentence each.
const GLOSSARY = new Map(byId("glossary").textContent.split(/^# /m).filter(part => /^(Caches|Around)/.test(part))
  .flatMap(part => [...part.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]).slice(1)
  .map(([, term, text]) => [term, text.replace(/[*`]/g, "")]).filter(([term]) => !/^(term|-+)$/.test(term)));

// A labelled control; behind a question mark the glossary's sentence on `term`.
function field(text, control, { hint, term } = {}) {
  const id = control.id || `field-${field.count = (field.count ?? 0) + 1}`;
  control.id = id;
  const note = hint ? el("small", { id: `${id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  const label = el("label", { for: id }, text);
  return el("div", { class: "field" }, GLOSSARY.has(term)
    ? [label, el("details", { class: "term" }, el("summary", { "aria-label": `What is: ${term}` }, "?"), `${term}: ${GLOSSARY.get(term)}`)]
    : label, control, note);
}

function select(name, options, value) {
  return el("select", { name }, options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
}

// Width and height of a chart in the request for it: where `box` is narrow, its width, so that texts can be read.
const shape = box => {
  const width = box?.clientWidth || innerWidth - 34;
  return width < 800 ? { picture: [Math.max(320, width), 420] } : {};
};

// A chart in its box; below it a table of its numbers, which `numbers` makes when it is opened. `cause` gives the reason of a
// point, if it is known, and the address that shows it: a click on the point goes there.
function picture(box, svg, numbers, cause) {
  box.innerHTML = svg;
  const drawn = box.querySelector("svg");
  const title = drawn.querySelector("title")?.textContent ?? "";
  const caption = drawn.querySelector("desc")?.textContent ?? "";
  drawn.setAttribute("aria-label", `${title}. ${caption}`);
  if (cause) explain(drawn, cause);
  if (box.below) box.below.hidden = !numbers;
  if (!numbers) return;
  if (!box.below?.isConnected) {
    const fill = () => { if (box.details.open) box.details.lastElementChild.replaceChildren(box.numbers()); };
    box.details = el("details", { toggle: fill }, el("summary", {}, "The chart as a table"), el("div"));
    const save = ending => el("button", { type: "button", click: () => savePicture(box.querySelector("svg:not(.before)"), ending) }, ending);
    box.after(box.below = el("div", { class: "numbers" }, el("p", { class: "buttons" }, "Save the picture, or its numbers:", ["SVG", "CSV"].map(save)), box.details));
  }
  box.numbers = () => numbers(title);
  box.details.dispatchEvent(new Event("toggle"));
}

// Saves a chart as it is shown, or the values of its points.
function savePicture(svg, ending) {
  const name = `${svg.querySelector("title").textContent.replace(/[^\w]+/g, "-")}.${ending.toLowerCase()}`;
  if (ending === "CSV") {
    const { x, y, curves } = JSON.parse(svg.querySelector("metadata").textContent);
    const cell = text => (/[",\n]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : text);
    const rows = curves.flatMap(({ name, points }) => points.filter(Boolean).map(point => [name, point[5] ?? point[2], point[3]]));
    return download(name, [["curve", x, y], ...rows].map(row => row.map(cell).join()).join("\r\n"), "text/csv");
  }
  const copy = svg.cloneNode(true);
  for (const part of copy.querySelectorAll(".chart-ring, .chart-highlight")) part.remove();
  copy.classList.remove("chart-one");
  download(name, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}

// What this browser stores of this page between visits; a browser that stores nothing has it
// until a reload.
const stored = {
  get(key) { try { return JSON.parse(localStorage.getItem(`cache-lab ${key}`)) ?? this[key]; } catch { return this[key]; } },
  set(key, value) {
    this[key] = value;
    try { localStorage.setItem(`cache-lab ${key}`, JSON.stringify(value)); } catch { /* until a reload */ }
  },
};

// Adds its cause to each point of a chart of array sizes and strides, in the data that the
// chart's own script shows under the pointer.
function explain(svg, cause) {
  svg.chart = JSON.parse(svg.querySelector("metadata")?.textContent || "null");
  for (const { bytes, points } of svg.chart?.curves ?? []) for (const point of points) {
    const found = point && (bytes ? cause(bytes, point[5]) : cause(point[5]));
    if (!found) continue;
    point[3] += `\n${[found.reason, found.href && "a click, Enter or a second touch shows its accesses"].filter(Boolean).join("; ")}`;
    Object.assign(point, { href: found.href, inset: found.inset });
  }
}

// The sets of a cache as boxes, each as full as the lines of an array at a stride make it;
// where they do not fit, a box is crossed. Of many sets, several share a box.
function setsPicture({ size, stride, line, ways, sets }) {
  const [boxes, across, side, step] = [Math.min(64, sets), 16, 14, Math.max(stride, line)];
  const held = Array(sets).fill(0);
  for (let at = 0; at < size; at += step) held[Math.floor(at / line) % sets]++;
  const most = Array.from({ length: boxes }, (_, box) => Math.max(...held.slice(box * sets / boxes, (box + 1) * sets / boxes)));
  const drawn = most.map((count, box) => {
    const [x, y] = [box % across * side, Math.floor(box / across) * side];
    const high = Math.min(1, count / ways) * (side - 2);
    const cross = count > ways ? `<path d="M${x + 1},${y + 1}l${side - 2},${side - 2}m0,${2 - side}l${2 - side},${side - 2}"/>` : "";
    return `<rect class="box" x="${x + 0.5}" y="${y + 0.5}" width="${side - 1}" height="${side - 1}"/><rect class="${count > ways ? "over" : count === ways ? "full" : "some"}" x="${x + 1}" y="${y + side - 1 - high}" width="${side - 2}" height="${high}"/>${cross}`;
  });
  const made = el("div", { class: "inset" });
  made.innerHTML = `<svg width="${across * side}" height="${Math.ceil(boxes / across) * side}" aria-hidden="true">${drawn.join("")}</svg>`;
  const over = held.filter(count => count > ways).length;
  const [most1, room] = [Math.max(...held), many("way", ways)];
  made.append(`The array’s lines in the sets: ${over ? `in ${over} of them up to ${most1} lines for ${room}, so they miss` : `at most ${most1} for ${room}, so they fit`}.`);
  return made;
}
// Below the values of a point, its sets.
for (const kind of ["pointermove", "click", "keydown"]) addEventListener(kind, ({ target }) => {
  const [svg, box] = [target.closest?.("svg.chart"), document.querySelector(".chart-value")];
  const { point } = svg?.current ?? {};
  if (!box?.textContent || !point?.inset) return;
  box.append(setsPicture(point.inset));
  const { y } = new DOMPoint(point[0], point[1]).matrixTransform(svg.getScreenCTM());
  const { height } = box.getBoundingClientRect();
  box.style.top = `${y - height - 12 < 4 ? Math.min(y + 14, innerHeight - height - 4) : y - height - 12}px`;
});
// A click on the point under the pointer, Enter on the one that the arrow keys chose; on a
// touch screen, a second touch.
addEventListener("keydown", event => {
  const point = event.key === "Enter" && event.target.closest?.("svg")?.current?.point;
  if (!point?.href) return;
  event.stopPropagation(); // the chart's own script highlights a curve
  location.hash = point.href;
}, true);
addEventListener("pointerdown", ({ target }) => { explain.pressed = target.closest?.("svg")?.current?.point; }, true);
addEventListener("click", ({ target }) => {
  const point = target.closest?.("svg")?.current?.point;
  if (point?.href && point === explain.pressed) location.hash = point.href;
});

// The numbers of a sweep: a row for each stride, a column for each array size. `shown` makes
// a cell of an array size, a stride and a number.
function sweepTable({ rows }, title, shown = (size, stride, text) => text) {
  const sizes = [...new Set(rows.map(row => row.place.size_bytes))];
  const strides = [...new Set(rows.map(row => row.place.stride_bytes))].sort((a, b) => a - b);
  const at = new Map(rows.map(row => [`${row.place.size_bytes} ${row.place.stride_bytes}`, row.figures[0].amount]));
  return table(title, ["stride", ...sizes.map(sizeText)],
    strides.map(stride => [sizeText(stride), ...sizes.map(size => shown(size, stride, number(at.get(`${size} ${stride}`), 3)))]));
}

const pictureBox = name => el("div", { class: "picture", tabindex: "0", role: "group", "aria-label": name });

function table(caption, head, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    el("table", {}, el("caption", {}, el("span", {}, caption)),
      el("thead", {}, el("tr", {}, head.map(text => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows.map(([first, ...rest]) =>
        el("tr", {}, el("th", { scope: "row" }, first), rest.map(text => el("td", {}, text)))))));
}

// An element for errors, one sentence each; empty without errors.
function complaint() {
  const box = el("p", { class: "complaint", role: "alert" });
  return { box, say: text => { box.textContent = text ?? ""; box.hidden = !text; } };
}

const LARGEST_FILE = 10 << 20;

// A field for a file; its text goes to `use`, an error with a sentence to `wrong`.
function fileInput(accept, wrong, use) {
  return el("input", { type: "file", accept, change: async ({ target: { files: [file] } }) => {
    try {
      if (file?.size > LARGEST_FILE) throw new Error(`${file.name} has ${(file.size / (1 << 20)).toFixed(0)} MiB; records of a sweep have less than 10 MiB. Choose a record of a sweep, or one that this page saved.`);
      if (file) use(decoded(await file.arrayBuffer()));
    } catch (error) { wrong.say(error.message); }
  } });
}

const number = (value, digits = 2) =>
  value === null || value === undefined ? "–" : Number(value).toLocaleString("en", { maximumFractionDigits: digits });

// What a form's user chooses.
const controlsOf = form => [...form.elements].filter(({ name, type }) => name && type !== "file");

// The state of a form in the page's address: the values that differ from the defaults.
const stateOf = form => Object.fromEntries(controlsOf(form).filter(({ value, dataset }) => value !== dataset.initial).map(({ name, value }) => [name, value]));

function restore(form, state) {
  for (const control of controlsOf(form)) {
    control.value = state[control.name] ?? control.dataset.initial;
    if (control.selectedIndex === -1) control.value = control.dataset.initial; // an address that was typed
  }
}

// Takes the present values of a form as its defaults.
function useAsDefaults(form) {
  for (const control of controlsOf(form)) control.dataset.initial = control.value;
}
