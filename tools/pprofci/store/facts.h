/* Data about the commit of a run: from flags, the CI service and git. */
#ifndef PPROFCI_STORE_FACTS_H
#define PPROFCI_STORE_FACTS_H

#include "core/error.h"
#include "core/mem.h"

struct commit_facts {
  const char *commit, *branch, *machine; /* "" if unknown */
  const char *tags[64];
  size_t tag_count;
  int64_t time, order; /* -1 if unknown */
};

/* Fills in the fields that no flag has set. */
pprofc_status facts_complete(struct commit_facts *facts, struct arena *arena, pprofc_error *error);

/* Parses "1700000000", "2026-11-20" or "2026-11-20T10:00:00Z" to seconds since 1970. */
bool facts_parse_time(pprofc_str text, int64_t *seconds);

/* Appends a time, "2026-11-20 10:00", in UTC. */
struct buffer;
void facts_put_time(struct buffer *out, int64_t seconds);

/* Parses "30d", "12w", "2y" or "all" to seconds; INT64_MAX for all. */
bool facts_parse_age(pprofc_str text, int64_t *seconds);

#endif
