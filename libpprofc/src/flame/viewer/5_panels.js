// The panels around the graph: the largest changes, the banner, the list of functions, the legend. They insert names of the
// profile only as text nodes, so that names cannot contain markup.

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const button = (text, onclick, more) => element("button", { type: "button", onclick, ...more }, text);

// ---- the largest changes ----------------------------------------------

const MOST_CHANGED = 5;
// Characters of a name and its value that have room beside each other, in the list of changes and in the inspector. A longer
// pair takes two lines.
const LINE = 32, WIDE_LINE = 38;

// Returns the functions whose self values grew most, and the functions whose self values fell most.
function mostChanged(app) {
  const k = app.place.scale, { model } = app;
  let rows = app.functionRows().map((r) => ({ ...r, delta: difference(r.selfHead * k, r.selfBase), verdict: app.verdictOf(r.frame) }));
  if (app.judging) rows = rows.filter((r) => r.verdict && agreed(r.verdict.self, r.delta));
  const top = (sign) => rows.filter((r) => r.delta * sign > 0 && r.frame !== model.smaller)
    .sort((a, b) => sign * (b.delta - a.delta)).slice(0, MOST_CHANGED);
  return { slower: top(1), faster: top(-1) };
}

// Makes a row of a list of functions. `part` is the length of its bar, relative to the first row.
function rankRow(app, r, { value, letters = LINE, part, kind, title }) {
  const forms = app.forms(r.frame), bar = element("i", { class: kind });
  const row = button("", () => app.goTo(r.frame), { "data-name": app.label(r.frame), title: app.label(r.frame) + title });
  bar.style.width = Math.max(2, 100 * part) + "%";
  row.append(element("span", {}, forms.find((text) => text.length + value.length <= letters) || forms[forms.length - 1]), element("b", {}, value), bar);
  return element("li", {}, row);
}

function showChanges(app) {
  const panel = app.parts.changes;
  panel.hidden = !app.model.hasBase || app.state.tab !== "diff";
  if (panel.hidden) return;
  const { slower, faster } = mostChanged(app), { unit, words } = app;
  const list = (title, rows, less) => {
    const items = rows.map((r) => rankRow(app, r, {
      value: signed(formatValue(r.delta, unit), r.delta) + halfText(app, r.verdict), part: r.delta / rows[0].delta, kind: less ? "pf-less" : "pf-more",
      title: "\nself " + formatValue(r.selfBase, unit) + " → " + formatValue(r.selfHead * app.place.scale, unit)
        + (r.verdict ? "\n" + verdictText(r.verdict.self, unit, r.verdict.partner) : ""),
    }));
    return [element("h2", {}, (less ? "▼ " : "▲ ") + title[0].toUpperCase() + title.slice(1)),
      rows.length ? element("ol", { class: "pf-ranks" }, ...items) : element("p", { class: "pf-soft" }, app.judging ? "no function by more than noise" : "no function")];
  };
  panel.replaceChildren(...list(words.slower, slower, false), ...list(words.faster, faster, true));
}

// Returns a text such as " ±0.07s" for a function with a verdict, else "". If the interval contains 0, only the change against
// the other functions is certain.
function halfText(app, verdict) {
  if (!app.judging || !verdict) return "";
  const { low, high } = verdict.self;
  return low < 0 && high > 0 ? " vs rest" : halfWidth(verdict.self, app.unit);
}

// Shows one sentence about the comparison, and a button that shows notes on runs, noise and the common factor.
function showBanner(app) {
  const { banner } = app.parts, { verdicts } = app.model.meta;
  banner.hidden = !hasVerdicts(app.model, app.state);
  if (banner.hidden) return;
  const { head, base } = app.view, delta = difference(head[0], base[0]);
  banner.classList.toggle("pf-up", verdicts.total.level > 0 && delta > 0);
  banner.classList.toggle("pf-down", verdicts.total.level > 0 && delta < 0);
  banner.replaceChildren(element("b", {}, STATUS_SIGNS[verdicts.total.level ? statusOf(head[0], base[0]) : 0] + verdicts.sentence),
    element("details", {}, element("summary", {}, "How sure is this?"), ...verdicts.notes.slice(1).map((text) => element("p", {}, text))));
}

// ---- function list --------------------------------------------------------------------------------------------

const LIST_ROWS = 400;

function columnsOf(app) {
  const k = app.place.scale;
  if (!app.model.hasBase) return [
    { title: "Self", value: (r) => r.selfHead, share: true }, { title: "Total", value: (r) => r.head, share: true }];
  return [
    { title: "Change of self", value: (r) => difference(r.selfHead * k, r.selfBase), sign: true },
    { title: "Change of total", value: (r) => difference(r.head * k, r.base), sign: true },
    { title: "Base self", value: (r) => r.selfBase }, { title: "Head self", value: (r) => r.selfHead * k },
    { title: "Base total", value: (r) => r.base }, { title: "Head total", value: (r) => r.head * k }, ...verdictColumns(app)];
}

// Returns the columns about verdicts. The values of the last column sort certain changes first.
function verdictColumns(app) {
  if (!hasVerdicts(app.model, app.state)) return [];
  const of = (r) => (app.verdictOf(r.frame) || {}).self, known = (e) => e && e.word && e.low !== null;
  return [
    { title: "± self", value: (r) => (known(of(r)) ? (of(r).high - of(r).low) / 2 : 0), blank: (r) => !known(of(r)) },
    { title: "Certain?", value: (r) => (of(r)?.word ? of(r).level + 1 - (of(r).q ?? 1) : -1), text: (r) => (of(r) ? of(r).word : "") }];
}

// Fills the list of functions. Changes are sorted with their sign, so that the largest growth is first.
function listFunctions(app) {
  const { functions, filter } = app.parts, columns = columnsOf(app), { state } = app;
  const column = columns[state.sort] || columns[0], { unit } = app, whole = app.whole.head;
  const order = state.sort === -1
    ? (a, b) => (app.label(a.frame) < app.label(b.frame) ? -1 : 1)
    : (a, b) => (column.sign ? column.value(b) - column.value(a) : Math.abs(column.value(b)) - Math.abs(column.value(a)));
  const re = filter.value ? matcher(app.model, filter.value) : null;
  const rows = app.functionRows().filter((r) => !re || re[r.frame]).sort(order);
  if (state.up) rows.reverse();
  const heading = (title, index) => element("th", {
    scope: "col", "aria-sort": state.sort === index ? (state.up ? "ascending" : "descending") : "none",
  }, button(title, () => app.set({ sort: index, up: state.sort === index ? !state.up : index === -1 })));
  const cell = (c, r) => {
    if (c.text || (c.blank && c.blank(r))) return element("td", {}, c.text ? c.text(r) : "");
    const value = c.value(r), kind = value > 0 ? "pf-worse" : "pf-better";
    return element("td", { class: c.sign && value ? kind : null }, (c.sign && value > 0 ? "+" : "") + formatValue(value, unit)
      + (c.share && value ? " " + percent(value, whole) : ""));
  };
  const line = (r) => element("tr", { "data-frame": r.frame, "data-name": app.label(r.frame), tabindex: 0 },
    element("th", { scope: "row", class: "pf-name", title: fileName(app.model, r.frame) }, app.label(r.frame)),
    ...columns.map((c) => cell(c, r)));
  functions.replaceChildren(
    element("caption", {}, (rows.length > LIST_ROWS ? `${LIST_ROWS} of ${rows.length} functions` : `${rows.length} functions`)
      + "; a row opens callers and callees"),
    element("thead", {}, element("tr", {}, heading("Function", -1), ...columns.map((c, i) => heading(c.title, i)))),
    element("tbody", {}, ...rows.slice(0, LIST_ROWS).map(line)));
}

// ---- legend -----------------------------------------------------------------------------------------------------

const ORIGIN_WORDS = ["unknown", "your code", "library", "system"];

function swatch(color, ...hatched) {
  const i = element("i", { class: hatched[0] ? "pf-hatched" : null });
  i.style.backgroundColor = color;
  return i;
}

function statusChips(app) {
  const { state } = app, colors = [app.theme.noise, changeColor(1, 1), changeColor(-1, 1), changeColor(1, 2), changeColor(-1, 2)];
  const words = [app.judging ? "no change beyond noise" : app.words.unchanged, app.words.slower, app.words.faster, "new", "gone"];
  return [1, 2, 3, 4, 0].map((id) => button("", () =>
    app.set({ only: state.only === STATUS_NAMES[id] ? "" : STATUS_NAMES[id] }), {
    class: "pf-chip", "aria-pressed": state.only === STATUS_NAMES[id] ? "true" : "false", "data-status": STATUS_NAMES[id],
    title: "show only these",
  })).map((chip, i) => {
    const id = [1, 2, 3, 4, 0][i];
    chip.append(swatch(colors[id], id > STATUS.faster), STATUS_SIGNS[id] + words[id]);
    return chip;
  });
}

function legend(app) {
  const chip = (color, text) => element("span", { class: "pf-chip" }, swatch(color), text);
  const box = app.parts.legend, soft = (text) => element("span", { class: "pf-soft", title: text }, text);
  if (app.coloring === "change") {
    box.replaceChildren(...statusChips(app), soft(app.judging ? "pale: changed as all did; bar: size of the change" : "bar: size of the change"));
  } else if (app.coloring === "origin") {
    box.replaceChildren(...ORIGIN_WORDS.map((name, i) => chip(ORIGIN_COLORS[i], name)));
  } else if (app.coloring === "bottleneck") {
    box.replaceChildren(...Object.entries(BOTTLENECK_COLORS).map(([name, color]) => chip(color, name)), soft("weights:"),
      ...Object.entries(app.weights).map(([name, weight]) => element("label", {}, name + " ", element("input", {
        type: "number", min: 0, step: "any", value: weight, class: "pf-weight", "data-weight": name,
        onchange: (e) => app.setWeight(name, Math.max(0, Number(e.target.value) || 0)),
      }))));
  } else {
    box.replaceChildren(soft({
      function: "a colour for each function, the same in every profile", package: "a colour for each package",
      value: "darker: more self time",
    }[app.coloring]));
  }
}
