/* Prints the gate's result as JUnit XML. Each comparison is a test case. */
#include "core/template.h"
#include "gate/print/print.h"

extern const unsigned char asset_junit_xml[];
extern const size_t asset_junit_xml_size;

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

static void fill_case(struct fill *fill, const struct gate *gate, const struct gate_row *row) {
  const char *element = junit_element(row->verdict);
  fill_pack(fill, "cases:{group:S name:S unit:S", row->group.size ? row->group : STR("benchmarks"),
            row->name, row->unit);
  buffer_add_text(fill_html(fill, "element"), element);
  if (strcmp(element, "system-out") != 0) fill_words(fill, "message", gate_row_verdict(row));
  struct buffer *text = fill_text(fill, "text");
  if (row->in_base && row->in_head) gate_print_effect(text, gate, row);
  gate_print_remarks(text, gate, row);
  fill_end(fill);
}

void gate_print_junit(struct buffer *out, const struct gate *gate, bool all) {
  const pprofc_str page = {(const char *)asset_junit_xml, asset_junit_xml_size};
  struct fill fill = fill_make(gate->mem);
  size_t skipped = 0;
  pprofc_str rest = buffer_str(&gate->problems), line;
  (void)all;
  fill.escape = junit_put;
  for (size_t i = 0; i < gate->row_count; i++) {
    skipped += strcmp(junit_element(gate->rows[i].verdict), "skipped") == 0;
    fill_case(&fill, gate, &gate->rows[i]);
  }
  while (str_next_line(&rest, &line))
    if (line.size) fill_pack(&fill, "problems:{problem:S}", line);
  fill_pack(&fill, "in:s tests:i failures:i errors:i skipped:i", "  ",
            (int64_t)(gate->row_count + gate->problem_count), (int64_t)gate->regressed,
            (int64_t)gate->problem_count, (int64_t)skipped);
  gate_print_totals(fill_html(&fill, "totals"), gate);
  template_put(out, page, "report", &fill);
  fill_free(&fill);
}
