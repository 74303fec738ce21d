/* All results as JSON. docs/LEAKS.md describes the members. */
#include "core/json_write.h"
#include "leaks/command.h"

#define VERSION 1

static void leaks_json_number(struct json_writer *json, const char *key, double value) {
  json_key(json, key);
  json_double(json, value);
}

static void leaks_json_frame(struct json_writer *json, const struct leak_frame *frame) {
  json_begin_object(json);
  json_key(json, "function");
  json_string(json, frame->function);
  json_key(json, "file");
  json_string(json, frame->file);
  json_key(json, "line");
  json_int(json, frame->line);
  json_end(json);
}

static void leaks_json_stack(struct json_writer *json, const struct leak_kind *kind,
                             const struct leak_stack *stack) {
  json_key(json, "stack");
  json_begin_array(json);
  for (size_t i = 0; i < stack->depth; i++) {
    const struct leak_place *place = &kind->stacks.places[stack->places[i]];
    for (size_t k = 0; k < place->count; k++) leaks_json_frame(json, &place->frames[k]);
  }
  json_end(json);
}

static void leaks_json_row(struct json_writer *json, const struct leak_kind *kind,
                           const struct leak_row *row) {
  json_line_break(json);
  json_begin_object(json);
  json_key(json, "verdict");
  json_text(json, leak_verdict_code(row->fit.verdict));
  json_key(json, "where");
  leaks_json_frame(json, row->where);
  json_key(json, "site");
  json_bool(json, row->is_site);
  json_key(json, "stacks");
  json_uint(json, row->stacks);
  json_key(json, "proved");
  json_bool(json, row->proved);
  json_key(json, "of_troughs");
  json_bool(json, row->fit.of_troughs);
  leaks_json_number(json, "first", row->first);
  leaks_json_number(json, "last", row->last);
  leaks_json_number(json, "per_interval", row->per_interval);
  leaks_json_number(json, "per_hour", row->per_hour);
  leaks_json_number(json, "slope", row->fit.slope);
  leaks_json_number(json, "kept", row->fit.kept);
  leaks_json_number(json, "p_trend", row->fit.p_trend);
  leaks_json_number(json, "p", row->fit.p);
  leaks_json_number(json, "p_adjusted", row->fit.adjusted);
  json_key(json, "values");
  json_begin_array(json);
  for (size_t i = 0; i < kind->judged; i++) json_double(json, row->values[i]);
  json_end(json);
  leaks_json_stack(json, kind, row->stack);
  json_end(json);
}

static void leaks_json_counts(struct json_writer *json, const struct leak_kind *kind) {
  json_key(json, "counts");
  json_begin_object(json);
  for (size_t i = 0; i < LEAK_VERDICTS; i++) {
    json_key(json, leak_verdict_code((enum leak_verdict)i));
    json_uint(json, kind->counts[i]);
  }
  json_end(json);
}

static void leaks_json_kind(struct json_writer *json, const struct leak_kind *kind) {
  json_line_break(json);
  json_begin_object(json);
  json_key(json, "kind");
  json_string(json, kind->stacks.source.kind);
  json_key(json, "unit");
  json_string(json, kind->stacks.source.unit);
  json_key(json, "profiles");
  json_begin_array(json);
  for (size_t i = 0; i < kind->profiles; i++) json_text(json, kind->names[i]);
  json_end(json);
  json_key(json, "order");
  json_text(json, kind->timed ? "time" : "name");
  json_key(json, "left_out");
  json_uint(json, kind->left_out);
  json_key(json, "restarted");
  json_bool(json, kind->restarted);
  json_key(json, "judged");
  json_uint(json, kind->judged);
  leaks_json_number(json, "interval_seconds", kind->interval);
  json_key(json, "tested");
  json_uint(json, kind->tested);
  json_key(json, "visible");
  json_double(json, kind->visible);
  leaks_json_counts(json, kind);
  json_key(json, "rows");
  json_begin_array(json);
  for (size_t i = 0; i < kind->row_count; i++)
    if (kind->rows[i].fit.verdict > LEAK_BELOW) leaks_json_row(json, kind, &kind->rows[i]);
  json_end(json);
  json_end(json);
}

bool leaks_print_json(const struct leaks *leaks, struct output *out) {
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_begin_object(&json);
  json_key(&json, "version");
  json_int(&json, VERSION);
  json_key(&json, "leaks");
  json_uint(&json, leaks->leaks);
  json_key(&json, "judged_kinds");
  json_uint(&json, leaks->judged);
  leaks_json_number(&json, "alpha", leaks->options.alpha);
  json_key(&json, "kinds");
  json_begin_array(&json);
  for (size_t i = 0; i < leaks->kind_count; i++) leaks_json_kind(&json, &leaks->kinds[i]);
  json_end(&json);
  json_end(&json);
  output_add_char(out, '\n');
  return json_finish(&json);
}
