/* Reads and writes sums as JSON. Each sample type is an object, and each function has a line. */
#include "core/json_tree.h"
#include "core/json_write.h"
#include "verdict/sums.h"

#define SUMS_MARK "{\"pprofc_sums\":1,"

/* ---- JSON members ------------------------------------ */

struct sums_member {
  const char *name;
  size_t at; /* offset of a field of type double in its struct */
};

static const struct sums_member cell_members[] = {
    {"flat", offsetof(struct sums_cell, flat)},
    {"cum", offsetof(struct sums_cell, cum)},
    {"flat_noise", offsetof(struct sums_cell, flat_noise)},
    {"cum_noise", offsetof(struct sums_cell, cum_noise)},
    {"samples", offsetof(struct sums_cell, samples)},
    {"runs", offsetof(struct sums_cell, runs)},
    {"flat_share", offsetof(struct sums_cell, share[SUMS_FLAT].sum)},
    {"flat_squares", offsetof(struct sums_cell, share[SUMS_FLAT].squares)},
    {"cum_share", offsetof(struct sums_cell, share[SUMS_CUM].sum)},
    {"cum_squares", offsetof(struct sums_cell, share[SUMS_CUM].squares)},
    {"machine", offsetof(struct sums_cell, machine)},
    {"judged_share", offsetof(struct sums_cell, share[SUMS_JUDGED].sum)},
    {"judged_squares", offsetof(struct sums_cell, share[SUMS_JUDGED].squares)},
};

static const struct sums_member type_members[] = {
    {"runs", offsetof(struct sums_type, runs)},
    {"empty", offsetof(struct sums_type, empty)},
    {"total", offsetof(struct sums_type, total)},
    {"squares", offsetof(struct sums_type, squares)},
    {"inverse", offsetof(struct sums_type, inverse)},
};

#define CELL_MEMBERS COUNT(cell_members)
/* Number of members of a function in a file of an older version, which does not separate the time
 * in code such as the kernel. */
#define CELL_MEMBERS_OLD (CELL_MEMBERS - 3)
#define TYPE_MEMBERS     COUNT(type_members)

static const char *const sampling_words[] = {
    [SAMPLING_EXACT] = "exact",     [SAMPLING_PERIOD] = "period",
    [SAMPLING_COUNTS] = "counts",   [SAMPLING_HEAP] = "heap",
    [SAMPLING_EVENTS] = "events",   [SAMPLING_MOMENT] = "moment",
    [SAMPLING_UNKNOWN] = "unknown", NULL,
};

static double *sums_member_of(void *record, const struct sums_member *member) {
  return (double *)(void *)((char *)record + member->at);
}

static void sums_put_members(struct json_writer *json, const void *record,
                             const struct sums_member *members, size_t count) {
  for (size_t i = 0; i < count; i++) {
    json_double(json_key(json, members[i].name),
                *(const double *)(const void *)((const char *)record + members[i].at));
  }
}

/* ---- writing ----------------------------------------- */

struct sums_name {
  pprofc_str name;
  uint32_t id;
};

static void sums_put_type(const struct sums *sums, const struct sums_type *type,
                          const struct sums_name *order, struct json_writer *json) {
  json_pack(json, "\n{type:S unit:S default:b sampling:s period:f mixed_periods:b seconds:f",
            type->type, type->unit, type->is_default, sampling_words[type->sampling], type->period,
            type->mixed, type->seconds);
  sums_put_members(json, type, type_members, TYPE_MEMBERS);
  json_begin_array(json_key(json, "functions"));
  for (size_t i = 0; i < sums->names.texts.count; i++) {
    uint32_t id = order[i].id;
    if (id >= type->cell_capacity || !(type->cells[id].cum > 0)) continue;
    json_pack(json, "\n{function:S file:S", order[i].name,
              id < sums->file_capacity ? sums->files[id] : STR(""));
    sums_put_members(json, &type->cells[id], cell_members,
                     type->whole ? CELL_MEMBERS_OLD : CELL_MEMBERS);
    json_end(json);
  }
  json_pack(json, "]}");
}

pprofc_status sums_write(const struct sums *sums, struct output *out, pprofc_error *error) {
  size_t count = sums->names.texts.count;
  struct sums_name *order = mem_array(sums->mem, count, sizeof *order);
  if (!order) return error_nomem(error);
  for (uint32_t id = 0; id < count; id++)
    order[id] = (struct sums_name){sums->names.texts.items[id], id};
  qsort(order, count, sizeof *order, str_order);
  struct json_writer json;
  json_init(&json, out, sums->mem);
  json_pack(&json, "{pprofc_sums:1 types:[");
  for (size_t i = 0; i < sums->type_count; i++) sums_put_type(sums, &sums->types[i], order, &json);
  json_end(&json);
  mem_free(sums->mem, order, count, sizeof *order);
  return json_finish_file(&json) ? PPROFC_OK : error_nomem(error);
}

/* ---- reading ----------------------------------------- */

bool sums_is(pprofc_str text) {
  return str_starts(text, STR(SUMS_MARK));
}

static pprofc_status sums_wrong(const char *path, const struct node *at, const char *what,
                                pprofc_error *error) {
  return error_set(error, PPROFC_E_FORMAT, "cannot read '%s': line %u: %s", path,
                   at ? (unsigned)at->line : 1, what);
}

/* Reads a number of at least 0. Returns false for any other value. */
static bool sums_number(const struct node *object, const char *name, double *value) {
  const struct node *node = node_get(object, name);
  return node && node->kind == NODE_NUMBER && str_parse_float(node->text, value) &&
         isfinite(*value) && *value >= 0;
}

static pprofc_status sums_take_members(const char *path, const struct node *object, void *record,
                                       const struct sums_member *members, size_t count,
                                       pprofc_error *error) {
  for (size_t i = 0; i < count; i++) {
    double value;
    if (!sums_number(object, members[i].name, &value))
      return sums_wrong(path, object, "a sum is missing, negative or not a number", error);
    *sums_member_of(record, &members[i]) += value;
  }
  return PPROFC_OK;
}

static pprofc_status sums_take_function(struct sums *sums, struct sums_type *type, const char *path,
                                        const struct node *object, pprofc_error *error) {
  const struct node *name = node_get(object, "function");
  if (!node_is(name, NODE_STRING)) return sums_wrong(path, object, "a function has no name", error);
  uint32_t id = sums_name(sums, name->text, node_text(object, "file"));
  struct sums_cell *cell = id == MAP_NONE ? NULL : sums_cell_at(sums, type, id);
  if (!cell) return error_nomem(error);
  struct sums_cell one = {0};
  bool old = !node_get(object, "machine");
  type->whole |= old;
  pprofc_status status = sums_take_members(path, object, &one, cell_members,
                                           old ? CELL_MEMBERS_OLD : CELL_MEMBERS, error);
  if (old) one.share[SUMS_JUDGED] = one.share[SUMS_CUM];
  for (size_t i = 0; i < CELL_MEMBERS; i++)
    *sums_member_of(cell, &cell_members[i]) += *sums_member_of(&one, &cell_members[i]);
  return status;
}

/* Reads the sampling and the period of a type. Sets `mixed` if files differ in one of these. */
static pprofc_status sums_take_how(struct sums_type *type, const char *path,
                                   const struct node *object, pprofc_error *error) {
  int sampling = str_index(node_text(object, "sampling"), sampling_words);
  double period, seconds;
  bool first = type->runs + type->empty == 0;
  if (sampling < 0) return sums_wrong(path, object, "unknown value of \"sampling\"", error);
  if (!sums_number(object, "period", &period))
    return sums_wrong(path, object, "\"period\" is negative or not a number", error);
  if (!sums_number(object, "seconds", &seconds)) seconds = (double)NAN;
  if (first) {
    type->sampling = (enum sampling_kind)sampling;
    type->period = period;
    type->is_default = node_is(node_get(object, "default"), NODE_TRUE);
  }
  bool alike = (int)type->sampling == sampling && type->period == period;
  if (!alike || node_is(node_get(object, "mixed_periods"), NODE_TRUE)) type->mixed = true;
  type->seconds += seconds;
  return PPROFC_OK;
}

static pprofc_status sums_take_type(struct sums *sums, const char *path, const struct node *object,
                                    pprofc_error *error) {
  const struct node *functions = node_get(object, "functions");
  pprofc_str name = node_text(object, "type");
  if (!name.size || !node_is(functions, NODE_ARRAY))
    return sums_wrong(path, object, "a sample type needs \"type\" and \"functions\"", error);
  struct sums_type *type = sums_type_at(sums, name, node_text(object, "unit"));
  if (!type) return error_nomem(error);
  pprofc_status status = sums_take_how(type, path, object, error);
  if (!status) status = sums_take_members(path, object, type, type_members, TYPE_MEMBERS, error);
  for (const struct node *at = functions->first; at && !status; at = at->next)
    status = sums_take_function(sums, type, path, at, error);
  return status;
}

pprofc_status sums_read(struct sums *sums, const char *path, pprofc_str text, pprofc_error *error) {
  struct node *root;
  struct arena arena = arena_make(sums->mem);
  pprofc_status status = json_tree_parse(&arena, path, text, &root, error);
  const struct node *types = status ? NULL : node_get(root, "types");
  if (!status && !node_is(types, NODE_ARRAY))
    status = sums_wrong(path, root, "\"types\" is missing", error);
  for (const struct node *at = types ? types->first : NULL; at && !status; at = at->next)
    status = sums_take_type(sums, path, at, error);
  arena_free(&arena);
  return status;
}
