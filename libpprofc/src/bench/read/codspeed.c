/* Reads results/PID.json of CodSpeed's plugins in walltime mode, which has only a summary of each
 * benchmark's rounds. The reader adds artificial samples: quantiles of a normal distribution. They
 * have the mean and the standard error of the summary, so that Welch's test gives the same
 * result. */
#include "bench/read/readers.h"

#define CODSPEED_SAMPLES 50 /* maximum number of samples of a benchmark */

/* Summary of a benchmark's rounds: mean and standard deviation in seconds, number of rounds. */
struct codspeed_stats {
  double mean, deviation, rounds;
};

static bool codspeed_read_stats(const struct node *entry, struct codspeed_stats *stats) {
  stats->rounds = (double)node_count(node_get(entry, "stats"), "rounds", 0);
  return node_number(node_path(entry, "stats.mean_ns"), -9, &stats->mean) && stats->mean > 0 &&
         node_number(node_path(entry, "stats.stdev_ns"), -9, &stats->deviation) &&
         stats->deviation >= 0 && stats->rounds >= 1;
}

/* Fills `samples` with quantiles of a normal distribution, scaled to a standard deviation of 1. */
static void codspeed_normal(double *samples, size_t count) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    samples[i] = pprofc_normal_quantile(((double)i + 0.5) / (double)count);
    squares += samples[i] * samples[i];
  }
  for (size_t i = 0; i < count && squares > 0; i++)
    samples[i] *= sqrt((double)(count - 1) / squares);
}

/* Returns the index of the i-th sample to add, in an order in which low and high samples alternate.
 * Ascending samples would look like drift. */
static size_t codspeed_turn(size_t i, size_t count) {
  return i % 2 ? count - 1 - i / 2 : i / 2;
}

/* Adds artificial samples with the mean and the standard error that the file gives. */
static void codspeed_add_samples(struct bench_sink *sink, const struct node *entry, pprofc_str name,
                                 const struct codspeed_stats *stats) {
  double samples[CODSPEED_SAMPLES];
  size_t count = (size_t)fmin(stats->rounds, CODSPEED_SAMPLES);
  double deviation = stats->deviation * sqrt((double)count / stats->rounds);
  int64_t iterations = node_count(node_get(entry, "stats"), "iter_per_round", 1);
  codspeed_normal(samples, count);
  for (size_t i = 0; i < count; i++) {
    double value = stats->mean + deviation * samples[codspeed_turn(i, count)];
    sink_result(sink, name, iterations, entry->line);
    sink_value(sink, fmax(value, stats->mean / 1e6), STR("sec/op"));
  }
}

static void codspeed_read_entry(struct bench_sink *sink, const struct node *entry) {
  struct codspeed_stats stats;
  struct buffer name;
  pprofc_str uri = node_text(entry, "uri");
  if (!uri.size) uri = node_text(entry, "name");
  name_begin(&name, sink, uri, true);
  if (codspeed_read_stats(entry, &stats))
    codspeed_add_samples(sink, entry, buffer_str(&name), &stats);
  else
    sink_message(sink, entry->line, "%.*s has no mean_ns, stdev_ns and rounds", STR_ARG(uri));
  name_end(&name, sink);
}

const struct bench_reader bench_reader_codspeed = {.name = "CodSpeed JSON",
                                                   .first = '{',
                                                   .words = {"\"creator\"", "\"instrument\""},
                                                   .toolkit = "CodSpeed",
                                                   .list = "benchmarks",
                                                   .item = codspeed_read_entry,
                                                   .one_process = true};
