/* Converts samples' location ids to name ids, without memory for each sample. */
#include "verdict/walk.h"

#include "core/array.h"
#include "core/buffer.h"

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

/* Returns the id of a text. Adds a new text, with the flags of `function`. */
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
  struct buffer text;
  pprofc_str function = profile_string(p, p->functions.name[line->function]);
  pprofc_str file = profile_string(p, p->functions.filename[line->function]);
  buffer_init(&text, names->mem, SIZE_MAX);
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

pprofc_status walk_init(struct walk *walk, const pprofc_profile *p, size_t value, bool inlines,
                        struct names *names, pprofc_error *error) {
  *walk = (struct walk){.profile = p,
                        .names = names,
                        .quantum = quantum_of(p, value),
                        .inlines = inlines,
                        .reader = stack_reader_at(&p->samples, 0)};
  walk->ids = mem_array(&p->mem, walk_ids(walk), sizeof *walk->ids);
  if (!walk->ids) return error_nomem(error);
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

void walk_free(struct walk *walk) {
  if (!walk->profile) return;
  const pprofc_allocator *mem = &walk->profile->mem;
  mem_free(mem, walk->ids, walk_ids(walk), sizeof *walk->ids);
  ARRAY_FREE(mem, walk->frames, walk->frame_capacity);
  *walk = (struct walk){.profile = NULL};
}

void walk_restart(struct walk *walk) {
  walk->next = 0;
  walk->reader = stack_reader_at(&walk->profile->samples, 0);
}

/* ---- one stack --------------------------------------- */

/* Adds the frames of a location, innermost inlined function first. */
static bool walk_add_location(struct walk *walk, uint32_t location) {
  const struct locations *l = &walk->profile->locations;
  uint32_t from = l->line_from[location], end = l->line_from[location + 1];
  if (from == end) return true;
  if (!walk->inlines) from = end - 1;
  if (walk->frame_capacity - walk->depth < end - from &&
      !ARRAY_RESERVE(&walk->profile->mem, walk->frames, walk->frame_capacity,
                     walk->depth + (end - from)))
    return false;
  for (uint32_t i = from; i < end; i++) {
    uint32_t function = l->lines[i].function;
    if (function < walk->profile->functions.count)
      walk->frames[walk->depth++] = walk->ids[walk->names->lines ? i : function];
  }
  return true;
}

/* Removes folded frames (rules.h) from the leaf end of the stack. Keeps at least one frame. */
static void walk_fold(struct walk *walk) {
  size_t folded = 0;
  while (folded + 1 < walk->depth && walk->names->flags[walk->frames[folded]] & NAME_FOLDED)
    folded++;
  if (!folded) return;
  walk->depth -= folded;
  memmove(walk->frames, walk->frames + folded, walk->depth * sizeof *walk->frames);
}

static bool walk_read(struct walk *walk, size_t sample) {
  struct packed_stack stack = stack_of(&walk->reader, sample);
  uint32_t location;
  walk->depth = 0;
  while (stack_take_leaf(&stack, &location))
    if (!walk_add_location(walk, location)) return false;
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
