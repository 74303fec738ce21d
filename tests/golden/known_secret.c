/* Library for LD_PRELOAD that makes the kernel's random bytes predictable. The number in the
 * environment variable KNOWN_SECRET determines them: 0 makes all bytes zero, -1 makes the call
 * fail. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int getentropy(void *buffer, size_t size) {
  const char *text = getenv("KNOWN_SECRET");
  uint64_t state = (uint64_t)strtoll(text ? text : "0", NULL, 10);
  unsigned char *bytes = buffer;
  if (state == UINT64_MAX) {
    errno = ENOSYS;
    return -1;
  }
  for (size_t i = 0; i < size; i++) {
    state = state * 6364136223846793005u + (state ? 1442695040888963407u : 0);
    bytes[i] = (unsigned char)(state >> 56);
  }
  return 0;
}
