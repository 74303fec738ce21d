/* Parses projections. Maps benchmark results to keys. */
#include "bench/projection.h"

void projection_group_init(struct projection_group *group, struct extractor *extractor) {
  *group = (struct projection_group){.extractor = extractor, .mem = extractor->arena->mem};
}

void projection_group_free(struct projection_group *group) {
  mem_free(group->mem, group->excluded, group->excluded_capacity, sizeof *group->excluded);
}

void projection_free(struct projection *p) {
  if (!p->group) return;
  const pprofc_allocator *mem = p->group->mem;
  for (size_t i = 0; i < p->field_count; i++)
    mem_free(mem, p->fields[i].ranks, p->fields[i].ranks_capacity, sizeof *p->fields[i].ranks);
  mem_free(mem, p->parts, p->part_capacity, sizeof *p->parts);
  mem_free(mem, p->fields, p->field_capacity, sizeof *p->fields);
  mem_free(mem, p->row, p->row_capacity, sizeof *p->row);
  mem_free(mem, p->keys, p->key_capacity, sizeof *p->keys);
  mem_free(mem, p->values, p->value_capacity, sizeof *p->values);
  map_free(&p->key_map);
}

/* ---- parsing ----------------------------------------- */

static void projection_add_field(struct projection *p, pprofc_str name, size_t part,
                                 bool observed) {
  if (!ARRAY_RESERVE(p->group->mem, p->fields, p->field_capacity, p->field_count + 1) ||
      !ARRAY_RESERVE(p->group->mem, p->row, p->row_capacity, p->field_count + 1)) {
    p->group->failed = true;
    return;
  }
  p->fields[p->field_count++] =
      (struct field){.name = name, .part = (uint32_t)part, .observed = observed};
}

static void add_part(struct projection *p, pprofc_str name, struct projection_part part) {
  struct projection_group *group = p->group;
  if (!ARRAY_RESERVE(group->mem, p->parts, p->part_capacity, p->part_count + 1)) {
    group->failed = true;
    return;
  }
  part.is_config = str_equal(name, STR(".config"));
  if (part.is_config) {
    group->has_config = true;
  } else {
    part.key = extract_key(group->extractor, name);
    if (part.key.kind == KEY_FULL_NAME)
      group->has_full_name = true;
    else
      group->failed |= !ARRAY_PUSH(group->mem, group->excluded, group->excluded_count,
                                   group->excluded_capacity, name);
    projection_add_field(p, name, p->part_count, part.order == ORDER_FIRST);
  }
  p->parts[p->part_count++] = part;
}

/* Parses "(v1 v2 ...)" after the opening parenthesis. If a word occurs more than once, its last
 * position counts. */
static void parse_fixed(struct projection_group *group, struct query *query,
                        struct projection_part *part) {
  size_t capacity = 0;
  for (;;) {
    struct token token = query_peek(query);
    if (token.kind == ')') {
      if (!part->fixed_count) query_fail(query, token.offset, "nothing to match");
      query_drop(query);
      break;
    }
    if (token.kind != TOKEN_WORD && token.kind != TOKEN_QUOTED) {
      query_fail(query, token.offset, "missing )");
      break;
    }
    query_drop(query);
    group->failed |= !ARRAY_PUSH_IN(group->extractor->arena, part->fixed, part->fixed_count,
                                    capacity, extract_intern(group->extractor, token.text));
  }
}

struct named_order {
  const char *name;
  enum order order;
};

static const struct named_order named_orders[] = {
    {"first", ORDER_FIRST}, {"alpha", ORDER_ALPHA}, {"num", ORDER_NUM}, {"fixed", ORDER_FIXED}};

/* A parsed field. Its order and its key are checked after the syntax of the whole text. */
struct parsed_field {
  struct token key, order;
  struct projection_part part;
  size_t order_offset;
};

static void parse_field(struct projection_group *group, struct query *query,
                        struct parsed_field *field) {
  *field = (struct parsed_field){.part.order = ORDER_FIRST};
  field->key = query_peek(query);
  if (field->key.kind != TOKEN_WORD && field->key.kind != TOKEN_QUOTED) {
    query_fail(query, field->key.offset, "expected key");
    return;
  }
  query_drop(query);
  field->order_offset = field->key.offset + field->key.text.size;
  if (query_peek(query).kind != '@') return;
  query_drop(query);
  field->order = query_peek(query);
  field->order_offset = field->order.offset;
  if (field->order.kind == TOKEN_WORD || field->order.kind == TOKEN_QUOTED) {
    query_drop(query);
  } else if (field->order.kind == '(') {
    query_drop(query);
    field->part.order = ORDER_FIXED;
    parse_fixed(group, query, &field->part);
  } else {
    query_fail(query, field->order.offset, "expected named sort order or parenthesized list");
  }
}

/* Checks the key and the order of a field. The syntax of the whole text was checked before. */
static void check_field(struct query *query, struct parsed_field *field) {
  pprofc_str key = field->key.text, order = field->order.text;
  if (field->order.kind == TOKEN_WORD || field->order.kind == TOKEN_QUOTED) {
    size_t i = 0, count = COUNT(named_orders);
    while (i < count && !str_equal(order, str_of(named_orders[i].name))) i++;
    if (i == count) {
      struct buffer quoted = buffer_make(query->arena->mem, 4 * order.size + 16);
      go_quote(&quoted, order);
      query_fail(query, field->order_offset, "unknown order %.*s", STR_ARG(quoted));
      buffer_free(&quoted);
      return;
    }
    field->part.order = named_orders[i].order;
  }
  if (str_equal(key, STR(".config")) && field->part.order == ORDER_FIXED)
    query_fail(query, field->order_offset, "fixed order not allowed for .config");
  else if (str_equal(key, STR(".unit")))
    query_fail(query, field->key.offset, ".unit is only allowed in filters");
  else if (!key.size)
    query_fail(query, field->key.offset, "key must not be empty");
}

static void projection_start(struct projection *p, struct projection_group *group) {
  *p = (struct projection){.group = group, .last_key = MAP_NONE};
  map_init(&p->key_map, group->mem);
}

struct parsed_fields {
  struct parsed_field *items;
  size_t count, capacity;
};

/* Parses the fields, which are separated by commas or spaces. */
static void parse_fields(struct projection_group *group, struct query *query,
                         struct parsed_fields *fields) {
  while (!query->failed && !group->failed) {
    char kind = query_peek(query).kind;
    if (kind == TOKEN_END) return;
    if (kind == ',' && fields->count) query_drop(query);
    if (ARRAY_RESERVE(group->mem, fields->items, fields->capacity, fields->count + 1))
      parse_field(group, query, &fields->items[fields->count++]);
    else
      group->failed = true;
  }
}

pprofc_status projection_parse(struct projection *p, struct projection_group *group,
                               pprofc_str text, pprofc_error *error) {
  struct query query;
  struct parsed_fields fields = {NULL, 0, 0};
  projection_start(p, group);
  query_init(&query, text, group->extractor->arena, error);
  parse_fields(group, &query, &fields);
  for (size_t i = 0; i < fields.count && !query.failed; i++) {
    struct parsed_field *field = &fields.items[i];
    check_field(&query, field);
    if (!query.failed) add_part(p, field->key.text, field->part);
  }
  ARRAY_FREE(group->mem, fields.items, fields.capacity);
  if (query.failed) return query.status;
  return group->failed || group->extractor->failed ? error_nomem(error) : PPROFC_OK;
}

pprofc_status projection_residue(struct projection *p, struct projection_group *group,
                                 pprofc_error *error) {
  bool config = !group->has_config, full_name = !group->has_full_name;
  projection_start(p, group);
  struct projection_part part = {.order = ORDER_FIRST};
  if (config) add_part(p, STR(".config"), part);
  if (full_name) add_part(p, STR(".fullname"), part);
  return group->failed ? error_nomem(error) : PPROFC_OK;
}

/* ---- projecting -------------------------------------- */

bool projection_accepts(struct projection *p, size_t result) {
  for (size_t i = 0; i < p->part_count; i++) {
    struct projection_part *part = &p->parts[i];
    if (part->order != ORDER_FIXED || part->is_config) continue;
    uint32_t value = extract(p->group->extractor, &part->key, result);
    size_t at = 0;
    while (at < part->fixed_count && part->fixed[at] != value) at++;
    if (at == part->fixed_count) return false;
  }
  return true;
}

/* Returns the name of a result without the parts that the projections of the group use as keys. */
static uint32_t reduced_name(struct projection_group *group, uint32_t name) {
  struct extractor *e = group->extractor;
  if (!group->full_names) {
    size_t count = e->set->strings.count;
    group->full_names = arena_array(e->arena, count, sizeof *group->full_names);
    if (!group->full_names) {
      group->failed = true;
      return name;
    }
    memset(group->full_names, 0xFF, count * sizeof *group->full_names);
  }
  uint32_t *known = &group->full_names[name];
  if (*known != MAP_NONE) return *known;
  struct buffer text = buffer_make(group->mem, (size_t)1 << 20);
  name_exclude(&text, set_string(e->set, name), group->excluded, group->excluded_count);
  *known = extract_intern(e, buffer_str(&text));
  group->failed |= text.failed;
  buffer_free(&text);
  return *known;
}

#define FIELD_EXCLUDED (MAP_NONE - 1)

/* Returns the field of `.config` for a configuration key. Adds the field if it is new. */
static uint32_t config_field(struct projection *p, size_t part, uint32_t key) {
  const struct pprofc_bench *set = p->group->extractor->set;
  uint32_t *fields = p->parts[part].field_of_key;
  if (!fields) {
    size_t count = set->strings.count;
    fields = arena_array(p->group->extractor->arena, count, sizeof *fields);
    p->parts[part].field_of_key = fields;
    if (!fields) {
      p->group->failed = true;
      return FIELD_EXCLUDED;
    }
    memset(fields, 0xFF, count * sizeof *fields);
  }
  uint32_t *field = &fields[key];
  if (*field != MAP_NONE) return *field;
  pprofc_str name = set_string(set, key);
  *field = FIELD_EXCLUDED;
  for (size_t i = 0; i < p->group->excluded_count; i++)
    if (str_equal(p->group->excluded[i], name)) return *field;
  size_t count = p->field_count;
  projection_add_field(p, name, part, false);
  if (p->field_count > count) {
    *field = (uint32_t)count;
    p->row[count] = BENCH_EMPTY;
  }
  return *field;
}

static void project_config(struct projection *p, size_t part, size_t result) {
  const struct pprofc_bench *set = p->group->extractor->set;
  const struct bench_config *config = &set->configs[set->results[result].config];
  for (uint32_t i = 0; i < config->count; i++) {
    struct bench_pair pair = set->pairs[config->first + i];
    uint32_t field = config_field(p, part, pair.key);
    if (field != FIELD_EXCLUDED) p->row[field] = pair.value;
  }
}

static void projection_make_row(struct projection *p, size_t result) {
  struct extractor *e = p->group->extractor;
  for (size_t i = 0; i < p->field_count; i++) p->row[i] = BENCH_EMPTY;
  size_t field = 0;
  for (size_t i = 0; i < p->part_count; i++) {
    struct projection_part *part = &p->parts[i];
    if (part->is_config) {
      project_config(p, i, result);
      continue;
    }
    while (p->fields[field].part != i) field++;
    uint32_t value = extract(e, &part->key, result);
    if (part->key.kind == KEY_FULL_NAME && p->group->excluded_count)
      value = reduced_name(p->group, value);
    p->row[field] = value;
  }
}

/* Ranks the values of the current row in the order of their first use. */
static void observe(struct projection *p) {
  for (size_t i = 0; i < p->field_count; i++) {
    struct field *field = &p->fields[i];
    if (!field->observed) continue;
    uint32_t value = p->row[i];
    if (value >= field->ranks_capacity) {
      size_t old = field->ranks_capacity, ids = extract_ids(p->group->extractor);
      if (!ARRAY_RESERVE(p->group->mem, field->ranks, field->ranks_capacity, ids)) {
        p->group->failed = true;
        return;
      }
      memset(field->ranks + old, 0xFF, (field->ranks_capacity - old) * sizeof *field->ranks);
    }
    if (field->ranks[value] == MAP_NONE) field->ranks[value] = (uint32_t)field->seen++;
  }
}

/* True if the values of the key at `index` are the first `count` values of the current row. */
static bool key_row_equal(const void *projection, uint32_t index, const void *count) {
  const struct projection *p = projection;
  const struct key_row *key = &p->keys[index];
  size_t size = key->count * sizeof *p->row;
  return key->count == *(const size_t *)count &&
         (size == 0 || memcmp(p->values + key->first, p->row, size) == 0);
}

static inline bool reserve_key(struct projection *p, size_t values) {
  size_t wanted = p->value_count + values;
  const pprofc_allocator *mem = p->group->mem;
  return ARRAY_RESERVE(mem, p->keys, p->key_capacity, p->key_count + 1) &&
         ARRAY_RESERVE(mem, p->values, p->value_capacity, wanted);
}

/* Returns the key of the current row (the values of the current result). Adds the key if it is new.
 * Keys do not store trailing empty values. So a key stays the same if a field is added later. */
static uint32_t intern_row(struct projection *p) {
  size_t count = p->field_count;
  while (count && p->row[count - 1] == BENCH_EMPTY) count--;
  /* Compare first with the key after the previous key, because most inputs list the benchmarks in
   * the same order. */
  size_t next = (size_t)p->last_key + 1;
  if (next < p->key_count && key_row_equal(p, (uint32_t)next, &count)) return (uint32_t)next;
  uint64_t hash = hash_bytes(p->row, count * sizeof *p->row);
  uint32_t index = MAP_NONE;
  if (reserve_key(p, count))
    index = map_find_or_add(&p->key_map, hash, key_row_equal, p, &count, (uint32_t)p->key_count);
  if (index == MAP_NONE) {
    p->group->failed = true;
    return 0;
  }
  if (index < p->key_count) return index;
  observe(p);
  if (count) memcpy(p->values + p->value_count, p->row, count * sizeof *p->row);
  p->keys[p->key_count++] = (struct key_row){p->value_count, (uint32_t)count};
  p->value_count += count;
  return index;
}

uint32_t projection_key(struct projection *p, size_t result) {
  const pprofc_bench_result *r = &p->group->extractor->set->results[result];
  if (p->last_key != MAP_NONE && p->last_name == r->name && p->last_config == r->config &&
      p->last_input == r->input)
    return p->last_key;
  projection_make_row(p, result);
  p->last_name = r->name;
  p->last_config = r->config;
  p->last_input = r->input;
  return p->last_key = intern_row(p);
}

/* ---- order by number --------------------------------- */

/* Returns the factor of the unit prefix at the start of s, such as "k" or "Mi", or 1. */
static double prefix_factor(pprofc_str s) {
  static const char prefixes[] = "KMGTPEZY";
  if (!s.size || !s.data[0]) return 1;
  const char *found = strchr(prefixes, s.data[0] == 'k' ? 'K' : s.data[0]);
  if (!found) return 1;
  bool binary = s.size > 1 && s.data[1] == 'i';
  return pow(binary ? 1024 : 1000, (double)(found - prefixes + 1));
}

static bool is_number_part(char c) {
  return c == '.' || char_is_digit(c);
}

/* Reads the first decimal number in s, and multiplies it by the factor of the unit prefix that
 * follows it. Returns false if s has no number. */
static bool find_number(pprofc_str s, double *out) {
  size_t from = 0;
  while (from < s.size && !is_number_part(s.data[from])) from++;
  size_t to = from;
  while (to < s.size && is_number_part(s.data[to])) to++;
  double value;
  if (float_read(str_slice(s, from, to), &value) != NUMBER_OK) return false;
  *out = value * prefix_factor(str_slice(s, to, s.size));
  return true;
}

static bool as_number(pprofc_str s, double *out) {
  return float_read(s, out) == NUMBER_OK || find_number(s, out);
}

static int orders_compare_numbers(pprofc_str a, pprofc_str b) {
  double x = 0, y = 0;
  bool x_is = as_number(a, &x), y_is = as_number(b, &y);
  if (!x_is || !y_is) return (int)y_is - (int)x_is;
  if (x < y || (!isnan(x) && isnan(y))) return -1;
  return x > y || (isnan(x) && !isnan(y));
}

/* ---- comparing and showing --------------------------- */

uint32_t projection_value(const struct projection *p, uint32_t key, size_t field) {
  const struct key_row *row = &p->keys[key];
  return field < row->count ? p->values[row->first + field] : BENCH_EMPTY;
}

void projection_flat(const struct projection *p, size_t *out) {
  size_t count = 0;
  for (size_t part = 0; part < p->part_count; part++)
    for (size_t i = 0; i < p->field_count; i++)
      if (p->fields[i].part == part) out[count++] = i;
}

static int64_t fixed_rank(const struct projection_part *part, uint32_t value) {
  for (size_t i = part->fixed_count; i-- > 0;)
    if (part->fixed[i] == value) return (int64_t)i;
  return 0;
}

static int compare_field(const struct projection *p, size_t index, uint32_t a, uint32_t b) {
  const struct field *field = &p->fields[index];
  const struct projection_part *part = &p->parts[field->part];
  const struct extractor *e = p->group->extractor;
  int64_t order = 0;
  switch (part->order) {
  case ORDER_FIRST:
    if (field->observed) order = (int64_t)field->ranks[a] - (int64_t)field->ranks[b];
    break;
  case ORDER_FIXED:
    order = fixed_rank(part, a) - fixed_rank(part, b);
    break;
  case ORDER_NUM:
    order = orders_compare_numbers(extract_string(e, a), extract_string(e, b));
    break;
  case ORDER_ALPHA:
    break;
  }
  if (order) return order < 0 ? -1 : 1;
  return str_compare(extract_string(e, a), extract_string(e, b));
}

int projection_compare(const struct projection *p, const size_t *flat, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < p->field_count; i++) {
    uint32_t left = projection_value(p, a, flat[i]), right = projection_value(p, b, flat[i]);
    if (left != right) return compare_field(p, flat[i], left, right);
  }
  return 0;
}

void projection_label(const struct projection *p, const size_t *flat, uint32_t key,
                      struct buffer *out) {
  size_t start_size = out->size;
  for (size_t i = 0; i < p->field_count; i++) {
    uint32_t value = projection_value(p, key, flat[i]);
    if (value == BENCH_EMPTY) continue;
    if (out->size > start_size) buffer_add_char(out, ' ');
    buffer_add_str(out, extract_string(p->group->extractor, value));
  }
}
