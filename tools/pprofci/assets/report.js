"use strict";
// A link to a flame graph opens the graph in its row. The address contains the name and the state of the graph:
// #flame/NAME.html&search=...
(() => {
  const box = document.getElementById("graph"), told = box.querySelector("span");
  const packed = new Map([...document.querySelectorAll("template")].map((t) => [t.dataset.graph, t.content.textContent]));
  const places = [...document.querySelectorAll("[data-shows]")];
  let viewer = null, shown = "", from = null, turn = 0, given = null;
  const decoded = (text) => { try { return decodeURIComponent(text); } catch (error) { return ""; } };
  const read = (hash) => {
    const [, name, state] = /^#(.*flame\/[^/#&]*\.html)(?:&(.*))?$/.exec(hash) ?? [];
    return [name && decoded(name) ? "#" + name : "", new URLSearchParams(state)];
  };
  const hashOf = (name, state) => name + (state.size ? "&" + state : "");
  const write = (hash, entry) => {
    try { history[entry ? "pushState" : "replaceState"](null, "", hash || location.pathname + location.search); } catch (error) { location.hash = hash; }
  };
  // Graphs in files next to the page are scripts, because a page opened from a disk cannot read other files.
  globalThis.pprofcGraph = (text) => { given = text; };
  const load = (file) => new Promise((good, bad) => {
    const script = document.createElement("script");
    script.onload = () => { good(given); given = null; }; // a damaged file gives nothing
    script.onerror = () => bad(new Error("cannot read " + file));
    script.src = file;
    document.head.append(script);
  });
  async function dataOf(name, place) {
    if (!globalThis.pprofcFlame) await load(box.dataset.viewer);
    if (!packed.has(name)) {
      const text = await load(place.dataset.file);
      if (!text) throw new Error(place.dataset.file + " is damaged");
      packed.set(name, text);
    }
    return Uint8Array.from(atob(packed.get(name)), (c) => c.charCodeAt(0)).buffer;
  }
  function leave() {
    turn++;
    viewer?.destroy();
    viewer = null;
    box.parentElement.classList.remove("live");
  }
  function hide() {
    leave();
    shown = "";
    box.hidden = true;
    from?.focus({ preventScroll: true });
  }
  // Puts the graph into its row, and opens the lists that contain the row.
  function enter(name) {
    const fitting = places.filter((p) => p.dataset.shows === name), place = fitting.find((p) => p.contains(from)) ?? fitting[0] ?? document.querySelector("main");
    for (let outer = place; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
    place.insertBefore(box, place.querySelector(":scope > .panel"));
    place.classList.add("live");
    box.hidden = false;
    return place;
  }
  async function show(name, state) {
    leave();
    shown = name;
    const place = enter(name), file = decoded(name.slice(1)), now = turn;
    told.textContent = file.replace(/.*\/|\.html$/g, "");
    if (!packed.has(name) && !place.dataset.file) return void (told.textContent = "This graph is not in the page: open " + file + " of the artifacts.");
    try {
      const made = await mounted(await dataOf(name, place), name, state);
      if (now !== turn) return made.destroy();
      viewer = made;
      box.scrollIntoView({ block: "nearest" });
    } catch (error) { if (now === turn) told.textContent = "cannot show the graph: " + error.message; }
  }
  // Shows the table of the same side below the graph.
  function turnTo(tab) {
    const side = [...box.parentElement.querySelectorAll("input")].find((input) => input.value === (tab || "diff"));
    if (side) side.checked = true;
  }
  function mounted(data, name, state) {
    turnTo(state.get("tab"));
    return pprofcFlame.mount(box.lastChild, {
      data, state, focusFrom: from, onState: (changed, entry) => {
        turnTo(changed.tab);
        write(hashOf(name, new URLSearchParams(changed)), entry);
      },
    });
  }
  function follow() {
    const [name, state] = read(location.hash);
    if (!name) return shown && hide();
    if (name !== shown) show(name, state);
    else if (viewer) turnTo(state.get("tab")), viewer.setState(state, true);
  }
  // A link to the page of a graph opens the graph in this page. The pages of base and head are sides of the difference.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href]"), place = link?.closest("[data-shows]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const href = link.getAttribute("href"), side = link.closest("[data-side]")?.dataset.side;
    let [name, state] = read(href[0] === "#" ? href : "#" + href.replace("#", "&"));
    if (!name) return;
    if (href[0] !== "#" && !places.some((p) => p.dataset.shows === name)) {
      if (!place) return;
      name = place.dataset.shows;
      state.set("tab", side);
    }
    event.preventDefault();
    from = link;
    if (location.hash === hashOf(name, state)) follow();
    else location.hash = hashOf(name, state);
  });
  box.querySelector("button").addEventListener("click", () => { write(""); hide(); });
  addEventListener("hashchange", follow);
  follow();
})();
