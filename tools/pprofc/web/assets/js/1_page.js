// The document: links and forms of ours fetch the same address and replace bar, pills and view; the address is the
// state, and back and forward work. Without this script every link is an ordinary one.
"use strict";

const page = { view: null, loading: null, listeners: [] };

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Calls `run` now and after every change of the document. */
function onPage(run) {
  page.listeners.push(run);
}

/** Tells a screen reader. */
function announce(text) {
  const place = $("#announce");
  if (place) place.textContent = text;
}

/** Shows a short message to everybody. */
function toast(text) {
  $("#toast")?.remove();
  const box = document.createElement("div");
  box.id = "toast";
  box.textContent = text;
  document.body.append(box);
  announce(text);
  setTimeout(() => box.remove(), 2600);
}

/** Whether an address is one of our views. */
function isView(url) {
  if (url.origin !== location.origin) return false;
  const folder = location.pathname.replace(/[^/]*$/, "");
  const views = $$("#views a").map((a) => a.dataset.view);
  return url.pathname.startsWith(folder) && views.includes(url.pathname.slice(folder.length));
}

/** Puts the parts of a fetched document in the place of ours. */
function replaceDocument(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  if (!fresh.getElementById("view")) return false;
  const open = $$("#bar details[open]").map((d) => d.id);
  const searching = document.activeElement?.name === "f", bar = $("#rec :focus")?.id;
  document.title = fresh.title;
  keepFlame(fresh);
  for (const name of ["data-view", "data-side", "data-generation"])
    document.documentElement.setAttribute(name, fresh.documentElement.getAttribute(name) ?? "");
  for (const id of ["bar", "rec", "pills", "stage"]) {
    const next = fresh.getElementById(id);
    if (next) $(`#${id}`).replaceWith(document.adoptNode(next));
  }
  if (page.reopen) for (const id of open) $(`#${id}`)?.setAttribute("open", "");
  if (bar) document.getElementById(bar)?.focus();
  if (searching) $("#search input[name=f]")?.focus();
  return true;
}

/** Shows an address. `push`: it becomes a new entry of the history. `quiet`: nobody asked for it. */
async function navigate(url, { push = true, keepFocus = false, keepScroll = false, quiet = false } = {}) {
  page.loading?.abort();
  const loading = (page.loading = new AbortController());
  if (!quiet) document.documentElement.dataset.loading = "";
  try {
    const reply = await fetch(url, { signal: loading.signal, headers: { Accept: "text/html" } });
    const text = await reply.text();
    if (loading.signal.aborted) return;
    const before = document.documentElement.dataset.view;
    if (!replaceDocument(text)) {
      location.href = url;
      return;
    }
    const shown = reply.redirected ? reply.url : String(url);
    if (push && shown !== location.href) history.pushState(null, "", shown);
    if (!keepScroll) scrollTo(0, 0);
    started();
    const other = before !== document.documentElement.dataset.view;
    if (other && !keepFocus) $("#view").focus({ preventScroll: true });
    if (!quiet) announce(document.title);
  } catch (error) {
    if (error.name !== "AbortError") toast("The server does not answer");
  } finally {
    if (page.loading === loading) delete document.documentElement.dataset.loading;
  }
}

/** Everything that has to be done with a new document. */
function started() {
  for (const run of page.listeners) run();
}

addEventListener("popstate", () => {
  if (!restoreFlame()) navigate(location.href, { push: false });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const target = link.href instanceof SVGAnimatedString ? link.href.baseVal : link.getAttribute("href");
  if (link.matches("#inspector .close")) return; // it clears the selection in place
  if (link.hasAttribute("download") || link.getAttribute("target") || target.startsWith("#")) return;
  const url = new URL(target, location.href);
  if (!isView(url)) return;
  event.preventDefault();
  navigate(url);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get" || event.defaultPrevented) return;
  const url = new URL(form.getAttribute("action"), location.href);
  if (!isView(url)) return;
  event.preventDefault();
  for (const [name, value] of new FormData(form)) if (value !== "") url.searchParams.set(name, value);
  navigate(url, { keepFocus: form.id === "search" });
});

// One menu at a time; a click elsewhere closes it.
document.addEventListener("click", (event) => {
  for (const menu of $$("#bar details[open]")) if (!menu.contains(event.target)) menu.open = false;
});
