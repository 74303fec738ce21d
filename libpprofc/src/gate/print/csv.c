/* Prints the gate's result as CSV for spreadsheets. Each comparison is a row with unrounded
 * numbers. An apostrophe precedes texts that a spreadsheet would take for a formula. */
#include "gate/print/print.h"

static bool csv_is_quoted(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] && strchr(",;\"\t ", text.data[i])) return true;
  return false;
}

static void csv_put_text(struct buffer *out, pprofc_str text) {
  escape_csv(out, text, csv_is_quoted(text));
  buffer_add_char(out, ',');
}

static void csv_put_number(struct buffer *out, double value) {
  char text[FLOAT_SHORTEST] = "";
  if (isinf(value)) snprintf(text, sizeof text, "%s", value > 0 ? "Inf" : "-Inf");
  if (isfinite(value)) float_shortest(text, value);
  buffer_add_text(out, text);
  buffer_add_char(out, ',');
}

static void csv_put_row(struct buffer *out, const struct gate_row *row) {
  bool both = row->in_base && row->in_head;
  csv_put_text(out, str_of(gate_row_verdict(row)));
  csv_put_text(out, row->name);
  csv_put_text(out, row->unit);
  csv_put_text(out, row->group);
  csv_put_number(out, row->base);
  csv_put_number(out, row->head);
  csv_put_number(out, row->delta);
  csv_put_number(out, both ? row->low : (double)NAN);
  csv_put_number(out, both ? row->high : (double)NAN);
  csv_put_number(out, row->tested ? row->p : (double)NAN);
  csv_put_number(out, row->tested ? row->adjusted : (double)NAN);
  buffer_printf(out, "%zu,%zu,", row->base_count, row->head_count);
  csv_put_number(out, row->threshold);
  csv_put_text(out, row->file);
  buffer_printf(out, "%zu\n", row->line);
}

static void csv_put_table(struct buffer *out, const struct gate *gate, bool all) {
  (void)all;
  buffer_add_text(out, "verdict,benchmark,unit,group,base,head,delta,low,high,p,p_adjusted,"
                       "base_samples,head_samples,threshold,file,line\n");
  for (size_t i = 0; i < gate->row_count; i++) csv_put_row(out, &gate->rows[i]);
}

void gate_print_csv(struct buffer *out, const struct gate *gate, bool all) {
  gate_print_guarded(out, gate, all, csv_put_table);
}
