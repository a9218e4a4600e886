// The pages, the address, the workers.
let wasm; // compiled once, so that a worker runs what is optimised by then

// A new worker, made from this page's text; it takes one request at a time.
class Helper {
  constructor(progress = () => {}) {
    const code = byId("core").textContent + byId("worker").textContent;
    this.url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new Worker(this.url);
    this.progress = progress;
    this.last = this.post({ module: wasm });
  }

  post(message) {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      this.worker.onmessage = ({ data }) => {
        if (data.progress !== undefined) return this.progress(data.progress, data.points);
        if (data.error !== undefined) return reject(Object.assign(new Error(data.broken ? "The lab stopped on this request, which it should not. Reload the page, and report to the instructor what you did." : data.error), { place: data.place }));
        resolve(data.answer);
      };
      this.worker.onerror = event => reject(new Error(`This browser starts no worker for the page (${event.message ?? ""}); open the file in another browser.`));
      this.worker.postMessage(message);
    });
  }

  ask(request) {
    const next = this.last.then(() => this.post({ request }));
    this.last = next.catch(() => {});
    return next;
  }

  stop() {
    this.worker.terminate();
    URL.revokeObjectURL(this.url);
    this.reject?.(Object.assign(new Error("Stopped."), { stopped: true }));
  }
}

const PAGES = {
  here: {
    page: herePage, title: "This computer",
    lead: "How large are the caches of this computer? The page times loads that must wait for each other: they are fast while the data fit into a cache, and slower when they do not. Repeated experiments then confirm the first answer.",
    next: "Next: which part of such curves shows the size, which the line, which the ways?",
  },
  any: {
    page: anyPage, title: "Any machine",
    lead: "A program accesses arrays of several sizes, each again and again at one stride: how often does it miss on this machine? Move a slider and watch what changes: which part of the curve shows the size, which the line, which the ways? The curves before the last change stay in grey.",
    next: "Next: which accesses are behind a point of these curves?",
  },
  inside: {
    page: insidePage, title: "Inside a cache",
    lead: "One access after the other: where in the loop, which address, which set, which line is evicted. Guess first, then step forwards and backwards.",
    next: "Next: find the caches of a machine without a description.",
  },
  mystery: {
    page: mysteryPage, title: "The mystery",
    lead: "The instructor gave you a sealed file: it describes a machine, but you cannot read it. Choose it, measure the machine’s curves, and find its caches; this browser stores what you type.",
  },
};
let core;
let shown;
const pages = {};

// "#any?max=256K": the page, and the values that differ from its defaults.
function address() {
  const [name, query = ""] = location.hash.slice(1).split("?");
  return { name: Object.hasOwn(PAGES, name) ? name : "here", state: Object.fromEntries(new URLSearchParams(query)) };
}

// Browsers limit how often an address may change: it is updated after the last of several
// changes. The page's link leads back to the present state, Back to the one before; a step
// to another access is no state of its own.
let writing;
let restoring = false;
let isNew = false; // what is not written yet was changed by the user
const without = hash => hash.replace(/([?&])at=\d+&?/, "$1").replace(/[?&]$/, "");
function writeAddress(name, state) {
  if (name !== shown) return;
  const query = new URLSearchParams(state).toString();
  const hash = `#${name}${query ? `?${query}` : ""}`;
  byId(`link-${name}`).hash = hash;
  clearTimeout(writing);
  isNew ||= !restoring;
  writing = setTimeout(() => {
    const adds = isNew && without(hash) !== without(location.hash);
    isNew = false;
    try { if (name === shown) history[adds ? "pushState" : "replaceState"](null, "", hash); } catch { /* the view stays, without an address */ }
  }, 300);
}

function show() {
  const { name, state } = address();
  const { title, lead, next: text, page } = PAGES[name];
  if (!pages[name]) {
    const section = el("section", { id: `page-${name}`, "aria-labelledby": `title-${name}` },
      el("h2", { id: `title-${name}` }, title), el("p", { class: "lead" }, lead));
    byId("main").append(section);
    shown = name;
    pages[name] = { section, page: page(section, state => writeAddress(name, state)) };
    const next = Object.keys(PAGES)[Object.keys(PAGES).indexOf(name) + 1];
    const go = event => { // to the present state of that page
      const { hash } = byId(`link-${next}`);
      event.preventDefault();
      location.hash = hash === "#any" && ownMachine() ? "#any?machine=mine" : hash;
    };
    if (next) section.append(el("p", {}, el("a", { class: "next-part", href: `#${next}`, click: go }, text)));
  }
  shown = name;
  for (const [other, { section }] of Object.entries(pages)) section.hidden = other !== name;
  for (const link of byId("pages").querySelectorAll("a")) {
    link.toggleAttribute("aria-current", false);
    if (link.id === `link-${name}`) link.setAttribute("aria-current", "page");
  }
  document.title = `${title} – Cache lab`;
  restoring = true;
  isNew = false;
  pages[name].page.restore?.(state);
  restoring = false;
}

async function start() {
  byId("pages").append(...Object.entries(PAGES).map(([name, { title }]) => el("li", {}, el("a", { href: `#${name}`, id: `link-${name}` }, title))));
  byId("words").replaceChildren(...[...GLOSSARY].flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]));
  byId("skip").addEventListener("click", event => { event.preventDefault(); byId("main").focus(); });
  try {
    const packed = Uint8Array.from(atob(byId("wasm").textContent.trim()), letter => letter.charCodeAt(0));
    wasm = await WebAssembly.compile(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
    core = await startCore(wasm, () => performance.now());
  } catch (error) {
    byId("main").append(el("p", { class: "complaint", role: "alert" }, `This browser does not run the page's WebAssembly (${error.message}); open the file in a current Chromium, Firefox or Safari.`));
    return;
  }
  addEventListener("hashchange", () => {
    const before = shown;
    show();
    if (shown === before) return; // another state of the page
    byId("main").focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  // Paper has the reasons too.
  addEventListener("beforeprint", () => { for (const why of document.querySelectorAll(".answer details")) why.open = true; });
  show();
  document.documentElement.dataset.ready = "true";
}
start();
