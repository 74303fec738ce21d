/* Creates the HTML page of leaks: a table of all rows with charts, and flame graphs of the growth.
 */
#include "leaks/command.h"

#include "page/model.h"
#include "page/numbers.h"
#include "page/plot.h"

#define PAGE_WIDTH  480 /* width of a chart in pixels */
#define PAGE_HEIGHT 140
#define PAGE_NAME   24    /* maximum length in bytes of a profile's name below a chart */
#define PAGE_FRAMES 200   /* maximum number of frames that the page shows of a stack */
#define P_LEAST     1e-99 /* smallest p-value that is printed */

struct leaks_page {
  struct fill *fill;
  const struct leaks *leaks;
  const bool *drawn; /* for each profile type: true if the page has a flame graph of this type */
};

static const struct {
  const char *css, *mark, *count; /* for a verdict: CSS class, sign, and word after a count */
} page_words[LEAK_VERDICTS] = {
    [LEAK_LEAK] = {"worse", "\xE2\x9C\x97", "leak"},
    [LEAK_GROWS] = {"doubt", "?", "frees most"},
    [LEAK_STOPPED] = {"same", "=", "stopped"},
    [LEAK_SAWTOOTH] = {"same", "=", "sawtooth"},
};

static void page_value(struct fill *f, const char *name, double value, pprofc_str unit, bool sign) {
  char text[LEAKS_VALUE];
  leaks_value(value, unit, sign, text);
  fill_words(f, name, text);
}

/* Appends "= 0.0012" or "< 1e-99". */
static void page_p(struct buffer *out, double p) {
  if (p < P_LEAST)
    buffer_printf(out, "< %g", P_LEAST);
  else
    buffer_printf(out, "= %.2g", p);
}

static double page_grew(const struct leak_row *row) {
  return row->proved ? (double)NAN : row->last - row->first;
}

static void page_number(struct fill *f, double number) {
  if (isfinite(number)) buffer_printf(fill_text(f, "data-value"), "%.17g", number);
}

/* Adds a cell of the table: a value, and the number by which the column is sorted. */
static void page_cell(struct fill *f, double value, pprofc_str unit, bool sign) {
  fill_begin(f, "cells");
  page_number(f, value);
  page_value(f, "text", value, unit, sign);
  fill_end(f);
}

/* Appends the link to the flame graph of a profile type. The graph opens on the same page. */
static void page_graph(struct buffer *out, const struct leak_kind *kind) {
  buffer_add_text(out, "#flame/");
  escape_url(out, kind->stacks.source.kind, "");
  buffer_add_text(out, ".html");
}

static void page_frame(struct fill *f, const struct leak_frame *frame) {
  fill_str(f, "function", frame->function);
  struct buffer *place = fill_text(f, "place");
  if (!frame->file.size) return;
  buffer_add_str(place, str_path_base(frame->file));
  if (frame->line > 0) buffer_printf(place, ":%lld", (long long)frame->line);
}

static const struct leak_row *page_first(const struct leaks *leaks, const struct leak_kind **kind) {
  for (size_t k = 0; k < leaks->kind_count; k++) {
    *kind = &leaks->kinds[k];
    if ((*kind)->row_count && (*kind)->rows[0].fit.verdict == LEAK_LEAK) return (*kind)->rows;
  }
  return NULL;
}

/* Adds the first leak and its p-value to the sentence at the top of the page. */
static void page_put_leak(struct fill *f, const struct leaks *leaks) {
  const struct leak_kind *kind;
  const struct leak_row *row = page_first(leaks, &kind);
  if (!row) return;
  pprofc_str unit = kind->stacks.source.unit;
  fill_begin(f, "leak");
  if (leaks->leaks > 1) fill_number(f, "more", (int64_t)leaks->leaks);
  fill_pack(f, "first_function:S first_kind:S", row->where->function, kind->stacks.source.kind);
  page_value(f, "to", row->last, unit, false);
  if (row->proved) {
    fill_flag(f, "proof", true);
  } else {
    page_value(f, "from", row->first, unit, false);
    page_value(f, "each", row->per_interval, unit, true);
    if (isfinite(leaks_per_hour(kind, row)))
      page_value(f, "rate", leaks_per_hour(kind, row), unit, true);
    fill_number(f, "tested", (int64_t)kind->tested);
    page_p(fill_text(f, "p"), row->fit.adjusted);
    buffer_printf(fill_text(f, "alpha"), "%.3g", leaks->options.alpha);
    struct buffer *kept = fill_text(f, "kept");
    if (isfinite(row->fit.kept)) number_share(kept, fmin(row->fit.kept, 1));
  }
  fill_end(f);
}

static void page_put_tally(struct fill *f, const struct leaks *leaks, const size_t *shown) {
  size_t steady = 0;
  for (size_t k = 0; k < leaks->kind_count; k++) steady += leaks->kinds[k].counts[LEAK_STEADY];
  for (int i = LEAK_VERDICTS - 1; i >= 0; i--) {
    if (!page_words[i].css && i != LEAK_STEADY) continue;
    size_t count = i == LEAK_STEADY ? steady : shown[i];
    fill_pack(f, "tally:{css:s count:i", count && page_words[i].css ? page_words[i].css : "none",
              (int64_t)count);
    fill_pack(f, "word:s}", page_words[i].css ? page_words[i].count : "steady");
  }
}

/* Adds a line about a profile type below the sentence at the top of the page. */
static void page_put_kind(struct fill *f, const struct leak_kind *kind) {
  struct output *out = mem_array(f->mem, 1, sizeof *out);
  fill_begin(f, "kinds");
  output_init(out, buffer_write, fill_text(f, "line"));
  leaks_put_kind(kind, out);
  (void)output_flush(out, NULL);
  f->text.size -= str_ends(buffer_str(&f->text), STR("\n"));
  fill_end(f);
  mem_free(f->mem, out, 1, sizeof *out);
}

static void leaks_page_head(struct fill *f, const struct leaks *leaks, const size_t *shown) {
  enum run_verdict found = leaks->judged ? RUN_PASSED : RUN_INCONCLUSIVE;
  if (leaks->leaks) found = RUN_REGRESSED;
  plot_put_style(f);
  fill_pack(f, "result:s sign:s judged:b needed:i", verdict_class(found), verdict_sign(found),
            leaks->judged > 0, (int64_t)LEAK_MIN);
  page_put_leak(f, leaks);
  page_put_tally(f, leaks, shown);
  for (size_t k = 0; k < leaks->kind_count; k++) page_put_kind(f, &leaks->kinds[k]);
}

static void page_put_chart(struct fill *f, const struct leak_kind *kind,
                           const struct leak_row *row) {
  pprofc_str unit = kind->stacks.source.unit;
  if (kind->judged < 2 || !kind->t) return;
  struct plot plot = {.out = f,
                      .values = row->values,
                      .times = kind->t,
                      .count = kind->judged,
                      .last_place = kind->t[kind->judged - 1]};
  fill_begin(f, "chart");
  plot_place(&plot, PAGE_WIDTH, 0, PAGE_HEIGHT);
  plot_axis(&plot);
  plot_dots(&plot);
  struct buffer *path = plot_begin_line(&plot, "level");
  for (size_t i = 0; i < plot.count; i++)
    buffer_printf(path, "%c%.1f %.1f", i ? 'L' : 'M', plot_x(&plot, i),
                  plot_y(&plot, row->values[i]));
  fill_end(f);
  for (int last = 0; last < 2; last++) {
    char text[LEAKS_VALUE];
    leaks_value(last ? plot.high : plot.low, unit, false, text);
    buffer_add_text(plot_begin_tick(&plot, last == 1), text);
    fill_end(f);
    const char *name = kind->names[kind->left_out + (last ? kind->judged - 1 : 0)];
    buffer_add_str(plot_begin_end(&plot, last == 1),
                   utf8_prefix(str_path_base(str_of(name)), PAGE_NAME));
    fill_end(f);
  }
  fill_pack(f, "values:i}", (int64_t)kind->judged);
}

static void page_put_stack(struct fill *f, const struct leak_kind *kind,
                           const struct leak_stack *stack) {
  size_t count = 0;
  for (size_t i = 0; i < stack->depth; i++) {
    const struct leak_place *place = &kind->stacks.places[stack->places[i]];
    for (size_t k = 0; k < place->count && count < PAGE_FRAMES; k++, count++) {
      fill_begin(f, "frames");
      page_frame(f, &place->frames[k]);
      fill_end(f);
    }
  }
}

static void page_put_cells(struct fill *f, const struct leak_kind *kind,
                           const struct leak_row *row) {
  pprofc_str unit = kind->stacks.source.unit;
  page_cell(f, row->last, unit, false);
  page_cell(f, page_grew(row), unit, true);
  page_cell(f, row->per_interval, unit, true);
  page_cell(f, leaks_per_hour(kind, row), unit, true);
  fill_begin(f, "cells");
  page_number(f, row->fit.kept);
  struct buffer *text = fill_text(f, "text");
  if (isfinite(row->fit.kept))
    number_share(text, fmin(row->fit.kept, 1));
  else
    buffer_add_char(text, '-');
  fill_pack(f, "} cells:{");
  bool tested = !row->proved && row->fit.verdict >= LEAK_GROWS;
  if (tested) page_number(f, row->fit.adjusted);
  text = fill_text(f, "text");
  if (tested)
    page_p(text, row->fit.adjusted);
  else
    buffer_add_text(text, row->proved ? "proved" : "-");
  fill_end(f);
}

static void page_put_row(const struct leaks_page *page, size_t k, const struct leak_row *row,
                         size_t number) {
  struct fill *f = page->fill;
  const struct leak_kind *kind = &page->leaks->kinds[k];
  fill_pack(f, "rows:{number:i css:s mark:s verdict:s kind_rank:i rank:i kind:S", (int64_t)number,
            page_words[row->fit.verdict].css, page_words[row->fit.verdict].mark,
            leak_verdict_name(row->fit.verdict), (int64_t)k, (int64_t)row->fit.verdict,
            kind->stacks.source.kind);
  page_frame(f, row->where);
  if (row->is_site) fill_number(f, "stacks", (int64_t)row->stacks);
  fill_pack(f, "proved:b troughs:b", row->proved, row->fit.of_troughs);
  page_put_cells(f, kind, row);
  page_value(f, "grew", page_grew(row), kind->stacks.source.unit, true);
  bool shown = page->drawn[k] && row->fit.verdict == LEAK_LEAK;
  struct buffer *address = fill_text(f, "data-shows");
  if (shown) page_graph(address, kind);
  address = fill_text(f, "address");
  if (shown) {
    page_graph(address, kind);
    buffer_add_text(address, "&search=");
    escape_url(address, row->where->function, "");
  }
  page_put_chart(f, kind, row);
  fill_begin(f, "callers");
  page_put_stack(f, kind, row->stack);
  fill_end(f);
  if (row->caller) {
    fill_begin(f, "caller");
    page_frame(f, row->caller);
    fill_end(f);
  }
  fill_end(f);
}

/* Adds the rows in the order of the text table. */
static void page_put_rows(const struct leaks_page *page, size_t top) {
  size_t number = 0;
  for (int verdict = LEAK_VERDICTS - 1; verdict >= 0; verdict--)
    for (size_t k = 0; k < page->leaks->kind_count; k++)
      for (size_t i = 0; i < page->leaks->kinds[k].row_count; i++) {
        const struct leak_row *row = &page->leaks->kinds[k].rows[i];
        if ((int)row->fit.verdict != verdict || !leaks_is_shown(row)) continue;
        if (number++ < top) page_put_row(page, k, row, number);
      }
  fill_flag(page->fill, "filled", number > 0);
  if (number > top) fill_number(page->fill, "left_out", (int64_t)(number - top));
}

/* Adds the flame graph of a profile type that leaks. Sets *drawn to true if the graph was added. */
static void page_put_graph(struct fill *f, const struct leak_kind *kind, bool *drawn) {
  struct buffer address = ci_buffer();
  struct arena arena = ci_arena();
  pprofc_str packed;
  *drawn = false;
  if (!kind->row_count || kind->rows[0].fit.verdict != LEAK_LEAK) return;
  page_graph(&address, kind);
  leaks_draw_growth(kind, &arena, &packed);
  *drawn = graphs_put(f, buffer_str(&address), packed);
  buffer_free(&address);
  arena_free(&arena);
}

extern const unsigned char asset_bench_js[];
extern const size_t asset_bench_js_size;
extern const char asset_bench_js_sha256[];

/* Script that sorts the table. */
static const struct page_script page_script = {asset_bench_js, &asset_bench_js_size,
                                               asset_bench_js_sha256};

static void page_count(const struct leaks *leaks, size_t shown[LEAK_VERDICTS]) {
  for (size_t i = 0; i < LEAK_VERDICTS; i++) shown[i] = 0;
  for (size_t k = 0; k < leaks->kind_count; k++)
    for (size_t i = 0; i < leaks->kinds[k].row_count; i++)
      shown[leaks->kinds[k].rows[i].fit.verdict]++;
}

static void page_put_scripts(struct fill *f, bool graphs) {
  if (graphs) {
    graphs_put_style(fill_html(f, "graph_style"));
    graphs_put_scripts(f, false);
  }
  graphs_put_script(f, &page_script);
}

void leaks_print_page(const struct leaks *leaks, size_t top, struct buffer *out) {
  size_t shown[LEAK_VERDICTS];
  bool graphs = false, *drawn = mem_array(out->mem, leaks->kind_count, sizeof *drawn);
  struct fill fill = fill_make(out->mem);
  page_count(leaks, shown);
  leaks_page_head(&fill, leaks, shown);
  for (size_t k = 0; k < leaks->kind_count; k++) {
    page_put_graph(&fill, &leaks->kinds[k], &drawn[k]);
    graphs |= drawn[k];
  }
  page_put_rows(&(struct leaks_page){&fill, leaks, drawn}, top);
  page_put_scripts(&fill, graphs);
  template_put(out, plot_template(), "leaks", &fill);
  fill_free(&fill);
  mem_free(out->mem, drawn, leaks->kind_count, sizeof *drawn);
}
