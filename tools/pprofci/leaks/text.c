/* Prints the results: a table for people, and JSON, whose members are in docs/LEAKS.md. */
#include "core/json_write.h"
#include "leaks/command.h"
#include "unit/unit.h"

/* A growth rate per hour is printed only if the series covers at least this number of seconds. */
#define HOUR_MIN 60.0

void leaks_value(double value, pprofc_str unit, bool sign, char out[LEAKS_VALUE]) {
  char label[UNIT_LABEL_MAX];
  if (isnan(value)) {
    snprintf(out, LEAKS_VALUE, "-");
    return;
  }
  double most = 9e18;
  int64_t whole = (int64_t)fmax(-most, fmin(most, round(value)));
  const char *plus = sign && value > 0 ? "+" : "";
  bool small = fabs(value) < 10 && value != round(value);
  if (str_equal(unit, STR("count"))) {
    snprintf(out, LEAKS_VALUE, small ? "%s%.1f" : "%s%.0f", plus, value);
    return;
  }
  pprofc_str text = unit_label(whole, unit, STR("auto"), label);
  snprintf(out, LEAKS_VALUE, "%s%.*s", sign && whole > 0 ? "+" : "",
           (int)fmin(LEAKS_VALUE - 2, (double)text.size), text.data);
}

double leaks_per_hour(const struct leak_kind *kind, const struct leak_row *row) {
  bool long_enough = kind->t && kind->t[kind->judged - 1] >= HOUR_MIN;
  return long_enough ? row->per_hour : (double)NAN;
}

static void leaks_put_frame(struct output *out, const struct leak_frame *frame) {
  escape_line_to_output(out, frame->function);
  if (!frame->file.size) return;
  output_add_char(out, ' ');
  escape_line_to_output(out, str_path_base(frame->file));
  if (frame->line) output_printf(out, ":%lld", (long long)frame->line);
}

static void leaks_put_row(struct output *out, const struct leak_kind *kind,
                          const struct leak_row *row) {
  char now[LEAKS_VALUE], grew[LEAKS_VALUE], each[LEAKS_VALUE], hour[LEAKS_VALUE];
  pprofc_str unit = kind->stacks.source.unit;
  output_row(out, (int)row->fit.verdict, row->fit.growth, 0);
  leaks_value(row->last, unit, false, now);
  leaks_value(row->proved ? (double)NAN : row->last - row->first, unit, true, grew);
  leaks_value(row->per_interval, unit, true, each);
  leaks_value(leaks_per_hour(kind, row), unit, true, hour);
  output_printf(out, "%-18s  %-9.*s %10s %10s %10s %10s  ", leak_verdict_name(row->fit.verdict),
                STR_ARG(str_slice(kind->stacks.source.kind, 0, 40)), now, grew, each, hour);
  leaks_put_frame(out, row->where);
  if (row->caller) {
    output_add_text(out, " < ");
    leaks_put_frame(out, row->caller);
  }
  if (row->is_site) output_printf(out, " (%zu stacks)", row->stacks);
  if (row->proved) output_add_text(out, " (proved by the garbage collector)");
  if (row->fit.of_troughs) output_add_text(out, " (below a sawtooth)");
  output_add_char(out, '\n');
}

bool leaks_is_shown(const struct leak_row *row) {
  return row->fit.verdict == LEAK_LEAK || row->fit.verdict == LEAK_GROWS ||
         row->fit.verdict == LEAK_STOPPED || row->fit.verdict == LEAK_SAWTOOTH;
}

/* Prints at most `left` rows with this verdict. Adds the number of omitted rows to *hidden. Returns
 * the number of rows that the table may still have. */
static size_t leaks_put_rows(const struct leaks *leaks, enum leak_verdict verdict, size_t left,
                             size_t *hidden, struct output *out) {
  for (size_t k = 0; k < leaks->kind_count; k++)
    for (size_t i = 0; i < leaks->kinds[k].row_count; i++) {
      const struct leak_row *row = &leaks->kinds[k].rows[i];
      if (row->fit.verdict != verdict || !leaks_is_shown(row)) continue;
      if (left)
        leaks_put_row(out, &leaks->kinds[k], row);
      else
        (*hidden)++;
      left -= left > 0;
    }
  return left;
}

static bool leaks_any_shown(const struct leaks *leaks) {
  for (size_t k = 0; k < leaks->kind_count; k++)
    for (size_t i = 0; i < leaks->kinds[k].row_count; i++)
      if (leaks_is_shown(&leaks->kinds[k].rows[i])) return true;
  return false;
}

static void leaks_put_table(const struct leaks *leaks, size_t top, struct output *out) {
  size_t hidden = 0;
  if (!leaks_any_shown(leaks)) return;
  output_printf(out, "\n%-18s  %-9s %10s %10s %10s %10s  %s\n", "verdict", "kind", "now", "grew",
                "interval", "hour", "where");
  for (int verdict = LEAK_VERDICTS - 1; verdict >= 0; verdict--)
    top = leaks_put_rows(leaks, (enum leak_verdict)verdict, top, &hidden, out);
  output_no_row(out);
  if (hidden) output_printf(out, "... and %zu more rows (-top)\n", hidden);
  output_add_char(out, '\n');
}

static void leaks_put_headline(const struct leaks *leaks, struct output *out) {
  if (!leaks->leaks) {
    output_add_text(out, leaks->judged ? "no leak\n" : "nothing to judge\n");
    return;
  }
  const struct leak_row *first = NULL;
  for (size_t k = 0; k < leaks->kind_count && !first; k++)
    if (leaks->kinds[k].row_count && leaks->kinds[k].rows[0].fit.verdict == LEAK_LEAK)
      first = &leaks->kinds[k].rows[0];
  output_printf(out, "LEAK: %zu place%s without end", leaks->leaks,
                leaks->leaks == 1 ? " grows" : "s grow");
  if (first) {
    output_add_text(out, leaks->leaks == 1 ? ", " : ", first ");
    leaks_put_frame(out, first->where);
  }
  output_add_char(out, '\n');
}

static void leaks_put_judged(const struct leak_kind *kind, struct output *out) {
  char duration[64];
  output_printf(out, "%zu profile%s", kind->judged, kind->judged == 1 ? "" : "s");
  if (kind->timed && kind->t && !isnan(kind->interval)) {
    pprofc_str text =
        unit_go_duration((int64_t)round(kind->t[kind->judged - 1]) * 1000000000, duration);
    output_printf(out, " over %.*s", STR_ARG(text));
  } else if (kind->t) {
    output_add_text(out, " in the order of their names");
  }
  if (!kind->left_out) return;
  output_printf(out, ", without the first %zu (%s)", kind->left_out,
                kind->restarted ? "the program was restarted" : "warm-up");
}

static void leaks_put_counts(const struct leak_kind *kind, struct output *out) {
  static const enum leak_verdict quiet[] = {LEAK_STEADY, LEAK_BELOW, LEAK_IGNORED};
  const char *before = "; not shown: ";
  for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
    if (!kind->counts[quiet[i]]) continue;
    output_printf(out, "%s%zu %s", before, kind->counts[quiet[i]], leak_verdict_name(quiet[i]));
    before = ", ";
  }
}

/* Prints the smallest leak that the profiles could have shown. */
static void leaks_put_visible(const struct leak_kind *kind, struct output *out) {
  char text[LEAKS_VALUE];
  if (!(kind->visible > 0)) return;
  leaks_value(ceil(kind->visible), kind->stacks.source.unit, false, text);
  output_printf(out, "; a leak is seen from %s of growth", text);
}

void leaks_put_kind(const struct leak_kind *kind, struct output *out) {
  escape_line_to_output(out, kind->stacks.source.kind);
  output_add_text(out, ": ");
  if (kind->judged) {
    leaks_put_judged(kind, out);
    leaks_put_counts(kind, out);
    leaks_put_visible(kind, out);
  } else {
    output_printf(out, "not judged, %zu profile%s too few", kind->profiles,
                  kind->profiles == 1 ? " is" : "s are");
    if (kind->restarted)
      output_add_text(out, " after a restart");
    else if (kind->left_out)
      output_add_text(out, " after the warm-up");
    output_printf(out, ": %d are needed", LEAK_MIN);
  }
  output_add_char(out, '\n');
}

void leaks_print_text(const struct leaks *leaks, size_t top, struct output *out) {
  leaks_put_headline(leaks, out);
  leaks_put_table(leaks, top, out);
  for (size_t k = 0; k < leaks->kind_count; k++) leaks_put_kind(&leaks->kinds[k], out);
}

static void leaks_json_frame(struct json_writer *json, const struct leak_frame *frame) {
  json_pack(json, "{function:S file:S line:i}", frame->function, frame->file, frame->line);
}

static void leaks_json_stack(struct json_writer *json, const struct leak_kind *kind,
                             const struct leak_stack *stack) {
  json_begin_array(json_key(json, "stack"));
  for (size_t i = 0; i < stack->depth; i++) {
    const struct leak_place *place = &kind->stacks.places[stack->places[i]];
    for (size_t k = 0; k < place->count; k++) leaks_json_frame(json, &place->frames[k]);
  }
  json_end(json);
}

static void leaks_json_row(struct json_writer *json, const struct leak_kind *kind,
                           const struct leak_row *row) {
  output_row(json->out, (int)row->fit.verdict, row->fit.growth, 0);
  json_pack(json, "\n{verdict:s where:", leak_verdict_code(row->fit.verdict));
  leaks_json_frame(json, row->where);
  json_pack(json,
            "site:b stacks:u proved:b of_troughs:b first:f last:f per_interval:f per_hour:f "
            "slope:f kept:f p_trend:f p:f p_adjusted:f values:[",
            row->is_site, (uint64_t)row->stacks, row->proved, row->fit.of_troughs, row->first,
            row->last, row->per_interval, row->per_hour, row->fit.slope, row->fit.kept,
            row->fit.p_trend, row->fit.p, row->fit.adjusted);
  for (size_t i = 0; i < kind->judged; i++) json_double(json, row->values[i]);
  json_end(json);
  leaks_json_stack(json, kind, row->stack);
  json_end(json);
}

static void leaks_json_counts(struct json_writer *json, const struct leak_kind *kind) {
  json_begin_object(json_key(json, "counts"));
  for (size_t i = 0; i < LEAK_VERDICTS; i++)
    json_uint(json_key(json, leak_verdict_code((enum leak_verdict)i)), kind->counts[i]);
  json_end(json);
}

static void leaks_json_kind(struct json_writer *json, const struct leak_kind *kind) {
  json_pack(json, "\n{kind:S unit:S profiles:[", kind->stacks.source.kind,
            kind->stacks.source.unit);
  for (size_t i = 0; i < kind->profiles; i++) json_text(json, kind->names[i]);
  json_pack(json, "] order:s left_out:u restarted:b judged:u interval_seconds:f tested:u visible:f",
            kind->timed ? "time" : "name", (uint64_t)kind->left_out, kind->restarted,
            (uint64_t)kind->judged, kind->interval, (uint64_t)kind->tested, kind->visible);
  leaks_json_counts(json, kind);
  json_begin_array(json_key(json, "rows"));
  for (size_t i = 0; i < kind->row_count; i++)
    if (kind->rows[i].fit.verdict > LEAK_BELOW) leaks_json_row(json, kind, &kind->rows[i]);
  output_no_row(json->out);
  json_pack(json, "]}");
}

void leaks_print_json(const struct leaks *leaks, struct output *out) {
  struct json_writer json;
  json_init(&json, out, &ci_mem);
  json_pack(&json, "{version:1 leaks:u judged_kinds:u alpha:f kinds:[", (uint64_t)leaks->leaks,
            (uint64_t)leaks->judged, leaks->options.alpha);
  for (size_t i = 0; i < leaks->kind_count; i++) leaks_json_kind(&json, &leaks->kinds[i]);
  json_end(&json);
  output_note(out);
  (void)json_finish_file(&json);
}
