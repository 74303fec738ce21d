/* Reads Google Benchmark's JSON. Each repetition is a sample. Skips aggregates. */
#include "bench/read/readers.h"

/* Keys of the format itself. All other keys are user counters. */
static const char *const known_keys[] = {"name",
                                         "family_index",
                                         "per_family_instance_index",
                                         "run_name",
                                         "run_type",
                                         "repetitions",
                                         "repetition_index",
                                         "threads",
                                         "iterations",
                                         "real_time",
                                         "cpu_time",
                                         "time_unit",
                                         "aggregate_name",
                                         "aggregate_unit",
                                         "total_allocated_bytes",
                                         "net_heap_growth",
                                         "label",
                                         "error_occurred",
                                         "error_message",
                                         "skipped",
                                         "skip_message",
                                         "cpu_coefficient",
                                         "real_coefficient",
                                         "big_o",
                                         "rms",
                                         NULL};

struct counter_unit {
  const char *key, *unit;
};

static const struct counter_unit counter_units[] = {{"bytes_per_second", "B/s"},
                                                    {"items_per_second", "items/s"},
                                                    {"allocs_per_iter", "allocs/op"},
                                                    {"max_bytes_used", "max-B"}};

static void read_counter(struct bench_sink *sink, const struct node *member) {
  if (str_any(str_equal, member->key, known_keys) || !member->key.size ||
      !node_is(member, NODE_NUMBER))
    return;
  for (size_t i = 0; i < COUNT(counter_units); i++)
    if (str_equal(member->key, str_of(counter_units[i].key))) {
      json_add_value(sink, member, 0, str_of(counter_units[i].unit));
      return;
    }
  json_add_member(sink, member, STR(""));
}

/* True for a mean or another aggregate. In older files without run_type, the end of the name shows
 * if an entry is an aggregate. */
static bool is_aggregate(const struct node *entry) {
  pprofc_str type = node_text(entry, "run_type"), name = node_text(entry, "name");
  if (type.size) return !str_equal(type, STR("iteration"));
  return str_ends(name, STR("_mean")) || str_ends(name, STR("_median")) ||
         str_ends(name, STR("_stddev")) || str_ends(name, STR("_cv"));
}

/* Returns the key of the member that gives the reason why a benchmark has no measurement. Returns
 * NULL if the benchmark has a measurement. */
static const char *failure(const struct node *entry) {
  if (node_is(node_get(entry, "error_occurred"), NODE_TRUE)) return "error_message";
  if (node_is(node_get(entry, "skipped"), NODE_TRUE)) return "skip_message";
  return NULL;
}

/* Reads an element of the list of benchmarks. Returns true if a sample was added. */
static bool gbench_read_entry(struct bench_sink *sink, const struct node *entry) {
  pprofc_str name = node_text(entry, "run_name");
  if (!name.size) name = node_text(entry, "name");
  const char *failed = failure(entry);
  if (failed) {
    sink_message(sink, entry->line, "%.*s failed: %.*s", STR_ARG(name),
                 STR_ARG(node_text(entry, failed)));
    return false;
  }
  const struct time_unit *time = time_unit_find(node_text(entry, "time_unit"));
  double real;
  if (is_aggregate(entry) || !node_get(entry, "real_time")) return false;
  if (!time || time->factor != 1 ||
      !node_number(node_get(entry, "real_time"), time->exponent, &real)) {
    sink_message(sink, entry->line, "%.*s: real_time is not a time", STR_ARG(name));
    return false;
  }
  struct buffer encoded;
  name_begin(&encoded, sink, name, true);
  sink_result(sink, buffer_str(&encoded), node_count(entry, "iterations", 1), entry->line);
  name_end(&encoded, sink);
  if (node_count(entry, "threads", 1) > 1) sink_threads(sink);
  sink_value(sink, real, STR("sec/op"));
  json_add_value(sink, node_get(entry, "cpu_time"), time->exponent, STR("cpu-sec/op"));
  for (const struct node *member = entry->first; member; member = member->next)
    read_counter(sink, member);
  return true;
}

/* Reads the load average of the minute before the benchmarks ran. */
static void read_load(struct bench_sink *sink, const struct node *context) {
  const struct node *averages = node_get(context, "load_avg");
  double load, cpus;
  if (node_number(node_at(averages, 0), 0, &load) &&
      node_number(node_get(context, "num_cpus"), 0, &cpus))
    sink_load(sink, load, cpus);
}

static void gbench_read_tree(struct bench_sink *sink, const struct node *root) {
  const struct node *list = node_get(root, "benchmarks");
  size_t samples = 0, entries = 0;
  if (str_equal(node_text(node_get(root, "context"), "library_build_type"), STR("debug")))
    sink_debug_build(sink);
  read_load(sink, node_get(root, "context"));
  for (const struct node *entry = node_at(list, 0); entry; entry = entry->next, entries++)
    samples += gbench_read_entry(sink, entry);
  if (!samples)
    sink_message(sink, root->line,
                 entries ? "no repetition to compare, only aggregates or failures"
                         : "no benchmarks");
}

const struct bench_reader bench_reader_gbench = {.name = "Google Benchmark JSON",
                                                 .first = '{',
                                                 .words = {"\"benchmarks\"", "\"context\""},
                                                 .toolkit = "google-benchmark",
                                                 .tree = gbench_read_tree,
                                                 .one_process = true};
