/* Keeps the profiles of the server: reads, selects and compares them. */
#include "steps.h"
#include "web/state_parts.h"

#include "pprofc/transform.h"
#include "profile/profile.h"
#include "transform/combine/diff.h"
#include "transform/transform.h"

/* ---- profiles ---------------------------------------- */

void state_release(struct state_profile *p) {
  if (!p || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (p->totals) mem_free(&mem_default, p->totals, p->profile->type_count, sizeof *p->totals);
  pprofc_profile_release(p->profile);
  state_free_runs(p);
  text_free(p->name);
  text_free(p->source);
  mem_free(&mem_default, p, 1, sizeof *p);
}

struct state_profile *state_retain(struct state_profile *p) {
  if (p) __atomic_add_fetch(&p->references, 1, __ATOMIC_RELAXED);
  return p;
}

struct state_profile *state_new(const char *name, const char *source, pprofc_profile *profile) {
  struct state_profile *p = mem_zero_array(&mem_default, 1, sizeof *p);
  if (!p) {
    pprofc_profile_release(profile);
    return NULL;
  }
  *p = (struct state_profile){.references = 1,
                              .name = text_copy(str_of(name)),
                              .source = text_copy(str_of(source)),
                              .sources = 1,
                              .profile = profile};
  profile->disposable = false; /* Requests share this profile and must not modify it. */
  if (p->name && p->source) return p;
  state_release(p);
  return NULL;
}

/* Removes a profile if the list of profiles is full. This is the oldest profile that is neither the
 * default head nor the default base. */
static void state_make_room(struct web_state *s) {
  size_t i = 0;
  if (s->count < STATE_PROFILES_MAX) return;
  while (i + 1 < s->count && (s->profiles[i]->id == s->head || s->profiles[i]->id == s->base)) i++;
  state_release(s->profiles[i]);
  memmove(s->profiles + i, s->profiles + i + 1, (s->count - i - 1) * sizeof *s->profiles);
  s->count--;
}

/* Adds a profile, and takes ownership of it. Returns its id. Returns 0 if the profile is NULL. */
static unsigned state_add(struct web_state *s, struct state_profile *p) {
  if (!p) return 0;
  state_make_room(s);
  p->id = ++s->next_id;
  s->profiles[s->count++] = p;
  return p->id;
}

struct state_profile *state_find(const struct web_state *s, unsigned id) {
  for (size_t i = 0; i < s->count; i++)
    if (s->profiles[i]->id == id) return s->profiles[i];
  for (size_t i = 0; i < s->ring.count; i++)
    if (id && s->ring.items[i].shown.id == id) return s->ring.items[i].profile;
  return NULL;
}

/* ---- loading ----------------------------------------- */

/* Returns the file name in a path. If the path `other` has the same file name, includes the folders
 * in which the paths differ: "base/cpu.prof" and "head/cpu.prof". */
static pprofc_str state_distinct(const char *path, const char *other) {
  pprofc_str base = str_path_base(str_of(path));
  if (!other || strcmp(path, other) == 0 || !str_equal(base, str_path_base(str_of(other))))
    return base;
  size_t at = strlen(path), end = strlen(other);
  while (at && end && path[at - 1] == other[end - 1]) at--, end--;
  if (at && path[at - 1] == '/') at--;
  while (at && path[at - 1] != '/') at--;
  return str_of(path + at);
}

void state_short_name(char *out, size_t size, const char *first, const char *other, size_t count) {
  pprofc_str base = state_distinct(first, other);
  if (strcmp(first, "-") == 0) base = STR("standard input");
  if (count > 1)
    snprintf(out, size, "%.*s and %zu more", STR_ARG(base), count - 1);
  else
    snprintf(out, size, "%.*s", STR_ARG(base));
}

void state_free_loaded(struct state_loaded *l) {
  state_release(l->head);
  state_release(l->base);
  pprofc_profile_release(l->difference);
  *l = (struct state_loaded){NULL, NULL, NULL};
}

/* Marks the head as a profile given on the command line. Stores the number of files that were added
 * up to get head and base. */
static void state_note_sources(struct state_loaded *l, size_t heads, size_t bases) {
  if (l->head) {
    l->head->is_command = true;
    l->head->sources = heads;
  }
  if (!l->base) return;
  l->base->sources = bases;
  l->base->is_bases = bases > 1;
}

pprofc_status state_read(const struct command *from, const char **sources, size_t count,
                         struct state_loaded *l, pprofc_error *error) {
  struct command command = *from;
  struct sources sides;
  char name[256];
  *l = (struct state_loaded){NULL, NULL, NULL};
  command.sources = sources;
  command.source_count = count;
  if (state_has_runs(&command)) return state_read_runs(&command, l, error);
  pprofc_status status = sources_get(&command, true, &sides, error);
  if (status != PPROFC_OK) return status;
  pprofc_profile *profile = sides.combined;
  if (!sides.base) pprofc_profile_release(sides.head);
  profile->disposable = false;
  const char *base = *command.base ? command.base : command.diff_base;
  state_short_name(name, sizeof name, sources[0], base, count);
  pprofc_profile *head = sides.base ? sides.head : profile;
  l->head = state_new(name, count == 1 ? sources[0] : "", head);
  if (sides.base) {
    state_short_name(name, sizeof name, base, sources[0], 1);
    l->base = state_new(name, command.bases.count == 1 ? base : "", sides.base);
    l->difference = profile;
  }
  state_note_sources(l, count, command.bases.count);
  if (l->head && (l->base || !l->difference)) return PPROFC_OK;
  state_free_loaded(l);
  return error_nomem(error);
}

void state_show(struct web_state *s, struct state_loaded *l) {
  s->head = state_add(s, l->head);
  s->base = l->base ? state_add(s, l->base) : s->named_base;
  if (l->difference && !l->head->run_count && state_by_time(s->command, l->head, l->base)) {
    /* Drop this difference of totals, because the page compares values per second. */
    pprofc_profile_release(l->difference);
    l->difference = NULL;
  }
  if (l->difference) {
    pprofc_profile_release(s->pairs[0].difference);
    s->pairs[0] = (struct state_pair){s->head, s->base, l->difference, ++s->time};
  }
  *l = (struct state_loaded){NULL, NULL, NULL};
  s->news.generation++;
  s->epoch++;
}

/* True for a source of the form NAME=FILE if FILE exists, and no file is named "NAME=FILE". Sets
 * *file to FILE. */
static bool state_is_named(const char *source, const char **file) {
  struct stat info;
  const char *equal = strchr(source, '=');
  *file = equal ? equal + 1 : source;
  return equal && equal != source && stat(source, &info) != 0 && stat(*file, &info) == 0;
}

static pprofc_status state_read_named(struct web_state *s, const char *source, const char *file,
                                      unsigned *id, pprofc_error *error) {
  struct command command = command_without_base(s->command);
  struct state_loaded loaded;
  pprofc_status status = state_read(&command, &file, 1, &loaded, error);
  if (status != PPROFC_OK) return status;
  char *name = text_copy((pprofc_str){source, (size_t)(file - 1 - source)});
  if (name) {
    text_free(loaded.head->name);
    loaded.head->name = name;
  }
  loaded.head->is_command = false;
  *id = state_add(s, loaded.head);
  return PPROFC_OK;
}

/* Reads the sources that have the form NAME=FILE, and stores the ids of the first two in `ids`.
 * Adds the sources without NAME= to s->sources, and does not read them. */
static pprofc_status state_split(struct web_state *s, unsigned ids[2], pprofc_error *error) {
  const struct command *command = s->command;
  size_t named = 0;
  for (size_t i = 0; i < command->source_count; i++) {
    const char *file;
    unsigned id = 0;
    if (!state_is_named(command->sources[i], &file)) {
      s->sources[s->source_count++] = command->sources[i];
      continue;
    }
    pprofc_status status = state_read_named(s, command->sources[i], file, &id, error);
    if (status != PPROFC_OK) return status;
    if (named < 2) ids[named++] = id;
  }
  return PPROFC_OK;
}

/* Reads all sources. The first source NAME=FILE is the base, and the second is the head. If there
 * are sources without NAME=, the head is the sum of these sources instead. */
static pprofc_status state_read_all(struct web_state *s, pprofc_error *error) {
  const struct command *command = s->command;
  unsigned ids[2] = {0, 0};
  struct state_loaded loaded;
  s->sources = mem_array(&mem_default, command->source_count, sizeof *s->sources);
  if (!s->sources) return error_nomem(error);
  pprofc_status status = state_split(s, ids, error);
  if (status != PPROFC_OK) return status;
  if (command->diff_time_range.to && s->source_count < command->source_count)
    return error_set(error, PPROFC_E_INVALID,
                     "-diff_time_range cannot be combined with sources NAME=FILE");
  bool compared = *command->base || *command->diff_base;
  if (!compared && (ids[1] || s->source_count)) s->named_base = ids[0];
  if (!s->source_count) {
    s->base = s->named_base;
    s->head = ids[s->named_base ? 1 : 0];
    s->news.generation = 1;
    return PPROFC_OK;
  }
  status = state_read(command, s->sources, s->source_count, &loaded, error);
  if (status == PPROFC_OK) state_show(s, &loaded);
  return status;
}

pprofc_status state_drop(struct web_state *s, const char *name, pprofc_str data, unsigned *id,
                         pprofc_error *error) {
  static const struct open_sums sums = {.each = true, .times = true};
  pprofc_read_options options;
  pprofc_profile *profile;
  char shown[256];
  pprofc_read_options_init(&options);
  options.limits = &s->command->limits;
  options.allocator = budget_allocator(s->command->budget);
  options.call_stacks = s->command->call_stacks;
  state_short_name(shown, sizeof shown, *name ? name : "dropped file", NULL, 1);
  pprofc_status status = open_memory(data.data, data.size, &options, &sums, &profile, error);
  if (status != PPROFC_OK) return status;
  status = time_range_select(s->command, false, shown, NULL, &profile, error);
  if (status == PPROFC_OK) status = benchmarks_select(s->command, shown, &profile, error);
  if (status == PPROFC_OK) status = sources_finish(s->command, &profile, error);
  if (status != PPROFC_OK) {
    pprofc_profile_release(profile);
    return status;
  }
  struct state_profile *p = state_new(shown, "", profile);
  pthread_mutex_lock(&s->lock);
  *id = state_add(s, p);
  s->epoch++;
  pthread_mutex_unlock(&s->lock);
  return *id ? PPROFC_OK : error_nomem(error);
}

pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error) {
  struct web_state *s = mem_zero_array(&mem_default, 1, sizeof *s);
  if (!s) return error_nomem(error);
  s->command = command;
  pthread_mutex_init(&s->lock, NULL);
  if (command->every_ms)
    command->no_save = true; /* Saved copies of all recordings would fill the disk. */
  pprofc_status status = state_read_all(s, error);
  state_begin_watch(s);
  if (status == PPROFC_OK && command->every_ms && !state_begin_recording(s))
    status = error_nomem(error);
  if (status == PPROFC_OK)
    *state = s;
  else
    state_free(s);
  return status;
}

void state_free(struct web_state *s) {
  if (!s) return;
  state_free_loaded(&s->pending);
  state_free_ring(s);
  for (size_t i = 0; i < s->count; i++) state_release(s->profiles[i]);
  for (size_t i = 0; i < STATE_PAIRS; i++) pprofc_profile_release(s->pairs[i].difference);
  mem_free(&mem_default, s->sources, s->command->source_count, sizeof *s->sources);
  pthread_mutex_destroy(&s->lock);
  mem_free(&mem_default, s, 1, sizeof *s);
}

/* ---- selection of profiles --------------------------- */

static pprofc_status state_take(struct web_state *s, const struct web_query *query,
                                const char *parameter, unsigned initial,
                                struct state_profile **profile, pprofc_error *error) {
  const char *text = web_query_get(query, parameter);
  uint64_t id = initial;
  if (strcmp(text, "none") == 0) {
    id = 0;
  } else if (*text && !str_parse_uint(str_of(text), 10, &id)) {
    return error_set(error, PPROFC_E_INVALID, "no profile \"%s\"", text);
  }
  *profile = id && id <= UINT32_MAX ? state_retain(state_find(s, (unsigned)id)) : NULL;
  if (*profile) state_use_recording(s, (*profile)->id);
  if (*profile || !id) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "profile %llu no longer exists%s",
                   (unsigned long long)id,
                   s->command->every_ms ? "; a pinned recording stays" : "");
}

static pprofc_status state_choose_side(const struct web_query *query, struct state_choice *c,
                                       pprofc_error *error) {
  static const char *const names[] = {
      [WEB_HEAD] = "head", [WEB_BASE] = "base", [WEB_DIFF] = "diff", NULL};
  const char *side = web_query_get(query, "side");
  c->side = c->base ? WEB_DIFF : WEB_HEAD;
  if (!*side || !c->base) return PPROFC_OK;
  int index = str_index(str_of(side), names);
  if (index >= 0) c->side = (enum web_side)index;
  if (index >= 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the side \"%s\" is not base, head or diff", side);
}

/* Returns the stored difference of the profiles, or NULL. The caller releases the difference. */
static pprofc_profile *state_known_pair(struct web_state *s, const struct state_choice *c) {
  for (size_t i = 0; i < STATE_PAIRS; i++) {
    struct state_pair *pair = &s->pairs[i];
    if (!pair->difference || pair->head != c->head->id || pair->base != c->base->id) continue;
    pair->used = ++s->time;
    return pprofc_profile_retain(pair->difference);
  }
  return NULL;
}

/* Stores a difference in place of the difference whose last use is longest ago. */
static void state_keep_pair(struct web_state *s, const struct state_choice *c) {
  struct state_pair *oldest = &s->pairs[0];
  for (size_t i = 1; i < STATE_PAIRS; i++)
    if (s->pairs[i].used < oldest->used) oldest = &s->pairs[i];
  pprofc_profile_release(oldest->difference);
  *oldest = (struct state_pair){c->head->id, c->base->id, pprofc_profile_retain(c->difference),
                                ++s->time};
}

static pprofc_status state_compare(struct web_state *s, const pprofc_allocator *mem,
                                   struct state_choice *c, pprofc_error *error) {
  pprofc_status status =
      state_subtract(s->command, c->head, c->base, c->mean, mem, &c->difference, error);
  if (status != PPROFC_OK) return budget_status(mem, status, error);
  if (c->mean) return PPROFC_OK;
  pthread_mutex_lock(&s->lock);
  state_keep_pair(s, c);
  pthread_mutex_unlock(&s->lock);
  return PPROFC_OK;
}

/* Copies the chosen profiles for a request. The copies share their data with the originals. */
static pprofc_status state_lend(const struct command *command, struct state_choice *c,
                                const pprofc_allocator *mem, pprofc_error *error) {
  const pprofc_profile *sides[] = {[WEB_HEAD] = c->head->profile,
                                   [WEB_BASE] = c->base ? c->base->profile : NULL,
                                   [WEB_DIFF] = c->difference};
  c->shown = profile_lend(sides[c->side], mem);
  if (c->base) c->lent[0] = profile_lend(c->base->profile, mem);
  if (c->base) c->lent[1] = profile_lend(c->head->profile, mem);
  bool all = c->shown && (!c->base || (c->lent[0] && c->lent[1]));
  if (!all) return error_nomem(error);
  if (!command->report.normalize || c->side != WEB_DIFF) return PPROFC_OK;
  return transform_normalize(c->lent[1], c->lent[0], &c->scaled, error);
}

/* Parses a time range. A number without a unit means nanoseconds. */
static pprofc_status state_read_range(const char *from, const char *to, struct time_range *range,
                                      pprofc_error *error) {
  static const struct flag flag = {.offset = 0};
  const char *units[] = {"", ""}, *times[] = {from, to};
  char text[160];
  for (size_t i = 0; i < 2; i++)
    if (*times[i] && strspn(times[i], "0123456789") == strlen(times[i])) units[i] = "ns";
  int size = snprintf(text, sizeof text, "%s%s,%s%s", from, units[0], to, units[1]);
  const char *problem = "it is too long";
  if (size > 0 && (size_t)size < sizeof text) problem = time_range_store(range, &flag, text);
  if (!problem) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the range of time t0, t1 is not valid: %s", problem);
}

/* Restricts the displayed profile to the time range that the query selects. */
static pprofc_status state_limit(const struct web_query *query, struct state_choice *c,
                                 pprofc_error *error) {
  const char *from = web_query_get(query, "t0"), *to = web_query_get(query, "t1");
  pprofc_profile *limited;
  if ((!*from && !*to) || c->side == WEB_DIFF || !c->shown->times) return PPROFC_OK;
  pprofc_status status = state_read_range(from, to, &c->range, error);
  if (status == PPROFC_OK) status = transform_time_range(c->shown, c->range, &limited, error);
  if (status != PPROFC_OK) return status;
  pprofc_profile_release(c->shown);
  c->shown = limited;
  return PPROFC_OK;
}

/* Sets the head and base that the query selects. Also sets their difference if it is stored. */
static pprofc_status state_take_sides(struct web_state *s, const struct web_query *query,
                                      struct state_choice *c, pprofc_error *error) {
  pprofc_status status = state_take(s, query, "head", s->head, &c->head, error);
  if (status == PPROFC_OK && !c->head) status = state_take(s, query, "", s->head, &c->head, error);
  if (status == PPROFC_OK) status = state_take(s, query, "base", s->base, &c->base, error);
  if (status == PPROFC_OK) status = state_choose_side(query, c, error);
  if (status != PPROFC_OK || c->mean) return status;
  c->by_time = state_by_time(s->command, c->head, c->base);
  if (c->side == WEB_DIFF) c->difference = state_known_pair(s, c);
  return PPROFC_OK;
}

pprofc_status state_choose(struct web_state *s, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *c,
                           pprofc_error *error) {
  pprofc_report_options options = s->command->report;
  pprofc_status status = web_query_options(query, &options, error);
  *c = (struct state_choice){.side = WEB_HEAD, .mean = options.mean};
  if (status != PPROFC_OK) return status;
  pthread_mutex_lock(&s->lock);
  status = state_take_sides(s, query, c, error);
  pthread_mutex_unlock(&s->lock);
  if (status == PPROFC_OK && c->side == WEB_DIFF && !c->difference)
    status = state_compare(s, mem, c, error);
  if (status == PPROFC_OK) status = state_lend(s->command, c, mem, error);
  return status == PPROFC_OK ? state_limit(query, c, error) : status;
}

void state_choice_free(struct state_choice *c) {
  state_release(c->head);
  state_release(c->base);
  pprofc_profile_release(c->difference);
  pprofc_profile_release(c->shown);
  for (size_t i = 0; i < 2; i++) pprofc_profile_release(c->lent[i]);
  pprofc_profile_release(c->scaled);
  *c = (struct state_choice){.side = WEB_HEAD};
}

size_t state_list(struct web_state *s, struct state_profile *profiles[STATE_PROFILES_MAX]) {
  pthread_mutex_lock(&s->lock);
  size_t count = s->count;
  for (size_t i = 0; i < count; i++) profiles[i] = state_retain(s->profiles[i]);
  pthread_mutex_unlock(&s->lock);
  return count;
}

void state_news(struct web_state *s, struct state_news *news) {
  pthread_mutex_lock(&s->lock);
  *news = s->news;
  pthread_mutex_unlock(&s->lock);
}

uint64_t state_epoch(struct web_state *s) {
  pthread_mutex_lock(&s->lock);
  uint64_t epoch = s->epoch;
  pthread_mutex_unlock(&s->lock);
  return epoch;
}
