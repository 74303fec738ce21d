/* ISA-L, a library that inflates a stream several times as fast as zlib. It is loaded only for
 * a large profile that is read in steps: loading takes longer than reading a small one. */
#ifndef PPROFC_CODEC_ISAL_H
#define PPROFC_CODEC_ISAL_H

#include <stdbool.h>

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct isal {
  void (*init)(struct inflate_state *state);
  void (*reset)(struct inflate_state *state);
  int (*inflate)(struct inflate_state *state);
};

/* Loads the library for the rest of the process; false if it is not installed. Thread-safe. */
bool isal_load(struct isal *isal);
#endif

#endif
