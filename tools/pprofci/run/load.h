/* Measures how busy the machine was while benchmarks were measured. */
#ifndef PPROFCI_RUN_LOAD_H
#define PPROFCI_RUN_LOAD_H

#include "core/json_write.h"
#include "run/run.h"

/* Load of the machine during a round. Times are in seconds, summed over the processors. */
struct round_load {
  double average; /* load average of the last minute at the end of the round */
  double wall;    /* duration of the round in seconds */
  double own;     /* CPU time of the programs of the run */
  double busy;    /* CPU time of all programs; 0: unknown */
  double stolen;  /* time that the hypervisor took from this virtual machine */
};

/* Returns the current values of the clocks. The caller calls this function at the beginning and at
 * the end of a round. */
struct round_load load_now(void);

/* Adds the load since `begin` to run->loads. */
void load_add(struct ci_run *run, const struct round_load *begin);

/* Returns "load 20 on 2 processors" if at least half of the rounds were overloaded, or NULL. */
const char *load_judge(struct ci_run *run, double processors);
void load_write(struct json_writer *json, const struct ci_run *run);

#endif
