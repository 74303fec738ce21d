/* Finds the current number of a line in a changed file. */
#include "lsp/lsp.h"

void follow_init(struct follow *f) {
  *f = (struct follow){.count = 0};
  buffer_init(&f->base, &mem_default, SIZE_MAX);
}

void follow_free(struct follow *f) {
  ARRAY_FREE(&mem_default, f->hunks, f->capacity);
  buffer_free(&f->base);
}

/* True if the file changed after `time`. Also true if the time of its last change is unknown. */
static bool follow_is_newer(const char *path, int64_t time) {
  struct stat info;
  return time > 0 && (stat(path, &info) != 0 || (int64_t)info.st_mtime > time / 1000000000);
}

static void follow_take(struct follow *f, const struct revisions *r, pprofc_str path) {
  pprofc_str place = revisions_place(r, DIFF_HEAD, path);
  const struct changed_file *file = hunks_file(&r->hunks, DIFF_HEAD, place);
  if (!place.size || (file && !file->base.size)) return;
  buffer_add_str(&f->base, file ? file->base : place);
  if (!file || !ARRAY_RESERVE(&mem_default, f->hunks, f->capacity, file->count)) return;
  memcpy(f->hunks, r->hunks.hunks + file->first, file->count * sizeof *f->hunks);
  f->count = file->count;
}

void follow_read(struct follow *f, const char *path, const char *ref, int64_t time) {
  struct revisions revisions;
  const char *slash = strrchr(path, '/');
  if (*path != '/' || !slash || (!*ref && !follow_is_newer(path, time))) return;
  struct buffer folder = buffer_make(&mem_default, SIZE_MAX);
  buffer_add(&folder, path, (size_t)(slash - path) + 1);
  buffer_add_char(&folder, '\0');
  if (folder.failed) return;
  if (!revisions_open_at(&revisions, folder.data, ref, time / 1000000000, &mem_default, NULL))
    follow_take(f, &revisions, str_of(path));
  revisions_free(&revisions);
  buffer_free(&folder);
}

size_t follow_line(const struct follow *f, size_t line, bool back) {
  int64_t at = (int64_t)line + 1, moved = 0;
  for (size_t i = 0; i < f->count; i++) {
    const struct hunk *h = &f->hunks[i];
    int64_t first = back ? h->head_line : h->base_line;
    int64_t count = back ? h->head_count : h->base_count;
    int64_t others = back ? h->base_count : h->head_count;
    if (at < first) break;
    if (at < first + count) return SIZE_MAX;
    moved += others - count;
  }
  return at + moved > 0 ? (size_t)(at + moved - 1) : SIZE_MAX;
}
