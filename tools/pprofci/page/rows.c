/* Adds the rows of the page: first regressions with their reason, then uncertain results, then
 * collapsed lists of the other benchmarks. Adds the numbers of each benchmark. */
#include "page/html.h"
#include "page/numbers.h"

#define PICTURE_HEIGHT 180 /* height of a picture in a row, in pixels */

static const char *rows_change_class(const struct gate_row *row) {
  if (row->verdict == PPROFC_GATE_REGRESSED) return "worse";
  if (row->verdict == PPROFC_GATE_IMPROVED || row->verdict == PPROFC_GATE_SUSPICIOUS)
    return "better";
  return "noise";
}

const char *details_verdict(const struct benchmark *b, const struct gate_row *row) {
  /* The gate calls a row suspicious if its time is below half of the base time. The page calls the
   * row improved instead, unless the benchmark may have measured nothing. */
  if (row->verdict == PPROFC_GATE_SUSPICIOUS && b->state != STATE_BROKEN) return "improved";
  return gate_row_verdict(row);
}

static const char *unit_title(pprofc_str unit) {
  static const struct {
    const char *unit, *title;
  } titles[] = {{"sec/op", "time per op"},
                {"cpu-sec/op", "CPU time per op"},
                {"B/op", "allocated per op"},
                {"allocs/op", "allocations per op"},
                {"bytes-allocated", "allocated bytes"},
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
  fill_pack(f, "measures:{css:s number:i name:S unit:S", rows_change_class(row), (int64_t)b->number,
            b->name, title ? str_of(title) : row->unit);
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
  fill_pack(f, "verdict:s}", details_verdict(b, row));
}

static void put_measurements_of(struct fill *f, const struct page_model *m,
                                const struct benchmark *b) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  for (size_t i = 0; i < b->row_count; i++) put_measurement(f, b, &rows[b->rows[i]]);
}

void details_fill_pair(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                       unsigned height, bool open) {
  fill_pack(f, "pairs:{note:s", pair->note);
  html_because(f, m, pair);
  tabs_fill(f, m, pair, height, open);
  fill_end(f);
}

/* Adds all numbers of a benchmark, and its profiles except `shown`, which is visible already. */
static void details_fill(struct fill *f, const struct page_model *m, const struct benchmark *b,
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
  fill_pack(f, "all:{count:i by_name:b", (int64_t)count, true);
  for (size_t i = 0; i < m->count; i++) put_measurements_of(f, m, &m->benchmarks[i]);
  fill_end(f);
}

/* Maximum number of rows with uncertain results that are visible. If there are more, the page
 * collapses all of them. */
#define UNSURE_MOST 6
#define NAMED_MOST  3 /* maximum number of benchmark names in the heading of a collapsed table */

/* Appends the text of a tooltip: "p 0.0001, adjusted 0.0003, n 10+10, Welch, alpha 0.05". */
static void put_statistics(struct buffer *out, const struct benchmark *b,
                           const struct gate_row *row) {
  number_phrase(out, row);
  buffer_printf(out, "; %s", details_verdict(b, row));
  if (row->noise > 0) {
    buffer_add_text(out, "; swings by ");
    number_size(out, row->noise);
    buffer_add_text(out, " without a change");
  }
  if (row->constant)
    buffer_add_text(out, row->exact ? "; counted" : "; constant");
  else if (row->tested)
    buffer_printf(out, "; %s p %.2g, adjusted %.2g, alpha %.3g", row->test, row->p, row->adjusted,
                  row->alpha);
  if (row->base_count || row->head_count)
    buffer_printf(out, "; n %zu+%zu", row->base_count, row->head_count);
}

/* Adds "2.05 µs → 10.1 µs +392 % (+371 to +414)", or only the value if it did not change. */
static void put_metric(struct fill *f, const struct benchmark *b, const struct gate_row *row) {
  put_statistics(fill_text(f, "title"), b, row);
  if (row->in_base && row->in_head && row->base == row->head) {
    number_amount(fill_text(f, "only"), row->head, row->unit);
    return;
  }
  number_sides(fill_text(f, "sides"), row);
  fill_words(f, "css", rows_change_class(row));
  number_change(fill_text(f, "change"), row);
  struct buffer *interval = fill_text(f, "interval");
  if (row->verdict == PPROFC_GATE_REGRESSED && number_is_time(row->unit))
    number_interval(interval, row);
}

static void put_metrics(struct fill *f, const struct page_model *m, const struct benchmark *b) {
  for (int metric = 0; metric < METRICS; metric++) {
    if (!m->has_metric[metric]) continue;
    fill_pack(f, "metrics:{label:s", m->columns[metric].label);
    if (b->metrics[metric])
      put_metric(f, b, b->metrics[metric]);
    else
      fill_words(f, "only", DASH);
    fill_end(f);
  }
}

static void rows_put_rounds(struct fill *f, const struct page_model *m, const struct benchmark *b) {
  const struct gate_row *row = b->metrics[METRIC_TIME] ? b->metrics[METRIC_TIME] : b->worst;
  if (m->counted) {
    html_gauge(f, row);
    return;
  }
  struct run_samples base = model_samples(m, row, SIDE_BASE);
  struct run_samples head = model_samples(m, row, SIDE_HEAD);
  html_strip(f, &base, &head, row->unit);
}

static const struct {
  const char *sign, *css;
} state_marks[STATES] = {[STATE_SLOWER] = {"\xE2\x9C\x97", "worse"},
                         [STATE_MISSING] = {"\xE2\x88\x85", "doubt"},
                         [STATE_BROKEN] = {"!", "doubt"},
                         [STATE_UNSURE] = {"?", "noise"},
                         [STATE_FASTER] = {"\xE2\x96\xBC", "better"},
                         [STATE_ACCEPTED] = {"\xE2\x96\xB2", "noise"},
                         [STATE_NEW] = {"+", "noise"},
                         [STATE_UNCHANGED] = {"=", "noise"}};

/* Appends the smallest detectable change, and the number of rounds that would show a change as
 * large as the threshold. */
static void rows_put_noise(struct buffer *out, const struct gate_row *row) {
  buffer_add_text(out, "noise: ");
  if (isfinite(row->visible)) {
    buffer_add_text(out, "changes below ");
    number_size(out, row->visible);
    buffer_add_text(out, " could not be seen");
  } else {
    buffer_add_text(out, "no change could be seen");
  }
  if (!isfinite(row->needed)) return;
  buffer_printf(out, ", %.0f rounds would show ", row->needed);
  number_size(out, row->threshold);
}

/* Appends the reason why a benchmark could not be judged, in place of an interval. */
static void rows_put_doubt(struct buffer *out, const struct page_model *m,
                           const struct benchmark *b) {
  const struct gate_row *row = b->worst;
  if (b->state == STATE_MISSING) buffer_add_text(out, "missing in the head");
  if (b->state == STATE_BROKEN) buffer_add_text(out, "suspiciously fast: was anything measured?");
  if (b->state != STATE_UNSURE) return;
  const char *doubt = gate_doubt(&m->run->gate, row);
  if (doubt)
    buffer_add_text(out, doubt);
  else if (row->aside && m->run->gate.rows[row->judged].exact)
    buffer_add_text(out, "no more instructions: the machine or the memory system took longer");
  else if (row->significant && !row->aside)
    buffer_printf(out, "near the threshold of %.3g" PERCENT_FORMAT, 100 * row->threshold);
  else if (row->verdict == PPROFC_GATE_TOO_FEW)
    buffer_printf(out, "too few rounds: %zu and %zu", row->base_count, row->head_count);
  else
    rows_put_noise(out, row);
}

/* Adds the metrics that got worse but have no column. */
static void put_other_metrics(struct fill *f, const struct page_model *m,
                              const struct benchmark *b) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  for (size_t i = 0; i < b->row_count; i++) {
    const struct gate_row *row = &rows[b->rows[i]];
    bool column = false;
    for (int k = 0; k < METRICS; k++) column |= b->metrics[k] == row;
    if (column || row->verdict != PPROFC_GATE_REGRESSED) continue;
    fill_pack(f, "others:{unit:S", row->unit);
    number_sides(fill_text(f, "sides"), row);
    number_change(fill_text(f, "change"), row);
    fill_end(f);
  }
}

/* Adds the functions that grew, and the tabs with the flame graphs. */
static void put_reason(struct fill *f, const struct page_model *m, const struct run_pair *pair) {
  if (html_has_because(pair)) {
    fill_begin(f, "because");
    html_because(f, m, pair);
    fill_end(f);
  }
  fill_begin(f, "flame");
  tabs_fill(f, m, pair, PICTURE_HEIGHT, false);
  fill_end(f);
}

static void put_row(struct fill *f, const struct page_model *m, const struct benchmark *b) {
  const struct run_pair *shown = b->state == STATE_SLOWER ? model_pair(m, b) : NULL;
  fill_pack(f, "rows:{css:s mark:s number:i name:S", state_marks[b->state].css,
            state_marks[b->state].sign, (int64_t)b->number, b->name);
  if (!m->one_group) fill_str(f, "package", b->group);
  put_other_metrics(f, m, b);
  put_metrics(f, m, b);
  rows_put_rounds(f, m, b);
  if (shown) put_reason(f, m, shown);
  rows_put_doubt(fill_text(f, "doubt"), m, b);
  details_fill(f, m, b, shown);
  fill_end(f);
}

/* Returns the index of the first benchmark with the result `state`. Benchmarks with the same result
 * are adjacent. */
static size_t first_of(const struct page_model *m, enum page_state state) {
  size_t first = 0;
  for (int before = 0; before < (int)state; before++) first += m->states[before];
  return first;
}

static bool is_shown(const struct page_model *m, enum page_state state) {
  if (state == STATE_UNSURE) return m->states[STATE_UNSURE] <= UNSURE_MOST;
  return state < STATE_UNSURE;
}

static void rows_put_state(struct fill *f, const struct page_model *m, enum page_state state) {
  size_t first = first_of(m, state);
  for (size_t i = 0; i < m->states[state]; i++) put_row(f, m, &m->benchmarks[first + i]);
}

/* Adds a collapsed list: the line "3 faster (Title −12 %, ...)" and its rows. */
static void put_fold(struct fill *f, const struct page_model *m, enum page_state state) {
  size_t first = first_of(m, state), count = m->states[state];
  fill_pack(f, "folds:{css:s state:i count:i kind:s some:b more:b", state_marks[state].css,
            (int64_t)state, (int64_t)count, model_state_title(m, state), state != STATE_UNCHANGED,
            count > NAMED_MOST);
  for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[first + i];
    fill_pack(f, "names:{name:S", b->shown);
    if (state == STATE_FASTER) number_change(fill_text(f, "change"), b->worst);
    fill_end(f);
  }
  rows_put_state(f, m, state);
  fill_end(f);
}

static void put_head(struct fill *f, const struct page_model *m) {
  if (m->one_group) fill_str(f, "group", m->benchmarks[0].group);
  fill_flag(f, "counted", m->counted);
  int64_t columns = 2; /* one column for the names, and one for the rounds */
  for (int metric = 0; metric < METRICS; metric++) {
    if (!m->has_metric[metric]) continue;
    columns++;
    fill_pack(f, "columns:{column:s remark:s}", m->columns[metric].title,
              m->columns[metric].remark);
  }
  fill_number(f, "column-count", columns);
}

void rows_fill(struct fill *f, const struct page_model *m) {
  bool any = false;
  fill_begin(f, "benchmarks");
  put_head(f, m);
  for (int state = 0; state < STATES; state++) {
    if (!m->states[state] || !is_shown(m, (enum page_state)state)) continue;
    if (!any) fill_begin(f, "open");
    any = true;
    rows_put_state(f, m, (enum page_state)state);
  }
  if (any) fill_end(f);
  for (int state = 0; state < STATES; state++)
    if (m->states[state] && !is_shown(m, (enum page_state)state))
      put_fold(f, m, (enum page_state)state);
  fill_end(f);
}
