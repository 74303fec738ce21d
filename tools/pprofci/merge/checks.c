/* Checks that all expected jobs are present and belong together. */
#include "core/log_guard.h"
#include "merge/jobs.h"
#include "run/text.h"

static pprofc_status check_compared(struct jobs *jobs, pprofc_error *error) {
  for (size_t i = 0; i < jobs->count; i++) {
    const struct job *job = &jobs->items[i];
    bool results = node_size(node_get(job->root, "results")) > 0 ||
                   node_size(node_get(job->root, "same_binary")) > 0;
    if (!job->root || results || node_text(job->root, "instructions").size) continue;
    jobs->run->doubt = text_printf(&jobs->run->arena, "Nothing was compared in %s.", job->name);
    return jobs->run->doubt ? PPROFC_OK : error_nomem(error);
  }
  return PPROFC_OK;
}

/* Returns the commit of base or head from the first manifest that names this commit. Sets *differ
 * to true if another manifest names another commit. */
static const char *commit_of_jobs(const struct jobs *jobs, const char *key, bool *differ) {
  pprofc_str found = STR("");
  *differ = false;
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str commit = node_text(jobs->items[i].root, key);
    if (!commit.size) continue;
    if (found.size && !str_equal(found, commit)) *differ = true;
    if (!found.size) found = commit;
  }
  return text_keep(&jobs->run->arena, found);
}

/* Sets the commit of base or head. Reports a problem if the jobs have different commits. */
static pprofc_status take_commit(struct jobs *jobs, const char *key, const char **commit,
                                 pprofc_error *error) {
  struct ci_run *run = jobs->run;
  bool differ;
  const char *found = commit_of_jobs(jobs, key, &differ);
  if (!found) return error_nomem(error);
  if (text_is_of(str_of(found), TEXT_HEX)) *commit = found;
  if (!differ || *run->doubt) return PPROFC_OK;
  run->doubt =
      text_printf(&run->arena, "The jobs are not all of one %s: is one of them of an earlier run?",
                  strcmp(key, "commit") == 0 ? "commit" : "base");
  return run->doubt ? PPROFC_OK : error_nomem(error);
}

static pprofc_status take_commits(struct jobs *jobs, pprofc_error *error) {
  pprofc_status status = take_commit(jobs, "commit", &jobs->run->head_commit, error);
  if (status != PPROFC_OK) return status;
  return take_commit(jobs, "base_commit", &jobs->run->base_commit, error);
}

static pprofc_status take_machines(struct jobs *jobs, pprofc_error *error) {
  struct ci_run *run = jobs->run;
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str machine = node_text(jobs->items[i].root, "machine");
    if (!machine.size) continue;
    pprofc_str shown = escape_line_keep(machine, &run->arena);
    buffer_printf(&text, "%s%s: %.*s", text.size ? "; " : "", jobs->items[i].name, STR_ARG(shown));
  }
  run->machine = buffer_take(&text, &run->arena);
  return run->machine.data ? PPROFC_OK : error_nomem(error);
}

/* Returns the expected number of jobs, or 0 if the text is a list of names. */
static int64_t expected_number(const char *text) {
  int64_t number = 0;
  return str_parse_int(str_of(text), 10, &number) ? number : 0;
}

bool jobs_expectation_is_valid(const char *text) {
  pprofc_str rest = str_of(text), name;
  int64_t number = 0;
  if (str_parse_int(rest, 10, &number)) return number > 0;
  while (*text && str_next(&rest, ',', &name))
    if (!str_trim(name).size) return false;
  return true;
}

static bool has_job(const struct jobs *jobs, pprofc_str name) {
  for (size_t i = 0; i < jobs->count; i++)
    if (str_equal(str_of(jobs->items[i].name), name)) return true;
  return false;
}

pprofc_status jobs_expect(struct jobs *jobs, const char *expected, pprofc_error *error) {
  struct gate *gate = &jobs->run->gate;
  int64_t number = expected_number(expected);
  pprofc_str rest = str_of(expected), name;
  if (number && (uint64_t)number != jobs->count) {
    jobs->incomplete = true;
    gate_problem(gate, "%lld jobs were expected, not %zu", (long long)number, jobs->count);
  }
  while (!number && *expected && str_next(&rest, ',', &name)) {
    name = str_trim(name);
    if (has_job(jobs, name)) continue;
    jobs->incomplete = true;
    gate_problem(gate, "the result of job %.*s is missing", STR_ARG(name));
  }
  return gate->problems.failed ? error_nomem(error) : PPROFC_OK;
}

pprofc_status jobs_check(struct jobs *jobs, pprofc_error *error) {
  pprofc_status status = check_compared(jobs, error);
  if (status == PPROFC_OK) status = take_commits(jobs, error);
  return status == PPROFC_OK ? take_machines(jobs, error) : status;
}
