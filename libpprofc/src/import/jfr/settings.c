/* Reads the settings of a recording: sampling periods, and the sampled event. */
#include "import/jfr/jfr.h"

/* Default periods in nanoseconds: of the JDK, of async-profiler, and of async-profiler's wall
 * clock. */
#define JDK_PERIOD   20000000u
#define ASYNC_PERIOD 10000000u
#define WALL_PERIOD  50000000u

static const struct {
  const char *unit;
  uint64_t nanoseconds;
} settings_units[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000},       {"s", 1000000000},
    {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

/* Parses a duration like "20 ms", or a number of nanoseconds. Returns 0 if the text is invalid. */
static uint64_t settings_duration(pprofc_str text) {
  pprofc_str digits;
  uint64_t number;
  if (!str_take_run(&text, char_is_digit, &digits) || !str_parse_uint(digits, 10, &number))
    return 0;
  pprofc_str unit = str_trim(text);
  if (!unit.size) return number;
  for (size_t i = 0; i < sizeof settings_units / sizeof *settings_units; i++)
    if (str_equal(unit, str_of(settings_units[i].unit)) &&
        number <= UINT64_MAX / settings_units[i].nanoseconds)
      return number * settings_units[i].nanoseconds;
  return 0;
}

/* True if the sample type cpu is a time when async-profiler samples this event. For any other
 * event, cpu counts the event. */
static bool settings_is_time(pprofc_str event) {
  return STR_ANY(str_equal, event, "cpu", "itimer", "ctimer", "wall", "alloc", "cpu-clock",
                 "task-clock", "lock", "", "nativemem");
}

/* Sets *period to the period of a setting, unless *period is already set and shorter. Several
 * recordings can run at once, and the shortest period applies. */
static void settings_period(struct jfr *j, uint64_t *period, const uint64_t *slots) {
  uint64_t value = settings_duration(jfr_text(j, slots[JFR_EVENT_SETTING_VALUE]));
  if (value && (!*period || value < *period)) *period = value;
}

static void settings_event(struct jfr *j, struct jfr_settings *settings, pprofc_str event) {
  settings->async = true;
  settings->only_wall = str_equal(event, STR("wall"));
  if (settings_is_time(event)) return;
  settings->event = arena_str(j->names, event);
  import_need(j->builder, settings->event.data);
}

/* Returns the field for the period of event `id`, or NULL if the event has no period. */
static uint64_t *settings_period_of(const struct jfr *j, struct jfr_settings *settings,
                                    uint64_t id) {
  for (size_t i = 0; i < j->handler_count; i++) {
    if (j->handlers[i].id != id) continue;
    switch (jfr_event_type(j->handlers[i].event)) {
    case JFR_CPU:
      return &settings->cpu;
    case JFR_NATIVE:
      return &settings->native;
    default:
      return NULL;
    }
  }
  return NULL;
}

/* Returns the period that a setting changes, or NULL. The JDK's setting "period" applies to one
 * event. async-profiler's setting "interval" applies to the event that it samples, and its setting
 * "wall" to samples of the wall clock. */
static uint64_t *settings_target(const struct jfr *j, struct jfr_settings *settings,
                                 pprofc_str name, uint64_t id) {
  if (str_equal(name, STR("interval"))) return &settings->cpu;
  if (str_equal(name, STR("wall"))) return &settings->wall;
  if (str_equal(name, STR("period"))) return settings_period_of(j, settings, id);
  return NULL;
}

void jfr_read_setting(struct jfr *j, struct jfr_settings *settings, const uint64_t *slots) {
  pprofc_str name = jfr_text(j, slots[JFR_EVENT_SETTING_NAME]);
  uint64_t *period = settings_target(j, settings, name, slots[JFR_EVENT_SETTING_ID]);
  settings->given = true;
  settings->async |= str_equal(name, STR("interval"));
  if (str_equal(name, STR("wall"))) /* a period of -1 means off */
    settings->has_wall = !str_starts(jfr_text(j, slots[JFR_EVENT_SETTING_VALUE]), STR("-"));
  if (str_equal(name, STR("event")))
    settings_event(j, settings, jfr_text(j, slots[JFR_EVENT_SETTING_VALUE]));
  else if (period)
    settings_period(j, period, slots);
}

/* Sets a period to `usual` if the recording does not give the period. `is_used` is true if the
 * profile has samples with this period. */
static void settings_assume(struct jfr *j, uint64_t *period, uint64_t usual, bool is_used) {
  if (*period) return;
  *period = usual;
  j->assumed_period |= is_used;
}

void jfr_complete_settings(struct jfr *j, struct jfr_settings *s) {
  uint64_t usual = JDK_PERIOD;
  if (s->async) usual = ASYNC_PERIOD;
  if (s->event.size) usual = 1;
  if (s->only_wall && !s->wall) s->wall = s->cpu;
  settings_assume(j, &s->wall, WALL_PERIOD, j->has_type[JFR_WALL]);
  if (s->only_wall) s->cpu = s->wall;
  settings_assume(j, &s->cpu, usual, j->has_type[JFR_CPU]);
  settings_assume(j, &s->native, JDK_PERIOD, j->has_type[JFR_NATIVE]);
}
