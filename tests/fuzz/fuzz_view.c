/* Creates random profiles and a random query, and creates each page of -http. Each page must be
 * complete, and no name may end its data. */
#include "report_target.h"
#include "shape.h"
#include "web/views/views.h"

/* Creates random parameters of a URL. Each has one of a few values. */
static void draw_question(struct shape *s, struct buffer *text) {
  static const char *const parts[] = {
      "f=n1",        "i=main",        "h=a",      "s=n",          "sf=n1",       "tf=k1",
      "ti=v",        "ts=k",          "th=k",     "si=0",         "si=1",        "si=cpu",
      "n=3",         "n=100000",      "g=lines",  "g=files",      "g=addresses", "calltree=t",
      "rel=t",       "unit=ms",       "unit=x",   "sel=n1",       "sel=%22%3E",  "sort=cum",
      "compact=t",   "trim=f",        "nf=0",     "ef=0.5",       "mean=t",      "norm=t",
      "noinlines=t", "dropneg=t",     "q=n",      "p=n1",         "f=%5B",       "trimpath=/",
      "divide_by=3", "showcolumns=t", "view=raw", "color=origin", "tagroot=k0"};
  for (unsigned count = shape_below(s, 5); count; count--) {
    if (text->size) buffer_add_char(text, '&');
    buffer_add_text(text, SHAPE_OF(s, parts));
  }
}

static pprofc_status no_graphviz(void *context, pprofc_str dot, struct buffer *svg,
                                 pprofc_error *error) {
  (void)context;
  (void)svg;
  check_dot(dot);
  return error_set(error, PPROFC_E_UNSUPPORTED, "graphviz is not used here");
}

static pprofc_profile *draw_profile(struct shape *s) {
  pprofc_limits limits = fuzz_limits();
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_read_options_init(&options);
  options.limits = &limits;
  options.threads = 1;
  pprofc_str bytes = shape_write(s);
  pprofc_profile_read_memory(bytes.data, bytes.size, &options, &profile, NULL);
  buffer_free(&s->out);
  return profile;
}

static void make_page(const struct web_view *view, const struct web_view_input *input) {
  struct buffer text;
  struct output out;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  output_init(&out, report_collect, &text);
  pprofc_status status = web_document(view, input, NULL, &out, &error);
  REQUIRE(status == PPROFC_OK || (error.message[0] && out.size == 0));
  if (status != PPROFC_OK)
    REQUIRE(web_document(view, input, error.message, &out, NULL) == PPROFC_OK);
  output_flush(&out, NULL);
  check_page(buffer_str(&text));
  buffer_free(&text);
}

static void make_pages(struct shape *s, struct web_view_input *input) {
  struct arena arena;
  struct buffer text;
  struct web_query query;
  pprofc_report_options options;
  pprofc_error error;
  const struct web_info info = {.version = "1", .head = {.name = "a\"<b>"}, .draw = no_graphviz};
  pprofc_report_options_init(&options);
  options.warn = ignore_warning;
  options.threads = 1;
  arena_init(&arena, &mem_default);
  buffer_init(&text, &mem_default, 1 << 16);
  draw_question(s, &text);
  bool good = web_query_parse(buffer_str(&text), &arena, &query, &error) == PPROFC_OK &&
              web_query_options(&query, &options, &error) == PPROFC_OK;
  input->query = &query;
  input->options = &options;
  input->info = &info;
  size_t count = 0;
  while (web_view_at(count)) count++;
  if (good) make_page(web_view_at(shape_below(s, (unsigned)count)), input);
  buffer_free(&text);
  arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct shape s, again;
  pprofc_profile *base = NULL, *difference = NULL;
  shape_open(&s, data, size);
  bool compared = shape_byte(&s) & 1;
  again = s;
  again.random++;
  pprofc_profile *head = draw_profile(&s);
  if (compared && head) base = draw_profile(&again);
  if (base) pprofc_diff(head, base, PPROFC_COMPARE, false, &difference, NULL);
  struct web_view_input input = {.profile = difference ? difference : head,
                                 .base = difference ? base : NULL,
                                 .head = difference ? head : NULL,
                                 .side = difference ? WEB_DIFF : WEB_HEAD};
  if (head) make_pages(&s, &input);
  pprofc_profile_release(difference);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  return 0;
}
