/* Prints the input formats from the readers' tables. */
#include "formats.h"

#include "bench/read/readers.h"
#include "common/fill.h"
#include "import/formats.h"

#define FORMATS_COLUMN 18 /* column where the text of a field starts */

/* Fields of a row, in the order of both output forms. */
static const struct {
  const char *label;
  size_t offset;
} format_fields[] = {
    {"written by", offsetof(struct format_fact, writers)},
    {"recognised by", offsetof(struct format_fact, recognised)},
    {"recorded with", offsetof(struct format_fact, recorded)},
    {"kept", offsetof(struct format_fact, kept)},
    {"lost", offsetof(struct format_fact, lost)},
};

#define FIELD_COUNT (sizeof format_fields / sizeof *format_fields)

static const char *formats_field(const struct format_fact *fact, size_t i) {
  return *(const char *const *)(const void *)((const char *)fact + format_fields[i].offset);
}

/* ---- text -------------------------------------------- */

/* Text output drops backquotes, which are Markdown. */
static void formats_fill(struct filler *filler, const char *text) {
  char plain[1024];
  size_t size = 0;
  for (; *text && size + 1 < sizeof plain; text++)
    if (*text != '`') plain[size++] = *text;
  plain[size] = '\0';
  fill(filler, plain);
}

static void formats_print_row(struct output *out, const struct format_fact *fact, size_t width) {
  struct filler filler = {.out = out, .width = width};
  formats_fill(&filler, fact->name);
  output_add_char(out, '\n');
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    output_printf(out, "  %-*s", FORMATS_COLUMN - 2, format_fields[i].label);
    filler =
        (struct filler){.out = out, .width = width, .indent = FORMATS_COLUMN, .at = FORMATS_COLUMN};
    formats_fill(&filler, formats_field(fact, i));
    output_add_char(out, '\n');
  }
}

static void formats_print_text(struct output *out, const struct format_fact *fact, size_t width) {
  for (; fact->name; fact++) {
    output_add_char(out, '\n');
    formats_print_row(out, fact, width);
  }
}

/* ---- Markdown ---------------------------------------- */

static void formats_print_table(struct output *out, const struct format_fact *fact) {
  output_add_text(out, "| format |");
  for (size_t i = 0; i < FIELD_COUNT; i++) output_printf(out, " %s |", format_fields[i].label);
  output_add_text(out, "\n|---|---|---|---|---|---|\n");
  for (; fact->name; fact++) {
    output_printf(out, "| %s |", fact->name);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
      output_printf(out, " %s", formats_field(fact, i));
      bool has_example = format_fields[i].offset == offsetof(struct format_fact, recorded);
      if (has_example && fact->example) output_printf(out, ": `%s`", fact->example);
      output_add_text(out, " |");
    }
    output_add_char(out, '\n');
  }
}

void formats_print(struct output *out, bool markdown, size_t width) {
  if (markdown) {
    output_add_text(out, "### Profiles\n\n");
    formats_print_table(out, import_facts);
    output_add_text(out, "\n### Benchmark results\n\n");
    formats_print_table(out, bench_facts);
    return;
  }
  output_add_text(out, "PROFILES: sources of pprofc, gzip'd or not\n");
  formats_print_text(out, import_facts, width);
  output_add_text(out, "\nBENCHMARK RESULTS: inputs of benchstatc and parse_bench_regressions\n");
  formats_print_text(out, bench_facts, width);
}
