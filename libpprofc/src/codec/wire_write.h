/* Writes the protobuf wire format: the fields of profile.proto, as Go's pprof writes them.
 *
 * Every function writes at `out`, where the caller has provided memory, and returns the address
 * after the written bytes. An integer field, or the header of any other field, takes at most
 * WIRE_FIELD_MAX bytes. */
#ifndef PPROFC_CODEC_WIRE_WRITE_H
#define PPROFC_CODEC_WIRE_WRITE_H

#include "codec/wire.h"

/* Maximum size in bytes of an integer field: its key and a varint. The key has one byte, because
 * profile.proto has no field number above 15. */
#define WIRE_FIELD_MAX (1 + VARINT_BYTES_MAX)

/* Maximum number of integers in a list that is not packed, so each integer is a field. A longer
 * list is packed: one field contains all integers. pprof does the same. Readers accept both. */
#define WIRE_UNPACKED_MAX 2

/* Maximum number of integers in a record, so that the message has less than 128 bytes, and its size
 * is a varint of one byte. */
#define WIRE_RECORD_MAX 11

static inline uint8_t *wire_put_key(uint8_t *out, unsigned field, enum wire_type type) {
  *out = (uint8_t)(field << 3 | type);
  return out + 1;
}

/* Writes the key and the size of a field of bytes. The caller writes the bytes. */
static inline uint8_t *wire_put_head(uint8_t *out, unsigned field, size_t size) {
  out = wire_put_key(out, field, WIRE_BYTES);
  return out + varint_put(out, size);
}

static inline uint8_t *wire_put_integer(uint8_t *out, unsigned field, uint64_t value) {
  out = wire_put_key(out, field, WIRE_VARINT);
  return out + varint_put(out, value);
}

/* Writes an integer field. Skips 0, which is the default. */
static inline uint8_t *wire_put_nonzero(uint8_t *out, unsigned field, uint64_t value) {
  return value ? wire_put_integer(out, field, value) : out;
}

/* Writes a list. The list takes at most WIRE_FIELD_MAX bytes for each integer and for the
 * header. */
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

/* Writes a message of at most WIRE_RECORD_MAX integers. values[i] is field i + 1 of the message.
 * The message takes at most WIRE_FIELD_MAX bytes for each integer and for the header. */
static inline uint8_t *wire_put_record(uint8_t *out, unsigned field, const uint64_t *values,
                                       size_t count) {
  uint8_t *size = wire_put_key(out, field, WIRE_BYTES), *start = size + 1;
  out = start;
  for (size_t i = 0; i < count; i++) out = wire_put_nonzero(out, (unsigned)i + 1, values[i]);
  *size = (uint8_t)(out - start);
  return out;
}

#endif
