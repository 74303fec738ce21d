/* Declares the set of benchmark results, and the sink: functions with which readers fill the set. A
 * tidied unit is a base unit: "sec/op" for "ns/op", "B/s" for "MB/s". */
#ifndef PPROFC_BENCH_SET_H
#define PPROFC_BENCH_SET_H

#include "core/base.h"
#include "pprofc/bench.h"

/* A key and its value. A configuration is an array of these pairs. It has the configuration keys
 * that apply to a result, in the order that golang.org/x/perf/benchfmt uses. */
struct bench_pair {
  uint32_t key, value; /* string indices of the key and its value */
};

struct bench_config {
  size_t first;
  uint32_t count;
};

struct bench_input {
  uint32_t label; /* string index of the label; BENCH_EMPTY: no label */
  uint32_t path;  /* string index of the path that messages show */
  bool debug;     /* true if a debug build of the benchmark library was used */
  size_t zeros;   /* number of measured times that are 0 seconds, which are not samples */
  double load;    /* load average when the benchmarks began; 0: unknown */
  double cpus;    /* number of processors of the machine; 0: unknown */
  bool alone;     /* true if the input has the results of one execution of a program */
  /* number that identifies the process that ran the benchmarks; inputs from one command line
   * argument have equal numbers */
  uint32_t process;
};

/* Unit of a measurement. `original` is the unit in the input, or BENCH_EMPTY if the input has the
 * tidied unit. */
struct bench_unit {
  uint32_t tidied, original; /* string index of the tidied unit, and of the original unit */
};

/* A unit in the spelling of an input, and the conversion of its values. */
struct bench_unit_word {
  uint32_t word, tidied; /* string indices of this spelling, and of the tidied unit */
  /* plain: index of the unit for values that the conversion does not change, such as 0; scaled:
   * index of the unit for all other values */
  uint32_t plain, scaled;
  double factor;
};

/* Metadata from a line "Unit NAME key=value". */
struct bench_metadata {
  uint32_t unit, key, value; /* string indices of the tidied unit, the key and the value */
};

/* String id of "". */
#define BENCH_EMPTY 0u

/* Limits of one set. If an input exceeds a limit, the error of its reader names the limit. */
#define BENCH_MAX_KEYS 4096u /* maximum number of configuration keys that apply to a result */
/* Maximum number of pairs of key and value in all configurations together. */
#define BENCH_MAX_PAIRS (8u << 20)

struct pprofc_bench {
  pprofc_allocator mem;
  bool keep_units;    /* true: keep the units of the input, and read benchmark text by the rules of
                         benchstat before 2021 */
  struct arena arena; /* memory for the strings */
  struct interner strings;

  struct bench_input *inputs;
  size_t input_count, input_capacity;
  uint32_t process; /* process number (bench_input.process) of the inputs that are added next */

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
  struct map word_map; /* map from a unit in the spelling of an input to its index in `words` */

  struct bench_metadata *metadata;
  size_t metadata_count, metadata_capacity;
  struct map metadata_map; /* map from unit and key to the index of the metadata */

  /* one element per result, and one more element, whose first_value is the number of
   * measurements */
  pprofc_bench_result *results;
  size_t result_count, result_capacity;

  double *values;
  uint32_t *value_unit; /* for each measurement, its index in `units` */
  size_t value_count, value_capacity, value_unit_capacity;

  pprofc_bench_message *messages;
  size_t message_count, message_capacity;
  /* names of the benchmarks that use several threads, according to the input */
  struct interner threads;
};

/* Returns how many inputs with this label used a debug build of the benchmark library. If `label`
 * is NULL, counts all inputs. */
size_t set_debug_inputs(const struct pprofc_bench *set, const char *label);

/* True if the benchmark uses several threads according to the input. */
static inline bool set_is_threaded(const struct pprofc_bench *set, pprofc_str name) {
  return interner_find(&set->threads, name) != MAP_NONE;
}

static inline pprofc_str set_string(const struct pprofc_bench *set, uint32_t id) {
  return set->strings.items[id];
}

/* Frees the results, but not their measurements. */
void set_free_lines(struct pprofc_bench *set);

/* Frees all measurements and results. Keeps names, units, inputs and metadata. */
void set_free_results(struct pprofc_bench *set);

/* Sets *value to the value of `key` for a unit, from the "Unit" lines of the inputs, or to "". The
 * unit may have its original or tidied spelling. Returns false when out of memory. */
bool set_metadata(const struct pprofc_bench *set, pprofc_str unit, pprofc_str key,
                  pprofc_str *value);

/* Sets *direction like pprofc_bench_direction. Returns false when out of memory. */
bool set_direction(const struct pprofc_bench *set, pprofc_str unit, int *direction);

/* ---- filling ----------------------------------------- */

/* A sink: state while a reader reads an input. After an error, all calls do nothing. The reader
 * therefore checks for lack of memory and limits only once, at the end. */
struct bench_sink {
  struct pprofc_bench *set;
  uint32_t input;
  struct bench_pair *pairs; /* pairs of key and value in the current configuration */
  size_t pair_count, pair_capacity;
  /* index of the current configuration; MAP_NONE if the keys changed since the last result */
  uint32_t config;
  uint32_t name; /* string index of the name of the last result */
  struct buffer scratch;
  bool base_units; /* true if the reader adds values in sec/op and B/s; a set with keep_units then
                      converts them to ns/op and MB/s */
  pprofc_status status;
  const char *limit; /* name of the limit that was exceeded, if status is PPROFC_E_LIMIT */
};

void sink_open(struct bench_sink *sink, struct pprofc_bench *set, pprofc_str label,
               pprofc_str path);
pprofc_status sink_close(struct bench_sink *sink, pprofc_error *error);

/* Sets a configuration key. An empty value deletes the key, and moves the last key to its place. */
void sink_config(struct bench_sink *sink, pprofc_str key, pprofc_str value);

void sink_config_clear(struct bench_sink *sink);

/* sink_result starts a result. sink_drop removes the result that was started last. */
void sink_result(struct bench_sink *sink, pprofc_str name, int64_t iterations, uint64_t line);
void sink_drop(struct bench_sink *sink);

/* Adds a measurement to the result that was started last. */
void sink_value(struct bench_sink *sink, double value, pprofc_str unit);

/* sink_word returns the index of a unit in set->words. sink_word_value adds a measurement in the
 * unit that has the index `word`. */
uint32_t sink_word(struct bench_sink *sink, pprofc_str unit);
void sink_word_value(struct bench_sink *sink, double value, uint32_t word);

/* Sets metadata of a unit. If the key already has another value, adds the message "metadata KEY of
 * unit UNIT already set to VALUE". */
void sink_metadata(struct bench_sink *sink, pprofc_str unit, pprofc_str key, pprofc_str value,
                   uint64_t line);

/* Marks the result that was started last as having several threads. */
void sink_threads(struct bench_sink *sink);

void sink_debug_build(struct bench_sink *sink);

/* Counts a time of 0 seconds, which is not a sample. */
void sink_zero_time(struct bench_sink *sink);

/* Records the load average of the machine that ran the benchmarks, and its number of processors. */
void sink_load(struct bench_sink *sink, double load, double cpus);

/* Records that a reader ran out of memory. */
void sink_fail(struct bench_sink *sink);

/* Adds the message "PATH:LINE: text". Messages keep their order. */
void sink_message(struct bench_sink *sink, uint64_t line, const char *format, ...)
    PPROFC_PRINTF(3, 4);

/* ---- units ------------------------------------------ */

/* Appends the base unit for `unit`: in numerators, "ns" becomes "sec" and "MB" becomes "B". Returns
 * the factor that converts a value to the base unit. */
double unit_tidy(pprofc_str unit, struct buffer *out);

/* True for units of bytes, which scale by powers of 1024. */
bool unit_is_binary(pprofc_str unit);

/* Format for the values of a row: divided by `factor`, with `digits` decimals and the prefix. */
struct unit_scale {
  int digits;
  double factor;
  const char *prefix; /* unit prefix in UTF-8: "µ" */
};

/* unit_scale_of returns the scale in which the value has four significant digits. unit_print
 * appends a value in that scale. */
struct unit_scale unit_scale_of(double value, bool binary);
void unit_print(struct buffer *out, struct unit_scale scale, double value);

/* Returns 1 if higher values of a unit are better, -1 if lower ones are, 0 if unknown. */
int unit_direction_of(pprofc_str unit);

/* Splits benchmark names. "Encode/format=json/size=4k-8" has the base "Encode", two parts that
 * begin with '/', and the suffix "-8". */

/* Returns the value of the key `.name`, which is the base of the name. */
pprofc_str name_base(pprofc_str name);

/* Returns the value of the key `/key`, or "" if the name has no part with this key. `key` includes
 * the slash. */
pprofc_str name_part_value(pprofc_str name, pprofc_str key);

/* Appends the name without the parts in keys[0, count). A key is ".name" or "/key". */
void name_exclude(struct buffer *out, pprofc_str name, const pprofc_str *keys, size_t count);

/* Appends text as a name. Writes white space as '_', as Go does in names of benchmarks. Writes
 * control characters, and '/' unless keep_slashes is set, as %XX. */
void name_encode(struct buffer *out, pprofc_str text, bool keep_slashes);

/* ---- values of keys --------------------------------- */

/* Finds the values of keys. Strings that the set does not have, such as a part of a name, are
 * stored in `more`. Their ids follow the ids of the set. */
struct extractor {
  const struct pprofc_bench *set;
  struct arena *arena;
  struct interner more;
  bool failed; /* true if memory ran out */
};

enum key_kind { KEY_NAME, KEY_FULL_NAME, KEY_FILE, KEY_PART, KEY_CONFIG };

struct key {
  enum key_kind kind;
  pprofc_str text;
  uint32_t string;   /* string index of the configuration key; MAP_NONE if no result has the key */
  uint32_t *by_name; /* cache: for each benchmark name, the value of the key */
};

void extractor_init(struct extractor *extractor, const struct pprofc_bench *set,
                    struct arena *arena);
void extractor_free(struct extractor *extractor);

/* Parses a key. `text` must not be "", ".config" or ".unit". */
struct key extract_key(struct extractor *extractor, pprofc_str text);

/* Returns the id of a result's value for the key, or BENCH_EMPTY if there is no value. */
uint32_t extract(struct extractor *extractor, struct key *key, size_t result);

/* extract_intern returns the id of a string, and adds the string if it is new. extract_string
 * returns the string that has an id. */
uint32_t extract_intern(struct extractor *extractor, pprofc_str s);
pprofc_str extract_string(const struct extractor *extractor, uint32_t id);

/* Returns the number of ids, including the ids in `more`. */
size_t extract_ids(const struct extractor *extractor);

#endif
