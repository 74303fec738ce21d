/* Finds and reads the inputs of the gate, the check that fails if benchmarks became slower. */
#include "options.h"

#include "bench/read/readers.h"
#include "bench/set.h"

#define FOUND_MAX 86400.0 /* maximum age of a file found in a folder, in seconds */
/* Maximum difference in seconds between the ages of files of one run. A larger difference gives a
 * warning. */
#define RUN_MAX 3600.0

static const struct {
  char letter;
  double seconds;
  const char *name;
} spans[] = {{'d', 86400, "days"}, {'h', 3600, "hours"}, {'m', 60, "minutes"}, {'s', 1, "seconds"}};

/* Parses an age like "90m", "36h" or "7d" into seconds. */
static bool parse_age(pprofc_str text, double *seconds) {
  if (text.size < 2) return false;
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    if (text.data[text.size - 1] != spans[i].letter) continue;
    if (!str_parse_float(str_slice(text, 0, text.size - 1), seconds)) return false;
    *seconds *= spans[i].seconds;
    return *seconds >= 0 && isfinite(*seconds);
  }
  return false;
}

/* Parses the values of -since and -max-age. Both may be empty. */
static pprofc_status ages_init(struct ages *ages, const char *since, const char *most,
                               pprofc_error *error) {
  *ages = (struct ages){.most = -1, .oldest = (double)NAN, .newest = (double)NAN};
  clock_gettime(CLOCK_REALTIME, &ages->now);
  if (*most && !parse_age(str_of(most), &ages->most))
    return error_set(error, PPROFC_E_INVALID, "the age must be like 90m, 36h or 7d, not \"%s\"",
                     most);
  struct stat status;
  if (*since && stat(since, &status) != 0) return error_file(error, "read", since, errno);
  if (*since) ages->since = system_modified(&status);
  return PPROFC_OK;
}

static double seconds_between(struct timespec from, struct timespec to) {
  return difftime(to.tv_sec, from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Formats an age such as "3 days", in the largest unit that gives at least 2. */
static void ages_describe(double seconds, char *out, size_t size) {
  size_t i = 0;
  while (i + 1 < sizeof spans / sizeof *spans && seconds < 2 * spans[i].seconds) i++;
  snprintf(out, size, "%.0f %s", round(seconds / spans[i].seconds), spans[i].name);
}

static void ages_note_found(struct ages *ages, const char *path, double age) {
  if (!(age >= ages->newest)) ages->newest = age;
  if (age <= ages->oldest) return;
  ages->oldest = age;
  snprintf(ages->oldest_path, sizeof ages->oldest_path, "%s", path);
}

/* Adds a problem to the gate if a file exceeds the maximum age. `found` is true if the file was
 * found in a folder. Without -max-age, the limit is one day for a file found in a folder, and any
 * other file has no limit. Ignores files that are not regular. */
static void ages_check(struct ages *ages, struct gate *gate, const char *path, bool found) {
  struct stat status;
  char text[64];
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
  double age = seconds_between(system_modified(&status), ages->now);
  double most = ages->most >= 0 ? ages->most : FOUND_MAX;
  bool limited = found || ages->most >= 0;
  bool before = ages->since.tv_sec && seconds_between(system_modified(&status), ages->since) > 0;
  ages_describe(age, text, sizeof text);
  if (before)
    gate_problem(gate, "'%s' is from an earlier run: it is older than the file of -since", path);
  else if (limited && age > most)
    gate_problem(
        gate,
        "'%s' is from an earlier run: it was written %s ago; remove it, or allow it with -max-age",
        path, text);
  else if (found)
    ages_note_found(ages, path, age);
}

/* Warns if the ages of the files found in folders differ by more than RUN_MAX. */
static void ages_compare(const struct ages *ages, struct gate *gate) {
  char text[64];
  double between = ages->oldest - ages->newest;
  if (!(between > RUN_MAX) || ages->most >= 0 || ages->since.tv_sec) return;
  ages_describe(between, text, sizeof text);
  gate->stale_inputs++;
  gate_warning(gate,
               "'%s' was written %s before the newest file: is it from an earlier run? (-since "
               "FILE decides)",
               ages->oldest_path, text);
}

void inputs_init(struct inputs *inputs, struct gate *gate) {
  *inputs = (struct inputs){.gate = gate};
  arena_init(&inputs->arena, gate->mem);
}

void inputs_free(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->file_count; i++) buffer_free(&inputs->files[i]);
  mem_free(inputs->gate->mem, inputs->files, inputs->file_capacity, sizeof *inputs->files);
  pprofc_bench_free(inputs->set);
  arena_free(&inputs->arena);
}

/* Reads a whole file, or standard input for "-". The data stays valid as long as `inputs`. */
static pprofc_status inputs_file(struct inputs *inputs, const char *path, pprofc_str *data,
                                 pprofc_error *error) {
  const pprofc_allocator *mem = inputs->gate->mem;
  if (!ARRAY_PUSH(mem, inputs->files, inputs->file_count, inputs->file_capacity,
                  buffer_make(mem, GATE_FILE_MAX)))
    return error_nomem(error);
  struct buffer *buffer = &inputs->files[inputs->file_count - 1];
  pprofc_status status = gate_read_whole(path, buffer, error);
  if (status == PPROFC_OK) *data = buffer_str(buffer);
  return status;
}

pprofc_status inputs_prepare(struct inputs *inputs, const struct gate_options *options,
                             pprofc_error *error) {
  pprofc_str rules;
  pprofc_status status = ages_init(&inputs->ages, options->since, options->max_age, error);
  if (status != PPROFC_OK || !*options->rules) return status;
  status = inputs_file(inputs, options->rules, &rules, error);
  if (status != PPROFC_OK) return status;
  return gate_read_rules(inputs->gate, str_of(options->rules), rules, error);
}

static void inputs_free_files(struct inputs *inputs, size_t count) {
  while (inputs->file_count > count) buffer_free(&inputs->files[--inputs->file_count]);
}

static pprofc_status read_table(struct inputs *inputs, const char *path, bool found,
                                pprofc_error *error) {
  pprofc_str data;
  pprofc_status status = inputs_file(inputs, path, &data, error);
  if (status != PPROFC_OK) return gate_note_problem(inputs->gate, status, error);
  inputs->gate->inputs++;
  ages_check(&inputs->ages, inputs->gate, path, found);
  return gate_read_tables(inputs->gate, str_of(path), data, error);
}

static pprofc_status read_folder(struct inputs *inputs, const char *folder, pprofc_error *error) {
  struct gate_paths list;
  pprofc_status status =
      gate_list_folder(inputs->gate, folder, "bench_*.diff", &inputs->arena, &list, error);
  for (size_t i = 0; i < list.count && status == PPROFC_OK; i++)
    status = read_table(inputs, list.items[i], true, error);
  ages_compare(&inputs->ages, inputs->gate);
  return status;
}

/* True if the file has benchmark results, and not a comparison. */
static bool is_run(struct inputs *inputs, const char *path) {
  pprofc_str data;
  pprofc_error ignored;
  size_t files = inputs->file_count;
  bool run = false;
  if (inputs_file(inputs, path, &data, &ignored) == PPROFC_OK) {
    bool results = str_find(data, STR("Benchmark")) < data.size ||
                   str_find_char(data, '{') < data.size || str_starts(data, STR("name,unit"));
    run = results && !gate_is_comparison(data);
  }
  inputs_free_files(inputs, files);
  return run;
}

static bool are_two_runs(struct inputs *inputs, const char *const *paths, size_t count) {
  if (count != 2 || file_is_folder(paths[0]) || file_is_folder(paths[1])) return false;
  if (strcmp(paths[0], "-") == 0 || strcmp(paths[1], "-") == 0) return false;
  return is_run(inputs, paths[0]) && is_run(inputs, paths[1]);
}

pprofc_status inputs_tables(struct inputs *inputs, const char *const *paths, size_t count,
                            pprofc_error *error) {
  if (are_two_runs(inputs, paths, count)) {
    const struct inputs_side sides[2] = {{paths, 1}, {paths + 1, 1}};
    return inputs_raw(inputs, sides, error);
  }
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    status = file_is_folder(paths[i]) ? read_folder(inputs, paths[i], error)
                                      : read_table(inputs, paths[i], false, error);
  return status;
}

/* Checks the age of a file of results. Without -max-age, there is no limit, even if the file was
 * found in a folder. */
static pprofc_status check_input(struct inputs *inputs, pprofc_str path, pprofc_error *error) {
  const char *copy = arena_str(&inputs->arena, path).data;
  if (!copy) return error_nomem(error);
  ages_check(&inputs->ages, inputs->gate, copy, false);
  return PPROFC_OK;
}

static bool inputs_add_file(struct inputs *inputs, struct gate_paths *files, const char *path) {
  return ARRAY_PUSH_IN(&inputs->arena, files->items, files->count, files->capacity, path);
}

/* True if the folder has a regular file. A results folder of Rust's criterion has no such file. */
static bool has_regular_files(const struct gate_paths *entries) {
  for (size_t i = 0; i < entries->count; i++)
    if (!file_is_folder(entries->items[i])) return true;
  return false;
}

/* Adds each folder in `folder` to which one process of Rust's criterion wrote results. Adds
 * `folder` itself if it has no results of criterion. */
static pprofc_status add_homes(struct inputs *inputs, struct gate_paths *files, const char *folder,
                               pprofc_error *error) {
  struct criterion_tree tree;
  pprofc_status status = criterion_tree_find(&inputs->arena, folder, &tree, error);
  pprofc_str last = {NULL, 0};
  for (size_t i = 0; i < tree.count && status == PPROFC_OK; i++) {
    size_t size;
    status = criterion_tree_home(inputs->gate->mem, tree.paths[i], &size, error);
    pprofc_str home = size ? (pprofc_str){tree.paths[i], size} : str_of(folder);
    if (status != PPROFC_OK || str_equal(home, last)) continue;
    last = arena_str(&inputs->arena, home);
    if (!last.data || !inputs_add_file(inputs, files, last.data)) return error_nomem(error);
  }
  if (status == PPROFC_OK && !tree.count && !inputs_add_file(inputs, files, folder))
    return error_nomem(error);
  return status;
}

/* Adds the files of a folder. Adds a path that is not a folder unchanged. */
static pprofc_status add_input(struct inputs *inputs, struct gate_paths *files, const char *path,
                               pprofc_error *error) {
  struct gate_paths entries = {NULL, 0, 0};
  if (!file_is_folder(path))
    return inputs_add_file(inputs, files, path) ? PPROFC_OK : error_nomem(error);
  pprofc_status status = gate_list_folder(inputs->gate, path, "*", &inputs->arena, &entries, error);
  if (status != PPROFC_OK) return status;
  if (!has_regular_files(&entries)) return add_homes(inputs, files, path, error);
  for (size_t i = 0; i < entries.count; i++)
    if (!file_is_folder(entries.items[i]) && !inputs_add_file(inputs, files, entries.items[i]))
      return error_nomem(error);
  return PPROFC_OK;
}

pprofc_status inputs_expand(struct inputs *inputs, struct inputs_side side,
                            struct gate_paths *files, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  *files = (struct gate_paths){NULL, 0, 0};
  for (size_t i = 0; i < side.count && status == PPROFC_OK; i++)
    status = add_input(inputs, files, side.paths[i], error);
  return status;
}

/* Reads the files of base or head. Each file has the results of one process. */
static pprofc_status read_side(struct inputs *inputs, const char *label, struct inputs_side side,
                               pprofc_error *error) {
  struct gate_paths files;
  pprofc_status status = inputs_expand(inputs, side, &files, error);
  for (size_t i = 0; i < files.count && status == PPROFC_OK; i++) {
    inputs->gate->inputs++;
    inputs->set->process++;
    status = gate_read_run(inputs->gate, inputs->set, label, files.items[i], error);
    status = gate_note_problem(inputs->gate, status, error);
  }
  return status;
}

pprofc_status inputs_raw(struct inputs *inputs, const struct inputs_side sides[2],
                         pprofc_error *error) {
  inputs->set = pprofc_bench_new(inputs->gate->mem);
  if (!inputs->set) return error_nomem(error);
  pprofc_status status = read_side(inputs, "base", sides[0], error);
  if (status == PPROFC_OK) status = read_side(inputs, "head", sides[1], error);
  for (size_t i = 0; i < pprofc_bench_inputs(inputs->set) && status == PPROFC_OK; i++)
    status = check_input(inputs, pprofc_bench_input_path(inputs->set, i), error);
  if (status != PPROFC_OK) return status;
  return inputs->keeps_results ? gate_read_raw(inputs->gate, inputs->set, error)
                               : gate_read_raw_and_free(inputs->gate, inputs->set, error);
}
