/* Fetches merged profiles from Pyroscope, one for each slice of the time range. */
#include "capture/capture.h"
#include "pyroscope.pb-c.h"
#include "run/files.h"

#define LIMIT_MS 120000
#define PATH     "/querier.v1.QuerierService/SelectMergeProfile"

/* Converts "now", "now-1h30m", or seconds or milliseconds since 1970 to milliseconds. */
static void queries_time(const char *name, const char *text, int64_t *ms) {
  pprofc_str s = str_of(text);
  int64_t number = 0, now = (int64_t)time(NULL) * 1000;
  double nanoseconds = 0;
  if (str_parse_int(s, 10, &number) && number > 0) {
    *ms = number < INT64_C(100000000000) ? number * 1000 : number;
    return;
  }
  if (str_equal(s, STR("now"))) {
    *ms = now;
    return;
  }
  if (str_starts(s, STR("now-")) && text_is_duration(str_slice(s, 4, s.size), &nanoseconds)) {
    *ms = now - (int64_t)(nanoseconds / 1e6);
    return;
  }
  ci_fail("%s must be 'now', 'now-1h' or seconds since 1970, not '%s'", name, text);
}

/* Returns the profile type of a query: the text before the '{', or else the type of
 * remote_kinds[kind]. Sets *selector to the rest of the query. */
static pprofc_str queries_type(const char *query, size_t kind, const char **selector) {
  const char *brace = strchr(query, '{');
  *selector = brace ? brace : query;
  if (brace && brace != query) return (pprofc_str){query, (size_t)(brace - query)};
  return str_of(remote_kinds[kind].type);
}

static pprofc_str queries_body(struct capture *capture, int side, size_t kind, int64_t start,
                               int64_t end) {
  Pyroscope__SelectMergeProfileRequest request = PYROSCOPE__SELECT_MERGE_PROFILE_REQUEST__INIT;
  const char *selector;
  pprofc_str type = queries_type(capture->options->queries[side], kind, &selector);
  type = arena_str(&capture->remote.arena, type);
  request.profile_type_id = (char *)type.data;
  request.label_selector = (char *)selector;
  request.start = start;
  request.end = end;
  size_t size = pyroscope__select_merge_profile_request__get_packed_size(&request);
  uint8_t *packed = arena_alloc(&capture->remote.arena, size);
  pyroscope__select_merge_profile_request__pack(&request, packed);
  return (pprofc_str){(const char *)packed, size};
}

/* Adds the profile of a slice. Prints a note and adds nothing if the slice has no samples. */
static void queries_take(struct capture *capture, struct capture_item *item,
                         const struct reply *reply) {
  pprofc_str content = reply_content(reply);
  pprofc_samples_view view = {0};
  if (content.size) {
    ci_begin(text_printf(&capture->remote.arena,
                         "cannot read the reply of %s: ", capture->options->pyroscope));
    ci_need(
        pprofc_profile_read_memory(content.data, content.size, NULL, &item->profile, &ci_error));
    ci_begin("");
    pprofc_profile_samples(item->profile, &view);
  }
  if (view.count) {
    capture_add(capture, *item);
    return;
  }
  message_note("pprofci: no %s samples of %s in slice %zu", remote_kinds[item->kind].name,
               side_names[item->side], item->round + 1);
  pprofc_profile_release(item->profile);
}

static void queries_slice(struct capture *capture, const struct url *url, struct capture_item *item,
                          int64_t start, int64_t end) {
  struct reply reply;
  pprofc_str body = queries_body(capture, item->side, item->kind, start, end);
  remote_post(&capture->remote, url, body, LIMIT_MS, &reply, capture->options->pyroscope);
  queries_take(capture, item, &reply);
  reply_free(&reply);
}

static void queries_side(struct capture *capture, int side, const struct url *url, int64_t from,
                         int64_t until) {
  int64_t count = capture->options->count + capture->options->warmup;
  for (size_t k = 0; k < REMOTE_KINDS; k++)
    for (int64_t i = 0; i < count && capture->kinds[k]; i++) {
      struct capture_item item = {.side = side, .kind = k, .round = (size_t)i};
      item.warmup = i < capture->options->warmup;
      queries_slice(capture, url, &item, from + (until - from) * i / count,
                    from + (until - from) * (i + 1) / count);
    }
}

void capture_queries(struct capture *capture) {
  const struct capture_options *o = capture->options;
  struct url url;
  int64_t from = 0, until = 0;
  remote_open(&capture->remote, "application/proto", true);
  remote_address(&capture->remote, o->pyroscope, PATH, &url);
  queries_time("-from", o->from, &from);
  queries_time("-until", o->until, &until);
  if (from >= until) ci_fail("-from must be before -until");
  for (int side = 0; side < SIDES; side++)
    if (*o->queries[side]) queries_side(capture, side, &url, from, until);
}
