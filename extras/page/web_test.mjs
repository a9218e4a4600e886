// Drives lab.html in a browser. usage: node web_test.mjs LAB.html ANSWER BIN [--firefox] [--loads N] [--gestures N] [--only PART,PART]
// ANSWER is the native program of examples/answer.rs, BIN the folder of the programs. Environment:
// WEB_TEST_BROWSER and WEB_TEST_FIREFOX, the browsers' files; NODE_PATH has playwright-core and axe-core.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { axe, FLAGS, playwright, start } from "../../scripts/browser.mjs";

const [page, native, bin] = process.argv.slice(2);
const [lab, course, discover] = ["lab", "course", "discover"].map(name => `${bin}/${name}`);
const firefox = process.argv.includes("--firefox");
const loads = Number(process.argv[process.argv.indexOf("--loads") + 1]) || 0;
const gestures = process.argv.includes("--gestures") ? Number(process.argv[process.argv.indexOf("--gestures") + 1]) : 300;
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1].split(",") : [];
const url = pathToFileURL(resolve(page)).href;
const folder = mkdtempSync(join(tmpdir(), "web-test-"));
const failures = [];
// What Firefox's driver cannot emulate: print, forced colours, a browser without scripts.
const emulated = (holds, what) => firefox || check(holds, what);
const check = (holds, what) => { if (!holds) failures.push(what); console.log(`${holds ? "ok  " : "FAIL"} ${what}`); };

const browser = firefox
  ? await playwright.firefox.launch({ channel: "moz-firefox", executablePath: process.env.WEB_TEST_FIREFOX }).catch(why => {
    console.log(`note: the page is not tested in Firefox, which its driver cannot start: ${why.message.split("\n")[0]}`);
    process.exit();
  })
  : await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });
console.log(`     ${firefox ? "Firefox" : "Chromium"} ${browser.version()}`);

// A fresh tab at `view`; any error in its console is a failure.
async function open(view, options = {}) {
  return watched(await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options }), view);
}
async function watched(context, view) {
  const tab = await context.newPage();
  tab.on("console", message => { if (["error", "warning"].includes(message.type())) check(false, `console: ${message.text()}`); });
  tab.on("pageerror", error => check(false, `page error: ${error.message}`));
  tab.on("request", request => { if (!/^(file|blob|data):/.test(request.url())) check(false, `request to ${request.url()}`); });
  await tab.goto(`${url}#${view}`);
  await tab.waitForSelector("html[data-ready]", { state: "attached", timeout: 30000 });
  return tab;
}
const close = tab => tab.context().close();
const say = tab => tab.locator("section:not([hidden]) .complaint").first().textContent();

async function accessible() {
  const views = ["here", "any", "inside?preset=power&guess=1&kernel=mm1&n=32&size1=1K&line1=16&ways1=2&at=200", "mystery"];
  for (const view of views) for (const width of [360, 1280, 1920]) for (const colorScheme of ["light", "dark"]) {
    const tab = await open(view, { viewport: { width, height: 900 }, colorScheme });
    await tab.evaluate(axe.source);
    const { violations } = await tab.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
    check(violations.length === 0, `axe: ${view.split("?")[0]}, ${width} px, ${colorScheme} ${violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 90)}`).join("; ")}`);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `no sideways scrolling: ${view.split("?")[0]}, ${width} px`);
    await close(tab);
  }
}

// All modelled figures equal those of the programs, digit by digit.
async function equal() {
  const tab = await open("any");
  const machines = await tab.evaluate(() => core({ do: "catalogue" }));
  const kernels = ["cm1", "mm1", "mm2", "mm3", ...["ijk", "jik", "ikj", "kij", "jki", "kji"].map(order => `dgemm ${order}`)];
  const requests = machines.flatMap(({ toml }) => [
    { do: "sweep", toml, show: { misses: { level: 1 } }, min: 8192, max: 65536 },
    { do: "sweep", toml, show: "time", min: 4096, max: 262144 },
    ...kernels.slice(1).map(program => ({ program, n: 96, toml })),
    { do: "misses", toml, kernel: { name: "cm1", size: 65536, stride: 64, passes: 3 } },
  ]);
  const asked = await tab.evaluate(all => all.map(request => (request.program ? missRequest(request.program, request.n, request.toml) : request)), requests);
  // The tab's own clock: the driver's time to pass answers is not the model's. The fastest
  // of three rounds counts: the first one also compiles, because Firefox runs a function
  // unoptimised until it is known to be hot.
  const took = { tab: [], outside: [] };
  for (let round = 0; round < 3; round++) {
    const { here, inTab } = await tab.evaluate(all => {
      const began = performance.now();
      const here = all.map(request => { try { return { ok: core(request) }; } catch (error) { return { error: error.message }; } });
      return { here, inTab: performance.now() - began };
    }, asked);
    const began = performance.now();
    const told = execFileSync(native, { input: asked.map(request => JSON.stringify(request)).join("\n") + "\n", maxBuffer: 1 << 28 });
    took.tab.push(inTab);
    took.outside.push(performance.now() - began);
    if (round > 0) continue;
    const there = told.toString().trim().split("\n").map(line => JSON.parse(line));
    const different = asked.filter((_, i) => JSON.stringify(here[i]) !== JSON.stringify(there[i]));
    check(different.length === 0, `${asked.length} modelled answers for ${machines.length} machines equal the programs' ${different.slice(0, 3).map(r => JSON.stringify(r.kernel ?? r.show ?? r.rung)).join(" ")}`);
    check(here.every(answer => answer.ok), "and none of them is a refusal");
  }
  const rounds = times => times.map(time => time.toFixed(0)).join(", ");
  console.log(`     ${rounds(took.tab)} ms in the tab, ${rounds(took.outside)} ms outside: ${(Math.min(...took.outside) / Math.min(...took.tab)).toFixed(2)} of its speed`);
  await close(tab);
}

async function redraw() {
  const tab = await open("any");
  await tab.waitForSelector("#page-any .picture svg");
  const times = await tab.evaluate(() => {
    const slider = document.querySelector("[name=size1]").closest(".field").querySelector("[type=range]");
    return Array.from({ length: 60 }, (_, i) => {
      slider.value = 12 + i % 12;
      const began = performance.now();
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      document.querySelector("#page-any .picture svg").getBoundingClientRect(); // forces a layout of the page
      return performance.now() - began;
    }).sort((a, b) => a - b);
  });
  console.log(`     redraw of cm1's default sweep: median ${times[30].toFixed(1)} ms, 95th percentile ${times[56].toFixed(1)} ms`);
  const drawn = await tab.evaluate(() => {
    let pictures = 0;
    const seen = new MutationObserver(changes => { pictures += changes.flatMap(change => [...change.addedNodes]).filter(node => node.matches?.("svg:not(.before)") || node.querySelector?.("svg:not(.before)")).length; });
    seen.observe(document.querySelector("#page-any .picture"), { childList: true });
    const slider = document.querySelector("[name=ways1]").closest(".field").querySelector("[type=range]");
    slider.value = Number(slider.value) - 1;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return new Promise(done => setTimeout(() => done(pictures), 200));
  });
  check(drawn === 1, `a slider draws the chart once (${drawn} times)`);
  await close(tab);
}

// The selection is in the address, and a link restores it.
async function linked() {
  const tab = await open("any");
  await tab.selectOption("[name=machine]", "zen3");
  await tab.fill("#page-any [name=ways1]", "4");
  const caption = tab => tab.locator("#page-any .picture svg desc").textContent();
  await tab.waitForFunction(() => location.hash.includes("ways1=4"));
  const [told, hash] = [await caption(tab), await tab.evaluate(() => location.hash)];
  await close(tab);
  const again = await open(hash.slice(1));
  check(told.includes("4-way") && (await caption(again)) === told, `a link brings the view back: ${hash.slice(0, 60)}`);
  await close(again);
  const typed = await open("inside?kernel=nonsense&n=8&at=5");
  check((await typed.locator(".said").textContent()).startsWith("Step 5"), "an address with a program that there is not shows the usual one");
  await close(typed);
}

// Back takes a change back.
async function undone() {
  const tab = await open("any");
  const ways = () => tab.inputValue("#page-any [name=ways1]");
  const first = await ways();
  for (const value of ["4", "2"]) {
    await tab.fill("#page-any [name=ways1]", value);
    await tab.waitForFunction(value => location.hash.includes(`ways1=${value}`), value);
  }
  const back = async value => {
    await tab.goBack();
    return tab.waitForFunction(value => document.querySelector("#page-any [name=ways1]")?.value === value, value, { timeout: 5000 }).then(() => true, () => false);
  };
  check(await back("4") && await back(first), `Back takes a change of a field back: ${await ways()}`);
  await tab.click("#link-inside");
  await tab.waitForFunction(() => location.hash.includes("preset"));
  const length = () => tab.evaluate(() => history.length);
  const before = await length();
  await tab.locator(".guesses input").first().check();
  await tab.getByRole("button", { name: "That is my guess" }).click();
  await tab.waitForFunction(() => location.hash.includes("guess=0"));
  const guessed = await length();
  await tab.click("#inside-on");
  await tab.waitForFunction(() => location.hash.includes("at=17"));
  check(guessed === before + 1 && (await length()) === guessed, `a guess is a state, a step is none: ${before}, ${guessed}, ${await length()}`);
  await close(tab);
}

// 300 steps of mm1, compared with the loop written in this test and an LRU cache made of
// lists.
async function steps() {
  const tab = await open("inside?kernel=mm1&n=12&size1=512&line1=16&ways1=2");
  const states = await tab.evaluate(() => Array.from({ length: 300 }, (_, i) => core({ do: "step", at: i + 1 }).step));
  const [n, line, ways, sets] = [12, 16, 2, Array.from({ length: 16 }, () => [])];
  let wrong = 0;
  for (let at = 0; at < 300; at++) {
    const step = Math.floor(at / 4);
    const [i, j, k] = [Math.floor(step / n / n), Math.floor(step / n) % n, step % n];
    const element = [[0, i, k], [1, k, j], [2, i, j], [2, i, j]][at % 4];
    const address = 2 * (element[0] * n * n + element[1] * n + element[2]);
    const set = sets[Math.floor(address / line) % 16];
    const tag = Math.floor(address / line);
    const hit = set.includes(tag);
    if (hit) set.splice(set.indexOf(tag), 1);
    set.unshift(tag);
    const gone = set.length > ways ? set.pop() : undefined;
    const told = states[at];
    if (told.address !== address || (told.outcome === "hit") !== hit || (gone === undefined) !== (told.evicted === null)) wrong++;
  }
  check(wrong === 0, `300 steps of mm1 are those of a naive cache (${wrong} differ)`);
  await tab.locator("#inside-miss").click();
  await tab.keyboard.press("Enter");
  check((await tab.locator(".said").textContent()).includes("miss"), "the keyboard steps to a miss");
  await close(tab);
}

async function badInput() {
  const tab = await open("any");
  const complains = async (what, about) => {
    const said = await tab.waitForFunction(about => [...document.querySelectorAll("section:not([hidden]) .complaint")]
      .map(box => box.textContent).find(text => RegExp(about).test(text)), about, { timeout: 10000 }).then(found => found.jsonValue(), () => "");
    check(said.length > 20, `${what}: ${said}`);
  };
  const written = (name, text) => { writeFileSync(join(folder, name), text); return join(folder, name); };
  await tab.evaluate(() => { document.querySelectorAll("details").forEach(details => { details.open = true; }); });
  const broken = "[[cache]]\nlevel = ";
  await tab.fill("#toml", broken);
  await tab.getByRole("button", { name: "Use this text" }).click();
  await complains("broken TOML", "line 2, level");
  const file = tab.locator("#page-any input[type=file]").first();
  await file.setInputFiles(written("mm1.json",
    '{"program":"mm1","version":"0","settings":{},"machine":"x","notes":[],"rows":[{"place":{"size":512},"figures":[]}]}'));
  await complains("a record of mm1", "record of mm1");
  await file.setInputFiles(written("half.json", '{"program":"cm1","rows":[{"size'));
  await complains("half a record", "^(?!.*mm1)");
  const huge = written("huge.json", "");
  truncateSync(huge, 200 << 20);
  await file.setInputFiles(huge);
  await complains("a file of 200 MiB", "huge.json has 200 MiB");
  await tab.selectOption("[name=show]", "2");
  // The curves come from the worker.
  const drawn = tab.waitForFunction(() => document.querySelector("#page-any .picture svg title")?.textContent.includes("level 2"), undefined, { timeout: 30000 });
  check(await drawn.then(() => true, () => false), "the page goes on");

  await tab.evaluate(() => { location.hash = "#mystery"; });
  const sealed = tab.locator("#page-mystery input[type=file]");
  await sealed.setInputFiles(written("broken.toml", broken));
  await complains("a broken sealed machine", "line 2, level");
  await sealed.setInputFiles(huge);
  await complains("a sealed machine of 200 MiB", "huge.json has 200 MiB");

  // The first experiment asks for more memory than WebAssembly has.
  await tab.evaluate(() => { location.hash = "#here"; ROUNDS[0][1] = 4095; });
  await tab.locator("#page-here summary").first().click();
  await tab.check("[name=patient]");
  await tab.click("#measure");
  await complains("memory refused", "gives this page no 3.999 GiB");
  check(await tab.isEnabled("#measure"), "and the page goes on");
  await close(tab);
}

// A sealed machine by its link: measured, answered, reloaded, graded.
async function mystery() {
  const machines = join(folder, "machines");
  execFileSync(course, ["mystery", "--key", "--output", machines, "Ada"], { input: "secret words of today", stdio: ["pipe", "ignore", "ignore"] });
  const [row] = JSON.parse(readFileSync(`${machines}-key.json`)).machines.map(({ levels: [level] }) => ({ size: level.size_bytes, line: level.line_bytes, ways: level.ways }));
  const view = `mystery?${new URLSearchParams({ sealed: readFileSync(join(machines, "Ada.toml"), "utf8") })}`;
  const tab = await open(view);
  check((await tab.locator("#page-mystery").innerText()).includes("Ada"), "a link brings a sealed machine");
  await tab.getByRole("button", { name: "Measure it" }).click();
  await tab.waitForSelector("#page-mystery .picture svg", { timeout: 60000 });
  const texts = { "student-1-name": "Ada", "s311-c-size.value": String(row.size), "s311-c-line.value": String(row.line), "s311-c-ways.value": String(row.ways),
    "s311-c-size-why": "the curve of the next size rises" };
  for (const [name, text] of Object.entries(texts)) await tab.fill(`#page-mystery [name="${name}"]`, text);
  const told = await tab.locator("#page-mystery #s311-c-size output").innerText();
  for (const name of ["s311-c-size.unit", "s311-c-line.unit"]) await tab.selectOption(`#page-mystery [name="${name}"]`, "B");
  const read = await tab.locator("#page-mystery #s311-c-size output").innerText();
  check(told.startsWith("Choose the unit") && read.startsWith("= "), `a value is read by the report's rule: ${told} ${read}`);
  const kept = async tab => {
    await tab.waitForSelector("#page-mystery[data-recalled*=Ada]", { state: "attached" });
    const values = await Promise.all(Object.keys(texts).map(name => tab.inputValue(`#page-mystery [name="${name}"]`)));
    return String(values) === String(Object.values(texts)) && await tab.inputValue('#page-mystery [name="s311-c-size.unit"]') === "B";
  };
  await tab.reload();
  check(await kept(tab), "what was typed survives a reload");
  if (firefox) { // whose driver reports no downloads
    await tab.getByRole("button", { name: "Save the answer" }).click();
    check((await tab.locator("#page-mystery").innerText()).includes("asked to save answers-Ada.json"), "the browser is asked to save the answer");
    return close(tab);
  }
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Save the answer" }).click()]);
  await saved.saveAs(join(folder, "handed-in", "Ada.json"));
  const grades = execFileSync(course, ["grade", "--key", `${machines}-key.json`, "--output", join(folder, "grades"), join(folder, "handed-in")], { stdio: ["ignore", "pipe", "ignore"] }).toString();
  check(/^6\t.*Ada/m.test(grades), `course grade reads the page's answer: ${grades.trim().split("\n").filter(line => line.includes("Ada")).join("; ")}`);
  await close(tab);
}

// The text typed just before the browser was killed.
async function killed() {
  const view = `mystery?${new URLSearchParams({ sealed: readFileSync(join(folder, "machines", "Ada.toml"), "utf8") })}`;
  const [name, text] = ["#page-mystery [name=s311-c-size-why]", "the last word before the power went"];
  let session = await start(join(folder, "profile"));
  let tab = await watched(session.browser.contexts()[0], view);
  await tab.waitForSelector("#page-mystery[data-recalled*=Ada]", { state: "attached" });
  await tab.click(name);
  await tab.keyboard.type(text);
  await tab.waitForTimeout(100);
  await session.kill();
  session = await start(join(folder, "profile"));
  tab = await watched(session.browser.contexts()[0], view);
  await tab.waitForSelector("#page-mystery[data-recalled*=Ada]", { state: "attached" });
  check((await tab.inputValue(name)) === text, "what was typed survives a browser that is killed");
  await session.close();
}

// Every machine of the catalogue can be changed by its sliders.
async function changeable() {
  const tab = await open("any");
  const names = await tab.evaluate(() => core({ do: "catalogue" }).map(({ name }) => name));
  const titles = await tab.locator("[name=machine] option:not([value=mine])").allInnerTexts();
  check(names.every((name, i) => titles[i].endsWith(`, ${name}`) && titles[i].length > name.length + 10), `machines have their vendors' names: ${titles[5]}`);
  for (const name of names) {
    await tab.selectOption("[name=machine]", name);
    await tab.evaluate(() => {
      const slider = document.querySelector("[name=ways1]").closest(".field").querySelector("[type=range]");
      slider.value = Number(slider.value) + (slider.value === slider.max ? -1 : 1);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const said = await tab.locator("#page-any .results > .complaint").first().textContent();
    check(!said && (await tab.inputValue("[name=machine]")) === "own", `${name} with other ways is drawn ${said}`);
  }
  await close(tab);
}

// Random moves of sliders lead from one valid machine to another.
async function sliders() {
  for (const view of ["any", "inside?kernel=mm1"]) {
    const tab = await open(view);
    const complaints = await tab.evaluate(() => {
      let seed = 7;
      const random = below => (seed = (seed * 48271) % 2147483647) % below;
      const all = [...document.querySelectorAll("section:not([hidden]) form.controls .field [type=range]")].filter(range => range.offsetParent);
      const said = new Set();
      for (let move = 0; move < 300; move++) {
        const range = all[random(all.length)];
        range.value = Math.max(0, Math.min(range.max, Number(range.value) + (random(2) ? 1 : -1)));
        range.dispatchEvent(new Event("input", { bubbles: true }));
        for (const box of document.querySelectorAll("section:not([hidden]) .complaint")) if (box.textContent) said.add(box.textContent);
      }
      return [...said];
    });
    check(complaints.length === 0, `300 moves of the sliders of ${view.split("?")[0]} stay among possible machines ${complaints[0] ?? ""}`);
    await close(tab);
  }
  const tab = await open("any");
  await tab.fill("#page-any [name=line1]", "24");
  await tab.waitForSelector("#page-any [aria-invalid=true]");
  check(/^Level 1, Line/.test(await say(tab)), `a field that is wrong is named: ${await say(tab)}`);
  await close(tab);
}

// The described machine and the step are still there after a visit to another page.
async function returned() {
  const tab = await open("any");
  const four = [1, 2, 3, 4].map(level => `[[cache]]\nlevel = ${level}\nsize = "${4 ** level}K"\nline = 64\nways = 4\n`).join("");
  await tab.evaluate(() => { document.querySelector("#toml").closest("details").open = true; });
  await tab.fill("#toml", `name = "four"\n${four}`);
  await tab.evaluate(() => [...document.querySelectorAll("button")].find(button => button.textContent === "Use this text").click());
  await tab.click("#link-inside");
  await tab.selectOption("#page-inside [name=kernel]", "mm1");
  await tab.fill("#page-inside [name=n]", "12");
  await tab.click("#inside-first");
  await tab.click("#inside-on");
  await tab.click("#link-any");
  check((await tab.inputValue("#toml")).split("[[cache]]").length === 5, "a description of four levels is there after another page");
  await tab.fill("#page-any [name=ways1]", "2");
  check((await tab.inputValue("#toml")).split("[[cache]]").length === 5 && /more levels/.test(await say(tab)), `and no field takes its fourth level away: ${await say(tab)}`);
  await tab.click("#link-inside");
  check(/^Step 1 of/.test(await tab.textContent("#step-at")), "so is the step inside a cache");
  await tab.waitForTimeout(400);
  await tab.reload();
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  check(/^Step 1 of/.test(await tab.textContent("#step-at")), "and after a reload");
  for (const hash of ["constructor", "toString", "__proto__?a=b", "inside?preset=nonsense"]) {
    await tab.evaluate(hash => { location.hash = hash; }, hash);
    await tab.waitForTimeout(50);
    check(!/nonsense/.test(await tab.innerText("main")) && (await tab.innerText("main")).length > 100, `#${hash} shows a page`);
  }
  await tab.evaluate(() => { history.replaceState = () => { throw new DOMException("too often"); }; location.hash = "any"; });
  await tab.selectOption("#page-any [name=machine]", "zen3");
  await tab.waitForTimeout(400);
  check((await tab.locator("#page-any .picture svg desc").textContent()).includes("zen3"), "an address that cannot be written does not stop the chart");
  await close(tab);
}

// No request freezes the page.
async function quick() {
  const tab = await open("inside?kernel=mm1&n=32");
  for (const [kernel, n] of [["mm1", "1000"], ["dgemm jki", "512"]]) {
    const took = await tab.evaluate(([kernel, n]) => {
      const form = document.querySelector("#page-inside form");
      form.elements.kernel.value = kernel;
      form.elements.n.value = n;
      const began = performance.now();
      form.elements.n.dispatchEvent(new Event("input", { bubbles: true }));
      return performance.now() - began;
    }, [kernel, n]);
    check(took < 3000 && /first 20,000/.test(await tab.textContent("#preset-note")), `${kernel} ${n} is stepped after ${took.toFixed(0)} ms`);
  }
  const steps = await tab.evaluate(() => {
    const form = document.querySelector("#page-inside form");
    restore(form, { kernel: "own", own: "store a[0]; store a[8]; store a[0]", allocate1: "false" });
    form.elements.n.dispatchEvent(new Event("input", { bubbles: true }));
    return [1, 2, 3].map(at => core({ do: "step", at })).map(({ step, holding }) => `${step.outcome} ${holding}`);
  });
  check(steps.join() === "compulsory 0,capacity 0,capacity 0", `only the first use of a line is compulsory, though a store that passes by brings none: ${steps.join(", ")}`);
  // Of many sets and ways, those around the accessed one are drawn.
  for (const [size1, line1, ways1] of [["64K", "16", "1"], ["32K", "64", "full"]]) {
    const { boxes, touched } = await tab.evaluate(fields => {
      const form = document.querySelector("#page-inside form");
      restore(form, { kernel: "mm1", n: "64", at: "20000", ...fields });
      form.elements.n.dispatchEvent(new Event("input", { bubbles: true }));
      return { boxes: document.querySelectorAll("#page-inside .way").length, touched: document.querySelectorAll("#page-inside .touched").length };
    }, { size1, line1, ways1 });
    check(boxes > 100 && boxes <= 256 && touched === 1, `${size1}, line ${line1}, ways ${ways1}: ${boxes} boxes are drawn, ${touched} of the access`);
  }
  await tab.click("#link-any");
  await tab.selectOption("#page-any [name=kernel]", "dgemm jki");
  // Firefox's driver appends to a number field instead of filling it.
  const rows = n => tab.evaluate(n => { document.querySelector("#page-any [name=n]").value = n; }, n);
  await rows(1000);
  await tab.getByRole("button", { name: "Count its misses" }).click();
  await tab.waitForSelector("#page-any progress[max]");
  await tab.getByRole("button", { name: "Stop", exact: true }).click();
  await tab.waitForSelector("#page-any progress[max]", { state: "hidden" });
  await rows(32);
  await tab.getByRole("button", { name: "Count its misses" }).click();
  await tab.waitForSelector("#page-any .results table", { timeout: 30000 });
  check(true, "a count that takes long is stopped, and the next one counts");
  await close(tab);
}

// A policy whose curves take minutes stops no frame, and its curves can be stopped.
async function unfrozen() {
  const tab = await open("any");
  await tab.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = now => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    document.querySelectorAll("#page-any details").forEach(details => { details.open = true; });
  });
  await tab.selectOption("#page-any [name=replacement1]", "random");
  const stop = tab.locator("#page-any .results > .buttons button").first();
  const seen = await stop.waitFor({ timeout: 10000 }).then(() => true, () => false);
  const longest = await tab.evaluate(() => window.longest);
  check(seen && longest < 2000, `random replacement: a Stop is there, and no frame took longer than ${longest.toFixed(0)} ms`);
  if (seen) await stop.click();
  check((await say(tab)) === "Stopped.", `Stop ends it: ${await say(tab)}`);
  await tab.selectOption("#page-any [name=replacement1]", "random");
  await tab.selectOption("#page-any [name=max]", "128K");
  await stop.waitFor({ timeout: 10000 });
  await tab.selectOption("#page-any [name=replacement1]", "fifo");
  await tab.waitForSelector("#page-any .picture:not([aria-busy]):not([data-old]) svg", { timeout: 20000 });
  check(!(await say(tab)) && !(await stop.isVisible()), "and a later change does not wait for it");
  await close(tab);
}

// Another student's machine shows no curves of the first; the answer is printed.
async function exchanged() {
  const file = name => join(folder, "machines", `${name}.toml`);
  execFileSync(course, ["mystery", "--key", "--output", join(folder, "others"), "Bob"], { input: "secret words of today", stdio: ["pipe", "ignore", "ignore"] });
  const tab = await open("mystery");
  const choose = tab.locator("#page-mystery input[type=file]");
  await choose.setInputFiles(file("Ada"));
  await tab.getByRole("button", { name: "Measure it" }).click();
  await tab.waitForSelector("#page-mystery .picture svg", { timeout: 60000 });
  await choose.setInputFiles(join(folder, "others", "Bob.toml"));
  await tab.waitForSelector("#page-mystery[data-recalled*=Bob]", { state: "attached" });
  check((await tab.locator("#page-mystery .picture svg").count()) === 0, "a machine's curves go with it");
  await tab.getByRole("button", { name: "Measure it" }).click();
  await tab.waitForSelector("#page-mystery .picture svg", { timeout: 60000 });
  await tab.selectOption("#page-mystery [name=show]", "2");
  check((await tab.locator("#page-mystery .picture svg").count()) === 0, "and so do curves of other settings");
  writeFileSync(join(folder, "empty.toml"), "");
  await choose.setInputFiles(join(folder, "empty.toml"));
  await tab.waitForFunction(() => [...document.querySelectorAll("#page-mystery .complaint")].some(box => box.textContent));
  check((await tab.locator("#page-mystery").innerText()).includes("Sealed machine Bob"), "an empty file is refused, the machine stays");
  await tab.emulateMedia({ media: "print" });
  emulated(await tab.isVisible("#page-mystery [name=s311-c-size-why]") && !(await choose.isVisible()), "the answer is printed, the file's choice is not");
  await close(tab);
}

// The keyboard focus stays on the buttons.
async function focused() {
  const tab = await open("here?patient=true");
  await tab.focus("#measure");
  await tab.keyboard.press("Enter");
  const at = () => tab.evaluate(() => document.activeElement.id);
  check((await at()) === "stop", `while it measures, the focus is on Stop (${await at()})`);
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("#page-here[data-done]", { state: "attached" });
  check((await at()) === "measure", `and then where it was (${await at()})`);
  check(!(await say(tab)) && /^Stopped after/.test(await tab.textContent("#page-here .progress")), "Stop is no error");
  await close(tab);
}

// While it measures, the curve grows; then size, line and ways have a tile with its argument each.
async function argued() {
  const tab = await open(firefox ? "here?patient=true" : "here"); // for Firefox's coarse clock
  await tab.click("#measure");
  await tab.waitForSelector("#page-here .picture:not(.known) svg", { timeout: 120000 });
  check(await tab.isEnabled("#stop") && !(await tab.locator("#page-here .tile").count()), "the curve is drawn while it is measured");
  check(await tab.isVisible("#page-here progress"), "next to a bar of how far it is");
  const found = await tab.waitForSelector("#page-here .tile, #page-here[data-done]", { state: "attached", timeout: 300000 });
  if (await found.evaluate(node => node.matches(".tile"))) {
    const tiles = await tab.locator("#page-here .level").first().locator(".tile").allInnerTexts();
    check(tiles.length === 3 && ["Size", "Line", "Ways"].every((key, i) => tiles[i].startsWith(key) && tiles[i].split("\n").filter(Boolean).length > 2),
      `three tiles with their arguments: ${tiles.map(tile => tile.split("\n").filter(Boolean).slice(0, 2).join(" ")).join(", ")}`);
  } else console.log(`     no verdict: ${await say(tab)}`);
  if (await tab.isEnabled("#stop")) await tab.click("#stop");
  // Disturbed experiments: what is known, and what the user can do.
  const texts = await tab.evaluate(() => {
    const level = { level: 1, size_low: 1024, size_high: 65536, size_text: "1 KiB to 64 KiB", line: null, ways: null, confidence: "low", agree: 0, of: 2,
      latency_ns: 1, penalty_ns: 2, why: { size: ["up to 1 KiB."], line: "no.", ways: "noise." } };
    const found = { ...level, size_text: "48 KiB", line: 64, ways: 12, agree: 1, of: 3 };
    const sure = { ...found, confidence: "high", agree: 2, of: 6 };
    return [level, found, sure].map(level => shownLevels({ levels: [level] })[0].textContent);
  });
  check(/Not sure/.test(texts[0]) && /measure again/.test(texts[0]) && /not seen/.test(texts[0]), "where it is not sure, it says what to do");
  check(/48 KiB/.test(texts[1]) && /1 of 3 experiments found this/.test(texts[1]), "what one experiment of several found stays, with that number");
  check(/2 undisturbed experiments agree. 4 more were disturbed/.test(texts[2]), "and it says how many were disturbed");
  await close(tab);
}

// A measured sweep is over the curves of the model; a disturbed point does not stretch an
// axis.
async function laidOver() {
  const tab = await open("any?show=time&max=64K");
  const drawn = await tab.evaluate(async () => {
    const { record } = core({ do: "sweep", toml: core({ do: "catalogue" })[1].toml, show: "time", min: 8192, max: 65536 });
    record.rows.find(row => row.place.size_bytes === 65536 && row.place.stride_bytes === 512).figures[0].amount = 7000;
    const { svg } = core({ do: "sweep", toml: core({ do: "catalogue" })[1].toml, show: "time", min: 8192, max: 65536, measured: JSON.stringify(record) });
    return [...new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("text")].map(text => text.textContent.trim());
  });
  check(drawn.some(text => text.includes("hollow points: measured; 1 more were far above")), "a measured sweep is over the curves of the model");
  // Strides have such numbers too, up to 512; above, they are in KiB.
  check(!drawn.some(text => Number(text) > 512), `a disturbed point stretches no axis: ${drawn.filter(text => Number(text) > 512)}`);
  await close(tab);
}

// Text of twice the size, and the colours of the system.
async function readable() {
  for (const view of ["here", "any", "inside?preset=power&guess=1&kernel=mm1&n=32&size1=1K&line1=16&ways1=2&at=200", "mystery"]) {
    const tab = await open(view, { viewport: { width: 1366, height: 768 }, forcedColors: "active" });
    await tab.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `text of 200 % needs no sideways scrolling: ${view.split("?")[0]}, ${wide} px`);
    const lost = await tab.evaluate(() => [...document.querySelectorAll("nav a:not([aria-current])")].filter(link => {
      const { borderBottomColor } = getComputedStyle(link);
      return borderBottomColor !== getComputedStyle(document.documentElement).backgroundColor;
    }).length);
    emulated(lost === 0, `in forced colours only the page that is shown is underlined: ${view.split("?")[0]}, ${lost} others`);
    const marks = await tab.evaluate(() => [".touched", ".next"].map(mark => document.querySelector(`section:not([hidden]) ${mark}`))
      .map(mark => mark && getComputedStyle(mark).outlineStyle));
    if (view.startsWith("inside")) emulated(marks.every(style => style === "solid" || style === "dashed"), `and the marked ways stay marked: ${marks}`);
    await close(tab);
  }
}

// Charts come with their numbers as a table.
async function numbers() {
  const tab = await open("any?max=64K");
  await tab.click("#page-any .numbers summary");
  await tab.waitForSelector("#page-any .numbers td");
  const cells = await tab.locator("#page-any .numbers td").allInnerTexts();
  check(cells.length > 40 && cells.includes("1") && cells.includes("0.5"), `the chart's ${cells.length} numbers are in a table`);
  await tab.selectOption("#page-any [name=show]", "time");
  const follows = tab.waitForFunction(before =>
    [...document.querySelectorAll("#page-any .numbers td")].map(cell => cell.innerText).join() !== before, cells.join());
  check(await follows.then(() => true, () => false), "which follows the chart");
  await close(tab);
}

// The next victim is marked, whatever the policy, and it is the line that is evicted.
async function victims() {
  for (const policy of ["lru", "fifo", "plru"]) {
    const tab = await open(`inside?kernel=mm1&n=12&size1=256&line1=16&ways1=4&replacement1=${policy}&at=300`);
    const right = await tab.evaluate(() => {
      const state = at => core({ do: "step", at });
      let evictions = 0;
      for (let at = 200; at < 900; at++) {
        const { step } = state(at + 1);
        if (!step.evicted) continue;
        evictions++;
        const marked = state(at).sets.find(({ set }) => set === step.set).ways.filter(way => way.next).map(way => way.name);
        if (marked.join() !== step.evicted) return `${at}: ${marked}, not ${step.evicted}`;
      }
      return evictions > 20;
    });
    check(right === true && (await tab.locator("#page-inside .way.next").count()) > 0, `${policy} marks what goes next ${right}`);
    await close(tab);
  }
}

// The access in the loop, its address and its box are on one screen, with a line between them;
// play makes the steps.
async function oneScreen() {
  for (const [key, at] of [["stride", 18], ["transposed", 8194], ["power", 300], ["stride", 32], ["power", 20000]]) for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    const tab = await open("inside", { viewport: { width, height } });
    await tab.evaluate(([key, at]) => { location.hash = `#inside?${new URLSearchParams({ ...PRESETS[key], preset: key, guess: 1, at })}`; }, [key, at]);
    await tab.waitForSelector("#page-inside .thread", { state: "attached" });
    const seen = await tab.evaluate(() => [".stepper", "#tally", "mark", ".part.set", ".touched"].map(part => {
      const { top, bottom, right } = document.querySelector(`#page-inside ${part}`).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight && right <= innerWidth;
    }));
    check(seen.every(Boolean), `${key}, step ${at}: steps, tally, loop, address and box are on one screen of ${width} by ${height}: ${seen}`);
    const { ends, outcome } = await tab.evaluate(() => {
      const path = document.querySelector("#page-inside .thread path");
      const [from, to] = [0, path.getTotalLength()].map(at => path.getPointAtLength(at).matrixTransform(path.getScreenCTM()));
      const near = (point, part) => {
        const { left, right, top, bottom } = document.querySelector(`#page-inside ${part}`).getBoundingClientRect();
        return point.x > left - 3 && point.x < right + 3 && point.y > top - 3 && point.y < bottom + 3;
      };
      return { ends: near(from, "mark") && near(to, ".touched"), outcome: document.querySelector("#page-inside .touched").classList.contains(JSON.parse(document.querySelector("#page-inside").dataset.state).step.outcome) };
    });
    check(ends && outcome, "a line leads from the access to its box, which has the outcome's colour");
    await close(tab);
  }
  const tab = await open("inside?preset=stride&guess=1&kernel=cm1&at=20");
  const at = async () => Number((await tab.textContent("#step-at")).match(/Step (\d+)/)[1]);
  await tab.fill("#speed", "4");
  await tab.click("#inside-play");
  await tab.waitForFunction(() => Number(document.querySelector("#step").value) > 24);
  await tab.click("#inside-play");
  const paused = await at();
  await tab.waitForTimeout(300);
  check((await at()) === paused && paused < 48, `play steps, and pauses: ${paused}`);
  await tab.click("#inside-play");
  await tab.waitForFunction(() => document.querySelector("#step").value === "48" && document.querySelector("#inside-play").textContent === "Play");
  check((await at()) === 48, "and ends with the program");
  await close(tab);
}

// On a phone a chart is as wide as the screen, with texts that can be read, and more lines are
// not drawn than are named.
async function sparse() {
  for (const view of ["any?max=256K", "here"]) {
    const tab = await open(view, { viewport: { width: 360, height: 740 } });
    await tab.waitForSelector("section:not([hidden]) .picture svg");
    const { wide, small, odd } = await tab.evaluate(() => {
      const box = document.querySelector("section:not([hidden]) .picture");
      const texts = [...box.querySelectorAll("svg text")];
      return { wide: box.scrollWidth - box.clientWidth, small: Math.min(...texts.map(text => parseFloat(text.getAttribute("font-size")) * text.getScreenCTM().a)),
        odd: texts.map(text => text.textContent.trim()).filter(text => /\d\.\d{3}/.test(text)) };
    });
    check(wide <= 0 && small >= 10 && odd.length === 0, `${view} on a phone: ${wide} px beyond the screen, texts of ${small.toFixed(1)} px or more ${odd}`);
    await close(tab);
  }
}

// On a phone, the effect of a step stays visible next to the sets; no table covers it.
async function inSight() {
  const tab = await open("inside?kernel=mm1&n=32&size1=1K&line1=16&ways1=4&at=200", { viewport: { width: 360, height: 740 } });
  await tab.evaluate(() => document.querySelector(".sets").scrollIntoView());
  const [height, covered] = await tab.evaluate(() => {
    const stepper = document.querySelector(".stepper");
    const { top, height } = document.querySelector(".said").getBoundingClientRect();
    const inside = [0.1, 0.5, 0.9].map(share => document.elementFromPoint(180, top + share * height));
    return [stepper.offsetHeight, inside.filter(element => !stepper.contains(element)).length];
  });
  check(covered === 0 && height < 180, `on a phone the step's sentence stays in sight, in ${height} px`);
  await close(tab);
}

// A tab that is hidden during a measurement says so, and measures again.
async function background() {
  const tab = await open("here?patient=true");
  await tab.click("#measure");
  await tab.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    delete document.hidden;
  });
  await tab.click("#stop");
  await tab.waitForSelector("#page-here[data-done]", { state: "attached" });
  check(/background/.test(await say(tab)), `a tab in the background: ${await say(tab)}`);
  check(await tab.isEnabled("#measure"), "and the page goes on");
  await close(tab);
}

// One measurement: the page's statement about the first level, or its refusal, and each of
// its statements on the way. `clock` is the worker's.
async function measured(view = "here", clock) {
  const tab = await open(view);
  await tab.evaluate(clock => {
    const worker = document.querySelector("#worker");
    if (clock) worker.textContent = `const exact = performance.now.bind(performance); performance.now = ${clock};${worker.textContent}`;
    window.verdicts = [];
    const section = document.querySelector("#page-here");
    new MutationObserver(() => window.verdicts.push(JSON.parse(section.dataset.verdict))).observe(section, { attributeFilter: ["data-verdict"] });
  }, clock);
  const began = performance.now();
  await tab.click("#measure");
  await tab.waitForSelector("#page-here[data-verdict], #page-here[data-done]", { state: "attached", timeout: 300000 });
  const first = (performance.now() - began) / 1000;
  await tab.waitForSelector("#page-here[data-done]", { state: "attached", timeout: 300000 });
  const last = (performance.now() - began) / 1000;
  const verdicts = await tab.evaluate(() => window.verdicts);
  const refusal = await say(tab);
  await close(tab);
  const levels = verdicts.map(({ levels: [level] }) => level);
  const less = levels.slice(1).filter((now, at) => {
    const before = levels[at];
    return (before.ways && !now.ways) || (before.line && !now.line) || now.size_high / now.size_low > before.size_high / before.size_low;
  });
  return { first, last, level: levels.at(-1), levels, second: verdicts.at(-1)?.levels[1], less: less.length, refusal };
}

// This computer's curves, saved: a record that the programs read.
async function curves() {
  const tab = await open("here");
  await tab.click("#curves");
  const save = tab.locator("#measured > .buttons button").first();
  await save.waitFor({ timeout: 300000 });
  const [saved] = await Promise.all([tab.waitForEvent("download"), save.click()]);
  const record = join(folder, "spark.json");
  await saved.saveAs(record);
  execFileSync(lab, ["plot", record, "--show", "time", "--output", join(folder, "curves.svg")], { stdio: "ignore" });
  check(readFileSync(join(folder, "curves.svg"), "utf8").includes("</svg>"), "lab plot draws the page's curves");
  const read = spawnSync(discover, ["infer", "--format", "json", record], { encoding: "utf8" });
  const { verdict, reason } = JSON.parse(read.stdout);
  check(["ok", "refused"].includes(verdict), `discover infer reads them: ${verdict}${reason ? `, ${reason}` : ""}`);
  await close(tab);
}

// Clocks that cannot time single accesses.
async function clocks() {
  const clocks = ["() => Math.floor(exact())", "() => Math.floor(exact() * 10) / 10 + Math.random() / 10"];
  for (const clock of clocks) {
    const { level, refusal } = await measured("here", clock);
    check(!level && refusal.length > 20, `the clock ${clock} is refused: ${refusal}`);
  }
}

// What the program finds on this machine; nothing if it cannot decide.
function discovered() {
  const { stdout } = spawnSync(discover, ["--format", "json"], { encoding: "utf8" });
  try { return JSON.parse(stdout).levels[0]; } catch { return undefined; }
}

async function tally() {
  const own = loads ? discovered() : undefined;
  if (own) console.log(`     discover: ${JSON.stringify({ size: own.size, line: own.line, ways: own.ways, confidence: own.confidence })}`);
  let [right, wrong, less] = [0, 0, 0];
  for (let load = 0; load < Math.max(1, loads); load++) {
    // Firefox's clock is too coarse except for the patient mode, whose minutes are too long
    // for a gate.
    const found = await measured(`here${firefox && loads ? "?patient=true" : ""}`);
    const { level, second } = found;
    const said = level => `${level.size_text}, line ${level.line}, ways ${level.ways}, ${level.confidence}, ${level.agree} of ${level.of}`;
    const course = found.levels.map(level => `${level.size_text}/${level.ways}/${level.line}/${level.confidence}`).join("; ");
    console.log(`     load ${load + 1}: L1 ${level ? said(level) : found.refusal}; first verdict after ${found.first.toFixed(1)} s, done after ${found.last.toFixed(1)} s${second ? `; L2 ${second.size_text}` : ""}; course ${course}`);
    less += found.less;
    if (!own || !level) continue;
    const same = level.size === own.size && level.line === own.line && level.ways === own.ways;
    right += same;
    wrong += !same && level.confidence !== "low";
  }
  check(less === 0, `no later statement shows less than one before (${less})`);
  if (!loads) return;
  check(own && right >= 0.9 * loads, `L1 is as discover finds it in ${right} of ${loads} loads`);
  check(wrong === 0, `and wrong, but not called unsure, in ${wrong}`);
}

// A headline leaves nothing out that the argument allows: times of a 12-way cache of 48 KiB
// whose exact array is disturbed.
async function bounded() {
  const tab = await open("here");
  const said = await tab.evaluate(() => {
    const rows = [];
    for (let kib = 4; kib <= 256; kib *= 2) for (const size of kib >= 16 && kib < 64 ? [kib, kib * 1.25, kib * 1.5, kib * 1.75] : [kib]) {
      for (let stride = 4; stride <= size * 512; stride *= 2) {
        const lines = size * 1024 / Math.max(stride, 64);
        const sets = Math.min(64, Math.max(1, 64 / Math.max(1, stride / 64)));
        const share = lines / sets > 12 ? 1 : size === 48 && stride <= 4096 ? 0.7 : 0;
        rows.push({ place: { size_bytes: size * 1024, stride_bytes: stride }, figures: [{ name: "ns_per_access", amount: 2 + 4 * share * Math.min(1, stride / 64), source: "timing" }] });
      }
    }
    const toml = core({ do: "catalogue" })[0].toml;
    const { record } = core({ do: "sweep", toml, show: "time", min: 8192, max: 8192 });
    const row = record.rows[0];
    const text = JSON.stringify({ ...record, machine: "this computer", rows: rows.map(({ figures: [figure], ...cell }) =>
      ({ ...cell, figures: [{ ...row.figures[0], ...figure }] })) });
    const { answer } = core({ do: "read", text, sizes: [] });
    return { answer, text: argument(answer).map(part => part.innerText).join(" ") };
  });
  const { answer } = said;
  const holds = answer.verdict === "ok" && answer.size <= 49152 && (answer.size_most >= 49152 || answer.size_below > 49152) &&
    (!answer.ways_least || (answer.ways_least <= 12 && answer.ways_most >= 12));
  check(answer.verdict !== "ok" || holds, `an array of exactly the cache's size that misses strikes out neither 48 KiB nor 12 ways: ${said.text.slice(0, 90)}`);
  const [, low, high] = said.text.match(/^Size (\d+) KiB(?: or more, less than (\d+) KiB)?/) ?? [];
  const [, from, below] = said.text.match(/has (\d+) KiB or more, but less than (\d+) KiB/) ?? [];
  check(answer.verdict !== "ok" || (Number(low) <= Number(from) && Number(high ?? low) >= Number(below)), `the headline is not narrower than its argument: ${low} to ${high}, ${from} to ${below}`);
  await close(tab);
}

// A slider stands at its field's value, and a step changes it a little.
async function standing() {
  const tab = await open("any");
  const wrong = await tab.evaluate(async () => {
    const wrong = [];
    document.querySelectorAll("#page-any details").forEach(details => { details.open = true; });
    const machine = document.querySelector("[name=machine]");
    for (const { name } of core({ do: "catalogue" })) for (const by of [1, -1]) {
      for (const field of ["memory", "latency1", "latency2", "size2", "size3", "penalty1"]) {
        machine.value = name;
        machine.dispatchEvent(new Event("input", { bubbles: true }));
        const text = document.querySelector(`#page-any [name=${field}]`);
        const range = text.closest(".field").querySelector("[type=range]");
        if (!range.offsetParent) continue;
        const before = text.value;
        range.value = Number(range.value) + by;
        range.dispatchEvent(new Event("input", { bubbles: true }));
        const value = text => parseFloat(text) * (text.endsWith("M") ? 1024 : 1);
        const factor = value(text.value) / value(before);
        if (!(factor >= 0.45 && factor <= 2.1)) wrong.push(`${name} ${field}: ${before} to ${text.value}`);
      }
    }
    return wrong;
  });
  check(wrong.length === 0, `one step of a slider changes its value a little: ${wrong.length} do not, ${wrong.slice(0, 2).join(", ")}`);
  await close(tab);
}

// A policy that is impossible is grey; where one is set, other sliders move all the same.
async function impossible() {
  const tab = await open("any");
  const told = await tab.evaluate(() => {
    document.querySelectorAll("#page-any details").forEach(details => { details.open = true; });
    const policy = document.querySelector("#page-any [name=replacement3]");
    const isGrey = [...policy.options].find(option => option.value === "plru").disabled;
    policy.value = "plru";
    policy.dispatchEvent(new Event("input", { bubbles: true }));
    const moved = ["size1", "memory", "latency2"].map(name => {
      const text = document.querySelector(`#page-any [name=${name}]`);
      const range = text.closest(".field").querySelector("[type=range]");
      const before = text.value;
      range.value = Number(range.value) + 1;
      range.dispatchEvent(new Event("input", { bubbles: true }));
      return text.value !== before;
    });
    return { isGrey, moved };
  });
  check(told.isGrey, "an impossible policy (tree-PLRU of 12 ways) is grey");
  check(told.moved.every(Boolean), `and where it is set, other sliders move: ${told.moved}`);
  await tab.selectOption("#page-any [name=machine]", "i5-7500");
  await tab.fill("#page-any [name=latency1]", "1,5 ns");
  check(!(await say(tab)) && (await tab.inputValue("#toml")).includes('latency = "1.5 ns"'), "a time may have a decimal comma");
  await tab.selectOption("#page-any [name=show]", "3");
  await tab.selectOption("#page-any [name=levels]", "2");
  check(!(await say(tab)), `fewer levels than the curves show: ${await say(tab)}`);
  await close(tab);
}

// A change keeps the step; the counts have their old values next to them.
async function compared() {
  const tab = await open("inside?kernel=mm1&n=12&size1=512&line1=16&ways1=4&at=500");
  await tab.evaluate(() => {
    const range = document.querySelector("#page-inside [name=ways1]").closest(".field").querySelector("[type=range]");
    return new Promise(done => setTimeout(done, 1100)).then(() => {
      range.value = 0;
      range.dispatchEvent(new Event("input", { bubbles: true }));
    });
  });
  check(/^Step 500 of/.test(await tab.textContent("#step-at")), `a slider keeps the step: ${await tab.textContent("#step-at")}`);
  const counts = await tab.innerText("#page-inside .counts");
  check(/conflict misses\s+[\d,]+ \(before: [\d,]+\)/.test(counts), `with the counts before: ${counts.match(/conflict.*/)?.[0]}`);
  await tab.selectOption("#page-inside .stepper select", "capacity");
  await tab.click("#inside-last");
  await tab.click("#inside-miss");
  check(/^No capacity miss after step/.test(await tab.textContent(".said")) && /^Step 6,912 of 6,912/.test(await tab.textContent("#step-at")),
    `a miss that does not come: ${await tab.textContent(".said")}`);
  await tab.click("#inside-first");
  const { width } = await tab.locator("#strip").boundingBox();
  await tab.locator("#strip").click({ position: { x: width / 2, y: 9 } });
  check(/^Step 3,4\d\d of/.test(await tab.textContent("#step-at")), `a click on the strip goes there: ${await tab.textContent("#step-at")}`);
  const colours = await tab.evaluate(() => {
    const strip = document.querySelector("#strip");
    const { data } = strip.getContext("2d").getImageData(0, 0, strip.width, strip.height);
    return new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join())).size;
  });
  check(colours >= 3, `the strip has a colour for each outcome (${colours})`);
  await close(tab);
}

// A number typed digit by digit, with a pause: neither the step nor the comparison is that of
// the half-typed one.
async function typed() {
  const tab = await open("inside?preset=power&guess=1&kernel=mm1&n=32&size1=1K&line1=16&ways1=2&at=3000");
  const conflicts = async () => (await tab.innerText("#page-inside .counts")).match(/conflict.*/)?.[0].match(/\d[\d,]*/g);
  const [before] = await conflicts();
  await tab.waitForTimeout(1100);
  await tab.click("#page-inside [name=n]");
  await tab.keyboard.press("End");
  await tab.keyboard.press("Backspace");
  await tab.waitForTimeout(1300);
  await tab.keyboard.press("6");
  const [place, [after, was]] = [await tab.textContent("#step-at"), await conflicts()];
  check(/^Step 3,000 of 20,000/.test(place), `typing 36 over 32 keeps the step: ${place}`);
  check(was === before && Number(after.replace(",", "")) < Number(was.replace(",", "")), `and compares with 32: ${after} conflict misses, before ${was}, not ${before}`);
  await close(tab);
}

// All ways of the set that is accessed are visible, and equally wide.
async function allWays() {
  for (const width of [360, 1366, 1920]) for (const view of ["kernel=cm1&array=64K&stride=8K&size1=32K&ways1=8&at=17", "kernel=mm2&n=64&size1=2K&ways1=4&at=8193"]) {
    const tab = await open(`inside?${view}`, { viewport: { width, height: 768 } });
    const boxes = await tab.evaluate(() => [...document.querySelectorAll("#page-inside .sets .now .way")].map(way => {
      const { left, right, width } = way.getBoundingClientRect();
      return { in: left >= 0 && right <= innerWidth, width: Math.round(width) };
    }));
    check(boxes.length === Number(view.match(/ways1=(\d)/)[1]) && boxes.every(box => box.in && box.width === boxes[0].width && box.width > 12),
      `${boxes.length} ways of ${boxes[0]?.width} px are visible at ${width} px`);
    await close(tab);
  }
}

// First a guess, then the steps.
async function guessed() {
  const tab = await open("inside");
  check(!(await tab.isVisible(".stepper")), "a question asks for a guess before its steps are shown");
  await tab.locator(".guesses input").nth(1).focus();
  await tab.keyboard.press("ArrowUp");
  check(!(await tab.isVisible(".stepper")), "an arrow key moves between the guesses, and takes none");
  await tab.keyboard.press("Tab");
  await tab.keyboard.press("Enter");
  check((await tab.evaluate(() => document.activeElement.id)) === "inside-on" && !(await tab.isVisible(".guesses")), "the button takes one, and the focus goes to the steps");
  check((await tab.isVisible(".stepper")) && /Your guess: .*every element misses/i.test(await tab.textContent("#guessed")), `the guess is next to the steps: ${await tab.textContent("#guessed")}`);
  // First the count of his steps, then what happens, then one more question.
  check(!(await tab.isVisible("#happens")), "what happens is not shown before");
  for (let press = 0; press < 8; press++) await tab.keyboard.press("Enter");
  check(/4 elements, 0 misses/.test(await tab.textContent("#tally")) && !(await tab.isVisible("#happens")), `it is counted while he steps: ${await tab.textContent("#tally")}`);
  for (let press = 0; press < 8; press++) await tab.keyboard.press("Enter");
  check((await tab.isVisible("#happens")) && /second pass hits/.test(await tab.textContent("#happens")), "and shown after the pass");
  check(/0 of 1 right, of 3/.test(await tab.textContent("#score")), `the guesses have a score: ${await tab.textContent("#score")}`);
  await tab.fill("#next-count", "4");
  await tab.getByRole("button", { name: "Try it" }).click();
  check(/You said 4; it is 16\./.test(await tab.textContent("#next")) && (await tab.inputValue("#page-inside [name=stride]")) === "4K", `the next question is tried: ${await tab.textContent("#next p[role]")}`);
  for (const [key, is] of [["transposed", "4"], ["power", "4,787"]]) {
    await tab.evaluate(key => { // each next question, to its end
      const { set, to } = TALLIES[key].next;
      location.hash = `#inside?${new URLSearchParams({ ...PRESETS[key], preset: key, guess: 1, ...set, at: to })}`;
    }, key);
    await tab.waitForFunction(is => document.querySelector("#next p[role]").textContent.endsWith(`it is ${is}.`), is, { timeout: 20000 }).catch(() => {});
    check((await tab.textContent("#next p[role]")).endsWith(`it is ${is}.`), `and so is that of ${key}: ${await tab.textContent("#next p[role]")}`);
  }
  const facts = await tab.evaluate(() => {
    const run = kernel => core({ do: "walk", toml: machineToml(document.querySelector("#page-inside form"), false), kernel }).counts;
    const form = document.querySelector("#page-inside form");
    restore(form, PRESETS.stride);
    const stride = run({ name: "cm1", size: 65536, stride: 8192, passes: 3 });
    restore(form, { size1: "1K", line1: "16", ways1: "2" });
    return { misses: stride.accesses - stride.hits, conflicts: [32, 36].map(n => run({ name: "mm1", n }).conflict) };
  });
  check(facts.misses === 8 && facts.conflicts[0] > 4 * facts.conflicts[1], `what the questions say happens: ${JSON.stringify(facts)}`);
  await close(tab);
}

// A user's own accesses: loops, or a trace.
async function ownAccesses() {
  const tab = await open("inside?kernel=own&at=9");
  check(/^Step 9 of 16/.test(await tab.textContent("#step-at")) && /a\[0\]: hit/.test(await tab.textContent(".said")), `the example's second pass hits: ${await tab.textContent(".said")}`);
  await tab.fill("#page-inside [name=own]", "r 0x10000 4\nw 65540\nr 0x18000");
  check(/^Step 3 of 3/.test(await tab.textContent("#step-at")) && /0x18000/.test(await tab.innerText(".address")), "a trace is stepped, with its own addresses");
  await tab.fill("#page-inside [name=own]", "for i in 0..4: load a[j]");
  check(/line 1: no loop around it has the variable 'j'/.test(await say(tab)), `what does not fit is named: ${await say(tab)}`);
  await tab.fill("#page-inside [name=own]", "load <b>[0]");
  check(/'<'/.test(await say(tab)), "and nothing of it becomes part of the page");
  await close(tab);
}

// A guess is drawn before it is measured, by a drag or a slider; the measurement says how far
// it was off.
async function drawn() {
  const tab = await open("here");
  const value = at => tab.textContent(`#guess-${at} + output`);
  const handle = tab.locator("#page-here .guess circle").first();
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  check((await value(0)) === "32 KiB", "the steps begin where those of the known machine are");
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + 20, y, { steps: 4 });
  await tab.mouse.up();
  const first = await value(0);
  check(/^(40|48|64|80|96|112|128) KiB$/.test(first), `a step is dragged: ${first}`);
  await tab.mouse.move(x + 90, y);
  check((await value(0)) === first, "and let go");
  await tab.locator("#guess-1").focus();
  await tab.keyboard.press("End");
  check((await value(1)) === (await value(2)), "no level ends after the next one");
  const said = await tab.evaluate(async () => {
    const level = { level: 1, size_low: 32768, size_high: 32768, size_text: "32 KiB", line: 64, ways: 8, latency_ns: 1, penalty_ns: 3, confidence: "high", agree: 2, of: 2, why: { size: [], line: "l", ways: "w" } };
    Helper.prototype.ask = async function() {
      await this.last;
      this.progress(9, [[4096, 1], [32768, 1.1], [65536, 4], [131072, 4.1]]);
      return { runs: 2, settled: true, levels: [level], beyond_ns: null };
    };
    document.querySelector("#measure").click();
    while (!document.querySelector("#page-here").dataset.done) await new Promise(done => setTimeout(done, 50));
    return [document.querySelector(".you-said").textContent, document.querySelectorAll("#page-here .guess path").length, document.querySelectorAll("#page-here .guess circle").length].join("; ");
  });
  check(said === `Level 1: you said ${first}; it is 32 KiB.; 1; 0`, `the truth is drawn over the guess: ${said}`);
  await close(tab);
}

// This computer, once measured, is there after a reload and in the list of machines; a chart
// can be saved, and each page leads to the next.
async function travels() {
  const tab = await open("here");
  const levels = [{ level: 1, size: 32768, size_text: "32 KiB", size_low: 32768, size_high: 32768, line: 64, ways: 8, latency_ns: 1.5, penalty_ns: 3,
    confidence: "high", agree: 2, of: 2, why: { size: ["the ways."], line: "l.", ways: "w." } }];
  await tab.evaluate(levels => stored.set("computer", { found: { levels }, points: [[4096, 1.5], [32768, 1.5], [65536, 4.5]], at: 0 }), levels);
  await tab.reload();
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  check((await tab.innerText("#verdict")).includes("32 KiB") && (await tab.isVisible("#page-here .picture:not(.known) svg")), "a measurement is there after a reload");
  await tab.click("#page-here .next-part");
  await tab.waitForSelector("#page-any:not([hidden]) .picture svg");
  const { first, machine, ways } = await tab.evaluate(() => {
    const { machine, ways1 } = document.querySelector("#page-any form").elements;
    return { first: machine.options[0].textContent, machine: machine.value, ways: ways1.value };
  });
  check(first === "this computer, measured" && machine === "mine" && ways === "8", `and the first machine of the next page: ${first}, ${machine}, ${ways}`);
  check((await tab.locator("#page-any .picture desc").textContent()).includes("this computer"), "whose curves are drawn");
  if (!firefox) for (const [ending, begins] of [["SVG", "<svg"], ["PNG", "\x89PNG"], ["CSV", "curve,stride,misses per access\r\n8 KiB,"]]) {
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#page-any .numbers").getByRole("button", { name: ending }).click()]);
    await saved.saveAs(join(folder, saved.suggestedFilename()));
    const text = readFileSync(join(folder, saved.suggestedFilename()), "latin1");
    check(text.startsWith(begins) && text.length > 400, `a chart is saved as ${saved.suggestedFilename()}, ${text.length} bytes`);
  }
  await tab.click("#page-any .next-part");
  await tab.click("#page-inside .next-part");
  check(await tab.isVisible("#page-mystery"), "each page leads to the next");
  await tab.click("#link-here");
  await tab.getByRole("button", { name: "Forget it" }).click();
  await tab.click("#link-any");
  await tab.waitForSelector("#page-any:not([hidden]) .picture svg");
  check((await tab.inputValue("#page-any [name=machine]")) === "i5-7500" && (await tab.evaluate(() => document.querySelector("#page-any [name=machine]").options[0].disabled)), "and it can be forgotten");
  await close(tab);
}

// Sizes are read as in a machine's description.
async function sized() {
  const tab = await open("inside?kernel=cm1&stride=1K");
  for (const [text, bytes] of [["64 KiB", 65536], ["8k", 8192], ["4096", 4096], ["0.5 MB", 524288], ["1.2.3", 0], ["64 ns", 0], ["8 x", 0], ["full", 0]]) {
    await tab.fill("#page-inside [name=array]", text);
    const said = await say(tab);
    const steps = Number((await tab.textContent("#step-at")).match(/of ([\d,]+)/)[1].replaceAll(",", ""));
    check(bytes ? !said && steps === 6 * bytes / 1024 : said.includes(`“${text}” is not a size`), `an array of “${text}”: ${steps} steps ${said}`);
  }
  await close(tab);
}

// A point of a curve opens "Inside a cache" with its array, stride and machine.
async function caused() {
  const tab = await open("any");
  await tab.click("#page-any .numbers summary");
  const link = tab.locator("#page-any .numbers tbody tr", { has: tab.locator('th:text-is("4K")') }).locator("a").last();
  const title = await link.getAttribute("title");
  check(title === "64 KiB, stride 4 KiB: 1 misses: 16 lines in 1 set of 8 ways", `a point says its reason: ${title}`);
  await link.click();
  await tab.waitForSelector("#page-inside:not([hidden])");
  const fields = await tab.evaluate(() => ["kernel", "array", "stride", "size1", "ways1", "at"].map(name => document.querySelector(`#page-inside [name=${name}]`).value).join());
  check(fields === "cm1,64K,4K,32K,8,33" && /conflict miss/.test(await tab.textContent(".said")), `and opens the steps behind it: ${fields}`);
  await tab.click("#link-any");
  await tab.waitForSelector("#page-any:not([hidden])");
  const at = await tab.evaluate(async () => {
    const svg = document.querySelector("#page-any .picture svg:not(.before)");
    svg.scrollIntoView({ block: "center", behavior: "instant" });
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame); // what the page moves is in its place
    const [x, y] = svg.chart.curves.find(curve => curve.name === "64 KiB").points.find(point => point?.[2] === "4 KiB");
    const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    return { left, top };
  });
  await tab.mouse.move(at.left + 2, at.top - 2);
  const shown = () => /64 KiB/.test(document.querySelector(".chart-value")?.textContent);
  await tab.waitForFunction(shown, null, { timeout: 10_000 }).catch(() => {}); // the check says what is there instead
  const value = await tab.textContent(".chart-value");
  check(/64 KiB/.test(value) && /16 lines in 1 set of 8 ways/.test(value), `the pointer shows it: ${value.replaceAll("\n", ", ")}`);
  const inset = () => tab.evaluate(() => ["box", "over", "full"].map(kind => document.querySelectorAll(`.chart-value .inset .${kind}`).length).join());
  check((await inset()) === "64,1,0" && /16 lines for 8 ways, so they miss/.test(value), `with the sets of its array, the one that overflows marked: ${await inset()}`);
  await tab.keyboard.press("Escape");
  await tab.locator("#page-any .picture svg:not(.before)").focus();
  const fits = await tab.evaluate(() => { // an array that fills each set, by the keys
    const svg = document.querySelector("#page-any .picture svg:not(.before)");
    const curve = svg.chart.curves.find(curve => curve.name === "32 KiB");
    svg.current = { curve, point: curve.points[0] };
    svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    return document.querySelector(".chart-value").textContent;
  });
  check((await inset()) === "64,0,64" && /at most 8 for 8 ways/.test(fits), `and full sets by the keyboard: ${await inset()}`);
  await tab.mouse.move(at.left + 2, at.top - 2);
  await tab.waitForFunction(shown, null, { timeout: 10_000 }).catch(() => {});
  await tab.mouse.click(at.left + 2, at.top - 2);
  await tab.waitForSelector("#page-inside:not([hidden])");
  check((await tab.inputValue("#page-inside [name=stride]")) === "4K" && /conflict miss/.test(await tab.textContent(".said")), "a click on it opens its accesses");
  await tab.click("#link-any");
  await tab.waitForSelector("#page-any:not([hidden])");
  await tab.locator("#page-any .picture svg:not(.before)").focus();
  for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await tab.keyboard.press(key);
  const opened = () => document.querySelector("#page-inside:not([hidden])");
  check(await tab.waitForFunction(opened, null, { timeout: 5000 }).then(() => true, () => false), "and so does Enter");
  // Each link opens its second pass, or is none.
  const wrong = await tab.evaluate(() => {
    const form = document.querySelector("#page-any form");
    const points = [8, 64, 640, 4096].flatMap(kib => [1, 4, 64, 512].map(stride => [kib * 1024, stride, pointOf(kib * 1024, stride, form, 1)]));
    return points.filter(([size, stride, { href, reason }]) => {
      const walked = core({ do: "walk", toml: machineToml(form), kernel: { name: "cm1", size, stride, passes: 3 } });
      const at = Number(new URLSearchParams(href?.split("?")[1]).get("at"));
      return href ? at > walked.steps : 2 * size / stride < walked.steps || !reason.includes("second pass begins after");
    }).map(([size, stride, { href, reason }]) => `${size} ${stride}: ${href ?? reason}`);
  });
  check(wrong.length === 0, `a point whose second pass is not shown is no link, and says so: ${wrong.length} wrong, ${wrong[0] ?? ""}`);
  await close(tab);
}

// A question's sentence is grey as soon as the settings are not the question's.
async function premised() {
  const tab = await open("inside?preset=stride&guess=1&kernel=cm1&array=64K&stride=8K&passes=3&size1=32K&line1=64&ways1=8&at=32");
  const old = () => tab.evaluate(() => [document.querySelector("#happens > p").hasAttribute("data-old"), document.querySelector("#preset").lastElementChild.checkVisibility()].join());
  check((await old()) === "false,false", "a question's sentence holds with its settings");
  await tab.fill("#page-inside [name=array]", "128K");
  check((await old()) === "true,true", `and is struck out after a change: ${await old()}`);
  await tab.getByRole("button", { name: "Back to them" }).click();
  check((await old()) === "false,false" && (await tab.inputValue("#page-inside [name=array]")) === "64K", "a button leads back");
  await close(tab);
}

// A trace of millions of lines: its beginning is shown, and it is not in the address.
async function longTrace() {
  const tab = await open("inside?kernel=own&at=9");
  for (const lines of [130000, 500000]) {
    await tab.evaluate(lines => {
      const { own } = document.querySelector("#page-inside form").elements;
      own.value = Array.from({ length: lines }, (_, i) => `r ${64 * (i % 4096)} 4`).join("\n");
      own.dispatchEvent(new Event("input", { bubbles: true }));
    }, lines);
    await tab.waitForFunction(() => /of 20,000/.test(document.querySelector("#step-at").textContent), null, { timeout: 20000 }).catch(() => {});
    check(!(await say(tab)) && /first 20,000/.test(await tab.textContent("#preset-note")), `a trace of ${lines} lines is shown: ${await say(tab)} ${await tab.textContent("#preset-note")}`);
  }
  await tab.click("#inside-last");
  await tab.waitForTimeout(400);
  check((await tab.evaluate(() => location.hash.length)) < 4000, "its text is not in the address");
  check(/r \d+ 4/.test(await tab.textContent("#page-inside .loop .here")), "its line is marked");
  const file = join(folder, "trace.txt");
  writeFileSync(file, " L 1000,8\n S 2000,8\n".repeat(100000));
  await tab.locator("#page-inside input[type=file]").setInputFiles(file);
  await tab.waitForFunction(() => /\b0x2000\b/.test(document.querySelector("#page-inside .sets")?.innerText + document.querySelector(".said").textContent));
  check(!(await say(tab)), `a trace of ${readFileSync(file).length} bytes is read from a file: ${await say(tab)}`);
  await tab.fill("#page-inside [name=own]", "nonsense");
  check((await tab.textContent("#preset-note")) === "" && (await say(tab)).length > 10, "an error has no note of the trace before");
  await close(tab);
}

// Times that show nothing are measured once more; then the page says what to do, and nothing
// of events.
async function unclear() {
  const tab = await open("here");
  const told = await tab.evaluate(async () => {
    const inner = core;
    let [first, second] = [0, 0];
    core = request => (request.do === "read" ? { svg: inner(request).svg, answer: { verdict: "refused", reason: "the event counts something else", why: ["Levels: arrays up to 20 KiB"] } } : inner(request));
    const { ask } = Helper.prototype;
    Helper.prototype.ask = function(request) { if (request.from === 0) second = first++; return ask.call(this, request); };
    document.querySelector("#curves").click();
    while (!document.querySelector("#page-here").dataset.done) await new Promise(done => setTimeout(done, 100));
    return { first, text: document.querySelector("#measured").innerText, record: document.querySelector("#page-here").dataset.record };
  });
  check(told.first === 2 && /disturbed/.test(told.text) && !/event|Levels/.test(told.text), `curves without an answer are measured twice, and say what to do: ${told.first}, ${told.text.split("\n").find(line => /No answer/.test(line))}`);
  const digits = JSON.parse(told.record).rows.map(row => String(row.figures[0].amount).replace(/^0\.0*|\./g, "").length);
  check(Math.max(...digits) <= 3, `a browser's times have three digits: ${Math.max(...digits)}`);
  await close(tab);
}

// On paper: the machine, the reasons, no empty page.
async function onPaper() {
  const tab = await open("any");
  await tab.emulateMedia({ media: "print" });
  emulated((await tab.isVisible("#page-any [name=size1]")) && !(await tab.isVisible("footer")), "the machine is printed, the footer is not");
  await tab.evaluate(() => { location.hash = "#inside?preset=stride&guess=1&kernel=cm1&array=64K&stride=8K&passes=3&size1=32K&line1=64&ways1=8&at=32"; });
  await tab.waitForSelector("#page-inside:not([hidden])");
  await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
  emulated(await tab.isVisible("#preset-answer"), "and so is the reason of a question");
  await close(tab);
}

// Arrays, and outcomes in forced colours, are distinguished without their colours.
async function colourless() {
  const tab = await open("inside?kernel=mm1&n=12&size1=512&line1=16&ways1=4&at=500", { forcedColors: "active" });
  const { boxes, key, legend } = await tab.evaluate(() => ({
    boxes: [...document.querySelectorAll("#page-inside .way b")].map(letter => letter.textContent),
    key: document.querySelector("#page-inside .sets .key").innerText,
    legend: [...document.querySelectorAll("#page-inside .results > div > .key span")].map(part => getComputedStyle(part).borderLeftColor),
  }));
  check(new Set(boxes).size === 3 && [...new Set(boxes)].every(letter => key.includes(`${letter} `)), `each box has its array's letter: ${[...new Set(boxes)]}, ${key.replaceAll("\n", " ")}`);
  emulated(new Set(legend).size === 4, `forced colours leave the outcomes their own: ${legend}`);
  await close(tab);
}

// Values that cannot be are not offered: a size or a line has no full associativity.
async function offered() {
  const tab = await open("mystery");
  const forms = await tab.evaluate(() => ["size", "line", "ways"].map(part => [...document.querySelectorAll(`#s311-c-${part} select`)[0].options].some(option => option.value === "fully-associative")));
  check(forms.join() === "false,false,true", `only ways can be fully associative: ${forms}`);
  await tab.click("#link-any");
  await tab.fill("#page-any [name=size1]", "40K");
  await tab.fill("#page-any [name=ways1]", "2");
  check(/Level 1 has 320 sets/.test(await tab.innerText("#page-any")), "sets that are no power of two are named on Any machine too");
  await close(tab);
}

// Texts that a program prints where it has none.
async function printed() {
  const odd = tab => tab.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const found = [];
    const isShown = node => !node.parentElement.closest("metadata");
    while (walker.nextNode()) if (isShown(walker.currentNode) && /\b(null|undefined|NaN)\b|\[object/.test(walker.currentNode.data)) found.push(walker.currentNode.data);
    return found.join("; ");
  });
  for (const view of ["here", "any", "inside", "inside?kernel=own&at=9", "mystery"]) {
    const tab = await open(view);
    await tab.evaluate(() => document.querySelectorAll("details").forEach(details => { details.open = true; }));
    check((await odd(tab)) === "", `no null, undefined, NaN or [object on ${view}: ${await odd(tab)}`);
    await close(tab);
  }
  const tab = await open("here");
  // A level that is known, so that the page offers to compare its curves.
  await tab.evaluate(() => {
    const level = { size: 32768, line: 64, ways: 8, latency_ns: 1, penalty_ns: 3 };
    stored.set("computer", { found: { levels: [level] } });
  });
  await tab.click("#curves");
  await tab.waitForSelector("#page-here[data-done]", { state: "attached", timeout: 300000 });
  check((await odd(tab)) === "" && (await tab.locator("#measured > .buttons button").count()) === 2, `nor after the curves: ${await odd(tab)}`);
  await close(tab);
}

// Random gestures on all pages: no exception, no text of a missing value, no lost step; how
// long frames took is printed.
async function fumbled() {
  const tab = await open("inside");
  const told = await tab.evaluate(async gestures => {
    let seed = 11;
    const random = below => (seed = (seed * 48271) % 2147483647) % below;
    const any = all => all[random(all.length)];
    const frames = [];
    let last = performance.now();
    const frame = now => { frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    const TEXTS = ["", "0", "3", "48", "1e9", "64 KiB", "8k", "-1", "x", "4 ns", "full", "r 0x40 4\nw 80", "for i in 0..9: load a[i*8]", "é\u202e<b>"];
    const LEFT_OUT = /^(Measure this|Curves by|SVG|PNG|CSV|Save)/; // minutes, downloads
    const section = () => document.querySelector("section:not([hidden])");
    const { at } = document.querySelector("#page-inside form").elements;
    const lost = [];
    const [odd, slow] = [new Set(), []];
    for (let gesture = 0; gesture < gestures; gesture++) {
      const page = section();
      const seen = [...document.querySelectorAll("nav a"), ...page.querySelectorAll("button, input:not([type=file]), select, textarea, summary, a, svg.chart, canvas")].filter(part =>
        part.checkVisibility() && !part.disabled && !LEFT_OUT.test(part.textContent));
      const part = random(12) ? any(seen.filter(part => !part.closest("nav"))) ?? any(seen) : any([...document.querySelectorAll("nav a")]);
      const before = at.value;
      const began = performance.now();
      const input = () => { part.dispatchEvent(new Event("input", { bubbles: true })); part.dispatchEvent(new Event("change", { bubbles: true })); };
      part.focus?.();
      if (part.matches("[type=range]")) { part.value = Number(part.min) + random(1 + part.max - part.min); input(); }
      else if (part.matches("select")) { part.value = any([...part.options].filter(option => !option.disabled)).value; input(); }
      else if (part.matches("input:not([type=radio], [type=checkbox]), textarea")) { part.value = any(TEXTS); input(); }
      else if (part.matches("svg, canvas")) {
        const { left, top, width, height } = part.getBoundingClientRect();
        const at = { bubbles: true, clientX: left + random(Math.ceil(width)), clientY: top + random(Math.ceil(height)) };
        for (const kind of ["pointermove", "pointerdown", "pointerup", "click"]) part.dispatchEvent(new (kind === "click" ? MouseEvent : PointerEvent)(kind, at));
        part.dispatchEvent(new KeyboardEvent("keydown", { key: any(["ArrowRight", "ArrowUp", "Enter", "Escape"]), bubbles: true }));
      } else part.click();
      if (part.closest("form.controls") && page.id === "page-inside" && at.value !== before) lost.push(`${part.name || part.ariaLabel}: ${before} to ${at.value}`);
      await new Promise(requestAnimationFrame);
      slow.push([performance.now() - began, `${page.id} ${part.id || part.name || part.textContent.slice(0, 20)} ${part.value ?? ""} ${document.querySelector("#page-inside form").elements.kernel.value}`]);
      if (random(7) === 0) await new Promise(done => setTimeout(done, 30));
      if (gesture % 10) continue;
      const walker = document.createTreeWalker(section(), NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("metadata") && /\b(null|undefined|NaN)\b|\[object/.test(walker.currentNode.data)) odd.add(walker.currentNode.data.slice(0, 80));
    }
    frames.sort((a, b) => a - b);
    slow.sort(([a], [b]) => b - a);
    return { lost, odd: [...odd], slow: slow.slice(0, 5).map(([time, what]) => `${what} ${time.toFixed(0)} ms`).join("; "), count: frames.length, longest: frames.at(-1), above: frames.filter(time => time > 250).length, middle: frames[frames.length >> 1] };
  }, gestures);
  check(told.lost.length === 0, `${gestures} random gestures lose no step: ${told.lost.slice(0, 3)}`);
  check(told.odd.length === 0, `and print no missing value: ${told.odd.slice(0, 3).join("; ")}`);
  console.log(`     ${told.count} frames: median ${told.middle.toFixed(0)} ms, longest ${told.longest.toFixed(0)} ms, ${told.above} above 250 ms; slowest gestures: ${told.slow}`);
  await close(tab);
}

// Without scripts, and without a store, the page says so; no page has words of a command line.
async function limited() {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(url);
  emulated(/Scripts are off/.test(await plain.innerText("body")), "without scripts the page says so");
  await context.close();
  const tab = await open("mystery");
  const words = await tab.evaluate(() => Object.values(TEXT).filter(text => / --\w|\blab (web|infer|plot|discover|run)/.test(text)));
  check(words.length === 0, `no words of a command line: ${words}`);
  await tab.evaluate(() => { delete IDBFactory.prototype.open; location.hash = "#here"; });
  await close(tab);
  const blocked = await browser.newContext();
  await blocked.addInitScript(() => Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("blocked"); } }));
  const without = await watched(blocked, "mystery");
  await without.locator("#page-mystery textarea").first().fill("x");
  check(/stores nothing/.test(await without.innerText("#page-mystery")), "without a store it says so");
  await blocked.close();
}

// In this order: some use what one before left in `folder`.
const alone = firefox ? [] : [accessible];
const driven = firefox ? [] : [killed, curves];
const parts = [...alone, equal, redraw, changeable, sliders, returned, quick, unfrozen, focused, argued, laidOver, readable, numbers, victims, bounded,
  standing, oneScreen, sparse, impossible, compared, typed, allWays, guessed, premised, ownAccesses, longTrace, drawn, travels, sized, offered, onPaper, colourless, caused, fumbled, limited, inSight, linked, undone, steps, badInput, background, printed, unclear,
  mystery, exchanged, ...driven, clocks, tally];
const unknown = only.filter(name => !parts.some(part => part.name === name));
check(unknown.length === 0, `each part of --only is one of the test's: ${unknown}`);
for (const part of parts) if (!only.length || only.includes(part.name)) await part();
await browser.close();
rmSync(folder, { recursive: true });
if (failures.length) { console.error(`web_test: ${failures.length} of the checks failed`); process.exit(1); }
