/* Implements `pprofci store`: stores the results, the verdict and the profiles of a commit. */
#include "store/store.h"

struct store_options {
  const char *to, *time, *retain;
  struct commit_info commit;
  int64_t keep_last;
  bool dry_run;
};

#define FIELD(name) offsetof(struct store_options, name)

static const char *store_take_tag(void *options, const struct flag *flag, const char *text) {
  struct commit_info *info = &((struct store_options *)options)->commit;
  (void)flag;
  if (!*text) return "missing name of a tag";
  if (info->tag_count == sizeof info->tags / sizeof *info->tags) return "too many tags";
  info->tags[info->tag_count++] = text;
  return NULL;
}

static const struct flag_group groups[] = {
    {"The store", NULL},
    {"The commit",
     "By default, the command takes these values from git or from variables of the CI job."},
    {"Retention", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "to", to, "STORE", NULL,
         "where to store the results: a folder, or s3://BUCKET/PREFIX"),
    FLAG(STRING, 1, "commit", commit.commit, "ID", NULL, "id of the commit that was measured"),
    FLAG(STRING, 1, "branch", commit.branch, "NAME", NULL, "branch of the commit"),
    FLAG_CALLS(STRING, 1, 0, "tag", "NAME", store_take_tag,
               "name of a release that this commit is. -retain never removes runs with such a tag. "
               "May be repeated"),
    FLAG(INT, 1, "order", commit.order, "N", "-1",
         "position of the commit in its branch, as git rev-list --count --first-parent prints it. "
         "-1: the command gets it from git"),
    FLAG(STRING, 1, "time", time, "TIME", NULL,
         "time of the commit, as seconds since 1970, as 2026-11-20 or as 2026-11-20T10:00:00Z"),
    FLAG(STRING, 1, "machine", commit.machine, "TEXT", NULL,
         "name of the machine that measured. pprofci trend marks a change of a benchmark if the "
         "machine changed at the same commit"),
    FLAG(STRING, 2, "retain", retain, "RULES", NULL,
         "remove old runs by rules of the form BRANCH=AGE, such as main=2y,release/*=all,*=30d. "
         "The first rule that matches a branch sets the maximum age of its runs. Runs of branches "
         "without a rule stay"),
    FLAG(INT, 2, "keep-last", keep_last, "N", "20",
         "number of last commits of each branch whose runs -retain never removes"),
    SWITCH(2, "dry-run", dry_run, "print what -retain would remove, without removing it"),
};

static const char *const usage[] = {"-to STORE [flags] [DIR | RESULTS | PROFILE] ...",
                                    "-to STORE -retain RULES", "-to STORE -tag NAME -commit ID",
                                    NULL};

static const char *const details[] = {
    "DIR is the folder that `pprofci run -out` or `pprofci merge -out` wrote. RESULTS are "
    "benchmark results in any format that benchstatc reads, PROFILE is a profile in any format "
    "that pprofc reads. Stored files never change. If you store a result again, nothing changes. "
    "Any number of processes may store at the same time.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci store -to /srv/history .docs/artifacts/ci", "the run that was just made"},
    {"pprofci store -to history -commit 4d5e6f7 bench.txt cpu.pb.gz", "results and a profile"},
    {"pprofci store -to s3://bucket/project -retain 'main=2y,*=30d' .docs/artifacts/ci",
     "stores into a bucket, and removes old runs"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "credentials of a bucket"},
    {"AWS_REGION, AWS_DEFAULT_REGION", "region of the bucket; default: us-east-1"},
    {"AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL", "server to use instead of AWS"},
    {"PPROFCI_S3_STYLE",
     "place of the bucket's name in addresses: path, or virtual (in the host name)"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {{"0", "stored"}, {"1", "failed"}, {NULL, NULL}};

const struct flag_table store_table = {
    FLAG_TABLE("pprofci store", "keeps results, verdicts and profiles by commit"),
    .examples = examples, .environment = environment};

static void store_run(const struct store_options *o, struct commit_info *info, struct writing *w,
                      struct backing *backing, struct output *out) {
  struct writing_result result;
  writing_fill_commit(w, info);
  commit_complete(info, &w->arena);
  if (o->dry_run) return;
  if (info->time < 0) info->time = w->time ? w->time : (int64_t)time(NULL);
  if (!w->manifest && !w->set && !w->profile_count) {
    writing_put_tags(&w->arena, backing, info);
    output_printf(out, "tagged %s\n", info->commit);
    return;
  }
  writing_put(w, backing, info, &result);
  output_printf(out, "stored %s: %zu results, %zu profiles (runs/%s/%s.json)\n", info->commit,
                result.series, result.profiles, info->commit, result.id);
}

static void store_retain(const struct store_options *o, const struct retain *rules,
                         struct backing *backing, struct output *out) {
  struct upkeep_counts counts = {0};
  upkeep_retain(backing, rules, (int64_t)time(NULL), o->dry_run, out, &counts);
  output_printf(out, "%s: %zu runs, %zu profiles that no run names, %zu unfinished files\n",
                o->dry_run ? "would remove" : "removed", counts.runs, counts.objects,
                counts.left_over);
}

static int store_all(void *options, const struct command_line *line) {
  struct store_options *o = options;
  struct commit_info *info = &o->commit;
  struct writing w;
  struct backing backing;
  struct retain rules;
  info->time = -1;
  if (*o->time && !times_parse(str_of(o->time), &info->time))
    ci_fail("-time: '%s' is not a time", o->time);
  if (*o->retain) retain_parse(&rules, o->retain, o->keep_last);
  writing_read(&w, line->words, line->count);
  backing_open(&backing, o->to, line->count && !o->dry_run);
  if (line->count || info->tag_count) store_run(o, info, &w, &backing, line->out);
  if (*o->retain) store_retain(o, &rules, &backing, line->out);
  backing_close(&backing);
  writing_free(&w);
  return EXIT_PASSED;
}

static void store_check(void *options, const struct command_line *line) {
  const struct store_options *o = options;
  if (!*o->to) ci_fail("-to is needed");
  if (!line->count && !*o->retain && !o->commit.tag_count) ci_fail("nothing to store");
}

COMMAND(store, struct store_options, COMMAND_WORDS, store_check, store_all, false);
