/* Prints hostile profiles, and differences of two profiles, as -flame=text. The output must be
 * valid UTF-8 without control characters, and must end with a newline. */
#include "core/escape.h"
#include "hostile.h"
#include "pprofc/pprofc.h"

static void ignore_warning(void *context, const char *message) {
  (void)context;
  REQUIRE(message[0]);
}

static void take_options(struct hostile *in, pprofc_report_options *o) {
  static const char *const expressions[] = {"", "", "", "main", ".", "a|b", "^$"};
  static const char *const colors[] = {"", "hot", "change", "origin", "package"};
  static const char *const granularities[] = {"", "functions", "files", "lines", "addresses"};
  static const int numbers[] = {0, 0, 1, 2, -1, INT32_MAX, INT32_MIN};
  static const double fractions[] = {0.005, 0, 1, -1, 0.5, 1e308};
#define ONE_OF(table) (table)[hostile_below(in, sizeof(table) / sizeof *(table))]
  unsigned flags = hostile_byte(in);
  o->reverse = flags & 1;
  o->inverted = flags & 2;
  o->noinlines = flags & 4;
  o->drop_negative = flags & 8;
  o->mean = flags & 16;
  o->focus = ONE_OF(expressions);
  o->ignore = ONE_OF(expressions);
  o->colors = ONE_OF(colors);
  o->granularity = ONE_OF(granularities);
  o->cut_depth = ONE_OF(numbers);
  o->width = ONE_OF(numbers);
  o->nodecount = ONE_OF(numbers);
  o->min_weight = ONE_OF(fractions);
  o->nodefraction = ONE_OF(fractions);
#undef ONE_OF
}

/* Checks the output. A TAB in a name is permitted in the heading, as in every report. In a frame a
 * TAB would move the other columns. */
static void check_text(pprofc_str text) {
  REQUIRE(!text.size || text.data[text.size - 1] == '\n');
  size_t heading = str_find_char(text, '\n');
  for (size_t at = 0; at < text.size;) {
    int32_t c = utf8_next(text, &at);
    REQUIRE(c >= 0);
    REQUIRE((c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0)) || c == '\n' ||
            (c == '\t' && at <= heading));
  }
}

static void print(const pprofc_profile *profile, struct hostile *in) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  take_options(in, &options);
  options.format = "flame";
  options.argument = "text";
  options.threads = 1;
  options.warn = ignore_warning;
  struct buffer out;
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_report(profile, &options, buffer_write, &out, &error);
  if (status == PPROFC_OK)
    check_text(buffer_str(&out));
  else
    REQUIRE(error.status == status && error.message[0]);
  buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hostile in = {data, data + size};
  unsigned how = hostile_byte(&in);
  pprofc_profile *head = hostile_profile(&in), *difference = NULL;
  pprofc_profile *base = how & 1 ? hostile_profile(&in) : NULL;
  if (head && base)
    pprofc_diff(head, base, how & 2 ? PPROFC_SUBTRACT : PPROFC_COMPARE, how & 4, &difference, NULL);
  if (difference)
    print(difference, &in);
  else if (head)
    print(head, &in);
  pprofc_profile_release(difference);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  return 0;
}
