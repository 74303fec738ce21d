/* `pprofci push`: profiles of a change for a Pyroscope server. */
#ifndef PPROFCI_PUSH_PUSH_H
#define PPROFCI_PUSH_PUSH_H

#include "common/flags.h"
#include "pprofc/profile.h"
#include "remote/remote.h"

#define LABELS_MOST 32

struct push_options {
  const char *to, *service, *side, *benchmark, *sha, *repository, *format, *links;
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
  size_t kind;        /* of remote_kinds; SIZE_MAX: another one, by OTLP */
  const char *side;   /* "base", "head" or "" */
  const char *metric; /* of Pyroscope, the label __name__ */
  const char *type;   /* of profiles, in a query: "memory:inuse_space:bytes:space:bytes" */
  pprofc_str bytes;   /* gzip'd profile.proto, or OTLP as it is */
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

/* ---- OTLP -------------------------------------------- */

/* That of -protocol is otlp. */
bool push_is_otlp(const struct push *push);

/* Headers of the environment, and that of the encoding. */
pprofc_status push_otlp_headers(struct push *push, pprofc_error *error);

/* A profile as OTLP. */
pprofc_status push_pack_otlp(struct push *push, const pprofc_profile *profile, pprofc_str *bytes,
                             pprofc_error *error);

/* The same with the labels as attributes of its resource, gzip'd. */
pprofc_status push_make_otlp(struct push *push, const struct push_item *item, pprofc_str *body,
                             pprofc_error *error);

/* What was rejected is an error, what the server says beside it a note. */
pprofc_status push_check_otlp(const struct push *push, const struct push_item *item,
                              const struct reply *reply, pprofc_error *error);

/* ---- sending ----------------------------------------- */

/* Sends one profile by the protocol of the options. */
pprofc_status push_send(struct push *push, const struct push_item *item, pprofc_error *error);

/* Prints a link to each query and each difference, and writes the file of -links. */
pprofc_status push_put_links(const struct push *push, pprofc_error *error);

#endif
