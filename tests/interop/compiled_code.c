/* Tests the comparison of the machine code of two programs. The test compiles programs that differ
 * by one edit. If the comparison masks too many bytes, it calls an edited function "same". */
#include "unit.h"

#include "core/child.h"
#include "symbolize/code.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_codeXXXXXX";

__attribute__((constructor)) static void folder_make(void) {
  if (!mkdtemp(folder)) exit(2);
}

__attribute__((destructor)) static void folder_remove(void) {
  static const char *const files[] = {"base",    "head",    "base.c",  "head.c",
                                      "base.cc", "head.cc", "base.go", "head.go"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  rmdir(folder);
}

static const char source_c[] =
    "#include <stdio.h>\n"
    "#define NOINLINE __attribute__((noinline))\n"
    "static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
    "static const char *const names[] = {\"zero\", \"one\", \"two\", \"three\"};\n"
    "static int counter;\n"
    "int limit = 10;\n"
    "NOINLINE int immediate(int x) { return x * 1000003 + 17; }\n"
    "NOINLINE int callee_a(int x) { counter += x; return counter; }\n"
    "NOINLINE int callee_b(int x) { counter -= x; return counter ^ 5; }\n"
    "NOINLINE int caller(int x) { return callee_a(x) + 1; }\n"
    "NOINLINE int lookup(int i) { return table[i & 15]; }\n"
    "NOINLINE const char *name_of(int i) { return names[i & 3]; }\n"
    "NOINLINE double scale(double x) { return x * 1.5 + 2.25; }\n"
    "NOINLINE float small(float x) { return x * 3.5f; }\n"
    "NOINLINE int limited(int x) { return x > limit ? limit : x; }\n"
    "NOINLINE int choose(int x) { switch (x) { case 0: return callee_a(1); case 1: return 77;\n"
    "  case 2: return callee_b(5); case 3: return immediate(x); case 4: puts(\"four\"); return 4;\n"
    "  case 5: return 50; case 6: return 9; default: return -1; } }\n"
    "NOINLINE void hello(const char *s) { printf(\"hello %s and %d\\n\", s, counter); }\n"
    "/* here */\n"
    "int main(int c, char **v) { hello(v[0]); /* call */\n"
    "  printf(\"%d %d %d %s %f %f %d %d\\n\", immediate(c), caller(c), lookup(c), name_of(c),\n"
    "         scale(c), small(c), limited(c), choose(c)); return 0; }\n";

static const char unrelated[] =
    "static const int other[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n"
    "NOINLINE int unrelated(int x) { static int seen; seen += x; switch (x) {\n"
    "  case 0: puts(\"unrelated\"); return 1; case 1: return 2; case 2: return immediate(3);\n"
    "  case 3: return 8; case 4: return 11; case 5: return 13; }\n"
    "  return x > limit ? seen : other[x & 7]; }\n";

/* An edit, and the function that it changes. */
static const struct edit {
  const char *from, *to, *changes;
} edits[] = {{"1000003", "1000033", "immediate"},
             {"+ 17", "+ 18", "immediate"},
             {"callee_a(x) + 1", "callee_b(x) + 1", "caller"},
             {"8, 9, 7", "8, 9, 6", "lookup"},
             {"\"two\"", "\"twx\"", "name_of"},
             {"2.25", "2.5", "scale"},
             {"1.5", "2.0", "scale"},
             {"3.5f", "4.5f", "small"},
             {"limit = 10", "limit = 11", "limited"},
             {"and %d", "und %d", "hello"},
             {"return 77", "return 78", "choose"},
             {"case 0: return callee_a(1); case 1: return 77",
              "case 1: return callee_a(1); case 0: return 77", "choose"},
             {"\"four\"", "\"foux\"", "choose"}};

/* ---- compiling --------------------------------------- */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CU_ASSERT_TRUE(fputs(text, file) >= 0);
  CU_ASSERT_EQUAL(fclose(file), 0);
}

/* Compiles folder/NAME.ENDING to folder/NAME. */
static bool compile(const char *const *command, const char *name, const char *ending) {
  char source[128], out[128];
  const char *argv[16];
  size_t n = 0;
  struct child_end end = {0};
  struct buffer printed;
  pprofc_error error = {0};
  snprintf(source, sizeof source, "%s/%s.%s", folder, name, ending);
  snprintf(out, sizeof out, "%s/%s", folder, name);
  while (command[n]) argv[n] = command[n], n++;
  argv[n++] = "-o";
  argv[n++] = out;
  argv[n++] = source;
  argv[n] = NULL;
  const struct child child = {.argv = argv, .input = STR(""), .timeout_ms = CHILD_NO_TIMEOUT};
  const struct child_user user = {.folder = folder};
  buffer_init(&printed, &mem_default, CHILD_OUTPUT_BYTES);
  pprofc_status status = child_run_for_user(&child, &user, &printed, &end, &error);
  buffer_free(&printed);
  if (status != PPROFC_OK || end.status) printf("%s: %s%s\n", argv[0], error.message, end.said);
  return status == PPROFC_OK && end.status == 0;
}

/* Replaces the first `from` in `text` by `to`, and writes the result to folder/head.ENDING. */
static void write_edited(const char *text, const char *from, const char *to, const char *ending) {
  char path[128], edited[8192];
  const char *at = strstr(text, from);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  snprintf(path, sizeof path, "%s/head.%s", folder, ending);
  write_text(path, edited);
}

static struct code_comparison compare_both(void) {
  char base[128], head[128];
  struct code_comparison c;
  pprofc_error error = {0};
  snprintf(base, sizeof base, "%s/base", folder);
  snprintf(head, sizeof head, "%s/head", folder);
  if (code_compare(&c, base, head, &mem_default, &error) != PPROFC_OK) CU_FAIL_FATAL("compare");
  return c;
}

/* Checks that exactly the functions in `names`, separated by commas, differ. */
static void check_changed(const char *what, const char *names) {
  struct code_comparison c = compare_both();
  size_t found = 0, wanted = 1;
  for (const char *p = names; *p; p++) wanted += *p == ',';
  for (size_t i = 0; i < c.count; i++) {
    if (c.functions[i].state == CODE_SAME) continue;
    char name[256];
    snprintf(name, sizeof name, ",%.*s,", STR_ARG(c.functions[i].name));
    char list[256];
    snprintf(list, sizeof list, ",%s,", names);
    if (strstr(list, name)) {
      found++;
    } else {
      printf("%s: %s differs\n", what, name);
      CU_FAIL("a function differs that was not edited");
    }
  }
  if (found != wanted) printf("%s: %zu of %s differ\n", what, found, names);
  CU_ASSERT_EQUAL(found, wanted);
  CU_ASSERT_EQUAL(c.same + c.changed + c.unknown, c.count);
  code_comparison_free(&c);
}

/* ---- tests ------------------------------------------- */

static void edits_with(const char *const *command) {
  char path[128];
  snprintf(path, sizeof path, "%s/base.c", folder);
  write_text(path, source_c);
  CU_ASSERT_TRUE_FATAL(compile(command, "base", "c"));
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    write_edited(source_c, edits[i].from, edits[i].to, "c");
    CU_ASSERT_TRUE_FATAL(compile(command, "head", "c"));
    check_changed(edits[i].to, edits[i].changes);
  }
  char with_call[8192];
  const char *call = strstr(source_c, "/* call */");
  snprintf(with_call, sizeof with_call, "%.*s if (c > 99) return unrelated(c);%s",
           (int)(call - source_c), source_c, call);
  write_edited(with_call, "/* here */\n", unrelated, "c");
  CU_ASSERT_TRUE_FATAL(compile(command, "head", "c"));
  check_changed("an unrelated function at the end", "main,unrelated");
  char first[4096];
  snprintf(first, sizeof first, "NOINLINE int immediate(int x);\n%sNOINLINE int immediate",
           unrelated);
  write_edited(with_call, "NOINLINE int immediate", first, "c");
  CU_ASSERT_TRUE_FATAL(compile(command, "head", "c"));
  check_changed("an unrelated function at the beginning", "main,unrelated");
}

static bool has_machine(void) {
#ifdef __x86_64__
  return true;
#else
  printf("skipped: the machine is not x86-64\n");
  return false;
#endif
}

static bool has_compiler(const char *name) {
  if (has_machine() && child_exists(name)) return true;
  printf("skipped: there is no %s\n", name);
  return false;
}

TEST(edits_of_c_are_found) {
  static const char *const commands[][4] = {{"gcc", "-O2", NULL},
                                            {"gcc", "-O2", "-no-pie", NULL},
                                            {"gcc", "-O0", NULL},
                                            {"clang", "-O2", NULL},
                                            {"clang", "-O2", "-no-pie", NULL}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (has_compiler(commands[i][0])) edits_with(commands[i]);
}

/* LLVM appends a number to the names of local functions that it shares between modules, and makes
 * names of constants. Both depend on the whole program. */
TEST(names_that_llvm_makes_do_not_matter) {
  static const char *const command[] = {"gcc", "-O2", NULL};
  static const char source[] =
      "extern const int some[4] __asm__(\"anon.0a1b.7.llvm.1234567\");\n"
      "const int some[4] = {1, 2, 3, 4};\n"
      "__attribute__((noinline)) int part(int x) __asm__(\"part.llvm.1234567\");\n"
      "int part(int x) { return some[x & 3] * 31; }\n"
      "int main(int c, char **v) { (void)v; return part(c); }\n";
  char path[128];
  if (!has_compiler("gcc")) return;
  snprintf(path, sizeof path, "%s/base.c", folder);
  write_text(path, source);
  CU_ASSERT_TRUE_FATAL(compile(command, "base", "c"));
  write_edited(source, "2, 3", "2, 5", "c");
  CU_ASSERT_TRUE_FATAL(compile(command, "head", "c"));
  check_changed("a constant without a name", "part");
  char renamed[1024];
  const char *second = strstr(source, "part.llvm.1234567");
  snprintf(renamed, sizeof renamed, "%.*spart.llvm.89%s", (int)(second - source), source,
           second + strlen("part.llvm.1234567"));
  write_edited(renamed, "0a1b.7.llvm.1234567", "2c3d.8.llvm.89", "c");
  CU_ASSERT_TRUE_FATAL(compile(command, "head", "c"));
  struct code_comparison c = compare_both();
  const struct code_function *f = code_find(&c, STR("part.llvm.89"));
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  CU_ASSERT_EQUAL(f->state, CODE_SAME);
  CU_ASSERT_PTR_EQUAL(code_find(&c, STR("part")), f);
  CU_ASSERT_EQUAL(code_find(&c, STR("main"))->state, CODE_SAME);
  code_comparison_free(&c);
}

static const char source_go[] =
    "package main\n\nimport (\"fmt\"; \"os\"; \"strings\")\n"
    "var table = [...]int{3, 1, 4, 1, 5, 9, 2, 6}\n"
    "type pair struct { name string; n int }\n"
    "//go:noinline\nfunc immediate(x int) int { return x*1000003 + 5000000 }\n"
    "//go:noinline\nfunc lookup(i int) int { return table[i&7] }\n"
    "//go:noinline\nfunc text(n int) string { if n > 3 { return \"a long text\" }; return \"b\" }\n"
    "//go:noinline\nfunc scale(x float64) float64 { return x*1.5 + 2.25 }\n"
    "//go:noinline\nfunc words(s string) []*pair { var all []*pair\n"
    "\tfor _, w := range strings.Fields(s) { all = append(all, &pair{w, len(w)}) }\n"
    "\treturn all }\n"
    "// here\n"
    "func main() { n := len(os.Args) /* call */\n"
    "\tfmt.Println(immediate(n), lookup(n), text(n), scale(float64(n)), len(words(\"a b c\"))) }\n";

static const struct edit go_edits[] = {
    {"1000003", "1000033", "main.immediate"},
    {"5000000", "6000000", "main.immediate"},
    {"5, 9, 2", "5, 8, 2", "main.lookup"},
    {"a long text", "a lonk text", "main.text"},
    {"2.25", "2.5", "main.scale"},
    {"strings.Fields(s)", "strings.Split(s, \" \")", "main.words"}};

TEST(edits_of_go_are_found) {
  static const char *const command[] = {"go", "build", "-trimpath", NULL};
  char path[128];
  if (!has_compiler("go")) return;
  snprintf(path, sizeof path, "%s/base.go", folder);
  write_text(path, source_go);
  if (!compile(command, "base", "go")) {
    printf("skipped: go does not build here\n");
    return;
  }
  for (size_t i = 0; i < sizeof go_edits / sizeof *go_edits; i++) {
    write_edited(source_go, go_edits[i].from, go_edits[i].to, "go");
    CU_ASSERT_TRUE_FATAL(compile(command, "head", "go"));
    struct code_comparison c = compare_both();
    const struct code_function *f = code_find(&c, str_of(go_edits[i].changes));
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(f->state, CODE_CHANGED);
    for (size_t k = 0; k < c.count; k++)
      if (str_starts(c.functions[k].name, STR("main.")) && &c.functions[k] != f)
        CU_ASSERT_EQUAL(c.functions[k].state, CODE_SAME);
    code_comparison_free(&c);
  }
  char with_call[8192];
  const char *call = strstr(source_go, "/* call */");
  snprintf(with_call, sizeof with_call, "%.*s; if n > 99 { fmt.Println(unrelated(nil)) }%s",
           (int)(call - source_go), source_go, call + strlen("/* call */"));
  write_edited(with_call, "// here\n",
               "//go:noinline\nfunc unrelated(m map[string]int) string {\n"
               "\tfor k, v := range m { if v > 123456 { return k + \"a new text\" } }\n"
               "\treturn strings.Repeat(\"x\", 77) }\n",
               "go");
  CU_ASSERT_TRUE_FATAL(compile(command, "head", "go"));
  struct code_comparison c = compare_both();
  printf("go: %zu functions, %zu same, %zu changed, %zu unknown, %zu moved\n", c.count, c.same,
         c.changed, c.unknown, c.moved);
  CU_ASSERT_TRUE(c.count - c.same <= 12); /* differences: main, the new function, and functions that
                                             only the new function calls */
  CU_ASSERT_EQUAL(code_find(&c, STR("main.words"))->state, CODE_SAME);
  CU_ASSERT_EQUAL(code_find(&c, STR("main.main"))->state, CODE_CHANGED);
  CU_ASSERT_EQUAL(code_find(&c, STR("main.unrelated"))->state, CODE_CHANGED);
  code_comparison_free(&c);
}

TEST(names_are_readable) {
  static const char *const command[] = {"g++", "-O1", NULL};
  static const char source[] = "namespace shop { struct Cart { int sum(int x) const; }; }\n"
                               "__attribute__((noinline)) int shop::Cart::sum(int x) const {\n"
                               "  return x * 31; }\n"
                               "int main(int c, char **) { return shop::Cart().sum(c); }\n";
  char path[128];
  if (!has_compiler("g++")) return;
  snprintf(path, sizeof path, "%s/base.cc", folder);
  write_text(path, source);
  write_edited(source, "31", "33", "cc");
  CU_ASSERT_TRUE_FATAL(compile(command, "base", "cc") && compile(command, "head", "cc"));
  struct code_comparison c = compare_both();
  const struct code_function *f = code_find(&c, STR("_ZNK4shop4Cart3sumEi"));
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  CU_ASSERT_EQUAL(f->state, CODE_CHANGED);
#ifdef HAVE_LIBIBERTY
  CU_ASSERT_PTR_EQUAL(code_find(&c, STR("shop::Cart::sum")), f);
#endif
  CU_ASSERT_PTR_NULL(code_find(&c, STR("no such function")));
  code_comparison_free(&c);
}
