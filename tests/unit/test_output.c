/* Tests output: UTF-8, escapes for terminals, JSON and XML, buffered output, and files that are
 * written completely or not at all. */
#include "core/buffer.h"
#include "core/escape.h"
#include "core/file.h"
#include "core/log_guard.h"
#include "core/output.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- escaping ---------------------------------------- */

typedef void escape_fn(struct buffer *out, pprofc_str s);

static void terminal_line(struct buffer *out, pprofc_str s) {
  escape_terminal(out, s, false);
}

static void terminal_layout(struct buffer *out, pprofc_str s) {
  escape_terminal(out, s, true);
}

static void expect_escaped(escape_fn *escape, pprofc_str text, const char *expected) {
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 16);
  escape(&out, text);
  if (out.data && !str_equal(buffer_str(&out), str_of(expected)))
    printf("    %.*s instead of %s\n", STR_ARG(buffer_str(&out)), expected ? expected : "");
  CU_ASSERT(str_equal(buffer_str(&out), str_of(expected)));
  buffer_free(&out);
}

TEST(test_utf8_is_decoded_strictly_one_bad_byte_at_a_time) {
  static const struct {
    pprofc_str text;
    size_t length;
    bool valid;
  } cases[] = {{{"", 0}, 0, true},
               {{"a\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80", 10}, 4, true},
               {{"\xc0\x80", 2}, 2, false},
               {{"\xe0\x80\x80", 3}, 3, false},
               {{"\xed\xa0\x80", 3}, 3, false},
               {{"\xf4\x90\x80\x80", 4}, 4, false},
               {{"\xe6\x97", 2}, 2, false},
               {{"\xff"
                 "a",
                 2},
                2,
                false},
               {{"\xf4\x8f\xbf\xbf", 4}, 1, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CU_ASSERT_EQUAL(utf8_length(cases[i].text), cases[i].length);
    CU_ASSERT_EQUAL(utf8_valid(cases[i].text), cases[i].valid);
  }
}

TEST(test_every_code_point_is_encoded_as_it_is_decoded) {
  for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 61) {
    if (code >= 0xD800 && code < 0xE000) continue;
    char bytes[4];
    size_t size = utf8_encode(code, bytes), at = 0;
    CU_ASSERT_EQUAL_FATAL(utf8_next((pprofc_str){bytes, size}, &at), (int32_t)code);
    CU_ASSERT_EQUAL_FATAL(at, size);
  }
}

TEST(test_nothing_that_drives_a_terminal_is_left) {
  expect_escaped(terminal_line, STR("caf\xc3\xa9 \xe6\x97\xa5"), "caf\xc3\xa9 \xe6\x97\xa5");
  expect_escaped(terminal_line, STR("\033[2J\a\x7f\0"), "\\x1b[2J\\x07\\x7f\\x00");
  expect_escaped(terminal_line,
                 STR("\xc2\x9b"
                     "31m"),
                 "\\xc2\\x9b31m");
  expect_escaped(terminal_line, STR("\xff\xe2\x80"), "\\xff\\xe2\\x80");
  expect_escaped(terminal_line, STR("a\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8"),
                 "a\\u{202e}\\u{2066}\\u{2028}");
  expect_escaped(terminal_line, STR("a\tb\nc\r"), "a\\x09b\\x0ac\\x0d");
  expect_escaped(terminal_layout, STR("a\tb\nc\r"), "a\tb\nc\\x0d");
}

TEST(test_clean_means_that_escaping_changes_nothing) {
  for (uint32_t code = 0; code <= 0x3000; code++) {
    char bytes[4];
    pprofc_str text = {bytes, utf8_encode(code, bytes)};
    struct buffer out;
    buffer_init(&out, &mem_default, 64);
    escape_terminal(&out, text, false);
    CU_ASSERT_EQUAL_FATAL(escape_terminal_clean(text), str_equal(text, buffer_str(&out)));
    buffer_free(&out);
  }
  CU_ASSERT_FALSE(escape_terminal_clean(STR("a\xff")));
}

TEST(test_direction_marks_and_tags_are_seen_everywhere) {
  static const struct {
    const char *mark, *shown, *json;
  } cases[] = {{"\xd8\x9c", "\\u{61c}", "\\u061c"},
               {"\xe2\x80\x8e", "\\u{200e}", "\\u200e"},
               {"\xe2\x80\x8f", "\\u{200f}", "\\u200f"},
               {"\xe2\x80\xae", "\\u{202e}", "\\u202e"},
               {"\xe2\x81\xa6", "\\u{2066}", "\\u2066"},
               {"\xf3\xa0\x80\x80", "\\u{e0000}", "\\udb40\\udc00"},
               {"\xf3\xa0\x81\xbf", "\\u{e007f}", "\\udb40\\udc7f"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_escaped(terminal_line, str_of(cases[i].mark), cases[i].shown);
    expect_escaped(escape_xml, str_of(cases[i].mark), cases[i].shown);
    expect_escaped(escape_json, str_of(cases[i].mark), cases[i].json);
  }
  /* joining characters of scripts and emoji stay, also next to tag characters */
  expect_escaped(terminal_line, STR("\xe2\x80\x8d\xe2\x80\x8c\xf3\xa0\x84\x80"),
                 "\xe2\x80\x8d\xe2\x80\x8c\xf3\xa0\x84\x80");
}

/* ---- logs -------------------------------------------- */

static void log_text(struct buffer *out, pprofc_str s) {
  escape_log(out, s, true);
}

static const struct {
  const char *text, *shown;
} log_cases[] = {
    {"::error::x", ":\\x3aerror::x"},
    {"a\n \t::error::x\r::b", "a\n \t:\\x3aerror::x\r:\\x3ab"},
    {"\xc2\xa0::a", "\xc2\xa0:\\x3a"
                    "a"},
    {"\xe3\x80\x80 \xe1\x9a\x80::a", "\xe3\x80\x80 \xe1\x9a\x80:\\x3a"
                                     "a"},
    {"\xe6\x97\xa5::a std::b :::c", "\xe6\x97\xa5::a std::b :::c"},
    {": :a\n:a::", ": :a\n:a::"},
    {":::", ":\\x3a:"},
    {"\xe3\x80::a", "\xe3\x80::a"},
    {"x##[a]##b[c]###[d]", "x##\\x5b"
                           "a]##b\\x5b"
                           "c]###\\x5b"
                           "d]"},
    {"#[a] ##1[b] ## [c] #\n#[d]", "#[a] ##1[b] ## [c] #\n#[d]"},
    {"##[a]\n##[b]", "##\\x5b"
                     "a]\n##\\x5b"
                     "b]"},
};

TEST(test_logs_get_no_command) {
  for (size_t i = 0; i < sizeof log_cases / sizeof *log_cases; i++)
    expect_escaped(log_text, str_of(log_cases[i].text), log_cases[i].shown);
}

TEST(test_commands_are_broken_wherever_the_writer_cuts_them) {
  for (size_t i = 0; i < sizeof log_cases / sizeof *log_cases; i++) {
    pprofc_str text = str_of(log_cases[i].text);
    for (size_t cut = 0; cut <= text.size; cut++) {
      struct buffer out;
      struct log_guard guard;
      buffer_init(&out, &mem_default, 256);
      log_guard_init(&guard, buffer_write, &out);
      CU_ASSERT_EQUAL(log_guard_write(&guard, text.data, cut), 0);
      CU_ASSERT_EQUAL(log_guard_write(&guard, text.data + cut, text.size - cut), 0);
      CU_ASSERT(str_equal(buffer_str(&out), str_of(log_cases[i].shown)));
      buffer_free(&out);
    }
  }
}

/* The escaping of CI commands skips text without ':' and '#'. If the text arrives byte by byte, it
 * skips nothing, and the result must be the same. */
TEST(test_a_log_is_guarded_as_byte_by_byte) {
  static const char bytes[] = "  \t\n\n\r::##[[aaab\xc2\xa0";
  uint32_t random = 1;
  for (size_t round = 0; round < 20000; round++) {
    char text[40];
    size_t size = round % sizeof text;
    for (size_t i = 0; i < size; i++) {
      random = random * 1664525 + 1013904223;
      text[i] = bytes[(random >> 16) % (sizeof bytes - 1)];
    }
    struct buffer whole, single;
    struct log_guard guard;
    buffer_init(&whole, &mem_default, 256);
    buffer_init(&single, &mem_default, 256);
    escape_log(&whole, (pprofc_str){text, size}, true);
    log_guard_init(&guard, buffer_write, &single);
    for (size_t i = 0; i < size; i++) CU_ASSERT_EQUAL(log_guard_write(&guard, text + i, 1), 0);
    CU_ASSERT(str_equal(buffer_str(&whole), buffer_str(&single)));
    buffer_free(&whole);
    buffer_free(&single);
  }
}

/* An algorithm with quadratic time would take minutes. */
TEST(test_a_log_of_a_million_hashes_takes_linear_time) {
  struct buffer text, out;
  buffer_init(&text, &mem_default, SIZE_MAX);
  buffer_init(&out, &mem_default, SIZE_MAX);
  buffer_add_fill(&text, '#', 4000000);
  escape_log(&out, buffer_str(&text), true);
  CU_ASSERT(str_equal(buffer_str(&text), buffer_str(&out)));
  buffer_free(&text);
  buffer_free(&out);
}

TEST(test_a_line_keeps_its_tabs_only) {
  expect_escaped(escape_line, STR("a\tb\nc\x1b\t"), "a\tb\\x0ac\\x1b\t");
  struct arena arena;
  arena_init(&arena, &mem_default);
  pprofc_str clean = STR("clean");
  CU_ASSERT_PTR_EQUAL(escape_line_keep(clean, &arena).data, clean.data);
  CU_ASSERT(str_equal(escape_line_keep(STR("a\n"), &arena), STR("a\\x0a")));
  arena_free(&arena);
}

TEST(test_json_strings_may_stand_in_a_script_element) {
  expect_escaped(escape_json, STR("a\"\\/\b\n\0"), "a\\\"\\\\/\\u0008\\u000a\\u0000");
  expect_escaped(escape_json, STR("</script>&"), "\\u003c/script\\u003e\\u0026");
  expect_escaped(escape_json, STR("\xe2\x80\xa8\xe2\x80\xa9\xc3\xa9"), "\\u2028\\u2029\xc3\xa9");
  expect_escaped(escape_json, STR("\xff\xed\xa0\x80"),
                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(test_xml_text_is_text_and_legal) {
  expect_escaped(escape_xml, STR("<a b=\"c\" d='e'>&"),
                 "&lt;a b=&#34;c&#34; d=&#39;e&#39;&gt;&amp;");
  expect_escaped(escape_xml, STR("\t\n\r\x01\0"), "\t\n&#13;\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped(escape_xml, STR("\xff\xef\xbf\xbe\xc3\xa9"), "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9");
  expect_escaped(escape_xml, STR("\x7f\xc2\x9b"), "&#127;&#155;");
  expect_escaped(escape_xml, STR("##[a] #"), "&#35;#[a] #");
  expect_escaped(escape_json, STR("##[a] #"), "\\u0023#[a] #");
}

/* ---- output ------------------------------------------ */

static int refuse(void *context, const void *data, size_t size) {
  (void)data, (void)size;
  ++*(int *)context;
  return 1;
}

TEST(test_output_arrives_whole_and_in_order) {
  static struct output out;
  static char large[100000];
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  output_init(&out, buffer_write, &text);
  output_add_int(&out, INT64_MIN);
  output_add_char(&out, ' ');
  output_add_uint(&out, UINT64_MAX);
  output_add_fill(&out, ' ', 2);
  output_add_padded(&out, STR("\xc3\xa9"), 3);
  output_add_padded(&out, STR("long"), 3);
  output_printf(&out, " %s\n", "end");
  memset(large, 'x', sizeof large);
  output_add(&out, large, sizeof large);
  output_add_str(&out, STR("!"));
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
  CU_ASSERT(str_starts(buffer_str(&text),
                       STR("-9223372036854775808 18446744073709551615    \xc3\xa9long end\nxxx")));
  CU_ASSERT(str_ends(buffer_str(&text), STR("xx!")));
  buffer_free(&text);
}

/* Tests formats and numbers that the code prints without calling vsnprintf. */
TEST(test_formats_print_as_printf_does) {
  static const double numbers[] = {0,        -0.0,  1,    -1,         0.5,      -0.005,
                                   0.125,    2.675, 1e15, -999999999, 1e22,     1e-300,
                                   12345.67, 1e300, NAN,  -2.5e3,     INFINITY, 1.0 / 3};
  static struct output out;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct buffer text;
    char expected[5000];
    double n = numbers[i];
    buffer_init(&text, &mem_default, 1 << 20);
    output_init(&out, buffer_write, &text);
    output_printf(&out, "<%s %u%% %lld>", "x", 7u, -8LL);
    CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
    for (int decimals = -1; decimals < 10; decimals++) buffer_add_double(&text, n, decimals);
    snprintf(expected, sizeof expected,
             "<%s %u%% %lld>%.17g%.0f%.1f%.2f%.3f%.4f%.5f%.6f%.7f%.8f%.9f", "x", 7u, -8LL, n, n, n,
             n, n, n, n, n, n, n, n);
    CU_ASSERT(str_equal(buffer_str(&text), str_of(expected)));
    buffer_free(&text);
  }
}

/* Tests texts that reach the end of the output's buffer, and a text that is longer. */
TEST(test_formats_at_the_end_of_the_buffer) {
  static struct output out;
  static char long_text[sizeof out.data];
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 22);
  memset(long_text, 'x', 1000);
  output_init(&out, buffer_write, &text);
  for (size_t i = 0; i < 100; i++) output_printf(&out, "%5.1f%s", 1.0, long_text);
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(text.size, 100 * 1005);
  for (size_t i = 0; i < text.size; i += 1005)
    CU_ASSERT(str_starts(str_slice(buffer_str(&text), i, text.size), STR("  1.0x")));
  memset(long_text, 'x', sizeof long_text - 1);
  output_printf(&out, "%s%s", long_text, "x");
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_E_IO);
  buffer_free(&text);
}

TEST(test_output_that_was_refused_once_is_refused_for_good) {
  static struct output out;
  static char large[100000];
  int calls = 0;
  pprofc_error error;
  output_init(&out, refuse, &calls);
  output_add(&out, large, sizeof large);
  output_add(&out, large, sizeof large);
  CU_ASSERT_EQUAL(output_flush(&out, &error), PPROFC_E_IO);
  CU_ASSERT_EQUAL(calls, 1);
  CU_ASSERT_STRING_EQUAL(error.message, "cannot write the output");
}

/* ---- files ------------------------------------------- */

static char folder[64];

static void enter_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/test_base_XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  CU_ASSERT_EQUAL_FATAL(chdir(folder), 0);
}

/* Empties and removes the folder. Returns the number of entries that it had. */
static int leave_folder(void) {
  int count = 0;
  DIR *entries = opendir(".");
  for (struct dirent *entry; entries && (entry = readdir(entries));)
    if (entry->d_name[0] != '.') {
      count++;
      unlink(entry->d_name);
    }
  if (entries) closedir(entries);
  CU_ASSERT_EQUAL(chdir("/"), 0);
  CU_ASSERT_EQUAL(rmdir(folder), 0);
  return count;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
}

static bool file_is(const char *path, const char *text) {
  char got[256] = "";
  FILE *file = fopen(path, "r");
  if (!file) return false;
  size_t size = fread(got, 1, sizeof got - 1, file);
  got[size] = '\0';
  fclose(file);
  return strcmp(got, text) == 0;
}

TEST(test_a_file_appears_when_it_is_whole) {
  static struct outfile file;
  enter_folder();
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "new", NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_write(&file, "text", 4), 0);
  CU_ASSERT_EQUAL(access("new", F_OK), -1);
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  CU_ASSERT_TRUE(file_is("new", "text"));
  CU_ASSERT_EQUAL(leave_folder(), 1);
}

TEST(test_an_old_file_stays_until_the_new_one_is_whole) {
  static struct outfile file;
  struct stat info;
  enter_folder();
  write_file("old", "before");
  chmod("old", 0640);
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "old", NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_write(&file, "after", 5), 0);
  outfile_discard(&file);
  CU_ASSERT_TRUE(file_is("old", "before"));
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "old", NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_write(&file, "after", 5), 0);
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  CU_ASSERT_TRUE(file_is("old", "after"));
  CU_ASSERT_EQUAL(stat("old", &info), 0);
  CU_ASSERT_EQUAL(info.st_mode & 07777, 0640);
  CU_ASSERT_EQUAL(leave_folder(), 1);
}

TEST(test_a_link_stays_a_link) {
  static struct outfile file;
  struct stat info;
  enter_folder();
  write_file("target", "before");
  CU_ASSERT_EQUAL(symlink("target", "link"), 0);
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "link", NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_write(&file, "after", 5), 0);
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  CU_ASSERT_TRUE(file_is("target", "after"));
  CU_ASSERT_EQUAL(lstat("link", &info), 0);
  CU_ASSERT_TRUE(S_ISLNK(info.st_mode));
  CU_ASSERT_EQUAL(leave_folder(), 2);
}

TEST(test_a_device_is_written_straight) {
  static struct outfile file;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "/dev/null", &error), PPROFC_OK);
  CU_ASSERT_TRUE(file.straight);
  CU_ASSERT_EQUAL(outfile_write(&file, "x", 1), 0);
  CU_ASSERT_EQUAL(outfile_commit(&file, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "/dev/full", &error), PPROFC_OK);
  CU_ASSERT_NOT_EQUAL(outfile_write(&file, "x", 1), 0);
  outfile_discard(&file);
}

TEST(test_what_cannot_be_written_says_so) {
  static struct outfile file;
  static char longest[5000];
  pprofc_error error;
  CU_ASSERT_EQUAL(outfile_open(&file, "/no/such/folder/x", &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message,
                         "cannot write '/no/such/folder/x': no such file or directory");
  CU_ASSERT_EQUAL(outfile_open(&file, "/", &error), PPROFC_E_IO);
  memset(longest, 'x', sizeof longest - 1);
  CU_ASSERT_EQUAL(outfile_open(&file, longest, &error), PPROFC_E_IO);
}

/* Opens "new" in another process, which the test then stops or kills. */
static pid_t open_elsewhere(int end) {
  static struct outfile file;
  pid_t writer = fork();
  if (writer == 0) {
    if (outfile_open(&file, "new", NULL) == PPROFC_OK) (void)outfile_write(&file, "half", 4);
    raise(end);
    _exit(0);
  }
  CU_ASSERT_EQUAL(waitpid(writer, NULL, WUNTRACED), writer);
  return writer;
}

static void write_new(void) {
  static struct outfile file;
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "new", NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_write(&file, "text", 4), 0);
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  CU_ASSERT_TRUE(file_is("new", "text"));
}

TEST(test_the_next_write_removes_what_a_killed_one_left) {
  enter_folder();
  write_file("new.tmp-backup", "a file of the user");
  for (int i = 0; i < 3; i++) open_elsewhere(SIGKILL);
  write_new();
  CU_ASSERT_EQUAL(leave_folder(), 2);
}

TEST(test_files_of_living_writers_stay) {
  static struct outfile file;
  enter_folder();
  pid_t writer = open_elsewhere(SIGSTOP);
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, "new", NULL), PPROFC_OK);
  write_new();
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  kill(writer, SIGKILL);
  CU_ASSERT_EQUAL(waitpid(writer, NULL, 0), writer);
  CU_ASSERT_EQUAL(leave_folder(), 2);
}

TEST(test_a_long_name_leaves_room_for_the_temporary_one) {
  static struct outfile file;
  static char name[256];
  enter_folder();
  memset(name, 'x', 255);
  CU_ASSERT_EQUAL_FATAL(outfile_open(&file, name, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(outfile_commit(&file, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(leave_folder(), 1);
}

/* ---- the umask --------------------------------------- */

static atomic_bool creates_files;
static atomic_int files_created, files_open_to_all;

/* Replaces the C library's function. With each mask, waits until the other thread has created two
 * files. */
mode_t umask(mode_t mask) {
  mode_t before = (mode_t)syscall(SYS_umask, mask);
  for (int until = files_created + 2; creates_files && files_created < until;) usleep(100);
  return before;
}

/* Creates files until the test ends. Counts the files that other users may write to. */
static void *create_files(void *arg) {
  struct stat info;
  (void)arg;
  while (creates_files) {
    int fd = open("other", O_WRONLY | O_CREAT, 0666);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_mode & S_IWOTH) files_open_to_all++;
    if (fd >= 0) close(fd);
    unlink("other");
    files_created++;
  }
  return NULL;
}

TEST(test_no_other_thread_sees_another_umask) {
  pthread_t thread;
  enter_folder();
  creates_files = true;
  CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, create_files, NULL), 0);
  for (int i = 0; i < 5; i++) write_new();
  while (files_created < 5) usleep(100);
  creates_files = false;
  pthread_join(thread, NULL);
  CU_ASSERT_EQUAL(files_open_to_all, 0);
  CU_ASSERT_EQUAL(leave_folder(), 1);
}
