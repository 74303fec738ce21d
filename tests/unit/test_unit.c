/* Tests unit/: conversion, labels of values, percentages and durations, with values from pprof's
 * output. */
#include "unit/unit.h"

#include "unit.h"

#include <math.h>
#include <string.h>

static void expect(const char *what, pprofc_str got, const char *wanted) {
  bool same = str_equal(got, str_of(wanted));
  if (!same) printf("\n%s: got \"%.*s\", wanted \"%s\"\n", what, STR_ARG(got), wanted);
  CU_ASSERT(same);
}

TEST(test_value_labels) {
  static const struct {
    int64_t value;
    const char *from, *to, *label;
  } rows[] = {
      {0, "ns", "auto", "0"},
      {999, "ns", "auto", "999ns"},
      {1500, "ns", "auto", "1.50us"},
      {1234567, "ns", "auto", "1.23ms"},
      {59999999999, "ns", "auto", "60s"},
      {3599999999999, "ns", "auto", "3600s"},
      {3600000000000, "ns", "auto", "1hrs"},
      {100000000000000, "ns", "auto", "27.78hrs"},
      {1023, "bytes", "auto", "1023B"},
      {1024, "bytes", "auto", "1kB"},
      {1536, "b", "auto", "1.50kB"},
      {INT64_C(1) << 60, "byte", "auto", "1024PB"},
      {10486, "bytes", "MB", "0.01MB"},
      {1, "bytes", "MB", "0"},
      {-1, "bytes", "MB", "0"},
      {100, "bytes", "seconds", "100B"},
      {-1500, "ns", "auto", "-1.50us"},
      {90, "minutes", "s", "90s"},
      {5, "count", "seconds", "5seconds"},
      {5, "count", "count", "5"},
      {5, "samples", "samples", "5samples"},
      {5, "widgets", "minimum", "5"},
      {5, "widgets", "default", "5default"},
      {5000, "gcu", "k*GCU", "5000GCU"},
      {1500, "milligcu", "auto", "1.50GCU"},
      {1500, "milligcu", "minimum", "1.50GCU"},
      {123456, "cycles", "cycles", "123456cycles"},
      {INT64_MAX, "count", "count", "9223372036854775808"},
      {INT64_MIN, "bytes", "auto", "-9223372036854775808B"},
      {INT64_MIN, "ns", "auto", "-9223372036.85s"},
      {7, "samples", "ms", "7ms"},
      {5, "", "", "5"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[UNIT_LABEL_MAX];
    expect(rows[i].label, unit_label(rows[i].value, str_of(rows[i].from), str_of(rows[i].to), out),
           rows[i].label);
  }
}

TEST(test_a_long_unknown_unit_is_cut_at_the_size_of_the_label) {
  static char unit[1000];
  memset(unit, 'x', sizeof unit);
  char out[UNIT_LABEL_MAX];
  pprofc_str label = unit_label(12, STR("count"), (pprofc_str){unit, sizeof unit}, out);
  CU_ASSERT_EQUAL(label.size, UNIT_LABEL_MAX);
  CU_ASSERT(str_starts(label, STR("12xxx")));
}

TEST(test_percentages) {
  static const struct {
    int64_t value, total;
    const char *text;
  } rows[] = {
      {0, 0, "    0%"},          {1, 100, " 1.00%"},
      {1, 1000, "  0.1%"},       {1, 10000, " 0.01%"},
      {1, 1000000, "0.0001%"},   {1, 10000000, "1e-05%"},
      {999, 100000, "    1%"},   {994, 100000, " 0.99%"},
      {9994, 10000, "99.94%"},   {9995, 10000, "  100%"},
      {1, 1, "  100%"},          {10005, 10000, "  100%"},
      {10006, 10000, "100.06%"}, {1000, 1, "100000.00%"},
      {1, 3, "33.33%"},          {-50, 100, "50.00%"},
      {5, -10, "50.00%"},        {INT64_MIN, 1, "922337203685477580800.00%"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[32];
    expect(rows[i].text, unit_percentage(rows[i].value, rows[i].total, out), rows[i].text);
  }
  char out[32];
  expect("trimmed", unit_percentage_trimmed(1, 1000, out), "0.1%");
  expect("trimmed", unit_percentage_trimmed(7, 7, out), "100%");
}

TEST(test_names_are_recognised_in_any_case_and_plural) {
  static const struct {
    const char *name;
    double factor;
  } rows[] = {
      {"bytes", 1},
      {"KBs", 1024},
      {"Hours", 3600e9},
      {"secs", 1e9},
      {"hrs", 3600e9},
      {"s", 1e9},
      {"ns", 1},
      {"nanoseconds", 1},
      {"megabytes", 1048576},
      {"PB", 1125899906842624.0},
      {"MilliGCUs", 1e-3},
      {"\xE2\x84\xAA"
       "b",
       1024}, /* the Kelvin sign, whose lower case is k */
      {"bs", 0},
      {"minutes", 0},
      {"days", 0},
      {"k*GCU", 0},
      {"\xC2\xB5s", 0},
      {"\xCE\xBCs", 1e3},
      {"", 0},
      {"count", 0},
      {"kilobytessssssssssssssss", 0},
      {"byte\xFF", 0},
      {"bytess", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (unit_factor(str_of(rows[i].name)) != rows[i].factor) printf("\nfactor of row %zu\n", i);
    CU_ASSERT_EQUAL(unit_factor(str_of(rows[i].name)), rows[i].factor);
  }
}

TEST(test_conversion) {
  struct measure m = unit_scale(2048, STR("kb"), STR("MB"));
  CU_ASSERT_EQUAL(m.value, 2.0);
  expect("unit", m.unit, "MB");
  m = unit_scale(0, STR("ms"), STR("auto"));
  CU_ASSERT_EQUAL(m.value, 0.0);
  expect("default unit when nothing is reached", m.unit, "s");
  m = unit_scale_double(-0.5, STR("s"), STR("auto"));
  CU_ASSERT_EQUAL(m.value, -500.0);
  expect("unit", m.unit, "ms");
  m = unit_scale(1, STR("GB"), STR("kilobytes"));
  CU_ASSERT_EQUAL(m.value, 1048576.0);
  expect("unit", m.unit, "kB");
}

TEST(test_compatible_units) {
  CU_ASSERT(unit_compatible(STR("ns"), STR("Hours")));
  CU_ASSERT(unit_compatible(STR("bytes"), STR("MB")));
  CU_ASSERT(unit_compatible(STR("widgets"), STR("widgets")));
  CU_ASSERT(!unit_compatible(STR("widgets"), STR("widget")));
  CU_ASSERT(!unit_compatible(STR("ns"), STR("bytes")));
  CU_ASSERT(unit_is_time(STR("milliseconds")));
  CU_ASSERT(!unit_is_time(STR("bytes")));
  CU_ASSERT(!unit_is_time(STR("minutes")));
}

TEST(test_go_durations) {
  static const struct {
    int64_t nanoseconds;
    const char *text;
  } rows[] = {
      {0, "0s"},
      {1, "1ns"},
      {999, "999ns"},
      {1500, "1.5\xC2\xB5s"},
      {1000000, "1ms"},
      {1234567, "1.234567ms"},
      {1000000000, "1s"},
      {2001620000, "2.00162s"},
      {59990000000, "59.99s"},
      {60000000000, "1m0s"},
      {3661000000000, "1h1m1s"},
      {16502830000000, "4h35m2.83s"},
      {360000000000000, "100h0m0s"},
      {-1500000000, "-1.5s"},
      {INT64_MAX, "2562047h47m16.854775807s"},
      {INT64_MIN, "-2562047h47m16.854775808s"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[64];
    expect(rows[i].text, unit_go_duration(rows[i].nanoseconds, out), rows[i].text);
  }
}

/* Percentages must equal printf's "%5.2f%%" or "%5.2g%%", although the code does not use printf. */
TEST(test_percentages_are_those_of_printf) {
  uint64_t state = 42;
  for (size_t i = 0; i < 200000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int64_t total = (int64_t)(state >> (8 + state % 50)) | 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    int64_t value = (int64_t)(state >> 8) % total;
    if (i % 3 == 0) value /= (int64_t)1 << (state >> 59);
    if (i % 7 == 0) total = (int64_t)pow(10, (double)(i % 19));
    double ratio = fabs((double)value / (double)total) * 100;
    char got[32], wanted[64];
    if (ratio >= 99.95 && ratio <= 100.05) continue;
    snprintf(wanted, sizeof wanted, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
    if (strlen(wanted) >= sizeof got) continue;
    expect("share", unit_percentage(value, total, got), wanted);
  }
}
