/* Reads several profiles in parallel, adds them up and subtracts a base, as pprofc does with the
 * sources on its command line. */
#ifndef PPROFC_SOURCES_H
#define PPROFC_SOURCES_H

#include "pprofc/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of pprofc_sources_read. The caller owns strings and arrays during the call. */
typedef struct pprofc_sources_options {
  size_t struct_size;       /* set by pprofc_sources_options_init */
  const char *const *bases; /* sources of the base; their sum is subtracted */
  size_t base_count;        /* number of `bases`; 0: no base */
  pprofc_diff_kind kind;    /* type of difference; the default is PPROFC_COMPARE */
  bool normalize;           /* true: scale head to the totals of base before the subtraction */

  /* Settings of each source; NULL for the defaults. `threads` is the number for all sources
   * together, and limits->memory_bytes is the limit for all sources together. `warn` receives
   * messages in the order of the sources: "a.txt: skipped: 2 of 9 lines (22.2%); ..." */
  const pprofc_read_options *read;

  /* Receives the error of each unreadable source, in the order of the sources, on the caller's
   * thread. The result then contains only the readable sources. If `skip` is NULL, an unreadable
   * source is an error. */
  void (*skip)(void *skip_context, const char *source, const pprofc_error *error);
  void *skip_context; /* first argument of `skip` */

  /* Receives each warning about the result ("Fetched 2 source profiles out of 3") as one line
   * without newline, on the caller's thread. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context; /* first argument of `warn` */
} pprofc_sources_options;

/* Sets all fields to their defaults: no base, and an unreadable source is an error. */
PPROFC_API void pprofc_sources_options_init(pprofc_sources_options *options);

/* Stores in *profile the profile that pprofc shows for `count` sources, at least one. Adds up the
 * sources like pprofc_merge, and the bases too. Subtracts the base like pprofc_diff. Then removes
 * the frames that the profile's expression drop_frames names. Keeps at most 256 of the read
 * profiles in memory. `options` may be NULL. The caller releases *profile. Errors: as for
 * pprofc_profile_read_file, pprofc_merge and pprofc_diff; PPROFC_E_IO if all sources or all bases
 * are unreadable. */
PPROFC_API pprofc_status pprofc_sources_read(const char *const *sources, size_t count,
                                             const pprofc_sources_options *options,
                                             pprofc_profile **profile, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
