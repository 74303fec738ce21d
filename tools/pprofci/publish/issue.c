/* Writes the issue about benchmarks that got worse. Each key has one issue, identified by its
 * marker and its author. A run opens or updates the issue. A run closes the issue when no benchmark
 * is worse. */
#include "publish/post.h"

#include "run/text.h"

#define ISSUE_TITLE "Benchmarks got worse"

/* Returns the text of the issue with its marker. */
static pprofc_str issue_text(struct post *post) {
  pprofc_str text = body_prefix(post->issue, BODY_MAX - 256);
  if (!text.size) text = STR("No benchmark got worse in the last runs.\n");
  return str_of(text_printf(post->arena, "<!-- pprofc:%s -->\n%.*s", post->key, STR_ARG(text)));
}

static pprofc_str issue_request(struct post *post, const struct post_found *found,
                                pprofc_str text) {
  const struct forge *forge = post->site->forge;
  struct json_text json;
  if (!json_text_begin(&json)) return (pprofc_str){NULL, 0};
  json_begin_object(&json.json);
  if (!found->id) json_text_member(&json, "title", STR(ISSUE_TITLE));
  json_text_member(&json, forge->issues.text, text);
  if (!post->issue.size) json_text_member(&json, forge->close_key, str_of(forge->close_value));
  json_end(&json.json);
  return json_text_end(&json, post->arena);
}

static pprofc_status issue_write(struct post *post, const struct post_found *found, bool *again,
                                 pprofc_error *error) {
  pprofc_str text = issue_text(post);
  if (!text.data) return error_nomem(error);
  post->done = found->id ? "updated" : "opened";
  if (!post->issue.size) post->done = "closed";
  if (found->id && str_equal(found->text, text)) {
    post->done = "unchanged";
    return PPROFC_OK;
  }
  pprofc_status status = post_write(post, &post->site->forge->issues, found,
                                    issue_request(post, found, text), again, error);
  *again &= !found->id;
  return status;
}

pprofc_status post_issue(struct post *post, pprofc_error *error) {
  const struct forge *forge = post->site->forge;
  struct post_found found;
  bool again = true;
  if (!forge->issues.list)
    return error_set(error, PPROFC_E_INVALID, "no issues on %s", forge->name);
  pprofc_status status = post_find_author(post, error);
  for (int tries = 0; tries < 2 && again && (status == PPROFC_OK || tries); tries++) {
    again = false;
    status = post_find(post, &forge->issues, &found, error);
    if (status != PPROFC_OK) return status;
    if (!found.id && !post->issue.size) {
      post->done = "nothing got worse, and no issue is open";
      return PPROFC_OK;
    }
    status = issue_write(post, &found, &again, error);
    if (status == PPROFC_OK) return status;
  }
  return status;
}
