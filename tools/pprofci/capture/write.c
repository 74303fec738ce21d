/* Writes the folder of a capture: SIDE/KIND/KIND-001.pb.gz, warmup/SIDE/KIND/KIND-001.pb.gz and
 * manifest.json, where SIDE is base or head, and KIND a profile type. */
#include "capture/capture.h"
#include "core/json_write.h"
#include "run/files.h"

#define LONGER   (NEW_FOLDER_ROOM + 128)
#define MANIFEST "manifest.json"

/* Formats a name such as "head/heap/heap-001.pb.gz". The numbers of warm-up rounds and of other
 * rounds both begin at 1. */
static void capture_name(const struct capture *capture, const struct capture_item *item,
                         char out[128]) {
  const char *kind = remote_kinds[item->kind].name;
  size_t number = item->round + 1 - (item->warmup ? 0 : (size_t)capture->options->warmup);
  snprintf(out, 128, "%s%s/%s/%s-%03zu.pb.gz", item->warmup ? "warmup/" : "",
           side_names[item->side], kind, kind, number);
}

static void capture_json_item(struct json_writer *json, const struct capture *capture,
                              const struct capture_item *item) {
  pprofc_header header;
  char name[128];
  capture_name(capture, item, name);
  pprofc_profile_header(item->profile, &header);
  json_pack(json, "\n{file:s side:s kind:s round:u warmup:b time_nanos:i}", name,
            side_names[item->side], remote_kinds[item->kind].name, (uint64_t)(item->round + 1),
            item->warmup, (int64_t)header.time_nanos);
}

static void capture_json_missing(struct json_writer *json, const struct capture *capture) {
  json_begin_array(json_key(json, "missing"));
  for (int side = 0; side < SIDES; side++)
    for (size_t k = 0; k < REMOTE_KINDS; k++) {
      char name[64];
      if (!capture->missing[side][k]) continue;
      snprintf(name, sizeof name, "%s/%s", side_names[side], remote_kinds[k].name);
      json_text(json, name);
    }
  json_end(json);
}

static pprofc_status capture_print_manifest(const void *context, struct output *out,
                                            pprofc_error *error) {
  const struct capture *capture = context;
  struct json_writer json;
  (void)error;
  json_init(&json, out, &ci_mem);
  json_pack(&json, "{version:1 profiles:[");
  for (size_t i = 0; i < capture->count; i++) capture_json_item(&json, capture, &capture->items[i]);
  json_end(&json);
  capture_json_missing(&json, capture);
  (void)json_finish_file(&json);
  return PPROFC_OK;
}

static pprofc_status capture_write_item(const struct capture *capture, const char *folder,
                                        const struct capture_item *item, pprofc_error *error) {
  char name[128], path[LONGER];
  capture_name(capture, item, name);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  if (!files_make_folders(path)) return error_file(error, "write", path, errno);
  *slash = '/';
  return pprofc_profile_write_file(item->profile, path, error);
}

static pprofc_status capture_write_files(const void *context, const char *folder,
                                         pprofc_error *error) {
  const struct capture *capture = context;
  char path[LONGER];
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < capture->count && status == PPROFC_OK; i++)
    status = capture_write_item(capture, folder, &capture->items[i], error);
  snprintf(path, sizeof path, "%s/" MANIFEST, folder);
  if (status != PPROFC_OK) return status;
  return save_printed(path, capture_print_manifest, capture, error);
}

void capture_write(const struct capture *capture) {
  ci_need(new_folder_write(capture->options->out, "-out", capture_write_files, capture, &ci_error));
}
