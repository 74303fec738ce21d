/* The words of comparison tables, which all of their formats share: "2.449m", "+21.50%",
 * "p=0.000 n=10+9". */
#ifndef PPROFC_GATE_READ_CELL_H
#define PPROFC_GATE_READ_CELL_H

#include "gate/read/read.h"

/* One comparison of a table, as texts that may be empty. */
struct gate_cell {
  pprofc_str base, head;      /* centers; empty where a side has none */
  pprofc_str delta;           /* "+21.50%", "~", "?" */
  pprofc_str comparison;      /* "p=0.000 n=10", "all equal" ..., without parentheses */
  pprofc_str base_unit, unit; /* of the centers, and of the row */
  pprofc_str group, name;
  pprofc_str file, text; /* where it is, and the whole line */
  size_t line;
  bool scaled; /* centers carry prefixes and units: "13.6ms" */
};

/* Adds a row for the cell. A malformed cell is a problem with file and line. False when out of
 * memory. */
bool gate_add_cell(struct gate *gate, const struct gate_cell *cell);

/* The number of "13.6ms", "1.007Mi", "120" in base units. False when there is none. */
bool gate_parse_center(pprofc_str text, double *value);

/* Pieces of a line between blanks. False at its end. */
bool gate_next_word(pprofc_str *rest, pprofc_str *word);

/* Walks over the lines of a file. */
struct gate_lines {
  pprofc_str rest, text;
  size_t number; /* of `text`, from 1 */
};
bool gate_next_line(struct gate_lines *lines);

/* How many bytes of a line a message shows: whole characters. */
int gate_shown_length(pprofc_str line);

/* True for a line such as "pkg: a/b" in front of a table; takes the package if it is one. */
bool gate_key_line(pprofc_str line, pprofc_str *package);

#endif
