/* Describes the smallest change that the rows could have shown. */
#include "gate/print/print.h"

#include <math.h>

void gate_print_visible(struct buffer *out, double visible) {
  if (isnan(visible))
    buffer_add_char(out, '-');
  else if (isinf(visible))
    buffer_add_text(out, "none");
  else
    buffer_printf(out, "%.3g%%", 100 * visible);
}

static void visible_put_name(struct buffer *out, const struct gate_row *row) {
  buffer_printf(out, " (%.*s %.*s)", STR_ARG(row->name), STR_ARG(row->unit));
}

void gate_print_visible_changes(struct buffer *out, const struct gate *gate) {
  size_t count, n = gate->visible_count;
  const struct gate_row *rows = gate_rows(gate, &count);
  if (!gate->tested || gate->settings.test == GATE_NONE) return;
  buffer_add_text(out, "smallest visible change: ");
  /* Printed tables have no values. A row shows at most that no change could be significant. */
  if (2 * n < gate->tested) {
    buffer_add_text(out, "not known from tables; compare the results themselves");
  } else {
    gate_print_visible(out, gate->visible_middle);
    if (n > 1) {
      buffer_printf(out, " in the middle of %zu comparisons, ", n);
      gate_print_visible(out, gate->visible_worst);
      buffer_add_text(out, " at worst");
    }
    visible_put_name(out, &rows[gate->visible_row]);
  }
  if (gate->blind) buffer_printf(out, "; %zu could not have shown the threshold", gate->blind);
  if (gate->blind && isfinite(gate->needed_worst))
    buffer_printf(out, ", %.0f rounds would", gate->needed_worst);
  else if (gate->blind && isinf(gate->needed_worst))
    buffer_add_text(out, ", nor would 10000 rounds");
  buffer_add_char(out, '\n');
}
