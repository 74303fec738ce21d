/* Reads any bytes as profile.proto. An accepted profile must be valid and equal to protobuf-c's
 * result. Its report must be the same when the reader sums samples. Writing, reading and writing
 * again must give the same bytes. pprof writes labels without a value but does not read them: with
 * such labels, the third output must equal the second. */
#include "codec/codec.h"
#include "compare.h"
#include "fuzz.h"
#include "pprofc/report.h"

static pprofc_profile *decode(const void *data, size_t size, struct input *input) {
  pprofc_limits limits = fuzz_limits();
  pprofc_profile *profile = NULL;
  bool certain = false;
  pprofc_error error = {PPROFC_OK, 0, ""};
  if (input_read_memory(data, size, &mem_default, &limits, input, &error) != PPROFC_OK) {
    input->region = NULL;
  } else if (pprof_decode(input, &limits, 1, &profile, &certain, &error) == PPROFC_OK) {
    return profile;
  }
  REQUIRE(!profile);
  REQUIRE(error.status != PPROFC_OK && error.message[0]);
  return NULL;
}

/* Checks that each index of the columns is in range. */
static void check_columns(const pprofc_profile *p) {
  for (uint32_t i = 0; i < p->locations.count; i++) {
    REQUIRE(p->locations.line_from[i] <= p->locations.line_from[i + 1]);
    REQUIRE(p->locations.mapping[i] == NONE || p->locations.mapping[i] < p->mappings.count);
    for (uint32_t k = p->locations.line_from[i]; k < p->locations.line_from[i + 1]; k++)
      REQUIRE(p->locations.lines[k].function < p->functions.count);
  }
  size_t depth = pprofc_profile_max_depth(p);
  uint32_t *stack = malloc((depth + 1) * sizeof *stack);
  REQUIRE(stack);
  for (size_t i = 0; i < p->samples.count; i++) {
    size_t n = pprofc_profile_stack(p, i, stack, depth);
    REQUIRE(n <= depth);
    for (size_t k = 0; k < n; k++) REQUIRE(stack[k] < p->locations.count);
  }
  free(stack);
}

static bool says_nothing(pprofc_label label) {
  return label.is_number ? label.number == 0 && !label.unit.size : !label.string.size;
}

static bool loses_labels(const pprofc_profile *p) {
  for (size_t i = 0; i < p->samples.count; i++)
    for (size_t k = 0; k < pprofc_profile_label_count(p, i); k++)
      if (says_nothing(pprofc_profile_label(p, i, k))) return true;
  return false;
}

static void check_round_trip(const pprofc_profile *profile) {
  struct buffer first, second;
  struct input input;
  struct difference difference;
  buffer_init(&first, &mem_default, PTRDIFF_MAX);
  buffer_init(&second, &mem_default, PTRDIFF_MAX);
  REQUIRE(pprof_encode(profile, buffer_write, &first, NULL) == PPROFC_OK);
  pprofc_limits limits = fuzz_limits();
  limits.inflated_bytes *= 8; /* the output may be larger: several labels may share one string */
  bool certain;
  pprofc_profile *again = NULL;
  REQUIRE(input_read_memory(first.data, first.size, &mem_default, &limits, &input, NULL) ==
          PPROFC_OK);
  REQUIRE(pprof_decode(&input, &limits, 1, &again, &certain, NULL) == PPROFC_OK);
  compare_profiles(profile, again, &difference);
  REQUIRE(!difference.what);
  REQUIRE(pprof_encode(again, buffer_write, &second, NULL) == PPROFC_OK);
  REQUIRE(!loses_labels(again));
  if (loses_labels(profile))
    check_round_trip(again);
  else
    REQUIRE(str_equal(buffer_str(&first), buffer_str(&second)));
  pprofc_profile_release(again);
  region_release(input.region);
  buffer_free(&first);
  buffer_free(&second);
}

static void render(const pprofc_profile *p, const char *format, struct buffer *out) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.call_tree = true;
  buffer_init(out, &mem_default, PTRDIFF_MAX);
  pprofc_report(p, &options, buffer_write, out, NULL);
}

/* Checks that a reader that sums samples accepts the same input, and gives the same report. */
static void check_folded(const uint8_t *data, size_t size, const pprofc_profile *whole,
                         struct fold_options options) {
  pprofc_limits limits = fuzz_limits();
  const char *format = options.tree ? "top" : options.no_stacks ? "tags" : "tree";
  options.mem = &mem_default;
  options.limits = &limits;
  options.threads = 1;
  options.always = true;
  pprofc_profile *folded = NULL;
  struct buffer expected, got;
  pprofc_status status = fold_read_memory(data, size, &options, &folded);
  REQUIRE((status == PPROFC_OK) == (folded != NULL));
  if (!folded) return;
  if (!options.tree) check_columns(folded);
  REQUIRE(whole && folded->samples.count <= whole->samples.count);
  render(whole, format, &expected);
  render(folded, format, &got);
  REQUIRE(str_equal(buffer_str(&expected), buffer_str(&got)));
  buffer_free(&expected);
  buffer_free(&got);
  pprofc_profile_release(folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input;
  pprofc_profile *profile = decode(data, size, &input);
  check_folded(data, size, profile, (struct fold_options){.labels = true});
  check_folded(data, size, profile, (struct fold_options){.labels = false});
  check_folded(data, size, profile, (struct fold_options){.labels = true, .no_stacks = true});
  check_folded(data, size, profile, (struct fold_options){.tree = true, .sample_index = ""});
  check_folded(data, size, profile,
               (struct fold_options){.tree = true, .in_order = true, .sample_index = ""});
  if (profile) {
    struct difference difference;
    check_columns(profile);
    if (compare_with_protobuf_c(input.data, input.size, profile, &difference))
      REQUIRE(!difference.what);
    check_round_trip(profile);
  }
  pprofc_profile_release(profile);
  region_release(input.region);
  return 0;
}
