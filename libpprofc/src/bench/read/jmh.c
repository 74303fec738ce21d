/* Reads JMH's JSON (-rf json). Each iteration is a sample, with the metrics of profilers. */
#include "bench/read/readers.h"

/* ---- units ------------------------------------------- */

/* Conversion of the values of a metric: multiply by 10^exponent and by `factor`. */
struct conversion {
  struct buffer unit;
  int exponent;
  double factor;
};

/* Chooses the conversion for a unit. "us/op" becomes seconds, "ops/us" becomes operations per
 * second, and "B/op" stays. For any other unit, the name of the metric becomes the unit. */
static void convert_unit(struct conversion *c, struct bench_sink *sink, pprofc_str metric,
                         pprofc_str unit) {
  size_t slash = str_find_char(unit, '/');
  pprofc_str above = str_slice(unit, 0, slash), below = str_slice(unit, slash + 1, unit.size);
  const struct time_unit *time;
  *c = (struct conversion){.factor = 1};
  buffer_init(&c->unit, &sink->set->mem, (size_t)1 << 20);
  if (str_equal(below, STR("op")) && (time = time_unit_find(above)) != NULL) {
    buffer_add_text(&c->unit, "sec/op");
    c->exponent = time->exponent;
    c->factor = time->factor;
  } else if (str_equal(above, STR("ops")) && (time = time_unit_find(below)) != NULL) {
    buffer_add_text(&c->unit, "ops/s");
    c->exponent = -time->exponent;
    c->factor = 1 / time->factor;
  } else if (str_equal(unit, STR("B/op"))) {
    buffer_add_text(&c->unit, "B/op");
  } else {
    name_encode(&c->unit, metric, true);
    if (unit.size) buffer_add_char(&c->unit, '-');
    name_encode(&c->unit, unit, true);
  }
  if (c->unit.failed) sink_fail(sink);
}

static bool jmh_converted(const struct conversion *c, const struct node *number, double *value) {
  if (!node_number(number, c->exponent, value)) return false;
  *value *= c->factor;
  return true;
}

/* ---- iterations -------------------------------------- */

/* Computes the mean of a histogram of pairs [value, count]. Returns false if it is empty. */
static bool histogram_mean(const struct conversion *c, const struct node *pairs, double *mean) {
  double sum = 0, weight = 0, value, count;
  for (const struct node *pair = node_at(pairs, 0); pair; pair = pair->next) {
    if (!jmh_converted(c, node_at(pair, 0), &value) || !node_number(node_at(pair, 1), 0, &count))
      return false;
    sum += value * count;
    weight += count;
  }
  *mean = sum / weight;
  return weight > 0;
}

/* A metric of a profiler, and its value for the current iteration. It may have fewer values than
 * the primary metric. */
struct secondary {
  struct conversion conversion;
  const struct node *fork, *score;
};

struct secondaries {
  struct secondary *items;
  size_t count;
};

static struct secondaries open_secondaries(struct bench_sink *sink, const struct node *metrics) {
  struct secondaries list = {NULL, 0};
  size_t count = 0;
  if (!node_is(metrics, NODE_OBJECT)) return list;
  for (const struct node *metric = metrics->first; metric; metric = metric->next) count++;
  list.items = mem_array(&sink->set->mem, count, sizeof *list.items);
  if (!list.items) {
    sink_fail(sink);
    return list;
  }
  for (const struct node *metric = metrics->first; metric; metric = metric->next) {
    struct secondary *secondary = &list.items[list.count++];
    pprofc_str name = metric->key;
    /* Older releases of JMH wrote a middle dot before the name. */
    if (str_starts(name, STR("\xC2\xB7"))) name = str_slice(name, 2, name.size);
    convert_unit(&secondary->conversion, sink, name, node_text(metric, "scoreUnit"));
    secondary->fork = node_at(node_get(metric, "rawData"), 0);
  }
  return list;
}

static void close_secondaries(struct bench_sink *sink, struct secondaries *list) {
  for (size_t i = 0; i < list->count; i++) buffer_free(&list->items[i].conversion.unit);
  mem_free(&sink->set->mem, list->items, list->count, sizeof *list->items);
}

static void next_fork(struct secondaries *list, bool first) {
  for (size_t i = 0; i < list->count; i++) {
    struct secondary *s = &list->items[i];
    if (!first && s->fork) s->fork = s->fork->next;
    s->score = node_at(s->fork, 0);
  }
}

/* Advances each profiler metric to the next iteration. If `wanted` is true, first adds the current
 * value of the metric to the last result. */
static void next_iteration(struct bench_sink *sink, struct secondaries *list, bool wanted) {
  for (size_t i = 0; i < list->count; i++) {
    struct secondary *s = &list->items[i];
    double value;
    if (wanted && jmh_converted(&s->conversion, s->score, &value))
      sink_value(sink, value, buffer_str(&s->conversion.unit));
    if (s->score) s->score = s->score->next;
  }
}

static size_t read_iterations(struct bench_sink *sink, const struct node *run, pprofc_str name) {
  const struct node *primary = node_get(run, "primaryMetric"), *raw = node_get(primary, "rawData");
  bool histogram = !node_at(raw, 0);
  if (histogram) raw = node_get(primary, "rawDataHistogram");
  struct conversion c;
  convert_unit(&c, sink, STR("score"), node_text(primary, "scoreUnit"));
  struct secondaries list = open_secondaries(sink, node_get(run, "secondaryMetrics"));
  size_t samples = 0;
  for (const struct node *fork = node_at(raw, 0), *first = fork; fork; fork = fork->next) {
    next_fork(&list, fork == first);
    for (const struct node *score = node_at(fork, 0); score; score = score->next) {
      double value;
      bool good = histogram ? histogram_mean(&c, score, &value) : jmh_converted(&c, score, &value);
      if (good) {
        sink_result(sink, name, 1, score->line);
        sink_value(sink, value, buffer_str(&c.unit));
        samples++;
      } else {
        sink_message(sink, score->line, "%.*s: a score is not a number", STR_ARG(name));
      }
      next_iteration(sink, &list, good);
    }
  }
  close_secondaries(sink, &list);
  buffer_free(&c.unit);
  return samples;
}

static void jmh_read_run(struct bench_sink *sink, const struct node *run) {
  pprofc_str benchmark = node_text(run, "benchmark"), mode = node_text(run, "mode");
  struct buffer name;
  name_begin(&name, sink, benchmark, false);
  name_parameters(&name, node_get(run, "params"));
  if (mode.size) name_parameter(&name, STR("mode"), mode);
  buffer_printf(&name, "-%lld", (long long)node_count(run, "threads", 1));
  if (!read_iterations(sink, run, buffer_str(&name)))
    sink_message(sink, run->line, "%.*s has no raw data, only its score", STR_ARG(benchmark));
  name_end(&name, sink);
}

static void jmh_read_tree(struct bench_sink *sink, const struct node *root) {
  for (const struct node *run = node_at(root, 0); run; run = run->next) jmh_read_run(sink, run);
}

const struct bench_reader bench_reader_jmh = {.name = "JMH JSON",
                                              .first = '[',
                                              .words = {"\"primaryMetric\"", "\"benchmark\""},
                                              .toolkit = "jmh",
                                              .tree = jmh_read_tree};
