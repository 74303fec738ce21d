/* Declarations for the files that rewrite messages of the schema's versions 1.6 and 1.7 in the
 * current version: older_tables.c rewrites the dictionary, older.c the profiles. */
#ifndef PPROFC_IMPORT_OTLP_OLDER_H
#define PPROFC_IMPORT_OTLP_OLDER_H

#include "import/otlp/otlp.h"

/* Tables of the dictionary, by their field numbers in the current version. */
enum { OLDER_LINK = 4, OLDER_STRING = 5, OLDER_ATTRIBUTE = 6, OLDER_STACK = 7, OLDER_TABLES = 8 };

/* Number of attributes that replace flags. In the table of attributes, they follow the zero value
 * (entry 0). */
#define OLDER_FLAGS 5u

/* Old indices grow by 1, because each new table begins with a zero value. Indices of attributes
 * also grow by the number of flags. */
#define OLDER_SHIFT           1u
#define OLDER_ATTRIBUTE_SHIFT (OLDER_SHIFT + OLDER_FLAGS)

/* A sample. Its stack is the range `start`, `length` of the profile's list of locations. */
struct older_sample {
  uint64_t start, length, link;
  struct buffer values, attributes, times;
};

struct older {
  struct otlp *otlp;
  struct buffer dictionary;
  pprofc_str *strings; /* strings of the old table */
  size_t string_count, string_capacity;
  /* number of strings, attributes and stacks in the new tables so far */
  size_t new_strings, attribute_count, stack_count;
  struct interner unit_keys; /* keys of attributes that have a unit */
  uint64_t *units; /* for each key in unit_keys: its unit, as a string index of the new table */
  size_t unit_capacity;
  uint64_t *locations; /* list of locations of the current profile, as indices of the new table */
  size_t location_count, location_capacity;
  struct older_sample sample; /* the sample that was read last */
  uint64_t excess; /* number of locations by which the range of each sample is too long: 0 or 1 */
};

enum older_action {
  OLDER_COPY,
  OLDER_INDEX,      /* index of a string, a function or a mapping */
  OLDER_ATTRIBUTES, /* list of indices of attributes */
  OLDER_LINES,      /* line of a location */
  OLDER_TYPE,       /* type and unit of a value */
  OLDER_TIME,       /* time, written as an integer of 8 bytes */
  OLDER_FLAG /* flag that becomes an attribute: the entry 1 + `flag` of the table of attributes */
};

/* A rule: field `from` of an old message becomes field `to` of the new message, by `action`. */
struct older_rule {
  uint8_t from, to;
  enum older_action action;
  uint8_t flag;
};

/* ---- older_tables.c ---------------------------------- */

/* Copies a field of type varint or bytes. Drops a field of any other type. */
void older_put_copy(struct buffer *out, unsigned field, const struct wire_field *f);
/* Appends a message as a field, and frees the message. */
void older_put_message(struct buffer *out, unsigned field, struct buffer *message);
/* Appends the numbers of a field, packed or not, to a list, each increased by `shift`. Returns
 * false if the field is invalid. */
bool older_add_numbers(struct buffer *out, const struct wire_field *f, uint64_t shift);
/* Appends a list of numbers as a packed field, unless the list is empty. Frees the list. */
void older_put_numbers(struct buffer *out, unsigned field, struct buffer *numbers);

const struct older_rule *older_rule_of(const struct older_rule *rules, uint64_t number);
/* Rewrites a field by its rule. Returns false if the field is invalid. */
bool older_put_field(struct older *c, struct buffer *out, const struct older_rule *rule,
                     const struct wire_field *f);
/* Appends an attribute to the dictionary. `value` is an encoded AnyValue; `unit` is a string index
 * of the new table, or 0. */
void older_new_attribute(struct older *c, pprofc_str key, const void *value, size_t size,
                         uint64_t unit);
/* Writes the zero values of all tables, then rewrites all tables of the message. Returns false if
 * the message is invalid. */
bool older_all_tables(struct older *c, pprofc_str message);

#endif
