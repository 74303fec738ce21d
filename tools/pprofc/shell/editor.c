/* Reads lines from a terminal. Uses libedit as the line editor if libedit is installed. */
#include "session.h"

#include "core/library.h"

#include <langinfo.h>
#include <locale.h>
#include <wchar.h>

#if HAVE_LIBEDIT
#include <histedit.h>
#endif

#define PROMPT "(pprofc) "

struct editor {
  struct shell *shell;
  struct shell_history *history;
  struct shell_input plain; /* reader that is used without libedit */
  int prompt;               /* file descriptor on which the prompt is printed */
#if HAVE_LIBEDIT
  FILE *in, *out, *err;
  EditLine *line;
  History *recall;
  mbstate_t state;
  bool interrupted;
#endif
};

#if HAVE_LIBEDIT

#define EDITOR_FUNCTIONS(X)                                                                        \
  X(el_, init)                                                                                     \
  X(el_, end)                                                                                      \
  X(el_, reset)                                                                                    \
  X(el_, gets)                                                                                     \
  X(el_, set)                                                                                      \
  X(el_, wset)                                                                                     \
  X(el_, get)                                                                                      \
  X(el_, source)                                                                                   \
  X(el_, resize)                                                                                   \
  X(el_, line)                                                                                     \
  X(el_, insertstr)                                                                                \
  X(el_, deletestr)                                                                                \
  X(, history_init)                                                                                \
  X(, history_end)                                                                                 \
  X(, history)

/* The functions of libedit. The shell loads them before the first line, because linking libedit and
 * its dependencies would make a small report take a tenth longer. */
static struct libedit { EDITOR_FUNCTIONS(LIBRARY_FIELD) } editor_lib;

static pprofc_status editor_load(struct libedit *library, pprofc_error *error) {
  const struct library_function functions[] = {EDITOR_FUNCTIONS(LIBRARY_ENTRY)};
  return library_load(library_names(LIBRARY_EDIT, SYSTEM_HERE), functions,
                      sizeof functions / sizeof *functions, error);
}

static char editor_prompt_text[] = PROMPT;

static char *editor_prompt(EditLine *line) {
  (void)line;
  return editor_prompt_text;
}

static volatile sig_atomic_t editor_continued;

/* Handles two signals: the size of the terminal changed, or the program continues after ^Z. */
static void editor_signal(int number) {
  if (number == SIGCONT) editor_continued = 1;
}

/* Adapts the line to the terminal's new size. After ^Z, also restores the terminal modes and shows
 * the line again. */
static void editor_wake(EditLine *line) {
  editor_lib.resize(line);
  if (!editor_continued) return;
  editor_continued = 0;
  editor_lib.set(line, EL_PREP_TERM, 0);
  editor_lib.set(line, EL_PREP_TERM, 1);
  editor_lib.set(line, EL_REFRESH);
}

static void editor_watch(void) {
  struct sigaction action = {.sa_handler = editor_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGCONT, &action, NULL);
  sigaction(SIGWINCH, &action, NULL);
}

/* Waits for a key. Returns false if the key is ^C. */
static bool editor_wait(EditLine *line) {
  enum shell_wait wait;
  while ((wait = shell_wait_input(STDIN_FILENO)) == SHELL_WAIT_SIGNAL) editor_wake(line);
  return wait == SHELL_WAIT_READY;
}

/* Reads a character, which may have several bytes. ^C ends the line. */
static int editor_key(EditLine *line, wchar_t *key) {
  struct editor *editor = NULL;
  editor_lib.get(line, EL_CLIENTDATA, &editor);
  for (;;) {
    char byte;
    if (!editor_wait(line)) {
      editor->interrupted = true;
      return -1;
    }
    ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return (int)got;
    size_t size = mbrtowc(key, &byte, 1, &editor->state);
    if (size == (size_t)-2) continue; /* the character has more bytes to read */
    if (size == (size_t)-1) {
      memset(&editor->state, 0, sizeof editor->state);
      continue;
    }
    if (size == 0) *key = L'\0';
    return 1;
  }
}

static void editor_list(const struct editor *editor, const struct completions *found) {
  size_t widest = 1, column = 0;
  size_t width = terminal_width(editor->prompt);
  for (size_t i = 0; i < found->count; i++) {
    size_t cells = utf8_length(found->items[i]);
    if (cells + 2 > widest) widest = cells + 2;
  }
  size_t columns = width > widest ? width / widest : 1;
  fputc('\n', editor->out);
  for (size_t i = 0; i < found->count; i++) {
    pprofc_str item = found->items[i];
    column = (column + 1) % columns;
    bool last = column == 0 || i + 1 == found->count;
    fprintf(editor->out, "%.*s", STR_ARG(item));
    for (size_t at = utf8_length(item); !last && at < widest; at++) fputc(' ', editor->out);
    if (last) fputc('\n', editor->out);
  }
  if (found->hidden) fprintf(editor->out, "and %zu more\n", found->hidden);
  fflush(editor->out);
}

/* Returns the text to insert after a completion: a blank, or "" if the word may continue. */
static const char *editor_suffix(const struct completions *found) {
  pprofc_str only = found->items[0];
  bool goes_on = str_ends(only, STR("=")) || str_ends(only, STR("/"));
  return found->count == 1 && !goes_on ? " " : "";
}

static unsigned char editor_complete(EditLine *line, int key) {
  struct editor *editor = NULL;
  struct completions found;
  const LineInfo *info = editor_lib.line(line);
  (void)key;
  editor_lib.get(line, EL_CLIENTDATA, &editor);
  pprofc_str typed = {info->buffer, (size_t)(info->cursor - info->buffer)};
  unsigned char result = CC_ERROR;
  completions_find(editor->shell, typed, &found);
  pprofc_str common = completions_common(&found);
  pprofc_str word = str_slice(typed, found.from, typed.size);
  bool replaces = common.size > word.size || (found.count == 1 && !str_equal(common, word));
  if (found.count == 1 || replaces) {
    size_t cells = 0;
    for (size_t at = 0; at < word.size; cells++) utf8_next(word, &at);
    struct buffer text = buffer_make(&mem_default, SIZE_MAX / 2);
    buffer_add_str(&text, common);
    buffer_add_text(&text, editor_suffix(&found));
    buffer_add_char(&text, '\0');
    editor_lib.deletestr(line, (int)cells);
    if (!text.failed && editor_lib.insertstr(line, text.data) == 0) result = CC_REFRESH;
    buffer_free(&text);
  } else if (found.count > 1) {
    editor_list(editor, &found);
    result = CC_REDISPLAY;
  }
  completions_free(&found);
  return result;
}

static bool editor_open_recall(struct editor *editor) {
  HistEvent event;
  const char *line;
  editor->recall = editor_lib.history_init();
  if (!editor->recall) return false;
  editor_lib.history(editor->recall, &event, H_SETSIZE, HISTORY_LINES);
  editor_lib.history(editor->recall, &event, H_SETUNIQUE, 1);
  for (size_t i = 0; (line = history_line(editor->history, i)); i++)
    editor_lib.history(editor->recall, &event, H_ENTER, line);
  return true;
}

/* Opens a stream on a copy of `fd`. libedit uses the stream until the editor is closed. */
static FILE *editor_stream(int fd, const char *mode) {
  int copy = dup(fd);
  FILE *file = copy >= 0 ? fdopen(copy, mode) : NULL;
  if (!file && copy >= 0) close(copy);
  return file;
}

static bool editor_open_line(struct editor *editor) {
  pprofc_error error;
  if (editor_load(&editor_lib, &error) != PPROFC_OK) {
    message_note("%s: line editing is off", error.message);
    return false;
  }
  setlocale(LC_CTYPE, ""); /* libedit handles UTF-8 only in a UTF-8 locale */
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
  editor->in = editor_stream(STDIN_FILENO, "r");
  editor->out = editor_stream(editor->prompt, "w");
  editor->err = editor_stream(STDERR_FILENO, "w");
  if (!editor->in || !editor->out || !editor->err) return false;
  editor->line = editor_lib.init("pprofc", editor->in, editor->out, editor->err);
  if (!editor->line || !editor_open_recall(editor)) return false;
  editor_lib.set(editor->line, EL_CLIENTDATA, editor);
  editor_lib.set(editor->line, EL_EDITOR, "emacs");
  editor_lib.set(editor->line, EL_PROMPT, editor_prompt);
  editor_lib.set(editor->line, EL_SIGNAL, 0);
  editor_lib.set(editor->line, EL_GETCFN, editor_key);
  editor_lib.set(editor->line, EL_HIST, editor_lib.history, editor->recall);
  editor_lib.wset(editor->line, EL_ADDFN, L"pprofc-complete", L"complete a word", editor_complete);
  editor_lib.set(editor->line, EL_BIND, "^I", "pprofc-complete", NULL);
  editor_lib.set(editor->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  editor_lib.set(editor->line, EL_BIND, "^W", "ed-delete-prev-word", NULL);
  editor_watch();
  editor_lib.source(editor->line, NULL); /* read the file ~/.editrc of the user */
  return true;
}

static void editor_close_line(struct editor *editor) {
  if (editor->line) editor_lib.end(editor->line);
  if (editor->recall) editor_lib.history_end(editor->recall);
  editor->line = NULL;
  editor->recall = NULL;
  if (editor->in) fclose(editor->in);
  if (editor->out) fclose(editor->out);
  if (editor->err) fclose(editor->err);
}

/* Ends a line after ^C. Copies the text, so that the caller can see if the line is empty. */
static enum shell_line editor_stopped(struct editor *editor, struct buffer *line) {
  const LineInfo *info = editor_lib.line(editor->line);
  buffer_add(line, info->buffer, (size_t)(info->lastchar - info->buffer));
  editor_lib.set(editor->line, EL_PREP_TERM, 0);
  fputs("^C\n", editor->out);
  fflush(editor->out);
  editor_lib.reset(editor->line);
  return SHELL_LINE_INTERRUPTED;
}

static enum shell_line editor_read_line(struct editor *editor, struct buffer *line) {
  int size = 0;
  HistEvent event;
  editor->interrupted = false;
  /* Set the terminal modes before the prompt. libedit would set them at the prompt, and would lose
   * the keys that the user typed before. */
  editor_lib.set(editor->line, EL_PREP_TERM, 1);
  const char *text = editor_lib.gets(editor->line, &size);
  if (editor->interrupted) return editor_stopped(editor, line);
  if (!text || size <= 0) {
    fputc('\n', editor->out);
    fflush(editor->out);
    return SHELL_LINE_NONE;
  }
  buffer_add(line, text, (size_t)size);
  pprofc_str typed = shell_trim(buffer_str(line));
  if (!typed.size) return SHELL_LINE_READ;
  struct buffer kept = buffer_make(&mem_default, SIZE_MAX / 2);
  buffer_add_str(&kept, typed);
  buffer_add_char(&kept, '\0');
  if (!kept.failed) editor_lib.history(editor->recall, &event, H_ENTER, kept.data);
  buffer_free(&kept);
  history_add(editor->history, typed);
  return SHELL_LINE_READ;
}

#endif

static enum shell_line editor_read_plain(struct editor *editor, struct buffer *line) {
  (void)fd_write(&editor->prompt, PROMPT, sizeof PROMPT - 1);
  enum shell_line got = input_read(editor->shell, &editor->plain, line);
  if (got == SHELL_LINE_INTERRUPTED) (void)fd_write(&editor->prompt, "\n", 1);
  if (got == SHELL_LINE_READ) history_add(editor->history, shell_trim(buffer_str(line)));
  return got;
}

struct editor *editor_open(struct shell *shell) {
  struct editor *editor = mem_zero_array(&mem_default, 1, sizeof *editor);
  if (!editor) return NULL;
  editor->shell = shell;
  editor->prompt = terminal_is(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
  editor->plain = (struct shell_input){.fd = STDIN_FILENO, .terminal = true};
  editor->history = history_open();
#if HAVE_LIBEDIT
  const char *term = getenv("TERM");
  bool able = term && *term && strcmp(term, "dumb") != 0;
  if (able && !editor_open_line(editor)) editor_close_line(editor);
#endif
  return editor;
}

enum shell_line editor_read(struct editor *editor, struct buffer *line) {
  buffer_clear(line);
  line->failed = false;
#if HAVE_LIBEDIT
  if (editor->line) return editor_read_line(editor, line);
#endif
  return editor_read_plain(editor, line);
}

void editor_close(struct editor *editor) {
  if (!editor) return;
#if HAVE_LIBEDIT
  editor_close_line(editor);
#endif
  if (editor->plain.data) input_close(&editor->plain);
  history_close(editor->history);
  mem_free(&mem_default, editor, 1, sizeof *editor);
}
