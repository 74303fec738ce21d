/* Prints the gate's result as JUnit XML. Each comparison is a test case. */
#include "gate/print/print.h"

/* Appends text. Changes commands of CI systems in the text, because a CI system would run them when
 * a tool prints the JUnit file into a log. */
static void junit_put(struct buffer *out, pprofc_str text) {
  struct buffer broken = buffer_make(out->mem, SIZE_MAX / 2);
  escape_log(&broken, text, true);
  escape_xml(out, buffer_str(&broken));
  out->failed |= broken.failed;
  buffer_free(&broken);
}

/* Returns the name of the XML element for a verdict: "skipped" if it is neither a pass nor a
 * regression. */
static const char *junit_element(pprofc_gate_verdict verdict) {
  switch (verdict) {
  case PPROFC_GATE_REGRESSED:
    return "failure";
  case PPROFC_GATE_UNCHANGED:
  case PPROFC_GATE_IMPROVED:
  case PPROFC_GATE_NEW:
    return "system-out";
  default:
    return "skipped";
  }
}

static void put_case(struct buffer *out, const struct gate *gate, const struct gate_row *row) {
  struct buffer text = buffer_make(gate->mem, SIZE_MAX / 2);
  if (row->in_base && row->in_head) gate_print_effect(&text, gate, row);
  gate_print_remarks(&text, gate, row);
  buffer_add_text(out, "    <testcase classname=\"");
  junit_put(out, row->group.size ? row->group : STR("benchmarks"));
  buffer_add_text(out, "\" name=\"");
  junit_put(out, row->name);
  buffer_add_char(out, ' ');
  junit_put(out, row->unit);
  buffer_add_text(out, "\">");
  const char *element = junit_element(row->verdict);
  bool message = strcmp(element, "system-out") != 0;
  buffer_printf(out, "<%s", element);
  if (message) buffer_printf(out, " message=\"%s\"", gate_row_verdict(row));
  buffer_add_char(out, '>');
  junit_put(out, buffer_str(&text));
  buffer_printf(out, "</%s></testcase>\n", element);
  out->failed |= text.failed;
  buffer_free(&text);
}

void gate_print_junit(struct buffer *out, const struct gate *gate, bool all) {
  size_t skipped = 0;
  pprofc_str rest = buffer_str(&gate->problems), line;
  (void)all;
  for (size_t i = 0; i < gate->row_count; i++)
    skipped += strcmp(junit_element(gate->rows[i].verdict), "skipped") == 0;
  buffer_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  buffer_printf(out,
                "  <testsuite name=\"benchmarks\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                "skipped=\"%zu\">\n",
                gate->row_count + gate->problem_count, gate->regressed, gate->problem_count,
                skipped);
  while (str_next_line(&rest, &line)) {
    if (!line.size) continue;
    buffer_add_text(out, "    <testcase classname=\"gate\" name=\"input\"><error message=\"");
    junit_put(out, line);
    buffer_add_text(out, "\"/></testcase>\n");
  }
  for (size_t i = 0; i < gate->row_count; i++) put_case(out, gate, &gate->rows[i]);
  buffer_add_text(out, "    <system-out>");
  gate_print_totals(out, gate);
  buffer_add_text(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
}
