/* Tests the readers of benchmark results: Go's text, and the formats of other tools. */
#include "bench/read/readers.h"
#include "bench/set.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

/* ---- the result of reading, as a line of text -------- */

static void describe(const pprofc_bench *set, struct buffer *out) {
  size_t results, messages;
  const pprofc_bench_result *result = pprofc_bench_results(set, &results);
  const pprofc_bench_message *message = pprofc_bench_messages(set, &messages);
  const uint32_t *units;
  size_t values;
  const double *value = pprofc_bench_values(set, &units, &values);
  for (size_t i = 0; i < results; i++) {
    buffer_add_str(out, pprofc_bench_string(set, result[i].name));
    buffer_printf(out, " %lld", (long long)result[i].iterations);
    for (size_t v = result[i].first_value; v < result[i + 1].first_value; v++) {
      buffer_add_char(out, ' ');
      number_print(out, value[v]);
      buffer_add_char(out, ' ');
      buffer_add_str(out, pprofc_bench_unit(set, units[v]));
    }
    buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < messages; i++) {
    buffer_printf(out, "%llu: ", (unsigned long long)message[i].line);
    buffer_add_str(out, message[i].text);
    buffer_add_char(out, '\n');
  }
}

static bool reads_bytes(pprofc_str data, const char *path, const char *expected) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_bench *set = pprofc_bench_new(NULL);
  struct buffer out;
  buffer_init(&out, &mem_default, (size_t)1 << 24);
  if (pprofc_bench_read(set, "label", path, data.data, data.size, &error) != PPROFC_OK)
    buffer_printf(&out, "error: %s\n", error.message);
  else
    describe(set, &out);
  bool same = str_equal(buffer_str(&out), str_of(expected));
  if (!same) fprintf(stderr, "read:\n%.*sexpected:\n%s", STR_ARG(buffer_str(&out)), expected);
  buffer_free(&out);
  pprofc_bench_free(set);
  return same;
}

static bool reads(const char *data, const char *expected) {
  return reads_bytes(str_of(data), "in", expected);
}

/* ---- benchmark text ---------------------------------- */

TEST(test_benchmark_lines_give_tidied_values) {
  CU_ASSERT(reads("BenchmarkX-8 100 12.5 ns/op 3 allocs/op\n",
                  "X-8 100 1.2500000000000001e-08 sec/op 3 allocs/op\n"));
  CU_ASSERT(reads("BenchmarkX\t1\t2 MB/s", "X 1 2e+06 B/s\n"));
  CU_ASSERT(reads("Benchmark 1 1 widgets\r\n", " 1 1 widgets\n"));
  CU_ASSERT(reads("BenchmarkX\xC2\xA0"
                  "1 5\xE2\x80\x83widgets",
                  "X 1 5 widgets\n"));
}

TEST(test_zero_keeps_the_unit_as_written) {
  CU_ASSERT(reads("BenchmarkX 1 0 ns/op\n", "X 1 0 ns/op\n"));
  CU_ASSERT(reads("BenchmarkX 1 inf ns/op\n", "X 1 +Inf ns/op\n"));
}

TEST(test_what_is_no_benchmark_is_passed_over) {
  CU_ASSERT(reads("PASS\nok  pkg 1.2s\n--- BENCH: x\n\nBenchmarkX\n benchmarkY 1 1 ns/op\n", ""));
  CU_ASSERT(reads("", ""));
}

TEST(test_bad_lines_are_named_and_left_out) {
  CU_ASSERT(reads(
      "BenchmarkX 10 abc ns/op\nBenchmarkZ 10\nBenchmarkW 1 5 ns/op 7\nBenchmarkV \n"
      "BenchmarkU 1e3 5 ns/op\nBenchmarkT 99999999999999999999 5 ns/op\n"
      "BenchmarkS 1 1e999 ns/op\nBenchmarkR 1 5 ns/op extra\nBenchmarkOk 1 5 q\n",
      "Ok 1 5 q\n"
      "1: parsing measurement: invalid syntax\n2: missing measurements\n3: missing units\n"
      "4: missing iteration count\n5: parsing iteration count: invalid syntax\n"
      "6: parsing iteration count: value out of range\n7: parsing measurement: value out of range\n"
      "8: parsing measurement: invalid syntax\n"));
}

TEST(test_unit_lines_are_kept_once) {
  CU_ASSERT(reads(
      "Unit\nUnit ns/op x assume=exact\nUnit sec/op assume=exact\nUnit ns/op assume=nothing\n",
      "1: missing unit\n2: expected key=value\n"
      "4: metadata assume of unit ns/op already set to exact\n"));
}

TEST(test_lines_have_a_limit) {
  static char text[80000];
  memset(text, 'x', sizeof text);
  text[65535] = '\n';
  CU_ASSERT(reads_bytes((pprofc_str){text, 65536}, "in", ""));
  text[65535] = 'x';
  CU_ASSERT(
      reads_bytes((pprofc_str){text, 65537}, "in", "error: in:0: bufio.Scanner: token too long\n"));
}

TEST(test_nul_bytes_are_an_error) {
  CU_ASSERT(reads_bytes(STR("goos: x\nBenchmarkX 1 1 n\0s\n"), "in",
                        "error: in:2: NUL byte in benchmark text (is it UTF-16?)\n"));
}

TEST(test_configuration_follows_the_format) {
  pprofc_bench *set = pprofc_bench_new(NULL);
  const char text[] =
      "goos: linux\nnote:\t a b \nk:v\nKey: x\nBenchmarkA 1 1 q\nnote:\ncpu: z\nBenchmarkB 1 1 q\n";
  CU_ASSERT(pprofc_bench_read(set, "old", "old.txt", text, sizeof text - 1, NULL) == PPROFC_OK);
  CU_ASSERT(str_equal(pprofc_bench_result_config(set, 0, STR("note")), STR("a b ")));
  CU_ASSERT(str_equal(pprofc_bench_result_config(set, 0, STR("k")), STR("")));
  CU_ASSERT(str_equal(pprofc_bench_result_config(set, 0, STR("cpu")), STR("")));
  CU_ASSERT(str_equal(pprofc_bench_result_config(set, 1, STR("note")), STR("")));
  CU_ASSERT(str_equal(pprofc_bench_result_config(set, 1, STR("cpu")), STR("z")));
  CU_ASSERT(str_equal(pprofc_bench_input_label(set, 0), STR("old")));
  pprofc_bench_free(set);
}

TEST(test_names_have_parts) {
  pprofc_str name = STR("Enc/format=json/size=4k-8");
  CU_ASSERT(str_equal(name_base(name), STR("Enc")));
  CU_ASSERT(str_equal(name_base(STR("Enc-8")), STR("Enc")));
  CU_ASSERT(str_equal(name_part_value(name, STR("/size")), STR("4k")));
  CU_ASSERT(str_equal(name_part_value(name, STR("/gomaxprocs")), STR("8")));
  CU_ASSERT(str_equal(name_part_value(STR("A/size=-5"), STR("/size")), STR("")));
  CU_ASSERT(str_equal(name_part_value(name, STR("/nosuch")), STR("")));
  const pprofc_str keys[] = {STR("/format"), STR(".name"), STR("/gomaxprocs")};
  struct buffer out;
  buffer_init(&out, &mem_default, 4096);
  name_exclude(&out, name, keys, 3);
  CU_ASSERT(str_equal(buffer_str(&out), STR("*/size=4k")));
  buffer_free(&out);
}

/* ---- other formats ----------------------------------- */

TEST(test_test2json_puts_lines_together_by_package) {
  CU_ASSERT(reads("{\"Action\":\"start\",\"Package\":\"p\"}\n"
                  "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"BenchmarkX-8   \\t\"}\n"
                  "{\"Action\":\"output\",\"Package\":\"q\",\"Output\":\"BenchmarkY 1 2 w\\n\"}\n"
                  "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"  100\\t 125.0 w\\n\"}\n"
                  "{\"Action\":\"fail\",\"Package\":\"q\"}\n",
                  "X-8 100 125 w\nY 1 2 w\n5: q failed\n"));
  CU_ASSERT(reads("{\"Action\":\"start\"}\n{\"Action\"\n", "error: in:2: expected a colon\n"));
}

TEST(test_google_benchmark_gives_repetitions_not_aggregates) {
  CU_ASSERT(reads(
      "{\"context\":{\"x\":NaN},\"benchmarks\":[\n"
      "{\"name\":\"A/64\",\"run_name\":\"A/64\",\"run_type\":\"iteration\",\"iterations\":1000,\n"
      " \"real_time\":1.25e+01,\"cpu_time\":12.4,\"time_unit\":\"us\",\"bytes_per_second\":3e8,"
      "\"my c\":7},\n"
      "{\"name\":\"A/64_mean\",\"run_name\":\"A/64\",\"run_type\":\"aggregate\",\"iterations\":3,\n"
      " \"real_time\":1,\"cpu_time\":1,\"time_unit\":\"us\"},\n"
      "{\"name\":\"B\",\"error_occurred\":true,\"error_message\":\"no "
      "device\",\"real_time\":1,\"time_unit\":\"us\"}]}",
      "A/64 1000 1.25e-05 sec/op 1.24e-05 cpu-sec/op 3e+08 B/s 7 my_c\n"
      "6: B failed: no device\n"));
}

TEST(test_a_time_in_microseconds_is_exact) {
  CU_ASSERT(reads(
      "{\"context\":{},\"benchmarks\":[{\"name\":\"A\",\"run_type\":\"iteration\",\"iterations\":1,"
      "\"real_time\":12.7,\"time_unit\":\"us\"}]}",
      "A 1 1.27e-05 sec/op\n"));
}

TEST(test_hyperfine_gives_one_sample_a_run) {
  CU_ASSERT(reads(
      "{\"results\":[{\"command\":\"./t in/a\",\"mean\":0.1,\"user\":0.08,\"system\":0.01,"
      "\"times\":[0.1,0.2],\"memory_usage_byte\":[1024,2048],\"exit_codes\":[0,0],"
      "\"parameters\":{\"size\":\"10\"}},\n{\"command\":\"f\",\"mean\":1,\"times\":[1],\"exit_"
      "codes\":[2]}]}",
      ".%2Ft_in%2Fa/size=10 1 0.1 sec/op 1024 peak-RSS-bytes 0.08 user-sec/op 0.01 sys-sec/op\n"
      ".%2Ft_in%2Fa/size=10 1 0.2 sec/op 2048 peak-RSS-bytes\n2: 'f' exited with 2\n"));
}

TEST(test_pytest_gives_one_sample_a_round) {
  CU_ASSERT(reads(
      "{\"machine_info\":{},\"benchmarks\":[{\"fullname\":\"t/b.py::s[1024]\",\"param\":\"1024\","
      "\"params\":{\"n\":1024},\"extra_info\":{\"k\":3},\"stats\":{\"data\":[0.001,0.002],"
      "\"iterations\":10}}]}",
      "t/b.py::s/n=1024 10 0.001 sec/op 3 extra_info.k\nt/b.py::s/n=1024 10 0.002 sec/op\n"));
}

TEST(test_codspeed_gives_the_mean_and_its_error) {
  CU_ASSERT(
      reads("{\"creator\":{},\"instrument\":{},\"benchmarks\":[{\"uri\":\"t/b.py::s[1]\","
            "\"stats\":{\"mean_ns\":3000,\"stdev_ns\":0,\"rounds\":2,\"iter_per_round\":5}},\n"
            "{\"uri\":\"c\",\"stats\":{\"rounds\":2}}]}",
            "t/b.py::s[1] 5 3e-06 sec/op\n"
            "t/b.py::s[1] 5 3e-06 sec/op\n"
            "2: c has no mean_ns, stdev_ns and rounds\n"));
}

TEST(test_jmh_gives_one_sample_an_iteration) {
  CU_ASSERT(reads(
      "[{\"benchmark\":\"o.S.run\",\"mode\":\"avgt\",\"threads\":1,\"params\":{\"size\":\"4\"},"
      "\"primaryMetric\":{\"scoreUnit\":\"us/op\",\"rawData\":[[12.3,12.4],[12.7]]},"
      "\"secondaryMetrics\":{\"gc.alloc.rate.norm\":{\"scoreUnit\":\"B/"
      "op\",\"rawData\":[[24.0],[25]]},"
      "\"\xC2\xB7gc.count\":{\"scoreUnit\":\"counts\",\"rawData\":[[1,2],[3]]}}},\n"
      "{\"benchmark\":\"o.S.t\",\"mode\":\"thrpt\",\"threads\":4,"
      "\"primaryMetric\":{\"scoreUnit\":\"ops/ms\",\"rawData\":[[81]]}},\n"
      "{\"benchmark\":\"o.S.h\",\"mode\":\"sample\",\"threads\":1,\"primaryMetric\":{\"scoreUnit\":"
      "\"ms/op\","
      "\"rawDataHistogram\":[[[[1,3],[5,1]]]]}}]",
      "o.S.run/size=4/mode=avgt-1 1 1.23e-05 sec/op 24 B/op 1 gc.count-counts\n"
      "o.S.run/size=4/mode=avgt-1 1 1.24e-05 sec/op 2 gc.count-counts\n"
      "o.S.run/size=4/mode=avgt-1 1 1.27e-05 sec/op 25 B/op 3 gc.count-counts\n"
      "o.S.t/mode=thrpt-4 1 81000 ops/s\no.S.h/mode=sample-1 1 0.002 sec/op\n"));
}

TEST(test_criterion_gives_one_sample_a_batch) {
  pprofc_str sample = STR("{\"sampling_mode\":\"Linear\",\"iters\":[10,20],\"times\":[1000,2020]}");
  CU_ASSERT(reads_bytes(sample, "target/criterion/sort/quick/1024/new/sample.json",
                        "sort/quick/1024 10 1e-07 sec/op\nsort/quick/1024 20 1.01e-07 sec/op\n"));
  CU_ASSERT(reads_bytes(STR("[[10],[1000]]"), "a/new/sample.json", "a 10 1e-07 sec/op\n"));
  CU_ASSERT(reads_bytes(
      STR("{\"mean\":{\"confidence_interval\":{},\"point_estimate\":100.25},\"slope\":null}"),
      "a/b/new/estimates.json", "a/b 1 1.0025e-07 sec/op\n"));
  CU_ASSERT(reads("{\"reason\":\"benchmark-complete\",\"id\":\"g/f\",\"iteration_count\":[10],"
                  "\"measured_values\":[1000],\"unit\":\"ns\"}\n{\"reason\":\"group-complete\"}\n",
                  "g/f 10 1e-07 sec/op\n"));
}

TEST(test_csv_needs_its_header) {
  CU_ASSERT(reads(
      "name,unit,value\n\"a \"\"b\"\"\",ns/op,12.5\nc,q,x\n\nd,q,2\n",
      "a_\"b\" 1 1.2500000000000001e-08 sec/op\nd 1 2 q\n3: parsing value: invalid syntax\n"));
  CU_ASSERT(reads("Value,x,Name,Unit\r\n3,,n,q\r\n", "n 1 3 q\n"));
  CU_ASSERT(reads("\"name\",\" Unit \",\"value\"\r\nn,q,\"3\"\n", "n 1 3 q\n"));
  CU_ASSERT(reads("a,b,c\n1,2,3\n", ""));
  CU_ASSERT(reads("name,unit,\"value\n1,2,3\n", ""));
}

TEST(test_csv_knows_where_quotes_belong) {
  CU_ASSERT(
      reads("name,unit,value\n\"a\" \"b\",q,1\n\"c\"d,q,2\ne\"f\",q,3\n\"g,\nh\",q,4\ni,q,\"5\n",
            "cd 1 2 q\ne\"f\" 1 3 q\ng,_h 1 4 q\n2: unbalanced quotes\n7: unbalanced "
            "quotes\n"));
}

TEST(test_broken_json_names_its_place) {
  CU_ASSERT(reads("{\"context\":{},\n\"benchmarks\":[{\"name\":\"A\"",
                  "error: in:2:26: unexpected end\n"));
  CU_ASSERT(reads("{\"context\":{},\"benchmarks\":[}", "error: in:1:29: unexpected character\n"));
  CU_ASSERT(reads("{\"foo\": 1}", "error: in:1: JSON, but of no known benchmark format\n"));
}

TEST(test_json_nesting_is_limited) {
  static char text[4000];
  memset(text, '[', sizeof text);
  struct arena arena;
  struct node *root;
  pprofc_error error;
  arena_init(&arena, &mem_default);
  CU_ASSERT(json_tree_parse(&arena, "in", (pprofc_str){text, sizeof text}, &root, &error) ==
            PPROFC_E_FORMAT);
  CU_ASSERT_STRING_EQUAL(error.message, "in:1:2049: nested too deeply");
  arena_free(&arena);
}

TEST(test_the_first_of_equal_keys_counts) {
  struct arena arena;
  struct node *root;
  double value;
  arena_init(&arena, &mem_default);
  CU_ASSERT(json_tree_parse(&arena, "in",
                            STR("{\"a\":1,\"a\":2,\"s\":\"\\u00e9\\n\\ud83d\\ude00\"}"), &root,
                            NULL) == PPROFC_OK);
  CU_ASSERT(node_number(node_get(root, "a"), 0, &value) && value == 1);
  CU_ASSERT(str_equal(node_text(root, "s"), STR("\xC3\xA9\n\xF0\x9F\x98\x80")));
  arena_free(&arena);
}
