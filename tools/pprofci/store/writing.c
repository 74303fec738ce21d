/* Reads the inputs of `pprofci store`. Writes a record, its objects (profiles) and its tags. */
#include "store/store.h"

#include "bench/pairs.h"
#include "publish/post.h"
#include "run/profiles.h"

static void writing_add_profile(struct writing *w, struct writing_profile profile) {
  (void)ARRAY_PUSH_IN(&w->arena, w->profiles, w->profile_count, w->profile_capacity, profile);
}

static void writing_note_time(struct writing *w, const char *path) {
  struct stat info;
  if (stat(path, &info) == 0 && (int64_t)info.st_mtime > w->time) w->time = (int64_t)info.st_mtime;
}

/* Adds the head profiles of all pairs of profiles in the manifest. */
static void writing_add_pairs(struct writing *w) {
  const struct node *pairs = node_get(w->manifest, "pairs");
  for (size_t i = 0; i < node_size(pairs); i++) {
    const struct node *pair = node_at(pairs, i);
    struct writing_profile profile = {.kind = text_keep(&w->arena, node_text(pair, "kind")),
                                      .package = text_keep(&w->arena, node_text(pair, "package")),
                                      .benchmark =
                                          text_keep(&w->arena, node_text(pair, "benchmark")),
                                      .name = text_keep(&w->arena, node_text(pair, "head"))};
    if (!*profile.name) continue;
    if (strchr(profile.name, '/')) ci_fail("the manifest names a profile '%s'", profile.name);
    profile.path = text_printf(&w->arena, "%s/profiles/%s.pb.gz", w->folder, profile.name);
    writing_add_profile(w, profile);
  }
}

static void writing_read_run(struct writing *w, const char *folder) {
  struct outcome *outcome = arena_zero_array(&w->arena, 1, sizeof *outcome);
  const char *manifest = text_printf(&w->arena, "%s/manifest.json", folder);
  ci_need(outcome_read(&w->arena, folder, false, outcome, &ci_error));
  w->folder = folder;
  w->manifest = outcome->root;
  writing_note_time(w, manifest);
  writing_add_pairs(w);
}

static void writing_read_profile(struct writing *w, const char *path) {
  pprofc_profile *profile;
  ci_need(source_read(path, &mem_default, &profile, &ci_error));
  pprofc_value_type type = pprofc_profile_type(profile, pprofc_profile_default_type(profile));
  pprofc_str name = str_path_base(str_of(path));
  writing_add_profile(w, (struct writing_profile){.path = path,
                                                  .kind = text_keep(&w->arena, type.type),
                                                  .package = "",
                                                  .benchmark = "",
                                                  .name = text_keep(&w->arena, name)});
  pprofc_profile_release(profile);
}

static void writing_read_results(struct writing *w, const char *path) {
  size_t before, after;
  if (!w->set) w->set = pprofc_bench_new(NULL);
  if (!w->set) ci_fail("out of memory");
  (void)pprofc_bench_results(w->set, &before);
  ci_need(pprofc_bench_read_inputs(w->set, &path, 1, &ci_error));
  (void)pprofc_bench_results(w->set, &after);
  if (after == before) ci_fail("'%s' holds neither benchmark results nor a profile", path);
}

static void writing_read_file(struct writing *w, const char *path) {
  pprofc_error ignored;
  if (!file_is_regular(path) && !file_is_folder(path))
    ci_fail("cannot read '%s': no such file", path);
  writing_note_time(w, path);
  if (source_check(path, &ignored) == PPROFC_OK)
    writing_read_profile(w, path);
  else
    writing_read_results(w, path);
}

void writing_read(struct writing *w, const char *const *paths, size_t count) {
  *w = (struct writing){.arena = ci_arena()};
  for (size_t i = 0; i < count; i++) {
    const char *manifest = text_printf(&w->arena, "%s/manifest.json", paths[i]);
    bool is_run = file_is_folder(paths[i]) && file_is_regular(manifest);
    if (is_run && count > 1)
      ci_fail("'%s' is the folder of a run; store it in a command of its own", paths[i]);
    if (is_run)
      writing_read_run(w, paths[i]);
    else
      writing_read_file(w, paths[i]);
  }
}

void writing_free(struct writing *w) {
  pprofc_bench_free(w->set);
  arena_free(&w->arena);
}

/* Returns the machine that the benchmark results name: "linux amd64 AMD EPYC". */
static const char *writing_machine(struct writing *w) {
  static const char *const keys[] = {"goos", "goarch", "cpu"};
  struct buffer text = ci_buffer();
  size_t count;
  (void)pprofc_bench_results(w->set, &count);
  for (size_t i = 0; i < sizeof keys / sizeof *keys && count; i++) {
    pprofc_str value = pprofc_bench_result_config(w->set, 0, str_of(keys[i]));
    if (value.size && text.size) buffer_add_char(&text, ' ');
    buffer_add_str(&text, value);
  }
  return buffer_take(&text, &w->arena).data;
}

void writing_fill_commit(struct writing *w, struct commit_info *info) {
  pprofc_str commit = node_text(w->manifest, "commit");
  if (!*info->commit && commit.size) info->commit = text_keep(&w->arena, commit);
  if (!*info->machine && w->set) info->machine = writing_machine(w);
}

static void commit_find_id(struct commit_info *f, struct arena *arena) {
  if (!*f->commit) f->commit = GIT_LINE(arena, "rev-parse", "HEAD");
  if (!*f->commit)
    f->commit = ci_first_variable(
        TEXT_LIST("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BITBUCKET_COMMIT"));
}

static void commit_find_tag(struct commit_info *f) {
  const char *tag = ci_first_variable(TEXT_LIST("CI_COMMIT_TAG", "BITBUCKET_TAG"));
  if (strcmp(ci_variable("GITHUB_REF_TYPE", ""), "tag") == 0)
    tag = ci_variable("GITHUB_REF_NAME", "");
  if (!f->tag_count && *tag) f->tags[f->tag_count++] = tag;
}

/* Sets f->order to the number of commits from the first commit to f->commit. Does nothing in a
 * shallow clone, which lacks commits. */
static void commit_find_order(struct commit_info *f, struct arena *arena) {
  if (f->order >= 0) return;
  if (strcmp(GIT_LINE(arena, "rev-parse", "--is-shallow-repository"), "false") != 0) return;
  const char *count = GIT_LINE(arena, "rev-list", "--count", "--first-parent", f->commit);
  if (!str_parse_int(str_of(count), 10, &f->order)) f->order = -1;
}

static void commit_find_time(struct commit_info *f, struct arena *arena) {
  if (f->time >= 0) return;
  const char *time = GIT_LINE(arena, "show", "-s", "--format=%ct", f->commit);
  if (!str_parse_int(str_of(time), 10, &f->time)) f->time = -1;
}

static bool commit_is_id(pprofc_str id) {
  return id.size <= 100 && *id.data != '.' && *id.data != '-' && text_is_of(id, TEXT_WORDS);
}

/* True if the tag can be a path element. */
static bool commit_is_tag(const char *tag) {
  return *tag && strcmp(tag, ".") != 0 && strcmp(tag, "..") != 0;
}

void commit_complete(struct commit_info *f, struct arena *arena) {
  commit_find_id(f, arena);
  if (!*f->commit) ci_fail("the commit is not known: give -commit, or run this in a git checkout");
  if (!commit_is_id(str_of(f->commit))) ci_fail("'%s' is not the id of a commit", f->commit);
  if (!*f->branch) f->branch = identity_branch(arena);
  commit_find_tag(f);
  for (size_t i = 0; i < f->tag_count; i++)
    if (!commit_is_tag(f->tags[i])) ci_fail("-tag: '%s' is not a tag", f->tags[i]);
  commit_find_order(f, arena);
  commit_find_time(f, arena);
}

/* Copies the head's measurements from a manifest into the record. Returns the number of results. */
static size_t writing_put_manifest(struct json_text *to, const struct node *manifest) {
  const struct node *results = node_get(manifest, "results");
  size_t count = 0;
  for (size_t i = 0; i < node_size(results); i++) {
    const struct node *item = node_at(results, i), *head = node_get(item, "head");
    if (!node_size(head)) continue; /* The head lacks this benchmark. */
    json_line_break(&to->json);
    json_pack(&to->json, "{group:S benchmark:S unit:S direction:i verdict:S values:[",
              node_text(item, "group"), node_text(item, "benchmark"), node_text(item, "unit"),
              node_integer(node_get(item, "direction")), node_text(item, "verdict"));
    for (size_t k = 0; k < node_size(head); k++) {
      const struct node *value = node_at(head, k);
      json_verbatim(&to->json, node_is(value, NODE_NUMBER) ? value->text : STR("null"));
    }
    json_pack(&to->json, "]}");
    count++;
  }
  return count;
}

static void writing_put_pair(struct json_text *to, const struct pairs *pairs,
                             const struct pair *pair) {
  const struct pair_side *side = &pair->sides[PAIR_BASE];
  pprofc_str unit = pairs_text(pairs, pair->unit);
  json_pack(&to->json, "\n{group:S benchmark:S unit:S direction:i values:[",
            pairs_text(pairs, pair->package), pprofc_bench_string(pairs->set, pair->name), unit,
            (int64_t)pprofc_bench_direction(pairs->set, unit));
  for (size_t i = 0; i < side->count; i++) json_double(&to->json, pairs->values[side->first + i]);
  json_pack(&to->json, "]}");
}

/* Copies the values from benchmark results into the record. Returns the number of results. */
static size_t writing_put_set(struct json_text *to, const pprofc_bench *set) {
  struct pairs pairs;
  (void)pairs_make(&pairs, set, NULL, &ci_mem);
  for (size_t i = 0; i < pairs.count; i++) writing_put_pair(to, &pairs, &pairs.items[i]);
  size_t count = pairs.count;
  pairs_free(&pairs);
  return count;
}

/* Stores a profile as an object. Sets *hex to the hash and *size to the size of the profile. Both
 * pointers may be NULL. */
static void writing_put_object(struct backing *backing, const struct writing_profile *profile,
                               char *hex, size_t *size) {
  char hash[SHA256_HEX + 1], key[80];
  struct buffer data = buffer_make(&ci_mem, BACKING_FILE_MAX);
  ci_need(file_read(profile->path, &data, &ci_error));
  sha256_hex_of(buffer_str(&data), hash);
  past_object_key(str_of(hash), key);
  backing->kind->put(backing, key, buffer_str(&data));
  if (hex) memcpy(hex, hash, sizeof hash);
  if (size) *size = data.size;
  buffer_free(&data);
}

static void writing_put_profile(struct json_text *to, struct backing *backing,
                                const struct writing_profile *profile) {
  char hex[SHA256_HEX + 1];
  size_t size;
  writing_put_object(backing, profile, hex, &size);
  json_pack(&to->json, "\n{kind:s package:s benchmark:s name:s sha256:s size:i}", profile->kind,
            profile->package, profile->benchmark, profile->name, hex, (int64_t)size);
}

static void writing_put_commit(struct json_text *to, const struct writing *w,
                               const struct commit_info *info) {
  json_pack(&to->json, "version:i commit:s branch:s time:i", (int64_t)1, info->commit, info->branch,
            info->time);
  if (info->order >= 0) json_pack(&to->json, "order:i", info->order);
  json_pack(&to->json, "machine:s", info->machine);
  if (!w->manifest) return;
  json_pack(&to->json, "base:S verdict:S status:i headline:S",
            node_text(w->manifest, "base_commit"), node_text(w->manifest, "verdict"),
            node_integer(node_get(w->manifest, "gate_status")), node_text(w->manifest, "headline"));
}

/* Formats the text of the record, and writes its profiles. */
static void writing_print(struct writing *w, struct backing *backing,
                          const struct commit_info *info, struct json_text *to,
                          struct writing_result *result) {
  json_begin_object(&to->json);
  writing_put_commit(to, w, info);
  json_pack(&to->json, "\nseries:[");
  if (w->manifest) result->series = writing_put_manifest(to, w->manifest);
  if (w->set) result->series = writing_put_set(to, w->set);
  json_pack(&to->json, "]\nprofiles:[");
  for (size_t i = 0; i < w->profile_count; i++) writing_put_profile(to, backing, &w->profiles[i]);
  json_pack(&to->json, "]}");
  result->profiles = w->profile_count;
}

void writing_put_tags(struct arena *arena, struct backing *backing,
                      const struct commit_info *info) {
  for (size_t i = 0; i < info->tag_count; i++) {
    const char *tag = text_url(arena, str_of(info->tags[i]), "");
    const char *key = text_printf(arena, "tags/%s/%s", tag, info->commit);
    backing->kind->put(backing, key, STR("tag\n"));
  }
}

/* Writes the record. The name of the record is a prefix of the hash of its text. */
static void writing_put_record(struct writing *w, struct backing *backing,
                               const struct commit_info *info, pprofc_str text,
                               struct writing_result *result) {
  char hex[SHA256_HEX + 1];
  sha256_hex_of(text, hex);
  memcpy(result->id, hex, sizeof result->id - 1);
  result->id[sizeof result->id - 1] = '\0';
  const char *key = text_printf(&w->arena, "runs/%s/%s.json", info->commit, result->id);
  backing->kind->put(backing, key, text);
}

void writing_put(struct writing *w, struct backing *backing, const struct commit_info *info,
                 struct writing_result *result) {
  struct json_text to;
  *result = (struct writing_result){.id = ""};
  json_text_begin(&to);
  writing_print(w, backing, info, &to, result);
  pprofc_str text = json_text_end(&to, &w->arena);
  if (!result->series && !result->profiles) ci_fail("nothing to store: no results and no profiles");
  writing_put_tags(&w->arena, backing, info);
  writing_put_record(w, backing, info, text, result);
  /* Another process may have removed a profile while no record used it. Write each missing profile
   * again. */
  for (size_t i = 0; i < w->profile_count; i++)
    writing_put_object(backing, &w->profiles[i], NULL, NULL);
}
