/* Tests recordings of Java Flight Recorder that are truncated or damaged at any position. Also
 * tests that a few bytes cannot require much memory. */
#include "unit.h"

#include "core/mem.h"
#include "pprofc/pprofc.h"

/* A complete recording, written by tests/perf/jfr_writer.py. */
static struct {
  char data[16384];
  size_t size;
} recording;

static void recording_load(void) {
  FILE *file = fopen(TESTDATA "/imports/made.jfr", "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  recording.size = fread(recording.data, 1, sizeof recording.data, file);
  CU_ASSERT_FATAL(recording.size < sizeof recording.data);
  fclose(file);
}

/* Reads the bytes. If the reader returns a profile, the profile must be valid. */
static pprofc_status recording_read(const void *data, size_t size) {
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_profile_read_memory(data, size, NULL, &profile, &error);
  CU_ASSERT((status == PPROFC_OK) == (profile != NULL));
  CU_ASSERT(status == PPROFC_OK || error.message[0]);
  pprofc_profile_release(profile);
  return status;
}

TEST(test_every_beginning_is_read_or_refused) {
  recording_load();
  for (size_t size = 4; size < recording.size; size += size < 200 ? 1 : 17) {
    char *copy = mem_array(&mem_default, size, 1); /* a copy of exact size, with which a sanitizer
                                                      finds a read after the end */
    memcpy(copy, recording.data, size);
    recording_read(copy, size);
    mem_free(&mem_default, copy, size, 1);
  }
}

TEST(test_every_damaged_byte_is_read_or_refused) {
  recording_load();
  static const char damage[] = {0x00, 0x01, 0x7F, (char)0x80, (char)0xFF};
  for (size_t at = 8; at < recording.size; at++) {
    char was = recording.data[at];
    recording.data[at] = damage[at % sizeof damage];
    recording_read(recording.data, recording.size);
    recording.data[at] = was;
  }
}

TEST(test_a_chunk_alone_is_a_recording) {
  size_t first = 0;
  recording_load();
  for (int i = 8; i < 16; i++) first = first << 8 | (unsigned char)recording.data[i];
  CU_ASSERT_FATAL(first < recording.size);
  CU_ASSERT_EQUAL(recording_read(recording.data, first), PPROFC_OK);
  CU_ASSERT_EQUAL(recording_read(recording.data, first - 1), PPROFC_E_FORMAT);
}

TEST(test_stacks_that_are_too_deep_are_refused) {
  pprofc_profile *profile = NULL;
  pprofc_error error;
  pprofc_limits limits;
  pprofc_read_options options;
  recording_load();
  pprofc_limits_init(&limits);
  limits.stack_depth = 2;
  pprofc_read_options_init(&options);
  options.limits = &limits;
  pprofc_status status =
      pprofc_profile_read_memory(recording.data, recording.size, &options, &profile, &error);
  CU_ASSERT_EQUAL(status, PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "a stack of more than 2 frames") != NULL);
}
