/* Reads the call graph of FreeBSD's `pmcstat -G`: for each function a tree of its callers.
 *
 *     @ inst_retired.any [35705 samples]
 *
 *     14.44%  [5156]     fletcher_2_native @ /boot/kernel/zfs.ko
 *      50.62%  [2610]      arc_cksum_verify
 *
 * The parent of a row is the last row before it that is indented by one space less. The samples of
 * a row include the samples of its children. A row without an object has the object of the previous
 * row. */
#include "import/reader.h"
#include "import/text/printed_tree.h"

#define PMCSTAT_SNIFFED 100u

struct pmcstat_line {
  size_t depth;
  int64_t samples;
  pprofc_str name, object; /* name and object of a row; object is empty if the row has no object */
};

/* Removes the leading spaces, and returns how many there were. */
static size_t pmcstat_skip_blanks(pprofc_str *rest) {
  size_t n = str_indent(*rest);
  *rest = str_from(*rest, n);
  return n;
}

/* Removes "50.62%" from the front. Returns false if the text does not begin with a percentage. */
static bool pmcstat_skip_percent(pprofc_str *rest) {
  size_t n = 0;
  while (n < rest->size && (char_is_digit(rest->data[n]) || rest->data[n] == '.')) n++;
  if (!n || n == rest->size || rest->data[n] != '%') return false;
  *rest = str_from(*rest, n + 1);
  return true;
}

/* Parses "  50.62%  [2610]      arc_cksum_verify @ /boot/kernel/zfs.ko". */
static bool pmcstat_parse(pprofc_str line, struct pmcstat_line *out) {
  pprofc_str rest = line;
  out->depth = pmcstat_skip_blanks(&rest);
  if (!pmcstat_skip_percent(&rest)) return false;
  if (!pmcstat_skip_blanks(&rest) || !str_starts(rest, STR("["))) return false;
  size_t close = str_find_char(rest, ']');
  if (close == rest.size || !str_parse_int(str_slice(rest, 1, close), 10, &out->samples) ||
      out->samples < 0)
    return false;
  rest = str_trim(str_from(rest, close + 1));
  size_t at = str_find(rest, STR(" @ "));
  out->name = str_trim(str_slice(rest, 0, at));
  out->object = at < rest.size ? str_trim(str_from(rest, at + 3)) : STR("");
  return out->name.size > 0;
}

/* Reads the event of a header: "@ inst_retired.any [35705 samples]". */
static bool pmcstat_head(pprofc_str line, pprofc_str *event) {
  if (!str_starts(line, STR("@ "))) return false;
  size_t bracket = str_find(line, STR(" ["));
  *event = str_trim(str_slice(line, 2, bracket));
  return str_contains(line, STR(" samples]")) && event->size > 0;
}

/* Returns the number of samples in a header. */
static uint64_t pmcstat_total(pprofc_str line) {
  uint64_t total = 0;
  size_t from = str_find(line, STR(" [")) + 2, to = str_find(line, STR(" samples]"));
  if (from < to) str_parse_uint(str_slice(line, from, to), 10, &total);
  return total;
}

/* True if the first line that is not blank is a header, and a row follows. */
bool import_is_pmcstat(pprofc_str text) {
  pprofc_str line, event;
  struct pmcstat_line row;
  bool head = false;
  for (size_t i = 0; i < PMCSTAT_SNIFFED && str_next_line(&text, &line); i++) {
    if (!str_trim(line).size) continue;
    if (!head && !pmcstat_head(line, &event)) return false;
    if (head && pmcstat_parse(line, &row)) return true;
    head = true;
  }
  return false;
}

/* Numbers of rows, lines and samples that were read or skipped. The reader uses only the first
 * event. */
struct pmcstat_left {
  uint64_t read;  /* number of rows of the first event */
  uint64_t bad;   /* number of lines of an unknown kind, and of rows without a parent */
  uint64_t other; /* number of rows of events after the first event */
  /* said: number of samples according to the headers of the first event; shown: number of samples
   * in the event's rows of depth 0 */
  uint64_t said, shown;
};

/* Reads a line that is not a row. If the line is a header, sets *current to its event. */
static void pmcstat_read_other(pprofc_str line, pprofc_str event, pprofc_str *current,
                               struct pmcstat_left *left) {
  pprofc_str text = str_trim(line);
  if (pmcstat_head(line, current)) {
    if (str_equal(*current, event)) left->said += pmcstat_total(line);
    return;
  }
  left->bad += text.size && text.data[0] != '#';
}

IMPORT_READER(import_pmcstat) {
  struct printed_tree tree = {.builder = builder, .arena = arena, .callers = true};
  struct pmcstat_left left = {0};
  pprofc_str line, event, current;
  uint32_t object = NONE; /* mapping of the last row that names an object */
  data = import_first_line(data);
  pprofc_str head = data;
  str_next_line(&head, &line);
  pmcstat_head(line, &event);
  current = event;
  builder_add_type(builder, event, STR("count"));
  while (str_next_line(&data, &line) && builder_ok(builder)) {
    struct pmcstat_line row;
    if (!pmcstat_parse(line, &row)) {
      pmcstat_read_other(line, event, &current, &left);
      continue;
    }
    if (!str_equal(current, event)) {
      left.other++;
      continue;
    }
    if (!row.depth) left.shown += (uint64_t)row.samples;
    if (row.object.size) object = import_object(builder, row.object);
    uint32_t function = import_function(builder, row.name, 0);
    struct printed_row node = {.location = import_location(builder, object, function, 0),
                               .values = {row.samples},
                               .self = -1};
    bool added = printed_tree_add(&tree, row.depth, &node);
    left.read += added;
    left.bad += !added;
  }
  printed_tree_end(&tree);
  const struct import_loss losses[] = {
      {left.bad, "line of pmcstat could not be read", "lines of pmcstat could not be read"},
      {left.other, "line of pmcstat is of another event", "lines of pmcstat are of other events"},
      {0}};
  import_account(builder, left.read, "lines", losses);
  import_note_count(builder, left.said > left.shown ? left.said - left.shown : 0,
                    "sample is of a function that pmcstat's text does not have",
                    "samples are of functions that pmcstat's text does not have");
}
