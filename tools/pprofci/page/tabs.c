/* Adds the tabs of a pair of profiles. The tabs are radio buttons and need no script. */
#include "page/html.h"

#include "page/numbers.h"

#define ROWS_MOST 15 /* maximum number of rows of a table */
/* Limit of the size of a page in bytes. Above this limit, a pair of profiles gets links instead of
 * pictures and tables. */
#define PAGE_MOST    ((size_t)1200 << 10)
#define VALUE_MARKUP 24 /* average number of bytes of HTML for a value in a table */

/* A tab: base, head or the difference. */
struct tab {
  const struct page_model *model;
  const struct run_pair *pair;
  struct function_list *functions;
  const char *name; /* name of the artifacts that the tab shows */
  int side;         /* side that the tab shows: SIDE_BASE or SIDE_HEAD; SIDES: the difference */
  double height;
  bool open;
};

/* True if the page is still below its size limit, so pictures and tables may be added. */
static bool tabs_has_room(const struct fill *f) {
  return f->text.size + f->count * VALUE_MARKUP < PAGE_MOST;
}

static void begin_function(struct fill *f, const struct tab *t, pprofc_str name, pprofc_str file,
                           int64_t line) {
  fill_begin(f, "functions");
  html_flame(fill_text(f, "address"), t->model, t->pair, t->name, name);
  html_function(f, name);
  html_place(f, file, line);
}

static void put_part(struct fill *f, const char *name, double value, double total) {
  struct buffer *out = fill_text(f, name);
  if (total > 0) number_share(out, value / total);
}

/* Adds the values of base and head, the difference ("+62 ns") and the change in percent. The colour
 * is strong if the self cost of the function changed beyond noise. It is pale if all functions
 * changed by the same factor. */
static void put_difference(struct fill *f, double base, double head, pprofc_str unit,
                           const struct change *change) {
  const char *css = head > base ? "worse" : "better";
  if (!change || !change->certain) css = "noise";
  if (change && change->certain && !change->changed)
    css = head > base ? "worse shared" : "better shared";
  number_profile(fill_text(f, "base"), base, unit);
  number_profile(fill_text(f, "head"), head, unit);
  fill_words(f, "css", css);
  number_difference(fill_text(f, "difference"), head - base, unit);
  struct buffer *percent = fill_text(f, "change");
  if (base == 0 && head == 0)
    buffer_add_text(percent, DASH);
  else if (base == 0)
    buffer_add_text(percent, "new");
  else if (head == 0)
    buffer_add_text(percent, "gone");
  else
    number_percent(percent, (head - base) / base);
}

/* Adds the verdict, half the width of the growth's 95 % interval, and the function to or from which
 * cost moved. */
static void put_function_verdict(struct fill *f, const struct change *change, pprofc_str unit) {
  struct buffer *half = fill_text(f, "half");
  if (isfinite(change->low) && isfinite(change->high))
    number_profile(half, (change->high - change->low) / 2, unit);
  fill_words(f, "verdict", change->verdict);
  if (change->partner) {
    fill_begin(f, "partner");
    html_function(f, str_of(change->partner));
    fill_end(f);
  }
  fill_pack(f, "inside:s code:s", change->inside, compared_words[change->code]);
}

/* Adds the functions with their verdicts. Changed functions are first. */
static void put_verdict_rows(struct fill *f, const struct tab *t) {
  const struct pair_verdicts *v = &t->pair->comparisons[0];
  pprofc_str unit = str_of(v->unit);
  fill_pack(f, "judged:b has_code:b", true, v->has_code);
  for (size_t i = 0; i < v->row_count && (i < ROWS_MOST || v->rows[i].changed); i++) {
    const struct change *change = &v->rows[i];
    begin_function(f, t, str_of(change->name), str_of(change->file), change->line);
    put_difference(f, change->base, change->head, unit, change);
    put_function_verdict(f, change, unit);
    fill_end(f);
  }
}

/* Adds the functions of a pair of profiles that was not judged. */
static void put_difference_rows(struct fill *f, const struct tab *t) {
  const struct function_list *list = t->functions;
  for (size_t i = 0; i < list->count && i < ROWS_MOST; i++) {
    const struct function_values *row = &list->rows[i];
    if (row->flat[SIDE_BASE] == row->flat[SIDE_HEAD]) break;
    begin_function(f, t, row->name, row->file, row->line);
    put_difference(f, row->flat[SIDE_BASE], row->flat[SIDE_HEAD], list->unit, NULL);
    fill_end(f);
  }
}

static void put_side_rows(struct fill *f, const struct tab *t) {
  const struct function_list *list = t->functions;
  fill_flag(f, "one_side", true);
  for (size_t i = 0; i < list->count && i < ROWS_MOST; i++) {
    const struct function_values *row = &list->rows[i];
    if (row->flat[t->side] == 0) break;
    begin_function(f, t, row->name, row->file, row->line);
    number_profile(fill_text(f, "self"), row->flat[t->side], list->unit);
    put_part(f, "self_share", row->flat[t->side], list->total[t->side]);
    number_profile(fill_text(f, "total"), row->cum[t->side], list->unit);
    put_part(f, "total_share", row->cum[t->side], list->total[t->side]);
    fill_end(f);
  }
}

/* Returns the verdicts that the table of the tab shows, or NULL. */
static const struct pair_verdicts *tab_verdicts(const struct tab *t) {
  const struct pair_verdicts *v = t->pair->comparison_count ? t->pair->comparisons : NULL;
  return v && t->side == SIDES && v->row_count ? v : NULL;
}

/* Appends the totals in the unit of the rows: "18.4 ns → 167 ns". */
static void put_totals(struct buffer *out, const struct tab *t) {
  const struct pair_verdicts *v = tab_verdicts(t);
  const struct function_list *f = t->functions;
  pprofc_str unit = v ? str_of(v->unit) : f->unit;
  buffer_add_text(out, "; in all ");
  if (t->side != SIDE_HEAD)
    number_profile(out, v ? v->summary.total_base : f->total[SIDE_BASE], unit);
  if (t->side == SIDES) buffer_add_text(out, " " ARROW " ");
  if (t->side != SIDE_BASE)
    number_profile(out, v ? v->summary.total_head : f->total[SIDE_HEAD], unit);
  if (v && v->summary.exposure == PPROFC_EXPOSURE_TIME) buffer_add_text(out, " per second");
}

/* Appends a caption such as "cpu: self cost of functions, for one operation; 5 + 5 runs". */
static void put_table_caption(struct buffer *out, const struct tab *t) {
  const struct pair_verdicts *v = t->pair->comparison_count ? t->pair->comparisons : NULL;
  buffer_add_str(out, t->functions->type);
  buffer_add_text(out, t->side == SIDES ? ": self cost of functions" : " of functions");
  if (t->pair->iterations > 0) buffer_add_text(out, ", for one operation");
  put_totals(out, t);
  if (!v || t->side != SIDES) return;
  buffer_printf(out, "; %zu + %zu runs", v->summary.base_runs, v->summary.head_runs);
  if (v->weak) buffer_add_text(out, ": verdicts from one run of each version are weak");
  if (*v->note) buffer_add_text(out, ". ");
  buffer_add_text(out, v->note);
}

static void put_functions(struct fill *f, const struct tab *t) {
  static const enum function_order orders[SIDES + 1] = {BY_BASE, BY_HEAD, BY_CHANGE};
  if (!t->functions->count) return;
  functions_sort(t->functions, orders[t->side]);
  fill_begin(f, "table");
  put_table_caption(fill_text(f, "caption"), t);
  if (t->side != SIDES)
    put_side_rows(f, t);
  else if (tab_verdicts(t))
    put_verdict_rows(f, t);
  else
    put_difference_rows(f, t);
  fill_end(f);
}

/* Adds the address of the flame graph that opens in the tabs, and the path of the file that
 * contains the graph. In report.html, the path is empty. */
static void tabs_put_place(struct fill *f, const struct page_model *m,
                           const struct run_pair *pair) {
  struct buffer *out = fill_text(f, "data-shows");
  bool loads = !m->one_file && pair->graph_file;
  if (loads) buffer_add_char(out, '#');
  if (loads || m->one_file) html_flame(out, m, pair, html_shown(pair), STR(""));
  out = fill_text(f, "data-file");
  if (loads) escape_url(out, str_of(pair->graph_file), "/");
}

/* Adds a tab. The difference is selected; without a difference, the only tab is selected. */
static void put_tab(struct fill *f, const struct tab *t) {
  static const char *const titles[SIDES + 1] = {"Base", "Head", "Diff"};
  fill_pack(f, "tabs:{side:i tab:s value:s name:s chosen:b opened:b", (int64_t)t->side,
            titles[t->side], t->side == SIDES ? "diff" : side_names[t->side], t->name,
            t->name == html_shown(t->pair), t->open);
  if (t->side == SIDES && t->pair->comparison_count)
    fill_words(f, "sentence", t->pair->comparisons[0].sentence);
  if (tabs_has_room(f))
    html_picture(f, &t->pair->pictures[t->pair->diff ? t->side : SIDES], t->height);
  put_functions(f, t);
  html_links(f, t->model, t->pair, t->name);
  fill_end(f);
}

/* Returns the common height of the pictures, at most `most` pixels. */
static double common_height(const struct run_pair *pair, unsigned most) {
  double height = 0;
  for (int side = 0; side <= SIDES; side++)
    if (pair->pictures[side].frames.size)
      height = fmax(height, pair->pictures[side].part.height + 1);
  return most && height > most ? most : height;
}

void tabs_fill(struct fill *f, const struct page_model *m, const struct run_pair *pair,
               unsigned height, bool open) {
  struct function_list functions;
  struct tab tab = {m, pair, &functions, NULL, 0, common_height(pair, height), open};
  bool judged = pair->comparison_count && !pair->comparisons[0].weak;
  if (tabs_has_room(f))
    functions_read(m->run, pair, &functions);
  else
    functions_init(&functions);
  fill_pack(f, "kind:s shown:s", pair->kind, html_shown(pair));
  tabs_put_place(f, m, pair);
  fill_number(f, "pair", pair - m->run->pairs);
  if (pair->diff) fill_words(f, "key", judged ? "noise, not judged or unchanged" : "unchanged");
  for (tab.side = 0; tab.side <= SIDES; tab.side++) {
    tab.name = tab.side == SIDES ? pair->diff : pair->names[tab.side];
    if (tab.name) put_tab(f, &tab);
  }
  arena_free(&functions.arena);
}
