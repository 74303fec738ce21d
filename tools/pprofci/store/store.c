/* `pprofci store`: stores the results, the verdict and the profiles of a commit. */
#include "commands.h"
#include "common/terminal.h"
#include "core/log_guard.h"
#include "core/outfile.h"
#include "run/run.h"
#include "run/text.h"
#include "store/times.h"
#include "store/upkeep.h"
#include "store/writing.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct store_options {
  const char *to, *commit, *branch, *time, *machine, *retain;
  const char *tags[64];
  size_t tag_count;
  int64_t order, keep_last;
  bool dry_run;
};

#define FIELD(name) offsetof(struct store_options, name)

static const char *store_take_tag(void *options, const struct flag *flag, const char *text) {
  struct store_options *o = options;
  (void)flag;
  if (!*text) return "missing name of a tag";
  if (o->tag_count == sizeof o->tags / sizeof *o->tags) return "too many tags";
  o->tags[o->tag_count++] = text;
  return NULL;
}

static const struct flag_group groups[] = {
    {"The store", NULL},
    {"The commit", "Defaults come from git or the CI service."},
    {"Retention", NULL}};

static const struct flag flags[] = {
    {.name = "to",
     .kind = FLAG_STRING,
     .offset = FIELD(to),
     .argument = "STORE",
     .help = "a folder, or s3://BUCKET/PREFIX"},
    {.name = "commit",
     .kind = FLAG_STRING,
     .offset = FIELD(commit),
     .group = 1,
     .argument = "ID",
     .help = "id of the measured commit"},
    {.name = "branch",
     .kind = FLAG_STRING,
     .offset = FIELD(branch),
     .group = 1,
     .argument = "NAME",
     .help = "branch of the commit"},
    {.name = "tag",
     .kind = FLAG_STRING,
     .group = 1,
     .argument = "NAME",
     .help = "name of a release, whose runs are never removed; may be repeated",
     .call = store_take_tag},
    {.name = "order",
     .kind = FLAG_INT,
     .offset = FIELD(order),
     .group = 1,
     .argument = "N",
     .initial = "-1",
     .help = "number of the commit in its branch, as git rev-list --count --first-parent "
             "prints"},
    {.name = "time",
     .kind = FLAG_STRING,
     .offset = FIELD(time),
     .group = 1,
     .argument = "TIME",
     .help = "time of the commit: seconds since 1970, 2026-11-20 or 2026-11-20T10:00:00Z"},
    {.name = "machine",
     .kind = FLAG_STRING,
     .offset = FIELD(machine),
     .group = 1,
     .argument = "TEXT",
     .help = "name of the machine; trend marks change points where the machine changes"},
    {.name = "retain",
     .kind = FLAG_STRING,
     .offset = FIELD(retain),
     .group = 2,
     .argument = "RULES",
     .help = "remove old runs: main=2y,release/*=all,*=30d; the first matching pattern counts, and "
             "a branch without a rule is kept"},
    {.name = "keep-last",
     .kind = FLAG_INT,
     .offset = FIELD(keep_last),
     .group = 2,
     .argument = "N",
     .initial = "20",
     .help = "number of last commits per branch that -retain never removes"},
    {.name = "dry-run",
     .kind = FLAG_BOOL,
     .offset = FIELD(dry_run),
     .group = 2,
     .help = "print what -retain would remove, without removing it"},
};

static const char *const usage[] = {"-to STORE [flags] [DIR | RESULTS | PROFILE] ...",
                                    "-to STORE -retain RULES", "-to STORE -tag NAME -commit ID",
                                    NULL};

static const char *const details[] = {
    "DIR is the folder that `pprofci run -out` or `pprofci merge -out` wrote. RESULTS are "
    "benchmark "
    "results in any format that benchstatc reads, PROFILE is a profile in any format that pprofc "
    "reads. What is stored never changes; storing the same again changes nothing. Any number of "
    "processes may store at once.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci store -to /srv/history .docs/artifacts/ci", "the run that was just made"},
    {"pprofci store -to history -commit 4d5e6f7 bench.txt cpu.pb.gz", "results and a profile"},
    {"pprofci store -to s3://bucket/project -retain 'main=2y,*=30d' .docs/artifacts/ci",
     "into a bucket; old runs of other branches are removed"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "credentials of a bucket"},
    {"AWS_REGION, AWS_DEFAULT_REGION", "its region (us-east-1)"},
    {"AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL", "server to use instead of AWS"},
    {"PPROFCI_S3_STYLE", "path or virtual: place of the bucket's name in addresses"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {{"0", "stored"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table store_table = {
    .program = "pprofci store",
    .summary = "keeps results, verdicts and profiles by commit",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .examples = examples,
    .environment = environment,
    .statuses = statuses,
};

/* ---- the commit -------------------------------------- */

static pprofc_status store_read_commit(const struct store_options *o, struct commit_info *info,
                                       pprofc_error *error) {
  *info = (struct commit_info){
      .commit = o->commit, .branch = o->branch, .machine = o->machine, .order = o->order};
  info->time = -1;
  memcpy(info->tags, o->tags, sizeof o->tags);
  info->tag_count = o->tag_count;
  if (*o->time && !times_parse(str_of(o->time), &info->time))
    return error_set(error, PPROFC_E_INVALID, "-time: '%s' is not a time", o->time);
  return PPROFC_OK;
}

/* ---- the command ------------------------------------- */

static pprofc_status store_run(const struct store_options *o, struct commit_info *info,
                               struct writing *w, struct backing *backing, struct output *out,
                               pprofc_error *error) {
  struct writing_result result;
  pprofc_status status = writing_fill_commit(w, info, error);
  if (status == PPROFC_OK) status = commit_complete(info, &w->arena, error);
  if (status != PPROFC_OK || o->dry_run) return status;
  if (info->time < 0) info->time = w->time ? w->time : (int64_t)time(NULL);
  if (!w->manifest && !w->set && !w->profile_count) {
    status = writing_put_tags(&w->arena, backing, info, error);
    if (status == PPROFC_OK) output_printf(out, "tagged %s\n", info->commit);
    return status;
  }
  status = writing_put(w, backing, info, &result, error);
  if (status != PPROFC_OK) return status;
  output_printf(out, "stored %s: %zu results, %zu profiles (runs/%s/%s.json)\n", info->commit,
                result.series, result.profiles, info->commit, result.id);
  return PPROFC_OK;
}

static pprofc_status store_retain(const struct store_options *o, struct backing *backing,
                                  struct output *out, pprofc_error *error) {
  struct retain retain;
  struct upkeep_counts counts = {0};
  pprofc_status status = retain_parse(&retain, o->retain, o->keep_last, error);
  if (status == PPROFC_OK)
    status = upkeep_retain(backing, &retain, (int64_t)time(NULL), o->dry_run, out, &counts, error);
  if (status == PPROFC_OK)
    output_printf(out, "%s: %zu runs, %zu profiles that no run names, %zu unfinished files\n",
                  o->dry_run ? "would remove" : "removed", counts.runs, counts.objects,
                  counts.left_over);
  return status;
}

static pprofc_status store_all(const struct store_options *o, const char *const *paths,
                               size_t count, struct output *out, pprofc_error *error) {
  struct writing w;
  struct backing backing;
  struct commit_info info;
  struct retain rules;
  pprofc_status status = store_read_commit(o, &info, error);
  if (status == PPROFC_OK && *o->retain)
    status = retain_parse(&rules, o->retain, o->keep_last, error);
  if (status != PPROFC_OK) return status;
  status = writing_read(&w, paths, count, error);
  if (status == PPROFC_OK) {
    status = backing_open(&backing, o->to, count && !o->dry_run, error);
    if (status == PPROFC_OK) {
      if (count || o->tag_count) status = store_run(o, &info, &w, &backing, out, error);
      if (status == PPROFC_OK && *o->retain) status = store_retain(o, &backing, out, error);
      backing_close(&backing);
    }
  }
  writing_free(&w);
  return status;
}

static const char *store_check(const struct store_options *o, size_t count) {
  if (!*o->to) return "-to is needed";
  if (!count && !*o->retain && !o->tag_count) return "nothing to store";
  return NULL;
}

int store_main(int argc, char **argv) {
  static struct output out; /* static, because it is large */
  struct log_guard guard;
  struct store_options options = {.to = ""};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  int fd = STDOUT_FILENO;
  pprofc_status status = flags_defaults(&store_table, &options, &error);
  if (status == PPROFC_OK)
    status = flags_parse(&store_table, &options, argc, argv, &parsed, &error);
  if (status == PPROFC_OK && parsed.help) return command_help(&store_table);
  size_t count = status == PPROFC_OK ? (size_t)(argc - parsed.rest) : 0;
  const char *wrong = status == PPROFC_OK ? store_check(&options, count) : NULL;
  if (wrong) status = error_set(&error, PPROFC_E_INVALID, "%s", wrong);
  if (status != PPROFC_OK) return command_misused(&store_table, &parsed, error.message);
  log_guard_init(&guard, fd_write, &fd);
  output_init(&out, log_guard_write, &guard);
  status = store_all(&options, (const char *const *)argv + parsed.rest, count, &out, &error);
  pprofc_status flushed = output_flush(&out, status == PPROFC_OK ? &error : NULL);
  return status == PPROFC_OK && flushed == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}
