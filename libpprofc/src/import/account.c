/* Adds comments about the input file to a profile: skipped events, wrong totals, and an untested
 * version of the format. */
#include "import/reader.h"

#define LEFT_OUT      "skipped: "
#define DIFFERS       "totals differ: "
#define NEWER_VERSION "newer version "

#define NOTE_MAX 160u

void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many) {
  char note[NOTE_MAX];
  if (!count) return;
  snprintf(note, sizeof note, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
  pprofc_builder_comment(builder, note);
}

void import_note_total(pprofc_builder *builder, const char *what, uint64_t count) {
  char note[NOTE_MAX];
  snprintf(note, sizeof note, "%s: %llu", what, (unsigned long long)count);
  if (count) pprofc_builder_comment(builder, note);
}

void import_account(pprofc_builder *builder, uint64_t read, const char *events,
                    const struct import_loss *losses) {
  uint64_t left_out = 0;
  char note[NOTE_MAX];
  for (; losses->one; losses++) {
    if (*losses->one) import_note_count(builder, losses->count, losses->one, losses->many);
    left_out += losses->count;
  }
  if (!left_out) return;
  snprintf(note, sizeof note, LEFT_OUT "%llu of %llu %s (%.1f%%)", (unsigned long long)left_out,
           (unsigned long long)(read + left_out), events,
           100.0 * (double)left_out / ((double)read + (double)left_out));
  pprofc_builder_comment(builder, note);
}

void import_account_one(pprofc_builder *builder, uint64_t read, const char *events, uint64_t count,
                        const char *one, const char *many) {
  import_account(builder, read, events, (const struct import_loss[]){{count, one, many}, {0}});
}

void import_compare_total(pprofc_builder *builder, const char *events, uint64_t said,
                          uint64_t read) {
  char note[NOTE_MAX];
  if (said == read) return;
  snprintf(note, sizeof note, DIFFERS "the file says %llu %s, %llu were read",
           (unsigned long long)said, events, (unsigned long long)read);
  pprofc_builder_comment(builder, note);
}

void import_compare_version(pprofc_builder *builder, const char *format, int64_t version,
                            int64_t newest) {
  char note[NOTE_MAX];
  if (version <= newest) return;
  snprintf(note, sizeof note,
           NEWER_VERSION "%lld of %s: the newest known one is %lld, so data may be missing",
           (long long)version, format, (long long)newest);
  pprofc_builder_comment(builder, note);
}

/* True if a text like "3 of 40 samples" states a share of more than 1 %. */
static bool account_is_much(pprofc_str counts) {
  pprofc_str number;
  uint64_t left_out, all;
  return str_next(&counts, ' ', &number) && str_parse_uint(number, 10, &left_out) &&
         str_next(&counts, ' ', &number) && str_next(&counts, ' ', &number) &&
         str_parse_uint(number, 10, &all) && left_out > all / 100;
}

bool import_warning(pprofc_str comment, char *out, size_t size) {
  bool is_note = str_starts(comment, STR(DIFFERS)) || str_starts(comment, STR(NEWER_VERSION));
  bool is_loss =
      str_starts(comment, STR(LEFT_OUT)) && account_is_much(str_from(comment, strlen(LEFT_OUT)));
  snprintf(out, size, "%.*s%s", STR_ARG(str_slice(comment, 0, NOTE_MAX)),
           is_loss ? "; -comments gives the reasons" : "");
  return is_note || is_loss;
}
