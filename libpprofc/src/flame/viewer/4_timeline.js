// The timeline: a flame chart in the order of time, with one group of rows for each thread.

const BLOCK = 64; // number of events in a block; a block narrower than a pixel is drawn as one box

class Timeline extends Drawing {
  constructor(canvas, app, labels) {
    super(canvas, app, false);
    Object.assign(this, { labels, picked: null, folded: new Set(), open: [], since: [], runs: [] });
  }
  get icicle() { return true; }
  get rowsHigh() { return this.high; }
  rowOf(depth) { return this.base + depth; }
  look(left, span) { super.look(left, Math.max(1, span)); } // at least a nanosecond

  show(view) {
    const { model, state } = this.app, { duration, node } = model.times, range = rangeOf(model, state) ?? { from: 0, to: duration };
    Object.assign(this, { view, top: 1, range, place: { width: [range.to - range.from], deepest: 0 } });
    this.nodes = view.of ? node.map((one) => Math.max(0, view.of[one])) : node;
    this.groups = model.times.tracks.map((track) => this.group(track));
    this.stack();
    this.picked = null;
  }

  // Returns the data of a thread: its events in the range, their greatest depth, and the blocks of BLOCK events.
  group({ name, number, first, end }) {
    const { from, until: to } = this.app.model.times, { depth } = this.view, { nodes, range } = this;
    while (first < end && to[first] <= range.from) first++;
    while (end > first && from[end - 1] >= range.to) end--;
    const count = Math.ceil((end - first) / BLOCK), node = new Int32Array(count), deep = new Int32Array(count);
    for (let i = first; i < end; i++) {
      const block = Math.floor((i - first) / BLOCK);
      node[block] = (i - first) % BLOCK ? this.meet(node[block], nodes[i]) : nodes[i];
      deep[block] = Math.max(deep[block], depth[nodes[i]]);
    }
    return { name, number, first, end, node, deep, deepest: deep.reduce((a, b) => Math.max(a, b), 0) };
  }

  // Assigns rows to each thread, below the row of the axis.
  stack() {
    this.high = 1;
    for (const group of this.groups) {
      group.row = this.high;
      this.high += 1 + (this.folded.has(group.number) ? 0 : group.deepest);
    }
  }

  // Returns the last common node of the paths to two nodes. Parents have lower indices than their children.
  meet(a, b) {
    const { parent } = this.view;
    while (a !== b) if (a > b) a = parent[a]; else b = parent[b];
    return a;
  }
  above(node, depth) {
    while (this.view.depth[node] > depth) node = this.view.parent[node];
    return node;
  }
  // True if two events count as adjacent. A short gap is permitted, because the timestamps of profilers are inexact.
  joins(last, next) {
    const { from, until: to } = this.app.model.times;
    return from[next] - to[last] <= Math.min(to[last] - from[last], to[next] - from[next]) / 10 + 1;
  }

  paintBelow() {
    const { app } = this, from = this.range.from + this.left, to = from + this.span, tops = this.height / ROW, looks = app.looks + app.state.search;
    if (this.looks !== looks) this.looks = looks, this.colors = [];
    for (const group of this.groups) {
      const y = this.yOf(group.row) / ROW;
      if (this.folded.has(group.number) || y > tops || y + 1 + group.deepest < 0) continue;
      this.base = group.row;
      this.spot = { group };
      this.paintGroup(group, from, to);
    }
    this.paintAxis();
    this.showLabels();
  }

  paintGroup(group, from, to) {
    const t = this.app.model.times, { first, end } = group, { depth } = this.view, pixel = 1 / this.unit;
    let low = first, high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t.until[middle] <= from) low = middle + 1; else high = middle;
    }
    this.last = -1;
    for (let i = low; i < end && t.from[i] < to;) {
      let next = i + 1, node = this.nodes[i], deep = depth[node];
      for (let after = next; next < end; next = after) { // join the events within a pixel: a block, or one event
        const block = (next - first) / BLOCK, last = Math.min(end, next + BLOCK);
        const whole = Number.isInteger(block) && t.until[last - 1] - t.from[i] < pixel;
        after = whole ? last : next + 1;
        if (t.until[after - 1] - t.from[i] >= pixel) break;
        node = this.meet(node, whole ? group.node[block] : this.nodes[next]);
        deep = Math.max(deep, whole ? group.deep[block] : depth[this.nodes[next]]);
      }
      this.enter(i, next - 1, node, deep);
      i = next;
    }
    this.closeTo(0);
    this.runs.forEach((run, row) => this.flush(row));
  }

  // Adds the events first..last, whose common path ends at `node`. Ends the boxes that are not on this path, and begins the
  // others.
  enter(first, last, node, deep) {
    const { from, until: to } = this.app.model.times, { depth, parent } = this.view;
    const same = this.last >= 0 && this.joins(this.last, first) ? this.meet(node, this.open[this.open.length - 1] ?? 0) : 0;
    this.closeTo(depth[same]);
    for (let up = node; up !== same; up = parent[up]) this.open[depth[up] - 1] = up, this.since[depth[up] - 1] = this.inRange(from[first]);
    this.last = last;
    const middle = (first + last) >> 1;
    for (let row = depth[node] + 1; row <= deep; row++)
      this.thin(row, this.above(this.nodes[middle], row), this.pixel(from[first]), this.pixel(to[last]));
  }

  closeTo(depth) {
    const end = this.last < 0 ? 0 : this.inRange(this.app.model.times.until[this.last]);
    while (this.open.length > depth) {
      const row = this.open.length, node = this.open.pop(), from = this.since[row - 1], x = this.pixel(from), wide = this.pixel(end) - x;
      if (wide < 1) { this.thin(row, node, x, x + wide); continue; }
      this.flush(row);
      this.spot = { ...this.spot, from, to: end };
      this.paintBox(node, x, wide);
    }
  }

  pixel(ns) { return this.xOf(ns - this.range.from); }
  // Returns the time of the range that is closest to `ns`, because a box that crosses a bound ends there.
  inRange(ns) { return Math.max(this.range.from, Math.min(this.range.to, ns)); }

  // Joins narrow boxes of a row into boxes of up to three pixels.
  thin(row, node, from, to) {
    const run = this.runs[row];
    if (run && from - run.to < 0.5 && to - run.from < 3) run.to = Math.max(run.to, to);
    else this.flush(row), this.runs[row] = { node, from, to };
  }
  flush(row) {
    const run = this.runs[row], y = run ? this.visible(row) : null;
    this.runs[row] = undefined;
    if (y === null || run.to < 0 || run.from > this.width) return;
    this.context.fillStyle = this.colorOf(run.node);
    this.context.fillRect(run.from, y, Math.max(LEAST, run.to - run.from), ROW - 1);
  }
  colorOf(node) {
    const { app, view } = this, frame = view.frame[node];
    return app.coloring === "value" ? app.look(view, node, app.place).color : this.colors[frame] ??= app.look(view, node, app.place).color;
  }

  lookOf(node) {
    const { from, to } = this.spot;
    return { ...super.lookOf(node), note: [formatValue(to - from, "ns")] };
  }
  isPicked() {
    return !!this.picked && this.picked.from === this.spot.from && this.picked.group === this.spot.group;
  }

  // Draws the axis of time. It covers the boxes that scroll below it.
  paintAxis() {
    const { context: c, app, width: w } = this, { step, at } = ticksOf(this.range.from + this.left, this.span, w);
    c.fillStyle = app.theme.page;
    c.fillRect(0, 0, w, ROW);
    c.fillStyle = app.theme.ink;
    for (const [value, x] of at) {
      c.fillRect(Math.round(x), ROW - 5, 1, 5);
      const text = timeText(value, step), wide = this.measure(text) + 4;
      c.fillText(text, x + wide <= w ? x + 4 : x - wide, ROW / 2);
    }
  }

  // Shows the names of threads. Each is a button that hides or shows the rows of the thread.
  showLabels() {
    const { labels, groups, folded } = this;
    if (labels.of !== groups) {
      labels.of = groups;
      labels.replaceChildren();
      for (const { name, number, first, end } of groups)
        labels.append(button("", () => this.fold(number), { "data-thread": name, title: end - first + " samples" }));
    }
    groups.forEach((group, i) => {
      const y = this.yOf(group.row), label = labels.children[i], shut = folded.has(group.number);
      label.hidden = y < ROW || y > this.height;
      if (label.hidden) return;
      label.style.top = y + "px";
      label.textContent = (shut ? "▸ " : "▾ ") + group.name;
      label.setAttribute("aria-expanded", !shut);
    });
  }

  boxAt(x, y) { return y < ROW ? undefined : super.boxAt(x, y); }

  fold(number) {
    if (!this.folded.delete(number)) this.folded.add(number);
    this.stack();
    this.app.paint();
  }

  // ---- the picked box ----

  // Picks a box. Returns true if the box was already picked.
  pick(box) {
    const again = !!box && !!this.picked && box.from === this.picked.from && box.node === this.picked.node && box.group === this.picked.group;
    this.picked = box ?? null;
    return again;
  }

  // Returns the box at a depth that contains the event `i`.
  boxAround(group, i, depth) {
    const { from, until: to } = this.app.model.times, node = this.above(this.nodes[i], depth), { first, end } = group;
    const same = (k) => this.above(this.nodes[k], depth) === node;
    let low = i, high = i;
    while (low > first && this.joins(low - 1, low) && same(low - 1)) low--;
    while (high + 1 < end && this.joins(high, high + 1) && same(high + 1)) high++;
    return { group, node, from: this.inRange(from[low]), to: this.inRange(to[high]), low, high };
  }

  // Returns the first event of a group that ends after a time.
  eventAt(group, ns) {
    const { until: to } = this.app.model.times;
    let low = group.first, high = group.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle] <= ns) low = middle + 1; else high = middle;
    }
    return low;
  }

  // Returns the first box of a node, or null.
  boxOf(node) {
    const depth = this.view.depth[node];
    for (const group of this.groups)
      for (let i = group.first; i < group.end; i++)
        if (this.above(this.nodes[i], depth) === node) return this.boxAround(group, i, depth);
    return null;
  }

  // Returns the box to which an arrow key leads from the picked box: caller, first callee, or next or previous box of the row.
  neighbour(key) {
    const { picked, view } = this, { depth } = view, group = picked?.group ?? this.groups[0];
    if (!group) return null;
    if (!picked) {
      for (let i = group.first; i < group.end; i++) if (this.nodes[i] > 0) return this.boxAround(group, i, 1);
      return null;
    }
    const d = depth[picked.node], at = this.boxAround(group, this.eventAt(group, picked.from), d);
    if (key === "ArrowUp") return d > 1 ? this.boxAround(group, at.low, d - 1) : null;
    if (key === "ArrowDown") {
      for (let i = at.low; i <= at.high; i++) if (depth[this.nodes[i]] > d) return this.boxAround(group, i, d + 1);
      return null;
    }
    const step = key === "ArrowRight" ? 1 : -1;
    for (let i = step > 0 ? at.high + 1 : at.low - 1; i >= group.first && i < group.end; i += step)
      if (depth[this.nodes[i]] >= d) return this.boxAround(group, i, d);
    return null;
  }

  // Scrolls so that the picked box is visible.
  bring() {
    const { picked, range, app } = this;
    if (!picked) return;
    const from = picked.from - range.from, to = picked.to - range.from;
    if (to <= this.left || from >= this.left + this.span) app.moveTo((from + to) / 2 - this.span / 2, this.span);
    this.folded.delete(picked.group.number);
    this.stack();
    this.base = picked.group.row;
    super.reveal(picked.node);
  }
  reveal(node) {
    if (node > 0 && this.picked?.node !== node) this.picked = this.boxOf(node);
    this.bring();
  }

  timeRows({ from, to, group }) {
    return [["start", timeText(from, 10 ** Math.floor(Math.log10(Math.max(1, to - from)) - 1))], ["duration", formatValue(to - from, "ns")], ["thread", group.name]];
  }
}
