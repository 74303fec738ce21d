/* The -speedscope report: a file for https://www.speedscope.app, one sampled profile per sample
 * type, and for a difference up to four of them on one frame table: base, head, slower, faster. */
#include "base/blocks.h"
#include "base/json_write.h"
#include "graph/stacks.h"
#include "report/report.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <stdio.h>

/* Where the app fails or gets slow, and what a JavaScript number holds. */
#define LEFT_HEAVY_DEPTH   2000
#define COMFORTABLE_STACKS 1000000
#define EXACT_NUMBER       (INT64_C(1) << 53)

/* What of the values a profile shows. The app takes no negative weights, so a difference is split
 * by its sign. */
enum part { PART_ALL, PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER };

static const char *const part_suffix[] = {"", " (base)", " (head)", " (slower)", " (faster)"};

/* One profile of the file. */
struct shown_profile {
  size_t type;
  enum part part;
};

#define PARTS_MAX 4

struct speedscope {
  const struct report *report;
  const pprofc_profile *profile;
  struct json_writer json;
  struct stack_frames frames;
  struct stack_set set;
  struct number_text {
    char text[15]; /* ",17": the number of a frame in the file, as it stands in a stack */
    uint8_t size;  /* 0: the frame does not occur */
  } * numbers;     /* [frames] */
  struct buffer name;
  unsigned threads;
  bool out_of_memory;
  bool inexact; /* a weight is more than a double can hold */
  struct shown_profile *shown;
  size_t shown_count;
};

/* ---- units ---------------------------------------------------------------------------------- */

/* A unit of the app, and how many of them one unit of the profile is. */
struct speedscope_unit {
  const char *name;
  int64_t factor;
};

/* Units that pprof does not know. */
static const struct {
  const char *spelling;
  struct speedscope_unit unit;
} more_units[] = {
    {"\xC2\xB5s", {"microseconds", 1}}, {"\xCE\xBCs", {"microseconds", 1}},
    {"minutes", {"seconds", 60}},       {"minute", {"seconds", 60}},
    {"min", {"seconds", 60}},
};

static struct speedscope_unit find_unit(pprofc_str unit) {
  static const struct {
    double factor;
    struct speedscope_unit unit;
  } times[] = {{1, {"nanoseconds", 1}},
               {1e3, {"microseconds", 1}},
               {1e6, {"milliseconds", 1}},
               {1e9, {"seconds", 1}},
               {3600e9, {"seconds", 3600}}};
  double factor = unit_factor(unit);
  if (unit_is_time(unit))
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
      if (times[i].factor == factor) return times[i].unit;
  if (factor != 0 && unit_compatible(unit, STR("B")))
    return (struct speedscope_unit){"bytes", (int64_t)factor};
  for (size_t i = 0; i < sizeof more_units / sizeof *more_units; i++)
    if (str_equal(unit, str_of(more_units[i].spelling))) return more_units[i].unit;
  return (struct speedscope_unit){"none", 1};
}

/* ---- weights -------------------------------------------------------------------------------- */

/* What a stack has in a profile, never below 0, in units of the profile. */
static int64_t part_value(const struct stack_set *set, size_t stack, struct shown_profile shown) {
  int64_t head = stack_head(set, stack, shown.type), base = stack_base(set, stack, shown.type),
          value;
  switch (shown.part) {
  case PART_BASE:
    value = base;
    break;
  case PART_SLOWER:
    if (__builtin_sub_overflow(head, base, &value)) value = head > base ? INT64_MAX : 0;
    break;
  case PART_FASTER:
    if (__builtin_sub_overflow(base, head, &value)) value = base > head ? INT64_MAX : 0;
    break;
  default:
    value = head;
    break;
  }
  return value > 0 ? value : 0;
}

/* The same in units of the app, after divide_by. */
static int64_t weight(const struct speedscope *s, size_t stack, struct shown_profile shown,
                      int64_t factor) {
  int64_t value = part_value(&s->set, stack, shown);
  double ratio = s->report->ratio;
  if (ratio > 0 && ratio != 1) {
    double divided = (double)value * ratio;
    value = divided < (double)INT64_MAX ? (int64_t)divided : INT64_MAX;
  }
  return __builtin_mul_overflow(value, factor, &value) ? INT64_MAX : value;
}

static bool has_weight(const struct stack_set *set, struct shown_profile shown) {
  for (size_t i = 0; i < set->count; i++)
    if (part_value(set, i, shown)) return true;
  return false;
}

static bool has_negative(const struct stack_set *set, size_t type) {
  for (size_t i = 0; i < set->count; i++)
    if (stack_head(set, i, type) < 0) return true;
  return false;
}

/* ---- which profiles there are --------------------------------------------------------------- */

/* The profiles of one sample type: those of its parts that have something in them, or one empty
 * profile. */
static void choose_parts(struct speedscope *s, size_t type) {
  static const enum part all[] = {PART_ALL}, split[] = {PART_SLOWER, PART_FASTER},
                         compared[] = {PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER};
  bool is_split = !s->set.has_base && has_negative(&s->set, type);
  const enum part *parts = s->set.has_base ? compared : is_split ? split : all;
  size_t count = s->set.has_base ? 4 : is_split ? 2 : 1, before = s->shown_count;
  for (size_t i = 0; i < count; i++) {
    struct shown_profile shown = {type, parts[i]};
    if (has_weight(&s->set, shown)) s->shown[s->shown_count++] = shown;
  }
  if (s->shown_count == before) s->shown[s->shown_count++] = (struct shown_profile){type, PART_ALL};
}

/* The profile to open first: of the default sample type, and of a difference what got slower. */
static size_t active_profile(const struct speedscope *s) {
  size_t active = 0;
  bool found = false;
  for (size_t i = 0; i < s->shown_count; i++) {
    if (s->shown[i].type != s->report->value_index) continue;
    if (!found || s->shown[i].part == PART_SLOWER) active = i;
    found = true;
  }
  return active;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Gives the frames that occur their numbers, in order. */
static void number_frames(struct speedscope *s) {
  const struct stack_set *set = &s->set;
  for (size_t i = 0; i < set->count; i++)
    for (size_t k = set->shared[i]; k < set->depth[i]; k++) s->numbers[set->frames[i][k]].size = 1;
  uint32_t next = 0;
  for (size_t i = 0; i < s->frames.count; i++) {
    struct number_text *number = &s->numbers[i];
    if (!number->size) continue;
    int size = snprintf(number->text, sizeof number->text, ",%" PRIu32, next++);
    number->size = size > 0 ? (uint8_t)size : 0;
  }
}

/* The name of a frame, behind it the address where that tells it from others. */
static void write_frame_name(struct speedscope *s, const struct stack_frame *frame) {
  json_key(&s->json, "name");
  if (!frame->address || frame->function == NONE) {
    json_string(&s->json, frame->name);
    return;
  }
  buffer_clear(&s->name);
  buffer_add_str(&s->name, frame->name);
  buffer_printf(&s->name, " 0x%" PRIx64, frame->address);
  json_string(&s->json, buffer_str(&s->name));
}

static void write_frames(struct speedscope *s) {
  json_key(&s->json, "shared");
  json_begin_object(&s->json);
  json_key(&s->json, "frames");
  json_begin_array(&s->json);
  for (size_t i = 0; i < s->frames.count; i++) {
    if (!s->numbers[i].size) continue;
    const struct stack_frame *frame = &s->frames.items[i];
    json_line_break(&s->json);
    json_begin_object(&s->json);
    write_frame_name(s, frame);
    if (frame->file.size) {
      json_key(&s->json, "file");
      json_string(&s->json, frame->file);
    }
    if (frame->line > 0) {
      json_key(&s->json, "line");
      json_int(&s->json, frame->line);
    }
    if (frame->column > 0) {
      json_key(&s->json, "col");
      json_int(&s->json, frame->column);
    }
    json_end(&s->json);
  }
  json_end(&s->json);
  json_end(&s->json);
}

/* The samples of one profile, written by several threads. */
struct sample_writer {
  const struct speedscope *speedscope;
  struct shown_profile shown;
  int64_t factor;
  size_t first; /* the first stack that has a weight */
};

static void write_stacks(const void *context, struct output *out, size_t from, size_t to) {
  const struct sample_writer *w = context;
  const struct speedscope *s = w->speedscope;
  for (size_t i = from; i < to && !out->failed; i++) {
    if (!weight(s, i, w->shown, w->factor)) continue;
    output_add_text(out, i == w->first ? "\n[" : ",\n[");
    const uint32_t *frames = s->set.frames[i];
    for (size_t k = 0; k < s->set.depth[i]; k++) {
      const struct number_text *number = &s->numbers[frames[k]];
      size_t comma = k == 0; /* in front of the first there is none */
      output_add(out, number->text + comma, number->size - comma);
    }
    output_add_char(out, ']');
  }
}

static void write_samples(struct speedscope *s, struct shown_profile shown, int64_t factor) {
  struct sample_writer writer = {s, shown, factor, 0};
  while (writer.first < s->set.count && !weight(s, writer.first, shown, factor)) writer.first++;
  json_key(&s->json, "samples");
  json_begin_array(&s->json);
  size_t bytes = s->set.max_depth * sizeof s->numbers->text + 8;
  if (!blocks_write(s->json.out, s->report->mem, s->threads, s->set.count, bytes, write_stacks,
                    &writer))
    s->out_of_memory = true;
  json_end(&s->json);
}

static void write_weights(struct speedscope *s, struct shown_profile shown, int64_t factor) {
  json_key(&s->json, "weights");
  json_begin_array(&s->json);
  for (size_t i = 0; i < s->set.count && !s->json.out->failed; i++) {
    int64_t w = weight(s, i, shown, factor);
    if (w) json_int(&s->json, w);
    if (w > EXACT_NUMBER) s->inexact = true;
  }
  json_end(&s->json);
}

static void write_name(struct speedscope *s, struct shown_profile shown) {
  struct buffer *name = &s->name;
  buffer_clear(name);
  buffer_add_str(name, profile_string(s->profile, s->profile->types[shown.type].type));
  buffer_add_text(name, part_suffix[shown.part]);
  json_key(&s->json, "name");
  json_string(&s->json, buffer_str(name));
}

static void write_profile(struct speedscope *s, struct shown_profile shown) {
  pprofc_str unit = profile_string(s->profile, s->profile->types[shown.type].unit);
  struct speedscope_unit target = find_unit(unit);
  uint64_t end = 0;
  for (size_t i = 0; i < s->set.count; i++)
    if (__builtin_add_overflow(end, (uint64_t)weight(s, i, shown, target.factor), &end))
      end = UINT64_MAX;
  json_line_break(&s->json);
  json_begin_object(&s->json);
  json_key(&s->json, "type");
  json_text(&s->json, "sampled");
  write_name(s, shown);
  json_key(&s->json, "unit");
  json_text(&s->json, target.name);
  json_key(&s->json, "startValue");
  json_int(&s->json, 0);
  json_key(&s->json, "endValue");
  json_uint(&s->json, end);
  write_samples(s, shown, target.factor);
  write_weights(s, shown, target.factor);
  json_end(&s->json);
}

/* The name of the whole: that of the program. */
static void write_title(struct speedscope *s) {
  pprofc_str file = STR("");
  if (s->profile->mappings.count)
    file = profile_string(s->profile, s->profile->mappings.items[0].file);
  json_key(&s->json, "name");
  json_string(&s->json, file.size ? str_path_base(file) : STR("profile"));
}

static void write_file(struct speedscope *s) {
  json_begin_object(&s->json);
  json_key(&s->json, "$schema");
  json_text(&s->json, "https://www.speedscope.app/file-format-schema.json");
  write_title(s);
  json_key(&s->json, "exporter");
  json_text(&s->json, "pprofc@" PPROFC_VERSION);
  json_key(&s->json, "activeProfileIndex");
  json_uint(&s->json, active_profile(s));
  write_frames(s);
  json_key(&s->json, "profiles");
  json_begin_array(&s->json);
  for (size_t i = 0; i < s->shown_count; i++) write_profile(s, s->shown[i]);
  json_end(&s->json);
  json_end(&s->json);
  output_add_char(s->json.out, '\n');
}

/* ---- warnings ------------------------------------------------------------------------------- */

static void warn(const struct speedscope *s, bool when, const char *message) {
  const pprofc_report_options *o = s->report->options;
  if (when && o->warn) o->warn(o->warn_context, message);
}

static void warn_of_size(const struct speedscope *s) {
  char message[160];
  if (s->set.max_depth > LEFT_HEAVY_DEPTH) {
    snprintf(message, sizeof message,
             "stacks are up to %zu frames deep; the left heavy view of speedscope fails beyond %d",
             s->set.max_depth, LEFT_HEAVY_DEPTH);
    warn(s, true, message);
  }
  snprintf(message, sizeof message, "%zu different stacks; speedscope takes minutes to load them",
           s->set.count);
  warn(s, s->set.count > COMFORTABLE_STACKS, message);
}

/* ----  --------------------------------------------------------------------------------------- */

/* Frames as the granularity option wants them; a function is a name in a file, and shows where it
 * begins. */
static struct stack_policy frame_policy(const pprofc_report_options *options) {
  struct granularity g;
  if (!granularity_parse(options->granularity ? options->granularity : "", options->noinlines,
                         options->showcolumns, &g))
    granularity_parse("", options->noinlines, options->showcolumns, &g);
  return (struct stack_policy){.inlines = g.inlines,
                               .function = g.function,
                               .file = true,
                               .line = g.line,
                               .column = g.line,
                               .address = g.address};
}

static pprofc_status build(struct speedscope *s, pprofc_error *error) {
  const pprofc_allocator *mem = s->report->mem;
  struct stack_policy policy = frame_policy(s->report->options);
  pprofc_status status = stack_frames_build(s->profile, &policy, mem, &s->frames, error);
  if (status != PPROFC_OK) return status;
  status = stack_set_build(&s->frames, NULL, mem, &s->set, error);
  if (status != PPROFC_OK) return status;
  struct arena *arena = &s->set.arena;
  s->numbers = arena_zero_array(arena, s->frames.count, sizeof *s->numbers);
  s->shown = arena_array(arena, s->set.types, PARTS_MAX * sizeof *s->shown);
  if (!s->numbers || !s->shown) return error_nomem(error);
  for (size_t i = 0; i < s->set.types; i++) choose_parts(s, i);
  number_frames(s);
  return PPROFC_OK;
}

pprofc_status report_speedscope(struct report *report, struct output *out, pprofc_error *error) {
  struct speedscope s = {.report = report, .profile = report->profile};
  pprofc_status status = build(&s, error);
  if (status == PPROFC_OK) {
    s.threads = report->options->threads ? report->options->threads : s.profile->threads;
    buffer_init(&s.name, report->mem, SIZE_MAX);
    json_init(&s.json, out, report->mem);
    warn_of_size(&s);
    write_file(&s);
    warn(&s, s.inexact, "weights above 2^53 lose precision in speedscope");
    bool whole = json_finish(&s.json) && !s.name.failed && !s.out_of_memory;
    buffer_free(&s.name);
    if (!whole) status = error_nomem(error);
  }
  stack_set_free(&s.set);
  stack_frames_free(&s.frames);
  return status;
}
