/* Measures how often `pprofci leaks` raises a false alarm, and how often it finds a leak.
 * leaks/judge judges simulated series of heap profiles and goroutine counts. The seed is fixed, so
 * the numbers are the same in each run.
 *
 *   leak_power          4,000 series per table cell, the tables of docs/LEAKS.md
 *   leak_power -quick   400 series; still fails if a target is missed */
#include "core/mem.h"
#include "leaks/leaks.h"
#include "verdict/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Average number of bytes between two samples of Go's heap profile. */
#define RATE       (512.0 * 1024)
#define KIB        1024.0
#define MOST       20
#define MANY       200 /* number of series of a suite */
#define HEAP_FLOOR (512 * KIB)

static const size_t lengths[] = {3, 4, 5, 8, 10, 20};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* Behaviour of the objects of a stack. Objects are allocated and freed at random. On average `live`
 * objects exist, and the share `stay` of them still exists one interval later. */
struct behaviour {
  const char *name;
  double size; /* size of an object in bytes; 0: goroutines, which are counted */
  double live; /* average number of live objects */
  double stay;
  double leak;  /* number of leaked objects per interval */
  double wave;  /* amplitude of the load, which goes through one period in the series */
  double ramp;  /* relative growth of the load from the beginning to the end */
  double tooth; /* number of intervals after which the program frees all leaked objects; 0: never */
  bool blind;   /* true if the profile contains no total of allocated objects */
  double full;  /* share of the series after which the leak stops; 0: the leak never stops */
};

/* ---- one series -------------------------------------- */

struct made {
  double t[MOST], x[MOST];
  struct leak_series series;
};

static double load_at(const struct behaviour *b, size_t i, size_t count, double phase) {
  double at = (double)i / (double)(count - 1);
  double load = 1 + b->wave * sin(2 * 3.14159265358979 * (at + phase)) + b->ramp * at;
  return b->live * load;
}

static bool leaks_now(const struct behaviour *b, size_t i, size_t count) {
  return b->full <= 0 || (double)i < b->full * (double)count;
}

/* Returns a binomial random number: by single trials for a small n, else by the normal
 * distribution. */
static double binomial(struct random_source *r, double n, double p) {
  double hits = 0;
  if (n > 200) {
    double x = round(n * p + sqrt(n * p * (1 - p)) * random_normal(r));
    return fmax(0, fmin(n, x));
  }
  for (double i = 0; i < n; i++) hits += random_uniform(r) < p;
  return hits;
}

/* Creates a series of profiles. The numbers are numbers of sampled objects, which the profile
 * scales up. */
static void make_series(struct random_source *r, const struct behaviour *b, size_t count,
                        struct made *m) {
  double p = b->size > 0 ? 1 - exp(-b->size / RATE) : 1, unit = b->size > 0 ? b->size / p : 1;
  double phase = random_uniform(r), tooth = b->tooth * random_uniform(r);
  double churn = random_poisson(r, load_at(b, 0, count, phase) * p), kept = 0, allocated = 0;
  kept = random_poisson(r, b->leak * p * tooth);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) {
      double mean = load_at(b, i, count, phase) * p;
      double come = random_poisson(r, mean * (1 - b->stay));
      double leaked = leaks_now(b, i, count) ? random_poisson(r, b->leak * p) : 0;
      churn = binomial(r, churn, b->stay) + come;
      kept += leaked;
      /* Also count objects that were allocated and freed between two profiles. Their mean number is
       * the same again. */
      allocated += come + leaked + random_poisson(r, mean * (1 - b->stay));
      tooth += 1;
      if (b->tooth > 0 && tooth >= b->tooth) {
        tooth -= b->tooth;
        kept = 0;
      }
    }
    m->t[i] = (double)i;
    m->x[i] = (churn + kept) * unit;
  }
  double noise = b->size > 0 ? b->size * (1 / p - 1) : 0, largest_variance = 0;
  for (size_t i = 0; i < count; i++) largest_variance = fmax(largest_variance, m->x[i] * noise);
  m->series = (struct leak_series){
      .t = m->t, .x = m->x, .count = count, .largest_variance = largest_variance};
  m->series.allocated = b->size > 0 && !b->blind ? allocated * unit : (double)NAN;
  for (size_t k = 0; k < 2; k++) {
    double x = m->x[k ? count - 1 : 0];
    m->series.sampling[k] = x * noise;
    m->series.chance[k] = x * (b->size > 0 ? b->size : 1);
  }
}

static const struct leak_rules *rules_of(const struct behaviour *b) {
  static const struct leak_rules heap = {0.05, HEAP_FLOOR, 0.8}, counts = {0.05, 10, 0.8};
  return b->size > 0 ? &heap : &counts;
}

/* Returns the share of trials with the verdict. A trial is `together` series of the same behaviour.
 * It has the verdict if at least one series has it. */
static double share_of(const struct behaviour *b, size_t count, size_t trials, size_t together,
                       enum leak_verdict verdict) {
  static struct made made[MANY];
  static struct leak_series series[MANY];
  static struct leak_fit fits[MANY];
  struct random_source r = {count * 1000 + together};
  size_t hits = 0;
  for (size_t k = 0; k < trials; k++) {
    bool hit = false;
    for (size_t i = 0; i < together; i++) {
      make_series(&r, b, count, &made[i]);
      series[i] = made[i].series;
    }
    if (!leak_judge(series, together, rules_of(b), &mem_default, fits)) return -1;
    for (size_t i = 0; i < together; i++) hit |= fits[i].verdict == verdict;
    hits += hit;
  }
  return (double)hits / (double)trials;
}

/* ---- tables ------------------------------------------ */

/* Documented limits for a row of the tables, which apply to series of at least `from` values. */
struct promise {
  struct behaviour b;
  size_t from;
  double most, least; /* maximum and minimum of each cell; 1 and 0: no limit */
};

static bool row(const struct promise *row, size_t trials, size_t together,
                enum leak_verdict verdict) {
  bool good = true;
  printf("| %-58s |", row->b.name);
  for (size_t i = 0; i < LENGTHS; i++) {
    double share = share_of(&row->b, lengths[i], trials, together, verdict);
    double error = 3 * sqrt(fmax(share * (1 - share), 0.0025) / (double)trials);
    bool kept =
        lengths[i] < row->from || (share - error <= row->most && share + error >= row->least);
    printf(" %5.1f%%%s |", 100 * share, kept ? "" : " MISSED");
    good &= kept;
  }
  printf("\n");
  return good;
}

static bool table(const char *title, const struct promise *rows, size_t count, size_t trials,
                  size_t together, enum leak_verdict verdict) {
  bool good = true;
  printf("\n%s\n\n| profiles %-49s |", title, "");
  for (size_t i = 0; i < LENGTHS; i++) printf(" %6zu |", lengths[i]);
  printf("\n|---|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < count; i++) good &= row(&rows[i], trials, together, verdict);
  return good;
}

static const struct promise nulls[] = {
    {{"heap, 8 MB of 4 KB objects, all new each time", 4 * KIB, 2048, 0, .leak = 0}, 3, 0.05, 0},
    {{"heap, the same, 90 % stay", 4 * KIB, 2048, 0.9, .leak = 0}, 3, 0.05, 0},
    {{"heap, 40 MB of 1 MB objects, half stay", 1024 * KIB, 40, 0.5, .leak = 0}, 3, 0.05, 0},
    {{"heap, 8 MB, half stay, frees not known", 4 * KIB, 2048, 0.5, .blind = true}, 3, 0.05, 0},
    {{"heap, 8 MB, load up and down by half", 4 * KIB, 2048, 0.5, .wave = 0.5}, 3, 0.05, 0},
    {{"heap, 8 MB, load doubles in the meantime", 4 * KIB, 2048, 0.5, .ramp = 1}, 3, 0.05, 0},
    {{"heap, cache fills in half of the time", 16 * KIB, 0, 0, .leak = 128, .full = 0.5},
     3,
     0.05,
     0},
    {{"heap, 2 MB an interval, dropped every 2.5 intervals", 64 * KIB, 0, 0, .leak = 32,
      .tooth = 2.5},
     5,
     0.05,
     0},
    {{"heap, 2 MB an interval, dropped every 4 intervals", 64 * KIB, 0, 0, .leak = 32, .tooth = 4},
     8,
     0.05,
     0},
    {{"goroutines, 200, all new each time", 0, 200, 0, .leak = 0}, 3, 0.05, 0},
    {{"goroutines, 200, half stay", 0, 200, 0.5, .leak = 0}, 3, 0.05, 0},
    {{"goroutines, 200, 90 % stay", 0, 200, 0.9, .leak = 0}, 3, 0.05, 0},
    {{"goroutines, 200, load up and down by half", 0, 200, 0, .wave = 0.5}, 5, 0.05, 0},
};

static const struct promise leaking[] = {
    {{"heap, 256 KB an interval of 4 KB objects", 4 * KIB, 0, 0, .leak = 64}, 20, 1, 0.8},
    {{"heap, 512 KB an interval", 4 * KIB, 0, 0, .leak = 128}, 10, 1, 0.8},
    {{"heap, 2 MB an interval", 4 * KIB, 0, 0, .leak = 512}, 5, 1, 0.8},
    {{"heap, 8 MB an interval", 4 * KIB, 0, 0, .leak = 2048}, 4, 1, 0.9},
    {{"heap, one object of 1 MB an interval", 1024 * KIB, 0, 0, .leak = 1}, 20, 1, 0.6},
    {{"heap, 2 MB an interval, frees not known", 4 * KIB, 0, 0, .leak = 512, .blind = true},
     8,
     1,
     0.8},
    {{"goroutines, 2 an interval", 0, 0, 0, .leak = 2}, 20, 1, 0.8},
    {{"goroutines, 5 an interval", 0, 0, 0, .leak = 5}, 8, 1, 0.8},
    {{"goroutines, 20 an interval", 0, 0, 0, .leak = 20}, 4, 1, 0.8},
    {{"goroutines, 20 an interval beside 50 that come and go", 0, 50, 0, .leak = 20}, 10, 1, 0.8},
};

static const struct promise freeing[] = {
    {{"heap, 2 MB an interval beside 2 MB that come and go", 4 * KIB, 512, 0.5, .leak = 512},
     5,
     1,
     0.8},
    {{"heap, 8 MB, load doubles in the meantime", 4 * KIB, 2048, 0.5, .ramp = 1}, 3, 1, 0},
};

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "-quick") == 0, good = true;
  size_t trials = quick ? 400 : 4000, suites = quick ? 40 : 1000;
  good &= table("False alarms: the verdict is leak (% of series)", nulls, COUNT(nulls), trials, 1,
                LEAK_LEAK);
  good &= table("False alarms among 200 series (% of runs with one or more)", nulls, COUNT(nulls),
                suites, MANY, LEAK_LEAK);
  good &= table("Power: the verdict is leak (% of series)", leaking, COUNT(leaking), trials, 1,
                LEAK_LEAK);
  good &= table("They free most of what they allocate: the verdict is grows", freeing,
                COUNT(freeing), trials, 1, LEAK_GROWS);
  return good ? 0 : 1;
}
