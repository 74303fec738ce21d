/* Remembers the server of each mapping, and requests names from that server. */
#ifndef PPROFC_TOOLS_FETCH_SYMBOLS_H
#define PPROFC_TOOLS_FETCH_SYMBOLS_H

#include "core/map.h"
#include "fetch/address.h"
#include "fetch/client.h"
#include "symbolize/symbolize.h"

/* The server of the mappings with one build id or file: the source of the first profile with
 * it. */
struct symbol_place {
  const struct url *profile;
  uint64_t start;
};

struct symbol_places {
  struct interner keys; /* build ids and files */
  struct symbol_place *items;
  size_t count, capacity;
};

/* Servers of a run. Servers of heads have precedence over servers of the base. */
struct symbols {
  struct arena *arena;
  struct client *client;
  int64_t limit_ms;
  struct symbol_places head, base;
  struct url current; /* symbol address of the last lookup */
  pprofc_str failed;  /* address that failed; it gets no further requests */
  struct symbolize_server server;
};

void symbols_init(struct symbols *symbols, struct arena *arena, struct client *client,
                  int64_t limit_ms);
void symbols_free(struct symbols *symbols);

/* Records the server of the mappings of a profile. `profile_url` must live as long as the
 * symbols. */
pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url);

#endif
