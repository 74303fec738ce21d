/* Tests the writer of protobuf fields. The reader must return each value, and lists and records
 * must have the form that Go's pprof writes. */
#include "codec/wire.h"
#include "unit.h"

static struct wire_field only_field(const uint8_t *from, const uint8_t *to) {
  struct wire w = {from, to, NULL};
  struct wire_field field = {0};
  CU_ASSERT(w.at < w.end && wire_next(&w, &field));
  CU_ASSERT_PTR_EQUAL(w.at, w.end);
  return field;
}

TEST(test_integers_are_read_back_and_0_is_not_written) {
  uint8_t out[WIRE_FIELD_MAX];
  CU_ASSERT_PTR_EQUAL(wire_put_nonzero(out, 3, 0), out);
  CU_ASSERT_EQUAL(wire_put_integer(out, 14, 0) - out, 2);
  const uint8_t *end = wire_put_nonzero(out, 15, UINT64_MAX);
  CU_ASSERT_EQUAL(end - out, WIRE_FIELD_MAX);
  struct wire_field field = only_field(out, end);
  CU_ASSERT_EQUAL(field.number, 15);
  CU_ASSERT_EQUAL(field.value, UINT64_MAX);
}

TEST(test_lists_of_two_are_fields_and_lists_of_three_are_packed) {
  const uint64_t values[] = {0, 300, 1};
  const uint8_t two[] = {1 << 3, 0, 1 << 3, 0xAC, 0x02};
  const uint8_t three[] = {1 << 3 | WIRE_BYTES, 4, 0, 0xAC, 0x02, 1};
  uint8_t out[4 * WIRE_FIELD_MAX];
  CU_ASSERT_PTR_EQUAL(wire_put_list(out, 1, values, 0), out);
  CU_ASSERT_EQUAL_FATAL((size_t)(wire_put_list(out, 1, values, 2) - out), sizeof two);
  CU_ASSERT_EQUAL(memcmp(out, two, sizeof two), 0);
  CU_ASSERT_EQUAL_FATAL((size_t)(wire_put_list(out, 1, values, 3) - out), sizeof three);
  CU_ASSERT_EQUAL(memcmp(out, three, sizeof three), 0);
}

/* The size of a record is written as one byte, so the largest record must fit. */
TEST(test_the_largest_record_is_read_back) {
  uint64_t values[WIRE_RECORD_MAX];
  uint8_t out[(WIRE_RECORD_MAX + 1) * WIRE_FIELD_MAX];
  for (size_t i = 0; i < WIRE_RECORD_MAX; i++) values[i] = UINT64_MAX - i;
  struct wire_field record = only_field(out, wire_put_record(out, 5, values, WIRE_RECORD_MAX));
  CU_ASSERT_EQUAL(record.number, 5);
  CU_ASSERT(record.size < 128);
  struct wire w = {record.data, record.data + record.size, NULL};
  struct wire_field field;
  for (size_t i = 0; i < WIRE_RECORD_MAX; i++) {
    CU_ASSERT_FATAL(w.at < w.end && wire_next(&w, &field));
    CU_ASSERT_EQUAL(field.number, i + 1);
    CU_ASSERT_EQUAL(field.value, values[i]);
  }
  CU_ASSERT_PTR_EQUAL(w.at, w.end);
}

TEST(test_an_empty_record_is_a_field_of_no_bytes) {
  const uint64_t values[] = {0, 0};
  uint8_t out[3 * WIRE_FIELD_MAX];
  struct wire_field field = only_field(out, wire_put_record(out, 1, values, 2));
  CU_ASSERT_EQUAL(field.size, 0);
}
