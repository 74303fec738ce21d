/* Fills in the templates of assets/ci_page.html with values that several sections show. */
#ifndef PPROFCI_PAGE_HTML_H
#define PPROFCI_PAGE_HTML_H

#include "core/template.h"
#include "page/model.h"

pprofc_str html_template(void);

/* Adds a bar for the change of a row, in a picture of the same size as the picture of html_strip.
 * An increase points to the right, a decrease to the left. The length of the bar is proportional to
 * the square root of the change, so that 1 % is still visible. */
void html_gauge(struct fill *f, const struct gate_row *row);

/* Adds a plot of the measurement rounds of base and head. Each round is a dot. Base and head share
 * one scale. */
void html_strip(struct fill *f, const struct run_samples *base, const struct run_samples *head,
                pprofc_str unit);

/* Adds a flame graph as a separate image of `height` pixels, independent of the page's scripts and
 * ids. */
void html_picture(struct fill *f, const struct run_picture *picture, double height);

/* Adds a short function name (html_short_function); the tooltip has the full name. */
void html_function(struct fill *f, pprofc_str name);

/* Adds a source position: "src/parse.go:14" if the file is in this checkout, else "parse.go:14". */
void html_place(struct fill *f, pprofc_str file, int64_t line);

/* Maximum size in bytes of a function name on the page or in the summary. */
#define HTML_NAME_MOST 120

/* Appends "regexp.(*Regexp).doExecute" for "example.com/regexp.(*Regexp).doExecute", and at most
 * HTML_NAME_MOST bytes of a long name (brief_function). */
void html_short_function(struct buffer *out, pprofc_str name);

/* Appends the address of the flame graph `name`: "flame/NAME.html#search=FUNCTION". In report.html
 * the address leads to the graph of `pair`: "#flame/NAME.html&search=FUNCTION". `search` may be
 * empty. */
void html_flame(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name, pprofc_str search);

/* Returns the name of the artifact that the page shows: the difference, or the only profile. */
const char *html_shown(const struct run_pair *pair);

/* True if the user's function that led to the growth (pair->own) is not first in the list of
 * functions that grew. */
bool html_shows_own(const struct run_pair *pair);

/* Returns the user's function that led to the growth. If this function is unknown, returns the
 * function that grew most. Returns "" if no function grew. */
pprofc_str html_culprit(const struct run_pair *pair);

/* True if the page has anything to report on the functions of the pair of profiles. */
bool html_has_because(const struct run_pair *pair);

/* Adds the functions that grew, a note about this list, and the changed lines. */
void html_because(struct fill *f, const struct page_model *m, const struct run_pair *pair);

/* Adds the addresses of the artifacts of a profile. In report.html, adds only the address of the
 * flame graph. */
void html_links(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                const char *name);

/* Appends the lines of the hunk (block of changed lines) that grew most, at most `most` lines of
 * plain text. */
void hunks_put_worst(struct buffer *out, const struct run_pair *pair, size_t most);

/* Positions of code in the sentence of hunks_sentence, in bytes. */
struct hunk_code {
  size_t name;     /* length of the function's name, with which the sentence begins */
  size_t at, size; /* offset and length of the source line in the sentence */
};

/* Appends "f grew by 120 ms (+38 %) in 9 of 12 benchmarks; line 41 of x.go (new: text) has 110 ms
 * of it". If the profile has no lines of f, the second part is "; line 41 of x.py changed in it
 * (new: text)"; "it" is f. Returns false if the growth is not certain, or if no line grew. */
bool hunks_sentence(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                    struct hunk_code *code);

/* ---- sections, each in the file of its name ------- */

/* Adds the benchmarks that need attention. Then adds collapsed lists of the other benchmarks, one
 * for each result. */
void rows_fill(struct fill *f, const struct page_model *model);

/* Adds tabs with pictures and tables. A picture has at most `height` pixels (0: no limit). If
 * `open` is true, the tables are expanded. */
void tabs_fill(struct fill *f, const struct page_model *m, const struct run_pair *pair,
               unsigned height, bool open);

/* Adds a row to the list "pairs": a pair of profiles with its tabs (tabs_fill). */
void details_fill_pair(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                       unsigned height, bool open);
void details_fill_all(struct fill *f, const struct page_model *m);

/* Returns a phrase for the verdict of a row. */
const char *details_verdict(const struct benchmark *b, const struct gate_row *row);

/* Returns the machine of the results: "linux amd64, Intel(R) Xeon(R), 2 CPUs, go1.22.1". Omits
 * unknown values. The text is in the run's arena. */
pprofc_str method_machine(struct ci_run *run);
void method_fill(struct fill *f, const struct page_model *m);

/* Values of a function in the unit of the profile. The values are per operation if the number of
 * iterations is known, else per run. */
struct function_values {
  pprofc_str name, file;
  int64_t line;                   /* line in `file`; 0: unknown */
  double flat[SIDES], cum[SIDES]; /* self value (flat) and total value (cum) of the function */
};

struct function_list {
  struct arena arena;
  struct function_values *rows;
  size_t count;
  double total[SIDES];
  pprofc_str type, unit; /* sample type and unit: "cpu", "nanoseconds" */
};

/* Sort key of the rows, largest first. */
enum function_order { BY_BASE, BY_HEAD, BY_CHANGE };
void functions_init(struct function_list *list);

/* Reads a pair of profiles into `list`. The list is empty if a profile is unreadable. The caller
 * frees list->arena. */
void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list);
void functions_sort(struct function_list *list, enum function_order order);

#endif
