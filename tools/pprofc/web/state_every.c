/* Records the profiles of a service again and again (-every). Keeps the last recordings. */
#include "web/state_parts.h"

#include "pipeline/pipeline.h"
#include "profile/profile.h"

/* Maximum memory of all recordings in bytes. A quarter of -max_memory is a second limit. */
#define RECORDINGS_BYTES ((uint64_t)512 << 20)

/* Maximum wait in milliseconds after failed attempts to record, or -every if that is longer. */
#define PAUSE_MOST_MS 60000

/* A page requests its recordings after each change of the list of recordings. A recording counts as
 * unused after this number of changes without a request. */
#define USE_LASTS 4

static uint64_t every_bytes(const struct web_state *s) {
  uint64_t part = s->command->limits.memory_bytes / 4;
  return part < RECORDINGS_BYTES ? part : RECORDINGS_BYTES;
}

/* Writes "heap at 12:03:05". Removes user, password and query from the URL. */
static void every_name(const struct web_state *s, int64_t now, char *out, size_t size) {
  char clock[16] = "";
  struct tm local;
  pprofc_str text = str_of(s->sources[0]);
  text = str_path_base(str_slice(text, 0, str_find_char(text, '?')));
  size_t user = str_find_last_char(text, '@');
  if (user < text.size) text = str_slice(text, user + 1, text.size);
  if (localtime_r(&(time_t){now}, &local)) strftime(clock, sizeof clock, "%H:%M:%S", &local);
  snprintf(out, size, "%.*s at %s", (int)(text.size < 256 ? text.size : 256), text.data, clock);
}

/* Creates a recording from a profile. The recording's source is "", because no command can read the
 * same profile again. Returns NULL when out of memory. */
static struct state_profile *every_make(const struct web_state *s, pprofc_profile *profile,
                                        int64_t now) {
  char name[320];
  every_name(s, now, name, sizeof name);
  struct state_profile *made = state_new(name, "", pprofc_profile_retain(profile));
  if (!made) return NULL;
  made->sources = s->source_count;
  made->totals = mem_array(&mem_default, profile->type_count, sizeof *made->totals);
  for (size_t i = 0; made->totals && i < profile->type_count; i++)
    made->totals[i] = value_total(profile, i, false);
  if (made->totals || !profile->type_count) return made;
  state_release(made);
  return NULL;
}

static void ring_drop_pairs(struct web_state *s, unsigned id) {
  for (size_t i = 0; i < STATE_PAIRS && id; i++) {
    if (s->pairs[i].head != id && s->pairs[i].base != id) continue;
    pprofc_profile_release(s->pairs[i].difference);
    s->pairs[i] = (struct state_pair){0};
  }
}

/* Removes a recording from the list, and the stored differences that use its profile. */
static void ring_drop(struct web_state *s, size_t index) {
  struct state_ring *ring = &s->ring;
  ring_drop_pairs(s, ring->items[index].shown.id);
  state_release(ring->items[index].profile);
  memmove(ring->items + index, ring->items + index + 1,
          (ring->count - index - 1) * sizeof *ring->items);
  ring->count--;
}

void state_use_recording(struct web_state *s, unsigned id) {
  for (size_t i = 0; i < s->ring.count; i++)
    if (s->ring.items[i].shown.id == id) s->ring.items[i].used = s->news.changes;
}

static bool ring_is_used(const struct web_state *s, size_t index) {
  return s->ring.items[index].used + USE_LASTS > s->news.changes;
}

/* Returns the index of the oldest recording that may be removed. It must not be pinned, and must
 * not be the newest. Prefers recordings that no open page uses. Returns the number of recordings if
 * all must stay. */
static size_t ring_oldest(const struct web_state *s) {
  const struct state_ring *ring = &s->ring;
  size_t found = ring->count;
  for (size_t i = ring->count; i > 0; i--) {
    const struct web_recording *r = &ring->items[i - 1].shown;
    if (r->pinned || r->id == s->head) continue;
    if (found == ring->count || !ring_is_used(s, i - 1) || ring_is_used(s, found)) found = i - 1;
  }
  return found;
}

static void ring_make_room(struct web_state *s, uint64_t bytes) {
  const struct state_ring *ring = &s->ring;
  uint64_t used = bytes, most = every_bytes(s);
  for (size_t i = 0; i < ring->count; i++) used += ring->items[i].shown.bytes;
  while (ring->count == STATE_RECORDINGS_MAX || used > most) {
    size_t oldest = ring_oldest(s);
    if (oldest == ring->count) return;
    used -= ring->items[oldest].shown.bytes;
    ring_drop(s, oldest);
  }
}

/* Adds a recording to the list of recordings, and makes it the default head. Its id is `id`, or the
 * next unused id if `id` is 0. */
static void ring_add(struct web_state *s, struct state_profile *made, unsigned id, uint64_t bytes,
                     int64_t now) {
  struct state_ring *ring = &s->ring;
  made->id = id ? id : ++s->next_id;
  s->head = made->id; /* From now on, ring_make_room may remove the previous head. */
  ring_make_room(s, bytes);
  ring->items[ring->count++] = (struct state_recording){
      .shown = {.id = made->id, .time = now, .bytes = bytes}, .profile = made};
  ring->failures = 0;
  ring->next = 0;
  s->news.changes++;
  s->news.generation++;
  s->epoch++;
}

/* Adds a failed attempt to the list of recordings. If the last attempt also failed, only increments
 * its count. */
static void ring_fail(struct web_state *s, const char *why, int64_t pause_ms, int64_t now) {
  struct state_ring *ring = &s->ring;
  if (!ring->failures) {
    ring_make_room(s, 0);
    ring->items[ring->count++] = (struct state_recording){.shown = {.time = now}};
  }
  struct web_recording *gap = &ring->items[ring->count - 1].shown;
  snprintf(gap->why, sizeof gap->why, "%.*s", (int)sizeof gap->why - 1, why);
  for (char *c = gap->why; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  gap->failures = ++ring->failures;
  ring->next = now + pause_ms / 1000;
  s->news.changes++;
  s->epoch++;
}

void state_free_ring(struct web_state *s) {
  while (s->ring.count) ring_drop(s, s->ring.count - 1);
}

bool state_begin_recording(struct web_state *s) {
  struct state_profile *first = state_find(s, s->head);
  int64_t now = (int64_t)time(NULL);
  /* If all sources have the form NAME=FILE, there is nothing to record. */
  if (!s->source_count) return true;
  struct state_profile *made = every_make(s, first->profile, now);
  if (!made) return false;
  unsigned id = first->id;
  if (first->run_count)
    /* drop the stored differences of means, because a recording is a sum of runs */
    ring_drop_pairs(s, id);
  for (size_t i = 0; i < s->count; i++)
    if (s->profiles[i] == first) s->profiles[i] = s->profiles[--s->count];
  state_release(first);
  ring_add(s, made, id, budget_used(&made->profile->mem), now);
  s->ring.due = system_milliseconds() + s->command->every_ms;
  return true;
}

/* Reads the sources. Uses a separate budget to measure the memory of the profile. */
static pprofc_status every_read(struct web_state *s, struct state_profile **made, uint64_t *bytes,
                                pprofc_error *error) {
  struct command command = command_without_base(s->command);
  struct state_loaded loaded;
  *made = NULL;
  const pprofc_allocator *all = budget_allocator(s->command->budget);
  command.budget = budget_new(all, budget_bytes(all));
  if (!command.budget) return error_nomem(error);
  command.repeats = true;
  command.report.warn = NULL;
  pprofc_status status = state_read(&command, s->sources, s->source_count, &loaded, error);
  const pprofc_allocator *mem = budget_allocator(command.budget);
  status = budget_status(mem, status, error);
  if (status == PPROFC_OK) {
    *bytes = budget_used(mem);
    *made = every_make(s, loaded.head->profile, (int64_t)time(NULL));
    if (!*made) status = error_nomem(error);
    state_free_loaded(&loaded);
  }
  budget_release(command.budget);
  return status;
}

/* Returns the time until the next recording, in milliseconds. This is the interval of -every. Each
 * failed attempt after the first doubles the time, up to PAUSE_MOST_MS. */
static int64_t every_pause(const struct web_state *s, unsigned failures) {
  int64_t every = s->command->every_ms, most = every > PAUSE_MOST_MS ? every : PAUSE_MOST_MS;
  for (unsigned i = 1; i < failures && every < most; i++) every *= 2;
  return every < most ? every : most;
}

bool state_record(struct web_state *s) {
  struct state_profile *made;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  uint64_t bytes = 0;
  unsigned failures = s->ring.failures;
  if (!s->command->every_ms || !s->source_count || system_milliseconds() < s->ring.due)
    return false;
  pprofc_status status = every_read(s, &made, &bytes, &error);
  if (budget_stopped(budget_allocator(s->command->budget))) { /* The program is ending. */
    state_release(made);
    return false;
  }
  int64_t now = (int64_t)time(NULL), pause = every_pause(s, made ? 0 : failures + 1);
  if (!made) limit_flags_name(&error);
  pthread_mutex_lock(&s->lock);
  if (status == PPROFC_OK)
    ring_add(s, made, 0, bytes, now);
  else
    ring_fail(s, error.message, pause, now);
  pthread_mutex_unlock(&s->lock);
  s->ring.due = system_milliseconds() + pause;
  if (!made && !failures) message_error("pprofc: %s", error.message);
  if (made && failures) message_note("pprofc records again");
  return true;
}

bool state_recordings(struct web_state *s, struct state_recordings *copy) {
  const struct state_ring *ring = &s->ring;
  copy->list.count = 0;
  if (!s->command->every_ms) return false;
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < ring->count; i++) {
    struct state_profile *profile = state_retain(ring->items[i].profile);
    copy->profiles[i] = profile;
    copy->items[i] = ring->items[i].shown;
    copy->items[i].profile = profile ? profile->profile : NULL;
    copy->items[i].totals = profile ? profile->totals : NULL;
  }
  copy->list = (struct web_recordings){.items = copy->items,
                                       .count = ring->count,
                                       .most = STATE_RECORDINGS_MAX,
                                       .most_bytes = every_bytes(s),
                                       .newest = s->head,
                                       .changes = s->news.changes,
                                       .every_ms = s->command->every_ms,
                                       .next = ring->next};
  pthread_mutex_unlock(&s->lock);
  return true;
}

void state_recordings_free(struct state_recordings *copy) {
  for (size_t i = 0; i < copy->list.count; i++) state_release(copy->profiles[i]);
  copy->list.count = 0;
}

pprofc_status state_pin(struct web_state *s, unsigned id, bool pinned, pprofc_error *error) {
  struct state_ring *ring = &s->ring;
  struct web_recording *found = NULL;
  size_t pins = 0;
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < ring->count; i++) {
    if (id && ring->items[i].shown.id == id) found = &ring->items[i].shown;
    pins += ring->items[i].shown.pinned;
  }
  bool full = pinned && found && !found->pinned && pins >= STATE_PINNED_MAX;
  if (found && !full) {
    found->pinned = pinned;
    s->news.changes++;
    s->epoch++;
  }
  pthread_mutex_unlock(&s->lock);
  if (!found) return error_set(error, PPROFC_E_INVALID, "recording %u no longer exists", id);
  if (!full) return PPROFC_OK;
  return error_set(error, PPROFC_E_LIMIT, "%d recordings are pinned, the maximum; unpin one first",
                   STATE_PINNED_MAX);
}
