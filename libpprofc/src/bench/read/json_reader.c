/* Implements the functions that readers of JSON formats share. */
#include "bench/read/readers.h"

/* Maximum size of a JSON text in bytes. The size is limited because the tree of a text needs about
 * ten times as many bytes. */
#define MAX_JSON ((size_t)512 << 20)

static void json_read_list(struct bench_sink *sink, const struct bench_reader *reader,
                           const struct node *root) {
  const struct node *list = node_get(root, reader->list);
  if (!list || !list->first) sink_message(sink, root->line, "no %s", reader->list);
  for (const struct node *item = list ? list->first : NULL; item; item = item->next)
    reader->item(sink, item);
}

pprofc_status json_read_source(const struct bench_source *source, const struct bench_reader *reader,
                               pprofc_error *error) {
  if (source->data.size > MAX_JSON)
    return error_set(error, PPROFC_E_LIMIT, "%s:1: JSON larger than the limit of 512 MiB",
                     source->path);
  struct arena arena = arena_make(&source->sink->set->mem);
  struct node *root = NULL;
  pprofc_status status = json_tree_parse(&arena, source->path, source->data, &root, error);
  if (status == PPROFC_OK) {
    source->sink->base_units = true;
    sink_config(source->sink, STR("toolkit"), str_of(reader->toolkit));
    if (reader->tree)
      reader->tree(source->sink, root);
    else
      json_read_list(source->sink, reader, root);
  }
  arena_free(&arena);
  return status;
}

void name_begin(struct buffer *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes) {
  buffer_init(name, &sink->set->mem, (size_t)1 << 30);
  name_encode(name, text, keep_slashes);
}

void name_parameter(struct buffer *name, pprofc_str key, pprofc_str value) {
  buffer_add_char(name, '/');
  name_encode(name, key, false);
  buffer_add_char(name, '=');
  name_encode(name, value, false);
}

void name_parameters(struct buffer *name, const struct node *object) {
  if (!object || object->kind != NODE_OBJECT) return;
  for (const struct node *member = object->first; member; member = member->next) {
    if (member->kind == NODE_ARRAY || member->kind == NODE_OBJECT) continue;
    name_parameter(name, member->key, member->text);
  }
}

void name_end(struct buffer *name, struct bench_sink *sink) {
  if (name->failed) sink_fail(sink);
  buffer_free(name);
}

void json_add_value(struct bench_sink *sink, const struct node *node, int exponent,
                    pprofc_str unit) {
  double value;
  if (node_number(node, exponent, &value)) sink_value(sink, value, unit);
}

void json_add_member(struct bench_sink *sink, const struct node *member, pprofc_str prefix) {
  struct buffer unit;
  name_begin(&unit, sink, prefix, true);
  name_encode(&unit, member->key, true);
  json_add_value(sink, member, 0, buffer_str(&unit));
  name_end(&unit, sink);
}

static const struct time_unit time_units[] = {{"ns", -9, 1},    {"us", -6, 1},  {"ms", -3, 1},
                                              {"s", 0, 1},      {"min", 0, 60}, {"hr", 0, 3600},
                                              {"day", 0, 86400}};

const struct time_unit *time_unit_find(pprofc_str name) {
  return STR_ROW(name, time_units);
}

/* ---- numbers ----------------------------------------- */

static bool parse_finite(pprofc_str text, double *value) {
  double number;
  if (float_read(text, &number) != NUMBER_OK || !isfinite(number)) return false;
  *value = number;
  return true;
}

/* Parses a number exactly, with `shift` added to its decimal exponent. */
static bool parse_shifted(pprofc_str number, int shift, double *value) {
  char text[128];
  size_t e = str_find_char(number, 'e');
  if (e == number.size) e = str_find_char(number, 'E');
  int64_t exponent = 0;
  pprofc_str digits = str_slice(number, e + 1, number.size);
  if (e < number.size && !str_parse_int(digits, 10, &exponent)) return false;
  if (e > 100 || exponent > 1000 || exponent < -1000) return false;
  int size = snprintf(text, sizeof text, "%.*se%d", (int)e, number.data, (int)exponent + shift);
  return parse_finite((pprofc_str){text, (size_t)size}, value);
}

bool node_number(const struct node *node, int exponent, double *value) {
  if (!node || node->kind != NODE_NUMBER) return false;
  return exponent ? parse_shifted(node->text, exponent, value) : parse_finite(node->text, value);
}

int64_t node_count(const struct node *node, const char *name, int64_t otherwise) {
  double value;
  if (!node_number(node_get(node, name), 0, &value) || value < 0 || value > 9e15) return otherwise;
  return (int64_t)value;
}
