/* Projections map a result to a key, which is a short list of values: `.config`, `/size@num
 * .name@alpha`, `.file@(old new)`. The projections of a command form a group. If one projection of
 * the group uses a key, `.config` and `.fullname` exclude it in the other projections. */
#ifndef PPROFC_BENCH_PROJECTION_H
#define PPROFC_BENCH_PROJECTION_H

#include "bench/extract.h"
#include "bench/query.h"

enum order { ORDER_FIRST, ORDER_ALPHA, ORDER_NUM, ORDER_FIXED };

/* A term in the text of a projection. `.config` becomes one field for each configuration key. */
struct projection_part {
  bool is_config;
  struct key key;
  enum order order;
  uint32_t *fixed; /* values in the fixed order that `@(v1 v2 ...)` gives */
  size_t fixed_count;
  uint32_t *field_of_key; /* for `.config`: the field of each configuration key, by the string index
                             of the key */
};

/* A field of a projection. It has one value in each key of the projection. */
struct field {
  pprofc_str name;
  uint32_t part;
  bool observed;   /* true: sort values by first use; false for fields of `.config` */
  uint32_t *ranks; /* if `observed`: for each value id, its rank in the order of first use;
                      MAP_NONE: not used yet */
  size_t ranks_capacity, seen;
};

/* A key. Its values are [first, first + count) in projection.values. Any further values are empty.
 */
struct key_row {
  size_t first;
  uint32_t count;
};

struct projection_group;

struct projection {
  struct projection_group *group;
  struct projection_part *parts;
  size_t part_count, part_capacity;
  struct field *fields;
  size_t field_count, field_capacity;
  uint32_t *row; /* values of the current row */
  size_t row_capacity;
  struct key_row *keys;
  size_t key_count, key_capacity;
  uint32_t *values;
  size_t value_count, value_capacity;
  struct map key_map;
  uint32_t last_name, last_config, last_input,
      last_key; /* names the previous result, to find an equal key fast */
};

struct projection_group {
  struct extractor *extractor;
  const pprofc_allocator *mem;
  pprofc_str *excluded; /* keys that the projections of the group use */
  size_t excluded_count, excluded_capacity;
  bool has_config, has_full_name;
  uint32_t *full_names; /* cache: for each name, the name without its excluded parts; NULL if
                           nothing is excluded */
  bool failed;          /* true if memory ran out */
};

void projection_group_init(struct projection_group *group, struct extractor *extractor);
void projection_group_free(struct projection_group *group);

/* Parses the text of one projection. All projections of a group must be parsed before the first
 * use. */
pprofc_status projection_parse(struct projection *projection, struct projection_group *group,
                               pprofc_str text, pprofc_error *error);

/* Creates the residue projection, which has all keys that no other projection of the group uses. */
pprofc_status projection_residue(struct projection *projection, struct projection_group *group,
                                 pprofc_error *error);
void projection_free(struct projection *projection);

/* True if each fixed order `@(v1 v2 ...)` of the projection lists the value of the result. */
bool projection_accepts(struct projection *projection, size_t result);

/* Returns the key of a result. Results with equal values have equal keys. */
uint32_t projection_key(struct projection *projection, size_t result);

/* Returns the value of a field in a key, as a string id. */
uint32_t projection_value(const struct projection *projection, uint32_t key, size_t field);

/* Stores the indices of the fields in the order in which keys are compared and shown. `out` has
 * space for field_count indices. */
void projection_flat(const struct projection *projection, size_t *out);

/* Compares two keys. Returns < 0, 0 or > 0. `flat` comes from projection_flat. */
int projection_compare(const struct projection *projection, const size_t *flat, uint32_t a,
                       uint32_t b);

/* Appends the nonempty values of a key, separated by spaces. */
void projection_label(const struct projection *projection, const size_t *flat, uint32_t key,
                      struct buffer *out);

#endif
