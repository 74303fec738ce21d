// Tests the web page with files in a real browser: downloads, dropped profiles, changed files, and touch with two
// fingers.
//   node http_files.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { addressOf, becomes, begin, checking, launch } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, folders, work } = begin("files", servers);
const cpu = path.join(testdata, "generator_cpu.prof"), faster = path.join(testdata, "generator_optimized_cpu.prof");

async function serve(...args) {
  const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...args], {
    cwd: testdata, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work, TZ: "UTC" },
  });
  servers.push(child);
  return `${await addressOf(child)}/ui/`;
}

const browser = await launch(folders);
const check = checking(browser);

async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(url);
  await page.waitForSelector("html.live");
  return page;
}

async function close(page, what) {
  check(!page.complaints.length, `${what}: ${page.complaints[0]}`);
  await page.context().close();
}

const parameter = (page, name) => new URL(page.url()).searchParams.get(name);
const until = async (test, what) => check(await becomes(test), what);
/** Returns the rows of -top: flat, cum and name. */
const top = (...args) => execFileSync(pprofc, ["-top", "-symbolize=none", "-nodefraction=0", "-nodecount=100000", ...args], { cwd: testdata, stdio: ["ignore", "pipe", "ignore"] })
  .toString().split("\n").map((line) => /^\s*(\S+)\s+[\d.]+%\s+[\d.]+%\s+(\S+)\s+[\d.]+%(.*)$/.exec(line))
  .filter(Boolean).map((cells) => cells.slice(1).join(" ")).join("\n");

// ---- downloads ----------------------------------------------------------------------------------------------

/** Checks that each link of the menu returns a file of its format, with the data of the page. */
async function testDownloads(views) {
  const page = await open(`${views}top?f=json`);
  await page.click("#more summary");
  const links = await page.$$eval("#more a[download]", (all) => all.map((a) => ({ words: a.textContent, what: new URL(a.href).searchParams.get("what") })));
  const files = {};
  for (const { words, what } of links) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#more a[download]:text-is("${words}")`)]);
    files[what ?? "profile"] = path.join(work, `${what ?? "profile"}-${download.suggestedFilename()}`);
    await download.saveAs(files[what ?? "profile"]);
  }
  for (const what of ["profile", "filtered", "csv", "svg", "speedscope", "flame"]) check(files[what], `${what} can be downloaded: ${Object.keys(files)}`);
  const read = (what) => fs.readFileSync(files[what], "utf8");
  check(top(files.profile) === top(cpu), "the profile is the whole one");
  check(top(files.filtered) === top("-focus=json", cpu), "the filtered profile is what the filter leaves");
  check(/^name,file/.test(read("csv")) && read("csv").includes("json") && !read("csv").includes("gcBgMarkWorker\","), "the table is a CSV");
  check(/<svg[\s\S]*json/.test(read("svg")), "the picture is an SVG");
  check(JSON.parse(read("speedscope")).shared.frames.some((frame) => /json/.test(frame.name)), "speedscope gets its frames");
  check(/^<!DOCTYPE html>/.test(read("flame")), "the flame graph is a page");
  await page.goto(`file://${files.flame}`);
  await until(() => page.$eval("canvas", (canvas) => canvas.width > 100).catch(() => false), "which draws without the server");
  await close(page, "downloads");
}

/** Checks that the command of a view prints the names and values of the view. */
async function testCommands(views) {
  const long = `${"a".repeat(5000)}|json`;
  for (const where of ["top?i=runtime&sort=cum", "peek?f=mallocgc", "top?f=json&g=lines&unit=ms", `top?f=${long}`]) {
    const page = await open(views + where);
    await page.click("#more summary");
    const line = await page.locator("#command").innerText();
    if (where.includes(long)) check((await page.locator(".pill[data-parameter=f]").textContent()).includes(` ${long} `), "the pill has the whole expression");
    const printed = spawnSync("sh", ["-c", line.replace(/^pprofc/, `'${pprofc}'`)], { cwd: testdata, encoding: "utf8" });
    const rows = printed.stdout.split("\n").map((row) => /^\s*(-?[\d.]+\S*) .*?(\S+)$/.exec(row)).filter(Boolean).slice(0, 30);
    check(printed.status === 0 && rows.length > 9, `${where}: ${line}`);
    const shown = (await page.locator("#view").innerText());
    const missing = rows.find(([, value, name]) => !shown.includes(value) || !shown.includes(name));
    check(!missing, `${where}: ${line} prints ${missing?.[0]}`);
    await close(page, where);
  }
}

/** Checks that the commands of the graph, the source and the tags print the data of these views. The files of the menu
 * must have the same data. */
async function testCommandsOfViews(views) {
  const words = (text) => text.replace(/\s+/g, " ");
  const run = async (page, file) => {
    const line = await page.locator("#command").textContent();
    const printed = spawnSync("sh", ["-c", line.replace(/^pprofc/, `'${pprofc}'`)], { cwd: file ? work : testdata, encoding: "utf8", input: "" });
    const text = file ? fs.readFileSync(path.join(work, file), "utf8") : printed.stdout;
    check(printed.status === 0 && text.length > 50, `${line}: ${printed.stderr}`);
    return text;
  };
  const shownNames = (page) => page.$$eval("#view [data-name]", (all) => [...new Set(all.map((e) => e.dataset.name))].sort().join("\n"));
  for (const query of ["", "f=json", "f=json&i=runtime&n=20", "g=files", "h=json&unit=ms", "trim=f&f=Marshal"]) {
    const page = await open(`${views}graph?${query}`);
    await page.waitForSelector("#graph svg");
    const nodes = ((await run(page)).match(/^N\d+ \[label="/gm) ?? []).length;
    const drawn = await page.$$eval("#graph .node a[data-name]", (all) => all.length);
    check(nodes === drawn && drawn > 0, `graph?${query}: ${nodes} nodes are printed, ${drawn} shown`);
    const svg = await (await page.request.get(`${views}download?what=svg&${query}`)).text();
    check((svg.match(/<title>N\d+<\/title>/g) ?? []).length === drawn, `graph?${query}: the downloaded picture has as many nodes`);
    await close(page, `graph?${query}`);
  }
  for (const view of ["source", "disasm"]) for (const query of ["", "i=runtime", "sort=cum"]) {
    const page = await open(`${views}${view}?${query}`);
    const printed = (await run(page)).split("\n").map((row) => /^\s*\S+\s+[\d.]+%\s+[\d.]+%\s+\S+\s+[\d.]+%\s+(\S.*)$/.exec(row)?.[1].replace(/ \((partial-)?inline\)$/, "")).filter(Boolean);
    check(printed.length > 9 && [...new Set(printed)].sort().join("\n") === (await shownNames(page)), `${view}?${query}: ${printed.length} functions: ${[...new Set(printed)].sort()} and ${await shownNames(page)}`);
    const largest = top(...(query === "i=runtime" ? ["-ignore=runtime"] : []), ...(query === "sort=cum" ? ["-cum"] : []), cpu).split("\n").slice(0, 50)
      .map((row) => row.split(/\s+/).slice(2).join(" ").replace(/ \((partial-)?inline\)$/, ""));
    check([...new Set(largest)].sort().join("\n") === (await shownNames(page)), `${view}?${query}: the 50 largest of all functions`);
    await close(page, `${view}?${query}`);
  }
  for (const query of ["f=toValue$", "f=toValue$&unit=ms"]) {
    const served = await serve(`-source_path=${path.join(testdata, "generator")}`, "-trim_path=example.com/generator", cpu);
    const page = await open(`${served}source?${query}`), report = (await run(page, "source.html")).replace(/<[^>]*>/g, "");
    const linesOf = (lines) => [...new Set(lines.map((l) => /^\s*(\d+)\s+(\S+)\s+(\S+)\s/.exec(l)?.slice(1).join(" ")).filter((l) => l && !l.endsWith(". .")))].sort().join("\n");
    const shown = linesOf(await page.$$eval("#view *", (all) => all.map((e) => e.textContent))), printed = linesOf(report.split("\n"));
    check(printed.split("\n").length > 5 && printed === shown, `source?${query}: ${printed}\nnot\n${shown}`);
    await close(page, `source?${query}`);
  }
  for (const query of ["", "f=match", "ti=rank", "tf=acorn|birch&unit=ms"]) {
    const served = await serve(path.join(testdata, "server_cpu.pb.gz")), page = await open(`${served}tags?${query}`);
    const values = [...(await run(page)).matchAll(/^\s+(\S+) \(\s*([\d.]+%)\): (.*)$/gm)].map((m) => words(`${m[1]} ${m[2]} ${m[3]}`));
    const rows = await page.$$eval("#view tbody tr", (all) => all.map((r) => [...r.cells].map((c) => c.textContent.trim()).filter(Boolean).join(" ").replace(/ only without$/, "")));
    check(values.length > 3 && values.sort().join("\n") === rows.map(words).sort().join("\n"), `tags?${query}: ${values} or ${rows}`);
    await close(page, `tags?${query}`);
  }
}

/** Checks that Back undoes a selection in each view, and that the address of a view has the selection. */
async function testBack(views) {
  for (const [view, target] of [["top", "#top tbody tr td:first-child >> nth="], ["graph?n=8", "#graph a[data-name] >> nth="]]) {
    const page = await open(views + view), marked = () => page.$eval("#inspector", (box) => (box.hidden ? "" : box.querySelector("h2").textContent));
    if (/graph/.test(view)) await page.waitForSelector("#graph svg");
    const names = [];
    for (const i of [0, 1]) {
      await page.locator(target + 2 * i).click();
      names.push(await marked());
      check(names[i] && parameter(page, "sel") === names[i], `${view}: the address has ${names[i]}`);
    }
    check(names[0] !== names[1], `${view}: two functions: ${names}`);
    await page.evaluate(() => { document.querySelector("#view").here = true; });
    await page.goBack();
    await until(async () => (await marked()) === names[0] && parameter(page, "sel") === names[0], `${view}: back selects ${names[0]}, not ${await marked()}`);
    await page.goBack();
    await until(async () => (await marked()) === "" && parameter(page, "sel") === null, `${view}: back selects nothing`);
    await page.goForward();
    await until(async () => (await marked()) === names[0], `${view}: forward selects it again`);
    check(await page.evaluate(() => document.querySelector("#view").here), `${view}: without another document`);
    await page.goto(page.url());
    check((await marked()) === names[0], `${view}: the address opens with ${names[0]}`);
    await close(page, view);
  }
  const page = await open(`${views}top`), walk = async () => {
    const before = parameter(page, "sel");
    await page.keyboard.press("ArrowDown");
    await until(() => parameter(page, "sel") !== before, "a key selects the next row");
    return parameter(page, "sel");
  };
  const first = await walk();
  await page.click('#top th a[href*="sort=cum"]');
  await until(() => parameter(page, "sort") === "cum", "a click sorts the table");
  check((await walk()) !== first, "a walk goes on after sorting");
  await page.goBack();
  await until(() => parameter(page, "sort") === "cum" && parameter(page, "sel") === first, `back undoes the walk and not the sorting: ${page.url()}`);
  await close(page, "a walk after sorting");
}

/** Returns the contents of a flame graph: the sentence, and both sides and the verdict of each function. */
const graphOf = (page, viewer) => page.evaluate(([viewer]) => {
  const a = viewer === "page" ? page.flame.app : window.pprofc;
  const rows = a.functionRows().map((r) => [a.label(r.frame), r.selfBase.toPrecision(6), r.selfHead.toPrecision(6), a.verdictOf(r.frame)?.self.word ?? ""].join(" "));
  return [a.model.meta.verdicts?.sentence ?? "", ...rows.sort()].join("\n");
}, [viewer]);

/** Checks that the command has the verdicts, runs and switches of the page: it prints the same table and the same graph.
 * graph. */
async function testJudgedCommands() {
  for (const [side, run] of ["base", "head"].flatMap((side) => [1, 2, 3].map((run) => [side, run]))) {
    const lines = [...Array(14).keys()].map((i) => `main;fn${i} ${300 + ((i * 7 + run * 5) % 9) + (side === "head" ? 40 * (i % 4) : 0)}`);
    fs.mkdirSync(path.join(work, "runs", side), { recursive: true });
    fs.writeFileSync(path.join(work, "runs", side, `${run}.folded`), lines.join("\n") + "\n");
  }
  const pair = [`-diff_base=${cpu}`, faster], runs = [`-diff_base=${path.join(work, "runs/base")}`, path.join(work, "runs/head")];
  for (const [args, query] of [[pair, ""], [["-noise_cv=0.2", "-alpha=0.3", ...pair], "f=json"], [runs, ""], [["-min_samples=4000", ...runs], "h=fn5"], [runs, "norm=t"]]) {
    const views = await serve(...args), what = [...args, query].join(" ");
    const page = await open(`${views}top?${query}`);
    const run = async () => {
      const line = (await page.locator("#command").textContent()).replace(/^pprofc/, `'${pprofc}' -symbolize=none`);
      const printed = spawnSync("sh", ["-c", line], { cwd: work, encoding: "utf8" });
      check(printed.status === 0 && / -noise( |$)/.test(line), `${what}: ${line}: ${printed.stderr}`);
      return printed.stdout.split("\n");
    };
    const lines = await run();
    check(lines[0] === (await page.textContent("#sentence")), `${what}: the sentence ${lines[0]}`);
    const rows = await page.$$eval("#top tbody tr", (all) => all.map((r) => [r.dataset.name, [0, 1, 2, 4].map((i) => r.cells[i].firstChild?.textContent ?? "")]));
    check(rows.length > 7, `${what}: ${rows.length} rows`);
    for (const [name, [base, head, change, verdict]] of rows.filter((r) => r[1][2] !== "0")) {
      const said = lines.find((l) => l.endsWith(` ${name}`))?.trim().split(/\s+/) ?? [];
      check(said.slice(0, 3).join() === [base, head, change].join() && said.join(" ").includes(verdict), `${what}: the command prints ${said.join(" ")}, the page ${[base, head, change, verdict]} of ${name}`);
    }
    await page.goto(`${views}flamegraph?${query}`);
    await page.waitForSelector("#flame.drawn .pf-graph");
    await run();
    const shown = await graphOf(page, "page"), saved = path.join(work, "saved.html");
    fs.writeFileSync(saved, Buffer.from(await (await page.request.get(`${views}download?what=flame&${query}`)).body()));
    for (const file of [path.join(work, "flame.html"), saved]) {
      await page.goto(`file://${file}`);
      await page.waitForFunction(() => window.pprofc);
      const drawn = await graphOf(page, "file"), other = shown.split("\n").find((l, i) => l !== drawn.split("\n")[i]);
      check(shown.length > 300 && !other, `${what}: ${file} has not: ${other}`);
    }
    await close(page, what);
  }
}

// ---- another profile ----------------------------------------------------------------------------------------

async function testDrop(views) {
  const page = await open(`${views}top`);
  const bytes = fs.readFileSync(faster).toString("base64");
  const drop = (name, text) => page.evaluate(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
  }, [name, text]);
  await drop("dropped <b>.prof", bytes);
  await page.waitForSelector("#upload-dialog[open]");
  check((await page.textContent("#upload-title")) === "dropped <b>.prof", "the page asks what to do with the profile");
  await page.keyboard.press("Enter");
  await until(() => parameter(page, "base") && /compare/.test(page.url()), "a dropped profile is compared with");
  await until(async () => /5\.33s/.test(await page.innerText("#view")) && /76\.73s/.test(await page.innerText("#view")), "both totals are shown");
  const id = parameter(page, "base");
  await drop("nonsense.txt", btoa("this is no profile"));
  await until(async () => /nonsense\.txt: /.test(await page.innerText("body")), "what is no profile is said");
  check(parameter(page, "base") === id, "and changes nothing");
  await page.setInputFiles("#upload", cpu);
  await page.click("#upload-dialog [value=compare]");
  await until(() => parameter(page, "base") !== id, "a chosen file is compared with as well");
  await drop("alone.prof", bytes);
  await page.click("#upload-dialog [value=open]");
  await until(() => /flamegraph/.test(page.url()) && parameter(page, "head"), "or it is opened");
  await until(async () => /5\.33s/.test(await page.innerText("#pills")) && !/76\.73s/.test(await page.innerText("#pills")), "alone");
  await drop("heap.pb.gz", fs.readFileSync(path.join(testdata, "server_heap.pb.gz")).toString("base64"));
  await page.click("#upload-dialog [value=compare]");
  await until(async () => (await page.locator("#alone").count()) === 1, "profiles that cannot be compared: the page says so");
  check(/common sample type[^]*heap\.pb\.gz alloc_objects, alloc_space/.test(await page.innerText("#view")), `why: ${await page.innerText("#view")}`);
  await page.click("#alone");
  await until(async () => /flamegraph/.test(page.url()) && /heap\.pb\.gz/.test(await page.innerText("#bar")), "a link opens the other one alone");
  const where = page.url();
  await drop("again.prof", bytes);
  await page.waitForSelector("#upload-dialog[open]");
  await page.keyboard.press("Escape");
  await until(async () => !(await page.isVisible("#upload-dialog")), "Esc closes the question");
  check(page.url() === where, "and opens nothing");
  await close(page, "a dropped profile");
}

async function testChangedFile() {
  const file = path.join(work, "live.prof"), next = path.join(work, "next");
  fs.copyFileSync(cpu, file);
  const page = await open(`${await serve(file)}top?f=json`);
  check(!(await page.isVisible("#pending")) && !(await page.isVisible("#broken")), "nothing has changed yet");
  fs.truncateSync(file, 5000);
  await until(async () => /live\.prof changed at .*truncated/.test(await page.innerText("#pills")), "a file that is cut short is said");
  check(!(await page.isVisible("#pending")), "and not offered");
  fs.copyFileSync(faster, next);
  fs.renameSync(next, file);
  await until(() => page.isVisible("#pending"), "a changed file is offered");
  await until(async () => !(await page.isVisible("#broken")), "nothing is wrong any more");
  await page.click("#pending button");
  await until(async () => (await page.getAttribute("html", "data-generation")) === "2", "a click shows it");
  check(parameter(page, "f") === "json", "the filter stays");
  check(!(await page.isVisible("#pending")), "it is offered once");
  await close(page, "a changed file");
}

// ---- fingers ------------------------------------------------------------------------------------------------

/** Checks that two fingers that move apart on the call graph zoom in. */
async function testPinch(views) {
  const page = await open(`${views}graph`, { hasTouch: true, viewport: { width: 390, height: 844 } });
  const width = () => page.$eval("#graph > svg", (svg) => Number(svg.getAttribute("viewBox").split(" ")[2]));
  await page.waitForSelector("#graph > svg");
  await page.$eval("#graph", (graph) => graph.scrollIntoView());
  const before = await width(), box = await page.locator("#graph").boundingBox();
  const x = box.x + box.width / 2, y = box.y + Math.min(box.height, 500) / 2;
  const fingers = await page.context().newCDPSession(page);
  const touch = (type, apart) => fingers.send("Input.dispatchTouchEvent", {
    type, touchPoints: apart ? [{ x: x - apart, y, id: 0 }, { x: x + apart, y, id: 1 }] : [],
  });
  await touch("touchStart", 20);
  for (const apart of [30, 45, 60, 80]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  const near = await width();
  check(near < before * 0.6, `two fingers apart zoom in: ${before} to ${near}`);
  await touch("touchStart", 80);
  for (const apart of [60, 45, 30, 20]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  check((await width()) > near * 1.5, "two fingers together zoom out");
  await close(page, "two fingers");
}

const views = await serve("generator_cpu.prof");
await testDownloads(views);
await testCommands(views);
await testCommandsOfViews(views);
await testBack(views);
await testJudgedCommands();
await testDrop(views);
await testChangedFile();
await testPinch(views);
await browser.close();
console.log(`${check.count} checks passed`);
process.exit(0);
