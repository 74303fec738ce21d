/* Checks out, builds and starts base and head, for counting and for timing. */
#include "common/terminal.h"
#include "core/json_tree.h"
#include "run/files.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <stdio.h>
#include <unistd.h>
#include <wordexp.h>

/* Warns that uncommitted changes are not measured. */
static pprofc_status note_changes(struct ci_run *run, pprofc_error *error) {
  static const char *const argv[] = {"git", "status", "--porcelain", "--untracked-files=no", NULL};
  const char *line;
  pprofc_status status = program_line(run, NULL, argv, &line, error);
  if (status == PPROFC_OK && run_has(line))
    message_note("warning: changes that are not committed are not measured");
  return status;
}

pprofc_status sides_find(struct ci_run *run, const char *flag, struct sides_commits *commits,
                         pprofc_error *error) {
  static const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
  const char *head = NULL;
  pprofc_status status = program_line(run, NULL, argv, &head, error);
  if (status == PPROFC_OK && !run_has(head))
    status = error_set(error, PPROFC_E_INVALID, "-%s with a base needs a git checkout", flag);
  if (status == PPROFC_OK)
    commits->ids[SIDE_BASE] = checkouts_find_base(run, &commits->names[SIDE_BASE]);
  commits->names[SIDE_HEAD] = "HEAD";
  commits->ids[SIDE_HEAD] = head;
  return status == PPROFC_OK ? note_changes(run, error) : status;
}

pprofc_status sides_check_out(struct ci_run *run, int side, const struct sides_commits *commits,
                              const char *checkout, const char **folder, pprofc_error *error) {
  checkouts_clone(run, commits->names[side], commits->ids[side], checkout);
  *folder = checkouts_inside(run, checkout);
  if (files_is_folder(*folder)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "%s has no folder '%s'", commits->names[side],
                   *folder + strlen(checkout) + 1);
}

pprofc_status sides_set_up(struct ci_run *run, int side, const char *folder, pprofc_error *error) {
  const char *const argv[] = {"/bin/sh", "-c", run->options->setup, NULL};
  struct program shell = {.argv = argv, .folder = folder};
  if (!*run->options->setup) return PPROFC_OK;
  pprofc_status status = program_run(run, &shell, error);
  if (status == PPROFC_OK && shell.status != 0) {
    message_error_lines(count_output(run, &shell));
    status = error_set(error, PPROFC_E_IO, "-setup failed (%s): status %d: %.*s", side_names[side],
                       shell.status, STR_ARG(program_last_line(&shell)));
  }
  program_end(&shell);
  return status;
}

/* ---- node -------------------------------------------- */

/* Maximum size in bytes of the file into which the plugin writes flags. */
#define NODE_FLAGS_MAX ((size_t)1 << 20)

/* Inserts flags after the program name. */
static pprofc_status node_insert(struct ci_run *run, const struct node *flags,
                                 const char *const **words, pprofc_error *error) {
  size_t count = 0, old = 0;
  while ((*words)[old]) old++;
  const char **list = arena_array(&run->arena, old + node_size(flags) + 1, sizeof *list);
  if (!list) return error_nomem(error);
  list[count++] = (*words)[0];
  for (const struct node *flag = flags->first; flag; flag = flag->next) {
    list[count] = text_keep(&run->arena, flag->text);
    if (!list[count++]) return error_nomem(error);
  }
  for (size_t i = 1; i <= old; i++) list[count++] = (*words)[i];
  *words = list;
  return PPROFC_OK;
}

/* Runs a script once to get the V8 flags that its benchmark plugin needs. Environment variables
 * make the plugin write the flags to the file `path` and end the script. A script without the
 * plugin writes no flags. */
static pprofc_status node_ask(struct ci_run *run, const char *folder, const char *mode,
                              const char *const *words, const char *path, pprofc_error *error) {
  size_t count = 0, old = 0;
  while (words[old]) old++;
  const char **argv = arena_array(&run->arena, old + 5, sizeof *argv);
  if (!argv) return error_nomem(error);
  argv[count++] = "env";
  argv[count++] = "CODSPEED_ENV=runner";
  argv[count++] = text_printf(&run->arena, "CODSPEED_RUNNER_MODE=%s", mode);
  argv[count++] = text_printf(&run->arena, "__CODSPEED_NODE_CORE_INTROSPECTION_PATH__=%s", path);
  for (size_t i = 0; i <= old; i++) argv[count++] = words[i];
  struct program node = {.argv = argv, .folder = folder};
  if (!argv[2] || !argv[3]) return error_nomem(error);
  pprofc_status status = program_run(run, &node, error);
  program_end(&node);
  return status;
}

pprofc_status sides_node(struct ci_run *run, const char *folder, const char *mode,
                         const char *const **words, pprofc_error *error) {
  const char *path = text_printf(&run->arena, "%s/node_flags.json", run->work);
  struct node *root;
  if (!str_equal(str_path_base(str_of((*words)[0])), STR("node"))) return PPROFC_OK;
  if (!path) return error_nomem(error);
  (void)unlink(path);
  pprofc_status status = node_ask(run, folder, mode, *words, path, error);
  if (status != PPROFC_OK || !files_is_regular(path)) return status;
  status = json_tree_read(&run->arena, path, NODE_FLAGS_MAX, &root, error);
  if (status != PPROFC_OK) return status;
  const struct node *flags = node_get(root, "flags");
  return node_is(flags, NODE_ARRAY) ? node_insert(run, flags, words, error) : PPROFC_OK;
}

/* ---- command lines ----------------------------------- */

/* Copies the words of a command line into the arena. */
static pprofc_status keep_words(struct ci_run *run, const wordexp_t *split,
                                const char *const **words, pprofc_error *error) {
  const char **list = arena_array(&run->arena, split->we_wordc + 1, sizeof *list);
  if (!list) return error_nomem(error);
  for (size_t i = 0; i < split->we_wordc; i++) {
    list[i] = text_keep(&run->arena, str_of(split->we_wordv[i]));
    if (!list[i]) return error_nomem(error);
  }
  list[split->we_wordc] = NULL;
  *words = list;
  return PPROFC_OK;
}

pprofc_status sides_words(struct ci_run *run, const char *flag, const char *command,
                          const char *const **words, pprofc_error *error) {
  wordexp_t split;
  if (wordexp(command, &split, 0) != 0)
    return error_set(error, PPROFC_E_INVALID, "cannot read the command '%s' (-%s)", command, flag);
  pprofc_status status = split.we_wordc ? keep_words(run, &split, words, error)
                                        : error_set(error, PPROFC_E_INVALID, "-%s is empty", flag);
  wordfree(&split);
  return status;
}

/* ---- installed modules ------------------------------- */

/* End of the name of the folder of installed Python modules: site-packages or dist-packages. */
#define INSTALLED "-packages/"

/* Writes the path of the source file of an installed module. Returns false if there is no such
 * file. */
static bool source_file(const char *folder, pprofc_str module, char *path, size_t size) {
  int written = snprintf(path, size, "%s/src/%.*s", folder, STR_ARG(module));
  return written > 0 && (size_t)written < size && files_is_regular(path);
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
