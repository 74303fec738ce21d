/* Makes samples from each part of callgrind's output, with labels and comments. */
#include "import/callgrind/reader.h"

void callgrind_start_part(struct callgrind_reader *r) {
  r->columns[0] = LINE;
  r->column_count = 1;
  r->event_count = 0;
  r->thread = r->part = r->benchmark = STR("");
  memset(r->sums, 0, sizeof r->sums);
  memset(r->position, 0, sizeof r->position);
  memset(r->last, 0, sizeof r->last);
  r->object = r->file = r->inlined = 0;
  r->function = r->called_object = r->called_file = NONE;
  r->has_called = r->in_body = r->has_totals = false;
  r->expect = COST;
}

static size_t add_label(struct callgrind_reader *r, const char *key, pprofc_str value,
                        struct label *label) {
  *label = (struct label){.key = builder_string(r->builder, str_of(key)),
                          .string = builder_string(r->builder, value)};
  return 1;
}

/* Counts the benchmarks that have the name of an earlier benchmark. Consecutive parts with equal
 * part numbers belong to threads of one benchmark, and count once. */
static void note_benchmark(struct callgrind_reader *r) {
  pprofc_str number = str_slice(r->part, 0, str_find_char(r->part, '.'));
  size_t known = r->benchmarks.count;
  if (!r->graph.cost_count) return;
  uint32_t index = interner_add(&r->benchmarks, r->benchmark);
  import_need(r->builder, index != MAP_NONE);
  r->repeated += index < known && !str_equal(number, r->last_part);
  r->last_part = number;
}

/* Sets the field `symbol` of each function to the name that reports show. If `exact` is true, this
 * name has no callers: "f" for "f'main". Returns false when out of memory. */
static bool callgrind_name_functions(struct callgrind_reader *r, bool exact) {
  struct callgrind_function *functions = r->graph.functions;
  for (size_t i = 0; i < r->graph.function_count; i++)
    if (exact)
      functions[i].symbol = callgrind_context_symbol(&r->contexts, functions[i].context);
    else if (!callgrind_name_symbol(&r->contexts, functions[i].name, &functions[i].symbol))
      return false;
  return true;
}

static void add_samples(struct callgrind_reader *r, const struct label *labels, size_t count) {
  bool exact = callgrind_exact_may(&r->exact, &r->graph), joined;
  if (!import_need(r->builder, callgrind_name_functions(r, exact))) return;
  r->has_exact |= exact;
  if (exact) {
    callgrind_exact_samples(&r->exact, &r->graph, labels, count);
    return;
  }
  r->has_estimates |= r->graph.call_count > 0;
  callgrind_samples(&r->graph, r->builder, r->options->call_stacks, labels, count, &joined);
  r->joined_parts += joined;
}

void callgrind_finish_part(struct callgrind_reader *r) {
  struct label labels[3];
  size_t count = 0;
  if (r->benchmark.size) {
    count += add_label(r, PPROFC_BENCHMARK, r->benchmark, &labels[count]);
    note_benchmark(r);
  }
  if (r->thread.size) count += add_label(r, "thread", r->thread, &labels[count]);
  if (r->part.size && r->many_parts) count += add_label(r, "part", r->part, &labels[count]);
  if (r->program) callgrind_mapping(&r->graph, r->builder, r->program);
  if (builder_ok(r->builder)) add_samples(r, labels, count);
  r->cut_parts += r->in_body && r->writes_totals && !r->has_totals;
  callgrind_graph_clear(&r->graph);
  r->parts++;
  callgrind_start_part(r);
}

/* ---- comments ---------------------------------------- */

static const char *const exact_notes[] = {
    [PPROFC_STACKS_EDGES] = "stacks are a function and its caller",
    [PPROFC_STACKS_FLAT] = "stacks are single functions",
};

static const char *const stack_notes[] = {
    [PPROFC_STACKS_PROPORTIONAL] = ("stacks are estimated from a call graph: a function's cost is "
                                    "shared among its callers by the cost of their calls"),
    [PPROFC_STACKS_EDGES] =
        "stacks are a function and its caller, estimated from the cost of calls in a call graph",
    [PPROFC_STACKS_FLAT] = "stacks are single functions",
};

void callgrind_add_notes(struct callgrind_reader *r) {
  pprofc_call_stacks stacks = r->has_calls ? r->options->call_stacks : PPROFC_STACKS_FLAT;
  const char *note = r->has_exact && !r->has_estimates ? exact_notes[stacks] : stack_notes[stacks];
  if (note) pprofc_builder_comment(r->builder, note);
  if (r->exact.is_truncated)
    pprofc_builder_comment(r->builder, "callers that callgrind did not keep are [truncated]");
  const struct import_loss losses[] = {
      {r->bad_lines, "line of callgrind's output could not be read",
       "lines of callgrind's output could not be read"},
      {r->unknown_lines, "line of callgrind's output is of an unknown kind",
       "lines of callgrind's output are of an unknown kind"},
      {0}};
  import_account(r->builder, r->lines - r->bad_lines - r->unknown_lines, "lines", losses);
  if (r->wrong_totals)
    import_compare_total(r->builder, r->wrong.event, r->wrong.said, r->wrong.read);
  import_note_count(r->builder, r->wrong_totals,
                    "part of callgrind's output has totals that differ from its lines",
                    "parts of callgrind's output have totals that differ from its lines");
  import_compare_version(r->builder, "callgrind's format", r->version, 1);
  import_note_count(r->builder, r->cut_parts,
                    "part of callgrind's output has no totals: it may be truncated",
                    "parts of callgrind's output have no totals: they may be truncated");
  import_note_count(
      r->builder, r->repeated,
      "part of callgrind's output repeats the name of a benchmark: its costs are added",
      "parts of callgrind's output repeat names of benchmarks: their costs are added");
  import_note_count(
      r->builder, r->joined_parts,
      "part of callgrind's output has too many paths: some costs are shown for one caller only",
      "parts of callgrind's output have too many paths: some costs are shown for one caller only");
}
