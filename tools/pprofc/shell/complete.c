/* Completes options and commands from their tables, and functions from the profile. */
#include "pipeline/pipeline.h"
#include "profile/profile.h"
#include "session.h"

#define COMPLETIONS_MAX 200

/* Adds `text` as a completion if it begins with the typed word. */
static void completions_add(struct completions *out, pprofc_str typed, pprofc_str text) {
  if (!str_starts(text, typed) || !text.size || !escape_terminal_clean(text)) return;
  if (out->count == COMPLETIONS_MAX) {
    out->hidden++;
    return;
  }
  pprofc_str copy = arena_str(&out->arena, text);
  if (copy.data) (void)ARRAY_PUSH(&mem_default, out->items, out->count, out->capacity, copy);
}

static void completions_add_joined(struct completions *out, pprofc_str typed, const char *one,
                                   pprofc_str two, const char *three) {
  struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
  buffer_add_text(&text, one);
  buffer_add_str(&text, two);
  buffer_add_text(&text, three);
  if (!text.failed) completions_add(out, typed, buffer_str(&text));
  buffer_free(&text);
}

static void completions_sort(struct completions *out) {
  size_t kept = 0;
  if (out->count) qsort(out->items, out->count, sizeof *out->items, str_order);
  for (size_t i = 0; i < out->count; i++)
    if (!kept || !str_equal(out->items[kept - 1], out->items[i]))
      out->items[kept++] = out->items[i];
  out->count = kept;
}

pprofc_str completions_common(const struct completions *c) {
  if (!c->count) return STR("");
  pprofc_str common = c->items[0];
  for (size_t i = 1; i < c->count; i++) {
    size_t same = 0;
    while (same < common.size && same < c->items[i].size &&
           common.data[same] == c->items[i].data[same])
      same++;
    common.size = same;
  }
  /* Do not end the common text within a UTF-8 character. */
  while (common.size && common.size < c->items[0].size &&
         ((unsigned char)c->items[0].data[common.size] & 0xC0) == 0x80)
    common.size--;
  return common;
}

void completions_free(struct completions *c) {
  ARRAY_FREE(&mem_default, c->items, c->capacity);
  arena_free(&c->arena);
}

static void completions_add_commands(struct completions *out, pprofc_str typed) {
  const struct shell_command *command;
  for (size_t i = 0; (command = shell_command_at(i)); i++) {
    completions_add(out, typed, str_of(command->name));
    if (command->alias) completions_add(out, typed, str_of(command->alias));
    if (command->also) completions_add(out, typed, str_of(command->also));
  }
}

/* Adds option names and option values. `suffix` follows each name: "" after `help`, else "=". */
static void completions_add_options(struct completions *out, pprofc_str typed, const char *suffix) {
  const pprofc_option_info *info;
  for (size_t i = 0; (info = shell_option_at(i)); i++) {
    const char *equals = info->kind == PPROFC_OPTION_BOOL ? "" : suffix;
    completions_add_joined(out, typed, info->name, STR(""), equals);
    for (size_t c = 0; info->choices && info->choices[c]; c++)
      completions_add(out, typed, str_of(info->choices[c]));
  }
}

/* Adds the sample types. With `shortcuts`, also adds total_TYPE and mean_TYPE, but only if the
 * typed word is not empty. */
static void completions_add_types(const struct shell *shell, struct completions *out,
                                  pprofc_str typed, bool shortcuts) {
  const pprofc_profile *p = shell->profile;
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = profile_type(p, i);
    completions_add(out, typed, type);
    if (!shortcuts || !typed.size) continue;
    completions_add_joined(out, typed, "total_", type, "");
    completions_add_joined(out, typed, "mean_", type, "");
  }
}

/* Writes a regular expression without blanks that matches the name. */
static void completions_escape(pprofc_str name, struct buffer *out) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    if (strchr("\\*+?()[]{}|^$", c) && c) buffer_add_char(out, '\\');
    buffer_add_char(out, c == ' ' || c == '\t' ? '.' : c);
  }
}

/* Adds the functions that begin with the typed word. With `anywhere`, adds the functions that
 * contain the word. */
static void completions_add_functions(const struct shell *shell, struct completions *out,
                                      pprofc_str typed, bool anywhere) {
  const pprofc_profile *p = shell->profile;
  struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
  for (size_t i = 0; i < p->functions.count && !text.failed; i++) {
    pprofc_str name = profile_string(p, p->functions.name[i]);
    buffer_clear(&text);
    completions_escape(name, &text);
    pprofc_str escaped = buffer_str(&text);
    bool has = str_find(escaped, typed) < escaped.size;
    completions_add(out, anywhere && has ? STR("") : typed, escaped);
  }
  buffer_free(&text);
}

/* Writes the folder of a typed path to `folder`, with a slash at its end; "" for the current
 * folder. Returns false if the buffer is too small. */
static bool completions_folder(pprofc_str typed, char *folder, size_t room) {
  size_t slash = str_find_last_char(typed, '/');
  size_t size = slash < typed.size ? slash + 1 : 0;
  if (size >= room) return false;
  if (size) memcpy(folder, typed.data, size);
  folder[size] = '\0';
  return true;
}

static void completions_add_files(struct completions *out, pprofc_str typed) {
  char folder[4096];
  if (!completions_folder(typed, folder, sizeof folder)) return;
  pprofc_str name = str_slice(typed, strlen(folder), typed.size);
  DIR *dir = opendir(*folder ? folder : ".");
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    const char *suffix = entry->d_type == DT_DIR ? "/" : "";
    bool hidden = entry->d_name[0] == '.' && !str_starts(name, STR("."));
    if (!hidden) completions_add_joined(out, typed, folder, str_of(entry->d_name), suffix);
  }
  closedir(dir);
}

static void completions_add_value(const struct shell *shell, struct completions *out,
                                  pprofc_str typed, const pprofc_option_info *info) {
  static const char *const truths[] = {"true", "false", NULL};
  const struct flag *flag = flags_find(&shell->flags.table, str_of(info->name));
  const char *const *words = flag ? flag->choices : NULL;
  if (info->kind == PPROFC_OPTION_BOOL) words = truths;
  if (info->kind == PPROFC_OPTION_CHOICE) words = info->choices;
  for (size_t i = 0; words && words[i]; i++) completions_add(out, typed, str_of(words[i]));
  if (strcmp(info->name, "sample_index") == 0) completions_add_types(shell, out, typed, false);
  if (strcmp(info->name, "output") == 0 || strcmp(info->name, "origin_rules") == 0)
    completions_add_files(out, typed);
  const struct filter_option *filter = filter_find(info);
  if (filter && filter->flags & FILTER_STACKS) completions_add_functions(shell, out, typed, false);
}

/* Adds the words that can begin a line. Appends `suffix` to options. */
static void completions_add_first(const struct shell *shell, struct completions *out,
                                  pprofc_str typed, const char *suffix) {
  const pprofc_format_info *format;
  for (size_t i = 0; (format = pprofc_format_at(i)); i++)
    completions_add(out, typed, str_of(format->name));
  completions_add_commands(out, typed);
  completions_add_options(out, typed, suffix);
  completions_add_types(shell, out, typed, true);
}

/* Adds regular expressions that match functions. Accepts a word like "-main", which sets ignore. */
static void completions_add_expression(const struct shell *shell, struct completions *out,
                                       pprofc_str typed) {
  size_t skip = str_starts(typed, STR("-"));
  if (skip) completions_add(out, typed, STR("-cum"));
  if (out->count) return;
  out->from += skip;
  typed = str_slice(typed, skip, typed.size);
  completions_add_functions(shell, out, typed, false);
  if (!out->count && typed.size) completions_add_functions(shell, out, typed, true);
}

static void completions_add_argument(const struct shell *shell, struct completions *out,
                                     pprofc_str typed, bool behind_arrow) {
  size_t arrows = 0;
  while (arrows < typed.size && arrows < 2 && typed.data[arrows] == '>') arrows++;
  if (!arrows && !behind_arrow) {
    completions_add_expression(shell, out, typed);
    return;
  }
  out->from += arrows;
  completions_add_files(out, str_slice(typed, arrows, typed.size));
}

/* Returns the index at which the last word of the line begins. */
static size_t completions_last_word(pprofc_str line) {
  size_t at = line.size;
  while (at && line.data[at - 1] != ' ' && line.data[at - 1] != '\t') at--;
  return at;
}

/* Completes the value in "name=value". Returns false if the line does not assign an option. */
static bool completions_of_assignment(const struct shell *shell, pprofc_str line,
                                      struct completions *out) {
  size_t equals = str_find_char(line, '=');
  if (equals == line.size) return false;
  const pprofc_option_info *info = shell_option_find(shell_trim(str_slice(line, 0, equals)));
  if (!info) return false;
  out->from = equals + 1;
  while (out->from < line.size && line.data[out->from] == ' ') out->from++;
  completions_add_value(shell, out, str_slice(line, out->from, line.size), info);
  return true;
}

static void completions_of_words(const struct shell *shell, pprofc_str line,
                                 struct completions *out) {
  size_t from = completions_last_word(line), digits;
  pprofc_str typed = str_slice(line, from, line.size);
  pprofc_str before = shell_trim(str_slice(line, 0, from));
  size_t end = str_find_char(before, ' ');
  pprofc_str first = str_slice(before, 0, end);
  out->from = from;
  const struct shell_command *command = shell_command_find(first);
  if (!before.size)
    completions_add_first(shell, out, typed, "=");
  else if (str_equal(first, STR("help")))
    completions_add_first(shell, out, typed, "");
  else if (command && command->takes_file)
    completions_add_files(out, typed);
  else if (!command && shell_format(first, &digits))
    completions_add_argument(shell, out, typed, str_ends(before, STR(">")));
}

void completions_find(const struct shell *shell, pprofc_str line, struct completions *out) {
  *out = (struct completions){.from = line.size};
  arena_init(&out->arena, &mem_default);
  if (!completions_of_assignment(shell, line, out)) completions_of_words(shell, line, out);
  completions_sort(out);
}
