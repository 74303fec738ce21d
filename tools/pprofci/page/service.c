/* Writes the files that a CI service reads after a step: the summary of the job, the outputs. */
#include "page/page.h"

#include "page/links.h"
#include "run/files.h"

#include <stdio.h>
#include <stdlib.h>

pprofc_status write_service_files(struct ci_run *run, pprofc_error *error) {
  const char *summary = getenv("GITHUB_STEP_SUMMARY"), *output = getenv("GITHUB_OUTPUT");
  struct buffer text, summary_text;
  char path[4096];
  pprofc_status status = PPROFC_OK;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_init(&summary_text, run->mem, SIZE_MAX / 2);
  snprintf(path, sizeof path, "%s/summary.md", run->out);
  if (run_has(summary)) status = file_read(path, &text, error);
  /* The page of a job is not in the folder of the artifacts. */
  links_resolve(&summary_text, buffer_str(&text), &(struct links_site){STR(""), false});
  if (status == PPROFC_OK && summary_text.failed) status = error_nomem(error);
  if (status == PPROFC_OK && run_has(summary))
    status = files_append(summary, buffer_str(&summary_text), error);
  buffer_free(&summary_text);
  buffer_clear(&text);
  buffer_printf(&text, "verdict=%s\n", run->verdict);
  if (status == PPROFC_OK && run_has(output))
    status = files_append(output, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}
