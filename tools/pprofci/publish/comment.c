/* Writes the comment of a pull request or merge request. Each key has one comment, and later runs
 * update this comment. Anyone can copy the marker, so the author of a comment must also match. */
#include "core/escape.h"
#include "publish/post.h"

#include "common/terminal.h"
#include "run/text.h"

#define PAGES_MAX 200

pprofc_status post_send(struct post *post, const struct wire_request *request, struct node **root,
                        struct reply *reply, pprofc_error *error) {
  struct reply own;
  struct reply *to = reply ? reply : &own;
  pprofc_status status = wire_send(post->wire, request, to, error);
  *root = NULL;
  if (status == PPROFC_OK && to->body.size) {
    pprofc_str text = buffer_keep(&to->body, post->arena);
    const char *name =
        text_printf(post->arena, "the reply to %s %s", request->method, request->path);
    status = text.data && name ? json_tree_parse(post->arena, name, text, root, error)
                               : error_nomem(error);
  }
  if (!reply) reply_free(&own);
  return status;
}

pprofc_status post_find_author(struct post *post, pprofc_error *error) {
  const struct forge *forge = post->site->forge;
  const struct wire_request request = {.method = "GET", .path = forge->user_path};
  struct reply reply;
  struct node *root;
  if (*post->author) return PPROFC_OK;
  pprofc_status status = post_send(post, &request, &root, &reply, error);
  const struct node *name = node_path(root, forge->user_key);
  if (node_is(name, NODE_STRING)) post->author = text_keep(post->arena, name->text);
  /* GitHub does not allow the token of a job to read its own user. */
  bool may_not = status != PPROFC_OK && (reply.code == 403 || reply.code == 404);
  if (may_not && *forge->author) {
    post->author = forge->author;
    status = PPROFC_OK;
  }
  reply_free(&reply);
  if (status != PPROFC_OK || post->dry) return status;
  if (!post->author) return error_nomem(error);
  return *post->author ? PPROFC_OK
                       : error_set(error, PPROFC_E_FORMAT,
                                   "%s has no owner of the token; pass -author", forge->user_path);
}

/* Finds the number of a fork's pull request, because a workflow_run event does not contain the
 * number. Searches for the open pull request that has the branch and the head commit of the
 * event. */
static pprofc_status find_change(struct post *post, pprofc_error *error) {
  struct site *site = post->site;
  struct buffer path;
  struct node *root;
  if (site->number) return PPROFC_OK;
  if (!*site->owner || !*site->branch)
    return error_set(error, PPROFC_E_INVALID, "this run has no pull request; pass -pr N");
  buffer_init(&path, &mem_default, 1 << 16);
  buffer_printf(&path, "/repos/%s/pulls?state=open&per_page=100&head=", site->repo);
  escape_url(&path, str_of(site->owner), "");
  buffer_add_char(&path, ':');
  escape_url(&path, str_of(site->branch), "");
  const char *text = buffer_take(&path, post->arena).data;
  if (!text) return error_nomem(error);
  const struct wire_request request = {.method = "GET", .path = text};
  pprofc_status status = post_send(post, &request, &root, NULL, error);
  for (size_t i = 0; i < node_size(root) && !site->number; i++) {
    const struct node *pull = node_at(root, i);
    if (str_equal(node_text(node_get(pull, "head"), "sha"), str_of(site->sha)))
      site->number = node_integer(node_get(pull, "number"));
  }
  if (status != PPROFC_OK || site->number || post->dry) return status;
  return error_set(error, PPROFC_E_INVALID, "no open pull request has the head %s", site->sha);
}

static bool is_ours(const struct post *post, const struct node *item, const struct node *text) {
  const struct node *author = node_path(item, post->site->forge->item_author);
  if (node_is(node_get(item, "system"), NODE_TRUE) || node_is(node_get(item, "deleted"), NODE_TRUE))
    return false;
  return node_is(author, NODE_STRING) && str_equal(author->text, str_of(post->author)) &&
         node_is(text, NODE_STRING) && body_has_marker(text->text, post->key);
}

static void look_through(struct post *post, const struct node *items,
                         const struct forge_texts *texts, struct post_found *found) {
  for (size_t i = 0; i < node_size(items) && !found->id; i++) {
    const struct node *item = node_at(items, i), *id = node_get(item, texts->id);
    const struct node *text = node_path(item, texts->text);
    if (!is_ours(post, item, text) || !node_is(id, NODE_NUMBER)) continue;
    found->id = text_printf(post->arena, "%lld", (long long)node_integer(id));
    found->text = text->text;
  }
}

pprofc_status post_find(struct post *post, const struct forge_texts *texts,
                        struct post_found *found, pprofc_error *error) {
  const char *list = site_path(post->site, texts->list, "");
  const char *path = list ? text_printf(post->arena, "%s%s", list, texts->query) : NULL;
  pprofc_status status = path ? PPROFC_OK : error_nomem(error);
  *found = (struct post_found){.id = NULL};
  for (size_t page = 0; page < PAGES_MAX && status == PPROFC_OK && path && !found->id; page++) {
    const struct wire_request request = {.method = "GET", .path = path};
    struct reply reply;
    struct node *root;
    status = post_send(post, &request, &root, &reply, error);
    const struct node *values = node_get(root, "values");
    pprofc_str next = reply.next.size ? buffer_str(&reply.next) : node_text(root, "next");
    look_through(post, values ? values : root, texts, found);
    path = next.size ? text_keep(post->arena, next) : NULL;
    reply_free(&reply);
  }
  return status;
}

static pprofc_str comment_request(struct post *post, pprofc_str text) {
  struct json_text json;
  bool nested = strcmp(post->site->forge->body_key, "content") == 0;
  if (!json_text_begin(&json)) return (pprofc_str){NULL, 0};
  json_begin_object(&json.json);
  if (nested) json_begin_object(json_key(&json.json, "content"));
  json_text_member(&json, nested ? "raw" : post->site->forge->body_key, text);
  if (nested) json_end(&json.json);
  json_end(&json.json);
  return json_text_end(&json, post->arena);
}

/* Warns if the server returns another author than expected. The next run would not find this text,
 * and would then write a second text. */
static void check_author(const struct post *post, const struct node *root) {
  const struct node *author = node_path(root, post->site->forge->item_author);
  if (node_is(author, NODE_STRING) && !str_equal(author->text, str_of(post->author)))
    message_note("pprofci: the author is %.*s; give -author %.*s, or the next run does not "
                 "find it",
                 STR_ARG(author->text), STR_ARG(author->text));
}

pprofc_status post_write(struct post *post, const struct forge_texts *texts,
                         const struct post_found *found, pprofc_str body, bool *again,
                         pprofc_error *error) {
  struct wire_request request = {
      .method = found->id ? post->site->forge->update : "POST", .body = body, .once = !found->id};
  struct reply reply;
  struct node *root;
  request.path = site_path(post->site, found->id ? texts->item : texts->list, found->id);
  if (!request.path || !request.body.data) return error_nomem(error);
  pprofc_status status = post_send(post, &request, &root, &reply, error);
  if (status == PPROFC_OK && !found->id && !post->dry) check_author(post, root);
  *again = found->id ? reply.code == 404 : wire_is_unsure(&reply);
  reply_free(&reply);
  return status;
}

static pprofc_status publish_over(struct post *post, const struct post_found *found, bool *again,
                                  pprofc_error *error) {
  struct body body = post->body;
  struct body_state before;
  if (found->id && body_parse(found->text, post->key, &before)) {
    if (body.state.run && before.run > body.state.run) {
      post->done = "unchanged: a newer run has written it";
      return PPROFC_OK;
    }
    body_follow(&body.state, &before);
  }
  pprofc_str text =
      body_make(&body, post->key, post->links, post->site->forge->comment_most, post->arena);
  if (!text.data) return error_nomem(error);
  post->done = found->id ? "updated" : "created";
  return post_write(post, &post->site->forge->comments, found, comment_request(post, text), again,
                    error);
}

pprofc_status post_comment(struct post *post, pprofc_error *error) {
  struct post_found found;
  bool again = true;
  pprofc_status status = find_change(post, error);
  if (status == PPROFC_OK) status = post_find_author(post, error);
  if (status != PPROFC_OK) return status;
  for (int tries = 0; tries < 2 && again; tries++) {
    again = false;
    status = post_find(post, &post->site->forge->comments, &found, error);
    if (status == PPROFC_OK) status = publish_over(post, &found, &again, error);
    if (status == PPROFC_OK) break;
  }
  return status;
}
