/* Lists changes of label values in a difference. */
#ifndef PPROFC_WEB_TAG_CHANGES_H
#define PPROFC_WEB_TAG_CHANGES_H

#include "report/text/tag_sums.h"
#include "web/views/page.h"

struct tag_changes {
  struct view_report reports[2]; /* reports of base and head */
  struct tag_sums sums[2];       /* labels of base and head, sorted by text */
  size_t opened;
};

/* Collects the labels of base and head. The caller closes `changes`, also after an error. */
pprofc_status tag_changes_open(struct tag_changes *changes, struct view_page *page,
                               pprofc_error *error);
void tag_changes_close(struct tag_changes *changes);

/* Judges the values of a key; the verdicts are in page->judgement. */
pprofc_status tag_changes_judge(struct view_page *page, pprofc_str key, pprofc_error *error);

/* Sets a row to a value's amounts in base and head, and its verdict. */
void tag_changes_row(const struct tag_changes *changes, struct view_page *page,
                     const struct tag_value *tag, struct view_row *row);

#endif
