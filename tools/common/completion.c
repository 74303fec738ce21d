/* Completion scripts for shells, from a table of flags. */
#include "common/flags.h"

/* A flag whose value is a path says so by the name of its argument. */
static bool is_path(const struct flag *flag) {
  static const char *const names[] = {"FILE", "DIR", "PATH", "SOURCE"};
  for (size_t i = 0; flag->argument && i < sizeof names / sizeof *names; i++)
    if (strcmp(flag->argument, names[i]) == 0) return true;
  return false;
}

/* Prints text inside '...' of a shell; `special` are characters that take a backslash too. */
static void print_quoted(struct output *out, const char *text, const char *quote,
                         const char *special) {
  for (; *text; text++) {
    if (*text == '\'')
      output_add_text(out, quote);
    else {
      if (strchr(special, *text)) output_add_char(out, '\\');
      output_add_char(out, *text);
    }
  }
}

static void print_choices(struct output *out, const struct flag *flag) {
  for (size_t i = 0; flag->choices[i]; i++)
    output_printf(out, "%s%s", i ? " " : "", flag->choices[i]);
}

/* The branch of the case statement that completes the value of a flag. */
static void print_bash_value(struct output *out, const struct flag *flag) {
  if (flag->hidden || !flag_has_value(flag)) return;
  output_printf(out, "  -%s | --%s) ", flag->name, flag->name);
  if (flag->kind == FLAG_CHOICE) {
    output_add_text(out, "COMPREPLY=($(compgen -W '");
    print_choices(out, flag);
    output_add_text(out, "' -- \"$cur\")); ");
  } else if (is_path(flag)) {
    output_add_text(out, "compopt -o filenames 2>/dev/null; ");
    output_add_text(out, "COMPREPLY=($(compgen -f -- \"$cur\")); ");
  }
  output_add_text(out, "return ;;\n");
}

/* Bash hands over "-sort=fl" as the words -sort, = and fl. */
static void print_bash(const struct flag_table *table, struct output *out) {
  output_printf(out,
                "# bash completion for %s; source it, or put it into a folder of bash-completion.\n"
                "_%s() {\n",
                table->program, table->program);
  output_add_text(out, "  local cur=${COMP_WORDS[COMP_CWORD]} flag=\n"
                       "  if [[ $cur == = ]]; then\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
                       "  elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-2]}\n"
                       "  else\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-1]}\n"
                       "  fi\n"
                       "  COMPREPLY=()\n"
                       "  case $flag in\n");
  for (size_t i = 0; i < table->flag_count; i++) print_bash_value(out, &table->flags[i]);
  output_add_text(out, "  esac\n  if [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    if (!flag->hidden) output_printf(out, "-%s%s ", flag->name, flag_has_value(flag) ? "=" : "");
  }
  output_add_text(out, "-help' -- \"$cur\"))\n"
                       "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
                       "  else\n"
                       "    compopt -o filenames 2>/dev/null\n"
                       "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                       "  fi\n"
                       "  return 0\n"
                       "}\n");
  output_printf(out, "complete -F _%s %s\n", table->program, table->program);
}

static void print_zsh(const struct flag_table *table, struct output *out) {
  output_printf(out,
                "#compdef %s\n# zsh completion for %s; put it as _%s into a folder of "
                "$fpath.\n_arguments \\\n",
                table->program, table->program, table->program);
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    if (flag->hidden) continue;
    output_printf(out, "  '-%s%s[", flag->name, flag_has_value(flag) ? "=-" : "");
    print_quoted(out, flag->help, "'\\''", "[]\\:");
    output_add_char(out, ']');
    if (flag_has_value(flag)) {
      output_printf(out, ":%s:", flag->argument);
      if (flag->kind == FLAG_CHOICE) {
        output_add_char(out, '(');
        print_choices(out, flag);
        output_add_char(out, ')');
      } else if (is_path(flag))
        output_add_text(out, "_files");
    }
    output_add_text(out, "' \\\n");
  }
  output_add_text(out, "  '-help[print help]' \\\n  '*:file:_files'\n");
}

static void print_fish(const struct flag_table *table, struct output *out) {
  output_printf(out, "# fish completion for %s; put it into ~/.config/fish/completions.\n",
                table->program);
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    if (flag->hidden) continue;
    output_printf(out, "complete -c %s -o %s", table->program, flag->name);
    if (flag_has_value(flag)) output_add_text(out, is_path(flag) ? " -r -F" : " -x");
    if (flag->kind == FLAG_CHOICE) {
      output_add_text(out, " -a '");
      print_choices(out, flag);
      output_add_char(out, '\'');
    }
    output_add_text(out, " -d '");
    print_quoted(out, flag->help, "\\'", "\\");
    output_add_text(out, "'\n");
  }
  output_printf(out, "complete -c %s -o help -d 'print help'\n", table->program);
}

pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error) {
  static const struct {
    const char *name;
    void (*print)(const struct flag_table *table, struct output *out);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (str_equal(shell, str_of(shells[i].name))) {
      shells[i].print(table, out);
      return PPROFC_OK;
    }
  return error_set(error, PPROFC_E_INVALID,
                   "no completion for shell '%.*s': must be bash, zsh or fish", STR_ARG(shell));
}
