/* Creates the files that the user can download: profiles and reports. */
#include "web/routes.h"
#include "web/table_csv.h"

struct download {
  struct web_question *q;
  pprofc_report_options options;
  struct state_choice choice;
  struct web_reply *reply;
};

typedef pprofc_status (*download_fn)(struct download *d, pprofc_error *error);

static pprofc_status download_profile(struct download *d, pprofc_error *error) {
  return pprofc_profile_write(d->choice.shown, reply_write, d->reply, error);
}

/* Writes a flame graph as an HTML page. The page of a difference includes the verdicts. */
static pprofc_status download_flame(struct download *d, pprofc_error *error) {
  struct noise_report judged;
  pprofc_status status = route_judge(d->q, &d->choice, &d->options, &judged, error);
  d->options.verdicts = judged.verdicts;
  if (!judged.verdicts) d->options.divide_by *= state_divisor(&d->choice, d->choice.side);
  if (!status) status = pprofc_report(d->choice.shown, &d->options, reply_write, d->reply, error);
  d->options.verdicts = NULL;
  noise_free(&judged);
  return status;
}

static pprofc_status download_report(struct download *d, pprofc_error *error) {
  /* The format proto gets the values as recorded, because its integers would round means of runs
   * and values per second. */
  bool whole = strcmp(d->options.format, "proto") == 0;
  if (!whole) d->options.divide_by *= state_divisor(&d->choice, d->choice.side);
  return pprofc_report(d->choice.shown, &d->options, reply_write, d->reply, error);
}

static pprofc_status download_csv(struct download *d, pprofc_error *error) {
  bool all = strcmp(web_query_get(&d->q->query, "rows"), "all") == 0;
  d->options.nodecount = all ? 0 : 500;
  struct buffer *out = &d->reply->body;
  const struct state_profile *base = d->choice.base, *head = d->choice.head;
  struct table_csv table = {.shown = d->choice.shown,
                            .divisor = state_divisor(&d->choice, d->choice.side),
                            .by_time = d->choice.by_time,
                            .options = &d->options,
                            .noise = &d->q->web->command->noise};
  if (d->choice.side == WEB_DIFF) {
    table.compared = true;
    table.divisors[0] = state_divisor(&d->choice, WEB_BASE);
    table.divisors[1] = state_divisor(&d->choice, WEB_HEAD);
    table.scaled = d->choice.scaled;
    table.sides[0] = (struct noise_side){d->choice.lent[0], base->runs, base->run_count};
    table.sides[1] = (struct noise_side){d->choice.lent[1], head->runs, head->run_count};
  }
  return table_csv_write(&table, out, error);
}

static pprofc_status download_svg(struct download *d, pprofc_error *error) {
  struct buffer picture = buffer_make(&d->choice.shown->mem, (size_t)256 << 20);
  d->options.format = "dot";
  if (d->choice.side == WEB_DIFF) d->options.argument = "change";
  d->options.divide_by *= state_divisor(&d->choice, d->choice.side);
  struct web_reply *text = reply_new(200, REPLY_TEXT);
  pprofc_status status = text
                             ? pprofc_report(d->choice.shown, &d->options, reply_write, text, error)
                             : error_nomem(error);
  if (status == PPROFC_OK)
    status = dot_draw(&d->q->web->dot, buffer_str(&text->body), &picture, error);
  if (status == PPROFC_OK) {
    buffer_add_text(&d->reply->body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buffer_add_str(&d->reply->body, buffer_str(&picture));
  }
  reply_release(text);
  buffer_free(&picture);
  return status;
}

static const struct download_kind {
  const char *what; /* value of the parameter `what`; "" for the unchanged profile */
  const char *file, *type;
  const char *format; /* format of a report, or NULL */
  download_fn make;
} download_kinds[] = {
    {"", "profile.pb.gz", "application/vnd.google.protobuf+gzip", NULL, download_profile},
    {"filtered", "filtered.pb.gz", "application/vnd.google.protobuf+gzip", "proto",
     download_report},
    {"csv", "profile.csv", "text/csv; charset=utf-8", NULL, download_csv},
    {"svg", "graph.svg", "image/svg+xml", NULL, download_svg},
    {"speedscope", "profile.speedscope.json", "application/json", "speedscope", download_report},
    {"folded", "profile.folded", REPLY_TEXT, "folded", download_report},
    {"flame", "flame.html", REPLY_HTML, "flame", download_flame},
};

static pprofc_status download_open(struct download *d, struct web_question *q,
                                   pprofc_error *error) {
  *d = (struct download){.q = q, .options = q->web->command->report};
  pprofc_status status = web_query_options(&q->query, &d->options, error);
  if (status == PPROFC_OK)
    status = state_choose(q->web->state, &q->query, budget_allocator(q->budget), &d->choice, error);
  d->options.warn = NULL;
  if (status != PPROFC_OK || d->choice.side != WEB_DIFF) return status;
  bool good =
      noise_obstacle(&d->options) || noise_hide_folded(d->choice.shown, &q->arena, &d->options);
  return good ? status : error_nomem(error);
}

static struct web_reply *download_end(struct download *d, pprofc_status status,
                                      pprofc_error *error) {
  struct web_reply *reply = d->reply;
  if (status == PPROFC_OK && reply && !reply->body.failed) {
    state_choice_free(&d->choice);
    return reply;
  }
  if (status == PPROFC_OK) status = error_nomem(error);
  status = budget_status(budget_allocator(d->q->budget), status, error);
  reply_release(reply);
  state_choice_free(&d->choice);
  return route_failure(status, error);
}

struct web_reply *route_download(struct web_question *q) {
  char disposition[96];
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct download *d = arena_zero_array(&q->arena, 1, sizeof *d);
  const struct download_kind *kind =
      STR_ROW(str_of(web_query_get(&q->query, "what")), download_kinds);
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
