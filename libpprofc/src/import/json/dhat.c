/* Reads DHAT's JSON (valgrind --tool=dhat, dhat-rs), version 2 of the file format. */
#include "import/json/json.h"

/* Members of a program point (an allocation site) and their sample types. A sample type is dropped
 * if no program point has its member. */
static const struct {
  const char *member, *type, *unit;
} counters[] = {
    {"tbk", "total_blocks", "count"}, {"tb", "total_bytes", "bytes"},
    {"gbk", "gmax_blocks", "count"},  {"gb", "gmax_bytes", "bytes"},
    {"ebk", "end_blocks", "count"},   {"eb", "end_bytes", "bytes"},
    {"rb", "reads", "bytes"},         {"wb", "writes", "bytes"},
};
#define COUNTERS (sizeof counters / sizeof *counters)

/* Regular expression for the functions of the allocator, which are at the leaf of each stack.
 * Reports drop these frames. */
static const char dhat_own_frames[] =
    "malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|valloc|operator new(\\[\\])?|"
    "__builtin_(vec_)?new";

/* Adds the mapping of the program, the first word of the command. This mapping must be the first,
 * because reports print the name of the first mapping as the profile's file. */
static void dhat_add_program(pprofc_builder *builder, const struct node *root) {
  pprofc_str command = node_text(root, "cmd"), program;
  if (import_next_word(&command, &program)) import_object(builder, program);
}

/* Parses a frame: "0x4848899: malloc (vg_replace_malloc.c:381)"
 * or "0x10919A: main (in /app/prog)". Returns its location. */
static uint32_t dhat_read_frame(pprofc_builder *builder, pprofc_str text) {
  uint64_t address = 0;
  size_t colon = str_find(text, STR(": "));
  if (str_starts(text, STR("0x")) && colon < text.size) {
    str_parse_uint(str_slice(text, 2, colon), 16, &address);
    text = str_from(text, colon + 2);
  }
  pprofc_str file = STR(""), object = STR("");
  int64_t line = 0;
  size_t open = str_find_last_char(text, '(');
  if (str_ends(text, STR(")")) && open > 0 && open < text.size) {
    pprofc_str place = str_slice(text, open + 1, text.size - 1);
    if (str_take(&place, STR("in ")))
      object = place;
    else if (import_take_number(&place, &line))
      file = place;
    if (file.size || object.size) text = str_trim(str_slice(text, 0, open));
  }
  uint32_t mapping = import_object(builder, object);
  uint32_t function = import_function(builder, text, builder_string(builder, file));
  return pprofc_builder_location(builder, mapping, address, &(pprofc_line){function, line, 0}, 1);
}

static size_t find_counters(const struct node *points, const char **members,
                            pprofc_builder *builder) {
  size_t count = 0;
  for (size_t c = 0; c < COUNTERS; c++)
    for (size_t i = 0; i < node_size(points); i++) {
      if (!node_get(node_at(points, i), counters[c].member)) continue;
      members[count++] = counters[c].member;
      pprofc_builder_type(builder, counters[c].type, counters[c].unit);
      if (strcmp(counters[c].member, "tb") == 0)
        pprofc_builder_default_type(builder, counters[c].type);
      break;
    }
  return count;
}

/* Sets the location of each frame of the table. The location is NONE for frame 0, which is
 * "[root]", and for invalid frames. */
static void dhat_read_table(pprofc_builder *builder, const struct node *table,
                            uint32_t *locations) {
  for (size_t i = 0; i < node_size(table); i++) {
    const struct node *text = node_at(table, i);
    bool frame = i > 0 && node_is(text, NODE_STRING);
    locations[i] = frame ? dhat_read_frame(builder, text->text) : NONE;
  }
}

/* Reads the stack of a program point, leaf first, and returns its depth. Skips frame 0. Adds the
 * number of frames that are missing in the table to *missing. */
static size_t dhat_read_stack(const struct node *point, const uint32_t *locations,
                              size_t frame_count, struct json_stack *stack, pprofc_builder *builder,
                              size_t *missing) {
  const struct node *frames = node_get(point, "fs");
  size_t depth = 0, count = node_size(frames);
  if (!json_stack_reserve(stack, builder, count)) return 0;
  for (size_t k = 0; k < count; k++) {
    int64_t index;
    bool known = node_to_integer(node_at(frames, k), &index);
    if (known && index == 0) continue;
    if (known && index > 0 && (size_t)index < frame_count && locations[index] != NONE)
      stack->frames[depth++] = locations[index];
    else
      ++*missing;
  }
  return depth;
}

/* Adds a sample for each program point. `members` has the names of the JSON members to read. */
static void dhat_read_points(pprofc_builder *builder, struct arena *arena, const struct node *root,
                             const char *const *members, size_t types) {
  const struct node *points = node_get(root, "pps"), *table = node_get(root, "ftbl");
  size_t frame_count = node_size(table);
  uint32_t *locations = arena_array(arena, frame_count, sizeof *locations);
  struct json_stack stack = {.arena = arena};
  if (!import_need(builder, locations != NULL)) return;
  size_t missing = 0, other = 0;
  dhat_add_program(builder, root);
  pprofc_builder_drop_frames(builder, dhat_own_frames, NULL);
  dhat_read_table(builder, table, locations);
  for (size_t i = 0; i < node_size(points) && builder_ok(builder); i++) {
    const struct node *point = node_at(points, i);
    if (!node_is(node_get(point, "fs"), NODE_ARRAY)) {
      other++;
      continue;
    }
    size_t depth = dhat_read_stack(point, locations, frame_count, &stack, builder, &missing);
    int64_t values[COUNTERS];
    for (size_t c = 0; c < types; c++) values[c] = json_cost(builder, node_get(point, members[c]));
    pprofc_builder_sample(builder, stack.frames, depth, values);
  }
  import_account_one(builder, node_size(points) - other, "program points", other,
                     "program point has no list of frames",
                     "program points have no lists of frames");
  import_note_count(builder, missing, "frame is not in the table of frames",
                    "frames are not in the table of frames");
}

JSON_SHAPE(json_dhat) {
  const struct node *points = node_get(root, "pps");
  const char *members[COUNTERS];
  if (!node_get(root, "dhatFileVersion") || !node_is(points, NODE_ARRAY) ||
      !node_is(node_get(root, "ftbl"), NODE_ARRAY))
    return false;
  size_t types = find_counters(points, members, builder);
  if (json_member_int(root, "dhatFileVersion", 0) != 2)
    import_refuse(builder, PPROFC_E_FORMAT, "DHAT file version is not 2");
  else if (!types)
    import_refuse(builder, PPROFC_E_FORMAT, "DHAT file has no program points with blocks");
  else
    dhat_read_points(builder, arena, root, members, types);
  return true;
}
