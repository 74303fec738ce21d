/* Prints all results as JSON. docs/LEAKS.md describes the JSON members. */
#include "core/json_write.h"
#include "leaks/command.h"

#define VERSION 1

static void leaks_json_frame(struct json_writer *json, const struct leak_frame *frame) {
  json_begin_object(json);
  json_string(json_key(json, "function"), frame->function);
  json_string(json_key(json, "file"), frame->file);
  json_int(json_key(json, "line"), frame->line);
  json_end(json);
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
  json_line_break(json);
  json_begin_object(json);
  json_text(json_key(json, "verdict"), leak_verdict_code(row->fit.verdict));
  json_key(json, "where");
  leaks_json_frame(json, row->where);
  json_bool(json_key(json, "site"), row->is_site);
  json_uint(json_key(json, "stacks"), row->stacks);
  json_bool(json_key(json, "proved"), row->proved);
  json_bool(json_key(json, "of_troughs"), row->fit.of_troughs);
  json_double(json_key(json, "first"), row->first);
  json_double(json_key(json, "last"), row->last);
  json_double(json_key(json, "per_interval"), row->per_interval);
  json_double(json_key(json, "per_hour"), row->per_hour);
  json_double(json_key(json, "slope"), row->fit.slope);
  json_double(json_key(json, "kept"), row->fit.kept);
  json_double(json_key(json, "p_trend"), row->fit.p_trend);
  json_double(json_key(json, "p"), row->fit.p);
  json_double(json_key(json, "p_adjusted"), row->fit.adjusted);
  json_begin_array(json_key(json, "values"));
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
  json_line_break(json);
  json_begin_object(json);
  json_string(json_key(json, "kind"), kind->stacks.source.kind);
  json_string(json_key(json, "unit"), kind->stacks.source.unit);
  json_begin_array(json_key(json, "profiles"));
  for (size_t i = 0; i < kind->profiles; i++) json_text(json, kind->names[i]);
  json_end(json);
  json_text(json_key(json, "order"), kind->timed ? "time" : "name");
  json_uint(json_key(json, "left_out"), kind->left_out);
  json_bool(json_key(json, "restarted"), kind->restarted);
  json_uint(json_key(json, "judged"), kind->judged);
  json_double(json_key(json, "interval_seconds"), kind->interval);
  json_uint(json_key(json, "tested"), kind->tested);
  json_double(json_key(json, "visible"), kind->visible);
  leaks_json_counts(json, kind);
  json_begin_array(json_key(json, "rows"));
  for (size_t i = 0; i < kind->row_count; i++)
    if (kind->rows[i].fit.verdict > LEAK_BELOW) leaks_json_row(json, kind, &kind->rows[i]);
  output_no_row(json->out);
  json_end(json);
  json_end(json);
}

bool leaks_print_json(const struct leaks *leaks, struct output *out) {
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_begin_object(&json);
  json_int(json_key(&json, "version"), VERSION);
  json_uint(json_key(&json, "leaks"), leaks->leaks);
  json_uint(json_key(&json, "judged_kinds"), leaks->judged);
  json_double(json_key(&json, "alpha"), leaks->options.alpha);
  json_begin_array(json_key(&json, "kinds"));
  for (size_t i = 0; i < leaks->kind_count; i++) leaks_json_kind(&json, &leaks->kinds[i]);
  json_end(&json);
  output_note(out);
  return json_finish_file(&json);
}
