/* Tests source files: the folders to search, the division into lines, and the files that must never
 * be opened. */
#include "unit.h"

#include "report/source/lookup.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct source_lookup lookup;

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *data, size_t size) {
  FILE *file = fopen(in_folder(name), "wb");
  fwrite(data, 1, size, file);
  fclose(file);
}

static const char *const folders[] = {"proj", "proj/src", "proj/src/deep", ".hidden", "proj/.git"};

static void begin(void) {
  snprintf(folder, sizeof folder, "/tmp/pprofc_source_XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) mkdir(in_folder(folders[i]), 0755);
  write_file("proj/src/a.c", "one\ntwo\r\n\nfour", 14);
}

static void end(void) {
  static const char *const files[] = {"proj/src/a.c", "proj/src/b.c", "link.c",
                                      "pipe.c",       ".hidden/a.c",  "proj/.git/a.c"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(in_folder(files[i]));
  for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) rmdir(in_folder(folders[i]));
  rmdir(folder);
}

static void open_lookup(const char *source_path, const char *trim_path) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.source_path = source_path;
  options.trim_path = trim_path;
  CU_ASSERT_EQUAL_FATAL(source_lookup_init(&lookup, &options, &mem_default, NULL), PPROFC_OK);
}

/* Returns the number of lines of a file that is found with this source path and trim path. */
static size_t lines_in(const char *name, const char *source_path, const char *trim_path) {
  open_lookup(source_path, trim_path);
  const struct source_file *file = source_lookup_file(&lookup, str_of(name));
  size_t count = file ? file->line_count : 999;
  CU_ASSERT_EQUAL(count == 0, file && file->failure.size != 0);
  source_lookup_free(&lookup);
  return count;
}

/* Checks the message for a file that cannot be shown. */
static void check_failure(const char *name, const char *source_path, const char *expected) {
  open_lookup(source_path, NULL);
  const struct source_file *file = source_lookup_file(&lookup, str_of(name));
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CU_ASSERT_EQUAL(file->line_count, 0);
  if (!str_equal(file->failure, str_of(expected))) printf("\n  %.*s", STR_ARG(file->failure));
  CU_ASSERT(str_equal(file->failure, str_of(expected)));
  source_lookup_free(&lookup);
}

TEST(test_lines_have_no_ends) {
  open_lookup(NULL, NULL);
  pprofc_str name = str_of(in_folder("proj/src/a.c")), line;
  static const char *const expected[] = {"one", "two", "", "four"};
  for (int i = 0; i < 4; i++) {
    CU_ASSERT(source_lookup_line(&lookup, name, i + 1, &line));
    CU_ASSERT(str_equal(line, str_of(expected[i])));
  }
  CU_ASSERT_FALSE(source_lookup_line(&lookup, name, 0, &line));
  CU_ASSERT_FALSE(source_lookup_line(&lookup, name, 5, &line));
  CU_ASSERT_FALSE(source_lookup_line(&lookup, name, INT64_MIN, &line));
  source_lookup_free(&lookup);
}

TEST(test_a_file_is_found_in_and_above_each_folder) {
  char path[256];
  snprintf(path, sizeof path, "%s/none:%s/proj/src/deep", folder, folder);
  CU_ASSERT_EQUAL(lines_in("a.c", path, NULL), 4);
  CU_ASSERT_EQUAL(lines_in("src/a.c", path, NULL), 4);
  CU_ASSERT_EQUAL(lines_in("./x/../src//a.c", path, NULL), 4);
  CU_ASSERT_EQUAL(lines_in("deep/a.c", path, NULL), 0);
}

TEST(test_prefixes_are_trimmed) {
  char path[256];
  snprintf(path, sizeof path, "%s/proj", folder);
  CU_ASSERT_EQUAL(lines_in("/far/away/proj/src/a.c", path, NULL), 4); /* found below a folder with a
                                                                         matching name */
  CU_ASSERT_EQUAL(lines_in("/far/src/a.c", path, "/other:/far"), 4);
  CU_ASSERT_EQUAL(lines_in("/proc/self/cwd/./src/a.c", path, "/other"), 4);
  CU_ASSERT_EQUAL(lines_in("/proc/self/cwd/src/a.c", path, NULL), 4);
  CU_ASSERT_EQUAL(lines_in("/far/src/a.c", path, NULL), 0);
}

TEST(test_what_is_not_there_is_told_as_pprof_does) {
  check_failure("/no/such/a.c", NULL, "open /no/such/a.c: no such file or directory");
  check_failure("b.c", "/no/such", "could not find file b.c on path /no/such");
}

TEST(test_files_of_the_system_are_never_opened) {
  check_failure("/etc/passwd", NULL, "open /etc/passwd: files of the system are not shown");
  check_failure("/proc/self/environ", NULL,
                "open /proc/self/environ: files of the system are not shown");
  check_failure("/dev/zero", NULL, "open /dev/zero: files of the system are not shown");
  check_failure("/tmp/../etc/passwd", NULL, "open /etc/passwd: files of the system are not shown");
  check_failure("etc/passwd", "/", "open /etc/passwd: files of the system are not shown");
  check_failure("../../../../../../../../etc/passwd", folder,
                "open /etc/passwd: files of the system are not shown");
}

TEST(test_links_do_not_lead_there) {
  char name[256], expected[512];
  CU_ASSERT_EQUAL(symlink("/etc/passwd", in_folder("link.c")), 0);
  snprintf(name, sizeof name, "%s", in_folder("link.c"));
  snprintf(expected, sizeof expected, "open %s: files of the system are not shown", name);
  check_failure(name, NULL, expected);
}

TEST(test_hidden_folders_are_not_looked_into) {
  char name[256], expected[512];
  write_file(".hidden/a.c", "secret\n", 7);
  write_file("proj/.git/a.c", "secret\n", 7);
  snprintf(name, sizeof name, "%s", in_folder(".hidden/a.c"));
  snprintf(expected, sizeof expected, "open %s: hidden files are not shown", name);
  check_failure(name, NULL, expected);
  snprintf(name, sizeof name, "%s", in_folder("proj/.git/a.c"));
  snprintf(expected, sizeof expected, "open %s: hidden files are not shown", name);
  check_failure(name, NULL, expected);
}

TEST(test_a_hidden_folder_that_is_searched_is_not_hidden) {
  char name[256], expected[512];
  write_file(".hidden/a.c", "shown\n", 6);
  CU_ASSERT_EQUAL(lines_in("a.c", in_folder(".hidden"), NULL), 1);
  snprintf(name, sizeof name, "%s", in_folder(".hidden"));
  CU_ASSERT_EQUAL(lines_in(in_folder(".hidden/a.c"), name, NULL), 1);
  write_file("proj/.git/a.c", "secret\n", 7);
  snprintf(name, sizeof name, "%s", in_folder("proj"));
  snprintf(expected, sizeof expected, "open %s/.git/a.c: hidden files are not shown", name);
  check_failure(".git/a.c", name, expected);
}

TEST(test_only_regular_texts_of_reasonable_size_are_read) {
  char name[256], expected[512];
  CU_ASSERT_EQUAL(mkfifo(in_folder("pipe.c"), 0600), 0);
  snprintf(name, sizeof name, "%s", in_folder("pipe.c"));
  snprintf(expected, sizeof expected, "open %s: not a regular file", name);
  check_failure(name, NULL, expected);
  snprintf(expected, sizeof expected, "open %s: not a regular file", folder);
  check_failure(folder, NULL, expected);

  write_file("proj/src/b.c", "a\0b\n", 4);
  snprintf(name, sizeof name, "%s", in_folder("proj/src/b.c"));
  snprintf(expected, sizeof expected, "open %s: not a text", name);
  check_failure(name, NULL, expected);
  write_file("proj/src/b.c", "a\n", 2);
  CU_ASSERT_EQUAL(truncate(in_folder("proj/src/b.c"), (off_t)SOURCE_FILE_BYTES + 1), 0);
  snprintf(expected, sizeof expected, "open %s: larger than 64 MiB", name);
  check_failure(name, NULL, expected);
}

TEST(test_a_line_that_is_too_long_ends_the_file) {
  static char text[65536 + 8];
  memset(text, 'x', sizeof text);
  text[0] = text[1 + 65535] = '\n';
  text[1 + 65535 + 1] = '\n';
  write_file("proj/src/b.c", text, 1 + 65535 + 2);
  CU_ASSERT_EQUAL(lines_in(in_folder("proj/src/b.c"), NULL, NULL), 3);
  text[1 + 65535] = 'x';
  write_file("proj/src/b.c", text, 1 + 65535 + 2);
  CU_ASSERT_EQUAL(lines_in(in_folder("proj/src/b.c"), NULL, NULL), 1);
}

TEST(test_names_may_be_any_bytes) {
  static char name[70000];
  memset(name, 'a', sizeof name - 1);
  CU_ASSERT_EQUAL(lines_in(name, NULL, NULL), 0);
  name[0] = '/';
  CU_ASSERT_EQUAL(lines_in(name, NULL, NULL), 0);
  open_lookup(NULL, NULL);
  pprofc_str line;
  CU_ASSERT_FALSE(source_lookup_line(&lookup, STR("/etc/passwd\0.c"), 1, &line));
  CU_ASSERT_FALSE(source_lookup_line(&lookup, STR(""), 1, &line));
  CU_ASSERT_FALSE(source_lookup_line(&lookup, STR("/"), 1, &line));
  source_lookup_free(&lookup);
}

/* Runs begin and end around each test. */
__attribute__((constructor)) static void tests_have_folders(void) {
  unit_suite->pSetUpFunc = begin;
  unit_suite->pTearDownFunc = end;
}
