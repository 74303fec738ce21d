/* Keeps views between tool calls: a profile with filters, and the results computed from it. */
#include "mcp/mcp.h"

#include "core/brief.h"
#include "pprofc/transform.h"
#include "profile/sum.h"
#include "stacks/stacks.h"
#include "unit/unit.h"

/* ---- paths ------------------------------------------- */

#define PATHS       3 /* number of stacks shown for each function */
#define PATH_FRAMES 8 /* number of frames shown for each stack */
#define PATH_NAME   60

struct heavy_path {
  /* value of the stack, and its absolute value (`size`); 0 in an unused element */
  int64_t value, size;
  uint32_t stack, depth;
  uint32_t frames[PATH_FRAMES]; /* frames nearest to the leaf, in order from root to leaf */
};

struct paths {
  const pprofc_allocator *mem;
  struct stack_frames frames;
  struct heavy_path (*of)[PATHS]; /* for each function, its stacks with the largest values */
  pprofc_str unit;
};

static void paths_free(struct paths *p) {
  if (!p) return;
  mem_free(p->mem, p->of, p->frames.count, sizeof *p->of);
  stack_frames_free(&p->frames);
  mem_free(p->mem, p, 1, sizeof *p);
}

/* Inserts a stack into `of`, the largest stacks of a function, sorted by size. Skips a stack that
 * `of` already has. A stack of a recursive function contains the function several times and would
 * be inserted again. */
static void paths_take(struct heavy_path of[PATHS], const struct heavy_path *path) {
  size_t at = PATHS - 1;
  for (size_t i = 0; i < PATHS; i++)
    if (of[i].size && of[i].stack == path->stack) return;
  for (; at && of[at - 1].size < path->size; at--) of[at] = of[at - 1];
  of[at] = *path;
}

static bool paths_collect(struct paths *p, const struct stack_set *set, size_t type,
                          uint32_t *frames) {
  for (size_t i = 0; i < set->count; i++) {
    struct heavy_path path = {.stack = (uint32_t)i};
    size_t depth = stack_set_read(set, i, set->shared[i], frames);
    path.value = sum_add(stack_head(set, i, type), number_multiply(stack_base(set, i, type), -1));
    path.size = number_abs(path.value);
    path.depth = (uint32_t)depth;
    if (budget_poll(p->mem, i)) return false;
    for (size_t k = 0; k < depth; k++)
      if (path.size > p->of[frames[k]][PATHS - 1].size) paths_take(p->of[frames[k]], &path);
  }
  return true;
}

static void paths_read(struct paths *p, const struct stack_set *set, uint32_t *frames) {
  for (size_t f = 0; f < p->frames.count; f++)
    for (size_t i = 0; i < PATHS && p->of[f][i].size; i++) {
      struct heavy_path *path = &p->of[f][i];
      size_t depth = stack_set_read(set, path->stack, 0, frames);
      size_t shown = depth < PATH_FRAMES ? depth : PATH_FRAMES;
      memcpy(path->frames, frames + depth - shown, shown * sizeof *frames);
    }
}

static pprofc_status paths_find(struct paths *p, const pprofc_profile *profile, size_t type,
                                pprofc_error *error) {
  struct stack_set set;
  const struct stack_policy policy = {.inlines = true, .function = true};
  pprofc_status status = stack_frames_build(profile, &policy, p->mem, &p->frames, error);
  if (!status) status = stack_set_build(&p->frames, NULL, p->mem, &set, error);
  if (status) return status;
  uint32_t *frames = mem_array(p->mem, set.max_depth + 1, sizeof *frames);
  p->of = mem_zero_array(p->mem, p->frames.count, sizeof *p->of);
  if (!frames || !p->of || !paths_collect(p, &set, type, frames))
    status = error_nomem(error);
  else
    paths_read(p, &set, frames);
  mem_free(p->mem, frames, set.max_depth + 1, sizeof *frames);
  stack_set_free(&set);
  return status;
}

/* Finds the largest stacks of all functions in one pass. The result points to texts of the profile,
 * so the caller must free the profile after the result. */
static pprofc_status paths_new(const pprofc_profile *profile, size_t value_index,
                               const pprofc_allocator *mem, struct paths **paths,
                               pprofc_error *error) {
  struct paths *p = mem_zero_array(mem, 1, sizeof *p);
  *paths = NULL;
  if (!p) return error_nomem(error);
  p->mem = mem;
  p->unit = pprofc_profile_type(profile, value_index).unit;
  pprofc_status status = paths_find(p, profile, value_index, error);
  if (status) {
    paths_free(p);
    return budget_status(mem, status, error);
  }
  *paths = p;
  return PPROFC_OK;
}

static void paths_put_one(const struct paths *p, const struct heavy_path *path, struct buffer *to) {
  char text[UNIT_LABEL_MAX];
  size_t shown = path->depth < PATH_FRAMES ? path->depth : PATH_FRAMES;
  buffer_printf(to, "%10.*s  ", STR_ARG(unit_label(path->value, p->unit, STR("auto"), text)));
  if (path->depth > shown) buffer_add_text(to, "... > ");
  for (size_t i = 0; i < shown; i++) {
    struct buffer name = buffer_make(&mem_default, SIZE_MAX);
    brief_shorten(&name, p->frames.items[path->frames[i]].name, PATH_NAME);
    if (i) buffer_add_text(to, " > ");
    escape_terminal(to, buffer_str(&name), false);
    buffer_free(&name);
  }
  buffer_add_char(to, '\n');
}

void paths_put(const struct paths *p, pprofc_str function, struct buffer *to) {
  size_t shown = 0;
  for (size_t f = 0; f < p->frames.count; f++) {
    if (!str_equal(p->frames.items[f].name, function)) continue;
    for (size_t i = 0; i < PATHS && p->of[f][i].size; i++) {
      if (!shown++) buffer_add_text(to, "heaviest paths, root first:\n");
      paths_put_one(p, &p->of[f][i], to);
    }
  }
}

static const char *const view_filters[] = {"profile", "base", "sample_type", "focus", "ignore"};

#define VIEW_FILTERS (sizeof view_filters / sizeof *view_filters)

/* Frees the results of a view to get memory. Frees the report -peek only if `peek` is true, because
 * view_make_paths reads the samples of this report. */
static void view_drop_parts(struct profile_view *v, bool peek) {
  for (size_t i = 0; i < v->top_count; i++) kept_report_free(v->tops[i].report);
  if (peek) kept_report_free(v->peek);
  pprofc_graph_free(v->lines);
  paths_free(v->paths);
  v->top_count = 0;
  if (peek) v->peek = NULL;
  v->lines = NULL;
  v->paths = NULL;
}

void view_free(struct profile_view *v) {
  view_drop_parts(v, true);
  pprofc_profile_release(v->profile);
  arena_free(&v->arena);
  budget_release(v->budget);
  mem_free(&mem_default, v, 1, sizeof *v);
}

/* ---- results of a view ------------------------------- */

struct view_part {
  struct profile_view *view;
  pprofc_report_options options;
};

typedef pprofc_status (*view_make_fn)(struct view_part *part, pprofc_error *error);

static pprofc_status view_make_top(struct view_part *part, pprofc_error *error) {
  struct profile_view *v = part->view;
  struct view_top top = {.granularity = part->options.granularity};
  pprofc_status status = kept_report_new(v->profile, &part->options, &top.report, error);
  if (status) return status;
  if (v->top_count == VIEW_TOPS) kept_report_free(v->tops[--v->top_count].report);
  v->tops[v->top_count++] = top;
  return PPROFC_OK;
}

static pprofc_status view_make_peek(struct view_part *part, pprofc_error *error) {
  part->options.format = "peek";
  return kept_report_new(part->view->profile, &part->options, &part->view->peek, error);
}

static pprofc_status view_make_lines(struct view_part *part, pprofc_error *error) {
  return lines_graph(part->view->profile, &part->options, &part->view->lines, error);
}

static pprofc_status view_make_paths(struct view_part *part, pprofc_error *error) {
  struct profile_view *v = part->view;
  const struct pipeline_result *result = kept_report_result(v->peek);
  return paths_new(result->profile, result->value_index, budget_allocator(v->budget), &v->paths,
                   error);
}

static bool view_is_full(pprofc_status status) {
  return status == PPROFC_E_LIMIT || status == PPROFC_E_NOMEM;
}

/* Computes a result of a view, unless the client cancels. Closes older views to get memory. */
static pprofc_status view_make(struct call *call, struct profile_view *v, view_make_fn make,
                               const char *granularity, bool needed, pprofc_error *error) {
  struct view_part part = {v, v->options};
  bool again;
  pprofc_status status;
  part.options.granularity = granularity;
  mcp_set_running(call->mcp, v->budget);
  budget_set_time(v->budget, CALL_TIME);
  do {
    status = make(&part, error);
    again = view_is_full(status) && profiles_make_room(&call->mcp->profiles);
  } while (again);
  if (view_is_full(status) && needed) {
    view_drop_parts(v, make != view_make_paths);
    status = make(&part, error);
  }
  if (budget_stopped(budget_allocator(v->budget))) {
    status = budget_status(budget_allocator(v->budget), PPROFC_E_CANCELLED, error);
    v->key = STR(""); /* Hide the view from later calls, because its results may be incomplete. */
  } else {
    budget_set_time(v->budget, UINT32_MAX);
  }
  if (status) limit_flags_name(error);
  mcp_set_running(call->mcp, call->budget);
  return status;
}

pprofc_status profile_top(struct call *call, struct profile_view *v, const char *granularity,
                          struct kept_report **top, pprofc_error *error) {
  for (size_t i = 0; i < v->top_count; i++)
    if (strcmp(v->tops[i].granularity, granularity) == 0) {
      *top = v->tops[i].report;
      return PPROFC_OK;
    }
  const char *kept = arena_str(&v->arena, str_of(granularity)).data;
  if (!kept) return error_nomem(error);
  pprofc_status status = view_make(call, v, view_make_top, kept, true, error);
  if (!status) *top = v->tops[v->top_count - 1].report;
  return status;
}

pprofc_status profile_peek(struct call *call, struct profile_view *v, struct kept_report **peek,
                           pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!v->peek) status = view_make(call, v, view_make_peek, "", true, error);
  *peek = v->peek;
  return status;
}

pprofc_status view_lines(struct call *call, struct profile_view *v, const pprofc_graph **lines,
                         pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!v->lines) status = view_make(call, v, view_make_lines, "", true, error);
  *lines = v->lines;
  return status;
}

pprofc_status view_paths(struct call *call, struct profile_view *v, const struct paths **paths,
                         pprofc_error *error) {
  struct kept_report *peek;
  pprofc_status status = profile_peek(call, v, &peek, error);
  if (!status && !v->paths) status = view_make(call, v, view_make_paths, "", true, error);
  *paths = v->paths;
  return status;
}

/* Returns the function that computes the first missing result of a view, or NULL. */
static view_make_fn view_missing(const struct profile_view *v) {
  for (size_t i = 0; i <= v->top_count; i++) {
    if (i == v->top_count) return view_make_top;
    if (!*v->tops[i].granularity) break;
  }
  if (!v->peek) return view_make_peek;
  if (!v->lines) return view_make_lines;
  return v->paths ? NULL : view_make_paths;
}

bool view_warm(struct call *call) {
  struct profiles *p = &call->mcp->profiles;
  struct profile_view *v = NULL;
  pprofc_error error;
  for (size_t i = 0; i < p->view_count; i++)
    if (p->views[i]->last_call == p->calls) v = p->views[i];
  view_make_fn make = v && !v->is_full ? view_missing(v) : NULL;
  if (!make) return false;
  /* Ignore the error here, because a call that needs this result will report it. */
  v->is_full = view_make(call, v, make, "", false, &error) != PPROFC_OK;
  return !v->is_full;
}

/* ---- the view of a call ------------------------------ */

static pprofc_status view_key(struct call *call, struct buffer *key, pprofc_error *error) {
  for (size_t i = 0; i < VIEW_FILTERS; i++) {
    const char *text = call_text(call, view_filters[i]);
    if (!text) return error_nomem(error);
    buffer_add(key, text, strlen(text) + 1);
  }
  return key->failed ? error_nomem(error) : PPROFC_OK;
}

static pprofc_status view_open(struct call *call, const pprofc_profile *opened[2],
                               pprofc_error *error) {
  for (size_t i = 0; i < 2; i++) {
    const char *path = call_text(call, view_filters[i]);
    if (!i && !*path)
      return error_set(error, PPROFC_E_INVALID,
                       "no profile is named; the tool open lists the files of this server");
    if (!*path) continue;
    /* Store only the profile, because opening another profile may move the entry `item`. */
    const struct open_profile *item = profiles_get(&call->mcp->profiles, str_of(path), true, error);
    if (!item) return error->status;
    opened[i] = item->profile;
  }
  return PPROFC_OK;
}

/* Computes the difference of head and base. Without a base, uses the head itself. */
static pprofc_status view_join(struct profile_view *v, pprofc_error *error) {
  const pprofc_allocator *mem = budget_allocator(v->budget);
  pprofc_profile *head = profile_lend(v->of[0], mem);
  if (!head) return budget_status(mem, error_nomem(error), error);
  if (!v->of[1]) {
    v->profile = head;
    return PPROFC_OK;
  }
  pprofc_profile *base = profile_lend(v->of[1], mem);
  pprofc_status status = base ? PPROFC_OK : error_nomem(error);
  if (!status) status = pprofc_diff(head, base, PPROFC_COMPARE, false, &v->profile, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return budget_status(mem, status, error);
}

static const char *view_keep_text(struct profile_view *v, struct call *call, const char *name) {
  const char *text = call_text(call, name);
  return text ? arena_str(&v->arena, str_of(text)).data : NULL;
}

static struct profile_view *view_begin(struct call *call, pprofc_str key) {
  struct profile_view *v = mem_zero_array(&mem_default, 1, sizeof *v);
  if (!v) return NULL;
  v->budget =
      budget_new(budget_allocator(call->mcp->budget), call->mcp->command->limits.memory_bytes);
  arena_init(&v->arena, &mem_default);
  v->key = arena_str(&v->arena, key);
  call_options(call, &v->options);
  v->options.format = "top";
  v->options.sample_index = view_keep_text(v, call, "sample_type");
  v->options.focus = view_keep_text(v, call, "focus");
  v->options.ignore = view_keep_text(v, call, "ignore");
  if (v->budget && v->key.data && v->options.sample_index && v->options.focus && v->options.ignore)
    return v;
  view_free(v);
  return NULL;
}

static pprofc_status view_new(struct call *call, pprofc_str key,
                              const pprofc_profile *const opened[2], struct profile_view **view,
                              pprofc_error *error) {
  struct profiles *p = &call->mcp->profiles;
  pprofc_status status;
  /* Close views until fewer than VIEWS_OPEN are open. profiles_make_room never closes a view that
   * the current call uses. */
  while (p->view_count == VIEWS_OPEN) profiles_make_room(p);
  struct profile_view *v = view_begin(call, key);
  if (!v) return error_nomem(error);
  for (size_t i = 0; i < 2; i++) v->of[i] = opened[i];
  v->last_call = p->calls;
  p->views[p->view_count++] = v;
  do status = view_join(v, error);
  while (view_is_full(status) && profiles_make_room(p));
  *view = v;
  if (status) profiles_close_view(p, v);
  return status;
}

static struct profile_view *view_find(struct profiles *p, pprofc_str key) {
  for (size_t i = 0; i < p->view_count; i++)
    if (str_equal(p->views[i]->key, key)) return p->views[i];
  return NULL;
}

pprofc_status view_of_call(struct call *call, struct profile_view **view, pprofc_error *error) {
  const pprofc_profile *opened[2] = {NULL, NULL};
  struct buffer key = buffer_make(&mem_default, SIZE_MAX);
  pprofc_status status = view_key(call, &key, error);
  /* view_open also closes the views of files that have changed. */
  if (!status) status = view_open(call, opened, error);
  if (!status) {
    *view = view_find(&call->mcp->profiles, buffer_str(&key));
    if (*view)
      (*view)->last_call = call->mcp->profiles.calls;
    else
      status = view_new(call, buffer_str(&key), opened, view, error);
  }
  buffer_free(&key);
  return status;
}
