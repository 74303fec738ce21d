/* Types that all views share: the page, its report, its rows. */
#ifndef PPROFC_WEB_VIEWS_PAGE_H
#define PPROFC_WEB_VIEWS_PAGE_H

#include "core/map.h"
#include "report/labels.h"
#include "verdict/amount.h"
#include "web/judge.h"
#include "web/views/html.h"
#include "web/views/views.h"

/* A function (or line, file, address) on the page, with both sides of a difference. */
struct view_row {
  pprofc_str name;     /* name as printed by -top */
  pprofc_str function; /* name for selection and search: the function, else `name` */
  pprofc_str file;     /* "" if unknown */
  int64_t line;
  int64_t flat, cum; /* values of the displayed profile: in a difference, the change */
  struct view_sides {
    double base, head; /* recorded; means over several runs */
  } self, total;
  enum inline_mark inlined;
  const pprofc_verdict_row *verdict; /* lives as long as the page; NULL if there is no verdict */
};

/* The part of the profile that a view shows. */
struct view_totals {
  bool known;
  bool has_shown;       /* true if `shown` and the following fields are set */
  int64_t total, shown; /* values of the displayed profile */
  size_t nodes, nodes_before, dropped_nodes;
};

struct view_page {
  const struct web_view *view;
  const struct web_view_input *in;
  const pprofc_allocator *mem;
  struct arena arena;
  pprofc_report_options options; /* from the request; warnings are shown on the page */
  const char **warnings;
  size_t warning_count, warning_capacity;
  bool failed; /* true when out of memory */

  /* Results of the body, for the frame around it. */
  struct view_totals totals;
  pprofc_str unit;          /* unit of the displayed values; "" until known */
  pprofc_str about;         /* HTML lines that describe the profile */
  pprofc_str argument;      /* regular expression of peek, list and disasm */
  struct view_row selected; /* name "" if nothing is selected */
  bool selected_found;
  struct judgement judgement; /* verdicts on a difference, set by view_rows_make */
  struct amount_grid grid;    /* unit and digits of its amounts, set by view_rows_make */
};

static inline bool page_is_diff(const struct view_page *page) {
  return page->in->side == WEB_DIFF;
}

/* Returns the number by which recorded values of a side are divided, to show means of runs. */
double page_runs(const struct view_page *page, enum web_side side);

/* Returns a parameter of the URL, or "" if it is absent. */
static inline const char *page_parameter(const struct view_page *page, const char *name) {
  return web_query_get(page->in->query, name);
}

/* Finds the index of the displayed sample type. False without a profile (after an invalid
 * request) and for an unknown type. */
bool page_type(const struct view_page *page, size_t *index);

/* Writes a value of the displayed profile in the unit of the page. */
void page_write_value(const struct view_page *page, struct output *out, int64_t value);

/* Writes a mean of runs in the unit of the page. */
void page_write_mean(const struct view_page *page, struct output *out, double value);

/* ---- reports ----------------------------------------- */

/* A report without a format: the views write its graph themselves. */
struct view_report {
  struct report report;
  pprofc_report_options options;
  struct graph graph; /* set by view_report_graph */
  bool has_graph;
};

/* Runs the pipeline on the profile with the options of the page. The caller closes the report,
 * also after an error. */
pprofc_status view_report_open(struct view_report *v, struct view_page *page,
                               const pprofc_profile *profile,
                               const struct pipeline_overrides *overrides, pprofc_error *error);
/* Builds the graph (flags PIPELINE_*) and sets the unit of the page. */
pprofc_status view_report_graph(struct view_report *v, unsigned wanted, pprofc_error *error);
void view_report_close(struct view_report *v);

/* Sets the totals and the description of the report for the frame. */
void page_note_report(struct view_page *page, const struct view_report *v);

/* Runs a report of the command line into a buffer, for a view that parses its text. */
pprofc_status page_report_text(struct view_page *page, const pprofc_report_options *options,
                               struct buffer *text, pprofc_error *error);

/* Writes the functions with the largest cost, each with a link that unfolds it in the view. */
pprofc_status page_function_list(struct view_page *page, struct output *out, pprofc_error *error);

/* ---- rows -------------------------------------------- */

struct view_rows {
  struct view_row *items;
  size_t count;
};

/* Makes a row for each node of the graph, in its order; in a difference with the values of
 * base and head, matched by name. Row i is node graph.shown[i]. Rows live in the arena of the
 * page. */
pprofc_status view_rows_make(struct view_rows *rows, struct view_page *page,
                             const struct view_report *v, pprofc_error *error);

/* Finds the selected function among the rows, for the inspector. */
void view_rows_select(const struct view_rows *rows, struct view_page *page);

/* Writes the attributes of a function for the script: its name and values, and in a difference both
 * sides and the verdicts. `report` is NULL for a row of a difference. */
void view_row_attributes(struct output *out, const struct view_page *page,
                         const struct report *report, const struct view_row *row);

/* ---- differences ------------------------------------- */

/* Chooses unit and digits of the amounts of the rows, which are in `unit`. */
void page_set_grid(struct view_page *page, const struct view_rows *rows, pprofc_str unit);

/* Write an amount of a difference, and a change with its sign. */
void page_amount(struct output *out, const struct view_page *page, double value);
void page_amount_change(struct output *out, const struct view_page *page,
                        const struct view_sides *sides);

/* Writes "grew: +3.05s ±0.46s"; nothing for a row without a verdict. */
void page_verdict_text(struct output *out, const struct view_page *page, const struct view_row *row,
                       bool by_cum);

/* Write the table of a difference. `id` is an attribute of the table, or "". */
void page_difference_open(struct output *out, const struct view_page *page, const char *id);
void page_difference_row(struct output *out, const struct view_page *page,
                         const struct view_row *row, bool by_cum);
void page_difference_close(struct output *out, bool empty);

/* Writes the sentence about the difference, and lines that unfold: runs, noise, the common factor;
 * or the reason why there are no verdicts. */
void page_sentence(struct output *out, const struct view_page *page);

/* Returns the direction of the recorded change: "grew", "shrank", "new", "gone", "same". */
const char *page_status(const struct view_row *row, bool by_cum);

/* ---- links ------------------------------------------- */

/* Writes ` href="..."` of another view. It keeps filters and selection, and applies the
 * changes. */
void page_link(struct output *out, const struct view_page *page, const char *view,
               const struct web_change *changes, size_t count);

/* Writes <a href="VIEW?f=^name$&sel=name" data-name=name>name</a>. */
void page_name_link(struct output *out, const struct view_page *page, const char *view,
                    pprofc_str name, pprofc_str shown);

/* ---- parts of the document --------------------------- */

void document_bar(const struct view_page *page, struct output *out);
void document_options_menu(const struct view_page *page, struct output *out);
void document_more_menu(const struct view_page *page, struct output *out);
void document_pills(const struct view_page *page, struct output *out);
void document_inspector(const struct view_page *page, struct output *out);
void document_dialogs(const struct view_page *page, struct output *out);

/* Writes the shell command that prints the data of the view. */
void document_command(const struct view_page *page, struct output *out);

/* Writes hidden form fields for the parameters of the URL, except those in `without`, which
 * ends with NULL. */
void document_hidden_fields(const struct view_page *page, struct output *out,
                            const char *const *without);

/* ---- bodies ------------------------------------------ */

pprofc_status view_flame(struct view_page *, struct output *, pprofc_error *);

/* Writes preload tags into the head of the view Flame: the browser then fetches data and
 * viewer in parallel. */
void view_flame_preload(const struct view_page *page, struct output *out);
pprofc_status view_top(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_graph(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_peek(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_source(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_disasm(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_tags(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_compare(struct view_page *, struct output *, pprofc_error *);

#endif
