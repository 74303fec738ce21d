/* Finds the repository, the change and the branch of a run. */
#include "page/model.h"

#include "page/page.h"
#include "run/files.h"

#define COMMIT_SHOWN 9 /* number of digits of a commit id that are shown */
#define EVENT_MOST   ((size_t)32 << 20)

const char *identity_branch(struct arena *arena) {
  static const char *const names[] = {"GITHUB_HEAD_REF",  "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
                                      "CI_COMMIT_BRANCH", "BITBUCKET_BRANCH",
                                      "GIT_BRANCH",       NULL};
  static const char *const head[] = {"git", "symbolic-ref", "--quiet", "--short", "HEAD", NULL};
  const char *branch = ci_first_variable(names);
  if (!*branch && strcmp(ci_variable("GITHUB_REF_TYPE", ""), "tag") != 0)
    branch = ci_variable("GITHUB_REF_NAME", "");
  return *branch ? branch : program_line(arena, NULL, head);
}

/* A code host such as GitHub. `part` is a part of its host name. `commit` and `change` are the text
 * before the id in the URL of a commit and of a pull request. */
static const struct identity_host {
  const char *part, *commit, *change;
} identity_hosts[] = {{"github", "/commit/", "/pull/"},
                      {"gitlab", "/-/commit/", "/-/merge_requests/"},
                      {"bitbucket", "/commits/", "/pull-requests/"},
                      {"codeberg", "/commit/", "/pulls/"}};

/* Sets the repository and its address on a code host such as GitHub. `host` is NULL if the code
 * host is unknown, and then commits get no addresses. Ignores a `repository` that is not
 * "owner/name". Ignores a `server` whose address has a user or a password. */
static void identity_set(struct identity *id, struct arena *arena, const struct identity_host *host,
                         const char *server, pprofc_str repository) {
  const char *url = text_printf(arena, "%s/%.*s", server, STR_ARG(repository));
  const char *name = text_keep(arena, repository);
  if (!text_is_of(repository, TEXT_WORDS "/~") || str_starts(repository, STR("/"))) return;
  id->repository = name;
  if (!outside_may_link(str_of(url)) || strchr(server, '@')) return;
  id->url = url;
  if (host) id->commits = text_printf(arena, "%s%s", url, host->commit);
}

static void identity_set_change(struct identity *id, struct arena *arena,
                                const struct identity_host *host, const char *word,
                                pprofc_str number) {
  int64_t value;
  if (!str_parse_int(number, 10, &value) || value < 1) return;
  id->change = text_printf(arena, "%s %lld", word, (long long)value);
  if (*id->url)
    id->change_url = text_printf(arena, "%s%s%lld", id->url, host->change, (long long)value);
}

/* Reads the title of the pull request from the event file, if the file is valid. */
static void identity_read_event(struct identity *id, struct arena *arena) {
  const char *path = ci_variable("GITHUB_EVENT_PATH", "");
  struct node *event;
  pprofc_error ignored;
  if (!*path || json_tree_read(arena, path, EVENT_MOST, &event, &ignored) != PPROFC_OK) return;
  const struct node *title = node_path(event, "pull_request.title");
  if (node_is(title, NODE_STRING)) id->title = text_keep(arena, title->text);
}

static void identity_of_github(struct identity *id, struct arena *arena) {
  const struct identity_host *host = &identity_hosts[0];
  pprofc_str ref = str_of(ci_variable("GITHUB_REF", ""));
  identity_set(id, arena, host, ci_variable("GITHUB_SERVER_URL", "https://github.com"),
               str_of(ci_variable("GITHUB_REPOSITORY", "")));
  if (!str_starts(ref, STR("refs/pull/"))) return;
  ref = str_slice(ref, sizeof "refs/pull/" - 1, ref.size);
  identity_read_event(id, arena);
  identity_set_change(id, arena, host, "pull request", str_slice(ref, 0, str_find_char(ref, '/')));
}

static void identity_of_gitlab(struct identity *id, struct arena *arena) {
  const struct identity_host *host = &identity_hosts[1];
  identity_set(id, arena, host, ci_variable("CI_SERVER_URL", ""),
               str_of(ci_variable("CI_PROJECT_PATH", "")));
  id->title = ci_variable("CI_MERGE_REQUEST_TITLE", "");
  identity_set_change(id, arena, host, "merge request",
                      str_of(ci_variable("CI_MERGE_REQUEST_IID", "")));
}

static void identity_of_bitbucket(struct identity *id, struct arena *arena) {
  const struct identity_host *host = &identity_hosts[2];
  identity_set(id, arena, host, "https://bitbucket.org",
               str_of(ci_variable("BITBUCKET_REPO_FULL_NAME", "")));
  identity_set_change(id, arena, host, "pull request", str_of(ci_variable("BITBUCKET_PR_ID", "")));
}

/* Address of a git remote, split into user, host and path. The host has no port. */
struct identity_remote {
  pprofc_str user, host, path;
  bool ssh;
};

/* Splits the address of a git remote into host and path: "https://user@host/owner/name.git",
 * "git@host:owner/name". Returns false for a path on this machine. */
static bool identity_cut(pprofc_str text, struct identity_remote *remote) {
  size_t scheme = str_find(text, STR("://"));
  bool named = scheme < text.size;
  remote->ssh = !named || str_find(str_slice(text, 0, scheme), STR("ssh")) < scheme;
  if (named) {
    bool web = str_starts(text, STR("http"));
    if (!web && !remote->ssh && !str_starts(text, STR("git"))) return false;
    text = str_slice(text, scheme + 3, text.size);
  }
  size_t cut = str_find_char(text, named ? '/' : ':');
  remote->host = str_slice(text, 0, cut);
  remote->path = str_slice(text, cut + 1, text.size);
  return cut < text.size && (named || !str_starts(remote->path, STR("/")));
}

/* Splits an address into user, host and path. Returns false if the path is not "owner/name". */
static bool identity_split(pprofc_str text, struct identity_remote *remote) {
  if (!identity_cut(text, remote)) return false;
  pprofc_str *host = &remote->host, *path = &remote->path;
  size_t user = str_find_last_char(*host, '@');
  remote->user = user < host->size ? str_slice(*host, 0, user) : STR("");
  if (user < host->size) *host = str_slice(*host, user + 1, host->size);
  *host = str_slice(*host, 0, str_find_char(*host, ':'));
  if (str_ends(*path, STR("/"))) path->size--;
  if (str_ends(*path, STR(".git"))) path->size -= 4;
  while (path->size && *path->data == '/') *path = str_slice(*path, 1, path->size);
  return str_find_char(*host, '.') < host->size && text_is_of(*host, TEXT_WORDS) &&
         text_is_of(*path, TEXT_WORDS "/~") && str_find_char(*path, '/') < path->size;
}

/* True if the path is a folder of a server, not "owner/name" of a service. A service has the ssh
 * user "git", and no owner has the name of a top folder of Unix, such as "home". */
static bool identity_is_folder(const struct identity_remote *remote) {
  pprofc_str first = str_slice(remote->path, 0, str_find_char(remote->path, '/'));
  if (!remote->ssh) return false;
  if (!str_equal(remote->user, STR("git"))) return true;
  return STR_ANY(str_equal, first, "data", "home", "mnt", "opt", "root", "srv", "tmp", "usr",
                 "Users", "var");
}

static void identity_of_git(struct identity *id, struct arena *arena) {
  static const char *const argv[] = {"git", "remote", "get-url", "origin", NULL};
  const struct identity_host *found = NULL;
  struct identity_remote remote;
  if (!identity_split(str_of(program_line(arena, NULL, argv)), &remote)) return;
  for (size_t i = 0; i < sizeof identity_hosts / sizeof *identity_hosts && !found; i++)
    if (str_find(remote.host, str_of(identity_hosts[i].part)) < remote.host.size)
      found = &identity_hosts[i];
  if (!found && identity_is_folder(&remote)) return;
  const char *server = text_printf(arena, "https://%.*s", STR_ARG(remote.host));
  identity_set(id, arena, found, server, remote.path);
}

void identity_find(struct identity *id, struct arena *arena) {
  static const struct {
    const char *mark; /* environment variable of the service's CI jobs; NULL: any other machine */
    void (*find)(struct identity *id, struct arena *arena);
  } jobs[] = {{"GITHUB_REPOSITORY", identity_of_github},
              {"CI_PROJECT_PATH", identity_of_gitlab},
              {"BITBUCKET_REPO_FULL_NAME", identity_of_bitbucket},
              {NULL, identity_of_git}};
  size_t i = 0;
  *id = (struct identity){"", "", "", "", "", "", ""};
  while (jobs[i].mark && !ci_variable(jobs[i].mark, NULL)) i++;
  id->branch = identity_branch(arena);
  jobs[i].find(id, arena);
}

static void identity_fill_commit(struct fill *f, const struct identity *id, const char *list,
                                 const char *commit) {
  if (!*commit) return;
  fill_begin(f, list);
  fill_str(f, "commit", str_slice(str_of(commit), 0, COMMIT_SHOWN));
  if (*id->commits && text_is_of(str_of(commit), TEXT_HEX))
    buffer_printf(fill_text(f, "commit_url"), "%s%s", id->commits, commit);
  fill_end(f);
}

void identity_fill(struct fill *f, const struct identity *id, const char *base, const char *head) {
  if (*id->repository) {
    fill_pack(
        f, "identity:{repository:s repository_url:s change:s change_url:s change_title:s branch:s}",
        id->repository, id->url, id->change, id->change_url, id->title, id->branch);
  }
  identity_fill_commit(f, id, "base", base);
  identity_fill_commit(f, id, "head", head);
}
