/* A store in a bucket: keys are written once, large files in parts, nothing is seen before it is
 * whole. */
#include "store/s3_wire.h"

#include "gate/read/record.h"
#include "run/text.h"
#include "store/backing.h"
#include "store/facts.h"

#include <stdio.h>
#include <time.h>

#define S3_YOUNG (12 * 3600) /* seconds: an object of this age is not taken for one left over */

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
  struct buffer list; /* of the parts, as XML */
};

static pprofc_status s3_begin(struct s3_upload *u, pprofc_error *error) {
  struct transport_reply reply;
  const struct s3_request request = {.method = "POST", .key = u->key, .query = "uploads="};
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
      status = error_set(error, PPROFC_E_IO, "POST %s: the answer has no UploadId", u->key);
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

static pprofc_status s3_complete(struct s3_upload *u, bool once, pprofc_error *error) {
  const char *query = text_printf(&u->arena, "uploadId=%s", u->id);
  buffer_add_text(&u->list, "</CompleteMultipartUpload>");
  if (!query || u->list.failed) return error_nomem(error);
  const struct s3_request request = {
      .method = "POST", .key = u->key, .query = query, .once = once, .body = buffer_str(&u->list)};
  return s3_simple(u->wire, &request, 412, NULL, error);
}

static void s3_abort(struct s3_upload *u) {
  pprofc_error ignored;
  const char *query = text_printf(&u->arena, "uploadId=%s", u->id);
  const struct s3_request request = {.method = "DELETE", .key = u->key, .query = query};
  if (query) (void)s3_simple(u->wire, &request, 404, NULL, &ignored);
}

static pprofc_status s3_put_parts(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                                  pprofc_error *error) {
  struct s3_upload u = {.wire = w, .key = key};
  size_t size = s3_wire_part(w), number = 0;
  arena_init(&u.arena, &mem_default);
  buffer_init(&u.list, &mem_default, (size_t)16 << 20);
  buffer_add_text(&u.list, "<CompleteMultipartUpload>");
  pprofc_status status = s3_begin(&u, error);
  for (size_t at = 0; at < data.size && status == PPROFC_OK; at += size)
    status = s3_put_part(&u, ++number, str_slice(data, at, at + size), error);
  if (status == PPROFC_OK) status = s3_complete(&u, once, error);
  if (status != PPROFC_OK && u.id && *u.id) s3_abort(&u);
  buffer_free(&u.list);
  arena_free(&u.arena);
  return status;
}

/* ---- writing ----------------------------------------- */

static pprofc_status s3_write(struct s3_wire *w, const char *key, pprofc_str data, bool once,
                              int *code, pprofc_error *error) {
  const struct s3_request request = {
      .method = "PUT", .key = key, .query = "", .once = once, .body = data};
  *code = 200;
  if (data.size > s3_wire_part(w)) return s3_put_parts(w, key, data, once, error);
  return s3_simple(w, &request, 412, code, error);
}

/* Whether a key is so old that `pprofci fsck -clean` of another process may be about to remove it.
 */
static bool s3_is_old(struct backing *backing, const char *key) {
  struct stored_keys keys;
  char parent[80];
  size_t slash = str_find_last_char(str_of(key), '/');
  bool old = false;
  if (slash >= sizeof parent) return false;
  memcpy(parent, key, slash);
  parent[slash] = '\0';
  if (backing_list(backing, parent, &keys, NULL) == PPROFC_OK)
    for (size_t i = 0; i < keys.count; i++)
      if (strcmp(keys.items[i].name, key) == 0)
        old = (int64_t)time(NULL) - keys.items[i].time > S3_YOUNG;
  stored_keys_free(&keys);
  return old;
}

static pprofc_status s3_put(struct backing *backing, const char *key, pprofc_str data,
                            pprofc_error *error) {
  int code;
  struct s3_wire *w = backing->state;
  pprofc_status status = s3_write(w, key, data, true, &code, error);
  bool object = str_starts(str_of(key), STR("objects/"));
  if (status == PPROFC_OK && code == 412 && object && s3_is_old(backing, key))
    status = s3_write(w, key, data, false, &code, error);
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

/* A page of a list: what of it is a key, and how it is read. */
struct s3_page {
  const char *item, *time; /* names of elements */
  bool uploads;            /* that were never completed */
};

static const struct s3_page s3_objects = {"Contents", "LastModified", false};
static const struct s3_page s3_uploads = {"Upload", "Initiated", true};

/* "tmp/UPLOAD/KEY" for a file that was never completed. */
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
  (void)facts_parse_time(str_of(day), &seconds);
  if (ours && page->uploads) {
    const char *path = text_printf(&keys->arena, "tmp/%.*s/%.*s",
                                   STR_ARG(xml_first(item, "UploadId")), STR_ARG(key));
    good = good && path && stored_keys_add(keys, str_of(path), size, seconds);
  } else if (ours) {
    good = good && stored_keys_add(keys, key, size, seconds);
  }
  buffer_free(&name);
  return good;
}

static pprofc_status s3_read_page(struct s3_wire *w, const struct s3_page *page, const char *query,
                                  struct stored_keys *keys, struct buffer *next,
                                  pprofc_error *error) {
  struct transport_reply reply;
  const struct s3_request request = {.method = "GET", .query = query};
  pprofc_status status = s3_wire_send(w, &request, &reply, error);
  if (status == PPROFC_OK && reply.code != 200) status = s3_wire_fail(w, &request, &reply, error);
  pprofc_str rest = buffer_str(&reply.body), item;
  buffer_clear(next);
  if (status == PPROFC_OK && str_equal(xml_first(rest, "IsTruncated"), STR("true")))
    xml_plain(next, xml_first(rest, "NextContinuationToken"));
  while (status == PPROFC_OK && rest.size && xml_next(&rest, page->item, &item))
    if (!s3_add_item(w, page, item, keys)) status = error_nomem(error);
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
  /* Some servers cannot list them. */
  return status == PPROFC_E_IO ? PPROFC_OK : status;
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
  if (u.id && slash < rest.size) s3_abort(&u);
  arena_free(&u.arena);
  return PPROFC_OK;
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
    status = error_set(error, PPROFC_E_INVALID, "'%s' is no store of pprofci: it has no key '%s'",
                       backing->where, RECORD_MARK);
  buffer_free(&mark);
  return status;
}

static void s3_close(struct backing *backing) {
  s3_wire_close(backing->state);
}

const struct backing_kind backing_s3 = {"s3://", s3_open, s3_close, s3_put,
                                        s3_get,  s3_list, s3_remove};
