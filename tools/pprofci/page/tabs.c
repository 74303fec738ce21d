/* Writes the tabs of a pair of profiles. They are radio buttons, so they need no script. */
#include "page/tabs.h"

#include "page/functions.h"
#include "page/html.h"
#include "page/numbers.h"

#include <math.h>

#define ROWS_MOST 15 /* rows of a table */
#define PAGE_MOST                                                                                  \
  ((size_t)1200 << 10) /* bytes of a page above which pictures and tables                          \
                          become links */

/* One tab: base, head or the difference. */
struct tab {
  const struct page_model *model;
  const struct run_pair *pair;
  struct function_list *functions;
  const char *name; /* name of the files about the pair */
  int side;         /* SIDES means the difference */
  double height;
  bool open;
};

/* ---- cells ------------------------------------------- */

static void put_function_name(struct buffer *out, const struct tab *t, pprofc_str name,
                              pprofc_str file, int64_t line) {
  buffer_add_text(out, "<tr><th scope=\"row\"><a href=\"");
  html_flame(out, t->model, t->pair, t->name, name);
  buffer_add_text(out, "\"><code>");
  html_function(out, name);
  buffer_add_text(out, "</code></a>");
  html_place(out, file, line);
  buffer_add_text(out, "</th>");
}

static void tabs_put_value(struct buffer *out, double value, pprofc_str unit) {
  buffer_add_text(out, "<td>");
  number_profile(out, value, unit);
  buffer_add_text(out, "</td>");
}

static void put_part(struct buffer *out, double value, double total) {
  buffer_add_text(out, "<td>");
  if (total > 0) number_share(out, value / total);
  buffer_add_text(out, "</td>");
}

/* Writes "+62 ns" and the share of the base. It is coloured if it exceeds noise, and pale if
 * all functions share the change. */
static void put_difference(struct buffer *out, double base, double head, pprofc_str unit,
                           const struct change *change) {
  const char *name = head > base ? "worse" : "better";
  if (!change || !change->certain) name = "noise";
  if (change && change->certain && !change->changed)
    name = head > base ? "worse shared" : "better shared";
  buffer_printf(out, "<td class=\"%s\">", name);
  number_difference(out, head - base, unit);
  buffer_printf(out, "</td><td class=\"%s\">", name);
  if (base == 0 && head == 0)
    buffer_add_text(out, DASH);
  else if (base == 0)
    buffer_add_text(out, "new");
  else if (head == 0)
    buffer_add_text(out, "gone");
  else
    number_percent(out, (head - base) / base);
  buffer_add_text(out, "</td>");
}

/* ---- tables ------------------------------------------ */

static void put_heads(struct buffer *out, const char *const *titles, size_t count) {
  buffer_add_text(out, "<thead><tr>");
  for (size_t i = 0; i < count; i++)
    buffer_printf(out, "<th scope=\"col\"%s>%s</th>",
                  strcmp(titles[i], "Certain?") == 0 || strcmp(titles[i], "Code") == 0
                      ? " class=\"word\""
                      : "",
                  titles[i]);
  buffer_add_text(out, "</tr></thead>\n<tbody>\n");
}

/* Writes half the width of the interval, the verdict and the other function of a move. */
static void put_verdict_cells(struct buffer *out, const struct change *change, pprofc_str unit) {
  buffer_add_text(out, "<td>");
  if (isfinite(change->low) && isfinite(change->high))
    number_profile(out, (change->high - change->low) / 2, unit);
  buffer_add_text(out, "</td><td class=\"word\">");
  html_words(out, change->verdict);
  if (change->partner) {
    buffer_add_text(out, " <span class=\"place\">");
    html_function(out, str_of(change->partner));
    buffer_add_text(out, "</span>");
  }
  if (change->inside) {
    buffer_add_text(out, " inside<details class=\"place\"><summary>functions</summary>");
    html_text(out, str_of(change->inside));
    buffer_add_text(out, "</details>");
  }
  buffer_add_text(out, "</td>");
}

static void put_code_cell(struct buffer *out, const struct change *change) {
  buffer_add_text(out, "<td class=\"word\">");
  html_words(out, change->code);
  buffer_add_text(out, "</td>");
}

/* Writes the functions with their verdicts: first the changed ones. */
static void put_verdict_rows(struct buffer *out, const struct tab *t) {
  static const char *const titles[] = {"Function",       "Base",     "Head",     "Change",
                                       "Change" PERCENT, "\xC2\xB1", "Certain?", "Code"};
  const struct pair_verdicts *v = &t->pair->comparisons[0];
  pprofc_str unit = str_of(v->unit);
  put_heads(out, titles, sizeof titles / sizeof *titles - !v->has_code);
  for (size_t i = 0; i < v->row_count && (i < ROWS_MOST || v->rows[i].changed); i++) {
    const struct change *change = &v->rows[i];
    put_function_name(out, t, str_of(change->name), str_of(change->file), change->line);
    tabs_put_value(out, change->base, unit);
    tabs_put_value(out, change->head, unit);
    put_difference(out, change->base, change->head, unit, change);
    put_verdict_cells(out, change, unit);
    if (v->has_code) put_code_cell(out, change);
    buffer_add_text(out, "</tr>\n");
  }
}

/* Writes the functions of a pair that was not judged. */
static void put_difference_rows(struct buffer *out, const struct tab *t) {
  static const char *const titles[] = {"Function", "Base", "Head", "Change", "Change" PERCENT};
  const struct function_list *f = t->functions;
  put_heads(out, titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < f->count && i < ROWS_MOST; i++) {
    const struct function_values *row = &f->rows[i];
    if (row->flat[SIDE_BASE] == row->flat[SIDE_HEAD]) break;
    put_function_name(out, t, row->name, row->file, row->line);
    tabs_put_value(out, row->flat[SIDE_BASE], f->unit);
    tabs_put_value(out, row->flat[SIDE_HEAD], f->unit);
    put_difference(out, row->flat[SIDE_BASE], row->flat[SIDE_HEAD], f->unit, NULL);
    buffer_add_text(out, "</tr>\n");
  }
}

static void put_side_rows(struct buffer *out, const struct tab *t) {
  static const char *const titles[] = {"Function", "Self", "Self" PERCENT, "With calls",
                                       "With calls" PERCENT};
  const struct function_list *f = t->functions;
  put_heads(out, titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < f->count && i < ROWS_MOST; i++) {
    const struct function_values *row = &f->rows[i];
    if (row->flat[t->side] == 0) break;
    put_function_name(out, t, row->name, row->file, row->line);
    tabs_put_value(out, row->flat[t->side], f->unit);
    put_part(out, row->flat[t->side], f->total[t->side]);
    tabs_put_value(out, row->cum[t->side], f->unit);
    put_part(out, row->cum[t->side], f->total[t->side]);
    buffer_add_text(out, "</tr>\n");
  }
}

/* Writes the totals: "18.4 ns → 167 ns". */
static void put_totals(struct buffer *out, const struct tab *t) {
  const struct function_list *f = t->functions;
  buffer_add_text(out, "; in all ");
  if (t->side != SIDE_HEAD) number_profile(out, f->total[SIDE_BASE], f->unit);
  if (t->side == SIDES) buffer_add_text(out, " " ARROW " ");
  if (t->side != SIDE_BASE) number_profile(out, f->total[SIDE_HEAD], f->unit);
}

/* Writes "cpu of functions by themselves, for one operation; 5 + 5 runs". */
static void put_table_caption(struct buffer *out, const struct tab *t) {
  const struct pair_verdicts *v = t->pair->comparison_count ? t->pair->comparisons : NULL;
  buffer_add_text(out, "<caption>");
  html_text(out, t->functions->type);
  buffer_add_text(out, t->side == SIDES ? " of functions by themselves" : " of functions");
  if (t->pair->iterations > 0) buffer_add_text(out, ", for one operation");
  put_totals(out, t);
  if (v && t->side == SIDES) {
    buffer_printf(out, "; %zu + %zu runs", v->runs[SIDE_BASE], v->runs[SIDE_HEAD]);
    if (v->weak) buffer_add_text(out, ": verdicts of one run a side are weak");
    if (*v->note) {
      buffer_add_text(out, ". ");
      html_words(out, v->note);
    }
  }
  buffer_add_text(out, "</caption>\n");
}

static void put_difference_table(struct buffer *out, const struct tab *t) {
  if (t->pair->comparison_count && t->pair->comparisons[0].row_count)
    put_verdict_rows(out, t);
  else
    put_difference_rows(out, t);
}

static void put_functions(struct buffer *out, const struct tab *t) {
  static const enum function_order orders[SIDES + 1] = {BY_BASE, BY_HEAD, BY_CHANGE};
  if (!t->functions->count) return;
  functions_sort(t->functions, orders[t->side]);
  buffer_add_text(out, "<div class=\"scroll\" tabindex=\"0\"><table class=\"units functions\">");
  put_table_caption(out, t);
  if (t->side == SIDES)
    put_difference_table(out, t);
  else
    put_side_rows(out, t);
  buffer_add_text(out, "</tbody></table></div>\n");
}

/* ---- tabs -------------------------------------------- */

static void put_panel(struct buffer *out, const struct tab *t) {
  pprofc_str picture = t->pair->pictures[t->pair->diff ? t->side : SIDES];
  buffer_add_text(out, "<div class=\"panel\">\n");
  if (t->side == SIDES && t->pair->comparison_count) {
    buffer_add_text(out, "<p class=\"sentence\">");
    html_words(out, t->pair->comparisons[0].sentence);
    buffer_add_text(out, "</p>\n");
  }
  if (out->size < PAGE_MOST) html_picture(out, t->model, t->pair, t->name, picture, t->height);
  buffer_printf(out, "<details%s><summary>functions and files</summary>\n", t->open ? " open" : "");
  put_functions(out, t);
  html_links(out, t->model, t->pair, t->name);
  buffer_add_text(out, "</details>\n</div>\n");
}

static const char *tab_name(const struct run_pair *pair, int side) {
  return side == SIDES ? pair->diff : pair->names[side];
}

/* Writes the buttons; the difference or the only side is selected. */
static void put_buttons(struct buffer *out, const struct run_pair *pair, size_t number) {
  static const char *const titles[SIDES + 1] = {"Base", "Head", "Diff"};
  for (int side = 0; side <= SIDES; side++) {
    const char *name = tab_name(pair, side);
    if (!name) continue;
    buffer_printf(out,
                  "<input type=\"radio\" name=\"tab-%zu\" id=\"tab-%zu-%d\"%s><label "
                  "for=\"tab-%zu-%d\">%s</label>\n",
                  number, number, side, name == html_shown(pair) ? " checked" : "", number, side,
                  titles[side]);
  }
  if (!pair->diff) return;
  bool judged = pair->comparison_count && !pair->comparisons[0].weak;
  buffer_add_text(out, "<span class=\"key\">\xE2\x96\xB2 orange: more than base " DOT
                       " \xE2\x96\xBC blue: less " DOT " grey: ");
  buffer_add_text(out, judged ? "noise, not judged or unchanged</span>" : "unchanged</span>");
}

/* Returns the common height of all pictures: the highest one, limited to `most`. */
static double common_height(const struct run_pair *pair, unsigned most) {
  double height = 0;
  for (int side = 0; side <= SIDES; side++)
    height = fmax(height, html_picture_height(pair->pictures[side]));
  return most && height > most ? most : height;
}

void tabs_print(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                unsigned height, bool open) {
  struct function_list functions;
  double shown = common_height(pair, height);
  if (out->size < PAGE_MOST)
    functions_read(m->run, pair, &functions);
  else
    functions_init(m->run, &functions);
  buffer_printf(out, "<div class=\"tabs\" role=\"group\" aria-label=\"%s profile, ", pair->kind);
  html_words(out, html_shown(pair));
  buffer_add_text(out, "\">\n");
  put_buttons(out, pair, (size_t)(pair - m->run->pairs));
  for (int side = 0; side <= SIDES; side++) {
    const struct tab tab = {m, pair, &functions, tab_name(pair, side), side, shown, open};
    if (tab.name) put_panel(out, &tab);
  }
  buffer_add_text(out, "</div>\n");
  functions_free(&functions);
}
