/* Benchmark names: "Encode/format=json/size=4k-8" is a base, parts that begin with '/', and "-8".
 */
#ifndef PPROFC_BENCH_NAMES_H
#define PPROFC_BENCH_NAMES_H

#include "core/buffer.h"

/* Length of the name without its "-8"; name.size when there is none. */
size_t name_without_procs(pprofc_str name);

/* The value of `.name`. */
pprofc_str name_base(pprofc_str name);

/* The value of `/key`; `key` has its slash. Empty when the name has no such part. */
pprofc_str name_part_value(pprofc_str name, pprofc_str key);

/* Appends the name without the parts named in keys[0, count), each ".name" or "/key". */
void name_exclude(struct buffer *out, pprofc_str name, const pprofc_str *keys, size_t count);

/* Appends text in a form that a name may hold: white space, control characters and '%' as %XX, and
 * '/' too unless it is wanted as a separator of parts. */
void name_encode(struct buffer *out, pprofc_str text, bool keep_slashes);

#endif
