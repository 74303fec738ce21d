/* Adds functions, locations, mappings and labels. Names of functions are already demangled. */
#ifndef PPROFC_IMPORT_NAMES_H
#define PPROFC_IMPORT_NAMES_H

#include "import/text_stream.h"
#include "profile/builder.h"

/* Returns the system name of a function as a string index: `text`, which is the index of `name`, or
 * 0 if reports must show `name` unchanged (see names.c). */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* Adds a function and returns its index. `file` is a string index of the builder. */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

/* Maximum size in bytes of a name that import_script_name writes, including the final NUL. */
#define IMPORT_SCRIPT_NAME 256

/* Returns the name of a script's function. A function without a name gets the name
 * "(anonymous FILE:LINE)", or "(anonymous)" if its file is unknown. `room` has IMPORT_SCRIPT_NAME
 * bytes, which must outlive the result. */
pprofc_str import_script_name(pprofc_str name, pprofc_str file, int64_t line, char *room);

/* Adds a location with one line and no address, and returns its index. `mapping` may be NONE. */
uint32_t import_location(pprofc_builder *builder, uint32_t mapping, uint32_t function,
                         int64_t line);

/* Adds the location of a frame that stands for no function of the program, such as "[pruned]". */
uint32_t import_marker(pprofc_builder *builder, pprofc_str name);

/* Adds the mapping of an object file whose addresses are unknown. Returns NONE if the name is
 * empty. */
uint32_t import_object(pprofc_builder *builder, pprofc_str file);

/* Adds a label to the last sample, unless the text is empty. */
void import_label(pprofc_builder *builder, const char *key, pprofc_str text);

/* Makes the builder fail because memory ran out. Returns false. */
bool import_no_memory(pprofc_builder *builder);
/* Returns `ok`. If `ok` is false, makes the builder fail because memory ran out. */
static inline bool import_need(pprofc_builder *builder, bool ok) {
  return ok || import_no_memory(builder);
}
/* These functions make the builder fail with a message, and return false. import_refuse_at reports
 * a violation of the format at the address `at`, which points into the data. */
bool import_refuse(pprofc_builder *builder, pprofc_status status, const char *format, ...)
    PPROFC_PRINTF(3, 4);
bool import_refuse_at(pprofc_builder *builder, const void *at, const char *format, ...)
    PPROFC_PRINTF(3, 4);

/* Makes the builder fail if the stream ended early because of a failure. */
void import_end_of_stream(pprofc_builder *builder, const struct text_stream *text);

/* Adds a cost centre of GHC's profiler as a location, and returns the location's index. `place` is
 * a file with a line and a column, like "Main.hs:12:1-20" and "Main.hs:(12,1)-(14,9)", or
 * "<built-in>". */
uint32_t import_cost_centre(pprofc_builder *builder, pprofc_str module, pprofc_str label,
                            pprofc_str place);

/* True if the name of a file ends with ".so", or contains ".so." or ".so_" with a digit after
 * it. */
bool import_is_library(pprofc_str file);

#endif
