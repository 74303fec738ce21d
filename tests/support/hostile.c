/* Profiles in which one type of message fills almost all bytes. */
#include "hostile.h"

enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, COMMENT = 13, UNKNOWN = 100 };

/* Bytes of memory that the library needs for each type of message, from docs/method/memory.md. */
enum {
  ONE_VALUE = 8,
  ONE_SAMPLE = 12 + ONE_VALUE,
  ONE_SET = 4 + 56, /* the label set of one sample */
  ONE_LABEL = 24,
  ONE_ID = 48,
  ONE_MAPPING = 56,
  ONE_LOCATION = 25,
  ONE_LINE = 24,
  ONE_FUNCTION = 28,
  ONE_STRING = 16,
  ONE_TYPE = 8,
  ONE_COMMENT = 4,
};

#define TEXT(text) text, sizeof(text) - 1
#define KIND(name, field, ids, head, unit, units, types, is_bad, bytes)                            \
  { name, field, ids, head, unit, sizeof(head) - 1, sizeof(unit) - 1, units, types, is_bad, bytes }

const struct hostile_kind hostile_kinds[] = {
    /* Bytes of the fields: 10 01 is a value, 12 packed values, 08 01 a location, 0a packed
     * locations, 1a a label. */
    KIND("samples without values", SAMPLE, IDS_NONE, "", "", 0, 1, true, 0),
    KIND("samples without values, 1000 types", SAMPLE, IDS_NONE, "", "", 0, 1000, true, 0),
    KIND("a sample, then such without values", SAMPLE, IDS_ODD, "", "", 0, 1000, true, 0),
    KIND("samples of one value", SAMPLE, IDS_NONE, "\x10\x01", "", 0, 1, false, ONE_SAMPLE),
    KIND("samples of 100 packed values", SAMPLE, IDS_NONE, "\x12\x64", "\x01", 100, 100, false,
         ONE_SAMPLE + 99 * ONE_VALUE),
    KIND("samples of 100 values", SAMPLE, IDS_NONE, "", "\x10\x01", 100, 100, false,
         ONE_SAMPLE + 99 * ONE_VALUE),
    KIND("samples of 100 packed locations", SAMPLE, IDS_NONE, "\x10\x01\x0A\x64", "\x01", 100, 1,
         false, ONE_SAMPLE),
    KIND("samples of 100 locations", SAMPLE, IDS_NONE, "\x10\x01", "\x08\x01", 100, 1, false,
         ONE_SAMPLE + 2 * 100),
    KIND("samples of one sparse location", SAMPLE, IDS_STACKS, "\x10\x01\x08\x01", "", 0, 1, false,
         ONE_SAMPLE + 3),
    KIND("samples of 100 sparse locations", SAMPLE, IDS_STACKS, "\x10\x01\x0A\x64", "\x01", 100, 1,
         false, ONE_SAMPLE + 107),
    KIND("samples with one equal label", SAMPLE, IDS_NONE, "\x10\x01\x1A\x02\x10\x01", "", 0, 1,
         false, ONE_SAMPLE + ONE_SET + ONE_LABEL),
    KIND("samples with another number each", SAMPLE, IDS_LABELS, "\x10\x01", "", 0, 1, false,
         ONE_SAMPLE + ONE_SET + ONE_LABEL),
    KIND("samples with 100 texts", SAMPLE, IDS_LABELS, "\x10\x01", "\x1A\x02\x10\x01", 100, 1,
         false, ONE_SAMPLE + ONE_SET + 101 * ONE_LABEL),
    KIND("samples with 100 numbers", SAMPLE, IDS_LABELS, "\x10\x01", "\x1A\x02\x18\x01", 100, 1,
         false, ONE_SAMPLE + ONE_SET + 101 * ONE_LABEL),
    KIND("samples with 100 numbers with unit", SAMPLE, IDS_LABELS, "\x10\x01",
         "\x1A\x04\x18\x01\x20\x01", 100, 1, false, ONE_SAMPLE + ONE_SET + 101 * ONE_LABEL),
    KIND("samples with 100 empty labels", SAMPLE, IDS_NONE, "\x10\x01", "\x1A\x00", 100, 1, false,
         ONE_SAMPLE),
    KIND("empty mappings", MAPPING, IDS_NONE, "", "", 0, 1, true, 0),
    KIND("mappings", MAPPING, IDS_UP, "", "", 0, 1, false, ONE_MAPPING),
    KIND("mappings in another order", MAPPING, IDS_DOWN, "", "", 0, 1, false, ONE_MAPPING + ONE_ID),
    KIND("mappings with sparse ids", MAPPING, IDS_FAR, "", "", 0, 1, false, ONE_MAPPING + ONE_ID),
    KIND("mappings with one id", MAPPING, IDS_SAME, "", "", 0, 1, true, 0),
    KIND("empty locations", LOCATION, IDS_NONE, "", "", 0, 1, true, 0),
    KIND("locations", LOCATION, IDS_UP, "", "", 0, 1, false, ONE_LOCATION),
    KIND("locations in another order", LOCATION, IDS_DOWN, "", "", 0, 1, false,
         ONE_LOCATION + ONE_ID),
    KIND("locations with sparse ids", LOCATION, IDS_FAR, "", "", 0, 1, false,
         ONE_LOCATION + ONE_ID),
    KIND("locations with one id", LOCATION, IDS_SAME, "", "", 0, 1, true, 0),
    KIND("locations of 50 lines", LOCATION, IDS_UP, "", "\x22\x02\x08\x01", 50, 1, false,
         ONE_LOCATION + 50 * ONE_LINE),
    KIND("locations of 100 empty lines", LOCATION, IDS_UP, "", "\x22\x00", 100, 1, true,
         ONE_LOCATION),
    KIND("empty functions", FUNCTION, IDS_NONE, "", "", 0, 1, true, 0),
    KIND("functions", FUNCTION, IDS_UP, "", "", 0, 1, false, ONE_FUNCTION),
    KIND("functions in another order", FUNCTION, IDS_DOWN, "", "", 0, 1, false,
         ONE_FUNCTION + ONE_ID),
    KIND("functions with sparse ids", FUNCTION, IDS_FAR, "", "", 0, 1, false,
         ONE_FUNCTION + ONE_ID),
    KIND("functions with one id", FUNCTION, IDS_SAME, "", "", 0, 1, true, 0),
    KIND("empty strings", STRING, IDS_NONE, "", "", 0, 1, false, ONE_STRING),
    KIND("strings of 100 bytes", STRING, IDS_NONE, "", "a", 100, 1, false, ONE_STRING),
    KIND("sample types", TYPE, IDS_NONE, "", "", 0, 1, false, ONE_TYPE),
    KIND("packed comments", COMMENT, IDS_NONE, "", "\x01", 100, 1, false, 100 * ONE_COMMENT),
    KIND("unknown fields", UNKNOWN, IDS_NONE, "", "", 0, 1, false, 0),
};
const size_t hostile_kind_count = sizeof hostile_kinds / sizeof *hostile_kinds;

/* ---- protobuf encoding ------------------------------- */

static void put_varint(struct buffer *out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) buffer_add_char(out, (char)(v | 0x80));
  buffer_add_char(out, (char)v);
}

static size_t varint_size(uint64_t v) {
  size_t size = 1;
  for (; v >= 0x80; v >>= 7) size++;
  return size;
}

static void put_message(struct buffer *out, unsigned field, const void *data, size_t size) {
  put_varint(out, (uint64_t)field << 3 | 2);
  put_varint(out, size);
  buffer_add(out, data, size);
}

/* Returns the id of message i. Skips id 1 of locations and functions, which is already used. */
static uint64_t id_of(const struct hostile_kind *kind, uint64_t i, uint64_t count) {
  const uint64_t first = kind->field == MAPPING ? 1 : 2;
  switch (kind->ids) {
  case IDS_UP:
    return first + i;
  case IDS_DOWN:
    return first + count - 1 - i;
  case IDS_FAR:
    return 5 * (count + i) + 2000;
  default:
    return first;
  }
}

static void put_id(struct buffer *out, const struct hostile_kind *kind, uint64_t i,
                   uint64_t count) {
  if (kind->ids == IDS_NONE || kind->ids == IDS_ODD || kind->ids == IDS_STACKS) return;
  if (kind->ids == IDS_LABELS) {
    put_varint(out, 3 << 3 | 2);
    put_varint(out, 1 + varint_size(i + 1));
    put_varint(out, 3 << 3);
    put_varint(out, i + 1);
    return;
  }
  put_varint(out, 1 << 3);
  put_varint(out, id_of(kind, i, count));
}

static void put_good_sample(struct buffer *out, unsigned types) {
  put_varint(out, SAMPLE << 3 | 2);
  put_varint(out, 2 * (uint64_t)types);
  for (unsigned t = 0; t < types; t++) buffer_add(out, "\x10\x01", 2);
}

void hostile_profile(const struct hostile_kind *kind, uint64_t count, struct buffer *out) {
  struct buffer message;
  buffer_init(&message, out->mem, 1 << 20);
  for (unsigned t = 0; t < kind->types; t++) put_message(out, TYPE, "", 0);
  put_message(out, FUNCTION, TEXT("\x08\x01"));
  put_message(out, LOCATION, TEXT("\x08\x01"));
  if (kind->ids == IDS_STACKS) put_message(out, LOCATION, TEXT("\x08\xFF\x7F"));
  put_message(out, STRING, TEXT(""));
  put_message(out, STRING, TEXT("a"));
  if (kind->ids == IDS_ODD) put_good_sample(out, kind->types);
  for (uint64_t i = 0; i < count; i++) {
    buffer_clear(&message);
    put_id(&message, kind, i, count);
    buffer_add(&message, kind->head, kind->head_size);
    for (unsigned u = 0; u < kind->units; u++) buffer_add(&message, kind->unit, kind->unit_size);
    put_message(out, kind->field, message.data, message.size);
  }
  buffer_free(&message);
}

uint64_t hostile_count(const struct hostile_kind *kind, size_t bytes) {
  struct buffer few, more;
  buffer_init(&few, &mem_default, 1 << 24);
  buffer_init(&more, &mem_default, 1 << 24);
  hostile_profile(kind, 1000, &few);
  hostile_profile(kind, 2000, &more);
  uint64_t count = (uint64_t)bytes * 1000 / (more.size - few.size);
  buffer_free(&few);
  buffer_free(&more);
  return count;
}
