/* The frames that profiles of old formats ask to have dropped. */
#ifndef PPROFC_IMPORT_LEGACY_FRAMES_H
#define PPROFC_IMPORT_LEGACY_FRAMES_H

#include "import/legacy/legacy.h"

/* Regular expressions for what the sample types say: allocators, locks, or the profiler itself. */
void legacy_frames_to_drop(const struct legacy *l, const char **drop, const char **keep);

#endif
