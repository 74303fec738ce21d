/* The passes of a merge over all stacks: hash samples, and number locations, functions and
 * mappings in the order in which pprof first uses them. The order is sample by sample, leaf to
 * root; for a new location first its mapping, then its functions. */
#include "core/parallel.h"
#include "transform/edit.h"
#include "transform/merge/merge.h"

/* One worker's walk over a range of samples. */
struct walker {
  struct merge *m;
  const uint32_t *samples; /* samples to walk, or NULL for all that are not all zero */
  uint64_t *hashes;        /* hash of each sample, or NULL */
  uint32_t **classes;      /* [pieces][size] copy of the piece's classes, with the bit UNSEEN
                              until first use */
  uint8_t *seen;           /* [location_count] 1: the class has been used */
  struct merge_place *first_uses;
  size_t first_use_count;
  uint64_t *state; /* [longest stack + 1] hash state of the previous stack, by the number of
                      bytes from its root end */
  const uint8_t *stack;
  size_t stack_size; /* size of the previous stack in bytes, 0 at the start of a piece */
};

/* Set in the class of a varint until a walker has used it; always set in LOCATION_HIDDEN. */
#define UNSEEN 0x80000000u

struct merge_order_walk {
  struct walker *walkers;
  size_t count; /* number of samples to walk */
  unsigned workers;
};

/* ---- hashes ------------------------------------------ */

/* Records the first uses of locations in a stack, leaf first. */
static void note_first_uses(struct walker *w, const struct merge_piece *piece) {
  uint32_t *classes = w->classes[piece - w->m->pieces];
  struct packed_stack rest = {w->stack, w->stack + w->stack_size, NULL};
  uint32_t v;
  while (stack_take_leaf_id(&rest, &v)) {
    if (!(classes[v] & UNSEEN) || classes[v] == LOCATION_HIDDEN) continue;
    uint32_t class = classes[v] &= ~UNSEEN;
    if (w->seen[class]) continue; /* another varint has used this class */
    w->seen[class] = 1;
    w->first_uses[w->first_use_count++] =
        (struct merge_place){piece->source, piece->map ? piece->map[v] : v - 1};
  }
}

/* Hashes a stack from the root, starting after the part that it shares with the previous one. */
static uint64_t hash_stack(struct walker *w, const struct merge_piece *piece, const uint8_t *stack,
                           size_t size) {
  size_t tail = stack_shared_tail(w->stack, w->stack_size, stack, size);
  const uint32_t *classes = w->classes[piece - w->m->pieces];
  const uint8_t *end = stack + size;
  struct packed_stack rest = {stack, end - tail, NULL};
  uint64_t hash = w->state[tail];
  bool new_ones = false;
  uint32_t v;
  while (stack_take_root_id(&rest, &v)) {
    uint32_t class = classes[v];
    if (class != LOCATION_HIDDEN) {
      hash = hash_mix(hash, class & ~UNSEEN);
      new_ones = new_ones || class & UNSEEN;
    }
    w->state[end - rest.root] = hash;
  }
  w->stack = stack;
  w->stack_size = size;
  if (new_ones) note_first_uses(w, piece);
  return hash;
}

uint64_t merge_finish_hash(const struct merge *m, uint64_t hash, uint32_t source, size_t local) {
  const struct samples *s = merge_samples_of(m, source);
  hash = hash_mix(hash, s->label_set ? m->sources[source].label_hashes[s->label_set[local]] : 0);
  return hash ? hash : 1;
}

static void walk_sample(struct walker *w, const struct merge_piece *piece, size_t sample) {
  const struct merge *m = w->m;
  const struct samples *s = merge_samples_of(m, piece->source);
  size_t local = sample - m->sources[piece->source].first_sample, types = m->out->type_count;
  if (!w->samples && values_are_zero(s->values + local * types, types)) {
    if (w->hashes) w->hashes[sample] = 0;
    return;
  }
  uint64_t hash = hash_stack(w, piece, s->stack[local], s->stack_size[local]);
  if (w->hashes) w->hashes[sample] = merge_finish_hash(m, hash, piece->source, local);
}

static void walk_range(void *context, unsigned worker) {
  struct merge_order_walk *walk = context;
  struct walker *w = &walk->walkers[worker];
  const struct merge *m = w->m;
  size_t from = parallel_from(walk->count, worker, walk->workers);
  size_t to = parallel_from(walk->count, worker + 1, walk->workers);
  if (from == to) return;
  const struct merge_piece *piece = merge_piece_of(m, w->samples ? w->samples[from] : from);
  for (size_t i = from; i < to; i++) {
    if (!w->hashes && w->first_use_count == m->location_count)
      return; /* all locations have been used */
    size_t sample = w->samples ? w->samples[i] : i;
    const struct merge_piece *next = merge_piece_next(m, piece, sample);
    if (next != piece) w->stack_size = 0;
    piece = next;
    walk_sample(w, piece, sample);
  }
}

/* ---- uniform sources --------------------------------- */

/* True if all pieces have one encoding without hidden frames and with one varint per class. */
static bool has_one_coding(struct merge *m) {
  if (!m->piece_count) return false;
  for (size_t i = 0; i < m->piece_count; i++)
    if (m->pieces[i].map || m->pieces[i].coding != 0) return false;
  const struct merge_piece *piece = &m->pieces[0];
  uint8_t *seen = mem_zero_array(&m->out->mem, m->location_count, 1);
  bool single = seen != NULL;
  for (size_t v = 1; single && v < piece->size; v++) {
    single = !seen[piece->classes[v]];
    seen[piece->classes[v]] = 1;
  }
  mem_free(&m->out->mem, seen, m->location_count, 1);
  return single;
}

struct hashing {
  struct merge *m;
  bool failed[16];
};

/* Hashes the stacks of one worker. Fails on a zero byte: it ends a varint that is longer than
 * necessary, so equal stacks may have different bytes. */
static void hash_range(void *context, unsigned worker) {
  struct hashing *h = context;
  struct merge *m = h->m;
  size_t types = m->out->type_count;
  size_t to = parallel_from(m->sample_count, worker + 1, m->workers);
  const struct merge_piece *piece = m->pieces;
  for (size_t i = parallel_from(m->sample_count, worker, m->workers); i < to; i++) {
    piece = merge_piece_next(m, piece, i);
    const struct samples *s = merge_samples_of(m, piece->source);
    size_t local = i - m->sources[piece->source].first_sample;
    m->hashes[i] = 0;
    if (values_are_zero(s->values + local * types, types)) continue;
    uint64_t hash = hash_bytes(s->stack[local], s->stack_size[local]);
    m->hashes[i] = merge_finish_hash(m, hash, piece->source, local);
    h->failed[worker] |= memchr(s->stack[local], 0, s->stack_size[local]) != NULL;
  }
}

bool merge_hash_uniform(struct merge *m) {
  struct hashing h = {.m = m};
  m->hashes = arena_array(&m->arena, m->sample_count, sizeof *m->hashes);
  if (!m->hashes || !merge_hash_labels(m)) return false;
  m->uniform = has_one_coding(m);
  if (!m->uniform) return true;
  parallel_run(m->workers, hash_range, &h);
  for (unsigned w = 0; w < m->workers; w++) m->uniform = m->uniform && !h.failed[w];
  return true;
}

/* ---- numbers ----------------------------------------- */

static void number_mapping(struct merge *m, uint32_t class) {
  if (m->mapping_number[class] != NONE) return;
  m->mapping_number[class] = (uint32_t)m->mappings_used;
  m->mapping_order[m->mappings_used++] = class;
}

static void number_location(struct merge *m, uint32_t class) {
  const struct merge_location *key = &m->locations[class];
  const struct merge_source *s = &m->sources[key->place.source];
  const struct locations *l = &s->profile->locations;
  if (key->mapping != NONE) number_mapping(m, key->mapping);
  for (uint32_t i = l->line_from[key->place.index]; i < l->line_from[key->place.index + 1]; i++) {
    uint32_t function = s->functions[l->lines[i].function];
    if (m->function_number[function] != NONE) continue;
    m->function_number[function] = (uint32_t)m->functions_used;
    m->function_order[m->functions_used++] = function;
  }
  m->location_number[class] = (uint32_t)m->locations_used;
  m->location_order[m->locations_used++] = class;
}

static bool alloc_numbers(struct merge *m) {
  m->location_number = arena_array(&m->arena, m->location_count, sizeof(uint32_t));
  m->location_order = arena_array(&m->tables, m->location_count, sizeof(uint32_t));
  m->function_number = arena_array(&m->tables, m->function_count, sizeof(uint32_t));
  m->function_order = arena_array(&m->tables, m->function_count, sizeof(uint32_t));
  m->mapping_number = arena_array(&m->tables, m->mapping_count, sizeof(uint32_t));
  m->mapping_order = arena_array(&m->tables, m->mapping_count, sizeof(uint32_t));
  return m->location_number && m->location_order && m->function_number && m->function_order &&
         m->mapping_number && m->mapping_order;
}

static void reset_numbers(struct merge *m) {
  memset(m->location_number, 0xFF, m->location_count * sizeof(uint32_t));
  memset(m->function_number, 0xFF, m->function_count * sizeof(uint32_t));
  memset(m->mapping_number, 0xFF, m->mapping_count * sizeof(uint32_t));
  m->locations_used = m->functions_used = m->mappings_used = 0;
}

/* Numbers mapping 0 of the first source with mappings, used or not: it is the main binary.
 * *next is the first source that was not checked yet. */
static void number_main_mapping(struct merge *m, uint32_t *next, uint32_t until) {
  for (; *next < until; ++*next) {
    const struct merge_source *s = &m->sources[*next];
    if (m->mappings_used || !s->profile->mappings.count) continue;
    m->mappings[s->mappings[0]] = (struct merge_place){*next, 0};
    number_mapping(m, s->mappings[0]);
  }
}

/* Makes the first record that is used represent its class. */
static void represent(struct merge *m, uint32_t class, struct merge_place place) {
  m->locations[class].place = place;
  uint32_t mapping = m->locations[class].mapping;
  if (mapping == NONE || m->mapping_number[mapping] != NONE) return;
  const struct locations *l = &m->sources[place.source].profile->locations;
  m->mappings[mapping] = (struct merge_place){place.source, l->mapping[place.index]};
}

/* Numbers the locations of a source in the order of its table. The previous sources are
 * numbered already. */
static void number_source(struct merge *m, uint32_t i) {
  const struct merge_source *s = &m->sources[i];
  uint32_t next = i;
  number_main_mapping(m, &next, i + 1);
  for (size_t n = 0; n < s->profile->locations.count; n++)
    if (m->location_number[s->locations[n]] == NONE) number_location(m, s->locations[n]);
}

bool merge_number_begin(struct merge *m) {
  if (!alloc_numbers(m)) return false;
  reset_numbers(m);
  return true;
}

uint32_t merge_number_first(struct merge *m, uint32_t class, struct merge_place place,
                            uint32_t *next) {
  number_main_mapping(m, next, place.source + 1);
  if (m->location_number[class] == NONE) {
    represent(m, class, place);
    number_location(m, class);
  }
  return m->location_number[class];
}

void merge_number_end(struct merge *m, uint32_t *next) {
  number_main_mapping(m, next, (uint32_t)m->source_count);
}

bool merge_number_tables(struct merge *m) {
  if (!merge_number_begin(m)) return false;
  for (uint32_t i = 0; i < m->source_count; i++) number_source(m, i);
  return true;
}

bool merge_number_used(struct merge *m, const uint8_t *const *used) {
  if (!alloc_numbers(m)) return false;
  reset_numbers(m);
  uint32_t next = 0;
  for (uint32_t i = 0; i < m->source_count; i++) {
    const struct merge_source *s = &m->sources[i];
    number_main_mapping(m, &next, i + 1);
    for (uint32_t n = 0; n < s->profile->locations.count; n++) {
      uint32_t class = s->locations[n];
      if (!used[i][n] || m->location_number[class] != NONE) continue;
      represent(m, class, (struct merge_place){i, n});
      number_location(m, class);
    }
  }
  return true;
}

/* True if the `count` records have different classes. `seen` is all zero before and after the
 * call. */
static bool classes_are_single(const uint32_t *classes, size_t count, uint8_t *seen) {
  bool single = true;
  for (size_t i = 0; i < count; i++) {
    single = single && !seen[classes[i]];
    seen[classes[i]] = 1;
  }
  for (size_t i = 0; i < count; i++) seen[classes[i]] = 0;
  return single;
}

bool merge_is_one_to_one(struct merge *m) {
  size_t most = m->location_count > m->mapping_count ? m->location_count : m->mapping_count;
  uint8_t *seen = arena_zero_array(&m->tables, most, 1);
  for (size_t i = 0; seen && i < m->source_count; i++) {
    const struct merge_source *s = &m->sources[i];
    if (!classes_are_single(s->locations, s->profile->locations.count, seen) ||
        !classes_are_single(s->mappings, s->profile->mappings.count, seen))
      return false;
  }
  return seen != NULL;
}

/* ---- walks ------------------------------------------- */

static size_t longest_stack(const struct merge *m) {
  size_t longest = 0;
  for (uint32_t i = 0; i < m->source_count; i++) {
    size_t bytes = stack_longest(merge_samples_of(m, i));
    if (bytes > longest) longest = bytes;
  }
  return longest;
}

static bool open_walker(struct merge *m, struct walker *w, size_t state_size) {
  uint32_t *classes = arena_array(&m->arena, m->piece_sizes, sizeof *classes);
  w->classes = arena_array(&m->arena, m->piece_count, sizeof(uint32_t *));
  w->seen = arena_zero_array(&m->arena, m->location_count, 1);
  w->first_uses = arena_array(&m->arena, m->location_count, sizeof *w->first_uses);
  w->state = arena_array(&m->arena, state_size, sizeof *w->state);
  if (!classes || !w->classes || !w->seen || !w->first_uses || !w->state) return false;
  w->state[0] = 0;
  for (size_t i = 0; i < m->piece_count; i++) {
    const struct merge_piece *piece = &m->pieces[i];
    bool same = i && piece->classes == piece[-1].classes && piece->size == piece[-1].size;
    w->classes[i] = same ? w->classes[i - 1] : classes;
    if (same) continue;
    for (size_t v = 0; v < piece->size; v++) *classes++ = piece->classes[v] | UNSEEN;
  }
  return true;
}

static bool run_walk(struct merge *m, struct merge_order_walk *walk, const uint32_t *samples,
                     uint64_t *hashes) {
  size_t state_size = longest_stack(m) + 1;
  for (unsigned w = 0; w < walk->workers; w++) {
    walk->walkers[w] =
        (struct walker){.m = m, .samples = samples, .hashes = hashes, .stack = (const uint8_t *)""};
    if (!open_walker(m, &walk->walkers[w], state_size)) return false;
  }
  parallel_run(walk->workers, walk_range, walk);
  return true;
}

/* Numbers the classes in the order in which the walkers found them. The first record of a
 * class represents it, unless an earlier walk has `settled` that. */
static void number_met(struct merge *m, const struct merge_order_walk *walk, bool settled) {
  uint32_t next = settled ? (uint32_t)m->source_count : 0;
  for (unsigned w = 0; w < walk->workers; w++)
    for (size_t i = 0; i < walk->walkers[w].first_use_count; i++) {
      struct merge_place place = walk->walkers[w].first_uses[i];
      uint32_t class = m->sources[place.source].locations[place.index];
      number_main_mapping(m, &next, place.source + 1);
      if (m->location_number[class] != NONE) continue;
      if (!settled) represent(m, class, place);
      number_location(m, class);
    }
  number_main_mapping(m, &next, (uint32_t)m->source_count);
}

bool merge_walk_samples(struct merge *m, bool with_hashes) {
  struct walker walkers[16];
  struct merge_order_walk walk = {walkers, m->sample_count, m->workers};
  if (!alloc_numbers(m) || !run_walk(m, &walk, NULL, with_hashes ? m->hashes : NULL)) return false;
  reset_numbers(m);
  number_met(m, &walk, false);
  return true;
}

/* Walks the results from `first` on. */
static bool walk_origins(struct merge *m, struct merge_order_walk *walk, size_t first) {
  walk->count = m->result_count - first;
  walk->workers = parallel_workers(m->workers, walk->count, EDIT_GRAIN);
  return run_walk(m, walk, m->origins + first, NULL);
}

/* Returns the number of results that are already in order: all samples of the first source if
 * it is the result of a merge, else 0. A walk would give its locations the same numbers. */
static size_t numbered_results(const struct merge *m) {
  const pprofc_profile *first = m->sources[0].profile;
  size_t count = first->samples.count;
  bool all = first->in_order_of_use && count && count <= m->result_count &&
             m->origins[count - 1] == count - 1;
  return all ? count : 0;
}

bool merge_walk_results(struct merge *m) {
  struct walker walkers[16];
  struct merge_order_walk walk = {.walkers = walkers};
  size_t known = numbered_results(m);
  if (!alloc_numbers(m) || !walk_origins(m, &walk, known)) return false;
  reset_numbers(m);
  if (known) number_source(m, 0);
  number_met(m, &walk, false);
  return true;
}

bool merge_walk_again(struct merge *m) {
  struct walker walkers[16];
  struct merge_order_walk walk = {.walkers = walkers};
  if (!walk_origins(m, &walk, 0)) return false;
  uint32_t main_mapping = m->mappings_used ? m->mapping_order[0] : NONE;
  reset_numbers(m);
  if (main_mapping != NONE) number_mapping(m, main_mapping);
  number_met(m, &walk, true);
  return true;
}
