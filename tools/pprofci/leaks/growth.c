/* Creates folded stacks and profiles of the growth of leaks. */
#include "leaks/command.h"

#include "pprofc/builder.h"
#include "run/profiles.h"

/* Callback that receives a stack that grew, and its growth of at least 1. */
typedef void growth_fn(void *to, const struct leak_kind *kind, const struct leak_stack *stack,
                       double grew);

static void growth_take(const struct leak_kind *kind, const struct leak_stack *stack,
                        growth_fn *take, void *to) {
  const struct leak_cell *cells = stack->cells + kind->left_out;
  const struct leak_cell *first = &cells[0], *last = &cells[kind->judged - 1];
  double grew = kind->stacks.source.proves ? last->value : last->value - first->value;
  if (grew >= 1) take(to, kind, stack, grew);
}

/* The stacks of each allocation site, as linked lists of indices. MAP_NONE ends a list. */
struct growth_sites {
  uint32_t *first; /* for each place in the code, index of the first stack that allocates there */
  uint32_t *next;  /* for each stack, index of the next stack that allocates at the same place */
};

static struct growth_sites growth_find_sites(const struct leak_collection *stacks,
                                             struct arena *arena) {
  struct growth_sites sites = {
      .first = arena_array(arena, stacks->place_keys.count, sizeof *sites.first),
      .next = arena_array(arena, stacks->stack_count, sizeof *sites.next)};
  for (size_t i = 0; i < stacks->place_keys.count; i++) sites.first[i] = MAP_NONE;
  for (size_t i = stacks->stack_count; i-- > 0;) {
    const struct leak_stack *stack = &stacks->stacks[i];
    if (stack->ignored || !stack->depth) continue;
    uint32_t *first = &sites.first[stack->places[stack->where]];
    sites.next[i] = *first;
    *first = (uint32_t)i;
  }
  return sites;
}

/* Visits each stack that leaks, and each stack that allocates at a leaking site (a place in the
 * code). */
static void growth_each(const struct leak_kind *kind, growth_fn *take, void *to) {
  const struct leak_collection *stacks = &kind->stacks;
  struct arena arena = ci_arena();
  const struct growth_sites sites = growth_find_sites(stacks, &arena);
  for (size_t i = 0; i < kind->row_count; i++) {
    const struct leak_row *row = &kind->rows[i];
    if (row->fit.verdict != LEAK_LEAK) continue;
    if (!row->is_site) growth_take(kind, row->stack, take, to);
    uint32_t k = row->is_site ? sites.first[row->stack->places[row->stack->where]] : MAP_NONE;
    for (; k != MAP_NONE; k = sites.next[k]) growth_take(kind, &stacks->stacks[k], take, to);
  }
  arena_free(&arena);
}

/* Writes a name. Replaces ';', which separates frames, and control characters by '_'. */
static void leaks_fold_name(struct output *out, pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    bool separates = name.data[i] == ';' || (unsigned char)name.data[i] < ' ';
    output_add_char(out, separates ? '_' : name.data[i]);
  }
}

static void leaks_fold(void *to, const struct leak_kind *kind, const struct leak_stack *stack,
                       double grew) {
  struct output *out = to;
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

pprofc_status leaks_print_folded(const void *context, struct output *out, pprofc_error *error) {
  const struct leaks *leaks = context;
  (void)error;
  for (size_t k = 0; k < leaks->kind_count; k++) growth_each(&leaks->kinds[k], leaks_fold, out);
  return PPROFC_OK;
}

#define GROWTH_MOST 9e18 /* maximum value of a sample */

struct leaks_builder {
  pprofc_builder *builder;
  uint32_t *frames; /* array for the frames of the deepest stack */
  size_t count;
};

static void leaks_add_place(struct leaks_builder *g, const struct leak_place *place) {
  for (size_t k = 0; k < place->count; k++) {
    const struct leak_frame *frame = &place->frames[k];
    const pprofc_function function = {.name = frame->function, .filename = frame->file};
    pprofc_line line = {pprofc_builder_add_function(g->builder, &function), frame->line, 0};
    g->frames[g->count++] = pprofc_builder_location(g->builder, PPROFC_NONE, 0, &line, 1);
  }
}

static void leaks_add_stack(void *to, const struct leak_kind *kind, const struct leak_stack *stack,
                            double grew) {
  struct leaks_builder *g = to;
  int64_t value = (int64_t)round(fmin(grew, GROWTH_MOST));
  g->count = 0;
  for (size_t i = 0; i < stack->depth; i++)
    leaks_add_place(g, &kind->stacks.places[stack->places[i]]);
  pprofc_builder_sample(g->builder, g->frames, g->count, &value);
}

static size_t growth_depth(const struct leak_kind *kind) {
  size_t most = 0;
  for (size_t i = 0; i < kind->stacks.stack_count; i++) {
    const struct leak_stack *stack = &kind->stacks.stacks[i];
    size_t frames = 0;
    for (size_t k = 0; k < stack->depth; k++) frames += kind->stacks.places[stack->places[k]].count;
    if (frames > most) most = frames;
  }
  return most;
}

void leaks_draw_growth(const struct leak_kind *kind, struct arena *arena, pprofc_str *packed) {
  struct leaks_builder g = {.builder = pprofc_builder_new(&ci_mem)};
  pprofc_profile *profile;
  pprofc_report_options options;
  char unit[64];
  pprofc_report_options_init(&options);
  options.title = "growth";
  snprintf(unit, sizeof unit, "%.*s", STR_ARG(str_slice(kind->stacks.source.unit, 0, 60)));
  g.frames = arena_array(arena, growth_depth(kind), sizeof *g.frames);
  pprofc_builder_type(g.builder, "growth", unit);
  growth_each(kind, leaks_add_stack, &g);
  ci_need(pprofc_builder_finish(g.builder, &profile, &ci_error));
  ci_need(graph_pack(profile, &options, arena, packed, &ci_error));
  pprofc_profile_release(profile);
  pprofc_builder_free(g.builder);
}
