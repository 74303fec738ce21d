/* Runs a command several times and prints what it took: `measure RUNS COMMAND [ARGUMENT]...`
 *
 * Prints "MEDIAN_SECONDS PEAK_KIB STATUS": the median wall-clock time, the greatest resident set of
 * any run, and the exit status of the last one. Standard output of the command goes to /dev/null.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_RUNS 1000

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the exit status, 127 when the command could not be run. */
static int run(char **command, double *seconds, long *peak) {
  double start = now();
  pid_t child = fork();
  if (child < 0) return 127;
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) dup2(null, STDOUT_FILENO);
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) return 127;
  *seconds = now() - start;
  if (usage.ru_maxrss > *peak) *peak = usage.ru_maxrss;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
  long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
  if (runs < 1 || runs > MAX_RUNS) {
    fprintf(stderr, "usage: measure RUNS COMMAND [ARGUMENT]...\n");
    return 1;
  }
  double seconds[MAX_RUNS] = {0};
  long peak = 0;
  int status = 0;
  for (long i = 0; i < runs; i++) status = run(argv + 2, &seconds[i], &peak);
  qsort(seconds, (size_t)runs, sizeof *seconds, compare);
  double median = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
  printf("%.4f %ld %d\n", median, peak, status);
  return status;
}
