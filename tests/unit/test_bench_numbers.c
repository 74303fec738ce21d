/* Tests numbers and units in benchmark text: parsed and printed as in Go, tidied, scaled. */
#include "bench/set.h"
#include "core/go_text.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

static bool prints(double value, const char *expected) {
  struct buffer out;
  buffer_init(&out, &mem_default, 4096);
  number_print(&out, value);
  bool same = str_equal(buffer_str(&out), str_of(expected));
  buffer_free(&out);
  return same;
}

TEST(test_numbers_print_with_the_fewest_digits) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {100000, "100000"},
      {999999.5, "999999.5"},
      {1e6, "1e+06"},
      {1234567, "1.234567e+06"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {0.1, "0.1"},
      {5e-324, "5e-324"},
      {0, "0"},
      {-0.0, "-0"},
      {1.1e-7, "1.1e-07"},
      {2e-310, "2e-310"},
      {9007199254740992, "9.007199254740992e+15"},
      {0x1p-44, "5.684341886080802e-14"},
      {63.99999999999998, "63.99999999999998"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CU_ASSERT(prints(cases[i].value, cases[i].text));
  CU_ASSERT(prints((double)INFINITY, "+Inf"));
  CU_ASSERT(prints(-(double)INFINITY, "-Inf"));
  CU_ASSERT(prints((double)NAN, "NaN"));
}

TEST(test_numbers_are_read_by_gos_rules) {
  static const struct {
    const char *text;
    enum number_result result;
    double value;
  } cases[] = {
      {"1", NUMBER_OK, 1},
      {"117.2", NUMBER_OK, 117.2},
      {".5", NUMBER_OK, 0.5},
      {"5.", NUMBER_OK, 5},
      {"-3e2", NUMBER_OK, -300},
      {"1_000.5", NUMBER_OK, 1000.5},
      {"0x1p-3", NUMBER_OK, 0.125},
      {"0x_1p4", NUMBER_OK, 16},
      {"1e400", NUMBER_RANGE, 0},
      {"1e-400", NUMBER_OK, 0},
      {"", NUMBER_SYNTAX, 0},
      {"+", NUMBER_SYNTAX, 0},
      {".", NUMBER_SYNTAX, 0},
      {"1e", NUMBER_SYNTAX, 0},
      {"0x1", NUMBER_SYNTAX, 0},
      {"1__0", NUMBER_SYNTAX, 0},
      {"_1", NUMBER_SYNTAX, 0},
      {"1_", NUMBER_SYNTAX, 0},
      {"+nan", NUMBER_SYNTAX, 0},
      {"12abc", NUMBER_SYNTAX, 0},
      {"1 2", NUMBER_SYNTAX, 0},
      {"9007199254740993", NUMBER_OK, 9007199254740992.0},
      {"2.2250738585072011e-308", NUMBER_OK, 2.2250738585072011e-308},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 0;
    CU_ASSERT_EQUAL(float_read(str_of(cases[i].text), &value), cases[i].result);
    CU_ASSERT_EQUAL(value, cases[i].value);
  }
  double value = 0;
  CU_ASSERT(float_read(STR("NaN"), &value) == NUMBER_OK && isnan(value));
  CU_ASSERT(float_read(STR("-Infinity"), &value) == NUMBER_OK && isinf(value) && value < 0);
}

/* A short decimal is parsed by a single multiplication or division. The result must equal
 * strtod's. */
TEST(test_the_fast_way_is_correctly_rounded) {
  unsigned long long state = 88172645463325252u;
  char text[64];
  for (int i = 0; i < 50000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    int digits = 1 + (int)(state % 18), exponent = (int)(state >> 8) % 30;
    snprintf(text, sizeof text, "%llu.%0*llue%d", state >> 45, digits, state % 100000, exponent);
    double value = 0;
    CU_ASSERT_FATAL(float_read(str_of(text), &value) == NUMBER_OK);
    CU_ASSERT_FATAL(value == strtod(text, NULL));
  }
}

TEST(test_long_numbers_round_as_their_exact_value) {
  /* A number halfway between 1 and the next double. A digit after 800 decimal places decides the
   * rounding. */
  char text[1200] = "1.00000000000000011102230246251565404236316680908203125";
  double value = 0;
  CU_ASSERT(float_read(str_of(text), &value) == NUMBER_OK && value == 1);
  size_t size = strlen(text);
  memset(text + size, '0', 1000);
  text[size + 1000] = '1';
  text[size + 1001] = '\0';
  CU_ASSERT(float_read(str_of(text), &value) == NUMBER_OK && value == 1 + 0x1p-52);
}

TEST(test_units_are_tidied_in_the_numerator_only) {
  static const struct {
    const char *unit, *tidied;
    double factor;
    bool binary; /* true if the tidied unit uses binary prefixes */
  } cases[] = {
      {"ns/op", "sec/op", 1e-9, false},
      {"ns", "sec", 1e-9, false},
      {"MB/s", "B/s", 1e6, true},
      {"B/op", "B/op", 1, true},
      {"p99-ns/op", "p99-sec/op", 1e-9, false},
      {"op/ns", "op/ns", 1, false},
      {"MB*MB/s", "B*B/s", 1e12, true},
      {"MB/MB", "B/MB", 1e6, true},
      {"ns*MB", "sec*B", 0.001, true},
      {"a/ns*ns", "a/ns*sec", 1e-9, false},
      {"nsx/op", "nsx/op", 1, false},
      {"text-bytes", "text-bytes", 1, true},
      {"sec/B*B", "sec/B*B", 1, true},
      {"ns//ns", "sec//ns", 1e-9, false},
      {"-ns", "-sec", 1e-9, false},
      {"Bytes", "Bytes", 1, false},
      {"KB/s", "KB/s", 1, false},
      {"%", "%", 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buffer out;
    buffer_init(&out, &mem_default, 4096);
    double factor = unit_tidy(str_of(cases[i].unit), &out);
    CU_ASSERT(str_equal(buffer_str(&out), str_of(cases[i].tidied)));
    CU_ASSERT(fabs(factor / cases[i].factor - 1) < 1e-15);
    CU_ASSERT_EQUAL(unit_is_binary(buffer_str(&out)), cases[i].binary);
    buffer_free(&out);
  }
}

static bool scales(double value, bool binary, const char *expected) {
  struct buffer out;
  buffer_init(&out, &mem_default, 4096);
  unit_print(&out, unit_scale_of(value, binary), value);
  bool same = str_equal(buffer_str(&out), str_of(expected));
  buffer_free(&out);
  return same;
}

TEST(test_values_keep_four_digits_when_scaled) {
  static const struct {
    double value;
    const char *decimal, *binary;
  } cases[] = {
      {0, "0.000", "0.000"},
      {999.94999, "999.9", "999.9"},
      {999.95, "1.000k", "1000.0"},
      {1023, "1.023k", "1023.0"},
      {1048576, "1.049M", "1.000Mi"},
      {1e15, "1000.0T", "909.5Ti"},
      {0.99995, "1.000", "1.000"},
      {0.99994, "999.9m", "0.9999"},
      {0.001, "1.000m", "0.001000"},
      {1e-10, "0.1000n", "0.0000000001"},
      {5e-12, "0.005000n", "0.0000000000"},
      {-123456, "-123.5k", "-120.6Ki"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CU_ASSERT(scales(cases[i].value, false, cases[i].decimal));
    CU_ASSERT(scales(cases[i].value, true, cases[i].binary));
  }
}

TEST(test_directions_follow_the_form_of_the_unit) {
  CU_ASSERT_EQUAL(unit_direction_of(STR("sec/op")), -1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("p99-sec/op")), -1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("B/op")), -1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("allocs/op")), -1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("peak-RSS-bytes")), -1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("B/s")), 1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("ops/s")), 1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("queries/sec")), 1);
  CU_ASSERT_EQUAL(unit_direction_of(STR("widgets")), 0);
}
