/* A profile in an old format, while the reader reads it. The profile consists of stacks of
 * addresses. Later steps assign mappings or Java frames to the addresses.
 *
 * The order of the steps affects the result and must be the order of pprof. First, samples create
 * locations. Then the locations get numbers in the order of use. Finally they get mappings.
 *
 * The strings of the profile point into the input. The builder keeps the first error. After an
 * error, legacy_next_line does not return more lines. */
#ifndef PPROFC_IMPORT_LEGACY_LEGACY_H
#define PPROFC_IMPORT_LEGACY_LEGACY_H

#include "import/reader.h"

/* ---- text.c: lines and short texts ------------------- */

/* Removes the next line from *rest. Returns false at the end, and at a line of more than 65,535
 * bytes. In both cases *line is "". */
bool text_next_line(pprofc_str *rest, pprofc_str *line);

/* True for a blank line and for a line that begins with '#'. */
bool text_is_comment(pprofc_str line);

/* True for lower-case hexadecimal digits, which make up addresses in old profiles. text_is_address
 * is also true for ' ' and 'x', which separate addresses in a list like "0x1f 0x2a". */
static inline bool text_is_lower_xdigit(char c) {
  return char_is_digit(c) || (c >= 'a' && c <= 'f');
}
static inline bool text_is_address(char c) {
  return c == ' ' || c == 'x' || text_is_lower_xdigit(c);
}

/* The functions below remove the text that they parse from the start of *s. If the text does not
 * match, they return false and leave *s unchanged. */

/* Parses a text by a pattern, and stores its numbers in `fields`. In the pattern, ' ' stands for
 * any number of spaces, '+' for one or more, '_' for a single space, '#' for digits, and '~' for
 * digits after an optional '-'. Any other character stands for itself. */
bool text_scan(pprofc_str *s, const char *pattern, pprofc_str *fields);

/* Does the same as str_take_run, but white space must precede the characters. Also removes the
 * white space. */
bool text_take_spaced_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);

/* Finds the next "0x..." in lower case in *rest, and sets *digits to its digits without "0x".
 * Leaves *rest after the digits. */
bool text_next_hex(pprofc_str *rest, pprofc_str *digits);

/* ---- the profile ------------------------------------- */

#define LEGACY_MAX_TYPES 4

struct legacy_type {
  pprofc_str type, unit;
};

struct legacy_sample {
  size_t first; /* index of the sample's first frame */
  size_t depth;
  int64_t block_size; /* average size of an object in bytes, for the label "bytes" */
};

struct legacy_location {
  uint64_t made_for; /* address that the samples contain for this location */
  uint64_t address;
  uint32_t mapping;  /* index of the mapping, or NONE */
  uint32_t function; /* index of the function, or NONE */
  int64_t line;
};

struct legacy_mapping {
  uint64_t start, limit, offset;
  pprofc_str file, build_id;
};

struct legacy_function {
  pprofc_str name, file;
};

struct legacy {
  pprofc_builder *builder;
  const pprofc_allocator *mem;
  struct arena *arena;
  pprofc_str rest; /* input after the current line */
  pprofc_str line; /* current line; "" before the first line and after the last line */

  struct legacy_type types[LEGACY_MAX_TYPES], period_type;
  size_t type_count;
  int64_t period, duration_nanos;
  const char *drop_frames; /* regular expression for the frames to drop; if NULL,
                              legacy_frames_to_drop chooses it */
  bool has_block_size;     /* true if samples have the label "bytes" */
  bool skips_allocator;    /* true to drop the leaf frames in the library of an allocator */

  struct legacy_sample *samples;
  uint32_t *frames; /* locations of all stacks, one stack after another */
  int64_t *values;  /* type_count values of each sample */
  struct legacy_location *locations;
  struct legacy_mapping *mappings;
  struct legacy_function *functions;
  size_t sample_count, frame_count, location_count, mapping_count;
  size_t sample_room, frame_room, value_room, location_room, mapping_room, function_room;
  struct map by_address; /* hash table of locations; the key is the address made_for */
  size_t open_frame;     /* index of the first frame of the next sample */
  uint64_t bad_lines;    /* number of lines that could not be read */
  /* Bytes of live memory. said: total that the file states; read: sum over the stacks. */
  uint64_t said, read;
};

/* Calls `read` to store the samples in `l`, and makes a profile of `l`. The sample types determine
 * which frames the profile drops and keeps. */
void legacy_import(void (*read)(struct legacy *l), pprofc_str data, pprofc_builder *builder,
                   struct arena *arena);

/* Reads the next line. Returns false at the end, at a line that is too long, and after an error. */
bool legacy_next_line(struct legacy *l);

/* Makes the builder fail with the message `what` and the start of the current line. Returns
 * false. */
bool legacy_malformed(struct legacy *l, const char *what);
/* Makes the builder fail because the data does not have the format of the reader. Returns false. */
bool legacy_no_match(struct legacy *l);

void legacy_add_type(struct legacy *l, pprofc_str type, pprofc_str unit);

/* Appends a frame to the stack of the next sample. Frames with equal addresses share a location. */
void legacy_add_frame(struct legacy *l, uint64_t address);

/* Appends each number 0x... of the text as a frame. The first `as_they_are` addresses of the stack
 * stay unchanged. The other addresses are return addresses, so the function subtracts 1 from them.
 * Returns false if a number is too large. */
bool legacy_add_hex_frames(struct legacy *l, pprofc_str text, size_t as_they_are);

/* Adds a sample with the frames that were appended since the last sample. */
void legacy_add_sample(struct legacy *l, const int64_t *values, int64_t block_size);

/* Returns the address of frame `index` of a sample. */
static inline uint64_t legacy_frame_address(const struct legacy *l,
                                            const struct legacy_sample *sample, size_t index) {
  return l->locations[l->frames[sample->first + index]].address;
}

/* Removes the second frame of a sample, which must have at least two frames. */
void legacy_drop_second_frame(struct legacy *l, struct legacy_sample *sample);

/* Removes the second frame of each sample if this frame repeats the leaf. Signal handlers record
 * the leaf twice, the second time as a return address. */
void legacy_drop_repeated_leaves(struct legacy *l);

/* Scales the count and total size of sampled allocations to an estimate for all allocations
 * (docs/spec/pprof.md, 5.9). `rate` is the sampling rate in bytes. */
void legacy_unsample(int64_t *count, int64_t *size, int64_t rate);

/* Converts a number to an integer, as Go's int64(float) does on common machines: a number that does
 * not fit becomes INT64_MIN. */
int64_t legacy_to_int(double value);

/* ---- memory_map.c, mapping_lookup.c, java_locations.c  */

/* Skips lines up to the start of the memory map. Reads the memory map if there is one. */
void legacy_read_sections(struct legacy *l);
/* legacy_read_memory_map reads all following lines as mappings, then numbers the locations and
 * assigns their mappings. legacy_is_memory_map_head is true for the line before the first
 * mapping. */
void legacy_read_memory_map(struct legacy *l);
bool legacy_is_memory_map_head(pprofc_str line);

/* Numbers the locations in the order of use, and assigns their mappings. */
void legacy_place_locations(struct legacy *l);
/* Assigns a mapping to each location. Call this function after the locations have their final
 * numbers. */
void legacy_assign_mappings(struct legacy *l);

/* Reads the rest of the input, which is the list of locations at the end of a Java profile. Then
 * numbers all locations, assigns their mappings, and clears their addresses. */
void legacy_read_java_locations(struct legacy *l);

#endif
