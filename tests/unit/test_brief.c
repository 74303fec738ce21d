/* Tests reports that -budget shortens. They must never be longer than the budget, and never have a
 * wrong sum. */
#include "common/flags.h"
#include "core/brief.h"
#include "core/json_tree.h"
#include "core/json_write.h"
#include "report_text.h"
#include "unit.h"

#include <limits.h>

/* ---- random profiles --------------------------------- */

static uint32_t random_state;

static uint32_t random_below(uint32_t most) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % most;
}

/* Creates a random name of up to 700 bytes with control characters, quotes and multi-byte
 * characters. */
static void random_name(char out[800]) {
  static const char *const pieces[] = {
      "main.", "Ö", "\"", "\n", "<T>", "::", "\x1b[2J", "(*list)", "漢", "##[", "\\", "operator"};
  size_t size = 0, count = random_below(40) ? 1 + random_below(5) : 90;
  for (size_t i = 0; i < count; i++)
    size += (size_t)snprintf(out + size, 800 - size, "%s%u", pieces[random_below(12)],
                             random_below(50));
}

/* Creates a profile of counts. Reports print counts as exact numbers. */
static pprofc_profile *random_profile(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "events", "count");
  uint32_t functions[24], count = 1 + random_below(24);
  char name[800];
  for (uint32_t i = 0; i < count; i++) {
    random_name(name);
    functions[i] = frame(b, name);
  }
  for (uint32_t i = 1 + random_below(60); i; i--) {
    uint32_t stack[5], depth = 1 + random_below(5);
    int64_t value = (int64_t)random_below(5000) - 400;
    for (uint32_t k = 0; k < depth; k++) stack[k] = functions[random_below(count)];
    pprofc_builder_sample(b, stack, depth, &value);
  }
  return finish(b);
}

/* ---- sums in shortened reports ----------------------- */

struct rendered {
  const pprofc_profile *profile;
  pprofc_report_options options;
};

static pprofc_status render_brief_test(const void *context, pprofc_write_fn write, void *to,
                                       pprofc_error *error) {
  const struct rendered *r = context;
  return pprofc_report(r->profile, &r->options, write, to, error);
}

static pprofc_status cut_report(const struct rendered *r, enum brief_kind kind, size_t most,
                                struct buffer *out) {
  pprofc_error error;
  const struct brief brief = {.kind = kind};
  buffer_clear(out);
  return brief_report(&brief, most, "", render_brief_test, r, buffer_write, out, &error);
}

struct top_sums {
  long long rows, left, header; /* sum of the rows, sum of the dropped rows, value in the line that
                                   counts the nodes */
};

/* Adds up the flat values of the rows, and of the dropped rows. */
static struct top_sums add_rows(pprofc_str text) {
  static const char header[] = "Showing nodes accounting for ";
  struct top_sums sums = {0, 0, LLONG_MIN};
  bool rows = false;
  pprofc_str line;
  while (text.data && str_next_line(&text, &line)) {
    char copy[400];
    snprintf(copy, sizeof copy, "%.*s", STR_ARG(line));
    const char *left = strstr(copy, "left out: ") == copy ? strstr(copy, "rows (") : NULL;
    if (!left && strstr(copy, "left out: ") == copy) left = strstr(copy, "row (");
    if (strstr(copy, header) == copy) sums.header = strtoll(copy + strlen(header), NULL, 10);
    if (left)
      sums.left += strtoll(strchr(left, '(') + 1, NULL, 10);
    else if (rows)
      sums.rows += strtoll(copy, NULL, 10);
    rows |= strstr(copy, "flat  flat%") != NULL;
  }
  if (sums.header == LLONG_MIN)
    sums.header = sums.rows; /* the report dropped the line with this
                                value */
  return sums;
}

static void check_top(const pprofc_profile *p, size_t most, struct buffer *out) {
  struct rendered r = {p, report_options("top")};
  r.options.trim = false;
  CU_ASSERT_EQUAL(cut_report(&r, BRIEF_ROWS, 0, out), PPROFC_OK);
  struct top_sums whole = add_rows(buffer_str(out));
  CU_ASSERT_EQUAL(cut_report(&r, BRIEF_ROWS, most, out), PPROFC_OK);
  CU_ASSERT(out->size <= most);
  struct top_sums cut = add_rows(buffer_str(out));
  bool right = cut.rows + cut.left == whole.rows && cut.header == cut.rows;
  if (!right) printf("\n%lld rows in %zu:\n%.*s", whole.rows, most, STR_ARG(buffer_str(out)));
  CU_ASSERT(right);
}

/* Checks that the flat values of the functions and of the dropped functions add up to the total,
 * and that the JSON is complete. */
static void check_json(const pprofc_profile *p, size_t most, struct buffer *out) {
  struct rendered r = {p, report_options("json")};
  struct arena arena;
  struct node *root = NULL;
  pprofc_status status = cut_report(&r, BRIEF_JSON, most, out);
  CU_ASSERT(out->size <= most);
  CU_ASSERT(status == PPROFC_OK || status == PPROFC_E_LIMIT);
  if (status) return;
  arena_init(&arena, &mem_default);
  CU_ASSERT_EQUAL(json_tree_parse(&arena, "report", buffer_str(out), &root, NULL), PPROFC_OK);
  const struct node *rows = node_get(root, "functions"), *left = node_path(root, "left_out.text");
  long long sum = 0, total = node_integer(node_at(node_get(root, "head"), 0));
  for (size_t i = 0; i < node_size(rows); i++)
    sum += node_integer(node_at(node_get(node_at(rows, i), "flat"), 0));
  if (left) {
    char copy[200];
    snprintf(copy, sizeof copy, "%.*s", STR_ARG(left->text));
    sum += strtoll(strchr(copy, '(') + 1, NULL, 10);
  }
  CU_ASSERT_EQUAL(sum, total);
  arena_free(&arena);
}

TEST(test_reports_keep_their_budget_and_sums) {
  static const struct {
    const char *format;
    enum brief_kind kind;
  } others[] = {{"tree", BRIEF_ROWS},
                {"traces", BRIEF_LINES},
                {"raw", BRIEF_LINES},
                {"folded", BRIEF_LINES},
                {"text", BRIEF_ROWS}};
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 24);
  for (uint32_t seed = 0; seed < 500; seed++) {
    random_state = seed * 7919u;
    size_t most = BRIEF_LEAST + random_below(seed % 2 ? 600 : 6000);
    pprofc_profile *p = random_profile();
    check_top(p, most, &out);
    check_json(p, most, &out);
    struct rendered r = {p, report_options(others[seed % 5].format)};
    CU_ASSERT_EQUAL(cut_report(&r, others[seed % 5].kind, most, &out), PPROFC_OK);
    CU_ASSERT(out.size <= most);
    pprofc_profile_release(p);
  }
  buffer_free(&out);
}

/* ---- single functions -------------------------------- */

static void write_lines_of(struct brief *b, size_t count) {
  char line[64];
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_EQUAL(brief_write(b, line, (size_t)snprintf(line, sizeof line, "line %zu\n", i)), 0);
}

static void expect_brief(struct brief *b, const char *expected) {
  struct buffer out;
  pprofc_error error;
  buffer_init(&out, &mem_default, 1 << 20);
  CU_ASSERT_EQUAL(brief_finish(b, buffer_write, &out, &error), PPROFC_OK);
  buffer_add_char(&out, '\0');
  if (strcmp(out.data, expected) != 0) printf("\nexpected:\n%sgot:\n%s", expected, out.data);
  CU_ASSERT_STRING_EQUAL(out.data, expected);
  buffer_free(&out);
  brief_free(b);
}

static int rank_last(pprofc_str line) {
  return str_starts(line, STR("line 99")) ? BRIEF_FIXED : 0;
}

TEST(test_lines_without_marks) {
  struct brief b;
  brief_init(&b, &mem_default, BRIEF_LINES, BRIEF_LEAST, "show -budget=1024");
  write_lines_of(&b, 3);
  expect_brief(&b, "line 0\nline 1\nline 2\n");
  brief_init(&b, &mem_default, BRIEF_LINES, BRIEF_LEAST, "show -budget=1024");
  b.rank_of = rank_last;
  b.most = 80;
  b.markdown = true;
  write_lines_of(&b, 100);
  expect_brief(
      &b, "line 0\nline 1\nline 2\nline 99\n\nleft out: 96 rows; show -budget=1024 shows more\n");
}

/* The rows with the largest weight must stay, in the order of the report. */
TEST(test_the_most_important_rows_stay) {
  struct brief b;
  brief_init(&b, &mem_default, BRIEF_ROWS, BRIEF_LEAST, "");
  b.most = 90;
  CU_ASSERT_EQUAL(brief_write(&b, "title\n", 6), 0);
  for (int i = 0; i < 50; i++) {
    char row[32];
    CU_ASSERT(brief_mark(&b, i == 7, i == 40 ? -100 : i, 0));
    CU_ASSERT_EQUAL(brief_write(&b, row, (size_t)snprintf(row, sizeof row, "row %d\n", i)), 0);
  }
  CU_ASSERT(brief_mark(&b, BRIEF_FIXED, 0, 0));
  CU_ASSERT_EQUAL(brief_write(&b, "end\n", 4), 0);
  expect_brief(&b, "title\nrow 7\nrow 40\nrow 47\nrow 48\nrow 49\nend\n"
                   "left out: 45 rows; -budget=360 shows more\n");
}

TEST(test_json_rows) {
  struct brief b;
  struct output out;
  struct json_writer json;
  pprofc_error error;
  struct buffer text;
  brief_init(&b, &mem_default, BRIEF_JSON, BRIEF_LEAST, "a \"b\"");
  output_init(&out, brief_write, &b);
  json_init(&json, &out, &mem_default);
  json_begin_object(&json);
  json_key(&json, "rows");
  json_begin_array(&json);
  for (int i = 0; i < 100; i++) {
    output_row(&out, 0, i, i);
    json_int(&json, i);
  }
  output_no_row(&out);
  json_end(&json);
  output_note(&out);
  json_end(&json);
  CU_ASSERT(json_finish(&json));
  CU_ASSERT_EQUAL(output_flush(&out, &error), PPROFC_OK);
  b.most = 90;
  expect_brief(&b,
               "{\"rows\":[93,94,95,96,97,98,99],\"left_out\":{\"rows\":93,\"text\":\"93 rows\","
               "\"more\":\"a \\\"b\\\"\"}}");
  brief_init(&b, &mem_default, BRIEF_JSON, BRIEF_LEAST, "");
  char long_text[300] = {0};
  memset(long_text, 'x', sizeof long_text - 1);
  buffer_init(&text, &mem_default, 1 << 20);
  CU_ASSERT_EQUAL(brief_write(&b, long_text, 299), 0);
  expect_message(brief_finish(&b, buffer_write, &text, &error), PPROFC_E_LIMIT, &error,
                 "the report outside rows has 299 bytes; the budget is 256");
  CU_ASSERT_EQUAL(text.size, 0);
  brief_free(&b);
  buffer_free(&text);
}

/* Many long lines above the rows must leave some space for rows. */
TEST(test_lines_above_the_rows) {
  struct brief b;
  char line[400];
  memset(line, 'c', sizeof line);
  line[399] = '\n';
  brief_init(&b, &mem_default, BRIEF_ROWS, 400, "");
  write_lines_of(&b, 1);
  for (int i = 0; i < 20; i++) CU_ASSERT_EQUAL(brief_write(&b, line, sizeof line), 0);
  CU_ASSERT_EQUAL(brief_write(&b, "columns\n", 8), 0);
  CU_ASSERT(brief_mark(&b, 0, 1, 1));
  CU_ASSERT_EQUAL(brief_write(&b, "row\n", 4), 0);
  brief_settle(&b, NULL, NULL, NULL);
  CU_ASSERT_EQUAL(b.left.rows, 0);
  CU_ASSERT(b.left.lines > 15);
  CU_ASSERT_EQUAL(b.row_count, 1);
  brief_free(&b);
}

TEST(test_long_functions_keep_their_end) {
  static const struct {
    const char *name, *shown;
    size_t most;
  } cases[] = {
      {"short<int>(char)", "short<int>(char)", 16},
      {"json::parser<std::map<int, list<char> >, (3>2)>::parse(bool, std::string const&) const",
       "json::parser<...>::parse(...) const", 40},
      {"a::operator<< <char, std::allocator<char> >(stream<char>&, char)",
       "a::operator<< <...>(...)", 40},
      {"fn<void (int)>::operator()(int, char, long) const", "fn<...>::operator()(...) const", 40},
      {"p<int>::operator->() const noexcept(true)", "p<...>::operator->() const noexcept(...)", 40},
      {"a::(anonymous namespace)::scan(std::vector<int>, long)",
       "a::(anonymous namespace)::scan(...)", 40},
      {"lib/parse.(*Scanner[go.shape.int,go.shape.string]).next", "lib/pa....next", 14},
      {"never<closed(a, list", "neve...list", 11},
      {"<lambda>::call_with_a_long_name", "<lam...name", 11},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buffer out;
    buffer_init(&out, &mem_default, SIZE_MAX / 2);
    brief_function(&out, str_of(cases[i].name), cases[i].most);
    buffer_add_char(&out, '\0');
    CU_ASSERT_STRING_EQUAL(out.data, cases[i].shown);
    if (strcmp(out.data, cases[i].shown) != 0) printf("%s\n", out.data);
    buffer_free(&out);
  }
}

TEST(test_long_names_have_a_handle) {
  struct buffer out;
  char name[200], handle[BRIEF_HANDLE];
  memset(name, 'a', 100);
  memset(name + 100, 'b', 99);
  name[199] = '\0';
  buffer_init(&out, &mem_default, 1 << 10);
  brief_shorten(&out, str_of(name), 60);
  brief_handle(str_of(name), handle);
  CU_ASSERT(out.size <= 60);
  CU_ASSERT(str_starts(buffer_str(&out), STR("aaaaaaaaaa")));
  CU_ASSERT(str_ends(buffer_str(&out), str_of(handle)));
  buffer_clear(&out);
  brief_shorten(&out, STR("short"), 60);
  CU_ASSERT(str_equal(buffer_str(&out), STR("short")));
  buffer_clear(&out);
  brief_shorten(&out, STR("漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢"), 50);
  CU_ASSERT(out.size <= 50);
  for (size_t i = 0; i + 1 < out.size; i++) CU_ASSERT((unsigned char)out.data[i] != 0xBC || i);
  buffer_free(&out);
}

TEST(test_the_command_that_shows_more) {
  char out[BRIEF_COMMAND], program[] = "/usr/bin/pprofc", top[] = "-top", one[] = "--budget=300",
                           two[] = "-budget", number[] = "300", file[] = "a.pb",
                           quoted[] = "a b.pb";
  char *first[] = {program, top, one, file}, *second[] = {program, two, number, file},
       *third[] = {program, two, number, quoted};
  brief_command(4, first, 300, out);
  CU_ASSERT_STRING_EQUAL(out, "pprofc -top -budget=1200 a.pb");
  brief_command(4, second, 300, out);
  CU_ASSERT_STRING_EQUAL(out, "pprofc -budget=1200 a.pb");
  brief_command(4, third, 300, out);
  CU_ASSERT_STRING_EQUAL(out, "");
}
