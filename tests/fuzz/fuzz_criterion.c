/* Reads folders of criterion that the input describes: their names, their entries, and the texts of
 * sample.json, estimates.json and benchmark.json. The first byte of each entry is its type: a file,
 * a folder, a link or a pipe. Names and texts end with a NUL byte. */
#include "fuzz.h"

#include "core/buffer.h"
#include "pprofc/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRIES 12
#define TEXT_MAX    20000

/* Returns the next text of the input as a name: without a slash, and short enough for a file
 * system. */
static pprofc_str take_text(const uint8_t **at, const uint8_t *end) {
  const uint8_t *from = *at;
  while (*at < end && **at) ++*at;
  pprofc_str text = {(const char *)from, (size_t)(*at - from)};
  if (*at < end) ++*at;
  return text;
}

static void make_file(const char *path, pprofc_str text) {
  FILE *file = fopen(path, "wbx"); /* opening an existing pipe without "x" would never return */
  if (!file) return;
  fwrite(text.data, 1, text.size, file);
  fclose(file);
}

static const char *const files[] = {"sample.json", "benchmark.json", "estimates.json", "x"};

/* Creates an entry, or enters or leaves a folder. All entries are below the first folder. */
static void make_entry(unsigned kind, pprofc_str text, unsigned *depth) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", STR_ARG(str_slice(text, 0, 60)));
  for (char *c = name; *c; c++)
    if (*c == '/') *c = '_';
  const char *file = files[kind / 8 % 4];
  switch (kind % 8) {
  case 0:
  case 1:
  case 2:
    make_file(file, text);
    break;
  case 3:
    if (*name && strcmp(name, "..") != 0 && *depth < 9 && (mkdir(name, 0700) == 0 || kind & 64) &&
        chdir(name) == 0)
      ++*depth;
    break;
  case 4:
    if (*depth < 9 && mkdir("new", 0700) == 0 && chdir("new") == 0) ++*depth;
    break;
  case 5:
    if (*depth && chdir("..") == 0) --*depth;
    break;
  case 6:
    (void)!symlink(kind & 64 ? ".." : name, file);
    break;
  default:
    (void)!mkfifo(kind & 64 ? "benchmark.json" : name, 0600);
    break;
  }
}

static void make_tree(const char *root, const uint8_t *at, const uint8_t *end) {
  unsigned depth = 0;
  int before = open(".", O_RDONLY | O_DIRECTORY);
  REQUIRE(before >= 0 && chdir(root) == 0);
  for (int i = 0; at < end && i < MAX_ENTRIES; i++) {
    unsigned kind = *at++;
    make_entry(kind, take_text(&at, end), &depth);
  }
  REQUIRE(fchdir(before) == 0);
  close(before);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info, (void)type, (void)where;
  return remove(path);
}

static void compare(pprofc_bench *set) {
  pprofc_bench_options options;
  pprofc_bench_tables *tables;
  pprofc_bench_options_init(&options);
  if (pprofc_bench_compare(set, &options, &tables, NULL) != PPROFC_OK) return;
  struct buffer out;
  buffer_init(&out, &mem_default, (size_t)1 << 30);
  REQUIRE(pprofc_bench_print(tables, "text", buffer_write, &out, buffer_write, &out, NULL) ==
          PPROFC_OK);
  buffer_free(&out);
  pprofc_bench_tables_free(tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > TEXT_MAX) return 0;
  char root[] = "/tmp/fuzz_criterion_XXXXXX";
  REQUIRE(mkdtemp(root));
  make_tree(root, data, data + size);
  const char *paths[] = {root, root};
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  REQUIRE(set);
  pprofc_status status = pprofc_bench_read_inputs(set, paths, 2, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  if (status == PPROFC_OK) compare(set);
  pprofc_bench_free(set);
  nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return 0;
}
