/* Implements functions that the annotated listings share. */
#include "report/source/listing.h"

#include "unit/unit.h"

#define COLUMN 10

pprofc_status listing_graph(const struct report *report, bool any_order, struct graph *graph,
                            pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  struct graph_options options = {
      .frames = {.object_names = true, .trim_path = o->trim_path, .source_path = o->source_path},
      .value_index = report->result.value_index,
      .mean = report->result.mean,
      .drop_negative = o->drop_negative,
      .any_order = any_order,
      .threads = o->threads ? o->threads : report->result.profile->threads,
  };
  return graph_build(graph, report->result.profile, &options, error);
}

void listing_total(const struct report *report, struct output *out) {
  char text[UNIT_LABEL_MAX];
  output_add_text(out, "Total: ");
  output_add_str(out, report_value(report, report->result.total, text));
  output_add_char(out, '\n');
}

void listing_value(const struct report *report, struct output *out, int64_t value) {
  if (value)
    report_padded(report, out, value, COLUMN);
  else
    output_add_padded(out, STR("."), COLUMN);
}

void listing_sums(const struct report *report, struct output *out, int64_t flat, int64_t cum) {
  char text[32];
  report_padded(report, out, flat, COLUMN);
  output_add_char(out, ' ');
  report_padded(report, out, cum, COLUMN);
  output_add_text(out, " (flat, cum) ");
  output_add_str(out, unit_percentage(cum, report->result.total, text));
  output_add_text(out, " of Total");
}

void listing_text(const struct report *report, struct output *out, pprofc_str line) {
  pprofc_str piece;
  for (bool first = true; str_next(&line, '\t', &piece); first = false) {
    if (!first) output_add_char(out, '\t');
    report_text(out, report->mem, piece);
  }
}
