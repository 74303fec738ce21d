/* The readers that formats.c lists, and the rows of facts.c. */
#ifndef PPROFC_IMPORT_FORMATS_H
#define PPROFC_IMPORT_FORMATS_H

#include "core/facts.h"
#include "import/import.h"

#define IMPORT_READER(name)                                                                        \
  pprofc_status name(pprofc_str data, const pprofc_allocator *mem,                                 \
                     const pprofc_read_options *options, pprofc_profile **profile,                 \
                     pprofc_error *error)

IMPORT_READER(import_gperftools_cpu);
IMPORT_READER(import_heap_text);
IMPORT_READER(import_go_count);
IMPORT_READER(import_threadz);
IMPORT_READER(import_contention);
IMPORT_READER(import_java);
IMPORT_READER(import_jemalloc);
IMPORT_READER(import_callgrind);
IMPORT_READER(import_json);
IMPORT_READER(import_jfr);
IMPORT_READER(import_go_dump);
IMPORT_READER(import_otlp);
IMPORT_READER(import_perf_script);
IMPORT_READER(import_instruments);
IMPORT_READER(import_pmcstat);
IMPORT_READER(import_papyrus);
IMPORT_READER(import_austin);
IMPORT_READER(import_folded);

/* What is known of the formats, for people; ended by a row without name. */
extern const struct format_fact import_facts[];

/* Says what `data` is, which no reader knows: "this is a zip archive; unpack it ...". "" when
 * nothing can be said. */
void import_nearest(pprofc_str data, char *out, size_t size);

#endif
