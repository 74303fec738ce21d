/* Cuts the leaf ends of stacks at matching functions: drop_frames and keep_frames of the profile,
 * and prune_from (docs/spec/pprof.md, 9 and 13). */
#include "transform/transform.h"

/* Returns the text to match against the expressions: a function name without a leading dot, cut
 * before the first argument list. */
static pprofc_str simple_name(pprofc_str name) {
  static const pprofc_str reserved[] = {{"(anonymous namespace)", 21}, {"operator()", 10}};
  if (name.size && name.data[0] == '.') name = str_slice(name, 1, name.size);
  for (size_t i = 0; i < name.size; i++) {
    pprofc_str rest = str_slice(name, i, name.size);
    if (str_starts(rest, reserved[0]))
      i += reserved[0].size - 1;
    else if (str_starts(rest, reserved[1]))
      i += reserved[1].size - 1;
    else if (name.data[i] == '(')
      return str_slice(name, 0, i);
  }
  return name;
}

/* Effects of a location on stacks. PRUNE_BENEATH removes the frames that the location calls; PRUNE
 * also removes the location. */
enum { PRUNE = 1, PRUNE_BENEATH = 2 };

struct pruning {
  const pprofc_profile *profile;
  struct regex *drop, *keep;
  struct arena arena; /* arena for memory that only the edit needs */
  uint8_t *strings;   /* for each string: 0 if it was not matched yet, 1 to keep functions with this
                         name, 2 to drop them */
  uint8_t *effect;    /* for each location, a set of PRUNE and PRUNE_BENEATH */
  uint8_t *keep_line; /* for each line, 1 to keep it */
  bool any;
};

static bool goes(struct pruning *p, uint32_t function) {
  uint32_t string = p->profile->functions.name[function];
  if (!p->strings[string]) {
    pprofc_str name = profile_string(p->profile, string);
    pprofc_str simple = simple_name(name);
    bool matches =
        name.size && regex_match(p->drop, simple) && !(p->keep && regex_match(p->keep, simple));
    p->strings[string] = matches ? 2 : 1;
  }
  return p->strings[string] == 2;
}

static bool alloc_pruning(struct pruning *p) {
  const struct locations *l = &p->profile->locations;
  size_t lines = l->count ? l->line_from[l->count] : 0;
  p->strings = arena_zero_array(&p->arena, p->profile->strings.count, 1);
  p->effect = arena_zero_array(&p->arena, l->count, 1);
  p->keep_line = arena_array(&p->arena, lines, 1);
  if (!p->strings || !p->effect || !p->keep_line) return false;
  memset(p->keep_line, 1, lines);
  return true;
}

static pprofc_status prune_finish(struct pruning *p, edit_cut_fn cut, const char *name,
                                  pprofc_profile **out, pprofc_error *error) {
  if (regex_tripped(p->drop) || (p->keep && regex_tripped(p->keep)))
    return error_set(error, PPROFC_E_LIMIT, "matching %s regexp: too many steps for one name",
                     name);
  if (!p->any) {
    *out = edit_same(p->profile);
    return PPROFC_OK;
  }
  pprofc_profile *copy = profile_edit(p->profile);
  if (!copy) return error_nomem(error);
  pprofc_status status = edit_keep_lines(copy, p->keep_line, error);
  if (status == PPROFC_OK) status = edit_cut_stacks(copy, cut, p->effect, error);
  return edit_finish(status, copy, out);
}

/* ---- drop_frames ------------------------------------- */

/* Cuts a stack like pprof. Reads the frames from the root, and keeps matching frames at the root.
 * After the first frame that does not match, the next match ends the stack. */
static bool cut_beneath(const void *context, struct packed_stack *stack) {
  const uint8_t *effect = context, *after = stack->root;
  struct packed_stack rest = *stack;
  bool found_user = false;
  for (uint32_t id; stack_take_root_id(&rest, &id); after = rest.root) {
    uint32_t location = stack_location(rest.map, id);
    if (location == LOCATION_HIDDEN) continue;
    if (!effect[location]) {
      found_user = true;
    } else if (found_user) {
      stack->leaf = effect[location] & PRUNE ? after : rest.root;
      break;
    }
  }
  return true;
}

static void drop_location(struct pruning *p, uint32_t location) {
  const struct locations *l = &p->profile->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1], i = to;
  while (i > from && !goes(p, l->lines[i - 1].function)) i--;
  if (i == from) return;
  p->any = true;
  p->effect[location] = PRUNE_BENEATH;
  if (i == to)
    p->effect[location] |= PRUNE;
  else
    memset(p->keep_line + from, 0, i - from);
}

/* Compiles ^(text)$; *regex is NULL if the text is not a valid expression, or if this build does
 * not support it. */
static pprofc_status compile_whole(const pprofc_allocator *mem, pprofc_str text,
                                   struct regex **regex, bool *unsupported, pprofc_error *error) {
  struct buffer pattern = buffer_make(mem, SIZE_MAX);
  buffer_add_text(&pattern, "^(");
  buffer_add_str(&pattern, text);
  buffer_add_text(&pattern, ")$");
  *regex = NULL;
  pprofc_error ignored;
  pprofc_status status = PPROFC_E_NOMEM;
  if (!pattern.failed) status = regex_compile(mem, buffer_str(&pattern), regex, &ignored);
  buffer_free(&pattern);
  *unsupported |= status == PPROFC_E_UNSUPPORTED;
  return status == PPROFC_E_NOMEM ? error_nomem(error) : PPROFC_OK;
}

static pprofc_status drop_matches(struct pruning *p, pprofc_profile **out, pprofc_error *error) {
  if (!alloc_pruning(p)) return error_nomem(error);
  for (uint32_t i = 0; i < p->profile->locations.count; i++) drop_location(p, i);
  return prune_finish(p, cut_beneath, "drop_frames", out, error);
}

pprofc_status transform_drop_frames(const pprofc_profile *source, pprofc_profile **out,
                                    bool *unsupported, pprofc_error *error) {
  struct pruning p = {.profile = source};
  pprofc_str drop = profile_string(source, source->drop_frames);
  pprofc_str keep = profile_string(source, source->keep_frames);
  pprofc_status status = PPROFC_OK;
  *unsupported = false;
  arena_init(&p.arena, &source->mem);
  if (drop.size) status = compile_whole(&source->mem, drop, &p.drop, unsupported, error);
  if (status == PPROFC_OK && p.drop && keep.size)
    status = compile_whole(&source->mem, keep, &p.keep, unsupported, error);
  bool usable = p.drop && (p.keep || !keep.size);
  if (status == PPROFC_OK && usable)
    status = drop_matches(&p, out, error);
  else if (status == PPROFC_OK)
    *out = edit_same(source);
  regex_free(p.drop);
  regex_free(p.keep);
  arena_free(&p.arena);
  return status;
}

/* ---- prune_from -------------------------------------- */

/* Removes the frames that are called by the matching frame nearest to the leaf. */
static bool cut_before(const void *context, struct packed_stack *stack) {
  const uint8_t *effect = context;
  struct packed_stack rest = *stack;
  const uint8_t *at = rest.leaf;
  for (uint32_t id; stack_take_leaf_id(&rest, &id); at = rest.leaf) {
    uint32_t location = stack_location(rest.map, id);
    if (location == LOCATION_HIDDEN || !effect[location]) continue;
    stack->leaf = at;
    break;
  }
  return true;
}

static void prune_location(struct pruning *p, uint32_t location) {
  const struct locations *l = &p->profile->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1], i = from;
  while (i < to && !goes(p, l->lines[i].function)) i++;
  if (i == to) return;
  p->any = true;
  p->effect[location] = PRUNE_BENEATH;
  memset(p->keep_line + from, 0, i - from);
}

pprofc_status transform_prune_from(const pprofc_profile *source, const struct filter_terms *terms,
                                   unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  struct pruning p = {.profile = source, .drop = terms->items[FILTER_PRUNE_FROM].regex};
  arena_init(&p.arena, &source->mem);
  bool ready = alloc_pruning(&p);
  for (uint32_t i = 0; ready && i < source->locations.count; i++) prune_location(&p, i);
  *matched |= (unsigned)p.any << FILTER_PRUNE_FROM;
  pprofc_status status =
      ready ? prune_finish(&p, cut_before, "prune_from", out, error) : error_nomem(error);
  arena_free(&p.arena);
  return status;
}
