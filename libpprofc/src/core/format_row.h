/* Declares a row that describes an input format. `pprofc -formats` prints the tables of these rows
 * (import/format_table.c, bench/read/format_table.c). scripts/manual.sh writes the tables to
 * docs/FORMATS.md. */
#ifndef PPROFC_CORE_FORMAT_ROW_H
#define PPROFC_CORE_FORMAT_ROW_H

/* A row of a table of formats. Texts have no '|' and no line breaks. Names are in `backquotes`.
 * Fields are not NULL, unless their comment says so. */
struct format_row {
  const char *reader; /* name of the reader: "callgrind", "json_dhat" */
  const char *name;   /* common name of the format */
  const char *writers;
  const char *recognised; /* feature by which the reader recognizes the format */
  const char *recorded;   /* tool and version that recorded the example, or "made by hand" */
  const char *example;    /* file in testdata that a test reads; may be NULL */
  const char *kept;       /* data that the reader takes from a file */
  /* data that the reader drops; -comments counts the data listed after "counted:" */
  const char *lost;
};

#endif
