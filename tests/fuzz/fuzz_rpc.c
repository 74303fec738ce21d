/* Uses any bytes as lines of the standard input of -mcp. If the bytes begin with a header, uses
 * them as the input of -lsp. Each reply must be JSON. */
#include "fuzz.h"

#include "actions.h"
#include "core/file.h"
#include "core/json_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void make_file(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  REQUIRE(out);
  REQUIRE(fputs(text, out) >= 0);
  REQUIRE(fclose(out) == 0);
}

static char lines[64]; /* path of a profile that has lines */

/* Returns a folder with two profiles. The first call creates it. */
static const char *folder(void) {
  static char path[] = "/tmp/fuzz_rpc.XXXXXX", file[64];
  if (*file) return path;
  REQUIRE(mkdtemp(path));
  snprintf(file, sizeof file, "%s/a.folded", path);
  make_file(file, "main;work;hot 90\nmain;work 10\n");
  snprintf(lines, sizeof lines, "%s/b.callgrind", path);
  make_file(lines, "events: Ir\nfl=a/b.c\nfn=f\n3 50\nfn=g\n7 9\n");
  return path;
}

/* Checks that a reply is a JSON object with an id, or a notification. */
static void check_answer(pprofc_str text) {
  struct arena arena;
  struct node *root;
  pprofc_error error;
  arena_init(&arena, &mem_default);
  REQUIRE(json_tree_parse(&arena, "answer", text, &root, &error) == PPROFC_OK);
  REQUIRE(str_equal(node_text(root, "jsonrpc"), STR("2.0")));
  REQUIRE(node_get(root, "id") || node_get(root, "method"));
  arena_free(&arena);
}

/* Checks the output of -mcp: each line is a reply. */
static void check_lines(pprofc_str text) {
  pprofc_str line;
  while (text.data && str_next_line(&text, &line))
    if (line.size) check_answer(line);
}

/* Checks the output of -lsp: a header with the length, an empty line, and the reply. */
static void check_headers(pprofc_str text) {
  const pprofc_str header = STR("Content-Length: ");
  while (text.size) {
    uint64_t length;
    size_t end = str_find(text, STR("\r\n\r\n"));
    REQUIRE(str_starts(text, header) && end < text.size);
    REQUIRE(str_parse_uint(str_slice(text, header.size, end), 10, &length));
    REQUIRE(end + 4 + length <= text.size);
    check_answer(str_slice(text, end + 4, end + 4 + length));
    text = str_slice(text, end + 4 + length, text.size);
  }
}

static void run_mcp(int in, int out) {
  struct command command = {.limits.memory_bytes = 1 << 26};
  const char *sources[] = {folder()};
  pprofc_error error;
  pprofc_report_options_init(&command.report);
  pprofc_limits_init(&command.limits);
  command.limits.memory_bytes = 1 << 26;
  command.threads = 1;
  command.report.threads = 1;
  command.sources = sources;
  command.source_count = 1;
  REQUIRE(mcp_serve(&command, in, out, &error) == 0);
}

static void run_lsp(int in, int out) {
  struct command_flags flags;
  struct flags_parsed parsed = {0};
  struct command command;
  pprofc_error error;
  folder();
  char name[] = "pprofc", lsp[] = "-lsp", *words[] = {name, lsp, lines, NULL};
  command_flags_init(&flags);
  REQUIRE(command_parse(&flags, &command, 3, words, &parsed, &error) == PPROFC_OK);
  command.budget = budget_new(&mem_default, 1 << 26);
  REQUIRE(command.budget);
  REQUIRE(lsp_run(&command, in, out, &error) == PPROFC_OK);
  budget_release(command.budget);
  command_free(&command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct buffer answers;
  bool headers = size && *data == 'C';
  int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
  REQUIRE(in >= 0 && out >= 0);
  REQUIRE(write(in, data, size) == (ssize_t)size);
  REQUIRE(lseek(in, 0, SEEK_SET) == 0);
  if (headers)
    run_lsp(in, out);
  else
    run_mcp(in, out);
  REQUIRE(lseek(out, 0, SEEK_SET) == 0);
  buffer_init(&answers, &mem_default, SIZE_MAX);
  REQUIRE(fd_read_all(out, &answers) == 0);
  if (headers)
    check_headers(buffer_str(&answers));
  else
    check_lines(buffer_str(&answers));
  buffer_free(&answers);
  close(in);
  close(out);
  return 0;
}
