/* The JSON reader: what it makes of every JSON file in testdata is what Jansson makes of it. */
#include "unit.h"

#include "core/json_tree.h"

#include <stdlib.h>

static struct arena arena;
static pprofc_error error;

static struct node *parsed(const char *text) {
  struct node *root = NULL;
  CU_ASSERT_EQUAL(json_tree_parse(&arena, NULL, str_of(text), &root, &error), PPROFC_OK);
  return root;
}

static bool refused(const char *text, const char *message) {
  struct node *root = NULL;
  bool good = json_tree_parse(&arena, NULL, str_of(text), &root, &error) == PPROFC_E_FORMAT &&
              !root && strcmp(error.message, message) == 0;
  if (!good) fprintf(stderr, "%s: %s\n", text, error.message);
  return good;
}

static void test_items_of_arrays_have_numbers(void) {
  arena_init(&arena, &mem_default);
  const struct node *root = parsed("[10, [], {\"a\": [1, 2]}, -7]");
  CU_ASSERT_EQUAL(node_size(root), 4);
  CU_ASSERT_EQUAL(node_integer(node_at(root, 0)), 10);
  CU_ASSERT_EQUAL(node_size(node_at(root, 1)), 0);
  CU_ASSERT_EQUAL(node_integer(node_at(node_get(node_at(root, 2), "a"), 1)), 2);
  CU_ASSERT_EQUAL(node_integer(node_at(root, 3)), -7);
  CU_ASSERT_PTR_NULL(node_at(root, 4));
  CU_ASSERT_PTR_NULL(node_at(NULL, 0));
  CU_ASSERT_EQUAL(node_size(node_at(root, 2)), 0);
  arena_free(&arena);
}

static void test_integers_are_whole_and_fit(void) {
  arena_init(&arena, &mem_default);
  const struct node *root =
      parsed("[9223372036854775807, 9223372036854775808, 1.0, 1e3, \"5\", true, null]");
  int64_t value = 3;
  CU_ASSERT(node_to_integer(node_at(root, 0), &value) && value == INT64_MAX);
  for (size_t i = 1; i < node_size(root); i++)
    CU_ASSERT(!node_to_integer(node_at(root, i), &value) && value == INT64_MAX);
  CU_ASSERT(!node_to_integer(NULL, &value));
  arena_free(&arena);
}

static void test_escapes(void) {
  arena_init(&arena, &mem_default);
  const struct node *root =
      parsed("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\ud800x\", \"\\uDBFF\\uDFFF\","
             "\"a\\u0000b\", \"\\ud800\\u0041\"]");
  CU_ASSERT(str_equal(node_at(root, 0)->text, STR("\"\\/\b\f\n\r\t")));
  CU_ASSERT(str_equal(node_at(root, 1)->text, STR("\xEF\xBF\xBDx")));
  CU_ASSERT(str_equal(node_at(root, 2)->text, STR("\xF4\x8F\xBF\xBF")));
  CU_ASSERT(str_equal(node_at(root, 3)->text, STR("a\0b")));
  CU_ASSERT(str_equal(node_at(root, 4)->text, STR("\xEF\xBF\xBD"
                                                  "A")));
  arena_free(&arena);
}

static void test_errors_say_where(void) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "unexpected end at line 1, column 1"},
      {"[1,\n x]", "unexpected character at line 2, column 2"},
      {"[1 2]", "expected a comma at line 1, column 4"},
      {"[1", "unexpected end at line 1, column 3"},
      {"{1:2}", "expected a name at line 1, column 2"},
      {"{", "unexpected end at line 1, column 2"},
      {"{\"a\":1,", "unexpected end at line 1, column 8"},
      {"{\"a\" 1}", "expected a colon at line 1, column 6"},
      {"\"a", "unterminated string at line 1, column 3"},
      {"\"\\x\"", "invalid escape at line 1, column 4"},
      {"\"\\u12g4\"", "invalid \\u escape at line 1, column 4"},
      {"\"\\u1\"", "invalid \\u escape at line 1, column 4"},
      {"1 2", "unexpected text after the value at line 1, column 3"},
      {"+1", "unexpected character at line 1, column 1"},
      {".5", "unexpected character at line 1, column 1"},
      {"1e", "unexpected character at line 1, column 1"},
      {"1e+", "unexpected character at line 1, column 1"},
      {"1.2.3", "unexpected character at line 1, column 1"},
      {"-", "unexpected character at line 1, column 1"},
      {"1-2", "unexpected character at line 1, column 1"},
      {"[]]", "unexpected text after the value at line 1, column 3"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    arena_init(&arena, &mem_default);
    CU_ASSERT(refused(cases[i].text, cases[i].message));
    arena_free(&arena);
  }
}

static void test_depth_has_no_cost_beyond_its_bytes(void) {
  static char text[4096];
  memset(text, '[', 2048);
  memset(text + 2048, ']', 2048);
  struct node *root;
  arena_init(&arena, &mem_default);
  pprofc_str deep = {text, sizeof text};
  CU_ASSERT_EQUAL(json_tree_parse(&arena, NULL, deep, &root, &error), PPROFC_OK);
  arena_free(&arena);
}

#ifdef HAVE_JANSSON
#include <jansson.h>

/* Pairs that are still to be compared. */
struct pair {
  const json_t *theirs;
  const struct node *ours;
};

static struct pair *pairs;
static size_t pair_count, pair_room, compared;

static void push_pair(const json_t *theirs, const struct node *ours) {
  if (pair_count == pair_room) {
    pair_room = pair_room ? pair_room * 2 : 64;
    pairs = realloc(pairs, pair_room * sizeof *pairs);
    if (!pairs) abort();
  }
  pairs[pair_count++] = (struct pair){theirs, ours};
}

static bool same_members(struct pair p) {
  const char *key;
  json_t *value;
  size_t count = 0;
  for (const struct node *member = p.ours->first; member; member = member->next) count++;
  if (count != json_object_size(p.theirs)) return false;
  json_object_foreach((json_t *)(uintptr_t)p.theirs, key, value)
      push_pair(value, node_get(p.ours, key));
  return true;
}

static bool same_items(struct pair p) {
  if (node_size(p.ours) != json_array_size(p.theirs)) return false;
  for (size_t i = 0; i < node_size(p.ours); i++)
    push_pair(json_array_get(p.theirs, i), node_at(p.ours, i));
  return true;
}

static bool same(struct pair p) {
  static const enum node_kind kinds[] = {
      [JSON_OBJECT] = NODE_OBJECT,  [JSON_ARRAY] = NODE_ARRAY, [JSON_STRING] = NODE_STRING,
      [JSON_INTEGER] = NODE_NUMBER, [JSON_REAL] = NODE_NUMBER, [JSON_TRUE] = NODE_TRUE,
      [JSON_FALSE] = NODE_FALSE,    [JSON_NULL] = NODE_NULL};
  double number;
  compared++;
  if (!node_is(p.ours, kinds[json_typeof(p.theirs)])) return false;
  if (json_is_object(p.theirs)) return same_members(p);
  if (json_is_array(p.theirs)) return same_items(p);
  if (json_is_integer(p.theirs)) return json_integer_value(p.theirs) == node_integer(p.ours);
  if (json_is_real(p.theirs))
    return str_parse_float(p.ours->text, &number) && number == json_real_value(p.theirs);
  pprofc_str text = {json_string_value(p.theirs), json_string_length(p.theirs)};
  return !json_is_string(p.theirs) || str_equal(p.ours->text, text);
}

static void compare_file(const char *path) {
  static char text[4u << 20];
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  pprofc_str data = {text, fread(text, 1, sizeof text, file)};
  fclose(file);
  struct node *root = NULL;
  json_t *theirs = json_loadb(data.data, data.size, 0, NULL);
  arena_init(&arena, &mem_default);
  CU_ASSERT_EQUAL(json_tree_parse(&arena, path, data, &root, &error), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL_FATAL(theirs);
  push_pair(theirs, root);
  bool equal = true;
  while (pair_count && equal) equal = same(pairs[--pair_count]);
  CU_ASSERT(equal);
  json_decref(theirs);
  arena_free(&arena);
}

static void test_files_read_as_jansson_reads_them(void) {
  compare_file(TESTDATA "/imports/calls.cpuprofile");
  compare_file(TESTDATA "/imports/calls.heapprofile");
  compare_file(TESTDATA "/imports/calls.dhat.json");
  compare_file(TESTDATA "/imports/made.firefox.json");
  compare_file(TESTDATA "/imports/made.speedscope.json");
  CU_ASSERT(compared > 1000);
  free(pairs);
}
#define WITH_JANSSON UNIT(test_files_read_as_jansson_reads_them)
#else
static void test_without_jansson(void) {
  puts("skipped: no Jansson to compare with");
}
#define WITH_JANSSON UNIT(test_without_jansson)
#endif

UNIT_MAIN("json tree", UNIT(test_items_of_arrays_have_numbers),
          UNIT(test_integers_are_whole_and_fit), UNIT(test_escapes), UNIT(test_errors_say_where),
          UNIT(test_depth_has_no_cost_beyond_its_bytes), WITH_JANSSON)
