// Checks that a function has the same numbers on each page of a comparison: terminal, JSON, CSV, flame graph, web
// tables, CI page.
//   node numbers.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { addressOf, begin, checkQuiet, checking, launch, openPage } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, folders, work } = begin("numbers", servers);
const browser = await launch(folders);
const check = checking(browser);
const pair = ["-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"];
const run = (...args) => execFileSync(pprofc, ["-symbolize=none", ...args], { cwd: testdata, env: { ...process.env, TZ: "UTC" }, stdio: ["ignore", "pipe", "ignore"] }).toString();

/** Recorded nanoseconds of -top: base and head. */
const recorded = {
  "runtime.mallocgc": [5.12e9, 0.05e9], "runtime.scanobject": [3.57e9, 0.10e9], "runtime.memmove": [3.38e9, 0.39e9],
  "runtime.heapBitsSetType": [2.23e9, 0.02e9], "example.com/generator.mix": [0, 0.50e9],
};
const names = Object.keys(recorded);

const SCALES = { ns: 1, "µs": 1e3, us: 1e3, ms: 1e6, s: 1e9 };
/** Returns the nanoseconds of "-5.07s", "−2.99 s", "0". */
function amount(text) {
  const [, number, unit] = /^([-+]?[\d.]+)\s*(\S*)$/.exec(text.replace("−", "-").replace(/\s/g, " ").trim()) ?? [];
  return Math.round(Number(number) * (unit ? SCALES[unit] : 1));
}

/** Checks the rows of a page: {name: {base, head, change, verdict}}. */
function compare(where, rows) {
  for (const name of names) {
    const row = rows[name], [base, head] = recorded[name];
    check(row, `${where} has ${name}`);
    check(row.base === base && row.head === head, `${where}: ${name} is as recorded: ${JSON.stringify(row)}`);
    check(row.base + row.change === row.head, `${where}: base and change of ${name} are the head: ${JSON.stringify(row)}`);
    const sign = /^(grew|new)/.test(row.verdict) ? 1 : /^(shrank|gone)/.test(row.verdict) ? -1 : 0;
    check(sign === Math.sign(row.change), `${where}: the verdict on ${name} has the sign of its change: ${JSON.stringify(row)}`);
    check(row.verdict === verdicts[name], `${where}: the same word on ${name}: ${row.verdict}`);
  }
}
const rowOf = ([base, head, change, verdict]) => ({ base: amount(base), head: amount(head), change: amount(change), verdict });

// The other pages must have the words that the terminal prints.
const verdicts = {}, terminal = {};
const printed = run("-top", "-noise", "-nodecount=0", ...pair), sentence = printed.split("\n")[0];
for (const line of printed.split("\n")) {
  const name = names.find((n) => line.endsWith(`  ${n}`));
  if (!name) continue;
  const word = /(grew|shrank|new|gone|unchanged|rose|fell)(, as everything did| less than the rest| against the rest)?(?=  )/.exec(line)[0];
  verdicts[name] = word;
  terminal[name] = rowOf([...line.trim().split(/\s+/).slice(0, 3), word]);
}
compare("terminal", terminal);

const json = JSON.parse(run("-json", "-noise", "-nodecount=0", ...pair));
check(json.sentence === sentence, `JSON: the sentence: ${json.sentence}`);
compare("JSON", Object.fromEntries(json.functions.map((f) => [f.name, { base: f.base, head: f.head, change: f.delta, verdict: f.verdict }])));

{ // A difference by -base has negative values. Percentages refer to the sum of absolute values, as in the terminal.
  const minus = ["-base=generator_cpu.prof", "generator_optimized_cpu.prof"], file = path.join(work, "minus.html");
  run("-flame", `-output=${file}`, ...minus);
  const page = await openPage(browser, pathToFileURL(file).href);
  await page.waitForFunction(() => window.pprofc);
  const share = await page.evaluate(() => {
    const a = window.pprofc;
    return a.functionRows().filter((r) => a.label(r.frame) === "testing.(*B).runN").map((r) => pprofcFlame.percent(r.head, a.whole.head)).join();
  });
  const printed = run("-top", "-cum", ...minus).split("\n").find((line) => line.endsWith(" testing.(*B).runN"));
  check(share === "-74.12%" && printed.includes("-60.82s 74.12%"), `a share of -base: ${share} and ${printed}`);
  await page.context().close();
}

// ---- the server -------------------------------------------------------------------------------------------------

const server = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...pair], { cwd: testdata, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
servers.push(server);
const views = `${await addressOf(server)}/ui/`;

const fields = (line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((f) => f.replace(/,$/, "").replace(/^"|"$/g, ""));
const lines = (await (await fetch(`${views}download?what=csv`)).text()).trim().split("\n").map(fields);
const column = (row, title) => row[lines[0].indexOf(title)];
compare("CSV", Object.fromEntries(lines.slice(1).map((r) => [column(r, "name"), { base: Number(column(r, "base flat")), head: Number(column(r, "head flat")), change: Number(column(r, "flat change")), verdict: column(r, "flat verdict") }])));

for (const [where, words] of [["top", "Top"], ["flamegraph?rows=first", "the table of Flame"]]) {
  const page = await openPage(browser, views + where);
  const rows = await page.$$eval("#top tbody tr", (all) => all.map((r) => [r.dataset.name, [0, 1, 2, 4].map((i) => (r.cells[i].firstChild?.textContent ?? ""))]));
  compare(words, Object.fromEntries(rows.map(([name, cells]) => [name, rowOf(cells)])));
  check((await page.textContent("#sentence")) === sentence, `${words}: the sentence`);
  await page.context().close();
}

{ // Compare shows totals with callees. The inspector of Top has these totals.
  const page = await openPage(browser, `${views}top?sel=runtime.memmove`);
  const slot = (name) => page.textContent(`[data-slot="${name}"]`);
  compare("the inspector", { ...terminal, "runtime.memmove": rowOf([await slot("base-self"), await slot("head-self"), await slot("self"), (await slot("self-verdict")).split(":")[0]]) });
  const total = [await slot("base-total"), await slot("head-total"), await slot("total")];
  await page.goto(`${views}top?sort=cum&rows=all`);
  const row = await page.$eval("tr[data-name='runtime.memmove']", (r) => [0, 1, 2].map((i) => r.cells[i].firstChild.textContent));
  check(row.join() === total.join(), `Top by total and the inspector agree: ${row} ${total}`);
  await page.goto(`${views}compare`);
  check((await page.textContent("#sentence")) === sentence, "Compare: the sentence");
  const changes = await page.$$eval(".diff tbody tr", (all) => all.map((r) => [0, 1, 2].map((i) => r.cells[i].firstChild.textContent)));
  check(changes.length === 20 && changes.every((c) => amount(c[0]) + amount(c[2]) === amount(c[1])), `Compare: base and change are the head: ${JSON.stringify(changes)}`);
  const cums = Object.fromEntries(json.functions.map((f) => [f.name, f.cum]));
  const shown = await page.$$eval(".diff tbody tr", (all) => all.map((r) => [r.dataset.name, r.cells[2].firstChild.textContent]));
  check(shown.every(([name, change]) => amount(change) === cums[name].delta), `Compare has the totals of JSON: ${JSON.stringify(shown)}`);
  await page.context().close();
}

/** Compares each row of Top and of the CSV file with the amounts and verdicts of -json. Base and change must add up to
 * head in the displayed digits. */
async function compareServed(base, head) {
  const flags = [`-diff_base=${base}`, head], json = JSON.parse(run("-json", "-noise", "-nodecount=0", ...flags)), where = head;
  const known = new Map(json.functions.map((f) => [f.name, f]));
  const served = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...flags], { cwd: testdata, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(served);
  const at = `${await addressOf(served)}/ui/`, plain = (text) => text.replace(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  const html = await (await fetch(`${at}top?rows=all&trim=false`)).text(), same = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
  const shown = (html.match(/<tr data-name="[^]*?<\/tr>/g) ?? []).map((row) => ({
    name: plain(/data-name="([^"]*)"/.exec(row)[1]), exact: [...row.matchAll(/data-sort="([^"]*)"/g)].slice(0, 3).map((m) => Number(m[1])),
    cells: row.split("</td>").map((cell) => plain(cell).split(" \u00b1")[0]) }));
  const differing = json.functions.filter((f) => f.delta || f.cum.delta).length;
  check(shown.length >= Math.min(differing, 500), `${where}: Top has ${shown.length} rows, ${differing} functions differ`);
  for (const { name, exact: [was, now, change], cells } of shown) {
    const f = known.get(name), sign = /^(grew|new)/.test(cells[4]) ? 1 : /^(shrank|gone)/.test(cells[4]) ? -1 : 0;
    check(f && same(was, f.base) && same(now, f.head) && same(change, f.delta), `${where}: Top has the amounts of ${name}: ${was} ${now} ${change}`);
    check(sign === 0 || sign === Math.sign(change), `${where}: ${name} ${cells[4]} by ${change}`);
    check(!cells[4] || cells[4] === f.verdict, `${where}: the verdict on ${name}: ${cells[4]}, not ${f.verdict}`);
    const [a, b, c] = cells.slice(0, 3).map((text) => Number.parseFloat(text.replace("\u2212", "-")));
    check(Math.abs(a + c - b) < 1e-6 * Math.max(1, a, b), `${where}: ${name}: ${cells.slice(0, 3)} add up`);
  }
  const table = (await (await fetch(`${at}download?what=csv&rows=all&trim=false`)).text()).trim().split("\n").map(fields);
  const of = (row, title) => Number(row[table[0].findIndex((t) => t === title || t === `${title} per second`)]);
  for (const row of table.slice(1).filter((r) => known.has(r[0]))) {
    const f = known.get(row[0]);
    check(same(of(row, "base flat"), f.base) && same(of(row, "head flat"), f.head) && same(of(row, "flat change"), f.delta), `${where}: CSV has the amounts of ${row[0]}: ${row}`);
  }
  served.kill();
}
await compareServed("generator_mem.prof", "generator_optimized_mem.prof");
for (const kind of ["cpu", "heap", "allocs", "mutex", "block", "goroutine", "threadcreate"]) await compareServed(`server_${kind}.pb.gz`, `server_b_${kind}.pb.gz`);

// ---- files ------------------------------------------------------------------------------------------------------

{
  const file = path.join(work, "flame.html");
  run(`-output=${file}`, "-flame", "-noise", ...pair);
  const page = await openPage(browser, pathToFileURL(file).href);
  await page.waitForFunction(() => window.pprofc && document.body.classList.contains("live"));
  const rows = await page.evaluate(() => {
    const a = window.pprofc;
    return Object.fromEntries(a.functionRows().map((r) => {
      const name = a.label(r.frame), self = a.model.verdicts.get(name)?.self;
      return [name, { base: r.selfBase, head: r.selfHead, change: self?.delta, low: self?.low, high: self?.high }];
    }));
  });
  compare("the flame graph", Object.fromEntries(names.map((n) => [n, { ...rows[n], verdict: verdicts[n] }])));
  checkQuiet(check, page, "the flame graph");
  await page.context().close();
}

{
  for (const [side, file] of [["base", "generator_cpu.prof"], ["head", "generator_optimized_cpu.prof"]]) {
    fs.mkdirSync(path.join(work, side), { recursive: true });
    fs.copyFileSync(path.join(testdata, file), path.join(work, side, "cpu.prof"));
  }
  execFileSync(path.join(path.dirname(pprofc), "pprofci"), ["run", "-base", "base", "-head", "head", "-out", "ci"], { cwd: work, stdio: "ignore" });
  const comparison = JSON.parse(fs.readFileSync(path.join(work, "ci", "manifest.json"), "utf8")).pairs[0].comparisons[0];
  check(comparison.sentence === sentence, `manifest.json: the sentence: ${comparison.sentence}`);
  compare("manifest.json", Object.fromEntries(comparison.functions.map((f) => [f.function, { base: f.base, head: f.head, change: f.delta, verdict: f.verdict }])));
  check(fs.readFileSync(path.join(work, "ci", "summary.md"), "utf8").includes(sentence), "summary.md: the sentence");
  const drawing = fs.readFileSync(path.join(work, "ci", "flame", "cpu_diff.html"), "utf8");
  const drawn = JSON.parse(/id="pprofc-summary">([^]*?)<\/script>/.exec(drawing)[1]).top.map((f) => [f, comparison.functions.find((g) => g.function === f.function)]);
  check(drawn.filter(([, g]) => g).length > 10, "CI flame graph: functions of the table");
  for (const [f, g] of drawn.filter(([, g]) => g)) check(f.self_base === g.base && f.self_head === g.head, `CI flame graph: ${f.function} is ${f.self_base} and ${f.self_head}, not ${g.base} and ${g.head}`);
  const page = await openPage(browser, pathToFileURL(path.join(work, "ci", "index.html")).href);
  check((await page.textContent(".panel .sentence")) === sentence, "CI page: the sentence");
  const rows = await page.$$eval(".functions tbody tr", (all) => all.map((r) => [r.querySelector("a").hash.replace(/^#search=/, ""), [...r.cells].map((c) => c.textContent)]));
  const judged = rows.filter(([, cells]) => cells.length === 7);
  compare("CI page", Object.fromEntries(judged.map(([name, c]) => [decodeURIComponent(name), rowOf([c[1], c[2], c[3], c[6]])])));
  await page.context().close();
}

// ---- runs -------------------------------------------------------------------------------------------------------

/** Makes pages from 3 + heads runs with known amounts, and compares each page with the terminal and its means. */
async function compareRuns(heads) {
  const folder = path.join(work, `runs${heads}`), costs = { "svc.a": [400, 900], "svc.b": [600, 601], "svc.c": [300, 0], "svc.d": [0, 250] };
  const write = (side, count, at) => {
    fs.mkdirSync(path.join(folder, side), { recursive: true });
    for (let r = 1; r <= count; r++) {
      // Go adds this frame below a stopped function. Its time belongs to the function.
      const below = (name) => (name === "svc.a" ? `main;run;${name};runtime.asyncPreempt 40` : "");
      const lines = Object.entries(costs).map(([name, cost]) => (cost[at] ? `main;run;${name} ${cost[at] + r - (name === "svc.a" ? 40 : 0)}\n${below(name)}` : ""));
      for (let f = 0; f < 12; f++) lines.push(`main;run;lib.fn${f} ${200 + ((f * 7 + r * 5) % 9)}`);
      fs.writeFileSync(path.join(folder, side, `run${r}.folded`), lines.filter(Boolean).join("\n") + "\n");
    }
  };
  write("base", 3, 0);
  write("head", heads, 1);
  const mean = (cost, count) => (cost ? cost + (count + 1) / 2 : 0);
  const wanted = Object.fromEntries(Object.entries(costs).map(([name, [base, head]]) => [name, [mean(base, 3), mean(head, heads)]]));
  const where = `3 + ${heads} runs`, flags = ["-diff_base=base", "head"];
  const inFolder = (...args) => execFileSync(pprofc, ["-symbolize=none", ...args], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }).toString();
  const near = (a, b) => Math.abs(a - b) < 0.051;
  const is = (page, name, found) => {
    const [base, head] = wanted[name];
    for (const [what, value, is] of [["base", found.base, base], ["head", found.head, head], ["change", found.change, head - base]])
      check(value === undefined || near(value, is), `${where}, ${page}: ${what} of ${name} is ${value}, not ${is}`);
  };
  const terminalRows = JSON.parse(inFolder("-json", "-noise", "-nodecount=0", ...flags));
  for (const f of terminalRows.functions.filter((f) => wanted[f.name])) is("JSON", f.name, { base: f.base, head: f.head, change: f.delta });
  const verdictOf = Object.fromEntries(terminalRows.functions.map((f) => [f.name, f.verdict]));

  const runs = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...flags], { cwd: folder, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(runs);
  const at = `${await addressOf(runs)}/ui/`;
  const number = (text) => Number(text.replace("−", "-").replace(/[^-+.\d]/g, ""));
  const page = await openPage(browser, `${at}top?rows=all&trim=false`);
  for (const [view, id] of [["top?rows=all&trim=false", "#top"], ["flamegraph?rows=first", "#top"]]) {
    await page.goto(at + view);
    check((await page.textContent("#pills")).includes(`mean of 3 + ${heads} runs`), `${where}, ${view}: the page says the runs`);
    check((await page.textContent("#sentence")) === terminalRows.sentence, `${where}, ${view}: the sentence of the terminal`);
    const rows = await page.$$eval(`${id} tbody tr`, (all) => all.map((r) => [r.dataset.name, [0, 1, 2, 4].map((i) => r.cells[i].firstChild?.textContent ?? "")]));
    for (const [name, cells] of rows.filter(([name]) => wanted[name])) {
      is(view, name, { base: number(cells[0]), head: number(cells[1]), change: number(cells[2]) });
      check(cells[3] === verdictOf[name], `${where}, ${view}: the verdict on ${name}: ${cells[3]}, not ${verdictOf[name]}`);
    }
    check(rows.filter(([name]) => wanted[name]).length === 4, `${where}, ${view} has the functions`);
  }
  await page.waitForSelector("#flame.drawn .pf-graph");
  const shown = await page.evaluate("((a) => a.functionRows().map((r) => [a.label(r.frame), r.selfBase, r.selfHead]))(page.flame.app)");
  check(shown.filter(([name]) => wanted[name]).length === 4, `${where}: the flame graph has the functions`);
  for (const [name, base, head] of shown.filter(([name]) => wanted[name])) is("the flame graph", name, { base, head });
  for (const name of Object.keys(wanted)) {
    const text = (await (await fetch(`${at}peek?f=^${name}$`)).text()).replace(/<[^>]*>/g, "");
    const own = text.split("\n").find((l) => /^\s*[-.\d]+\s+[\d.]+%?\s+[\d.]+%?\s+[-.\d]+\s.*\|/.test(l) && l.includes(name));
    check(own, `${where}, Peek has ${name}: ${text}`);
    is("Peek", name, { change: Number(own.trim().split(/\s+/)[0]) });
    for (const [side, i] of [["base", 0], ["head", 1]]) {
      if (name === "svc.a") continue; // a single side is shown as by pprof
      const one = await (await fetch(`${at}top?side=${side}&rows=all&trim=false`)).text();
      const row = new RegExp(`<tr data-name="${name}"[^>]*data-self="([^"]*)"`).exec(one);
      check(row ? near(Number(row[1]), wanted[name][i]) : wanted[name][i] === 0, `${where}, Top of the ${side}: ${name} is ${row?.[1]}, not ${wanted[name][i]}`);
    }
  }
  const table = (await (await fetch(`${at}download?what=csv&rows=all`)).text()).trim().split("\n").map(fields);
  for (const row of table.slice(1).filter((r) => wanted[r[0]])) {
    const of = (title) => Number(row[table[0].indexOf(title)]);
    is("CSV", row[0], { base: of("base flat"), head: of("head flat"), change: of("flat") });
    is("CSV", row[0], { change: of("flat change") });
  }
  for (const view of ["compare", "graph", "tags", "source"]) {
    const text = (await (await fetch(at + view)).text()).replace(/<[^>]*>/g, "");
    const sum = (i, runs) => [...Object.values(wanted)].reduce((s, w) => s + w[i], 0) + [...Array(runs).keys()].reduce((s, r) => s + [...Array(12).keys()].reduce((t, f) => t + 200 + ((f * 7 + (r + 1) * 5) % 9), 0), 0) / runs;
    const totals = /base .*?([\d.]+), head .*?([\d.]+)(?=[:\s])/.exec(text);
    check(totals && Math.abs(totals[1] - sum(0, 3)) < 0.51 && Math.abs(totals[2] - sum(1, heads)) < 0.51, `${where}, ${view}: the totals are ${totals?.[0]}, not ${sum(0, 3)} and ${sum(1, heads)}`);
  }
  await page.context().close();
}
await compareRuns(3);
await compareRuns(2);

// ---- contentions ------------------------------------------------------------------------------------------------

/** Creates a mutex profile with a duration as profile.proto: {function: milliseconds of waiting}. */
function mutexProfile(costs, seconds) {
  const varint = (n) => { const out = []; for (n = BigInt(n); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128); return Buffer.from([...out, Number(n)]); };
  const field = (n, value) => (Buffer.isBuffer(value) ? Buffer.concat([varint(n * 8 + 2), varint(value.length), value]) : Buffer.concat([varint(n * 8), varint(value)]));
  const message = (...fields) => Buffer.concat(fields.map(([n, v]) => field(n, v)));
  const texts = ["", "contentions", "count", "delay", "nanoseconds", "svc.go", "main", ...Object.keys(costs)], at = (t) => texts.indexOf(t);
  const ids = ["main", ...Object.keys(costs)], parts = [[1, message([1, 1], [2, 2])], [1, message([1, 3], [2, 4])]];
  for (const [name, ms] of Object.entries(costs)) parts.push([2, message([1, Buffer.concat([varint(ids.indexOf(name) + 1), varint(1)])], [2, Buffer.concat([varint(ms), varint(ms * 1e6)])])]);
  ids.forEach((name, i) => parts.push([4, message([1, i + 1], [4, message([1, i + 1], [2, 10 + i])])], [5, message([1, i + 1], [2, at(name)], [3, at(name)], [4, 5])]));
  return message(...parts, [10, seconds * 1e9], [11, message([1, 1], [2, 2])], [12, 1], ...texts.map((t) => [6, Buffer.from(t)]));
}

/** Checks that each page compares mutex profiles of unequal durations per second, and states this. The runs of a side
 * also have unequal durations. */
async function compareWaits(runs) {
  const folder = path.join(work, `waits${runs}`), costs = { "svc.a": [400, 900], "svc.b": [600, 1300], "svc.c": [300, 0], "svc.d": [0, 250] }, seconds = [10, 20];
  ["base", "head"].forEach((side, at) => {
    fs.mkdirSync(path.join(folder, side), { recursive: true });
    const used = Object.fromEntries(Object.entries(costs).map(([name, ms]) => [name, ms[at]]).filter(([, ms]) => ms));
    for (let r = 1; r <= runs; r++) fs.writeFileSync(path.join(folder, side, `run${r}.pb`), mutexProfile(used, seconds[at] + 0.25 * (r - (runs + 1) / 2)));
  });
  const wanted = Object.fromEntries(Object.entries(costs).map(([name, ms]) => [name, ms.map((v, at) => (v * 1e6) / seconds[at])]));
  const where = `mutex, ${runs} + ${runs} runs`, flags = runs > 1 ? ["-diff_base=base", "head"] : ["-diff_base=base/run1.pb", "head/run1.pb"];
  const inFolder = (...args) => execFileSync(pprofc, ["-symbolize=none", ...args], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }).toString();
  const is = (page, name, found) => {
    const [base, head] = wanted[name];
    for (const [what, value, is] of [["base", found.base, base], ["head", found.head, head], ["change", found.change, head - base]])
      check(value === undefined || Math.abs(value - is) < 1, `${where}, ${page}: ${what} of ${name} is ${value}, not ${is}`);
  };
  const told = JSON.parse(inFolder("-json", "-noise=rows", "-nodecount=0", ...flags));
  check(told.noise.normalize_by === "time" && / per second/.test(told.sentence), `${where}: the sentence: ${told.sentence}`);
  for (const f of told.functions.filter((f) => wanted[f.name])) is("JSON", f.name, { base: f.base, head: f.head, change: f.delta });

  const served = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...flags], { cwd: folder, env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work } });
  servers.push(served);
  const at = `${await addressOf(served)}/ui/`;
  const text = async (view) => (await (await fetch(at + view)).text()).replace(/<(script|style)[^]*?<\/\1>/g, "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  for (const view of ["top", "compare", "flamegraph", "graph", "peek?f=svc", "source?f=svc", "tags", "top?side=base"]) {
    const said = await text(view), totals = /base [^,]*?([\d.]+\w+) , head [^:]*?([\d.]+\w+) ?:/.exec(said) ?? [];
    check(said.includes("all values per second"), `${where}, ${view} says that values are per second`);
    check(amount(totals[1]) === 130e6 && amount(totals[2]) === 122.5e6, `${where}, ${view}: the totals are ${totals[0]}`);
  }
  check(!(await text("top?mean=true")).includes("per second"), `${where}: a mean for each contention is not per second`);
  const page = await openPage(browser, `${at}top?rows=all`);
  for (const view of ["top?rows=all", "flamegraph?rows=first"]) {
    await page.goto(at + view);
    const rows = await page.$$eval("#top tbody tr", (all) => all.map((r) => [r.dataset.name, [0, 1, 2].map((i) => r.cells[i].firstChild?.textContent ?? "")]));
    check(rows.filter(([name]) => wanted[name]).length === 4, `${where}, ${view} has the functions`);
    for (const [name, cells] of rows.filter(([name]) => wanted[name])) is(view, name, { base: amount(cells[0]), head: amount(cells[1]), change: amount(cells[2]) });
  }
  await page.waitForSelector("#flame.drawn .pf-graph");
  for (const [name, base, head] of await page.evaluate("((a) => a.functionRows().map((r) => [a.label(r.frame), r.selfBase / a.model.unitDivisor || r.selfBase, r.selfHead]))(page.flame.app)"))
    if (wanted[name] && wanted[name][0] && wanted[name][1]) check(Math.abs(base / head - wanted[name][0] / wanted[name][1]) < 1e-3, `${where}, the flame graph: ${name} is ${base} and ${head}`);
  await page.context().close();
  for (const [name, [base, head]] of Object.entries(wanted)) {
    const own = new RegExp(`([-\\d.]+\\w*) +[\\d.]+% +[\\d.]+% +[-\\d.]+\\w* +[\\d.]+% +\\| +${name} `).exec(await text(`peek?f=^${name}$`));
    if (head !== base) is("Peek", name, { change: amount(own?.[1] ?? "?") });
    const source = /Total: (-?[\d.]+\w*) /.exec(await text(`source?f=^${name}$`));
    if (head !== base) is("Source", name, { change: amount(source?.[1] ?? "?") });
    const node = new RegExp(`${name} \\((-?[\\d.]+\\w*)\\)`).exec((await text("graph")).replaceAll("&#45;", "-"));
    if (head !== base) is("Graph", name, { change: amount(node?.[1] ?? "?") });
  }
  const table = (await (await fetch(`${at}download?what=csv&rows=all`)).text()).trim().split("\n").map(fields);
  for (const row of table.slice(1).filter((r) => wanted[r[0]])) {
    const of = (title) => Number(row[table[0].indexOf(`${title} per second`)]);
    is("CSV", row[0], { base: of("base flat"), head: of("head flat"), change: of("flat") });
    is("CSV", row[0], { change: of("flat change") });
  }
  // The pictures in files, and the page of pprofci.
  const sum = (i) => Object.values(wanted).reduce((all, w) => all + w[i], 0), total = `${sum(1) / 1e6}0ms against a base of ${sum(0) / 1e6}ms`;
  const drawing = inFolder("-flame=text", "-noise", ...flags).split("\n")[0];
  check(drawing.startsWith(`delay, ${total}, `), `${where}, -flame=text: ${drawing}, not ${total}`);
  const checkPicture = (what, svg) => {
    for (const name of Object.keys(wanted)) {
      const [, of, base, change] = new RegExp(`<title>${name} \\(([^,]*), [^;]*; base ([^,]*), [^;]*; change ([^,]*),`).exec(svg) ?? [];
      is(what, name, { base: amount(base ?? "?"), head: amount(of ?? "?"), change: amount(change ?? "?") });
    }
    check(svg.includes(`delay, ${total}, `), `${where}, ${what}: the total`);
  };
  checkPicture("-flamegraph", inFolder("-flamegraph", "-noise", ...flags));
  const file = path.join(folder, "flame.html");
  inFolder("-flame", "-noise", `-output=${file}`, ...flags);
  const checkSummary = (what, html) => {
    const summary = JSON.parse(/id="pprofc-summary">([^]*?)<\/script>/.exec(html)[1]);
    check(summary.head === sum(1) && summary.base === sum(0), `${where}, ${what}: the totals are ${summary.head} and ${summary.base}`);
    for (const f of summary.top) is(what, f.function, { base: f.self_base, head: f.self_head });
  };
  checkSummary("-flame", fs.readFileSync(file, "utf8"));
  if (runs > 1) return;
  execFileSync(path.join(path.dirname(pprofc), "pprofci"), ["run", "-base", "base", "-head", "head", "-out", "ci"], { cwd: folder, stdio: "ignore" });
  const inCi = (name) => fs.readFileSync(path.join(folder, "ci", name), "utf8");
  checkPicture("CI picture", inCi("flamegraphs/run1_diff.svg"));
  checkSummary("CI flame graph", inCi("flame/run1_diff.html"));
  const cells = (html) => html.split(/<\/t[dh]>/).map((c) => c.replace(/<[^>]*>/g, "").trim());
  for (const row of inCi("index.html").split("<tr").filter((r) => r.includes("unknown"))) {
    const [name, base, head, change] = cells(`<tr${row}`);
    const found = Object.keys(wanted).find((n) => name.startsWith(n));
    check(found, `${where}, CI page: a row of ${name}`);
    is("CI page", found, { base: amount(base), head: amount(head), change: Math.round(amount(change)) });
  }
  check(inCi("index.html").replace(/\s/g, " ").includes("in all 130 ms → 122 ms per second"), `${where}, CI page: the totals of the table`);
}
await compareWaits(1);
await compareWaits(3);

await browser.close();
console.log(`${check.count} passed, 0 failed`);
process.exit(0);
