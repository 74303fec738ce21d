/* Reads speedscope files, which py-spy, rbspy, dotnet-trace and pprofc write. */
#include "import/json/json.h"

#define MAX_TYPES 64u
/* Number of samples after which the reader frees the text of these samples. */
#define DROP_EVERY THRESHOLD(4096u)

/* One profile of the file. Its weights become values of one sample type. Its name becomes a label,
 * unless the name is a sample type. */
struct speedscope_member {
  const struct node *profile;
  pprofc_str name, unit;
  size_t type;
  double carry;  /* rounding error carried to the next weight */
  bool is_timed; /* true if the reader records the times of the samples: the unit is a time, and the
                    samples are in order of time */
  uint32_t track; /* track (thread) to which the times of the samples are added */
  double clock;   /* start of the next sample in the unit of the profile */
};

/* The previous stack of a packed list (core/json_tree.h). The next stack reuses the first frames of
 * the previous stack if the text of these frames is equal. */
struct speedscope_stack {
  const char *text;
  uint32_t *paths; /* call path of each frame of the previous stack, root first */
  size_t *ends; /* for each frame: size of the text up to and including the comma or bracket after
                   the frame */
  size_t depth, path_room, end_room;
};

struct speedscope_reader {
  pprofc_builder *builder;
  const struct node *frames;
  uint32_t *location; /* location of each frame */
  size_t frame_count;
  struct speedscope_member *members; /* profiles of the file, in the order of the file */
  size_t member_count, type_count;
  const struct speedscope_member *types[MAX_TYPES]; /* first profile of each sample type */
  bool names_are_types; /* true for files of pprofc whose profiles are named after sample types */
  bool is_ours; /* true for files of pprofc, in which times count from the start of the recording */
  struct arena *arena;
  struct call_paths paths;
  struct speedscope_stack stack;
  uint32_t *steps; /* for each event of the current profile: call path after the event */
  size_t step_room;
  size_t open; /* number of frames that the events opened but did not close */
  size_t read; /* number of events and samples that were read */
  size_t bad;  /* number of invalid events and samples */
  size_t fractions;
};

static const char *pprof_unit(pprofc_str unit) {
  return str_equal(unit, STR("none")) || !unit.size ? "count" : unit.data;
}

/* Returns the factor that converts weights of a unit to integers, and sets *name to the new unit.
 * Weights may be fractions of their unit, so the reader converts times to nanoseconds. */
static double unit_scale_to_int(pprofc_str unit, const char **name) {
  static const struct {
    const char *unit;
    double nanoseconds;
  } times[] = {{"seconds", 1e9}, {"milliseconds", 1e6}, {"microseconds", 1e3}, {"nanoseconds", 1}};
  for (size_t i = 0; i < 4; i++)
    if (str_equal(unit, str_of(times[i].unit))) {
      *name = "nanoseconds";
      return times[i].nanoseconds;
    }
  *name = pprof_unit(unit);
  return 1;
}

/* ---- types ------------------------------------------- */

/* Returns the sample type for a unit, for files in which profiles are not named after types. */
static const char *type_of_unit(const char *unit) {
  if (strcmp(unit, "nanoseconds") == 0) return "wall";
  return strcmp(unit, "bytes") == 0 ? "space" : "samples";
}

/* Returns the index of a profile's sample type, or type_count if the type is new. Compares names if
 * profiles are named after types, else units. */
static size_t speedscope_type_of(const struct speedscope_reader *r,
                                 const struct speedscope_member *m, const char *unit) {
  for (size_t i = 0; i < r->type_count; i++) {
    const char *other;
    unit_scale_to_int(r->types[i]->unit, &other);
    bool same =
        r->names_are_types ? str_equal(r->types[i]->name, m->name) : strcmp(unit, other) == 0;
    if (same) return i;
  }
  return r->type_count;
}

/* Finds the types of all profiles. Returns false if there are more than MAX_TYPES types. */
static bool speedscope_find_types(struct speedscope_reader *r) {
  for (size_t i = 0; i < r->member_count; i++) {
    struct speedscope_member *m = &r->members[i];
    const char *unit;
    unit_scale_to_int(m->unit, &unit);
    m->type = speedscope_type_of(r, m, unit);
    if (m->type < r->type_count) continue;
    if (r->type_count == MAX_TYPES) return false;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(m->name.size < 100 ? m->name.size : 100),
             m->name.data);
    const char *type = r->names_are_types ? name : type_of_unit(unit);
    /* Set the type of the period but not its value: weights are sampled, but the file does not give
     * the period. */
    if (r->type_count == 0) pprofc_builder_period(r->builder, type, unit, 0);
    pprofc_builder_type(r->builder, type, unit);
    r->types[r->type_count++] = m;
  }
  return true;
}

static bool frame_location(const struct speedscope_reader *r, const struct node *index,
                           uint32_t *location) {
  size_t i;
  if (!json_index(index, &i) || i >= r->frame_count) return false;
  *location = r->location[i];
  return true;
}

/* Rounds a weight. Adds the rounding error to the next weight, so that the sum of the profile stays
 * right. */
static int64_t speedscope_round(struct speedscope_reader *r, struct speedscope_member *m,
                                const struct node *node, double weight) {
  const char *unit;
  double exact = weight * unit_scale_to_int(m->unit, &unit);
  if (exact == nearbyint(exact)) return json_rounded(r->builder, node, exact);
  int64_t value = json_rounded(r->builder, node, exact + m->carry);
  m->carry += exact - (double)value;
  r->fractions += strcmp(unit, "nanoseconds") != 0;
  return value;
}

/* Converts a time to nanoseconds. Saturates at the limits of int64_t. */
static int64_t speedscope_time(double time, pprofc_str unit) {
  const char *name;
  double exact = time * unit_scale_to_int(unit, &name);
  if (exact >= 0x1p63) return INT64_MAX;
  return exact > -0x1p63 ? llround(exact) : INT64_MIN;
}

/* Records the time of the last sample, which begins at m->clock and lasts for its weight. */
static void speedscope_add_event(struct speedscope_reader *r, const struct speedscope_member *m,
                                 double weight) {
  int64_t start = speedscope_time(m->clock, m->unit), duration;
  int64_t end = speedscope_time(m->clock + weight, m->unit);
  if (__builtin_sub_overflow(end, start, &duration)) duration = INT64_MAX;
  builder_event(r->builder, m->track, start, duration);
}

/* Prepares to record the times of the samples. A file of pprofc has times only if the name of the
 * exporter ends with SPEEDSCOPE_TIMED. */
static void speedscope_begin_times(struct speedscope_reader *r, struct speedscope_member *m) {
  const char *unit;
  unit_scale_to_int(m->unit, &unit);
  m->is_timed =
      builder_keeps_times(r->builder) && !r->names_are_types && strcmp(unit, "nanoseconds") == 0;
  if (!m->is_timed) return;
  /* Each profile has its own clock, so profiles with the same name may have samples at the same
   * time. Therefore each profile has its own track. */
  m->track = builder_add_track(r->builder, &(struct time_track){.name = m->name});
  m->clock = json_amount(r->builder, node_get(m->profile, "startValue"), 0);
  builder_time_origin(r->builder, r->is_ours ? 0 : speedscope_time(m->clock, m->unit));
}

/* Adds a sample. Error messages name `node`, which contains the weight. */
static void speedscope_add_sample(struct speedscope_reader *r, struct speedscope_member *m,
                                  uint32_t path, const struct node *node, double weight) {
  int64_t values[MAX_TYPES] = {0};
  values[m->type] = speedscope_round(r, m, node, weight);
  if (!values[m->type]) return;
  call_paths_sample(&r->paths, path, values);
  if (m->is_timed) speedscope_add_event(r, m, weight);
  if (r->names_are_types || r->member_count == 1 || !m->name.size) return;
  import_label(r->builder, "profile", m->name);
}

/* Keeps only the frames of the previous stack that are also the first frames of the stack at
 * `text`. `room` is the number of bytes that can be read at `text`. */
static void speedscope_share(struct speedscope_stack *stack, const char *text, size_t room) {
  size_t end = stack->depth ? stack->ends[stack->depth - 1] : 0;
  if (room > end) room = end; /* the previous stack has `end` bytes */
  size_t common = str_common((pprofc_str){stack->text, room}, (pprofc_str){text, room});
  while (stack->depth && stack->ends[stack->depth - 1] > common) stack->depth--;
  stack->text = text;
}

/* Reads the frame at `p` and appends it to the stack. Sets *end to the comma or bracket after the
 * frame. Returns false if the frame is not in the table. */
static bool speedscope_push(struct speedscope_reader *r, const char *p, const char **end) {
  struct speedscope_stack *stack = &r->stack;
  struct node index = {.kind = NODE_NUMBER, .text = {p, 0}};
  uint32_t location;
  while (*p > ' ' && *p != ',' && *p != ']') p++;
  index.text.size = (size_t)(p - index.text.data);
  while (*p <= ' ') p++;
  *end = p;
  if (!frame_location(r, &index, &location)) return false;
  uint32_t caller = stack->depth ? stack->paths[stack->depth - 1] : MAP_NONE;
  uint32_t path = call_paths_enter(&r->paths, caller, location);
  bool fits = ARRAY_RESERVE_IN(r->arena, stack->paths, stack->path_room, stack->depth + 1) &&
              ARRAY_RESERVE_IN(r->arena, stack->ends, stack->end_room, stack->depth + 1);
  if (!import_need(r->builder, fits) || path == MAP_NONE) return false;
  stack->paths[stack->depth] = path;
  stack->ends[stack->depth++] = (size_t)(p + 1 - stack->text);
  return true;
}

/* Parses the text of a stack from a packed list and sets *path to its call path. Returns false if a
 * frame is not in the table. */
static bool speedscope_read_text(struct speedscope_reader *r, pprofc_str text, uint32_t *path) {
  struct speedscope_stack *stack = &r->stack;
  speedscope_share(stack, text.data, text.size);
  const char *p = text.data + (stack->depth ? stack->ends[stack->depth - 1] - 1 : 0);
  while (*p != ']') {
    if (*p <= ' ' || *p == ',')
      p++;
    else if (!speedscope_push(r, p, &p))
      return false;
  }
  if (stack->depth) *path = stack->paths[stack->depth - 1];
  return true;
}

/* Reads a stack and sets *path to its call path. Returns false if a frame is not in the table. */
static bool speedscope_read_stack(struct speedscope_reader *r, const struct node *sample,
                                  uint32_t *path) {
  uint32_t location;
  if (node_is(sample, NODE_ARRAY) && sample->text.size)
    return speedscope_read_text(r, sample->text, path);
  for (size_t d = 0; d < node_size(sample); d++) {
    if (!frame_location(r, node_at(sample, d), &location)) return false;
    *path = call_paths_enter(&r->paths, *path, location);
  }
  return true;
}

static void read_sampled(struct speedscope_reader *r, struct speedscope_member *m) {
  const struct node *samples = node_get(m->profile, "samples");
  const struct node *weights = node_get(m->profile, "weights");
  r->read += node_size(samples);
  for (size_t i = 0; i < node_size(samples) && builder_ok(r->builder); i++) {
    uint32_t path = MAP_NONE;
    double weight = json_amount(r->builder, node_at(weights, i), 0);
    if (i < node_size(weights) && speedscope_read_stack(r, node_at(samples, i), &path))
      speedscope_add_sample(r, m, path, node_at(weights, i), weight);
    else
      r->bad++;
    m->clock += weight;
    if (i % DROP_EVERY == 0) json_drop(samples, i);
  }
  r->stack.depth = 0;
  json_drop(samples, node_size(samples));
  json_drop(weights, node_size(weights));
}

/* Opens or closes a frame, which changes *path. Returns false if the event does not match the
 * innermost open frame. */
static bool speedscope_take_event(struct speedscope_reader *r, pprofc_str type, uint32_t location,
                                  uint32_t *path) {
  const struct call_path *top = *path == MAP_NONE ? NULL : &r->paths.items[*path];
  if (str_equal(type, STR("O"))) {
    *path = call_paths_enter(&r->paths, *path, location);
    return true;
  }
  if (!str_equal(type, STR("C")) || !top || top->location != location) return false;
  *path = top->caller;
  return true;
}

/* Computes r->steps: the call path after each event. */
static void speedscope_walk(struct speedscope_reader *r, const struct speedscope_member *m) {
  const struct node *events = node_get(m->profile, "events");
  size_t count = node_size(events);
  double last = json_amount(r->builder, node_get(m->profile, "startValue"), 0);
  uint32_t path = MAP_NONE, location;
  r->read += count;
  if (!import_need(r->builder, ARRAY_RESERVE_IN(r->arena, r->steps, r->step_room, count))) return;
  for (size_t i = 0; i < count && builder_ok(r->builder); i++) {
    const struct node *event = node_at(events, i);
    double at = json_amount(r->builder, node_get(event, "at"), last);
    bool good = frame_location(r, node_get(event, "frame"), &location) && at >= last;
    if (good) {
      last = at;
      good = speedscope_take_event(r, node_text(event, "type"), location, &path);
    }
    r->bad += !good;
    r->steps[i] = path;
  }
  if (path != MAP_NONE) r->open += r->paths.items[path].depth;
}

/* Reads an evented profile: the time between two events counts for the call path after the first
 * event. */
static void read_evented(struct speedscope_reader *r, struct speedscope_member *m) {
  const struct node *events = node_get(m->profile, "events");
  double last = json_amount(r->builder, node_get(m->profile, "startValue"), 0);
  uint32_t path = MAP_NONE;
  speedscope_walk(r, m);
  for (size_t i = 0; i <= node_size(events) && builder_ok(r->builder); i++) {
    const struct node *event = node_at(events, i);
    const struct node *time = event ? node_get(event, "at") : node_get(m->profile, "endValue");
    double at = json_amount(r->builder, time, last);
    uint32_t location;
    if (event && !frame_location(r, node_get(event, "frame"), &location)) continue;
    m->clock = last;
    if (at > last && path != MAP_NONE) speedscope_add_sample(r, m, path, time, at - last);
    if (at > last) last = at;
    if (event) path = r->steps[i];
  }
}

/* ---- the file ---------------------------------------- */

static void speedscope_add_frames(struct speedscope_reader *r) {
  for (size_t i = 0; i < r->frame_count; i++) {
    const struct node *f = node_at(r->frames, i);
    int64_t line = json_member_int(f, "line", 0), column = json_member_int(f, "col", 0);
    if (line <= 0) line = column = 0;
    r->location[i] = json_frame(r->builder, node_text(f, "name"), node_text(f, "file"), line,
                                column > 0 ? column : 0);
  }
}

/* Fills r->members with the profiles of the file, and finds their sample types. */
static void speedscope_find_members(struct speedscope_reader *r, const struct node *profiles) {
  size_t count = node_size(profiles);
  r->members = arena_array(r->arena, count, sizeof *r->members);
  if (!import_need(r->builder, r->members != NULL)) return;
  for (size_t i = 0; i < count; i++) {
    const struct node *p = node_at(profiles, i);
    /* Copy the unit, because it must end with a NUL. */
    pprofc_str unit = arena_str(r->arena, node_text(p, "unit"));
    if (!import_need(r->builder, unit.data != NULL)) return;
    pprofc_str name = node_text(p, "name");
    if (r->names_are_types && str_ends(name, STR(SPEEDSCOPE_SUMS)))
      name.size -= sizeof SPEEDSCOPE_SUMS - 1;
    r->members[r->member_count++] =
        (struct speedscope_member){.profile = p, .name = name, .unit = unit};
  }
  if (!speedscope_find_types(r))
    import_refuse(r->builder, PPROFC_E_LIMIT, "more than %u sample types in one file", MAX_TYPES);
}

static void speedscope_read_file(struct speedscope_reader *r, const struct node *root) {
  pprofc_str exporter = node_text(root, "exporter");
  r->is_ours = str_starts(exporter, STR("pprofc"));
  r->names_are_types = r->is_ours && !str_ends(exporter, STR(SPEEDSCOPE_TIMED));
  speedscope_find_members(r, node_get(root, "profiles"));
  if (builder_ok(r->builder)) speedscope_add_frames(r);
  for (size_t i = 0; i < r->member_count && builder_ok(r->builder); i++) {
    struct speedscope_member *m = &r->members[i];
    speedscope_begin_times(r, m);
    if (str_equal(node_text(m->profile, "type"), STR("evented")))
      read_evented(r, m);
    else
      read_sampled(r, m);
  }
  import_account_one(r->builder, r->read - r->bad, "samples and events", r->bad,
                     "sample or event could not be read", "samples or events could not be read");
  import_note_count(r->builder, r->fractions, "weight has a fraction, and is rounded",
                    "weights have fractions, and are rounded so that their sum stays");
  import_note_count(r->builder, r->open, "frame was still open at the end",
                    "frames were still open at the end");
}

JSON_SHAPE(json_speedscope) {
  const struct node *frames = node_path(root, "shared.frames");
  if (!node_is(frames, NODE_ARRAY) || !node_is(node_get(root, "profiles"), NODE_ARRAY))
    return false;
  struct speedscope_reader r = {
      .builder = builder, .frames = frames, .frame_count = node_size(frames), .arena = arena};
  r.location = arena_array(arena, r.frame_count, sizeof *r.location);
  call_paths_init(&r.paths, arena->mem, builder);
  if (import_need(builder, r.location != NULL)) speedscope_read_file(&r, root);
  call_paths_free(&r.paths);
  return true;
}
