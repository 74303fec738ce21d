/* Adds up the samples of base and head by source line. */
#include "profile/stack.h"
#include "profile/sum.h"
#include "report/source/revisions.h"

enum { NAME_UNKNOWN, NAME_WANTED, NAME_OTHER };

struct line_pass {
  struct line_costs *costs;
  const pprofc_profile *profile;
  struct interner names; /* names of functions */
  struct map keys;       /* map from a function and a line number to the index of the line in
                            costs->items */
  uint32_t *name_of;     /* for each function, the id of its name in `names` */
  uint32_t *function_of; /* for each item in costs->items, the index of its function */
  size_t function_capacity;
  uint8_t *known;    /* for each name: NAME_WANTED to add up its lines, NAME_OTHER to ignore them,
                        NAME_UNKNOWN if this is not decided yet */
  uint32_t *counted; /* for each name, 1 + the index of the last sample that was added to one of its
                        lines */
  uint32_t *stack;
  const struct line_costs_choice *choice;
  bool owned; /* true if a line nearer to the leaf owns the current sample (line_costs_owns) */
};

/* Returns the cost of a line. Adds a cost of 0 for a new line. Returns NULL when out of memory. */
static struct line_cost *line_cost_of(struct line_pass *pass, const struct line *line) {
  const pprofc_profile *p = pass->profile;
  struct line_costs *costs = pass->costs;
  uint64_t hash = hash_mix(hash_mix(0, line->function), (uint64_t)line->line);
  MAP_FIND(index, &pass->keys, hash,
           pass->function_of[index] == line->function && costs->items[index].line == line->line);
  if (index != MAP_NONE) return &costs->items[index];
  if (!ARRAY_RESERVE(costs->mem, pass->function_of, pass->function_capacity, costs->count + 1))
    return NULL;
  pass->function_of[costs->count] = line->function;
  const struct line_cost cost = {
      .name = profile_string(p, p->functions.name[line->function]),
      .file = profile_string(p, p->functions.filename[line->function]),
      .line = line->line,
      .start_line = p->functions.start_line ? p->functions.start_line[line->function] : 0,
  };
  bool added =
      MAP_PUSH(costs->mem, &pass->keys, hash, costs->items, costs->count, costs->capacity, cost);
  return added ? &costs->items[costs->count - 1] : NULL;
}

/* Returns the result of choice->owns (line_costs_owns) for a line. Calls choice->owns at most once
 * for each line and side. */
static bool line_owns(const struct line_pass *pass, struct line_cost *cost, enum diff_side side) {
  const struct line_costs_choice *choice = pass->choice;
  if (!choice->owns) return false;
  if (cost->owner[side] == OWNER_UNKNOWN)
    cost->owner[side] = choice->owns(choice->context, side, cost) ? OWNER_YES : OWNER_NOT;
  return cost->owner[side] == OWNER_YES;
}

/* Adds a sample to a line of its stack, unless the sample was already added to a line of the same
 * function. */
static bool count_line(struct line_pass *pass, size_t sample, const struct line *line, bool leaf,
                       int64_t value, enum diff_side side) {
  if (line->function == NONE) return true;
  uint32_t name = pass->name_of[line->function];
  if (pass->known[name] != NAME_WANTED || pass->counted[name] == sample + 1) return true;
  pass->counted[name] = (uint32_t)sample + 1;
  struct line_cost *cost = line_cost_of(pass, line);
  if (!cost) return false;
  cost->cum[side] = sum_add(cost->cum[side], value);
  if (leaf) cost->flat[side] = sum_add(cost->flat[side], value);
  if (!pass->owned) cost->inner[side] = sum_add(cost->inner[side], value);
  pass->owned = pass->owned || line_owns(pass, cost, side);
  return true;
}

static bool count_sample(struct line_pass *pass, struct stack_reader *reader, size_t sample,
                         int64_t value) {
  const pprofc_profile *p = pass->profile;
  enum diff_side side = sample_is_base(p, sample) ? DIFF_BASE : DIFF_HEAD;
  size_t depth = stack_read(reader, sample, pass->stack);
  if (side == DIFF_BASE) value = sum_add(0, (int64_t)(0 - (uint64_t)value));
  bool leaf = true;
  pass->owned = false;
  for (size_t i = 0; value && i < depth; i++) {
    uint32_t from = p->locations.line_from[pass->stack[i]];
    uint32_t to = p->locations.line_from[pass->stack[i] + 1];
    for (uint32_t k = from; k < to; k++, leaf = false)
      if (!count_line(pass, sample, &p->locations.lines[k], leaf, value, side)) return false;
    leaf = false;
  }
  return true;
}

static bool name_functions(struct line_pass *pass, struct arena *arena) {
  const struct line_costs_choice *choice = pass->choice;
  const pprofc_profile *p = pass->profile;
  size_t count = p->functions.count;
  pass->name_of = arena_array(arena, count, sizeof *pass->name_of);
  pass->known = arena_zero_array(arena, count, sizeof *pass->known);
  pass->counted = arena_zero_array(arena, count, sizeof *pass->counted);
  if (!pass->name_of || !pass->known || !pass->counted) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t id = interner_add(&pass->names, profile_string(p, p->functions.name[i]));
    if (id == MAP_NONE) return false;
    pass->name_of[i] = id;
    if (pass->known[id] != NAME_UNKNOWN) continue;
    bool wanted = !choice->want || choice->want(choice->context, pass->names.items[id]);
    pass->known[id] = wanted ? NAME_WANTED : NAME_OTHER;
  }
  return true;
}

static int line_cost_order(const void *a, const void *b) {
  const struct line_cost *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  if (!order) order = str_compare(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

bool line_costs_add_up(struct line_costs *costs, const pprofc_profile *p, size_t type,
                       const struct line_costs_choice *choice, const pprofc_allocator *mem) {
  *costs = (struct line_costs){.mem = mem};
  struct line_pass pass = {.costs = costs, .profile = p, .choice = choice};
  struct arena arena = arena_make(mem);
  interner_init(&pass.names, mem);
  map_init(&pass.keys, mem);
  pass.stack = arena_array(&arena, p->samples.max_depth, sizeof *pass.stack);
  bool room = pass.stack && name_functions(&pass, &arena);
  const struct value_column values = profile_values(p, type);
  struct stack_reader reader = stack_reader_at(&p->samples, 0);
  for (size_t i = 0; room && i < p->samples.count; i++)
    room = !budget_poll(mem, i) && count_sample(&pass, &reader, i, values.values[i * values.step]);
  if (costs->count) qsort(costs->items, costs->count, sizeof *costs->items, line_cost_order);
  arena_free(&arena);
  mem_free(mem, pass.function_of, pass.function_capacity, sizeof *pass.function_of);
  map_free(&pass.keys);
  interner_free(&pass.names);
  return room;
}

void line_costs_free(struct line_costs *costs) {
  if (costs->mem) mem_free(costs->mem, costs->items, costs->capacity, sizeof *costs->items);
}
