// The strip above the graph. It shows activity over time as stacked areas. The user drags to choose a range of time.

const MOST_LAYERS = 12, AXIS = 13, STRIPS = ["package", "thread"];

class Strip {
  constructor(canvas, app) {
    Object.assign(this, { canvas, app, picture: document.createElement("canvas") });
    this.context = canvas.getContext("2d");
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      canvas.setPointerCapture(e.pointerId);
      this.start = this.end = e.offsetX;
      app.parts.tip.hidden = true;
    });
    canvas.addEventListener("pointermove", (e) => {
      if (this.start === undefined) return this.hover(e);
      this.end = Math.max(0, Math.min(canvas.clientWidth, e.offsetX));
      this.paint();
    });
    canvas.addEventListener("pointerup", () => this.drop());
    canvas.addEventListener("pointercancel", () => { this.start = undefined; this.paint(); });
    canvas.addEventListener("pointerleave", () => { app.parts.tip.hidden = true; });
  }
  get width() { return this.canvas.clientWidth; }
  timeAt(x) { return x / this.width * this.app.model.times.duration; }
  // Returns the range that the user has dragged over so far, or null for a click.
  get dragged() {
    const { start, end } = this;
    return start === undefined || Math.abs(end - start) < 4 ? null : { from: this.timeAt(Math.min(start, end)), to: this.timeAt(Math.max(start, end)) };
  }
  drop() {
    const range = this.dragged;
    if (this.start === undefined) return;
    this.start = undefined;
    this.app.setRange(range);
  }

  // Returns `list`, the layers { name, color } of the picture, largest first, and `of`, the layer of each event.
  layers() {
    const { app } = this, { model } = app, { times, tree } = model, origin = app.coloring === "origin";
    const key = [app.state.type, app.state.strip, origin].join();
    if (this.key === key) return this.known;
    const of = new Uint32Array(times.node.length), sums = [];
    let names = [], colors = [];
    if (app.state.strip === "thread") {
      times.tracks.forEach(({ name, number, first, end }, i) => {
        of.fill(i, first, end);
        names.push(name);
        colors.push(`hsl(${(number * 137 + 210) % 360} 58% 74%)`);
      });
    } else {
      names = origin ? ORIGIN_WORDS : model.pack.concat(model.file);
      colors = origin ? ORIGIN_COLORS : names.map((name) => byPackage(name, ""));
      const layer = (frame) => (origin ? model.origin[frame] : model.pack[model.packOf[frame]] ? model.packOf[frame] : model.pack.length + model.fileOf[frame]);
      for (let i = 0; i < of.length; i++) {
        const frame = tree.frame[times.node[i]];
        of[i] = frame < 0 ? names.length : layer(frame);
      }
    }
    for (let i = 0; i < of.length; i++) sums[of[i]] = (sums[of[i]] ?? 0) + times.to[i] - times.from[i];
    const order = [...sums.keys()].filter((i) => sums[i]).sort((a, b) => sums[b] - sums[a]), rank = new Uint8Array(sums.length);
    order.forEach((layer, i) => { rank[layer] = Math.min(i, MOST_LAYERS); });
    for (let i = 0; i < of.length; i++) of[i] = rank[of[i]];
    const list = order.slice(0, MOST_LAYERS).map((i) => ({ name: names[i] || "unknown", color: colors[i] ?? "#d9d9d9" }));
    if (order.length > MOST_LAYERS) list.push({ name: "other", color: "#c9c9c9" });
    this.key = key;
    return (this.known = { list, of });
  }

  // Returns the time of each layer in each pixel column: sums[pixel * layers + layer].
  bins(w) {
    const { times } = this.app.model, { list, of } = this.layers(), many = list.length, sums = new Float64Array(w * many), unit = w / times.duration;
    for (let i = 0; i < of.length; i++) {
      const from = times.from[i] * unit, to = Math.min(w, times.to[i] * unit);
      for (let x = Math.max(0, Math.floor(from)); x < to; x++) sums[x * many + of[i]] += Math.min(to, x + 1) - Math.max(from, x);
    }
    return sums;
  }

  paintPicture(w, h) {
    const { list } = this.layers(), many = list.length, c = this.picture.getContext("2d");
    Object.assign(this, { drawn: this.key + w, sums: this.bins(w) });
    Object.assign(this.picture, { width: w, height: h });
    let most = 0;
    for (let x = 0; x < w; x++) {
      let sum = 0;
      for (let k = 0; k < many; k++) sum += this.sums[x * many + k];
      most = Math.max(most, sum);
    }
    const y = new Float64Array(w).fill(h);
    list.forEach(({ color }, k) => {
      c.fillStyle = color;
      for (let x = 0; x < w; x++) {
        const high = this.sums[x * many + k] / most * h;
        if (high > 0) c.fillRect(x, y[x] -= high, 1, high + 0.5);
      }
    });
  }

  paint() {
    const { canvas, context: c, app, width: w } = this, h = canvas.clientHeight, low = h - AXIS;
    if (!w) return;
    this.layers();
    if (this.drawn !== this.key + w) this.paintPicture(w, low);
    const ratio = window.devicePixelRatio || 1, { duration } = app.model.times, x = (ns) => ns / duration * w;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    c.drawImage(this.picture, 0, 0);
    const range = this.dragged ?? rangeOf(app.model, app.state);
    if (range) {
      c.fillStyle = app.theme.page;
      c.globalAlpha = 0.7;
      c.fillRect(0, 0, x(range.from), low);
      c.fillRect(x(range.to), 0, w, low);
      c.globalAlpha = 1;
      c.fillStyle = app.theme.accent;
      for (const edge of [range.from, range.to]) c.fillRect(Math.max(0, Math.min(w - 2, x(edge) - 1)), 0, 2, low);
    }
    if (app.state.timeline) {
      const { timeline: t } = app;
      c.fillStyle = app.theme.accent;
      c.fillRect(x(t.range.from + t.left), low - 2, Math.max(2, x(t.span)), 3);
    }
    c.font = "10px " + getComputedStyle(canvas).fontFamily;
    c.fillStyle = app.theme.ink;
    c.textAlign = "center";
    const { step, at } = ticksOf(0, duration, w);
    for (const [value, place] of at) {
      c.fillRect(Math.round(place), low, 1, 3);
      c.fillText(timeText(value, step), place, h - 2);
    }
    const words = rangeText(app.model, range), place = app.parts.range;
    if (place.textContent !== words) place.textContent = words; // a screen reader reads each change
  }

  // Shows a tooltip with the time at the pointer and the largest layers at this time.
  hover(e) {
    if (e.pointerType === "touch" || !this.sums) return;
    const { list } = this.layers(), x = Math.max(0, Math.min(this.width - 1, Math.floor(e.offsetX))), { duration } = this.app.model.times;
    const parts = list.map(({ name }, k) => [name, this.sums[x * list.length + k]]).filter((part) => part[1] > 0.01).sort((a, b) => b[1] - a[1]);
    const sum = parts.reduce((all, part) => all + part[1], 0);
    this.app.showTip(e, timeText(this.timeAt(x), duration / 1000), parts.slice(0, 5).map(([name, part]) => name + " " + Math.round(100 * part / sum) + "%"));
  }
}
