/* Tests the public iterator over samples. Its stacks and frames must equal the profile's for each
 * range of samples. It must not allocate memory for a sample. */
#include "faults.h"
#include "pprofc/samples.h"
#include "profile_text.h"
#include "unit.h"

static pprofc_error error;

static pprofc_sample_iterator *iterator_over(const pprofc_profile *p, size_t first, size_t end) {
  pprofc_sample_iterator *it = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_sample_iterator_new(p, first, end, &it, &error), PPROFC_OK);
  return it;
}

static pprofc_profile *read_generator(void) {
  pprofc_profile *p = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(TESTDATA "/generator_cpu.prof", NULL, &p, &error),
                        PPROFC_OK);
  return p;
}

/* True if the sample equals the results of other functions that read the profile. */
static bool sample_agrees(const pprofc_profile *p, const pprofc_sample *s) {
  pprofc_samples_view view;
  uint32_t frames[512];
  pprofc_profile_samples(p, &view);
  size_t depth = pprofc_profile_stack(p, s->index, frames, 512);
  return depth == s->depth && memcmp(frames, s->stack, depth * sizeof *frames) == 0 &&
         s->values == view.values + s->index * view.types;
}

TEST(test_stacks_are_those_of_the_profile) {
  pprofc_profile *p = read_generator();
  pprofc_sample_iterator *it = iterator_over(p, 0, SIZE_MAX);
  pprofc_samples_view view;
  pprofc_sample s;
  size_t count = 0;
  bool same = true;
  pprofc_profile_samples(p, &view);
  while (pprofc_sample_iterator_next(it, &s)) same &= s.index == count++ && sample_agrees(p, &s);
  CU_ASSERT(same);
  CU_ASSERT_EQUAL(count, view.count);
  CU_ASSERT(count > 10);
  CU_ASSERT(!pprofc_sample_iterator_next(it, &s));
  pprofc_sample_iterator_free(it);
  pprofc_sample_iterator_free(NULL);
  pprofc_profile_release(p);
}

static size_t count_range(const pprofc_profile *p, size_t first, size_t end) {
  pprofc_sample_iterator *it = iterator_over(p, first, end);
  pprofc_sample s;
  size_t count = 0;
  for (; pprofc_sample_iterator_next(it, &s); count++)
    CU_ASSERT(s.index == first + count && sample_agrees(p, &s));
  pprofc_sample_iterator_free(it);
  return count;
}

TEST(test_a_range_is_clamped) {
  pprofc_profile *p = read_generator();
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT_EQUAL(count_range(p, 3, 8), 5);
  CU_ASSERT_EQUAL(count_range(p, view.count - 1, view.count + 7), 1);
  CU_ASSERT_EQUAL(count_range(p, view.count, SIZE_MAX), 0);
  CU_ASSERT_EQUAL(count_range(p, SIZE_MAX, SIZE_MAX), 0);
  CU_ASSERT_EQUAL(count_range(p, 5, 2), 0);
  pprofc_profile_release(p);
}

/* Creates a profile with two lines at one address, an address without lines, and an ordinary
 * frame. */
static pprofc_profile *inlined_profile(const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x9000, 0, "/bin/x", "", 0);
  uint32_t inner = pprofc_builder_function(b, "inner", NULL, "a.c", 1);
  uint32_t outer = pprofc_builder_function(b, "outer", NULL, "b.c", 1);
  pprofc_line lines[] = {{inner, 7, 3}, {outer, 9, 0}};
  uint32_t stack[] = {pprofc_builder_location(b, mapping, 0x1234, lines, 2),
                      pprofc_builder_location(b, mapping, 0x2345, NULL, 0),
                      pprofc_builder_frame(b, "main", "m.c", 4)};
  int64_t value = 5;
  pprofc_builder_sample(b, stack, 3, &value);
  pprofc_builder_sample(b, NULL, 0, &value);
  return finish(b);
}

static bool frame_is(const pprofc_frame *f, const char *function, const char *file, int64_t line,
                     uint64_t address, bool inlined) {
  return str_equal(f->function, str_of(function)) && str_equal(f->file, str_of(file)) &&
         f->line == line && f->address == address && f->inlined == inlined;
}

TEST(test_frames_are_resolved) {
  pprofc_profile *p = inlined_profile(NULL);
  pprofc_sample_iterator *it = iterator_over(p, 0, SIZE_MAX);
  pprofc_sample s;
  const pprofc_frame *f;
  size_t count = 9;
  CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(count, 0);
  CU_ASSERT_FATAL(pprofc_sample_iterator_next(it, &s));
  CU_ASSERT_EQUAL(s.depth, 3);
  CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  CU_ASSERT(frame_is(&f[0], "inner", "a.c", 7, 0x1234, true) && f[0].column == 3);
  CU_ASSERT(frame_is(&f[1], "outer", "b.c", 9, 0x1234, false));
  CU_ASSERT(frame_is(&f[2], "", "", 0, 0x2345, false) && f[2].function_index == PPROFC_NONE);
  CU_ASSERT(frame_is(&f[3], "main", "m.c", 4, 0, false) && f[3].location == s.stack[2]);
  CU_ASSERT(str_equal(pprofc_profile_function(p, f[1].function_index).name, STR("outer")));
  CU_ASSERT_FATAL(pprofc_sample_iterator_next(it, &s));
  CU_ASSERT_EQUAL(s.depth, 0);
  CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(count, 0);
  pprofc_sample_iterator_free(it);
  pprofc_profile_release(p);
}

TEST(test_nothing_is_allocated_for_each_sample) {
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  pprofc_builder *b = pprofc_builder_new(&mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (int64_t i = 0; i < 500; i++) sample(b, i % 2 ? "a b main" : "c d e main", i, 0);
  pprofc_profile *p = finish(b);
  pprofc_sample_iterator *it = iterator_over(p, 0, SIZE_MAX);
  pprofc_sample s;
  const pprofc_frame *f;
  size_t count, calls = faults.calls;
  while (pprofc_sample_iterator_next(it, &s))
    CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(faults.calls, calls + 1);
  pprofc_sample_iterator_free(it);
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}

TEST(test_an_allocation_that_fails_is_an_error) {
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  pprofc_profile *p = inlined_profile(&mem);
  pprofc_sample_iterator *it = NULL;
  for (size_t i = 0; i < 2; i++) {
    faults.fail_at = faults.calls + i;
    CU_ASSERT_EQUAL(pprofc_sample_iterator_new(p, 0, 9, &it, &error), PPROFC_E_NOMEM);
    CU_ASSERT_PTR_NULL(it);
  }
  faults.fail_at = SIZE_MAX;
  it = iterator_over(p, 0, 9);
  pprofc_sample s;
  const pprofc_frame *f = NULL;
  size_t count = 0;
  CU_ASSERT(pprofc_sample_iterator_next(it, &s));
  faults.fail_at = faults.calls;
  CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_E_NOMEM);
  CU_ASSERT_PTR_NULL(f);
  CU_ASSERT_EQUAL(pprofc_sample_iterator_frames(it, &f, &count, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(count, 4);
  pprofc_sample_iterator_free(it);
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}
