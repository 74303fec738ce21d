/* Creates the model of a page from the results of the gate, which judges the benchmarks. */
#include "page/model.h"

#include "page/numbers.h"
#include "run/code.h"
#include "run/files.h"

/* Shortest plausible time in seconds, about the time of a few instructions. */
#define TOO_FAST 1e-9
/* Minimum number of benchmarks for the warning that the whole suite is suspiciously fast. */
#define SUITE_LEAST 3

/* True if the time is 0, or too short for real work. */
static bool is_broken_time(const struct gate_row *row) {
  if (row->verdict == PPROFC_GATE_UNMEASURED) return row->in_base && row->base > 0;
  if (row->verdict != PPROFC_GATE_SUSPICIOUS || !number_is_time(row->unit)) return false;
  return row->head < TOO_FAST;
}

static enum page_state state_of(const struct gate_row *row) {
  static const enum page_state states[] = {
      [PPROFC_GATE_UNCHANGED] = STATE_UNCHANGED,     [PPROFC_GATE_IMPROVED] = STATE_FASTER,
      [PPROFC_GATE_SUSPICIOUS] = STATE_FASTER,       [PPROFC_GATE_REGRESSED] = STATE_SLOWER,
      [PPROFC_GATE_INCONCLUSIVE] = STATE_UNSURE,     [PPROFC_GATE_TOO_FEW] = STATE_UNSURE,
      [PPROFC_GATE_MISSING] = STATE_MISSING,         [PPROFC_GATE_NEW] = STATE_NEW,
      [PPROFC_GATE_ACCEPTED] = STATE_ACCEPTED,       [PPROFC_GATE_IGNORED] = STATE_UNCHANGED,
      [PPROFC_GATE_INFORMATIONAL] = STATE_UNCHANGED, [PPROFC_GATE_UNMEASURED] = STATE_UNCHANGED,
      [PPROFC_GATE_ASIDE] = STATE_UNCHANGED};
  if (is_broken_time(row)) return STATE_BROKEN;
  /* The test of this unchanged row could have missed a change as large as the threshold. */
  if (row->verdict == PPROFC_GATE_UNCHANGED && row->unjudged) return STATE_UNSURE;
  return states[row->verdict];
}

static double log_ratio(const struct gate_row *row) {
  if (row->base > 0 && row->head > 0) return fabs(log(row->head / row->base));
  return row->base == row->head ? 0 : HUGE_VAL;
}

/* True if row `a` should represent the benchmark instead of its current row. Compares the results
 * first: the worse result wins. Then time and instructions win over other units. Last, the larger
 * change wins. */
static bool speaks_before(const struct gate_row *a, enum page_state state,
                          const struct benchmark *b) {
  if (!b->worst || state != b->state) return !b->worst || state < b->state;
  bool leads = number_leads(a->unit), other = number_leads(b->worst->unit);
  if (leads != other) return leads;
  return log_ratio(a) > b->size;
}

#define TIMED_COLUMNS(remark)                                                                      \
  {                                                                                                \
    [METRIC_TIME] = {"Time per op", "time per op", NULL, remark},                                  \
    [METRIC_BYTES] = {"Allocated", "allocated", "B/op", ""},                                       \
    [METRIC_ALLOCATIONS] = {"Allocations", "allocations", "allocs/op", ""},                        \
  }
static const struct metric_column timed_columns[METRICS] = TIMED_COLUMNS("");
static const struct metric_column rescaled_columns[METRICS] =
    TIMED_COLUMNS("divided by the speed of each round");

static const struct metric_column counted_columns[METRICS] = {
    {"Instructions", "instructions", NUMBER_INSTRUCTIONS, ""},
    {"Cycles", "cycles, estimated", "cycles-estimated", "estimated"},
    {"Memory accesses", "memory accesses", "LL-missed", ""}};

static int benchmark_metric(const struct page_model *m, pprofc_str unit) {
  int metric = 0;
  while (metric < METRICS) {
    const char *of = m->columns[metric].unit;
    if (of ? str_equal(unit, str_of(of)) : number_is_time(unit)) break;
    metric++;
  }
  return metric;
}

/* Chooses the columns of the page. If no benchmark was timed, chooses columns of counts. */
static void choose_columns(struct page_model *m, const struct gate_row *rows, size_t count) {
  bool timed = false, rescaled = false;
  for (size_t i = 0; i < count; i++) {
    timed |= number_is_time(rows[i].unit);
    rescaled |= rows[i].rescaled;
    m->counted |= str_equal(rows[i].unit, STR(NUMBER_INSTRUCTIONS));
  }
  m->counted &= !timed;
  m->columns = rescaled ? rescaled_columns : timed_columns;
  if (m->counted) m->columns = counted_columns;
}

static void benchmark_take(const struct page_model *m, struct benchmark *b,
                           const struct gate_row *row, size_t index) {
  enum page_state state = state_of(row);
  int metric = benchmark_metric(m, row->unit);
  b->rows[b->row_count++] = index;
  /* Wall time and CPU time share a column. The column shows the time that the gate judged. */
  if (metric < METRICS && (!b->metrics[metric] || b->metrics[metric]->verdict == PPROFC_GATE_ASIDE))
    b->metrics[metric] = row;
  if (!speaks_before(row, state, b)) return;
  b->state = state;
  b->worst = row;
  b->size = log_ratio(row);
}

/* Numbers the benchmarks in the order of their first rows. Sets numbers[i] to the index of the
 * benchmark of row i. Sets *found to the count of benchmarks. */
static void number_rows(struct ci_run *run, const struct gate_row *rows, size_t count,
                        uint32_t *numbers, size_t *found) {
  struct interner keys;
  struct buffer key = ci_buffer();
  interner_init(&keys, run->mem);
  for (size_t i = 0; i < count; i++) {
    buffer_clear(&key);
    buffer_add_str(&key, rows[i].group);
    buffer_add_char(&key, '\0');
    buffer_add_str(&key, rows[i].name);
    numbers[i] = interner_copy(&keys, &run->arena, buffer_str(&key));
  }
  *found = keys.count;
  buffer_free(&key);
  interner_free(&keys);
}

static int by_importance(const void *a, const void *b) {
  const struct benchmark *x = a, *y = b;
  if (x->state != y->state) return (int)x->state - (int)y->state;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

static void name_benchmarks(struct ci_run *run, struct page_model *m) {
  struct interner names;
  size_t *first = arena_array(&run->arena, m->count, sizeof *first);
  interner_init(&names, run->mem);
  for (size_t i = 0; i < m->count; i++) {
    struct benchmark *b = &m->benchmarks[i];
    size_t before = names.count, id = interner_add(&names, b->name);
    b->shown = b->name;
    if (names.count > before) {
      first[id] = i;
      continue;
    }
    struct benchmark *const both[] = {b, &m->benchmarks[first[id]]};
    for (size_t k = 0; k < 2; k++)
      both[k]->shown = str_of(
          text_printf(&run->arena, "%.*s (%.*s)", STR_ARG(both[k]->name), STR_ARG(both[k]->group)));
  }
  interner_free(&names);
}

static void make_benchmarks(struct ci_run *run, struct page_model *m) {
  size_t count;
  const struct gate_row *rows = gate_rows(&run->gate, &count);
  uint32_t *numbers = arena_array(&run->arena, count, sizeof *numbers);
  choose_columns(m, rows, count);
  number_rows(run, rows, count, numbers, &m->count);
  m->benchmarks = arena_zero_array(&run->arena, m->count, sizeof *m->benchmarks);
  size_t *space = arena_array(&run->arena, count, sizeof *space);
  for (size_t i = 0; i < count; i++) m->benchmarks[numbers[i]].row_count++;
  for (size_t i = 0; i < m->count; i++) {
    m->benchmarks[i].rows = space;
    space += m->benchmarks[i].row_count;
    m->benchmarks[i].row_count = 0;
    m->benchmarks[i].number = i;
  }
  for (size_t i = 0; i < count; i++) {
    struct benchmark *b = &m->benchmarks[numbers[i]];
    b->group = rows[i].group;
    b->name = rows[i].name;
    benchmark_take(m, b, &rows[i], i);
  }
  for (size_t i = 0; i < m->count; i++)
    for (int metric = 0; metric < METRICS; metric++)
      m->has_metric[metric] |= m->benchmarks[i].metrics[metric] != NULL;
  name_benchmarks(run, m);
  qsort(m->benchmarks, m->count, sizeof *m->benchmarks, by_importance);
  for (size_t i = 0; i < m->count; i++) {
    m->benchmarks[i].number = i + 1;
    m->states[m->benchmarks[i].state]++;
  }
}

/* Returns the word for the benchmarks of STATE_UNCHANGED: "unchanged", or "within the limits" if a
 * benchmark changed by more than noise but by less than the threshold or the floor. */
static const char *model_unchanged(const struct page_model *m) {
  for (size_t i = 0; i < m->count; i++) {
    const struct gate_row *row = m->benchmarks[i].worst;
    if (m->benchmarks[i].state == STATE_UNCHANGED && row->verdict == PPROFC_GATE_UNCHANGED &&
        (row->low > 0 || row->high < 0))
      return "within the limits";
  }
  return "unchanged";
}

static bool is_bad(enum run_verdict verdict) {
  return verdict == RUN_GATE_FAILED || verdict == RUN_REGRESSED || verdict == RUN_UNREAD;
}

const char *verdict_class(enum run_verdict verdict) {
  if (verdict == RUN_PASSED) return "good";
  return is_bad(verdict) ? "bad" : "doubt";
}

const char *verdict_sign(enum run_verdict verdict) {
  if (verdict == RUN_PASSED) return "\xE2\x9C\x93 ";
  return is_bad(verdict) ? "\xE2\x9C\x97 " : "? ";
}

/* True if most benchmarks take less than half of the base's time. */
static bool is_suite_suspicious(const struct page_model *m) {
  size_t suspicious = 0, compared = 0;
  for (size_t i = 0; i < m->count; i++) {
    const struct gate_row *time = m->benchmarks[i].metrics[METRIC_TIME];
    if (!time || !time->in_base || !time->in_head) continue;
    compared++;
    suspicious += time->verdict == PPROFC_GATE_SUSPICIOUS;
  }
  return suspicious >= SUITE_LEAST && 2 * suspicious > compared;
}

static bool is_one_group(const struct page_model *m) {
  for (size_t i = 0; i < m->count; i++)
    if (!str_equal(m->benchmarks[i].group, m->benchmarks[0].group)) return false;
  return m->count > 0;
}

static void headline_gate_failed(struct buffer *out, const struct page_model *m) {
  pprofc_str problem = buffer_str(&m->run->gate.problems);
  problem = str_slice(problem, 0, str_find_char(problem, '\n'));
  buffer_printf(out, "The %s could not be judged",
                m->run->options->fail_on_count && !problem.size ? "functions" : "benchmarks");
  if (problem.size) buffer_printf(out, ": %.*s", STR_ARG(problem));
  buffer_add_char(out, '.');
}

/* Returns "The self cost of " for a condition on one function without its callees. Returns "" for
 * any other condition, and for a group of functions. */
static const char *fired_extent(const struct run_fired *fired) {
  bool self = noise_condition_is_self(fired->condition) && !*fired->place;
  return self ? "The self cost of " : "";
}

/* Returns the function whose changed lines grew most, if -fail-on found it in the same pair of
 * profiles as `worst`. Else returns `worst`. */
static const struct run_fired *fired_by_change(const struct ci_run *run,
                                               const struct run_fired *worst) {
  const struct run_pair *pair = model_fired_pair(run, worst);
  if (!pair || !pair->hunk_count || !pair->hunks[0].certain) return worst;
  for (size_t i = 0; i < run->fired_count; i++)
    if (strcmp(run->fired[i].pair, worst->pair) == 0 &&
        strcmp(run->fired[i].change.name, pair->hunks[0].function) == 0)
      return &run->fired[i];
  return worst;
}

/* Returns the function that grew most among the functions that -fail-on found, or NULL. */
static const struct run_fired *model_fired(const struct ci_run *run) {
  const struct run_fired *worst = NULL;
  for (size_t i = 0; i < run->fired_count; i++)
    if (!worst || run->fired[i].change.delta > worst->change.delta) worst = &run->fired[i];
  return worst;
}

/* Appends "f grew by 120 ms in words_cpu" for a function that -fail-on found. Prefers the function
 * whose changed lines grew most to the function that grew most. */
static void headline_fired(struct buffer *out, const struct ci_run *run) {
  const struct run_fired *worst = fired_by_change(run, model_fired(run));
  buffer_printf(out, "%s%s grew by ", fired_extent(worst), worst->change.name);
  number_profile(out, worst->change.delta, str_of(worst->unit));
  buffer_printf(out, "%s in %s", worst->place, worst->pair);
  if (run->fired_count > 1) buffer_printf(out, ", and %zu more", run->fired_count - 1);
}

static void headline_slower(struct buffer *out, const struct page_model *m) {
  if (m->states[STATE_SLOWER])
    number_sentence(out, m->benchmarks[0].shown, m->benchmarks[0].worst);
  else if (m->run->fired_count)
    headline_fired(out, m->run);
  else
    buffer_printf(out, "The program executes more: %s", m->run->instructions);
  buffer_add_char(out, '.');
}

static void headline_not_compared(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, m->run->has_base ? "No benchmarks were compared."
                                        : "Nothing was compared: no base.");
}

static void headline_missing(struct buffer *out, const struct page_model *m) {
  const struct benchmark *b = &m->benchmarks[0];
  buffer_printf(out, "%.*s is missing in the head", STR_ARG(b->shown));
  if (m->states[STATE_MISSING] > 1)
    buffer_printf(out, ", and %zu more", m->states[STATE_MISSING] - 1);
  buffer_add_char(out, '.');
}

static void headline_broken(struct buffer *out, const struct page_model *m) {
  const struct benchmark *b = &m->benchmarks[m->states[STATE_SLOWER] + m->states[STATE_MISSING]];
  buffer_printf(out, "%.*s takes ", STR_ARG(b->shown));
  number_amount(out, b->worst->head, b->worst->unit);
  buffer_add_text(out, " per operation: was anything measured?");
}

static void headline_suspicious(struct buffer *out, const struct page_model *m) {
  buffer_printf(out, "Most of %zu benchmarks are more than twice as fast: were they run?",
                m->count);
}

static void headline_doubt(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, m->run->doubt);
}

static void headline_base(struct buffer *out, const struct page_model *m) {
  buffer_printf(out, "Base %.12s: %s.", m->run->base_commit, m->run->base_why);
}

/* Returns the reason why a proven regression of a benchmark does not count, or NULL. */
static const char *find_doubt(const struct page_model *m) {
  for (size_t i = 0; i < m->count; i++) {
    const struct gate_row *row = m->benchmarks[i].worst;
    if (m->benchmarks[i].state == STATE_UNSURE && gate_doubt(&m->run->gate, row))
      return gate_doubt(&m->run->gate, row);
  }
  return NULL;
}

static void headline_inconclusive(struct buffer *out, const struct page_model *m) {
  const struct gate *gate = &m->run->gate;
  const char *doubt = find_doubt(m);
  buffer_printf(out, "%zu fine, %zu could not be judged", gate->benchmarks - gate->unjudged,
                gate->unjudged);
  if (doubt) {
    buffer_printf(out, ": %s", doubt);
  } else if (isfinite(gate->visible_middle)) {
    buffer_add_text(out, ": changes below ");
    number_size(out, gate->visible_middle);
    buffer_add_text(out, " would have been missed");
  }
  buffer_add_char(out, '.');
}

static void headline_overloaded(struct buffer *out, const struct page_model *m) {
  buffer_printf(out, "Could not be judged: the machine was overloaded (%s).",
                gate_overload(&m->run->gate));
}

static void headline_nothing_slower(struct buffer *out, const struct page_model *m) {
  if (same_is_all(m->run))
    buffer_printf(out, "Unchanged: base and head have the same test binary in %zu package%s.",
                  m->run->same_count, m->run->same_count == 1 ? "" : "s");
  else if (!m->count && !*m->run->instructions)
    buffer_add_text(out, "No function grew as -fail-on forbids.");
  else if (!m->count)
    buffer_printf(out, "No regression: %s.", m->run->instructions);
  else if (m->states[STATE_UNSURE] == m->count)
    buffer_add_text(out, "No benchmark could be judged: the measurements vary too much.");
  else {
    size_t judged = m->count - m->states[STATE_UNSURE] - m->states[STATE_NEW];
    buffer_printf(out, "No regression in %zu benchmark%s.", judged, judged == 1 ? "" : "s");
  }
}

static bool is_unread(const struct page_model *m) {
  return m->run->status == 1 && m->run->unread_count && !m->run->gate.problems.size;
}

static bool is_not_compared(const struct page_model *m) {
  bool judged = m->run->judged || m->run->conditions || same_is_all(m->run);
  return !judged && !(m->run->has_base && *m->run->instructions);
}

/* A headline, and the condition that selects it. */
struct ending_row {
  bool holds;
  void (*say)(struct buffer *, const struct page_model *);
  enum run_verdict verdict;
};

/* Returns the first headline whose condition is true. */
static struct ending_row model_ending(const struct page_model *m) {
  const struct ci_run *run = m->run;
  const size_t *states = m->states;
  const struct ending_row endings[] = {
      {is_unread(m), headline_doubt, RUN_UNREAD},
      {run->status == 1, headline_gate_failed, RUN_GATE_FAILED},
      {run->status == 2 || states[STATE_SLOWER], headline_slower, RUN_REGRESSED},
      {is_not_compared(m), headline_not_compared, RUN_NOT_COMPARED},
      {gate_overload(&run->gate) != NULL, headline_overloaded, RUN_INCONCLUSIVE},
      {*run->doubt, headline_doubt, RUN_INCONCLUSIVE},
      {states[STATE_MISSING] > 0, headline_missing, RUN_INCONCLUSIVE},
      {states[STATE_BROKEN] > 0, headline_broken, RUN_INCONCLUSIVE},
      {m->suite_suspicious, headline_suspicious, RUN_INCONCLUSIVE},
      {m->count && states[STATE_UNSURE] == m->count && !find_doubt(m), headline_nothing_slower,
       RUN_INCONCLUSIVE},
      {run->judged && gate_is_inconclusive(&run->gate), headline_inconclusive, RUN_INCONCLUSIVE},
      {true, headline_nothing_slower, RUN_PASSED}};
  size_t i = 0;
  while (!endings[i].holds) i++;
  return endings[i];
}

/* Appends warnings about the whole run that a headline about one benchmark does not mention. */
static void headline_also(struct buffer *out, const struct page_model *m) {
  const bool bad = is_bad(m->verdict);
  const struct {
    bool holds;
    void (*say)(struct buffer *, const struct page_model *);
  } also[] = {{m->run->base_misleads, headline_base},
              {bad && *m->run->doubt && !is_unread(m), headline_doubt},
              {bad && gate_overload(&m->run->gate), headline_overloaded},
              {bad && m->suite_suspicious, headline_suspicious}};
  for (size_t i = 0; i < sizeof also / sizeof *also; i++) {
    if (!also[i].holds) continue;
    if (out->size) buffer_add_char(out, ' ');
    also[i].say(out, m);
  }
}

const char *model_state_title(const struct page_model *m, enum page_state state) {
  static const char *const titles[STATES] = {[STATE_SLOWER] = "worse",
                                             [STATE_MISSING] = "missing",
                                             [STATE_BROKEN] = "may measure nothing",
                                             [STATE_UNSURE] = "could not be judged",
                                             [STATE_FASTER] = "faster",
                                             [STATE_ACCEPTED] = "slower, accepted by a rule",
                                             [STATE_NEW] = "new"};
  return state == STATE_UNCHANGED ? model_unchanged(m) : titles[state];
}

/* Counts the benchmarks in each state. Returns the number of rows for geometric means, which are
 * not benchmarks. */
static size_t count_states(const struct page_model *m, size_t counts[STATES]) {
  size_t wholes = 0;
  memcpy(counts, m->states, sizeof m->states);
  for (size_t i = 0; i < m->count; i++)
    if (m->benchmarks[i].worst && m->benchmarks[i].worst->whole) {
      counts[m->benchmarks[i].state]--;
      wholes++;
    }
  return wholes;
}

/* Appends the number of packages that were not measured, unless it is 0. */
static void headline_same(struct buffer *out, size_t count, bool follows) {
  if (!count) return;
  if (follows) buffer_add_text(out, " " DOT " ");
  buffer_printf(out, "%zu package%s not measured: same binary", count, count == 1 ? "" : "s");
}

/* Appends "1 of 9 benchmarks got slower · 1 could not be judged". */
static void headline_counts(struct buffer *out, const struct page_model *m) {
  size_t counts[STATES], wholes = count_states(m, counts);
  bool any = false;
  for (enum page_state state = STATE_SLOWER; state < STATE_UNCHANGED; state++) {
    if (!counts[state]) continue;
    buffer_printf(out, any ? " " DOT " %zu " : "%zu of ", counts[state]);
    if (!any) buffer_printf(out, "%zu benchmarks ", m->count - wholes);
    if (state == STATE_SLOWER || state == STATE_FASTER) buffer_add_text(out, "got ");
    buffer_add_text(out, model_state_title(m, state));
    any = true;
  }
  if (wholes) buffer_printf(out, "%sthe geometric mean got worse", any ? " " DOT " " : "");
  headline_same(out, m->run->same_count, any || wholes);
}

/* True if at least half of the tested rows have a known smallest detectable change. False if all
 * rows have too few samples. */
static bool headline_has_visible(const struct page_model *m) {
  const struct gate *gate = &m->run->gate;
  return m->run->judged && gate->visible_count && 2 * gate->visible_count >= gate->tested &&
         gate->too_few < gate->compared;
}

/* Appends the smallest change that the measurements could have shown. */
static void headline_visible(struct buffer *out, const struct page_model *m) {
  const struct gate *gate = &m->run->gate;
  size_t count;
  const struct gate_row *rows = gate_rows(gate, &count);
  /* From one process, the noise between processes is unknown. */
  if (!headline_has_visible(m) || (count && rows[0].one_process)) return;
  bool worse = gate->visible_count > 1 && gate->visible_worst > 1.5 * gate->visible_middle;
  if (isinf(gate->visible_middle)) {
    if (!m->states[STATE_SLOWER])
      buffer_add_text(out, "most benchmarks vary too much for any change to be seen");
    return;
  }
  buffer_add_text(out, "changes below ");
  number_size(out, gate->visible_middle);
  buffer_add_text(out, " would have been missed");
  if (gate->visible_whole > gate->visible_middle) {
    buffer_add_text(out, " (of all benchmarks together: ");
    number_size(out, gate->visible_whole);
    buffer_add_char(out, ')');
  }
  if (!worse || gate->visible_row >= count) return;
  if (rows[gate->visible_row].verdict == PPROFC_GATE_REGRESSED) return;
  buffer_printf(out, " (%.*s: ", STR_ARG(rows[gate->visible_row].name));
  if (isinf(gate->visible_worst))
    buffer_add_text(out, "of any size");
  else
    number_size(out, gate->visible_worst);
  buffer_add_char(out, ')');
}

static pprofc_str model_text(struct page_model *m,
                             void (*say)(struct buffer *, const struct page_model *)) {
  struct ci_run *run = (struct ci_run *)(uintptr_t)m->run;
  struct buffer text = ci_buffer();
  say(&text, m);
  return buffer_take(&text, &run->arena);
}

void model_make(struct ci_run *run, struct page_model *m) {
  *m = (struct page_model){.run = run};
  make_benchmarks(run, m);
  m->one_group = is_one_group(m);
  m->suite_suspicious = is_suite_suspicious(m);
  struct ending_row ending = model_ending(m);
  m->verdict = ending.verdict;
  m->headline = model_text(m, ending.say);
  m->also = model_text(m, headline_also);
  m->counts = model_text(m, headline_counts);
  m->visible_text = model_text(m, headline_visible);
}

bool model_is_of(const struct run_pair *pair, const struct benchmark *b) {
  return pair->benchmark && str_equal(b->name, str_of(pair->benchmark)) &&
         str_equal(b->group, str_of(pair->package));
}

const struct run_pair *model_pair(const struct page_model *m, const struct benchmark *b) {
  const struct ci_run *run = m->run;
  const struct run_pair *found = NULL;
  const char *kind = number_kind(b->worst ? b->worst->unit : STR(""));
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *pair = &run->pairs[i];
    if (!model_is_of(pair, b)) continue;
    bool right = strcmp(pair->kind, kind) == 0;
    if (right || !found) found = pair;
    if (right) break;
  }
  return found;
}

const struct run_pair *model_fired_pair(const struct ci_run *run, const struct run_fired *fired) {
  for (size_t i = 0; i < run->pair_count; i++)
    if (run->pairs[i].diff && strcmp(run->pairs[i].diff, fired->pair) == 0) return &run->pairs[i];
  return NULL;
}

const struct run_pair *model_first_pair(const struct page_model *m) {
  if (m->states[STATE_SLOWER]) return model_pair(m, &m->benchmarks[0]);
  const struct run_fired *fired = model_fired(m->run);
  return fired ? model_fired_pair(m->run, fired) : NULL;
}

struct run_samples model_samples(const struct page_model *m, const struct gate_row *row, int side) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  size_t index = (size_t)(row - rows);
  const struct buffer *plots = &m->run->plots[side];
  if (index >= plots->size / sizeof(struct run_samples)) return (struct run_samples){NULL, NULL, 0};
  return ((const struct run_samples *)(const void *)plots->data)[index];
}
