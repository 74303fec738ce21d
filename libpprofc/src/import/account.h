/* Counts the events that a reader used, and the events that it skipped for each reason. The counts
 * become comments in the profile. open.c prints the comments that users must see. */
#ifndef PPROFC_IMPORT_ACCOUNT_H
#define PPROFC_IMPORT_ACCOUNT_H

#include "profile/builder.h"

/* A reason for skipping events. The reason becomes the comment "1 ONE" or "COUNT MANY". */
struct import_loss {
  uint64_t count;
  /* `one` is the text for one event, `many` the text for several events. In the row that ends a
   * list, `one` is NULL. If another comment of the profile gives the reason, `one` is "". */
  const char *one, *many;
};

/* Adds the comment "1 ONE" or "COUNT MANY" to the profile, unless count is 0. */
void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many);

/* Adds the comment "WHAT: COUNT" to the profile, unless count is 0. */
void import_note_total(pprofc_builder *builder, const char *what, uint64_t count);

/* Adds a comment for each reason in `losses`, and a comment for their sum: "skipped: 3 of 40
 * samples (7.5%)". `read` is the number of events that were not skipped. */
void import_account(pprofc_builder *builder, uint64_t read, const char *events,
                    const struct import_loss *losses);

/* Does the same as import_account for a single reason: `count` events were skipped. */
void import_account_one(pprofc_builder *builder, uint64_t read, const char *events, uint64_t count,
                        const char *one, const char *many);

/* Adds a comment if `said`, the total that the file states, differs from `read`, the number of
 * events read: "totals differ: the file says 9 samples, 8 were read". */
void import_compare_total(pprofc_builder *builder, const char *events, uint64_t said,
                          uint64_t read);

/* Adds a comment if `version`, the version of the file's format, is newer than `newest`, the newest
 * version with which the reader was tested. */
void import_compare_version(pprofc_builder *builder, const char *format, int64_t version,
                            int64_t newest);

/* True if users must see a comment: a version or a total differs, or more than 1 % of the events
 * were skipped. Writes the comment as a message to `out`, cut to `size` bytes. */
bool import_warning(pprofc_str comment, char *out, size_t size);

#endif
