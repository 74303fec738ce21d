/* The heaviest stacks of each function. Equal stacks of functions are one stack. */
#include "mcp/paths.h"

#include "core/brief.h"
#include "core/budget.h"
#include "core/escape.h"
#include "graph/number.h"
#include "stacks/stacks.h"
#include "unit/unit.h"

#define PATHS       3 /* paths of each function */
#define PATH_FRAMES 8 /* frames shown of each path */
#define PATH_NAME   60

struct heavy_path {
  int64_t value, size; /* size: its magnitude, 0 for an unused entry */
  uint32_t stack, depth;
  uint32_t frames[PATH_FRAMES]; /* the last ones, root first */
};

struct paths {
  const pprofc_allocator *mem;
  struct stack_frames frames;
  struct heavy_path (*of)[PATHS]; /* [frames] largest first */
  pprofc_str unit;
};

void paths_free(struct paths *p) {
  if (!p) return;
  mem_free(p->mem, p->of, p->frames.count, sizeof *p->of);
  stack_frames_free(&p->frames);
  mem_free(p->mem, p, 1, sizeof *p);
}

/* Puts a stack into its place. A stack in which the function recurs comes several times. */
static void paths_take(struct heavy_path of[PATHS], const struct heavy_path *path) {
  size_t at = PATHS - 1;
  for (size_t i = 0; i < PATHS; i++)
    if (of[i].size && of[i].stack == path->stack) return;
  for (; at && of[at - 1].size < path->size; at--) of[at] = of[at - 1];
  of[at] = *path;
}

static bool paths_collect(struct paths *p, const struct stack_set *set, size_t type,
                          uint32_t *frames) {
  for (size_t i = 0; i < set->count; i++) {
    struct heavy_path path = {.stack = (uint32_t)i};
    size_t depth = stack_set_go_on(set, i, frames);
    path.value = sum_add(stack_head(set, i, type), number_multiply(stack_base(set, i, type), -1));
    path.size = number_abs(path.value);
    path.depth = (uint32_t)depth;
    if (budget_poll(p->mem, i)) return false;
    for (size_t k = 0; k < depth; k++)
      if (path.size > p->of[frames[k]][PATHS - 1].size) paths_take(p->of[frames[k]], &path);
  }
  return true;
}

/* Reads the frames of the stacks that were found. */
static void paths_read(struct paths *p, const struct stack_set *set, uint32_t *frames) {
  for (size_t f = 0; f < p->frames.count; f++)
    for (size_t i = 0; i < PATHS && p->of[f][i].size; i++) {
      struct heavy_path *path = &p->of[f][i];
      size_t depth = stack_set_read(set, path->stack, frames);
      size_t shown = depth < PATH_FRAMES ? depth : PATH_FRAMES;
      memcpy(path->frames, frames + depth - shown, shown * sizeof *frames);
    }
}

static pprofc_status paths_find(struct paths *p, const pprofc_profile *profile, size_t type,
                                pprofc_error *error) {
  struct stack_set set;
  const struct stack_policy policy = {.inlines = true, .function = true};
  pprofc_status status = stack_frames_build(profile, &policy, p->mem, &p->frames, error);
  if (!status) status = stack_set_build(&p->frames, NULL, p->mem, &set, error);
  if (status) return status;
  uint32_t *frames = mem_array(p->mem, set.max_depth + 1, sizeof *frames);
  p->of = mem_zero_array(p->mem, p->frames.count, sizeof *p->of);
  if (!frames || !p->of || !paths_collect(p, &set, type, frames))
    status = error_nomem(error);
  else
    paths_read(p, &set, frames);
  mem_free(p->mem, frames, set.max_depth + 1, sizeof *frames);
  stack_set_free(&set);
  return status;
}

pprofc_status paths_new(const pprofc_profile *profile, size_t value_index,
                        const pprofc_allocator *mem, struct paths **paths, pprofc_error *error) {
  struct paths *p = mem_zero_array(mem, 1, sizeof *p);
  *paths = NULL;
  if (!p) return error_nomem(error);
  p->mem = mem;
  p->unit = pprofc_profile_type(profile, value_index).unit;
  pprofc_status status = paths_find(p, profile, value_index, error);
  if (status) {
    paths_free(p);
    return budget_status(mem, status, error);
  }
  *paths = p;
  return PPROFC_OK;
}

/* Appends a path: its last frames, from the root to the leaf. */
static void paths_put_one(const struct paths *p, const struct heavy_path *path, struct buffer *to) {
  char text[UNIT_LABEL_MAX];
  size_t shown = path->depth < PATH_FRAMES ? path->depth : PATH_FRAMES;
  buffer_printf(to, "%10.*s  ", STR_ARG(unit_label(path->value, p->unit, STR("auto"), text)));
  if (path->depth > shown) buffer_add_text(to, "... > ");
  for (size_t i = 0; i < shown; i++) {
    struct buffer name;
    buffer_init(&name, &mem_default, SIZE_MAX);
    brief_shorten(&name, p->frames.items[path->frames[i]].name, PATH_NAME);
    if (i) buffer_add_text(to, " > ");
    escape_terminal(to, buffer_str(&name), false);
    buffer_free(&name);
  }
  buffer_add_char(to, '\n');
}

void paths_put(const struct paths *p, pprofc_str function, struct buffer *to) {
  size_t shown = 0;
  for (size_t f = 0; f < p->frames.count; f++) {
    if (!str_equal(p->frames.items[f].name, function)) continue;
    for (size_t i = 0; i < PATHS && p->of[f][i].size; i++) {
      if (!shown++) buffer_add_text(to, "heaviest paths, root first:\n");
      paths_put_one(p, &p->of[f][i], to);
    }
  }
}
