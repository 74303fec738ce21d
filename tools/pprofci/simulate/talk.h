/* Communicates with benchmark plugins that measure times. The plugins report the begin and the end
 * of each benchmark and round through two FIFOs with fixed names. */
#ifndef PPROFCI_SIMULATE_TALK_H
#define PPROFCI_SIMULATE_TALK_H

#include "core/buffer.h"
#include "core/error.h"

/* A benchmark that a plugin measured. Times are in nanoseconds of CLOCK_MONOTONIC. */
struct talk_benchmark {
  const char *name;
  uint32_t process;
  uint64_t begin, end;        /* times at which the profiler was switched on and off */
  size_t first_round, rounds; /* index of the benchmark's first round in talk.rounds, and number of
                                 its rounds */
};

struct talk {
  struct arena *arena;
  int commands, answers;    /* FIFO into which the plugins write commands, and FIFO from which they
                               read the answers */
  int control, acknowledge; /* FIFOs for commands to the profiler and for its answers; -1: no
                               profiler */
  const char *plugin;       /* name and version of the plugin that sent a message last, or "" */

  struct talk_benchmark *items;
  size_t count, capacity;
  struct buffer rounds; /* array of doubles: duration of each round in nanoseconds */

  struct buffer pending; /* received bytes of a message that is not complete yet */
  struct talk_benchmark now;
  uint64_t round_begin;
  bool failed; /* true when out of memory, or after a malformed message */
};

void talk_init(struct talk *talk, struct arena *arena);

/* Creates the FIFOs. Fails if files with these names exist, unless they are unused FIFOs of this
 * user. The caller calls talk_close, even after an error. */
void talk_open(struct talk *talk);

/* Removes all measurements before the next run of a command. */
void talk_clear(struct talk *talk);

/* Reads the messages that have arrived, and answers them. `talk` is a struct talk. */
void talk_serve(void *talk);

/* Removes the FIFOs. */
void talk_close(struct talk *talk);

#endif
