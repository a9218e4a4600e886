// Compares the report's script that reads and judges values with the tables that the grader
// is tested with. usage: node reader_test.mjs
import { readFileSync } from "node:fs";

const of = name => readFileSync(new URL(`../common/${name}`, import.meta.url), "utf8");
const rows = name => of(name).split("\n").filter(row => row && !row.startsWith("#")).map(row => row.split("\t"));
const unit = (name, factor) => ({ name, factor });
const units = { bytes: [unit("B", 1), unit("KiB", 1024), unit("MiB", 1048576)], count: [], percent: [unit("%", 1)],
  ns: [unit("ns", 1), unit("us", 1e3), unit("ms", 1e6), unit("cycles", null)], points: [unit("points", 1)], number: [] };
const spellings = [...of("figures/src/quantity.rs").matchAll(/^    \(Kind::(\w+), "(.+?)", "(.*?)"\),$/gm)].map(([, kind, ...names]) => [kind.toLowerCase(), ...names]);
const { read, judge } = new Function(`${of("report/src/template/reader.js")}; return valueReader;`)()(
  { units, thousands: ["bytes", "count", "ns"], doubts: {}, spellings });

const wrong = [];
const quantities = rows("figures/src/quantity.tsv");
for (const [kind, value, unit, means] of quantities) {
  const { doubt, value: found } = read({ form: "one", value, to: "", unit }, kind);
  if (doubt ? doubt !== means : !(Math.abs(found - means) <= 1e-12 * Math.abs(means)) || means === "") wrong.push(`${kind} '${value} ${unit}': ${doubt ?? found}, not ${means}`);
}
const range = (value, to, unit, kind = "bytes") => JSON.stringify(read({ form: "range", value, to, unit }, kind));
for (const [found, means] of [[range("32", "64", "KiB"), { low: 32768, below: 65536 }], [range("64", "32", "KiB"), { doubt: "empty-range" }],
  [range("8", "", "", "count"), { doubt: "one-end" }], [range("", "", ""), { nothing: true }], [range("32", "64", ""), { doubt: "no-unit" }]])
  if (found !== JSON.stringify(means)) wrong.push(`${found}, not ${JSON.stringify(means)}`);

// The checks as checked.rs makes them.
const tolerance = rate => Math.max(0.02 * (100 - rate), 0.005);
const made = (what, [a, b]) => ({
  rate: { kind: "percent", right: a, within: tolerance(a), slips: [[100 - a, "MissRate"], ...(b ? [[b, "LoadsOnly"]] : [])] },
  difference: { kind: "points", right: a - b, within: tolerance(a) + tolerance(b), slips: [[b - a, "Reversed"]] },
  gain: { kind: "number", right: a, within: 0.02 * a, slips: [[1 / a, "Inverse"]] },
  bytes: { kind: "bytes", right: a, within: 0, slips: [] },
}[what]);
const judgements = rows("report/src/checked.tsv");
for (const [what, rights, value, judged] of judgements) {
  const check = made(what, rights.split(" ").map(Number));
  const found = judge(Number(value), { ...check, rounded: "Rounded", within: check.within + 1e-9 * Math.abs(check.right) }) ?? "wrong";
  if (found !== judged) wrong.push(`${what} ${rights}: ${value} is ${found}, not ${judged}`);
}
for (const line of wrong) console.error(line);
console.log(`reader_test: ${quantities.length} values and ${judgements.length} judgements, ${wrong.length} of them otherwise than the grader`);
process.exit(wrong.length || quantities.length < 50 || judgements.length < 25 ? 1 : 0);
