// Tests the web page in a real browser: uses each control of each view once, and checks its effect.
//   node http.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { addressOf, becomes, begin, checking, findPackages, launch, skip } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, folders, work, shots } = begin("http", servers);

/** Starts pprofc -http. Resolves to the address of its views. */
async function serve(args, environment = {}) {
  const home = fs.mkdtempSync(path.join(work, "home"));
  const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...args], {
    cwd: testdata, env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, TZ: "UTC", ...environment },
  });
  servers.push(child);
  return { child, views: `${await addressOf(child)}/ui/` };
}

const command = (...args) => execFileSync(pprofc, args, { cwd: testdata, env: { ...process.env, TZ: "UTC" } }).toString();

const browser = await launch(folders);
const modules = findPackages(["playwright-core@1.58.2", "axe-core@4"], folders) ?? skip("no npm package axe-core");
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");
const check = checking(browser);

/** Opens a page in a separate context. An error message of the page fails the test. */
async function open(server, where, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  const page = await context.newPage();
  page.complaints = [];
  page.expectFailure = false;
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (m) => { if (m.type() === "error" && !page.expectFailure) page.complaints.push(m.text()); });
  await page.goto(server.views + where);
  if (options.javaScriptEnabled !== false) await page.waitForSelector("html.live");
  return page;
}

async function close(page, what) {
  check(!page.complaints.length, `${what}: ${page.complaints[0]}`);
  await page.context().close();
}

const shoot = async (page, name) => { if (shots) await page.screenshot({ path: path.join(shots, `http_${name}.png`) }); };
const at = (page) => new URL(page.url());
const parameter = (page, name) => at(page).searchParams.get(name);
const text = (page, selector) => page.locator(selector).first().innerText();
const count = (page, selector) => page.locator(selector).count();
const until = async (page, test, what) => check(await becomes(test), `${what}: ${page.url()}`);
const still = (page) => page.waitForFunction(() => !document.documentElement.hasAttribute("data-loading"));

/** Returns the names of the rows of -top. */
const topNames = (output) => output.split("\n").slice(output.split("\n").findIndex((l) => /flat%/.test(l)) + 1)
  .filter(Boolean).map((l) => l.replace(/^(\s*\S+){5}\s+/, "").replace(/ \((partial-)?inline\)$/, ""));
const rowNames = (page) => page.$$eval("#top tbody tr", (rows) => rows.map((r) => r.querySelector("a.name").textContent));

// ---- without a script ---------------------------------------------------------------------------------------

async function testWithoutScript(server) {
  const page = await open(server, "top?f=json", { javaScriptEnabled: false });
  check((await rowNames(page)).join() === topNames(command("-top", "-nodecount=500", "-focus=json", "generator_cpu.prof")).join(),
    "the rows of top are those of the command line");
  await page.click("#views a >> text=Peek");
  check(at(page).pathname.endsWith("/peek") && parameter(page, "f") === "json", "a link of a view keeps the filter");
  check((await count(page, ".peek a.name")) > 10, "names in peek are links");
  await page.click("a.pill");
  check(parameter(page, "f") === null, "a pill is a link that removes its filter");
  await page.goto(server.views + "top");
  await page.fill("#search input[name=f]", "Fingerprint");
  await page.press("#search input[name=f]", "Enter");
  check(parameter(page, "f") === "Fingerprint", "the search field is a form");
  await page.click("#options summary");
  await page.selectOption("#options select[name=g]", "lines");
  await page.click("#options button.main");
  check(parameter(page, "g") === "lines" && parameter(page, "f") === "Fingerprint", "the options are a form");
  check(/:\d+$/.test((await rowNames(page))[0]), "lines have numbers");
  for (const view of ["flamegraph", "graph", "source?f=RenderSource", "tags", "compare"]) {
    await page.goto(server.views + view);
    check((await text(page, "#view")).length > 20, `${view} says something without a script`);
  }
  await close(page, "without a script");
}

// ---- bar, keys, history -----------------------------------------------------------------------------------

async function testViews(server) {
  const page = await open(server, "top?f=json");
  check((await page.locator("#bar").boundingBox()).height < 60, "the bar is one row");
  await page.evaluate(() => { window.same = true; });
  const views = ["flamegraph", "top", "graph", "peek", "source", "disasm", "tags", "compare"];
  for (const [i, view] of views.entries()) {
    page.expectFailure = view === "disasm"; // the test data have no binary
    await page.keyboard.press(String(i + 1));
    await until(page, () => at(page).pathname.endsWith(`/${view}`), `key ${i + 1} shows ${view}`);
    await still(page);
    check(parameter(page, "f") === "json", `${view} keeps the filter`);
    check((await page.getAttribute(`#views a[data-view=${view}]`, "aria-current")) === "page", `${view} is marked`);
  }
  page.expectFailure = false;
  await page.goBack();
  await until(page, () => at(page).pathname.endsWith("/tags"), "back shows the view before");
  check(await page.evaluate(() => window.same), "views change without a reload");
  await page.keyboard.press("?");
  check(await page.isVisible("#keys"), "? shows the keys");
  await page.keyboard.press("Escape");
  check(!(await page.isVisible("#keys")), "Esc closes them");
  await page.keyboard.press("/");
  check(await page.evaluate(() => document.activeElement.name === "f"), "/ goes to the search field");
  // A view that arrives late keeps the focus.
  const later = (route) => setTimeout(() => route.continue(), 300);
  await page.route("**/top?*", later);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(String(1 + views.indexOf("top")));
  await page.keyboard.press("/");
  await until(page, () => at(page).pathname.endsWith("/top"), "the view arrives");
  await still(page);
  check(await page.evaluate(() => document.activeElement.name === "f"), "the search field keeps the focus");
  await page.unroute("**/top?*", later);
  await page.goBack();
  await until(page, () => at(page).pathname.endsWith("/tags"), "back shows the view before");
  await still(page);
  await close(page, "views");
}

async function testSearch(server) {
  const page = await open(server, "top");
  await page.fill("#search input[name=f]", "(unclosed");
  await until(page, async () => (await page.getAttribute("#search input", "aria-invalid")) === "true", "a broken expression is marked");
  check(/not an expression/.test(await text(page, "#matches")), "and said in words");
  await page.fill("#search input[name=f]", "(?i)JSON\\.");
  await until(page, async () => (await count(page, "#top tr.match")) > 5, "rows that match are marked while typing");
  const matches = await count(page, "#top tr.match");
  check((await text(page, "#matches")).startsWith(`${matches} match`), "their number is said");
  await page.locator("#search input[name=f]").blur();
  await page.keyboard.press("n");
  check((await count(page, "tr.here")) === 1, "n goes to the first match");
  await page.focus("#search input[name=f]");
  await page.keyboard.press("Escape");
  check((await page.inputValue("#search input[name=f]")) === "(?i)JSON\\." && (await count(page, "#top tr.match")) === matches, "Escape leaves the field and keeps the matches");
  await page.keyboard.press("Escape");
  check((await page.inputValue("#search input[name=f]")) === "" && (await count(page, "#top tr.match")) === 0, "a second Escape ends the search");
  await page.fill("#search input[name=f]", "json");
  await page.press("#search input[name=f]", "Enter");
  await until(page, () => parameter(page, "f") === "json", "Enter filters");
  await still(page);
  check(await page.evaluate(() => document.activeElement.name === "f"), "the field keeps the focus");
  check(/focus json/.test(await text(page, "#pills")), "the filter is a pill");
  page.expectFailure = true;
  await page.fill("#search input[name=f]", "(");
  await page.press("#search input[name=f]", "Enter");
  await until(page, async () => /missing closing/.test(await text(page, "#view")), "the server's reason is shown on the page");
  page.expectFailure = false;
  await page.click("a.pill");
  await until(page, () => parameter(page, "f") === null, "the pill removes it");
  await close(page, "search");
}

// ---- menus --------------------------------------------------------------------------------------------------

async function testMenus(server) {
  const page = await open(server, "top");
  await page.click("#types summary");
  await page.click("#types a >> text=samples");
  await until(page, () => parameter(page, "si") === "samples", "a sample type is chosen");
  await still(page);
  await page.click("#options summary");
  await page.fill("#options input[name=i]", "mallocgc");
  await page.fill("#options input[name=h]", "^runtime\\.");
  await page.check("#options input[name=noinlines]");
  await page.selectOption("#options select[name=sort]", "cum");
  await page.click("#options button.main");
  await until(page, () => parameter(page, "h") === "^runtime\\." && parameter(page, "sort") === "cum" && parameter(page, "noinlines") === "t",
    "options go into the address");
  await still(page);
  check((await count(page, "a.pill")) === 3, "each filter is a pill");
  await page.click("a.pill[data-parameter=h]");
  await until(page, () => parameter(page, "h") === null && parameter(page, "i") === "mallocgc", "pills are removed one by one");
  await still(page);

  // The copied command line prints the rows of the page.
  await page.click("#more summary");
  await page.click("[data-copy=command]");
  const line = await page.evaluate(() => navigator.clipboard.readText()).catch(() => text(page, "#command"));
  check(/^pprofc -top /.test(line), `the command: ${line}`);
  const printed = spawnSync("sh", ["-c", line.replace(/^pprofc/, `'${pprofc}'`)], { cwd: testdata, encoding: "utf8" });
  check(topNames(printed.stdout).join() === (await rowNames(page)).join(), `the command prints what the page shows: ${line}`);
  check(/File: generator\.test/.test(await text(page, "#about")), "the profile is described");
  for (const theme of ["dark", "light", "system"]) {
    await page.click(`[data-theme-choice=${theme}]`);
    const set = await page.evaluate(() => document.documentElement.dataset.theme ?? "system");
    check(set === theme, `the theme ${theme}`);
  }
  const profile = await page.request.get(server.views + "download");
  check(profile.status() === 200 && (await profile.body())[0] === 0x1f, "the profile can be downloaded");
  await close(page, "menus");
}

async function testSavedViews(server) {
  const page = await open(server, "top?f=json&g=lines");
  await page.click("#more summary");
  await page.click("#save");
  await page.fill("#save-form input[name=config]", "json lines");
  await page.keyboard.press("Enter");
  await until(page, async () => (await count(page, "#saved a >> text=json lines")) === 1, "a saved view is listed");
  await page.goto(`${server.views}peek`);
  await page.click("#more summary");
  await page.click("#saved a >> text=json lines");
  await until(page, () => parameter(page, "f") === "json" && parameter(page, "g") === "lines" && at(page).pathname.endsWith("/peek"),
    "a saved view can be chosen in every view");
  await still(page);
  await page.click("#more summary");
  await page.click("#saved .delete button");
  await until(page, async () => (await count(page, "#saved a >> text=json lines")) === 0, "and deleted");
  await close(page, "saved views");
}

// ---- the selection ------------------------------------------------------------------------------------------

async function testSelection(server) {
  const page = await open(server, "top");
  await page.click("#top tbody tr:nth-child(2) td:first-child");
  const name = await text(page, "#inspector h2");
  check(name === (await rowNames(page))[1], "a click on a row selects its function");
  check((await text(page, "[data-slot=total]")).length > 1, "the inspector has its values");
  check(/^\S+\.go:\d+ \(first line seen\)$/.test(await text(page, "[data-slot=place]")), "the first line of the function is unknown");
  check(parameter(page, "sel") === name, "the selection is in the address");
  await page.keyboard.press("ArrowDown");
  const next = await text(page, "#inspector h2");
  check(next === (await rowNames(page))[2], "the arrow selects the next row");
  await page.keyboard.press("y");
  await until(page, async () => /Name copied|does not allow/.test(await text(page, "body")), "y copies the name");
  await page.keyboard.press("3");
  await until(page, () => at(page).pathname.endsWith("/graph"), "the graph");
  await still(page);
  check((await text(page, "#inspector h2")) === next && parameter(page, "sel") === next, "the selection survives the view");
  check((await count(page, "#graph a.selected")) === 1, "its box is marked");
  await page.click("#inspector a[data-action=hide]");
  await until(page, () => parameter(page, "h")?.includes(next.split(".").pop()), "Hide hides what is selected");
  await still(page);
  check((await count(page, `#graph a[data-name="${next}"]`)) === 0, "it is gone from the graph");
  await page.click("a.pill[data-parameter=h]");
  await until(page, () => parameter(page, "h") === null, "and comes back");
  await still(page);
  await page.click("#inspector a[data-action=peek]");
  await until(page, () => at(page).pathname.endsWith("/peek"), "callers and callees");
  await still(page);
  await page.keyboard.press("Escape");
  check(!(await page.isVisible("#inspector")) && parameter(page, "sel") === null, "Esc clears the selection");
  await until(page, async () => (await count(page, ".peek .function")) === 50, "and Peek shows the first functions again");
  await close(page, "selection");
}

/** Checks that Callers, Source and Disassembly show the selected function, and keep the filter and its percentages. */
async function testSelectionIsNoFilter(server) {
  const name = "encoding/json.Marshal", page = await open(server, `top?f=json&sel=${encodeURIComponent(name)}`);
  for (const view of ["peek", "source"]) {
    await page.click(`#inspector a[data-action=${view}]`);
    await until(page, () => at(page).pathname.endsWith(`/${view}`), view);
    await still(page);
    check(parameter(page, "f") === "json" && parameter(page, "sel") === name, `${view} selects: ${page.url()}`);
    check((await text(page, "#pills")).startsWith("18.72s of 76.73s shown (24.40%)"), `${view} shows the same part: ${await text(page, "#pills")}`);
    const names = await page.$$eval(".peek .function, details.routine", (all) => all.map((e) => e.dataset.name));
    check(names.length > 0 && names.every((one) => one === name), `${view} shows ${names}`);
    const line = await page.textContent("#command");
    check(line.includes(`-${view === "peek" ? "peek" : "weblist"}=^encoding/json\\.Marshal`) && line.includes(" -focus=json"), `the command: ${line}`);
    await page.goBack();
    await until(page, () => at(page).pathname.endsWith("/top"), "back");
    await still(page);
  }
  const values = [];
  for (const view of ["top", "peek", "source"]) {
    await page.goto(`${server.views}${view}?sel=runtime.mallocgc`);
    await page.waitForSelector("html.live");
    values.push((await page.locator("#inspector dd").allInnerTexts()).filter(Boolean).join(" "));
  }
  check(values[0].startsWith("5.12s 15.69s") && values.every((one) => one === values[0]), `values of the whole function: ${values}`);
  await page.goto(`${server.views}source?sel=${encodeURIComponent(name)}`);
  await page.waitForSelector("html.live");
  await page.fill("#search input[name=f]", "RenderSource$");
  await page.press("#search input[name=f]", "Enter");
  await until(page, () => parameter(page, "f") === "RenderSource$" && parameter(page, "sel") === null, "a search replaces the selection");
  await still(page);
  page.expectFailure = true;
  await page.goto(`${server.views}peek?f=json&sel=nothing.here`);
  check((await page.locator(".failure a").allInnerTexts()).join() === "show all functions,start again without filters", "ways back from a function that is not there");
  await page.click(".failure a");
  await until(page, async () => (await count(page, ".peek .function")) > 5, "all functions");
  check(parameter(page, "f") === "json" && parameter(page, "sel") === null, "with the filter");
  await close(page, "selection is no filter");
}

// ---- views --------------------------------------------------------------------------------------------------

async function testTop(server) {
  const page = await open(server, "top");
  const before = await rowNames(page);
  await page.click("#top th button >> text=Function");
  const sorted = await rowNames(page);
  check(sorted.join() === [...before].sort((a, b) => a.localeCompare(b)).join(), "sorted by name");
  check((await page.getAttribute("#top th:last-child", "aria-sort")) === "ascending", "the order is said");
  const sums = await page.$$eval("#top tbody tr", (rows) => rows.map((r) => parseFloat(r.cells[2].textContent)));
  check(sums.every((s, i) => !i || s >= sums[i - 1] - 0.01), "the running sum follows the order");
  await page.click("#top th a >> text=Total");
  await until(page, () => parameter(page, "sort") === "cum", "sorted by total");
  await still(page);
  check((await rowNames(page)).join() === topNames(command("-top", "-cum", "-nodecount=500", "generator_cpu.prof")).join(), "as the command line");
  await page.click("#top a.name >> nth=3");
  await until(page, () => at(page).pathname.endsWith("/peek"), "a name leads to callers and callees");
  await still(page);
  check((await count(page, ".peek .own")) >= 1, "of that function");
  await close(page, "top");
}

const viewBox = (page) => page.$eval("#graph > svg", (svg) => svg.getAttribute("viewBox"));

/** Checks that the address has the position. Back undoes a zoom. Links to other views and filters do not keep the
 * position. */
async function testGraphPosition(page, what) {
  const shown = async () => (await viewBox(page)).split(" ").map((part) => Math.round(Number(part) / 10)).join();
  const kept = (text, name) => until(page, () => (parameter(page, "v") ?? "") !== text, `${what}: ${name}`);
  const whole = "0_0_1_1", first = await shown();
  await until(page, () => parameter(page, "v") === whole, `${what}: 0 is in the address`);
  await page.keyboard.press("+");
  await kept(whole, "a zoom is in the address");
  const zoomed = await shown();
  await page.keyboard.press("ArrowRight");
  await kept(parameter(page, "v"), "a move is in the address");
  const moved = await shown();
  await page.reload();
  await page.waitForSelector("html.live");
  check((await shown()) === moved && moved !== zoomed, `${what}: a link shows the same place: ${await shown()}, ${moved}`);
  const links = await page.$$eval("#views a, a.pill, #sides a, #types a", (all) => all.map((a) => a.getAttribute("href")).filter((href) => /[?&]v=/.test(href)));
  check(!links.length, `${what}: links keep the position: ${links}`);
  await page.goBack();
  await until(page, async () => (await shown()) === first, `${what}: back undoes the zoom`);
  await page.focus("#graph");
}

async function testGraph(server, own) {
  const page = await open(server, "graph");
  const what = own ? "our drawing" : "the drawing of dot";
  check((await count(page, "#graph a[data-name]")) > 20, `${what} has boxes`);
  check(/without graphviz/.test(await text(page, "#view")) === own, "the page says who has drawn it");
  let before = await viewBox(page);
  const changed = async (name) => {
    await until(page, async () => (await viewBox(page)) !== before, `${what}: ${name}`);
    before = await viewBox(page);
  };
  const box = await page.locator("#graph").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -300);
  await changed("the wheel zooms");
  check(await page.isVisible("#minimap"), `${what}: a minimap when zoomed`);
  await page.mouse.move(box.x + 40, box.y + box.height - 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 140, box.y + box.height - 120, { steps: 4 });
  await page.mouse.up();
  await changed("dragging moves");
  await page.focus("#graph");
  for (const [key, name] of [["ArrowRight", "arrows move"], ["+", "+ zooms in"], ["-", "- zooms out"], ["0", "0 shows all"]]) {
    await page.keyboard.press(key);
    await changed(name);
  }
  await testGraphPosition(page, what);
  await page.click("#graph a[data-name] >> nth=5");
  const name = await text(page, "#inspector h2");
  check(name.length > 2 && at(page).pathname.endsWith("/graph"), `${what}: a click selects`);
  await shoot(page, own ? "graph_own" : "graph");
  await page.focus("#graph a[data-name] >> nth=5").catch(() => page.evaluate(() => document.querySelectorAll("#graph a[data-name]")[5].focus()));
  await page.keyboard.press("Enter");
  await until(page, () => at(page).pathname.endsWith("/peek"), `${what}: Enter leads to callers and callees`);
  await close(page, what);
}

async function testSource(server) {
  const page = await open(server, "source");
  check((await count(page, "details.load")) === 50, "the hottest functions are listed");
  await page.fill("#search input[name=f]", "RenderSource$");
  await page.press("#search input[name=f]", "Enter");
  await until(page, () => parameter(page, "f") === "RenderSource$", "a function is searched for");
  await still(page);
  const source = fs.readFileSync(path.join(testdata, "generator", "original.go"), "utf8").split("\n");
  const line = source.findIndex((l) => /sourceTemplate\.Execute/.test(l));
  check((await text(page, ".code")).includes(source[line].trim()), "its lines are there");
  check((await count(page, ".code .h4")) >= 1, "hot lines are marked");
  await page.locator("#search input[name=f]").blur();
  await page.keyboard.press("n");
  check((await count(page, ".l.here")) === 1, "n goes to a hot line");
  await page.goto(`${server.views}source`);
  await page.waitForSelector("html.live");
  await page.locator("details.load summary").first().click({ position: { x: 2, y: 8 } });
  await until(page, async () => (await count(page, "details.load .routine")) >= 1, "a function unfolds on demand");
  await close(page, "source");
}

async function testTags(server) {
  const page = await open(server, "tags");
  check((await count(page, "section.key")) >= 1, "labels are listed");
  const key = await text(page, "section.key h2");
  const cost = await text(page, "section.key tbody td");
  await page.click("section.key tbody a >> text=only");
  await until(page, () => parameter(page, "tf")?.startsWith(`${key}=`), "a value filters");
  await still(page);
  check((await text(page, "section.key tbody td")) === cost && (await count(page, "section.key:first-of-type tbody tr")) === 1, "only that value is left");
  await page.click("a.pill");
  await until(page, () => parameter(page, "tf") === null, "the filter is removed");
  await still(page);
  await page.click("section.key a >> text=As root of the stacks");
  await until(page, () => parameter(page, "tagroot") === key, "a label becomes the root");
  await still(page);
  await page.keyboard.press("2");
  await until(page, () => at(page).pathname.endsWith("/top"), "top");
  await still(page);
  check(parameter(page, "tagroot") === key, "in every view");
  await close(page, "tags");
}

/** Checks the labels of a difference: an index, and a filter of labels and values. */
async function testKeys(server) {
  const page = await open(server, "tags"), seen = (what) => page.$$eval(what, (all) => all.filter((e) => e.checkVisibility()).map((e) => e.textContent));
  check((await seen(".keys a")).map((name) => name.split(" ")[0]).join() === (await seen(".key h2")).join(), "an index of the labels");
  await page.fill("#key-filter", "ACORN");
  check((await seen(".key h2")).join() === "tenant" && (await seen(".key td.name")).join() === "acorn", `the filter: ${await seen(".key td.name")}`);
  await page.fill("#key-filter", "endpoint");
  check((await seen(".key h2")).join() === "endpoint" && (await seen(".key td.name")).length === 3, "a label shows its values");
  await page.fill("#key-filter", "");
  check((await seen(".key h2")).length === 4, "all come back");
  await page.click(".keys a >> text=tenant");
  check(new URL(page.url()).hash === "#key-3" && (await page.locator("#key-3").isVisible()), "a link goes to a label");
  await close(page, "labels of a difference");
}

async function testDifference(server) {
  const page = await open(server, "top");
  check(/base generator_cpu\.prof 76\.73s, head generator_optimized_cpu\.prof 5\.33s/.test(await text(page, "#pills")), "both totals are said, with the names of the files");
  const row = (await page.$$eval("#top tbody tr:first-child td", (cells) => cells.map((c) => c.textContent.trim()))).join(" | ");
  check(/^5\.12s \| 0\.05s \| -5\.07s ±1\.31s \| ▼ -99% \| shrank, as everything did \| runtime\.mallocgc$/.test(row), `base, head, change and verdict: ${row}`);
  const judged = command("-symbolize=none", "-top", "-noise", "-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof");
  check((await text(page, "#sentence")) === judged.split("\n")[0], "the sentence of -noise comes first");
  check(!(await page.getByText("noise between runs is unknown").isVisible()), "runs and noise are folded");
  await page.click("#judged summary");
  check(await page.getByText("noise between runs is unknown").isVisible(), "they unfold: what a pair cannot know");
  check(await page.getByText("Common: all functions: -93.1%").isVisible(), "with the common factor");
  const found = Number(/Judged: \d+ functions, (\d+) changed/.exec(judged)[1]);
  // The chips count recorded changes. The counts equal the rows that -noise=WORD prints.
  const listed = (word) => command("-symbolize=none", "-top", `-noise=${word}`, "-nodecount=0", "-nodefraction=0", "-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof").split(/change%.*\n/)[1].trim().split("\n").length - 1;
  const counts = (await text(page, ".filters[aria-label^=Direction]")).replace(/\s+/g, " ");
  check(counts.startsWith("recorded: all 663 ") && ["grew", "shrank", "new", "gone"].every((word) => counts.includes(` ${word} ${listed(word)}`)), `counts of recorded changes are named so: ${counts}`);
  check((await text(page, ".filters[aria-label^=Certainty]")).trim() === `beyond noise ${found}`, "the count of what is more than noise");
  await page.click(".filters a >> text=beyond noise");
  await until(page, () => parameter(page, "only") === "significant", "only what is significant");
  await still(page);
  const sure = await page.$$eval("#top tbody td.verdict", (cells) => cells.map((c) => c.textContent));
  check(found > 0 && sure.length === found && !sure.some((word) => /unchanged|everything/.test(word)), `significant is what -noise finds: ${sure.length} of ${found}`);
  await shoot(page, "top_diff");
  for (const [kind, status] of [["grew", "grew"], ["shrank", "shrank"], ["new", "new"], ["gone", "gone"]]) {
    await page.click(`.filters a >> text=${kind}`);
    await until(page, () => parameter(page, "only") === kind, `only what ${kind}`);
    await still(page);
    const seen = await page.$$eval("#top tbody tr", (rows) => [...new Set(rows.map((r) => r.dataset.status))]);
    check(seen.join() === status, `${kind}: ${seen}`);
  }
  await page.click("#sides a >> text=Base");
  await until(page, () => parameter(page, "side") === "base", "the base alone");
  await page.goto(`${server.views}top?side=base`);
  await page.waitForSelector("html.live");
  check((await rowNames(page)).join() === topNames(command("-top", "-nodecount=500", "generator_cpu.prof")).join(), "as the command line prints it");
  const baseCommand = await page.textContent("#command");
  check(/^pprofc -top.* generator_cpu\.prof$/.test(baseCommand) && !/optimized|diff_base/.test(baseCommand), `the command for the base: ${baseCommand}`);
  await page.keyboard.press("h");
  await until(page, () => parameter(page, "side") === "head", "h shows the head");
  await page.goto(`${server.views}top?side=head`);
  const headCommand = await page.textContent("#command");
  check(/ generator_optimized_cpu\.prof$/.test(headCommand) && !headCommand.includes("diff_base"), `the command for the head: ${headCommand}`);
  await page.keyboard.press("d");
  await until(page, () => parameter(page, "side") === null, "d shows the difference");
  await page.goto(`${server.views}graph`);
  const boxes = await page.$$eval("#graph a[data-name], .boxes a.name", (links) => links.map((a) => a.dataset.name ?? a.textContent));
  for (const name of ["runtime.mallocgc", "runtime.scanobject", "runtime.memmove"])
    check(boxes.includes(name), `what changed most is in the graph: ${name}`);
  for (const view of ["peek", "source"]) {
    await page.goto(`${server.views}${view}?f=${encodeURIComponent("^runtime\\.memmove$")}`);
    await page.waitForSelector("html.live");
    const wrong = await page.$$eval(".peek .l:not(.h0, .own)", (lines) => lines.filter((l) => l.classList.contains("less") !== /^\s*-/.test(l.textContent)).length);
    check(!wrong && (view !== "peek" || (await count(page, ".l.less")) > 3), `${view}: what costs less is blue: ${wrong}`);
    const blue = await page.$$eval(".l.less", (lines) => lines.map((l) => getComputedStyle(l).borderLeftColor));
    check(new Set(blue).size <= 1, `${view}: one colour of savings: ${blue}`);
  }
  await page.goto(`${server.views}compare`);
  check(/76\.73s[\s\S]*5\.33s[\s\S]*-71\.40s/.test(await text(page, "#view")), "compare has both totals");
  check((await count(page, "#view tr[data-status=shrank], #view tr[data-status=gone]")) === 10, "and the largest changes");
  check((await count(page, "#view td.verdict")) > 10, "with their verdicts");
  await page.click(".choose ul:last-of-type a >> text=generator_cpu.prof");
  await until(page, () => parameter(page, "head") !== null, "another head");
  await still(page);
  check(/no change/.test(await text(page, "#pills")), "the base is compared with itself");
  await shoot(page, "compare");
  await close(page, "difference");
}

// ---- the flame graph in the page ----------------------------------------------------------------------------------

const drawn = (page) => page.waitForSelector("#flame.drawn .pf-graph");
const flame = (page, run, argument) => page.evaluate(`(${run})(page.flame.app, ${JSON.stringify(argument)})`);

/** Checks the flame graph: a function that changed as the whole program did is pale, as in -flame -noise. The viewer has
 * the theme of the page, and touch works. */
async function testFlame(plain, diff) {
  let page = await open(diff, "flamegraph");
  await drawn(page);
  const look = (name) => flame(page, "(a, n) => a.look(a.view, a.nodeOfName(n, (i) => a.place.width[i]), a.place)", name);
  const shared = await look("testing.(*B).launch"), gone = await look("text/template.(*Template).Execute");
  check(shared.sign === "▼ " && shared.bar < 0 && gone.sign === "− " && gone.bar < 0 && gone.color !== shared.color, `what all share is pale, what is gone is not: ${JSON.stringify([shared, gone])}`);
  check(/8 of \d+ functions changed/.test(await page.textContent(".pf-banner")), "the banner says what was found");
  check((await page.textContent(".pf-banner b")).endsWith(await text(page, "#sentence")), "its sentence is the sentence of the table");
  const changes = await page.$$eval(".pf-changes li", (all) => all.map((e) => e.querySelector("b").textContent));
  check(changes.length === 10 && changes[0].includes("±") && changes.includes("+170ms vs rest"), `an interval with 0 is not shown beside a certain change: ${changes}`);
  await flame(page, "(a) => a.select(a.nodeOfName('example.com/generator.mix', () => 1), true)");
  await until(page, async () => /±.*new/s.test(await text(page, ".pf-inspector")), "the inspector has the interval and the verdict");
  await page.click("input[data-flag=judged]");
  check((await look("testing.(*B).launch")).sign === "▼ ", "the switch shows all changes");
  await until(page, () => new URLSearchParams(parameter(page, "v")).get("judged") === "0", "the address keeps the switch");
  await page.reload();
  await drawn(page);
  check(!(await page.isChecked("input[data-flag=judged]")), "a reload keeps the switch");
  await page.click("#sides a:has-text('Head')");
  await until(page, () => page.isDisabled("input[data-flag=judged]"), "head alone has no verdicts");
  await close(page, "verdicts");

  // A theme that the user sets on the page has priority over the theme of the system.
  page = await open(diff, "flamegraph");
  await drawn(page);
  const inks = () => page.evaluate(() => ["--pf-ink", "--pf-noise"].map((name) => getComputedStyle(document.querySelector(".pf")).getPropertyValue(name).trim()));
  const light = await inks();
  const quiet = await flame(page, "(a, ink) => { for (let i = 1; i < a.view.n; i++) if (a.place.width[i] && a.look(a.view, i, a.place).color === ink) return a.label(a.view.frame[i]); }", light[1]);
  check(quiet, `a box without a change beyond noise is grey: ${light[1]}`);
  const grey = (await look(quiet)).color;
  await page.evaluate(() => { document.documentElement.dataset.theme = "dark"; });
  await until(page, async () => (await look(quiet)).color !== grey, "the boxes follow the theme at once");
  check((await inks())[0] !== light[0] && (await inks())[1] !== light[1], `dark: ${await inks()}`);
  await close(page, "theme");

  // Without a base the page has only the graph.
  page = await open(plain, "flamegraph");
  await drawn(page);
  const widths = await page.evaluate(() => [document.querySelector(".pf-graph").clientWidth, document.querySelector("#flame").clientWidth]);
  check(widths[1] - widths[0] < 40, `the graph has the whole width: ${widths}`);
  // A selection does not move the inspector, and the actions of the inspector are the actions of the page.
  const spot = () => page.evaluate(() => { const c = document.querySelector(".pf-graph").getBoundingClientRect(); return [c.left, c.top, c.width, c.height].join(); });
  const place = await spot();
  await flame(page, "(a) => a.select(a.nodeOfName('strings.ToUpper', () => 1), true, true)");
  check((await spot()) === place && !(await page.isVisible("#inspector")), `selecting moves nothing: ${place} ${await spot()}`);
  check((await text(page, ".pf-inspector h2")).startsWith("strings.ToUpper"), "the inspector names the function");
  check((await page.getAttribute(".pf-actions [data-do=source]", "href")).includes("source?") , "a link to the source");
  await page.locator(".pf-graph").focus();
  await page.keyboard.press("f");
  await until(page, () => parameter(page, "f") === "^strings\\.ToUpper$", "f keeps the stacks through it, as the page's filter");
  await page.goBack();
  await until(page, () => parameter(page, "f") === null, "back removes the filter");
  await still(page);
  await drawn(page);

  // Percentages refer to the profile's total on each page, also with a filter. The page states the share of the filter
  // once.
  const shares = async () => Object.fromEntries(await flame(page, "(a) => a.functionRows().map((r) => [a.label(r.frame), (100 * r.head / a.whole.head).toFixed(2)])"));
  const without = await shares();
  await page.goto(`${plain.views}flamegraph?f=json`);
  await drawn(page);
  const inFilter = await shares(), json = "encoding/json.Marshal", printed = command("-top", "-focus=json", "-nodecount=500", "-symbolize=none", "generator_cpu.prof");
  check(inFilter[json] === without[json] && inFilter["testing.(*B).launch"] !== without["testing.(*B).launch"], `${json}: ${inFilter[json]} and ${without[json]}`);
  const other = printed.split("\n").map((line) => / ([\d.]+)% {2}(\S+)$/.exec(line)).find((m) => m && Math.abs(m[1] - inFilter[m[2]]) > 0.0051);
  check(!other, `-top -focus=json says ${other?.slice(1)}, the flame graph ${inFilter[other?.[2]]}`);
  check(/18\.72s of 76\.73s shown \(24\.40%\)/.test(await text(page, "#pills")), `the pills: ${await text(page, "#pills")}`);
  check((await text(page, ".pf-shown")) === "shown 18.72s (24.40%)", "the second total has a name");
  await page.goBack();
  await drawn(page);

  // Zoom, selection and colour are entries of the history in the same document.
  const name = "example.com/generator.RenderSource", state = () => flame(page, "(a) => [a.selectedName, a.label(a.view.frame[a.root]), a.state.color].join(' ')");
  await flame(page, `(a) => a.select(a.nodeOfName('${name}', () => 1), true)`);
  const steps = [await state()];
  await flame(page, "(a) => a.zoom(a.selected)");
  steps.push(await state());
  await flame(page, "(a) => a.set({ color: 'origin' })");
  check(parameter(page, "p") === name && parameter(page, "sel") === name, `the address can be read: ${page.url()}`);
  const address = page.url();
  await page.evaluate(() => { window.same = document.querySelector(".pf-graph"); });
  for (const step of [1, 0]) {
    await page.goBack();
    await until(page, async () => (await state()) === steps[step], `back to ${steps[step]}`);
  }
  check(await page.evaluate(() => window.same === document.querySelector(".pf-graph")), "the graph stays");
  check((await text(page, ".pf-inspector h2")).startsWith(name), "the inspector follows");
  await page.goto(address);
  await drawn(page);
  check((await state()) === `${name} ${name} origin`, `a link shows the same: ${await state()}`);
  await flame(page, "(a) => a.reset()");
  await flame(page, "(a) => a.reset()");

  // Keys are the same as in the page of -flame. The context menu has the filters of the page.
  await until(page, () => page.evaluate(() => document.activeElement.classList.contains("pf-graph")), "the graph has the focus");
  await page.keyboard.press("?");
  check((await page.$eval("#keys", (d) => d.scrollTop)) === 0, "the sheet begins with its first key");
  const sheet = await page.$$eval("#keys .live div", (all) => all.map((row) => row.textContent));
  const own = await page.evaluate(() => page.flame.keys().map((row) => row.join("")));
  check(own.length > 20 && own.every((row) => sheet.includes(row)), `the sheet has the keys of the viewer: ${sheet}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("json");
  await until(page, async () => /^\d+ matches, [\d.]+s, [\d.]+%/.test(await text(page, "#matches")), "the matches are counted");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  check(/^2 of \d+, [\d.]+s, /.test(await text(page, "#matches")), `Enter leads on: ${await text(page, "#matches")}`);
  const searched = async () => [await page.inputValue("#search input[name=f]"), await flame(page, "(a) => a.state.search"), (await text(page, "#matches")).replace(/ of .*/, "")].join();
  await page.keyboard.press("Escape");
  check((await searched()) === "json,json,2", `Escape leaves the field and keeps the matches: ${await searched()}`);
  while (await flame(page, "(a) => a.isZoomed()")) await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  check((await searched()) === ",,", `the next Escape ends the search: ${await searched()}`);
  await page.keyboard.press("/");
  await page.keyboard.type("json");
  await page.keyboard.press("Enter");
  await page.click("#matches button");
  await until(page, () => parameter(page, "f") === "(?i)json", "only these");
  await still(page);
  await page.goBack();
  await until(page, () => parameter(page, "f") === null, "back removes it");
  await still(page);
  await drawn(page);
  await flame(page, "(a) => a.select(a.nodeOfName('example.com/generator.RenderSource', () => 1), true, true)");
  await page.locator(".pf-graph").dispatchEvent("contextmenu");
  const entries = await page.$$eval(".pf-context button", (all) => all.map((e) => e.textContent));
  check(entries.join() === "Source,Focus,Ignore,Hide,Show from,Copy name", `the menu: ${entries}`);
  await page.click("[data-menu=ignore]");
  await until(page, () => parameter(page, "i") === "^example\\.com/generator\\.RenderSource$", "Ignore is the page's filter");
  await still(page);
  await page.goBack();
  await until(page, () => parameter(page, "i") === null, "back removes it");
  await still(page);
  await drawn(page);
  const shown = () => flame(page, "(a) => ({ left: a.drawing.left, span: a.drawing.span, whole: a.place.width[0] })");
  const map = await page.locator(".pf-minimap");
  check(!(await map.isVisible()), "no map of a whole graph");
  await page.locator(".pf-graph").focus();
  await page.keyboard.press("+");
  check(await map.isVisible(), "a zoomed graph has a map");
  const box = await map.boundingBox(), before = await shown();
  await page.mouse.click(box.x + box.width - 5, box.y + 20);
  check((await shown()).left > before.left && (await shown()).span === before.span, "a click into the map goes there");
  await page.mouse.move(box.x + box.width - 5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + 20, { steps: 3 });
  await page.mouse.up();
  check((await shown()).left < 0.01 * before.whole, "the map can be dragged");
  await page.keyboard.press("Escape");
  await page.locator(".pf-graph").focus();
  await page.keyboard.press("0");
  const walked = [];
  for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]) {
    await page.keyboard.press(key);
    walked.push(await flame(page, "(a) => a.selected"));
  }
  check(new Set(walked).size === 3 && walked[0] === walked[2] && walked[0] === walked[4], `arrows walk the boxes: ${walked}`);
  await close(page, "map and arrows");

  // Touch events as the browser reports them.
  page = await open(plain, "flamegraph", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await drawn(page);
  const canvas = await page.locator(".pf-graph").boundingBox(), y = canvas.y + 60;
  const fingers = await page.context().newCDPSession(page);
  const touch = (type, ...xs) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x: canvas.x + x, y, id })) });
  const whole = await shown();
  await touch("touchStart", 140, 200);
  for (let i = 1; i <= 6; i++) await touch("touchMove", 140 - 10 * i, 200 + 10 * i);
  await touch("touchEnd");
  const pinched = await shown();
  check(pinched.span < 0.5 * whole.span && pinched.left > 0, `two fingers zoom: ${pinched.span / whole.span}`);
  check((await page.evaluate(() => visualViewport.scale)) === 1, "and not the page");
  await touch("touchStart", 100);
  for (let i = 1; i <= 6; i++) await touch("touchMove", 100 + 20 * i);
  await touch("touchEnd");
  check((await shown()).left < pinched.left && (await shown()).span === pinched.span, "one finger moves the graph");
  await close(page, "fingers");

  // The row of views scrolls to the current view. A difference has no green and red.
  page = await open(diff, "compare", { viewport: { width: 390, height: 844 } });
  const link = await page.locator("#views a[aria-current]").boundingBox();
  check(link.x >= 0 && link.x + link.width <= 390, `Compare is in sight: ${JSON.stringify(link)}`);
  await close(page, "phone");
  page = await open(diff, "graph");
  const colors = await page.$$eval("#graph .node polygon", (all) => all.map((e) => e.getAttribute("stroke")));
  const green = colors.filter((c) => /^#/.test(c) && parseInt(c.slice(3, 5), 16) > Math.max(parseInt(c.slice(1, 3), 16), parseInt(c.slice(5), 16)));
  check(!green.length, `colours of the graph of a difference: ${green[0]}`);
  await close(page, "colours");
}

/** Checks a profile that is so large that the picture appears before the table of functions. */
async function testLarge() {
  const file = path.join(work, "large.folded");
  fs.writeFileSync(file, Array.from({ length: 25000 }, (_, i) => `main;work_${i % 100};leaf_${i} ${1 + i % 7}\n`).join(""));
  const server = await serve([file]);
  const text = async (where) => (await fetch(server.views + where)).text();
  const light = await text("flamegraph"), whole = await text("flamegraph?sel=leaf_3");
  check(!light.includes("<table") && light.includes("25000 recorded stacks"), "the document of a large profile comes without the table");
  check(whole.includes("<table id=top") && /id=inspector(?! hidden)/.test(whole), "it has the table when a function is selected");
  const page = await open(server, "flamegraph");
  await drawn(page);
  await page.waitForSelector("#functions tr[data-name^=leaf]", { state: "attached" });
  check((await count(page, "#later")) === 0 && !(await page.isVisible("#functions")), "the table follows the picture");
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name.replace(/^.*\//, "")));
  check(asked.filter((name) => name.startsWith("flamedata")).length === 1, `the data are sent once: ${asked}`);
  await close(page, "a large profile");
  const still = await open(server, "flamegraph", { javaScriptEnabled: false });
  await still.click("#later");
  await still.waitForSelector("#functions tr[data-name]");
  await still.waitForLoadState("load");
  check((await count(still, "#functions tr[data-name]")) === 500, "without a script a link shows the table");
  await close(still, "a large profile without a script");
  const broken = await open(server, "top");
  await broken.route("**/flamedata*", (route) => route.abort());
  broken.expectFailure = true;
  await broken.goto(server.views + "flamegraph");
  await broken.waitForSelector("#functions tr[data-name^=leaf]");
  await close(broken, "a large profile whose data do not come");
}

// ---- accessibility, phones --------------------------------------------------------------------------------

/** Checks that only an option without effect on the view has a note beside its name. */
async function testEffects(server) {
  const options = { n: "5", nf: "0.2", ef: "0.2", calltree: "t", mean: "t", dropneg: "t", g: "files", i: "mallocgc" };
  const content = async (view, query) => {
    const html = await (await fetch(`${server.views}${view}?${query}`)).text();
    const main = html.slice(html.indexOf("<main"), html.indexOf("</main>")).replace(/<[^>]*>/g, "");
    return view === "flamegraph" ? Buffer.from(await (await fetch(`${server.views}flamedata?${query}`)).arrayBuffer()).toString("hex") : main;
  };
  for (const view of ["flamegraph", "top", "peek", "source", "tags"]) {
    const page = await open(server, `${view}?${new URLSearchParams(options)}`), plain = await content(view, "");
    for (const [name, value] of Object.entries(options)) {
      const note = await page.$eval(`.pill[data-parameter=${name}]`, (pill) => getComputedStyle(pill, "::after").content);
      const changes = (await content(view, `${name}=${value}`)) !== plain;
      check(!(changes && note !== "none"), `${view}: ${name} changes the view, and the page says the opposite`);
      check(changes || note !== "none" || ["peek", "source"].includes(view) && ["g", "dropneg"].includes(name) || view === "top" && ["dropneg", "ef"].includes(name), `${view}: ${name} has no effect, and the page does not say so`);
    }
    await close(page, `effects in ${view}`);
  }
}

/** Checks the page with axe. */
async function accessible(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations
    .map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`));
  check(!found.length, `${where}: ${found.join("; ")}`);
}

async function testPeople(plain, diff, tags) {
  const pages = [[plain, "top"], [plain, "graph"], [plain, "peek?f=mallocgc"], [plain, "source?f=RenderSource"], [plain, "source"],
    [plain, "tags"], [diff, "top?sel=runtime.mallocgc"], [diff, "compare"], [diff, "flamegraph"],
    [plain, "flamegraph"], [plain, "disasm?f=RenderSource"], [diff, "graph"], [diff, "peek?f=mallocgc"], [tags, "tags"]];
  for (const colorScheme of ["light", "dark"])
    for (const [server, where] of pages) {
      const page = await open(server, where, { colorScheme });
      if (where.startsWith("disasm")) page.complaints.length = 0; // the machine does not have the profile's binary
      if (where === "flamegraph") await drawn(page);
      await accessible(page, `${where}, ${colorScheme}`);
      await shoot(page, `${where.replace(/\W+/g, "_")}_${colorScheme}`);
      await close(page, where);
    }
  const phone = [...pages, [plain, "peek?f=mallocgc&sel=runtime.mallocgc"], [diff, "peek?f=mallocgc&sel=runtime.mallocgc"], [plain, "source?sel=runtime.mallocgc"]];
  let inspected = 0;
  for (const [server, where] of phone) {
    const page = await open(server, where, { viewport: { width: 390, height: 844 } });
    if (where.startsWith("disasm")) page.complaints.length = 0;
    if (where === "flamegraph") await drawn(page);
    check((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= 390, `${where} fits on a phone`);
    check(await page.isVisible("#search input[name=f]"), `${where}: the search field is there on a phone`);
    const wide = await page.$$eval(".rows, .peek", (all) => all.map((e) => e.closest(".scroll")).filter((e) => e?.scrollWidth > e?.clientWidth + 1).length);
    check(!wide, `${where}: ${wide} tables scroll sideways on a phone`);
    const inspector = where.includes("sel=") ? await page.locator("#inspector").evaluate((box) => ({
      height: box.offsetHeight, cut: box.scrollHeight > box.clientHeight, name: box.querySelector("h2").textContent,
      values: [...box.querySelectorAll("dd")].filter((d) => d.checkVisibility()).length })) : null;
    if (inspector) inspected++;
    check(!inspector || (inspector.height > 80 && inspector.height <= 0.3 * 844 && !inspector.cut && inspector.values >= 2),
      `${where}: the inspector covers at most 30 % of a phone and shows all values: ${JSON.stringify(inspector)}`);
    // The page has one sentence, and the folded notes below it: at most five lines on a phone.
    check(!(await page.$("#judged details[open]")), `${where}: the notes are folded`);
    check((await page.$$eval("#judged", (all) => all[0]?.offsetHeight ?? 0)) < 130, `${where}: the sentence takes few lines`);
    await accessible(page, `${where} on a phone`);
    await shoot(page, `${where.replace(/\W+/g, "_")}_phone`);
    await close(page, `${where} on a phone`);
  }
  check(inspected === 4, `${inspected} inspectors on a phone`);
  for (const [server, where] of [[diff, "flamegraph?sel=runtime.mallocgc"], [plain, "flamegraph?sel=runtime.mallocgc"], [diff, "top?sel=runtime.mallocgc"], [diff, "compare"]]) {
    const page = await open(server, where, { viewport: { width: 768, height: 1000 } });
    if (where.startsWith("flame")) await drawn(page);
    const parts = await page.$$eval(".pf-inspector > *, .pf-under > *, #inspector > *", (all) => all.filter((e) => e.checkVisibility() && e.offsetWidth && !e.matches(".pf-close, .close"))
      .map((e) => ({ name: e.className || e.localName, box: e.getBoundingClientRect() })));
    const over = parts.filter(({ box }) => box.right > 769).map((p) => p.name);
    const meets = parts.filter((a, i) => parts.some((b, j) => j > i && a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1)).map((p) => p.name);
    check((parts.length >= 3 || where === "compare") && !over.length && !meets.length, `${where} on a tablet: beyond the window ${over}, overlapping ${meets}`);
    check(!(await page.$$eval(".rows", (all) => all.filter((e) => e.closest(".scroll")?.scrollWidth > e.closest(".scroll")?.clientWidth + 1).length)), `${where} on a tablet: no table scrolls sideways`);
    await page.click("#more summary");
    const ends = await page.$$eval("#command span", (all) => all.filter((w, i) => i && w.offsetTop > all[i - 1].offsetTop).length), { height } = await page.locator("#command").boundingBox();
    check(ends > 0 && height < 20 * (ends + 2), `${where}: the command is wrapped between words: ${ends}, ${height}`);
    await close(page, `${where} on a tablet`);
  }
  for (const width of [1061, 1240]) {
    const page = await open(diff, "flamegraph?sel=runtime.mallocgc", { viewport: { width, height: 800 } });
    await drawn(page);
    const [values, callers] = await page.$$eval(".pf-values table, .pf-sandwich", (all) => all.map((e) => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]));
    check(values[1] <= callers[0], `at ${width} pixels the values end at ${values[1]}, and the callers begin at ${callers[0]}`);
    await close(page, `values at ${width} pixels`);
  }
  let page = await open(await serve(["server_cpu.pb.gz"]), "tags");
  const bars = await page.$$eval(".rows.tags", (all) => all.map((t) => t.querySelector("meter").getBoundingClientRect().left - t.querySelector("th:nth-child(3)").getBoundingClientRect().left));
  check(bars.length > 1 && bars.every((d) => d >= 0 && d < 14), `bars stand below their title: ${bars}`);
  const shares = await page.$$eval(".rows.tags tbody tr", (all) => all.map((tr) => [Number.parseFloat(tr.querySelector(".share").textContent), 100 * tr.querySelector("meter").value]));
  check(shares.length > 5 && shares.every(([said, drawn]) => Math.abs(said - drawn) < 0.1), `bars and percentages are of the total: ${JSON.stringify(shares)}`);
  await page.goto(`${plain.views}compare`);
  check((await text(page, ".choose ul")) === "no other profile is loaded", "a profile is not offered for a comparison with itself");
  await close(page, "tags, compare");
  page = await open(diff, "top");
  await page.emulateMedia({ media: "print" });
  check(!(await page.isVisible("#views")) && (await page.isVisible("#top")), "print has the table and no controls");
  await page.goto(diff.views + "flamegraph");
  await drawn(page);
  check((await page.isVisible(".pf-graph")) && !(await page.isVisible(".pf-menu")), "print has the flame graph and no controls");
  await close(page, "print");
}

/** Checks that the page fills a window of 900 pixels, also after a selection, and that a range of time is named as in
 * the flame graph. */
async function testTablet(diff) {
  let page = await open(diff, "flamegraph", { viewport: { width: 900, height: 840 } });
  await drawn(page);
  const end = () => page.$eval(".pf-inspector", (e) => Math.round(e.getBoundingClientRect().bottom));
  check((await end()) === 840, `the inspector ends where the window ends: ${await end()}`);
  await flame(page, "(a) => a.select(a.nodeOfName('example.com/generator.RenderSource', () => 1), true, true)");
  check((await end()) === 840, `also after a selection: ${await end()}`);
  await flame(page, "(a) => a.select(a.nodeOfName('text/template.(*state).walk', () => 1), true, true)");
  check(/[?&]sel=text\/template\.\(\*state\)\.walk$/.test(page.url()), `the address can be read: ${page.url()}`);
  await page.keyboard.press("2");
  await until(page, () => at(page).pathname.endsWith("/top"), "top");
  await still(page);
  check(/[?&]sel=text\/template\.\(\*state\)\.walk$/.test(page.url()), `also in another view: ${page.url()}`);
  await close(page, "tablet");
  const events = [{ ph: "X", pid: 1, tid: 1, name: "load", ts: 0, dur: 1_250_000 }, { ph: "X", pid: 1, tid: 1, name: "parse", ts: 1000, dur: 1_001 }];
  fs.writeFileSync(path.join(work, "times.json"), JSON.stringify({ traceEvents: events }));
  page = await open(await serve([path.join(work, "times.json")]), "flamegraph");
  await drawn(page);
  check(/total 1\.25s in/.test(await text(page, "#pills")), `the total has the unit of the picture: ${await text(page, "#pills")}`);
  await flame(page, "(a) => a.setRange({ from: 0, to: 5e8 })");
  await until(page, () => parameter(page, "t1") === "500ms", "a range");
  await still(page);
  check((await page.getAttribute("#search input[name=f]", "placeholder")) === "find ( / )", "the field still finds");
  await close(page, "times");
}

/** Checks that an unknown address gives a page with a link back. */
async function testUnknown(plain) {
  const page = await open(plain, "top");
  page.expectFailure = true;
  await page.goto(`${plain.views}nosuch`);
  await page.click("a >> text=Show the profile");
  await drawn(page);
  check(at(page).pathname === "/ui/flamegraph" || at(page).pathname === "/ui/", `a way back: ${page.url()}`);
  await close(page, "unknown page");
}

/** Checks that a profile without samples, and filters that match no sample, give one sentence. Invalid addresses show
 * the usual view. */
async function testNothing(plain) {
  const empty = await serve(["valid/no_samples.pb"]), sentence = (page) => page.innerText("#view");
  for (const view of ["flamegraph", "top", "graph", "peek", "source", "disasm", "tags"]) {
    const page = await open(empty, view);
    check((await sentence(page)) === "The profile has no samples.", `${view} of nothing: ${await sentence(page)}`);
    check((await text(page, "#pills")).trim() === "", `${view} of nothing: ${await text(page, "#pills")}`);
    await page.goto(`${plain.views}${view}?tf=none%3Dx`);
    if (view !== "peek") check((await sentence(page)) === "No sample passes the filters.", `${view}: ${await sentence(page)}`);
    await close(page, `${view} of nothing`);
  }
  for (const where of ["flamegraph?v=focus%3D(%26hide%3D(", "flamegraph?v=width%3D__proto__%26toString%3D1&p=%25;;", "graph?v=1_2_x", "graph?v=0_0_1e9_5", "top?sel=%25#%]"]) {
    const page = await open(plain, where);
    if (where.startsWith("flame")) await drawn(page);
    check((await count(page, "#view canvas, #view svg, #top tr")) > 0, `${where} shows the view`);
    await close(page, where);
  }
}

const plain = await serve(["-source_path=generator", "generator_cpu.prof"]);
const diff = await serve(["-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"]);
const labels = await serve(["server_cpu.pb.gz"]), tags = await serve(["-diff_base=server_cpu.pb.gz", "server_b_cpu.pb.gz"]);
await testWithoutScript(plain);
await testViews(plain);
await testSearch(plain);
await testMenus(plain);
await testSavedViews(plain);
await testSelection(plain);
await testSelectionIsNoFilter(plain);
await testTop(plain);
if (spawnSync("dot", ["-V"]).status === 0) await testGraph(plain, false);
else console.log("no graphviz: its drawing is not tested");
const bare = fs.mkdtempSync(path.join(work, "bin"));
await testGraph(await serve(["generator_cpu.prof"], { PATH: bare }), true);
await testSource(plain);
await testTags(labels);
await testKeys(tags);
await testDifference(diff);
await testFlame(plain, diff);
await testTablet(diff);
await testUnknown(plain);
await testNothing(plain);
await testLarge();
await testEffects(await serve(["server_cpu.pb.gz"]));
await testEffects(await serve(["-diff_base=server_cpu.pb.gz", "server_b_cpu.pb.gz"]));
await testPeople(plain, diff, tags);
await browser.close();
console.log(`${check.count} checks passed`);
process.exit(0);
