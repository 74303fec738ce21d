/* Tests the table of event times: order of events, tracks, ranges, edits, hostile times. */
#include "core/buffer.h"
#include "faults.h"
#include "open.h"
#include "pprofc/pprofc.h"
#include "profile/builder.h"
#include "profile_text.h"
#include "transform/transform.h"
#include "unit.h"

static pprofc_profile *profile_read(const char *text, bool times) {
  const struct open_sums sums = {.each = true, .times = times};
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  open_memory(text, strlen(text), NULL, &sums, &profile, &error);
  CU_ASSERT_PTR_NOT_NULL(profile);
  if (!profile) fprintf(stderr, "%s\n", error.message);
  return profile;
}

static pprofc_builder *builder_with(const char *const *functions, size_t count) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  builder_keep_times(b, true);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "wall", "nanoseconds");
  for (size_t i = 0; i < count; i++) {
    uint32_t frame = pprofc_builder_frame(b, functions[i], NULL, 1);
    pprofc_builder_sample(b, &frame, 1, (int64_t[]){3, 100});
  }
  return b;
}

static int64_t total(const pprofc_profile *p, size_t type) {
  int64_t sum = 0;
  for (size_t i = 0; i < p->samples.count; i++) sum += p->samples.values[i * p->type_count + type];
  return sum;
}

static int64_t total_of(const pprofc_profile *p, int64_t from, int64_t to, size_t type) {
  pprofc_profile *part = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL(transform_time_range(p, (struct time_range){from, to}, &part, &error), PPROFC_OK);
  int64_t sum = part ? total(part, type) : -1;
  pprofc_profile_release(part);
  return sum;
}

static const char *const two[] = {"f", "g"};

TEST(test_events_are_grouped_by_track_and_sorted) {
  pprofc_builder *b = builder_with(two, 2);
  uint32_t main = builder_track(b, &(struct time_track){.name = STR("main")});
  uint32_t other = builder_track(b, &(struct time_track){.name = STR("other"), .tid = STR("7")});
  uint32_t unused = builder_track(b, &(struct time_track){.name = STR("unused")});
  CU_ASSERT_EQUAL(builder_track(b, &(struct time_track){.name = STR("main")}), main);
  CU_ASSERT_NOT_EQUAL(unused, other);
  builder_event_of(b, 0, other, 500, 10);
  builder_event_of(b, 1, main, 300, 10);
  builder_event_of(b, 0, main, 200, 10);
  builder_event_of(b, 1, other, 500, -5);
  builder_event_of(b, 1, main, 250, 10);
  builder_clock_zero(b, 42);
  pprofc_profile *p = finish(b);
  const struct times *t = p->times;
  CU_ASSERT_EQUAL_FATAL(t->count, 5);
  CU_ASSERT_EQUAL(t->track_count, 2);
  CU_ASSERT(str_equal(t->tracks[1].tid, STR("7")));
  CU_ASSERT_EQUAL(t->tracks[1].first, 3);
  CU_ASSERT_EQUAL(t->clock_start, 242);
  CU_ASSERT_EQUAL(t->end, 310);
  static const int64_t starts[] = {0, 50, 100, 300, 300};
  static const uint32_t samples[] = {0, 1, 1, 0, 1};
  for (size_t i = 0; i < 5; i++) {
    CU_ASSERT_EQUAL(t->start[i], starts[i]);
    CU_ASSERT_EQUAL(t->sample[i], samples[i]);
  }
  CU_ASSERT_EQUAL(t->duration[4], 0);
  pprofc_profile_release(p);
}

TEST(test_adjacent_ranges_add_up_exactly) {
  pprofc_builder *b = builder_with(two, 2);
  for (int64_t i = 0; i < 7; i++)
    builder_event_of(b, 0, builder_track(b, &(struct time_track){0}), i * 13, 7);
  for (int64_t i = 0; i < 3; i++)
    builder_event_of(b, 1, builder_track(b, &(struct time_track){0}), i * 40, 0);
  pprofc_profile *p = finish(b);
  for (size_t type = 0; type < 2; type++)
    for (int64_t cut = 0; cut < 90; cut++) {
      int64_t before = total_of(p, 0, cut, type), after = total_of(p, cut, INT64_MAX, type);
      CU_ASSERT_EQUAL(before + after, total(p, type));
    }
  CU_ASSERT_EQUAL(total_of(p, 13, 20, 1), 100 / 7);
  CU_ASSERT_EQUAL(total_of(p, 40, 41, 0), 1);
  pprofc_profile_release(p);
}

TEST(test_a_range_keeps_parts_of_events) {
  pprofc_builder *b = builder_with(two, 2);
  uint32_t track = builder_track(b, &(struct time_track){0});
  pprofc_builder_time(b, 1000, 0);
  builder_event_of(b, 0, track, 0, 100);
  builder_event_of(b, 1, track, 100, 100);
  pprofc_profile *p = finish(b), *part = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL(transform_time_range(p, (struct time_range){150, 170}, &part, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(part->samples.count, 1);
  CU_ASSERT_EQUAL(part->samples.values[1], 20);
  CU_ASSERT_EQUAL(part->time_nanos, 1150);
  CU_ASSERT_EQUAL(part->duration_nanos, 20);
  CU_ASSERT_EQUAL_FATAL(part->times->count, 1);
  CU_ASSERT_EQUAL(part->times->sample[0], 0);
  CU_ASSERT_EQUAL(part->times->start[0], 150);
  CU_ASSERT_EQUAL(part->times->duration[0], 20);
  CU_ASSERT_EQUAL(p->times->count, 2);
  pprofc_profile_release(part);
  pprofc_profile_release(p);
}

static double estimated(const pprofc_profile *p, int64_t from, int64_t to, size_t type) {
  double share = -1;
  pprofc_error error;
  struct time_range range = {from, to};
  CU_ASSERT_EQUAL(transform_time_estimated(p, range, type, &share, &error), PPROFC_OK);
  return share;
}

/* The part of a duration is exact; the part of a count is an estimate. */
TEST(test_parts_of_counts_are_estimates) {
  pprofc_builder *b = builder_with(two, 2);
  uint32_t track = builder_track(b, &(struct time_track){0});
  builder_event_of(b, 0, track, 0, 60);
  builder_event_of(b, 0, track, 80, 40);
  builder_event_of(b, 1, track, 120, 100);
  pprofc_profile *p = finish(b);
  CU_ASSERT_DOUBLE_EQUAL(estimated(p, 0, 60, 1), 0, 0);
  CU_ASSERT_DOUBLE_EQUAL(estimated(p, 0, 60, 0), 1, 0);
  CU_ASSERT_DOUBLE_EQUAL(estimated(p, 0, 120, 0), 0, 0);
  CU_ASSERT_DOUBLE_EQUAL(estimated(p, 0, 170, 0), 1.0 / 3, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(estimated(p, 220, INT64_MAX, 0), 0, 0);
  pprofc_profile_release(p);
}

TEST(test_shares_divide_a_sample) {
  pprofc_builder *b = builder_with(two, 2);
  uint32_t track = builder_track(b, &(struct time_track){0});
  builder_event_of(b, 0, track, 0, 30);
  builder_event_of(b, 0, track, 50, 10);
  builder_event_of(b, 1, track, 60, 0);
  builder_event_of(b, 1, track, 70, 0);
  pprofc_profile *p = finish(b);
  struct time_shares shares;
  CU_ASSERT_FATAL(time_shares_init(&shares, p));
  CU_ASSERT_DOUBLE_EQUAL(time_shares_of(&shares, 0), 0.75, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(time_shares_of(&shares, 1), 0.25, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(time_shares_of(&shares, 3), 0.5, 1e-12);
  CU_ASSERT_EQUAL(time_shares_before(&shares, 1, 55), 5);
  time_shares_free(&shares);
  pprofc_profile_release(p);
}

/* Filters drop samples. The events of these samples must be dropped, and the other events must
 * refer to the correct samples. */
TEST(test_filters_keep_the_times) {
  pprofc_builder *b = builder_with((const char *const[]){"f", "g", "h"}, 3);
  uint32_t track = builder_track(b, &(struct time_track){.name = STR("main")});
  for (uint32_t i = 0; i < 6; i++) builder_event_of(b, i % 3, track, i * 10, 10);
  pprofc_profile *p = finish(b), *kept = NULL;
  pprofc_error error;
  const uint8_t keep[] = {1, 0, 1};
  CU_ASSERT_EQUAL(transform_select(p, keep, &kept, &error), PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(kept->times->count, 4);
  CU_ASSERT_EQUAL(kept->times->sample[1], 1);
  CU_ASSERT_EQUAL(kept->times->start[1], 20);
  CU_ASSERT_EQUAL(kept->times->tracks[0].count, 4);
  pprofc_profile_release(kept);
  const pprofc_profile *both[] = {p, p};
  CU_ASSERT_EQUAL(pprofc_merge(both, 2, &kept, &error), PPROFC_OK);
  CU_ASSERT_PTR_NULL(kept->times);
  pprofc_profile_release(kept);
  CU_ASSERT_EQUAL(pprofc_merge(both, 1, &kept, &error), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL(kept->times);
  pprofc_profile_release(kept);
  pprofc_profile_release(p);
}

TEST(test_times_that_do_not_fit_are_cut) {
  pprofc_builder *b = builder_with(two, 2);
  uint32_t track = builder_track(b, &(struct time_track){0});
  builder_event_of(b, 0, track, INT64_MIN, INT64_MAX);
  builder_event_of(b, 0, track, INT64_MAX, INT64_MAX);
  builder_event_of(b, 1, track, -5, INT64_MAX);
  pprofc_profile *p = finish(b);
  for (size_t i = 0; i < p->times->count; i++) {
    CU_ASSERT(p->times->start[i] >= 0 && p->times->duration[i] >= 0);
    CU_ASSERT(p->times->duration[i] <= INT64_MAX - p->times->start[i]);
  }
  CU_ASSERT_EQUAL(p->times->end, INT64_MAX);
  int64_t cut = INT64_MAX / 3;
  CU_ASSERT_EQUAL(total_of(p, 0, cut, 1) + total_of(p, cut, INT64_MAX, 1), total(p, 1));
  pprofc_profile_release(p);
}

#define NODES                                                                                      \
  "'nodes':[{'id':1,'callFrame':{'functionName':'(root)'}},"                                       \
  "{'id':2,'callFrame':{'functionName':'f'},'parent':1},"                                          \
  "{'id':3,'callFrame':{'functionName':'g'},'parent':1}],'startTime':0,'endTime':9"

static pprofc_profile *read_quoted(const char *text, bool times) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  return profile_read(copy, times);
}

TEST(test_without_the_option_there_are_no_times) {
  static const char text[] = "{" NODES ",'samples':[2,3,2],'timeDeltas':[1,2,3]}";
  pprofc_profile *plain = read_quoted(text, false), *timed = read_quoted(text, true);
  CU_ASSERT_PTR_NULL(plain->times);
  CU_ASSERT_PTR_NOT_NULL_FATAL(timed->times);
  CU_ASSERT_EQUAL(plain->samples.count, timed->samples.count);
  CU_ASSERT_EQUAL(timed->times->start[0], 1000);
  CU_ASSERT_EQUAL(timed->times->duration[1], 3000);
  pprofc_profile_release(plain);
  pprofc_profile_release(timed);
}

/* Tests times that go backwards, unclosed events, NaN and huge durations. */
TEST(test_hostile_files) {
  static const char *const texts[] = {
      "{" NODES ",'samples':[2,3,2,3],'timeDeltas':[5,-900000000000,3,1000000000000000]}",
      "{" NODES ",'samples':[2,3,2],'timeDeltas':[NaN,1,2]}",
      "[{'ph':'B','name':'f','ts':1,'pid':1,'tid':1},{'ph':'B','name':'g','ts':2,'pid':1,'tid':1},"
      "{'ph':'X','name':'h','ts':3,'dur':9000000000000000,'pid':1,'tid':2},"
      "{'ph':'X','name':'h','ts':-9000000000000000,'dur':9,'pid':1,'tid':2},"
      "{'ph':'E','name':'f','ts':0,'pid':1,'tid':1}]",
      "{'shared':{'frames':[{'name':'f'}]},'profiles':[{'type':'evented','name':'a','unit':'"
      "seconds',"
      "'startValue':0,'endValue':9e9,'events':[{'type':'O','frame':0,'at':8e9},"
      "{'type':'C','frame':0,'at':1}]}]}",
      "{'shared':{'frames':[{'name':'f'}]},'profiles':[{'type':'sampled','name':'a','unit':'"
      "seconds',"
      "'startValue':1e300,'endValue':1,'samples':[[0],[0]],'weights':[1,NaN]}]}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    pprofc_profile *p = read_quoted(texts[i], true);
    const struct times *t = p ? p->times : NULL;
    for (size_t e = 0; t && e < t->count; e++) {
      CU_ASSERT(t->start[e] >= 0 && t->duration[e] >= 0 && times_event_end(t, e) <= t->end);
      CU_ASSERT(t->sample[e] < p->samples.count);
    }
    if (t) {
      int64_t half = t->end / 2;
      size_t type = p->type_count - 1;
      CU_ASSERT_EQUAL(total_of(p, 0, half, type) + total_of(p, half, INT64_MAX, type),
                      total(p, type));
    }
    pprofc_profile_release(p);
  }
}

static int count_bytes(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return 0;
}

/* Reads times, restricts them to a range, and prints the events in order of time. */
static pprofc_status read_range_and_print(const pprofc_allocator *mem, size_t *bytes) {
  static const char text[] =
      "[{\"ph\":\"B\",\"name\":\"f\",\"ts\":1,\"pid\":1,\"tid\":1},"
      "{\"ph\":\"X\",\"name\":\"g\",\"ts\":20,\"dur\":9,\"pid\":1,\"tid\":2},"
      "{\"ph\":\"X\",\"name\":\"g\",\"ts\":2,\"dur\":9,\"pid\":1,\"tid\":1},"
      "{\"ph\":\"E\",\"name\":\"f\",\"ts\":50,\"pid\":1,\"tid\":1}]";
  const struct open_sums sums = {.each = true, .times = true};
  pprofc_profile *profile = NULL, *part = NULL;
  pprofc_read_options options;
  pprofc_report_options report;
  pprofc_read_options_init(&options);
  pprofc_report_options_init(&report);
  options.allocator = mem;
  report.format = "speedscope";
  pprofc_status status = open_memory(text, sizeof text - 1, &options, &sums, &profile, NULL);
  struct time_range range = {3000, 40000};
  double share;
  if (!status) status = transform_time_estimated(profile, range, 0, &share, NULL);
  if (!status) status = transform_time_range(profile, range, &part, NULL);
  if (!status) status = pprofc_report(part, &report, count_bytes, bytes, NULL);
  pprofc_profile_release(part);
  pprofc_profile_release(profile);
  return status;
}

/* After a failed allocation, the result must be an error, or complete. */
TEST(test_memory_runs_out) {
  size_t whole = 0;
  CU_ASSERT_EQUAL(read_range_and_print(&mem_default, &whole), PPROFC_OK);
  for (size_t failed = 0; failed < 10000; failed++) {
    struct faults faults = {.fail_at = failed};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
    size_t bytes = 0;
    pprofc_status status = read_range_and_print(&mem, &bytes);
    CU_ASSERT(status == PPROFC_E_NOMEM || (status == PPROFC_OK && bytes == whole));
    CU_ASSERT_EQUAL(faults.live, 0);
    CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
    if (faults.calls <= failed) break;
  }
}
