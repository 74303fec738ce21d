/* Implements the tools for one profile: open, top, callers. */
#include "mcp/mcp.h"
#include "unit/unit.h"

#define LISTED_FILES 2000 /* maximum number of files in a list */
#define LISTED_KEYS  16   /* maximum number of label keys in a list */

struct kept_answer {
  struct kept_report *report;
  bool by_cum;
  const char *argument;
};

static pprofc_status explore_render(const void *context, pprofc_write_fn write, void *to,
                                    pprofc_error *error) {
  const struct kept_answer *a = context;
  return kept_report_write(a->report, a->by_cum, a->argument, write, to, error);
}

static bool open_put_file(void *context, pprofc_str path, const struct stat *info) {
  struct buffer *to = context;
  buffer_printf(to, "%12lld  ", (long long)info->st_size);
  call_put_name(to, path);
  buffer_add_char(to, '\n');
  return !to->failed;
}

static pprofc_status open_render_list(const void *context, pprofc_write_fn write, void *to,
                                      pprofc_error *error) {
  const struct buffer *text = context;
  if (write(to, text->data, text->size) == 0) return PPROFC_OK;
  return error_nomem(error);
}

/* Lists the files below a folder, or below all folders if `folder` is "". */
static pprofc_status open_list(struct call *call, const char *folder, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_LINES};
  struct buffer list = buffer_make(&mem_default, SIZE_MAX);
  bool good = files_visit(&call->mcp->files, str_of(folder), LISTED_FILES, open_put_file, &list);
  if (!good && *folder) {
    buffer_free(&list);
    return error_set(error, PPROFC_E_IO, "'%s' is not a folder below the folders of this server",
                     folder);
  }
  buffer_add_text(&call->head, "       bytes  file, for the argument \"profile\" of a tool\n");
  call_next(call, "open", "profile", "FILE", NULL);
  pprofc_status status = call_report(call, &kind, call_room(call), open_render_list, &list, error);
  buffer_free(&list);
  return status;
}

static void open_put_types(struct buffer *to, const pprofc_profile *p) {
  size_t usual = pprofc_profile_default_type(p);
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  for (size_t t = 0; t < view.types; t++) {
    pprofc_value_type type = pprofc_profile_type(p, t);
    char text[UNIT_LABEL_MAX];
    pprofc_str total = unit_label(value_total(p, t, false), type.unit, STR("auto"), text);
    buffer_add_text(to, t == usual ? "sample type (shown by default): " : "sample type: ");
    call_put_name(to, type.type);
    buffer_printf(to, ", total %.*s\n", STR_ARG(total));
  }
  buffer_printf(to, "%zu samples, %u functions", view.count, (unsigned)p->functions.count);
  if (p->duration_nanos) buffer_printf(to, ", recorded for %.3gs", (double)p->duration_nanos / 1e9);
  buffer_add_char(to, '\n');
}

static void open_put_labels(struct buffer *to, const pprofc_profile *p) {
  pprofc_str keys[LISTED_KEYS];
  size_t count = 0;
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  for (size_t i = 0; i < view.count && i < 100000; i++)
    for (size_t k = 0; k < pprofc_profile_label_count(p, i) && count < LISTED_KEYS; k++) {
      pprofc_str key = pprofc_profile_label(p, i, k).key;
      bool known = false;
      for (size_t n = 0; n < count && !known; n++) known = str_equal(keys[n], key);
      if (!known) keys[count++] = key;
    }
  for (size_t n = 0; n < count; n++) {
    buffer_add_text(to, n ? ", " : "labels: ");
    call_put_name(to, keys[n]);
  }
  if (count) buffer_add_char(to, '\n');
}

static void open_put_origin(struct buffer *to, const pprofc_profile *p) {
  for (size_t i = 0; i < p->comment_count && i < 3; i++) {
    buffer_add_text(to, "comment: ");
    call_put_name(to, profile_string(p, p->comments[i]));
    buffer_add_char(to, '\n');
  }
  if (!p->mappings.count) return;
  buffer_add_text(to, "program: ");
  call_put_name(to, str_path_base(profile_string(p, p->mappings.items[0].file)));
  buffer_add_char(to, '\n');
}

pprofc_status tool_open(struct call *call, pprofc_error *error) {
  const char *path = call_text(call, "profile");
  struct stat info;
  if (!path) return error_nomem(error);
  int fd = *path ? files_find(&call->mcp->files, str_of(path), &info, error) : -1;
  if (fd < 0) return open_list(call, path, error);
  close(fd);
  const struct open_profile *open = profiles_get(&call->mcp->profiles, str_of(path), false, error);
  if (!open) return error->status;
  open_put_origin(&call->text, open->profile);
  open_put_types(&call->text, open->profile);
  open_put_labels(&call->text, open->profile);
  escape_terminal(&call->text, str_of(open->warnings), true);
  call_next(call, "top", "profile", path, NULL);
  call_next(call, "compare", "base", path, "head", "FILE", NULL);
  return PPROFC_OK;
}

/* Returns the name in the first row of -top. Its data is NULL if the row is not a function. */
static pprofc_str top_first(struct call *call, struct profile_view *view, bool by_cum) {
  struct kept_report *functions;
  pprofc_error error;
  pprofc_str name = STR("");
  if (!profile_top(call, view, "", &functions, &error)) name = kept_report_first(functions, by_cum);
  const pprofc_profile *p = view->profile;
  for (uint32_t i = 0; i < p->functions.count && name.size; i++)
    if (str_equal(profile_string(p, p->functions.name[i]), name))
      return arena_str(call->arena, name);
  return (pprofc_str){NULL, 0};
}

pprofc_status tool_top(struct call *call, pprofc_error *error) {
  struct profile_view *view;
  struct kept_answer answer = {.by_cum = strcmp(call_text(call, "sort"), "cum") == 0};
  pprofc_status status = view_of_call(call, &view, error);
  if (status) return status;
  int64_t skip = call_number(call, "skip", 0);
  const struct brief kind = {.kind = BRIEF_ROWS, .skip = skip > 0 ? (size_t)skip : 0};
  pprofc_str first = top_first(call, view, answer.by_cum);
  if (first.data) {
    call_next_function(call, "callers", first);
    call_next_function(call, "source", first);
  }
  status = profile_top(call, view, call_text(call, "granularity"), &answer.report, error);
  if (status) return status;
  return call_report(call, &kind, call_room(call), explore_render, &answer, error);
}

/* Returns a regular expression that matches only the name `name`. */
static const char *callers_pattern(struct call *call, pprofc_str name) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  buffer_add_char(&text, '^');
  escape_regexp(&text, name);
  buffer_add_char(&text, '$');
  return buffer_take(&text, call->arena).data;
}

/* Appends the function's stacks with the largest values, or a message if memory is too small. */
static pprofc_status callers_put_paths(struct call *call, struct profile_view *view,
                                       pprofc_str name, pprofc_error *error) {
  const struct paths *paths;
  pprofc_status status = view_paths(call, view, &paths, error);
  if (status == PPROFC_E_LIMIT)
    buffer_printf(&call->head, "no heaviest paths: %s\n", error->message);
  else if (!status)
    paths_put(paths, name, &call->head);
  return status == PPROFC_E_LIMIT ? PPROFC_OK : status;
}

pprofc_status tool_callers(struct call *call, pprofc_error *error) {
  struct profile_view *view;
  struct kept_answer answer = {.by_cum = false};
  const struct brief kind = {.kind = BRIEF_ROWS};
  pprofc_str name = STR("");
  pprofc_status status = view_of_call(call, &view, error);
  if (!status) status = call_function(call, view->profile, &name, error);
  if (!status) answer.argument = callers_pattern(call, name);
  if (!status && !answer.argument) status = error_nomem(error);
  if (!status) status = callers_put_paths(call, view, name, error);
  if (!status) status = profile_peek(call, view, &answer.report, error);
  if (status) return status;
  call_next_function(call, "source", name);
  return call_report(call, &kind, call_room(call), explore_render, &answer, error);
}
