/* Edits that drop samples, lines and frames. All filters use them. */
#include "core/parallel.h"
#include "profile/stack_tree.h"
#include "transform/transform.h"

/* ---- samples ----------------------------------------- */

static size_t count_kept(const uint8_t *keep, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) kept += keep[i] != 0;
  return kept;
}

static bool select_keep_values(pprofc_profile *copy, const uint8_t *keep) {
  const struct samples *old = &copy->samples;
  size_t types = profile_values_each(copy), n = 0;
  int64_t *values = edit_column(copy, old->values, old->count, types * sizeof *values);
  if (!values) return false;
  for (size_t i = 0; i < old->count; i++) {
    if (!keep[i]) continue;
    for (size_t t = 0; t < types; t++) values[n * types + t] = old->values[i * types + t];
    n++;
  }
  copy->samples.values = values;
  return true;
}

static bool select_keep_refs(pprofc_profile *copy, const uint8_t *keep, struct stack_tree *tree) {
  const uint32_t *old = tree->sorted;
  uint32_t *sorted = edit_column(copy, old, tree->count, sizeof *sorted);
  size_t n = 0;
  if (!sorted) return false;
  for (size_t i = 0; i < tree->count; i++)
    if (keep[i]) sorted[n++] = old[i];
  tree->sorted = sorted;
  tree->count = n;
  return true;
}

/* Drops samples from the stack trees (profile/stack_tree.h). Each segment (range of samples) has
 * its own tree. A segment without samples is dropped together with its tree. */
static bool select_keep_trees(pprofc_profile *copy, const uint8_t *keep) {
  const struct samples *old = &copy->samples;
  struct stack_tree *trees = arena_array(&copy->region->arena, old->segment_count, sizeof *trees);
  size_t count = 0;
  if (!trees) return false;
  for (size_t i = 0; i < old->segment_count; i++) {
    trees[count] = old->tree[i];
    if (!select_keep_refs(copy, keep + old->segments[i].first, &trees[count])) return false;
    count += trees[count].count > 0;
  }
  copy->samples.tree = count ? trees : NULL;
  return true;
}

static bool keep_stacks(pprofc_profile *copy, const uint8_t *keep) {
  const struct samples *old = &copy->samples;
  size_t n = 0;
  if (old->tree) return select_keep_trees(copy, keep);
  const uint8_t **stack = edit_column(copy, old->stack, old->count, sizeof *stack);
  uint32_t *stack_size = edit_column(copy, old->stack_size, old->count, sizeof *stack_size);
  if (!stack || !stack_size) return false;
  for (size_t i = 0; i < old->count; i++) {
    if (!keep[i]) continue;
    stack[n] = old->stack[i];
    stack_size[n++] = old->stack_size[i];
  }
  copy->samples.stack = stack;
  copy->samples.stack_size = stack_size;
  return true;
}

/* Removes the labels of dropped samples. A label set that no sample uses keeps its index but
 * becomes empty. */
static bool select_keep_labels(pprofc_profile *copy, const uint8_t *keep) {
  struct samples *s = &copy->samples;
  struct arena *arena = &copy->region->arena;
  if (!s->label_set) return true;
  uint32_t *set = edit_column(copy, s->label_set, s->count, sizeof *set);
  struct label_set *sets = arena_zero_array(arena, s->label_set_count, sizeof *sets);
  if (!set || !sets) return false;
  bool any = false;
  for (size_t i = 0, n = 0; i < s->count; i++) {
    if (!keep[i]) continue;
    uint32_t old = s->label_set[i];
    any = any || s->label_sets[old].count;
    sets[old] = s->label_sets[old];
    set[n++] = old;
  }
  s->label_set = any ? set : NULL;
  s->label_sets = any ? sets : NULL;
  if (any) return true;
  s->label_set_count = 0;
  s->labels = NULL;
  return true;
}

static bool keep_segments(pprofc_profile *copy, const uint8_t *keep) {
  const struct samples *old = &copy->samples;
  struct segment *segments =
      arena_array(&copy->region->arena, old->segment_count, sizeof *segments);
  if (!segments) return false;
  size_t count = 0, first = 0;
  for (size_t i = 0; i < old->segment_count; i++) {
    size_t from = old->segments[i].first;
    size_t kept = count_kept(keep + from, segment_end(old, i) - from);
    if (!kept) continue;
    segments[count] = old->segments[i];
    segments[count++].first = first;
    first += kept;
  }
  copy->samples.segments = segments;
  copy->samples.segment_count = count;
  return true;
}

/* Updates the sample indices in the events (times of samples), because samples were dropped. */
static bool keep_times(pprofc_profile *copy, const uint8_t *keep) {
  size_t count = copy->samples.count;
  if (!copy->times) return true;
  uint32_t *number = mem_array(&copy->mem, count, sizeof *number), next = 0;
  for (size_t i = 0; number && i < count; i++) number[i] = keep[i] ? next++ : NONE;
  bool good = number && times_renumber(copy, number);
  mem_free(&copy->mem, number, count, sizeof *number);
  return good;
}

pprofc_status edit_keep_samples(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error) {
  size_t kept = count_kept(keep, copy->samples.count);
  if (kept == copy->samples.count) return PPROFC_OK;
  /* Change the count last, because it is also the size of the old columns. */
  if (!select_keep_values(copy, keep) || !keep_stacks(copy, keep) ||
      !select_keep_labels(copy, keep) || !keep_segments(copy, keep) || !keep_times(copy, keep))
    return error_nomem(error);
  copy->samples.count = kept;
  return PPROFC_OK;
}

pprofc_status transform_select(const pprofc_profile *source, const uint8_t *keep,
                               pprofc_profile **out, pprofc_error *error) {
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  return edit_finish(edit_keep_samples(copy, keep, error), copy, out);
}

/* ---- lines and frames -------------------------------- */

pprofc_status edit_keep_lines(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error) {
  const struct locations *old = &copy->locations;
  size_t total = old->count ? old->line_from[old->count] : 0, n = 0;
  size_t kept = count_kept(keep, total);
  if (kept == total) return PPROFC_OK;
  uint32_t *from = edit_column(copy, old->line_from, old->count + 1, sizeof *from);
  struct line *lines = edit_column(copy, old->lines, total, sizeof *lines);
  if (!from || !lines) return error_nomem(error);
  for (size_t i = 0, l = 0; i < old->count; i++) {
    size_t end = old->line_from[i + 1];
    from[i] = (uint32_t)n;
    for (; l < end; l++)
      if (keep[l]) lines[n++] = old->lines[l];
  }
  from[old->count] = (uint32_t)n;
  copy->locations.line_from = from;
  copy->locations.lines = lines;
  return PPROFC_OK;
}

pprofc_status edit_hide(pprofc_profile *copy, const uint8_t *hidden, pprofc_error *error) {
  struct arena *arena = &copy->region->arena;
  size_t count = copy->samples.segment_count, locations = copy->locations.count;
  if (count_kept(hidden, locations) == 0) return PPROFC_OK;
  struct segment *segments = arena_array(arena, count, sizeof *segments);
  if (!segments) return error_nomem(error);
  const uint32_t *plain = NULL;
  for (size_t i = 0; i < count; i++) {
    segments[i] = copy->samples.segments[i];
    if (!segment_hide(arena, &segments[i], hidden, locations, &plain)) return error_nomem(error);
  }
  copy->samples.segments = segments;
  return PPROFC_OK;
}

/* ---- cutting ----------------------------------------- */

struct cut_job {
  const pprofc_allocator *mem;
  const struct samples *samples;
  edit_cut_fn cut;
  const void *context;
  const uint8_t **stack;
  uint32_t *stack_size;
  uint8_t *keep;
  unsigned workers;
};

static void cut_range(void *context, unsigned worker) {
  struct cut_job *job = context;
  const struct samples *s = job->samples;
  size_t from = parallel_from(s->count, worker, job->workers);
  size_t to = parallel_from(s->count, worker + 1, job->workers);
  struct stack_reader reader = stack_reader_at(s, from);
  for (size_t i = from; i < to; i++) {
    struct packed_stack stack = stack_of(&reader, i);
    job->keep[i] = job->cut(job->context, &stack);
    job->stack[i] = stack.leaf;
    job->stack_size[i] = (uint32_t)(stack.root - stack.leaf);
    if (budget_poll(job->mem, i)) return;
  }
}

pprofc_status edit_cut_stacks(pprofc_profile *copy, edit_cut_fn cut, const void *context,
                              pprofc_error *error) {
  size_t count = copy->samples.count;
  if (!count) return PPROFC_OK;
  struct cut_job job = {
      .mem = &copy->mem,
      .samples = &copy->samples,
      .cut = cut,
      .context = context,
      .stack = edit_column(copy, copy->samples.stack, count, sizeof *job.stack),
      .stack_size = edit_column(copy, copy->samples.stack_size, count, sizeof *job.stack_size),
      .keep = mem_array(&copy->mem, count, 1),
      .workers = parallel_workers(copy->threads, count, EDIT_GRAIN),
  };
  pprofc_status status = PPROFC_OK;
  bool ready = job.stack && job.stack_size && job.keep;
  if (ready) parallel_run(job.workers, cut_range, &job);
  if (ready && !budget_stopped(&copy->mem)) {
    copy->samples.stack = job.stack;
    copy->samples.stack_size = job.stack_size;
    status = edit_keep_samples(copy, job.keep, error);
  } else {
    status = error_nomem(error);
  }
  mem_free(&copy->mem, job.keep, count, 1);
  return status;
}
