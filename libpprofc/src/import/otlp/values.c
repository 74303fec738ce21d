/* Converts values of attributes to text. Arrays and maps become JSON, up to MAX_LEVELS levels. */
#include "core/json_write.h"
#include "import/otlp/otlp.h"

#define MAX_LEVELS 16u

static bool otlp_value_base64(struct otlp *o, const ProtobufCBinaryData *bytes,
                              struct buffer *text) {
  base64_put(text, bytes->data, bytes->len);
  return import_need(o->builder, !text->failed);
}

/* An array or map that is being written. */
struct otlp_level {
  Otlp__AnyValue *const *values; /* elements of an array, or NULL for a map */
  Otlp__KeyValue *const *items;  /* keys and values of a map, or NULL for an array */
  size_t count, next;
};

struct otlp_json {
  struct otlp *otlp;
  struct json_writer writer;
  struct otlp_level levels[MAX_LEVELS];
  size_t depth;
};

/* Opens an array or a map. Writes null instead if the nesting is too deep. */
static void otlp_json_open(struct otlp_json *j, const ProtobufCBinaryData *bytes, bool is_map) {
  ProtobufCAllocator allocator = otlp_allocator(j->otlp);
  struct otlp_level level = {0};
  if (is_map) {
    Otlp__KeyValues *map = otlp__key_values__unpack(&allocator, bytes->len, bytes->data);
    if (map) level = (struct otlp_level){.items = map->values, .count = map->n_values};
  } else {
    Otlp__Values *array = otlp__values__unpack(&allocator, bytes->len, bytes->data);
    if (array) level = (struct otlp_level){.values = array->values, .count = array->n_values};
  }
  if (j->depth == MAX_LEVELS || (level.count && !level.values && !level.items)) {
    json_verbatim(&j->writer, STR("null"));
    return;
  }
  if (is_map)
    json_begin_object(&j->writer);
  else
    json_begin_array(&j->writer);
  j->levels[j->depth++] = level;
}

static void otlp_json_bytes(struct otlp_json *j, const ProtobufCBinaryData *bytes) {
  struct buffer text = buffer_make(j->otlp->mem, SIZE_MAX);
  if (otlp_value_base64(j->otlp, bytes, &text)) json_string(&j->writer, buffer_str(&text));
  buffer_free(&text);
}

static void otlp_json_value(struct otlp_json *j, const Otlp__AnyValue *value) {
  switch (value ? value->value_case : OTLP__ANY_VALUE__VALUE__NOT_SET) {
  case OTLP__ANY_VALUE__VALUE_STRING_VALUE:
    json_string(&j->writer, otlp_bytes(&value->string_value));
    break;
  case OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX:
    json_string(&j->writer, otlp_string(j->otlp, value->string_value_strindex));
    break;
  case OTLP__ANY_VALUE__VALUE_BOOL_VALUE:
    json_bool(&j->writer, value->bool_value);
    break;
  case OTLP__ANY_VALUE__VALUE_INT_VALUE:
    json_int(&j->writer, value->int_value);
    break;
  case OTLP__ANY_VALUE__VALUE_DOUBLE_VALUE:
    json_double(&j->writer, value->double_value);
    break;
  case OTLP__ANY_VALUE__VALUE_BYTES_VALUE:
    otlp_json_bytes(j, &value->bytes_value);
    break;
  case OTLP__ANY_VALUE__VALUE_ARRAY_VALUE:
    otlp_json_open(j, &value->array_value, false);
    break;
  case OTLP__ANY_VALUE__VALUE_KVLIST_VALUE:
    otlp_json_open(j, &value->kvlist_value, true);
    break;
  default:
    json_verbatim(&j->writer, STR("null"));
  }
}

static void otlp_json_key(struct otlp_json *j, pprofc_str name) {
  struct buffer key = buffer_make(j->otlp->mem, SIZE_MAX);
  buffer_add_str(&key, name);
  buffer_add_char(&key, '\0');
  if (key.failed)
    import_need(j->otlp->builder, false);
  else
    json_key(&j->writer, key.data);
  buffer_free(&key);
}

/* Writes the next value of the innermost level, or closes the level after its last value. */
static void otlp_json_step(struct otlp_json *j) {
  struct otlp_level *level = &j->levels[j->depth - 1];
  if (level->next == level->count) {
    json_end(&j->writer);
    j->depth--;
    return;
  }
  size_t i = level->next++;
  if (level->items) otlp_json_key(j, otlp_key(j->otlp, level->items[i]));
  otlp_json_value(j, level->items ? level->items[i]->value : level->values[i]);
}

static pprofc_str otlp_value_json(struct otlp *o, const Otlp__AnyValue *value,
                                  struct buffer *scratch) {
  struct output out;
  struct otlp_json j = {.otlp = o};
  output_init(&out, buffer_write, scratch);
  json_init(&j.writer, &out, o->mem);
  otlp_json_value(&j, value);
  while (j.depth && builder_ok(o->builder)) otlp_json_step(&j);
  bool whole = json_finish(&j.writer);
  if (!whole || output_flush(&out, NULL) != PPROFC_OK) import_need(o->builder, false);
  return buffer_str(scratch);
}

pprofc_str otlp_value_text(struct otlp *o, const Otlp__AnyValue *value, struct buffer *scratch) {
  buffer_clear(scratch);
  switch (value ? value->value_case : OTLP__ANY_VALUE__VALUE__NOT_SET) {
  case OTLP__ANY_VALUE__VALUE__NOT_SET:
    return STR("");
  case OTLP__ANY_VALUE__VALUE_STRING_VALUE:
    return otlp_bytes(&value->string_value);
  case OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX:
    return otlp_string(o, value->string_value_strindex);
  case OTLP__ANY_VALUE__VALUE_BYTES_VALUE:
    otlp_value_base64(o, &value->bytes_value, scratch);
    return buffer_str(scratch);
  default:
    return otlp_value_json(o, value, scratch);
  }
}

pprofc_str otlp_key(struct otlp *o, const Otlp__KeyValue *item) {
  return item->key.len ? otlp_bytes(&item->key) : otlp_string(o, item->key_strindex);
}
