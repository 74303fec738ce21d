/* Tests reading in the order of the file (open_sums.in_order): the tree must have the same samples
 * as the whole profile. */
#include "fold_maker.h"
#include "unit.h"

#include "open.h"
#include "pprofc/pprofc.h"
#include "profile/delta.h"

static pprofc_profile *read_as(const struct buffer *data, const struct open_sums *sums) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.threads = 2;
  pprofc_profile *profile = NULL;
  open_memory(data->data, data->size, &options, sums, &profile, NULL);
  return profile;
}

/* Verdicts need each sample in the order of the file, with its values of all types. */
static void same_samples_in_order(const struct buffer *data, const pprofc_profile *whole,
                                  const struct open_sums *sums, size_t type) {
  pprofc_profile *tree = read_as(data, sums);
  CU_ASSERT_FATAL(tree && tree->samples.tree);
  struct stack_delta delta;
  CU_ASSERT_FATAL(delta_init(&delta, &mem_default, &tree->samples, 0));
  struct stack_reader reader = stack_reader_at(&whole->samples, 0);
  size_t row = whole->type_count * sizeof(int64_t), n = 0;
  for (size_t i = 0; i < whole->samples.count; i++) {
    const int64_t *values = whole->samples.values + i * whole->type_count;
    struct packed_stack stack = stack_of(&reader, i);
    if (type != SIZE_MAX && !values[type]) continue;
    CU_ASSERT_EQUAL(memcmp(tree->samples.values + n * whole->type_count, values, row), 0);
    delta_next(&delta, n++);
    CU_ASSERT_EQUAL(delta.size, stack.root - stack.leaf);
    CU_ASSERT_EQUAL(memcmp(delta.stack.leaf, stack.leaf, delta.size), 0);
  }
  CU_ASSERT_EQUAL(n, tree->samples.count);
  delta_free(&delta, &mem_default);
  pprofc_profile_release(tree);
}

TEST(test_samples_in_order_stay_apart) {
  static const struct open_sums all = {.tree = true, .in_order = true, .always = true};
  static const struct open_sums second = {
      .tree = true, .in_order = true, .sample_index = "1", .always = true};
  for (uint64_t seed = 0; seed < 10; seed++) {
    struct maker m;
    make(&m, seed, seed % 2 ? QUIRK_UNPACKED | QUIRK_UNKNOWN : 0, 1000);
    pprofc_profile *whole = read_as(&m.out, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
    same_samples_in_order(&m.out, whole, &all, SIZE_MAX);
    if (m.types > 1) same_samples_in_order(&m.out, whole, &second, 1);
    pprofc_profile_release(whole);
    buffer_free(&m.out);
  }
}
