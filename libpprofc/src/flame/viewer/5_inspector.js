// The inspector: an area below the graph. Its size is constant, so that a selection never moves the graph. All panels insert
// names of the profile only as text nodes, so that they cannot contain markup.

// Returns a text such as "1.20s (34.50%)", or "0". Omits the percentage if the value is a percentage itself.
function amount(value, whole, unit) {
  if (!value) return "0";
  return formatValue(value, unit) + (unit.whole || unit === "%" ? "" : " (" + percent(value, whole) + ")");
}

// Returns rows [title, text] for a value: the value, or in a difference base, head and change. Returns no rows if all are 0.
function sideRows(app, title, head, base) {
  const { unit, whole } = app, rows = [];
  if (!head && !base) return rows;
  if (!app.model.hasBase) return [[title, amount(head, whole.head, unit)]];
  const change = changeText(difference(head, base), base, unit);
  return [[title, amount(base, whole.base, unit) + " → " + amount(head, whole.head, unit)],
    [title === "self" ? "change of self" : "change", change || "no change"]];
}

// Returns the rows of a box, for its tooltip and for screen readers.
function valueRows(app, node, view = app.view) {
  const k = app.place.scale;
  return [...sideRows(app, "total", view.head[node] * k, view.base[node]),
    ...sideRows(app, "self", view.selfHead[node] * k, view.selfBase[node]), ...verdictRows(app, view.frame[node])];
}

// Returns a text such as "+0.12s (+24.00%)" or "+0.12s (new)", or "" without a change.
function changeText(delta, base, unit) {
  if (!delta) return "";
  const text = signed(formatValue(delta, unit), delta);
  return base ? text + " (" + signed(percent(delta, Math.abs(base)), delta) + ")" : text + " (new)";
}

const HINT = "Click a box to select it, once more to zoom in. Drag, pinch or Ctrl and the wheel move and zoom the graph. ? lists the keys.";

// Makes the first column: the function, its source position and its actions.
function aboutPart(app, frame, node) {
  const { model } = app, name = app.label(frame), known = frame >= 0;
  const origin = known && model.origin[frame] ? ORIGIN_WORDS[model.origin[frame]] + (model.inlined[frame] ? ", inlined" : "") : "";
  const place = known ? [sourceOf(model, frame), origin].filter(Boolean) : [];
  const buttons = app.actions(node).filter((action) => action.id !== "copy").map((action) => (action.href
    ? element("a", { href: action.href, "data-do": action.id, title: action.about ?? null }, action.words)
    : button(action.words, action.run, { "data-do": action.id, title: [action.about, action.key && "key " + action.key].filter(Boolean).join("; ") || null })));
  return element("div", { class: "pf-about" },
    element("h2", { title: name }, name, " ", known ? button("Copy", (e) => copyName(e.target, name), { "data-do": "copy", title: "copy the name (y)" }) : null),
    place.length ? element("p", { class: "pf-place" }, ...place.flatMap((part, i) => (i ? [" · ", part] : [part]))) : null,
    element("div", { class: "pf-actions" }, ...buttons));
}

// Returns the cells for a value. In a difference, these are "base → head" and the change.
function valueCells(app, head, base) {
  const { unit, whole } = app;
  if (!app.model.hasBase) return [amount(head, whole.head, unit)];
  return [amount(base, whole.base, unit) + " → " + amount(head, whole.head, unit), changeText(difference(head, base), base, unit) || "no change"];
}

// Makes the second column: the values of this box, and of all boxes of its function together.
function valuesPart(app, node, places) {
  const { view, place, model } = app, k = place.scale, above = view.parent[node], frame = view.frame[node], rows = [];
  const add = (title, cells, wide) => rows.push(element("tr", {}, element("th", { scope: "row" }, title),
    ...cells.map((text) => element("td", { colspan: wide || null }, text))));
  const box = { total: [view.head[node] * k, view.base[node]], self: [view.selfHead[node] * k, view.selfBase[node]] };
  const all = places && { total: [places.total.head * k, places.total.base], self: [places.self.head * k, places.self.base] };
  const titles = model.hasBase ? ["", "base → head", "change"] : ["", "this box", ...(all ? ["everywhere"] : [])];
  for (const which of ["total", "self"]) {
    if (!box[which].some(Boolean) && !(all && all[which].some(Boolean))) continue;
    if (model.hasBase) add(which, valueCells(app, ...box[which]));
    else add(which, [...valueCells(app, ...box[which]), ...(all ? valueCells(app, ...all[which]) : [])]);
    if (model.hasBase && all && all[which].join() !== box[which].join()) add(which + " everywhere", valueCells(app, ...all[which]));
  }
  const wide = titles.length - 1, { whole } = app, moved = all && difference(...all.total);
  if (model.hasBase && moved && whole.base) add("changes the total by", [signed(percent(moved, Math.abs(whole.base)), moved)], wide);
  for (const [title, text] of verdictRows(app, frame)) add(title, [text], wide);
  const side = model.hasBase ? " in head" : ""; // the rows below have no values of the base
  if (above > 0 && view.head[node] && view.head[above]) add("of its caller" + side, [percent(view.head[node], view.head[above])], wide);
  if (app.bottleneck && frame >= 0) add("bottleneck", [app.bottleneck(frame, node).text], wide);
  if (app.inTimeline && app.timeline.picked) for (const [title, text] of app.timeline.timeRows(app.timeline.picked)) add(title, [text], wide);
  const labels = labelsOf(app, node);
  if (labels) add("labels" + side, [labels], wide);
  return element("div", { class: "pf-values" }, element("table", {},
    element("thead", {}, element("tr", {}, ...titles.map((text) => (text ? element("th", { scope: "col" }, text) : element("td", {}))))),
    element("tbody", {}, ...rows)));
}

// Returns sums over all nodes of a function: self, total (only outermost calls), and the totals by caller and by callee.
function placesOf(app, frame) {
  const { model, source: v } = app, name = model.name[frame], own = Uint8Array.from(model.name, (text) => (text === name ? 1 : 0));
  const inside = new Uint8Array(v.n), callers = new Map(), callees = new Map();
  const sum = () => ({ head: 0, base: 0 }), self = sum(), total = sum(), outer = sum();
  const add = (to, head, base) => { to.head += head; to.base += base; };
  const of = (map, key) => map.get(key) ?? map.set(key, { name: key, ...sum() }).get(key);
  for (let i = 1; i < v.n; i++) {
    const up = v.parent[i], first = own[v.frame[i]] && !inside[up];
    inside[i] = first ? 1 : inside[up] ? 2 : 0; // 2: below the outermost call
    if (own[v.frame[i]]) add(self, v.selfHead[i], v.selfBase[i]);
    if (first) {
      add(total, v.head[i], v.base[i]);
      add(outer, v.selfHead[i], v.selfBase[i]);
      add(of(callers, up > 0 ? model.name[v.frame[up]] : "all"), v.head[i], v.base[i]);
    } else if (inside[up] === 1) {
      add(of(callees, model.name[v.frame[i]]), v.head[i], v.base[i]);
    }
  }
  return { name, self, total, outer, callers: [...callers.values()], callees: [...callees.values()] };
}

const MOST_PARTS = 12, LEAST_PART = 0.07;

// Makes a row of the third column. The width of a part is its cost. The widest part is first. Narrow parts share one part.
function sandwichRow(app, parts, title) {
  const k = app.place.scale, weigh = (part) => Math.max(Math.abs(part.head * k), Math.abs(part.base));
  const sorted = parts.filter(weigh).sort((a, b) => weigh(b) - weigh(a)), sum = sorted.reduce((all, part) => all + weigh(part), 0);
  const kept = sorted.filter((part, i) => i < MOST_PARTS && weigh(part) >= LEAST_PART * sum), rest = sorted.slice(kept.length);
  if (rest.length) kept.push(rest.reduce((a, b) => ({ ...a, head: a.head + b.head, base: a.base + b.base }), { name: rest.length + " more", head: 0, base: 0, still: true, rest: true }));
  const text = (part) => (app.model.hasBase ? changeText(difference(part.head * k, part.base), part.base, app.unit) || "no change"
    : amount(part.head * k, app.whole.head, app.unit));
  const cells = kept.map((part) => {
    const frame = app.model.name.indexOf(part.name), forms = frame < 0 ? [part.name] : app.forms(frame);
    const more = { title: part.name + "\n" + text(part), class: part.own ? "pf-own" : part.rest ? "pf-rest" : null };
    const letters = Math.max(8, 40 * weigh(part) / (sum || 1));
    const inner = [element("span", {}, forms.find((form) => form.length <= letters) || forms[forms.length - 1]), element("b", {}, text(part))];
    const goes = frame >= 0 && !part.still && !part.own;
    const cell = goes ? button("", () => app.show(part.name), more) : element("span", more);
    cell.append(...inner);
    cell.style.flexGrow = Math.max(1, Math.round(1000 * weigh(part) / (sum || 1)));
    return cell;
  });
  return element("div", { class: "pf-level", role: "group", "aria-label": title }, ...cells);
}

// Makes the third column: the callers of the function, the function, and its callees, summed over all its boxes.
function sandwichPart(app, places) {
  const own = { name: places.name, ...places.total, own: true };
  const self = { name: "self", ...places.outer, still: true };
  return element("div", { class: "pf-sandwich" }, sandwichRow(app, places.callers, "callers"), sandwichRow(app, [own], "the function"),
    sandwichRow(app, [self, ...places.callees], "callees"),
    element("p", { class: "pf-soft" }, "callers above, callees below, summed over all boxes of the function; click one to go there"));
}

const MOST_SELF = 18;

// Returns the contents without a selection: a hint, and the functions with the largest self values in base or head.
function showOverview(app) {
  const { model, unit, whole } = app, k = app.place.scale, hint = element("p", { class: "pf-soft" }, HINT);
  const size = (r) => Math.max(Math.abs(r.selfHead * k), Math.abs(r.selfBase || 0));
  const text = (head, base) => (model.hasBase ? formatValue(base, unit) + " → " + formatValue(head * k, unit) : amount(head, whole.head, unit));
  const rows = app.functionRows().filter((r) => size(r) && r.frame !== model.smaller).sort((a, b) => size(b) - size(a)).slice(0, MOST_SELF);
  if (!rows.length) return [hint];
  const items = rows.map((r) => rankRow(app, r, {
    value: text(r.selfHead, r.selfBase), letters: WIDE_LINE, part: size(r) / size(rows[0]), kind: "pf-own", title: "\ntotal " + text(r.head, r.base),
  }));
  return [element("div", { class: "pf-about" }, element("h2", {}, model.hasBase ? "Most self, base → head" : "Most self"), hint), element("ol", { class: "pf-ranks" }, ...items)];
}

function inspect(app, node) {
  const panel = app.parts.inspector, key = node + "/" + app.timeline?.picked?.from + JSON.stringify(app.changed);
  if (panel.shown === key && panel.place === app.place) return;
  Object.assign(panel, { shown: key, place: app.place });
  showMatched(app);
  panel.classList.toggle("pf-open", node >= 0);
  panel.scrollTop = 0;
  if (node < 0) return panel.replaceChildren(...showOverview(app));
  const frame = app.view.frame[node];
  const known = frame >= 0 && frame !== app.model.smaller, places = known ? app.everywhere(frame) : null;
  panel.replaceChildren(aboutPart(app, frame, node), valuesPart(app, node, places), ...(places ? [sandwichPart(app, places)] : []),
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

// Returns "file:line", as a link if the option -source_link gave the address of the sources.
function sourceOf(model, frame) {
  const text = fileName(model, frame) + lineNote(model, frame), file = model.file[model.fileOf[frame]];
  if (!file || !/^https?:\/\//.test(model.meta.link)) return text;
  const parts = { file: file.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/"), line: Math.abs(model.line[frame]) || 1 };
  const href = model.meta.link.replace(/\{(file|line)\}/g, (all, name) => parts[name]);
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
}

// Describes the selected frame to screen readers as an item of a tree, because a canvas has no items.
function describe(app, node, name) {
  const { view, place } = app, { item, announce, graph } = app.parts;
  let position = 1, size = 0;
  for (let c = node > 0 ? place.first[view.parent[node]] : -1; c >= 0; c = place.next[c]) {
    if (!(place.width[c] > 0)) continue;
    size++;
    if (c === node) position = size;
  }
  const rows = app.inTimeline && app.timeline.picked ? app.timeline.timeRows(app.timeline.picked) : valueRows(app, node);
  const text = name + ", " + rows.map((row) => row.join(" ")).join(", ");
  const values = {
    level: view.depth[node] + 1, posinset: position, setsize: Math.max(1, size), selected: true, label: text,
  };
  for (const [key, value] of Object.entries(values)) item.setAttribute("aria-" + key, value);
  if (place.first[node] >= 0) item.setAttribute("aria-expanded", "true");
  else item.removeAttribute("aria-expanded");
  graph.setAttribute("aria-activedescendant", item.id);
  announce.textContent = text;
}

// Returns the labels of the samples below a node, largest share first. Works only for the unchanged tree.
function labelsOf(app, node) {
  const { model, view } = app;
  if (!model.groups.length || !isPlain(app.state) || rangeOf(model, app.state)) return "";
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
