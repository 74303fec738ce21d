/* A set of benchmark results as columns, and the sink that all readers fill it through. */
#ifndef PPROFC_BENCH_SET_H
#define PPROFC_BENCH_SET_H

#include "bench/number.h"
#include "core/error.h"
#include "core/map.h"
#include "pprofc/bench.h"

/* A configuration is a run of pairs: the keys in force at a result, in the order the format gives
 * them. */
struct bench_pair {
  uint32_t key, value; /* strings */
};

struct bench_config {
  size_t first;
  uint32_t count;
};

struct bench_input {
  uint32_t label; /* string; BENCH_EMPTY when .file is unset */
  uint32_t path;  /* string, for messages */
  bool debug;     /* measured with a benchmark library of debug build */
};

/* The unit of a measurement. `original` is the unit of the input, BENCH_EMPTY when it is equal. */
struct bench_unit {
  uint32_t tidied, original; /* strings */
};

/* A unit word of the input, and how its values are converted. */
struct bench_unit_word {
  uint32_t word, tidied;  /* strings */
  uint32_t plain, scaled; /* units: for values that tidying leaves alone, and for the others */
  double factor;
};

/* "Unit NAME key=value". */
struct bench_metadata {
  uint32_t unit, key, value; /* strings; the unit is tidied */
};

/* The string "". */
#define BENCH_EMPTY 0u

/* Limits of one set; a reader that exceeds one gets an error that names it. */
#define BENCH_MOST_KEYS  4096u      /* configuration keys in force at one time */
#define BENCH_MOST_PAIRS (8u << 20) /* pairs of all configurations */

struct pprofc_bench {
  pprofc_allocator mem;
  bool keep_units;    /* nothing is tidied, and benchmark text is read by the rules of the earlier
                         benchstat */
  struct arena arena; /* bytes of the strings */
  struct interner strings;

  struct bench_input *inputs;
  size_t input_count, input_capacity;

  struct bench_pair *pairs;
  size_t pair_count, pair_capacity;
  struct bench_config *configs;
  size_t config_count, config_capacity;
  struct map config_map;

  struct bench_unit *units;
  size_t unit_count, unit_capacity;
  struct map unit_map;
  struct bench_unit_word *words;
  size_t word_count, word_capacity;
  struct map word_map; /* string of the word to its index */

  struct bench_metadata *metadata;
  size_t metadata_count, metadata_capacity;
  struct map metadata_map; /* unit and key to index */

  pprofc_bench_result *results; /* one more than the count: the end of the values */
  size_t result_count, result_capacity;

  /* one entry a measurement */
  double *values;
  uint32_t *value_unit; /* index into units */
  size_t value_count, value_capacity, value_unit_capacity;

  pprofc_bench_message *messages;
  size_t message_count, message_capacity;
  struct interner threads; /* names of benchmarks with several threads */
};

/* How many inputs, of those with the label, were measured with a benchmark library of debug build;
 * NULL: of all. */
size_t set_debug_inputs(const struct pprofc_bench *set, const char *label);

/* True for a benchmark that has several threads according to its tool. */
static inline bool set_is_threaded(const struct pprofc_bench *set, pprofc_str name) {
  return interner_find(&set->threads, name) != MAP_NONE;
}

static inline pprofc_str set_string(const struct pprofc_bench *set, uint32_t id) {
  return set->strings.items[id];
}

/* Gives the memory of all results back, but not that of their measurements. */
void set_forget_lines(struct pprofc_bench *set);

/* Gives the memory of all measurements and results back. Names, units, inputs and metadata stay. */
void set_forget_results(struct pprofc_bench *set);

/* The value of `key` in the "Unit" lines of a unit, tidied or not; "" without one. False when out
 * of memory. */
bool set_metadata(const struct pprofc_bench *set, pprofc_str unit, pprofc_str key,
                  pprofc_str *value);

/* What pprofc_bench_direction returns. False when out of memory. */
bool set_direction(const struct pprofc_bench *set, pprofc_str unit, int *direction);

/* ---- filling ----------------------------------------- */

/* One input that is being read. Errors are sticky: the reader checks for out of memory and limits
 * once, at the end. */
struct bench_sink {
  struct pprofc_bench *set;
  uint32_t input;
  struct bench_pair *pairs; /* the configuration in force */
  size_t pair_count, pair_capacity;
  uint32_t config; /* its index, MAP_NONE when it changed since the last result */
  uint32_t name;   /* of the last result, and its bytes */
  pprofc_str name_bytes;
  struct buffer scratch;
  bool base_units; /* values are in sec/op and B/s; a set that keeps units gets ns/op and MB/s */
  pprofc_status status;
  const char *limit; /* what there is too much of when status is PPROFC_E_LIMIT */
};

void sink_open(struct bench_sink *sink, struct pprofc_bench *set, pprofc_str label,
               pprofc_str path);
pprofc_status sink_close(struct bench_sink *sink, pprofc_error *error);

/* Sets a configuration key; an empty value deletes it, and the last key takes its place. */
void sink_config(struct bench_sink *sink, pprofc_str key, pprofc_str value);

/* Deletes all of them. */
void sink_config_clear(struct bench_sink *sink);

/* Starts a result. sink_drop takes it back. */
void sink_result(struct bench_sink *sink, pprofc_str name, int64_t iterations, uint64_t line);
void sink_drop(struct bench_sink *sink);

/* Adds a measurement to the result that was started last. */
void sink_value(struct bench_sink *sink, double value, pprofc_str unit);

/* The same for a word that the reader has looked up. Words stay where they are for the life of the
 * set. */
uint32_t sink_word(struct bench_sink *sink, pprofc_str unit);
void sink_word_value(struct bench_sink *sink, double value, uint32_t word);

/* Sets metadata of a unit. A second value is the message "metadata KEY of unit UNIT already set to
 * VALUE". */
void sink_metadata(struct bench_sink *sink, pprofc_str unit, pprofc_str key, pprofc_str value,
                   uint64_t line);

/* The result that was started last has several threads. */
void sink_threads(struct bench_sink *sink);

/* The input was measured with a library of debug build. */
void sink_debug_build(struct bench_sink *sink);

/* Records that a reader ran out of memory. */
void sink_fail(struct bench_sink *sink);

/* Adds the message "PATH:LINE: text"; messages are in the order they were added. */
void sink_message(struct bench_sink *sink, uint64_t line, const char *format, ...)
    PPROFC_PRINTF(3, 4);

#endif
