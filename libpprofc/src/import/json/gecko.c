/* Reads profiles in the format in which Firefox records, before the Firefox Profiler processes
 * them. The developer tools of Firefox 42 to 70 and the built-in profiler write these files. A
 * table is a list of rows with a schema that names the columns. In the oldest files each sample
 * lists its frames. */
#include "import/json/trace.h"

/* The newest `meta.version` that was tested. */
#define NEWEST_GECKO 36

struct gecko {
  struct arena *arena;
  pprofc_builder *builder;
  bool scripts_only; /* true for recordings of the developer tools: only the scripts of web pages
                        are shown */
  struct call_paths paths;
  const struct node **profiles; /* profiles of all processes, child processes after their parents */
  size_t profile_count, profile_room;
  /* Numbers of all samples, of samples without a stack, and of samples of hidden threads. */
  uint64_t read, empty, hidden;
};

struct gecko_table {
  const struct node *rows, *schema;
};

struct gecko_thread {
  struct gecko *g;
  const struct node *thread, *strings;
  struct gecko_table stacks, frames;
  uint32_t *locations; /* location of each frame; PPROFC_NONE if the frame is hidden */
  uint32_t *paths;     /* call path of each stack entry; MAP_NONE if all its frames are hidden */
  size_t path_count;
};

/* ---- tables ------------------------------------------ */

static struct gecko_table gecko_table_of(const struct node *thread, const char *name) {
  const struct node *table = node_get(thread, name);
  return (struct gecko_table){node_get(table, "data"), node_get(table, "schema")};
}

/* Returns the index of a column in the rows of a table, or SIZE_MAX if there is no such column. */
static size_t gecko_column(const struct gecko_table *table, const char *name) {
  size_t index;
  return json_index(node_get(table->schema, name), &index) ? index : SIZE_MAX;
}

/* Returns the value of a cell, or NULL if the row does not have the cell. */
static const struct node *gecko_cell(const struct gecko_table *table, size_t row, size_t column) {
  return node_at(node_at(table->rows, row), column);
}

/* ---- frames ------------------------------------------ */

struct gecko_place {
  pprofc_str name, file;
  int64_t line, column; /* line and column, counted from 1, or 0 if unknown */
};

/* Removes the number of the source file, such as "[7]" in "alpha (FILE:14:13)[7]". Firefox appends
 * this number since version 32 of the format. */
static pprofc_str gecko_without_source(pprofc_str location) {
  size_t open = str_find_last_char(location, '[');
  uint64_t source;
  bool has_source = str_ends(location, STR("]")) && open && open < location.size &&
                    location.data[open - 1] == ')' &&
                    str_parse_uint(str_slice(location, open + 1, location.size - 1), 10, &source);
  return has_source ? str_slice(location, 0, open) : location;
}

/* Parses "alpha (http://localhost/simple.js:14:13)". In the text, columns count from 0. Returns
 * false for native frames. */
static bool gecko_script(pprofc_str location, struct gecko_place *place) {
  location = gecko_without_source(location);
  *place = (struct gecko_place){.name = location};
  if (!str_ends(location, STR(")"))) return false;
  size_t open = location.size;
  while (open > 0 &&
         !(location.data[open - 1] == '(' && open > 1 && location.data[open - 2] == ' '))
    open--;
  if (open < 2) return false;
  pprofc_str file = str_slice(location, open, location.size - 1);
  int64_t last = 0, first = 0;
  bool one = import_take_number(&file, &last);
  bool two = one && import_take_number(&file, &first);
  place->name = str_trim(str_slice(location, 0, open - 1));
  place->file = file;
  place->line = (two ? first : last) & INT32_MAX;
  place->column = two ? (last & INT32_MAX) + 1 : 0;
  return true;
}

static bool gecko_is_internal(pprofc_str file) {
  return str_starts(file, STR("resource:")) || str_equal(file, STR("self-hosted")) ||
         str_starts(file, STR("self-hosted:"));
}

static uint32_t gecko_location(struct gecko *g, pprofc_str text, const struct node *line) {
  struct gecko_place place;
  bool script = gecko_script(text, &place);
  if (g->scripts_only && (!script || gecko_is_internal(place.file))) return PPROFC_NONE;
  if (!place.name.size) place.name = STR("(anonymous)");
  int64_t number;
  if (!place.line && node_to_integer(line, &number) && number > 0 && script) place.line = number;
  return json_frame(g->builder, place.name, place.file, place.line, place.column);
}

static void gecko_read_frames(struct gecko_thread *t) {
  size_t count = node_size(t->frames.rows);
  size_t location = gecko_column(&t->frames, "location"), line = gecko_column(&t->frames, "line");
  t->locations = mem_zero_array(t->g->arena->mem, count, sizeof *t->locations);
  import_need(t->g->builder, t->locations != NULL);
  for (size_t i = 0; t->locations && i < count; i++) {
    size_t text;
    const struct node *name = NULL;
    if (json_index(gecko_cell(&t->frames, i, location), &text)) name = node_at(t->strings, text);
    t->locations[i] = gecko_location(t->g, json_id(name), gecko_cell(&t->frames, i, line));
  }
}

/* ---- samples ----------------------------------------- */

/* Appends a frame to a call path, unless the frame is hidden. Returns the new path. */
static uint32_t gecko_enter(struct gecko *g, uint32_t location, uint32_t path) {
  return location == PPROFC_NONE ? path : call_paths_enter(&g->paths, path, location);
}

/* Makes the call paths of the stack table, in which callers come before their callees. */
static void gecko_read_paths(struct gecko_thread *t) {
  size_t count = node_size(t->stacks.rows), frames = node_size(t->frames.rows);
  size_t frame = gecko_column(&t->stacks, "frame"), prefix = gecko_column(&t->stacks, "prefix");
  t->paths = mem_array(t->g->arena->mem, count, sizeof *t->paths);
  t->path_count = count;
  import_need(t->g->builder, t->paths != NULL);
  for (size_t i = 0; i < count && builder_ok(t->g->builder); i++) {
    size_t index, caller;
    uint32_t location = PPROFC_NONE, path = MAP_NONE;
    if (json_index(gecko_cell(&t->stacks, i, frame), &index) && index < frames)
      location = t->locations[index];
    if (json_index(gecko_cell(&t->stacks, i, prefix), &caller) && caller < i)
      path = t->paths[caller];
    t->paths[i] = gecko_enter(t->g, location, path);
  }
}

static uint32_t gecko_path(const struct gecko_thread *t, const struct node *cell) {
  size_t stack;
  return json_index(cell, &stack) && stack < t->path_count ? t->paths[stack] : MAP_NONE;
}

/* Returns the call path of a sample that lists its frames, root first, as in the oldest files. */
static uint32_t gecko_listed_path(struct gecko *g, const struct node *frames) {
  uint32_t path = MAP_NONE;
  for (size_t i = 0; i < node_size(frames); i++) {
    const struct node *frame = node_at(frames, i), *text = node_get(frame, "location");
    uint32_t location = gecko_location(g, json_id(text ? text : frame), node_get(frame, "line"));
    path = gecko_enter(g, location, path);
  }
  return path;
}

/* Adds a sample, and records that it began at *at and lasted for `time` nanoseconds. `at` is NULL
 * if the file has no time for the sample. */
static void gecko_add(struct gecko *g, const struct node *thread, uint32_t path, const int64_t *at,
                      int64_t time) {
  int64_t values[2] = {1, time > 0 ? time : 0};
  g->empty += path == MAP_NONE;
  if (path == MAP_NONE) return;
  g->read++;
  call_paths_sample(&g->paths, path, values);
  const struct trace_thread names = {.name = node_text(thread, "name"),
                                     .pid = json_id(node_get(thread, "pid")),
                                     .tid = json_id(node_get(thread, "tid"))};
  trace_label(g->builder, &names);
  if (at) builder_event(g->builder, trace_track(g->builder, &names), *at, time);
}

static size_t gecko_sample_count(const struct node *thread) {
  const struct node *list = node_get(thread, "samples");
  return node_size(node_is(list, NODE_ARRAY) ? list : node_get(list, "data"));
}

/* Adds the samples of a thread. A sample lasts until the next sample. */
static void gecko_add_samples(struct gecko_thread *t) {
  const struct node *list = node_get(t->thread, "samples");
  bool listed = node_is(list, NODE_ARRAY);
  struct gecko_table samples = gecko_table_of(t->thread, "samples");
  size_t count = gecko_sample_count(t->thread);
  size_t time_column = gecko_column(&samples, "time"), stack = gecko_column(&samples, "stack");
  for (size_t i = 0; i < count && builder_ok(t->g->builder); i++) {
    const struct node *item = node_at(list, i), *next = node_at(list, i + 1);
    uint32_t path = gecko_path(t, gecko_cell(&samples, i, stack));
    const struct node *cell =
        listed ? node_get(item, "time") : gecko_cell(&samples, i, time_column);
    bool timed = json_id(cell).size != 0;
    int64_t at = json_scaled(t->g->builder, cell, 6);
    int64_t end =
        json_scaled(t->g->builder,
                    listed ? node_get(next, "time") : gecko_cell(&samples, i + 1, time_column), 6);
    int64_t time;
    if (i + 1 == count || !timed || __builtin_sub_overflow(end, at, &time)) time = 0;
    if (listed) path = gecko_listed_path(t->g, node_get(item, "frames"));
    gecko_add(t->g, t->thread, path, timed ? &at : NULL, time);
  }
}

static void gecko_read_thread(struct gecko *g, const struct node *profile,
                              const struct node *thread) {
  const struct node *strings = node_get(thread, "stringTable");
  struct gecko_thread t = {.g = g,
                           .thread = thread,
                           .strings = strings ? strings : node_get(profile, "stringTable"),
                           .stacks = gecko_table_of(thread, "stackTable"),
                           .frames = gecko_table_of(thread, "frameTable")};
  gecko_read_frames(&t);
  gecko_read_paths(&t);
  gecko_add_samples(&t);
  mem_free(g->arena->mem, t.paths, t.path_count, sizeof *t.paths);
  mem_free(g->arena->mem, t.locations, node_size(t.frames.rows), sizeof *t.locations);
}

/* ---- the file ---------------------------------------- */

/* True if a thread is not hidden. In recordings of the developer tools only the main thread is
 * shown. */
static bool gecko_is_shown(const struct gecko *g, const struct node *threads, size_t i) {
  if (!g->scripts_only || node_size(threads) == 1) return true;
  return str_equal(node_text(node_at(threads, i), "name"), STR("GeckoMain"));
}

static void gecko_push(struct gecko *g, const struct node *profile) {
  import_need(g->builder,
              ARRAY_PUSH_IN(g->arena, g->profiles, g->profile_count, g->profile_room, profile));
}

static void gecko_read(struct gecko *g, const struct node *profile) {
  gecko_push(g, profile);
  for (size_t i = 0; i < g->profile_count && builder_ok(g->builder); i++) {
    const struct node *threads = node_get(g->profiles[i], "threads");
    const struct node *processes = node_get(g->profiles[i], "processes");
    for (size_t k = 0; k < node_size(threads) && builder_ok(g->builder); k++) {
      const struct node *thread = node_at(threads, k);
      if (!gecko_is_shown(g, threads, k))
        g->hidden += gecko_sample_count(thread);
      else
        gecko_read_thread(g, g->profiles[i], thread);
    }
    for (size_t k = 0; k < node_size(processes); k++) gecko_push(g, node_at(processes, k));
  }
}

static bool gecko_is_profile(const struct node *profile) {
  const struct node *thread = node_at(node_get(profile, "threads"), 0);
  const struct node *samples = node_get(thread, "samples");
  bool rows = node_get(samples, "schema") && node_is(node_get(samples, "data"), NODE_ARRAY);
  return rows || node_get(node_at(samples, 0), "frames");
}

JSON_SHAPE(json_gecko) {
  const struct node *inside = node_get(root, "profile");
  const struct node *profile = inside ? inside : root;
  if (!gecko_is_profile(profile)) return false;
  struct gecko g = {.arena = arena, .builder = builder, .scripts_only = inside != NULL};
  call_paths_init(&g.paths, arena->mem, builder);
  int64_t interval = json_scaled(builder, node_path(profile, "meta.interval"), 6);
  json_wall_types(builder, interval > 0 ? interval : 0);
  gecko_read(&g, profile);
  import_account_one(builder, g.read, "samples", g.empty, "sample has no stack that is shown",
                     "samples have no stack that is shown");
  import_note_count(builder, g.hidden, "sample is of a thread that is not shown",
                    "samples are of threads that are not shown");
  import_compare_version(builder, "Firefox's profiles",
                         json_member_int(node_get(profile, "meta"), "version", 0), NEWEST_GECKO);
  call_paths_free(&g.paths);
  return true;
}
