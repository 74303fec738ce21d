// Sends requests that change the state of the server: saved views, changed profiles, pinned recordings and uploads.
"use strict";

async function post(address, body) {
  const reply = await fetch(address, { method: "POST", body });
  if (!reply.ok) throw new Error((await reply.text()).trim() || `status ${reply.status}`);
  return reply;
}

// ---- saved views --------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#save")) {
    $("#save-failure").textContent = "";
    $("#save-dialog").showModal();
  }
  if (event.target.closest?.("dialog .cancel")) event.target.closest("dialog").close();
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.id === "save-form") {
    event.preventDefault();
    const url = new URL("saveconfig", location.href), name = form.elements.config.value;
    url.search = location.search;
    url.searchParams.set("config", name);
    try {
      await post(url);
      $("#save-dialog").close();
      form.reset();
      page.reopen = true;
      await navigate(location.href, { push: false, keepScroll: true });
      page.reopen = false;
      toast(`Saved as ${name}`);
    } catch (error) {
      $("#save-failure").textContent = error.message;
    }
  }
  if (form.matches(".delete")) {
    event.preventDefault();
    try {
      await post(form.action);
      page.reopen = true;
      await navigate(location.href, { push: false, keepScroll: true });
      page.reopen = false;
    } catch (error) {
      toast(error.message);
    }
  }
  if (form.matches("#rec form")) {
    event.preventDefault();
    pin(form);
  }
  if (form.id === "pending") {
    event.preventDefault();
    loadPending();
  }
});

// ---- a changed profile --------------------------------------------------------------------------------------

async function loadPending() {
  try {
    await post(new URL("reload", location.href));
    await navigate(location.href, { push: false, keepFocus: true, keepScroll: true });
    announce("The changed profile is loaded");
  } catch (error) {
    toast(error.message);
  }
}

async function askStatus() {
  if (document.hidden) return;
  let status;
  try {
    const reply = await fetch("status");
    if (!reply.ok) return;
    status = await reply.json();
  } catch {
    return;
  }
  const form = $("#pending");
  if (!form) return;
  if (form.hidden && status.pending) announce(`${status.pending}: press u to load it`);
  form.hidden = !status.pending;
  $("span", form).textContent = status.pending ?? "";
  const broken = $("#broken");
  if (broken.textContent !== status.broken) {
    broken.hidden = !status.broken;
    broken.textContent = status.broken;
    if (status.broken) announce(status.broken);
  }
  const other = String(status.generation) !== document.documentElement.dataset.generation, strip = $("#rec");
  const paused = strip && new URL(location.href).searchParams.has("head");
  if (other && !paused && !isBusy()) navigate(location.href, { push: false, keepFocus: true, keepScroll: true, quiet: true });
  else if (strip && strip.dataset.tries !== String(status.tries)) showStrip(strip).catch(() => {});
}

/** True if a new document would disturb the user: a menu or dialog is open, or a field has new text. */
function isBusy() {
  const field = document.activeElement;
  return $("#bar details[open], dialog[open]") || (field?.matches("input") && field.value !== field.defaultValue);
}

/** Updates the strip of recordings, and leaves the view unchanged. */
async function showStrip(strip) {
  const url = new URL("strip", location.href), focused = $(":focus", strip)?.id;
  url.search = location.search;
  url.searchParams.set("view", document.documentElement.dataset.view);
  const reply = await fetch(url);
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("rec");
  if (!fresh || !strip.isConnected) return;
  strip.replaceWith(document.adoptNode(fresh));
  if (focused) document.getElementById(focused)?.focus();
}

/** Pins or unpins a recording, and shows the comparison with it. */
async function pin(form) {
  const action = new URL(form.action), url = new URL(location.href);
  action.searchParams.delete("view");
  url.searchParams.set("base", form.dataset.base);
  url.searchParams.delete("side");
  try {
    await post(action);
    await navigate(url, { keepFocus: true, keepScroll: true });
  } catch (error) {
    toast(error.message);
  }
}

// ---- another profile ----------------------------------------------------------------------------------------

/** Lets the user choose how to show an uploaded profile. Returns a promise of "compare", "open" or "" (not at all). */
function askUpload(name) {
  const dialog = $("#upload-dialog");
  $("#upload-title").textContent = name;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

async function upload(file) {
  const url = new URL("upload", location.href);
  url.searchParams.set("name", file.name);
  toast(`Reading ${file.name} ...`);
  try {
    const { base } = await (await post(url, file)).json();
    const choice = await askUpload(file.name);
    const target = new URL(choice === "open" ? "flamegraph" : "compare", location.href);
    target.search = "";
    if (choice === "open") target.searchParams.set("side", "head");
    if (choice) target.searchParams.set(choice === "open" ? "head" : "base", base);
    if (choice) await navigate(target);
  } catch (error) {
    toast(`${file.name}: ${error.message}`);
  }
}

document.addEventListener("change", (event) => {
  if (event.target.id === "upload" && event.target.files[0]) upload(event.target.files[0]);
});
const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
document.addEventListener("dragover", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  document.documentElement.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.documentElement.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  document.documentElement.classList.remove("dropping");
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  upload(file);
});

document.documentElement.classList.add("live");
started();
setInterval(askStatus, 2000);
