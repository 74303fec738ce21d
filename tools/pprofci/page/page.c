/* Writes the page: a headline, a row for each benchmark, other comparisons, and the method. */
#include "page/page.h"

#include "core/base64.h"
#include "page/html.h"
#include "page/method.h"
#include "page/numbers.h"
#include "page/outside.h"
#include "page/report.h"
#include "page/rows.h"
#include "page/tabs.h"
#include "run/files.h"
#include "run/text.h"

#include <stdio.h>

extern const unsigned char asset_ci_css[], asset_ci_js[];
extern const size_t asset_ci_css_size, asset_ci_js_size;
extern const char asset_ci_js_sha256[];

#define SECTION_PICTURE 420 /* pixels; height of a picture outside of rows */

/* ---- head -------------------------------------------- */

static int page_add(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

static const struct page_script page_script = {asset_ci_js, &asset_ci_js_size, asset_ci_js_sha256};

/* Appends the source 'sha256-...' of a script. */
static void put_script_hash(struct buffer *out, const struct page_script *script) {
  struct output *to = mem_array(out->mem, 1, sizeof *to);
  if (!to) {
    out->failed = true;
    return;
  }
  output_init(to, page_add, out);
  output_add_text(to, " '");
  base64_put_script_hash(to, script->sha256);
  output_add_char(to, '\'');
  if (output_flush(to, NULL) != PPROFC_OK) out->failed = true;
  mem_free(out->mem, to, 1, sizeof *to);
}

static void put_document_head(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                       "'none'; style-src 'unsafe-inline'; img-src data:; script-src");
  put_script_hash(out, &page_script);
  for (size_t i = 0; i < REPORT_SCRIPTS && m->one_file; i++)
    put_script_hash(out, &report_scripts[i]);
  buffer_add_text(out, "\">\n<title>");
  buffer_add_text(out, conclusion_sign(m->conclusion));
  html_text(out, m->headline);
  buffer_add_text(out, "</title>\n<style>\n");
  buffer_add(out, asset_ci_css, asset_ci_css_size);
  if (m->one_file) report_style(out);
  buffer_add_text(out, "</style>\n</head>\n<body>\n");
}

/* ---- the first screen -------------------------------- */

static void put_subject(struct buffer *out, const struct ci_run *run) {
  const char *title = run->options->title;
  buffer_add_text(out, "<p class=\"subject\">");
  html_words(out, *title ? title : "Benchmarks and profiles of this change");
  if (*run->base_commit || *run->head_commit) {
    buffer_add_text(out, " <span class=\"commits\">");
    if (*run->base_commit) buffer_printf(out, "base %.9s " ARROW " ", run->base_commit);
    buffer_printf(out, "head %.9s</span>", run->head_commit);
  }
  buffer_add_text(out, "</p>\n");
}

static void put_verdict(struct buffer *out, const struct page_model *m) {
  static const char *const names[] = {"good", "doubt", "bad"};
  const struct ci_run *run = m->run;
  buffer_printf(out,
                "<div class=\"verdict %s\" id=\"verdict\">\n<h1><span class=\"sign\">%s</span>",
                names[m->conclusion], conclusion_sign(m->conclusion));
  html_text(out, m->headline);
  buffer_add_text(out, "</h1>\n<p>");
  html_text(out, m->counts);
  if (m->visible_text.size) {
    buffer_add_text(out, m->counts.size ? " " DOT " " : "");
    html_text(out, m->visible_text);
  }
  buffer_add_text(out, "</p>\n");
  if (m->also.size) {
    buffer_add_text(out, "<p class=\"also\">? ");
    html_text(out, m->also);
    buffer_add_text(out, "</p>\n");
  }
  if (*run->instructions) {
    buffer_add_text(out, "<p>");
    html_words(out, run->instructions);
    buffer_add_text(out, "</p>\n");
  }
  buffer_add_text(out, "</div>\n");
  if (!run->has_base)
    buffer_add_text(out, "<p class=\"note\">A first run: this page shows the head alone, nothing "
                         "was compared.</p>\n");
}

/* ---- profiles ---------------------------------------- */

static void put_section(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                        bool open) {
  buffer_printf(out, "<section class=\"pair\"><h2>%s: ", pair->kind);
  html_words(out, html_shown(pair));
  buffer_add_text(out, "</h2>\n");
  if (*pair->note) {
    buffer_add_text(out, "<p class=\"note\">");
    html_words(out, pair->note);
    buffer_add_text(out, "</p>\n");
  }
  html_because(out, m, pair);
  tabs_print(out, m, pair, SECTION_PICTURE, open);
  buffer_add_text(out, "</section>\n");
}

/* True if a row shows the pair. Pairs without a benchmark or without results have no row. */
static bool is_in_a_row(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->count; i++)
    if (model_is_of(pair, &m->benchmarks[i])) return true;
  return false;
}

static void put_profiles(struct buffer *out, const struct page_model *m) {
  const struct ci_run *run = m->run;
  size_t count = 0;
  for (size_t i = 0; i < run->pair_count; i++) count += !is_in_a_row(m, &run->pairs[i]);
  if (!count) return;
  /* Open if the page shows nothing else. */
  buffer_printf(out, "<details class=\"fold\" id=\"profiles\"%s><summary>%zu profile",
                m->count ? "" : " open", count);
  if (count > 1) buffer_add_char(out, 's');
  buffer_add_text(out, " <span class=\"some\">(");
  for (size_t i = 0, named = 0; i < run->pair_count && named < 4; i++) {
    if (is_in_a_row(m, &run->pairs[i])) continue;
    buffer_add_text(out, named++ ? ", " : "");
    html_words(out, html_shown(&run->pairs[i]));
  }
  buffer_add_text(out, count > 4 ? ", ...)</span></summary>\n" : ")</span></summary>\n");
  for (size_t i = 0; i < run->pair_count; i++)
    if (!is_in_a_row(m, &run->pairs[i])) put_section(out, m, &run->pairs[i], !m->count);
  buffer_add_text(out, "</details>\n");
}

static void put_script(struct buffer *out, const struct page_script *script) {
  buffer_add_text(out, "<script>");
  buffer_add(out, script->text, *script->size);
  buffer_add_text(out, "</script>\n");
}

static void page_print(struct buffer *out, const struct page_model *m) {
  put_document_head(out, m);
  buffer_add_text(out, "<main>\n");
  put_subject(out, m->run);
  put_verdict(out, m);
  outside_print(out, m->run);
  if (m->count) {
    buffer_add_text(out, "<section id=\"benchmarks\" aria-label=\"benchmarks\">\n");
    rows_print(out, m);
    buffer_add_text(out, "</section>\n");
  }
  put_profiles(out, m);
  method_print(out, m);
  buffer_add_text(out, "</main>\n");
  if (m->one_file) report_graphs(out, m);
  put_script(out, &page_script);
  for (size_t i = 0; i < REPORT_SCRIPTS && m->one_file; i++) put_script(out, &report_scripts[i]);
  buffer_add_text(out, "</body>\n</html>\n");
}

/* ---- all files --------------------------------------- */

static pprofc_status write_one(struct ci_run *run, const struct page_model *m, const char *name,
                               void (*print)(struct buffer *, const struct page_model *),
                               pprofc_error *error) {
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  print(&text, m);
  pprofc_status status = text.failed ? error_nomem(error) : PPROFC_OK;
  if (status == PPROFC_OK) status = files_put(run, false, name, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

pprofc_status write_pages(struct ci_run *run, pprofc_error *error) {
  struct page_model model;
  if (!run->machine.size) run->machine = method_machine(run);
  if (!run->machine.data) return error_nomem(error);
  pprofc_status status = model_make(run, &model, error);
  if (status == PPROFC_OK) status = write_one(run, &model, "index.html", page_print, error);
  model.one_file = true;
  if (status == PPROFC_OK) status = write_one(run, &model, "report.html", page_print, error);
  model.one_file = false;
  if (status == PPROFC_OK) status = write_one(run, &model, "summary.md", summary_print, error);
  if (status == PPROFC_OK) status = write_one(run, &model, "manifest.json", manifest_print, error);
  return status;
}
