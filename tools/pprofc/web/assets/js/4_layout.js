// Draws a call graph if dot is missing or would take too long. The rank of a node is its longest path from a root. Two
// barycentre sweeps order the nodes of each rank. Nodes are boxes, edges are curves.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function svgElement(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Returns the indices of the edges without cycles: drops each edge to a node on the current path from the root. */
function withoutCycles(count, edges) {
  const out = Array.from({ length: count }, () => []), state = new Uint8Array(count), kept = [];
  edges.forEach(([source, target], i) => { if (source !== target) out[source].push([target, i]); });
  for (let root = 0; root < count; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], next = out[top[0]][top[1]++];
      if (!next) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[next[0]] !== 1) {
        kept.push(next[1]);
        if (!state[next[0]]) {
          state[next[0]] = 1;
          stack.push([next[0], 0]);
        }
      }
    }
  }
  return kept;
}

/** Returns the rank of each node: the length of the longest path from a root. `kept` has the edges without cycles. */
function ranksOf(count, edges, kept) {
  const rank = new Int32Array(count), waiting = new Int32Array(count), out = Array.from({ length: count }, () => []);
  for (const i of kept) {
    out[edges[i][0]].push(edges[i][1]);
    waiting[edges[i][1]]++;
  }
  const queue = [...Array(count).keys()].filter((n) => !waiting[n]);
  for (let at = 0; at < queue.length; at++)
    for (const target of out[queue[at]]) {
      rank[target] = Math.max(rank[target], rank[queue[at]] + 1);
      if (!--waiting[target]) queue.push(target);
    }
  return rank;
}

/** Sorts the nodes of each rank by the mean position of their neighbours: from the top down, then up, twice. */
function sweep(layers, edges, place) {
  const above = new Map(), below = new Map();
  const add = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);
  for (const [source, target] of edges) {
    add(below, source, target);
    add(above, target, source);
  }
  const order = (layer, neighbours) => {
    const middle = (n) => {
      const list = neighbours.get(n);
      return list ? list.reduce((sum, other) => sum + place[other], 0) / list.length : place[n];
    };
    const keys = new Map(layer.map((n) => [n, middle(n)]));
    layer.sort((a, b) => keys.get(a) - keys.get(b) || place[a] - place[b]);
    layer.forEach((n, i) => { place[n] = i - layer.length / 2; });
  };
  for (let round = 0; round < 2; round++) {
    for (const layer of layers) order(layer, above);
    for (const layer of [...layers].reverse()) order(layer, below);
  }
}

const BOX = { height: 34, gap: 18, rank: 78, letter: 6.2 };

/** Returns the position and the width of each box. */
function layOut(nodes, edges) {
  const rank = ranksOf(nodes.length, edges, withoutCycles(nodes.length, edges));
  const layers = [], place = new Float64Array(nodes.length);
  nodes.forEach((node, n) => (layers[rank[n]] ??= []).push(n));
  for (let r = 0; r < layers.length; r++) (layers[r] ??= []).forEach((n, i) => { place[n] = i - layers[r].length / 2; });
  sweep(layers, edges, place);
  const spots = [];
  layers.forEach((layer, r) => {
    const widths = layer.map((n) => Math.min(Math.max(nodes[n].label.length, 14) * BOX.letter + 14, 300));
    let x = -(widths.reduce((a, b) => a + b, 0) + BOX.gap * (layer.length - 1)) / 2;
    layer.forEach((n, i) => {
      spots[n] = { x, y: r * BOX.rank, width: widths[i] };
      x += widths[i] + BOX.gap;
    });
  });
  return spots;
}

function shortened(name) {
  const text = name.replace(/^.*\/(?=[^/]*$)/, "");
  return text.length > 44 ? `${text.slice(0, 22)}…${text.slice(-21)}` : text;
}

function drawNode(node, spot) {
  const cost = node.self === node.total || node.self === "0" ? node.total : `${node.self} of ${node.total}`;
  const link = svgElement("a", { href: node.link },
    svgElement("title", {}, `${node.name} (${node.total})`),
    svgElement("rect", { x: spot.x, y: spot.y, width: spot.width, height: BOX.height, rx: 3 }),
    svgElement("text", { x: spot.x + 7, y: spot.y + 14 }, node.label),
    svgElement("text", { x: spot.x + 7, y: spot.y + 28 }, cost));
  Object.assign(link.dataset, { name: node.function, self: node.self, total: node.total,
    share: `${(Math.abs(node.share) * 100).toFixed(2)}%` });
  const kind = document.documentElement.dataset.side === "diff" && (node.share > 0 ? "grew" : "shrank");
  return svgElement("g", { class: `node ${kind || ""}` }, link);
}

function drawEdge(nodes, spots, [source, target, share, value, residual]) {
  const a = spots[source], b = spots[target];
  const x1 = a.x + a.width / 2, y1 = a.y + BOX.height, x2 = b.x + b.width / 2, y2 = b.y;
  const bend = source === target ? 40 : Math.max(24, Math.abs(y2 - y1) / 2);
  const path = svgElement("path", { d: `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`,
    "stroke-width": 1 + Math.min(4, Math.abs(share) * 5) }, svgElement("title", {},
    `${nodes[source].name} ${residual ? "..." : "->"} ${nodes[target].name} (${value})`));
  if (residual) path.setAttribute("class", "residual");
  return path;
}

/** Returns the SVG of a graph { nodes, edges }, which has the form of the data in the page. */
function drawGraph({ nodes, edges }) {
  for (const node of nodes) {
    const url = viewOf("peek", node.function);
    node.link = url.pathname + url.search;
    node.label = shortened(node.name);
  }
  const spots = layOut(nodes, edges);
  const left = Math.min(...spots.map((s) => s.x)) - 20, right = Math.max(...spots.map((s) => s.x + s.width)) + 20;
  const bottom = Math.max(...spots.map((s) => s.y)) + BOX.height + 20;
  const group = svgElement("g", { class: "graph own-layout" }, ...edges.map((e) => drawEdge(nodes, spots, e)),
    ...nodes.map((node, n) => drawNode(node, spots[n])));
  return svgElement("svg", { viewBox: `${left} -20 ${right - left} ${bottom + 20}` }, group);
}
