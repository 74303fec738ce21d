/* Any bytes on the standard input of -mcp, as lines: each answer is one line of JSON. */
#include "fuzz.h"

#include "core/infile.h"
#include "core/json_tree.h"
#include "mcp/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A folder with one profile, made once. */
static const char *folder(void) {
  static char path[] = "/tmp/fuzz_rpc.XXXXXX", file[64];
  if (*file) return path;
  REQUIRE(mkdtemp(path));
  snprintf(file, sizeof file, "%s/a.folded", path);
  FILE *out = fopen(file, "w");
  REQUIRE(out);
  REQUIRE(fputs("main;work;hot 90\nmain;work 10\n", out) >= 0);
  REQUIRE(fclose(out) == 0);
  return path;
}

/* Each line of the output is an object with an id. */
static void check_answers(pprofc_str text) {
  pprofc_str line;
  while (text.data && str_next_line(&text, &line)) {
    struct arena arena;
    struct node *root;
    pprofc_error error;
    if (!line.size) continue;
    arena_init(&arena, &mem_default);
    REQUIRE(json_tree_parse(&arena, "answer", line, &root, &error) == PPROFC_OK);
    REQUIRE(str_equal(node_text(root, "jsonrpc"), STR("2.0")));
    REQUIRE(node_get(root, "id") || node_get(root, "method"));
    arena_free(&arena);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct command command = {.limits.memory_bytes = 1 << 26};
  const char *sources[] = {folder()};
  struct buffer answers;
  pprofc_error error;
  pprofc_report_options_init(&command.report);
  pprofc_limits_init(&command.limits);
  command.limits.memory_bytes = 1 << 26;
  command.threads = 1;
  command.report.threads = 1;
  command.sources = sources;
  command.source_count = 1;
  int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
  REQUIRE(in >= 0 && out >= 0);
  REQUIRE(write(in, data, size) == (ssize_t)size);
  REQUIRE(lseek(in, 0, SEEK_SET) == 0);
  REQUIRE(mcp_serve(&command, in, out, &error) == 0);
  REQUIRE(lseek(out, 0, SEEK_SET) == 0);
  buffer_init(&answers, &mem_default, SIZE_MAX);
  REQUIRE(fd_read_all(out, &answers) == 0);
  check_answers(buffer_str(&answers));
  buffer_free(&answers);
  close(in);
  close(out);
  return 0;
}
