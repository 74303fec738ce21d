/* Converts the location ids of samples to name ids, one sample at a time. */
#include "verdict/walk.h"

void names_init(struct names *names, const pprofc_allocator *mem, const struct rules *rules) {
  *names = (struct names){.mem = mem, .rules = rules};
  arena_init(&names->arena, mem);
  interner_init(&names->texts, mem);
}

void names_free(struct names *names) {
  ARRAY_FREE(names->mem, names->flags, names->flag_capacity);
  interner_free(&names->texts);
  arena_free(&names->arena);
}

/* Returns the id of a text. If the text is new, adds it with the flags (rules_flags) of the
 * function `function`. */
static uint32_t names_add_of(struct names *names, pprofc_str text, pprofc_str function) {
  size_t before = names->texts.count;
  uint32_t id = interner_copy(&names->texts, &names->arena, text);
  if (id == MAP_NONE || names->texts.count == before) return id;
  if (!ARRAY_RESERVE(names->mem, names->flags, names->flag_capacity, names->texts.count))
    return MAP_NONE;
  names->flags[id] = (uint8_t)rules_flags(names->rules, function);
  return id;
}

uint32_t names_add(struct names *names, pprofc_str name) {
  return names_add_of(names, name, name);
}

/* Returns the id of the name of a line. Adds the name if it is new. */
static uint32_t names_add_line(struct names *names, const pprofc_profile *p,
                               const struct line *line) {
  pprofc_str function = profile_string(p, p->functions.name[line->function]);
  pprofc_str file = profile_string(p, p->functions.filename[line->function]);
  struct buffer text = buffer_make(names->mem, SIZE_MAX);
  buffer_add_str(&text, function);
  buffer_add_char(&text, '\n');
  buffer_add_str(&text, file);
  buffer_printf(&text, ":%lld", (long long)line->line);
  uint32_t id = text.failed ? MAP_NONE : names_add_of(names, buffer_str(&text), function);
  buffer_free(&text);
  return id;
}

static size_t walk_ids(const struct walk *walk) {
  const struct locations *l = &walk->profile->locations;
  if (!walk->names->lines) return walk->profile->functions.count;
  return l->count ? l->line_from[l->count] : 0;
}

/* Prepares a walk that starts before the first sample. Adds the names of the profile's functions,
 * or of its lines, to `names`. The caller frees `walk`, even after an error. */
static pprofc_status walk_init(struct walk *walk, const pprofc_profile *p, size_t value,
                               bool inlines, struct names *names, pprofc_error *error) {
  *walk = (struct walk){
      .profile = p, .names = names, .quantum = quantum_of(p, value), .inlines = inlines};
  walk->ids = mem_array(&p->mem, walk_ids(walk), sizeof *walk->ids);
  walk->path = mem_array(&p->mem, p->samples.max_depth, sizeof *walk->path);
  walk->opened = walk->ids && walk->path && delta_init(&walk->delta, &p->mem, &p->samples, 0);
  if (!walk->opened) return error_nomem(error);
  for (size_t i = 0; i < walk_ids(walk); i++) {
    const struct line *line = names->lines ? &p->locations.lines[i] : NULL;
    bool lacks = line && line->function >= p->functions.count;
    if (lacks) continue;
    walk->ids[i] = line ? names_add_line(names, p, line)
                        : names_add(names, profile_string(p, p->functions.name[i]));
    if (walk->ids[i] == MAP_NONE) return error_nomem(error);
  }
  return PPROFC_OK;
}

static void walk_free(struct walk *walk) {
  if (!walk->profile) return;
  const pprofc_allocator *mem = &walk->profile->mem;
  mem_free(mem, walk->ids, walk_ids(walk), sizeof *walk->ids);
  mem_free(mem, walk->path, walk->profile->samples.max_depth, sizeof *walk->path);
  mem_free(mem, walk->room, walk->room_size, sizeof *walk->room);
  if (walk->opened) delta_free(&walk->delta, mem);
  *walk = (struct walk){.profile = NULL};
}

void walk_restart(struct walk *walk) {
  walk->next = walk->path_depth = 0;
  delta_restart(&walk->delta, 0);
}

/* ---- one stack --------------------------------------- */

/* Makes space for `more` frames at the start of `room`. The frames stay at its end. */
static bool walk_reserve(struct walk *walk, size_t depth, size_t more) {
  const pprofc_allocator *mem = &walk->profile->mem;
  if (walk->room_size - depth >= more) return true;
  size_t size = array_capacity(walk->room_size, depth + more);
  uint32_t *room = mem_array(mem, size, sizeof *room);
  if (!room) return false;
  if (depth)
    memcpy(room + size - depth, walk->room + walk->room_size - depth, depth * sizeof *room);
  mem_free(mem, walk->room, walk->room_size, sizeof *room);
  walk->room = room;
  walk->room_size = size;
  return true;
}

/* Adds a location at the leaf end of the path: a frame for each function, the caller first. */
static bool walk_push(struct walk *walk, struct fresh_frame fresh) {
  const struct locations *l = &walk->profile->locations;
  uint32_t from = l->line_from[fresh.location], end = l->line_from[fresh.location + 1];
  size_t depth = walk->path_depth ? walk->path[walk->path_depth - 1].frames : 0;
  if (!walk->inlines && from < end) from = end - 1;
  if (!walk_reserve(walk, depth, end - from)) return false;
  for (uint32_t i = end; i-- > from;) {
    uint32_t function = l->lines[i].function;
    if (function < walk->profile->functions.count)
      walk->room[walk->room_size - ++depth] = walk->ids[walk->names->lines ? i : function];
  }
  walk->path[walk->path_depth++] = (struct walk_step){fresh.offset, depth};
  return true;
}

/* Removes folded frames (NAME_FOLDED) from the leaf end of the stack. Keeps at least one frame. */
static void walk_fold(struct walk *walk) {
  while (walk->depth > 1 && walk->names->flags[*walk->frames] & NAME_FOLDED) {
    walk->frames++;
    walk->depth--;
  }
}

/* Changes the path to the stack of a sample. Reads only frames that the previous stack lacks. */
static bool walk_read(struct walk *walk, size_t sample) {
  struct stack_delta *delta = &walk->delta;
  delta_next(delta, sample);
  while (walk->path_depth && walk->path[walk->path_depth - 1].offset > delta->shared)
    walk->path_depth--;
  for (size_t k = delta->count; k-- > 0;)
    if (!walk_push(walk, delta->fresh[k])) return false;
  walk->depth = walk->path_depth ? walk->path[walk->path_depth - 1].frames : 0;
  if (!walk->depth) return true;
  walk->frames = walk->room + walk->room_size - walk->depth;
  walk_fold(walk);
  return true;
}

bool walk_next(struct walk *walk) {
  const struct samples *s = &walk->profile->samples;
  size_t types = walk->profile->type_count;
  while (walk->next < s->count && !walk->failed) {
    size_t sample = walk->next++;
    walk->values = s->values + sample * types;
    if (walk->values[walk->quantum.value] == 0) continue;
    walk->failed = !walk_read(walk, sample);
    if (!walk->failed && walk->depth) return true;
  }
  return false;
}

/* ---- the call tree ---------------------------------- */

static uint32_t tree_child(struct call_tree *tree, uint32_t parent, uint32_t name) {
  uint64_t hash = hash_mix(hash_mix(0, parent), name);
  MAP_FIND(index, &tree->map, hash,
           tree->nodes[index].parent == parent && tree->nodes[index].name == name);
  if (index != MAP_NONE) return index;
  const struct tree_node node = {.parent = parent,
                                 .name = name,
                                 .first_child = MAP_NONE,
                                 .next = tree->nodes[parent].first_child};
  index = (uint32_t)tree->count;
  bool added = index < MAP_NONE && MAP_PUSH(tree->mem, &tree->map, hash, tree->nodes, tree->count,
                                            tree->capacity, node);
  if (!added) return MAP_NONE;
  tree->nodes[parent].first_child = index;
  return index;
}

bool tree_init(struct call_tree *tree, const pprofc_allocator *mem) {
  *tree = (struct call_tree){.mem = mem};
  map_init(&tree->map, mem);
  if (!ARRAY_RESERVE(mem, tree->nodes, tree->capacity, 1)) return false;
  tree->nodes[tree->count++] = (struct tree_node){MAP_NONE, MAP_NONE, MAP_NONE, MAP_NONE};
  return true;
}

void tree_free(struct call_tree *tree) {
  ARRAY_FREE(tree->mem, tree->nodes, tree->capacity);
  map_free(&tree->map);
}

uint32_t tree_reach(struct call_tree *tree, const struct walk *walk) {
  uint32_t node = TREE_ROOT;
  for (size_t i = walk->depth; i-- > 0 && node != MAP_NONE;)
    node = tree_child(tree, node, walk->frames[i]);
  return node;
}

/* ---- sums of a run ---------------------------------- */

/* True if the leaf belongs to the environment (code such as the kernel, walk.h). Also true if the
 * stack contains a function with NAME_MACHINE, because its callees also belong to the environment.
 */
static bool run_is_machine(const struct walk *walk) {
  if (walk->names->flags[walk->frames[0]] & NAME_ENVIRONMENT) return true;
  for (size_t i = 0; i < walk->depth; i++)
    if (walk->names->flags[walk->frames[i]] & NAME_MACHINE) return true;
  return false;
}

static void run_add_sample(struct run *run, size_t stamp) {
  const struct walk *walk = &run->walk;
  double value = (double)walk->values[walk->quantum.value] * run->scale;
  double noise = value * (quantum_of_sample(&walk->quantum, walk->values) * run->scale);
  struct run_cell *leaf = &run->cells[walk->frames[0]];
  bool machine = run_is_machine(walk);
  run->has_machine |= machine;
  run->total += value;
  run->noise += noise;
  leaf->flat += value;
  leaf->flat_noise += noise;
  for (size_t i = 0; i < walk->depth; i++) {
    struct run_cell *cell = &run->cells[walk->frames[i]];
    if (cell->seen == stamp) continue;
    cell->seen = stamp;
    cell->cum += value;
    cell->cum_noise += noise;
    if (machine) cell->machine += value;
  }
}

/* Returns the sum of all samples, including samples without a function. */
static double run_whole(const struct run *run, size_t value) {
  const struct samples *s = &run->profile->samples;
  double sum = 0;
  for (size_t i = 0; i < s->count; i++)
    sum += (double)s->values[i * run->profile->type_count + value] * run->scale;
  return sum;
}

/* Rejects negative values, because they have no sampling variance. Negative values occur in
 * differences and in damaged files. */
static pprofc_status run_check(const struct walk *walk, pprofc_error *error) {
  if (walk->values[walk->quantum.value] >= 0 && walk->values[0] >= 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "negative values cannot be judged: the profile is a difference already");
}

pprofc_status run_sum(struct run *run, size_t value, bool inlines, struct names *names,
                      pprofc_error *error) {
  const pprofc_allocator *mem = &run->profile->mem;
  pprofc_status status = walk_init(&run->walk, run->profile, value, inlines, names, error);
  if (status) return status;
  run->cells = mem_zero_array(mem, names->texts.count, sizeof *run->cells);
  if (!run->cells) return error_nomem(error);
  run->cell_count = names->texts.count;
  run->whole = run_whole(run, value);
  for (size_t stamp = 1; !status && walk_next(&run->walk); stamp++) {
    status = run_check(&run->walk, error);
    if (!status) run_add_sample(run, stamp);
  }
  return run->walk.failed ? error_nomem(error) : status;
}

void run_free(struct run *run) {
  if (!run->profile) return;
  mem_free(&run->profile->mem, run->cells, run->cell_count, sizeof *run->cells);
  walk_free(&run->walk);
  pprofc_profile_release(run->profile);
  *run = (struct run){.profile = NULL};
}
