/* Starting a browser on the page. */
#ifndef PPROFC_WEB_BROWSER_H
#define PPROFC_WEB_BROWSER_H

#include "core/buffer.h"
#include "pprofc/report.h"

/* Appends the saved options that an address can have and that differ from their defaults, as
 * parameters: "f=main&g=lines". */
void browser_write_options(struct buffer *out, const pprofc_report_options *options);

/* Starts the first browser that there is: $BROWSER, then those that pprof tries. False when none
 * starts. The program does not wait for it. */
bool browser_start(const char *address);

#endif
