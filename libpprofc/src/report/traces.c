/* The -traces report: every sample with its labels and stack, in the order of the profile. */
#include "base/escape.h"
#include "report/report.h"
#include "report/sample_labels.h"
#include "unit/unit.h"

#define SEPARATOR "-----------+-------------------------------------------------------\n"

/* The width of labels and values, and that of the blanks between a value and a frame. */
#define COLUMN 10
#define GAP    3

/* The lines of every location, rendered once: each frame behind COLUMN + GAP blanks. */
struct frame_texts {
  const pprofc_allocator *mem;
  struct buffer text;
  size_t *from; /* [count + 1] */
  size_t count;
};

struct traces {
  const struct report *report;
  const pprofc_profile *profile;
  struct output *out;
  struct frame_texts texts;
  uint32_t *frames;
  struct label_groups groups;
  struct text_pieces pieces;
};

/* ---- frames --------------------------------------------------------------------------------- */

static int to_buffer(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

/* The file of a function, cleaned into `scratch`. */
static pprofc_str clean_file(pprofc_str file, struct buffer *scratch) {
  buffer_clear(scratch);
  if (!file.size || !buffer_reserve(scratch, file.size + 2)) return STR("");
  return str_path_clean(file, scratch->data);
}

/* What stands behind address and name: the source, or what little is known. */
static void print_source(struct output *out, const pprofc_allocator *mem, const pprofc_profile *p,
                         uint32_t location, const struct line *line, struct buffer *scratch) {
  pprofc_str name = line ? profile_string(p, p->functions.name[line->function]) : STR("");
  pprofc_str file = STR("");
  if (line) file = clean_file(profile_string(p, p->functions.filename[line->function]), scratch);
  uint32_t mapping = p->locations.mapping[location];
  pprofc_str object = STR("");
  if (mapping != NONE) object = profile_string(p, p->mappings.items[mapping].file);

  const char *blank = name.size || p->locations.address[location] ? " " : "";
  if (line && line->line) {
    output_add_text(out, blank);
    report_text(out, mem, file);
    output_printf(out, ":%lld", (long long)line->line);
    if (line->column) output_printf(out, ":%lld", (long long)line->column);
  } else if (file.size) {
    output_add_text(out, blank);
    report_text(out, mem, file);
  } else if (name.size) {
    return;
  } else if (object.size) {
    output_printf(out, "%s[", blank);
    report_text(out, mem, str_path_base(object));
    output_add_char(out, ']');
  } else {
    output_printf(out, "%s<unknown>", blank);
  }
}

/* One frame: the printable name of its node, marked when it was inlined. */
static void print_frame(struct output *out, const pprofc_allocator *mem, const pprofc_profile *p,
                        uint32_t location, const struct line *line, bool is_inlined,
                        struct buffer *scratch) {
  output_add_fill(out, ' ', COLUMN + GAP);
  uint64_t address = p->locations.address[location];
  if (address) output_printf(out, "%016llx", (unsigned long long)address);
  if (line) {
    pprofc_str name = profile_string(p, p->functions.name[line->function]);
    if (address && name.size) output_add_char(out, ' ');
    report_text(out, mem, name);
  }
  print_source(out, mem, p, location, line, scratch);
  output_add_text(out, is_inlined ? " (inline)\n" : "\n");
}

static void print_location(struct output *out, const pprofc_allocator *mem, const pprofc_profile *p,
                           uint32_t location, struct buffer *scratch) {
  const struct locations *l = &p->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1];
  if (from == to) print_frame(out, mem, p, location, NULL, false, scratch);
  for (uint32_t i = from; i < to; i++) {
    const struct line *line = l->lines[i].function == NONE ? NULL : &l->lines[i];
    print_frame(out, mem, p, location, line, i + 1 < to, scratch);
  }
}

static void frame_texts_free(struct frame_texts *texts) {
  if (!texts->mem) return;
  buffer_free(&texts->text);
  mem_free(texts->mem, texts->from, texts->count + 1, sizeof *texts->from);
}

static bool frame_texts_init(struct frame_texts *texts, const pprofc_profile *p,
                             const pprofc_allocator *mem) {
  *texts = (struct frame_texts){.mem = mem, .count = p->locations.count};
  buffer_init(&texts->text, mem, SIZE_MAX);
  texts->from = mem_array(mem, texts->count + 1, sizeof *texts->from);
  struct output *out = mem_array(mem, 1, sizeof *out);
  struct buffer scratch;
  buffer_init(&scratch, mem, SIZE_MAX);
  bool ok = texts->from && out;
  if (ok) {
    output_init(out, to_buffer, &texts->text);
    for (uint32_t i = 0; i < texts->count; i++) {
      texts->from[i] = texts->text.size + out->size;
      print_location(out, mem, p, i, &scratch);
    }
    texts->from[texts->count] = texts->text.size + out->size;
    ok = output_flush(out, NULL) == PPROFC_OK && !scratch.failed;
  }
  buffer_free(&scratch);
  mem_free(mem, out, 1, sizeof *out);
  return ok;
}

/* ---- labels --------------------------------------------------------------------------------- */

static void add_value(struct traces *traces, const struct label *label, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  pprofc_str value = label->is_number ? unit_label(label->number, unit, STR("auto"), text)
                                      : profile_string(traces->profile, label->string);
  buffer_add_str(&traces->pieces.text, value);
}

/* "      key1:  a b\n" of every key of one kind. They are sorted with their padding and their
 * newline. */
static bool print_labels(struct traces *traces, bool numbers) {
  struct buffer *line = &traces->pieces.text;
  text_pieces_clear(&traces->pieces);
  for (size_t i = 0; i < traces->groups.count; i++) {
    const struct label_group *group = &traces->groups.items[i];
    if (group->is_number != numbers) continue;
    pprofc_str unit = numbers ? label_units_get(&traces->report->units, group->key) : STR("");
    size_t length = utf8_length(group->key);
    if (length < COLUMN) buffer_add_fill(line, ' ', COLUMN - length);
    buffer_add_str(line, group->key);
    buffer_add_text(line, ":  ");
    for (size_t k = 0; k < group->count; k++) {
      if (k) buffer_add_char(line, ' ');
      add_value(traces, traces->groups.labels[group->from + k].label, unit);
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

/* ---- samples -------------------------------------------------------------------------------- */

static void print_value(struct traces *traces, size_t sample) {
  const struct report *report = traces->report;
  const int64_t *values = traces->profile->samples.values + sample * traces->profile->type_count;
  int64_t value = values[report->value_index];
  if (report->mean) value = report_mean(value, values[0]);
  char text[UNIT_LABEL_MAX];
  pprofc_str label = report_value(report, value, text);
  size_t length = utf8_length(label);
  if (length < COLUMN) output_add_fill(traces->out, ' ', COLUMN - length);
  report_text(traces->out, report->mem, label);
}

static bool print_samples(struct traces *traces) {
  const struct samples *samples = &traces->profile->samples;
  const struct frame_texts *texts = &traces->texts;
  struct stack_reader reader = stack_reader_at(samples, 0);
  for (size_t i = 0; i < samples->count && !traces->out->failed; i++) {
    size_t depth = stack_read(&reader, i, traces->frames);
    if (!depth) continue;
    output_add_text(traces->out, SEPARATOR);
    if (label_count(samples, i)) {
      label_groups_read(&traces->groups, i);
      if (!print_labels(traces, false) || !print_labels(traces, true)) return false;
    }
    print_value(traces, i);
    for (size_t k = 0; k < depth; k++) {
      size_t from = texts->from[traces->frames[k]] + (k ? 0 : COLUMN);
      output_add(traces->out, texts->text.data + from, texts->from[traces->frames[k] + 1] - from);
    }
  }
  output_add_text(traces->out, SEPARATOR);
  return true;
}

pprofc_status report_traces(struct report *report, struct output *out, pprofc_error *error) {
  const pprofc_allocator *mem = report->mem;
  const pprofc_profile *p = report->profile;
  struct traces traces = {.report = report, .profile = p, .out = out};
  text_pieces_init(&traces.pieces, mem);
  traces.frames = mem_array(mem, p->samples.max_depth, sizeof *traces.frames);
  bool ok = traces.frames && label_groups_init(&traces.groups, p, mem) &&
            frame_texts_init(&traces.texts, p, mem);
  if (ok) {
    report_profile_header(report, out);
    /* The header is the first thing written: with nothing to say it is an empty line. */
    if (!out->size) output_add_char(out, '\n');
    ok = print_samples(&traces);
  }
  frame_texts_free(&traces.texts);
  label_groups_free(&traces.groups);
  mem_free(mem, traces.frames, p->samples.max_depth, sizeof *traces.frames);
  text_pieces_free(&traces.pieces);
  return ok ? PPROFC_OK : error_nomem(error);
}
