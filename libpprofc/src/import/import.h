/* Readers of other tools' formats and of old formats, in one table. A new format needs one file, a
 * declaration below, and rows in formats.c and format_table.c. */
#ifndef PPROFC_IMPORT_IMPORT_H
#define PPROFC_IMPORT_IMPORT_H

#include "core/format_row.h"
#include "import/text_stream.h"
#include "profile/builder.h"

/* Settings of readers: the fields of pprofc_read_options, with defaults in place of limits that are
 * 0, and fields for internal use. */
struct import_options {
  const pprofc_limits *limits;
  unsigned threads;
  pprofc_call_stacks call_stacks;
  bool may_change;
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
  const char *map_folder;
  bool times; /* true to keep the times of samples (profile/times.h) */
};

/* Returns true if the data has the reader's format. */
typedef bool (*import_begins_fn)(pprofc_str data);

/* Reads data into the builder, which keeps the first error. If the data turns out to have another
 * format, the error is PPROFC_E_NO_MATCH. The arena lives until the profile is made. */
typedef void (*import_fn)(pprofc_str data, pprofc_builder *builder, struct arena *arena,
                          const struct import_options *options);

/* Reads a stream of text line by line. Recognises the format from text->rest, the part of the text
 * in memory. Returns PPROFC_OK and a profile, or PPROFC_E_NO_MATCH for text of another format; then
 * the caller tries the next reader. After any other status, the caller does not try another reader.
 * If the stream ends early because of a failure, the reader returns the status of the stream. */
typedef pprofc_status (*import_lines_fn)(struct text_stream *text, const pprofc_allocator *mem,
                                         const struct import_options *options,
                                         pprofc_profile **profile, pprofc_error *error);

struct import_format {
  const char *name; /* name for messages: "gperftools CPU profile" */
  import_fn read;
  bool wraps; /* true if totals above 63 bits wrap around, as in pprof; false if the library rejects
                 files with such totals */
  import_begins_fn begins;
  import_lines_fn lines; /* reader of a stream of text, or NULL */
};

/* Formats, in the order in which the library tries them; a row without a name ends the table. */
extern const struct import_format import_formats[];

/* Tries to read `data`, which is not compressed and has no byte order mark. Returns the same as
 * import_lines_fn. The caller may read the data again only after PPROFC_E_NO_MATCH. */
pprofc_status import_read(const struct import_format *format, pprofc_str data,
                          const pprofc_allocator *mem, const struct import_options *options,
                          pprofc_profile **profile, pprofc_error *error);

/* Makes a profile with `read`, which fills a builder. */
pprofc_status
import_build(void (*read)(void *context, pprofc_builder *builder, struct arena *arena),
             void *context, const pprofc_allocator *mem, const struct import_options *options,
             pprofc_profile **profile, pprofc_error *error);

/* ---- functions of the readers ----------------------- */

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
