/* Prints the gate's result as annotations of GitHub Actions, followed by the report as text. */
#include "gate/print/print.h"

/* Maximum number of errors, and of warnings, that GitHub shows as annotations. */
#define ERRORS_MAX   10
#define WARNINGS_MAX 10

static void put_annotation(struct buffer *out, const struct gate *gate, const struct gate_row *row,
                           const char *level) {
  struct buffer text = buffer_make(gate->mem, SIZE_MAX / 2);
  buffer_printf(out, "::%s ", level);
  if (row->text.size) {
    buffer_add_text(out, "file=");
    escape_command(out, row->file, true);
    buffer_printf(out, ",line=%zu,", row->line);
  }
  buffer_add_text(out, "title=");
  buffer_printf(&text, "%s: %.*s", gate_row_verdict(row), STR_ARG(row->name));
  escape_command(out, buffer_str(&text), true);
  buffer_add_text(out, "::");
  buffer_clear(&text);
  buffer_printf(&text, "%.*s %.*s ", STR_ARG(row->name), STR_ARG(row->unit));
  if (row->in_base && row->in_head) gate_print_effect(&text, gate, row);
  gate_print_remarks(&text, gate, row);
  escape_command(out, buffer_str(&text), false);
  buffer_add_char(out, '\n');
  out->failed |= text.failed;
  buffer_free(&text);
}

static void github_put_problems(struct buffer *out, const struct gate *gate, size_t *errors) {
  pprofc_str rest = buffer_str(&gate->problems), line;
  while (str_next_line(&rest, &line)) {
    if (!line.size || ++*errors >= ERRORS_MAX) continue;
    buffer_add_text(out, "::error title=no result::");
    escape_command(out, line, false);
    buffer_add_char(out, '\n');
  }
}

void gate_print_github(struct buffer *out, const struct gate *gate, bool all) {
  size_t errors = 0, warnings = 0;
  github_put_problems(out, gate, &errors);
  for (size_t i = 0; i < gate->row_count; i++) {
    pprofc_gate_verdict verdict = gate->rows[i].verdict;
    bool warns = verdict == PPROFC_GATE_MISSING || verdict == PPROFC_GATE_SUSPICIOUS ||
                 verdict == PPROFC_GATE_INCONCLUSIVE || verdict == PPROFC_GATE_TOO_FEW ||
                 verdict == PPROFC_GATE_UNMEASURED;
    if (verdict == PPROFC_GATE_REGRESSED && ++errors < ERRORS_MAX)
      put_annotation(out, gate, &gate->rows[i], "error");
    if (warns && warnings++ < WARNINGS_MAX) put_annotation(out, gate, &gate->rows[i], "warning");
  }
  if (errors >= ERRORS_MAX)
    buffer_printf(out, "::error title=benchmarks::%zu regressed, %zu problems; not all are shown\n",
                  gate->regressed, gate->problem_count);
  gate_print_text(out, gate, all);
}
