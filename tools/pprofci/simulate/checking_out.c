/* Checks out, builds and starts base and head, for counting and for timing. */
#include "core/json_tree.h"
#include "simulate/counting.h"

/* ---- command lines ----------------------------------- */

void words_add(struct word_list *w, const char *word) {
  (void)ARRAY_RESERVE_IN(w->arena, w->items, w->capacity, w->count + 2);
  w->items[w->count++] = word;
  w->items[w->count] = NULL;
}

void words_add_all(struct word_list *w, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) words_add(w, list[i]);
}

void words_add_list(struct word_list *w, const char *const *list) {
  while (*list) words_add(w, *list++);
}

/* ---- checkouts --------------------------------------- */

bool sides_own_file(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
}

/* Warns that uncommitted changes are not measured. */
static void note_changes(struct ci_run *run) {
  if (*GIT_LINE(&run->arena, "status", "--porcelain", "--untracked-files=no"))
    message_note("warning: changes that are not committed are not measured");
}

struct sides_commits sides_find(struct ci_run *run, const char *flag) {
  struct sides_commits commits = {.names = {[SIDE_HEAD] = "HEAD"}};
  commits.ids[SIDE_HEAD] = GIT_LINE(&run->arena, "rev-parse", "--verify", "--quiet", "HEAD");
  if (!*commits.ids[SIDE_HEAD]) ci_fail("-%s with a base needs a git checkout", flag);
  commits.ids[SIDE_BASE] = checkouts_find_base(run, &commits.names[SIDE_BASE]);
  note_changes(run);
  return commits;
}

const char *sides_tree(struct ci_run *run) {
  return text_printf(&run->arena, "%s/tree", run->work);
}

pprofc_str sides_tree_end(struct ci_run *run) {
  pprofc_str work = str_path_base(str_of(run->work));
  return str_of(text_printf(&run->arena, "/%.*s/tree/", STR_ARG(work)));
}

const char *sides_check_out(struct ci_run *run, int side, const struct sides_commits *commits,
                            const char *checkout) {
  checkouts_clone(run, commits->names[side], commits->ids[side], checkout);
  const char *folder = checkouts_inside(run, checkout);
  if (!file_is_folder(folder))
    ci_fail("%s has no folder '%s'", commits->names[side], folder + strlen(checkout) + 1);
  return folder;
}

void sides_set_up(struct ci_run *run, int side, const char *folder) {
  struct program shell = {.argv = TEXT_LIST("/bin/sh", "-c", run->options->setup),
                          .folder = folder};
  if (!*run->options->setup) return;
  program_run(&shell);
  if (shell.status != 0) {
    message_error_lines(count_output(run, &shell));
    ci_fail("-setup failed (%s): status %d: %.*s", side_names[side], shell.status,
            STR_ARG(program_last_line(&shell)));
  }
  program_end(&shell);
}

/* ---- node -------------------------------------------- */

/* Maximum size in bytes of the file into which the plugin writes flags. */
#define NODE_FLAGS_MAX ((size_t)1 << 20)

/* Runs a script once to get the V8 flags that its benchmark plugin needs. Environment variables
 * make the plugin write the flags to the file `path` and end the script. A script without the
 * plugin writes no flags. */
static void node_ask(struct ci_run *run, const char *folder, const char *mode,
                     const char *const *words, const char *path) {
  struct word_list w = {.arena = &run->arena};
  words_add(&w, "env");
  words_add(&w, "CODSPEED_ENV=runner");
  words_add(&w, text_printf(w.arena, "CODSPEED_RUNNER_MODE=%s", mode));
  words_add(&w, text_printf(w.arena, "__CODSPEED_NODE_CORE_INTROSPECTION_PATH__=%s", path));
  words_add_list(&w, words);
  struct program node = {.argv = w.items, .folder = folder};
  program_run(&node);
  program_end(&node);
}

const char *const *sides_node(struct ci_run *run, const char *folder, const char *mode,
                              const char *const *words) {
  const char *path = text_printf(&run->arena, "%s/node_flags.json", run->work);
  struct word_list w = {.arena = &run->arena};
  struct node *root;
  if (!str_equal(str_path_base(str_of(words[0])), STR("node"))) return words;
  (void)unlink(path);
  node_ask(run, folder, mode, words, path);
  if (!file_is_regular(path)) return words;
  ci_need(json_tree_read(&run->arena, path, NODE_FLAGS_MAX, &root, &ci_error));
  const struct node *flags = node_get(root, "flags");
  words_add(&w, words[0]);
  for (size_t i = 0; i < node_size(flags); i++)
    words_add(&w, text_keep(w.arena, node_at(flags, i)->text));
  words_add_list(&w, words + 1);
  return w.items;
}

/* ---- installed modules ------------------------------- */

/* Common end of site-packages and dist-packages, the folders of installed Python modules. */
#define INSTALLED "-packages/"

/* Writes the path of the source file of an installed module. Returns false if there is no such
 * file. */
static bool source_file(const char *folder, pprofc_str module, char *path, size_t size) {
  int written = snprintf(path, size, "%s/src/%.*s", folder, STR_ARG(module));
  return written > 0 && (size_t)written < size && file_is_regular(path);
}

/* Copies a line. Replaces the path of an installed module by the path of its source file, as
 * sides_source_files describes. Text may follow the path. */
static void copy_source_line(const char *folder, pprofc_str line, struct buffer *to) {
  char path[4096];
  size_t from = str_find(line, STR(":/")), installed = str_find(line, STR(INSTALLED));
  size_t module = installed + strlen(INSTALLED);
  if (from < installed && installed < line.size) {
    size_t end = module + str_find(str_slice(line, module, line.size), STR(".py")) + strlen(".py");
    if (end <= line.size && source_file(folder, str_slice(line, module, end), path, sizeof path)) {
      buffer_add_str(to, str_slice(line, 0, from + 1));
      buffer_add_text(to, path);
      line = str_slice(line, end, line.size);
    }
  }
  buffer_add_str(to, line);
  buffer_add_char(to, '\n');
}

void sides_source_files(const char *folder, pprofc_str text, struct buffer *to) {
  pprofc_str line;
  while (text.data && str_next_line(&text, &line)) copy_source_line(folder, line, to);
}
