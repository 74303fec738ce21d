/* ISA-L, a library that inflates a stream several times as fast as zlib. It is loaded when a large
 * profile is read in steps: a small one is read before the library would be there. */
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

/* Loads it for the rest of the process; false when it is not there. Any thread may call it. */
bool isal_load(struct isal *isal);
#endif

#endif
