/* Recognizes contents that are not profiles: web pages, traces, dumps and JSON. */
#include "fetch/fetcher.h"

#define CONTENT_LOOK 4096

static bool content_is_page(pprofc_str text) {
  return STR_ANY(str_starts_any_case, text, "<!doctype", "<html", "<head", "<?xml", "<body",
                 "<!--");
}

static bool content_is_index(pprofc_str text) {
  return content_is_page(text) && str_find(text, STR("/debug/pprof/")) < text.size;
}

/* True for a goroutine dump: "goroutine 1 [running]:", not "goroutine profile: total 5". */
static bool content_is_dump(pprofc_str text) {
  return str_starts(text, STR("goroutine ")) && text.size > 10 && text.data[10] >= '0' &&
         text.data[10] <= '9' && str_find(text, STR(" [")) < text.size;
}

/* True for an execution trace of Go, which begins like "go 1.22 trace\0\0\0". */
static bool content_is_trace(pprofc_str text) {
  return str_starts(text, STR("go 1.")) &&
         str_find(str_slice(text, 0, 20), STR(" trace")) < (text.size < 20 ? text.size : 20);
}

static bool content_is_symbols(pprofc_str text) {
  return str_starts(text, STR("num_symbols:"));
}

static const struct content {
  bool (*is)(pprofc_str text);
  bool never;       /* true if this type of content must not be read as a profile */
  const char *text; /* message about the content; NULL if the profile reader has a better message */
} content_kinds[] = {
    {content_is_index, true,
     "this is the index page of net/http/pprof; pass one of its profiles, such as "
     "/debug/pprof/heap"},
    {content_is_page, true,
     "this is a web page; is it a login page? -header and -header_file carry an authorization"},
    {content_is_trace, true, "this is an execution trace of Go; go tool trace shows it"},
    {content_is_dump, false, NULL},
    {content_is_symbols, true, "this is the reply of a symbol address, not of a profile"},
};

static const struct content *content_kind(pprofc_str text) {
  static const struct content other = {.never = false};
  text = str_slice(text, 0, CONTENT_LOOK);
  while (text.size && char_is_blank(text.data[0])) text = str_slice(text, 1, text.size);
  for (size_t i = 0; i < sizeof content_kinds / sizeof *content_kinds; i++)
    if (content_kinds[i].is(text)) return &content_kinds[i];
  return &other;
}

bool content_is_no_profile(pprofc_str text) {
  return content_kind(text)->never;
}

const char *content_explain(pprofc_str text) {
  return content_kind(text)->text;
}
