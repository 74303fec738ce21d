/* The words of comparison tables, which all of their formats share: "2.449m", "+21.50%",
 * "p=0.000 n=10+9". */
#ifndef PPROFC_GATE_READ_CELL_H
#define PPROFC_GATE_READ_CELL_H

#include "gate/gate.h"

/* A comparison as a table tells it: texts that may be empty. */
struct gate_cell {
  pprofc_str base, head;      /* centers; empty where a side has none */
  pprofc_str delta;           /* "+21.50%", "~", "?" */
  pprofc_str comparison;      /* "p=0.000 n=10", "all equal" ..., without parentheses */
  pprofc_str base_unit, unit; /* of the centers, and of the row */
  pprofc_str group, name;
  pprofc_str file, text; /* where it stands, and the line as it is */
  size_t line;
  bool scaled; /* centers carry prefixes and units: "13.6ms" */
};

/* Adds a row for the cell. What cannot be understood is a problem with file and line. False when
 * out of memory. */
bool gate_add_cell(struct gate *gate, const struct gate_cell *cell);

/* The number at the head of "13.6ms", "1.007Mi", "120": in base units. False when there is none. */
bool gate_parse_center(pprofc_str text, double *value);

/* Pieces of a line between blanks. False at its end. */
bool gate_next_word(pprofc_str *rest, pprofc_str *word);

/* Walks over the lines of a file. */
struct gate_lines {
  pprofc_str rest, text;
  size_t number; /* of `text`, from 1 */
};
bool gate_next_line(struct gate_lines *lines);

/* As much of a line as a message shows, whole characters. */
int gate_shown_length(pprofc_str line);

/* "pkg: a/b" lines in front of a table: takes the package, true when the line is of that kind. */
bool gate_key_line(pprofc_str line, pprofc_str *package);

#endif
