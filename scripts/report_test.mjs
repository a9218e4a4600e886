// Drives the report in a browser. usage: node report_test.mjs LAB FOLDER
// LAB is the program, FOLDER an empty folder. Environment: WEB_TEST_BROWSER, the
// browser's file; NODE_PATH has playwright-core and axe-core.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { axe, FLAGS, playwright, start as startIn } from "./browser.mjs";

const [program, place] = process.argv.slice(2);
const lab = resolve(program);
const failures = [];
const check = (holds, what) => { if (!holds) failures.push(what); console.log(`${holds ? "ok  " : "FAIL"} ${what}`); };
const start = profile => startIn(join(place, profile));

// A run small enough to be repeated; returns its page.
function run(folder) {
  const out = join(place, folder);
  execFileSync(lab, ["run", "--quick", "--hasten", "4", "--size", "32", "--counters", "model", "--out", out], { stdio: "ignore" });
  return resolve(out, "report.html");
}

async function open(browser, page, options) {
  const context = options ? await browser.newContext({ acceptDownloads: true, ...options }) : browser.contexts()[0];
  const tab = await context.newPage();
  tab.on("console", message => { if (["error", "warning"].includes(message.type())) check(false, `console: ${message.text()}`); });
  tab.on("pageerror", error => check(false, `page error: ${error.message}`));
  tab.on("request", request => { if (!/^(file|blob|data):/.test(request.url())) check(false, `request to ${request.url()}`); });
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForSelector("html[data-ready]", { state: "attached", timeout: 30000 });
  return tab;
}

const ids = tab => tab.evaluate(() => [...document.querySelectorAll("[data-field]")].map(field => field.id));
const texts = tab => tab.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-field]")].map(field => [field.id, field.innerText.trim()])));
const answer = id => `${id}: <b>48 KiB</b> & "so" ¿é漢`;

// Types into every field, as a student does.
async function fill(tab) {
  const all = await ids(tab);
  for (const id of all) {
    await tab.click(`#${id}`);
    await tab.keyboard.insertText(answer(id));
  }
  return all;
}

const whole = async (tab, all) => {
  const have = await texts(tab);
  return all.filter(id => have[id] !== answer(id));
};

async function kept() {
  const page = run("first");
  let session = await start("profile");
  let tab = await open(session.browser, page);
  const all = await fill(tab);
  check(all.length > 50, `${all.length} fields were typed into`);
  await tab.reload();
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  check((await whole(tab, all)).length === 0, "all of them survive a reload");
  await tab.waitForTimeout(500);
  await session.kill();
  session = await start("profile");
  tab = await open(session.browser, page);
  check((await whole(tab, all)).length === 0, "and a browser that is killed");
  await tab.close();
  run("first");
  tab = await open(session.browser, page);
  check((await whole(tab, all)).length === 0, "and another run into the same folder");

  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#export")]);
  const file = join(place, "answers.json");
  await download.saveAs(file);
  const saved = JSON.parse(readFileSync(file, "utf8"));
  check(saved.format === "cache-lab-answers" && saved.version === 1 && all.every(id => saved.fields[id] === answer(id)), "answers.json has them");
  writeFileSync(page, `<!DOCTYPE html>${await tab.evaluate(() => document.documentElement.outerHTML)}`);
  await session.close();

  session = await start("hostile");
  const elsewhere = await open(session.browser, run("second"));
  check(Object.values(await texts(elsewhere)).every(text => text === ""), "another folder's report is empty");
  await elsewhere.setInputFiles("#import", file);
  await elsewhere.waitForFunction(() => document.querySelector("#said").textContent.includes("loaded"));
  check((await whole(elsewhere, all)).length === 0, "and takes them from the file");
  await elsewhere.click("#undo");
  await elsewhere.waitForSelector("#undo", { state: "hidden" });
  check(Object.values(await texts(elsewhere)).every(text => text === ""), "which can be undone");
  for (const [name, text] of [["half.json", "{\"fields\":"], ["other.json", "{}"], ["later.json", JSON.stringify({ ...saved, version: 9 })]]) {
    writeFileSync(join(place, name), text);
    await elsewhere.setInputFiles("#import", join(place, name));
    await elsewhere.waitForFunction(name => document.querySelector("#said").textContent.includes(name), name);
    const said = await elsewhere.textContent("#said");
    check(said.includes("not loaded") && said.length > 40, said);
  }
  run("first");
  const again = await open(session.browser, page);
  check((await whole(again, all)).length === 0, "a page saved with its answers gives them to the run that replaces it");
  const third = join(place, "third");
  mkdirSync(third);
  writeFileSync(join(third, "answers.json"), readFileSync(file));
  check((await whole(await open(session.browser, run("third")), all)).length === 0, "as does an answers.json in the folder");
  await session.close();
}

// A full disk is reported; two windows of one report save both windows' fields.
async function stored() {
  const page = run("stored");
  const session = await start("stored-profile");
  const tab = await open(session.browser, page);
  const [one, two, three] = await ids(tab);
  const type = async (tab, id, text) => { await tab.click(`#${id}`); await tab.keyboard.insertText(text); };
  const other = await open(session.browser, page);
  await type(tab, one, "in the first window");
  await type(other, two, "in the second window");
  await type(tab, three, "in the first again");
  await tab.waitForTimeout(300);
  const third = await open(session.browser, page);
  const have = await texts(third);
  check([one, two, three].every(id => have[id]), "two windows of one report lose nothing of each other");
  // Like a full disk: the transaction begins, and is aborted later.
  await third.evaluate(() => {
    IDBTransaction.prototype.commit = function () { queueMicrotask(() => this.abort()); };
  });
  await type(third, one, "more than fits");
  const said = await third.waitForFunction(() => document.querySelector("#said").textContent, null, { timeout: 10000 }).catch(() => undefined);
  check(/stores nothing/.test(await said?.jsonValue()), "a full storage is said");
  await session.close();
}

// The page has formulas and figures, not their results: the test computes these.
const OPERATORS = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b };
const computed = formula => formula.reduce((stack, step) => {
  if (typeof step === "number") return [...stack, step];
  const [a, b] = stack.slice(-2);
  return [...stack.slice(0, -2), OPERATORS[step](a, b)];
}, [])[0];

async function checked(page) {
  const session = await start("checker");
  const tab = await open(session.browser, page);
  const fields = await tab.evaluate(() => [...document.querySelectorAll("[data-check]")].map(field => [field.id, JSON.parse(field.dataset.check)]));
  check(fields.length >= 10, `${fields.length} numbers are checked`);
  const told = async (id, text) => {
    await tab.click(`#${id}`);
    await tab.keyboard.press("Control+A");
    await tab.keyboard.insertText(text);
    await tab.keyboard.press("Enter");
    return tab.textContent(`#${id}-told`);
  };
  const html = readFileSync(page, "utf8");
  const near = (a, b, { share, within }) => Math.abs(a - b) <= Math.max(share * Math.abs(b), within);
  for (const [id, one] of fields) {
    if (!one.formula) {
      check((await told(id, "L1: 32")).startsWith("Read as 32;"), `${id}: what is not checked is said to be so`);
      continue;
    }
    const right = computed(one.formula);
    const unit = { percent: " %", bytes: " B" }[one.kind] ?? "";
    check(one.kind === "bytes" || right === 0 || !html.includes(String(right)), `${id}: its result is not in the page`);
    for (const text of [`${right}${unit}`, `x = ${right}${unit}`, `1 + 1 = ${right}`,
      ...(/\.\d{3}$/.test(right) ? [] : [`${String(right).replace(".", ",")}${unit}`])]) // "1,125" may be 1125
      check((await told(id, text)).includes("agrees"), `${id}: ${text} is right`);
    if (one.share) {
      check((await told(id, (right * (1 + 0.99 * one.share)).toFixed(9))).includes("agrees"), `${id}: within ${one.share} of it is right`);
      check(!(await told(id, (right * (1 + 1.01 * one.share)).toFixed(9))).includes("agrees"), `${id}: beyond it is not`);
    }
    for (const slip of one.slips) {
      const amount = computed(slip.formula);
      const first = one.slips.find(other => near(amount, computed(other.formula), one));
      if (amount !== 0 && !near(amount, right, one))
        check((await told(id, String(amount).replace(".", ","))).includes(first.told), `${id}: ${amount}: ${first.told}`);
    }
    check((await told(id, "123456789.5")).includes("not yet"), `${id}: any other number gets a hint`);
    check((await told(id, "12 or 13")).includes("Several numbers"), `${id}: of two numbers it says so`);
  }
  const specification = tab.locator("tr[data-shown]").first();
  check(!(await specification.isVisible()), "the specification is not shown unasked");
  await tab.click("#show");
  check(await specification.isVisible(), "it is, when asked for");
  check(JSON.parse(await tab.textContent("#answers")).fields["spec-shown"]?.startsWith("20"), "and when that was is noted");
  const before = await tab.textContent("#count");
  await tab.click("#print");
  check((await tab.textContent("#said")).includes("still empty"), `empty fields are reported before printing (${before})`);
  check((await tab.locator("#open-list a").count()) > 20, "and listed");
  await session.close();
}

// The page's message about an answer, and the grader's points for it.
async function graded(page) {
  const session = await start("graded");
  const tab = await open(session.browser, page);
  const fields = await tab.evaluate(() => [...document.querySelectorAll("[data-check]")].map(field => [field.id, JSON.parse(field.dataset.check)]));
  const SETS = {
    "as it is": right => `${right}`, "at the tolerance": (right, off) => (right * (1 + 0.99 * off)).toFixed(9),
    "beyond it": (right, off) => (right * (1 + 1.01 * (off || 0.1))).toFixed(9), "below it": (right, off) => (right * (1 - 1.01 * (off || 0.1))).toFixed(9),
    "in words": right => `I measured ${right}, see the plot`, "with a word that is not known": right => `${right} except`,
    "two numbers": right => `${right} or 12.5`, "denied": right => `not ${right}`,
  };
  for (const [what, text] of Object.entries(SETS)) {
    const said = {};
    for (const [id, one] of fields.filter(([, one]) => one.formula)) {
      await tab.click(`#${id}`);
      await tab.keyboard.press("Control+A");
      await tab.keyboard.insertText(text(computed(one.formula), one.share));
      await tab.keyboard.press("Enter");
      said[id] = (await tab.textContent(`#${id}-told`)).includes("agrees");
    }
    writeFileSync(resolve(page, "../answers.json"), await tab.textContent("#answers"));
    const out = join(place, "grades");
    execFileSync(lab, ["grade", "--student", "ann", "--out", out, resolve(page, "..")], { stdio: "ignore" });
    const [header, row] = table(readFileSync(join(out, "grades.csv"), "utf8"));
    const both = Object.keys(said).filter(id => header.includes(`${id}_reason`));
    const reason = id => row[header.indexOf(`${id}_reason`)];
    const other = both.filter(id => !reason(id).startsWith("Left out") && said[id] !== (reason(id) === "Right."));
    check(both.length >= 5 && !other.length, `${both.length} answers ${what}: page and grader agree ${other.map(id => `${id}: ${said[id]}, ${reason(id)}`).join("; ")}`);
  }
  await session.close();
}

// The rows of a CSV.
const table = text => text.split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(line =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, "").replaceAll('""', '"')));

async function readable(page) {
  const browser = await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });
  for (const width of [360, 1280]) for (const colorScheme of ["light", "dark"]) {
    const tab = await open(browser, page, { viewport: { width, height: 900 }, colorScheme });
    await tab.evaluate(axe.source);
    const { violations } = await tab.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
    check(violations.length === 0, `axe: ${width} px, ${colorScheme} ${violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 90)}`).join("; ")}`);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `no sideways scrolling: ${width} px`);
    const small = await tab.evaluate(() => Math.min(...[...document.querySelectorAll("figure svg text")]
      .filter(text => text.getClientRects().length)
      .map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)));
    check(small >= 9, `chart text of ${small.toFixed(1)} px or more: ${width} px`);
    await tab.context().close();
  }
  // A4 less its margins, at 96 pixels an inch.
  const tab = await open(browser, page, { viewport: { width: 680, height: 990 } });
  await tab.emulateMedia({ media: "print" });
  const { points, wide, high } = await tab.evaluate(() => ({
    points: Math.min(...[...document.querySelectorAll("td, th")].map(cell => parseFloat(getComputedStyle(cell).fontSize) * 0.75)),
    wide: [...document.querySelectorAll("table")].filter(table => table.getBoundingClientRect().right > 681).map(table => table.className),
    high: [...document.querySelectorAll("table")].filter(table => table.getBoundingClientRect().height > 990).map(table => table.className),
  }));
  check(points >= 9, `tables are printed at ${points} pt`);
  check(wide.length + high.length === 0, `and each fits a page ${wide} ${high}`);
  await browser.close();
}

// Hostile texts: a page shows them as text.
const HOSTILE = ["</script><script>window.owned=1</script>", "\"><img src=x onerror=window.owned=1>", "<svg onload=window.owned=1>",
  "]]></text><script>window.owned=1</script>", "' onmouseover='window.owned=1", "javascript:alert(1)", "a\u202egnp.exe\u0007\u001b[2J", "{{7*7}}${7*7}"];

async function harmless() {
  const browser = await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });
  const folder = join(place, "hostile");
  mkdirSync(folder);
  const run = (...words) => execFileSync(lab, words, { cwd: folder, stdio: "ignore" });
  const file = (name, text) => { writeFileSync(join(folder, name), text); return name; };
  const look = async (name, text) => {
    const tab = await browser.newContext().then(context => context.newPage());
    const told = [];
    tab.on("dialog", dialog => { told.push(dialog.message()); dialog.dismiss(); });
    tab.on("pageerror", error => told.push(error.message));
    tab.on("request", request => { if (!/^(file|blob|data):/.test(request.url()) || /\/x$/.test(request.url())) told.push(request.url()); });
    await tab.goto(pathToFileURL(join(folder, name)).href);
    await tab.waitForTimeout(200);
    const seen = await tab.evaluate(() => ({
      owned: window.owned === 1, broken: document.querySelector("parsererror") !== null,
      made: [...document.querySelectorAll("img[src=x], [onerror], [onload], [onmouseover]")].length, text: document.documentElement.textContent,
    }));
    const part = text.replace(/[^\x20-\x7e].*/s, "").slice(0, 20);
    check(!seen.owned && !seen.broken && !seen.made && !told.length, `${name}: ${JSON.stringify(text)} does nothing ${told}`);
    check(seen.text.includes(part) && !/[\u0000-\u0008\u000e-\u001f\u202e]/.test(seen.text), `${name}: and is shown`);
    await tab.context().close();
  };
  run("survey", "--seconds", "1", "--out", "one.json");
  const survey = JSON.parse(readFileSync(join(folder, "one.json"), "utf8"));
  for (const [number, text] of HOSTILE.entries()) {
    const one = { ...survey, host: { ...survey.host, name: text }, processor: { ...survey.processor, name: text } };
    file("one.json", JSON.stringify(one));
    file("two.json", JSON.stringify({ ...one, schema: text }));
    run("merge", "one.json", "two.json", file(`${text.replaceAll("/", "")}.json`, "{}"));
    await look("class.html", text);
    file("sweep.out", `cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\tevent=${text}\n`);
    run("plot", "sweep.out", "--title", text, "--caption", text, "--tolerate", "-o", "sweep.svg");
    await look("sweep.svg", text);
    if (number > 2) continue;
    file("m.toml", `name = ${JSON.stringify(text)}\ndescription = ${JSON.stringify(text)}\n[[cache]]\nlevel = 1\nsize = "4K"\nline = 64\nways = 2\n`);
    run("run", "--quick", "--hasten", "100", "--size", "8", "--machine", "m.toml", "--afresh");
    await look("report/report.html", text);
  }
  await browser.close();
}

await harmless();
await kept();
await stored();
const page = run("fourth");
await checked(page);
await graded(page);
await readable(page);
if (failures.length) { console.error(`report_test: ${failures.length} of the checks failed`); process.exit(1); }
