/* What is known of the commit of a run: from flags, the CI service, git. */
#ifndef PPROFCI_STORE_FACTS_H
#define PPROFCI_STORE_FACTS_H

#include "core/error.h"
#include "core/mem.h"

struct commit_facts {
  const char *commit, *branch, *machine; /* "": not known */
  const char *tags[64];
  size_t tag_count;
  int64_t time, order; /* -1: not known */
};

/* Fills in what flags have left empty. */
pprofc_status facts_complete(struct commit_facts *facts, struct arena *arena, pprofc_error *error);

/* "1700000000", "2026-11-20" or "2026-11-20T10:00:00Z": seconds since 1970. */
bool facts_parse_time(pprofc_str text, int64_t *seconds);

/* Appends "2026-11-20 10:00", in UTC. */
struct buffer;
void facts_put_time(struct buffer *out, int64_t seconds);

/* "30d", "12w", "2y", "all": seconds; INT64_MAX for all. */
bool facts_parse_age(pprofc_str text, int64_t *seconds);

#endif
