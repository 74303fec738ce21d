/* Applies focus, ignore, hide and show (docs/spec/pprof.md, 13). Matches each distinct string once,
 * computes a few bits for each location, and then filters the samples. show_from does the same with
 * its own expression. */
#include "core/parallel.h"
#include "profile/delta.h"
#include "transform/transform.h"

/* Maximum number of regular expressions of a filter. If expression i matches a string, bit i is set
 * in the string's element of name_bits.strings. */
#define NAME_BITS_MAX 4
#define NAME_KNOWN    0x80u /* flag: the string was tested, so its other bits are valid */

struct name_bits {
  const pprofc_profile *profile;
  unsigned count;
  /* Compiled expressions; NULL if the option is not set. */
  struct regex *expressions[NAME_BITS_MAX];
  const char *names[NAME_BITS_MAX]; /* names of the options, for messages */
  struct arena arena;               /* arena for memory that only the edit needs */
  uint8_t *strings;                 /* for each string, a bit for each expression that matches */
};

/* Returns a bit for each expression that matches the function or the file of a line. `line` is an
 * index into locations.lines. */
static inline uint8_t name_bits_line(const struct name_bits *bits, uint32_t line) {
  const struct functions *f = &bits->profile->functions;
  uint32_t function = bits->profile->locations.lines[line].function;
  return bits->strings[f->name[function]] | bits->strings[f->filename[function]];
}

/* Returns a bit for each expression that matches the file of a location's mapping. */
static inline uint8_t name_bits_mapping(const struct name_bits *bits, uint32_t location) {
  uint32_t mapping = bits->profile->locations.mapping[location];
  return mapping == NONE ? 0 : bits->strings[bits->profile->mappings.items[mapping].file];
}

/* Returns a bit for each expression that matches the mapping or a line of a location. */
static inline uint8_t name_bits_location(const struct name_bits *bits, uint32_t location) {
  const struct locations *l = &bits->profile->locations;
  uint8_t sum = name_bits_mapping(bits, location);
  for (uint32_t i = l->line_from[location]; i < l->line_from[location + 1]; i++)
    sum |= name_bits_line(bits, i);
  return sum;
}

/* ---- strings ----------------------------------------- */

static void match_string(struct name_bits *bits, uint32_t string) {
  uint8_t *of = &bits->strings[string];
  if (*of & NAME_KNOWN) return;
  *of |= NAME_KNOWN;
  pprofc_str text = profile_string(bits->profile, string);
  for (unsigned i = 0; i < bits->count; i++)
    if (bits->expressions[i] && regex_match(bits->expressions[i], text)) *of |= (uint8_t)(1u << i);
}

/* Matches the names of all functions, files and mappings with the expressions of the filter. Sets
 * a bit for each expression that matches. The caller frees bits->arena, also after a
 * failure. */
static pprofc_status name_bits_find(struct name_bits *bits, pprofc_error *error) {
  const pprofc_profile *p = bits->profile;
  arena_init(&bits->arena, &p->mem);
  bits->strings = arena_zero_array(&bits->arena, p->strings.count, 1);
  if (!bits->strings) return error_nomem(error);
  for (size_t i = 0; i < p->functions.count; i++) {
    match_string(bits, p->functions.name[i]);
    match_string(bits, p->functions.filename[i]);
    if (budget_stopped(&p->mem)) return error_nomem(error);
  }
  for (size_t i = 0; i < p->mappings.count; i++) match_string(bits, p->mappings.items[i].file);
  for (unsigned i = 0; i < bits->count; i++)
    if (bits->expressions[i] && regex_tripped(bits->expressions[i]))
      return error_set(error, PPROFC_E_LIMIT, "matching %s regexp: too many steps for one name",
                       bits->names[i]);
  return PPROFC_OK;
}

/* ---- locations --------------------------------------- */

/* Effects of a location on the samples that contain it. The first four are the bits of filters. */
enum {
  FOCUSED = 1 << FILTER_FOCUS,
  IGNORED = 1 << FILTER_IGNORE,
  HIDE_MATCHED = 1 << FILTER_HIDE,
  SHOWN = 1 << FILTER_SHOW,
  VISIBLE = 16
};

struct name_filter {
  const pprofc_profile *profile;
  const struct filter_term *wanted; /* filters by FILTER_FOCUS to FILTER_SHOW */
  bool keep_frameless;              /* true to keep samples without frames */
  struct name_bits bits;
  uint8_t all, used;  /* union of the effects of all locations, and of the locations in samples */
  uint8_t *effect;    /* for each location, a set of FOCUSED, IGNORED ... */
  uint8_t *hidden;    /* for each location, 1 to remove it from stacks */
  uint8_t *keep_line; /* for each line, 1 to keep it */
  uint8_t *keep;      /* for each sample, 1 to keep it */
  bool hides;
};

/* Marks the lines of a location that hide or show removes. Returns the number of lines that
 * stay. */
static size_t filter_lines(struct name_filter *f, uint32_t location, uint8_t mapping_bits) {
  const struct locations *l = &f->profile->locations;
  size_t left = 0;
  for (uint32_t i = l->line_from[location]; i < l->line_from[location + 1]; i++) {
    uint8_t bits = name_bits_line(&f->bits, i);
    bool gone = (bits | mapping_bits) & HIDE_MATCHED ||
                (f->wanted[FILTER_SHOW].regex && !((bits | mapping_bits) & SHOWN));
    if (gone) f->keep_line[i] = 0;
    left += !gone;
  }
  return left;
}

static void filter_location(struct name_filter *f, uint32_t location) {
  uint8_t mapping_bits = name_bits_mapping(&f->bits, location);
  uint8_t bits = name_bits_location(&f->bits, location);
  uint8_t effect = VISIBLE;
  if (bits & IGNORED)
    effect |= IGNORED;
  else if (!f->wanted[FILTER_FOCUS].regex || bits & FOCUSED)
    effect |= FOCUSED;
  size_t left = filter_lines(f, location, mapping_bits);
  effect |= bits & HIDE_MATCHED;
  if (f->wanted[FILTER_SHOW].regex && left) effect |= SHOWN;
  if (!left && (effect & HIDE_MATCHED || f->wanted[FILTER_SHOW].regex)) {
    f->hidden[location] = 1;
    f->hides = true;
    effect &= (uint8_t)~VISIBLE;
  }
  f->effect[location] = effect;
  f->all |= effect;
}

/* ---- samples ----------------------------------------- */

struct filter_names_pass {
  struct name_filter *filter;
  /* Buffer of each worker: element n is the union of the effects of all locations in the last n
   * bytes of a stack. */
  uint8_t *states[16];
  struct stack_delta deltas[16];
  /* For each worker, a set of FOCUSED, IGNORED ...: the effects of all locations in the worker's
   * samples. Samples whose values are all 0 do not count. */
  uint8_t used[16];
  unsigned workers;
};

static uint8_t stack_effect(const uint8_t *effect, struct packed_stack stack, size_t tail,
                            uint8_t *state) {
  const uint8_t *end = stack.root;
  uint8_t sum = state[tail];
  stack.root -= tail;
  for (uint32_t id; stack_take_root_id(&stack, &id);) {
    uint32_t location = stack_location(stack.map, id);
    if (location != LOCATION_HIDDEN) sum |= effect[location];
    state[end - stack.root] = sum;
  }
  return sum;
}

static void filter_range(void *context, unsigned worker) {
  struct filter_names_pass *pass = context;
  const pprofc_profile *p = pass->filter->profile;
  struct stack_delta *delta = &pass->deltas[worker];
  size_t from = parallel_from(p->samples.count, worker, pass->workers);
  size_t to = parallel_from(p->samples.count, worker + 1, pass->workers);
  size_t width = profile_values_each(p);
  bool frameless = pass->filter->keep_frameless;
  if (from < to) delta_restart(delta, from);
  for (size_t i = from; i < to; i++) {
    delta_move(delta, i);
    uint8_t effect =
        stack_effect(pass->filter->effect, delta->stack, delta->shared, pass->states[worker]);
    /* A sample whose values are all 0 does not count as a match. */
    if (!values_are_zero(p->samples.values + i * width, width)) pass->used[worker] |= effect;
    pass->filter->keep[i] = (effect & FOCUSED && effect & VISIBLE && !(effect & IGNORED)) ||
                            (frameless && delta->stack.leaf == delta->stack.root);
    if (budget_poll(&p->mem, i)) return;
  }
}

static bool filter_samples(struct name_filter *f) {
  const struct samples *s = &f->profile->samples;
  const pprofc_allocator *mem = &f->profile->mem;
  struct filter_names_pass pass = {
      .filter = f, .workers = parallel_workers(f->profile->threads, s->count, EDIT_GRAIN)};
  size_t longest = stack_longest(s);
  unsigned open = 0;
  if (!s->count) return true;
  while (open < pass.workers && delta_init(&pass.deltas[open], mem, s, 0)) {
    pass.states[open] = mem_zero_array(mem, longest + 1, 1);
    if (!pass.states[open++]) break;
  }
  bool ok = open == pass.workers && pass.states[open - 1];
  if (ok) parallel_run(pass.workers, filter_range, &pass);
  while (open--) {
    f->used |= pass.used[open];
    delta_free(&pass.deltas[open], mem);
    mem_free(mem, pass.states[open], longest + 1, 1);
  }
  return ok && !budget_stopped(mem);
}

/* ---- the edit ---------------------------------------- */

static bool alloc_filter(struct name_filter *f) {
  const pprofc_profile *p = f->profile;
  struct arena *arena = &f->bits.arena;
  size_t lines = p->locations.count ? p->locations.line_from[p->locations.count] : 0;
  f->effect = arena_zero_array(arena, p->locations.count, 1);
  f->hidden = arena_zero_array(arena, p->locations.count, 1);
  f->keep_line = arena_array(arena, lines, 1);
  f->keep = arena_array(arena, p->samples.count, 1);
  if (!f->effect || !f->hidden || !f->keep_line || !f->keep) return false;
  memset(f->keep_line, 1, lines);
  return true;
}

static pprofc_status apply_filter(struct name_filter *f, pprofc_profile *copy,
                                  pprofc_error *error) {
  pprofc_status status = name_bits_find(&f->bits, error);
  if (status != PPROFC_OK) return status;
  if (!alloc_filter(f)) return error_nomem(error);
  for (uint32_t i = 0; i < f->profile->locations.count; i++) filter_location(f, i);
  if (!filter_samples(f)) return error_nomem(error);
  status = edit_keep_lines(copy, f->keep_line, error);
  if (status == PPROFC_OK && f->hides) status = edit_hide(copy, f->hidden, error);
  if (status == PPROFC_OK) status = edit_keep_samples(copy, f->keep, error);
  return status;
}

pprofc_status transform_names(const pprofc_profile *source, const struct filter_terms *terms,
                              unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  const struct filter_term *t = terms->items;
  bool hides_only = !t[FILTER_FOCUS].regex && !t[FILTER_IGNORE].regex && !t[FILTER_SHOW].regex;
  struct name_filter f = {.profile = source,
                          .wanted = t,
                          .keep_frameless = terms->keep_frameless && hides_only,
                          .bits = {.profile = source,
                                   .count = NAME_BITS_MAX,
                                   .names = {"focus", "ignore", "hide", "show"}}};
  for (unsigned i = 0; i < NAME_BITS_MAX; i++) f.bits.expressions[i] = t[i].regex;
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  pprofc_status status = apply_filter(&f, copy, error);
  /* As in pprof, an expression counts as matched even if it only matches locations that no sample
   * uses. In a difference (has_leftovers), only locations of samples count. */
  *matched |= (source->has_leftovers ? f.used : f.all) & (VISIBLE - 1);
  arena_free(&f.bits.arena);
  return edit_finish(status, copy, out);
}

/* ---- show_from --------------------------------------- */

/* Drops the callers of the matching location nearest to the root. Returns false if no location
 * matches. */
static bool cut_above(const void *context, struct packed_stack *stack) {
  const uint8_t *matches = context;
  struct packed_stack rest = *stack;
  for (uint32_t id; stack_take_root_id(&rest, &id); stack->root = rest.root) {
    uint32_t location = stack_location(rest.map, id);
    if (location != LOCATION_HIDDEN && matches[location]) return true;
  }
  return false;
}

/* Applies show_from: drops the lines of a location that call its outermost matching line. Keeps all
 * lines if the mapping matches. Returns false if nothing matches. */
static bool match_from(const struct name_bits *bits, uint32_t location, uint8_t *keep_line) {
  const struct locations *l = &bits->profile->locations;
  if (name_bits_mapping(bits, location) & 1) return true;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1], i = to;
  while (i > from && !(name_bits_line(bits, i - 1) & 1)) i--;
  if (i == from) return false;
  memset(keep_line + i, 0, to - i);
  return true;
}

static pprofc_status show_from_matches(pprofc_profile *copy, struct name_bits *bits, bool *any,
                                       pprofc_error *error) {
  const pprofc_profile *p = bits->profile;
  size_t locations = p->locations.count;
  size_t lines = locations ? p->locations.line_from[locations] : 0;
  uint8_t *matches = arena_array(&bits->arena, locations, 1);
  uint8_t *keep_line = arena_array(&bits->arena, lines, 1);
  if (!matches || !keep_line) return error_nomem(error);
  memset(keep_line, 1, lines);
  for (uint32_t i = 0; i < locations; i++) {
    matches[i] = match_from(bits, i, keep_line);
    *any |= matches[i];
  }
  pprofc_status status = edit_keep_lines(copy, keep_line, error);
  if (status == PPROFC_OK) status = edit_cut_stacks(copy, cut_above, matches, error);
  if (copy->has_leftovers) *any = copy->samples.count > 0;
  return status;
}

pprofc_status transform_show_from(const pprofc_profile *source, const struct filter_terms *terms,
                                  unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  struct name_bits bits = {.profile = source,
                           .count = 1,
                           .expressions = {terms->items[FILTER_SHOW_FROM].regex},
                           .names = {"show_from"}};
  bool any = false;
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  pprofc_status status = name_bits_find(&bits, error);
  if (status == PPROFC_OK) status = show_from_matches(copy, &bits, &any, error);
  *matched |= (unsigned)any << FILTER_SHOW_FROM;
  arena_free(&bits.arena);
  return edit_finish(status, copy, out);
}
