/* What state.c and state_watch.c share. */
#ifndef PPROFC_WEB_STATE_PARTS_H
#define PPROFC_WEB_STATE_PARTS_H

#include "web/state.h"

#include <pthread.h>

/* Differences of two profiles that were asked for, by their ids. */
#define STATE_PAIRS 4

struct state_pair {
  unsigned head, base;
  pprofc_profile *difference;
  uint64_t used; /* when */
};

/* Profiles that belong together. */
struct state_loaded {
  struct state_profile *head, *base;
  pprofc_profile *difference;
};

struct web_state {
  struct command *command;
  const char **sources; /* those without a name */
  size_t source_count;
  pthread_mutex_t lock;
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t count;
  unsigned next_id;
  unsigned head, base; /* ids of what is shown when nothing is chosen; base 0: none */
  struct state_pair pairs[STATE_PAIRS];
  unsigned named_base; /* the base that has a name; 0: none */
  uint64_t generation, epoch, time;
  struct state_loaded pending; /* read aside */
  char pending_text[320], pending_clock[16];
  char broken_text[512]; /* why a changed file is not offered */
  bool watched;          /* all sources are files */
  uint64_t seen, read;   /* stamps: of the last look, of what was read */
};

/* Takes a profile over; NULL when out of memory. */
struct state_profile *state_new(const char *name, const char *source, pprofc_profile *profile);
struct state_profile *state_find(const struct web_state *s, unsigned id);

/* "cpu.prof" of "/tmp/cpu.prof", with folders where `other`, the source on the other side or NULL,
 * has the same name; of several sources the first and how many follow. */
void state_short_name(char *out, size_t size, const char *first, const char *other, size_t count);

/* Reads sources as the command line without -http would. */
pprofc_status state_read(const struct command *from, const char **sources, size_t count,
                         struct state_loaded *l, pprofc_error *error);
void state_free_loaded(struct state_loaded *l);

/* Shows what was read, and takes it over. */
void state_show(struct web_state *s, struct state_loaded *l);

/* Notes the files as they are now: what changes from now on is read again. */
void state_begin_watch(struct web_state *s);

#endif
