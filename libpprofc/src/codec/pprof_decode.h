/* State that the two passes of the profile.proto reader share. Pass 1 is in pprof_scan.c. Pass 2 is
 * in pprof_samples.c for samples, and in pprof_decode.c for all other fields. */
#ifndef PPROFC_CODEC_PPROF_DECODE_H
#define PPROFC_CODEC_PPROF_DECODE_H

#include "codec/codec.h"
#include "codec/wire.h"

enum profile_field {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE,
  PROFILE_MAPPING,
  PROFILE_LOCATION,
  PROFILE_FUNCTION,
  PROFILE_STRING,
  PROFILE_DROP_FRAMES,
  PROFILE_KEEP_FRAMES,
  PROFILE_TIME,
  PROFILE_DURATION,
  PROFILE_PERIOD_TYPE,
  PROFILE_PERIOD,
  PROFILE_COMMENT,
  PROFILE_DEFAULT_TYPE,
  PROFILE_DOC_URL,
};

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT, VALUE_TYPE_FIELDS = VALUE_TYPE_UNIT };

enum sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };

enum label_field {
  LABEL_KEY = 1,
  LABEL_STRING,
  LABEL_NUMBER,
  LABEL_UNIT,
  LABEL_FIELDS = LABEL_UNIT
};

enum mapping_field {
  MAPPING_ID = 1,
  MAPPING_START,
  MAPPING_LIMIT,
  MAPPING_OFFSET,
  MAPPING_FILE,
  MAPPING_BUILD_ID,
  MAPPING_HAS_FUNCTIONS,
  MAPPING_HAS_FILENAMES,
  MAPPING_HAS_LINE_NUMBERS,
  MAPPING_HAS_INLINE_FRAMES,
  MAPPING_FIELDS = MAPPING_HAS_INLINE_FRAMES
};

enum location_field {
  LOCATION_ID = 1,
  LOCATION_MAPPING,
  LOCATION_ADDRESS,
  LOCATION_LINE,
  LOCATION_FOLDED,
  LOCATION_FIELDS = LOCATION_FOLDED
};

enum line_field { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN, LINE_FIELDS = LINE_COLUMN };

enum function_field {
  FUNCTION_ID = 1,
  FUNCTION_NAME,
  FUNCTION_SYSTEM_NAME,
  FUNCTION_FILENAME,
  FUNCTION_START_LINE,
  FUNCTION_FIELDS = FUNCTION_START_LINE
};

/* A map from ids to indices. The map needs no table if the ids are 1, 2, 3 ..., as in most files.
 * Small ids in another order need a table. Large ids (addresses, hashes) need a hash table. */
struct id_map {
  size_t count;
  const uint64_t *ids;   /* ids by index; NULL: each id is its index + 1 */
  const uint32_t *table; /* index of each id below `table_size`, or MAP_NONE; NULL: no table */
  uint64_t table_size;
  struct map hash;
  uint32_t duplicate; /* first index whose id occurs at a lower index as well, or MAP_NONE */
};

/* Builds a map from `count` ids to their indices. The caller keeps the array `ids` as long as the
 * map. The field `table` belongs to the arena, and id_map_free frees the field `hash`. Returns
 * false when out of memory. */
bool id_map_build(struct id_map *map, const uint64_t *ids, size_t count, struct arena *arena);
void id_map_free(struct id_map *map);

uint32_t id_map_find_slow(const struct id_map *map, uint64_t id);

/* Returns the index of id, or MAP_NONE. */
static inline uint32_t id_map_find(const struct id_map *map, uint64_t id) {
  if (!map->ids) return id - 1 < map->count ? (uint32_t)(id - 1) : MAP_NONE;
  if (map->table) return id < map->table_size ? map->table[id] : MAP_NONE;
  return id_map_find_slow(map, id);
}

/* Part of the input that one worker thread reads. It consists of complete top-level fields.
 * first_sample, first_label and first_set are the numbers of samples, labels and label sets in all
 * earlier parts. first_side is the size in bytes of the copied stacks in earlier parts. The reader
 * copies a stack if the file stores its ids in several lists. */
struct chunk {
  const uint8_t *from, *to;
  size_t first_sample, first_label, first_set, first_side;
  bool has_samples, has_others;
};

/* An id below this number is small. Its varint has one or two bytes. */
#define SMALL_IDS 16384

/* Counts messages that have an id. A profile with a repeated id is invalid. Only the first
 * repetition of a small id is stored, so that a file of very short messages cannot fill the memory.
 */
struct id_count {
  size_t stored;
  uint64_t largest;
  bool other;    /* true if the ids are not 1, 2, 3 ... */
  bool repeated; /* true if any id below SMALL_IDS occurs twice */
  uint64_t seen[SMALL_IDS / 64];
};

/* Counts an id. Returns false if the id is small and was already repeated before. The caller must
 * then not store the message with this id. */
static inline bool id_count_add(struct id_count *count, uint64_t id) {
  if (id < SMALL_IDS) {
    uint64_t bit = (uint64_t)1 << id % 64;
    bool again = (count->seen[id / 64] & bit) != 0;
    if (again && count->repeated) return false;
    count->repeated |= again;
    count->seen[id / 64] |= bit;
  }
  if (id > count->largest) count->largest = id;
  count->other |= id != ++count->stored;
  return true;
}

struct decoder;

/* Source of the samples if they are not in the input. */
struct decoder_source {
  void *context;
  bool (*settle)(void *context); /* finishes the collection of samples; may run while another thread
                                    decodes all other fields */
  bool (*publish)(void *context, struct decoder *d);
};

struct decoder {
  const struct input *input;
  const pprofc_limits *limits;
  pprofc_error *error;
  pprofc_profile *profile;             /* profile under construction */
  struct arena *arena;                 /* memory for the profile */
  const struct decoder_source *source; /* source of the samples; NULL: the input */
  bool certain; /* after an error: true if the input is surely a profile.proto, but invalid; false
                   if the input may have another format */

  /* results of pass 1 */
  struct buffer chunks; /* parts of the input for the workers: array of struct chunk */
  size_t types, samples, labels, sets, lines, strings, comments;
  bool line_without_function; /* true if a line has no function. The profile is then invalid, and
                                 the reader stores only the first line without a function. */
  struct id_count mappings, locations, functions;
  size_t frames; /* upper bound of the number of frames in all stacks together */
  size_t side;   /* total size in bytes of the stacks that consist of several lists in the input */
  size_t values; /* number of values of the first sample */
  size_t other_count; /* index of the first sample with a number of values other than `values`;
                         SIZE_MAX: no such sample */

  /* tables of pass 2 */
  struct id_map location_ids, function_ids, mapping_ids;
};

static inline const struct chunk *decoder_chunks(const struct decoder *d, size_t *count) {
  *count = d->chunks.size / sizeof(struct chunk);
  return (const struct chunk *)(const void *)d->chunks.data;
}

/* Returns the number of samples that are stored. The reader stops at the first sample with a wrong
 * number of values. */
static inline size_t decoder_samples_kept(const struct decoder *d) {
  if (!d->samples) return 0;
  size_t bad = d->values == d->types ? d->other_count : 0;
  return bad == SIZE_MAX ? d->samples : bad + 1;
}

/* Returns the maximum number of bytes that one location takes in a rewritten stack. */
static inline size_t decoder_index_bytes(const struct decoder *d) {
  return varint_bytes(d->locations.stored);
}

/* Rewritten stacks are stored in blocks. At most 1/REWRITING_WASTE of a block stays empty. */
#define REWRITING_WASTE 16

/* Reports a wire error at w->at. */
pprofc_status decoder_fault(struct decoder *d, const struct wire *w);
/* Reports an error at an address in the input. */
pprofc_status decoder_fail(struct decoder *d, const uint8_t *at, const char *why);

/* Decodes a profile. The caller must set the fields input, limits and error; the field source is
 * optional. */
pprofc_status decoder_decode(struct decoder *d, unsigned threads, pprofc_profile **profile);

/* Runs pass 1: checks the structure of every message, counts messages, and checks the limits. */
pprofc_status decoder_scan(struct decoder *d);

/* Runs pass 2 for the samples. Uses several threads. */
pprofc_status decoder_samples(struct decoder *d, unsigned threads);

#endif
