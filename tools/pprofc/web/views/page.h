/* What the views share: the page that is being made, its report, its rows. */
#ifndef PPROFC_WEB_VIEWS_PAGE_H
#define PPROFC_WEB_VIEWS_PAGE_H

#include "core/map.h"
#include "report/labels.h"
#include "web/judge.h"
#include "web/views/html.h"
#include "web/views/views.h"

/* A function (or line, file, address) that the page shows, with both sides of a difference. */
struct view_row {
  pprofc_str name;     /* as -top prints it */
  pprofc_str function; /* what is selected and searched for: the function, else the name */
  pprofc_str file;     /* "" when it is not known */
  int64_t line;
  int64_t flat, cum; /* of the profile that is shown: the change, in a difference */
  int64_t base_flat, base_cum, head_flat, head_cum;
  enum inline_mark inlined;
  const pprofc_verdict_row *verdict; /* lives as long as the page; NULL: it was not judged */
};

/* How much of the profile a view shows. */
struct view_totals {
  bool known;
  bool has_shown;       /* `shown` and what follows are set */
  int64_t total, shown; /* of the profile that is shown */
  size_t nodes, nodes_before, dropped_nodes;
};

struct view_page {
  const struct web_view *view;
  const struct web_view_input *in;
  const pprofc_allocator *mem;
  struct arena arena;
  pprofc_report_options options; /* of the request; warnings go into the page */
  const char **warnings;
  size_t warning_count, warning_capacity;
  bool failed; /* out of memory */

  /* What the body found out; the frame around it shows it. */
  struct view_totals totals;
  pprofc_str unit;          /* that values are shown in; "" before */
  pprofc_str about;         /* HTML: the lines that describe the profile */
  pprofc_str argument;      /* the expression of peek, list and disasm */
  struct view_row selected; /* name "" when nothing is selected */
  bool selected_found;
  struct judgement judgement; /* of a difference, after view_rows_make */
};

static inline bool page_is_diff(const struct view_page *page) {
  return page->in->side == WEB_DIFF;
}

/* A parameter of the address; "" when absent. */
static inline const char *page_parameter(const struct view_page *page, const char *name) {
  return web_query_get(page->in->query, name);
}

/* The index of the sample type that is shown; false when there is no profile (the question was
 * wrong) or no such type. */
bool page_type(const struct view_page *page, size_t *index);

/* Writes a value of that type in the unit of the page. */
void page_write_value(const struct view_page *page, struct output *out, int64_t value);

/* ---- reports ----------------------------------------- */

/* A report without a format: the views print its graph themselves. */
struct view_report {
  struct report report;
  pprofc_report_options options;
  struct graph graph; /* after view_report_graph */
  bool has_graph;
};

/* Runs the pipeline on the profile with the options of the page. The report must be closed, also
 * after a failure. */
pprofc_status view_report_open(struct view_report *v, struct view_page *page,
                               const pprofc_profile *profile,
                               const struct pipeline_overrides *overrides, pprofc_error *error);
/* Builds the graph (flags PIPELINE_*) and takes over the unit of its values. */
pprofc_status view_report_graph(struct view_report *v, unsigned wanted, pprofc_error *error);
void view_report_close(struct view_report *v);

/* Notes for the frame what the report shows. */
void page_note_report(struct view_page *page, const struct view_report *v);

/* Runs a report of the command line into a buffer: for text that a view takes apart. */
pprofc_status page_report_text(struct view_page *page, const pprofc_report_options *options,
                               struct buffer *text, pprofc_error *error);

/* Writes the functions with the largest cost, each to be unfolded by the view. */
pprofc_status page_function_list(struct view_page *page, struct output *out, pprofc_error *error);

/* ---- rows -------------------------------------------- */

struct view_rows {
  struct view_row *items;
  size_t count;
};

/* The nodes of the graph in its order; in a difference with the values of base and head by name.
 * Row i is node graph.shown[i]. They live in the arena of the page. */
pprofc_status view_rows_make(struct view_rows *rows, struct view_page *page,
                             const struct view_report *v, pprofc_error *error);

/* Finds the selected function among the rows, for the inspector. */
void view_rows_select(const struct view_rows *rows, struct view_page *page);

/* Writes the attributes that the script reads of anything that stands for a function: its name and
 * its values, and in a difference what is said of them. */
void view_row_attributes(struct output *out, const struct view_page *page,
                         const struct report *report, const struct view_row *row, bool diff);

/* ---- verdicts ---------------------------------------- */

/* "+5.20% ±1.30%, grew" for a change of self or of the total; "" where nothing is said. */
void page_verdict_text(struct output *out, const struct view_page *page,
                       const pprofc_verdict_row *row, bool by_cum);

/* The cells with the interval and the verdict of a row. */
void page_verdict_cells(struct output *out, const struct view_page *page,
                        const pprofc_verdict_row *row, bool by_cum);

/* One line that unfolds: what the verdicts hold for, or why there are none. */
void page_verdict_note(struct output *out, const struct view_page *page);

/* What became of a function: "grew", "shrank", "new", "gone", "same". */
const char *view_row_status(const struct view_row *row, bool by_cum);

/* ---- links ------------------------------------------- */

/* Writes ` href="..."` of another view with filters and selection kept, and these changes. */
void page_link(struct output *out, const struct view_page *page, const char *view,
               const struct web_change *changes, size_t count);

/* <a href="VIEW?f=^name$&sel=name" data-name=name>name</a> */
void page_name_link(struct output *out, const struct view_page *page, const char *view,
                    pprofc_str name, pprofc_str shown);

/* ---- parts of the document --------------------------- */

void document_bar(const struct view_page *page, struct output *out);
void document_options_menu(const struct view_page *page, struct output *out);
void document_more_menu(const struct view_page *page, struct output *out);
void document_pills(const struct view_page *page, struct output *out);
void document_inspector(const struct view_page *page, struct output *out);
void document_dialogs(const struct view_page *page, struct output *out);

/* The line for a shell that prints what the view shows. */
void document_command(const struct view_page *page, struct output *out);

/* Fields that carry parameters of the address through a form; those in `without` (ended by NULL)
 * are left out. */
void document_hidden_fields(const struct view_page *page, struct output *out,
                            const char *const *without);

/* ---- bodies ------------------------------------------ */

pprofc_status view_flame(struct view_page *, struct output *, pprofc_error *);

/* For the head of the view Flame: the browser asks for the data and the viewer at once. */
void view_flame_preload(const struct view_page *page, struct output *out);
pprofc_status view_top(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_graph(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_peek(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_source(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_disasm(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_tags(struct view_page *, struct output *, pprofc_error *);
pprofc_status view_compare(struct view_page *, struct output *, pprofc_error *);

#endif
