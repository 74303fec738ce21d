/* Parses the cells that all formats of comparison tables share: "2.449m", "+21.50%", "p=0.000
 * n=10+9". */
#ifndef PPROFC_GATE_READ_CELL_H
#define PPROFC_GATE_READ_CELL_H

#include "gate/read/read.h"

/* Texts of a comparison in a table; each may be empty. */
struct gate_cell {
  pprofc_str base, head; /* printed centers; empty if base or head has no value */
  pprofc_str delta;      /* printed change: "+21.50%", "~", "?" */
  pprofc_str comparison; /* printed result of the test, without parentheses: "p=0.000 n=10", "all
                            equal" ... */
  pprofc_str unit, group, name;
  pprofc_str file, text; /* path of the file, and text of the whole line */
  size_t line;
};

/* Adds a row for the cell. Adds a problem with file and line if the cell is malformed. Returns
 * false when out of memory. */
bool gate_add_cell(struct gate *gate, const struct gate_cell *cell);

/* Takes the next word of a line. Words are separated by spaces. Returns false at the end. */
bool gate_next_word(pprofc_str *rest, pprofc_str *word);

/* Iterator over the lines of a file; `text` is the current line. */
struct gate_lines {
  pprofc_str rest, text;
  size_t number; /* line number of `text`, from 1 */
};
bool gate_next_line(struct gate_lines *lines);

/* Returns how many bytes of a line a message shows. Never splits a character. */
int gate_shown_length(pprofc_str line);

/* True for a line such as "pkg: a/b" before a table. Stores the package if the line names it. */
bool gate_key_line(pprofc_str line, pprofc_str *package);

#endif
