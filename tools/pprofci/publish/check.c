/* Sends the status of a commit, a check run to GitHub, or a report to Bitbucket. */
#include "publish/post.h"

#include "run/text.h"

#define DESCRIPTION_MAX 140 /* maximum length in characters of a description on GitHub */
#define TITLE_MAX       255
#define SUMMARY_MAX     65535 /* maximum size in bytes of the summary of a check run */
#define DETAILS_MAX     2000  /* maximum length in characters of a report of Bitbucket */
#define NOTE_MAX        450   /* maximum length in characters of an annotation on Bitbucket */
#define ELLIPSIS        "\xE2\x80\xA6"

/* Returns the first characters of a text, at most `most`, with … at the end if it was
 * truncated. */
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

/* Returns "pprofc" or "pprofc/KEY", or NULL when out of memory. */
static const char *post_name(struct post *post) {
  if (strcmp(post->key, "default") == 0) return "pprofc";
  return text_printf(post->arena, "pprofc/%s", post->key);
}

/* Sends a request that is safe to repeat. Sets *id to the id in the reply; `id` may be NULL. */
static pprofc_status check_send(struct post *post, const char *method, const char *path,
                                pprofc_str body, const char **id, pprofc_error *error) {
  const struct wire_request request = {.method = method, .path = path, .body = body};
  struct node *root;
  if (!path || !body.data) return error_nomem(error);
  pprofc_status status = post_send(post, &request, &root, NULL, error);
  if (status != PPROFC_OK || !id) return status;
  *id = "ID";
  if (post->dry) return PPROFC_OK;
  const struct node *number = node_get(root, "id");
  if (!node_is(number, NODE_NUMBER))
    return error_set(error, PPROFC_E_FORMAT, "the reply to %s %s has no id", method, path);
  *id = text_printf(post->arena, "%lld", (long long)node_integer(number));
  return *id ? PPROFC_OK : error_nomem(error);
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
  const char *name = post_name(post);
  pprofc_str headline = post_shorten(post, outcome->headline, DESCRIPTION_MAX);
  if (!name || !headline.data || !json_text_begin(&text)) return error_nomem(error);
  json_begin_object(&text.json);
  json_text_member(&text, "state", str_of(forge->states[outcome->ending]));
  json_text_member(&text, forge->status_name, str_of(name));
  json_text_member(&text, "description", headline);
  if (*post->site->page) json_text_member(&text, forge->status_url, str_of(post->site->page));
  json_end(&text.json);
  pprofc_str body = json_text_end(&text, post->arena);
  post->done = "set";
  return check_send(post, "POST", site_path(post->site, forge->status_path, ""), body, NULL, error);
}

/* True if the regression has a file in the repository. An annotation can then point to this
 * file. */
static bool has_place(const struct node *regression) {
  pprofc_str file = node_text(regression, "file");
  return file.size && file.data[0] != '/' && str_find(file, STR("..")) == file.size &&
         node_integer(node_get(regression, "line")) > 0;
}

typedef void (*put_note_fn)(struct post *post, struct json_text *text, const struct node *note);

/* Writes at most `most` annotations as an array, starting at index *at. Returns their number, and
 * adds it to *at. */
static size_t put_check_notes(struct post *post, struct json_text *text, size_t *at, size_t most,
                              put_note_fn put) {
  const struct node *all = post->outcome->regressions;
  size_t count = 0;
  json_begin_array(&text->json);
  for (; *at < node_size(all) && count < most; ++*at) {
    const struct node *note = node_at(all, *at);
    if (!has_place(note)) continue;
    put(post, text, note);
    count++;
  }
  json_end(&text->json);
  return count;
}

static bool has_more_notes(const struct post *post, size_t at) {
  const struct node *all = post->outcome->regressions;
  for (; at < node_size(all); at++)
    if (has_place(node_at(all, at))) return true;
  return false;
}

#define GITHUB_NOTES 50
#define NOTE_BYTES   32768
#define LINK_BYTES   4096

/* Returns the message of an annotation. Its last line is the address of the flame graph. */
static pprofc_str note_message(struct post *post, const struct node *note) {
  pprofc_str message = body_prefix(node_text(note, "message"), NOTE_BYTES);
  pprofc_str link = node_text(note, "link");
  struct buffer text;
  if (!link.size || link.size > LINK_BYTES || !post->body.place.address.size) return message;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_add_str(&text, message);
  buffer_add_char(&text, '\n');
  message_put_address(&text, link, &post->body.place);
  message = buffer_take(&text, post->arena);
  return message;
}

static void put_github_note(struct post *post, struct json_text *text, const struct node *note) {
  static const char *const lines[] = {"start_line", "end_line"};
  bool warns = post->outcome->ending == ENDING_WARNING;
  json_begin_object(&text->json);
  json_text_member(text, "path", node_text(note, "file"));
  for (size_t i = 0; i < 2; i++)
    json_int(json_key(&text->json, lines[i]), node_integer(node_get(note, "line")));
  json_text_member(text, "annotation_level", warns ? STR("warning") : STR("failure"));
  json_text_member(text, "title", post_shorten(post, node_text(note, "title"), TITLE_MAX));
  json_text_member(text, "message", note_message(post, note));
  json_end(&text->json);
}

static void put_github_output(struct post *post, struct json_text *text, size_t *at) {
  pprofc_str summary = body_cut(&post->body, post->links, SUMMARY_MAX, post->arena);
  json_begin_object(json_key(&text->json, "output"));
  json_text_member(text, "title", post_shorten(post, post->outcome->headline, TITLE_MAX));
  json_text_member(text, "summary", summary);
  json_key(&text->json, "annotations");
  put_check_notes(post, text, at, GITHUB_NOTES, put_github_note);
  json_end(&text->json);
}

static pprofc_str github_check_body(struct post *post, const char *name, size_t *at) {
  static const char *const conclusions[ENDINGS] = {"success", "neutral", "neutral",
                                                   "failure", "neutral", "failure"};
  struct json_text text;
  if (!json_text_begin(&text)) return (pprofc_str){NULL, 0};
  json_begin_object(&text.json);
  json_text_member(&text, "name", str_of(name));
  json_text_member(&text, "head_sha", str_of(post->site->sha));
  json_text_member(&text, "status", STR("completed"));
  json_text_member(&text, "conclusion", str_of(conclusions[post->outcome->ending]));
  if (*post->site->page) json_text_member(&text, "details_url", str_of(post->site->page));
  put_github_output(post, &text, at);
  json_end(&text.json);
  return json_text_end(&text, post->arena);
}

static pprofc_str github_more_body(struct post *post, size_t *at) {
  struct json_text text;
  if (!json_text_begin(&text)) return (pprofc_str){NULL, 0};
  json_begin_object(&text.json);
  put_github_output(post, &text, at);
  json_end(&text.json);
  return json_text_end(&text, post->arena);
}

static pprofc_status post_github_check(struct post *post, pprofc_error *error) {
  const char *name = post_name(post), *id = "";
  const char *path = site_path(post->site, "/repos/{repo}/check-runs", "");
  size_t at = 0;
  if (!name) return error_nomem(error);
  pprofc_status status =
      check_send(post, "POST", path, github_check_body(post, name, &at), &id, error);
  while (status == PPROFC_OK && has_more_notes(post, at)) {
    path = site_path(post->site, "/repos/{repo}/check-runs/{id}", id);
    status = check_send(post, "PATCH", path, github_more_body(post, &at), NULL, error);
  }
  return status;
}

#define BITBUCKET_NOTES 100

static void put_bitbucket_note(struct post *post, struct json_text *text, const struct node *note) {
  pprofc_str name = node_text(note, "benchmark");
  json_begin_object(&text->json);
  json_text_member(
      text, "external_id",
      str_of(text_printf(post->arena, "pprofc-%.*s", STR_ARG(body_prefix(name, 400)))));
  json_text_member(text, "annotation_type", STR("BUG"));
  json_text_member(text, "summary", post_shorten(post, node_text(note, "message"), NOTE_MAX));
  json_text_member(text, "severity", STR("HIGH"));
  json_text_member(text, "path", node_text(note, "file"));
  json_int(json_key(&text->json, "line"), node_integer(node_get(note, "line")));
  json_end(&text->json);
}

static pprofc_str bitbucket_body(struct post *post) {
  static const char *const results[ENDINGS] = {"PASSED", "PASSED", "FAILED",
                                               "FAILED", "PASSED", "FAILED"};
  struct json_text text;
  if (!json_text_begin(&text)) return (pprofc_str){NULL, 0};
  json_begin_object(&text.json);
  json_text_member(&text, "title", STR("Benchmarks"));
  json_text_member(&text, "details", post_shorten(post, post->outcome->headline, DETAILS_MAX));
  json_text_member(&text, "report_type", STR("TEST"));
  json_text_member(&text, "reporter", STR("pprofc"));
  json_text_member(&text, "result", str_of(results[post->outcome->ending]));
  if (*post->site->page) json_text_member(&text, "link", str_of(post->site->page));
  json_begin_array(json_key(&text.json, "data"));
  json_begin_object(&text.json);
  json_text_member(&text, "title", STR("Regressions"));
  json_text_member(&text, "type", STR("NUMBER"));
  json_uint(json_key(&text.json, "value"), post->outcome->regressed);
  json_end(&text.json);
  json_end(&text.json);
  json_end(&text.json);
  return json_text_end(&text, post->arena);
}

static pprofc_status post_bitbucket_report(struct post *post, pprofc_error *error) {
  static const char pattern[] = "/repositories/{repo}/commit/{sha}/reports/pprofc-{id}";
  const char *path = site_path(post->site, pattern, post->key);
  size_t at = 0;
  pprofc_status status = check_send(post, "PUT", path, bitbucket_body(post), NULL, error);
  while (status == PPROFC_OK && has_more_notes(post, at)) {
    struct json_text text;
    const char *notes = text_printf(post->arena, "%s/annotations", path);
    if (!json_text_begin(&text)) return error_nomem(error);
    put_check_notes(post, &text, &at, BITBUCKET_NOTES, put_bitbucket_note);
    status = check_send(post, "POST", notes, json_text_end(&text, post->arena), NULL, error);
  }
  return status;
}

pprofc_status post_check(struct post *post, pprofc_error *error) {
  static const struct {
    const char *name;
    pprofc_status (*run)(struct post *post, pprofc_error *error);
  } kinds[] = {{"github", post_github_check}, {"bitbucket", post_bitbucket_report}};
  pprofc_status status = check_commit(post, error);
  post->done = "written";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == PPROFC_OK; i++)
    if (strcmp(post->site->forge->name, kinds[i].name) == 0) return kinds[i].run(post, error);
  if (status != PPROFC_OK) return status;
  return error_set(error, PPROFC_E_UNSUPPORTED, "%s has no checks; use -codequality for a report",
                   post->site->forge->name);
}
