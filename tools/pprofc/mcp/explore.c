/* The tools that look at one profile: open, top, callers. */
#include "core/escape.h"
#include "core/output.h"
#include "mcp/call.h"
#include "pipeline/pipeline.h"
#include "profile/profile.h"
#include "unit/unit.h"

#include "pprofc/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LISTED_FILES 2000 /* files of a list */
#define LISTED_KEYS  16   /* keys of labels */

struct profile_report {
  const pprofc_profile *profile;
  const pprofc_report_options *options;
};

static pprofc_status explore_render(const void *context, pprofc_write_fn write, void *to,
                                    pprofc_error *error) {
  const struct profile_report *r = context;
  return pprofc_report(r->profile, r->options, write, to, error);
}

/* ---- open -------------------------------------------- */

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

/* Lists the files below a folder, or below all folders. */
static pprofc_status open_list(struct call *call, const char *folder, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_LINES};
  struct buffer list;
  buffer_init(&list, &mem_default, SIZE_MAX);
  bool good = files_list(&call->mcp->files, str_of(folder), LISTED_FILES, open_put_file, &list);
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
  pprofc_profile *profile;
  if (!path) return error_nomem(error);
  int fd = *path ? files_find(&call->mcp->files, str_of(path), &info, error) : -1;
  if (fd < 0) return open_list(call, path, error);
  close(fd);
  pprofc_status status = call_profile(call, str_of(path), &profile, error);
  if (status) return status;
  const struct open_profile *open = profiles_get(&call->mcp->profiles, str_of(path), error);
  open_put_origin(&call->text, profile);
  open_put_types(&call->text, profile);
  open_put_labels(&call->text, profile);
  if (open) escape_terminal(&call->text, str_of(open->warnings), true);
  call_next(call, "top", "profile", path, NULL);
  call_next(call, "compare", "base", path, "head", "FILE", NULL);
  pprofc_profile_release(profile);
  return PPROFC_OK;
}

/* ---- top --------------------------------------------- */

/* Returns the name of the first function of a report; data is NULL without one. */
static pprofc_str top_first(struct call *call, const pprofc_profile *profile,
                            const pprofc_report_options *options) {
  pprofc_report_options one = *options;
  pprofc_graph *graph;
  pprofc_error error;
  size_t count;
  one.nodecount = 1;
  one.granularity = "functions";
  if (pprofc_graph_new(profile, &one, &graph, &error) != PPROFC_OK) return (pprofc_str){NULL, 0};
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
  pprofc_str name = {NULL, 0};
  if (count) name = arena_str(call->arena, nodes[0].function);
  pprofc_graph_free(graph);
  return name;
}

pprofc_status tool_top(struct call *call, pprofc_error *error) {
  pprofc_report_options options;
  pprofc_profile *profile;
  pprofc_status status = call_pair(call, &profile, error);
  if (status) return status;
  const char *path = call_text(call, "profile");
  call_options(call, &options);
  options.sort = strcmp(call_text(call, "sort"), "cum") == 0 ? "cum" : "flat";
  options.granularity = call_text(call, "granularity");
  int64_t skip = call_number(call, "skip", 0);
  const struct brief kind = {.kind = BRIEF_ROWS, .skip = skip > 0 ? (size_t)skip : 0};
  const struct profile_report report = {profile, &options};
  pprofc_str first = top_first(call, profile, &options);
  if (first.data) call_next(call, "callers", "profile", path, "function", first.data, NULL);
  if (first.data) call_next(call, "source", "profile", path, "function", first.data, NULL);
  status = call_report(call, &kind, call_room(call), explore_render, &report, error);
  pprofc_profile_release(profile);
  return status;
}

/* ---- callers ----------------------------------------- */

/* True for a character that means itself in a regular expression. */
static bool is_literal(unsigned char c) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
  return c >= 0x80 || (c && strchr(plain, c));
}

/* Escapes a name for a regular expression that matches it alone. */
static const char *callers_pattern(struct call *call, pprofc_str name) {
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  buffer_add_char(&text, '^');
  for (size_t i = 0; i < name.size; i++) {
    unsigned char c = (unsigned char)name.data[i];
    if (is_literal(c))
      buffer_add_char(&text, (char)c);
    else if (c < 0x20 || c == 0x7F)
      buffer_printf(&text, "\\x%02x", c);
    else
      buffer_printf(&text, "\\%c", c);
  }
  buffer_add_char(&text, '$');
  pprofc_str kept = buffer_keep(&text, call->arena);
  buffer_free(&text);
  return kept.data;
}

#define PATHS 3

/* The heaviest lines of folded stacks. */
struct heaviest {
  struct buffer line; /* the line that is not complete */
  struct heavy_path {
    struct buffer text;
    int64_t value;
  } items[PATHS];
  size_t count;
};

static int64_t heaviest_size(int64_t value) {
  if (value == INT64_MIN) return INT64_MAX;
  return value < 0 ? -value : value;
}

static void heaviest_take(struct heaviest *h, pprofc_str line) {
  size_t blank = str_find_last_char(line, ' ');
  int64_t value;
  if (blank >= line.size || !str_parse_int(str_slice(line, blank + 1, line.size), 10, &value))
    return;
  size_t at = h->count < PATHS ? h->count++ : PATHS - 1;
  if (at == PATHS - 1 && heaviest_size(h->items[at].value) >= heaviest_size(value) &&
      h->items[at].text.size)
    return;
  h->items[at].value = value;
  buffer_clear(&h->items[at].text);
  buffer_add_str(&h->items[at].text, str_slice(line, 0, blank));
  for (; at && heaviest_size(h->items[at - 1].value) < heaviest_size(value); at--) {
    struct heavy_path other = h->items[at - 1];
    h->items[at - 1] = h->items[at];
    h->items[at] = other;
  }
}

static int heaviest_write(void *context, const void *data, size_t size) {
  struct heaviest *h = context;
  pprofc_str text = {data, size};
  while (text.size) {
    size_t end = str_find_char(text, '\n');
    buffer_add_str(&h->line, str_slice(text, 0, end));
    if (end == text.size) break;
    heaviest_take(h, buffer_str(&h->line));
    buffer_clear(&h->line);
    text = str_slice(text, end + 1, text.size);
  }
  return h->line.failed;
}

/* Appends a path: its last frames, from the root to the leaf. */
static void heaviest_put(struct buffer *to, const struct heavy_path *path, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  pprofc_str stack = buffer_str(&path->text), frame;
  buffer_printf(to, "%10.*s  ", STR_ARG(unit_label(path->value, unit, STR("auto"), text)));
  size_t frames = 1, at = 0;
  for (size_t i = 0; i < stack.size; i++) frames += stack.data[i] == ';';
  while (str_next(&stack, ';', &frame)) {
    bool shown = at >= frames - (frames < 8 ? frames : 8);
    if (at == frames - 8 && at) buffer_add_text(to, "... > ");
    at++;
    if (!shown) continue;
    struct buffer name;
    buffer_init(&name, &mem_default, SIZE_MAX);
    brief_shorten(&name, frame, 60);
    escape_terminal(to, buffer_str(&name), false);
    buffer_free(&name);
    if (at < frames) buffer_add_text(to, " > ");
  }
  buffer_add_char(to, '\n');
}

/* Appends the heaviest paths through a function. */
static pprofc_status callers_paths(struct call *call, const pprofc_profile *profile,
                                   const char *pattern, pprofc_error *error) {
  struct heaviest h = {.count = 0};
  pprofc_report_options options;
  call_options(call, &options);
  options.format = "folded";
  options.focus = pattern;
  options.granularity = "functions";
  buffer_init(&h.line, budget_allocator(call->budget), SIZE_MAX);
  for (size_t i = 0; i < PATHS; i++)
    buffer_init(&h.items[i].text, budget_allocator(call->budget), SIZE_MAX);
  pprofc_status status = pprofc_report(profile, &options, heaviest_write, &h, error);
  size_t type = pprofc_profile_default_type(profile);
  pprofc_str unit = pprofc_profile_type(profile, type).unit;
  if (*options.sample_index) unit = STR("");
  if (!status && h.count) buffer_add_text(&call->head, "heaviest paths, root first:\n");
  for (size_t i = 0; i < h.count && !status; i++) heaviest_put(&call->head, &h.items[i], unit);
  buffer_free(&h.line);
  for (size_t i = 0; i < PATHS; i++) buffer_free(&h.items[i].text);
  return status;
}

pprofc_status tool_callers(struct call *call, pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_str name = STR("");
  pprofc_report_options options;
  pprofc_status status = call_pair(call, &profile, error);
  if (status) return status;
  status = call_function(call, profile, &name, error);
  const char *pattern = status ? NULL : callers_pattern(call, name);
  if (!status && !pattern) status = error_nomem(error);
  if (!status) status = callers_paths(call, profile, pattern, error);
  if (!status) {
    const char *path = call_text(call, "profile");
    const struct brief kind = {.kind = BRIEF_ROWS};
    const struct profile_report report = {profile, &options};
    call_options(call, &options);
    options.format = "peek";
    options.argument = pattern;
    pprofc_str function = arena_str(call->arena, name);
    if (function.data)
      call_next(call, "source", "profile", path, "base", call_text(call, "base"), "function",
                function.data, NULL);
    status = call_report(call, &kind, call_room(call), explore_render, &report, error);
  }
  pprofc_profile_release(profile);
  return status;
}
