// Makes the view: the tree that the page shows, with the values of one sample type, and the positions of its boxes. This tree
// differs from the model's tree if stacks are reversed, cut or filtered.

// Returns the tree of the model with the values of one sample type, for head and base.
function baseView(model, state) {
  const t = model.tree, type = state.type, group = model.groups[state.group];
  const [headFactor, baseFactor] = valueFactors(model, type), range = rangeOf(model, state);
  const column = (c, factor) => {
    const times = (values) => (factor === 1 ? values : values.map((value) => value * factor));
    if (range) {
      const self = valuesInRange(model.times, type, range, t.n);
      return [times(self), times(sumUp(t, self))];
    }
    if (!group) return [times(t.self[c]), times(t.total[c])];
    const self = new Float64Array(t.n);
    group.node.forEach((node, i) => { self[node] += group.self[c][i]; });
    return [times(self), times(sumUp(t, self))];
  };
  const [selfHead, head] = column(type, headFactor);
  const [selfBase, base] = model.hasBase ? column(model.types.length + type, baseFactor)
    : [new Float64Array(t.n), new Float64Array(t.n)];
  return { n: t.n, parent: t.parent, frame: t.frame, depth: t.depth, selfHead, selfBase, head, base, cut: t.cut, id: t.id };
}

// A prefix tree under construction. A map finds the child of a node that has a frame.
class Trie {
  constructor(frames) {
    this.frames = frames + 2;
    this.children = new Map();
    this.parent = [-1];
    this.frame = [-1];
    this.depth = [0];
    this.selfHead = [0];
    this.selfBase = [0];
  }
  child(parent, frame) {
    const key = parent * this.frames + frame + 1;
    let node = this.children.get(key);
    if (node !== undefined) return node;
    node = this.parent.length;
    this.children.set(key, node);
    this.parent.push(parent);
    this.frame.push(frame);
    this.depth.push(this.depth[parent] + 1);
    this.selfHead.push(0);
    this.selfBase.push(0);
    return node;
  }
  add(node, head, base) {
    this.selfHead[node] += head;
    this.selfBase[node] += base;
  }
  view() {
    const view = {
      n: this.parent.length, parent: Int32Array.from(this.parent), frame: Int32Array.from(this.frame),
      depth: Uint32Array.from(this.depth), selfHead: Float64Array.from(this.selfHead),
      selfBase: Float64Array.from(this.selfBase),
    };
    view.head = sumUp(view, view.selfHead);
    view.base = sumUp(view, view.selfBase);
    return view;
  }
}

const SYSTEM = ORIGINS.indexOf("system");

// True if the view is the unchanged tree of the file.
const isPlain = (s) => !s.reverse && !s.sandwich && !s.focus && !s.hide && !s.collapse && s.system;

// Makes a new tree from the nodes of `from`, in preorder. place(node, above) returns the new node for a node whose parent
// became `above`. It returns -1 to drop the node and all nodes below it.
function remap(from, trie, place) {
  const to = new Int32Array(from.n);
  for (let i = 1; i < from.n; i++) {
    const above = to[from.parent[i]];
    to[i] = above < 0 ? -1 : place(i, above);
    if (to[i] >= 0) trie.add(to[i], from.selfHead[i], from.selfBase[i]);
  }
  trie.add(0, from.selfHead[0], from.selfBase[0]);
  return Object.assign(trie.view(), { of: mapped(from, to) });
}

// Returns a map from nodes of the model to nodes of a new view, or -1. `to` maps the nodes of the previous view `from`.
const mapped = (from, to) => (from.of ? from.of.map((node) => (node < 0 ? -1 : to[node])) : to);

function filtered(model, from, state) {
  const hidden = matcher(model, state.hide);
  const trie = new Trie(model.name.length);
  return remap(from, trie, (node, above) => {
    const frame = from.frame[node];
    if ((hidden && hidden[frame]) || (!state.system && model.origin[frame] === SYSTEM)) return above;
    if (state.collapse && trie.frame[above] === frame) return above;
    return trie.child(above, frame);
  });
}

// Keeps only the stacks that contain a matching frame. Keeps all stacks if the text is not a regular expression.
function focused(model, from, state) {
  const wanted = matcher(model, state.focus);
  if (!wanted) return from;
  const hit = new Uint8Array(from.n), keep = new Uint8Array(from.n);
  for (let i = 1; i < from.n; i++) hit[i] = hit[from.parent[i]] || wanted[from.frame[i]] ? 1 : 0;
  for (let i = from.n - 1; i > 0; i--) {
    if (hit[i]) keep[i] = 1;
    if (keep[i]) keep[from.parent[i]] = 1;
  }
  const trie = new Trie(model.name.length), to = new Int32Array(from.n);
  for (let i = 1; i < from.n; i++) {
    const above = to[from.parent[i]];
    to[i] = above < 0 || !keep[i] ? -1 : trie.child(above, from.frame[i]);
    if (to[i] >= 0 && hit[i]) trie.add(to[i], from.selfHead[i], from.selfBase[i]);
  }
  return Object.assign(trie.view(), { of: mapped(from, to.map((node, i) => (hit[i] ? node : -1))) });
}

// Returns the tree that begins at the leaves. It shows the callers of expensive functions.
function reversed(model, from) {
  const trie = new Trie(model.name.length);
  for (let i = 1; i < from.n; i++) {
    if (!from.selfHead[i] && !from.selfBase[i]) continue;
    let node = 0;
    for (let up = i; up > 0; up = from.parent[up]) node = trie.child(node, from.frame[up]);
    trie.add(node, from.selfHead[i], from.selfBase[i]);
  }
  trie.add(0, from.selfHead[0], from.selfBase[0]);
  return trie.view();
}

// Returns the frames of the function `text`. If there is no such function, uses `text` as a regular expression.
function framesOf(model, text) {
  const exact = Uint8Array.from(model.name, (name) => (name === text ? 1 : 0));
  if (exact.includes(1)) return exact;
  return matcher(model, text) || exact;
}

// Returns the tree of callees and the tree of callers of the functions that match. Of recursive calls, only the outermost
// counts.
function sandwiched(model, from, text) {
  const down = new Trie(model.name.length), up = new Trie(model.name.length);
  const to = new Int32Array(from.n), wanted = framesOf(model, text);
  for (let i = 1; i < from.n; i++) {
    const inside = to[from.parent[i]];
    if (inside) {
      to[i] = down.child(inside, from.frame[i]);
    } else if (wanted[from.frame[i]]) {
      to[i] = down.child(0, from.frame[i]);
      let node = up.child(0, from.frame[i]);
      for (let k = from.parent[i]; k > 0; k = from.parent[k]) node = up.child(node, from.frame[k]);
      up.add(node, from.head[i], from.base[i]);
    }
    if (to[i]) down.add(to[i], from.selfHead[i], from.selfBase[i]);
  }
  return { callees: down.view(), callers: up.view() };
}

// Returns the views to draw (callers and callees, or a single one), and `source`, the view of all stacks.
function makeViews(model, state) {
  const { type } = state;
  if (model.times) model.times = timesOf(model.times, type);
  const source = baseView(model, state), range = rangeOf(model, state);
  model.rangeTotal = null;
  if (range && state.whole) model.rangeTotal = Number(state.whole.split(",")[type]) * valueFactors(model, type)[0];
  else if (range && !model.meta.totals) model.rangeTotal = source.head[0];
  return { source, views: viewsOf(model, state, source) };
}

function viewsOf(model, state, view) {
  if (isPlain(state)) return [view];
  if (state.focus) view = focused(model, view, state);
  if (state.hide || !state.system || state.collapse) view = filtered(model, view, state);
  if (state.sandwich) {
    const { callees, callers } = sandwiched(model, view, state.sandwich);
    return [callers, callees];
  }
  return [state.reverse ? reversed(model, view) : view];
}

// ---- which frames match -------------------------------------------------------------------------------

// Compiles a regular expression. It ignores case if it has no capital letters or begins with "(?i)".
function expression(text) {
  const rest = text.replace(/^\(\?i\)/, "");
  return new RegExp(rest, rest === text && /[A-Z]/.test(text) ? "" : "i");
}

// Returns a name for use in a path of names. Replaces ";", which separates the names of a path.
const pathName = (name) => name.replaceAll(";", ":");

// Returns the expression that matches only this name.
const exactName = (name) => "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";

function isExpression(text) {
  try { return !!expression(text); } catch (error) { return false; }
}

function matcher(model, text) {
  if (!text || !isExpression(text)) return null;
  const re = expression(text);
  return Uint8Array.from(model.name, (name, i) => (re.test(name) || re.test(fileName(model, i)) ? 1 : 0));
}

// ---- places ----------------------------------------------------------------------------------------------

function statusOf(head, base) {
  if (!difference(head, base)) return STATUS.unchanged;
  if (!base) return STATUS.added;
  if (!head) return STATUS.removed;
  return head > base ? STATUS.slower : STATUS.faster;
}

const MEASURES = {
  head: (h, b) => Math.abs(h), base: (h, b) => Math.abs(b),
  max: (h, b) => Math.max(Math.abs(h), Math.abs(b)), sum: (h, b) => Math.abs(h) + Math.abs(b),
};

// Places the boxes. The width of a node is the width of its self value plus the widths of its children. If there is a base,
// children are sorted by name, so that Base, Head and Diff have the same order. Otherwise the widest child is first.
function layout(model, view, state) {
  const how = state.tab === "head" ? "head" : state.tab === "base" ? "base" : state.width, measure = MEASURES[how];
  const scale = headScale(model, state), [headFactor, baseFactor] = valueFactors(model, state.type);
  const width = new Float64Array(view.n), x = new Float64Array(view.n);
  for (let i = 0; i < view.n; i++) width[i] = measure(view.selfHead[i] * scale, view.selfBase[i]);
  if (view.cut) for (const [i, cut] of view.cut) {
    const w = cut.widths[state.type], head = w.head * headFactor * scale, base = w.base * baseFactor;
    const alike = headFactor * scale === baseFactor;
    width[i] = how === "sum" ? head + base : how === "head" ? head : how === "base" ? base
      : alike ? w.max * baseFactor : Math.max(head, base);
  }
  for (let i = view.n - 1; i > 0; i--) width[view.parent[i]] += width[i];
  const first = new Int32Array(view.n).fill(-1), next = new Int32Array(view.n).fill(-1);
  for (let i = view.n - 1; i > 0; i--) {
    next[i] = first[view.parent[i]];
    first[view.parent[i]] = i;
  }
  sortChildren(view, first, next, model.hasBase ? byName(model, view) : (a, b) => width[b] - width[a] || a - b,
    (i) => view.frame[i] === model.smaller);
  // Parents come before their children, so one pass computes all positions.
  for (let i = 0; i < view.n; i++)
    for (let c = first[i], at = x[i]; c >= 0; at += width[c], c = next[c]) x[c] = at;
  let deepest = 0;
  for (let i = 0; i < view.n; i++) if (width[i] > 0 && view.depth[i] > deepest) deepest = view.depth[i];
  return { width, x, first, next, deepest, scale };
}

// Returns a function that compares nodes by the names of their frames. Frames that were loaded later are not in this order.
function byName(model, view) {
  if (!model.rank || model.rank.length !== model.name.length) {
    const order = model.name.map((name, i) => i);
    order.sort((a, b) => (model.name[a] < model.name[b] ? -1 : model.name[a] > model.name[b] ? 1 : a - b));
    model.rank = new Int32Array(order.length);
    order.forEach((frame, i) => { model.rank[frame] = i; });
  }
  return (a, b) => model.rank[view.frame[a]] - model.rank[view.frame[b]];
}

function sortChildren(view, first, next, compare, isLast) {
  const list = [];
  for (let i = 0; i < view.n; i++) {
    if (first[i] < 0 || next[first[i]] < 0) continue;
    list.length = 0;
    for (let c = first[i]; c >= 0; c = next[c]) list.push(c);
    list.sort((a, b) => isLast(a) - isLast(b) || compare(a, b));
    first[i] = list[0];
    for (let k = 0; k < list.length; k++) next[list[k]] = k + 1 < list.length ? list[k + 1] : -1;
  }
}

// Returns self and total of each function. The total counts only outermost calls. If nodes were cut, the server sent the sums.
function functionTable(model, view, state) {
  if (model.sums && view.cut && state.group < 0) return serverTable(model, state.type);
  const rows = new Map(), chain = [];
  const row = (frame) => {
    let r = rows.get(model.name[frame]);
    if (!r) rows.set(model.name[frame], r = { frame, selfHead: 0, selfBase: 0, head: 0, base: 0, open: 0 });
    return r;
  };
  for (let i = 1; i < view.n; i++) {
    while (chain.length && view.depth[chain[chain.length - 1].node] >= view.depth[i]) chain.pop().row.open--;
    const r = row(view.frame[i]);
    r.selfHead += view.selfHead[i];
    r.selfBase += view.selfBase[i];
    if (!r.open) r.head += view.head[i], r.base += view.base[i];
    r.open++;
    chain.push({ node: i, row: r });
  }
  return [...rows.values()];
}

function serverTable(model, type) {
  const { self, total } = model.sums, base = model.hasBase ? model.types.length + type : -1, rows = [];
  const [headFactor, baseFactor] = valueFactors(model, type);
  for (let frame = 0; frame < self[type].length; frame++) {
    if (frame && model.name[frame] === model.name[frame - 1]) continue;
    rows.push({
      frame, selfHead: self[type][frame] * headFactor, head: total[type][frame] * headFactor,
      selfBase: base < 0 ? 0 : self[base][frame] * baseFactor, base: base < 0 ? 0 : total[base][frame] * baseFactor,
    });
  }
  return rows;
}
