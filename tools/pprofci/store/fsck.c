/* `pprofci fsck`: reports missing and broken parts of a store. */
#include "commands.h"
#include "core/log_guard.h"
#include "core/outfile.h"
#include "store/upkeep.h"

#include <time.h>
#include <unistd.h>

struct fsck_options {
  bool clean;
};

static const struct flag_group groups[] = {{"Actions", NULL}};

static const struct flag flags[] = {
    {.name = "clean",
     .kind = FLAG_BOOL,
     .offset = offsetof(struct fsck_options, clean),
     .help = "remove profiles that no run names and unfinished files, when they are older than a "
             "day"},
};

static const char *const usage[] = {"[flags] STORE", NULL};

static const char *const details[] = {
    "Reads every file of the store and compares it with its name, which is the hash of its "
    "content. An interrupted `pprofci store` may leave profiles that no run names and unfinished "
    "files; they do no harm.",
    NULL};

static const struct flag_note statuses[] = {
    {"0", "nothing is missing or broken"},
    {"1", "something is missing or broken, or the check failed"},
    {NULL, NULL}};

const struct flag_table fsck_table = {
    .program = "pprofci fsck",
    .summary = "checks that a store is whole",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .statuses = statuses,
};

static pprofc_status fsck_all(const struct fsck_options *o, const char *where, struct output *out,
                              bool *good, pprofc_error *error) {
  struct backing backing;
  struct upkeep_findings found;
  struct upkeep_counts counts = {0};
  pprofc_status status = backing_open(&backing, where, false, error);
  if (status != PPROFC_OK) return status;
  status = upkeep_check(&backing, out, &found, error);
  if (status == PPROFC_OK) {
    *good = !found.broken && !found.missing;
    output_printf(out,
                  "%zu runs and %zu profiles are whole; %zu broken, %zu missing, %zu not named, "
                  "%zu not finished\n",
                  found.runs, found.objects, found.broken, found.missing, found.unnamed,
                  found.left_over);
  }
  if (status == PPROFC_OK && o->clean) {
    status = upkeep_sweep(&backing, (int64_t)time(NULL), false, &counts, error);
    output_printf(out, "removed: %zu profiles that no run names, %zu unfinished files\n",
                  counts.objects, counts.left_over);
  }
  backing_close(&backing);
  return status;
}

int fsck_main(int argc, char **argv) {
  static struct output out; /* static, because it is large */
  struct log_guard guard;
  struct fsck_options options = {false};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  bool good = false;
  int fd = STDOUT_FILENO;
  pprofc_status status = flags_defaults(&fsck_table, &options, &error);
  if (status == PPROFC_OK) status = flags_parse(&fsck_table, &options, argc, argv, &parsed, &error);
  if (status == PPROFC_OK && parsed.help) return command_help(&fsck_table);
  if (status == PPROFC_OK && argc - parsed.rest != 1)
    status = error_set(&error, PPROFC_E_INVALID, "give exactly one STORE");
  if (status != PPROFC_OK) return command_misused(&fsck_table, &parsed, error.message);
  log_guard_init(&guard, fd_write, &fd);
  output_init(&out, log_guard_write, &guard);
  status = fsck_all(&options, argv[parsed.rest], &out, &good, &error);
  pprofc_status flushed = output_flush(&out, status == PPROFC_OK ? &error : NULL);
  if (status != PPROFC_OK || flushed != PPROFC_OK) return command_fail(error.message);
  return good ? EXIT_PASSED : EXIT_FAILED;
}
