/* Reads logs of `node --prof` by running node. */
#ifndef PPROFC_TOOLS_V8_PROF_LOG_H
#define PPROFC_TOOLS_V8_PROF_LOG_H

#include "pprofc/profile.h"

/* True if a V8 log, "isolate-0x...-v8.log", begins like this. */
bool v8_prof_log_is(pprofc_str begin);

/* Reads it with `node --prof-process --preprocess`. `shown` is its name in messages. */
pprofc_status v8_prof_log_read(const char *path, const char *shown,
                               const pprofc_read_options *options, pprofc_profile **profile,
                               pprofc_error *error);

#endif
