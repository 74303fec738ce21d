/* Implements the set of benchmark results, and the functions with which readers fill it. */
#include "bench/set.h"

/* ---- the set ----------------------------------------- */

pprofc_bench *pprofc_bench_new(const pprofc_allocator *allocator) {
  const pprofc_allocator *mem = mem_or_default(allocator);
  struct pprofc_bench *set = mem_zero_array(mem, 1, sizeof *set);
  if (!set) return NULL;
  set->mem = *mem;
  arena_init(&set->arena, &set->mem);
  interner_init(&set->strings, &set->mem);
  interner_init(&set->threads, &set->mem);
  map_init(&set->config_map, &set->mem);
  map_init(&set->word_map, &set->mem);
  map_init(&set->unit_map, &set->mem);
  map_init(&set->metadata_map, &set->mem);
  if (interner_add(&set->strings, STR("")) == MAP_NONE) {
    pprofc_bench_free(set);
    return NULL;
  }
  return set;
}

void pprofc_bench_free(pprofc_bench *set) {
  if (!set) return;
  pprofc_allocator mem = set->mem;
  mem_free(&mem, set->inputs, set->input_capacity, sizeof *set->inputs);
  mem_free(&mem, set->pairs, set->pair_capacity, sizeof *set->pairs);
  mem_free(&mem, set->configs, set->config_capacity, sizeof *set->configs);
  mem_free(&mem, set->units, set->unit_capacity, sizeof *set->units);
  mem_free(&mem, set->words, set->word_capacity, sizeof *set->words);
  mem_free(&mem, set->metadata, set->metadata_capacity, sizeof *set->metadata);
  mem_free(&mem, set->results, set->result_capacity, sizeof *set->results);
  mem_free(&mem, set->values, set->value_capacity, sizeof *set->values);
  mem_free(&mem, set->value_unit, set->value_unit_capacity, sizeof *set->value_unit);
  mem_free(&mem, set->messages, set->message_capacity, sizeof *set->messages);
  map_free(&set->config_map);
  map_free(&set->word_map);
  map_free(&set->unit_map);
  map_free(&set->metadata_map);
  interner_free(&set->strings);
  interner_free(&set->threads);
  arena_free(&set->arena);
  mem_free(&mem, set, 1, sizeof *set);
}

void set_free_lines(struct pprofc_bench *set) {
  ARRAY_FREE(&set->mem, set->results, set->result_capacity);
  set->result_count = 0;
}

void set_free_results(struct pprofc_bench *set) {
  const pprofc_allocator *mem = &set->mem;
  set_free_lines(set);
  ARRAY_FREE(mem, set->values, set->value_capacity);
  ARRAY_FREE(mem, set->value_unit, set->value_unit_capacity);
  set->value_count = 0;
}

static const struct bench_metadata *find_metadata(const struct pprofc_bench *set, uint32_t unit,
                                                  uint32_t key) {
  MAP_FIND(index, &set->metadata_map, hash_mix(unit, key),
           set->metadata[index].unit == unit && set->metadata[index].key == key);
  return index == MAP_NONE ? NULL : &set->metadata[index];
}

bool set_metadata(const struct pprofc_bench *set, pprofc_str unit, pprofc_str key,
                  pprofc_str *value) {
  *value = set_string(set, BENCH_EMPTY);
  if (!set->metadata_count) return true;
  struct buffer tidied = buffer_make(&set->mem, (size_t)1 << 20);
  unit_tidy(unit, &tidied);
  bool good = !tidied.failed;
  uint32_t unit_id = good ? interner_find(&set->strings, buffer_str(&tidied)) : MAP_NONE;
  buffer_free(&tidied);
  uint32_t key_id = interner_find(&set->strings, key);
  if (unit_id == MAP_NONE || key_id == MAP_NONE) return good;
  const struct bench_metadata *m = find_metadata(set, unit_id, key_id);
  if (m) *value = set_string(set, m->value);
  return true;
}

const pprofc_bench_result *pprofc_bench_results(const pprofc_bench *set, size_t *count) {
  *count = set->result_count;
  return set->results;
}

const double *pprofc_bench_values(const pprofc_bench *set, const uint32_t **units, size_t *count) {
  *count = set->value_count;
  if (units) *units = set->value_unit;
  return set->values;
}

pprofc_str pprofc_bench_string(const pprofc_bench *set, uint32_t id) {
  return set_string(set, id);
}

pprofc_str pprofc_bench_unit(const pprofc_bench *set, uint32_t unit) {
  return set_string(set, set->units[unit].tidied);
}

bool set_direction(const struct pprofc_bench *set, pprofc_str unit, int *direction) {
  pprofc_str better;
  *direction = unit_direction_of(unit);
  if (!set_metadata(set, unit, STR("better"), &better)) return false;
  if (str_equal(better, STR("higher"))) *direction = 1;
  if (str_equal(better, STR("lower"))) *direction = -1;
  return true;
}

int pprofc_bench_direction(const pprofc_bench *set, pprofc_str unit) {
  int direction;
  (void)set_direction(set, unit, &direction);
  return direction;
}

size_t pprofc_bench_inputs(const pprofc_bench *set) {
  return set->input_count;
}

pprofc_str pprofc_bench_input_label(const pprofc_bench *set, size_t input) {
  return set_string(set, set->inputs[input].label);
}

pprofc_str pprofc_bench_input_path(const pprofc_bench *set, size_t input) {
  return set_string(set, set->inputs[input].path);
}

pprofc_str pprofc_bench_result_config(const pprofc_bench *set, size_t result, pprofc_str key) {
  const struct bench_config *config = &set->configs[set->results[result].config];
  for (uint32_t i = 0; i < config->count; i++) {
    struct bench_pair pair = set->pairs[config->first + i];
    if (str_equal(set_string(set, pair.key), key)) return set_string(set, pair.value);
  }
  return STR("");
}

const pprofc_bench_message *pprofc_bench_messages(const pprofc_bench *set, size_t *count) {
  *count = set->message_count;
  return set->messages;
}

void pprofc_bench_keep_units(pprofc_bench *set) {
  set->keep_units = true;
}

/* ---- strings and units ------------------------------- */

static void set_fail(struct bench_sink *sink, const char *limit) {
  if (sink->status != PPROFC_OK) return;
  sink->status = limit ? PPROFC_E_LIMIT : PPROFC_E_NOMEM;
  sink->limit = limit;
}

void sink_fail(struct bench_sink *sink) {
  set_fail(sink, NULL);
}

static uint32_t intern(struct bench_sink *sink, pprofc_str s) {
  uint32_t id = interner_copy(&sink->set->strings, &sink->set->arena, s);
  if (id != MAP_NONE) return id;
  set_fail(sink, NULL);
  return BENCH_EMPTY;
}

static uint32_t set_add_unit(struct bench_sink *sink, uint32_t tidied, uint32_t original) {
  struct pprofc_bench *set = sink->set;
  uint64_t hash = hash_mix(tidied, original);
  MAP_FIND(index, &set->unit_map, hash,
           set->units[index].tidied == tidied && set->units[index].original == original);
  if (index != MAP_NONE) return index;
  if (MAP_PUSH(&set->mem, &set->unit_map, hash, set->units, set->unit_count, set->unit_capacity,
               (struct bench_unit){tidied, original}))
    return (uint32_t)set->unit_count - 1;
  set_fail(sink, NULL);
  return 0;
}

static uint32_t add_word(struct bench_sink *sink, uint32_t word) {
  struct pprofc_bench *set = sink->set;
  pprofc_str unit = set_string(set, word);
  buffer_clear(&sink->scratch);
  double factor = unit_tidy(unit, &sink->scratch);
  uint32_t tidied = intern(sink, buffer_str(&sink->scratch));
  struct bench_unit_word entry = {.word = word, .tidied = tidied, .factor = factor};
  entry.plain = set_add_unit(sink, word, BENCH_EMPTY);
  entry.scaled = factor == 1 ? entry.plain : set_add_unit(sink, tidied, word);
  if (!sink->scratch.failed && MAP_PUSH(&set->mem, &set->word_map, hash_mix(0, word), set->words,
                                        set->word_count, set->word_capacity, entry))
    return (uint32_t)set->word_count - 1;
  set_fail(sink, NULL);
  return 0;
}

uint32_t sink_word(struct bench_sink *sink, pprofc_str unit) {
  struct pprofc_bench *set = sink->set;
  uint32_t word = intern(sink, unit);
  MAP_FIND(index, &set->word_map, hash_mix(0, word), set->words[index].word == word);
  if (index != MAP_NONE) return index;
  return sink->status == PPROFC_OK ? add_word(sink, word) : 0;
}

/* ---- configuration ----------------------------------- */

void sink_config(struct bench_sink *sink, pprofc_str key, pprofc_str value) {
  uint32_t id = intern(sink, key);
  size_t i = 0;
  while (i < sink->pair_count && sink->pairs[i].key != id) i++;
  if (!value.size) {
    if (i == sink->pair_count) return;
    sink->pairs[i] = sink->pairs[--sink->pair_count];
    sink->config = MAP_NONE;
    return;
  }
  uint32_t content = intern(sink, value);
  if (i < sink->pair_count) {
    if (sink->pairs[i].value != content) sink->config = MAP_NONE;
    sink->pairs[i].value = content;
    return;
  }
  if (i >= BENCH_MAX_KEYS) {
    set_fail(sink, "configuration keys in force");
    return;
  }
  if (!ARRAY_PUSH(&sink->set->mem, sink->pairs, sink->pair_count, sink->pair_capacity,
                  (struct bench_pair){id, content}))
    set_fail(sink, NULL);
  sink->config = MAP_NONE;
}

void sink_config_clear(struct bench_sink *sink) {
  sink->pair_count = 0;
  sink->config = MAP_NONE;
}

static bool same_pairs(const struct pprofc_bench *set, const struct bench_sink *sink,
                       uint32_t index) {
  const struct bench_config *config = &set->configs[index];
  return config->count == sink->pair_count &&
         (config->count == 0 || memcmp(set->pairs + config->first, sink->pairs,
                                       config->count * sizeof *sink->pairs) == 0);
}

static bool reserve_config(struct pprofc_bench *set, size_t pairs) {
  return ARRAY_RESERVE(&set->mem, set->pairs, set->pair_capacity, set->pair_count + pairs) &&
         ARRAY_RESERVE(&set->mem, set->configs, set->config_capacity, set->config_count + 1);
}

/* Returns the index of the current configuration. Stores the configuration if it is new. */
static uint32_t store_config(struct bench_sink *sink) {
  struct pprofc_bench *set = sink->set;
  size_t count = sink->pair_count;
  uint64_t hash = hash_bytes(sink->pairs, count * sizeof *sink->pairs);
  MAP_FIND(index, &set->config_map, hash, same_pairs(set, sink, index));
  if (index != MAP_NONE) return index;
  if (set->pair_count + count > BENCH_MAX_PAIRS) {
    set_fail(sink, "configuration lines");
    return 0;
  }
  if (!reserve_config(set, count) ||
      !map_insert(&set->config_map, hash, (uint32_t)set->config_count)) {
    set_fail(sink, NULL);
    return 0;
  }
  if (count) memcpy(set->pairs + set->pair_count, sink->pairs, count * sizeof *sink->pairs);
  set->configs[set->config_count] = (struct bench_config){set->pair_count, (uint32_t)count};
  set->pair_count += count;
  return (uint32_t)set->config_count++;
}

/* ---- results ----------------------------------------- */

void sink_result(struct bench_sink *sink, pprofc_str name, int64_t iterations, uint64_t line) {
  struct pprofc_bench *set = sink->set;
  if (sink->config == MAP_NONE) sink->config = store_config(sink);
  sink->name = intern(sink, name);
  if (sink->status != PPROFC_OK) return;
  size_t i = set->result_count;
  if (!ARRAY_RESERVE(&set->mem, set->results, set->result_capacity, i + 2)) {
    set_fail(sink, NULL);
    return;
  }
  set->results[i] = (pprofc_bench_result){.name = sink->name,
                                          .config = sink->config,
                                          .input = sink->input,
                                          .line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line,
                                          .iterations = iterations,
                                          .first_value = set->value_count};
  set->results[++set->result_count].first_value = set->value_count;
}

void sink_drop(struct bench_sink *sink) {
  struct pprofc_bench *set = sink->set;
  if (sink->status != PPROFC_OK) return;
  set->result_count--;
  set->value_count = set->results[set->result_count].first_value;
}

void sink_threads(struct bench_sink *sink) {
  struct pprofc_bench *set = sink->set;
  if (sink->status != PPROFC_OK) return;
  if (interner_add(&set->threads, set_string(set, sink->name)) == MAP_NONE) set_fail(sink, NULL);
}

void sink_zero_time(struct bench_sink *sink) {
  sink->set->inputs[sink->input].zeros++;
}

void sink_debug_build(struct bench_sink *sink) {
  sink->set->inputs[sink->input].debug = true;
}

void sink_load(struct bench_sink *sink, double load, double cpus) {
  sink->set->inputs[sink->input].load = load;
  sink->set->inputs[sink->input].cpus = cpus;
}

size_t set_debug_inputs(const struct pprofc_bench *set, const char *label) {
  size_t count = 0;
  for (size_t i = 0; i < set->input_count; i++) {
    bool wanted = !label || str_equal(set_string(set, set->inputs[i].label), str_of(label));
    count += wanted && set->inputs[i].debug;
  }
  return count;
}

void sink_word_value(struct bench_sink *sink, double value, uint32_t word) {
  struct pprofc_bench *set = sink->set;
  if (sink->status != PPROFC_OK) return;
  size_t i = set->value_count;
  if (!ARRAY_RESERVE(&set->mem, set->values, set->value_capacity, i + 1) ||
      !ARRAY_RESERVE(&set->mem, set->value_unit, set->value_unit_capacity, i + 1)) {
    set_fail(sink, NULL);
    return;
  }
  /* If the conversion to the tidied unit did not change the number, keep the original unit. For
   * example, 0 ns/op stays in ns/op. */
  const struct bench_unit_word *entry = &set->words[word];
  double tidied = value * entry->factor;
  bool same = tidied == value || set->keep_units;
  set->values[i] = same ? value : tidied;
  set->value_unit[i] = same ? entry->plain : entry->scaled;
  set->value_count++;
  set->results[set->result_count].first_value = set->value_count;
}

/* A set with keep_units converts the unit `base` to the unit `kept`, as benchstat did before
 * 2021. */
struct kept_unit {
  pprofc_str base, kept;
  double factor;
};

static const struct kept_unit kept_units[] = {{{"sec/op", 6}, {"ns/op", 5}, 1e9},
                                              {{"B/s", 3}, {"MB/s", 4}, 1e-6}};

static void add_kept_value(struct bench_sink *sink, double value, pprofc_str unit) {
  struct buffer text = buffer_make(&sink->set->mem, (size_t)1 << 20);
  for (size_t i = 0; i < COUNT(kept_units); i++) {
    const struct kept_unit *k = &kept_units[i];
    size_t front = unit.size - k->base.size;
    if (!str_ends(unit, k->base) || (front && unit.data[front - 1] != '-')) continue;
    buffer_add_str(&text, str_slice(unit, 0, front));
    buffer_add_str(&text, k->kept);
    value *= k->factor;
    unit = buffer_str(&text);
    break;
  }
  if (text.failed) set_fail(sink, NULL);
  sink_word_value(sink, value, sink_word(sink, unit));
  buffer_free(&text);
}

void sink_value(struct bench_sink *sink, double value, pprofc_str unit) {
  if (sink->base_units && sink->set->keep_units) {
    add_kept_value(sink, value, unit);
    return;
  }
  sink_word_value(sink, value, sink_word(sink, unit));
}

/* ---- metadata and messages --------------------------- */

void sink_metadata(struct bench_sink *sink, pprofc_str unit, pprofc_str key, pprofc_str value,
                   uint64_t line) {
  struct pprofc_bench *set = sink->set;
  buffer_clear(&sink->scratch);
  unit_tidy(unit, &sink->scratch);
  uint32_t tidied = intern(sink, buffer_str(&sink->scratch));
  uint32_t key_id = intern(sink, key), value_id = intern(sink, value);
  const struct bench_metadata *have = find_metadata(set, tidied, key_id);
  if (have) {
    pprofc_str old = set_string(set, have->value);
    if (have->value != value_id)
      sink_message(sink, line, "metadata %.*s of unit %.*s already set to %.*s", STR_ARG(key),
                   STR_ARG(unit), STR_ARG(old));
    return;
  }
  if (!MAP_PUSH(&set->mem, &set->metadata_map, hash_mix(tidied, key_id), set->metadata,
                set->metadata_count, set->metadata_capacity,
                (struct bench_metadata){tidied, key_id, value_id}))
    set_fail(sink, NULL);
}

void sink_message(struct bench_sink *sink, uint64_t line, const char *format, ...) {
  struct pprofc_bench *set = sink->set;
  char text[1024];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  size_t size = length < 0 ? 0 : (size_t)length;
  if (size >= sizeof text) size = sizeof text - 1;
  pprofc_str message = arena_str(&set->arena, (pprofc_str){text, size});
  if (!message.data ||
      !ARRAY_PUSH(&set->mem, set->messages, set->message_count, set->message_capacity,
                  (pprofc_bench_message){sink->input, line, message}))
    set_fail(sink, NULL);
}

/* ---- opening and closing ----------------------------- */

void sink_open(struct bench_sink *sink, struct pprofc_bench *set, pprofc_str label,
               pprofc_str path) {
  *sink = (struct bench_sink){.set = set, .config = MAP_NONE, .name = MAP_NONE};
  buffer_init(&sink->scratch, &set->mem, (size_t)1 << 30);
  struct bench_input input = {
      .label = intern(sink, label), .path = intern(sink, path), .process = set->process};
  sink->input = (uint32_t)set->input_count;
  if (!ARRAY_PUSH(&set->mem, set->inputs, set->input_count, set->input_capacity, input))
    set_fail(sink, NULL);
}

pprofc_status sink_close(struct bench_sink *sink, pprofc_error *error) {
  mem_free(&sink->set->mem, sink->pairs, sink->pair_capacity, sizeof *sink->pairs);
  buffer_free(&sink->scratch);
  if (sink->status == PPROFC_E_LIMIT)
    return error_set(error, PPROFC_E_LIMIT, "too many %s", sink->limit);
  return sink->status == PPROFC_OK ? PPROFC_OK : error_nomem(error);
}
