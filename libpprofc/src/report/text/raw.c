/* Prints the report -raw: the profile as text, without merging samples. */
#include "pprofc/builder.h"
#include "report/report.h"
#include "report/sample_labels.h"

struct raw_report {
  const struct report *report;
  const pprofc_profile *profile;
  struct output *out;
  uint32_t *frames;
  struct label_groups groups;
  struct text_pieces pieces;
};

/* ---- header ------------------------------------------ */

static void raw_text(struct raw_report *raw, pprofc_str s) {
  report_text(raw->out, raw->report->mem, s);
}

static void string(struct raw_report *raw, uint32_t index) {
  raw_text(raw, profile_string(raw->profile, index));
}

/* Prints a time in the form that Go uses: "2023-11-14 22:13:20.123456789 +0000 UTC". */
static void print_time(struct output *out, int64_t nanoseconds) {
  int64_t seconds = nanoseconds / 1000000000, fraction = nanoseconds % 1000000000;
  if (fraction < 0) {
    seconds--;
    fraction += 1000000000;
  }
  time_t clock = (time_t)seconds;
  struct tm local;
  char date[64], zone[64];
  if (!localtime_r(&clock, &local) || !strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local) ||
      !strftime(zone, sizeof zone, "%z %Z", &local))
    return;
  output_add_text(out, date);
  if (fraction) {
    int digits = 9;
    for (; fraction % 10 == 0; digits--) fraction /= 10;
    output_printf(out, ".%0*d", digits, (int)fraction);
  }
  output_add_char(out, ' ');
  output_add_text(out, zone);
}

static pprofc_str first_code_points(pprofc_str s, size_t count) {
  size_t end = 0;
  for (; count && end < s.size; count--) utf8_next(s, &end);
  return (pprofc_str){s.data, end};
}

/* Prints the duration, such as "Duration: 4h35". Truncates it after four characters, like pprof. */
static void print_duration(struct raw_report *raw) {
  char duration[64];
  output_add_text(raw->out, "Duration: ");
  pprofc_str whole = unit_go_duration(raw->profile->duration_nanos, duration);
  output_add_str(raw->out, first_code_points(whole, 4));
  output_add_char(raw->out, '\n');
}

static void print_header(struct raw_report *raw) {
  const pprofc_profile *p = raw->profile;
  struct output *out = raw->out;
  for (size_t i = 0; i < p->comment_count; i++) {
    output_add_text(out, "Comment: ");
    string(raw, p->comments[i]);
    output_add_char(out, '\n');
  }
  if (profile_string(p, p->doc_url).size) {
    output_add_text(out, "Doc: ");
    string(raw, p->doc_url);
    output_add_char(out, '\n');
  }
  output_add_text(out, "PeriodType: ");
  string(raw, p->period_type.type);
  output_add_char(out, ' ');
  string(raw, p->period_type.unit);
  output_add_text(out, "\nPeriod: ");
  output_add_int(out, p->period);
  output_add_char(out, '\n');
  if (p->time_nanos) {
    output_add_text(out, "Time: ");
    print_time(out, p->time_nanos);
    output_add_char(out, '\n');
  }
  if (p->duration_nanos) print_duration(raw);
}

/* Prints the sample types, such as "samples/count cpu/nanoseconds[dflt]". */
static bool print_types(struct raw_report *raw) {
  const pprofc_profile *p = raw->profile;
  struct buffer *line = &raw->pieces.text;
  buffer_clear(line);
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = profile_type(p, i);
    buffer_add_str(line, type);
    buffer_add_char(line, '/');
    buffer_add_str(line, profile_unit(p, i));
    if (str_equal(type, profile_string(p, p->default_sample_type))) buffer_add_text(line, "[dflt]");
    buffer_add_char(line, ' ');
  }
  if (line->failed) return false;
  raw_text(raw, str_trim(buffer_str(line)));
  output_add_char(raw->out, '\n');
  return true;
}

/* ---- samples ----------------------------------------- */

static void raw_print_value(struct output *out, int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  size_t width = value < 0 ? 2 : 1;
  for (; magnitude >= 10; magnitude /= 10) width++;
  output_add_fill(out, ' ', width < 10 ? 11 - width : 1);
  output_add_int(out, value);
}

/* Prints the values of all labels with one key: "[v1 v2]" for strings, "[5 bytes 6 kb]" for
 * numbers. If at least one number has a unit, prints a unit after each number. */
static void raw_add_values(struct raw_report *raw, const struct label_group *group) {
  const struct keyed_label *labels = raw->groups.labels + group->from;
  struct buffer *line = &raw->pieces.text;
  bool units = false;
  for (size_t i = 0; i < group->count; i++) units = units || labels[i].label->unit;
  for (size_t i = 0; i < group->count; i++) {
    const struct label *label = labels[i].label;
    buffer_add_char(line, i ? ' ' : '[');
    if (!group->is_number) {
      buffer_add_str(line, profile_string(raw->profile, label->string));
      continue;
    }
    buffer_printf(line, "%lld", (long long)label->number);
    if (!units) continue;
    buffer_add_char(line, ' ');
    buffer_add_str(line, profile_string(raw->profile, label->unit));
  }
  buffer_add_char(line, ']');
}

/* Prints a line with all string labels of the sample, or with all its number labels. */
static bool raw_print_labels(struct raw_report *raw, bool numbers) {
  text_pieces_clear(&raw->pieces);
  for (size_t i = 0; i < raw->groups.count; i++) {
    const struct label_group *group = &raw->groups.items[i];
    if (group->is_number != numbers) continue;
    buffer_add_str(&raw->pieces.text, group->key);
    buffer_add_char(&raw->pieces.text, ':');
    raw_add_values(raw, group);
    text_pieces_end_piece(&raw->pieces);
  }
  if (!text_pieces_sort(&raw->pieces)) return false;
  for (size_t i = 0; i < raw->pieces.count; i++) {
    output_add_fill(raw->out, ' ', i ? 1 : 16);
    raw_text(raw, text_pieces_at(&raw->pieces, i));
  }
  if (raw->pieces.count) output_add_char(raw->out, '\n');
  return true;
}

static bool raw_print_samples(struct raw_report *raw) {
  const struct samples *samples = &raw->profile->samples;
  size_t types = raw->profile->type_count;
  struct stack_reader reader = stack_reader_at(samples, 0);
  for (size_t i = 0; i < samples->count && !raw->out->failed; i++) {
    for (size_t k = 0; k < types; k++) raw_print_value(raw->out, samples->values[i * types + k]);
    output_add_text(raw->out, ": ");
    size_t depth = stack_read(&reader, i, raw->frames);
    for (size_t k = 0; k < depth; k++) {
      output_add_uint(raw->out, location_id(&raw->profile->locations, raw->frames[k]));
      output_add_char(raw->out, ' ');
    }
    output_add_char(raw->out, '\n');
    if (!label_count(samples, i)) continue;
    label_groups_read(&raw->groups, i);
    if (!raw_print_labels(raw, false) || !raw_print_labels(raw, true)) return false;
  }
  return true;
}

/* ---- locations and mappings -------------------------- */

static void raw_print_line(struct raw_report *raw, const struct line *line) {
  const struct functions *f = &raw->profile->functions;
  if (line->function == NONE) {
    output_add_text(raw->out, "??");
    return;
  }
  string(raw, f->name[line->function]);
  output_add_char(raw->out, ' ');
  string(raw, f->filename[line->function]);
  output_printf(raw->out, ":%lld:%lld s=%lld", (long long)line->line, (long long)line->column,
                (long long)f->start_line[line->function]);
  pprofc_str system_name = profile_string(raw->profile, f->system_name[line->function]);
  if (str_equal(profile_string(raw->profile, f->name[line->function]), system_name)) return;
  output_add_char(raw->out, '(');
  raw_text(raw, system_name);
  output_add_char(raw->out, ')');
}

static void raw_print_location(struct raw_report *raw, uint32_t index) {
  const struct locations *l = &raw->profile->locations;
  output_printf(raw->out, "%6llu: 0x%llx ", (unsigned long long)location_id(l, index),
                (unsigned long long)l->address[index]);
  if (l->mapping[index] != NONE)
    output_printf(raw->out, "M=%llu ",
                  (unsigned long long)raw->profile->mappings.items[l->mapping[index]].id);
  if (l->is_folded && l->is_folded[index]) output_add_text(raw->out, "[F] ");
  uint32_t from = l->line_from[index], to = l->line_from[index + 1];
  if (from == to) output_add_char(raw->out, '\n');
  for (uint32_t i = from; i < to; i++) {
    if (i > from) output_add_fill(raw->out, ' ', 13);
    raw_print_line(raw, &l->lines[i]);
    output_add_char(raw->out, '\n');
  }
}

static void print_mapping(struct raw_report *raw, const struct mapping *m) {
  static const struct {
    unsigned flag;
    const char *text;
  } flags[] = {{PPROFC_HAS_FUNCTIONS, "[FN]"},
               {PPROFC_HAS_FILENAMES, "[FL]"},
               {PPROFC_HAS_LINE_NUMBERS, "[LN]"},
               {PPROFC_HAS_INLINE_FRAMES, "[IN]"}};
  output_printf(raw->out, "%llu: 0x%llx/0x%llx/0x%llx ", (unsigned long long)m->id,
                (unsigned long long)m->start, (unsigned long long)m->limit,
                (unsigned long long)m->offset);
  string(raw, m->file);
  output_add_char(raw->out, ' ');
  string(raw, m->build_id);
  output_add_char(raw->out, ' ');
  for (size_t i = 0; i < COUNT(flags); i++)
    if (m->flags & flags[i].flag) output_add_text(raw->out, flags[i].text);
  output_add_char(raw->out, '\n');
}

static bool raw_print_all(struct raw_report *raw) {
  const pprofc_profile *p = raw->profile;
  print_header(raw);
  output_add_text(raw->out, "Samples:\n");
  if (!print_types(raw) || !raw_print_samples(raw)) return false;
  output_add_text(raw->out, "Locations\n");
  for (uint32_t i = 0; i < p->locations.count && !raw->out->failed; i++) raw_print_location(raw, i);
  output_add_text(raw->out, "Mappings\n");
  for (size_t i = 0; i < p->mappings.count; i++) print_mapping(raw, &p->mappings.items[i]);
  return true;
}

pprofc_status report_raw(struct report *report, struct output *out, pprofc_error *error) {
  const pprofc_allocator *mem = report->mem;
  const pprofc_profile *p = report->result.profile;
  struct raw_report raw = {.report = report, .profile = p, .out = out};
  text_pieces_init(&raw.pieces, mem);
  raw.frames = mem_array(mem, p->samples.max_depth, sizeof *raw.frames);
  bool ok = label_groups_init(&raw.groups, p, mem) && raw.frames && raw_print_all(&raw);
  mem_free(mem, raw.frames, p->samples.max_depth, sizeof *raw.frames);
  label_groups_free(&raw.groups);
  text_pieces_free(&raw.pieces);
  return ok ? PPROFC_OK : error_nomem(error);
}
