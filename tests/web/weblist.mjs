// Tests the pages of -weblist and of benchstatc in a real browser: only their own script runs.
//   node weblist.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { begin, checkQuiet, checking, findPackages, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work, shots } = begin("weblist");
const browser = await launch(folders);
const check = checking(browser);
const axe = findPackages(["axe-core@4.14.1"], folders);
const quiet = (page, what) => checkQuiet(check, page, what);

/** Adds markup to the page that would run a script, in each possible way. */
async function refusesScripts(page, what) {
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", `<img src="data:x" onerror="window.hit = 1"><a id="bad" href="javascript:window.hit = 2">x</a>
      <span id="worse" onclick="window.hit = 3">y</span>`);
    const script = document.createElement("script");
    script.textContent = "window.hit = 4";
    document.body.append(script);
  });
  await page.click("#bad");
  await page.click("#worse");
  await page.waitForTimeout(200);
  check((await page.evaluate(() => window.hit)) === undefined, `${what}: a script that is not its own ran`);
}

// A line with instructions can be opened and closed. The test adds the instructions if no tool can read the binary.
const file = path.join(work, "page.html");
execFileSync(pprofc, ["-weblist=compare_words", `-output=${file}`, `-source_path=${testdata}/native`, "-trim_path=/app",
  path.join(testdata, "native/native_c"), path.join(testdata, "native/native_c.cpu.prof")], { stdio: "ignore" });
let text = fs.readFileSync(file, "utf8");
if (!text.includes("<span class=livesrc>"))
  text = text.replace("</pre>", "<span class=livesrc>x </span><span class=asm>y</span></pre>");
fs.writeFileSync(file, text);
const list = await openPage(browser, pathToFileURL(file).href);
const shown = () => list.evaluate(() => getComputedStyle(document.querySelector(".livesrc + .asm")).display);
check((await shown()) === "none", "instructions are hidden at first");
await list.click(".livesrc");
check((await shown()) === "block", "a click shows the instructions of a line");
if (shots) await list.screenshot({ path: path.join(shots, "weblist.png") });
await list.click(".livesrc");
check((await shown()) === "none", "another click hides them");
quiet(list, "weblist");
await refusesScripts(list, "weblist");

// The page of benchstatc sorts its tables, is readable in dark mode, and fits a phone.
const bench = path.join(work, "bench.html"), input = path.join(work, "in.txt");
fs.writeFileSync(input, "BenchmarkA 1 5 ns/op\nBenchmark<img/src=x/onerror=window.hit=5> 1 6 ns/op\n");
fs.writeFileSync(bench, execFileSync(path.join(path.dirname(pprofc), "benchstatc"), ["-format", "html", input], { stdio: ["ignore", "pipe", "ignore"] }));
const tables = await openPage(browser, pathToFileURL(bench).href);
check((await tables.evaluate(() => getComputedStyle(document.querySelector("table")).borderCollapse)) === "collapse", "the style applies");
check((await tables.textContent("table")).includes("<img/src=x/onerror=window.hit=5>"), "the name is text");
quiet(tables, "benchstatc");
const names = () => tables.$$eval("tbody tr:not(.summary) td:first-child", (cells) => cells.map((c) => c.textContent[0]).join(""));
const sort = (title) => tables.click(`thead tr:last-child th button:text-is("${title}")`);
check((await names()) === "A<", `rows as in the file: ${await names()}`);
await sort("sec/op");
check((await names()) === "<A" && (await tables.getAttribute("thead tr:last-child th:nth-child(2)", "aria-sort")) === "descending", `the greatest first: ${await names()}`);
await sort("sec/op");
check((await names()) === "A<", `another click turns the order: ${await names()}`);
check((await tables.textContent("tbody tr:last-child td")) === "geomean", "the summary stays below");

const before = path.join(work, "old.txt"), after = path.join(work, "new.txt"), runs = (times) => times.map((t) => `BenchmarkSlow 1 ${t} ns/op\nBenchmarkFast 1 ${3000 - t} ns/op\n`).join("");
fs.writeFileSync(before, runs([1000, 1001, 1002, 1003, 1004, 1005]));
fs.writeFileSync(after, runs([2000, 2001, 2002, 2003, 2004, 2005]));
fs.writeFileSync(bench, execFileSync(path.join(path.dirname(pprofc), "benchstatc"), ["-format", "html", before, after], { stdio: ["ignore", "pipe", "ignore"] }));
for (const colorScheme of ["light", "dark"]) {
  const page = await openPage(browser, pathToFileURL(bench).href, { colorScheme, viewport: { width: 390, height: 844 } });
  check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
  const ratios = await page.evaluate(() => {
    const c = document.createElement("canvas").getContext("2d");
    const light = (color) => {
      c.fillStyle = color;
      c.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const ground = light(matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
    return ["td.better", "td.worse", "td.p"].map((kind) => {
      const ink = light(getComputedStyle(document.querySelector(kind)).color);
      return Math.max(ink, ground) / Math.min(ink, ground);
    });
  });
  check(ratios.every((r) => r >= 4.5), `contrast in ${colorScheme}: ${ratios}`);
  if (axe) {
    await page.evaluate(fs.readFileSync(path.join(axe, "axe-core", "axe.min.js"), "utf8"));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    check(!violations.length, `axe, ${colorScheme}: ${violations.map((v) => `${v.id} ${v.nodes[0].html}`)}`);
  }
  if (shots) await page.screenshot({ path: path.join(shots, `bench_${colorScheme}.png`) });
  quiet(page, "benchstatc on a phone");
  await page.context().close();
}
await refusesScripts(tables, "benchstatc");
fs.writeFileSync(bench, execFileSync(path.join(path.dirname(pprofc), "benchstatc"), ["-format", "html", "bench_original.txt", "bench_optimized.txt"], { cwd: testdata, stdio: ["ignore", "pipe", "ignore"] }));
for (const width of [390, 768, 900]) {
  const page = await openPage(browser, pathToFileURL(bench).href, { viewport: { width, height: 844 } });
  check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `tables of benchstatc are not wider than ${width} pixels`);
  await page.context().close();
}

await browser.close();
console.log(`${check.count} checks`);
