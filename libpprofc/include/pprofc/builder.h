/* Builds a profile from records that the caller adds, for profilers, allocators and converters.
 *
 * The builder stores equal strings, functions, locations and mappings only once: equal arguments
 * give equal indices. It copies all strings. After the first error every call does nothing, a
 * function that returns an index returns PPROFC_NONE, and pprofc_builder_finish returns that error.
 * The errors are PPROFC_E_NOMEM, PPROFC_E_LIMIT, and PPROFC_E_INVALID for an unknown index.
 *
 * A builder belongs to one thread at a time. Different builders are independent. */
#ifndef PPROFC_BUILDER_H
#define PPROFC_BUILDER_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A profile under construction. */
typedef struct pprofc_builder pprofc_builder;

/* Returns an empty builder, or NULL when out of memory. The builder copies `allocator`; NULL means
 * malloc. Free the builder with pprofc_builder_free. */
PPROFC_API pprofc_builder *pprofc_builder_new(const pprofc_allocator *allocator);

/* Frees a builder, before or after pprofc_builder_finish. A profile that the builder made stays
 * valid. */
PPROFC_API void pprofc_builder_free(pprofc_builder *builder);

/* Adds a sample type ("cpu", "nanoseconds"). Add all sample types before the first sample. */
PPROFC_API void pprofc_builder_type(pprofc_builder *builder, const char *type, const char *unit);

/* Sets the name of the sample type that reports show by default. Without this call, the last type
 * is the default. */
PPROFC_API void pprofc_builder_default_type(pprofc_builder *builder, const char *type);

/* Sets the sampling period: the amount `period`, in `unit`, of the event `type` between two
 * samples. Example: "cpu", "nanoseconds", 10000000. */
PPROFC_API void pprofc_builder_period(pprofc_builder *builder, const char *type, const char *unit,
                                      int64_t period);

/* Sets the start of the recording in nanoseconds since 1970, and its duration in nanoseconds. 0
 * means unknown. */
PPROFC_API void pprofc_builder_time(pprofc_builder *builder, int64_t time_nanos,
                                    int64_t duration_nanos);

/* Adds a comment of any text. */
PPROFC_API void pprofc_builder_comment(pprofc_builder *builder, const char *comment);

/* Sets the URL of a page that describes the profile. */
PPROFC_API void pprofc_builder_doc_url(pprofc_builder *builder, const char *url);

/* Sets two regular expressions. Reports drop each frame that matches `drop` but not `keep`,
 * together with the frames that it calls. */
PPROFC_API void pprofc_builder_drop_frames(pprofc_builder *builder, const char *drop,
                                           const char *keep);

/* Flags of a mapping. They say which data its locations already have. */
#define PPROFC_HAS_FUNCTIONS     1u
#define PPROFC_HAS_FILENAMES     2u
#define PPROFC_HAS_LINE_NUMBERS  4u
#define PPROFC_HAS_INLINE_FRAMES 8u

/* Returns the index of a mapping of the addresses [start, limit). `offset` is the offset of `start`
 * in the file, in bytes. `file` and `build_id` may be NULL. `flags` is a combination of
 * PPROFC_HAS_*. */
PPROFC_API uint32_t pprofc_builder_mapping(pprofc_builder *builder, uint64_t start, uint64_t limit,
                                           uint64_t offset, const char *file, const char *build_id,
                                           unsigned flags);

/* Returns the index of a function. `system_name` is the mangled name; NULL means `name`. `filename`
 * may be NULL. `start_line` is the first line of the function; 0 means unknown. */
PPROFC_API uint32_t pprofc_builder_function(pprofc_builder *builder, const char *name,
                                            const char *system_name, const char *filename,
                                            int64_t start_line);

/* Both functions add a record and return its index, or the index of an equal record. The texts of
 * the record have a length and may contain NULs, as in the records that pprofc_profile_mapping and
 * pprofc_profile_function return. If the `data` of system_name is NULL, the system name is `name`.
 * Any other text whose `data` is NULL is "". */
PPROFC_API uint32_t pprofc_builder_add_mapping(pprofc_builder *builder,
                                               const pprofc_mapping *mapping);
PPROFC_API uint32_t pprofc_builder_add_function(pprofc_builder *builder,
                                                const pprofc_function *function);

/* Adds the mappings of the calling process that contain code, with build ids. The mapping of the
 * program comes first. Call this function in a profiler that records its own process.
 * pprofc_builder_finish then assigns a mapping to each location that has an address but no mapping,
 * so that pprofc_symbolize can find names. */
PPROFC_API void pprofc_builder_process(pprofc_builder *builder);

/* Returns the index of a location. `mapping` may be PPROFC_NONE. `lines` has one line for each
 * inlined function, innermost first, then the line of the function that contains the inlined calls.
 * `lines` may be empty. */
PPROFC_API uint32_t pprofc_builder_location(pprofc_builder *builder, uint32_t mapping,
                                            uint64_t address, const pprofc_line *lines,
                                            size_t line_count);

/* Returns the index of a location without an address. The location is a function at a line.
 * `filename` may be NULL. */
PPROFC_API uint32_t pprofc_builder_frame(pprofc_builder *builder, const char *function,
                                         const char *filename, int64_t line);

/* Adds a sample: `depth` location indices, leaf first, and a value for each sample type in its
 * unit. */
PPROFC_API void pprofc_builder_sample(pprofc_builder *builder, const uint32_t *frames, size_t depth,
                                      const int64_t *values);

/* These functions add a label to the last sample: a string, a number, or a label that
 * pprofc_profile_label returned. `unit` of a number is a text such as "bytes" and may be NULL. The
 * texts of a pprofc_label have a length and may contain NULs. */
PPROFC_API void pprofc_builder_label(pprofc_builder *builder, const char *key, const char *value);
PPROFC_API void pprofc_builder_number_label(pprofc_builder *builder, const char *key, int64_t value,
                                            const char *unit);
PPROFC_API void pprofc_builder_add_label(pprofc_builder *builder, const pprofc_label *label);

/* Stores the finished profile in *profile; the caller releases it with pprofc_profile_release.
 * Afterwards the builder is empty, and the only permitted call is pprofc_builder_free. Errors: the
 * first error of any earlier call, PPROFC_E_INVALID after an earlier pprofc_builder_finish,
 * PPROFC_E_NOMEM. */
PPROFC_API pprofc_status pprofc_builder_finish(pprofc_builder *builder, pprofc_profile **profile,
                                               pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
