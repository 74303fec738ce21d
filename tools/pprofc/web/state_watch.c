/* Watches files and folders. Reads changed files in advance, while the page still shows the old
 * versions. */
#include "web/state_parts.h"

#include "noise/noise.h"

/* Returns a number that changes when the file changes. Returns 0 if it is not a regular file. */
static uint64_t state_stamp_file(int folder, const char *name) {
  struct stat info;
  if (fstatat(folder, name, &info, 0) != 0 || !S_ISREG(info.st_mode)) return 0;
  return system_stamp(&info);
}

/* Returns a number that changes when a file in the folder changes. Ignores hidden files. Does not
 * depend on the order in which readdir lists the files. */
static uint64_t state_stamp_folder(DIR *folder) {
  uint64_t stamp = 1;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.')
      stamp += state_stamp_file(dirfd(folder), entry->d_name) * 0x9E3779B97F4A7C15u;
  return stamp;
}

/* Returns a number that changes when the file or folder at a path changes. Returns 0 if there is no
 * such file. */
static uint64_t state_stamp_of(const char *path) {
  DIR *folder = runs_is_folder(path) ? opendir(path) : NULL;
  if (!folder) return state_stamp_file(AT_FDCWD, path);
  uint64_t stamp = state_stamp_folder(folder);
  closedir(folder);
  return stamp;
}

/* Returns a number that changes when any watched file changes. */
static uint64_t state_stamp(const struct web_state *s) {
  const struct command *c = s->command;
  uint64_t stamp = 0;
  for (size_t i = 0; i < c->bases.count; i++)
    stamp = stamp * 0x9E3779B97F4A7C15u + state_stamp_of(c->bases.items[i]);
  for (size_t i = 0; i < s->source_count; i++)
    stamp = stamp * 0x9E3779B97F4A7C15u + state_stamp_of(s->sources[i]);
  return stamp;
}

/* Formats "cpu.prof changed at 12:03". */
static void state_note_change(struct web_state *s, char *clock, size_t clock_size, char *text,
                              size_t size) {
  char name[256];
  time_t now = time(NULL);
  struct tm local;
  *clock = '\0';
  if (localtime_r(&now, &local)) strftime(clock, clock_size, "%H:%M", &local);
  state_short_name(name, sizeof name, s->sources[0], NULL, s->source_count);
  snprintf(text, size, "%s changed at %s", name, clock);
}

/* Stores the new profiles until the user loads them. Takes ownership of the profiles. */
static void state_offer(struct web_state *s, const struct state_loaded *loaded) {
  pthread_mutex_lock(&s->lock);
  struct state_loaded old = s->pending;
  s->pending = *loaded;
  s->epoch++;
  state_note_change(s, s->pending_clock, sizeof s->pending_clock, s->news.pending,
                    sizeof s->news.pending);
  *s->news.broken = '\0';
  pthread_mutex_unlock(&s->lock);
  state_free_loaded(&old);
}

/* Stores why a changed file is unreadable. */
static void state_refuse(struct web_state *s, const char *why) {
  char clock[16], text[320];
  pthread_mutex_lock(&s->lock);
  s->epoch++;
  state_note_change(s, clock, sizeof clock, text, sizeof text);
  snprintf(s->news.broken, sizeof s->news.broken, "%s: %s", text, why);
  pthread_mutex_unlock(&s->lock);
}

static bool state_is_gone(const struct web_state *s) {
  for (size_t i = 0; i < s->source_count; i++)
    if (!state_stamp_of(s->sources[i])) return true;
  return false;
}

void state_begin_watch(struct web_state *s) {
  s->seen = s->read = state_stamp(s);
  s->watched = s->source_count && !state_is_gone(s);
}

void state_watch(struct web_state *s) {
  struct state_loaded loaded;
  pprofc_error error;
  uint64_t stamp = state_stamp(s);
  /* Wait until two checks see the same state, because another program may still be writing the
   * file. */
  bool rests = stamp == s->seen;
  s->seen = stamp;
  if (!s->watched || !rests || stamp == s->read) return;
  s->read = stamp;
  if (state_is_gone(s)) {
    state_refuse(s, "the file no longer exists");
    return;
  }
  pprofc_status status = state_read(s->command, s->sources, s->source_count, &loaded, &error);
  if (state_stamp(s) != stamp) { /* A file changed again while the program read it. */
    if (status == PPROFC_OK) state_free_loaded(&loaded);
    s->read = 0;
    return;
  }
  if (status != PPROFC_OK) {
    state_refuse(s, error.message);
    return;
  }
  state_offer(s, &loaded);
  if (s->command->http_reload == HTTP_RELOAD_AUTO) state_reload(s, &error);
}

/* Renames the profile of the old version, because the new version takes its name. */
static bool state_rename_old(struct web_state *s, unsigned id) {
  struct state_profile *old = state_find(s, id);
  char name[320];
  if (!old) return true;
  snprintf(name, sizeof name, "%s (before %s)", old->name, s->pending_clock);
  struct state_profile *copy = state_new(name, "", pprofc_profile_retain(old->profile));
  if (!copy) return false;
  if (old->run_count && !state_set_runs(copy, old->runs, old->run_count)) {
    state_release(copy);
    return false;
  }
  copy->id = id;
  for (size_t i = 0; i < s->count; i++)
    if (s->profiles[i] == old) s->profiles[i] = copy;
  state_release(old);
  return true;
}

pprofc_status state_reload(struct web_state *s, pprofc_error *error) {
  pthread_mutex_lock(&s->lock);
  bool any = s->pending.head != NULL;
  bool renamed =
      !any || (state_rename_old(s, s->head) && (!s->pending.base || state_rename_old(s, s->base)));
  if (any && renamed) {
    state_show(s, &s->pending);
    *s->news.pending = '\0';
  }
  pthread_mutex_unlock(&s->lock);
  return renamed ? PPROFC_OK : error_nomem(error);
}
