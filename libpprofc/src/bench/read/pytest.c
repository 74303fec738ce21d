/* Reads the JSON of pytest-benchmark (--benchmark-json). Each round or block is a sample. */
#include "bench/read/readers.h"

/* If there are more than MAX_ROUNDS rounds, the reader averages the rounds in BLOCKS blocks. Short
 * benchmarks have tens of thousands of rounds that depend on each other. In such large samples, a
 * test would find any drift significant. */
#define MAX_ROUNDS 200
#define BLOCKS     50

/* Computes the mean of the next `count` rounds. Advances *round past them. */
static bool block_mean(const struct node **round, size_t count, double *mean) {
  double sum = 0, value;
  for (size_t i = 0; i < count; i++, *round = (*round)->next) {
    if (!node_number(*round, 0, &value)) return false;
    sum += value;
  }
  *mean = sum / (double)count;
  return true;
}

static void read_extra(struct bench_sink *sink, const struct node *extra) {
  if (!node_is(extra, NODE_OBJECT)) return;
  for (const struct node *member = extra->first; member; member = member->next)
    if (node_is(member, NODE_NUMBER)) json_add_member(sink, member, STR("extra_info."));
}

static void read_rounds(struct bench_sink *sink, const struct node *entry, pprofc_str name,
                        const struct node *rounds) {
  size_t count = node_size(rounds), blocks = count > MAX_ROUNDS ? BLOCKS : count;
  int64_t iterations = node_count(node_get(entry, "stats"), "iterations", 1);
  const struct node *round = node_at(rounds, 0);
  for (size_t i = 0; i < blocks; i++) {
    size_t size = count / blocks + (i < count % blocks);
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

/* Returns the full name without the "[param]" at its end. */
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
  struct buffer name;
  name_begin(&name, sink, full, true);
  if (node_is(params, NODE_OBJECT) && params->first)
    name_parameters(&name, params);
  else if (param.size)
    name_parameter(&name, STR("param"), param);
  const struct node *data = node_path(entry, "stats.data");
  if (node_size(data))
    read_rounds(sink, entry, buffer_str(&name), data);
  else
    sink_message(sink, entry->line, "%.*s has no data, only a summary (use --benchmark-save-data)",
                 STR_ARG(full));
  name_end(&name, sink);
}

const struct bench_reader bench_reader_pytest = {.name = "pytest-benchmark JSON",
                                                 .first = '{',
                                                 .words = {"\"benchmarks\"", "\"machine_info\""},
                                                 .toolkit = "pytest-benchmark",
                                                 .list = "benchmarks",
                                                 .item = pytest_read_entry,
                                                 .one_process = true};
