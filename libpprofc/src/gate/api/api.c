/* Implements the public interface of the gate (pprofc/gate.h). */
#include "core/file.h"
#include "gate/print/print.h"
#include "gate/read/read.h"

#define GATE_DAY 11 /* size in bytes of a day such as "2027-01-31", including the NUL */

struct pprofc_gate {
  pprofc_allocator mem;
  struct gate gate;
  /* raw results of base and head; their inputs have the label "base" or "head" */
  pprofc_bench *set;
  char today[GATE_DAY];
  bool closed; /* true after the first call that judges; reading is then an error */
  bool judged;
  pprofc_gate_row *rows; /* rows for the public functions, made after judging */
  size_t row_count;
};

/* ---- settings ---------------------------------------- */

void pprofc_gate_options_init(pprofc_gate_options *options) {
  *options = (pprofc_gate_options){
      .struct_size = sizeof *options,
      .threshold = 0.05,
      .alpha = 0.05,
      .min_samples = 4,
      .floor = "",
      .today = "",
      .noise_from = "",
      .one_process = true,
  };
}

static pprofc_status gate_set_day(pprofc_gate *handle, const char *today, pprofc_error *error) {
  time_t now = time(NULL);
  struct tm parts;
  if (today && *today) {
    if (!gate_is_date(str_of(today)))
      return error_set(error, PPROFC_E_INVALID, "today must be a date like 2027-01-31, not \"%s\"",
                       today);
    memcpy(handle->today, today, GATE_DAY);
    return PPROFC_OK;
  }
  if (gmtime_r(&now, &parts) && strftime(handle->today, GATE_DAY, "%Y-%m-%d", &parts))
    return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the clock has no date; set today");
}

/* True if every enum of the options has a known value. */
static bool gate_words_known(const pprofc_gate_options *o) {
  return (unsigned)o->test <= PPROFC_GATE_NONE &&
         (unsigned)o->correction <= PPROFC_GATE_UNCORRECTED &&
         (unsigned)o->time <= PPROFC_GATE_TIME_CPU;
}

static pprofc_status gate_apply(pprofc_gate *handle, const pprofc_gate_options *o,
                                pprofc_error *error) {
  struct gate_settings *s = &handle->gate.settings;
  if (!(o->threshold >= 0) || isinf(o->threshold))
    return error_set(error, PPROFC_E_INVALID, "the threshold must be a number from 0 up, not %g",
                     o->threshold);
  if (!(o->alpha >= 0 && o->alpha <= 1))
    return error_set(error, PPROFC_E_INVALID, "alpha must be from 0 to 1, not %g", o->alpha);
  if (!o->min_samples) return error_set(error, PPROFC_E_INVALID, "min_samples must be at least 1");
  if (!gate_words_known(o))
    return error_set(error, PPROFC_E_INVALID, "unknown test %d, correction %d or time %d",
                     (int)o->test, (int)o->correction, (int)o->time);
  if (o->floor && *o->floor && !gate_parse_floor(str_of(o->floor), &s->floor))
    return error_set(error, PPROFC_E_INVALID, "the floor must be like \"1us or 16 B\", not \"%s\"",
                     o->floor);
  s->threshold = o->threshold;
  s->alpha = o->alpha;
  s->test = o->test;
  s->correction = o->correction;
  s->time = o->time;
  s->min_samples = o->min_samples;
  s->strict = o->strict;
  s->one_process = o->one_process;
  return gate_set_day(handle, o->today, error);
}

pprofc_status pprofc_gate_new(const pprofc_gate_options *options, pprofc_gate **gate,
                              pprofc_error *error) {
  pprofc_gate_options o;
  pprofc_status status = OPTIONS_COPY(pprofc_gate_options, &o, options, error);
  if (status) return status;
  const pprofc_allocator *mem = mem_or_default(o.allocator);
  pprofc_gate *handle = mem_zero_array(mem, 1, sizeof *handle);
  if (!handle) return error_nomem(error);
  handle->mem = *mem;
  gate_init(&handle->gate, &handle->mem);
  status = gate_apply(handle, &o, error);
  if (!status && o.noise_from && *o.noise_from)
    status = gate_read_noise(&handle->gate, o.noise_from, error);
  if (status)
    pprofc_gate_free(handle);
  else
    *gate = handle;
  return status;
}

void pprofc_gate_free(pprofc_gate *gate) {
  if (!gate) return;
  pprofc_allocator mem = gate->mem;
  mem_free(&mem, gate->rows, gate->row_count, sizeof *gate->rows);
  gate_free(&gate->gate);
  pprofc_bench_free(gate->set);
  mem_free(&mem, gate, 1, sizeof *gate);
}

/* ---- reading ----------------------------------------- */

static pprofc_status gate_check_open(const pprofc_gate *gate, pprofc_error *error) {
  if (!gate->closed) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the gate is already judged");
}

/* Returns the error, and adds it to the problems of the gate. This way, a caller that ignores the
 * error does not get the exit status of a pass. */
static pprofc_status gate_failed(pprofc_gate *gate, pprofc_status status,
                                 const pprofc_error *reason, pprofc_error *error) {
  if (!status) return status;
  if (error) *error = *reason;
  gate_problem(&gate->gate, "%s", reason->message);
  return status;
}

pprofc_status pprofc_gate_read_rules(pprofc_gate *gate, const char *path, const void *data,
                                     size_t size, pprofc_error *error) {
  pprofc_status status = gate_check_open(gate, error);
  if (status) return status;
  pprofc_error reason;
  status = gate_read_rules(&gate->gate, str_of(path), (pprofc_str){data, size}, &reason);
  return gate_failed(gate, status, &reason, error);
}

pprofc_status pprofc_gate_read_comparison(pprofc_gate *gate, const char *path, const void *data,
                                          size_t size, pprofc_error *error) {
  pprofc_status status = gate_check_open(gate, error);
  if (status) return status;
  struct gate *g = &gate->gate;
  pprofc_str name = arena_str(&g->arena, str_of(path));
  pprofc_str text = arena_str(&g->arena, (pprofc_str){data, size});
  pprofc_error reason;
  if (!name.data || !text.data) return gate_failed(gate, error_nomem(&reason), &reason, error);
  g->inputs++;
  status = gate_read_tables(g, name, text, &reason);
  return gate_failed(gate, status, &reason, error);
}

static const char *gate_side_label(pprofc_gate_side side) {
  return side == PPROFC_GATE_BASE ? "base" : "head";
}

/* Creates the set of raw results on first use. */
static pprofc_status gate_open_side(pprofc_gate *gate, pprofc_gate_side side, pprofc_error *error) {
  pprofc_status status = gate_check_open(gate, error);
  if (status) return status;
  if (side != PPROFC_GATE_BASE && side != PPROFC_GATE_HEAD)
    return error_set(error, PPROFC_E_INVALID, "unknown side %d of the gate", (int)side);
  if (!gate->set) gate->set = pprofc_bench_new(&gate->mem);
  if (!gate->set) return error_nomem(error);
  gate->gate.inputs++;
  gate->set->process++;
  return PPROFC_OK;
}

pprofc_status pprofc_gate_read_memory(pprofc_gate *gate, pprofc_gate_side side, const char *path,
                                      const void *data, size_t size, pprofc_error *error) {
  pprofc_status status = gate_open_side(gate, side, error);
  if (status) return status;
  pprofc_error reason;
  (void)gate_scan_failures(&gate->gate, str_of(path), (pprofc_str){data, size});
  status = pprofc_bench_read(gate->set, gate_side_label(side), path, data, size, &reason);
  return gate_failed(gate, status, &reason, error);
}

pprofc_status pprofc_gate_read_file(pprofc_gate *gate, pprofc_gate_side side, const char *path,
                                    pprofc_error *error) {
  pprofc_status status = gate_open_side(gate, side, error);
  if (status) return status;
  pprofc_error reason;
  status = gate_read_run(&gate->gate, gate->set, gate_side_label(side), path, &reason);
  return gate_failed(gate, status, &reason, error);
}

/* ---- sets -------------------------------------------- */

/* State while the results of a set are copied input by input. */
struct gate_set_copy {
  const pprofc_bench *from;
  pprofc_bench *to;
  size_t result, message; /* indices of the next result and of the next message to copy */
};

static void gate_copy_config(const pprofc_bench *from, uint32_t config, struct bench_sink *sink) {
  const struct bench_config *c = &from->configs[config];
  sink_config_clear(sink);
  for (uint32_t i = 0; i < c->count; i++) {
    struct bench_pair pair = from->pairs[c->first + i];
    sink_config(sink, set_string(from, pair.key), set_string(from, pair.value));
  }
}

static void gate_copy_result(const pprofc_bench *from, const pprofc_bench_result *r,
                             struct bench_sink *sink) {
  pprofc_str name = set_string(from, r->name);
  sink_result(sink, name, r->iterations, r->line);
  if (set_is_threaded(from, name)) sink_threads(sink);
  for (size_t v = r[0].first_value; v < r[1].first_value; v++)
    sink_value(sink, from->values[v], pprofc_bench_unit(from, from->value_unit[v]));
}

/* Copies an input. Its results begin at copy->result, and its messages at copy->message. */
static pprofc_status gate_copy_input(struct gate_set_copy *copy, size_t input, const char *label,
                                     pprofc_error *error) {
  const pprofc_bench *from = copy->from;
  struct bench_sink sink;
  uint32_t config = MAP_NONE;
  copy->to->process++;
  sink_open(&sink, copy->to, str_of(label), pprofc_bench_input_path(from, input));
  if (sink.status == PPROFC_OK && from->inputs[input].debug) sink_debug_build(&sink);
  for (size_t i = 0; i < from->metadata_count && sink.status == PPROFC_OK; i++) {
    const struct bench_metadata *m = &from->metadata[i];
    sink_metadata(&sink, set_string(from, m->unit), set_string(from, m->key),
                  set_string(from, m->value), 0);
  }
  for (; copy->result < from->result_count && sink.status == PPROFC_OK; copy->result++) {
    const pprofc_bench_result *r = &from->results[copy->result];
    if (r->input != input) break;
    if (r->config != config) gate_copy_config(from, r->config, &sink);
    config = r->config;
    gate_copy_result(from, r, &sink);
  }
  for (; copy->message < from->message_count && sink.status == PPROFC_OK; copy->message++) {
    const pprofc_bench_message *m = &from->messages[copy->message];
    if (m->input != input) break;
    sink_message(&sink, m->line, "%.*s", STR_ARG(m->text));
  }
  return sink_close(&sink, error);
}

pprofc_status pprofc_gate_read_set(pprofc_gate *gate, pprofc_gate_side side,
                                   const pprofc_bench *set, pprofc_error *error) {
  if (set->keep_units)
    return error_set(error, PPROFC_E_INVALID, "the gate needs results in tidied units");
  pprofc_status status = gate_open_side(gate, side, error);
  if (status) return status;
  pprofc_error reason;
  struct gate_set_copy copy = {.from = set, .to = gate->set};
  for (size_t i = 0; i < set->input_count && !status; i++)
    status = gate_copy_input(&copy, i, gate_side_label(side), &reason);
  return gate_failed(gate, status, &reason, error);
}

/* ---- judging ----------------------------------------- */

static pprofc_gate_row gate_public_row(const struct gate_row *row) {
  return (pprofc_gate_row){
      .group = row->group,
      .name = row->name,
      .unit = row->unit,
      .file = row->file,
      .line = row->line,
      .direction = row->direction,
      .in_base = row->in_base,
      .in_head = row->in_head,
      .base_count = row->base_count,
      .head_count = row->head_count,
      .base = row->base,
      .head = row->head,
      .effect = row->delta,
      .low = row->low,
      .high = row->high,
      .tested = row->tested,
      .test = row->test,
      .p = row->p,
      .adjusted = row->adjusted,
      .verdict = row->verdict,
      .significant = gate_is_significant(row),
      .threshold = row->threshold,
      .alpha = row->alpha,
      .visible_effect = row->visible,
  };
}

static pprofc_status gate_make_rows(pprofc_gate *gate, pprofc_error *error) {
  gate->rows = mem_array(&gate->mem, gate->gate.row_count, sizeof *gate->rows);
  if (!gate->rows) return error_nomem(error);
  gate->row_count = gate->gate.row_count;
  for (size_t i = 0; i < gate->gate.row_count; i++)
    gate->rows[i] = gate_public_row(&gate->gate.rows[i]);
  return PPROFC_OK;
}

pprofc_status pprofc_gate_judge(pprofc_gate *gate, pprofc_error *error) {
  pprofc_status status = gate_check_open(gate, error);
  if (status) return status;
  gate->closed = true;
  if (gate->set) status = gate_read_raw_and_free(&gate->gate, gate->set, error);
  if (!status) status = gate_judge(&gate->gate, gate->today, error);
  if (!status) status = gate_make_rows(gate, error);
  gate->judged = status == PPROFC_OK;
  return status;
}

/* ---- results ----------------------------------------- */

const pprofc_gate_row *pprofc_gate_rows(const pprofc_gate *gate, size_t *count) {
  *count = gate->row_count;
  return gate->rows;
}

pprofc_gate_totals pprofc_gate_totals_of(const pprofc_gate *gate) {
  const struct gate *g = &gate->gate;
  return (pprofc_gate_totals){
      .compared = g->compared,
      .significant = g->significant,
      .regressed = g->regressed,
      .improved = g->improved,
      .suspicious = g->suspicious,
      .accepted = g->accepted,
      .missing = g->missing,
      .inconclusive = g->inconclusive,
      .problems = g->problem_count,
  };
}

int pprofc_gate_exit_status(const pprofc_gate *gate) {
  return gate->judged ? gate_exit_status(&gate->gate) : 1;
}

pprofc_str pprofc_gate_problems(const pprofc_gate *gate) {
  return buffer_str(&gate->gate.problems);
}

pprofc_str pprofc_gate_warnings(const pprofc_gate *gate) {
  return buffer_str(&gate->gate.warnings);
}

pprofc_status pprofc_gate_print(const pprofc_gate *gate, const char *format, bool all,
                                pprofc_write_fn write, void *context, pprofc_error *error) {
  const struct gate_format *found = gate_format_find(str_of(format));
  if (!found)
    return error_set(error, PPROFC_E_INVALID, "unknown gate format \"%s\"", format ? format : "");
  if (!gate->judged) return error_set(error, PPROFC_E_INVALID, "the gate is not judged yet");
  struct output out;
  struct buffer text = buffer_make(&gate->mem, SIZE_MAX / 2);
  found->print(&text, &gate->gate, all);
  pprofc_status status = text.failed ? error_nomem(error) : PPROFC_OK;
  if (!status) {
    output_init(&out, write, context);
    output_add_str(&out, buffer_str(&text));
    status = output_flush(&out, error);
  }
  buffer_free(&text);
  return status;
}
