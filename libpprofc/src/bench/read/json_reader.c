/* Implements the functions that the JSON readers share. */
#include "bench/read/json_reader.h"

/* Maximum size of JSON, whose tree needs about ten times the size of the text. */
#define MAX_JSON ((size_t)512 << 20)

bool json_has_words(pprofc_str data, char first, const char *const *words) {
  if (!data.size || data.data[0] != first) return false;
  for (; *words; words++)
    if (str_find(data, str_of(*words)) == data.size) return false;
  return true;
}

pprofc_status json_read_source(const struct bench_source *source,
                               void (*read)(struct bench_sink *sink, const struct node *root),
                               pprofc_error *error) {
  if (source->data.size > MAX_JSON)
    return error_set(error, PPROFC_E_LIMIT, "%s:1: JSON larger than the limit of 512 MiB",
                     source->path);
  struct arena arena;
  arena_init(&arena, &source->sink->set->mem);
  struct node *root = NULL;
  pprofc_status status = json_tree_parse(&arena, source->path, source->data, &root, error);
  if (status == PPROFC_OK) read(source->sink, root);
  arena_free(&arena);
  return status;
}

void name_begin(struct name_builder *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes) {
  buffer_init(&name->text, &sink->set->mem, (size_t)1 << 30);
  name_encode(&name->text, text, keep_slashes);
}

void name_parameter(struct name_builder *name, pprofc_str key, pprofc_str value) {
  buffer_add_char(&name->text, '/');
  name_encode(&name->text, key, false);
  buffer_add_char(&name->text, '=');
  name_encode(&name->text, value, false);
}

void name_parameters(struct name_builder *name, const struct node *object) {
  if (!object || object->kind != NODE_OBJECT) return;
  for (const struct node *member = object->first; member; member = member->next) {
    if (member->kind == NODE_ARRAY || member->kind == NODE_OBJECT) continue;
    name_parameter(name, member->key, member->text);
  }
}

void name_end(struct name_builder *name, struct bench_sink *sink) {
  if (name->text.failed) sink_fail(sink);
  buffer_free(&name->text);
}

struct time_unit {
  const char *name;
  int exponent;
};

static const struct time_unit time_units[] = {{"ns", -9}, {"us", -6}, {"ms", -3}, {"s", 0}};

bool time_exponent(pprofc_str unit, int *exponent) {
  for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++) {
    if (!str_equal(unit, str_of(time_units[i].name))) continue;
    *exponent = time_units[i].exponent;
    return true;
  }
  return false;
}
