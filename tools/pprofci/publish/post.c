/* Sends results to a code host such as GitHub: the comment of a change, the issue, the status and
 * the check. Each value of -key has one comment and one issue, which a marker identifies. Anyone
 * can copy a marker, so the author must also match. */
#include "publish/post.h"

#define PAGES_MAX 200

/* A comment or an issue that an earlier run wrote. */
struct post_found {
  const char *id; /* id of the text on the code host; NULL if no text was found */
  pprofc_str text;
};

/* Sends a request and parses the reply, if there is one. `reply` may be NULL. */
static pprofc_status post_send(struct post *post, const struct wire_request *request,
                               struct node **root, struct reply *reply, pprofc_error *error) {
  struct reply own;
  struct reply *to = reply ? reply : &own;
  pprofc_status status = wire_send(post->wire, request, to, error);
  *root = NULL;
  if (status == PPROFC_OK && to->body.size) {
    pprofc_str text = buffer_keep(&to->body, post->arena);
    const char *name =
        text_printf(post->arena, "the reply to %s %s", request->method, request->path);
    status = json_tree_parse(post->arena, name, text, root, error);
  }
  if (!reply) reply_free(&own);
  return status;
}

/* Sets post->author to the user of the token, unless the flag -author sets the author. */
static pprofc_status post_find_author(struct post *post, pprofc_error *error) {
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
  return *post->author ? PPROFC_OK
                       : error_set(error, PPROFC_E_FORMAT,
                                   "%s has no owner of the token; pass -author", forge->user_path);
}

/* Finds the number of a fork's pull request, because a workflow_run event does not contain the
 * number. Searches for the open pull request that has the branch and the head commit of the event.
 */
static pprofc_status find_change(struct post *post, pprofc_error *error) {
  struct site *site = post->site;
  struct node *root;
  if (site->number) return PPROFC_OK;
  if (!*site->owner || !*site->branch)
    return error_set(error, PPROFC_E_INVALID, "this run has no pull request; pass -pr N");
  const char *owner = text_url(post->arena, str_of(site->owner), "");
  const char *branch = text_url(post->arena, str_of(site->branch), "");
  const char *path = text_printf(post->arena, "/repos/%s/pulls?state=open&per_page=100&head=%s:%s",
                                 site->repo, owner, branch);
  const struct wire_request request = {.method = "GET", .path = path};
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

/* Finds the comment or issue that post->author wrote and that has the marker of -key. Searches the
 * lists of the code host. */
static pprofc_status post_find(struct post *post, const struct forge_texts *texts,
                               struct post_found *found, pprofc_error *error) {
  const char *list = site_path(post->site, texts->list, "");
  const char *path = text_printf(post->arena, "%s%s", list, texts->query);
  pprofc_status status = PPROFC_OK;
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
  json_text_begin(&json);
  json_begin_object(&json.json);
  if (nested) json_begin_object(json_key(&json.json, "content"));
  json_text_member(&json, nested ? "raw" : post->site->forge->body_key, text);
  if (nested) json_end(&json.json);
  json_end(&json.json);
  return json_text_end(&json, post->arena);
}

/* Warns if the new comment or issue has an unexpected author, because the next run would then not
 * find it, and would create another one. */
static void check_author(const struct post *post, const struct node *root) {
  const struct node *author = node_path(root, post->site->forge->item_author);
  if (node_is(author, NODE_STRING) && !str_equal(author->text, str_of(post->author)))
    message_note("pprofci: the author is %.*s; give -author %.*s, or the next run does not "
                 "find it",
                 STR_ARG(author->text), STR_ARG(author->text));
}

/* Creates a comment or an issue, or updates `found`. Sets *again to true if the caller must search
 * again: the text `found` was deleted, or the code host may have created a text in spite of an
 * error. */
static pprofc_status post_write(struct post *post, const struct forge_texts *texts,
                                const struct post_found *found, pprofc_str body, bool *again,
                                pprofc_error *error) {
  struct wire_request request = {
      .method = found->id ? post->site->forge->update : "POST", .body = body, .once = !found->id};
  struct reply reply;
  struct node *root;
  request.path = site_path(post->site, found->id ? texts->item : texts->list, found->id);
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
  post->done = found->id ? "updated" : "created";
  return post_write(post, &post->site->forge->comments, found, comment_request(post, text), again,
                    error);
}

/* Writes a comment or an issue with `write`. Finds the text of an earlier run before, and searches
 * a second time if `write` sets *again. */
static pprofc_status post_publish(struct post *post, const struct forge_texts *texts,
                                  pprofc_status (*write)(struct post *post,
                                                         const struct post_found *found,
                                                         bool *again, pprofc_error *error),
                                  pprofc_error *error) {
  struct post_found found;
  bool again = true;
  pprofc_status status = post_find_author(post, error);
  for (int tries = 0; tries < 2 && again && (status == PPROFC_OK || tries); tries++) {
    again = false;
    status = post_find(post, texts, &found, error);
    if (status == PPROFC_OK) status = write(post, &found, &again, error);
  }
  return status;
}

pprofc_status post_comment(struct post *post, pprofc_error *error) {
  pprofc_status status = find_change(post, error);
  if (status != PPROFC_OK) return status;
  return post_publish(post, &post->site->forge->comments, publish_over, error);
}

/* ---- the issue -------------------------------------- */

#define ISSUE_TITLE "Benchmarks got worse"

static pprofc_str issue_text(struct post *post) {
  pprofc_str text = utf8_prefix(post->issue, BODY_MAX - 256);
  if (!text.size) text = STR("No benchmark got worse in the last runs.\n");
  return str_of(text_printf(post->arena, "<!-- pprofc:%s -->\n%.*s", post->key, STR_ARG(text)));
}

static pprofc_str issue_request(struct post *post, const struct post_found *found,
                                pprofc_str text) {
  const struct forge *forge = post->site->forge;
  struct json_text json;
  json_text_begin(&json);
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
  if (!found->id && !post->issue.size) {
    post->done = "nothing got worse, and no issue is open";
    return PPROFC_OK;
  }
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
  if (forge->issues.list) return post_publish(post, &forge->issues, issue_write, error);
  return error_set(error, PPROFC_E_INVALID, "no issues on %s", forge->name);
}

#define DESCRIPTION_MAX 140 /* maximum length in characters of the text of a status on GitHub */
#define TITLE_MAX       255
#define SUMMARY_MAX     65535 /* maximum size in bytes of the summary of a check run */
#define DETAILS_MAX     2000  /* maximum length in characters of a report on Bitbucket */
#define NOTE_MAX        450   /* maximum length in characters of an annotation on Bitbucket */
#define ELLIPSIS        "\xE2\x80\xA6"

/* Shortens a text to at most `most` characters. The last character is … if the text was longer. */
static pprofc_str post_shorten(struct post *post, pprofc_str text, size_t most) {
  size_t characters = 0, at = 0, cut = 0;
  for (; at < text.size; at++) {
    if (((unsigned char)text.data[at] & 0xC0) == 0x80) continue;
    if (characters == most - 1) cut = at;
    if (++characters > most) break;
  }
  if (characters <= most) return text;
  return str_of(text_printf(post->arena, "%.*s" ELLIPSIS, (int)cut, text.data));
}

/* Returns "pprofc" or "pprofc/KEY". */
static const char *post_name(struct post *post) {
  if (strcmp(post->key, "default") == 0) return "pprofc";
  return text_printf(post->arena, "pprofc/%s", post->key);
}

/* Sends a request that is safe to repeat. Sets *id to the id in the reply; `id` may be NULL. */
static pprofc_status check_send(struct post *post, const char *method, const char *path,
                                pprofc_str body, const char **id, pprofc_error *error) {
  const struct wire_request request = {.method = method, .path = path, .body = body};
  struct node *root;
  pprofc_status status = post_send(post, &request, &root, NULL, error);
  if (status != PPROFC_OK || !id) return status;
  *id = "ID";
  if (post->dry) return PPROFC_OK;
  const struct node *number = node_get(root, "id");
  if (!node_is(number, NODE_NUMBER))
    return error_set(error, PPROFC_E_FORMAT, "the reply to %s %s has no id", method, path);
  *id = text_printf(post->arena, "%lld", (long long)node_integer(number));
  return PPROFC_OK;
}

static pprofc_status check_commit(const struct post *post, pprofc_error *error) {
  if (*post->site->sha) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the commit is not known; give -sha COMMIT");
}

pprofc_status post_commit_status(struct post *post, pprofc_error *error) {
  const struct forge *forge = post->site->forge;
  const struct outcome *outcome = post->outcome;
  struct json_text text;
  pprofc_status status = check_commit(post, error);
  if (status != PPROFC_OK) return status;
  json_text_begin(&text);
  json_pack(&text.json, "{state:s", forge->states[outcome->published]);
  json_text_member(&text, forge->status_name, str_of(post_name(post)));
  json_text_member(&text, "description", post_shorten(post, outcome->headline, DESCRIPTION_MAX));
  if (*post->site->page) json_text_member(&text, forge->status_url, str_of(post->site->page));
  json_end(&text.json);
  pprofc_str body = json_text_end(&text, post->arena);
  post->done = "set";
  return check_send(post, "POST", site_path(post->site, forge->status_path, ""), body, NULL, error);
}

/* True if the regression names a file and a line of the repository, so that an annotation is
 * possible. */
static bool has_place(const struct node *regression) {
  pprofc_str file = node_text(regression, "file");
  return file.size && file.data[0] != '/' && str_find(file, STR("..")) == file.size &&
         node_integer(node_get(regression, "line")) > 0;
}

typedef void (*put_note_fn)(struct post *post, struct json_text *text, const struct node *note);

/* Moves *at to the next regression with a place, beginning at *at. Returns false at the end. */
static bool find_note(const struct post *post, size_t *at) {
  const struct node *all = post->outcome->regressions;
  while (*at < node_size(all) && !has_place(node_at(all, *at))) ++*at;
  return *at < node_size(all);
}

/* Writes at most `most` annotations, beginning with the regression at index *at. Sets *at to the
 * index after the last written one. */
static void put_check_notes(struct post *post, struct json_text *text, size_t *at, size_t most,
                            put_note_fn put) {
  json_begin_array(&text->json);
  for (size_t count = 0; count < most && find_note(post, at); count++)
    put(post, text, node_at(post->outcome->regressions, (*at)++));
  json_end(&text->json);
}

#define GITHUB_NOTES 50
#define NOTE_BYTES   32768
#define LINK_BYTES   4096

/* Returns the message of an annotation. Its last line is the address of the flame graph. */
static pprofc_str note_message(struct post *post, const struct node *note) {
  pprofc_str message = utf8_prefix(node_text(note, "message"), NOTE_BYTES);
  pprofc_str link = node_text(note, "link");
  struct buffer text = ci_buffer();
  if (!link.size || link.size > LINK_BYTES || !post->body.place.address.size) return message;
  buffer_add_str(&text, message);
  buffer_add_char(&text, '\n');
  message_put_address(&text, link, &post->body.place);
  return buffer_take(&text, post->arena);
}

static void put_github_note(struct post *post, struct json_text *text, const struct node *note) {
  int64_t line = node_integer(node_get(note, "line"));
  json_pack(&text->json, "{path:S start_line:i end_line:i annotation_level:S title:S message:S}",
            node_text(note, "file"), line, line,
            post->outcome->warns ? STR("warning") : STR("failure"),
            post_shorten(post, node_text(note, "title"), TITLE_MAX), note_message(post, note));
}

static void put_github_output(struct post *post, struct json_text *text, size_t *at) {
  pprofc_str summary = body_cut(&post->body, post->links, SUMMARY_MAX, post->arena);
  json_pack(&text->json, "output:{title:S summary:S annotations:",
            post_shorten(post, post->outcome->headline, TITLE_MAX), summary);
  put_check_notes(post, text, at, GITHUB_NOTES, put_github_note);
  json_end(&text->json);
}

/* Returns the request body of a check run, with the annotations that begin at index *at. `name` is
 * NULL for an update. */
static pprofc_str github_check_body(struct post *post, const char *name, size_t *at) {
  static const char *const conclusions[PUBLISHED] = {"success", "failure", "failure", "neutral",
                                                     "neutral"};
  struct json_text text;
  json_text_begin(&text);
  json_begin_object(&text.json);
  if (name) {
    json_pack(&text.json, "name:s head_sha:s status:s conclusion:s", name, post->site->sha,
              "completed", conclusions[post->outcome->published]);
    if (*post->site->page) json_text_member(&text, "details_url", str_of(post->site->page));
  }
  put_github_output(post, &text, at);
  json_end(&text.json);
  return json_text_end(&text, post->arena);
}

static pprofc_status post_github_check(struct post *post, pprofc_error *error) {
  const char *name = post_name(post), *id = "";
  const char *path = site_path(post->site, "/repos/{repo}/check-runs", "");
  size_t at = 0;
  pprofc_status status =
      check_send(post, "POST", path, github_check_body(post, name, &at), &id, error);
  while (status == PPROFC_OK && find_note(post, &at)) {
    path = site_path(post->site, "/repos/{repo}/check-runs/{id}", id);
    status = check_send(post, "PATCH", path, github_check_body(post, NULL, &at), NULL, error);
  }
  return status;
}

#define BITBUCKET_NOTES 100

static void put_bitbucket_note(struct post *post, struct json_text *text, const struct node *note) {
  pprofc_str name = node_text(note, "benchmark");
  json_pack(&text->json, "{external_id:s annotation_type:s summary:S severity:s path:S line:i}",
            text_printf(post->arena, "pprofc-%.*s", STR_ARG(utf8_prefix(name, 400))), "BUG",
            post_shorten(post, node_text(note, "message"), NOTE_MAX), "HIGH",
            node_text(note, "file"), node_integer(node_get(note, "line")));
}

static pprofc_str bitbucket_body(struct post *post) {
  static const char *const results[PUBLISHED] = {"PASSED", "FAILED", "FAILED", "PASSED", "FAILED"};
  struct json_text text;
  json_text_begin(&text);
  json_pack(&text.json, "{title:s details:S report_type:s reporter:s result:s", "Benchmarks",
            post_shorten(post, post->outcome->headline, DETAILS_MAX), "TEST", "pprofc",
            results[post->outcome->published]);
  if (*post->site->page) json_text_member(&text, "link", str_of(post->site->page));
  json_pack(&text.json, "data:[{title:s type:s value:u}]}", "Regressions", "NUMBER",
            (uint64_t)post->outcome->regressed);
  return json_text_end(&text, post->arena);
}

static pprofc_status post_bitbucket_report(struct post *post, pprofc_error *error) {
  static const char pattern[] = "/repositories/{repo}/commit/{sha}/reports/pprofc-{id}";
  const char *path = site_path(post->site, pattern, post->key);
  size_t at = 0;
  pprofc_status status = check_send(post, "PUT", path, bitbucket_body(post), NULL, error);
  while (status == PPROFC_OK && find_note(post, &at)) {
    struct json_text text;
    const char *notes = text_printf(post->arena, "%s/annotations", path);
    json_text_begin(&text);
    put_check_notes(post, &text, &at, BITBUCKET_NOTES, put_bitbucket_note);
    status = check_send(post, "POST", notes, json_text_end(&text, post->arena), NULL, error);
  }
  return status;
}

pprofc_status post_check(struct post *post, pprofc_error *error) {
  const char *host = post->site->forge->name;
  pprofc_status status = check_commit(post, error);
  post->done = "written";
  if (status != PPROFC_OK) return status;
  if (strcmp(host, "github") == 0) return post_github_check(post, error);
  if (strcmp(host, "bitbucket") == 0) return post_bitbucket_report(post, error);
  return error_set(error, PPROFC_E_UNSUPPORTED, "%s has no checks; use -codequality for a report",
                   host);
}
