/* Reads the binary CPU profile of gperftools, in its native form and its Java form: a stream of
 * machine words of 4 or 8 bytes in either byte order (docs/spec/pprof.md, 5.1). */
#include "import/formats.h"
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

/* Reads the header of five words: 0, 3, 1 for Java or else 0, the period, 0. */
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

/* Reads records of a count, a depth and addresses, up to the record 0, 1, 0. */
static pprofc_status gperftools_cpu_read_samples(struct legacy *l, struct words *w, bool java) {
  while (bytes_left(w)) {
    uint64_t count = gperftools_cpu_next_word(w), depth = gperftools_cpu_next_word(w);
    if (w->ended || depth > bytes_left(w) / 4) return PPROFC_E_NO_MATCH;
    if (depth > l->limits->stack_depth)
      return error_set(l->error, PPROFC_E_LIMIT,
                       "sample has more than %u frames (raise the limit stack_depth)",
                       l->limits->stack_depth);
    for (uint64_t i = 0; i < depth; i++) {
      uint64_t address = gperftools_cpu_next_word(w);
      if (count == 0 && depth == 1 && address == 0) return PPROFC_OK;
      legacy_add_frame(l, java || i == 0 ? address : address - 1);
    }
    int64_t values[2] = {(int64_t)count, (int64_t)(count * (uint64_t)l->period)};
    legacy_add_sample(l, values, 0);
  }
  return PPROFC_OK;
}

/* Finds an address that is the second frame of at least 31/32 of the samples. `counts` has a zero
 * for each location. */
static bool common_second_frame(const struct legacy *l, uint32_t *counts, uint64_t *address) {
  const size_t similar = 32;
  size_t samples = legacy_sample_count(l);
  for (size_t i = 0; i < samples; i++) {
    const struct legacy_sample *s = &legacy_samples(l)[i];
    if (s->depth < 2) continue;
    uint32_t location = legacy_frames(l)[s->first + 1];
    if (++counts[location] < samples - samples / similar) continue;
    *address = legacy_locations(l)[location].address;
    return true;
  }
  return false;
}

/* Removes up to two frames of the signal handler. Such a frame is the second frame of nearly every
 * stack. */
static pprofc_status strip_signal_frames(struct legacy *l) {
  const int rounds = 2;
  size_t locations = legacy_location_count(l);
  for (int round = 0; round < rounds; round++) {
    uint32_t *counts = mem_zero_array(l->mem, locations, sizeof *counts);
    if (!counts) return error_nomem(l->error);
    uint64_t address;
    bool found = common_second_frame(l, counts, &address);
    mem_free(l->mem, counts, locations, sizeof *counts);
    for (size_t i = 0; found && i < legacy_sample_count(l); i++) {
      struct legacy_sample *s = &legacy_samples(l)[i];
      if (s->depth > 1 && legacy_frame_address(l, s, 1) == address) legacy_drop_second_frame(l, s);
    }
  }
  return PPROFC_OK;
}

static pprofc_status finish_native(struct legacy *l, struct lines *rest) {
  pprofc_status status = strip_signal_frames(l);
  if (status == PPROFC_OK) status = legacy_read_memory_map(l, rest);
  if (status == PPROFC_OK) legacy_drop_repeated_leaves(l);
  return status;
}

static pprofc_status read_gperftools_cpu(struct legacy *l, pprofc_str data) {
  struct words words;
  struct gperftools_cpu_header header;
  if (!gperftools_cpu_read_header(data, &words, &header)) return PPROFC_E_NO_MATCH;
  l->period = (int64_t)(header.period * 1000);
  l->period_type = (struct legacy_type){STR("cpu"), STR("nanoseconds")};
  legacy_add_type(l, STR("samples"), STR("count"));
  legacy_add_type(l, STR("cpu"), STR("nanoseconds"));
  pprofc_status status = gperftools_cpu_read_samples(l, &words, header.java);
  if (status == PPROFC_OK) status = legacy_status(l);
  if (status != PPROFC_OK) return status;
  size_t size = bytes_left(&words);
  struct lines rest = lines_of(str_slice(data, data.size - size, data.size));
  return header.java ? legacy_read_java_locations(l, rest.rest) : finish_native(l, &rest);
}

IMPORT_READER(import_gperftools_cpu) {
  return legacy_import(read_gperftools_cpu, data, mem, options, profile, error);
}
