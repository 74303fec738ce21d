// Functions that tests in a real browser share: finding programs and npm packages, serving a folder, running Chromium.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

/** Ends the test without a verdict, with the exit status that CTest knows as skipped (SKIP_RETURN_CODE). */
export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

export function fail(why) {
  console.error(`failed: ${why}`);
  process.exit(1);
}

/** Returns the arguments of a test (PPROFC TESTDATA FOLDER ...) and a folder to work in. The folder is removed when the
 * test ends. With PPROFC_SCREENSHOTS, `shots` is a folder for pictures. Servers that the test puts into `servers` end
 * with the test. */
export function begin(name, servers = []) {
  const [pprofc, testdata, ...folders] = process.argv.slice(2).map((argument) => path.resolve(argument));
  const work = fs.mkdtempSync(path.join(os.tmpdir(), `pprofc-${name}-`));
  process.on("exit", () => {
    for (const server of servers) server.kill("SIGKILL");
    fs.rmSync(work, { recursive: true, force: true });
  });
  return { pprofc, testdata, folders, work, shots: process.env.PPROFC_SCREENSHOTS };
}

/** Returns check(condition, what), which ends the test if a condition is false. check.count is the number of checked
 * conditions. */
export function checking(browser) {
  const check = (condition, what) => {
    check.count++;
    if (condition) return;
    browser.close();
    fail(what);
  };
  check.count = 0;
  return check;
}

/** Checks that the page requested no other site and reported no error. */
export function checkQuiet(check, page, what) {
  check(page.requests.length === 0, `${what}: request left the page: ${page.requests[0]}`);
  check(page.complaints.length === 0, `${what}: ${page.complaints[0]}`);
}

/** Returns the path of the browser, or undefined. Prefers chromium-headless-shell, which starts in a third of chromium's
 * CPU time. */
export function findChromium() {
  const names = [process.env.CHROMIUM, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  return names.find((name) => name && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
}

/** Returns a folder of node_modules that has all packages ("name@version"): one of `folders`, or the last of them after
 * npm installed the packages there. Undefined if the packages are not available. */
export function findPackages(packages, folders) {
  const names = packages.map((p) => p.replace(/(.)@.*/, "$1"));
  const complete = (folder) =>
    names.every((name) => fs.existsSync(path.join(folder, "node_modules", name, "package.json")));
  const ready = folders.find(complete);
  if (ready) return path.join(ready, "node_modules");
  const target = folders[folders.length - 1];
  fs.mkdirSync(target, { recursive: true });
  const options = ["install", "--silent", "--no-save", "--ignore-scripts", "--prefix", target];
  spawnSync("npm", [...options, ...packages, ...installed(target, names)], { stdio: "ignore", timeout: 120_000 });
  return complete(target) ? path.join(target, "node_modules") : undefined;
}

/** Returns the packages that a folder already has, as arguments of npm. npm removes all packages that its arguments
 * lack. */
function installed(folder, others) {
  const modules = path.join(folder, "node_modules");
  const names = fs.existsSync(modules) ? fs.readdirSync(modules).filter((name) => /^[a-z]/.test(name) && !others.includes(name)) : [];
  return names.map((name) => `${name}@${JSON.parse(fs.readFileSync(path.join(modules, name, "package.json"), "utf8")).version}`);
}

/** Returns a browser driven by playwright-core. Skips the test if the machine has no browser. */
export async function launch(folders) {
  const chromium = findChromium() ?? skip("no chromium");
  const modules = findPackages(["playwright-core@1.58.2"], folders) ?? skip("no npm package playwright-core");
  const { chromium: driver } = createRequire(path.join(modules, "x.js"))("playwright-core");
  const executablePath = chromium.includes("/") ? chromium
    : execFileSync("sh", ["-c", `command -v ${chromium}`]).toString().trim();
  return driver.launch({
    executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** Opens a page in a separate context. The page records its requests to other sites and its error messages. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1240, height: 800 }, ...options });
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) page.requests.push(r.url()); });
  page.on("pageerror", (e) => page.complaints.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") page.complaints.push(m.text()); });
  await page.goto(url);
  return page;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits at most a minute until the test is true, because a machine may be slow. Returns the last result. */
export async function becomes(test) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50))
    if (await test()) return true;
  return Boolean(await test());
}

/** Returns the address that pprofc -http prints on standard error. Fails the test if it prints no address. */
export async function addressOf(server) {
  let said = "";
  server.stderr.on("data", (data) => (said += data));
  await becomes(() => /http:\/\/\S+/.test(said) || server.exitCode !== null);
  if (/libmicrohttpd/.test(said)) skip(said.trim());
  const address = /http:\/\/\S+/.exec(said)?.[0] ?? fail(`no address: ${said}`);
  return address.replace(/\/$/, "");
}

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};

/** Serves `routes` on 127.0.0.1 at a free port. Each route is a path prefix and a folder, or a path and a text. Returns
 * { origin, close }. */
export function serve(routes) {
  const server = http.createServer((request, response) => {
    const url = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    for (const { at, folder, text } of routes) {
      if (text !== undefined && url === at) {
        response.writeHead(200, { "content-type": types[path.extname(at)] ?? "text/plain" });
        return response.end(text);
      }
      if (folder === undefined || !url.startsWith(at)) continue;
      const file = path.join(folder, path.normalize(url.slice(at.length)));
      if (!file.startsWith(path.resolve(folder)) || !fs.existsSync(file)) continue;
      response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
      return fs.createReadStream(file).pipe(response);
    }
    response.writeHead(404);
    response.end();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve({ origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }),
    );
  });
}

/** Opens a page in a new headless browser. Resolves to the printed document (--dump-dom) after the browser ended. */
export async function browse(chromium, url, options = [], seconds = 60) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "pprofc-web-"));
  const child = spawn(chromium, [
    "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", `--user-data-dir=${profile}`,
    "--window-size=1400,1600", "--virtual-time-budget=8000", ...options, url,
  ]);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
  child.stderr.resume();
  const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  return printed;
}

/** Returns the text of a piece of HTML. */
export function textOf(html) {
  const entities = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: "\u00a0", "#39": "'" };
  return html.replace(/<[^>]*>/g, "").replace(/&(#?\w+);/g, (all, name) => entities[name] ?? all);
}

/** Returns the cells of each table row of a page. */
export function rowsOf(html) {
  const rows = html.match(/<tr\b[\s\S]*?<\/tr>/g) ?? [];
  return rows.map((row) => (row.match(/<t[dh]\b[\s\S]*?<\/t[dh]>/g) ?? []).map(textOf));
}
