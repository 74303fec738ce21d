/* Creates a random pair of profiles and runs `pprofci run` on it. No file name may contain a name
 * from a profile, and the page and its data must be complete. */
#include "commands.h"
#include "report_target.h"
#include "scratch.h"
#include "shape.h"

#include <sys/wait.h>

static void write_profile(struct shape *s, const char *name, char path[128]) {
  pprofc_str bytes = shape_write(s);
  scratch_write(name, bytes.data, bytes.size, path);
  buffer_free(&s->out);
}

static void check_file(const char *name, void (*check)(pprofc_str)) {
  char path[128];
  struct buffer text;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  FILE *file = fopen(scratch_path(name, path), "rb");
  for (int c; file && (c = getc(file)) != EOF;) buffer_add_char(&text, (char)c);
  if (file) {
    fclose(file);
    check(buffer_str(&text));
  }
  buffer_free(&text);
}

/* Checks for leaks, with a sanitizer that can. Returns 0 without leaks. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Ends the child before the handlers of the fuzzer, which would report that the target exits. */
static void end_child(int status, void *unused) {
  (void)unused;
  if (__lsan_do_recoverable_leak_check) REQUIRE(__lsan_do_recoverable_leak_check() == 0);
  _exit(status);
}

/* Runs `pprofci run` in a child process, because an error ends the process. */
static int run_in_child(int argc, char **argv) {
  int how = 0;
  pid_t child = fork();
  if (!child) {
    on_exit(end_child, NULL);
    exit(command_main(&run_command, argc, argv));
  }
  REQUIRE(child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how));
  return WEXITSTATUS(how);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char base[128], head[128], out[128], output[160];
  struct shape s, again;
  shape_open(&s, data, size);
  again = s;
  again.random++;
  write_profile(&s, "base.pb", base);
  write_profile(shape_byte(&s) & 3 ? &again : &s, "head.pb", head);
  snprintf(output, sizeof output, "-out=%s", scratch_path("out", out));
  char *argv[] = {"run", output, "-pair", base, head, NULL};
  int status = run_in_child(5, argv);
  REQUIRE(status == EXIT_PASSED || status == EXIT_FAILED || status == EXIT_REGRESSED);
  if (status == EXIT_PASSED) {
    check_file("out/manifest.json", check_json);
    check_file("out/index.html", check_page);
  }
  scratch_clear();
  return 0;
}
