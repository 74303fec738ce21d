/* Prints the lines above a report. Makes texts of the profile safe to print. */
#include "report/report.h"

/* ---- safe text --------------------------------------- */

void report_text(struct output *out, const pprofc_allocator *mem, pprofc_str text) {
  struct buffer scratch = buffer_make(mem, SIZE_MAX);
  escape_line_to_output(out, output_shorten(out, text, &scratch));
  buffer_free(&scratch);
}

void label_to_output(void *output, const char *prefix, pprofc_str text) {
  output_add_text(output, prefix);
  /* Profile comments (without a prefix) keep their newlines. */
  for (size_t end; !*prefix && (end = str_find_char(text, '\n')) < text.size;) {
    escape_line_to_output(output, str_slice(text, 0, end));
    output_add_char(output, '\n');
    text = str_slice(text, end + 1, text.size);
  }
  escape_line_to_output(output, text);
  output_add_char(output, '\n');
}

/* ---- the profile ------------------------------------- */

static void label_time(int64_t nanoseconds, label_fn label, void *context) {
  int64_t seconds = nanoseconds / 1000000000;
  if (nanoseconds % 1000000000 < 0) seconds--;
  time_t when = (time_t)seconds;
  struct tm tm;
  char text[128];
  if (!localtime_r(&when, &tm)) return;
  size_t size = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &tm);
  label(context, "Time: ", (pprofc_str){text, size});
}

static void label_duration(const struct report *report, label_fn label, void *context) {
  int64_t duration = report->result.profile->duration_nanos;
  char span[UNIT_LABEL_MAX], total[UNIT_LABEL_MAX], percentage[32], ratio[40] = "";
  struct measure nanos =
      unit_scale(report->result.total, report->result.sample_unit, STR("nanoseconds"));
  if (str_equal(nanos.unit, STR("ns")) && nanos.value != 0)
    snprintf(ratio, sizeof ratio, "(%.*s)",
             STR_ARG(unit_percentage(number_from_double(nanos.value), duration, percentage)));
  char text[2 * UNIT_LABEL_MAX + 100];
  pprofc_str s = unit_label(duration, STR("nanoseconds"), STR("auto"), span);
  pprofc_str t = report_value(report, report->result.total, total);
  snprintf(text, sizeof text, "%.*s, Total samples = %.*s %s", STR_ARG(s), STR_ARG(t), ratio);
  label(context, "Duration: ", str_of(text));
}

void labels_profile(const struct report *report, label_fn label, void *context) {
  const pprofc_profile *p = report->result.profile;
  if (p->mappings.count) {
    pprofc_str file = report_program(p), id = profile_string(p, p->mappings.items[0].build_id);
    if (file.size) label(context, "File: ", file);
    if (id.size) label(context, "Build ID: ", id);
  }
  for (size_t i = 0; i < p->comment_count; i++) {
    pprofc_str comment = profile_string(p, p->comments[i]);
    if (!str_starts(comment, STR("#"))) label(context, "", comment);
  }
  if (report->result.type.size) label(context, "Type: ", report->result.type);
  pprofc_str url = profile_string(p, p->doc_url);
  if (url.size) label(context, "Doc: ", url);
  if (p->time_nanos) label_time(p->time_nanos, label, context);
  if (p->duration_nanos) label_duration(report, label, context);
}

pprofc_str report_value(const struct report *report, int64_t value, char out[]) {
  return unit_label(pipeline_ratio(&report->result, value), report->result.sample_unit,
                    report->output_unit, out);
}

int64_t report_converted(const struct report *report, int64_t value) {
  return number_from_double(
      unit_scale(value, report->result.sample_unit, report->output_unit).value);
}

void report_padded(const struct report *report, struct output *out, int64_t value, size_t width) {
  char text[UNIT_LABEL_MAX];
  output_add_padded(out, report_value(report, value, text), width);
}

void report_percentage(struct output *out, int64_t value, int64_t total) {
  char text[32];
  output_add_char(out, ' ');
  output_add_str(out, unit_percentage(value, total, text));
}

void report_columns(const struct report *report, struct output *out, int64_t flat, int64_t cum,
                    int64_t *running) {
  int64_t total = report->result.total;
  *running = sum_add(*running, flat);
  report_padded(report, out, flat, 10);
  report_percentage(out, flat, total);
  report_percentage(out, *running, total);
  output_add_char(out, ' ');
  report_padded(report, out, cum, 10);
  report_percentage(out, cum, total);
}

pprofc_str report_program(const pprofc_profile *p) {
  pprofc_str file = p->mappings.count ? profile_string(p, p->mappings.items[0].file) : STR("");
  return file.size ? str_path_base(file) : file;
}

/* ---- filters ----------------------------------------- */

/* pprof truncates the text of a filter to this length in bytes. */
#define FILTER_BYTES 80

static void label_filters(const struct report *report, label_fn label, void *context) {
  bool first = true;
  for (unsigned i = 0; i < FILTER_COUNT; i++) {
    const char *value = filter_text(report->options, (enum filter_index)i);
    if (!*value || filter_options[i].flags & FILTER_UNLISTED) continue;
    if (first) label(context, "Active filters:", STR(""));
    first = false;
    char text[FILTER_BYTES + 4];
    int size = snprintf(text, FILTER_BYTES + 1, "%s=%s", filter_options[i].option.name, value);
    if (size > FILTER_BYTES) {
      memcpy(text + FILTER_BYTES, "\xE2\x80\xA6", 3);
      size = FILTER_BYTES + 3;
    }
    label(context, "   ", (pprofc_str){text, (size_t)size});
  }
}

/* ---- the graph --------------------------------------- */

/* Passes a text such as "Dropped 3 nodes (cum <= 0.35ms)" to `label`. */
static void label_dropped(const struct report *report, size_t count, const char *what,
                          const char *measure, double fraction, label_fn label, void *context) {
  if (!count) return;
  char value[UNIT_LABEL_MAX], text[UNIT_LABEL_MAX + 100];
  int64_t limit = number_abs(number_from_double((double)report->result.total * fraction));
  snprintf(text, sizeof text, "%zu %s%s (%s <= %.*s)", count, what, count > 1 ? "s" : "", measure,
           STR_ARG(report_value(report, limit, value)));
  label(context, "Dropped ", str_of(text));
}

/* Writes a text such as "1.2s, 60% of 2s total" to `text`. */
static void label_shown(const struct report *report, int64_t value, char *text, size_t size) {
  char shown[UNIT_LABEL_MAX], total[UNIT_LABEL_MAX], percentage[32];
  snprintf(text, size, "%.*s, %.*s of %.*s total", STR_ARG(report_value(report, value, shown)),
           STR_ARG(unit_percentage_trimmed(value, report->result.total, percentage)),
           STR_ARG(report_value(report, report->result.total, total)));
}

static const char shown_nodes[] = "Showing nodes accounting for ", shown_top[] = "Showing top ";

int64_t labels_left(const struct brief_left *left) {
  bool fits = left->amount >= -0x1p63L && left->amount < 0x1p63L;
  return fits ? (int64_t)left->amount : INT64_MIN;
}

bool labels_recount(const void *context, const struct brief_left *left, pprofc_str line,
                    struct buffer *to) {
  const struct report *report = context;
  const struct graph_summary *legend = &report->legend;
  char text[2 * UNIT_LABEL_MAX + 100];
  if (!report->rows_add_up) return false;
  if (str_starts(line, STR(shown_nodes))) {
    int64_t value = sum_add(legend->shown, number_multiply(labels_left(left), -1));
    label_shown(report, value, text, sizeof text);
    buffer_add_text(to, shown_nodes);
    escape_log(to, str_of(text), false);
    buffer_add_char(to, '\n');
    return true;
  }
  if (!str_starts(line, STR(shown_top))) return false;
  buffer_printf(to, "%s%zu nodes out of %zu\n", shown_top,
                legend->nodes - left->of_rank[report->node_rank], legend->nodes_before);
  return true;
}

void labels_graph(const struct report *report, const struct graph_summary *legend, bool full,
                  label_fn label, void *context) {
  if (full || !report->options->compact_labels) labels_profile(report, label, context);
  label_filters(report, label, context);

  char text[2 * UNIT_LABEL_MAX + 100];
  label_shown(report, legend->shown, text, sizeof text);
  label(context, shown_nodes, str_of(text));

  if (report->result.total) {
    label_dropped(report, legend->dropped_nodes, "node", "cum", report->result.nodefraction, label,
                  context);
    label_dropped(report, legend->dropped_edges, "edge", "freq", report->result.edgefraction, label,
                  context);
    if (legend->nodes > 0 && legend->nodes < legend->nodes_before) {
      snprintf(text, sizeof text, "%zu nodes out of %zu", legend->nodes, legend->nodes_before);
      label(context, shown_top, str_of(text));
    }
  }
  if (full) label(context, "\nSee https://git.io/JfYMW for how to read the graph", STR(""));
}
