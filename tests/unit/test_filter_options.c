/* Tests the table of filters. Its flags must match the effect of each option. Otherwise a filter
 * could get samples that the reader has summed. */
#include "make_page.h"
#include "open.h"
#include "options.h"
#include "pipeline/pipeline.h"
#include "report/report.h"
#include "report_text.h"
#include "shell/session.h"
#include "steps.h"
#include "unit.h"

static pprofc_error error;

/* Writes a profile in which main calls A and B, and B calls C. */
static void calls(struct buffer *out) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (int i = 0; i < 20; i++) {
    sample(b, "A main", 1, 10000000);
    pprofc_builder_label(b, "key", "v1");
    sample(b, "B main", 1, 20000000);
    sample(b, "C B main", 2, 40000000);
    pprofc_builder_label(b, "key", "v2");
    pprofc_builder_label(b, "other", "v2");
  }
  pprofc_profile *p = finish(b);
  CU_ASSERT_EQUAL(pprofc_profile_write(p, buffer_write, out, &error), PPROFC_OK);
  pprofc_profile_release(p);
}

/* Reads bytes for a report, completely or as sums of samples, and renders the report. */
static pprofc_status render(const struct buffer *bytes, const pprofc_report_options *options,
                            const struct open_sums *sums, struct buffer *text) {
  pprofc_profile *p = NULL;
  buffer_clear(text);
  pprofc_status status = open_memory(bytes->data, bytes->size, NULL, sums, &p, &error);
  if (!status) status = pprofc_report(p, options, buffer_write, text, &error);
  pprofc_profile_release(p);
  return status;
}

/* Texts of one report: with defaults, with an option, and with the option on summed samples. */
struct folding_case {
  struct buffer bytes, plain, whole, folded;
  size_t changes[64], folds; /* for each option, number of reports that it changed; number of
                                reports on summed samples */
};

/* Sets the option to a value. Compares the report of summed samples with the report of the whole
 * profile. */
static void compare_folded(struct folding_case *c, size_t index, const char *format,
                           const char *value) {
  const char *source = "-";
  struct command command = {.sums = "", .benchmark = "", .base = "", .sources = &source};
  struct open_sums sums;
  const pprofc_option_info *info = pprofc_option_at(index);
  command.report = report_options(format);
  command.format = &report_format_find(format)->info;
  command.source_count = 1;
  const pprofc_report_options plain = command.report;
  if (pprofc_report_options_set(&command.report, info->name, value, NULL)) return;
  pprofc_status status = render(&c->bytes, &command.report, NULL, &c->whole);
  if (status || !folding_of(&command, &sums)) return;
  sums.always = true;
  CU_ASSERT_EQUAL(render(&c->bytes, &plain, NULL, &c->plain), PPROFC_OK);
  c->folds++;
  c->changes[index] += !str_equal(buffer_str(&c->plain), buffer_str(&c->whole));
  CU_ASSERT_EQUAL(render(&c->bytes, &command.report, &sums, &c->folded), status);
  bool same = str_equal(buffer_str(&c->folded), buffer_str(&c->whole));
  if (!same) printf("\n%s=%s changes -%s if samples were folded\n", info->name, value, format);
  CU_ASSERT(same);
}

TEST(test_no_option_meets_samples_that_were_folded_away) {
  static const char *const values[] = {"main", "B", "key", "key=v1", "v1", "true", "3", "files"};
  static const char *const formats[] = {"top", "tree", "tags", "dot", "callgrind", "topproto"};
  struct folding_case c = {.folds = 0};
  struct buffer *const buffers[] = {&c.bytes, &c.plain, &c.whole, &c.folded};
  for (size_t i = 0; i < 4; i++) buffer_init(buffers[i], &mem_default, 1 << 24);
  calls(&c.bytes);
  for (size_t i = 0; pprofc_option_at(i); i++)
    for (size_t v = 0; v < 8; v++)
      for (size_t f = 0; f < 6; f++) compare_folded(&c, i, formats[f], values[v]);
  CU_ASSERT(c.folds > 100);
  for (size_t i = 0; pprofc_option_at(i); i++)
    if (filter_find(pprofc_option_at(i))) CU_ASSERT(c.changes[i] > 0);
  for (size_t i = 0; i < 4; i++) buffer_free(buffers[i]);
}

/* The table must contain each option that edits the profile, because reading and verdicts depend on
 * the table. */
TEST(test_each_option_that_edits_samples_is_a_filter) {
  static const char *const values[] = {"main", "key", "key=v1"};
  static const struct pipeline_overrides as_top = {.aggregates = true};
  struct buffer bytes;
  pprofc_profile *p = NULL;
  buffer_init(&bytes, &mem_default, 1 << 20);
  calls(&bytes);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_memory(bytes.data, bytes.size, NULL, &p, &error),
                        PPROFC_OK);
  for (size_t i = 0; pprofc_option_at(i); i++)
    for (size_t v = 0; v < 3; v++) {
      pprofc_report_options options = report_options("top");
      struct pipeline_result result;
      const bool filters = filter_find(pprofc_option_at(i));
      if (pprofc_report_options_set(&options, pprofc_option_at(i)->name, values[v], NULL)) continue;
      pprofc_status status = pipeline_run(p, &options, &as_top, &result, &error);
      CU_ASSERT(status || result.profile == p || filters);
      CU_ASSERT_EQUAL(filters_any(&options, FILTER_ANY), filters);
      pipeline_free(&result);
    }
  pprofc_profile_release(p);
  buffer_free(&bytes);
}

/* The structs of the report and of pprofc_filter must have the same filters. */
TEST(test_filters_go_from_struct_to_struct) {
  pprofc_report_options options = report_options("top");
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    const char *name = filter_options[i].option.name;
    CU_ASSERT_EQUAL(pprofc_report_options_set(&options, name, name, &error), PPROFC_OK);
  }
  const pprofc_filter_options filter = filters_of_report(&options);
  CU_ASSERT_STRING_EQUAL(filter.show_from, "show_from");
  CU_ASSERT_STRING_EQUAL(filter.tagleaf, "tagleaf");
  const pprofc_report_options back = filters_to_report(&filter);
  for (unsigned i = 0; i < FILTER_COUNT; i++)
    CU_ASSERT_STRING_EQUAL(filter_text(&back, (enum filter_index)i), filter_options[i].option.name);
  CU_ASSERT(!filters_any(&(pprofc_report_options){.focus = ""}, FILTER_ANY));
}

/* Each row of the table must become a flag with a help text, an option of the shell, a field of the
 * page, and a flag in the copied command. */
TEST(test_each_filter_has_a_flag_an_option_and_a_field) {
  static struct command_flags flags;
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct buffer help = buffer_make(&mem_default, 1 << 20);
  struct output out;
  command_flags_init(&flags);
  option_help_set(&flags);
  output_init(&out, buffer_write, &help);
  help_print(&flags.table, &out, 80);
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
  buffer_add_char(&help, '\0');
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    const struct filter_option *filter = &filter_options[i];
    const pprofc_option_info *option = &filter->option;
    char query[64], field[64], flag[64];
    snprintf(flag, sizeof flag, "\n  -%s=TEXT ", option->name);
    CU_ASSERT_PTR_NOT_NULL(flags_find(&flags.table, str_of(option->name)));
    CU_ASSERT_PTR_NOT_NULL(strstr(help.data, flag));
    CU_ASSERT_PTR_EQUAL(shell_option_find(str_of(option->name)), option);
    const char *parameter = option->url ? option->url : option->name;
    snprintf(query, sizeof query, "%s=main", parameter);
    snprintf(field, sizeof field, filter->label ? "name=\"%s\"" : "name=%s ", parameter);
    snprintf(flag, sizeof flag, " -%s=main ", option->name);
    struct asked asked = ask("top", query, p);
    expect_text(&asked, field, true);
    expect_text(&asked, flag, true);
  }
  buffer_free(&help);
  pprofc_profile_release(p);
}
