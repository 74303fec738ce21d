/* speedscope files, as py-spy, rbspy, dotnet-trace and pprofc write them. */
#include "core/mem.h"
#include "import/json/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TYPES 64u
#define MOST_DEPTH 65536u

/* One profile of the file: a column of values, and a name that is a label where it is no type. */
struct speedscope_member {
  const struct node *profile;
  pprofc_str name, unit;
  size_t type;
  double carry; /* what was rounded off, which goes to the next weight */
};

struct speedscope_reader {
  pprofc_builder *builder;
  const struct node *frames;
  uint32_t *location; /* [frames] */
  size_t frame_count;
  struct speedscope_member *members; /* [profiles] */
  size_t member_count, type_count;
  const struct speedscope_member *types[MOST_TYPES]; /* the first of each */
  bool names_are_types; /* our own files: one profile for each sample type */
  uint32_t stack[MOST_DEPTH], leaf_first[MOST_DEPTH];
  size_t open; /* frames that were never closed */
  size_t bad;  /* events and samples that could not be read */
  size_t fractions;
};

static const char *pprof_unit(pprofc_str unit) {
  return str_equal(unit, STR("none")) || !unit.size ? "count" : unit.data;
}

/* Weights may be fractions of their unit; a fraction of a second is nanoseconds. */
static double unit_scale_to_int(pprofc_str unit, const char **name) {
  static const struct {
    const char *unit;
    double nanoseconds;
  } times[] = {{"seconds", 1e9}, {"milliseconds", 1e6}, {"microseconds", 1e3}, {"nanoseconds", 1}};
  for (size_t i = 0; i < 4; i++)
    if (str_equal(unit, str_of(times[i].unit))) {
      *name = "nanoseconds";
      return times[i].nanoseconds;
    }
  *name = pprof_unit(unit);
  return 1;
}

/* ---- types ------------------------------------------- */

/* The sample type for a unit where the profiles of the file have no types for names. */
static const char *type_of_unit(const char *unit) {
  if (strcmp(unit, "nanoseconds") == 0) return "wall";
  return strcmp(unit, "bytes") == 0 ? "space" : "samples";
}

/* The type of a profile: its name or its unit; type_count when it is a new one. */
static size_t speedscope_type_of(const struct speedscope_reader *r,
                                 const struct speedscope_member *m, const char *unit) {
  for (size_t i = 0; i < r->type_count; i++) {
    const char *other;
    unit_scale_to_int(r->types[i]->unit, &other);
    bool same =
        r->names_are_types ? str_equal(r->types[i]->name, m->name) : strcmp(unit, other) == 0;
    if (same) return i;
  }
  return r->type_count;
}

/* False when there are too many types. */
static bool speedscope_find_types(struct speedscope_reader *r) {
  for (size_t i = 0; i < r->member_count; i++) {
    struct speedscope_member *m = &r->members[i];
    const char *unit;
    unit_scale_to_int(m->unit, &unit);
    m->type = speedscope_type_of(r, m, unit);
    if (m->type < r->type_count) continue;
    if (r->type_count == MOST_TYPES) return false;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(m->name.size < 100 ? m->name.size : 100),
             m->name.data);
    const char *type = r->names_are_types ? name : type_of_unit(unit);
    /* A type without a length: weights are sampled, how often is not in the file. */
    if (r->type_count == 0) pprofc_builder_period(r->builder, type, unit, 0);
    pprofc_builder_type(r->builder, type, unit);
    r->types[r->type_count++] = m;
  }
  return true;
}

static bool frame_location(const struct speedscope_reader *r, const struct node *index,
                           uint32_t *location) {
  int64_t i;
  if (!node_to_integer(index, &i) || i < 0 || (size_t)i >= r->frame_count) return false;
  *location = r->location[i];
  return true;
}

/* Rounds a weight so that the rounded ones of a profile add up to the sum of those it has. */
static int64_t speedscope_round(struct speedscope_reader *r, struct speedscope_member *m,
                                const struct node *node, double weight) {
  const char *unit;
  double exact = weight * unit_scale_to_int(m->unit, &unit);
  if (exact == nearbyint(exact)) return json_rounded(r->builder, node, exact);
  int64_t value = json_rounded(r->builder, node, exact + m->carry);
  m->carry += exact - (double)value;
  r->fractions += strcmp(unit, "nanoseconds") != 0;
  return value;
}

/* `stack` is root first; `node` is what the weight is from. */
static void speedscope_add_sample(struct speedscope_reader *r, struct speedscope_member *m,
                                  const uint32_t *stack, size_t depth, const struct node *node,
                                  double weight) {
  int64_t values[MOST_TYPES] = {0};
  values[m->type] = speedscope_round(r, m, node, weight);
  if (!values[m->type]) return;
  for (size_t i = 0; i < depth; i++) r->leaf_first[i] = stack[depth - 1 - i];
  pprofc_builder_sample(r->builder, r->leaf_first, depth, values);
  if (r->names_are_types || r->member_count == 1 || !m->name.size) return;
  json_label(r->builder, "profile", m->name);
}

static void read_sampled(struct speedscope_reader *r, struct speedscope_member *m) {
  const struct node *samples = node_get(m->profile, "samples");
  const struct node *weights = node_get(m->profile, "weights");
  for (size_t i = 0; i < node_size(samples) && builder_ok(r->builder); i++) {
    const struct node *sample = node_at(samples, i);
    size_t depth = node_size(sample);
    bool good = depth <= MOST_DEPTH && i < node_size(weights);
    for (size_t d = 0; good && d < depth; d++)
      good = frame_location(r, node_at(sample, d), &r->stack[d]);
    if (good)
      speedscope_add_sample(r, m, r->stack, depth, node_at(weights, i),
                            json_amount(r->builder, node_at(weights, i), 0));
    else
      r->bad++;
  }
}

/* Opens or closes a frame; false when that does not fit. */
static bool speedscope_take_event(struct speedscope_reader *r, pprofc_str type, uint32_t location,
                                  size_t *depth) {
  if (str_equal(type, STR("O")) && *depth < MOST_DEPTH) {
    r->stack[(*depth)++] = location;
    return true;
  }
  if (!str_equal(type, STR("C")) || !*depth || r->stack[*depth - 1] != location) return false;
  --*depth;
  return true;
}

static void read_evented(struct speedscope_reader *r, struct speedscope_member *m) {
  const struct node *events = node_get(m->profile, "events");
  double last = json_amount(r->builder, node_get(m->profile, "startValue"), 0);
  size_t depth = 0;
  for (size_t i = 0; i < node_size(events) && builder_ok(r->builder); i++) {
    const struct node *event = node_at(events, i);
    const struct node *time = node_get(event, "at");
    double at = json_amount(r->builder, time, last);
    uint32_t location;
    if (!frame_location(r, node_get(event, "frame"), &location) || at < last) {
      r->bad++;
      continue;
    }
    if (at > last && depth) speedscope_add_sample(r, m, r->stack, depth, time, at - last);
    last = at;
    if (!speedscope_take_event(r, node_text(event, "type"), location, &depth)) r->bad++;
  }
  const struct node *until = node_get(m->profile, "endValue");
  double end = json_amount(r->builder, until, last);
  if (end > last && depth) speedscope_add_sample(r, m, r->stack, depth, until, end - last);
  r->open += depth;
}

/* ---- the file ---------------------------------------- */

static pprofc_status speedscope_read_file(struct speedscope_reader *r, const struct node *root,
                                          struct arena *arena, pprofc_error *error) {
  const struct node *profiles = node_get(root, "profiles");
  size_t count = node_size(profiles);
  r->members = arena_array(arena, count, sizeof *r->members);
  if (!r->members) return error_nomem(error);
  r->names_are_types = str_starts(node_text(root, "exporter"), STR("pprofc"));
  for (size_t i = 0; i < count; i++) {
    const struct node *p = node_at(profiles, i);
    pprofc_str unit = arena_str(arena, node_text(p, "unit")); /* with a NUL behind it */
    if (!unit.data) return error_nomem(error);
    r->members[r->member_count++] = (struct speedscope_member){p, node_text(p, "name"), unit, 0, 0};
  }
  if (!speedscope_find_types(r))
    return error_set(error, PPROFC_E_LIMIT, "more than %u sample types in one file", MOST_TYPES);
  for (size_t i = 0; i < r->frame_count; i++) {
    const struct node *f = node_at(r->frames, i);
    int64_t line = json_member_int(f, "line", 0), column = json_member_int(f, "col", 0);
    if (line <= 0) line = column = 0;
    r->location[i] = json_frame(r->builder, node_text(f, "name"), node_text(f, "file"), line,
                                column > 0 ? column : 0);
  }
  for (size_t i = 0; i < r->member_count; i++) {
    struct speedscope_member *m = &r->members[i];
    if (str_equal(node_text(m->profile, "type"), STR("evented")))
      read_evented(r, m);
    else
      read_sampled(r, m);
  }
  import_note_count(r->builder, r->bad, "sample or event could not be read",
                    "samples or events could not be read");
  import_note_count(r->builder, r->fractions, "weight has a fraction, and is rounded",
                    "weights have fractions, and are rounded so that their sum stays");
  import_note_count(r->builder, r->open, "frame was still open at the end",
                    "frames were still open at the end");
  return PPROFC_OK;
}

pprofc_status json_speedscope(const struct node *root, pprofc_builder *builder, struct arena *arena,
                              pprofc_error *error) {
  const struct node *frames = node_get(node_get(root, "shared"), "frames");
  if (!node_is(frames, NODE_ARRAY) || !node_is(node_get(root, "profiles"), NODE_ARRAY))
    return PPROFC_E_NO_MATCH;
  struct speedscope_reader *r = arena_zero_array(arena, 1, sizeof *r);
  if (!r) return error_nomem(error);
  r->builder = builder;
  r->frames = frames;
  r->frame_count = node_size(frames);
  r->location = arena_array(arena, r->frame_count, sizeof *r->location);
  return r->location ? speedscope_read_file(r, root, arena, error) : error_nomem(error);
}
