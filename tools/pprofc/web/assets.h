/* Serves scripts, styles and pictures of the page. The build compiles these files into the program.
 */
#ifndef PPROFC_WEB_ASSETS_H
#define PPROFC_WEB_ASSETS_H

#include "web/reply.h"
#include "web/view.h"

/* A file of the page. The build generates the table of these files. */
struct web_asset {
  const char *name; /* file name: "app.css" */
  /* content of the file: gzip data, or uncompressed if the build had no gzip */
  const unsigned char *data;
  const size_t *size;
  const char *sha256; /* SHA-256 of `data` in hexadecimal */
};

extern const struct web_asset web_assets[];
extern const size_t web_asset_count;

/* Returns the file at a URL like "app-0123456789abcdef.css" below assets/, or NULL. */
const struct web_asset *asset_find(pprofc_str name);

/* Returns a reply that contains the file. The reply is compressed if `gzip` is true. Returns NULL
 * when out of memory. */
struct web_reply *asset_reply(const struct web_asset *asset, bool gzip);

/* Sets the URLs of the files in `info`. Allocates them in `arena`. Returns false when out of
 * memory. */
bool assets_name(struct web_info *info, struct arena *arena);

#endif
