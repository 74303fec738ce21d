/* Reads the text of `perf script`: a block for each sample, with a header line and then the
 * stack, leaf first.
 *
 * The fields of a header depend on perf's version and on -F. The reader recognises a field by its
 * characters and ignores unknown words. The first sample type is the number of samples. Each kind
 * of event, such as "cycles", is another type. */
#include "import/text/perf_frames.h"

#define MAX_EVENTS 32u
#define DIGITS     "0123456789"

struct perf_script_header {
  /* Command, event, and the rest of the header line, which may be a frame. */
  pprofc_str comm, event, rest;
  int64_t pid, tid, cpu, period; /* ids, processor and period of the sample; -1 if not given */
  /* has_time: true if the header has a time; too_large: true if the period does not fit int64_t */
  bool has_time, too_large;
  pprofc_str time; /* if has_time is true: text of the time in seconds, and a colon */
};

struct perf {
  pprofc_builder *builder;
  pprofc_str events[MAX_EVENTS];
  bool has_periods[MAX_EVENTS]; /* for each event: true if one of its samples has a period */
  size_t event_count;
  struct buffer head; /* header line of the current block */
  struct perf_frames frames;
  struct perf_maps maps;
  bool has_program; /* true if the first mapping is the program */
  bool has_idle;    /* true if the idle task has samples, so perf recorded all processes */
  bool has_maps;    /* true if the text is read twice, first for its mapped files */
  bool can_rewind;  /* true if the text can be read again */
  uint64_t bad_lines, more_events, samples;
  uint64_t lost;      /* number of samples that the kernel lost */
  uint64_t unknown;   /* number of records of an unknown kind in perf.data */
  uint64_t late_maps; /* number of mapped files whose lines come after samples */
  int64_t period;
  bool has_period;
};

/* ---- words ------------------------------------------- */

/* Parses a thread id "2865", or a process id and a thread id "2865/2866". */
static bool parse_ids(pprofc_str word, struct perf_script_header *h) {
  size_t slash = str_find_char(word, '/');
  pprofc_str first = str_slice(word, 0, slash), second = str_from(word, slash + 1);
  if (!perf_script_all_of(first, DIGITS) ||
      (slash < word.size && !perf_script_all_of(second, DIGITS)))
    return false;
  if (!str_parse_int(first, 10, &h->tid)) return false;
  if (slash == word.size) return true;
  h->pid = h->tid;
  return str_parse_int(second, 10, &h->tid);
}

bool perf_script_is_time(pprofc_str word) {
  return word.size > 2 && word.data[word.size - 1] == ':' &&
         perf_script_all_of(str_slice(word, 0, word.size - 1), DIGITS ".") &&
         str_find_char(word, '.') < word.size;
}

/* Returns the name of an event without its modifiers: "cycles" for "cycles:ppp:". The name
 * "sched:sched_switch:" keeps its subsystem "sched". */
static pprofc_str event_name(pprofc_str word) {
  word.size--;
  size_t colon = str_find_last_char(word, ':');
  if (colon < word.size && perf_script_all_of(str_from(word, colon + 1), "ukhGHpPSDWeIb"))
    word = str_slice(word, 0, colon);
  return word;
}

/* ---- the header -------------------------------------- */

static bool is_cpu(pprofc_str word) {
  return word.size > 2 && word.data[0] == '[' && word.data[word.size - 1] == ']' &&
         perf_script_all_of(str_slice(word, 1, word.size - 1), DIGITS);
}

/* Reads the command and its ids. A command may contain spaces and numbers. So the ids are the first
 * number that precedes a CPU or a time. If there is no such number, the ids are the first number of
 * the line. */
static bool take_command(pprofc_str *rest, struct perf_script_header *h) {
  /* Trim here once, so the str_trim below does not skip the same blanks for each word. */
  pprofc_str line = str_trim(*rest), word, next;
  bool found = false;
  for (pprofc_str at = line; import_next_word(&at, &word);) {
    struct perf_script_header ids = *h;
    pprofc_str before = str_trim((pprofc_str){line.data, (size_t)(word.data - line.data)});
    if (!before.size || !parse_ids(word, &ids)) continue;
    pprofc_str tail = at;
    bool sure = import_next_word(&tail, &next) && (is_cpu(next) || perf_script_is_time(next));
    if (found && !sure) continue;
    *h = ids;
    h->comm = before;
    *rest = at;
    found = true;
    if (sure) break;
  }
  return found;
}

/* Reads a word after the ids: a CPU like "[003]", a time, a period or an event. Returns false for
 * any other word. */
static bool read_header_word(pprofc_str word, struct perf_script_header *h) {
  if (is_cpu(word))
    str_parse_int(str_slice(word, 1, word.size - 1), 10, &h->cpu);
  else if (perf_script_is_time(word)) {
    h->has_time = true;
    h->time = word;
  } else if (perf_script_all_of(word, DIGITS))
    h->too_large = !str_parse_int(word, 10, &h->period);
  else if (word.data[word.size - 1] == ':' && word.size > 1)
    h->event = event_name(word);
  else
    return false;
  return true;
}

static bool perf_script_parse_header(pprofc_str line, struct perf_script_header *h) {
  *h = (struct perf_script_header){.pid = -1, .tid = -1, .cpu = -1, .period = -1};
  pprofc_str rest = line, word;
  if (!take_command(&rest, h)) return false;
  while (!h->event.size && import_next_word(&rest, &word))
    if (!read_header_word(word, h)) break;
  h->rest = str_trim(rest);
  return true;
}

/* ---- events ------------------------------------------ */

static bool is_clock(pprofc_str event) {
  return str_contains(event, STR("-clock"));
}

static pprofc_str event_unit(const struct perf *p, size_t event) {
  bool is_time = is_clock(p->events[event]) && p->has_periods[event];
  return is_time ? STR("nanoseconds") : STR("count");
}

/* Returns the index of an event. Adds the event if it is new. Returns MAX_EVENTS if there are too
 * many events. */
static size_t event_index(struct perf *p, pprofc_str name, bool has_period) {
  size_t i = 0;
  if (!name.size) name = STR("event");
  while (i < p->event_count && !str_equal(p->events[i], name)) i++;
  if (i == MAX_EVENTS) return i;
  bool is_new = i == p->event_count, had_period = p->has_periods[i];
  if (is_new) {
    uint32_t text = perf_frames_text(&p->frames, name);
    if (text == NONE) return MAX_EVENTS;
    p->events[p->event_count++] = p->frames.texts.items[text];
  }
  p->has_periods[i] = had_period || has_period;
  if (is_new)
    builder_add_late_type(p->builder, p->events[i], event_unit(p, i));
  else if (p->has_periods[i] != had_period)
    builder_set_unit(p->builder, i + 1, event_unit(p, i));
  return i;
}

/* ---- blocks ------------------------------------------ */

static void label_number(struct perf *p, const char *key, int64_t value) {
  if (value >= 0) pprofc_builder_number_label(p->builder, key, value, NULL);
}

/* Updates the profile's period: the period of all samples, or 0 if samples have different periods.
 * Uses only the first event, and only if this event is a clock, because other events have varying
 * periods. */
static void perf_script_note_period(struct perf *p, size_t event, int64_t period) {
  if (event != 0 || !is_clock(p->events[0])) return;
  if (!p->has_period) p->period = period;
  p->has_period = true;
  if (p->period != period) p->period = 0;
}

static bool perf_script_is_idle(const struct perf_script_header *h) {
  return h->tid == 0 && str_equal(h->comm, STR("swapper"));
}

/* Labels the last sample with its thread and processor. */
static void perf_script_label(struct perf *p, const struct perf_script_header *h) {
  if (!str_equal(h->comm, STR(PERF_NO_COMMAND))) import_label(p->builder, "thread", h->comm);
  /* The id 0 means that the id is missing, unless the command is the idle task. */
  if (h->tid > 0 || perf_script_is_idle(h)) {
    label_number(p, "pid", h->pid);
    label_number(p, "tid", h->tid);
  }
  label_number(p, "cpu", h->cpu);
}

/* Adds the last sample to the timeline of the profile. If `is_duration` is true, the sample lasts
 * for one period and ends at its time; otherwise its duration is 0. Does nothing without a time. */
static void perf_script_add_event(struct perf *p, const struct perf_script_header *h,
                                  bool is_duration) {
  char pid[32] = "", tid[32] = "";
  int64_t at;
  if (!builder_keeps_times(p->builder) || !h->has_time ||
      !scaled_parse(str_slice(h->time, 0, h->time.size - 1), 9, &at) || !at)
    return;
  if (h->pid >= 0) snprintf(pid, sizeof pid, "%lld", (long long)h->pid);
  if (h->tid >= 0) snprintf(tid, sizeof tid, "%lld", (long long)h->tid);
  const struct time_track names = {.name = h->comm, .pid = str_of(pid), .tid = str_of(tid)};
  int64_t duration = is_duration && h->period > 0 ? h->period : 0;
  int64_t start = duration < at ? at - duration : 0;
  builder_event(p->builder, builder_track(p->builder, &names), start, at - start);
}

static void finish_block(struct perf *p, const struct perf_script_header *h) {
  int64_t values[MAX_EVENTS + 1] = {1};
  size_t event = event_index(p, h->event, h->period >= 0);
  if (event < MAX_EVENTS) {
    values[1 + event] = h->period >= 0 ? h->period : 1;
    perf_script_note_period(p, event, values[1 + event]);
  } else {
    p->more_events++;
  }
  size_t depth = perf_frames_stack(&p->frames, h->pid >= 0 ? h->pid : h->tid);
  pprofc_builder_sample(p->builder, p->frames.stack, depth, values);
  perf_script_label(p, h);
  perf_script_add_event(p, h, event < MAX_EVENTS && is_clock(p->events[event]));
  p->has_idle |= perf_script_is_idle(h);
  p->samples++;
}

static bool is_blank_line(pprofc_str line) {
  return !str_trim(line).size;
}

/* True for a line of --show-mmap-events: "comm 12 PERF_RECORD_MMAP2 ...". */
static bool is_record(pprofc_str line) {
  return str_contains(line, STR(" PERF_RECORD_"));
}

static bool is_indented(pprofc_str line) {
  return line.size && (line.data[0] == ' ' || line.data[0] == '\t');
}

/* True if `below`, the text after a header, begins with a frame. If `named` is true, the frame must
 * name a symbol or an object file. */
static bool frame_is_below(pprofc_str below, bool named) {
  struct perf_script_frame frame;
  pprofc_str line;
  if (!str_next_line(&below, &line) || !is_indented(line)) return false;
  return perf_script_parse_frame(line, &frame) &&
         (!named || frame.symbol.size || frame.object.size);
}

/* True if a frame follows a header. If the header has neither an event nor a time, the frame must
 * name a symbol or an object file. */
static bool is_header_of_frame(const struct perf_script_header *h, pprofc_str below) {
  return frame_is_below(below, !h->event.size && !h->has_time);
}

/* True if the line is a header: it contains an event, a time or a CPU, or a frame follows it. */
static bool is_header(pprofc_str line, pprofc_str below, struct perf_script_header *h) {
  return perf_script_parse_header(line, h) && !h->too_large &&
         (h->has_time || h->event.size || h->cpu >= 0 || frame_is_below(below, false));
}

/* True if the rest of a header is a frame. If frames follow the header, the rest must name an
 * object file. A word like "abc" in the text of a tracepoint also looks like an address. */
static bool has_frame(pprofc_str rest, pprofc_str below, struct perf_script_frame *frame) {
  return rest.size && perf_script_parse_frame(rest, frame) &&
         (frame->object.size || !frame_is_below(below, false));
}

/* Returns the number after "PERF_RECORD_LOST lost ", or 0 for any other line. */
static uint64_t perf_lost(pprofc_str line) {
  static const pprofc_str record = {" PERF_RECORD_LOST lost ",
                                    sizeof " PERF_RECORD_LOST lost " - 1};
  uint64_t count = 0;
  size_t at = str_find(line, record);
  str_parse_uint(str_from(line, at + record.size), 10, &count);
  return at < line.size ? count : 0;
}

/* Reads the header line of a block. Returns false if the line is not a header. */
static bool begin_block(struct perf *p, pprofc_str line, pprofc_str below,
                        struct perf_script_header *h) {
  struct perf_script_frame frame;
  if (is_record(line)) {
    p->lost += perf_lost(line);
    p->unknown += str_ends(line, STR(" PERF_RECORD_UNKNOWN"));
    p->late_maps += !p->has_maps && str_contains(line, STR(" PERF_RECORD_MMAP"));
    return false;
  }
  /* Copy the line, because the caller's line is valid only until the next line is read. */
  buffer_clear(&p->head);
  buffer_add_str(&p->head, line);
  if (!is_header(buffer_str(&p->head), below, h)) {
    p->bad_lines++;
    return false;
  }
  p->frames.count = 0;
  if (has_frame(h->rest, below, &frame)) perf_frames_add(&p->frames, h->rest);
  return true;
}

/* Begins a block. A frame on the header line is the whole stack, so the block ends there. Returns
 * true if more lines of the block follow. */
static bool open_block(struct perf *p, pprofc_str line, pprofc_str below,
                       struct perf_script_header *h) {
  if (!begin_block(p, line, below, h)) return false;
  if (p->frames.count) finish_block(p, h);
  return !p->frames.count;
}

/* Reads a line outside of a block. Returns true if the line begins a block. */
static bool read_line_between(struct perf *p, pprofc_str line, pprofc_str below,
                              struct perf_script_header *h) {
  if (line.data[0] != '#') return open_block(p, line, below, h);
  if (!p->has_maps) perf_maps_read_line(&p->maps, line);
  return false;
}

/* True if the line begins a block, even without a blank line before it. */
static bool begins_block(pprofc_str line) {
  struct perf_script_header h;
  return is_record(line) || (perf_script_parse_header(line, &h) && h.has_time);
}

/* True if the line is a frame and not a header. The command of a header may look like an address.
 * So if the line can also begin a block, the frame must be inlined or name an object file. */
static bool is_sure_frame(pprofc_str line, struct perf_script_frame *frame) {
  return is_indented(line) && perf_script_parse_frame(line, frame) &&
         (frame->object.size || frame->inlined || !begins_block(line));
}

/* Reads a line of a block. Returns false if the line begins another block. */
static bool read_block_line(struct perf *p, pprofc_str line) {
  struct perf_script_frame frame;
  if (line.data[0] == '#') return true;
  bool is_frame = is_sure_frame(line, &frame);
  if (!is_frame && begins_block(line)) return false;
  if (is_frame || perf_script_parse_frame(line, &frame))
    perf_frames_add(&p->frames, line);
  else
    p->bad_lines += !perf_frames_add_source(&p->frames, line);
  return true;
}

static bool perf_has_memory(const struct perf *p) {
  return !p->maps.failed && !p->frames.failed && !p->head.failed;
}

/* True if the text must be read again, with a first pass for the mapped files. */
static bool perf_begins_again(const struct perf *p) {
  return p->late_maps && p->can_rewind;
}

static bool perf_goes_on(const struct perf *p) {
  return perf_has_memory(p) && builder_ok(p->builder) && !perf_begins_again(p);
}

/* Reads the blocks and adds a sample for each. */
static void read_blocks(struct perf *p, struct text_stream *text) {
  pprofc_str line;
  struct perf_script_header h;
  bool inside = false;
  while (perf_goes_on(p) && text_stream_line(text, &line)) {
    if (inside && perf_frames_add_known(&p->frames, line)) continue;
    bool blank = is_blank_line(line);
    if (inside && !blank && read_block_line(p, line)) continue;
    if (inside) finish_block(p, &h);
    inside = !blank && read_line_between(p, line, text->rest, &h);
  }
  if (inside && perf_goes_on(p)) finish_block(p, &h);
}

/* Parses a frame on a line of its own or at the end of a header. */
static bool any_frame(pprofc_str line, struct perf_script_frame *frame) {
  struct perf_script_header h;
  return is_sure_frame(line, frame) ||
         (perf_script_parse_header(line, &h) && perf_script_parse_frame(h.rest, frame));
}

/* Reads all lines about mapped files, because samples need these files. Also keeps the first
 * frames, because perf_maps_sort needs them. */
static void read_maps(struct perf *p, struct text_stream *text) {
  struct perf_script_frame frame;
  pprofc_str line;
  while (perf_has_memory(p) && text_stream_line(text, &line)) {
    perf_maps_read_line(&p->maps, line);
    if (p->maps.probe_count < PERF_PROBES && any_frame(line, &frame) &&
        str_starts(frame.object, STR("/")))
      perf_maps_probe(&p->maps, frame.address, frame.object);
  }
  perf_maps_sort(&p->maps);
  if (perf_has_memory(p)) p->has_program = perf_maps_add_program(&p->maps, p->builder);
}

/* ---- the text ---------------------------------------- */

static bool may_be_header(pprofc_str line) {
  return !is_blank_line(line) && line.data[0] != '#' && !is_record(line);
}

#define SNIFFED_BLOCKS 1000u

/* Result of checking if a block has perf's format: no, yes, or undecided. If it is undecided, the
 * next block decides. */
enum perf_look { PERF_LOOK_NO, PERF_LOOK_YES, PERF_LOOK_ON };

/* True if a blank line or another header follows a header. */
static bool is_without_stack(pprofc_str below) {
  pprofc_str line;
  return str_next_line(&below, &line) && (is_blank_line(line) || begins_block(line));
}

/* Checks if a block has perf's format: a header, and then frames. The result is undecided for a
 * block without a stack. */
static enum perf_look perf_script_look(pprofc_str line, pprofc_str below) {
  struct perf_script_header h;
  struct perf_script_frame frame;
  if (line.data[0] == '@' || !perf_script_parse_header(line, &h)) return PERF_LOOK_NO;
  if (!h.event.size && h.rest.size) return PERF_LOOK_NO;
  bool on_line = perf_script_parse_frame(h.rest, &frame) && frame.object.size;
  if (on_line) return h.event.size ? PERF_LOOK_YES : PERF_LOOK_NO;
  if (is_header_of_frame(&h, below)) return PERF_LOOK_YES;
  return h.event.size && h.has_time && is_without_stack(below) ? PERF_LOOK_ON : PERF_LOOK_NO;
}

/* True if the first block (text of a sample) with a stack has perf's format. */
static bool is_perf_script(pprofc_str text) {
  pprofc_str line;
  enum perf_look look = PERF_LOOK_ON;
  for (size_t i = 0; look == PERF_LOOK_ON && i < SNIFFED_BLOCKS && str_next_line(&text, &line);)
    if (may_be_header(line)) {
      look = perf_script_look(line, text);
      i++;
    }
  return look == PERF_LOOK_YES;
}

/* Sets the main mapping and the period of the profile, and adds comments about skipped data. */
static void perf_finish(struct perf *p) {
  if (!p->has_program && !p->has_idle) builder_main_mapping(p->builder, p->frames.program);
  if (p->event_count)
    builder_set_period(p->builder, p->events[0], event_unit(p, 0),
                       p->has_periods[0] ? p->period : 0);
  const struct import_loss losses[] = {{p->bad_lines, "line of perf script could not be read",
                                        "lines of perf script could not be read"},
                                       {p->lost, "sample was lost while it was recorded",
                                        "samples were lost while they were recorded"},
                                       {p->unknown, "record of perf.data is of an unknown kind",
                                        "records of perf.data are of unknown kinds"},
                                       {0}};
  import_account(p->builder, p->samples, "samples and lines", losses);
  import_note_count(p->builder, p->more_events,
                    "sample of an event after the 32nd counts in samples only",
                    "samples of events after the 32nd count in samples only");
  import_note_count(p->builder, p->late_maps,
                    "mapped file is not used: its line is after the first MiB of a pipe",
                    "mapped files are not used: their lines are after the first MiB of a pipe");
}

/* A text of perf. If has_maps is true, the text is read twice, first for the mapped files. */
struct perf_text {
  struct text_stream *stream;
  bool has_maps;
};

/* Reads the text. A mapped file that comes after samples needs a second pass. If the stream can
 * rewind, this function then fails with PPROFC_E_NO_MATCH. The caller sets has_maps and calls it
 * again. */
static void perf_read_text(void *context, pprofc_builder *builder, struct arena *arena) {
  const struct perf_text *text = context;
  struct perf p = {.builder = builder,
                   .has_maps = text->has_maps,
                   .can_rewind = text_stream_can_rewind(text->stream)};
  perf_maps_init(&p.maps, arena->mem);
  buffer_init(&p.head, arena->mem, SIZE_MAX / 2);
  pprofc_builder_type(builder, "samples", "count");
  perf_frames_init(&p.frames, builder, &p.maps, arena->mem);
  if (p.has_maps) read_maps(&p, text->stream);
  if (!p.has_maps || text_stream_rewind(text->stream)) read_blocks(&p, text->stream);
  import_end_of_stream(builder, text->stream);
  import_need(builder, perf_has_memory(&p));
  if (perf_begins_again(&p)) import_refuse(builder, PPROFC_E_NO_MATCH, "%s", "");
  perf_finish(&p);
  perf_frames_free(&p.frames);
  buffer_free(&p.head);
  perf_maps_free(&p.maps);
}

IMPORT_LINES_READER(import_perf_lines) {
  struct perf_text perf = {text, is_record(text->rest)};
  if (!is_perf_script(text->rest) || (perf.has_maps && !text_stream_can_rewind(text)))
    return PPROFC_E_NO_MATCH;
  pprofc_status status = import_build(perf_read_text, &perf, mem, options, profile, error);
  if (status != PPROFC_E_NO_MATCH || perf.has_maps || !text_stream_rewind(text)) return status;
  perf.has_maps = true;
  return import_build(perf_read_text, &perf, mem, options, profile, error);
}

static void perf_read_memory(pprofc_str data, pprofc_builder *builder, struct arena *arena) {
  struct text_stream stream = text_stream_of(data);
  perf_read_text(&(struct perf_text){&stream, is_record(data)}, builder, arena);
}

/* Reads text of perf. First repairs the text if its headers lack fields or its frames lack
 * indentation (perf_loose.c). Returns false if the text is not output of perf. */
static bool perf_read_any(pprofc_str data, pprofc_builder *builder, struct arena *arena) {
  bool known = is_perf_script(data);
  if (known) perf_read_memory(data, builder, arena);
  if (known) return true;
  struct buffer whole = buffer_make(arena->mem, SIZE_MAX / 2);
  known = perf_loose_convert(data, &whole) && import_need(builder, !whole.failed) &&
          is_perf_script(buffer_str(&whole));
  if (known) perf_read_memory(buffer_str(&whole), builder, arena);
  buffer_free(&whole);
  return known;
}

bool import_is_perf_script(pprofc_str data) {
  return is_perf_script(data) || perf_loose_begins(data);
}

IMPORT_READER(import_perf_script) {
  if (!perf_read_any(data, builder, arena)) import_refuse(builder, PPROFC_E_NO_MATCH, "%s", "");
}

void perf_script_converted(const struct buffer *text, pprofc_builder *builder,
                           struct arena *arena) {
  if (import_need(builder, !text->failed) && builder_ok(builder) &&
      !perf_read_any(buffer_str(text), builder, arena))
    import_refuse(builder, PPROFC_E_FORMAT, "the file has no samples with stacks");
}
