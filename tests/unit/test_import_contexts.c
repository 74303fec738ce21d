/* Tests stacks that callgrind writes as names, and names of code from JIT compilers. */
#include "failing.h"
#include "unit.h"

#include "import/callgrind/contexts.h"
#include "pprofc/pprofc.h"
#include "read_format.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pprofc_profile *contexts_read_as(const char *text, pprofc_call_stacks stacks,
                                        const char *map_folder) {
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.call_stacks = stacks;
  options.map_folder = map_folder;
  pprofc_status status = pprofc_profile_read_memory(text, strlen(text), &options, &profile, &error);
  if (status != PPROFC_OK) printf("%s\n", error.message);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
  return profile;
}

/* Returns all samples, one per line: "root:line caller:line leaf:line value". */
static const char *contexts_text(const pprofc_profile *profile) {
  static char text[8192];
  pprofc_samples_view view;
  uint32_t frames[256];
  size_t at = 0;
  text[0] = '\0';
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count; i++) {
    for (size_t left = pprofc_profile_stack(profile, i, frames, 256); left-- > 0;) {
      pprofc_line line = pprofc_profile_line(profile, frames[left], 0);
      pprofc_str name = pprofc_profile_function(profile, line.function).name;
      at += (size_t)snprintf(text + at, sizeof text - at, "%.*s:%lld ", STR_ARG(name),
                             (long long)line.line);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "%lld\n",
                           (long long)view.values[i * view.types]);
  }
  return text;
}

/* Reads a file that consists of a header and these lines. */
static const char *contexts_of(const char *lines) {
  static char text[16384];
  snprintf(text, sizeof text, "# callgrind format\ncreator: callgrind-3.19.0\nevents: Ir\n%s",
           lines);
  pprofc_profile *profile = contexts_read_as(text, PPROFC_STACKS_PROPORTIONAL, NULL);
  const char *result = contexts_text(profile);
  pprofc_profile_release(profile);
  return result;
}

static size_t contexts_comments(const char *lines, pprofc_call_stacks stacks, const char *wanted) {
  static char text[16384];
  pprofc_header header;
  size_t found = 0;
  snprintf(text, sizeof text, "# callgrind format\ncreator: callgrind-3.19.0\nevents: Ir\n%s",
           lines);
  pprofc_profile *profile = contexts_read_as(text, stacks, NULL);
  pprofc_profile_header(profile, &header);
  for (size_t i = 0; i < header.comment_count; i++)
    found += str_find(pprofc_profile_comment(profile, i), str_of(wanted)) <
             pprofc_profile_comment(profile, i).size;
  pprofc_profile_release(profile);
  return found;
}

/* ---- stacks ------------------------------------------ */

/* The function f has two callers, and calls g on two lines. The stack must have the line with the
 * higher cost. An estimate would divide the cost of f in proportion to the calls. */
static const char two_callers[] = "fn=(1) main\n1 5\n"
                                  "cfn=(2) g'main\ncalls=1 9\n2 40\n"
                                  "cfn=(3) h'main\ncalls=1 9\n3 60\n"
                                  "fn=(2)\n20 10\ncfn=(4) f'g'main\ncalls=1 9\n21 12\n"
                                  "cfn=(4)\ncalls=1 9\n22 18\n"
                                  "fn=(3)\n30 20\ncfn=(5) f'h'main\ncalls=1 9\n31 40\n"
                                  "fn=(4)\n40 29\n41 1\n"
                                  "fn=(5)\n40 40\n"
                                  "totals: 105\n";

TEST(test_contexts_are_stacks) {
  CU_ASSERT_STRING_EQUAL(contexts_of(two_callers), "main:1 5\n"
                                                   "main:2 g:20 10\n"
                                                   "main:3 h:30 20\n"
                                                   "main:2 g:22 f:40 29\n"
                                                   "main:2 g:22 f:41 1\n"
                                                   "main:3 h:31 f:40 40\n");
  CU_ASSERT_EQUAL(contexts_comments(two_callers, PPROFC_STACKS_PROPORTIONAL, "stacks"), 0);
}

TEST(test_contexts_as_edges_and_flat) {
  static char text[1024];
  snprintf(text, sizeof text, "# callgrind format\nevents: Ir\n%s", two_callers);
  pprofc_profile *edges = contexts_read_as(text, PPROFC_STACKS_EDGES, NULL);
  CU_ASSERT_PTR_NOT_NULL(strstr(contexts_text(edges), "\ng:22 f:40 29\n"));
  pprofc_profile *flat = contexts_read_as(text, PPROFC_STACKS_FLAT, NULL);
  CU_ASSERT_PTR_NOT_NULL(strstr(contexts_text(flat), "\nf:40 29\n"));
  CU_ASSERT_EQUAL(
      contexts_comments(two_callers, PPROFC_STACKS_EDGES, "stacks are a function and its caller"),
      1);
  CU_ASSERT_EQUAL(contexts_comments(two_callers, PPROFC_STACKS_EDGES, "estimated"), 0);
  pprofc_profile_release(edges);
  pprofc_profile_release(flat);
}

/* Consecutive recursive levels of a function become one frame, because callgrind does not
 * distinguish them. */
TEST(test_recursion_in_contexts) {
  CU_ASSERT_STRING_EQUAL(contexts_of("fn=main\n1 1\ncfn=f'main\ncalls=1 9\n2 9\n"
                                     "fn=f'main\n5 2\ncfn=f'2'main\ncalls=1 9\n6 7\n"
                                     "fn=f'2'main\n5 3\ncfn=g'f'main\ncalls=1 9\n7 4\n"
                                     "cfn=f'2'main\ncalls=2 9\n6 0\n"
                                     "fn=g'f'main\n8 4\n"),
                         "main:1 1\nmain:2 f:5 2\nmain:2 f:5 3\nmain:2 f:7 g:8 4\n");
  /* If other functions are between the levels, each level is a frame. */
  CU_ASSERT_STRING_EQUAL(contexts_of("fn=f\n1 1\ncfn=g'f\ncalls=1 9\n2 9\n"
                                     "fn=g'f\n5 2\ncfn=f'2'g'f\ncalls=1 9\n6 7\n"
                                     "fn=f'2'g'f\n1 7\n"),
                         "f:1 1\nf:2 g:5 2\nf:2 g:6 f:1 7\n");
}

/* A name of N + 1 functions may lack callers. A call from a name of that length shows this. */
TEST(test_truncated_contexts) {
  static const char lines[] = "fn=main\n1 1\ncfn=a'main\ncalls=1 9\n2 9\n"
                              "fn=a'main\n3 2\ncfn=b'a'main\ncalls=1 9\n4 9\n"
                              "fn=b'a'main\n5 4\ncfn=c'b'a\ncalls=1 9\n6 9\n"
                              "fn=c'b'a\n7 8\n";
  CU_ASSERT_STRING_EQUAL(contexts_of(lines), "main:1 1\nmain:2 a:3 2\nmain:2 a:4 b:5 4\n"
                                             "[truncated]:0 a:4 b:6 c:7 8\n");
  CU_ASSERT_EQUAL(contexts_comments(lines, PPROFC_STACKS_PROPORTIONAL, "[truncated]"), 1);
}

/* A function that never returned is in no call, but its name contains the callers. */
TEST(test_callers_from_names) {
  CU_ASSERT_STRING_EQUAL(contexts_of("fn=a'main\n1 2\ncfn=b'a'main\ncalls=1 9\n4 9\n"
                                     "fn=b'a'main\n5 4\nfn=x'y'z\n9 3\n"),
                         "main:0 a:1 2\nmain:0 a:4 b:5 4\nz:0 y:0 x:9 3\n");
}

/* Counting began inside start, which then returned to run. */
TEST(test_callers_learned_late) {
  CU_ASSERT_STRING_EQUAL(contexts_of("fn=run\n1 1\ncfn=start\ncalls=1 9\n2 3\n"
                                     "cfn=f'run\ncalls=1 9\n3 7\nfn=start\n8 3\nfn=f'run\n9 7\n"),
                         "run:1 1\nrun:2 start:8 3\nrun:3 f:9 7\n");
  /* If there are two callers, the stack is unknown. */
  CU_ASSERT_STRING_EQUAL(
      contexts_of("fn=a\n1 1\ncfn=s\ncalls=1 9\n2 3\nfn=b\n1 1\ncfn=s\ncalls=1 9\n2 3\n"
                  "cfn=f'b\ncalls=1 9\n3 7\nfn=s\n8 3\nfn=f'b\n9 7\n"),
      "a:1 1\n[truncated]:0 s:8 3\nb:1 1\nb:3 f:9 7\n");
  /* In these names, two functions seem to call each other. */
  CU_ASSERT_PTR_NOT_NULL(
      strstr(contexts_of("fn=a\n1 1\ncfn=b\ncalls=1 9\n2 3\ncfn=f'a\ncalls=1 9\n2 3\n"
                         "fn=b\n1 1\ncfn=a\ncalls=1 9\n2 3\nfn=f'a\n3 3\n"),
             "[truncated]:0 "));
}

/* ---- names ------------------------------------------- */

TEST(test_quotes_in_names) {
  static const char *const names[] = {"f<'x'>(char)",
                                      "<impl Foo for &'a T>::run",
                                      "N::operator<(N const&) const",
                                      "operator<< <char>(S&, char)",
                                      "operator-><int>()",
                                      "my_operator<int>(int)",
                                      "w::operator()(int) const",
                                      "enable<((sizeof (T))>(8)), int>(T)",
                                      "apply<fn(&'a T) -> &'b U>",
                                      "(below main)",
                                      "{lambda(long)#1}::operator()(long) const"};
  char lines[1024], wanted[1024];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(lines, sizeof lines,
             "fn=main\n1 1\ncfn=%s'main\ncalls=1 9\n2 9\n"
             "fn=%s'main\n3 2\ncfn=z'%s'main\ncalls=1 9\n4 9\nfn=z'%s'main\n5 5\n",
             names[i], names[i], names[i], names[i]);
    snprintf(wanted, sizeof wanted, "main:1 1\nmain:2 %s:3 2\nmain:2 %s:4 z:5 5\n", names[i],
             names[i]);
    CU_ASSERT_STRING_EQUAL(contexts_of(lines), wanted);
  }
  /* A bracket that is never closed has no meaning. */
  CU_ASSERT_STRING_EQUAL(contexts_of("fn=a<\n1 1\ncfn=b(c'a<\ncalls=1 9\n2 9\nfn=b(c'a<\n3 2\n"),
                         "a<:1 1\na<:2 b(c:3 2\n");
}

/* In a file without contexts, quotes belong to the name, and stacks are estimates. */
TEST(test_names_that_calls_contradict) {
  static const char lines[] = "fn=main\n1 1\ncfn=it'works\ncalls=1 9\n2 9\nfn=it'works\n3 9\n";
  CU_ASSERT_STRING_EQUAL(contexts_of(lines), "main:1 1\nmain:2 it'works:3 9\n");
  CU_ASSERT_EQUAL(contexts_comments(lines, PPROFC_STACKS_PROPORTIONAL, "estimated"), 1);
}

/* One deep name has many lines. The size of the file limits the frames of the profile. */
TEST(test_deep_names_are_cut) {
  size_t at = 0, room = (size_t)4 << 20;
  char *text = malloc(room);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  at += (size_t)snprintf(text, room, "# callgrind format\nevents: Ir\nfn=b'");
  for (int i = 0; i < 5000; i++) at += (size_t)snprintf(text + at, room - at, "a%d'", i % 7);
  at += (size_t)snprintf(text + at, room - at,
                         "a\ncfn=(1) c'b\ncalls=1 9\n1 1\nfn=(2) b\n"
                         "cfn=(1)\ncalls=1 9\n1 1\nfn=b'");
  for (int i = 0; i < 5000; i++) at += (size_t)snprintf(text + at, room - at, "a%d'", i % 7);
  at += (size_t)snprintf(text + at, room - at, "a\n");
  for (int i = 0; i < 50000; i++) at += (size_t)snprintf(text + at, room - at, "+1 1\n");
  pprofc_profile *profile = contexts_read_as(text, PPROFC_STACKS_PROPORTIONAL, NULL);
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  CU_ASSERT_EQUAL(view.count, 50000);
  CU_ASSERT(pprofc_profile_max_depth(profile) <= 66);
  pprofc_profile_release(profile);
  free(text);
}

/* ---- code of JIT compilers --------------------------- */

static void jit_check(const struct jit_names *names, uint64_t address, const char *name,
                      const char *file, int64_t line) {
  struct jit_function found;
  CU_ASSERT_FATAL(jit_names_find(names, address, &found));
  CU_ASSERT(str_equal(found.name, str_of(name)));
  CU_ASSERT(str_equal(found.file, str_of(file)));
  CU_ASSERT_EQUAL(found.line, line);
}

TEST(test_jit_names) {
  struct jit_names names;
  struct jit_function found;
  jit_names_init(&names, &mem_default);
  CU_ASSERT(jit_names_read(&names, STR("1010 10 py::fib.<locals>.<lambda>:/app/a b.py\n"
                                       "2000 100 Function:^fib file:///app/bench.mjs:4:13\n"
                                       "3000 8 JS:* /app/x.js:7:2\n"
                                       "3010 8 LazyCompile:~run node:internal/timers:508:11\n"
                                       "4000 0 Builtin:CallFunction\n"
                                       "5000 8 Script:/app/x.js\nbroken\n6000 zz a\n"
                                       "1000 10 py::main:/app/main.py\n"
                                       "ffffffffffffffff 8 a\n"
                                       "4800 8 JS:of space file\n"
                                       "4900 8 Function:get size file:///a b/x.js:2:1\n")));
  jit_check(&names, 0x1010, "fib.<locals>.<lambda>", "/app/a b.py", 0);
  jit_check(&names, 0x101f, "fib.<locals>.<lambda>", "/app/a b.py", 0);
  jit_check(&names, 0x100f, "main", "/app/main.py", 0);
  jit_check(&names, 0x2050, "fib", "/app/bench.mjs", 4);
  jit_check(&names, 0x3000, "", "/app/x.js", 7);
  jit_check(&names, 0x3010, "run", "node:internal/timers", 508);
  jit_check(&names, 0x4000, "Builtin:CallFunction", "", 0);
  jit_check(&names, 0x4800, "of", "space file", 0);
  jit_check(&names, 0x4900, "get size", "/a b/x.js", 2);
  jit_check(&names, 0x5000, "/app/x.js", "", 0);
  CU_ASSERT_FALSE(jit_names_find(&names, 0xfff, &found));
  CU_ASSERT_FALSE(jit_names_find(&names, 0x1020, &found));
  CU_ASSERT_FALSE(jit_names_find(&names, 0x4001, &found));
  jit_names_free(&names);
}

static void write_map(const char *folder, int pid, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/perf-%d.map", folder, pid);
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
}

TEST(test_jit_files) {
  static const char lines[] = "# callgrind format\npid: 4194999\npid: 7\nevents: Ir\n"
                              "fn=0x00001018\n0 7\ncfn=f'0x00001018\ncalls=1 1\n0 9\n"
                              "fn=f'0x00001018\n3 9\nfn=0x9\n5 1\n";
  char folder[] = "/tmp/test_import_contexts.XXXXXX", path[200];
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  write_map(folder, 4194999, "1010 10 py::parse:/app/parse.py\n");
  pprofc_profile *profile = contexts_read_as(lines, PPROFC_STACKS_PROPORTIONAL, folder);
  CU_ASSERT_STRING_EQUAL(contexts_text(profile), "parse:0 7\nparse:0 f:3 9\n0x9:5 1\n");
  bool has_file = false;
  for (uint32_t i = 0; i < pprofc_profile_function_count(profile); i++)
    has_file |= str_equal(pprofc_profile_function(profile, i).filename, STR("/app/parse.py"));
  CU_ASSERT(has_file);
  pprofc_profile_release(profile);
  /* Only the first process counts, and only if a folder is given. */
  snprintf(path, sizeof path, "%s/perf-4194999.map", folder);
  unlink(path);
  profile = contexts_read_as(lines, PPROFC_STACKS_PROPORTIONAL, folder);
  CU_ASSERT_PTR_NOT_NULL(strstr(contexts_text(profile), "0x00001018:0 7\n"));
  pprofc_profile_release(profile);
  rmdir(folder);
}

/* ---- memory ------------------------------------------ */

static pprofc_status read_benchmarks(struct faults *faults, const pprofc_allocator *mem) {
  static char text[16384];
  pprofc_profile *profile;
  struct import_options options = {.threads = 1};
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  limits.memory_bytes = 1 << 30;
  limits.stack_depth = 100;
  options.limits = &limits;
  options.map_folder = TESTDATA;
  snprintf(text, sizeof text,
           "# callgrind format\npid: 1\nevents: Ir\n"
           "desc: Trigger: Client Request: a\npart: 1\n%spart: 2\nevents: Ir\n"
           "desc: Trigger: Client Request: a\nfn=it'works'well\n1 1\nfn=x\n1 2\n",
           two_callers);
  failing_arm(faults);
  pprofc_status status = read_format(import_callgrind, str_of(text), mem, &options, &profile, NULL);
  if (status == PPROFC_OK) pprofc_profile_release(profile);
  return status;
}

TEST(test_memory_runs_out) {
  CU_ASSERT(failing_each(read_benchmarks) > 10);
}

/* The reader must accept a file in /tmp only if it belongs to this user and is not a link. */
TEST(test_jit_files_in_tmp) {
  static const char lines[] = "# callgrind format\npid: 4194998\nevents: Ir\nfn=0x1018\n0 7\n";
  static const char path[] = "/tmp/perf-4194998.map", other[] = "/tmp/perf-4194997.map";
  write_map("/tmp", 4194998, "1010 10 py::parse:/app/parse.py\n");
  pprofc_profile *profile = contexts_read_as(lines, PPROFC_STACKS_PROPORTIONAL, TESTDATA);
  CU_ASSERT_STRING_EQUAL(contexts_text(profile), "parse:0 7\n");
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(rename(path, other), 0);
  CU_ASSERT_EQUAL(symlink(other, path), 0);
  profile = contexts_read_as(lines, PPROFC_STACKS_PROPORTIONAL, TESTDATA);
  CU_ASSERT_STRING_EQUAL(contexts_text(profile), "0x1018:0 7\n");
  pprofc_profile_release(profile);
  unlink(path);
  unlink(other);
}

/* Two benchmarks of the same name are summed, and a comment reports this. Threads belong to one
 * benchmark. */
TEST(test_repeated_benchmarks) {
  static const char part[] = "part: %s\nevents: Ir\n"
                             "desc: Trigger: Client Request: a\nfn=f\n1 1\n";
  static const char wanted[] = "repeats the name of a benchmark";
  char lines[512];
  size_t at = (size_t)snprintf(lines, sizeof lines, part, "1.1");
  at += (size_t)snprintf(lines + at, sizeof lines - at, part, "1.2");
  CU_ASSERT_EQUAL(contexts_comments(lines, PPROFC_STACKS_PROPORTIONAL, wanted), 0);
  snprintf(lines + at, sizeof lines - at, part, "2");
  CU_ASSERT_EQUAL(contexts_comments(lines, PPROFC_STACKS_PROPORTIONAL, wanted), 1);
}
