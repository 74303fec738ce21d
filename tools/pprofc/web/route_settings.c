/* Saves and deletes views. */
#include "web/routes.h"
#include "web/settings.h"

struct web_reply *route_back(const struct web_question *q) {
  static const struct web_change without[] = {{"config", {"", 0}}, {"view", {"", 0}}};
  const char *view = web_query_get(&q->query, "view");
  struct buffer query;
  if (!web_view_find(str_of(view))) return reply_new(200, REPLY_TEXT);
  buffer_init(&query, &mem_default, (size_t)1 << 20);
  web_query_write(&query, &q->query, without, 2);
  struct web_reply *reply = query.failed ? NULL : reply_redirect(303, view, buffer_str(&query));
  buffer_free(&query);
  return reply;
}

struct web_reply *route_save(struct web_question *q) {
  pprofc_error error;
  pprofc_report_options options = q->web->command->report;
  pprofc_status status = web_query_options(&q->query, &options, &error);
  if (status == PPROFC_OK)
    status = settings_save(q->web->settings, web_query_get(&q->query, "config"), &options, &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}

struct web_reply *route_delete(struct web_question *q) {
  pprofc_error error;
  pprofc_status status =
      settings_delete(q->web->settings, web_query_get(&q->query, "config"), &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}
