// Passes data to the viewer of the flame graph, and connects the viewer with the selection, the search field and the
// address.
"use strict";

/** Loads the script and the style of the viewer at the first flame graph, because other views do not need them. */
function loadViewer(box) {
  if (window.pprofcFlame || !box.dataset.script) return Promise.resolve();
  if (box.dataset.style) {
    const style = document.createElement("link");
    Object.assign(style, { rel: "stylesheet", href: box.dataset.style });
    document.head.append(style);
  }
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = box.dataset.script;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error("its script cannot be loaded")));
    document.head.append(script);
  });
}

async function fetchBytes(url) {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error((await reply.text()).trim());
  return reply.arrayBuffer();
}

/** Returns the state of the viewer from the address. p is the path of the zoomed box. sel is the selected function. t0
 * and t1 are the range of time. v is all other state. */
function flameState() {
  const { searchParams } = new URL(location.href), state = Object.fromEntries(new URLSearchParams(searchParams.get("v") ?? ""));
  const path = searchParams.get("p") ?? "";
  return { ...state, tab: document.documentElement.dataset.side, p: path.startsWith("^") ? "" : path, sel: searchParams.get("sel") ?? "",
    t0: searchParams.get("t0") ?? "", t1: searchParams.get("t1") ?? "", whole: $("#flame")?.dataset.totals ?? "" };
}

function setParameter(url, name, value) {
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
}

/** Returns an address with the state of the viewer as parameters. */
function withFlame(address, state) {
  const url = new URL(address, location.href), kept = new URLSearchParams(state);
  for (const ours of ["tab", "type", "search", "list", "p", "sel", "t0", "t1", "whole"]) kept.delete(ours);
  for (const [name, value] of [["v", String(kept)], ["p", state.p], ["sel", state.sel]]) setParameter(url, name, value);
  return url;
}

/** Writes the state of the viewer into the address. `entry`: adds an entry to the browser's history. A new range of time
 * needs a new document, because all views depend on the range. */
function keepFlameState(state, entry) {
  const url = withFlame(location.href, state), before = String(url);
  for (const name of ["t0", "t1"]) setParameter(url, name, state[name]);
  if (String(url) !== before) {
    navigate(url, { keepFocus: true, keepScroll: true });
    return;
  }
  if (readable(url) === location.href) return;
  history[entry ? "pushState" : "replaceState"](history.state, "", readable(url));
  for (const link of $$("#sides a, #types a, #rec a, a.pill")) link.href = withFlame(link.getAttribute("href"), state);
}

/** Returns the address without the state of the viewer. The document depends only on this part of the address. */
function documentAddress() {
  const url = new URL(location.href);
  for (const name of ["v", "p", "sel"]) url.searchParams.delete(name);
  return String(url);
}

/** Sets the state of the viewer from the address, after the Back or Forward button. Returns false if the address needs
 * another document. */
function restoreFlame() {
  if (!page.flame || page.flameAddress !== documentAddress()) return false;
  page.flame.setState(flameState(), true);
  return true;
}

/** Returns the page's actions for a function, which the viewer adds to its inspector. */
function flameActions(name) {
  const words = { peek: "Peek" }, about = { focus: "only stacks through it" };
  return $$("#inspector a[data-action]").map((link) => ({
    id: link.dataset.action, words: words[link.dataset.action] ?? link.textContent, about: about[link.dataset.action], href: String(actionAddress(link, name)),
  }));
}

/** Functions of the page that the viewer calls for some of its keys. */
const flameHost = {
  search: () => focusSearch(),
  sheet: () => showKeys(),
  side: (name) => goTo(`#sides a[data-side=${name}]`),
  type: () => nextType(),
  list: () => goTo("#views a[data-view=top]"),
};

/** Keeps only the stacks that match an expression. Like the viewer, ignores case unless the expression has capitals. */
function keepOnly(text) {
  const url = new URL(location.href);
  url.searchParams.set("f", /[A-Z]|^\(\?/.test(text) ? text : `(?i)${text}`);
  navigate(url);
}

/** Shows the text about the matches, and a button that keeps only the stacks with a match. */
function showMatches(text, count) {
  const place = $("#matches"), field = $("#search input[name=f]");
  if (!place) return;
  place.textContent = text;
  if (!text && search.expression && document.activeElement !== field) { // the viewer ended the search
    search.expression = null;
    field.value = field.defaultValue;
  }
  if (!count) return;
  const keep = document.createElement("button");
  Object.assign(keep, { type: "button", textContent: "only these", title: "only stacks through the matches (f)" });
  keep.addEventListener("click", () => keepOnly($("#search input[name=f]").value));
  place.append(" ", keep);
}

/** Returns the values that the inspector shows for a box: the values of the function from the table, and the verdict from
 * the viewer. */
function valuesOf(chosen) {
  const row = $$("#functions tr[data-name]").find((e) => e.dataset.name === chosen.name);
  const { selfVerdict, totalVerdict } = chosen;
  return { ...chosen, ...row?.dataset, ...(selfVerdict === undefined ? {} : { selfVerdict, totalVerdict }) };
}

/** Loads the table of functions of a large profile. The table comes after the picture, because computing it would delay
 * the picture. */
async function loadTable() {
  const link = $("#functions #later"), section = $("#functions");
  if (!link) return;
  const text = await (await fetch(link.href)).text();
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("functions");
  if (fresh && section.isConnected) section.replaceChildren(...document.adoptNode(fresh).childNodes);
}

async function mountFlame(box) {
  const [data] = await Promise.all([fetchBytes(box.dataset.src), loadViewer(box)]);
  if (!window.pprofcFlame || !box.isConnected) return;
  page.flame?.destroy?.();
  page.flame = null;
  page.oldFlame = false;
  const load = (node) => {
    const url = new URL(box.dataset.src, location.href);
    url.searchParams.set("node", node);
    return fetchBytes(url);
  };
  const viewer = await window.pprofcFlame.mount(box, {
    data, load, actions: flameActions, host: flameHost, filter: keepOnly, onMatched: showMatches, focusFrom: $("#view"), chrome: false, state: flameState(), pivots: box.dataset.pivot, onState: keepFlameState,
    onSelect: (chosen) => select(chosen?.name ?? "", { values: chosen && valuesOf(chosen) }),
  });
  if (!box.isConnected) {
    viewer.destroy();
    return;
  }
  page.flame = viewer;
  box.classList.add("drawn");
  setTimeout(() => loadTable().catch(() => {}), 500);
}

/** Keeps the drawn flame graph if the new document has a flame graph of the same address. If the profiles have changed,
 * keeps the old picture only until the new data arrive. */
function keepFlame(fresh) {
  const old = $("#flame.drawn"), next = fresh.getElementById("flame");
  const stays = !!(old && next && page.flame && old.dataset.src === next.dataset.src);
  const { generation } = document.documentElement.dataset;
  page.keptFlame = stays && fresh.documentElement.dataset.generation === generation;
  page.oldFlame = stays && !page.keptFlame;
  if (!stays) return;
  for (const name of ["sel", "pivot", "totals"]) old.dataset[name] = next.dataset[name] ?? "";
  next.replaceWith(fresh.adoptNode(old));
}

onPage(() => {
  const box = $("#flame");
  page.flameAddress = documentAddress();
  if (box) $("#search input[name=f]").placeholder = "find ( / )";
  if (page.keptFlame) {
    page.keptFlame = false;
    page.flame.setState(flameState(), true);
    page.flame.repaint?.();
    return;
  }
  if (!page.oldFlame) page.flame?.destroy?.();
  if (!page.oldFlame) page.flame = null;
  if (box) mountFlame(box).catch((error) => {
    box.classList.add("failed");
    loadTable().catch(() => {});
    toast(`The flame graph cannot be drawn: ${error.message}`);
  });
});
