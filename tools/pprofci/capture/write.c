/* The folder of a capture: SIDE/KIND/KIND-001.pb.gz, those of the warm-up in warmup/SIDE/KIND, and
 * manifest.json. */
#include "capture/capture.h"
#include "core/json_write.h"
#include "core/outfile.h"
#include "run/files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM     4096
#define LONGER   (ROOM + 128)
#define MANIFEST "manifest.json"

const char *const capture_sides[CAPTURE_SIDES] = {"base", "head"};

static pprofc_status capture_io_error(pprofc_error *error, const char *path) {
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(errno));
}

pprofc_status capture_check_out(const char *folder, pprofc_error *error) {
  DIR *dir = opendir(folder);
  bool empty = true;
  if (!dir && errno == ENOENT) return PPROFC_OK;
  if (!dir) return capture_io_error(error, folder);
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
    empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  closedir(dir);
  if (empty) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "'%s' is not empty; a capture is a folder of its own",
                   folder);
}

/* ---- the manifest ------------------------------------ */

/* "head/heap/heap-001.pb.gz"; rounds of each part count from 1. */
static void capture_name(const struct capture *capture, const struct capture_item *item,
                         char out[128]) {
  const char *kind = remote_kinds[item->kind].name;
  size_t number = item->round + 1 - (item->warmup ? 0 : (size_t)capture->options->warmup);
  snprintf(out, 128, "%s%s/%s/%s-%03zu.pb.gz", item->warmup ? "warmup/" : "",
           capture_sides[item->side], kind, kind, number);
}

static void capture_json_item(struct json_writer *json, const struct capture *capture,
                              const struct capture_item *item) {
  pprofc_header header;
  char name[128];
  capture_name(capture, item, name);
  pprofc_profile_header(item->profile, &header);
  json_line_break(json);
  json_begin_object(json);
  json_key(json, "file");
  json_text(json, name);
  json_key(json, "side");
  json_text(json, capture_sides[item->side]);
  json_key(json, "kind");
  json_text(json, remote_kinds[item->kind].name);
  json_key(json, "round");
  json_uint(json, item->round + 1);
  json_key(json, "warmup");
  json_bool(json, item->warmup);
  json_key(json, "time_nanos");
  json_int(json, header.time_nanos);
  json_end(json);
}

static void capture_json_missing(struct json_writer *json, const struct capture *capture) {
  json_key(json, "missing");
  json_begin_array(json);
  for (int side = 0; side < CAPTURE_SIDES; side++)
    for (size_t k = 0; k < REMOTE_KINDS; k++) {
      char name[64];
      if (!capture->missing[side][k]) continue;
      snprintf(name, sizeof name, "%s/%s", capture_sides[side], remote_kinds[k].name);
      json_text(json, name);
    }
  json_end(json);
}

static bool capture_put_manifest(const struct capture *capture, struct output *out) {
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_begin_object(&json);
  json_key(&json, "version");
  json_int(&json, 1);
  json_key(&json, "profiles");
  json_begin_array(&json);
  for (size_t i = 0; i < capture->count; i++) capture_json_item(&json, capture, &capture->items[i]);
  json_end(&json);
  capture_json_missing(&json, capture);
  json_end(&json);
  output_add_char(out, '\n');
  return json_finish(&json);
}

static pprofc_status capture_write_manifest(const struct capture *capture, const char *path,
                                            pprofc_error *error) {
  struct outfile file;
  struct output out;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  output_init(&out, outfile_write, &file);
  if (!capture_put_manifest(capture, &out)) status = error_nomem(error);
  if (output_flush(&out, NULL) != PPROFC_OK && status == PPROFC_OK)
    status = capture_io_error(error, path);
  if (status == PPROFC_OK) return outfile_commit(&file, error);
  outfile_discard(&file);
  return status;
}

/* ---- the folder -------------------------------------- */

static pprofc_status capture_write_item(const struct capture *capture, const char *folder,
                                        const struct capture_item *item, pprofc_error *error) {
  char name[128], path[LONGER];
  capture_name(capture, item, name);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  if (!files_make_folders(path)) return capture_io_error(error, path);
  *slash = '/';
  return pprofc_profile_write_file(item->profile, path, error);
}

/* Makes a folder beside that of -out; `made` has room for its name. */
static pprofc_status capture_make_folder(const char *folder, char made[ROOM], pprofc_error *error) {
  size_t size = strlen(folder);
  while (size > 1 && folder[size - 1] == '/') size--;
  int length = snprintf(made, ROOM, "%.*s.XXXXXX", (int)size, folder);
  if (length < 0 || length >= ROOM)
    return error_set(error, PPROFC_E_INVALID, "the name of -out is too long");
  if (!mkdtemp(made)) return capture_io_error(error, folder);
  mode_t mask = umask(0);
  umask(mask);
  return chmod(made, 0777 & ~mask) == 0 ? PPROFC_OK : capture_io_error(error, made);
}

static pprofc_status capture_write_folder(const struct capture *capture, pprofc_error *error) {
  const char *folder = capture->options->out;
  char made[ROOM], path[LONGER];
  pprofc_status status = capture_make_folder(folder, made, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < capture->count && status == PPROFC_OK; i++)
    status = capture_write_item(capture, made, &capture->items[i], error);
  snprintf(path, sizeof path, "%s/" MANIFEST, made);
  if (status == PPROFC_OK) status = capture_write_manifest(capture, path, error);
  if (status == PPROFC_OK && rename(made, folder) != 0) status = capture_io_error(error, folder);
  if (status != PPROFC_OK) files_remove_tree(made);
  return status;
}

/* Everything is in memory already: a signal waits for the moments that writing takes. */
pprofc_status capture_write(const struct capture *capture, pprofc_error *error) {
  sigset_t wait, before;
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond a limit is an error of the write */
  sigemptyset(&wait);
  sigaddset(&wait, SIGINT);
  sigaddset(&wait, SIGTERM);
  sigaddset(&wait, SIGHUP);
  sigprocmask(SIG_BLOCK, &wait, &before);
  pprofc_status status = capture_write_folder(capture, error);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return status;
}
