// Tests the times of samples in a real browser: the strip of activity, a range of time in all views, and the timeline.
//   node times.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { addressOf, becomes, begin, checkQuiet, checking, findPackages, launch, openPage, skip } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, folders, work, shots } = begin("times", servers);
const browser = await launch(folders);
const modules = findPackages(["playwright-core@1.58.2", "axe-core@4"], folders) ?? skip("no npm package axe-core");
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");
const check = checking(browser);

// Two threads. main: load 0 to 1 s with parse from 0.2 to 0.8 s, then serve 1 to 3 s with query from 1.5 to 2.5 s.
// worker: compress from 1 to 2 s.
const call = (tid, name, from, to) => ({ ph: "X", pid: 1, tid, name, ts: from * 1000, dur: (to - from) * 1000 });
const thread = (tid, name) => ({ ph: "M", pid: 1, tid, name: "thread_name", args: { name } });
const recording = path.join(work, "phases.json");
fs.writeFileSync(recording, JSON.stringify({ traceEvents: [
  thread(1, "main"), thread(2, "worker"), call(1, "load", 0, 1000), call(1, "parse", 200, 800), call(1, "serve", 1000, 3000),
  call(1, "query", 1500, 2500), call(2, "compress", 1000, 2000)] }));

const run = (...args) => execFileSync(pprofc, ["-symbolize=none", ...args], { cwd: work }).toString();
const open = (url, options) => openPage(browser, url, options);
const ready = (page) => page.waitForFunction(() => window.pprofc && document.body.classList.contains("live"));
const state = (page) => page.evaluate(() => ({ ...window.pprofc.state }));
const rangeText = (page) => page.textContent(".pf-range");
const whole = (page) => becomes(async () => (await rangeText(page)) === "3s recorded");
async function shoot(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, `times_${name}.png`) });
}

async function checkAxe(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = found.violations.filter((v) => ["serious", "critical", "moderate"].includes(v.impact));
  check(!bad.length, `${what}: ${bad[0]?.id}: ${bad[0]?.nodes[0].html}`);
}

/** Drags over a part of the strip; from and to are shares of its width. */
async function drag(page, from, to) {
  const box = await page.locator(".pf-strip").boundingBox(), y = box.y + 20;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, y, { steps: 4 });
  await page.mouse.up();
}

/** Returns the numbers of -top with lines of whole nanoseconds: { name: [self, total] }. */
function topOf(...args) {
  const lines = run("-top", "-unit=ns", "-nodefraction=0", ...args, recording).split("\n");
  return Object.fromEntries(lines.slice(lines.findIndex((l) => /flat%/.test(l)) + 1).filter(Boolean).map((l) => {
    const [self, , , total, , ...name] = l.trim().split(/\s+/);
    return [name.join(" "), [parseFloat(self), parseFloat(total)]];
  }));
}

/** Checks that the page shows the numbers that the command prints for the same range. */
async function compare(page, range, what) {
  const expected = topOf(`-time_range=${range}`);
  check(Object.keys(expected).length > 0, `${what}: the command prints functions`);
  for (const name of ["load", "parse", "serve", "query", "compress"]) {
    const stats = await page.evaluate((n) => window.pprofcViewer.stats(n), name), [self, total] = expected[name] ?? [0, 0];
    check(Math.abs((stats?.selfHead ?? 0) - self) <= 2 && Math.abs((stats?.head ?? 0) - total) <= 2,
      `${what}: ${name} is ${JSON.stringify(stats)}, the command prints ${self} and ${total}`);
  }
}

/** Returns the middle of the first box of a function in the timeline. */
const spotOf = (page, name) => page.evaluate((n) => {
  const d = window.pprofc.drawing, c = d.canvas.getBoundingClientRect();
  for (const [row, boxes] of d.rows)
    for (const b of boxes)
      if (window.pprofc.label(d.view.frame[b.node]) === n) return { x: c.left + b.x + b.width / 2, y: c.top + d.yOf(row) + 10, from: b.from, to: b.to };
  return null;
}, name);

// ---- the strip and the range ------------------------------------------------------------------------------

async function testRange(url) {
  const page = await open(url);
  await ready(page);
  await shoot(page, "light");
  check((await page.isVisible(".pf-strip")) && (await rangeText(page)) === "3s recorded", `the whole recording: ${await rangeText(page)}`);
  check(!(await page.isVisible("[data-do=whole-time]")), "without a range there is nothing to clear");
  await compare(page, "0s,3s", "whole");

  await drag(page, 0, 1 / 3);
  let now = await state(page);
  const near = (text, ms) => Math.abs(parseFloat(text) * (text.endsWith("ms") ? 1 : 1000) - ms) < 15;
  check(now.t0 === "" && near(now.t1, 1000), `a drag selects: ${now.t0} to ${now.t1}`);
  check(/^0.*s to .* of 3s$/.test(await rangeText(page)), `the range in words: ${await rangeText(page)}`);
  await compare(page, `0s,${now.t1}`, "the first phase");
  check(await becomes(() => page.url().includes(`t1=${now.t1}`)), `the address has the range: ${page.url()}`);
  await page.goBack();
  check(await whole(page), "Back shows the whole time");
  await page.goForward();
  check(await becomes(async () => (await rangeText(page)) !== "3s recorded"), "Forward shows the range");
  await shoot(page, "range");

  // A click on the strip, the button and Escape clear the range.
  const strip = await page.locator(".pf-strip").boundingBox();
  await page.mouse.click(strip.x + strip.width / 2, strip.y + 20);
  check((await rangeText(page)) === "3s recorded", "a click clears");
  await drag(page, 0.5, 0.75);
  await page.click("[data-do=whole-time]");
  check((await rangeText(page)) === "3s recorded", "the button clears");
  await drag(page, 0.75, 0.5);
  check((await state(page)).t0 !== "", "a drag to the left selects");
  await page.focus(".pf-graph");
  await page.keyboard.press("Escape");
  check((await rangeText(page)) === "3s recorded", "Escape clears");

  // Links have either unit, or only one end of a range. An invalid range shows the whole profile.
  for (const [hash, range] of [["t0=1.5s&t1=2.5s", "1500ms,2500ms"], ["t0=1500000000&t1=2s", "1.5s,2s"], ["t1=900ms", "0s,900ms"], ["t0=1s500ms", "1.5s,"]]) {
    await page.goto(`${url}#${hash}`);
    const wanted = new URLSearchParams(hash);
    await becomes(async () => { const { t0, t1 } = await state(page); return t0 === (wanted.get("t0") ?? "") && t1 === (wanted.get("t1") ?? ""); });
    await compare(page, range, hash);
  }
  for (const hash of ["t0=abc", "t0=2s&t1=1s", "t0=-1s", "t0=9s", "t0=1e3s", "t1=NaN"]) {
    await page.goto(`${url}#${hash}`);
    check(await whole(page), `${hash} is no range: ${await rangeText(page)}`);
  }

  await page.goto(url + "#");
  await becomes(async () => !(await state(page)).t1);
  await page.keyboard.press("]");
  check((await state(page)).t1 === "300ms", `] begins with a tenth: ${(await state(page)).t1}`);
  await page.keyboard.press("]");
  now = await state(page);
  check(now.t0 === "150ms" && now.t1 === "450ms", `] moves by half: ${now.t0} to ${now.t1}`);
  await page.keyboard.press("}");
  now = await state(page);
  check(now.t0 === "" && now.t1 === "600ms", `} doubles: ${now.t0} to ${now.t1}`);
  await page.keyboard.press("{");
  await page.keyboard.press("[");
  now = await state(page);
  check(now.t0 === "" && now.t1 === "300ms", `{ halves, [ moves back: ${now.t0} to ${now.t1}`);

  // A filter and a range together. Percentages refer to the range.
  await page.goto(`${url}#t0=1s&t1=2s&focus=compress&whole=7`); // an address cannot set the total
  await becomes(async () => (await state(page)).focus === "compress");
  const shown = await page.textContent(".pf-shown");
  check((await page.evaluate(() => window.pprofc.view.head[0])) === 1e9, "compress ran for one second");
  check(shown === "shown 1s (50.00%)", `compress is half of the range: ${shown}`);

  // The shortest range has one nanosecond, which the server also reads.
  await page.evaluate(() => window.pprofc.set({ focus: "", t0: "1.234567891s", t1: "1.234567893s" }));
  for (let i = 0; i < 3; i++) await page.evaluate(() => window.pprofc.stepRange(0, 0.5));
  now = await state(page);
  check(Number(now.t1.slice(0, -1)) > Number(now.t0.slice(0, -1)) && /^1\.23456789[123]s$/.test(now.t0) && /^1\.23456789[123]s$/.test(now.t1),
    `whole nanoseconds: ${now.t0} to ${now.t1}`);
  checkQuiet(check, page, "range");
  await page.context().close();
}

// ---- the timeline -----------------------------------------------------------------------------------------

async function testTimeline(url) {
  const page = await open(url);
  await ready(page);
  await page.keyboard.press("g");
  check((await page.getAttribute("[data-mode=timeline]", "aria-pressed")) === "true", "g shows the timeline");
  await shoot(page, "timeline");
  const axis = await page.evaluate(() => {
    const d = window.pprofc.drawing, c = d.context, real = c.fillText, out = [];
    c.fillText = (text, x, y) => { if (y < 12) out.push([text, x, x + d.measure(text), d.width]); };
    d.paintAxis();
    c.fillText = real;
    return out;
  });
  check(axis.length >= 4 && axis.every(([, from, to, width]) => from >= 0 && to <= width), `no label of the axis is cut: ${JSON.stringify(axis)}`);
  const order = await Promise.all(["load", "serve"].map((name) => spotOf(page, name)));
  check(order[0].from === 0 && order[0].to === 1e9 && order[1].from === 1e9 && order[1].to === 3e9, "boxes have the times of the calls");
  check(order[0].x < order[1].x && order[0].y === order[1].y, "one thread is one group, in the order of time");
  const [query, compress] = [await spotOf(page, "query"), await spotOf(page, "compress")];
  check(query.y > order[1].y && compress.y > query.y, "callees are below callers, other threads below");

  await page.mouse.move(query.x, query.y);
  const tip = await page.innerText(".pf-tip");
  check(/^query\n(.*\n)?start: 1\.5\d*s\nduration: 1s\nthread: main$/.test(tip), `hover: ${tip}`);
  await page.mouse.click(query.x, query.y);
  check((await page.textContent(".pf-inspector h2")).startsWith("query"), "a click selects");
  check(/start 1\.5\d*s, duration 1s, thread main/.test(await page.textContent("[aria-live]")), "the box is announced with its time");
  await page.mouse.click(query.x, query.y);
  const zoomed = await page.evaluate(() => ({ left: window.pprofc.drawing.left, span: window.pprofc.drawing.span }));
  check(zoomed.left === 1.5e9 && zoomed.span === 1e9, `a second click zooms: ${JSON.stringify(zoomed)}`);
  check(await becomes(() => /at=0\.5/.test(page.url()) && /timeline=1/.test(page.url())), `the address has the zoom: ${page.url()}`);
  await page.keyboard.press("Escape");
  check((await page.evaluate(() => window.pprofc.drawing.span)) === 3e9, "Escape zooms out");
  await page.evaluate(() => window.pprofc.set({ t0: "2s", t1: "2.25s" }));
  const part = await spotOf(page, "query");
  check(part.from === 2e9 && part.to === 2.25e9, `a call that goes on has the time in the range: ${part.from} to ${part.to}`);
  await page.mouse.click(part.x, part.y);
  check(/duration 250ms/.test(await page.textContent("[aria-live]")), `the inspector has the same: ${await page.textContent("[aria-live]")}`);
  await page.evaluate(() => { window.pprofc.set({ t0: "", t1: "" }); window.pprofc.selectName("query"); });
  const walk = async (key) => { await page.keyboard.press(key); return page.evaluate(() => window.pprofc.selectedName); };
  check((await walk("ArrowUp")) === "serve", "up goes to the caller");
  check((await walk("ArrowLeft")) === "load" && (await walk("ArrowDown")) === "parse", "left goes to the box before, down to a callee");
  for (let i = 0; i < 60; i++) await page.keyboard.press("+");
  const least = await page.evaluate(() => window.pprofc.drawing.span);
  check(least > 0 && least < 100, `zoom goes down to nanoseconds: ${least}`);
  await page.keyboard.press("0");

  await page.click("[data-thread=main]");
  check((await page.getAttribute("[data-thread=main]", "aria-expanded")) === "false" && !(await spotOf(page, "load")), "a thread folds");
  await page.click("[data-thread=main]");
  check(await spotOf(page, "load"), "and unfolds");

  // The range limits the timeline, and filters apply to it. Another order of frames closes the timeline.
  await drag(page, 0, 1 / 3);
  check(!(await spotOf(page, "serve")) && !(await page.isVisible("[data-thread=worker]")) || (await page.evaluate(() => window.pprofc.drawing.span)) < 1.1e9,
    "the range limits the timeline");
  await page.keyboard.press("0");
  await page.keyboard.press("0");
  await page.evaluate(() => window.pprofc.set({ hide: "^load$" }));
  check((await spotOf(page, "parse")).y === (await spotOf(page, "serve")).y, "hiding a function moves its callees up");
  await page.evaluate(() => window.pprofc.set({ hide: "", focus: "^query$" }));
  check((await spotOf(page, "query")) && !(await spotOf(page, "compress")), "only stacks through a function");
  await page.evaluate(() => window.pprofc.set({ focus: "" }));
  await page.keyboard.press("r");
  check(!(await state(page)).timeline, "merging from the leaf leaves the timeline");
  await page.reload();
  await ready(page);
  await checkAxe(page, "flame graph with a strip");
  await page.click("[data-mode=timeline]");
  await checkAxe(page, "timeline");
  await page.keyboard.press("?");
  check(/Timeline or flame graph/.test(await page.innerText("dialog[open]")), "the sheet lists the keys");
  checkQuiet(check, page, "timeline");
  await page.context().close();

  for (const [name, options] of [["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]]) {
    const other = await open(`${url}#timeline=1`, options);
    await ready(other);
    await shoot(other, name);
    check(await spotOf(other, "serve"), `${name}: the timeline is drawn`);
    check(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing is wider than the page`);
    checkQuiet(check, other, name);
    await other.context().close();
  }
}

// ---- instants ----

/** Checks that an event without a duration is drawn up to the next event of its thread, but not over a long pause. Its
 * value must not change. */
async function testInstants() {
  const file = path.join(work, "cycles.txt"), html = path.join(work, "cycles.html"), times = [0, 10, 20, 30, 40, 500, 510, 520];
  fs.writeFileSync(file, times.map((ms, i) => `app  10  ${(100 + ms / 1000).toFixed(6)}:  1000 cycles:u: \n\t 11ca ${i < 5 ? "load" : "serve"}+0x1 (/app)\n\n`).join(""));
  run("-flame", `-output=${html}`, file);
  const page = await open(`${pathToFileURL(html).href}#timeline=1`);
  await ready(page);
  const [load, serve] = [await spotOf(page, "load"), await spotOf(page, "serve")], near = (a, b) => Math.abs(a - b) < 1e5;
  check(load && near(load.from, 0) && near(load.to, 50e6), `samples are joined, and the last lasts as long as the others: ${JSON.stringify(load)}`);
  check(serve && near(serve.from, 500e6) && near(serve.to, 520e6), `the pause stays empty: ${JSON.stringify(serve)}`);
  await page.evaluate(() => window.pprofc.set({ t0: "495ms", t1: "515ms" }));
  check((await page.evaluate(() => window.pprofcViewer.stats("serve").selfHead)) === 2000, "a range counts the samples that start in it");
  checkQuiet(check, page, "instants");
  await page.context().close();
}

// ---- sample types ----

/** Checks that the timeline and the strip have only events of the shown type: waits do not belong to the CPU time of a
 * JFR recording. */
async function testTypes() {
  const html = path.join(work, "jfr.html");
  run("-flame", `-output=${html}`, path.join(testdata, "imports", "calls.jfr.gz"));
  const page = await open(`${pathToFileURL(html).href}#timeline=1`);
  await ready(page);
  const sum = () => page.evaluate(() => { const { from, to } = window.pprofc.model.times; return to.reduce((all, end, i) => all + end - from[i], 0); });
  const shown = () => page.evaluate(() => window.pprofc.view.head[0]), wait = "java/lang/Object.wait0";
  const threads = () => page.$$eval(".pf-tracks button", (all) => all.map((one) => one.dataset.thread).join());
  check((await sum()) === (await shown()) && !(await spotOf(page, wait)), `the timeline has the CPU time of ${await shown()} ns: ${await sum()} ns`);
  check((await threads()) === "worker-0,worker-1,main", `threads with CPU time: ${await threads()}`);
  await page.evaluate(() => window.pprofc.set({ type: window.pprofc.model.types.findIndex(({ type }) => type === "wait_delay") }));
  check((await spotOf(page, wait)) && !(await spotOf(page, "calls.compute")), "waits have only waits");
  await page.evaluate(() => window.pprofc.set({ type: 0 }));
  check((await sum()) === (await shown()), "and the CPU time is back");
  checkQuiet(check, page, "types");
  await page.context().close();
}

// ---- hostile and extreme times ----

/** Checks that the name of a thread is text, and that the longest times and the deepest zoom are handled. */
async function testHostile() {
  const file = path.join(work, "hostile.json"), html = path.join(work, "hostile.html"), name = "</script><img src=x onerror=\"window.hacked=1\">";
  fs.writeFileSync(file, JSON.stringify({ traceEvents: [thread(1, name), call(1, name, 0, 1), call(1, "late", 9e12, 9.1e12)] }));
  run("-flame", `-output=${html}`, file);
  const page = await open(`${pathToFileURL(html).href}#timeline=1&strip=nonsense`);
  await ready(page);
  check((await page.textContent(".pf-tracks button")).includes("<img src=x"), "the name of a thread is text");
  check((await state(page)).strip === "package", "an unknown strip is the default");
  check((await page.$$eval("[aria-label='activity by'] option", (all) => all.map((o) => o.textContent).join())) === "by file,by thread", "functions without packages are by file");
  await page.evaluate(() => window.pprofc.set({ t0: "9000000000s", t1: "9000000000.000001s" }));
  for (let i = 0; i < 60; i++) await page.keyboard.press("+");
  check((await page.evaluate(() => window.pprofc.drawing.span)) >= 1, "the zoom ends at a nanosecond");
  await page.goto("about:blank"); // the last zoom changes the address late, and must not change this address
  await page.goto(`${pathToFileURL(html).href}#group=1&t0=0.5&t1=1.5`);
  await ready(page);
  const both = await state(page);
  check(both.t0 === "0.5" && both.t1 === "1.5" && both.group === -1 && (await rangeText(page)) !== "3s recorded", `an address with a label and a range keeps the range: ${JSON.stringify(both)}`);
  check(!(await page.evaluate(() => window.hacked)), "no name is markup");
  checkQuiet(check, page, "hostile times");
  await page.context().close();
}

// ---- a part of a recording as the base ----

/** Checks that the command of the page prints the same comparison, or the side that the page shows. */
async function testParts() {
  const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", "-time_range=1s,", "-diff_time_range=0s,1s", recording],
    { cwd: work, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(child);
  const views = `${await addressOf(child)}/ui/`, page = await (await browser.newContext()).newPage();
  for (const [query, seen, unseen] of [["", ["load", "serve"], []], ["?side=head", ["serve"], ["load"]], ["?side=base", ["load"], ["serve"]], ["?base=none", ["serve"], ["load"]]]) {
    await page.goto(`${views}top${query}`);
    const line = await page.textContent("#command");
    const { stdout, stderr } = spawnSync("sh", ["-c", line.replace(/^pprofc/, `"${pprofc}"`)], { cwd: work, encoding: "utf8" });
    check(seen.every((name) => stdout.includes(name)) && !unseen.some((name) => stdout.includes(name)), `the command of top${query}: ${line}: ${stdout}${stderr}`);
  }
  await page.context().close();
}

// ---- the page of -http -------------------------------------------------------------------------------------

async function testServer() {
  const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", recording], { cwd: work, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(child);
  const views = `${await addressOf(child)}/ui/`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } }), page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") complaints.push(m.text()); });
  await page.goto(`${views}flamegraph`);
  await page.waitForSelector("#flame.drawn");
  await drag(page, 1 / 3, 2 / 3);
  check(await becomes(async () => new URL(page.url()).searchParams.has("t0")), `the address has the range: ${page.url()}`);
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-loading"));
  await shoot(page, "http");
  const query = new URL(page.url()).searchParams, range = `${query.get("t0")},${query.get("t1")}`;
  check(await page.isVisible("a.pill[data-parameter=t0]"), "a pill tells the range");
  await page.click("#views a[data-view=top]");
  await page.waitForSelector("#top");
  check(new URL(page.url()).searchParams.get("t0") === query.get("t0"), "a link to another view keeps the range");
  const names = await page.$$eval("#top tbody tr", (rows) => rows.map((r) => r.querySelector("a.name").textContent));
  check(names.length > 0 && !names.includes("load") && names.sort().join() === Object.keys(topOf(`-time_range=${range}`)).sort().join(),
    `Top shows the functions of the range: ${names}`);
  const line = await page.evaluate(() => document.querySelector("#command").textContent);
  check(line.includes("-time_range="), `the command has the range: ${line}`);
  const printed = spawnSync("sh", ["-c", line.replace(/^pprofc/, `"${pprofc}" -symbolize=none`)], { cwd: work, encoding: "utf8" });
  check(names.every((name) => printed.stdout.includes(name)) && !printed.stdout.includes("load"), `the command prints the view: ${line}: ${printed.stdout}${printed.stderr}`);
  for (const view of ["peek", "graph", "tags", "source?f=serve"]) {
    const reply = await page.request.get(`${views}${view}${view.includes("?") ? "&" : "?"}t0=1s&t1=1400ms`), body = await reply.text();
    check(reply.status() === 200 && !/parse/.test(body.replace(/<title>.*<\/title>/, "")), `${view} of the second phase: ${reply.status()}`);
  }
  check((await page.request.get(`${views}top?t0=abc`)).status() === 400, "a range that is none is an error");
  await page.click("a.pill[data-parameter=t0]");
  await page.waitForFunction(() => !new URL(location.href).searchParams.has("t0"));
  check((await page.$$eval("#top tbody tr", (rows) => rows.map((r) => r.textContent))).some((row) => row.includes("load")), "the pill removes the range");
  check(!complaints.length, `the page of -http: ${complaints[0]}`);
  await context.close();
}

// ---- without times ------------------------------------------------------------------------------------------

async function testWithout() {
  const file = path.join(work, "plain.html");
  execFileSync(pprofc, ["-symbolize=none", "-flame", `-output=${file}`, "generator_cpu.prof"], { cwd: testdata, stdio: "ignore" });
  const page = await open(`${pathToFileURL(file).href}#timeline=1&t0=1s`);
  await ready(page);
  check((await page.locator(".pf-times").count()) === 0 && !(await state(page)).timeline, "a profile without times has no strip");
  await page.keyboard.press("g");
  await page.keyboard.press("]");
  check(!(await state(page)).timeline && (await page.evaluate(() => window.pprofc.view.head[0])) > 0, "and its keys do nothing");
  check(!fs.readFileSync(file, "utf8").includes('id="pprofc-times"'), "and its page has no times");
  checkQuiet(check, page, "without times");
  await page.context().close();
}

const page = path.join(work, "phases.html");
run("-flame", `-output=${page}`, recording);
await testRange(pathToFileURL(page).href);
await testTimeline(pathToFileURL(page).href);
await testInstants();
await testTypes();
await testHostile();
await testParts();
await testServer();
await testWithout();
await browser.close();
console.log(`${check.count} checks`);
process.exit(0);
