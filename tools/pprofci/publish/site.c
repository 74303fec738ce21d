/* Describes GitHub, GitLab and Bitbucket: their addresses, and the variables of their jobs. */
#include "publish/post.h"

#define EVENT_MAX ((size_t)32 << 20)

static int64_t site_number(const char *name) {
  int64_t number = 0;
  return str_parse_int(str_of(ci_variable(name, "")), 10, &number) && number > 0 ? number : 0;
}

static const char *event_text(struct site *site, const struct node *node, const char *path) {
  const struct node *found = node_path(node, path);
  return node_is(found, NODE_STRING) ? text_keep(site->arena, found->text) : "";
}

static bool is_of_fork(const struct node *event, const char *head) {
  const struct node *name = node_path(event, head);
  pprofc_str base = node_text(node_get(event, "repository"), "full_name");
  return base.size && (!node_is(name, NODE_STRING) || !str_equal(name->text, base));
}

/* Reads the event of a pull request. Takes the head commit from the event, because GITHUB_SHA is a
 * merge commit in such a job. */
static void read_pull_request(struct site *site, const struct node *event) {
  const char *sha = event_text(site, event, "pull_request.head.sha");
  if (!site->number) site->number = node_integer(node_path(event, "pull_request.number"));
  if (!*site->sha) site->sha = sha;
  site->read_only = strcmp(ci_variable("GITHUB_EVENT_NAME", ""), "pull_request") == 0 &&
                    is_of_fork(event, "pull_request.head.repo.full_name");
}

/* Reads the event of a comment on a pull request. The event does not contain the head, and
 * GITHUB_SHA is a commit of the default branch. */
static void read_issue_comment(struct site *site, const struct node *event) {
  if (!site->number) site->number = node_integer(node_path(event, "issue.number"));
  site->checkout = "";
}

/* Reads the event of a workflow_run job, which runs after another workflow. The commit of the other
 * workflow identifies the pull request. The artifacts of the other workflow are not trusted. */
static void read_workflow_run(struct site *site, const struct node *event) {
  const struct node *run = node_get(event, "workflow_run");
  const struct node *first = node_at(node_get(run, "pull_requests"), 0);
  const char *sha = event_text(site, run, "head_sha");
  if (!site->number) site->number = node_integer(node_get(first, "number"));
  if (!*site->sha) site->sha = sha;
  site->owner = event_text(site, run, "head_repository.owner.login");
  site->branch = event_text(site, run, "head_branch");
}

static void read_event(struct site *site) {
  const char *path = ci_variable("GITHUB_EVENT_PATH", "");
  struct node *event;
  if (!*path) return;
  ci_need(json_tree_read(site->arena, path, EVENT_MAX, &event, &ci_error));
  if (node_get(event, "pull_request")) read_pull_request(site, event);
  if (node_path(event, "issue.pull_request")) read_issue_comment(site, event);
  if (node_get(event, "workflow_run")) read_workflow_run(site, event);
}

static void read_github(struct site *site) {
  site->api = ci_variable("GITHUB_API_URL", "https://api.github.com");
  site->repo = ci_variable("GITHUB_REPOSITORY", "");
  site->run = (uint64_t)site_number("GITHUB_RUN_ID");
  site->checkout = ci_variable("GITHUB_SHA", "");
  read_event(site);
  if (!*site->sha) site->sha = site->checkout;
  if (!*site->page && site->run)
    site->page =
        text_printf(site->arena, "%s/%s/actions/runs/%llu", ci_variable("GITHUB_SERVER_URL", ""),
                    site->repo, (unsigned long long)site->run);
}

static void read_gitlab(struct site *site) {
  const char *source = ci_variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "");
  site->api = ci_variable("CI_API_V4_URL", "https://gitlab.com/api/v4");
  site->repo = ci_variable("CI_MERGE_REQUEST_PROJECT_ID", ci_variable("CI_PROJECT_ID", ""));
  site->run = (uint64_t)site_number("CI_PIPELINE_ID");
  site->checkout = ci_variable("CI_COMMIT_SHA", "");
  if (!*site->sha) site->sha = ci_variable("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", site->checkout);
  if (!site->number) site->number = site_number("CI_MERGE_REQUEST_IID");
  site->read_only = *source && strcmp(source, site->repo) != 0;
  if (!*site->page) site->page = ci_variable("CI_JOB_URL", "");
}

static void read_bitbucket(struct site *site) {
  site->api = ci_variable("BITBUCKET_API_URL", "https://api.bitbucket.org/2.0");
  site->repo = ci_variable("BITBUCKET_REPO_FULL_NAME", "");
  site->run = (uint64_t)site_number("BITBUCKET_BUILD_NUMBER");
  site->checkout = ci_variable("BITBUCKET_COMMIT", "");
  if (!*site->sha) site->sha = site->checkout;
  if (!site->number) site->number = site_number("BITBUCKET_PR_ID");
  if (!*site->page && *site->repo && site->run)
    site->page = text_printf(site->arena, "https://bitbucket.org/%s/pipelines/results/%llu",
                             site->repo, (unsigned long long)site->run);
}

static const char *const github_tokens[] = {"GITHUB_TOKEN", "GH_TOKEN", NULL};
static const char *const gitlab_tokens[] = {"GITLAB_TOKEN", NULL};
static const char *const bitbucket_tokens[] = {"BITBUCKET_TOKEN", NULL};
static const char *const github_headers[] = {"Accept: application/vnd.github+json",
                                             "X-GitHub-Api-Version: 2022-11-28", NULL};
static const char *const plain_headers[] = {"Accept: application/json", NULL};

static const struct forge forges[] = {
    {.name = "github",
     .mark = "GITHUB_REPOSITORY",
     .repo_variable = "GITHUB_REPOSITORY",
     .tokens = github_tokens,
     .token_header = "Authorization: Bearer ",
     .headers = github_headers,
     .read = read_github,
     .user_path = "/user",
     .user_key = "login",
     .author = "github-actions[bot]",
     .comments = {"/repos/{repo}/issues/{number}/comments", "/repos/{repo}/issues/comments/{id}",
                  "?per_page=100", "id", "body"},
     .issues = {"/repos/{repo}/issues", "/repos/{repo}/issues/{id}", "?state=open&per_page=100",
                "number", "body"},
     .item_author = "user.login",
     .body_key = "body",
     .close_key = "state",
     .close_value = "closed",
     .update = "PATCH",
     .comment_most = 65536,
     .takes_html = true,
     .status_path = "/repos/{repo}/statuses/{sha}",
     .status_name = "context",
     .status_url = "target_url",
     .states = {"success", "error", "failure", "success", "error"},
     .permission = "pull-requests: write, checks: write, statuses: write"},
    {.name = "gitlab",
     .mark = "GITLAB_CI",
     .repo_variable = "CI_PROJECT_ID",
     .tokens = gitlab_tokens,
     .token_header = "PRIVATE-TOKEN: ",
     .headers = plain_headers,
     .read = read_gitlab,
     .user_path = "/user",
     .user_key = "username",
     .author = "",
     .comments = {"/projects/{repo}/merge_requests/{number}/notes",
                  "/projects/{repo}/merge_requests/{number}/notes/{id}",
                  "?per_page=100&sort=asc&order_by=created_at", "id", "body"},
     .issues = {"/projects/{repo}/issues", "/projects/{repo}/issues/{id}",
                "?state=opened&per_page=100", "iid", "description"},
     .item_author = "author.username",
     .body_key = "body",
     .close_key = "state_event",
     .close_value = "close",
     .update = "PUT",
     .comment_most = 1000000,
     .takes_html = true,
     .status_path = "/projects/{repo}/statuses/{sha}",
     .status_name = "name",
     .status_url = "target_url",
     .states = {"success", "failed", "failed", "success", "failed"},
     .permission = "the scope api"},
    {.name = "bitbucket",
     .mark = "BITBUCKET_REPO_FULL_NAME",
     .repo_variable = "BITBUCKET_REPO_FULL_NAME",
     .tokens = bitbucket_tokens,
     .token_header = "Authorization: Bearer ",
     .headers = plain_headers,
     .read = read_bitbucket,
     .user_path = "/user",
     .user_key = "uuid",
     .author = "",
     .comments = {"/repositories/{repo}/pullrequests/{number}/comments",
                  "/repositories/{repo}/pullrequests/{number}/comments/{id}", "?pagelen=100", "id",
                  "content.raw"},
     .item_author = "user.uuid",
     .body_key = "content",
     .update = "PUT",
     .comment_most = 32768,
     .status_path = "/repositories/{repo}/commit/{sha}/statuses/build",
     .status_name = "key",
     .status_url = "url",
     .states = {"SUCCESSFUL", "FAILED", "FAILED", "SUCCESSFUL", "FAILED"},
     .permission = "pullrequest:write, repository:write"},
};

static bool is_hex_commit(pprofc_str text) {
  return (text.size == 40 || text.size == 64) && text_is_of(text, TEXT_HEX);
}

/* True if the name is safe as a part of a path: the name must not lead to another folder. */
static bool is_repository(const char *text) {
  pprofc_str rest = str_of(text), part;
  size_t parts = 0;
  while (str_next(&rest, '/', &part)) {
    bool dots = str_equal(part, STR(".")) || str_equal(part, STR(".."));
    if (dots || ++parts > 2 || !text_is_of(part, TEXT_WORDS)) return false;
  }
  return parts > 0;
}

static bool is_link(const char *text) {
  pprofc_str link = str_of(text);
  if (!str_starts(link, STR("https://")) && !str_starts(link, STR("http://"))) return false;
  for (size_t i = 0; i < link.size; i++)
    if ((unsigned char)link.data[i] <= ' ' || (unsigned char)link.data[i] >= 0x7f ||
        strchr("<>\"\\()[]`|", link.data[i]))
      return false;
  return true;
}

static void site_check(const struct site *site) {
  if (*site->sha && !is_hex_commit(str_of(site->sha)))
    ci_fail("'%s' is not a commit id", site->sha);
  if (*site->page && !is_link(site->page))
    ci_fail("'%s' is not an http or https address", site->page);
  if (site->forge && !*site->repo)
    ci_fail("%s is not set; outside a CI job, set it to the repository",
            site->forge->repo_variable);
  if (site->forge && !is_repository(site->repo))
    ci_fail("%s is '%s', which is not a repository", site->forge->repo_variable, site->repo);
}

static const struct forge *forge_find(const char *host) {
  for (size_t i = 0; i < sizeof forges / sizeof *forges; i++) {
    bool asked = strcmp(host, forges[i].name) == 0;
    if (asked || (!*host && *ci_variable(forges[i].mark, ""))) return &forges[i];
  }
  return NULL;
}

void site_read(struct site *site, struct arena *arena, const struct site_options *options) {
  *site = (struct site){.arena = arena,
                        .forge = forge_find(options->host),
                        .api = "",
                        .repo = "",
                        .token = "",
                        .sha = options->sha,
                        .checkout = "",
                        .page = options->page,
                        .number = options->number,
                        .owner = "",
                        .branch = ""};
  if (*options->host && !site->forge)
    ci_fail("-host must be github, gitlab or bitbucket, not '%s'", options->host);
  if (site->forge) {
    site->token = ci_first_variable(site->forge->tokens);
    site->forge->read(site);
  }
  site_check(site);
}

const char *site_path(const struct site *site, const char *pattern, const char *id) {
  char number[24];
  const struct {
    const char *name, *value;
  } places[] = {{"{repo}", site->repo}, {"{number}", number}, {"{sha}", site->sha}, {"{id}", id}};
  struct buffer path = ci_buffer();
  snprintf(number, sizeof number, "%lld", (long long)site->number);
  while (*pattern) {
    size_t i = 0, count = sizeof places / sizeof *places;
    while (i < count && !str_starts(str_of(pattern), str_of(places[i].name))) i++;
    if (i < count)
      buffer_add_text(&path, places[i].value);
    else
      buffer_add_char(&path, *pattern);
    pattern += i < count ? strlen(places[i].name) : 1;
  }
  return buffer_take(&path, site->arena).data;
}
