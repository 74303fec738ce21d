/* Creates a random profile, changes some of its bytes, and reads it by each method: from memory, a
 * file and a pipe, with one thread and several, completely and as sums of samples. All methods must
 * give the same bytes or the same error. */
#include "codec/codec.h"
#include "report_target.h"
#include "scratch.h"
#include "shape.h"

#include <fcntl.h>

struct way {
  pprofc_status status;
  uint64_t offset;
  pprofc_profile *profile;
};

static pprofc_read_options read_options(const pprofc_limits *limits, unsigned threads) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = limits;
  options.threads = threads;
  return options;
}

static struct way way_of(pprofc_status status, pprofc_profile *profile, const pprofc_error *error) {
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  return (struct way){status, status == PPROFC_OK ? PPROFC_NO_OFFSET : error->offset, profile};
}

static struct way read_bytes(pprofc_str bytes, unsigned threads) {
  pprofc_limits limits = fuzz_limits();
  pprofc_read_options options = read_options(&limits, threads);
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status =
      pprofc_profile_read_memory(bytes.data, bytes.size, &options, &profile, &error);
  return way_of(status, profile, &error);
}

static struct way read_named(const char *path, unsigned threads) {
  pprofc_limits limits = fuzz_limits();
  pprofc_read_options options = read_options(&limits, threads);
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_profile_read_file(path, &options, &profile, &error);
  return way_of(status, profile, &error);
}

static struct way read_pipe(pprofc_str bytes) {
  int ends[2];
  char path[32];
  REQUIRE(pipe(ends) == 0);
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  REQUIRE(write(ends[1], bytes.data, bytes.size) == (ssize_t)bytes.size);
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  struct way way = read_named(path, 2);
  close(ends[0]);
  return way;
}

/* Checks that two methods gave the same error, or profiles whose written bytes are equal. */
static void check_same(const struct way *expected, struct way got) {
  REQUIRE(got.status == expected->status);
  if (got.profile) {
    struct buffer a, b;
    buffer_init(&a, &mem_default, PTRDIFF_MAX);
    buffer_init(&b, &mem_default, PTRDIFF_MAX);
    REQUIRE(pprofc_profile_write(expected->profile, report_collect, &a, NULL) == PPROFC_OK);
    REQUIRE(pprofc_profile_write(got.profile, report_collect, &b, NULL) == PPROFC_OK);
    REQUIRE(str_equal(buffer_str(&a), buffer_str(&b)));
    buffer_free(&a);
    buffer_free(&b);
  } else {
    REQUIRE(got.offset == expected->offset);
  }
  pprofc_profile_release(got.profile);
}

static pprofc_status render(const pprofc_profile *profile, const char *format, unsigned threads,
                            struct buffer *out) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.threads = threads;
  buffer_init(out, &mem_default, PTRDIFF_MAX);
  return pprofc_report(profile, &options, report_collect, out, NULL);
}

static void check_report(const pprofc_profile *a, const pprofc_profile *b, const char *format,
                         unsigned threads) {
  struct buffer expected, got;
  pprofc_status wanted = render(a, format, 1, &expected);
  REQUIRE(render(b, format, threads, &got) == wanted);
  REQUIRE(wanted != PPROFC_OK || str_equal(buffer_str(&expected), buffer_str(&got)));
  buffer_free(&expected);
  buffer_free(&got);
}

/* Checks that a profile read as sums of samples gives the same reports of sums. */
static void check_added_up(const struct way *expected, pprofc_str bytes, struct fold_options how) {
  pprofc_limits limits = fuzz_limits();
  pprofc_profile *profile = NULL;
  how.mem = &mem_default;
  how.limits = &limits;
  how.always = true;
  if (fold_read_memory(bytes.data, bytes.size, &how, &profile) != PPROFC_OK) return;
  REQUIRE(expected->profile);
  check_report(expected->profile, profile, how.tree ? "top" : "tree", how.threads);
  if (how.labels) check_report(expected->profile, profile, "tags", how.threads);
  pprofc_profile_release(profile);
}

static void check_ways(pprofc_str bytes) {
  char path[128];
  const struct way expected = read_bytes(bytes, 1);
  check_same(&expected, read_bytes(bytes, 3));
  check_same(&expected, read_named(scratch_write("p.pb", bytes.data, bytes.size, path), 1));
  check_same(&expected, read_named(path, 3));
  check_same(&expected, read_pipe(bytes));
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    check_added_up(&expected, bytes, (struct fold_options){.threads = threads, .labels = true});
    check_added_up(&expected, bytes, (struct fold_options){.threads = threads});
    check_added_up(&expected, bytes,
                   (struct fold_options){.threads = threads, .tree = true, .sample_index = ""});
  }
  if (expected.profile) check_report(expected.profile, expected.profile, "dot", 3);
  pprofc_profile_release(expected.profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct shape s;
  shape_open(&s, data, size);
  unsigned changes = shape_below(&s, 4);
  pprofc_str bytes = shape_write(&s);
  for (; changes && bytes.size < 1u << 19; changes--)
    s.out.data[shape_random(&s) % bytes.size] = (char)shape_random(&s);
  if (bytes.size < 1u << 19) check_ways(bytes);
  buffer_free(&s.out);
  return 0;
}
