/* Tests list, disasm and weblist with profiles that the test creates: hostile texts, sums that wrap
 * around, and lack of memory. */
#include "unit.h"

#include "core/buffer.h"
#include "pprofc/pprofc.h"
#include "profile_text.h"

#include <stdlib.h>
#include <unistd.h>

#define EVIL "</pre><script>alert('\"+&')</script>\033[2J"

static pprofc_error error;

/* ---- failing allocations ----------------------------- */

struct budget {
  size_t left; /* number of allocations that still succeed */
  size_t held;
};

static void *budget_alloc(void *context, size_t size) {
  struct budget *budget = context;
  if (!budget->left) return NULL;
  budget->left--;
  budget->held++;
  return malloc(size ? size : 1);
}

static void *budget_resize(void *context, void *block, size_t old_size, size_t new_size) {
  struct budget *budget = context;
  (void)old_size;
  if (!budget->left) return NULL;
  budget->left--;
  if (!block) budget->held++;
  return realloc(block, new_size ? new_size : 1);
}

static void budget_release(void *context, void *block, size_t size) {
  struct budget *budget = context;
  (void)size;
  if (block) budget->held--;
  free(block);
}

/* ---- profiles and reports ---------------------------- */

static pprofc_status render(const pprofc_profile *profile, const char *format, const char *argument,
                            struct buffer *out) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.argument = argument;
  options.source_path = TESTDATA "/native";
  options.trim_path = "/app";
  options.threads = 1;
  return pprofc_report(profile, &options, buffer_write, out, &error);
}

/* Creates a profile of two functions with hostile names in an existing file. One function is
 * recursive. */
static pprofc_profile *make_profile(const pprofc_allocator *mem, const char *name, int64_t line) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "count");
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/no/such/" EVIL, "", 0);
  uint32_t inner = pprofc_builder_function(b, name, NULL, "/app/inlined.c", 0);
  uint32_t outer = pprofc_builder_function(b, "outer", NULL, "/app/inlined.c", 0);
  uint32_t gone = pprofc_builder_function(b, "gone", NULL, EVIL ".c", 0);
  pprofc_line lines[] = {{inner, line, 0}, {outer, 12, 0}};
  uint32_t frames[] = {pprofc_builder_location(b, mapping, 0x1100, lines, 2),
                       pprofc_builder_location(b, mapping, 0, &(pprofc_line){outer, 10, 0}, 1),
                       pprofc_builder_location(b, mapping, 0x1300, &(pprofc_line){gone, 3, 0}, 1)};
  pprofc_builder_sample(b, frames, 3, (int64_t[]){5});
  pprofc_builder_sample(b, (uint32_t[]){frames[0], frames[0], frames[2]}, 3,
                        (int64_t[]){INT64_MAX});
  return finish(b);
}

static bool holds(const struct buffer *buffer, const char *text) {
  return str_find(buffer_str(buffer), str_of(text)) < buffer->size;
}

/* ---- tests ------------------------------------------- */

TEST(test_nothing_of_a_profile_is_markup) {
  pprofc_profile *p = make_profile(NULL, EVIL, 11);
  struct buffer page;
  buffer_init(&page, &mem_default, 1 << 24);
  CU_ASSERT_EQUAL(render(p, "weblist", ".", &page), PPROFC_OK);
  CU_ASSERT(
      holds(&page, "&lt;/pre&gt;&lt;script&gt;alert(&#39;&#34;&#43;&amp;&#39;)&lt;/script&gt;"));
  CU_ASSERT_FALSE(holds(&page, "<script>alert") || holds(&page, "\033"));
  CU_ASSERT(holds(&page, "\xEF\xBF\xBD[2J"));
  CU_ASSERT(holds(&page, "rotate(uint32_t x, int bits)")); /* the source is shown */
  buffer_free(&page);
  pprofc_profile_release(p);
}

TEST(test_nothing_of_a_profile_drives_a_terminal) {
  pprofc_profile *p = make_profile(NULL, EVIL, 11);
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 24);
  CU_ASSERT_EQUAL(render(p, "list", ".", &text), PPROFC_OK);
  CU_ASSERT(holds(&text, "\\x1b[2J in inlined.c\n"));
  CU_ASSERT_FALSE(holds(&text, "\033"));
  buffer_clear(&text);
  /* The report must print that the binary is missing before it prints the error. */
  CU_ASSERT_EQUAL(render(p, "disasm", ".", &text), PPROFC_E_NO_MATCH);
  CU_ASSERT(holds(&text, "stat /no/such/</pre><script>") && holds(&text, "\\x1b[2J: no such file"));
  CU_ASSERT_FALSE(holds(&text, "\033"));
  buffer_free(&text);
  pprofc_profile_release(p);
}

TEST(test_lines_may_be_any_number) {
  static const int64_t lines[] = {INT64_MIN, INT64_MIN + 3, -1,       0, 1,
                                  1 << 30,   INT64_MAX - 3, INT64_MAX};
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 24);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    pprofc_profile *p = make_profile(NULL, "inner", lines[i]);
    CU_ASSERT_EQUAL(render(p, "list", ".", &text), PPROFC_OK);
    CU_ASSERT_EQUAL(render(p, "weblist", ".", &text), PPROFC_OK);
    pprofc_profile_release(p);
  }
  CU_ASSERT_FALSE(text.failed);
  buffer_free(&text);
}

TEST(test_two_locations_of_an_address_count_once_in_weblist) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "count");
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x2000, 0, "/no/such", "", 0);
  uint32_t walk = pprofc_builder_function(b, "walk", NULL, "/app/inlined.c", 0);
  pprofc_line line = {walk, 8, 0};
  uint32_t one = pprofc_builder_location(b, mapping, 0x1100, &line, 1);
  uint32_t two = pprofc_builder_location(b, PPROFC_NONE, 0x1100, &line, 1);
  CU_ASSERT_NOT_EQUAL(one, two);
  pprofc_builder_sample(b, (uint32_t[]){one, two, one}, 3, (int64_t[]){10});
  pprofc_builder_sample(b, (uint32_t[]){two}, 1, (int64_t[]){7});
  pprofc_profile *p = finish(b);
  struct buffer page;
  buffer_init(&page, &mem_default, 1 << 24);
  CU_ASSERT_EQUAL(render(p, "weblist", "walk", &page), PPROFC_OK);
  CU_ASSERT(holds(&page, "  Total:          17         17 (flat, cum)   100%"));
  buffer_free(&page);
  pprofc_profile_release(p);
}

TEST(test_an_expression_that_matches_nothing_is_an_error) {
  pprofc_profile *p = make_profile(NULL, "inner", 11);
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  static const char *const formats[] = {"list", "disasm", "weblist"};
  static const char *const messages[] = {"no matches found for regexp: nosuch",
                                         "no matches found for regexp nosuch",
                                         "no matches found for regexp: nosuch"};
  for (int i = 0; i < 3; i++) {
    CU_ASSERT_EQUAL(render(p, formats[i], "nosuch", &text), PPROFC_E_NO_MATCH);
    CU_ASSERT_STRING_EQUAL(error.message, messages[i]);
  }
  CU_ASSERT_EQUAL(render(p, "disasm", "0x7777", &text), PPROFC_E_NO_MATCH);
  CU_ASSERT_STRING_EQUAL(error.message, "no matches found for address 0x7777");
  CU_ASSERT_EQUAL(text.size, 0);
  buffer_free(&text);
  pprofc_profile_release(p);
}

/* Tests each allocation with a failure. The status must be PPROFC_E_NOMEM, and no memory may
 * leak. */
static void check_memory(const char *format, pprofc_status end) {
  struct budget budget = {SIZE_MAX, 0};
  pprofc_allocator mem = {budget_alloc, budget_resize, budget_release, &budget};
  pprofc_profile *p = make_profile(&mem, "inner", 11);
  size_t held = budget.held;
  pprofc_status status = PPROFC_E_NOMEM;
  for (size_t count = 0; status == PPROFC_E_NOMEM && count < 100000; count++) {
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 24);
    budget.left = count;
    status = render(p, format, ".", &text);
    CU_ASSERT_EQUAL(budget.held, held);
    buffer_free(&text);
  }
  CU_ASSERT_EQUAL(status, end);
  budget.left = SIZE_MAX;
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(budget.held, 0);
}

TEST(test_memory_may_run_out_anywhere) {
  check_memory("list", PPROFC_OK);
  check_memory("weblist", PPROFC_OK);
  check_memory("disasm", PPROFC_E_NO_MATCH);
}
