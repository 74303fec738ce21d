/* Tests each allocation of each report with a failure. First only this allocation fails, then also
 * all later allocations. The status must report the failure, no block may leak, and each block must
 * be freed with its size. A report that succeeds without the block must print its usual text. */
#include "faults.h"
#include "report_text.h"
#include "unit.h"

/* Returns a profile with labels, inlined frames, recursion, and names that must be escaped in
 * output. */
static pprofc_profile *profile_in(const pprofc_allocator *mem) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "ms");
  pprofc_builder_comment(b, "made for a test");
  pprofc_builder_time(b, 0, 5000000000);
  uint32_t map = pprofc_builder_mapping(b, 0x1000, 0x9000, 0, "/bin/prog", "ab", 15);
  uint32_t inner = pprofc_builder_function(b, "git.example/x/v2.(*T).inner", NULL, "/src/a.go", 3);
  uint32_t outer = pprofc_builder_function(b, "ns::Outer::run", NULL, "/src/b.go", 0);
  pprofc_line lines[] = {{inner, 5, 0}, {outer, 30, 0}, {inner, 6, 0}};
  uint32_t frames[5];
  frames[0] = pprofc_builder_location(b, map, 0x1100, lines, 3);
  frames[1] = pprofc_builder_location(b, map, 0x1200, lines + 1, 1);
  frames[2] = pprofc_builder_location(b, map, 0x1300, NULL, 0);
  frames[3] = frame(b, "a\x1b[31m\"b");
  frames[4] = frame(b, "main");
  for (int64_t i = 0; i < 24; i++) {
    uint32_t stack[4] = {frames[i % 5], frames[i / 2 % 4], frames[i % 3], frames[4]};
    pprofc_builder_sample(b, stack, 2 + (size_t)(i % 3), (int64_t[]){1, i * i - 9});
    if (i % 3) pprofc_builder_label(b, "k", i % 2 ? "v" : "w");
    if (i % 4) pprofc_builder_number_label(b, "bytes", 1 + i * 500, "bytes");
  }
  return finish(b);
}

/* Renders a report while allocation `fail_at` fails. Returns true if the report succeeded. */
static bool survives(const pprofc_report_options *options, size_t fail_at, bool for_good,
                     struct buffer *text) {
  struct faults f = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &f};
  pprofc_profile *p = profile_in(&mem);
  pprofc_error error = {0};
  f.calls = 0;
  f.fail_at = fail_at;
  f.from_there_on = for_good;
  buffer_clear(text);
  pprofc_status status = pprofc_report(p, options, buffer_write, text, &error);
  f.fail_at = SIZE_MAX;
  if (status != PPROFC_OK) {
    CU_ASSERT_EQUAL(status, PPROFC_E_NOMEM);
    CU_ASSERT_STRING_EQUAL(error.message, "out of memory");
  }
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(f.live, 0);
  CU_ASSERT_EQUAL(f.wrong_sizes, 0);
  return status == PPROFC_OK;
}

static void try_all(const pprofc_report_options *options) {
  struct buffer expected, got;
  buffer_init(&expected, &mem_default, 1 << 20);
  buffer_init(&got, &mem_default, 1 << 20);
  CU_ASSERT_FATAL(survives(options, SIZE_MAX, false, &expected));
  for (unsigned for_good = 0; for_good < 2; for_good++) {
    size_t through = 0;
    /* Some failures do no harm. The loop ends after several reports in a row that succeeded. */
    for (size_t i = 0; through < 20; i++) {
      bool ok = survives(options, i, for_good, &got);
      through = ok ? through + 1 : 0;
      if (ok) CU_ASSERT(str_equal(buffer_str(&expected), buffer_str(&got)));
    }
  }
  buffer_free(&expected);
  buffer_free(&got);
}

TEST(test_every_format) {
  const pprofc_format_info *info;
  for (size_t i = 0; (info = pprofc_format_at(i)); i++) {
    if (info->graphviz || strcmp(info->name, "disasm") == 0 || strcmp(info->name, "weblist") == 0)
      continue; /* skip the dot report, and reports that run other programs */
    pprofc_report_options o = report_options(info->name);
    o.argument = info->variants ? info->variants[0] : "T|main";
    try_all(&o);
  }
}

TEST(test_call_trees) {
  pprofc_report_options o = report_options("dot");
  o.call_tree = true;
  o.nodecount = 4;
  try_all(&o);
  o.format = "callgrind";
  try_all(&o);
}

TEST(test_every_filter) {
  pprofc_report_options o = report_options("tree");
  o.granularity = "addresses";
  o.focus = "main|T";
  o.ignore = "nothing";
  o.hide = "Outer";
  o.show_from = "main";
  o.prune_from = "zzz";
  o.tagfocus = "1b:100kb";
  o.tagignore = "k=nothing";
  o.taghide = "k";
  o.tagroot = "k";
  o.mean = true;
  o.relative_percentages = true;
  o.noinlines = true;
  try_all(&o);
}

/* As a tree, a sample with n values and n frames would need n
 *
 * n values. */
TEST(test_a_tree_of_many_sample_types_is_refused) {
  enum { COUNT = 3000 };
  static int64_t values[COUNT];
  static uint32_t stack[COUNT];
  char name[16];
  pprofc_builder *b = pprofc_builder_new(NULL);
  for (unsigned i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "n%u", i);
    pprofc_builder_type(b, name, "count");
    stack[i] = frame(b, name);
    values[i] = 1;
  }
  pprofc_builder_sample(b, stack, COUNT, values);
  pprofc_profile *p = finish(b);
  static const char *const formats[] = {"flame", "json"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    pprofc_report_options o = report_options(formats[i]);
    pprofc_error error = {0};
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 20);
    CU_ASSERT_EQUAL(pprofc_report(p, &o, buffer_write, &text, &error), PPROFC_E_LIMIT);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "a tree of 3001 frames with 3000 values each is too large "
                           "(-top and -dot need one value per frame)");
    buffer_free(&text);
  }
  pprofc_profile_release(p);
}
