/* Finds equal label sets while the label columns of a profile are filled. Each set is then stored
 * once. */
#ifndef PPROFC_PROFILE_LABEL_TABLE_H
#define PPROFC_PROFILE_LABEL_TABLE_H

#include "profile/profile.h"

struct label_table {
  const struct label *labels;
  struct label_set *sets; /* label sets, in memory of the caller with room for all sets */
  size_t count;
  uint32_t last; /* index of the set that was found last; the next sample often has this set */
  struct map map;
};

void label_table_init(struct label_table *table, const pprofc_allocator *mem,
                      const struct label *labels, struct label_set *sets);
void label_table_free(struct label_table *table);

/* Returns the index of the set with labels[first .. first + count - 1] in this order. Adds the set
 * if there is no equal set. Returns MAP_NONE when out of memory. */
uint32_t label_table_add(struct label_table *table, size_t first, size_t count);

#endif
