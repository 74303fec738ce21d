/* Writing the protobuf wire format: the fields of profile.proto, as Go's pprof writes them.
 *
 * Every function writes at `out`, where the caller has made room, and returns the byte behind what
 * it wrote. An integer field and the head of any other take WIRE_FIELD_MAX bytes at the most. */
#ifndef PPROFC_CODEC_WIRE_WRITE_H
#define PPROFC_CODEC_WIRE_WRITE_H

#include "codec/wire.h"

/* Field numbers up to 15, of which the key is one byte: profile.proto has no larger ones. */
#define WIRE_FIELD_MAX (1 + VARINT_BYTES_MAX)

/* Lists of up to this many integers are written as one field for each, longer ones packed. Readers
 * take both; the reference writes them so, while proto3 packs any list. */
#define WIRE_UNPACKED_MAX 2

/* A message of so many integers takes less than 128 bytes, so its size is a varint of one byte. */
#define WIRE_RECORD_MAX 11

static inline uint8_t *wire_put_key(uint8_t *out, unsigned field, enum wire_type type) {
  *out = (uint8_t)(field << 3 | type);
  return out + 1;
}

/* The key and the size of a field of bytes, which follow. */
static inline uint8_t *wire_put_head(uint8_t *out, unsigned field, size_t size) {
  out = wire_put_key(out, field, WIRE_BYTES);
  return out + varint_put(out, size);
}

static inline uint8_t *wire_put_integer(uint8_t *out, unsigned field, uint64_t value) {
  out = wire_put_key(out, field, WIRE_VARINT);
  return out + varint_put(out, value);
}

/* The same, but nothing for 0, which is the value of a field that is not there. */
static inline uint8_t *wire_put_nonzero(uint8_t *out, unsigned field, uint64_t value) {
  return value ? wire_put_integer(out, field, value) : out;
}

/* A list; takes WIRE_FIELD_MAX bytes for each integer and for the head at the most. */
static inline uint8_t *wire_put_list(uint8_t *out, unsigned field, const uint64_t *values,
                                     size_t count) {
  if (count <= WIRE_UNPACKED_MAX) {
    for (size_t i = 0; i < count; i++) out = wire_put_integer(out, field, values[i]);
    return out;
  }
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += varint_bytes(values[i]);
  out = wire_put_head(out, field, size);
  for (size_t i = 0; i < count; i++) out += varint_put(out, values[i]);
  return out;
}

/* A message of nothing but integers, at most WIRE_RECORD_MAX: values[i] is its field i + 1. Takes
 * WIRE_FIELD_MAX bytes for each integer and for the head at the most. */
static inline uint8_t *wire_put_record(uint8_t *out, unsigned field, const uint64_t *values,
                                       size_t count) {
  uint8_t *size = wire_put_key(out, field, WIRE_BYTES), *start = size + 1;
  out = start;
  for (size_t i = 0; i < count; i++) out = wire_put_nonzero(out, (unsigned)i + 1, values[i]);
  *size = (uint8_t)(out - start);
  return out;
}

#endif
