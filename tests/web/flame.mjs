// Flame graphs in a real browser: every control of the page and of the SVG is used once and its effect looked at.
//   node flame.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, launch, openPage } from "./browser.mjs";

const [pprofc, testdata, ...folders] = process.argv.slice(2).map((argument) => path.resolve(argument));
const shots = process.env.PPROFC_SCREENSHOTS; // a folder to leave pictures in
const work = fs.mkdtempSync(path.join(os.tmpdir(), "pprofc-flame-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));

function make(name, ...args) {
  const file = path.join(work, name);
  execFileSync(pprofc, ["-symbolize=none", `-output=${file}`, ...args], { cwd: testdata, stdio: "ignore" });
  return pathToFileURL(file).href;
}

const browser = await launch(folders);
let checks = 0;
const check = (condition, what) => {
  checks++;
  if (!condition) {
    browser.close();
    fail(what);
  }
};

const open = (url, options) => openPage(browser, url, options);

const ready = (page) => page.waitForFunction(() => window.pprofc && document.body.classList.contains("live"));
const state = (page) => page.evaluate(() => ({ ...window.pprofc.state, root: window.pprofc.root, selected: window.pprofc.selected }));
const nameOf = (page, node) => page.evaluate((n) => window.pprofc.label(window.pprofc.view.frame[n]), node);
async function shoot(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, name) });
}
const quiet = (page, what) => {
  check(page.requests.length === 0, `${what}: request left the page: ${page.requests[0]}`);
  check(page.complaints.length === 0, `${what}: ${page.complaints[0]}`);
};

/** Clicks the middle of the box of a node. */
async function clickNode(page, node) {
  const spot = await page.evaluate((n) => {
    const d = window.pprofc.drawing;
    for (const [row, boxes] of d.rows)
      for (const b of boxes)
        if (b.node === n) {
          const c = d.canvas.getBoundingClientRect(), from = Math.max(b.x, 0), to = Math.min(b.x + b.width, c.width);
          return { x: c.left + (from + to) / 2, y: c.top + row * 18 - d.scroll + 9 };
        }
    return null;
  }, node);
  check(spot, "the node is not drawn");
  await page.mouse.click(spot.x, spot.y);
}

// ---- the page of a difference ---------------------------------------------------------------------------

async function testDiffPage(url) {
  const page = await open(url);
  await ready(page);
  await shoot(page, "flame_diff_light.png");
  check((await state(page)).tab === "diff", "a difference opens on its Diff tab");
  const totals = await page.textContent("#totals");
  check(/76\.73s → 5\.33s \(-93/.test(totals), `totals: ${totals}`);

  // Base, Head, Diff keep the zoom.
  const target = await page.evaluate(() => window.pprofc.place.first[window.pprofc.place.first[0]]);
  await clickNode(page, await page.evaluate(() => {
    const a = window.pprofc;
    let best = 1;
    for (let i = 1; i < a.view.n; i++) if (a.view.depth[i] === 1 && a.place.width[i] > a.place.width[best]) best = i;
    return best;
  }));
  const zoomed = await state(page);
  check(zoomed.root > 0 && zoomed.zoom, "a click zooms");
  const zoomName = await nameOf(page, zoomed.root);
  for (const tab of ["base", "head", "diff"]) {
    await page.click(`[data-tab=${tab}]`);
    const now = await state(page);
    check(now.tab === tab && (await nameOf(page, now.root)) === zoomName, `${tab}: zoom is locked across tabs`);
    check((await page.getAttribute(`[data-tab=${tab}]`, "aria-selected")) === "true", `${tab} is selected`);
  }
  check((await page.textContent("#path")).includes(zoomName), "the path names what is zoomed");
  check(target !== undefined, "there are nodes");

  // The address holds the state: a reload shows the same.
  const address = page.url();
  check(address.includes("#zoom="), `address: ${address}`);
  await page.reload();
  await ready(page);
  check((await nameOf(page, (await state(page)).root)) === zoomName, "a reload restores the zoom");
  await page.click("#reset");
  check((await state(page)).root === 0, "reset zooms out");

  // Statuses.
  for (const status of ["slower", "faster", "added", "removed", "unchanged"]) {
    await page.click(`[data-status=${status}]`);
    check((await state(page)).only === status, `${status} can be picked`);
    await page.click(`[data-status=${status}]`);
  }
  // Width and colour.
  for (const width of ["head", "base", "sum", "max"]) {
    await page.selectOption("#width", width);
    check((await state(page)).width === width, `width ${width}`);
  }
  for (const color of ["function", "package", "origin", "value", "change"]) {
    await page.selectOption("#color", color);
    check((await page.evaluate(() => window.pprofc.coloring)) === color, `colour ${color}`);
  }
  await page.click("[data-flag=normal]");
  const scale = await page.evaluate(() => window.pprofc.place.scale);
  check(Math.abs(scale - 76.73 / 5.33) < 0.1, `normalised: ${scale}`);
  await page.click("[data-flag=normal]");

  // Search counts every stack once.
  await page.fill("#search", "encoding/json");
  const matched = await page.textContent("#matched");
  check(/^\d+\.\d+% in \d+ frames$/.test(matched), `matched: ${matched}`);
  await page.click("#next");
  const first = (await state(page)).selected;
  await page.click("#next");
  const second = (await state(page)).selected;
  await page.click("#previous");
  check(first > 0 && second !== first && (await state(page)).selected === first, "next and previous match");
  await page.fill("#search", "(");
  check((await page.textContent("#matched")) === "not an expression", "a bad expression is said");
  await page.fill("#search", "");
  quiet(page, "diff page");
  await page.context().close();

  const dark = await open(url, { colorScheme: "dark" });
  await ready(dark);
  await shoot(dark, "flame_diff_dark.png");
  quiet(dark, "dark page");
  await dark.context().close();
}

// ---- the page of one profile -------------------------------------------------------------------------------

async function testPlainPage(url) {
  const page = await open(url);
  await ready(page);
  check((await state(page)).tab === "head" && !(await page.isVisible("[data-tab=diff]")), "no diff tab without a base");
  const press = async (key) => { await page.keyboard.press(key); return state(page); };

  // Keys walk the frames; the inspector and the live region follow.
  await page.focus("#graph");
  let now = await press("ArrowDown");
  check(now.selected > 0, "arrow down selects");
  const name = await nameOf(page, now.selected);
  check((await page.textContent("#inspector h2")) === name, "the inspector names the frame");
  check((await page.textContent("#announce")).startsWith(name), "the selection is announced");
  const item = await page.$eval("#item", (e) => Object.fromEntries([...e.attributes].map((a) => [a.name, a.value])));
  check(item["aria-level"] === "2" && item["aria-posinset"] === "1" && Number(item["aria-setsize"]) >= 1 &&
    item["aria-label"].startsWith(name) && item["aria-expanded"] === "true", `tree item: ${JSON.stringify(item)}`);
  check((await page.getAttribute("#graph", "aria-activedescendant")) === "item", "the canvas is a tree");
  check(/source|origin/.test(await page.textContent("#inspector")), "the inspector tells the origin");
  now = await press("Enter");
  check(now.root === now.selected, "Enter zooms");
  now = await press("Escape");
  check(now.root === 0, "Escape zooms out");

  // Flags, by button and by key.
  for (const [flag, key] of [["icicle", "i"], ["reverse", "r"], ["collapse", "m"], ["kernel", "k"], ["list", "l"]]) {
    const before = (await state(page))[flag];
    check((await press(key))[flag] === !before, `key ${key}: ${flag}`);
    await page.click(`[data-flag=${flag}]`);
    check((await state(page))[flag] === before, `button ${flag}`);
  }
  // Reverse keeps the total and turns the stacks.
  const total = await page.evaluate(() => window.pprofc.view.head[0]);
  await press("r");
  check((await page.evaluate(() => window.pprofc.view.head[0])) === total, "reverse keeps the total");
  await press("r");
  const type = await press("t");
  check(type.type === 0, "t switches the sample type");
  await press("t");
  check((await press("c")).color !== "", "c switches the colour");

  // Function list: sorted table, filter, a click opens the sandwich.
  await press("l");
  check((await page.getAttribute("#functions th:nth-child(2)", "aria-sort")) === "descending", "sorted by self");
  await page.click("#functions th:nth-child(3) button");
  check((await page.getAttribute("#functions th:nth-child(3)", "aria-sort")) === "ascending" ||
    (await page.getAttribute("#functions th:nth-child(3)", "aria-sort")) === "descending", "sorts by total");
  await page.fill("#list-filter", "runtime");
  const cells = await page.$$eval("#functions tbody tr td.name", (all) => all.map((c) => [c.textContent, c.title]));
  const rows = cells.map(([name]) => name);
  check(rows.length > 0 && cells.every((c) => c.some((text) => /runtime/.test(text))), "the list filters by name and file");
  await page.click("#functions tbody tr:first-child");
  now = await state(page);
  check(now.sandwich === rows[0], "a row opens the sandwich");
  check(await page.isVisible("#callers"), "callers are shown");
  const sums = await page.evaluate(() => window.pprofc.views.map((v) => v.head[0]));
  check(Math.abs(sums[0] - sums[1]) < 1e-6 * sums[1], "callers and callees have the same total");
  await shoot(page, "flame_sandwich.png");
  await page.click("#reset");
  check((await state(page)).sandwich === "", "reset closes the sandwich");
  await page.click("[data-flag=list]");

  // Focus and hide.
  await page.fill("#focus", "search");
  await page.press("#focus", "Enter");
  await page.focus("#graph");
  const focused = await page.evaluate(() => window.pprofc.view.head[0]);
  check(focused > 0 && focused < total, "focus keeps a part");
  await page.fill("#focus", "");
  await page.press("#focus", "Enter");
  await page.fill("#hide", "^runtime\\.");
  await page.press("#hide", "Enter");
  const hidden = await page.evaluate(() => window.pprofc.view.frame.some((f) => f >= 0 && /^runtime\./.test(window.pprofc.label(f))));
  check(!hidden, "hide takes frames out");
  check((await page.evaluate(() => window.pprofc.view.head[0])) === total, "hide keeps the total");
  await page.click("#reset");

  // Label groups.
  const groups = await page.$$eval("#group option", (all) => all.map((o) => o.textContent));
  check(groups.some((g) => /=/.test(g)), `label groups: ${groups.join(" ")}`);
  await page.selectOption("#group", "0");
  const part = await page.evaluate(() => window.pprofc.view.head[0]);
  check(part > 0 && part < total, "a label group is a part");
  await page.selectOption("#group", "-1");

  await page.click("#help");
  check(await page.isVisible("#sheet"), "? opens the key sheet");
  await page.keyboard.press("Escape");

  // Machine-readable summary.
  const summary = JSON.parse(await page.textContent("#pprofc-summary"));
  check(summary.version === 1 && summary.head === total && summary.top.length > 0, "the summary has totals and top");
  quiet(page, "plain page");
  await shoot(page, "flame_plain.png");

  // Print shows the static picture.
  await page.emulateMedia({ media: "print" });
  check(await page.isVisible("#static svg"), "print shows the static picture");
  await page.context().close();

  const bare = await open(url, { javaScriptEnabled: false });
  check(await bare.isVisible("#static svg"), "without scripts the static picture is there");
  await bare.context().close();
}

// ---- sources that can be read, labels with too many values ----------------------------------------------------

async function testSourcesAndLabels() {
  const page = await open(make("link.html", "-flame", "-source_link=https://example.com/blob/main/{file}#L{line}", "server_cpu.pb.gz"));
  await ready(page);
  await page.focus("#graph");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  const link = page.locator("#inspector a");
  check(/^https:\/\/example\.com\/blob\/main\/[^/].*\.(go|s)#L\d+$/.test(await link.getAttribute("href")), `link: ${await link.getAttribute("href")}`);
  check((await link.getAttribute("rel")) === "noopener noreferrer", "the link tells nothing of the page");
  quiet(page, "page with links");
  await page.context().close();
  const script = await open(make("script.html", "-flame", "-source_link=javascript:window.hit=1//{file}", "server_cpu.pb.gz"));
  await ready(script);
  await script.focus("#graph");
  for (let i = 0; i < 3; i++) await script.keyboard.press("ArrowDown");
  check((await script.$$("#inspector a")).length === 0, "only http and https are linked");
  await script.context().close();

  // Labels of 40 requests, as speedscope and folded stacks cannot have them: a profile made here.
  const varint = (n) => (n > 127 ? [n & 127 | 128, ...varint(n >>> 7)] : [n]);
  const field = (id, value) => (typeof value === "number" ? [id << 3, ...varint(value)] : [id << 3 | 2, ...varint(value.length), ...value]);
  const text = (s) => [...Buffer.from(s)];
  const requests = Array.from({ length: 40 }, (_, i) => `r${i}`);
  const profile = [
    ...field(1, [...field(1, 1), ...field(2, 2)]), ...field(5, [...field(1, 1), ...field(2, 3)]),
    ...field(4, [...field(1, 1), ...field(4, field(1, 1))]),
    ...requests.flatMap((_, i) => field(2, [...field(1, [1]), ...field(2, [5]), ...field(3, [...field(1, 4), ...field(2, 5 + i)])])),
    ...["", "n", "count", "main", "request", ...requests].flatMap((s) => field(6, text(s))),
  ];
  const file = path.join(work, "requests.pb");
  fs.writeFileSync(file, Buffer.from(profile));
  const many = await open(make("requests.html", "-flame", file));
  await ready(many);
  const options = await many.$$eval("#group option", (all) => all.map((o) => [o.textContent, o.disabled]));
  check(JSON.stringify(options) === '[["all samples",false],["request: too many values",true]]', `options: ${JSON.stringify(options)}`);
  quiet(many, "page with many labels");
  await many.context().close();
}

// ---- what limits a function --------------------------------------------------------------------------------

async function testBottleneck() {
  const folded = path.join(work, "costs.folded");
  fs.writeFileSync(folded, "Ir/count D1mr/count DLmr/count sysTime/nanoseconds\nmain;compute 1000 1 1 0\nmain;chase 100 90 80 0\nmain;load 100 60 0 0\nmain;wait 10 0 0 900\n");
  const page = await open(make("costs.html", "-flame", folded));
  await ready(page);
  const types = await page.evaluate(() => window.pprofc.model.types.map((t) => t.type));
  check(types.join() === "Ir,D1mr,DLmr,sysTime", `types: ${types}`);
  await page.selectOption("#color", "bottleneck");
  const dominant = () => page.evaluate(() => {
    const a = window.pprofc, kinds = {};
    for (let i = 1; i < a.view.n; i++) kinds[a.label(a.view.frame[i])] = a.bottleneck(a.view.frame[i]).dominant;
    return kinds;
  });
  const kinds = await dominant();
  check(kinds.compute === "instruction" && kinds.chase === "memory" && kinds.load === "cache" && kinds.wait === "system",
    `bottlenecks: ${JSON.stringify(kinds)}`);
  check((await page.$$(".weight")).length === 4, "the legend has the weights");
  check((await page.inputValue("[data-weight=DLmr]")) === "30", "a weight of the usual estimate");
  await page.fill("[data-weight=DLmr]", "0");
  await page.press("[data-weight=DLmr]", "Enter");
  check((await dominant()).chase === "cache", "a weight can be set");
  check(page.url().includes("weights=DLmr%3A0"), `weights are in the address: ${page.url()}`);
  await page.reload();
  await ready(page);
  check((await dominant()).chase === "cache", "a reload keeps the weights");
  quiet(page, "bottleneck page");
  await page.context().close();
}

/** The contrast of labels with their boxes, for every colouring, in light and dark. */
async function testContrast(url) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(url, { colorScheme });
    await ready(page);
    const worst = await page.evaluate(() => {
      const a = window.pprofc, c = document.createElement("canvas").getContext("2d");
      const luminance = (color) => {
        c.fillStyle = color;
        c.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      let least = 21;
      for (const color of a.colorings) {
        a.set({ color });
        for (let i = 1; i < Math.min(a.view.n, 3000); i++)
          least = Math.min(least, (luminance(a.look(a.view, i, a.place).color) + 0.05) / (luminance("#111") + 0.05));
      }
      const style = getComputedStyle(document.documentElement);
      for (const [ink, page] of [["--ink", "--page"], ["--soft", "--page"], ["--accent", "--page"], ["--ink", "--panel"]]) {
        const pair = [luminance(style.getPropertyValue(ink)), luminance(style.getPropertyValue(page))].sort((x, y) => y - x);
        least = Math.min(least, (pair[0] + 0.05) / (pair[1] + 0.05));
      }
      return least;
    });
    check(worst >= 4.5, `contrast in ${colorScheme}: ${worst.toFixed(2)}`);
    await page.context().close();
  }
}

// ---- the SVG ------------------------------------------------------------------------------------------------

async function testSvg(url) {
  const page = await open(url);
  await page.waitForFunction(() => document.documentElement.classList.contains("live"));
  for (const id of ["title", "subtitle", "details", "unzoom", "search", "ignorecase", "matched", "frames"])
    check(await page.$(`#${id}`), `the SVG has #${id}`);
  const box = page.locator("#frames > g").nth(2);
  const title = await box.locator("title").textContent();
  await box.hover();
  check((await page.textContent("#details")) === title.split("\n")[0], "hover tells about the frame");
  await box.click();
  check(page.url().includes("?x=") && page.url().includes("y="), `zoom is in the address: ${page.url()}`);
  const width = Number(await box.locator("rect").getAttribute("width"));
  check(width > 1170, `the zoomed frame fills the picture: ${width}`);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.classList.contains("live"));
  check(Number(await page.locator("#frames > g").nth(2).locator("rect").getAttribute("width")) > 1170, "a reload restores the zoom");
  await page.click("#unzoom");
  page.once("dialog", (dialog) => dialog.accept("runtime"));
  await page.click("#search");
  check(/^Matched: \d+\.\d%$/.test(await page.textContent("#matched")), "search tells the share");
  check((await page.$$("rect.match")).length > 0, "matches are marked");
  check(page.url().includes("s=runtime"), "search is in the address");
  await page.click("#ignorecase");
  check((await page.getAttribute("#ignorecase", "class")).includes("on"), "ic switches");
  await page.click("#search");
  check((await page.$$("rect.match")).length === 0, "search is reset");
  check(!/ on[a-z]+="/.test(await page.content()), "no inline event handlers");
  quiet(page, "SVG");
  await page.context().close();
}

// ---- names that would like to be code -------------------------------------------------------------------------

async function testHostileNames() {
  const folded = path.join(work, "hostile.folded");
  const names = ["<script>window.hit=1</script>", "\"><img src=x onerror=window.hit=1>", "]]></script><script>window.hit=1</script>",
    "a".repeat(10000), "\u202Eright to left", "' & \\ `${window.hit=1}`", "--><svg onload=window.hit=1>"];
  const lines = names.map((name, i) => `main;${name.replaceAll(";", ":")} ${i + 3}\n`);
  fs.writeFileSync(folded, Buffer.concat([...lines.map((l) => Buffer.from(l)), Buffer.from("main;bad\xff\xfe utf 9\n", "latin1")]));
  const html = await open(make("hostile.html", "-flame", folded));
  await ready(html);
  await html.click("[data-flag=list]");
  check((await html.$$("#functions tbody tr")).length === names.length + 2, "all names are listed");
  check((await html.evaluate(() => window.hit)) === undefined, "no name became code in the page");
  quiet(html, "hostile page");
  await html.context().close();
  const svg = await open(make("hostile.svg", "-flamegraph", folded));
  check((await svg.$$("#frames > g")).length === names.length + 3, "all names are drawn");
  check((await svg.evaluate(() => window.hit)) === undefined, "no name became code in the SVG");
  quiet(svg, "hostile SVG");
  await svg.context().close();
}

// ---- size -------------------------------------------------------------------------------------------------------

/** About 800 000 frames: load and zoom stay quick. */
async function testLarge() {
  const folded = path.join(work, "large.folded");
  const out = fs.createWriteStream(folded);
  let seed = 1;
  const random = (n) => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return (seed >>> 0) % n;
  };
  for (let i = 0; i < 50000; i++) {
    const frames = ["main"];
    for (let d = 0, depth = 8 + random(18); d < depth; d++) frames.push("function_" + random(3000));
    out.write(`${frames.join(";")} ${1 + random(50)}\n`);
  }
  await new Promise((done) => out.end(done));
  const url = make("large.html", "-flame", folded);
  const size = fs.statSync(path.join(work, "large.html")).size;
  const page = await open("about:blank");
  const start = Date.now();
  await page.goto(url);
  await ready(page);
  const load = Date.now() - start;
  const zoom = await page.evaluate(() => {
    const app = window.pprofc, times = [];
    for (let i = 0; i < 3; i++) {
      app.zoom(0);
      const t = performance.now();
      app.zoom(app.place.first[app.place.first[0]]);
      times.push(performance.now() - t);
    }
    return Math.min(...times);
  });
  const nodes = await page.evaluate(() => window.pprofc.view.n);
  console.log(`${nodes} frames: ${(size / 1e6).toFixed(2)} MB, load ${load} ms, zoom ${zoom.toFixed(0)} ms`);
  check(nodes > 750000, `frames: ${nodes}`);
  check(size < 4e6, `size: ${size}`);
  check(load < 2000 && zoom < 100, `load ${load} ms, zoom ${zoom} ms`);
  quiet(page, "large page");
  await page.context().close();
}

const diff = ["-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"];
await testDiffPage(make("diff.html", "-flame", ...diff));
await testPlainPage(make("server.html", "-flame", "server_cpu.pb.gz"));
await testSourcesAndLabels();
await testBottleneck();
await testContrast(make("contrast.html", "-flame", ...diff));
await testSvg(make("server.svg", "-flamegraph", "server_cpu.pb.gz"));
await testSvg(make("diff.svg", "-flamegraph", ...diff));
await testHostileNames();
await testLarge();
await browser.close();
console.log(`${checks} passed, 0 failed`);
