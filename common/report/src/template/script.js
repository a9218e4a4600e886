"use strict";
(() => {
  const KEY = `cache-lab-answers:${location.pathname}`;
  const $ = id => document.getElementById(id);
  const holder = $("answers");
  const words = JSON.parse($("words").textContent);
  const t = (english, ...parts) => parts.reduce((told, part) => told.replace("{}", part), words[english] ?? english);
  const fields = [...document.querySelectorAll("[data-field]")];
  const say = text => { $("said").textContent = text; };
  const empty = () => ({ format: "cache-lab-answers", version: 2, saved: "", fields: {} });

  // Answers, or a sentence that says why a text is not a set of answers.
  function parse(text) {
    let read;
    try { read = JSON.parse(text); } catch (error) { throw Error(t("this is not JSON ({})", error.message)); }
    if (read?.format !== "cache-lab-answers" || typeof read.fields !== "object" || read.fields === null)
      throw Error(t("these are not the answers of a report; load the answers.json that Save answers writes"));
    if (read.version !== 2) throw Error(t("these answers are of version {}; this page reads version 2", read.version));
    if (Object.values(read.fields).some(text => typeof text !== "string")) throw Error(t("an answer is not a text"));
    return { ...empty(), ...read };
  }
  // The text of a file: UTF-8, or UTF-16 where its first two bytes say so.
  const decoded = buffer => {
    const [a, b] = new Uint8Array(buffer);
    const label = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
    return new TextDecoder(label).decode(buffer);
  };
  const parsed = text => { try { return parse(text); } catch { return empty(); } };

  const store = new Store(() => say(t("This browser stores nothing for this page: press Save answers before you close it.")));

  // The typed answers: {id: {saved, text}}.
  let typed = {};

  // Copies the fields that were saved later than these.
  function merge(fields) {
    for (const [id, field] of Object.entries(fields)) if (!typed[id] || typed[id].saved <= field.saved) typed[id] = field;
  }
  const fieldsOf = ({ saved, fields }) => Object.fromEntries(Object.entries(fields).map(([id, text]) => [id, { saved, text }]));

  // The same in the form of answers.json.
  const answers = () => ({ ...empty(),
    saved: Object.values(typed).reduce((last, { saved }) => (saved > last ? saved : last), ""),
    fields: Object.fromEntries(Object.entries(typed).map(([id, { text }]) => [id, text])) });

  // A page saved by the browser contains its answers.
  const embed = () => { holder.textContent = JSON.stringify(answers()).replaceAll("<", "\\u003c"); };

  function set(id, text) {
    typed[id] = { saved: new Date().toISOString(), text };
    store.putField(KEY, id, text);
    embed();
  }

  // The answers that this browser stored, also in another window with the same report.
  async function recall() {
    merge(fieldsOf(parsed(await store.get(KEY)))); // as earlier versions stored it
    merge(await store.fields(KEY));
    embed();
    show();
  }

  const textOf = field => field.innerText.replace(/\u00a0/g, " ").trim();
  function show() {
    for (const field of fields) {
      const text = typed[field.id]?.text ?? "";
      if (textOf(field) !== text) field.textContent = text;
      check(field);
    }
    // Values that were shown once stay visible; the time of that is one of the answers.
    const shown = Boolean(typed["spec-shown"]?.text);
    for (const part of document.querySelectorAll("[data-shown]")) part.hidden = !shown;
    if ($("show")) $("show").parentElement.hidden = shown;
    count();
  }

  // At least one student must sign; the other fields for students may stay empty.
  const others = /^student-[2-9]/;
  function count() {
    const open = fields.filter(field => !textOf(field) && !others.test(field.id));
    const all = fields.filter(field => !others.test(field.id)).length;
    $("count").textContent = t("{} of {}", all - open.length, all);
    $("none-open").hidden = open.length > 0;
    $("open-list").replaceChildren(...open.map(field => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `#${field.id}`;
      link.textContent = field.getAttribute("aria-label");
      link.addEventListener("click", () => field.focus());
      item.append(link);
      return item;
    }));
    return open.length;
  }

  const quantity = quantities(JSON.parse($("quantities").textContent));
  // The content of a number field, read as `lab grade` reads it; or why it cannot be read.
  const UNCLEAR = {
    several: t("Several numbers: write one."),
    oneend: t("One end of a range: write one number."),
    negated: t("Write what it is, not what it is not."),
    otherunit: t("The unit is not the one that is asked for."),
    notation: t("This can be read in more than one way: write one number."),
    quotient: t("This may be a fraction or two numbers: write one number."),
    inwords: t("A number is asked for."),
    elsewhere: t("It names a level or a quantity that is not asked for."),
    unknown: t("It has words or signs that are not known: write one number."),
    long: t("Write one number."),
  };

  // Numbers and operators in postfix order.
  function computed(formula) {
    const stack = [];
    for (const step of formula) {
      if (typeof step === "number") { stack.push(step); continue; }
      const [b, a] = [stack.pop(), stack.pop()];
      stack.push(step === "+" ? a + b : step === "-" ? a - b : step === "*" ? a * b : a / b);
    }
    return stack[0];
  }

  function check(field) {
    if (!field.dataset.check) return;
    const told = $(`${field.id}-told`);
    const say = (text, kind) => { told.textContent = text; told.className = `told ${kind ?? ""}`.trim(); };
    const { kind, formula, share, within, hint, slips } = JSON.parse(field.dataset.check);
    const text = textOf(field);
    const { values, bracket, unclear } = quantity(text, kind, document.documentElement.lang, field.getAttribute("aria-label"));
    const near = (value, right) => Math.abs(value - right) <= Math.max(share * Math.abs(right), within) + 1e-9 * Math.abs(right);
    const close = formula => values.map(value => near(value, computed(formula)));
    if (!text) say("");
    else if (unclear) say(UNCLEAR[unclear], "wrong");
    else if (bracket) say(t("One number is asked for."), "wrong");
    else if (!values) say(t("A number is asked for."), "wrong");
    else if (formula && close(formula).includes(true) && close(formula).includes(false)) say(t("The comma or dot can be read in two ways: write fewer or more decimals."), "wrong");
    else if (!formula) say(t("Read as {}; the page does not check it.", values[0]));
    else if (close(formula)[0]) say(t("✓ agrees with this run"), "right");
    else say(`${t("✗ not yet.")} ${slips.find(slip => close(slip.formula).includes(true))?.told ?? hint}`, "wrong");
  }

  for (const field of fields) {
    // Plain text only, if the browser supports that; pasted text brings no markup.
    try { field.contentEditable = "plaintext-only"; } catch { field.contentEditable = "true"; }
    field.addEventListener("input", () => {
      set(field.id, textOf(field));
      count();
      if (field.dataset.check) $(`${field.id}-told`).textContent = "";
    });
    field.addEventListener("blur", () => check(field));
    field.addEventListener("keydown", event => {
      if (event.key === "Enter" && !field.getAttribute("aria-multiline")) { event.preventDefault(); check(field); }
    });
  }

  $("export").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(answers(), null, 2)}\n`], { type: "application/json" }));
    link.download = "answers.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(t("answers.json is saved. Put it into the report's folder: the next lab run into that folder reads it."));
  });

  $("import").addEventListener("change", async event => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    try {
      if (file.size > 1 << 24) throw Error(t("it is larger than any answers"));
      const read = parse(decoded(await file.arrayBuffer()));
      store.put(`${KEY}:before`, JSON.stringify(answers()));
      const strange = Object.keys(read.fields).filter(id => id !== "spec-shown" && !fields.some(field => field.id === id));
      for (const [id, text] of Object.entries(read.fields)) set(id, text);
      show();
      $("undo").hidden = false;
      say(t("{} is loaded.", file.name) + (strange.length ? ` ${t("It has {} answers to questions that this page does not ask; they are saved too.", strange.length)}` : ""));
    } catch (error) {
      say(t("{} is not loaded: {}.", file.name, error.message));
    }
  });

  $("undo").addEventListener("click", async () => {
    const before = parsed(await store.get(`${KEY}:before`)).fields;
    for (const id of Object.keys(typed)) set(id, before[id] ?? "");
    show();
    $("undo").hidden = true;
    say(t("The answers are as they were before loading."));
  });

  $("show")?.addEventListener("click", () => {
    set("spec-shown", new Date().toISOString());
    show();
  });

  $("print").addEventListener("click", () => {
    const open = count();
    if (open && !$("open").open) {
      $("open").open = true;
      say(t("{} fields are still empty, as listed; press Print again to print the page anyway.", open));
      return;
    }
    $("open").open = false;
    print();
  });

  merge(fieldsOf(parsed(holder.textContent)));
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") recall(); });
  addEventListener("focus", recall); // of two windows
  recall().then(() => { document.documentElement.dataset.ready = ""; });
})();
