/* Tests the search for binaries, requests to tools for addresses, and the resulting profile. The
 * tools are scripts of this test if their output matters. For testdata/native they are the
 * machine's tools. */
#include "unit.h"

#include "core/child.h"
#include "pprofc/builder.h"
#include "profile_text.h"
#include "symbolize/symbolize.h"
#include "symbolize/tools.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NATIVE    TESTDATA "/native/native_c"
#define NATIVE_ID "f908a98ae2301cad067363b20e8232f000609969"

static char folder[64];
static char warnings[4096];
static pprofc_error error;

/* ---- a folder for fake tools and binaries ------------ */

static void in_folder(char out[256], const char *name) {
  snprintf(out, 256, "%s/%s", folder, name);
}

static void make_folders(const char *name) {
  char path[256];
  in_folder(path, name);
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
}

/* Creates a shell script. PATH may be empty when the script runs, so it uses only builtins of the
 * shell. */
static void make_tool(const char *name, const char *script) {
  char path[256];
  make_folders(name);
  in_folder(path, name);
  FILE *file = fopen(path, "w");
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  chmod(path, 0755);
}

static void copy_native(const char *name) {
  char path[256];
  make_folders(name);
  in_folder(path, name);
  unlink(path);
  CU_ASSERT_EQUAL(symlink(NATIVE, path), 0);
}

static void begin(void) {
  snprintf(folder, sizeof folder, "/tmp/pprofc_symbolize_XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  warnings[0] = '\0';
}

static void end(void) {
  const char *argv[] = {"rm", "-rf", folder, NULL};
  struct child child = {.argv = argv};
  struct child_end how;
  struct buffer output;
  buffer_init(&output, &mem_default, 100);
  child_run(&child, &output, &how, NULL);
  buffer_free(&output);
}

/* ---- profiles ---------------------------------------- */

static void collect(void *context, const char *message) {
  (void)context;
  size_t used = strlen(warnings);
  snprintf(warnings + used, sizeof warnings - used, "%s\n", message);
}

static struct symbolize_options options_of(const char *mode) {
  return (struct symbolize_options){.mode = mode, .tools = folder, .warn = collect};
}

/* Returns a profile with one mapping at 0x10000000, and one sample for each address in it. */
static pprofc_profile *profile_of(const char *file, const char *build_id, const uint64_t *addresses,
                                  size_t count) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t mapping = PPROFC_NONE;
  if (file) mapping = pprofc_builder_mapping(b, 0x10001000, 0x10002000, 0x1000, file, build_id, 0);
  for (size_t i = 0; i < count; i++) {
    uint32_t frame = pprofc_builder_location(b, mapping, addresses[i], NULL, 0);
    pprofc_builder_sample(b, &frame, 1, (int64_t[]){1});
  }
  return finish(b);
}

/* Returns a profile of functions with these names. `names` contains pairs of name and system
 * name. */
static pprofc_profile *profile_of_names(const char *const *names, size_t count) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (size_t i = 0; i < count; i++)
    pprofc_builder_function(b, names[2 * i], names[2 * i + 1], "", 0);
  return finish(b);
}

/* Returns the lines of a location as "inner a.c:3 < outer b.c:4". */
static const char *lines_of(const pprofc_profile *p, uint32_t location) {
  static char text[1024];
  size_t used = 0, count = pprofc_profile_location(p, location).line_count;
  text[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    pprofc_line line = pprofc_profile_line(p, location, i);
    pprofc_function f = pprofc_profile_function(p, line.function);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s %.*s:%d", i ? " < " : "",
                             STR_ARG(f.name), STR_ARG(f.filename), (int)line.line);
  }
  return text;
}

/* Symbolizes the profile, releases it, and returns the result. */
static pprofc_profile *symbolized(pprofc_profile *source, struct symbolize_options options) {
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(symbolize_profile(source, &options, &profile, &error), PPROFC_OK);
  pprofc_profile_release(source);
  return profile;
}

static pprofc_profile *located(pprofc_profile *source, struct symbolize_options options) {
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(symbolize_locate(source, &options, &profile, &error), PPROFC_OK);
  pprofc_profile_release(source);
  return profile;
}

/* ---- binaries ---------------------------------------- */

static void check_located(const char *search_path, const char *expected) {
  char want[256];
  struct symbolize_options options = options_of("");
  options.search_path = search_path;
  pprofc_profile *p = located(profile_of("/opt/bin/native_c", NATIVE_ID, NULL, 0), options);
  pprofc_str file = pprofc_profile_mapping(p, 0).file;
  in_folder(want, expected);
  if (*expected == '/') snprintf(want, sizeof want, "%s", expected);
  CU_ASSERT(str_equal(file, str_of(want)));
  pprofc_profile_release(p);
}

TEST(test_binaries_are_found_where_pprof_looks) {
  static const char *const places[] = {"usr/lib/debug/opt/bin/native_c.debug",
                                       "opt/bin/.debug/native_c.debug",
                                       "opt/bin/native_c.debug",
                                       "opt/bin/native_c",
                                       "native_c",
                                       "f9/08a98ae2301cad067363b20e8232f000609969.debug",
                                       NATIVE_ID "/.any",
                                       NATIVE_ID "/native_c"};
  char path[300];
  snprintf(path, sizeof path, "%s/nowhere:%s", folder, folder);
  check_located(path, "/opt/bin/native_c");
  check_located("", "/opt/bin/native_c");
  /* The search must prefer each of these files to the files above it in the list. */
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    copy_native(places[i]);
    check_located(path, places[i]);
  }
  CU_ASSERT_STRING_EQUAL(warnings, "");
}

TEST(test_another_build_is_not_taken) {
  char path[256], expected[512];
  copy_native("bin/native_c");
  in_folder(path, "bin");
  struct symbolize_options options = options_of("");
  options.search_path = path;
  pprofc_profile *p = located(profile_of("/opt/native_c", "abcd", NULL, 0), options);
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, 0).file, STR("/opt/native_c")));
  snprintf(expected, sizeof expected,
           "Ignoring local file %s/native_c: build-id mismatch (abcd != " NATIVE_ID ")\n", path);
  CU_ASSERT_STRING_EQUAL(warnings, expected);
  pprofc_profile_release(p);
}

TEST(test_a_profile_without_mappings_gets_one) {
  struct symbolize_options options = options_of("");
  options.executable = "prog";
  options.build_id = "beef";
  pprofc_profile *p = located(profile_of(NULL, NULL, (uint64_t[]){0x1000, 0x2000}, 2), options);
  CU_ASSERT_EQUAL(pprofc_profile_mapping_count(p), 1);
  pprofc_mapping m = pprofc_profile_mapping(p, 0);
  CU_ASSERT(m.id == 1 && m.start == 0 && m.limit == 0 && m.offset == 0);
  CU_ASSERT(str_equal(m.file, STR("prog")) && str_equal(m.build_id, STR("beef")));
  CU_ASSERT_EQUAL(pprofc_profile_location(p, 0).mapping, 0);
  CU_ASSERT_EQUAL(pprofc_profile_location(p, 1).mapping, 0);
  pprofc_profile_release(p);
}

TEST(test_a_build_id_that_is_there_stays) {
  struct symbolize_options options = options_of("");
  options.executable = "prog";
  options.build_id = "beef";
  pprofc_profile *p = located(profile_of("old", "abcd", NULL, 0), options);
  pprofc_mapping m = pprofc_profile_mapping(p, 0);
  CU_ASSERT(str_equal(m.file, STR("prog")) && str_equal(m.build_id, STR("abcd")));
  pprofc_profile_release(p);
}

/* ---- modes ------------------------------------------- */

static const char *const names[] = {"f", "_ZN1a1fIiEEvT_", "_ZN1a1gEi", "_ZN1a1gEi"};

static void check_mode(const char *mode, const char *first, const char *second) {
  pprofc_profile *p = symbolized(profile_of_names(names, 2), options_of(mode));
  CU_ASSERT(str_equal(pprofc_profile_function(p, 0).name, str_of(first)));
  CU_ASSERT(str_equal(pprofc_profile_function(p, 1).name, str_of(second)));
  pprofc_profile_release(p);
}

TEST(test_modes_choose_the_names) {
  check_mode("", "f", "a::g");
  check_mode("none", "f", "_ZN1a1gEi");
  check_mode("no:demangle=full", "f", "_ZN1a1gEi");
  check_mode("demangle=default", "f", "a::g");
  check_mode("force", "a::f", "a::g");
  check_mode("demangle=templates", "a::f<int>", "a::g");
  check_mode("Demangle=FULL", "void a::f<int>(int)", "a::g(int)");
  check_mode("full", "void a::f<int>(int)", "a::g(int)");
  check_mode("demangle=none", "_ZN1a1fIiEEvT_", "_ZN1a1gEi");
  check_mode("local:remote::force", "a::f", "a::g");
  CU_ASSERT_STRING_EQUAL(warnings, "");
  check_mode("Bogus:none", "f", "_ZN1a1gEi");
  CU_ASSERT_STRING_EQUAL(warnings, "ignoring unrecognized symbolization option: Bogus:none\n"
                                   "expecting -symbolize=[local|fastlocal|remote|none][:force]"
                                   "[:demangle=[none|full|templates|default]\n");
}

/* ---- small stacks ------------------------------------ */

#define DEEP_NAME 60000

/* Fills a name with a prefix, then repeated letters up to its size, then the end. */
static const char *deep_name(char name[DEEP_NAME + 1], const char *prefix, const char *repeated,
                             const char *rest) {
  size_t size = strlen(prefix), each = strlen(repeated), left = strlen(rest);
  memcpy(name, prefix, size);
  for (; size + each + left <= DEEP_NAME; size += each) memcpy(name + size, repeated, each);
  memcpy(name + size, rest, left + 1);
  return name;
}

static void *symbolize_deep_names(void *context) {
  static char name[5][DEEP_NAME + 1];
  (void)context;
  const char *const deep[] = {
      "_Z1fPi",
      deep_name(name[0], "_Z1f", "P", "i"),
      deep_name(name[1], "_Z1fIiEv", "RT_1aIiE", ""),
      deep_name(name[2], "_RIC1f", "S", "hE"),
      deep_name(name[3], "_Z1f", "FvP", "i"),
      deep_name(name[4], "_RNvC1au40000", "a", ""),
  };
  enum { COUNT = sizeof deep / sizeof *deep };
  const char *pairs[2 * COUNT];
  for (size_t i = 0; i < 2 * COUNT; i++) pairs[i] = deep[i / 2];
  pprofc_profile *p = symbolized(profile_of_names(pairs, COUNT), options_of("demangle=full"));
  CU_ASSERT(str_equal(pprofc_profile_function(p, 0).name, STR("f(int*)")));
  pprofc_profile_release(p);
  return NULL;
}

/* A thread in a user's program may have a stack of only 128 KB. */
TEST(test_deep_names_need_no_stack) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  CU_ASSERT_EQUAL(pthread_attr_setstacksize(&attributes, (size_t)128 << 10), 0);
  CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, &attributes, symbolize_deep_names, NULL), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

/* ---- profiles that cannot be symbolized -------------- */

static void check_warning(const char *file, const char *build_id, const char *expected) {
  warnings[0] = '\0';
  pprofc_profile *p =
      symbolized(profile_of(file, build_id, (uint64_t[]){0x10001300}, 1), options_of(""));
  CU_ASSERT_STRING_EQUAL(warnings, expected);
  CU_ASSERT_EQUAL(pprofc_profile_location(p, 0).line_count, 0);
  pprofc_profile_release(p);
}

#define INCOMPLETE                                                                                 \
  "Some binary filenames not available. Symbolization may be incomplete.\n"                        \
  "Try setting PPROF_BINARY_PATH to the search path for local binaries.\n"

TEST(test_what_cannot_be_symbolized_is_told) {
  check_warning("", "", "Main binary filename not available.\n");
  check_warning("[vdso]", "", "");
  check_warning("linux-vdso.so.1", "", "");
  check_warning("//anon", "", "");
  check_warning("/dev/dri/card0", "", "");
  check_warning("/memfd:x", "", "");
  check_warning("http://localhost/prog", "", "");
  check_warning("/no/such/prog", "",
                "Local symbolization failed for prog: stat /no/such/prog: no such file or "
                "directory\n" INCOMPLETE);
  check_warning("/no/such/prog", "abcd",
                "Local symbolization failed for prog (build ID abcd): stat /no/such/prog: no such "
                "file or directory\n" INCOMPLETE);
  check_warning(NATIVE, "abcd",
                "Local symbolization failed for native_c (build ID abcd): build ID mismatch\n");
}

/* ---- fake tools -------------------------------------- */

/* Returns the first location of a profile of native_c, with names from the given tools. */
static const char *asked(const char *mode, const uint64_t *addresses, size_t count,
                         uint32_t location) {
  static char text[1024];
  char *path = strdup(getenv("PATH"));
  setenv("PATH", folder, 1); /* otherwise pprofc would use the machine's llvm-symbolizer, as pprof
                                does */
  pprofc_profile *p = symbolized(profile_of(NATIVE, "", addresses, count), options_of(mode));
  setenv("PATH", path, 1);
  free(path);
  snprintf(text, sizeof text, "%s", lines_of(p, location));
  pprofc_profile_release(p);
  return text;
}

TEST(test_llvm_symbolizer_is_asked_first) {
  make_tool("addr2line", "exit 1");
  make_tool("llvm-symbolizer",
            "[ \"$1 $2 $3\" = '--inlining -demangle=false --output-style=JSON' ] || exit 1\n"
            "while read -r kind address; do case \"$kind $address\" in\n"
            "'CODE 0x1300') echo '{\"Symbol\":[{\"FunctionName\":\"in\",\"FileName\":\"a.c\","
            "\"Line\":3,\"Column\":4,\"StartLine\":1},{\"FunctionName\":\"out\","
            "\"FileName\":\"b.c\",\"Line\":9}]}';;\n"
            "'CODE 0x1400') echo 'no json';;\n"
            "*) echo '{\"Symbol\":[{\"FunctionName\":\"_Z1fi\",\"FileName\":\"\"}]}';; esac; done");
  uint64_t addresses[] = {0x10001300, 0x10001400, 0x10001500};
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 3, 0), "in a.c:3 < out b.c:9");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 3, 1), "");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 3, 2), "f :0");
  CU_ASSERT_STRING_EQUAL(asked("demangle=none", addresses, 3, 2), "_Z1fi :0");
  CU_ASSERT_STRING_EQUAL(asked("none", addresses, 3, 0), "");
  CU_ASSERT_STRING_EQUAL(asked("remote", addresses, 3, 0), "");
}

TEST(test_an_llvm_symbolizer_without_json_makes_way) {
  make_tool("llvm-symbolizer", "echo 'unknown argument' >&2; exit 1");
  make_tool("addr2line", "while read -r a; do echo $a; echo f; echo a.c:1; done");
  make_tool("nm", "exit 1");
  CU_ASSERT_STRING_EQUAL(asked("", (uint64_t[]){0x10001300}, 1, 0), "f a.c:1");
}

TEST(test_answers_of_addr2line) {
  make_tool("nm", "exit 1");
  make_tool("addr2line",
            "[ \"$1 $2\" = '-aif -e' ] || exit 1\n"
            "while read -r a; do echo 0x000000000000${a#0x}; case $a in\n"
            "0x1300) echo in; echo 'a.c:3 (discriminator 7)'; echo 0x12; echo b.c:9;;\n"
            "0x1400) echo '?\?'; echo '?\?:0';;\n"
            "0x1500) echo f; echo '?\?:?'; echo g; echo a.c:?;;\n"
            "*) echo '?\?'; echo c:d.c:12;; esac; done");
  uint64_t addresses[] = {0x10001300, 0x10001400, 0x10001500, 0x10001600};
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 4, 0), "in a.c:3 < 0x12 b.c:9");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 4, 1), "");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 4, 2), "f :0 < g a.c:0");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 4, 3), " c:d.c:12");
}

TEST(test_nm_may_know_a_longer_name) {
  make_tool("addr2line", "while read -r a; do echo $a; echo in; echo a.c:1; echo foo; echo a.c:2; "
                         "done");
  make_tool("nm", "echo 'foo_bar T 1300 10'; echo '_foo T 1400 10'");
  uint64_t addresses[] = {0x10001304, 0x10001404};
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 2, 0), "in a.c:1 < foo_bar a.c:2");
  CU_ASSERT_STRING_EQUAL(asked("", addresses, 2, 1), "in a.c:1 < foo a.c:2");
}

TEST(test_nm_alone_gives_names) {
  make_tool("nm", "[ \"$1 $2 $3\" = '--numeric-sort --print-size --format=posix' ] || exit 1\n"
                  "echo 'first T 1300 10'; echo 'with blank T 1380 10'; echo 'table d 1400 10'\n"
                  "echo 'undefined U'; echo 'last t 1500 10'");
  uint64_t addresses[] = {0x100012ff, 0x10001300, 0x100013ff, 0x1000140f,
                          0x10001410, 0x1000150f, 0x10001510};
  const char *expected[] = {"", "first :0", "first :0", "table :0", "", "last :0", ""};
  for (uint32_t i = 0; i < 7; i++) {
    CU_ASSERT_STRING_EQUAL(asked("", addresses, 7, i), expected[i]);
    CU_ASSERT_STRING_EQUAL(asked("fastlocal", addresses, 7, i), expected[i]);
  }
}

TEST(test_tools_that_fail_leave_the_profile_alone) {
  make_tool("addr2line", "echo 'cannot open' >&2; exit 1");
  CU_ASSERT_STRING_EQUAL(asked("", (uint64_t[]){0x10001300}, 1, 0), "");
  CU_ASSERT_PTR_NOT_NULL(strstr(warnings, "local symbolization: "));
  CU_ASSERT_PTR_NOT_NULL(strstr(warnings, "cannot open"));
}

TEST(test_file_names_are_no_options) {
  struct arena arena;
  arena_init(&arena, &mem_default);
  CU_ASSERT_STRING_EQUAL(tools_file_argument("--plugin=x.so", &arena), "./--plugin=x.so");
  CU_ASSERT_STRING_EQUAL(tools_file_argument("/bin/a", &arena), "/bin/a");
  arena_free(&arena);
}

/* ---- the setting for the path of tools --------------- */

TEST(test_the_setting_says_where_tools_are) {
  char setting[600], expected[256];
  struct tools tools;
  make_tool("a/nm", "");
  make_tool("a/objdump", "echo 'GNU objdump 2.40'");
  make_tool("a/llvm-objdump", "echo 'LLVM version 7.0.1'");
  make_tool("b/addr2line", "");
  make_tool("b/llvm-nm", "");
  snprintf(setting, sizeof setting, "addr2line:%s/b,%s/a", folder, folder);
  tools_find(&tools, setting, &mem_default);
  CU_ASSERT(tools.found[TOOL_NM] && tools.found[TOOL_ADDR2LINE] && tools.found[TOOL_OBJDUMP]);
  CU_ASSERT_FALSE(tools.found[TOOL_LLVM_SYMBOLIZER]); /* with the setting, PATH is not searched */
  CU_ASSERT_STRING_EQUAL(tools.path[TOOL_LLVM_SYMBOLIZER], "llvm-symbolizer");
  in_folder(expected, "a/nm");
  CU_ASSERT_STRING_EQUAL(tools.path[TOOL_NM], expected);
  in_folder(expected, "b/addr2line");
  CU_ASSERT_STRING_EQUAL(tools.path[TOOL_ADDR2LINE], expected);
  in_folder(expected, "a/objdump"); /* the search skips an LLVM tool before version 8 */
  CU_ASSERT_STRING_EQUAL(tools.path[TOOL_OBJDUMP], expected);
  CU_ASSERT_FALSE(tools.objdump_is_llvm);

  make_tool("a/llvm-objdump", "echo '  Debian LLVM version 14.0.6'");
  snprintf(setting, sizeof setting, "%s/a,nm:%s/b", folder, folder);
  tools_find(&tools, setting, &mem_default);
  in_folder(expected, "b/llvm-nm");
  CU_ASSERT_STRING_EQUAL(tools.path[TOOL_NM], expected);
  CU_ASSERT(tools.objdump_is_llvm);
}

/* ---- the machine's tools ----------------------------- */

/* Returns the first location of native_c with names from this tool only. Returns NULL if the
 * machine does not have the tool. */
static const char *known_to(const char *tool, uint64_t address) {
  static char text[1024];
  if (!child_exists(tool)) return NULL;
  struct tools tools;
  tools_find(&tools, NULL, &mem_default);
  struct arena arena;
  struct source_frames frames = {0};
  arena_init(&arena, &mem_default);
  frames.from = arena_zero_array(&arena, 2, sizeof *frames.from);
  const struct tool_query query = {&tools, NATIVE, &address, 1, &arena};
  pprofc_status status = strcmp(tool, "addr2line") == 0
                             ? addr2line_frames(&query, &frames, &error)
                             : llvm_symbolizer_frames(&query, &frames, &error);
  CU_ASSERT_EQUAL(status, PPROFC_OK);
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; status == PPROFC_OK && i < frames.count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s %.*s:%d", i ? " < " : "",
                             STR_ARG(frames.items[i].function), STR_ARG(frames.items[i].file),
                             (int)frames.items[i].line);
  arena_free(&arena);
  return text;
}

TEST(test_what_gnu_tools_know_of_native_c) {
  const char *text = known_to("addr2line", 0x1541);
  if (!text) return;
  CU_ASSERT_STRING_EQUAL(text, "hash_word /app/inlined.c:19 < hash_words /app/inlined.c:45");
  CU_ASSERT_STRING_EQUAL(known_to("addr2line", 0x1416), "compare_words /app/inlined.c:51");
  CU_ASSERT_STRING_EQUAL(known_to("addr2line", 0x9999999), "");
}

TEST(test_what_llvm_tools_know_of_native_c) {
  const char *text = known_to("llvm-symbolizer", 0x1541);
  if (!text) return;
  CU_ASSERT_STRING_EQUAL(text,
                         "hash_word /app/inlined.c:19 < hash_words.constprop.0 /app/inlined.c:45");
  CU_ASSERT_STRING_EQUAL(known_to("llvm-symbolizer", 0x1416), "compare_words /app/inlined.c:51");
}

/* Runs begin and end around each test. */
__attribute__((constructor)) static void tests_have_folders(void) {
  unit_suite->pSetUpFunc = begin;
  unit_suite->pTearDownFunc = end;
}
