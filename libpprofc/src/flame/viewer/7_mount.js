// The interface for pages: pprofcFlame.mount(element, options) builds the viewer below an element and returns its handle.

let mounted = 0;

// Returns all elements of the viewer, under the names that App uses.
function buildParts(app) {
  const { model } = app, diff = model.hasBase, p = {};
  const option = (value, text, disabled) => element("option", { value, disabled: !!disabled }, text);
  const select = (key, options, label) => (p[key] = element("select", {
    "data-key": key, "aria-label": label, onchange: (e) => app.set({ [key]: key === "type" || key === "group" ? Number(e.target.value) : e.target.value }),
  }, ...options));
  const field = (key, more, event) => (p[key] = element("input", { "data-key": key, ...more, [event]: (e) => app.set({ [key]: e.target.value }) }));
  const flag = (key, text) => element("label", { class: "pf-check" }, element("input", {
    type: "checkbox", "data-flag": key, onchange: (e) => app.set({ [key]: e.target.checked }),
  }), text);
  const row = (text, control) => element("label", { class: "pf-row" }, element("span", {}, text), control);

  p.tabs = diff ? element("span", { role: "tablist", class: "pf-tabs", "aria-label": "which profile" }, ...["base", "head", "diff"].map((tab) =>
    button(tab[0].toUpperCase() + tab.slice(1), () => app.set({ tab }), { role: "tab", "data-tab": tab }))) : null;
  select("type", model.types.map((t, i) => option(i, t.type)), "sample type");
  field("search", { type: "search", placeholder: "Search ( / )", "aria-label": "search for an expression", spellcheck: "false" }, "oninput");
  p.search.addEventListener("keydown", (e) => { if (e.key === "Enter") stepMatch(app, e.shiftKey ? -1 : 1); });
  p.matched = element("output", { class: "pf-matched" });
  p.keep = button("Only these", () => keepMatches(app), { "data-do": "keep", hidden: true, title: "only stacks through the matches (f)" });
  p.totals = element("span", { class: "pf-totals" });
  select("color", app.colorings.map((c) => option(c, COLORINGS[c])), "colour by");
  select("width", Object.entries(WIDTHS).map(([value, text]) => option(value, text)), "box width");
  select("group", [option(-1, "all samples"), ...model.groups.map((g, i) => option(i, g.name)),
    ...model.meta.left_out.map((key) => option("", key + ": too many values", true))], "samples with a label");
  field("focus", { spellcheck: "false", placeholder: FOCUS, "aria-label": "focus: " + FOCUS }, "onchange");
  field("hide", { spellcheck: "false", placeholder: "leave out functions", "aria-label": "hide functions" }, "onchange");
  p.menu = element("details", { class: "pf-menu" }, element("summary", {}, "View"), element("div", { class: "pf-sheet" },
    row("Colour by", p.color), diff ? row("Box width", p.width) : null,
    model.groups.length || model.meta.left_out.length ? row("Samples", p.group) : null,
    ...(app.options.filter ? [] : [row("Focus", p.focus), row("Hide", p.hide)]), // a page with filters has its own fields
    flag("icicle", "Root at the top"), flag("reverse", "Start from the leaf: callers of expensive functions"),
    flag("collapse", "Join recursive calls"), flag("system", "System code: kernel, libc, language runtime"),
    button("Reset", () => { app.reset(); p.menu.open = false; }, { "data-do": "reset" })));
  p.graph = element("canvas", { tabindex: 0, class: "pf-graph", role: "tree", "aria-label": "flame graph; walk with the arrow keys" },
    p.item = element("span", { id: "pf-item-" + ++mounted, role: "treeitem", "aria-label": "all" }));
  p.callers = element("canvas", { class: "pf-callers", role: "img", "aria-label": "callers of the function" });
  p.minimap = element("canvas", { class: "pf-minimap pf-hidden-map", "aria-hidden": "true" });
  p.tip = element("div", { class: "pf-tip", hidden: true, "aria-hidden": "true" });
  p.real = element("label", { class: "pf-check pf-real", hidden: true }, element("input", {
    type: "checkbox", "data-flag": "judged", onchange: (e) => app.set({ judged: e.target.checked }),
  }), "Only real changes");
  p.banner = element("section", { class: "pf-banner", "aria-label": "the change in one sentence", hidden: true });
  p.amounts = diff ? element("span", { class: "pf-tabs", role: "group", "aria-label": "amounts or shares" }, ...[["Amount", false], ["Share", true]].map(([text, normal]) =>
    button(text, () => app.set({ normal }), {
      "data-normal": normal ? "1" : "0", title: normal ? "percent of each profile's total" : "recorded values",
    }))) : null;
  if (model.times) {
    p.clear = button("×", () => app.setRange(null), { "aria-label": "show the whole time", title: "show the whole time", "data-do": "whole-time", hidden: true });
    p.range = element("output", { class: "pf-range" });
    p.modes = element("span", { class: "pf-tabs", role: "group", "aria-label": "flame graph or timeline" }, ...[["flame", "Flame graph"], ["timeline", "Timeline"]].map(([mode, text]) =>
      button(text, () => app.set({ timeline: mode === "timeline" }), { "data-mode": mode, title: "key g" })));
    select("strip", STRIPS.map((by) => option(by, "by " + (by === "package" && !app.model.pack.some(Boolean) ? "file" : by))), "activity by");
    p.activity = element("canvas", { class: "pf-strip", role: "img", "aria-label": "activity over time; drag to choose a range, or use the keys [ ] { }" });
    p.tracks = element("div", { class: "pf-tracks", hidden: true });
  }
  p.path = element("nav", { class: "pf-path", "aria-label": "zoomed to" });
  p.legend = element("section", { class: "pf-legend", "aria-label": "legend" });
  p.changes = element("section", { class: "pf-changes", "aria-label": "what changed most" });
  p.inspector = element("section", { class: "pf-inspector", "aria-label": "selected box" });
  p.filter = element("input", { class: "pf-filter", placeholder: "filter", "aria-label": "filter functions", oninput: () => listFunctions(app) });
  p.functions = element("table", { class: "pf-functions" });
  p.list = element("section", { class: "pf-list", "aria-label": "functions", tabindex: 0, hidden: true }, p.filter, p.functions);
  p.context = element("div", { class: "pf-context", role: "menu", "aria-label": "the function", hidden: true, onkeydown: (e) => menuKey(app, e) });
  p.announce = element("div", { class: "pf-hidden", "aria-live": "polite" });
  p.sheet = element("dialog", { class: "pf-keys", "aria-label": "keys" }, ...keySheet());
  return p;
}

// Makes the toolbar. At a width of 1280 pixels, it is a single row.
function buildBar(app, p) {
  const { model } = app;
  return element("header", { class: "pf-bar" },
    element("h1", { title: model.meta.title }, model.meta.title), p.totals, p.tabs, p.amounts,
    model.types.length > 1 ? p.type : null,
    element("span", { class: "pf-search" }, p.search,
      button("‹", () => stepMatch(app, -1), { "data-do": "previous", "aria-label": "previous match" }),
      button("›", () => stepMatch(app, 1), { "data-do": "next", "aria-label": "next match" }), p.matched, p.keep),
    element("span", { class: "pf-space" }),
    button("Functions", () => app.set({ list: !app.state.list }), { "data-flag": "list", title: "list of functions (l)" }),
    p.menu, button("?", () => app.host.sheet(), { "data-do": "help", "aria-label": "keys" }));
}

function build(app, root) {
  const p = app.parts = buildParts(app), chrome = app.options.chrome !== false;
  const half = (text, canvas, kind, more) => element("div", { class: "pf-half " + kind }, element("span", { class: "pf-side" }, text), canvas, more);
  const side = element("aside", { class: "pf-aside", "aria-label": "changes" }, p.changes);
  p.box = element("div", { class: "pf" + (chrome ? " pf-chrome" : "") },
    chrome ? buildBar(app, p) : null, p.banner,
    element("div", { class: "pf-under" }, p.path, element("span", { class: "pf-space" }), p.real, p.legend, chrome ? null : p.amounts, chrome ? null : p.menu),
    p.activity ? element("section", { class: "pf-times", "aria-label": "activity over time" },
      element("div", { class: "pf-timebar" }, p.modes, p.range, p.clear, element("span", { class: "pf-space" }),
        app.model.times.bucket ? element("span", { class: "pf-soft" }, "samples within " + formatValue(app.model.times.bucket, "ns") + " are added up") : null, p.strip),
      p.activity) : null,
    element(chrome && !root.closest("main") ? "main" : "div", { class: "pf-main" },
      element("div", { class: "pf-column" }, half("callers", p.callers, "pf-upper"), half("callees", p.graph, "pf-lower", p.tracks), p.minimap, p.list),
      side),
    p.inspector, p.tip, p.context, p.announce, chrome ? p.sheet : null);
  p.aside = side;
  side.hidden = !app.model.hasBase;
  p.box.classList.toggle("pf-alone", side.hidden);
  root.replaceChildren(p.box);
  app.drawings = [new Drawing(p.graph, app, false), new Drawing(p.callers, app, true)];
  app.minimap = new Minimap(p.minimap, app);
  if (app.model.times) app.timeline = new Timeline(p.graph, app, p.tracks), app.strip = new Strip(p.activity, app);
}

// ---- mouse and fingers -----------------------------------------------------------------------------------------

// Handles mouse and touch. One finger moves the graph, two fingers zoom. A click selects a box, a second click zooms to the
// box.
class Pointers {
  constructor(app, own) {
    Object.assign(this, { app, own, down: new Map(), moved: false });
    const { canvas } = own;
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "wheel", "dblclick", "contextmenu"])
      canvas.addEventListener(name, (e) => this[name](e), { passive: false });
  }
  get main() { return this.own === this.app.drawings[0]; }
  get drawing() { return this.main ? this.app.drawing : this.own; }
  boxOf(e) { return this.drawing.boxAt(e.offsetX, e.offsetY); }
  nodeOf(e) { return this.boxOf(e)?.node ?? -1; }

  // Handles the right mouse button and the menu key.
  contextmenu(e) {
    const { app } = this, pointed = e.button === 2 || e.pointerType === "touch", node = pointed ? this.nodeOf(e) : app.selected;
    if (!this.main || node <= 0) return;
    e.preventDefault();
    this.moved = true; // a long press is not a click
    this.hideTip();
    if (pointed) this.drawing.pick(this.boxOf(e));
    app.select(node, true, true);
    const box = app.parts.inspector.getBoundingClientRect();
    openMenu(app, pointed ? e.clientX : box.left + 20, pointed ? e.clientY : box.top);
  }

  pointerdown(e) {
    if (e.button) return;
    this.down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    if (this.down.size === 1) this.moved = false, this.start = { x: e.offsetX, y: e.offsetY };
    try { this.drawing.canvas.setPointerCapture(e.pointerId); } catch (error) { /* the pointer no longer exists */ }
  }
  pointermove(e) {
    const last = this.down.get(e.pointerId);
    if (!last) return this.hover(e);
    const others = [...this.down.entries()].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
    this.hideTip();
    if (others.length === 1) this.pinch(last, e, others[0]);
    else if (!others.length) this.drag(last, e);
    this.down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  }
  pinch(last, e, other) {
    this.moved = true;
    const before = Math.hypot(last.x - other.x, last.y - other.y), now = Math.hypot(e.offsetX - other.x, e.offsetY - other.y);
    if (this.main && before > 0 && now > 0) this.app.zoomAt((e.offsetX + other.x) / 2, before / now);
  }
  drag(last, e) {
    if (!this.moved && Math.hypot(e.offsetX - this.start.x, e.offsetY - this.start.y) < 5) return;
    this.moved = true;
    const d = this.drawing;
    if (e.pointerType !== "touch") d.scroll -= e.offsetY - last.y;
    d.clampScroll();
    if (this.main && d.span < d.place.width[0]) this.app.moveTo(d.left - (e.offsetX - last.x) / d.unit, d.span);
    else d.paint();
  }
  pointerup(e) {
    const was = this.down.delete(e.pointerId);
    if (was && !this.moved && !this.down.size) this.click(e);
  }
  pointercancel(e) { this.down.delete(e.pointerId); }
  pointerleave() { this.hideTip(); }
  dblclick() { if (this.main && this.clicked < 0) this.app.reset(); }

  click(e) {
    const { app, drawing } = this, box = this.boxOf(e), node = box?.node ?? -1;
    app.parts.menu.open = false;
    this.clicked = node;
    this.hideTip();
    drawing.canvas.focus({ preventScroll: true });
    if (!this.main) {
      if (node >= 0 && drawing.view.frame[node] >= 0) app.set({ sandwich: app.label(drawing.view.frame[node]) });
    } else if (node < 0) {
      app.select(-1, true);
    } else if (e.ctrlKey || e.metaKey) {
      drawing.pick(box);
      app.select(node, true, true);
      app.act("source");
    } else if (drawing.pick(box)) {
      app.zoom(node, true);
    } else {
      app.select(node, true, true);
    }
  }

  hover(e) {
    const { app, drawing } = this, box = this.boxOf(e), node = box?.node ?? -1, { view } = drawing;
    drawing.canvas.classList.toggle("pf-over", node >= 0);
    if (node < 0 || e.pointerType === "touch") return this.hideTip();
    const frame = view.frame[node], text = [frame < 0 ? "" : fileName(app.model, frame) + lineNote(app.model, frame)];
    const rows = drawing.timeRows ? drawing.timeRows(box) : valueRows(app, node, view);
    text.push(...rows.map(([what, words]) => what.replace(": certain?", "") + ": " + words));
    app.showTip(e, app.label(frame), text);
  }
  hideTip() { this.app.parts.tip.hidden = true; }

  // The wheel scrolls and moves the graph. With Ctrl, which browsers also report for pinching on a touchpad, it zooms.
  wheel(e) {
    const { app, drawing: d } = this;
    if (e.ctrlKey || e.metaKey) {
      if (this.main) app.zoomAt(e.offsetX, Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.01));
      return e.preventDefault();
    }
    const across = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
    if (this.main && Math.abs(across) > Math.abs(e.shiftKey ? 0 : e.deltaY) && d.span < d.place.width[0]) {
      app.moveTo(d.left + across / d.unit, d.span);
      return e.preventDefault();
    }
    const before = d.scroll;
    d.scroll += e.deltaY;
    d.clampScroll();
    if (d.scroll === before) return;
    d.paint();
    this.hideTip();
    e.preventDefault();
  }
}

function wire(app) {
  const p = app.parts, chrome = app.options.chrome !== false, stop = new AbortController(), { signal } = stop;
  const pick = (e) => {
    const row = e.target.closest("tr[data-frame]");
    if (row) app.set({ sandwich: app.label(Number(row.dataset.frame)) });
  };
  p.functions.addEventListener("click", pick);
  p.functions.addEventListener("keydown", (e) => { if (e.key === "Enter") pick(e); });
  document.addEventListener("keydown", () => { p.tip.hidden = true; }, { signal });
  (chrome ? document : p.box).addEventListener("keydown", (e) => app.key(e), { signal });
  document.addEventListener("pointerdown", (e) => {
    if (!p.menu.contains(e.target)) p.menu.open = false;
    if (!p.context.contains(e.target)) p.context.hidden = true;
  }, { signal });
  app.drawings.forEach((drawing) => new Pointers(app, drawing));
  const resized = new ResizeObserver(() => app.view && app.paint());
  for (const canvas of [p.graph, p.callers, p.activity].filter(Boolean)) resized.observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.paint(), { signal });
  const themed = new MutationObserver(() => app.paint());
  themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  app.end = () => { stop.abort(); resized.disconnect(); themed.disconnect(); clearTimeout(app.later); p.box.remove(); };
}

// Returns the name of the function that pprof's parameter p selects. If several match, returns the expression.
function pivotOf(model, text) {
  const wanted = framesOf(model, text), found = [...new Set(model.name.filter((name, i) => wanted[i]))];
  return found.length === 1 ? found[0] : found.length ? text : "";
}

function handleOf(app) {
  return {
    app, // for tests and the console
    get state() { return app.changed; },
    // If `whole` is true, settings that are not in `change` get their defaults.
    setState: (change, whole) => {
      const before = { ...app.state };
      if (whole) Object.assign(app.state, app.home);
      app.read(change);
      const after = { ...app.state };
      Object.assign(app.state, before);
      app.restore(after);
    },
    select: (name) => app.selectName(name),
    search: (text) => { app.set({ search: text }); return matchedText(app); },
    next: (direction) => stepMatch(app, direction),
    key: (event) => app.key(event), keys: shownKeys,
    zoom: (name) => app.zoom(app.nodeOfName(name, (i) => app.place.width[i])),
    stats: (name) => {
      const k = app.place.scale, row = app.functionRows().find((r) => app.label(r.frame) === name);
      return row ? { head: row.head * k, base: row.base, selfHead: row.selfHead * k, selfBase: row.selfBase } : null;
    },
    reset: () => app.reset(), repaint: () => app.paint(), destroy: () => app.end(),
  };
}

async function mount(root, options) {
  const packed = options.data instanceof ArrayBuffer ? splitData(options.data) : options.data;
  const model = await readModel(packed), app = new App(model, options);
  build(app, root);
  wire(app);
  app.refresh(true);
  if (options.pivots && !app.state.sandwich) app.openPivots(options.pivots);
  const selected = app.state.sel || app.state.sandwich;
  if (selected) app.selectName(selected);
  if ([document.body, options.focusFrom].includes(document.activeElement)) app.parts.graph.focus({ preventScroll: true });
  return handleOf(app);
}

globalThis.pprofcFlame = { mount, labelForms, fitLabel, percent };
