/* Reads profiles of Papyrus, the script language of Bethesda's games: a log of calls and returns,
 * with milliseconds since the game began.
 *
 *     Script_abc_example_quest log opened (PC)
 *     500:PUSH:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *     1500:POP:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *
 * The fields are time, event, stack, depth, form (an object of the game) and function. A PUSH is a
 * call, a POP a return. A stack is a thread of scripts. The reader shows each stack as a frame
 * "STACK 3053" that calls its functions, as speedscope does. A call that returns in the same
 * millisecond takes no time. Its two lines may be in the wrong order, so the reader ignores the
 * POP. Queue events are not calls. */
#include "import/reader.h"

#define MILLISECOND INT64_C(1000000)
#define MAX_TIME    (INT64_MAX / MILLISECOND)

enum papyrus_event { PUSH, POP, OTHER };

/* The lines that have the same time, stack and function. */
struct papyrus_moment {
  int64_t time;             /* time in milliseconds */
  uint32_t stack, function; /* string indices of the text "STACK 3053" and of the function's name */
  uint32_t open;            /* number of calls without a return so far */
  uint32_t at_once; /* number of calls that also return in this millisecond; the reader assumes that
                       these calls begin first */
};

struct papyrus_line {
  enum papyrus_event event; /* PUSH: call; POP: return in a later millisecond; OTHER: ignored */
  uint32_t moment;          /* index in `moments` of the line's moment */
};

struct papyrus_frame {
  uint32_t name, path; /* string index of the frame's name; call path that ends at the frame */
  uint32_t stack;      /* string index of the name of the frame's stack: "STACK 3053" */
  bool is_stack;
};

/* `value` is the time in nanoseconds during which `path` was the stack of open frames. */
struct papyrus_time {
  uint32_t path;
  int64_t value;
};

struct papyrus {
  pprofc_builder *builder;
  struct arena *arena;
  struct papyrus_line *lines;
  size_t count, capacity;
  struct papyrus_moment *moments;
  size_t moment_count, moment_capacity;
  struct map by_moment;         /* hash table of `moments` */
  struct papyrus_frame *frames; /* frames that are open now, root first */
  size_t depth, frame_capacity;
  struct call_paths paths;
  struct papyrus_time *times;
  size_t time_count, time_capacity;
  int64_t at;      /* time of the last event that changed the frames, in milliseconds */
  int64_t counted; /* end of the time counted so far, in milliseconds */
  uint64_t bad_lines, lost_returns;
};

/* ---- lines ------------------------------------------- */

/* Splits "500:PUSH:3053:1:Form (24021278):script..function" into fields. The last field is the
 * function. */
static bool papyrus_fields(pprofc_str line, pprofc_str fields[6]) {
  for (size_t i = 0; i < 5; i++)
    if (!str_next(&line, ':', &fields[i]) || !line.data) {
      if (i < 2) return false;
      for (size_t j = i + 1; j < 6; j++) fields[j] = STR("");
      return true;
    }
  size_t colon = str_find_char(line, ':');
  fields[5] = str_slice(line, 0, colon);
  return true;
}

static bool papyrus_is_stamp(pprofc_str text, int64_t *time) {
  return text.size && char_is_digit(text.data[0]) && str_parse_int(text, 10, time) &&
         *time < MAX_TIME;
}

/* True for "Script_x log opened (PC)". */
static bool papyrus_is_opening(pprofc_str line) {
  return str_contains(line, STR(" log opened"));
}

bool import_is_papyrus(pprofc_str text) {
  pprofc_str line, fields[6];
  int64_t time;
  text = import_first_line(text);
  if (!str_next_line(&text, &line) || !papyrus_is_opening(line)) return false;
  while (str_next_line(&text, &line))
    if (line.size) return papyrus_fields(line, fields) && papyrus_is_stamp(fields[0], &time);
  return false;
}

static enum papyrus_event papyrus_event_of(pprofc_str word) {
  if (str_equal(word, STR("PUSH"))) return PUSH;
  return str_equal(word, STR("POP")) ? POP : OTHER;
}

static uint32_t papyrus_stack_name(struct papyrus *p, pprofc_str id) {
  char name[64];
  int size = snprintf(name, sizeof name, "STACK %.*s", (int)(id.size < 40 ? id.size : 40), id.data);
  return builder_string(p->builder, (pprofc_str){name, size > 0 ? (size_t)size : 0});
}

/* Returns the papyrus_moment of a line. Adds it if it is new. Returns NULL when out of memory. */
static struct papyrus_moment *papyrus_moment_of(struct papyrus *p, int64_t time, uint32_t stack,
                                                uint32_t function) {
  uint64_t hash = hash_mix(hash_mix(0, (uint64_t)time), (uint64_t)stack << 32 | function);
  const struct papyrus_moment *all = p->moments;
  MAP_FIND(at, &p->by_moment, hash,
           all[at].time == time && all[at].stack == stack && all[at].function == function);
  if (at != MAP_NONE) return &p->moments[at];
  bool added =
      p->moment_count < MAP_NONE &&
      MAP_PUSH_IN(p->arena, &p->by_moment, hash, p->moments, p->moment_count, p->moment_capacity,
                  (struct papyrus_moment){time, stack, function, 0, 0});
  return import_need(p->builder, added) ? &p->moments[p->moment_count - 1] : NULL;
}

static bool papyrus_parse(pprofc_str text, pprofc_str fields[6], int64_t *time,
                          enum papyrus_event *event) {
  if (!papyrus_fields(text, fields) || !papyrus_is_stamp(fields[0], time)) return false;
  *event = papyrus_event_of(fields[1]);
  return *event == OTHER || fields[5].size;
}

static void papyrus_read_line(struct papyrus *p, pprofc_str text) {
  pprofc_str fields[6];
  int64_t time;
  enum papyrus_event event;
  if (!text.size || papyrus_is_opening(text) || str_equal(text, STR("Log closed"))) return;
  if (!papyrus_parse(text, fields, &time, &event)) {
    p->bad_lines++;
    return;
  }
  uint32_t stack = papyrus_stack_name(p, fields[2]);
  struct papyrus_moment *moment =
      papyrus_moment_of(p, time, stack, builder_string(p->builder, fields[5]));
  if (!moment) return;
  if (event == PUSH) moment->open++;
  if (event == POP && moment->open) {
    moment->open--;
    moment->at_once++;
    event = OTHER;
  }
  struct papyrus_line line = {event, (uint32_t)(moment - p->moments)};
  import_need(p->builder, ARRAY_PUSH_IN(p->arena, p->lines, p->count, p->capacity, line));
}

/* ---- frames ------------------------------------------ */

/* Adds the time since the last event to the path of the open frames. */
static void papyrus_count(struct papyrus *p, int64_t time) {
  if (time > p->counted && p->depth) {
    int64_t value = (time - p->counted) * MILLISECOND;
    import_need(p->builder,
                ARRAY_PUSH_IN(p->arena, p->times, p->time_count, p->time_capacity,
                              (struct papyrus_time){p->frames[p->depth - 1].path, value}));
  }
  if (time > p->counted) p->counted = time;
}

static void papyrus_push(struct papyrus *p, uint32_t name, bool is_stack) {
  if (!import_need(p->builder,
                   ARRAY_RESERVE_IN(p->arena, p->frames, p->frame_capacity, p->depth + 1)))
    return;
  uint32_t below = p->depth ? p->frames[p->depth - 1].stack : 0;
  uint32_t function = builder_add_function(p->builder, name, name, 0, 0);
  uint32_t location = import_location(p->builder, NONE, function, 0);
  uint32_t caller = p->depth ? p->frames[p->depth - 1].path : MAP_NONE;
  uint32_t path = call_paths_enter(&p->paths, caller, location);
  if (path != MAP_NONE)
    p->frames[p->depth++] = (struct papyrus_frame){name, path, is_stack ? name : below, is_stack};
}

/* Enters a function. Adds the frame of its stack ("STACK 3053") if this stack is not the open one.
 * If the only open frame is the frame of another stack, no function was running. In this case,
 * closes that frame, and does not count the time since the last event. */
static void papyrus_enter(struct papyrus *p, const struct papyrus_moment *moment, int64_t time) {
  bool same = p->depth && p->frames[p->depth - 1].stack == moment->stack;
  if (!same && p->depth == 1) {
    p->depth = 0;
    p->counted = time > p->counted ? time : p->counted;
  }
  papyrus_count(p, time);
  if (!same) papyrus_push(p, moment->stack, true);
  papyrus_push(p, moment->function, false);
  p->at = time;
}

/* Leaves the innermost function. If its caller is the frame "STACK ...", also leaves that frame,
 * unless it is the root. */
static void papyrus_leave(struct papyrus *p, int64_t time) {
  papyrus_count(p, time);
  if (p->depth) p->depth--;
  if (p->depth > 1 && p->frames[p->depth - 1].is_stack) p->depth--;
  p->at = time;
}

/* Handles a return. If the call is missing because it precedes the log, the function ran from the
 * start of the log. */
static void papyrus_return(struct papyrus *p, const struct papyrus_moment *moment, int64_t start) {
  const struct papyrus_frame *top = p->depth ? &p->frames[p->depth - 1] : NULL;
  if (!top || top->is_stack || top->name != moment->function) {
    if (p->at != start) {
      p->lost_returns++;
      return;
    }
    papyrus_enter(p, moment, start);
  }
  papyrus_leave(p, moment->time);
}

static void papyrus_run(struct papyrus *p) {
  if (!p->count) return;
  int64_t start = p->moments[0].time;
  p->at = p->counted = start;
  for (size_t i = 0; i < p->count && builder_ok(p->builder); i++) {
    struct papyrus_moment *moment = &p->moments[p->lines[i].moment];
    if (p->lines[i].event == POP) papyrus_return(p, moment, start);
    if (p->lines[i].event != PUSH) continue;
    papyrus_enter(p, moment, moment->time);
    if (!moment->at_once) continue;
    moment->at_once--;
    papyrus_leave(p, moment->time);
  }
  papyrus_count(p, p->moments[p->lines[p->count - 1].moment].time);
  for (size_t i = 0; i < p->time_count && builder_ok(p->builder); i++)
    call_paths_sample(&p->paths, p->times[i].path, &p->times[i].value);
}

IMPORT_READER(import_papyrus) {
  struct papyrus p = {.builder = builder, .arena = arena};
  pprofc_str line;
  call_paths_init(&p.paths, arena->mem, builder);
  map_init(&p.by_moment, arena->mem);
  pprofc_builder_type(builder, "wall", "nanoseconds");
  data = import_first_line(data);
  while (str_next_line(&data, &line) && builder_ok(builder)) papyrus_read_line(&p, line);
  papyrus_run(&p);
  map_free(&p.by_moment);
  call_paths_free(&p.paths);
  const struct import_loss losses[] = {{p.bad_lines, "line of the Papyrus log could not be read",
                                        "lines of the Papyrus log could not be read"},
                                       {p.lost_returns, "return of the Papyrus log without a call",
                                        "returns of the Papyrus log without a call"},
                                       {0}};
  import_account(builder, p.count - p.lost_returns, "lines", losses);
}
