/* What is known of an input format. `pprofc -formats` prints the rows of all tables of these
 * (import/facts.c, bench/read/facts.c); scripts/manual.sh writes them into docs/FORMATS.md. */
#ifndef PPROFC_CORE_FACTS_H
#define PPROFC_CORE_FACTS_H

/* Plain text without '|' and line breaks; names in `backquotes`. NULL only where it is said. */
struct format_fact {
  const char *reader; /* the function or row that reads it: "callgrind", "json_dhat" */
  const char *name;   /* what people call the format */
  const char *writers;
  const char *recognised; /* how its files are told from others */
  const char *recorded;   /* tool and version of the recording in testdata, or "made by hand" */
  const char *example;    /* a file of testdata, or NULL; some golden case reads it */
  const char *kept;       /* what becomes of it */
  const char *lost;       /* what is left out, and what of that is counted */
};

#endif
