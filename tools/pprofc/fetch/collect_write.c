/* The folder of -collect and its manifest. */
#include "fetch/collect_write.h"

#include "common/terminal.h"
#include "core/json_write.h"
#include "core/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROOM     4096
#define LONGER   (ROOM + 512) /* a file in that folder */
#define MANIFEST "manifest.json"

static pprofc_status collect_io_error(pprofc_error *error, const char *path) {
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(errno));
}

pprofc_status collect_check_folder(const char *folder, pprofc_error *error) {
  DIR *dir = opendir(folder);
  if (!dir && errno == ENOENT) return PPROFC_OK;
  if (!dir) return collect_io_error(error, folder);
  bool empty = true;
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
    empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  closedir(dir);
  if (empty) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "'%s' is not empty; -collect wants a folder of its own",
                   folder);
}

/* ---- the manifest ------------------------------------ */

/* "2026-11-22T04:40:00.123456789Z" */
static void collect_add_time(struct json_writer *json, const char *key, int64_t nanos) {
  time_t seconds = (time_t)(nanos / 1000000000);
  struct tm parts;
  char day[64], text[96];
  if (nanos <= 0 || !gmtime_r(&seconds, &parts) ||
      !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts))
    return;
  int fraction = (int)(nanos % 1000000000);
  snprintf(text, sizeof text, fraction ? "%s.%09dZ" : "%sZ", day, fraction);
  json_key(json, key);
  json_text(json, text);
}

static void collect_add_item(struct json_writer *json, const struct collect_server *server,
                             const struct collect_item *item) {
  char file[256];
  pprofc_header header;
  pprofc_profile_header(item->profile, &header);
  json_line_break(json);
  json_begin_object(json);
  json_key(json, "kind");
  json_text(json, item->kind);
  json_key(json, "file");
  snprintf(file, sizeof file, "%s%s.pb.gz", server->name, item->kind);
  json_text(json, file);
  json_key(json, "address");
  json_string(json, item->remote->address.shown);
  collect_add_time(json, "time", header.time_nanos);
  if (header.duration_nanos) {
    json_key(json, "duration_nanos");
    json_int(json, header.duration_nanos);
  }
  if (pprofc_profile_mapping_count(item->profile)) {
    pprofc_mapping main = pprofc_profile_mapping(item->profile, 0);
    json_key(json, "binary");
    json_string(json, main.file);
    json_key(json, "build_id");
    json_string(json, main.build_id);
  }
  json_end(json);
}

static void collect_add_server(struct json_writer *json, const struct collect_server *server) {
  json_line_break(json);
  json_begin_object(json);
  json_key(json, "address");
  json_text(json, server->address);
  json_key(json, "profiles");
  json_begin_array(json);
  for (size_t k = 0; k < COLLECT_KINDS; k++)
    if (server->items[k].profile) collect_add_item(json, server, &server->items[k]);
  json_end(json);
  json_key(json, "missing");
  json_begin_array(json);
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
  json_key(&json, "version");
  json_int(&json, 1);
  collect_add_time(&json, "collected", start * 1000000000);
  json_key(&json, "servers");
  json_begin_array(&json);
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

static pprofc_status collect_write_files(const char *folder, const struct collect_server *servers,
                                         size_t count, int64_t start, pprofc_error *error) {
  char path[LONGER];
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS && status == PPROFC_OK; k++) {
      const struct collect_item *item = &servers[i].items[k];
      if (servers[i].failed || !item->profile) continue;
      snprintf(path, sizeof path, "%s/%s%s.pb.gz", folder, servers[i].name, item->kind);
      status = pprofc_profile_write_file(item->profile, path, error);
    }
  snprintf(path, sizeof path, "%s/" MANIFEST, folder);
  if (status == PPROFC_OK) status = collect_write_manifest(path, servers, count, start, error);
  return status;
}

/* Takes an unfinished folder away. */
static void collect_remove(const char *folder, const struct collect_server *servers, size_t count) {
  char path[LONGER];
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS; k++) {
      snprintf(path, sizeof path, "%s/%s%s.pb.gz", folder, servers[i].name,
               servers[i].items[k].kind);
      unlink(path);
    }
  snprintf(path, sizeof path, "%s/" MANIFEST, folder);
  unlink(path);
  rmdir(folder);
}

static pprofc_status collect_write_folder(const char *folder, const struct collect_server *servers,
                                          size_t count, int64_t start, pprofc_error *error) {
  char made[ROOM];
  size_t size = strlen(folder);
  while (size > 1 && folder[size - 1] == '/') size--;
  int length = snprintf(made, sizeof made, "%.*s.XXXXXX", (int)size, folder);
  if (length < 0 || (size_t)length + sizeof servers->name + 16 > sizeof made)
    return error_set(error, PPROFC_E_INVALID, "the name of -collect is too long");
  if (!mkdtemp(made)) return collect_io_error(error, folder);
  mode_t mask = umask(0);
  umask(mask);
  pprofc_status status = PPROFC_OK;
  if (chmod(made, 0777 & ~mask) != 0) status = collect_io_error(error, made);
  if (status == PPROFC_OK) status = collect_write_files(made, servers, count, start, error);
  if (status == PPROFC_OK && rename(made, folder) != 0) status = collect_io_error(error, folder);
  if (status != PPROFC_OK) collect_remove(made, servers, count);
  return status;
}

/* Everything is in memory already: a signal waits for the few moments that writing takes, so that
 * it leaves nothing half done. */
pprofc_status collect_write(const char *folder, const struct collect_server *servers, size_t count,
                            int64_t start, pprofc_error *error) {
  sigset_t wait, before;
  sigemptyset(&wait);
  sigaddset(&wait, SIGINT);
  sigaddset(&wait, SIGTERM);
  sigaddset(&wait, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &wait, &before);
  pprofc_status status = collect_write_folder(folder, servers, count, start, error);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (status == PPROFC_OK) message_note("Collected profiles in %s", folder);
  return status;
}
