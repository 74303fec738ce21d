/* Implements the two upload protocols of Pyroscope. The protocol push.v1 uses protobuf, and /ingest
 * uses a form. */
#include "core/escape.h"
#include "core/system.h"
#include "push/push.h"
#include "pyroscope.pb-c.h"
#include "run/text.h"

#include <stdio.h>
#include <time.h>

#define LIMIT_MS 60000
#define BOUNDARY "pprofci-3b7c2e5f9d8a4160"

/* Creates a random UUID. The server uses the UUID to recognize a profile that was sent twice. */
static bool send_make_id(char id[40]) {
  uint8_t b[16];
  if (!system_random(b, sizeof b)) return false;
  b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
  b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
  snprintf(id, 40, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
           b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
           b[15]);
  return true;
}

/* Collects all labels of a profile to send. Returns their number, or 0 when out of memory. */
static size_t send_labels(struct push *push, const struct push_item *item,
                          Pyroscope__LabelPair *pairs, Pyroscope__LabelPair **pointers) {
  size_t count = 0;
  const struct push_label more[] = {{STR("__name__"), str_of(item->metric)},
                                    {STR("service_name"), str_of(push->options->service)},
                                    {STR("side"), str_of(item->side)}};
  for (size_t i = 0; i < 3 + push->label_count; i++) {
    const struct push_label *label = i < 3 ? &more[i] : &push->labels[i - 3];
    if (!label->value.size) continue;
    pyroscope__label_pair__init(&pairs[count]);
    pairs[count].name = text_keep(&push->remote.arena, label->name);
    pairs[count].value = (char *)label->value.data;
    if (!pairs[count].name) return 0;
    pointers[count] = &pairs[count];
    count++;
  }
  return count;
}

static pprofc_status send_make_push(struct push *push, const struct push_item *item,
                                    pprofc_str *body, pprofc_error *error) {
  Pyroscope__LabelPair pairs[LABELS_MAX + 12], *pointers[LABELS_MAX + 12];
  Pyroscope__RawSample sample = PYROSCOPE__RAW_SAMPLE__INIT, *samples = &sample;
  Pyroscope__RawProfileSeries series = PYROSCOPE__RAW_PROFILE_SERIES__INIT, *all = &series;
  Pyroscope__PushRequest request = PYROSCOPE__PUSH_REQUEST__INIT;
  char id[40];
  if (!send_make_id(id)) return error_set(error, PPROFC_E_IO, "no random numbers are available");
  sample.raw_profile.data = (uint8_t *)item->bytes.data;
  sample.raw_profile.len = item->bytes.size;
  sample.id = id;
  series.n_labels = send_labels(push, item, pairs, pointers);
  series.labels = pointers;
  series.n_samples = 1;
  series.samples = &samples;
  request.n_series = 1;
  request.series = &all;
  size_t size = pyroscope__push_request__get_packed_size(&request);
  uint8_t *packed = series.n_labels ? arena_alloc(&push->remote.arena, size) : NULL;
  if (!packed) return error_nomem(error);
  pyroscope__push_request__pack(&request, packed);
  *body = (pprofc_str){(const char *)packed, size};
  return PPROFC_OK;
}

static void send_put_part(struct buffer *out, const char *name, const char *file, pprofc_str data) {
  buffer_printf(out, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"", name);
  if (*file)
    buffer_printf(out, "; filename=\"%s\"\r\nContent-Type: application/octet-stream", file);
  buffer_add_text(out, "\r\n\r\n");
  buffer_add_str(out, data);
  buffer_add_text(out, "\r\n");
}

/* Returns the path "/ingest?name=shop{side=head}&from=...&until=...&spyName=pprofci". */
static const char *send_ingest_path(struct push *push, const struct push_item *item) {
  struct buffer name, path;
  int64_t at = item->time_nanos > 0 ? item->time_nanos : (int64_t)time(NULL) * 1000000000;
  const char *between = "{";
  buffer_init(&name, &mem_default, 1 << 16);
  buffer_init(&path, &mem_default, 1 << 17);
  buffer_add_text(&name, push->options->service);
  if (*item->side) {
    buffer_printf(&name, "{side=%s", item->side);
    between = ",";
  }
  for (size_t i = 0; i < push->label_count; i++) {
    buffer_printf(&name, "%s%.*s=%.*s", between, STR_ARG(push->labels[i].name),
                  STR_ARG(push->labels[i].value));
    between = ",";
  }
  if (*between == ',') buffer_add_char(&name, '}');
  buffer_add_text(&path, "/ingest?name=");
  escape_url(&path, buffer_str(&name), "");
  buffer_printf(&path, "&from=%lld&until=%lld&spyName=pprofci", (long long)(at / 1000000000),
                (long long)(at / 1000000000 + 1));
  path.failed |= name.failed;
  buffer_free(&name);
  return buffer_take(&path, &push->remote.arena).data;
}

static pprofc_status send_make_form(struct push *push, const struct push_item *item,
                                    pprofc_str *body, pprofc_error *error) {
  struct buffer form;
  buffer_init(&form, &mem_default, SIZE_MAX / 2);
  send_put_part(&form, "profile", "profile.pprof", item->bytes);
  buffer_add_text(&form, "--" BOUNDARY "--\r\n");
  *body = buffer_take(&form, &push->remote.arena);
  return body->data ? PPROFC_OK : error_nomem(error);
}

bool push_is_otlp(const struct push *push) {
  return strcmp(push->options->format, "otlp") == 0;
}

static pprofc_status send_make_ingest(struct push *push, const struct push_item *item,
                                      const char **path, pprofc_str *body, pprofc_error *error) {
  *path = send_ingest_path(push, item);
  return *path ? send_make_form(push, item, body, error) : error_nomem(error);
}

static pprofc_status send_make(struct push *push, const struct push_item *item, const char **path,
                               pprofc_str *body, pprofc_error *error) {
  if (strcmp(push->options->format, "ingest") == 0)
    return send_make_ingest(push, item, path, body, error);
  *path = push_is_otlp(push) ? "/v1development/profiles" : "/push.v1.PusherService/Push";
  if (push_is_otlp(push)) return push_make_otlp(push, item, body, error);
  return send_make_push(push, item, body, error);
}

pprofc_status push_send(struct push *push, const struct push_item *item, pprofc_error *error) {
  const char *path = "";
  pprofc_str body = STR("");
  struct reply reply;
  struct url url;
  pprofc_status status = send_make(push, item, &path, &body, error);
  if (status == PPROFC_OK)
    status = remote_address(&push->remote, push->options->to, path, &url, error);
  if (status == PPROFC_OK)
    status = remote_post(&push->remote, &url, body, LIMIT_MS, &reply, push->options->to, error);
  if (status == PPROFC_OK) {
    if (push_is_otlp(push)) status = push_check_otlp(push, item, &reply, error);
    reply_free(&reply);
  }
  if (status != PPROFC_OK) error_prefix(error, "cannot push '%s' to ", item->path);
  return status;
}
