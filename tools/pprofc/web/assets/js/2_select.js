// Handles the selected function. Every view marks the function, the address contains its name as `sel`, and the
// inspector shows its values.
"use strict";

const selection = { name: "", step: "", address: "" };

/** Returns a regular expression that matches only this name. */
const exactly = (name) => `^${name.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")}$`;

/** Returns the elements of the view that show a function, such as rows and boxes. */
function elementsOf(name) {
  return $$("#view [data-name]").filter((e) => e.dataset.name === name);
}

/** Shows the selected function in the address. `step`: "click" adds an entry to the browser's
 * history, "walk" adds one entry for a walk by keys, "" adds no entry. */
function showInAddress(name, step) {
  if (!page.flame) { // the viewer of the flame graph writes its state into the address
    const url = new URL(location.href);
    url.searchParams.delete("p");
    if (name) url.searchParams.set("sel", name);
    else url.searchParams.delete("sel");
    const entry = step && readable(url) !== location.href && !(step === "walk" && selection.step === "walk");
    history[entry ? "pushState" : "replaceState"](history.state, "", readable(url));
    Object.assign(selection, { step, address: location.href });
  }
  for (const link of $$("#views a, #sides a, #types a, a.pill, .filters a, .rows th a")) {
    const target = new URL(link.getAttribute("href"), location.href);
    if (name) target.searchParams.set("sel", name);
    else target.searchParams.delete("sel");
    link.href = target;
  }
}

/** Returns the address of a view with the function `name` selected. The filters stay. */
function viewOf(view, name) {
  const url = new URL(location.href);
  url.pathname = url.pathname.replace(/[^/]*$/, view);
  for (const own of ["p", "rows", "only", "v"]) url.searchParams.delete(own);
  url.searchParams.set("sel", name);
  return url;
}

/** Returns the address to which an action of the inspector leads, for the function `name`. */
function actionAddress(link, name) {
  const to = link.dataset.to, parameter = link.dataset.parameter;
  if (to) return viewOf(to, name);
  const url = new URL(location.href), before = url.searchParams.get(parameter);
  const adds = ["i", "h"].includes(parameter) && before;
  url.searchParams.set(parameter, adds ? `${before}|${exactly(name)}` : exactly(name));
  url.searchParams.set("sel", name);
  if (page.graph) url.searchParams.delete("v");
  return url;
}

function fillSlot(box, slot, text) {
  const place = $(`[data-slot="${slot}"]`, box);
  if (!place) return;
  place.textContent = text ?? "";
  if (place.localName === "dd") place.parentNode.hidden = !text || text === "0";
}

/** Shows a function in the inspector. `values` has the data attributes of its element, or values of the flame graph. */
function fillInspector(name, values) {
  const box = $("#inspector");
  if (!box) return;
  box.hidden = !name;
  if (!name) return;
  fillSlot(box, "name", name);
  const place = values.file ? values.file + (values.line ? `:${values.line}` : "") : "";
  fillSlot(box, "place", place);
  const slots = { self: "self", total: "total", share: "share", "base-self": "baseSelf", "base-total": "baseTotal",
    "head-self": "headSelf", "head-total": "headTotal", "self-verdict": "selfVerdict", "total-verdict": "totalVerdict" };
  for (const [slot, key] of Object.entries(slots)) fillSlot(box, slot, values[key]);
  for (const link of $$("a[data-action]", box)) link.href = actionAddress(link, name);
}

function markSelected(name) {
  for (const e of $$("#view .selected")) e.classList.remove("selected");
  if (name) for (const e of elementsOf(name)) e.classList.add("selected");
}

/** Selects a function; the name "" clears the selection. */
function select(name, { element = null, values = null, quiet = false, step = "click" } = {}) {
  selection.name = name;
  const source = element ?? elementsOf(name)[0];
  markSelected(name);
  fillInspector(name, values ?? source?.dataset ?? {});
  showInAddress(name, step);
  if (!name && $("#view[data-of-functions]")) navigate(location.href, { push: false });
  if (name && !quiet) {
    const v = values ?? source?.dataset ?? {};
    announce(`${name}${v.self ? `, self ${v.self}` : ""}${v.total ? `, total ${v.total}` : ""}`);
  }
}

/** Restores the selection of the address, and the position of the graph, after the Back or Forward button. Returns false if the address has another
 * document, or a function that the view does not show. */
function restoreSelection() {
  const [before, now] = [selection.address, location.href].map((address) => new URL(address || "about:blank"));
  const name = now.searchParams.get("sel") ?? "";
  for (const url of [before, now]) for (const own of page.graph ? ["sel", "v"] : ["sel"]) url.searchParams.delete(own);
  if (page.flame || page.loading || before.href !== now.href || (name && !elementsOf(name).length)) return false;
  if ($("#view[data-of-functions]")) return false;
  select(name, { quiet: true, step: "" });
  page.graph?.restore();
  return true;
}

/** Opens the callers and callees of the selected function. */
function openSelected() {
  const link = $("#inspector a[data-action=peek]");
  if (selection.name && link) navigate(actionAddress(link, selection.name));
}

onPage(() => {
  const url = new URL(location.href);
  selection.name = url.searchParams.get("sel") ?? ($("#inspector")?.hidden ? "" : $("#inspector h2")?.textContent ?? "");
  Object.assign(selection, { step: "", address: location.href });
  markSelected(selection.name);
  const source = selection.name && elementsOf(selection.name)[0];
  if (source && !$("#inspector dd:not(:empty)")) fillInspector(selection.name, source.dataset);
});

document.addEventListener("click", (event) => {
  const target = event.target;
  if (target.closest?.("#inspector .close")) {
    event.preventDefault();
    select("");
    return;
  }
  const row = target.closest?.("tr[data-name]");
  if (row && !target.closest("a,button,input") && !String(getSelection())) select(row.dataset.name, { element: row });
});

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    toast("The browser does not allow copying");
  }
}

document.addEventListener("click", (event) => {
  const kind = event.target.closest?.("[data-copy]")?.dataset.copy;
  if (kind === "name") copy(selection.name || $("#inspector h2").textContent, "Name");
  if (kind === "command") copy($("#command").textContent, "Command");
});

/** A line of the shown command ends between two words, not at the hyphen of a flag. */
onPage(() => {
  const command = $("#command"), words = command?.textContent.split(" ") ?? [];
  command?.replaceChildren(...words.flatMap((word, i) => {
    const part = document.createElement("span");
    part.textContent = word;
    return i ? [" ", part] : [part];
  }));
});
