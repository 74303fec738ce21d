/* Parses the words of -symbolize: the sources of names, and the form of demangled names. */
#ifndef PPROFC_SYMBOLIZE_MODE_H
#define PPROFC_SYMBOLIZE_MODE_H

#include "symbolize/demangle.h"
#include "symbolize/symbolize.h"

struct mode {
  bool none, local, remote, fast, force;
  enum demangle_mode demangle;
};

/* Parses options->mode and warns about unknown words. */
void mode_parse(const struct symbolize_options *options, struct mode *mode);

/* Calls options->warn unless it is NULL. */
void symbolize_warn(const struct symbolize_options *options, const char *format, ...)
    PPROFC_PRINTF(2, 3);

#endif
