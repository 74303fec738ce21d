/* The value of a key of a filter or a projection at a result: `.name`, `/size`, `goos` ... */
#ifndef PPROFC_BENCH_EXTRACT_H
#define PPROFC_BENCH_EXTRACT_H

#include "bench/set.h"

/* Values that are not strings of the set (parts of names) are in `more`, so that every value has an
 * id: first the ids of the set, then those of `more`. */
struct extractor {
  const struct pprofc_bench *set;
  struct arena *arena;
  struct interner more;
  bool failed; /* out of memory */
};

enum key_kind { KEY_NAME, KEY_FULL_NAME, KEY_FILE, KEY_PART, KEY_CONFIG };

struct key {
  enum key_kind kind;
  pprofc_str text;
  uint32_t string;   /* of a configuration key; MAP_NONE when no result has it */
  uint32_t *by_name; /* values by the name's string: computed once for each name */
};

void extractor_init(struct extractor *extractor, const struct pprofc_bench *set,
                    struct arena *arena);
void extractor_free(struct extractor *extractor);

/* Makes a key of its text, which is neither empty, ".config" nor ".unit". */
struct key extract_key(struct extractor *extractor, pprofc_str text);

/* The id of the key's value at a result; BENCH_EMPTY when it has none. */
uint32_t extract(struct extractor *extractor, struct key *key, size_t result);

/* The id of any string, and the string of any id. */
uint32_t extract_intern(struct extractor *extractor, pprofc_str s);
pprofc_str extract_string(const struct extractor *extractor, uint32_t id);

/* One more than the largest id there is. */
size_t extract_ids(const struct extractor *extractor);

#endif
