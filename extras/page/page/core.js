"use strict";

// Starts the lab's compiled WebAssembly. The function returned answers requests, or throws
// an error with a sentence, and the place if it is in a machine's description.
async function startCore(module, now, progress = () => {}, point = () => {}) {
  const imports = { tab: { now, progress, point } };
  // The library of the charts can ask a browser for the width of a text; the lab's charts do not.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] ??= () => { throw new Error(name); };
  }
  const { exports: lab } = await WebAssembly.instantiate(module, imports);
  return request => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const address = lab.allocate(text.length);
    new Uint8Array(lab.memory.buffer, address, text.length).set(text);
    const length = lab.ask();
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(lab.memory.buffer, lab.answer(), length)));
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error), { place: answer.place });
    return answer.ok;
  };
}
