// Compares the page's reading of numbers with the table that the grader is tested with.
// usage: node quantity_test.mjs
import { readFileSync } from "node:fs";

const of = name => readFileSync(new URL(`../common/report/src/${name}`, import.meta.url), "utf8");
const read = new Function(`${of("template/quantity.js")}; return quantities;`)()(JSON.parse(of("quantity/words.json")));

const shown = ({ values, unit, bracket, open, unclear }) => {
  if (values) return values.join(" or ") + (unit ? "" : " bare");
  if (bracket) return `${open[0] ? "(" : "["}${bracket.join(", ")}${open[1] ? ")" : "]"}`;
  return unclear ?? "nothing";
};
const cases = of("quantity/cases.tsv").split("\n").filter(line => line && !line.startsWith("#")).map(line => line.split("\t"));
const wrong = [];
for (const [language, kind, reads, text, about] of cases) {
  const found = shown(read(JSON.parse(`"${text.replaceAll("\"", "\\\"")}"`), kind, language, about));
  if (found !== reads) wrong.push(`${language} ${kind} '${text}': ${found}, not ${reads}`);
}
for (const line of wrong) console.error(line);
console.log(`quantity_test: ${cases.length} cases, ${wrong.length} read otherwise than the grader reads them`);
process.exit(wrong.length || cases.length < 300 ? 1 : 0);
