/* Runs a command under callgrind, with the environment variables that benchmark plugins expect. */
#include "simulate/counting.h"

#include <fnmatch.h>
#include <sys/utsname.h>

/* Environment variables with which benchmark plugins count instructions. Fixed seeds and the malloc
 * of the C library make Python runs repeatable. Python writes no byte code, so that the first run
 * does the same work as later runs. Messages of failed commands need no colors. */
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

/* Options that replace some of the other options if only bytes are counted. They save time. */
static const char *const bytes_options[] = {"--cache-sim=no", "--separate-callers=0", NULL};

#define ENVIRONMENT_WORDS (sizeof environment / sizeof *environment)
#define OPTION_WORDS      (sizeof count_options / sizeof *count_options)

/* ---- bytes of allocators ----------------------------- */

extern const unsigned char asset_bytes_c[];
extern const size_t asset_bytes_c_size;

const char *count_preload(struct ci_run *run) {
  const char *source = text_printf(&run->arena, "%s/bytes.c", run->work);
  const char *library = text_printf(&run->arena, "%s/bytes.so", run->work);
  struct program shell = {.argv = TEXT_LIST("/bin/sh", "-c",
                                            "${CC:-cc} -shared -fPIC -O2 -o \"$1\" \"$2\" -ldl",
                                            "sh", library, source)};
  pprofc_str text = {(const char *)asset_bytes_c, asset_bytes_c_size};
  ci_need(save_text(source, text, &ci_error));
  program_run(&shell);
  if (shell.status != 0) {
    library = NULL;
    message_note("pprofci: cannot count bytes: ${CC:-cc} compiles no shared library: %.*s",
                 STR_ARG(program_last_line(&shell)));
  }
  program_end(&shell);
  return library;
}

/* Loads the library that counts bytes into the programs. */
static void count_add_preload(struct word_list *w, const char *preload) {
  const char *set = getenv("LD_PRELOAD");
  words_add(w, text_printf(w->arena, "LD_PRELOAD=%s %s", preload, set ? set : ""));
}

/* ---- the command line -------------------------------- */

/* Adds the options that start counting only inside the benchmarks. */
static void count_add_start(struct word_list *w, const struct ci_run *run) {
  const char *function = run->options->simulate_toggle;
  if (*function)
    words_add(w, text_printf(w->arena, "--toggle-collect=%s", function));
  else
    words_add(w, "--instr-atstart=no");
}

/* Gives each run of pytest an empty cache. A second run in the same checkout would otherwise find
 * files of the first run, and execute different instructions. */
static void count_add_pytest(struct word_list *w, const struct count_run *run) {
  const char *options = getenv("PYTEST_ADDOPTS");
  words_add(w, text_printf(w->arena, "PYTEST_ADDOPTS=%s -o 'cache_dir=%s/pytest'",
                           options ? options : "", run->place));
}

static bool starts_python(const char *const *words) {
  for (; *words; words++) {
    pprofc_str program = str_path_base(str_of(*words));
    if (str_starts(program, STR("python")) || str_equal(program, STR("pytest"))) return true;
  }
  return false;
}

/* Lets malloc of glibc keep all small blocks that Python frees, in a list for each size. Without
 * these lists, the cost of a later malloc depends on the order of the blocks, so a change of one
 * benchmark changes the counts of the next one. */
static void count_add_malloc(struct word_list *w, const char *const *words) {
  const char *set = getenv("GLIBC_TUNABLES"), *option = "glibc.malloc.tcache_count=65535";
  if (!starts_python(words)) return;
  if (set && *set) option = text_printf(w->arena, "%s:%s", set, option);
  words_add(w, text_printf(w->arena, "GLIBC_TUNABLES=%s", option));
}

/* JavaScript that Node runs first. It stops V8 from compiling functions in batches, so that a
 * change of one benchmark does not change when V8 compiles the functions of the next one. The
 * plugin calls gc() before each benchmark, but V8 sweeps the old objects later, often during the
 * benchmark. getHeapCodeStatistics() visits all objects, so V8 must finish the sweep first. The
 * script also lengthens the fixed timeouts of vitest of one minute and more, because valgrind slows
 * vitest down. It changes no timeouts in vitest's worker processes, which have process.send. */
static const char node_preload[] =
    "const v8 = require('v8'), collect = globalThis.gc;\n"
    "v8.setFlagsFromString('--no-baseline-batch-compilation');\n"
    "if (collect)\n"
    "  globalThis.gc = (...options) => {\n"
    "    const result = collect(...options);\n"
    "    v8.getHeapCodeStatistics();\n"
    "    return result;\n"
    "  };\n"
    "if (!process.send && /vitest/.test(process.argv[1])) {\n"
    "  const wait = globalThis.setTimeout;\n"
    "  const longer = (ms) => (ms >= 60000 ? Math.min(10 * ms, 2147483647) : ms);\n"
    "  globalThis.setTimeout = (call, ms, ...rest) => wait(call, longer(ms), ...rest);\n"
    "  Object.defineProperties(globalThis.setTimeout, Object.getOwnPropertyDescriptors(wait));\n"
    "}\n";

/* Adds NODE_OPTIONS, because any command may start Node. */
static void count_add_node(struct word_list *w, const struct count_run *run) {
  const char *set = getenv("NODE_OPTIONS");
  const char *path = text_printf(w->arena, "%s/preload.cjs", run->place);
  words_add(w, text_printf(w->arena, "NODE_OPTIONS=%s --require=\"%s\"", set ? set : "", path));
  ci_need(save_text(path, str_of(node_preload), &ci_error));
}

static const char **command_line(const struct counting *c, const struct count_run *run,
                                 const char *const *variables, const char *const *words) {
  struct word_list w = {.arena = &c->run->arena};
  struct utsname machine;
  words_add(&w, "env");
  words_add_all(&w, environment, ENVIRONMENT_WORDS);
  if (uname(&machine) == 0) words_add(&w, text_printf(w.arena, "ARCH=%s", machine.machine));
  words_add(&w, text_printf(w.arena, "CODSPEED_PROFILE_FOLDER=%s", run->place));
  count_add_pytest(&w, run);
  count_add_malloc(&w, words);
  count_add_node(&w, run);
  if (run->kind == ALLOCATED_BYTES) count_add_preload(&w, c->preload);
  words_add_list(&w, variables);
  words_add_all(&w, callgrind_words, CALLGRIND_WORDS);
  words_add_all(&w, count_options, OPTION_WORDS);
  if (run->kind == ALLOCATED_BYTES) words_add_list(&w, bytes_options);
  count_add_start(&w, c->run);
  words_add(&w, text_printf(w.arena, "--callgrind-out-file=%s/%%p.out", run->place));
  words_add(&w, text_printf(w.arena, "--log-file=%s/%%p.log", run->place));
  words_add(&w, "--");
  words_add_list(&w, words);
  return w.items;
}

/* ---- why a run failed -------------------------------- */

/* Returns the last line of valgrind's log that is not a warning about this machine's caches. */
static pprofc_str log_complaint(struct ci_run *run, const char *path) {
  pprofc_str line, found = {NULL, 0};
  struct buffer text = buffer_make(&ci_mem, (size_t)16 << 20);
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
  if (!file_is_folder(place)) return found;
  for (const char *const *name = files_list(run, place, alphasort); *name; name++) {
    if (fnmatch("*.log", *name, 0) != 0) continue;
    const char *path = text_printf(&run->arena, "%s/%s", place, *name);
    pprofc_str line = log_complaint(run, path);
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
  return str_trim(str_of(both));
}

#define VITEST_TIMEOUT "Timeout waiting for worker"

/* Advice for commands in which no benchmark was measured. The first row applies whose word is in
 * the command or whose message is in the output. */
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

static void count_fail(struct counting *c, const struct count_run *run, const char *command,
                       const struct program *program) {
  pprofc_str why = valgrind_complaint(c->run, run->place);
  if (str_find(c->printed, STR(VITEST_TIMEOUT)) < c->printed.size)
    why = str_of(count_advice(command, c->printed));
  if (!why.size) why = program_last_line(program);
  message_error_lines(c->printed);
  ci_fail("cannot count '%s' (%s): it ended with status %d%s%.*s", command, side_names[run->side],
          program->status, why.size ? ": " : "", STR_ARG(why));
}

/* ---- running ----------------------------------------- */

void count_command(struct counting *c, const struct count_run *run, const char *const *variables,
                   const char *const *words) {
  ci_need(files_need_folder(run->place, &ci_error));
  struct program program = {.argv = command_line(c, run, variables, words), .folder = run->folder};
  int before = system_fix_addresses();
  program_run(&program);
  system_let_addresses(before);
  c->printed = count_output(c->run, &program);
  if (program.status != 0) count_fail(c, run, words[0], &program);
  program_end(&program);
}
