/* Reads and writes the settings file of pprof. */
#include "web/routes.h"

#include "core/json_tree.h"

#include <sys/file.h>

pprofc_status settings_path(char *out, size_t size, pprofc_error *error) {
  const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  int length = -1;
  if (folder && *folder)
    length = snprintf(out, size, "%s/pprof/settings.json", folder);
  else if (home && *home)
    length = snprintf(out, size, "%s/.config/pprof/settings.json", home);
  else
    return error_set(error, PPROFC_E_INVALID, "neither $XDG_CONFIG_HOME nor $HOME are defined");
  if (length > 0 && (size_t)length < size) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the path of the settings is too long");
}

uint64_t settings_stamp(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? system_stamp(&info) : 0;
}

/* Reads the file into the arena. Sets *data to an empty text if the file is missing. */
static pprofc_status settings_read(const char *path, struct arena *arena, pprofc_str *data,
                                   pprofc_error *error) {
  struct stat info;
  *data = STR("");
  if (stat(path, &info) != 0)
    return errno == ENOENT ? PPROFC_OK : error_file(error, "read", path, errno);
  if (!S_ISREG(info.st_mode) || (uint64_t)info.st_size > SETTINGS_FILE_BYTES)
    return error_set(error, PPROFC_E_FORMAT,
                     "could not parse settings: not a regular file, or too large");
  return file_keep(path, SETTINGS_FILE_BYTES + 1, arena, data, error);
}

/* Parses the file. Sets *root to NULL if the file is missing. */
static pprofc_status settings_parse(const char *path, struct arena *arena, struct node **root,
                                    pprofc_error *error) {
  pprofc_str data;
  *root = NULL;
  pprofc_status status = settings_read(path, arena, &data, error);
  if (status != PPROFC_OK || !str_trim(data).size) return status;
  status = json_tree_parse(arena, NULL, data, root, error);
  if (status == PPROFC_E_NOMEM) return status;
  if (status != PPROFC_OK) {
    error_prefix(error, "could not parse settings: ");
    return PPROFC_E_FORMAT;
  }
  const struct node *configs = node_get(*root, "configs");
  if (!node_is(*root, NODE_OBJECT) ||
      (configs && !node_is(configs, NODE_ARRAY) && !node_is(configs, NODE_NULL)))
    return error_set(error, PPROFC_E_FORMAT, "could not parse settings: no list of configs");
  return PPROFC_OK;
}

/* ---- writing ----------------------------------------- */

/* True if Go escapes the character in JSON because it is unsafe in HTML. */
static bool settings_is_unsafe(int32_t c) {
  return c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029;
}

/* Writes a JSON string like Go. */
static void settings_write_string(struct buffer *out, pprofc_str text) {
  /* characters that have a short escape, and the letters of these escapes */
  static const char characters[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
  buffer_add_char(out, '"');
  for (size_t at = 0; at < text.size;) {
    size_t from = at;
    int32_t c = utf8_next(text, &at);
    const char *escaped = c > 0 && c < 128 ? strchr(characters, c) : NULL;
    if (escaped)
      buffer_printf(out, "\\%c", letters[escaped - characters]);
    else if (c < 0)
      buffer_add_text(out, "\\ufffd");
    else if (settings_is_unsafe(c))
      buffer_printf(out, "\\u%04x", (unsigned)c);
    else
      buffer_add_str(out, str_slice(text, from, at));
  }
  buffer_add_char(out, '"');
}

static void settings_indent(struct buffer *out, size_t depth) {
  buffer_add_char(out, '\n');
  buffer_add_fill(out, ' ', 2 * depth);
}

static void settings_write_scalar(struct buffer *out, const struct node *node) {
  static const char *const words[] = {
      [NODE_NULL] = "null", [NODE_FALSE] = "false", [NODE_TRUE] = "true"};
  if (node->kind == NODE_STRING)
    settings_write_string(out, node->text);
  else if (node->kind == NODE_NUMBER)
    buffer_add_str(out, node->text);
  else if (node->kind == NODE_ARRAY || node->kind == NODE_OBJECT)
    buffer_add_text(out, node->kind == NODE_ARRAY ? "[]" : "{}");
  else
    buffer_add_text(out, words[node->kind]);
}

#define SETTINGS_DEPTH 34

/* Writes the whole document. Returns false if a value is nested too deep. */
static bool settings_write_tree(struct buffer *out, const struct node *root) {
  const struct node *above[SETTINGS_DEPTH];
  size_t levels = 0;
  const struct node *node = root;
  while (node) {
    if (levels && above[levels - 1]->kind == NODE_OBJECT) {
      settings_write_string(out, node->key);
      buffer_add_text(out, ": ");
    }
    if (node->first) {
      if (levels == SETTINGS_DEPTH) return false;
      buffer_add_char(out, node->kind == NODE_ARRAY ? '[' : '{');
      above[levels++] = node;
      settings_indent(out, levels);
      node = node->first;
      continue;
    }
    settings_write_scalar(out, node);
    while (levels && !node->next) {
      node = above[--levels];
      settings_indent(out, levels);
      buffer_add_char(out, node->kind == NODE_ARRAY ? ']' : '}');
    }
    if (!levels) break;
    node = node->next;
    buffer_add_char(out, ',');
    settings_indent(out, levels);
  }
  return true;
}

/* ---- changing ---------------------------------------- */

/* Adds a copy of a value at the link. Returns NULL when out of memory. */
static struct node *settings_add(struct arena *arena, struct node **link, enum node_kind kind,
                                 const char *key, const char *text) {
  struct node *node = arena_zero_array(arena, 1, sizeof *node);
  if (!node) return NULL;
  *node = (struct node){.kind = kind, .key = str_of(key), .text = arena_str(arena, str_of(text))};
  *link = node;
  return node->text.data ? node : NULL;
}

/* True if the value is the zero value of its type, which Go omits. */
static bool settings_is_zero(const pprofc_option_info *info, const char *text) {
  double number;
  if (info->kind == PPROFC_OPTION_BOOL) return strcmp(text, "false") == 0;
  if (info->kind == PPROFC_OPTION_INT || info->kind == PPROFC_OPTION_FLOAT)
    return str_parse_float(str_of(text), &number) && number == 0;
  return !*text;
}

/* Returns a saved view. The order of its members is the same as in pprof. Returns NULL when out of
 * memory, or if a value is too long. */
static struct node *settings_view(struct arena *arena, const char *name,
                                  const pprofc_report_options *options) {
  const pprofc_option_info *info;
  char text[64 << 10];
  struct node *view, *last;
  if (!settings_add(arena, &view, NODE_OBJECT, "", "")) return NULL;
  last = settings_add(arena, &view->first, NODE_STRING, "name", name);
  for (size_t i = 0; last && (info = pprofc_option_at(i)); i++) {
    size_t size;
    if (!info->saved) continue;
    pprofc_status got =
        pprofc_report_options_get(options, info->name, text, sizeof text, &size, NULL);
    if (got != PPROFC_OK || size >= sizeof text) return NULL;
    if (settings_is_zero(info, text)) continue;
    bool quoted = info->kind == PPROFC_OPTION_STRING || info->kind == PPROFC_OPTION_CHOICE;
    enum node_kind kind = info->kind == PPROFC_OPTION_BOOL ? NODE_TRUE : NODE_NUMBER;
    last = settings_add(arena, &last->next, quoted ? NODE_STRING : kind, info->name, text);
  }
  return last ? view : NULL;
}

/* Deletes the saved views that have the name, and adds `view` unless it is NULL. A changed view
 * keeps its position; a new view is last. Returns true if there was a view with the name. */
static bool settings_apply(struct node *configs, const char *name, struct node *view) {
  struct node **link = &configs->first, **place = NULL;
  while (*link) {
    bool same = str_equal(node_text(*link, "name"), str_of(name));
    if (same && !place) place = link;
    if (same)
      *link = (*link)->next;
    else
      link = &(*link)->next;
  }
  bool found = place;
  if (!place) place = link;
  if (view) {
    view->next = *place;
    *place = view;
  }
  return found;
}

/* Moves the list of saved views to the end of the document. Adds the list if it is missing. Returns
 * NULL when out of memory. */
static struct node *settings_move_configs(struct arena *arena, struct node *root) {
  struct node *configs = (struct node *)node_get(root, "configs"), **link = &root->first;
  while (*link) {
    if (str_equal((*link)->key, STR("configs")))
      *link = (*link)->next;
    else
      link = &(*link)->next;
  }
  if (!configs) return settings_add(arena, link, NODE_ARRAY, "configs", "");
  *link = configs;
  configs->next = NULL;
  configs->kind = NODE_ARRAY; /* null becomes an empty list */
  return configs;
}

/* Creates the folder of the file and its parents. Only the owner gets permissions. */
static pprofc_status settings_make_folder(const char *path, char folder[4096],
                                          pprofc_error *error) {
  snprintf(folder, 4096, "%s", path);
  char *end = strrchr(folder, '/');
  if (!end || end == folder) return error_set(error, PPROFC_E_INVALID, "no folder for settings");
  *end = '\0';
  errno = folder_make(folder, 0700);
  return errno ? error_file(error, "create", folder, errno) : PPROFC_OK;
}

static pprofc_status settings_replace(const char *path, pprofc_str text, pprofc_error *error) {
  struct outfile file;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  bool written = fchmod(file.fd, 0600) == 0 && outfile_write(&file, text.data, text.size) == 0;
  if (written) return outfile_commit(&file, error);
  status = error_file(error, "write", path, errno);
  outfile_discard(&file);
  return status;
}

/* Changes the document, and writes it to `text`. */
static pprofc_status settings_write(struct arena *arena, struct node *root, const char *name,
                                    const pprofc_report_options *options, struct buffer *text,
                                    pprofc_error *error) {
  struct node *configs = settings_move_configs(arena, root);
  if (!configs) return error_nomem(error);
  struct node *view = options ? settings_view(arena, name, options) : NULL;
  text->failed = options && !view;
  bool found = settings_apply(configs, name, view);
  if (!found && !options) return error_set(error, PPROFC_E_INVALID, "config %s not found", name);
  if (!found && node_size(configs) >= SETTINGS_MOST)
    return error_set(error, PPROFC_E_INVALID, "there are %d saved views already", SETTINGS_MOST);
  if (!settings_write_tree(text, root))
    return error_set(error, PPROFC_E_FORMAT, "could not parse settings: nested too deep");
  if (text->size > SETTINGS_FILE_BYTES || text->failed)
    return error_set(error, PPROFC_E_LIMIT, "the settings become too large");
  return PPROFC_OK;
}

/* Reads the file, applies the change and writes the file. The caller holds the lock. */
static pprofc_status settings_edit(const char *path, const char *name,
                                   const pprofc_report_options *options, pprofc_error *error) {
  struct node *root;
  struct arena arena = arena_make(&mem_default);
  struct buffer text = buffer_make(&mem_default, 2 * SETTINGS_FILE_BYTES);
  pprofc_status status = settings_parse(path, &arena, &root, error);
  if (status == PPROFC_OK && !root && !settings_add(&arena, &root, NODE_OBJECT, "", ""))
    status = error_nomem(error);
  if (status == PPROFC_OK) status = settings_write(&arena, root, name, options, &text, error);
  if (status == PPROFC_OK) status = settings_replace(path, buffer_str(&text), error);
  buffer_free(&text);
  arena_free(&arena);
  return status;
}

pprofc_status settings_change(const char *path, const char *name,
                              const pprofc_report_options *options, pprofc_error *error) {
  char folder[4096];
  if (!*name || strlen(name) > SETTINGS_NAME_BYTES || !escape_terminal_clean(str_of(name)))
    return error_set(error, PPROFC_E_INVALID, "invalid config name");
  if (strlen(path) >= sizeof folder)
    return error_set(error, PPROFC_E_INVALID, "the path of the settings is too long");
  pprofc_status status = settings_make_folder(path, folder, error);
  if (status != PPROFC_OK) return status;
  /* Lock the folder and not the file, because a change replaces the file. */
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return error_file(error, "open", folder, errno);
  while (flock(lock, LOCK_EX) != 0 && errno == EINTR) continue;
  status = settings_edit(path, name, options, error);
  close(lock);
  return status;
}

/* Returns an option of a saved view as the value of a URL parameter, or "" for the default. */
static pprofc_str settings_value(const struct node *config, const pprofc_option_info *info) {
  const struct node *member = node_get(config, info->name);
  double number = 0, initial = 0;
  if (info->kind == PPROFC_OPTION_BOOL) {
    bool on = node_is(member, NODE_TRUE);
    if (on == (strcmp(info->default_text, "true") == 0)) return STR("");
    return on ? STR("t") : STR("f");
  }
  if (info->kind == PPROFC_OPTION_INT || info->kind == PPROFC_OPTION_FLOAT) {
    pprofc_str text = node_is(member, NODE_NUMBER) ? member->text : STR("0");
    bool same = str_parse_float(text, &number) &&
                str_parse_float(str_of(info->default_text), &initial) && number == initial;
    return same ? STR("") : text;
  }
  pprofc_str text = node_text(config, info->name);
  return str_equal(text, str_of(info->default_text)) ? STR("") : text;
}

/* Returns the query that opens a saved view. The result's data is NULL when out of memory. */
static pprofc_str settings_query(const struct node *config, const struct web_query *query,
                                 struct arena *arena) {
  struct web_change changes[WEB_PARAMETERS_MAX];
  const pprofc_option_info *info;
  size_t count = 0;
  for (size_t i = 0; (info = pprofc_option_at(i)) && count < WEB_PARAMETERS_MAX; i++)
    if (info->saved)
      changes[count++] =
          (struct web_change){info->url ? info->url : info->name, settings_value(config, info)};
  struct buffer text = buffer_make(&mem_default, (size_t)1 << 20);
  web_query_write(&text, query, changes, count);
  buffer_add(&text, "", 1);
  pprofc_str kept = buffer_keep(&text, arena);
  buffer_free(&text);
  return kept;
}

bool settings_list(const char *path, const struct web_query *query, struct arena *arena,
                   const struct web_item **items, size_t *count) {
  struct node *root = NULL;
  *items = NULL;
  *count = 0;
  pprofc_status status = settings_parse(path, arena, &root, NULL);
  if (status != PPROFC_OK || !root) return status != PPROFC_E_NOMEM;
  const struct node *configs = node_get(root, "configs");
  size_t most = node_size(configs) < SETTINGS_MOST ? node_size(configs) : SETTINGS_MOST;
  struct web_item *list = arena_array(arena, most, sizeof *list);
  struct buffer now = buffer_make(&mem_default, (size_t)1 << 20);
  web_query_write(&now, query, NULL, 0);
  bool ok = list && !now.failed;
  const struct node *config = configs ? configs->first : NULL;
  for (; ok && config && *count < most; config = config->next) {
    pprofc_str name = arena_str(arena, node_text(config, "name"));
    pprofc_str link = settings_query(config, query, arena);
    ok = name.data && link.data;
    if (!ok || !name.size) continue;
    bool current = str_equal(str_of(link.data), buffer_str(&now));
    list[(*count)++] = (struct web_item){name.data, link.data, current};
  }
  buffer_free(&now);
  *items = list;
  return ok;
}
