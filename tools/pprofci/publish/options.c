/* The table of the flags, and checks of their combinations. */
#include "publish/options.h"

#include "commands.h"

const char *const place_names[PLACES] = {"comment", "status", "check", "summary"};

enum { GROUP_WHERE, GROUP_FILES, GROUP_HOW };

static const struct flag_group groups[] = {
    {"Where", "Host, repository and change are those of the job; so is the token."},
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
     .help = "of comment, status, check (a check run or report) and summary (of the job), with "
             "commas; status, and comment where there is a change, when not given"},
    {.name = "host",
     .kind = FLAG_STRING,
     .offset = FIELD(site.host),
     .group = GROUP_WHERE,
     .argument = "NAME",
     .choices = hosts,
     .help = "github, gitlab or bitbucket, when the environment does not tell"},
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
     .help = "where the page is, for links; that of the job when not given"},
    {.name = "key",
     .kind = FLAG_STRING,
     .offset = FIELD(key),
     .group = GROUP_WHERE,
     .argument = "NAME",
     .initial = "default",
     .help = "tells comments, statuses and checks of several pipelines apart"},
    {.name = "author",
     .kind = FLAG_STRING,
     .offset = FIELD(author),
     .group = GROUP_WHERE,
     .argument = "LOGIN",
     .help = "whose comment is updated; whom the token belongs to when not given"},
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
     .help = "post a comment from the manifest.json of a fork's run, quoted; there is no DIR then"},
    {.name = "dry-run",
     .kind = FLAG_BOOL,
     .offset = FIELD(dry_run),
     .group = GROUP_HOW,
     .help = "print the requests and send none; the token is not printed and not needed"},
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
     .help = "how long all waiting for a host that is busy, or limits the rate, may take"},
    {.name = "timeout",
     .kind = FLAG_INT,
     .offset = FIELD(timeout),
     .group = GROUP_HOW,
     .argument = "SECONDS",
     .initial = "30",
     .help = "how long a request may take"},
};

static const char *const usage[] = {"[flags] [DIR]", "-body FILE [flags]", NULL};

static const char *const details[] = {
    "Carries the result of a run to where its reviewers are. DIR is the folder that `pprofci run` "
    "or "
    "`pprofci merge` wrote, .docs/artifacts/ci when not given. The exit status is that of the "
    "run: a host that does not answer is told in one line each and changes it only with "
    "-require-publish.",
    "The comment is found again by a hidden first line and its author, and updated in place.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci publish -to comment,check", "in a job of GitHub Actions"},
    {"pprofci publish -codequality gl-code-quality.json -metrics metrics.txt", "in GitLab"},
    {"pprofci publish -dry-run -host github", "what would be sent"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"GITHUB_TOKEN, GH_TOKEN", "the token for GitHub, at $GITHUB_API_URL"},
    {"GITLAB_TOKEN", "the token for GitLab, at $CI_API_V4_URL"},
    {"BITBUCKET_TOKEN", "the token for Bitbucket, at $BITBUCKET_API_URL"},
    {"SSL_CERT_FILE, SSL_CERT_DIR", "authorities in place of those of the system"},
    {"https_proxy, all_proxy, no_proxy", "proxies, for https alone"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "nothing regressed"},
    {"1", "failed, or the run did, or with -require-publish a host"},
    {"2", "something regressed"},
    {NULL, NULL}};

const struct flag_table publish_table = {
    .program = "pprofci publish",
    .summary = "puts a result into comments, checks and reports",
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
