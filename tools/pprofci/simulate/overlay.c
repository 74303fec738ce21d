/* Counts the benchmarks of Go packages without changing their code. Uses go's -overlay to replace
 * source files. The new package testing sends callgrind requests when a benchmark's timer starts
 * and stops. The new package runtime fixes the random seed and stops the scavenger. */
#include "simulate/counting.h"

/* Number of iterations of each benchmark, by which the counts are divided. */
#define ITERATIONS "10"

/* ---- the overlay ------------------------------------- */

/* The new file of package testing. It switches the memory profiler off, because that profiler
 * samples at random. callgrindGrow makes the stack of the calling goroutine larger. */
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
    "var callgrindLast = 65535\n\n"
    "//go:noinline\nfunc callgrindGrow() byte {\n"
    "\tvar room [65536]byte\n\treturn room[callgrindLast]\n}\n\n"
    "func callgrindDump(name string, n int, bytes uint64) {\n"
    "\tif name == \"Main\" {\n\t\treturn // what runs the benchmarks\n\t}\n"
    "\ttext := []byte(name + \" \" + strconv.Itoa(n) + \" \" + strconv.FormatUint(bytes, 10) + "
    "\"\\x00\")\n"
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

/* Statements to insert into functions of Go's standard library, after a text or at the end of the
 * function. In testing/benchmark.go, they make the benchmark's timer start and stop the
 * counting. In the other files, they make the counts equal in every run. */
static const struct insertion {
  const char *file, *function, *after, *statement;
} insertions[] = {
    {"testing/benchmark.go", "(b *B) StartTimer() {", "b.timerOn = true\n", "callgrindStart()\n"},
    {"testing/benchmark.go", "(b *B) StopTimer() {", "if b.timerOn {\n", "callgrindStop()\n"},
    {"testing/benchmark.go", "(b *B) ResetTimer() {", NULL, "callgrindZero()\n"},
    {"testing/benchmark.go", "(b *B) runN(n int) {", NULL,
     "callgrindDump(b.name, b.N, b.netBytes)\n"},

    /* Grow the stack of the benchmark before the counting starts. The cost of growing depends on a
     * cache of the runtime, which replaces its entries at random. */
    {"testing/benchmark.go", "(b *B) runN(n int) {", "b.N = n\n", "callgrindGrow()\n"},

    /* Fix the random seed, on which the order of maps and the address of the heap depend. */
    {"runtime/rand.go", "randinit() {", "globalRand.state.Init(*seed)\n",
     "globalRand.state.Init([32]byte{1})\n"},

    /* Give all threads one sequence of random numbers, because the clock decides which thread runs
     * a goroutine. Give maps a constant instead of a random number, so that one more map does not
     * change the order of all later maps. */
    {"runtime/rand.go", "rand() uint64 {", "mp := getg().m\n", "mp = &m0\n"},
    {"runtime/rand.go", "maps_rand() uint64 {", "maps_rand() uint64 {\n",
     "return 0x9e3779b97f4a7c15\n"},

    /* Keep the scavenger asleep, because it returns memory to the system at times that depend on
     * the clock. */
    {"runtime/mgcscavenge.go", "(s *scavengerState) wake() {", "lock(&s.lock)\n",
     "s.parked = false\n"},

    /* The monitor thread takes the processor from a goroutine after 10 milliseconds, a short time
     * under valgrind. The program then starts a new thread. So let the monitor thread wake up only
     * once a second. */
    {"runtime/proc.go", "sysmon() {",
     "if delay > 10*1000 { // up to 10ms\n\t\t\tdelay = 10 * 1000\n\t\t}\n",
     "delay = 1000 * 1000\n"},

    /* Allocate the stacks of the scheduler by mmap, below Go's heap, which begins at 0xc000000000.
     * In Go's heap, callgrind loses the callers of a function that switches to such a stack. */
    {"runtime/proc.go", "allocm(pp *p, fn func(), id int64) *m {",
     "mp.g0 = malg(16384 * sys.StackGuardMultiplier)\n",
     "if low, err := mmap(nil, 65536, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0); "
     "err == 0 {\n"
     "mp.g0.stack = stack{uintptr(low), uintptr(low) + 65536}\n"
     "mp.g0.stackguard0 = mp.g0.stack.lo + stackGuard\n}\n"},

    /* Keep the number of changes of a goroutine's state at 1. The runtime measures the time of each
     * eighth change, and the clock decides how many changes precede the counting. */
    {"runtime/proc.go",
     "newproc1(fn *funcval, callergp *g, callerpc uintptr, parked bool, waitreason waitReason) *g "
     "{",
     "newg.trackingSeq = uint8(cheaprand())\n", "newg.trackingSeq = 1\n"},
    {"runtime/proc.go", "casgstatus(gp *g, oldval, newval uint32) {", "gp.trackingSeq++\n",
     "gp.trackingSeq = 1\n"},

    /* Do not free the stacks that mmap allocated. */
    {"runtime/stack.go", "stackfree(stk stack) {", "gp := getg()\n",
     "if stk.lo < 1<<39 {\nreturn\n}\n"},
};

#define INSERTIONS (sizeof insertions / sizeof *insertions)

/* Returns the offset in `text` at which to insert the statement. Returns text.size if `text` lacks
 * the function or in->after. */
static size_t find_place(pprofc_str text, const struct insertion *in) {
  char head[128];
  int size = snprintf(head, sizeof head, "\nfunc %s\n", in->function);
  size_t begin = str_find(text, (pprofc_str){head, (size_t)size});
  pprofc_str rest = str_slice(text, begin, text.size);
  size_t end = str_find(rest, STR("\n}\n"));
  if (begin == text.size || end == rest.size) return text.size;
  if (!in->after) return begin + end + 1;
  size_t at = str_find(str_slice(rest, 0, end), str_of(in->after));
  return at == end ? text.size : begin + at + strlen(in->after);
}

/* Inserts the statements for the file `file` into a copy of *text, and sets *text to the copy.
 * Returns false if a position was not found. */
static bool insert_all(pprofc_str *text, const char *file, struct arena *arena) {
  struct buffer out = ci_buffer();
  bool known = true;
  for (size_t i = 0; i < INSERTIONS && known; i++) {
    const struct insertion *in = &insertions[i];
    if (strcmp(in->file, file) != 0) continue;
    size_t at = find_place(*text, in);
    known = at < text->size;
    buffer_clear(&out);
    buffer_add_str(&out, str_slice(*text, 0, at));
    buffer_add_text(&out, in->statement);
    buffer_add_str(&out, str_slice(*text, at, text->size));
    *text = buffer_keep(&out, arena);
  }
  buffer_free(&out);
  return known;
}

struct overlay {
  struct ci_run *run;
  const char *goroot, *folder;
  struct buffer replace; /* JSON object that maps paths of Go's source files to the paths of their
                            replacements */
};

/* Writes a file of the overlay. `name` is its path in Go's sources, such as "runtime/rand.go". */
static void overlay_put(struct overlay *o, const char *name, pprofc_str text) {
  const char *path = text_printf(&o->run->arena, "%s%s", o->folder, strrchr(name, '/'));
  if (o->replace.size) buffer_add_char(&o->replace, ',');
  buffer_printf(&o->replace, "\"%s/src/%s\":\"%s\"", o->goroot, name, path);
  ci_need(save_text(path, text, &ci_error));
}

/* Writes a copy of one of Go's source files, with the statements inserted. Sets *known to false if
 * there is no position for a statement. Returns an error if the file is unreadable. */
static pprofc_status overlay_copy(struct overlay *o, const char *name, bool *known) {
  const char *from = text_printf(&o->run->arena, "%s/src/%s", o->goroot, name);
  pprofc_str text;
  *known = false;
  pprofc_status status = file_keep(from, (size_t)16 << 20, &o->run->arena, &text, &ci_error);
  if (status != PPROFC_OK) return status;
  *known = insert_all(&text, name, &o->run->arena);
  if (*known) overlay_put(o, name, text);
  return PPROFC_OK;
}

/* Patches the Go runtime to make the counts equal in every run. Does not patch a file of an unknown
 * version of Go; the counts then differ more from run to run. */
static void overlay_steady(struct overlay *o) {
  static const char *const files[] = {"runtime/rand.go", "runtime/mgcscavenge.go",
                                      "runtime/proc.go", "runtime/stack.go"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    bool known;
    pprofc_status status = overlay_copy(o, files[i], &known);
    if (status != PPROFC_E_IO) ci_need(status);
    if (!known)
      message_note("pprofci: '%s/src/%s' is not the file of Go 1.24 to 1.26; counts differ more",
                   o->goroot, files[i]);
  }
}

static void overlay_write(struct overlay *o) {
  const char *list = text_printf(&o->run->arena, "%s/overlay.json", o->folder);
  bool known;
  ci_need(overlay_copy(o, "testing/benchmark.go", &known));
  if (!known)
    ci_fail("cannot count Go benchmarks: '%s/src/testing/benchmark.go' is not the package testing "
            "of Go 1.24 to 1.26",
            o->goroot);
  overlay_put(o, "testing/callgrind.go", STR(count_go));
  overlay_put(o, "testing/callgrind_amd64.s", STR(count_s));
  overlay_steady(o);
  pprofc_str replace = buffer_str(&o->replace);
  const char *text = text_printf(&o->run->arena, "{\"Replace\":{%.*s}}\n", STR_ARG(replace));
  ci_need(save_text(list, str_of(text), &ci_error));
}

/* ---- downloaded versions of Go ----------------------- */

static const char *const go_names[] = {"GOROOT", "GOTOOLCHAIN", "PATH"};

#define GO_NAMES (sizeof go_names / sizeof *go_names)

/* Copies the environment variables that overlay_link sets. A missing variable is NULL. */
static void go_save(struct arena *arena, const char *saved[GO_NAMES]) {
  for (size_t i = 0; i < GO_NAMES; i++) {
    const char *value = getenv(go_names[i]);
    saved[i] = value ? text_keep(arena, str_of(value)) : NULL;
  }
}

static void go_restore(const char *const saved[GO_NAMES]) {
  for (size_t i = 0; i < GO_NAMES; i++)
    if ((saved[i] ? setenv(go_names[i], saved[i], 1) : unsetenv(go_names[i])) != 0)
      ci_need(error_nomem(&ci_error));
}

/* Makes Go run from a symbolic link outside of its module cache if a downloaded version is in the
 * cache. Go refuses to replace files in the cache. */
static void overlay_link(struct overlay *o) {
  if (!strstr(o->goroot, "/golang.org/toolchain@")) return;
  struct arena *arena = &o->run->arena;
  const char *before = getenv("PATH");
  const char *link = text_printf(arena, "%s/goroot", o->run->work);
  const char *path = text_printf(arena, "%s/goroot/bin:%s", o->run->work, before ? before : "");
  unlink(link);
  if (symlink(o->goroot, link) != 0) ci_fail("cannot link '%s': %s", link, ERRNO_TEXT(errno));
  o->goroot = link;
  const char *const values[GO_NAMES] = {link, "local", path};
  go_restore(values);
}

static void overlay_make(struct counting *c, const char *folder) {
  struct overlay o = {.run = c->run, .replace = ci_buffer()};
  const char *arch = program_line(&c->run->arena, folder, TEXT_LIST("go", "env", "GOARCH"));
  o.goroot = program_line(&c->run->arena, folder, TEXT_LIST("go", "env", "GOROOT"));
  if (!*o.goroot || !*arch) ci_fail("cannot count Go benchmarks: go is not installed");
  if (strcmp(arch, "amd64") != 0)
    ci_fail("cannot count Go benchmarks on %s: only amd64 is known", arch);
  o.folder = text_printf(&c->run->arena, "%s/overlay", c->run->work);
  c->packages.overlay = text_printf(&c->run->arena, "-overlay=%s/overlay.json", o.folder);
  ci_need(files_need_folder(o.folder, &ci_error));
  overlay_link(&o);
  overlay_write(&o);
  buffer_free(&o.replace);
}

/* ---- running ----------------------------------------- */

/* Environment variables that disable preemption and the concurrent garbage collector, so that the
 * counts are repeatable and valgrind does not fail on signals. */
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
    if (!relative || (!str_ends(word, STR("...")) && !file_is_folder(path))) return false;
    any = true;
  }
  return any;
}

/* Counts instructions in one run of a package's benchmarks. Returns the number of benchmarks. */
static size_t count_package(struct counting *c, int side, size_t number,
                            const struct go_package *package) {
  const char *bench = text_printf(&c->run->arena, "-test.bench=%s", c->run->options->bench);
  const char *const words[] = {package->programs[side],           "-test.run=^$", bench,
                               "-test.benchtime=" ITERATIONS "x", "-test.cpu=1",  NULL};
  struct count_run run = count_run_new(c, side, number, package->folders[side]);
  run.group = package->name;
  run_progress(++c->steps, c->all_steps, "counting %s %s (run %zu of %zu)", side_names[side],
               package->name, number + 1, c->runs[side]);
  count_command(c, &run, go_variables, words);
  return count_read(c, &run);
}

size_t count_go_side(struct counting *c, int side, const char *folder) {
  const char *saved[GO_NAMES];
  size_t with = 0, found = 0;
  c->packages.patterns = c->run->options->simulate;
  if (setenv("GOTMPDIR", c->run->work, 0) != 0) ci_need(error_nomem(&ci_error));
  go_save(&c->run->arena, saved);
  overlay_make(c, folder);
  checkouts_build(c->run, side, folder, &c->packages);
  go_restore(saved);
  for (size_t i = 0; i < c->packages.count; i++)
    with += c->packages.items[i].programs[side] != NULL;
  c->all_steps += with ? c->runs[side] * (with - 1) : 0;
  for (size_t n = 0; n < c->runs[side]; n++)
    for (size_t i = 0; i < c->packages.count; i++)
      if (c->packages.items[i].programs[side])
        found += count_package(c, side, n, &c->packages.items[i]);
  return found;
}
