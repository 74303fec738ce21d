// Handles keys, the dialog with the list of keys, and the theme.
"use strict";

const typing = (target) => target.closest?.("input,select,textarea,dialog[open]") || target.isContentEditable;

function goTo(selector) {
  const link = $(selector);
  if (link) navigate(new URL(link.getAttribute("href"), location.href));
}

function focusSearch() {
  $("#search input[name=f]").focus();
  $("#search input[name=f]").select();
}

/** Opens the current view with the next sample type. */
function nextType() {
  const links = $$("#types a"), next = links[(links.findIndex((a) => a.hasAttribute("aria-current")) + 1) % links.length];
  if (next) navigate(new URL(next.getAttribute("href"), location.href));
}

/** Keys of all views except the flame graph. The viewer of the flame graph has its own table with the same letters. */
const keys = [
  { keys: ["/"], words: "search; Enter keeps only what matches", run: focusSearch },
  { keys: ["n"], words: "next match or hot line", run: () => step(1) },
  { keys: ["N"], words: "previous match or hot line", run: () => step(-1) },
  { keys: ["ArrowUp", "ArrowDown"], shown: "↑ ↓", words: "next row (Top); move (Graph)" },
  { keys: ["Enter"], words: "callers and callees of the selection", run: openSelected },
  { keys: ["Escape"], words: "close, clear the selection" },
  { keys: ["y"], words: "copy the name", run: () => selection.name && copy(selection.name, "Name") },
  { keys: ["b"], words: "Base", run: () => flameHost.side("base") },
  { keys: ["h"], words: "Head", run: () => flameHost.side("head") },
  { keys: ["d"], words: "Diff", run: () => flameHost.side("diff") },
  { keys: ["t"], words: "next sample type", run: nextType },
  { keys: ["l"], words: "list of functions", run: flameHost.list },
  { keys: ["+", "="], shown: "+", words: "zoom in", run: () => page.graph?.zoom(1.3) },
  { keys: ["-"], words: "zoom out", run: () => page.graph?.zoom(1 / 1.3) },
  { keys: ["0"], words: "the whole graph", run: () => page.graph?.fit() },
  { keys: ["?"], words: "this sheet", run: showKeys },
];
/** Keys of all views, including the flame graph. */
const alwaysKeys = [
  { keys: ["u"], words: "load the changed profile", run: () => { if (!$("#pending").hidden) loadPending(); } },
];

/** Opens the dialog with the list of keys, and fills it from the tables of keys. */
function showKeys() {
  const list = $("#keys .live"), own = [...keys, ...alwaysKeys].map(({ keys: [key], shown, words }) => [shown ?? key, words]);
  const rows = page.flame ? [...page.flame.keys(), ...own.slice(keys.length)] : own;
  list.replaceChildren(...rows.map(([key, words]) => {
    const row = document.createElement("div"), name = document.createElement("dt"), what = document.createElement("dd");
    name.textContent = key;
    what.textContent = words;
    row.append(name, what);
    return row;
  }));
  $("#keys").showModal();
  $("#keys").scrollTop = 0; // the browser scrolls to the button, which has the focus
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = $("#bar details[open]");
    if (menu) {
      menu.open = false;
      $("summary", menu).focus();
    } else if (typing(event.target) && !event.target.closest("dialog")) {
      event.preventDefault(); // some browsers empty the search field, but the matches remain until the next Escape
      event.target.blur();
      $(".pf-graph")?.focus({ preventScroll: true });
    } else if (page.flame?.key(event)) return;
    else if (search.expression && !$("dialog[open]")) clearSearch();
    else if (selection.name && !$("dialog[open]")) select("");
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (page.flame?.key(event)) return;
  if (/^[1-8]$/.test(event.key)) {
    event.preventDefault();
    goTo(`#views a:nth-child(${event.key})`);
    return;
  }
  const rows = $("#top") && document.documentElement.dataset.view === "top";
  if (rows && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    if (walkRows(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
    return;
  }
  if (event.key === "Enter" && event.target.closest("a,button,summary")) return;
  const entry = [...(page.flame ? [] : keys), ...alwaysKeys].find((one) => one.keys.includes(event.key));
  if (!entry?.run) return;
  event.preventDefault();
  entry.run();
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#show-keys")) {
    $("#more").open = false;
    showKeys();
  }
});

// ---- theme --------------------------------------------------------------------------------------------------

function storedTheme() {
  try {
    return localStorage.getItem("pprofc-theme") ?? "system";
  } catch {
    return "system";
  }
}

function useTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const button of $$("[data-theme-choice]"))
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
}

document.addEventListener("click", (event) => {
  const theme = event.target.closest?.("[data-theme-choice]")?.dataset.themeChoice;
  if (!theme) return;
  try {
    localStorage.setItem("pprofc-theme", theme);
  } catch { /* a private window may not store the theme */ }
  useTheme(theme);
});

onPage(() => useTheme(storedTheme()));

/** Scrolls the row of views on a narrow screen, to make the link of the current view visible. */
onPage(() => {
  const row = $("#views"), here = $("#views a[aria-current]");
  if (row && here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
});
