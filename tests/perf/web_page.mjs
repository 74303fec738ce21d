// Measures the time until the browser shows the flame graph of a large profile. Prints the table of docs/BENCHMARKS.md
// about the web page.
//
//   node tests/perf/web_page.mjs PPROFC FOLDER [RUNS] [--instructions]
//
// FOLDER has the inputs (build/perf/make_inputs FOLDER). RUNS is 3 by default, and the table has medians. CPU time is
// the time of all threads of a process. With --instructions the script counts instructions with callgrind, which takes
// minutes and is the same on a busy machine. Without Chromium or playwright-core the columns of the browser are empty.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { findChromium, findPackages } from "../web/browser.mjs";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const instructions = process.argv.includes("--instructions");
const [pprofc, folder] = words.map((word) => path.resolve(word));
const runs = Number(words[2] ?? 3);
const inputs = ["frames", "tree"];
const zooms = 20;
const home = fs.mkdtempSync(path.join(os.tmpdir(), "pprofc-perf-"));
const environment = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
const tick = Number(spawnSync("getconf", ["CLK_TCK"], { encoding: "utf8" }).stdout) || 100;
process.on("exit", () => fs.rmSync(home, { recursive: true, force: true }));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const seconds = (from) => Number(process.hrtime.bigint() - from) / 1e9;
const now = () => process.hrtime.bigint();

/** Returns the CPU seconds that a process has used. */
function cpuOf(child) {
  const fields = fs.readFileSync(`/proc/${child.pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / tick;
}

function top(file) {
  const began = now();
  const result = spawnSync("sh", ["-c", "\"$1\" -top \"$2\" >/dev/null; times", "sh", pprofc, file], { env: environment, encoding: "utf8" });
  const wall = seconds(began);
  const used = result.stdout.trim().split("\n").pop().split(" "); // user and system time of the children, "0m1.23s"
  return { wall, cpu: used.reduce((sum, text) => sum + Number(/m([\d.]+)s/.exec(text)[1]), 0) };
}

/** Starts a server. Resolves when the server has printed its address. */
function serve(file, before = []) {
  const words = [...before, pprofc, "-http=localhost:", "-no_browser", "-symbolize=none", file];
  const child = spawn(words[0], words.slice(1), { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  child.said = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      child.said += data;
      const address = /http:\/\/localhost:\d+/.exec(child.said);
      if (address) resolve({ child, views: `${address[0]}/ui/` });
    });
    child.on("exit", () => reject(new Error(child.said)));
  });
}

async function stop(child) {
  child.removeAllListeners("exit");
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** Requests a page. With `patient`, repeats a request that exceeded the server's time limit, as happens under valgrind.
 * valgrind. */
async function get(url, patient = false) {
  let reply = await fetch(url);
  while (patient && reply.status === 503) reply = await fetch(url);
  const bytes = await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return bytes;
}

/** Measures the time from the start of the server to the data of the picture, with the requests of a browser. Then
 * measures zooms. */
async function open(file) {
  const began = now();
  const { child, views } = await serve(file);
  const page = new TextDecoder().decode(await get(`${views}flamegraph`));
  const assets = [...page.matchAll(/(?:href|src|data-script|data-style)="?(assets\/[^"> ]+)/g)].map((found) => get(views + found[1]));
  const [data, ...files] = await Promise.all([get(`${views}flamedata`), ...assets]);
  const result = { wall: seconds(began), cpu: cpuOf(child) };
  result.bytes = [data, ...files].reduce((sum, one) => sum + one.byteLength, page.length);
  const times = [];
  for (let i = 1; i <= zooms; i++) {
    const from = now();
    await get(`${views}flamedata?node=${i}`);
    times.push(seconds(from));
  }
  result.zoom = Math.max(...times);
  result.memory = Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  await stop(child);
  return result;
}

async function startBrowser() {
  const chromium = findChromium();
  const modules = chromium && findPackages(["playwright-core@1.58.2"], [path.join(folder, "npm"), ...(process.env.PPROFC_NODE ? [process.env.PPROFC_NODE] : [])]);
  if (!modules) return undefined;
  const executablePath = chromium.includes("/") ? chromium : spawnSync("sh", ["-c", `command -v ${chromium}`], { encoding: "utf8" }).stdout.trim();
  return createRequire(path.join(modules, "x.js"))("playwright-core").chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** Measures the time from the start of the server to the first picture in a running browser. */
async function picture(browser, file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const sizes = [];
  page.on("requestfinished", (request) => sizes.push(request.sizes()));
  const began = now();
  const { child, views } = await serve(file);
  const served = seconds(began);
  await page.goto(`${views}flamegraph`, { waitUntil: "commit" });
  await page.waitForSelector("#flame.drawn");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const wall = seconds(began);
  const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one.responseBodySize, 0);
  await page.close();
  await stop(child);
  return { wall, picture: wall - served, bytes };
}

async function many(measure) {
  const results = [];
  for (let i = 0; i < runs; i++) results.push(await measure());
  return Object.fromEntries(Object.keys(results[0]).map((key) => [key, median(results.map((result) => result[key]))]));
}

// ---- instructions --------------------------------------------------------------------------------------------

const callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
const collected = (said) => Number(/Collected\s*:\s*(\d+)/.exec(said)[1]);

async function countInstructions() {
  console.log("| input | -top | the page and its data | times as many |\n|---|---:|---:|---:|");
  for (const input of inputs) {
    const file = path.join(folder, `${input}.pb.gz`);
    const one = collected(spawnSync(callgrind[0], [...callgrind.slice(1), pprofc, "-top", file], { env: environment, encoding: "utf8", maxBuffer: 1 << 28 }).stderr);
    const { child, views } = await serve(file, callgrind);
    await get(`${views}flamegraph`, true);
    await get(`${views}flamedata`, true);
    await stop(child);
    const other = collected(child.said);
    console.log(`| \`${input}\` | ${one.toLocaleString("en")} | ${other.toLocaleString("en")} | ${(other / one).toFixed(2)} |`);
  }
}

// ---- the table -----------------------------------------------------------------------------------------------

async function table() {
  const browser = await startBrowser();
  console.log("| input | -top s (CPU) | page and data s (CPU) | CPU of -top | first picture s | of -top | after the server is up s | sent MB | slowest of 20 zooms ms | MiB |");
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const input of inputs) {
    const file = path.join(folder, `${input}.pb.gz`);
    const one = await many(() => top(file)), other = await many(() => open(file));
    const shown = browser && await many(() => picture(browser, file));
    const cells = [`\`${input}\``, `${one.wall.toFixed(2)} (${one.cpu.toFixed(2)})`, `${other.wall.toFixed(2)} (${other.cpu.toFixed(2)})`,
      (other.cpu / one.cpu).toFixed(2), shown ? shown.wall.toFixed(2) : "", shown ? (shown.wall / one.wall).toFixed(2) : "", shown ? shown.picture.toFixed(2) : "",
      ((shown ? shown.bytes : other.bytes) / 1e6).toFixed(2), (other.zoom * 1000).toFixed(0), other.memory.toFixed(0)];
    console.log(`| ${cells.join(" | ")} |`);
  }
  await browser?.close();
}

console.log(`Load of the machine before: ${os.loadavg()[0].toFixed(2)} (with much else going on, times say little); ${os.cpus().length} processors`);
await (instructions ? countInstructions() : table());
process.exit(0);
