/* Compares the benchmark results of two files, prints what changed, and fails on a regression.
 *
 *   cc judge_results.c $(pkg-config --cflags --libs pprofc) -o judge_results
 *   ./judge_results old.txt new.txt */
#include <pprofc/pprofc.h>
#include <stdio.h>
#include <string.h>

static const char rules[] = "{\"threshold\": \"5%\", \"rules\": ["
                            "{\"benchmark\": \"*\", \"unit\": \"sec/op\", \"floor\": \"1ns\"}]}";

static void print_rows(const pprofc_gate *gate) {
  size_t count, i;
  const pprofc_gate_row *rows = pprofc_gate_rows(gate, &count);
  for (i = 0; i < count; i++) {
    const pprofc_gate_row *r = &rows[i];
    if (r->verdict == PPROFC_GATE_UNCHANGED) continue;
    printf("%.*s %.*s %s", (int)r->name.size, r->name.data, (int)r->unit.size, r->unit.data,
           pprofc_gate_verdict_name(r->verdict));
    if (r->tested)
      printf(" %+.1f%% [%+.1f%%, %+.1f%%] p=%.4f", 100 * r->effect, 100 * r->low, 100 * r->high,
             r->adjusted);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  pprofc_gate *gate = NULL;
  pprofc_error error;
  pprofc_status status;
  int exit_status = 1;
  if (argc != 3) return fprintf(stderr, "usage: judge_results OLD NEW\n"), 1;
  status = pprofc_gate_new(NULL, &gate, &error);
  if (status == PPROFC_OK)
    status = pprofc_gate_read_rules(gate, "rules", rules, strlen(rules), &error);
  if (status == PPROFC_OK) status = pprofc_gate_read_file(gate, PPROFC_GATE_BASE, argv[1], &error);
  if (status == PPROFC_OK) status = pprofc_gate_read_file(gate, PPROFC_GATE_HEAD, argv[2], &error);
  if (status == PPROFC_OK) status = pprofc_gate_judge(gate, &error);
  if (status == PPROFC_OK) {
    pprofc_gate_totals totals = pprofc_gate_totals_of(gate);
    pprofc_str problems = pprofc_gate_problems(gate);
    print_rows(gate);
    printf("%.*s%lu compared, %lu significant, %lu regressed, %lu missing\n", (int)problems.size,
           problems.data ? problems.data : "", (unsigned long)totals.compared,
           (unsigned long)totals.significant, (unsigned long)totals.regressed,
           (unsigned long)totals.missing);
    exit_status = pprofc_gate_exit_status(gate);
  } else {
    fprintf(stderr, "judge_results: %s\n", error.message);
  }
  pprofc_gate_free(gate);
  return exit_status;
}
