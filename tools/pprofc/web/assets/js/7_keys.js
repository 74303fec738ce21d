// Keys, dialogs, theme.
"use strict";

const typing = (target) => target.closest?.("input,select,textarea,dialog[open]") || target.isContentEditable;

function goTo(selector) {
  const link = $(selector);
  if (link) navigate(new URL(link.getAttribute("href"), location.href));
}

/** Key -> what it does; true: the key was used. */
const keys = {
  "/": () => { $("#search input[name=f]").focus(); $("#search input[name=f]").select(); },
  "?": () => $("#keys").showModal(),
  n: () => (page.flame?.next ? page.flame.next(1) : step(1)),
  N: () => (page.flame?.next ? page.flame.next(-1) : step(-1)),
  c: () => selection.name && copy(selection.name, "Name"),
  b: () => goTo("#sides a[data-side=base]"),
  h: () => goTo("#sides a[data-side=head]"),
  d: () => goTo("#sides a[data-side=diff]"),
  r: () => { if (!$("#pending").hidden) loadPending(); },
  "+": () => page.graph?.zoom(1.3),
  "=": () => page.graph?.zoom(1.3),
  "-": () => page.graph?.zoom(1 / 1.3),
  0: () => page.graph?.fit(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = $("#bar details[open]");
    if (menu) {
      menu.open = false;
      $("summary", menu).focus();
    } else if (typing(event.target) && !event.target.closest("dialog")) event.target.blur();
    else if (selection.name && !$("dialog[open]")) select("");
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (page.flame && event.target.closest("#flame")) {
    if (!/^[1-8/?]$/.test(event.key)) return; // the viewer has keys of its own
  }
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
  if (event.key === "Enter" && selection.name && !event.target.closest("a,button,summary")) {
    openSelected();
    return;
  }
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#show-keys")) {
    $("#more").open = false;
    $("#keys").showModal();
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
  } catch { /* a private window keeps nothing */ }
  useTheme(theme);
});

onPage(() => useTheme(storedTheme()));

/** On a narrow screen the row of views scrolls: the one that is shown is in sight. */
onPage(() => {
  const row = $("#views"), here = $("#views a[aria-current]");
  if (row && here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
});
