/* Serves the files of the page. Each URL contains a hash of the file. A browser may therefore keep
 * the file forever. */
#include "web/routes.h"

#include "codec/codec.h"

#define HASH_DIGITS 16

/* Formats a name such as "app-0123456789abcdef.css", and returns its length. If the length is
 * `size` or more, the name did not fit. */
static size_t asset_write_name(const struct web_asset *asset, char *out, size_t size) {
  pprofc_str name = str_of(asset->name);
  size_t dot = str_find_last_char(name, '.');
  int length = snprintf(out, size, "%.*s-%.*s%.*s", (int)dot, name.data, HASH_DIGITS, asset->sha256,
                        (int)(name.size - dot), name.data + dot);
  return length > 0 ? (size_t)length : 0;
}

const struct web_asset *asset_find(pprofc_str name) {
  char full[256];
  for (size_t i = 0; i < web_asset_count; i++) {
    size_t size = asset_write_name(&web_assets[i], full, sizeof full);
    if (size < sizeof full && str_equal(name, (pprofc_str){full, size})) return &web_assets[i];
  }
  return NULL;
}

static const char *asset_type(pprofc_str name) {
  static const struct {
    const char *ending, *type;
  } types[] = {{".css", "text/css; charset=utf-8"},
               {".js", "text/javascript; charset=utf-8"},
               {".svg", "image/svg+xml"},
               {".png", "image/png"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (str_ends(name, str_of(types[i].ending))) return types[i].type;
  return REPLY_BINARY;
}

/* Decompresses a built-in file. Fails only when out of memory. */
static bool asset_inflate(const struct web_asset *asset, struct buffer *out) {
  pprofc_limits limits;
  struct input input;
  pprofc_limits_init(&limits);
  if (input_read_memory(asset->data, *asset->size, &mem_default, &limits, &input, NULL))
    return false;
  buffer_add(out, input.data, input.size);
  region_release(input.region);
  return !out->failed;
}

struct web_reply *asset_reply(const struct web_asset *asset, bool gzip) {
  struct web_reply *reply = reply_new(200, asset_type(str_of(asset->name)));
  bool packed = *asset->size > 2 && asset->data[0] == 0x1F && asset->data[1] == 0x8B;
  if (!reply) return NULL;
  bool ok = reply_add_header(reply, "Cache-Control", STR("public, max-age=31536000, immutable")) &&
            reply_add_header(reply, "Vary", STR("Accept-Encoding"));
  if (packed && !gzip) {
    ok = ok && asset_inflate(asset, &reply->body);
  } else {
    buffer_add(&reply->body, asset->data, *asset->size);
    if (packed) ok = ok && reply_add_header(reply, "Content-Encoding", STR("gzip"));
  }
  if (ok && !reply->body.failed) return reply;
  reply_release(reply);
  return NULL;
}

/* Returns "assets/app-0123456789abcdef.css". Returns NULL for an unknown file. */
static const char *asset_address(const char *name, struct arena *arena, bool *ok) {
  char address[288] = "assets/";
  for (size_t i = 0; i < web_asset_count; i++) {
    if (strcmp(web_assets[i].name, name) != 0) continue;
    size_t size = asset_write_name(&web_assets[i], address + 7, sizeof address - 7);
    const char *copy = arena_copy(arena, address, size + 8);
    *ok = *ok && copy;
    return copy;
  }
  return NULL;
}

bool assets_name(struct web_info *info, struct arena *arena) {
  bool ok = true;
  info->css = asset_address("app.css", arena, &ok);
  info->js = asset_address("app.js", arena, &ok);
  info->flame_css = asset_address("flame.css", arena, &ok);
  info->flame_js = asset_address("flame.js", arena, &ok);
  info->icon = asset_address("icon.svg", arena, &ok);
  return ok;
}
