// Reads the content of a number field like report::quantity, which the grader uses: the
// same steps under the same names, the same words (words.json), and one table of test cases
// for both (quantity/cases.tsv).
function quantities(words) {
  const NONE = { unit: "none" }, OTHER = { unit: "other" }, FOREIGN = { unit: "other" };
  const zeros = [...words.zeros].map(zero => zero.codePointAt(0));
  const lookup = table => new Map(Object.entries(table).flatMap(([to, those]) => [...those].map(c => [c, to])));
  const letters = lookup(words.letters), signs = lookup(words.signs);
  const fold = word => [...word].map(c => letters.get(c) ?? c).join("");
  const is = (list, word) => list.some(known => same(known, word));
  const same = (known, word) => known.endsWith("*") ? word.startsWith(known.slice(0, -1)) : known === word;
  const list = all => all.map(fold);
  const table = all => Object.entries(all).flatMap(([scale, units]) => units.map(unit => [fold(unit).split(" "), Number(scale)]));
  const scales = Object.fromEntries(["bytes", "ns", "percent", "count", "number"].map(kind => [kind, table(words.units[kind])]));
  const prefixes = table(words.units.prefixes).sort(([, a], [, b]) => 0);
  const [names, settings, ordinals, products, fillers, behind, articles, others, holders, tails] =
    [words.names, words.settings, words.ordinals, words.products, words.fillers, words.behind, words.articles, words.units.other, words.units.holders, words.units.behind_prefix].map(list);
  const filler = word => [fillers, names, settings, ordinals, products, others].some(list => is(list, word)) || thing(word) !== undefined;
  const things = Object.entries(words.things).map(([thing, those]) => [thing, list(those)]);
  const thing = word => things.find(([, those]) => is(those, word))?.[0];
  const numbers = new Map(Object.entries(words.numbers).map(([word, value]) => [fold(word), value]));
  const marks = Object.entries(words.phrases)
    .flatMap(([mark, phrases]) => phrases.map(phrase => [fold(phrase).split(/[ ']/), mark]))
    .sort(([a], [b]) => b.length - a.length);
  const digit = c => c >= "0" && c <= "9" && c.length === 1;
  const alphabetic = c => /^\p{Alphabetic}$/u.test(c);
  const alphanumeric = c => /^[\p{Alphabetic}\p{N}]$/u.test(c);

  // Plain text: one sign for all that look the same, no markup.
  const turn = words.replaced.findIndex(([from]) => from === "<=");
  const replaced = (text, what) => what.reduce((text, [from, to]) => text.replaceAll(from, to), text);
  function plain(text) {
    text = replaced(text.toLowerCase(), words.replaced.slice(0, turn)).replace(/<\/*[a-z][^<>]*>/g, " ");
    text = replaced(characters(text), words.replaced.slice(turn));
    text = text.split("**").reduce((before, part) =>
      before + (/\d\s*$/.test(before) && /^\s*\d/.test(part) ? "^" : " ") + part);
    return intervals([...text]);
  }
  function characters(text) {
    let out = "", raised = false;
    for (let c of text) {
      if (/[\u0300-\u0334\u0339-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(c)) continue;
      if (c >= "\uff01" && c <= "\uff5e" && c.length === 1) c = String.fromCharCode(c.charCodeAt(0) - 0xfee0).toLowerCase();
      const over = c === "⁻" ? 10 : words.superscripts.indexOf(c);
      if (over >= 0) {
        if (!raised && !/[0-9)]$/.test(out)) { out += c === "¹" ? "" : c; continue; }
        out += (raised ? "" : "^") + "0123456789-"[over];
        raised = true;
        continue;
      }
      raised = false;
      const below = words.subscripts.indexOf(c);
      if (below >= 0 && /\p{Alphabetic}$/u.test(out)) out += below;
      else if (words.fractions[c] !== undefined) out += `\u0001${words.fractions[c]} `;
      else if (c === "\t") out += "  ";
      else if (c === "|") out += ";";
      else out += scripted(c) ?? (c < "\u0080" ? c : signs.get(c) ?? letters.get(c) ?? c);
    }
    return out;
  }
  function scripted(c) {
    if (c < "\u0080" || !/^\p{N}$/u.test(c)) return undefined;
    const zero = zeros.find(zero => c.codePointAt(0) >= zero && c.codePointAt(0) < zero + 10);
    return zero === undefined ? undefined : String(c.codePointAt(0) - zero);
  }
  // The comma in `[16,24)` separates two numbers: replaced by a semicolon.
  function intervals(out) {
    for (let at = 0; at < out.length; at++) {
      if (!"[](".includes(out[at])) continue;
      const length = out.slice(at + 1).findIndex(c => "[]()".includes(c));
      const end = at + 1 + length;
      if (length < 0 || out[end] === "(" || out[at] === "(" && out[end] === ")") continue;
      const inner = [...out.keys()].slice(at + 1, end);
      const commas = inner.filter(i => out[i] === ",");
      const between = commas.length === 1 ? commas : commas.filter(i => out[i + 1] === " ");
      if (between.length === 1 && !inner.some(i => ";…".includes(out[i]))) out[between[0]] = ";";
      at = end;
    }
    return out.join("");
  }

  // Tokens: { number }, { word } or { sign }, each with its context.
  const amount = value => ({ plain: value }), named = (sure, name = "") => ({ name: true, sure, thing: thing(name) }), UNREADABLE = { unreadable: true };
  const parsed = text => Number.isNaN(Number(text)) || text === "" ? UNREADABLE : amount(Number(text));
  function tokens(text, kind) {
    return name(inWords(lex([...text]), kind), kind);
  }
  function lex(text) {
    const found = [];
    let at = 0, spaced = false;
    const peek = ahead => text[at + ahead] ?? "\0";
    const take = fits => { let taken = ""; while (at < text.length && fits(text[at])) taken += text[at++]; return taken; };
    const isNumber = back => found.at(-back)?.number !== undefined;
    function word() {
      const word = take(alphabetic);
      if (peek(0) === "-" && alphabetic(peek(1))) { at++; return { word }; }
      if ("xх".includes(word) && digit(peek(0)) && (isNumber(1) || found.length > 1 && isNumber(2))) return { word };
      if (!digit(peek(0)) && !(peek(0) === "_" && alphanumeric(peek(1)))) return { word };
      const rest = c => alphanumeric(c) || c === "_";
      let whole = word + take(rest);
      const known = is(names, word);
      while (!known && "-.".includes(peek(0)) && alphanumeric(peek(1))) { at++; whole += take(rest); }
      return { number: named(known || is(products, word) || is(products, whole), whole) };
    }
    function number() {
      const begun = at;
      const digitsIn = peek(0) === "0" && { x: /^[0-9a-f]{1,16}$/, o: /^[0-7]{1,21}$/, b: /^[01]{1,64}$/ }[peek(1)];
      if (digitsIn) {
        const base = text[at + 1];
        at += 2;
        const digits = take(c => /^[0-9a-z]$/i.test(c));
        if (digitsIn.test(digits)) return amount(Number("0" + base + digits));
        at = begun;
      }
      return attached(fraction(powerOfTen(numeral(digits()))), begun);
    }
    function digits() {
      let digits = take(digit);
      const group = () => digit(peek(1)) && digit(peek(2)) && digit(peek(3)) && !digit(peek(4));
      const leads = digits.length >= 1 && digits.length <= 3 && !digits.startsWith("0");
      while (leads && " '_".includes(peek(0)) && group()) { at++; digits += "'" + take(digit); }
      while (".,".includes(peek(0)) && digit(peek(1))) { digits += text[at++]; digits += take(digit); }
      return digits;
    }
    function powerOfTen(numeral) {
      const sign = "+-".includes(peek(1)) ? 1 : 0;
      if (peek(0) !== "e" || !digit(peek(1 + sign))) return numeral;
      const begun = at;
      at += 1 + sign;
      const exponent = take(digit);
      if (peek(0) === "e") { at = begun; return numeral; }
      const mantissa = numeral.plain ?? numeral.decimal;
      if (mantissa === undefined) return numeral;
      return parsed(`${mantissa}e${text[begun + 1] === "-" ? "-" : ""}${exponent}`);
    }
    function fraction(numeral) {
      if (peek(0) !== "\u0001") return numeral;
      at++;
      const [over, under] = take(c => digit(c) || c === "/").split("/");
      const whole = numeral.plain + over / under;
      return Number.isFinite(whole) ? amount(whole) : UNREADABLE;
    }
    function attached(numeral, number) {
      const begun = at;
      const word = take(alphabetic);
      if (!word) return numeral;
      const end = at;
      at = begun;
      if (["x", "х"].includes(word) || unitOf([word], "bytes") || unitOf([word], "ns")) return numeral;
      at = end;
      take(alphanumeric);
      return named(is(ordinals, word), text.slice(number, end).join(""));
    }
    while (at < text.length) {
      const c = text[at], before = text[at - 1] ?? " ";
      const point = ".,".includes(c) && digit(peek(1)) && !alphanumeric(before) && before !== c;
      let token;
      if (digit(c) || point) token = { number: number() };
      else if (alphabetic(c)) token = word();
      else {
        at++;
        if (c === "~" && digit(before) && alphabetic(text.slice(at).find(c => c !== " ") ?? " ")) { spaced = true; continue; }
        else if ("%‰~".includes(c) || c === "!" && (digit(before) || digit(peek(0)))) token = { word: c };
        else if ("=≤≥<>-±+*/^…,;:.()[]\n#".includes(c)) token = { sign: c };
        else if (c <= " " || words.quiet.includes(c)) { spaced = true; continue; }
        else token = { word: c };
      }
      found.push({ ...token, spaced, weak: false });
      spaced = false;
    }
    return found;
  }
  function numeral(digits) {
    const found = [...digits].filter(c => ".,".includes(c));
    const parts = digits.split(/[.,']/);
    const grouped = parts => /^[1-9]\d{0,2}$/.test(parts[0]) && parts.slice(1).every(part => part.length === 3);
    const power = part => !part.startsWith("0") && Number(part) > 1 && Number.isInteger(Math.log2(Number(part)));
    if (parts.length > 1 && grouped(parts) && parts.every(power)) return UNREADABLE;
    const quotes = digits.includes("'");
    const bare = digits.replaceAll("'", "");
    const [first] = found, last = found.at(-1);
    if (!found.length) return parsed(bare);
    if (found.length === 1 && quotes) return parsed(bare.replace(first, "."));
    if (found.length === 1) return { mark: first, decimal: Number(digits.replace(first, ".")), grouped: grouped(parts) ? Number(parts.join("")) : undefined };
    if (first !== last && found.slice(0, -1).every(mark => mark === first)) {
      const at = digits.lastIndexOf(last);
      const groups = digits.slice(0, at).split(first);
      return grouped(groups) ? parsed(`${groups.join("")}.${digits.slice(at + 1)}`) : UNREADABLE;
    }
    if (found.every(mark => mark === first) && grouped(parts)) return parsed(parts.join(""));
    return found.every(mark => mark === ".") ? named(parts.every(part => part < 20)) : UNREADABLE;
  }
  function inWords(tokens, kind) {
    const value = token => token?.word !== undefined && numbers.has(token.word) ? numbers.get(token.word) : undefined;
    const found = [];
    for (let at = 0; at < tokens.length;) {
      const per = ["per", "por", "pour"].includes(found.at(-1)?.word);
      let total = per ? undefined : value(tokens[at]);
      if (total === undefined) { found.push(tokens[at++]); continue; }
      let article = articles.includes(tokens[at].word), whole = true;
      const first = tokens[at++];
      for (;;) {
        const joined = ["e", "et", "and", "und"].includes(tokens[at]?.word);
        const part = value(tokens[at + joined]);
        if (part === undefined) break;
        const fits = digits => total % digits === 0 && part < digits && total >= digits;
        if (part === 100 && total < 10) total *= part;
        else if (fits(100) || fits(10)) total += part;
        else if (joined) break;
        else whole = false;
        article = false;
        at += 1 + joined;
      }
      const next = wordsFrom(tokens, at);
      article &&= next.length ? (markOf(next)?.[0] ?? "about") === "about" && unitOf(next, kind)?.[0].unit !== "asked" : found.at(-1)?.word !== undefined;
      found.push(article ? first : { number: whole ? amount(total) : UNREADABLE, spaced: first.spaced, weak: false });
    }
    return found;
  }
  function name(tokens, kind) {
    const sign = (at, signs) => tokens[at]?.sign !== undefined && signs.includes(tokens[at].sign);
    for (let at = 0; at < tokens.length; at++) {
      const begins = at === 0 || sign(at - 1, "\n");
      tokens[at].weak ||= begins && tokens[at].number?.plain < 10 && sign(at + 1, ".)");
      const { word } = tokens[at];
      const known = word !== undefined ? is(names, word) : tokens[at].sign === "#";
      const set = word !== undefined && is(settings, word);
      if (!known && !set) continue;
      let number = at + 1;
      if (sign(number, known ? ".-#" : "=") && (!known || !tokens[number].spaced)) number++;
      else if (set && wordsFrom(tokens, number)[0] === "of") number++;
      if (tokens[number]?.number === undefined) continue;
      tokens[number].weak ||= set;
      // "pc 1.8" may be the number that is asked for
      const decimal = tokens[number].number.mark && (kind === "percent" || kind === "number");
      const level = word === "l" || word !== undefined && is(holders, word) ? `l${tokens[number].number.plain}` : "";
      if (known) tokens[number].number = named(!decimal && unitOf(wordsFrom(tokens, number + 1), kind)?.[0].unit !== "asked", level);
    }
    return tokens;
  }
  function wordsFrom(tokens, at) {
    const found = [];
    while (found.length < 6 && tokens[at + found.length]?.word !== undefined) found.push(tokens[at + found.length].word);
    return found;
  }
  // The phrase at the start of the words, and its number of words.
  function markOf(those) {
    const found = those.length && marks.find(([phrase]) => phrase.length <= those.length && phrase.every((word, i) => word === those[i]));
    return found ? [found[1], found[0].length] : undefined;
  }
  // The unit at the start of the words, and its number of words.
  function unitOf(those, kind) {
    const counted = word => word !== undefined && is(others, word) && !is(holders, word);
    if (prefixes.some(([[prefix]]) => prefix === those[0]) && counted(those[1])) return [OTHER, 2];
    const asked = scaleOf(those, kind);
    if (asked) return [{ unit: "asked", scale: asked[0] }, asked[1]];
    const [word] = those;
    if (word === undefined || !([...word].length > 1 || ["b", "k", "%"].includes(word))) return undefined;
    for (const other of ["bytes", "ns", "percent", "count"]) {
      const found = scaleOf(those, other);
      if (found) return [OTHER, found[1]];
    }
    return is(others, word) ? [OTHER, 1] : undefined;
  }
  function scaleOf(those, kind) { return kind === "bytes" ? bytes(those) : ofTable(kind, those); }
  function ofTable(kind, those) {
    const fits = ([unit]) => unit.length <= those.length && unit.every((known, i) => same(known, those[i]));
    const found = scales[kind].filter(fits).reduce((best, one) => !best || one[0].length >= best[0].length ? one : best, undefined);
    return found && [found[1], found[0].length];
  }
  function bytes([word, next]) {
    if (word === undefined) return undefined;
    const base = word => word === undefined ? undefined : ofTable("bytes", [word])?.[0];
    if (base(word) !== undefined) return [base(word), 1];
    for (const [[prefix], scale] of prefixes) {
      if (!word.startsWith(prefix)) continue;
      const rest = word.slice(prefix.length);
      if (!rest) return base(next) === undefined ? [scale, 1] : [scale * base(next), 2];
      const of = base(rest) ?? (tails.includes(rest) ? 1 : undefined);
      if (of !== undefined) return [scale * of, 1];
    }
    return undefined;
  }

  // Terms: { first, rest: [op, factor], weak }, and the parts between them.
  function elements(tokens, { kind, language }) {
    let at = 0;
    const sign = place => tokens[place]?.sign;
    const spaced = place => Boolean(tokens[place]?.spaced);
    const number = place => { const found = tokens[place]?.number; return found && !found.name ? found : undefined; };
    const mark = place => markOf(wordsFrom(tokens, place));
    function pieces(close) {
      const found = [];
      while (at < tokens.length) {
        const token = tokens[at];
        if (token.number?.name) { at++; found.push({ type: token.number.sure ? "word" : "unknown", thing: token.number.thing }); }
        else if (token.number) found.push(term(false));
        else if (token.word !== undefined) found.push(word(found.at(-1)));
        else if ("-+".includes(token.sign) && signed(found.at(-1))) { at++; found.push(term(token.sign === "-")); }
        else if (close === token.sign) { at++; return found; }
        else if ("()[]".includes(token.sign)) found.push(bracket(token.sign));
        else { at++; found.push({ type: "sign", sign: token.sign }); }
      }
      return found;
    }
    function signed(before) {
      const whole = kind === "bytes" || kind === "count";
      const place = before === undefined || ["sign", "mark"].includes(before.type) ||
        ["word", "letter", "unit", "unknown"].includes(before.type) && !whole && spaced(at);
      return place && number(at + 1) && !spaced(at + 1);
    }
    function word(before) {
      const { word } = tokens[at];
      // "no L1" of Portuguese
      const within = word === "no" && words.no_is_in.includes(language) && (tokens[at + 1]?.word ?? tokens[at + 1]?.number?.name) !== undefined;
      const found = mark(at);
      if (!found || within && found[1] === 1) {
        if (within || thing(word) !== undefined) { at++; return { type: "word", thing: thing(word) }; }
        if (articles.includes(word)) { at++; return { type: "letter" }; }
        const [unit, taken] = unitOf(wordsFrom(tokens, at), kind) ?? [];
        at += taken ?? 1;
        if (unit) return { type: unit.unit === "asked" && unit.scale !== 1 ? "unit" : "word" };
        return { type: filler(word) ? "word" : alphabetic(word) ? "letter" : "unknown" };
      }
      at += found[1];
      if (found[0] === "minus" && number(at) && !hasNumber(before)) return term(true);
      return { type: "mark", mark: found[0] };
    }
    function bracket(open) {
      const begun = at;
      const found = interval(open);
      if (found) return found;
      at = begun + 1;
      const close = open === "(" ? ")" : "]";
      const closed = "([".includes(open) && tokens.slice(at).some(token => token.sign === close);
      if (closed) return { type: "group", inner: pieces(close) };
      return ")]".includes(open) ? { type: "sign", sign: ";" } : { type: "unknown" };
    }
    function interval(open) {
      const low = end(open === ")");
      if (!low) return undefined;
      if (!(sign(at) !== undefined && ";,…-:".includes(sign(at))) && mark(at)?.[0] !== "to") return undefined;
      const high = end(false);
      const close = sign(at);
      if (!high || close === undefined || !")][".includes(close) || open === "(" && close === ")") return undefined;
      at++;
      Object.assign(high.first, unit());
      return { type: "interval", ends: [low, high], open: [open !== "[", close !== "]"] };
    }
    function end(never) { at++; return !never && number(at) ? term(false) : undefined; }
    function term(negative) {
      const { weak } = tokens[at];
      const whole = { type: "term", first: factor(negative), rest: [], weak };
      for (;;) {
        const begun = at;
        const found = mark(at);
        let op = sign(at);
        if (op === "*" || op === "/") at++;
        else if (found?.[0] === "times") { at += found[1]; op = "*"; }
        else return whole;
        if (!number(at)) { at = begun; return whole; }
        const by = factor(false);
        const units = [unitOfTerm(whole, kind).unit, by.unit.unit];
        if (op === "/" && units.includes("asked") && units.includes("other")) { at = begun; return whole; }
        whole.rest.push([op, by]);
      }
    }
    function factor(negative) {
      const numeral = tokens[at++].number;
      const found = { numeral, negative, power: power(), unit: NONE, share: false };
      return Object.assign(found, unit());
    }
    function power() {
      const found = mark(at);
      let place;
      if (sign(at) === "^") place = at + 1;
      else if (found?.[0] === "power") place = at + found[1];
      else return undefined;
      const grouped = sign(place) === "(";
      place += grouped;
      const negative = sign(place) === "-";
      place += negative;
      const by = number(place)?.plain;
      if (by === undefined) return undefined;
      place++;
      if (grouped && sign(place) === ")") place++;
      at = place;
      return negative ? -by : by;
    }
    // "600 clocks", "8 M": a word that is not a unit, and may not follow a number.
    function foreign(place) {
      const { word } = tokens[place] ?? {};
      return word !== undefined && !mark(place) && (alphabetic(word) || filler(word)) && !is(behind, word) && !is(holders, word);
    }
    function unit() {
      const of = place => unitOf(wordsFrom(tokens, place), kind);
      const hyphen = sign(at) === "-" && !spaced(at) && !spaced(at + 1);
      const plural = hyphen && wordsFrom(tokens, at + 1)[0] === "х" ? 1 : 0;
      let found = of(at), place = at;
      if (!found && hyphen) { place = at + 1 + plural; found = of(place); }
      let end = found && place + found[1];
      if (!found && (sign(at) === "(" || sign(at) === "[")) {
        found = of(at + 1);
        end = found && at + 2 + found[1];
        if (found && ![")", "]"].includes(sign(end - 1))) found = undefined;
      }
      const prefix = found && prefixes.some(([[prefix]]) => prefix === tokens[end - 1].word);
      const next = prefix ? end : at;
      if ((prefix || !found) && foreign(next)) { at = next + 1; return { unit: FOREIGN, share: false }; }
      if (!found) return undefined;
      at = end;
      const share = sign(end) === "/" && wordsFrom(tokens, end + 1).length > 0;
      if (share) at += 2;
      return { unit: found[0], share };
    }
    return pieces(undefined);
  }
  const factors = term => [term.first, ...term.rest.map(([, factor]) => factor)];
  const divides = term => term.rest.some(([op]) => op === "/");
  function unitOfTerm(term, kind) {
    const units = factors(term).map(factor => factor.unit);
    const asked = units.filter(({ unit }) => unit === "asked");
    const other = units.some(({ unit }) => unit === "other");
    if (asked.length && (!other || kind === "bytes")) return asked.length === 2 && divides(term) ? NONE : asked[0];
    return other ? OTHER : NONE;
  }
  function doubtfulTerm(term, { kind }) {
    const whole = factors(term).every(({ numeral }) => Number.isInteger(numeral.plain));
    // "74·9" may be a decimal point, "3/4" a share or a number of per cent
    if (kind === "number" && !divides(term)) return term.rest.length > 0 && whole;
    if (kind === "percent") return term.rest.length > 0 && (whole || divides(term));
    if (!divides(term)) return false;
    if (kind === "number") return !whole;
    const part = term.first.numeral.plain === 1 && term.rest.length === 1;
    return !(kind === "bytes" && part && unitOfTerm(term, kind).scale >= 1024);
  }
  // The possible values of a term; a doubt is thrown.
  function valuesOf(term, asked, lent) {
    const own = unitOfTerm(term, asked.kind);
    const scale = own.unit === "asked" ? own.scale : own.unit === "none" && lent.unit === "asked" ? lent.scale : 1;
    let values = valuesOfFactor(term.first, asked, scale);
    for (const [op, factor] of term.rest) {
      const by = valuesOfFactor(factor, asked, scale);
      if (by.length !== 1) throw "notation";
      values = values.map(value => op === "*" ? value * by[0] : value / by[0]);
    }
    values = values.map(value => value * scale);
    if (!values.every(Number.isFinite)) throw "notation";
    return values;
  }
  function valuesOfFactor({ numeral, power, negative, unit }, { kind, point }, scale) {
    if (unit === FOREIGN) throw "otherunit";
    const whole = amount => Number.isInteger(amount * scale);
    const indivisible = kind === "count" || kind === "bytes" && scale <= 1;
    let amounts;
    if (numeral.plain !== undefined) amounts = [numeral.plain];
    else if (numeral.mark === undefined) throw "notation";
    else {
      const { mark, decimal, grouped } = numeral;
      const own = mark === (point ? "." : ",");
      if (grouped !== undefined) {
        if (indivisible) amounts = [grouped];
        else if (own || kind === "percent") amounts = [decimal];
        else if (kind === "bytes" && !whole(decimal)) amounts = [grouped];
        else amounts = [grouped, decimal];
      } else {
        const several = mark === "," && decimal >= 1 && !whole(decimal);
        if (several && (indivisible || kind === "bytes" && point)) throw "several";
        amounts = [decimal];
      }
    }
    return amounts.map(amount => power === undefined ? amount : amount ** power).map(amount => negative ? -amount : amount);
  }

  // The answer: combines all numbers.
  const ROUNDED = 0.01, SAME = 1e-9;
  const bounds = { "≥": [true, false], ">": [true, true], "≤": [false, false], "<": [false, true],
    least: [true, false], starting: [true, false], more: [true, true], most: [false, false], less: [false, true] };
  const bound = element => element && (element.type === "sign" ? bounds[element.sign] : element.type === "mark" ? bounds[element.mark] : undefined);
  const isSign = (element, signs) => element?.type === "sign" && signs.includes(element.sign);
  const isMark = (element, mark) => element?.type === "mark" && element.mark === mark;
  const hasNumber = element => element?.type === "term" || element?.type === "interval" || element?.type === "group" && element.inner.some(hasNumber);
  const split = (elements, at) => elements.reduce((parts, element) => {
    if (at(element)) parts.push([]); else parts.at(-1).push(element);
    return parts;
  }, [[]]);
  function answer(all, asked) {
    const { kind } = asked;
    let said = [], negated = false, computed = false, allWays = false, unknown = false, letter = false, loose = false, elsewhere = false;
    const doubts = [];
    const attempt = make => { try { return make(); } catch (doubt) { if (typeof doubt !== "string") throw doubt; return doubt; } };
    const sentences = elements => split(elements, element => isSign(element, ";,:.\n")).forEach(sentence);
    function sentence(elements) {
      const sides = split(elements, element => isSign(element, "="));
      const last = Math.max(0, sides.findLastIndex(side => side.some(hasNumber)));
      const before = said.length;
      sides.slice(last).forEach(side);
      for (const side of sides.slice(0, last)) {
        wordsOf(side);
        const found = side.filter(hasNumber);
        if (found.length !== 1 || found[0].type !== "term") continue;
        const [term] = found;
        // "32768/1024 = 32": the unit is omitted
        if (kind === "bytes" && divides(term)) said.slice(before).forEach(one => { one.doubtful ||= one.unit === NONE; });
        if (term.rest.length || term.weak || unitOfTerm(term, kind) === OTHER) continue;
        const other = attempt(() => valuesOf(term, asked, NONE));
        if (typeof other === "string") continue;
        const [one, ...more] = said.slice(before);
        const share = kind === "percent" ? 100 : 1;
        const near = (a, b) => Math.abs(a - b) <= ROUNDED * Math.max(Math.abs(a), Math.abs(b));
        if (one?.values && !more.length && one.unit !== OTHER && one.values.some(a => other.some(b => near(a, b) || near(a, share * b)))) one.doubtful = false;
        else doubts.push("several");
      }
    }
    function wordsOf(elements) {
      for (const element of elements) {
        if (element.type === "group") wordsOf(element.inner);
        else if (isMark(element, "not") || isMark(element, "unanswered")) negated = true;
        else if (element.type === "unknown") unknown = true;
        else if (element.type === "unit") loose = true;
        elsewhere ||= other(element);
      }
    }
    // Whether it is a level or a quantity that the question does not name.
    function other({ thing }) { return Boolean(thing && asked.things && !asked.things.includes(thing)); }
    // Whether an unknown word or sign has no influence on the numbers.
    function known(side, at, numeric) {
      const element = side[at], near = element => element && !element.weak && hasNumber(element);
      const [behind, before] = [near(side[at - 1]), near(side[at + 1])];
      const [first, last] = [at === 0, at === side.length - 1];
      if (element.type === "unknown") return false;
      if (!numeric) return true;
      if (isMark(element, "to")) return !behind && !before;
      if (isMark(element, "or")) return before;
      if (["times", "power", "minus", "beyond"].some(mark => isMark(element, mark))) return false;
      if (isSign(element, "*")) return first || last;
      if (isSign(element, "+")) return first;
      if (isSign(element, "/")) return behind && before;
      return !isSign(element, "^±");
    }
    function side(elements) {
      const numeric = elements.some(hasNumber);
      let between = false, pending;
      for (let at = 0; at < elements.length;) {
        const element = elements[at], before = elements[at - 1];
        let next = at + 1;
        elsewhere ||= other(element);
        if (element.type === "term") {
          const taken = joined(elements, at, between, pending);
          unknown ||= between && taken === undefined;
          next += taken ?? single(element, pending, elements.slice(at + 1));
          between = false;
          pending = undefined;
        } else if (element.type === "interval") range(...element.ends, element.open);
        else if (element.type === "group") {
          if (hasNumber(element) && (isSign(before, "*/^+-") || isSign(elements[at + 1], "*/^+-"))) doubts.push("notation");
          else sentences(element.inner);
        } else if (isMark(element, "between")) between = true;
        else if (isMark(element, "not") || isMark(element, "unanswered")) negated = true;
        else if (isMark(element, "one_way") && kind === "count") said.push({ values: [1], unit: { unit: "asked", scale: 1 }, weak: false, doubtful: false });
        else if (isMark(element, "computed")) computed = true;
        else if (isMark(element, "per_set")) computed ||= kind !== "count";
        else if (isMark(element, "all_ways")) allWays = true;
        else if (element.type === "letter") letter = true;
        else if (element.type === "unit") loose = true;
        else if (isMark(element, "about")) { /* says nothing */ }
        else {
          unknown ||= pending && numeric || !known(elements, at, numeric);
          letter ||= elements.length === 1 && element.type === "mark";
          pending = bound(element);
          if (pending && before?.type === "term" && element.type === "sign" && elements[at + 1]?.type === "term") doubts.push("several");
        }
        at = next;
      }
      unknown ||= numeric && between || pending !== undefined;
    }
    function single(term, pending, behind) {
      const more = behind.slice(1).find(element => !isMark(element, "about"));
      let bounded = pending;
      if (!bounded && behind[0]?.type === "sign" && bound(behind[0]) && more && !hasNumber(more)) {
        const [low, open] = bound(behind[0]);
        bounded = [!low, open];
      } else if (!bounded && isMark(behind[0], "beyond")) bounded = [true, false];
      else if (!bounded && isSign(behind[0], "+")) {
        if (more && hasNumber(more)) doubts.push("notation"); else bounded = [true, false];
      }
      if (bounded) {
        said.push({ end: bounded[0] ? "low" : "high", term, open: bounded[1] });
        return pending ? 0 : 1;
      }
      if (kind === "bytes" && !term.rest.length && term.first.share) { computed = true; return 0; }
      const values = attempt(() => valuesOf(term, asked, NONE));
      if (typeof values === "string") doubts.push(values);
      else said.push({ values, unit: unitOfTerm(term, kind), weak: term.weak, doubtful: doubtfulTerm(term, asked) });
      return 0;
    }
    function joined(elements, at, between, pending) {
      const after = elements.slice(at + 1).findIndex(element => element.type === "term");
      if (after < 0) return undefined;
      const low = elements[at], high = elements[at + 1 + after];
      const link = elements.slice(at + 1, at + 1 + after).filter(element => !isMark(element, "about"));
      if (link.length === 1 && isSign(link[0], "±")) { around(low, high); return after + 1; }
      const units = [low, high].map(term => unitOfTerm(term, kind));
      if (units.includes(OTHER) && units.some(({ unit }) => unit === "asked")) return undefined;
      const to = element => isMark(element, "to") || isSign(element, "-…") || between && isMark(element, "and");
      let open = false;
      if (link.length === 1 && isMark(link[0], "most") && !pending) open = false;
      else if (link.length === 1 && to(link[0])) open = false;
      else if (link.length === 2 && to(link[0]) && bound(link[1]) && !bound(link[1])[0]) [, open] = bound(link[1]);
      else return undefined;
      const ends = attempt(() => [valuesOf(low, asked, units[1]), valuesOf(high, asked, units[0])]);
      const falls = typeof ends !== "string" && (kind === "percent" && units[0] === NONE && ends[0][0] === 1 || ends[0][0] > ends[1][0] || ends[0][0] === ends[1][0] && ends[0][1] > ends[1][1]);
      if (link.length === 1 && isSign(link[0], "-") && falls) doubts.push("notation");
      else range(low, high, [Boolean(pending && pending[0] && pending[1]), open]);
      return after + 1;
    }
    function around(middle, off) {
      const own = unitOfTerm(middle, kind), of = unitOfTerm(off, kind);
      const lent = own === NONE ? of : own;
      const share = kind !== "percent" && of === OTHER;
      const both = attempt(() => [valuesOf(middle, asked, lent), valuesOf(off, asked, lent)]);
      if (typeof both === "string" || both.some(values => values.length !== 1)) { doubts.push("notation"); return; }
      const [[m], [o]] = both;
      const by = share ? m * o / 100 : o;
      bracketed(m - by, m + by, [false, false], lent);
    }
    function range(low, high, open) {
      const units = [low, high].map(term => unitOfTerm(term, kind));
      const both = attempt(() => [valuesOf(low, asked, units[1]), valuesOf(high, asked, units[0])]);
      if (typeof both === "string") { doubts.push("notation"); return; }
      const unit = units.find(unit => unit !== NONE) ?? NONE;
      const alike = units[0].unit === units[1].unit && units[0].scale === units[1].scale;
      if (both.every(values => values.length === 1) && (alike || both[0][0] <= both[1][0])) bracketed(both[0][0], both[1][0], open, unit);
      else doubts.push("notation");
    }
    function bracketed(low, high, open, unit) {
      if (low === high) said.push({ values: [low], unit, weak: false, doubtful: open[0] || open[1] });
      else if (low < high) said.push({ low, high, open, unit });
      else said.push({ low: high, high: low, open: [open[1], open[0]], unit });
    }
    function ends() {
      const found = said.filter(({ end }) => end);
      if (!found.length) return undefined;
      if (found.length === 1) return "oneend";
      const [low, high] = ["low", "high"].map(which => found.find(({ end }) => end === which));
      if (found.length > 2 || !low || !high) return "several";
      said = said.filter(({ end }) => !end);
      range(low.term, high.term, [low.open, high.open]);
      return doubts[0];
    }
    function one() {
      const [first, ...rest] = said;
      if (!first.values) return rest.length ? { unclear: "several" } : { bracket: [first.low, first.high], open: first.open };
      let { values, doubtful } = first, unit = first.unit !== NONE;
      const alike = (a, b) => Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));
      for (const other of rest) {
        if (!other.values) return { unclear: "several" };
        values = values.filter(a => other.values.some(b => alike(a, b)));
        unit ||= other.unit !== NONE;
        doubtful &&= other.doubtful;
      }
      if (!values.length) return { unclear: "several" };
      return doubtful ? { unclear: "quotient" } : { values, unit };
    }
    sentences(all);
    const read = understood();
    const settled = read.values || read.bracket;
    const nothing = !settled && !read.unclear;
    if (nothing && (unknown || letter) || settled && (unknown || loose)) return { unclear: "unknown" };
    return settled && elsewhere ? { unclear: "elsewhere" } : read;
    function understood() {
      if (doubts.length) return { unclear: doubts[0] };
      const doubt = ends();
      if (doubt) return { unclear: doubt };
      const inWords = computed || allWays && kind === "count";
      if (said.length && negated) return { unclear: "negated" };
      if (inWords) return { unclear: "inwords" };
      if (!said.length) return {};
      const withUnit = said.some(({ unit }) => unit.unit === "asked");
      const strong = said.some(({ weak }) => !weak);
      said = said.filter(({ unit, weak }) => !(withUnit && unit === OTHER || (withUnit || strong) && weak && unit === NONE));
      if (said.every(({ unit }) => unit === OTHER)) return { unclear: "otherunit" };
      return one();
    }
  }

  // The levels and quantities that a question names; if it names no level, the first is
  // meant.
  function thingsOf(about) {
    const found = tokens(plain(about), "number").map(token => token.word === undefined ? token.number?.thing : thing(token.word));
    return found.some(thing => thing?.startsWith("level")) ? found : [...found, "level 1"];
  }

  const LONGEST = 1000;
  // { values, unit }, { bracket, open }, { unclear } or {}.
  return (text, kind, language, about) => {
    const all = [...text];
    language = language.split("-")[0].toLowerCase();
    const asked = { kind, language, point: words.point.includes(language), things: about ? thingsOf(about) : undefined };
    const read = answer(elements(tokens(plain(all.slice(0, LONGEST).join("")), kind), asked), asked);
    return Object.keys(read).length && all.length > LONGEST ? { unclear: "long" } : read;
  };
}
