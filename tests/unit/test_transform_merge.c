/* Tests merging: the items that count as equal, the order of ids, and the header of the result. */
#include "check_profile.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "profile_text.h"
#include "transform/transform.h"
#include "unit.h"

/* Merges the sources and releases them, because the result must not depend on them. */
static pprofc_profile *merge(pprofc_profile **sources, size_t count) {
  pprofc_profile *merged = NULL;
  pprofc_error error = {0};
  pprofc_status status =
      pprofc_merge((const pprofc_profile *const *)sources, count, &merged, &error);
  if (status != PPROFC_OK) printf("\n%s\n", error.message);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
  for (size_t i = 0; i < count; i++) pprofc_profile_release(sources[i]);
  CU_ASSERT_EQUAL(profile_check(merged, &error), PPROFC_OK);
  return merged;
}

TEST(test_one_profile_comes_back_as_it_is) {
  pprofc_builder *b = cpu_builder();
  sample(b, "a main", 0, 0);
  sample(b, "b main", 5, 0);
  sample(b, "b main", 5, 0);
  frame(b, "unused");
  pprofc_profile *source = finish(b), *p = merge(&source, 1);
  expect_samples(p, "0: 1 2 | a main\n5: 3 2 | b main\n5: 3 2 | b main\n");
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 4);
  pprofc_profile_release(p);
}

TEST(test_equal_stacks_add_up_and_ids_follow_first_use) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  frame(b, "unused");
  sample(b, "z main", 0, 0); /* all values are zero, so the sample is dropped, and z gets no id */
  sample(b, "a main", 1, 0);
  sample(b, "b a main", 2, 0);
  sample(c, "c main", 4, 0);
  sample(c, "a main", 8, 0);
  pprofc_profile *sources[] = {finish(b), finish(c)}, *p = merge(sources, 2);
  expect_samples(p, "9: 1 2 | a main\n2: 3 1 2 | b a main\n4: 4 2 | c main\n");
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 4);
  CU_ASSERT_EQUAL(pprofc_profile_function_count(p), 4);
  CU_ASSERT(str_equal(pprofc_profile_function(p, 1).name, STR("main")));
  pprofc_profile_release(p);
}

TEST(test_sums_that_become_zero_go_with_what_only_they_used) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  sample(b, "gone main", 5, 0);
  sample(b, "stays main", 7, 0);
  sample(c, "gone main", -5, 0);
  pprofc_profile *sources[] = {finish(b), finish(c)}, *p = merge(sources, 2);
  expect_samples(p, "7: 1 2 | stays main\n");
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 2);
  CU_ASSERT_EQUAL(pprofc_profile_function_count(p), 2);
  pprofc_profile_release(p);
}

static void labelled(pprofc_builder *b, int64_t value, int order) {
  sample(b, "a", value, 0);
  if (order == 1) pprofc_builder_label(b, "k", "1");
  pprofc_builder_number_label(b, "bytes", 64, "kb");
  pprofc_builder_label(b, "j", "x");
  if (order == 2) pprofc_builder_label(b, "k", "1");
}

TEST(test_labels_tell_samples_apart_whatever_the_order_of_keys) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  labelled(b, 1, 0);
  labelled(b, 2, 1);
  labelled(c, 4, 2);
  sample(c, "a", 8, 0);
  pprofc_builder_number_label(c, "bytes", 64, "b");
  pprofc_builder_label(c, "j", "x");
  pprofc_profile *sources[] = {finish(b), finish(c)}, *p = merge(sources, 2);
  expect_samples(p, "1: 1 | a | bytes=64:kb j=x\n"
                    "6: 1 | a | k=1 bytes=64:kb j=x\n"
                    "8: 1 | a | bytes=64:b j=x\n");
  pprofc_profile_release(p);
}

TEST(test_values_of_one_key_have_an_order) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  sample(b, "a", 1, 0);
  pprofc_builder_label(b, "k", "1");
  pprofc_builder_label(b, "k", "2");
  sample(c, "a", 1, 0);
  pprofc_builder_label(c, "k", "2");
  pprofc_builder_label(c, "k", "1");
  pprofc_profile *sources[] = {finish(b), finish(c)}, *p = merge(sources, 2);
  expect_samples(p, "1: 1 | a | k=1 k=2\n1: 1 | a | k=2 k=1\n");
  pprofc_profile_release(p);
}

TEST(test_a_profile_without_time_resets_the_time) {
  const struct {
    int64_t times[3], merged;
  } cases[] = {{{5, 0, -1}, 0}, {{0, 5, -1}, 5}, {{5, 0, 7}, 7}, {{9, 5, 7}, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_profile *sources[3];
    size_t count = 0;
    for (; count < 3 && cases[i].times[count] >= 0; count++) {
      pprofc_builder *b = cpu_builder();
      pprofc_builder_time(b, cases[i].times[count], 10);
      sample(b, "a", 1, 0);
      sources[count] = finish(b);
    }
    pprofc_profile *p = merge(sources, count);
    pprofc_header header;
    pprofc_profile_header(p, &header);
    CU_ASSERT_EQUAL(header.time_nanos, cases[i].merged);
    CU_ASSERT_EQUAL(header.duration_nanos, (int64_t)(10 * count));
    pprofc_profile_release(p);
  }
}

TEST(test_header_takes_the_first_of_most_the_longest_period_and_all_comments) {
  pprofc_builder *b = cpu_builder(), *c = cpu_builder();
  pprofc_builder_period(b, "cpu", "nanoseconds", 100);
  pprofc_builder_comment(b, "one");
  pprofc_builder_comment(b, "two");
  pprofc_builder_drop_frames(b, "drop", "keep");
  pprofc_builder_period(c, "cpu", "nanoseconds", 200);
  pprofc_builder_comment(c, "two");
  pprofc_builder_comment(c, "three");
  pprofc_builder_doc_url(c, "http://example.com/");
  pprofc_builder_default_type(c, "cpu");
  pprofc_builder_drop_frames(c, "other", "");
  sample(b, "a", 1, 0);
  sample(c, "a", 1, 0);
  pprofc_profile *sources[] = {finish(b), finish(c)}, *p = merge(sources, 2);
  pprofc_header h;
  pprofc_profile_header(p, &h);
  CU_ASSERT_EQUAL(h.period, 200);
  CU_ASSERT_EQUAL_FATAL(h.comment_count, 3);
  CU_ASSERT(str_equal(pprofc_profile_comment(p, 2), STR("three")));
  CU_ASSERT(str_equal(h.drop_frames, STR("drop")));
  CU_ASSERT(str_equal(h.keep_frames, STR("keep")));
  CU_ASSERT(str_equal(h.doc_url, STR("http://example.com/")));
  CU_ASSERT(str_equal(h.default_sample_type, STR("cpu")));
  pprofc_profile_release(p);
}

/* Returns a profile with one sample at an address of a mapping. Two sources may load the mapping at
 * different addresses. */
static pprofc_profile *mapped(uint64_t start, const char *build_id, const char *file,
                              uint64_t address) {
  pprofc_builder *b = cpu_builder();
  pprofc_builder_mapping(b, start + 0x100000, start + 0x101000, 0, "/lib/unused.so", NULL, 0);
  uint32_t m = pprofc_builder_mapping(b, start, start + 0x1800, 0x40, file, build_id, 0);
  uint32_t location = pprofc_builder_location(b, m, address, NULL, 0);
  int64_t value = 1;
  pprofc_builder_sample(b, &location, 1, &value);
  return finish(b);
}

TEST(test_mappings_with_one_build_id_are_one_wherever_they_are_loaded) {
  pprofc_profile *sources[] = {mapped(0x10000, "id", "/bin/a", 0x10020),
                               mapped(0x70000, "id", "/bin/b", 0x70020),
                               mapped(0x70000, "other", "/bin/b", 0x70020)};
  pprofc_profile *p = merge(sources, 3);
  expect_samples(p, "2: 1 | 0x10020\n1: 2 | 0x70020\n");
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_mapping_count(p), 3);
  /* The first mapping of the first profile must stay first, although no sample uses it. */
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, 0).file, STR("/lib/unused.so")));
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, 1).file, STR("/bin/a")));
  CU_ASSERT_EQUAL(pprofc_profile_mapping(p, 2).id, 3);
  pprofc_profile_release(p);
}

static pprofc_profile *with_columns(int64_t inner, int64_t outer) {
  pprofc_builder *b = cpu_builder();
  uint32_t f = pprofc_builder_function(b, "in", NULL, "f.c", 0);
  uint32_t g = pprofc_builder_function(b, "out", NULL, "f.c", 0);
  pprofc_line lines[] = {{f, 1, inner}, {g, 2, outer}};
  uint32_t location = pprofc_builder_location(b, PPROFC_NONE, 0, lines, 2);
  int64_t value = 1;
  pprofc_builder_sample(b, &location, 1, &value);
  return finish(b);
}

TEST(test_columns_of_inlined_frames_do_not_count) {
  pprofc_profile *sources[] = {with_columns(5, 7), with_columns(6, 7), with_columns(5, 8)};
  pprofc_profile *p = merge(sources, 3);
  expect_samples(p, "2: 1 | in>out\n1: 2 | in>out\n");
  CU_ASSERT_EQUAL(pprofc_profile_line(p, 0, 0).column, 5);
  CU_ASSERT_EQUAL(pprofc_profile_line(p, 1, 1).column, 8);
  pprofc_profile_release(p);
}

static pprofc_profile *typed(const char *types[][2], size_t count, int64_t value) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  int64_t values[4];
  for (size_t i = 0; i < count; i++) {
    pprofc_builder_type(b, types[i][0], types[i][1]);
    values[i] = value + (int64_t)i;
  }
  uint32_t a = frame(b, "a");
  pprofc_builder_sample(b, &a, 1, values);
  return finish(b);
}

TEST(test_types_that_all_have_stay_in_the_order_of_the_first) {
  const char *first[][2] = {{"samples", "count"}, {"cpu", "ms"}, {"wall", "ms"}};
  const char *second[][2] = {{"cpu", "us"}, {"samples", "count"}};
  pprofc_profile *sources[] = {typed(first, 3, 10), typed(second, 2, 20)}, *p = merge(sources, 2);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_type_count(p), 2);
  CU_ASSERT(str_equal(pprofc_profile_type(p, 1).unit, STR("us")));
  expect_samples(p, "31 11020: 1 | a\n");
  pprofc_header h;
  pprofc_profile_header(p, &h);
  CU_ASSERT(str_equal(h.default_sample_type, STR("samples")));
  pprofc_profile_release(p);
}

static void expect_refusal(pprofc_profile *a, pprofc_profile *b, const char *message) {
  const pprofc_profile *sources[] = {a, b};
  pprofc_profile *merged = NULL;
  pprofc_error error = {0};
  pprofc_status status = pprofc_merge(sources, b ? 2 : 1, &merged, &error);
  expect_message(status, PPROFC_E_INVALID, &error, message);
  CU_ASSERT_PTR_NULL(merged);
  pprofc_profile_release(a);
  pprofc_profile_release(b);
}

TEST(test_what_cannot_be_merged) {
  const char *cpu[][2] = {{"cpu", "nanoseconds"}};
  const char *bytes[][2] = {{"cpu", "bytes"}};
  const char *other[][2] = {{"wall", "nanoseconds"}};
  const char *twice[][2] = {{"cpu", "nanoseconds"}, {"cpu", "nanoseconds"}};
  expect_refusal(typed(cpu, 1, 1), typed(bytes, 1, 1),
                 "sample types: incompatible types: {cpu nanoseconds 0 0} {cpu bytes 0 0}");
  expect_refusal(typed(cpu, 1, 1), typed(other, 1, 1),
                 "profiles have empty common sample type list");
  expect_refusal(typed(twice, 2, 1), NULL, "profiles have empty common sample type list");
  pprofc_builder *b = cpu_builder(), *c = cpu_builder(), *d = cpu_builder(), *e = cpu_builder();
  pprofc_builder_period(b, "space", "bytes", 1);
  pprofc_builder_period(c, "cpu", "nanoseconds", 1);
  pprofc_builder_period(d, "cpu", "nanoseconds", 1);
  pprofc_builder_period(e, "cpus", "nanoseconds", 1);
  expect_refusal(finish(b), finish(c),
                 "period type: incompatible types: {space bytes 0 0} {cpu nanoseconds 0 0}");
  expect_refusal(finish(d), finish(e),
                 "incompatible period types &{cpu nanoseconds 0 0} and &{cpus nanoseconds 0 0}");
}

/* There are more profiles than the code merges at once, and more than it keeps unchanged. */
TEST(test_many_profiles_give_the_same_as_two_at_a_time) {
  pprofc_profile *sources[300];
  for (size_t i = 0; i < 300; i++) {
    pprofc_builder *b = cpu_builder();
    char name[32];
    snprintf(name, sizeof name, "f%zu main", i % 7);
    sample(b, name, (int64_t)i, 0);
    sources[i] = finish(b);
  }
  pprofc_profile *p = merge(sources, 300);
  expect_samples(p, "6364: 1 2 | f1 main\n6407: 3 2 | f2 main\n6450: 4 2 | f3 main\n"
                    "6493: 5 2 | f4 main\n6536: 6 2 | f5 main\n6279: 7 2 | f6 main\n"
                    "6321: 8 2 | f0 main\n");
  pprofc_profile_release(p);
}

enum { PILED = 128 * 65 + 3 }; /* number of profiles: groups of groups of eight, and a remainder */

/* Creates sources. Each 600th source has the same stack. With `timeless`, the last source of the
 * 12th group of 128 has no time. */
static void piled(pprofc_profile **sources, bool timeless) {
  for (size_t i = 0; i < PILED; i++) {
    pprofc_builder *b = cpu_builder();
    char name[48];
    snprintf(name, sizeof name, "own%zu shared%zu main", i % 600, i % 12);
    sample(b, name, (int64_t)i + 1, 0);
    pprofc_builder_time(b, timeless && i == 12 * 128 - 1 ? 0 : (int64_t)i + 1, 10);
    sources[i] = finish(b);
  }
}

/* Adds up the sources as pprof does: the first 128, then the next 128 together with the sum, and so
 * on. */
static pprofc_profile *in_a_chain(pprofc_profile **sources) {
  pprofc_profile *sum = NULL;
  for (size_t from = 0; from < PILED; from += 128) {
    size_t count = PILED - from < 128 ? PILED - from : 128;
    pprofc_profile *next = merge(sources + from, count);
    pprofc_profile *both[] = {sum, next};
    sum = sum ? merge(both, 2) : next;
  }
  return sum;
}

static void expect_as_in_a_chain(bool timeless, size_t negative) {
  pprofc_profile **sources = malloc(PILED * sizeof *sources);
  pprofc_header got, wanted;
  pprofc_profile *sums[2];
  CU_ASSERT_FATAL(sources != NULL);
  piled(sources, timeless);
  if (negative) { /* own0 is removed after this profile, and added again after all other names */
    pprofc_builder *b = cpu_builder();
    sample(b, "own0 shared0 main", -1, 0);
    pprofc_builder_time(b, 1, 10);
    pprofc_profile_release(sources[negative]);
    sources[negative] = finish(b);
  }
  for (size_t i = 0; i < PILED; i++) pprofc_profile_retain(sources[i]);
  sums[0] = merge(sources, PILED);
  sums[1] = in_a_chain(sources);
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  text_of_samples(&text, sums[1]);
  buffer_add_char(&text, '\0');
  CU_ASSERT_FATAL(!text.failed);
  expect_samples(sums[0], text.data);
  buffer_free(&text);
  pprofc_profile_header(sums[0], &got);
  pprofc_profile_header(sums[1], &wanted);
  CU_ASSERT_EQUAL(got.time_nanos, wanted.time_nanos);
  CU_ASSERT(!timeless || wanted.time_nanos == 12 * 128 + 1);
  CU_ASSERT_EQUAL(got.duration_nanos, wanted.duration_nanos);
  for (size_t way = 0; way < 2; way++) pprofc_profile_release(sums[way]);
  free(sources);
}

TEST(test_sums_that_are_gone_on_the_way_come_again_behind_others) {
  expect_as_in_a_chain(false, 500);
}

TEST(test_times_of_0_hide_the_times_before_them_in_any_number_of_profiles) {
  expect_as_in_a_chain(true, 0);
}

/* Returns the frame with a number. Searches its name only once. */
static uint32_t numbered(pprofc_builder *b, uint32_t known[], size_t number) {
  char name[32];
  if (known[number] != PPROFC_NONE) return known[number];
  snprintf(name, sizeof name, "f%zu", number);
  return known[number] = frame(b, name);
}

static pprofc_profile *large(size_t samples, size_t from) {
  pprofc_builder *b = cpu_builder();
  uint32_t frames[20], known[256 + 20];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) known[i] = PPROFC_NONE;
  for (size_t i = 0; i < samples; i++) {
    size_t n = i + from;
    for (size_t d = 0; d < 20; d++)
      frames[d] = numbered(b, known, d < 2 ? (n >> (d * 8)) % 256 : 256 + d);
    int64_t value = (int64_t)n;
    pprofc_builder_sample(b, frames, 20, &value);
  }
  return finish(b);
}

TEST(test_large_profiles_share_their_stacks) {
  enum { COUNT = 40000, SHIFT = 1000 };
  pprofc_profile *sources[] = {large(COUNT, 0), large(COUNT, SHIFT)}, *p = merge(sources, 2);
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT_EQUAL_FATAL(view.count, COUNT + SHIFT - 1); /* sample 0 is missing, because all of its
                                                           values were zero */
  bool same = true;
  for (size_t i = 0; i < view.count; i++) {
    size_t n = i + 1;
    int64_t times = n < SHIFT || n >= COUNT ? 1 : 2;
    uint32_t frames[20];
    char name[32];
    same = same && view.values[i] == (int64_t)n * times &&
           pprofc_profile_stack(p, i, frames, 20) == 20;
    snprintf(name, sizeof name, "f%zu", (n >> 8) % 256);
    pprofc_line line = pprofc_profile_line(p, frames[1], 0);
    same = same && str_equal(pprofc_profile_function(p, line.function).name, str_of(name));
  }
  CU_ASSERT(same);
  pprofc_profile_release(p);
}

/* Sums of positive values can also be 0 if they wrap around. */
TEST(test_sums_that_wrap_around_to_zero_go_with_what_only_they_used) {
  pprofc_profile *sources[4];
  for (size_t i = 0; i < 4; i++) {
    pprofc_builder *b = cpu_builder();
    if (i % 2) frame(b, "unused"); /* makes the same frames have other ids */
    sample(b, "gone main", (int64_t)1 << 62, 0);
    sample(b, "stays main", 7, 0);
    sources[i] = finish(b);
  }
  pprofc_profile *p = merge(sources, 4);
  expect_samples(p, "28: 1 2 | stays main\n");
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 2);
  pprofc_profile_release(p);
}

/* Writes the merged profile with this number of threads. Sources begin with different frames, so
 * equal frames have other ids in each source. */
static void merged_with(unsigned threads, size_t count, size_t samples, struct buffer *file) {
  pprofc_profile *sources[128];
  for (size_t i = 0; i < count; i++) {
    sources[i] = large(samples, i * samples / 2);
    sources[i]->threads = threads;
  }
  pprofc_profile *p = merge(sources, count);
  buffer_init(file, &mem_default, SIZE_MAX / 2);
  CU_ASSERT_EQUAL(pprofc_profile_write(p, buffer_write, file, NULL), PPROFC_OK);
  pprofc_profile_release(p);
}

/* One thread reads each sample once; several threads read all samples several times. */
TEST(test_one_thread_gives_the_same_as_many) {
  static const struct {
    size_t count, samples;
  } sizes[] = {{90, 1000}, {3, 30000}}; /* stacks are copied with the first sizes, and shared with
                                           the sources with the second */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct buffer one, many;
    merged_with(1, sizes[i].count, sizes[i].samples, &one);
    merged_with(8, sizes[i].count, sizes[i].samples, &many);
    CU_ASSERT(one.size > 1000 && one.size == many.size);
    CU_ASSERT(one.size == many.size && memcmp(one.data, many.data, one.size) == 0);
    buffer_free(&one);
    buffer_free(&many);
  }
}

TEST(test_scaling_rounds_and_drops_what_becomes_zero) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "ns");
  sample(b, "a", 3, 1);
  sample(b, "b", 3, 5);
  sample(b, "c", 3, -15);
  pprofc_profile *p = finish(b), *scaled = NULL;
  pprofc_error error;
  double ratios[] = {1, 0.1};
  CU_ASSERT_EQUAL_FATAL(pprofc_scale(p, ratios, &scaled, &error), PPROFC_OK);
  /* Frame a is removed although its first value, which was not scaled, is not 0. */
  expect_samples(scaled, "3 1: 2 | b\n3 -2: 3 | c\n");
  pprofc_profile_release(scaled);
  double ones[] = {1, 1};
  CU_ASSERT_EQUAL_FATAL(pprofc_scale(p, ones, &scaled, &error), PPROFC_OK);
  expect_samples(scaled, "3 1: 1 | a\n3 5: 2 | b\n3 -15: 3 | c\n");
  pprofc_profile_release(scaled);
  CU_ASSERT_EQUAL_FATAL(transform_divide(p, 0.25, &scaled, &error), PPROFC_OK);
  expect_samples(scaled, "0 0: 1 | a\n0 1: 2 | b\n0 -3: 3 | c\n");
  pprofc_profile_release(scaled);
  pprofc_profile_release(p);
}
