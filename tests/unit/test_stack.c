/* Tests packed stacks: removing frames from both ends, common tails, and maps that hide and extend
 * frames. */
#include "unit.h"

#include "profile/stack.h"

/* The smallest and the largest id for each length of a varint in bytes. */
static const uint32_t ids[] = {1,       127,       128,        16383,      16384, 2097151,
                               2097152, 268435455, 268435456u, UINT32_MAX, 3,     300};
#define IDS (sizeof ids / sizeof *ids)

static size_t put_all(uint8_t *out, const uint32_t *list, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    size_t n = varint_put(out + size, list[i]);
    CU_ASSERT_EQUAL(n, varint_bytes(list[i]));
    CU_ASSERT(n <= VARINT32_BYTES_MAX);
    size += n;
  }
  return size;
}

TEST(test_frames_are_taken_from_both_ends) {
  uint8_t bytes[IDS * VARINT32_BYTES_MAX];
  size_t size = put_all(bytes, ids, IDS);
  struct packed_stack from_leaf = {bytes, bytes + size, NULL}, from_root = from_leaf;
  uint32_t id;
  for (size_t i = 0; i < IDS; i++) {
    CU_ASSERT(stack_take_leaf_id(&from_leaf, &id));
    CU_ASSERT_EQUAL(id, ids[i]);
    CU_ASSERT(stack_take_root_id(&from_root, &id));
    CU_ASSERT_EQUAL(id, ids[IDS - 1 - i]);
  }
  CU_ASSERT(!stack_take_leaf_id(&from_leaf, &id));
  CU_ASSERT(!stack_take_root_id(&from_root, &id));
}

TEST(test_hidden_frames_at_the_root_need_no_room) {
  const uint32_t map[] = {LOCATION_HIDDEN, 7, LOCATION_HIDDEN};
  const uint8_t bytes[] = {2, 1, 2, 2};
  uint32_t frames[2] = {0, 99};
  CU_ASSERT_EQUAL(stack_unpack((struct packed_stack){bytes, bytes + 4, map}, frames), 1);
  CU_ASSERT_EQUAL(frames[0], 7);
  CU_ASSERT_EQUAL(frames[1], 99);
}

/* Returns the common tail by its definition: the longest common end that begins with a frame in
 * both stacks. */
static size_t naive_tail(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  size_t best = 0;
  for (size_t n = 1; n <= a_size && n <= b_size; n++) {
    if (memcmp(a + a_size - n, b + b_size - n, n) != 0) break;
    bool a_begins = n == a_size || a[a_size - n - 1] < 0x80;
    bool b_begins = n == b_size || b[b_size - n - 1] < 0x80;
    if (a_begins && b_begins) best = n;
  }
  return best;
}

TEST(test_shared_tails_are_whole_frames) {
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    uint8_t bytes[2][8 * VARINT32_BYTES_MAX];
    size_t size[2];
    for (int side = 0; side < 2; side++) {
      uint32_t list[8];
      seed = seed * 1664525u + 1013904223u;
      size_t count = (seed >> 24) % 8;
      for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        list[i] = (seed >> 16 & 1) ? 1 + (seed >> 20 & 1) : 300 + 128 * (seed >> 20 & 3);
      }
      size[side] = put_all(bytes[side], list, count);
    }
    CU_ASSERT_EQUAL(stack_shared_tail(bytes[0], size[0], bytes[1], size[1]),
                    naive_tail(bytes[0], size[0], bytes[1], size[1]));
  }
}

TEST(test_maps_hide_and_extend) {
  struct arena arena;
  arena_init(&arena, &mem_default);
  const uint8_t hidden[] = {0, 1, 0};
  const uint32_t *plain = NULL;
  struct segment segment = {0}, second = {0};
  CU_ASSERT_FATAL(segment_hide(&arena, &segment, hidden, 3, &plain));
  CU_ASSERT_FATAL(segment_hide(&arena, &second, hidden, 3, &plain));
  CU_ASSERT_PTR_EQUAL(segment.map, second.map);
  CU_ASSERT_EQUAL(segment.map_size, 4);
  CU_ASSERT_EQUAL(stack_location(segment.map, 1), 0);
  CU_ASSERT_EQUAL(stack_location(segment.map, 2), LOCATION_HIDDEN);
  size_t base;
  CU_ASSERT_FATAL(segment_extend(&arena, &segment, 3, 2, &base));
  CU_ASSERT_EQUAL(base, 4);
  CU_ASSERT_EQUAL(stack_location(segment.map, 5), 4);
  /* Hides frames a second time. Hidden frames must stay hidden, and the new entries can also be
   * hidden. */
  const uint8_t more_hidden[] = {1, 0, 0, 0, 1};
  CU_ASSERT_FATAL(segment_hide(&arena, &segment, more_hidden, 5, &plain));
  CU_ASSERT_EQUAL(segment.map_size, 6);
  CU_ASSERT_EQUAL(stack_location(segment.map, 1), LOCATION_HIDDEN);
  CU_ASSERT_EQUAL(stack_location(segment.map, 2), LOCATION_HIDDEN);
  CU_ASSERT_EQUAL(stack_location(segment.map, 3), 2);
  CU_ASSERT_EQUAL(stack_location(segment.map, 4), 3);
  CU_ASSERT_EQUAL(stack_location(segment.map, 5), LOCATION_HIDDEN);
  CU_ASSERT_EQUAL(stack_location(second.map, 1), 0);
  struct segment without = {0};
  CU_ASSERT(segment_extend(&arena, &without, 3, 2, &base));
  CU_ASSERT_EQUAL(base, 4);
  CU_ASSERT_PTR_NULL(without.map);
  arena_free(&arena);
}
