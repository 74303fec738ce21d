/* Tests the job threads. Equal requests must share a job, and each request must get a reply. Cached
 * results must stay within their size limit, and a job without clients must be stopped. */
#include "unit.h"
#include "web/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int runs, answers, cancelled, forgotten;
static atomic_bool blocked;

static void nap(void) {
  nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static struct web_reply *run(void *question, struct budget *budget) {
  atomic_fetch_add(&runs, 1);
  while (atomic_load(&blocked) && !budget_stopped(budget_allocator(budget))) nap();
  if (budget_stopped(budget_allocator(budget))) {
    atomic_fetch_add(&cancelled, 1);
    return reply_text(503, "stopped");
  }
  struct web_reply *reply = reply_text(200, question);
  reply->keep = true;
  return reply;
}

static void forget(void *question) {
  (void)question;
  atomic_fetch_add(&forgotten, 1);
}

static void answer(void *asker, struct web_reply *reply) {
  *(unsigned *)asker = reply->status;
  reply_release(reply);
  atomic_fetch_add(&answers, 1);
}

static struct web_jobs *jobs;
static struct web_cache *cache;
static struct budget *parent;

static void begin_within(uint32_t milliseconds, unsigned workers, size_t waiting) {
  atomic_store(&runs, 0);
  atomic_store(&answers, 0);
  atomic_store(&cancelled, 0);
  atomic_store(&forgotten, 0);
  atomic_store(&blocked, true);
  cache = cache_new(1 << 20);
  parent = budget_new(&mem_default, 1 << 30);
  const struct jobs_settings settings = {.workers = workers,
                                         .waiting_most = waiting,
                                         .parent = parent,
                                         .bytes = 1 << 20,
                                         .milliseconds = milliseconds,
                                         .cache = cache,
                                         .run = run,
                                         .forget = forget,
                                         .answer = answer};
  jobs = jobs_start(&settings);
  CU_ASSERT_PTR_NOT_NULL_FATAL(jobs);
}

static void begin(unsigned workers, size_t waiting) {
  begin_within(20000, workers, waiting);
}

static void wait_for(atomic_int *counter, int value) {
  for (int i = 0; i < 5000 && atomic_load(counter) < value; i++) nap();
  CU_ASSERT_EQUAL(atomic_load(counter), value);
}

static void finish(void) {
  jobs_free(jobs);
  cache_free(cache);
  budget_release(parent);
}

TEST(test_equal_questions_are_worked_on_once) {
  static char text[] = "x";
  unsigned askers[50] = {0};
  begin(4, 100);
  for (int i = 0; i < 50; i++)
    CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("1 top f=x"), text, &askers[i]));
  wait_for(&runs, 1);
  atomic_store(&blocked, false);
  wait_for(&answers, 50);
  CU_ASSERT_EQUAL(atomic_load(&runs), 1);
  for (int i = 0; i < 50; i++) CU_ASSERT_EQUAL(askers[i], 200);
  struct web_reply *known = jobs_ask(jobs, STR("1 top f=x"), text, &askers[0]);
  CU_ASSERT_PTR_NOT_NULL(known);
  reply_release(known);
  CU_ASSERT_EQUAL(atomic_load(&runs), 1);
  jobs_forget_answers(jobs);
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("1 top f=x"), text, &askers[0]));
  wait_for(&runs, 2);
  finish();
  CU_ASSERT_EQUAL(atomic_load(&forgotten), 52);
}

TEST(test_questions_without_a_key_are_never_joined) {
  static char text[] = "save";
  unsigned askers[5] = {0};
  begin(2, 100);
  atomic_store(&blocked, false);
  for (int i = 0; i < 5; i++) jobs_ask(jobs, STR(""), text, &askers[i]);
  wait_for(&answers, 5);
  CU_ASSERT_EQUAL(atomic_load(&runs), 5);
  finish();
}

TEST(test_too_many_questions_are_refused) {
  static char text[] = "x";
  static const char keys[] = "abcdefgh";
  unsigned askers[8] = {0};
  size_t refused = 0;
  begin(1, 3);
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, (pprofc_str){keys, 1}, text, &askers[0]));
  wait_for(&runs, 1);
  for (size_t i = 1; i < 8; i++) {
    struct web_reply *reply = jobs_ask(jobs, (pprofc_str){keys + i, 1}, text, &askers[i]);
    if (!reply) continue;
    CU_ASSERT_EQUAL(reply->status, 503);
    CU_ASSERT_STRING_EQUAL(reply->headers[0].name, "Retry-After");
    reply_release(reply);
    refused++;
  }
  CU_ASSERT_EQUAL(refused, 4);
  finish();
}

TEST(test_work_without_an_asker_is_stopped) {
  static char text[] = "x";
  unsigned askers[2] = {0};
  begin(1, 10);
  jobs_ask(jobs, STR("k"), text, &askers[0]);
  jobs_ask(jobs, STR("k"), text, &askers[1]);
  wait_for(&runs, 1);
  jobs_leave(jobs, &askers[0]);
  nap();
  CU_ASSERT_EQUAL(atomic_load(&cancelled), 0); /* the other client still waits */
  jobs_leave(jobs, &askers[1]);
  wait_for(&cancelled, 1);
  wait_for(&answers, 2);
  finish();
}

/* Clients that send a request and leave must not keep other clients waiting. */
TEST(test_work_without_a_client_takes_no_place) {
  static char text[] = "x";
  static const char keys[] = "abcdefgh";
  unsigned askers[8] = {0}, last = 0;
  begin(1, 3);
  jobs_ask(jobs, (pprofc_str){keys, 1}, text, &askers[0]);
  wait_for(&runs, 1);
  for (size_t i = 1; i < 8; i++) {
    CU_ASSERT_PTR_NULL(jobs_ask(jobs, (pprofc_str){keys + i, 1}, text, &askers[i]));
    jobs_leave(jobs, &askers[i]);
    jobs_leave(jobs, &askers[i]); /* reported only once */
  }
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("last"), text, &last));
  atomic_store(&blocked, false);
  wait_for(&answers, 9);
  CU_ASSERT_EQUAL(last, 200);
  CU_ASSERT_EQUAL(atomic_load(&runs), 2);
  finish();
}

/* A job in advance has no client. Its time limit begins with its first client. */
TEST(test_the_time_of_prepared_work_begins_with_its_asker) {
  static char text[] = "x";
  unsigned asker = 0;
  begin_within(100, 3, 10);
  jobs_prepare(jobs, STR("k"), text);
  wait_for(&runs, 1);
  for (int i = 0; i < 100; i++) nap(); /* twice the time limit */
  CU_ASSERT_EQUAL(atomic_load(&cancelled), 0);
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("k"), text, &asker));
  atomic_store(&blocked, false);
  wait_for(&answers, 1);
  CU_ASSERT_EQUAL(asker, 200);
  CU_ASSERT_EQUAL(atomic_load(&runs), 1);
  finish();
}

TEST(test_prepared_work_that_is_asked_for_has_an_end) {
  static char text[] = "x";
  unsigned asker = 0;
  begin_within(20, 3, 10);
  jobs_prepare(jobs, STR("k"), text);
  wait_for(&runs, 1);
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("k"), text, &asker));
  wait_for(&answers, 1);
  CU_ASSERT_EQUAL(asker, 503);
  CU_ASSERT_EQUAL(atomic_load(&cancelled), 1);
  finish();
}

TEST(test_the_end_answers_everyone) {
  static char text[] = "x";
  static const char keys[] = "abcdef";
  unsigned askers[6] = {0};
  begin(1, 10);
  for (size_t i = 0; i < 6; i++) jobs_ask(jobs, (pprofc_str){keys + i, 1}, text, &askers[i]);
  wait_for(&runs, 1);
  finish();
  CU_ASSERT_EQUAL(atomic_load(&answers), 6);
  for (size_t i = 0; i < 6; i++) CU_ASSERT_EQUAL(askers[i], 503);
}

/* ---- work in advance --------------------------------- */

TEST(test_prepared_work_answers_the_question_that_follows) {
  static char text[] = "x";
  unsigned asker = 0;
  begin(2, 10);
  jobs_prepare(jobs, STR("k"), text);
  jobs_prepare(jobs, STR("k"), text); /* ignored: the job already runs */
  wait_for(&runs, 1);
  CU_ASSERT_PTR_NULL(jobs_ask(jobs, STR("k"), text, &asker));
  atomic_store(&blocked, false);
  wait_for(&answers, 1);
  CU_ASSERT_EQUAL(asker, 200);
  jobs_prepare(jobs, STR("k"), text); /* ignored: the job is already finished */
  struct web_reply *known = jobs_ask(jobs, STR("k"), text, &asker);
  CU_ASSERT_PTR_NOT_NULL(known);
  reply_release(known);
  finish();
  CU_ASSERT_EQUAL(atomic_load(&runs), 1);
  CU_ASSERT_EQUAL(atomic_load(&forgotten), 5);
}

TEST(test_work_is_prepared_where_a_thread_is_idle) {
  static char text[] = "x";
  unsigned asker = 0;
  begin(2, 10);
  jobs_prepare(jobs, STR(""), text); /* ignored: without a key, no request would find the result */
  jobs_ask(jobs, STR("a"), text, &asker);
  wait_for(&runs, 1);
  jobs_prepare(jobs, STR("b"), text); /* ignored: the job would use the last idle thread */
  CU_ASSERT_EQUAL(atomic_load(&forgotten), 2);
  finish();
  CU_ASSERT_EQUAL(atomic_load(&runs), 1);
}

TEST(test_the_end_stops_prepared_work) {
  static char text[] = "x";
  begin(2, 10);
  jobs_prepare(jobs, STR("k"), text);
  wait_for(&runs, 1);
  finish();
  CU_ASSERT_EQUAL(atomic_load(&cancelled), 1);
  CU_ASSERT_EQUAL(atomic_load(&answers), 0);
}

/* ---- the cache --------------------------------------- */

TEST(test_the_cache_keeps_what_was_used_last) {
  struct web_cache *small = cache_new(100000);
  char key[16];
  for (int i = 0; i < 100; i++) {
    struct web_reply *reply = reply_new(200, REPLY_TEXT);
    buffer_add_fill(&reply->body, 'x', 9000);
    snprintf(key, sizeof key, "k%d", i);
    cache_put(small, str_of(key), reply);
    reply_release(reply);
    struct web_reply *first = cache_get(small, STR("k0"));
    CU_ASSERT_PTR_NOT_NULL(first);
    reply_release(first);
  }
  CU_ASSERT_PTR_NULL(cache_get(small, STR("k50")));
  struct web_reply *large = reply_new(200, REPLY_TEXT);
  buffer_add_fill(&large->body, 'x', 90000);
  cache_put(small, STR("large"), large);
  CU_ASSERT_PTR_NULL(cache_get(small, STR("large")));
  reply_release(large);
  cache_clear(small);
  CU_ASSERT_PTR_NULL(cache_get(small, STR("k0")));
  cache_free(small);
}
