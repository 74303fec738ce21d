/* Tests stacks/stacks.c: it must join equal stacks, sort stacks root first, and keep base and head
 * separate. */
#include "core/budget.h"
#include "import/reader.h"
#include "pprofc/builder.h"
#include "stacks/stacks.h"

#include "profile_text.h"
#include "unit.h"

#include <stdlib.h>

static const struct stack_policy by_function = {.inlines = true, .function = true};
static const struct stack_policy by_line = {
    .inlines = true, .function = true, .file = true, .line = true};

static pprofc_builder *new_builder(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  return b;
}

static void add(pprofc_builder *b, const uint32_t *frames, size_t depth, int64_t value) {
  pprofc_builder_sample(b, frames, depth, (int64_t[]){1, value});
}

/* Returns a stack as "a;b;c". */
static const char *text_of(const struct stack_frames *frames, const struct stack_set *set,
                           size_t stack) {
  static char text[256];
  size_t size = 0;
  uint32_t read[64];
  stack_set_read(set, stack, 0, read);
  for (size_t i = 0; i < set->depth[stack]; i++) {
    pprofc_str name = frames->items[read[i]].name;
    size +=
        (size_t)snprintf(text + size, sizeof text - size, "%s%.*s", i ? ";" : "", STR_ARG(name));
  }
  text[size] = 0;
  return text;
}

struct built {
  pprofc_profile *profile;
  struct stack_frames frames;
  struct stack_set set;
};

/* Builds a stack set. The set points to the frames in *built, so *built must not move. */
static void build(struct built *built, pprofc_builder *b, const struct stack_policy *policy,
                  const struct stack_selection *selection) {
  pprofc_error error;
  built->profile = finish(b);
  CU_ASSERT_EQUAL_FATAL(
      stack_frames_build(built->profile, policy, &mem_default, &built->frames, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(
      stack_set_build(&built->frames, selection, &mem_default, &built->set, &error), PPROFC_OK);
}

static void drop(struct built *built) {
  stack_set_free(&built->set);
  stack_frames_free(&built->frames);
  pprofc_profile_release(built->profile);
}

static void expect(const struct built *built, size_t stack, const char *text, int64_t head,
                   int64_t base) {
  CU_ASSERT_STRING_EQUAL(text_of(&built->frames, &built->set, stack), text);
  CU_ASSERT_EQUAL(stack_head(&built->set, stack, 1), head);
  CU_ASSERT_EQUAL(stack_base(&built->set, stack, 1), base);
}

TEST(test_equal_stacks_are_joined_and_sorted_root_first) {
  pprofc_builder *b = new_builder();
  uint32_t m = pprofc_builder_frame(b, "main", "m.c", 1);
  uint32_t x = pprofc_builder_frame(b, "x", "x.c", 1), y = pprofc_builder_frame(b, "y", "y.c", 1);
  add(b, (uint32_t[]){y, m}, 2, 5);
  add(b, (uint32_t[]){x, y, m}, 3, 7);
  add(b, (uint32_t[]){x, m}, 2, 1);
  add(b, (uint32_t[]){y, m}, 2, 10);
  add(b, (uint32_t[]){m}, 1, 2);
  struct built s;
  build(&s, b, &by_function, NULL);
  CU_ASSERT_EQUAL_FATAL(s.set.count, 4);
  expect(&s, 0, "main", 2, 0);
  expect(&s, 1, "main;x", 1, 0);
  expect(&s, 2, "main;y", 15, 0);
  expect(&s, 3, "main;y;x", 7, 0);
  static const uint32_t shared[] = {0, 1, 1, 2};
  for (size_t i = 0; i < 4; i++) CU_ASSERT_EQUAL(s.set.shared[i], shared[i]);
  CU_ASSERT_EQUAL(stack_head(&s.set, 2, 0), 2);
  CU_ASSERT_EQUAL(s.set.max_depth, 3);
  CU_ASSERT(!s.set.has_base);
  drop(&s);
}

TEST(test_lines_of_a_function_are_one_frame_unless_lines_count) {
  for (int lines = 0; lines < 2; lines++) {
    pprofc_builder *b = new_builder();
    uint32_t first = pprofc_builder_frame(b, "f", "f.c", 30);
    uint32_t second = pprofc_builder_frame(b, "f", "f.c", 10);
    add(b, &first, 1, 1);
    add(b, &second, 1, 1);
    struct built s;
    build(&s, b, lines ? &by_line : &by_function, NULL);
    CU_ASSERT_EQUAL(s.frames.count, lines ? 2 : 1);
    CU_ASSERT_EQUAL(s.set.count, lines ? 2 : 1);
    CU_ASSERT_EQUAL(s.frames.items[0].line, 10); /* the smallest line, because the function's start
                                                    is unknown */
    drop(&s);
  }
}

TEST(test_inlined_calls_are_frames_of_their_own) {
  for (int inlines = 0; inlines < 2; inlines++) {
    pprofc_builder *b = new_builder();
    uint32_t inner = pprofc_builder_function(b, "inner", NULL, "a.h", 3);
    uint32_t outer = pprofc_builder_function(b, "outer", NULL, "a.c", 8);
    uint32_t location = pprofc_builder_location(b, PPROFC_NONE, 0x10,
                                                (pprofc_line[]){{inner, 4, 0}, {outer, 9, 0}}, 2);
    add(b, &location, 1, 6);
    struct stack_policy policy = by_function;
    policy.inlines = inlines;
    struct built s;
    build(&s, b, &policy, NULL);
    CU_ASSERT_EQUAL_FATAL(s.set.count, 1);
    expect(&s, 0, inlines ? "outer;inner" : "outer", 6, 0);
    CU_ASSERT_EQUAL(s.frames.items[s.frames.count - 1].line, 8); /* the line on which "outer"
                                                                    starts */
    drop(&s);
  }
}

TEST(test_files_are_trimmed_and_cleaned) {
  pprofc_builder *b = new_builder();
  uint32_t frames[] = {pprofc_builder_frame(b, "a", "./x/../a.c", 1),
                       pprofc_builder_frame(b, "b", "/home/me/src/b.c", 1),
                       pprofc_builder_frame(b, "c", "/c//d/c.c", 1),
                       pprofc_builder_frame(b, "d", "d.c", 1)};
  add(b, frames, 4, 1);
  struct stack_policy policy = by_line;
  policy.trim_path = "/home/me";
  struct built s;
  build(&s, b, &policy, NULL);
  static const char *const wanted[] = {"a.c", "src/b.c", "/c/d/c.c", "d.c"};
  for (size_t i = 0; i < 4; i++) CU_ASSERT(str_equal(s.frames.items[i].file, str_of(wanted[i])));
  drop(&s);
}

TEST(test_frames_without_function_are_named_after_object_and_address) {
  pprofc_builder *b = new_builder();
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x9000, 0, "/lib/libc.so.6", "", 0);
  uint32_t here = pprofc_builder_location(b, mapping, 0x1234, NULL, 0);
  uint32_t nowhere = pprofc_builder_location(b, PPROFC_NONE, 0xabc, NULL, 0);
  uint32_t nothing = pprofc_builder_location(b, PPROFC_NONE, 0, NULL, 0);
  uint32_t object = pprofc_builder_location(b, mapping, 0, NULL, 0);
  add(b, (uint32_t[]){here, nowhere, nothing, object}, 4, 1);
  struct built s;
  build(&s, b, &by_function, NULL);
  expect(&s, 0, "[libc.so.6];<unknown>;0xabc;[libc.so.6] 0x1234", 1, 0);
  drop(&s);
}

TEST(test_base_samples_are_kept_apart_and_turned_positive) {
  pprofc_builder *b = new_builder();
  uint32_t f = pprofc_builder_frame(b, "f", "", 0), g = pprofc_builder_frame(b, "g", "", 0);
  add(b, &f, 1, 30);
  add(b, &f, 1, -20);
  pprofc_builder_label(b, "pprof::base", "true");
  add(b, &g, 1, -5);
  pprofc_builder_label(b, "pprof::base", "true");
  struct built s;
  build(&s, b, &by_function, NULL);
  CU_ASSERT(s.set.has_base);
  CU_ASSERT_EQUAL_FATAL(s.set.count, 2);
  expect(&s, 0, "f", 30, 20);
  expect(&s, 1, "g", 0, 5);
  drop(&s);
}

TEST(test_samples_of_zeros_are_left_out_and_empty_stacks_kept) {
  pprofc_builder *b = new_builder();
  uint32_t f = pprofc_builder_frame(b, "f", "", 0);
  pprofc_builder_sample(b, &f, 1, (int64_t[]){0, 0});
  add(b, NULL, 0, 4);
  struct built s;
  build(&s, b, &by_function, NULL);
  CU_ASSERT_EQUAL_FATAL(s.set.count, 1);
  expect(&s, 0, "", 4, 0);
  drop(&s);
}

TEST(test_a_selection_takes_samples_and_depth) {
  pprofc_builder *b = new_builder();
  uint32_t m = pprofc_builder_frame(b, "m", "", 0), f = pprofc_builder_frame(b, "f", "", 0);
  uint32_t g = pprofc_builder_frame(b, "g", "", 0);
  add(b, (uint32_t[]){f, m}, 2, 1);
  add(b, (uint32_t[]){g, f, m}, 3, 2);
  add(b, (uint32_t[]){g, m}, 2, 4);
  struct stack_selection selection = {.samples = (uint32_t[]){1, 2}, .count = 2, .max_depth = 2};
  struct built s;
  build(&s, b, &by_function, &selection);
  CU_ASSERT_EQUAL_FATAL(s.set.count, 2);
  expect(&s, 0, "m;f", 2, 0);
  expect(&s, 1, "m;g", 4, 0);
  drop(&s);
}

TEST(test_inlining_cannot_multiply_without_end) {
  enum { LINES = 32768, DEPTH = 40000 };
  pprofc_builder *b = new_builder();
  pprofc_line *lines = calloc(LINES, sizeof *lines);
  uint32_t *stack = calloc(DEPTH, sizeof *stack);
  uint32_t function = pprofc_builder_function(b, "f", NULL, "f.c", 1);
  for (size_t i = 0; i < LINES; i++) lines[i] = (pprofc_line){function, (int64_t)i, 0};
  uint32_t location = pprofc_builder_location(b, PPROFC_NONE, 1, lines, LINES);
  for (size_t i = 0; i < DEPTH; i++) stack[i] = location;
  add(b, stack, DEPTH, 1);
  pprofc_profile *p = finish(b);
  free(lines);
  free(stack);
  struct stack_frames frames;
  struct stack_set set;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(stack_frames_build(p, &by_function, &mem_default, &frames, &error),
                        PPROFC_OK);
  /* The limit is found before the frames need memory. */
  struct budget *budget = budget_new(&mem_default, 16 << 20);
  CU_ASSERT_EQUAL(stack_set_build(&frames, NULL, budget_allocator(budget), &set, &error),
                  PPROFC_E_LIMIT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "stacks have more than"));
  budget_release(budget);
  struct stack_selection cut = {.max_depth = 1000};
  CU_ASSERT_EQUAL_FATAL(stack_set_build(&frames, &cut, &mem_default, &set, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(set.max_depth, 1000);
  stack_set_free(&set);
  stack_frames_free(&frames);
  pprofc_profile_release(p);
}

/* ---- compared with a simple method ------------------- */

#define RANDOM_SAMPLES 2000

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

static uint32_t enter(struct call_paths *calls, const uint32_t *frames, size_t depth) {
  uint32_t path = MAP_NONE;
  while (depth--) path = call_paths_enter(calls, path, frames[depth]);
  return path;
}

/* Checks that reading stacks incrementally, from the previous stack, gives the same frames as
 * reading each stack. */
static void check_going_on(const struct stack_set *set) {
  uint32_t gone_on[64] = {0}, here[64];
  for (size_t i = 0; i < set->count; i++) {
    size_t depth = set->depth[i];
    stack_set_read(set, i, 0, here);
    stack_set_read(set, i, set->shared[i], gone_on);
    if (memcmp(gone_on, here, depth * sizeof *here) != 0) CU_FAIL_FATAL("a stack has other frames");
  }
}

static void check_from_leaf(const struct built *s) {
  const struct stack_selection selection = {.from_leaf = true};
  struct stack_set set;
  CU_ASSERT_EQUAL_FATAL(stack_set_build(&s->frames, &selection, &mem_default, &set, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL(set.count, s->set.count);
  check_going_on(&set);
  stack_set_free(&set);
}

/* Checks random stacks over `letters` function names, which are digits. Texts then have the same
 * order as stacks. With `tree`, the stacks share the memory of their callers. */
static void check_random(size_t samples, uint32_t letters, uint32_t most, uint64_t state,
                         bool tree) {
  char(*texts)[128] = malloc(samples * sizeof *texts);
  CU_ASSERT_PTR_NOT_NULL_FATAL(texts);
  pprofc_builder *b = new_builder();
  struct call_paths calls;
  call_paths_init(&calls, &mem_default, b);
  uint32_t frames[64], names[26];
  uint32_t *paths = calloc(samples, sizeof *paths);
  for (uint32_t i = 0; i < letters; i++)
    names[i] = pprofc_builder_frame(b, (char[]){(char)('a' + i), 0}, "", 0);
  for (size_t i = 0; i < samples; i++) {
    uint32_t depth = 1 + unit_random(&state) % most;
    for (uint32_t k = 0; k < depth; k++) {
      uint32_t letter = unit_random(&state) % letters;
      frames[depth - 1 - k] = names[letter];
      texts[i][2 * k] = (char)('a' + letter);
      texts[i][2 * k + 1] = k + 1 < depth ? ';' : 0;
    }
    if (tree)
      paths[i] = enter(&calls, frames, depth);
    else
      add(b, frames, depth, 1);
  }
  for (size_t i = 0; tree && i < samples; i++)
    call_paths_sample(&calls, paths[i], (int64_t[]){1, 1});
  call_paths_free(&calls);
  free(paths);
  qsort(texts, samples, sizeof *texts, by_text);
  struct built s;
  build(&s, b, &by_function, NULL);
  size_t at = 0;
  for (size_t i = 0; i < s.set.count; i++) {
    int64_t count = 0;
    while (at < samples && strcmp(texts[at], text_of(&s.frames, &s.set, i)) == 0) at++, count++;
    if (count != stack_head(&s.set, i, 1)) CU_FAIL_FATAL("a stack has another value");
    size_t shared = 0;
    uint32_t before[64], here[64];
    if (i) {
      size_t least = s.set.depth[i - 1], depth = s.set.depth[i];
      stack_set_read(&s.set, i - 1, 0, before);
      stack_set_read(&s.set, i, 0, here);
      if (depth < least) least = depth;
      while (shared < least && here[shared] == before[shared]) shared++;
    }
    if (shared != s.set.shared[i]) CU_FAIL_FATAL("a stack shares another number of frames");
  }
  CU_ASSERT_EQUAL(at, samples);
  check_going_on(&s.set);
  check_from_leaf(&s);
  drop(&s);
  free(texts);
}

TEST(test_random_stacks_are_those_of_sorting_texts) {
  for (unsigned tree = 0; tree < 2; tree++) {
    check_random(RANDOM_SAMPLES, 2, 6, 1, tree);
    check_random(RANDOM_SAMPLES, 2, 40, 2, tree);
    check_random(RANDOM_SAMPLES, 3, 12, 3, tree);
    check_random(RANDOM_SAMPLES, 26, 3, 4, tree);
    check_random(RANDOM_SAMPLES, 26, 60, 5, tree);
    check_random(RANDOM_SAMPLES, 1, 50, 6, tree);
  }
}

/* There are enough stacks to sort them in groups by their first frame. In the last cases, almost
 * all stacks have the same first frame. */
TEST(test_many_stacks_are_sorted_in_groups) {
  check_random(33000, 26, 8, 7, false);
  check_random(33000, 2, 20, 9, false);
}

/* Checks that a set of all samples is equal to the set of a selection that contains all samples.
 * The selection prevents that equal stacks are added up first. Two threads build its set. */
static void check_repeated(struct built *s, struct stack_selection selection) {
  const struct stack_frames *frames = &s->frames;
  struct stack_set sums, each;
  size_t count = frames->profile->samples.count;
  uint32_t *samples = malloc(count * sizeof *samples), one[64], other[64];
  CU_ASSERT_PTR_NOT_NULL_FATAL(samples);
  for (size_t i = 0; i < count; i++) samples[i] = (uint32_t)i;
  s->profile->threads = 1;
  CU_ASSERT_EQUAL_FATAL(stack_set_build(frames, &selection, &mem_default, &sums, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(sums.parts[1].paths.stacks, 0);
  s->profile->threads = 2;
  selection.samples = samples;
  selection.count = count;
  CU_ASSERT_EQUAL_FATAL(stack_set_build(frames, &selection, &mem_default, &each, NULL), PPROFC_OK);
  free(samples);
  CU_ASSERT(each.parts[1].paths.stacks > 0);
  CU_ASSERT_EQUAL(sums.max_depth, each.max_depth);
  CU_ASSERT_EQUAL_FATAL(sums.count, each.count);
  CU_ASSERT_EQUAL_FATAL(sums.columns, each.columns);
  bool equal = true;
  for (size_t i = 0; equal && i < sums.count; i++) {
    size_t depth = stack_set_read(&sums, i, 0, one);
    equal =
        stack_set_read(&each, i, 0, other) == depth && sums.shared[i] == each.shared[i] &&
        memcmp(one, other, depth * sizeof *one) == 0 &&
        memcmp(stack_values(&sums, i), stack_values(&each, i), sums.columns * sizeof(int64_t)) == 0;
  }
  CU_ASSERT(equal);
  stack_set_free(&sums);
  stack_set_free(&each);
}

TEST(test_adding_up_repeated_stacks_changes_no_sum) {
  uint64_t state = 10;
  for (unsigned has_base = 0; has_base < 2; has_base++) {
    pprofc_builder *b = new_builder();
    uint32_t frames[6], names[3];
    for (uint32_t i = 0; i < 3; i++)
      names[i] = pprofc_builder_frame(b, (char[]){(char)('a' + i), 0}, "", 0);
    for (size_t i = 0; i < 40000; i++) {
      uint32_t depth = unit_random(&state) % 7;
      for (uint32_t k = 0; k < depth; k++) frames[k] = names[unit_random(&state) % 3];
      bool is_base = has_base && unit_random(&state) % 10 == 0;
      int64_t value = unit_random(&state) % 100 ? unit_random(&state) % 4 : INT64_MAX;
      pprofc_builder_sample(b, frames, depth, (int64_t[]){0, is_base ? -value : value});
      if (is_base) pprofc_builder_label(b, "pprof::base", "true");
      if (i % 5 == 0) pprofc_builder_label(b, "thread", i % 2 ? "main" : "worker");
    }
    struct built s;
    build(&s, b, &by_function, NULL);
    check_repeated(&s, (struct stack_selection){0});
    check_repeated(&s, (struct stack_selection){.one_type = true, .type = 1});
    check_repeated(&s, (struct stack_selection){.from_leaf = true});
    check_repeated(&s, (struct stack_selection){.max_depth = 3});
    drop(&s);
  }
}

/* Tests orders of samples that a simple quicksort would sort in quadratic time. */
TEST(test_no_order_of_samples_is_slow) {
  enum { COUNT = 33000 };
  for (int order = 0; order < 4; order++) {
    pprofc_builder *b = new_builder();
    for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t n = order == 0   ? i
                   : order == 1 ? COUNT - i
                   : order == 2 ? (i < COUNT / 2 ? 2 * i : 2 * (COUNT - i))
                                : (i % 2 ? i : COUNT - i);
      char name[16];
      snprintf(name, sizeof name, "f%06u", n);
      uint32_t frame = pprofc_builder_frame(b, name, "", 0);
      add(b, &frame, 1, 1);
    }
    struct built s;
    build(&s, b, &by_function, NULL);
    bool sorted = true;
    for (size_t i = 1; i < s.set.count; i++) {
      uint32_t before, frame;
      stack_set_read(&s.set, i - 1, 0, &before);
      stack_set_read(&s.set, i, 0, &frame);
      sorted = sorted && before < frame && (order || stack_head(&s.set, i, 1) == 1);
    }
    CU_ASSERT(sorted);
    drop(&s);
  }
}
