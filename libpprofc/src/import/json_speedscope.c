/* speedscope files, as py-spy, rbspy, dotnet-trace and pprofc write them. */
#include "base/mem.h"
#include "import/json.h"

#ifdef HAVE_JANSSON

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TYPES 64u
#define MOST_DEPTH 65536u

/* One profile of the file: a column of values, and a name that is a label where it is no type. */
struct member {
  const json_t *profile;
  pprofc_str name, unit;
  size_t type;
};

struct reader {
  pprofc_builder *builder;
  const json_t *frames;
  uint32_t *location; /* [frames] */
  size_t frame_count;
  struct member members[MOST_TYPES];
  size_t member_count, type_count;
  bool names_are_types; /* our own files: one profile for each sample type */
  uint32_t stack[MOST_DEPTH], leaf_first[MOST_DEPTH];
  size_t bad; /* events and samples that could not be read */
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

static int64_t to_value(double weight, double scale) {
  double value = weight * scale;
  return fabs(value) < 9e18 ? llround(value) : 0;
}

/* ---- types
 * ---------------------------------------------------------------------------------------------- */

static void find_types(struct reader *r) {
  for (size_t i = 0; i < r->member_count; i++) {
    struct member *m = &r->members[i];
    const char *unit;
    unit_scale_to_int(m->unit, &unit);
    m->type = r->type_count;
    for (size_t k = 0; k < i; k++) {
      const char *other;
      unit_scale_to_int(r->members[k].unit, &other);
      bool same =
          r->names_are_types ? str_equal(r->members[k].name, m->name) : strcmp(unit, other) == 0;
      if (same) m->type = r->members[k].type;
    }
    if (m->type < r->type_count) continue;
    char name[128];
    bool time = strcmp(unit, "nanoseconds") == 0;
    snprintf(name, sizeof name, "%.*s", (int)(m->name.size < 100 ? m->name.size : 100),
             m->name.data);
    pprofc_builder_type(r->builder,
                        r->names_are_types           ? name
                        : time                       ? "wall"
                        : strcmp(unit, "bytes") == 0 ? "space"
                                                     : "samples",
                        unit);
    r->type_count++;
  }
}

static bool frame_location(const struct reader *r, const json_t *index, uint32_t *location) {
  if (!json_is_integer(index)) return false;
  json_int_t i = json_integer_value(index);
  if (i < 0 || (size_t)i >= r->frame_count) return false;
  *location = r->location[i];
  return true;
}

/* `stack` is root first. */
static void add_sample(struct reader *r, const struct member *m, const uint32_t *stack,
                       size_t depth, double weight) {
  int64_t values[MOST_TYPES] = {0};
  const char *unit;
  values[m->type] = to_value(weight, unit_scale_to_int(m->unit, &unit));
  if (!values[m->type]) return;
  for (size_t i = 0; i < depth; i++) r->leaf_first[i] = stack[depth - 1 - i];
  pprofc_builder_sample(r->builder, r->leaf_first, depth, values);
  if (r->names_are_types || r->member_count == 1 || !m->name.size) return;
  char name[512];
  snprintf(name, sizeof name, "%.*s", (int)(m->name.size < 500 ? m->name.size : 500), m->name.data);
  pprofc_builder_label(r->builder, "profile", name);
}

static void read_sampled(struct reader *r, const struct member *m) {
  const json_t *samples = json_object_get(m->profile, "samples");
  const json_t *weights = json_object_get(m->profile, "weights");
  for (size_t i = 0; i < json_array_size(samples) && builder_ok(r->builder); i++) {
    const json_t *sample = json_array_get(samples, i);
    size_t depth = json_array_size(sample);
    bool good = depth <= MOST_DEPTH;
    for (size_t d = 0; good && d < depth; d++)
      good = frame_location(r, json_array_get(sample, d), &r->stack[d]);
    if (good)
      add_sample(r, m, r->stack, depth, json_number_value(json_array_get(weights, i)));
    else
      r->bad++;
  }
}

static void read_evented(struct reader *r, const struct member *m) {
  const json_t *events = json_object_get(m->profile, "events");
  double last = json_member_number(m->profile, "startValue", 0);
  size_t depth = 0;
  for (size_t i = 0; i < json_array_size(events) && builder_ok(r->builder); i++) {
    const json_t *event = json_array_get(events, i);
    pprofc_str type = json_member_str(event, "type");
    double at = json_member_number(event, "at", last);
    uint32_t location;
    if (!frame_location(r, json_object_get(event, "frame"), &location) || at < last) {
      r->bad++;
      continue;
    }
    if (at > last && depth) add_sample(r, m, r->stack, depth, at - last);
    last = at;
    if (str_equal(type, STR("O")) && depth < MOST_DEPTH)
      r->stack[depth++] = location;
    else if (str_equal(type, STR("C")) && depth && r->stack[depth - 1] == location)
      depth--;
    else
      r->bad++;
  }
}

/* ---- the file
 * --------------------------------------------------------------------------------------------- */

static pprofc_status read_file(struct reader *r, const json_t *root, pprofc_error *error) {
  const json_t *profiles = json_object_get(root, "profiles");
  size_t count = json_array_size(profiles);
  if (count > MOST_TYPES)
    return error_set(error, PPROFC_E_LIMIT, "more than %u profiles in one file", MOST_TYPES);
  r->names_are_types = str_starts(json_member_str(root, "exporter"), STR("pprofc"));
  for (size_t i = 0; i < count; i++) {
    const json_t *p = json_array_get(profiles, i);
    r->members[r->member_count++] =
        (struct member){p, json_member_str(p, "name"), json_member_str(p, "unit"), 0};
  }
  find_types(r);
  for (size_t i = 0; i < r->frame_count; i++) {
    const json_t *f = json_array_get(r->frames, i);
    int64_t line = json_member_int(f, "line", 0), column = json_member_int(f, "col", 0);
    r->location[i] = json_frame(r->builder, json_member_str(f, "name"), json_member_str(f, "file"),
                                line > 0 ? line : 0, line > 0 && column > 0 ? column : 0);
  }
  for (size_t i = 0; i < r->member_count; i++) {
    const struct member *m = &r->members[i];
    if (str_equal(json_member_str(m->profile, "type"), STR("evented")))
      read_evented(r, m);
    else
      read_sampled(r, m);
  }
  if (r->bad) {
    char text[96];
    snprintf(text, sizeof text, "%zu samples or events could not be read", r->bad);
    pprofc_builder_comment(r->builder, text);
  }
  return PPROFC_OK;
}

pprofc_status json_speedscope(const json_t *root, pprofc_builder *builder, pprofc_error *error) {
  const json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
  if (!json_is_array(frames) || !json_is_array(json_object_get(root, "profiles")))
    return PPROFC_E_NO_MATCH;
  struct reader *r = mem_zero_array(&mem_default, 1, sizeof *r);
  if (!r) return error_nomem(error);
  r->builder = builder;
  r->frames = frames;
  r->frame_count = json_array_size(frames);
  r->location = mem_array(&mem_default, r->frame_count, sizeof *r->location);
  pprofc_status status = r->location ? read_file(r, root, error) : error_nomem(error);
  mem_free(&mem_default, r->location, r->frame_count, sizeof *r->location);
  mem_free(&mem_default, r, 1, sizeof *r);
  return status;
}

#endif
