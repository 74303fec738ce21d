/* Prints the help from a table of flags, in wrapped lines. Prints the section "Options" of a manual
 * page from the same table as Markdown, as in docs/man/NAME.1.md. */
#include "common/flags.h"

#define INDENT 2
#define COLUMN 24 /* column at which the explanations start */

static void fill_new_line(struct filler *filler) {
  output_add_char(filler->out, '\n');
  output_add_fill(filler->out, ' ', filler->indent);
  filler->at = filler->indent;
}

static void fill_words(struct filler *filler, pprofc_str line) {
  pprofc_str word;
  while (str_next(&line, ' ', &word)) {
    if (!word.size) continue;
    size_t cells = utf8_length(word);
    bool first = filler->at == filler->indent;
    if (!first && filler->at + 1 + cells > filler->width) {
      fill_new_line(filler);
      first = true;
    }
    if (!first) output_add_char(filler->out, ' ');
    output_add_str(filler->out, word);
    filler->at += cells + !first;
  }
}

void fill(struct filler *filler, const char *text) {
  pprofc_str rest = str_of(text), line;
  for (bool first = true; str_next(&rest, '\n', &line); first = false) {
    if (!first) fill_new_line(filler);
    fill_words(filler, line);
  }
}

size_t fill_width(size_t width) {
  if (width < FILL_MIN) return FILL_MIN;
  return width > FILL_MAX ? FILL_MAX : width;
}

/* Prints a name in the left column and begins its explanation in the right column. */
static void begin_entry(struct filler *filler, const char *name) {
  size_t used = INDENT + utf8_length(str_of(name));
  output_add_fill(filler->out, ' ', INDENT);
  output_add_text(filler->out, name);
  if (used + 2 > COLUMN)
    fill_new_line(filler);
  else
    output_add_fill(filler->out, ' ', COLUMN - used);
  filler->at = COLUMN;
}

static void entry(struct output *out, size_t width, const char *name, const char *text) {
  struct filler filler = {.out = out, .width = width, .indent = COLUMN};
  begin_entry(&filler, name);
  fill(&filler, text);
  output_add_char(out, '\n');
}

static void paragraph(struct output *out, size_t width, const char *text) {
  struct filler filler = {.out = out, .width = width};
  fill(&filler, text);
  output_add_char(out, '\n');
}

/* True if a word of the text, without punctuation around it, equals `word`. */
static bool help_has_word(const char *text, const char *word) {
  for (const char *at = text; (at = strstr(at, word)); at++)
    if ((at == text || strchr(" \n(", at[-1])) && strchr(" \n,;:.)", at[strlen(word)])) return true;
  return false;
}

/* True if the help text of a flag lacks some of its values. The help then lists the values after
 * the text. */
static bool help_lists_words(const struct flag *flag) {
  for (size_t i = 0; flag_has_words(flag) && flag->choices[i]; i++)
    if (!help_has_word(flag->help, flag->choices[i])) return true;
  return false;
}

static void help_print_flag(struct output *out, size_t width, const struct flag *flag) {
  char name[128];
  if (flag->kind == FLAG_WORD)
    snprintf(name, sizeof name, "-%s[=WORD]", flag->name);
  else if (flag_has_value(flag))
    snprintf(name, sizeof name, "-%s=%s", flag->name, flag->argument);
  else
    snprintf(name, sizeof name, "-%s", flag->name);
  struct filler filler = {.out = out, .width = width, .indent = COLUMN};
  begin_entry(&filler, name);
  fill(&filler, flag->help);
  for (size_t i = 0; help_lists_words(flag) && flag->choices[i]; i++) {
    const char *open = i == 0 ? "(" : "";
    const char *close = flag->choices[i + 1] ? "," : ")";
    char word[64];
    snprintf(word, sizeof word, "%s%s%s", open, flag->choices[i], close);
    fill(&filler, word);
  }
  if (flag_shows_initial(flag)) {
    char word[128];
    snprintf(word, sizeof word, "(default %s)", flag->initial);
    fill(&filler, word);
  }
  output_add_char(out, '\n');
}

/* Prints text with each asterisk in backquotes, because Markdown would interpret a plain asterisk.
 * Each line after the first becomes an item of a list. */
static void print_text(struct output *out, const char *text) {
  for (; *text; text++) {
    if (*text == '*')
      output_add_text(out, "`*`");
    else if (*text == '\n')
      output_add_text(out, "\n  - ");
    else
      output_add_char(out, *text);
  }
}

static void manual_print_flag(struct output *out, const struct flag *flag) {
  output_printf(out, "- `-%s`", flag->name);
  if (flag_has_value(flag)) output_printf(out, "=*%s*", flag->argument);
  if (flag->kind == FLAG_WORD) output_add_text(out, "[=*word*]");
  output_add_text(out, "\n  ");
  print_text(out, flag->help);
  for (size_t i = 0; help_lists_words(flag) && flag->choices[i]; i++) {
    output_printf(out, "%s`%s`", i ? ", " : " (", flag->choices[i]);
    if (!flag->choices[i + 1]) output_add_char(out, ')');
  }
  if (flag_shows_initial(flag)) output_printf(out, " (default `%s`)", flag->initial);
  output_add_char(out, '\n');
}

/* Prints the note below the title of a group. A width of 0 columns means Markdown. */
static void print_note(struct output *out, size_t width, const char *note) {
  struct filler filler = {.out = out, .width = width, .indent = INDENT, .at = INDENT};
  if (!note) return;
  if (width) {
    output_add_fill(out, ' ', INDENT);
    fill(&filler, note);
  } else {
    print_text(out, note);
    output_add_char(out, '\n');
  }
  output_add_char(out, '\n');
}

static void print_group(const struct flag_table *table, struct output *out, size_t width,
                        size_t group) {
  bool shown = false;
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    if (flag->group != group || flag->hidden) continue;
    if (!shown) {
      output_printf(out, width ? "\n%s:\n" : "\n### %s\n\n", table->groups[group].title);
      print_note(out, width, table->groups[group].note);
    }
    shown = true;
    if (width)
      help_print_flag(out, width, flag);
    else
      manual_print_flag(out, flag);
  }
}

static void print_groups(const struct flag_table *table, struct output *out, size_t width) {
  for (size_t group = 0; group < table->group_count; group++) print_group(table, out, width, group);
}

static void print_notes(const struct flag_note *notes, const char *title, struct output *out,
                        size_t width) {
  if (!notes) return;
  output_printf(out, width ? "\n%s:\n" : "\n## %s\n\n", title);
  for (; notes->name; notes++) {
    if (width) {
      entry(out, width, notes->name, notes->text);
      continue;
    }
    output_printf(out, "- `%s`\n  ", notes->name);
    print_text(out, notes->text);
    output_add_char(out, '\n');
  }
}

static void print_environment(const struct flag_table *table, struct output *out, size_t width) {
  print_notes(table->environment, "Environment", out, width);
  print_notes(table->statuses, "Exit status", out, width);
}

/* Prints each example on a line of its own, so that users can copy it. */
static void print_examples(const struct flag_table *table, struct output *out) {
  if (!table->examples) return;
  output_add_text(out, "\nExamples:\n");
  for (const struct flag_note *note = table->examples; note->name; note++) {
    output_add_text(out, "  ");
    output_add_text(out, note->name);
    output_add_text(out, "\n      ");
    output_add_text(out, note->text);
    output_add_char(out, '\n');
  }
}

void help_print(const struct flag_table *table, struct output *out, size_t width) {
  width = fill_width(width);
  output_printf(out, "%s: %s\n\nUsage:\n", table->program, table->summary);
  for (size_t i = 0; table->usage[i]; i++)
    output_printf(out, "  %s %s\n", table->program, table->usage[i]);
  for (size_t i = 0; table->details && table->details[i]; i++) {
    output_add_char(out, '\n');
    paragraph(out, width, table->details[i]);
  }
  for (const struct flag_command *c = table->commands; c && c->name; c++) {
    if (c == table->commands) output_add_text(out, "\nCommands:\n");
    entry(out, width, c->name, c->table->summary);
  }
  print_groups(table, out, width);
  print_examples(table, out);
  print_environment(table, out, width);
}

void manual_print_options(const struct flag_table *table, struct output *out) {
  output_add_text(out, "## Options\n");
  print_groups(table, out, 0);
  for (const struct flag_command *c = table->commands; c && c->name; c++) {
    output_printf(out, "\n## Options of %s\n", c->name);
    print_groups(c->table, out, 0);
  }
  print_environment(table, out, 0);
}
