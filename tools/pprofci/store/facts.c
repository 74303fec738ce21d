/* Reads data about a commit from the environment and git. */
#include "store/facts.h"

#include "core/child.h"
#include "run/text.h"

#include <stdlib.h>
#include <time.h>

static const char *facts_variable(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value) return value;
  }
  return "";
}

/* Returns the line that git prints, or "" if it fails. */
static const char *facts_git(struct arena *arena, const char *const *argv) {
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

static void facts_find_commit(struct commit_facts *f, struct arena *arena) {
  static const char *const names[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT",
                                      "BITBUCKET_COMMIT", NULL};
  static const char *const head[] = {"git", "rev-parse", "HEAD", NULL};
  if (!*f->commit) f->commit = facts_git(arena, head);
  if (!*f->commit) f->commit = facts_variable(names);
}

static void facts_find_branch(struct commit_facts *f, struct arena *arena) {
  static const char *const names[] = {"GITHUB_HEAD_REF",  "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
                                      "CI_COMMIT_BRANCH", "BITBUCKET_BRANCH",
                                      "GIT_BRANCH",       NULL};
  static const char *const ref[] = {"GITHUB_REF_NAME", NULL};
  static const char *const kind[] = {"GITHUB_REF_TYPE", NULL};
  static const char *const head[] = {"git", "symbolic-ref", "--quiet", "--short", "HEAD", NULL};
  if (!*f->branch) f->branch = facts_variable(names);
  if (!*f->branch && strcmp(facts_variable(kind), "tag") != 0) f->branch = facts_variable(ref);
  if (!*f->branch) f->branch = facts_git(arena, head);
}

static void facts_find_tag(struct commit_facts *f) {
  static const char *const ref[] = {"GITHUB_REF_NAME", NULL};
  static const char *const kind[] = {"GITHUB_REF_TYPE", NULL};
  static const char *const names[] = {"CI_COMMIT_TAG", "BITBUCKET_TAG", NULL};
  const char *tag = facts_variable(names);
  if (strcmp(facts_variable(kind), "tag") == 0) tag = facts_variable(ref);
  if (!f->tag_count && *tag) f->tags[f->tag_count++] = tag;
}

/* Counts the commits up to this one. A shallow clone has too few, so the number stays unknown. */
static void facts_find_order(struct commit_facts *f, struct arena *arena) {
  static const char *const shallow[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
  const char *const count[] = {"git", "rev-list", "--count", "--first-parent", f->commit, NULL};
  if (f->order >= 0 || strcmp(facts_git(arena, shallow), "false") != 0) return;
  if (!str_parse_int(str_of(facts_git(arena, count)), 10, &f->order)) f->order = -1;
}

static void facts_find_time(struct commit_facts *f, struct arena *arena) {
  const char *const show[] = {"git", "show", "-s", "--format=%ct", f->commit, NULL};
  if (f->time >= 0) return;
  if (!str_parse_int(str_of(facts_git(arena, show)), 10, &f->time)) f->time = -1;
}

static bool facts_is_commit(pprofc_str id) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  if (id.size > 100 || *id.data == '.' || *id.data == '-') return false;
  for (size_t i = 0; i < id.size; i++)
    if (!memchr(letters, id.data[i], sizeof letters - 1)) return false;
  return true;
}

/* True if the tag can be a part of a path. */
static bool facts_is_tag(const char *tag) {
  return *tag && strcmp(tag, ".") != 0 && strcmp(tag, "..") != 0;
}

pprofc_status facts_complete(struct commit_facts *f, struct arena *arena, pprofc_error *error) {
  facts_find_commit(f, arena);
  if (!*f->commit)
    return error_set(error, PPROFC_E_INVALID,
                     "the commit is not known: give -commit, or run this in a git checkout");
  if (!facts_is_commit(str_of(f->commit)))
    return error_set(error, PPROFC_E_INVALID, "'%s' is not the id of a commit", f->commit);
  facts_find_branch(f, arena);
  facts_find_tag(f);
  for (size_t i = 0; i < f->tag_count; i++)
    if (!facts_is_tag(f->tags[i]))
      return error_set(error, PPROFC_E_INVALID, "-tag: '%s' is not a tag", f->tags[i]);
  facts_find_order(f, arena);
  facts_find_time(f, arena);
  return PPROFC_OK;
}

/* ---- times ------------------------------------------- */

static bool facts_digits(pprofc_str text, size_t at, size_t size, int *value) {
  int64_t number = 0;
  pprofc_str part = str_slice(text, at, at + size);
  for (size_t i = 0; i < part.size; i++)
    if (part.data[i] < '0' || part.data[i] > '9') return false;
  if (!str_parse_int(part, 10, &number)) return false;
  *value = (int)number;
  return true;
}

/* Parts of "2026-11-20T10:00:00Z". A day is the text before the T. */
static const struct {
  size_t at, size;
  char after; /* character after the part; '\0' at the end */
} time_parts[] = {{0, 4, '-'}, {5, 2, '-'}, {8, 2, 'T'}, {11, 2, ':'}, {14, 2, ':'}, {17, 2, 'Z'}};

bool facts_parse_time(pprofc_str text, int64_t *seconds) {
  int parts[6] = {0};
  if (str_parse_int(text, 10, seconds)) return *seconds >= 0;
  if (text.size != 10 && text.size != 20) return false;
  size_t count = text.size == 10 ? 3 : 6;
  for (size_t i = 0; i < count; i++) {
    size_t end = time_parts[i].at + time_parts[i].size;
    if (!facts_digits(text, time_parts[i].at, time_parts[i].size, &parts[i])) return false;
    if (end < text.size && text.data[end] != time_parts[i].after) return false;
  }
  struct tm t = {.tm_year = parts[0] - 1900,
                 .tm_mon = parts[1] - 1,
                 .tm_mday = parts[2],
                 .tm_hour = parts[3],
                 .tm_min = parts[4],
                 .tm_sec = parts[5]};
  *seconds = (int64_t)timegm(&t); /* normalizes February 30 to March 2, which the next line
                                     rejects */
  return *seconds >= 0 && t.tm_mday == parts[2] && t.tm_hour == parts[3] && t.tm_min == parts[4];
}

void facts_put_time(struct buffer *out, int64_t seconds) {
  char text[32];
  struct tm parts;
  time_t time = (time_t)seconds;
  if (gmtime_r(&time, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts))
    buffer_add_text(out, text);
  else
    buffer_add_text(out, "?");
}

bool facts_parse_age(pprofc_str text, int64_t *seconds) {
  static const struct {
    char unit;
    int64_t days;
  } units[] = {{'d', 1}, {'w', 7}, {'y', 366}};
  int64_t number = 0;
  if (str_equal(text, STR("all"))) {
    *seconds = INT64_MAX;
    return true;
  }
  if (text.size < 2 || !str_parse_int(str_slice(text, 0, text.size - 1), 10, &number)) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (text.data[text.size - 1] == units[i].unit && number > 0 && number < 100000) {
      *seconds = number * units[i].days * 86400;
      return true;
    }
  return false;
}
