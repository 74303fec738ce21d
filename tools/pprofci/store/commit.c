/* Reads data about a commit from the environment and git. */
#include "store/commit.h"

#include "core/child.h"
#include "run/text.h"

#include <stdlib.h>

static const char *commit_variable(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value) return value;
  }
  return "";
}

/* Returns the line that git prints, or "" if it fails. */
static const char *commit_git(struct arena *arena, const char *const *argv) {
  struct buffer printed;
  struct child child = {.argv = argv};
  struct child_user user = {.folder = NULL};
  struct child_end end;
  pprofc_error ignored;
  const char *line = "";
  buffer_init(&printed, &mem_default, 1 << 16);
  if (child_run_for_user(&child, &user, &printed, &end, &ignored) == PPROFC_OK && end.status == 0)
    line = text_keep(arena, str_trim(buffer_str(&printed)));
  buffer_free(&printed);
  return line ? line : "";
}

/* ---- commit, order, time, tags ----------------------- */

static void commit_find_id(struct commit_info *f, struct arena *arena) {
  static const char *const names[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT",
                                      "BITBUCKET_COMMIT", NULL};
  static const char *const head[] = {"git", "rev-parse", "HEAD", NULL};
  if (!*f->commit) f->commit = commit_git(arena, head);
  if (!*f->commit) f->commit = commit_variable(names);
}

static void commit_find_branch(struct commit_info *f, struct arena *arena) {
  static const char *const names[] = {"GITHUB_HEAD_REF",  "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
                                      "CI_COMMIT_BRANCH", "BITBUCKET_BRANCH",
                                      "GIT_BRANCH",       NULL};
  static const char *const ref[] = {"GITHUB_REF_NAME", NULL};
  static const char *const kind[] = {"GITHUB_REF_TYPE", NULL};
  static const char *const head[] = {"git", "symbolic-ref", "--quiet", "--short", "HEAD", NULL};
  if (!*f->branch) f->branch = commit_variable(names);
  if (!*f->branch && strcmp(commit_variable(kind), "tag") != 0) f->branch = commit_variable(ref);
  if (!*f->branch) f->branch = commit_git(arena, head);
}

static void commit_find_tag(struct commit_info *f) {
  static const char *const ref[] = {"GITHUB_REF_NAME", NULL};
  static const char *const kind[] = {"GITHUB_REF_TYPE", NULL};
  static const char *const names[] = {"CI_COMMIT_TAG", "BITBUCKET_TAG", NULL};
  const char *tag = commit_variable(names);
  if (strcmp(commit_variable(kind), "tag") == 0) tag = commit_variable(ref);
  if (!f->tag_count && *tag) f->tags[f->tag_count++] = tag;
}

/* Counts the commits up to this one. A shallow clone has too few, so the number stays unknown. */
static void commit_find_order(struct commit_info *f, struct arena *arena) {
  static const char *const shallow[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
  const char *const count[] = {"git", "rev-list", "--count", "--first-parent", f->commit, NULL};
  if (f->order >= 0 || strcmp(commit_git(arena, shallow), "false") != 0) return;
  if (!str_parse_int(str_of(commit_git(arena, count)), 10, &f->order)) f->order = -1;
}

static void commit_find_time(struct commit_info *f, struct arena *arena) {
  const char *const show[] = {"git", "show", "-s", "--format=%ct", f->commit, NULL};
  if (f->time >= 0) return;
  if (!str_parse_int(str_of(commit_git(arena, show)), 10, &f->time)) f->time = -1;
}

static bool commit_is_id(pprofc_str id) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  if (id.size > 100 || *id.data == '.' || *id.data == '-') return false;
  for (size_t i = 0; i < id.size; i++)
    if (!memchr(letters, id.data[i], sizeof letters - 1)) return false;
  return true;
}

/* True if the tag can be a part of a path. */
static bool commit_is_tag(const char *tag) {
  return *tag && strcmp(tag, ".") != 0 && strcmp(tag, "..") != 0;
}

pprofc_status commit_complete(struct commit_info *f, struct arena *arena, pprofc_error *error) {
  commit_find_id(f, arena);
  if (!*f->commit)
    return error_set(error, PPROFC_E_INVALID,
                     "the commit is not known: give -commit, or run this in a git checkout");
  if (!commit_is_id(str_of(f->commit)))
    return error_set(error, PPROFC_E_INVALID, "'%s' is not the id of a commit", f->commit);
  commit_find_branch(f, arena);
  commit_find_tag(f);
  for (size_t i = 0; i < f->tag_count; i++)
    if (!commit_is_tag(f->tags[i]))
      return error_set(error, PPROFC_E_INVALID, "-tag: '%s' is not a tag", f->tags[i]);
  commit_find_order(f, arena);
  commit_find_time(f, arena);
  return PPROFC_OK;
}
