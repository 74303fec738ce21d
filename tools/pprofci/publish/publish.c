/* Implements `pprofci publish`: writes a result to files, and sends it to the code host, such as
 * GitHub. A failure at one destination does not stop the others. The exit status is the status of
 * the run. */
#include "commands.h"
#include "publish/post.h"

enum place { PLACE_COMMENT, PLACE_STATUS, PLACE_CHECK, PLACE_SUMMARY, PLACES };

struct publish_options {
  struct site_options site;
  const char *to, *key, *author, *report;
  const char *markdown, *json, *code_quality, *metrics; /* output files, or "" */
  const char *write_body, *body, *issue;
  bool dry_run, require, no_fail;
  int64_t wait, timeout;
  uint64_t brief_bytes; /* size limit in bytes of `markdown` and `json`; 0: no limit */
  bool places[PLACES];  /* true for each destination that -to names */
};

static const char *const place_names[PLACES] = {"comment", "status", "check", "summary"};

enum { GROUP_WHERE, GROUP_FILES, GROUP_HOW };

static const struct flag_group groups[] = {
    {"Where", "By default, the command takes the host, the repository, the pull request and the "
              "token from variables of the CI job."},
    {"Files", NULL},
    {"How", NULL}};

#define FIELD(name) offsetof(struct publish_options, name)

static const char *const hosts[] = {"github", "gitlab", "bitbucket", NULL};

static const struct flag flags[] = {
    FLAG(STRING, GROUP_WHERE, "to", to, "LIST", NULL,
         "where to publish the result, separated by commas. Default: status, and in a pull request "
         "also comment:\n"
         "comment: a comment on the pull request\n"
         "status: a status of the commit\n"
         "check: a check run or report of the commit\n"
         "summary: the summary of the CI job"),
    FLAG_WORDS(STRING, GROUP_WHERE, "host", site.host, "NAME", NULL, hosts,
               "host of the repository: github, gitlab or bitbucket. By default, the command finds "
               "the host by variables of the CI job"),
    FLAG(INT, GROUP_WHERE, "pr", site.number, "N", NULL,
         "number of the pull request (or merge request) that gets the comment"),
    FLAG(STRING, GROUP_WHERE, "sha", site.sha, "COMMIT", NULL,
         "commit that gets the status or check"),
    FLAG(STRING, GROUP_WHERE, "page", site.page, "URL", NULL,
         "address of the published page, for links to it. By default, links lead to the page of "
         "the CI job"),
    FLAG(STRING, GROUP_WHERE, "report", report, "URL", NULL,
         "address of the published report.html, instead of -page. Links then lead to benchmarks "
         "and flame graphs in this file"),
    FLAG(STRING, GROUP_WHERE, "key", key, "NAME", "default",
         "name of this pipeline. If several pipelines publish to one pull request, give each a "
         "name, so that each has its own comment"),
    FLAG(STRING, GROUP_WHERE, "author", author, "LOGIN", NULL,
         "login of the account whose comment the command updates; default: the owner of the token"),
    FLAG(STRING, GROUP_FILES, "markdown", markdown, "FILE", NULL,
         "write the summary as plain Markdown"),
    FLAG(STRING, GROUP_FILES, "json", json, "FILE", NULL,
         "write the verdict and the regressions as JSON"),
    FLAG(STRING, GROUP_FILES, "codequality", code_quality, "FILE", NULL,
         "write a code quality report of GitLab"),
    FLAG(STRING, GROUP_FILES, "metrics", metrics, "FILE", NULL,
         "write a metrics report of GitLab, in the format of OpenMetrics"),
    FLAG(STRING, GROUP_FILES, "write-body", write_body, "FILE", NULL,
         "write the text of the comment"),
    FLAG(STRING, GROUP_FILES, "body", body, "FILE", NULL,
         "post a comment that quotes the run of a fork, instead of the result in DIR. FILE is the "
         "manifest.json of that run"),
    FLAG(STRING, GROUP_FILES, "issue", issue, "FILE", NULL,
         "open or update an issue, instead of publishing the result in DIR. FILE has the text of "
         "the issue, and comes from `pprofci trend -issue`. An empty file closes the issue"),
    BRIEF_FLAG(GROUP_FILES, "maximum length of the files of -markdown and -json in bytes; 0: no "
                            "limit. pprofci drops the least important parts of a longer file"),
    SWITCH(GROUP_HOW, "dry-run", dry_run,
           "print the requests instead of sending them. This needs no token. The printed requests "
           "contain no token"),
    SWITCH(GROUP_HOW, "require-publish", require,
           "exit with 1 if the command could not publish everything"),
    SWITCH(GROUP_HOW, "no-fail", no_fail,
           "exit with 0 instead of 2 after a regression. The published check is then neutral, and "
           "the published status is a success"),
    FLAG(INT, GROUP_HOW, "wait", wait, "SECONDS", "120",
         "longest total time to wait for a host that is busy or limits the number of requests"),
    FLAG(INT, GROUP_HOW, "timeout", timeout, "SECONDS", "30", "time limit of one request"),
};

static const char *const usage[] = {"[flags] [DIR]", "-body FILE [flags]", "-issue FILE [flags]",
                                    NULL};

static const char *const details[] = {
    "Publishes the result of a run as comments, statuses and checks. DIR is the output folder of "
    "`pprofci run` or `pprofci merge`; default: .docs/artifacts/ci. The exit status is the exit "
    "status of that run. If a request fails, the command prints one line, and with "
    "-require-publish exits with 1.",
    "A later run updates the comment of the earlier run. It finds this comment by a hidden first "
    "line and by the author.",
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
    {"SSL_CERT_FILE, SSL_CERT_DIR", "trusted certificate authorities; default: the system's"},
    {"https_proxy, all_proxy, no_proxy", "proxies; the command uses them only for https"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "no regression"},
    {"1", "failed, or the run failed, or with -require-publish a host failed"},
    {"2", "a regression"},
    {NULL, NULL}};

const struct flag_table publish_table = {
    FLAG_TABLE("pprofci publish", "publishes a result as comments, checks and reports"),
    .examples = examples, .environment = environment};

static void read_places(struct publish_options *options) {
  pprofc_str rest = str_of(options->to), word;
  while (*options->to && str_next(&rest, ',', &word)) {
    size_t i = 0;
    while (i < PLACES && !str_equal(str_trim(word), str_of(place_names[i]))) i++;
    if (i == PLACES)
      ci_fail("-to must list comment, status, check or summary, not '%.*s'", STR_ARG(word));
    options->places[i] = true;
  }
}

/* True if the value of -key is valid. The value is checked because it becomes a part of a hidden
 * line of the comment and of paths. */
static bool is_publish_key(const char *key) {
  return strlen(key) <= 32 && text_is_of(str_of(key), TEXT_WORDS) && !strstr(key, "--");
}

static void check_body_alone(const struct publish_options *options, bool other) {
  const char *const others[] = {options->markdown, options->json, options->code_quality,
                                options->metrics, options->write_body};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) other |= *others[i] != '\0';
  for (size_t i = 0; i < PLACES; i++) other |= i != PLACE_COMMENT && options->places[i];
  if (*options->issue && (other || *options->body || *options->to))
    ci_fail("-issue writes an issue, and nothing else");
  if (*options->body && other) ci_fail("-body posts a comment from a manifest, and nothing else");
}

static void settle_page(struct publish_options *options) {
  if (!*options->report) return;
  if (*options->site.page) ci_fail("-page and -report: give one address of the page");
  options->site.page = options->report;
}

static void check_publish_numbers(const struct publish_options *options) {
  if (!is_publish_key(options->key))
    ci_fail("-key must be at most 32 letters, digits, '.', '_' and '-', not '%s'", options->key);
  if (options->site.number < 0) ci_fail("-pr must be at least 1");
  if (options->wait < 0 || options->wait > 86400) ci_fail("-wait must be from 0 to 86400 seconds");
  if (options->timeout < 1 || options->timeout > 3600)
    ci_fail("-timeout must be from 1 to 3600 seconds");
}

static void publish_check(void *options, const struct command_line *line) {
  read_places(options);
  check_publish_numbers(options);
  settle_page(options);
  check_body_alone(options, line->count > 0);
  if (line->count > 1) ci_fail("give one DIR, not %zu", line->count);
}

/* Maximum size in bytes of the summary that GitHub accepts from a job step. */
#define SUMMARY_ROOM ((size_t)1 << 20)

struct publish {
  const struct publish_options *options;
  struct arena arena;
  struct site site;
  struct outcome outcome;
  struct body body;
  const char *folder;
  struct output *out;
  size_t failures;
  bool other_commit; /* true if the result belongs to a commit that is not part of the change */
};

/* ---- the result -------------------------------------- */

/* Renders the comment of a fork's run from the data of its manifest. The fork's text is never used
 * as Markdown. The hidden state of the comment contains no data of the fork. */
static void read_given_body(struct publish *p) {
  const char *path = p->options->body;
  pprofc_status status = outcome_read_manifest(&p->arena, path, true, &p->outcome, &ci_error);
  if (status == PPROFC_E_FORMAT) ci_fail("'%s' is not the manifest.json of a run", path);
  ci_need(status);
  outcome_quote(&p->outcome, &p->arena);
  if (!utf8_valid(p->outcome.summary.parts[1].pieces->text)) ci_fail("'%s' is not UTF-8", path);
  p->body.state = (struct body_state){
      .commit = str_of(p->site.sha), .run = p->site.run, .had = STR(""), .good = false};
}

/* Returns the settings of a message that becomes a comment. Its links begin with the value of
 * -report, or with the folder of the page: "https://site/pr/7/" for "https://site/pr/7/index.html".
 * If a CI job stores the page as an artifact, the message has no links to parts of the page. */
static struct message_place publish_place(const struct publish *p) {
  pprofc_str page = str_of(p->site.page);
  struct message_place place = {.html = !p->site.forge || p->site.forge->takes_html,
                                .one_file = *p->options->report != '\0',
                                .address = STR("")};
  bool is_site = str_ends(page, STR("/")) || str_ends(page, STR(".html"));
  if (!place.html) return place;
  if (place.one_file) place.address = page;
  if (!place.one_file && is_site)
    place.address = str_slice(page, 0, str_find_last_char(page, '/') + 1);
  place.linked = place.address.size;
  return place;
}

/* True if the result is of a commit that is neither the head of the change nor the commit of the
 * job. The commit of the job may be the merge of head and base. */
static bool is_of_other_commit(const struct publish *p) {
  pprofc_str measured = p->outcome.commit;
  /* The branch is known only in a workflow_run job. That job does not know the merge commit that
   * was measured. */
  if (*p->site.branch) return false;
  return measured.size && *p->site.sha && !str_equal(measured, str_of(p->site.sha)) &&
         !str_equal(measured, str_of(p->site.checkout));
}

/* Marks the result as a result for an unrelated commit: adds a sentence to the headline and to the
 * summary. Publishes a pass and an inconclusive result as a run that compared nothing. */
static void replace_other_commit(struct publish *p) {
  struct outcome *o = &p->outcome;
  message_note("pprofci: the result in '%s' is for commit %.*s, not for %s", p->folder,
               STR_ARG(str_slice(o->commit, 0, 9)), p->site.sha);
  const char *said = text_printf(&p->arena, "The result is for commit %.*s, not for %.7s",
                                 STR_ARG(str_slice(o->commit, 0, 7)), p->site.sha);
  o->headline = str_of(text_printf(&p->arena, "%s: %.*s", said, STR_ARG(o->headline)));
  pprofc_str sentence = str_of(text_printf(&p->arena, "%s.", said));
  message_replace_headline(&o->summary, &p->arena, "? ", sentence);
  bool compared = o->published == RUN_PASSED || o->published == RUN_INCONCLUSIVE;
  if (compared && !o->warns) o->published = RUN_NOT_COMPARED;
}

/* Reads the result, or creates one that contains the error message. */
static void read_outcome(struct publish *p) {
  pprofc_error why;
  pprofc_status status = outcome_read(&p->arena, p->folder, p->options->no_fail, &p->outcome, &why);
  if (status == PPROFC_OK) {
    p->other_commit = is_of_other_commit(p);
    if (p->other_commit) replace_other_commit(p);
    return;
  }
  message_error("pprofci: %s", why.message);
  outcome_missing(&p->arena, why.message, &p->outcome);
}

static void read_result(struct publish *p) {
  p->body.summary = &p->outcome.summary;
  p->body.place = publish_place(p);
  if (*p->options->body) {
    read_given_body(p);
    return;
  }
  read_outcome(p);
  const char *sha = p->site.sha;
  p->body.state =
      (struct body_state){.commit = *sha ? str_of(sha) : p->outcome.commit,
                          .regressed = p->outcome.regressed,
                          .run = p->site.run,
                          .had = STR(""),
                          .good = p->outcome.published == RUN_PASSED && !p->other_commit};
}

/* Returns a line like "[Page](URL) · measured 4d5e6f7". */
static const char *publish_links(struct publish *p) {
  pprofc_str commit = str_slice(p->body.state.commit, 0, 7);
  if (p->other_commit) commit = str_slice(p->outcome.commit, 0, 7);
  /* A summary with links contains a link to the page already. */
  bool linked = p->body.place.linked && !*p->options->body;
  const char *page =
      *p->site.page && !linked ? text_printf(&p->arena, "[Page](%s)", p->site.page) : "";
  if (!commit.size) return page;
  const char *dot = *page ? " \xC2\xB7 " : "";
  if (!p->outcome.root) return page;
  if (p->other_commit)
    return text_printf(&p->arena, "%s%s**measured %.*s, which is not %.7s**", page, dot,
                       STR_ARG(commit), p->site.sha);
  return text_printf(&p->arena, "%s%smeasured %.*s", page, dot, STR_ARG(commit));
}

/* ---- files ------------------------------------------- */

static void publish_failed(struct publish *p, const char *what, const pprofc_error *error) {
  output_flush(p->out, NULL);
  message_error("pprofci: cannot publish %s: %s", what, error->message);
  p->failures++;
}

static pprofc_status write_one_file(struct publish *p, const char *path, pprofc_str text,
                                    pprofc_error *error) {
  if (!*path) return PPROFC_OK;
  if (!p->options->dry_run) return save_text(path, text, error);
  output_printf(p->out, "write %s\n", path);
  output_add_str(p->out, text);
  output_add_char(p->out, '\n');
  return PPROFC_OK;
}

/* Appends the text to the step summary, a file that other steps also extend. */
static pprofc_status write_step_summary(struct publish *p, pprofc_str text, pprofc_error *error) {
  const char *path = ci_variable("GITHUB_STEP_SUMMARY", "");
  if (!p->options->places[PLACE_SUMMARY]) return PPROFC_OK;
  if (!*path) return error_set(error, PPROFC_E_INVALID, "GITHUB_STEP_SUMMARY is not set");
  return p->options->dry_run ? write_one_file(p, path, text, error)
                             : save_append(path, text, error);
}

static pprofc_status write_files(struct publish *p, const char *links, pprofc_error *error) {
  const struct publish_options *o = p->options;
  struct arena *arena = &p->arena;
  size_t room = o->brief_bytes ? (size_t)o->brief_bytes : SUMMARY_ROOM;
  pprofc_str text = body_cut(&p->body, links, room, arena);
  pprofc_status status = write_one_file(p, o->markdown, text, error);
  if (status == PPROFC_OK) status = write_step_summary(p, text, error);
  if (status == PPROFC_OK && *o->json)
    status = outcome_json(&p->outcome, p->site.page, o->brief_bytes, arena, &text, error);
  if (status == PPROFC_OK) status = write_one_file(p, o->json, text, error);
  if (status == PPROFC_OK && *o->code_quality)
    status = write_one_file(p, o->code_quality, outcome_code_quality(&p->outcome, arena), error);
  if (status == PPROFC_OK && *o->metrics)
    status = write_one_file(p, o->metrics, outcome_metrics(&p->outcome, arena), error);
  return status;
}

/* Writes the comment into a file, because the token of a fork's run may not post the comment. */
static pprofc_status write_body_file(struct publish *p, const char *links, bool wanted,
                                     pprofc_error *error) {
  const char *path = p->options->write_body;
  if (p->site.read_only && wanted)
    message_note("pprofci: the token of a fork's run may not write; a second workflow posts "
                 "'%s/manifest.json': pprofci publish -body manifest.json",
                 p->folder);
  if (!*path) return PPROFC_OK;
  return write_one_file(p, path, body_make(&p->body, p->options->key, links, BODY_MAX, &p->arena),
                        error);
}

/* ---- the host ---------------------------------------- */

static const struct {
  const char *what;
  pprofc_status (*run)(struct post *post, pprofc_error *error);
} posts[PLACES] = {
    {"the comment", post_comment}, {"the status", post_commit_status}, {"the check", post_check}};

static pprofc_status open_wire(struct publish *p, struct api **wire, pprofc_error *error) {
  const struct forge *forge = p->site.forge;
  const struct wire_options options = {.api = p->site.api,
                                       .token = p->site.token,
                                       .token_header = forge->token_header,
                                       .headers = forge->headers,
                                       .wait_most = p->options->wait,
                                       .timeout = p->options->timeout,
                                       .dry = p->options->dry_run ? p->out : NULL};
  if (!*p->site.token && !p->options->dry_run)
    return error_set(error, PPROFC_E_INVALID, "%s is not set", forge->tokens[0]);
  return wire_open(&options, wire, error);
}

static struct post publish_post(struct publish *p) {
  return (struct post){.arena = &p->arena,
                       .site = &p->site,
                       .dry = p->options->dry_run,
                       .key = p->options->key,
                       .author = p->options->author,
                       .body = p->body,
                       .outcome = &p->outcome};
}

/* ---- the issue --------------------------------------- */

#define ISSUE_MAX ((size_t)1 << 20)

static void publish_issue(struct publish *p) {
  struct post post = publish_post(p);
  ci_need(file_keep(p->options->issue, ISSUE_MAX, &p->arena, &post.issue, &ci_error));
  if (!utf8_valid(post.issue)) ci_fail("'%s' is not UTF-8", p->options->issue);
  if (!p->site.forge) ci_fail("no host in the environment; pass -host");
  pprofc_error failed;
  pprofc_status status = open_wire(p, &post.wire, &failed);
  if (status == PPROFC_OK) status = post_issue(&post, &failed);
  if (status != PPROFC_OK)
    publish_failed(p, "the issue", &failed);
  else if (!post.dry)
    output_printf(p->out, "issue: %s\n", post.done);
  if (post.wire) wire_close(post.wire);
}

/* ---- all destinations -------------------------------- */

static void send_all(struct publish *p, const char *links, const bool *places) {
  struct post post = publish_post(p);
  pprofc_error error;
  post.links = links;
  if (open_wire(p, &post.wire, &error) != PPROFC_OK) {
    publish_failed(p, "anything", &error);
    return;
  }
  for (size_t i = 0; i < PLACES; i++) {
    if (!places[i] || !posts[i].run) continue;
    if (posts[i].run(&post, &error) != PPROFC_OK)
      publish_failed(p, posts[i].what, &error);
    else if (!post.dry)
      output_printf(p->out, "%s: %s\n", place_names[i], post.done);
  }
  wire_close(post.wire);
}

/* ---- the command ------------------------------------- */

/* Chooses the destinations that -to names. Without -to, chooses the status, and also the comment if
 * the pull request is known. */
static void choose_places(const struct publish *p, bool *places) {
  bool has_change = p->site.number || *p->site.branch;
  memcpy(places, p->options->places, sizeof p->options->places);
  if (*p->options->body) {
    places[PLACE_COMMENT] = true;
  } else if (!*p->options->to && p->site.forge) {
    places[PLACE_COMMENT] = has_change;
    places[PLACE_STATUS] = true;
  }
}

static bool writes_a_file(const struct publish_options *o) {
  return *o->markdown || *o->json || *o->code_quality || *o->metrics || *o->write_body ||
         o->places[PLACE_SUMMARY];
}

static void publish_check_places(const struct publish *p, const bool *places) {
  bool any = places[PLACE_COMMENT] || places[PLACE_STATUS] || places[PLACE_CHECK];
  if (p->site.forge && any) return;
  if (!any && writes_a_file(p->options)) return;
  ci_fail("no host in the environment; pass -host, or a flag that writes a file");
}

static void print_verdict(struct publish *p) {
  if (*p->options->body) return;
  escape_line_to_output(p->out, p->outcome.verdict);
  output_add_text(p->out, ": ");
  escape_line_to_output(p->out, p->outcome.headline);
  output_add_char(p->out, '\n');
  output_flush(p->out, NULL);
}

static int publish_exit(const struct publish *p) {
  bool alone = *p->options->body || *p->options->issue;
  if (p->failures && (p->options->require || alone)) return EXIT_FAILED;
  if (alone) return EXIT_PASSED;
  return p->outcome.warns ? EXIT_PASSED : p->outcome.status;
}

static void publish_result(struct publish *p) {
  bool places[PLACES];
  read_result(p);
  choose_places(p, places);
  publish_check_places(p, places);
  print_verdict(p);
  const char *links = publish_links(p);
  pprofc_error failed;
  if (!*p->options->body && write_files(p, links, &failed) != PPROFC_OK)
    publish_failed(p, "a file", &failed);
  if (write_body_file(p, links, places[PLACE_COMMENT], &failed) != PPROFC_OK)
    publish_failed(p, "a file", &failed);
  bool any = places[PLACE_COMMENT] || places[PLACE_STATUS] || places[PLACE_CHECK];
  if (any && !p->site.read_only) send_all(p, links, places);
}

static int publish_run(void *options, const struct command_line *line) {
  struct publish p = {.options = options, .out = line->out, .arena = ci_arena()};
  p.folder = line->count ? line->words[0] : ".docs/artifacts/ci";
  site_read(&p.site, &p.arena, &p.options->site);
  if (*p.options->issue)
    publish_issue(&p);
  else
    publish_result(&p);
  int code = publish_exit(&p);
  arena_free(&p.arena);
  return code;
}

COMMAND(publish, struct publish_options, COMMAND_WORDS, publish_check, publish_run, false);
