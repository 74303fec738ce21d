// Draws the visible boxes of a graph of any size on a canvas.

const ROW = 20, LEAST = 0.5, BAR = 4;

class Drawing {
  // `callers` is true for the upper half of the view "callers and callees", which grows upwards from its root.
  constructor(canvas, app, callers) {
    Object.assign(this, { canvas, app, callers, scroll: 0, left: 0, span: 1, top: 0 });
    this.context = canvas.getContext("2d");
    this.rows = new Map(); // for the mouse: map from a row number to the boxes in this row, left to right
    this.widths = new Map(); // cached widths of texts
  }

  // `top` is the first depth that has a row.
  show(view, place, top) {
    Object.assign(this, { view, place, top });
    this.left = Math.max(0, Math.min(this.left, place.width[0]));
  }

  look(left, span) {
    const whole = this.place.width[0] || 1;
    this.span = Math.max(whole * 1e-9, Math.min(whole, span));
    this.left = Math.max(0, Math.min(whole - this.span, left));
  }

  // While it paints, the drawing caches the size of the canvas, because browsers need much time to compute this size.
  get width() { return this.size ? this.size.width : this.canvas.clientWidth; }
  get height() { return this.size ? this.size.height : this.canvas.clientHeight; }
  get unit() { return this.width / this.span; } // number of pixels per unit of the values
  get icicle() { return this.app.state.sandwich ? !this.callers : this.app.state.icicle; }
  get rowsHigh() { return Math.max(1, this.place.deepest + 1 - this.top); }
  get mostScroll() { return Math.max(0, this.rowsHigh * ROW - this.height); }
  clampScroll() { this.scroll = Math.max(0, Math.min(this.mostScroll, this.scroll)); }
  rowOf(depth) { return this.icicle ? depth - this.top : this.place.deepest - depth; }
  // A graph that grows upwards begins at the lower edge.
  yOf(row) { return row * ROW - this.scroll + (this.icicle ? 0 : Math.max(0, this.height - this.rowsHigh * ROW)); }
  xOf(value) { return (value - this.left) * this.unit; }

  // Returns the width of a text. Small letters are condensed, if the font has such letters.
  measure(text, small) {
    const key = small ? "\n" + text : text, c = this.context;
    let width = this.widths.get(key);
    if (width !== undefined) return width;
    c.font = small ? this.smallFont : this.font;
    this.widths.set(key, width = c.measureText(text).width);
    c.font = this.font;
    return width;
  }

  paint() {
    const ratio = window.devicePixelRatio || 1, { canvas, context: c, width: w, height: h } = this;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    this.clampScroll();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    const family = getComputedStyle(canvas).fontFamily, font = "12px " + family;
    if (font !== this.font) this.font = font, this.smallFont = "condensed 10.5px " + family, this.widths.clear();
    if (this.widths.size > 20000) this.widths.clear();
    c.font = font;
    c.textBaseline = "middle";
    this.rows.clear();
    this.size = { width: w, height: h };
    this.paintBelow();
    this.size = null;
  }

  // Draws all boxes that are wide enough. Adjacent siblings that are too narrow share a box.
  paintBelow() {
    const { view, place } = this, stack = [];
    if (this.top === 0) this.paintBox(0, this.xOf(0), place.width[0] * this.unit);
    stack.push(0);
    while (stack.length) {
      const node = stack.pop(), depth = view.depth[node] + 1;
      let tinyFrom = -1, tinyTo = 0;
      const flush = () => {
        if (tinyFrom >= 0 && tinyTo - tinyFrom >= LEAST) this.paintTiny(depth, tinyFrom, tinyTo - tinyFrom);
        tinyFrom = -1;
      };
      for (let child = place.first[node]; child >= 0; child = place.next[child]) {
        const x = this.xOf(place.x[child]), width = place.width[child] * this.unit;
        if (x + width < 0) continue;
        if (x > this.width) break;
        if (width >= LEAST) {
          flush();
          if (depth >= this.top) this.paintBox(child, x, width);
          if (place.first[child] >= 0) stack.push(child);
        } else if (width > 0) {
          if (tinyFrom < 0) tinyFrom = x;
          tinyTo = x + width;
        }
      }
      flush();
    }
  }

  // Returns the vertical position of the row of a depth, or null if the row is outside the canvas.
  visible(depth) {
    const y = this.yOf(this.rowOf(depth));
    return y > -ROW && y < this.height ? y : null;
  }

  paintTiny(depth, x, width) {
    const y = depth >= this.top ? this.visible(depth) : null;
    if (y === null) return;
    this.context.fillStyle = this.app.theme.smaller;
    this.context.fillRect(x, y + 6, width, ROW - 12);
  }

  paintBox(node, from, wide) {
    const depth = this.view.depth[node], y = this.visible(depth);
    if (y === null) return;
    const x = Math.max(from, -1), width = Math.min(from + wide, this.width + 1) - x, row = this.rowOf(depth);
    const { context: c, app } = this;
    if (!this.rows.has(row)) this.rows.set(row, []);
    this.rows.get(row).push({ node, x, width, ...this.spot });
    const look = this.lookOf(node), inner = Math.max(LEAST, width - (width > 3 ? 1 : 0));
    c.globalAlpha = look.dim ? 0.25 : 1;
    c.fillStyle = look.color;
    c.fillRect(x, y, inner, ROW - 1);
    if (look.hatch && width > 6) this.hatch(x, y, inner);
    if (look.bar && width > 2) {
      c.fillStyle = BAR_COLORS[look.bar > 0 ? "more" : "less"];
      const to = Math.min(from + Math.min(wide, Math.abs(look.bar) * this.unit), x + inner);
      if (to > x) c.fillRect(x, y + ROW - 1 - BAR, Math.max(1, to - x), BAR);
    }
    if (look.inlined && width > 3) c.fillStyle = app.theme.inline, c.fillRect(x, y, inner, 1);
    c.globalAlpha = 1;
    this.outline(node, x, y, inner);
    if (width > 16) this.paintLabel(look, this.view.frame[node], x, y, width);
  }

  lookOf(node) { return this.app.look(this.view, node, this.place); }
  isPicked() { return !this.callers; }

  // Draws an outline if the box is selected, or is another box of the selected function.
  outline(node, x, y, width) {
    const { app, context: c } = this, selected = node === app.selected && this.isPicked();
    if (!selected && !app.isSame(this.view.frame[node])) return;
    c.strokeStyle = app.theme.ink;
    c.lineWidth = selected ? 3 : 1;
    const inset = c.lineWidth / 2;
    c.strokeRect(x + inset, y + inset, Math.max(1, width - 2 * inset), ROW - 1 - 2 * inset);
  }

  // Draws lines over a box that is new or gone, so that not only the color shows this.
  hatch(x, y, width) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, width, ROW - 1);
    c.clip();
    c.strokeStyle = "rgba(0,0,0,.16)";
    c.lineWidth = 1;
    c.beginPath();
    for (let at = x - ROW; at < x + width; at += 7) c.moveTo(at, y + ROW), c.lineTo(at + ROW, y);
    c.stroke();
    c.restore();
  }

  // Draws the label. If the whole form and more fit, adds the share or the change at the right edge.
  paintLabel(look, frame, x, y, width) {
    const from = Math.max(x, 0) + 2, room = Math.min(x + width, this.width) - from - 2, c = this.context;
    const label = fitLabel(this.app.forms(frame), room, (text, small) => this.measure(text, small), look.sign);
    if (!label) return;
    const middle = y + (ROW - 1) / 2 - (look.bar ? 1.5 : 0), text = look.sign + label.text, { small } = label;
    c.save();
    if (small) c.font = this.smallFont;
    c.beginPath();
    c.rect(from - 2, y, room + 4, ROW - 1);
    c.clip();
    c.fillStyle = look.dim ? this.app.theme.ink : "#111";
    c.fillText(text, from - (small ? TIGHT / 2 : 0), middle);
    const fits = (note) => this.measure(note) <= room - this.measure(text) - 12;
    const more = !small && look.note && look.note.find(fits);
    if (more) c.fillText(more, from + room - this.measure(more), middle);
    c.restore();
  }

  boxAt(x, y) {
    return (this.rows.get(Math.floor((y - this.yOf(0)) / ROW)) ?? []).find((b) => x >= b.x && x < b.x + b.width);
  }
  nodeAt(x, y) { return this.boxAt(x, y)?.node ?? -1; }
  // True if the box was already selected before the click.
  pick(box) { return !!box && box.node === this.app.selected; }

  // Scrolls to the row of a node.
  reveal(node) {
    const y = this.rowOf(this.view.depth[node]) * ROW;
    if (y < this.scroll) this.scroll = y - ROW;
    else if (y + ROW > this.scroll + this.height) this.scroll = y + 2 * ROW - this.height;
    this.clampScroll();
  }
}

// Draws the whole graph in a small strip, with a frame around the part that the large graph shows.
class Minimap {
  constructor(canvas, app) {
    Object.assign(this, { canvas, app, picture: document.createElement("canvas") });
    this.context = canvas.getContext("2d");
    const move = (e) => {
      if (!e.buttons) return;
      const d = app.drawing, whole = d.place.width[0];
      app.moveTo(e.offsetX / canvas.clientWidth * whole - d.span / 2, d.span);
    };
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); move(e); });
    canvas.addEventListener("pointermove", move);
  }

  paint() {
    const { canvas, context: c, app } = this, d = app.drawing, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w) return;
    if (this.of !== d.place || canvas.width !== w || this.looks !== app.looks) this.paintPicture(d, w, h);
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    c.clearRect(0, 0, w, h);
    c.globalAlpha = 0.35;
    c.drawImage(this.picture, 0, 0);
    const whole = d.place.width[0] || 1, x = d.left / whole * w, wide = Math.max(3, d.span / whole * w);
    c.globalAlpha = 1;
    c.drawImage(this.picture, x, 0, wide, h, x, 0, wide, h);
    c.strokeStyle = app.theme.accent;
    c.lineWidth = 2;
    c.strokeRect(x + 1, 1, wide - 2, h - 2);
    this.paintAxis(w, h);
  }

  ticks(w) { return ticksOf(0, this.app.drawing.place.width[0], w).at; }

  // Draws the axis of values at the edge where the graph has the fewest boxes.
  paintAxis(w, h) {
    const { context: c, app } = this, low = app.drawing.icicle;
    c.font = "10px " + getComputedStyle(this.canvas).fontFamily;
    c.textBaseline = low ? "bottom" : "top";
    c.textAlign = "center";
    c.fillStyle = app.theme.ink;
    for (const [value, x] of this.ticks(w)) {
      c.fillRect(Math.round(x), low ? h - 3 : 0, 1, 3);
      c.fillText(formatValue(value, app.unit), x, low ? h - 3 : 4);
    }
  }

  paintPicture(d, w, h) {
    Object.assign(this, { of: d.place, looks: this.app.looks });
    this.picture.width = w;
    this.picture.height = h;
    const c = this.picture.getContext("2d"), { view, place } = d, stack = [0];
    const row = Math.max(1, Math.min(4, Math.floor(h / d.rowsHigh))), unit = w / (place.width[0] || 1);
    while (stack.length) {
      const node = stack.pop(), at = d.rowOf(view.depth[node]);
      const y = d.icicle ? at * row : h - (d.rowsHigh - at) * row;
      c.fillStyle = this.app.look(view, node, place).color;
      if (view.depth[node] >= d.top) c.fillRect(place.x[node] * unit, y, Math.max(1, place.width[node] * unit), row);
      for (let child = place.first[node]; child >= 0; child = place.next[child])
        if (place.width[child] * unit >= 1) stack.push(child);
    }
  }
}

// ---- colors ----------------------------------------------------------------------------------------------

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

// Returns a color for a function of a package. A package has one of 18 hues. Its functions differ a little in lightness.
const byPackage = (pack, name) => "hsl(" + (hashOf(pack) % 18) * 20 + " 58% " + (73 + hashOf(name) % 3 * 4) + "%)";
const warm = (text) => {
  const h = hashOf(text);
  return "rgb(" + (215 + h % 40) + " " + (100 + (h >>> 8) % 120) + " " + (50 + (h >>> 16) % 40) + ")";
};
const ORIGIN_COLORS = ["#c9c9c9", "#f2b04c", "#8ec1e0", "#b9a1d6"];
const BOTTLENECK_COLORS = { instruction: "#8fc98b", cache: "#f0cf5a", memory: "#ef8a62", system: "#a99bd1", mixed: "#cfcfcf" };

// Returns orange for more, blue for less. `pale` is true for a change by the factor that all functions share.
function changeColor(delta, most, pale) {
  const share = (most > 0 ? Math.min(1, Math.sqrt(Math.abs(delta) / most)) : 0) * (pale ? 0.4 : 1);
  const mix = (a, b) => Math.round(a + (b - a) * share);
  return delta > 0 ? `rgb(${mix(253, 240)} ${mix(232, 140)} ${mix(214, 50)})`
    : `rgb(${mix(222, 92)} ${mix(236, 165)} ${mix(246, 220)})`;
}
const BAR_COLORS = { more: "#a63a00", less: "#0b4f8a" };
