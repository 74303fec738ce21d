/* Prints the noise of a machine, from two runs of the same program. Suggests thresholds. */
#include "gate/print/print.h"

#define SPREADS 3 /* ratio of the suggested threshold to the robust spread of the samples */

/* Returns the suggested threshold, which is at least the change from base to head. */
static double suggested(const struct gate_row *row) {
  double spread = isnan(row->spread) ? 0 : SPREADS * row->spread;
  double change = isfinite(row->delta) ? fabs(row->delta) : 0;
  return fmax(0.01, fmax(spread, change));
}

static void put_floor(struct buffer *out, const struct gate *gate) {
  size_t n = 0;
  double *spreads = mem_array(gate->mem, gate->row_count, sizeof *spreads);
  for (size_t i = 0; i < gate->row_count && spreads; i++)
    if (gate->rows[i].in_base && gate->rows[i].in_head && !gate->rows[i].constant &&
        !isnan(gate->rows[i].spread))
      spreads[n++] = gate->rows[i].spread;
  if (!spreads) out->failed = true;
  if (spreads && n) {
    sort_doubles(spreads, n);
    buffer_printf(out,
                  "noise floor: spread of %.2f%% in the middle, %.2f%% at most, of %zu "
                  "measurements\n",
                  100 * spreads[n / 2], 100 * spreads[n - 1], n);
  }
  mem_free(gate->mem, spreads, gate->row_count, sizeof *spreads);
}

static void put_noise(struct buffer *out, const struct gate *gate, bool all) {
  (void)all;
  buffer_printf(out, "%9s %9s %9s  %s\n", "spread", "change", "suggested", "benchmark");
  for (size_t i = 0; i < gate->row_count; i++) {
    const struct gate_row *row = &gate->rows[i];
    if (!row->in_base || !row->in_head) continue;
    buffer_printf(out, "%8.2f%% %+8.2f%% %8.1f%%  %.*s %.*s", 100 * row->spread,
                  isfinite(row->delta) ? 100 * row->delta : 0, ceil(1000 * suggested(row)) / 10,
                  STR_ARG(row->name), STR_ARG(row->unit));
    if (row->verdict == PPROFC_GATE_REGRESSED) buffer_add_text(out, "  (would have failed)");
    buffer_add_char(out, '\n');
  }
  put_floor(out, gate);
  pprofc_str rest = buffer_str(&gate->warnings), line;
  while (str_next_line(&rest, &line))
    if (line.size) buffer_printf(out, "warning: %.*s\n", STR_ARG(line));
  gate_print_totals(out, gate);
}

void gate_print_noise(struct buffer *out, const struct gate *gate, bool all) {
  gate_print_guarded(out, gate, all, put_noise);
}
