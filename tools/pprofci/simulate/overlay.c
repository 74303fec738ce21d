/* Counts the benchmarks of Go packages without changing their code. Uses go's -overlay to replace
 * source files. The new package testing sends callgrind requests when a benchmark's timer starts
 * and stops. The new package runtime fixes the random seed and stops the scavenger. */
#include "common/terminal.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Number of iterations of each benchmark. The counts are divided by this number. */
#define ITERATIONS "10"

/* ---- the overlay ------------------------------------- */

/* The new file of package testing. It switches the memory profiler off, because that profiler
 * samples at random. */
static const char count_go[] =
    "package testing\n\n"
    "import (\n\t\"runtime\"\n\t\"strconv\"\n\t\"unsafe\"\n)\n\n"
    "//go:noescape\nfunc callgrindRequest(args *[6]uint64)\n\n"
    "func callgrindAsk(code uint64, text *byte) {\n"
    "\targs := [6]uint64{0x43540000 + code, uint64(uintptr(unsafe.Pointer(text)))}\n"
    "\tcallgrindRequest(&args)\n}\n\n"
    "func callgrindStart() { callgrindAsk(4, nil) }\n"
    "func callgrindStop()  { callgrindAsk(5, nil) }\n"
    "func callgrindZero()  { callgrindAsk(1, nil) }\n\n"
    "func init() { runtime.MemProfileRate = 0 }\n\n"
    "func callgrindDump(name string, n int) {\n"
    "\tif name == \"Main\" {\n\t\treturn // what runs the benchmarks\n\t}\n"
    "\ttext := []byte(name + \" \" + strconv.Itoa(n) + \"\\x00\")\n"
    "\tcallgrindAsk(3, &text[0])\n}\n";

/* The machine instructions that valgrind takes for a client request (valgrind.h, amd64). Without
 * valgrind these instructions have no effect. */
static const char count_s[] = "#include \"textflag.h\"\n\n"
                              "// func callgrindRequest(args *[6]uint64)\n"
                              "TEXT \xC2\xB7"
                              "callgrindRequest(SB), NOSPLIT, $0-8\n"
                              "\tMOVQ args+0(FP), AX\n\tXORQ DX, DX\n"
                              "\tROLQ $3, DI\n\tROLQ $13, DI\n\tROLQ $61, DI\n\tROLQ $51, DI\n"
                              "\tXCHGQ BX, BX\n\tRET\n";

/* A statement to insert into a function, after a given text or at the end. */
struct insertion {
  const char *function, *after, *statement;
};

static const struct insertion benchmark_insertions[] = {
    {"(b *B) StartTimer() {", "b.timerOn = true\n", "callgrindStart()\n"},
    {"(b *B) StopTimer() {", "if b.timerOn {\n", "callgrindStop()\n"},
    {"(b *B) ResetTimer() {", NULL, "callgrindZero()\n"},
    {"(b *B) runN(n int) {", NULL, "callgrindDump(b.name, b.N)\n"},
    {NULL, NULL, NULL}};

/* Fixes the random seed, on which the order of maps and the address of the heap depend. */
static const struct insertion rand_insertions[] = {
    {"randinit() {", "globalRand.state.Init(*seed)\n", "globalRand.state.Init([32]byte{1})\n"},
    {NULL, NULL, NULL}};

/* Keeps the scavenger of Go's runtime asleep, because the scavenger returns memory to the system at
 * times that depend on the clock. */
static const struct insertion scavenge_insertions[] = {
    {"(s *scavengerState) wake() {", "lock(&s.lock)\n", "s.parked = false\n"}, {NULL, NULL, NULL}};

/* Allocates by mmap the stack on which a thread runs the scheduler and the allocator, at addresses
 * below Go's heap. When a function switches to this stack, callgrind keeps the function's callers
 * only if the stack has lower addresses. */
static const struct insertion thread_insertions[] = {
    {"allocm(pp *p, fn func(), id int64) *m {", "mp.g0 = malg(16384 * sys.StackGuardMultiplier)\n",
     "if low, err := mmap(nil, 65536, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0); "
     "err == 0 {\n"
     "mp.g0.stack = stack{uintptr(low), uintptr(low) + 65536}\n"
     "mp.g0.stackguard0 = mp.g0.stack.lo + stackGuard\n}\n"},
    {NULL, NULL, NULL}};

/* Does not free the stacks that thread_insertions gets from mmap. They are below Go's heap, which
 * begins at 0xc000000000. */
static const struct insertion stack_insertions[] = {
    {"stackfree(stk stack) {", "gp := getg()\n", "if stk.lo < 1<<39 {\nreturn\n}\n"},
    {NULL, NULL, NULL}};

/* Files of package runtime to replace, so that the counts of each run are equal. */
static const struct {
  const char *name;
  const struct insertion *insertions;
} steady[] = {{"runtime/rand.go", rand_insertions},
              {"runtime/mgcscavenge.go", scavenge_insertions},
              {"runtime/proc.go", thread_insertions},
              {"runtime/stack.go", stack_insertions}};

/* Returns the offset in `text` at which to insert the statement. Returns text.size if `text` lacks
 * the function or in->after. */
static size_t find_place(pprofc_str text, const struct insertion *in) {
  char head[64];
  int size = snprintf(head, sizeof head, "\nfunc %s\n", in->function);
  size_t begin = str_find(text, (pprofc_str){head, (size_t)size});
  pprofc_str rest = str_slice(text, begin, text.size);
  size_t end = str_find(rest, STR("\n}\n"));
  if (begin == text.size || end == rest.size) return text.size;
  if (!in->after) return begin + end + 1;
  size_t at = str_find(str_slice(rest, 0, end), str_of(in->after));
  return at == end ? text.size : begin + at + strlen(in->after);
}

/* Replaces *text by a copy with the statements inserted. Sets *known to false if a position was not
 * found. */
static pprofc_status insert_all(pprofc_str *text, const struct insertion *in, struct ci_run *run,
                                bool *known, pprofc_error *error) {
  struct buffer out;
  buffer_init(&out, run->mem, (size_t)16 << 20);
  *known = true;
  for (; text->data && *known && in->function; in++) {
    size_t at = find_place(*text, in);
    *known = at < text->size;
    buffer_clear(&out);
    buffer_add_str(&out, str_slice(*text, 0, at));
    buffer_add_text(&out, in->statement);
    buffer_add_str(&out, str_slice(*text, at, text->size));
    *text = buffer_keep(&out, &run->arena);
  }
  buffer_free(&out);
  return text->data ? PPROFC_OK : error_nomem(error);
}

struct overlay {
  struct ci_run *run;
  const char *goroot, *folder;
  struct buffer replace; /* JSON object that maps paths of Go's source files to the paths of their
                            replacements */
};

/* Writes a file of the overlay. `name` is its path in Go's sources, such as "runtime/rand.go". */
static pprofc_status overlay_put(struct overlay *o, const char *name, pprofc_str text,
                                 pprofc_error *error) {
  const char *file = strrchr(name, '/') + 1;
  const char *path = text_printf(&o->run->arena, "%s/%s", o->folder, file);
  if (!path) return error_nomem(error);
  if (o->replace.size) buffer_add_char(&o->replace, ',');
  buffer_printf(&o->replace, "\"%s/src/%s\":\"%s\"", o->goroot, name, path);
  return save_text(path, text, error);
}

/* Writes a copy of one of Go's source files, with the statements inserted. Sets *known to false if
 * there is no position for a statement. */
static pprofc_status overlay_copy(struct overlay *o, const char *name, const struct insertion *in,
                                  bool *known, pprofc_error *error) {
  const char *from = text_printf(&o->run->arena, "%s/src/%s", o->goroot, name);
  struct buffer text;
  if (!from) return error_nomem(error);
  buffer_init(&text, o->run->mem, (size_t)16 << 20);
  pprofc_status status = file_read(from, &text, error);
  pprofc_str changed = buffer_str(&text);
  if (status == PPROFC_OK) status = insert_all(&changed, in, o->run, known, error);
  if (status == PPROFC_OK && *known) status = overlay_put(o, name, changed, error);
  buffer_free(&text);
  return status;
}

/* Fixes the seed of random numbers and stops the scavenger. If a file is not of a known version of
 * Go, counting continues, but the counts differ more from run to run. */
static pprofc_status overlay_steady(struct overlay *o, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < sizeof steady / sizeof *steady && status == PPROFC_OK; i++) {
    bool known = false;
    status = overlay_copy(o, steady[i].name, steady[i].insertions, &known, error);
    if (known || (status != PPROFC_OK && status != PPROFC_E_IO)) continue;
    status = PPROFC_OK;
    message_note("pprofci: '%s/src/%s' is not the file of Go 1.24 to 1.26; counts differ more",
                 o->goroot, steady[i].name);
  }
  return status;
}

static pprofc_status overlay_write(struct overlay *o, pprofc_error *error) {
  const char *list = text_printf(&o->run->arena, "%s/overlay.json", o->folder);
  bool known = false;
  if (!list) return error_nomem(error);
  pprofc_status status =
      overlay_copy(o, "testing/benchmark.go", benchmark_insertions, &known, error);
  if (status == PPROFC_OK && !known)
    status = error_set(error, PPROFC_E_UNSUPPORTED,
                       "cannot count Go benchmarks: '%s/src/testing/benchmark.go' is not the "
                       "package testing of Go 1.24 to 1.26",
                       o->goroot);
  if (status == PPROFC_OK) status = overlay_put(o, "testing/callgrind.go", STR(count_go), error);
  if (status == PPROFC_OK)
    status = overlay_put(o, "testing/callgrind_amd64.s", STR(count_s), error);
  if (status == PPROFC_OK) status = overlay_steady(o, error);
  if (status != PPROFC_OK) return status;
  const char *text =
      text_printf(&o->run->arena, "{\"Replace\":{%.*s}}\n", STR_ARG(buffer_str(&o->replace)));
  return text ? save_text(list, str_of(text), error) : error_nomem(error);
}

/* ---- downloaded versions of Go ----------------------- */

static const char *const go_names[] = {"GOROOT", "GOTOOLCHAIN", "PATH"};

#define GO_NAMES (sizeof go_names / sizeof *go_names)

/* Copies the variables that overlay_link sets. A missing variable is NULL. */
static bool go_save(struct arena *arena, const char *saved[GO_NAMES]) {
  for (size_t i = 0; i < GO_NAMES; i++) {
    const char *value = getenv(go_names[i]);
    saved[i] = value ? text_keep(arena, str_of(value)) : NULL;
    if (value && !saved[i]) return false;
  }
  return true;
}

static bool go_restore(const char *const saved[GO_NAMES]) {
  bool done = true;
  for (size_t i = 0; i < GO_NAMES; i++)
    done &= (saved[i] ? setenv(go_names[i], saved[i], 1) : unsetenv(go_names[i])) == 0;
  return done;
}

/* Makes Go run from a symbolic link outside of its module cache if a downloaded version is in the
 * cache, because Go refuses to replace files in the cache. */
static pprofc_status overlay_link(struct overlay *o, pprofc_error *error) {
  if (!strstr(o->goroot, "/golang.org/toolchain@")) return PPROFC_OK;
  struct arena *arena = &o->run->arena;
  const char *before = getenv("PATH");
  const char *link = text_printf(arena, "%s/goroot", o->run->work);
  const char *path = text_printf(arena, "%s/goroot/bin:%s", o->run->work, before ? before : "");
  if (!link || !path) return error_nomem(error);
  unlink(link);
  if (symlink(o->goroot, link) != 0)
    return error_set(error, PPROFC_E_IO, "cannot link '%s': %s", link, ERRNO_TEXT(errno));
  o->goroot = link;
  const char *const values[GO_NAMES] = {link, "local", path};
  return go_restore(values) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status overlay_make(struct counting *c, const char *folder, pprofc_error *error) {
  static const char *const root[] = {"go", "env", "GOROOT", NULL};
  static const char *const machine[] = {"go", "env", "GOARCH", NULL};
  struct overlay o = {.run = c->run};
  const char *arch = NULL;
  pprofc_status status = program_line(c->run, folder, root, &o.goroot, error);
  if (status == PPROFC_OK) status = program_line(c->run, folder, machine, &arch, error);
  if (status != PPROFC_OK) return status;
  if (!run_has(o.goroot) || !run_has(arch))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot count Go benchmarks: go is not installed");
  if (strcmp(arch, "amd64") != 0)
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot count Go benchmarks on %s: only amd64 is known", arch);
  o.folder = text_printf(&c->run->arena, "%s/overlay", c->run->work);
  c->packages.overlay = text_printf(&c->run->arena, "-overlay=%s/overlay.json", o.folder);
  if (!o.folder || !c->packages.overlay) return error_nomem(error);
  buffer_init(&o.replace, c->run->mem, (size_t)1 << 20);
  status = files_need_folder(o.folder, error);
  if (status == PPROFC_OK) status = overlay_link(&o, error);
  if (status == PPROFC_OK) status = overlay_write(&o, error);
  buffer_free(&o.replace);
  return status;
}

/* ---- running ----------------------------------------- */

/* Variables that disable preemption and the concurrent garbage collector, so that the counts are
 * repeatable and valgrind does not fail on signals. */
static const char *const go_variables[] = {"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=off",
                                           NULL};

bool count_is_go(const char *command) {
  pprofc_str rest = str_of(command), word;
  bool any = false;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size) continue;
    char path[4096];
    snprintf(path, sizeof path, "%.*s", STR_ARG(word));
    bool relative = str_equal(word, STR(".")) || str_starts(word, STR("./"));
    if (!relative || (!str_ends(word, STR("...")) && !files_is_folder(path))) return false;
    any = true;
  }
  return any;
}

static pprofc_status count_package(struct counting *c, int side, size_t number,
                                   const struct go_package *package, size_t *found,
                                   pprofc_error *error) {
  const char *bench = text_printf(&c->run->arena, "-test.bench=%s", c->run->options->bench);
  const char *const words[] = {package->programs[side],           "-test.run=^$", bench,
                               "-test.benchtime=" ITERATIONS "x", "-test.cpu=1",  NULL};
  struct count_run *run = count_run_new(c, side, number, package->folders[side]);
  if (!run || !bench) return error_nomem(error);
  run->group = package->name;
  run_progress(++c->steps, c->all_steps, "counting %s %s (run %zu of %zu)", side_names[side],
               package->name, number + 1, c->runs[side]);
  pprofc_status status = count_command(c, run, go_variables, words, error);
  return status == PPROFC_OK ? count_read(c, run, found, error) : status;
}

pprofc_status count_go_side(struct counting *c, int side, const char *folder, size_t *found,
                            pprofc_error *error) {
  const char *saved[GO_NAMES];
  c->packages.patterns = c->run->options->simulate;
  if (setenv("GOTMPDIR", c->run->work, 0) != 0 || !go_save(&c->run->arena, saved))
    return error_nomem(error);
  pprofc_status status = overlay_make(c, folder, error);
  if (status == PPROFC_OK) checkouts_build(c->run, side, folder, &c->packages);
  if (!go_restore(saved) && status == PPROFC_OK) status = error_nomem(error);
  size_t with = 0;
  for (size_t i = 0; i < c->packages.count; i++)
    with += c->packages.items[i].programs[side] != NULL;
  c->all_steps += with ? c->runs[side] * (with - 1) : 0;
  for (size_t n = 0; n < c->runs[side]; n++)
    for (size_t i = 0; i < c->packages.count && status == PPROFC_OK; i++)
      if (c->packages.items[i].programs[side])
        status = count_package(c, side, n, &c->packages.items[i], found, error);
  return status;
}
