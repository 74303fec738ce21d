/* Prints the report -folded for flame graph tools. It has a line "root;child;leaf value" for each
 * distinct stack. */
#include "core/escape.h"
#include "core/parallel.h"
#include "graph/graph.h"
#include "report/report.h"
#include "stacks/stacks.h"

struct folded_report {
  const struct report *report;
  struct stack_frames frames;
  struct stack_set set;
  struct buffer texts; /* texts of the frames; a text is made on its first use */
  size_t *text_from;   /* for each frame, the offset of its text in `texts` */
  bool two_columns;    /* true if each line has a value for base and a value for head, like in
                          difffolded.pl */
  double least;        /* stacks whose values are below this value share a line */
  int64_t joined_base, joined_head; /* sums of the stacks that share a line, for base and head */
};

/* ---- frames ------------------------------------------ */

/* Returns the character that is written for a byte of a name. */
static char folded_char(char c) {
  if (c == ';') return ':';
  return c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
}

/* Appends a name in a form that fits in a line. Replaces ';', which would end a frame, and
 * newlines, like other folding tools. Makes other control bytes visible. */
static void add_name(struct buffer *to, pprofc_str name, struct buffer *scratch) {
  buffer_clear(scratch);
  for (size_t i = 0; i < name.size; i++) buffer_add_char(scratch, folded_char(name.data[i]));
  escape_terminal(to, buffer_str(scratch), false);
}

static bool folded_is_number(pprofc_str s) {
  for (size_t i = 0; i < s.size; i++)
    if ((s.data[i] < '0' || s.data[i] > '9') && s.data[i] != '.') return false;
  return s.size > 0;
}

/* Replaces the last blank in a frame such as "f 12" by an underscore, because readers of the format
 * would take the number 12 for the value of the stack. */
static void guard_number(struct buffer *text, size_t from) {
  pprofc_str frame = str_slice(buffer_str(text), from, text->size);
  size_t blank = str_find_last_char(frame, ' ');
  if (blank < frame.size && folded_is_number(str_slice(frame, blank + 1, frame.size)))
    text->data[from + blank] = '_';
}

/* True if an object file is the kernel or a kernel module, by the names that perf writes for them.
 */
static bool folded_is_kernel(pprofc_str object) {
  return str_starts(object, STR("[kernel")) || str_starts(object, STR("[guest.kernel")) ||
         str_starts(object, STR("vmlinux")) || str_ends(object, STR(".ko"));
}

/* True if an object is code that a just-in-time compiler generated while the program ran. */
static bool folded_is_jit(pprofc_str object) {
  return (str_starts(object, STR("perf-")) && str_ends(object, STR(".map"))) ||
         (str_starts(object, STR("jitted-")) && str_ends(object, STR(".so"))) ||
         str_equal(object, STR("[jvm]")) || str_starts(object, STR("[anon"));
}

/* Returns the mark that sets the colour of a frame in flamegraph.pl, or "". */
static const char *folded_mark(const pprofc_profile *p, const struct stack_frame *frame) {
  pprofc_str object = STR("");
  if (frame->mapping != NONE)
    object = str_path_base(profile_string(p, p->mappings.items[frame->mapping].file));
  if (folded_is_kernel(object)) return "_[k]";
  if (frame->inlined) return "_[i]";
  return folded_is_jit(object) ? "_[j]" : "";
}

/* Appends the printed name of a frame: the properties (name, file, line ...) by which the
 * granularity distinguishes frames. */
static bool folded_put_frame(struct folded_report *f, const struct stack_frame *frame,
                             struct buffer *scratch) {
  bool is_named = !str_equal(frame->name, frame->file);
  struct node_place place = {.line = frame->line, .column = frame->column};
  /* The name of a frame without a function already contains the address. */
  if (frame->function != NONE) place.address = frame->address;
  struct arena arena = arena_make(f->report->mem);
  pprofc_str text = frame_name_of(&place, is_named ? frame->name : STR(""), frame->file, STR(""),
                                  STR(" "), &arena);
  size_t from = f->texts.size;
  if (text.data) add_name(&f->texts, text, scratch);
  arena_free(&arena);
  if (!text.data || f->texts.failed) return false;
  guard_number(&f->texts, from);
  if (f->report->options->frame_marks)
    buffer_add_text(&f->texts, folded_mark(f->report->result.profile, frame));
  return true;
}

static bool folded_make_texts(struct folded_report *f) {
  struct buffer scratch = buffer_make(f->report->mem, SIZE_MAX);
  buffer_init(&f->texts, f->report->mem, SIZE_MAX);
  f->text_from = arena_array(&f->frames.arena, f->frames.count + 1, sizeof *f->text_from);
  bool ok = f->text_from != NULL;
  for (size_t i = 0; ok && i < f->frames.count; i++) {
    f->text_from[i] = f->texts.size;
    ok = folded_put_frame(f, &f->frames.items[i], &scratch);
    f->text_from[i + 1] = f->texts.size;
  }
  ok = ok && !scratch.failed;
  buffer_free(&scratch);
  return ok;
}

/* ---- lines ------------------------------------------- */

/* Returns a value for display: divided by `divisor` if the user wants means, and then divided by
 * the option divide_by. */
static int64_t shown_value(const struct report *report, int64_t value, int64_t divisor) {
  if (report->result.mean) value = report_mean(value, divisor);
  if (!(report->result.ratio > 0) || report->result.ratio == 1) return value;
  double divided = (double)value * report->result.ratio;
  if (divided >= (double)INT64_MAX) return INT64_MAX;
  return divided <= (double)INT64_MIN ? INT64_MIN : (int64_t)divided;
}

/* Adds the absolute value of *from to *to and clears *from, if *from is negative. Flame graph tools
 * do not accept negative numbers. The two values are base and head, or head and base. */
static void move_negative(int64_t *from, int64_t *to) {
  if (*from >= 0) return;
  if (__builtin_sub_overflow(*to, *from, to)) *to = INT64_MAX;
  *from = 0;
}

/* Computes the base value and the head value of a stack. In a difference without base samples,
 * negative values count for the base. */
static void values_of(const struct folded_report *f, size_t stack, int64_t *base, int64_t *head) {
  const struct report *report = f->report;
  size_t type = report->result.mean ? report->result.value_index : 0;
  *head = shown_value(report, stack_head(&f->set, stack, type), stack_head(&f->set, stack, 0));
  *base = shown_value(report, stack_base(&f->set, stack, type), stack_base(&f->set, stack, 0));
  move_negative(head, base);
  move_negative(base, head);
}

static bool is_small(const struct folded_report *f, int64_t base, int64_t head) {
  return (double)base < f->least && (double)head < f->least;
}

/* Sets two_columns, `least`, and the sums of the stacks below `least`: joined_base and
 * joined_head. */
static void survey(struct folded_report *f) {
  double base_total = 0, head_total = 0;
  int64_t base, head;
  f->two_columns = f->set.has_base;
  for (size_t i = 0; i < f->set.count; i++) {
    values_of(f, i, &base, &head);
    base_total += (double)base;
    head_total += (double)head;
    if (base) f->two_columns = true;
  }
  f->least = f->report->options->min_weight * (base_total > head_total ? base_total : head_total);
  for (size_t i = 0; f->least > 0 && i < f->set.count; i++) {
    values_of(f, i, &base, &head);
    if (!is_small(f, base, head)) continue;
    f->joined_base = sum_add(f->joined_base, base);
    f->joined_head = sum_add(f->joined_head, head);
  }
}

static void folded_write_stack(const struct folded_report *f, struct output *out, size_t stack,
                               uint32_t *frames) {
  uint32_t depth = f->set.depth[stack];
  if (!depth) output_add_text(out, "[no stack]");
  for (uint32_t i = 0; i < depth; i++) {
    size_t from = f->text_from[frames[i]];
    if (i) output_add_char(out, ';');
    output_add(out, f->texts.data + from, f->text_from[frames[i] + 1] - from);
  }
}

static void write_values(const struct folded_report *f, struct output *out, int64_t base,
                         int64_t head) {
  output_add_char(out, ' ');
  if (f->two_columns) {
    output_add_int(out, base);
    output_add_char(out, ' ');
  }
  output_add_int(out, head);
  output_add_char(out, '\n');
}

static void write_lines(const void *context, void *room, struct output *out, size_t from,
                        size_t to) {
  const struct folded_report *f = context;
  uint32_t *frames = room;
  uint32_t known = 0;
  for (size_t i = from; i < to && !out->failed; i++) {
    int64_t base, head;
    if (f->set.shared[i] < known) known = f->set.shared[i];
    values_of(f, i, &base, &head);
    if ((!base && !head) || is_small(f, base, head)) continue;
    known = (uint32_t)stack_set_read(&f->set, i, known, frames);
    folded_write_stack(f, out, i, frames);
    write_values(f, out, base, head);
  }
}

static bool write_all(const struct folded_report *f, struct output *out) {
  const struct report *report = f->report;
  size_t longest = 0, bytes;
  for (size_t i = 0; i < f->frames.count; i++)
    if (f->text_from[i + 1] - f->text_from[i] > longest)
      longest = f->text_from[i + 1] - f->text_from[i];
  if (__builtin_mul_overflow(longest + 1, f->set.max_depth + 1, &bytes)) bytes = SIZE_MAX;
  unsigned threads =
      report->options->threads ? report->options->threads : report->result.profile->threads;
  const struct blocks blocks = {f->set.count, bytes, (f->set.max_depth + 1) * sizeof(uint32_t),
                                write_lines, f};
  if (!blocks_write(out, report->mem, threads, &blocks)) return false;
  if (f->joined_base || f->joined_head) {
    output_add_text(out, "[smaller stacks]");
    write_values(f, out, f->joined_base, f->joined_head);
  }
  return true;
}

pprofc_status report_folded(struct report *report, struct output *out, pprofc_error *error) {
  struct folded_report f = {.report = report};
  /* The granularity was already applied to the profile. So all properties that still differ
   * distinguish frames. */
  struct stack_policy policy = {.inlines = true,
                                .function = true,
                                .file = true,
                                .line = true,
                                .column = true,
                                .address = true,
                                .inlined = report->options->frame_marks,
                                .trim_path = report->options->trim_path,
                                .source_path = report->options->source_path};
  pprofc_status status =
      stack_frames_build(report->result.profile, &policy, report->mem, &f.frames, error);
  if (status != PPROFC_OK) return status;
  struct stack_selection selection = {.max_depth = (size_t)report->options->cut_depth,
                                      .one_type = !report->result.mean,
                                      .type = report->result.value_index};
  status = stack_set_build(&f.frames, &selection, report->mem, &f.set, error);
  if (status == PPROFC_OK && !folded_make_texts(&f)) status = error_nomem(error);
  if (status == PPROFC_OK) {
    survey(&f);
    if (!write_all(&f, out)) status = error_nomem(error);
  }
  if (f.texts.mem) buffer_free(&f.texts);
  stack_set_free(&f.set);
  stack_frames_free(&f.frames);
  return status;
}
