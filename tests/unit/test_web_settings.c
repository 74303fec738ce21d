/* Tests saved views in pprof's settings file: its format, the data that must stay, rejected input,
 * and concurrent writers. */
#include "unit.h"
#include "web/routes.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[128];
static pprofc_error error;

static void begin(const char *text) {
  snprintf(folder, sizeof folder, "/tmp/test-settings-XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/pprof/settings.json", folder);
  if (!text) return;
  char sub[80];
  snprintf(sub, sizeof sub, "%s/pprof", folder);
  mkdir(sub, 0700);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

static const char *content(void) {
  static char text[1 << 20];
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = '\0';
  if (file) fclose(file);
  return text;
}

static void end(void) {
  char sub[80];
  unlink(path);
  snprintf(sub, sizeof sub, "%s/pprof", folder);
  rmdir(sub);
  CU_ASSERT_EQUAL(rmdir(folder), 0); /* fails if a temporary file is left */
}

static pprofc_status save(const char *name, const char *focus) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.focus = focus;
  return settings_change(path, name, &options, &error);
}

TEST(test_the_format_is_that_of_pprof) {
  begin(NULL);
  CU_ASSERT_EQUAL(save("c3", ""), PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(content(), "{\n  \"configs\": [\n    {\n      \"name\": \"c3\",\n"
                                    "      \"unit\": \"minimum\",\n      \"sort\": \"flat\",\n"
                                    "      \"nodecount\": -1,\n      \"nodefraction\": 0.005,\n"
                                    "      \"edgefraction\": 0.001,\n      \"trim\": true\n    }\n"
                                    "  ]\n}");
  struct stat info;
  CU_ASSERT_EQUAL(stat(path, &info), 0);
  CU_ASSERT_EQUAL(info.st_mode & 0777, 0600);
  end();
}

TEST(test_a_name_is_replaced_in_its_place) {
  begin("{\"configs\":[{\"name\":\"a\",\"focus\":\"one\"},{\"name\":\"b\"}]}");
  CU_ASSERT_EQUAL(save("a", "t<wo>\n\""), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL(strstr(content(), "\"focus\": \"t\\u003cwo\\u003e\\n\\\"\""));
  CU_ASSERT_PTR_NULL(strstr(content(), "one"));
  CU_ASSERT(strstr(content(), "\"a\"") < strstr(content(), "\"b\""));
  end();
}

TEST(test_what_we_do_not_know_stays) {
  begin("{\"version\": 2.50, \"configs\":[{\"name\":\"a\",\"future\":[1,{\"x\":null},[]]}],"
        "\"more\":{}}");
  CU_ASSERT_EQUAL(save("b", ""), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL(strstr(content(), "\"version\": 2.50"));
  CU_ASSERT_PTR_NOT_NULL(strstr(content(), "\"more\": {}"));
  CU_ASSERT_PTR_NOT_NULL(strstr(content(), "\"x\": null"));
  CU_ASSERT_EQUAL(settings_change(path, "b", NULL, &error), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL(strstr(content(), "\"future\""));
  CU_ASSERT_PTR_NULL(strstr(content(), "\"b\""));
  end();
}

TEST(test_a_file_that_is_no_settings_is_never_overwritten) {
  static const char *const broken[] = {"{ not json", "[]", "{\"configs\":7}", "{\"configs\":[]} x",
                                       "\"text\""};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    begin(broken[i]);
    CU_ASSERT_EQUAL(save("a", ""), PPROFC_E_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "could not parse settings"));
    CU_ASSERT_STRING_EQUAL(content(), broken[i]);
    end();
  }
}

TEST(test_names_have_a_form) {
  char name[SETTINGS_NAME_BYTES + 2];
  begin(NULL);
  CU_ASSERT_EQUAL(save("", ""), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "invalid config name");
  memset(name, 'n', sizeof name);
  name[SETTINGS_NAME_BYTES + 1] = '\0';
  CU_ASSERT_EQUAL(save(name, ""), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(save("new\nline", ""), PPROFC_E_INVALID);
  CU_ASSERT_EQUAL(settings_change(path, "bar", NULL, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "config bar not found");
  end();
}

TEST(test_a_link_to_settings_stays_one) {
  char target[160], found[160];
  begin("");
  snprintf(target, sizeof target, "%s.target", path);
  CU_ASSERT_EQUAL(rename(path, target), 0);
  CU_ASSERT_EQUAL(symlink(target, path), 0);
  CU_ASSERT_EQUAL(save("a", ""), PPROFC_OK);
  ssize_t size = readlink(path, found, sizeof found - 1);
  CU_ASSERT_EQUAL(size, (ssize_t)strlen(target));
  unlink(target);
  end();
}

/* ---- concurrent writers ------------------------------ */

#define WRITERS 20
#define EACH    4

static void *write_some(void *context) {
  int writer = (int)(intptr_t)context;
  size_t failed = 0;
  for (int i = 0; i < EACH; i++) {
    pprofc_report_options options;
    char name[32];
    pprofc_report_options_init(&options);
    snprintf(name, sizeof name, "w%d-%d", writer, i);
    failed += settings_change(path, name, &options, NULL) != PPROFC_OK;
  }
  return (void *)(intptr_t)failed;
}

TEST(test_many_writers_lose_nothing) {
  pthread_t threads[WRITERS];
  void *failed;
  begin(NULL);
  for (int i = 0; i < WRITERS; i++)
    CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, write_some, (void *)(intptr_t)i), 0);
  for (int i = 0; i < WRITERS; i++) {
    pthread_join(threads[i], &failed);
    CU_ASSERT_PTR_NULL(failed);
  }
  struct arena arena;
  struct web_query query = {.count = 0};
  const struct web_item *items;
  size_t count;
  arena_init(&arena, &mem_default);
  CU_ASSERT(settings_list(path, &query, &arena, &items, &count));
  CU_ASSERT_EQUAL(count, WRITERS * EACH);
  arena_free(&arena);
  end();
}

/* ---- the menu ---------------------------------------- */

TEST(test_links_set_what_was_saved_and_keep_the_rest) {
  struct arena arena;
  struct web_query query;
  const struct web_item *items;
  size_t count;
  begin("{\"configs\":[{\"name\":\"a\",\"unit\":\"minimum\",\"sort\":\"flat\",\"nodecount\":-1,"
        "\"nodefraction\":0.005,\"edgefraction\":0.001,\"focus\":\"a&b\",\"call_tree\":true},"
        "{\"name\":\"d\",\"unit\":\"minimum\",\"sort\":\"flat\",\"nodecount\":-1,"
        "\"nodefraction\":0.005,\"edgefraction\":0.001,\"trim\":true}]}");
  arena_init(&arena, &mem_default);
  CU_ASSERT_EQUAL(web_query_parse(STR("i=x&si=cpu"), &arena, &query, &error), PPROFC_OK);
  CU_ASSERT(settings_list(path, &query, &arena, &items, &count));
  CU_ASSERT_EQUAL_FATAL(count, 2);
  CU_ASSERT_STRING_EQUAL(items[0].name, "a");
  CU_ASSERT_STRING_EQUAL(items[0].query, "calltree=t&si=cpu&trim=f&f=a%26b");
  CU_ASSERT_STRING_EQUAL(items[1].query, "si=cpu");
  CU_ASSERT(!items[1].current);
  CU_ASSERT_EQUAL(web_query_parse(STR("si=cpu"), &arena, &query, &error), PPROFC_OK);
  CU_ASSERT(settings_list(path, &query, &arena, &items, &count));
  CU_ASSERT(items[1].current);
  arena_free(&arena);
  end();
}
