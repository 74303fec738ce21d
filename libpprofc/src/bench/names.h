/* Splits benchmark names. "Encode/format=json/size=4k-8" has the base "Encode", two parts that
 * begin with '/', and the suffix "-8". */
#ifndef PPROFC_BENCH_NAMES_H
#define PPROFC_BENCH_NAMES_H

#include "core/buffer.h"

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

#endif
