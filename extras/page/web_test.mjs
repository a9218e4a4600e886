// Drives lab.html in a browser. usage: node web_test.mjs LAB.html ANSWER BIN [--firefox] [--full] [--loads N] [--only PART,PART]
// ANSWER is the native program of examples/answer.rs, BIN the folder of the programs. Environment:
// WEB_TEST_BROWSER and WEB_TEST_FIREFOX, the browsers' files; NODE_PATH has playwright-core and axe-core.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { axe, FLAGS, playwright, start } from "../../scripts/browser.mjs";

const [page, native, bin] = process.argv.slice(2);
const [lab, course] = ["lab", "course"].map(name => `${bin}/${name}`);
const after = option => (process.argv.includes(option) ? process.argv[process.argv.indexOf(option) + 1] : "");
const [firefox, full] = ["--firefox", "--full"].map(option => process.argv.includes(option));
const loads = Number(after("--loads"));
const only = after("--only").split(",").filter(Boolean);
const url = pathToFileURL(resolve(page)).href;
const folder = mkdtempSync(join(tmpdir(), "web-test-"));
const failures = [];
const check = (holds, what) => { if (!holds) failures.push(what); if (!holds || full || only.length) console.log(`${holds ? "ok  " : "FAIL"} ${what}`); };

const browser = firefox
  ? await playwright.firefox.launch({ channel: "moz-firefox", executablePath: process.env.WEB_TEST_FIREFOX }).catch(why => {
    console.log(`note: the page is not tested in Firefox, which its driver cannot start: ${why.message.split("\n")[0]}`);
    process.exit();
  })
  : await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });

// A fresh tab at `view`; any error in its console is a failure.
async function open(view, options = {}, from = url) {
  return watched(await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options }), view, from);
}
async function watched(context, view, from = url) {
  const tab = await context.newPage();
  tab.on("console", message => { if (["error", "warning"].includes(message.type())) check(false, `console: ${message.text()}`); });
  tab.on("pageerror", error => check(false, `page error: ${error.message}`));
  tab.on("request", request => { if (!request.url().startsWith(from) && !/^(blob|data):/.test(request.url())) check(false, `request to ${request.url()}`); });
  await tab.goto(`${from}#${view}`);
  await ready(tab);
  return tab;
}
const ready = tab => tab.waitForSelector("html[data-ready]", { state: "attached", timeout: 60000 });
const close = tab => tab.context().close();
// Shows `view`; the page has then handled the change of its address.
const go = (tab, view) => tab.evaluate(view => new Promise(done => {
  const before = location.href;
  addEventListener("hashchange", () => done(), { once: true }); // after the page's own listener
  location.hash = `#${view}`;
  if (location.href === before) done();
}), view);
const click = async (tab, link, view) => { await tab.click(link); await tab.waitForSelector(`#page-${view}:not([hidden])`); };
const COMPLAINT = "main > section:not([hidden]) .complaint";
const say = tab => tab.locator(COMPLAINT).first().textContent();
// Checks that the text of an element, or the value of a field, becomes one that `wanted` fits: a browser may handle a
// key or a click after its driver has gone on.
async function reads(tab, element, wanted, what) {
  const read = () => tab.locator(element).first().evaluate(node => (node.matches("input, select, textarea") ? node.value : node.textContent));
  let text = await read();
  for (let tries = 0; tries < 600 && !wanted.test(text); tries++, text = await read()) await tab.waitForTimeout(50);
  check(wanted.test(text), `${what}: ${text.replaceAll("\n", ", ")}`);
}
// Types into a field; the page has then handled it.
async function fill(tab, element, text) {
  const field = tab.locator(element).first();
  const input = await field.evaluateHandle(node => ({ event: new Promise(done => node.addEventListener("input", () => done(), { once: true })) }));
  await field.fill(text);
  await input.evaluate(({ event }) => event);
}
// Waits until a function in the page is true, which it is not yet; whether it became true.
const becomes = (tab, is, argument, timeout = 20000) => tab.waitForFunction(is, argument, { timeout }).then(() => true, () => false);
// Waits until the page was drawn, and has had the event of a scroll before.
const frames = tab => tab.evaluate(async () => { for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame); });
const written = (name, text) => { writeFileSync(join(folder, name), text); return join(folder, name); };
const unfold = tab => tab.evaluate(() => document.querySelectorAll("details").forEach(details => { details.open = true; }));
const slide = (tab, field, by) => tab.evaluate(([field, by]) => {
  const text = document.querySelector(`section:not([hidden]) [name=${field}]`);
  const range = text.closest(".field").querySelector("[type=range]");
  range.value = Number(range.value) + (by || (range.value === range.max ? -1 : 1));
  range.dispatchEvent(new Event("input", { bubbles: true }));
  return text.value;
}, [field, by]);
const POWER = "preset=power&guess=1&kernel=mm1&n=32&size1=1K&line1=16&ways1=2";

// What a person without a mouse or with large text needs, in each view, and after changes.
async function accessible() {
  const clean = async (tab, what) => {
    await tab.evaluate(axe.source);
    const { violations } = await tab.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
    check(violations.length === 0, `axe: ${what} ${violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join("; ")}`);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `no sideways scrolling: ${what}, ${wide} px`);
  };
  for (const [width, colorScheme] of [[360, "light"], [1280, "dark"]]) {
    const tab = await open("here", { viewport: { width, height: 900 }, colorScheme });
    for (const view of ["here", "any", `inside?${POWER}&at=200`, ...(width === 360 ? ["inside", "mystery"] : [])]) {
      await go(tab, view);
      await tab.waitForTimeout(100);
      await clean(tab, `${view.split("&")[0]}, ${width} px, ${colorScheme}`);
    }
    if (width === 1280) { await tab.click("#inside-half"); await clean(tab, "half a step"); }
    await go(tab, "any");
    await fill(tab, "#page-any [name=ways1]", "3");
    await clean(tab, `a field that is wrong, ${width} px`);
    await close(tab);
  }
  const tab = await open("here", { viewport: { width: 1366, height: 768 } });
  await tab.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
  for (const view of ["here", "any", `inside?${POWER}&at=200`, "mystery"]) {
    await go(tab, view);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `text of 200 % needs no sideways scrolling: ${view.split("?")[0]}, ${wide} px`);
  }
  await close(tab);
}

// All modelled figures equal those of the programs, digit by digit.
async function equal() {
  const tab = await open("any");
  const machines = await tab.evaluate(() => core({ do: "catalogue" }));
  const toml = 'name = "small"\n[[cache]]\nlevel = 1\nsize = 512\nline = 16\nways = 2\n';
  const kernels = ["mm1", "mm2", "mm3", ...["ijk", "jik", "ikj", "kij", "jki", "kji"].map(order => `dgemm ${order}`)];
  const requests = machines.flatMap(({ toml }) => [
    { do: "sweep", toml, show: { misses: { level: 1 } }, min: 8192, max: 65536 },
    { do: "sweep", toml, show: "time", min: 4096, max: 262144 },
    ...kernels.map(program => ({ program, n: 96, toml })),
  ]).concat({ do: "walk", toml, kernel: { name: "mm1", n: 12 } }, ...[0, 1, 300, 4000].flatMap(at => [{ do: "step", at }, { do: "step", at, half: true }, { do: "probe", at, address: 1000 }]));
  const asked = await tab.evaluate(all => all.map(request => (request.program ? missRequest(request.program, request.n, request.toml) : request)), requests);
  const inTab = await tab.evaluate(all => all.map(request => { try { return { ok: core(request) }; } catch (error) { return { error: error.message }; } }), asked);
  const outside = execFileSync(native, { input: asked.map(request => JSON.stringify(request)).join("\n") + "\n", maxBuffer: 1 << 28 }).toString().trim().split("\n");
  const text = answer => JSON.stringify(answer).replace(/"version":"[^"]*"/, ""); // the commit of each build
  const different = asked.filter((_, i) => text(inTab[i]) !== text(JSON.parse(outside[i])));
  check(different.length === 0, `${asked.length} modelled answers for ${machines.length} machines equal the programs' ${different.slice(0, 3).map(r => JSON.stringify(r).slice(-90)).join(" ")}`);
  check(inTab.every(answer => answer.ok), "and none of them is a refusal");
  await close(tab);
}

// After a change the keyboard and a screen reader have one chart, the new one; that from before is a picture.
async function oneChart() {
  const tab = await open("any");
  for (const ways of ["4", "2", "1"]) {
    await fill(tab, "#page-any [name=ways1]", ways);
    await reads(tab, "#page-any .picture svg.chart desc", RegExp(ways === "1" ? "32 KiB direct-mapped" : `32 KiB ${ways}-way`), "a change is drawn");
    const counts = await tab.evaluate(() => ["svg.before", "svg.chart", "svg[tabindex='0']", "svg.before metadata"].map(kind => document.querySelectorAll(`#page-any .picture ${kind}`).length).join());
    check(counts === "1,1,1,0", `${ways} ways: the curves before are a picture, one chart has the focus: ${counts}`);
    await tab.locator("#page-any .picture").focus();
    await tab.keyboard.press("Tab");
    await frames(tab);
    for (const key of ["ArrowRight", "ArrowDown"]) await tab.keyboard.press(key);
    await reads(tab, ".chart-value", RegExp(`of ${ways} way`), "and the keys read it");
    if (ways !== "4" || firefox) continue;
    await tab.evaluate(axe.source);
    const { violations } = await tab.evaluate(() => axe.run());
    check(violations.length === 0, `axe after a change: ${violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 90)}`).join("; ")}`);
  }
  // Arrays that all fit have no step: the axis goes to a tenth.
  const ticks = () => tab.evaluate(() => [...document.querySelectorAll("#page-any .picture svg.chart text")].map(text => text.textContent.trim()));
  await fill(tab, "#page-any [name=ways1]", "8");
  await fill(tab, "#page-any [name=size1]", "64K");
  await reads(tab, "#page-any .picture svg.chart desc", /64 KiB 8-way/, "a larger cache is drawn");
  const shown = await ticks();
  check(shown.includes("0.1") && shown.includes("64 KiB"), `where all arrays fit, the axis ends at 0.1: ${shown.slice(2, 9)}`);
  await close(tab);
}

// A point of a curve says its reason and its sets, and opens "Inside a cache" with its array, stride and machine.
async function caused() {
  const tab = await open("any");
  await tab.click("#page-any .numbers summary");
  const link = tab.locator("#page-any .numbers tbody tr", { has: tab.locator('th:text-is("4K")') }).locator("a").last();
  const title = await link.getAttribute("title");
  check(title === "16 lines in 1 set of 8 ways", `a number of the table says its reason: ${title}`);
  await link.click();
  await tab.waitForSelector("#page-inside:not([hidden])");
  const fields = await tab.evaluate(() => ["kernel", "array", "stride", "size1", "ways1", "at"].map(name => document.querySelector(`#page-inside [name=${name}]`).value).join());
  check(fields === "cm1,64K,4K,32K,8,33" && /conflict miss/.test(await tab.textContent(".said")), `and opens the steps behind it: ${fields}`);
  await go(tab, "any");
  await tab.evaluate(() => document.querySelector("#page-any .picture svg.chart").scrollIntoView({ block: "center", behavior: "instant" }));
  await frames(tab);
  const at = await tab.evaluate(() => {
    const svg = document.querySelector("#page-any .picture svg.chart");
    const [x, y] = svg.chart.curves.find(curve => curve.name === "64 KiB").points.find(point => point?.[2] === "4 KiB");
    const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    return { left, top };
  });
  await tab.mouse.move(at.left + 2, at.top - 2);
  await reads(tab, ".chart-value", /64 KiB.*16 lines in 1 set of 8 ways/s, "the pointer finds a point");
  const inset = await tab.evaluate(() => ["box", "over", "full"].map(kind => document.querySelectorAll(`.chart-value .inset .${kind}`).length).join());
  check(inset === "64,1,0", `with its sets, the one that overflows marked: ${inset}`);
  await tab.mouse.click(at.left + 2, at.top - 2);
  check(await becomes(tab, () => document.querySelector("#page-inside:not([hidden])")), "a click on it opens its accesses");
  await go(tab, "any");
  await tab.locator("#page-any .picture svg.chart").focus();
  for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await tab.keyboard.press(key);
  check(await becomes(tab, () => document.querySelector("#page-inside:not([hidden])")), "and so does Enter");
  const [last, beyond] = await tab.evaluate(() => [624, 640].map(kib => pointOf(kib * 1024, 64, document.querySelector("#page-any form"), 1)));
  check(/at=19969$/.test(last.href) && !beyond.href && /second pass begins after/.test(beyond.reason), `a point whose second pass is not shown is no link, and says so: ${last.href} ${beyond.reason}`);
  await close(tab);
}

// The selection is in the address: a link, Back and another page bring it back.
async function linked() {
  const tab = await open("any");
  const ways = tab.locator("#page-any [name=ways1]");
  const first = await ways.inputValue();
  for (const value of ["4", "2"]) {
    await ways.fill(value);
    check(await becomes(tab, value => location.hash.includes(`ways1=${value}`), value), `the address has ${value} ways`);
  }
  const back = async value => { await tab.goBack(); return becomes(tab, value => document.querySelector("#page-any [name=ways1]")?.value === value, value); };
  check(await back("4") && await back(first), `Back takes a change of a field back: ${await ways.inputValue()}`);
  await tab.selectOption("[name=machine]", "zen3");
  await ways.fill("4");
  check(await becomes(tab, () => location.hash.includes("ways1=4")), "and so has that of another machine");
  const hash = await tab.evaluate(() => location.hash);
  await tab.goto("about:blank");
  await tab.goto(url + hash);
  await ready(tab);
  await reads(tab, "#page-any .picture svg.chart desc", /4-way/, `a link brings the view back: ${hash.slice(0, 60)}`);
  const four = [1, 2, 3, 4].map(level => `[[cache]]\nlevel = ${level}\nsize = "${4 ** level}K"\nline = 64\nways = 4\n`).join("");
  await unfold(tab);
  await fill(tab, "#toml", `name = "four"\n${four}`);
  await tab.getByRole("button", { name: "Use this text" }).click();
  await go(tab, "inside?kernel=mm1&n=12&at=1");
  await click(tab, "#link-any", "any");
  check((await tab.inputValue("#toml")).split("[[cache]]").length === 5, "a description of four levels is there after another page");
  await ways.fill("2");
  await reads(tab, COMPLAINT, /more levels/, "and no field takes its fourth level away");
  check((await tab.inputValue("#toml")).split("[[cache]]").length === 5, "it is there still");
  await click(tab, "#link-inside", "inside");
  await reads(tab, "#step-at", /^Step 1 of/, "so is the step inside a cache");
  for (const hash of ["constructor", "__proto__?a=b", "inside?preset=nonsense&kernel=nonsense&n=8&at=5"]) {
    await go(tab, hash);
    check(!/nonsense/.test(await tab.innerText("main")) && (await tab.innerText("main")).length > 100, `#${hash} shows a page`);
  }
  await close(tab);
}

async function badInput() {
  const tab = await open("any");
  await unfold(tab);
  await fill(tab, "#page-any [name=latency1]", "1,5 ns");
  check(!(await say(tab)) && (await tab.inputValue("#toml")).includes('latency = "1.5 ns"'), "a time may have a decimal comma");
  const broken = "[[cache]]\nlevel = ";
  await fill(tab, "#toml", broken);
  await tab.getByRole("button", { name: "Use this text" }).click();
  await reads(tab, COMPLAINT, /line 2, level/, "broken TOML");
  const file = tab.locator("#page-any input[type=file]").first();
  await file.setInputFiles(written("mm1.json",
    '{"program":"mm1","version":"0","settings":{},"machine":"x","notes":[],"rows":[{"place":{"size":512},"figures":[]}]}'));
  await reads(tab, COMPLAINT, /record of mm1/, "a record of mm1");
  const huge = written("huge.json", "");
  truncateSync(huge, 200 << 20);
  await file.setInputFiles(huge);
  await reads(tab, COMPLAINT, /huge.json has 200 MiB/, "a file of 200 MiB");
  await tab.selectOption("[name=show]", "2");
  await reads(tab, "#page-any svg.chart title", /level 2/, "the page goes on");
  await fill(tab, "#page-any [name=line1]", "24");
  await reads(tab, COMPLAINT, /^Level 1, Line/, "a field that is wrong is named");
  await tab.selectOption("[name=machine]", "i5-7500");
  await fill(tab, "#page-any [name=size1]", "40K");
  await fill(tab, "#page-any [name=ways1]", "2");
  await reads(tab, "#page-any .results > .soft", /Level 1 has 320 sets/, "sets that are no power of two are named");
  await go(tab, "inside?kernel=cm1&stride=1K");
  for (const [text, bytes] of [["64 KiB", 65536], ["8k", 8192], ["4096", 4096], ["0.5 MB", 524288], ["1.2.3", 0], ["64 ns", 0], ["full", 0]]) {
    await fill(tab, "#page-inside [name=array]", text);
    const [said, steps] = [await say(tab), Number((await tab.textContent("#step-at")).match(/of ([\d,]+)/)[1].replaceAll(",", ""))];
    check(bytes ? !said && steps === 6 * bytes / 1024 : said.includes(`“${text}” is not a size`), `an array of “${text}”: ${steps} steps ${said}`);
  }
  await go(tab, "here");
  await tab.evaluate(() => { ROUNDS[0][1] = 4095; }); // more memory than WebAssembly has
  await tab.click("#measure");
  await reads(tab, COMPLAINT, /gives this page no 3.999 GiB/, "memory refused");
  check(await tab.isEnabled("#measure"), "and the page goes on");
  await close(tab);
}

// Moves of sliders lead from one valid machine to another, a little at a time.
async function sliders() {
  const tab = await open("any");
  await unfold(tab);
  for (const view of ["any", "inside?kernel=mm1"]) {
    await go(tab, view);
    const complaints = await tab.evaluate(() => {
      let seed = 7;
      const random = below => (seed = (seed * 48271) % 2147483647) % below;
      const all = [...document.querySelectorAll("section:not([hidden]) form.controls .field [type=range]")].filter(range => range.offsetParent);
      const said = new Set();
      for (let move = 0; move < 100; move++) {
        const range = all[random(all.length)];
        range.value = Math.max(0, Math.min(range.max, Number(range.value) + (random(2) ? 1 : -1)));
        range.dispatchEvent(new Event("input", { bubbles: true }));
        for (const box of document.querySelectorAll("section:not([hidden]) .complaint")) if (box.textContent) said.add(box.textContent);
      }
      return [...said];
    });
    check(complaints.length === 0, `100 moves of the sliders of ${view.split("?")[0]} stay among possible machines ${complaints[0] ?? ""}`);
  }
  await go(tab, "any");
  for (const name of await tab.evaluate(() => core({ do: "catalogue" }).map(({ name }) => name))) {
    await tab.selectOption("[name=machine]", name);
    const before = await tab.inputValue("#page-any [name=size1]");
    const value = text => parseFloat(text) * (text.endsWith("M") ? 1024 : text.endsWith("K") ? 1 : 1 / 1024);
    const factor = value(await slide(tab, "size1", 1)) / value(before);
    await slide(tab, "ways1");
    check(!(await say(tab)) && factor >= 1 && factor <= 2.1 && (await tab.inputValue("[name=machine]")) === "own", `${name} with another size and ways is drawn, factor ${factor} ${await say(tab)}`);
  }
  await close(tab);
}

// No request freezes the page, and what takes long can be stopped.
async function quick() {
  const tab = await open("inside?kernel=mm1&n=32");
  for (const [kernel, n] of [["mm1", "1000"], ["dgemm jki", "512"]]) {
    const took = await tab.evaluate(([kernel, n]) => {
      const form = document.querySelector("#page-inside form");
      [form.elements.kernel.value, form.elements.n.value] = [kernel, n];
      const began = performance.now();
      form.elements.n.dispatchEvent(new Event("input", { bubbles: true }));
      return performance.now() - began;
    }, [kernel, n]);
    check(took < 20000 && /first 20,000/.test(await tab.textContent("#preset-note")), `${kernel} ${n} is stepped after ${took.toFixed(0)} ms`);
  }
  await go(tab, "any");
  await unfold(tab);
  await tab.waitForSelector("#page-any .picture svg.chart");
  const before = (await tab.locator("#page-any .picture").boundingBox()).y;
  await tab.selectOption("#page-any [name=replacement1]", "random");
  const stop = tab.locator("#page-any .waiting button");
  await stop.waitFor(); // the page's timer goes on while a worker computes
  check((await tab.locator("#page-any .picture").boundingBox()).y === before, "random replacement: a Stop is there, and the chart keeps its place");
  await stop.click();
  await reads(tab, COMPLAINT, /^Stopped\.$/, "Stop ends it");
  await tab.selectOption("#page-any [name=replacement1]", "fifo");
  await tab.waitForSelector("#page-any .picture:not([aria-busy]):not([data-old]) svg.chart", { timeout: 20000 });
  await tab.selectOption("#page-any [name=kernel]", "dgemm jki");
  const rows = n => tab.evaluate(n => { document.querySelector("#page-any [name=n]").value = n; }, n);
  await rows(1000);
  await tab.getByRole("button", { name: "Count its misses" }).click();
  await tab.waitForSelector("#page-any progress[max]");
  await tab.getByRole("button", { name: "Stop", exact: true }).click();
  await tab.waitForSelector("#page-any progress[max]", { state: "hidden" });
  await rows(32);
  await tab.getByRole("button", { name: "Count its misses" }).click();
  await tab.waitForSelector("#page-any [aria-labelledby=products] table");
  await close(tab);
}

// First a guess, then the steps with their count, then what happens.
async function guessed() {
  const tab = await open("inside");
  check(!(await tab.isVisible(".stepper")), "a question asks for a guess before its steps are shown");
  await tab.locator(".guesses input").nth(1).focus();
  await tab.keyboard.press("ArrowUp");
  check(!(await tab.isVisible(".stepper")), "an arrow key moves between the guesses, and takes none");
  await tab.keyboard.press("Tab");
  await tab.keyboard.press("Enter");
  await reads(tab, "#guessed", /Your guess: .*every element misses/i, "the button takes one");
  check((await tab.evaluate(() => document.activeElement.id)) === "inside-on", "and the focus goes to the steps");
  for (let press = 0; press < 8; press++) await tab.keyboard.press("Enter");
  await reads(tab, "#tally", /4 elements, 0 misses\. Press ▶/, "it is counted while he steps");
  check(!(await tab.isVisible("#happens")), "and what happens is not said before the pass ends");
  for (let press = 0; press < 8; press++) await tab.keyboard.press("Enter");
  await reads(tab, "#tally", /8 elements, 0 misses\.\s*$/, "after the pass it asks for no more");
  check(/second pass hits/.test(await tab.textContent("#happens")) && (await tab.isVisible("#happens")), "and says what happens");
  const old = () => tab.evaluate(() => [document.querySelector("#happens > p").hasAttribute("data-old"), document.querySelector("#preset").lastElementChild.checkVisibility()].join());
  check((await old()) === "false,false", "its sentence holds with its settings");
  await fill(tab, "#page-inside [name=array]", "128K");
  check((await old()) === "true,true", "and is struck out after a change");
  await tab.getByRole("button", { name: "Back to them" }).click();
  await reads(tab, "#page-inside [name=array]", /^64K$/, "a button leads back");
  check((await old()) === "false,false", "and the sentence holds again");
  await go(tab, `inside?${POWER}&at=20000`);
  await fill(tab, "#page-inside [name=n]", "36");
  await reads(tab, "#tally", /20,000 accesses, 687 conflict misses\.\s*$/, "rows of 36 are counted too");
  check(await tab.isVisible("#happens"), "with what happens");
  await close(tab);
}

// One step: its halves, its line from the loop to the set, the line that leaves, and what another address would do.
async function stepped() {
  const tab = await open("inside?kernel=cm1&array=64K&stride=4K&passes=3&size1=32K&line1=64&ways1=8&at=32");
  const count = kind => tab.locator(`#page-inside ${kind}`).count();
  await tab.click("#inside-half");
  await reads(tab, ".said", /^Step 33, first half: x\[0\] is in set 0; its tag 0x0 .* None has it: a conflict miss\.$/, "half a step compares the tags");
  check((await count(".now .other")) === 8 && !(await count(".now .same")), "none of the 8 is the same");
  check((await tab.textContent("#step-at")).startsWith("Step 32 ") && (await tab.isVisible("#page-inside .thread")), "the step is not made yet, the line leads to its set");
  const probes = async (text, wanted, what) => { await fill(tab, "#probe", text); await reads(tab, ".probe output", wanted, what); };
  await probes("0x9000", /^Set 0, tag 0x9, offset 0: hit\.$/, "a typed address would hit");
  await tab.click("#inside-half");
  await reads(tab, ".said", /^Step 33: load of x\[0\]: conflict miss\. x\[32768\] is evicted/, "the second half makes it");
  await reads(tab, "#page-inside .gone", /^8$/, "the evicted line is struck out");
  await probes("32768", /tag 0x8, offset 0: miss, which evicts x\[36864\]\.$/, "and its address would now miss");
  await probes("0x40", /^Set 1, .* empty way\.$/, "in an empty set");
  await probes("a[5]", /^Write an address/, "what is no address is named");
  await tab.click("#inside-on");
  await reads(tab, "#step-at", /^Step 34 /, "a step on");
  check(!(await count(".gone")), "with the next step it is gone");
  // Tags of large arrays are whole.
  await go(tab, `inside?${new URLSearchParams({ kernel: "own", own: "load a[16000000]\nload a[14000128]", size1: "512", line1: "8", ways1: "8", at: 2 })}`);
  const cut = await tab.evaluate(() => [...document.querySelectorAll("#page-inside .way:not(.empty)")].map(box => [box.textContent, box.scrollWidth > box.clientWidth]));
  check(cut.length === 2 && cut[0][0] !== cut[1][0] && cut.every(([, isCut]) => !isCut), `no tag is cut in its box: ${JSON.stringify(cut)}`);
  // A step after a change: the counts before are next to it.
  await go(tab, "inside?kernel=mm1&n=12&size1=512&line1=16&ways1=4&at=500");
  await tab.waitForTimeout(1100);
  await slide(tab, "ways1", -1);
  check(/^Step 500 of/.test(await tab.textContent("#step-at")) && /conflict misses\s.*\(before: [\d,]+\)/.test(await tab.innerText("#page-inside .counts")), "a slider keeps the step, with the counts before");
  await tab.selectOption("#page-inside .stepper select", "capacity");
  await tab.click("#inside-last");
  await tab.click("#inside-miss");
  await reads(tab, ".said", /^No capacity miss after step/, "a miss that does not come");
  // Play.
  await go(tab, "inside?kernel=cm1&stride=1K&at=20");
  await tab.click("#inside-play");
  const plays = await becomes(tab, () => Number(document.querySelector("#step").value) > 24);
  await tab.click("#inside-play");
  await reads(tab, "#inside-play", /^Play$/, "another press pauses");
  const paused = await tab.inputValue("#step");
  await tab.waitForTimeout(300);
  check(plays && (await tab.inputValue("#step")) === paused && paused < 384, `play steps, and pauses: ${paused}`);
  // Own accesses.
  await go(tab, "inside?kernel=own&at=9");
  await reads(tab, ".said", /^Step 9: .*a\[0\]: hit/, "own loops: the example's second pass hits");
  await fill(tab, "#page-inside [name=own]", "for i in 0..4: load <b>[j]");
  await reads(tab, COMPLAINT, /line 1: .*'<'/, "what does not fit is named");
  await close(tab);
}

// The access in the loop, its address and its box are on one screen, with a line between them that crosses no text.
async function oneScreen() {
  const tab = await open("inside", { viewport: { width: 1280, height: 800 } });
  for (const [key, at] of [["stride", 18], ["transposed", 8194], ["power", 300], ["stride", 32], ["power", 20000]]) {
    await go(tab, await tab.evaluate(([key, at]) => `inside?${new URLSearchParams({ ...QUESTIONS[key].settings, preset: key, guess: 1, at })}`, [key, at]));
    const told = await tab.evaluate(() => {
      const seen = [".stepper", "#tally", "mark", ".part.set", ".touched"].filter(part => {
        const { top, bottom, right } = document.querySelector(`#page-inside ${part}`).getBoundingClientRect();
        return !(top >= 0 && bottom <= innerHeight && right <= innerWidth);
      });
      const path = document.querySelector("#page-inside .thread path");
      const at = part => path.getPointAtLength(path.getTotalLength() * part).matrixTransform(path.getScreenCTM());
      const inside = (point, part) => { const { left, right, top, bottom } = part.getBoundingClientRect(); return point.x > left - 3 && point.x < right + 3 && point.y > top - 3 && point.y < bottom + 3; };
      const ends = inside(at(0), document.querySelector("#page-inside mark")) && inside(at(1), document.querySelector("#page-inside .touched"));
      const crossed = [...document.querySelectorAll("#page-inside :is(h3, .key, .part.tag, .part.offset)")].filter(part => part.checkVisibility() && Array.from({ length: 40 }, (_, i) => at(i / 40)).some(point => inside(point, part)));
      return { seen, ends, crossed: crossed.map(part => part.textContent) };
    });
    check(!told.seen.length && told.ends && !told.crossed.length, `${key}, step ${at}: on one screen but ${told.seen}, the line leads from the access to its box: ${told.ends}, across: ${told.crossed}`);
  }
  await close(tab);
  const phone = await open("inside?kernel=mm1&n=32&size1=1K&line1=16&ways1=4&at=200", { viewport: { width: 360, height: 740 } });
  await phone.evaluate(() => document.querySelector(".sets").scrollIntoView());
  const [height, covered, boxes] = await phone.evaluate(() => {
    const stepper = document.querySelector(".stepper");
    const { top, height } = document.querySelector(".said").getBoundingClientRect();
    const inside = [0.1, 0.5, 0.9].map(share => document.elementFromPoint(180, top + share * height));
    return [stepper.offsetHeight, inside.filter(element => !stepper.contains(element)).length,
      [...document.querySelectorAll("#page-inside .now .way:not(.gone)")].filter(way => way.getBoundingClientRect().right <= innerWidth).length];
  });
  check(covered === 0 && height < 210 && boxes === 4, `on a phone the step's sentence stays in sight, in ${height} px, and all ${boxes} ways`);
  for (const view of ["any?max=256K", "here"]) {
    await go(phone, view);
    await phone.waitForSelector("section:not([hidden]) .picture svg");
    const [wide, small] = await phone.evaluate(() => {
      const box = document.querySelector("section:not([hidden]) .picture");
      return [box.scrollWidth - box.clientWidth, Math.min(...[...box.querySelectorAll("svg text")].map(text => parseFloat(text.getAttribute("font-size")) * text.getScreenCTM().a))];
    });
    check(wide <= 0 && small >= 10, `${view} on a phone: ${wide} px beyond the screen, texts of ${small.toFixed(1)} px or more`);
  }
  await close(phone);
}

// A guess is drawn before it is measured; the measurement says how far it was off, and the chart keeps its place.
async function drawn() {
  const tab = await open("here");
  const value = at => tab.textContent(`#guess-${at} + output`);
  const handle = tab.locator("#page-here .guess circle").first();
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + 20, y, { steps: 4 });
  await tab.mouse.up();
  await reads(tab, "#guess-0 + output", /^(40|48|64|80|96|112|128) KiB$/, "a step is dragged");
  const first = await value(0);
  await tab.locator("#guess-1").focus();
  await tab.keyboard.press("End");
  await reads(tab, "#guess-1 + output", RegExp(`^${await value(2)}$`), "no level ends after the next one");
  const place = async () => { const { x, y, width } = await tab.locator("#page-here .picture").boundingBox(); return [x, y, width].join(); };
  await tab.evaluate(() => { document.body.style.overflowY = "scroll"; scrollTo(0, 0); });
  const before = await place();
  const said = await tab.evaluate(async () => { // four experiments: an answer, one that other programs disturb, two more answers
    const level = { level: 1, size: 32768, size_low: 32768, size_high: 32768, size_text: "32 KiB", line: 64, ways: 8, latency_ns: 1, penalty_ns: 3, confidence: "high", agree: 2, of: 2, why: { size: [], line: "l", ways: "w" } };
    let runs = 0;
    const { ask } = Helper.prototype;
    Helper.prototype.ask = async function() {
      await this.last;
      this.progress(9, [[4096, 1], [32768, 1.1], [65536, 4], [131072, 4.1]]);
      if (++runs === 2) throw new Error("disturbed");
      return { runs, settled: true, levels: [level], beyond_ns: null };
    };
    document.querySelector("#measure").click();
    while (!document.querySelector("#page-here").dataset.done) await new Promise(done => setTimeout(done, 50));
    Helper.prototype.ask = ask;
    return [document.querySelector(".you-said").textContent, document.querySelectorAll("#page-here .guess path").length, document.querySelector("#verdict").lastElementChild.textContent].join("; ");
  });
  check(said.startsWith(`Level 1: you said ${first}; it is 32 KiB.; 1; Measured in `) && /experiments, of which other programs disturbed 1,/.test(said), `the truth is drawn over the guess: ${said}`);
  check((await place()) === before, `and the chart keeps its place: ${before}, ${await place()}`);
  await tab.reload();
  await ready(tab);
  check((await tab.innerText("#verdict")).includes("32 KiB") && (await tab.isVisible("#page-here .picture:not(.known) svg")), "a measurement is there after a reload");
  await tab.click("#page-here .next-part");
  await tab.waitForSelector("#page-any:not([hidden]) .picture svg");
  const machine = await tab.evaluate(() => { const { machine, ways1 } = document.querySelector("#page-any form").elements; return [machine.options[0].textContent, machine.value, ways1.value].join(); });
  check(machine === "this computer, measured,mine,8", `and the first machine of the next page: ${machine}`);
  if (!firefox) for (const [ending, begins] of [["SVG", "<svg"], ["CSV", "curve,stride,misses per access\r\n8 KiB,"]]) {
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#page-any .numbers").getByRole("button", { name: ending }).click()]);
    await saved.saveAs(join(folder, saved.suggestedFilename()));
    const text = readFileSync(join(folder, saved.suggestedFilename()), "latin1");
    check(text.startsWith(begins) && text.length > 400, `a chart is saved as ${saved.suggestedFilename()}, ${text.length} bytes`);
  }
  await go(tab, "here");
  await tab.getByRole("button", { name: "Forget it" }).click();
  // What another version or another page stored is not read, and stops nothing.
  for (const value of ['{"found":{},"points":"x"}', '{"found":{"levels":[{"level":1}]},"points":[],"at":0}', "[", "7", '{"found":{"levels":[]},"points":[[1,null]],"at":1}']) {
    await tab.evaluate(value => localStorage.setItem("cache-lab computer", value), value);
    await tab.goto("about:blank");
    await tab.goto(`${url}#any`);
    await ready(tab);
    await tab.waitForSelector("#page-any .picture svg");
    await go(tab, "here");
    check((await tab.isVisible("#page-here .guess")) && (await tab.innerText("#verdict")) === "", `a stored ${value} is left alone`);
  }
  await close(tab);
}

// This computer: the first statement of a real measurement with its arguments; Stop, the focus, a tab in the background.
async function measuring() {
  const tab = await open("here");
  const note = await tab.textContent("#page-here form .soft");
  check(firefox ? /coarse: it moves in steps of 1(\.0\d)? ms/.test(note) : /about 5 seconds/.test(note), `how long it takes is said before: ${note}`);
  await tab.focus("#measure");
  await tab.keyboard.press("Enter");
  check(await becomes(tab, () => document.activeElement.id === "stop"), "while it measures, the focus is on Stop");
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("#page-here[data-done]", { state: "attached" });
  check((await tab.evaluate(() => document.activeElement.id)) === "measure" && !(await say(tab)) && /^Stopped after/.test(await tab.textContent("#page-here .progress")) && (await tab.isVisible("#page-here .guess circle")),
    "and then where it was; Stop is no error, and the guess is there again");
  const curve = "#page-here:not([data-done]) .picture:not(.known) svg";
  for (let tries = 0; tries < 9 && !(await tab.locator(curve).count()); tries++) { // again where the computer is too busy at the moment
    await tab.click("#measure");
    await tab.waitForSelector(`${curve}, #page-here[data-done]`, { state: "attached", timeout: 120000 });
  }
  check(await tab.locator(curve).count(), "the curve is drawn while it is measured");
  await tab.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    delete document.hidden;
  });
  const found = await tab.waitForSelector("#page-here .tile, #page-here[data-done]", { state: "attached", timeout: 300000 });
  if (await found.evaluate(node => node.matches(".tile"))) {
    const tiles = await tab.locator("#page-here .level").first().locator(".tile").allInnerTexts();
    check(tiles.length === 3 && ["Size", "Line", "Ways"].every((key, i) => tiles[i].startsWith(key) && tiles[i].split("\n").filter(Boolean).length > 2),
      `three tiles with their arguments: ${tiles.map(tile => tile.split("\n").filter(Boolean).slice(0, 2).join(" ")).join(", ")}`);
  } else console.log(`     no verdict: ${await say(tab)}`);
  await tab.evaluate(() => document.querySelector("#stop").click()); // nothing if the measurement has ended
  await tab.waitForSelector("#page-here[data-done]", { state: "attached" });
  await reads(tab, COMPLAINT, /background/, "a tab in the background");
  check(await tab.isEnabled("#measure"), "it can be measured again");
  const texts = await tab.evaluate(() => { // disturbed experiments: what is known, and what the user can do
    const level = { level: 1, size_low: 1024, size_high: 65536, size_text: "1 KiB to 64 KiB", line: null, ways: null, confidence: "low", agree: 0, of: 2,
      latency_ns: 1, penalty_ns: 2, why: { size: ["up to 1 KiB."], line: "no.", ways: "noise." } };
    return [level, { ...level, agree: 1, of: 3 }, { ...level, confidence: "high", agree: 2, of: 6 }].map(level => shownLevels({ levels: [level] })[0].textContent);
  });
  check(/Not sure.*measure again/.test(texts[0]) && /not seen/.test(texts[0]) && /1 of 3 experiments found this/.test(texts[1]) && /2 undisturbed experiments agree. Other programs disturbed 4 more/.test(texts[2]),
    `what is not sure says what to do, and how many experiments agree: ${texts}`);
  await close(tab);
}

// This computer's curves: disturbed times are measured again, then left out; the record is one that the programs read.
async function curves() {
  const tab = await open("here");
  const told = await tab.evaluate(async () => { // one time is always disturbed
    const again = [];
    const { ask } = Helper.prototype;
    Helper.prototype.ask = async function(request) {
      const answer = await ask.call(this, request);
      if (request.do === "times" && request.cells.length && request.cells.length < 9) again.push(request.cells.length);
      answer.rows?.forEach(({ place, figures: [figure] }) => { if (place.size_bytes === 8192 && place.stride_bytes === 512) figure.amount = 80; });
      return answer;
    };
    // A computer that is too busy at the moment is refused: again.
    for (let tries = 0; tries < 9 && !document.querySelector("#measured").firstChild; tries++) {
      document.querySelector("#curves").click();
      while (!document.querySelector("#page-here").dataset.done) await new Promise(done => setTimeout(done, 100));
    }
    Helper.prototype.ask = ask;
    const texts = [...document.querySelectorAll("#here-chart, #measured svg text")].map(text => text.textContent.trim());
    return { again, ticks: texts, text: document.querySelector("#measured").innerText, wrong: document.querySelector("#page-here .complaint").textContent };
  });
  check(told.again.length > 0 && /Left out of the chart.*8 KiB, stride 512 B/.test(told.text), `a disturbed time is measured again, then left out: ${told.again} ${told.text.match(/Left out.*/)?.[0]} ${told.wrong}`);
  check(!told.ticks.includes("80"), "and it stretches no axis");
  if (!firefox) {
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#measured > .buttons button").first().click()]);
    const record = join(folder, "spark.json");
    await saved.saveAs(record);
    execFileSync(lab, ["plot", record, "--output", join(folder, "curves.svg")], { stdio: "ignore" });
    check(readFileSync(join(folder, "curves.svg"), "utf8").includes("</svg>"), "lab plot draws the page's curves");
  }
  await close(tab);
}

// A sealed machine by its file and by its link: measured, answered, reloaded, graded.
async function mystery() {
  const machines = join(folder, "machines");
  const roster = ["--roster", written("class.csv", "name\nAda\nBob\n")];
  execFileSync(course, ["mystery", ...roster, "--output", machines], { stdio: "ignore" });
  const key = JSON.parse(readFileSync(`${machines}-key.json`)).machines.find(machine => JSON.stringify(machine).includes("Ada"));
  const row = { size: key.levels[0].size_bytes, line: key.levels[0].line_bytes, ways: key.levels[0].ways };
  const file = name => join(machines, `${name}.toml`);
  const link = `mystery?${new URLSearchParams({ sealed: readFileSync(file("Ada"), "utf8") })}`;
  // What the browser has stored, which includes each text that was typed before.
  const storedAs = (tab, id) => tab.evaluate(id => new Store(() => {}).fields("mystery Ada").then(fields => fields[id]?.text), id);
  const recalled = (tab, name) => tab.waitForSelector(`#page-mystery[data-recalled*=${name}]`, { state: "attached" });
  const choose = async (tab, name) => { await tab.locator("#page-mystery input[type=file]").setInputFiles(file(name)); await recalled(tab, name); };
  const tab = await open("mystery");
  check(await tab.locator("#page-mystery form.wide").isHidden() && /Choose your machine/.test(await tab.innerText("#page-mystery .beside")), "no field of an answer is shown before its machine is known");
  await choose(tab, "Ada");
  const texts = { "student-1-name": "Ada", "s311-c-size.value": String(row.size), "s311-c-line.value": String(row.line), "s311-c-ways.value": String(row.ways),
    "s311-c-size-why": "the curve of the next size rises" };
  for (const [name, text] of Object.entries(texts)) await fill(tab, `#page-mystery [name="${name}"]`, text);
  await tab.evaluate(() => { delete window.showSaveFilePicker; });
  await tab.getByRole("button", { name: "Save the answer" }).click();
  await reads(tab, "#page-mystery form.wide > [role=status]", /asked to save answers-Ada\.json.*cannot be read .*Level 1, Size; Level 1, Line\./, "Save says which values have no unit");
  await reads(tab, "#s311-c-size output", /^Choose the unit/, "a value is read by the report's rule");
  for (const name of ["s311-c-size.unit", "s311-c-line.unit"]) await tab.selectOption(`#page-mystery [name="${name}"]`, "B");
  await reads(tab, "#s311-c-size output", /^= /, "with its unit, too");
  const shown = tab => tab.evaluate(names => names.map(name => document.querySelector(`#page-mystery [name="${name}"]`).value).join(), [...Object.keys(texts), "s311-c-size.unit", "s311-c-line.unit"]);
  const all = [...Object.values(texts), "B", "B"].join();
  for (const again of ["file", "file", "link"]) { // what is opened once more must write nothing
    await tab.goto("about:blank");
    await tab.goto(`${url}#${again === "link" ? link : "mystery"}`);
    await ready(tab);
    await (again === "link" ? recalled(tab, "Ada") : choose(tab, "Ada"));
    check((await shown(tab)) === all, `all that was typed is there after a reload, by ${again}: ${await shown(tab)}`);
    check(!/stores nothing/.test(await tab.innerText("#page-mystery")), "and nothing says that it is not stored");
  }
  const other = await watched(tab.context(), link);
  await recalled(other, "Ada");
  await fill(other, '#page-mystery [name="s312-c-size-why"]', "from the other window");
  await storedAs(other, "s312-c-size-why");
  await tab.evaluate(() => dispatchEvent(new Event("focus")));
  await reads(tab, '#page-mystery [name="s312-c-size-why"]', /^from the other window$/, "two windows show each other's answers");
  check((await shown(tab)) === all, "and keep their own");
  await other.close();
  await tab.getByRole("button", { name: "Measure it" }).click();
  await tab.waitForSelector("#page-mystery .picture svg", { timeout: 60000 });
  await choose(tab, "Bob");
  check((await tab.locator("#page-mystery .picture svg").count()) === 0 && (await shown(tab)) === ",,,,,,", `another machine has neither the curves nor the answers: ${await shown(tab)}`);
  await tab.locator("#page-mystery input[type=file]").setInputFiles(written("empty.toml", ""));
  await reads(tab, COMPLAINT, /./, "an empty file is refused");
  check((await tab.locator("#page-mystery").innerText()).includes("Sealed machine Bob"), "and the machine stays");
  await choose(tab, "Ada");
  check((await shown(tab)) === all, `and the first one has its answers again: ${await shown(tab)}`);
  if (firefox) return close(tab); // whose driver reports no downloads
  await tab.evaluate(() => { delete window.showSaveFilePicker; });
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Save the answer" }).click()]);
  await saved.saveAs(join(folder, "handed-in", "Ada.json"));
  execFileSync(course, ["grade", ...roster, "--key", `${machines}-key.json`, "--output", join(folder, "grades"), join(folder, "handed-in")], { stdio: "ignore" });
  const grade = readFileSync(join(folder, "grades", "grades.csv"), "utf8").split("\n").find(line => line.startsWith("Ada,"));
  check(grade?.startsWith("Ada,6,"), `course grade reads the page's answer: ${grade?.slice(0, 60)}`);
  await close(tab);
  // The text typed just before the browser was killed.
  const [field, text] = ["#page-mystery [name=s311-c-size-why]", "the last word before the power went"];
  let session = await start(join(folder, "profile"));
  let typing = await watched(session.browser.contexts()[0], link);
  await recalled(typing, "Ada");
  await typing.click(field);
  await typing.keyboard.type(text);
  check((await storedAs(typing, "s311-c-size-why")) === text, "a text is stored as it is typed");
  await session.kill();
  session = await start(join(folder, "profile"));
  typing = await watched(session.browser.contexts()[0], link);
  await recalled(typing, "Ada");
  check((await typing.inputValue(field)) === text, "what was typed survives a browser that is killed");
  await session.close();
}

// Without scripts, and without a store, the page says so; without a store nothing typed is lost while it is open.
async function limited() {
  if (!firefox) { // whose driver cannot switch scripts off
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(url);
    check(/Scripts are off/.test(await plain.innerText("body")), "without scripts the page says so");
    await plain.close();
  }
  const blocked = await browser.newContext();
  await blocked.addInitScript(() => { for (const store of ["indexedDB", "localStorage"]) Object.defineProperty(window, store, { get() { throw new DOMException("blocked"); } }); });
  const tab = await watched(blocked, "mystery");
  const choose = async name => {
    await tab.locator("#page-mystery input[type=file]").setInputFiles(join(folder, "machines", `${name}.toml`));
    await tab.waitForSelector(`#page-mystery[data-recalled*=${name}]`, { state: "attached" });
  };
  await choose("Ada");
  await fill(tab, "#page-mystery textarea", "x");
  await reads(tab, "#page-mystery form.wide > [role=status]", /stores nothing/, "without a store it says so");
  await choose("Bob");
  await choose("Ada");
  check((await tab.locator("#page-mystery textarea").first().inputValue()) === "x", "and what was typed is there as long as the page is open");
  await blocked.close();
}

// On paper: the machine, the reasons.
async function onPaper() {
  const tab = await open("any");
  await tab.emulateMedia({ media: "print" });
  check((await tab.isVisible("#page-any [name=size1]")) && !(await tab.isVisible("footer")), "the machine is printed, the footer is not");
  await go(tab, "inside?preset=stride&guess=1&kernel=cm1&array=64K&stride=8K&passes=3&size1=32K&line1=64&ways1=8&at=32");
  await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
  check(await tab.isVisible("#preset-answer"), "and so is the reason of a question");
  await close(tab);
}

// Random gestures on all pages: no exception, no text of a missing value, no lost step.
async function fumbled() {
  const tab = await open("inside");
  const told = await tab.evaluate(async gestures => {
    let seed = 11;
    const random = below => (seed = (seed * 48271) % 2147483647) % below;
    const any = all => all[random(all.length)];
    const TEXTS = ["", "0", "3", "48", "1e9", "64 KiB", "8k", "-1", "x", "4 ns", "full", "0x40", "for i in 0..9: load a[i*8]", "é\u202e<b>"];
    const LEFT_OUT = /^(Measure this|Curves by|SVG|PNG|CSV|Save)/; // minutes, downloads
    const section = () => document.querySelector("section:not([hidden])");
    const { at } = document.querySelector("#page-inside form").elements;
    const [lost, odd] = [[], new Set()];
    for (let gesture = 0; gesture < gestures; gesture++) {
      const page = section();
      const seen = [...document.querySelectorAll("nav a"), ...page.querySelectorAll("button, input:not([type=file]), select, textarea, summary, a, svg.chart, canvas")].filter(part =>
        part.checkVisibility() && !part.disabled && !LEFT_OUT.test(part.textContent));
      const part = random(12) ? any(seen.filter(part => !part.closest("nav"))) ?? any(seen) : any([...document.querySelectorAll("nav a")]);
      const before = at.value;
      const input = () => { part.dispatchEvent(new Event("input", { bubbles: true })); part.dispatchEvent(new Event("change", { bubbles: true })); };
      part.focus?.();
      if (part.matches("[type=range]")) { part.value = Number(part.min) + random(1 + part.max - part.min); input(); }
      else if (part.matches("select")) { part.value = any([...part.options].filter(option => !option.disabled)).value; input(); }
      else if (part.matches("input:not([type=radio], [type=checkbox]), textarea")) { part.value = any(TEXTS); input(); }
      else if (part.matches("svg, canvas")) {
        const { left, top, width, height } = part.getBoundingClientRect();
        const at = { bubbles: true, clientX: left + random(Math.ceil(width)), clientY: top + random(Math.ceil(height)) };
        for (const kind of ["pointermove", "click"]) part.dispatchEvent(new (kind === "click" ? MouseEvent : PointerEvent)(kind, at));
        part.dispatchEvent(new KeyboardEvent("keydown", { key: any(["ArrowRight", "ArrowUp", "Enter", "Escape"]), bubbles: true }));
      } else part.click();
      if (part.closest("form.controls") && page.id === "page-inside" && at.value !== before) lost.push(`${part.name || part.ariaLabel}: ${before} to ${at.value}`);
      await new Promise(requestAnimationFrame);
      if (gesture % 10) continue;
      const walker = document.createTreeWalker(section(), NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("metadata") && /\b(null|undefined|NaN)\b|\[object/.test(walker.currentNode.data)) odd.add(walker.currentNode.data.slice(0, 80));
    }
    return { lost, odd: [...odd] };
  }, full ? 600 : 150);
  check(told.lost.length === 0 && told.odd.length === 0, `random gestures lose no step, and print no missing value: ${told.lost.slice(0, 3)} ${told.odd.slice(0, 3).join("; ")}`);
  await close(tab);
}

// One measurement to its end: the page's statements about the first level, or its refusal. `clock` is the worker's.
async function measured(clock, from) {
  const tab = await open("here", {}, from);
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
  await tab.waitForSelector("#page-here[data-done]", { state: "attached", timeout: 600000 });
  const last = (performance.now() - began) / 1000;
  const [verdicts, refusal] = [await tab.evaluate(() => window.verdicts), await say(tab)];
  await close(tab);
  return { first, last, levels: verdicts.map(({ levels: [level] }) => level), second: verdicts.at(-1)?.levels[1], refusal };
}

// Clocks that cannot time single accesses are refused with a sentence.
async function clocks() {
  for (const clock of ["() => Math.floor(exact() / 3) * 3", "() => Math.floor(exact() * 10) / 10 + Math.random() / 10"]) {
    const { levels, refusal } = await measured(clock);
    check(!levels.length && refusal.length > 20, `the clock ${clock} is refused: ${refusal}`);
  }
}

// The size, line and ways of this computer's data caches by level, where Linux says them.
function truth() {
  const folder = "/sys/devices/system/cpu/cpu0/cache";
  const known = existsSync(folder) ? readdirSync(folder).filter(name => /^index/.test(name)) : [];
  const read = known.map(index => ["type", "level", "size", "coherency_line_size", "ways_of_associativity"].map(name => readFileSync(join(folder, index, name), "utf8").trim()));
  return Object.fromEntries(read.filter(([type]) => type !== "Instruction").map(([, level, size, line, ways]) => [level, { size: parseInt(size) * 1024, line: Number(line), ways: Number(ways) }]));
}

// Measurements of this computer, from a file and from a server that isolates the page: they allow the truth, where it
// is known, in the first level and the second; no later statement says less than one before.
async function measurements() {
  const headers = { "Content-Type": "text/html", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
  const server = createServer((_, answer) => answer.writeHead(200, headers).end(readFileSync(page)));
  await new Promise(done => server.listen(0, "127.0.0.1", done));
  const known = truth();
  console.log(`     the caches of this computer: ${JSON.stringify(known)}`);
  for (const from of [url, `http://127.0.0.1:${server.address().port}/`]) for (let load = 0; load < (loads || 1); load++) {
    const found = await measured(undefined, from);
    const course = found.levels.map(level => `${level.size_text}/${level.line}/${level.ways}/${level.confidence}`).join("; ");
    console.log(`     ${from.slice(0, 4)} ${load + 1}: ${course || found.refusal}; first after ${found.first.toFixed(1)} s, done after ${found.last.toFixed(1)} s${found.second ? `; L2 ${found.second.size_text}` : ""}`);
    const less = found.levels.slice(1).filter((now, at) => {
      const before = found.levels[at];
      return (before.ways && !now.ways) || (before.line && !now.line) || now.size_high / now.size_low > before.size_high / before.size_low;
    });
    check(less.length === 0, "no later statement shows less than one before");
    for (const level of [found.levels.at(-1), found.second].filter(level => known[level?.level])) {
      const { size, line, ways } = known[level.level];
      check(level.size_low <= size && level.size_high >= size && [line, null].includes(level.line) && [ways, null].includes(level.ways), `level ${level.level}: ${level.size_text} allows the truth`);
    }
  }
  server.close();
}

// In this order: some use what one before left in `folder`.
const parts = [oneChart, mystery, limited, equal, ...(firefox ? [] : [accessible, onPaper]), caused, linked, badInput, sliders, quick, guessed, stepped, oneScreen,
  drawn, fumbled, measuring, curves, clocks, ...(full || loads ? [measurements] : [])];
const unknown = only.filter(name => !parts.some(part => part.name === name));
check(unknown.length === 0, `each part of --only is one of the test's: ${unknown}`);
for (const part of parts.filter(({ name }) => !only.length || only.includes(name))) {
  const began = performance.now();
  await part().catch(error => check(false, `${part.name}: ${error.message.slice(0, 600)}`));
  console.log(`     ${part.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
await browser.close();
rmSync(folder, { recursive: true });
if (failures.length) { console.error(`web_test: ${failures.length} of the checks failed`); process.exit(1); }
