// Tests the page of pprofci leaks in a real browser: on a desktop, on a phone, in dark mode, with its flame graph, and
// with axe.
//   node leaks_page.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { begin, checking, findPackages, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work, shots } = begin("leaks");
const browser = await launch(folders);
const check = checking(browser);
const axe = findPackages(["axe-core@4.14.1"], folders);

/** Runs pprofci leaks. Returns the address of its page, its JSON and its exit status. */
function make(name, ...args) {
  const html = path.join(work, `${name}.html`);
  const made = spawnSync(path.join(path.dirname(pprofc), "pprofci"), ["leaks", "-json", "-html", html, ...args], { encoding: "utf8" });
  return { url: pathToFileURL(html).href, status: made.status, json: JSON.parse(made.stdout), messages: made.stderr };
}

/** Creates a heap and goroutines that leak, and a function whose name contains markup and a template. */
function makeSet(folder) {
  fs.mkdirSync(folder);
  for (const kind of ["map", "goroutines"])
    for (const file of fs.readdirSync(path.join(testdata, "leaks", kind)))
      fs.copyFileSync(path.join(testdata, "leaks", kind, file), path.join(folder, file));
  return folder;
}
const hostile = 'main.<img src=x onerror=alert>&"{html:style}.f';
function makeHostile(folder) {
  fs.mkdirSync(folder);
  for (let i = 1; i <= 8; i++) {
    const one = (n) => `goroutine ${n} [chan receive]:\n${hostile}(0x1)\n\t/src/a&b.go:10 +0x1d\nmain.caller()\n\t/src/c.go:20 +0x2\n\n`;
    fs.writeFileSync(path.join(folder, `g${i}.txt`), Array.from({ length: i * 20 }, (_, n) => one(n + 1)).join(""));
  }
  return folder;
}

const both = make("both", makeSet(path.join(work, "both")));
check(both.status === 2 && both.json.leaks === 2, `two leaks: ${both.status} ${both.messages}`);
const leaky = both.json.kinds.flatMap((k) => k.rows.map((r) => [k, r])).filter(([, r]) => r.verdict === "leak");
const views = [["desk", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 800 } }],
  ["dark_phone", { colorScheme: "dark", viewport: { width: 390, height: 800 } }]];
const seen = {};
for (const [name, options] of views) {
  const page = await openPage(browser, both.url, { bypassCSP: true, ...options });
  check(page.requests.length === 0 && page.complaints.length === 0, `${name}: ${page.requests} ${page.complaints}`);
  check(!(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)), `${name}: wider than the window`);
  const sentence = await page.textContent("h1");
  check(sentence === "✗ 2 places grow without end, first main.waitForAnswer: goroutine 80 → 400, +40 per profile.", `the sentence: ${sentence}`);
  check(/adjusted p = \S+ \(limit 0\.05, 1 series tested\)/.test(await page.textContent("#verdict")), "why it is more than chance");
  check(/a leak is seen from 3\.17MB of growth/.test(await page.textContent("#verdict")), "what a leak must have to be seen");
  const chart = await page.$eval(".chart", (c) => c.getBoundingClientRect().width);
  check(chart > 300 && chart < 600, `${name}: a chart of ${chart} pixels`);
  const sizes = await page.$$eval(".chart > span", (all) => all.map((s) => parseFloat(getComputedStyle(s).fontSize)));
  check(sizes.length === 8 && Math.min(...sizes) >= 10, `${name}: the labels can be read: ${sizes}`);
  const cut = await page.$$eval(".leaks :is(th, td)", (all) => all.filter((c) => c.checkVisibility() && (c.getBoundingClientRect().right > innerWidth || c.scrollWidth > c.clientWidth + 1)).map((c) => c.textContent));
  check(!cut.length, `${name}: the table is as wide as the window: ${cut}`);
  seen[name] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (shots) await page.screenshot({ path: path.join(shots, `leaks_${name}.png`), fullPage: true });
  if (axe) {
    await page.evaluate(fs.readFileSync(path.join(axe, "axe-core", "axe.min.js"), "utf8"));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    check(!violations.length, `${name}: ${JSON.stringify(violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html)]))}`);
  }
  await page.context().close();
}
check(seen.desk !== seen.dark && seen.desk === seen.phone, `colours: ${JSON.stringify(seen)}`);

// The table, the tally and the sentence agree with the JSON. A click on a heading sorts the table.
const page = await openPage(browser, both.url);
const tally = await page.$$eval(".tally li", (all) => all.map((l) => l.textContent).join());
check(tally.startsWith(`${both.json.leaks} leak,0 frees most,`), `the tally: ${tally}`);
const names = () => page.$$eval(".leaks tbody tr", (rows) => rows.map((r) => r.querySelector("code").textContent).join());
check((await names()) === leaky.map(([, r]) => r.where.function).join(), `the rows: ${await names()}`);
await page.click('.leaks button:text-is("now")');
check((await names()) === "main.newSession,main.waitForAnswer", `sorted by size: ${await names()}`);
await page.click('.leaks button:text-is("now")');
check((await names()) === "main.waitForAnswer,main.newSession", `and the other way: ${await names()}`);
const dots = await page.$$eval(".dots", (all) => all.map((d) => d.getAttribute("d").split("M").length - 1));
check(dots.join() === leaky.map(([, r]) => r.values.length).join(), `a dot for each profile: ${dots}`);
const frames = await page.$$eval("section:nth-of-type(2) li code", (all) => all.map((c) => c.textContent));
check(frames.includes("main.leakInMap"), `the callers: ${frames}`);

// One click opens the flame graph of the growth, and Back shows the page again.
await page.locator("a.graph-link").nth(1).click();
await page.locator("#graph canvas.pf-graph").waitFor();
const heap = leaky.find(([k]) => k.kind === "heap")[1];
check((await page.inputValue("#graph input[type=search]")) === "main.newSession", "the graph shows the place");
const text = await page.textContent("#graph");
check(text.includes(`${(Math.round((heap.last - heap.first) / 1048576 * 100) / 100).toFixed(2)}MB`), `its total is the growth: ${text.slice(0, 200)}`);
if (shots) await page.screenshot({ path: path.join(shots, "leaks_graph.png") });
await page.goBack();
check(!(await page.isVisible("#graph")), "back is the page");
await page.context().close();

// Untrusted names are text.
const evil = await openPage(browser, make("hostile", makeHostile(path.join(work, "hostile"))).url);
check((await evil.textContent("h1")).includes(hostile), `a hostile name: ${await evil.textContent("h1")}`);
check((await evil.$$("img")).length === 0 && evil.complaints.length === 0, `hostile: ${evil.complaints}`);
await evil.locator("a.graph-link").click();
await evil.locator("#graph canvas.pf-graph").waitFor();
await evil.context().close();

// Without a leak the page is green and has no graph. Without a verdict the page is not green.
const endings = [["none", ["-floor-count", "100000", path.join(work, "hostile")], 0, "✓ No leak.", "good"],
  ["saw", [path.join(testdata, "leaks", "sawtooth")], 0, "✓ No leak.", "good"],
  ["few", [path.join(work, "hostile", "g1.txt")], 1, "? Nothing was judged: 3 profiles of a kind are needed.", "doubt"]];
for (const [name, args, status, sentence, mood] of endings) {
  const made = make(name, ...args), quiet = await openPage(browser, made.url);
  check(made.status === status && (await quiet.textContent("h1")) === sentence, `${name}: ${made.status} ${await quiet.textContent("h1")}`);
  check(await quiet.$(`#verdict.${mood}`), `${name} is ${mood}`);
  check((await quiet.$$("#graph, template")).length === 0, `${name} has no flame graph`);
  check((await quiet.isVisible(".note")) === (name !== "saw"), `${name}: the empty state`);
  check(quiet.complaints.length === 0, `${name}: ${quiet.complaints}`);
  await quiet.context().close();
}
await browser.close();
console.log(`${check.count} passed, 0 failed${axe ? "" : " (axe-core cannot be had)"}`);
