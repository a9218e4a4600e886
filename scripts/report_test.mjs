// Drives the report in a browser. usage: node report_test.mjs LAB FOLDER
// LAB is the program, FOLDER an empty folder. Environment: WEB_TEST_BROWSER, the
// browser's file; NODE_PATH has playwright-core and axe-core.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { axe, FLAGS, playwright, start as startIn } from "./browser.mjs";

const [program, place] = process.argv.slice(2);
const lab = resolve(program), course = resolve(program, "../course");
const failures = [];
const check = (holds, what) => { if (!holds) failures.push(what); console.log(`${holds ? "ok  " : "FAIL"} ${what}`); };
const start = profile => startIn(join(place, profile));

// A run small enough to be repeated; returns its page.
function run(folder) {
  const out = join(place, folder);
  execFileSync(lab, ["run", "--quick", "--hasten", "1000", "--size", "32", "--counters", "model", "--output", out], { stdio: "ignore" });
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
const stored = async tab => JSON.parse(await tab.textContent("#answers")).fields;
// What every field shows, as it would be saved.
const shown = tab => tab.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-field]")].map(field => {
  const of = name => field.querySelector(name)?.value ?? "";
  if (!field.classList.contains("value")) return [field.id, field.matches("fieldset") ? of(":checked") : field.value];
  return [field.id, { form: field.querySelector(".forms :checked")?.value ?? "one", value: of(".low"), to: of(".below"), unit: of("select") }];
})));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Types an answer as a student does: keys into inputs, a choice, a unit.
async function enter(tab, id, answer) {
  const field = tab.locator(`#${id}`);
  if (typeof answer === "string") return field.fill(answer);
  if (await field.locator(".forms").count()) await field.locator(`.forms input[value=${answer.form}]`).check();
  for (const [name, text] of [[".low", answer.value], [".below", answer.to]]) {
    const input = field.locator(name);
    if (!await input.count() || !await input.isVisible()) continue;
    await input.click();
    await tab.keyboard.press("Control+A");
    await tab.keyboard.insertText(text);
    await tab.keyboard.press("Enter");
  }
  if (answer.unit) await field.locator("select").selectOption(answer.unit);
  return field.locator(".reading").textContent();
}
const one = (value, unit = "") => ({ form: "one", value, to: "", unit });

// An answer for every field, of every form.
async function fill(tab) {
  const kinds = await tab.evaluate(() => [...document.querySelectorAll("[data-field]")].map(field =>
    [field.id, field.dataset.field, [...field.querySelectorAll(".forms input")].map(({ value }) => value), field.querySelector("option:nth-child(3)")?.value ?? ""]));
  let ranged = 0;
  const all = {};
  for (const [id, kind, forms, unit] of kinds) {
    check(!forms.includes("fully-associative") || kind === "count", `${id}: only ways can be fully associative`);
    const text = `${id}: <b>48 KiB</b> & "so" ¿é漢`;
    const form = forms[ranged++ % forms.length] ?? "one";
    const empty = form.length > 5; // no number belongs to it
    all[id] = { text: `${text}\nline 2`, line: text }[kind] ??
      (empty ? { form, value: "", to: "", unit: "" } : { form, value: "2^5", to: form === "range" ? "48" : "", unit });
    await enter(tab, id, all[id]);
  }
  return all;
}

const whole = async (tab, all) => {
  const have = await shown(tab);
  const lost = Object.keys(all).filter(id => !same(have[id], all[id]));
  if (lost.length) console.log(`     ${lost[0]}: ${JSON.stringify(have[lost[0]])}, not ${JSON.stringify(all[lost[0]])}`);
  return lost;
};
// What the browser has stored, which includes each answer that was typed before: {id: answer}.
const inStore = tab => tab.evaluate(async () => {
  const { report } = JSON.parse(document.querySelector("#run").textContent);
  const fields = await new Store(() => {}).fields(`cache-lab-answers:${report || location.pathname}`);
  return Object.fromEntries(Object.entries(fields).map(([id, { text }]) => [id, text]));
});
const isEmpty = async tab => Object.values(await shown(tab)).every(answer => !(answer.value ?? answer));
const noPicker = tab => tab.evaluate(() => { delete window.showSaveFilePicker; });

async function saveTo(tab, file) {
  await noPicker(tab); // which no test can drive
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#export")]);
  await download.saveAs(file);
}

async function kept() {
  const page = run("first");
  let session = await start("profile");
  let tab = await open(session.browser, page);
  const all = await fill(tab);
  check(Object.keys(all).length > 45, `${Object.keys(all).length} fields were filled in`);
  await tab.reload();
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  check((await whole(tab, all)).length === 0, "all of them survive a reload");
  const typed = await inStore(tab);
  check(Object.keys(all).every(id => same(typed[id], all[id])), "each is stored as it is typed");
  await session.kill();
  session = await start("profile");
  tab = await open(session.browser, page);
  check((await whole(tab, all)).length === 0, "and a browser that is killed");
  await tab.close();
  run("first");
  tab = await open(session.browser, page);
  check((await whole(tab, all)).length === 0, "and another run into the same folder");
  renameSync(join(place, readdirSync(place).find(name => name.startsWith("first-2"))), join(place, "moved"));
  const moved = await open(session.browser, join(place, "moved", "report.html"));
  check((await whole(moved, all)).length === 0, "and the earlier report has them, also in another place");
  await moved.close();

  const file = join(place, "answers.json");
  await saveTo(tab, file);
  const saved = JSON.parse(readFileSync(file, "utf8"));
  check(saved.format === "cache-lab-answers" && saved.version === 2 && Object.keys(all).every(id => same(saved.fields[id], all[id])), "answers.json has them as typed");
  const said = await tab.textContent("#said");
  check(said.includes("was asked to save") && await tab.inputValue("#copy") === readFileSync(file, "utf8"), `no more is claimed than is known: ${said}`);
  writeFileSync(page, `<!DOCTYPE html>${await tab.evaluate(() => document.documentElement.outerHTML)}`);
  await session.close();

  session = await start("hostile");
  const elsewhere = await open(session.browser, run("second"));
  check(await isEmpty(elsewhere), "another folder's report is empty");
  await elsewhere.setInputFiles("#import", file);
  await elsewhere.waitForFunction(() => document.querySelector("#said").textContent.includes("loaded"));
  check((await whole(elsewhere, all)).length === 0, "and takes them from the file");
  await elsewhere.click("#undo");
  await elsewhere.waitForSelector("#undo", { state: "hidden" });
  check(await isEmpty(elsewhere), "which can be undone");
  for (const [name, text] of [["half.json", "{\"fields\":"], ["other.json", "{}"], ["later.json", JSON.stringify({ ...saved, version: 9 })],
    ["earlier.json", JSON.stringify({ ...saved, version: 1, fields: { "s2-2": "64 KiB" } })]]) {
    writeFileSync(join(place, name), text);
    await elsewhere.setInputFiles("#import", join(place, name));
    await elsewhere.waitForFunction(name => document.querySelector("#said").textContent.includes(name), name);
    const said = await elsewhere.textContent("#said");
    check(said.includes("not loaded") && said.length > 40, said);
  }
  // Two students are known by the number, or by the name if one of them has no number.
  for (const [number, name, mine, theirs, loaded] of [["1", "Ana", "1", "Ana Silva", true], ["1", "Ana", "2", "Ana", false], ["", "Ana", "2", "Bob", false], ["1", "", "", "Bob", true]]) {
    await enter(elsewhere, "student-1-number", number);
    await enter(elsewhere, "student-1-name", name);
    await enter(elsewhere, "s2-1-why", "my own");
    writeFileSync(join(place, "theirs.json"), JSON.stringify({ ...saved, fields: { "student-1-number": mine, "student-1-name": theirs, "s2-1-why": "theirs" } }));
    await elsewhere.evaluate(() => { document.querySelector("#said").textContent = ""; });
    await elsewhere.setInputFiles("#import", join(place, "theirs.json"));
    const said = await elsewhere.waitForFunction(() => document.querySelector("#said").textContent, null).then(found => found.jsonValue());
    check(loaded === (await elsewhere.inputValue("#s2-1-why") === "theirs") && loaded !== /not loaded: .*another student/.test(said),
      `answers of ${mine} ${theirs} into the page of ${number} ${name}: ${said}`);
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
async function shared() {
  const page = run("stored");
  const session = await start("stored-profile");
  const tab = await open(session.browser, page);
  const [one, two, three] = await ids(tab);
  const type = async (tab, id, text) => { await tab.click(`#${id}`); await tab.keyboard.insertText(text); };
  const other = await open(session.browser, page);
  await type(tab, one, "in the first window");
  await type(other, two, "in the second window");
  await type(tab, three, "in the first again");
  await inStore(other);
  const third = await open(session.browser, page);
  const have = await shown(third);
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

// Where a page is shown without a store, without scripts, in a sandbox: it says what it knows.
async function restricted(page) {
  const html = readFileSync(page, "utf8").replace(/(<script type="application\/json" id="answers">)[^<]*/, `$1${JSON.stringify(
    { format: "cache-lab-answers", version: 2, saved: "2026-11-20T10:00:00Z", fields: { "s2-2": one("64", "KiB") } })}`);
  writeFileSync(join(place, "embedded.html"), html);
  const browser = await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });
  const visit = async (options, prepare) => {
    const tab = await browser.newContext(options).then(context => context.newPage());
    if (prepare) await tab.addInitScript(prepare);
    return tab;
  };
  for (const [what, prepare] of [["no store", () => Object.defineProperty(window, "indexedDB", { get() { return undefined; } })],
    ["a store that never replies", () => { IDBFactory.prototype.open = () => ({}); }],
    ["a store that is refused", () => Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("no", "SecurityError"); } })]]) {
    const tab = await visit({}, prepare);
    await tab.goto(pathToFileURL(join(place, "embedded.html")).href);
    check(await tab.inputValue("#s2-2 .low") === "64", `${what}: the page's own answers are shown at once`);
    const said = await tab.waitForFunction(() => document.querySelector("#said").textContent, null, { timeout: 10000 }).catch(() => undefined);
    check(/stores nothing/.test(await said?.jsonValue()), `${what}: is said`);
    await tab.context().close();
  }
  const without = await visit({ javaScriptEnabled: false });
  await without.goto(pathToFileURL(join(place, "embedded.html")).href);
  check((await without.locator("noscript p").boundingBox())?.height > 20, "without scripts the page says so");
  check(await without.inputValue("#s2-2 .low") === "", "and its fields can be filled in for printing");
  const framed = await visit({ acceptDownloads: true });
  writeFileSync(join(place, "frame.html"), "<iframe src=embedded.html sandbox=allow-scripts width=1000 height=800></iframe>");
  await framed.goto(pathToFileURL(join(place, "frame.html")).href);
  const frame = framed.frames()[1];
  await frame.click("#export");
  await frame.waitForFunction(() => document.querySelector("#said").textContent.includes("save"));
  const said = await frame.textContent("#said");
  check(!/\bsaved\b|Saved/.test(said) && (await frame.inputValue("#copy")).includes("64"), `in a sandbox: ${said}`);
  await browser.close();
}

const checksOf = tab => tab.evaluate(() => JSON.parse(document.querySelector("#checks").textContent));
const unitOf = kind => ({ bytes: "B" })[kind] ?? "";

async function checked(page) {
  const session = await start("checker");
  const tab = await open(session.browser, page);
  const checks = await checksOf(tab);
  check(Object.keys(checks).length >= 9, `${Object.keys(checks).length} numbers are checked`);
  for (const [id, { kind, right, within, slips, hint }] of Object.entries(checks)) {
    const reading = value => enter(tab, id, one(String(value), unitOf(kind)));
    check((await reading(right)).includes("agrees"), `${id}: ${right} is right`);
    if (kind === "percent") check((await reading(right / 100)).includes("agrees"), `${id}: so is its share`);
    if (within > 1e-6 && kind !== "bytes" && !(kind === "percent" && right + within > 100)) {
      check((await reading((right + 0.99 * within).toFixed(9))).includes("agrees"), `${id}: within ${within} of it is right`);
      check(!(await reading((right + 1.01 * within).toFixed(9))).includes("agrees"), `${id}: beyond it is not`);
    }
    for (const [slip, sentence] of slips.slice(0, 1))
      if (slip && Math.abs(slip - right) > within && slip !== right / 1024) check((await reading(slip.toFixed(kind === "bytes" ? 0 : 9))).includes(sentence), `${id}: ${slip}: ${sentence}`);
    check((await reading("98765432")).includes(hint), `${id}: any other number gets a hint`);
    check((await reading("12 or 13")).includes("not one number"), `${id}: two numbers are none`);
  }
  for (const [answer, echo] of [[one("48", "KiB"), "= 49\u202f152 bytes"], [one("1,5", "MiB"), "= 1\u202f572\u202f864 bytes"], [one("48"), "Choose the unit"], [one("3*(2^14-1024)", "B"), "= 46\u202f080 bytes"], [one("32 KB"), "choose KiB"], [one("64 ways"), "This field is in B, KiB, MiB"],
    [one("49,152", "B"), "thousands"], [{ form: "range", value: "32", to: "64", unit: "KiB" }, "= at least 32\u202f768 and below 65\u202f536 bytes"]]) {
    const field = "s311-c-size";
    await tab.locator(`#${field} select`).selectOption("");
    await enter(tab, field, answer);
    await tab.locator(`#${field} .low`).focus();
    await tab.locator("#s2-1-why").focus();
    const reading = await tab.locator(`#${field} .reading`).textContent();
    check(reading.includes(echo), `${JSON.stringify(answer)}: ${reading}`);
  }
  // While the field has the focus, each of these is named; then the counter has them.
  for (const [id, typed, says] of [["s2-1", one("-32", "KiB"), "not possible"], ["s2-2", one("0", "KiB"), "not possible"], ["s311-c-ways", one("0.5"), "not possible"],
    ["s311-c-line", one("65.536", "B"), "thousands"], ["s2-3", one("approx. 64 B"), "not one number"]]) {
    await enter(tab, id, typed);
    await tab.locator(`#${id} .low`).pressSequentially(" ");
    const reading = await tab.locator(`#${id} .reading`).textContent();
    check(reading.includes(says), `${id}: ${JSON.stringify(typed)}: ${reading}`);
  }
  const [counted, unread] = await Promise.all(["#count", "#unread"].map(place => tab.textContent(place)));
  const told = await tab.evaluate(() => [...document.querySelectorAll("#unread-list a")].map(link => link.hash));
  check(unread.includes(`${told.length} cannot be read`) && ["#s2-1", "#s2-2", "#s2-3", "#s311-c-line", "#s311-c-ways"].every(id => told.includes(id)), `${counted}${unread}: ${told}`);
  await noPicker(tab);
  await tab.click("#export");
  const saying = await tab.waitForFunction(() => /asked to save/.test(document.querySelector("#said").textContent) && document.querySelector("#said").textContent).then(found => found.jsonValue());
  check(/cannot be read and do not count: \d+ \(What is the cache capacity of this computer/.test(saying) && /missing: Number of the first student; Name/.test(saying), saying);
  check(/holds.*elements of 16 bits/s.test(await tab.textContent(".formula:has(#s323-a-elements)")), "the unit is behind a field without one");
  check(await tab.textContent("[data-of=s311-c-size]") === "at least 32 and below 64 KiB", "the specification repeats what 3.1 found");
  // With the keyboard alone.
  await tab.locator("#s312-c-ways .forms input:checked").focus();
  for (const key of ["ArrowRight", "Tab", "8", "Tab", "1", "6", "Tab"]) await tab.keyboard.press(key);
  check(same((await stored(tab))["s312-c-ways"], { form: "range", value: "8", to: "16", unit: "" }), "a range is filled in with the keyboard alone");
  const specification = tab.locator("[data-shown]").first();
  check(!(await specification.isVisible()), "the specification is not shown unasked");
  await tab.click("#show");
  check(await specification.isVisible(), "it is, when asked for");
  check((await stored(tab))["spec-shown"]?.startsWith("20"), "and when that was is noted");
  // Numbers from before this run that disagree with it are listed at the top.
  const [id, { right }] = Object.entries(checks)[0];
  await enter(tab, id, one(String(right + 1), unitOf("bytes")));
  check(!(await tab.locator("#stale").isVisible()), "a wrong number of this run is not called old");
  const aged = readFileSync(page, "utf8").replace(/"measured":"[^"]*"/, '"measured":"2999-01-01T00:00:00Z"');
  writeFileSync(page.replace("report.html", "aged.html"), aged);
  const later = await open(session.browser, page.replace("report.html", "aged.html"));
  check((await later.textContent("#stale-list")).length > 5 && await later.locator("#stale").isVisible(), `an old one is listed: ${await later.textContent("#stale-list")}`);
  await later.close();
  const before = await tab.textContent("#count");
  await tab.click("#print");
  check((await tab.textContent("#said")).includes("still empty"), `empty fields are reported before printing (${before})`);
  check((await tab.locator("#open-list a").count()) > 20, "and listed");
  await session.close();
}

// From the typed field to the grade: the page's judgement, and the points for the same answer.
async function graded(page) {
  const session = await start("graded");
  const tab = await open(session.browser, page);
  const checks = await checksOf(tab);
  const [roster, assignment, folder] = ["class.csv", "small.toml", "handed-in"].map(name => join(place, name));
  mkdirSync(folder);
  writeFileSync(roster, "id\nann\n");
  // Only records of the assigned size count.
  writeFileSync(assignment, execFileSync(lab, ["assignment"], { encoding: "utf8" }).replace("# matrix = 1024", "matrix = 32"));
  await tab.locator("#student-1-number").fill("1001");
  await tab.locator("#student-1-name").fill("ann");
  for (const [what, factor] of [["right", 0.9], ["wrong", 1.1]]) {
    const said = {};
    for (const [id, { kind, right, within }] of Object.entries(checks)) {
      const value = kind === "bytes" ? (what === "right" ? right : right + 7) : right - factor * within;
      said[id] = (await enter(tab, id, one(value.toFixed(kind === "bytes" ? 0 : 9), unitOf(kind)))).includes("agrees");
    }
    const file = join(place, "typed.json");
    await saveTo(tab, file);
    const archive = join(folder, "ann.zip");
    execFileSync(lab, ["handin", resolve(page, ".."), "--incomplete", "--answers", file, "--output", archive], { stdio: "ignore" });
    const out = join(place, `grades-${what}`);
    execFileSync(course, ["grade", "--roster", roster, "--assignment", assignment, "--output", out, folder], { stdio: "ignore" });
    const [header, row] = table(readFileSync(join(out, "grades.csv"), "utf8"));
    const both = Object.keys(said).filter(id => header.includes(`${id}_reason`));
    const reason = id => row[header.indexOf(`${id}_reason`)];
    const other = both.filter(id => !reason(id).startsWith("Left out") && said[id] !== (reason(id) === "Right."));
    check(both.length >= 5 && !other.length, `${both.length} ${what} answers: page and grader agree ${other.map(id => `${id}: ${said[id]}, ${reason(id)}`).join("; ")}`);
  }
  await session.close();
}

// The rows of a CSV.
const table = text => text.split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(line =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, "").replaceAll('""', '"')));

async function readable(page) {
  const browser = await playwright.chromium.launch({ executablePath: process.env.WEB_TEST_BROWSER, args: FLAGS });
  for (const [width, colorScheme] of [[360, "dark"], [1366, "light"]]) {
    const tab = await open(browser, page, { viewport: { width, height: 900 }, colorScheme });
    const paper = await tab.evaluate(() => parseInt(getComputedStyle(document.body).backgroundColor.slice(4), 10));
    check(colorScheme === "dark" ? paper < 60 : paper > 240, `${colorScheme}: the paper is ${paper} of 255 bright`);
    check(await tab.locator("details.note[open]").count() === 0, "notes are folded");
    await tab.evaluate(() => document.querySelectorAll("details").forEach(details => { details.open = true; }));
    await tab.evaluate(axe.source);
    const { violations } = await tab.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
    check(violations.length === 0, `axe: ${width} px, ${colorScheme} ${violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 90)}`).join("; ")}`);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `no sideways scrolling: ${width} px`);
    const small = await tab.evaluate(() => Math.min(...[...document.querySelectorAll("figure svg text")]
      .filter(text => text.getClientRects().length)
      .map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)));
    check(await tab.evaluate(() => [...document.querySelectorAll("figure")].every(figure => [...figure.querySelectorAll("svg")].filter(svg => svg.getClientRects().length).length === 1)), `each figure has one picture: ${width} px`);
    check(small >= 9, `chart text of ${small.toFixed(1)} px or more: ${width} px`);
    await tab.context().close();
  }
  // A4 less its margins, at 96 pixels an inch.
  const tab = await open(browser, page, { viewport: { width: 680, height: 990 } });
  await tab.emulateMedia({ media: "print", colorScheme: "dark" });
  const [ink, breaks] = await tab.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.querySelector(".sweep")).breakInside]);
  check(ink === "rgb(31, 36, 42)" && breaks === "auto", `paper has dark ink, and tables break: ${ink}, ${breaks}`);
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
    const reading = [];
    tab.on("dialog", dialog => { reading.push(dialog.message()); dialog.dismiss(); });
    tab.on("pageerror", error => reading.push(error.message));
    tab.on("request", request => { if (!/^(file|blob|data):/.test(request.url()) || /\/x$/.test(request.url())) reading.push(request.url()); });
    await tab.goto(pathToFileURL(join(folder, name)).href);
    await tab.waitForTimeout(200);
    const seen = await tab.evaluate(() => ({
      owned: window.owned === 1, broken: document.querySelector("parsererror") !== null,
      made: [...document.querySelectorAll("img[src=x], [onerror], [onload], [onmouseover]")].length, text: document.documentElement.textContent,
    }));
    const part = text.replace(/[^\x20-\x7e].*/s, "").slice(0, 20);
    check(!seen.owned && !seen.broken && !seen.made && !reading.length, `${name}: ${JSON.stringify(text)} does nothing ${reading}`);
    check(seen.text.includes(part) && !/[\u0000-\u0008\u000e-\u001f\u202e]/.test(seen.text), `${name}: and is shown`);
    await tab.context().close();
  };
  for (const [number, text] of HOSTILE.entries()) {
    file("sweep.out", `cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\tevent=${text}\n`);
    run("plot", "sweep.out", "-o", "sweep.svg");
    await look("sweep.svg", text);
    if (number > 2) continue;
    file("m.toml", `name = ${JSON.stringify(text)}\ndescription = ${JSON.stringify(text)}\n[[cache]]\nlevel = 1\nsize = "4K"\nline = 64\nways = 2\n`);
    run("run", "--quick", "--hasten", "100", "--size", "8", "--machine", "m.toml");
    await look("report/report.html", text);
  }
  await browser.close();
}

await harmless();
await kept();
await shared();
const page = run("fourth");
await restricted(page);
await checked(page);
await graded(page);
await readable(page);
if (failures.length) { console.error(`report_test: ${failures.length} of the checks failed`); process.exit(1); }
