// The data of the page: packed by libpprofc/src/flame/html.c, unpacked once into typed arrays.
"use strict";

const ORIGINS = ["unknown", "user", "library", "system"];
const STATUS = { unchanged: 0, slower: 1, faster: 2, added: 3, removed: 4 };
const STATUS_NAMES = ["unchanged", "slower", "faster", "added", "removed"];
const STATUS_SIGNS = ["", "▲ ", "▼ ", "+ ", "− "];

async function unpack(id) {
  const text = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Varints of up to 53 bits. Greater numbers lose their last digits, as every JavaScript number does.
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

// Nodes in preorder: [levels up from the previous node + 1, frame, self of each column].
function readNodes(bytes, count, columns) {
  const input = new Varints(bytes);
  const tree = {
    n: count, parent: new Int32Array(count), frame: new Int32Array(count),
    depth: new Uint32Array(count), self: [], total: [],
  };
  for (let c = 0; c < columns; c++) tree.self.push(new Float64Array(count));
  const path = [0];
  for (let i = 0; i < count; i++) {
    const up = input.next();
    const depth = i ? tree.depth[i - 1] + 1 - up : 0;
    tree.depth[i] = depth;
    tree.parent[i] = i ? path[depth - 1] : -1;
    path[depth] = i;
    tree.frame[i] = input.next() - 1;
    for (let c = 0; c < columns; c++) tree.self[c][i] = input.signed();
  }
  for (let c = 0; c < columns; c++) tree.total.push(sumUp(tree, tree.self[c]));
  return tree;
}

// In preorder children follow their parent, so one pass from the last node to the first adds up the totals.
function sumUp(tree, self) {
  const total = Float64Array.from(self);
  for (let i = tree.n - 1; i > 0; i--) total[tree.parent[i]] += total[i];
  return total;
}

// Samples by label: for each "key=value" the nodes they end in and their values.
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

async function loadModel() {
  const meta = JSON.parse(document.getElementById("pprofc-meta").textContent);
  const [frameBytes, nodeBytes, groupBytes] =
    await Promise.all([unpack("pprofc-frames"), unpack("pprofc-nodes"), unpack("pprofc-groups")]);
  const frames = JSON.parse(new TextDecoder().decode(frameBytes));
  const columns = meta.types.length * (meta.has_base ? 2 : 1);
  return {
    meta, columns, types: meta.types, hasBase: meta.has_base,
    name: frames.name, file: frames.file, fileOf: frames.file_of, line: frames.line,
    origin: frames.origin, inlined: frames.inlined, pack: frames.package, packOf: frames.package_of,
    tree: readNodes(nodeBytes, meta.nodes, columns),
    groups: readGroups(groupBytes, meta.groups, columns),
  };
}

function fileName(model, frame) {
  const file = model.file[model.fileOf[frame]];
  return file && model.line[frame] ? file + ":" + model.line[frame] : file;
}

// ---- numbers -------------------------------------------------------------------------------------

const FAMILIES = [
  [["nanoseconds", 1e-9], ["ns", 1e-9], ["microseconds", 1e-6], ["us", 1e-6], ["milliseconds", 1e-3],
   ["ms", 1e-3], ["seconds", 1], ["s", 1]],
  [["bytes", 1], ["b", 1], ["kb", 1024], ["mb", 1048576], ["gb", 1073741824]],
];
const TIME = [[3600, "h"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const SIZE = [[1099511627776, "TB"], [1073741824, "GB"], [1048576, "MB"], [1024, "kB"], [1, "B"]];

function formatValue(value, unit) {
  const known = FAMILIES.map((f) => f.find((u) => u[0] === unit.toLowerCase()));
  const scale = known[0] ? TIME : known[1] ? SIZE : null;
  if (!scale) return trim(Math.round(value * 100) / 100) + (unit && unit !== "count" ? " " + unit : "");
  const base = Math.abs(value * (known[0] || known[1])[1]);
  if (!base) return "0";
  const step = scale.find((s) => base >= s[0] * 0.9995) || scale[scale.length - 1];
  return (value < 0 ? "-" : "") + trim((base / step[0]).toFixed(2)) + step[1];
}

function trim(number) {
  const text = String(number).replace(/\.?0+$/, (zeros) => (zeros.includes(".") ? "" : zeros));
  return text.replace(/^(-?\d+)(?=\.|$)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));
}

const percent = (part, whole) => (whole ? (100 * part / whole).toFixed(2) + "%" : "0%");
const signed = (text, value) => (value > 0 ? "+" + text : text);
