/* Downloads: profiles and reports as files. */
#include "profile/profile.h"
#include "web/routes.h"
#include "web/table_csv.h"

#include <stdio.h>

/* A download while it is made. */
struct download {
  struct web_question *q;
  pprofc_report_options options;
  struct state_choice choice;
  pprofc_profile *shown, *base, *head; /* borrowed */
  struct web_reply *reply;
};

typedef pprofc_status (*download_fn)(struct download *d, pprofc_error *error);

/* ---- kinds ------------------------------------------- */

/* Writes the profile as it was loaded. */
static pprofc_status download_profile(struct download *d, pprofc_error *error) {
  return pprofc_profile_write(d->shown, reply_write, d->reply, error);
}

/* Writes a report of the library. */
static pprofc_status download_report(struct download *d, pprofc_error *error) {
  bool whole = strcmp(d->options.format, "proto") == 0; /* a fraction would be lost */
  if (!whole) d->options.divide_by *= state_divisor(&d->choice);
  return pprofc_report(d->shown, &d->options, reply_write, d->reply, error);
}

static pprofc_status download_csv(struct download *d, pprofc_error *error) {
  bool all = strcmp(web_query_get(&d->q->query, "rows"), "all") == 0;
  d->options.nodecount = all ? 0 : 500;
  struct buffer *out = &d->reply->body;
  const struct state_profile *base = d->choice.base, *head = d->choice.head;
  struct table_csv table = {.shown = d->shown,
                            .divisor = state_divisor(&d->choice),
                            .options = &d->options,
                            .noise = &d->q->web->command->noise};
  if (d->choice.side == WEB_DIFF) {
    table.compared = true;
    table.sides[0] = (struct judge_side){d->base, base->runs, base->run_count};
    table.sides[1] = (struct judge_side){d->head, head->runs, head->run_count};
  }
  return table_csv_write(&table, out, error);
}

static pprofc_status download_svg(struct download *d, pprofc_error *error) {
  struct buffer picture;
  buffer_init(&picture, &d->shown->mem, (size_t)256 << 20);
  d->options.format = "dot";
  d->options.divide_by *= state_divisor(&d->choice);
  struct web_reply *text = reply_new(200, REPLY_TEXT);
  pprofc_status status =
      text ? pprofc_report(d->shown, &d->options, reply_write, text, error) : error_nomem(error);
  if (status == PPROFC_OK)
    status = dot_draw(d->q->web->dot, buffer_str(&text->body), &picture, error);
  if (status == PPROFC_OK) {
    buffer_add_text(&d->reply->body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buffer_add_str(&d->reply->body, buffer_str(&picture));
  }
  reply_release(text);
  buffer_free(&picture);
  return status;
}

static const struct download_kind {
  const char *what; /* value of `what`; "" for the profile as it was loaded */
  const char *file, *type;
  const char *format; /* report format, or NULL */
  download_fn make;
} download_kinds[] = {
    {"", "profile.pb.gz", "application/vnd.google.protobuf+gzip", NULL, download_profile},
    {"filtered", "filtered.pb.gz", "application/vnd.google.protobuf+gzip", "proto",
     download_report},
    {"csv", "profile.csv", "text/csv; charset=utf-8", NULL, download_csv},
    {"svg", "graph.svg", "image/svg+xml", NULL, download_svg},
    {"speedscope", "profile.speedscope.json", "application/json", "speedscope", download_report},
    {"folded", "profile.folded", REPLY_TEXT, "folded", download_report},
    {"flame", "flame.html", REPLY_HTML, "flame", download_report},
};

static const struct download_kind *download_find(const char *what) {
  for (size_t i = 0; i < sizeof download_kinds / sizeof *download_kinds; i++)
    if (strcmp(download_kinds[i].what, what) == 0) return &download_kinds[i];
  return NULL;
}

/* ---- profiles ---------------------------------------- */

static pprofc_status download_lend(struct download *d, pprofc_error *error) {
  const struct state_choice *c = &d->choice;
  const pprofc_allocator *mem = budget_allocator(d->q->budget);
  const pprofc_profile *shown[] = {[WEB_HEAD] = c->head->profile,
                                   [WEB_BASE] = c->base ? c->base->profile : NULL,
                                   [WEB_DIFF] = c->difference};
  d->shown = profile_lend(shown[c->side], mem);
  if (c->base) {
    d->base = profile_lend(c->base->profile, mem);
    d->head = profile_lend(c->head->profile, mem);
  }
  return d->shown && (!c->base || (d->base && d->head)) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status download_open(struct download *d, struct web_question *q,
                                   pprofc_error *error) {
  *d = (struct download){.q = q, .options = q->web->command->report};
  pprofc_status status = web_query_options(&q->query, &d->options, error);
  if (status == PPROFC_OK)
    status = state_choose(q->web->state, &q->query, budget_allocator(q->budget), &d->choice, error);
  if (status == PPROFC_OK) status = download_lend(d, error);
  d->options.warn = NULL;
  if (status != PPROFC_OK || d->choice.side != WEB_DIFF) return status;
  return judge_hide_folded(d->shown, &q->arena, &d->options) ? status : error_nomem(error);
}

static void download_close(struct download *d) {
  pprofc_profile_release(d->shown);
  pprofc_profile_release(d->base);
  pprofc_profile_release(d->head);
  state_choice_free(&d->choice);
}

/* Returns the download, or a reply with the error. */
static struct web_reply *download_end(struct download *d, pprofc_status status,
                                      pprofc_error *error) {
  struct web_reply *reply = d->reply;
  if (status == PPROFC_OK && reply && !reply->body.failed) {
    download_close(d);
    return reply;
  }
  if (status == PPROFC_OK) status = error_nomem(error);
  status = budget_status(budget_allocator(d->q->budget), status, error);
  reply_release(reply);
  download_close(d);
  return route_failure(status, error);
}

struct web_reply *route_download(struct web_question *q) {
  char disposition[96];
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct download *d = arena_zero_array(&q->arena, 1, sizeof *d);
  const struct download_kind *kind = download_find(web_query_get(&q->query, "what"));
  if (!kind) return reply_text(404, "unknown download");
  if (!d) return NULL;
  pprofc_status status = download_open(d, q, &error);
  d->reply = reply_new(200, kind->type);
  if (kind->format) d->options.format = kind->format;
  if (status == PPROFC_OK && d->reply) status = kind->make(d, &error);
  snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", kind->file);
  if (d->reply) reply_add_header(d->reply, "Content-Disposition", str_of(disposition));
  return download_end(d, status, &error);
}
