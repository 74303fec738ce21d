/* The gate's rows and what is common to readers and printers. */
#include "bench/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void gate_init(struct gate *gate, const pprofc_allocator *mem) {
  *gate = (struct gate){.mem = mem};
  arena_init(&gate->arena, mem);
  buffer_init(&gate->rows, mem, SIZE_MAX / 2);
  buffer_init(&gate->problems, mem, 1 << 20);
  gate->settings = (struct gate_settings){.threshold = 0.05, .alpha = 0.05, .min_samples = 4};
}

void gate_free(struct gate *gate) {
  buffer_free(&gate->rows);
  buffer_free(&gate->problems);
  arena_free(&gate->arena);
}

struct gate_row gate_row_unknown(void) {
  return (struct gate_row){
      .base = (double)NAN,
      .head = (double)NAN,
      .low = (double)NAN,
      .high = (double)NAN,
      .spread = (double)NAN,
      .p = 1,
      .adjusted = 1,
      .rule = SIZE_MAX,
      .test = "none",
  };
}

bool gate_add(struct gate *gate, const struct gate_row *row) {
  buffer_add(&gate->rows, row, sizeof *row);
  return !gate->rows.failed;
}

void gate_problem(struct gate *gate, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  buffer_add_text(&gate->problems, text);
  buffer_add_char(&gate->problems, '\n');
  gate->problem_count++;
}

const char *gate_verdict_name(enum gate_verdict verdict) {
  static const char *const names[] = {"unchanged", "improved",     "suspiciously faster",
                                      "regressed", "inconclusive", "too few samples",
                                      "missing",   "new",          "accepted",
                                      "ignored",   "informational"};
  return names[verdict];
}

static void put_percent(struct buffer *out, double value) {
  if (isinf(value))
    buffer_add_text(out, value > 0 ? "+\xE2\x88\x9E%" : "-\xE2\x88\x9E%");
  else
    buffer_printf(out, "%+.2f%%", 100 * value);
}

void gate_print_effect(struct buffer *out, const struct gate_row *row) {
  if (row->delta_kind == GATE_DELTA_FROM_ZERO)
    buffer_printf(out, "0 \xE2\x86\x92 %.4g", row->head);
  else if (row->delta_kind == GATE_DELTA_UNKNOWN)
    buffer_add_char(out, '~');
  else
    put_percent(out, row->delta);
  if (!isnan(row->low) && !isnan(row->high)) {
    buffer_add_text(out, " [");
    put_percent(out, row->low);
    buffer_add_text(out, ", ");
    put_percent(out, row->high);
    buffer_add_char(out, ']');
  }
  if (row->constant)
    buffer_add_text(out, " constant");
  else if (row->tested)
    buffer_printf(out, " p=%.4f", row->p);
  if (row->base_count || row->head_count)
    buffer_printf(out, " n=%zu+%zu", row->base_count, row->head_count);
}

void gate_print_totals(struct buffer *out, const struct gate *gate) {
  buffer_printf(out, "%zu compared, %zu significant, %zu regressed, %zu missing\n", gate->compared,
                gate->significant, gate->regressed, gate->missing);
}
