/* Tests core/json_write: separators, nesting, escapes and numbers. */
#include "core/json_write.h"

#include "unit.h"

#include <math.h>

static struct buffer text;
static struct output out;

static void start(struct json_writer *json) {
  buffer_init(&text, &mem_default, SIZE_MAX);
  output_init(&out, buffer_write, &text);
  json_init(json, &out, &mem_default);
}

static void finish(struct json_writer *json, const char *wanted) {
  CU_ASSERT(json_finish(json));
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
  bool same = str_equal(buffer_str(&text), str_of(wanted));
  if (!same) printf("\ngot    %.*s\nwanted %s\n", STR_ARG(buffer_str(&text)), wanted);
  CU_ASSERT(same);
  buffer_free(&text);
}

TEST(test_separators_are_put_between_items_of_every_level) {
  struct json_writer json;
  start(&json);
  json_begin_object(&json);
  json_key(&json, "a");
  json_begin_array(&json);
  json_int(&json, INT64_MIN);
  json_uint(&json, UINT64_MAX);
  json_begin_array(&json);
  json_end(&json);
  json_begin_object(&json);
  json_end(&json);
  json_bool(&json, true);
  json_end(&json);
  json_key(&json, "b");
  json_bool(&json, false);
  json_key(&json, "c");
  json_verbatim(&json, STR("[1,2]"));
  json_end(&json);
  finish(&json,
         "{\"a\":[-9223372036854775808,18446744073709551615,[],{},true],\"b\":false,\"c\":[1,2]}");
}

TEST(test_line_breaks_stand_before_items_and_ends) {
  struct json_writer json;
  start(&json);
  json_begin_array(&json);
  json_line_break(&json);
  json_int(&json, 1);
  json_line_break(&json);
  json_int(&json, 2);
  json_line_break(&json);
  json_end(&json);
  finish(&json, "[\n1,\n2\n]");
}

TEST(test_strings_are_valid_utf8_and_safe_inside_a_page) {
  struct json_writer json;
  start(&json);
  json_begin_array(&json);
  json_text(&json, "plain");
  json_text(&json, "a\"b\\c\n\x01");
  json_text(&json, "</script>&");
  json_text(&json, "\xFFx\xC3\xA9");
  json_end(&json);
  finish(&json, "[\"plain\",\"a\\\"b\\\\c\\u000a\\u0001\",\"\\u003c/script\\u003e\\u0026\","
                "\"\xEF\xBF\xBDx\xC3\xA9\"]");
}

TEST(test_numbers_are_as_short_as_they_can_be) {
  struct json_writer json;
  start(&json);
  json_begin_array(&json);
  json_double(&json, 0.1);
  json_double(&json, 1.0 / 3);
  json_double(&json, 1e300);
  json_double(&json, -2.5);
  json_double(&json, (double)INFINITY);
  json_double(&json, (double)NAN);
  json_end(&json);
  finish(&json, "[0.1,0.3333333333333333,1e+300,-2.5,null,null]");
}

TEST(test_nesting_beyond_the_limit_fails_the_output) {
  struct json_writer json;
  start(&json);
  for (int i = 0; i < JSON_DEPTH + 1; i++) json_begin_array(&json);
  CU_ASSERT(out.failed);
  CU_ASSERT(json_finish(&json));
  buffer_free(&text);
}

TEST(test_a_format_writes_items_of_each_kind) {
  struct json_writer json;
  start(&json);
  json_pack(&json, "{version:4 a:S b:s c:s\nd:[i u f]", STR("x"), "y\"", NULL, INT64_C(-1),
            UINT64_MAX, 0.5);
  json_pack(&json, "e:{yes:b no:b}\n}", true, false);
  finish(&json, "{\"version\":4,\"a\":\"x\",\"b\":\"y\\\"\",\"c\":\"\",\n"
                "\"d\":[-1,18446744073709551615,0.5],\"e\":{\"yes\":true,\"no\":false}\n}");
}
