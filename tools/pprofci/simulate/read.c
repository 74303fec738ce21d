/* Reads the files that a run under callgrind wrote: the counts of each benchmark, and maps of code
 * that a process generated at run time. */
#include "common/terminal.h"
#include "core/array.h"
#include "core/log_guard.h"
#include "run/files.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names of counted sections ----------------------- */

#define REQUEST "desc: Trigger: Client Request: "
#define ENDED   "desc: Trigger: Program termination"

/* True if the header line says why callgrind wrote the counts. Sets *name to the benchmark that the
 * line names, or to an empty text for counts outside of benchmarks. */
static bool part_trigger(const struct counting *c, pprofc_str line, pprofc_str *name) {
  *name = (pprofc_str){"", 0};
  if (str_starts(line, STR(REQUEST))) *name = str_slice(line, strlen(REQUEST), line.size);
  if (str_starts(*name, STR("Metadata: "))) name->size = 0;
  if (str_starts(line, STR(ENDED))) *name = str_of(c->run->options->simulate_toggle);
  return str_starts(line, STR("desc: Trigger: "));
}

/* True if the line has a sum other than 0. */
static bool part_has_sums(pprofc_str line) {
  if (!str_starts(line, STR("totals: "))) return false;
  for (size_t i = strlen("totals: "); i < line.size; i++)
    if (line.data[i] >= '1' && line.data[i] <= '9') return true;
  return false;
}

/* Contents of a callgrind file. The benchmark name is empty if the file names no benchmark or
 * counted nothing. */
struct count_part {
  pprofc_str name;
  bool sums;
  bool python; /* true if Python's interpreter ran */
  struct allocations allocations;
};

static void part_take(const struct counting *c, struct count_part *part, pprofc_str line) {
  pprofc_str found;
  allocations_take(&part->allocations, line);
  if (!part->name.size && part_trigger(c, line, &found))
    part->name = arena_str(&c->run->arena, found);
  part->sums |= part_has_sums(line);
  if (!part->python) part->python = str_find(line, STR("_PyEval_EvalFrame")) < line.size;
}

/* Finds the benchmark whose counts are in a file, and the number of calls of allocators. */
static pprofc_status part_read(const struct counting *c, const char *path, struct count_part *part,
                               pprofc_error *error) {
  struct buffer text;
  pprofc_str line;
  *part = (struct count_part){.name = STR(""), .allocations = {.mem = c->run->mem}};
  buffer_init(&text, c->run->mem, SIZE_MAX / 2);
  pprofc_status status = file_read(path, &text, error);
  pprofc_str rest = buffer_str(&text);
  while (status == PPROFC_OK && rest.data && str_next_line(&rest, &line)) part_take(c, part, line);
  if (status == PPROFC_OK && !part->name.data) status = error_nomem(error);
  if (!part->sums) part->name.size = 0;
  allocations_free(&part->allocations);
  buffer_free(&text);
  return status;
}

/* ---- maps of code ------------------------------------ */

static pprofc_status copy_map(struct counting *c, const struct count_run *run, const char *from,
                              const char *path, pprofc_error *error) {
  struct buffer text, to;
  buffer_init(&text, c->run->mem, SIZE_MAX / 2);
  buffer_init(&to, c->run->mem, SIZE_MAX / 2);
  pprofc_status status = file_read(from, &text, error);
  if (status == PPROFC_OK) sides_source_files(run->folder, buffer_str(&text), &to);
  if (to.failed) status = error_nomem(error);
  if (status == PPROFC_OK) status = save_text(path, buffer_str(&to), error);
  buffer_free(&to);
  buffer_free(&text);
  return status;
}

/* Moves the code map of a process (the names of its generated code) to the files of the run. Other
 * users may write to /tmp, so accepts only a regular file of this user. Sets *named to true if the
 * process has a map. */
static pprofc_status take_map(struct counting *c, const struct count_run *run, const char *process,
                              bool *named, pprofc_error *error) {
  struct arena *arena = &c->run->arena;
  const char *from = text_printf(arena, "/tmp/perf-%s.map", process);
  const char *to = text_printf(arena, "%s/perf-%s.map", run->place, process);
  struct stat info;
  if (!from || !to) return error_nomem(error);
  *named = files_is_regular(to);
  if (lstat(from, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
    return PPROFC_OK;
  *named = true;
  pprofc_status status = copy_map(c, run, from, to, error);
  if (status == PPROFC_OK) (void)unlink(from);
  return status;
}

/* Prints once that profiles lack the functions of Python. */
static void note_unnamed(struct counting *c) {
  if (!c->unnamed)
    message_note("pprofci: profiles show only C functions of Python; Python 3.12 and later name "
                 "their own functions");
  c->unnamed = true;
}

/* ---- benchmarks -------------------------------------- */

static struct counted *counted_add(struct counting *c, pprofc_str name) {
  size_t before = c->names.count;
  uint32_t id = interner_copy(&c->names, &c->run->arena, name);
  if (id == MAP_NONE) return NULL;
  if (c->names.count == before) return &c->items[id];
  if (!ARRAY_RESERVE(c->run->mem, c->items, c->capacity, c->count + 1)) return NULL;
  struct counted *item = &c->items[c->count++];
  *item = (struct counted){.name = text_keep(&c->run->arena, c->names.items[id])};
  for (int side = 0; side < SIDES; side++) {
    item->runs[side] = arena_zero_array(&c->run->arena, c->runs[side], sizeof *item->runs[side]);
    if (!item->runs[side]) return NULL;
  }
  return item->name ? item : NULL;
}

/* Returns the benchmark whose counts are in a file. A name that occurs twice in one run gets a
 * number. For Go, the last file with a name replaces the earlier files, which are trial runs. */
static struct counted *counted_of(struct counting *c, const struct count_run *run,
                                  pprofc_str name) {
  struct counted *item = counted_add(c, name);
  if (run->group) return item;
  for (size_t n = 2; item && item->runs[run->side][run->number].path; n++) {
    const char *numbered = text_printf(&c->run->arena, "%.*s#%zu", STR_ARG(name), n);
    if (n == 2)
      message_note("pprofci: '%.*s' occurs several times in one run; the repetitions are numbered",
                   STR_ARG(name));
    item = numbered ? counted_add(c, str_of(numbered)) : NULL;
  }
  return item;
}

/* Splits the text that a Go benchmark reports, "BenchmarkFib/n=1 10", into the name of the
 * benchmark and the number of iterations. */
static pprofc_str split_iterations(struct counting *c, const char *group, pprofc_str name,
                                   double *iterations) {
  size_t blank = str_find_last_char(name, ' ');
  double number;
  if (blank < name.size && str_parse_float(str_slice(name, blank + 1, name.size), &number) &&
      number >= 1) {
    *iterations = number;
    name = str_slice(name, 0, blank);
  }
  const char *whole = text_printf(&c->run->arena, "%s::%.*s", group, STR_ARG(name));
  return whole ? str_of(whole) : (pprofc_str){NULL, 0};
}

/* Regular expression of the frames of Go's monitor thread. The work of this thread depends on the
 * clock. */
#define GO_MONITOR "^runtime\\.sysmon\\b"

static pprofc_status part_add(struct counting *c, const struct count_run *run, const char *path,
                              const struct count_part *part, pprofc_error *error) {
  pprofc_str name = part->name;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  double iterations = 1;
  if (run->group) name = split_iterations(c, run->group, name, &iterations);
  struct counted *item = counted_of(c, run, escape_line_keep(name, &c->run->arena));
  const char *to = text_printf(&c->run->arena, "%s.pb.gz", path);
  if (!item || !to) return error_nomem(error);
  struct counted_run *counted = &item->runs[run->side][run->number];
  counted->path = to;
  counted->iterations = iterations;
  counted->allocations = part->allocations.count;
  const char *ignore = run->group ? GO_MONITOR : NULL;
  pprofc_status status = callgrind_convert(path, to, &options, ignore, counted->totals, error);
  bool first = run->side == SIDE_HEAD && !run->number;
  return status == PPROFC_OK && first ? count_note_objects(c, run->folder, to, error) : status;
}

/* ---- a run ------------------------------------------- */

static bool is_count_file(const char *name) {
  return fnmatch("[0-9]*.out", name, 0) == 0 || fnmatch("[0-9]*.out.[0-9]*", name, 0) == 0;
}

static pprofc_status count_entry(struct counting *c, const struct count_run *run, const char *entry,
                                 size_t *found, pprofc_error *error) {
  pprofc_str process = str_slice(str_of(entry), 0, str_find_char(str_of(entry), '.'));
  struct count_part part;
  bool named = false;
  const char *path = text_printf(&c->run->arena, "%s/%s", run->place, entry);
  const char *number = text_keep(&c->run->arena, process);
  if (!path || !number) return error_nomem(error);
  pprofc_status status = take_map(c, run, number, &named, error);
  if (status == PPROFC_OK) status = part_read(c, path, &part, error);
  if (status != PPROFC_OK || !part.name.size) return status;
  *found += 1;
  if (part.python && !named) note_unnamed(c);
  return part_add(c, run, path, &part, error);
}

/* Returns the id of the process that wrote a file. */
static uint64_t count_process(pprofc_str name) {
  uint64_t process = 0;
  (void)str_parse_uint(str_slice(name, 0, str_find_char(name, '.')), 10, &process);
  return process;
}

/* Orders files by process id, then by the number in the name. A longer name has a larger number. */
static int count_order(const struct dirent **a, const struct dirent **b) {
  pprofc_str x = str_of((*a)->d_name), y = str_of((*b)->d_name);
  uint64_t process = count_process(x), other = count_process(y);
  if (process != other) return process < other ? -1 : 1;
  if (x.size != y.size) return x.size < y.size ? -1 : 1;
  return memcmp(x.data, y.data, x.size);
}

pprofc_status count_read(struct counting *c, const struct count_run *run, size_t *found,
                         pprofc_error *error) {
  const char **names;
  size_t count;
  pprofc_status status = files_list(c->run, run->place, count_order, &names, &count, error);
  for (size_t i = 0; status == PPROFC_OK && i < count; i++)
    if (is_count_file(names[i])) status = count_entry(c, run, names[i], found, error);
  return status;
}
