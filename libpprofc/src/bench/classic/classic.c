/* Computes the tables that benchstat printed before 2021, for the printers of benchstatc. */
#include "bench/classic/classic.h"
#include "stats/stats.h"

void pprofc_bench_classic_options_init(pprofc_bench_classic_options *options) {
  *options = (pprofc_bench_classic_options){
      .struct_size = sizeof *options, .alpha = 0.05, .split = "pkg,goos,goarch", .sort = "none"};
}

/* ---- groups ------------------------------------------ */

/* Returns the label of part i of a name. Part 0 has the label "name". A later part "key=value" has
 * the label "key". Any other part has the label "sub" and its number: "sub1" for part 1. */
static pprofc_str part_key(pprofc_str part, size_t i, char number[24]) {
  size_t equals = str_find_char(part, '=');
  if (i == 0) return STR("name");
  if (equals < part.size) return str_slice(part, 0, equals);
  snprintf(number, 24, "sub%zu", i);
  return str_of(number);
}

/* Returns the value of a label in a benchmark's name, or "" if the name lacks the label.
 * "gomaxprocs" is the label of the number at the end. part_key returns the labels of the other
 * parts. If a label is repeated, its last value counts. */
static pprofc_str name_label(pprofc_str name, pprofc_str label) {
  size_t dash = str_find_last_char(name, '-');
  int64_t procs;
  pprofc_str found = STR("");
  if (dash < name.size && str_parse_int(str_slice(name, dash + 1, name.size), 10, &procs)) {
    if (str_equal(label, STR("gomaxprocs"))) found = str_slice(name, dash + 1, name.size);
    name = str_slice(name, 0, dash);
  }
  pprofc_str part;
  for (size_t i = 0; str_next(&name, '/', &part); i++) {
    char number[24];
    if (!str_equal(part_key(part, i, number), label)) continue;
    size_t equals = str_find_char(part, '=');
    found = i > 0 && equals < part.size ? str_slice(part, equals + 1, part.size) : part;
  }
  return found;
}

/* Returns the index of a result's group in c->groups. The text of a group has the values of the
 * labels in options.split, such as "pkg:a/x goos:linux". */
static uint32_t find_group(struct classic *c, size_t result, struct buffer *text) {
  pprofc_str rest = str_of(c->options.split), label;
  pprofc_str name = set_string(c->set, c->set->results[result].name);
  buffer_clear(text);
  while (rest.size && str_next(&rest, ',', &label)) {
    pprofc_str value = name_label(name, label);
    if (!value.size) value = pprofc_bench_result_config(c->set, result, label);
    if (!value.size) continue;
    if (text->size) buffer_add_char(text, ' ');
    buffer_add_str(text, label);
    buffer_add_char(text, ':');
    buffer_add_str(text, value);
  }
  uint32_t group = text->failed ? MAP_NONE : interner_copy(&c->groups, &c->arena, buffer_str(text));
  if (group == MAP_NONE) c->nomem = true;
  return group;
}

/* ---- metrics ----------------------------------------- */

static uint32_t find_benchmark(struct classic *c, uint32_t group, uint32_t name) {
  uint64_t hash = hash_mix(group, name);
  MAP_FIND(index, &c->benchmark_map, hash,
           c->benchmarks[index].group == group && c->benchmarks[index].name == name);
  if (index != MAP_NONE) return index;
  c->nomem |= !MAP_PUSH(c->mem, &c->benchmark_map, hash, c->benchmarks, c->benchmark_count,
                        c->benchmark_capacity, (struct classic_benchmark){group, name});
  return c->nomem ? 0 : (uint32_t)c->benchmark_count - 1;
}

static void note_unit(struct classic *c, uint32_t unit) {
  for (size_t i = 0; i < c->unit_count; i++)
    if (c->units[i] == unit) return;
  c->nomem |= !ARRAY_PUSH(c->mem, c->units, c->unit_count, c->unit_capacity, unit);
}

static struct classic_metric *find_metric(const struct classic *c, uint32_t config,
                                          uint32_t benchmark, uint32_t unit) {
  struct classic_metric *m = c->metrics;
  MAP_FIND(index, &c->metric_map, hash_mix(hash_mix(config, benchmark), unit),
           m[index].config == config && m[index].benchmark == benchmark && m[index].unit == unit);
  return index == MAP_NONE ? NULL : &m[index];
}

static struct classic_metric *make_metric(struct classic *c, uint32_t config, uint32_t benchmark,
                                          uint32_t unit) {
  struct classic_metric *metric = find_metric(c, config, benchmark, unit);
  if (metric) return metric;
  uint64_t hash = hash_mix(hash_mix(config, benchmark), unit);
  c->nomem |=
      !MAP_PUSH(c->mem, &c->metric_map, hash, c->metrics, c->metric_count, c->metric_capacity,
                (struct classic_metric){.config = config, .benchmark = benchmark, .unit = unit});
  if (c->nomem) return NULL;
  note_unit(c, unit);
  return &c->metrics[c->metric_count - 1];
}

/* Collects the values: first counts the measurements of each metric, then copies them. */
static void classic_collect(struct classic *c, uint32_t *metric_of) {
  const struct pprofc_bench *set = c->set;
  struct buffer text = buffer_make(c->mem, (size_t)1 << 24);
  for (size_t r = 0; r < set->result_count && !c->nomem; r++) {
    size_t first = set->results[r].first_value, end = set->results[r + 1].first_value;
    if (first == end) continue;
    uint32_t group = find_group(c, r, &text);
    uint32_t benchmark = c->nomem ? 0 : find_benchmark(c, group, set->results[r].name);
    for (size_t i = first; i < end && !c->nomem; i++) {
      uint32_t unit = set->units[set->value_unit[i]].tidied;
      struct classic_metric *m =
          make_metric(c, c->input_configs[set->results[r].input], benchmark, unit);
      if (!m) break;
      m->count++;
      metric_of[i] = (uint32_t)(m - c->metrics);
    }
  }
  buffer_free(&text);
  if (c->nomem) return;
  double *next = c->values;
  for (size_t i = 0; i < c->metric_count; i++) {
    c->metrics[i].values = next;
    next += c->metrics[i].count;
  }
  for (size_t i = 0; i < set->value_count; i++) {
    struct classic_metric *m = &c->metrics[metric_of[i]];
    m->values[m->next++] = set->values[i];
  }
}

/* Computes mean, minimum and maximum without outliers. An outlier is more than 1.5 interquartile
 * ranges outside the quartiles. */
static void summarize(struct classic_metric *m, double *scratch) {
  memcpy(scratch, m->values, m->count * sizeof *scratch);
  sort_doubles(scratch, m->count);
  double q1 = pprofc_quantile(scratch, m->count, 0.25),
         q3 = pprofc_quantile(scratch, m->count, 0.75);
  double low = q1 - 1.5 * (q3 - q1), high = q3 + 1.5 * (q3 - q1);
  for (size_t i = 0; i < m->count; i++)
    if (low <= m->values[i] && m->values[i] <= high) m->values[m->kept++] = m->values[i];
  m->least = m->most = m->mean = (double)NAN;
  if (!m->kept) return;
  m->least = m->most = m->values[0];
  m->mean = 0;
  for (size_t i = 0; i < m->kept; i++) {
    double value = m->values[i];
    if (value < m->least) m->least = value;
    if (value > m->most) m->most = value;
    m->mean += (value - m->mean) / (double)(i + 1);
  }
}

/* ---- rows -------------------------------------------- */

/* Tests two samples without their outliers. Returns a note if the test has no result, else NULL. */
static const char *test_samples(struct classic *c, const struct classic_metric *old,
                                const struct classic_metric *new, double *p) {
  static const char *const notes[] = {[PPROFC_TEST_TOO_SMALL] = "(too few samples)",
                                      [PPROFC_TEST_ZERO_VARIANCE] = "(zero variance)",
                                      [PPROFC_TEST_ALL_EQUAL] = "(all equal)",
                                      [PPROFC_TEST_NAN] = "(NaN)",
                                      [PPROFC_TEST_NO_MEMORY] = "(out of memory)"};
  pprofc_test_status status = PPROFC_TEST_OK;
  *p = -1;
  if (c->options.test == PPROFC_BENCH_TTEST) {
    pprofc_t_result t = pprofc_welch_test(old->values, old->kept, new->values, new->kept);
    status = t.status;
    *p = t.p;
  } else if (c->options.test == PPROFC_BENCH_UTEST) {
    double *sorted = mem_array(c->mem, old->kept + new->kept, sizeof *sorted);
    if (!sorted) {
      c->nomem = true;
      return notes[PPROFC_TEST_NO_MEMORY];
    }
    memcpy(sorted, old->values, old->kept * sizeof *sorted);
    memcpy(sorted + old->kept, new->values, new->kept * sizeof *sorted);
    sort_doubles(sorted, old->kept);
    sort_doubles(sorted + old->kept, new->kept);
    pprofc_u_result u = pprofc_u_test(sorted, old->kept, sorted + old->kept, new->kept, 0, c->mem);
    mem_free(c->mem, sorted, old->kept + new->kept, sizeof *sorted);
    status = u.status;
    *p = u.p;
  }
  return status == PPROFC_TEST_OK ? NULL : notes[status];
}

static const char *percent_text(struct classic *c, double percent) {
  struct buffer text = buffer_make(c->mem, 1024);
  number_print_fixed(&text, percent, 2, true);
  buffer_add_char(&text, '%');
  const char *copy = buffer_take(&text, &c->arena).data;
  if (!copy) c->nomem = true;
  return copy ? copy : "";
}

static void compare_row(struct classic *c, struct classic_row *row, pprofc_str metric) {
  const struct classic_metric *old = row->metrics[0], *new = row->metrics[1];
  double alpha = c->options.alpha == 0 ? 0.05 : c->options.alpha, p;
  const char *refused = test_samples(c, old, new, &p);
  row->delta = "~";
  if (refused) {
    snprintf(row->note, sizeof row->note, "%s", refused);
    return;
  }
  if (p < alpha && new->mean == old->mean) {
    row->delta = "0.00%";
  } else if (p < alpha) {
    row->percent = ((new->mean / old->mean) - 1.0) * 100.0;
    row->delta = percent_text(c, row->percent);
    row->change = (row->percent < 0) == !str_equal(metric, STR("speed")) ? 1 : -1;
  }
  if (p != -1)
    snprintf(row->note, sizeof row->note, "(p=%0.3f n=%zu+%zu)", p, old->kept, new->kept);
}

static bool less_row(const struct classic_row *a, const struct classic_row *b, bool by_name) {
  if (by_name) return str_compare(a->benchmark, b->benchmark) < 0;
  return fabs(a->percent) * a->change < fabs(b->percent) * b->change;
}

static int classic_compare_rows(const void *a, const void *b, const void *context) {
  const char *order = context;
  const struct classic_row *x = a, *y = b;
  bool reversed = *order == '-', by_name = strcmp(order + reversed, "name") == 0;
  int sign = reversed ? -1 : 1;
  if (less_row(x, y, by_name)) return -sign;
  if (less_row(y, x, by_name)) return sign;
  return x->index < y->index ? -1 : 1;
}

/* Collects the means of an input's benchmarks, except means of 0. Returns the number of means. */
static size_t collect_means(const struct classic *c, uint32_t config, uint32_t unit,
                            double *means) {
  size_t count = 0;
  for (size_t b = 0; b < c->benchmark_count; b++) {
    const struct classic_metric *m = find_metric(c, config, c->order[b], unit);
    if (m && m->mean != 0) means[count++] = m->mean;
  }
  return count;
}

static void set_geomean(struct classic *c, struct classic_row *row, size_t config, double mean,
                        pprofc_str unit) {
  struct classic_metric *metric = arena_zero_array(&c->arena, 1, sizeof *metric);
  if (!metric) {
    c->nomem = true;
    return;
  }
  metric->mean = mean;
  row->metrics[config] = metric;
  if (!row->scaled) row->scale = classic_scale_of(mean, unit);
  row->scaled = true;
}

/* Adds a row with the geometric mean of each input, if any input has at least two means. */
static void add_geomean(struct classic *c, struct classic_table *table, uint32_t unit) {
  struct classic_row *row = &table->rows[table->row_count];
  double *means = mem_array(c->mem, c->benchmark_count, sizeof *means);
  bool delta = c->config_count == 2;
  size_t most = 0;
  *row = (struct classic_row){.benchmark = STR("[Geo mean]"), .delta = ""};
  row->metrics = arena_zero_array(&c->arena, c->config_count, sizeof *row->metrics);
  c->nomem |= !means || !row->metrics;
  for (size_t i = 0; i < c->config_count && !c->nomem; i++) {
    size_t count = collect_means(c, c->configs[i], unit, means);
    delta &= count > 0;
    if (count > most) most = count;
    if (count) set_geomean(c, row, i, pprofc_geomean(means, count), table->unit);
  }
  mem_free(c->mem, means, c->benchmark_count, sizeof *means);
  if (c->nomem || most <= 1) return;
  if (delta) {
    row->percent = ((row->metrics[1]->mean / row->metrics[0]->mean) - 1.0) * 100.0;
    row->delta = percent_text(c, row->percent);
  }
  table->row_count++;
}

/* Fills in the row of a benchmark. Returns false if the benchmark has no row in the table. */
static bool classic_make_row(struct classic *c, struct classic_row *row, uint32_t benchmark,
                             uint32_t unit, pprofc_str metric) {
  const struct classic_benchmark *b = &c->benchmarks[benchmark];
  *row = (struct classic_row){.benchmark = set_string(c->set, b->name), .delta = ""};
  if (c->groups.count > 1) row->group = c->groups.items[b->group];
  row->metrics = arena_zero_array(&c->arena, c->config_count, sizeof *row->metrics);
  if (!row->metrics) {
    c->nomem = true;
    return false;
  }
  for (size_t i = 0; i < c->config_count; i++) {
    row->metrics[i] = find_metric(c, c->configs[i], benchmark, unit);
    if (!row->metrics[i] || row->scaled) continue;
    row->scale = classic_scale_of(row->metrics[i]->mean, set_string(c->set, unit));
    row->scaled = true;
  }
  if (c->config_count != 2) return true;
  if (!row->metrics[0] || !row->metrics[1]) return false;
  compare_row(c, row, metric);
  return true;
}

static void make_table(struct classic *c, uint32_t unit) {
  struct classic_table table = {.unit = set_string(c->set, unit)};
  struct buffer name = buffer_make(c->mem, (size_t)1 << 20);
  classic_metric_name(&name, table.unit);
  table.metric = buffer_take(&name, &c->arena);
  table.rows = arena_array(&c->arena, c->benchmark_count + 1, sizeof *table.rows);
  c->nomem |= !table.metric.data || !table.rows;
  for (size_t i = 0; i < c->benchmark_count && !c->nomem; i++) {
    struct classic_row *row = &table.rows[table.row_count];
    if (!classic_make_row(c, row, c->order[i], unit, table.metric)) continue;
    row->index = table.row_count++;
  }
  if (c->nomem || !table.row_count) return;
  if (strcmp(c->options.sort, "none") != 0)
    array_sort(table.rows, table.row_count, sizeof *table.rows, classic_compare_rows,
               c->options.sort);
  if (c->options.geomean) add_geomean(c, &table, unit);
  c->tables[c->table_count++] = table;
}

/* ---- the whole report -------------------------------- */

/* Names each input by its label, or else by its path. Adjacent inputs with the same label, such as
 * the files of a folder, share a column. */
static void name_configs(struct classic *c) {
  for (size_t i = 0; i < c->set->input_count; i++) {
    struct bench_input input = c->set->inputs[i];
    pprofc_str label = set_string(c->set, input.label), path = set_string(c->set, input.path);
    bool is_path = str_starts(label, path) && label.size && path.size;
    c->input_configs[i] = is_path ? input.path : input.label;
    if (i && !is_path && input.label == c->set->inputs[i - 1].label) continue;
    c->configs[c->config_count++] = c->input_configs[i];
  }
}

static void order_benchmarks(struct classic *c) {
  size_t next = 0;
  size_t *start = mem_zero_array(c->mem, c->groups.count + 1, sizeof *start);
  c->order = arena_array(&c->arena, c->benchmark_count, sizeof *c->order);
  if (!start || !c->order) {
    c->nomem = true;
  } else {
    for (size_t i = 0; i < c->benchmark_count; i++) start[c->benchmarks[i].group + 1]++;
    for (size_t g = 0; g < c->groups.count; g++) start[g + 1] += start[g];
    for (size_t i = 0; i < c->benchmark_count; i++, next++)
      c->order[start[c->benchmarks[i].group]++] = (uint32_t)i;
  }
  mem_free(c->mem, start, c->groups.count + 1, sizeof *start);
}

static void collect_values(struct classic *c) {
  size_t count = c->set->value_count;
  uint32_t *metric_of = mem_array(c->mem, count, sizeof *metric_of);
  c->configs = arena_array(&c->arena, c->set->input_count, sizeof *c->configs);
  c->input_configs = arena_array(&c->arena, c->set->input_count, sizeof *c->input_configs);
  c->value_count = count;
  c->values = mem_array(c->mem, count, sizeof *c->values);
  c->nomem |= !metric_of || !c->configs || !c->input_configs || !c->values;
  if (!c->nomem) {
    name_configs(c);
    classic_collect(c, metric_of);
  }
  mem_free(c->mem, metric_of, count, sizeof *metric_of);
}

static void summarize_metrics(struct classic *c) {
  size_t most = 0;
  for (size_t i = 0; i < c->metric_count; i++)
    if (c->metrics[i].count > most) most = c->metrics[i].count;
  double *scratch = mem_array(c->mem, most, sizeof *scratch);
  c->nomem |= !scratch;
  for (size_t i = 0; i < c->metric_count && !c->nomem; i++) summarize(&c->metrics[i], scratch);
  mem_free(c->mem, scratch, most, sizeof *scratch);
}

static void compute(struct classic *c) {
  collect_values(c);
  if (!c->nomem) summarize_metrics(c);
  c->tables = arena_array(&c->arena, c->unit_count, sizeof *c->tables);
  c->nomem |= !c->tables;
  if (!c->nomem) order_benchmarks(c);
  for (size_t i = 0; i < c->unit_count && !c->nomem; i++) make_table(c, c->units[i]);
}

pprofc_status classic_make(struct classic *c, const struct pprofc_bench *set,
                           const pprofc_bench_classic_options *options, pprofc_error *error) {
  *c = (struct classic){.set = set, .options = *options};
  c->mem = mem_or_default(options->allocator);
  arena_init(&c->arena, c->mem);
  interner_init(&c->groups, c->mem);
  map_init(&c->benchmark_map, c->mem);
  map_init(&c->metric_map, c->mem);
  compute(c);
  return c->nomem ? error_nomem(error) : PPROFC_OK;
}

void classic_free(struct classic *c) {
  mem_free(c->mem, c->units, c->unit_capacity, sizeof *c->units);
  mem_free(c->mem, c->benchmarks, c->benchmark_capacity, sizeof *c->benchmarks);
  mem_free(c->mem, c->metrics, c->metric_capacity, sizeof *c->metrics);
  mem_free(c->mem, c->values, c->value_count, sizeof *c->values);
  map_free(&c->benchmark_map);
  map_free(&c->metric_map);
  interner_free(&c->groups);
  arena_free(&c->arena);
}
