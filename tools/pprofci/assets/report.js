"use strict";
// A link to a flame graph opens the graph on top of the page. The address contains the name and the state of the graph:
// #flame/NAME.html&search=...
(() => {
  const box = document.getElementById("graph"), page = document.querySelector("main"), told = box.querySelector("span");
  const graphs = new Map([...document.querySelectorAll("template")].map((t) => [t.dataset.graph, t.content.textContent]));
  let viewer = null, shown = "", from = null;
  const read = () => {
    const [name, ...state] = location.hash.split("&");
    return [/flame\/[^/]*\.html$/.test(name) ? name : "", new URLSearchParams(state.join("&"))];
  };
  const write = (hash) => {
    try { history.replaceState(null, "", hash || location.pathname + location.search); } catch (error) { location.hash = hash; }
  };
  const bytes = (packed) => Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)).buffer;
  function hide() {
    if (viewer) viewer.destroy();
    viewer = null;
    shown = "";
    box.hidden = true;
    page.inert = false;
    document.documentElement.style.overflow = "";
    if (from) from.focus({ preventScroll: true });
  }
  async function show(name, state) {
    const graph = graphs.get(name);
    if (viewer) viewer.destroy();
    viewer = null;
    shown = name;
    if (box.hidden) from = document.activeElement;
    box.hidden = false;
    page.inert = true;
    document.documentElement.style.overflow = "hidden";
    const file = decodeURIComponent(name.slice(1));
    told.textContent = graph ? file.replace(/.*\/|\.html$/g, "") : "This graph is not in the page: open " + file + " of the artifacts.";
    box.querySelector("button").focus();
    if (!graph) return;
    try {
      const made = await pprofcFlame.mount(box.lastChild, {
        data: bytes(graph), state, onState: (changed) => {
          const text = new URLSearchParams(changed).toString();
          write(name + (text ? "&" + text : ""));
        },
      });
      if (shown === name) viewer = made;
      else made.destroy();
    } catch (error) { told.textContent = "cannot show the graph: " + error.message; }
  }
  function follow() {
    const [name, state] = read();
    if (!name) return shown && hide();
    if (name !== shown) show(name, state);
    else if (viewer) viewer.setState(state, true);
  }
  box.querySelector("button").addEventListener("click", () => { write(""); hide(); });
  addEventListener("hashchange", follow);
  follow();
})();
