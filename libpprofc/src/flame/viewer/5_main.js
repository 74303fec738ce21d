// The page: its state, which is also in its address, and the effect of each control on it.

const DEFAULTS = {
  tab: "", type: 0, width: "max", color: "", normal: false, kernel: true, icicle: true, reverse: false,
  collapse: false, focus: "", hide: "", sandwich: "", search: "", only: "", group: -1, list: false, sort: 0, up: false,
  zoom: "", weights: "",
};
const WIDTHS = ["max", "head", "base", "sum"];

class App {
  constructor(model) {
    this.model = model;
    this.drawings = [new Drawing(byId("graph"), this), new Drawing(byId("callers"), this)];
    this.state = { ...DEFAULTS, type: model.meta.default_type, tab: model.hasBase ? "diff" : "head" };
    this.selected = -1;
    this.matches = [];
    this.home = { ...this.state };
    this.colorings = ["function", "package", "origin", "value"];
    if (model.hasBase) this.colorings.unshift("change");
    this.readAddress();
    if (model.meta.bottleneck) this.colorings.push("bottleneck"), this.makeBottleneck();
    this.theme = {};
  }

  get type() { return this.model.types[this.state.type]; }
  get drawing() { return this.drawings[0]; }
  get coloring() {
    const { color, tab } = this.state;
    if (color && this.colorings.includes(color) && (color !== "change" || tab === "diff")) return color;
    return tab === "diff" ? "change" : "function";
  }
  label(frame) { return frame < 0 ? "all" : this.model.name[frame]; }

  // ---- state and address ----

  set(change) {
    const viewKeys = ["type", "reverse", "collapse", "focus", "hide", "sandwich", "kernel", "group"];
    const newView = viewKeys.some((k) => k in change && change[k] !== this.state[k]);
    Object.assign(this.state, change);
    if (newView) this.state.zoom = "", this.selected = -1;
    this.refresh(newView);
    this.writeAddress();
  }

  readAddress() {
    for (const [key, text] of new URLSearchParams(location.hash.slice(1))) {
      if (!(key in DEFAULTS)) continue;
      const kind = typeof DEFAULTS[key];
      this.state[key] = kind === "boolean" ? text === "1" : kind === "number" ? Number(text) : text;
    }
    if (!(this.state.type >= 0 && this.state.type < this.model.types.length)) this.state.type = 0;
    if (!this.model.hasBase) this.state.tab = "head";
  }

  writeAddress() {
    const query = new URLSearchParams();
    for (const key of Object.keys(DEFAULTS))
      if (this.state[key] !== this.home[key])
        query.set(key, typeof this.state[key] === "boolean" ? (this.state[key] ? "1" : "0") : this.state[key]);
    const text = query.toString();
    try { history.replaceState(null, "", text ? "#" + text : location.pathname + location.search); } catch (e) {
      location.hash = text;
    }
  }

  // ---- views ----

  refresh(newView) {
    const { state, model } = this;
    if (newView || !this.views) {
      this.views = makeViews(model, state);
      this.rows = null;
    }
    const two = this.views.length > 1;
    document.body.classList.toggle("two", two);
    this.view = this.views[this.views.length - 1];
    this.places = this.views.map((view) => layout(view, state, model.hasBase));
    this.place = this.places[this.places.length - 1];
    this.mostChange = this.views.map((view, v) => this.greatestChange(view, this.places[v]));
    this.mostSelf = 0;
    for (let i = 1; i < this.view.n; i++) this.mostSelf = Math.max(this.mostSelf, Math.abs(this.view.selfHead[i]));
    this.root = this.findZoom();
    this.find();
    this.paint();
    this.showControls();
  }

  greatestChange(view, place) {
    let most = 0;
    for (let i = 0; i < view.n; i++) most = Math.max(most, Math.abs(view.head[i] * place.scale - view.base[i]));
    return most;
  }

  paint() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "smaller", "inline"]) this.theme[name] = style.getPropertyValue("--" + name).trim();
    this.theme.above = matchMedia("(prefers-color-scheme: dark)").matches ? 0.35 : 0.6; // labels stay readable
    this.drawing.show(this.view, this.place, this.root);
    if (this.views.length > 1) this.drawings[1].show(this.views[0], this.places[0], 0);
    inspect(this, this.selected);
  }

  // The look of a box. Boxes that a filter or a search does not match are dimmed.
  look(view, node, place) {
    const frame = view.frame[node], { state, model } = this;
    const head = view.head[node] * place.scale, base = view.base[node];
    const status = state.tab === "diff" ? statusOf(head, base) : 0;
    const matched = this.hits && frame >= 0 && this.hits[frame];
    return {
      color: matched ? "#e600e6" : this.color(view, node, frame, head - base),
      sign: STATUS_SIGNS[status], hatch: status > STATUS.faster,
      inlined: frame >= 0 && model.inlined[frame],
      dim: (this.hits && !matched) || (state.only && state.tab === "diff" && STATUS_NAMES[status] !== state.only),
    };
  }

  color(view, node, frame, delta) {
    if (this.coloring === "change") return changeColor(delta, this.mostChange[this.views.indexOf(view)]);
    if (frame < 0) return "#d9d9d9";
    switch (this.coloring) {
      case "package": return byHash(this.model.pack[this.model.packOf[frame]]);
      case "origin": return ORIGIN_COLORS[this.model.origin[frame]];
      case "value": {
        const share = this.mostSelf ? Math.sqrt(Math.abs(view.selfHead[node]) / this.mostSelf) : 0;
        return `hsl(14 80% ${(92 - 38 * Math.min(1, share)).toFixed(1)}%)`;
      }
      case "bottleneck": return BOTTLENECK_COLORS[this.bottleneck(frame, node).dominant];
      default: return warm(this.model.name[frame]);
    }
  }

  // The dominant cost of a function's self: one of the weighted sums that meta.bottleneck defines over sample types.
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

  // ---- zoom: a path of frames, so that an address stays valid for another view ----

  pathOf(node) {
    const path = [];
    for (; node > 0; node = this.view.parent[node]) path.unshift(this.view.frame[node]);
    return path.join(".");
  }

  findZoom() {
    if (!this.state.zoom) return 0;
    let node = 0;
    for (const frame of this.state.zoom.split(".").map(Number)) {
      let child = this.place.first[node];
      while (child >= 0 && this.view.frame[child] !== frame) child = this.place.next[child];
      if (child < 0) return node;
      node = child;
    }
    return node;
  }

  zoom(node) {
    this.root = Math.max(0, node);
    this.selected = node > 0 ? node : this.selected;
    this.state.zoom = this.pathOf(this.root);
    this.drawing.show(this.view, this.place, this.root);
    inspect(this, this.selected);
    this.showPath();
    this.writeAddress();
  }

  select(node) {
    if (node < 0) return;
    this.selected = node;
    this.drawing.reveal(node);
    this.drawing.paint();
    inspect(this, node);
  }

  // ---- search ----

  find() {
    const { search } = this.state;
    this.hits = matcher(this.model, search);
    this.matches = [];
    const output = byId("matched");
    if (!this.hits) {
      output.textContent = search ? "not an expression" : "";
      return;
    }
    // A match below a match counts once.
    let sum = 0;
    const covered = new Uint8Array(this.view.n);
    for (let i = 1; i < this.view.n; i++) {
      const hit = this.hits[this.view.frame[i]], above = covered[this.view.parent[i]];
      covered[i] = above || hit;
      if (hit && !above) sum += this.place.width[i];
      if (hit && this.place.width[i] > 0) this.matches.push(i);
    }
    output.textContent = percent(sum, this.place.width[0]) + " in " + this.matches.length + " frames";
  }

  step(direction) {
    if (!this.matches.length) return;
    const at = this.matches.indexOf(this.selected);
    const next = at < 0 ? (direction > 0 ? 0 : this.matches.length - 1)
      : (at + direction + this.matches.length) % this.matches.length;
    this.select(this.matches[next]);
  }

  // ---- controls ----

  showControls() {
    const { state, model } = this;
    for (const tab of document.querySelectorAll("[role=tab]"))
      tab.setAttribute("aria-selected", tab.dataset.tab === state.tab ? "true" : "false");
    for (const box of document.querySelectorAll("[data-flag]"))
      box.setAttribute("aria-pressed", state[box.dataset.flag] ? "true" : "false");
    byId("type").value = String(state.type);
    byId("width").value = state.width;
    byId("color").value = this.coloring;
    byId("group").value = String(state.group);
    for (const id of ["search", "focus", "hide"]) if (document.activeElement !== byId(id)) byId(id).value = state[id];
    byId("width").disabled = state.tab !== "diff";
    byId("list").hidden = !state.list;
    if (state.list) listFunctions(this);
    const { head, base } = this.view;
    byId("totals").textContent = model.hasBase
      ? formatValue(base[0], this.type.unit) + " → " + formatValue(head[0], this.type.unit)
        + " (" + signed(percent(head[0] - base[0], Math.abs(base[0])), head[0] - base[0]) + ")"
      : formatValue(head[0], this.type.unit);
    legend(this);
    this.showPath();
  }

  showPath() {
    const path = byId("path"), steps = [];
    for (let node = this.root; node >= 0; node = this.view.parent[node]) steps.unshift(node);
    path.replaceChildren(...steps.map((node) => element("button", {
      type: "button", onclick: () => this.zoom(node),
    }, this.label(this.view.frame[node]))));
    if (this.state.sandwich) path.prepend(element("button", {
      type: "button", onclick: () => this.set({ sandwich: "" }),
    }, "✕ sandwich of " + this.state.sandwich));
  }

  walk(key) {
    const { view, place } = this;
    let node = this.selected < 0 ? this.root : this.selected;
    const down = this.state.icicle ? "ArrowDown" : "ArrowUp", up = this.state.icicle ? "ArrowUp" : "ArrowDown";
    const visible = (n) => { while (n >= 0 && !(place.width[n] > 0)) n = place.next[n]; return n; };
    if (key === down) node = visible(place.first[node]);
    else if (key === up) node = view.parent[node];
    else if (key === "ArrowRight") node = visible(place.next[node]);
    else {
      let before = -1;
      for (let c = place.first[view.parent[node]]; c >= 0 && c !== node; c = place.next[c]) if (place.width[c] > 0) before = c;
      node = before;
    }
    this.select(node);
  }

  quoted() {
    if (this.selected <= 0) return "";
    return "^" + this.label(this.view.frame[this.selected]).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing || byId("sheet").open) return;
    const { state, model } = this;
    const flip = (flag) => () => this.set({ [flag]: !state[flag] });
    const cycle = (list, now) => list[(list.indexOf(now) + 1) % list.length];
    const actions = {
      "/": () => byId("search").focus(), "?": () => byId("sheet").showModal(),
      n: () => this.step(1), N: () => this.step(-1),
      b: () => model.hasBase && this.set({ tab: "base" }), h: () => this.set({ tab: "head" }),
      d: () => model.hasBase && this.set({ tab: "diff" }),
      w: () => this.set({ width: cycle(WIDTHS, state.width) }),
      c: () => this.set({ color: cycle(this.colorings, this.coloring) }),
      t: () => this.set({ type: (state.type + 1) % model.types.length }),
      i: flip("icicle"), r: flip("reverse"), m: flip("collapse"), k: flip("kernel"), a: flip("normal"), l: flip("list"),
      s: () => this.selected > 0 && this.set({ sandwich: this.label(this.view.frame[this.selected]) }),
      f: () => this.selected > 0 && this.set({ focus: this.quoted() }),
      x: () => this.selected > 0 && this.set({ hide: this.quoted() }),
      Enter: () => this.selected >= 0 && this.zoom(this.selected),
      Escape: () => this.reset(), 0: () => this.reset(),
    };
    if (event.key.startsWith("Arrow")) this.walk(event.key);
    else if (actions[event.key] && !(event.key === "Enter" && event.target.tagName === "BUTTON")) actions[event.key]();
    else return;
    event.preventDefault();
  }

  reset() {
    if (this.root > 0) return this.zoom(0);
    this.set({ search: "", focus: "", hide: "", sandwich: "", only: "" });
  }

  // ---- wiring ----

  wire() {
    const on = (id, event, fn) => byId(id).addEventListener(event, fn);
    document.addEventListener("keydown", (event) => this.key(event));
    for (const tab of document.querySelectorAll("[role=tab]"))
      tab.addEventListener("click", () => this.set({ tab: tab.dataset.tab }));
    for (const box of document.querySelectorAll("[data-flag]"))
      box.addEventListener("click", () => this.set({ [box.dataset.flag]: !this.state[box.dataset.flag] }));
    on("type", "change", (e) => this.set({ type: Number(e.target.value) }));
    on("group", "change", (e) => this.set({ group: Number(e.target.value) }));
    on("width", "change", (e) => this.set({ width: e.target.value }));
    on("color", "change", (e) => this.set({ color: e.target.value }));
    for (const id of ["search", "focus", "hide"]) on(id, id === "search" ? "input" : "change", (e) => this.set({ [id]: e.target.value }));
    on("search", "keydown", (e) => { if (e.key === "Enter") this.step(e.shiftKey ? -1 : 1); });
    on("next", "click", () => this.step(1));
    on("previous", "click", () => this.step(-1));
    on("reset", "click", () => this.reset());
    on("help", "click", () => byId("sheet").showModal());
    on("list-filter", "input", () => listFunctions(this));
    byId("functions").addEventListener("click", (e) => this.pickRow(e));
    byId("functions").addEventListener("keydown", (e) => { if (e.key === "Enter") this.pickRow(e); });
    this.drawings.forEach((drawing) => this.wireCanvas(drawing));
    window.addEventListener("resize", () => this.paint());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  pickRow(event) {
    const row = event.target.closest("tr[data-frame]");
    if (row) this.set({ sandwich: this.label(Number(row.dataset.frame)) });
  }

  wireCanvas(drawing) {
    const { canvas } = drawing, main = drawing === this.drawing;
    const nodeOf = (e) => drawing.nodeAt(e.offsetX, e.offsetY);
    canvas.addEventListener("mousemove", (e) => {
      const node = nodeOf(e), view = drawing.view;
      canvas.title = node < 0 ? "" : this.label(view.frame[node]) + "\n" + formatValue(view.head[node], this.type.unit)
        + (this.model.hasBase ? "  (base " + formatValue(view.base[node], this.type.unit) + ")" : "");
      if (main && node >= 0) inspect(this, node);
    });
    canvas.addEventListener("mouseleave", () => inspect(this, this.selected));
    canvas.addEventListener("click", (e) => {
      const node = nodeOf(e);
      canvas.focus();
      if (node < 0) return;
      if (main) this.zoom(node);
      else if (drawing.view.frame[node] >= 0) this.set({ sandwich: this.label(drawing.view.frame[node]) });
    });
    canvas.addEventListener("wheel", (e) => {
      const before = drawing.scroll;
      drawing.scroll += e.deltaY;
      drawing.clampScroll();
      if (drawing.scroll !== before) drawing.paint(), e.preventDefault();
    }, { passive: false });
  }

  fill() {
    const option = (value, text) => element("option", { value }, text);
    const { model } = this;
    byId("type").replaceChildren(...model.types.map((t, i) => option(i, t.type)));
    byId("color").replaceChildren(...this.colorings.map((c) => option(c, c)));
    byId("width").replaceChildren(...WIDTHS.map((w) => option(w, w)));
    byId("group").replaceChildren(option(-1, "all samples"), ...model.groups.map((g, i) => option(i, g.name)),
      ...model.meta.left_out.map((key) => element("option", { disabled: true }, key + ": too many values")));
    byId("group").parentElement.hidden = !model.groups.length && !model.meta.left_out.length;
    for (const e of document.querySelectorAll(".diff-only")) e.hidden = !model.hasBase;
    keySheet();
  }
}

loadModel().then((model) => {
  const app = new App(model);
  app.fill();
  app.wire();
  document.body.classList.add("live");
  app.refresh(true);
  window.pprofc = app; // for tests and the console
}).catch((error) => {
  document.getElementById("announce").textContent = "cannot show the interactive graph: " + error.message;
});
