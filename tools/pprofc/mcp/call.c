/* Implements helpers for all tools: arguments, profiles, functions, and the text of answers. Lists
 * the tools, and checks arguments by the schemas in answers.template. */
#include "mcp/mcp.h"

#include <stdarg.h>

/* Maximum number of function names that the error about an ambiguous name lists. */
#define OFFERED 8

#define RESULTS_MOST ((size_t)64 << 20) /* maximum size in bytes of a file of results */

#define CALL_FILES 200

/* Maximum length of a name in an answer in bytes. Longer names are shortened. */
#define NAME_MOST 160

const char *call_text(struct call *call, const char *name) {
  const struct node *node = node_get(call->arguments, name);
  if (!node_is(node, NODE_STRING)) return "";
  return arena_str(call->arena, node->text).data;
}

size_t call_texts(struct call *call, const char *name, const struct node *items[], size_t most) {
  const struct node *node = node_get(call->arguments, name);
  if (node_is(node, NODE_STRING)) {
    items[0] = node;
    return 1;
  }
  size_t count = node_size(node) < most ? node_size(node) : most;
  for (size_t i = 0; i < count; i++) items[i] = node_at(node, i);
  return count;
}

int64_t call_number(struct call *call, const char *name, int64_t other) {
  int64_t number;
  return node_to_integer(node_get(call->arguments, name), &number) ? number : other;
}

struct call_listing {
  struct call *call;
  const char **paths;
  size_t *count, most;
};

static bool call_add_file(void *context, pprofc_str path, const struct stat *info) {
  struct call_listing *l = context;
  (void)info;
  if (*l->count == l->most) return false;
  l->paths[*l->count] = arena_str(l->call->arena, path).data;
  return l->paths[(*l->count)++] != NULL;
}

pprofc_status call_files(struct call *call, const char *name, const char *what, const char **paths,
                         size_t *count, size_t most, pprofc_error *error) {
  struct call_listing l = {call, paths, count, most};
  const struct node *items[CALL_FILES];
  size_t before = *count, given = call_texts(call, name, items, CALL_FILES);
  for (size_t i = 0; i < given; i++) {
    struct stat info;
    pprofc_str path = items[i]->text;
    int fd = files_find(&call->mcp->files, path, &info, error);
    if (fd >= 0) close(fd);
    bool good = fd >= 0 ? call_add_file(&l, path, &info)
                        : files_visit(&call->mcp->files, path, most, call_add_file, &l);
    if (!good && *count == most)
      return error_set(error, PPROFC_E_LIMIT, "more than %zu %s", most, what);
    if (!good) return fd < 0 ? error->status : error_nomem(error);
  }
  if (*count > before) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "\"%s\" names no file", name);
}

void call_put_name(struct buffer *to, pprofc_str name) {
  struct buffer shorter = buffer_make(&mem_default, SIZE_MAX);
  brief_shorten(&shorter, name, NAME_MOST);
  escape_terminal(to, buffer_str(&shorter), false);
  to->failed |= shorter.failed;
  buffer_free(&shorter);
}

void call_next(struct call *call, const char *tool, ...) {
  if (call->next_count == CALL_NEXT) return;
  struct buffer *next = &call->next[call->next_count];
  const char *name, *separator = " {";
  va_list pairs;
  buffer_clear(next);
  buffer_add_text(next, tool);
  va_start(pairs, tool);
  while ((name = va_arg(pairs, const char *))) {
    pprofc_str value = str_of(va_arg(pairs, const char *));
    char handle[BRIEF_HANDLE];
    if (!value.size) continue;
    brief_handle(value, handle);
    bool longer = value.size > NAME_MOST && strcmp(name, "function") == 0;
    buffer_printf(next, "%s\"%s\": ", separator, name);
    rpc_put_string(next, longer ? str_of(handle) : value);
    separator = ", ";
  }
  va_end(pairs);
  buffer_add_text(next, *separator == ' ' ? " {}" : "}");
  size_t sum = 0;
  for (size_t i = 0; i <= call->next_count; i++) sum += call->next[i].size + 8;
  if (sum <= CALL_NEXT_MOST) call->next_count++;
}

void call_next_function(struct call *call, const char *tool, pprofc_str function) {
  call_next(call, tool, "profile", call_text(call, "profile"), "base", call_text(call, "base"),
            "function", function.data, NULL);
}

size_t call_room(const struct call *call) {
  size_t used = call->head.size + call->text.size + CALL_NEXT_MOST + 40;
  return call->most > used + BRIEF_LEAST ? call->most - used : BRIEF_LEAST;
}

pprofc_status call_report(struct call *call, const struct brief *kind, size_t room,
                          brief_render_fn render, const void *context, pprofc_error *error) {
  return brief_report(kind, room, "a larger \"budget\"", render, context, buffer_write, &call->text,
                      error);
}

pprofc_status call_read(struct call *call, pprofc_str path, struct buffer *data,
                        pprofc_error *error) {
  buffer_init(data, budget_allocator(call->budget), RESULTS_MOST);
  return files_read(&call->mcp->files, path, data, error);
}

pprofc_status call_profile(struct call *call, pprofc_str path, pprofc_profile **profile,
                           pprofc_error *error) {
  *profile = NULL;
  if (!path.size)
    return error_set(error, PPROFC_E_INVALID,
                     "no profile is named; the tool open lists the files of this server");
  const struct open_profile *open = profiles_get(&call->mcp->profiles, path, false, error);
  if (!open) return error->status;
  *profile = profile_lend(open->profile, budget_allocator(call->budget));
  return *profile ? PPROFC_OK : error_nomem(error);
}

void call_options(struct call *call, pprofc_report_options *options) {
  pprofc_report_options_init(options);
  options->threads = call->mcp->command->report.threads;
  options->safe = true;
  options->sample_index = call_text(call, "sample_type");
  options->focus = call_text(call, "focus");
  options->ignore = call_text(call, "ignore");
}

static pprofc_str call_name_of(const pprofc_profile *p, uint32_t index) {
  return profile_string(p, p->functions.name[index]);
}

static bool function_is(pprofc_str name, pprofc_str wanted) {
  char handle[BRIEF_HANDLE];
  if (str_equal(name, wanted)) return true;
  if (!str_starts(wanted, STR("f:")) || wanted.size + 1 != BRIEF_HANDLE) return false;
  brief_handle(name, handle);
  return str_equal(wanted, str_of(handle));
}

/* Finds functions whose names contain `wanted`. Returns their number, at most OFFERED. */
static size_t function_search(const pprofc_profile *p, pprofc_str wanted,
                              pprofc_str found[OFFERED]) {
  size_t count = 0;
  for (uint32_t i = 0; i < p->functions.count && count < OFFERED; i++) {
    pprofc_str name = call_name_of(p, i);
    bool known = str_find(name, wanted) == name.size;
    for (size_t k = 0; k < count && !known; k++) known = str_equal(found[k], name);
    if (!known) found[count++] = name;
  }
  return count;
}

static pprofc_status function_unclear(pprofc_str wanted, const pprofc_str *found, size_t count,
                                      pprofc_error *error) {
  struct buffer text = buffer_make(&mem_default, 900);
  for (size_t i = 0; i < count && text.size < 600; i++) {
    if (i) buffer_add_text(&text, ", ");
    brief_shorten(&text, found[i], 90);
  }
  wanted = str_slice(wanted, 0, 100);
  if (!count)
    error_set(error, PPROFC_E_INVALID, "no function has '%.*s' in its name", STR_ARG(wanted));
  else
    error_set(error, PPROFC_E_INVALID, "several functions have '%.*s' in their name: %.*s",
              STR_ARG(wanted), STR_ARG(buffer_str(&text)));
  buffer_free(&text);
  return PPROFC_E_INVALID;
}

pprofc_status call_function(struct call *call, const pprofc_profile *p, pprofc_str *name,
                            pprofc_error *error) {
  pprofc_str wanted = node_text(call->arguments, "function"), found[OFFERED];
  if (!wanted.size) return error_set(error, PPROFC_E_INVALID, "no function is named");
  name->data = NULL;
  for (uint32_t i = 0; i < p->functions.count && !name->data; i++)
    if (function_is(call_name_of(p, i), wanted)) *name = call_name_of(p, i);
  if (!name->data) {
    size_t count = function_search(p, wanted, found);
    if (count != 1) return function_unclear(wanted, found, count, error);
    *name = found[0];
  }
  *name = arena_str(call->arena, *name);
  return name->data ? PPROFC_OK : error_nomem(error);
}

/* ---- list of tools ----------------------------------- */

extern const unsigned char asset_answers_template[];
extern const size_t asset_answers_template_size;

static const struct mcp_tool {
  const char *name;
  tool_fn run;
} tools[] = {{"open", tool_open},       {"top", tool_top},       {"compare", tool_compare},
             {"callers", tool_callers}, {"source", tool_source}, {"benchmarks", tool_benchmarks},
             {"history", tool_history}};

void answer_put(struct buffer *out, const char *part, const struct fill *fill) {
  const pprofc_str template = {(const char *)asset_answers_template, asset_answers_template_size};
  rpc_put_part(out, template, part, fill);
}

tool_fn tool_find(struct call *call, const struct node *name, const struct node **schema) {
  struct node *list = NULL;
  struct buffer text = buffer_make(&mem_default, SIZE_MAX);
  struct fill nothing = fill_make(&mem_default);
  answer_put(&text, "tools", &nothing);
  pprofc_str kept = buffer_keep(&text, call->arena);
  buffer_free(&text);
  fill_free(&nothing);
  if (!kept.data || json_tree_parse(call->arena, NULL, kept, &list, NULL)) return NULL;
  for (size_t i = 0; i < node_size(list) && node_is(name, NODE_STRING); i++) {
    *schema = node_at(list, i);
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
      if (str_equal(name->text, node_text(*schema, "name")) &&
          str_equal(name->text, str_of(tools[k].name)))
        return tools[k].run;
  }
  return NULL;
}

/* True for a text without a NUL byte, because a C string would end at this byte. */
static bool is_text(const struct node *value) {
  return node_is(value, NODE_STRING) && !memchr(value->text.data, 0, value->text.size);
}

/* True if a value has the type in its schema: an integer, a text, or either a text or an array of
 * texts. */
static bool argument_fits(const struct node *schema, const struct node *value) {
  int64_t number;
  pprofc_str type = node_text(schema, "type");
  if (str_equal(type, STR("integer"))) return node_to_integer(value, &number);
  if (type.size || !node_is(value, NODE_ARRAY)) return is_text(value);
  for (size_t i = 0; i < node_size(value); i++)
    if (!is_text(node_at(value, i))) return false;
  return node_size(value) > 0;
}

pprofc_status tool_check(const struct node *schema, const struct node *arguments,
                         pprofc_error *error) {
  const struct node *properties = node_path(schema, "inputSchema.properties");
  const struct node *required = node_path(schema, "inputSchema.required");
  for (size_t i = 0; i < node_size(required); i++)
    if (!node_find(arguments, node_at(required, i)->text))
      return error_set(error, PPROFC_E_INVALID, "the argument \"%.*s\" is missing",
                       STR_ARG(node_at(required, i)->text));
  for (const struct node *n = arguments ? arguments->first : NULL; n; n = n->next) {
    const struct node *property = node_find(properties, n->key);
    pprofc_str key = str_slice(n->key, 0, 60);
    if (!property)
      return error_set(error, PPROFC_E_INVALID, "%.*s has no argument \"%.*s\"",
                       STR_ARG(node_text(schema, "name")), STR_ARG(key));
    if (!argument_fits(property, n))
      return error_set(error, PPROFC_E_INVALID, "the argument \"%.*s\" has another type",
                       STR_ARG(key));
  }
  return PPROFC_OK;
}
