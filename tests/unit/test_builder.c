/* Tests the builder: it stores equal items once, returns the first error, and keeps all added
 * data. */
#include "pprofc/builder.h"

#include "counting.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static bool is(pprofc_str s, const char *text) {
  return s.size == strlen(text) && memcmp(s.data, text, s.size) == 0;
}

/* Finishes and frees the builder. Returns NULL if the builder reports an error. */
static pprofc_profile *finish(pprofc_builder *builder) {
  pprofc_profile *profile = NULL;
  pprofc_status status = pprofc_builder_finish(builder, &profile, NULL);
  CU_ASSERT_EQUAL(status == PPROFC_OK, profile != NULL);
  pprofc_builder_free(builder);
  return profile;
}

TEST(test_equal_things_get_equal_indices) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  uint32_t m = pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "prog", "abc", 0);
  CU_ASSERT_EQUAL(m, pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "prog", "abc", 0));
  CU_ASSERT_NOT_EQUAL(m, pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "prog", "abd", 0));
  uint32_t f = pprofc_builder_function(b, "f", NULL, "f.c", 3);
  CU_ASSERT_EQUAL(f, pprofc_builder_function(b, "f", "f", "f.c", 3));
  CU_ASSERT_NOT_EQUAL(f, pprofc_builder_function(b, "f", "_f", "f.c", 3));
  CU_ASSERT_NOT_EQUAL(f, pprofc_builder_function(b, "f", "f", "f.c", 4));
  pprofc_line lines[2] = {{f, 5, 1}, {f, 9, 2}};
  uint32_t l = pprofc_builder_location(b, m, 0x1234, lines, 2);
  CU_ASSERT_EQUAL(l, pprofc_builder_location(b, m, 0x1234, lines, 2));
  CU_ASSERT_NOT_EQUAL(l, pprofc_builder_location(b, m, 0x1234, lines, 1));
  lines[0].column = 7;
  CU_ASSERT_NOT_EQUAL(l, pprofc_builder_location(b, m, 0x1234, lines, 2));
  pprofc_profile *p = finish(b);
  CU_ASSERT_EQUAL(pprofc_profile_mapping_count(p), 2);
  CU_ASSERT_EQUAL(pprofc_profile_function_count(p), 3);
  CU_ASSERT_EQUAL(pprofc_profile_location_count(p), 3);
  CU_ASSERT_EQUAL(pprofc_profile_line(p, l, 1).line, 9);
  CU_ASSERT_EQUAL(pprofc_profile_location(p, l).line_count, 2);
  pprofc_profile_release(p);
}

TEST(test_header_comes_back) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "objects", "count");
  pprofc_builder_type(b, "space", "bytes");
  pprofc_builder_default_type(b, "objects");
  pprofc_builder_period(b, "space", "bytes", 512);
  pprofc_builder_time(b, 11, 12);
  pprofc_builder_comment(b, "one");
  pprofc_builder_comment(b, "two");
  pprofc_builder_doc_url(b, "http://localhost/doc");
  pprofc_builder_drop_frames(b, "malloc", "main");
  pprofc_profile *p = finish(b);
  pprofc_header h;
  pprofc_profile_header(p, &h);
  CU_ASSERT(is(h.default_sample_type, "objects") && is(h.period_type.type, "space"));
  CU_ASSERT(h.period == 512 && h.time_nanos == 11 && h.duration_nanos == 12);
  CU_ASSERT(is(h.doc_url, "http://localhost/doc") && is(h.drop_frames, "malloc"));
  CU_ASSERT(is(h.keep_frames, "main") && h.comment_count == 2);
  CU_ASSERT(is(pprofc_profile_comment(p, 1), "two"));
  CU_ASSERT_EQUAL(pprofc_profile_type_count(p), 2);
  CU_ASSERT_EQUAL(pprofc_profile_default_type(p), 0);
  pprofc_profile_release(p);
}

TEST(test_samples_come_back_with_their_labels) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t frames[3] = {pprofc_builder_frame(b, "leaf", "a.c", 1),
                        pprofc_builder_frame(b, "mid", "a.c", 2),
                        pprofc_builder_frame(b, "main", "a.c", 3)};
  int64_t values[3] = {10, -20, INT64_MIN};
  pprofc_builder_sample(b, frames, 3, &values[0]);
  pprofc_builder_sample(b, frames + 1, 2, &values[1]);
  pprofc_builder_label(b, "thread", "main");
  pprofc_builder_number_label(b, "bytes", -64, "kb");
  pprofc_builder_sample(b, NULL, 0, &values[2]);
  pprofc_profile *p = finish(b);

  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT(view.count == 3 && view.types == 1 && memcmp(view.values, values, sizeof values) == 0);
  uint32_t stack[3];
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 0, stack, 3), 3);
  CU_ASSERT(memcmp(stack, frames, sizeof frames) == 0);
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 1, stack, 1), 2);
  CU_ASSERT_EQUAL(stack[0], frames[1]);
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 2, stack, 3), 0);
  CU_ASSERT_EQUAL(pprofc_profile_max_depth(p), 3);
  CU_ASSERT_EQUAL(pprofc_profile_label_count(p, 0), 0);
  CU_ASSERT_EQUAL(pprofc_profile_label_count(p, 1), 2);
  CU_ASSERT_EQUAL(pprofc_profile_label_count(p, 2), 0);
  pprofc_label text = pprofc_profile_label(p, 1, 0), number = pprofc_profile_label(p, 1, 1);
  CU_ASSERT(!text.is_number && is(text.key, "thread") && is(text.string, "main"));
  CU_ASSERT(number.is_number && is(number.key, "bytes") && number.number == -64 &&
            is(number.unit, "kb"));
  pprofc_profile_release(p);
}

TEST(test_an_empty_builder_gives_an_empty_profile) {
  pprofc_profile *p = finish(pprofc_builder_new(NULL));
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT_EQUAL(view.count, 0);
  CU_ASSERT_EQUAL(pprofc_profile_string_count(p), 1);
  pprofc_profile_release(p);
}

TEST(test_a_long_stack_crosses_chunks) {
  enum { DEPTH = 300000 };
  static uint32_t frames[DEPTH], back[DEPTH];
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "n", "count");
  char name[16];
  for (size_t i = 0; i < DEPTH; i++) {
    snprintf(name, sizeof name, "f%zu", i % 20000);
    frames[i] = pprofc_builder_frame(b, name, "", (int64_t)(i / 20000));
  }
  int64_t one = 1;
  for (size_t depth = DEPTH; depth; depth /= 3) pprofc_builder_sample(b, frames, depth, &one);
  pprofc_profile *p = finish(b);
  size_t sample = 0;
  for (size_t depth = DEPTH; depth; depth /= 3) {
    CU_ASSERT_EQUAL(pprofc_profile_stack(p, sample++, back, DEPTH), depth);
    CU_ASSERT(memcmp(frames, back, depth * sizeof *frames) == 0);
  }
  pprofc_profile_release(p);
}

/* Adds a sample without a type. Each of the next functions uses the builder incorrectly in one
 * respect. */
static void sample_without_type(pprofc_builder *b) {
  pprofc_builder_sample(b, NULL, 0, NULL);
}
static void sample_of_unknown_location(pprofc_builder *b) {
  pprofc_builder_type(b, "n", "count");
  uint32_t frame = 0;
  int64_t one = 1;
  pprofc_builder_sample(b, &frame, 1, &one);
}
static void location_of_unknown_mapping(pprofc_builder *b) {
  pprofc_builder_location(b, 0, 0, NULL, 0);
}
static void line_of_unknown_function(pprofc_builder *b) {
  pprofc_line line = {0, 1, 0};
  pprofc_builder_location(b, PPROFC_NONE, 0, &line, 1);
}
static void label_before_sample(pprofc_builder *b) {
  pprofc_builder_label(b, "key", "value");
}
static void type_after_sample(pprofc_builder *b) {
  int64_t one = 1;
  pprofc_builder_type(b, "n", "count");
  pprofc_builder_sample(b, NULL, 0, &one);
  pprofc_builder_type(b, "m", "count");
}

TEST(test_the_first_error_sticks) {
  static const struct {
    void (*mistake)(pprofc_builder *);
    const char *message;
  } cases[] = {
      {sample_without_type, "missing sample type information"},
      {sample_of_unknown_location, "a sample with an unknown location"},
      {location_of_unknown_mapping, "a location with an unknown mapping"},
      {line_of_unknown_function, "a line with an unknown function"},
      {label_before_sample, "a label before the first sample"},
      {type_after_sample, "a sample type after the first sample"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_builder *b = pprofc_builder_new(NULL);
    cases[i].mistake(b);
    line_of_unknown_function(b);
    CU_ASSERT_EQUAL(pprofc_builder_frame(b, "f", "f.c", 1), PPROFC_NONE);
    pprofc_builder_period(b, "a", "b", 1);
    pprofc_profile *p = NULL;
    pprofc_error error = {0};
    CU_ASSERT_EQUAL(pprofc_builder_finish(b, &p, &error), PPROFC_E_INVALID);
    CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
    CU_ASSERT_PTR_NULL(p);
    pprofc_builder_free(b);
  }
}

TEST(test_finish_works_once) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_profile *p = NULL, *again = NULL;
  CU_ASSERT_EQUAL(pprofc_builder_finish(b, &p, NULL), PPROFC_OK);
  pprofc_builder_frame(b, "f", "f.c", 1);
  CU_ASSERT_EQUAL(pprofc_builder_finish(b, &again, NULL), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(again);
  pprofc_builder_free(b);
  pprofc_profile_release(p);
}

TEST(test_texts_with_a_length_keep_every_byte) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  const pprofc_str odd = {"a\0b(", 3};
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_mapping mapping = {.start = 1, .limit = 9, .file = odd, .has_inline_frames = true};
  CU_ASSERT_EQUAL(pprofc_builder_add_mapping(b, &mapping), 0);
  pprofc_function function = {.name = odd, .start_line = 7};
  uint32_t f = pprofc_builder_add_function(b, &function);
  function.system_name = odd; /* counts as a function without a name */
  CU_ASSERT_EQUAL(pprofc_builder_add_function(b, &function), f);
  const pprofc_line line = {f, 8, 0};
  const uint32_t frame = pprofc_builder_location(b, 0, 5, &line, 1);
  pprofc_builder_sample(b, &frame, 1, &(int64_t){1});
  pprofc_builder_add_label(b, &(pprofc_label){.key = odd, .string = odd, .number = 5});
  pprofc_builder_add_label(b, &(pprofc_label){.key = odd, .is_number = true, .number = 5});
  pprofc_profile *p = finish(b);
  const pprofc_function read = pprofc_profile_function(p, 0);
  CU_ASSERT(read.name.size == 3 && memcmp(read.name.data, "a\0b", 3) == 0);
  CU_ASSERT(read.system_name.size == 3 && read.filename.size == 0 && read.start_line == 7);
  CU_ASSERT(pprofc_profile_mapping(p, 0).file.size == 3);
  CU_ASSERT(pprofc_profile_mapping(p, 0).has_inline_frames);
  CU_ASSERT(!pprofc_profile_mapping(p, 0).has_functions);
  pprofc_label text = pprofc_profile_label(p, 0, 0), number = pprofc_profile_label(p, 0, 1);
  CU_ASSERT(text.key.size == 3 && text.string.size == 3 && !text.is_number && text.number == 0);
  CU_ASSERT(number.is_number && number.number == 5 && number.unit.size == 0);
  pprofc_profile_release(p);
}

/* Returns the mapping of the only location, whose address is `address`. */
static pprofc_mapping place(pprofc_builder *b, uint64_t address) {
  const uint32_t frame = pprofc_builder_location(b, PPROFC_NONE, address, NULL, 0);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_sample(b, &frame, 1, &(int64_t){1});
  pprofc_profile *p = finish(b);
  pprofc_mapping mapping = pprofc_profile_mapping(p, pprofc_profile_location(p, frame).mapping);
  pprofc_profile_release(p);
  return mapping;
}

TEST(test_locations_of_the_process_have_mappings) {
  uint64_t own = (uint64_t)(uintptr_t)test_texts_with_a_length_keep_every_byte;
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_process(b);
  pprofc_mapping mapping = place(b, own);
  CU_ASSERT(mapping.start <= own && own < mapping.limit);
  CU_ASSERT_EQUAL(mapping.id, 1);
  b = pprofc_builder_new(NULL);
  pprofc_builder_process(b);
  /* A function of the C library. The sanitizers replace many of them, but not getenv. */
  mapping = place(b, (uint64_t)(uintptr_t)&getenv);
  CU_ASSERT(mapping.id > 1 && mapping.start != 0);
  b = pprofc_builder_new(NULL);
  pprofc_builder_process(b);
  CU_ASSERT_EQUAL(place(b, 1).limit, 0);
  b = pprofc_builder_new(NULL);
  CU_ASSERT_EQUAL(place(b, own).limit, 0);
}
TEST(test_equal_sets_of_labels_are_kept_once) {
  enum { SAMPLES = 100000, SETS = 3 };
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_builder *b = pprofc_builder_new(&mem);
  pprofc_builder_type(b, "samples", "count");
  for (size_t i = 0; i < SAMPLES; i++) {
    pprofc_builder_sample(b, NULL, 0, &(int64_t){1});
    for (size_t k = 0; k < i % SETS * 4; k++)
      pprofc_builder_number_label(b, "size", (int64_t)(i % SETS), "bytes");
  }
  pprofc_profile *p = finish(b);
  for (size_t i = 0; i < SAMPLES; i++)
    CU_ASSERT_EQUAL(pprofc_profile_label_count(p, i), i % SETS * 4);
  CU_ASSERT_EQUAL(pprofc_profile_label(p, SAMPLES - 2, 7).number, (SAMPLES - 2) % SETS);
  /* Without labels, a sample takes 24 bytes, and the columns grow by doubling. */
  CU_ASSERT(counts.peak < 60 * (size_t)SAMPLES);
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(counts.live, 0);
}
