/* Writes the folder of -collect and its manifest. */
#include "fetch/collect_write.h"

#include "common/new_folder.h"
#include "common/terminal.h"
#include "core/json_write.h"
#include "core/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define LONGER   (NEW_FOLDER_ROOM + 512) /* bytes for the path of a file in that folder */
#define MANIFEST "manifest.json"

static pprofc_status collect_io_error(pprofc_error *error, const char *path) {
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(errno));
}

/* ---- the manifest ------------------------------------ */

/* Adds a time like "2026-11-22T04:40:00.123456789Z". */
static void collect_add_time(struct json_writer *json, const char *key, int64_t nanos) {
  time_t seconds = (time_t)(nanos / 1000000000);
  struct tm parts;
  char day[64], text[96];
  if (nanos <= 0 || !gmtime_r(&seconds, &parts) ||
      !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts))
    return;
  int fraction = (int)(nanos % 1000000000);
  snprintf(text, sizeof text, fraction ? "%s.%09dZ" : "%sZ", day, fraction);
  json_text(json_key(json, key), text);
}

static void collect_add_item(struct json_writer *json, const struct collect_server *server,
                             const struct collect_item *item) {
  char file[256];
  pprofc_header header;
  pprofc_profile_header(item->profile, &header);
  json_line_break(json);
  json_begin_object(json);
  json_text(json_key(json, "kind"), item->kind);
  json_key(json, "file");
  snprintf(file, sizeof file, "%s%s.pb.gz", server->name, item->kind);
  json_text(json, file);
  json_string(json_key(json, "address"), item->remote->address.shown);
  collect_add_time(json, "time", header.time_nanos);
  if (header.duration_nanos) json_int(json_key(json, "duration_nanos"), header.duration_nanos);
  if (pprofc_profile_mapping_count(item->profile)) {
    pprofc_mapping main = pprofc_profile_mapping(item->profile, 0);
    json_string(json_key(json, "binary"), main.file);
    json_string(json_key(json, "build_id"), main.build_id);
  }
  json_end(json);
}

static void collect_add_server(struct json_writer *json, const struct collect_server *server) {
  json_line_break(json);
  json_begin_object(json);
  json_text(json_key(json, "address"), server->address);
  json_begin_array(json_key(json, "profiles"));
  for (size_t k = 0; k < COLLECT_KINDS; k++)
    if (server->items[k].profile) collect_add_item(json, server, &server->items[k]);
  json_end(json);
  json_begin_array(json_key(json, "missing"));
  for (size_t k = 0; k < COLLECT_KINDS; k++)
    if (!server->items[k].profile) json_text(json, server->items[k].kind);
  json_end(json);
  json_end(json);
}

static bool collect_add_manifest(struct output *out, const struct collect_server *servers,
                                 size_t count, int64_t start) {
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_begin_object(&json);
  json_int(json_key(&json, "version"), 1);
  collect_add_time(&json, "collected", start * 1000000000);
  json_begin_array(json_key(&json, "servers"));
  for (size_t i = 0; i < count; i++)
    if (!servers[i].failed) collect_add_server(&json, &servers[i]);
  json_end(&json);
  json_end(&json);
  output_add_char(out, '\n');
  return json_finish(&json);
}

static pprofc_status collect_write_manifest(const char *path, const struct collect_server *servers,
                                            size_t count, int64_t start, pprofc_error *error) {
  struct outfile file;
  struct output out;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  output_init(&out, outfile_write, &file);
  if (!collect_add_manifest(&out, servers, count, start)) status = error_nomem(error);
  if (output_flush(&out, NULL) != PPROFC_OK && status == PPROFC_OK)
    status = collect_io_error(error, path);
  if (status == PPROFC_OK) return outfile_commit(&file, error);
  outfile_discard(&file);
  return status;
}

/* ---- the folder -------------------------------------- */

/* The profiles of one run of -collect. */
struct collect_set {
  const struct collect_server *servers;
  size_t count;
  int64_t start;
};

static pprofc_status collect_write_files(const void *context, const char *folder,
                                         pprofc_error *error) {
  const struct collect_set *set = context;
  char path[LONGER];
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < set->count; i++)
    for (size_t k = 0; k < COLLECT_KINDS && status == PPROFC_OK; k++) {
      const struct collect_server *server = &set->servers[i];
      const struct collect_item *item = &server->items[k];
      if (server->failed || !item->profile) continue;
      snprintf(path, sizeof path, "%s/%s%s.pb.gz", folder, server->name, item->kind);
      status = pprofc_profile_write_file(item->profile, path, error);
    }
  snprintf(path, sizeof path, "%s/" MANIFEST, folder);
  if (status == PPROFC_OK)
    status = collect_write_manifest(path, set->servers, set->count, set->start, error);
  return status;
}

pprofc_status collect_write(const char *folder, const struct collect_server *servers, size_t count,
                            int64_t start, pprofc_error *error) {
  const struct collect_set set = {servers, count, start};
  pprofc_status status = new_folder_write(folder, "-collect", collect_write_files, &set, error);
  if (status == PPROFC_OK) message_note("Collected profiles in %s", folder);
  return status;
}
