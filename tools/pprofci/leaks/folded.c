/* Prints leaks as folded stacks, the input of flame graph tools. */
#include "core/log_guard.h"
#include "leaks/command.h"

#include <math.h>

/* Writes a name. Replaces ';' and line ends, which are separators in this format. */
static void leaks_fold_name(struct output *out, pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    bool separates = name.data[i] == ';' || (unsigned char)name.data[i] < ' ';
    output_add_char(out, separates ? '_' : name.data[i]);
  }
}

static void leaks_fold(const struct leak_kind *kind, const struct leak_stack *stack,
                       struct output *out) {
  const struct leak_cell *cells = stack->cells + kind->left_out;
  const struct leak_cell *first = &cells[0], *last = &cells[kind->judged - 1];
  double grew = kind->stacks.source.proves ? last->value : last->value - first->value;
  if (!(grew >= 1)) return;
  leaks_fold_name(out, kind->stacks.source.kind);
  for (size_t i = stack->depth; i-- > 0;) {
    const struct leak_place *place = &kind->stacks.places[stack->places[i]];
    for (size_t k = place->count; k-- > 0;) {
      output_add_char(out, ';');
      leaks_fold_name(out, place->frames[k].function);
    }
  }
  output_printf(out, " %.0f\n", grew);
}

/* True if the stack belongs to the site of the row. */
static bool leaks_is_of_site(const struct leak_row *row, const struct leak_stack *stack) {
  return !stack->ignored && stack->depth && row->stack->depth &&
         stack->places[stack->where] == row->stack->places[row->stack->where];
}

static void leaks_fold_row(const struct leak_kind *kind, const struct leak_row *row,
                           struct output *out) {
  if (!row->is_site) {
    leaks_fold(kind, row->stack, out);
    return;
  }
  for (size_t i = 0; i < kind->stacks.stack_count; i++)
    if (leaks_is_of_site(row, &kind->stacks.stacks[i]))
      leaks_fold(kind, &kind->stacks.stacks[i], out);
}

pprofc_status leaks_print_folded(const void *context, struct output *out, pprofc_error *error) {
  const struct leaks *leaks = context;
  (void)error;
  for (size_t k = 0; k < leaks->kind_count; k++)
    for (size_t i = 0; i < leaks->kinds[k].row_count; i++)
      if (leaks->kinds[k].rows[i].fit.verdict == LEAK_LEAK)
        leaks_fold_row(&leaks->kinds[k], &leaks->kinds[k].rows[i], out);
  return PPROFC_OK;
}
