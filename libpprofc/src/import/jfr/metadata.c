/* Reads the metadata of a chunk: a table of strings, and then a tree of elements with attributes.
 * The tree describes classes and their fields. */
#include "import/jfr/jfr.h"

#define DEEPEST 16 /* maximum nesting of elements; recordings have 5 */

/* Kind of an element, which decides how its attributes are read. */
enum jfr_element { JFR_OTHER, JFR_ELEMENT_CLASS, JFR_ELEMENT_FIELD };

struct jfr_tree {
  struct jfr *j;
  struct jfr_reader r;
  pprofc_str *strings;
  size_t string_count, string_capacity;
  struct {
    uint32_t children;
    enum jfr_element element;
  } open[DEEPEST];
  size_t depth;
};

static bool tree_read_strings(struct jfr_tree *t) {
  uint32_t count = jfr_int(&t->r);
  uint64_t key;
  bool ok = true;
  struct buffer decoded = buffer_make(t->j->mem, SIZE_MAX);
  for (uint32_t i = 0; i < count && ok && !t->r.failed; i++) {
    buffer_clear(&decoded);
    pprofc_str s = jfr_read_string(&t->r, &decoded, &key);
    if (s.size && s.data == decoded.data) s = arena_str(&t->j->arena, s);
    ok = !decoded.failed && (s.data || !s.size) &&
         ARRAY_RESERVE(t->j->mem, t->strings, t->string_capacity, t->string_count + 1);
    if (ok) t->strings[t->string_count++] = s;
  }
  buffer_free(&decoded);
  return import_need(t->j->builder, ok);
}

static pprofc_str tree_string(struct jfr_tree *t) {
  uint32_t index = jfr_int(&t->r);
  if (index < t->string_count) return t->strings[index];
  jfr_fail_read(&t->r);
  return STR("");
}

/* ---- classes and fields ------------------------------ */

static const struct {
  const char *name;
  enum jfr_kind kind;
} jfr_kinds[] = {
    {"boolean", JFR_BYTE}, {"byte", JFR_BYTE},     {"char", JFR_SHORT},
    {"short", JFR_SHORT},  {"int", JFR_INT},       {"long", JFR_LONG},
    {"float", JFR_FLOAT},  {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING},
};

static enum jfr_kind jfr_kind_of(pprofc_str name) {
  for (size_t i = 0; i < sizeof jfr_kinds / sizeof *jfr_kinds; i++)
    if (str_equal(name, str_of(jfr_kinds[i].name))) return jfr_kinds[i].kind;
  return JFR_STRUCT;
}

/* Adds a class or a field without its attributes, which follow in the file. */
static bool tree_open(struct jfr_tree *t, enum jfr_element element) {
  struct jfr_metadata *m = &t->j->metadata;
  if (element == JFR_ELEMENT_CLASS) {
    if (!import_need(t->j->builder,
                     ARRAY_PUSH(t->j->mem, m->classes, m->class_count, m->class_capacity,
                                (struct jfr_class){.first_field = (uint32_t)m->field_count})))
      return false;
  }
  if (element == JFR_ELEMENT_FIELD) {
    if (!import_need(t->j->builder,
                     ARRAY_PUSH(t->j->mem, m->fields, m->field_count, m->field_capacity,
                                (struct jfr_field){.unit = JFR_TICKS})))
      return false;
    m->classes[m->class_count - 1].field_count++;
  }
  return true;
}

static void tree_class_attribute(struct jfr_class *c, pprofc_str key, pprofc_str value) {
  if (str_equal(key, STR("name"))) c->name = value;
  if (str_equal(key, STR("id")) && !str_parse_uint(value, 10, &c->id)) c->id = UINT64_MAX;
}

static void tree_field_attribute(struct jfr_field *f, pprofc_str key, pprofc_str value) {
  if (str_equal(key, STR("name"))) f->name = value;
  if (str_equal(key, STR("class")) && !str_parse_uint(value, 10, &f->type)) f->type = UINT64_MAX;
  if (str_equal(key, STR("constantPool"))) f->pooled = str_equal(value, STR("true"));
  if (str_equal(key, STR("dimension"))) f->array = !str_equal(value, STR("0"));
}

static const struct {
  const char *name;
  enum jfr_unit unit;
} jfr_units[] = {
    {"NANOSECONDS", JFR_NANOSECONDS},
    {"MICROSECONDS", JFR_MICROSECONDS},
    {"MILLISECONDS", JFR_MILLISECONDS},
    {"SECONDS", JFR_SECONDS},
};

/* Reads an attribute of a field's annotation. jdk.jfr.Timespan gives the unit of the field. */
static void tree_annotation(struct jfr_field *f, pprofc_str key, pprofc_str value) {
  if (!str_equal(key, STR("value"))) return;
  for (size_t i = 0; i < sizeof jfr_units / sizeof *jfr_units; i++)
    if (str_equal(value, str_of(jfr_units[i].name))) f->unit = jfr_units[i].unit;
}

/* ---- the tree ---------------------------------------- */

/* Returns the kind of an element from its name and its parent. */
static enum jfr_element tree_element(pprofc_str name, enum jfr_element parent) {
  if (str_equal(name, STR("class"))) return JFR_ELEMENT_CLASS;
  if (str_equal(name, STR("field")) && parent == JFR_ELEMENT_CLASS) return JFR_ELEMENT_FIELD;
  return JFR_OTHER;
}

static void tree_attribute(struct jfr_tree *t, enum jfr_element element, enum jfr_element parent) {
  struct jfr_metadata *m = &t->j->metadata;
  pprofc_str key = tree_string(t), value = tree_string(t);
  if (element == JFR_ELEMENT_CLASS)
    tree_class_attribute(&m->classes[m->class_count - 1], key, value);
  if (element == JFR_ELEMENT_FIELD)
    tree_field_attribute(&m->fields[m->field_count - 1], key, value);
  if (element == JFR_OTHER && parent == JFR_ELEMENT_FIELD)
    tree_annotation(&m->fields[m->field_count - 1], key, value);
}

/* Reads an element and its attributes. Appends the element to t->open if it has children. */
static bool tree_read_element(struct jfr_tree *t) {
  enum jfr_element parent = t->depth ? t->open[t->depth - 1].element : JFR_OTHER;
  enum jfr_element element = tree_element(tree_string(t), parent);
  if (t->depth) t->open[t->depth - 1].children--;
  if (t->r.failed || !tree_open(t, element)) return false;
  uint32_t attributes = jfr_int(&t->r);
  for (uint32_t i = 0; i < attributes && !t->r.failed; i++) tree_attribute(t, element, parent);
  uint32_t children = jfr_int(&t->r);
  if (t->r.failed) return false;
  if (children && t->depth == DEEPEST)
    return import_refuse_at(t->j->builder, t->r.at, "metadata that nests too deeply");
  if (children) {
    t->open[t->depth].children = children;
    t->open[t->depth++].element = element;
  }
  return true;
}

static bool tree_read(struct jfr_tree *t) {
  bool ok;
  do {
    ok = tree_read_element(t);
    while (t->depth && !t->open[t->depth - 1].children) t->depth--;
  } while (ok && t->depth);
  return ok;
}

/* ---- the event --------------------------------------- */

/* Returns the offset of the metadata: the offset in the header, or else the offset of the first
 * event of type 0. Returns 0 if there is no metadata. */
static uint64_t jfr_find_metadata(struct jfr *j) {
  if (j->chunk->metadata_at) return j->chunk->metadata_at;
  struct jfr_reader r = jfr_reader_at(j, JFR_HEADER_SIZE), body;
  uint64_t type;
  for (const uint8_t *at = r.at; jfr_next_event(j, &r, &type, &body); at = r.at)
    if (type == 0) return (uint64_t)(at - j->chunk->start);
  return 0;
}

static bool jfr_index_classes(struct jfr *j) {
  struct jfr_metadata *m = &j->metadata;
  for (size_t i = 0; i < m->class_count; i++) {
    m->classes[i].kind = jfr_kind_of(m->classes[i].name);
    if (!jfr_class_of(j, m->classes[i].id) &&
        !map_insert(&m->by_id, hash_mix(m->classes[i].id, 0), (uint32_t)i))
      return import_need(j->builder, false);
  }
  return true;
}

bool jfr_read_metadata(struct jfr *j) {
  struct jfr_tree t = {.j = j};
  uint64_t offset = jfr_find_metadata(j), type;
  if (!builder_ok(j->builder)) return false;
  struct jfr_reader r = jfr_reader_at(j, offset);
  const uint8_t *at = r.at;
  if (!offset || !jfr_next_event(j, &r, &type, &t.r) || type != 0)
    return import_refuse_at(j->builder, at, "no metadata");
  jfr_long(&t.r); /* skip time, duration and id of the metadata */
  jfr_long(&t.r);
  jfr_long(&t.r);
  if (tree_read_strings(&t)) tree_read(&t);
  if (t.r.failed) import_refuse_at(j->builder, at, "unreadable metadata");
  ARRAY_FREE(j->mem, t.strings, t.string_capacity);
  return builder_ok(j->builder) && jfr_index_classes(j);
}

struct jfr_class *jfr_class_of(struct jfr *j, uint64_t id) {
  MAP_FIND(index, &j->metadata.by_id, hash_mix(id, 0), j->metadata.classes[index].id == id);
  return index == MAP_NONE ? NULL : &j->metadata.classes[index];
}

const struct jfr_field *jfr_field_of(struct jfr *j, const struct jfr_class *c, const char *name) {
  for (uint32_t i = 0; i < c->field_count; i++)
    if (str_equal(j->metadata.fields[c->first_field + i].name, str_of(name)))
      return &j->metadata.fields[c->first_field + i];
  return NULL;
}
