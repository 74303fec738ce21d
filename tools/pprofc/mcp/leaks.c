/* Implements the tool history for profiles of one running program. Finds the functions and stacks
 * whose values keep growing. */
#include "leaks/leaks.h"

#include "core/output.h"
#include "mcp/call.h"
#include "transform/transform.h"
#include "unit/unit.h"

#include <math.h>

struct growth {
  struct call *call;
  struct leak_input inputs[PROFILES_OPEN];
  size_t count;
  bool unsupported; /* true if drop_frames of a profile is not applied */
  struct leaks leaks;
};

/* Adds a profile if its type (heap or goroutine) can show leaks. Skips other profiles. */
static pprofc_status growth_add(struct growth *g, const char *path, pprofc_error *error) {
  struct leak_source source;
  pprofc_profile *opened, *profile = NULL;
  pprofc_status status = call_profile(g->call, str_of(path), &opened, error);
  if (status) return status;
  bool unsupported = false;
  if (leak_source_of(opened, &source))
    status = transform_drop_frames(opened, &profile, &unsupported, error);
  g->unsupported |= unsupported;
  pprofc_profile_release(opened);
  if (profile) g->inputs[g->count++] = (struct leak_input){path, profile};
  return status;
}

static void growth_put_value(struct buffer *to, double value, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  int64_t whole = fabs(value) < 0x1p62 ? (int64_t)llround(value) : 0;
  buffer_add_str(to, unit_label(whole, unit, STR("auto"), text));
}

static void growth_put_row(struct output *out, const struct leak_kind *kind,
                           const struct leak_row *row) {
  struct buffer line;
  pprofc_str unit = kind->stacks.source.unit;
  buffer_init(&line, &mem_default, SIZE_MAX);
  output_row(out, (int)row->fit.verdict, row->fit.growth, 0);
  buffer_printf(&line, "%s: ", leak_verdict_name(row->fit.verdict));
  call_put_name(&line, kind->stacks.source.kind);
  buffer_add_char(&line, ' ');
  growth_put_value(&line, row->first, unit);
  buffer_add_text(&line, " -> ");
  growth_put_value(&line, row->last, unit);
  if (isfinite(row->per_interval)) {
    buffer_add_text(&line, ", ");
    growth_put_value(&line, row->per_interval, unit);
    buffer_add_text(&line, " from profile to profile");
  }
  buffer_add_text(&line, ", in ");
  call_put_name(&line, row->where->function);
  if (row->where->file.size) {
    buffer_add_text(&line, ", ");
    call_put_name(&line, row->where->file);
    buffer_printf(&line, ":%lld", (long long)row->where->line);
  }
  buffer_add_char(&line, '\n');
  output_add_str(out, buffer_str(&line));
  buffer_free(&line);
}

static pprofc_status growth_render(const void *context, pprofc_write_fn write, void *to,
                                   pprofc_error *error) {
  const struct growth *g = context;
  struct output out;
  output_init(&out, write, to);
  for (size_t k = 0; k < g->leaks.kind_count; k++) {
    const struct leak_kind *kind = &g->leaks.kinds[k];
    for (size_t i = 0; i < kind->row_count; i++)
      if (kind->rows[i].fit.verdict > LEAK_BELOW) growth_put_row(&out, kind, &kind->rows[i]);
  }
  return output_flush(&out, error);
}

/* Appends the result and the numbers of profiles. Too few permit no verdict. */
static void growth_put_head(struct growth *g) {
  struct buffer *to = &g->call->head;
  const struct leaks *leaks = &g->leaks;
  if (leaks->leaks)
    buffer_printf(to, "LEAK: %zu %s without end\n", leaks->leaks,
                  leaks->leaks == 1 ? "place grows" : "places grow");
  else
    buffer_add_text(to, leaks->judged ? "no leak\n" : "nothing to judge\n");
  for (size_t k = 0; k < leaks->kind_count; k++) {
    const struct leak_kind *kind = &leaks->kinds[k];
    call_put_name(to, kind->stacks.source.kind);
    if (kind->judged)
      buffer_printf(to, ": %zu profiles\n", kind->judged);
    else
      buffer_printf(to, ": not judged, %d profiles are needed\n", LEAK_MIN);
  }
  if (g->unsupported) buffer_add_text(to, "warning: " DROP_FRAMES_UNSUPPORTED "\n");
}

pprofc_status history_leaks(struct call *call, const char *const *paths, size_t count,
                            pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  struct leak_options options;
  struct growth *g = arena_zero_array(call->arena, 1, sizeof *g);
  pprofc_status status = PPROFC_OK;
  if (!g) return error_nomem(error);
  if (count > PROFILES_OPEN)
    return error_set(error, PPROFC_E_LIMIT, "more than %d profiles", PROFILES_OPEN);
  g->call = call;
  leak_options_init(&options);
  for (size_t i = 0; i < count && !status; i++) status = growth_add(g, paths[i], error);
  if (!status && !g->count)
    status = error_set(error, PPROFC_E_INVALID,
                       "\"runs\" names neither benchmark results nor heap or goroutine profiles");
  if (!status) {
    status = leaks_judge(&g->leaks, budget_allocator(call->budget), &options, g->inputs, g->count,
                         error);
    if (!status) growth_put_head(g);
    if (!status) {
      call_next(call, "top", "profile", paths[count - 1], "base", paths[0], NULL);
      status = call_report(call, &kind, call_room(call), growth_render, g, error);
    }
    leaks_free(&g->leaks);
  }
  for (size_t i = 0; i < g->count; i++) pprofc_profile_release(g->inputs[i].profile);
  return status;
}
