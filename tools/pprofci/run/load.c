/* Reads load average and CPU time of the machine, and decides if it was overloaded. */
#include "run/recording.h"

#include <sys/resource.h>

#define LOAD_MOST 2.0 /* load average per processor above which a machine is overloaded */
/* Share of the processor time that other programs may use while all processors are busy. */
#define OTHERS_MOST 0.5
/* The machine counts as fully busy if this share of the processor time is in use. */
#define BUSY_LEAST 0.95
/* Share of the processor time that the host of a virtual machine may take. */
#define STOLEN_MOST 0.1

/* Columns of the first line of /proc/stat, in ticks. */
enum { TICK_USER, TICK_NICE, TICK_SYSTEM, TICK_IDLE, TICK_WAIT, TICK_IRQ, TICK_SOFT, TICK_STOLEN };

/* Reads the numbers on the first line of a file. A missing number remains 0. */
static void load_read(const char *path, double *numbers, size_t count) {
  char text[1024];
  pprofc_str rest = {text, file_begin(path, text, sizeof text)}, line = STR(""), word;
  (void)str_next_line(&rest, &line);
  for (size_t i = 0; i < count && line.size && str_next(&line, ' ', &word);)
    i += str_parse_float(str_trim(word), &numbers[i]);
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct round_load load_now(void) {
  struct round_load now = {0, 0, 0, 0, 0};
  double ticks[TICK_STOLEN + 1] = {0};
  struct timespec clock = {0, 0};
  struct rusage usage;
  double per_second = (double)sysconf(_SC_CLK_TCK);
  (void)clock_gettime(CLOCK_MONOTONIC, &clock);
  now.wall = (double)clock.tv_sec + (double)clock.tv_nsec / 1e9;
  if (getrusage(RUSAGE_CHILDREN, &usage) == 0)
    now.own = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  load_read("/proc/loadavg", &now.average, 1);
  load_read("/proc/stat", ticks, TICK_STOLEN + 1);
  for (int i = TICK_USER; i < TICK_STOLEN; i++)
    if (i != TICK_IDLE && i != TICK_WAIT) now.busy += ticks[i] / per_second;
  now.stolen = ticks[TICK_STOLEN] / per_second;
  return now;
}

static struct round_load load_between(const struct round_load *begin,
                                      const struct round_load *end) {
  return (struct round_load){.average = end->average,
                             .wall = end->wall - begin->wall,
                             .own = end->own - begin->own,
                             .busy = end->busy - begin->busy,
                             .stolen = end->stolen - begin->stolen};
}

void load_add(struct ci_run *run, const struct round_load *begin) {
  struct round_load end = load_now(), load = load_between(begin, &end);
  buffer_add(&run->loads, &load, sizeof load);
}

static bool load_is_too_much(const struct round_load *round, double processors) {
  double all = processors * round->wall, others = round->busy - round->own;
  if (round->average > LOAD_MOST * processors) return true;
  if (!(all > 0)) return false;
  bool taken = round->busy > BUSY_LEAST * all && others > OTHERS_MOST * all;
  return taken || round->stolen > STOLEN_MOST * all;
}

static const struct round_load *loads_of(const struct ci_run *run, size_t *count) {
  *count = run->loads.size / sizeof(struct round_load);
  return (const struct round_load *)(const void *)run->loads.data;
}

/* Describes the load if at least half of the rounds were overloaded. Returns NULL otherwise. */
static const char *load_judge(struct ci_run *run, double processors) {
  size_t count, overloaded = 0;
  const struct round_load *loads = loads_of(run, &count);
  double average = 0, stolen = 0, wall = 0, busy = 0, own = 0;
  for (size_t i = 0; i < count; i++) {
    overloaded += load_is_too_much(&loads[i], processors);
    average += loads[i].average / (double)count;
    stolen += loads[i].stolen;
    wall += loads[i].wall;
    busy += loads[i].busy;
    own += loads[i].own;
  }
  if (!count || 2 * overloaded < count) return NULL;
  double all = wall * processors, others = all > 0 ? (busy - own) / all : 0;
  struct buffer text = ci_buffer();
  buffer_printf(&text, "load %.3g on %.0f processor%s", average, processors,
                processors == 1 ? "" : "s");
  if (average <= LOAD_MOST * processors && others > OTHERS_MOST)
    buffer_printf(&text, ", %.0f%% of their time taken by other programs", 100 * others);
  if (all > 0 && stolen > STOLEN_MOST * all)
    buffer_printf(&text, ", %.0f%% of their time taken by the host", 100 * stolen / all);
  return buffer_take(&text, &run->arena).data;
}

void load_check(struct ci_run *run) {
  run->overloaded = load_judge(run, (double)sysconf(_SC_NPROCESSORS_ONLN));
  if (run->overloaded) message_note("warning: the machine is overloaded: %s", run->overloaded);
}

void load_write(struct json_writer *json, const struct ci_run *run) {
  size_t count;
  const struct round_load *loads = loads_of(run, &count);
  json_begin_array(json_key(json, "loads"));
  for (size_t i = 0; i < count; i++) {
    json_pack(json,
              "{load_average:f wall_seconds:f own_cpu_seconds:f cpu_seconds:f stolen_seconds:f}",
              loads[i].average, loads[i].wall, loads[i].own, loads[i].busy, loads[i].stolen);
  }
  json_end(json);
}
