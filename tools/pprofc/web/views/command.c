/* Writes the text for "Copy as command": a shell command that prints the data of the view. */
#include "web/views/page.h"

static void command_write_ansi(struct buffer *out, pprofc_str word) {
  buffer_add_text(out, "$'");
  for (size_t i = 0; i < word.size; i++) {
    unsigned char c = (unsigned char)word.data[i];
    if (c < 0x20 || c >= 0x7F)
      buffer_printf(out, "\\x%02x", c);
    else if (c == '\'' || c == '\\')
      buffer_printf(out, "\\%s", c == '\\' ? "\\" : "'");
    else
      buffer_add_char(out, word.data[i]);
  }
  buffer_add_text(out, "'");
}

/* Writes a word of the command. Quotes the word if a shell would split or expand it. */
static void command_write_word(struct buffer *out, pprofc_str word) {
  if (word.size && text_only_has(word, SHELL_PLAIN)) {
    buffer_add_str(out, word);
    return;
  }
  if (!escape_terminal_clean(word)) {
    command_write_ansi(out, word);
    return;
  }
  escape_shell(out, word);
}

static void command_write_flag(const struct view_page *page, struct buffer *out, const char *name,
                               pprofc_str value) {
  struct buffer flag = buffer_make(page->mem, (size_t)1 << 20);
  buffer_printf(&flag, "-%s=", name);
  buffer_add_str(&flag, value);
  buffer_add_char(out, ' ');
  command_write_word(out, buffer_str(&flag));
  buffer_free(&flag);
}

static void command_write_option(struct view_page *page, const pprofc_report_options *options,
                                 struct buffer *out, const pprofc_option_info *option) {
  const char *value = page_option(page, options, option->name);
  if (!value || strcmp(value, option->default_text) == 0) return;
  if (option->kind == PPROFC_OPTION_CHOICE)
    buffer_printf(out, " -%s", value);
  else if (option->kind == PPROFC_OPTION_BOOL && strcmp(value, "true") == 0)
    buffer_printf(out, " -%s", option->name);
  else
    command_write_flag(page, out, option->name, str_of(value));
}

/* True if the search field is empty, so that the view shows a list of functions instead of code. */
static bool command_lists(const struct view_page *page) {
  const char *format = page->view->format;
  return !page->argument.size && (strcmp(format, "list") == 0 || strcmp(format, "disasm") == 0);
}

static void command_write_format(const struct view_page *page, struct buffer *out) {
  const char *format = command_lists(page) ? "top" : page->view->format;
  bool source = strcmp(format, "list") == 0;
  bool matching = source || strcmp(format, "peek") == 0 || strcmp(format, "disasm") == 0;
  /* use -weblist, because -list counts the line of a recursive call only once */
  if (source) format = "weblist";
  /* If the search field is empty, write the expression ".". An option with an empty expression,
   * such as -peek=, has no effect: pprofc would start the interactive shell. */
  if (matching)
    command_write_flag(page, out, format, page->argument.size ? page->argument : STR("."));
  else
    buffer_printf(out, " -%s", format);
  if (strcmp(format, "flame") == 0) buffer_add_text(out, " -output=flame.html");
  if (source) buffer_add_text(out, " -output=source.html");
}

/* True if the view shows verdicts. */
static bool command_has_verdicts(const struct view_page *page) {
  bool flame = strcmp(page->view->format, "flame") == 0;
  bool judged = page->judgement.verdicts || (flame && !noise_obstacle(&page->options));
  bool shown = flame || strcmp(page->view->format, "top") == 0;
  return page_is_diff(page) && shown && judged && !(flame && page->in->info->subtracts);
}

/* True if -noise judges base and head as the page does. False for a sum of several profiles,
 * because -noise would judge each profile as a run. */
static bool command_can_judge(const struct web_info *info) {
  bool base = info->base.run_count || info->base.sources <= 1;
  return base && (info->head.run_count || info->head.sources <= 1);
}

/* Returns the value of -noise that prints the rows of the view, or "". */
static const char *command_noise_rows(const struct view_page *page) {
  const char *only = page_parameter(page, "only");
  size_t groups = 0;
  if (page->view->body != view_top || !page->judgement.verdicts) return "";
  if (STR_ANY(str_equal, str_of(only), "significant", "grew", "shrank", "new", "gone")) return only;
  pprofc_verdicts_domains(page->judgement.verdicts, &groups);
  return groups ? "rows" : "";
}

static void command_write_number(const struct view_page *page, struct buffer *out, const char *name,
                                 double value, double initial) {
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  if (fabs(value - initial) > 0) command_write_flag(page, out, name, str_of(text));
}

/* Writes -noise and the flags for its options. */
static void command_write_noise(const struct view_page *page, struct buffer *out) {
  static const char *const divisors[] = {
      [PPROFC_EXPOSURE_AUTO] = "",     [PPROFC_EXPOSURE_OPS] = "ops",
      [PPROFC_EXPOSURE_TIME] = "time", [PPROFC_EXPOSURE_TOTAL] = "total",
      [PPROFC_EXPOSURE_NONE] = "none",
  };
  const struct noise_options *n = page->in->info->noise;
  bool total = page->options.normalize;
  const char *rows = command_noise_rows(page);
  buffer_printf(out, " -noise%s%s", *rows ? "=" : "", rows);
  if (!n) return;
  const struct {
    const char *name, *value;
  } texts[] = {
      {"normalize_by", total ? "total" : divisors[n->normalize_by]},
      {"ops", n->ops},
      {"bench_base", n->bench_base},
      {"bench_head", n->bench_head},
      {"bench", n->bench},
      {"noise_rules", n->rules},
      {"common", n->common ? "off" : ""},
      {"correction", n->correction ? "by" : ""},
      {"fcr", n->how.fcr ? "true" : ""},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].value && *texts[i].value)
      command_write_flag(page, out, texts[i].name, str_of(texts[i].value));
  command_write_number(page, out, "alpha", n->how.alpha, 0.05);
  command_write_number(page, out, "noise_cv", n->how.noise_cv, 0.05);
  command_write_number(page, out, "min_samples", n->how.min_samples, 10);
}

/* True if the page divides base and head by different numbers. The command then prints sums,
 * because -divide_by takes only one number. */
static bool command_adds_up(const struct view_page *page) {
  return page_is_diff(page) && page_divisor(page, WEB_BASE) != page_divisor(page, WEB_HEAD);
}

/* Sets the options for -noise. */
static void command_use_verdicts(const struct view_page *page, pprofc_report_options *options) {
  options->hide = page->in->options->hide; /* -noise itself hides frames, and sets the divisor */
  options->normalize = false;
  /* Switch off nodefraction. On the page it hides small totals, but with -noise it would hide small
   * changes. */
  options->nodefraction = 0;
  /* -nodecount would count the lines of groups, which the view has above its table. */
  if (strcmp(command_noise_rows(page), "rows") == 0) options->nodecount = 0;
}

/* Writes the arguments that load the profiles. -noise needs -diff_base in place of -base. */
static void command_write_arguments(const struct view_page *page, struct buffer *out, bool judges) {
  const struct web_info *info = page->in->info;
  for (size_t i = 0; i < info->argument_count; i++) {
    const char *argument = info->arguments[i];
    if (judges && strncmp(argument, "-base=", 6) == 0) {
      command_write_flag(page, out, "diff_base", str_of(argument + 6));
      continue;
    }
    buffer_add_char(out, ' ');
    command_write_word(out, str_of(argument));
  }
}

/* Returns the comment at the end of a command that prints other data than the view, else "". */
static const char *command_comment(const struct view_page *page, bool adds_up) {
  const struct view_totals *t = &page->totals;
  if (adds_up) return page->in->info->by_time ? "  # not per second" : "  # sums over runs";
  if (!page_is_diff(page)) return "";
  if (page->options.mean) return "  # not the change of the mean";
  if (command_has_verdicts(page) && !command_can_judge(page->in->info))
    return "  # without verdicts";
  if (strcmp(page->view->format, "dot") == 0)
    return t->nodes < t->nodes_before + t->dropped_nodes ? "  # chooses other boxes" : "";
  bool groups = strcmp(command_noise_rows(page), "rows") == 0;
  return groups && page->options.nodecount && t->nodes > TOP_ROWS ? "  # all rows" : "";
}

void document_command(struct view_page *page, struct buffer *out) {
  const pprofc_option_info *option;
  pprofc_report_options options = page->options;
  /* Like pprof, the view Peek ignores the option granularity and shows lines. */
  if (strcmp(page->view->format, "peek") == 0) options.granularity = "lines";
  if (command_lists(page)) {
    options.granularity = "functions";
    options.nodecount = LISTED_FUNCTIONS;
    options.nodefraction = 0;
  }
  options.normalize = page->in->scaled;
  bool judges = command_has_verdicts(page) && command_can_judge(page->in->info);
  bool adds_up = !judges && command_adds_up(page);
  if (judges) command_use_verdicts(page, &options);
  if (!judges && !adds_up) options.divide_by *= page_divisor(page, page->in->side);
  buffer_add_text(out, "pprofc");
  command_write_format(page, out);
  if (judges) command_write_noise(page, out);
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    command_write_option(page, &options, out, option);
  command_write_arguments(page, out, judges);
  buffer_add_text(out, command_comment(page, adds_up));
}
