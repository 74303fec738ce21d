/* Tests the writer. It must write the same bytes as Go's pprof, the same in each run, and return an
 * error if it cannot write. */
#include "pprofc/builder.h"

#include "pprofc/profile.h"
#include "pprofc/transform.h"
#include "profile.pb-c.h"
#include "profile_text.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct bytes {
  uint8_t data[1 << 16];
  size_t size;
};

static int collect(void *context, const void *data, size_t size) {
  struct bytes *out = context;
  if (size > sizeof out->data - out->size) return -1;
  memcpy(out->data + out->size, data, size);
  out->size += size;
  return 0;
}

static int refuse(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return -1;
}

/* Writes the profile, releases it, and decompresses the written bytes. */
static struct bytes written_profile(pprofc_profile *profile, struct bytes *compressed) {
  static struct bytes gzip;
  struct bytes plain = {.size = 0};
  gzip.size = 0;
  CU_ASSERT_EQUAL(pprofc_profile_write(profile, collect, &gzip, NULL), PPROFC_OK);
  pprofc_profile_release(profile);

  z_stream zlib = {.next_in = gzip.data, .avail_in = (uInt)gzip.size};
  zlib.next_out = plain.data;
  zlib.avail_out = sizeof plain.data;
  CU_ASSERT_EQUAL(inflateInit2(&zlib, 15 + 16), Z_OK);
  CU_ASSERT_EQUAL(inflate(&zlib, Z_FINISH), Z_STREAM_END);
  plain.size = zlib.total_out;
  inflateEnd(&zlib);
  if (compressed) *compressed = gzip;
  return plain;
}

/* Like written_profile, for the profile of a builder. */
static struct bytes written(pprofc_builder *builder, struct bytes *compressed) {
  pprofc_profile *profile = finish(builder);
  return written_profile(profile, compressed);
}

static bool equals(struct bytes got, const void *want, size_t size) {
  return got.size == size && memcmp(got.data, want, size) == 0;
}
#define EQUALS(got, literal) equals(got, literal, sizeof(literal) - 1)

TEST(test_default_sample_type_is_always_written) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "samples", "count");
  CU_ASSERT(EQUALS(written(b, NULL), "\x0a\x04\x08\x01\x10\x02"
                                     "\x32\x00\x32\x07samples\x32\x05"
                                     "count\x70\x00"));
}

TEST(test_gzip_header_has_no_time) {
  struct bytes compressed;
  written(pprofc_builder_new(NULL), &compressed);
  CU_ASSERT(memcmp(compressed.data, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10) == 0);
}

TEST(test_lists_of_more_than_two_are_packed) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "", "");
  uint32_t frames[3];
  for (uint64_t i = 0; i < 3; i++) frames[i] = pprofc_builder_location(b, PPROFC_NONE, i, NULL, 0);
  int64_t zero = 0, minus = -1;
  pprofc_builder_sample(b, frames, 2, &zero);
  pprofc_builder_sample(b, frames, 3, &minus);
  CU_ASSERT(EQUALS(written(b, NULL),
                   "\x0a\x00"
                   "\x12\x06\x08\x01\x08\x02\x10\x00"
                   "\x12\x10\x0a\x03\x01\x02\x03"
                   "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                   "\x22\x02\x08\x01\x22\x04\x08\x02\x18\x01\x22\x04\x08\x03\x18\x02"
                   "\x32\x00\x70\x00"));
}

static pprofc_profile *read_literal(const char *data, size_t size) {
  pprofc_profile *profile = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_profile_read_memory(data, size, NULL, &profile, NULL), PPROFC_OK);
  return profile;
}
#define READ_LITERAL(literal) read_literal(literal, sizeof(literal) - 1)

#define TWO_LOCATIONS "\x22\x02\x08\x01\x22\x02\x08\x02\x32\x00\x70\x00"

TEST(test_ids_that_are_longer_than_they_need_be_are_written_short) {
  static const char short_ids[] = "\x0a\x00\x12\x10\x0a\x0c\x01\x02\x01\x02\x01\x02\x01\x02\x01\x02"
                                  "\x01\x02\x10\x07" TWO_LOCATIONS;
  pprofc_profile *p =
      READ_LITERAL("\x0a\x00\x12\x11\x0a\x0d\x01\x02\x01\x02\x01\x02\x01\x82\x00\x01\x02"
                   "\x01\x02\x10\x07" TWO_LOCATIONS);
  CU_ASSERT(EQUALS(written_profile(p, NULL), short_ids));
  CU_ASSERT(EQUALS(written_profile(READ_LITERAL(short_ids), NULL), short_ids));
}

/* If a filter hides all frames except one, the writer must write only this frame. A list with one
 * element is not packed. */
TEST(test_hidden_frames_are_not_written) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "", "");
  uint32_t frames[14];
  for (size_t i = 0; i < 14; i++) frames[i] = pprofc_builder_frame(b, i ? "f" : "g", NULL, 0);
  int64_t one = 1;
  pprofc_builder_sample(b, frames, 14, &one);
  frames[13] = frames[0];
  pprofc_builder_sample(b, frames, 14, &one);
  pprofc_profile *profile = NULL, *hidden = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  pprofc_filter_options filter;
  pprofc_filter_options_init(&filter);
  filter.hide = "f";
  CU_ASSERT_EQUAL_FATAL(pprofc_filter(profile, &filter, &hidden, NULL), PPROFC_OK);
  pprofc_profile_release(profile);
  struct bytes got = written_profile(hidden, NULL);
  static const char want[] = "\x0a\x00\x12\x04\x08\x01\x10\x01\x12\x06\x08\x01\x08\x01\x10\x01";
  CU_ASSERT(got.size > sizeof want && memcmp(got.data, want, sizeof want - 1) == 0);
}

TEST(test_labels_are_sorted_by_kind_and_key) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "", "");
  int64_t one = 1;
  pprofc_builder_sample(b, NULL, 0, &one);
  pprofc_builder_number_label(b, "z", 5, "u");
  pprofc_builder_number_label(b, "a", 6, NULL);
  pprofc_builder_label(b, "y", "second");
  pprofc_builder_label(b, "b", "w");
  pprofc_builder_label(b, "b", "v");
  CU_ASSERT(EQUALS(written(b, NULL), "\x0a\x00"
                                     "\x12\x22\x10\x01"
                                     "\x1a\x04\x08\x01\x10\x02" /* label: key "b", value "w" */
                                     "\x1a\x04\x08\x01\x10\x03" /* label: key "b", value "v" */
                                     "\x1a\x04\x08\x04\x10\x05" /* label: key "y", value "second" */
                                     "\x1a\x04\x08\x06\x18\x06" /* label: key "a", number 6 */
                                     "\x1a\x06\x08\x07\x18\x05\x20\x08"
                                     "\x32\x00\x32\x01"
                                     "b\x32\x01w\x32\x01v\x32\x01y\x32\x06second\x32\x01"
                                     "a\x32\x01z\x32\x01u\x70\x00"));
}

TEST(test_header_fields_follow_their_numbers) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_doc_url(b, "url");
  pprofc_builder_default_type(b, "def");
  for (const char *comment = "xyz"; *comment; comment++) {
    char text[2] = {*comment, '\0'};
    pprofc_builder_comment(b, text);
  }
  pprofc_builder_period(b, "cpu", "ns", 9);
  pprofc_builder_time(b, 3, 4);
  pprofc_builder_drop_frames(b, "drop", "keep");
  CU_ASSERT(EQUALS(written(b, NULL),
                   "\x32\x00\x32\x04"
                   "drop\x32\x04keep\x32\x03"
                   "cpu\x32\x02ns\x32\x01x\x32\x01y\x32\x01z\x32\x03"
                   "def\x32\x03url"
                   "\x38\x01\x40\x02\x48\x03\x50\x04\x5a\x04\x08\x03\x10\x04\x60\x09"
                   "\x6a\x03\x05\x06\x07\x70\x08\x78\x09"));
}

TEST(test_tables_are_written_whole) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  uint32_t m = pprofc_builder_mapping(b, 0x1000, 0x3000, 0x10, "prog", "id",
                                      PPROFC_HAS_FUNCTIONS | PPROFC_HAS_INLINE_FRAMES);
  pprofc_line lines[2] = {{pprofc_builder_function(b, "in", "_in", "f.c", 1), 2, 3},
                          {pprofc_builder_function(b, "out", NULL, "f.c", 0), 4, 0}};
  pprofc_builder_location(b, m, 0x1234, lines, 2);
  struct bytes plain = written(b, NULL);
  Perftools__Profiles__Profile *p =
      perftools__profiles__profile__unpack(NULL, plain.size, plain.data);
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  CU_ASSERT(p->n_mapping == 1 && p->n_function == 2 && p->n_location == 1 &&
            p->n_string_table == 7);
  CU_ASSERT(p->mapping[0]->id == 1 && p->mapping[0]->memory_limit == 0x3000 &&
            p->mapping[0]->file_offset == 0x10);
  CU_ASSERT(p->mapping[0]->has_functions && p->mapping[0]->has_inline_frames &&
            !p->mapping[0]->has_filenames && !p->mapping[0]->has_line_numbers);
  CU_ASSERT(p->location[0]->mapping_id == 1 && p->location[0]->address == 0x1234);
  CU_ASSERT(p->location[0]->n_line == 2 && p->location[0]->line[0]->column == 3 &&
            p->location[0]->line[1]->function_id == 2 && p->location[0]->line[1]->line == 4);
  CU_ASSERT_STRING_EQUAL(p->string_table[p->function[0]->system_name], "_in");
  CU_ASSERT_EQUAL(p->function[1]->system_name, p->function[1]->name);
  perftools__profiles__profile__free_unpacked(p, NULL);
}

static pprofc_profile *small_profile(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t frame = pprofc_builder_frame(b, "main", "main.c", 1);
  int64_t value = 7;
  pprofc_builder_sample(b, &frame, 1, &value);
  return finish(b);
}

TEST(test_a_refused_write_is_an_io_error) {
  pprofc_profile *p = small_profile();
  pprofc_error error = {0};
  CU_ASSERT_EQUAL(pprofc_profile_write(p, refuse, NULL, &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message, "cannot write the profile");
  pprofc_profile_release(p);
}

TEST(test_a_full_device_is_named_with_the_reason) {
  pprofc_profile *p = small_profile();
  pprofc_error error = {0};
  CU_ASSERT_EQUAL(pprofc_profile_write_file(p, "/dev/full", &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message, "cannot write '/dev/full': no space left on device");
  CU_ASSERT_EQUAL(pprofc_profile_write_file(p, "no/such/folder/x.pb.gz", &error), PPROFC_E_IO);
  pprofc_profile_release(p);
}
