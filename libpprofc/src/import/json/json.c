/* JSON profiles: parses the document once, then tries the shapes of the table. */
#include "import/json/json.h"

#include "import/formats.h"
#include "profile/builder.h"

#include <math.h>

static double number_or(const struct node *node, double otherwise) {
  double value;
  if (!node_is(node, NODE_NUMBER) || !str_parse_float(node->text, &value) || !isfinite(value))
    return otherwise;
  return value;
}

double json_number(const struct node *node) {
  return number_or(node, 0);
}

double json_member_number(const struct node *object, const char *key, double otherwise) {
  return number_or(node_get(object, key), otherwise);
}

int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise) {
  int64_t value;
  if (node_to_integer(node_get(object, key), &value)) return value;
  double number = json_member_number(object, key, (double)NAN);
  return fabs(number) < 9e18 ? llround(number) : otherwise;
}

uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column) {
  uint32_t text = builder_string(builder, name);
  uint32_t function = builder_add_function(builder, text, text, builder_string(builder, file), 0);
  pprofc_line where = {function, line, column};
  return pprofc_builder_location(builder, NONE, 0, &where, 1);
}

uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node) {
  const struct node *call = node_get(node, "callFrame");
  if (!call) call = node; /* the form before 2017 has the members in the node itself */
  pprofc_str name = node_text(call, "functionName");
  int64_t line = json_member_int(call, "lineNumber", -1),
          column = json_member_int(call, "columnNumber", -1);
  if (!name.size) name = STR("(anonymous)");
  /* V8 counts from 0 and -1 is unknown; profiles count from 1 and 0 is unknown. */
  if (line < 0) line = column = -1;
  return json_frame(builder, name, node_text(call, "url"), line + 1, column < 0 ? 0 : column + 1);
}

static const json_shape_fn shapes[] = {json_cpuprofile, json_heapprofile, json_speedscope,
                                       json_dhat, json_firefox};

static pprofc_status read_document(const struct node *root, struct arena *arena,
                                   uint64_t memory_bytes, pprofc_profile **profile,
                                   pprofc_error *error) {
  pprofc_status status = PPROFC_E_NO_MATCH;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == PPROFC_E_NO_MATCH; i++) {
    pprofc_builder *builder = pprofc_builder_new(arena->mem);
    if (!builder) return error_nomem(error);
    builder_limit_memory(builder, memory_bytes);
    status = shapes[i](root, builder, arena, error);
    if (status == PPROFC_OK) status = pprofc_builder_finish(builder, profile, error);
    pprofc_builder_free(builder);
  }
  return status;
}

pprofc_status import_json(pprofc_str data, const pprofc_allocator *mem,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error) {
  pprofc_str text =
      str_trim(str_starts(data, STR("\xEF\xBB\xBF")) ? str_slice(data, 3, data.size) : data);
  if (!text.size || text.data[0] != '{') return PPROFC_E_NO_MATCH;
  uint64_t most = options->limits->memory_bytes;
  if (text.size > most / JSON_TREE_BYTES)
    return error_set(error, PPROFC_E_LIMIT,
                     "%zu bytes of JSON may need more than %llu bytes of memory (raise "
                     "the limit memory_bytes)",
                     text.size, (unsigned long long)most);
  struct arena arena;
  struct node *root = NULL;
  arena_init(&arena, mem);
  pprofc_status status = json_tree_parse_first(&arena, NULL, text, &root, error);
  if (status == PPROFC_OK) status = read_document(root, &arena, most, profile, error);
  arena_free(&arena);
  return status;
}
