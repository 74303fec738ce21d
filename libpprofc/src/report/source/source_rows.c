/* Returns annotated source as data: the functions and lines that the report -list prints. */
#include "report/source/listing.h"

struct pprofc_source {
  struct region *region; /* memory for this struct, the arrays and all texts */
  pprofc_source_routine *routines;
  size_t routine_count;
};

/* State while annotated source is copied. The arrays grow on the heap. At the end, they are copied
 * into the region of the result. */
struct source_copy {
  const struct report *report;
  struct region *region;
  pprofc_source_routine *routines;
  pprofc_source_line *lines;
  size_t routine_count, routine_capacity, line_count, line_capacity;
  bool failed;
};

/* Copies a text into the region. Returns false when out of memory. */
static bool source_copy_text(struct source_copy *c, pprofc_str *text) {
  *text = arena_str(&c->region->arena, *text);
  return text->data != NULL;
}

static bool source_copy_routine(void *context, const pprofc_source_routine *routine) {
  struct source_copy *c = context;
  c->failed =
      !ARRAY_RESERVE(c->report->mem, c->routines, c->routine_capacity, c->routine_count + 1);
  if (c->failed) return false;
  pprofc_source_routine *copy = &c->routines[c->routine_count++];
  *copy = *routine;
  copy->flat = pipeline_ratio(&c->report->result, copy->flat);
  copy->cum = pipeline_ratio(&c->report->result, copy->cum);
  c->failed = !source_copy_text(c, &copy->function) || !source_copy_text(c, &copy->file) ||
              !source_copy_text(c, &copy->failure);
  return !c->failed;
}

static bool source_copy_line(void *context, const pprofc_source_line *line) {
  struct source_copy *c = context;
  c->failed = !ARRAY_RESERVE(c->report->mem, c->lines, c->line_capacity, c->line_count + 1);
  if (c->failed) return false;
  pprofc_source_line *copy = &c->lines[c->line_count++];
  *copy = *line;
  copy->flat = pipeline_ratio(&c->report->result, copy->flat);
  copy->cum = pipeline_ratio(&c->report->result, copy->cum);
  c->routines[c->routine_count - 1].line_count++;
  c->failed = !source_copy_text(c, &copy->text);
  return !c->failed;
}

static pprofc_source *source_finish(const struct source_copy *c) {
  struct arena *arena = &c->region->arena;
  pprofc_source *source = arena_zero_array(arena, 1, sizeof *source);
  pprofc_source_line *lines = arena_array(arena, c->line_count, sizeof *lines);
  pprofc_source_routine *routines = arena_array(arena, c->routine_count, sizeof *routines);
  if (!source || !lines || !routines) return NULL;
  if (c->line_count) memcpy(lines, c->lines, c->line_count * sizeof *lines);
  for (size_t i = 0; i < c->routine_count; i++) {
    routines[i] = c->routines[i];
    routines[i].lines = lines;
    lines += routines[i].line_count;
  }
  *source = (pprofc_source){c->region, routines, c->routine_count};
  return source;
}

static pprofc_status source_copy_all(struct report *report, pprofc_source **source,
                                     pprofc_error *error) {
  struct source_copy copy = {.report = report, .region = region_new(report->mem)};
  const struct listing_visitor visitor = {&copy, source_copy_routine, source_copy_line};
  if (!copy.region) return error_nomem(error);
  pprofc_status status = listing_walk(report, &visitor, error);
  pprofc_source *made = status || copy.failed ? NULL : source_finish(&copy);
  mem_free(report->mem, copy.routines, copy.routine_capacity, sizeof *copy.routines);
  mem_free(report->mem, copy.lines, copy.line_capacity, sizeof *copy.lines);
  if (!made) region_release(copy.region);
  if (!made) return status ? status : error_nomem(error);
  *source = made;
  return PPROFC_OK;
}

pprofc_status pprofc_source_new(const pprofc_profile *profile, const pprofc_report_options *options,
                                pprofc_source **source, pprofc_error *error) {
  pprofc_report_options o;
  struct report report = {0};
  pprofc_status status = OPTIONS_COPY(pprofc_report_options, &o, options, error);
  if (status) return status;
  o.format = "list";
  status = report_open(&report, profile, &o, error);
  if (!status) status = source_copy_all(&report, source, error);
  pipeline_free(&report.result);
  return budget_status(&profile->mem, status, error);
}

void pprofc_source_free(pprofc_source *source) {
  if (source) region_release(source->region);
}

const pprofc_source_routine *pprofc_source_routines(const pprofc_source *source, size_t *count) {
  *count = source->routine_count;
  return source->routines;
}
