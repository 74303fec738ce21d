// The viewer: its state, and the effect of each control on it.

const DEFAULTS = {
  tab: "", type: 0, width: "max", color: "", normal: false, system: true, icicle: true, reverse: false,
  collapse: false, judged: false, focus: "", hide: "", sandwich: "", search: "", only: "", group: -1, list: false, sort: 0, up: false,
  p: "", at: "", sel: "", weights: "", t0: "", t1: "", whole: "", timeline: false, strip: "package",
};
const VIEW_KEYS = ["type", "reverse", "collapse", "focus", "hide", "sandwich", "system", "group", "t0", "t1", "whole", "timeline"];
const FOCUS = "only stacks through it";
const WIDTHS = { max: "larger of base and head", head: "head", base: "base", sum: "base + head" };
const COLORINGS = {
  change: "change", package: "package", function: "function", origin: "whose code", value: "self", bottleneck: "bottleneck",
};

class App {
  constructor(model, options) {
    this.model = model;
    this.options = options;
    this.selected = -1;
    this.matches = [];
    this.cachedForms = [];
    this.host = options.host || ownHost(this);
    this.theme = {};
    this.state = { ...DEFAULTS, type: model.meta.default_type, tab: model.hasBase ? "diff" : "head",
      judged: !!model.verdicts && model.meta.verdicts.judged > 0 };
    this.home = { ...this.state };
    this.colorings = ["package", "function", "origin", "value"];
    if (model.hasBase) this.colorings.unshift("change");
    this.read(options.state);
    if (model.meta.bottleneck) this.colorings.push("bottleneck"), this.makeBottleneck();
  }

  get type() { return this.model.types[this.state.type]; }
  // Returns the unit of the shown values. If shares are compared, this is percent of the base.
  get unit() {
    const base = this.state.normal ? Math.abs(wholeOf(this.model, this.state.type).base) : 0;
    return base ? { whole: base } : this.amountUnit;
  }
  get amountUnit() {
    const { meta } = this.model, { type } = this.state;
    return meta.verdicts && type === meta.verdicts.type ? meta.verdicts.unit : this.type.unit;
  }
  get inTimeline() { return this.state.timeline && !!this.timeline; }
  get drawing() { return this.inTimeline ? this.timeline : this.drawings[0]; }
  // Returns the totals to which percentages refer.
  get whole() {
    const { head, base } = wholeOf(this.model, this.state.type);
    return { head: head * this.place.scale, base };
  }
  get root() { return this.rootNode; }
  get coloring() {
    const { color, tab } = this.state;
    if (color && this.colorings.includes(color) && (color !== "change" || tab === "diff")) return color;
    return tab === "diff" ? "change" : "package";
  }
  // Returns the words for changes: "slower" and "faster" for times, else "more" and "less".
  get words() {
    const time = FAMILIES[0].some((u) => u[0] === this.type.unit.toLowerCase());
    return time ? { slower: "slower", faster: "faster", unchanged: "unchanged" } : { slower: "more", faster: "less", unchanged: "unchanged" };
  }
  get judging() { return isJudging(this.model, this.state); }
  // Returns a text that changes if the colors of boxes must change.
  get looks() { return this.coloring + this.judging + this.theme.noise; }
  verdictOf(frame) { return this.model.verdicts && this.model.verdicts.get(this.model.name[frame]) || null; }
  // Returns the certainty of a box's change, or OWN if the view shows no verdicts.
  certain(view, node, delta) {
    const fromLeaf = this.state.reverse || (this.views.length > 1 && view === this.views[0]);
    return this.judging ? certainty(this.model, view, node, delta, fromLeaf) : OWN;
  }
  label(frame) { return frame < 0 ? "all" : this.model.name[frame]; }
  forms(frame) {
    if (frame < 0) return ["all"];
    return this.cachedForms[frame] || (this.cachedForms[frame] = labelForms(this.model.name[frame]));
  }
  // True if a frame belongs to the selected function.
  isSame(frame) {
    return this.selected > 0 && frame >= 0 && this.model.name[frame] === this.selectedName;
  }
  get selectedName() { return this.selected > 0 ? this.label(this.view.frame[this.selected]) : null; }

  // ---- state ----

  read(given) {
    const pairs = given instanceof URLSearchParams ? [...given] : Object.entries(given || {});
    for (const [name, value] of pairs) {
      const key = name === "kernel" ? "system" : name, kind = typeof DEFAULTS[key];
      if (!Object.hasOwn(DEFAULTS, key)) continue;
      this.state[key] = kind === "boolean" ? value === true || value === "1" : kind === "number" ? Number(value) : String(value);
    }
    const { state, model } = this;
    if (!(state.type >= 0 && state.type < model.types.length)) state.type = 0;
    if (!model.hasBase) state.tab = "head";
    if (!["base", "head", "diff"].includes(state.tab)) state.tab = this.home.tab;
    if (!Object.hasOwn(WIDTHS, state.width)) state.width = "max";
    if (!STRIPS.includes(state.strip)) state.strip = DEFAULTS.strip;
    this.separate(this.state);
  }

  // Adds to `change` the settings that it must end, because times exclude labels, and the timeline excludes other orders of
  // frames.
  separate(change) {
    if (!this.model.times) Object.assign(this.state, { t0: "", t1: "", timeline: false });
    if (change !== this.state && ("t0" in change || "t1" in change)) change.whole ??= "";
    if (change.reverse || change.sandwich) change.timeline = false;
    if (change.t0 || change.t1 || change.timeline) change.group = -1; // an address with a range and a group keeps the range
    if (change.group >= 0) Object.assign(change, { t0: "", t1: "", timeline: false });
    if (change.timeline) Object.assign(change, { reverse: false, sandwich: "" });
  }

  // Returns the settings that differ from the defaults, as text.
  get changed() {
    const out = {};
    for (const key of Object.keys(DEFAULTS))
      if (this.state[key] !== this.home[key])
        out[key] = typeof this.state[key] === "boolean" ? (this.state[key] ? "1" : "0") : String(this.state[key]);
    return out;
  }
  // Passes the settings for the address to the page around the viewer. With `step`, this adds an entry to the history.
  // Successive steps "walk" are one entry.
  report(step) {
    if (this.silent || !this.options.onState) return;
    const entry = !!step && !(step === "walk" && this.lastStep === "walk");
    this.lastStep = step;
    this.options.onState(this.changed, entry);
  }

  // Sets all settings to those in `state`, which comes from an address.
  restore(state) {
    clearTimeout(this.later); // a move before this one must not change the new address
    this.silent = true;
    this.set(state);
    if ((this.selectedName ?? "") !== state.sel) this.selectName(state.sel);
    this.silent = false;
  }

  set(change) {
    this.separate(change);
    const newView = VIEW_KEYS.some((k) => k in change && change[k] !== this.state[k]);
    const name = this.selectedName;
    Object.assign(this.state, change);
    if (newView && !("p" in change)) this.state.p = this.state.at = "";
    this.refresh(newView);
    if (newView && name !== null) this.selectName(name);
    this.report(Object.keys(change).join() === "search" ? "" : "set");
  }

  // ---- views ----

  refresh(newView) {
    const { state, model } = this;
    if (newView || !this.views) {
      Object.assign(this, makeViews(model, state));
      this.rows = null;
      this.selected = -1;
    }
    const two = this.views.length > 1;
    this.parts.box.classList.toggle("pf-two", two);
    this.view = this.views[this.views.length - 1];
    this.places = this.views.map((view) => layout(model, view, state));
    this.place = this.places[this.places.length - 1];
    this.most = this.views.map((view, v) => this.greatestChanges(view, this.places[v]));
    this.mostSelf = 0;
    for (let i = 1; i < this.view.n; i++) this.mostSelf = Math.max(this.mostSelf, Math.abs(this.view.selfHead[i]));
    this.drawings[0].show(this.view, this.place, two ? 1 : 0);
    if (this.inTimeline && newView) this.timeline.show(this.view);
    if (two) this.drawings[1].show(this.views[0], this.places[0], 2);
    this.restoreZoom();
    findMatches(this);
    this.showControls();
    this.paint();
  }

  // Returns the largest growth and the largest decrease, as scales of the colors. With one scale, a large growth would make
  // decreases pale. Each scale is at least a hundredth of the whole, so noise stays pale.
  greatestChanges(view, place) {
    const least = Math.max(Math.abs(view.head[0] * place.scale), Math.abs(view.base[0])) / 100;
    let more = least, less = least;
    for (let i = 0; i < view.n; i++) {
      const delta = difference(view.head[i] * place.scale, view.base[i]);
      if ((delta > more || -delta > less) && this.certain(view, i, delta) !== OWN) continue;
      if (delta > more) more = delta;
      else if (-delta > less) less = -delta;
    }
    return { more, less };
  }

  readTheme() {
    const style = getComputedStyle(this.parts.box);
    for (const name of ["ink", "smaller", "inline", "accent", "noise", "page"]) this.theme[name] = style.getPropertyValue("--pf-" + name).trim();
  }

  paint() {
    const { noise } = this.theme;
    this.readTheme();
    if (noise !== this.theme.noise) legend(this);
    const whole = this.inTimeline || !this.isZoomed();
    this.parts.minimap.classList.toggle("pf-hidden-map", whole);
    if (this.strip) this.strip.paint();
    this.drawing.paint();
    if (this.views.length > 1) {
      this.drawings[1].look(0, this.places[0].width[0]);
      this.drawings[1].scroll = this.drawings[1].mostScroll;
      this.drawings[1].paint();
    }
    if (!whole) this.minimap.paint();
    inspect(this, this.selected);
  }

  // Returns how to draw a box. Boxes that do not match the search or the chosen status are dimmed.
  look(view, node, place) {
    const frame = view.frame[node], { state, model } = this, diff = state.tab === "diff";
    const head = view.head[node] * place.scale, base = view.base[node];
    const delta = difference(head, base), certain = this.certain(view, node, delta), quiet = certain === QUIET;
    const status = diff && !quiet ? statusOf(head, base) : 0;
    const matched = this.hits && frame >= 0 && this.hits[frame];
    const whole = state.tab === "base" ? this.whole.base : this.whole.head, value = state.tab === "base" ? base : head;
    return {
      color: matched ? "#ff9be8" : this.color(view, node, frame, quiet ? 0 : delta, certain === SHARED),
      sign: STATUS_SIGNS[status], hatch: status > STATUS.faster, bar: diff && !quiet ? delta : 0,
      note: diff ? changeNotes(delta, base, this.unit, quiet) : [percent(value, whole)],
      inlined: frame >= 0 && model.inlined[frame],
      dim: (this.hits && !matched) || (state.only && diff && STATUS_NAMES[status] !== state.only),
    };
  }

  color(view, node, frame, delta, pale) {
    if (this.coloring === "change") {
      const most = this.most[this.views.indexOf(view)];
      return delta ? changeColor(delta, delta > 0 ? most.more : most.less, pale) : this.theme.noise;
    }
    if (frame < 0 || frame === this.model.smaller) return "#d9d9d9";
    switch (this.coloring) {
      case "package": return byPackage(this.model.pack[this.model.packOf[frame]], this.model.name[frame]);
      case "origin": return ORIGIN_COLORS[this.model.origin[frame]];
      case "value": {
        const share = this.mostSelf ? Math.sqrt(Math.abs(view.selfHead[node]) / this.mostSelf) : 0;
        return `hsl(14 80% ${(92 - 38 * Math.min(1, share)).toFixed(1)}%)`;
      }
      case "bottleneck": return BOTTLENECK_COLORS[this.bottleneck(frame, node).dominant];
      default: return warm(this.model.name[frame]);
    }
  }

  // Makes `bottleneck`, which returns the largest cost of a function. meta.bottleneck defines costs as weighted sums of sample
  // types.
  makeBottleneck() {
    const { tree, name, meta, types } = this.model, sums = new Map();
    this.weights = { ...meta.weights };
    for (const pair of this.state.weights.split(",")) {
      const [key, text] = pair.split(":");
      if (key in meta.weights && text && Number(text) >= 0) this.weights[key] = Number(text);
    }
    for (let i = 1; i < tree.n; i++) {
      const key = name[tree.frame[i]];
      if (!sums.has(key)) sums.set(key, {});
      const sum = sums.get(key);
      for (const [kind, terms] of Object.entries(meta.bottleneck))
        for (const [type] of terms) sum[kind] = (sum[kind] || 0) + this.weights[types[type].type] * tree.self[type][i];
    }
    this.bottleneck = (frame) => {
      const sum = sums.get(name[frame]) || {}, all = Object.values(sum).reduce((a, b) => a + b, 0);
      const [kind, most] = Object.entries(sum).reduce((a, b) => (b[1] > a[1] ? b : a), ["mixed", 0]);
      const dominant = all && most / all >= 0.4 ? kind : "mixed";
      return { dominant, text: dominant + (all ? " (" + percent(most, all) + " of estimated cycles)" : "") };
    };
  }

  setWeight(name, value) {
    const changed = Object.entries({ ...this.weights, [name]: value })
      .filter(([key, weight]) => weight !== this.model.meta.weights[key]);
    this.state.weights = changed.map(([key, weight]) => key + ":" + weight).join(",");
    this.makeBottleneck();
    this.set({});
  }

  functionRows() {
    if (!this.rows) this.rows = functionTable(this.model, this.view, this.state);
    return this.rows;
  }

  // ---- zoom: a path of names, so that an address can be read and stays valid in another view ----

  // Returns the shortest end of the path to a node that no wider node has. Begins with ";" if this is the whole path.
  pathOf(node) {
    const { view, place } = this, names = [];
    let rivals = [];
    if (node <= 0) return "";
    const wanted = this.framesNamed(pathName(this.label(view.frame[node])));
    for (let i = 1; i < view.n; i++)
      if (wanted[view.frame[i]] && (place.width[i] > place.width[node] || (place.width[i] === place.width[node] && i < node))) rivals.push(i);
    for (let up = node; up > 0; up = view.parent[up]) {
      const name = pathName(this.label(view.frame[up]));
      names.unshift(name);
      rivals = rivals.filter((i) => i > 0 && pathName(this.label(view.frame[i])) === name);
      if (!rivals.length) return names.join(";");
      rivals = rivals.map((i) => view.parent[i]);
    }
    return ";" + names.join(";");
  }

  framesNamed(name) { return Uint8Array.from(this.model.name, (text) => (pathName(text) === name ? 1 : 0)); }

  // Returns the widest node whose path ends with the names in `path`, or the root.
  nodeOf(path) {
    const { view, place } = this, names = path.split(";"), last = names.length - 1;
    if (!path) return 0;
    const ends = (node) => {
      for (let at = last; at >= 0; at--, node = view.parent[node])
        if (names[at] === "" && !at ? node > 0 : node <= 0 || pathName(this.label(view.frame[node])) !== names[at]) return false;
      return true;
    };
    const wanted = this.framesNamed(names[last]);
    let best = 0, most = 0;
    for (let i = 1; i < view.n; i++)
      if (wanted[view.frame[i]] && place.width[i] > most && ends(i)) best = i, most = place.width[i];
    return best;
  }

  // Applies the URL parameter p: the path of the zoomed box, or in pprof a regular expression for functions.
  openPivots(text) {
    const node = this.nodeOf(text);
    Object.assign(this.state, node > 0 ? { p: text } : { p: "", sandwich: pivotOf(this.model, text) });
    this.refresh(true);
  }

  restoreZoom() {
    const [x, w] = this.state.at.split(",").map(Number), whole = this.drawing.place.width[0];
    this.rootNode = this.nodeOf(this.state.p);
    if (this.state.at && w > 0) this.drawing.look(x * whole, w * whole);
    else if (this.inTimeline) this.drawing.look(0, whole);
    else this.drawing.look(this.place.x[this.rootNode], this.place.width[this.rootNode]);
    this.drawing.clampScroll();
  }

  zoom(node, still) {
    if (node < 0) node = 0;
    if (this.inTimeline) return this.zoomTime(node > 0 ? this.timeline.picked : null);
    this.state.p = this.pathOf(node);
    this.state.at = "";
    this.rootNode = node;
    if (node > 0) this.mark(node);
    this.drawing.look(this.place.x[node], this.place.width[node]);
    if (node && !still) this.drawing.reveal(node);
    this.paint();
    this.showPath();
    this.report("zoom");
    this.loadBelow(node);
  }

  // Zooms to the time of a box in the timeline, or to the whole time if there is no box.
  zoomTime(box) {
    const { range } = this.timeline;
    this.moveTo(box ? box.from - range.from : 0, box ? box.to - box.from : range.to - range.from);
    this.report("zoom");
  }

  // Shows a part of the graph. `left` and `span` have the unit of widths.
  moveTo(left, span) {
    const d = this.drawing, whole = d.place.width[0] || 1;
    d.look(left, span);
    let node = 0, child = this.inTimeline ? -1 : 0;
    while (child >= 0) {
      node = child;
      child = this.place.first[node];
      while (child >= 0 && !(this.place.x[child] <= d.left && this.place.x[child] + this.place.width[child] >= d.left + d.span))
        child = this.place.next[child];
    }
    this.rootNode = node;
    this.state.at = d.span >= whole ? "" : (d.left / whole).toPrecision(6) + "," + (d.span / whole).toPrecision(6);
    this.paint();
    this.showPath();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      if (!this.inTimeline) this.state.p = this.pathOf(this.rootNode);
      this.report();
      this.loadBelow(this.rootNode);
    }, 200);
  }

  zoomAt(x, factor) {
    const d = this.drawing, at = d.left + x / d.unit;
    this.moveTo(at - (at - d.left) * factor, d.span * factor);
  }

  // Loads the nodes below a node that the server cut.
  async loadBelow(node) {
    const { model, view, options } = this;
    if (!options.load || view.cut !== model.tree.cut || !view.cut.size) return;
    const end = endOf(view, node);
    let least = -1;
    for (const at of view.cut.keys()) if (at > node && at < end) { least = at; break; }
    const id = view.id[node];
    if (least < 0 || !node || this.loading === id) return;
    this.loading = id;
    try {
      const part = await readModel(splitData(await options.load(id)));
      const at = model.tree.id.indexOf(id);
      if (this.model !== model || at < 0) return;
      const selected = this.selected, path = selected > 0 ? this.pathOf(selected) : "";
      joinPart(model, at, part);
      this.refresh(true);
      if (path) this.mark(this.nodeOf(path));
      this.paint();
    } catch (error) {
      this.parts.announce.textContent = "cannot load more frames: " + error.message;
    } finally { this.loading = 0; }
  }

  // Selects a box. `still` is true if the box is visible, so the graph need not move.
  select(node, byUser, still) {
    this.mark(node);
    if (node >= 0 && !still) this.bring(node);
    this.paint();
    if (byUser) this.report(byUser === true ? "select" : byUser);
    if (byUser && this.options.onSelect) this.options.onSelect(this.selection());
  }

  mark(node) {
    this.selected = node;
    if (node < 0 && this.timeline) this.timeline.picked = null;
    this.state.sel = this.selectedName ?? "";
  }

  // Moves the graph so that a node is visible.
  bring(node) {
    const d = this.drawing, x = this.place.x[node], w = this.place.width[node];
    if (this.inTimeline) return d.reveal(node);
    if (x + w <= d.left || x >= d.left + d.span) {
      d.look(x + w / 2 - d.span / 2, d.span);
      this.state.at = (d.left / this.place.width[0]).toPrecision(6) + "," + (d.span / this.place.width[0]).toPrecision(6);
      this.showPath();
    }
    d.reveal(node);
  }

  selection() {
    const node = this.selected, { view, model } = this;
    if (node <= 0) return null;
    const frame = view.frame[node], known = frame >= 0, k = this.place.scale;
    return {
      name: this.label(frame), file: known ? model.file[model.fileOf[frame]] : "", line: known && model.line[frame] ? Math.abs(model.line[frame]) + lineNote(model, frame) : "",
      origin: known ? ORIGINS[model.origin[frame]] : "unknown", inlined: known && !!model.inlined[frame],
      head: view.head[node] * k, base: view.base[node], selfHead: view.selfHead[node] * k, selfBase: view.selfBase[node],
      unit: this.unit, node: view.id ? view.id[node] : node, ...this.selectedTexts(frame), ...this.selectedVerdict(frame),
    };
  }

  // Returns the values of a function as text, for the inspector of the page around the viewer.
  selectedTexts(frame) {
    const row = frame >= 0 && this.functionRows().find((r) => this.model.name[r.frame] === this.model.name[frame]);
    if (!row) return {};
    const k = this.place.scale, { unit } = this, text = (value) => formatValue(value, unit);
    if (!this.model.hasBase) return { self: text(row.selfHead), total: text(row.head), share: percent(row.head, this.whole.head) };
    return {
      self: text(difference(row.selfHead * k, row.selfBase)), total: text(difference(row.head * k, row.base)), baseSelf: text(row.selfBase),
      baseTotal: text(row.base), headSelf: text(row.selfHead * k), headTotal: text(row.head * k),
    };
  }

  // Returns the verdict on a function in words.
  selectedVerdict(frame) {
    const verdict = frame >= 0 && hasVerdicts(this.model, this.state) ? this.verdictOf(frame) : null;
    if (!verdict) return {};
    const text = (estimate, partner) => verdictText(estimate, this.unit, partner);
    return { selfVerdict: text(verdict.self, verdict.partner), totalVerdict: text(verdict.total) };
  }

  // Returns the node of a function for which `weigh` returns the largest value, or -1 if the function has no box.
  nodeOfName(name, weigh) {
    let best = -1, most = -1;
    for (let i = 1; i < this.view.n; i++) {
      if (this.label(this.view.frame[i]) !== name || !(this.place.width[i] > 0)) continue;
      const weight = weigh(i);
      if (weight > most) best = i, most = weight;
    }
    return best;
  }

  // Selects the widest box of a function, inside the zoomed box if there is one.
  selectName(name) {
    const { x, width } = this.place, from = x[this.root], to = from + width[this.root];
    const node = name ? this.nodeOfName(name, (i) => width[i] + (x[i] >= from && x[i] < to ? width[0] : 0)) : -1;
    this.mark(node);
    if (node > 0) this.drawing.reveal(node);
    this.paint();
    return node > 0;
  }

  // Selects the widest box of a function. Zooms to the box if it is too narrow to see.
  show(name) {
    const node = this.nodeOfName(name, (i) => this.place.width[i]);
    if (node < 0) return this.set({ sandwich: name });
    this.approach(node);
  }

  approach(node) {
    if (this.inTimeline) this.timeline.picked = null;
    else if (this.place.width[node] * this.drawing.unit < 4) this.zoomAround(node);
    this.select(node, true);
  }

  // Zooms so that the label of a box is readable. Adds no entry to the history.
  zoomAround(node) {
    const { view, place } = this, silent = this.silent;
    if (this.inTimeline) return;
    let root = node;
    while (root > 0 && place.width[view.parent[root]] * 0.15 <= place.width[node]) root = view.parent[root];
    this.silent = true;
    this.zoom(root);
    this.silent = silent;
  }

  // Selects the box of a function whose self value changed most, and zooms so that its label is readable.
  goTo(frame) {
    const { view, place } = this, k = place.scale;
    const node = this.nodeOfName(this.label(frame), (i) => Math.abs(view.selfHead[i] * k - view.selfBase[i]));
    if (node < 0) return this.set({ sandwich: this.label(frame) });
    this.zoomAround(node);
    this.select(node, true);
  }

  everywhere(frame) { return placesOf(this, frame); }

  // Returns the actions for the function of a node. A page around the viewer can replace the actions that filter.
  actions(node) {
    const { options } = this, frame = this.view.frame[node];
    const list = [{ id: "zoom", words: "Zoom", key: "Enter", run: () => this.zoom(node) }];
    if (frame < 0 || frame === this.model.smaller) return list;
    const name = this.label(frame);
    list.push({ id: "copy", words: "Copy name", key: "y" }, { id: "sandwich", words: "Callers and callees", key: "s", run: () => this.set({ sandwich: name }) });
    if (options.actions) return [...list, ...options.actions(name)];
    return [...list,
      { id: "focus", words: "Focus", key: "f", about: FOCUS, run: () => this.set({ focus: exactName(name) }) },
      { id: "hide", words: "Hide", key: "x", run: () => this.set({ hide: exactName(name) }) }];
  }

  act(id) {
    const action = this.selected > 0 && this.actions(this.selected).find((one) => one.id === id);
    if (action && action.run) action.run();
    else if (action) this.parts.inspector.querySelector(`[data-do=${id}]`)?.click();
  }

  // Keeps the stacks that contain a match. If another function is selected, keeps the stacks that contain this function
  // instead.
  keep() {
    const { matches, selected } = this;
    if (matches.length && (selected <= 0 || matches.includes(selected))) keepMatches(this);
    else this.act("focus");
  }

  showTip(e, title, lines) {
    const { tip, box } = this.parts, at = box.getBoundingClientRect();
    tip.replaceChildren(element("b", {}, title), ...lines.filter(Boolean).map((text) => element("span", {}, text)));
    tip.hidden = false;
    const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8), h = tip.offsetHeight;
    tip.style.left = Math.max(4, x) - at.left + "px";
    tip.style.top = (e.clientY + 18 + h > innerHeight ? e.clientY - h - 10 : e.clientY + 18) - at.top + "px";
  }

  // ---- controls ----

  showControls() {
    const { state, model, parts } = this, { box } = parts;
    for (const tab of box.querySelectorAll("[role=tab]")) {
      const on = tab.dataset.tab === state.tab;
      tab.setAttribute("aria-selected", on ? "true" : "false");
      tab.tabIndex = on ? 0 : -1;
    }
    for (const choice of box.querySelectorAll("button[data-normal]"))
      choice.setAttribute("aria-pressed", state.normal === (choice.dataset.normal === "1") ? "true" : "false");
    const judged = hasVerdicts(model, state), { real } = parts;
    real.hidden = !model.verdicts;
    real.firstChild.disabled = !judged;
    real.title = judged ? model.meta.verdicts.notes.join("\n") : this.whyNoVerdicts();
    for (const flag of box.querySelectorAll("input[data-flag]")) flag.checked = state[flag.dataset.flag];
    for (const flag of box.querySelectorAll("button[data-flag]"))
      flag.setAttribute("aria-pressed", state[flag.dataset.flag] ? "true" : "false");
    if (this.strip) {
      for (const mode of box.querySelectorAll("button[data-mode]"))
        mode.setAttribute("aria-pressed", (mode.dataset.mode === "timeline") === state.timeline ? "true" : "false");
      parts.clear.hidden = !rangeOf(model, state);
      parts.tracks.hidden = !state.timeline;
      parts.strip.value = state.strip;
    }
    for (const key of ["type", "width", "group"]) parts[key].value = String(state[key]);
    parts.color.value = this.coloring;
    for (const key of ["search", "focus", "hide"]) if (document.activeElement !== parts[key]) parts[key].value = state[key];
    parts.width.disabled = state.tab !== "diff";
    parts.list.hidden = !state.list;
    if (state.list) listFunctions(this);
    const { head, base } = wholeOf(model, state.type);
    parts.totals.textContent = model.hasBase
      ? this.runsText() + formatValue(base, this.amountUnit) + " → " + formatValue(head, this.amountUnit)
        + (base ? " (" + signed(percent(head - base, Math.abs(base)), head - base) + ")" : "")
      : formatValue(head, this.amountUnit);
    legend(this);
    showChanges(this);
    showBanner(this);
    this.showPath();
  }

  // Returns the total of the samples that pass the filters, as "shown 4.32s (54.89%)".
  shownText() {
    const { view, model } = this, whole = wholeOf(model, this.state.type);
    if (!difference(view.head[0], whole.head) && !difference(view.base[0], whole.base)) return "";
    const text = formatValue(view.head[0], this.amountUnit);
    if (model.hasBase) return "shown " + formatValue(view.base[0], this.amountUnit) + " → " + text;
    return "shown " + text + " (" + percent(view.head[0], whole.head) + ")";
  }

  // Returns "mean of 5 + 5 runs: " if the values are means over several runs.
  runsText() {
    const { verdicts } = this.model.meta, [base, head] = verdicts ? verdicts.runs : [1, 1];
    return base + head > 2 ? "mean of " + base + " + " + head + " runs: " : "";
  }

  whyNoVerdicts() {
    const { verdicts } = this.model.meta;
    if (!verdicts) return "";
    if (!verdicts.judged) return verdicts.notes.join("\n");
    if (this.state.normal) return "verdicts are on amounts, not on shares";
    return this.state.tab !== "diff" ? "verdicts are on differences" : "verdicts are on " + this.model.types[verdicts.type].type;
  }

  showPath() {
    const steps = [], step = (text, onclick, more) => button(text, onclick, more);
    for (let node = this.root; node >= 0; node = this.view.parent[node]) steps.unshift(node);
    const shown = steps.length > 9 ? [...steps.slice(0, 2), -1, ...steps.slice(-6)] : steps;
    const crumbs = shown.map((node) => {
      if (node < 0) return element("span", {}, "…");
      const forms = this.forms(this.view.frame[node]);
      return step(forms.find((text) => text.length <= 28) || forms[forms.length - 1], () => this.zoom(node), { title: this.label(this.view.frame[node]) });
    });
    const pills = ["sandwich", "focus", "hide"].filter((key) => this.state[key]).map((key) => element("span", { class: "pf-pill" },
      (key === "sandwich" ? "callers and callees of " : key + " ") + this.state[key] + (key === "sandwich" || isExpression(this.state[key]) ? "" : ": not an expression"),
      button("×", () => this.set({ [key]: "" }), { "aria-label": "remove " + key, "data-remove": key })));
    const flags = [["reverse", "merged from the leaf"], ["collapse", "recursive calls joined"], ["normal", "shares of the total"]]
      .filter(([key]) => this.state[key]);
    if (!this.state.system) flags.push(["system", "without system code"]);
    pills.push(...flags.map(([key, text]) => element("span", { class: "pf-pill" }, text,
      button("×", () => this.set({ [key]: DEFAULTS[key] }), { "aria-label": "remove: " + text, "data-remove": key }))));
    const part = this.shownText();
    this.parts.path.replaceChildren(...pills, part ? element("span", { class: "pf-soft pf-shown" }, part) : "", ...(this.root > 0 || !pills.length ? crumbs : []));
    this.parts.path.scrollLeft = this.parts.path.scrollWidth;
  }

  // Shows only a range of time, or the whole time for null. Rounds the bounds, because the user chose them with the mouse.
  setRange(range) {
    const { model, state } = this;
    if (!range) return (state.t0 || state.t1) && this.set({ t0: "", t1: "" });
    const { duration } = model.times, step = Math.max(1, 10 ** Math.floor(Math.log10(range.to - range.from) - 1.5));
    const round = (ns) => Math.max(0, Math.min(duration, Math.round(ns / step) * step));
    const from = round(range.from), to = round(range.to);
    if (from < to) this.set({ t0: from > 0 ? exactTime(from) : "", t1: to < duration ? exactTime(to) : "" });
  }

  // Moves the range of time by `move` times its length, and multiplies its length by `grow`. The first range is a tenth.
  stepRange(move, grow = 1) {
    const { model, state } = this;
    if (!model.times) return;
    const { duration } = model.times, range = rangeOf(model, state), first = move < 0 ? duration * 0.9 : 0;
    if (!range) return this.setRange({ from: first, to: first + duration / 10 });
    const length = Math.min(duration, (range.to - range.from) * grow), from = range.from + (range.to - range.from - length) / 2 + move * length;
    const start = Math.max(0, Math.min(duration - length, from));
    this.setRange({ from: start, to: start + length });
  }

  walk(key) {
    if (this.inTimeline) {
      const box = this.timeline.neighbour(key);
      if (!box) return;
      this.timeline.picked = box;
      return this.select(box.node, "walk");
    }
    const { view, place, drawing } = this;
    if (this.selected < 0) return this.select(this.root > 0 ? this.root : place.first[0] >= 0 && key === "ArrowDown" ? place.first[0] : 0, "walk");
    const visible = (n) => { while (n >= 0 && !(place.width[n] > 0)) n = place.next[n]; return n; };
    const down = drawing.icicle ? "ArrowDown" : "ArrowUp", up = drawing.icicle ? "ArrowUp" : "ArrowDown";
    let node = this.selected;
    if (key === down) node = visible(place.first[node]);
    else if (key === up) node = view.parent[node] < drawing.top && drawing.top > 0 && view.depth[node] <= drawing.top ? -1 : view.parent[node];
    else if (key === "ArrowRight") node = visible(place.next[node]);
    else {
      let before = -1;
      for (let c = node > 0 ? place.first[view.parent[node]] : -1; c >= 0 && c !== node; c = place.next[c]) if (place.width[c] > 0) before = c;
      node = before;
    }
    if (node >= 0) this.select(node, "walk");
  }

  // Handles a key. Returns true if the key has an effect.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
    const { parts } = this, { target } = event;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "checkbox";
    if (event.key === "Escape" && (typing || parts.menu.open)) {
      parts.menu.open = false;
      target.blur();
      event.preventDefault(); // some browsers empty the search field, but the matches remain until the next Escape
      parts.graph.focus({ preventScroll: true });
      return true;
    }
    if (typing || target.closest("dialog[open], [role=menu]")) return false;
    const pressable = /^(BUTTON|SUMMARY|A|TR)$/.test(target.tagName) || target.type === "checkbox";
    if (target.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
      this.stepTab(event.key === "ArrowRight" ? 1 : -1);
    } else {
      const entry = KEYS.find((one) => one.keys.includes(event.key));
      if (!entry || (event.key === "Enter" && pressable)) return false;
      entry.run(this, event.key);
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  stepTab(direction) {
    const tabs = ["base", "head", "diff"], tab = tabs[(tabs.indexOf(this.state.tab) + direction + 3) % 3];
    this.set({ tab });
    this.parts.box.querySelector(`[data-tab=${tab}]`).focus();
  }

  isZoomed() { return (this.root > 0 && !this.inTimeline) || this.drawing.span < this.drawing.place.width[0] * 0.9999; }

  // Zooms out. If the graph is not zoomed, clears the filters. If there are no filters, clears the selection.
  reset() {
    const { state } = this, clear = { search: "", focus: "", hide: "", sandwich: "", only: "", t0: "", t1: "" };
    if (this.isZoomed()) return this.zoom(0);
    if (Object.keys(clear).some((key) => state[key])) this.set(clear);
    else this.select(-1, true);
  }
}

// Returns the texts of a change, longest first: "+0.31s (+24%)", "+0.31s". If the change is noise, returns only "+24%".
function changeNotes(delta, base, unit, quiet) {
  if (!delta) return null;
  const whole = base ? Math.round(100 * delta / Math.abs(base)) : 0;
  if (quiet) return whole ? [signed(String(whole), whole) + "%"] : null;
  const text = signed(formatValue(delta, unit), delta), share = 100 * delta / Math.abs(base);
  return base ? [text + " (" + signed(share.toFixed(Math.abs(share) < 0.95 ? 1 : 0), delta) + "%)", text] : [text];
}
