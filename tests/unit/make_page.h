/* Creates pages of the web server for tests. */
#ifndef MAKE_PAGE_H
#define MAKE_PAGE_H

#include "profile_text.h"
#include "unit.h"
#include "web/views/page.h"
#include "web/views/views.h"

/* Input for a page. */
struct asked {
  const char *view, *query;
  const pprofc_profile *head, *base, *diff;
  struct web_info info;
};

/* Creates a page, NUL-terminated. After a failure, creates the page with the reason. */
static inline pprofc_status make_page(const struct asked *asked, struct buffer *text) {
  struct arena arena;
  struct web_query query;
  pprofc_report_options options;
  pprofc_error error = {.message = ""};
  struct output out;
  arena_init(&arena, &mem_default);
  pprofc_report_options_init(&options);
  CU_ASSERT_EQUAL(web_query_parse(str_of(asked->query), &arena, &query, &error), PPROFC_OK);
  pprofc_status status = web_query_options(&query, &options, &error);
  struct web_view_input input = {.query = &query,
                                 .options = &options,
                                 .profile = asked->diff ? asked->diff : asked->head,
                                 .base = asked->base,
                                 .head = asked->base ? asked->head : NULL,
                                 .side = asked->diff ? WEB_DIFF : WEB_HEAD,
                                 .info = &asked->info};
  const struct web_view *view = web_view_find(str_of(asked->view));
  CU_ASSERT_PTR_NOT_NULL_FATAL(view);
  buffer_clear(text);
  output_init(&out, buffer_write, text);
  if (!status) status = web_document(view, &input, NULL, &out, &error);
  CU_ASSERT(status == PPROFC_OK || out.size == 0);
  if (status) {
    pprofc_status shown = web_document(view, &input, error.message, &out, NULL);
    CU_ASSERT_EQUAL(shown, PPROFC_OK);
  }
  output_flush(&out, NULL);
  buffer_add_char(text, '\0');
  arena_free(&arena);
  return status;
}

static inline void expect_text(const struct asked *asked, const char *part, bool there) {
  struct buffer text;
  buffer_init(&text, &mem_default, (size_t)1 << 26);
  make_page(asked, &text);
  bool found = strstr(text.data, part) != NULL;
  if (found != there)
    printf("\n%s?%s, %s: %s\n", asked->view, asked->query, there ? "missing" : "unwanted", part);
  CU_ASSERT_EQUAL(found, there);
  buffer_free(&text);
}

static inline pprofc_status draw_nothing(void *context, pprofc_str dot, struct buffer *svg,
                                         pprofc_error *error) {
  (void)context;
  (void)dot;
  (void)svg;
  return error_set(error, PPROFC_E_UNSUPPORTED, "graphviz <is> not installed");
}

static inline struct web_info plain_info(const pprofc_profile *head) {
  static const char *const arguments[] = {"-diff_base=it's <old>.prof", "new.prof"};
  static const struct web_item saved[] = {
      {"\"><script>alert(1)</script>", "f=%22%3E&g=lines", true}};
  static struct web_choice profiles[1];
  profiles[0] = (struct web_choice){"\"><script>alert(3)</script>", 1, true, true, head};
  return (struct web_info){.version = "1",
                           .css = "assets/app.css",
                           .js = "assets/app.js",
                           .icon = "assets/icon.svg",
                           .arguments = arguments,
                           .argument_count = 2,
                           .saved = saved,
                           .saved_count = 1,
                           .profiles = profiles,
                           .profile_count = 1,
                           .head = {.name = "new<i>.prof"},
                           .base = {.name = "\"old\" onload=x.prof"},
                           .pending = "<u>new.prof changed",
                           .draw = draw_nothing};
}

static inline pprofc_profile *small_profile(int64_t parse, int64_t write) {
  pprofc_builder *b = cpu_builder();
  sample(b, "parse main", parse, 0);
  if (write) sample(b, "write main", write, 0);
  return finish(b);
}

static inline struct asked ask(const char *view, const char *query, const pprofc_profile *head) {
  return (struct asked){.view = view, .query = query, .head = head, .info = plain_info(head)};
}

#endif
