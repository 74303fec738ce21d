/* Tests the JSON reader. Its result for each JSON file of testdata must equal Jansson's. */
#include "unit.h"

#include "core/json_tree.h"
#include "import/json/json.h"

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

TEST(test_items_of_arrays_have_numbers) {
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

/* Parses text as an importer does, with arrays of numbers packed. */
static struct node *packed(const char *text) {
  struct node *root = NULL;
  bool cut;
  CU_ASSERT_EQUAL(json_tree_parse_cut(&arena, str_of(text), &root, &cut, &error), PPROFC_OK);
  return root;
}

#define TWENTY "0, 1,2 ,\n3,4,5,6,7,8,9, 10,11,12,13,14,15,16,17,18,19"

TEST(test_packed_numbers_are_items) {
  arena_init(&arena, &mem_default);
  const struct node *root = packed("{\"a\": [" TWENTY "," TWENTY ", -1.5e3, null, true, NaN ]}");
  const struct node *list = node_get(root, "a");
  CU_ASSERT(node_is(list, NODE_ARRAY) && !list->first);
  CU_ASSERT_EQUAL(node_size(list), 44);
  for (size_t i = 0; i < 40; i++)
    CU_ASSERT_EQUAL(node_integer(node_at(list, i)), (int64_t)(i % 20));
  for (size_t i = 40; i-- > 0;) CU_ASSERT_EQUAL(node_integer(node_at(list, i)), (int64_t)(i % 20));
  CU_ASSERT(str_equal(node_at(list, 40)->text, STR("-1.5e3")));
  CU_ASSERT(node_is(node_at(list, 41), NODE_NULL) && node_is(node_at(list, 42), NODE_TRUE));
  CU_ASSERT(str_equal(node_at(list, 43)->text, STR("NaN")));
  CU_ASSERT_PTR_NULL(node_at(list, 44));
  arena_free(&arena);
}

TEST(test_packed_rows_are_arrays) {
  arena_init(&arena, &mem_default);
  const struct node *root = packed("[[1,2,3],[ ],[],[4 , 5],7,[6],[0],[1],[2],[3],[4],[5],[6],"
                                   "[7],[8],[9]\n,\n[ 10 ] , [11,12] ]");
  CU_ASSERT_EQUAL(node_size(root), 18);
  CU_ASSERT(!root->first);
  const struct node *row = node_at(root, 17);
  CU_ASSERT_EQUAL(node_size(row), 2);
  CU_ASSERT_EQUAL(node_integer(node_at(row, 1)), 12);
  CU_ASSERT_EQUAL(node_integer(node_at(row, 0)), 11);
  CU_ASSERT_EQUAL(node_integer(node_at(node_at(root, 0), 2)), 3);
  CU_ASSERT_EQUAL(node_size(node_at(root, 1)), 0);
  CU_ASSERT_EQUAL(node_size(node_at(root, 2)), 0);
  CU_ASSERT_PTR_NULL(node_at(node_at(root, 2), 0));
  CU_ASSERT_EQUAL(node_integer(node_at(node_at(root, 3), 1)), 5);
  CU_ASSERT_EQUAL(node_integer(node_at(root, 4)), 7);
  CU_ASSERT_EQUAL(node_integer(node_at(node_at(root, 16), 0)), 10);
  arena_free(&arena);
}

/* The expected texts were printed by node. */
TEST(test_values_are_written_as_javascript_does) {
  static const char *const texts[][2] = {
      {"{\"a\": \"x\\\"\\\\\\b\\u0001\", \"b\": [], \"c\": {}, \"d\": [true, {\"e\": null}]}",
       "{\"a\":\"x\\\"\\\\\\b\\u0001\",\"b\":[],\"c\":{},\"d\":[true,{\"e\":null}]}"},
      {"[1.50, 1e21, 1e22, 1e-7, 0.00001, -2.5e3, 123456789012345678, 1e999, 0.1, -0]",
       "[1.5,1e+21,1e+22,1e-7,0.00001,-2500,123456789012345680,null,0.1,0]"},
      {"[" TWENTY "]", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]"},
      {"[[1, 2],[],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12],[13],[14],[15],[16, null]]",
       "[[1,2],[],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12],[13],[14],[15],[16,null]]"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct buffer text;
    arena_init(&arena, &mem_default);
    buffer_init(&text, &mem_default, 1 << 20);
    json_stringify(&text, packed(texts[i][0]));
    CU_ASSERT(str_equal(buffer_str(&text), str_of(texts[i][1])));
    if (!str_equal(buffer_str(&text), str_of(texts[i][1])))
      printf("%.*s\n", STR_ARG(buffer_str(&text)));
    buffer_free(&text);
    arena_free(&arena);
  }
}

/* An array stays a list of nodes if it has items other than numbers, or if its numbers are far
 * apart. */
TEST(test_other_arrays_are_not_packed) {
  static const char *const texts[] = {"[" TWENTY ",\"a\"]", "[" TWENTY ",{}]", "[" TWENTY ",[]]",
                                      "[[" TWENTY ",[]], " TWENTY "]"};
  arena_init(&arena, &mem_default);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const struct node *root = packed(texts[i]);
    CU_ASSERT(root->first && node_size(root) == 21);
  }
  static char far[8192];
  memset(far, ' ', sizeof far - 1);
  memcpy(far, "[" TWENTY "," TWENTY, sizeof TWENTY * 2);
  memcpy(far + 5000, "," TWENTY "," TWENTY "]", sizeof TWENTY * 2 + 1);
  const struct node *root = packed(far);
  CU_ASSERT(root->first && node_size(root) == 80);
  CU_ASSERT_EQUAL(node_integer(node_at(root, 79)), 19);
  memset(far, ' ', sizeof far - 1);
  memcpy(far, "[1", 2);
  memcpy(far + 5000, "," TWENTY "]", sizeof TWENTY + 1);
  root = packed(far);
  CU_ASSERT(root->first && node_size(root) == 21);
  arena_free(&arena);
}

static bool packed_refused(const char *text, const char *message) {
  struct node *root = NULL;
  bool cut;
  bool good = refused(text, message) &&
              json_tree_parse_cut(&arena, str_of(text), &root, &cut, &error) == PPROFC_E_FORMAT &&
              !root && strcmp(error.message, message) == 0;
  if (!good) fprintf(stderr, "%s: %s\n", text, error.message);
  return good;
}

TEST(test_packing_reports_the_same_errors) {
  arena_init(&arena, &mem_default);
  CU_ASSERT(packed_refused("{\"a\": [" TWENTY ",", "unexpected end at line 2, column 46"));
  CU_ASSERT(packed_refused("{\"a\": [" TWENTY " 1]}", "expected a comma at line 2, column 46"));
  CU_ASSERT(packed_refused("{\"a\": [" TWENTY ",]}", "unexpected character at line 2, column 46"));
  CU_ASSERT(
      packed_refused("{\"a\": [" TWENTY ",1.e]}", "unexpected character at line 2, column 46"));
  CU_ASSERT(
      packed_refused("{\"a\": [[" TWENTY ",x]]}", "unexpected character at line 2, column 46"));
  arena_free(&arena);
}

TEST(test_integers_are_whole_and_fit) {
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

TEST(test_escapes) {
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

TEST(test_errors_say_where) {
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

TEST(test_depth_has_no_cost_beyond_its_bytes) {
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

/* Pairs of values that the test still has to compare. */
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

TEST(test_files_read_as_jansson_reads_them) {
  compare_file(TESTDATA "/imports/calls.cpuprofile");
  compare_file(TESTDATA "/imports/calls.heapprofile");
  compare_file(TESTDATA "/imports/calls.dhat.json");
  compare_file(TESTDATA "/imports/made.firefox.json");
  compare_file(TESTDATA "/imports/made.speedscope.json");
  CU_ASSERT(compared > 1000);
  free(pairs);
}
#else
TEST(test_without_jansson) {
  puts("skipped: no Jansson to compare with");
}
#endif
