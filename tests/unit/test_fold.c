/* Tests reading with sums of samples. For each profile, reports and messages must be the same as
 * after reading the whole profile. The tests create profiles byte by byte, in forms that the
 * library's writer never uses. */
#include "fold_filters.h"
#include "fold_maker.h"
#include "report_text.h"
#include "unit.h"

#include "codec/codec.h"
#include "codec/pprof_decode.h"
#include "codec/wire.h"
#include "open.h"
#include "pprofc/pprofc.h"
#include "profile/profile.h"
#include "profile/stack_tree.h"
#include "transform/combine/diff.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- both methods of reading ------------------------- */

/* Descriptions of the data of samples that a report needs. */
static const struct open_sums need_equal = {.labels = true, .always = true};
static const struct open_sums need_stacks = {.always = true};
static const struct open_sums need_tree = {.tree = true, .always = true};
static const struct open_sums need_tree_labels = {.labels = true, .tree = true, .always = true};
static const struct open_sums need_type = {.tree = true, .sample_index = "", .always = true};
#define NEED_ALL NULL

static pprofc_profile *read_as(const struct buffer *data, const struct open_sums *sums,
                               unsigned threads, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.threads = threads;
  pprofc_profile *profile = NULL;
  *error = (pprofc_error){.message = ""};
  open_memory(data->data, data->size, &options, sums, &profile, error);
  return profile;
}

static size_t samples_of(const pprofc_profile *p) {
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  return view.count;
}

static const char *const plain_formats[] = {"top",      "tree",       "json",      "folded",
                                            "topproto", "flamegraph", "callgrind", "flamebearer"};
static const char *const label_formats[] = {"dot", "flame"};

static void same_reports(const pprofc_profile *a, const pprofc_profile *b,
                         const char *const *formats, size_t count) {
  for (size_t i = 0; i < count; i++) {
    pprofc_report_options options = report_options(formats[i]);
    options.nodefraction = options.edgefraction = 0;
    expect_same_report(a, b, &options);
    options.sample_index = "0";
    options.granularity = "addresses";
    options.call_tree = !b->samples.tree; /* the nodes of a call tree depend on the order of the
                                             samples */
    expect_same_report(a, b, &options);
  }
}

static void same_whole_and_folded(const struct buffer *data, const pprofc_profile *whole,
                                  const struct open_sums *sums) {
  pprofc_error error;
  pprofc_profile *folded = read_as(data, sums, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(folded);
  CU_ASSERT(samples_of(folded) <= samples_of(whole));
  same_reports(whole, folded, plain_formats, COUNT(plain_formats));
  if (sums->labels) {
    same_reports(whole, folded, label_formats, COUNT(label_formats));
    pprofc_report_options options = report_options("top");
    options.tagfocus = "1000ms:";
    options.tagroot = "key";
    expect_same_report(whole, folded, &options);
  }
  pprofc_profile_release(folded);
}

/* Compares reports with several drop fractions, because the reader does not always sum hidden
 * values completely. */
static void same_for_all_fractions(const pprofc_profile *whole, const pprofc_profile *sums) {
  static const double fractions[] = {0.0005, 0.005, 0.02, 0.1, 0.8};
  pprofc_report_options options = report_options("top");
  for (size_t i = 0; i < COUNT(fractions); i++) {
    options.nodefraction = fractions[i];
    options.edgefraction = fractions[i] / 5;
    options.granularity = i % 2 ? "addresses" : "functions";
    options.threads = 1 + (unsigned)(i % 3);
    options.noinlines = i % 3 == 2;
    expect_same_report(whole, sums, &options);
  }
}

/* Tests with labels and only the first sample type, whose index is known before its name. */
static void same_whole_and_first_type(const struct buffer *data, const pprofc_profile *whole) {
  static const char *const formats[] = {"top", "tree", "dot", "callgrind", "folded"};
  static const struct open_sums first = {
      .labels = true, .tree = true, .sample_index = "0", .always = true};
  pprofc_error error;
  pprofc_profile *sums = read_as(data, &first, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  for (size_t i = 0; i < COUNT(formats); i++) {
    pprofc_report_options options = report_options(formats[i]);
    options.sample_index = "0";
    expect_same_report(whole, sums, &options);
  }
  pprofc_profile_release(sums);
}

/* Compares reports of labels. Without stacks, the reader keeps one sample for each set of labels.
 * labels. */
static void same_tags_without_stacks(const struct buffer *data, const pprofc_profile *whole) {
  static const struct open_sums tags = {.labels = true, .no_stacks = true, .always = true};
  pprofc_error error;
  pprofc_profile *sums = read_as(data, &tags, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  pprofc_report_options options = report_options("tags");
  expect_same_report(whole, sums, &options);
  options.sample_index = "0";
  expect_same_report(whole, sums, &options);
  pprofc_profile_release(sums);
}

/* Tests with a stack tree: with the values of all sample types, and of one type. */
static void same_whole_and_sums(const struct buffer *data, const pprofc_profile *whole) {
  static const char *const formats[] = {"top", "text", "tree", "topproto", "callgrind", "dot"};
  pprofc_error error;
  pprofc_profile *sums = read_as(data, &need_tree, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  same_reports(whole, sums, formats, COUNT(formats) - 1);
  same_filtered(whole, sums, report_options("tree"), false);
  same_filtered(whole, sums, report_options("json"), false);
  pprofc_profile_release(sums);
  sums = read_as(data, &need_tree_labels, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  same_reports(whole, sums, formats, COUNT(formats));
  same_filtered(whole, sums, report_options("dot"), true);
  same_filtered(whole, sums, report_options("flame"), true);
  pprofc_profile_release(sums);
  sums = read_as(data, &need_type, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  pprofc_report_options options = report_options("top");
  options.nodefraction = options.edgefraction = 0;
  expect_same_report(whole, sums, &options);
  options.granularity = "lines";
  options.threads = 1;
  expect_same_report(whole, sums, &options);
  same_for_all_fractions(whole, sums);
  same_filtered(whole, sums, report_options("top"), false);
  same_filtered_each(whole, sums, report_options("top"));
  options = report_options("folded");
  expect_same_report(whole, sums, &options);
  options = report_options("list");
  options.argument = "";
  options.safe = true;
  expect_same_report(whole, sums, &options);
  pprofc_profile_release(sums);
  same_whole_and_first_type(data, whole);
  same_tags_without_stacks(data, whole);
}

TEST(test_reports_are_the_same) {
  for (unsigned row = 0; row < ROWS; row++) {
    struct maker m;
    struct buffer gzip;
    pprofc_error error;
    make(&m, row, quirks_of_row(row) | (row % 4 ? 0 : QUIRK_DEFAULT), row ? 40 : 2000);
    buffer_init(&gzip, &mem_default, 1 << 28);
    make_gzip(&m.out, &gzip);
    const struct buffer *data = row % 3 ? &gzip : &m.out;
    pprofc_profile *whole = read_as(data, NEED_ALL, 1, &error);
    if (!whole) printf("\nrow %u: %s\n", row, error.message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
    CU_ASSERT_EQUAL(samples_of(whole), m.samples);
    same_whole_and_folded(data, whole, &need_equal);
    same_whole_and_folded(data, whole, &need_stacks);
    same_whole_and_sums(data, whole);
    pprofc_profile_release(whole);
    buffer_free(&gzip);
    buffer_free(&m.out);
  }
}

/* The reports would also be equal if the reader never summed samples. */
TEST(test_samples_are_added_up) {
  static const struct {
    unsigned quirks;
    const struct open_sums *sums;
    size_t most;
  } cases[] = {
      {0, &need_stacks, STACKS * 16},
      {0, &need_equal, STACKS * 16},
      {QUIRK_UNPACKED, &need_stacks, STACKS * 16},
      {QUIRK_SPARSE_IDS, &need_equal, STACKS * 16},
      {QUIRK_MIXED_IDS | QUIRK_STRINGS_FIRST, &need_equal, STACKS * 16},
      {QUIRK_LABELS | QUIRK_UNKNOWN, &need_stacks, STACKS * 16 + 100},
      {QUIRK_LABELS, &need_equal, 8999},
      {QUIRK_NEGATIVE, &need_equal, STACKS * 16 + 1000},
      {QUIRK_NEGATIVE, &need_stacks, 9000},                  /* the reader keeps all samples */
      {QUIRK_LABELS | QUIRK_BASE_LABEL, &need_stacks, 9000}, /* the reader keeps all samples */
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct maker m;
    pprofc_error error;
    make(&m, 3 + i, cases[i].quirks, 9000);
    pprofc_profile *folded = read_as(&m.out, cases[i].sums, 0, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(folded);
    CU_ASSERT(samples_of(folded) <= cases[i].most);
    if (cases[i].most == m.samples) CU_ASSERT_EQUAL(samples_of(folded), m.samples);
    pprofc_profile_release(folded);
    buffer_free(&m.out);
  }
}

static void refuses_edits(const pprofc_profile *sums) {
  pprofc_error error;
  pprofc_profile *out = NULL;
  const pprofc_profile *both[] = {sums, sums};
  const double twice[] = {2, 2, 2, 2};
  const pprofc_filter_options cut = {.struct_size = sizeof cut, .prune_from = "main"};
  const pprofc_status refused[] = {
      pprofc_diff(sums, sums, PPROFC_COMPARE, false, &out, &error),
      pprofc_scale(sums, twice, &out, &error),
      pprofc_aggregate(sums, NULL, &out, &error),
      pprofc_filter(sums, &cut, &out, &error),
      pprofc_profile_write(sums, buffer_write, NULL, &error),
      pprofc_merge(both, 2, &out, &error),
  };
  for (size_t i = 0; i < COUNT(refused); i++) CU_ASSERT_EQUAL(refused[i], PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(out);
  CU_ASSERT_EQUAL(pprofc_merge(both, 1, &out, &error), PPROFC_OK);
  CU_ASSERT(out && out->samples.tree);
  pprofc_profile_release(out);
}

/* Sums made for one report must be rejected by all other reports, and never give wrong values. */
TEST(test_sums_are_for_one_report) {
  struct maker m;
  pprofc_error error;
  make(&m, 5, 0, 9000);
  pprofc_profile *sums = read_as(&m.out, &need_type, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  CU_ASSERT(sums->samples.tree && sums->samples.count <= STACKS);
  CU_ASSERT_EQUAL(samples_of(sums), 0);
  uint32_t frame;
  CU_ASSERT_EQUAL(pprofc_profile_stack(sums, 0, &frame, 1), 0);
  static const char *const refused[] = {"flame", "proto", "raw", "traces", "json"};
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 20);
  for (size_t i = 0; i < COUNT(refused); i++) {
    pprofc_report_options options = report_options(refused[i]);
    CU_ASSERT_EQUAL(pprofc_report(sums, &options, buffer_write, &out, &error), PPROFC_E_INVALID);
    CU_ASSERT_STRING_EQUAL(error.message, "the profile was read for another report");
  }
  pprofc_report_options options = report_options("top");
  options.sample_index = "0";
  CU_ASSERT_EQUAL(pprofc_report(sums, &options, buffer_write, &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "the profile was read for another sample type");
  CU_ASSERT_EQUAL(out.size, 0);
  refuses_edits(sums);
  pprofc_profile_release(sums);
  buffer_free(&out);
  buffer_free(&m.out);
  make(&m, 5, QUIRK_LABELS, 9000);
  sums = read_as(&m.out, &need_type, 2, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(sums);
  expect_filters_refused(sums);
  pprofc_profile_release(sums);
  buffer_free(&m.out);
}

/* ---- differences ------------------------------------- */

static pprofc_profile *diff_of(const struct buffer *sides, const struct open_sums *sums,
                               pprofc_diff_kind kind, bool unmerged) {
  pprofc_error error;
  pprofc_profile *head = read_as(&sides[0], sums, 1, &error), *out = NULL;
  pprofc_profile *base = read_as(&sides[1], sums, 1, &error);
  CU_ASSERT_FATAL(head && base);
  if (unmerged && transform_diff_unmerged_is_exact(head, base, kind)) {
    CU_ASSERT_EQUAL(transform_diff_unmerged(head, base, false, &out, &error), PPROFC_OK);
    return out;
  }
  if (pprofc_diff(head, base, kind, false, &out, &error) != PPROFC_OK)
    printf("\n%s\n", error.message);
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return out;
}

static void same_diff(const struct buffer *sides, const struct open_sums *sums,
                      pprofc_diff_kind kind, bool unmerged) {
  static const char *const adding[] = {"json", "top"};
  pprofc_profile *whole = diff_of(sides, NEED_ALL, kind, unmerged);
  pprofc_profile *folded = diff_of(sides, sums, kind, unmerged);
  if (sums->labels) {
    same_reports(whole, folded, plain_formats, COUNT(plain_formats));
    same_reports(whole, folded, label_formats, COUNT(label_formats));
  } else {
    same_reports(whole, folded, adding, COUNT(adding));
  }
  pprofc_profile_release(whole);
  pprofc_profile_release(folded);
}

TEST(test_differences_are_the_same) {
  for (unsigned row = 0; row < ROWS; row++) {
    struct maker head, base;
    make(&head, row, quirks_of_row(row), 60);
    make(&base, row, quirks_of_row(row), 50);
    struct buffer sides[] = {head.out, base.out};
    same_diff(sides, &need_equal, PPROFC_COMPARE, false);
    same_diff(sides, &need_equal, PPROFC_SUBTRACT, false);
    same_diff(sides, &need_stacks, PPROFC_COMPARE, true);
    buffer_free(&head.out);
    buffer_free(&base.out);
  }
}

/* ---- invalid profiles -------------------------------- */

static void same_outcome(const struct buffer *data) {
  pprofc_error whole_error, error;
  pprofc_profile *whole = read_as(data, NEED_ALL, 1, &whole_error);
  static const struct open_sums *const ways[] = {&need_equal, &need_stacks, &need_type};
  for (size_t way = 0; way < COUNT(ways); way++) {
    pprofc_profile *folded = read_as(data, ways[way], 1, &error);
    CU_ASSERT_EQUAL(error.status, whole_error.status);
    CU_ASSERT_EQUAL(error.offset, whole_error.offset);
    CU_ASSERT_STRING_EQUAL(error.message, whole_error.message);
    if (whole && folded && way < 2) same_reports(whole, folded, plain_formats, 1);
    pprofc_profile_release(folded);
  }
  pprofc_profile_release(whole);
}

/* Changes each bit of a profile, and cuts the profile at each byte. With ids of two bytes, changes
 * one bit of each byte. */
TEST(test_messages_are_the_same) {
  static const unsigned ids[] = {0, QUIRK_MIXED_IDS}; /* with one and with two bytes */
  for (size_t i = 0; i < COUNT(ids); i++) {
    struct maker m;
    make(&m, 77, QUIRK_LABELS | QUIRK_UNPACKED | QUIRK_FEW | ids[i], 4);
    for (size_t bit = 0; bit < 8 * m.out.size; bit += ids[i] ? 9 : 1) {
      m.out.data[bit / 8] ^= (char)(1 << bit % 8);
      same_outcome(&m.out);
      m.out.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t size = m.out.size; size--;) {
      struct buffer cut = m.out;
      cut.size = size;
      same_outcome(&cut);
    }
    buffer_free(&m.out);
  }
}

/* A location is marked as folded. Two more repeat an id. */
TEST(test_folded_and_repeated_locations) {
  static const uint64_t locations[][5] = {{LOCATIONS + 1, 1, 0x2000, 0, 1}, {1, 1, 16}, {1, 1, 32}};
  struct maker m;
  make(&m, 80, 0, 20);
  for (size_t i = 0; i < COUNT(locations); i++) {
    put_message(&m, PROFILE_LOCATION, locations[i], 5);
    same_outcome(&m.out);
  }
  buffer_free(&m.out);
}

/* Stacks share their last bytes with the previous stack, but not always whole ids. The second of
 * each pair but the first has an id without a location: 0, 201 and 16384. */
TEST(test_parts_of_ids_are_shared) {
  static const struct {
    const char *first, *second;
    size_t sizes[2];
  } pairs[] = {{"\x05\xC8\x01", "\x01", {3, 1}},
               {"\x81\x00", "\x00", {2, 1}},
               {"\xC8\x01\x05\x06", "\x02\xC9\x01\x05\x06", {4, 5}},
               {"\x02\x81\x80\x00\x05", "\x80\x80\x01\x05", {5, 4}}};
  for (size_t i = 0; i < COUNT(pairs); i++) {
    struct maker m;
    pprofc_error error;
    make(&m, 78, 0, 3);
    put_stack(&m, pairs[i].first, pairs[i].sizes[0]);
    put_stack(&m, pairs[i].second, pairs[i].sizes[1]);
    same_outcome(&m.out);
    pprofc_profile_release(read_as(&m.out, NEED_ALL, 1, &error));
    CU_ASSERT_EQUAL(error.status == PPROFC_OK, i == 0);
    buffer_free(&m.out);
  }
}

/* The reader compares many ids at a time with the largest id so far. It finds an invalid id at each
 * place of a stack, and if the largest id has one, two or three bytes. */
TEST(test_invalid_ids_are_found_at_each_place) {
  static const struct {
    const char *bytes;
    size_t size;
  } invalid[] = {{"", 0},
                 {"\x00", 1},
                 {"\x85\x00", 2},
                 {"\x85\x80\x00", 3},
                 {"\xE9\x84\x01", 3},
                 {"\x80\x80\x80\x01", 4},
                 {"\xFF\xFF\xFF\x7F", 4}};
  static const char *const largest[] = {"\x64", "\xC8\x01", "\xE8\x84\x01"};
  struct maker m;
  uint64_t locations = LOCATIONS;
  make(&m, 79, 0, 0);
  for (size_t i = 0; i < COUNT(largest) * COUNT(invalid) * 20; i++) {
    size_t top = i / (COUNT(invalid) * 20), bad = i % COUNT(invalid);
    size_t place = i / COUNT(invalid) % 20;
    if (top == 2 && place % 7) continue; /* many locations take long to read */
    for (; top == 2 && locations < 17000; locations++)
      put_message(&m, PROFILE_LOCATION, (uint64_t[]){locations + 1}, 1);
    size_t before = m.out.size;
    put_stack(&m, largest[top], strlen(largest[top]));
    put_stack_with(&m, invalid[bad].bytes, invalid[bad].size, place);
    same_outcome(&m.out);
    m.out.size = before;
  }
  buffer_free(&m.out);
}

/* ---- files, sizes, limits ---------------------------- */

/* Writes a file that the test removes at its end. */
static void write_temporary(char *path, const struct buffer *data) {
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  CU_ASSERT_EQUAL(write(fd, data->data, data->size), (ssize_t)data->size);
  close(fd);
}

/* Returns the number of samples of a file. The reader does not sum samples of small files. */
static size_t samples_of_file(const struct buffer *data) {
  char path[] = "/tmp/test_fold.XXXXXX";
  pprofc_read_options options;
  pprofc_error error;
  pprofc_profile *profile = NULL;
  write_temporary(path, data);
  pprofc_read_options_init(&options);
  const struct open_sums sums = {.labels = true};
  CU_ASSERT_EQUAL(open_file(path, &options, &sums, &profile, &error), PPROFC_OK);
  unlink(path);
  size_t count = profile ? samples_of(profile) : 0;
  pprofc_profile_release(profile);
  return count;
}

TEST(test_only_large_files_are_folded) {
  struct maker small, large;
  struct buffer gzip;
  make(&small, 5, 0, 2000);
  make(&large, 5, QUIRK_UNPACKED, 100000);
  buffer_init(&gzip, &mem_default, 1 << 28);
  make_gzip(&large.out, &gzip);
  CU_ASSERT(small.out.size < 1 << 20);
  CU_ASSERT(large.out.size > 3 << 19);
  CU_ASSERT_EQUAL(samples_of_file(&small.out), 2000);
  CU_ASSERT(samples_of_file(&large.out) < 2000);
  CU_ASSERT(samples_of_file(&gzip) < 2000);
  buffer_free(&gzip);
  buffer_free(&small.out);
  buffer_free(&large.out);
}

/* A pipe can be read only once. If the reader must keep all samples, it reuses the bytes that it
 * has already read. */
TEST(test_pipes_are_folded) {
  for (int unusual = 0; unusual < 2; unusual++) {
    struct maker m;
    char path[] = "/tmp/test_fold.XXXXXX";
    pprofc_error error;
    pprofc_profile *profile = NULL;
    make(&m, 5, unusual ? QUIRK_NEGATIVE : 0, 9000);
    CU_ASSERT_FATAL(mkdtemp(path) && rmdir(path) == 0 && mkfifo(path, 0600) == 0);
    pid_t child = fork();
    if (child == 0) {
      int fd = open(path, O_WRONLY);
      size_t at = 0;
      for (ssize_t n = 1; n > 0 && at < m.out.size; at += (size_t)n)
        n = write(fd, m.out.data + at, m.out.size - at);
      _exit(at != m.out.size);
    }
    CU_ASSERT_EQUAL(open_file(path, NULL, &need_stacks, &profile, &error), PPROFC_OK);
    CU_ASSERT_EQUAL(samples_of(profile) == m.samples, unusual);
    int status = 1;
    CU_ASSERT(waitpid(child, &status, 0) == child && status == 0);
    unlink(path);
    pprofc_profile_release(profile);
    buffer_free(&m.out);
  }
}

TEST(test_limits_hold) {
  struct maker m;
  pprofc_limits limits;
  pprofc_read_options options;
  make(&m, 21, QUIRK_LABELS, 5000);
  for (int which = 0; which < 4; which++) {
    pprofc_limits_init(&limits);
    if (which == 0) limits.stack_depth = 5;
    if (which == 1) limits.labels = 1;
    if (which == 2) limits.string_bytes = 3;
    if (which == 3) limits.inflated_bytes = m.out.size - 1;
    pprofc_read_options_init(&options);
    options.limits = &limits;
    char messages[2][sizeof((pprofc_error *)NULL)->message];
    for (int fold = 0; fold < 2; fold++) {
      pprofc_error error;
      pprofc_profile *profile = NULL;
      CU_ASSERT_EQUAL(open_memory(m.out.data, m.out.size, &options, fold ? &need_equal : NEED_ALL,
                                  &profile, &error),
                      PPROFC_E_LIMIT);
      memcpy(messages[fold], error.message, sizeof error.message);
    }
    CU_ASSERT_STRING_EQUAL(messages[0], messages[1]);
  }
  buffer_free(&m.out);
}

/* ---- blocks that move -------------------------------- */

static void *moving_alloc(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void moving_release(void *context, void *block, size_t size) {
  (void)context;
  memset(block, 0xA5, size);
  free(block);
}

static void *moving_resize(void *context, void *block, size_t size, size_t new_size) {
  void *moved = malloc(new_size);
  if (!moved) return NULL;
  memcpy(moved, block, size < new_size ? size : new_size);
  moving_release(context, block, size);
  return moved;
}

/* Appends samples of one frame, each with a different label set. Their columns are large, and the
 * reader frees them piece by piece. */
static void put_labeled_samples(struct maker *m, uint64_t count) {
  struct buffer sample, label;
  buffer_init(&sample, &mem_default, 4096);
  buffer_init(&label, &mem_default, 4096);
  for (uint64_t i = 0; i < count; i++) {
    buffer_clear(&sample);
    buffer_clear(&label);
    put_integer(&sample, SAMPLE_LOCATION, location_id_of_maker(m, i % LOCATIONS));
    for (size_t t = 0; t < m->types; t++) put_integer(&sample, SAMPLE_VALUE, i + 1);
    put_integer(&label, LABEL_KEY, 11);
    put_integer(&label, LABEL_NUMBER, i + 1);
    put_bytes(&sample, SAMPLE_LABEL, label.data, label.size);
    put_bytes(&m->out, PROFILE_SAMPLE, sample.data, sample.size);
  }
  buffer_free(&sample);
  buffer_free(&label);
}

TEST(test_memory_may_move) {
  static const struct open_sums *const ways[] = {&need_equal, &need_stacks, &need_tree, &need_type};
  const pprofc_allocator mem = {moving_alloc, moving_resize, moving_release, NULL};
  struct maker m;
  pprofc_error error;
  make(&m, 9, 0, 0);
  put_labeled_samples(&m, 100000);
  pprofc_profile *whole = read_as(&m.out, NEED_ALL, 1, &error);
  pprofc_report_options report = report_options("top");
  for (size_t way = 0; way < COUNT(ways); way++) {
    pprofc_read_options options;
    pprofc_profile *folded = NULL;
    pprofc_read_options_init(&options);
    options.allocator = &mem;
    CU_ASSERT_EQUAL(open_memory(m.out.data, m.out.size, &options, ways[way], &folded, &error),
                    PPROFC_OK);
    expect_same_report(whole, folded, &report);
    report.tagfocus = ways[way]->tree ? "" : "1000:2000";
    if (ways[way]->labels) expect_same_report(whole, folded, &report);
    report.tagfocus = "";
    pprofc_profile_release(folded);
  }
  pprofc_profile_release(whole);
  buffer_free(&m.out);
}
