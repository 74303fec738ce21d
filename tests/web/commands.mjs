// Runs the command that each view of -http offers, and compares its output with the view.
//   node commands.mjs PPROFC TESTDATA FOLDER ...
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { addressOf, begin, fail, rowsOf, textOf } from "./browser.mjs";

const servers = [];
const { pprofc, testdata, work } = begin("commands", servers);
const env = { ...process.env, HOME: work, XDG_CONFIG_HOME: work, TZ: "UTC" };
const data = (name) => path.join(testdata, name);
let checks = 0;
function check(condition, what) {
  checks++;
  if (!condition) fail(what);
}

async function serve(args) {
  const server = spawn(pprofc, ["-http=localhost:", "-no_browser", "-symbolize=none", ...args], { cwd: testdata, env });
  servers.push(server);
  return { at: `${await addressOf(server)}/ui/`, end: () => server.kill() };
}

async function show(at, address, what) {
  const answer = await fetch(at + address), html = await answer.text();
  check(answer.ok, `${what}: status ${answer.status}: ${textOf(html).slice(0, 400)}`);
  const view = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  return { view, html, rows: rowsOf(view), command: textOf(/<code id=command>(.*?)<\/code>/s.exec(html)?.[1] ?? "") };
}

/** Returns the output of the command, or the content of the file that its -output names. */
function run(command, what) {
  const file = /-output=(\S+)/.exec(command)?.[1], full = file && path.join(work, file);
  if (file) fs.rmSync(full, { force: true });
  const ran = spawnSync("sh", ["-c", command.replace(/^pprofc/, `'${pprofc}'`).replace("-output=", `-output='${work}/'`)], { cwd: testdata, env, encoding: "utf8", input: "", maxBuffer: 1 << 28 });
  check(/^pprofc '?-/.test(command) && ran.status === 0, `${what}: ${command}: ${ran.status} ${ran.stderr}`);
  return file ? fs.readFileSync(full, "utf8") : ran.stdout;
}

const squeeze = (text) => text.replace(/[\s\u00a0]+/g, " ").trim();
function same(shown, printed, what) {
  const a = shown.map(squeeze), b = printed.map(squeeze), at = a.findIndex((row, i) => row !== b[i]);
  check(a.length > 0, `${what}: the view has no rows`);
  check(at < 0 && a.length === b.length, `${what}: of ${a.length} and ${b.length} rows, ${at < 0 ? `the last: ${b[a.length]}` : `"${a[at]}" is printed as "${b[at]}"`}`);
}

/** Compares the table of a single profile with the table of -top. */
function plainTop({ rows }, text, what) {
  const printed = text.split("\n").filter((line) => /^\s*\S+\s+\S+%\s+\S+%\s+\S+\s+\S+%\s+\S/.test(line));
  same(rows.slice(1).map((cells) => cells.join(" ")), printed, what);
}

/** Compares the table of a difference: with verdicts to the table of -noise, else to -top. */
function changedTop({ rows, html, command }, text, what) {
  const body = rows.filter((cells) => cells.length > 4).slice(1), lines = text.split("\n");
  if (!/ -noise/.test(command)) {
    const columns = lines.map((line) => /^\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%\s+(\S.*)$/.exec(line)).filter(Boolean);
    const by = / -cum/.test(command) ? 2 : 1, bare = (text) => text.replace(/^\+/, "");
    check(columns.length === body.length, `${what}: ${columns.length} printed, ${body.length} shown`);
    const value = (text) => Number.parseFloat(text.replace("\u2212", "-")), scale = (text) => text.replace(/[-+\u2212\d.]/g, "");
    for (const [i, cells] of body.entries()) {
      const change = cells[2].replace(/ ±.*/, ""), said = columns.find((c) => c[3] === cells.at(-1));
      check(said, `${what}: ${cells.at(-1)} is not printed`);
      const near = scale(change) !== scale(said[by]) || Math.abs(value(change) - value(said[by])) <= 0.0101 * Math.max(1, Math.abs(value(change)));
      check(near, `${what}: the change of ${cells.at(-1)} is ${change}, printed ${said[by]}`);
    }
    return;
  }
  check(textOf(/<p id=sentence>(.*?)<\/p>/s.exec(html)[1]) === lines[0], `${what}: the sentence is printed as ${lines[0]}`);
  const at = lines.findIndex((line) => /^\s+base\s+head\s+change/.test(line)), printed = new Map();
  for (const line of lines.slice(at + 1).filter((l) => /^ *[-\d.]/.test(l))) {
    const name = line.split("  ").findLast((part) => part.trim() && !/^(to|from) /.test(part.trim())).trim();
    if (!/^(moved|grew|shrank) inside |^renamed/.test(name)) printed.set(name, line);
  }
  const zero = (cells) => cells[2] === "0" && !printed.has(cells.at(-1).replace(/ \((partial-)?inline\)$/, ""));
  const byCum = / -cum/.test(command), wanted = body.filter((cells) => !zero(cells));
  check((wanted.length > 0 || /=significant|=grew/.test(command)) && wanted.length === printed.size, `${what}: ${wanted.length} rows are shown, ${printed.size} printed`);
  for (const cells of wanted) {
    const name = cells.at(-1).replace(/ \((partial-)?inline\)$/, ""), line = printed.get(name);
    check(line, `${what}: ${name} is not printed`);
    const words = squeeze(line).split(" "), [base, head] = cells;
    if (byCum) check(squeeze(line).includes(` ${cells[2].split(" ")[0]} `), `${what}: ${cells} is printed as ${line}`);
    else check(words[0] === base && words[1] === head && words[2] === cells[2].split(" ")[0] && squeeze(line).includes(cells[4]), `${what}: ${cells} is printed as ${line}`);
  }
}

/** Compares a report that the view shows as text. */
const body = (view) => textOf(view).split("\n").map(squeeze).filter(Boolean);

function peek({ view }, text, what) {
  const shown = body(view).filter((l) => /\|/.test(l) || /^-?[\d.]+\S* /.test(l)), printed = text.split("\n").slice(0).map(squeeze).filter((l) => /\|/.test(l) || /^-?[\d.]+\S* [\d.]/.test(l));
  const rows = (list) => list.filter((l) => l.includes("|"));
  same(rows(shown), rows(printed).filter((l) => !/^flat flat%/.test(l) && !/calls calls%/.test(l)), what);
}

/** Compares the lines of source with costs. */
function source({ view }, text, what) {
  const costs = (lines) => [...new Set(lines.map((l) => /^(\d+) (\S+) (\S+) /.exec(squeeze(l))?.slice(1).join(" ")).filter((l) => l && !l.endsWith(". .")))].sort();
  same(costs(body(view)), costs(textOf(text).split("\n")), what);
}

/** Compares the views of code: without a function, they list the functions of -top. */
function listed({ view }, text, what) {
  const shown = [...view.matchAll(/data-name="([^"]*)"[^>]*data-self="([^"]*)" data-total="([^"]*)"/g)].map((m) => `${m[2]} ${m[3]} ${textOf(m[1])}`);
  const printed = text.split("\n").map((line) => /^\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%\s+(\S.*)$/.exec(line)).filter(Boolean);
  same(shown, printed.map((m) => `${m[1]} ${m[2]} ${m[3].replace(/ \((partial-)?inline\)$/, "")}`), what);
}

function disasm({ view }, text, what) {
  const costs = (lines) => lines.map((l) => /^(\S+) (\S+) ([0-9a-f]+): /.exec(squeeze(l))?.slice(1).join(" ")).filter((l) => l && !l.startsWith(". . "));
  same(costs(body(view)), costs(text.split("\n")), what);
}

function tags({ rows }, text, what) {
  const printed = [...text.matchAll(/^\s+(\S+) \(\s*([\d.]+%)\): (.*)$/gm)].map((m) => `${m[1]} ${m[2]} ${m[3]}`);
  same(rows.filter((cells) => cells.length > 2).slice(0).map((cells) => cells.map(squeeze).filter(Boolean).join(" ").replace(/ only without$/, "")).filter((r) => /%/.test(r) && /\d/.test(r)).sort(), printed.sort(), what);
}

/** Compares the functions and values of the boxes of the graph. */
function graph({ boxes }, text, what) {
  const printed = [...text.matchAll(/^N\d+ \[label="(.*?)" id=/gm)].map((m) => m[1].replace(/\\n/g, " ").replace(/\\(.)/g, "$1"));
  same(boxes, printed.map(squeeze).sort(), what);
}

const words = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map((m) => textOf(m[1]).replaceAll("&#45;", "-")).join(" ");
function boxesOf(view) {
  return view.split('<g class="node">').slice(1).filter((node) => node.includes("data-name=")).map((node) => squeeze(words(node.split("</a>")[0]))).sort();
}

/** Checks that the downloaded picture has the boxes of the view. */
async function picture(at, query, boxes, what) {
  const svg = await (await fetch(`${at}download?what=svg&${query}`)).text();
  const drawn = svg.split(/<g id="node\d+" class="node">/).slice(1).filter((node) => /<title>N\d+</.test(node)).map((node) => squeeze(words(node.split("</g>")[0])));
  same(boxes, drawn.sort(), `${what}, the downloaded picture`);
}

/** Compares the summary of a picture: totals, largest changes, verdicts. Shares are rounded. */
function summaryOf(html) {
  const summary = JSON.parse(/id="pprofc-summary">([^]*?)<\/script>/.exec(html)[1]);
  return JSON.stringify(summary, (key, value) => (typeof value === "number" ? Number(value.toPrecision(7)) : value), 1);
}

async function flame({ at, query }, text, what) {
  const saved = summaryOf(await (await fetch(`${at}download?what=flame&${query}`)).text());
  same(saved.split("\n"), summaryOf(text).split("\n"), what);
}

async function compare(server, view, query, what) {
  const where = `${what}: ${view}?${query}`, seen = await show(server.at, `${view}?${query}`, where);
  const diff = /class="rows diff/.test(seen.view);
  const text = run(seen.command, where);
  if (process.env.VERBOSE) console.log(where, "\n   ", seen.command);
  if (view === "graph") await picture(server.at, query, (seen.boxes = boxesOf(seen.view)), where);
  if (/  # /.test(seen.command)) return; // the command itself says that it prints other data
  try {
    if (view === "flamegraph") return await flame({ at: server.at, query }, text, `${where}: ${seen.command}`);
    const table = diff ? changedTop : plainTop, code = / -top /.test(seen.command) ? listed : null;
    const how = { top: table, peek, source: code ?? source, disasm: code ?? disasm, tags, graph }[view];
    how(seen, text, `${where}: ${seen.command}`);
  } catch (error) {
    fail(`${where}: ${seen.command}: ${error.stack}`);
  }
}

/** Runs that differ a little, in two folders, with labels. */
function makeRuns() {
  for (const [side, run] of ["base", "head"].flatMap((side) => [1, 2, 3].map((run) => [side, run]))) {
    const lines = [...Array(14).keys()].map((i) => `main;fn${i} ${300 + ((i * 7 + run * 5) % 9) + (side === "head" ? 40 * (i % 4) - 60 * (i % 3) : 0)}`);
    fs.mkdirSync(path.join(work, side), { recursive: true });
    fs.writeFileSync(path.join(work, side, `${run}.folded`), lines.join("\n") + "\n");
  }
  return [`-diff_base=${path.join(work, "base")}`, path.join(work, "head")];
}

const cpu = data("generator_cpu.prof"), faster = data("generator_optimized_cpu.prof"), pair = [`-diff_base=${cpu}`, faster];
const sources = [`-source_path=${data("generator")}`, "-trim_path=example.com/generator"];
const dot = spawnSync("dot", ["-V"]).status === 0;
const cases = [
  ["one profile", [...sources, cpu], { top: ["", "sort=cum&i=runtime", "g=lines&unit=ms", "f=json&rel=t", "mean=t", "noinlines=t", "side=head", "s=json|main&sf=Marshal", "prunefrom=Marshal&h=reflect", "n=7&nf=0.1", "g=addresses", "g=filefunctions&sort=cum"], graph: ["", "f=json&n=20", "g=files"], flamegraph: ["", "f=json", "h=json&si=samples", "s=json|main", "noinlines=t", "g=lines"], peek: ["f=mallocgc", "f=json&unit=ms", "sel=runtime.mallocgc&f=json"], source: ["f=toValue$", "f=toValue$&i=mallocgc", "sel=example.com/generator.toValue"], disasm: [""], tags: [] }],
  ["labels", [data("server_cpu.pb.gz")], { top: ["tf=acorn", "tagroot=tenant", "ti=rank", "tagleaf=phase,tenant"], tags: ["", "f=match", "tf=acorn|birch&unit=ms"], flamegraph: ["tf=acorn"] }],
  ["a base", [`-base=${cpu}`, faster], { top: ["", "only=grew", "side=base", "side=head"], graph: [""], flamegraph: ["", "side=base"], peek: ["f=mallocgc"] }],
  ["a comparison", pair, { top: ["", "only=significant", "only=grew", "only=shrank", "only=new", "only=gone", "only=significant&sort=cum", "dropneg=t", "dropneg=t&only=new", "dropneg=t&sort=cum", "g=lines", "g=lines&dropneg=t", "trim=f", "rows=all", "f=json&only=significant", "mean=t", "side=base", "side=head"], graph: ["", "dropneg=t", "side=base"], flamegraph: ["", "dropneg=t", "f=json", "side=head"], peek: ["f=mallocgc"] }],
  ["switches", ["-noise_cv=0.2", "-alpha=0.3", "-min_samples=20", "-common=off", "-correction=by", "-fcr", "-noise", ...pair], { top: ["", "only=significant", "dropneg=t"], flamegraph: [""] }],
  ["normalized", ["-normalize", ...pair], { top: ["", "only=significant", "only=grew", "dropneg=t", "g=lines", "side=base", "side=head"], graph: ["", "side=head"], flamegraph: ["", "side=head"], peek: ["f=mallocgc", "f=mallocgc&side=head"] }],
  ["runs", makeRuns(), { top: ["", "only=significant", "only=shrank", "dropneg=t", "sort=cum", "h=fn5", "g=lines", "side=base", "side=head"], graph: ["", "side=head"], flamegraph: ["", "norm=t", "side=head"], peek: ["f=fn3", "f=fn3&side=base"] }],
  ["contentions", [`-diff_base=${data("server_mutex.pb.gz")}`, data("server_b_mutex.pb.gz")], { top: ["", "dropneg=t", "g=lines"], flamegraph: [""], peek: ["f=Unlock"] }],
  ["a heap", [`-diff_base=${data("server_heap.pb.gz")}`, data("server_b_heap.pb.gz")], { top: ["", "si=alloc_objects", "si=inuse_space&only=grew", "si=alloc_objects&g=lines"], flamegraph: ["si=alloc_space"] }],
  ["times", [data("imports/calls.cpuprofile")], { top: ["", "t0=40ms&t1=60ms"], flamegraph: ["t0=40ms", "t0=40ms&t1=60ms"], peek: ["f=parse&t1=50ms"], graph: ["t0=40ms"] }],
  ["times of two", [`-diff_base=${data("imports/calls.cpuprofile")}`, data("imports/calls.cpuprofile")], { top: ["side=head&t0=40ms"], flamegraph: ["side=base&t0=40ms&t1=60ms"], peek: ["side=head&t1=50ms&f=parse"] }],
  ["two ranges", ["-noise", "-time_range=40ms,", "-diff_time_range=0s,40ms", data("imports/calls.cpuprofile")], { top: ["", "side=base", "side=head"], flamegraph: [""] }],
  ["named", [`old=${cpu}`, `new=${faster}`], { top: ["", "base=none", "only=significant", "side=base"], flamegraph: [""], peek: ["f=mallocgc"] }],
  ["sums", ["-normalize", `-diff_base=${cpu}`, `-diff_base=${cpu}`, faster], { top: ["", "g=lines", "side=base"], flamegraph: ["side=base"], peek: ["f=mallocgc"] }],
  ["a sum", [`-base=${cpu}`, `-base=${faster}`, cpu], { top: ["", "g=lines", "side=base"], flamegraph: [""] }],
  ["an added base", [`-diff_base=${cpu}`, `-diff_base=${cpu}`, faster, faster, faster], { top: ["", "f=json&only=grew", "side=base", "g=lines"], flamegraph: ["", "side=head"], peek: ["f=mallocgc&side=head"] }],
  ["added up", [cpu, faster], { top: ["", "f=json"], flamegraph: [""], graph: [""] }],
];
const only = process.env.ONLY;
for (const [what, args, views] of cases) {
  if (only && !what.includes(only)) continue;
  const server = await serve(args);
  for (const [view, queries] of Object.entries(views))
    for (const query of queries) if (view !== "graph" || dot) await compare(server, view, query, what);
  server.end();
}
console.log(`${checks} passed, 0 failed`);
process.exit(0);
