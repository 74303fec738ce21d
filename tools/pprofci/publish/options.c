/* The table of the flags, and checks of their combinations. */
#include "publish/options.h"

#include "commands.h"

const char *const place_names[PLACES] = {"comment", "status", "check", "summary"};

enum { GROUP_WHERE, GROUP_FILES, GROUP_HOW };

static const struct flag_group groups[] = {
    {"Where", "Host, repository, change and token come from the CI job by default."},
    {"Files", NULL},
    {"How", NULL}};

#define FIELD(name) offsetof(struct publish_options, name)

static const char *const hosts[] = {"github", "gitlab", "bitbucket", NULL};

static const struct flag flags[] = {
    {.name = "to",
     .kind = FLAG_STRING,
     .offset = FIELD(to),
     .group = GROUP_WHERE,
     .argument = "LIST",
     .help = "list of comment, status, check (a check run or report) and summary (of the job); "
             "default: status, and comment in a pull request"},
    {.name = "host",
     .kind = FLAG_STRING,
     .offset = FIELD(site.host),
     .group = GROUP_WHERE,
     .argument = "NAME",
     .choices = hosts,
     .help = "github, gitlab or bitbucket; default: from the environment"},
    {.name = "pr",
     .kind = FLAG_INT,
     .offset = FIELD(site.number),
     .group = GROUP_WHERE,
     .argument = "N",
     .help = "the pull request or merge request to comment on"},
    {.name = "sha",
     .kind = FLAG_STRING,
     .offset = FIELD(site.sha),
     .group = GROUP_WHERE,
     .argument = "COMMIT",
     .help = "the commit that gets the status or check"},
    {.name = "page",
     .kind = FLAG_STRING,
     .offset = FIELD(site.page),
     .group = GROUP_WHERE,
     .argument = "URL",
     .help = "address of the page, for links; default: the page of the job"},
    {.name = "key",
     .kind = FLAG_STRING,
     .offset = FIELD(key),
     .group = GROUP_WHERE,
     .argument = "NAME",
     .initial = "default",
     .help = "name of this pipeline, if several pipelines publish to one change"},
    {.name = "author",
     .kind = FLAG_STRING,
     .offset = FIELD(author),
     .group = GROUP_WHERE,
     .argument = "LOGIN",
     .help = "author of the comment to update; default: the owner of the token"},
    {.name = "markdown",
     .kind = FLAG_STRING,
     .offset = FIELD(markdown),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "write the summary as plain Markdown"},
    {.name = "json",
     .kind = FLAG_STRING,
     .offset = FIELD(json),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "write verdict and regressions as JSON"},
    {.name = "codequality",
     .kind = FLAG_STRING,
     .offset = FIELD(code_quality),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "write a code quality report of GitLab"},
    {.name = "metrics",
     .kind = FLAG_STRING,
     .offset = FIELD(metrics),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "write a metrics report of GitLab, in the format of OpenMetrics"},
    {.name = "write-body",
     .kind = FLAG_STRING,
     .offset = FIELD(write_body),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "write the comment"},
    {.name = "body",
     .kind = FLAG_STRING,
     .offset = FIELD(body),
     .group = GROUP_FILES,
     .argument = "FILE",
     .help = "post a quoted comment from the manifest.json of a fork's run, without DIR"},
    {.name = "dry-run",
     .kind = FLAG_BOOL,
     .offset = FIELD(dry_run),
     .group = GROUP_HOW,
     .help = "print the requests without sending them; needs no token and prints none"},
    {.name = "require-publish",
     .kind = FLAG_BOOL,
     .offset = FIELD(require),
     .group = GROUP_HOW,
     .help = "exit with 1 when something could not be published"},
    {.name = "no-fail",
     .kind = FLAG_BOOL,
     .offset = FIELD(no_fail),
     .group = GROUP_HOW,
     .help = "exit with 0 when something regressed; the check is neutral, the status a success"},
    {.name = "wait",
     .kind = FLAG_INT,
     .offset = FIELD(wait),
     .group = GROUP_HOW,
     .argument = "SECONDS",
     .initial = "120",
     .help = "longest total wait for a host that is busy or limits the rate"},
    {.name = "timeout",
     .kind = FLAG_INT,
     .offset = FIELD(timeout),
     .group = GROUP_HOW,
     .argument = "SECONDS",
     .initial = "30",
     .help = "time limit of a request"},
};

static const char *const usage[] = {"[flags] [DIR]", "-body FILE [flags]", NULL};

static const char *const details[] = {
    "Publishes the result of a run as comments, statuses and checks. DIR is the output folder of "
    "`pprofci run` or `pprofci merge`; default: .docs/artifacts/ci. The exit status is the status "
    "of the run. A failed request prints one line, and fails the command only with "
    "-require-publish.",
    "A later run finds the comment by a hidden first line and its author, and updates it.", NULL};

static const struct flag_note examples[] = {
    {"pprofci publish -to comment,check", "in a job of GitHub Actions"},
    {"pprofci publish -codequality gl-code-quality.json -metrics metrics.txt", "in GitLab"},
    {"pprofci publish -dry-run -host github", "what would be sent"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"GITHUB_TOKEN, GH_TOKEN", "the token for GitHub, at $GITHUB_API_URL"},
    {"GITLAB_TOKEN", "the token for GitLab, at $CI_API_V4_URL"},
    {"BITBUCKET_TOKEN", "the token for Bitbucket, at $BITBUCKET_API_URL"},
    {"SSL_CERT_FILE, SSL_CERT_DIR", "trusted certificate authorities; default: the system's"},
    {"https_proxy, all_proxy, no_proxy", "proxies, for https alone"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "nothing regressed"},
    {"1", "failed, or the run failed, or with -require-publish a host failed"},
    {"2", "something regressed"},
    {NULL, NULL}};

const struct flag_table publish_table = {
    .program = "pprofci publish",
    .summary = "publishes a result as comments, checks and reports",
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

/* ---- checks ------------------------------------------ */

static pprofc_status read_places(struct publish_options *options, pprofc_error *error) {
  pprofc_str rest = str_of(options->to), word;
  while (*options->to && str_next(&rest, ',', &word)) {
    size_t i = 0;
    while (i < PLACES && !str_equal(str_trim(word), str_of(place_names[i]))) i++;
    if (i == PLACES)
      return error_set(error, PPROFC_E_INVALID,
                       "-to is of comment, status, check and summary, not '%.*s'", STR_ARG(word));
    options->places[i] = true;
  }
  return PPROFC_OK;
}

/* True if the key is valid: it becomes a part of a hidden line and of paths. */
static bool is_publish_key(const char *key) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t size = strlen(key);
  return size > 0 && size <= 32 && strspn(key, plain) == size && !strstr(key, "--");
}

static pprofc_status check_body_alone(const struct publish_options *options, int rest, int argc,
                                      pprofc_error *error) {
  const char *const others[] = {options->markdown, options->json, options->code_quality,
                                options->metrics, options->write_body};
  bool other = rest < argc;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) other |= *others[i] != '\0';
  for (size_t i = 0; i < PLACES; i++) other |= i != PLACE_COMMENT && options->places[i];
  if (!*options->body || !other) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "-body posts a comment from a manifest, and nothing else");
}

static pprofc_status check_publish_numbers(const struct publish_options *options,
                                           pprofc_error *error) {
  if (!is_publish_key(options->key))
    return error_set(error, PPROFC_E_INVALID,
                     "-key is at most 32 letters, digits, '.', '_' and '-', not '%s'",
                     options->key);
  if (options->site.number < 0) return error_set(error, PPROFC_E_INVALID, "-pr is a number from 1");
  if (options->wait < 0 || options->wait > 86400)
    return error_set(error, PPROFC_E_INVALID, "-wait is from 0 to 86400 seconds");
  if (options->timeout < 1 || options->timeout > 3600)
    return error_set(error, PPROFC_E_INVALID, "-timeout is from 1 to 3600 seconds");
  return PPROFC_OK;
}

pprofc_status publish_options_read(struct publish_options *options, int argc, char **argv,
                                   struct flags_parsed *parsed, pprofc_error *error) {
  pprofc_status status = flags_defaults(&publish_table, options, error);
  if (status == PPROFC_OK) status = flags_parse(&publish_table, options, argc, argv, parsed, error);
  if (status != PPROFC_OK || parsed->help) return status;
  status = read_places(options, error);
  if (status == PPROFC_OK) status = check_publish_numbers(options, error);
  if (status == PPROFC_OK) status = check_body_alone(options, parsed->rest, argc, error);
  if (status == PPROFC_OK && parsed->rest + 1 < argc)
    status = error_set(error, PPROFC_E_INVALID, "one DIR, not %d", argc - parsed->rest);
  return status;
}
