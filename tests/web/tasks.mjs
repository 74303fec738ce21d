// Does the tasks of docs/method/page_tasks.md on the real page. The number of steps must equal the table's number.
//   node tasks.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { addressOf, becomes, begin, checking, launch, openPage } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, folders, work } = begin("tasks", servers);
const browser = await launch(folders);
const check = checking(browser);

/** Starts -http in testdata. Returns the address of its page. */
async function serve(...args) {
  const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...args], { cwd: testdata, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(child);
  return `${await addressOf(child)}/ui/`;
}

// One thread loads and then serves; a second thread compresses.
const phases = path.join(work, "phases.json");
const call = (tid, name, from, to) => ({ ph: "X", pid: 1, tid, name, ts: from * 1000, dur: (to - from) * 1000 });
const thread = (tid, name) => ({ ph: "M", pid: 1, tid, name: "thread_name", args: { name } });
fs.writeFileSync(phases, JSON.stringify({ traceEvents: [thread(1, "main"), thread(2, "worker"), call(1, "load", 0, 1000), call(1, "serve", 1000, 3000), call(2, "compress", 1000, 2000)] }));

const diff = await serve("-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"), plain = await serve("generator_cpu.prof"),
  heap = await serve("generator_mem.prof"), timed = await serve(phases);

/** Steps. Each is one click, one key, one drag or one typed text. */
const click = (selector) => (page) => page.click(selector);
const key = (name) => (page) => page.keyboard.press(name);
const type = (words) => (page) => page.keyboard.type(words);
/** Returns a step that clicks the widest box of a function. */
const clickBox = (name, modifiers) => async (page) => {
  const [x, y] = await page.evaluate(`((a) => { const n = a.nodeOf(${JSON.stringify(name)}), d = a.drawing; d.reveal(n); a.paint();
    const [row, boxes] = [...d.rows].find(([, all]) => all.some((b) => b.node === n)), box = boxes.find((b) => b.node === n);
    return [box.x + box.width / 2, d.yOf(row) + 5]; })(page.flame.app)`);
  await page.locator(".pf-graph").click({ position: { x, y }, modifiers });
};
const dragStrip = (from, to) => async (page) => {
  const box = await page.locator(".pf-strip").boundingBox(), y = box.y + 20;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, y, { steps: 4 });
  await page.mouse.up();
};
const says = (selector, pattern) => async (page) => (await page.isVisible(selector)) && pattern.test(await page.locator(selector).first().innerText());
const flame = (expression) => (page) => page.evaluate(`(${expression})(page.flame.app)`);

const tasks = [
  ["What became slower?", diff, [], says(".pf-changes", /Slower\s+generator\.mix\s+\+500ms/)],
  ["Is it real?", diff, [], says(".pf-banner", /3 functions are new\. 5 functions rose against the rest\./)],
  ["Where is it in the code?", diff, [click(".pf-changes button >> nth=0")], says(".pf-place", /generator\/optimized\.go/)],
  ["Which callers does it have?", diff, [click(".pf-changes button >> nth=0")], says(".pf-sandwich", /callers above/)],
  ["How much of the total is it?", plain, [], says(".pf-inspector", /runtime\.mallocgc\s+5\.12s \(6\.67%\)/)],
  ["Share what I see", plain, [click("#more summary"), click("#more a:text-is('Flame graph (page)')")], async (page) => page.downloaded === true],
  ["Repeat it as a command", plain, [click("#more summary"), click("#more [data-copy=command]")], says("#toast", /Command copied/)],
  ["Find a function", plain, [key("/"), type("RenderSource")], says("#matches", /\d+ match(es)?, [\d.]+s, [\d.]+%/)],
  ["Change the sample type", heap, [key("t")], says("#types summary", /inuse_objects|alloc_objects/)],
  ["From the flame graph to the source", plain, [clickBox("runtime.mallocgc", ["Control"])], says("main", /runtime\.mallocgc[^]*malloc\.go/)],
  ["Look at one phase", timed, [dragStrip(0, 1 / 3)], async (page) => new URL(page.url()).searchParams.has("t1")],
  ["Begin with the leaves", plain, [key("r")], flame("(a) => a.state.reverse")],
  ["Look at one thread", timed, [key("g")], says(".pf-tracks", /main[^]*worker/)],
];

const table = fs.readFileSync(path.join(testdata, "..", "docs", "method", "page_tasks.md"), "utf8").split("\n")
  .map((line) => /^\| \d+ \| ([^|]*?) \| (\d+) \|(.*)\|$/.exec(line)).filter(Boolean);
check(table.length === tasks.length, `the table has ${table.length} tasks`);
for (const [i, [name, address, steps, done]] of tasks.entries()) {
  const [, said, ours, others] = table[i], least = Math.min(...(others.match(/\d+/g) ?? []).map(Number));
  check(said === name && Number(ours) === steps.length, `${name}: ${steps.length} steps, the table says ${said}: ${ours}`);
  check(!(steps.length > least), `${name}: ${steps.length} steps, the best of the others ${least}`);
  const page = await openPage(browser, "about:blank", { viewport: { width: 1280, height: 900 } });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  page.on("download", () => (page.downloaded = true));
  await page.goto(`${address}flamegraph`);
  await page.waitForSelector("#flame.drawn");
  const before = steps.length ? await done(page).catch(() => false) : false;
  check(!before, `${name}: done before the first step`);
  for (const step of steps) await step(page);
  check(await becomes(() => done(page).catch(() => false)), `${name}: not done after ${steps.length} steps: ${page.url()}`);
  const cut = await page.$$eval(".pf-legend, .pf-inspector", (all) => all.filter((e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight).map((e) => e.className));
  check(!cut.length, `${name}: the whole legend and all values are in sight: ${cut}`);
  check(page.complaints.length === 0, `${name}: ${page.complaints[0]}`);
  await page.context().close();
}
await browser.close();
console.log(`${check.count} passed, 0 failed`);
process.exit(0);
