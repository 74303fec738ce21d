/* Sends profiles: by push.v1 (protobuf) or /ingest (a form) of Pyroscope, or by OTLP over HTTP. */
#include "codec/gzip_writer.h"
#include "codec/wire.h"
#include "otlp_export.pb-c.h"
#include "pprofc/report.h"
#include "push/push.h"
#include "pyroscope.pb-c.h"
#include "run/files.h"

#define HEADERS "OTEL_EXPORTER_OTLP_HEADERS"

void push_pack_otlp(struct push *push, const pprofc_profile *profile, pprofc_str *bytes) {
  pprofc_report_options options;
  struct buffer data = ci_buffer();
  pprofc_report_options_init(&options);
  options.format = "otlp";
  ci_need(pprofc_report(profile, &options, buffer_write, &data, &ci_error));
  *bytes = buffer_take(&data, &push->remote.arena);
}

/* Decodes escapes such as "%2C" in place. */
static void otlp_decode(char *text) {
  char *out = text;
  for (; *text; text++) {
    int high = *text == '%' ? char_hex(text[1]) : -1;
    int low = high >= 0 ? char_hex(text[2]) : -1;
    *out++ = low >= 0 ? (char)(high * 16 + low) : *text;
    if (low >= 0) text += 2;
  }
  *out = '\0';
}

/* Adds the headers in $OTEL_EXPORTER_OTLP_HEADERS. OpenTelemetry defines the format:
 * "name=value,name=value" with percent-encoded values. */
void push_otlp_headers(struct push *push) {
  const char *variable = getenv(HEADERS);
  pprofc_str rest = str_of(variable ? variable : ""), item;
  remote_add(&push->remote, "Content-Encoding", "gzip", "Content-Encoding");
  while (str_next(&rest, ',', &item)) {
    item = str_trim(item);
    size_t equals = str_find_char(item, '=');
    if (!item.size) continue;
    if (!equals || equals == item.size) ci_fail(HEADERS " is not NAME=VALUE,NAME=VALUE");
    const char *name = text_keep(&push->remote.arena, str_trim(str_slice(item, 0, equals)));
    char *value = text_keep(&push->remote.arena, str_trim(str_slice(item, equals + 1, item.size)));
    otlp_decode(value);
    remote_add(&push->remote, name, value, HEADERS);
    remote_add_secret(&push->remote, value);
  }
}

/* Labels of a profile as attributes of the OTLP resource. The label service_name becomes
 * OpenTelemetry's "service.name". */
struct otlp_attributes {
  OtlpExport__Resource resource;
  OtlpExport__KeyValue pairs[LABELS_MAX + 12], *pointers[LABELS_MAX + 12];
  OtlpExport__AnyValue values[LABELS_MAX + 12];
};

static void otlp_add_attribute(struct push *push, struct otlp_attributes *a, pprofc_str name,
                               pprofc_str value) {
  size_t i = a->resource.n_attributes;
  if (!value.size) return;
  if (!utf8_valid(value)) ci_fail("the label %.*s is not UTF-8", STR_ARG(name));
  otlp_export__key_value__init(&a->pairs[i]);
  otlp_export__any_value__init(&a->values[i]);
  a->pairs[i].key = text_keep(&push->remote.arena, name);
  a->values[i].string_value = text_keep(&push->remote.arena, value);
  a->pairs[i].value = &a->values[i];
  a->pointers[i] = &a->pairs[i];
  a->resource.n_attributes++;
}

static void otlp_fill_attributes(struct push *push, const struct push_item *item,
                                 struct otlp_attributes *a) {
  otlp_export__resource__init(&a->resource);
  a->resource.attributes = a->pointers;
  otlp_add_attribute(push, a, STR("service.name"), str_of(push->options->service));
  otlp_add_attribute(push, a, STR("side"), str_of(item->side));
  for (size_t i = 0; i < push->label_count; i++)
    otlp_add_attribute(push, a, push->labels[i].name, push->labels[i].value);
}

static void otlp_put_field(struct gzip_writer *out, size_t size) {
  uint8_t head[WIRE_FIELD_MAX];
  gzip_writer_add(out, head, (size_t)(wire_put_head(head, 1, size) - head));
}

/* Writes an OTLP request. Copies the fields before ResourceProfiles (field 1) unchanged. Writes
 * ResourceProfiles last, and puts the attributes at the start of this field. */
static void otlp_put_body(struct gzip_writer *out, pprofc_str bytes, size_t at, pprofc_str inner,
                          pprofc_str resource) {
  size_t head = 1 + varint_bytes(resource.size);
  gzip_writer_add(out, bytes.data, at);
  otlp_put_field(out, head + resource.size + inner.size);
  otlp_put_field(out, resource.size);
  gzip_writer_add(out, resource.data, resource.size);
  gzip_writer_add(out, inner.data, inner.size);
}

/* Finds the offset and the content of the field ResourceProfiles (field 1). */
static bool otlp_find_resource(pprofc_str bytes, size_t *at, pprofc_str *inner) {
  for (*at = 0; *at < bytes.size;) {
    size_t p = *at + 1;
    uint64_t size = 0;
    for (unsigned shift = 0; p < bytes.size && shift < 63; shift += 7) {
      size |= (uint64_t)(bytes.data[p] & 0x7f) << shift;
      if (!(bytes.data[p++] & 0x80)) break;
    }
    if (size > bytes.size - p) return false;
    *inner = str_slice(bytes, p, p + (size_t)size);
    if (bytes.data[*at] == (1 << 3 | 2)) return p + size == bytes.size;
    *at = p + (size_t)size;
  }
  return false;
}

static void otlp_pack_body(struct push *push, const struct push_item *item, pprofc_str resource,
                           pprofc_str *body) {
  struct buffer packed = ci_buffer();
  pprofc_str inner;
  size_t at;
  if (!otlp_find_resource(item->bytes, &at, &inner))
    ci_fail("'%s' cannot be written as OTLP", item->path);
  struct gzip_writer *out = gzip_writer_open(&ci_mem, 0, buffer_write, &packed);
  otlp_put_body(out, item->bytes, at, inner, resource);
  (void)gzip_writer_finish(out);
  *body = buffer_take(&packed, &push->remote.arena);
}

/* Converts a profile to a gzip'd request body, with its labels as resource attributes. */
static void push_make_otlp(struct push *push, const struct push_item *item, pprofc_str *body) {
  struct otlp_attributes attributes;
  otlp_fill_attributes(push, item, &attributes);
  size_t size = otlp_export__resource__get_packed_size(&attributes.resource);
  uint8_t *packed = arena_alloc(&push->remote.arena, size + 1);
  otlp_export__resource__pack(&attributes.resource, packed);
  otlp_pack_body(push, item, (pprofc_str){(const char *)packed, size}, body);
}

/* Reads the reply. Ends the command if the server rejected profiles. Prints any other message as a
 * note. */
static void push_check_otlp(const struct push *push, const struct push_item *item,
                            const struct reply *reply) {
  pprofc_str content = reply_content(reply);
  OtlpExport__Response *response =
      otlp_export__response__unpack(NULL, content.size, (const uint8_t *)content.data);
  if (!response) ci_fail("%s: not an OTLP reply", push->options->to);
  const OtlpExport__PartialSuccess *partial = response->partial_success;
  const char *said = partial ? partial->error_message : "";
  if (remote_has_secret(&push->remote, str_of(said)) || !utf8_valid(str_of(said))) said = "";
  if (partial && partial->rejected_profiles)
    ci_fail("%s: the server has rejected %lld profiles%s%.300s", push->options->to,
            (long long)partial->rejected_profiles, *said ? ": " : "", said);
  else if (*said)
    message_note("pprofci: '%s': the server says: %.300s", item->path, said);
  otlp_export__response__free_unpacked(response, NULL);
}

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

/* Collects all labels of a profile to send. Returns their number. */
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
    pointers[count] = &pairs[count];
    count++;
  }
  return count;
}

static void send_make_push(struct push *push, const struct push_item *item, pprofc_str *body) {
  Pyroscope__LabelPair pairs[LABELS_MAX + 12], *pointers[LABELS_MAX + 12];
  Pyroscope__RawSample sample = PYROSCOPE__RAW_SAMPLE__INIT, *samples = &sample;
  Pyroscope__RawProfileSeries series = PYROSCOPE__RAW_PROFILE_SERIES__INIT, *all = &series;
  Pyroscope__PushRequest request = PYROSCOPE__PUSH_REQUEST__INIT;
  char id[40];
  if (!send_make_id(id)) ci_fail("no random numbers are available");
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
  uint8_t *packed = arena_alloc(&push->remote.arena, size);
  pyroscope__push_request__pack(&request, packed);
  *body = (pprofc_str){(const char *)packed, size};
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
  struct arena *arena = &push->remote.arena;
  struct buffer name = ci_buffer();
  int64_t at = item->time_nanos > 0 ? item->time_nanos : (int64_t)time(NULL) * 1000000000;
  const char *between = "{";
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
  return text_printf(arena, "/ingest?name=%s&from=%lld&until=%lld&spyName=pprofci",
                     text_url(arena, buffer_take(&name, arena), ""), (long long)(at / 1000000000),
                     (long long)(at / 1000000000 + 1));
}

static pprofc_str send_make_form(struct push *push, const struct push_item *item) {
  struct buffer form = ci_buffer();
  send_put_part(&form, "profile", "profile.pprof", item->bytes);
  buffer_add_text(&form, "--" BOUNDARY "--\r\n");
  return buffer_take(&form, &push->remote.arena);
}

bool push_is_otlp(const struct push *push) {
  return strcmp(push->options->format, "otlp") == 0;
}

static void send_make(struct push *push, const struct push_item *item, const char **path,
                      pprofc_str *body) {
  if (strcmp(push->options->format, "ingest") == 0) {
    *path = send_ingest_path(push, item);
    *body = send_make_form(push, item);
  } else if (push_is_otlp(push)) {
    *path = "/v1development/profiles";
    push_make_otlp(push, item, body);
  } else {
    *path = "/push.v1.PusherService/Push";
    send_make_push(push, item, body);
  }
}

void push_send(struct push *push, const struct push_item *item) {
  const char *path;
  pprofc_str body;
  struct reply reply;
  struct url url;
  ci_begin(text_printf(&push->remote.arena, "cannot push '%s' to ", item->path));
  send_make(push, item, &path, &body);
  remote_address(&push->remote, push->options->to, path, &url);
  remote_post(&push->remote, &url, body, LIMIT_MS, &reply, push->options->to);
  if (push_is_otlp(push)) push_check_otlp(push, item, &reply);
  reply_free(&reply);
  ci_begin("");
}
