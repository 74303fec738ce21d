/* Tests that a report does not change if the filters reuse the columns of a profile that is not
 * needed any more. */
#include "profile/profile.h"
#include "report_text.h"
#include "unit.h"

/* Returns a profile in which each column is large enough for a separate block. */
static pprofc_profile *large_profile(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  static const struct {
    const char *name;
    unsigned count;
  } kinds[] = {{"leaf", 53}, {"middle", 17}, {"handler", 11}, {"main", 1}};
  uint32_t known[4][53];
  for (unsigned k = 0; k < 4; k++)
    for (unsigned i = 0; i < kinds[k].count; i++) {
      char name[32];
      snprintf(name, sizeof name, k < 3 ? "%s%u" : "%s", kinds[k].name, i);
      known[k][i] = frame(b, name);
    }
  for (unsigned i = 0; i < 17000; i++) {
    const uint32_t frames[] = {known[0][i * 7919u % 53], known[1][i % 17], known[2][i / 100 % 11],
                               known[3][0]};
    pprofc_builder_sample(b, frames, 2 + i % 3, (int64_t[]){1, i % 7 ? i : -(int64_t)i});
    if (i % 3) pprofc_builder_label(b, "worker", i % 2 ? "odd" : "even");
    if (i % 5 == 0) pprofc_builder_number_label(b, "bytes", i % 4096, "bytes");
  }
  return finish(b);
}

/* Compares the first `count` formats. -raw prints the whole filtered profile. */
static void expect_same(const pprofc_profile *kept, pprofc_report_options options, size_t count,
                        const char *what) {
  static const char *const formats[] = {"raw", "top", "tags", "traces"};
  struct buffer expected, text;
  buffer_init(&expected, &mem_default, PTRDIFF_MAX);
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  for (size_t i = count; i--;) {
    pprofc_profile *lent = large_profile();
    lent->disposable = true;
    options.format = formats[i];
    report_into(&expected, kept, &options);
    report_into(&text, lent, &options);
    bool same = str_equal(buffer_str(&expected), buffer_str(&text));
    if (!same) printf("%s: %s differs\n", what, formats[i]);
    CU_ASSERT(same);
    pprofc_profile_release(lent);
  }
  /* a profile that the caller keeps must not change */
  report_into(&text, kept, &options);
  CU_ASSERT(str_equal(buffer_str(&expected), buffer_str(&text)));
  buffer_free(&expected);
  buffer_free(&text);
}

TEST(test_each_filter) {
  static const struct {
    const char *what;
    size_t option;
    const char *text;
  } cases[] = {
#define CASE(option, text) {#option, offsetof(pprofc_report_options, option), text}
      CASE(focus, "leaf1|middle3"), CASE(ignore, "middle[24]"),     CASE(hide, "middle"),
      CASE(show, "leaf|main"),      CASE(show_from, "handler"),     CASE(prune_from, "middle1"),
      CASE(tagfocus, "odd"),        CASE(tagignore, "1kb:2kb"),     CASE(tagshow, "bytes"),
      CASE(taghide, "bytes"),       CASE(tagroot, "worker"),        CASE(tagleaf, "worker"),
      CASE(granularity, "lines"),   CASE(granularity, "functions"),
#undef CASE
  };
  pprofc_profile *kept = large_profile();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_report_options options = report_options("raw");
    memcpy((char *)&options + cases[i].option, &cases[i].text, sizeof cases[i].text);
    expect_same(kept, options, 2, cases[i].what);
  }
  pprofc_profile_release(kept);
}

TEST(test_all_filters_after_each_other) {
  pprofc_profile *kept = large_profile();
  pprofc_report_options options = report_options("raw");
  options.focus = "leaf[1-4]";
  options.ignore = "middle7";
  options.hide = "leaf3";
  options.show_from = "handler|middle";
  options.prune_from = "middle2";
  options.tagfocus = "worker=odd";
  options.tagroot = "worker";
  options.noinlines = true;
  options.threads = 3;
  expect_same(kept, options, 4, "all");
  options.relative_percentages = true;
  expect_same(kept, options, 4, "all, relative");
  pprofc_profile_release(kept);
}
