// The page of -flame. The data is in the page, and the state is in its address.
"use strict";

(async () => {
  const decode = (id) => {
    const text = atob(document.getElementById(id).textContent.trim());
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  };
  // Returns the state in the address, without the totals that only a server knows.
  const given = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    state.delete("whole");
    return state;
  };
  // Returns an address in which people can read names.
  const readable = (text) => encodeURIComponent(text).replace(/%(2F|3A|3B|40|5B|5D)/g, decodeURIComponent);
  const write = (state, entry) => {
    const text = Object.entries(state).map(([key, value]) => key + "=" + readable(value)).join("&");
    if (text === location.hash.slice(1)) return;
    try { history[entry ? "pushState" : "replaceState"](null, "", text ? "#" + text : location.pathname + location.search); } catch (error) {
      location.hash = text;
    }
  };
  try {
    const meta = JSON.parse(document.getElementById("pprofc-meta").textContent);
    document.body.classList.add("live");
    const viewer = await pprofcFlame.mount(document.getElementById("viewer"), {
      data: { meta, frames: decode("pprofc-frames"), nodes: decode("pprofc-nodes"), groups: decode("pprofc-groups"), times: meta.tracks && decode("pprofc-times") },
      state: given(), onState: write,
    });
    addEventListener("hashchange", () => viewer.setState(given(), true));
    window.pprofc = viewer.app; // for tests and the console
    window.pprofcViewer = viewer;
  } catch (error) {
    document.body.classList.remove("live");
    document.getElementById("failed").textContent = "cannot show the interactive graph: " + error.message;
  }
})();
