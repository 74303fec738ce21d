// The inspector: a dock of constant size below the graph, so that selecting never moves the picture. Names of the profile are
// data: panels insert them as text nodes only.

// "1.20s (34.50%)"; "0" for a value of 0, and no percentage of a percentage.
function amount(value, whole, unit) {
  if (!value) return "0";
  return formatValue(value, unit) + (unit.whole || unit === "%" ? "" : " (" + percent(value, whole) + ")");
}

// The rows of values. Rows with zero on both sides are skipped.
function valueRows(app, node) {
  const { model, view, unit } = app, k = app.place.scale, rows = [];
  const pairs = [["total", view.head[node] * k, view.base[node]], ["self", view.selfHead[node] * k, view.selfBase[node]]];
  for (const [name, head, base] of pairs) {
    if (!head && !base) continue;
    if (!model.hasBase) {
      rows.push([name, amount(head, view.head[0] * k, unit)]);
      continue;
    }
    const change = changeText(difference(head, base), base, unit);
    rows.push([name, amount(base, view.base[0], unit) + " → " + amount(head, view.head[0] * k, unit)]);
    rows.push([name === "self" ? "change of self" : "change", change || "none"]);
  }
  rows.push(...verdictRows(app, view.frame[node]));
  return rows;
}

// "+0.12s (+24.00%)", "new", "gone".
function changeText(delta, base, unit) {
  if (!delta) return "";
  const text = signed(formatValue(delta, unit), delta);
  return base ? text + " (" + signed(percent(delta, Math.abs(base)), delta) + ")" : text + " (new)";
}

const HINT = "Click a box to select it, once more to zoom in. Drag, pinch or Ctrl and the wheel move and zoom the graph. ? lists the keys.";

// The first column: the function, its place and what can be done with it.
function aboutPart(app, frame, node) {
  const { model } = app, name = app.label(frame), known = frame >= 0;
  const origin = known && model.origin[frame] ? ORIGIN_WORDS[model.origin[frame]] + (model.inlined[frame] ? ", inlined" : "") : "";
  const place = known ? [sourceOf(model, frame), origin].filter(Boolean) : [];
  const buttons = app.actions(node).filter((action) => action.id !== "copy").map((action) => (action.href
    ? element("a", { href: action.href, "data-do": action.id }, action.words)
    : button(action.words, action.run, { "data-do": action.id, title: action.key ? "key " + action.key : null })));
  return element("div", { class: "pf-about" },
    element("h2", { title: name }, name, " ", known ? button("Copy", (e) => copyName(e.target, name), { "data-do": "copy", title: "copy the name (y)" }) : null),
    place.length ? element("p", { class: "pf-place" }, ...place.flatMap((part, i) => (i ? [" · ", part] : [part]))) : null,
    element("div", { class: "pf-actions" }, ...buttons));
}

// The second column: values.
function valuesPart(app, frame, node) {
  const { view } = app, rows = valueRows(app, node), above = view.parent[node];
  if (above > 0 && view.head[node] && view.head[above]) rows.push(["of its caller", percent(view.head[node], view.head[above])]);
  if (app.bottleneck && frame >= 0) rows.push(["bottleneck", app.bottleneck(frame, node).text]);
  rows.push(["labels", labelsOf(app, node)]);
  return element("dl", {}, ...rows.filter(([, value]) => value)
    .flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)]));
}

function inspect(app, node) {
  const panel = app.parts.inspector, key = node + "/" + JSON.stringify(app.changed);
  if (panel.shown === key && panel.place === app.place) return;
  Object.assign(panel, { shown: key, place: app.place });
  showMatched(app);
  panel.classList.toggle("pf-open", node >= 0);
  panel.scrollTop = 0;
  if (node < 0) return panel.replaceChildren(element("p", { class: "pf-soft" }, HINT));
  const frame = app.view.frame[node];
  panel.replaceChildren(aboutPart(app, frame, node), valuesPart(app, frame, node),
    button("×", () => app.select(-1, true), { class: "pf-close", "aria-label": "close", title: "clear the selection" }));
  describe(app, node, app.label(frame));
}

async function copyName(target, name) {
  try { await navigator.clipboard.writeText(name); } catch (error) {
    const area = element("textarea", { class: "pf-hidden" });
    area.value = name;
    target.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  target.textContent = "Copied";
  setTimeout(() => { target.textContent = "Copy"; }, 1200);
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
  const { view, place } = app, { item, announce, graph } = app.parts;
  let position = 1, size = 0;
  for (let c = node > 0 ? place.first[view.parent[node]] : -1; c >= 0; c = place.next[c]) {
    if (!(place.width[c] > 0)) continue;
    size++;
    if (c === node) position = size;
  }
  const text = name + ", " + valueRows(app, node).map((row) => row.join(" ")).join(", ");
  const values = {
    level: view.depth[node] + 1, posinset: position, setsize: Math.max(1, size), selected: true, label: text,
  };
  for (const [key, value] of Object.entries(values)) item.setAttribute("aria-" + key, value);
  if (place.first[node] >= 0) item.setAttribute("aria-expanded", "true");
  else item.removeAttribute("aria-expanded");
  graph.setAttribute("aria-activedescendant", item.id);
  announce.textContent = text;
}

// The labels of the samples below a node of the unchanged tree, the heaviest first.
function labelsOf(app, node) {
  const { model, view } = app;
  if (!model.groups.length || !isPlain(app.state)) return "";
  const end = endOf(view, node), type = app.state.type;
  const [factor] = valueFactors(model, type);
  const sums = model.groups.map((group) => {
    let sum = 0;
    for (let i = 0; i < group.node.length; i++)
      if (group.node[i] >= node && group.node[i] < end) sum += group.self[type][i] * factor;
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
