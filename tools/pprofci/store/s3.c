/* A store in a bucket: not yet. */
#include "store/backing.h"

static pprofc_status s3_open(struct backing *backing, bool create, pprofc_error *error) {
  (void)backing;
  (void)create;
  return error_set(error, PPROFC_E_UNSUPPORTED, "buckets are not supported yet");
}

const struct backing_kind backing_s3 = {.scheme = "s3://", .open = s3_open};
