/* Limits a profile to a range of time: keeps the share of each value that lies in the range. */
#include "profile/sum.h"
#include "transform/transform.h"

/* Length of each sample's events (times at which it ran) before the start of the range (`from`),
 * and before its end (`to`). */
struct time_parts {
  struct time_shares shares;
  uint64_t *from, *to;
};

static void time_parts_free(struct time_parts *p) {
  const pprofc_allocator *mem = p->shares.mem;
  mem_free(mem, p->from, p->shares.samples, sizeof *p->from);
  mem_free(mem, p->to, p->shares.samples, sizeof *p->to);
  time_shares_free(&p->shares);
}

static pprofc_status time_parts_add_up(struct time_parts *p, const pprofc_profile *source,
                                       struct time_range range) {
  const struct times *t = source->times;
  for (size_t i = 0; i < t->count; i++) {
    uint32_t sample = t->sample[i];
    p->from[sample] = time_sum(p->from[sample], time_shares_before(&p->shares, i, range.from));
    p->to[sample] = time_sum(p->to[sample], time_shares_before(&p->shares, i, range.to));
    if (budget_poll(&source->mem, i)) return PPROFC_E_NOMEM;
  }
  return PPROFC_OK;
}

/* Fills in *p for all samples. After success, the caller must free *p. */
static pprofc_status time_parts_find(struct time_parts *p, const pprofc_profile *source,
                                     struct time_range range, pprofc_error *error) {
  size_t count = source->samples.count;
  pprofc_status status = profile_need_stacks(source, error);
  if (status != PPROFC_OK) return status;
  if (!time_shares_init(&p->shares, source)) return error_nomem(error);
  p->from = mem_zero_array(&source->mem, count, sizeof *p->from);
  p->to = mem_zero_array(&source->mem, count, sizeof *p->to);
  if (p->from && p->to && !time_parts_add_up(p, source, range)) return PPROFC_OK;
  time_parts_free(p);
  return error_nomem(error);
}

/* Returns a * b / c rounded down, for b <= c. */
static uint64_t time_scale(uint64_t a, uint64_t b, uint64_t c) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)((wide)a * b / c);
#else
  uint64_t quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    bool twice = rest >= c - rest;
    quotient = quotient << 1 | twice;
    rest = twice ? rest - (c - rest) : rest + rest;
    if (!(a >> bit & 1)) continue;
    bool more = rest >= c - b;
    quotient += more;
    rest = more ? rest - (c - b) : rest + b;
  }
  return quotient;
#endif
}

/* Returns the part of a value before a point in time: value * before / total. The rounding depends
 * only on this point, so the parts in adjacent ranges add up to the whole value. */
static int64_t time_part(int64_t value, uint64_t before, uint64_t total) {
  if (!total) return 0;
  uint64_t part = time_scale(value < 0 ? -(uint64_t)value : (uint64_t)value, before, total);
  return (int64_t)(value < 0 ? -part : part);
}

/* Replaces each value by its part in the range. Sets keep[i] to false if all values of sample i are
 * then 0, else to true. */
static bool time_write_values(pprofc_profile *copy, const struct time_parts *p, uint8_t *keep) {
  size_t types = copy->type_count, count = copy->samples.count;
  const int64_t *old = copy->samples.values;
  int64_t *values = edit_column(copy, old, count, types * sizeof *values);
  if (!values) return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t total = p->shares.total[i];
    for (size_t k = i * types; k < (i + 1) * types; k++)
      values[k] = time_part(old[k], p->to[i], total) - time_part(old[k], p->from[i], total);
    keep[i] = !values_are_zero(values + i * types, types);
  }
  copy->samples.values = values;
  return true;
}

/* Sets the start and the duration of the profile. */
static void time_write_header(pprofc_profile *copy, struct time_range range) {
  int64_t end = copy->times->end > copy->duration_nanos ? copy->times->end : copy->duration_nanos;
  int64_t to = range.to < end ? range.to : end;
  copy->duration_nanos = to > range.from ? to - range.from : 0;
  if (copy->time_nanos) copy->time_nanos = sum_add(copy->time_nanos, range.from);
}

static pprofc_status time_range_edit(pprofc_profile *copy, const struct time_parts *p,
                                     struct time_range range, uint8_t *keep, pprofc_error *error) {
  if (!time_write_values(copy, p, keep)) return error_nomem(error);
  time_write_header(copy, range);
  if (!times_clip(copy, range)) return error_nomem(error);
  return edit_keep_samples(copy, keep, error);
}

pprofc_status transform_time_range(const pprofc_profile *source, struct time_range range,
                                   pprofc_profile **out, pprofc_error *error) {
  size_t count = source->samples.count;
  struct time_parts parts;
  pprofc_status status = time_parts_find(&parts, source, range, error);
  if (status != PPROFC_OK) return status;
  uint8_t *keep = mem_array(&source->mem, count, 1);
  pprofc_profile *copy = keep ? profile_edit(source) : NULL;
  status = copy ? time_range_edit(copy, &parts, range, keep, error) : error_nomem(error);
  mem_free(&source->mem, keep, count, 1);
  time_parts_free(&parts);
  return edit_finish(status, copy, out);
}

/* ---- estimates --------------------------------------- */

/* True if a value equals `total` except for rounding, so that its part in a range is exact. `total`
 * is the duration of the sample's events, or their number if they have no durations. */
static bool time_is_exact(int64_t value, uint64_t total) {
  return fabs((double)value - (double)total) <= (double)total / 1000 + 2;
}

pprofc_status transform_time_estimated(const pprofc_profile *source, struct time_range range,
                                       size_t type, double *share, pprofc_error *error) {
  const struct value_column column = profile_values(source, type);
  struct time_parts parts;
  double all = 0, estimated = 0;
  pprofc_status status = time_parts_find(&parts, source, range, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < source->samples.count; i++) {
    uint64_t total = parts.shares.total[i], part = parts.to[i] - parts.from[i];
    int64_t value = column.values[i * column.step];
    double size = part ? fabs((double)value) * (double)part / (double)total : 0;
    all += size;
    if (part < total && !time_is_exact(value, total)) estimated += size;
  }
  time_parts_free(&parts);
  *share = all > 0 ? estimated / all : 0;
  return PPROFC_OK;
}
