/* Finds equal functions, mappings and locations, and makes the tables of the result. */
#include "pprofc/builder.h"
#include "transform/merge/merge.h"

uint32_t merge_string(struct merge *m, size_t source, uint32_t string) {
  struct merge_source *s = &m->sources[source];
  if (s->strings[string] != NONE) return s->strings[string];
  pprofc_str text = profile_string(s->profile, string);
  s->strings[string] = s->shared ? interner_add(&m->strings, text)
                                 : interner_copy(&m->strings, &m->out->region->arena, text);
  return s->strings[string];
}

/* ---- merged records ---------------------------------- */

static bool merge_functions(struct merge *m, struct map *table, size_t source) {
  struct merge_source *s = &m->sources[source];
  const struct functions *f = &s->profile->functions;
  for (size_t i = 0; i < f->count; i++) {
    struct function_fields key = {
        .name = merge_string(m, source, f->name[i]),
        .system_name = merge_string(m, source, f->system_name[i]),
        .filename = merge_string(m, source, f->filename[i]),
        .start_line = f->start_line[i],
    };
    if (key.name == NONE || key.system_name == NONE || key.filename == NONE) return false;
    uint64_t hash = hash_mix(hash_mix(key.name, key.system_name),
                             hash_mix(key.filename, (uint64_t)key.start_line));
    const struct function_fields *known = m->functions;
    MAP_FIND(merged, table, hash,
             known[merged].name == key.name && known[merged].system_name == key.system_name &&
                 known[merged].filename == key.filename &&
                 known[merged].start_line == key.start_line);
    if (merged == MAP_NONE) {
      merged = (uint32_t)m->function_count++;
      m->functions[merged] = key;
      if (!map_insert(table, hash, merged)) return false;
    }
    s->functions[i] = merged;
  }
  return true;
}

static uint64_t rounded_size(const struct mapping *a) {
  uint64_t size = a->limit - a->start + 0xFFF;
  return size - size % 0x1000;
}

/* Returns the string that distinguishes mappings of equal size and offset: the build id, or the
 * file name if the build id is empty. */
static pprofc_str mapping_name(const pprofc_profile *p, const struct mapping *a) {
  pprofc_str build_id = profile_string(p, a->build_id);
  return build_id.size ? build_id : profile_string(p, a->file);
}

static bool same_text(const pprofc_profile *p, uint32_t a, const pprofc_profile *q, uint32_t b) {
  return str_equal(profile_string(p, a), profile_string(q, b));
}

/* A mapping, and the profile that contains it. */
struct placed_mapping {
  const pprofc_profile *profile;
  const struct mapping *mapping;
};

static struct placed_mapping merged_mapping(const struct merge *m, uint32_t merged) {
  const pprofc_profile *p = m->sources[m->mappings[merged].source].profile;
  return (struct placed_mapping){p, &p->mappings.items[m->mappings[merged].index]};
}

/* True if two mappings have the same key. As in pprof, the key is size, offset and name. */
static bool same_mapping_key(struct placed_mapping a, struct placed_mapping b) {
  return rounded_size(a.mapping) == rounded_size(b.mapping) &&
         a.mapping->offset == b.mapping->offset &&
         str_equal(mapping_name(a.profile, a.mapping), mapping_name(b.profile, b.mapping));
}

/* True if two mappings with the same offset agree in all other fields. */
static bool same_mapping_rest(struct placed_mapping a, struct placed_mapping b) {
  return a.mapping->start == b.mapping->start && a.mapping->limit == b.mapping->limit &&
         a.mapping->flags == b.mapping->flags &&
         same_text(a.profile, a.mapping->file, b.profile, b.mapping->file) &&
         same_text(a.profile, a.mapping->build_id, b.profile, b.mapping->build_id);
}

/* Returns the merged mapping with the same key as `a`, or MAP_NONE. */
static uint32_t find_merged_mapping(struct merge *m, const struct map *table, uint64_t hash,
                                    struct placed_mapping a) {
  MAP_FIND(merged, table, hash, same_mapping_key(a, merged_mapping(m, merged)));
  if (merged != MAP_NONE) m->ambiguous |= !same_mapping_rest(a, merged_mapping(m, merged));
  return merged;
}

static bool merge_mappings(struct merge *m, struct map *table, size_t source) {
  struct merge_source *s = &m->sources[source];
  const pprofc_profile *p = s->profile;
  for (size_t i = 0; i < p->mappings.count; i++) {
    const struct mapping *a = &p->mappings.items[i];
    uint64_t hash = hash_mix(hash_str(mapping_name(p, a)), rounded_size(a));
    hash = hash_mix(hash, a->offset);
    uint32_t merged = find_merged_mapping(m, table, hash, (struct placed_mapping){p, a});
    if (merged == MAP_NONE) {
      merged = (uint32_t)m->mapping_count++;
      m->mappings[merged] = (struct merge_place){(uint32_t)source, (uint32_t)i};
      if (!map_insert(table, hash, merged)) return false;
    }
    s->mappings[i] = merged;
  }
  return true;
}

static bool is_folded(const struct locations *l, size_t i) {
  return l->is_folded && l->is_folded[i];
}

/* Returns the address of a location minus the start of its mapping. */
static uint64_t merge_tables_offset_of(const pprofc_profile *p, uint32_t location) {
  const struct locations *l = &p->locations;
  uint32_t mapping = l->mapping[location];
  return l->address[location] - (mapping == NONE ? 0 : p->mappings.items[mapping].start);
}

/* Hashes a location. The hash includes the column of the last line, but not the columns of other
 * lines, like pprof's key. */
static uint64_t hash_location(const struct merge_source *s, const struct merge_location *key) {
  const struct locations *l = &s->profile->locations;
  uint32_t i = key->place.index;
  uint64_t hash =
      hash_mix(hash_mix(merge_tables_offset_of(s->profile, i), key->mapping), is_folded(l, i));
  for (uint32_t n = l->line_from[i]; n < l->line_from[i + 1]; n++) {
    hash = hash_mix(hash, s->functions[l->lines[n].function]);
    hash = hash_mix(hash, (uint64_t)l->lines[n].line);
  }
  if (l->line_from[i + 1] > l->line_from[i])
    hash = hash_mix(hash, (uint64_t)l->lines[l->line_from[i + 1] - 1].column);
  return hash;
}

static bool merge_tables_same_location(struct merge *m, const struct merge_location *a,
                                       const struct merge_location *b) {
  const struct merge_source *sa = &m->sources[a->place.source], *sb = &m->sources[b->place.source];
  const struct locations *la = &sa->profile->locations, *lb = &sb->profile->locations;
  uint32_t i = a->place.index, j = b->place.index;
  uint32_t count = la->line_from[i + 1] - la->line_from[i];
  if (a->mapping != b->mapping ||
      merge_tables_offset_of(sa->profile, i) != merge_tables_offset_of(sb->profile, j) ||
      is_folded(la, i) != is_folded(lb, j) || count != lb->line_from[j + 1] - lb->line_from[j])
    return false;
  const struct line *x = la->lines + la->line_from[i], *y = lb->lines + lb->line_from[j];
  bool inner_columns = true;
  for (uint32_t n = 0; n < count; n++) {
    if (sa->functions[x[n].function] != sb->functions[y[n].function] || x[n].line != y[n].line)
      return false;
    if (x[n].column == y[n].column) continue;
    if (n + 1 == count) return false;
    inner_columns = false;
  }
  m->ambiguous = m->ambiguous || !inner_columns;
  return true;
}

static bool merge_locations(struct merge *m, struct map *table, size_t source) {
  struct merge_source *s = &m->sources[source];
  const struct locations *l = &s->profile->locations;
  for (size_t i = 0; i < l->count; i++) {
    uint32_t mapping = l->mapping[i];
    struct merge_location key = {
        .place = {(uint32_t)source, (uint32_t)i},
        .mapping = mapping == NONE ? NONE : s->mappings[mapping],
    };
    uint64_t hash = hash_location(s, &key);
    MAP_FIND(merged, table, hash, merge_tables_same_location(m, &key, &m->locations[merged]));
    if (merged == MAP_NONE) {
      merged = (uint32_t)m->location_count++;
      m->locations[merged] = key;
      if (!map_insert(table, hash, merged)) return false;
    }
    s->locations[i] = merged;
  }
  return true;
}

/* ---- tables of the previous source ------------------- */

static bool merge_tables_same_columns(const void *a, const void *b, size_t count, size_t size) {
  return count == 0 || (a && b ? memcmp(a, b, count * size) == 0 : a == b);
}

static bool same_functions(const pprofc_profile *p, const pprofc_profile *q) {
  const struct functions *a = &p->functions, *b = &q->functions;
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->start_line[i] != b->start_line[i] || !same_text(p, a->name[i], q, b->name[i]) ||
        !same_text(p, a->system_name[i], q, b->system_name[i]) ||
        !same_text(p, a->filename[i], q, b->filename[i]))
      return false;
  return true;
}

static bool same_mappings(const pprofc_profile *p, const pprofc_profile *q) {
  if (p->mappings.count != q->mappings.count) return false;
  for (size_t i = 0; i < p->mappings.count; i++) {
    struct placed_mapping a = {p, &p->mappings.items[i]}, b = {q, &q->mappings.items[i]};
    if (a.mapping->offset != b.mapping->offset || !same_mapping_rest(a, b)) return false;
  }
  return true;
}

static bool same_locations(const struct locations *a, const struct locations *b) {
  size_t n = a->count;
  if (n != b->count ||
      !merge_tables_same_columns(a->line_from, b->line_from, n + 1, sizeof *a->line_from) ||
      !merge_tables_same_columns(a->address, b->address, n, sizeof *a->address) ||
      !merge_tables_same_columns(a->mapping, b->mapping, n, sizeof *a->mapping) ||
      !merge_tables_same_columns(a->is_folded, b->is_folded, n, sizeof *a->is_folded))
    return false;
  for (size_t i = 0; i < a->line_from[n]; i++) {
    const struct line *x = &a->lines[i], *y = &b->lines[i];
    if (x->function != y->function || x->line != y->line || x->column != y->column) return false;
  }
  return true;
}

/* Reuses the merged tables of the previous source if both sources have the same tables, apart from
 * the numbers of strings. This is frequent for profiles of one program. The comparison takes little
 * time. */
static bool take_tables(struct merge *m, size_t source) {
  if (source == 0) return false;
  struct merge_source *s = &m->sources[source];
  const struct merge_source *before = s - 1;
  const pprofc_profile *p = s->profile, *q = before->profile;
  if (!same_locations(&p->locations, &q->locations) || !same_mappings(p, q) ||
      !same_functions(p, q))
    return false;
  s->functions = before->functions;
  s->mappings = before->mappings;
  s->locations = before->locations;
  return true;
}

/* ---- segments ---------------------------------------- */

static bool merge_fill_segment(struct merge *m, struct merge_segment *segment,
                               const struct segment *from) {
  const struct merge_source *s = &m->sources[segment->source];
  size_t locations = s->profile->locations.count;
  segment->map = from->map;
  segment->size = from->map ? from->map_size : locations + 1;
  segment->merged = s->locations - 1;
  if (!from->map) return true;
  uint32_t *merged = arena_array(&m->arena, segment->size, sizeof *merged);
  if (!merged) return false;
  segment->merged = merged;
  for (size_t v = 0; v < segment->size; v++) {
    uint32_t location = from->map[v];
    merged[v] = location == LOCATION_HIDDEN ? LOCATION_HIDDEN : s->locations[location];
  }
  return true;
}

static bool make_segments(struct merge *m) {
  size_t count = 0;
  for (size_t i = 0; i < m->source_count; i++)
    count += merge_samples_of(m, (uint32_t)i)->segment_count;
  m->segments = arena_array(&m->arena, count, sizeof *m->segments);
  if (!m->segments) return false;
  for (uint32_t i = 0; i < m->source_count; i++) {
    const struct samples *s = merge_samples_of(m, i);
    for (size_t n = 0; n < s->segment_count; n++) {
      struct merge_segment *segment = &m->segments[m->segment_count];
      if (segment_end(s, n) == s->segments[n].first) continue;
      *segment = (struct merge_segment){.first = m->sources[i].first_sample + s->segments[n].first,
                                        .source = i};
      if (!merge_fill_segment(m, segment, &s->segments[n])) return false;
      m->segment_count++;
    }
  }
  return true;
}

/* ---- all tables -------------------------------------- */

static bool alloc_merged(struct merge *m) {
  size_t functions = 0, mappings = 0, locations = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    const pprofc_profile *p = m->sources[i].profile;
    functions += p->functions.count;
    mappings += p->mappings.count;
    locations += p->locations.count;
  }
  if (functions >= NONE || mappings >= NONE || locations >= MERGE_LOCATIONS_MAX) return false;
  m->functions = arena_array(&m->tables, functions, sizeof *m->functions);
  m->mappings = arena_array(&m->tables, mappings, sizeof *m->mappings);
  m->locations = arena_array(&m->tables, locations, sizeof *m->locations);
  return m->functions && m->mappings && m->locations;
}

static bool alloc_source(struct merge *m, size_t source) {
  struct merge_source *s = &m->sources[source];
  const pprofc_profile *p = s->profile;
  s->functions = arena_array(&m->tables, p->functions.count, sizeof *s->functions);
  s->mappings = arena_array(&m->tables, p->mappings.count, sizeof *s->mappings);
  s->locations = arena_array(&m->arena, p->locations.count + 1, sizeof *s->locations);
  if (!s->functions || !s->mappings || !s->locations) return false;
  *s->locations++ = LOCATION_HIDDEN;
  return true;
}

/* Reserves room for the functions and locations of the largest source. The tables grow if other
 * sources add more. */
static bool merge_tables_reserve(struct merge *m, struct map *functions, struct map *locations) {
  size_t most_functions = 0, most_locations = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    const pprofc_profile *p = m->sources[i].profile;
    if (p->functions.count > most_functions) most_functions = p->functions.count;
    if (p->locations.count > most_locations) most_locations = p->locations.count;
  }
  return map_reserve(functions, most_functions) && map_reserve(locations, most_locations) &&
         map_reserve(&m->strings.map, most_functions);
}

bool merge_tables(struct merge *m) {
  struct map functions, mappings, locations;
  const pprofc_allocator *mem = &m->out->mem;
  map_init(&functions, mem);
  map_init(&mappings, mem);
  map_init(&locations, mem);
  bool ok = alloc_merged(m) && merge_tables_reserve(m, &functions, &locations);
  for (size_t i = 0; ok && i < m->source_count; i++)
    ok =
        take_tables(m, i) || (alloc_source(m, i) && merge_functions(m, &functions, i) &&
                              merge_mappings(m, &mappings, i) && merge_locations(m, &locations, i));
  map_free(&functions);
  map_free(&mappings);
  map_free(&locations);
  return ok && make_segments(m);
}

/* ---- the tables of the result ------------------------ */

static bool write_functions(struct merge *m) {
  struct function_fields *rows = arena_array(&m->tables, m->functions_used, sizeof *rows);
  for (size_t i = 0; rows && i < m->functions_used; i++)
    rows[i] = m->functions[m->function_order[i]];
  return rows && profile_add_functions(m->out, rows, m->functions_used, 0);
}

static bool write_mappings(struct merge *m) {
  struct mapping *items = arena_array(&m->out->region->arena, m->mappings_used, sizeof *items);
  if (!items) return false;
  for (size_t i = 0; i < m->mappings_used; i++) {
    struct merge_place place = m->mappings[m->mapping_order[i]];
    items[i] = m->sources[place.source].profile->mappings.items[place.index];
    items[i].id = i + 1;
    items[i].file = merge_string(m, place.source, items[i].file);
    items[i].build_id = merge_string(m, place.source, items[i].build_id);
    if (items[i].file == NONE || items[i].build_id == NONE) return false;
  }
  m->out->mappings = (struct mappings){m->mappings_used, items};
  return true;
}

struct location_columns {
  uint64_t *address;
  uint32_t *mapping, *line_from;
  struct line *lines;
  uint8_t *is_folded;
  size_t line_count;
};

static void write_location(const struct merge *m, size_t n, struct location_columns *c) {
  const struct merge_location *key = &m->locations[m->location_order[n]];
  const struct merge_source *s = &m->sources[key->place.source];
  const struct locations *l = &s->profile->locations;
  uint32_t i = key->place.index;
  c->address[n] = merge_tables_offset_of(s->profile, i);
  c->mapping[n] = NONE;
  if (key->mapping != NONE) {
    c->mapping[n] = m->mapping_number[key->mapping];
    c->address[n] += m->out->mappings.items[c->mapping[n]].start;
  }
  if (c->is_folded) c->is_folded[n] = is_folded(l, i);
  c->line_from[n] = (uint32_t)c->line_count;
  for (uint32_t at = l->line_from[i]; at < l->line_from[i + 1]; at++) {
    struct line line = l->lines[at];
    line.function = m->function_number[s->functions[line.function]];
    c->lines[c->line_count++] = line;
  }
}

static bool write_locations(struct merge *m) {
  struct arena *arena = &m->out->region->arena;
  size_t count = m->locations_used, lines = 0;
  bool any_folded = false;
  for (size_t n = 0; n < count; n++) {
    struct merge_place place = m->locations[m->location_order[n]].place;
    const struct locations *l = &m->sources[place.source].profile->locations;
    lines += l->line_from[place.index + 1] - l->line_from[place.index];
    any_folded = any_folded || is_folded(l, place.index);
  }
  if (lines >= NONE) return false;
  struct location_columns c = {
      .address = arena_array(arena, count, sizeof *c.address),
      .mapping = arena_array(arena, count, sizeof *c.mapping),
      .line_from = arena_array(arena, count + 1, sizeof *c.line_from),
      .lines = arena_array(arena, lines, sizeof *c.lines),
      .is_folded = any_folded ? arena_array(arena, count, 1) : NULL,
  };
  if (!c.address || !c.mapping || !c.line_from || !c.lines || (any_folded && !c.is_folded))
    return false;
  for (size_t n = 0; n < count; n++) write_location(m, n, &c);
  c.line_from[count] = (uint32_t)lines;
  m->out->locations = (struct locations){
      .count = count,
      .address = c.address,
      .mapping = c.mapping,
      .line_from = c.line_from,
      .lines = c.lines,
      .is_folded = c.is_folded,
  };
  return true;
}

bool merge_write_tables(struct merge *m) {
  bool ok = write_functions(m) && write_mappings(m) && write_locations(m);
  arena_free(&m->tables);
  return ok;
}
