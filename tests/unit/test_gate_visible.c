/* Tests the summary of detectable changes over many rows, and the functions that it uses: quantiles
 * of t, sorted samples, fixed decimals. */
#include "core/go_text.h"
#include "gate/judge.h"
#include "pprofc/stats.h"
#include "stats/stats.h"
#include "unit.h"

#include <math.h>

static uint64_t visible_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* Returns a random number from `low` to `high` whose logarithm is uniform. */
static double visible_between_logs(uint64_t *state, double low, double high) {
  return low * pow(high / low, (double)(visible_random(state) >> 11) / 9007199254740992.0);
}

/* ---- all rows ---------------------------------------- */

#define ROWS 1000

static bool add_random_row(struct gate *gate, uint64_t *state, size_t index) {
  double base[10], head[10], noise = visible_between_logs(state, 0.002, 0.2);
  struct gate_row row = gate_row_unknown();
  for (size_t i = 0; i < 10; i++) {
    base[i] = 1000 * (1 + noise * ((double)(visible_random(state) % 2001) / 1000 - 1));
    head[i] = 1000 * (1 + noise * ((double)(visible_random(state) % 2001) / 1000 - 1));
  }
  row.name = STR("row");
  row.unit = index % 3 ? STR("sec/op") : STR("items/s");
  row.direction = index % 3 ? -1 : 1;
  size_t count = index % 5 ? 10 : 7;
  return gate_compare_sides(gate, &row, (struct gate_side){base, NULL, count},
                            (struct gate_side){head, NULL, count}) &&
         gate_add(gate, &row);
}

TEST(test_summary_is_the_median_and_the_worst_of_all_rows) {
  static double seen[ROWS];
  struct gate gate;
  pprofc_error error;
  uint64_t state = 5;
  double worst = 0, needed = 0;
  size_t count;
  gate_init(&gate, &mem_default);
  gate.settings.test = PPROFC_GATE_WELCH;
  for (size_t i = 0; i < ROWS; i++) CU_ASSERT(add_random_row(&gate, &state, i));
  CU_ASSERT_EQUAL(gate_judge(&gate, "2026-11-22", &error), PPROFC_OK);
  const struct gate_row *rows = gate_rows(&gate, &count);
  for (size_t i = 0; i < count; i++) {
    seen[i] = rows[i].visible;
    worst = fmax(worst, rows[i].visible);
    if (rows[i].blind) needed = fmax(needed, rows[i].needed);
    bool blind = rows[i].visible > rows[i].threshold * (1 + 1e-9);
    CU_ASSERT(rows[i].significant || rows[i].blind == blind);
  }
  sort_doubles(seen, count);
  CU_ASSERT_EQUAL(gate.visible_count, ROWS);
  CU_ASSERT_EQUAL(gate.visible_middle, seen[ROWS / 2]);
  CU_ASSERT_EQUAL(gate.visible_worst, worst);
  CU_ASSERT_EQUAL(rows[gate.visible_row].visible, worst);
  CU_ASSERT_EQUAL(gate.needed_worst, needed);
  gate_free(&gate);
}

/* ---- numbers ----------------------------------------- */

/* Finds a quantile by bisection, computing the tail probability at each step. */
static double plain_quantile(double p, double degrees) {
  double wanted = 2 * (1 - p), low = 0, high = 1;
  while (pprofc_t_two_sided(high, degrees) > wanted) high *= 2;
  for (int i = 0; i < 200; i++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    *(pprofc_t_two_sided(middle, degrees) > wanted ? &low : &high) = middle;
  }
  return high;
}

TEST(test_quantiles_are_those_of_plain_bisection) {
  uint64_t state = 9;
  for (int i = 0; i < 1000; i++) {
    double degrees = visible_between_logs(&state, 0.3, 1e4);
    double p = 1 - visible_between_logs(&state, 1e-9, 0.499);
    CU_ASSERT_EQUAL(pprofc_t_quantile(p, degrees), plain_quantile(p, degrees));
  }
  for (int i = 0; i < 1000; i++) {
    double degrees = visible_between_logs(&state, 2, 40);
    CU_ASSERT_EQUAL(pprofc_t_quantile(0.975, degrees), plain_quantile(0.975, degrees));
  }
}

TEST(test_sorted_samples) {
  for (size_t count = 0; count < 40; count++) {
    double values[40];
    uint64_t state = count;
    for (size_t i = 0; i < count; i++) {
      uint64_t draw = visible_random(&state) % 9;
      values[i] = draw == 8 ? (double)NAN : (double)draw - 4;
    }
    sort_doubles(values, count);
    for (size_t i = 1; i < count; i++)
      CU_ASSERT(isnan(values[i - 1]) || values[i - 1] <= values[i]);
  }
}

static void check_fixed(double value, int decimals) {
  char text[FIXED_MAX], printed[400];
  size_t size = fixed_print(text, value, decimals);
  if (!size) return;
  snprintf(printed, sizeof printed, "%.*f", decimals, value);
  CU_ASSERT_STRING_EQUAL(text, printed);
  CU_ASSERT_EQUAL(strlen(printed), size);
}

TEST(test_fixed_decimals_are_those_of_printf) {
  static const double cases[] = {0,      -0.0,   0.5,    1.5,    2.5,    0.125, 0.375,   1e-300,
                                 -0.004, 0.005,  1e9,    99.995, 0.9995, 1e15,  1e18,    5e-324,
                                 1e300,  -2.675, 123456, 1.005,  8.345,  1e-9,  999.9995};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int decimals = 0; decimals < 11; decimals++) check_fixed(cases[i], decimals);
  uint64_t state = 3;
  for (int i = 0; i < 20000; i++) {
    double value = ((double)(visible_random(&state) % 2000001) - 1000000) /
                   (double)(1u << visible_random(&state) % 24);
    check_fixed(value, i % 10);
  }
  char text[FIXED_MAX];
  CU_ASSERT_EQUAL(fixed_print(text, (double)NAN, 2), 0);
  CU_ASSERT_EQUAL(fixed_print(text, (double)INFINITY, 2), 0);
}
