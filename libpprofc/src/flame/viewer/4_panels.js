// The panels around the graph: the inspector, the list of functions, the legend, the list of keys. Names of the profile are
// data: the panels insert them as text nodes only.

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const byId = (id) => document.getElementById(id);

// ---- inspector ---------------------------------------------------------------------------------------------

function inspect(app, node) {
  const panel = byId("inspector");
  panel.replaceChildren();
  if (node < 0) {
    panel.append(element("p", { class: "soft" }, "Point at a frame, or walk with the arrow keys."));
    return;
  }
  const { model, view } = app, frame = view.frame[node], unit = app.type.unit;
  const name = app.label(frame), rows = [];
  const add = (key, value) => value && rows.push(element("dt", {}, key), element("dd", {}, value));
  add("source", frame >= 0 ? sourceOf(model, frame) : "");
  add("origin", frame >= 0 ? ORIGINS[model.origin[frame]] + (model.inlined[frame] ? ", inlined" : "") : "");
  const pair = (head, base, whole, wholeBase) => {
    const text = formatValue(head, unit) + " (" + percent(head, whole) + ")";
    if (!model.hasBase) return text;
    const delta = head - base;
    return formatValue(base, unit) + " (" + percent(base, wholeBase) + ") → " + text + ", "
      + signed(formatValue(delta, unit), delta) + (base ? " (" + signed(percent(delta, Math.abs(base)), delta) + ")" : "");
  };
  const k = app.place.scale;
  add("total", pair(view.head[node] * k, view.base[node], view.head[0] * k, view.base[0]));
  add("self", pair(view.selfHead[node] * k, view.selfBase[node], view.head[0] * k, view.base[0]));
  const above = view.parent[node];
  if (above > 0) add("of caller", percent(view.head[node], view.head[above]));
  if (model.hasBase) {
    add("change of all", percent(view.head[node] * k - view.base[node], Math.abs(view.base[0])));
    add("status", STATUS_NAMES[statusOf(view.head[node] * k, view.base[node])]);
  }
  if (app.bottleneck) add("bottleneck", app.bottleneck(frame, node).text);
  add("labels", labelsOf(app, node));
  panel.append(element("h2", {}, name), element("dl", {}, ...rows));
  describe(app, node, name);
  byId("announce").textContent = name + ", " + formatValue(view.head[node], unit) + ", "
    + percent(view.head[node], view.head[0]);
}

// "file:line", as a link when the page has the address of the sources (-source_link).
function sourceOf(model, frame) {
  const text = fileName(model, frame), file = model.file[model.fileOf[frame]];
  if (!file || !/^https?:\/\//.test(model.meta.link)) return text;
  const parts = { file: file.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/"), line: model.line[frame] || 1 };
  const href = model.meta.link.replace(/\{(file|line)\}/g, (all, name) => parts[name]);
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
}

// The selected frame as an item of a tree for screen readers, since a canvas has no items.
function describe(app, node, name) {
  const { view, place } = app, item = byId("item");
  let position = 1, size = 0;
  for (let c = node > 0 ? place.first[view.parent[node]] : -1; c >= 0; c = place.next[c]) {
    if (!(place.width[c] > 0)) continue;
    size++;
    if (c === node) position = size;
  }
  const values = {
    level: view.depth[node] + 1, posinset: position, setsize: Math.max(1, size), selected: true,
    label: name + ", " + formatValue(view.head[node], app.type.unit) + ", " + percent(view.head[node], view.head[0]),
  };
  for (const [key, value] of Object.entries(values)) item.setAttribute("aria-" + key, value);
  if (place.first[node] >= 0) item.setAttribute("aria-expanded", "true");
  else item.removeAttribute("aria-expanded");
  byId("graph").setAttribute("aria-activedescendant", "item");
}

// The labels of the samples below a node of the unchanged tree, the heaviest first.
function labelsOf(app, node) {
  const { model, view } = app;
  if (!model.groups.length || !isPlain(app.state)) return "";
  const end = endOf(view, node), type = app.state.type;
  const sums = model.groups.map((group) => {
    let sum = 0;
    for (let i = 0; i < group.node.length; i++)
      if (group.node[i] >= node && group.node[i] < end) sum += group.self[type][i];
    return { name: group.name, sum };
  });
  return sums.filter((s) => s.sum).sort((a, b) => b.sum - a.sum).slice(0, 5)
    .map((s) => s.name + " " + percent(s.sum, view.head[node])).join(", ");
}

function endOf(view, node) {
  let end = node + 1;
  while (end < view.n && view.depth[end] > view.depth[node]) end++;
  return end;
}

// ---- function list --------------------------------------------------------------------------------------------

const LIST_ROWS = 400;

function columnsOf(app) {
  const k = app.place.scale;
  const head = [
    { title: "Self", value: (r) => r.selfHead * k }, { title: "Total", value: (r) => r.head * k }];
  const both = [
    { title: "Base", value: (r) => r.base }, { title: "Head", value: (r) => r.head * k },
    { title: "Δ self", value: (r) => r.selfHead * k - r.selfBase, sign: true },
    { title: "Δ total", value: (r) => r.head * k - r.base, sign: true }];
  return app.model.hasBase ? [...head, ...both] : head;
}

function listFunctions(app) {
  const table = byId("functions"), columns = columnsOf(app), { state } = app;
  if (!app.rows) app.rows = functionTable(app.model, app.view);
  const column = columns[state.sort] || columns[0];
  const order = state.sort === -1
    ? (a, b) => (app.label(a.frame) < app.label(b.frame) ? -1 : 1)
    : (a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a));
  const filter = byId("list-filter").value, re = filter ? matcher(app.model, filter) : null;
  const rows = app.rows.filter((r) => !re || re[r.frame]).sort(order);
  if (state.up) rows.reverse();
  const heading = (title, index) => element("th", {
    scope: "col", "aria-sort": state.sort === index ? (state.up ? "ascending" : "descending") : "none",
  }, element("button", {
    type: "button",
    onclick: () => app.set({ sort: index, up: state.sort === index ? !state.up : index === -1 }),
  }, title));
  const line = (r) => element("tr", { "data-frame": r.frame, tabindex: 0 },
    element("td", { class: "name", title: fileName(app.model, r.frame) }, app.label(r.frame)),
    ...columns.map((c) => element("td", {
      class: c.sign ? (c.value(r) > 0 ? "more" : c.value(r) < 0 ? "less" : "") : "",
    }, (c.sign && c.value(r) > 0 ? "+" : "") + formatValue(c.value(r), app.type.unit))));
  table.replaceChildren(
    element("caption", {}, rows.length > LIST_ROWS ? `${LIST_ROWS} of ${rows.length} functions` : `${rows.length} functions`),
    element("thead", {}, element("tr", {}, heading("Function", -1), ...columns.map((c, i) => heading(c.title, i)))),
    element("tbody", {}, ...rows.slice(0, LIST_ROWS).map(line)));
}

// ---- legend -----------------------------------------------------------------------------------------------------

function legend(app) {
  const chip = (color, text, extra) =>
    element("span", { class: "chip", ...extra }, element("i", { style: "background:" + color }), text);
  const box = byId("legend");
  const { state } = app;
  if (app.coloring === "change") {
    const status = (id, color) => element("button", {
      type: "button", class: "chip", "aria-pressed": state.only === STATUS_NAMES[id] ? "true" : "false",
      "data-status": STATUS_NAMES[id],
      onclick: () => app.set({ only: state.only === STATUS_NAMES[id] ? "" : STATUS_NAMES[id] }),
    }, element("i", { style: "background:" + color }), STATUS_SIGNS[id] + STATUS_NAMES[id]);
    box.replaceChildren(status(1, changeColor(1, 1)), status(2, changeColor(-1, 1)), status(3, changeColor(1, 2)),
      status(4, changeColor(-1, 2)), status(0, changeColor(0, 1)));
  } else if (app.coloring === "origin") {
    box.replaceChildren(...ORIGINS.map((name, i) => chip(ORIGIN_COLORS[i], name)));
  } else if (app.coloring === "bottleneck") {
    box.replaceChildren(...Object.entries(BOTTLENECK_COLORS).map(([name, color]) => chip(color, name)),
      element("span", { class: "soft" }, "weights:"), ...Object.entries(app.weights).map(([name, weight]) =>
        element("label", {}, name + " ", element("input", {
          type: "number", min: 0, step: "any", value: weight, class: "weight", "data-weight": name,
          onchange: (e) => app.setWeight(name, Math.max(0, Number(e.target.value) || 0)),
        }))));
  } else {
    box.replaceChildren(element("span", { class: "soft" }, {
      function: "colour by function name, the same in every profile",
      package: "colour by package", value: "darker: more self time",
    }[app.coloring]));
  }
}

// ---- keys ----------------------------------------------------------------------------------------------------------

const KEYS = [
  ["↑ ↓ ← →", "walk the frames"], ["Enter", "zoom into the frame"], ["Escape or 0", "zoom out, clear"],
  ["/", "search"], ["n  N", "next, previous match"], ["b h d", "Base, Head, Diff"], ["w", "width: next measure"],
  ["c", "colour: next"], ["t", "next sample type"], ["i", "icicle or flame"], ["r", "reverse: merge from the leaf"],
  ["s", "sandwich: callers and callees of the frame"], ["f", "focus on the frame"], ["x", "hide the frame"],
  ["m", "collapse recursion"], ["k", "kernel and system calls"], ["a", "absolute or normalised"], ["l", "function list"],
  ["?", "this sheet"],
];

function keySheet() {
  const rows = KEYS.map(([key, what]) => element("tr", {}, element("th", {}, key), element("td", {}, what)));
  byId("sheet").replaceChildren(element("h2", {}, "Keys"), element("table", {}, ...rows),
    element("form", { method: "dialog" }, element("button", {}, "Close")));
}
