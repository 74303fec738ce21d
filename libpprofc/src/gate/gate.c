/* Implements the gate's rows and the functions shared by readers and printers. */
#include "gate/judge.h"

void gate_init(struct gate *gate, const pprofc_allocator *mem) {
  *gate = (struct gate){.mem = mem};
  arena_init(&gate->arena, mem);
  buffer_init(&gate->problems, mem, 1 << 24);
  buffer_init(&gate->warnings, mem, 1 << 24);
  interner_init(&gate->noise_keys, mem);
  interner_init(&gate->noise_units, mem);
  gate->visible_middle = (double)NAN;
  gate->visible_worst = (double)NAN;
  gate->needed_worst = (double)NAN;
  gate->settings = (struct gate_settings){.threshold = 0.05, .alpha = 0.05, .min_samples = 4};
}

void gate_free(struct gate *gate) {
  ARRAY_FREE(gate->mem, gate->rows, gate->row_capacity);
  buffer_free(&gate->problems);
  buffer_free(&gate->warnings);
  interner_free(&gate->noise_keys);
  interner_free(&gate->noise_units);
  ARRAY_FREE(gate->mem, gate->noise, gate->noise_capacity);
  ARRAY_FREE(gate->mem, gate->settings.rules, gate->settings.rule_capacity);
  ARRAY_FREE(gate->mem, gate->settings.directions, gate->settings.direction_capacity);
  arena_free(&gate->arena);
}

struct gate_row gate_row_unknown(void) {
  return (struct gate_row){
      .tests = {{.base = (double)NAN,
                 .head = (double)NAN,
                 .delta = (double)NAN,
                 .low = (double)NAN,
                 .high = (double)NAN,
                 .p = 1,
                 .adjusted = 1,
                 .test = "none"}},
      .spread = (double)NAN,
      .base_noise = (double)NAN,
      .head_noise = (double)NAN,
      .level = (double)NAN,
      .visible = (double)NAN,
      .needed = (double)NAN,
      .threshold = (double)NAN,
      .rule = SIZE_MAX,
  };
}

/* Successive rows from one line of a file share the escaped copy of the line. */
bool gate_add(struct gate *gate, const struct gate_row *row) {
  struct gate_row clean = *row;
  struct gate_shown *last = &gate->line;
  pprofc_str *const texts[] = {&clean.group, &clean.name, &clean.unit, &clean.file};
  for (size_t i = 0; i < COUNT(texts); i++) {
    *texts[i] = escape_line_keep(*texts[i], &gate->arena);
    if (!texts[i]->data) return false;
  }
  if (!last->clean.data || last->raw.data != row->text.data || last->raw.size != row->text.size)
    *last = (struct gate_shown){row->text, escape_line_keep(row->text, &gate->arena)};
  clean.text = last->clean;
  return clean.text.data &&
         ARRAY_PUSH(gate->mem, gate->rows, gate->row_count, gate->row_capacity, clean);
}

static void note(struct buffer *notes, const char *format, va_list args) {
  char text[2048];
  vsnprintf(text, sizeof text, format, args);
  for (char *c = text; *c; c++)
    if (*c == '\n') *c = ' ';
  escape_line(notes, str_of(text));
  buffer_add_char(notes, '\n');
}

void gate_problem(struct gate *gate, const char *format, ...) {
  va_list args;
  va_start(args, format);
  note(&gate->problems, format, args);
  va_end(args);
  gate->problem_count++;
}

void gate_warning(struct gate *gate, const char *format, ...) {
  va_list args;
  va_start(args, format);
  note(&gate->warnings, format, args);
  va_end(args);
}

bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction) {
  struct gate_settings *s = &gate->settings;
  return ARRAY_PUSH(gate->mem, s->directions, s->direction_count, s->direction_capacity,
                    (struct gate_unit_direction){unit, direction});
}

const char *pprofc_gate_verdict_name(pprofc_gate_verdict verdict) {
  static const char *const names[] = {"unchanged", "improved",      "suspiciously faster",
                                      "regressed", "inconclusive",  "too few samples",
                                      "missing",   "new",           "accepted",
                                      "ignored",   "informational", "not measured",
                                      "not judged"};
  return (unsigned)verdict > PPROFC_GATE_ASIDE ? "unknown" : names[verdict];
}
