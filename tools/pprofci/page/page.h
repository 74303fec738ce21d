/* Writes the files of a finished run: the page, the summary, the manifest and the annotations. */
#ifndef PPROFCI_PAGE_PAGE_H
#define PPROFCI_PAGE_PAGE_H

#include "core/json_write.h"
#include "page/message.h"
#include "page/model.h"
#include "run/run.h"

/* Writes index.html, report.html, summary.md and manifest.json to a temporary folder (stage.c). */
void write_pages(struct ci_run *run);

/* Writes the files of the CI service that $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT name. The
 * function is a step of `pprofci run`. */
void write_service_files(struct ci_run *run);

/* Prints a GitHub Actions command for each regression if annotations are enabled. */
void print_annotations(struct ci_run *run);

/* Appends a name in Markdown. Writes the name as code if GitHub interprets it even when it is
 * escaped. */
void md_name(struct buffer *out, pprofc_str name);

/* Makes the text of the result, for people and pull requests. A section for coding agents, of less
 * than 2,000 bytes, lists the regressions and commands that find the cause. */
void summary_make(const struct page_model *model, struct arena *arena, struct message *summary);

/* Returns the text of manifest.json. */
pprofc_str manifest_make(struct ci_run *run, const struct page_model *model);

/* Writes the regressions as a JSON array: benchmark, file and line, title and message. */
void annotations_list(struct json_writer *json, const struct page_model *model);

/* True if an address may become a link. The address must have http or https, a host, and only bytes
 * that are valid in a URL. */
bool outside_may_link(pprofc_str url);

/* Reads links to other servers from the file named by the flag -links. `pprofci push -links` writes
 * this file. The function is a step of a run. */
void outside_read(struct ci_run *run);

/* Adds the links to other servers from a job's manifest. Skips addresses that must not be links. */
void outside_add(struct ci_run *run, const struct node *root, const char *job);

/* Writes the links as a member of a manifest. Writes nothing if the run has no links. */
void outside_write(struct json_writer *json, const struct ci_run *run);
#endif
