/* Serves scripts, styles and pictures of the page, which are compiled into the program. */
#ifndef PPROFC_WEB_ASSETS_H
#define PPROFC_WEB_ASSETS_H

#include "web/reply.h"
#include "web/view.h"

/* One file of the page. The build generates the table. */
struct web_asset {
  const char *name;          /* file name: "app.css" */
  const unsigned char *data; /* contents of the file, gzip'd, or plain if the build had no gzip */
  const size_t *size;
  const char *sha256; /* SHA-256 of `data`, in hexadecimal */
};

extern const struct web_asset web_assets[];
extern const size_t web_asset_count;

/* Returns the file of an address below assets/, "app-0123456789abcdef.css", or NULL. */
const struct web_asset *asset_find(pprofc_str name);

/* Returns the file for a client with or without gzip; NULL when out of memory. */
struct web_reply *asset_reply(const struct web_asset *asset, bool gzip);

/* Fills in the addresses of the page's assets, which live in `arena`. False when out of memory. */
bool assets_name(struct web_info *info, struct arena *arena);

#endif
