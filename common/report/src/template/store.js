// What is typed, kept by this browser, on disk at once: what localStorage holds
// may be lost with a browser that is killed within a minute.
class Store {
  constructor() {
    const opened = new Promise((done, failed) => {
      const request = indexedDB.open("cache-lab", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("answers");
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
    this.ready = opened.then(base => { this.base = base; }, () => {});
  }

  // Within the turn of the key: a page that is left in the next one has stored
  // it. Whether this browser keeps anything.
  put(key, text) {
    try {
      const writing = this.base.transaction("answers", "readwrite", { durability: "strict" });
      writing.objectStore("answers").put(text, key);
      writing.commit();
      return true;
    } catch {
      return false;
    }
  }

  // The text under `key`; empty if there is none.
  async get(key) {
    await this.ready;
    return new Promise(done => {
      try {
        const reading = this.base.transaction("answers").objectStore("answers").get(key);
        reading.onsuccess = () => done(reading.result ?? "");
        reading.onerror = () => done("");
      } catch { done(""); }
    });
  }
}
