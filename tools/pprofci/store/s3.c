/* Keeps a store in a bucket. A key is written once, and readers see only complete files. */
#include "store/s3_wire.h"

#include "gate/read/record.h"
#include "run/text.h"
#include "store/backing.h"
#include "store/times.h"

#include <stdio.h>
#include <time.h>

#define S3_YOUNG (12 * 3600) /* seconds; fsck -clean removes no younger object */

static pprofc_status s3_simple(struct s3_wire *w, const struct s3_request *request, int allowed,
                               int *code, pprofc_error *error) {
  struct transport_reply reply;
  pprofc_status status = s3_wire_send(w, request, &reply, error);
  bool good = reply.code / 100 == 2 || reply.code == allowed;
  if (status == PPROFC_OK && !good) status = s3_wire_fail(w, request, &reply, error);
  if (code) *code = reply.code;
  transport_reply_free(&reply);
  return status;
}

/* ---- parts ------------------------------------------- */

struct s3_upload {
  struct s3_wire *wire;
  const char *key, *id;
  struct arena arena;
  struct buffer list; /* XML list of the parts */
};

static pprofc_status s3_begin(struct s3_upload *u, pprofc_error *error) {
  struct transport_reply reply;
  const struct s3_request request = {.method = "POST",
                                     .key = u->key,
                                     .query = "uploads=",
                                     .root = "InitiateMultipartUploadResult"};
  pprofc_status status = s3_wire_send(u->wire, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200)
    status = s3_wire_fail(u->wire, &request, &reply, error);
  if (status == PPROFC_OK) {
    struct buffer id;
    buffer_init(&id, &mem_default, 1 << 16);
    text_url(&id, xml_first(buffer_str(&reply.body), "UploadId"));
    u->id = text_keep(&u->arena, buffer_str(&id));
    buffer_free(&id);
    if (!u->id) status = error_nomem(error);
    if (status == PPROFC_OK && !*u->id)
      status = error_set(error, PPROFC_E_IO, "POST %s: the reply has no UploadId", u->key);
  }
  transport_reply_free(&reply);
  return status;
}

static pprofc_status s3_put_part(struct s3_upload *u, size_t number, pprofc_str data,
                                 pprofc_error *error) {
  struct transport_reply reply;
  const char *query = text_printf(&u->arena, "partNumber=%zu&uploadId=%s", number, u->id);
  if (!query) return error_nomem(error);
  const struct s3_request request = {.method = "PUT", .key = u->key, .query = query, .body = data};
  pprofc_status status = s3_wire_send(u->wire, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200)
    status = s3_wire_fail(u->wire, &request, &reply, error);
  if (status == PPROFC_OK)
    buffer_printf(&u->list, "<Part><PartNumber>%zu</PartNumber><ETag>%.*s</ETag></Part>", number,
                  STR_ARG(buffer_str(&reply.etag)));
  transport_reply_free(&reply);
  return status;
}

static pprofc_status s3_complete(struct s3_upload *u, bool once, int *code, pprofc_error *error) {
  const char *query = text_printf(&u->arena, "uploadId=%s", u->id);
  buffer_add_text(&u->list, "</CompleteMultipartUpload>");
  if (!query || u->list.failed) return error_nomem(error);
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
  return query ? s3_simple(u->wire, &request, 404, NULL, error) : error_nomem(error);
}

static pprofc_status s3_put_parts(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                                  int *code, pprofc_error *error) {
  struct s3_upload u = {.wire = w, .key = key};
  size_t size = s3_wire_part(w), number = 0;
  pprofc_error ignored;
  arena_init(&u.arena, &mem_default);
  buffer_init(&u.list, &mem_default, (size_t)16 << 20);
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

/* ---- writing ----------------------------------------- */

static pprofc_status s3_write(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                              int *code, pprofc_error *error) {
  const struct s3_request request = {
      .method = "PUT", .key = key, .query = "", .once = once, .body = data};
  if (data.size > s3_wire_part(w)) return s3_put_parts(w, key, data, once, code, error);
  return s3_simple(w, &request, 412, code, error);
}

/* True if a key exists. `young` is true if the object is too new for `pprofci fsck -clean` to
 * remove it. */
static bool s3_exists(struct s3_wire *w, const char *key, bool *young) {
  struct transport_reply reply;
  pprofc_error ignored;
  const struct s3_request request = {.method = "HEAD", .key = key, .query = ""};
  pprofc_status status = s3_wire_send(w, &request, &reply, &ignored);
  bool exists = status == PPROFC_OK && reply.code == 200;
  *young = exists && (int64_t)time(NULL) - reply.modified <= S3_YOUNG;
  transport_reply_free(&reply);
  return exists;
}

static pprofc_status s3_put(struct backing *backing, const char *key, pprofc_str data,
                            pprofc_error *error) {
  int code = 200;
  bool young = false, object = str_starts(str_of(key), STR("objects/"));
  struct s3_wire *w = backing->state;
  bool exists = object && s3_exists(w, key, &young);
  if (young) return PPROFC_OK;
  pprofc_status status = s3_write(w, key, data, !exists, &code, error);
  /* A retry fails if the first try has completed the upload, and so does the slower of two
   * writers. */
  if (status != PPROFC_OK && object && s3_exists(w, key, &young) && young) return PPROFC_OK;
  return status;
}

/* ---- reading ----------------------------------------- */

static pprofc_status s3_get(struct backing *backing, const char *key, struct buffer *data,
                            pprofc_error *error) {
  struct s3_wire *w = backing->state;
  struct transport_reply reply;
  const struct s3_request request = {.method = "GET", .key = key, .query = ""};
  pprofc_status status = s3_wire_send(w, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200) status = s3_wire_fail(w, &request, &reply, error);
  if (status == PPROFC_OK) buffer_add_str(data, buffer_str(&reply.body));
  transport_reply_free(&reply);
  return status == PPROFC_OK && data->failed ? error_nomem(error) : status;
}

/* A kind of list request, with the names of the XML elements in its reply. */
struct s3_page {
  const char *root, *item, *time;
  bool uploads; /* true for incomplete uploads, which some servers cannot list */
};

static const struct s3_page s3_objects = {"ListBucketResult", "Contents", "LastModified", false};
static const struct s3_page s3_uploads = {"ListMultipartUploadsResult", "Upload", "Initiated",
                                          true};

/* Adds the key of an item: "tmp/UPLOAD/KEY" for an upload that was not completed. */
static bool s3_add_item(struct s3_wire *w, const struct s3_page *page, pprofc_str item,
                        struct stored_keys *keys) {
  struct buffer name;
  uint64_t size = 0;
  int64_t seconds = 0;
  pprofc_str when = xml_first(item, page->time);
  char day[21] = "";
  buffer_init(&name, &mem_default, 1 << 16);
  xml_plain(&name, xml_first(item, "Key"));
  pprofc_str prefix = str_of(s3_wire_prefix(w)), key = buffer_str(&name);
  bool ours = str_starts(key, prefix), good = !name.failed;
  key = str_slice(key, prefix.size, key.size);
  (void)str_parse_uint(xml_first(item, "Size"), 10, &size);
  if (when.size >= 19) snprintf(day, sizeof day, "%.19sZ", when.data);
  (void)times_parse(str_of(day), &seconds);
  struct buffer path;
  buffer_init(&path, &mem_default, 1 << 16);
  if (page->uploads) {
    buffer_add_text(&path, "tmp/");
    text_url(&path, xml_first(item, "UploadId"));
    buffer_add_char(&path, '/');
  }
  buffer_add_str(&path, key);
  if (ours) good = good && !path.failed && stored_keys_add(keys, buffer_str(&path), size, seconds);
  buffer_free(&path);
  buffer_free(&name);
  return good;
}

/* Reads one page, and the token of the next page if there is one. */
static pprofc_status s3_take_page(struct s3_wire *w, const struct s3_page *page, pprofc_str body,
                                  struct stored_keys *keys, struct buffer *next,
                                  pprofc_error *error) {
  pprofc_str item;
  bool more = !page->uploads && str_equal(xml_first(body, "IsTruncated"), STR("true"));
  if (more) xml_plain(next, xml_first(body, "NextContinuationToken"));
  if (more && !next->size)
    return error_set(error, PPROFC_E_IO,
                     "GET s3://.../%s: the list is incomplete: no token of its next page",
                     s3_wire_prefix(w));
  while (body.size && xml_next(&body, page->item, &item))
    if (!s3_add_item(w, page, item, keys)) return error_nomem(error);
  return PPROFC_OK;
}

static pprofc_status s3_read_page(struct s3_wire *w, const struct s3_page *page, const char *query,
                                  struct stored_keys *keys, struct buffer *next,
                                  pprofc_error *error) {
  struct transport_reply reply;
  const struct s3_request request = {.method = "GET", .query = query, .root = page->root};
  pprofc_status status = s3_wire_send(w, &request, &reply, error);
  bool unable = page->uploads && (reply.code / 100 == 4 || reply.code == 501);
  buffer_clear(next);
  if (status == PPROFC_OK && reply.code == 200)
    status = s3_take_page(w, page, buffer_str(&reply.body), keys, next, error);
  else if (status == PPROFC_OK && !unable)
    status = s3_wire_fail(w, &request, &reply, error);
  transport_reply_free(&reply);
  return status;
}

static pprofc_status s3_list_uploads(struct s3_wire *w, struct stored_keys *keys,
                                     pprofc_error *error) {
  struct buffer query, next;
  buffer_init(&query, &mem_default, 1 << 16);
  buffer_init(&next, &mem_default, 1 << 16);
  buffer_add_text(&query, "prefix=");
  text_url(&query, str_of(s3_wire_prefix(w)));
  buffer_add_text(&query, "&uploads=");
  buffer_add_char(&query, '\0');
  pprofc_status status = query.failed
                             ? error_nomem(error)
                             : s3_read_page(w, &s3_uploads, query.data, keys, &next, error);
  buffer_free(&next);
  buffer_free(&query);
  return status;
}

static pprofc_status s3_list(struct backing *backing, const char *prefix, struct stored_keys *keys,
                             pprofc_error *error) {
  struct s3_wire *w = backing->state;
  struct buffer query, next;
  pprofc_status status = PPROFC_OK;
  if (str_starts(str_of(prefix), STR("tmp"))) return s3_list_uploads(w, keys, error);
  buffer_init(&query, &mem_default, 1 << 16);
  buffer_init(&next, &mem_default, 1 << 16);
  do {
    buffer_clear(&query);
    if (next.size) {
      buffer_add_text(&query, "continuation-token=");
      text_url(&query, buffer_str(&next));
      buffer_add_char(&query, '&');
    }
    buffer_add_text(&query, "list-type=2&prefix=");
    text_url(&query, str_of(s3_wire_prefix(w)));
    text_url(&query, str_of(prefix));
    text_url(&query, STR("/"));
    buffer_add_char(&query, '\0');
    status = query.failed ? error_nomem(error)
                          : s3_read_page(w, &s3_objects, query.data, keys, &next, error);
  } while (status == PPROFC_OK && next.size);
  buffer_free(&next);
  buffer_free(&query);
  return status;
}

/* ---- removing ---------------------------------------- */

static pprofc_status s3_remove(struct backing *backing, const char *key, pprofc_error *error) {
  struct s3_wire *w = backing->state;
  pprofc_str name = str_of(key);
  if (!str_starts(name, STR("tmp/"))) {
    const struct s3_request request = {.method = "DELETE", .key = key, .query = ""};
    return s3_simple(w, &request, 404, NULL, error);
  }
  pprofc_str rest = str_slice(name, 4, name.size);
  size_t slash = str_find_char(rest, '/');
  struct s3_upload u = {.wire = w, .key = rest.data + slash + 1};
  arena_init(&u.arena, &mem_default);
  u.id = text_keep(&u.arena, str_slice(rest, 0, slash));
  pprofc_status status = PPROFC_OK;
  if (!u.id) status = error_nomem(error);
  if (u.id && slash < rest.size) status = s3_abort(&u, error);
  arena_free(&u.arena);
  return status;
}

/* ---- opening ----------------------------------------- */

static pprofc_status s3_open(struct backing *backing, bool create, pprofc_error *error) {
  struct s3_wire *w;
  struct buffer mark;
  pprofc_status status = s3_wire_open(&backing->arena, backing->where, &w, error);
  if (status != PPROFC_OK) return status;
  backing->state = w;
  buffer_init(&mark, &mem_default, 4096);
  status = s3_get(backing, RECORD_MARK, &mark, error);
  if (status == PPROFC_OK)
    status = backing_check_mark(backing, buffer_str(&mark), error);
  else if (status == PPROFC_E_NO_MATCH && create)
    status = s3_put(backing, RECORD_MARK, STR(RECORD_MARK_TEXT), error);
  else if (status == PPROFC_E_NO_MATCH)
    status = error_set(error, PPROFC_E_INVALID,
                       "'%s' is not a store of pprofci: the key '%s' is missing", backing->where,
                       RECORD_MARK);
  buffer_free(&mark);
  return status;
}

static void s3_close(struct backing *backing) {
  s3_wire_close(backing->state);
}

const struct backing_kind backing_s3 = {"s3://", s3_open, s3_close, s3_put,
                                        s3_get,  s3_list, s3_remove};
