/* Selects the benchmarks that get further rounds, and plans the number of rounds. */
#include "gate/screen.h"

/* Significance level of the first stage. If a benchmark is worse by the threshold, the stage
 * selects it in four of five cases. */
#define SCREEN_ALPHA 0.4
#define SCREEN_MAX   4 /* maximum rounds of a benchmark, as a multiple of the requested rounds */

/* Shares of the significance level at which looks (screen.h) find regressions: the maximum for a
 * single look, and the maximum sum of all looks. */
#define LOOK_SHARE 0.01
#define LOOKS_SUM  0.07

void gate_screen_settings(struct gate_settings *settings) {
  settings->alpha = SCREEN_ALPHA;
  settings->test = PPROFC_GATE_WELCH;
  settings->correction = PPROFC_GATE_UNCORRECTED;
  settings->min_samples = 2;
  settings->screening = true;
}

bool gate_screen_selects(const struct gate_row *row) {
  return row->verdict == PPROFC_GATE_REGRESSED || row->verdict == PPROFC_GATE_INCONCLUSIVE ||
         row->verdict == PPROFC_GATE_TOO_FEW || row->verdict == PPROFC_GATE_ACCEPTED;
}

bool gate_look_decides(const struct gate_row *row, size_t rounds) {
  bool worse = row->verdict == PPROFC_GATE_REGRESSED || row->verdict == PPROFC_GATE_ACCEPTED;
  double looks = (double)((rounds - 1) / GATE_LOOK_ROUNDS);
  double share = LOOK_SHARE * looks > LOOKS_SUM ? LOOKS_SUM / looks : LOOK_SHARE;
  if (worse) return row->constant || row->adjusted <= share * row->alpha;
  return !gate_screen_selects(row);
}

struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds) {
  struct gate_screen_plan plan = {false, 0};
  size_t left = rounds - GATE_SCREEN_ROUNDS;
  if (!selected) return plan;
  plan.all = 2 * selected > count;
  plan.rounds = plan.all ? left : left * count / selected;
  if (plan.rounds > SCREEN_MAX * rounds) plan.rounds = SCREEN_MAX * rounds;
  return plan;
}
