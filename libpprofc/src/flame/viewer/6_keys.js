// Table of keys: their actions, and the words for the list of keys. `host` contains the actions that a page around the viewer
// replaces, such as the search, so that both pages have the same keys.

const nextOf = (list, now) => list[(list.indexOf(now) + 1) % list.length];
const flipping = (flag) => (app) => app.set({ [flag]: !app.state[flag] });

const KEYS = [
  { keys: ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"], shown: "↑ ↓ ← →", words: "walk the boxes", run: (app, key) => app.walk(key) },
  { keys: ["Enter"], words: "zoom into the box", run: (app) => app.selected >= 0 && app.zoom(app.selected) },
  { keys: ["Escape", "0"], shown: "Escape 0", words: "zoom out, then clear filters, then the selection", run: (app) => app.reset() },
  { keys: ["+", "="], shown: "+", words: "zoom in", run: (app) => app.zoomAt(app.drawing.width / 2, 1 / 1.5) },
  { keys: ["-"], words: "zoom out", run: (app) => app.zoomAt(app.drawing.width / 2, 1.5) },
  { keys: ["/"], words: "search; Enter and Shift+Enter lead through the matches", run: (app) => app.host.search() },
  { keys: ["n"], words: "next match", run: (app) => stepMatch(app, 1) },
  { keys: ["N"], words: "previous match", run: (app) => stepMatch(app, -1) },
  { keys: ["f"], words: "focus: only stacks through the matches, or through the function", run: (app) => app.keep() },
  { keys: ["x"], words: "hide the function", run: (app) => app.act("hide") },
  { keys: ["s"], words: "callers and callees of the function", run: (app) => app.act("sandwich") },
  { keys: ["y"], words: "copy the name", run: (app) => app.act("copy") },
  { keys: ["b", "h", "d"], shown: "b h d", words: "Base, Head, Diff", run: (app, key) => app.host.side({ b: "base", h: "head", d: "diff" }[key]) },
  { keys: ["t"], words: "next sample type", run: (app) => app.host.type() },
  { keys: ["l"], words: "list of functions", run: (app) => app.host.list() },
  { keys: ["w"], words: "next box width", run: (app) => app.set({ width: nextOf(Object.keys(WIDTHS), app.state.width) }) },
  { keys: ["c"], words: "next colouring", run: (app) => app.set({ color: nextOf(app.colorings, app.coloring) }) },
  { keys: ["a"], words: "amounts or shares of base", run: flipping("normal") },
  { keys: ["o"], words: "only real changes, or all of them", run: (app) => hasVerdicts(app.model, app.state) && app.set({ judged: !app.state.judged }) },
  { keys: ["i"], words: "root at the top or at the bottom", run: flipping("icicle") },
  { keys: ["r"], words: "merge from the leaf", run: flipping("reverse") },
  { keys: ["m"], words: "join recursive calls", run: flipping("collapse") },
  { keys: ["k"], words: "system code on or off", run: flipping("system") },
  { keys: ["g"], words: "Timeline or flame graph", run: (app) => app.model.times && app.set({ timeline: !app.state.timeline }) },
  { keys: ["[", "]"], shown: "[ ]", words: "an earlier or later range of time", run: (app, key) => app.stepRange(key === "[" ? -0.5 : 0.5) },
  { keys: ["{", "}"], shown: "{ }", words: "a shorter or longer range of time", run: (app, key) => app.stepRange(0, key === "{" ? 0.5 : 2) },
  { keys: ["p"], words: "activity by package or by thread", run: (app) => app.model.times && app.set({ strip: nextOf(STRIPS, app.state.strip) }) },
  { keys: ["?"], words: "this sheet", run: (app) => app.host.sheet() },
];

const shownKeys = () => KEYS.map(({ keys, shown, words }) => [shown ?? keys[0], words]);

function keySheet() {
  const rows = shownKeys().map(([key, words]) => element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, words)));
  return [element("h2", {}, "Keys"), element("table", {}, ...rows), element("form", { method: "dialog" }, element("button", {}, "Close"))];
}

// Actions of the page -flame that a page around the viewer replaces by its own.
const ownHost = (app) => ({
  search: () => app.parts.search.focus(),
  sheet: () => { app.parts.sheet.showModal(); app.parts.sheet.scrollTop = 0; }, // scroll up: the button at the end has the focus
  side: (tab) => app.model.hasBase && app.set({ tab }),
  type: () => app.set({ type: (app.state.type + 1) % app.model.types.length }),
  list: () => app.set({ list: !app.state.list }),
});

// ---- the menu of the right button ----

const MENU = [["source", "Source"], ["focus", "Focus"], ["ignore", "Ignore"], ["hide", "Hide"], ["show-from", "Show from"], ["copy", "Copy name"]];

// Opens the context menu of the selected box. It has only actions that this page offers.
function openMenu(app, x, y) {
  const known = app.actions(app.selected), { context } = app.parts;
  const entries = MENU.filter(([id]) => known.some((action) => action.id === id)).map(([id, words]) =>
    button(words, () => { closeMenu(app); app.act(id); }, { role: "menuitem", "data-menu": id, tabindex: -1 }));
  if (!entries.length) return;
  context.replaceChildren(...entries);
  context.hidden = false;
  const box = app.parts.box.getBoundingClientRect();
  context.style.left = Math.max(4, Math.min(x, innerWidth - context.offsetWidth - 4)) - box.left + "px";
  context.style.top = Math.max(4, Math.min(y, innerHeight - context.offsetHeight - 4)) - box.top + "px";
  entries[0].focus();
}

function closeMenu(app) {
  const { context, graph } = app.parts;
  if (context.hidden) return;
  context.hidden = true;
  graph.focus({ preventScroll: true });
}

function menuKey(app, event) {
  const entries = [...app.parts.context.children], at = entries.indexOf(document.activeElement);
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key === "Escape" || event.key === "Tab") closeMenu(app);
  else if (event.key in steps) entries[(at + steps[event.key] + entries.length) % entries.length].focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
