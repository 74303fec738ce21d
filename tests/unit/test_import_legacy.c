/* Tests old formats. The reader must recognize each by its content, and handle all its
 * peculiarities. */
#include "core/buffer.h"
#include "core/error.h"
#include "profile_text.h"
#include "unit.h"

/* Appends the samples, locations and mappings of a profile, one per line. */
static void text_of_all(struct buffer *out, const pprofc_profile *p) {
  pprofc_header header;
  pprofc_profile_header(p, &header);
  buffer_printf(out, "%.*s/%.*s %" PRId64 "\n", STR_ARG(header.period_type.type),
                STR_ARG(header.period_type.unit), header.period);
  for (size_t i = 0; i < pprofc_profile_type_count(p); i++) {
    pprofc_value_type type = pprofc_profile_type(p, i);
    buffer_printf(out, "%.*s/%.*s ", STR_ARG(type.type), STR_ARG(type.unit));
  }
  buffer_add_char(out, '\n');
  text_of_samples(out, p);
  for (uint32_t i = 0; i < pprofc_profile_mapping_count(p); i++) {
    pprofc_mapping m = pprofc_profile_mapping(p, i);
    buffer_printf(out, "%" PRIx64 "-%" PRIx64 " %" PRIx64 " [%.*s] [%.*s]\n", m.start, m.limit,
                  m.offset, STR_ARG(m.file), STR_ARG(m.build_id));
  }
}

/* Reads `data`. Compares the profile, or the error message, with `wanted`. */
static void check_bytes(const void *data, size_t size, const char *wanted) {
  struct buffer out;
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  pprofc_profile *profile = NULL;
  pprofc_error error = {0};
  if (pprofc_profile_read_memory(data, size, NULL, &profile, &error) == PPROFC_OK)
    text_of_all(&out, profile);
  else
    buffer_add_text(&out, error.message);
  CU_ASSERT(str_equal(buffer_str(&out), str_of(wanted)));
  if (!str_equal(buffer_str(&out), str_of(wanted)))
    fprintf(stderr, "got:\n%.*s\nwanted:\n%s\n", STR_ARG(out), wanted);
  buffer_free(&out);
  pprofc_profile_release(profile);
}

static void check(const char *text, const char *wanted) {
  check_bytes(text, strlen(text), wanted);
}

#define EVERYTHING "0-ffffffffffffffff 0 [] []\n"

/* ---- gperftools CPU ---------------------------------- */

/* Writes words in the given size and byte order. Returns the number of bytes. */
static size_t put_words(uint8_t *out, const uint64_t *words, size_t count, size_t size, bool big) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < size; k++)
      out[i * size + k] = (uint8_t)(words[i] >> 8 * (big ? size - 1 - k : k));
  return count * size;
}

#define WORDS(...) (const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / 8

TEST(test_cpu_profiles_of_all_word_sizes_and_orders) {
  static const struct {
    size_t size;
    bool big;
  } formats[] = {{4, false}, {4, true}, {8, false}, {8, true}};
  const char map[] = "  1000-2000: /bin/prog\n";
  for (size_t i = 0; i < 4; i++) {
    uint8_t data[512];
    size_t size =
        put_words(data, WORDS(0, 3, 0, 10000, 0, 2, 2, 0x1100, 0x1200, 1, 1, 0x1300, 0, 1, 0),
                  formats[i].size, formats[i].big);
    memcpy(data + size, map, sizeof map - 1);
    check_bytes(data, size + sizeof map - 1,
                "cpu/nanoseconds 10000000\nsamples/count cpu/nanoseconds \n"
                "2 20000000: 1 2 | 0x1100 0x11ff\n1 10000000: 3 | 0x1300\n"
                "1000-2000 0 [/bin/prog] []\n");
  }
}

TEST(test_cpu_profiles_lose_the_frames_of_the_signal_handler) {
  uint8_t data[512];
  size_t size = put_words(
      data, WORDS(0, 3, 0, 1, 0, 1, 4, 0x10, 0x21, 0x31, 0x41, 2, 4, 0x11, 0x21, 0x31, 0x51), 8,
      false);
  check_bytes(data, size,
              "cpu/nanoseconds 1000\nsamples/count cpu/nanoseconds \n"
              "1 1000: 1 2 | 0x10 0x40\n2 2000: 3 4 | 0x11 0x50\n" EVERYTHING);
}

TEST(test_cpu_profiles_lose_a_repeated_leaf) {
  uint8_t data[512];
  size_t size = put_words(
      data, WORDS(0, 3, 0, 1, 0, 1, 3, 0x10, 0x10, 0x31, 1, 3, 0x20, 0x40, 0x51), 8, false);
  check_bytes(data, size,
              "cpu/nanoseconds 1000\nsamples/count cpu/nanoseconds \n"
              "1 1000: 1 3 | 0x10 0x30\n1 1000: 4 5 6 | 0x20 0x3f 0x50\n" EVERYTHING);
}

TEST(test_cpu_profile_of_java) {
  uint8_t data[512];
  const char locations[] = "0x5 com.Main.run (Main.java:12)\n0x6 read (/lib/libc.so)\n";
  size_t size = put_words(data, WORDS(0, 3, 1, 1, 0, 1, 3, 5, 6, 7, 0, 1, 0), 4, false);
  memcpy(data + size, locations, sizeof locations - 1);
  check_bytes(data, size + sizeof locations - 1,
              "cpu/nanoseconds 1000\nsamples/count cpu/nanoseconds \n"
              "1 1000: 1 2 3 | com.Main.run read 0x0\n" EVERYTHING);
}

/* ---- heap -------------------------------------------- */

TEST(test_heap_samples_are_scaled_up) {
  check("heap profile: 1: 2 [ 1: 2] @ heap_v2/512\n 2: 2000 [ 4: 40] @ 0x1001 0x2001\n",
        "space/bytes 512\nobjects/count space/bytes \n"
        "2 2330: 1 2 | 0x1000 0x2000 | bytes=1000:\n" EVERYTHING);
}

TEST(test_heap_with_allocations_has_four_values) {
  check("heap profile: 1: 2 [ 3: 4] @ heapprofile\n# comment\n1: 2 [3: 9] @ 0x1001\n",
        "space/bytes 1\nalloc_objects/count alloc_space/bytes inuse_objects/count "
        "inuse_space/bytes \n"
        "3 9 1 2: 1 | 0x1000 | bytes=2:\n" EVERYTHING);
}

TEST(test_heap_of_go_halves_the_period) {
  check("heap profile: 1: 2 [1: 2] @ heap/1048576\n",
        "space/bytes 524288\nobjects/count space/bytes \n");
}

TEST(test_growth_is_not_scaled) {
  check("heap profile: 1: 2 [ 1: 2] @ growthz\n2: 2000 [2: 2000] @ 0x11\n",
        "space/bytes 1\nobjects/count space/bytes \n2 2000: 1 | 0x10 | bytes=1000:\n" EVERYTHING);
}

TEST(test_bad_heap_samples_are_errors) {
  check("heap profile: 1: 2 [1: 2] @ heap_v2/1\njunk\n",
        "parsing profile: heap profile: unexpected number of sample values: got 0, want 6: junk "
        "at byte 38");
  check("heap profile: 1: 2 [1: 2] @ heap_v2/1\n0: 2000 [0: 0] @ 0x1\n",
        "parsing profile: heap profile: inuse count was 0 but inuse bytes was 2000");
}

/* ---- other texts ------------------------------------- */

TEST(test_counted_stacks_of_go) {
  check(
      "goroutine profile: total 3\n2 @ 0x11 0x21\n#\t0x10\tmain.main+0x1\tmain.go:1\n\n1 @ 0x11\n",
      "goroutine/count 1\ngoroutine/count \n2: 1 2 | 0x10 0x20\n1: 1 | 0x10\n" EVERYTHING);
  check("goroutine profile: total 3\n2 @ 0x11 0xFF\n",
        "parsing profile: Go count profile: malformed profile format: 2 @ 0x11 0xFF at byte 27");
}

TEST(test_threads_and_threads_like_them) {
  check(
      "--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n  PC: 0x10\n  0x21 f()\n"
      "--- Thread 8f (name: a/2) stack: ---\n  [same as previous thread]\n"
      "--- Thread 9f (name: b/3) stack: ---\n  0x30 0x41\n"
      "--- Memory map: ---\n  0-1000: /bin/prog\n",
      "thread/count 1\nthread/count \n2: 1 2 | 0x10 0x20\n1: 3 4 | 0x30 0x40\n0-1000 0 [/bin/prog] "
      "[]\n");
}

TEST(test_contention_is_scaled_by_clock_and_period) {
  check(
      "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 1\n100 3 @ 0x11 0x21\n",
      "contentions/count 1\ncontentions/count delay/nanoseconds \n3 50: 1 2 | 0x10 "
      "0x20\n" EVERYTHING);
  check("--- mutex:\ncycles/second=1000000000\nsampling period=5\n7 1 @ 0x11\n",
        "contentions/count 5\ncontentions/count delay/nanoseconds \n5 35: 1 | 0x10\n" EVERYTHING);
}

TEST(test_heap_and_contention_of_java) {
  check("--- heapz 1 ---\nformat = java\nresolution = bytes\n\n7360 2 @ 0x3 0x4\n"
        "0x3 com.Main.run (Main.java:-1)\n0x4 generated stub/JIT\n",
        "/ 0\ninuse_objects/count inuse_space/bytes \n285 1052260: 1 2 | com.Main.run STUB | "
        "bytes=3680:\n");
  check("--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n"
        "ms since reset = 6\n\n7 2 @ 0x3\n0x3 GC\n",
        "contentions/count 100\ncontentions/count delay/microseconds \n200 700: 1 | GC\n");
}

/* ---- memory maps ------------------------------------- */

#define COUNTED "x profile: total 1\n1 @ "

TEST(test_maps_of_all_forms) {
  check(COUNTED "0x401001 0x7001 0x9001\n--- Memory map: ---\n"
                "00400000-00402000 r-xp 00000000 fd:03 96 /bin/prog (deleted)\n"
                "00402000-00403000 rw-p 00002000 fd:03 96 /bin/data\n"
                "I0102 03:04:05 maps.cc:12] 0x6000-0x8000 $root/lib/x.so (@100) abc\n"
                "root=/opt\n9000-a000: $root/lib/y.so (@200) def\n",
        "x/count 1\nx/count \n1: 1 2 3 | 0x401000 0x7000 0x9000\n"
        "400000-402000 0 [/bin/prog] []\n6000-8000 100 [$root/lib/x.so] [abc]\n"
        "9000-a000 200 [/opt/lib/y.so] [def]\n");
}

/* A name such as "pr" could be permissions without an x. pprof treats it as permissions. */
TEST(test_a_name_may_be_taken_for_permissions) {
  check(COUNTED "0x1\n--- Memory map: ---\n0-1000: prog\n0-2000: cprog\n",
        "x/count 1\nx/count \n1: 1 | 0x0\n0-2000 0 [cprog] []\n");
}

TEST(test_neighbours_are_merged_and_the_program_comes_first) {
  check(COUNTED "0x1001\n--- Memory map: ---\n"
                "1000-2000 r-xp 0 0:0 1 /lib/libc.so.6\n2000-3000 r-xp 1000 0:0 1 /lib/libc.so.6\n"
                "5000-6000 r-xp 0 0:0 1 [vdso]\n8000-9000 r-xp 0 0:0 1 /bin/prog\n",
        "x/count 1\nx/count \n1: 1 | 0x1000\n"
        "8000-9000 0 [/bin/prog] []\n5000-6000 0 [[vdso]] []\n1000-3000 0 [/lib/libc.so.6] []\n");
}

TEST(test_an_address_below_a_mapping_lets_it_grow) {
  check(COUNTED "0x4101 0x3001\n--- Memory map: ---\n5000-6000 r-xp 1000 0:0 1 /bin/prog\n",
        "x/count 1\nx/count \n1: 1 2 | 0x4100 0x3000\n4000-6000 0 [/bin/prog] []\n" EVERYTHING);
}

TEST(test_main_programs_that_are_reported_wrongly) {
  check(COUNTED "0x400101\n--- Memory map: ---\n401000-402000 r-xp 1000 0:0 1 /bin/prog\n",
        "x/count 1\nx/count \n1: 1 | 0x400100\n400000-402000 0 [/bin/prog] []\n");
  check(COUNTED "0x2001\n--- Memory map: ---\n1000-2000 r-xp 0 0:0 1 /anon_hugepage\n"
                "2000-3000 r-xp 0 0:0 1 /bin/prog\n",
        "x/count 1\nx/count \n1: 1 | 0x2000\n2000-3000 0 [/bin/prog] []\n");
}

TEST(test_expressions_for_frames_follow_the_sample_types) {
  static const struct {
    const char *text, *start_of_drop, *keep;
  } cases[] = {
      {"heap profile: 1: 2 [1: 2] @ heap_v2/1\n", "calloc|cfree|",
       "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*"},
      {"--- mutex:\ncycles/second=1\n", "RecordLockProfileData|", ""},
      {"goroutine profile: total 0\n", "ProfileData::Add|", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_profile *p = NULL;
    pprofc_header header;
    CU_ASSERT_EQUAL_FATAL(
        pprofc_profile_read_memory(cases[i].text, strlen(cases[i].text), NULL, &p, NULL),
        PPROFC_OK);
    pprofc_profile_header(p, &header);
    CU_ASSERT(str_starts(header.drop_frames, str_of(cases[i].start_of_drop)));
    CU_ASSERT(str_equal(header.keep_frames, str_of(cases[i].keep)));
    pprofc_profile_release(p);
  }
}

/* Input that would need quadratic time or unlimited memory if the reader followed the format
 * literally. */
TEST(test_hostile_maps_end) {
  struct buffer text;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  buffer_add_text(&text, "x profile: total 1\n");
  for (unsigned i = 0; i < 30000; i++) buffer_printf(&text, "1 @ 0x%x\n", 0x1000 + i * 64);
  buffer_add_text(&text, "--- Memory map: ---\n");
  for (unsigned i = 0; i < 30000; i++)
    buffer_printf(&text, "%x-%x r-xp 10 0:0 1 /f%u\n", 0x80001000 + i * 64, 0x80001030 + i * 64, i);
  pprofc_profile *p = NULL;
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text.data, text.size, NULL, &p, NULL), PPROFC_OK);
  pprofc_profile_release(p);
  buffer_clear(&text);
  buffer_add_text(&text, COUNTED "0x1\n--- Memory map: ---\nza=0123456789\n");
  for (char c = 'b'; c < 'k'; c++) {
    buffer_printf(&text, "z%c=", c);
    for (unsigned i = 0; i < 10; i++) buffer_printf(&text, "$z%c", c - 1);
    buffer_add_char(&text, '\n');
  }
  pprofc_error error = {0};
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text.data, text.size, NULL, &p, &error),
                  PPROFC_E_LIMIT);
  CU_ASSERT(str_find(str_of(error.message), STR("memory map line grows by its variables")) <
            strlen(error.message));
  buffer_free(&text);
}
