// Follows links and submits forms without loading the page again: fetches the address, and replaces the bar, the row of
// filters and the view. The address contains the whole state, so the browser's Back and Forward buttons work. Without
// this script, links and forms load the page as usual.
"use strict";

const page = { view: null, loading: null, listeners: [] };

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Registers a function that runs at the start of the page and after every change of the document. */
function onPage(run) {
  page.listeners.push(run);
}

/** Makes a screen reader read a text. */
function announce(text) {
  const place = $("#announce");
  if (place) place.textContent = text;
}

/** Shows a short message on the screen, and makes a screen reader read it. */
function toast(text) {
  $("#toast")?.remove();
  const box = document.createElement("div");
  box.id = "toast";
  box.textContent = text;
  document.body.append(box);
  announce(text);
  setTimeout(() => box.remove(), 2600);
}

/** True if the address is a view of this server. */
function isView(url) {
  if (url.origin !== location.origin) return false;
  const folder = location.pathname.replace(/[^/]*$/, "");
  const views = $$("#views a").map((a) => a.dataset.view);
  return url.pathname.startsWith(folder) && views.includes(url.pathname.slice(folder.length));
}

/** Replaces the parts of the page by the parts of a fetched document. Returns false if the text is not a view. */
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

/** Returns an address in which people can read the names of functions. */
const readable = (url) => String(url).replace(/%(28|29|2F|3A|40|5B|5D)/g, decodeURIComponent);

/** Fetches an address and shows it. `push`: adds an entry to the browser's history. `quiet`: the user did not request
 * the change, so shows no progress and makes no announcement. */
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
    const shown = readable(reply.redirected ? reply.url : url);
    if (push && shown !== location.href) history.pushState(null, "", shown);
    if (!keepScroll) scrollTo(0, 0);
    started();
    const other = before !== document.documentElement.dataset.view;
    if (other && !keepFocus && !typing(document.activeElement)) $("#view").focus({ preventScroll: true });
    if (!quiet) announce(document.title);
  } catch (error) {
    if (error.name !== "AbortError") toast("The server does not answer");
  } finally {
    if (page.loading === loading) {
      page.loading = null;
      delete document.documentElement.dataset.loading;
    }
  }
}

/** Calls the registered functions after the document has changed. */
function started() {
  for (const run of page.listeners) run();
}

addEventListener("popstate", () => {
  if (!restoreFlame() && !restoreSelection()) navigate(location.href, { push: false });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const target = link.href instanceof SVGAnimatedString ? link.href.baseVal : link.getAttribute("href");
  if (link.matches("#inspector .close")) return; // 2_select.js clears the selection without a request
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

// A click outside an open menu closes the menu.
document.addEventListener("click", (event) => {
  for (const menu of $$("#bar details[open]")) if (!menu.contains(event.target)) menu.open = false;
});
