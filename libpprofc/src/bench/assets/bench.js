// Sorts the rows of a table: a click on a heading sorts by its column, the greatest first; another click turns the order.
"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  let column = 0;
  for (const heading of table.tHead.rows[1].cells) {
    const at = column, button = document.createElement("button");
    column += heading.colSpan;
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === (at ? "descending" : "ascending") ? !at : !!at;
      const cell = (row) => row.cells[at];
      const compare = (a, b) => (at ? Number(a.dataset.value) - Number(b.dataset.value)
        : a.textContent.localeCompare(b.textContent, undefined, { numeric: true }));
      const rows = [...body.rows].filter((row) => !row.classList.contains("summary"));
      const known = rows.filter((row) => !at || cell(row).dataset.value !== undefined);
      known.sort((a, b) => compare(cell(a), cell(b)) * (down ? -1 : 1));
      body.prepend(...known, ...rows.filter((row) => !known.includes(row)));
      for (const other of table.tHead.rows[1].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
    heading.replaceChildren(button);
  }
}
