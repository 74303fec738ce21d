/* Documents: the question, the profiles of the chosen side, and the page around the report. */
#include "profile/profile.h"
#include "web/arguments.h"
#include "web/assets.h"
#include "web/routes.h"
#include "web/settings.h"

#include <stdio.h>

/* A document while it is made. */
struct view_parts {
  pprofc_report_options options;
  struct state_choice choice;
  pprofc_profile *profile, *base, *head; /* borrowed */
  struct web_info info;
  struct web_item items[STATE_PROFILES_MAX], heads[STATE_PROFILES_MAX];
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t profile_count;
  char pending[320], broken[512];
};

static const char *view_text(struct web_question *q, const char *prefix, unsigned id) {
  char text[32];
  int size = snprintf(text, sizeof text, "%s%u", prefix, id);
  return arena_copy(&q->arena, text, (size_t)size + 1);
}

/* Lists the profiles to choose from. */
static bool view_list(struct web_question *q, struct view_parts *p) {
  p->profile_count = state_list(q->web->state, p->profiles);
  for (size_t i = 0; i < p->profile_count; i++) {
    const struct state_profile *one = p->profiles[i];
    p->items[i] = (struct web_item){one->name, view_text(q, "base=", one->id),
                                    p->choice.base && p->choice.base->id == one->id};
    p->heads[i] = (struct web_item){one->name, view_text(q, "head=", one->id),
                                    p->choice.head && p->choice.head->id == one->id};
    if (!p->items[i].query || !p->heads[i].query) return false;
  }
  p->info.profiles = p->items;
  p->info.heads = p->heads;
  p->info.profile_count = p->info.head_count = p->profile_count;
  return true;
}

static pprofc_profile *view_lend(const struct web_question *q, const pprofc_profile *profile) {
  return profile ? profile_lend(profile, budget_allocator(q->budget)) : NULL;
}

static pprofc_status view_lend_all(const struct web_question *q, struct view_parts *p,
                                   pprofc_error *error) {
  const struct state_choice *c = &p->choice;
  const pprofc_profile *shown[] = {[WEB_HEAD] = c->head->profile,
                                   [WEB_BASE] = c->base ? c->base->profile : NULL,
                                   [WEB_DIFF] = c->difference};
  p->profile = view_lend(q, shown[c->side]);
  if (c->base) {
    p->head = view_lend(q, c->head->profile);
    p->base = view_lend(q, c->base->profile);
    if (!p->head || !p->base) return error_nomem(error);
  }
  return p->profile ? PPROFC_OK : error_nomem(error);
}

static void view_set_runs(struct view_parts *p) {
  const struct state_profile *head = p->choice.head, *base = p->choice.base;
  p->info.head_runs = head->runs;
  p->info.head_run_count = head->run_count;
  p->info.base_runs = base ? base->runs : NULL;
  p->info.base_run_count = base ? base->run_count : 0;
}

static pprofc_status view_prepare(struct web_question *q, struct view_parts *p,
                                  pprofc_error *error) {
  p->options = q->web->command->report;
  p->options.format = "top";
  p->info.version = PPROFC_VERSION;
  p->info.generation = state_generation(q->web->state);
  state_pending(q->web->state, p->pending, sizeof p->pending);
  p->info.pending = *p->pending ? p->pending : NULL;
  state_broken(q->web->state, p->broken, sizeof p->broken);
  p->info.broken = *p->broken ? p->broken : NULL;
  p->info.safe = p->options.safe;
  p->info.noise = &q->web->command->noise;
  p->info.draw = dot_draw;
  p->info.draw_context = q->web->dot;
  pprofc_status status = web_query_options(&q->query, &p->options, error);
  if (status == PPROFC_OK)
    status = state_choose(q->web->state, &q->query, budget_allocator(q->budget), &p->choice, error);
  if (!settings_list(q->web->settings, &q->query, &q->arena, &p->info.saved, &p->info.saved_count))
    return error_nomem(error);
  if (!view_list(q, p) || !assets_name(&p->info, &q->arena)) return error_nomem(error);
  if (status != PPROFC_OK) return status;
  p->info.head_name = p->choice.head->name;
  p->info.base_name = p->choice.base ? p->choice.base->name : NULL;
  p->info.head_sources = p->choice.head->sources;
  p->info.base_sources = p->choice.base ? p->choice.base->sources : 0;
  view_set_runs(p);
  if (!arguments_make(q->web->command, &p->choice, &q->arena, &p->info.arguments,
                      &p->info.argument_count))
    return error_nomem(error);
  return view_lend_all(q, p, error);
}

static void view_free(struct view_parts *p) {
  pprofc_profile_release(p->profile);
  pprofc_profile_release(p->base);
  pprofc_profile_release(p->head);
  for (size_t i = 0; i < p->profile_count; i++) state_release(p->profiles[i]);
  state_choice_free(&p->choice);
}

static pprofc_status view_write(const struct web_question *q, const struct web_view_input *input,
                                struct web_reply *reply, const char *message, pprofc_error *error) {
  struct output out;
  output_init(&out, reply_write, reply);
  if (!message) output_watch(&out, budget_allocator(q->budget));
  pprofc_status status = message ? web_document_error(q->view, input, message, &out, error)
                                 : web_document(q->view, input, &out, error);
  if (status == PPROFC_OK) status = output_flush(&out, error);
  return status;
}

/* Returns the document, or a document with the error. */
static struct web_reply *view_reply(struct web_question *q, struct view_parts *p,
                                    pprofc_status status, pprofc_error *error) {
  struct web_view_input input = {&q->query, &p->options,    p->profile, p->base,
                                 p->head,   p->choice.side, &p->info};
  struct web_reply *reply = reply_new(200, REPLY_HTML);
  if (!reply) return NULL;
  if (status == PPROFC_OK) status = view_write(q, &input, reply, NULL, error);
  reply->keep = status == PPROFC_OK;
  if (status == PPROFC_OK) return reply;
  status = budget_status(budget_allocator(q->budget), status, error);
  char message[sizeof error->message];
  memcpy(message, error->message, sizeof message);
  reply_release(reply);
  reply = reply_new(reply_status_of(status), REPLY_HTML);
  if (reply && reply->status == 503) reply_add_header(reply, "Retry-After", STR("5"));
  if (reply && view_write(q, &input, reply, message, error) == PPROFC_OK) return reply;
  reply_release(reply);
  return reply_text(503, message);
}

struct web_reply *route_view(struct web_question *q) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct view_parts *p = arena_zero_array(&q->arena, 1, sizeof *p);
  if (!p) return NULL;
  pprofc_status status = view_prepare(q, p, &error);
  struct web_reply *reply = view_reply(q, p, status, &error);
  view_free(p);
  return reply;
}
