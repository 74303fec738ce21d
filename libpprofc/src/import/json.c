/* JSON profiles: one parse, then the shapes that are known. */
#include "import/json.h"

#include "base/mem.h"
#include "import/formats.h"
#include "model/builder.h"

#include <math.h>

#ifdef HAVE_JANSSON

pprofc_str json_member_str(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_string(value)) return STR("");
  return (pprofc_str){json_string_value(value), json_string_length(value)};
}

double json_member_number(const json_t *object, const char *key, double otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

int64_t json_member_int(const json_t *object, const char *key, int64_t otherwise) {
  const json_t *value = json_object_get(object, key);
  if (json_is_integer(value)) return json_integer_value(value);
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

uint32_t json_v8_frame(pprofc_builder *builder, const json_t *node) {
  const json_t *call = json_object_get(node, "callFrame");
  if (!call) call = node; /* the form before 2017 has the members in the node itself */
  pprofc_str name = json_member_str(call, "functionName");
  int64_t line = json_member_int(call, "lineNumber", -1),
          column = json_member_int(call, "columnNumber", -1);
  return json_frame(builder, name.size ? name : STR("(anonymous)"), json_member_str(call, "url"),
                    line >= 0 ? line + 1 : 0, line >= 0 && column >= 0 ? column + 1 : 0);
}

static const json_shape_fn shapes[] = {json_cpuprofile, json_heapprofile, json_speedscope,
                                       json_dhat, json_firefox};

/* What a parsed document takes for each byte of it, at the most: "1," becomes a number and a
 * pointer. */
#define PARSED_BYTES 32

static pprofc_status read_document(const json_t *root, const pprofc_allocator *mem,
                                   uint64_t memory_bytes, pprofc_profile **profile,
                                   pprofc_error *error) {
  pprofc_status status = PPROFC_E_NO_MATCH;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == PPROFC_E_NO_MATCH; i++) {
    pprofc_builder *builder = pprofc_builder_new(mem);
    if (!builder) return error_nomem(error);
    builder_limit_memory(builder, memory_bytes);
    status = shapes[i](root, builder, error);
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
  if (text.size > most / PARSED_BYTES)
    return error_set(error, PPROFC_E_LIMIT,
                     "%zu bytes of JSON may need more than %llu bytes of memory (raise with "
                     "-max_memory)",
                     text.size, (unsigned long long)most);
  json_error_t why;
  json_t *root = json_loadb(text.data, text.size, JSON_DISABLE_EOF_CHECK, &why);
  if (!root) {
    if (json_error_code(&why) == json_error_out_of_memory) return error_nomem(error);
    return error_set(error, PPROFC_E_FORMAT, "%s at line %d, column %d", why.text, why.line,
                     why.column);
  }
  pprofc_status status = read_document(root, mem, most, profile, error);
  json_decref(root);
  return status;
}

#else
pprofc_status import_json(pprofc_str data, const pprofc_allocator *mem,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error) {
  (void)mem, (void)options, (void)profile;
  data = str_trim(data);
  if (!data.size || data.data[0] != '{') return PPROFC_E_NO_MATCH;
  return error_set(error, PPROFC_E_UNSUPPORTED, "cannot read JSON: built without Jansson");
}
#endif
