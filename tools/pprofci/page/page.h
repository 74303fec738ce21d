/* What is written of a finished run: the page, the summary, the manifest, annotations. */
#ifndef PPROFCI_PAGE_PAGE_H
#define PPROFCI_PAGE_PAGE_H

#include "core/json_write.h"
#include "page/model.h"
#include "run/run.h"

/* Writes index.html, summary.md and manifest.json into the stage. */
pprofc_status write_pages(struct ci_run *run, pprofc_error *error);

/* Prints a command of GitHub Actions for each regression, where these are wanted. */
pprofc_status print_annotations(struct ci_run *run, pprofc_error *error);

/* One file each; they append. */
void page_print(struct buffer *out, const struct page_model *model);
void summary_print(struct buffer *out, const struct page_model *model);
void manifest_print(struct buffer *out, const struct page_model *model);
void annotations_print(struct buffer *out, const struct page_model *model);

/* The regressions as an array of JSON: benchmark, place, title and message of each. */
void annotations_list(struct json_writer *json, const struct page_model *model);

#endif
