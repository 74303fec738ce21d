/* Reports: everything `pprofc` prints, written to a callback.
 *
 * Any number of threads may make reports at once, also of one profile. The library calls `write`
 * and `warn` on the caller's thread. */
#ifndef PPROFC_REPORT_H
#define PPROFC_REPORT_H

#include "pprofc/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings of one report, with pprof's names and meanings. A NULL string equals "". The default
 * of a field is "", 0 or false unless its comment names another. The caller owns all strings during
 * the call. pprofc_option_at describes each field for users. */
typedef struct pprofc_report_options {
  size_t struct_size; /* set by pprofc_report_options_init */
  const char *format; /* name of the format: "top", "tree", "dot" ..., default "top" */
  /* regular expression for the formats peek, list, disasm and weblist; for dot, "change" chooses
   * the boxes of a difference by their change */
  const char *argument;

  bool call_tree;                /* true to separate nodes by call path */
  bool relative_percentages;     /* true: percentages refer to the total after filters; false: to
                                    the total before filters */
  const char *unit;              /* unit of the output: "minimum" (default), "auto" or a unit */
  bool compact_labels;           /* true for short headers in the output */
  const char *source_path;       /* folders of source files joined by ':'; "": current folder */
  const char *trim_path;         /* prefixes to remove from source paths, joined by ':' */
  bool intel_syntax;             /* true for assembly in Intel syntax */
  bool mean;                     /* true to show means: divides the values of a sample by the
                                    sample's first value, which is a count */
  const char *sample_index;      /* index or name of the sample type to show; "" for the default
                                    type */
  double divide_by;              /* divisor of all values, default 1 */
  bool normalize;                /* true to scale the head to the total of the base in a difference
                                    of two profiles */
  const char *sort;              /* order of rows: "flat" (default) or "cum" */
  const char *tagroot, *tagleaf; /* label keys, as in pprofc_filter_options */
  bool drop_negative;            /* true: drop negative differences */
  int nodecount;                 /* maximum number of nodes, default -1: the format decides */
  double nodefraction;           /* smallest value of a node that is shown, as a share of the total,
                                    default 0.005 */
  double edgefraction; /* smallest weight of an edge that is shown, as a share of the total, default
                          0.001 */
  bool trim;           /* true: apply nodecount, nodefraction and edgefraction; default true */
  const char *focus, *ignore, *prune_from, *hide, *show, *show_from; /* regular expressions, as in
                                                                        pprofc_filter_options */
  const char *tagfocus, *tagignore, *tagshow, *taghide;              /* expressions on labels, as in
                                                                        pprofc_filter_options */
  bool noinlines;          /* true to join an inlined function with its caller */
  bool showcolumns;        /* true to keep column numbers, for the granularities lines and
                              addresses */
  const char *granularity; /* granularity of the rows: "", "functions", "filefunctions", "files",
                              "lines", "addresses"; "" for the default of the format */

  /* Receives each warning ("Focus expression matched no samples") as one line without newline.
   * May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context; /* first argument of `warn` */
  unsigned threads;   /* number of threads; 0: as many as for reading the profile */
  const char *tools;  /* folders of objdump, nm, addr2line and llvm-symbolizer, written as for
                         -tools; for disasm and weblist */

  /* options of the formats speedscope and folded */
  const char *group_by_label; /* speedscope: adds a profile for each value of this label */
  int cut_depth;              /* number of frames to keep, counted from the root; 0: all */
  double min_weight; /* share of the total below which a stack is joined with others; 0: join no
                        stacks */

  /* options of the formats flamegraph and flame */
  const char *origin_rules; /* rules, one per line, that give each frame an origin and thereby a
                               color (docs/FLAMEGRAPH_COLORS.md); the command-line flag takes a file
                               name instead */
  const char *title;        /* title of the picture; "" for the name of the profile */
  int width;                /* width of the picture in pixels; 0 means 1200 */
  const char *minwidth; /* minimum width of a box, in pixels or as a percentage with '%'; narrower
                           boxes are joined; "" means 0.1 */
  const char *colors;   /* color scheme: "hot", "change", "origin" or "package"; "" means "change"
                           for a difference, else "hot" */
  bool inverted;        /* true: the root is at the top */
  bool reverse;         /* true: merge stacks from the leaf instead of from the root */
  const char *source_link; /* flame: link to a source line, "https://host/{file}#L{line}" */

  bool safe; /* list and weblist: true to open no source file */

  /* verdicts (pprofc/verdict.h) that flame and flamegraph show for a difference, or NULL. The
   * verdicts must be made from the same profiles, with the same sample type and filters. Functions
   * that changed only by noise are grey. */
  const struct pprofc_verdicts *verdicts;

  /* Only for the report `list` of a difference: commits REF or REF1..REF2 in the git repository of
   * the current folder. The report prints the changes of the sources, and the cost of each line in
   * base and head. "": the report without changes. */
  const char *source_diff;

  int calls;        /* callgrind: number of calls to write for each edge; 0: the same number as
                       pprof */
  bool frame_marks; /* folded: true to mark frames like FlameGraph: "_[k]" in the kernel, "_[i]"
                       inlined, "_[j]" compiled at run time */

  PPROFC_ADDED_FILTERS(PPROFC_FILTER_FIELD)
} pprofc_report_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_report_options_init(pprofc_report_options *options);

/* Writes a report. The function makes all checks before the first byte of output. After that byte,
 * only PPROFC_E_NOMEM, PPROFC_E_LIMIT and PPROFC_E_IO are possible. Errors: PPROFC_E_INVALID,
 * PPROFC_E_NO_MATCH, PPROFC_E_UNSUPPORTED, PPROFC_E_LIMIT, PPROFC_E_NOMEM, PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_report(const pprofc_profile *profile,
                                       const pprofc_report_options *options, pprofc_write_fn write,
                                       void *context, pprofc_error *error);

/* ---- tables of formats and options, for flags, help, manuals and completion  */

/* A report format. */
typedef struct pprofc_format_info {
  const char *name;      /* name of the flag: "top" */
  const char *help;      /* description of the format in one line */
  const char *argument;  /* word for the argument in the help: "regexp"; NULL: no argument */
  const char *graphviz;  /* value of dot's option -T that converts the dot report to this format, or
                            NULL */
  const char *viewer;    /* program that shows the output, or NULL; "browser": any browser */
  const char *extension; /* extension of the output files, without a dot */
  bool binary;           /* true if the output must not go to a terminal */
  /* Words that may follow "=" in the flag (-flame=text). The word becomes
   * pprofc_report_options.argument. The array ends with NULL; the pointer is NULL if no word may
   * follow. The flag alone means the first word. With every other word the output is text, even for
   * a binary format. */
  const char *const *variants;
  /* true if the format prints only sums; merging equal samples then does not change the output */
  bool adds_up;
} pprofc_format_info;

/* Returns the format at an index, in the order of the help text, or NULL after the last. */
PPROFC_API const pprofc_format_info *pprofc_format_at(size_t index);

/* Type of an option. */
typedef enum pprofc_option_kind {
  PPROFC_OPTION_BOOL,   /* type bool */
  PPROFC_OPTION_INT,    /* type int */
  PPROFC_OPTION_FLOAT,  /* type double */
  PPROFC_OPTION_STRING, /* type const char * */
  PPROFC_OPTION_CHOICE  /* type const char *: one of `choices`; each choice also has its own flag */
} pprofc_option_kind;

/* An option of reports. */
typedef struct pprofc_option_info {
  const char *name;           /* name of the flag and of the field: "nodecount" */
  pprofc_option_kind kind;    /* type of the field in pprofc_report_options */
  size_t offset;              /* offset of the field in pprofc_report_options */
  const char *default_text;   /* default as pprof prints it: "minimum", "0.005", "false" */
  const char *url;            /* name of the option's parameter in a URL of the web page, or NULL */
  bool saved;                 /* true if settings.json stores the option */
  const char *const *choices; /* allowed values of a PPROFC_OPTION_CHOICE; ends with NULL */
  const char *help;           /* description of the option in one line */
} pprofc_option_info;

/* Returns the option at an index, in the order of pprof's settings, or NULL after the last. */
PPROFC_API const pprofc_option_info *pprofc_option_at(size_t index);

/* ---- options by name */

/* Sets the option `name` of the option table from text. Booleans are true, t, yes, y, 1 and false,
 * f, no, n, 0 in any letter case. Numbers and choices are as on the command line; "" is allowed if
 * the default is "". For a string option, the options keep the pointer `value`, so the text must
 * live as long as the options. `options` must be initialised. On failure the options stay
 * unchanged. Two threads must not set options of one struct at once. Errors: PPROFC_E_INVALID for
 * an unknown name, an invalid value, options of size 0, or an option newer than the caller's
 * struct. */
PPROFC_API pprofc_status pprofc_report_options_set(pprofc_report_options *options, const char *name,
                                                   const char *value, pprofc_error *error);

/* Writes the value of the option `name` as text that pprofc_report_options_set accepts: "true",
 * "80", "0.005", "functions". Truncates the text to `capacity` bytes, including a NUL at its end.
 * Sets *size, unless `size` is NULL, to the length of the whole text without the NUL. `text` may be
 * NULL if `capacity` is 0. Errors: PPROFC_E_INVALID for an unknown option, options of size 0, or an
 * option newer than the caller's struct. */
PPROFC_API pprofc_status pprofc_report_options_get(const pprofc_report_options *options,
                                                   const char *name, char *text, size_t capacity,
                                                   size_t *size, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
