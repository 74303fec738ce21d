/* Implements `pprofci fsck`: reports missing and damaged files of a store. */
#include "commands.h"
#include "store/upkeep.h"

#include <time.h>

struct fsck_options {
  bool clean;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct fsck_options, name)

static const struct flag_group groups[] = {{"Actions", NULL}};

static const struct flag flags[] = {
    SWITCH(
        0, "clean", clean,
        "remove profiles that no run names and unfinished files, when they are older than a day"),
    COMMAND_BUDGET(0),
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

const struct flag_table fsck_table = {FLAG_TABLE("pprofci fsck", "checks that a store is whole")};

static pprofc_status fsck_run(void *options, const struct command_line *line, int *code,
                              pprofc_error *error) {
  const struct fsck_options *o = options;
  struct output *out = line->out;
  struct backing backing;
  struct upkeep_findings found;
  struct upkeep_counts counts = {0};
  pprofc_status status = backing_open(&backing, line->words[0], false, error);
  if (status != PPROFC_OK) return status;
  status = upkeep_check(&backing, out, &found, error);
  if (status == PPROFC_OK) {
    if (found.broken || found.missing) *code = EXIT_FAILED;
    output_no_row(out);
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

static struct fsck_options given;
static const struct command_brief brief = {FIELD(brief_bytes), NO_JSON};
const struct ci_command fsck_command = {&fsck_table, &given,   sizeof given, COMMAND_STORE,
                                        NULL,        fsck_run, &brief};
