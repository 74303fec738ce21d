/* Tests each allocation of each edit with a failure. First only this allocation fails, then also
 * all later allocations. The status must report the failure, no block may leak, and each block must
 * be freed with its size. Afterwards the source must still give the same result. */
#include "faults.h"
#include "pprofc/transform.h"
#include "profile_text.h"
#include "transform/combine/diff.h"
#include "transform/transform.h"
#include "unit.h"

/* ---- edits and inputs -------------------------------- */

struct input {
  pprofc_profile *p, *q;
  struct regex *a, *keys;
};

typedef pprofc_status (*edit)(const struct input *in, pprofc_profile **out, pprofc_error *error);

static pprofc_status run_merge(const struct input *in, pprofc_profile **out, pprofc_error *error) {
  return pprofc_merge((const pprofc_profile *[]){in->p, in->q, in->p}, 3, out, error);
}

static pprofc_status run_many(const struct input *in, pprofc_profile **out, pprofc_error *error) {
  const pprofc_profile *sources[130];
  for (size_t i = 0; i < 130; i++) sources[i] = i % 2 ? in->p : in->q;
  return pprofc_merge(sources, 130, out, error);
}

static pprofc_status run_subtract(const struct input *in, pprofc_profile **out,
                                  pprofc_error *error) {
  return pprofc_diff(in->p, in->q, PPROFC_SUBTRACT, false, out, error);
}

static pprofc_status run_compare(const struct input *in, pprofc_profile **out,
                                 pprofc_error *error) {
  return pprofc_diff(in->p, in->p, PPROFC_COMPARE, true, out, error);
}

static pprofc_status run_unmerged(const struct input *in, pprofc_profile **out,
                                  pprofc_error *error) {
  return transform_diff_unmerged(pprofc_profile_retain(in->p), pprofc_profile_retain(in->q), false,
                                 out, error);
}

static pprofc_status filtered(filter_step *step, const struct input *in,
                              const struct filter_terms *terms, pprofc_profile **out,
                              pprofc_error *error) {
  unsigned matched = 0;
  return step(in->p, terms, &matched, out, error);
}

static pprofc_status run_names(const struct input *in, pprofc_profile **out, pprofc_error *error) {
  struct filter_terms terms = {.unit = NULL};
  terms.items[FILTER_IGNORE].regex = in->keys;
  terms.items[FILTER_HIDE].regex = in->a;
  return filtered(transform_names, in, &terms, out, error);
}

static pprofc_status run_show_from(const struct input *in, pprofc_profile **out,
                                   pprofc_error *error) {
  struct filter_terms terms = {.unit = NULL};
  terms.items[FILTER_SHOW_FROM].regex = in->a;
  return filtered(transform_show_from, in, &terms, out, error);
}

static pprofc_status run_prune_from(const struct input *in, pprofc_profile **out,
                                    pprofc_error *error) {
  struct filter_terms terms = {.unit = NULL};
  terms.items[FILTER_PRUNE_FROM].regex = in->a;
  return filtered(transform_prune_from, in, &terms, out, error);
}

static pprofc_status run_drop_frames(const struct input *in, pprofc_profile **out,
                                     pprofc_error *error) {
  bool unsupported;
  return transform_drop_frames(in->p, out, &unsupported, error);
}

static pprofc_status run_tags(const struct input *in, pprofc_profile **out, pprofc_error *error) {
  struct label_units units;
  struct filter_terms terms = {.units = &units};
  struct tag_filter **focus = &terms.items[FILTER_TAGFOCUS].tags;
  struct tag_filter **ignore = &terms.items[FILTER_TAGIGNORE].tags;
  pprofc_status status = label_units_find(in->p, NULL, NULL, &units, error);
  if (status != PPROFC_OK) return status;
  status = tag_filter_compile(&in->p->mem, "tagfocus", "k=x,v", NULL, NULL, focus, error);
  if (status == PPROFC_OK)
    status = tag_filter_compile(&in->p->mem, "tagignore", "1:2", NULL, NULL, ignore, error);
  if (status == PPROFC_OK) status = filtered(transform_tags, in, &terms, out, error);
  tag_filter_free(*focus);
  tag_filter_free(*ignore);
  label_units_free(&units);
  return status;
}

static pprofc_status run_tag_keys(const struct input *in, pprofc_profile **out,
                                  pprofc_error *error) {
  struct filter_terms terms = {.unit = NULL};
  terms.items[FILTER_TAGSHOW].regex = in->keys;
  return filtered(transform_tag_keys, in, &terms, out, error);
}

static pprofc_status run_tag_frames(const struct input *in, pprofc_profile **out,
                                    pprofc_error *error) {
  struct filter_terms terms = {.unit = "kb"};
  terms.items[FILTER_TAGROOT].text = "k,bytes";
  terms.items[FILTER_TAGLEAF].text = "k";
  return filtered(transform_tag_frames, in, &terms, out, error);
}

static pprofc_status run_granularity(const struct input *in, pprofc_profile **out,
                                     pprofc_error *error) {
  struct granularity g = {.file = true};
  return transform_granularity(in->p, &g, out, error);
}

static pprofc_status run_scale(const struct input *in, pprofc_profile **out, pprofc_error *error) {
  return pprofc_scale(in->p, (const double[]){0.3, 1}, out, error);
}

/* ---- the loop ---------------------------------------- */

static pprofc_profile *profile_in(const pprofc_allocator *mem, const char *unit, int64_t value) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", unit);
  pprofc_builder_drop_frames(b, "a|b", "c");
  for (int64_t i = 0; i < 12; i++) {
    sample(b, i % 2 ? "x a b main" : "c a d main", value + i, i % 3);
    pprofc_builder_label(b, i % 3 ? "k" : "j", i % 2 ? "v" : "w");
    pprofc_builder_number_label(b, "bytes", i, i % 5 ? "kb" : NULL);
    pprofc_builder_number_label(b, "bytes", i / 5, i % 5 ? "kb" : NULL);
  }
  return finish(b);
}

/* Runs an edit while allocation `fail_at` fails. Returns true if the edit succeeded. */
static bool survives(edit run, size_t fail_at, bool for_good, struct buffer *text) {
  struct faults f = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &f};
  struct input in = {.p = profile_in(&mem, "ms", 1), .q = profile_in(&mem, "us", -1000)};
  pprofc_error error = {0};
  if (regex_compile(&mem_default, STR("^a$"), &in.a, &error) != PPROFC_OK ||
      regex_compile(&mem_default, STR("k|d"), &in.keys, &error) != PPROFC_OK)
    CU_FAIL_FATAL("the expressions do not compile");
  in.p->threads = in.q->threads = 1;
  pprofc_profile *out = NULL;
  f.calls = 0;
  f.fail_at = fail_at;
  f.from_there_on = for_good;
  pprofc_status status = run(&in, &out, &error);
  f.fail_at = SIZE_MAX;
  if (status != PPROFC_OK) {
    CU_ASSERT_EQUAL(status, PPROFC_E_NOMEM);
    CU_ASSERT_STRING_EQUAL(error.message, "out of memory");
    CU_ASSERT_PTR_NULL(out);
  } else {
    text_of_samples(text, out);
  }
  pprofc_profile_release(out);
  pprofc_profile_release(in.p);
  pprofc_profile_release(in.q);
  regex_free(in.a);
  regex_free(in.keys);
  CU_ASSERT_EQUAL(f.live, 0);
  CU_ASSERT_EQUAL(f.wrong_sizes, 0);
  return status == PPROFC_OK;
}

static void try_all(edit run) {
  struct buffer expected, got;
  buffer_init(&expected, &mem_default, 1 << 20);
  buffer_init(&got, &mem_default, 1 << 20);
  CU_ASSERT_FATAL(survives(run, SIZE_MAX, false, &expected));
  CU_ASSERT(expected.size > 0);
  for (unsigned for_good = 0; for_good < 2; for_good++) {
    size_t failures = 0, through = 0;
    /* Some failures do no harm. The loop ends after several edits in a row that succeeded. */
    for (size_t i = 0; through < 20; i++) {
      buffer_clear(&got);
      bool ok = survives(run, i, for_good, &got);
      failures += !ok;
      through = ok ? through + 1 : 0;
      if (ok) CU_ASSERT(str_equal(buffer_str(&expected), buffer_str(&got)));
    }
    CU_ASSERT(failures > 1);
  }
  buffer_free(&expected);
  buffer_free(&got);
}

#define TRY(name)                                                                                  \
  TEST(test_##name) {                                                                              \
    try_all(run_##name);                                                                           \
  }
TRY(merge)
TRY(many)
TRY(subtract)
TRY(compare)
TRY(unmerged)
TRY(names)
TRY(show_from)
TRY(prune_from)
TRY(drop_frames)
TRY(tags)
TRY(tag_keys)
TRY(tag_frames)
TRY(granularity)
TRY(scale)
