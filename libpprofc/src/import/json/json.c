/* Reads JSON profiles: parses the document once, then tries the reader of each known structure of
 * documents (shape). */
#include "import/json/json.h"

#define MAX_NUMBER   0x1p63 /* 2^63, the smallest positive number that does not fit int64_t */
#define SHOWN_NUMBER 40u    /* maximum length of a number in a message, in bytes */

pprofc_str json_id(const struct node *node) {
  bool text = node_is(node, NODE_NUMBER) || node_is(node, NODE_STRING);
  return text ? node->text : STR("");
}

static double number_or(const struct node *node, double otherwise) {
  double value;
  return str_parse_float(json_id(node), &value) && isfinite(value) ? value : otherwise;
}

bool json_stack_reserve(struct json_stack *stack, pprofc_builder *builder, size_t depth) {
  return import_need(builder, ARRAY_RESERVE_IN(stack->arena, stack->frames, stack->room, depth));
}

double json_member_number(const struct node *object, const char *key, double otherwise) {
  return number_or(node_get(object, key), otherwise);
}

/* Makes the builder fail because a number does not fit 64 bits. */
static void json_refuse_number(pprofc_builder *builder, const struct node *node) {
  pprofc_str text = json_id(node);
  if (text.size)
    import_refuse_at(builder, text.data, "the number %.*s does not fit 64 bits",
                     STR_ARG(str_slice(text, 0, SHOWN_NUMBER)));
  else
    import_refuse(builder, PPROFC_E_FORMAT, "a number of line %u does not fit 64 bits",
                  node ? node->line : 0);
}

/* True if a number is infinite or too large for a double. False for NaN. */
static bool json_is_infinite(const struct node *node) {
  double value;
  if (!node_is(node, NODE_NUMBER) || str_equal(node->text, STR("NaN"))) return false;
  return !str_parse_float(node->text, &value) || !isfinite(value);
}

double json_amount(pprofc_builder *builder, const struct node *node, double otherwise) {
  double value = number_or(node, (double)NAN);
  if (!isnan(value)) return value;
  if (json_is_infinite(node)) json_refuse_number(builder, node);
  return otherwise;
}

int64_t json_rounded(pprofc_builder *builder, const struct node *node, double value) {
  if (value >= -MAX_NUMBER && value < MAX_NUMBER) return llround(value);
  json_refuse_number(builder, node);
  return 0;
}

int64_t json_scaled(pprofc_builder *builder, const struct node *node, int exponent) {
  int64_t value;
  if (!node_is(node, NODE_NUMBER) && !node_is(node, NODE_STRING)) return 0;
  if (scaled_parse(node->text, exponent, &value)) return value;
  return json_rounded(builder, node, json_amount(builder, node, 0) * pow(10, exponent));
}

int64_t json_cost(pprofc_builder *builder, const struct node *node) {
  return json_scaled(builder, node, 0);
}

void json_drop(const struct node *array, size_t count) {
  if (!count || count > node_size(array) || !array->text.size) return;
  mem_discard(array->text.data, node_at(array, count - 1)->text.data);
}

bool json_index(const struct node *node, size_t *index) {
  int64_t number;
  if (!node_to_integer(node, &number) || number < 0) return false;
  *index = (size_t)number;
  return true;
}

void json_wall_types(pprofc_builder *builder, int64_t interval) {
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  pprofc_builder_period(builder, "wall", "nanoseconds", interval);
}

int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise) {
  int64_t value;
  if (node_to_integer(node_get(object, key), &value)) return value;
  double number = json_member_number(object, key, (double)NAN);
  return fabs(number) < 9e18 ? llround(number) : otherwise;
}

static uint32_t json_frame_of(pprofc_builder *builder, uint32_t name, uint32_t system_name,
                              pprofc_str file, int64_t line, int64_t column) {
  uint32_t function =
      builder_add_function(builder, name, system_name, builder_string(builder, file), 0);
  return pprofc_builder_location(builder, NONE, 0, &(pprofc_line){function, line, column}, 1);
}

uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column) {
  uint32_t text = builder_string(builder, name);
  return json_frame_of(builder, text, import_system_name(name, text), file, line, column);
}

uint32_t json_plain_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line) {
  return json_frame_of(builder, builder_string(builder, name), builder_string(builder, STR("")),
                       file, line, 0);
}

int64_t json_member_line(const struct node *object, const char *key) {
  int64_t value = json_member_int(object, key, -1);
  return value >= 0 && value < INT32_MAX ? value : -1;
}

uint32_t json_script_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                           int64_t column) {
  char room[IMPORT_SCRIPT_NAME];
  return json_frame(builder, import_script_name(name, file, line, room), file, line, column);
}

uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node) {
  const struct node *call = node_get(node, "callFrame");
  if (!call) call = node; /* before 2017, the node itself had the members of callFrame */
  int64_t line = json_member_line(call, "lineNumber"),
          column = json_member_line(call, "columnNumber");
  /* V8 counts lines from 0 and uses -1 for unknown; profiles count from 1 and use 0 for unknown. */
  if (line < 0) line = column = -1;
  return json_script_frame(builder, node_text(call, "functionName"), node_text(call, "url"),
                           line + 1, column < 0 ? 0 : column + 1);
}

static const struct {
  JSON_SHAPE((*read));
  bool may_be_cut; /* true if the reader accepts truncated files and reads their complete values */
} shapes[] = {
    {json_cpuprofile, false},
    {json_heapprofile, false},
    {json_speedscope, false},
    {json_dhat, false},
    {json_firefox, false},
    {json_gecko, false},
    {json_timeline, true},
    {json_trace, true},
    {json_stackprof, false},
    {json_safari, false},
    {json_haskell, false},
    {json_pyinstrument, false},
    {json_pyinstrument_session, false},
    {json_scalene, false},
    {json_gprof2dot, false},
};

/* Documents that are not profiles, identified by two member names. */
static const struct {
  const char *first, *second, *what;
} others[] = {
    {"mappings", "sources", "this is a source map, not a profile"},
    {"sections", "version", "this is a source map, not a profile"},
};

/* Makes the builder fail because no reader accepts the document. */
static void json_refuse(const struct node *root, pprofc_builder *builder) {
  for (size_t i = 0; node_is(root, NODE_OBJECT) && i < sizeof others / sizeof *others; i++)
    if (node_get(root, others[i].first) && node_get(root, others[i].second))
      import_refuse(builder, PPROFC_E_FORMAT, "%s", others[i].what);
  import_refuse(builder, PPROFC_E_NO_MATCH, "%s", "");
}

/* Tries the readers of all shapes. `cut` is true if the file is truncated. Returns false if no
 * reader accepts the document. */
static bool json_read_document(const struct node *root, bool cut, pprofc_builder *builder,
                               struct arena *arena) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    if ((cut && !shapes[i].may_be_cut) || !shapes[i].read(root, builder, arena)) continue;
    if (cut)
      pprofc_builder_comment(builder,
                             "the end of the file is missing: it was read as far as it goes");
    return true;
  }
  return false;
}

bool import_is_json(pprofc_str data) {
  pprofc_str text = str_trim(data);
  if (str_starts(text, STR("{"))) return true;
  /* Folded stacks may also begin with a bracket, so JSON needs a brace after the bracket. */
  return str_starts(text, STR("[")) && str_starts(str_trim(str_from(text, 1)), STR("{"));
}

/* Parses the document and tries the readers of all shapes. */
static void json_read_tree(pprofc_str text, pprofc_builder *builder, struct arena *arena) {
  struct node *root = NULL;
  pprofc_error error;
  bool cut = false;
  pprofc_status broken = json_tree_parse_cut(arena, text, &root, &cut, &error);
  if ((broken == PPROFC_OK || cut) && json_read_document(root, cut, builder, arena)) return;
  if (broken == PPROFC_OK)
    json_refuse(root, builder);
  else
    builder_refuse(builder, &error);
}

IMPORT_READER(import_json) {
  pprofc_str text = str_trim(data);
  /* Heap snapshots are large, so do not parse them. */
  if (str_starts(text, STR("{\"snapshot\":{\"meta\":")))
    import_refuse(builder, PPROFC_E_FORMAT,
                  "this is a heap snapshot of V8, which has no stacks; node --heap-prof records "
                  "a profile");
  else if (!json_v8_log(text, builder, arena))
    json_read_tree(text, builder, arena);
}
