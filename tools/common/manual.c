/* Prints the section "Options" of a manual page, as in docs/man/NAME.1.md. */
#include "common/flags.h"

/* Prints text with asterisks in backquotes, because Markdown interprets others. */
static void print_text(struct output *out, const char *text) {
  for (; *text; text++) {
    if (*text == '*') {
      output_add_text(out, "`*`");
      continue;
    }
    output_add_char(out, *text);
  }
}

static void manual_print_flag(struct output *out, const struct flag *flag) {
  output_printf(out, "- `-%s`", flag->name);
  if (flag_has_value(flag)) output_printf(out, "=*%s*", flag->argument);
  if (flag->kind == FLAG_WORD) output_add_text(out, "[=*word*]");
  output_add_text(out, "\n  ");
  print_text(out, flag->help);
  for (size_t i = 0; flag_has_words(flag) && flag->choices[i]; i++) {
    output_printf(out, "%s`%s`", i ? ", " : " (", flag->choices[i]);
    if (!flag->choices[i + 1]) output_add_char(out, ')');
  }
  if (flag_shows_initial(flag)) output_printf(out, " (default `%s`)", flag->initial);
  output_add_char(out, '\n');
}

static void manual_print_notes(const struct flag_note *notes, const char *title,
                               struct output *out) {
  if (!notes) return;
  output_printf(out, "\n## %s\n\n", title);
  for (; notes->name; notes++) {
    output_printf(out, "- `%s`\n  ", notes->name);
    print_text(out, notes->text);
    output_add_char(out, '\n');
  }
}

static void manual_print_groups(const struct flag_table *table, struct output *out) {
  for (size_t group = 0; group < table->group_count; group++) {
    bool shown = false;
    for (size_t i = 0; i < table->flag_count; i++) {
      const struct flag *flag = &table->flags[i];
      if (flag->group != group || flag->hidden) continue;
      if (!shown) {
        output_printf(out, "\n### %s\n\n", table->groups[group].title);
        if (table->groups[group].note) {
          print_text(out, table->groups[group].note);
          output_add_text(out, "\n\n");
        }
      }
      shown = true;
      manual_print_flag(out, flag);
    }
  }
}

void manual_print_options(const struct flag_table *table, struct output *out) {
  output_add_text(out, "## Options\n");
  manual_print_groups(table, out);
  for (const struct flag_command *c = table->commands; c && c->name; c++) {
    output_printf(out, "\n## Options of %s\n", c->name);
    manual_print_groups(c->table, out);
  }
  manual_print_notes(table->environment, "Environment", out);
  manual_print_notes(table->statuses, "Exit status", out);
}
