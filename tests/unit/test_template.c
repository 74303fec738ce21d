/* Tests templates: sections, rows, and untrusted names, which must stay text at each position. */
#include "core/template.h"

#include "failing.h"
#include "unit.h"

#include <stdlib.h>

static void expect_put(const char *template, const struct fill *fill, const char *expected) {
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 20);
  template_put(&out, str_of(template), "page", fill);
  CU_ASSERT_FALSE(out.failed);
  CU_ASSERT(str_equal(buffer_str(&out), str_of(expected)));
  if (!str_equal(buffer_str(&out), str_of(expected)))
    printf("\n%.*s\ninstead of\n%s\n", STR_ARG(buffer_str(&out)), expected);
  buffer_free(&out);
}

TEST(test_rows_print_their_values_and_those_around_them) {
  struct fill f;
  fill_init(&f, &mem_default);
  fill_words(&f, "unit", "ns");
  for (int i = 0; i < 3; i++) {
    fill_begin(&f, "rows");
    fill_number(&f, "cost", i - 1);
    fill_flag(&f, "hot", i == 2);
    fill_begin(&f, "calls");
    buffer_add_text(fill_text(&f, "name"), i ? "g" : "f");
    fill_end(&f);
    fill_end(&f);
  }
  fill_words(&f, "last", "end");
  expect_put(
      "{=page}{#rows}{cost} {unit}{#hot}!{/hot} {#calls}{name}{cost}{/calls}{/rows:, } {last}"
      "{/page}",
      &f, "-1 ns f-1, 0 ns g0, 1 ns! g1 end");
  expect_put("{=page}{^rows}no{/rows}{^absent}no rows{/absent}{#absent}x{/absent}{/page}", &f,
             "no rows");
  expect_put("{=page}{#rows}{/rows}{>absent}{/page}{=absent}[{unit}]{/absent}", &f, "[ns]");
  fill_free(&f);
}

TEST(test_a_value_is_a_section_unless_it_is_empty) {
  struct fill f;
  fill_init(&f, &mem_default);
  fill_words(&f, "note", "n");
  fill_text(&f, "empty");
  fill_words(&f, "note", "later");
  expect_put(
      "{=page}{#note}({note}){/note}{#empty}x{/empty}{^empty}-{/empty}{^note}x{/note}{/page}", &f,
      "(later)-");
  fill_free(&f);
}

TEST(test_only_breaks_and_blanks_of_the_layout_are_dropped) {
  struct fill f;
  fill_init(&f, &mem_default);
  fill_words(&f, "a", "x");
  expect_put("{=page}\n  <p>\n    {a} b\n  {#a}\n  c\n  {/a}\n  </p> { d } {}\n{/page}\n", &f,
             "<p>\nx b\nc\n</p> { d } {}\n");
  fill_free(&f);
}

TEST(test_a_value_is_escaped_by_its_place) {
  struct fill f;
  fill_init(&f, &mem_default);
  fill_words(&f, "a", "<b> \"x\" & '\x1b/");
  fill_words(&f, "bad", "javascript:alert(1)");
  fill_words(&f, "good", "https://h/?a=1&b=2");
  fill_words(&f, "near", "top?f=a:b");
  buffer_add_text(fill_html(&f, "raw"), "<i>");
  fill_words(&f, "text", "<i>");
  expect_put("{=page}<p title=\"{a}\">{a}{/page}", &f,
             "<p title=\"&lt;b&gt; &#34;x&#34; &amp; &#39;\\x1b/\">"
             "&lt;b&gt; &#34;x&#34; &amp; &#39;\\x1b/");
  expect_put("{=page}<a href=\"{good}\" href=\"{bad}\" src=\"{near}\" href=\"x/{a}\">{/page}", &f,
             "<a href=\"https://h/?a=1&amp;b=2\" href=\"#\" src=\"top?f=a:b\" "
             "href=\"x/%3Cb%3E%20%22x%22%20%26%20%27%1B%2F\">");
  expect_put("{=page}<a{attr:a}{attr:absent} {a}>{/page}", &f,
             "<a a=\"&lt;b&gt; &#34;x&#34; &amp; &#39;\\x1b/\" >");
  expect_put("{=page}<script type=\"application/json\">[\"{text}\"]</script>{text}{/page}", &f,
             "<script type=\"application/json\">[\"\\u003ci\\u003e\"]</script>&lt;i&gt;");
  expect_put("{=page}{html:raw}{html:text}{raw}{/page}", &f, "<i>&lt;i&gt;");
  fill_words(&f, "lines", "x\ny");
  expect_put("{=page}<i b=\"{lines}\"{attr:lines}>{lines}<pre>{lines}</pre>{lines}{/page}", &f,
             "<i b=\"x\\x0ay\" lines=\"x\\x0ay\">x\\x0ay<pre>x\ny</pre>x\\x0ay");
  fill_free(&f);
}

/* For any bytes, a value must not add a tag, an attribute or a string. */
TEST(test_random_bytes_never_leave_their_place) {
  static const char template[] =
      "{=page}<a href=\"{v}\" src=\"/{v}\" title=\"{v}\"{attr:v}>{v}</a>"
      "<script type=\"application/json\">{\"a\":\"{v}\"}</script>{/page}";
  static const char marks[] = "<>\"'&`{}#/:\\\n\r\t\0\x1b\xE2\x80\xAE\xFFjavascript:--!";
  srand(1);
  for (int i = 0; i < 2000; i++) {
    struct fill f;
    struct buffer out;
    char value[24];
    size_t opened = 0, quotes = 0;
    for (size_t k = 0; k < sizeof value; k++)
      value[k] = rand() % 4 ? marks[(size_t)rand() % sizeof marks] : (char)rand();
    fill_init(&f, &mem_default);
    fill_str(&f, "v", (pprofc_str){value, 1 + (size_t)rand() % sizeof value});
    buffer_init(&out, &mem_default, 1 << 20);
    template_put(&out, str_of(template), "page", &f);
    size_t script = str_find(buffer_str(&out), STR("<script"));
    for (size_t k = 0; k < out.size; k++) {
      opened += out.data[k] == '<';
      quotes += out.data[k] == '"';
      k += k > script && out.data[k] == '\\'; /* the next byte belongs to the string */
    }
    CU_ASSERT_EQUAL(opened, 4);
    CU_ASSERT_EQUAL(quotes, 14);
    buffer_free(&out);
    fill_free(&f);
  }
}

TEST(test_a_template_with_an_error_prints_no_page) {
  static const char *const templates[] = {"",
                                          "{=page}",
                                          "{=page}{#a}{/page}",
                                          "{=page}{>nothing}{/page}",
                                          "{=page}{>page}{/page}",
                                          "{=page}{#a}{/a:{/page}",
                                          "{=page}{/a}{#a}{/ab}{/page}"};
  struct fill f;
  fill_init(&f, &mem_default);
  fill_words(&f, "a", "x");
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    struct buffer out;
    buffer_init(&out, &mem_default, 1 << 20);
    template_put(&out, str_of(templates[i]), "page", &f);
    CU_ASSERT(out.failed);
    buffer_free(&out);
  }
  for (int i = 0; i < FILL_DEPTH; i++) fill_begin(&f, "deep");
  CU_ASSERT(f.failed);
  fill_free(&f);
}

static pprofc_status fill_and_put(struct faults *faults, const pprofc_allocator *mem) {
  struct fill f;
  struct buffer out;
  failing_arm(faults);
  fill_init(&f, mem);
  for (int i = 0; i < 40; i++) {
    fill_begin(&f, "rows");
    fill_words(&f, "a", "a name with a \x1b of some length");
    fill_end(&f);
  }
  buffer_init(&out, mem, 1 << 20);
  template_put(&out, STR("{=page}{#rows}<b>{a}</b>{/rows}{/page}"), "page", &f);
  pprofc_status status = out.failed ? PPROFC_E_NOMEM : PPROFC_OK;
  buffer_free(&out);
  fill_free(&f);
  return status;
}

TEST(test_no_memory_is_told) {
  CU_ASSERT(failing_each(fill_and_put) > 8);
}

TEST(test_a_format_fills_in_values_and_rows) {
  struct fill f;
  struct buffer out;
  fill_init(&f, &mem_default);
  buffer_init(&out, &mem_default, 1 << 20);
  fill_pack(&f, "title:S rows:{a-b:s n:i hot:b} rows:{n:i hot:b", STR("<t>"), "x", INT64_C(7),
            false, INT64_C(-8), true);
  fill_pack(&f, "} end:s", "z");
  template_put(&out, STR("{=page}{title}{#rows}[{a-b}{n}{#hot}!{/hot}]{/rows}{end}{/page}"), "page",
               &f);
  CU_ASSERT(str_equal(buffer_str(&out), STR("&lt;t&gt;[x7][-8!]z")));
  buffer_free(&out);
  fill_free(&f);
}
