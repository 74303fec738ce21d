/* Tests report options by name: sets each option of the table from text, and reads its value. */
#include "core/error.h"
#include "core/str.h"
#include "pprofc/report.h"
#include "unit.h"

#include <locale.h>

static pprofc_error error;
static pprofc_report_options options;

static bool set(const char *name, const char *value) {
  return pprofc_report_options_set(&options, name, value, &error) == PPROFC_OK;
}

static bool is(const char *name, const char *expected) {
  char text[64] = "?";
  size_t size = 0;
  if (pprofc_report_options_get(&options, name, text, sizeof text, &size, &error) != PPROFC_OK)
    return false;
  if (strcmp(text, expected) != 0) printf("\n%s is %s, not %s\n", name, text, expected);
  return strcmp(text, expected) == 0 && size == strlen(expected);
}

TEST(test_defaults_are_those_of_the_table) {
  const pprofc_option_info *info;
  pprofc_report_options_init(&options);
  for (size_t i = 0; (info = pprofc_option_at(i)); i++)
    CU_ASSERT(is(info->name, info->default_text));
}

/* Returns a value other than the default, for each type of option. */
static const char *other_value(const pprofc_option_info *info) {
  static const char *const values[] = {
      [PPROFC_OPTION_INT] = "17", [PPROFC_OPTION_FLOAT] = "0.25", [PPROFC_OPTION_STRING] = "main"};
  if (info->kind == PPROFC_OPTION_CHOICE) return info->choices[0];
  if (info->kind != PPROFC_OPTION_BOOL) return values[info->kind];
  return strcmp(info->default_text, "true") == 0 ? "false" : "true";
}

TEST(test_every_option_is_set_and_read_back) {
  const pprofc_option_info *info;
  size_t count = 0;
  pprofc_report_options_init(&options);
  for (size_t i = 0; (info = pprofc_option_at(i)); i++, count++) {
    CU_ASSERT(set(info->name, other_value(info)));
    CU_ASSERT(is(info->name, other_value(info)));
  }
  CU_ASSERT(count > 30);
  CU_ASSERT(options.call_tree && !options.trim && options.nodecount == 17);
  CU_ASSERT(options.nodefraction == 0.25 && strcmp(options.focus, "main") == 0);
  CU_ASSERT_STRING_EQUAL(options.granularity, "functions");
  CU_ASSERT_STRING_EQUAL(options.format, "top");
}

TEST(test_words_and_numbers) {
  static const char *const on[] = {"true", "T", "YES", "y", "1"};
  static const char *const off[] = {"FALSE", "f", "no", "N", "0"};
  pprofc_report_options_init(&options);
  for (size_t i = 0; i < 5; i++) {
    CU_ASSERT(set("mean", on[i]) && options.mean);
    CU_ASSERT(set("mean", off[i]) && !options.mean);
  }
  CU_ASSERT(set("nodecount", "-2147483648") && is("nodecount", "-2147483648"));
  CU_ASSERT(set("divide_by", "1e300") && is("divide_by", "1e+300"));
  CU_ASSERT(set("divide_by", "0.1") && is("divide_by", "0.1"));
  CU_ASSERT(set("divide_by", "0.30000000000000004") && is("divide_by", "0.30000000000000004"));
  CU_ASSERT(set("granularity", "lines") && set("granularity", "") && is("granularity", ""));
  CU_ASSERT(set("focus", NULL) && is("focus", ""));
}

static void expect_refused(const char *name, const char *value, const char *message) {
  pprofc_report_options before = options;
  error.message[0] = '\0';
  CU_ASSERT_EQUAL(pprofc_report_options_set(&options, name, value, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, message);
  CU_ASSERT(memcmp(&before, &options, sizeof options) == 0);
}

TEST(test_what_has_no_meaning_is_refused) {
  pprofc_report_options_init(&options);
  expect_refused("nodecounts", "1", "unknown option \"nodecounts\"");
  expect_refused("format", "top", "unknown option \"format\"");
  expect_refused(NULL, "1", "unknown option \"\"");
  expect_refused("nodecount", "ten", "invalid \"nodecount\" value \"ten\"");
  expect_refused("nodecount", "2147483648", "invalid \"nodecount\" value \"2147483648\"");
  expect_refused("nodecount", "", "invalid \"nodecount\" value \"\"");
  expect_refused("trim", "maybe", "invalid \"trim\" value \"maybe\"");
  expect_refused("nodefraction", "0,5", "invalid \"nodefraction\" value \"0,5\"");
  expect_refused("sort", "name", "invalid \"sort\" value \"name\"");
}

TEST(test_short_room_cuts_the_text) {
  char text[4] = "???";
  size_t size = 0;
  pprofc_report_options_init(&options);
  CU_ASSERT(set("focus", "runtime"));
  CU_ASSERT_EQUAL(pprofc_report_options_get(&options, "focus", text, 4, &size, &error), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(text, "run");
  CU_ASSERT_EQUAL(size, 7);
  CU_ASSERT_EQUAL(pprofc_report_options_get(&options, "focus", NULL, 0, &size, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_report_options_get(&options, "x", text, 4, NULL, NULL), PPROFC_E_INVALID);
}

/* The struct of a caller with an older header has no space for new fields. */
TEST(test_fields_beyond_the_callers_struct_are_refused) {
  pprofc_report_options_init(&options);
  options.struct_size = offsetof(pprofc_report_options, cut_depth) + sizeof options.cut_depth;
  CU_ASSERT(set("cut_depth", "3") && is("cut_depth", "3"));
  expect_refused("min_weight", "0.5",
                 "the option \"min_weight\" is newer than the program that sets it");
  options.struct_size = 0;
  expect_refused("cut_depth", "4",
                 "pprofc_report_options is not initialised: call pprofc_report_options_init first");
}

TEST(test_the_locale_changes_nothing) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
  const char *found = NULL;
  for (size_t i = 0; i < 3 && !found; i++) found = setlocale(LC_NUMERIC, locales[i]);
  if (!found) printf("(no locale with a decimal comma) ");
  pprofc_report_options_init(&options);
  CU_ASSERT(set("nodefraction", "0.125") && is("nodefraction", "0.125"));
  (void)setlocale(LC_NUMERIC, "C");
}
