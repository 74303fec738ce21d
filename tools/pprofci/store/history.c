/* Implements `pprofci history`: lists the runs of a store. */
#include "commands.h"
#include "core/json_write.h"
#include "store/store.h"

struct history_options {
  const char *branch;
  int64_t count;
  bool json;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct history_options, name)

static const struct flag_group groups[] = {{"Selection", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "branch", branch, "GLOB", "*",
         "list only runs of branches that match this pattern"),
    FLAG(INT, 0, "count", count, "N", "0", "list only the last N runs; 0: all runs"),
    SWITCH(0, "json", json,
           "print JSON: a line for each run, with its profiles and the median of each benchmark"),
    COMMAND_BUDGET(0),
};

static const char *const usage[] = {"[flags] STORE", NULL};

static const char *const details[] = {
    "Lists the runs of a store, with the verdict of `pprofci run`. If all runs have a commit "
    "number (`pprofci store -order`), the list is in this order, otherwise in the order of time.",
    NULL};

static const struct flag_note statuses[] = {{"0", "listed"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table history_table = {
    FLAG_TABLE("pprofci history", "lists the runs of a store")};

static void list_row(struct output *out, const struct past_run *run, int age) {
  output_row(out, age, 0, 0);
  struct buffer time = buffer_make(&ci_mem, 64);
  times_put(&time, run->place.time);
  output_printf(out, "%.*s%*s  ", STR_ARG(str_slice(run->place.commit, 0, 12)),
                (int)(run->place.commit.size < 12 ? 12 - run->place.commit.size : 0), "");
  output_printf(out, "%.*s  %7zu  %8zu  ", STR_ARG(buffer_str(&time)), run->points, run->profiles);
  escape_line_to_output(out, run->branch);
  if (run->tag) {
    output_add_text(out, "  tag ");
    escape_line_to_output(out, str_of(run->tag));
  }
  if (run->verdict.size) {
    output_add_text(out, "  ");
    escape_line_to_output(out, run->verdict);
  }
  output_add_char(out, '\n');
  buffer_free(&time);
}

static void list_table(struct output *out, const struct past *past, const size_t *places,
                       size_t count) {
  output_add_text(out, "commit        time               results  profiles  branch\n");
  for (size_t i = 0; i < count; i++) list_row(out, &past->runs[places[i]], (int)i);
  output_no_row(out);
  output_printf(out, "%zu runs, by %s\n", count,
                past->by_order ? "the number of the commit" : "the time of the commit");
}

static void list_run_profiles(struct json_writer *json, const struct past *past,
                              const struct past_run *run) {
  json_begin_array(json_key(json, "profiles"));
  for (size_t i = 0; i < run->profiles; i++) {
    const struct past_profile *profile = &past->profiles[run->first_profile + i];
    char key[80];
    past_object_key(profile->sha256, key);
    json_pack(json, "{kind:S package:S benchmark:S name:S key:s size:i}", profile->kind,
              profile->package, profile->benchmark, profile->name, key, profile->size);
  }
  json_end(json);
}

static void list_results(struct json_writer *json, const struct past *past,
                         const struct past_run *run) {
  json_begin_array(json_key(json, "results"));
  for (size_t i = 0; i < run->points; i++) {
    const struct past_point *point = &past->points[run->first_point + i];
    const struct past_series *series = &past->series[point->series];
    json_pack(json, "{group:S benchmark:S unit:S median:f}", series->group, series->name,
              series->unit, point->value);
  }
  json_end(json);
}

/* Adds a JSON object for a run. If -budget shortens the list, the object has the numbers of results
 * and profiles instead of their lists. */
static void list_json_run(struct json_writer *json, const struct past *past,
                          const struct past_run *run, bool brief) {
  json_pack(json,
            "\n{commit:S time:i order:i branch:S tag:s machine:S verdict:S headline:S record:s",
            run->place.commit, run->place.time, run->place.order, run->branch, run->tag,
            run->machine, run->verdict, run->headline, run->key);
  if (brief) {
    json_pack(json, "result_count:u profile_count:u", (uint64_t)run->points,
              (uint64_t)run->profiles);
  } else {
    list_results(json, past, run);
    list_run_profiles(json, past, run);
  }
  json_end(json);
}

static void list_json(struct output *out, const struct past *past, const size_t *places,
                      size_t count) {
  struct json_writer json;
  json_init(&json, out, &ci_mem);
  json_begin_array(&json);
  for (size_t i = 0; i < count; i++) {
    output_row(out, (int)i, 0, 0);
    list_json_run(&json, past, &past->runs[places[i]], out->brief != NULL);
  }
  output_no_row(out);
  json_line_break(&json);
  if (out->brief) {
    json_pack(&json, "{runs:u", (uint64_t)count);
    output_note(out);
    json_end(&json);
  }
  (void)json_finish_file(&json);
}

static void list_runs(const struct history_options *o, const struct past *past,
                      struct output *out) {
  size_t *places = mem_array(&ci_mem, past->run_count, sizeof *places), count = 0;
  for (size_t i = 0; i < past->run_count; i++)
    if (str_glob(str_of(o->branch), past->runs[i].branch)) places[count++] = i;
  size_t skip = o->count > 0 && count > (size_t)o->count ? count - (size_t)o->count : 0;
  if (o->json)
    list_json(out, past, places + skip, count - skip);
  else
    list_table(out, past, places + skip, count - skip);
  mem_free(&ci_mem, places, past->run_count, sizeof *places);
}

static int history_run(void *options, const struct command_line *line) {
  const struct history_options *o = options;
  struct backing backing;
  struct past past;
  backing_open(&backing, line->words[0], false);
  past_init(&past);
  past.runs_only = !o->json;
  past_load(&past, &backing);
  list_runs(o, &past, line->out);
  past_free(&past);
  backing_close(&backing);
  return EXIT_PASSED;
}

COMMAND(history, struct history_options, COMMAND_STORE, NULL, history_run, true);
