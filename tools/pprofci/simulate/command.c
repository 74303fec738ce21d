/* Runs a command under callgrind, with the environment variables that benchmark plugins expect. */
#include "common/terminal.h"
#include "core/array.h"
#include "core/system.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <sys/utsname.h>

/* Environment variables with which benchmark plugins count instructions. Fixed seeds and plain
 * malloc make Python runs repeatable. Python writes no byte code, so that the first run does the
 * same work as later runs. Messages of failed commands need no colors. */
static const char *const environment[] = {
    "CODSPEED_ENV=runner", "CODSPEED_RUNNER_MODE=instrumentation",
    "PYTHONHASHSEED=0",    "PYTHON_PERF_JIT_SUPPORT=0",
    "PYTHONMALLOC=malloc", "PYTHONDONTWRITEBYTECODE=1",
    "NO_COLOR=1"};

/* Additional callgrind options: one file per benchmark, exact stacks of up to 60 frames, and
 * tracing of child processes. */
static const char *const count_options[] = {"--combine-dumps=no", "--separate-callers=60",
                                            "--trace-children=yes",
                                            "--trace-children-skip=*esbuild"};

#define ENVIRONMENT_WORDS (sizeof environment / sizeof *environment)
#define OPTION_WORDS      (sizeof count_options / sizeof *count_options)

/* ---- the command line -------------------------------- */

struct count_words {
  struct counting *c;
  const char **items;
  size_t count, capacity;
  bool failed;
};

static void count_add(struct count_words *w, const char *word) {
  w->failed |= !word || !ARRAY_RESERVE_IN(&w->c->run->arena, w->items, w->capacity, w->count + 1);
  if (!w->failed) w->items[w->count++] = word;
}

static void count_add_all(struct count_words *w, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++) count_add(w, words[i]);
}

static void count_add_list(struct count_words *w, const char *const *words) {
  while (*words) count_add(w, *words++);
}

/* Adds the options that start counting only inside the benchmarks. */
static void count_add_start(struct count_words *w) {
  const char *function = w->c->run->options->simulate_toggle;
  if (*function)
    count_add(w, text_printf(&w->c->run->arena, "--toggle-collect=%s", function));
  else
    count_add(w, "--instr-atstart=no");
}

/* Gives each run of pytest an empty cache. A second run in the same checkout would otherwise find
 * files of the first run, and count other instructions. */
static void count_add_pytest(struct count_words *w, const struct count_run *run) {
  const char *options = getenv("PYTEST_ADDOPTS");
  count_add(w, text_printf(&w->c->run->arena, "PYTEST_ADDOPTS=%s -o 'cache_dir=%s/pytest'",
                           options ? options : "", run->place));
}

static bool starts_python(const char *const *words) {
  for (; *words; words++) {
    pprofc_str program = str_path_base(str_of(*words));
    if (str_starts(program, STR("python")) || str_equal(program, STR("pytest"))) return true;
  }
  return false;
}

/* Lets malloc of glibc keep all small blocks that Python frees, in a list for each size. Otherwise
 * the cost of a later malloc depends on the order of these blocks, so a change of one benchmark
 * would change the counts of the next one. */
static void count_add_malloc(struct count_words *w, const char *const *words) {
  const char *set = getenv("GLIBC_TUNABLES"), *option = "glibc.malloc.tcache_count=65535";
  if (!starts_python(words)) return;
  if (set && *set) option = text_printf(&w->c->run->arena, "%s:%s", set, option);
  count_add(w, option ? text_printf(&w->c->run->arena, "GLIBC_TUNABLES=%s", option) : NULL);
}

/* JavaScript that Node runs first. It stops V8 from compiling functions in batches. Otherwise a
 * change of one benchmark would change when V8 compiles the functions of the next one. valgrind
 * slows down vitest, whose timeouts of one minute and more are fixed, so the script lengthens these
 * timeouts. It does not change the timers of vitest's worker process, which it recognizes by
 * process.send. */
static const char node_preload[] =
    "require('v8').setFlagsFromString('--no-baseline-batch-compilation');\n"
    "if (!process.send && /vitest/.test(process.argv[1])) {\n"
    "  const wait = globalThis.setTimeout;\n"
    "  const longer = (ms) => (ms >= 60000 ? Math.min(10 * ms, 2147483647) : ms);\n"
    "  globalThis.setTimeout = (call, ms, ...rest) => wait(call, longer(ms), ...rest);\n"
    "  Object.defineProperties(globalThis.setTimeout, Object.getOwnPropertyDescriptors(wait));\n"
    "}\n";

/* Adds NODE_OPTIONS, because any command may start Node. */
static pprofc_status count_add_node(struct count_words *w, const struct count_run *run,
                                    pprofc_error *error) {
  struct arena *arena = &w->c->run->arena;
  const char *set = getenv("NODE_OPTIONS");
  const char *path = text_printf(arena, "%s/preload.cjs", run->place);
  if (!path) return error_nomem(error);
  count_add(w, text_printf(arena, "NODE_OPTIONS=%s --require=\"%s\"", set ? set : "", path));
  return save_text(path, str_of(node_preload), error);
}

static pprofc_status command_line(struct count_words *w, const struct count_run *run,
                                  const char *const *variables, const char *const *words,
                                  pprofc_error *error) {
  struct arena *arena = &w->c->run->arena;
  struct utsname machine;
  count_add(w, "env");
  count_add_all(w, environment, ENVIRONMENT_WORDS);
  if (uname(&machine) == 0) count_add(w, text_printf(arena, "ARCH=%s", machine.machine));
  count_add(w, text_printf(arena, "CODSPEED_PROFILE_FOLDER=%s", run->place));
  count_add_pytest(w, run);
  count_add_malloc(w, words);
  pprofc_status status = count_add_node(w, run, error);
  count_add_list(w, variables);
  count_add_all(w, callgrind_words, CALLGRIND_WORDS);
  count_add_all(w, count_options, OPTION_WORDS);
  count_add_start(w);
  count_add(w, text_printf(arena, "--callgrind-out-file=%s/%%p.out", run->place));
  count_add(w, text_printf(arena, "--log-file=%s/%%p.log", run->place));
  count_add(w, "--");
  count_add_list(w, words);
  w->failed |= !ARRAY_RESERVE_IN(arena, w->items, w->capacity, w->count + 1);
  if (!w->failed) w->items[w->count] = NULL;
  return w->failed ? error_nomem(error) : status;
}

/* ---- why a run failed -------------------------------- */

/* Returns the last line of valgrind's log that is not a warning about this machine's caches. */
static pprofc_str log_complaint(struct ci_run *run, const char *path) {
  struct buffer text;
  pprofc_str line, found = {NULL, 0};
  buffer_init(&text, run->mem, (size_t)16 << 20);
  if (file_read(path, &text, NULL) == PPROFC_OK) {
    pprofc_str rest = buffer_str(&text);
    while (rest.data && str_next_line(&rest, &line))
      if (line.size && str_find(line, STR("warning:")) == line.size) found = line;
    found = arena_str(&run->arena, found);
  }
  buffer_free(&text);
  return found;
}

static pprofc_str valgrind_complaint(struct ci_run *run, const char *place) {
  pprofc_str found = {NULL, 0};
  const char **names;
  size_t count;
  if (files_list(run, place, alphasort, &names, &count, NULL) != PPROFC_OK) return found;
  for (size_t i = 0; i < count; i++) {
    if (fnmatch("*.log", names[i], 0) != 0) continue;
    const char *path = text_printf(&run->arena, "%s/%s", place, names[i]);
    pprofc_str line = path ? log_complaint(run, path) : found;
    if (line.size) found = line;
  }
  return found;
}

#define SAID_MAX 2000 /* maximum bytes of a failed program's output in a message */

/* Returns the end of a text, at most SAID_MAX bytes. Starts at the beginning of a line. */
static pprofc_str last_lines(const struct buffer *output) {
  pprofc_str text = buffer_str(output);
  size_t from = text.size > SAID_MAX ? text.size - SAID_MAX : 0;
  pprofc_str end = str_trim(str_slice(text, from, text.size));
  if (from) end = str_slice(end, str_find_char(end, '\n'), end.size);
  return str_trim(end);
}

pprofc_str count_output(struct ci_run *run, const struct program *program) {
  const char *both = text_printf(&run->arena, "%.*s\n%.*s", STR_ARG(last_lines(&program->printed)),
                                 STR_ARG(last_lines(&program->said)));
  return both ? str_trim(str_of(both)) : (pprofc_str){NULL, 0};
}

#define VITEST_TIMEOUT "Timeout waiting for worker"

/* Advice for commands that marked no benchmark. The first line whose word is in the command, or
 * whose message is in the output, applies. */
static const struct {
  const char *word, *message, *advice;
} advice[] = {
    {NULL, VITEST_TIMEOUT,
     "vitest gave up because this machine is too slow or has too much other work; wait for the "
     "other work, and start vitest without npx: node_modules/.bin/vitest bench --run"},
    {"vitest", NULL, "add @codspeed/vitest-plugin to the plugins of vitest.config.mjs"},
    {"pytest", NULL, "install pytest-codspeed, and add --codspeed to the command"},
    {"cargo", NULL,
     "depend on codspeed-criterion-compat, codspeed-divan-compat or codspeed-bencher-compat, and "
     "use 'cargo codspeed build' as -setup"},
    {"node", NULL, "call withCodSpeed of @codspeed/tinybench-plugin"},
    {"", NULL, "share/doc/pprofc/CI_COUNT.md names the plugins"}};

const char *count_advice(const char *command, pprofc_str printed) {
  size_t i = 0;
  while (advice[i].message ? str_find(printed, str_of(advice[i].message)) == printed.size
                           : !strstr(command, advice[i].word))
    i++;
  return advice[i].advice;
}

static pprofc_status count_failed(struct counting *c, const struct count_run *run,
                                  const char *command, const struct program *program,
                                  pprofc_error *error) {
  pprofc_str why = valgrind_complaint(c->run, run->place);
  if (str_find(c->printed, STR(VITEST_TIMEOUT)) < c->printed.size)
    why = str_of(count_advice(command, c->printed));
  if (!why.size) why = program_last_line(program);
  message_error_lines(c->printed);
  return error_set(error, PPROFC_E_IO, "cannot count '%s' (%s): it ended with status %d%s%.*s",
                   command, side_names[run->side], program->status, why.size ? ": " : "",
                   STR_ARG(why));
}

/* ---- running ----------------------------------------- */

pprofc_status count_command(struct counting *c, const struct count_run *run,
                            const char *const *variables, const char *const *words,
                            pprofc_error *error) {
  struct count_words line = {.c = c};
  pprofc_status status = files_need_folder(run->place, error);
  if (status == PPROFC_OK) status = command_line(&line, run, variables, words, error);
  if (status != PPROFC_OK) return status;
  struct program program = {.argv = line.items, .folder = run->folder};
  int before = system_fix_addresses();
  status = program_run(c->run, &program, error);
  system_let_addresses(before);
  c->printed = count_output(c->run, &program);
  if (status == PPROFC_OK && program.status != 0)
    status = count_failed(c, run, words[0], &program, error);
  program_end(&program);
  return status;
}
