/* A program whose functions have the same names as internal functions of the library. The program
 * is linked statically, together with Jansson if that library is installed. */
#include <pprofc/pprofc.h>
#include <stdio.h>
#include <string.h>

#ifdef WITH_JANSSON
#include <jansson.h>
#endif

int arena_free(int x);
int map_insert(int x);
int regex_free(int x);

int arena_free(int x) {
  return x + 1;
}
int map_insert(int x) {
  return x + 2;
}
int regex_free(int x) {
  return x + 3;
}

static int count(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return 0;
}

int main(int argc, char **argv) {
  pprofc_profile *profile;
  pprofc_report_options options;
  pprofc_error error;
  size_t written = 0;
#ifdef WITH_JANSSON
  json_t *text = json_string("a name that pprofc has, too");
  if (!text || strcmp(json_string_value(text), "a name that pprofc has, too") != 0) return 1;
  json_decref(text);
#endif
  if (argc < 2 || arena_free(0) != 1 || map_insert(0) != 2 || regex_free(0) != 3) return 1;
  if (pprofc_profile_read_file(argv[1], NULL, &profile, &error) != PPROFC_OK)
    return puts(error.message);
  pprofc_report_options_init(&options);
  options.format = "json"; /* writes JSON, with functions that have the names of Jansson's */
  options.focus = "main";
  if (pprofc_report(profile, &options, count, &written, &error) != PPROFC_OK)
    return puts(error.message);
  pprofc_profile_release(profile);
  if (!written) return 1;
  puts("2 samples, last 30");
  return 0;
}
