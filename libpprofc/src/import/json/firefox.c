/* Reads processed profiles of the Firefox Profiler, which samply also writes. A table has one array
 * for each column. In older files each thread has its own tables; in newer files threads share
 * them. For native code without names, as in samply's files, the reader keeps library and address,
 * so that the symbolizer can find the names. */
#include "import/json/trace.h"

/* The newest preprocessedProfileVersion that was tested. */
#define NEWEST_VERSION 70

/* Unit of the weights of a thread's samples. */
enum weight { WEIGHT_SAMPLES, WEIGHT_TIME, WEIGHT_BYTES, WEIGHT_COUNT };

static const struct {
  const char *name, *type, *unit;
  double factor;
} weights[WEIGHT_COUNT] = {
    {"samples", "samples", "count", 1},
    {"tracing-ms", "wall", "nanoseconds", 1e6},
    {"bytes", "space", "bytes", 1},
};

/* Tables of one thread: its own tables, or the tables that all threads share. */
struct firefox_tables {
  const struct node *strings, *stack_frame, *stack_prefix, *prefix_offset;
  const struct node *frame_func, *frame_line, *frame_column, *frame_address;
  const struct node *func_name, *func_file, *func_source, *sources;
  const struct node *func_resource, *resource_lib;
  /* Library of each frame, since version 70 of the format. In earlier versions the resource of a
   * function names the library. */
  const struct node *frame_lib;
};

struct firefox_reader {
  pprofc_builder *builder;
  struct arena *arena;
  const struct node *root;
  bool has[WEIGHT_COUNT], has_cpu, cpu_is_cycles;
  double cpu_factor;            /* factor that converts threadCPUDelta to nanoseconds */
  struct firefox_tables tables; /* tables of the current thread */
  struct trace_thread thread;   /* the current thread: its names and ids */
  struct call_paths paths;
  uint32_t *path; /* call path of each stack entry; MAP_NONE if the entry has no frames */
  size_t path_count;
  bool has_frames; /* true if each frame of the tables has a function */
  size_t read, missing;
  int64_t said; /* number of samples according to the `length` of the lists of samples; -1 if a list
                   has no valid `length` */
  size_t listed;    /* number of samples that the lists of samples contain */
  int64_t interval; /* sampling interval in nanoseconds; 0 if unknown */
  const struct node *libs;
  uint32_t *mappings; /* mapping of each library; NONE: not added yet */
};

static const struct node *table_of(const struct node *thread, const struct node *shared,
                                   const char *name) {
  const struct node *own = node_get(thread, name);
  return own ? own : node_get(shared, name);
}

static void find_tables(const struct node *thread, const struct node *root,
                        struct firefox_tables *t) {
  const struct node *shared = node_get(root, "shared");
  const struct node *stacks = table_of(thread, shared, "stackTable");
  const struct node *frames = table_of(thread, shared, "frameTable");
  const struct node *funcs = table_of(thread, shared, "funcTable");
  const struct node *strings = table_of(thread, shared, "stringArray");
  const struct node *resources = table_of(thread, shared, "resourceTable");
  if (!strings) strings = table_of(thread, shared, "stringTable");
  *t = (struct firefox_tables){
      .strings = strings,
      .stack_frame = node_get(stacks, "frame"),
      .stack_prefix = node_get(stacks, "prefix"),
      .prefix_offset = node_get(stacks, "prefixOffset"),
      .frame_func = node_get(frames, "func"),
      .frame_line = node_get(frames, "line"),
      .frame_column = node_get(frames, "column"),
      .frame_address = node_get(frames, "address"),
      .func_name = node_get(funcs, "name"),
      .func_file = node_get(funcs, "fileName"),
      .func_source = node_get(funcs, "source"),
      .sources = table_of(thread, shared, "sources"),
      .func_resource = node_get(funcs, "resource"),
      .resource_lib = node_get(resources, "lib"),
      .frame_lib = node_get(frames, "lib"),
  };
}

static bool index_at(const struct node *array, size_t i, size_t *index) {
  return json_index(node_at(array, i), index);
}

static int64_t number_at(const struct node *array, size_t i, int64_t otherwise) {
  const struct node *value = node_at(array, i);
  int64_t number;
  return node_to_integer(value, &number) ? number : otherwise;
}

static pprofc_str string_at(const struct firefox_tables *t, const struct node *array, size_t i) {
  size_t index;
  const struct node *text = index_at(array, i, &index) ? node_at(t->strings, index) : NULL;
  return node_is(text, NODE_STRING) ? text->text : STR("");
}

/* Returns the file of a function: the file of its source if the function table has sources, else
 * its member fileName. */
static pprofc_str file_of(const struct firefox_tables *t, size_t function) {
  size_t source;
  if (t->func_source && index_at(t->func_source, function, &source))
    return string_at(t, node_get(t->sources, "filename"), source);
  return string_at(t, t->func_file, function);
}

/* ---- native code ------------------------------------- */

/* Returns the mapping of a library, and adds the mapping if it is new. The mapping covers the whole
 * address space, because addresses are relative to the library. */
static uint32_t firefox_mapping(struct firefox_reader *r, size_t index) {
  const struct node *lib = node_at(r->libs, index);
  pprofc_str path = node_text(lib, "path");
  struct mapping mapping = {.start = 0, .limit = UINT64_MAX};
  if (!path.size) path = node_text(lib, "name");
  if (r->mappings[index] != NONE || !path.size) return r->mappings[index];
  mapping.file = builder_string(r->builder, path);
  mapping.build_id = builder_string(r->builder, node_text(lib, "codeId"));
  r->mappings[index] = builder_add_mapping(r->builder, &mapping);
  return r->mappings[index];
}

/* Finds the libraries. Adds the mapping of the program itself, because the first mapping of a
 * profile must be the main binary. */
static void firefox_find_libs(struct firefox_reader *r) {
  r->libs = node_get(r->root, "libs");
  size_t count = node_size(r->libs);
  pprofc_str product = node_text(node_get(r->root, "meta"), "product");
  r->mappings = arena_array(r->arena, count + 1, sizeof *r->mappings);
  if (!import_need(r->builder, r->mappings != NULL)) return;
  for (size_t i = 0; i < count; i++) r->mappings[i] = NONE;
  for (size_t i = 0; i < count; i++)
    if (product.size && str_equal(node_text(node_at(r->libs, i), "name"), product)) {
      firefox_mapping(r, i);
      break;
    }
}

/* True if a frame's name is only its address. Sets the library and the address of this frame. */
static bool firefox_is_unnamed(const struct firefox_reader *r, size_t frame, size_t function,
                               size_t *lib, uint64_t *address) {
  const struct firefox_tables *t = &r->tables;
  pprofc_str name = string_at(t, t->func_name, function);
  size_t resource;
  int64_t number = number_at(t->frame_address, frame, -1);
  if (number < 0 || !str_starts(name, STR("0x"))) return false;
  if (!str_parse_uint(str_from(name, 2), 16, address) || *address != (uint64_t)number) return false;
  bool found = index_at(t->frame_lib, frame, lib);
  if (!t->frame_lib)
    found =
        index_at(t->func_resource, function, &resource) && index_at(t->resource_lib, resource, lib);
  return found && *lib < node_size(r->libs);
}

/* ---- stacks ------------------------------------------ */

static bool firefox_read_frame(struct firefox_reader *r, const struct firefox_tables *t,
                               size_t frame, uint32_t *location) {
  size_t function;
  if (!index_at(t->frame_func, frame, &function)) return false;
  size_t lib;
  uint64_t place;
  if (firefox_is_unnamed(r, frame, function, &lib, &place) && firefox_mapping(r, lib) != NONE) {
    *location = pprofc_builder_location(r->builder, r->mappings[lib], place, NULL, 0);
    return true;
  }
  pprofc_str name = string_at(t, t->func_name, function);
  char unnamed[32];
  if (!name.size) {
    int64_t address = number_at(t->frame_address, frame, 0);
    snprintf(unnamed, sizeof unnamed, "0x%llx", (unsigned long long)(address > 0 ? address : 0));
    name = str_of(unnamed);
  }
  *location = json_frame(r->builder, name, file_of(t, function), number_at(t->frame_line, frame, 0),
                         number_at(t->frame_column, frame, 0));
  return true;
}

/* Finds the caller of a stack entry. Returns false at the root. A caller has a smaller index than
 * its callees, so a walk to the root ends. */
static bool caller_of(const struct firefox_tables *t, size_t stack, size_t *caller) {
  size_t offset;
  if (t->prefix_offset) {
    if (!index_at(t->prefix_offset, stack, &offset) || offset == 0 || offset > stack) return false;
    *caller = stack - offset;
    return true;
  }
  return index_at(t->stack_prefix, stack, caller) && *caller < stack;
}

/* Returns the location of each frame of the frame table, or NULL when out of memory. Sets
 * r->has_frames to false if a frame has no function. */
static uint32_t *firefox_read_frames(struct firefox_reader *r, size_t count) {
  uint32_t *locations = arena_zero_array(r->arena, count ? count : 1, sizeof *locations);
  r->has_frames = locations != NULL;
  for (size_t i = 0; i < count && r->has_frames; i++)
    r->has_frames = firefox_read_frame(r, &r->tables, i, &locations[i]);
  return locations;
}

/* Makes the call paths of a thread's stack table, unless the previous thread has the same
 * tables. */
static void firefox_read_tables(struct firefox_reader *r, const struct node *thread) {
  struct firefox_tables tables;
  find_tables(thread, r->root, &tables);
  if (r->path && memcmp(&tables, &r->tables, sizeof tables) == 0) return;
  r->tables = tables;
  size_t frames = node_size(tables.frame_func), count = node_size(tables.stack_frame);
  uint32_t *locations = firefox_read_frames(r, frames);
  r->path = arena_array(r->arena, count ? count : 1, sizeof *r->path);
  if (!import_need(r->builder, locations && r->path)) return;
  r->path_count = count;
  for (size_t i = 0; i < count && builder_ok(r->builder); i++) {
    size_t frame, caller;
    r->path[i] = caller_of(&tables, i, &caller) ? r->path[caller] : MAP_NONE;
    if (!index_at(tables.stack_frame, i, &frame) || frame >= frames) continue;
    r->path[i] = call_paths_enter(&r->paths, r->path[i], locations[frame]);
  }
}

/* ---- threads ----------------------------------------- */

static enum weight weight_of(const struct node *samples) {
  pprofc_str name = node_text(samples, "weightType");
  for (size_t i = 0; i < WEIGHT_COUNT; i++)
    if (str_equal(name, str_of(weights[i].name))) return (enum weight)i;
  return WEIGHT_SAMPLES;
}

static void firefox_add_sample(struct firefox_reader *r, const struct node *samples, size_t i,
                               uint32_t path) {
  int64_t values[WEIGHT_COUNT + 1] = {0};
  size_t count = 0;
  enum weight kind = weight_of(samples);
  const struct node *list = node_get(samples, "weight");
  double weight = node_is(list, NODE_ARRAY) ? json_amount(r->builder, node_at(list, i), 0) : 1;
  for (size_t k = 0; k < WEIGHT_COUNT; k++) {
    if (!r->has[k]) continue;
    double value = k == (size_t)kind ? weight * weights[k].factor : 0;
    values[count++] = json_rounded(r->builder, node_at(list, i), value);
  }
  if (r->has_cpu) {
    const struct node *delta = node_at(node_get(samples, "threadCPUDelta"), i);
    double cpu = json_amount(r->builder, delta, 0) * r->cpu_factor;
    values[count++] = json_rounded(r->builder, delta, cpu);
  }
  call_paths_sample(&r->paths, path, values);
  trace_label(r->builder, &r->thread);
}

/* Clock of a thread: reads the times of samples (`times`). Some files have the differences between
 * these times instead (`deltas`). */
struct firefox_clock {
  const struct node *times, *deltas;
  int64_t now, next;      /* times of the current sample and of the next sample, in nanoseconds */
  bool known, next_known; /* true if the file states `now` and `next` */
  size_t count;
  uint32_t track;
};

/* Stores the time of sample i as the time of the next sample (c->next). */
static void firefox_read_time(struct firefox_reader *r, struct firefox_clock *c, size_t i) {
  const struct node *node = node_at(c->times ? c->times : c->deltas, i);
  int64_t time = json_scaled(r->builder, node, 6), sum;
  c->next_known = json_id(node).size != 0;
  if (!c->times) time = __builtin_add_overflow(c->next, time, &sum) ? c->next : sum;
  c->next = time;
}

static void firefox_clock_start(struct firefox_reader *r, struct firefox_clock *c,
                                const struct node *samples) {
  *c = (struct firefox_clock){.times = node_get(samples, "time"),
                              .deltas = node_get(samples, "timeDeltas"),
                              .count = node_size(node_get(samples, "stack"))};
  if (!builder_keeps_times(r->builder)) return;
  c->track = trace_track(r->builder, &r->thread);
  firefox_read_time(r, c, 0);
}

/* Makes sample i the current sample. */
static void firefox_clock_move(struct firefox_reader *r, struct firefox_clock *c, size_t i) {
  if (!builder_keeps_times(r->builder)) return;
  c->now = c->next;
  c->known = c->next_known;
  if (i + 1 < c->count) firefox_read_time(r, c, i + 1);
}

/* Records the time of the current sample, if the file has its time. The sample lasts until the next
 * sample. If the next sample is more than two sampling intervals later, it lasts one interval. */
static void firefox_add_event(struct firefox_reader *r, const struct firefox_clock *c) {
  int64_t duration;
  if (!c->known) return;
  if (__builtin_sub_overflow(c->next, c->now, &duration) || duration <= 0 ||
      (r->interval && duration / 2 > r->interval))
    duration = r->interval;
  builder_event(r->builder, c->track, c->now, duration);
}

static void firefox_read_thread(struct firefox_reader *r, const struct node *thread) {
  const struct node *samples = node_get(thread, "samples"), *stacks = node_get(samples, "stack");
  int64_t said = json_member_int(samples, "length", -1);
  firefox_read_tables(r, thread);
  r->thread = (struct trace_thread){.name = json_id(node_get(thread, "name")),
                                    .process = json_id(node_get(thread, "processName")),
                                    .pid = json_id(node_get(thread, "pid")),
                                    .tid = json_id(node_get(thread, "tid"))};
  r->said = r->said < 0 || said < 0 || said > INT32_MAX ? -1 : r->said + said;
  r->listed += node_size(stacks);
  struct firefox_clock clock;
  firefox_clock_start(r, &clock, samples);
  for (size_t i = 0; i < node_size(stacks) && builder_ok(r->builder); i++) {
    size_t stack;
    bool good = r->has_frames && index_at(stacks, i, &stack);
    r->read += good;
    r->missing += !good;
    firefox_clock_move(r, &clock, i);
    if (!good) continue;
    firefox_add_sample(r, samples, i, stack < r->path_count ? r->path[stack] : MAP_NONE);
    firefox_add_event(r, &clock);
  }
}

static void firefox_find_cpu(struct firefox_reader *r) {
  pprofc_str unit = node_text(node_path(r->root, "meta.sampleUnits"), "threadCPUDelta");
  /* The units of CPU time are nanoseconds, "variable CPU cycles", and microseconds ("µs"). */
  r->cpu_is_cycles = str_starts(unit, STR("variable"));
  r->cpu_factor = !unit.size || unit.data[0] == 'n' || r->cpu_is_cycles ? 1 : 1e3;
  if (!r->has_cpu) return;
  if (r->cpu_is_cycles)
    pprofc_builder_type(r->builder, "cycles", "count");
  else
    pprofc_builder_type(r->builder, "cpu", "nanoseconds");
}

static void firefox_find_types(struct firefox_reader *r, const struct node *threads) {
  for (size_t i = 0; i < node_size(threads); i++) {
    const struct node *samples = node_get(node_at(threads, i), "samples");
    if (!node_size(node_get(samples, "stack"))) continue;
    r->has[weight_of(samples)] = true;
    r->has_cpu |= node_is(node_get(samples, "threadCPUDelta"), NODE_ARRAY);
  }
  if (!r->has[WEIGHT_TIME] && !r->has[WEIGHT_BYTES]) r->has[WEIGHT_SAMPLES] = true;
  for (size_t k = 0; k < WEIGHT_COUNT; k++)
    if (r->has[k]) pprofc_builder_type(r->builder, weights[k].type, weights[k].unit);
  firefox_find_cpu(r);
}

/* Adds comments to the profile about samples without a stack. Also adds a comment if the number of
 * samples differs from the number that the file states. */
static void firefox_account(struct firefox_reader *r, const struct node *meta) {
  import_account_one(r->builder, r->read, "samples", r->missing, "sample has no stack",
                     "samples have no stack");
  if (r->said >= 0) import_compare_total(r->builder, "samples", (uint64_t)r->said, r->listed);
  import_compare_version(r->builder, "the Firefox Profiler's format",
                         json_member_int(meta, "preprocessedProfileVersion", 0), NEWEST_VERSION);
}

/* Reads the sampling interval and the start time of the recording. */
static void firefox_read_clock(struct firefox_reader *r, const struct node *meta) {
  double interval = json_member_number(meta, "interval", 0);
  double start = json_member_number(meta, "startTime", 0);
  if (start > 0 && start < 9e12) builder_clock_zero(r->builder, (int64_t)(start * 1e6));
  if (interval > 0 && interval < 1e9) r->interval = (int64_t)(interval * 1e6);
  if (interval > 0 && interval < 1e9)
    pprofc_builder_period(r->builder, "wall", "nanoseconds", r->interval);
}

JSON_SHAPE(json_firefox) {
  const struct node *meta = node_get(root, "meta"), *threads = node_get(root, "threads");
  if (!node_is(threads, NODE_ARRAY) || !node_get(meta, "preprocessedProfileVersion")) return false;
  struct firefox_reader r = {.builder = builder, .arena = arena, .root = root};
  call_paths_init(&r.paths, arena->mem, builder);
  firefox_find_libs(&r);
  firefox_find_types(&r, threads);
  firefox_read_clock(&r, meta);
  for (size_t i = 0; i < node_size(threads) && builder_ok(builder); i++)
    firefox_read_thread(&r, node_at(threads, i));
  firefox_account(&r, meta);
  call_paths_free(&r.paths);
  return true;
}
