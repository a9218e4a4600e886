// A browser that tests can drive and kill.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "from.js"));
export const playwright = require("playwright-core");
export const axe = require("axe-core");
export const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

// Chromium with its profile in `folder`.
export async function start(folder) {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.env.WEB_TEST_BROWSER,
    [...FLAGS, "--headless", "--remote-debugging-port=0", `--user-data-dir=${folder}`, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((found, lost) => {
    let told = "";
    child.stderr.on("data", text => { told += text; const at = told.match(/ws:\/\/\S+/); if (at) found(at[0]); });
    child.on("exit", () => lost(Error(`the browser ended: ${told}`)));
  });
  const browser = await playwright.chromium.connectOverCDP(url);
  const ended = new Promise(done => child.on("exit", done));
  return { browser, kill: async () => { child.kill("SIGKILL"); await ended; }, close: async () => { await browser.close(); child.kill(); await ended; } };
}
