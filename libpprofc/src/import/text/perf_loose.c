/* Repairs text of `perf script` whose headers lack fields (-F ip,sym,dso; -F comm,event,ip), or
 * that lost its indentation in a mail or an editor. Adds the missing fields to headers, and a tab
 * before frames. */
#include "import/text/perf_frames.h"

#define LOOSE_DIGITS "0123456789"

/* True if the line can only be a frame: an address with an offset or an object, or an indented
 * address with a name. */
static bool loose_is_frame(pprofc_str line) {
  struct perf_script_frame frame;
  pprofc_str rest = line, word;
  if (!perf_script_parse_frame(line, &frame) || !import_next_word(&rest, &word)) return false;
  bool number =
      word.size > 1 && !perf_script_all_of(word, "abcdef") && !str_ends(str_trim(rest), STR(":"));
  bool object = frame.object.size && strchr("/[", frame.object.data[0]);
  pprofc_str name = str_trim(rest);
  bool indented = strchr(" \t", line.data[0]) && name.size && !char_is_digit(name.data[0]);
  return number && (object || frame.inlined || indented || str_contains(rest, STR("+0x")));
}

/* Fields of a header; "" for missing fields. */
struct loose_header {
  pprofc_str command, id, cpu, time, period, event;
};

/* Returns the field for a number in a header: the id for the first number after a command,
 * otherwise the period. */
static pprofc_str *loose_number(struct loose_header *h, bool first) {
  return first && h->command.size ? &h->id : &h->period;
}

/* Splits a header into fields. The text before the first number is the command. The number after
 * the command is the id. Without a command, the number before the time is the id. Any other number
 * is the period. */
static struct loose_header loose_parse(pprofc_str line) {
  struct loose_header h = {0};
  pprofc_str rest = line, word;
  const char *end = NULL;
  while (!h.event.size && import_next_word(&rest, &word)) {
    bool number = perf_script_all_of(word, LOOSE_DIGITS "/");
    if (perf_script_is_time(word)) {
      h.time = word;
      if (!h.id.size) h.id = h.period;
      h.period = STR("");
    } else if (number) {
      *loose_number(&h, !end) = word;
    } else if (str_starts(word, STR("[")) && str_ends(word, STR("]"))) {
      h.cpu = word;
    } else if (str_ends(word, STR(":"))) {
      h.event = word;
    } else if (!end) {
      h.command = str_trim((pprofc_str){line.data, (size_t)(rest.data - line.data)});
      continue;
    }
    end = word.data;
  }
  return h;
}

static void loose_put(struct buffer *out, pprofc_str text, const char *otherwise) {
  buffer_add_str(out, text.size ? text : str_of(otherwise));
  buffer_add_char(out, ' ');
}

static void loose_header(struct buffer *out, pprofc_str line) {
  struct loose_header h = loose_parse(line);
  loose_put(out, h.command, PERF_NO_COMMAND);
  loose_put(out, h.id, "0");
  if (h.cpu.size) loose_put(out, h.cpu, "");
  loose_put(out, h.time, "0.0:");
  if (h.event.size) loose_put(out, h.period, "");
  loose_put(out, h.event, "");
  buffer_add_char(out, '\n');
}

static bool loose_is_blank(pprofc_str line) {
  return !str_trim(line).size;
}

bool perf_loose_begins(pprofc_str text) {
  pprofc_str line;
  while (str_next_line(&text, &line)) {
    if (loose_is_blank(line) || line.data[0] == '#') continue;
    return loose_is_frame(line) || (str_next_line(&text, &line) && loose_is_frame(line));
  }
  return false;
}

bool perf_loose_convert(pprofc_str text, struct buffer *out) {
  pprofc_str line;
  /* frames: number of frames; others: number of lines that are neither frames nor the first line of
   * a block */
  size_t frames = 0, others = 0;
  bool inside = false;
  if (!perf_loose_begins(text)) return false;
  while (str_next_line(&text, &line) && !out->failed) {
    if (loose_is_blank(line)) {
      buffer_add_char(out, '\n');
      inside = false;
      continue;
    }
    bool frame = loose_is_frame(line);
    frames += frame;
    others += inside && !frame;
    if (inside || frame) {
      if (!inside) loose_header(out, STR(""));
      if (frame) buffer_add_char(out, '\t');
      buffer_add_str(out, str_trim(line));
      buffer_add_char(out, '\n');
    } else {
      loose_header(out, line);
    }
    inside = true;
  }
  return frames >= others;
}
