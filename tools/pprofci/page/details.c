/* Adds the numbers of each benchmark to the page: measurements, changes and verdicts. */
#include "page/parts.h"

#include "page/html.h"
#include "page/numbers.h"

#include <math.h>

#define PICTURE_HEIGHT 180

const char *details_change_class(const struct gate_row *row) {
  if (row->verdict == PPROFC_GATE_REGRESSED) return "worse";
  if (row->verdict == PPROFC_GATE_IMPROVED || row->verdict == PPROFC_GATE_SUSPICIOUS)
    return "better";
  return "noise";
}

const char *details_verdict(const struct benchmark *b, const struct gate_row *row) {
  /* The gate marks a benchmark as suspicious if its time fell below half of the base time. The page
   * repeats this mark only if the benchmark may have measured nothing. */
  if (row->verdict == PPROFC_GATE_SUSPICIOUS && b->state != STATE_BROKEN) return "improved";
  return gate_row_verdict(row);
}

/* Returns the title of a unit, or NULL. */
static const char *unit_title(pprofc_str unit) {
  static const struct {
    const char *unit, *title;
  } titles[] = {{"sec/op", "time per op"},
                {"cpu-sec/op", "CPU time per op"},
                {"B/op", "allocated per op"},
                {"allocs/op", "allocations per op"},
                {"cycles-estimated", "cycles, estimated"},
                {"L1-missed", "misses of first-level caches"},
                {"LL-missed", "accesses to memory"}};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (str_equal(unit, str_of(titles[i].unit))) return titles[i].title;
  return NULL;
}

static void put_side(struct fill *f, const char *name, bool there, double value, pprofc_str unit) {
  struct buffer *out = fill_text(f, name);
  if (there)
    number_amount(out, value, unit);
  else
    buffer_add_text(out, DASH);
}

static void put_measurement(struct fill *f, const struct benchmark *b, const struct gate_row *row) {
  const char *title = unit_title(row->unit);
  bool both = row->in_base && row->in_head && row->base != row->head;
  fill_begin(f, "measures");
  fill_words(f, "css", details_change_class(row));
  fill_number(f, "number", (int64_t)b->number);
  fill_str(f, "name", b->name);
  fill_str(f, "unit", title ? str_of(title) : row->unit);
  put_side(f, "base", row->in_base, row->base, row->unit);
  put_side(f, "head", row->in_head, row->head, row->unit);
  struct buffer *difference = fill_text(f, "difference");
  if (both) {
    buffer_add_text(difference, row->head < row->base ? MINUS : "+");
    number_amount(difference, fabs(row->head - row->base), row->unit);
  }
  number_change(fill_text(f, "change"), row);
  struct buffer *interval = fill_text(f, "interval");
  if (row->constant)
    buffer_add_text(interval, "exact");
  else
    number_interval(interval, row);
  struct buffer *p = fill_text(f, "p");
  if (row->tested && !row->constant) buffer_printf(p, "%.2g", row->adjusted);
  buffer_printf(fill_text(f, "rounds"), "%zu + %zu", row->base_count, row->head_count);
  fill_words(f, "verdict", details_verdict(b, row));
  fill_end(f);
}

static void put_measurements_of(struct fill *f, const struct page_model *m,
                                const struct benchmark *b) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  for (size_t i = 0; i < b->row_count; i++) put_measurement(f, b, &rows[b->rows[i]]);
}

void details_fill_pair(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                       unsigned height, bool open) {
  fill_begin(f, "pairs");
  fill_words(f, "note", pair->note);
  html_because(f, m, pair);
  tabs_fill(f, m, pair, height, open);
  fill_end(f);
}

void details_fill(struct fill *f, const struct page_model *m, const struct benchmark *b,
                  const struct run_pair *shown) {
  put_measurements_of(f, m, b);
  for (size_t i = 0; i < m->run->pair_count; i++) {
    const struct run_pair *pair = &m->run->pairs[i];
    if (model_is_of(pair, b) && pair != shown) details_fill_pair(f, m, pair, PICTURE_HEIGHT, false);
  }
}

void details_fill_all(struct fill *f, const struct page_model *m) {
  size_t count;
  gate_rows(&m->run->gate, &count);
  if (!m->count) return;
  fill_begin(f, "all");
  fill_number(f, "count", (int64_t)count);
  fill_flag(f, "by_name", true);
  for (size_t i = 0; i < m->count; i++) put_measurements_of(f, m, &m->benchmarks[i]);
  fill_end(f);
}
