// Tests flame graphs in a real browser: uses each control of the page and of the SVG once, and checks its effect.
//   node flame.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { begin, checkQuiet, checking, findPackages, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work, shots } = begin("flame");

function make(name, ...args) {
  const file = path.join(work, name);
  execFileSync(pprofc, ["-symbolize=none", `-output=${file}`, ...args], { cwd: testdata, stdio: "ignore" });
  return pathToFileURL(file).href;
}

const browser = await launch(folders);
const check = checking(browser);

const open = (url, options) => openPage(browser, url, options);

const ready = (page) => page.waitForFunction(() => window.pprofc && document.body.classList.contains("live"));
const state = (page) => page.evaluate(() => ({ ...window.pprofc.state, root: window.pprofc.root, selected: window.pprofc.selected }));
const nameOf = (page, node) => page.evaluate((n) => window.pprofc.label(window.pprofc.view.frame[n]), node);
async function shoot(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, name) });
}
const quiet = (page, what) => checkQuiet(check, page, what);

/** Opens the menu "View". */
async function menu(page) {
  if (!(await page.$eval(".pf-menu", (e) => e.open))) await page.click(".pf-menu summary");
}
/** Sets or clears a check box of the menu, and closes the menu. */
async function flip(page, flag) {
  await menu(page);
  await page.click(`[data-flag=${flag}]`);
  await page.keyboard.press("Escape");
}
async function choose(page, key, value) {
  if (key !== "type") await menu(page);
  await page.selectOption(`[data-key=${key}]`, value);
  await page.evaluate(() => { document.activeElement.blur(); document.querySelector(".pf-menu").open = false; });
}
async function write(page, key, text) {
  await menu(page);
  await page.fill(`[data-key=${key}]`, text);
  await page.press(`[data-key=${key}]`, "Enter");
  await page.keyboard.press("Escape");
}
async function reset(page) {
  await menu(page);
  await page.click("[data-do=reset]");
}

/** Returns the position of the middle of a node's box. */
async function spotOf(page, node) {
  const spot = await page.evaluate((n) => {
    const d = window.pprofc.drawing;
    for (const [row, boxes] of d.rows)
      for (const b of boxes)
        if (b.node === n) {
          const c = d.canvas.getBoundingClientRect(), from = Math.max(b.x, 0), to = Math.min(b.x + b.width, c.width);
          return { x: c.left + (from + to) / 2, y: c.top + d.yOf(row) + 10 };
        }
    return null;
  }, node);
  check(spot, "the node is drawn");
  return spot;
}
async function clickNode(page, node) {
  const spot = await spotOf(page, node);
  await page.mouse.click(spot.x, spot.y);
}

// ---- the page of a difference ---------------------------------------------------------------------------

async function testDiffPage(url) {
  const page = await open(url);
  await ready(page);
  await shoot(page, "flame_diff_light.png");
  check((await state(page)).tab === "diff", "a difference opens on its Diff tab");
  const totals = await page.textContent(".pf-totals");
  check(/76\.73s → 5\.33s \(-93/.test(totals), `totals: ${totals}`);

  // The tabs Base, Head and Diff keep the zoom.
  const widest = await page.evaluate(() => {
    const a = window.pprofc;
    let best = 1;
    for (let i = 1; i < a.view.n; i++) if (a.view.depth[i] === 1 && a.place.width[i] > a.place.width[best]) best = i;
    return best;
  });
  await clickNode(page, widest);
  check((await state(page)).selected === widest && (await state(page)).root === 0, "a click selects");
  await clickNode(page, widest);
  const zoomed = await state(page);
  check(zoomed.root > 0 && zoomed.p, "a second click zooms");
  const zoomName = await nameOf(page, zoomed.root);
  for (const tab of ["base", "head", "diff"]) {
    await page.click(`[data-tab=${tab}]`);
    const now = await state(page);
    check(now.tab === tab && (await nameOf(page, now.root)) === zoomName, `${tab}: zoom is locked across tabs`);
    check((await page.getAttribute(`[data-tab=${tab}]`, "aria-selected")) === "true", `${tab} is selected`);
  }
  check((await page.textContent(".pf-path")).includes(zoomName), "the path names what is zoomed");

  // The address has the state: after a reload the page shows the same.
  const address = page.url();
  check(address.includes("#p=" + zoomName) && address.includes("sel=" + zoomName), `address: ${address}`);
  await page.reload();
  await ready(page);
  check((await nameOf(page, (await state(page)).root)) === zoomName, "a reload restores the zoom");
  await reset(page);
  check((await state(page)).root === 0, "reset zooms out");

  for (const status of ["slower", "faster", "added", "removed", "unchanged"]) {
    await page.click(`[data-status=${status}]`);
    check((await state(page)).only === status, `${status} can be picked`);
    await page.click(`[data-status=${status}]`);
  }
  for (const width of ["head", "base", "sum", "max"]) {
    await choose(page, "width", width);
    check((await state(page)).width === width, `width ${width}`);
  }
  for (const color of ["function", "package", "origin", "value", "change"]) {
    await choose(page, "color", color);
    check((await page.evaluate(() => window.pprofc.coloring)) === color, `colour ${color}`);
  }
  await page.click("[data-normal='1']");
  const scale = await page.evaluate(() => window.pprofc.place.scale);
  check(Math.abs(scale - 76.73 / 5.33) < 0.1, `normalised: ${scale}`);
  await page.click("[data-normal='0']");

  // The search counts each stack once.
  await page.fill("[data-key=search]", "encoding/json");
  const matched = await page.textContent(".pf-matched");
  check(/^\d+ matches, \d+\.\d+s → [\d.]+(m?s)?$/.test(matched), `matched: ${matched}`);
  await page.click("[data-do=next]");
  const first = (await state(page)).selected;
  await page.click("[data-do=next]");
  const second = (await state(page)).selected;
  await page.click("[data-do=previous]");
  check(first > 0 && second !== first && (await state(page)).selected === first, "next and previous match");
  await page.fill("[data-key=search]", "(");
  check((await page.textContent(".pf-matched")) === "not an expression", "a bad expression is said");
  await page.fill("[data-key=search]", "");
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

  // Keys select the next frame, and the inspector and the live region show the frame.
  await page.focus(".pf-graph");
  let now = await press("ArrowDown");
  check(now.selected > 0, "arrow down selects");
  const name = await nameOf(page, now.selected);
  check((await page.textContent(".pf-inspector h2")).startsWith(name), "the inspector names the frame");
  check((await page.textContent("[aria-live]")).startsWith(name), "the selection is announced");
  const item = await page.$eval("[role=treeitem]", (e) => Object.fromEntries([...e.attributes].map((a) => [a.name, a.value])));
  check(item["aria-level"] === "2" && item["aria-posinset"] === "1" && Number(item["aria-setsize"]) >= 1 &&
    item["aria-label"].startsWith(name) && item["aria-expanded"] === "true", `tree item: ${JSON.stringify(item)}`);
  check((await page.getAttribute(".pf-graph", "aria-activedescendant")).startsWith("pf-item"), "the canvas is a tree");
  check(/your code|library|system/.test(await page.textContent(".pf-place")), "the inspector tells the origin");
  now = await press("Enter");
  check(now.root === now.selected, "Enter zooms");
  now = await press("Escape");
  check(now.root === 0, "Escape zooms out");

  // Sets each flag by its button and by its key.
  for (const [flag, key] of [["icicle", "i"], ["reverse", "r"], ["collapse", "m"], ["system", "k"], ["list", "l"]]) {
    const before = (await state(page))[flag];
    check((await press(key))[flag] === !before, `key ${key}: ${flag}`);
    if (flag === "list") await page.click("[data-flag=list]");
    else await flip(page, flag);
    check((await state(page))[flag] === before, `button ${flag}`);
  }
  // The reversed graph has the same total and the stacks from the leaf.
  const total = await page.evaluate(() => window.pprofc.view.head[0]);
  await press("r");
  check((await page.evaluate(() => window.pprofc.view.head[0])) === total, "reverse keeps the total");
  await press("r");
  const type = await press("t");
  check(type.type === 0, "t switches the sample type");
  await press("t");
  check((await press("c")).color !== "", "c switches the colour");

  // The function list has a sorted table and a filter. A click on a row opens the sandwich.
  await press("l");
  check((await page.getAttribute(".pf-functions th:nth-child(2)", "aria-sort")) === "descending", "sorted by self");
  await page.click(".pf-functions th:nth-child(3) button");
  check((await page.getAttribute(".pf-functions th:nth-child(3)", "aria-sort")) === "ascending" ||
    (await page.getAttribute(".pf-functions th:nth-child(3)", "aria-sort")) === "descending", "sorts by total");
  await page.fill(".pf-filter", "runtime");
  const cells = await page.$$eval(".pf-functions tbody tr th", (all) => all.map((c) => [c.textContent, c.title]));
  const rows = cells.map(([name]) => name);
  check(rows.length > 0 && cells.every((c) => c.some((text) => /runtime/.test(text))), "the list filters by name and file");
  await page.click(".pf-functions tbody tr:first-child");
  now = await state(page);
  check(now.sandwich === rows[0], "a row opens the sandwich");
  check(await page.isVisible(".pf-callers"), "callers are shown");
  const sums = await page.evaluate(() => window.pprofc.views.map((v) => v.head[0]));
  check(Math.abs(sums[0] - sums[1]) < 1e-6 * sums[1], "callers and callees have the same total");
  await shoot(page, "flame_sandwich.png");
  await reset(page);
  check((await state(page)).sandwich === "", "reset closes the sandwich");
  await page.click("[data-flag=list]");

  await write(page, "focus", "search");
  const focused = await page.evaluate(() => window.pprofc.view.head[0]);
  check(focused > 0 && focused < total, "focus keeps a part");
  await write(page, "focus", "");
  await write(page, "hide", "^runtime\\.");
  const hidden = await page.evaluate(() => window.pprofc.view.frame.some((f) => f >= 0 && /^runtime\./.test(window.pprofc.label(f))));
  check(!hidden, "hide takes frames out");
  check((await page.evaluate(() => window.pprofc.view.head[0])) === total, "hide keeps the total");
  await reset(page);

  const groups = await page.$$eval("[data-key=group] option", (all) => all.map((o) => o.textContent));
  check(groups.some((g) => /=/.test(g)), `label groups: ${groups.join(" ")}`);
  await choose(page, "group", "0");
  const part = await page.evaluate(() => window.pprofc.view.head[0]);
  check(part > 0 && part < total, "a label group is a part");
  await choose(page, "group", "-1");

  await page.click("[data-do=help]");
  check(await page.isVisible(".pf-keys"), "? opens the key sheet");
  await page.keyboard.press("Escape");

  // The page has a summary that programs can read.
  const summary = JSON.parse(await page.textContent("#pprofc-summary"));
  check(summary.version === 1 && summary.head === total && summary.top.length > 0, "the summary has totals and top");
  quiet(page, "plain page");
  await shoot(page, "flame_plain.png");

  // A printed page shows the static picture.
  await page.emulateMedia({ media: "print" });
  check(await page.isVisible("#static svg"), "print shows the static picture");
  await page.context().close();

  const bare = await open(url, { javaScriptEnabled: false });
  check(await bare.isVisible("#static svg"), "without scripts the static picture is there");
  await bare.context().close();
}

// ---- readable sources, labels with too many values ----------------------------------------------------

async function testSourcesAndLabels() {
  const page = await open(make("link.html", "-flame", "-source_link=https://example.com/blob/main/{file}#L{line}", "server_cpu.pb.gz"));
  await ready(page);
  await page.focus(".pf-graph");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  const link = page.locator(".pf-place a");
  check(/^https:\/\/example\.com\/blob\/main\/[^/].*\.(go|s)#L\d+$/.test(await link.getAttribute("href")), `link: ${await link.getAttribute("href")}`);
  check(/:\d+ \(first line seen\)$/.test(await link.textContent()), "the first line of the function is unknown");
  check((await link.getAttribute("rel")) === "noopener noreferrer", "the link tells nothing of the page");
  quiet(page, "page with links");
  await page.context().close();
  const known = await open(make("known.html", "-flame", "imports/calls.stackprof.json"));
  await ready(known);
  await known.evaluate(() => window.pprofc.selectName("Object#work"));
  check(/calls\.rb:18( ·|$)/.test(await known.textContent(".pf-place")), "a known first line has no note");
  await known.context().close();
  const script = await open(make("script.html", "-flame", "-source_link=javascript:window.hit=1//{file}", "server_cpu.pb.gz"));
  await ready(script);
  await script.focus(".pf-graph");
  for (let i = 0; i < 3; i++) await script.keyboard.press("ArrowDown");
  check((await script.$$(".pf-inspector a")).length === 0, "only http and https are linked");
  await script.context().close();

  // A profile with the labels of 40 requests. The formats speedscope and folded stacks cannot have labels.
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
  const options = await many.$$eval("[data-key=group] option", (all) => all.map((o) => [o.textContent, o.disabled]));
  check(JSON.stringify(options) === '[["all samples",false],["request: too many values",true]]', `options: ${JSON.stringify(options)}`);
  quiet(many, "page with many labels");
  await many.context().close();
}

// ---- the bottleneck of a function --------------------------------------------------------------------------

async function testBottleneck() {
  const folded = path.join(work, "costs.folded");
  fs.writeFileSync(folded, "Ir/count D1mr/count DLmr/count sysTime/nanoseconds\nmain;compute 1000 1 1 0\nmain;chase 100 90 80 0\nmain;load 100 60 0 0\nmain;wait 10 0 0 900\n");
  const page = await open(make("costs.html", "-flame", folded));
  await ready(page);
  const types = await page.evaluate(() => window.pprofc.model.types.map((t) => t.type));
  check(types.join() === "Ir,D1mr,DLmr,sysTime", `types: ${types}`);
  await choose(page, "color", "bottleneck");
  const dominant = () => page.evaluate(() => {
    const a = window.pprofc, kinds = {};
    for (let i = 1; i < a.view.n; i++) kinds[a.label(a.view.frame[i])] = a.bottleneck(a.view.frame[i]).dominant;
    return kinds;
  });
  const kinds = await dominant();
  check(kinds.compute === "instruction" && kinds.chase === "memory" && kinds.load === "cache" && kinds.wait === "system",
    `bottlenecks: ${JSON.stringify(kinds)}`);
  check((await page.$$(".pf-weight")).length === 4, "the legend has the weights");
  check((await page.inputValue("[data-weight=DLmr]")) === "30", "a weight of the usual estimate");
  await page.fill("[data-weight=DLmr]", "0");
  await page.press("[data-weight=DLmr]", "Enter");
  check((await dominant()).chase === "cache", "a weight can be set");
  check(page.url().includes("weights=DLmr:0"), `weights are in the address: ${page.url()}`);
  await page.reload();
  await ready(page);
  check((await dominant()).chase === "cache", "a reload keeps the weights");
  quiet(page, "bottleneck page");
  await page.context().close();
}

// ---- the picture ------------------------------------------------------------------------------------------------

async function testLayout(url) {
  const page = await open(url, { viewport: { width: 1280, height: 800 } });
  await ready(page);
  check((await page.$eval(".pf-bar", (e) => e.clientHeight)) < 50, "the toolbar is one row at 1280 pixels");
  check(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), "the page fits the window");
  await page.click("[data-flag=list]");
  check(await page.evaluate(() => {
    const list = document.querySelector(".pf-functions tbody tr").getBoundingClientRect();
    return list.top > 0 && list.bottom < innerHeight;
  }), "the list of functions opens in view");
  const changes = await page.$$eval(".pf-functions tbody tr td:nth-child(2)", (all) => all.map((c) => c.textContent));
  check(/^\+/.test(changes[0]) && /^-/.test(changes[changes.length - 1]) || changes.length === 400, `the largest regression is first: ${changes[0]}`);
  await page.click("[data-flag=list]");

  // Without a selection the dock shows the functions with the largest self value in base or head.
  const heaviest = await page.evaluate(() => window.pprofc.functionRows().map((r) => [window.pprofc.label(r.frame), Math.max(r.selfHead, r.selfBase)])
    .sort((a, b) => b[1] - a[1])[0][0]);
  check((await page.getAttribute(".pf-inspector .pf-ranks button", "data-name")) === heaviest, `${heaviest} is first in the dock`);
  check(/^\S+ → \S+$/.test(await page.textContent(".pf-inspector .pf-ranks b")), "the dock has base and head");

  // The lists have five functions that became slower and five that became faster. A click selects the function.
  const lists = await page.$$eval(".pf-changes ol", (all) => all.map((l) => [...l.querySelectorAll("b")].map((b) => b.textContent)));
  check(lists.length === 2 && lists.every((l) => l.length === 5) && lists[0].every((t) => t[0] === "+") && lists[1].every((t) => t[0] === "-"),
    `changes: ${JSON.stringify(lists)}`);
  const name = await page.getAttribute(".pf-changes li:nth-child(2) button", "data-name");
  await page.click(".pf-changes li:nth-child(2) button");
  const now = await state(page);
  check((await nameOf(page, now.selected)) === name && now.root > 0, "a click on a change goes there");
  const spot = await spotOf(page, now.selected);
  check(spot.y > 0 && spot.y < 800, "the change can be seen");
  check(await page.isVisible(".pf-minimap"), "a zoomed graph has a map");
  const ticks = await page.evaluate(() => window.pprofc.minimap.ticks(1000)), whole = await page.evaluate(() => window.pprofc.place.width[0]);
  check(ticks.length > 3 && ticks.length < 13 && ticks.every(([value, x]) => Math.abs(value / whole * 1000 - x) < 1e-6), `the axis of the map: ${ticks}`);
  check(/^[125]0*$/.test(String(ticks[0][0])) && ticks.every(([value], i) => value === (i + 1) * ticks[0][0]), `values of the axis are round: ${ticks}`);
  const leftOf = () => page.evaluate(() => window.pprofc.drawing.left);
  const before = await leftOf();
  const map = await page.locator(".pf-minimap").boundingBox();
  await page.mouse.click(map.x + 5, map.y + 10);
  check((await leftOf()) !== before, "the map moves the graph");
  await page.keyboard.press("0");
  check(!(await page.isVisible(".pf-minimap")), "the whole graph needs no map");

  // Slower and faster have separate scales: the largest loss has the full color next to a much larger gain.
  const colors = await page.evaluate(() => {
    const a = window.pprofc, { view, place } = a, deltas = [];
    for (let i = 0; i < view.n; i++) deltas.push([view.head[i] - view.base[i], i]);
    deltas.sort((x, y) => y[0] - x[0]);
    return { more: a.look(view, deltas[0][1], place).color, less: a.look(view, deltas[deltas.length - 1][1], place).color, ratio: -deltas[deltas.length - 1][0] / deltas[0][0] };
  });
  check(colors.ratio > 10 && colors.more === "rgb(240 140 50)" && colors.less === "rgb(92 165 220)", `scales: ${JSON.stringify(colors)}`);

  const orders = [];
  for (const tab of ["base", "head", "diff"]) {
    await page.click(`[data-tab=${tab}]`);
    orders.push(await page.evaluate(() => {
      const a = window.pprofc, out = [];
      for (let i = 0; i < a.view.n; i++)
        for (let c = a.place.first[i]; c >= 0; c = a.place.next[c]) out.push(c);
      return out.join();
    }));
  }
  check(orders[0] === orders[1] && orders[1] === orders[2], "Base, Head and Diff have one order of siblings");
  const sorted = await page.evaluate(() => {
    const a = window.pprofc;
    for (let i = 0; i < a.view.n; i++)
      for (let c = a.place.first[i]; c >= 0 && a.place.next[c] >= 0; c = a.place.next[c])
        if (a.label(a.view.frame[c]) > a.label(a.view.frame[a.place.next[c]])) return false;
    return true;
  });
  check(sorted, "siblings are sorted by name");

  // The inspector has no zeros, and its name can be copied.
  await page.evaluate(() => {
    const a = window.pprofc;
    for (let i = 1; i < a.view.n; i++) if (!a.view.selfHead[i] && !a.view.selfBase[i]) return a.select(i, true);
  });
  check(!/self0/.test(await page.textContent(".pf-values")), "no rows of zeros");
  await page.evaluate(() => {
    const a = window.pprofc;
    for (let i = 1; i < a.view.n; i++) if (a.view.parent[i] > 0 && a.view.head[i]) return a.select(i, true);
  });
  check(/of its caller in head\d/.test(await page.textContent(".pf-values")), "a row of the head says so");
  await page.click("[data-do=copy]");
  await page.waitForFunction(() => document.querySelector("[data-do=copy]").textContent === "Copied");
  quiet(page, "layout");
  await page.context().close();
}

/** Checks that labels are inside their boxes, and that more boxes have a label than before. */
async function testLabels(url) {
  const page = await open(url, { viewport: { width: 1280, height: 800 } });
  await ready(page);
  const forms = fs.readFileSync(new URL("../flame/labels.txt", import.meta.url), "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
  const wrong = await page.evaluate((all) => all.filter((f) => JSON.stringify(pprofcFlame.labelForms(f[0])) !== JSON.stringify(f)), forms);
  check(wrong.length === 0, `forms of ${JSON.stringify(wrong[0])}`);
  const labels = await page.evaluate(() => {
    const a = window.pprofc, d = a.drawing, c = d.context, out = [], real = c.fillText, clip = c.rect;
    let box = null;
    c.rect = (x, y, w, h) => { box = [x, x + w]; clip.call(c, x, y, w, h); };
    c.fillText = (text, x, y) => { out.push([text, x, x + c.measureText(text).width, ...box]); };
    d.paint();
    delete c.fillText;
    delete c.rect;
    return out;
  });
  const over = labels.filter(([, from, to, left, right]) => from < left || to > right);
  check(labels.length > 40 && over.length === 0, `labels stay in their boxes: ${labels.length}, ${JSON.stringify(over[0])}`);
  check(!labels.some(([text]) => text.includes("…")), "no label is cut in its middle");
  const known = await page.evaluate(() => [...new Set(window.pprofc.model.name.flatMap((name) => pprofcFlame.labelForms(name)))]);
  const short = labels.map(([text]) => text.replace(/^[▲▼+−] /, "")).filter((text) => text.length < 4 && text !== "all" && !known.includes(text));
  check(short.length === 0, `a cut label has four letters: ${short}`);
  const sizes = await page.evaluate(() => {
    const d = window.pprofc.drawing, wide = d.measure("execute"), forms = ["a.execute", "execute"];
    return [wide + 1, wide * 0.9, wide * 0.6, wide * 0.3].map((room) => pprofcFlame.fitLabel(forms, room, (t, small) => d.measure(t, small)));
  });
  check(sizes[0].text === "execute" && !sizes[0].small && sizes[1].text === "execute" && sizes[1].small && sizes[1].whole,
    `a name that would be cut has smaller letters: ${JSON.stringify(sizes)}`);
  check(/^exec/.test(sizes[2].text) && sizes[2].text !== "execute" && !sizes[2].whole && sizes[3] === null,
    `what is cut keeps its first letters: ${JSON.stringify(sizes)}`);
  check(labels.some(([text]) => /%\)$/.test(text)), "there are percentages");
  await page.context().close();
}

/** Checks that a profile has most labels at 1400 pixels: the graph has the whole width. */
async function testManyLabels(url) {
  const page = await open(url, { viewport: { width: 1400, height: 900 } });
  await ready(page);
  const labels = await page.evaluate(() => {
    const d = window.pprofc.drawing, c = d.context, out = [], real = c.fillText;
    c.fillText = (text) => { out.push(text); };
    d.paint();
    delete c.fillText;
    return out.filter((text) => !/^[\d.]+%$/.test(text));
  });
  // Only 77 boxes have space for four small letters. pprof draws 98 labels, but shortens 35 of them to fewer letters.
  check(labels.length >= 72, `labels: ${labels.length}`);
  await page.context().close();
}

// ---- search, keys, context menu ---------------------------------------------------------------------------

async function testSearch(url) {
  const page = await open(url);
  await ready(page);
  check(await page.evaluate(() => document.activeElement === window.pprofc.drawing.canvas), "the graph has the focus at first");
  await page.keyboard.press("/");
  await page.keyboard.type("regexp");
  const found = await page.evaluate(() => {
    const { view, matches, model } = window.pprofc, hit = (i) => i > 0 && /regexp/i.test(model.name[view.frame[i]] + model.file[model.fileOf[view.frame[i]]]);
    let sum = 0, count = 0;
    for (let i = 1; i < view.n; i++) {
      let above = view.parent[i];
      while (above > 0 && !hit(above)) above = view.parent[above];
      if (hit(i)) count++, sum += above > 0 ? 0 : view.head[i];
    }
    return { count, matches: matches.length, share: (100 * sum / view.head[0]).toFixed(2), focus: document.activeElement.type };
  });
  const said = () => page.textContent(".pf-matched");
  check(found.count === found.matches && found.focus === "search", `matches: ${JSON.stringify(found)}`);
  check((await said()) === `${found.count} matches, 4.32s, ${found.share}%`, `said: ${await said()}`);
  const walked = [];
  for (const key of ["Enter", "Enter", "Enter", "Shift+Enter"]) {
    await page.keyboard.press(key);
    walked.push((await said()).split(",")[0]);
  }
  check(walked.join() === [1, 2, 3, 2].map((i) => `${i} of ${found.count}`).join(), `Enter and Shift+Enter: ${walked}`);
  const now = await state(page);
  check(/regexp/.test(await nameOf(page, now.selected)), "a match is selected");
  await page.keyboard.press("Escape");
  check((await page.inputValue("[data-key=search]")) === "regexp", "Escape leaves the field and keeps the matches");
  await page.keyboard.press("f");
  const kept = await page.evaluate(() => [window.pprofc.state.focus, window.pprofc.view.head[0] / window.pprofc.whole.head * 100]);
  check(kept[0] === "regexp" && kept[1].toFixed(2) === found.share, `f keeps the stacks through the matches: ${kept}`);
  await reset(page);
  await page.fill("[data-key=search]", "no such function");
  check((await said()) === "no match", `said: ${await said()}`);
  await reset(page);

  // Each key of the sheet has an effect, and the sheet has each key.
  await page.keyboard.press("Escape");
  await page.focus(".pf-graph");
  await page.keyboard.press("?");
  const rows = await page.$$eval(".pf-keys tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  check(rows.length > 20 && rows.every((row) => row.every(Boolean)) && new Set(rows.map(([key]) => key)).size === rows.length, `the sheet: ${JSON.stringify(rows)}`);
  check(JSON.stringify(rows) === JSON.stringify(await page.evaluate(() => window.pprofcViewer.keys())), "the sheet is the table of keys");
  await page.keyboard.press("Escape");

  // The menu has only commands that work in this page.
  const node = await page.evaluate(() => window.pprofc.nodeOfName("main.rank", () => 1)), spot = await spotOf(page, node);
  await page.mouse.click(spot.x, spot.y, { button: "right" });
  const entries = await page.$$eval(".pf-context button", (all) => all.map((e) => e.textContent));
  check(entries.join() === "Focus,Hide,Copy name", `the menu: ${entries}`);
  check((await state(page)).selected === node && (await state(page)).root === 0, "the right button selects");
  await page.keyboard.press("Escape");
  check(!(await page.isVisible(".pf-context")) && (await state(page)).selected === node, "Escape closes the menu");
  await page.mouse.click(spot.x, spot.y, { button: "right" });
  await page.keyboard.press("Enter");
  check((await state(page)).focus === "^main\\.rank$", `Focus: ${(await state(page)).focus}`);
  quiet(page, "search");
  await page.context().close();
}

// ---- history, percentages, callers and callees -------------------------------------------------------------------

async function testHistory(url) {
  const page = await open(url);
  await ready(page);
  const look = () => page.evaluate(() => {
    const { state, selectedName, root, view } = window.pprofc;
    return [state.tab, state.color, state.focus, selectedName, window.pprofc.label(view.frame[root])].join(" ");
  });
  const seen = [await look()], keep = async () => { seen.push(await look()); };
  const click = (name) => page.evaluate((n) => window.pprofc.nodeOfName(n, (i) => window.pprofc.place.width[i]), name).then((node) => clickNode(page, node));
  await click("main.rank");
  await keep();
  await click("main.rank");
  await keep();
  await choose(page, "color", "origin");
  await keep();
  await write(page, "focus", "sort");
  await keep();
  check(new Set(seen).size === 5, `every step shows something else: ${seen.join("; ")}`);
  for (const step of [3, 2, 1, 0]) {
    await page.goBack();
    check((await look()) === seen[step], `back: ${await look()}, not ${seen[step]}`);
  }
  await page.goForward();
  check((await look()) === seen[1], `forward: ${await look()}`);
  await page.goForward();
  const address = page.url();
  check(/p=main\.rank&sel=main\.rank/.test(address), `the address can be read: ${address}`);
  await page.goto("about:blank");
  await page.goto(address);
  await ready(page);
  check((await look()) === seen[2], `the link shows the same: ${await look()}`);
  // Several key presses in a row are one entry of the history.
  const length = await page.evaluate(() => history.length);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
  check((await page.evaluate(() => history.length)) === length + 1, "a walk is one step");
  // The path of a box leads back to the box.
  const lost = await page.evaluate(() => {
    const a = window.pprofc, wrong = [];
    for (let i = 0; i < a.view.n; i += 7) if (a.place.width[i] > 0 && a.place.x[a.nodeOf(a.pathOf(i))] !== a.place.x[i]) wrong.push(a.pathOf(i));
    return wrong;
  });
  check(lost.length === 0, `paths that lead elsewhere: ${lost.slice(0, 3)}`);
  quiet(page, "history");
  await page.context().close();
}

/** Checks that all percentages refer to the profile's total, and that callers and callees count all places of a
 * function. */
async function testNumbers(url) {
  const page = await open(url);
  await ready(page);
  const rank = async () => {
    await page.evaluate(() => window.pprofc.selectName("main.rank"));
    return page.textContent(".pf-values tbody tr:first-child");
  };
  const whole = await rank();
  check(/^total1\.44s \(18\.30%\)1\.44s \(18\.30%\)$/.test(whole), `main.rank: ${whole}`);
  await write(page, "focus", "main.rank");
  check((await rank()) === whole, `with a filter: ${await rank()}`);
  check((await page.textContent(".pf-totals")) === "7.87s" && (await page.textContent(".pf-shown")) === "shown 1.44s (18.30%)", `totals: ${await page.textContent(".pf-under")}`);
  const spot = await spotOf(page, await page.evaluate(() => window.pprofc.nodeOfName("main.rank", () => 1)));
  await page.mouse.move(spot.x, spot.y);
  const tip = await page.$$eval(".pf-tip > *", (all) => all.map((e) => e.textContent));
  check(tip[0] === "main.rank" && /main\.go/.test(tip[1]) && tip[2] === "total: 1.44s (18.30%)" && tip.length >= 3, `the tooltip: ${tip}`);
  await page.mouse.down();
  await page.mouse.up();
  check(!(await page.isVisible(".pf-tip")), "a click hides the tooltip, which would cover the callees");
  const shares = await page.evaluate(() => [[1, 1], [1, 3], [48, 1e6], [-2, 1e5], [0, 7], [1, 0]].map(([part, whole]) => window.pprofcFlame.percent(part, whole)));
  check(shares.join() === "100.00%,33.33%,0.0048%,-0.002%,0%,0%", `percentages: ${shares}`);
  await reset(page);

  // The sums of a function that has several callers.
  const sums = await page.evaluate(() => {
    const a = window.pprofc;
    for (let frame = 0; frame < a.model.name.length; frame++) {
      const places = a.everywhere(frame);
      if (places.callers.length > 3 && places.callees.length > 1 && places.total.head > 5e7) return { ...places, stats: window.pprofcViewer.stats(places.name) };
    }
  });
  const total = (parts) => parts.reduce((sum, part) => sum + part.head, 0);
  check(sums && total(sums.callers) === sums.total.head && total(sums.callees) + sums.outer.head === sums.total.head,
    `callers and callees add up: ${JSON.stringify(sums)}`);
  check(sums.stats.head === sums.total.head && sums.stats.selfHead === sums.self.head, "the function everywhere is the row of the list");
  await page.evaluate(() => window.pprofc.show("main.rank"));
  const rows = await page.$$eval(".pf-level", (all) => all.map((row) => [...row.children].map((cell) => cell.title.split("\n")[0])));
  check(rows[0][0] === "main.(*server).search.func2" && rows[1].join() === "main.rank" && rows[2].includes("sort.Slice"), `the sandwich: ${JSON.stringify(rows)}`);
  await page.click(".pf-level:first-child button");
  check((await page.evaluate(() => window.pprofc.selectedName)) === rows[0][0], "a click on a caller goes there");
  quiet(page, "numbers");
  await page.context().close();
}

// ---- positions ------------------------------------------------------------------------------------------

/** Checks that selecting, pointing and zooming do not move the picture, and that a second click hits the same box. */
async function testStill(url, viewport) {
  const page = await open(url, { viewport });
  await ready(page);
  const place = () => page.evaluate(() => {
    const d = window.pprofc.drawing, c = d.canvas.getBoundingClientRect();
    return [c.left, c.top, c.width, c.height, d.scroll, d.yOf(d.rowOf(3)), document.querySelector(".pf-inspector").clientHeight].join();
  });
  const before = await place();
  const node = await page.evaluate(() => {
    const { view, place } = window.pprofc;
    let best = -1;
    for (let i = 1; i < view.n; i++) if (view.depth[i] === 4 && (best < 0 || place.width[i] > place.width[best])) best = i;
    return best;
  });
  const spot = await spotOf(page, node), at = () => page.evaluate(([x, y]) => {
    const d = window.pprofc.drawing, c = d.canvas.getBoundingClientRect();
    return d.nodeAt(x - c.left, y - c.top);
  }, [spot.x, spot.y]);
  await page.mouse.move(spot.x, spot.y);
  check((await place()) === before, `pointing moves nothing: ${before} ${await place()}`);
  await page.mouse.click(spot.x, spot.y);
  check((await place()) === before && (await at()) === node, `selecting moves nothing: ${before} ${await place()}`);
  await page.mouse.click(spot.x, spot.y);
  check((await place()) === before && (await at()) === node, `zooming moves nothing: ${before} ${await place()}`);
  check((await state(page)).root === node, "the second click hit the same box");
  await page.keyboard.press("Escape");
  await page.click(".pf-close");
  check((await place()) === before && (await state(page)).selected < 0, "closing moves nothing");
  quiet(page, "still");
  await page.context().close();
}

// ---- mouse, fingers, sandwich -------------------------------------------------------------------------------------

async function testPointers(url) {
  const page = await open(url, { viewport: { width: 1280, height: 500 } });
  await ready(page);
  const seen = () => page.evaluate(() => ({ left: window.pprofc.drawing.left, span: window.pprofc.drawing.span, scroll: window.pprofc.drawing.scroll }));
  const box = await page.locator(".pf-graph").boundingBox();
  const at = [box.x + box.width / 2, box.y + 100];
  const whole = await seen();
  await page.mouse.move(...at);
  check(await page.isVisible(".pf-tip"), "pointing at a box tells about it");
  await page.mouse.wheel(0, 60);
  check((await seen()).scroll > 0, "the wheel scrolls");
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  const zoomed = await seen();
  check(zoomed.span < whole.span * 0.8 && zoomed.left > 0, "Ctrl and the wheel zoom around the pointer");
  await page.mouse.down();
  await page.mouse.move(at[0] + 80, at[1], { steps: 4 });
  await page.mouse.up();
  const dragged = await seen();
  check(dragged.left < zoomed.left && dragged.span === zoomed.span, "dragging moves the graph");
  check((await state(page)).selected < 0, "dragging selects nothing");
  await page.waitForFunction(() => window.pprofc.state.at && location.hash.includes(encodeURIComponent(window.pprofc.state.at)));
  await page.reload();
  await ready(page);
  check(Math.abs((await seen()).left - dragged.left) < 1e-4 * whole.span, "the address keeps the part that is shown");
  await page.keyboard.press("0");
  await page.mouse.dblclick(at[0], at[1] - 60);
  check((await state(page)).root > 0, "a double click zooms in");
  await page.keyboard.press("0");
  await page.keyboard.press("+");
  check((await seen()).span < whole.span, "+ zooms");
  await page.keyboard.press("0");

  await page.evaluate(() => {
    const c = document.querySelector(".pf-graph"), box = c.getBoundingClientRect();
    const send = (type, id, x) => c.dispatchEvent(new PointerEvent(type, {
      pointerId: id, pointerType: "touch", isPrimary: id === 1, bubbles: true, clientX: box.left + x, clientY: box.top + 50,
    }));
    send("pointerdown", 1, 300), send("pointerdown", 2, 400);
    send("pointermove", 1, 200), send("pointermove", 2, 500);
    send("pointerup", 1, 200), send("pointerup", 2, 500);
  });
  const pinched = await seen();
  check(Math.abs(pinched.span / whole.span - 1 / 3) < 0.02, `pinching zooms: ${pinched.span / whole.span}`);
  await page.keyboard.press("0");

  // The flag "system" hides all code with the origin system.
  await flip(page, "system");
  const left = await page.evaluate(() => {
    const a = window.pprofc;
    return [...a.view.frame].filter((f) => f >= 0 && a.model.origin[f] === 3).length;
  });
  check(left === 0 && (await page.evaluate(() => window.pprofc.view.n)) > 10, "system code is switched off, and not only the kernel");
  await page.click("[data-remove=system]");

  // In a sandwich, callers are above the function and callees below it.
  await page.evaluate(() => window.pprofcViewer.setState({ sandwich: "strings.ToUpper" }));
  const halves = await page.evaluate(() => window.pprofc.drawings.map((d) => {
    const y = (depth) => d.canvas.getBoundingClientRect().top + d.yOf(d.rowOf(depth));
    return { first: y(d.top), second: y(d.top + 1) };
  }));
  check(halves[1].second < halves[1].first && halves[1].first < halves[0].first && halves[0].first < halves[0].second,
    `callers above, callees below: ${JSON.stringify(halves)}`);
  check(halves[0].first - halves[1].first < 30, "nothing is between callers and the function");
  const stats = await page.evaluate(() => [window.pprofcViewer.stats("strings.ToUpper"), window.pprofc.view.head[0]]);
  check(stats[0].head === stats[1] && stats[0].head > 0, "the totals of the sandwich are those of the function");
  quiet(page, "pointers");
  await page.context().close();

  const phone = await open(url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await ready(phone);
  check(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
  const spot = await spotOf(phone, await phone.evaluate(() => window.pprofc.place.first[window.pprofc.place.first[0]]));
  await phone.touchscreen.tap(spot.x, spot.y);
  check(await phone.isVisible(".pf-inspector.pf-open"), "a tap opens the sheet of a box");
  const sheet = await phone.locator(".pf-inspector").boundingBox(), total = await phone.locator(".pf-values tr:has-text('total') >> nth=0").boundingBox();
  check(total.y + total.height <= sheet.y + sheet.height, "the sheet shows values without scrolling");
  const small = await phone.$$eval(".pf-bar button, .pf-bar select, .pf-bar input:not([type=checkbox]), .pf-check, .pf-bar summary", (all) => all.filter((e) => e.offsetParent && e.getBoundingClientRect().height < 30).length);
  check(small === 0, "controls are large enough for a thumb");
  await phone.fill(".pf-search input", "regexp");
  await phone.waitForSelector(".pf-matched:not(:empty)");
  const found = await phone.locator(".pf-matched").boundingBox();
  check(found.x >= 0 && found.x + found.width <= 390, `the count of the matches is on the phone: ${JSON.stringify(found)}`);
  await phone.fill(".pf-search input", "");
  await phone.click(".pf-close");
  check(!(await phone.isVisible(".pf-inspector.pf-open")), "the sheet closes");
  await shoot(phone, "flame_phone.png");
  await phone.context().close();
}

async function testAxe(url) {
  const modules = findPackages(["axe-core@4.10.2"], folders);
  if (!modules) return console.log("skipped: axe (no npm package axe-core)");
  const axe = fs.readFileSync(path.join(modules, "axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(url, { colorScheme });
    await ready(page);
    await page.click("[data-flag=list]");
    await page.evaluate(() => window.pprofc.select(1, true));
    await menu(page);
    await page.context().newCDPSession(page).then((c) => c.send("Page.setBypassCSP", { enabled: true }));
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    const serious = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
    check(serious.length === 0, `axe, ${colorScheme}: ${serious.map((v) => v.id + " " + v.nodes[0].html).join("; ")}`);
    await page.context().close();
  }
}

// ---- another page that contains the viewer ----------------------------------------------------------------

const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";

/** Returns data without narrow nodes, as a server sends them. A node is [depth, frame, id, self] or [depth, "cut",
 * count, self]. */
function packData(names, nodes, cut) {
  const varint = (n) => (n > 127 ? [n & 127 | 128, ...varint(Math.floor(n / 128))] : [n]);
  const bytes = [];
  let depth = -1, last = 0;
  for (const [d, frame, id, self] of nodes) {
    const rest = frame === "cut";
    bytes.push(...varint(bytes.length ? depth + 1 - d : 0), ...varint(rest ? names.length + 1 : frame + 1));
    if (rest) bytes.push(...varint(id), ...varint(self));
    else if (cut) bytes.push(...varint(id - last)), last = id;
    bytes.push(...varint(2 * self));
    depth = d;
  }
  const frames = { name: names, file: ["a.c"], package: [""], file_of: names.map(() => 0), package_of: names.map(() => 0),
    line: names.map(() => 1), origin: names.map(() => 1), inlined: names.map(() => 0) };
  const meta = { types: [{ type: "cpu", unit: "nanoseconds" }], has_base: false, default_type: 0, nodes: nodes.length, cut, frames: names.length,
    title: "t", groups: [], left_out: [], link: "" };
  const parts = [Buffer.from(JSON.stringify(meta)), ...[JSON.stringify(frames), Buffer.from(bytes), ""].map((part) => deflateSync(part))];
  const head = Buffer.alloc(20);
  head.write("PFL1");
  parts.forEach((part, i) => head.writeUInt32LE(part.length, 4 + 4 * i));
  return Buffer.concat([head, ...parts]);
}

async function testMount(html) {
  const text = fs.readFileSync(html, "utf8"), script = text.match(/<script>([\s\S]*)<\/script>/)[1];
  const style = text.match(/<style>([\s\S]*)<\/style>/)[1];
  const first = packData(["main", "work", "rest"], [[0, -1, 0, 0], [1, 0, 1, 10], [2, 1, 2, 30], [3, "cut", 2, 60], [2, 2, 5, 100]], true);
  const part = packData(["left", "work", "wider"], [[0, 1, 2, 30], [1, 2, 3, 40], [2, 0, 4, 20]], true);
  const files = {
    "/flame.js": ["text/javascript", script.slice(0, script.indexOf("// The page of -flame"))], "/flame.css": ["text/css", style],
    "/page.js": ["text/javascript", "addEventListener('load', async () => { const load = async (n) => { window.asked = n; return (await fetch('/part')).arrayBuffer(); }; " +
      "window.viewer = await pprofcFlame.mount(document.getElementById('v'), { data: await (await fetch('/data')).arrayBuffer(), chrome: false, pivots: location.hash.slice(1), load, " +
      "onState: (s) => { window.last = s; }, onSelect: (s) => { window.picked = s; } }); })"],
    "/data": ["application/octet-stream", first], "/part": ["application/octet-stream", part],
    "/": ["text/html", "<!DOCTYPE html><title>t</title><link rel=stylesheet href=/flame.css><div id=v></div><script src=/flame.js></script><script src=/page.js></script>"],
  };
  const server = http.createServer((request, response) => {
    const [type, body] = files[request.url] || ["text/plain", ""];
    response.writeHead(200, { "content-type": type, "content-security-policy": CSP });
    response.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const page = await open(url);
  await page.waitForFunction(() => window.viewer);
  await page.evaluate(() => { window.pprofc = window.viewer.app; });
  check(!(await page.$(".pf-bar")) && (await page.$(".pf-inspector")), "the page around has its own bar");
  const widths = () => page.evaluate(() => { const a = window.pprofc; return [...a.view.frame].map((f, i) => a.label(f) + "=" + a.place.width[i]).join(" "); });
  check((await widths()) === "all=200 main=200 work=90 (smaller frames)=60 rest=100", `cut: ${await widths()}`);
  await clickNode(page, 2);
  check((await page.evaluate(() => window.picked.name + window.picked.head + window.picked.node)) === "work902", "the selection is reported");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.pprofc.view.n > 5);
  check((await page.evaluate(() => window.asked)) === 2, "the viewer asks for what was cut");
  check((await widths()) === "all=200 main=200 work=90 wider=60 left=20 rest=100", `joined: ${await widths()}`);
  check((await nameOf(page, (await state(page)).root)) === "work", "the zoom stays");
  check((await page.evaluate(() => window.last.p)) === "work", "the state is reported");
  await page.evaluate(() => window.viewer.setState({ search: "left" }));
  check((await page.evaluate(() => window.pprofc.matches.length)) === 1, "the page can search");
  check(await page.evaluate(() => window.viewer.select("rest") && window.viewer.stats("rest").head === 100), "the page can select");
  await page.goto(url + "#^wo");
  await page.reload();
  await page.waitForFunction(() => window.viewer);
  check((await page.evaluate(() => window.viewer.state.sandwich)) === "work", "p= of pprof opens the sandwich");
  await page.evaluate(() => window.viewer.destroy());
  check((await page.$$(".pf")).length === 0, "the viewer goes away");
  check(page.complaints.length === 0, `mounted: ${page.complaints[0]}`);
  await page.context().close();
  server.close();
}

/** Checks the contrast of labels with their boxes, for each colouring, in light and dark mode. */
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
      const style = getComputedStyle(document.querySelector(".pf"));
      for (const [ink, page] of [["ink", "page"], ["soft", "page"], ["accent", "page"], ["ink", "panel"], ["worse", "page"], ["better", "page"]].map((pair) => pair.map((n) => "--pf-" + n))) {
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
  const outside = await page.$$eval("#frames > g", (all) => all.filter((g) => {
    const text = g.querySelector("text"), rect = g.querySelector("rect").getBBox(), box = text.getBBox();
    return text.textContent && (box.x < rect.x || box.x + box.width > rect.x + rect.width);
  }).length);
  check(outside === 0, `${outside} labels of the SVG run over their boxes`);
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

  const phone = await open(url, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await phone.waitForFunction(() => document.documentElement.classList.contains("live"));
  const seen = await phone.evaluate(() => {
    const room = document.documentElement.viewBox.baseVal.width, texts = [...document.querySelectorAll("#frames text")].filter((t) => t.textContent);
    const boxes = [...document.querySelectorAll("#frames rect, text")].map((e) => e.getBBox()).filter((b) => b.width);
    const over = texts.filter((t) => t.getBBox().width > t.parentNode.querySelector("rect").getBBox().width).length;
    return { room, over, labels: texts.length, wide: Math.max(...boxes.map((b) => b.x + b.width)), left: Math.min(...boxes.map((b) => b.x)) };
  });
  check(seen.room === 390 && seen.wide <= 391 && seen.left >= 0, `the SVG has the width of a phone: ${JSON.stringify(seen)}`);
  check(seen.labels > 10 && seen.over === 0, `its labels fit: ${JSON.stringify(seen)}`);
  if (shots) await phone.screenshot({ path: path.join(shots, "flame_svg_phone.png") });
  await phone.context().close();
}

// ---- names that contain code ------------------------------------------------------------------------------

async function testHostileNames() {
  const folded = path.join(work, "hostile.folded");
  const names = ["<script>window.hit=1</script>", "\"><img src=x onerror=window.hit=1>", "]]></script><script>window.hit=1</script>",
    "a".repeat(10000), "\u202Eright to left", "' & \\ `${window.hit=1}`", "--><svg onload=window.hit=1>"];
  const lines = names.map((name, i) => `main;${name.replaceAll(";", ":")} ${i + 3}\n`);
  fs.writeFileSync(folded, Buffer.concat([...lines.map((l) => Buffer.from(l)), Buffer.from("main;bad\xff\xfe utf 9\n", "latin1")]));
  const html = await open(make("hostile.html", "-flame", folded));
  await ready(html);
  await html.click("[data-flag=list]");
  check((await html.$$(".pf-functions tbody tr")).length === names.length + 2, "all names are listed");
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

/** Returns the milliseconds that this browser needs for a million entries of a map. Limits of time are multiples of
 * this. */
function speed() {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const t = performance.now(), map = new Map();
    for (let k = 0; k < 1e6; k++) map.set((k * 2654435761) % 4294967296, k);
    times.push(performance.now() - t);
  }
  return Math.min(...times);
}

/** Checks that a graph of about 800,000 frames loads and zooms fast. */
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
  const unit = await page.evaluate(speed);
  let load = Infinity;
  for (let i = 0; i < 3; i++) {
    await page.goto("about:blank");
    const start = Date.now();
    await page.goto(url);
    await ready(page);
    load = Math.min(load, Date.now() - start);
  }
  const zoom = await page.evaluate(() => {
    const app = window.pprofc, times = [];
    for (let i = 0; i < 12; i++) { // other programs may use the processor for a moment
      app.zoom(0);
      const t = performance.now();
      app.zoom(app.place.first[app.place.first[0]]);
      times.push(performance.now() - t);
    }
    return Math.min(...times);
  });
  const nodes = await page.evaluate(() => window.pprofc.view.n);
  console.log(`${nodes} frames: ${(size / 1e6).toFixed(2)} MB, load ${load} ms, zoom ${zoom.toFixed(0)} ms; a million entries of a map ${unit.toFixed(0)} ms`);
  check(nodes > 750000, `frames: ${nodes}`);
  check(size < 4e6, `size: ${size}`);
  check(load < 4 * unit && zoom < unit / 10, `load ${load} ms, zoom ${zoom} ms, a million entries of a map ${unit} ms`);
  quiet(page, "large page");
  await page.context().close();
}

const diff = ["-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"];
await testDiffPage(make("diff.html", "-flame", ...diff));
const diffUrl = make("layout.html", "-flame", ...diff), servers = ["-diff_base=server_cpu.pb.gz", "server_b_cpu.pb.gz"];
await testLayout(diffUrl);
await testLabels(make("servers.html", "-flame", ...servers));
await testManyLabels(make("many.html", "-flame", "server_cpu.pb.gz"));
await testSearch(pathToFileURL(path.join(work, "many.html")).href);
await testHistory(pathToFileURL(path.join(work, "many.html")).href);
await testNumbers(pathToFileURL(path.join(work, "many.html")).href);
await testStill(pathToFileURL(path.join(work, "many.html")).href, { width: 1280, height: 800 });
await testStill(diffUrl, { width: 1280, height: 800 });
await testStill(diffUrl, { width: 390, height: 844 });
await testPointers(pathToFileURL(path.join(work, "servers.html")).href);
await testMount(path.join(work, "layout.html"));
await testAxe(diffUrl);
await testPlainPage(make("server.html", "-flame", "server_cpu.pb.gz"));
await testSourcesAndLabels();
await testBottleneck();
await testContrast(make("contrast.html", "-flame", ...diff));
await testSvg(make("server.svg", "-flamegraph", "server_cpu.pb.gz"));
await testSvg(make("diff.svg", "-flamegraph", ...diff));
await testHostileNames();
await testLarge();
await browser.close();
console.log(`${check.count} passed, 0 failed`);
