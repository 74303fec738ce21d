/* Makes a profile from nothing, for profilers, allocators and converters.
 *
 * The builder interns strings, functions, locations and mappings: equal arguments give equal
 * indices. Errors are sticky: after the first one every call does nothing, and
 * pprofc_builder_finish returns that error.
 *
 * One builder belongs to one thread at a time. Different builders are independent. */
#ifndef PPROFC_BUILDER_H
#define PPROFC_BUILDER_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_builder pprofc_builder;

/* Returns an empty builder, or NULL when out of memory. The builder copies `allocator`; NULL
 * means malloc. Free it with pprofc_builder_free. */
PPROFC_API pprofc_builder *pprofc_builder_new(const pprofc_allocator *allocator);
PPROFC_API void pprofc_builder_free(pprofc_builder *builder);

/* Adds a sample type. Add all sample types before the first sample. */
PPROFC_API void pprofc_builder_type(pprofc_builder *builder, const char *type, const char *unit);
PPROFC_API void pprofc_builder_default_type(pprofc_builder *builder, const char *type);
PPROFC_API void pprofc_builder_period(pprofc_builder *builder, const char *type, const char *unit,
                                      int64_t period);
PPROFC_API void pprofc_builder_time(pprofc_builder *builder, int64_t time_nanos,
                                    int64_t duration_nanos);
PPROFC_API void pprofc_builder_comment(pprofc_builder *builder, const char *comment);
PPROFC_API void pprofc_builder_doc_url(pprofc_builder *builder, const char *url);
PPROFC_API void pprofc_builder_drop_frames(pprofc_builder *builder, const char *drop,
                                           const char *keep);

/* Returns the index of a mapping. `flags` is a combination of PPROFC_HAS_*. */
#define PPROFC_HAS_FUNCTIONS     1u
#define PPROFC_HAS_FILENAMES     2u
#define PPROFC_HAS_LINE_NUMBERS  4u
#define PPROFC_HAS_INLINE_FRAMES 8u
PPROFC_API uint32_t pprofc_builder_mapping(pprofc_builder *builder, uint64_t start, uint64_t limit,
                                           uint64_t offset, const char *file, const char *build_id,
                                           unsigned flags);

/* Returns the index of a function. `system_name` and `filename` may be NULL; a NULL system
 * name equals the name. */
PPROFC_API uint32_t pprofc_builder_function(pprofc_builder *builder, const char *name,
                                            const char *system_name, const char *filename,
                                            int64_t start_line);

/* Returns the index of a location. `lines` is innermost first and may be empty. */
PPROFC_API uint32_t pprofc_builder_location(pprofc_builder *builder, uint32_t mapping,
                                            uint64_t address, const pprofc_line *lines,
                                            size_t line_count);

/* Returns the index of a location with one function at one line and no address. */
PPROFC_API uint32_t pprofc_builder_frame(pprofc_builder *builder, const char *function,
                                         const char *filename, int64_t line);

/* Adds a sample: location indices leaf first, and one value for each sample type. */
PPROFC_API void pprofc_builder_sample(pprofc_builder *builder, const uint32_t *frames, size_t depth,
                                      const int64_t *values);

/* Adds a label to the last sample. */
PPROFC_API void pprofc_builder_label(pprofc_builder *builder, const char *key, const char *value);
PPROFC_API void pprofc_builder_number_label(pprofc_builder *builder, const char *key, int64_t value,
                                            const char *unit);

/* Returns the finished profile and empties the builder, which may then only be freed. Returns
 * the first error of any earlier call. */
PPROFC_API pprofc_status pprofc_builder_finish(pprofc_builder *builder, pprofc_profile **profile,
                                               pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
