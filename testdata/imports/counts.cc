/* Calls that unwind the stack and names that hold quotes, each under callgrind as a benchmark. */
#include <algorithm>
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

__attribute__((noinline)) static void work(long n) {
  for (long i = 0; i < n; i++) sink += i;
}

__attribute__((noinline)) static void fail(int depth) {
  work(3);
  if (!depth) throw 1;
  fail(depth - 1);
  sink++;
}

__attribute__((noinline)) static void rescue() {
  try {
    fail(3);
  } catch (int) {
    work(5);
  }
  work(7);
}

template <char mark> struct marked {
  __attribute__((noinline)) static void run(long n) {
    work(n + mark);
  }
};

struct number {
  int value;
  __attribute__((noinline)) bool operator<(const number &other) const {
    work(1);
    return value < other.value;
  }
};

template <class F> __attribute__((noinline)) static void apply(F f) {
  f(2);
  sink++;
}

__attribute__((noinline)) static void names() {
  number a = {1}, b = {2};
  marked<'\''>::run(1);
  sink += a < b;
  apply([](long n) __attribute__((noinline)) {
    work(n);
    sink++;
  });
  apply(work);
}

int main() {
  MEASURE("counts.cc::exception", rescue());
  MEASURE("counts.cc::names", names());
  return 0;
}
