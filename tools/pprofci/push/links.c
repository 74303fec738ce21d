/* Creates links to the queries of Pyroscope that show the pushed profiles. */
#include "common/save.h"
#include "core/escape.h"
#include "core/json_write.h"
#include "push/push.h"

#include <stdio.h>

struct push_link {
  char name[64];
  size_t url, end; /* start and end of the link in the text, as offsets in bytes */
};

/* Links to the queries of base, head and difference of each pushed profile type. */
struct push_links {
  const struct push *push;
  int64_t from, until;
  struct buffer text;
  struct push_link items[REMOTE_KINDS * 4];
  size_t count;
};

/* Escapes a label value in a query like a string literal of Go. */
static void links_put_quoted(struct buffer *out, pprofc_str value) {
  buffer_add_char(out, '"');
  for (size_t i = 0; i < value.size; i++) {
    if (value.data[i] == '"' || value.data[i] == '\\') buffer_add_char(out, '\\');
    if (value.data[i] == '\n')
      buffer_add_text(out, "\\n");
    else
      buffer_add_char(out, value.data[i]);
  }
  buffer_add_char(out, '"');
}

/* Appends a query, encoded: process_cpu:...{service_name="shop",sha="...",side="head"}. */
static void links_put_query(struct buffer *out, const struct push *push,
                            const struct push_item *item) {
  struct buffer query;
  buffer_init(&query, &mem_default, 1 << 16);
  buffer_printf(&query, "%s{service_name=", item->type);
  links_put_quoted(&query, str_of(push->options->service));
  for (size_t i = 0; i < push->label_count; i++) {
    buffer_printf(&query, ",%.*s=", STR_ARG(push->labels[i].name));
    links_put_quoted(&query, push->labels[i].value);
  }
  if (*item->side) {
    buffer_add_text(&query, ",side=");
    links_put_quoted(&query, str_of(item->side));
  }
  buffer_add_char(&query, '}');
  escape_url(out, buffer_str(&query), "");
  out->failed |= query.failed;
  buffer_free(&query);
}

static const struct push_item *links_find(const struct push *push, size_t kind, const char *side) {
  for (size_t i = 0; i < push->count; i++)
    if (push->items[i].kind == kind && strcmp(push->items[i].side, side) == 0)
      return &push->items[i];
  return NULL;
}

/* Finds the range of the profiles' times, with a minute more at both ends. */
static void links_find_times(const struct push *push, int64_t *from, int64_t *until) {
  int64_t now = (int64_t)time(NULL);
  *from = *until = now;
  for (size_t i = 0; i < push->count; i++) {
    int64_t at = push->items[i].time_nanos / 1000000000;
    if (at > 0 && at < *from) *from = at;
  }
  *from -= 60;
  *until += 60;
}

static void links_begin_one(struct push_links *l, size_t kind, const char *what) {
  struct push_link *link = &l->items[l->count];
  snprintf(link->name, sizeof link->name, "%s%s%s", remote_kinds[kind].name, *what ? " " : "",
           what);
  link->url = l->text.size;
  remote_put_server(&l->text, l->push->options->to);
}

static void links_end_one(struct push_links *l) {
  l->items[l->count++].end = l->text.size;
}

static void links_add_side(struct push_links *l, const struct push_item *item) {
  links_begin_one(l, item->kind, item->side);
  buffer_add_text(&l->text, "/?query=");
  links_put_query(&l->text, l->push, item);
  buffer_printf(&l->text, "&from=%lld&until=%lld", (long long)l->from, (long long)l->until);
  links_end_one(l);
}

static void links_add_difference(struct push_links *l, const struct push_item *base,
                                 const struct push_item *head) {
  long long from = (long long)l->from, until = (long long)l->until;
  links_begin_one(l, base->kind, "difference");
  buffer_add_text(&l->text, "/comparison-diff?leftQuery=");
  links_put_query(&l->text, l->push, base);
  buffer_add_text(&l->text, "&rightQuery=");
  links_put_query(&l->text, l->push, head);
  buffer_printf(&l->text, "&leftFrom=%lld&leftUntil=%lld&rightFrom=%lld&rightUntil=%lld", from,
                until, from, until);
  links_end_one(l);
}

static void links_make(struct push_links *l) {
  static const char *const sides[] = {"", "base", "head"};
  links_find_times(l->push, &l->from, &l->until);
  for (size_t k = 0; k < REMOTE_KINDS; k++) {
    const struct push_item *found[3];
    for (size_t i = 0; i < 3; i++) {
      found[i] = links_find(l->push, k, sides[i]);
      if (found[i]) links_add_side(l, found[i]);
    }
    if (found[1] && found[2]) links_add_difference(l, found[1], found[2]);
  }
}

static pprofc_str links_url(const struct push_links *l, size_t i) {
  return str_slice(buffer_str(&l->text), l->items[i].url, l->items[i].end);
}

static void links_print(const struct push_links *l, struct output *out) {
  for (size_t i = 0; i < l->count; i++) {
    output_printf(out, "%s: ", l->items[i].name);
    output_add_str(out, links_url(l, i));
    output_add_char(out, '\n');
  }
}

static pprofc_status links_save(const void *context, struct output *out, pprofc_error *error) {
  const struct push_links *l = context;
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_begin_object(&json);
  json_int(json_key(&json, "version"), 1);
  json_begin_array(json_key(&json, "links"));
  for (size_t i = 0; i < l->count; i++) {
    json_begin_object(&json);
    json_text(json_key(&json, "name"), l->items[i].name);
    json_string(json_key(&json, "url"), links_url(l, i));
    json_end(&json);
  }
  json_end(&json);
  return json_finish_file(&json) ? PPROFC_OK : error_nomem(error);
}

pprofc_status push_put_links(const struct push *push, struct output *out, pprofc_error *error) {
  struct push_links links = {.push = push};
  buffer_init(&links.text, &mem_default, 1 << 20);
  links_make(&links);
  pprofc_status status = links.text.failed ? error_nomem(error) : PPROFC_OK;
  if (status == PPROFC_OK) links_print(&links, out);
  if (status == PPROFC_OK && *push->options->links)
    status = save_printed(push->options->links, links_save, &links, error);
  buffer_free(&links.text);
  return status;
}
