/* The interval of Welch's test is the same whether it is computed at once or for the rows that are
 * shown, and the judge needs it for few rows. */
#include "gate/compare.h"
#include "pprofc/stats.h"
#include "unit.h"

#include <math.h>

struct interval_case {
  struct gate gate;
  struct gate_known known;
};

static void case_init(struct interval_case *c, double alpha) {
  memset(c, 0, sizeof *c);
  gate_init(&c->gate, &mem_default);
  c->gate.settings.alpha = alpha;
  c->gate.known = &c->known;
}

static void case_free(struct interval_case *c) {
  c->gate.known = NULL; /* it is not the gate's own */
  gate_free(&c->gate);
}

static struct gate_row row_of(const struct interval_case *c, bool deferred, double error,
                              double degrees) {
  struct gate plain = c->gate;
  if (!deferred) plain.known = NULL;
  struct gate_row row = gate_row_unknown();
  row.delta = 0.01;
  row.direction = -1;
  gate_interval_set(&plain, &row, error, degrees);
  return row;
}

static const double interval_errors[] = {0,     1e-300,           1e-9,       0.01, 3, 1e240,
                                         1e251, (double)INFINITY, (double)NAN};
static const double interval_degrees[] = {
    0,     0.3, 1,     1.5, 4,   9.0000001,        17.99,
    126.5, 127, 127.5, 128, 1e6, (double)INFINITY, (double)NAN};
static const double interval_alphas[] = {0.05, 0.5, 1e-12, 1e-300};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void test_a_deferred_interval_is_that_computed_at_once(void) {
  for (size_t a = 0; a < COUNT(interval_alphas); a++) {
    struct interval_case c;
    case_init(&c, interval_alphas[a]);
    for (size_t e = 0; e < COUNT(interval_errors); e++)
      for (size_t d = 0; d < COUNT(interval_degrees); d++) {
        struct gate_row now = row_of(&c, false, interval_errors[e], interval_degrees[d]);
        struct gate_row later = row_of(&c, true, interval_errors[e], interval_degrees[d]);
        struct gate_interval interval = gate_interval_of(&c.gate, &later);
        CU_ASSERT(!now.deferred);
        CU_ASSERT(same_number(now.low, interval.low) && same_number(now.high, interval.high));
        CU_ASSERT_EQUAL(gate_interval_exists(&now), gate_interval_exists(&later));
      }
    case_free(&c);
  }
}

static void test_the_judge_decides_as_the_interval_does(void) {
  struct interval_case c;
  case_init(&c, 0.05);
  for (double degrees = 1; degrees < 300; degrees = degrees * 1.03 + 0.01)
    for (int direction = -1; direction <= 1; direction += 2) {
      struct gate_row row = row_of(&c, true, 0.01, degrees);
      CU_ASSERT_FATAL(row.deferred);
      row.direction = direction;
      struct gate_interval interval = gate_interval_of(&c.gate, &row);
      double worst = direction < 0 ? interval.high : -interval.low;
      /* The thresholds on both sides of the last bit, and farther off, between bounds and beyond.
       */
      const double steps[] = {-1, -0.1, -1e-3, -1e-10, -1e-16, 0, 1e-16, 1e-10, 1e-3, 0.1, 1};
      for (size_t i = 0; i < COUNT(steps); i++) {
        row.threshold = worst + steps[i] * fabs(worst);
        CU_ASSERT_EQUAL(gate_interval_excludes(&c.gate, &row), worst < row.threshold);
      }
    }
  case_free(&c);
}

static void test_bounds_follow_alpha(void) {
  struct interval_case c;
  case_init(&c, 0.05);
  struct gate_row row = row_of(&c, true, 0.01, 10);
  row.threshold = 0.04;
  CU_ASSERT(gate_interval_excludes(&c.gate, &row));
  c.gate.settings.alpha = 0.001;
  CU_ASSERT(!gate_interval_excludes(&c.gate, &row));
  case_free(&c);
}

UNIT_MAIN("gate interval", UNIT(test_a_deferred_interval_is_that_computed_at_once),
          UNIT(test_the_judge_decides_as_the_interval_does), UNIT(test_bounds_follow_alpha))
