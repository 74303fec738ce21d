/* Tests that names from a profile reach a program only as file names. They must not become options,
 * or response files: LLVM's and GNU's tools read an argument that begins with '@' as a response
 * file. */
#include "unit.h"

#include "symbolize/object.h"
#include "symbolize/tools.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct arena arena;
static pprofc_error error;

/* Creates a tool that writes its arguments, one per line, and then its input. */
static void make_tool(const char *name) {
  FILE *file = fopen(name, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(file, "#!/bin/sh\nprintf '%%s\\n' \"$@\" >said_%s\ncat >>said_%s\necho 'GNU objdump'\n",
          name, name);
  fclose(file);
  chmod(name, 0755);
}

/* Text that the tool wrote: its last argument, and its input. */
static char said[4096];

static const char *what_saw(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "said_%s", name);
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(said, 1, sizeof said - 1, file) : 0;
  said[size] = '\0';
  if (file) fclose(file);
  return said;
}

static const char *const names[] = {"@response", "-option",        "--help",     "-",
                                    "@",         "a 'quoted' \"b", "CODE 0x1\n", "plain"};
#define NAMES (sizeof names / sizeof *names)

static void begin(struct tools *tools) {
  snprintf(folder, sizeof folder, "/tmp/pprofc_arguments_XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  CU_ASSERT_EQUAL(chdir(folder), 0);
  static const char *const programs[] = {"llvm-symbolizer", "addr2line", "nm", "objdump"};
  for (size_t i = 0; i < 4; i++) make_tool(programs[i]);
  FILE *file = fopen("response", "w");
  fputs("--output-style=GNU\n", file);
  fclose(file);
  arena_init(&arena, &mem_default);
  tools_find(tools, folder, &mem_default);
}

static void end(void) {
  char command[128];
  arena_free(&arena);
  CU_ASSERT_EQUAL(chdir("/"), 0);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CU_ASSERT_EQUAL(system(command), 0);
}

/* Checks that the tool got "./NAME", and no argument that could be an option or a response file. */
static void saw_a_file(const char *tool, const char *name) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "\n./%s\n", name);
  const char *all = what_saw(tool);
  CU_ASSERT_PTR_NOT_NULL(strstr(all, wanted));
  snprintf(wanted, sizeof wanted, "\n%s\n", name);
  CU_ASSERT_PTR_NULL(strstr(all, wanted));
  CU_ASSERT_PTR_NULL(strstr(all, "\n@"));
}

TEST(test_symbolizers) {
  struct tools tools;
  begin(&tools);
  const uint64_t address = 0x1234;
  for (size_t i = 0; i < NAMES; i++) {
    struct source_frames frames = {.from = arena_zero_array(&arena, 2, sizeof *frames.from)};
    const struct tool_query query = {&tools, names[i], &address, 1, &arena};
    llvm_symbolizer_frames(&query, &frames, &error);
    saw_a_file("llvm-symbolizer", names[i]);
    /* Standard input must contain only addresses. */
    CU_ASSERT_PTR_NOT_NULL(strstr(said, "\nCODE 0x1234\n"));
    addr2line_frames(&query, &frames, &error);
    saw_a_file("addr2line", names[i]);
  }
  end();
}

TEST(test_nm_and_objdump) {
  struct tools tools;
  begin(&tools);
  CU_ASSERT(tools.found[TOOL_OBJDUMP]);
  for (size_t i = 0; i < NAMES; i++) {
    struct nm_symbols symbols;
    struct instruction *instructions;
    size_t count;
    nm_read(&(struct tool_query){&tools, names[i], NULL, 0, &arena}, &symbols, &error);
    saw_a_file("nm", names[i]);
    struct object object = {.path = names[i]};
    object_disassemble(&object, &tools, 0, 16, false, &arena, &instructions, &count, &error);
    saw_a_file("objdump", names[i]);
  }
  end();
}

TEST(test_absolute_names_stay) {
  arena_init(&arena, &mem_default);
  CU_ASSERT_STRING_EQUAL(tools_file_argument("/usr/bin/@x", &arena), "/usr/bin/@x");
  CU_ASSERT_STRING_EQUAL(tools_file_argument("./-x", &arena), "./-x");
  CU_ASSERT_STRING_EQUAL(tools_file_argument("bin/x", &arena), "./bin/x");
  arena_free(&arena);
}
