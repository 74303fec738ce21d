/* Declares the state of a builder, which the files builder*.c share. */
#ifndef PPROFC_PROFILE_BUILDER_STATE_H
#define PPROFC_PROFILE_BUILDER_STATE_H

#include "profile/builder.h"
#include "profile/label_table.h"

/* A column (array with an element for each record), which grows while records are added. */
struct builder_column {
  void *items;
  size_t count, capacity, item_size;
};

/* Indices into pprofc_builder.columns. */
enum {
  TYPES,
  COMMENTS,
  VALUES,
  STACKS,
  STACK_SIZES,
  LABEL_SET, /* for each sample, its label set */
  LABEL_SETS,
  LABELS, /* labels of all label sets, followed by the labels of the last sample */
  LOCATION_ADDRESS,
  LOCATION_MAPPING,
  LOCATION_LINE_FROM, /* for each location, the index of its first line */
  LINES,
  FUNCTION_NAME,
  FUNCTION_SYSTEM_NAME,
  FUNCTION_FILENAME,
  FUNCTION_START_LINE,
  MAPPINGS,
  FOLDED, /* indices of the locations with is_folded set */
  COLUMN_COUNT
};

struct pprofc_builder {
  pprofc_allocator mem;
  pprofc_error error;      /* error of the first call that failed, or status PPROFC_OK */
  pprofc_profile *profile; /* profile under construction; its region contains strings and stacks */
  struct interner strings;
  struct map functions, locations, mappings; /* hash tables of the records */
  struct builder_column columns[COLUMN_COUNT];
  uint8_t *chunk, *chunk_end; /* start and end of the memory for the next stacks */
  size_t max_depth, depth_limit;
  struct label_table label_table; /* finds equal sets in the column LABEL_SETS */
  size_t first_label;             /* index of the first label of the last sample */
  bool finds_mappings;
  struct builder_times *times; /* times of the samples, or NULL */
};

#endif
