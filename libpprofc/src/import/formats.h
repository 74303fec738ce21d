/* Declarations of the readers in formats.c and of the rows in format_table.c. */
#ifndef PPROFC_IMPORT_FORMATS_H
#define PPROFC_IMPORT_FORMATS_H

#include "core/format_row.h"
#include "import/import.h"

/* Defines the function of a reader (import_fn). */
#define IMPORT_READER(name)                                                                        \
  void name(pprofc_str data, pprofc_builder *builder, struct arena *arena __attribute__((unused)), \
            const struct import_options *options __attribute__((unused)))

/* Declares the two functions of a format: the reader, and the function that recognises its data. */
#define IMPORT_FORMAT(name)                                                                        \
  IMPORT_READER(import_##name);                                                                    \
  bool import_is_##name(pprofc_str data)

IMPORT_FORMAT(gperftools_cpu);
IMPORT_FORMAT(heap_text);
IMPORT_FORMAT(go_count);
IMPORT_FORMAT(threadz);
IMPORT_FORMAT(contention);
IMPORT_FORMAT(java);
IMPORT_FORMAT(jemalloc);
IMPORT_FORMAT(callgrind);
IMPORT_FORMAT(pstats);
IMPORT_FORMAT(json);
IMPORT_FORMAT(jfr);
IMPORT_FORMAT(go_dump);
IMPORT_FORMAT(otlp);
IMPORT_FORMAT(perf_data);
IMPORT_FORMAT(perf_script);
IMPORT_FORMAT(simpleperf);
IMPORT_FORMAT(bpftrace);
IMPORT_FORMAT(dtrace);
IMPORT_FORMAT(rprof);
IMPORT_FORMAT(ghc_prof);
IMPORT_FORMAT(xctrace);
IMPORT_FORMAT(instruments);
IMPORT_FORMAT(macos_sample);
IMPORT_FORMAT(vtune);
IMPORT_FORMAT(pmcstat);
IMPORT_FORMAT(papyrus);
IMPORT_FORMAT(austin);
IMPORT_FORMAT(folded);

#define IMPORT_LINES_READER(name)                                                                  \
  pprofc_status name(struct text_stream *text, const pprofc_allocator *mem,                        \
                     const struct import_options *options, pprofc_profile **profile,               \
                     pprofc_error *error)

IMPORT_LINES_READER(import_perf_lines);
IMPORT_LINES_READER(import_folded_lines);

/* Descriptions of the formats; a row without a name ends the table. */
extern const struct format_row import_format_table[];

/* Describes data that no reader accepts: "this is a zip archive; unpack it ...". Writes "" if the
 * kind of data is unknown. */
void import_nearest(pprofc_str data, char *out, size_t size);

#endif
