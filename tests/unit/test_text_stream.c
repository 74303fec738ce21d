/* Tests that readers process large texts line by line from files, memory, gzip and pipes, with the
 * same result. */
#include "codec/codec.h"
#include "compare.h"
#include "core/buffer.h"
#include "failing.h"
#include "import/reader.h"
#include "import/text_stream.h"
#include "open.h"
#include "pprofc/pprofc.h"
#include "read_format.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define LARGE ((size_t)17 << 17) /* the reader reads texts of 2 MiB and more by lines */

/* ---- texts ------------------------------------------- */

/* Writes perf script output with two events; the second event begins late. The output has inlined
 * frames, source lines, Java's arrows and an unusual line. With `maps` it has the addresses of two
 * processes. */
static void make_perf(struct buffer *text, bool maps) {
  buffer_init(text, &mem_default, SIZE_MAX / 2);
  buffer_add_text(text, "# build id: beef01 /bin/prog\n");
  for (int pid = 7; maps && pid < 9; pid++)
    buffer_printf(text,
                  "prog %d/%d 1.0: PERF_RECORD_MMAP2 %d/%d: [0x%d000(0x9000) @ 0 fe:00 1 3]: r-xp "
                  "/bin/prog\n",
                  pid, pid, pid, pid, pid);
  for (unsigned i = 0; text->size < LARGE; i++) {
    unsigned late = text->size > LARGE / 2;
    buffer_printf(text, "prog a %u/%u [003] 1.5: %u %s: \n", 7 + i % 2, 7 + i, 100 + i % 3,
                  late && i % 5 == 0 ? "cycles" : "cpu-clock:u");
    buffer_printf(text, "\t7%03x leaf%u+0x5c (/bin/prog)\n", i % 4096, i % 900);
    buffer_add_text(text, "\t8001 small (inlined)\n\t8001 big+0x1 (/bin/prog)\n");
    if (i % 7 == 0) buffer_add_text(text, "  big.c:12\n");
    if (i % 11 == 0) buffer_add_text(text, "\t8002 La;::x->y+0x1 (/tmp/perf-7.map)\n");
    if (i % 1000 == 0) buffer_add_text(text, "odd line\n");
    buffer_add_text(text, "\t8003 main+0x2 (/bin/prog)\n\n");
  }
}

static void make_folded(struct buffer *text, size_t size) {
  buffer_init(text, &mem_default, SIZE_MAX / 2);
  buffer_add_text(text, "\xEF\xBB\xBF");
  for (unsigned i = 0; text->size < size; i++) {
    buffer_printf(text, "main;work%u;inner_[i];", i % 5000);
    for (unsigned k = 0; k < 9; k++) buffer_printf(text, "of.a.package.with.a.long.name.f%u;", k);
    buffer_printf(text, "kernel_[k] %u\r\n", i % 90 + 1);
    if (i == 3000) /* a line longer than the reader's buffers */
      for (unsigned k = 0; k < 40000; k++) buffer_printf(text, "deep%u;", k % 99);
    if (i == 5000) buffer_add_text(text, "no stack\n");
  }
  buffer_add_text(text, "main;last 7");
}

/* ---- methods of reading ------------------------------ */

static pprofc_profile *text_in_memory(const struct buffer *text, import_fn read) {
  struct import_options options = {.times = true};
  pprofc_limits limits;
  pprofc_error error;
  pprofc_profile *profile = NULL;
  struct buffer utf8;
  pprofc_str data;
  pprofc_limits_init(&limits);
  options.limits = &limits;
  CU_ASSERT_EQUAL(import_text(buffer_str(text), &mem_default, &utf8, &data, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(read_format(read, data, &mem_default, &options, &profile, &error), PPROFC_OK);
  buffer_free(&utf8);
  return profile;
}

static void write_text(const char *path, const struct buffer *text, const char *mode) {
  gzFile file = gzopen(path, mode); /* the mode "wT" writes uncompressed bytes */
  CU_ASSERT_FATAL(file && gzwrite(file, text->data, (unsigned)text->size) == (int)text->size);
  gzclose(file);
}

static pprofc_profile *text_from_pipe(char *path, const struct buffer *text, size_t size,
                                      const pprofc_limits *limits, pprofc_status wanted) {
  pprofc_profile *profile = NULL;
  pprofc_error error;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = limits;
  CU_ASSERT_FATAL(mkfifo(path, 0600) == 0);
  pid_t child = fork();
  if (child == 0) {
    int fd = open(path, O_WRONLY);
    size_t at = 0;
    for (ssize_t n = 1; n > 0 && at < size; at += (size_t)n)
      n = write(fd, text->data + at, size - at);
    _exit(0);
  }
  CU_ASSERT_EQUAL(open_file(path, &options, NULL, &profile, &error), wanted);
  int status;
  CU_ASSERT(waitpid(child, &status, 0) == child);
  unlink(path);
  return profile;
}

static void same_as(pprofc_profile *whole, pprofc_profile *profile) {
  struct difference difference;
  CU_ASSERT_FATAL(whole && profile);
  compare_profiles(whole, profile, &difference);
  CU_ASSERT_PTR_NULL(difference.what);
  pprofc_profile_release(profile);
}

/* Reads a text by each method. */
static void check_text(const struct buffer *text, import_fn read) {
  char path[] = "/tmp/test_stream.XXXXXX";
  pprofc_profile *whole = text_in_memory(text, read), *profile = NULL;
  CU_ASSERT_FATAL(mkdtemp(path) && rmdir(path) == 0);
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text->data, text->size, NULL, &profile, NULL),
                  PPROFC_OK);
  same_as(whole, profile);
  static const char *const modes[] = {"wT", "w1"};
  for (size_t i = 0; i < 2; i++) {
    write_text(path, text, modes[i]);
    CU_ASSERT_EQUAL(pprofc_profile_read_file(path, NULL, &profile, NULL), PPROFC_OK);
    same_as(whole, profile);
    unlink(path);
  }
  same_as(whole, text_from_pipe(path, text, text->size, NULL, PPROFC_OK));
  pprofc_profile_release(whole);
}

TEST(test_all_ways_are_the_same) {
  struct buffer text;
  for (int maps = 0; maps < 2; maps++) {
    make_perf(&text, maps);
    check_text(&text, import_perf_script);
    buffer_free(&text);
  }
  make_folded(&text, LARGE);
  check_text(&text, import_folded);
  buffer_free(&text);
}

/* ---- memory ------------------------------------------ */

/* Reading a file must need less than 0.3 times its size in memory. */
TEST(test_memory_follows_what_is_distinct) {
  struct buffer text;
  char path[] = "/tmp/test_stream.XXXXXX";
  make_folded(&text, (size_t)5 << 20);
  CU_ASSERT_FATAL(mkdtemp(path) && rmdir(path) == 0);
  write_text(path, &text, "wT");
  for (size_t n = 0; n < 10; n++) { /* 50 MB of equal lines */
    FILE *file = fopen(path, "a");
    CU_ASSERT_FATAL(file && fwrite("\n", 1, 1, file) == 1);
    CU_ASSERT(fwrite(text.data + 3, 1, text.size - 3, file) == text.size - 3);
    fclose(file);
  }
  pprofc_limits limits;
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_limits_init(&limits);
  pprofc_read_options_init(&options);
  limits.memory_bytes = text.size * 11 * 3 / 10;
  options.limits = &limits;
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, &options, &profile, NULL), PPROFC_OK);
  pprofc_profile_release(profile);
  unlink(path);
  buffer_free(&text);
}

static struct buffer memory_text;

static pprofc_status read_failing(struct faults *faults, const pprofc_allocator *mem) {
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  options.threads = 1;
  failing_arm(faults);
  pprofc_status status =
      pprofc_profile_read_memory(memory_text.data, memory_text.size, &options, &profile, NULL);
  pprofc_profile_release(profile);
  return status;
}

TEST(test_allocations_may_fail) {
  make_perf(&memory_text, true);
  memory_text.size = (size_t)1 << 17;
  buffer_add_text(&memory_text, "\n\n");
  for (char line[4096] = "#"; memory_text.size < LARGE;) {
    memset(line + 1, 'x', sizeof line - 2);
    line[sizeof line - 1] = '\n';
    buffer_add(&memory_text, line, sizeof line);
  }
  CU_ASSERT(failing_each(read_failing) > 20);
  buffer_free(&memory_text);
}

/* ---- faults ------------------------------------------ */

TEST(test_limits_and_faults) {
  struct buffer text;
  char path[] = "/tmp/test_stream.XXXXXX";
  pprofc_limits limits;
  pprofc_error error;
  pprofc_profile *profile = NULL;
  pprofc_read_options options;
  pprofc_limits_init(&limits);
  pprofc_read_options_init(&options);
  options.limits = &limits;
  make_folded(&text, LARGE);
  CU_ASSERT_FATAL(mkdtemp(path) && rmdir(path) == 0);
  limits.input_bytes = LARGE * 9 / 10;
  text_from_pipe(path, &text, text.size, &limits, PPROFC_E_LIMIT);
  limits.input_bytes = 0;
  write_text(path, &text, "w1");
  struct stat info;
  CU_ASSERT_FATAL(stat(path, &info) == 0 && truncate(path, info.st_size * 9 / 10) == 0);
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, &options, &profile, &error), PPROFC_E_FORMAT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "truncated gzip stream at byte"));
  unlink(path);
  buffer_free(&text);
}

/* If a file cannot be read, the reader for whole inputs must report the reason. */
TEST(test_a_file_that_cannot_be_read) {
  struct text_stream stream;
  pprofc_limits limits;
  pprofc_error error;
  pprofc_limits_init(&limits);
  const struct text_bytes bytes = {NULL, 0, open("/dev/null", O_WRONLY), false};
  CU_ASSERT_FATAL(bytes.fd >= 0);
  CU_ASSERT_EQUAL(text_stream_open(&stream, &bytes, 1, &mem_default, &limits, &error),
                  PPROFC_E_NO_MATCH);
  close(bytes.fd);
}

/* A terminal may return a single byte first, and more bytes later. */
TEST(test_a_pipe_with_one_byte_first) {
  char head[] = {'a', '?', '?', '?'};
  int ends[2];
  pprofc_limits limits;
  pprofc_error error;
  struct input input;
  pprofc_limits_init(&limits);
  limits.input_bytes = limits.inflated_bytes = 1000;
  CU_ASSERT_FATAL(pipe(ends) == 0 && write(ends[1], "bcd", 3) == 3 && close(ends[1]) == 0);
  const struct input_pipe first = {ends[0], (uint8_t *)head, 1, sizeof head, &mem_default};
  CU_ASSERT_FATAL(input_pipe_read(&first, &limits, true, &input, &error) == PPROFC_OK);
  CU_ASSERT(input.size == 4 && memcmp(input.data, "abcd", 4) == 0);
  region_release(input.region);
  close(ends[0]);
}

/* A line that is longer than all buffers must stay one line. */
TEST(test_long_lines) {
  struct buffer text;
  struct text_stream stream;
  pprofc_limits limits;
  pprofc_error error;
  pprofc_str line;
  pprofc_limits_init(&limits);
  limits.input_bytes = limits.inflated_bytes = (uint64_t)1 << 30;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_add_fill(&text, 'a', LARGE);
  buffer_add_text(&text, "\n\nb");
  const struct text_bytes bytes = {text.data, text.size, -1, false};
  CU_ASSERT_FATAL(text_stream_open(&stream, &bytes, 1, &mem_default, &limits, &error) == PPROFC_OK);
  for (int turn = 0; turn < 2; turn++) {
    CU_ASSERT(text_stream_line(&stream, &line) && line.size == LARGE);
    CU_ASSERT(text_stream_line(&stream, &line) && line.size == 0);
    CU_ASSERT(text_stream_line(&stream, &line) && str_equal(line, STR("b")));
    CU_ASSERT(!text_stream_line(&stream, &line));
    CU_ASSERT(text_stream_can_rewind(&stream) && text_stream_rewind(&stream));
  }
  CU_ASSERT_EQUAL(text_stream_status(&stream, &error), PPROFC_OK);
  text_stream_close(&stream);
  buffer_free(&text);
}

/* A large file of another format must need memory for its content, but not for its text. */
TEST(test_large_files_are_mapped) {
  struct buffer text;
  pprofc_read_options options;
  pprofc_limits limits;
  pprofc_error error;
  pprofc_profile *profile = NULL;
  char path[] = "/tmp/pprofc_mapped.XXXXXX";
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0 && close(fd) == 0);
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_add_text(&text, "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":"
                         "\"sampled\",\"unit\":\"none\",\"weights\":[");
  for (size_t i = 0; i < 100000; i++) buffer_add_text(&text, i ? ",1" : "1");
  buffer_add_text(&text, "],\"samples\":[");
  for (size_t i = 0; i < 100000; i++) {
    buffer_add_text(&text, i ? ",[0" : "[0");
    buffer_add_fill(&text, ' ', 100);
    buffer_add_char(&text, ']');
  }
  buffer_add_text(&text, "]}]}");
  write_text(path, &text, "wT");
  pprofc_read_options_init(&options);
  pprofc_limits_init(&limits);
  options.limits = &limits;
  limits.memory_bytes = text.size - (1 << 20);
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, &options, &profile, &error), PPROFC_OK);
  pprofc_profile_release(profile);
  options.may_change = true;
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, &options, &profile, &error), PPROFC_E_LIMIT);
  unlink(path);
  buffer_free(&text);
}
