// Zoom, search and state of the classic flame graph. The picture is complete without it.
(function () {
  var FG = "http://github.com/jonhoo/inferno";
  var root = document.documentElement;
  var holder = document.getElementById("frames");
  var details = document.getElementById("details");
  var unzoomButton = document.getElementById("unzoom");
  var searchButton = document.getElementById("search");
  var caseButton = document.getElementById("ignorecase");
  var matched = document.getElementById("matched");
  if (!holder || !details) return;

  var total = Number(holder.getAttributeNS(FG, "total"));
  var whole = Number(holder.getAttributeNS(FG, "whole"));
  var left = Number(holder.getAttributeNS(FG, "left"));
  var width = Number(holder.getAttributeNS(FG, "width"));
  // Widths of texts in the font of the picture.
  var pen = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas").getContext("2d");
  var widths = {};
  pen.font = "12px " + getComputedStyle(holder).fontFamily;
  function measure(text) {
    if (widths[text] === undefined) widths[text] = pen.measureText(text).width;
    return widths[text];
  }
  var ignoreCase = false;
  var term = "";

  var frames = Array.prototype.map.call(holder.children, function (group) {
    var rect = group.querySelector("rect");
    return {
      group: group, rect: rect, text: group.querySelector("text"),
      title: group.querySelector("title").textContent,
      name: group.getAttributeNS(FG, "name"), sign: group.getAttributeNS(FG, "sign") || "",
      x: Number(rect.getAttributeNS(FG, "x")), w: Number(rect.getAttributeNS(FG, "w")),
      depth: Number(group.getAttributeNS(FG, "depth"))
    };
  });

  function place(frame, x, w) {
    var px = left + x / total * width, pw = w / total * width;
    frame.rect.setAttribute("x", px.toFixed(2));
    frame.rect.setAttribute("width", Math.max(0, pw - 0.5).toFixed(2));
    frame.text.setAttribute("x", (px + 3).toFixed(2));
    frame.text.removeAttribute("textLength");
    if (!frame.forms) frame.forms = labelForms(frame.name);
    var label = pw < 18 ? null : fitLabel(frame.forms, pw - 6, measure, frame.sign);
    if (label && label.small) frame.text.setAttribute("font-size", "10.5");
    else frame.text.removeAttribute("font-size");
    frame.text.textContent = label ? frame.sign + label.text : "";
  }

  // Breaks a text into lines of at most `room` pixels. Returns how many lines it has more than before.
  function wrap(text, room) {
    var x = text.getAttribute("x"), words = text.textContent.split(" "), lines = [""];
    if (text.getComputedTextLength() <= room) return 0;
    words.forEach(function (word) {
      var line = lines[lines.length - 1], longer = line ? line + " " + word : word;
      if (line && measure(longer) > room) lines.push(word);
      else lines[lines.length - 1] = longer;
    });
    text.textContent = "";
    lines.forEach(function (line, i) {
      var span = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
      span.setAttribute("x", x);
      if (i) span.setAttribute("dy", 14);
      span.textContent = line;
      text.appendChild(span);
    });
    return lines.length - 1;
  }

  // Draws for the width of a window that is narrower than the picture, such as a phone's, so that texts keep their size.
  // Long texts get more lines, above and below the picture.
  function fit() {
    var all = Number(root.getAttribute("width")), high = Number(root.getAttribute("height")), above = 0, below = 0;
    var room = Math.max(260, Math.min(window.innerWidth, window.screen.width || all)), less = all - room;
    if (root.nodeName !== "svg" || !(less > 0)) return;
    width -= less;
    frames.forEach(function (f) { place(f, f.x, f.w); });
    var texts = Array.prototype.filter.call(root.querySelectorAll("text"), function (text) { return !holder.contains(text); });
    texts.sort(function (a, b) { return a.getAttribute("y") - b.getAttribute("y"); });
    texts.forEach(function (text) {
      var x = Number(text.getAttribute("x")), y = Number(text.getAttribute("y")), own = text.getAttribute("role") === "switch";
      if (Math.abs(x - all / 2) < 1) text.setAttribute("x", room / 2);
      else if (own) text.setAttribute("x", left), above += 14;
      else if (x > all / 2) text.setAttribute("x", x - less);
      if (y > high / 2) return void (below += wrap(text, room - 2 * left) * 14);
      text.setAttribute("y", y + above);
      above += wrap(text, room - 2 * left) * 14;
      if (own) above += 14;
    });
    texts.forEach(function (text) {
      if (Number(text.getAttribute("y")) < high / 2 + above) text.setAttribute("y", Number(text.getAttribute("y")) - above);
    });
    var tall = high + above + below, page = root.querySelector(".page");
    if (page) page.setAttribute("y", -above);
    root.setAttribute("viewBox", "0 " + -above + " " + room + " " + tall);
    root.setAttribute("width", window.innerWidth);
    root.setAttribute("height", tall * window.innerWidth / room);
  }

  function zoom(target) {
    var x0 = target.x, w0 = target.w;
    frames.forEach(function (f) {
      var around = f.depth < target.depth && f.x <= x0 && f.x + f.w >= x0 + w0;
      var inside = f.depth >= target.depth && f.x >= x0 && f.x + f.w <= x0 + w0;
      f.group.classList.toggle("parent", around);
      f.group.classList.toggle("hide", !around && !inside);
      if (around) place(f, 0, total);
      else if (inside) place(f, (f.x - x0) / w0 * total, f.w / w0 * total);
    });
    unzoomButton.classList.toggle("hide", target.depth === 0);
    if (target.depth === 0) setState("x", null), setState("y", null);
    else setState("x", target.x), setState("y", target.depth);
    if (term) search(term);
  }

  // The share of the whole that lies in matching frames; a match below a match counts once.
  function search(pattern) {
    var expression;
    try { expression = new RegExp(pattern, ignoreCase ? "i" : ""); } catch (error) {
      details.textContent = "bad expression: " + error.message;
      return;
    }
    term = pattern;
    var spans = [];
    frames.forEach(function (f) {
      var hit = f.depth > 0 && expression.test(f.name);
      f.rect.classList.toggle("match", hit);
      if (hit && !f.group.classList.contains("hide")) spans.push(f);
    });
    spans.sort(function (a, b) { return a.x - b.x || b.w - a.w; });
    var sum = 0, end = -1;
    spans.forEach(function (f) {
      if (f.x >= end) sum += f.w, end = f.x + f.w;
    });
    matched.textContent = "Matched: " + (100 * sum / whole).toFixed(1) + "%";
    matched.classList.remove("hide");
    searchButton.textContent = "Reset Search";
    setState("s", pattern);
  }

  function resetSearch() {
    term = "";
    frames.forEach(function (f) { f.rect.classList.remove("match"); });
    matched.classList.add("hide");
    searchButton.textContent = "Search";
    setState("s", null);
  }

  function askSearch() {
    if (term) return resetSearch();
    var answer = window.prompt("Enter a search expression (regular expressions allowed, e.g. ^ext4_)", "");
    if (answer) search(answer);
  }

  function setState(key, value) {
    var query = new URLSearchParams(location.search);
    if (value === null) query.delete(key); else query.set(key, value);
    var text = query.toString();
    try { history.replaceState(null, "", text ? "?" + text : location.pathname); } catch (error) { /* file: */ }
  }

  function restore() {
    var query = new URLSearchParams(location.search);
    if (query.has("x") && query.has("y")) {
      var x = Number(query.get("x")), y = Number(query.get("y"));
      var target = frames.find(function (f) { return f.depth === y && f.x === x; });
      if (target) zoom(target);
    }
    if (query.get("s")) search(query.get("s"));
  }

  fit();

  function frameOf(event) {
    var group = event.target.closest ? event.target.closest("#frames > g") : null;
    return group && frames.find(function (f) { return f.group === group; });
  }

  holder.addEventListener("mouseover", function (event) {
    var frame = frameOf(event);
    if (frame) details.textContent = frame.title.split("\n")[0];
  });
  holder.addEventListener("mouseout", function () { details.textContent = " "; });
  holder.addEventListener("click", function (event) {
    var frame = frameOf(event);
    if (frame && frame.w > 0) zoom(frame);
  });
  holder.addEventListener("keydown", function (event) {
    var frame = frameOf(event);
    if (frame && (event.key === "Enter" || event.key === " ")) zoom(frame), event.preventDefault();
  });
  unzoomButton.addEventListener("click", function () { zoom(frames[0]); });
  searchButton.addEventListener("click", askSearch);
  caseButton.addEventListener("click", toggleCase);
  function toggleCase() {
    ignoreCase = !ignoreCase;
    caseButton.classList.toggle("on", ignoreCase);
    if (term) search(term);
  }
  window.addEventListener("keydown", function (event) {
    var control = event.ctrlKey || event.metaKey;
    if (event.key === "F3" || (control && event.key === "f")) askSearch(), event.preventDefault();
    else if (control && event.key === "i") toggleCase(), event.preventDefault();
    else if (event.key === "Escape") zoom(frames[0]);
  });
