/* Reports: everything `pprofc` prints, to a callback.
 *
 * Any number of threads may make reports at once, of one profile, too. `write` and `warn` are
 * called on the thread of the caller. */
#ifndef PPROFC_REPORT_H
#define PPROFC_REPORT_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings of one report. Names and meanings are those of pprof; NULL and "" are the same.
 * Strings are borrowed for the length of the call. The table pprofc_report_option_at describes each
 * field. */
typedef struct pprofc_report_options {
  size_t struct_size;   /* set by pprofc_report_options_init */
  const char *format;   /* "top", "tree", "dot" ...: a name of the format table */
  const char *argument; /* the expression of peek, list, disasm, weblist */

  bool call_tree;
  bool relative_percentages;
  const char *unit; /* "minimum", "auto" or a unit */
  bool compact_labels;
  const char *source_path;
  const char *trim_path;
  bool intel_syntax;
  bool mean;
  const char *sample_index; /* number or name; "" for the default type */
  double divide_by;
  bool normalize;   /* consumed when base and head are combined */
  const char *sort; /* "flat" or "cum" */
  const char *tagroot, *tagleaf;
  bool drop_negative;
  int nodecount; /* -1: the default of the format */
  double nodefraction, edgefraction;
  bool trim;
  const char *focus, *ignore, *prune_from, *hide, *show, *show_from;
  const char *tagfocus, *tagignore, *tagshow, *taghide;
  bool noinlines, showcolumns;
  const char *granularity; /* "", "functions", "filefunctions", "files", "lines", "addresses" */

  /* Told of each warning ("Focus expression matched no samples"), one line without newline. May be
   * NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
  unsigned threads;  /* 0: as the profile was read */
  const char *tools; /* where objdump, nm, addr2line, llvm-symbolizer are, as -tools says; disasm,
                        weblist */

  /* Of the exports of stacks, speedscope and folded. */
  const char *group_by_label; /* speedscope: one more profile for each value of this label */
  int cut_depth;              /* frames from the root on that are kept; 0: all */
  double min_weight;          /* stacks below this share of the total are joined; 0: none */

  /* Of the flame graphs, flamegraph and flame. */
  const char *origin_rules; /* text of rules that tell whose code a frame is, one a line; see
                               docs/FLAMEGRAPHS.md (the flag takes the name of a file) */
  const char *title;
  int width;            /* of the picture in pixels; 0: 1200 */
  const char *minwidth; /* narrower boxes are joined: pixels, or a part with '%'; "" is 0.1 */
  const char
      *colors;   /* "hot", "change", "origin", "package"; "": change in a difference, else hot */
  bool inverted; /* root on top */
  bool reverse;  /* merged from the leaf */
  const char *source_link; /* flame: "https://host/{file}#L{line}", where sources can be read */

  bool safe; /* list, weblist: no source file is opened, whatever the profile names */

  /* flame, flamegraph of a difference: what was judged of the same profiles, sample type and
   * filters (pprofc/verdict.h). What is noise is grey. NULL: nothing was judged. */
  const struct pprofc_verdicts *verdicts;
} pprofc_report_options;

PPROFC_API void pprofc_report_options_init(pprofc_report_options *options);

/* Renders one report. Nothing is written unless everything that can be checked before has been;
 * after the first byte only memory and `write` can fail. */
PPROFC_API pprofc_status pprofc_report(const pprofc_profile *profile,
                                       const pprofc_report_options *options, pprofc_write_fn write,
                                       void *context, pprofc_error *error);

/* ---- tables: what flags, help, manual and completion are printed from  */

typedef struct pprofc_format_info {
  const char *name;
  const char *help;      /* one line */
  const char *argument;  /* "regexp", or NULL when it takes none */
  const char *graphviz;  /* the -T of dot that makes it from the dot report, or NULL */
  const char *viewer;    /* the program that shows it, "browser" for any, or NULL */
  const char *extension; /* of files made of it, without dot */
  bool binary;           /* never written to a terminal */
  /* Words that may follow "=" (-flame=text) and go into `argument`, ended by NULL; the flag alone
   * means the first one. NULL: none. A word other than the first gives text, even when the format
   * is binary. */
  const char *const *variants;
  /* It prints sums only: it prints the same whether equal samples have been added up or not. */
  bool adds_up;
} pprofc_format_info;

/* The format with that index, in the order of the help text; NULL past the last one. */
PPROFC_API const pprofc_format_info *pprofc_format_at(size_t index);

typedef enum pprofc_option_kind {
  PPROFC_OPTION_BOOL,
  PPROFC_OPTION_INT,
  PPROFC_OPTION_FLOAT,
  PPROFC_OPTION_STRING,
  PPROFC_OPTION_CHOICE /* one of `choices`; on the command line each choice is a flag of its own */
} pprofc_option_kind;

typedef struct pprofc_option_info {
  const char *name;
  pprofc_option_kind kind;
  size_t offset;              /* of the field in pprofc_report_options */
  const char *default_text;   /* as pprof prints it: "minimum", "0.005", "false" */
  const char *url;            /* parameter name in the web page, or NULL */
  bool saved;                 /* kept in settings.json */
  const char *const *choices; /* NULL-terminated, for PPROFC_OPTION_CHOICE */
  const char *help;
} pprofc_option_info;

/* The option with that index, in the order of pprof's settings; NULL past the last one. */
PPROFC_API const pprofc_option_info *pprofc_option_at(size_t index);

/* ---- options by name */

/* Sets the option `name` of that table ("nodecount", "granularity" ...) from text. Booleans are
 * true, t, yes, y, 1 and false, f, no, n, 0 in any case; numbers and choices are as on the command
 * line of pprofc; "" is the choice of none where the default is "". A string option keeps the
 * pointer `value`: the text must live as long as the options are used. `options` has been
 * initialised. On failure the options stay as they were. Errors: PPROFC_E_INVALID for an unknown
 * name, a value that the option cannot have, options of size 0, and an option that is newer than
 * the caller's struct. Two threads may not set options of one struct at the same time. */
PPROFC_API pprofc_status pprofc_report_options_set(pprofc_report_options *options, const char *name,
                                                   const char *value, pprofc_error *error);

/* Writes the value of the option `name` as text, NUL-terminated, that pprofc_report_options_set
 * takes back with the same result: "true", "80", "0.005", "functions". `text` has room for
 * `capacity` bytes; what is longer is cut. *size, when `size` is not NULL, becomes the length of
 * the whole text without the NUL: the text was cut if it is not below `capacity`. With a capacity
 * of 0, `text` may be NULL. Errors: PPROFC_E_INVALID as above. */
PPROFC_API pprofc_status pprofc_report_options_get(const pprofc_report_options *options,
                                                   const char *name, char *text, size_t capacity,
                                                   size_t *size, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
