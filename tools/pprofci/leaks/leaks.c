/* Implements `pprofci leaks`: finds memory and goroutines that grow without bound. */
#include "common/save.h"
#include "leaks/command.h"

#include "common/signals.h"

static void leaks_print_ignored(struct output *out) {
  static const char *const lists[LEAK_LISTS] = {"heap", "counts", "skipped at the leaf"};
  const struct leak_name *row;
  for (size_t i = 0; (row = leak_name_at(i)); i++)
    output_printf(out, "%s: %s\n    %s\n", lists[row->list], row->why, row->pattern);
}

static pprofc_status leaks_save_page(const struct leaks_command *command, const struct leaks *leaks,
                                     pprofc_error *error) {
  struct buffer page;
  buffer_init(&page, &mem_default, SIZE_MAX / 2);
  pprofc_status status = leaks_print_page(leaks, (size_t)command->top, &page, error);
  if (status == PPROFC_OK) status = save_text(command->html, buffer_str(&page), error);
  buffer_free(&page);
  return status;
}

static pprofc_status leaks_print(const struct leaks_command *command, const struct leaks *leaks,
                                 struct output *out, pprofc_error *error) {
  if (!command->json)
    leaks_print_text(leaks, (size_t)command->top, out);
  else if (!leaks_print_json(leaks, out))
    return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  if (*command->folded) status = save_printed(command->folded, leaks_print_folded, leaks, error);
  if (status == PPROFC_OK && *command->html) status = leaks_save_page(command, leaks, error);
  return status;
}

static struct leak_options leaks_settings(const struct leaks_command *command) {
  struct leak_options options;
  leak_options_init(&options);
  options.alpha = command->alpha;
  options.heap_floor = command->floor_kb * 1024;
  options.count_floor = command->floor_count;
  options.kept = command->kept / 100;
  options.warmup = (int)command->warmup;
  options.ignore = command->ignore;
  options.ignore_count = command->ignore_count;
  return options;
}

static pprofc_status leaks_run(void *options, const struct command_line *line, int *code,
                               pprofc_error *error) {
  const struct leaks_command *command = options;
  struct leaks_inputs inputs;
  struct leaks leaks;
  const struct leak_options settings = leaks_settings(command);
  if (command->list_ignored) {
    leaks_print_ignored(line->out);
    return PPROFC_OK;
  }
  *code = EXIT_FAILED;
  signals_watch("pprofci", EXIT_FAILED);
  pprofc_status status = leaks_load(&inputs, line->words, line->count, error);
  if (status == PPROFC_OK) {
    status = leaks_judge(&leaks, &mem_default, &settings, inputs.items, inputs.count, error);
    if (status == PPROFC_OK) status = leaks_print(command, &leaks, line->out, error);
    if (status == PPROFC_OK && leaks.leaks)
      *code = EXIT_REGRESSED;
    else if (status == PPROFC_OK && leaks.judged)
      *code = EXIT_PASSED;
    leaks_free(&leaks);
  }
  leaks_inputs_free(&inputs);
  return status;
}

static struct leaks_command given;
static const struct command_brief brief = {offsetof(struct leaks_command, brief_bytes),
                                           offsetof(struct leaks_command, json)};
const struct ci_command leaks_command = {&leaks_table, &given,    sizeof given, COMMAND_WORDS,
                                         leaks_check,  leaks_run, &brief};
