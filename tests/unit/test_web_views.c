/* Tests the pages of the web server: names must never become markup, links must keep the settings,
 * and values must equal the values on the command line. */
#include "core/escape.h"
#include "make_page.h"
#include "pprofc/transform.h"
#include "profile_text.h"
#include "unit.h"
#include "unit/unit.h"
#include "web/table_csv.h"
#include "web/views/page.h"
#include "web/views/views.h"

#include <ctype.h>

/* ---- markup ------------------------------------------ */

static const char *const known_tags[] = {
    "html",   "head",    "meta",  "title",  "link",    "script",  "body",  "a",     "header",
    "nav",    "form",    "input", "span",   "details", "summary", "div",   "label", "select",
    "option", "button",  "h1",    "h2",     "ul",      "li",      "code",  "p",     "b",
    "main",   "table",   "thead", "tbody",  "tr",      "th",      "td",    "small", "aside",
    "dl",     "dt",      "dd",    "dialog", "section", "pre",     "meter", "svg",   "g",
    "text",   "polygon", "path",  NULL};

static bool tag_is_known(pprofc_str name) {
  for (size_t i = 0; known_tags[i]; i++)
    if (str_equal(name, str_of(known_tags[i]))) return true;
  return false;
}

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '-' || c == ':' || c == '_';
}

/* Checks one attribute and advances *at to its end. Returns false if pages may not have the
 * attribute. */
static bool take_attribute(const char **at) {
  const char *name = *at;
  while (is_name_char(**at)) ++*at;
  size_t size = (size_t)(*at - name);
  if (!size || strncmp(name, "on", 2) == 0 || (size == 5 && strncmp(name, "style", 5) == 0))
    return false;
  if (**at != '=') return true;
  ++*at;
  if (**at != '"') {
    while (is_name_char(**at) || **at == '.' || **at == '/') ++*at;
    return true;
  }
  const char *end = strchr(*at + 1, '"');
  if (!end) return false;
  if (size == 4 && strncmp(name, "href", 4) == 0 && strncmp(*at + 1, "javascript", 10) == 0)
    return false;
  *at = end + 1;
  return true;
}

/* True if the page has only tags and attributes that the server writes. */
static bool markup_is_ours(const char *at) {
  while ((at = strchr(at, '<'))) {
    at++;
    if (*at == '!') continue; /* the document type declaration */
    at += *at == '/';
    const char *name = at;
    while (isalnum((unsigned char)*at)) at++;
    if (!tag_is_known((pprofc_str){name, (size_t)(at - name)})) return false;
    while (*at != '>') {
      while (*at == ' ' || *at == '\n') at++;
      if (*at != '>' && !take_attribute(&at)) return false;
    }
  }
  return true;
}

/* Names that could become markup, links, scripts or dot. */
static const char *const hostile[] = {
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\"><svg onload=alert(3)>",
    "' onmouseover='alert(4)",
    "--><!--<iframe src=x>",
    "\"];n9[URL=\"javascript:alert(7)\" tooltip=\"",
    "javascript:alert(8)",
    "</title><style>*{color:red}</style>",
    "a&lt;b&amp;c",
    "esc\x1b]0;x\x07",
    "bad\xff\xfe",
    "\xE2\x80\xAE.evil",
    "new\nline\\",
};

#define HOSTILE_COUNT (sizeof hostile / sizeof *hostile)

static pprofc_profile *hostile_profile(int64_t scale) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples\"><img src=x onerror=alert(15)>", "count");
  pprofc_builder_type(b, "cpu' onmouseover='alert(16)", "nanoseconds");
  for (size_t i = 0; i < HOSTILE_COUNT; i++) {
    uint32_t frames[] = {
        pprofc_builder_frame(b, hostile[i], hostile[(i + 1) % HOSTILE_COUNT], (int64_t)i + 1),
        pprofc_builder_frame(b, hostile[(i + 3) % HOSTILE_COUNT], "<b>.c", 3),
        pprofc_builder_frame(b, "main", "main.c", 1)};
    int64_t values[] = {1, ((int64_t)i + 1) * 1000000 * scale};
    pprofc_builder_sample(b, frames, 3, values);
  }
  return finish(b);
}

static void check_markup(const struct asked *asked) {
  struct buffer text;
  buffer_init(&text, &mem_default, (size_t)1 << 26);
  make_page(asked, &text);
  bool ours = markup_is_ours(text.data);
  if (!ours) printf("\n%s?%s has markup that is not ours\n", asked->view, asked->query);
  CU_ASSERT(ours);
  CU_ASSERT_PTR_NULL(strstr(text.data, "<img"));
  CU_ASSERT_PTR_NULL(strstr(text.data, "<script>"));
  CU_ASSERT_PTR_NULL(strstr(text.data, "\x1b"));
  CU_ASSERT_PTR_NULL(strstr(text.data, "\xE2\x80\xAE"));
  CU_ASSERT(utf8_valid((pprofc_str){text.data, text.size - 1}));
  buffer_free(&text);
}

TEST(test_names_never_become_markup) {
  static const char *const queries[] = {"",
                                        "f=.",
                                        "sel=%22%3E%3Csvg+onload%3Dalert(3)%3E",
                                        "f=(%3Cscript%3E",
                                        "sort=cum&rows=all",
                                        "only=significant&sort=flat",
                                        "only=%3Cb%3E&tf=%3Cx%3E&p=%5E%3Cimg%3E%24",
                                        "f=nothing%3Cu%3E"};
  pprofc_profile *head = hostile_profile(1), *base = hostile_profile(3), *diff = NULL;
  CU_ASSERT_EQUAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  const struct web_view *view;
  for (size_t i = 0; (view = web_view_at(i)); i++)
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
      struct asked asked = {.view = view->path, .query = queries[q], .head = head};
      asked.info = plain_info(head);
      check_markup(&asked);
      asked.base = base;
      asked.diff = diff;
      check_markup(&asked);
    }
  pprofc_profile_release(diff);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

/* ---- contents of pages ------------------------------- */

TEST(test_links_keep_filters_and_remove_one) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("top", "f=parse&h=x&sel=parse", p);
  expect_text(&asked, "href=\"graph?f=parse&amp;h=x&amp;sel=parse\"", true);
  expect_text(&asked, "href=\"top?f=parse&amp;sel=parse\" title=\"remove\" data-parameter=\"h\"",
              true);
  asked.query = "rows=all&only=grew";
  expect_text(&asked, "href=\"graph?", false);
  expect_text(&asked, "href=\"graph\"", true);
  pprofc_profile_release(p);
}

TEST(test_a_flame_graph_shows_sums) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("flamegraph", "mean=t", p);
  expect_text(&asked, "total <b>1.50s</b>", true);
  asked.view = "top";
  expect_text(&asked, "total <b>1.50s</b>", false);
  pprofc_profile_release(p);
}

TEST(test_both_totals_are_said) {
  pprofc_profile *base = small_profile(1000000000, 0), *head = small_profile(3000000000, 500000000);
  pprofc_profile *diff = NULL;
  CU_ASSERT_EQUAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  struct asked asked = ask("top", "", head);
  asked.base = base;
  asked.diff = diff;
  expect_text(&asked, "</small> <b>1000ms</b>, head <small>new&lt;i&gt;.prof</small> <b>3500ms",
              true);
  expect_text(&asked, "2500ms more</b> (+250%)", true);
  expect_text(&asked, "data-base-self=\"1000ms\"", true);
  expect_text(&asked, "data-head-self=\"3000ms\"", true);
  expect_text(&asked, "+ new <small>1</small>", true);
  expect_text(&asked, "grew <small>2</small>", false); /* main's self value did not grow */
  asked.query = "only=new";
  expect_text(&asked, "data-name=\"write\"", true);
  expect_text(&asked, "data-name=\"parse\"", false);
  pprofc_profile_release(diff);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

/* Creates 40 functions of about 100 samples each, which differ slightly depending on `first`. The
 * first function has `first` samples. */
static pprofc_profile *judged_profile(int64_t first) {
  pprofc_builder *b = cpu_builder();
  char stack[32];
  pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
  for (int i = 0; i < 40; i++) {
    snprintf(stack, sizeof stack, "f%d main", i);
    sample(b, stack, (i ? 100 + (first > 100) * (i % 5 - 2) : first) * 10000000, 0);
  }
  return finish(b);
}

/* Pages must show the means of 2 + 1 runs: means of times, and means of counts, which may be
 * fractions. */
TEST(test_runs_are_means) {
  pprofc_profile *base[2] = {judged_profile(100), judged_profile(110)};
  pprofc_profile *head = judged_profile(1000), *sum = NULL, *twice = NULL, *diff = NULL;
  const pprofc_verdict_run runs[] = {{.profile = base[0], .name = "a"},
                                     {.profile = base[1], .name = "b"}};
  const pprofc_profile *both[] = {base[0], base[1]};
  const double two[] = {2, 2, 2, 2};
  CU_ASSERT_EQUAL(pprofc_merge(both, 2, &sum, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_scale(head, two, &twice, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_diff(twice, sum, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  struct asked asked = ask("top", "sel=f0", head);
  asked.base = sum;
  asked.diff = diff;
  asked.info.base.runs = runs;
  asked.info.base.run_count = 2;
  asked.info.divisors[WEB_BASE] = asked.info.divisors[WEB_DIFF] = 2;
  expect_text(&asked, "<span class=totals>mean of 2 + 1 runs</span>", true);
  expect_text(&asked, "Runs: mean of 2 + 1 runs", true);
  expect_text(&asked, ">1.050s</td><td data-sort=\"10000000000\">10.000s</td>", true);
  expect_text(&asked, "-noise", true);
  asked.view = "peek";
  asked.query = "f=f0";
  expect_text(&asked, "  8.95s", true);
  expect_text(&asked, "# sums over runs", true);
  asked.view = "compare";
  asked.query = "";
  expect_text(&asked, "mean of 2 + 1 runs", true);
  asked.query = "g=lines&f=f0";
  asked.view = "top";
  expect_text(&asked, ">1.05s</td>", true);
  pprofc_profile_release(diff);
  pprofc_profile_release(twice);
  pprofc_profile_release(sum);
  for (size_t i = 0; i < 2; i++) pprofc_profile_release(base[i]);
  pprofc_profile_release(head);
}

/* A fraction of a nanosecond is not shown if the other values are milliseconds. A fraction of a
 * count is shown. */
TEST(test_fractions_keep_their_unit) {
  char text[UNIT_LABEL_MAX];
  pprofc_str time = html_mean_text(49768868.4, STR("nanoseconds"), STR("ms"), text);
  CU_ASSERT(str_equal(time, STR("49.77ms")));
  pprofc_str counts = html_mean_text(2.5, STR("count"), STR("auto"), text);
  CU_ASSERT(str_equal(counts, STR("2.5")));
}

TEST(test_changes_are_judged) {
  pprofc_profile *base = judged_profile(100), *head = judged_profile(1000), *diff = NULL;
  CU_ASSERT_EQUAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  struct asked asked = ask("top", "sel=f0", head);
  asked.base = base;
  asked.diff = diff;
  asked.info.base.sources = 3;
  expect_text(&asked, "noise between runs is unknown", true);
  expect_text(&asked, "The base is 3 profiles added up, judged as one run.", true);
  expect_text(&asked, "The head is", false);
  expect_text(&asked, "<section id=judged><p id=sentence>", true);
  expect_text(&asked, "s more (+", true);
  expect_text(&asked, "<span>Certain?</span>", true);
  expect_text(&asked, ">1.00s</td><td data-sort=\"10000000000\">10.00s</td>", true);
  expect_text(&asked, ">+9.00s<small> \xC2\xB1", true);
  expect_text(&asked, "\">grew</td>", true);
  expect_text(&asked, "beyond noise <small>1</small>", true);
  expect_text(&asked, "<dd data-slot=\"self-verdict\">grew: +9.00s \xC2\xB1", true);
  asked.query = "only=significant&rows=all";
  expect_text(&asked, "data-name=\"f0\"", true);
  expect_text(&asked, "data-name=\"f1\"", false);
  asked.query = "rows=all&trim=false";
  expect_text(&asked, "class=\"quiet\"", true);
  expect_text(&asked, "\">unchanged</td>", true);
  asked.query = "g=lines";
  expect_text(&asked, "<span>Certain?</span>", false);
  expect_text(&asked, "verdicts are per function", true);
  asked.query = "only=significant&g=lines"; /* this filter must not hide rows without verdicts */
  expect_text(&asked, "data-name=\"f1\"", true);
  asked.view = "compare";
  asked.query = "g=lines"; /* with any granularity, the rows of this view are functions */
  expect_text(&asked, "<span>Certain?</span>", true);
  pprofc_profile_release(diff);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

/* Rows that cannot be judged must be shown without verdicts. */
TEST(test_what_cannot_be_judged_is_shown) {
  pprofc_profile *base = judged_profile(-100), *head = judged_profile(100), *diff = NULL;
  CU_ASSERT_EQUAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  struct asked asked = ask("top", "", head);
  asked.base = base;
  asked.diff = diff;
  expect_text(&asked, "No verdicts for these rows: ", true);
  expect_text(&asked, "<span>Certain?</span>", false);
  expect_text(&asked, "data-name=\"f0\"", true);
  pprofc_profile_release(diff);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

TEST(test_head_and_base_can_be_chosen) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  const struct web_choice profiles[] = {{"<a>", 1, true, false, p}, {"b", 2, false, true, p}};
  struct asked asked = ask("compare", "f=parse&base=2", p);
  asked.info.profiles = profiles;
  asked.info.profile_count = 2;
  expect_text(&asked, "href=\"compare?f=parse&amp;base=2&amp;head=2\">b</a>", true);
  expect_text(&asked, "base=1", false);
  expect_text(&asked, "aria-current=\"true\">&lt;a&gt;</a>", true);
  pprofc_profile_release(p);
}

static pprofc_status write_csv(const pprofc_profile *diff, const pprofc_profile *base,
                               const pprofc_profile *head, const pprofc_report_options *options,
                               struct buffer *text) {
  const struct table_csv table = {.shown = diff,
                                  .divisor = 1,
                                  .compared = true,
                                  .sides = {{base, NULL, 0}, {head, NULL, 0}},
                                  .options = options};
  return table_csv_write(&table, text, NULL);
}

TEST(test_csv_has_verdicts) {
  pprofc_profile *base = judged_profile(100), *head = judged_profile(1000), *diff = NULL;
  pprofc_report_options options;
  struct buffer text;
  CU_ASSERT_EQUAL(pprofc_diff(head, base, PPROFC_COMPARE, false, &diff, NULL), PPROFC_OK);
  pprofc_report_options_init(&options);
  buffer_init(&text, &mem_default, (size_t)1 << 26);
  CU_ASSERT_EQUAL(write_csv(diff, base, head, &options, &text), PPROFC_OK);
  buffer_add_char(&text, '\0');
  CU_ASSERT_PTR_NOT_NULL(strstr(text.data, ",flat change,flat low,flat high,flat q,"
                                           "flat verdict,cum change,cum low,cum high,"
                                           "cum q,cum verdict,type,unit,total\n"));
  CU_ASSERT_PTR_NOT_NULL(strstr(text.data, ",\"grew\","));
  buffer_clear(&text);
  options.granularity = "lines";
  CU_ASSERT_EQUAL(write_csv(diff, base, head, &options, &text), PPROFC_OK);
  buffer_add_char(&text, '\0');
  CU_ASSERT_PTR_NULL(strstr(text.data, "verdict"));
  buffer_free(&text);
  pprofc_profile_release(diff);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
}

TEST(test_an_exact_name_finds_its_lines) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("peek", "f=%5Eparse%24", p);
  expect_text(&asked, "data-name=\"parse\"", true);
  expect_text(&asked, "data-name=\"write\"", false);
  asked.query = "f=main&sel=parse";
  expect_text(&asked, "data-name=\"parse\"", true);
  expect_text(&asked, "data-name=\"write\"", false);
  expect_text(&asked, "href=\"source?f=main&amp;sel=parse\" data-action=\"source\"", true);
  expect_text(&asked, "-peek=^parse", true);
  struct buffer text;
  buffer_init(&text, &mem_default, (size_t)1 << 26);
  asked.query = "f=%5Epars%24";
  CU_ASSERT_EQUAL(make_page(&asked, &text), PPROFC_E_NO_MATCH);
  CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "no matches found for regexp: ^pars$"));
  buffer_free(&text);
  pprofc_profile_release(p);
}

TEST(test_the_inspector_has_file_and_line) {
  pprofc_builder *b = cpu_builder();
  pprofc_line lines[] = {{.line = 31}, {.line = 12}, {.line = 90}};
  lines[0].function = pprofc_builder_function(b, "inner", NULL, "a.c", 0);
  lines[1].function = pprofc_builder_function(b, "inner", NULL, "a.c", 0);
  lines[2].function = pprofc_builder_function(b, "outer", NULL, "b.c", 70);
  const uint32_t stacks[2] = {
      pprofc_builder_location(b, PPROFC_NONE, 16, (pprofc_line[]){lines[0], lines[2]}, 2),
      pprofc_builder_location(b, PPROFC_NONE, 32, (pprofc_line[]){lines[1], lines[2]}, 2)};
  const int64_t values[2] = {1, 1000000000};
  for (size_t i = 0; i < 2; i++) pprofc_builder_sample(b, &stacks[i], 1, values);
  pprofc_profile *p = finish(b);
  struct asked asked = ask("top", "sel=inner", p);
  expect_text(&asked, "data-slot=place>a.c:12 (first line seen)<", true);
  asked.query = "sel=outer&calltree=true";
  expect_text(&asked, "data-slot=place>b.c:70<", true);
  pprofc_profile_release(p);
}

TEST(test_commands_are_quoted) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("top", "f=a+b%27%24%28c%29&sort=cum", p);
  expect_text(&asked, "pprofc -top -cum -nodecount=500 &#39;-focus=a b&#39;\\&#39;&#39;$(c)&#39;",
              true);
  pprofc_profile_release(p);
}

TEST(test_a_pivot_selects) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("flamegraph", "p=%5Eparse%24", p);
  expect_text(&asked, "<h2 data-slot=name>parse</h2>", true);
  asked.query = "p=pars.";
  expect_text(&asked, "<h2 data-slot=name></h2>", true);
  pprofc_profile_release(p);
}

TEST(test_a_graph_without_dot_is_data) {
  pprofc_profile *p = small_profile(1000000000, 500000000);
  struct asked asked = ask("graph", "", p);
  expect_text(&asked, "graphviz &lt;is&gt; not installed", true);
  expect_text(&asked, "\"edges\":[[0,1,0.666", true);
  pprofc_profile_release(p);
}

/* ---- single functions -------------------------------- */

static void svg_test_box(void *context, struct buffer *out, size_t number) {
  (void)context;
  buffer_printf(out, "<a href=\"%zu\" ", number);
}

TEST(test_boxes_of_dot_become_links) {
  static const char picture[] =
      "<?xml version=\"1.0\"?>\n<!-- a -- > b -->\n<svg width=\"8pt\" height=\"9pt\"\n "
      "viewBox=\"0 0 8 9\" xmlns=\"x\">\n<g id=\"graph0\" class=\"graph\">\n<title>t</title>\n"
      "<g id=\"node1\" class=\"node\">\n<title>N12</title>\n<g id=\"a_node1\"><a "
      "xlink:title=\"f (1s)\">\n<text>f</text></a></g></g>\n<g id=\"n2\" class=\"node\"><title>N1_0"
      "</title><g id=\"x\"><a xlink:title=\"tag\"></a></g></g></g></svg>\n";
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  svg_write(&text, str_of(picture), false, svg_test_box, NULL);
  buffer_add_char(&text, '\0');
  CU_ASSERT_PTR_NOT_NULL(
      strstr(text.data, "<a href=\"12\"  xlink:title=\"f (1s)\"><title>f (1s)</title>"));
  CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "<a xlink:title=\"tag\"><title>tag</title>"));
  CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "viewBox=\"0 0 8 9\""));
  CU_ASSERT_PTR_NULL(strstr(text.data, "width="));
  CU_ASSERT_PTR_NULL(strstr(text.data, " id="));
  CU_ASSERT_PTR_NULL(strstr(text.data, "<!--"));
  CU_ASSERT_PTR_NULL(strstr(text.data, "N12"));
  buffer_free(&text);
}

/* Tests the colours of dot_color for 0.5, -0.5 and 0, for boxes and for lines. */
TEST(test_colors_of_a_difference_are_orange_and_blue) {
  static const char picture[] =
      "<svg viewBox=\"0 0 1 1\"><polygon fill=\"#edd5d5\" stroke=\"#b20000\"/>"
      "<polygon fill=\"#d5edd5\" stroke=\"#00b200\"/><path fill=\"#ededed\" "
      "stroke=\"#b2b2b2\"/><path fill=\"#12\" stroke=\"none\"/>";
  static const char expected[] =
      "<polygon fill=\"#fbd6b6\" stroke=\"#b85400\"/>"
      "<polygon fill=\"#bedbf5\" stroke=\"#1c64a5\"/><path fill=\"#eeeeee\" "
      "stroke=\"#8a8a8a\"/><path fill=\"#12\" stroke=\"none\"/>";
  for (int difference = 0; difference < 2; difference++) {
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 20);
    svg_write(&text, str_of(picture), difference, svg_test_box, NULL);
    const char *wanted = difference ? expected : strchr(picture, '>') + 1;
    CU_ASSERT(str_find(buffer_str(&text), str_of(wanted)) < text.size);
    buffer_free(&text);
  }
}

TEST(test_a_cut_picture_ends) {
  static const char picture[] =
      "<svg viewBox=\"0 0 1 1\"><!-- a --><g class=\"node\"><title>N1</title><a x";
  for (size_t size = 0; size < sizeof picture; size++) {
    struct buffer text;
    buffer_init(&text, &mem_default, 1 << 20);
    svg_write(&text, (pprofc_str){picture, size}, size % 2, svg_test_box, NULL);
    CU_ASSERT(text.size < 1000);
    buffer_free(&text);
  }
}

TEST(test_changes_in_percent) {
  static const struct {
    double base, head;
    const char *text;
  } cases[] = {{100, 7, "-93%"}, {100, 130, "+30%"}, {0, 5, "new"},       {5, 0, "-100%"},
               {5, 5, ""},       {1, 50, "+4900%"},  {-100, -50, "+50%"}, {1000, 1004, "+0.4%"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buffer text;
    buffer_init(&text, &mem_default, 100);
    html_relative(&text, cases[i].base, cases[i].head);
    CU_ASSERT(str_equal(buffer_str(&text), str_of(cases[i].text)));
    buffer_free(&text);
  }
}
