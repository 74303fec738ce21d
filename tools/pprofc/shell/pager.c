/* The pager: holds text back until it is longer than the terminal. */
#include "pager.h"

#include "common/terminal.h"
#include "core/child.h"
#include "core/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAGER_WORDS 16

/* Splits $PAGER at blanks, or takes less or more; words[0] is NULL without a pager. `text`
 * owns the words. */
static void pager_find(char *text, size_t room, const char *words[PAGER_WORDS]) {
  const char *value = getenv("PAGER");
  words[0] = NULL;
  if (!value && child_exists("less")) value = "less";
  if (!value) value = "more";
  if ((size_t)snprintf(text, room, "%s", value) >= room) return;
  size_t count = 0;
  char *rest = text, *word;
  while (count < PAGER_WORDS - 1 && (word = strsep(&rest, " \t")))
    if (*word) words[count++] = word;
  words[count] = NULL;
  bool useless = count && (strcmp(words[0], "cat") == 0 || !child_exists(words[0]));
  if (useless) words[0] = NULL;
}

void pager_init(struct pager *pager, bool allowed) {
  struct winsize size;
  *pager = (struct pager){.wanted = false};
  pager->process.fd = -1;
  buffer_init(&pager->held, &mem_default, SIZE_MAX / 2);
  bool tells = allowed && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
  if (!tells) return;
  pager->wanted = true;
  pager->rows = size.ws_row;
  pager->width = size.ws_col ? size.ws_col : 80;
}

/* Counts the rows of the text. Counting bytes as cells is close enough. */
static void pager_count(struct pager *pager, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    bool wraps = pager->column == pager->width;
    if (wraps || data[i] == '\n') {
      pager->used++;
      pager->column = 0;
    }
    if (data[i] != '\n') pager->column++;
  }
}

static int pager_send(struct pager *pager, const void *data, size_t size) {
  int standard = STDOUT_FILENO;
  return fd_write(pager->process.pid ? &pager->process.fd : &standard, data, size);
}

/* Starts the pager; without one the text goes to the terminal. */
static int pager_start(struct pager *pager) {
  char text[1024];
  const char *words[PAGER_WORDS];
  pager->wanted = false;
  pager_find(text, sizeof text, words);
  if (words[0]) {
    /* The flags that git sets: quit if one screen, raw colours, no clearing. */
    setenv("LESS", "FRX", 0);
    shell_set_paging(true);
    if (process_start(&pager->process, words, NULL) != PPROFC_OK)
      pager->process = (struct shell_process){.fd = -1};
    pager->process.name = "the pager";
  }
  int failed = pager_send(pager, pager->held.data, pager->held.size);
  buffer_clear(&pager->held);
  return failed;
}

int pager_write(struct pager *pager, const void *data, size_t size) {
  if (!pager->wanted) return pager_send(pager, data, size);
  buffer_add(&pager->held, data, size);
  pager_count(pager, data, size);
  if (pager->held.failed) {
    errno = ENOMEM;
    return -1;
  }
  return pager->used + 1 >= pager->rows ? pager_start(pager) : 0;
}

pprofc_status pager_end(struct pager *pager, pprofc_status status, pprofc_error *error) {
  if (status == PPROFC_OK && pager->wanted &&
      pager_send(pager, pager->held.data, pager->held.size) != 0)
    status = error_set(error, PPROFC_E_IO, "cannot write the report: %s", ERRNO_TEXT(errno));
  if (pager->process.pid) process_wait(&pager->process);
  shell_set_paging(false);
  buffer_free(&pager->held);
  return status;
}
