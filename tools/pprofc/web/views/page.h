/* Declares the types that all views share: the page, its report and its rows. */
#ifndef PPROFC_WEB_VIEWS_PAGE_H
#define PPROFC_WEB_VIEWS_PAGE_H

#include "core/template.h"
#include "noise/noise.h"
#include "report/report.h"
#include "web/views/views.h"

/* A row of a table: a function, line, file or address. A row of a difference has the values of base
 * and head. */
struct view_row {
  pprofc_str name; /* name as in -top */
  /* name of the function that a click selects; equal to `name` if the node has no function */
  pprofc_str function;
  pprofc_str file;   /* source file of the function; "" if unknown */
  int64_t line;      /* 0: unknown; negative: the smallest line of the samples of the function */
  int64_t flat, cum; /* self and total in the displayed profile; in a difference, the changes */
  struct view_sides {
    double base, head; /* recorded values of base and head; with several runs, their means */
  } self, total;
  enum inline_mark inlined;
  /* true if the page shows no amounts in this row: `self` and `total` are recorded values, but the
   * verdicts compare values divided by operations, time or the total */
  bool unscaled;
  const pprofc_verdict_row *verdict; /* verdict of the page on the function, or NULL */
};

/* Totals of the displayed profile and of the rows of the view. */
struct view_totals {
  bool known;
  bool has_shown;       /* true if `shown` and the fields below it are valid */
  int64_t total, shown; /* total of the profile, and sum of the rows in the view */
  int64_t kept;         /* sum of the values of the samples that pass the filters */
  size_t nodes, nodes_before, dropped_nodes;
  size_t samples; /* number of samples that pass the filters */
};

struct view_page {
  const struct web_view *view;
  const struct web_view_input *in;
  const pprofc_allocator *mem;
  struct arena arena;
  struct fill fill;              /* values for the templates of views.html */
  pprofc_report_options options; /* options of the request; the page shows their warnings */
  const char **warnings;
  size_t warning_count, warning_capacity;
  bool failed; /* true when out of memory */

  /* totals of the view, which the page around the view shows */
  struct view_totals totals;
  pprofc_str unit;          /* unit of the displayed values; "" while it is unknown */
  pprofc_str argument;      /* expression for the functions that Peek, Source and Disassembly show:
                               the selected function, or else the focus; never NULL */
  struct view_row selected; /* selected function; its name is "" if no function is selected */
  bool selected_found;
  struct noise_report judgement; /* verdicts on a difference, set by view_rows_open */
  struct amount_grid grid; /* unit and digits of the verdicts' values, set by view_rows_open */
};

/* Returns the head with the values that the difference has, scaled by -normalize. */
static inline const pprofc_profile *page_compared_head(const struct view_page *page) {
  return page->in->scaled ? page->in->scaled : page->in->head;
}

static inline bool page_is_diff(const struct view_page *page) {
  return page->in->side == WEB_DIFF;
}

/* Returns the number by which the page divides the values of head, base or difference. The divided
 * values are means of runs, or values per second. */
double page_divisor(const struct view_page *page, enum web_side side);

/* Returns a parameter of the URL, or "" if the parameter is absent. */
static inline const char *page_parameter(const struct view_page *page, const char *name) {
  return web_query_get(page->in->query, name);
}

/* Returns an option as text. Returns NULL for an unknown option. When out of memory, also returns
 * NULL, and sets page->failed. */
const char *page_option(struct view_page *page, const pprofc_report_options *options,
                        const char *name);

/* Finds the index of the displayed sample type. Returns false for an unknown type. Also returns
 * false if there is no profile, which happens after an invalid request. */
bool page_type(const struct view_page *page, size_t *index);

/* These functions append the section `part` of the template views.html. page_put uses the values in
 * page->fill. */
void page_fill(struct buffer *out, const char *part, const struct fill *fill);
void page_put(const struct view_page *page, struct buffer *out, const char *part);

/* These functions set the value `name` of a template to a value of the profile, a mean of runs, a
 * value in the unit of `report`, or a share such as "12.34%". page_fill_shown and page_fill_mean
 * use the unit of the page. */
void page_fill_shown(struct view_page *page, const char *name, int64_t value);
void page_fill_mean(struct view_page *page, const char *name, double value);
void page_fill_value(struct view_page *page, const char *name, const struct report *report,
                     int64_t value);
void page_fill_share(struct view_page *page, const char *name, int64_t value, int64_t total);

/* Sets the values "name" and "types": the name of a profile, and its sample types. */
void page_fill_choice(struct view_page *page, const struct web_choice *choice);

/* ---- reports ----------------------------------------- */

/* A report whose graph the view prints. The report itself prints no text. */
struct view_report {
  struct report report;
  pprofc_report_options options;
  struct graph graph; /* graph, created by view_report_graph */
  bool has_graph;
};

/* Starts a report with the page's options. The caller closes it, even after an error. */
pprofc_status view_report_open(struct view_report *v, struct view_page *page,
                               const pprofc_profile *profile,
                               const struct pipeline_overrides *overrides, pprofc_error *error);
/* Creates the graph and sets the unit of the page. `wanted` is a set of PIPELINE_* flags. */
pprofc_status view_report_graph(struct view_report *v, unsigned wanted, pprofc_error *error);
void view_report_close(struct view_report *v);

/* Sets the totals of the page and the lines that describe the report. */
void page_note_report(struct view_page *page, const struct view_report *v);

#define LISTED_FUNCTIONS 50  /* number of functions that page_function_list shows, as in pprof */
#define TOP_ROWS         500 /* number of rows that Top shows, as in pprof */

/* Writes a list of the functions with the largest cost. A click shows the function in the view. */
pprofc_status page_function_list(struct view_page *page, struct buffer *out, pprofc_error *error);

/* Sets page->selected to a row for the whole selected function, for views whose rows are lines. */
pprofc_status page_select_function(struct view_page *page, pprofc_error *error);

/* ---- rows -------------------------------------------- */

struct view_rows {
  struct view_row *items;
  size_t count;
};

/* Opens a report on the profile of the page. Creates a row for each node of the report's graph, in
 * the order of graph.shown. In a difference, finds the values of base and head by the node's name.
 * Stores the row of the selected function for the inspector. */
pprofc_status view_rows_open(struct view_rows *rows, struct view_report *v, struct view_page *page,
                             const struct pipeline_overrides *overrides, unsigned wanted,
                             pprofc_error *error);

/* Returns the row of a node, without base and head. */
struct view_row view_row_of_node(const struct graph *g, uint32_t node);

/* Sets `name` to the line of a row, unless the line is unknown. */
void view_row_fill_line(struct view_page *page, const struct view_row *row, const char *name);

/* These functions set the template's section "row", which the script reads. view_row_fill sets the
 * name and values of a row. view_row_fill_sides sets the name, the values of base and head, and the
 * verdict. page_fill_name sets "name" to a link with the name of the row. */
void view_row_fill(struct view_page *page, const struct report *report, const struct view_row *row);
void view_row_fill_sides(struct view_page *page, const struct view_row *row);
void page_fill_name(struct view_page *page, const struct view_row *row);

/* ---- differences ------------------------------------- */

/* Judges the difference with these options, and stores the verdicts in page->judgement. */
pprofc_status page_judge(struct view_page *page, const pprofc_report_options *options,
                         pprofc_error *error);

/* Chooses unit and digits of the rows' values. Verdicts on shares have the unit "%". */
void page_set_grid(struct view_page *page, const struct view_rows *rows);

/* Both functions set the value `name` of a template: page_amount to a value of a difference, and
 * page_amount_change to a change with its sign. */
void page_amount(struct view_page *page, const char *name, double value);
void page_amount_change(struct view_page *page, const char *name, const struct view_sides *sides);

/* Sets an arrow and the change as a percentage of the base. */
void page_change(struct view_page *page, double base, double head);

/* Sets `name` to a verdict such as "grew: +3.05s ±0.46s", or to "" if the row has no verdict. */
void page_verdict(struct view_page *page, const char *name, const struct view_row *row,
                  bool by_cum);

/* page_difference_head sets the column titles of the table of a difference. page_difference_row
 * sets a whole row ("difference"). page_difference_cells sets only the amounts and the verdict of a
 * row ("change-cells"). */
void page_difference_head(struct view_page *page);
void page_difference_cells(struct view_page *page, const struct view_row *row, bool by_cum);
void page_difference_row(struct view_page *page, const struct view_row *row, bool by_cum);

/* Sets the sentence about the difference, and details: the runs, the noise, and the factor by which
 * all functions changed together. Without verdicts, sets the reason why there are no verdicts. */
void page_sentence(struct view_page *page);

/* Returns the direction of the recorded change: "grew", "shrank", "new", "gone" or "same". */
const char *page_status(const struct view_row *row, bool by_cum);

/* ---- links ------------------------------------------- */

/* Sets the value `name` of a template to the URL of a view. The URL keeps filters and selection,
 * and applies the changes. */
void page_link(struct view_page *page, const char *name, const char *view,
               const struct web_change *changes, size_t count);

/* Sets `address` to the URL of this view with a new value of one parameter. */
void page_change_link(struct view_page *page, const char *parameter, pprofc_str value);

/* Sets the template's value `address` to the link VIEW?sel=NAME, with the current filters. Sets the
 * template's value `name` to the text `shown`. */
void page_name_link(struct view_page *page, const char *view, pprofc_str name, pprofc_str shown);

/* Sets the values `shown` and `count` of the template if the page shows only `shown` of `count`
 * rows. */
void page_cut(struct view_page *page, size_t shown, size_t count);

/* Sets the section "more" if the page omits rows: "10 of 20", with a link to all rows. */
void page_more(struct view_page *page, size_t shown, size_t count);

/* ---- text of the page -------------------------------- */

void document_recordings(struct view_page *page);
void document_options_menu(struct view_page *page);
void document_more_menu(struct view_page *page);
void document_pills(struct view_page *page);
void document_inspector(struct view_page *page);

/* Appends a shell command that prints the data of the view. */
void document_command(struct view_page *page, struct buffer *out);

/* Lists the URL's parameters as hidden fields, except the names in `without` (ends with NULL). */
void document_hidden_fields(struct view_page *page, const char *list, const char *const *without);

/* ---- contents of the views --------------------------- */

pprofc_status view_flame(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_top(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_graph(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_peek(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_source(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_disasm(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_tags(struct view_page *, struct buffer *, pprofc_error *);
pprofc_status view_compare(struct view_page *, struct buffer *, pprofc_error *);

/* html_mean_text formats a mean. Rounds it, unless it is a count below 1000. html_value_text
 * formats a value in the unit of the report. `text` is a buffer of UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Appends the text, right-aligned in `width` columns. */
void html_right(struct buffer *out, pprofc_str text, size_t width);

/* Appends the change from base to head: "-93%". Appends "new" if base is 0, and nothing if base and
 * head are equal. */
void html_relative(struct buffer *out, double base, double head);

/* Returns the CSS class for `part` as a share of `whole`: "h0" to "h4". Adds " less" if `part` is
 * negative. */
const char *html_heat(double part, double whole);

/* Appends the expression `^name$`. If `out` already has an expression, appends it after a '|', as
 * pprof does. */
void html_exact_expression(struct buffer *out, pprofc_str name);

/* Writes the start of a box's link: "<a" and attributes with the name and values of the box.
 * `number` is 1 for the box that dot names "N1". */
typedef void (*svg_box_fn)(void *context, struct buffer *out, size_t number);

/* Copies the picture without its prologue, comments, ids and size. Turns each box into a link. In a
 * difference, green and red become blue and orange, which are the colours of the other views. */
void svg_write(struct buffer *out, pprofc_str svg, bool difference, svg_box_fn box, void *context);

#endif
