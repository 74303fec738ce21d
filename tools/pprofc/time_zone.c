/* Sets $TZ to the time zone that pprof would use. */
#include "destination.h"

/* Folders in which Go searches for time zones. Like Go, this file ignores $TZDIR. */
static const char *const folders[] = {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/",
                                      "/usr/lib/locale/TZ/", "/etc/zoneinfo/"};

/* True for a regular file in the format of tzfile(5). Opens no other type of file. */
static bool is_zone(const char *path) {
  char magic[4];
  return file_begin(path, magic, sizeof magic) == sizeof magic && memcmp(magic, "TZif", 4) == 0;
}

/* Writes ":PATH" to `out`. PATH is the file of the time zone `name`. Returns false if no folder has
 * this file. */
static bool find_zone(const char *name, char *out, size_t size) {
  bool absolute = name[0] == '/';
  for (size_t i = 0; i < COUNT(folders); i++) {
    int length = snprintf(out, size, ":%s%s", absolute ? "" : folders[i], name);
    if (length > 0 && (size_t)length < size && is_zone(out + 1)) return true;
    if (absolute) return false;
  }
  return false;
}

bool time_zone_enter(struct time_zone *zone) {
  char value[PATH_MAX + 64];
  const char *name = getenv("TZ");
  zone->before = NULL;
  if (!name) return true;
  zone->before = mem_array(&mem_default, strlen(name) + 1, 1);
  if (!zone->before) return false;
  memcpy(zone->before, name, strlen(name) + 1);
  if (*name == ':') name++;
  bool found = SYSTEM_ZONE_FILES && *name && find_zone(name, value, sizeof value);
  if (setenv("TZ", found ? value : "UTC0", 1) != 0) return false;
  tzset();
  return true;
}

void time_zone_leave(struct time_zone *zone) {
  if (!zone->before) return;
  setenv("TZ", zone->before, 1);
  mem_free(&mem_default, zone->before, strlen(zone->before) + 1, 1);
  zone->before = NULL;
}
