/* Reads the files that a run under callgrind wrote: the counts of each benchmark, and maps of code
 * that a process generated at run time. */
#include "simulate/counting.h"

#include <fnmatch.h>

/* ---- calls of allocators ----------------------------- */

#define IDS_MAX ((uint64_t)1 << 24) /* Function numbers at or above this limit are not stored. */

static const char *const allocators[] = {
    "malloc",         "calloc",   "realloc",          "aligned_alloc",
    "posix_memalign", "memalign", "runtime.mallocgc", NULL};

/* State while calls of allocators, or the bytes that they request, are counted in a file of
 * callgrind. Such a file gives a function's name only at its first use, and later only the
 * function's number. The weight of a function is what one call adds to the sum. */
struct allocations {
  enum allocated kind;
  uint64_t *weights; /* for each function number: the amount that one call of the function adds to
                        `sum` */
  size_t capacity;
  uint64_t sum;
  uint64_t called; /* weight of the last callee in the file */
};

/* First part of the names of the functions that assets/bytes.c calls. The rest of a name is the
 * index of a bit, in octal: "pprofc_bytes_12" stands for bit 10, that is 1,024 bytes. */
#define BYTES "pprofc_bytes_"

/* Returns the weight of a function. Ignores the callers after its name ("malloc'parse'main"). */
static uint64_t call_weight(enum allocated kind, pprofc_str name) {
  uint64_t bit;
  name = str_slice(name, 0, str_find_char(name, '\''));
  if (kind == ALLOCATED_BYTES) {
    bool counts = str_starts(name, STR(BYTES)) &&
                  str_parse_uint(str_slice(name, strlen(BYTES), name.size), 8, &bit) && bit < 64;
    return counts ? (uint64_t)1 << bit : 0;
  }
  return str_any(str_equal, name, allocators);
}

/* Stores the weight of the function with this number. Returns the weight. */
static uint64_t allocations_keep(struct allocations *a, uint64_t id, uint64_t weight) {
  size_t before = a->capacity;
  if (!weight || id >= IDS_MAX || !ARRAY_RESERVE(&ci_mem, a->weights, a->capacity, (size_t)id + 1))
    return 0;
  memset(a->weights + before, 0, (a->capacity - before) * sizeof *a->weights);
  return a->weights[id] = weight;
}

/* Reads a function: "(12) malloc'parse", "(12)" or "malloc". Returns its weight. */
static uint64_t allocations_function(struct allocations *a, pprofc_str text) {
  uint64_t id;
  size_t close = str_find_char(text, ')');
  if (!str_starts(text, STR("(")) || close == text.size ||
      !str_parse_uint(str_slice(text, 1, close), 10, &id))
    return call_weight(a->kind, text);
  pprofc_str name = str_trim(str_slice(text, close + 1, text.size));
  if (!name.size) return id < a->capacity ? a->weights[id] : 0;
  return allocations_keep(a, id, call_weight(a->kind, name));
}

/* Processes one line of a callgrind file: adds the weights of the calls in it. */
static void allocations_take(struct allocations *a, pprofc_str line) {
  static const pprofc_str function = {"fn=", 3}, callee = {"cfn=", 4}, calls = {"calls=", 6};
  uint64_t count;
  if (str_starts(line, function))
    (void)allocations_function(a, str_slice(line, function.size, line.size));
  else if (str_starts(line, callee))
    a->called = allocations_function(a, str_slice(line, callee.size, line.size));
  else if (a->called && str_starts(line, calls) &&
           str_parse_uint(
               str_slice(line, calls.size,
                         calls.size + str_find_char(str_slice(line, calls.size, line.size), ' ')),
               10, &count))
    a->sum += count * a->called;
}

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

/* Finds the benchmark whose counts are in a file, and the calls or bytes of allocators. */
static struct count_part part_read(const struct counting *c, const struct count_run *run,
                                   const char *path) {
  struct buffer text = ci_buffer();
  struct count_part part = {.name = STR(""), .allocations.kind = run->kind};
  pprofc_str line;
  ci_need(file_read(path, &text, &ci_error));
  pprofc_str rest = buffer_str(&text);
  while (rest.data && str_next_line(&rest, &line)) part_take(c, &part, line);
  if (!part.sums) part.name.size = 0;
  ARRAY_FREE(&ci_mem, part.allocations.weights, part.allocations.capacity);
  buffer_free(&text);
  return part;
}

/* ---- maps of code ------------------------------------ */

static void copy_map(const struct count_run *run, const char *from, const char *path) {
  struct buffer text = ci_buffer(), to = ci_buffer();
  ci_need(file_read(from, &text, &ci_error));
  sides_source_files(run->folder, buffer_str(&text), &to);
  ci_need(save_text(path, buffer_str(&to), &ci_error));
  buffer_free(&to);
  buffer_free(&text);
}

/* Moves the code map of a process (the names of its generated code) to the files of the run.
 * Returns true if the process has a map. */
static bool take_map(struct counting *c, const struct count_run *run, pprofc_str process) {
  struct arena *arena = &c->run->arena;
  const char *from = text_printf(arena, "/tmp/perf-%.*s.map", STR_ARG(process));
  const char *to = text_printf(arena, "%s/perf-%.*s.map", run->place, STR_ARG(process));
  if (!sides_own_file(from)) return file_is_regular(to);
  copy_map(run, from, to);
  (void)unlink(from);
  return true;
}

/* Prints once that profiles lack the functions of Python. */
static void note_unnamed(struct counting *c) {
  if (!c->unnamed)
    message_note("pprofci: profiles show only C functions of Python; Python 3.12 and later name "
                 "their own functions");
  c->unnamed = true;
}

/* ---- code without debug information ------------------- */

/* Common end of site-packages and dist-packages, the folders of installed Python modules. */
#define INSTALLED "-packages/"

/* True if the folder has the source of the Python package of an object such as "fastsum/_core.so".
 */
static bool has_source(struct counting *c, const char *folder, pprofc_str object) {
  pprofc_str package = str_slice(object, 0, str_find_char(object, '/'));
  const char *here = text_printf(&c->run->arena, "%s/%.*s", folder, STR_ARG(package));
  const char *in_src = text_printf(&c->run->arena, "%s/src/%.*s", folder, STR_ARG(package));
  return package.size < object.size && (file_is_folder(here) || file_is_folder(in_src));
}

/* True if the project in the folder can build the object (a program file or library). */
static bool is_of_project(struct counting *c, const char *folder, pprofc_str object) {
  size_t installed = str_find(object, STR(INSTALLED)), size = strlen(folder);
  if (installed < object.size)
    return has_source(c, folder, str_slice(object, installed + strlen(INSTALLED), object.size));
  return str_starts(object, str_of(folder)) && object.size > size && object.data[size] == '/' &&
         str_find(object, STR("/node_modules/")) == object.size;
}

/* Prints a message about an object (a program file or library), only once for each object. */
static void note_object(struct counting *c, pprofc_str object) {
  size_t before = c->noted.count;
  (void)interner_copy(&c->noted, &c->run->arena, object);
  if (c->noted.count > before)
    message_note("pprofci: profiles have no lines of '%.*s': build it with -g, and do not strip it "
                 "(Rust: CARGO_PROFILE_RELEASE_DEBUG=1)",
                 STR_ARG(object));
}

/* Checks the program files and libraries of a profile. Prints a message about each file without
 * debug information, such as an extension of Python or an addon of Node. Skips files that the
 * project in `folder` cannot build. */
static void note_objects(struct counting *c, const char *folder, const char *path) {
  pprofc_profile *p = NULL;
  ci_need(pprofc_profile_read_file(path, NULL, &p, &ci_error));
  size_t mappings = pprofc_profile_mapping_count(p), locations = pprofc_profile_location_count(p);
  bool *used = arena_zero_array(&c->run->arena, mappings, sizeof *used);
  bool *lines = arena_zero_array(&c->run->arena, mappings, sizeof *lines);
  for (uint32_t i = 0; i < locations; i++) {
    uint32_t mapping = pprofc_profile_location(p, i).mapping;
    if (mapping >= mappings) continue;
    used[mapping] = true;
    lines[mapping] |= pprofc_profile_line(p, i, 0).line > 0;
  }
  for (uint32_t i = 0; i < mappings; i++) {
    pprofc_str object = pprofc_profile_mapping(p, i).file;
    if (used[i] && !lines[i] && is_of_project(c, folder, object)) note_object(c, object);
  }
  pprofc_profile_release(p);
}

/* ---- benchmarks -------------------------------------- */

/* Returns the benchmark, and adds it if it is new. If only bytes are counted, returns NULL for a
 * new benchmark. */
static struct counted *counted_add(struct counting *c, enum allocated kind, pprofc_str name) {
  size_t before = c->names.count;
  if (kind == ALLOCATED_BYTES && interner_find(&c->names, name) == MAP_NONE) return NULL;
  uint32_t id = interner_copy(&c->names, &c->run->arena, name);
  if (c->names.count == before) return &c->items[id];
  (void)ARRAY_PUSH(c->run->mem, c->items, c->count, c->capacity,
                   (struct counted){.name = text_keep(&c->run->arena, c->names.items[id])});
  struct counted *item = &c->items[c->count - 1];
  for (int side = 0; side < SIDES; side++)
    item->runs[side] = arena_zero_array(&c->run->arena, c->runs[side], sizeof *item->runs[side]);
  return item;
}

/* Returns the benchmark whose counts are in a file. A name that occurs twice in one run gets a
 * number. For Go, the last file with a name replaces the earlier files, which are trial runs.
 * Returns NULL like counted_add. */
static struct counted *counted_of(struct counting *c, const struct count_run *run,
                                  pprofc_str name) {
  struct counted *item = counted_add(c, run->kind, name);
  if (run->group) return item;
  for (size_t n = 2; item && item->runs[run->side][run->number].read[run->kind]; n++) {
    const char *numbered = text_printf(&c->run->arena, "%.*s#%zu", STR_ARG(name), n);
    if (n == 2 && run->kind == ALLOCATED_CALLS)
      message_note("pprofci: '%.*s' occurs several times in one run; the repetitions are numbered",
                   STR_ARG(name));
    item = counted_add(c, run->kind, str_of(numbered));
  }
  return item;
}

/* Removes a number from the end of the text, and returns it. */
static uint64_t take_number(pprofc_str *text) {
  size_t blank = str_find_last_char(*text, ' ');
  uint64_t number = 0;
  if (blank < text->size && str_parse_uint(str_slice(*text, blank + 1, text->size), 10, &number))
    *text = str_slice(*text, 0, blank);
  return number;
}

/* Functions of Go's runtime whose instructions vary, so that they are not counted. The work of
 * sysmon depends on the clock. allocToCache takes 64 pages at a time: earlier benchmarks and the
 * number of threads decide which benchmark calls it. */
#define GO_UNCOUNTED "^runtime\\.(sysmon|\\(\\*pageAlloc\\)\\.allocToCache)\\b"

/* Root function of the threads on which V8 works beside the benchmark. The system decides if they
 * work, or end, during a benchmark. */
#define NODE_UNCOUNTED "^node::\\(anonymous namespace\\)::PlatformWorkerThread\\("

static void part_add(struct counting *c, const struct count_run *run, const char *path,
                     const struct count_part *part) {
  pprofc_str name = part->name;
  uint64_t bytes = 0;
  double iterations = 1;
  if (run->group) { /* "BenchmarkFib/n=1 10 4096": name, number of iterations, allocated bytes */
    bytes = take_number(&name);
    iterations = fmax(1, (double)take_number(&name));
    name = str_of(text_printf(&c->run->arena, "%s::%.*s", run->group, STR_ARG(name)));
  }
  struct counted *item = counted_of(c, run, escape_line_keep(name, &c->run->arena));
  if (!item) return;
  struct counted_run *counted = &item->runs[run->side][run->number];
  counted->allocated[ALLOCATED_BYTES] = bytes;
  counted->read[ALLOCATED_BYTES] = run->group != NULL;
  counted->allocated[run->kind] = part->allocations.sum;
  counted->read[run->kind] = true;
  if (run->kind == ALLOCATED_BYTES) return;
  const char *to = text_printf(&c->run->arena, "%s.pb.gz", path);
  counted->path = to;
  counted->iterations = iterations;
  const struct callgrind_edits edits = {run->group ? GO_UNCOUNTED : NODE_UNCOUNTED,
                                        sides_tree_end(c->run)};
  ci_need(callgrind_convert(path, to, NULL, &edits, counted->totals, &ci_error));
  if (run->side == SIDE_HEAD && !run->number) note_objects(c, run->folder, to);
}

/* ---- a run ------------------------------------------- */

static bool is_count_file(const char *name) {
  return fnmatch("[0-9]*.out", name, 0) == 0 || fnmatch("[0-9]*.out.[0-9]*", name, 0) == 0;
}

/* Reads a file. Returns true if it has the counts of a benchmark. */
static bool count_entry(struct counting *c, const struct count_run *run, const char *entry) {
  pprofc_str process = str_slice(str_of(entry), 0, str_find_char(str_of(entry), '.'));
  const char *path = text_printf(&c->run->arena, "%s/%s", run->place, entry);
  bool named = take_map(c, run, process);
  const struct count_part part = part_read(c, run, path);
  if (!part.name.size) return false;
  if (part.python && !named) note_unnamed(c);
  part_add(c, run, path, &part);
  return true;
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

size_t count_read(struct counting *c, const struct count_run *run) {
  size_t found = 0;
  for (const char *const *name = files_list(c->run, run->place, count_order); *name; name++)
    if (is_count_file(*name)) found += count_entry(c, run, *name);
  return found;
}
