/* Projections: `.config`, `/size@num .name@alpha`, `.file@(old new)` map a result to a key, a short
 * list of values. The flags of one run form a group: a key that one of them names is not part of
 * `.config` and `.fullname` in the others. */
#ifndef PPROFC_BENCH_PROJECTION_H
#define PPROFC_BENCH_PROJECTION_H

#include "bench/extract.h"
#include "bench/query.h"

enum order { ORDER_FIRST, ORDER_ALPHA, ORDER_NUM, ORDER_FIXED };

/* A part of a projection as written; `.config` becomes one field for each key. */
struct projection_part {
  bool is_config;
  struct key key;
  enum order order;
  uint32_t *fixed; /* values of ORDER_FIXED */
  size_t fixed_count;
  uint32_t *field_of_key; /* of `.config`: by string of the configuration key */
};

/* A column of the keys. */
struct field {
  pprofc_str name;
  uint32_t part;
  bool observed;   /* sorts by first observation; fields of `.config` never do */
  uint32_t *ranks; /* of the values of an observed field, by id; MAP_NONE before they are seen */
  size_t ranks_capacity, seen;
};

/* A key's values are [first, first + count) of projection.values; missing ones are empty. */
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
  uint32_t *row; /* the row that is being made */
  size_t row_capacity;
  struct key_row *keys;
  size_t key_count, key_capacity;
  uint32_t *values;
  size_t value_count, value_capacity;
  struct map key_map;
  uint32_t last_name, last_config, last_input, last_key; /* one result back */
};

struct projection_group {
  struct extractor *extractor;
  const pprofc_allocator *mem;
  pprofc_str *excluded; /* keys named by any projection */
  size_t excluded_count, excluded_capacity;
  bool has_config, has_full_name;
  uint32_t
      *full_names; /* names without their excluded parts, by name; NULL when nothing is excluded */
  bool failed;     /* out of memory */
};

void projection_group_init(struct projection_group *group, struct extractor *extractor);
void projection_group_free(struct projection_group *group);

/* Parses one flag's text. All of a group are parsed before any of them is used. */
pprofc_status projection_parse(struct projection *projection, struct projection_group *group,
                               pprofc_str text, pprofc_error *error);

/* The projection of everything that no flag of the group names. */
pprofc_status projection_residue(struct projection *projection, struct projection_group *group,
                                 pprofc_error *error);
void projection_free(struct projection *projection);

/* False when a fixed order does not list the value of a result. */
bool projection_accepts(struct projection *projection, size_t result);

/* The key of a result. Equal values are equal keys. */
uint32_t projection_key(struct projection *projection, size_t result);

/* The value of a field in a key. */
uint32_t projection_value(const struct projection *projection, uint32_t key, size_t field);

/* Fields in the order they are compared and shown; `out` has room for field_count of them. */
void projection_flat(const struct projection *projection, size_t *out);

/* <0, 0, >0; `flat` as projection_flat gives it. */
int projection_compare(const struct projection *projection, const size_t *flat, uint32_t a,
                       uint32_t b);

/* Appends the key's values but the empty ones, with blanks between them. */
void projection_label(const struct projection *projection, const size_t *flat, uint32_t key,
                      struct buffer *out);

#endif
