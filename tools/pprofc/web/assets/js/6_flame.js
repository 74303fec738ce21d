// The flame graph: gives the viewer its data and connects it with the selection, the search field and the address.
"use strict";

/** Loads the viewer once: only this view needs it. */
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

/** What the address says of the viewer's state: the path of the zoomed box, the selected function, and the rest in one parameter. */
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

/** The address, or a link, with the state of the viewer. */
function withFlame(address, state) {
  const url = new URL(address, location.href), kept = new URLSearchParams(state);
  for (const ours of ["tab", "type", "search", "list", "p", "sel", "t0", "t1", "whole"]) kept.delete(ours);
  for (const [name, value] of [["v", String(kept)], ["p", state.p], ["sel", state.sel]]) setParameter(url, name, value);
  return url;
}

/** Keeps the state in the address; `entry`: a step that back undoes. All views depend on the range of time, so it needs a document. */
function keepFlameState(state, entry) {
  const url = withFlame(location.href, state), before = String(url);
  for (const name of ["t0", "t1"]) setParameter(url, name, state[name]);
  if (String(url) !== before) {
    navigate(url, { keepFocus: true, keepScroll: true });
    return;
  }
  if (before === location.href) return;
  history[entry ? "pushState" : "replaceState"](history.state, "", url);
  for (const link of $$("#sides a, #types a, #rec a, a.pill")) link.href = withFlame(link.getAttribute("href"), state);
}

/** The address without what the viewer keeps in it: what the document depends on. */
function documentAddress() {
  const url = new URL(location.href);
  for (const name of ["v", "p", "sel"]) url.searchParams.delete(name);
  return String(url);
}

/** Back and forward inside one flame graph need no document. True if that is so. */
function restoreFlame() {
  if (!page.flame || page.flameAddress !== documentAddress()) return false;
  page.flame.setState(flameState(), true);
  return true;
}

/** The page's own actions for a function, in the inspector of the viewer. */
function flameActions(name) {
  const words = { peek: "Peek", focus: "Only stacks through it" };
  return $$("#inspector a[data-action]").map((link) => ({
    id: link.dataset.action, words: words[link.dataset.action] ?? link.textContent, href: String(actionAddress(link, name)),
  }));
}

/** What the viewer's keys do in this page. */
const flameHost = {
  search: () => focusSearch(),
  sheet: () => showKeys(),
  side: (name) => goTo(`#sides a[data-side=${name}]`),
  type: () => nextType(),
  list: () => goTo("#views a[data-view=top]"),
};

/** Keeps only stacks through an expression of the viewer, which ignores case unless it has capitals. */
function keepOnly(text) {
  const url = new URL(location.href);
  url.searchParams.set("f", /[A-Z]|^\(\?/.test(text) ? text : `(?i)${text}`);
  navigate(url);
}

/** The number of matches, and a way to keep only these. */
function showMatches(text, count) {
  const place = $("#matches");
  if (!place) return;
  place.textContent = text;
  if (!count) return;
  const keep = document.createElement("button");
  Object.assign(keep, { type: "button", textContent: "only these", title: "only stacks through the matches (f)" });
  keep.addEventListener("click", () => keepOnly($("#search input[name=f]").value));
  place.append(" ", keep);
}

/** What the inspector shows of a box: the values of its function as the table has them, the verdict in the viewer's words. */
function valuesOf(chosen) {
  const row = $$("#functions tr[data-name]").find((e) => e.dataset.name === chosen.name);
  const { selfVerdict, totalVerdict } = chosen;
  return { ...chosen, ...row?.dataset, ...(selfVerdict === undefined ? {} : { selfVerdict, totalVerdict }) };
}

/** The table of a large profile comes after the picture: its walk takes time that the picture needs. */
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

/** A flame graph of the same data stays when the document around it changes; another one stays until its data are here. */
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
  if (page.keptFlame) {
    page.keptFlame = false;
    page.flame.setState(flameState(), true);
    page.flame.repaint?.();
    return;
  }
  if (!page.oldFlame) page.flame?.destroy?.();
  if (!page.oldFlame) page.flame = null;
  if (box) $("#search input[name=f]").placeholder = "find ( / )";
  if (box) mountFlame(box).catch((error) => {
    box.classList.add("failed");
    loadTable().catch(() => {});
    toast(`The flame graph cannot be drawn: ${error.message}`);
  });
});
