/* Output files of a finished run: the page, the summary, the manifest, annotations. */
#ifndef PPROFCI_PAGE_PAGE_H
#define PPROFCI_PAGE_PAGE_H

#include "core/json_write.h"
#include "page/model.h"
#include "run/run.h"

/* Writes index.html, report.html, summary.md and manifest.json into the stage. */
pprofc_status write_pages(struct ci_run *run, pprofc_error *error);

/* Writes the files of the CI service: $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT. A step of a run. */
pprofc_status write_service_files(struct ci_run *run, pprofc_error *error);

/* Prints a GitHub Actions command for each regression if annotations are enabled. */
pprofc_status print_annotations(struct ci_run *run, pprofc_error *error);

/* Append the text of summary.md and of manifest.json. */
void summary_print(struct buffer *out, const struct page_model *model);

/* Appends a folded block of less than 2,000 bytes: what got worse, and commands for agents. Nothing
 * for a result that is good. */
void summary_for_agents(struct buffer *out, const struct page_model *model);
void manifest_print(struct buffer *out, const struct page_model *model);

/* Writes the regressions as a JSON array: benchmark, place, title and message. */
void annotations_list(struct json_writer *json, const struct page_model *model);

#endif
