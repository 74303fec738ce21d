/* Applies a granularity: clears the fields of frames that the granularity ignores
 * (docs/spec/pprof.md, 16). */
#include "pprofc/builder.h"
#include "pprofc/transform.h"
#include "transform/transform.h"

void pprofc_aggregate_options_init(pprofc_aggregate_options *options) {
  *options = (pprofc_aggregate_options){.struct_size = sizeof *options, .granularity = ""};
}

pprofc_status pprofc_aggregate(const pprofc_profile *profile,
                               const pprofc_aggregate_options *options, pprofc_profile **aggregated,
                               pprofc_error *error) {
  pprofc_aggregate_options o;
  struct granularity granularity;
  pprofc_status status = OPTIONS_COPY(pprofc_aggregate_options, &o, options, error);
  if (!status) status = profile_need_stacks(profile, error);
  if (status) return status;
  const char *name = o.granularity ? o.granularity : "";
  if (!granularity_parse(name, o.noinlines, o.showcolumns, &granularity))
    return error_set(error, PPROFC_E_INVALID, "invalid \"granularity\" value \"%s\"", name);
  status = transform_granularity(profile, &granularity, aggregated, error);
  return budget_status(&profile->mem, status, error);
}

bool granularity_parse(const char *name, bool noinlines, bool showcolumns,
                       struct granularity *out) {
  static const struct {
    const char *name;
    struct granularity keeps;
  } table[] = {
      {"", {.function = true}},
      {"functions", {.function = true}},
      {"filefunctions", {.function = true, .file = true}},
      {"files", {.file = true}},
      {"lines", {.function = true, .file = true, .line = true}},
      {"addresses", {.function = true, .file = true, .line = true, .address = true}},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(name, table[i].name) != 0) continue;
    *out = table[i].keeps;
    out->inlines = !noinlines;
    /* With inlined frames, the granularity "addresses" keeps everything, even the column numbers
     * of lines. */
    out->column = showcolumns || (out->address && !noinlines);
    return true;
  }
  return false;
}

static bool blank_functions(pprofc_profile *copy, const struct granularity *g) {
  if (g->function && g->file) return true;
  uint32_t *none = arena_zero_array(&copy->region->arena, copy->functions.count, sizeof *none);
  if (!none) return false;
  if (!g->function) copy->functions.name = copy->functions.system_name = none;
  if (!g->file) copy->functions.filename = none;
  return true;
}

static bool blank_lines(pprofc_profile *copy, const struct granularity *g) {
  size_t count = copy->locations.count ? copy->locations.line_from[copy->locations.count] : 0;
  if (g->line && g->column) return true;
  struct line *lines = edit_column(copy, copy->locations.lines, count, sizeof *lines);
  if (!lines) return false;
  for (size_t i = 0; i < count; i++) {
    lines[i] = copy->locations.lines[i];
    if (!g->line) lines[i].line = 0;
    if (!g->line || !g->column) lines[i].column = 0;
  }
  copy->locations.lines = lines;
  return true;
}

static bool blank_addresses(pprofc_profile *copy, const struct granularity *g) {
  if (g->address) return true;
  size_t count = copy->locations.count;
  uint64_t *none = edit_column(copy, copy->locations.address, count, sizeof *none);
  if (!none) return false;
  memset(none, 0, count * sizeof *none);
  copy->locations.address = none;
  return true;
}

static bool blank_flags(pprofc_profile *copy, const struct granularity *g) {
  const struct {
    bool keeps;
    unsigned flag;
  } flags[] = {
      {g->function, PPROFC_HAS_FUNCTIONS},
      {g->file, PPROFC_HAS_FILENAMES},
      {g->line, PPROFC_HAS_LINE_NUMBERS},
      {g->inlines, PPROFC_HAS_INLINE_FRAMES},
  };
  unsigned kept = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (flags[i].keeps) kept |= flags[i].flag;
  size_t count = copy->mappings.count;
  struct mapping *items =
      arena_copy(&copy->region->arena, copy->mappings.items, count * sizeof *items);
  if (!items) return false;
  for (size_t i = 0; i < count; i++) items[i].flags &= kept;
  copy->mappings.items = items;
  return true;
}

/* Keeps only the last line of each location: the function that contains the inlined calls. */
static pprofc_status drop_inlines(pprofc_profile *copy, pprofc_error *error) {
  const struct locations *l = &copy->locations;
  size_t count = l->count ? l->line_from[l->count] : 0;
  uint8_t *keep = mem_zero_array(&copy->mem, count, 1);
  if (!keep) return error_nomem(error);
  for (size_t i = 0; i < l->count; i++)
    if (l->line_from[i + 1] > l->line_from[i]) keep[l->line_from[i + 1] - 1] = 1;
  pprofc_status status = edit_keep_lines(copy, keep, error);
  mem_free(&copy->mem, keep, count, 1);
  return status;
}

static bool keeps_everything(const struct granularity *g) {
  return g->function && g->file && g->line && g->address && g->column && g->inlines;
}

/* Clears the fields that the granularity does not keep. Returns false when out of memory. */
static bool blank_columns(pprofc_profile *copy, const struct granularity *g) {
  return blank_functions(copy, g) && blank_lines(copy, g) && blank_addresses(copy, g) &&
         blank_flags(copy, g);
}

pprofc_status transform_granularity(const pprofc_profile *source, const struct granularity *g,
                                    pprofc_profile **out, pprofc_error *error) {
  if (keeps_everything(g)) {
    *out = edit_same(source);
    return PPROFC_OK;
  }
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  pprofc_status status = g->inlines ? PPROFC_OK : drop_inlines(copy, error);
  if (status == PPROFC_OK && !blank_columns(copy, g)) status = error_nomem(error);
  return edit_finish(status, copy, out);
}
