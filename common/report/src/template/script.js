"use strict";
(() => {
  const $ = id => document.getElementById(id);
  // A report keeps its answers when its folder is moved, and its next run takes them over.
  const { report, measured } = JSON.parse($("run").textContent);
  const KEY = `cache-lab-answers:${report || location.pathname}`;
  const holder = $("answers");
  const t = (text, ...parts) => parts.reduce((text, part) => text.replace("{}", () => part), text);
  const reader = valueReader(JSON.parse($("reader").textContent));
  const checks = JSON.parse($("checks").textContent);
  const fields = [...document.querySelectorAll("[data-field]")];
  const say = text => { $("said").textContent = text; };
  const empty = () => ({ format: "cache-lab-answers", version: 2, saved: "", fields: {} });

  // A field is an input, a textarea, or a fieldset of inputs.
  const isValue = field => field.classList.contains("value");
  const part = (field, name) => field.querySelector(name);
  const noValue = { form: "one", value: "", to: "", unit: "" };

  // The answer in a field, as typed.
  function answerIn(field) {
    if (!isValue(field)) return field.value;
    return { form: part(field, ".forms :checked")?.value ?? "one", value: part(field, ".low").value,
      to: part(field, ".below")?.value ?? "", unit: part(field, "select")?.value ?? "" };
  }

  // Shows an answer. One of another form is shown where it can be: as the number, or as a text.
  function put(field, answer) {
    if (!isValue(field)) {
      const text = typeof answer === "string" ? answer : `${answer.value} ${answer.unit}`.trim();
      if (field.value !== text) field.value = text;
    } else {
      const typed = typeof answer === "string" ? { ...noValue, value: answer } : { ...noValue, ...answer };
      for (const radio of field.querySelectorAll(".forms input")) radio.checked = radio.value === typed.form;
      for (const [name, text] of [[".low", typed.value], [".below", typed.to], ["select", typed.unit]]) {
        const input = part(field, name);
        if (input && input.value !== text) input.value = text;
      }
    }
    dress(field);
  }

  // What only style needs: the chosen form, and the text that is printed.
  function dress(field) {
    for (const input of field.matches("fieldset") ? field.querySelectorAll("input[type=text]") : [field])
      input.closest(".grow").dataset.typed = input.value;
    if (!isValue(field)) return;
    field.dataset.form = answerIn(field).form;
    const select = part(field, "select");
    if (select) part(field, ".units").textContent = select.value || [...select.options].slice(1).map(option => option.value).join(" / ");
  }

  // "open", "filled", or the doubt why a value cannot be read.
  function stateOf(field) {
    const answer = answerIn(field);
    const { nothing, doubt } = typeof answer === "string" ? { nothing: !answer.trim() } : reader.read(answer, field.dataset.field);
    return nothing ? "open" : doubt ?? "filled";
  }

  // A value as a sentence has it.
  function textOf(field) {
    const { form, value, to, unit } = answerIn(field);
    if (form === "range") return t("at least {} and below {}", value, `${to} ${unit}`);
    return form === "one" ? `${value} ${unit}` : part(field, ".forms :checked").parentElement.textContent;
  }

  // Answers, or a sentence that says why a text is not a set of answers.
  function parse(text) {
    let read;
    try { read = JSON.parse(text); } catch (error) { throw Error(t("this is not JSON ({})", error.message)); }
    if (read?.format !== "cache-lab-answers" || typeof read.fields !== "object" || read.fields === null)
      throw Error(t("these are not the answers of a report; load the answers.json that Save answers writes"));
    if (read.version !== 2) throw Error(t("these answers are of version {}; this page reads version 2", read.version));
    const isText = text => typeof text === "string";
    if (!Object.values(read.fields).every(answer => isText(answer) || answer && typeof answer === "object" && Object.values(answer).every(isText)))
      throw Error(t("an answer is neither a text nor a value"));
    return { ...empty(), ...read };
  }
  const parsed = text => { try { return parse(text); } catch { return empty(); } };

  // The first student who signed both, if these are two: by the number, or by the name if one of
  // them has no number. As `Answers::are_of_another_student` for `lab run` and `lab handin`.
  function twoStudents(one, other) {
    const signed = ["student-1-number", "student-1-name"].map(id =>
      [one, other].map(fields => (typeof fields[id] === "string" ? fields[id].trim() : "")));
    const both = signed.find(([a, b]) => a && b);
    return both && both[0] !== both[1] ? both : null;
  }

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
    merge(await store.fields(KEY));
    embed();
    show();
  }

  function show() {
    for (const field of fields) {
      put(field, typed[field.id]?.text ?? (isValue(field) ? noValue : ""));
      check(field);
      if (optional(field) && stateOf(field) !== "open") optional(field).open = true;
    }
    // Values that were shown once stay visible; the time of that is one of the answers.
    const shown = Boolean(typed["spec-shown"]?.text);
    for (const part of document.querySelectorAll("[data-shown]")) part.hidden = !shown;
    if ($("show")) $("show").parentElement.hidden = shown;
    count();
  }

  const nameOf = field => field.querySelector("legend")?.textContent ?? field.closest("label").querySelector(".out").textContent;
  const optional = field => field.closest("details.optional");
  const linksTo = among => among.map(field => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${field.id}`;
    link.textContent = nameOf(field);
    link.addEventListener("click", () => {
      if (optional(field)) optional(field).open = true;
      (field.matches("fieldset") ? part(field, "input") : field).focus();
    });
    item.append(link);
    return item;
  });

  // Counts as `lab handin` does; the sections that only some assignments use are counted separately. One
  // student must sign.
  function count() {
    const of = (among, ...states) => among.filter(field => states.includes(stateOf(field)));
    const asked = fields.filter(field => !field.id.startsWith("student-"));
    const unread = asked.filter(field => !["open", "filled"].includes(stateOf(field)));
    const unsigned = of(fields.filter(field => field.id.startsWith("student-1-")), "open");
    for (const section of document.querySelectorAll("details.optional")) {
      const own = asked.filter(field => optional(field) === section);
      part(section, ".tally").textContent = t("{} of {}", of(own, "filled").length, own.length);
    }
    const guide = asked.filter(field => !optional(field));
    const open = of(guide, "open");
    $("count").textContent = t("{} of {}", of(guide, "filled").length, guide.length);
    $("unread").textContent = unread.length ? t("; {} cannot be read", unread.length) : "";
    $("none-open").hidden = open.length + unread.length + unsigned.length > 0;
    $("unread-list").replaceChildren(...linksTo(unread));
    $("open-list").replaceChildren(...linksTo([...unsigned, ...open]));
    for (const other of document.querySelectorAll("[data-of]")) other.textContent = textOf($(other.dataset.of));
    const stale = fields.filter(field => field.querySelector(".reading.wrong") && checks[field.id] && stateOf(field) === "filled" && typed[field.id]?.saved < measured);
    $("stale").hidden = !stale.length;
    $("stale-list").replaceChildren(...linksTo(stale));
    return { open: open.length, unread, unsigned };
  }

  // With thin spaces, as the tables have them and the fields read them.
  const digits = new Intl.NumberFormat(document.documentElement.lang, { maximumSignificantDigits: 9 });
  const shown = number => digits.formatToParts(number).map(({ type, value }) => (type === "group" ? "\u202f" : value)).join("");
  const BASE = { bytes: t("bytes"), ns: "ns", percent: "%", points: t("points") };

  // Says how a value is read; and of one that the student computes, whether it is right.
  function check(field, done = true) {
    if (!isValue(field)) return;
    const output = part(field, ".reading");
    const tell = (text, kind = "") => { output.textContent = text; output.className = `reading ${kind}`; };
    const kind = field.dataset.field;
    const { nothing, value, low, below, doubt } = reader.read(answerIn(field), kind);
    const unit = BASE[kind] ? ` ${BASE[kind]}` : "";
    if (doubt) return tell(t(reader.sentence(doubt, kind)), done ? "wrong" : "");
    if (low !== undefined) return tell(t("= at least {} and below {}", shown(low), shown(below) + unit));
    if (nothing || value === undefined) return tell("");
    const right = checks[field.id];
    if (!right || !done) return tell(`= ${shown(value)}${unit}`);
    const judged = reader.judge(value, right);
    if (judged === "right") tell(t("✓ agrees with this run"), "right");
    else tell(`= ${shown(value)}${unit}: ${t("✗ not yet.")} ${t(judged ?? right.hint)}`, "wrong");
  }

  for (const field of fields) {
    field.addEventListener("input", event => {
      dress(field);
      set(field.id, answerIn(field));
      check(field, event.target.matches("select")); // a unit is chosen last
      count();
    });
    const done = () => { check(field); count(); };
    field.addEventListener("focusout", event => { if (!field.contains(event.relatedTarget)) done(); });
    field.addEventListener("keydown", event => { if (event.key === "Enter") done(); });
  }

  // Says that the file is saved only if the browser reports it.
  async function save() {
    const text = `${JSON.stringify(answers(), null, 2)}\n`;
    const name = await saveFile("answers.json", text);
    if (name) return t("Saved as {}. To hand in: put it into the report's folder, then run lab handin, which also names it if it is in your home folder or in Downloads.", name);
    if (name === "") return t("Nothing was saved.");
    $("copy").value = text;
    $("reserve").hidden = false;
    return t("Your browser was asked to save answers.json; look in its downloads. To hand in: put it into the report's folder, then run lab handin.");
  }
  $("export").addEventListener("click", async () => {
    const { unread, unsigned } = count();
    const [left, nameless] = [unread, unsigned].map(some => some.map(field => nameOf(field).replace(/[.?]$/, "")).join("; "));
    say([await save(), left && t("Answers that cannot be read and do not count: {} ({}).", unread.length, left),
      nameless && t("Still missing: {}.", nameless)].filter(Boolean).join(" "));
  });
  $("copy").addEventListener("focus", () => $("copy").select());

  let before = {};
  $("import").addEventListener("change", async event => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    try {
      if (file.size > 1 << 24) throw Error(t("it is larger than any answers"));
      const read = parse(decoded(await file.arrayBuffer()));
      const two = twoStudents(answers().fields, read.fields);
      if (two) throw Error(t("these are the answers of another student, {}, and this page has those of {}; load them into that student's report", two[1], two[0]));
      before = answers().fields;
      const strange = Object.keys(read.fields).filter(id => id !== "spec-shown" && !fields.some(field => field.id === id));
      for (const [id, text] of Object.entries(read.fields)) set(id, text);
      show();
      $("undo").hidden = false;
      say(t("{} is loaded.", file.name) + (strange.length ? ` ${t("Its answers to questions that this page does not ask are saved too: {}.", strange.length)}` : ""));
    } catch (error) {
      say(t("{} is not loaded: {}.", file.name, error.message));
    }
  });

  $("undo").addEventListener("click", () => {
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
    const { open } = count();
    if (open && !$("open").open) {
      $("open").open = true;
      say(t("{} fields are still empty, as listed; press Print again to print the page anyway.", open));
      return;
    }
    $("open").open = false;
    print();
  });

  merge(fieldsOf(parsed(holder.textContent)));
  show(); // at once: the store may not reply
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") recall(); });
  addEventListener("focus", recall); // of two windows
  recall().then(() => { document.documentElement.dataset.ready = ""; });
})();
