/* Frames that readers of old formats remove from each stack. */
#ifndef PPROFC_IMPORT_LEGACY_FRAMES_H
#define PPROFC_IMPORT_LEGACY_FRAMES_H

#include "import/legacy/legacy.h"

/* Sets the regular expressions for the sample types: allocators, locks, or the profiler itself. */
void legacy_frames_to_drop(const struct legacy *l, const char **drop, const char **keep);

#endif
