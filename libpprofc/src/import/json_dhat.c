/* DHAT's JSON (valgrind --tool=dhat, dhat-rs), file version 2. */
#include "base/mem.h"
#include "import/json.h"

#ifdef HAVE_JANSSON

#include "model/builder.h"

#define MOST_DEPTH 65536u

/* Members of a program point, and the sample types they become; those that no point has are left
 * out. */
static const struct {
  const char *member, *type, *unit;
} counters[] = {
    {"tbk", "total_blocks", "count"}, {"tb", "total_bytes", "bytes"},
    {"gbk", "gmax_blocks", "count"},  {"gb", "gmax_bytes", "bytes"},
    {"ebk", "end_blocks", "count"},   {"eb", "end_bytes", "bytes"},
    {"rb", "reads", "bytes"},         {"wb", "writes", "bytes"},
};
#define COUNTERS (sizeof counters / sizeof *counters)

/* "0x4848899: malloc (vg_replace_malloc.c:381)" or "0x10919A: main (in /app/prog)". */
static uint32_t read_frame(pprofc_builder *builder, pprofc_str text) {
  uint64_t address = 0;
  size_t colon = str_find(text, STR(": "));
  if (str_starts(text, STR("0x")) && colon < text.size) {
    str_parse_uint(str_slice(text, 2, colon), 16, &address);
    text = str_slice(text, colon + 2, text.size);
  }
  pprofc_str file = STR(""), object = STR("");
  int64_t line = 0;
  size_t open = str_find_last_char(text, '(');
  if (str_ends(text, STR(")")) && open > 0 && open < text.size) {
    pprofc_str place = str_slice(text, open + 1, text.size - 1);
    size_t at = str_find_last_char(place, ':');
    if (str_starts(place, STR("in ")))
      object = str_slice(place, 3, place.size);
    else if (at < place.size && str_parse_int(str_slice(place, at + 1, place.size), 10, &line))
      file = str_slice(place, 0, at);
    if (file.size || object.size) text = str_trim(str_slice(text, 0, open));
  }
  uint32_t mapping = NONE;
  if (object.size)
    mapping =
        builder_add_mapping(builder, &(struct mapping){.file = builder_string(builder, object),
                                                       .flags = PPROFC_HAS_FUNCTIONS});
  uint32_t name = builder_string(builder, text);
  uint32_t function = builder_add_function(builder, name, name, builder_string(builder, file), 0);
  return pprofc_builder_location(builder, mapping, address, &(pprofc_line){function, line, 0}, 1);
}

static size_t find_counters(const json_t *points, const char **members, pprofc_builder *builder) {
  size_t count = 0;
  for (size_t c = 0; c < COUNTERS; c++)
    for (size_t i = 0; i < json_array_size(points); i++) {
      if (!json_object_get(json_array_get(points, i), counters[c].member)) continue;
      members[count++] = counters[c].member;
      pprofc_builder_type(builder, counters[c].type, counters[c].unit);
      if (strcmp(counters[c].member, "tb") == 0)
        pprofc_builder_default_type(builder, counters[c].type);
      break;
    }
  return count;
}

pprofc_status json_dhat(const json_t *root, pprofc_builder *builder, pprofc_error *error) {
  const json_t *points = json_object_get(root, "pps"), *table = json_object_get(root, "ftbl");
  if (!json_object_get(root, "dhatFileVersion") || !json_is_array(points) || !json_is_array(table))
    return PPROFC_E_NO_MATCH;
  if (json_member_int(root, "dhatFileVersion", 0) != 2)
    return error_set(error, PPROFC_E_FORMAT, "DHAT file version is not 2");
  const char *members[COUNTERS];
  size_t types = find_counters(points, members, builder), frame_count = json_array_size(table);
  if (!types)
    return error_set(error, PPROFC_E_FORMAT, "DHAT file has no program points with blocks");
  uint32_t *locations = mem_array(&mem_default, frame_count, sizeof *locations);
  uint32_t *stack = mem_array(&mem_default, MOST_DEPTH, sizeof *stack);
  for (size_t i = 0; locations && stack && i < frame_count; i++) {
    const json_t *text = json_array_get(table, i);
    pprofc_str frame = {json_string_value(text), json_string_length(text)};
    locations[i] = i == 0 || !frame.data ? NONE : read_frame(builder, frame); /* 0 is "[root]" */
  }
  for (size_t i = 0; locations && stack && i < json_array_size(points); i++) {
    const json_t *point = json_array_get(points, i), *frames = json_object_get(point, "fs");
    int64_t values[COUNTERS];
    size_t depth = 0;
    for (size_t k = 0; k < json_array_size(frames) && depth < MOST_DEPTH; k++) {
      json_int_t index = json_integer_value(json_array_get(frames, k));
      if (index > 0 && (size_t)index < frame_count && locations[index] != NONE)
        stack[depth++] = locations[index];
    }
    for (size_t c = 0; c < types; c++) values[c] = json_member_int(point, members[c], 0);
    pprofc_builder_sample(builder, stack, depth, values);
  }
  bool failed = !locations || !stack;
  mem_free(&mem_default, locations, frame_count, sizeof *locations);
  mem_free(&mem_default, stack, MOST_DEPTH, sizeof *stack);
  return failed ? error_nomem(error) : PPROFC_OK;
}

#endif
