/* Tests varints: written values must be readable in both directions, and reading must never go
 * beyond the end of untrusted bytes. */
#include "core/varint.h"
#include "unit.h"

#include <stdbool.h>

static const uint64_t varint_cases[] = {
    0,          1,          127,        128,        129,        16383,
    16384,      2097151,    2097152,    268435455,  268435456,  UINT32_MAX,
    1ull << 32, 1ull << 35, 1ull << 42, 1ull << 49, 1ull << 56, (1ull << 63) - 1,
    1ull << 63, UINT64_MAX,
};
#define CASES (sizeof varint_cases / sizeof *varint_cases)

TEST(test_every_length_is_written_and_read_back) {
  for (size_t i = 0; i < CASES; i++) {
    uint8_t bytes[VARINT_BYTES_MAX] = {0};
    size_t size = varint_put(bytes, varint_cases[i]);
    CU_ASSERT(size >= 1 && size <= VARINT_BYTES_MAX);
    CU_ASSERT_EQUAL(size, varint_bytes(varint_cases[i]));
    uint64_t value = 0;
    const uint8_t *p = bytes;
    CU_ASSERT_EQUAL(varint_read(&p, bytes + size, &value), VARINT_GOOD);
    CU_ASSERT_PTR_EQUAL(p, bytes + size);
    CU_ASSERT_EQUAL(value, varint_cases[i]);
    if (varint_cases[i] > UINT32_MAX) continue;
    uint32_t small = 0;
    CU_ASSERT(size <= VARINT32_BYTES_MAX);
    CU_ASSERT_PTR_EQUAL(varint_next(bytes, &small), bytes + size);
    CU_ASSERT_EQUAL(small, varint_cases[i]);
  }
}

TEST(test_a_run_is_read_backwards) {
  uint8_t bytes[CASES * VARINT_BYTES_MAX];
  size_t size = 0, count = 0;
  for (; varint_cases[count] <= UINT32_MAX; count++)
    size += varint_put(bytes + size, varint_cases[count]);
  const uint8_t *p = bytes + size;
  while (count) {
    uint32_t value = 0;
    p = varint_before(bytes, p, &value);
    CU_ASSERT_EQUAL(value, varint_cases[--count]);
  }
  CU_ASSERT_PTR_EQUAL(p, bytes);
}

TEST(test_truncated_varints_are_refused) {
  uint8_t bytes[VARINT_BYTES_MAX];
  size_t size = varint_put(bytes, UINT64_MAX);
  uint64_t value = 7;
  const uint8_t *p = bytes;
  for (size_t end = 0; end < size; end++)
    CU_ASSERT_EQUAL(varint_read(&p, bytes + end, &value), VARINT_TRUNCATED);
  CU_ASSERT_PTR_EQUAL(p, bytes);
  CU_ASSERT_EQUAL(value, 7);
}

TEST(test_eleven_bytes_are_refused_and_bits_past_the_64th_dropped) {
  uint8_t bytes[12];
  memset(bytes, 0xFF, sizeof bytes);
  bytes[10] = 0;
  uint64_t value = 7;
  const uint8_t *p = bytes;
  CU_ASSERT_EQUAL(varint_read(&p, bytes + sizeof bytes, &value), VARINT_TOO_LONG);
  CU_ASSERT_PTR_EQUAL(p, bytes);
  CU_ASSERT_EQUAL(value, 7);
  bytes[9] = 0x7F;
  CU_ASSERT_EQUAL(varint_read(&p, bytes + sizeof bytes, &value), VARINT_GOOD);
  CU_ASSERT_PTR_EQUAL(p, bytes + 10);
  CU_ASSERT_EQUAL(value, UINT64_MAX);
}

TEST(test_a_varint_may_be_longer_than_it_need_be) {
  const uint8_t bytes[] = {0x85, 0x80, 0x80, 0x00};
  uint64_t value = 0;
  uint32_t small = 0;
  const uint8_t *p = bytes;
  CU_ASSERT_EQUAL(varint_read(&p, bytes + 4, &value), VARINT_GOOD);
  CU_ASSERT_PTR_EQUAL(p, bytes + 4);
  CU_ASSERT_EQUAL(value, 5);
  CU_ASSERT_PTR_EQUAL(varint_next(bytes, &small), bytes + 4);
  CU_ASSERT_EQUAL(small, 5);
  CU_ASSERT_PTR_EQUAL(varint_before(bytes, bytes + 4, &small), bytes);
  CU_ASSERT_EQUAL(small, 5);
}

TEST(test_three_bytes_are_read_in_one_step) {
  const uint8_t three[] = {0x81, 0x82, 0x03, 0x00}, four[] = {0x81, 0x82, 0x83, 0x04};
  CU_ASSERT(varint_is_three(three, three + 4));
  CU_ASSERT_EQUAL(varint_three(three), 1 | 2 << 7 | 3 << 14);
  CU_ASSERT_FALSE(varint_is_three(three, three + 2));
  CU_ASSERT_FALSE(varint_is_three(three + 1, three + 4));
  CU_ASSERT_FALSE(varint_is_three(four, four + 4));
}
