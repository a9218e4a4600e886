// The strict reader of values, as `course grade` reads them (figures/quantity.rs); tested with
// the same tables. `known` has the units of each kind, which kinds have thousands, and the
// sentences of the doubts.
function valueReader(known) {
  const doubt = name => { throw Error(name); };
  const BLANK = /[ \u00a0\u2009\u202f]/g;

  const DECIMAL = /^(?=.*[0-9])([0-9]*)(?:[,.]([0-9]*))?$/;

  // Without the blanks between thousands.
  function ungrouped(text) {
    text = text.trim();
    const whole = text.split(/[,.]/)[0];
    const isGrouped = /^\d{1,3}([ \u00a0\u2009\u202f]\d{3})*$/.test(whole);
    return isGrouped ? whole.replace(BLANK, "") + text.slice(whole.length) : text;
  }

  function decimal(text, kind) {
    text = ungrouped(text);
    const parts = DECIMAL.exec(text) ?? doubt("not-one-number");
    if (known.thousands.includes(kind) && /^[1-9]\d{0,2}[,.]\d{3}$/.test(text)) doubt("thousands");
    return Number(`0${parts[1]}.${parts[2] ?? ""}0`);
  }

  // A number or a formula, as `Formula` in quantity.rs.
  function number(text, kind) {
    let rest = text.trim().replaceAll("\u2212", "-");
    if (!rest) doubt("no-number");
    if (new TextEncoder().encode(rest).length > 200) doubt("not-one-number");
    const next = signs => {
      const sign = rest.trimStart()[0];
      if (!sign || !signs.includes(sign)) return "";
      rest = rest.trimStart().slice(1);
      return sign;
    };
    const sum = () => {
      let value = product();
      for (let sign; (sign = next("+-"));) value += sign === "+" ? product() : -product();
      return value;
    };
    const product = () => {
      let value = power();
      for (let sign; (sign = next("*×/"));) value = sign === "/" ? value / power() : value * power();
      return value;
    };
    const power = () => {
      const sign = next("+-");
      if (sign) return sign === "-" ? -power() : power();
      let base;
      if (next("(")) {
        base = sum();
        if (!next(")")) doubt("not-one-number");
      } else {
        const end = rest.search(/[-+*×/^()eE]/);
        base = decimal(end < 0 ? rest : rest.slice(0, end), kind);
        rest = end < 0 ? "" : rest.slice(end);
      }
      const after = next("^eE");
      return after ? (after === "^" ? base ** power() : base * 10 ** power()) : base;
    };
    const value = sum();
    return !rest && Number.isFinite(value) ? value : doubt("not-one-number");
  }

  function quantity(text, unit, kind) {
    const [, digits, rest] = /^(.*[0-9)][.,]?)(.*)$/s.exec(text.trim()) ?? ["", "", text.trim()];
    let typed = rest.trim();
    if (!digits && typed) doubt("not-one-number");
    const value = number(digits, kind);
    const units = known.units[kind];
    typed = known.spellings.find(([of, other]) => of === kind && other === typed)?.[2] ?? typed;
    if (typed && !/[\p{Alphabetic}%]/u.test(typed)) doubt("not-one-number");
    if (kind === "bytes" && ["kB", "KB", "kb", "MB", "mb"].includes(typed)) doubt("kilobytes");
    if (typed && unit && typed !== unit) doubt("other-unit");
    unit ||= typed;
    const factor = units.find(({ name }) => name === unit)?.factor;
    if (factor === null) doubt("cycles");
    if (factor === undefined && (unit || units.length > 1)) doubt(unit ? "other-unit" : "no-unit");
    const size = value * (factor ?? 1);
    const possible = { bytes: size >= 1 && (factor > 1 || value % 1 === 0), count: size >= 1 && value % 1 === 0, ns: value >= 0 }[kind] ?? true;
    return possible ? size : doubt("impossible");
  }

  // {nothing}, {value}, {low, below}, {form} or {doubt}.
  function read({ form, value, to, unit }, kind) {
    if (form === "fully-associative" || form === "not-visible") return { form };
    if (![value, to, unit].some(part => part.trim())) return { nothing: true };
    const one = text => { try { return { value: quantity(text, unit.trim(), kind) }; } catch (error) { return { doubt: error.message }; } };
    const low = one(value);
    if (form !== "range") return low;
    const below = one(to);
    if ([low.doubt, below.doubt].includes("no-number") && "value" in { ...low, ...below }) return { doubt: "one-end" };
    if (low.doubt || below.doubt) return { doubt: low.doubt ?? below.doubt };
    return low.value < below.value ? { low: low.value, below: below.value } : { doubt: "empty-range" };
  }

  // "right", the sentence of a usual mistake, or undefined, as checked.rs judges.
  function judge(value, { kind, right, within, slips, rounded }) {
    const rates = kind === "percent" || kind === "points";
    const values = [value, ...(rates ? [100 * value] : [])];
    const rounding = (value, least) => {
      const halves = { percent: 0.5, number: 0.5, points: 1 }[kind] ?? 0;
      const decimals = [0, 1, 2, 3, 4, 5].find(at => Math.abs(value * 10 ** at - Math.round(value * 10 ** at)) < 1e-7) ?? 6;
      return halves && halves * 10 ** -Math.max(decimals, least) + 1e-9 * Math.abs(value);
    };
    const is = meant => values.some(value => !(rates && Math.abs(value) > 100) &&
      Math.abs(value - meant) <= Math.max(rates || right === 0 ? within : within * Math.abs(meant / right), rounding(value, 1)));
    if (is(right)) return "right";
    if (values.some(value => Math.abs(value - right) <= rounding(value, 0))) return rounded;
    return slips.find(([meant]) => is(meant))?.[1];
  }

  return { quantity, read, judge, 
    // A unit that is refused: what the field has instead.
    sentence: (name, kind) => (name !== "other-unit" ? known.doubts[name]
      : known.units[kind].length ? `This field is in ${known.units[kind].map(({ name }) => name).join(", ")}: write only the number, and choose the unit if there is a list.`
        : "This field has no unit: write only the number.") };
}
