/* Prints completion scripts for shells, from a table of flags. */
#include "common/flags.h"

/* True if the value of a flag is a path. The help then calls it FILE, DIR, PATH or SOURCE. */
static bool is_path(const struct flag *flag) {
  return flag->argument &&
         STR_ANY(str_equal, str_of(flag->argument), "FILE", "DIR", "PATH", "SOURCE");
}

static const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

static const char *const *words_of(const struct flag *flag) {
  if (flag->argument && strcmp(flag->argument, "SHELL") == 0) return completion_shells;
  return flag->choices;
}

/* Prints text inside a quoted shell string, with a backslash before each char of `special`. */
static void print_quoted(struct output *out, const char *text, const char *quote,
                         const char *special) {
  for (; *text && *text != '\n'; text++) {
    if (*text == '\'')
      output_add_text(out, quote);
    else {
      if (strchr(special, *text)) output_add_char(out, '\\');
      output_add_char(out, *text);
    }
  }
}

/* Returns the flag that makes the program print the possible values of `flag`, or NULL. */
static const char *value_flag_of(const struct flag_table *table, const struct flag *flag) {
  for (const struct flag_note *note = table->value_flags; note && note->name; note++)
    if (strcmp(note->name, flag->name) == 0) return note->text;
  return NULL;
}

static void print_words(struct output *out, const struct flag *flag) {
  const char *const *words = words_of(flag);
  for (size_t i = 0; words[i]; i++) output_printf(out, "%s%s", i ? " " : "", words[i]);
}

/* True for incomplete values such as "json=", which get no blank after them. */
static bool words_go_on(const struct flag *flag) {
  const char *const *words = words_of(flag);
  return words && words[0] && str_ends(str_of(words[0]), STR("="));
}

/* Prints the branch of a bash case statement that completes the value of a flag. If the flag
 * accepts a value only after '=', the branch does not complete the next word. */
static void print_bash_value(struct output *out, const struct flag_table *table,
                             const struct flag *flag) {
  bool needs_equals = flag->kind == FLAG_WORD;
  if (flag->hidden || (!flag_has_value(flag) && !needs_equals)) return;
  output_printf(out, "  -%s | --%s) ", flag->name, flag->name);
  if (needs_equals) output_add_text(out, "if [[ $behind ]]; then ");
  if (value_flag_of(table, flag)) {
    output_printf(out, "COMPREPLY=($(compgen -W \"$(_%s_ask -%s)\" -- \"$cur\")); ", table->program,
                  value_flag_of(table, flag));
  } else if (words_of(flag)) {
    output_add_text(out, "COMPREPLY=($(compgen -W '");
    print_words(out, flag);
    output_add_text(out, "' -- \"$cur\")); ");
    if (words_go_on(flag)) output_add_text(out, "compopt -o nospace 2>/dev/null; ");
  } else if (is_path(flag)) {
    output_add_text(out, "compopt -o filenames 2>/dev/null; ");
    output_add_text(out, "COMPREPLY=($(compgen -f -- \"$cur\")); ");
  }
  output_add_text(out, needs_equals ? "return; fi ;;\n" : "return ;;\n");
}

/* Returns the name of the shell function: pprofci_run for "pprofci run". */
static const char *function_name(const struct flag_table *table, char out[64]) {
  size_t i = 0;
  for (; table->program[i] && i < 63; i++)
    out[i] = table->program[i] == ' ' ? '_' : table->program[i];
  out[i] = '\0';
  return out;
}

/* Prints the bash code that offers flags or commands. It runs if the previous word is not a flag
 * that needs a value. */
static void print_bash_words(struct output *out, const struct flag_table *table) {
  output_add_text(out, "  esac\n  if [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    if (flag->hidden) continue;
    output_printf(out, "-%s%s ", flag->name, flag_has_value(flag) ? "=" : "");
    if (flag->kind == FLAG_WORD) output_printf(out, "-%s= ", flag->name);
  }
  output_add_text(out, "-help' -- \"$cur\"))\n"
                       "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
                       "  else\n");
  if (table->commands) {
    output_add_text(out, "    COMPREPLY=($(compgen -W '");
    for (const struct flag_command *c = table->commands; c->name; c++)
      output_printf(out, "%s ", c->name);
    output_add_text(out, "' -- \"$cur\"))\n");
  } else {
    output_add_text(out, "    compopt -o filenames 2>/dev/null\n"
                         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n");
  }
  output_add_text(out, "  fi\n"
                       "  return 0\n"
                       "}\n");
}

/* Prints the completion function for bash. Bash splits "-sort=fl" into -sort, = and fl, so the
 * function handles these three words. */
static void print_bash_function(const struct flag_table *table, struct output *out) {
  char name[64];
  output_printf(
      out,
      "_%s_ask() {\n"
      "  local word files=()\n"
      "  for word in \"${COMP_WORDS[@]:1}\"; do [[ -f $word ]] && files+=(\"$word\"); done\n"
      "  \"${COMP_WORDS[0]}\" \"$1\" \"${files[@]}\" 2>/dev/null\n"
      "}\n"
      "_%s() {\n",
      function_name(table, name), function_name(table, name));
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    output_printf(out,
                  "  if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == %s ]]; then _%s_%s; return; "
                  "fi\n",
                  c->name, table->program, c->name);
  output_add_text(out, "  local cur=${COMP_WORDS[COMP_CWORD]} flag= behind=\n"
                       "  if [[ $cur == = ]]; then\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-1]} cur= behind=1\n"
                       "  elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-2]} behind=1\n"
                       "  else\n"
                       "    flag=${COMP_WORDS[COMP_CWORD-1]}\n"
                       "  fi\n"
                       "  COMPREPLY=()\n"
                       "  case $flag in\n");
  for (size_t i = 0; i < table->flag_count; i++) print_bash_value(out, table, &table->flags[i]);
  print_bash_words(out, table);
}

static void print_bash(const struct flag_table *table, struct output *out) {
  output_printf(out,
                "# bash completion for %s; source it, or put it into a folder of "
                "bash-completion.\n",
                table->program);
  print_bash_function(table, out);
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    print_bash_function(c->table, out);
  output_printf(out, "complete -F _%s %s\n", table->program, table->program);
}

/* Prints a flag in the format of zsh's _arguments: '-sort=-[help]:WAY:(cum flat)'. "::" instead of
 * ":" marks an optional value. */
static void print_zsh_flag(const struct flag_table *table, struct output *out,
                           const struct flag *flag) {
  char name[64];
  bool may_have = flag->kind == FLAG_WORD, has = flag_has_value(flag) || may_have;
  output_printf(out, "    '-%s%s[", flag->name, has ? "=-" : "");
  print_quoted(out, flag->help, "'\\''", "[]\\:");
  output_add_char(out, ']');
  if (has) {
    const char *what = flag->argument ? flag->argument : flag->name;
    output_printf(out, "%s%s:", may_have ? "::" : ":", what);
    if (value_flag_of(table, flag)) {
      output_printf(out, "{_%s_ask -%s}", function_name(table, name), value_flag_of(table, flag));
    } else if (words_of(flag)) {
      output_add_text(out, words_go_on(flag) ? "{compadd -S \"\" - " : "(");
      print_words(out, flag);
      output_add_char(out, words_go_on(flag) ? '}' : ')');
    } else if (is_path(flag)) {
      output_add_text(out, "_files");
    }
  }
  output_add_text(out, "' \\\n");
}

/* Prints the function that completes the arguments of the program or of a command. */
static void print_zsh_function(const struct flag_table *table, struct output *out) {
  char name[64];
  function_name(table, name);
  output_printf(out, "_%s() {\n", name);
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    output_printf(out,
                  "  if (( CURRENT > 2 )) && [[ $words[2] == %s ]]; then shift words; "
                  "(( CURRENT-- )); _%s_%s; return; fi\n",
                  c->name, name, c->name);
  output_add_text(out, "  _arguments \\\n");
  for (size_t i = 0; i < table->flag_count; i++)
    if (!table->flags[i].hidden) print_zsh_flag(table, out, &table->flags[i]);
  output_add_text(out, "    '-help[print help]' \\\n    '");
  if (!table->commands) output_add_text(out, "*:file:_files");
  if (table->commands) output_add_text(out, "1:command:(");
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    output_printf(out, "%s ", c->name);
  if (table->commands) output_add_char(out, ')');
  output_add_text(out, "'\n}\n");
}

/* Prints a zsh script. It works as a file in $fpath, and also if the user sources it. */
static void print_zsh(const struct flag_table *table, struct output *out) {
  const char *program = table->program;
  output_printf(
      out,
      "#compdef %s\n# zsh completion for %s: source <(%s -completion=zsh), or put it as "
      "_%s into a folder of $fpath.\n"
      "_%s_ask() {\n"
      "  local word\n"
      "  local -a files offered\n"
      "  for word in ${(Q)words[2,-1]}; do [[ -f ${word#*=} ]] && files+=(${word#*=}); done\n"
      "  offered=(${(f)\"$($words[1] $1 $files 2>/dev/null)\"})\n"
      "  compadd -- $offered\n"
      "}\n",
      program, program, program, program, program);
  print_zsh_function(table, out);
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    print_zsh_function(c->table, out);
  output_printf(out,
                "if [[ $funcstack[1] == _%s ]]; then\n"
                "  _%s \"$@\"\n"
                "else\n"
                "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
                "  compdef _%s %s\n"
                "fi\n",
                program, program, program, program);
}

/* Prints the start of a `complete` line for the program or for one of its commands. */
static void fish_begin(const struct flag_table *table, const char *command, struct output *out) {
  output_printf(out, "complete -c %s", table->program);
  if (command)
    output_printf(out, " -n '__fish_seen_subcommand_from %s'", command);
  else if (table->commands)
    output_add_text(out, " -n __fish_use_subcommand");
}

static void print_fish_flag(const struct flag_table *table, const char *command, struct output *out,
                            const struct flag *flag) {
  fish_begin(table, command, out);
  output_printf(out, " -o %s", flag->name);
  if (flag_has_value(flag)) output_add_text(out, is_path(flag) ? " -r -F" : " -x");
  if (value_flag_of(table, flag)) {
    output_printf(out, " -a '(__%s_ask -%s)'", table->program, value_flag_of(table, flag));
  } else if (words_of(flag)) {
    output_add_text(out, flag_has_value(flag) ? " -a '" : " -f -a '");
    print_words(out, flag);
    output_add_char(out, '\'');
  }
  output_add_text(out, " -d '");
  print_quoted(out, flag->help, "\\'", "\\");
  output_add_text(out, "'\n");
}

static void print_fish(const struct flag_table *table, struct output *out) {
  const char *program = table->program;
  output_printf(out,
                "# fish completion for %s; put it into ~/.config/fish/completions.\n"
                "function __%s_ask\n"
                "    set -l files\n"
                "    set -l words (commandline -o)\n"
                "    for word in $words[2..-1]\n"
                "        set -l file (string replace -r '^-[^=]*=' '' -- $word)\n"
                "        test -f \"$file\"; and set files $files $file\n"
                "    end\n"
                "    $words[1] $argv $files 2>/dev/null\n"
                "end\n",
                program, program);
  for (size_t i = 0; i < table->flag_count; i++)
    if (!table->flags[i].hidden) print_fish_flag(table, NULL, out, &table->flags[i]);
  for (const struct flag_command *c = table->commands; c && c->name; c++) {
    fish_begin(table, NULL, out);
    output_printf(out, " -f -a %s -d '", c->name);
    print_quoted(out, c->table->summary, "\\'", "\\");
    output_add_text(out, "'\n");
    for (size_t i = 0; i < c->table->flag_count; i++)
      if (!c->table->flags[i].hidden) print_fish_flag(table, c->name, out, &c->table->flags[i]);
  }
  output_printf(out, "complete -c %s -o help -d 'print help'\n", program);
}

pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error) {
  static void (*const prints[])(const struct flag_table *table,
                                struct output *out) = {print_bash, print_zsh, print_fish};
  int index = str_index(shell, completion_shells);
  if (index < 0)
    return error_set(error, PPROFC_E_INVALID,
                     "no completion for shell '%.*s': must be bash, zsh or fish", STR_ARG(shell));
  prints[index](table, out);
  return PPROFC_OK;
}
