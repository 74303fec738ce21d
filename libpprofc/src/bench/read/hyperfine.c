/* Reads the JSON of hyperfine (--export-json). Each run is a sample. All times are in seconds. */
#include "bench/read/readers.h"

/* Rejects a command if one of its runs failed. */
static bool check_codes(struct bench_sink *sink, const struct node *result, pprofc_str command) {
  const struct node *codes = node_get(result, "exit_codes");
  for (const struct node *code = codes ? codes->first : NULL; code; code = code->next) {
    double value;
    if (node_number(code, 0, &value) && value == 0) continue;
    if (code->kind == NODE_NULL)
      sink_message(sink, result->line, "'%.*s' was killed by a signal", STR_ARG(command));
    else
      sink_message(sink, result->line, "'%.*s' exited with %.*s", STR_ARG(command),
                   STR_ARG(code->text));
    return false;
  }
  return true;
}

static void hyperfine_read_result(struct bench_sink *sink, const struct node *result) {
  pprofc_str command = node_text(result, "command");
  const struct node *times = node_get(result, "times"),
                    *memory = node_get(result, "memory_usage_byte");
  if (!times || !times->first) {
    sink_message(sink, result->line, "'%.*s' has no times, only a mean", STR_ARG(command));
    return;
  }
  if (!check_codes(sink, result, command)) return;
  struct buffer name;
  name_begin(&name, sink, command, false);
  name_parameters(&name, node_get(result, "parameters"));
  memory = node_at(memory, 0);
  for (const struct node *time = times->first; time; time = time->next) {
    double value;
    if (!node_number(time, 0, &value)) {
      sink_message(sink, time->line, "'%.*s': a time is not a number", STR_ARG(command));
    } else {
      sink_result(sink, buffer_str(&name), 1, time->line);
      if (value > 0)
        sink_value(sink, value, STR("sec/op"));
      else
        sink_zero_time(sink);
      json_add_value(sink, memory, 0, STR("peak-RSS-bytes"));
      if (time == times->first) { /* `user` and `system` are means of all runs, so add them once */
        json_add_value(sink, node_get(result, "user"), 0, STR("user-sec/op"));
        json_add_value(sink, node_get(result, "system"), 0, STR("sys-sec/op"));
      }
    }
    if (memory) memory = memory->next;
  }
  name_end(&name, sink);
}

const struct bench_reader bench_reader_hyperfine = {
    .name = "hyperfine JSON",
    .first = '{',
    .words = {"\"results\"", "\"command\"", "\"mean\""},
    .toolkit = "hyperfine",
    .list = "results",
    .item = hyperfine_read_result};
