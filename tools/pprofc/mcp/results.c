/* Implements the tool benchmarks: compares the benchmark results of base and head. */
#include "mcp/mcp.h"

#include "pprofc/bench.h"
#include "pprofc/gate.h"

#define RESULT_FILES 200

struct result_sides {
  struct call *call;
  pprofc_bench *set;
  pprofc_gate *gate;
  pprofc_bench_tables *tables;
};

static pprofc_status results_add(struct result_sides *s, const char *side, bool head,
                                 pprofc_str path, pprofc_error *error) {
  struct buffer data;
  const char *name = arena_str(s->call->arena, path).data;
  pprofc_status status = name ? call_read(s->call, path, &data, error) : error_nomem(error);
  if (!name) return status;
  if (!status) status = pprofc_bench_read(s->set, side, name, data.data, data.size, error);
  if (!status)
    status = pprofc_gate_read_memory(s->gate, head ? PPROFC_GATE_HEAD : PPROFC_GATE_BASE, name,
                                     data.data, data.size, error);
  buffer_free(&data);
  return status;
}

static pprofc_status results_add_side(struct result_sides *s, const char *side, bool head,
                                      pprofc_error *error) {
  const struct node *items[RESULT_FILES];
  size_t count = call_texts(s->call, side, items, RESULT_FILES);
  if (!count) return error_set(error, PPROFC_E_INVALID, "\"%s\" names no file", side);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = results_add(s, side, head, items[i]->text, error);
  return status;
}

static pprofc_status results_render_gate(const void *context, pprofc_write_fn write, void *to,
                                         pprofc_error *error) {
  const struct result_sides *s = context;
  return pprofc_gate_print(s->gate, "text", false, write, to, error);
}

static int results_no_warning(void *context, const void *data, size_t size) {
  (void)context, (void)data, (void)size;
  return 0;
}

static pprofc_status results_render_table(const void *context, pprofc_write_fn write, void *to,
                                          pprofc_error *error) {
  const struct result_sides *s = context;
  return pprofc_bench_print(s->tables, "text", write, to, results_no_warning, NULL, error);
}

/* Returns the rank of a line. A long answer drops the lines with the lowest rank, but never results
 * and problems. */
static int results_rank(pprofc_str line) {
  return str_starts(line, STR("result: ")) || str_starts(line, STR("problem: ")) ? BRIEF_FIXED : 0;
}

static pprofc_status results_show(struct result_sides *s, pprofc_error *error) {
  const struct brief lines = {.kind = BRIEF_LINES, .rank_of = results_rank};
  const struct brief rows = {.kind = BRIEF_ROWS};
  size_t room = call_room(s->call);
  buffer_add_text(&s->call->text, "verdicts:\n");
  pprofc_status status = call_report(s->call, &lines, room / 2, results_render_gate, s, error);
  buffer_add_text(&s->call->text, "\ntable:\n");
  if (!status)
    status = call_report(s->call, &rows, call_room(s->call), results_render_table, s, error);
  return status;
}

/* Fails if the files have no benchmark results, because the answer would otherwise report no
 * change. */
static pprofc_status results_any(const struct result_sides *s, pprofc_error *error) {
  size_t count;
  pprofc_str problem = pprofc_gate_problems(s->gate), line = STR("");
  pprofc_bench_results(s->set, &count);
  if (count) return PPROFC_OK;
  str_next_line(&problem, &line);
  return error_set(error, PPROFC_E_FORMAT, "no benchmark results: %.*s", STR_ARG(line));
}

pprofc_status tool_benchmarks(struct call *call, pprofc_error *error) {
  struct result_sides s = {.call = call};
  pprofc_bench_options options;
  pprofc_gate_options gate_options;
  pprofc_bench_options_init(&options);
  pprofc_gate_options_init(&gate_options);
  gate_options.allocator = budget_allocator(call->budget);
  s.set = pprofc_bench_new(budget_allocator(call->budget));
  pprofc_status status = s.set ? PPROFC_OK : error_nomem(error);
  if (!status) status = pprofc_gate_new(&gate_options, &s.gate, error);
  if (!status) status = results_add_side(&s, "base", false, error);
  if (!status) status = results_add_side(&s, "head", true, error);
  if (!status) status = pprofc_gate_judge(s.gate, error);
  if (!status) status = pprofc_bench_compare(s.set, &options, &s.tables, error);
  if (!status) status = results_any(&s, error);
  if (!status) {
    call_next(call, "compare", "base", "PROFILE OF THE BASE", "head", "PROFILE OF THE HEAD", NULL);
    status = results_show(&s, error);
  }
  pprofc_bench_tables_free(s.tables);
  pprofc_gate_free(s.gate);
  pprofc_bench_free(s.set);
  return status;
}
