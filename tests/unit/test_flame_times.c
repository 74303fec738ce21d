/* Tests the times of the -flame page: buckets add events up and lose no time. */
#include "flame_graph.h"

#include "core/buffer.h"
#include "flame/pack.h"
#include "pprofc/pprofc.h"
#include "profile/builder.h"

#define MOST TIMES_MOST /* maximum number of events without buckets, set by CMakeLists.txt */

/* The bytes of the page, and the profile from which they were made. */
struct packed {
  pprofc_profile *profile;
  struct graph graph;
  struct buffer bytes;
  size_t at;
  uint64_t end, bucket, ends, events;
};

static uint64_t next(struct packed *p) {
  uint64_t value = 0;
  for (unsigned shift = 0; p->at < p->bytes.size && shift < 64; shift += 7) {
    uint8_t byte = (uint8_t)p->bytes.data[p->at++];
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

static int64_t next_signed(struct packed *p) {
  uint64_t value = next(p);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static pprofc_builder *begin(size_t samples) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  builder_keep_times(b, true);
  pprofc_builder_type(b, "samples", "count");
  uint32_t frame = pprofc_builder_frame(b, "f", NULL, 1);
  for (size_t i = 0; i < samples; i++)
    pprofc_builder_sample(b, &frame, 1, &(int64_t){(int64_t)i + 1});
  return b;
}

/* Packs the times of a profile. Reads the head of the bytes and the values of the samples. */
static void pack(struct packed *p, pprofc_builder *b) {
  *p = (struct packed){0};
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &p->profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  build_turned(&p->graph, p->profile, false);
  size_t samples = p->profile->samples.count;
  uint32_t *node_of = mem_array(&mem_default, samples, sizeof *node_of);
  for (size_t i = 0; i < samples; i++) node_of[i] = i == 2 ? NONE : 1;
  struct flame_page page = {.tree = &p->graph.tree, .node_of = node_of};
  buffer_init(&p->bytes, &mem_default, SIZE_MAX / 2);
  CU_ASSERT_EQUAL_FATAL(flame_pack_times(&page, &p->bytes, NULL), PPROFC_OK);
  mem_free(&mem_default, node_of, samples, sizeof *node_of);
  p->end = next(p);
  p->bucket = next(p);
  p->ends = next(p);
  p->events = next(p);
  for (size_t i = 0; i < p->ends; i++) {
    CU_ASSERT_EQUAL(next_signed(p), i ? 0 : 1);
    int64_t value = next_signed(p);
    CU_ASSERT(value == (int64_t)i + 1 || value == (int64_t)i + 2);
  }
}

/* Reads the events of a track. Adds their durations to sums[end]. Checks that they do not overlap.
 */
static size_t read_track(struct packed *p, int64_t *sums) {
  size_t count = (size_t)next(p);
  int64_t at = 0, end = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t gap = next_signed(p), duration = (int64_t)next(p);
    end += next_signed(p);
    if (gap < 0 || end < 0 || (uint64_t)end >= p->ends) {
      CU_FAIL_FATAL("an event is wrong");
      return count;
    }
    at += gap + duration;
    sums[end] += duration;
  }
  CU_ASSERT((uint64_t)at <= p->end + 1);
  return count;
}

static void done(struct packed *p) {
  CU_ASSERT_EQUAL(p->at, p->bytes.size);
  buffer_free(&p->bytes);
  destroy(&p->graph);
  pprofc_profile_release(p->profile);
}

/* Packs `count` events of 10 ns of two samples in turn, one after the other. */
static void pack_row(struct packed *p, size_t count) {
  pprofc_builder *b = begin(2);
  uint32_t track = builder_track(b, &(struct time_track){.name = STR("main")});
  for (size_t i = 0; i < count; i++)
    builder_event_of(b, (uint32_t)(i % 2), track, 10 * (int64_t)i, 10);
  pack(p, b);
}

TEST(test_the_most_events_stay_apart) {
  struct packed p;
  int64_t sums[2] = {0, 0};
  pack_row(&p, MOST);
  CU_ASSERT_EQUAL(p.bucket, 0);
  CU_ASSERT_EQUAL(p.events, MOST);
  CU_ASSERT_EQUAL(p.end, 10 * (uint64_t)MOST);
  CU_ASSERT_EQUAL(read_track(&p, sums), MOST);
  CU_ASSERT_EQUAL(sums[0], 5 * (int64_t)MOST);
  CU_ASSERT_EQUAL(sums[1], 5 * (int64_t)MOST);
  done(&p);
}

TEST(test_buckets_keep_the_time_of_each_stack) {
  struct packed p;
  int64_t sums[2] = {0, 0};
  pack_row(&p, MOST + 1);
  CU_ASSERT(p.bucket > 10);
  CU_ASSERT(p.events <= MOST);
  CU_ASSERT_EQUAL(read_track(&p, sums), p.events);
  CU_ASSERT_EQUAL(sums[0], 5 * (int64_t)MOST + 10);
  CU_ASSERT_EQUAL(sums[1], 5 * (int64_t)MOST);
  done(&p);
}

/* An instant has a nanosecond, so that its parts of the values are equal. A sample without a node
 * has no events. */
TEST(test_instants_and_samples_without_a_node) {
  struct packed p;
  int64_t sums[2] = {0, 0};
  pprofc_builder *b = begin(4); /* the last sample has no events */
  uint32_t one = builder_track(b, &(struct time_track){.name = STR("one")});
  uint32_t two = builder_track(b, &(struct time_track){.name = STR("two")});
  builder_event_of(b, 0, one, 100, 0);
  builder_event_of(b, 1, one, 100, 7);
  builder_event_of(b, 2, one, 120, 5);
  builder_event_of(b, 0, two, 110, 0);
  pack(&p, b);
  CU_ASSERT_EQUAL(p.end, 25);
  CU_ASSERT_EQUAL(p.ends, 2);
  CU_ASSERT_EQUAL(p.events, 3);
  CU_ASSERT_EQUAL(next(&p), 2);
  CU_ASSERT_EQUAL(next_signed(&p), 0);
  CU_ASSERT_EQUAL(next(&p), 1);
  CU_ASSERT_EQUAL(next_signed(&p), 0);
  CU_ASSERT_EQUAL(next_signed(&p), -1); /* starts at 0, before the end of the instant */
  CU_ASSERT_EQUAL(next(&p), 7);
  CU_ASSERT_EQUAL(next_signed(&p), 1);
  CU_ASSERT_EQUAL(read_track(&p, sums), 1);
  CU_ASSERT_EQUAL(sums[0], 1);
  done(&p);
}

/* More samples than half of the maximum, each with an event at the start and one at the largest
 * time: only the widest bucket is wide enough. */
TEST(test_the_widest_bucket) {
  struct packed p;
  size_t samples = MOST / 2 + 2; /* one of them has no node */
  pprofc_builder *b = begin(samples);
  uint32_t track = builder_track(b, &(struct time_track){.name = STR("main")});
  for (size_t i = 0; i < 2 * samples; i++)
    builder_event_of(b, (uint32_t)(i / 2), track, i % 2 ? INT64_MAX - 1 : 0, 1);
  pack(&p, b);
  CU_ASSERT_EQUAL(p.bucket, (uint64_t)INT64_MAX);
  CU_ASSERT_EQUAL(p.ends, samples - 1);
  CU_ASSERT_EQUAL(p.events, samples - 1);
  CU_ASSERT_EQUAL(next(&p), samples - 1);
  p.at = p.bytes.size;
  done(&p);
}
