/* The data of the viewer as one piece of bytes, for a page that asks a server for it. */
#include "flame/pack.h"

#define DATA_PARTS 4 /* JSON about the page, frames, nodes, labels */

static int data_write(void *buffer, const void *bytes, size_t size) {
  buffer_add(buffer, bytes, size);
  return ((struct buffer *)buffer)->failed;
}

static pprofc_status data_put_meta(const struct flame_page *page, const struct flame_cut *cut,
                                   struct buffer *to, pprofc_error *error) {
  const pprofc_allocator *mem = page->tree->arena.mem;
  struct output *text = mem_array(mem, 1, sizeof *text);
  struct json_writer json;
  if (!text) return error_nomem(error);
  output_init(text, data_write, to);
  json_init(&json, text, mem);
  flame_put_meta(page, cut, &json);
  bool good = json_finish(&json) && output_flush(text, NULL) == PPROFC_OK;
  mem_free(mem, text, 1, sizeof *text);
  return good ? PPROFC_OK : error_nomem(error);
}

static pprofc_status data_pack(const struct flame_page *page, const struct flame_cut *cut,
                               struct buffer *part, pprofc_error *error) {
  struct buffer bytes;
  buffer_init(&bytes, page->tree->arena.mem, SIZE_MAX / 2);
  pprofc_status status = data_put_meta(page, cut, &part[0], error);
  if (status == PPROFC_OK) status = flame_pack_frames(page, cut, &bytes, error);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[1], error);
  buffer_clear(&bytes);
  flame_pack_nodes(page, cut, &bytes);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[2], error);
  buffer_clear(&bytes);
  flame_pack_groups(page, cut, &bytes);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[3], error);
  buffer_free(&bytes);
  return status;
}

static pprofc_status data_write_parts(const struct buffer *part, struct output *out,
                                      pprofc_error *error) {
  output_add_text(out, "PFL1");
  for (size_t i = 0; i < DATA_PARTS; i++) {
    if (part[i].size > UINT32_MAX)
      return error_set(error, PPROFC_E_LIMIT, "the data of the flame graph are more than 4 GB");
    for (unsigned shift = 0; shift < 32; shift += 8)
      output_add_char(out, (char)(part[i].size >> shift & 0xFF));
  }
  for (size_t i = 0; i < DATA_PARTS; i++) output_add(out, part[i].data, part[i].size);
  return PPROFC_OK;
}

pprofc_status flame_data(const struct flame_page *page, struct flame_data_range range,
                         struct output *out, pprofc_error *error) {
  struct flame_cut cut;
  struct buffer part[DATA_PARTS];
  pprofc_status status = flame_cut_make(page, range, &cut, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < DATA_PARTS; i++)
    buffer_init(&part[i], page->tree->arena.mem, SIZE_MAX / 2);
  status = data_pack(page, &cut, part, error);
  if (status == PPROFC_OK) status = data_write_parts(part, out, error);
  for (size_t i = 0; i < DATA_PARTS; i++) buffer_free(&part[i]);
  flame_cut_free(&cut);
  return status;
}
