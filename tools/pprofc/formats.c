/* Prints the tables of input formats. */
#include "actions.h"
#include "bench/read/readers.h"
#include "import/import.h"

#define FORMATS_COLUMN 18

/* The fields that are printed for a format, in this order. */
static const struct {
  const char *label;
  size_t offset;
} format_fields[] = {
    {"written by", offsetof(struct format_row, writers)},
    {"recognised by", offsetof(struct format_row, recognised)},
    {"recorded with", offsetof(struct format_row, recorded)},
    {"kept", offsetof(struct format_row, kept)},
    {"lost", offsetof(struct format_row, lost)},
};

#define FIELD_COUNT (sizeof format_fields / sizeof *format_fields)

static const char *formats_field(const struct format_row *row, size_t i) {
  return *(const char *const *)(const void *)((const char *)row + format_fields[i].offset);
}

/* Adds a text without its backquotes, which are marks of Markdown. */
static void formats_fill(struct filler *filler, const char *text) {
  char plain[1024];
  size_t size = 0;
  for (; *text && size + 1 < sizeof plain; text++)
    if (*text != '`') plain[size++] = *text;
  plain[size] = '\0';
  fill(filler, plain);
}

static void formats_print_row(struct output *out, const struct format_row *row, size_t width) {
  struct filler filler = {.out = out, .width = width};
  formats_fill(&filler, row->name);
  output_add_char(out, '\n');
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    output_printf(out, "  %-*s", FORMATS_COLUMN - 2, format_fields[i].label);
    filler =
        (struct filler){.out = out, .width = width, .indent = FORMATS_COLUMN, .at = FORMATS_COLUMN};
    formats_fill(&filler, formats_field(row, i));
    output_add_char(out, '\n');
  }
}

static void formats_print_text(struct output *out, const struct format_row *row, size_t width) {
  for (; row->name; row++) {
    output_add_char(out, '\n');
    formats_print_row(out, row, width);
  }
}

static void formats_print_table(struct output *out, const struct format_row *row) {
  output_add_text(out, "| format |");
  for (size_t i = 0; i < FIELD_COUNT; i++) output_printf(out, " %s |", format_fields[i].label);
  output_add_text(out, "\n|---|---|---|---|---|---|\n");
  for (; row->name; row++) {
    output_printf(out, "| %s |", row->name);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
      output_printf(out, " %s", formats_field(row, i));
      bool has_example = format_fields[i].offset == offsetof(struct format_row, recorded);
      if (has_example && row->example) output_printf(out, ": `%s`", row->example);
      output_add_text(out, " |");
    }
    output_add_char(out, '\n');
  }
}

void formats_print(struct output *out, bool markdown, size_t width) {
  if (markdown) {
    output_add_text(out, "### Profiles\n\n");
    formats_print_table(out, import_format_table);
    output_add_text(out, "\n### Benchmark results\n\n");
    formats_print_table(out, bench_format_table);
    return;
  }
  output_add_text(out, "PROFILES: sources of pprofc, gzip'd or not\n");
  formats_print_text(out, import_format_table, width);
  output_add_text(out, "\nBENCHMARK RESULTS: inputs of benchstatc and parse_bench_regressions\n");
  formats_print_text(out, bench_format_table, width);
}
