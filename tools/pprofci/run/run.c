/* Implements `pprofci run`: runs its steps in order, and prints the result. */
#include "run/run.h"

#include "page/page.h"
#include "run/code.h"
#include "run/files.h"

const char *const side_names[SIDES] = {"base", "head"};
volatile sig_atomic_t run_stopped;

struct run_pair *run_add_pair(struct ci_run *run, const char *base, const char *head) {
  const char *const paths[SIDES] = {base, head};
  (void)ARRAY_PUSH_IN(&run->arena, run->pairs, run->pair_count, run->pair_capacity,
                      (struct run_pair){.note = ""});
  struct run_pair *pair = &run->pairs[run->pair_count - 1];
  for (int side = 0; side < SIDES; side++) {
    if (!paths[side]) continue;
    pair->runs[side] = arena_array(&run->arena, 1, sizeof *pair->runs[side]);
    pair->runs[side][pair->run_count[side]++] = paths[side];
  }
  return pair;
}

bool run_is_counted(const struct run_pair *pair) {
  return pair->kind && strcmp(pair->kind, "instructions") == 0;
}

size_t run_drawn(const struct run_pair *pair, int side) {
  return run_is_counted(pair) && pair->run_count[side] ? 1 : pair->run_count[side];
}

void run_show_comparison(struct run_pair *pair) {
  if (!pair->comparison_count) return;
  const struct pair_verdicts *shown = &pair->comparisons[0];
  pair->unit = shown->unit;
  pair->change_count = shown->because_count;
  memcpy(pair->changes, shown->because, sizeof pair->changes);
}

void run_progress(size_t done, size_t of, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  message_note("[%zu/%zu] %s", done, of, text);
}

void run_check_stopped(void) {
  if (run_stopped) ci_fail("interrupted");
}

const char *run_take_name(struct ci_run *run, const char *name) {
  const char *taken = name;
  for (size_t n = 2; interner_find(&run->names, str_of(taken)) != MAP_NONE; n++)
    taken = text_printf(&run->arena, "%s_%zu", name, n);
  uint32_t id = interner_copy(&run->names, &run->arena, str_of(taken));
  return run->names.items[id].data;
}

#define NAME_MOST 120 /* maximum size in bytes of the name of an artifact */

const char *run_take_name_of(struct ci_run *run, pprofc_str text) {
  return run_take_name(run, text_word(&run->arena, str_slice(text, 0, NAME_MOST), ".=-"));
}

const char *run_stem(struct ci_run *run, const char *path) {
  static const char *const endings[] = {".gz", ".pb", ".prof"};
  struct buffer text = ci_buffer();
  pprofc_str name = str_path_base(str_of(path));
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (str_ends(name, str_of(endings[i]))) name.size -= strlen(endings[i]);
  text_plain(&text, name);
  return buffer_take(&text, &run->arena).data;
}

static void run_stop(int number) {
  (void)number;
  run_stopped = 1;
}

void run_watch_signals(void) {
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = run_stop}, before;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(endings[i], &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

void run_begin(struct ci_run *run, const struct run_options *options) {
  *run = (struct ci_run){.options = options,
                         .mem = &ci_mem,
                         .arena = ci_arena(),
                         .has_base = options->has_base,
                         .bench = {options->bench_base, options->bench_head},
                         .verdict = RUN_NOT_COMPARED,
                         .doubt = "",
                         .totals = "",
                         .base_commit = "",
                         .base_why = "",
                         .head_commit = "",
                         .instructions = "",
                         .gate_text = ci_buffer(),
                         .unread = ci_buffer(),
                         .loads = ci_buffer(),
                         .plots = {ci_buffer(), ci_buffer()}};
  memory_set_cleanup(stage_clean, run);
  interner_init(&run->names, run->mem);
  interner_init(&run->screened, run->mem);
  gate_init(&run->gate, run->mem);
}

void run_end(struct ci_run *run) {
  memory_set_cleanup(NULL, NULL);
  code_close(run);
  stage_clean(run);
  for (int i = 0; i < SIDES; i++) buffer_free(&run->plots[i]);
  buffer_free(&run->gate_text);
  buffer_free(&run->unread);
  buffer_free(&run->loads);
  gate_free(&run->gate);
  interner_free(&run->names);
  interner_free(&run->screened);
  arena_free(&run->arena);
}

static void run_steps(struct ci_run *run) {
  static void (*const steps[])(struct ci_run *) = {
      name_commits,     failing_prepare, outside_read, record_benchmarks, simulate_sides,
      count_benchmarks, time_benchmarks, pair_inputs,  code_open,         stage_open,
      draw_pairs,       judge_results,   write_pages,  stage_commit,      write_service_files};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    run_check_stopped();
    steps[i](run);
  }
}

static void run_print_result(const struct ci_run *run, struct output *out) {
  output_printf(out, "%zu pair%s of profiles, start with %s/index.html\n", run->pair_count,
                run->pair_count == 1 ? "" : "s", run->out);
  pprofc_str rest = buffer_str(&run->gate_text), line;
  while (rest.data && str_next_line(&rest, &line)) {
    output_row(out, 0, 0, 0);
    output_add_str(out, line);
    output_add_char(out, '\n');
  }
  output_no_row(out);
  if (*run->instructions) output_printf(out, "%s\n", run->instructions);
  output_printf(out, "%s\n", run_verdicts[run->verdict]);
}

int run_finish(struct ci_run *run, const struct command_line *line) {
  print_annotations(run);
  run_print_result(run, line->out);
  return run->status == EXIT_REGRESSED && run->options->no_fail ? EXIT_PASSED : run->status;
}

static int run_run(void *options, const struct command_line *line) {
  struct ci_run run;
  run_watch_signals();
  run_begin(&run, options);
  run_steps(&run);
  int code = run_finish(&run, line);
  run_end(&run);
  return code;
}

COMMAND(run, struct run_options, COMMAND_WORDS, run_check, run_run, true);
