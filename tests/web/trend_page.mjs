// Tests the page of pprofci trend in a real browser: on a desktop, on a phone, in dark mode, and with axe.
//   node trend_page.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { becomes, begin, checking, findPackages, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work, shots } = begin("trend");
const browser = await launch(folders);
const check = checking(browser);

/** Puts a profile into the store. Returns its entry of a run. */
function putProfile(folder, kind, benchmark, file) {
  const bytes = fs.readFileSync(path.join(testdata, file)), sha256 = createHash("sha256").update(bytes).digest("hex");
  const to = path.join(folder, "objects", sha256.slice(0, 2));
  fs.mkdirSync(to, { recursive: true });
  fs.writeFileSync(path.join(to, sha256.slice(2)), bytes);
  return { kind, package: "example.com/words", benchmark, name: `${benchmark}_${kind}`, sha256, size: bytes.length };
}

/** Creates a store with a step, a series without a step, and names that contain markup. The first series has profiles.
 * profiles. */
function makeStore(folder) {
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "pprofci-store"), "pprofci store, version 1\n");
  const names = ["Count", "Steady", "<img src=x onerror=alert(1)>/case=" + "long".repeat(30)];
  for (let i = 0; i < 60; i++) {
    const commit = createHash("sha1").update(`${i}`).digest("hex");
    const noise = (k) => 1 + (((i * 7 + k * 3) % 11) - 5) / 500;
    const units = [["B/op", -1], ["allocs/op", -1], ["B/s", 1]].map(([unit, direction]) => ({
      group: "example.com/words", benchmark: "Count", unit, direction, verdict: "unchanged",
      values: [1, 2, 3, 4, 5].map((r) => 5000 * noise(r) * (i >= 30 ? 1.3 ** -direction : 1)),
    }));
    const series = names.map((benchmark, k) => ({
      group: "example.com/words", benchmark, unit: "sec/op", direction: -1, verdict: "unchanged",
      values: [1, 2, 3, 4, 5].map((r) => 1e-7 * noise(k + r) * (k !== 1 && i >= 30 ? 1.3 : 1)),
    }));
    const profiles = ["cpu", "mem"].map((kind) => putProfile(folder, kind, "Count", `generator${i < 30 ? "_optimized" : ""}_${kind}.prof`));
    const record = JSON.stringify({ version: 1, commit, branch: "main", time: 1700000000 + i * 3600, order: i, machine: "box", base: "", verdict: "",
      status: 0, headline: "", series: [...series, ...units], profiles });
    const id = createHash("sha256").update(record).digest("hex").slice(0, 32);
    fs.mkdirSync(path.join(folder, "runs", commit), { recursive: true });
    fs.writeFileSync(path.join(folder, "runs", commit, `${id}.json`), record);
  }
}

const store = path.join(work, "store"), html = path.join(work, "trend.html");
makeStore(store);
const made = spawnSync(path.join(path.dirname(pprofc), "pprofci"), ["trend", "-html", html, "-title", "Words & <b>more</b>", store], { encoding: "utf8" });
check(made.status === 0 && /5 change points in 6 series/.test(made.stdout), `pprofci trend: ${made.stdout}${made.stderr}`);
const url = pathToFileURL(html).href;
const axe = findPackages(["axe-core@4.14.1"], folders);
const views = [["desk", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 800 } }],
  ["dark_phone", { colorScheme: "dark", viewport: { width: 390, height: 800 } }]];
const seen = {};
for (const [name, options] of views) {
  const page = await openPage(browser, url, { bypassCSP: true, ...options });
  check(page.requests.length === 0 && page.complaints.length === 0, `${name}: ${page.requests} ${page.complaints}`);
  check(!(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)), `${name}: wider than the window`);
  const text = await page.textContent("body");
  check(text.includes("Words & <b>more</b>") && text.includes("<img src=x") && /\+30/.test(text), `${name}: ${text.slice(0, 300)}`);
  check((await page.$$("svg")).length >= 2 && (await page.$$("img")).length === 0, `${name}: charts`);
  const box = await page.$eval("svg", (s) => s.getBoundingClientRect().width);
  check(box > 200 && box <= 1240, `${name}: a chart of ${box} pixels`);
  seen[name] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const charts = await page.$$eval(".chart", (all) => all.filter((c) => c.checkVisibility()).map((c) => {
    const box = c.getBoundingClientRect(), labels = [...c.querySelectorAll("span")], boxes = [c.querySelector("svg"), ...labels].map((x) => x.getBoundingClientRect());
    return { labels: labels.length, size: Math.min(...labels.map((l) => parseFloat(getComputedStyle(l).fontSize))), right: box.right,
      inside: boxes.every((b) => b.width > 0 && b.left >= box.left && b.right <= box.right + 0.5 && b.top >= box.top && b.bottom <= box.bottom + 0.5) };
  }));
  check(charts.length >= 2 && charts.every((c) => c.labels === 4 && c.size >= 10 && c.inside && c.right <= (options.viewport?.width ?? 1240)),
    `${name}: a whole chart is in the window, and its labels can be read: ${JSON.stringify(charts)}`);
  if (shots) await page.screenshot({ path: path.join(shots, `trend_${name}.png`), fullPage: true });
  if (axe) {
    await page.evaluate(fs.readFileSync(path.join(axe, "axe-core", "axe.min.js"), "utf8"));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    check(!violations.length, `${name}: ${JSON.stringify(violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html)]))}`);
  }
  // A change point opens the flame graph of the change, from the profiles of the runs before and after the change.
  const graphs = await page.$$eval("a.graph-link", (all) => all.map((a) => [a.closest("section").querySelector("small").textContent.replace(/.* · /, ""), a.textContent, decodeURIComponent(a.getAttribute("href")).replace(/^.*Count /, "")].join(": ")));
  check(graphs.sort().join() === ["B/op: mem flame graph: mem 22d200f8670d.html", "B/s: cpu flame graph: cpu 22d200f8670d.html", "allocs/op: mem flame graph: mem 22d200f8670d.html&type=0",
    "sec/op: cpu flame graph: cpu 22d200f8670d.html"].join(), `${name}: each unit has the graph that explains it, a benchmark without profiles has no graph: ${graphs}`);
  await page.click("a.graph-link[href$='type=0']");
  await page.locator("li #graph canvas.pf-graph").waitFor();
  check(/2,450,994 → 73,525,810/.test(await page.textContent("#graph")), `${name}: counts of allocations`);
  await page.click("section:has(small:text('sec/op')) a.graph-link");
  // The previous graph stays until the new graph replaces it.
  await becomes(async () => /Count cpu .*5\.33s/.test(await page.textContent("#graph")));
  const told = await page.textContent("#graph"), sides = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  check(/Count cpu 22d200f8670d/.test(told) && /5\.33s → 76\.73s/.test(told) && sides[0] <= sides[1], `${name}: ${told.slice(0, 120)} ${sides}`);
  if (shots) await page.screenshot({ path: path.join(shots, `trend_graph_${name}.png`) });
  await page.context().close();
}
check(seen.desk !== seen.dark && seen.desk === seen.phone, `colours: ${JSON.stringify(seen)}`);

// Change points link to their commits only if the newest run is of the repository in the current folder.
const repository = path.join(work, "repository");
const git = (...words) => spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: repository, encoding: "utf8" });
const links = (env = {}) => {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([k]) => !/^(GITHUB|CI|BITBUCKET|GIT)_/.test(k)));
  const out = spawnSync(path.join(path.dirname(pprofc), "pprofci"), ["trend", "-html", html, store], { cwd: repository, env: { ...clean, ...env }, encoding: "utf8" });
  check(out.status === 0, `pprofci trend: ${out.stderr}`);
  return [...fs.readFileSync(html, "utf8").matchAll(/<a href="([^"]*)"><code>/g)].map((m) => m[1]);
};
fs.mkdirSync(repository);
const prepared = [git("init", "-q"), git("commit", "-q", "--allow-empty", "-m", "one"), git("remote", "add", "origin", "git@github.com:example/words.git")];
check(prepared.every((m) => m.status === 0), `git: ${prepared.map((m) => m.stderr)}`);
check(links().length === 0, "no links to commits of another repository");
const newest = createHash("sha1").update("59").digest("hex"), real = git("rev-parse", "HEAD").stdout.trim();
const folder = path.join(store, "runs", newest), file = fs.readdirSync(folder)[0];
const record = fs.readFileSync(path.join(folder, file), "utf8").replaceAll(newest, real), id = createHash("sha256").update(record).digest("hex").slice(0, 32);
fs.mkdirSync(path.join(store, "runs", real));
fs.writeFileSync(path.join(store, "runs", real, `${id}.json`), record);
fs.rmSync(folder, { recursive: true });
const changed = createHash("sha1").update("30").digest("hex");
check(links().join() === [1, 2, 3, 4, 5].map(() => `https://github.com/example/words/commit/${changed}`).join(), `links: ${links()}`);
check(links({ GITHUB_REPOSITORY: "a/b", GITHUB_SERVER_URL: "https://git.example" })[0] === `https://git.example/a/b/commit/${changed}`, "links of a job");
await browser.close();
console.log(`${check.count} passed, 0 failed${axe ? "" : " (axe-core cannot be had)"}`);
