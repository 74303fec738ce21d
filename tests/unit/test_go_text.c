/* Tests Go's character classes and quoted strings. The expected values come from Go's packages
 * unicode and strconv. */
#include "unit.h"

#include "core/go_text.h"
#include "core/str.h"

static struct buffer out;

static bool quoted(pprofc_str text, const char *wanted) {
  buffer_init(&out, &mem_default, 1 << 20);
  go_quote(&out, text);
  bool good = str_equal(buffer_str(&out), str_of(wanted));
  if (!good) fprintf(stderr, "quoted: %.*s\n", STR_ARG(buffer_str(&out)));
  buffer_free(&out);
  return good;
}

static bool unquoted(const char *text, pprofc_str wanted) {
  buffer_init(&out, &mem_default, 1 << 20);
  bool good = go_unquote(&out, str_of(text)) && str_equal(buffer_str(&out), wanted);
  if (!good) fprintf(stderr, "unquoted %s: %.*s\n", text, STR_ARG(buffer_str(&out)));
  buffer_free(&out);
  return good;
}

static bool refused(const char *text) {
  buffer_init(&out, &mem_default, 1 << 20);
  bool good = !go_unquote(&out, str_of(text));
  buffer_free(&out);
  return good;
}

TEST(test_classes_of_characters) {
  static const int32_t spaces[] = {' ',    '\t',   '\r',   0x85,   0xA0,   0x1680,
                                   0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x3000};
  static const int32_t no_spaces[] = {'a', 0x1F, 0x7F, 0x180E, 0x200B, 0x2060, 0xFEFF};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) CU_ASSERT(rune_is_space(spaces[i]));
  for (size_t i = 0; i < sizeof no_spaces / sizeof *no_spaces; i++)
    CU_ASSERT_FALSE(rune_is_space(no_spaces[i]));
  CU_ASSERT(rune_is_lower('a') && rune_is_lower(0xDF) && rune_is_lower(0x3B1));
  CU_ASSERT(!rune_is_lower('A') && !rune_is_lower(0x4E00) && !rune_is_lower('1'));
  CU_ASSERT(rune_is_upper('Z') && rune_is_upper(0xC4) && rune_is_upper(0x3A9));
  CU_ASSERT(rune_is_upper(0x100) && !rune_is_upper(0x101) && !rune_is_upper(0x10FFFF));
  CU_ASSERT(rune_is_graphic('a') && rune_is_graphic(' ') && rune_is_graphic(0x4E00));
  CU_ASSERT(!rune_is_graphic('\n') && !rune_is_graphic(0xAD) && !rune_is_graphic(0x202E));
  CU_ASSERT(rune_is_graphic(-1));
}

TEST(test_white_space_at_the_beginning) {
  CU_ASSERT_EQUAL(space_at(STR("")), 0);
  CU_ASSERT_EQUAL(space_at(STR("\tx")), 1);
  CU_ASSERT_EQUAL(space_at(STR("x ")), 0);
  CU_ASSERT_EQUAL(space_at(STR("\xC2\xA0x")), 2);
  CU_ASSERT_EQUAL(space_at(STR("\xE3\x80\x80")), 3);
  CU_ASSERT_EQUAL(space_at(STR("\xC3\xA9")), 0);
}

TEST(test_quoting) {
  CU_ASSERT(quoted(STR("plain text"), "\"plain text\""));
  CU_ASSERT(quoted(STR("\a\b\f\n\r\t\v\\\""), "\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\""));
  CU_ASSERT(quoted(STR("\x1b\x7f"), "\"\\x1b\\x7f\""));
  CU_ASSERT(quoted(STR("\xff\xc3"), "\"\\xff\\xc3\""));
  CU_ASSERT(quoted(STR("\xC3\xA9\xE2\x80\xAE"), "\"\xC3\xA9\\u202e\""));
  CU_ASSERT(quoted(STR("\xC2\xA0"), "\"\\u00a0\""));
  CU_ASSERT(quoted(STR("\xD8\x80\xD8\x9C\xDB\x9D"), "\"\\u0600\\u061c\\u06dd\""));
  CU_ASSERT(quoted(STR("\xE1\xA0\x8E\xEF\xBF\xB0"), "\"\\u180e\\ufff0\""));
  CU_ASSERT(quoted(STR("\xF3\xA0\x80\x81"), "\"\\U000e0001\""));
}

TEST(test_unquoting) {
  CU_ASSERT(unquoted("\"a b\"", STR("a b")));
  CU_ASSERT(unquoted("\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\"", STR("\a\b\f\n\r\t\v\\\"")));
  CU_ASSERT(unquoted("\"\\x41\\101\\u00e9\\U0001F600\"", STR("AA\xC3\xA9\xF0\x9F\x98\x80")));
  CU_ASSERT(unquoted("\"\xff\"", STR("\xEF\xBF\xBD")));
  CU_ASSERT(unquoted("\"\\377\"", STR("\xff")));
  CU_ASSERT(refused("\"\\q\""));
  CU_ASSERT(refused("\"\\'\""));
  CU_ASSERT(refused("\"\\x4\""));
  CU_ASSERT(refused("\"\\x4g\""));
  CU_ASSERT(refused("\"\\400\""));
  CU_ASSERT(refused("\"\\18\""));
  CU_ASSERT(refused("\"\\ud800\""));
  CU_ASSERT(refused("\"\\U00110000\""));
  CU_ASSERT(refused("\"\\\""));
  CU_ASSERT(refused("\"a\nb\""));
  CU_ASSERT(refused("\"a\"b\""));
}
