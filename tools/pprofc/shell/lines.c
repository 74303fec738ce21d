/* Runs a line. Tries to read the line as a shortcut, an option, a command or a report, in the order
 * of pprof. */
#include "profile/profile.h"
#include "session.h"

/* Returns the end of the word that starts at `from`. With `space`, returns the end of the white
 * space that starts there. */
static size_t lines_skip(pprofc_str text, size_t from, bool space) {
  while (from < text.size) {
    size_t next = from;
    if (rune_is_space(utf8_next(text, &next)) != space) break;
    from = next;
  }
  return from;
}

pprofc_str shell_trim(pprofc_str text) {
  size_t from = lines_skip(text, 0, true), to = from;
  for (size_t at = from; at < text.size; at = lines_skip(text, to, true))
    to = lines_skip(text, at, false);
  return str_slice(text, from, to);
}

bool shell_split(pprofc_str text, struct arena *arena, struct shell_words *words) {
  *words = (struct shell_words){NULL, 0, 0};
  for (size_t at = lines_skip(text, 0, true); at < text.size; at = lines_skip(text, at, true)) {
    size_t end = lines_skip(text, at, false);
    pprofc_str word = arena_str(arena, str_slice(text, at, end));
    if (!word.data || !ARRAY_PUSH(&mem_default, words->items, words->count, words->capacity, word))
      return false;
    at = end;
  }
  return true;
}

static const struct {
  /* prefix of a sample type in a shortcut such as "mean_cpu", and the line that the shortcut runs
   * first */
  const char *prefix, *before;
} shortcuts[] = {{"", ""}, {"total_", "mean=0\n"}, {"mean_", "mean=1\n"}};

bool shell_shortcut(const struct shell *shell, pprofc_str line, struct buffer *out) {
  const pprofc_profile *p = shell->profile;
  if (str_equal(line, STR(":"))) {
    buffer_add_text(out, "focus=\nignore=\nhide=\ntagfocus=\ntagignore=");
    return true;
  }
  for (size_t i = 0; i < sizeof shortcuts / sizeof *shortcuts; i++) {
    if (!str_starts(line, str_of(shortcuts[i].prefix))) continue;
    pprofc_str type = str_slice(line, strlen(shortcuts[i].prefix), line.size);
    for (size_t t = 0; t < p->type_count; t++) {
      if (!str_equal(type, profile_type(p, t))) continue;
      buffer_printf(out, "%ssample_index=%.*s", shortcuts[i].before, STR_ARG(type));
      return true;
    }
  }
  return false;
}

/* Returns the value after '='. Removes white space, and a comment that starts with "//:". */
static pprofc_str lines_value(pprofc_str text) {
  for (size_t at = text.size; at >= 3; at--)
    if (memcmp(text.data + at - 3, "//:", 3) == 0) return shell_trim(str_slice(text, 0, at - 3));
  return shell_trim(text);
}

/* Runs the line if it sets an option. Returns false if it sets no option. */
static bool lines_assign(struct shell *shell, pprofc_str line) {
  size_t equals = str_find_char(line, '=');
  bool has_value = equals < line.size;
  pprofc_str name = shell_trim(str_slice(line, 0, equals));
  pprofc_str value = lines_value(str_slice(line, equals + has_value, line.size));
  const pprofc_option_info *info = shell_option_find(name);
  if (!info && !shell_choice_find(name)) return false;
  if (!info)
    shell_choose(shell, name, has_value ? value : STR("true"));
  else if (!has_value && !shell_option_stands_alone(info))
    shell_fail(shell, "please specify a value, as in %s=<val>", info->name);
  else
    shell_set(shell, info, value);
  return true;
}

static const pprofc_format_info *lines_format(pprofc_str name) {
  const pprofc_format_info *info;
  for (size_t i = 0; (info = pprofc_format_at(i)); i++)
    if (str_equal(name, str_of(info->name))) return info;
  return NULL;
}

const pprofc_format_info *shell_format(pprofc_str word, size_t *digits) {
  *digits = word.size;
  const pprofc_format_info *info = lines_format(word);
  if (info) return info;
  while (*digits && char_is_digit(word.data[*digits - 1])) --*digits;
  return lines_format(str_slice(word, 0, *digits));
}

static void lines_unknown(struct shell *shell, const struct shell_words *words, pprofc_str name) {
  const char *value = words->count > 1 ? words->items[1].data : "<val>";
  char quoted[QUOTE_MAX];
  quote_go(name, quoted);
  if (shell_option_find(name) || shell_choice_find(name))
    shell_fail(shell, "did you mean: %.*s=%s", STR_ARG(name), value);
  else
    shell_fail(shell, "unrecognized command: %s", quoted);
}

/* Returns the variant of a format that `word` names, such as "text" for the command flame=text.
 * Returns NULL if the format has no such variant. */
static const char *lines_variant(const pprofc_format_info *info, pprofc_str word) {
  int index = info && info->variants ? str_index(word, info->variants) : -1;
  return index < 0 ? NULL : info->variants[index];
}

static void lines_report(struct shell *shell, const struct shell_words *words) {
  pprofc_str word = words->items[0];
  size_t equals = str_find_char(word, '='), digits;
  const pprofc_format_info *info = lines_format(str_slice(word, 0, equals));
  const char *variant = lines_variant(info, str_slice(word, equals + 1, word.size));
  if (variant) {
    shell_report(shell, info, variant, words, 1);
    return;
  }
  info = shell_format(word, &digits);
  if (!info) {
    lines_unknown(shell, words, str_slice(word, 0, digits));
    return;
  }
  words->items[0] = str_slice(word, digits, word.size);
  shell_report(shell, info, NULL, words, digits == word.size);
}

/* Copies the line. For a command with a file argument, replaces '=' by a blank, as in
 * "diff_base=old.pb.gz". */
static void lines_separate(pprofc_str line, struct buffer *out) {
  size_t equals = str_find_char(line, '=');
  const struct shell_command *command = shell_command_find(str_slice(line, 0, equals));
  buffer_add_str(out, line);
  if (command && command->takes_file && equals < line.size && !out->failed) out->data[equals] = ' ';
}

static void lines_command(struct shell *shell, pprofc_str line) {
  struct shell_words words;
  struct arena arena = arena_make(&mem_default);
  struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
  lines_separate(line, &text);
  if (text.failed || !shell_split(buffer_str(&text), &arena, &words)) {
    shell_fail(shell, "out of memory");
  } else if (words.count) {
    const struct shell_command *command = shell_command_find(words.items[0]);
    if (command)
      command->run(shell, &words);
    else
      lines_report(shell, &words);
  }
  ARRAY_FREE(&mem_default, words.items, words.capacity);
  buffer_free(&text);
  arena_free(&arena);
}

static void lines_execute_one(struct shell *shell, pprofc_str line) {
  if (!lines_assign(shell, line)) lines_command(shell, line);
}

void shell_execute(struct shell *shell, pprofc_str line) {
  line = shell_trim(line);
  if (!line.size || line.data[0] == '#') return;
  if (memchr(line.data, '\0', line.size)) {
    shell_fail(shell, "the line has a NUL byte");
    return;
  }
  struct buffer lines = buffer_make(&mem_default, SIZE_MAX / 2);
  if (shell_shortcut(shell, line, &lines) && !lines.failed) {
    pprofc_str rest = buffer_str(&lines), one;
    while (str_next_line(&rest, &one)) lines_execute_one(shell, one);
  } else {
    lines_execute_one(shell, line);
  }
  buffer_free(&lines);
}
