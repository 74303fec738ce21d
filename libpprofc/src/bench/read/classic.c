/* Reads benchmark text by the rules of benchstat before 2021. Keeps the units. Ignores invalid
 * lines without a message. */
#include "bench/read/readers.h"

#include "core/array.h"

/* State of the header. Keys before an empty line apply to the whole file, if they come before the
 * first result. */
struct read_classic_header {
  bool over; /* true once the first result was read */
  size_t permanent;
  uint32_t *keys;
  size_t capacity;
};

static bool is_permanent(const struct read_classic_header *header, const struct bench_sink *sink,
                         pprofc_str key) {
  for (size_t i = 0; i < header->permanent; i++)
    if (str_equal(set_string(sink->set, header->keys[i]), key)) return true;
  return false;
}

static void keep_header(struct read_classic_header *header, struct bench_sink *sink) {
  header->permanent = 0;
  for (size_t i = 0; i < sink->pair_count; i++) {
    if (!ARRAY_PUSH(&sink->set->mem, header->keys, header->permanent, header->capacity,
                    sink->pairs[i].key))
      sink_fail(sink);
  }
}

/* Reads pairs of value and unit. Skips a pair whose value is not a number. */
static void classic_read_pairs(struct bench_sink *sink, pprofc_str rest) {
  for (;;) {
    pprofc_str number = bench_take_field(&rest), unit = bench_take_field(&rest);
    double value;
    if (!unit.size) return;
    if (float_read(number, &value) == NUMBER_OK) sink_value(sink, value, unit);
  }
}

/* Reads a benchmark line. Returns true if the line ends the header. */
static bool classic_read_benchmark(struct bench_sink *sink, pprofc_str line, uint64_t number) {
  pprofc_str rest = line, name = bench_take_field(&rest);
  if (!str_starts(name, STR("Benchmark")) || name.size == line.size) return false;
  pprofc_str count = bench_take_field(&rest), start = rest;
  int64_t iterations = 0;
  if (number_parse_int(count, &iterations) == NUMBER_RANGE) iterations = INT64_MAX;
  (void)bench_take_field(&start);
  if (iterations == 0 || !start.size) return true;
  sink_result(sink, str_slice(name, 9, name.size), iterations, number);
  classic_read_pairs(sink, rest);
  return true;
}

void bench_read_classic_lines(const struct bench_source *source) {
  struct bench_sink *sink = source->sink;
  struct read_classic_header header = {.over = false};
  pprofc_str rest = source->data, line, value;
  for (uint64_t number = 1; sink->status == PPROFC_OK && str_next_line(&rest, &line); number++) {
    size_t key = bench_config_line(line, &value);
    if (key) {
      if (!is_permanent(&header, sink, str_slice(line, 0, key)))
        sink_config(sink, str_slice(line, 0, key), value);
      continue;
    }
    header.permanent = 0;
    if (!line.size && !header.over) keep_header(&header, sink);
    header.over |= classic_read_benchmark(sink, line, number);
  }
  mem_free(&sink->set->mem, header.keys, header.capacity, sizeof *header.keys);
}
