/* Profiles: reading, choosing, comparing. */
#include "web/state.h"

#include "core/mem.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "sources.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Differences of two profiles that were asked for, by their ids. */
#define STATE_PAIRS 4

struct state_pair {
  unsigned head, base;
  pprofc_profile *difference;
  uint64_t used; /* when */
};

struct web_state {
  struct command *command;
  pthread_mutex_t lock;
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t count;
  unsigned next_id;
  unsigned head, base; /* ids of what is shown when nothing is chosen; base 0: none */
  struct state_pair pairs[STATE_PAIRS];
  uint64_t generation, time;
};

/* ---- profiles ---------------------------------------- */

void state_release(struct state_profile *p) {
  if (!p || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  pprofc_profile_release(p->profile);
  free(p->name);
  free(p->source);
  mem_free(&mem_default, p, 1, sizeof *p);
}

static struct state_profile *state_retain(struct state_profile *p) {
  if (p) __atomic_add_fetch(&p->references, 1, __ATOMIC_RELAXED);
  return p;
}

/* Adds a profile and takes it over; returns its id, 0 when out of memory or room. */
static unsigned state_add(struct web_state *s, const char *name, const char *source,
                          pprofc_profile *profile) {
  struct state_profile *p = mem_zero_array(&mem_default, 1, sizeof *p);
  if (p) *p = (struct state_profile){1, 0, strdup(name), strdup(source), profile};
  if (!p || !p->name || !p->source || s->count == STATE_PROFILES_MAX) {
    if (p)
      state_release(p);
    else
      pprofc_profile_release(profile);
    return 0;
  }
  profile->disposable = false; /* many reports are made of it */
  p->id = ++s->next_id;
  s->profiles[s->count++] = p;
  return p->id;
}

static struct state_profile *state_find(const struct web_state *s, unsigned id) {
  for (size_t i = 0; i < s->count; i++)
    if (s->profiles[i]->id == id) return s->profiles[i];
  return NULL;
}

/* ---- loading ----------------------------------------- */

/* "cpu.prof" of "/tmp/cpu.prof"; of several sources the first and how many follow. */
static void state_short_name(char *out, size_t size, const char *first, size_t count) {
  pprofc_str base = str_path_base(str_of(first));
  if (strcmp(first, "-") == 0) base = STR("standard input");
  if (count > 1)
    snprintf(out, size, "%.*s and %zu more", STR_ARG(base), count - 1);
  else
    snprintf(out, size, "%.*s", STR_ARG(base));
}

static pprofc_status state_read(struct web_state *s, pprofc_error *error) {
  struct command command = *s->command;
  struct sources sides;
  char name[256];
  pprofc_status status = sources_fetch_apart(&command, &sides, error);
  if (status != PPROFC_OK) return status;
  pprofc_profile *profile = sides.combined;
  const char *base = *command.base ? command.base : command.diff_base;
  state_short_name(name, sizeof name, command.sources[0], command.source_count);
  if (!sides.base) {
    pprofc_profile_release(sides.head);
    s->head = state_add(s, name, command.sources[0], profile);
    return s->head ? PPROFC_OK : error_nomem(error);
  }
  s->head = state_add(s, name, command.sources[0], sides.head);
  state_short_name(name, sizeof name, base, 1);
  s->base = state_add(s, name, base, sides.base);
  profile->disposable = false;
  s->pairs[0] = (struct state_pair){s->head, s->base, profile, 0};
  return s->head && s->base ? PPROFC_OK : error_nomem(error);
}

pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error) {
  struct web_state *s = mem_zero_array(&mem_default, 1, sizeof *s);
  if (!s) return error_nomem(error);
  s->command = command;
  s->generation = 1;
  pthread_mutex_init(&s->lock, NULL);
  pprofc_status status = state_read(s, error);
  if (status == PPROFC_OK)
    *state = s;
  else
    state_free(s);
  return status;
}

void state_free(struct web_state *s) {
  if (!s) return;
  for (size_t i = 0; i < s->count; i++) state_release(s->profiles[i]);
  for (size_t i = 0; i < STATE_PAIRS; i++) pprofc_profile_release(s->pairs[i].difference);
  pthread_mutex_destroy(&s->lock);
  mem_free(&mem_default, s, 1, sizeof *s);
}

/* ---- choosing ---------------------------------------- */

/* The profile that a parameter names, retained. */
static pprofc_status state_take(struct web_state *s, const struct web_query *query,
                                const char *parameter, unsigned initial,
                                struct state_profile **profile, pprofc_error *error) {
  const char *text = web_query_get(query, parameter);
  uint64_t id = initial;
  if (strcmp(text, "none") == 0) {
    id = 0;
  } else if (*text && !str_parse_uint(str_of(text), 10, &id)) {
    return error_set(error, PPROFC_E_INVALID, "there is no profile \"%s\"", text);
  }
  *profile = id && id <= UINT32_MAX ? state_retain(state_find(s, (unsigned)id)) : NULL;
  if (*profile || !id) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "there is no profile %llu any more",
                   (unsigned long long)id);
}

static pprofc_status state_choose_side(const struct web_query *query, struct state_choice *c,
                                       pprofc_error *error) {
  static const char *const names[] = {
      [WEB_HEAD] = "head", [WEB_BASE] = "base", [WEB_DIFF] = "diff"};
  const char *side = web_query_get(query, "side");
  c->side = c->base ? WEB_DIFF : WEB_HEAD;
  if (!*side || !c->base) return PPROFC_OK;
  for (int i = WEB_HEAD; i <= WEB_DIFF; i++)
    if (strcmp(side, names[i]) == 0) {
      c->side = (enum web_side)i;
      return PPROFC_OK;
    }
  return error_set(error, PPROFC_E_INVALID, "the side \"%s\" is none of base, head, diff", side);
}

/* The difference of the chosen two when it is known, retained. */
static pprofc_profile *state_known_pair(struct web_state *s, const struct state_choice *c) {
  for (size_t i = 0; i < STATE_PAIRS; i++) {
    struct state_pair *pair = &s->pairs[i];
    if (!pair->difference || pair->head != c->head->id || pair->base != c->base->id) continue;
    pair->used = ++s->time;
    return pprofc_profile_retain(pair->difference);
  }
  return NULL;
}

/* Keeps a difference in place of the one that was used longest ago. */
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
  pprofc_diff_kind kind = *s->command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  pprofc_profile *head = profile_lend(c->head->profile, mem);
  pprofc_profile *base = profile_lend(c->base->profile, mem);
  pprofc_status status = head && base ? pprofc_diff(head, base, kind, s->command->report.normalize,
                                                    &c->difference, error)
                                      : error_nomem(error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  if (status != PPROFC_OK) return budget_status(mem, status, error);
  pthread_mutex_lock(&s->lock);
  state_keep_pair(s, c);
  pthread_mutex_unlock(&s->lock);
  return PPROFC_OK;
}

pprofc_status state_choose(struct web_state *s, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *c,
                           pprofc_error *error) {
  *c = (struct state_choice){.side = WEB_HEAD};
  pthread_mutex_lock(&s->lock);
  pprofc_status status = state_take(s, query, "head", s->head, &c->head, error);
  if (status == PPROFC_OK && !c->head) status = state_take(s, query, "", s->head, &c->head, error);
  if (status == PPROFC_OK) status = state_take(s, query, "base", s->base, &c->base, error);
  if (status == PPROFC_OK) status = state_choose_side(query, c, error);
  if (status == PPROFC_OK && c->side == WEB_DIFF) c->difference = state_known_pair(s, c);
  pthread_mutex_unlock(&s->lock);
  if (status != PPROFC_OK || c->side != WEB_DIFF || c->difference) return status;
  return state_compare(s, mem, c, error);
}

void state_choice_free(struct state_choice *c) {
  state_release(c->head);
  state_release(c->base);
  pprofc_profile_release(c->difference);
  *c = (struct state_choice){.side = WEB_HEAD};
}

/* ---- looking ----------------------------------------- */

size_t state_list(struct web_state *s, struct state_profile *profiles[STATE_PROFILES_MAX]) {
  pthread_mutex_lock(&s->lock);
  size_t count = s->count;
  for (size_t i = 0; i < count; i++) profiles[i] = state_retain(s->profiles[i]);
  pthread_mutex_unlock(&s->lock);
  return count;
}

uint64_t state_generation(struct web_state *s) {
  pthread_mutex_lock(&s->lock);
  uint64_t generation = s->generation;
  pthread_mutex_unlock(&s->lock);
  return generation;
}
