/* The protobuf wire format: varints, fields, skipping. Copies nothing, and checks all input. */
#ifndef PPROFC_CODEC_WIRE_H
#define PPROFC_CODEC_WIRE_H

#include "core/base.h"
#include "core/varint.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A position in a message. After an error, `fault` is the error message, and `at` is the position
 * of the error. */
struct wire {
  const uint8_t *at, *end;
  const char *fault;
};

struct wire_field {
  uint64_t number;
  uint32_t type;
  uint64_t value;      /* value of a field of type WIRE_VARINT */
  const uint8_t *data; /* contents (WIRE_BYTES), or the bytes of a fixed-size number */
  size_t size;         /* size of the contents; 0 for a number */
};

/* Returns a reader of `size` bytes. `data` may be NULL if `size` is 0. */
static inline struct wire wire_over(const void *data, size_t size) {
  const uint8_t *at = data;
  return (struct wire){at, size ? at + size : at, NULL};
}

/* Returns a reader of the contents of a field. */
static inline struct wire wire_inside(const struct wire_field *field) {
  return wire_over(field->data, field->size);
}

static inline bool wire_fail(struct wire *w, const char *fault) {
  w->fault = fault;
  return false;
}

/* Reads a varint. Most varints have one byte, and are read without a loop. */
static inline bool wire_varint(struct wire *w, uint64_t *value) {
  const uint8_t *p = w->at;
  if (p < w->end && *p < VARINT_MORE) {
    *value = *p;
    w->at = p + 1;
    return true;
  }
  enum varint_fault fault = varint_read(&p, w->end, value);
  if (fault) return wire_fail(w, varint_fault_text(fault));
  w->at = p;
  return true;
}

/* Reads a field and its contents. Returns false after an error. `at` must be below `end`. The
 * function must be inlined, because calls would take 3 % of the instructions of -top. */
__attribute__((always_inline)) static inline bool wire_next(struct wire *w,
                                                            struct wire_field *field) {
  const uint8_t *start = w->at;
  uint64_t key;
  *field = (struct wire_field){0};
  if (!wire_varint(w, &key)) return false;
  field->number = key >> 3;
  field->type = (uint32_t)(key & 7);
  size_t fixed = 0;
  switch (field->type) {
  case WIRE_VARINT:
    return wire_varint(w, &field->value);
  case WIRE_BYTES: {
    uint64_t size;
    if (!wire_varint(w, &size)) return false;
    if (size > (uint64_t)(w->end - w->at)) {
      w->at = start;
      return wire_fail(w, "field runs past the end");
    }
    field->data = w->at;
    field->size = (size_t)size;
    w->at += size;
    return true;
  }
  case WIRE_FIXED64:
    fixed = 8;
    break;
  case WIRE_FIXED32:
    fixed = 4;
    break;
  default:
    w->at = start;
    return wire_fail(w, "unknown wire type");
  }
  if (fixed > (size_t)(w->end - w->at)) return wire_fail(w, "truncated number");
  field->data = w->at;
  w->at += fixed;
  return true;
}

/* Reads the next field. Returns false at the end. Also returns false after an error, which
 * w->fault then describes. */
static inline bool wire_each(struct wire *w, struct wire_field *field) {
  return w->at < w->end && wire_next(w, field);
}

/* Stores the integers of a message in values[field number]. If a field is repeated, its last value
 * counts. Values of missing fields stay unchanged. Returns false if the message is invalid. */
static inline bool wire_integers(struct wire message, uint64_t *values, size_t count) {
  struct wire_field field;
  while (wire_each(&message, &field))
    if (field.number < count) values[field.number] = field.value;
  return !message.fault;
}

/* True if the last varint of a packed list (all varints of a list in one field) is complete. */
static inline bool wire_ends_whole(const struct wire_field *field) {
  return !field->size || field->data[field->size - 1] < VARINT_MORE;
}

/* Skips varints in steps of 8 bytes. Stops near w->end, or if a varint may exceed 3 bytes. */
static inline void wire_skip_short_varints(struct wire *w) {
  const uint8_t *start = w->at;
  for (; w->end - w->at > 8; w->at += 8) {
    uint64_t bytes;
    memcpy(&bytes, w->at, sizeof bytes);
    bytes &= UINT64_C(0x8080808080808080);
    if (bytes & bytes >> 8 & bytes >> 16) break;
  }
  while (w->at > start && w->at[-1] >= VARINT_MORE) w->at--;
}

/* True if every varint in a list is valid. If a varint is invalid, stores the error in *w. */
static inline bool wire_check_varints(struct wire *w) {
  uint64_t ignored;
  wire_skip_short_varints(w);
  while (w->at < w->end)
    if (!wire_varint(w, &ignored)) return false;
  return true;
}

/* The functions below write the protobuf wire format: the fields of profile.proto, as Go's pprof
 * writes them.
 *
 * Every function writes at `out`, where the caller has provided memory, and returns the address
 * after the written bytes. An integer field, or the header of any other field, takes at most
 * WIRE_FIELD_MAX bytes. */

/* Maximum size in bytes of an integer field: its key and a varint. The key has one byte, because
 * profile.proto has no field number above 15. */
#define WIRE_FIELD_MAX (1 + VARINT_BYTES_MAX)

/* Maximum length of a list of integers in which each integer is a separate field. A longer list is
 * packed: one field contains all integers. pprof does the same. Readers accept both. */
#define WIRE_UNPACKED_MAX 2

/* Maximum number of integers in a record. With this number, the message has less than 128 bytes, so
 * its size is a varint of one byte. */
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
