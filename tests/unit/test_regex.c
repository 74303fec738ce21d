/* Tests regular expressions: Go's grammar, error messages and matches, and a limit of the time. */
#include "core/str.h"
#include "regex/regex.h"
#include "unit.h"

static struct regex *compile(pprofc_str pattern) {
  struct regex *regex = NULL;
  pprofc_error error = {.message = ""};
  pprofc_status status = regex_compile(&mem_default, pattern, &regex, &error);
  if (status != PPROFC_OK) printf("    %.*s: %s\n", STR_ARG(pattern), error.message);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
  return regex;
}

static bool matches(const char *pattern, pprofc_str text) {
  struct regex *regex = compile(str_of(pattern));
  bool result = regex_match(regex, text);
  CU_ASSERT_FALSE(regex_tripped(regex));
  regex_free(regex);
  return result;
}

/* ---- matching ---------------------------------------- */

struct expectation {
  const char *pattern;
  pprofc_str text;
  bool match;
};

#define YES(pattern, text)                                                                         \
  { pattern, {text, sizeof(text) - 1}, true }
#define NO(pattern, text)                                                                          \
  { pattern, {text, sizeof(text) - 1}, false }

static void expect_all(const struct expectation *all, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool match = matches(all[i].pattern, all[i].text);
    if (match != all[i].match) printf("    %s on %.*s\n", all[i].pattern, STR_ARG(all[i].text));
    CU_ASSERT_EQUAL(match, all[i].match);
  }
}
#define EXPECT_ALL(...)                                                                            \
  static const struct expectation expected[] = {__VA_ARGS__};                                      \
  expect_all(expected, sizeof expected / sizeof *expected)

TEST(test_plain_texts_match_anywhere) {
  EXPECT_ALL(YES("", ""), YES("", "x"), YES("malloc", "runtime.mallocgc"), NO("malloc", "mallo"),
             YES("main\\.run", "main.run"), NO("main\\.run", "mainxrun"), YES("json|http|", ""),
             YES("json|http|main", "main.f"), NO("json|http|main", "runtime"),
             YES("\\Qa.b*\\E", "xa.b*"), YES("é", "caf\xc3\xa9"), YES("a{,5}", "a{,5}"),
             YES("x{", "x{"), YES("\\x41\\102", "AB"), YES("1|2|3|4|5|6|7|8", "8"),
             NO("1|2|3|4|5|6|7|8", "0"));
}

#ifdef HAVE_PCRE2
TEST(test_escapes_stand_for_one_character) {
  EXPECT_ALL(YES("^\\a\\f\\n\\r\\t\\v$", "\a\f\n\r\t\v"), YES("a\nb+", "a\nb"), YES("\\0|x+", "\0"),
             YES("^\\x{1F600}.$", "\xf0\x9f\x98\x80"
                                  "a"),
             NO("\\x{d800}", "\xed\xa0\x80"), YES("^\\07\\101$", "\aA"), YES("^\\xE9$", "\xc3\xa9"),
             YES("^[\\x41-\\x43]+$", "ABC"), YES("\\p{ASCII}", "a"), NO("\\p{ascii}", "\xc3\xa9"),
             YES("\\P{ASCII}", "\xc3\xa9"), YES("\\p{Assigned}", "a"), NO("\\P{Assigned}", "a"),
             NO("\\p{Assigned}", "\xcd\xb8"), YES("^a{2,x$", "a{2,x"), YES("^a{2x}$", "a{2x}"),
             YES("^a{02}$", "a{02}"));
}

TEST(test_anchors_are_those_of_go) {
  EXPECT_ALL(YES("^main\\.", "main.f"), NO("^main\\.", "xmain.f"), YES("f$", "main.f"),
             NO("f$", "f\n"), NO("^b", "a\nb"), YES("(?m)^b", "a\nb"), YES("(?m)a$", "a\nb"),
             YES("(?m)^$", "a\n"), YES("\\Aa\\z", "a"), NO("(?m)\\Ab", "a\nb"),
             YES("\\bb\\b", "a b"), NO("\\bb", "ab"), NO("\\b\\x{e9}", "\xc3\xa9"),
             YES("^*a", "ba"), YES("(?:\\b)+a", "a"), NO("\\b+a", "ba"));
}

TEST(test_classes_are_ascii_unless_unicode_is_named) {
  EXPECT_ALL(YES("\\d", "7"), NO("\\d", "\xd9\xa3"), NO("\\w", "\xc3\xa9"), YES("\\W", "\xc3\xa9"),
             NO("\\s", "\v"), YES("[[:space:]]", "\v"), YES("\\pL", "\xc3\xa9"),
             NO("\\PL", "\xc3\xa9"), YES("\\p{Greek}", "\xce\xb1"), NO("\\p{^Greek}", "\xce\xb1"),
             YES("[^\\PL]", "a"), YES("\\p{uppercase letter}", "A"), NO("\\p{Lu}", "a"),
             YES("[[:^alpha:]]", "1"), YES("[]a]", "]"), YES("[a-]", "-"), YES("[^\\x{d800}]", "a"),
             NO("[\\x{d800}]", "a"), YES("[\\d\\-x]", "-"), YES("[\\W]", "\xc3\xa9"),
             NO("[\\W\\S]", ""));
}

TEST(test_a_script_that_is_too_new_for_this_pcre2_is_unsupported) {
  struct regex *regex = NULL;
  pprofc_error error = {.message = ""};
  pprofc_status status = regex_compile(&mem_default, STR("\\p{Kawi}"), &regex, &error);
  if (status == PPROFC_OK) CU_ASSERT_TRUE(regex_match(regex, STR("\xf0\x91\xbc\x84")));
  if (status != PPROFC_OK) {
    CU_ASSERT_EQUAL(status, PPROFC_E_UNSUPPORTED);
    CU_ASSERT(
        str_starts(str_of(error.message), STR("cannot compile regular expression '\\p{Kawi}': ")));
  }
  regex_free(regex);
}

TEST(test_flags_change_what_follows) {
  EXPECT_ALL(YES("(?i)MALLOC", "malloc"), YES("(?i:A)b", "ab"), NO("(?i:A)b", "aB"),
             NO("a.b", "a\nb"), YES("(?s)a.b", "a\nb"), YES("a(?i)b|c", "C"),
             NO("(?i)a(?-i)b", "AB"), YES("(?i)k", "\xe2\x84\xaa"), YES("(?i)\\w", "\xc5\xbf"),
             NO("(?i)[\\W]", "\xc5\xbf"), YES("(?i)\\p{Lu}", "a"), YES("(?i)[^[:^upper:]]", "a"),
             YES("((?i)a)b", "Ab"), NO("((?i)a)b", "AB"), YES("(?i)\xc3\xa9", "\xc3\x89"));
}

/* If case is ignored, a category also matches characters that differ only in case. The mark U+0345,
 * for example, matches as an iota. */
TEST(test_categories_take_mates_when_case_is_ignored) {
  EXPECT_ALL(YES("(?i)\\pL", "\xcd\x85"), NO("\\pL", "\xcd\x85"), NO("(?i)\\PL", "\xcd\x85"),
             YES("(?i)[\\pL]", "\xcd\x85"), NO("(?i)[^\\pL]", "\xcd\x85"),
             YES("(?i)\\p{Greek}", "\xc2\xb5"), NO("\\p{Greek}", "\xc2\xb5"),
             YES("(?i)\\p{Lu}", "\xc3\xa9"), NO("(?i)\\p{Lu}", "\xef\xac\x80"),
             NO("(?i)\\p{Ll}", "\xc4\xb0"), YES("(?i)^\\P{Lu}$", "\xce\x90"),
             YES("(?i)\\pM", "\xce\xb9"), NO("(?i)\\pM", "\xce\xb1"),
             YES("(?i)\\p{ASCII}", "\xe2\x84\xaa"), NO("(?i)\\pN", "x"),
             YES("(?i)^(?:\\p{Lu}\\p{Ll}){1,20}$", "abcd"),
             YES("(?i)\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}\\p{Lu}",
                 "abcdefghij"),
             YES("(?i)[x\\P{Lu}]", "\xef\xac\x80"), NO("(?i)[1\\P{Lu}]", "a"),
             NO("(?i)[1\\p{Lu}]", "\xef\xac\x80"), YES("(?i)[1\\p{Lu}]", "a"),
             YES("(?i)[^1\\p{Lu}]", "\xef\xac\x80"), NO("(?i)[^1\\p{Lu}]", "a"),
             YES("(?i)^x\\p{Lu}y$", "XaY"), NO("(?i)\\p{Lt}", "a"), YES("(?i)[1\\P{Lt}]", "a"),
             YES("(?i)\\p{Lt}", "\xc7\x84"), NO("(?i)[1\\P{Lt}]", "\xc7\x84"));
}

TEST(test_bad_utf8_in_a_text_is_one_replacement_character_per_byte) {
  EXPECT_ALL(YES("^a.b$", "a\xff"
                          "b"),
             YES("^..$", "\xe2\x82"), YES("[^a]", "\xff"), NO("\\w", "\xff"),
             YES("\\x{fffd}+", "\xff"), YES("\\x{fffd}", "a\xff"), NO("\\x{fffd}", "a"),
             YES("a.*c", "a\xff\xfe"
                         "c"));
}

TEST(test_repeated_operators_are_one_operator_each) {
  EXPECT_ALL(YES("^a*(?i)*$", "aa"), YES("^(?:a+)+$", "aaa"), YES("^a\\Q\\E*b", "aab"),
             YES("^a{2}$", "aa"), NO("^a{2}$", "aaa"), YES("^a{2,}$", "aaaa"), YES("^(|a)+$", "aa"),
             YES("^(a|b*)*c", "abac"), YES("1|2|3|4|5|6|7|8|9", "9"), YES("a{0}b", "b"),
             YES("(?:){3}", ""));
}

/* ---- time limits ------------------------------------- */

TEST(test_exponential_backtracking_still_gives_the_answer) {
  static const char *const patterns[] = {"^(a|a)*$", "(a|aa)+$", "^(a|aa)*(a|aa)*(a|aa)*$",
                                         "(a*a*)*$b"};
  static const char *const texts[] = {
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    CU_ASSERT_FALSE(matches(patterns[i], str_of(texts[0])));
}

TEST(test_a_long_text_takes_time_in_proportion) {
  size_t size = 1 << 20;
  char *text = mem_array(&mem_default, size, 1);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  memset(text, 'a', size);
  CU_ASSERT_FALSE(matches(".*=.*[xy]", (pprofc_str){text, size}));
  CU_ASSERT_TRUE(matches("a+$", (pprofc_str){text, size}));
  mem_free(&mem_default, text, size, 1);
}

TEST(test_what_takes_too_long_trips_and_no_longer_matches) {
  size_t size = 1 << 20;
  char *text = mem_array(&mem_default, size, 1);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  memset(text, 'a', size);
  text[size - 1] = '!';
  struct regex *regex = compile(STR("(?:(?:a?){30}){30}[xz]"));
  CU_ASSERT_FALSE(regex_match(regex, (pprofc_str){text, size}));
  CU_ASSERT_TRUE(regex_tripped(regex));
  CU_ASSERT_FALSE(regex_match(regex, STR("x")));
  regex_free(regex);
  mem_free(&mem_default, text, size, 1);
}
#endif

/* ---- errors ------------------------------------------ */

static void expect_error(pprofc_str pattern, const char *reason, pprofc_str fragment) {
  char expected[1024];
  snprintf(expected, sizeof expected, "error parsing regexp: %s: `%.*s`", reason,
           STR_ARG(fragment));
  struct regex *regex = NULL;
  pprofc_error error = {.message = ""};
  CU_ASSERT_EQUAL(regex_compile(&mem_default, pattern, &regex, &error), PPROFC_E_INVALID);
  CU_ASSERT_PTR_NULL(regex);
  if (strcmp(error.message, expected) != 0) printf("    %s\n    %s\n", error.message, expected);
  CU_ASSERT_STRING_EQUAL(error.message, expected);
}

TEST(test_errors_are_worded_as_in_go) {
  static const struct {
    const char *pattern, *reason, *fragment;
  } cases[] = {
      {"a(b", "missing closing )", "a(b"},
      {"a)b", "unexpected )", "a)b"},
      {"x[a", "missing closing ]", "[a"},
      {"[", "missing closing ]", "["},
      {"*a", "missing argument to repetition operator", "*"},
      {"(|+)", "missing argument to repetition operator", "+"},
      {"{2}", "missing argument to repetition operator", "{2}"},
      {"(?i)*?", "missing argument to repetition operator", "*?"},
      {"a**", "invalid nested repetition operator", "**"},
      {"a++", "invalid nested repetition operator", "++"},
      {"a{2}{3}?b", "invalid nested repetition operator", "{2}{3}?"},
      {"[z-a]", "invalid character class range", "z-a"},
      {"[[:foo:]]", "invalid character class range", "[:foo:]"},
      {"\\p{Foo}", "invalid character class range", "\\p{Foo}"},
      {"\\pX", "invalid character class range", "\\pX"},
      {"\\p{Lu", "invalid character class range", "\\p{Lu"},
      {"\\q", "invalid escape sequence", "\\q"},
      {"\\Z", "invalid escape sequence", "\\Z"},
      {"\\C", "invalid escape sequence", "\\C"},
      {"\\8", "invalid escape sequence", "\\8"},
      {"\\x", "invalid escape sequence", "\\x"},
      {"\\x{}", "invalid escape sequence", "\\x{}"},
      {"\\x{41", "invalid escape sequence", "\\x{41"},
      {"\\x{4g}", "invalid escape sequence", "\\x{4g"},
      {"\\x\xff", "invalid UTF-8", "\xff"},
      {"\\x{\xff}", "invalid UTF-8", "\xff}"},
      {"\\x4\xff", "invalid UTF-8", "\xff"},
      {"\\\xff", "invalid UTF-8", "\xff"},
      {"\\p\xff", "invalid UTF-8", "\xff"},
      {"\\p{\xff}", "invalid UTF-8", "\xff"},
      {"[a\xff]", "invalid UTF-8", "\xff]"},
      {"(?\xff)", "invalid UTF-8", "\xff)"},
      {"[\\p{Foo}]", "invalid character class range", "\\p{Foo}"},
      {"\\p{}", "invalid character class range", "\\p{}"},
      {"[a-", "missing closing ]", "[a-"},
      {"(a)\\1", "invalid escape sequence", "\\1"},
      {"\\x1z", "invalid escape sequence", "\\x1z"},
      {"\\x{110000}", "invalid escape sequence", "\\x{110000"},
      {"[a-\\d]", "invalid escape sequence", "\\d"},
      {"a\xff"
       "b",
       "invalid UTF-8",
       "\xff"
       "b"},
      {"\\Q\xff\\Eb", "invalid UTF-8", "\xff"},
      {"(?P<\xff>a)", "invalid UTF-8", "\xff"},
      {"(?=a)", "invalid or unsupported Perl syntax", "(?="},
      {"(?i-)", "invalid or unsupported Perl syntax", "(?i-)"},
      {"(?>a)", "invalid or unsupported Perl syntax", "(?>"},
      {"(?P<x y>a)", "invalid named capture", "(?P<x y>"},
      {"(?P<x", "invalid named capture", "(?P<x"},
      {"a{1001}", "invalid repeat count", "{1001}"},
      {"a{99999999999999999999}", "invalid repeat count", "{99999999999999999999}"},
      {"a{2,1}", "invalid repeat count", "{2,1}"},
      {"((a{10}){10}){11}?", "invalid repeat count", "{11}?"},
      {"a\\", "trailing backslash at end of expression", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_error(str_of(cases[i].pattern), cases[i].reason, str_of(cases[i].fragment));
}

/* Returns n times `open`, then "a", then n times `close`. */
static pprofc_str nested(char *out, const char *open, const char *close, size_t n) {
  size_t size = 0;
  for (size_t i = 0; i < n; i++, size += strlen(open)) memcpy(out + size, open, strlen(open));
  out[size++] = 'a';
  for (size_t i = 0; i < n; i++, size += strlen(close)) memcpy(out + size, close, strlen(close));
  return (pprofc_str){out, size};
}

TEST(test_nesting_is_limited_as_in_go) {
  static char text[200000];
  struct regex *regex = NULL;
  pprofc_error error;
#ifdef HAVE_PCRE2
  regex = compile(nested(text, "(", ")", 999));
  CU_ASSERT_TRUE(regex_match(regex, STR("a")));
  regex_free(regex);
  regex = NULL;
  if (regex_compile(&mem_default, nested(text, "(?:x", ")", 999), &regex, &error) != PPROFC_OK)
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "expression nests too deeply: `(?:x"));
  regex_free(regex);
#endif
  CU_ASSERT_EQUAL(regex_compile(&mem_default, nested(text, "(", ")", 1000), &regex, &error),
                  PPROFC_E_INVALID);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "expression nests too deeply: `((((("));
  CU_ASSERT_EQUAL(regex_compile(&mem_default, nested(text, "(", "", 100000), &regex, &error),
                  PPROFC_E_INVALID);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "missing closing ): `((((("));
  CU_ASSERT_EQUAL(regex_compile(&mem_default, nested(text, "", "*(?i)", 1200), &regex, &error),
                  PPROFC_E_INVALID);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "expression nests too deeply"));
}

TEST(test_an_expression_that_needs_too_much_is_refused) {
  struct regex *regex = NULL;
  pprofc_error error;
  pprofc_status status = regex_compile(
      &mem_default, STR("(?:[a-z]bcdefghijklmnopqrstuvwxyz[^x][^yz][^z]){1000}a{1000}"), &regex,
      &error);
#ifdef HAVE_PCRE2
  CU_ASSERT_EQUAL(status, PPROFC_E_INVALID);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "error parsing regexp: expression too large: `"));
#else
  CU_ASSERT_EQUAL(status, PPROFC_E_UNSUPPORTED);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "built without PCRE2"));
#endif
}

/* ---- memory ------------------------------------------ */

struct budget {
  int left; /* number of allocations that still succeed */
  size_t bytes;
};

static void *counted_alloc(void *context, size_t size) {
  struct budget *budget = context;
  if (budget->left-- <= 0) return NULL;
  budget->bytes += size;
  return mem_default.alloc(mem_default.context, size);
}

static void *counted_resize(void *context, void *block, size_t old_size, size_t new_size) {
  struct budget *budget = context;
  if (budget->left-- <= 0) return NULL;
  budget->bytes += new_size - old_size;
  return mem_default.resize(mem_default.context, block, old_size, new_size);
}

static void counted_free(void *context, void *block, size_t size) {
  struct budget *budget = context;
  if (block) budget->bytes -= size;
  mem_default.release(mem_default.context, block, size);
}

TEST(test_every_allocation_may_fail_and_nothing_leaks) {
  static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xff!";
  bool compiled = false;
  for (int n = 0; n < 200 && !compiled; n++) {
    struct budget budget = {.left = n};
    pprofc_allocator mem = {counted_alloc, counted_resize, counted_free, &budget};
    struct regex *regex = NULL;
    pprofc_error error;
    pprofc_status status =
        regex_compile(&mem, STR("^((((((((((((((((a|a))))))))))))))))*$"), &regex, &error);
    if (status == PPROFC_OK) {
      CU_ASSERT_FALSE(regex_match(regex, STR(text)));
      CU_ASSERT_FALSE(regex_match(regex, STR(text)));
      compiled = !regex_tripped(regex);
      regex_free(regex);
    } else {
#ifdef HAVE_PCRE2
      CU_ASSERT_EQUAL(status, PPROFC_E_NOMEM);
#else
      compiled = status == PPROFC_E_UNSUPPORTED;
#endif
    }
    CU_ASSERT_EQUAL(budget.bytes, 0);
  }
  CU_ASSERT_TRUE(compiled);
}
