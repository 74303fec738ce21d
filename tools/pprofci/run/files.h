/* Formats texts, runs programs, and creates, writes and finds files. Relative paths begin in the
 * current folder. */
#ifndef PPROFCI_RUN_FILES_H
#define PPROFCI_RUN_FILES_H

#include "core/json_write.h"
#include "run/run.h"

/* ---- texts (text.c) ------------------------------- */

/* True for a number of iterations such as "1000x". `count` may be NULL. */
bool text_is_iterations(pprofc_str text, double *count);

/* Returns the last line that has a letter or digit, or else the first line that is not empty, or an
 * empty text. */
pprofc_str text_last_line(pprofc_str text);

/* Copies a text and appends a NUL. */
char *text_keep(struct arena *arena, pprofc_str text);

/* Returns a copy that is safe on a terminal and in a CI log (escape_line), with a NUL. */
const char *text_shown(struct arena *arena, pprofc_str text);

/* Returns a copy for a URL (escape_url). `also` lists bytes that stay unchanged. */
const char *text_url(struct arena *arena, pprofc_str text, const char *also);

/* Replaces the texts by copies in the arena. */
void text_keep_all(struct arena *arena, pprofc_str *const *texts, size_t count);

/* True if the text is not empty and contains only characters in `characters`. */
bool text_is_of(pprofc_str text, const char *characters);
#define TEXT_HEX   "0123456789abcdef"
#define TEXT_WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* Removes slashes at the end of a path, but keeps a slash at its beginning. */
void text_trim_slashes(char *path);

/* Returns a path that no program takes for an option: "-x" becomes "./-x". */
const char *text_path(struct arena *arena, const char *path);

/* Appends text. Replaces control characters by '_', including those that change the text
 * direction. */
void text_plain(struct buffer *out, pprofc_str text);

/* Returns a copy in which '_' replaces all characters except letters, digits and those in
 * `others`. */
const char *text_word(struct arena *arena, pprofc_str text, const char *others);

/* Adds the words of a text: names, numbers, and other words of letters, digits, '_' and '$'. */
void text_add_words(struct interner *words, pprofc_str text);

/* Returns the number of words of a text that `known` does not have. */
size_t text_count_new_words(const struct interner *known, pprofc_str text);

/* Appends text of HTML or XML, with its entities decoded. */
void text_unescape(struct buffer *out, pprofc_str text);

struct json_text {
  struct buffer text;
  struct output *out;
  struct json_writer json;
};

void json_text_begin(struct json_text *text);

/* Ends the text and copies it into the arena. */
pprofc_str json_text_end(struct json_text *text, struct arena *arena);
void json_text_member(struct json_text *text, const char *key, pprofc_str value);

/* ---- programs ------------------------------------- */

struct program {
  const char *const *argv; /* arguments, ending with NULL */
  const char *folder;      /* working directory; NULL: the current folder */
  /* called when the descriptor `watched` is readable; may be NULL */
  void (*serve)(void *context);
  void *context;
  int watched;
  struct buffer printed, said; /* standard output and standard error of the program */
  int status;                  /* exit status; 127: the program could not be started */
};

/* Runs a program until it ends, with the user's environment. An interruption or lack of memory ends
 * the command. A failure of the program does not. The caller calls program_end. */
void program_run(struct program *program);
void program_end(struct program *program);

/* Returns the reason why a program failed: the last line of standard error, or of standard output
 * if standard error is empty. */
pprofc_str program_last_line(const struct program *program);

/* Returns the last line that a program prints, or "" if the program fails. GIT_LINE runs git in the
 * current folder. */
const char *program_line(struct arena *arena, const char *folder, const char *const *argv);
#define GIT_LINE(arena, ...) program_line(arena, NULL, TEXT_LIST("git", __VA_ARGS__))

/* Splits a command into words like a shell. `flag` is the flag that has the command, for error
 * messages. */
const char *const *program_words(struct ci_run *run, const char *flag, const char *command);

/* ---- files (files.c) ------------------------------ */

/* Creates a folder and its parents. Returns false with errno set on failure. */
bool files_make_folders(const char *path);

/* Creates a folder and its parents. Sets an error message on failure. */
pprofc_status files_need_folder(const char *path, pprofc_error *error);
pprofc_status files_need_parent(const char *path, pprofc_error *error);

/* Creates a new folder in $TMPDIR or /tmp. */
void files_temporary(struct arena *arena, const char **path);

const char *files_here(struct ci_run *run);

/* Writes a new file into the stage (a temporary folder for new artifacts, stage.c), and lists the
 * file in the manifest. `path` is relative to the folder of the page. If `of_benchdiff` is true,
 * `path` is relative to the folder of the benchmark tables. */
void files_put(struct ci_run *run, bool of_benchdiff, const char *path, pprofc_str text);

/* Does the same as files_put, but `write` writes the contents. */
pprofc_status files_make(struct ci_run *run, const char *path, save_fn *write, const void *context,
                         pprofc_error *error);
void files_put_copy(struct ci_run *run, const char *from, const char *path);
pprofc_status files_copy(const char *from, const char *to, pprofc_error *error);

typedef int files_order(const struct dirent **a, const struct dirent **b);

/* Returns the names in a folder, including hidden ones. A NULL follows the last name. `order` is a
 * comparison function such as alphasort(3). */
const char *const *files_list(struct ci_run *run, const char *folder, files_order *order);

bool files_are_same(const char *a, const char *b);

/* Returns the longest suffix of `file` that is a file below the current folder, or "". The whole
 * path is often not a file here, because profiles name files by module or by the folder of the
 * build. */
pprofc_str place_in_checkout(const char *file);

struct found_file {
  const char *path;
  const char *side; /* "base" or "head" if a folder above the file has this name, else the side that
                       the caller gave */
  int depth;        /* depth of the file below the listed folder; 1: directly in the folder */
};

struct found_files {
  struct found_file *items;
  size_t count, capacity;
};

/* Lists the files of a folder and of its subfolders, four levels deep. Sorts them by path, with
 * run2 before run10. Skips hidden files, manifests and warm-up folders. The arena
 * owns the list. */
void found_below(struct arena *arena, const char *folder, const char *side,
                 struct found_files *files);

#endif
