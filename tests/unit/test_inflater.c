/* Tests decompression in steps of any size. */
#include "fold_maker.h"

#include "codec/inflater.h"

/* Decompresses a stream step by step. Returns false if the inflater reports an error. */
static bool inflate_in_steps(const struct buffer *data, size_t step, bool zlib,
                             struct buffer *out) {
  pprofc_limits limits;
  uint8_t *room = malloc(step);
  pprofc_limits_init(&limits);
  limits.input_bytes = limits.inflated_bytes = 1 << 28;
  limits.inflate_ratio = 1000;
  const enum inflater_way way = zlib ? INFLATER_ZLIB : INFLATER_FASTEST;
  struct inflater *in = inflater_open(-1, data->data, data->size, way, &mem_default, &limits);
  CU_ASSERT_FATAL(room && in);
  size_t got = 1;
  bool good = true;
  buffer_clear(out);
  while (good && got) {
    good = inflater_fill(in, room, step, &got);
    if (good) buffer_add(out, room, got);
  }
  inflater_close(in);
  free(room);
  return good;
}

TEST(test_inflating_in_steps) {
  struct maker m;
  struct buffer gzip, out, bad;
  make(&m, 4, QUIRK_LABELS, 4000);
  buffer_init(&gzip, &mem_default, 1 << 28);
  buffer_init(&out, &mem_default, 1 << 28);
  make_gzip(&m.out, &gzip);
  static const size_t steps[] = {1, 100, 4096, 1 << 20};
  for (int zlib = 0; zlib < 2; zlib++) {
    for (size_t i = 0; i < COUNT(steps); i++) {
      CU_ASSERT(inflate_in_steps(&gzip, steps[i], zlib, &out));
      CU_ASSERT(out.size == m.out.size && memcmp(out.data, m.out.data, out.size) == 0);
    }
    for (size_t cut = 1; cut < 30; cut++) {
      bad = gzip;
      bad.size -= cut;
      CU_ASSERT_FALSE(inflate_in_steps(&bad, 4096, zlib, &out));
    }
    gzip.data[gzip.size / 2] ^= 0x10;
    CU_ASSERT_FALSE(inflate_in_steps(&gzip, 4096, zlib, &out));
    gzip.data[gzip.size / 2] ^= 0x10;
    gzip.data[gzip.size - 6] ^= 1; /* change a byte of the checksum */
    CU_ASSERT_FALSE(inflate_in_steps(&gzip, 4096, zlib, &out));
    gzip.data[gzip.size - 6] ^= 1;
  }
  static const uint8_t unusual[] = {0x02, 0x20, 0x40, 0x80}; /* header checksum, reserved flags */
  for (size_t i = 0; i < 2 * COUNT(unusual); i++) {
    gzip.data[3] ^= (char)unusual[i / 2];
    CU_ASSERT_FALSE(inflate_in_steps(&gzip, 4096, i % 2, &out));
    gzip.data[3] ^= (char)unusual[i / 2];
  }
  buffer_add(&gzip, "garbage", 7);
  for (int zlib = 0; zlib < 2; zlib++) CU_ASSERT_FALSE(inflate_in_steps(&gzip, 4096, zlib, &out));
  buffer_free(&out);
  buffer_free(&gzip);
  buffer_free(&m.out);
}
