/* Makes zlib use the allocator of the library. */
#ifndef PPROFC_CODEC_ZLIB_MEMORY_H
#define PPROFC_CODEC_ZLIB_MEMORY_H

#include "core/base.h"

#include <zlib.h>

/* Sets the allocator. Call this function before inflateInit2 or deflateInit2. `mem` must outlive
 * the stream. */
void zlib_use_memory(z_stream *stream, const pprofc_allocator *mem);

#endif
