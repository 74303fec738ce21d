// Unpacks the data of the viewer into typed arrays. libpprofc/src/flame/pack.c packs the data.
const ORIGINS = ["unknown", "user", "library", "system"];
const STATUS = { unchanged: 0, slower: 1, faster: 2, added: 3, removed: 4 };
const STATUS_NAMES = ["unchanged", "slower", "faster", "added", "removed"];
const STATUS_SIGNS = ["", "▲ ", "▼ ", "+ ", "− "];
const SMALLER = "(smaller frames)"; // name of the box for the nodes that were cut below a node

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Splits the data of the viewer ("PFL1") into parts: JSON about the page, frames, nodes, labels, and perhaps times.
function splitData(buffer) {
  const view = new DataView(buffer), parts = [];
  if (buffer.byteLength < 20 || view.getUint32(0) !== 0x50464c31) throw new Error("this is not the data of a flame graph");
  for (let i = 0, at = 20; i < 4; i++) {
    const size = view.getUint32(4 + 4 * i, true);
    if (at + size > buffer.byteLength) throw new Error("the data of the flame graph is truncated");
    parts.push(new Uint8Array(buffer, at, size));
    at += size;
  }
  const times = new Uint8Array(buffer, parts.reduce((at, part) => at + part.length, 20));
  return { meta: JSON.parse(new TextDecoder().decode(parts[0])), frames: parts[1], nodes: parts[2], groups: parts[3], times };
}

// Reads varints. Numbers with more than 53 bits lose their last digits, because JavaScript numbers are doubles.
class Varints {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  next() {
    let byte = this.bytes[this.at++], value = byte & 127, factor = 128;
    while (byte > 127) {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    }
    return value;
  }
  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// Reads nodes in preorder: [levels up from the previous node + 1, frame + 1, self of each column]. If nodes were cut, `id` is
// the index of a node at the server. A remainder replaces the cut nodes; it has their number and widths.
function readNodes(bytes, meta, columns) {
  const input = new Varints(bytes), count = meta.nodes, base = meta.has_base;
  const tree = {
    n: count, parent: new Int32Array(count), frame: new Int32Array(count), depth: new Uint32Array(count),
    self: [], total: [], id: meta.cut ? new Int32Array(count) : null, cut: new Map(),
  };
  for (let c = 0; c < columns; c++) tree.self.push(new Float64Array(count));
  const path = [0];
  for (let i = 0, id = 0; i < count; i++) {
    const up = input.next(), depth = i ? tree.depth[i - 1] + 1 - up : 0;
    tree.depth[i] = depth;
    tree.parent[i] = i ? path[depth - 1] : -1;
    path[depth] = i;
    const frame = tree.frame[i] = input.next() - 1;
    if (meta.cut && frame === meta.frames) {
      const widths = [];
      tree.id[i] = -1;
      const nodes = input.next();
      for (let k = 0; k < meta.types.length; k++) {
        const head = input.next();
        widths.push(base ? { head, base: input.next(), max: input.next() } : { head, base: 0, max: head });
      }
      tree.cut.set(i, { nodes, widths });
    } else if (meta.cut) {
      tree.id[i] = id += input.next();
    }
    for (let c = 0; c < columns; c++) tree.self[c][i] = input.signed();
  }
  addTotals(tree);
  return tree;
}

function addTotals(tree) {
  tree.total = tree.self.map((self) => sumUp(tree, self));
}

// Returns the totals. In preorder, children follow their parent, so one pass from the last node to the first is enough.
function sumUp(tree, self) {
  const total = Float64Array.from(self);
  for (let i = tree.n - 1; i > 0; i--) total[tree.parent[i]] += total[i];
  return total;
}

// Reads the groups of samples. For each label "key=value", there are the nodes at which the stacks end, and the values.
function readGroups(bytes, groups, columns) {
  const input = new Varints(bytes);
  return groups.map((name) => {
    const count = input.next(), group = { name, node: new Int32Array(count), self: [] };
    for (let c = 0; c < columns; c++) group.self.push(new Float64Array(count));
    let node = 0;
    for (let i = 0; i < count; i++) {
      node += input.next();
      group.node[i] = node;
      for (let c = 0; c < columns; c++) group.self[c][i] = input.signed();
    }
    return group;
  });
}

// Makes the model from the parts that splitData returned. Inflates the parts first.
async function readModel(packed) {
  const { meta } = packed;
  const parts = [packed.frames, packed.nodes, packed.groups, ...(meta.tracks ? [packed.times] : [])];
  const [frameBytes, nodeBytes, groupBytes, timeBytes] = await Promise.all(parts.map(inflate));
  const frames = JSON.parse(new TextDecoder().decode(frameBytes));
  const columns = meta.types.length * (meta.has_base ? 2 : 1);
  const model = {
    meta, columns, types: meta.types, hasBase: meta.has_base,
    name: frames.name, file: frames.file, fileOf: frames.file_of, line: frames.line,
    origin: frames.origin, inlined: frames.inlined, pack: frames.package, packOf: frames.package_of,
    verdicts: readVerdicts(meta, frames), sums: frames.self ? { self: frames.self, total: frames.total } : null,
    tree: readNodes(nodeBytes, meta, columns), groups: readGroups(groupBytes, meta.groups, columns),
    times: readTimes(timeBytes, meta),
  };
  model.smaller = -1;
  if (meta.cut) model.smaller = addFrame(model, { name: SMALLER, file: "", line: 0, origin: 0, inlined: 0, pack: "" });
  return model;
}

function addFrame(model, frame) {
  const intern = (list, text) => {
    const at = list.indexOf(text);
    return at < 0 ? list.push(text) - 1 : at;
  };
  model.fileOf.push(intern(model.file, frame.file));
  model.packOf.push(intern(model.pack, frame.pack));
  model.line.push(frame.line);
  model.origin.push(frame.origin);
  model.inlined.push(frame.inlined);
  return model.name.push(frame.name) - 1;
}

const frameKey = (m, i) => [m.name[i], m.file[m.fileOf[i]], m.line[i], m.inlined[i]].join("\0");

// Returns, for each frame of `part`, the index of the same frame in `model`. Adds new frames to `model`.
function joinFrames(model, part) {
  const known = new Map(model.name.map((name, i) => [frameKey(model, i), i]));
  return part.name.map((name, i) => {
    if (i === part.smaller) return model.smaller;
    const at = known.get(frameKey(part, i));
    if (at !== undefined) return at;
    return addFrame(model, {
      name, file: part.file[part.fileOf[i]], line: part.line[i], origin: part.origin[i], inlined: part.inlined[i],
      pack: part.pack[part.packOf[i]],
    });
  });
}

// Replaces a node of the model and all nodes below it by the nodes of `part`.
function joinPart(model, node, part) {
  const from = model.tree, add = part.tree, frames = joinFrames(model, part);
  let end = node + 1;
  while (end < from.n && from.depth[end] > from.depth[node]) end++;
  const n = from.n - (end - node) + add.n, moved = add.n - (end - node);
  const tree = {
    n, parent: new Int32Array(n), frame: new Int32Array(n), depth: new Uint32Array(n), id: new Int32Array(n), cut: new Map(),
    self: from.self.map(() => new Float64Array(n)),
  };
  const copy = (to, source, i, parent, depth, frame) => {
    tree.parent[to] = parent;
    tree.depth[to] = depth;
    tree.frame[to] = frame;
    tree.id[to] = source.id[i];
    if (source.cut.has(i)) tree.cut.set(to, source.cut.get(i));
    for (let c = 0; c < tree.self.length; c++) tree.self[c][to] = source.self[c][i];
  };
  for (let i = 0; i < node; i++) copy(i, from, i, from.parent[i], from.depth[i], from.frame[i]);
  for (let i = 0; i < add.n; i++)
    copy(node + i, add, i, i ? node + add.parent[i] : from.parent[node], from.depth[node] + add.depth[i],
      add.frame[i] < 0 ? -1 : frames[add.frame[i]]);
  for (let i = end; i < from.n; i++) {
    const parent = from.parent[i];
    copy(i + moved, from, i, parent >= end ? parent + moved : parent, from.depth[i], from.frame[i]);
  }
  addTotals(tree);
  model.tree = tree;
  if (model.verdicts && part.verdicts) model.verdicts = new Map([...model.verdicts, ...part.verdicts]);
}

function fileName(model, frame) {
  const file = model.file[model.fileOf[frame]];
  return file && model.line[frame] ? file + ":" + Math.abs(model.line[frame]) : file;
}

// Returns text after a file and line: a negative line is the smallest line of the samples, because the first line of the
// function is unknown.
const lineNote = (model, frame) => (model.line[frame] < 0 ? " (first line seen)" : "");

// ---- numbers -------------------------------------------------------------------------------------

const FAMILIES = [
  [["nanoseconds", 1e-9], ["ns", 1e-9], ["microseconds", 1e-6], ["us", 1e-6], ["milliseconds", 1e-3],
   ["ms", 1e-3], ["seconds", 1], ["s", 1]],
  [["bytes", 1], ["b", 1], ["kb", 1024], ["mb", 1048576], ["gb", 1073741824]],
];
const TIME = [[3600, "h"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const SIZE = [[1099511627776, "TB"], [1073741824, "GB"], [1048576, "MB"], [1024, "kB"], [1, "B"]];

// Formats a value. `unit` is the name of a unit, or { whole } to print percent of `whole`.
function formatValue(value, unit) {
  if (unit.whole) return (100 * value / unit.whole).toFixed(2) + "%";
  if (unit === "%") return value.toFixed(2) + "%";
  const [number, suffix] = scaled(value, unit, value);
  return trim(number.toFixed(2)) + suffix;
}

// Formats half of the interval of a value, with the unit and the number of decimals of the value.
function formatHalf(half, unit, value) {
  if (unit.whole || unit === "%") return formatValue(half, unit);
  const [number, suffix] = scaled(half, unit, value || half);
  const digits = (formatValue(value, unit).split(".")[1] || "").replace(/\D/g, "").length;
  const text = number.toFixed(digits);
  return (Number(text) ? grouped(text) : trim(number.toFixed(2))) + suffix;
}

// Returns [number, unit] for a value. The unit is the one that fits `like`.
function scaled(value, unit, like) {
  const known = FAMILIES.map((f) => f.find((u) => u[0] === unit.toLowerCase()));
  const scale = known[0] ? TIME : known[1] ? SIZE : null;
  if (!scale) return [value, unit && unit !== "count" ? " " + unit : ""];
  if (!value) return [0, ""];
  const factor = (known[0] || known[1])[1], size = Math.abs(like * factor);
  const step = scale.find((s) => size >= s[0] * 0.9995) || scale[scale.length - 1];
  return [value * factor / step[0], step[1]];
}

const grouped = (text) => text.replace(/^(-?\d+)(?=\.|$)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));

function trim(number) {
  return grouped(number.replace(/\.?0+$/, (zeros) => (zeros.includes(".") ? "" : zeros)));
}

// Returns a percentage with two decimals. A percentage that these would show as 0 has two digits, such as "0.0048%".
function percent(part, whole) {
  const share = whole ? 100 * part / whole : 0;
  return (Math.abs(share) >= 0.005 ? share.toFixed(2) : Number(share.toPrecision(2))) + "%";
}
const signed = (text, value) => (value > 0 ? "+" + text : text);
