/* Finds which regular expressions match the names of lines, locations and mappings. Matches each
 * distinct string only once. */
#ifndef PPROFC_TRANSFORM_FILTER_NAME_BITS_H
#define PPROFC_TRANSFORM_FILTER_NAME_BITS_H

#include "profile/profile.h"
#include "regex/regex.h"

/* Maximum number of expressions. Bit i of a string is set if expression i matches the string. */
#define NAME_BITS_MAX 4
#define NAME_KNOWN    0x80u /* flag: the string has been matched */

struct name_bits {
  const pprofc_profile *profile;
  unsigned count;
  /* Compiled expressions; NULL if the option is not set. */
  struct regex *expressions[NAME_BITS_MAX];
  const char *names[NAME_BITS_MAX]; /* names of the options, for messages */
  struct arena arena;               /* arena for memory that only the edit needs */
  uint8_t *strings;                 /* bits of each string of the profile */
};

/* Returns the bits for the function and the file of a line. `line` is an index into
 * locations.lines. */
static inline uint8_t name_bits_line(const struct name_bits *bits, uint32_t line) {
  const struct functions *f = &bits->profile->functions;
  uint32_t function = bits->profile->locations.lines[line].function;
  return bits->strings[f->name[function]] | bits->strings[f->filename[function]];
}

/* Returns the bits for the file of a location's mapping. */
static inline uint8_t name_bits_mapping(const struct name_bits *bits, uint32_t location) {
  uint32_t mapping = bits->profile->locations.mapping[location];
  return mapping == NONE ? 0 : bits->strings[bits->profile->mappings.items[mapping].file];
}

/* Returns the bits for the mapping and all lines of a location. */
static inline uint8_t name_bits_location(const struct name_bits *bits, uint32_t location) {
  const struct locations *l = &bits->profile->locations;
  uint8_t sum = name_bits_mapping(bits, location);
  for (uint32_t i = l->line_from[location]; i < l->line_from[location + 1]; i++)
    sum |= name_bits_line(bits, i);
  return sum;
}

#endif
