// Typed answers, stored by this browser on disk at once: localStorage may lose them if a
// browser is killed within a minute. Each field has a record of its own, so that two
// windows of one page do not overwrite each other's fields.
class Store {
  // `failed` is called if this browser stores nothing, or stops storing.
  constructor(failed) {
    this.failed = failed;
    const opened = new Promise((done, refused) => {
      const request = indexedDB.open("cache-lab", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("answers");
      request.onsuccess = () => done(request.result);
      request.onerror = () => refused(request.error);
      setTimeout(() => refused(Error("no reply")), 3000); // some browsers never reply
    });
    this.ready = opened.then(base => { this.base = base; }, failed);
  }

  // In the same event as the key: if the page is closed in the next event, it is stored.
  put(key, text) {
    try {
      const writing = this.base.transaction("answers", "readwrite", { durability: "strict" });
      writing.onabort = this.failed; // a full disk causes only this event
      writing.objectStore("answers").put(text, key);
      writing.commit();
    } catch { this.failed(); }
  }

  // Stores the new content of a field of the page `key`.
  putField(key, id, text) {
    this.put(`${key}\n${id}`, JSON.stringify({ saved: new Date().toISOString(), text }));
  }

  async read(ask, nothing) {
    await this.ready;
    return new Promise(done => {
      try {
        const reading = ask(this.base.transaction("answers").objectStore("answers"));
        reading.onsuccess = () => done(reading.result ?? nothing);
        reading.onerror = () => done(nothing);
      } catch { done(nothing); }
    });
  }

  // The text under `key`; empty if there is none.
  get(key) { return this.read(all => all.get(key), ""); }

  // The fields of the page `key`: {id: {saved, text}}. In one transaction: a field that is
  // stored between two would give each later id the text of another.
  async fields(key) {
    const range = IDBKeyRange.bound(`${key}\n`, `${key}\n\uffff`);
    let ids;
    const records = await this.read(all => {
      ids = all.getAllKeys(range);
      return all.getAll(range);
    }, []);
    const read = record => { try { return JSON.parse(record); } catch { return undefined; } }; // another version's
    return Object.fromEntries(records.map((record, at) => [ids.result[at].slice(key.length + 1), read(record)]).filter(([, field]) => field?.saved));
  }
}

// Offers `text` as a file: the name under which the browser saved it, "" if the person chose not to, undefined if
// the browser was only asked to.
async function saveFile(name, text) {
  try {
    const file = await showSaveFilePicker({ suggestedName: name, types: [{ accept: { "application/json": [".json"] } }] });
    const writing = await file.createWritable();
    await writing.write(text);
    await writing.close();
    return file.name;
  } catch (error) {
    if (error.name === "AbortError") return "";
  }
  download(name, text, "application/json");
  return undefined;
}

function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The text of a file: UTF-8, or UTF-16 where its first two bytes say so.
function decoded(buffer) {
  const [a, b] = new Uint8Array(buffer);
  const label = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(label).decode(buffer);
}
