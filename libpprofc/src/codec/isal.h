/* ISA-L, a library that inflates a stream several times as fast as zlib. It is loaded only for
 * large profiles that are read step by step, because loading takes longer than reading a small
 * profile. */
#ifndef PPROFC_CODEC_ISAL_H
#define PPROFC_CODEC_ISAL_H

#include "core/base.h"

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct isal {
  void (*init)(struct inflate_state *state);
  void (*reset)(struct inflate_state *state);
  int (*inflate)(struct inflate_state *state);
};

/* Loads the library. It stays loaded until the process ends. Returns false if it is not installed.
 * Any thread may call this function. */
bool isal_load(struct isal *isal);
#endif

#endif
