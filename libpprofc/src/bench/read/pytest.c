/* Reads JSON of pytest-benchmark (--benchmark-json): one sample per round, or per block of
 * rounds. */
#include "bench/read/json_reader.h"

static bool pytest_matches(pprofc_str data) {
  static const char *const words[] = {"\"benchmarks\"", "\"machine_info\"", NULL};
  return json_has_words(data, '{', words);
}

/* Number of rounds above which the rounds are averaged in blocks, and the number of blocks.
 * Short benchmarks have tens of thousands of dependent rounds: a test over all of them would
 * find any drift significant. */
#define MAX_ROUNDS 200
#define BLOCKS     50

struct rounds {
  const struct node *first;
  size_t count;
};

/* Computes the mean of the next `count` rounds and moves *round past them. */
static bool block_mean(const struct node **round, size_t count, double *mean) {
  double sum = 0, value;
  for (size_t i = 0; i < count; i++, *round = (*round)->next) {
    if (!node_number(*round, 0, &value)) return false;
    sum += value;
  }
  *mean = sum / (double)count;
  return true;
}

/* Adds the numbers in extra_info. */
static void read_extra(struct bench_sink *sink, const struct node *extra) {
  if (!extra || extra->kind != NODE_OBJECT) return;
  for (const struct node *member = extra->first; member; member = member->next) {
    double value;
    if (!node_number(member, 0, &value)) continue;
    struct name_builder unit;
    name_begin(&unit, sink, STR("extra_info."), true);
    name_encode(&unit.text, member->key, true);
    sink_value(sink, value, buffer_str(&unit.text));
    name_end(&unit, sink);
  }
}

static void read_rounds(struct bench_sink *sink, const struct node *entry, pprofc_str name,
                        struct rounds rounds) {
  size_t blocks = rounds.count > MAX_ROUNDS ? BLOCKS : rounds.count;
  int64_t iterations = node_count(node_get(entry, "stats"), "iterations", 1);
  const struct node *round = rounds.first;
  for (size_t i = 0; i < blocks; i++) {
    size_t size = rounds.count / blocks + (i < rounds.count % blocks);
    uint32_t line = round->line;
    double mean;
    if (!block_mean(&round, size, &mean)) {
      sink_message(sink, line, "%.*s: a round is not a number", STR_ARG(name));
      return;
    }
    sink_result(sink, name, iterations, line);
    sink_value(sink, mean, STR("sec/op"));
    if (i == 0) read_extra(sink, node_get(entry, "extra_info"));
  }
}

/* Returns the full name without its final "[param]". */
static pprofc_str without_param(pprofc_str full, pprofc_str param) {
  if (!param.size || !str_ends(full, STR("]"))) return full;
  size_t bracket = full.size > param.size + 2 ? full.size - param.size - 2 : 0;
  return full.data[bracket] == '[' ? str_slice(full, 0, bracket) : full;
}

static void pytest_read_entry(struct bench_sink *sink, const struct node *entry) {
  pprofc_str full = node_text(entry, "fullname"), param = node_text(entry, "param");
  if (!full.size) full = node_text(entry, "name");
  const struct node *params = node_get(entry, "params");
  full = without_param(full, param);
  struct name_builder name;
  name_begin(&name, sink, full, false);
  if (params && params->kind == NODE_OBJECT && params->first)
    name_parameters(&name, params);
  else if (param.size)
    name_parameter(&name, STR("param"), param);
  const struct node *data = node_path(entry, "stats.data");
  struct rounds rounds = {data && data->kind == NODE_ARRAY ? data->first : NULL, 0};
  for (const struct node *round = rounds.first; round; round = round->next) rounds.count++;
  if (rounds.count)
    read_rounds(sink, entry, buffer_str(&name.text), rounds);
  else
    sink_message(sink, entry->line, "%.*s has no data, only a summary (use --benchmark-save-data)",
                 STR_ARG(full));
  name_end(&name, sink);
}

static void pytest_read_tree(struct bench_sink *sink, const struct node *root) {
  const struct node *list = node_get(root, "benchmarks");
  sink->base_units = true;
  sink_config(sink, STR("toolkit"), STR("pytest-benchmark"));
  if (!list || !list->first) sink_message(sink, root->line, "no benchmarks");
  for (const struct node *entry = list ? list->first : NULL; entry; entry = entry->next)
    pytest_read_entry(sink, entry);
}

static pprofc_status pytest_read_source(const struct bench_source *source, pprofc_error *error) {
  return json_read_source(source, pytest_read_tree, error);
}

const struct bench_reader bench_reader_pytest = {"pytest-benchmark JSON", pytest_matches,
                                                 pytest_read_source, true};
