/* Builds the dictionary of an OTLP file. Makes an entry when it is first used. Keeps the encoded
 * form of each entry to find equal entries. */
#ifndef PPROFC_REPORT_PROTO_OTLP_TABLES_H
#define PPROFC_REPORT_PROTO_OTLP_TABLES_H

#include "otlp_profiles.pb-c.h"
#include "report/sample_labels.h"

/* Tables of the dictionary, in the order of their fields in the OTLP message. The field number is
 * the value of the constant plus 1. */
enum otlp_table {
  OTLP_MAPPINGS,
  OTLP_LOCATIONS,
  OTLP_FUNCTIONS,
  OTLP_LINKS,
  OTLP_STRINGS,
  OTLP_ATTRIBUTES,
  OTLP_STACKS,
  OTLP_TABLES
};

struct otlp_writer {
  const pprofc_profile *profile;
  const pprofc_allocator *mem;
  struct arena arena; /* memory for the entries and for the arrays below */
  struct interner tables[OTLP_TABLES];
  int32_t *string;          /* for each string of the profile, its index in the dictionary; -1: the
                               dictionary lacks it */
  int32_t *mapping;         /* for each mapping, its index in the dictionary */
  int32_t *location;        /* for each location, its index in the dictionary */
  int32_t *stack;           /* for each sample, the index of its stack in the dictionary */
  struct otlp_list *labels; /* for each label set, the indices of its labels in the dictionary */
  struct label_groups groups; /* scratch: labels of a sample, by key */
  size_t *group_attributes;   /* scratch: number of attributes for each element of `groups` */
  int32_t *frames;            /* scratch: locations of a stack */
  Otlp__Line *lines;          /* scratch: lines of a location */
  Otlp__Line **line_pointers;
  size_t line_capacity, pointer_capacity;
  struct buffer scratch;
  bool failed; /* true if memory ran out */
};

/* Indices in the dictionary's table of attributes. */
struct otlp_list {
  int32_t *items;
  size_t count;
  bool made;
};

bool otlp_writer_init(struct otlp_writer *w, const pprofc_profile *profile);
void otlp_writer_free(struct otlp_writer *w);

/* Returns the dictionary index of a string of the profile. Adds the string if it is new. */
int32_t otlp_write_string(struct otlp_writer *w, uint32_t string);
/* Returns the dictionary index of an attribute whose value is a text. */
int32_t otlp_write_attribute(struct otlp_writer *w, const char *key, pprofc_str value);
/* Sets `stack` and `labels` for all samples. Returns false when out of memory. */
bool otlp_write_samples(struct otlp_writer *w);

#endif
