/* Tests child processes: their streams, exit status, and limits of time and output. */
#include "unit.h"

#include "core/child.h"

#include <stdlib.h>
#include <unistd.h>

static struct buffer output;
static struct child_end end;
static pprofc_error error;

/* Runs `sh -c script`. The script behaves like the program that a test needs. */
static pprofc_status run(const char *script, const char *input, size_t ceiling,
                         unsigned timeout_ms) {
  const char *argv[] = {"sh", "-c", script, NULL};
  struct child child = {argv, str_of(input), timeout_ms};
  buffer_init(&output, &mem_default, ceiling);
  return child_run(&child, &output, &end, &error);
}

TEST(test_input_goes_in_and_output_comes_back) {
  CU_ASSERT_EQUAL(run("cat; echo warned >&2; exit 3", "a\nb\n", 1000, 0), PPROFC_OK);
  CU_ASSERT(str_equal(buffer_str(&output), STR("a\nb\n")));
  CU_ASSERT_EQUAL(end.status, 3);
  CU_ASSERT_STRING_EQUAL(end.said, "warned");
  buffer_free(&output);
}

TEST(test_a_child_that_reads_nothing_does_no_harm) {
  size_t size = 4 << 20;
  char *text = malloc(size + 1);
  memset(text, 'x', size);
  text[size] = '\0';
  CU_ASSERT_EQUAL(run("exit 0", text, 1000, 0), PPROFC_OK);
  CU_ASSERT_EQUAL(end.status, 0);
  buffer_free(&output);
  free(text);
}

TEST(test_a_child_that_takes_too_long_is_stopped_with_its_children) {
  CU_ASSERT_EQUAL(run("sleep 60 & sleep 60", "", 1000, 100), PPROFC_E_LIMIT);
  CU_ASSERT_STRING_EQUAL(error.message, "'sh' took too long and was stopped");
  buffer_free(&output);
}

TEST(test_a_child_that_closes_its_output_and_stays_is_stopped) {
  CU_ASSERT_EQUAL(run("exec >&- 2>&-; sleep 60", "", 1000, 100), PPROFC_E_LIMIT);
  buffer_free(&output);
}

TEST(test_a_child_that_says_too_much_is_stopped) {
  CU_ASSERT_EQUAL(run("yes", "", 100000, 0), PPROFC_E_LIMIT);
  CU_ASSERT_STRING_EQUAL(error.message, "'sh' wrote more than 100000 bytes and was stopped");
  buffer_free(&output);
}

TEST(test_a_signal_is_a_status_above_128) {
  CU_ASSERT_EQUAL(run("kill -TERM $$", "", 1000, 0), PPROFC_OK);
  CU_ASSERT_EQUAL(end.status, 128 + 15);
  buffer_free(&output);
}

TEST(test_the_environment_is_reduced) {
  setenv("PPROFC_TEST_SECRET", "x", 1);
  CU_ASSERT_EQUAL(run("echo \"${PPROFC_TEST_SECRET:-none} $LC_ALL\"", "", 1000, 0), PPROFC_OK);
  CU_ASSERT(str_equal(buffer_str(&output), STR("none C\n")));
  buffer_free(&output);
}

static volatile sig_atomic_t stop;

static pprofc_status run_for_user(const char *script, const char *folder, struct buffer *said) {
  const char *argv[] = {"sh", "-c", script, NULL};
  struct child child = {argv, {NULL, 0}, CHILD_NO_TIMEOUT};
  const struct child_user user = {.folder = folder, .said = said, .stop = &stop};
  buffer_init(&output, &mem_default, 1000);
  return child_run_for_user(&child, &user, &output, &end, &error);
}

TEST(test_a_program_of_the_user_has_its_folder_environment_and_messages) {
  struct buffer said;
  setenv("PPROFC_TEST_SECRET", "x", 1);
  buffer_init(&said, &mem_default, 1 << 20);
  CU_ASSERT_EQUAL(run_for_user("pwd; echo $PPROFC_TEST_SECRET; i=0; while [ $i -lt 300 ]; do echo "
                               "line $i >&2; i=$((i+1)); done",
                               "/", &said),
                  PPROFC_OK);
  CU_ASSERT(str_equal(buffer_str(&output), STR("/\nx\n")));
  CU_ASSERT(str_ends(buffer_str(&said), STR("line 298\nline 299\n")));
  buffer_free(&output);
  CU_ASSERT_EQUAL(run_for_user("true", "/no/such/folder", &said), PPROFC_E_UNSUPPORTED);
  buffer_free(&output);
  buffer_free(&said);
}

static void ask_to_stop(int number) {
  (void)number;
  stop = 1;
}

TEST(test_a_program_of_the_user_is_stopped_by_a_signal) {
  signal(SIGALRM, ask_to_stop);
  alarm(1);
  CU_ASSERT_EQUAL(run_for_user("sleep 100", NULL, NULL), PPROFC_E_IO);
  CU_ASSERT_STRING_EQUAL(error.message, "interrupted");
  CU_ASSERT_EQUAL(end.status, 128 + SIGKILL);
  buffer_free(&output);
  stop = 0;
}

TEST(test_a_missing_program_is_told_apart) {
  const char *argv[] = {"pprofc-no-such-program", NULL};
  struct child child = {argv, {NULL, 0}, 0};
  buffer_init(&output, &mem_default, 1000);
  CU_ASSERT_EQUAL(child_run(&child, &output, &end, &error), PPROFC_E_UNSUPPORTED);
  CU_ASSERT_STRING_EQUAL(error.message,
                         "cannot run 'pprofc-no-such-program': no such file or directory");
  buffer_free(&output);
  CU_ASSERT_FALSE(child_exists("pprofc-no-such-program"));
  CU_ASSERT(child_exists("sh"));
}
