/* A program whose heap profiles gperftools or jemalloc write: it leaks in remember(), fills a cache
 * in load_entry() and then stops, and frees all of scratch(). The argument is the prefix of the
 * files; with jemalloc, MALLOC_CONF has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_JEMALLOC
#include <jemalloc/jemalloc.h>
static void begin(const char *prefix) {
  (void)prefix;
}
static void dump(void) {
  mallctl("prof.dump", NULL, NULL, NULL, 0);
}
#else
#include <gperftools/heap-profiler.h>
static void begin(const char *prefix) {
  HeapProfilerStart(prefix);
}
static void dump(void) {
  HeapProfilerDump("step");
}
#endif

#define ROUNDS  9
#define ENTRIES 40

static char *volatile remembered, *volatile entries[ENTRIES];

__attribute__((noinline)) static void remember(void) {
  char *next = malloc(200 << 10);
  char *before = remembered;
  memcpy(next, &before, sizeof before);
  remembered = next;
}

__attribute__((noinline)) static void load_entry(int i) {
  if (i < ENTRIES) entries[i] = calloc(1, 100 << 10);
}

__attribute__((noinline)) static char scratch(void) {
  char *text = calloc(1, 300 << 10);
  char first = text[0];
  free(text);
  return first;
}

int main(int argc, char **argv) {
  int loaded = 0, sum = 0;
  begin(argc > 1 ? argv[1] : "leaky");
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 10; i++) {
      remember();
      load_entry(loaded++);
      sum += scratch();
    }
    dump();
  }
  return sum;
}
