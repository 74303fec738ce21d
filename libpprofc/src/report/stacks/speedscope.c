/* Prints the report -speedscope for https://www.speedscope.app. The file has a profile of the kind
 * "sampled" for each sample type. In a difference, each sample type has up to four profiles: base,
 * head, slower and faster. All profiles share a table of frames. */
#include "core/json_write.h"
#include "core/parallel.h"
#include "import/json/json.h"
#include "report/stacks/speedscope_profiles.h"
#include "stacks/stacks.h"

#include <inttypes.h>
#include <stdio.h>

/* Depth of stacks above which speedscope's left heavy view fails, number of stacks above which it
 * is slow, and largest integer that JavaScript represents exactly. */
#define LEFT_HEAVY_DEPTH       2000
#define SPEEDSCOPE_SLOW_STACKS 1000000
#define EXACT_NUMBER           (INT64_C(1) << 53)

/* Maximum number of label values that have separate profiles. The limit exists because the app
 * lists each profile. All other values share a profile. */
#define GROUPS_MAX 200

struct speedscope {
  const struct report *report;
  const pprofc_profile *profile;
  struct json_writer json;
  struct stack_frames frames;
  struct stack_set set;
  struct speedscope_profile *shown;
  size_t shown_count;
  /* For each frame, its index in the file as text. The last element is for the frame that replaces
   * stacks with a weight below the option min_weight. */
  struct number_text *numbers;
  struct label_split groups;
  struct buffer name;
  unsigned threads;
  bool out_of_memory;
  bool inexact; /* true if a double cannot represent some weight exactly */
};

static bool is_grouped(const struct speedscope *s) {
  const char *key = s->report->options->group_by_label;
  return key && *key;
}

static bool joins_stacks(const struct speedscope *s) {
  return s->report->options->min_weight > 0;
}

/* True if the file must show samples in the order of time. This needs samples with times. No option
 * may group samples by a label, join small stacks or divide values. */
static bool is_timed(const struct speedscope *s) {
  double ratio = s->report->result.ratio;
  return s->profile->times && !is_grouped(s) && !joins_stacks(s) && (ratio <= 0 || ratio == 1) &&
         speedscope_has_events(s->profile, s->report->result.value_index);
}

/* ---- frames ------------------------------------------ */

/* True if the weight of the stack is large enough for a separate sample in at least one profile of
 * the file. */
static bool is_kept(const struct speedscope *s, size_t stack) {
  for (size_t i = 0; i < s->shown_count; i++) {
    int64_t weight = speedscope_weight(&s->shown[i], &s->set, stack);
    if (weight && weight >= s->shown[i].least) return true;
  }
  return false;
}

/* Sets used[i] to 1 for each frame i of the stacks that have separate samples. Joined stacks have a
 * weight below the option min_weight, and share one sample. `frames` has space for one stack. */
static void mark_kept(const struct speedscope *s, uint8_t *used, uint32_t *frames) {
  const struct stack_set *set = &s->set;
  size_t known = 0; /* number of frames, from the root, that are already marked */
  for (size_t i = 0; i < set->count; i++) {
    if (set->shared[i] < known) known = set->shared[i];
    if (!is_kept(s, i)) continue;
    stack_set_read(set, i, (uint32_t)known, frames);
    for (; known < set->depth[i]; known++) used[frames[known]] = 1;
  }
}

static void set_number(struct number_text *number, uint32_t value) {
  int size = snprintf(number->text, sizeof number->text, ",%" PRIu32, value);
  number->size = size > 0 ? (uint8_t)size : 0;
}

/* Gives the used frames consecutive numbers. A frame is unused if it is only in joined stacks. */
static bool number_frames(struct speedscope *s) {
  struct arena *arena = &s->set.arena;
  uint8_t *used = arena_zero_array(arena, s->frames.count, 1);
  uint32_t *stack = arena_array(arena, s->set.max_depth, sizeof *stack);
  uint32_t next = 0;
  if (!used || !stack) return false;
  if (is_grouped(s) || !joins_stacks(s))
    stack_set_mark(&s->set, used);
  else
    mark_kept(s, used, stack);
  for (size_t i = 0; i < s->frames.count; i++)
    if (used[i]) set_number(&s->numbers[i], next++);
  if (joins_stacks(s)) set_number(&s->numbers[s->frames.count], next);
  return true;
}

/* Writes the name of a frame. Adds its address if nothing else distinguishes it from other
 * frames. */
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

static void write_frame(struct speedscope *s, const struct stack_frame *frame) {
  json_pack(&s->json, "\n{");
  write_frame_name(s, frame);
  if (frame->file.size) json_string(json_key(&s->json, "file"), frame->file);
  if (frame->line > 0) json_int(json_key(&s->json, "line"), frame->line);
  if (frame->column > 0) json_int(json_key(&s->json, "col"), frame->column);
  json_end(&s->json);
}

static void write_frames(struct speedscope *s) {
  static const struct stack_frame joined = {
      .name = {"[smaller stacks]", 16}, .file = {"", 0}, .function = NONE, .mapping = NONE};
  json_pack(&s->json, "shared:{frames:[");
  for (size_t i = 0; i < s->frames.count; i++)
    if (s->numbers[i].size) write_frame(s, &s->frames.items[i]);
  if (joins_stacks(s)) write_frame(s, &joined);
  json_pack(&s->json, "]}");
}

/* ---- samples and weights ----------------------------- */

/* State while several threads write the samples of a profile. */
struct sample_writer {
  const struct speedscope *speedscope;
  const struct stack_set *set;
  const struct speedscope_profile *shown;
  size_t first; /* index of the first stack that is not joined with others */
};

/* Returns the weight of a stack, or 0 if it is joined (its weight is below min_weight). */
static int64_t own_weight(const struct sample_writer *w, size_t stack) {
  int64_t weight = speedscope_weight(w->shown, w->set, stack);
  return weight >= w->shown->least ? weight : 0;
}

/* The line of a stack in the file, such as ",\n[3,17,4]". It is made from the line of the stack
 * that was written before. The text of the frames that both stacks share stays in the line. */
struct sample_line {
  uint32_t *frames; /* frames of the stack */
  uint32_t *ends;   /* for each depth, the offset in `text` of the end of the frame at this depth */
  char *text;
  uint32_t known; /* number of frames whose text is in the line */
};

/* Bytes before the first frame of a line. The text of a frame begins with a comma, but a bracket
 * then replaces the first comma. */
#define LINE_BEFORE ",\n"

/* Returns the size in bytes of the memory for a line. A number is copied with its whole buffer,
 * because a copy of fixed size is faster. So the last copy may write beyond the end of the line. */
static size_t sample_line_size(size_t depth) {
  return (depth + 1) * (2 * sizeof(uint32_t) + sizeof(struct number_text)) + sizeof LINE_BEFORE;
}

static struct sample_line sample_line_in(void *room, size_t depth) {
  struct sample_line line = {.frames = room};
  line.ends = line.frames + depth + 1;
  line.text = (char *)(line.ends + depth + 1);
  memcpy(line.text, LINE_BEFORE, sizeof LINE_BEFORE);
  line.ends[0] = sizeof LINE_BEFORE - 1;
  return line;
}

/* Completes the line of a stack. Returns the size of the line in bytes. */
static size_t sample_line_fill(const struct sample_writer *w, struct sample_line *line,
                               size_t stack) {
  const struct number_text *numbers = w->speedscope->numbers;
  uint32_t depth = w->set->depth[stack], size = line->ends[line->known];
  stack_set_read(w->set, stack, line->known, line->frames);
  for (uint32_t i = line->known; i < depth; i++) {
    const struct number_text *number = &numbers[line->frames[i]];
    memcpy(line->text + size, number->text, sizeof number->text);
    size += number->size;
    line->ends[i + 1] = size;
  }
  line->known = depth;
  if (!depth) size++;
  line->text[line->ends[0]] = '[';
  line->text[size++] = ']';
  return size;
}

static void speedscope_write_stacks(const void *context, void *room, struct output *out,
                                    size_t from, size_t to) {
  const struct sample_writer *w = context;
  struct sample_line line = sample_line_in(room, w->set->max_depth);
  for (size_t i = from; i < to && !out->failed; i++) {
    if (w->set->shared[i] < line.known) line.known = w->set->shared[i];
    if (!own_weight(w, i)) continue;
    size_t size = sample_line_fill(w, &line, i), skipped = i == w->first;
    output_add(out, line.text + skipped, size - skipped);
  }
}

/* Returns the sum of the weights of the joined stacks (weights below the option min_weight). */
static uint64_t joined_weight(const struct sample_writer *w) {
  uint64_t sum = 0;
  for (size_t i = 0; w->shown->least && i < w->set->count; i++) {
    int64_t weight = speedscope_weight(w->shown, w->set, i);
    if (weight < w->shown->least) sum += (uint64_t)weight;
  }
  return sum;
}

static void speedscope_write_samples(struct speedscope *s, struct sample_writer *w, bool joined) {
  while (w->first < w->set->count && !own_weight(w, w->first)) w->first++;
  json_pack(&s->json, "samples:[");
  size_t depth = w->set->max_depth;
  const struct blocks blocks = {w->set->count, depth * sizeof s->numbers->text + 8,
                                sample_line_size(depth), speedscope_write_stacks, w};
  if (!blocks_write(s->json.out, s->report->mem, s->threads, &blocks)) s->out_of_memory = true;
  if (joined) {
    const struct number_text *number = &s->numbers[s->frames.count];
    output_add_text(s->json.out, w->first < w->set->count ? ",\n[" : "\n[");
    output_add(s->json.out, number->text + 1, number->size - 1u);
    output_add_char(s->json.out, ']');
  }
  json_end(&s->json);
}

static void write_weights(struct speedscope *s, const struct sample_writer *w, uint64_t joined) {
  json_begin_array(json_key(&s->json, "weights"));
  for (size_t i = 0; i < w->set->count && !s->json.out->failed; i++) {
    int64_t weight = own_weight(w, i);
    if (weight) json_int(&s->json, weight);
    if (weight > EXACT_NUMBER) s->inexact = true;
  }
  if (joined) json_uint(&s->json, joined);
  json_end(&s->json);
}

/* ---- profiles ---------------------------------------- */

/* Writes the name of a profile, such as "cpu (slower) thread=main (sums, not in time
 * order)". */
static void write_name(struct speedscope *s, const struct speedscope_profile *shown,
                       const struct label_part *group) {
  struct buffer *name = &s->name;
  buffer_clear(name);
  buffer_add_str(name, profile_type(s->profile, shown->type));
  buffer_add_text(name, speedscope_part_suffix(shown->part));
  if (group) {
    buffer_add_char(name, ' ');
    buffer_add_text(name, s->report->options->group_by_label);
    buffer_add_char(name, '=');
    buffer_add_str(name, group->value);
  }
  buffer_add_text(name, SPEEDSCOPE_SUMS);
  json_string(json_key(&s->json, "name"), buffer_str(name));
}

static void write_profile(struct speedscope *s, const struct stack_set *set,
                          const struct speedscope_profile *shown, const struct label_part *group) {
  struct sample_writer writer = {.speedscope = s, .set = set, .shown = shown};
  uint64_t joined = joined_weight(&writer);
  json_pack(&s->json, "\n{type:s", "sampled");
  write_name(s, shown, group);
  json_pack(&s->json, "unit:s startValue:0 endValue:u", shown->unit, shown->total);
  speedscope_write_samples(s, &writer, joined != 0);
  write_weights(s, &writer, joined);
  json_end(&s->json);
}

/* Writes the profiles of the samples that have one value of the label group_by_label. */
static pprofc_status write_group(struct speedscope *s, const struct label_part *group,
                                 struct speedscope_profile *shown, pprofc_error *error) {
  struct stack_selection selection = {.samples = s->groups.samples + group->from,
                                      .count = group->count,
                                      .max_depth = (size_t)s->report->options->cut_depth};
  struct stack_set set;
  pprofc_status status = stack_set_build(&s->frames, &selection, s->report->mem, &set, error);
  if (status != PPROFC_OK) return status;
  size_t count = speedscope_choose(s->report, &set, shown);
  for (size_t i = 0; i < count; i++)
    if (shown[i].total) write_profile(s, &set, &shown[i], group);
  stack_set_free(&set);
  return PPROFC_OK;
}

static pprofc_status write_groups(struct speedscope *s, pprofc_error *error) {
  struct speedscope_profile *shown =
      mem_array(s->report->mem, s->set.types, SPEEDSCOPE_PARTS_MAX * sizeof *shown);
  if (!shown) return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < s->groups.count && status == PPROFC_OK; i++)
    status = write_group(s, &s->groups.parts[i], shown, error);
  mem_free(s->report->mem, shown, s->set.types, SPEEDSCOPE_PARTS_MAX * sizeof *shown);
  return status;
}

static void speedscope_warn(const struct speedscope *s, const char *message) {
  const pprofc_report_options *o = s->report->options;
  if (o->warn) o->warn(o->warn_context, message);
}

static void write_tracks(struct speedscope *s, size_t shown) {
  const struct speedscope_tracks tracks = {.json = &s->json,
                                           .profile = s->profile,
                                           .frames = &s->frames,
                                           .numbers = s->numbers,
                                           .shown = &s->shown[shown],
                                           .max_depth = (size_t)s->report->options->cut_depth};
  double lost = 0;
  char message[120];
  if (!speedscope_write_tracks(&tracks, &lost)) s->out_of_memory = true;
  if (lost <= 0.01) return;
  snprintf(message, sizeof message,
           "the file omits %.0f%% of the time: samples of a thread overlap in the order of time",
           100 * lost);
  speedscope_warn(s, message);
}

/* ---- the file ---------------------------------------- */

/* Prints the name of the file's group of profiles, which is the name of the program. */
static void write_title(struct speedscope *s) {
  pprofc_str file = report_program(s->profile);
  json_string(json_key(&s->json, "name"), file.size ? file : STR("profile"));
}

static pprofc_status speedscope_write_file(struct speedscope *s, pprofc_error *error) {
  json_begin_object(&s->json);
  json_text(json_key(&s->json, "$schema"), "https://www.speedscope.app/file-format-schema.json");
  write_title(s);
  size_t active = speedscope_active(s->report, s->shown, s->shown_count);
  bool timed = is_timed(s);
  json_pack(&s->json, "exporter:s",
            timed ? "pprofc@" PPROFC_VERSION SPEEDSCOPE_TIMED : "pprofc@" PPROFC_VERSION);
  json_pack(&s->json, "activeProfileIndex:u", (uint64_t)(timed ? 0 : active));
  write_frames(s);
  json_begin_array(json_key(&s->json, "profiles"));
  for (size_t i = 0; i < s->shown_count && !timed && !s->json.out->failed; i++)
    write_profile(s, &s->set, &s->shown[i], NULL);
  if (timed) write_tracks(s, active);
  pprofc_status status = is_grouped(s) ? write_groups(s, error) : PPROFC_OK;
  json_pack(&s->json, "]}");
  output_add_char(s->json.out, '\n');
  return status;
}

/* ---- warnings ---------------------------------------- */

static void warn_of_size(const struct speedscope *s) {
  char message[200];
  if (s->set.max_depth > LEFT_HEAVY_DEPTH) {
    snprintf(message, sizeof message,
             "stacks are up to %zu frames deep; the left heavy view of speedscope fails above %d "
             "(-cut_depth cuts them)",
             s->set.max_depth, LEFT_HEAVY_DEPTH);
    speedscope_warn(s, message);
  }
  if (s->set.count > SPEEDSCOPE_SLOW_STACKS && !joins_stacks(s)) {
    snprintf(message, sizeof message,
             "%zu different stacks; speedscope takes minutes to load them (-min_weight joins the "
             "smallest)",
             s->set.count);
    speedscope_warn(s, message);
  }
  if (is_grouped(s) && s->groups.count == GROUPS_MAX)
    speedscope_warn(s, "the label has many values; the smallest are in one group, (other)");
}

/* ---- the report -------------------------------------- */

/* Returns the properties that distinguish frames for the option granularity. For the granularity
 * "functions", these are name and file, and a frame shows the first line of its function. */
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
                               .address = g.address,
                               .trim_path = options->trim_path,
                               .source_path = options->source_path};
}

static pprofc_status speedscope_build(struct speedscope *s, pprofc_error *error) {
  const pprofc_allocator *mem = s->report->mem;
  const pprofc_report_options *options = s->report->options;
  struct stack_policy policy = frame_policy(options);
  pprofc_status status = stack_frames_build(s->profile, &policy, mem, &s->frames, error);
  if (status != PPROFC_OK) return status;
  struct stack_selection selection = {.max_depth = (size_t)options->cut_depth};
  status = stack_set_build(&s->frames, &selection, mem, &s->set, error);
  if (status == PPROFC_OK && is_grouped(s))
    status = label_split_build(s->profile, str_of(options->group_by_label),
                               s->report->result.value_index, GROUPS_MAX, mem, &s->groups, error);
  if (status != PPROFC_OK) return status;
  struct arena *arena = &s->set.arena;
  s->numbers = arena_zero_array(arena, s->frames.count + 1, sizeof *s->numbers);
  s->shown = arena_array(arena, s->set.types, SPEEDSCOPE_PARTS_MAX * sizeof *s->shown);
  if (!s->numbers || !s->shown) return error_nomem(error);
  s->shown_count = speedscope_choose(s->report, &s->set, s->shown);
  return number_frames(s) ? PPROFC_OK : error_nomem(error);
}

pprofc_status report_speedscope(struct report *report, struct output *out, pprofc_error *error) {
  struct speedscope s = {.report = report, .profile = report->result.profile};
  s.threads = report->options->threads ? report->options->threads : s.profile->threads;
  pprofc_status status = speedscope_build(&s, error);
  if (status == PPROFC_OK) {
    buffer_init(&s.name, report->mem, SIZE_MAX);
    json_init(&s.json, out, report->mem);
    warn_of_size(&s);
    status = speedscope_write_file(&s, error);
    if (s.inexact) speedscope_warn(&s, "weights above 2^53 lose precision in speedscope");
    bool whole = json_finish(&s.json) && !s.name.failed && !s.out_of_memory;
    buffer_free(&s.name);
    if (status == PPROFC_OK && !whole) status = error_nomem(error);
  }
  label_split_free(&s.groups);
  stack_set_free(&s.set);
  stack_frames_free(&s.frames);
  return status;
}
