/* Runs commands several times and prints their time and memory:
 * `measure RUNS COMMAND... [-- COMMAND...]`
 *
 * Several commands run in alternation, because other load then affects all of them equally. Prints
 * a line for each command: "MEDIAN_SECONDS PEAK_KIB STATUS CPU_SECONDS". These are the median wall
 * time, the largest resident set, the exit status of the last run, and the smallest CPU time of a
 * run. Standard output of the commands goes to /dev/null. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_RUNS     1000
#define MAX_COMMANDS 4

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct measured {
  char **command;
  double seconds[MAX_RUNS];
  double cpu; /* shortest user and system time of a run, in seconds */
  long peak;
  int status;
};

static double seconds_of(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Runs the command once. Returns its exit status, or 127 if the command could not be run. */
static int run(struct measured *m, size_t turn) {
  double start = now();
  pid_t child = fork();
  if (child < 0) return 127;
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) dup2(null, STDOUT_FILENO);
    execvp(m->command[0], m->command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) return 127;
  double cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  m->seconds[turn] = now() - start;
  if (!turn || cpu < m->cpu) m->cpu = cpu;
  if (usage.ru_maxrss > m->peak) m->peak = usage.ru_maxrss;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double median(double *seconds, size_t runs) {
  qsort(seconds, runs, sizeof *seconds, compare);
  return (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
}

/* Splits the arguments at "--". Returns the number of commands. */
static size_t split(char **arguments, struct measured *commands) {
  size_t count = 0;
  for (char **at = arguments; *at && count < MAX_COMMANDS; at++) {
    commands[count++].command = at;
    while (*at && strcmp(*at, "--") != 0) at++;
    if (!*at) break;
    *at = NULL;
  }
  return count;
}

int main(int argc, char **argv) {
  static struct measured commands[MAX_COMMANDS];
  long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
  if (runs < 1 || runs > MAX_RUNS) {
    fprintf(stderr, "usage: measure RUNS COMMAND... [-- COMMAND...]\n");
    return 1;
  }
  size_t count = split(argv + 2, commands);
  for (long i = 0; i < runs; i++)
    for (size_t c = 0; c < count; c++) commands[c].status = run(&commands[c], (size_t)i);
  for (size_t c = 0; c < count; c++)
    printf("%.4f %ld %d %.4f\n", median(commands[c].seconds, (size_t)runs), commands[c].peak,
           commands[c].status, commands[c].cpu);
  return 0;
}
