/* Applies tagroot and tagleaf: adds frames made from labels (docs/spec/pprof.md, 15). */
#include "transform/transform.h"
#include "unit/unit.h"

/* Keys of tagroot or tagleaf in reverse order, the order in which frames are added. */
struct tag_list {
  uint32_t *keys; /* keys as indices in `keys` of struct tag_frames */
  size_t count;
  bool matched;
};

/* A pseudo frame: a new location with a new function. */
struct tag_frame {
  uint32_t key;    /* index in `keys`; the key becomes the file name */
  pprofc_str name; /* name of the frame: the values of the label */
};

struct tag_frames {
  const pprofc_profile *profile;
  pprofc_str unit;
  struct arena arena;
  struct interner keys;
  /* For each string, the index of the key with the same text, or NONE; NONE - 1: not known yet. */
  uint32_t *key_of;
  struct tag_list root, leaf;
  struct map table;
  struct tag_frame *items;
  size_t count, capacity;
  struct map by_label; /* cache: frames for a key whose only value is a text */
  struct by_label {
    uint32_t key, string, frame;
  } * label_items;
  size_t label_capacity;
  uint32_t *sample_frames; /* frames of each sample: root frames, then leaf frames */
  struct buffer name;
};

/* ---- keys -------------------------------------------- */

static bool parse_list(struct tag_frames *f, const char *text, struct tag_list *list) {
  pprofc_str rest = str_of(text ? text : ""), piece;
  size_t room = 1;
  for (size_t i = 0; i < rest.size; i++) room += rest.data[i] == ',';
  list->keys = arena_array(&f->arena, room, sizeof *list->keys);
  if (!list->keys) return false;
  while (str_next(&rest, ',', &piece)) {
    if (!piece.size) continue;
    uint32_t key = interner_copy(&f->keys, &f->arena, piece);
    if (key == MAP_NONE) return false;
    list->keys[list->count++] = key;
  }
  array_reverse(list->keys, list->count);
  return true;
}

/* Returns the index in `keys` of the key that equals a string of the profile, or NONE. Looks up a
 * string only when it is needed, because few strings are keys of labels. */
static uint32_t key_of(struct tag_frames *f, uint32_t string) {
  if (f->key_of[string] == NONE - 1)
    f->key_of[string] = interner_find(&f->keys, profile_string(f->profile, string));
  return f->key_of[string];
}

/* ---- frames ------------------------------------------ */

/* Returns the frame with this key and name, and adds the frame if it is new. Returns NONE when out
 * of memory. */
static uint32_t intern_frame(struct tag_frames *f, uint32_t key, pprofc_str name) {
  uint64_t hash = hash_mix(hash_str(name), key);
  MAP_FIND(index, &f->table, hash,
           f->items[index].key == key && str_equal(f->items[index].name, name));
  if (index != MAP_NONE) return index;
  if (!ARRAY_RESERVE(&f->profile->mem, f->items, f->capacity, f->count + 1)) return NONE;
  name = arena_str(&f->arena, name);
  if (!name.data || !map_insert(&f->table, hash, (uint32_t)f->count)) return NONE;
  f->items[f->count] = (struct tag_frame){key, name};
  return (uint32_t)f->count++;
}

static uint32_t frame_of_string(struct tag_frames *f, uint32_t key, uint32_t string) {
  uint64_t hash = hash_mix(key, string);
  MAP_FIND(index, &f->by_label, hash,
           f->label_items[index].key == key && f->label_items[index].string == string);
  if (index != MAP_NONE) return f->label_items[index].frame;
  index = (uint32_t)f->by_label.count;
  if (!ARRAY_RESERVE(&f->profile->mem, f->label_items, f->label_capacity, (size_t)index + 1))
    return NONE;
  uint32_t frame = intern_frame(f, key, profile_string(f->profile, string));
  f->label_items[index] = (struct by_label){key, string, frame};
  return frame != NONE && map_insert(&f->by_label, hash, index) ? frame : NONE;
}

/* Joins all values of a key in f->name: strings, then numbers with their own units. */
static void join_values(struct tag_frames *f, const struct label *labels, size_t count,
                        uint32_t key) {
  bool any_unit = false, first = true;
  char text[UNIT_LABEL_MAX];
  buffer_clear(&f->name);
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count; i++) {
      const struct label *l = &labels[i];
      if (key_of(f, l->key) != key) continue;
      any_unit = any_unit || (l->is_number && l->unit);
      if (l->is_number != pass) continue;
      if (!first) buffer_add_char(&f->name, ',');
      first = false;
      pprofc_str unit = profile_string(f->profile, l->unit);
      if (!l->is_number)
        buffer_add_str(&f->name, profile_string(f->profile, l->string));
      else
        buffer_add_str(&f->name, unit_label(l->number, unit, any_unit ? f->unit : STR(""), text));
    }
}

/* Returns the frame of a key for one sample, or NONE when out of memory. */
static uint32_t frame_of(struct tag_frames *f, const struct label *labels, size_t count,
                         uint32_t key, bool *matched) {
  size_t values = 0;
  uint32_t string = 0;
  bool numbers = false;
  for (size_t i = 0; i < count; i++) {
    if (key_of(f, labels[i].key) != key) continue;
    values++;
    string = labels[i].string;
    numbers = numbers || labels[i].is_number;
  }
  *matched = *matched || values;
  if (values <= 1 && !numbers) return frame_of_string(f, key, string);
  join_values(f, labels, count, key);
  return f->name.failed ? NONE : intern_frame(f, key, buffer_str(&f->name));
}

static bool make_frames(struct tag_frames *f) {
  const struct samples *s = &f->profile->samples;
  struct tag_list *lists[] = {&f->root, &f->leaf};
  uint32_t *frame = f->sample_frames;
  for (size_t i = 0; i < s->count; i++)
    for (size_t n = 0; n < 2; n++)
      for (size_t k = 0; k < lists[n]->count; k++, frame++) {
        *frame = frame_of(f, sample_labels(s, i), label_count(s, i), lists[n]->keys[k],
                          &lists[n]->matched);
        if (*frame == NONE) return false;
      }
  return true;
}

/* ---- tables ------------------------------------------ */

/* Works like arena_extend. Also gives the pages of the old column back to the system if no other
 * profile can read them. */
static void *tag_frames_replace(pprofc_profile *copy, const void *column, size_t count, size_t more,
                                size_t size) {
  void *items = arena_extend(&copy->region->arena, column, count, more, size);
  if (items && count && copy->lender)
    region_discard(copy->region, copy->lender, column, (const char *)column + count * size);
  return items;
}

static bool add_strings(struct tag_frames *f, pprofc_profile *copy) {
  size_t total = f->keys.count + f->count;
  pprofc_str *texts = arena_array(&f->arena, total, sizeof *texts);
  if (!texts) return false;
  for (size_t i = 0; i < f->keys.count; i++) texts[i] = f->keys.items[i];
  for (size_t i = 0; i < f->count; i++) texts[f->keys.count + i] = f->items[i].name;
  return profile_add_strings(copy, texts, total);
}

static bool add_functions(struct tag_frames *f, pprofc_profile *copy) {
  const struct functions *functions = &copy->functions;
  uint32_t first_string = (uint32_t)(copy->strings.count - f->keys.count - f->count);
  struct function_fields *rows = arena_zero_array(&f->arena, f->count, sizeof *rows);
  for (size_t i = 0; rows && i < f->count; i++) {
    rows[i].name = first_string + (uint32_t)(f->keys.count + i);
    rows[i].filename = first_string + f->items[i].key;
  }
  return rows && profile_add_functions(copy, rows, f->count,
                                       profile_next_id(functions->ids, functions->count));
}

static bool tag_frames_add_locations(struct tag_frames *f, pprofc_profile *copy) {
  struct locations *l = &copy->locations;
  size_t old = l->count, more = f->count, lines = old ? l->line_from[old] : 0;
  uint64_t *address = tag_frames_replace(copy, l->address, old, more, sizeof *address);
  uint32_t *mapping = tag_frames_replace(copy, l->mapping, old, more, sizeof *mapping);
  uint32_t *line_from = tag_frames_replace(copy, l->line_from, old, more + 1, sizeof *line_from);
  struct line *line = tag_frames_replace(copy, l->lines, lines, more, sizeof *line);
  if (!address || !mapping || !line_from || !line || lines + more >= NONE) return false;
  for (size_t i = 0; i < more; i++) {
    address[old + i] = 0;
    mapping[old + i] = NONE;
    line_from[old + i] = (uint32_t)(lines + i);
    line[lines + i] = (struct line){.function = (uint32_t)(copy->functions.count - more + i)};
  }
  line_from[old + more] = (uint32_t)(lines + more);
  if (l->is_folded) {
    uint8_t *is_folded = arena_extend(&copy->region->arena, l->is_folded, old, more, 1);
    if (!is_folded) return false;
    memset(is_folded + old, 0, more);
    l->is_folded = is_folded;
  }
  l->address = address;
  l->mapping = mapping;
  l->line_from = line_from;
  l->lines = line;
  l->count = old + more;
  return profile_add_ids(copy, &l->ids, old, more, profile_next_id(l->ids, old));
}

/* ---- stacks ------------------------------------------ */

/* Memory of the old stacks. If no other profile reads the old stacks, their pages are freed while
 * the new stacks are written. So old and new stacks together need little more memory than the new
 * stacks alone. */
struct tag_input {
  struct region *region;
  const struct region *lender;
  const uint8_t *from; /* start of the bytes that are not freed yet; NULL: free nothing */
};

#define TAG_INPUT_STEP ((size_t)32 << 10)

/* True if stacks have ascending addresses, and no string is in memory between two stacks. */
static bool tag_input_is_plain(const pprofc_profile *p) {
  const struct samples *s = &p->samples;
  const uint8_t *end = NULL;
  for (size_t i = 0; i < s->count; i++) {
    if ((uintptr_t)s->stack[i] < (uintptr_t)end) return false;
    end = s->stack[i] + s->stack_size[i];
  }
  for (size_t i = 0; s->count && i < p->strings.count; i++) {
    uintptr_t data = (uintptr_t)p->strings.items[i].data;
    if (data + p->strings.items[i].size > (uintptr_t)s->stack[0] && data < (uintptr_t)end)
      return false;
  }
  return true;
}

static struct tag_input tag_input_of(const pprofc_profile *copy) {
  const struct samples *s = &copy->samples;
  struct tag_input input = {copy->region, copy->lender, NULL};
  if (copy->lender && s->count && tag_input_is_plain(copy)) input.from = s->stack[0];
  return input;
}

/* Frees the pages before `next`. All stacks in these pages have been read. */
static void tag_input_release(struct tag_input *input, const uint8_t *next) {
  if (!input->from || (size_t)(next - input->from) < TAG_INPUT_STEP) return;
  bool done = region_discard(input->region, input->lender, input->from, next);
  input->from = done ? next : NULL;
}

/* Writes the stacks of the samples `from` to `to` - 1 with their new frames to *out. These samples
 * are one segment. `base` is the varint that means the first new frame. */
static void tag_frames_write_stacks(const struct tag_frames *f, const struct samples *s,
                                    size_t from, size_t to, size_t base, uint8_t **out,
                                    const uint8_t **stack, uint32_t *stack_size,
                                    struct tag_input *input) {
  size_t roots = f->root.count, leaves = f->leaf.count;
  for (size_t i = from; i < to; i++) {
    const uint32_t *frames = f->sample_frames + i * (roots + leaves);
    const uint8_t *old = s->stack[i];
    uint32_t size = s->stack_size[i];
    uint8_t *p = *out;
    for (size_t k = 0; k < leaves; k++) p += varint_put(p, (uint32_t)base + frames[roots + k]);
    if (size) memcpy(p, old, size);
    p += size;
    for (size_t k = 0; k < roots; k++) p += varint_put(p, (uint32_t)base + frames[k]);
    tag_input_release(input, old + size);
    stack[i] = *out;
    stack_size[i] = (uint32_t)(p - *out);
    *out = p;
  }
}

/* Returns the number of bytes that tag_frames_write_stacks writes, or 0 if a stack would be too
 * long. */
static size_t segment_bytes(const struct tag_frames *f, const struct samples *s, size_t from,
                            size_t to, size_t base) {
  size_t added = f->root.count + f->leaf.count, bytes = 0;
  for (size_t i = from; i < to; i++) {
    size_t size = s->stack_size[i];
    for (size_t k = 0; k < added; k++)
      size += varint_bytes((uint32_t)base + f->sample_frames[i * added + k]);
    if (size > UINT32_MAX) return 0;
    bytes += size;
  }
  return bytes;
}

static bool tag_frames_write_samples(const struct tag_frames *f, pprofc_profile *copy,
                                     size_t old_locations) {
  struct arena *arena = &copy->region->arena;
  struct samples *s = &copy->samples;
  struct tag_input input = tag_input_of(copy);
  const uint8_t **stack = edit_column(copy, s->stack, s->count, sizeof *stack);
  uint32_t *stack_size = edit_column(copy, s->stack_size, s->count, sizeof *stack_size);
  struct segment *segments = arena_copy(arena, s->segments, s->segment_count * sizeof *segments);
  if (!stack || !stack_size || !segments) return false;
  for (size_t i = 0; i < s->segment_count; i++) {
    size_t base, from = segments[i].first, to = segment_end(s, i);
    if (!segment_extend(arena, &segments[i], old_locations, f->count, &base)) return false;
    size_t bytes = segment_bytes(f, s, from, to, base);
    if (!bytes && from < to) return false;
    uint8_t *out = arena_alloc(arena, bytes ? bytes : 1);
    if (!out) return false;
    tag_frames_write_stacks(f, s, from, to, base, &out, stack, stack_size, &input);
  }
  s->stack = stack;
  s->stack_size = stack_size;
  s->segments = segments;
  s->max_depth += f->root.count + f->leaf.count;
  return true;
}

/* ---- the edit ---------------------------------------- */

static bool find_frames(struct tag_frames *f, const char *tagroot, const char *tagleaf) {
  const pprofc_profile *p = f->profile;
  if (!parse_list(f, tagroot, &f->root) || !parse_list(f, tagleaf, &f->leaf)) return false;
  size_t added = f->root.count + f->leaf.count;
  f->key_of = arena_array(&f->arena, p->strings.count, sizeof *f->key_of);
  f->sample_frames = arena_array(&f->arena, p->samples.count, added * sizeof *f->sample_frames);
  if (!f->key_of || !f->sample_frames) return false;
  for (size_t i = 0; i < p->strings.count; i++) f->key_of[i] = NONE - 1;
  return !added || make_frames(f);
}

static bool add_frames(struct tag_frames *f, pprofc_profile *copy) {
  size_t old_locations = copy->locations.count;
  if (old_locations + f->count >= NONE - 1 || copy->functions.count + f->count >= NONE)
    return false;
  return add_strings(f, copy) && add_functions(f, copy) && tag_frames_add_locations(f, copy) &&
         tag_frames_write_samples(f, copy, old_locations);
}

static void free_frames(struct tag_frames *f) {
  const pprofc_allocator *mem = &f->profile->mem;
  mem_free(mem, f->items, f->capacity, sizeof *f->items);
  mem_free(mem, f->label_items, f->label_capacity, sizeof *f->label_items);
  map_free(&f->table);
  map_free(&f->by_label);
  interner_free(&f->keys);
  buffer_free(&f->name);
  arena_free(&f->arena);
}

pprofc_status transform_tag_frames(const pprofc_profile *source, const struct filter_terms *terms,
                                   unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  const char *tagroot = terms->items[FILTER_TAGROOT].text;
  const char *tagleaf = terms->items[FILTER_TAGLEAF].text;
  const pprofc_allocator *mem = &source->mem;
  struct tag_frames f = {.profile = source, .unit = str_of(terms->unit)};
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  arena_init(&f.arena, mem);
  interner_init(&f.keys, mem);
  map_init(&f.table, mem);
  map_init(&f.by_label, mem);
  buffer_init(&f.name, mem, SIZE_MAX);
  bool ok = find_frames(&f, tagroot, tagleaf) && (!f.count || add_frames(&f, copy));
  *matched |= (unsigned)f.root.matched << FILTER_TAGROOT;
  *matched |= (unsigned)f.leaf.matched << FILTER_TAGLEAF;
  free_frames(&f);
  return edit_finish(ok ? PPROFC_OK : error_nomem(error), copy, out);
}
