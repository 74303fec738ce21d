/* Tests parameters of URLs: parameters that are used or ignored, the options and links made from
 * them, and error messages equal to pprof's. */
#include "unit.h"
#include "web/view.h"

static struct arena arena;
static struct web_query query;
static pprofc_error error;

static pprofc_status parse(const char *text) {
  arena_free(&arena);
  arena_init(&arena, &mem_default);
  return web_query_parse(str_of(text), &arena, &query, &error);
}

static const char *written(const struct web_change *changes, size_t count) {
  static char text[4096];
  struct buffer out;
  buffer_init(&out, &mem_default, sizeof text);
  web_query_write(&out, &query, changes, count);
  snprintf(text, sizeof text, "%.*s", STR_ARG(buffer_str(&out)));
  buffer_free(&out);
  return text;
}

TEST(test_the_first_of_repeated_parameters_counts) {
  CU_ASSERT_EQUAL(parse("f=main&f=other&i=%5Eruntime%5C.&unknown=1&g="), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "f"), "main");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "i"), "^runtime\\.");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "g"), "");
  CU_ASSERT_EQUAL(query.count, 2);
  CU_ASSERT_EQUAL(parse("f=&f=x"), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "f"), "");
}

TEST(test_what_cannot_be_decoded_is_ignored) {
  CU_ASSERT_EQUAL(parse("f=%zz&i=%u0041&h=a%2&s=a;b&%66=ok&sf=a+b%20c"), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "f"), "ok");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "i"), "");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "h"), "");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "s"), "");
  CU_ASSERT_STRING_EQUAL(web_query_get(&query, "sf"), "a b c");
}

/* If a filter ended at a NUL byte, the page would show more samples than the request permits. */
TEST(test_values_that_are_no_text_are_refused) {
  CU_ASSERT_EQUAL(parse("f=main%00"), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(parse("f=%ff%fe"), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(parse("unknown=%00"), PPROFC_OK);
}

TEST(test_equal_questions_have_equal_texts) {
  CU_ASSERT_EQUAL(parse("side=base&g=lines&f=a%26b&x=1"), PPROFC_OK);
  char first[4096];
  snprintf(first, sizeof first, "%s", written(NULL, 0));
  CU_ASSERT_EQUAL(parse("f=a%26b&f=c&g=lines&&side=base"), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(written(NULL, 0), first);
  CU_ASSERT_STRING_EQUAL(first, "f=a%26b&g=lines&side=base");
}

TEST(test_links_change_add_and_remove) {
  const struct web_change changes[] = {{"f", {"", 0}}, {"i", {"<x>", 3}}};
  CU_ASSERT_EQUAL(parse("f=main&g=lines"), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(written(changes, 2), "i=%3Cx%3E&g=lines");
}

TEST(test_links_are_encoded) {
  struct buffer text;
  buffer_init(&text, &mem_default, 4096);
  CU_ASSERT_EQUAL(parse("f=%22%3E%3Cscript%3E&g=lines"), PPROFC_OK);
  web_query_link(&text, &query, "top", NULL, 0);
  CU_ASSERT(str_equal(buffer_str(&text), STR("top?f=%22%3E%3Cscript%3E&g=lines")));
  buffer_free(&text);
}

TEST(test_parameters_become_options) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  CU_ASSERT_EQUAL(parse("f=main&n=7&nf=0.1&calltree=t&trim=0&g=files&sort=cum&si=cpu&tagroot=k"),
                  PPROFC_OK);
  CU_ASSERT_EQUAL(web_query_options(&query, &options, &error), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(options.focus, "main");
  CU_ASSERT_EQUAL(options.nodecount, 7);
  CU_ASSERT(options.nodefraction == 0.1 && options.call_tree && !options.trim);
  CU_ASSERT_STRING_EQUAL(options.granularity, "files");
  CU_ASSERT_STRING_EQUAL(options.sort, "cum");
  CU_ASSERT_STRING_EQUAL(options.sample_index, "cpu");
  CU_ASSERT_STRING_EQUAL(options.tagroot, "k");
}

/* A link must not select files. */
TEST(test_no_parameter_sets_a_path) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  CU_ASSERT_EQUAL(parse("source_path=/etc&trim_path=/x&output=/tmp/x&divide_by=0&safe=f&"
                        "origin_rules=/etc/passwd&title=t"),
                  PPROFC_OK);
  CU_ASSERT_EQUAL(query.count, 0);
  CU_ASSERT_EQUAL(web_query_options(&query, &options, &error), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(options.source_path, "");
}

TEST(test_what_is_wrong_is_said_as_pprof_says_it) {
  static const char *const wrong[][2] = {
      {"n=abc",
       "error setting config field nodecount: strconv.Atoi: parsing \"abc\": invalid syntax"},
      {"n=99999999999",
       "error setting config field nodecount: strconv.Atoi: parsing \"99999999999\": value out of "
       "range"},
      {"nf=x", "error setting config field nodefraction: strconv.ParseFloat: parsing \"x\": "
               "invalid syntax"},
      {"trim=maybe", "error setting config field trim: illegal value \"maybe\" for bool variable"},
      {"g=nosuch", "error setting config field granularity: invalid \"granularity\" value "
                   "\"nosuch\""},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    pprofc_report_options options;
    pprofc_report_options_init(&options);
    CU_ASSERT_EQUAL(parse(wrong[i][0]), PPROFC_OK);
    CU_ASSERT_EQUAL(web_query_options(&query, &options, &error), PPROFC_E_INVALID);
    CU_ASSERT_STRING_EQUAL(error.message, wrong[i][1]);
  }
}

/* The browser must start with the options of the command line. */
TEST(test_options_become_an_address) {
  pprofc_report_options options;
  struct buffer out;
  pprofc_report_options_init(&options);
  options.focus = "a b|c";
  options.call_tree = true;
  options.trim = false;
  options.sample_index = "cpu";
  buffer_init(&out, &mem_default, 4096);
  web_query_of_options(&out, &options);
  CU_ASSERT(str_equal(buffer_str(&out), STR("calltree=t&trim=f&f=a%20b%7Cc")));
  buffer_free(&out);
  arena_free(&arena);
}
