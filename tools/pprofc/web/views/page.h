/* Declares types that all views share: the page, its report, its rows. */
#ifndef PPROFC_WEB_VIEWS_PAGE_H
#define PPROFC_WEB_VIEWS_PAGE_H

#include "core/fill.h"
#include "core/map.h"
#include "core/output.h"
#include "report/labels.h"
#include "verdict/amount.h"
#include "web/judge.h"
#include "web/views/html.h"
#include "web/views/views.h"

/* A function (or line, file, address) on the page, with both sides of a difference. */
struct view_row {
  pprofc_str name;     /* name as printed by -top */
  pprofc_str function; /* name for selection and search: the name of the function, or else `name` */
  pprofc_str file;     /* source file of the function; "" if unknown */
  int64_t line;
  int64_t flat, cum; /* values of the displayed profile: in a difference, the change */
  struct view_sides {
    double base, head; /* recorded values; over several runs their means */
  } self, total;
  enum inline_mark inlined;
  bool unscaled; /* true if `self` and `total` are not in the unit of the verdicts, "per second" */
  const pprofc_verdict_row *verdict; /* verdict on the function, which lives as long as the page;
                                        NULL if there is no verdict */
};

/* Totals of the part of the profile that a view shows. */
struct view_totals {
  bool known;
  bool has_shown;       /* true if `shown` and the following fields are set */
  int64_t total, shown; /* total of the displayed profile, and sum of the shown rows */
  int64_t kept;         /* value of the samples that the filters leave */
  size_t nodes, nodes_before, dropped_nodes;
};

struct view_page {
  const struct web_view *view;
  const struct web_view_input *in;
  const pprofc_allocator *mem;
  struct arena arena;
  struct fill fill;              /* values for the templates in views.html */
  pprofc_report_options options; /* options of the request; their warnings are shown on the page */
  const char **warnings;
  size_t warning_count, warning_capacity;
  bool failed; /* true when out of memory */

  /* Results of the view, for the page around it. */
  struct view_totals totals;
  pprofc_str unit;          /* unit of the displayed values; "" until known */
  pprofc_str argument;      /* regular expression of peek, list and disasm */
  struct view_row selected; /* selected function; its name is "" if nothing is selected */
  bool selected_found;
  struct judgement judgement; /* verdicts on a difference, set by view_rows_make */
  struct amount_grid grid; /* unit and digits of the amounts of verdicts, set by view_rows_make */
};

static inline bool page_is_diff(const struct view_page *page) {
  return page->in->side == WEB_DIFF;
}

/* Returns the number by which recorded values of a side are divided, to show means of runs, or
 * amounts per second. */
double page_divisor(const struct view_page *page, enum web_side side);

/* Returns a parameter of the URL, or "" if it is absent. */
static inline const char *page_parameter(const struct view_page *page, const char *name) {
  return web_query_get(page->in->query, name);
}

/* Finds the index of the displayed sample type. False without a profile (after an invalid
 * request) and for an unknown type. */
bool page_type(const struct view_page *page, size_t *index);

/* Appends a part of views.html with the values of the page. */
void page_put(const struct view_page *page, struct buffer *out, const char *part);

/* Set a value of a template: an amount of the displayed profile or a mean of runs, in the unit of
 * the page; a value of a report; a share, "12.34%". */
void page_fill_shown(struct view_page *page, const char *name, int64_t value);
void page_fill_mean(struct view_page *page, const char *name, double value);
void page_fill_value(struct view_page *page, const char *name, const struct report *report,
                     int64_t value);
void page_fill_share(struct view_page *page, const char *name, int64_t value, int64_t total);

/* ---- reports ----------------------------------------- */

/* A report without a format, whose graph the views write themselves. */
struct view_report {
  struct report report;
  pprofc_report_options options;
  struct graph graph; /* graph of the report, set by view_report_graph */
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

/* Sets the totals and the lines that describe the report, for the frame. */
void page_note_report(struct view_page *page, const struct view_report *v);

/* Runs a report of the command line into a buffer, for a view that parses its text. */
pprofc_status page_report_text(struct view_page *page, const pprofc_report_options *options,
                               struct buffer *text, pprofc_error *error);

/* Writes the functions with the largest cost, each with a link that unfolds it in the view. */
pprofc_status page_function_list(struct view_page *page, struct buffer *out, pprofc_error *error);

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

/* Returns the row of a node, without base and head. */
struct view_row view_row_of_node(const struct graph *g, uint32_t node);

/* Set the values of two parts of the template: "row", the data of a function for the script (name,
 * values, in a difference both sides and the verdicts; `report` is NULL there), and "name", its
 * name as a link. */
void view_row_fill(struct view_page *page, const struct report *report, const struct view_row *row);
void page_fill_name(struct view_page *page, const struct view_row *row);

/* ---- differences ------------------------------------- */

/* Chooses unit and digits of the amounts of the rows, which are in `unit`. */
void page_set_grid(struct view_page *page, const struct view_rows *rows, pprofc_str unit);

/* Set the value `name` to an amount of a difference, or to a change with its sign. */
void page_amount(struct view_page *page, const char *name, double value);
void page_amount_change(struct view_page *page, const char *name, const struct view_sides *sides);

/* Sets an arrow and the change in percent of the base. */
void page_change(struct view_page *page, double base, double head);

/* Sets "grew: +3.05s ±0.46s"; nothing for a row without a verdict. */
void page_verdict(struct view_page *page, const char *name, const struct view_row *row,
                  bool by_cum);

/* Set the values of the parts that show a difference: the head of its table, the cells that a row
 * of another table also has ("change-cells"), and a whole row ("difference"). */
void page_difference_head(struct view_page *page);
void page_difference_cells(struct view_page *page, const struct view_row *row, bool by_cum);
void page_difference_row(struct view_page *page, const struct view_row *row, bool by_cum);

/* Sets the sentence about the difference, and lines that unfold: runs, noise, the common factor;
 * or the reason why there are no verdicts. */
void page_sentence(struct view_page *page);

/* Returns the direction of the recorded change: "grew", "shrank", "new", "gone", "same". */
const char *page_status(const struct view_row *row, bool by_cum);

/* ---- links ------------------------------------------- */

/* Sets the URL of a view. It keeps filters and selection, and applies the changes. */
void page_link(struct view_page *page, const char *name, const char *view,
               const struct web_change *changes, size_t count);

/* Sets `address` to this view with another value of a parameter. */
void page_change_link(struct view_page *page, const char *parameter, pprofc_str value);

/* Sets `address` to VIEW?f=^name$&sel=name, and `name` to the shown name. */
void page_name_link(struct view_page *page, const char *view, pprofc_str name, pprofc_str shown);

/* Sets `shown` and `count` if not all are shown. */
void page_cut(struct view_page *page, size_t shown, size_t count);

/* Sets "10 of 20" with a link to all rows if not all are shown, the section "more". */
void page_more(struct view_page *page, size_t shown, size_t count);

/* ---- parts of the document --------------------------- */

/* Writes the document around a view. */
void document_frame(struct view_page *page, pprofc_str body, struct output *out);

void document_options_menu(struct view_page *page);
void document_more_menu(struct view_page *page);
void document_pills(struct view_page *page);
void document_inspector(struct view_page *page);

/* Appends the shell command that prints the data of the view. */
void document_command(const struct view_page *page, struct buffer *out);

/* Lists hidden form fields for the parameters of the URL, except those in `without`, which
 * ends with NULL. */
void document_hidden_fields(struct view_page *page, const char *list, const char *const *without);

/* ---- bodies ------------------------------------------ */

pprofc_status view_flame(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_top(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_graph(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_peek(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_source(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_disasm(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_tags(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_compare(struct view_page *, struct buffer *, pprofc_error *);

#endif
