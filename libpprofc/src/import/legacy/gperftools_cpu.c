/* Reads binary CPU profiles of gperftools, for native code or for Java (docs/spec/pprof.md, 5.1). A
 * profile is a stream of machine words of 4 or 8 bytes in either byte order. */
#include "import/legacy/legacy.h"

struct word_format {
  size_t size;
  bool big;
};

/* Size and byte order of words, in the order in which the reader tries them. */
static const struct word_format word_formats[] = {{4, false}, {4, true}, {8, false}, {8, true}};

struct words {
  struct word_format format;
  const uint8_t *at, *end;
  bool ended; /* true after a read beyond the end; this read and all later reads return 0 */
};

static uint64_t gperftools_cpu_next_word(struct words *w) {
  if (w->ended || (size_t)(w->end - w->at) < w->format.size) {
    w->ended = true;
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < w->format.size; i++)
    value |= (uint64_t)w->at[i] << 8 * (w->format.big ? w->format.size - 1 - i : i);
  w->at += w->format.size;
  return value;
}

static size_t bytes_left(const struct words *w) {
  return w->ended ? 0 : (size_t)(w->end - w->at);
}

struct gperftools_cpu_header {
  bool java;
  uint64_t period; /* sampling period in microseconds */
};

/* Reads the header of five words: 0, 3, kind (1 for Java, 0 for native code), period, 0. */
static bool gperftools_cpu_read_header(pprofc_str data, struct words *words,
                                       struct gperftools_cpu_header *header) {
  for (size_t i = 0; i < sizeof word_formats / sizeof *word_formats; i++) {
    const uint8_t *from = (const uint8_t *)data.data;
    struct words w = {word_formats[i], from, from + data.size, false};
    uint64_t zero = gperftools_cpu_next_word(&w), version = gperftools_cpu_next_word(&w),
             kind = gperftools_cpu_next_word(&w);
    uint64_t period = gperftools_cpu_next_word(&w), padding = gperftools_cpu_next_word(&w);
    if (w.ended || zero != 0 || version != 3 || kind > 1 || period == 0 || padding != 0) continue;
    *words = w;
    *header = (struct gperftools_cpu_header){kind == 1, period};
    return true;
  }
  return false;
}

/* Reads records, each with a count, a depth and that many addresses. The record 0, 1, 0 is the
 * last. */
static void gperftools_cpu_read_samples(struct legacy *l, struct words *w, bool java) {
  while (bytes_left(w) && builder_ok(l->builder)) {
    uint64_t count = gperftools_cpu_next_word(w), depth = gperftools_cpu_next_word(w);
    if (w->ended || depth > bytes_left(w) / 4) legacy_no_match(l);
    if (!builder_allows_depth(l->builder, (size_t)depth)) return;
    for (uint64_t i = 0; i < depth; i++) {
      uint64_t address = gperftools_cpu_next_word(w);
      if (count == 0 && depth == 1 && address == 0) return;
      legacy_add_frame(l, java || i == 0 ? address : address - 1);
    }
    int64_t values[2] = {(int64_t)count, (int64_t)(count * (uint64_t)l->period)};
    legacy_add_sample(l, values, 0);
  }
}

/* Finds an address that is the second frame of at least 31/32 of the samples. `counts` must have a
 * 0 for each location. */
static bool common_second_frame(const struct legacy *l, uint32_t *counts, uint64_t *address) {
  const size_t similar = 32;
  for (size_t i = 0; i < l->sample_count; i++) {
    if (l->samples[i].depth < 2) continue;
    uint32_t location = l->frames[l->samples[i].first + 1];
    if (++counts[location] < l->sample_count - l->sample_count / similar) continue;
    *address = l->locations[location].address;
    return true;
  }
  return false;
}

/* If nearly all stacks have the same second frame, removes this frame, which belongs to the signal
 * handler. Does this at most twice. */
static void strip_signal_frames(struct legacy *l) {
  const int rounds = 2;
  for (int round = 0; round < rounds; round++) {
    uint32_t *counts = mem_zero_array(l->mem, l->location_count, sizeof *counts);
    if (!import_need(l->builder, counts != NULL)) return;
    uint64_t address;
    bool found = common_second_frame(l, counts, &address);
    mem_free(l->mem, counts, l->location_count, sizeof *counts);
    for (size_t i = 0; found && i < l->sample_count; i++) {
      struct legacy_sample *s = &l->samples[i];
      if (s->depth > 1 && legacy_frame_address(l, s, 1) == address) legacy_drop_second_frame(l, s);
    }
  }
}

bool import_is_gperftools_cpu(pprofc_str data) {
  struct words words;
  struct gperftools_cpu_header header;
  return gperftools_cpu_read_header(data, &words, &header);
}

static void read_gperftools_cpu(struct legacy *l) {
  struct words words;
  struct gperftools_cpu_header header;
  gperftools_cpu_read_header(l->rest, &words, &header);
  l->period = (int64_t)(header.period * 1000);
  l->period_type = (struct legacy_type){STR("cpu"), STR("nanoseconds")};
  legacy_add_type(l, STR("samples"), STR("count"));
  legacy_add_type(l, STR("cpu"), STR("nanoseconds"));
  gperftools_cpu_read_samples(l, &words, header.java);
  if (!builder_ok(l->builder)) return;
  l->rest = str_from(l->rest, l->rest.size - bytes_left(&words));
  if (header.java) {
    legacy_read_java_locations(l);
    return;
  }
  strip_signal_frames(l);
  legacy_read_memory_map(l);
  legacy_drop_repeated_leaves(l);
}

IMPORT_READER(import_gperftools_cpu) {
  legacy_import(read_gperftools_cpu, data, builder, arena);
}
