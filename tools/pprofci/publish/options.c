/* Defines the flags, and checks their combinations. */
#include "publish/options.h"

#include "run/text.h"

const char *const place_names[PLACES] = {"comment", "status", "check", "summary"};

enum { GROUP_WHERE, GROUP_FILES, GROUP_HOW };

static const struct flag_group groups[] = {
    {"Where",
     "By default, host, repository, change and token come from the environment of the CI job."},
    {"Files", NULL},
    {"How", NULL}};

#define FIELD(name) offsetof(struct publish_options, name)

static const char *const hosts[] = {"github", "gitlab", "bitbucket", NULL};

static const struct flag flags[] = {
    FLAG(STRING, GROUP_WHERE, "to", to, "LIST", NULL,
         "list of comment, status, check (a check run or report) and summary (of the job); "
         "default: status, and comment in a pull request"),
    FLAG_WORDS(
        STRING, GROUP_WHERE, "host", site.host, "NAME", NULL, hosts,
        "host of the repository: github, gitlab or bitbucket; default: from the environment"),
    FLAG(INT, GROUP_WHERE, "pr", site.number, "N", NULL,
         "number of the pull request or merge request to comment on"),
    FLAG(STRING, GROUP_WHERE, "sha", site.sha, "COMMIT", NULL,
         "the commit that gets the status or check"),
    FLAG(STRING, GROUP_WHERE, "page", site.page, "URL", NULL,
         "address of the page, for links; default: the page of the job"),
    FLAG(STRING, GROUP_WHERE, "report", report, "URL", NULL,
         "address of report.html, in place of -page; links lead to its benchmarks and flame "
         "graphs"),
    FLAG(STRING, GROUP_WHERE, "key", key, "NAME", "default",
         "name of this pipeline, if several pipelines publish to one change"),
    FLAG(STRING, GROUP_WHERE, "author", author, "LOGIN", NULL,
         "author of the comment to update; default: the owner of the token"),
    FLAG(STRING, GROUP_FILES, "markdown", markdown, "FILE", NULL,
         "write the summary as plain Markdown"),
    FLAG(STRING, GROUP_FILES, "json", json, "FILE", NULL, "write verdict and regressions as JSON"),
    FLAG(STRING, GROUP_FILES, "codequality", code_quality, "FILE", NULL,
         "write a code quality report of GitLab"),
    FLAG(STRING, GROUP_FILES, "metrics", metrics, "FILE", NULL,
         "write a metrics report of GitLab, in the format of OpenMetrics"),
    FLAG(STRING, GROUP_FILES, "write-body", write_body, "FILE", NULL, "write the comment"),
    FLAG(STRING, GROUP_FILES, "body", body, "FILE", NULL,
         "post a quoted comment from the manifest.json of a fork's run, without DIR"),
    FLAG(STRING, GROUP_FILES, "issue", issue, "FILE", NULL,
         "open or update one issue with the text of pprofci trend -issue, without DIR; an empty "
         "text closes it"),
    {"budget", FLAG_STRING, FIELD(brief_bytes), GROUP_FILES, "BYTES",
     "maximum length of -markdown and of -json in bytes, 0: no limit; a longer text has only the "
     "most important parts and a line about the omitted parts",
     "0", NULL, 0, false, brief_store},
    SWITCH(GROUP_HOW, "dry-run", dry_run,
           "print the requests without sending them; needs no token and prints none"),
    SWITCH(GROUP_HOW, "require-publish", require,
           "exit with 1 when something could not be published"),
    SWITCH(GROUP_HOW, "no-fail", no_fail,
           "exit with 0 when something regressed; the check is neutral, the status a success"),
    FLAG(INT, GROUP_HOW, "wait", wait, "SECONDS", "120",
         "longest total wait for a host that is busy or limits the rate"),
    FLAG(INT, GROUP_HOW, "timeout", timeout, "SECONDS", "30", "time limit of a request"),
};

static const char *const usage[] = {"[flags] [DIR]", "-body FILE [flags]", "-issue FILE [flags]",
                                    NULL};

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
    FLAG_TABLE("pprofci publish", "publishes a result as comments, checks and reports"),
    .examples = examples, .environment = environment};

static pprofc_status read_places(struct publish_options *options, pprofc_error *error) {
  pprofc_str rest = str_of(options->to), word;
  while (*options->to && str_next(&rest, ',', &word)) {
    size_t i = 0;
    while (i < PLACES && !str_equal(str_trim(word), str_of(place_names[i]))) i++;
    if (i == PLACES)
      return error_set(error, PPROFC_E_INVALID,
                       "-to must list comment, status, check or summary, not '%.*s'",
                       STR_ARG(word));
    options->places[i] = true;
  }
  return PPROFC_OK;
}

/* True if the key is valid. The key becomes a part of a hidden line of the comment and of paths. */
static bool is_publish_key(const char *key) {
  return strlen(key) <= 32 && text_is_of(str_of(key), TEXT_WORDS) && !strstr(key, "--");
}

static pprofc_status check_body_alone(const struct publish_options *options, bool other,
                                      pprofc_error *error) {
  const char *const others[] = {options->markdown, options->json, options->code_quality,
                                options->metrics, options->write_body};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) other |= *others[i] != '\0';
  for (size_t i = 0; i < PLACES; i++) other |= i != PLACE_COMMENT && options->places[i];
  if (*options->issue && (other || *options->body || *options->to))
    return error_set(error, PPROFC_E_INVALID, "-issue writes an issue, and nothing else");
  if (!*options->body || !other) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "-body posts a comment from a manifest, and nothing else");
}

static pprofc_status settle_page(struct publish_options *options, pprofc_error *error) {
  if (!*options->report) return PPROFC_OK;
  if (*options->site.page)
    return error_set(error, PPROFC_E_INVALID, "-page and -report: give one address of the page");
  options->site.page = options->report;
  return PPROFC_OK;
}

static pprofc_status check_publish_numbers(const struct publish_options *options,
                                           pprofc_error *error) {
  if (!is_publish_key(options->key))
    return error_set(error, PPROFC_E_INVALID,
                     "-key must be at most 32 letters, digits, '.', '_' and '-', not '%s'",
                     options->key);
  if (options->site.number < 0) return error_set(error, PPROFC_E_INVALID, "-pr must be at least 1");
  if (options->wait < 0 || options->wait > 86400)
    return error_set(error, PPROFC_E_INVALID, "-wait must be from 0 to 86400 seconds");
  if (options->timeout < 1 || options->timeout > 3600)
    return error_set(error, PPROFC_E_INVALID, "-timeout must be from 1 to 3600 seconds");
  return PPROFC_OK;
}

pprofc_status publish_check(void *options, const struct command_line *line, pprofc_error *error) {
  pprofc_status status = read_places(options, error);
  if (status == PPROFC_OK) status = check_publish_numbers(options, error);
  if (status == PPROFC_OK) status = settle_page(options, error);
  if (status == PPROFC_OK) status = check_body_alone(options, line->count > 0, error);
  if (status == PPROFC_OK && line->count > 1)
    status = error_set(error, PPROFC_E_INVALID, "give one DIR, not %zu", line->count);
  return status;
}
