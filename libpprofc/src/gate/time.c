/* Chooses the row that decides about a benchmark: its instructions, or else its wall or CPU time.
 * On a loaded machine, CPU time has half the noise of wall time. But CPU time does not contain
 * waiting, and it is the sum over all threads. */
#include "gate/judge.h"

#define CPU_MAX 1.05 /* CPU time / wall time above which the benchmark has several threads */
#define CPU_MIN 0.2  /* ratio of CPU time to wall time below which the benchmark mostly waits */

enum kind { WALL, CPU, USER, SYSTEM, RATE, INSTRUCTIONS, KINDS };

/* The rows of a benchmark: the index of its row of each kind (wall time, CPU time ...), or SIZE_MAX
 * if it has no such row. A printed table can compare the base with several heads, one in each
 * column. A benchmark then has one struct gate_times for each column. */
struct gate_times {
  size_t row[KINDS];
  size_t seen[KINDS]; /* number of rows of each kind so far; only in the first column's struct */
};

static const char *const units[KINDS] = {"sec/op",     "cpu-sec/op", "user-sec/op",
                                         "sys-sec/op", "B/s",        "instructions"};

static enum kind kind_of(const struct gate_row *row, struct buffer *scratch) {
  int kind = 0;
  buffer_clear(scratch);
  gate_unit_canonical(scratch, row->unit);
  while (kind < KINDS && !str_equal(buffer_str(scratch), str_of(units[kind]))) kind++;
  return kind == INSTRUCTIONS && !row->exact ? KINDS : (enum kind)kind;
}

static bool compares(const struct gate_row *row) {
  return row->in_base && row->in_head;
}

static bool is_part(pprofc_str name, const char *part) {
  size_t at = str_find(name, str_of(part));
  if (at == name.size) return false;
  size_t end = at + strlen(part);
  return end == name.size || name.data[end] == '/';
}

/* True if Google Benchmark's name shows several threads: "/threads:8", but not "/threads:1". */
static bool names_threads(pprofc_str name) {
  size_t at = str_find(name, STR("/threads:"));
  if (at == name.size) return false;
  pprofc_str rest = str_slice(name, at + strlen("/threads:"), name.size);
  return !str_equal(rest, STR("1")) && !str_starts(rest, STR("1/"));
}

static bool enough(const struct gate *gate, const struct gate_row *cpu,
                   const struct gate_row *wall) {
  size_t least = cpu->base_count < cpu->head_count ? cpu->base_count : cpu->head_count;
  size_t other = wall->base_count < wall->head_count ? wall->base_count : wall->head_count;
  return least >= gate->settings.min_samples || least >= other;
}

/* True if the benchmark has several threads: the input reports several, or CPU time exceeds wall
 * time. */
static bool has_threads(const struct gate_row *wall, const struct gate_row *cpu) {
  return wall->threaded || cpu->threaded || names_threads(wall->name) ||
         cpu->base / wall->base > CPU_MAX || cpu->head / wall->head > CPU_MAX;
}

static bool waits(const struct gate_row *wall, const struct gate_row *cpu) {
  return cpu->base / wall->base < CPU_MIN || cpu->head / wall->head < CPU_MIN;
}

/* Returns the reason why `-time auto` judges wall time, or NULL if it judges CPU time. */
static const char *why_not_cpu(const struct gate_row *wall, const struct gate_row *cpu) {
  if (is_part(wall->name, "/real_time"))
    return "wall time is judged: the benchmark reports it as its time";
  if (is_part(wall->name, "/manual_time"))
    return "wall time is judged: the benchmark measures by itself";
  if (has_threads(wall, cpu)) return "wall time is judged: the benchmark has several threads";
  /* On an overloaded machine every benchmark waits for a processor, so ignore the wait. */
  if (!wall->overloaded && waits(wall, cpu))
    return "wall time is judged: the benchmark waits most of the time";
  return NULL;
}

/* Returns the reason why the gate judges wall time, or NULL if it judges CPU time. */
static const char *why_wall(const struct gate *gate, const struct gate_row *wall,
                            const struct gate_row *cpu) {
  pprofc_gate_time time = gate->settings.time;
  if (time == PPROFC_GATE_TIME_WALL) return "wall time is judged: -time wall";
  if (!(cpu->base > 0) || !(cpu->head > 0)) return "wall time is judged: CPU time is 0";
  if (!enough(gate, cpu, wall)) return "wall time is judged: it has more samples";
  return time == PPROFC_GATE_TIME_CPU ? NULL : why_not_cpu(wall, cpu);
}

static void time_choose(struct gate *gate, const struct gate_times *t) {
  struct gate_row *wall = &gate->rows[t->row[WALL]], *cpu = &gate->rows[t->row[CPU]];
  if (!compares(wall) || !compares(cpu)) return;
  const char *why = why_wall(gate, wall, cpu);
  if (why) {
    cpu->aside = why;
    gate->wall_times++;
  } else {
    wall->aside = "CPU time is judged";
    wall->watched = gate->settings.time != PPROFC_GATE_TIME_CPU;
    wall->judged = t->row[CPU];
    cpu->is_cpu = true;
    gate->cpu_times++;
  }
}

/* Excludes user time and system time from judging, because the gate judges their sum. If the sum is
 * unknown for a sample, the gate judges neither time. */
static void set_parts_aside(struct gate_row *rows, const struct gate_times *t) {
  static const enum kind parts[] = {USER, SYSTEM};
  for (size_t i = 0; i < 2; i++)
    if (t->row[parts[i]] != SIZE_MAX) rows[t->row[parts[i]]].aside = "part of CPU time";
}

/* Excludes the rate of a Go benchmark from judging, because "ns/op" and "MB/s" come from the same
 * measurement. Only the time is judged. */
static void set_rate_aside(struct gate_row *rows, const struct gate_times *t) {
  if (t->row[RATE] != SIZE_MAX && compares(&rows[t->row[WALL]]) && compares(&rows[t->row[RATE]]))
    rows[t->row[RATE]].aside = "time is judged: the rate is the same measurement";
}

/* Excludes the times of a benchmark from judging if its instructions were counted. A longer time
 * with the same instructions comes from the machine or the memory system. */
static void set_timed_aside(struct gate *gate, const struct gate_times *t) {
  static const enum kind times[] = {WALL, CPU};
  if (t->row[INSTRUCTIONS] == SIZE_MAX || !compares(&gate->rows[t->row[INSTRUCTIONS]])) return;
  for (size_t i = 0; i < 2; i++) {
    struct gate_row *row = t->row[times[i]] == SIZE_MAX ? NULL : &gate->rows[t->row[times[i]]];
    if (!row || row->aside) continue;
    row->aside = "instructions are judged";
    row->watched = true;
    row->judged = t->row[INSTRUCTIONS];
  }
}

/* Rows of all benchmarks. `names` has a key for each benchmark. */
struct times_table {
  struct gate *gate;
  struct interner names;
  struct gate_times *items;
  size_t count, capacity;
  struct buffer key; /* key of the current benchmark */
};

/* Returns the gate_times of the benchmark with the key t->key. Adds an element for a new benchmark.
 * Returns NULL when out of memory. */
static struct gate_times *find_times(struct times_table *t) {
  static const struct gate_times none = {
      {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}, {0}};
  if (t->key.failed) return NULL;
  uint32_t id = interner_copy(&t->names, &t->gate->arena, buffer_str(&t->key));
  bool added = id != t->count || ARRAY_PUSH(t->gate->mem, t->items, t->count, t->capacity, none);
  return id != MAP_NONE && added ? &t->items[id] : NULL;
}

static bool time_add_row(struct times_table *t, size_t index) {
  const struct gate_row *row = &t->gate->rows[index];
  enum kind kind = kind_of(row, &t->key);
  if (kind == KINDS) return !t->key.failed;
  buffer_clear(&t->key);
  gate_noise_key(&t->key, row->group, row->name, STR(""));
  buffer_add_str(&t->key, row->file);
  struct gate_times *times = find_times(t);
  size_t column = times ? times->seen[kind]++ : 0;
  if (column) {
    buffer_printf(&t->key, "%c%zu", '\0', column);
    times = find_times(t);
  }
  if (times) times->row[kind] = index;
  return times != NULL;
}

bool gate_choose_times(struct gate *gate) {
  struct times_table table = {.gate = gate};
  bool good = true;
  interner_init(&table.names, gate->mem);
  buffer_init(&table.key, gate->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < gate->row_count && good; i++) good = time_add_row(&table, i);
  for (size_t i = 0; i < table.count && good; i++) {
    const struct gate_times *t = &table.items[i];
    if (t->row[WALL] == SIZE_MAX) continue;
    if (t->row[CPU] != SIZE_MAX) time_choose(gate, t);
    set_parts_aside(gate->rows, t);
    set_rate_aside(gate->rows, t);
    set_timed_aside(gate, t);
  }
  if (good && gate->settings.time == PPROFC_GATE_TIME_CPU && !gate->cpu_times)
    gate_warning(gate, "no benchmark has CPU time to judge");
  buffer_free(&table.key);
  ARRAY_FREE(gate->mem, table.items, table.capacity);
  interner_free(&table.names);
  return good;
}
