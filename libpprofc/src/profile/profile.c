/* Implements the lifetime of a profile, copy-on-write edits, and the public views of columns. */
#include "pprofc/builder.h"
#include "profile/label_table.h"
#include "profile/stack.h"
#include "profile/stack_tree.h"

static pprofc_profile *alloc_profile(const pprofc_allocator *mem) {
  pprofc_profile *p = mem_zero_array(mem, 1, sizeof *p);
  if (!p) return NULL;
  p->references = 1;
  p->mem = *mem;
  p->region = region_new(mem);
  if (p->region) return p;
  mem_free(mem, p, 1, sizeof *p);
  return NULL;
}

pprofc_profile *profile_new(const pprofc_allocator *mem) {
  static const pprofc_str empty = {"", 0};
  pprofc_profile *p = alloc_profile(mem_or_default(mem));
  if (p) p->strings = (struct strings){1, &empty};
  return p;
}

/* Copies all fields except the reference count, which other threads may change at the same time. */
static void copy_fields(pprofc_profile *to, const pprofc_profile *from) {
  const size_t counted = offsetof(pprofc_profile, mem);
  memcpy((char *)to + counted, (const char *)from + counted, sizeof *to - counted);
}

/* Returns a copy that shares all columns. Its region uses `mem`. */
static pprofc_profile *profile_share(const pprofc_profile *source, const pprofc_allocator *mem) {
  pprofc_profile *p = alloc_profile(mem);
  if (!p) return NULL;
  struct region *own = p->region;
  copy_fields(p, source);
  p->mem = own->mem;
  p->region = own;
  p->disposable = false;
  p->lender = NULL;
  if (region_adopt(own, source->region)) return p;
  pprofc_profile_release(p);
  return NULL;
}

pprofc_profile *profile_edit(const pprofc_profile *source) {
  bool lends = source->disposable && source->references == 1 && source->region->references == 1;
  pprofc_profile *p = profile_share(source, &source->mem);
  if (!p) return NULL;
  p->lender = lends ? source->region : NULL;
  p->in_order_of_use = false;
  return p;
}

pprofc_profile *profile_lend(const pprofc_profile *source, const pprofc_allocator *mem) {
  return profile_share(source, mem);
}

pprofc_status pprofc_profile_watch(const pprofc_profile *profile, pprofc_progress_fn progress,
                                   void *context, pprofc_profile **watched, pprofc_error *error) {
  struct budget *budget = budget_new(&profile->mem, UINT64_MAX);
  pprofc_profile *lent = budget ? profile_lend(profile, budget_allocator(budget)) : NULL;
  if (lent) budget_watch(budget, progress, context);
  budget_release(budget);
  if (!lent) return budget_status(&profile->mem, error_nomem(error), error);
  *watched = lent;
  return PPROFC_OK;
}

pprofc_profile *pprofc_profile_retain(pprofc_profile *profile) {
  if (profile) __atomic_add_fetch(&profile->references, 1, __ATOMIC_RELAXED);
  return profile;
}

void pprofc_profile_release(pprofc_profile *profile) {
  if (!profile || __atomic_sub_fetch(&profile->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  pprofc_allocator mem = profile->mem;
  struct region *region = profile->region;
  mem_free(&mem, profile, 1, sizeof *profile);
  region_release(region); /* Release the region last, because it contains the allocator's budget. */
}

bool profile_add_strings(pprofc_profile *p, const pprofc_str *extra, size_t more) {
  size_t old = p->strings.count;
  if (more > UINT32_MAX - 1 - old) return false;
  pprofc_str *items = arena_extend(&p->region->arena, p->strings.items, old, more, sizeof *items);
  if (!items) return false;
  for (size_t i = 0; i < more; i++) {
    items[old + i] = arena_str(&p->region->arena, extra[i]);
    if (!items[old + i].data) return false;
  }
  p->strings = (struct strings){old + more, items};
  return true;
}

bool profile_trim_files(pprofc_profile *p, pprofc_str folder) {
  size_t size = p->strings.count * sizeof *p->strings.items;
  pprofc_str *items = arena_copy(&p->region->arena, p->strings.items, size);
  if (!items) return false;
  for (size_t i = 0; i < p->functions.count; i++) {
    pprofc_str *file = &items[p->functions.filename[i]];
    size_t at = str_find(*file, folder);
    if (at < file->size) *file = str_from(*file, at + folder.size);
  }
  p->strings.items = items;
  return true;
}

bool profile_add_functions(pprofc_profile *p, const struct function_fields *rows, size_t more,
                           uint64_t first_id) {
  struct arena *arena = &p->region->arena;
  struct functions *f = &p->functions;
  size_t old = f->count;
  uint32_t *name = arena_extend(arena, f->name, old, more, sizeof *name);
  uint32_t *system_name = arena_extend(arena, f->system_name, old, more, sizeof *system_name);
  uint32_t *filename = arena_extend(arena, f->filename, old, more, sizeof *filename);
  int64_t *start_line = arena_extend(arena, f->start_line, old, more, sizeof *start_line);
  if (!name || !system_name || !filename || !start_line) return false;
  for (size_t i = 0; i < more; i++) {
    name[old + i] = rows[i].name;
    system_name[old + i] = rows[i].system_name;
    filename[old + i] = rows[i].filename;
    start_line[old + i] = rows[i].start_line;
  }
  *f = (struct functions){old + more, f->ids, name, system_name, filename, start_line};
  return profile_add_ids(p, &f->ids, old, more, first_id);
}

bool profile_add_ids(pprofc_profile *p, const uint64_t **ids, size_t count, size_t more,
                     uint64_t first) {
  if (!*ids) return true;
  uint64_t *items = arena_extend(&p->region->arena, *ids, count, more, sizeof *items);
  for (size_t i = 0; items && i < more; i++) items[count + i] = first + i;
  *ids = items;
  return items != NULL;
}

uint64_t profile_next_id(const uint64_t *ids, size_t count) {
  uint64_t largest = 0;
  for (size_t i = 0; ids && i < count; i++)
    if (ids[i] > largest) largest = ids[i];
  return largest + 1;
}

pprofc_status profile_need_stacks(const pprofc_profile *p, pprofc_error *error) {
  if (!p->samples.tree) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the profile was read for sums of functions only");
}

size_t profile_values_each(const pprofc_profile *p) {
  const struct stack_tree *tree = p->samples.tree;
  return tree && tree->type != STACK_TREE_ALL ? 1 : p->type_count;
}

struct value_column profile_values(const pprofc_profile *p, size_t type) {
  const struct samples *s = &p->samples;
  if (s->tree && s->tree->type != STACK_TREE_ALL) return (struct value_column){s->values, 1};
  return (struct value_column){s->count ? s->values + type : NULL, p->type_count};
}

/* ---- views ------------------------------------------- */

static pprofc_value_type type_view(const pprofc_profile *p, struct value_type type) {
  return (pprofc_value_type){profile_string(p, type.type), profile_string(p, type.unit)};
}

void pprofc_profile_header(const pprofc_profile *p, pprofc_header *header) {
  *header = (pprofc_header){
      .drop_frames = profile_string(p, p->drop_frames),
      .keep_frames = profile_string(p, p->keep_frames),
      .time_nanos = p->time_nanos,
      .duration_nanos = p->duration_nanos,
      .period_type = type_view(p, p->period_type),
      .period = p->period,
      .default_sample_type = profile_string(p, p->default_sample_type),
      .doc_url = profile_string(p, p->doc_url),
      .comment_count = p->comment_count,
  };
}

pprofc_str pprofc_profile_comment(const pprofc_profile *p, size_t index) {
  return index < p->comment_count ? profile_string(p, p->comments[index]) : STR("");
}

size_t pprofc_profile_type_count(const pprofc_profile *p) {
  return p->type_count;
}

pprofc_value_type pprofc_profile_type(const pprofc_profile *p, size_t index) {
  if (index >= p->type_count) return (pprofc_value_type){STR(""), STR("")};
  return type_view(p, p->types[index]);
}

size_t pprofc_profile_default_type(const pprofc_profile *p) {
  pprofc_str wanted = profile_string(p, p->default_sample_type);
  for (size_t i = 0; wanted.size && i < p->type_count; i++)
    if (str_equal(profile_type(p, i), wanted)) return i;
  return p->type_count ? p->type_count - 1 : 0;
}

size_t profile_find_type(const pprofc_profile *p, pprofc_str wanted) {
  size_t index = 0;
  int64_t number;
  if (!wanted.size) return pprofc_profile_default_type(p);
  if (str_parse_int(wanted, 10, &number))
    return number < 0 || (uint64_t)number > p->type_count ? p->type_count : (size_t)number;
  pprofc_str bare = wanted;
  str_take(&bare, STR("inuse_"));
  for (; index < p->type_count; index++) {
    pprofc_str type = profile_type(p, index);
    if (str_equal(type, wanted) || str_equal(type, bare)) break;
  }
  return index;
}

size_t pprofc_profile_string_count(const pprofc_profile *p) {
  return p->strings.count;
}

pprofc_str pprofc_profile_string(const pprofc_profile *p, uint32_t index) {
  return index < p->strings.count ? profile_string(p, index) : STR("");
}

void pprofc_profile_samples(const pprofc_profile *p, pprofc_samples_view *view) {
  *view = (pprofc_samples_view){p->samples.count, p->type_count, p->samples.values};
  if (p->samples.tree) *view = (pprofc_samples_view){0, p->type_count, NULL};
}

size_t pprofc_profile_stack(const pprofc_profile *p, size_t sample, uint32_t *frames,
                            size_t capacity) {
  if (sample >= p->samples.count || p->samples.tree) return 0;
  struct stack_reader reader = stack_reader_at(&p->samples, sample);
  struct packed_stack stack = stack_of(&reader, sample);
  uint32_t location;
  size_t depth = 0;
  for (; stack_take_leaf(&stack, &location); depth++)
    if (depth < capacity) frames[depth] = location;
  return depth;
}

size_t pprofc_profile_max_depth(const pprofc_profile *p) {
  return p->samples.max_depth;
}

size_t samples_most_labels(const struct samples *samples) {
  size_t most = 0;
  for (size_t i = 0; i < samples->label_set_count; i++)
    if (samples->label_sets[i].count > most) most = samples->label_sets[i].count;
  return most;
}

bool label_set_is_base(const pprofc_profile *p, uint32_t set) {
  struct label_set s = p->samples.label_sets[set];
  for (const struct label *l = p->samples.labels + s.first; s.count; l++, s.count--)
    if (!l->is_number && str_equal(profile_string(p, l->key), BASE_LABEL) &&
        str_equal(profile_string(p, l->string), STR("true")))
      return true;
  return false;
}

bool profile_has_base(const pprofc_profile *p) {
  for (uint32_t i = 0; i < p->samples.label_set_count; i++)
    if (label_set_is_base(p, i)) return true;
  return false;
}

size_t pprofc_profile_label_count(const pprofc_profile *p, size_t sample) {
  return sample < p->samples.count ? label_count(&p->samples, sample) : 0;
}

pprofc_label pprofc_profile_label(const pprofc_profile *p, size_t sample, size_t index) {
  if (index >= pprofc_profile_label_count(p, sample))
    return (pprofc_label){STR(""), STR(""), STR(""), 0, false};
  struct label label = sample_labels(&p->samples, sample)[index];
  return (pprofc_label){
      .key = profile_string(p, label.key),
      .string = profile_string(p, label.string),
      .unit = profile_string(p, label.unit),
      .number = label.number,
      .is_number = label.is_number,
  };
}

size_t pprofc_profile_location_count(const pprofc_profile *p) {
  return p->locations.count;
}

pprofc_location pprofc_profile_location(const pprofc_profile *p, uint32_t index) {
  const struct locations *l = &p->locations;
  if (index >= l->count) return (pprofc_location){.mapping = PPROFC_NONE};
  return (pprofc_location){
      .id = location_id(l, index),
      .address = l->address[index],
      .mapping = l->mapping[index],
      .line_count = l->line_from[index + 1] - l->line_from[index],
      .is_folded = l->is_folded && l->is_folded[index],
  };
}

pprofc_line pprofc_profile_line(const pprofc_profile *p, uint32_t location, size_t index) {
  if (index >= pprofc_profile_location(p, location).line_count)
    return (pprofc_line){PPROFC_NONE, 0, 0};
  struct line line = p->locations.lines[p->locations.line_from[location] + index];
  return (pprofc_line){line.function, line.line, line.column};
}

size_t pprofc_profile_function_count(const pprofc_profile *p) {
  return p->functions.count;
}

pprofc_function pprofc_profile_function(const pprofc_profile *p, uint32_t index) {
  const struct functions *f = &p->functions;
  if (index >= f->count) return (pprofc_function){0, STR(""), STR(""), STR(""), 0};
  return (pprofc_function){
      .id = function_id(f, index),
      .name = profile_string(p, f->name[index]),
      .system_name = profile_string(p, f->system_name[index]),
      .filename = profile_string(p, f->filename[index]),
      .start_line = f->start_line[index],
  };
}

size_t pprofc_profile_mapping_count(const pprofc_profile *p) {
  return p->mappings.count;
}

pprofc_mapping pprofc_profile_mapping(const pprofc_profile *p, uint32_t index) {
  if (index >= p->mappings.count) return (pprofc_mapping){.file = STR(""), .build_id = STR("")};
  const struct mapping *m = &p->mappings.items[index];
  return (pprofc_mapping){
      .id = m->id,
      .start = m->start,
      .limit = m->limit,
      .offset = m->offset,
      .file = profile_string(p, m->file),
      .build_id = profile_string(p, m->build_id),
      .has_functions = m->flags & PPROFC_HAS_FUNCTIONS,
      .has_filenames = m->flags & PPROFC_HAS_FILENAMES,
      .has_line_numbers = m->flags & PPROFC_HAS_LINE_NUMBERS,
      .has_inline_frames = m->flags & PPROFC_HAS_INLINE_FRAMES,
  };
}

/* ---- label sets ------------------------------------- */

void label_table_init(struct label_table *table, const pprofc_allocator *mem,
                      const struct label *labels, struct label_set *sets) {
  *table = (struct label_table){.labels = labels, .sets = sets};
  map_init(&table->map, mem);
}

void label_table_free(struct label_table *table) {
  map_free(&table->map);
}

static inline bool label_table_equal(const struct label_table *table, uint32_t set, size_t first,
                                     size_t count) {
  const struct label *labels = table->labels;
  return table->sets[set].count == count &&
         memcmp(labels + table->sets[set].first, labels + first, count * sizeof *labels) == 0;
}

uint32_t label_table_add(struct label_table *table, size_t first, size_t count) {
  if (table->last < table->count && label_table_equal(table, table->last, first, count))
    return table->last;
  uint64_t hash = hash_bytes(table->labels + first, count * sizeof *table->labels);
  MAP_FIND(index, &table->map, hash, label_table_equal(table, index, first, count));
  if (index == MAP_NONE) {
    index = (uint32_t)table->count;
    if (!map_insert(&table->map, hash, index)) return MAP_NONE;
    table->sets[table->count++] = (struct label_set){(uint32_t)first, (uint32_t)count};
  }
  table->last = index;
  return index;
}
