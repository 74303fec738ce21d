/* Keeps a store in an S3 bucket. Each key is written only once, and readers see only complete
 * files. */
#include "commands.h"
#include "store/store.h"

#include "run/files.h"

/* Maximum age in seconds of a stored profile that need not be written again. */
#define S3_YOUNG (12 * 3600)

static pprofc_status s3_simple(struct s3_wire *w, const struct s3_request *request, int allowed,
                               int *code, pprofc_error *error) {
  struct reply reply;
  pprofc_status status = s3_wire_send(w, request, &reply, error);
  bool good = reply.code / 100 == 2 || reply.code == allowed;
  if (status == PPROFC_OK && !good) status = s3_wire_fail(w, request, &reply, error);
  if (code) *code = reply.code;
  reply_free(&reply);
  return status;
}

struct s3_upload {
  struct s3_wire *wire;
  const char *key, *id;
  struct arena arena;
  struct buffer list; /* XML list of the parts of a multipart upload */
};

static pprofc_status s3_begin(struct s3_upload *u, pprofc_error *error) {
  struct reply reply;
  const struct s3_request request = {.method = "POST",
                                     .key = u->key,
                                     .query = "uploads=",
                                     .root = "InitiateMultipartUploadResult"};
  pprofc_status status = s3_wire_send(u->wire, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200)
    status = s3_wire_fail(u->wire, &request, &reply, error);
  if (status == PPROFC_OK) {
    u->id = text_url(&u->arena, xml_first(buffer_str(&reply.body), "UploadId"), "");
    if (!*u->id)
      status = error_set(error, PPROFC_E_IO, "POST %s: the reply has no UploadId", u->key);
  }
  reply_free(&reply);
  return status;
}

static pprofc_status s3_put_part(struct s3_upload *u, size_t number, pprofc_str data,
                                 pprofc_error *error) {
  struct reply reply;
  const char *query = text_printf(&u->arena, "partNumber=%zu&uploadId=%s", number, u->id);
  const struct s3_request request = {.method = "PUT", .key = u->key, .query = query, .body = data};
  pprofc_status status = s3_wire_send(u->wire, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200)
    status = s3_wire_fail(u->wire, &request, &reply, error);
  if (status == PPROFC_OK)
    buffer_printf(&u->list, "<Part><PartNumber>%zu</PartNumber><ETag>%.*s</ETag></Part>", number,
                  STR_ARG(buffer_str(&reply.etag)));
  reply_free(&reply);
  return status;
}

static pprofc_status s3_complete(struct s3_upload *u, bool once, int *code, pprofc_error *error) {
  const char *query = text_printf(&u->arena, "uploadId=%s", u->id);
  buffer_add_text(&u->list, "</CompleteMultipartUpload>");
  const struct s3_request request = {.method = "POST",
                                     .key = u->key,
                                     .query = query,
                                     .root = "CompleteMultipartUploadResult",
                                     .once = once,
                                     .body = buffer_str(&u->list)};
  return s3_simple(u->wire, &request, 412, code, error);
}

static pprofc_status s3_abort(struct s3_upload *u, pprofc_error *error) {
  const char *query = text_printf(&u->arena, "uploadId=%s", u->id);
  const struct s3_request request = {.method = "DELETE", .key = u->key, .query = query};
  return s3_simple(u->wire, &request, 404, NULL, error);
}

static pprofc_status s3_put_parts(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                                  int *code, pprofc_error *error) {
  struct s3_upload u = {.wire = w, .key = key, .arena = ci_arena(), .list = ci_buffer()};
  size_t size = w->part, number = 0;
  pprofc_error ignored;
  buffer_add_text(&u.list, "<CompleteMultipartUpload>");
  pprofc_status status = s3_begin(&u, error);
  for (size_t at = 0; at < data.size && status == PPROFC_OK; at += size)
    status = s3_put_part(&u, ++number, str_slice(data, at, at + size), error);
  if (status == PPROFC_OK) status = s3_complete(&u, once, code, error);
  bool left = status != PPROFC_OK || *code == 412;
  if (left && u.id && *u.id) (void)s3_abort(&u, &ignored);
  buffer_free(&u.list);
  arena_free(&u.arena);
  return status;
}

static pprofc_status s3_write(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                              int *code, pprofc_error *error) {
  const struct s3_request request = {
      .method = "PUT", .key = key, .query = "", .once = once, .body = data};
  if (data.size > w->part) return s3_put_parts(w, key, data, once, code, error);
  return s3_simple(w, &request, 412, code, error);
}

/* True if a key exists. Sets *young to true if the data of the key is at most S3_YOUNG seconds old.
 * `pprofci fsck -clean` removes only older data, so young data need not be stored again. */
static bool s3_exists(struct s3_wire *w, const char *key, bool *young) {
  struct reply reply;
  pprofc_error ignored;
  const struct s3_request request = {.method = "HEAD", .key = key, .query = ""};
  pprofc_status status = s3_wire_send(w, &request, &reply, &ignored);
  bool exists = status == PPROFC_OK && reply.code == 200;
  *young = exists && (int64_t)time(NULL) - reply.modified <= S3_YOUNG;
  reply_free(&reply);
  return exists;
}

static void s3_put(struct backing *backing, const char *key, pprofc_str data) {
  int code = 200;
  bool young = false, object = str_starts(str_of(key), STR("objects/"));
  struct s3_wire *w = backing->state;
  bool exists = object && s3_exists(w, key, &young);
  if (young) return;
  pprofc_status status = s3_write(w, key, data, !exists, &code, &ci_error);
  /* The upload fails if an earlier attempt or another process has written the key. This is not an
   * error: the key of an object is the hash of its data, so the key already has the right data. */
  if (status != PPROFC_OK && object && s3_exists(w, key, &young) && young) return;
  ci_need(status);
}

static pprofc_status s3_get(struct backing *backing, const char *key, struct buffer *data,
                            pprofc_error *error) {
  struct s3_wire *w = backing->state;
  struct reply reply;
  const struct s3_request request = {.method = "GET", .key = key, .query = ""};
  pprofc_status status = s3_wire_send(w, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200) status = s3_wire_fail(w, &request, &reply, error);
  if (status == PPROFC_OK) buffer_add_str(data, buffer_str(&reply.body));
  reply_free(&reply);
  return status == PPROFC_OK && data->failed ? error_nomem(error) : status;
}

/* A type of request for a list of keys, and the names of the XML elements in its reply. */
struct s3_page {
  const char *root, *item, *time;
  bool uploads; /* true: list incomplete uploads; some servers cannot list them */
};

static const struct s3_page s3_objects = {"ListBucketResult", "Contents", "LastModified", false};
static const struct s3_page s3_uploads = {"ListMultipartUploadsResult", "Upload", "Initiated",
                                          true};

/* Adds a key from a page of the list. An incomplete upload has the key "tmp/UPLOAD/KEY". */
static void s3_add_item(struct s3_wire *w, const struct s3_page *page, pprofc_str item,
                        struct stored_keys *keys) {
  struct buffer name = ci_buffer();
  uint64_t size = 0;
  int64_t seconds = 0;
  pprofc_str when = xml_first(item, page->time);
  char day[21] = "";
  text_unescape(&name, xml_first(item, "Key"));
  pprofc_str prefix = str_of(w->prefix), key = buffer_str(&name);
  bool ours = str_starts(key, prefix);
  key = str_slice(key, prefix.size, key.size);
  (void)str_parse_uint(xml_first(item, "Size"), 10, &size);
  if (when.size >= 19) snprintf(day, sizeof day, "%.19sZ", when.data);
  (void)times_parse(str_of(day), &seconds);
  struct buffer path = ci_buffer();
  if (page->uploads) {
    buffer_add_text(&path, "tmp/");
    escape_url(&path, xml_first(item, "UploadId"), "");
    buffer_add_char(&path, '/');
  }
  buffer_add_str(&path, key);
  if (ours) stored_keys_add(keys, buffer_str(&path), size, seconds);
  buffer_free(&path);
  buffer_free(&name);
}

/* Reads one page of a list. Also reads the token of the next page if there is one. */
static void s3_take_page(struct s3_wire *w, const struct s3_page *page, pprofc_str body,
                         struct stored_keys *keys, struct buffer *next) {
  pprofc_str item;
  bool more = !page->uploads && str_equal(xml_first(body, "IsTruncated"), STR("true"));
  if (more) text_unescape(next, xml_first(body, "NextContinuationToken"));
  if (more && !next->size)
    ci_fail("GET s3://.../%s: the list is incomplete: the token of the next page is missing",
            w->prefix);
  while (body.size && xml_next(&body, page->item, &item)) s3_add_item(w, page, item, keys);
}

static void s3_read_page(struct s3_wire *w, const struct s3_page *page, const char *query,
                         struct stored_keys *keys, struct buffer *next) {
  struct reply reply;
  const struct s3_request request = {.method = "GET", .query = query, .root = page->root};
  ci_need(s3_wire_send(w, &request, &reply, &ci_error));
  bool unable = page->uploads && (reply.code / 100 == 4 || reply.code == 501);
  buffer_clear(next);
  if (reply.code == 200)
    s3_take_page(w, page, buffer_str(&reply.body), keys, next);
  else if (!unable)
    ci_need(s3_wire_fail(w, &request, &reply, &ci_error));
  reply_free(&reply);
}

/* Returns the query for the page that `token` identifies, or for the first page if it is empty. */
static const char *s3_list_query(const struct s3_wire *w, const struct s3_page *page,
                                 const char *prefix, pprofc_str token, struct arena *arena) {
  if (page->uploads)
    return text_printf(arena, "prefix=%s&uploads=", text_url(arena, str_of(w->prefix), ""));
  const char *start = text_printf(arena, "%s%s/", w->prefix, prefix);
  const char *page_start = "";
  if (token.size)
    page_start = text_printf(arena, "continuation-token=%s&", text_url(arena, token, ""));
  return text_printf(arena, "%slist-type=2&prefix=%s", page_start,
                     text_url(arena, str_of(start), ""));
}

static void s3_list(struct backing *backing, const char *prefix, struct stored_keys *keys) {
  struct s3_wire *w = backing->state;
  struct buffer next = ci_buffer();
  bool uploads = str_starts(str_of(prefix), STR("tmp"));
  const struct s3_page *page = uploads ? &s3_uploads : &s3_objects;
  do {
    const char *query = s3_list_query(w, page, prefix, buffer_str(&next), &keys->arena);
    s3_read_page(w, page, query, keys, &next);
  } while (next.size);
  buffer_free(&next);
}

static void s3_remove(struct backing *backing, const char *key) {
  struct s3_wire *w = backing->state;
  pprofc_str name = str_of(key);
  if (!str_starts(name, STR("tmp/"))) {
    const struct s3_request request = {.method = "DELETE", .key = key, .query = ""};
    ci_need(s3_simple(w, &request, 404, NULL, &ci_error));
    return;
  }
  pprofc_str rest = str_slice(name, 4, name.size);
  size_t slash = str_find_char(rest, '/');
  struct s3_upload u = {.wire = w, .key = rest.data + slash + 1, .arena = ci_arena()};
  u.id = text_keep(&u.arena, str_slice(rest, 0, slash));
  if (slash < rest.size) ci_need(s3_abort(&u, &ci_error));
  arena_free(&u.arena);
}

static void s3_open(struct backing *backing) {
  backing->state = s3_wire_open(&backing->arena, backing->where);
}

static void s3_close(struct backing *backing) {
  const struct s3_wire *w = backing->state;
  client_close(w->client);
}

const struct backing_kind backing_s3 = {"s3://", "key",  s3_open, NULL,     s3_close,
                                        s3_put,  s3_get, s3_list, s3_remove};
