/* Tests strings with a length: searches, slices, numbers parsed as in Go, and paths cleaned as in
 * Go. */
#include "core/str.h"

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TEST(test_order_is_bytewise_and_a_prefix_comes_first) {
  CU_ASSERT(str_compare(STR("a"), STR("b")) < 0);
  CU_ASSERT(str_compare(STR("b"), STR("a")) > 0);
  CU_ASSERT(str_compare(STR("a"), STR("ab")) < 0);
  CU_ASSERT(str_compare(STR("ab"), STR("a")) > 0);
  CU_ASSERT(str_compare(STR("z"), STR("\xc3\xa9")) < 0);
  CU_ASSERT_EQUAL(str_compare(STR("a\0b"), STR("a\0b")), 0);
  CU_ASSERT_EQUAL(str_compare((pprofc_str){NULL, 0}, STR("")), 0);
}

TEST(test_equality_looks_past_a_nul) {
  CU_ASSERT_TRUE(str_equal(STR("a\0b"), STR("a\0b")));
  CU_ASSERT_FALSE(str_equal(STR("a\0b"), STR("a\0c")));
  CU_ASSERT_TRUE(str_equal((pprofc_str){NULL, 0}, str_of(NULL)));
}

TEST(test_starts_and_ends) {
  CU_ASSERT_TRUE(str_starts(STR("main.f"), STR("main")));
  CU_ASSERT_FALSE(str_starts(STR("mai"), STR("main")));
  CU_ASSERT_TRUE(str_starts((pprofc_str){NULL, 0}, STR("")));
  CU_ASSERT_TRUE(str_ends(STR("x.pb.gz"), STR(".gz")));
  CU_ASSERT_FALSE(str_ends(STR("gz"), STR(".gz")));
}

TEST(test_what_is_not_found_is_at_the_end) {
  CU_ASSERT_EQUAL(str_find(STR("abcabc"), STR("ca")), 2);
  CU_ASSERT_EQUAL(str_find(STR("abc"), STR("x")), 3);
  CU_ASSERT_EQUAL(str_find(STR("aaab"), STR("aab")), 1);
  CU_ASSERT_EQUAL(str_find(STR("abcabcd"), STR("abcd")), 3);
  CU_ASSERT_EQUAL(str_find(STR("a needle of more than 16 bytes"), STR("of more than 16 bytes")), 9);
  CU_ASSERT_EQUAL(str_find(STR("abc"), STR("abcd")), 3);
  CU_ASSERT_EQUAL(str_find(STR("abc"), STR("")), 0);
  CU_ASSERT_EQUAL(str_find_char(STR("a.b.c"), '.'), 1);
  CU_ASSERT_EQUAL(str_find_last_char(STR("a.b.c"), '.'), 3);
  CU_ASSERT_EQUAL(str_find_char(STR("abc"), '.'), 3);
  CU_ASSERT_EQUAL(str_find_last_char((pprofc_str){NULL, 0}, '.'), 0);
}

TEST(test_a_slice_is_clamped) {
  CU_ASSERT(str_equal(str_slice(STR("abc"), 1, 2), STR("b")));
  CU_ASSERT(str_equal(str_slice(STR("abc"), 1, 99), STR("bc")));
  CU_ASSERT_EQUAL(str_slice(STR("abc"), 5, 2).size, 0);
  CU_ASSERT_PTR_NULL(str_slice((pprofc_str){NULL, 0}, 0, 1).data);
}

TEST(test_trim_takes_ascii_blanks_off_both_ends) {
  CU_ASSERT(str_equal(str_trim(STR(" \t\n\v\f\ra b ")), STR("a b")));
  CU_ASSERT_EQUAL(str_trim(STR(" \n ")).size, 0);
  CU_ASSERT(str_equal(str_trim(STR("\xc2\xa0")), STR("\xc2\xa0")));
}

TEST(test_pieces_between_separators) {
  pprofc_str rest = STR("a,,b"), piece;
  CU_ASSERT(str_next(&rest, ',', &piece) && str_equal(piece, STR("a")));
  CU_ASSERT(str_next(&rest, ',', &piece) && piece.size == 0);
  CU_ASSERT(str_next(&rest, ',', &piece) && str_equal(piece, STR("b")));
  CU_ASSERT_FALSE(str_next(&rest, ',', &piece));
  rest = STR("");
  CU_ASSERT(str_next(&rest, ',', &piece) && piece.size == 0);
  CU_ASSERT_FALSE(str_next(&rest, ',', &piece));
  rest = STR("a,");
  CU_ASSERT(str_next(&rest, ',', &piece));
  CU_ASSERT(str_next(&rest, ',', &piece) && piece.size == 0);
  CU_ASSERT_FALSE(str_next(&rest, ',', &piece));
}

TEST(test_lines_of_unix_and_of_windows) {
  pprofc_str rest = STR("a\r\n\nb"), line;
  CU_ASSERT(str_next_line(&rest, &line) && str_equal(line, STR("a")));
  CU_ASSERT(str_next_line(&rest, &line) && line.size == 0);
  CU_ASSERT(str_next_line(&rest, &line) && str_equal(line, STR("b")));
  CU_ASSERT_FALSE(str_next_line(&rest, &line));
  rest = STR("a\n");
  CU_ASSERT(str_next_line(&rest, &line));
  CU_ASSERT_FALSE(str_next_line(&rest, &line));
}

/* ---- numbers ----------------------------------------- */

TEST(test_integers_are_read_whole_or_not_at_all) {
  static const struct {
    const char *text;
    int base;
    bool valid;
    int64_t value;
  } cases[] = {
      {"0", 10, true, 0},
      {"-7", 10, true, -7},
      {"+7", 10, true, 7},
      {"", 10, false, 0},
      {"-", 10, false, 0},
      {"+-1", 10, false, 0},
      {" 1", 10, false, 0},
      {"1 ", 10, false, 0},
      {"1.0", 10, false, 0},
      {"0x10", 10, false, 0},
      {"1_0", 10, false, 0},
      {"007", 10, true, 7},
      {"ff", 16, true, 255},
      {"fG", 16, false, 0},
      {"0x1F", 0, true, 31},
      {"0b101", 0, true, 5},
      {"0o17", 0, true, 15},
      {"017", 0, true, 15},
      {"08", 0, false, 0},
      {"0", 0, true, 0},
      {"1_000", 0, true, 1000},
      {"0x_f", 0, true, 15},
      {"_1", 0, false, 0},
      {"1__0", 0, false, 0},
      {"1_", 0, false, 0},
      {"0x", 0, false, 0},
      {"0_7", 0, true, 7},
      {"9223372036854775807", 10, true, INT64_MAX},
      {"9223372036854775808", 10, false, 0},
      {"-9223372036854775808", 10, true, INT64_MIN},
      {"-9223372036854775809", 10, false, 0},
      {"99999999999999999999999", 10, false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t value = 42;
    CU_ASSERT_EQUAL(str_parse_int(str_of(cases[i].text), cases[i].base, &value), cases[i].valid);
    CU_ASSERT_EQUAL(value, cases[i].valid ? cases[i].value : 42);
  }
}

TEST(test_unsigned_integers_have_no_sign_and_all_64_bits) {
  uint64_t value = 1;
  CU_ASSERT_FALSE(str_parse_uint(STR("-1"), 10, &value));
  CU_ASSERT_FALSE(str_parse_uint(STR("+1"), 10, &value));
  CU_ASSERT_TRUE(str_parse_uint(STR("18446744073709551615"), 10, &value));
  CU_ASSERT_EQUAL(value, UINT64_MAX);
  CU_ASSERT_FALSE(str_parse_uint(STR("18446744073709551616"), 10, &value));
  CU_ASSERT_TRUE(str_parse_uint(STR("ffffffffffffffff"), 16, &value));
  CU_ASSERT_FALSE(str_parse_uint(STR("10000000000000000"), 16, &value));
}

/* The fast method must give exactly the bits that strtod gives. */
TEST(test_quick_floats_are_exact) {
  static const char *const formats[] = {"%.17g", "%.16e", "%.3g", "%.6f", "%.15g", "%.18e"};
  uint64_t state = 1;
  size_t quick = 0, wrong = 0;
  for (int i = 0; i < 50000; i++) {
    char text[64];
    double value, wanted;
    state = state * 6364136223846793005u + 1442695040888963407u;
    double random = (double)(state >> 11) * (i % 2 ? 1 : -1);
    snprintf(text, sizeof text, formats[i % 6], ldexp(random, -(int)(state % 140)));
    if (!str_quick_float(str_of(text), &value)) continue;
    quick++;
    wanted = strtod(text, NULL);
    wrong += memcmp(&value, &wanted, sizeof value) != 0;
  }
  CU_ASSERT_EQUAL(wrong, 0);
#ifdef __SIZEOF_INT128__
  CU_ASSERT_TRUE(quick > 25000);
#endif
}

/* Tests numbers halfway between two doubles, and their direct neighbours. */
TEST(test_quick_floats_round_to_even) {
  static const char *const texts[] = {"9007199254740993",
                                      "9007199254740992.9",
                                      "9007199254740993.1",
                                      "9007199254740995",
                                      "-9007199254740993",
                                      "0.1",
                                      "0",
                                      "-0",
                                      "-0.0e5",
                                      "1e27",
                                      "1e-27",
                                      "9999999999999999999e8",
                                      "4503599627370497.5",
                                      "4503599627370496.5",
                                      "0.30000000000000004",
                                      "1.",
                                      "12345678901234567e-23"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = 1, wanted = strtod(texts[i], NULL);
    CU_ASSERT_TRUE(str_parse_float(str_of(texts[i]), &value));
    CU_ASSERT_EQUAL(memcmp(&value, &wanted, sizeof value), 0);
  }
}

TEST(test_floats_are_those_of_go) {
  static const struct {
    const char *text;
    bool valid;
    double value;
  } cases[] = {
      {"0.05", true, 0.05},
      {".5", true, 0.5},
      {"5.", true, 5},
      {"1e3", true, 1000},
      {"-1E-2", true, -0.01},
      {"+1", true, 1},
      {"0x1p-2", true, 0.25},
      {"0x1", false, 0},
      {"0x.8p1", true, 1},
      {"", false, 0},
      {".", false, 0},
      {"1e", false, 0},
      {" 1", false, 0},
      {"1 ", false, 0},
      {"1x", false, 0},
      {"1e999", false, 0},
      {"1e-999", true, 0},
      {"inf", true, INFINITY},
      {"-Infinity", true, -INFINITY},
      {"infin", false, 0},
      {"1_000", true, 1000},
      {"1_0.2_5", true, 10.25},
      {"1_", false, 0},
      {"_1", false, 0},
      {"1__0", false, 0},
      {"1_.5", false, 0},
      {"1._5", false, 0},
      {"0x_1p0", true, 1},
      {"nan(1)", false, 0},
      {"+nan", false, 0},
      {"1e1_0", true, 1e10},
      {"--1", false, 0},
  };
  double value;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    value = 42;
    bool valid = str_parse_float(str_of(cases[i].text), &value);
    if (valid != cases[i].valid) printf("    %s\n", cases[i].text);
    CU_ASSERT_EQUAL(valid, cases[i].valid);
    CU_ASSERT_EQUAL(value, cases[i].valid ? cases[i].value : 42);
  }
  /* A NUL byte is an ordinary byte, and it is not a digit. */
  CU_ASSERT_FALSE(str_parse_float(STR("1\0"), &value));
  CU_ASSERT_FALSE(str_parse_float(STR("inf\0x"), &value));
  CU_ASSERT_FALSE(str_parse_float(STR("\0"), &value));
  CU_ASSERT_TRUE(str_parse_float(STR("NaN"), &value));
  CU_ASSERT_TRUE(isnan(value));
}

TEST(test_a_number_need_not_end_with_a_nul) {
  int64_t whole;
  double real;
  static const char text[] = {'1', '2', '3', '.', '5', '6'};
  CU_ASSERT_TRUE(str_parse_int((pprofc_str){text, 2}, 10, &whole));
  CU_ASSERT_EQUAL(whole, 12);
  CU_ASSERT_TRUE(str_parse_float((pprofc_str){text, 5}, &real));
  CU_ASSERT_EQUAL(real, 123.5);
}

/* ---- paths ------------------------------------------- */

TEST(test_paths_are_cleaned_as_by_go) {
  static const struct {
    const char *path, *clean, *dir, *base;
  } cases[] = {
      {"", ".", ".", "."},
      {"/", "/", "/", "/"},
      {"///", "/", "/", "/"},
      {"a", "a", ".", "a"},
      {"a/b", "a/b", "a", "b"},
      {"a/b/", "a/b", "a/b", "b"},
      {"a//b/./c", "a/b/c", "a/b", "c"},
      {"./rel/../b.go", "b.go", ".", "b.go"},
      {"../../a", "../../a", "../..", "a"},
      {"a/../..", "..", ".", ".."},
      {"/../a", "/a", "/", "a"},
      {"/a/../../b", "/b", "/", "b"},
      {"a/b/../../../c/..", "..", "../c", ".."},
      {"/usr/lib//x.so", "/usr/lib/x.so", "/usr/lib", "x.so"},
      {"...", "...", ".", "..."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char room[64];
    pprofc_str path = str_of(cases[i].path);
    CU_ASSERT(str_equal(str_path_clean(path, room), str_of(cases[i].clean)));
    pprofc_str dir = str_path_dir(path, room);
    if (!str_equal(dir, str_of(cases[i].dir)))
      printf("    dir of '%s' is %.*s\n", cases[i].path, STR_ARG(dir));
    CU_ASSERT(str_equal(dir, str_of(cases[i].dir)));
    CU_ASSERT(str_equal(str_path_base(path), str_of(cases[i].base)));
  }
}

/* Matches slowly, by the definition of a pattern: the pattern from `p` on must match the text from
 * `t` on. */
static bool glob_by_definition(pprofc_str pattern, pprofc_str text) {
  bool fits[8][8] = {{false}};
  for (size_t p = pattern.size + 1; p-- > 0;)
    for (size_t t = text.size + 1; t-- > 0;) {
      bool more = t < text.size;
      if (p == pattern.size)
        fits[p][t] = !more;
      else if (pattern.data[p] == '*')
        fits[p][t] = fits[p + 1][t] || (more && fits[p][t + 1]);
      else
        fits[p][t] = more && (pattern.data[p] == '?' || pattern.data[p] == text.data[t]) &&
                     fits[p + 1][t + 1];
    }
  return fits[0][0];
}

/* Returns the word with a number. The numbers cover all words of up to five letters. */
static pprofc_str word_of(size_t number, const char *letters, char *room) {
  size_t size = 0, base = strlen(letters);
  for (; number; number = (number - 1) / base) room[size++] = letters[(number - 1) % base];
  return (pprofc_str){room, size};
}

TEST(test_patterns_match_what_their_definition_says) {
  char pattern[8], text[8];
  size_t wrong = 0, matched = 0;
  for (size_t i = 0; i < 1365; i++) /* 1365 = 4^0 + ... + 4^5 */
    for (size_t k = 0; k < 63; k++) {
      pprofc_str p = word_of(i, "ab*?", pattern), t = word_of(k, "ab", text);
      bool fits = str_glob(p, t);
      matched += fits;
      wrong += fits != glob_by_definition(p, t);
    }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(matched > 1000);
}
