// Tests speedscope files, from `pprofc -speedscope` to the real app in a real browser:
//   node speedscope.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
// The files conform to the JSON schema of the npm package. Their sums equal `pprofc -raw`, and the app shows these
// sums.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { begin, browse, fail, findChromium, findPackages, rowsOf, serve, skip } from "./browser.mjs";

const { pprofc, testdata, folders, work } = begin("speedscope");
const chromium = findChromium() ?? skip("no chromium");
const modules =
  findPackages(["speedscope@1.25.0", "ajv@8"], folders) ?? skip("no npm packages speedscope and ajv");
const release = path.join(modules, "speedscope", "dist", "release");

const base = ["-diff_base=generator_cpu.prof", "generator_optimized_cpu.prof"];
const cases = [
  { name: "cpu", args: ["generator_cpu.prof"], inApp: true },
  { name: "memory", args: ["generator_mem.prof"], inApp: true },
  { name: "lines", args: ["-lines", "server_cpu.pb.gz"] },
  { name: "addresses", args: ["-addresses", "-noinlines", "server_cpu.pb.gz"] },
  { name: "filtered", args: ["-focus=no such function", "generator_cpu.prof"], inApp: true },
  { name: "grouped", args: ["-group_by_label=endpoint", "server_cpu.pb.gz"], inApp: true },
  { name: "joined", args: ["-min_weight=0.001", "-cut_depth=20", "generator_cpu.prof"], inApp: true },
  { name: "compared", args: base, inApp: true },
  { name: "normalized", args: ["-normalize", ...base] },
  { name: "subtracted", args: ["-base=generator_mem.prof", "generator_optimized_mem.prof"], inApp: true },
];

function check(condition, what) {
  if (!condition) fail(what);
}

function run(...args) {
  const options = { cwd: testdata, maxBuffer: 1 << 30, env: { ...process.env, TZ: "UTC" } };
  return execFileSync(pprofc, ["-symbolize=none", ...args], { ...options, stdio: ["ignore", "pipe", "ignore"] });
}

// ---- contents of the profile, read from `pprofc -raw` -------------------------------------------------

/** Returns the sample types, and for each type the sums of the samples and of the base's samples. */
function rawSums(args) {
  const text = run("-raw", ...args).toString();
  const lines = text.slice(text.indexOf("\nSamples:\n") + 10, text.indexOf("\nLocations\n")).split("\n");
  const types = lines.shift().split(" ").map((type) => type.replace(/\[dflt\]$/, "").split("/"));
  const sums = types.map(() => ({ head: 0, base: 0, negative: 0 }));
  for (let i = 0; i < lines.length; i++) {
    const sample = lines[i].match(/^((?: +-?\d+)+): (?:\d+ )*$/);
    if (!sample) continue;
    const isBase = /^ {16}.*pprof::base:\[true\]/.test(lines[i + 1] ?? "");
    sample[1].trim().split(/ +/).forEach((text, type) => {
      const value = Number(text);
      if (isBase) sums[type].base -= value;
      else sums[type].head += value;
    });
  }
  return types.map(([name, unit], i) => ({ name, unit, ...sums[i] }));
}

/** Returns the values of the leaf functions of the default sample type, from -top. */
function topFlat(args, unit) {
  const lines = run("-top", `-unit=${unit}`, "-nodecount=0", "-nodefraction=0", ...args).toString().split("\n");
  const first = lines.findIndex((line) => /^ +flat +flat% /.test(line)) + 1;
  const flat = new Map();
  for (const line of lines.slice(first)) {
    const row = line.match(/^ *(-?[\d.]+)\S* +\S+ +\S+ +\S+ +\S+  (.*?)(?: \((?:partial-)?inline\))?$/);
    if (row) flat.set(row[2], (flat.get(row[2]) ?? 0) + Number(row[1]));
  }
  return flat;
}

// ---- checks of the file ---------------------------------------------------------------------------

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function checkShape(file, name) {
  const frames = file.shared.frames.length;
  check(file.activeProfileIndex < file.profiles.length, `${name}: the active profile does not exist`);
  for (const profile of file.profiles) {
    check(profile.samples.length === profile.weights.length, `${name}: samples and weights differ in number`);
    check(profile.weights.every((w) => w > 0), `${name}: a weight is not positive`);
    check(profile.samples.flat().every((f) => f >= 0 && f < frames), `${name}: a frame does not exist`);
    check(sum(profile.weights) === profile.endValue - profile.startValue, `${name}: the end is not the sum`);
    for (let i = 1; i < profile.samples.length; i++)
      check(before(profile.samples[i - 1], profile.samples[i]), `${name}: stacks are not sorted and distinct`);
  }
  const identities = new Set(file.shared.frames.map((f) => JSON.stringify(f)));
  check(identities.size === frames, `${name}: a frame stands in the table twice`);
}

function before(a, b) {
  for (let i = 0; ; i++) {
    if (i === a.length) return i < b.length;
    if (i === b.length || a[i] > b[i]) return false;
    if (a[i] < b[i]) return true;
  }
}

/** Returns the name of a profile without the note that its samples are sums. */
const titleOf = (profile) => profile.name.replace(" (sums, not in time order)", "");

function checkSums(file, args, name) {
  const total = (title) => file.profiles.find((p) => titleOf(p) === title)?.endValue ?? 0;
  for (const { name: type, head, base } of rawSums(args)) {
    if (file.profiles.some((p) => titleOf(p) === type)) {
      check(total(type) === head, `${name}: ${type} is ${total(type)}, not ${head}`);
      continue;
    }
    const change = total(`${type} (slower)`) - total(`${type} (faster)`);
    check(change === head - base, `${name}: ${type} changes by ${change}, not by ${head - base}`);
    if (!args.some((arg) => arg.startsWith("-diff_base"))) continue;
    check(total(`${type} (base)`) === base, `${name}: the base of ${type} is not ${base}`);
    check(total(`${type} (head)`) === head, `${name}: the head of ${type} is not ${head}`);
  }
}

/** Checks that the groups of a type add up to the type. */
function checkGroups(file, args, name) {
  const key = args.find((arg) => arg.startsWith("-group_by_label="))?.split("=")[1];
  if (!key) return;
  const wholes = file.profiles.filter((p) => !titleOf(p).includes(` ${key}=`));
  for (const whole of wholes) {
    const parts = file.profiles.filter((p) => titleOf(p).startsWith(`${titleOf(whole)} ${key}=`));
    check(parts.length > 1, `${name}: ${titleOf(whole)} has no groups`);
    check(sum(parts.map((p) => p.endValue)) === whole.endValue, `${name}: groups of ${titleOf(whole)}`);
  }
}

/** Returns the self value of each function, by name. */
function selfByName(file, profile) {
  const self = new Map();
  profile.samples.forEach((stack, i) => {
    const { name } = file.shared.frames[stack[stack.length - 1]];
    self.set(name, (self.get(name) ?? 0) + profile.weights[i]);
  });
  return self;
}

function checkAgainstTop(file, args, unit) {
  const self = selfByName(file, file.profiles[file.activeProfileIndex]);
  for (const [name, flat] of topFlat(args, unit))
    check((self.get(name) ?? 0) === flat, `${name}: ${self.get(name)} here and ${flat} in -top`);
}

// ---- checks of the app ----------------------------------------------------------------------------

/** Returns a value as the app writes it. */
function shown(value, unit) {
  const scale = { nanoseconds: 1e-9, microseconds: 1e-6, milliseconds: 1e-3, seconds: 1 }[unit];
  if (scale) {
    const s = value * scale;
    if (s >= 60) return `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;
    for (const [least, text] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]])
      if (s >= least) return (s / least).toFixed(2) + text;
    return (s / 1e-9).toFixed(2) + "ns";
  }
  if (unit === "bytes") {
    if (value < 1024) return `${value.toFixed(0)} B`;
    const names = ["KB", "MB", "GB"];
    let i = 0;
    for (value /= 1024; value >= 1024 && i < 2; i++) value /= 1024;
    return `${value.toFixed(2)} ${names[i]}`;
  }
  return value.toLocaleString("en-US");
}

/** The app's page. An alert or a message in the console becomes an attribute. */
const page = fs.readFileSync(path.join(release, "index.html"), "utf8").replace(
  "<body>",
  `<body><script>
     const note = (key, value) => document.documentElement.setAttribute(key, String(value));
     window.alert = (text) => note("data-alert", text);
     addEventListener("error", (event) => note("data-failure", event.message));
     addEventListener("unhandledrejection", (event) => note("data-failure", event.reason));
   </script>`,
);

async function checkApp(origin, file, name) {
  const url = `${origin}/app/pprofc.html#profileURL=/files/${name}.speedscope.json&view=sandwich`;
  const dom = await browse(chromium, url, ["--dump-dom"]);
  const complaint = dom.match(/data-(?:alert|failure)="[^"]*"/);
  check(!complaint, `${name}: the app says ${complaint}`);
  check(dom.includes(`<title>${file.name} - speedscope</title>`), `${name}: the app did not load it`);
  const rows = rowsOf(dom);
  if (file.profiles.length > 1)
    file.profiles.forEach((profile, i) => {
      const row = rows.find((r) => r[0] === String(i + 1) && r[1] === profile.name);
      const wanted = shown(profile.endValue, profile.unit);
      check(row && row[2] === wanted, `${name}: ${profile.name} is ${row}, not ${wanted}`);
    });
  const active = file.profiles[file.activeProfileIndex];
  const largest = [...selfByName(file, active)].sort((a, b) => b[1] - a[1]).slice(0, 5);
  for (const [symbol, self] of largest) {
    const row = rows.find((r) => r[2] === symbol);
    const wanted = shown(self, active.unit);
    check(row && row[1].startsWith(`${wanted} (`), `${name}: ${symbol} is ${row}, not ${wanted}`);
  }
  return largest.length;
}

// ---- main ------------------------------------------------------------------------------------------

const { default: Ajv } = await import(path.join(modules, "ajv", "dist", "ajv.js"));
const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json"), "utf8"));
const validate = new (Ajv.default ?? Ajv)({ strict: false }).compile(schema);
const server = await serve([
  { at: "/app/pprofc.html", text: page },
  { at: "/app/", folder: release },
  { at: "/files/", folder: work },
]);
for (const { name, args, inApp } of cases) {
  const target = path.join(work, `${name}.speedscope.json`);
  run("-speedscope", `-output=${target}`, ...args);
  const file = JSON.parse(fs.readFileSync(target, "utf8"));
  check(validate(file), `${name}: not valid: ${JSON.stringify(validate.errors)}`);
  checkShape(file, name);
  checkSums(file, args, name);
  checkGroups(file, args, name);
  if (name === "cpu") checkAgainstTop(file, args, "nanoseconds");
  const functions = inApp ? await checkApp(server.origin, file, name) : 0;
  console.log(`${name}: ${file.profiles.length} profiles, ${file.shared.frames.length} frames` +
    (inApp ? `, the app shows their totals and ${functions} functions` : ""));
}
server.close();
