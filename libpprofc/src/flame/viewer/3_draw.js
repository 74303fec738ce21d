// Boxes on a canvas of the size of the window, for graphs of any size. Scrolling draws other rows.

const ROW = 18, LEAST = 0.5;

class Drawing {
  constructor(canvas, app) {
    this.canvas = canvas;
    this.app = app;
    this.context = canvas.getContext("2d");
    this.rows = new Map(); // row number to the boxes drawn in it, left to right: for the mouse
    this.scroll = 0;
  }

  // Shows `view` with `root` as wide as the canvas. Ancestors of root fill the rows before it.
  show(view, place, root) {
    Object.assign(this, { view, place, root });
    const width = place.width[root] || 1;
    this.unit = this.canvas.clientWidth / width;
    this.left = place.x[root];
    this.clampScroll();
    this.paint();
  }

  get rowsHigh() { return this.place.deepest + 1; }
  clampScroll() {
    const most = Math.max(0, this.rowsHigh * ROW - this.canvas.clientHeight);
    this.scroll = Math.max(0, Math.min(most, this.scroll));
  }
  rowOf(depth) { return this.app.state.icicle ? depth : this.place.deepest - depth; }

  paint() {
    const ratio = window.devicePixelRatio || 1, { canvas, context: c } = this;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    c.font = "12px " + getComputedStyle(document.body).fontFamily;
    c.textBaseline = "middle";
    this.rows.clear();
    this.charWidth = c.measureText("abcdefghijklmnopqrstuvwxyz.").width / 27;
    for (let up = this.root; up >= 0; up = this.view.parent[up]) this.paintBox(up, 0, w);
    this.paintBelow(this.root);
  }

  // Draws the levels below until boxes are too narrow. Neighbours that are too narrow for a box of their own share one.
  paintBelow(from) {
    const { view, place } = this, stack = [from];
    while (stack.length) {
      const node = stack.pop();
      let tinyFrom = -1, tinyTo = 0;
      const flush = () => {
        if (tinyFrom >= 0 && tinyTo - tinyFrom >= LEAST) this.paintTiny(view.depth[node] + 1, tinyFrom, tinyTo - tinyFrom);
        tinyFrom = -1;
      };
      for (let child = place.first[node]; child >= 0; child = place.next[child]) {
        const x = (place.x[child] - this.left) * this.unit, width = place.width[child] * this.unit;
        if (width >= LEAST) {
          flush();
          this.paintBox(child, x, width);
          if (place.first[child] >= 0) stack.push(child);
        } else if (width > 0) {
          if (tinyFrom < 0) tinyFrom = x;
          tinyTo = x + width;
        }
      }
      flush();
    }
  }

  visible(depth) {
    const y = this.rowOf(depth) * ROW - this.scroll;
    return y > -ROW && y < this.canvas.clientHeight ? y : null;
  }

  paintTiny(depth, x, width) {
    const y = this.visible(depth);
    if (y === null) return;
    this.context.fillStyle = this.app.theme.smaller;
    this.context.fillRect(x, y + 5, width, ROW - 10);
  }

  paintBox(node, x, width) {
    const y = this.visible(this.view.depth[node]);
    if (y === null) return;
    const row = this.rowOf(this.view.depth[node]), c = this.context, app = this.app;
    if (!this.rows.has(row)) this.rows.set(row, []);
    this.rows.get(row).push({ node, x, width });
    const look = app.look(this.view, node, this.place);
    const above = this.isAbove(node);
    c.globalAlpha = look.dim ? 0.25 : above ? app.theme.above : 1;
    c.fillStyle = look.color;
    c.fillRect(x, y, Math.max(LEAST, width - (width > 3 ? 1 : 0)), ROW - 1);
    if (look.hatch && width > 6) this.hatch(x, y, width - 1);
    if (look.inlined && width > 3) c.fillStyle = app.theme.inline, c.fillRect(x, y, width - 1, 1);
    if (node === app.selected) {
      c.strokeStyle = app.theme.ink;
      c.lineWidth = 2;
      c.strokeRect(x + 1, y + 1, Math.max(1, width - 3), ROW - 3);
    }
    c.globalAlpha = look.dim ? 0.6 : 1;
    c.fillStyle = above || look.dim ? app.theme.ink : "#111";
    if (width > 20) this.paintLabel(look.sign + app.label(this.view.frame[node]), x, y, width);
    c.globalAlpha = 1;
  }

  isAbove(node) {
    return this.view.depth[node] < this.view.depth[this.root];
  }

  // Lines over boxes that are new or gone, so that color is not the only mark.
  hatch(x, y, width) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, width, ROW - 1);
    c.clip();
    c.strokeStyle = "rgba(0,0,0,.22)";
    c.lineWidth = 1;
    c.beginPath();
    const from = Math.max(x - ROW, -ROW), to = Math.min(x + width, this.canvas.clientWidth);
    for (let at = from; at < to; at += 7) c.moveTo(at, y + ROW), c.lineTo(at + ROW, y);
    c.stroke();
    c.restore();
  }

  paintLabel(text, x, y, width) {
    const from = Math.max(x, 0), to = Math.min(x + width, this.canvas.clientWidth);
    const room = Math.floor((to - from - 6) / this.charWidth);
    if (room < 2) return;
    const shown = text.length <= room ? text : text.slice(0, Math.max(1, room - 1)) + "…";
    this.context.fillText(shown, from + 3, y + ROW / 2);
  }

  nodeAt(x, y) {
    const boxes = this.rows.get(Math.floor((y + this.scroll) / ROW));
    if (!boxes) return -1;
    const box = boxes.find((b) => x >= b.x && x < b.x + b.width);
    return box ? box.node : -1;
  }

  reveal(node) {
    const y = this.rowOf(this.view.depth[node]) * ROW;
    if (y < this.scroll) this.scroll = y;
    else if (y + ROW > this.scroll + this.canvas.clientHeight) this.scroll = y + ROW - this.canvas.clientHeight;
    this.clampScroll();
  }
}

// ---- colors ----------------------------------------------------------------------------------------------

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const byHash = (text) => "hsl(" + (hashOf(text) % 360) + " 55% 74%)";
const warm = (text) => {
  const h = hashOf(text);
  return "rgb(" + (215 + h % 40) + " " + (100 + (h >>> 8) % 120) + " " + (50 + (h >>> 16) % 40) + ")";
};
const ORIGIN_COLORS = ["#c9c9c9", "#f2b04c", "#8ec1e0", "#b9a1d6"];
const BOTTLENECK_COLORS = { instruction: "#8fc98b", cache: "#f0cf5a", memory: "#ef8a62", system: "#a99bd1", mixed: "#cfcfcf" };

// Orange for more, blue for less. The square root of the share makes small changes visible.
function changeColor(delta, most) {
  const share = most > 0 ? Math.min(1, Math.sqrt(Math.abs(delta) / most)) : 0;
  const mix = (a, b) => Math.round(a + (b - a) * share);
  if (!delta) return "#d9d9d9";
  return delta > 0 ? `rgb(${mix(253, 213)} ${mix(224, 94)} ${mix(200, 10)})`
    : `rgb(${mix(209, 49)} ${mix(229, 130)} ${mix(240, 189)})`;
}
