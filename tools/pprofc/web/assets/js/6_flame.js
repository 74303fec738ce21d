// The flame graph: gives the viewer its data and connects it with the selection, the search field and the address.
"use strict";

async function mountFlame(box) {
  const viewer = window.pprofcFlame;
  if (!viewer) return;
  const reply = await fetch(box.dataset.src);
  if (!reply.ok) throw new Error(await reply.text());
  const data = await reply.arrayBuffer();
  if (!box.isConnected) return;
  const load = async (node) => {
    const url = new URL(box.dataset.src, location.href);
    url.searchParams.set("node", node);
    const more = await fetch(url);
    if (!more.ok) throw new Error(await more.text());
    return more.arrayBuffer();
  };
  page.flame = viewer.mount(box, {
    data, load, chrome: false,
    state: { tab: document.documentElement.dataset.side, select: box.dataset.sel, pivot: box.dataset.pivot,
      v: new URL(location.href).searchParams.get("v") ?? "" },
    onState: (v) => {
      const url = new URL(location.href);
      if (v) url.searchParams.set("v", v);
      else url.searchParams.delete("v");
      history.replaceState(history.state, "", url);
    },
    onSelect: (name, values) => select(name ?? "", { values: values ?? page.flame?.stats?.(name) }),
  });
  box.classList.add("drawn");
}

onPage(() => {
  page.flame?.destroy?.();
  page.flame = null;
  const box = $("#flame");
  if (box) mountFlame(box).catch((error) => toast(`The flame graph cannot be drawn: ${error.message}`));
});
