/* The parts of report.html that index.html does not have: the packed flame graphs and the viewer
 * that opens them above the page. */
#ifndef PPROFCI_PAGE_REPORT_H
#define PPROFCI_PAGE_REPORT_H

#include "page/model.h"

/* Appends the style of the viewer, and of its place above the page. */
void report_style(struct buffer *out);

/* Appends the flame graph of each pair, of slower benchmarks first, then the place of the viewer.
 * The page stays below 10 MB: a graph that does not fit remains a file beside the page. */
void report_graphs(struct buffer *out, const struct page_model *m);

/* The scripts of report.html, which follow the page, and their SHA-256. */
struct page_script {
  const unsigned char *text;
  const size_t *size;
  const char *sha256;
};
#define REPORT_SCRIPTS 2
extern const struct page_script report_scripts[REPORT_SCRIPTS];

#endif
