/* Declarations of the readers in formats.c and of the rows in format_table.c. */
#ifndef PPROFC_IMPORT_FORMATS_H
#define PPROFC_IMPORT_FORMATS_H

#include "core/format_row.h"
#include "import/import.h"

#define IMPORT_READER(name)                                                                        \
  pprofc_status name(pprofc_str data, const pprofc_allocator *mem,                                 \
                     const struct import_options *options, pprofc_profile **profile,               \
                     pprofc_error *error)

IMPORT_READER(import_gperftools_cpu);
IMPORT_READER(import_heap_text);
IMPORT_READER(import_go_count);
IMPORT_READER(import_threadz);
IMPORT_READER(import_contention);
IMPORT_READER(import_java);
IMPORT_READER(import_jemalloc);
IMPORT_READER(import_callgrind);
IMPORT_READER(import_pstats);
IMPORT_READER(import_json);
IMPORT_READER(import_jfr);
IMPORT_READER(import_go_dump);
IMPORT_READER(import_otlp);
IMPORT_READER(import_perf_data);
IMPORT_READER(import_perf_script);
IMPORT_READER(import_simpleperf);
IMPORT_READER(import_bpftrace);
IMPORT_READER(import_dtrace);
IMPORT_READER(import_rprof);
IMPORT_READER(import_ghc_prof);
IMPORT_READER(import_xctrace);
IMPORT_READER(import_instruments);
IMPORT_READER(import_macos_sample);
IMPORT_READER(import_vtune);
IMPORT_READER(import_pmcstat);
IMPORT_READER(import_papyrus);
IMPORT_READER(import_austin);
IMPORT_READER(import_folded);

#define IMPORT_LINES_READER(name)                                                                  \
  pprofc_status name(struct text_stream *text, const pprofc_allocator *mem,                        \
                     const struct import_options *options, pprofc_profile **profile,               \
                     pprofc_error *error)

IMPORT_LINES_READER(import_perf_lines);
IMPORT_LINES_READER(import_folded_lines);

/* Descriptions of the formats; a row without a name ends the table. */
extern const struct format_row import_format_table[];

/* import_is_jfr is true for data that the reader of JFR accepts, import_is_otlp for data that the
 * reader of OTLP accepts. */
bool import_is_jfr(pprofc_str data);
bool import_is_otlp(pprofc_str data);

/* Describes data that no reader accepts: "this is a zip archive; unpack it ...". Writes "" if the
 * kind of data is unknown. */
void import_nearest(pprofc_str data, char *out, size_t size);

#endif
