/* Tests the formats of other tools, each with a few lines: frames, values and labels. */
#include "unit.h"

#include "core/str.h"
#include "pprofc/pprofc.h"

static pprofc_profile *read_text(const char *text) {
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_status status = pprofc_profile_read_memory(text, strlen(text), NULL, &profile, &error);
  if (status != PPROFC_OK) printf("%s\n", error.message);
  CU_ASSERT_EQUAL(status, PPROFC_OK);
  return profile;
}

static pprofc_status status_of(const char *text) {
  pprofc_profile *profile = NULL;
  pprofc_status status = pprofc_profile_read_memory(text, strlen(text), NULL, &profile, NULL);
  pprofc_profile_release(profile);
  return status;
}

/* Returns the stack of a sample as "leaf caller root". An inlined frame precedes the frame that
 * contains it. */
static const char *stack_text(const pprofc_profile *profile, size_t sample) {
  static char text[512];
  uint32_t frames[64];
  size_t depth = pprofc_profile_stack(profile, sample, frames, 64), at = 0;
  text[0] = '\0';
  for (size_t i = 0; i < depth; i++) {
    pprofc_location location = pprofc_profile_location(profile, frames[i]);
    for (size_t k = 0; k < location.line_count; k++) {
      pprofc_line line = pprofc_profile_line(profile, frames[i], k);
      pprofc_str name = pprofc_profile_function(profile, line.function).name;
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", at ? " " : "", STR_ARG(name));
    }
    if (!location.line_count)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s?", at ? " " : "");
  }
  return text;
}

static int64_t value_of(const pprofc_profile *profile, size_t sample, size_t type) {
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  return view.values[sample * view.types + type];
}

static bool type_is(const pprofc_profile *profile, size_t index, const char *type,
                    const char *unit) {
  pprofc_value_type t = pprofc_profile_type(profile, index);
  return str_equal(t.type, str_of(type)) && str_equal(t.unit, str_of(unit));
}

static size_t sample_count(const pprofc_profile *profile) {
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  return view.count;
}

static pprofc_str label_of(const pprofc_profile *profile, size_t sample, const char *key) {
  for (size_t i = 0; i < pprofc_profile_label_count(profile, sample); i++) {
    pprofc_label label = pprofc_profile_label(profile, sample, i);
    if (str_equal(label.key, str_of(key))) return label.string;
  }
  return STR("");
}

/* ---- folded ------------------------------------------ */

TEST(test_folded_stacks_are_root_first) {
  pprofc_profile *p =
      read_text("# made by a script\nmain;parse;[u8; 8] 3\r\nmain;work; 4.6\nmain;idle 0\n");
  CU_ASSERT_EQUAL(sample_count(p), 2);
  CU_ASSERT(type_is(p, 0, "samples", "count"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "8] [u8 parse main");
  CU_ASSERT_STRING_EQUAL(stack_text(p, 1), "work main");
  CU_ASSERT_EQUAL(value_of(p, 0, 0), 3);
  CU_ASSERT_EQUAL(value_of(p, 1, 0), 5);
  pprofc_profile_release(p);
}

TEST(test_folded_marks_say_inlined_and_kernel) {
  pprofc_profile *p = read_text("main;hash_[i] 1\nmain;sys_read_[k] 2\n");
  uint32_t frame;
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 0, &frame, 1), 1);
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "hash main");
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 1, &frame, 1), 2);
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, pprofc_profile_location(p, frame).mapping).file,
                      STR("[kernel.kallsyms]")));
  pprofc_profile_release(p);
}

TEST(test_two_counts_are_base_and_head) {
  pprofc_profile *p = read_text("main;a 10 4\nmain;b 0 7\n");
  CU_ASSERT_EQUAL(sample_count(p), 3);
  CU_ASSERT_EQUAL(value_of(p, 0, 0), -10);
  CU_ASSERT(str_equal(label_of(p, 0, "pprof::base"), STR("true")));
  CU_ASSERT_EQUAL(value_of(p, 2, 0), 7);
  pprofc_profile_release(p);
}

TEST(test_a_header_names_several_types) {
  pprofc_profile *p = read_text("cpu/nanoseconds samples/count\nmain;a 100 1\nmain;b 200 2\n");
  CU_ASSERT(type_is(p, 0, "cpu", "nanoseconds") && type_is(p, 1, "samples", "count"));
  CU_ASSERT_EQUAL(value_of(p, 1, 0), 200);
  CU_ASSERT_EQUAL(value_of(p, 1, 1), 2);
  pprofc_profile_release(p);
}

TEST(test_lost_lines_are_counted_and_prose_is_not_folded) {
  pprofc_profile *p = read_text(
      "a;b 1\na;b 1\na;b 1\na;b 1\na;b 1\na;b 1\na;b 1\na;b 1\na;b 1\na;b 1\nno count here\n");
  CU_ASSERT(str_equal(pprofc_profile_comment(p, 0), STR("1 line is not a stack: line 11")));
  CU_ASSERT(str_equal(pprofc_profile_comment(p, 1), STR("skipped: 1 of 11 lines (9.1%)")));
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(status_of("This is a text.\nThere are 5\n"), PPROFC_E_FORMAT);
  CU_ASSERT_EQUAL(status_of("12.34% a;b;c\n"), PPROFC_E_FORMAT);
}

/* ---- perf script ------------------------------------- */

TEST(test_perf_script) {
  pprofc_profile *p = read_text("# cmdline : perf record\n"
                                "V8 Worker Thread 12/15 [003] 55.25:     250000 cpu-clock:ppp: \n"
                                "\t    7f12 leaf(int)+0x1 (/lib/x (deleted))\n"
                                "\t       0 small (inlined)\n"
                                "\t      55 main ([unknown])\n"
                                "\n"
                                "other  7 56.0: 3 cycles:u: \n"
                                "\tffffffff81 do_syscall_64+0x1 ([kernel.kallsyms])\n"
                                "  entry.S:12\n"
                                "\n");
  CU_ASSERT(type_is(p, 0, "samples", "count") && type_is(p, 1, "cpu-clock", "nanoseconds") &&
            type_is(p, 2, "cycles", "count"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "leaf(int) small main");
  CU_ASSERT_EQUAL(value_of(p, 0, 1), 250000);
  CU_ASSERT_EQUAL(value_of(p, 0, 2), 0);
  CU_ASSERT_EQUAL(value_of(p, 1, 2), 3);
  CU_ASSERT(str_equal(label_of(p, 0, "thread"), STR("V8 Worker Thread")));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 1), "do_syscall_64");
  pprofc_profile_release(p);
}

/* ---- JSON -------------------------------------------- */

TEST(test_cpuprofile_weights_are_the_next_delta) {
  pprofc_profile *p = read_text(
      "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2,4]},"
      "{\"id\":2,\"callFrame\":{\"functionName\":\"main\",\"url\":\"a.js\",\"lineNumber\":9,"
      "\"columnNumber\":2},\"children\":[3]},"
      "{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"a.js\",\"lineNumber\":4}},"
      "{\"id\":4,\"callFrame\":{\"functionName\":\"(garbage collector)\"}}],"
      "\"startTime\":1000,\"endTime\":1100,\"samples\":[2,3,4],\"timeDeltas\":[10,20,30]}");
  CU_ASSERT(type_is(p, 1, "wall", "nanoseconds"));
  CU_ASSERT_EQUAL(value_of(p, 0, 1), 20000);
  CU_ASSERT_EQUAL(value_of(p, 1, 1), 30000);
  CU_ASSERT_EQUAL(value_of(p, 2, 1), 0); /* the duration of the last frame is unknown */
  CU_ASSERT_STRING_EQUAL(stack_text(p, 1), "(anonymous a.js:5) main");
  CU_ASSERT_STRING_EQUAL(stack_text(p, 2), "(garbage collector) (anonymous a.js:5) main");
  pprofc_profile_release(p);
}

TEST(test_heapprofile) {
  pprofc_profile *p = read_text(
      "{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"children\":["
      "{\"callFrame\":{\"functionName\":\"make\"},\"selfSize\":64,\"children\":["
      "{\"callFrame\":{\"functionName\":\"push\"},\"selfSize\":8,\"children\":[]}]}]}}");
  CU_ASSERT(type_is(p, 0, "inuse_space", "bytes"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 1), "push make");
  CU_ASSERT_EQUAL(value_of(p, 0, 0) + value_of(p, 1, 0), 72);
  pprofc_profile_release(p);
}

TEST(test_speedscope_sampled_and_evented) {
  pprofc_profile *p = read_text(
      "{\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"work\",\"file\":\"w.py\",\"line\":"
      "3}]},\"profiles\":["
      "{\"type\":\"sampled\",\"name\":\"one\",\"unit\":\"milliseconds\",\"samples\":[[0,1]],"
      "\"weights\":[1.5]},"
      "{\"type\":\"evented\",\"name\":\"two\",\"unit\":\"seconds\",\"startValue\":0,\"events\":["
      "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},"
      "{\"type\":\"C\",\"frame\":1,\"at\":3},{\"type\":\"C\",\"frame\":0,\"at\":4}]}]}");
  CU_ASSERT(type_is(p, 0, "wall", "nanoseconds"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "work main");
  CU_ASSERT_EQUAL(value_of(p, 0, 0), 1500000);
  CU_ASSERT(str_equal(label_of(p, 0, "profile"), STR("one")));
  CU_ASSERT_EQUAL(sample_count(p), 4);
  CU_ASSERT_EQUAL(value_of(p, 2, 0), 2000000000);
  pprofc_profile_release(p);
}

TEST(test_dhat) {
  pprofc_profile *p =
      read_text("{\"dhatFileVersion\":2,\"pps\":[{\"tb\":100,\"tbk\":2,\"fs\":[1,2]}],"
                "\"ftbl\":[\"[root]\",\"0x48: malloc (in /lib/vg.so)\",\"0x10: main (a.c:7)\"]}");
  CU_ASSERT(type_is(p, 0, "total_blocks", "count") && type_is(p, 1, "total_bytes", "bytes"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "malloc main");
  CU_ASSERT_EQUAL(value_of(p, 0, 1), 100);
  pprofc_profile_release(p);
}

TEST(test_firefox_old_and_new_tables) {
  pprofc_profile *p =
      read_text("{\"meta\":{\"preprocessedProfileVersion\":30,\"interval\":1},\"threads\":[{"
                "\"name\":\"main\",\"tid\":4,"
                "\"samples\":{\"stack\":[1,null],\"weight\":null},\"stringArray\":[\"a\",\"b\"],"
                "\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0]},\"frameTable\":{\"func\":[0,"
                "1],\"line\":[null,3]},"
                "\"funcTable\":{\"name\":[0,1],\"fileName\":[null,null]}}]}");
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "b a");
  CU_ASSERT(str_equal(label_of(p, 0, "thread"), STR("main")));
  CU_ASSERT(str_equal(pprofc_profile_comment(p, 0), STR("1 sample has no stack")));
  pprofc_profile_release(p);
  p = read_text(
      "{\"meta\":{\"preprocessedProfileVersion\":66},\"shared\":{\"stringArray\":[\"a\",\"b\"],"
      "\"stackTable\":{\"frame\":[0,1],\"prefixOffset\":[0,1]},\"frameTable\":{\"func\":[0,1]},"
      "\"funcTable\":{\"name\":[0,1]}},\"threads\":[{\"samples\":{\"stack\":[1],\"weight\":[5],"
      "\"weightType\":\"bytes\"}}]}");
  CU_ASSERT(type_is(p, 0, "space", "bytes"));
  CU_ASSERT_STRING_EQUAL(stack_text(p, 0), "b a");
  CU_ASSERT_EQUAL(value_of(p, 0, 0), 5);
  pprofc_profile_release(p);
}

TEST(test_broken_json_names_line_and_column) {
  pprofc_profile *profile;
  pprofc_error error;
  const char *text = "{\"nodes\":\n[1,,]}";
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text, strlen(text), NULL, &profile, &error),
                  PPROFC_E_FORMAT);
  CU_ASSERT(strstr(error.message, "line 2, column") != NULL);
  CU_ASSERT_EQUAL(status_of("{\"hello\": 1}"), PPROFC_E_FORMAT);
  CU_ASSERT_EQUAL(status_of("{}"), PPROFC_E_FORMAT);
}
