/* The text of `perf script`: one block for each event, a header line and below it the stack, leaf
 * first.
 *
 * Which fields there are depends on perf's version and -F; the reader tells the fields apart by
 * the form of their words, and ignores a word of no known form. One sample type for each event,
 * beside the number of samples. */
#include "core/buffer.h"
#include "import/formats.h"
#include "import/lines.h"
#include "import/names.h"
#include "import/text/perf_maps.h"
#include "profile/builder.h"

#include <stdio.h>

#define MOST_EVENTS 32u
#define MOST_FRAMES 65536u
#define MOST_LINES  256u /* of one location */

struct perf_script_header {
  pprofc_str comm, event, rest;  /* rest: a frame on the header line itself, or empty */
  int64_t pid, tid, cpu, period; /* -1: not there */
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
  pprofc_str events[MOST_EVENTS];
  bool has_periods[MOST_EVENTS]; /* else its samples count 1 each */
  size_t event_count;
  uint32_t *stack;                  /* [MOST_FRAMES] */
  struct perf_script_frame *frames; /* [MOST_FRAMES] of the block that is being read */
  size_t frame_count;
  struct perf_maps maps;
  uint64_t bad_lines, more_events, samples;
  int64_t period;
  bool has_period;
};

/* ---- words ------------------------------------------- */

/* Takes the next word; blanks and tabs part words. */
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

/* "2865" or "2865/2866". */
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

/* "cycles:ppp:" without the modifiers; "sched:sched_switch:" keeps its subsystem. */
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

/* Takes the command and its ids off the line. A command may have blanks and numbers: it ends at the
 * first number that a CPU or a time is behind; where there is none, at the first one. */
static bool take_command(pprofc_str *rest, struct perf_script_header *h) {
  pprofc_str line = *rest, word, next;
  bool found = false;
  for (pprofc_str at = line; perf_script_next_word(&at, &word);) {
    struct perf_script_header ids = *h;
    pprofc_str before = str_trim((pprofc_str){line.data, (size_t)(word.data - line.data)});
    if (!before.size || !parse_ids(word, &ids)) continue;
    pprofc_str behind = at;
    bool sure = perf_script_next_word(&behind, &next) && (is_cpu(next) || is_time(next));
    if (found && !sure) continue;
    *h = ids;
    h->comm = before;
    *rest = at;
    found = true;
    if (sure) break;
  }
  return found;
}

/* Reads a word behind the ids: "[003]", a time, a period or an event; false for any other. */
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

/* Where the last pair of brackets opens, or s.size. Brackets may nest: "(/a (deleted))". */
static size_t last_brackets(pprofc_str s) {
  int depth = 0;
  if (!str_ends(s, STR(")"))) return s.size;
  for (size_t i = s.size; i-- > 0;) {
    if (s.data[i] == ')') depth++;
    if (s.data[i] == '(' && --depth == 0) return i;
  }
  return s.size;
}

/* "symbol+0x12" without the offset; "[unknown]" is empty. */
static pprofc_str symbol_name(pprofc_str symbol) {
  if (str_equal(symbol, STR("[unknown]"))) return STR("");
  size_t plus = str_find_last_char(symbol, '+');
  bool has_offset = str_starts(str_slice(symbol, plus, symbol.size), STR("+0x"));
  return has_offset ? str_slice(symbol, 0, plus) : symbol;
}

/* "7f12 symbol+0x12 (object)"; false when the line is something else. */
static bool perf_script_parse_frame(pprofc_str line, struct perf_script_frame *frame) {
  *frame = (struct perf_script_frame){0};
  pprofc_str rest = line, word;
  if (!perf_script_next_word(&rest, &word) || !perf_script_is_hex(word) ||
      !str_parse_uint(word, 16, &frame->address))
    return false;
  rest = str_trim(rest);
  size_t open = last_brackets(rest); /* of the object */
  frame->symbol = symbol_name(str_trim(str_slice(rest, 0, open)));
  pprofc_str object = str_slice(rest, open + 1, rest.size ? rest.size - 1 : 0);
  frame->inlined = str_equal(object, STR("inlined"));
  size_t deleted = str_find(object, STR(" (deleted)"));
  object = str_slice(object, 0, deleted);
  if (!frame->inlined && !str_equal(object, STR("[unknown]"))) frame->object = object;
  return true;
}

/* "file.c:123" below a frame, or "object[1f0]" where no line is known; false for anything else. */
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

/* Whether there are names around an arrow that ends at `end`. */
static bool parts_names(pprofc_str s, size_t end) {
  return end > 1 && end + 1 < s.size && s.data[end - 2] != ' ' && s.data[end + 1] != ' ';
}

/* Where the last "->" is that parts two names, or s.size: none in brackets, and none with a blank,
 * as types of C++ and Rust have them. */
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

/* Takes Java's inlined functions "->b" off the end of a symbol "a->b"; each becomes a line. */
static size_t take_inlined_java(struct perf *p, pprofc_str *symbol, pprofc_line *lines,
                                size_t count) {
  if (str_find(*symbol, STR("operator->")) < symbol->size) return count;
  while (count < MOST_LINES - 1) {
    size_t arrow = last_arrow(*symbol);
    if (arrow == symbol->size) break;
    pprofc_str name = str_slice(*symbol, arrow + 2, symbol->size);
    lines[count++] = (pprofc_line){perf_script_function_of(p, name, STR("")), 0, 0};
    *symbol = str_slice(*symbol, 0, arrow);
  }
  return count;
}

/* An inlined frame comes before the one it was inlined into, and shares its location. Java's "a->b"
 * in one symbol are inlined frames too, outermost first. */
static size_t make_stack(struct perf *p, int64_t pid) {
  pprofc_line lines[MOST_LINES];
  size_t depth = 0, count = 0;
  for (size_t i = 0; i < p->frame_count; i++) {
    const struct perf_script_frame *f = &p->frames[i];
    pprofc_str symbol = f->symbol;
    count = take_inlined_java(p, &symbol, lines, count);
    if (symbol.size && count < MOST_LINES)
      lines[count++] = (pprofc_line){perf_script_function_of(p, symbol, f->file), f->line, 0};
    if (f->inlined && i + 1 < p->frame_count && count < MOST_LINES - 6) continue;
    uint32_t mapping = perf_script_mapping_of(p, f->object, pid, f->address);
    if (count || f->address)
      p->stack[depth++] = pprofc_builder_location(p->builder, mapping, f->address, lines, count);
    count = 0;
  }
  return depth;
}

/* ---- blocks ------------------------------------------ */

/* MOST_EVENTS: too many came before it. */
static size_t event_index(struct perf *p, pprofc_str name) {
  if (!name.size) name = STR("event");
  for (size_t i = 0; i < p->event_count; i++)
    if (str_equal(p->events[i], name)) return i;
  if (p->event_count == MOST_EVENTS) return MOST_EVENTS;
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

/* The period of the profile is that of the first event when that is a clock, whose samples have
 * equal periods. The kernel changes those of other events while it samples: 0. */
static void perf_script_note_period(struct perf *p, size_t event, int64_t period) {
  if (event != 0 || !is_clock(p->events[0]) || !p->has_periods[0]) return;
  if (!p->has_period) p->period = period;
  p->has_period = true;
  if (p->period != period) p->period = 0;
}

static void finish_block(struct perf *p, const struct perf_script_header *h) {
  int64_t values[MOST_EVENTS + 1] = {1};
  size_t event = event_index(p, h->event);
  if (event < MOST_EVENTS) {
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

/* "comm 12 PERF_RECORD_MMAP2 ..." of --show-mmap-events: no sample. */
static bool is_record(pprofc_str line) {
  return str_find(line, STR(" PERF_RECORD_")) < line.size;
}

static bool is_indented(pprofc_str line) {
  return line.size && (line.data[0] == ' ' || line.data[0] == '\t');
}

/* The line below a header is a frame. */
static bool frame_is_below(pprofc_str below) {
  struct perf_script_frame frame;
  pprofc_str line;
  return str_next_line(&below, &line) && is_indented(line) && perf_script_parse_frame(line, &frame);
}

/* A header has an event or a time; a name and a number alone, as other lines have them too, need a
 * frame below. */
static bool is_header(pprofc_str line, pprofc_str below, struct perf_script_header *h) {
  return perf_script_parse_header(line, h) && !h->too_large &&
         (h->has_time || h->event.size || h->cpu >= 0 || frame_is_below(below));
}

/* Whether the rest of a header is a frame. A word like "abc" of what a tracepoint says is none
 * where frames are below. */
static bool has_frame(pprofc_str rest, pprofc_str below, struct perf_script_frame *frame) {
  return rest.size && perf_script_parse_frame(rest, frame) &&
         (frame->object.size || !frame_is_below(below));
}

/* Begins a block with its header line; false when the line is none. */
static bool begin_block(struct perf *p, pprofc_str line, pprofc_str below,
                        struct perf_script_header *h) {
  if (is_record(line)) return false;
  if (!is_header(line, below, h)) {
    p->bad_lines++;
    return false;
  }
  size_t event = event_index(p, h->event);
  if (event < MOST_EVENTS) p->has_periods[event] = p->has_periods[event] || h->period >= 0;
  p->frame_count = has_frame(h->rest, below, &p->frames[0]);
  return true;
}

/* Begins a block with its header line. A frame on that line is all of its stack; true when more
 * lines are to come. */
static bool open_block(struct perf *p, pprofc_str line, pprofc_str below,
                       struct perf_script_header *h, bool only_events) {
  if (!begin_block(p, line, below, h)) return false;
  if (p->frame_count && !only_events) finish_block(p, h);
  return !p->frame_count;
}

/* Reads a line outside of a block; true when it begins one. */
static bool read_line_between(struct perf *p, pprofc_str line, pprofc_str below,
                              struct perf_script_header *h, bool only_events) {
  if (only_events) perf_maps_read_line(&p->maps, line);
  return line.data[0] != '#' && open_block(p, line, below, h, only_events);
}

/* Where the blank line between blocks is missing. */
static bool begins_block(pprofc_str line) {
  struct perf_script_header h;
  return is_record(line) || (perf_script_parse_header(line, &h) && h.has_time);
}

/* A command may be written like an address; a frame mostly has an object. */
static bool is_sure_frame(pprofc_str line, struct perf_script_frame *frame) {
  return is_indented(line) && perf_script_parse_frame(line, frame) &&
         (frame->object.size || frame->inlined || !begins_block(line));
}

/* Reads a line of a block; false when it begins another one. */
static bool read_block_line(struct perf *p, pprofc_str line) {
  struct perf_script_frame frame;
  if (line.data[0] == '#') return true;
  bool is_frame = is_sure_frame(line, &frame);
  if (!is_frame && begins_block(line)) return false;
  if (p->frame_count == MOST_FRAMES) return true;
  if (is_frame || perf_script_parse_frame(line, &frame))
    p->frames[p->frame_count++] = frame;
  else
    p->bad_lines += !add_source_line(p, line);
  return true;
}

/* Adds the sample of each block; with only_events just enters the names of the events and what was
 * mapped. */
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

/* What a block decides: the text is perf's, it is not, or the next block tells. */
enum perf_look { PERF_LOOK_NO, PERF_LOOK_YES, PERF_LOOK_ON };

/* A blank line or the next header is below. */
static bool is_without_stack(pprofc_str below) {
  pprofc_str line;
  return str_next_line(&below, &line) && (is_blank_line(line) || begins_block(line));
}

/* A header with an id, and a time or an event; then frames in hexadecimal. Samples may have none.
 */
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

/* The first block with a stack decides. */
static bool looks_like_perf(pprofc_str text) {
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
  import_note_count(
      p->builder, p->more_events,
      "sample is of an event beyond the 32 that are types, and counts in samples only",
      "samples are of events beyond the 32 that are types, and count in samples only");
  return pprofc_builder_finish(p->builder, profile, error);
}

pprofc_status import_perf_script(pprofc_str data, const pprofc_allocator *mem,
                                 const pprofc_read_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  (void)options;
  struct buffer utf8;
  pprofc_str text;
  pprofc_status status = import_text(data, mem, &utf8, &text, error);
  if (status == PPROFC_OK && !looks_like_perf(text)) status = PPROFC_E_NO_MATCH;
  if (status == PPROFC_OK) {
    struct perf p = {.builder = pprofc_builder_new(mem)};
    perf_maps_init(&p.maps, mem);
    p.stack = mem_array(mem, MOST_FRAMES, sizeof *p.stack);
    p.frames = mem_array(mem, MOST_FRAMES, sizeof *p.frames);
    status =
        p.builder && p.stack && p.frames ? read_perf(&p, text, profile, error) : error_nomem(error);
    mem_free(mem, p.stack, MOST_FRAMES, sizeof *p.stack);
    mem_free(mem, p.frames, MOST_FRAMES, sizeof *p.frames);
    perf_maps_free(&p.maps);
    pprofc_builder_free(p.builder);
  }
  buffer_free(&utf8);
  return status;
}
