/* What the profiles of this folder are of: calls of every kind, in some hundred milliseconds.
 *
 *   calls [ROUNDS]     5 rounds by default; each parses, sorts, recurses and allocates */
#include "mix.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 200, BUFFERS = 400 };

static void *buffers[BUFFERS];

static unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int is_odd(unsigned n);

static int is_even(unsigned n) {
  return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(unsigned n) {
  return n == 0 ? 0 : is_even(n - 1);
}

/* Called from two places, with different costs. */
static unsigned checksum(const unsigned *items, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; i++) sum = mix(sum, items[i]);
  return sum;
}

static unsigned parse(unsigned *items, unsigned seed) {
  for (unsigned i = 0; i < ITEMS; i++) items[i] = seed = mix(seed, i);
  return checksum(items, ITEMS);
}

static int compare(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

static unsigned sort(unsigned *items) {
  qsort(items, ITEMS, sizeof *items, compare);
  return checksum(items, ITEMS / 4);
}

static void *make_buffer(size_t size) {
  void *buffer = malloc(size);
  if (!buffer) abort();
  return memset(buffer, 1, size);
}

static void fill_buffers(void) {
  for (size_t i = 0; i < BUFFERS; i++) {
    free(buffers[i]);
    buffers[i] = make_buffer(64 + i * 16);
  }
}

static void *work(void *rounds) {
  unsigned items[ITEMS], sum = 0;
  for (unsigned i = 0; i < *(unsigned *)rounds; i++) {
    sum += parse(items, i) + sort(items);
    sum += fibonacci(12) + (unsigned)is_even(20);
  }
  *(unsigned *)rounds = sum;
  return NULL;
}

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5, there = rounds / 2;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, &there) != 0) return 1;
  work(&rounds);
  pthread_join(thread, NULL);
  fill_buffers();
  printf("%u\n", rounds + there);
  return 0;
}
