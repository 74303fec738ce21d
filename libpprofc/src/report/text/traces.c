/* Prints the report -traces: every sample with its labels and its stack, in the order of the
 * profile. */
#include "graph/graph.h"
#include "report/report.h"
#include "report/sample_labels.h"

#define SEPARATOR "-----------+-------------------------------------------------------\n"

/* Width in characters of labels and values, and of the gap between a value and a frame. */
#define COLUMN 10
#define GAP    3

/* Maximum size in bytes of the texts of locations that are formatted in advance. The limit is
 * necessary because even a small profile can use a long name in many locations. */
#define TEXTS_BYTES THRESHOLD((size_t)64 << 20)

/* Formatted lines of the first `count` locations. COLUMN + GAP blanks precede each frame. */
struct frame_texts {
  const pprofc_allocator *mem;
  struct buffer text;
  /* For each location, the offset of its text. One more element is the end of the last text. */
  size_t *from;
  size_t count;
};

/* Formats the frames of stacks. */
struct frame_printer {
  const pprofc_profile *profile;
  const pprofc_allocator *mem;
  struct output *out;
  struct buffer scratch; /* scratch buffer for a cleaned file name */
  size_t indent;         /* number of blanks before the next frame */
};

struct traces {
  const struct report *report;
  const pprofc_profile *profile;
  struct output *out;
  struct frame_texts texts;
  struct frame_printer printer; /* printer for locations whose text is not formatted in advance */
  uint32_t *frames;
  struct label_groups groups;
  struct text_pieces pieces;
};

/* ---- frames ------------------------------------------ */

/* Returns the path of a function's file, cleaned. The text is in `scratch`. */
static pprofc_str clean_file(pprofc_str file, struct buffer *scratch) {
  buffer_clear(scratch);
  if (!file.size || !buffer_reserve(scratch, file.size + 2)) return STR("");
  return str_path_clean(file, scratch->data);
}

/* Prints a frame: the name of its node, and "(inline)" if it is an inlined call. Returns false when
 * out of memory. */
static bool print_frame(struct frame_printer *f, uint32_t location, const struct line *line,
                        bool is_inlined) {
  const pprofc_profile *p = f->profile;
  struct node_place place = {.address = p->locations.address[location]};
  pprofc_str name = STR(""), file = STR(""), object = STR("");
  if (line) {
    place.line = line->line;
    place.column = line->column;
    name = profile_string(p, p->functions.name[line->function]);
    file = clean_file(profile_string(p, p->functions.filename[line->function]), &f->scratch);
  }
  uint32_t mapping = p->locations.mapping[location];
  if (mapping != NONE) object = profile_string(p, p->mappings.items[mapping].file);
  struct arena arena = arena_make(f->mem);
  pprofc_str text = frame_name_of(&place, name, file, object, STR(" "), &arena);
  output_add_fill(f->out, ' ', f->indent);
  f->indent = COLUMN + GAP;
  if (text.data) report_text(f->out, f->mem, text);
  output_add_text(f->out, is_inlined ? " (inline)\n" : "\n");
  arena_free(&arena);
  return text.data != NULL;
}

/* Prints the frames of a location. `indent` blanks precede the first frame. */
static bool traces_print_location(struct frame_printer *f, uint32_t location, size_t indent) {
  const struct locations *l = &f->profile->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1];
  f->indent = indent;
  if (from == to) return print_frame(f, location, NULL, false);
  for (uint32_t i = from; i < to; i++) {
    const struct line *line = l->lines[i].function == NONE ? NULL : &l->lines[i];
    if (!print_frame(f, location, line, i + 1 < to)) return false;
  }
  return true;
}

static void frame_texts_free(struct frame_texts *texts) {
  if (!texts->mem) return;
  buffer_free(&texts->text);
  mem_free(texts->mem, texts->from, texts->count + 1, sizeof *texts->from);
}

/* Returns the number of locations, counted from the first, whose texts have at most about
 * TEXTS_BYTES together. */
static size_t frame_texts_fit(const pprofc_profile *p) {
  const struct locations *l = &p->locations;
  size_t bytes = 0;
  for (size_t i = 0; i < l->count; i++) {
    if (l->mapping[i] != NONE)
      bytes += profile_string(p, p->mappings.items[l->mapping[i]].file).size;
    for (uint32_t k = l->line_from[i]; k < l->line_from[i + 1] && bytes <= TEXTS_BYTES; k++) {
      uint32_t function = l->lines[k].function;
      if (function == NONE) continue;
      bytes += profile_string(p, p->functions.name[function]).size +
               profile_string(p, p->functions.filename[function]).size;
    }
    if (bytes > TEXTS_BYTES) return i;
  }
  return l->count;
}

static bool print_locations(struct frame_texts *texts, struct frame_printer *f) {
  for (uint32_t i = 0; i < texts->count; i++) {
    texts->from[i] = texts->text.size + f->out->size;
    if (budget_poll(texts->mem, i) || !traces_print_location(f, i, COLUMN + GAP)) return false;
  }
  texts->from[texts->count] = texts->text.size + f->out->size;
  return output_flush(f->out, NULL) == PPROFC_OK && !f->scratch.failed;
}

static bool frame_texts_init(struct frame_texts *texts, struct frame_printer *f) {
  struct output *report = f->out;
  *texts = (struct frame_texts){.mem = f->mem, .count = frame_texts_fit(f->profile)};
  buffer_init(&texts->text, f->mem, SIZE_MAX);
  texts->from = mem_array(f->mem, texts->count + 1, sizeof *texts->from);
  f->out = mem_array(f->mem, 1, sizeof *f->out);
  if (f->out) output_init(f->out, buffer_write, &texts->text);
  bool ok = texts->from && f->out && print_locations(texts, f);
  mem_free(f->mem, f->out, 1, sizeof *f->out);
  f->out = report;
  return ok;
}

/* ---- labels ------------------------------------------ */

static void traces_add_value(struct traces *traces, const struct label *label, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  pprofc_str value = label->is_number ? unit_label(label->number, unit, STR("auto"), text)
                                      : profile_string(traces->profile, label->string);
  buffer_add_str(&traces->pieces.text, value);
}

/* Prints a line such as "key1: a b" for each key of the sample's string labels, or of its number
 * labels. The lines are sorted. */
static bool traces_print_labels(struct traces *traces, bool numbers) {
  struct buffer *line = &traces->pieces.text;
  text_pieces_clear(&traces->pieces);
  for (size_t i = 0; i < traces->groups.count; i++) {
    const struct label_group *group = &traces->groups.items[i];
    if (group->is_number != numbers) continue;
    pprofc_str unit =
        numbers ? label_units_get(&traces->report->result.units, group->key) : STR("");
    size_t length = utf8_length(group->key);
    if (length < COLUMN) buffer_add_fill(line, ' ', COLUMN - length);
    buffer_add_str(line, group->key);
    buffer_add_text(line, ":  ");
    for (size_t k = 0; k < group->count; k++) {
      if (k) buffer_add_char(line, ' ');
      traces_add_value(traces, traces->groups.labels[group->from + k].label, unit);
    }
    buffer_add_char(line, '\n');
    text_pieces_end_piece(&traces->pieces);
  }
  if (!text_pieces_sort(&traces->pieces)) return false;
  for (size_t i = 0; i < traces->pieces.count; i++) {
    pprofc_str piece = text_pieces_at(&traces->pieces, i);
    report_text(traces->out, traces->report->mem, str_slice(piece, 0, piece.size - 1));
    output_add_char(traces->out, '\n');
  }
  return true;
}

/* ---- samples ----------------------------------------- */

static void traces_print_value(struct traces *traces, size_t sample) {
  const struct report *report = traces->report;
  const int64_t *values = traces->profile->samples.values + sample * traces->profile->type_count;
  int64_t value = values[report->result.value_index];
  if (report->result.mean) value = report_mean(value, values[0]);
  char text[UNIT_LABEL_MAX];
  pprofc_str label = report_value(report, value, text);
  size_t length = utf8_length(label);
  if (length < COLUMN) output_add_fill(traces->out, ' ', COLUMN - length);
  report_text(traces->out, report->mem, label);
}

/* Does the same as traces_print_location, but uses the location's formatted text if it exists. */
static bool traces_print_frames(struct traces *traces, uint32_t location, size_t indent) {
  const struct frame_texts *texts = &traces->texts;
  if (location >= texts->count) return traces_print_location(&traces->printer, location, indent);
  size_t from = texts->from[location] + COLUMN + GAP - indent;
  output_add(traces->out, texts->text.data + from, texts->from[location + 1] - from);
  return true;
}

static bool traces_print_samples(struct traces *traces) {
  const struct samples *samples = &traces->profile->samples;
  struct stack_reader reader = stack_reader_at(samples, 0);
  for (size_t i = 0; i < samples->count && !traces->out->failed; i++) {
    size_t depth = stack_read(&reader, i, traces->frames);
    if (!depth) continue;
    output_add_text(traces->out, SEPARATOR);
    if (label_count(samples, i)) {
      label_groups_read(&traces->groups, i);
      if (!traces_print_labels(traces, false) || !traces_print_labels(traces, true)) return false;
    }
    traces_print_value(traces, i);
    for (size_t k = 0; k < depth; k++)
      if (!traces_print_frames(traces, traces->frames[k], k ? COLUMN + GAP : GAP)) return false;
  }
  output_add_text(traces->out, SEPARATOR);
  return !traces->printer.scratch.failed;
}

pprofc_status report_traces(struct report *report, struct output *out, pprofc_error *error) {
  const pprofc_allocator *mem = report->mem;
  const pprofc_profile *p = report->result.profile;
  struct traces traces = {.report = report,
                          .profile = p,
                          .out = out,
                          .printer = {.profile = p, .mem = mem, .out = out}};
  pprofc_status status = frames_check(p, error);
  if (status != PPROFC_OK) return status;
  buffer_init(&traces.printer.scratch, mem, SIZE_MAX);
  text_pieces_init(&traces.pieces, mem);
  traces.frames = mem_array(mem, p->samples.max_depth, sizeof *traces.frames);
  bool ok = traces.frames && label_groups_init(&traces.groups, p, mem) &&
            frame_texts_init(&traces.texts, &traces.printer);
  if (ok) {
    labels_profile(report, label_to_output, out);
    /* If the header of the report is empty, an empty line replaces it. */
    if (!out->size) output_add_char(out, '\n');
    ok = traces_print_samples(&traces);
  }
  frame_texts_free(&traces.texts);
  buffer_free(&traces.printer.scratch);
  label_groups_free(&traces.groups);
  mem_free(mem, traces.frames, p->samples.max_depth, sizeof *traces.frames);
  text_pieces_free(&traces.pieces);
  return ok ? PPROFC_OK : error_nomem(error);
}
