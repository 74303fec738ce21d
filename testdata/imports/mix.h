/* A function that is inlined wherever it is called. */
#ifndef MIX_H
#define MIX_H

static inline __attribute__((always_inline)) unsigned mix(unsigned sum, unsigned item) {
  sum ^= item * 2654435761u;
  sum ^= sum >> 15;
  return sum * 2246822519u;
}

#endif
