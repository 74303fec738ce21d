/* Creates a random profile that is large enough for each optimized code path, and reads it
 * completely or as sums of samples. The allocator moves blocks and fails. Creates a report, with
 * verdicts for two profiles. The time must grow with the size of the input, not with its square. */
#include "codec/codec.h"
#include "pprofc/builder.h"
#include "pprofc/symbolize.h"
#include "report_target.h"
#include "shape.h"

#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns a time limit in seconds. With sanitizers, the slowest report of a megabyte takes a few
 * seconds. */
static double most_seconds(size_t bytes) {
  return 6 + 6 * (double)bytes / (1 << 20);
}

static pprofc_profile *read_added_up(pprofc_str bytes, const pprofc_allocator *mem,
                                     unsigned threads, unsigned how) {
  pprofc_limits limits = fuzz_limits();
  pprofc_profile *profile = NULL;
  const struct fold_options options = {.mem = mem,
                                       .limits = &limits,
                                       .threads = threads,
                                       .labels = !(how & 1),
                                       .tree = how & 1,
                                       .always = true,
                                       .sample_index = how & 1 ? "" : NULL};
  pprofc_status status = fold_read_memory(bytes.data, bytes.size, &options, &profile);
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  return profile;
}

static pprofc_profile *read_whole(pprofc_str bytes, const pprofc_allocator *mem, unsigned threads) {
  pprofc_limits limits = fuzz_limits();
  pprofc_profile *profile = NULL;
  pprofc_read_options options;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_read_options_init(&options);
  options.limits = &limits;
  options.allocator = mem;
  options.threads = threads;
  pprofc_status status =
      pprofc_profile_read_memory(bytes.data, bytes.size, &options, &profile, &error);
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  REQUIRE(profile || (error.status == status && error.message[0]));
  return profile;
}

struct made {
  size_t bytes;
  unsigned threads;
  pprofc_profile *profile, *difference;
  pprofc_verdicts *verdicts;
};

static pprofc_profile *make_profile(struct shape *s, struct made *made, const pprofc_allocator *mem,
                                    bool added_up, unsigned how) {
  pprofc_str bytes = shape_write(s);
  made->bytes += bytes.size;
  pprofc_profile *profile = added_up ? read_added_up(bytes, mem, made->threads, how)
                                     : read_whole(bytes, mem, made->threads);
  buffer_free(&s->out);
  return profile;
}

/* Returns a profile of one function, whose mangled name has 60,000 levels. */
static pprofc_profile *make_deep_name(unsigned how) {
  pprofc_profile *profile = NULL;
  pprofc_builder *builder = pprofc_builder_new(NULL);
  struct buffer name;
  buffer_init(&name, &mem_default, SIZE_MAX);
  shape_mangled(&name, how, 60000);
  buffer_add_char(&name, '\0');
  pprofc_builder_type(builder, "samples", "count");
  uint32_t frame = pprofc_builder_frame(builder, name.data, "", 0);
  const int64_t one = 1;
  pprofc_builder_sample(builder, &frame, 1, &one);
  REQUIRE(pprofc_builder_finish(builder, &profile, NULL) == PPROFC_OK);
  pprofc_builder_free(builder);
  buffer_free(&name);
  return profile;
}

/* Demangles the names of the profile, and replaces the profile by the result. */
static void demangle_names(struct made *made, unsigned how) {
  pprofc_profile *named = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_symbolize_options options;
  pprofc_symbolize_options_init(&options);
  options.mode = how & 2 ? "remote:demangle=full" : "remote:demangle=templates";
  pprofc_status status = pprofc_symbolize(made->profile, &options, &named, &error);
  REQUIRE((status == PPROFC_OK) == (named != NULL));
  if (!named) return;
  pprofc_profile_release(made->profile);
  made->profile = named;
}

/* Creates a second profile from the same input with another end. The two profiles then share sample
 * types, functions and labels. Compares them. */
static void compare(struct shape *again, struct made *made, const pprofc_allocator *mem) {
  pprofc_profile *base = make_profile(again, made, mem, false, 0);
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  if (base && pprofc_diff(made->profile, base, PPROFC_COMPARE, false, &made->difference, &error) ==
                  PPROFC_OK) {
    const pprofc_verdict_run runs[2] = {{.profile = base}, {.profile = made->profile}};
    pprofc_verdict_options options;
    pprofc_verdict_options_init(&options);
    options.places = options.stacks = made->threads & 1;
    pprofc_status status =
        pprofc_verdicts_new(&runs[0], 1, &runs[1], 1, &options, &made->verdicts, &error);
    REQUIRE((status == PPROFC_OK) == (made->verdicts != NULL));
  }
  pprofc_profile_release(base);
}

/* Returns the index of a random report. Half of the time it is a report that depends much on labels
 * and names. The environment variable FUZZ_REPORT sets it. */
static size_t draw_report(struct shape *s) {
  size_t chosen = shape_below(s, REPORT_COUNT);
  const char *only = getenv("FUZZ_REPORT"), *often = shape_byte(s) & 1 ? "flame" : "dot";
  if (only) often = only;
  if (shape_byte(s) & 1 || only)
    for (size_t i = 0; i < REPORT_COUNT; i++)
      if (strcmp(reports[i].format, often) == 0) chosen = i;
  return chosen;
}

static void report(struct shape *s, struct made *made) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  uint8_t choices[64] = {0};
  bool plain = shape_byte(s) & 3;
  for (size_t i = 0; i < sizeof choices && !plain; i++) choices[i] = (uint8_t)shape_byte(s);
  struct bytes in = {choices, choices + sizeof choices};
  char title[64];
  if (!plain) {
    take_options(&in, &options);
    take_drawing(&in, &options, title);
  }
  options.argument = "n1|main|a";
  options.source_path = "/nowhere";
  options.threads = made->threads;
  options.verdicts = made->verdicts;
  for (unsigned left = made->bytes < 20000 ? 3 : 1; left; left--)
    report_make(made->difference ? made->difference : made->profile, &options, draw_report(s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct shape s;
  shape_open(&s, data, size);
  struct shape_memory memory = shape_memory_of(&s);
  const pprofc_allocator mem = shape_allocator(&memory);
  unsigned how = shape_byte(&s);
  struct made made = {.threads = how & 64 ? 3 : 1};
  struct shape again = s;
  double began = seconds();
  made.profile = make_profile(&s, &made, &mem, (how & 12) == 4, how);
  if (made.profile && how & 32) demangle_names(&made, how);
  if (how & 32) {
    struct made deep = {.profile = make_deep_name(how)};
    demangle_names(&deep, how);
    pprofc_profile_release(deep.profile);
  }
  again.random ^= how & 16;
  if (made.profile && (how & 12) == 12) compare(&again, &made, &mem);
  if (made.profile) report(&s, &made);
  REQUIRE(seconds() - began < most_seconds(made.bytes));
  pprofc_verdicts_free(made.verdicts);
  pprofc_profile_release(made.difference);
  pprofc_profile_release(made.profile);
  REQUIRE(memory.live == 0);
  /* The two profiles have separate budgets. */
  REQUIRE(memory.peak <= 2 * fuzz_limits().memory_bytes);
  return 0;
}
