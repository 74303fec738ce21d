/* Tests readers. Each invalid file of testdata must give a certain message, limits must apply, and
 * the result must not depend on how the bytes arrive. */
#include "unit.h"

#include "codec/codec.h"
#include "codec/pprof_decode.h"
#include "core/str.h"
#include "pprofc/pprofc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BROKEN TESTDATA "/broken/"
#define VALID  TESTDATA "/valid/"

static pprofc_status read_with(const char *path, const pprofc_limits *limits, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = limits;
  pprofc_profile *profile = NULL;
  pprofc_status status = pprofc_profile_read_file(path, &options, &profile, error);
  CU_ASSERT(status == PPROFC_OK || profile == NULL);
  pprofc_profile_release(profile);
  return status;
}

TEST(test_broken_files_say_what_is_wrong) {
  static const struct {
    const char *file, *message;
    pprofc_status status;
  } cases[] = {
      {"empty_file.pb.gz", "parsing profile: empty input file", PPROFC_E_FORMAT},
      {"gzip_of_nothing.pb.gz", "parsing profile: empty input file", PPROFC_E_FORMAT},
      {"gzip_truncated.pb.gz", "decompressing profile: truncated gzip stream at byte ",
       PPROFC_E_FORMAT},
      {"gzip_header_only.pb.gz", "decompressing profile: truncated gzip stream at byte 10",
       PPROFC_E_FORMAT},
      {"gzip_bit_flipped.pb.gz", "decompressing profile: corrupt gzip stream: ", PPROFC_E_FORMAT},
      {"gzip_trailing_garbage.pb.gz", "incorrect header check at byte ", PPROFC_E_FORMAT},
      {"gzip_bomb_of_empty_samples.pb.gz", "(raise the limit inflate_ratio)", PPROFC_E_LIMIT},
      {"random_bytes.pb", "unrecognized profile format: ", PPROFC_E_FORMAT},
      {"varint_of_11_bytes.pb", "varint longer than 10 bytes at byte 40", PPROFC_E_FORMAT},
      {"length_beyond_end.pb", "field runs past the end at byte 71", PPROFC_E_FORMAT},
      {"wrong_wire_type.pb", "field with the wrong wire type at byte ", PPROFC_E_FORMAT},
      {"string_index_out_of_range.pb", "string index out of range at byte ", PPROFC_E_FORMAT},
      {"string_index_negative.pb", "string index out of range at byte ", PPROFC_E_FORMAT},
      {"first_string_not_empty.pb", "first string is not empty at byte 2", PPROFC_E_FORMAT},
      {"concatenated.pb", "concatenated profiles detected at byte ", PPROFC_E_FORMAT},
      {"missing_sample_type.pb", "malformed profile: missing sample type information",
       PPROFC_E_FORMAT},
      {"value_count_mismatch.pb", "malformed profile: mismatch: sample has 2 values vs. 1 types",
       PPROFC_E_FORMAT},
      {"sample_with_missing_location.pb", "malformed profile: sample has nil location",
       PPROFC_E_FORMAT},
      {"mapping_id_0.pb", "malformed profile: found mapping with reserved ID=0", PPROFC_E_FORMAT},
      {"mapping_duplicate_id.pb", "malformed profile: multiple mappings with same id: 3",
       PPROFC_E_FORMAT},
      {"function_id_0.pb", "malformed profile: found function with reserved ID=0", PPROFC_E_FORMAT},
      {"function_duplicate_id.pb", "malformed profile: multiple functions with same id: 1",
       PPROFC_E_FORMAT},
      {"location_id_0.pb", "malformed profile: found location with reserved id=0", PPROFC_E_FORMAT},
      {"location_duplicate_id.pb", "malformed profile: multiple locations with same id: 1",
       PPROFC_E_FORMAT},
      {"line_with_missing_function.pb",
       "malformed profile: location id: 2 has a line with nil function", PPROFC_E_FORMAT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[512];
    snprintf(path, sizeof path, BROKEN "%s", cases[i].file);
    pprofc_error error;
    CU_ASSERT_EQUAL(read_with(path, NULL, &error), cases[i].status);
    bool said = strstr(error.message, cases[i].message) && strstr(error.message, path);
    CU_ASSERT(said);
    if (!said) printf("%s: %s\n", cases[i].file, error.message);
  }
}

TEST(test_a_missing_file_and_a_folder_are_named) {
  pprofc_error error;
  CU_ASSERT_EQUAL(read_with("/no/such/file", NULL, &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message, "cannot read '/no/such/file': no such file or directory");
  CU_ASSERT_EQUAL(read_with(TESTDATA, NULL, &error), PPROFC_E_IO);
  CU_ASSERT(strstr(error.message, "is a directory") != NULL);
}

TEST(test_each_limit_names_its_field) {
  static const struct {
    size_t offset;
    uint64_t value;
    const char *text;
  } cases[] = {
      {offsetof(pprofc_limits, input_bytes), 100, "(raise the limit input_bytes)"},
      {offsetof(pprofc_limits, inflated_bytes), 1000, "(raise the limit inflated_bytes)"},
      {offsetof(pprofc_limits, memory_bytes), 1000, "(raise the limit memory_bytes)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_limits limits;
    pprofc_limits_init(&limits);
    *(uint64_t *)(void *)((char *)&limits + cases[i].offset) = cases[i].value;
    pprofc_error error;
    CU_ASSERT_EQUAL(read_with(TESTDATA "/generator_cpu.prof", &limits, &error), PPROFC_E_LIMIT);
    CU_ASSERT(strstr(error.message, cases[i].text) != NULL);
  }
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  limits.stack_depth = 3;
  pprofc_error error;
  CU_ASSERT_EQUAL(read_with(TESTDATA "/generator_cpu.prof", &limits, &error), PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "(raise the limit stack_depth)") != NULL);
  pprofc_limits_init(&limits);
  limits.labels = 1;
  CU_ASSERT_EQUAL(read_with(TESTDATA "/valid/labels.pb.gz", &limits, &error), PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "(raise the limit labels)") != NULL);
  pprofc_limits_init(&limits);
  limits.string_bytes = 4;
  CU_ASSERT_EQUAL(read_with(TESTDATA "/valid/minimal.pb", &limits, &error), PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "(raise the limit string_bytes)") != NULL);
}

/* ---- the same bytes from other sources --------------- */

static char *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  char *data = malloc(1 << 20);
  *size = fread(data, 1, 1 << 20, file);
  fclose(file);
  return data;
}

static int64_t sum_of(const pprofc_profile *profile) {
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  uint64_t sum = 0; /* sum of random values, which may wrap around */
  for (size_t i = 0; i < view.count * view.types; i++) sum += (uint64_t)view.values[i];
  return (int64_t)sum;
}

TEST(test_members_one_byte_at_a_time_and_memory_agree) {
  size_t size;
  char *data = slurp(VALID "minimal.pb.gz", &size);
  pprofc_profile *from_memory = NULL, *from_pipe = NULL, *members = NULL;
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(data, size, NULL, &from_memory, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(pprofc_profile_read_file(VALID "multi_member.pb.gz", NULL, &members, NULL),
                  PPROFC_OK);
  int ends[2], old = dup(STDIN_FILENO);
  CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
  for (size_t i = 0; i < size; i++) CU_ASSERT_EQUAL(write(ends[1], data + i, 1), 1);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  CU_ASSERT_EQUAL(pprofc_profile_read_file("-", NULL, &from_pipe, NULL), PPROFC_OK);
  dup2(old, STDIN_FILENO);
  close(old);
  close(ends[0]);
  CU_ASSERT_EQUAL(sum_of(from_memory), sum_of(from_pipe));
  CU_ASSERT_EQUAL(sum_of(from_memory), sum_of(members));
  pprofc_profile_release(from_memory);
  pprofc_profile_release(from_pipe);
  pprofc_profile_release(members);
  free(data);
}

static void put_varint(uint8_t **at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *(*at)++ = (uint8_t)(value | 0x80);
  *(*at)++ = (uint8_t)value;
}

/* Returns a profile of one function, with many samples that hardly compress, as uncompressed
 * bytes. */
static uint8_t *random_profile(size_t samples, size_t *size) {
  static const char tables[] =
      "\x0a\x04\x08\x01\x10\x02"         /* sample_type: n, count */
      "\x22\x06\x08\x01\x22\x02\x08\x01" /* location 1, line of function 1 */
      "\x2a\x04\x08\x01\x10\x03"         /* function 1: f */
      "\x32\x00\x32\x01n\x32\x05"
      "count\x32\x01"
      "f";
  uint8_t *data = malloc(samples * 20 + sizeof tables), *at = data;
  uint64_t state = 1;
  for (size_t i = 0; i < samples; i++) {
    uint8_t value[10], *end = value;
    state = state * 6364136223846793005u + 1442695040888963407u;
    put_varint(&end, state >> 1);
    size_t value_size = (size_t)(end - value);
    const uint8_t head[] = {0x12, (uint8_t)(3 + value_size), 0x08, 0x01, 0x10};
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, value, value_size);
    at += sizeof head + value_size;
  }
  memcpy(at, tables, sizeof tables - 1);
  *size = (size_t)(at - data) + sizeof tables - 1;
  return data;
}

/* Large files that hardly compress are read through a memory mapping. They must give the same
 * profile as the uncompressed bytes. */
TEST(test_a_large_incompressible_file_reads_like_its_plain_bytes) {
  size_t size;
  uint8_t *plain = random_profile(750000, &size);
  pprofc_profile *from_memory = NULL, *from_file = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_memory(plain, size, NULL, &from_memory, &error),
                        PPROFC_OK);
  char path[] = "/tmp/pprofc_read_XXXXXX";
  int fd = mkstemp(path);
  gzFile gz = gzdopen(fd, "wb1h");
  CU_ASSERT_EQUAL(gzwrite(gz, plain, (unsigned)size), (int)size);
  gzclose(gz);
  struct stat info;
  CU_ASSERT(stat(path, &info) == 0 && info.st_size > 8 << 20); /* smaller files are not mapped */
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, NULL, &from_file, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(sum_of(from_memory), sum_of(from_file));
  CU_ASSERT_EQUAL(truncate(path, (off_t)(size / 2)), 0);
  CU_ASSERT_EQUAL(read_with(path, NULL, &error), PPROFC_E_FORMAT);
  CU_ASSERT(strstr(error.message, "truncated gzip stream") != NULL);
  unlink(path);
  pprofc_profile_release(from_memory);
  pprofc_profile_release(from_file);
  free(plain);
}

TEST(test_threads_do_not_change_what_is_read) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  pprofc_profile *one = NULL, *four = NULL;
  options.threads = 1;
  CU_ASSERT_EQUAL(pprofc_profile_read_file(TESTDATA "/generator_cpu.prof", &options, &one, NULL),
                  PPROFC_OK);
  options.threads = 4;
  CU_ASSERT_EQUAL(pprofc_profile_read_file(TESTDATA "/generator_cpu.prof", &options, &four, NULL),
                  PPROFC_OK);
  CU_ASSERT_EQUAL(sum_of(one), sum_of(four));
  CU_ASSERT_EQUAL(pprofc_profile_max_depth(one), pprofc_profile_max_depth(four));
  pprofc_profile_release(one);
  pprofc_profile_release(four);
}

/* ---- ids --------------------------------------------- */

TEST(test_ids_become_dense_indices) {
  static const uint64_t dense[] = {1, 2, 3}, small[] = {3, 1, 2},
                        large[] = {0x7F0000001000, 5, UINT64_MAX}, twice[] = {4, 9, 4};
  const struct {
    const uint64_t *ids;
    uint32_t duplicate;
  } cases[] = {{dense, MAP_NONE}, {small, MAP_NONE}, {large, MAP_NONE}, {twice, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct arena arena;
    struct id_map map;
    arena_init(&arena, &mem_default);
    CU_ASSERT_FATAL(id_map_build(&map, cases[i].ids, 3, &arena));
    CU_ASSERT_EQUAL(map.duplicate, cases[i].duplicate);
    CU_ASSERT_EQUAL(id_map_find(&map, cases[i].ids[1]), 1);
    CU_ASSERT_EQUAL(id_map_find(&map, 77), MAP_NONE);
    CU_ASSERT_EQUAL(id_map_find(&map, 0), MAP_NONE);
    id_map_free(&map);
    arena_free(&arena);
  }
}

TEST(test_sparse_ids_and_unpacked_stacks_read_alike) {
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(VALID "sparse_ids.pb", NULL, &profile, NULL),
                        PPROFC_OK);
  uint32_t frames[8];
  CU_ASSERT_EQUAL(pprofc_profile_stack(profile, 0, frames, 8), 3);
  for (size_t i = 0; i < 3; i++) CU_ASSERT(frames[i] < pprofc_profile_location_count(profile));
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_file(VALID "unpacked.pb", NULL, &profile, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL(
      pprofc_profile_stack(profile, 0, frames, 8) + pprofc_profile_stack(profile, 1, frames, 8), 5);
  pprofc_profile_release(profile);
}
