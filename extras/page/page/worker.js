// Measures and counts in a thread of its own. The first message contains the compiled
// WebAssembly; every other message is a request.
let ask;
let lastProgress = 0;
let points = []; // of the curve: bytes, nanoseconds
onmessage = async ({ data }) => {
  try {
    if (data.module) {
      const progress = costs => {
        if (performance.now() - lastProgress < 100) return;
        lastProgress = performance.now();
        postMessage({ progress: costs, points });
        points = [];
      };
      ask = await startCore(data.module, () => performance.now(), progress, (...point) => points.push(point));
      postMessage({ answer: true });
    } else {
      postMessage({ answer: ask(data.request) });
    }
  } catch (error) {
    postMessage({ error: error.message, place: error.place, broken: error instanceof WebAssembly.RuntimeError });
  }
};
