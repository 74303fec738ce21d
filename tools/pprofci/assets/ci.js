"use strict";
// The keys j and k move between the rows of the benchmarks. A link to a benchmark opens the list that contains the
// benchmark.
const rows = [...document.querySelectorAll("#benchmarks > table .item")];
let at = -1;
function open(row) {
  for (let box = row; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
}
function show(row) {
  open(row);
  row.scrollIntoView({ block: "center" });
  row.querySelector("a").focus({ preventScroll: true });
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !rows.length || document.querySelector("#graph:not([hidden])")) return;
  if (event.key === "j") at = Math.min(at + 1, rows.length - 1);
  else if (event.key === "k") at = Math.max(at - 1, 0);
  else return;
  show(rows[at]);
});
function openTarget() {
  try {
    open(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  } catch { /* the address is malformed: no list is opened */ }
}
// On paper the reader cannot open sections. So printing opens the flame graphs and the section on the measurement.
const forPaper = [...document.querySelectorAll("#method, .worse > .flame details")].filter((d) => !d.open);
addEventListener("beforeprint", () => forPaper.forEach((d) => (d.open = true)));
addEventListener("afterprint", () => forPaper.forEach((d) => (d.open = false)));
addEventListener("hashchange", openTarget);
openTarget();
