/* Splits benchmark names. "Encode/format=json/size=4k-8" has the base "Encode", two parts that
 * begin with '/', and the suffix "-8". */
#ifndef PPROFC_BENCH_NAMES_H
#define PPROFC_BENCH_NAMES_H

#include "bench/set.h"

/* Returns the value of the key `.name`, which is the base of the name. */
pprofc_str name_base(pprofc_str name);

/* Returns the value of the key `/key`, or "" if the name has no part with this key. `key` includes
 * the slash. */
pprofc_str name_part_value(pprofc_str name, pprofc_str key);

/* Appends the name without the parts in keys[0, count). A key is ".name" or "/key". */
void name_exclude(struct buffer *out, pprofc_str name, const pprofc_str *keys, size_t count);

/* Appends text as a name. Writes white space as '_', as Go does in names of benchmarks. Writes
 * control characters, and '/' unless keep_slashes is set, as %XX. */
void name_encode(struct buffer *out, pprofc_str text, bool keep_slashes);

/* ---- values of keys --------------------------------- */

/* Finds the values of keys. Strings that the set does not have, such as a part of a name, are
 * stored in `more`. Their ids follow the ids of the set. */
struct extractor {
  const struct pprofc_bench *set;
  struct arena *arena;
  struct interner more;
  bool failed; /* true if memory ran out */
};

enum key_kind { KEY_NAME, KEY_FULL_NAME, KEY_FILE, KEY_PART, KEY_CONFIG };

struct key {
  enum key_kind kind;
  pprofc_str text;
  uint32_t string;   /* string index of the configuration key; MAP_NONE if no result has the key */
  uint32_t *by_name; /* cache: value of the key for each benchmark name */
};

void extractor_init(struct extractor *extractor, const struct pprofc_bench *set,
                    struct arena *arena);
void extractor_free(struct extractor *extractor);

/* Parses a key. `text` must not be "", ".config" or ".unit". */
struct key extract_key(struct extractor *extractor, pprofc_str text);

/* Returns the id of the value that a result has for the key. Returns BENCH_EMPTY if it has no
 * value. */
uint32_t extract(struct extractor *extractor, struct key *key, size_t result);

/* extract_intern returns the id of a string, and adds the string if it is new. extract_string
 * returns the string that has an id. */
uint32_t extract_intern(struct extractor *extractor, pprofc_str s);
pprofc_str extract_string(const struct extractor *extractor, uint32_t id);

/* Returns the number of ids, including the ids in `more`. */
size_t extract_ids(const struct extractor *extractor);

#endif
