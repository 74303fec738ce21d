/* Which expressions match the names of lines, locations and mappings: each distinct string is
 * looked at once. */
#ifndef PPROFC_TRANSFORM_FILTER_NAME_BITS_H
#define PPROFC_TRANSFORM_FILTER_NAME_BITS_H

#include "profile/profile.h"
#include "regex/regex.h"

/* Bit i of a name: expression i matches it. */
#define NAME_BITS_MAX 4
#define NAME_KNOWN    0x80u /* the string was looked at */

struct name_bits {
  const pprofc_profile *profile;
  unsigned count;
  struct regex *expressions[NAME_BITS_MAX]; /* or NULL */
  const char *names[NAME_BITS_MAX];         /* of the options, for messages */
  uint8_t *strings;                         /* [strings] */
};

/* Looks at all names of functions, files and mappings. To be freed even when it fails. */
pprofc_status name_bits_find(struct name_bits *bits, pprofc_error *error);
void name_bits_free(struct name_bits *bits);

/* Of the function and the file of one line of the table of lines. */
static inline uint8_t name_bits_line(const struct name_bits *bits, uint32_t line) {
  const struct functions *f = &bits->profile->functions;
  uint32_t function = bits->profile->locations.lines[line].function;
  return bits->strings[f->name[function]] | bits->strings[f->filename[function]];
}

/* Of the file of a location's mapping. */
static inline uint8_t name_bits_mapping(const struct name_bits *bits, uint32_t location) {
  uint32_t mapping = bits->profile->locations.mapping[location];
  return mapping == NONE ? 0 : bits->strings[bits->profile->mappings.items[mapping].file];
}

/* Of all of them. */
static inline uint8_t name_bits_location(const struct name_bits *bits, uint32_t location) {
  const struct locations *l = &bits->profile->locations;
  uint8_t sum = name_bits_mapping(bits, location);
  for (uint32_t i = l->line_from[location]; i < l->line_from[location + 1]; i++)
    sum |= name_bits_line(bits, i);
  return sum;
}

#endif
