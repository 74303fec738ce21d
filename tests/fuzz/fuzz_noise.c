/* Creates two to six random profiles and judges them as -noise does, with an allocator that moves
 * blocks and fails. Prints the table, the contributions and the JSON. */
#include "noise/noise.h"
#include "report_target.h"
#include "shape.h"

#define RUNS_MAX 6

static pprofc_profile *draw_run(struct shape *s, const pprofc_allocator *mem, unsigned threads) {
  pprofc_limits limits = fuzz_limits();
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_read_options_init(&options);
  options.limits = &limits;
  options.allocator = mem;
  options.threads = threads;
  pprofc_str bytes = shape_write(s);
  pprofc_profile_read_memory(bytes.data, bytes.size, &options, &profile, NULL);
  buffer_free(&s->out);
  return profile;
}

static void print_one(struct noise_report *report, const char *format, bool blame) {
  const pprofc_format_info info = {.name = format};
  static struct command command; /* static, because the struct is too large for the stack */
  struct buffer text;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  memset(&command, 0, sizeof command);
  command.format = &info;
  command.noise.blame = blame;
  command.verdicts = report;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  if (noise_write(&command, report_collect, &text, &error) == PPROFC_OK)
    (strcmp(format, "json") == 0 ? check_json : check_text)(buffer_str(&text));
  buffer_free(&text);
}

static void print_all(struct shape *s, struct noise_report *report) {
  report->show = shape_byte(s) & 1 ? "all" : "changed";
  report->stacks = shape_byte(s) & 1;
  print_one(report, "top", false);
  print_one(report, "top", true);
  print_one(report, "json", false);
}

/* Creates random runs with the same sample types, functions and labels, and different values. */
static size_t draw_runs(struct shape *s, const pprofc_allocator *mem,
                        pprofc_profile *profiles[RUNS_MAX]) {
  unsigned wanted = 2 + shape_below(s, RUNS_MAX - 1), threads = shape_byte(s) & 1 ? 3 : 1;
  const struct shape first = *s;
  size_t count = 0;
  for (unsigned i = 0; i < wanted; i++) {
    *s = first;
    s->random += i;
    profiles[count] = draw_run(s, mem, threads);
    count += profiles[count] != NULL;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct shape s;
  shape_open(&s, data, size);
  struct shape_memory memory = shape_memory_of(&s);
  const pprofc_allocator mem = shape_allocator(&memory);
  pprofc_profile *profiles[RUNS_MAX];
  pprofc_verdict_run runs[RUNS_MAX] = {{0}};
  struct noise_settings settings;
  pprofc_report_options options;
  struct noise_report report = {.options = &options};
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_report_options_init(&options);
  noise_settings_init(&settings);
  settings.how.places = shape_byte(&s) & 1;
  settings.how.stacks = shape_byte(&s) & 1;
  size_t count = draw_runs(&s, &mem, profiles);
  const struct noise_runs list = {runs, count, count / 2};
  for (size_t i = 0; i < count; i++) runs[i].profile = profiles[i];
  if (list.bases) {
    pprofc_status status = noise_judge_runs(&report, &list, &settings, &error);
    REQUIRE((status == PPROFC_OK) == (report.verdicts != NULL));
    REQUIRE(report.verdicts || (error.status == status && error.message[0]));
  }
  if (report.verdicts) print_all(&s, &report);
  noise_free(&report);
  for (size_t i = 0; i < count; i++) pprofc_profile_release(profiles[i]);
  REQUIRE(memory.live == 0);
  return 0;
}
