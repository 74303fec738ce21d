/* Does work of each type that -simulate counts: instructions, cache misses, system calls. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE = 1 << 16 };

static int table[SIZE];

__attribute__((noinline)) static unsigned walk(unsigned rounds) {
  unsigned at = 1, sum = 0;
  for (unsigned i = 0; i < rounds; i++) {
    at = (at * 1103515245u + 12345u) % SIZE;
    sum += 1 + (unsigned)table[at]++;
  }
  return sum;
}

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000, sum = walk(rounds);
  for (int i = 0; i < 10; i++) sum += (unsigned)getppid() & 1;
  printf("sum %u\n", sum);
  return 0;
}
