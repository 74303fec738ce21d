/* Prints the result as JSON with unrounded numbers, and as GitLab's code quality report. */
#include "core/json_write.h"
#include "gate/print/print.h"

typedef void (*json_fill_fn)(struct json_writer *json, const struct gate *gate, bool all);

/* Calls `fill` with a JSON writer that writes to `write`. Returns false when out of memory. */
static bool json_fill(const struct gate *gate, bool all, json_fill_fn fill, pprofc_write_fn write,
                      void *context) {
  struct output *output = mem_array(gate->mem, 1, sizeof *output);
  struct json_writer json;
  if (!output) return false;
  output_init(output, write, context);
  json_init(&json, output, gate->mem);
  fill(&json, gate, all);
  bool good = json_finish(&json);
  output_add_char(output, '\n');
  good &= output_flush(output, NULL) == PPROFC_OK;
  mem_free(gate->mem, output, 1, sizeof *output);
  return good;
}

static void with_json(struct buffer *out, const struct gate *gate, bool all, json_fill_fn fill) {
  if (!json_fill(gate, all, fill, buffer_write, out)) out->failed = true;
}

static void put_lines(struct json_writer *json, const char *key, pprofc_str lines) {
  pprofc_str line;
  json_begin_array(json_key(json, key));
  while (str_next_line(&lines, &line))
    if (line.size) json_string(json, line);
  json_end(json);
}

static void put_tested(struct json_writer *json, const struct gate *gate,
                       const struct gate_row *row) {
  double p = row->tested ? row->p : (double)NAN;
  double adjusted = row->tested && gate_was_corrected(gate, row) ? row->adjusted : (double)NAN;
  json_pack(json, "delta:f from_zero:b low:f high:f test:s p:f p_adjusted:f", row->delta,
            gate_is_from_zero(row), row->low, row->high, row->test, p, adjusted);
  for (size_t i = 1; i < GATE_TESTS; i++) {
    static const char *const keys[GATE_TESTS][3] = {
        [1] = {"second_test", "second_p", "second_p_adjusted"},
        {"third_test", "third_p", "third_p_adjusted"}};
    const struct gate_test *further = &row->tests[i];
    if (!further->tested || !gate_was_corrected(gate, row)) continue;
    json_string(json_key(json, keys[i][0]), str_of(further->test));
    json_double(json_key(json, keys[i][1]), further->p);
    json_double(json_key(json, keys[i][2]), further->adjusted);
  }
  json_pack(json, "constant:b significant:b spread:f base_drifts:b head_drifts:b", row->constant,
            gate_is_significant(row), row->spread, row->base_drifts, row->head_drifts);
}

/* Writes the smallest change that the row's test would find; null if infinite or unknown. */
static void put_visible(struct json_writer *json, const struct gate_row *row) {
  json_pack(json, "p_needed:f visible_change:f rounds_for_threshold:f threshold_visible:b",
            row->level, row->visible, row->needed, !row->blind && gate_was_judged(row));
}

static void json_put_row(struct json_writer *json, const struct gate *gate,
                         const struct gate_row *row) {
  static const char *const better[] = {"lower", "unknown", "higher"};
  json_pack(json,
            "\n{benchmark:S unit:S group:S better:s verdict:s base:f head:f base_samples:u "
            "head_samples:u",
            row->name, row->unit, row->group, better[row->direction + 1], gate_row_verdict(row),
            row->base, row->head, (uint64_t)row->base_count, (uint64_t)row->head_count);
  if (row->in_base && row->in_head) put_tested(json, gate, row);
  if (gate_was_judged(row)) put_visible(json, row);
  if (row->aside) json_string(json_key(json, "aside"), str_of(row->aside));
  json_pack(json, "threshold:f alpha:f floor:f noise:f", row->threshold, row->alpha, row->floor,
            row->noise);
  if (row->between > 0) json_double(json_key(json, "noise_between_runs"), expm1(row->between));
  if (row->rule != SIZE_MAX) {
    json_pack(json, "rule_line:u reason:S", (uint64_t)gate->settings.rules[row->rule].line,
              gate->settings.rules[row->rule].reason);
  }
  json_pack(json, "file:S line:u}", row->file, (uint64_t)row->line);
}

static void fill_report(struct json_writer *json, const struct gate *gate, bool all) {
  (void)all;
  json_pack(json,
            "{version:1 result:s exit_status:u compared:u significant:u regressed:u missing:u "
            "improved:u suspicious:u inconclusive:u accepted:u p_values:u not_measured:u "
            "cpu_times:u wall_times:u power:f threshold_not_visible:u visible_change_middle:f "
            "visible_change_worst:f",
            gate_result_name(gate), (uint64_t)gate_exit_status(gate), (uint64_t)gate->compared,
            (uint64_t)gate->significant, (uint64_t)gate->regressed, (uint64_t)gate->missing,
            (uint64_t)gate->improved, (uint64_t)gate->suspicious, (uint64_t)gate->inconclusive,
            (uint64_t)gate->accepted, (uint64_t)gate->family, (uint64_t)gate->unmeasured,
            (uint64_t)gate->cpu_times, (uint64_t)gate->wall_times, GATE_POWER,
            (uint64_t)gate->blind, gate->visible_middle, gate->visible_worst);
  if (gate->visible_whole > 0) json_pack(json, "visible_change_together:f", gate->visible_whole);
  json_pack(json, "rounds_for_threshold:f drifting:b shifted:b", gate->needed_worst, gate->drifting,
            gate->shifted);
  put_lines(json, "problems", buffer_str(&gate->problems));
  put_lines(json, "warnings", buffer_str(&gate->warnings));
  json_begin_array(json_key(json, "rows"));
  for (size_t i = 0; i < gate->row_count; i++) {
    output_row(json->out, -gate_rank(gate->rows[i].verdict), 0, 0);
    json_put_row(json, gate, &gate->rows[i]);
  }
  output_no_row(json->out);
  json_end(json);
  output_note(json->out);
  json_end(json);
}

bool gate_write_json(const struct gate *gate, pprofc_write_fn write, void *context) {
  return json_fill(gate, false, fill_report, write, context);
}

void gate_print_json(struct buffer *out, const struct gate *gate, bool all) {
  with_json(out, gate, all, fill_report);
}

/* ---- GitLab ------------------------------------------ */

uint64_t gate_fingerprint(uint64_t print, pprofc_str text) {
  if (!print) print = 0xCBF29CE484222325u;
  for (size_t i = 0; i <= text.size; i++) {
    print ^= i < text.size ? (unsigned char)text.data[i] : 0u;
    print *= 0x100000001B3u;
  }
  return print;
}

/* Writes an issue with file, line and fingerprint. A benchmark in one unit has the same fingerprint
 * in all runs. */
static void put_issue(struct json_writer *json, const char *check, const char *severity,
                      pprofc_str description, uint64_t fingerprint, pprofc_str path, size_t line) {
  char print[32];
  snprintf(print, sizeof print, "%016llx", (unsigned long long)fingerprint);
  if (!path.size) path = STR("benchmarks");
  json_pack(json, "\n{description:S check_name:s fingerprint:s severity:s", description, check,
            print, severity);
  json_pack(json, "location:{path:S lines:{begin:u}}}", path, (uint64_t)(line ? line : 1));
}

static void put_row_issue(struct json_writer *json, const struct gate *gate,
                          const struct gate_row *row) {
  struct buffer text = buffer_make(gate->mem, SIZE_MAX / 2);
  buffer_printf(&text, "%s: %.*s %.*s ", gate_row_verdict(row), STR_ARG(row->name),
                STR_ARG(row->unit));
  if (row->in_base && row->in_head) gate_print_effect(&text, gate, row);
  gate_print_remarks(&text, gate, row);
  uint64_t print =
      gate_fingerprint(gate_fingerprint(gate_fingerprint(0, row->group), row->name), row->unit);
  put_issue(json, "benchmark", row->verdict == PPROFC_GATE_REGRESSED ? "major" : "minor",
            buffer_str(&text), print, row->file, row->line);
  /* When out of memory, fail instead of writing a part of the text. */
  json->out->failed |= text.failed;
  buffer_free(&text);
}

static void fill_gitlab(struct json_writer *json, const struct gate *gate, bool all) {
  pprofc_str rest = buffer_str(&gate->problems), line;
  (void)all;
  json_begin_array(json);
  while (str_next_line(&rest, &line))
    if (line.size)
      put_issue(json, "benchmark-gate", "blocker", line, gate_fingerprint(0, line), STR(""), 0);
  for (size_t i = 0; i < gate->row_count; i++) {
    pprofc_gate_verdict v = gate->rows[i].verdict;
    if (v == PPROFC_GATE_REGRESSED || v == PPROFC_GATE_MISSING || v == PPROFC_GATE_SUSPICIOUS)
      put_row_issue(json, gate, &gate->rows[i]);
  }
  json_end(json);
}

void gate_print_gitlab(struct buffer *out, const struct gate *gate, bool all) {
  with_json(out, gate, all, fill_gitlab);
}
