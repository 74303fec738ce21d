/* Implements `pprofci push`: sends the profiles of a change to a Pyroscope server. */
#ifndef PPROFCI_PUSH_PUSH_H
#define PPROFCI_PUSH_PUSH_H

#include "commands.h"
#include "pprofc/profile.h"
#include "remote/remote.h"

#define LABELS_MAX 32

struct push_options {
  const char *to, *service, *side, *benchmark, *sha, *repository, *format, *links;
  int64_t pr;
  const char *labels[LABELS_MAX]; /* values of -label: "name=value" */
  size_t label_count;
};

struct push_label {
  pprofc_str name, value;
};

struct push_item {
  const char *path;
  size_t kind;        /* index in remote_kinds; SIZE_MAX: unknown, only for OTLP */
  const char *side;   /* "base", "head", or "" if the profile is neither */
  const char *metric; /* value of Pyroscope's label __name__ */
  const char *type;   /* profile type in queries: "memory:inuse_space:bytes:space:bytes" */
  pprofc_str bytes;   /* bytes to send: gzip'd profile.proto, or uncompressed OTLP */
  int64_t time_nanos;
};

struct push {
  const struct push_options *options;
  struct remote_client remote;
  /* Labels sorted by name. The names __name__, service_name and side are not among them. */
  struct push_label labels[LABELS_MAX + 8];
  size_t label_count;
  struct push_item *items;
  size_t count, capacity;
};

/* Reads the labels from the environment and the command line. */
void push_read_labels(struct push *push);

/* Reads files, and folders with subfolders. A folder named base or head sets the side. */
void push_load(struct push *push, const char *const *sources, size_t count);

bool push_is_otlp(const struct push *push);
void push_otlp_headers(struct push *push);
void push_pack_otlp(struct push *push, const pprofc_profile *profile, pprofc_str *bytes);

/* Sends one profile by the protocol that the options select. */
void push_send(struct push *push, const struct push_item *item);

#endif
