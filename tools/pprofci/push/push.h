/* `pprofci push`: profiles of a change for a Pyroscope server. */
#ifndef PPROFCI_PUSH_PUSH_H
#define PPROFCI_PUSH_PUSH_H

#include "common/flags.h"
#include "pprofc/profile.h"
#include "remote/remote.h"

#define LABELS_MOST 32

struct push_options {
  const char *to, *service, *side, *benchmark, *sha, *repository, *format;
  int64_t pr;
  const char *labels[LABELS_MOST]; /* "name=value" */
  size_t label_count;
};

struct push_label {
  pprofc_str name, value;
};

/* One profile that is sent. */
struct push_item {
  const char *path;
  size_t kind;      /* of remote_kinds */
  const char *side; /* "base", "head" or "" */
  pprofc_str bytes; /* gzip'd */
  int64_t time_nanos;
};

struct push {
  const struct push_options *options;
  struct remote_client remote;
  struct push_label labels[LABELS_MOST + 8]; /* by name; without __name__, service_name and side */
  size_t label_count;
  struct push_item *items;
  size_t count, capacity;
  size_t others; /* profiles of kinds that have no place there */
};

pprofc_status push_options_read(struct push_options *options, int argc, char **argv,
                                struct flags_parsed *parsed, pprofc_error *error);

/* Labels of the environment and the command line. */
pprofc_status push_read_labels(struct push *push, pprofc_error *error);

/* Files, and those of folders and the folders in them; a folder base or head says the side. */
pprofc_status push_load(struct push *push, char *const *sources, size_t count, pprofc_error *error);

/* Sends one profile, by push.v1 or /ingest. */
pprofc_status push_send(struct push *push, const struct push_item *item, pprofc_error *error);

#endif
