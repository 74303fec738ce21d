/* Which mapping came from which server, and asking that server for names. */
#ifndef PPROFC_TOOLS_FETCH_SYMBOLS_H
#define PPROFC_TOOLS_FETCH_SYMBOLS_H

#include "core/map.h"
#include "fetch/address.h"
#include "fetch/client.h"
#include "symbolize/symbolize.h"

/* A place for the mappings of one build id or file: where the first profile with it came from. */
struct symbol_place {
  const struct url *profile;
  uint64_t start;
};

struct symbol_places {
  struct interner keys; /* build ids and files */
  struct symbol_place *items;
  size_t count, capacity;
};

/* What is known for a run; heads are looked at before the base. */
struct symbols {
  struct arena *arena;
  struct client *client;
  int64_t limit_ms;
  struct symbol_places head, base;
  struct url current; /* symbol address found last */
  pprofc_str failed;  /* the address that could not be asked: it is not asked again */
  struct symbolize_server server;
};

void symbols_init(struct symbols *symbols, struct arena *arena, struct client *client,
                  int64_t limit_ms);
void symbols_free(struct symbols *symbols);

/* Remembers where the mappings of a profile came from. `profile_url` lives as long as the symbols.
 */
pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url);

#endif
