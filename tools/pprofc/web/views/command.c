/* "Copy as command": a shell command that prints the data of a view. */
#include "core/escape.h"
#include "web/views/page.h"

/* ---- words for a shell ------------------------------- */

static bool command_is_plain(pprofc_str word) {
  for (size_t i = 0; i < word.size; i++) {
    char c = word.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && (!c || !strchr("-_./,:=@%+", c))) return false;
  }
  return word.size > 0;
}

static void command_write_ansi(struct output *out, pprofc_str word) {
  output_add_text(out, "$&#39;");
  for (size_t i = 0; i < word.size; i++) {
    unsigned char c = (unsigned char)word.data[i];
    if (c < 0x20 || c >= 0x7F)
      output_printf(out, "\\x%02x", c);
    else if (c == '\'' || c == '\\')
      output_printf(out, "\\%s", c == '\\' ? "\\" : "&#39;");
    else
      html_name(out, (pprofc_str){word.data + i, 1});
  }
  output_add_text(out, "&#39;");
}

/* Writes a word, quoted if a shell would split or expand it. */
static void command_write_word(struct output *out, pprofc_str word) {
  if (command_is_plain(word)) {
    html_name(out, word);
    return;
  }
  if (!escape_terminal_clean(word)) {
    command_write_ansi(out, word);
    return;
  }
  pprofc_str piece;
  output_add_text(out, "&#39;");
  for (bool first = true; str_next(&word, '\'', &piece); first = false) {
    if (!first) output_add_text(out, "&#39;\\&#39;&#39;");
    html_name(out, piece);
  }
  output_add_text(out, "&#39;");
}

/* ---- flags ------------------------------------------- */

static void command_write_flag(const struct view_page *page, struct output *out, const char *name,
                               pprofc_str value) {
  struct buffer flag;
  buffer_init(&flag, page->mem, (size_t)1 << 20);
  buffer_printf(&flag, "-%s=", name);
  buffer_add_str(&flag, value);
  output_add_char(out, ' ');
  command_write_word(out, buffer_str(&flag));
  buffer_free(&flag);
}

static void command_write_option(const struct view_page *page, const pprofc_report_options *options,
                                 struct output *out, const pprofc_option_info *option) {
  char value[4096];
  if (pprofc_report_options_get(options, option->name, value, sizeof value, NULL, NULL)) return;
  if (strcmp(value, option->default_text) == 0) return;
  if (option->kind == PPROFC_OPTION_CHOICE)
    output_printf(out, " -%s", value);
  else if (option->kind == PPROFC_OPTION_BOOL && strcmp(value, "true") == 0)
    output_printf(out, " -%s", option->name);
  else
    command_write_flag(page, out, option->name, str_of(value));
}

static void command_write_format(const struct view_page *page, struct output *out) {
  const char *format = page->view->format;
  bool matching =
      strcmp(format, "peek") == 0 || strcmp(format, "list") == 0 || strcmp(format, "disasm") == 0;
  if (matching)
    command_write_flag(page, out, format, page->argument);
  else
    output_printf(out, " -%s", format);
  if (strcmp(format, "flame") == 0) output_add_text(out, " -output=flame.html");
}

/* True if the argument is a base. `text` becomes the value of -base= or -diff_base=. */
static bool command_is_base(const char *argument, pprofc_str *text) {
  static const char *const flags[] = {"-base=", "-diff_base=", "--base=", "--diff_base="};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (!str_starts(str_of(argument), str_of(flags[i]))) continue;
    *text = str_of(argument + strlen(flags[i]));
    return true;
  }
  return false;
}

/* Writes an argument of the server's command line. In a view of one side it skips the profiles
 * of the other side. */
static void command_write_argument(const struct view_page *page, struct output *out,
                                   const char *argument) {
  pprofc_str base;
  bool is_base = command_is_base(argument, &base), is_flag = *argument == '-';
  if (is_base && page->in->side == WEB_HEAD) return;
  if (!is_base && !is_flag && page->in->side == WEB_BASE) return;
  output_add_char(out, ' ');
  command_write_word(out, is_base && page->in->side == WEB_BASE ? base : str_of(argument));
}

/* True if -noise prints the numbers of the view: the means of runs. */
static bool command_judges(const struct view_page *page) {
  bool flame = strcmp(page->view->format, "flame") == 0;
  bool table = strcmp(page->view->format, "top") == 0 && page->judgement.verdicts;
  return page_is_diff(page) && page_runs(page, WEB_DIFF) > 1 && (flame || table);
}

/* True if the command prints sums, because no flag divides both sides by their numbers of runs. */
static bool command_adds_up(const struct view_page *page) {
  return page_is_diff(page) && page_runs(page, WEB_BASE) != page_runs(page, WEB_HEAD);
}

void document_command(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  const pprofc_option_info *option;
  pprofc_report_options options = page->options;
  /* As in pprof, Peek ignores the granularity and always shows lines. */
  if (strcmp(page->view->format, "peek") == 0) options.granularity = "lines";
  bool judges = command_judges(page), adds_up = !judges && command_adds_up(page);
  if (!judges && !adds_up) options.divide_by *= page_runs(page, page->in->side);
  if (info->command) {
    html_put(out, info->command);
    return;
  }
  output_add_text(out, "pprofc");
  command_write_format(page, out);
  if (judges) output_add_text(out, " -noise");
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    command_write_option(page, &options, out, option);
  for (size_t i = 0; i < info->argument_count; i++)
    command_write_argument(page, out, info->arguments[i]);
  if (adds_up) output_add_text(out, "  # sums over runs");
}
