/* Chooses a browser and the address to open. */
#include "web/browser.h"

#include "core/child.h"
#include "web/query.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

#define BROWSER_WORDS 16

void browser_write_options(struct buffer *out, const pprofc_report_options *options) {
  const pprofc_option_info *info;
  char text[4096];
  const char *separator = "";
  for (size_t i = 0; (info = pprofc_option_at(i)); i++) {
    size_t size;
    if (!info->url || !info->saved) continue;
    if (pprofc_report_options_get(options, info->name, text, sizeof text, &size, NULL) !=
            PPROFC_OK ||
        size >= sizeof text || strcmp(text, info->default_text) == 0)
      continue;
    if (info->kind == PPROFC_OPTION_BOOL) text[1] = '\0'; /* t or f */
    buffer_printf(out, "%s%s=", separator, info->url);
    web_query_encode(out, str_of(text));
    separator = "&";
  }
}

/* A browser may run in the foreground, so a second process waits for it. */
static void *browser_wait(void *context) {
  pid_t pid = (pid_t)(intptr_t)context;
  int how;
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
  return NULL;
}

static bool browser_try(const char *command, const char *address) {
  char text[4096], *words[BROWSER_WORDS + 2], *rest = text, *word;
  size_t count = 0;
  pid_t pid;
  pthread_t thread;
  posix_spawnattr_t attributes;
  sigset_t none;
  snprintf(text, sizeof text, "%s", command);
  while (count < BROWSER_WORDS && (word = strsep(&rest, " ")))
    if (*word) words[count++] = word;
  if (!count || !child_exists(words[0]) || posix_spawnattr_init(&attributes) != 0) return false;
  words[count] = (char *)(uintptr_t)address;
  words[count + 1] = NULL;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  int failed = posix_spawnp(&pid, words[0], NULL, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  if (failed) return false;
  if (pthread_create(&thread, NULL, browser_wait, (void *)(intptr_t)pid) == 0)
    pthread_detach(thread);
  return true;
}

bool browser_start(const char *address) {
  const char *candidates[] = {getenv("BROWSER"),
                              "chrome",
                              "google-chrome",
                              "chromium",
                              "firefox",
                              "sensible-browser",
                              getenv("DISPLAY") ? "xdg-open" : NULL};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
    if (candidates[i] && browser_try(candidates[i], address)) return true;
  return false;
}
