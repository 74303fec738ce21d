/* Calls whose stacks are known, each counted under callgrind as a benchmark: direct recursion,
 * two functions that call each other, a callback, longjmp and a signal. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define MEASURE(name, call)                                                                        \
  do {                                                                                             \
    CALLGRIND_ZERO_STATS;                                                                          \
    CALLGRIND_START_INSTRUMENTATION;                                                               \
    call;                                                                                          \
    CALLGRIND_STOP_INSTRUMENTATION;                                                                \
    CALLGRIND_DUMP_STATS_AT(name);                                                                 \
  } while (0)

static volatile long sink;
static jmp_buf out;

__attribute__((noinline)) static void work(long n) {
  for (long i = 0; i < n; i++) sink += i;
}

__attribute__((noinline)) static int factorial(int n) {
  work(n);
  int below = n > 1 ? factorial(n - 1) : 1;
  sink++;
  return n * below;
}

__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n) {
  work(3);
  int result = n ? odd(n - 1) : 1;
  sink++;
  return result;
}

__attribute__((noinline)) static int odd(int n) {
  work(5);
  int result = n ? even(n - 1) : 0;
  sink++;
  return result;
}

__attribute__((noinline)) static void recursion(void) {
  sink += factorial(4);
  sink += even(3);
}

__attribute__((noinline)) static int compare(const void *a, const void *b) {
  work(2);
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void callback(void) {
  int values[] = {3, 1, 2, 5, 4};
  qsort(values, 5, sizeof *values, compare);
  sink += values[0];
}

__attribute__((noinline)) static void leap(void) {
  work(10);
  longjmp(out, 1);
}

__attribute__((noinline)) static void dive(int n) {
  if (!n) leap();
  dive(n - 1);
  sink++;
}

__attribute__((noinline)) static void jumps(void) {
  if (!setjmp(out)) dive(3);
  work(20);
}

static void on_signal(int number) {
  work(number);
}

__attribute__((noinline)) static void signals(void) {
  raise(SIGUSR1);
  work(8);
}

int main(void) {
  signal(SIGUSR1, on_signal);
  MEASURE("Metadata: by hand 1", (void)0);
  MEASURE("counts.c::recursion", recursion());
  MEASURE("counts.c::callback[5]", callback());
  MEASURE("counts.c::longjmp", jumps());
  MEASURE("counts.c::signal", signals());
  return 0;
}
