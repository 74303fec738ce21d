/* Tests differences of profiles that were read as stack trees. -top must print the difference of
 * the whole profiles, for any two profiles and any method of reading them. */
#include "faults.h"
#include "fold_filters.h"
#include "fold_maker.h"
#include "report_text.h"
#include "unit.h"

#include "open.h"
#include "pprofc/pprofc.h"
#include "profile/profile.h"
#include "profile/stack_tree.h"
#include "transform/combine/diff.h"

/* Methods of reading base or head. */
enum way { WHOLE, TREE, WAYS };

/* Kind of difference that the current test makes. Equal samples are joined by PPROFC_SUBTRACT,
 * which needs their labels. */
static pprofc_diff_kind kind = PPROFC_COMPARE;

static pprofc_profile *read_side(const struct buffer *data, enum way way, bool tree,
                                 const char *sample_index) {
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_error error;
  pprofc_read_options_init(&options);
  const struct open_sums sums = {.tree = tree,
                                 .labels = kind == PPROFC_SUBTRACT,
                                 .sample_index = sample_index,
                                 .always = true};
  options.threads = 1;
  CU_ASSERT_EQUAL_FATAL(
      open_memory(data->data, data->size, &options, way == WHOLE ? NULL : &sums, &profile, &error),
      PPROFC_OK);
  return profile;
}

/* Returns the difference as computed for all other reports. */
static pprofc_profile *usual_difference(const struct buffer *sides, const enum way *ways,
                                        pprofc_error *error) {
  pprofc_profile *head = read_side(&sides[0], ways[0], false, NULL);
  pprofc_profile *base = read_side(&sides[1], ways[1], false, NULL), *out = NULL;
  if (!transform_diff_base_serves(head, base)) {
    pprofc_profile_release(base);
    base = read_side(&sides[1], WHOLE, false, NULL);
  }
  if (transform_diff_unmerged_is_exact(head, base, kind)) {
    transform_diff_unmerged(head, base, false, &out, error);
    return out;
  }
  pprofc_diff(head, base, kind, false, &out, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return out;
}

/* Returns the difference of two profiles read as stack trees. Sets *again to true if the difference
 * needs each sample. */
static pprofc_profile *difference_of_sums(const struct buffer *sides, const enum way *ways,
                                          const char *sample_index, bool *again,
                                          pprofc_error *error) {
  pprofc_profile *head = read_side(&sides[0], ways[0], true, sample_index);
  pprofc_profile *base = read_side(&sides[1], ways[1], true, sample_index), *out = NULL;
  bool sums = transform_diff_is_of_sums(head, base);
  pprofc_status status = PPROFC_E_NO_MATCH;
  if (sums) {
    status = transform_diff_sums(head, base, kind, &out, error);
  } else {
    pprofc_profile_release(head);
    pprofc_profile_release(base);
  }
  *again = sums && status == PPROFC_E_NO_MATCH;
  return sums && !*again ? out : usual_difference(sides, ways, error);
}

static void same_tops(const pprofc_profile *whole, const pprofc_profile *sums,
                      const char *sample_index) {
  static const char *const granularities[] = {"functions", "addresses", "lines"};
  static const double fractions[] = {0, 0.005, 0.1};
  pprofc_report_options options = report_options("top");
  options.sample_index = sample_index;
  for (size_t i = 0; i < 9; i++) {
    options.granularity = granularities[i % 3];
    options.nodefraction = fractions[i / 3];
    options.noinlines = i % 2;
    options.threads = 1 + (unsigned)(i % 3);
    expect_same_report(whole, sums, &options);
  }
  static const char *const formats[] = {"list", "tree", "peek"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    options = report_options(formats[i]);
    options.argument = "";
    options.safe = true;
    options.sample_index = sample_index;
    expect_same_report(whole, sums, &options);
  }
  options = report_options("top");
  options.sample_index = sample_index;
  same_filtered(whole, sums, options, false);
}

/* Compares reports that depend on the order of samples, labels and locations. Without samples, the
 * last four reports fail. */
static void same_joined(const pprofc_profile *whole, const pprofc_profile *sums) {
  static const char *const formats[] = {"dot",  "callgrind",  "folded", "topproto", "speedscope",
                                        "json", "flamegraph", "flame",  "tree",     "peek"};
  for (size_t i = 0; i < (whole->samples.count ? 10 : 6); i++) {
    pprofc_report_options options = report_options(formats[i]);
    options.argument = "";
    options.nodefraction = options.edgefraction = 0;
    expect_same_report(whole, sums, &options);
    if (i < 2) same_filtered(whole, sums, options, true);
  }
}

/* Compares all methods of reading. Returns the number of methods that had to read again. */
static size_t same_differences(const struct buffer *sides, const char *sample_index) {
  static const enum way as_whole[] = {WHOLE, WHOLE};
  pprofc_error error, other;
  size_t times = 0;
  pprofc_profile *whole = usual_difference(sides, as_whole, &error);
  for (int i = 1; i < WAYS * WAYS; i++) {
    const enum way ways[] = {(enum way)(i / WAYS), (enum way)(i % WAYS)};
    bool again;
    pprofc_profile *sums = difference_of_sums(sides, ways, sample_index, &again, &other);
    times += again;
    CU_ASSERT_FATAL(!whole == !sums);
    if (sums) same_tops(whole, sums, *sample_index ? sample_index : "");
    if (!sums) CU_ASSERT_STRING_EQUAL(other.message, error.message);
    pprofc_profile_release(sums);
  }
  pprofc_profile_release(whole);
  return times;
}

static size_t compare(uint64_t seed, unsigned head_quirks, uint64_t base_seed, unsigned base_quirks,
                      const char *sample_index) {
  struct maker head, base;
  make(&head, seed, head_quirks, 120);
  make(&base, base_seed, base_quirks, 80);
  struct buffer sides[] = {head.out, base.out};
  size_t times = same_differences(sides, sample_index);
  buffer_free(&head.out);
  buffer_free(&base.out);
  return times;
}

/* ---- tests ------------------------------------------- */

TEST(test_any_two_profiles) {
  for (unsigned i = 0; i < 2 * ROWS; i++) {
    unsigned head = i % ROWS, base = i / ROWS ? (head * 2 + 1) % ROWS : head;
    compare(i, quirks_of_row(head) | (i % 4 ? 0 : QUIRK_TWICE), i,
            quirks_of_row(base) | (i % 3 ? 0 : QUIRK_MOVED), i % 4 ? "" : "0");
  }
}

/* The difference of -base joins equal samples. It must have their order, and the tables of the
 * joined profile. */
TEST(test_joined_samples) {
  kind = PPROFC_SUBTRACT;
  for (unsigned row = 0; row < ROWS; row++) {
    static const enum way whole[] = {WHOLE, WHOLE}, trees[] = {TREE, TREE};
    struct maker head, base;
    unsigned quirks = quirks_of_row(row), moved = row % 2 ? QUIRK_MOVED : 0;
    make(&head, row, quirks | moved, 120);
    make(&base, row, quirks, row % 4 ? 80 : 120);
    struct buffer sides[] = {head.out, base.out};
    pprofc_error error;
    bool again;
    pprofc_profile *expected = usual_difference(sides, whole, &error);
    pprofc_profile *joined = difference_of_sums(sides, trees, NULL, &again, &error);
    CU_ASSERT_FATAL(expected && joined);
    CU_ASSERT_EQUAL(expected->samples.count, joined->samples.count);
    CU_ASSERT_EQUAL(expected->locations.count, joined->locations.count);
    CU_ASSERT_EQUAL(expected->functions.count, joined->functions.count);
    same_joined(expected, joined);
    pprofc_profile_release(expected);
    pprofc_profile_release(joined);
    buffer_free(&head.out);
    buffer_free(&base.out);
    compare(row, quirks | moved, row + row % 2, quirks | moved, row % 4 ? "" : "0");
  }
  const unsigned labels = QUIRK_LABELS | QUIRK_ONE_UNIT;
  CU_ASSERT_EQUAL(compare(3, labels, 3, labels | QUIRK_MOVED, ""), 0);
  kind = PPROFC_COMPARE;
}

TEST(test_types_that_differ) {
  for (uint64_t seed = 0; seed < 2; seed++) {
    compare(seed, 0, seed + 1, 0, "");
    compare(seed, QUIRK_DEFAULT, seed, 0, "");
    compare(seed, 0, seed, QUIRK_DEFAULT, "");
    compare(seed, QUIRK_DROP, seed + 1, 0, "");
  }
}

/* If all values of the base are 0, reports have no column for it. */
TEST(test_a_base_without_values) {
  struct maker head, base;
  make(&head, 3, 0, 20);
  make(&base, 3, 0, 0);
  put_stack(&base, "\x05", 1);
  struct buffer sides[] = {head.out, base.out};
  static const enum way whole[] = {WHOLE, WHOLE}, trees[] = {TREE, TREE};
  pprofc_error error;
  bool again;
  pprofc_profile *expected = usual_difference(sides, whole, &error);
  pprofc_profile *sums = difference_of_sums(sides, trees, NULL, &again, &error);
  const pprofc_report_options options = report_options("folded");
  CU_ASSERT_FATAL(expected && sums);
  expect_same_report(expected, sums, &options);
  pprofc_profile_release(expected);
  pprofc_profile_release(sums);
  buffer_free(&head.out);
  buffer_free(&base.out);
}

/* Usual profiles are read only once, even if the program has another address in each process. */
TEST(test_usual_profiles_are_read_once) {
  CU_ASSERT_EQUAL(compare(3, 0, 3, 0, ""), 0);
  CU_ASSERT_EQUAL(compare(3, 0, 3, QUIRK_MIXED_IDS, "0"), 0); /* a profile that is not a tree */
  CU_ASSERT_EQUAL(compare(3, QUIRK_LABELS, 3, QUIRK_LABELS, ""), 0);
  CU_ASSERT_EQUAL(compare(3, 0, 3, QUIRK_MOVED, ""), 0);
  CU_ASSERT_EQUAL(compare(3, QUIRK_MOVED, 3, 0, ""), 0);
}

/* If a location has two possible addresses, the first sample with the location decides. */
TEST(test_order_that_counts) {
  for (uint64_t seed = 0; seed < 2; seed++) {
    compare(seed, QUIRK_TWICE, seed, 0, "");
    compare(seed, 0, seed, QUIRK_TWICE | QUIRK_MOVED, "");
    compare(seed, QUIRK_TWICE, seed, QUIRK_TWICE | QUIRK_MOVED, "");
  }
}

/* ---- failing allocations ----------------------------- */

/* Computes the difference with a failing allocation. Returns true if there is a difference. */
static bool survives(const struct buffer *sides, enum way head_way, struct faults *f) {
  const enum way ways[] = {head_way, WHOLE};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, f};
  pprofc_profile *read[2], *lent[2], *out = NULL;
  pprofc_error error;
  size_t fail_at = f->fail_at;
  for (int i = 0; i < 2; i++) read[i] = read_side(&sides[i], ways[i], true, "");
  f->fail_at = SIZE_MAX;
  for (int i = 0; i < 2; i++) lent[i] = profile_lend(read[i], &mem);
  f->calls = 0;
  f->fail_at = fail_at;
  pprofc_status status = transform_diff_sums(lent[0], lent[1], kind, &out, &error);
  if (status != PPROFC_OK) CU_ASSERT(status == PPROFC_E_NOMEM || status == PPROFC_E_NO_MATCH);
  CU_ASSERT_EQUAL(status == PPROFC_OK, out != NULL);
  pprofc_profile_release(out);
  for (int i = 0; i < 2; i++) pprofc_profile_release(read[i]);
  CU_ASSERT_EQUAL(f->live, 0);
  CU_ASSERT_EQUAL(f->wrong_sizes, 0);
  return status == PPROFC_OK;
}

TEST(test_memory_that_ends) {
  struct maker head, base;
  make(&head, 3, 0, 100);
  make(&base, 3, QUIRK_MOVED, 50); /* makes the code search for used locations */
  struct buffer sides[] = {head.out, base.out};
  for (unsigned i = 0; i < 4; i++) {
    kind = i < 2 ? PPROFC_COMPARE : PPROFC_SUBTRACT;
    size_t failures = 0, through = 0;
    for (size_t at = 0; through < 20; at++) {
      struct faults f = {.fail_at = at, .from_there_on = i % 2};
      bool ok = survives(sides, TREE, &f);
      failures += !ok;
      through = ok ? through + 1 : 0;
    }
    CU_ASSERT(failures > 5);
  }
  kind = PPROFC_COMPARE;
  buffer_free(&head.out);
  buffer_free(&base.out);
}
