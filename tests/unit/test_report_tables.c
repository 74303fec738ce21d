/* Tests that the tables of formats and options are consistent with each other and with the
 * defaults. */
#include "report/report.h"
#include "unit.h"

#include "core/str.h"

#include <stdlib.h>

static const void *field(const pprofc_report_options *o, const pprofc_option_info *info) {
  return (const char *)o + info->offset;
}

static bool has_default(const pprofc_report_options *o, const pprofc_option_info *info) {
  const void *value = field(o, info);
  switch (info->kind) {
  case PPROFC_OPTION_BOOL:
    return *(const bool *)value == (strcmp(info->default_text, "true") == 0);
  case PPROFC_OPTION_INT: {
    int64_t parsed;
    return str_parse_int(str_of(info->default_text), 10, &parsed) && *(const int *)value == parsed;
  }
  case PPROFC_OPTION_FLOAT: {
    double parsed = strtod(info->default_text, NULL), is = *(const double *)value;
    return !(parsed < is) && !(parsed > is);
  }
  case PPROFC_OPTION_STRING:
  case PPROFC_OPTION_CHOICE:
    break;
  }
  return strcmp(*(const char *const *)value, info->default_text) == 0;
}

TEST(test_defaults_are_those_of_the_table) {
  pprofc_report_options o;
  pprofc_report_options_init(&o);
  CU_ASSERT_EQUAL(o.struct_size, sizeof o);
  const pprofc_option_info *info;
  for (size_t i = 0; (info = pprofc_option_at(i)); i++) {
    if (!has_default(&o, info)) printf("\n%s\n", info->name);
    CU_ASSERT(has_default(&o, info));
  }
}

TEST(test_options_have_names_of_their_own_and_help) {
  const pprofc_option_info *a, *b;
  for (size_t i = 0; (a = pprofc_option_at(i)); i++) {
    CU_ASSERT(a->help && *a->help);
    CU_ASSERT_EQUAL(a->kind == PPROFC_OPTION_CHOICE, a->choices != NULL);
    for (size_t k = 0; (b = pprofc_option_at(k)) && k < i; k++) {
      CU_ASSERT_STRING_NOT_EQUAL(a->name, b->name);
      CU_ASSERT(a->offset != b->offset);
      CU_ASSERT(!a->url || !b->url || strcmp(a->url, b->url) != 0);
    }
  }
}

TEST(test_every_choice_is_understood) {
  const pprofc_option_info *info;
  for (size_t i = 0; (info = pprofc_option_at(i)); i++) {
    if (strcmp(info->name, "granularity") != 0) continue;
    struct granularity g;
    for (const char *const *c = info->choices; *c; c++)
      CU_ASSERT(granularity_parse(*c, false, false, &g));
  }
}

TEST(test_formats_are_found_by_name) {
  const pprofc_format_info *info, *before = NULL;
  for (size_t i = 0; (info = pprofc_format_at(i)); i++) {
    const struct report_format *format = report_format_find(info->name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(format);
    CU_ASSERT_PTR_EQUAL(&format->info, info);
    CU_ASSERT(format->render != NULL);
    CU_ASSERT_EQUAL((format->flags & REPORT_PARAMETER) != 0, info->argument != NULL);
    CU_ASSERT(!info->binary || info->extension);
    CU_ASSERT(!info->graphviz || info->binary);
    /* The options in the help must be in alphabetical order. */
    bool sorted = !before || strcmp(before->name, info->name) < 0;
    if (!sorted) printf("\nthe row of %s comes before that of %s\n", before->name, info->name);
    CU_ASSERT(sorted);
    before = info;
  }
  CU_ASSERT_PTR_NULL(report_format_find("nothing"));
  CU_ASSERT_PTR_NULL(report_format_find(NULL));
}
