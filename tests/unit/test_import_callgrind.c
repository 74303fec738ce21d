/* Tests callgrind.out and cachegrind.out: the grammar line by line, and stacks, which must keep
 * each total. */
#include "unit.h"

#include "core/str.h"
#include "import/callgrind/callgrind.h"
#include "pprofc/pprofc.h"
#include "report/stacks/flame_groups.h"

#include <stdlib.h>

static pprofc_profile *read_as(pprofc_str text, pprofc_call_stacks stacks) {
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.call_stacks = stacks;
  pprofc_status status =
      pprofc_profile_read_memory(text.data, text.size, &options, &profile, &error);
  if (status != PPROFC_OK) printf("%s\n", error.message);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
  return profile;
}

static pprofc_profile *read_text(const char *text) {
  return read_as(str_of(text), PPROFC_STACKS_PROPORTIONAL);
}

static bool type_is(const pprofc_profile *profile, size_t index, const char *type,
                    const char *unit) {
  pprofc_value_type t = pprofc_profile_type(profile, index);
  return str_equal(t.type, str_of(type)) && str_equal(t.unit, str_of(unit));
}

/* Returns a stack as "leaf:line caller:line". An inlined function precedes the function that
 * contains it. */
static const char *stack_text(const pprofc_profile *profile, size_t sample) {
  static char text[512];
  uint32_t frames[64];
  size_t depth = pprofc_profile_stack(profile, sample, frames, 64), at = 0;
  text[0] = '\0';
  for (size_t i = 0; i < depth; i++)
    for (size_t k = 0; k < pprofc_profile_location(profile, frames[i]).line_count; k++) {
      pprofc_line line = pprofc_profile_line(profile, frames[i], k);
      pprofc_str name = pprofc_profile_function(profile, line.function).name;
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s:%lld", at ? " " : "",
                             STR_ARG(name), (long long)line.line);
    }
  return text;
}

/* Returns the sum of the stack's values over all its samples. */
static int64_t value_of(const pprofc_profile *profile, const char *stack, size_t type) {
  pprofc_samples_view view;
  int64_t sum = 0;
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count; i++)
    if (strcmp(stack_text(profile, i), stack) == 0) sum += view.values[i * view.types + type];
  return sum;
}

static int64_t total_of(const pprofc_profile *profile, size_t type) {
  pprofc_samples_view view;
  int64_t sum = 0;
  pprofc_profile_samples(profile, &view);
  for (size_t i = 0; i < view.count; i++) sum += view.values[i * view.types + type];
  return sum;
}

static bool has_comment(const pprofc_profile *profile, const char *text) {
  pprofc_header header;
  pprofc_profile_header(profile, &header);
  for (size_t i = 0; i < header.comment_count; i++)
    if (str_equal(pprofc_profile_comment(profile, i), str_of(text))) return true;
  return false;
}

/* ---- grammar ----------------------------------------- */

static const char small[] = "# callgrind format\n"
                            "version: 1\n"
                            "creator: by hand\n"
                            "cmd: ./prog -x\n"
                            "part: 1\n"
                            "positions: line\n"
                            "event: sysTime : sysTime (elapsed us)\n"
                            "events: Ir Dr sysTime\n"
                            "summary: 200 20 3\n"
                            "\n"
                            "ob=(1) /lib/c.so\n"
                            "fl=(1) work.c\n"
                            "fn=(1) work\n"
                            "10 50 5 1\n"
                            "+2 30\n"
                            "fi=(2) inline.h\n"
                            "7 20 1\n"
                            "fe=(1)\n"
                            "* 4\n"
                            "\n"
                            "ob=(2) /app/prog\n"
                            "fl=(3) main.c\n"
                            "fn=(2) main\n"
                            "5 40 3 1\n"
                            "cob=(1)\n"
                            "cfi=(1)\n"
                            "cfn=(1)\n"
                            "calls=2 10\n"
                            "6 104 6 1\n"
                            "jcnd=1/2 +3\n"
                            "* \n"
                            "+1 0x10\n"
                            "\n"
                            "totals: 160 9 2\n";

TEST(test_lines_and_calls) {
  pprofc_profile *p = read_text(small);
  CU_ASSERT(type_is(p, 0, "Ir", "count") && type_is(p, 2, "sysTime", "nanoseconds"));
  CU_ASSERT_EQUAL(pprofc_profile_default_type(p), 0);
  CU_ASSERT_EQUAL(value_of(p, "work:10 main:6", 0), 50);
  CU_ASSERT_EQUAL(value_of(p, "work:12 main:6", 0), 30);
  CU_ASSERT_EQUAL(value_of(p, "work:7 main:6", 0), 24);
  CU_ASSERT_EQUAL(value_of(p, "main:5", 0), 40);
  CU_ASSERT_EQUAL(value_of(p, "main:7", 0), 16);
  CU_ASSERT_EQUAL(value_of(p, "work:10 main:6", 2), 1000);
  CU_ASSERT_EQUAL(total_of(p, 0), 160);
  CU_ASSERT(!has_comment(p, "1 part of callgrind's output has totals that differ from its lines"));
  CU_ASSERT(str_equal(pprofc_profile_mapping(p, 0).file, STR("/app/prog")));
  pprofc_profile_release(p);
}

TEST(test_edges_and_flat) {
  pprofc_profile *p = read_as(str_of(small), PPROFC_STACKS_EDGES);
  CU_ASSERT_EQUAL(value_of(p, "work:10 main:6", 0), 50);
  CU_ASSERT_EQUAL(total_of(p, 0), 160);
  pprofc_profile_release(p);
  p = read_as(str_of(small), PPROFC_STACKS_FLAT);
  CU_ASSERT_EQUAL(value_of(p, "work:10", 0), 50);
  CU_ASSERT_EQUAL(value_of(p, "main:5", 0), 40);
  CU_ASSERT_EQUAL(total_of(p, 1), 9);
  pprofc_profile_release(p);
}

/* An inlined line is in another file. The function's own file must stay the same. */
TEST(test_inlined_files) {
  pprofc_profile *p = read_as(str_of(small), PPROFC_STACKS_FLAT);
  size_t found = 0;
  for (uint32_t i = 0; i < pprofc_profile_function_count(p); i++) {
    pprofc_function f = pprofc_profile_function(p, i);
    found += str_equal(f.name, STR("work")) && str_equal(f.filename, STR("inline.h"));
    found += str_equal(f.name, STR("work")) && str_equal(f.filename, STR("work.c"));
  }
  CU_ASSERT_EQUAL(found, 2);
  pprofc_profile_release(p);
}

TEST(test_inlined_functions) {
  pprofc_profile *p = read_text("positions: line\nevents: Ct\nfl=a.c\nfn=main\n1 5\ncfni=tiny\n"
                                "fi=t.h\n9 7\ncfni=???\nfe=a.c\n2 1\n");
  CU_ASSERT_EQUAL(value_of(p, "main:1", 0), 5);
  CU_ASSERT_EQUAL(value_of(p, "tiny:9 main:0", 0), 7);
  CU_ASSERT_EQUAL(value_of(p, "main:2", 0), 1);
  pprofc_profile_release(p);
}

TEST(test_addresses_and_relative_numbers) {
  pprofc_profile *p = read_text("positions: instr line\nevents: Ir\nob=/bin/x\nfl=a.c\nfn=f\n"
                                "0x1184 8 1\n+11 -2 2\n-0x1 * 3\njfi=(4) b.c\njump=1 0x1180 0\n"
                                "* *\nfi=(4)\n* +1 4\n");
  uint32_t frame;
  CU_ASSERT_EQUAL(value_of(p, "f:8", 0), 1);
  CU_ASSERT_EQUAL(value_of(p, "f:6", 0), 5);
  CU_ASSERT_EQUAL(value_of(p, "f:7", 0), 4);
  CU_ASSERT_EQUAL(pprofc_profile_stack(p, 1, &frame, 1), 1);
  CU_ASSERT_EQUAL(pprofc_profile_location(p, frame).address, 0x118f);
  pprofc_profile_release(p);
}

/* Ids are valid in the whole file, also in later parts. Threads and parts become labels. */
TEST(test_parts_and_threads) {
  pprofc_profile *p = read_text("version: 1\npart: 1\nthread: 1\npositions: line\nevents: Ir\n"
                                "fl=(1) a.c\nfn=(1) f\n1 5\ntotals: 5\n"
                                "version: 1\npart: 1\nthread: 2\npositions: line\nevents: Ir Dr\n"
                                "fl=(1)\nfn=(1)\n1 6 2\ntotals: 6 2\n");
  CU_ASSERT_EQUAL(total_of(p, 0), 11);
  CU_ASSERT_EQUAL(total_of(p, 1), 2);
  CU_ASSERT_EQUAL(pprofc_profile_label_count(p, 1), 2);
  CU_ASSERT(str_equal(pprofc_profile_label(p, 1, 0).key, STR("thread")));
  CU_ASSERT(str_equal(pprofc_profile_label(p, 1, 0).string, STR("2")));
  pprofc_profile_release(p);
}

TEST(test_cachegrind) {
  pprofc_profile *p = read_text("desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./t\n"
                                "events: Ir I1mr \nfl=./a.c\nfn=main\n128 2 1\n134 3 0\n"
                                "summary: 5 1\n");
  CU_ASSERT_EQUAL(total_of(p, 0), 5);
  CU_ASSERT(has_comment(p, "stacks are single functions"));
  pprofc_profile_release(p);
}

TEST(test_events_with_units) {
  pprofc_profile *p =
      read_text("version: 1\ncmd: x.php\nevents: Time_(10ns) Memory_(bytes) cpu(ms)\nfl=a\nfn=f\n"
                "1 5 6 7\n");
  CU_ASSERT(type_is(p, 0, "Time", "nanoseconds") && type_is(p, 1, "Memory", "bytes") &&
            type_is(p, 2, "cpu", "ms"));
  CU_ASSERT_EQUAL(total_of(p, 0), 50);
  pprofc_profile_release(p);
}

TEST(test_what_is_lost_is_said) {
  pprofc_profile *p = read_text("positions: line\nevents: Ir\nfl=a.c\n5 1\nfn=f\n1 2\n1 x\n"
                                "fn=(9)\n2 2\nnews=3\ntotals: 7\n");
  CU_ASSERT_EQUAL(total_of(p, 0), 2);
  CU_ASSERT(has_comment(p, "4 lines of callgrind's output could not be read"));
  CU_ASSERT(has_comment(p, "1 line of callgrind's output is of an unknown kind"));
  CU_ASSERT(has_comment(p, "1 part of callgrind's output has totals that differ from its lines"));
  pprofc_profile_release(p);
}

TEST(test_events_are_there_once) {
  const char *text = "events: Ir Ir\nfl=a.c\nfn=f\n1 2 3\n";
  CU_ASSERT_EQUAL(
      pprofc_profile_read_memory(text, strlen(text), NULL, &(pprofc_profile *){NULL}, NULL),
      PPROFC_E_FORMAT);
}

TEST(test_memory_is_bounded) {
  char text[20000];
  size_t at = (size_t)snprintf(text, sizeof text, "events: a b c d e f g h\nfl=a.c\nfn=f\n");
  for (int line = 0; line < 2000; line++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%d 1\n", line);
  pprofc_limits limits;
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_error error;
  pprofc_limits_init(&limits);
  pprofc_read_options_init(&options);
  limits.memory_bytes = 100000;
  options.limits = &limits;
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text, at, &options, &profile, &error), PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "(raise the limit memory_bytes)") != NULL);
}

TEST(test_sums_that_do_not_fit_are_refused) {
  const char *text = "events: Ir\nfl=a.c\nfn=f\n1 9000000000000000000\n2 9000000000000000000\n";
  pprofc_profile *profile = NULL;
  pprofc_error error;
  CU_ASSERT_EQUAL(pprofc_profile_read_memory(text, strlen(text), NULL, &profile, &error),
                  PPROFC_E_FORMAT);
  CU_ASSERT(strstr(error.message, "the total of an event does not fit 63 bits") != NULL);
}

/* ---- benchmarks -------------------------------------- */

static const char benchmarks[] =
    "# callgrind format\ncreator: callgrind-3.19.0\n"
    "part: 1\ndesc: Trigger: Client Request: Metadata: by hand 1\nevents: Ir\ntotals: 0\n"
    "part: 2\ndesc: Timerange: Basic block 1 - 80\n"
    "desc: Trigger: Client Request: a.c::parse[10] x\nevents: Ir\nfn=parse\n1 40\ntotals: 40\n"
    "part: 3.1\nthread: 1\ndesc: Trigger: Client Request: b.c::sort\nevents: Ir\nfn=sort\n1 50\n2 "
    "7\n"
    "part: 3.2\nthread: 2\ndesc: Trigger: Client Request: b.c::sort\nevents: Ir\nfn=sort\n1 3\n"
    "part: 4\ndesc: Trigger: Client Request: b.c::empty\nevents: Ir\nfn=sort\n1 0\n"
    "part: 5\ndesc: Trigger: Program termination\nevents: Ir\nfn=exit\n1 9\n";

struct benchmark_seen {
  char text[256];
  int stop_after;
};

static pprofc_status benchmark_see(void *context, pprofc_str name, pprofc_profile *profile,
                                   pprofc_error *error) {
  struct benchmark_seen *seen = context;
  size_t at = strlen(seen->text);
  snprintf(seen->text + at, sizeof seen->text - at, "%.*s %lld of %s\n", STR_ARG(name),
           (long long)total_of(profile, 0), stack_text(profile, 0));
  if (--seen->stop_after) return PPROFC_OK;
  error->status = PPROFC_E_IO;
  return PPROFC_E_IO;
}

TEST(test_benchmarks) {
  struct benchmark_seen all = {"", 0}, first = {"", 1}, other = {"", 0};
  pprofc_error error;
  pprofc_profile *profile = read_text(benchmarks), *plain = read_text(small);
  CU_ASSERT_EQUAL(pprofc_benchmarks(profile, benchmark_see, &all, NULL), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(all.text, "a.c::parse[10] x 40 of parse:1\nb.c::sort 60 of sort:1\n");
  CU_ASSERT_EQUAL(pprofc_benchmarks(profile, benchmark_see, &first, &error), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(first.text, "a.c::parse[10] x 40 of parse:1\n");
  CU_ASSERT_EQUAL(pprofc_benchmarks(plain, benchmark_see, &other, NULL), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(other.text, "");
  CU_ASSERT_EQUAL(total_of(profile, 0), 109);
  pprofc_profile_release(plain);
  pprofc_profile_release(profile);
}

/* ---- stacks ------------------------------------------ */

TEST(test_recursion_is_cut_at_its_first_repeat) {
  pprofc_profile *p = read_text("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=even\ncalls=1 1\n2 90\n"
                                "fn=even\n3 40\ncfn=odd\ncalls=5 1\n4 70\n"
                                "fn=odd\n5 50\ncfn=even\ncalls=4 1\n6 60\n");
  CU_ASSERT_EQUAL(value_of(p, "even:3 main:2", 0), 40);
  CU_ASSERT_EQUAL(value_of(p, "odd:5 even:4 main:2", 0), 50);
  CU_ASSERT_EQUAL(total_of(p, 0), 100);
  pprofc_profile_release(p);
}

TEST(test_levels_of_recursion_are_one_function) {
  pprofc_profile *p = read_text("events: Ir\nfl=a.c\nfn=fib\n1 10\ncfn=fib'2\ncalls=1 1\n2 90\n"
                                "fn=fib'2\n1 90\ncfn=fib'2\ncalls=9 1\n2 300\n");
  CU_ASSERT_EQUAL(value_of(p, "fib:1 fib:2", 0), 90);
  CU_ASSERT_EQUAL(value_of(p, "fib:1", 0), 10);
  pprofc_profile_release(p);
}

/* A third of an odd cost must become an integer, and no unit may be lost. */
TEST(test_shares_are_whole) {
  pprofc_profile *p = read_text("events: Ir\nfl=a.c\nfn=a\n1 1\ncfn=w\ncalls=1 1\n2 20\n"
                                "fn=b\n1 1\ncfn=w\ncalls=1 1\n2 10\nfn=w\n9 30\n10 1\n");
  int64_t by_a = value_of(p, "w:9 a:2", 0), by_b = value_of(p, "w:9 b:2", 0);
  CU_ASSERT(by_a >= 19 && by_a <= 20 && by_b >= 9 && by_b <= 10);
  CU_ASSERT_EQUAL(value_of(p, "w:10 a:2", 0), 1);
  CU_ASSERT_EQUAL(total_of(p, 0), 33);
  pprofc_profile_release(p);
}

TEST(test_split_gives_all_of_it) {
  srand(7);
  for (int round = 0; round < 2000; round++) {
    double weights[40];
    int64_t out[40], total = ((int64_t)rand() << 32 | rand()) >> (rand() % 63), sum = 0;
    size_t count = 1 + (size_t)rand() % 40;
    for (size_t i = 0; i < count; i++) weights[i] = rand() % 3 ? (double)rand() / RAND_MAX : 0;
    weights[count / 2] = 0.5;
    callgrind_split(total, weights, count, out, 1);
    for (size_t i = 0; i < count; i++) {
      CU_ASSERT(out[i] >= 0 && (weights[i] > 0 || out[i] == 0));
      sum += out[i];
    }
    CU_ASSERT_EQUAL(sum, total);
  }
}

/* For random calls, the cost of each line of each function must be the same with all three methods,
 * except for truncated stacks. */
TEST(test_random_graphs_keep_their_lines) {
  srand(11);
  for (int round = 0; round < 50; round++) {
    char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "events: Ir Dr\nfl=a.c\n");
    int functions = 2 + rand() % 30;
    for (int f = 0; f < functions; f++) {
      at += (size_t)snprintf(text + at, sizeof text - at, "fn=f%d\n%d %d %d\n", f, f, rand() % 99,
                             rand() % 9);
      for (int c = rand() % 5; c > 0; c--)
        at += (size_t)snprintf(text + at, sizeof text - at, "cfn=f%d\ncalls=1 1\n%d %d %d\n",
                               rand() % functions, c, rand() % 500, rand() % 40);
    }
    pprofc_str whole = {text, at};
    pprofc_profile *flat = read_as(whole, PPROFC_STACKS_FLAT);
    for (int way = PPROFC_STACKS_PROPORTIONAL; way < PPROFC_STACKS_FLAT; way++) {
      pprofc_profile *p = read_as(whole, (pprofc_call_stacks)way);
      CU_ASSERT_EQUAL(total_of(p, 0), total_of(flat, 0));
      CU_ASSERT_EQUAL(total_of(p, 1), total_of(flat, 1));
      pprofc_profile_release(p);
    }
    pprofc_profile_release(flat);
  }
}

/* 40 functions each call the next function twice, which gives 2^39 paths. */
TEST(test_trees_are_bounded) {
  char text[20000];
  size_t at = (size_t)snprintf(text, sizeof text, "events: Ir\nfl=a.c\nfn=f0\n1 1\n");
  for (int f = 0; f < 80; f++)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "fn=f%d\n1 1\ncfn=f%d\ncalls=1 1\n2 1000000\ncfn=f%d\ncalls=1 1\n3 "
                           "1000000\n",
                           f, f + 1, f + 2);
  at += (size_t)snprintf(text + at, sizeof text - at, "fn=f81\n1 1000000\n");
  pprofc_str whole = {text, at};
  pprofc_profile *p = read_as(whole, PPROFC_STACKS_PROPORTIONAL);
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  CU_ASSERT(view.count < 300000);
  CU_ASSERT_EQUAL(total_of(p, 0), 1000081);
  pprofc_profile_release(p);
}

/* ---- recorded files ---------------------------------- */

static pprofc_str read_file(const char *path, char *text, size_t room) {
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  size_t size = fread(text, 1, room, file);
  fclose(file);
  CU_ASSERT(size > 0 && size < room);
  return (pprofc_str){text, size};
}

/* Adds up all "totals:" lines. Returns the number of values per line. */
static size_t read_totals(pprofc_str text, int64_t totals[CALLGRIND_MAX_EVENTS]) {
  pprofc_str line, word;
  size_t count = 0;
  while (str_next_line(&text, &line)) {
    if (!str_starts(line, STR("totals: "))) continue;
    pprofc_str rest = str_slice(line, 8, line.size);
    for (count = 0; str_next(&rest, ' ', &word); count++) {
      int64_t number = 0;
      CU_ASSERT(str_parse_int(word, 10, &number));
      totals[count] += number;
    }
  }
  return count;
}

/* As many functions call a central function as it calls: a tree has too many paths. Paths beyond
 * the limit are below the central function alone, and no function may lose a unit. */
TEST(test_hubs_make_no_more_than_their_size) {
  enum { SIDES = 400 };
  struct buffer text;
  char last[32];
  buffer_init(&text, &mem_default, SIZE_MAX);
  buffer_add_str(&text, STR("events: Ir\nfl=a.c\n"));
  for (int i = 0; i < SIDES; i++)
    buffer_printf(&text, "fn=caller%d\n1 10\ncfn=hub\ncalls=1 1\n1 4000\n", i);
  buffer_add_str(&text, STR("fn=hub\n5 10\n"));
  for (int i = 0; i < SIDES; i++) buffer_printf(&text, "cfn=leaf%d\ncalls=1 1\n6 4000\n", i);
  for (int i = 0; i < SIDES; i++) buffer_printf(&text, "fn=leaf%d\n7 %d\n", i, 4000 - (i == 0));
  pprofc_profile *profile = read_as(buffer_str(&text), PPROFC_STACKS_PROPORTIONAL);
  pprofc_samples_view view;
  pprofc_profile_samples(profile, &view);
  CU_ASSERT_TRUE(view.count < 2048 + 17 * 4 * SIDES);
  CU_ASSERT_EQUAL(total_of(profile, 0), SIDES * 4010 + 10 - 1);
  snprintf(last, sizeof last, "leaf%d:7 hub:6 [pruned]:0", SIDES - 1);
  CU_ASSERT_TRUE(value_of(profile, last, 0) > 3000);
  for (size_t i = 0; i < view.count; i++)
    CU_ASSERT_TRUE(!str_starts(str_of(stack_text(profile, i)), STR("[pruned]")));
  CU_ASSERT_TRUE(has_comment(profile, "1 part of callgrind's output has too many paths: some costs "
                                      "are shown for one caller only"));
  pprofc_profile_release(profile);
  buffer_free(&text);
}

TEST(test_recorded_totals) {
  static const char *const files[] = {TESTDATA "/imports/calls.callgrind.out",
                                      TESTDATA "/imports/calls.instr.callgrind.out",
                                      TESTDATA "/imports/calls.threads.callgrind.out"};
  static char text[100000];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    int64_t totals[CALLGRIND_MAX_EVENTS] = {0};
    pprofc_str whole = read_file(files[i], text, sizeof text);
    size_t types = read_totals(whole, totals);
    CU_ASSERT(types > 0);
    for (int way = PPROFC_STACKS_PROPORTIONAL; way <= PPROFC_STACKS_FLAT; way++) {
      pprofc_profile *p = read_as(whole, (pprofc_call_stacks)way);
      pprofc_header header;
      CU_ASSERT_EQUAL(pprofc_profile_type_count(p), types);
      for (size_t t = 0; t < types; t++) CU_ASSERT_EQUAL(total_of(p, t), totals[t]);
      pprofc_profile_header(p, &header);
      CU_ASSERT_EQUAL(header.comment_count, 1);
      pprofc_profile_release(p);
    }
  }
}

/* Flame graphs by bottleneck must find the events by the names that this reader writes. */
TEST(test_costs_of_flame_graphs_are_found) {
  static char text[100000];
  static const char *const kinds[] = {"instruction", "cache", "memory", "system"};
  pprofc_profile *p = read_as(read_file(TESTDATA "/imports/calls.callgrind.out", text, sizeof text),
                              PPROFC_STACKS_PROPORTIONAL);
  struct flame_cost costs[FLAME_COSTS_MAX];
  size_t count = flame_costs_find(p, costs);
  CU_ASSERT_EQUAL(count, 8);
  for (size_t k = 0; k < 4; k++) {
    bool found = false;
    for (size_t i = 0; i < count; i++) found |= strcmp(costs[i].kind, kinds[k]) == 0;
    CU_ASSERT(found);
  }
  pprofc_profile_release(p);
}
