// The page of scripts/ci_profiles.sh in a real browser: on a desk, on a phone, in the dark and on paper.
//   node ci_page.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, launch, openPage } from "./browser.mjs";

const [pprofc, testdata, ...folders] = process.argv.slice(2).map((argument) => path.resolve(argument));
const shots = process.env.PPROFC_SCREENSHOTS; // a folder to leave pictures in
const work = fs.mkdtempSync(path.join(os.tmpdir(), "pprofc-ci-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));
const browser = await launch(folders);
let checks = 0;
const check = (condition, what) => {
  checks++;
  if (condition) return;
  browser.close();
  fail(what);
};

/** The artifacts of a run, as a URL of its page. */
function make(name, ...args) {
  const env = { ...process.env, PPROFC_BIN: path.dirname(pprofc) };
  for (const key of ["GITHUB_STEP_SUMMARY", "GITHUB_SHA", "THRESHOLD_PERCENT"]) delete env[key];
  const script = path.join(testdata, "..", "scripts", "ci_profiles.sh");
  const out = path.join(work, name, "ci");
  const run = spawnSync("bash", [script, "-no-fail", "-out", out, ...args], { cwd: work, env, encoding: "utf8" });
  check(run.status === 0, `ci_profiles.sh: ${run.stderr}`);
  return pathToFileURL(path.join(out, "index.html")).href;
}

const shoot = async (page, name, options = {}) => {
  if (shots) await page.screenshot({ path: path.join(shots, name), ...options });
};
const quiet = (page, what) => {
  check(page.requests.length === 0, `${what}: request left the page: ${page.requests[0]}`);
  check(page.complaints.length === 0, `${what}: ${page.complaints[0]}`);
};
const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
const pictures = (page) => page.$$eval("img", (all) => all.map((i) => ({ alt: i.alt, done: i.complete && i.naturalWidth > 500 })));

async function testPage(url) {
  const page = await openPage(browser, url);
  check((await page.textContent("#verdict strong")) === "REGRESSION", "the verdict comes first");
  check(/\d+ compared, \d+ significant, \d+ regressed, \d+ missing/.test(await page.textContent("#verdict")), "totals of the gate");
  check(/RenderSource/.test(await page.textContent("#benchmarks")), "the benchmark table");
  const sections = await page.$$eval(".pair", (all) => all.map((s) => ({
    title: s.querySelector("h2").textContent, tables: [...s.querySelectorAll("summary")].map((x) => x.textContent.split(":")[0]),
  })));
  check(sections.length === 2 && sections[0].title === "cpu: generator_cpu_diff" && sections[1].title === "mem: generator_mem_diff",
    `pairs: ${JSON.stringify(sections)}`);
  for (const section of sections)
    check(section.tables.join() === "change,before,after", `tables of ${section.title}: ${section.tables}`);
  const images = await pictures(page);
  check(images.length === 2 && images.every((i) => i.done && i.alt), `flame graphs: ${JSON.stringify(images)}`);
  check(await page.isVisible("text=Showing nodes accounting for"), "the change is open");
  const before = page.locator(".pair details").nth(1);
  check(!(await before.locator("pre").isVisible()), "before is folded away");
  await before.locator("summary").click();
  check(await before.locator("pre").isVisible(), "a click opens it");
  const links = await page.$$eval("a", (all) => all.map((a) => a.href));
  for (const link of links) check(fs.existsSync(new URL(link)), `a link leads nowhere: ${link}`);
  for (const kind of [".speedscope.json", ".html", ".svg", ".pb.gz", "_top.txt"])
    check(links.some((l) => l.endsWith(kind)), `links to ${kind}`);
  check(!(await overflows(page)), "nothing is wider than the window");
  await shoot(page, "ci_page.png", { fullPage: true });
  quiet(page, "page");
  await page.context().close();
}

async function testPhone(url) {
  const page = await openPage(browser, url, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  check(!(await overflows(page)), "nothing is wider than a phone");
  check((await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize))) >= 14, "text can be read");
  check((await pictures(page)).every((i) => i.done), "pictures on a phone");
  await shoot(page, "ci_page_phone.png");
  quiet(page, "phone");
  await page.context().close();
}

async function testDarkAndPaper(url) {
  const page = await openPage(browser, url, { colorScheme: "dark" });
  const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, matchMedia("(prefers-color-scheme: dark)").matches]);
  check(paper && /25[0-5]/.test(ink), `light text in the dark: ${ink}`);
  await shoot(page, "ci_page_dark.png");
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  check(!(await page.isVisible(".links")), "no links on paper");
  check((await page.$eval("pre", (pre) => getComputedStyle(pre).whiteSpace)) === "pre-wrap", "lines are wrapped on paper");
  check(await page.isVisible("img"), "pictures on paper");
  const pdf = await page.pdf({ format: "A4" });
  check(pdf.length > 10000, "it prints");
  if (shots) fs.writeFileSync(path.join(shots, "ci_page.pdf"), pdf);
  quiet(page, "paper");
  await page.context().close();
}

/** Each benchmark is a row: what regressed is open and first. */
async function testBenchmarks(url) {
  const page = await openPage(browser, url);
  const rows = await page.$$eval("details.benchmark", (all) => all.map((d) => ({
    word: d.querySelector(".word").textContent, text: d.querySelector("summary").textContent, open: d.open,
    units: [...d.querySelectorAll("tbody th")].map((u) => u.textContent),
  })));
  check(rows.length === 25, `a row for each benchmark: ${rows.length}`);
  const worst = rows.filter((r) => r.word === "regressed");
  check(worst.length > 0 && rows.slice(0, worst.length).every((r) => r.open && r.word === "regressed"), "regressions are open and first");
  check(rows.slice(worst.length).every((r) => !r.open), "the others are closed");
  check(/Setup-2.*2\.3 times slower: 4\.593 µs → 10\.53 µs/.test(worst[0].text), `the largest slowdown: ${worst[0].text}`);
  check(worst[0].units.join() === "sec/op,B/op,allocs/op", `its units: ${worst[0].units}`);
  check(/^REGRESSIONSetup-2 is 2\.3 times slower/.test(await page.textContent("#verdict")), "the verdict names it");
  quiet(page, "benchmarks");
  await page.context().close();
}

/** A first run has no base: no verdict, and nothing is new. */
async function testFirst() {
  fs.mkdirSync(path.join(work, "first"));
  fs.copyFileSync(path.join(testdata, "generator_cpu.prof"), path.join(work, "first", "cpu.prof"));
  const page = await openPage(browser, make("first-run", "-head", path.join(work, "first"), "-bench-head", path.join(testdata, "bench_original.txt")));
  check((await page.textContent("#verdict")).startsWith("no comparison"), "nothing was compared");
  check(/A first run/.test(await page.textContent(".note")), "it says so");
  check((await page.$$("img")).length === 1 && !/New:/.test(await page.textContent("body")), "the head alone");
  quiet(page, "first run");
  await page.context().close();
}

/** Pairs that lack a side, and names that would like to be markup. */
async function testIncomplete() {
  for (const side of ["base", "head"]) fs.mkdirSync(path.join(work, side));
  const copy = (from, ...to) => fs.copyFileSync(path.join(testdata, from), path.join(work, ...to));
  copy("generator_cpu.prof", "base", "it's 50% & more_cpu.prof");
  copy("generator_optimized_cpu.prof", "head", "it's 50% & more_cpu.prof");
  copy("server_mutex.pb.gz", "base", "gone_mutex.pb.gz");
  copy("server_heap.pb.gz", "head", "<img src=x onerror=alert(1)>_heap.pb.gz");
  const page = await openPage(browser, make("incomplete", "-base", path.join(work, "base"), "-head", path.join(work, "head")));
  const notes = await page.$$eval(".note", (all) => all.map((n) => n.textContent.split(":")[0]));
  check(notes.sort().join() === "Gone,New", `notes: ${notes}`);
  check((await page.$$("img")).length === 3 && (await pictures(page)).every((i) => i.done), "each pair has its picture and no other");
  const links = await page.$$eval("a", (all) => all.map((a) => a.href));
  for (const link of links) check(fs.existsSync(new URL(link)), `a link leads nowhere: ${link}`);
  check((await page.textContent("#verdict")).startsWith("no benchmarks"), "no verdict without benchmarks");
  quiet(page, "incomplete");
  await page.context().close();
}

const url = make("bundled");
await testPage(url);
await testBenchmarks(url);
await testPhone(url);
await testDarkAndPaper(url);
await testIncomplete();
await testFirst();
await browser.close();
console.log(`${checks} passed, 0 failed`);
