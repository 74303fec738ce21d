// Moves and zooms the picture of the call graph: by dragging, wheel, pinch, keys, buttons and the minimap. A click
// selects a function. The address contains the position as `v`.
"use strict";

/** Moves and zooms an SVG by changing its view box. */
class GraphView {
  constructor(box, svg) {
    this.box = box;
    this.svg = svg;
    const [x, y, width, height] = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
    this.whole = { x, y, width, height };
    this.pointers = new Map();
    svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
    svg.querySelector("g").id = "picture";
    this.makeControls();
    this.listen();
    this.restore();
  }

  makeControls() {
    const zoom = document.createElement("div");
    zoom.className = "zoom";
    for (const [text, name, run] of [["+", "Zoom in", () => this.zoom(1.3)], ["−", "Zoom out", () => this.zoom(1 / 1.3)],
      ["⤢", "Show all", () => this.fit()]]) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: text, title: name });
      button.setAttribute("aria-label", name);
      button.addEventListener("click", run);
      zoom.append(button);
    }
    this.frame = svgElement("rect", { class: "frame" });
    const { x, y, width, height } = this.whole;
    this.map = svgElement("svg", { id: "minimap", viewBox: `${x} ${y} ${width} ${height}`, "aria-hidden": "true" },
      svgElement("use", { href: "#picture" }), this.frame);
    this.map.addEventListener("pointerdown", (event) => this.jump(event));
    this.map.addEventListener("pointermove", (event) => { if (event.buttons) this.jump(event); });
    this.box.append(zoom, this.map);
  }

  /** Shows the whole picture if its text is readable at this size; else shows the top of the picture at a readable size. */
  start() {
    const fit = Math.min(this.box.clientWidth / this.whole.width, this.box.clientHeight / this.whole.height);
    if (fit >= 0.8) return this.show({ ...this.whole });
    const width = this.box.clientWidth, height = this.box.clientHeight; // the smallest letters have 8 pixels
    this.show({ x: this.whole.x + (this.whole.width - width) / 2, y: this.whole.y, width, height });
    this.center(this.svg.querySelector(".selected") ?? this.largest(), true);
  }

  /** Shows the position of the address: left, top, width and height, each as a part of the whole picture. */
  restore() {
    clearTimeout(this.later);
    const [x, y, width, height] = (new URL(location.href).searchParams.get("v") ?? "").split("_").map(Number), w = this.whole;
    if (!(width > 0.001 && height > 0.001 && Math.max(width, height, Math.abs(x), Math.abs(y)) < 100)) return this.start();
    this.show({ x: w.x + x * w.width, y: w.y + y * w.height, width: width * w.width, height: height * w.height });
  }

  /** Writes the position into the address, after the last of several moves. `entry`: adds an entry to the browser's history. */
  keep(entry) {
    this.entry ||= entry;
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const url = new URL(location.href), { view: v, whole: w } = this;
      const parts = [(v.x - w.x) / w.width, (v.y - w.y) / w.height, v.width / w.width, v.height / w.height];
      url.searchParams.set("v", parts.map((part) => Number(part.toFixed(4))).join("_"));
      if (page.graph === this && !page.loading && readable(url) !== location.href) {
        history[this.entry ? "pushState" : "replaceState"](history.state, "", readable(url));
        selection.address = location.href;
      }
      this.entry = false;
    }, 200);
  }

  /** Returns the box with the largest share. If several boxes have about this share, returns the highest box. */
  largest() {
    const size = (link) => Number.parseFloat(link.dataset.share) || 0;
    const boxes = [...this.svg.querySelectorAll(".node a[data-name]")];
    const most = Math.max(...boxes.map(size));
    const top = (link) => link.getBoundingClientRect().top;
    return boxes.filter((link) => size(link) >= most * 0.98).sort((a, b) => top(a) - top(b))[0];
  }

  fit() {
    this.show({ ...this.whole });
    this.keep(true);
  }

  /** Moves the picture until the element is in the middle of the screen; with `top`, in the upper part. */
  center(element, top = false) {
    if (!element) return;
    const b = element.getBBox(), matrix = element.getCTM().inverse().multiply(this.svg.getCTM());
    const point = new DOMPoint(b.x + b.width / 2, b.y + b.height / 2).matrixTransform(matrix.inverse());
    const view = this.view, x = point.x - view.width / 2, y = point.y - view.height * (top ? 0.12 : 0.5);
    this.show({ ...view, x, y });
  }

  show(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    for (const key of ["x", "y", "width", "height"]) this.frame.setAttribute(key, view[key]);
    this.map.toggleAttribute("hidden", view.width * view.height > this.whole.width * this.whole.height * 0.5);
  }

  /** Converts a position on the screen to the coordinates of the picture. */
  at(clientX, clientY, svg = this.svg) {
    return new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  }

  zoom(factor, clientX, clientY) {
    const box = this.box.getBoundingClientRect();
    const p = this.at(clientX ?? box.x + box.width / 2, clientY ?? box.y + box.height / 2), v = this.view;
    const f = Math.min(Math.max(factor, (v.width / this.whole.width) * 0.5), v.width / 60);
    this.show({ x: p.x - (p.x - v.x) / f, y: p.y - (p.y - v.y) / f, width: v.width / f, height: v.height / f });
    this.keep(true);
  }

  pan(dx, dy) {
    this.show({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
    this.keep(false);
  }

  jump(event) {
    const p = this.at(event.clientX, event.clientY, this.map);
    this.show({ ...this.view, x: p.x - this.view.width / 2, y: p.y - this.view.height / 2 });
    this.keep(false);
  }

  listen() {
    const { box, svg } = this;
    box.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, event);
      this.moved = false;
    });
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      svg.addEventListener(end, (event) => {
        this.pointers.delete(event.pointerId);
        if (!this.pointers.size) box.classList.remove("dragging");
      });
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    svg.addEventListener("click", (event) => this.click(event), true);
    svg.addEventListener("dblclick", (event) => {
      if (event.target.closest("a[data-name]")) openSelected();
      else this.zoom(1.6, event.clientX, event.clientY);
    });
    box.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focusin", (event) => {
      const link = event.target.closest("a[data-name]");
      if (link) this.reveal(link);
    });
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers.values()].filter((p) => p.pointerId !== event.pointerId);
    if (others.length) {
      const length = (p) => Math.hypot(p.clientX - others[0].clientX, p.clientY - others[0].clientY) || 1;
      this.zoom(length(event) / length(before), (event.clientX + others[0].clientX) / 2, (event.clientY + others[0].clientY) / 2);
    } else {
      const a = this.at(before.clientX, before.clientY), b = this.at(event.clientX, event.clientY);
      if (!this.moved && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 4) return;
      this.pan(a.x - b.x, a.y - b.y);
      this.box.classList.add("dragging");
    }
    this.moved = true;
    this.pointers.set(event.pointerId, event);
  }

  /** Selects the function of a clicked box. Ignores the click at the end of a drag. */
  click(event) {
    const link = event.target.closest("a[data-name]");
    if (this.moved) event.preventDefault();
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (!this.moved && event.detail) select(link.dataset.name, { element: link });
    else if (!event.detail) navigate(new URL(link.getAttribute("href"), location.href));
  }

  reveal(link) {
    const a = link.getBoundingClientRect(), b = this.box.getBoundingClientRect();
    if (a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom) this.center(link);
  }

  key(event) {
    const stepX = this.view.width / 8, stepY = this.view.height / 8;
    const moves = { ArrowLeft: [-stepX, 0], ArrowRight: [stepX, 0], ArrowUp: [0, -stepY], ArrowDown: [0, stepY] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === "Enter" && event.target === this.box) openSelected();
    else return;
    event.preventDefault();
  }
}

onPage(() => {
  page.graph = null;
  const box = $("#graph"), data = $("#graph-data");
  if (!box) return;
  try {
    if (data && !$("svg", box)) {
      const graph = JSON.parse(data.textContent);
      if (graph.nodes.length) box.append(drawGraph(graph));
    }
    const svg = $("svg", box);
    if (svg) page.graph = new GraphView(box, svg);
    markSelected(selection.name);
  } catch (error) {
    box.append(`The graph cannot be drawn: ${error.message}`);
  }
});
