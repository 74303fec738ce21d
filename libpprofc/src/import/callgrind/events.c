/* Finds the events of a callgrind file and their units. Each event becomes a sample type. */
#include "import/callgrind/reader.h"

/* Parses the factor in the unit of an event: 10 for "10ns". Without digits the factor is 1. */
static bool parse_factor(pprofc_str digits, int64_t *factor) {
  *factor = 1;
  if (!digits.size) return true;
  return str_parse_int(digits, 10, factor) && *factor >= 1 && *factor <= 1000000;
}

/* Splits a word of an `events:` line into name, unit and factor: "Time_(10ns)" of Xdebug and
 * others, "cpu(ms)" of pprof. */
static void split_name(pprofc_str word, struct callgrind_event *event) {
  *event = (struct callgrind_event){word, word, STR("count"), 1};
  size_t open = str_find_char(word, '(');
  if (open == 0 || open >= word.size || !str_ends(word, STR(")"))) return;
  pprofc_str unit = str_slice(word, open + 1, word.size - 1);
  int64_t factor;
  size_t digits = str_run(unit, char_is_digit);
  if (!parse_factor(str_slice(unit, 0, digits), &factor)) return;
  event->type = str_slice(word, 0, open);
  if (str_ends(event->type, STR("_"))) event->type.size--;
  event->unit = str_from(unit, digits);
  event->factor = factor;
  if (str_equal(event->unit, STR("ns"))) event->unit = STR("nanoseconds");
  if (!event->unit.size) event->unit = STR("count");
}

/* Units at the end of an event's long name, and their factors to nanoseconds. */
static const struct {
  const char *word;
  int64_t factor;
} time_units[] = {{" ns)", 1}, {" us)", 1000}, {" ms)", 1000000}};

/* Parses a long name, which gives the unit of an event: "event: sysTime : sysTime (elapsed ns)". */
static void read_long_name(struct callgrind_events *events, pprofc_str text) {
  size_t colon = str_find_char(text, ':'), equals = str_find_char(text, '=');
  if (colon == text.size) return;
  pprofc_str name = str_trim(str_slice(text, 0, equals < colon ? equals : colon));
  pprofc_str rest = str_trim(str_from(text, colon + 1));
  for (size_t i = 0; i < events->count; i++)
    for (size_t u = 0; u < sizeof time_units / sizeof *time_units; u++)
      if (str_equal(events->items[i].name, name) && str_ends(rest, str_of(time_units[u].word))) {
        events->items[i].unit = STR("nanoseconds");
        events->items[i].factor = time_units[u].factor;
      }
}

static uint32_t find_event(const struct callgrind_events *events, pprofc_str name) {
  for (uint32_t i = 0; i < events->count; i++)
    if (str_equal(events->items[i].name, name)) return i;
  return NONE;
}

size_t callgrind_event_columns(const struct callgrind_events *events, pprofc_str list,
                               uint32_t columns[CALLGRIND_MAX_EVENTS]) {
  size_t count = 0;
  pprofc_str word;
  while (import_next_word(&list, &word))
    if (count < CALLGRIND_MAX_EVENTS) columns[count++] = find_event(events, word);
  return count;
}

static bool add_events(struct callgrind_events *events, pprofc_str list, pprofc_builder *builder) {
  pprofc_str word;
  bool seen[CALLGRIND_MAX_EVENTS] = {false};
  while (import_next_word(&list, &word)) {
    uint32_t index = find_event(events, word);
    if (index == NONE && events->count == CALLGRIND_MAX_EVENTS)
      return import_refuse(builder, PPROFC_E_LIMIT, "more than %u events", CALLGRIND_MAX_EVENTS);
    if (index == NONE) {
      index = (uint32_t)events->count;
      split_name(word, &events->items[events->count++]);
    }
    if (seen[index])
      return import_refuse(builder, PPROFC_E_FORMAT, "the event '%.*s' occurs twice",
                           (int)(word.size < 100 ? word.size : 100), word.data);
    seen[index] = true;
  }
  return true;
}

/* True if a line of numbers has a relative counter, like "+3" or "*". */
static bool has_relative_counter(pprofc_str line, size_t columns) {
  pprofc_str word;
  if (!line.size || (!strchr("*+-", line.data[0]) && !char_is_digit(line.data[0]))) return false;
  for (size_t i = 0; import_next_word(&line, &word); i++)
    if (i >= columns && (word.data[0] == '+' || word.data[0] == '*')) return true;
  return false;
}

bool callgrind_has_relative_counters(pprofc_str text, size_t columns) {
  pprofc_str line;
  while (str_next_line(&text, &line))
    if (has_relative_counter(line, columns)) return true;
  return false;
}

/* Finds the next line that begins with "event". */
static bool next_event_line(pprofc_str *rest, pprofc_str *line) {
  if (!str_starts(*rest, STR("event"))) {
    size_t end = str_find(*rest, STR("\nevent"));
    *rest = str_from(*rest, end + 1);
  }
  return str_next_line(rest, line);
}

/* Finds all events. Scans the whole file, because parts may have different events. A line "event:"
 * with a long name may come before or after the line "events:". */
bool callgrind_find_events(struct callgrind_events *events, pprofc_str text,
                           pprofc_builder *builder) {
  bool long_names = false;
  events->count = events->lists = 0;
  pprofc_str rest = text, line;
  while (next_event_line(&rest, &line)) {
    long_names |= str_starts(line, STR("event:"));
    if (!str_take(&line, STR("events:"))) continue;
    if (!add_events(events, line, builder)) return false;
    events->lists++;
  }
  for (rest = text; long_names && next_event_line(&rest, &line);)
    if (str_take(&line, STR("event:"))) read_long_name(events, line);
  return events->count || import_refuse(builder, PPROFC_E_FORMAT, "no events");
}
