/* Checks that a run can be judged. Adds a problem if nothing was compared, or if no row has enough
 * samples. */
#include "gate/judge.h"

/* Reasons why rows were not compared, by verdict. */
static const struct {
  pprofc_gate_verdict verdict;
  const char *why;
} reasons[] = {
    {PPROFC_GATE_MISSING, "in base only"},
    {PPROFC_GATE_NEW, "in head only"},
    {PPROFC_GATE_UNMEASURED, "with a time of 0: nothing was measured"},
    {PPROFC_GATE_IGNORED, "ignored by rules"},
    {PPROFC_GATE_INFORMATIONAL, "in a unit of unknown direction (-direction)"},
    {PPROFC_GATE_ASIDE, "judged by the other time of the benchmark (-time)"},
};

static void explain(const struct gate *gate, struct buffer *out) {
  size_t count;
  const struct gate_row *rows = gate_rows(gate, &count);
  const char *between = ": ";
  for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += rows[i].verdict == reasons[r].verdict;
    if (!n) continue;
    buffer_printf(out, "%s%zu %s", between, n, reasons[r].why);
    between = ", ";
  }
  if (!count) buffer_add_text(out, ": no benchmarks found");
}

void gate_check_compared(struct gate *gate) {
  if (gate->problem_count) return;
  if (gate->compared && gate->too_few == gate->compared) {
    gate_problem(gate,
                 "nothing can be judged: no benchmark has %zu samples per side; run them more "
                 "often (-count=10), or pass -test none",
                 gate->settings.min_samples);
  } else if (!gate->compared) {
    struct buffer text;
    buffer_init(&text, gate->mem, 4096);
    explain(gate, &text);
    gate->problems.failed |= text.failed;
    gate_problem(gate, "nothing was compared%.*s", STR_ARG(buffer_str(&text)));
    buffer_free(&text);
  }
}
