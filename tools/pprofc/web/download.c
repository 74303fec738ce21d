/* What can be taken along: profiles and reports as files. */
#include "profile/profile.h"
#include "web/routes.h"

struct web_reply *route_download(struct web_question *q) {
  pprofc_error error;
  struct state_choice choice;
  const pprofc_allocator *mem = budget_allocator(q->budget);
  struct web_reply *reply = reply_new(200, "application/vnd.google.protobuf+gzip");
  pprofc_status status = state_choose(q->web->state, &q->query, mem, &choice, &error);
  if (status == PPROFC_OK && reply) {
    const pprofc_profile *shown[] = {[WEB_HEAD] = choice.head->profile,
                                     [WEB_BASE] = choice.base ? choice.base->profile : NULL,
                                     [WEB_DIFF] = choice.difference};
    pprofc_profile *lent = profile_lend(shown[choice.side], mem);
    status = lent ? pprofc_profile_write(lent, reply_write, reply, &error) : error_nomem(&error);
    pprofc_profile_release(lent);
  }
  state_choice_free(&choice);
  if (reply)
    reply_add_header(reply, "Content-Disposition", STR("attachment; filename=\"profile.pb.gz\""));
  if (status == PPROFC_OK) return reply;
  reply_release(reply);
  return route_failure(budget_status(mem, status, &error), &error);
}

struct web_reply *route_flamedata(struct web_question *q) {
  (void)q;
  return reply_text(501, "there is no data for the flame graph yet");
}
