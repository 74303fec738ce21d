// Searches while the user types, sorts tables, and moves between matches and expensive lines.
"use strict";

const search = { expression: null, hits: [], at: -1 };

/** Converts a regular expression of Go to JavaScript. Returns { expression }, or { wrong } with the error message. Flags
 * at the start, such as (?i), become flags of the RegExp. */
function expressionOf(text) {
  let flags = "", rest = text;
  const lead = /^\(\?([a-zA-Z]+)\)/.exec(rest);
  if (lead) {
    if (lead[1].includes("i")) flags += "i";
    if (lead[1].includes("s")) flags += "s";
    rest = rest.slice(lead[0].length);
  }
  rest = rest.replace(/\(\?P</g, "(?<").replace(/\\z/g, "$").replace(/\\A/g, "^")
    .replace(/\[\[:alpha:\]\]/g, "[A-Za-z]").replace(/\[\[:digit:\]\]/g, "\\d").replace(/\\Q(.*?)(\\E|$)/g,
      (all, quoted) => quoted.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&"));
  try {
    return { expression: new RegExp(rest, flags) };
  } catch (error) {
    return { wrong: String(error.message).replace(/^.*: /, "") };
  }
}

/** Returns the elements that a search compares: rows of tables, boxes of the graph, lines of listings. */
function searchable() {
  return $$("#view tbody tr, #graph a[data-name], .peek .l, .code .l, .routine.load, .boxes li");
}

function searchText(text) {
  const field = $("#search input[name=f]"), said = $("#matches");
  for (const e of $$("#view .match")) e.classList.remove("match");
  $("#view").classList.remove("searching");
  Object.assign(search, { expression: null, hits: [], at: -1 });
  field.removeAttribute("aria-invalid");
  said.textContent = "";
  if (!text) {
    page.flame?.search?.("");
    return;
  }
  const { expression, wrong } = expressionOf(text);
  if (wrong) {
    field.setAttribute("aria-invalid", "true");
    said.textContent = `not an expression: ${wrong}`;
    return;
  }
  search.expression = expression;
  if (page.flame) {
    page.flame.search(text); // the viewer calls showMatches with the result
    return;
  }
  for (const e of searchable()) {
    if (!expression.test(e.dataset.name ?? e.textContent)) continue;
    e.classList.add("match");
    search.hits.push(e);
  }
  $("#view").classList.add("searching");
  said.textContent = search.hits.length ? `${search.hits.length} match, Enter keeps only these` : "no match here";
}

let searchTimer;
document.addEventListener("input", (event) => {
  if (!event.target.matches?.("#search input[name=f]")) return;
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => searchText(event.target.value), 150);
});

/** Ends the search. The field shows again the filter of the page. */
function clearSearch() {
  const field = $("#search input[name=f]");
  clearTimeout(searchTimer);
  field.value = field.defaultValue;
  searchText("");
}

// In a flame graph, Enter moves to the next match. In other views, or with an empty field, Enter submits the form.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches?.("#search input[name=f]") || !page.flame || !event.target.value) return;
  clearTimeout(searchTimer);
  if (page.flame.state.search !== event.target.value) searchText(event.target.value);
  if (event.target.getAttribute("aria-invalid")) return;
  event.preventDefault();
  page.flame.next(event.shiftKey ? -1 : 1);
});

/** Moves to the next match, or without a search to the next expensive line. `direction` is 1 or -1. */
function step(direction) {
  const list = search.hits.length ? search.hits : $$(".l.h3, .l.h4").filter((e) => e.offsetParent);
  if (!list.length) return;
  search.at = (search.at + direction + list.length) % list.length;
  if (search.at < 0) search.at = 0;
  for (const e of $$(".here")) e.classList.remove("here");
  const line = list[search.at];
  line.closest("details")?.setAttribute("open", "");
  line.classList.add("here");
  line.scrollIntoView({ block: "center" });
  announce(`${search.at + 1} of ${list.length}: ${line.textContent.trim().slice(0, 200)}`);
}

// ---- tables -----------------------------------------------------------------------------------------------

const valueOf = (cell) => (cell?.dataset.sort !== undefined ? Number(cell.dataset.sort)
  : Number.parseFloat(cell?.textContent.replace(/[^\d.eE+-]/g, "")) || 0);

/** Computes the column "Sum %" again, because this running sum depends on the order of the rows. */
function renewSums(table) {
  const column = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent.startsWith("Sum %"));
  const whole = Number(table.dataset.whole);
  if (column < 0 || !whole) return;
  let sum = 0;
  for (const row of table.tBodies[0].rows) {
    sum += valueOf(row.cells[0]);
    const share = Math.abs((sum / whole) * 100);
    row.cells[column].textContent = `${share >= 99.995 ? 100 : share.toFixed(2)}%`;
  }
}

function sortTable(heading) {
  const table = heading.closest("table"), column = heading.cellIndex, body = table.tBodies[0];
  const isText = !!body.rows[0]?.cells[column]?.classList.contains("name");
  const rising = heading.getAttribute("aria-sort") === (isText ? "ascending" : "descending") ? !isText : isText;
  const key = (row) => (isText ? row.cells[column].textContent : valueOf(row.cells[column]));
  const rows = [...body.rows].map((row) => [key(row), row]);
  rows.sort(([a], [b]) => (isText ? a.localeCompare(b) : Math.abs(a) - Math.abs(b) || a - b) * (rising ? 1 : -1));
  body.append(...rows.map(([, row]) => row));
  for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  renewSums(table);
  announce(`sorted by ${heading.textContent.trim()}`);
}

onPage(() => {
  Object.assign(search, { expression: null, hits: [], at: -1 });
  for (const span of $$(".rows th > span")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = span.textContent;
    button.addEventListener("click", () => sortTable(button.closest("th")));
    span.replaceWith(button);
  }
});

/** Selects the next row (`direction` 1) or the previous row (-1) of the table. Returns false without rows. */
function walkRows(direction) {
  const rows = $$("#top tbody tr[data-name]");
  if (!rows.length) return false;
  const at = rows.findIndex((r) => r.classList.contains("selected"));
  const row = rows[Math.min(Math.max(at + direction, 0), rows.length - 1)];
  select(row.dataset.name, { element: row, step: "walk" });
  row.scrollIntoView({ block: "nearest" });
  return true;
}

// ---- functions whose lines are loaded when the user opens them ---------------------------------------------

document.addEventListener("toggle", async (event) => {
  const box = event.target;
  if (!box.matches?.("details.load") || !box.open || box.dataset.loaded) return;
  box.dataset.loaded = "yes";
  const place = $("p.hint", box), address = $("a", place).href;
  place.textContent = "loading ...";
  try {
    const reply = await fetch(address, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const parts = [...fresh.querySelectorAll("#view .routine, #view .failure p:first-of-type")];
    place.replaceWith(...parts.map((part) => document.adoptNode(part)));
    if (!parts.length) box.append("nothing to show");
  } catch {
    place.textContent = "the server does not answer";
    delete box.dataset.loaded;
  }
}, true);

// ---- labels -------------------------------------------------------------------------------------------------

/** Hides the labels and values that do not contain a text. */
function filterLabels(text) {
  const has = (element) => element.textContent.toLowerCase().includes(text.toLowerCase());
  for (const key of $$("section.key")) {
    const rows = $$("tbody tr", key), whole = has($("h2", key));
    for (const row of rows) row.hidden = !whole && !has($(".name", row));
    key.hidden = !whole && rows.every((row) => row.hidden);
  }
}

document.addEventListener("input", (event) => {
  if (event.target.id === "key-filter") filterLabels(event.target.value);
});
