/* Reads the text of `perf script`: a block for each event, with a header line and then the
 * stack, leaf first.
 *
 * The fields depend on perf's version and on -F. The reader identifies fields by the form of the
 * words and ignores unknown words. The sample types are the number of samples and one type for each
 * event. */
#include "core/buffer.h"
#include "import/formats.h"
#include "import/lines.h"
#include "import/names.h"
#include "import/text/perf_maps.h"
#include "profile/builder.h"

#include <stdio.h>

#define MAX_EVENTS 32u
#define MAX_FRAMES 65536u
#define MAX_LINES  256u /* maximum number of lines of a location */

struct perf_script_header {
  pprofc_str comm, event, rest;  /* rest: frame on the header line, or empty */
  int64_t pid, tid, cpu, period; /* -1 if not given */
  bool has_time, too_large;      /* too_large: the period does not fit 64 bits */
};

struct perf_script_frame {
  uint64_t address;
  pprofc_str symbol, object, file;
  int64_t line;
  bool inlined;
};

struct perf {
  pprofc_builder *builder;
  pprofc_str events[MAX_EVENTS];
  bool has_periods[MAX_EVENTS]; /* false if each sample counts 1 */
  size_t event_count;
  uint32_t *stack;                  /* [MAX_FRAMES] */
  struct perf_script_frame *frames; /* [MAX_FRAMES] frames of the current block */
  size_t frame_count;
  struct perf_maps maps;
  uint64_t bad_lines, more_events, samples;
  int64_t period;
  bool has_period;
};

/* ---- words ------------------------------------------- */

/* Reads the next word; spaces and tabs separate words. */
static bool perf_script_next_word(pprofc_str *rest, pprofc_str *word) {
  size_t from = 0, to;
  while (from < rest->size && (rest->data[from] == ' ' || rest->data[from] == '\t')) from++;
  for (to = from; to < rest->size && rest->data[to] != ' ' && rest->data[to] != '\t';) to++;
  *word = str_slice(*rest, from, to);
  *rest = str_slice(*rest, to, rest->size);
  return word->size > 0;
}

static bool all_of(pprofc_str s, const char *set) {
  for (size_t i = 0; i < s.size; i++)
    if (!strchr(set, s.data[i]) || !s.data[i]) return false;
  return s.size > 0;
}

#define DIGITS "0123456789"

/* Parses "2865" or "2865/2866". */
static bool parse_ids(pprofc_str word, struct perf_script_header *h) {
  size_t slash = str_find_char(word, '/');
  pprofc_str first = str_slice(word, 0, slash), second = str_slice(word, slash + 1, word.size);
  if (!all_of(first, DIGITS) || (slash < word.size && !all_of(second, DIGITS))) return false;
  if (!str_parse_int(first, 10, &h->tid)) return false;
  if (slash == word.size) return true;
  h->pid = h->tid;
  return str_parse_int(second, 10, &h->tid);
}

static bool is_time(pprofc_str word) {
  return word.size > 2 && word.data[word.size - 1] == ':' &&
         all_of(str_slice(word, 0, word.size - 1), DIGITS ".") &&
         str_find_char(word, '.') < word.size;
}

/* Returns the event without its modifiers: "cycles" for "cycles:ppp:". "sched:sched_switch:"
 * keeps its subsystem. */
static pprofc_str event_name(pprofc_str word) {
  word.size--;
  size_t colon = str_find_last_char(word, ':');
  if (colon < word.size && all_of(str_slice(word, colon + 1, word.size), "ukhGHpPSDWeIb"))
    word = str_slice(word, 0, colon);
  return word;
}

/* ---- the header -------------------------------------- */

static bool is_cpu(pprofc_str word) {
  return word.size > 2 && word.data[0] == '[' && word.data[word.size - 1] == ']' &&
         all_of(str_slice(word, 1, word.size - 1), DIGITS);
}

/* Reads the command and its ids. A command may contain spaces and numbers. It ends before the
 * first number that a CPU or a time follows, or else before the first number. */
static bool take_command(pprofc_str *rest, struct perf_script_header *h) {
  pprofc_str line = *rest, word, next;
  bool found = false;
  for (pprofc_str at = line; perf_script_next_word(&at, &word);) {
    struct perf_script_header ids = *h;
    pprofc_str before = str_trim((pprofc_str){line.data, (size_t)(word.data - line.data)});
    if (!before.size || !parse_ids(word, &ids)) continue;
    pprofc_str tail = at;
    bool sure = perf_script_next_word(&tail, &next) && (is_cpu(next) || is_time(next));
    if (found && !sure) continue;
    *h = ids;
    h->comm = before;
    *rest = at;
    found = true;
    if (sure) break;
  }
  return found;
}

/* Reads a word after the ids: "[003]", a time, a period or an event. Returns false for any
 * other word. */
static bool read_header_word(pprofc_str word, struct perf_script_header *h) {
  if (is_cpu(word))
    str_parse_int(str_slice(word, 1, word.size - 1), 10, &h->cpu);
  else if (is_time(word))
    h->has_time = true;
  else if (all_of(word, DIGITS))
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
  while (!h->event.size && perf_script_next_word(&rest, &word))
    if (!read_header_word(word, h)) break;
  h->rest = str_trim(rest);
  return true;
}

/* ---- frames ------------------------------------------ */

static bool perf_script_is_hex(pprofc_str word) {
  return all_of(word, DIGITS "abcdef") && word.size <= 16;
}

/* Returns the offset where the last parentheses open, or s.size.
 * They may nest: "(/a (deleted))". */
static size_t last_brackets(pprofc_str s) {
  int depth = 0;
  if (!str_ends(s, STR(")"))) return s.size;
  for (size_t i = s.size; i-- > 0;) {
    if (s.data[i] == ')') depth++;
    if (s.data[i] == '(' && --depth == 0) return i;
  }
  return s.size;
}

/* Returns "symbol+0x12" without the offset; "" for "[unknown]". */
static pprofc_str symbol_name(pprofc_str symbol) {
  if (str_equal(symbol, STR("[unknown]"))) return STR("");
  size_t plus = str_find_last_char(symbol, '+');
  bool has_offset = str_starts(str_slice(symbol, plus, symbol.size), STR("+0x"));
  return has_offset ? str_slice(symbol, 0, plus) : symbol;
}

/* Parses a frame: "7f12 symbol+0x12 (object)". */
static bool perf_script_parse_frame(pprofc_str line, struct perf_script_frame *frame) {
  *frame = (struct perf_script_frame){0};
  pprofc_str rest = line, word;
  if (!perf_script_next_word(&rest, &word) || !perf_script_is_hex(word) ||
      !str_parse_uint(word, 16, &frame->address))
    return false;
  rest = str_trim(rest);
  size_t open = last_brackets(rest); /* start of the object */
  frame->symbol = symbol_name(str_trim(str_slice(rest, 0, open)));
  pprofc_str object = str_slice(rest, open + 1, rest.size ? rest.size - 1 : 0);
  frame->inlined = str_equal(object, STR("inlined"));
  size_t deleted = str_find(object, STR(" (deleted)"));
  object = str_slice(object, 0, deleted);
  if (!frame->inlined && !str_equal(object, STR("[unknown]"))) frame->object = object;
  return true;
}

/* Reads the source line of a frame: "file.c:123", or "object[1f0]" if the line is unknown.
 * Returns false for anything else. */
static bool add_source_line(struct perf *p, pprofc_str line) {
  line = str_trim(line);
  size_t colon = str_find_last_char(line, ':');
  int64_t number;
  if (str_ends(line, STR("]"))) return true;
  if (!p->frame_count || colon == 0 || colon == line.size ||
      !str_parse_int(str_slice(line, colon + 1, line.size), 10, &number))
    return false;
  p->frames[p->frame_count - 1].file = str_slice(line, 0, colon);
  p->frames[p->frame_count - 1].line = number;
  return true;
}

static bool is_kernel(pprofc_str object) {
  return (str_starts(object, STR("[")) && !str_starts(object, STR("[vdso")) &&
          !str_starts(object, STR("[stack"))) ||
         str_find(object, STR("vmlinux")) < object.size || str_ends(object, STR(".ko"));
}

static uint32_t perf_script_mapping_of(struct perf *p, pprofc_str object, int64_t pid,
                                       uint64_t address) {
  if (!object.size) return NONE;
  pprofc_str name =
      is_kernel(object) && str_starts(object, STR("[kernel")) ? STR("[kernel.kallsyms]") : object;
  return perf_maps_mapping(&p->maps, p->builder, name, pid, address);
}

static uint32_t perf_script_function_of(struct perf *p, pprofc_str name, pprofc_str file) {
  return import_function(p->builder, name, builder_string(p->builder, file));
}

/* True if the arrow that ends at `end` has text without spaces on both sides. */
static bool parts_names(pprofc_str s, size_t end) {
  return end > 1 && end + 1 < s.size && s.data[end - 2] != ' ' && s.data[end + 1] != ' ';
}

/* Returns the offset of the last "->" between two names, or s.size. Arrows in brackets or next
 * to a space belong to types of C++ and Rust. */
static size_t last_arrow(pprofc_str s) {
  size_t depth = 0;
  for (size_t at = s.size; at-- > 1;) {
    char c = s.data[at];
    bool arrow = c == '>' && s.data[at - 1] == '-';
    if (arrow && !depth && parts_names(s, at)) return at - 1;
    if (!arrow) depth += c == '>' || c == ')';
    if (depth) depth -= c == '<' || c == '(';
  }
  return s.size;
}

/* Removes Java's inlined functions "->b" from the end of a symbol "a->b" and adds a line for
 * each. */
static size_t take_inlined_java(struct perf *p, pprofc_str *symbol, pprofc_line *lines,
                                size_t count) {
  if (str_find(*symbol, STR("operator->")) < symbol->size) return count;
  while (count < MAX_LINES - 1) {
    size_t arrow = last_arrow(*symbol);
    if (arrow == symbol->size) break;
    pprofc_str name = str_slice(*symbol, arrow + 2, symbol->size);
    lines[count++] = (pprofc_line){perf_script_function_of(p, name, STR("")), 0, 0};
    *symbol = str_slice(*symbol, 0, arrow);
  }
  return count;
}

/* Makes the stack of the frames. An inlined frame comes before its caller and shares the
 * caller's location. Java has inlined frames in one symbol, outermost first: "a->b". */
static size_t make_stack(struct perf *p, int64_t pid) {
  pprofc_line lines[MAX_LINES];
  size_t depth = 0, count = 0;
  for (size_t i = 0; i < p->frame_count; i++) {
    const struct perf_script_frame *f = &p->frames[i];
    pprofc_str symbol = f->symbol;
    count = take_inlined_java(p, &symbol, lines, count);
    if (symbol.size && count < MAX_LINES)
      lines[count++] = (pprofc_line){perf_script_function_of(p, symbol, f->file), f->line, 0};
    if (f->inlined && i + 1 < p->frame_count && count < MAX_LINES - 6) continue;
    uint32_t mapping = perf_script_mapping_of(p, f->object, pid, f->address);
    if (count || f->address)
      p->stack[depth++] = pprofc_builder_location(p->builder, mapping, f->address, lines, count);
    count = 0;
  }
  return depth;
}

/* ---- blocks ------------------------------------------ */

/* Returns the index of an event, or MAX_EVENTS if there are too many events. */
static size_t event_index(struct perf *p, pprofc_str name) {
  if (!name.size) name = STR("event");
  for (size_t i = 0; i < p->event_count; i++)
    if (str_equal(p->events[i], name)) return i;
  if (p->event_count == MAX_EVENTS) return MAX_EVENTS;
  p->events[p->event_count] = name;
  return p->event_count++;
}

static bool is_clock(pprofc_str event) {
  return str_find(event, STR("-clock")) < event.size;
}

static pprofc_str event_unit(const struct perf *p, size_t event) {
  bool is_time = is_clock(p->events[event]) && p->has_periods[event];
  return is_time ? STR("nanoseconds") : STR("count");
}

static void label_number(struct perf *p, const char *key, int64_t value) {
  if (value >= 0) pprofc_builder_number_label(p->builder, key, value, NULL);
}

/* Sets the profile's period if the first event is a clock and all its samples have the same
 * period. The kernel changes the periods of other events, so these have 0. */
static void perf_script_note_period(struct perf *p, size_t event, int64_t period) {
  if (event != 0 || !is_clock(p->events[0]) || !p->has_periods[0]) return;
  if (!p->has_period) p->period = period;
  p->has_period = true;
  if (p->period != period) p->period = 0;
}

static void finish_block(struct perf *p, const struct perf_script_header *h) {
  int64_t values[MAX_EVENTS + 1] = {1};
  size_t event = event_index(p, h->event);
  if (event < MAX_EVENTS) {
    values[1 + event] = h->period >= 0 ? h->period : 1;
    perf_script_note_period(p, event, values[1 + event]);
  } else {
    p->more_events++;
  }
  pprofc_builder_sample(p->builder, p->stack, make_stack(p, h->pid >= 0 ? h->pid : h->tid), values);
  builder_add_label(p->builder, &(struct label){.key = builder_string(p->builder, STR("thread")),
                                                .string = builder_string(p->builder, h->comm)});
  label_number(p, "pid", h->pid);
  label_number(p, "tid", h->tid);
  label_number(p, "cpu", h->cpu);
  p->samples++;
}

static bool is_blank_line(pprofc_str line) {
  return !str_trim(line).size;
}

/* True for a line of --show-mmap-events: "comm 12 PERF_RECORD_MMAP2 ...". */
static bool is_record(pprofc_str line) {
  return str_find(line, STR(" PERF_RECORD_")) < line.size;
}

static bool is_indented(pprofc_str line) {
  return line.size && (line.data[0] == ' ' || line.data[0] == '\t');
}

/* True if a frame follows the header. */
static bool frame_is_below(pprofc_str below) {
  struct perf_script_frame frame;
  pprofc_str line;
  return str_next_line(&below, &line) && is_indented(line) && perf_script_parse_frame(line, &frame);
}

/* True if the line is a header: it has an event, a time or a CPU. A line with only a name and
 * a number must be followed by a frame. */
static bool is_header(pprofc_str line, pprofc_str below, struct perf_script_header *h) {
  return perf_script_parse_header(line, h) && !h->too_large &&
         (h->has_time || h->event.size || h->cpu >= 0 || frame_is_below(below));
}

/* True if the rest of a header is a frame. A word like "abc" in a tracepoint's text is not a
 * frame if frames follow. */
static bool has_frame(pprofc_str rest, pprofc_str below, struct perf_script_frame *frame) {
  return rest.size && perf_script_parse_frame(rest, frame) &&
         (frame->object.size || !frame_is_below(below));
}

/* Reads the header line of a block; false if the line is not a header. */
static bool begin_block(struct perf *p, pprofc_str line, pprofc_str below,
                        struct perf_script_header *h) {
  if (is_record(line)) return false;
  if (!is_header(line, below, h)) {
    p->bad_lines++;
    return false;
  }
  size_t event = event_index(p, h->event);
  if (event < MAX_EVENTS) p->has_periods[event] = p->has_periods[event] || h->period >= 0;
  p->frame_count = has_frame(h->rest, below, &p->frames[0]);
  return true;
}

/* Begins a block. A frame on the header line is the whole stack, so the block ends there.
 * Returns true if more lines follow. */
static bool open_block(struct perf *p, pprofc_str line, pprofc_str below,
                       struct perf_script_header *h, bool only_events) {
  if (!begin_block(p, line, below, h)) return false;
  if (p->frame_count && !only_events) finish_block(p, h);
  return !p->frame_count;
}

/* Reads a line outside of a block; true if it begins a block. */
static bool read_line_between(struct perf *p, pprofc_str line, pprofc_str below,
                              struct perf_script_header *h, bool only_events) {
  if (only_events) perf_maps_read_line(&p->maps, line);
  return line.data[0] != '#' && open_block(p, line, below, h, only_events);
}

/* True if the line begins a block although no blank line ends the previous one. */
static bool begins_block(pprofc_str line) {
  struct perf_script_header h;
  return is_record(line) || (perf_script_parse_header(line, &h) && h.has_time);
}

/* True if the line is a frame and not a header. A command may look like an address, but most
 * frames have an object. */
static bool is_sure_frame(pprofc_str line, struct perf_script_frame *frame) {
  return is_indented(line) && perf_script_parse_frame(line, frame) &&
         (frame->object.size || frame->inlined || !begins_block(line));
}

/* Reads a line of a block; false if it begins another block. */
static bool read_block_line(struct perf *p, pprofc_str line) {
  struct perf_script_frame frame;
  if (line.data[0] == '#') return true;
  bool is_frame = is_sure_frame(line, &frame);
  if (!is_frame && begins_block(line)) return false;
  if (p->frame_count == MAX_FRAMES) return true;
  if (is_frame || perf_script_parse_frame(line, &frame))
    p->frames[p->frame_count++] = frame;
  else
    p->bad_lines += !add_source_line(p, line);
  return true;
}

/* Adds the sample of each block. With only_events, collects only the events and the mapped
 * files. */
static void read_blocks(struct perf *p, pprofc_str text, bool only_events) {
  pprofc_str line;
  struct perf_script_header h;
  bool inside = false;
  while (str_next_line(&text, &line)) {
    bool blank = is_blank_line(line);
    if (inside && !blank && read_block_line(p, line)) continue;
    if (inside && !only_events) finish_block(p, &h);
    inside = !blank && read_line_between(p, line, text, &h, only_events);
  }
  if (inside && !only_events) finish_block(p, &h);
}

static bool may_be_header(pprofc_str line) {
  return !is_blank_line(line) && line.data[0] != '#' && !is_record(line);
}

#define SNIFFED_BLOCKS 1000u

/* Result of the check of a block: not perf, perf, or undecided. */
enum perf_look { PERF_LOOK_NO, PERF_LOOK_YES, PERF_LOOK_ON };

/* True if a blank line or the next header follows. */
static bool is_without_stack(pprofc_str below) {
  pprofc_str line;
  return str_next_line(&below, &line) && (is_blank_line(line) || begins_block(line));
}

/* Checks for a header with an id and a time or an event, then frames in hexadecimal. A block
 * without a stack is undecided. */
static enum perf_look perf_script_look(pprofc_str line, pprofc_str below) {
  struct perf_script_header h;
  struct perf_script_frame frame;
  if (line.data[0] == '@' || !perf_script_parse_header(line, &h)) return PERF_LOOK_NO;
  if (!h.event.size && h.rest.size) return PERF_LOOK_NO;
  bool on_line = perf_script_parse_frame(h.rest, &frame) && frame.object.size;
  if (on_line) return h.event.size ? PERF_LOOK_YES : PERF_LOOK_NO;
  if (frame_is_below(below)) return PERF_LOOK_YES;
  return h.event.size && h.has_time && is_without_stack(below) ? PERF_LOOK_ON : PERF_LOOK_NO;
}

/* True if the first block with a stack is perf's. */
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

static pprofc_status read_perf(struct perf *p, pprofc_str text, pprofc_profile **profile,
                               pprofc_error *error) {
  read_blocks(p, text, true);
  perf_maps_sort(&p->maps);
  if (p->maps.failed) return error_nomem(error);
  pprofc_builder_type(p->builder, "samples", "count");
  for (size_t i = 0; i < p->event_count; i++)
    builder_add_type(p->builder, p->events[i], event_unit(p, i));
  perf_maps_add_program(&p->maps, p->builder);
  p->bad_lines = 0;
  read_blocks(p, text, false);
  if (p->event_count) builder_set_period(p->builder, p->events[0], event_unit(p, 0), p->period);
  import_note_count(p->builder, p->bad_lines, "line of perf script could not be read",
                    "lines of perf script could not be read");
  import_note_share(p->builder, p->samples, p->bad_lines, "samples and lines");
  import_note_count(p->builder, p->more_events,
                    "sample of an event after the 32nd counts in samples only",
                    "samples of events after the 32nd count in samples only");
  return pprofc_builder_finish(p->builder, profile, error);
}

pprofc_status import_perf_script(pprofc_str data, const pprofc_allocator *mem,
                                 const pprofc_read_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  (void)options;
  struct buffer utf8;
  pprofc_str text;
  pprofc_status status = import_text(data, mem, &utf8, &text, error);
  if (status == PPROFC_OK && !is_perf_script(text)) status = PPROFC_E_NO_MATCH;
  if (status == PPROFC_OK) {
    struct perf p = {.builder = pprofc_builder_new(mem)};
    perf_maps_init(&p.maps, mem);
    p.stack = mem_array(mem, MAX_FRAMES, sizeof *p.stack);
    p.frames = mem_array(mem, MAX_FRAMES, sizeof *p.frames);
    status =
        p.builder && p.stack && p.frames ? read_perf(&p, text, profile, error) : error_nomem(error);
    mem_free(mem, p.stack, MAX_FRAMES, sizeof *p.stack);
    mem_free(mem, p.frames, MAX_FRAMES, sizeof *p.frames);
    perf_maps_free(&p.maps);
    pprofc_builder_free(p.builder);
  }
  buffer_free(&utf8);
  return status;
}
