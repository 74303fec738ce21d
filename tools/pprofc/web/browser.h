/* Starts a browser on the page. */
#ifndef PPROFC_WEB_BROWSER_H
#define PPROFC_WEB_BROWSER_H

#include "core/buffer.h"
#include "pprofc/report.h"

/* Appends the saved options that addresses support and that differ from their defaults:
 * "f=main&g=lines". */
void browser_write_options(struct buffer *out, const pprofc_report_options *options);

/* Starts $BROWSER, or the first browser of pprof's list that works, and does not wait for it.
 * False if every start fails. */
bool browser_start(const char *address);

#endif
