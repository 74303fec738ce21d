/* Makes the data of the viewer as a block of bytes. A page can request this block from a server. */
#include "codec/zlib_memory.h"
#include "flame/pack.h"

/* ---- costs of functions ------------------------------ */

/* Numbers the functions, and stores the number of each frame's function. Returns the number of
 * functions. Frames are sorted by name, so the frames of a function are adjacent. */
static size_t sums_number_functions(const struct stack_frames *frames, uint32_t *function) {
  size_t count = 0;
  for (size_t i = 0; i < frames->count; i++) {
    if (i && !str_equal(frames->items[i].name, frames->items[i - 1].name)) count++;
    function[i] = (uint32_t)count;
  }
  return frames->count ? count + 1 : 0;
}

static void sums_add(int64_t *to, const int64_t *from, size_t columns) {
  for (size_t c = 0; c < columns; c++) to[c] = sum_add(to[c], from[c]);
}

/* Walks over the nodes in preorder, and adds their values to their functions. `open` has, for each
 * function, the number of its calls on the path to the current node. Only the outermost call adds
 * its total. */
static void sums_walk(const struct flame_tree *t, struct flame_sums *sums, uint32_t *open,
                      uint32_t *path) {
  uint32_t depth = 0;
  for (size_t i = 1; i < t->count; i++) {
    uint32_t function = sums->function[t->frame[i]];
    for (; depth >= t->depth[i]; depth--) open[path[depth]]--;
    depth = t->depth[i];
    path[depth] = function;
    sums_add(&sums->self[function * t->columns], &t->self[i * t->columns], t->columns);
    if (!open[function]++)
      sums_add(&sums->total[function * t->columns], &t->total[i * t->columns], t->columns);
  }
}

bool flame_sums_make(const struct flame_tree *t, struct flame_sums *sums) {
  *sums = (struct flame_sums){.frames = t->frames->count, .columns = t->columns};
  arena_init(&sums->arena, t->arena.mem);
  sums->function = arena_array(&sums->arena, sums->frames, sizeof *sums->function);
  if (!sums->function) return false;
  sums->count = sums_number_functions(t->frames, sums->function);
  uint32_t *open = arena_zero_array(&sums->arena, sums->count, sizeof *open);
  uint32_t *path = arena_zero_array(&sums->arena, t->max_depth + 1, sizeof *path);
  sums->self = arena_zero_array(&sums->arena, sums->count, sums->columns * sizeof *sums->self);
  sums->total = arena_zero_array(&sums->arena, sums->count, sums->columns * sizeof *sums->total);
  if (!open || !path || !sums->self || !sums->total) return false;
  sums_walk(t, sums, open, path);
  return true;
}

/* ---- deflated bytes ---------------------------------- */

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

static pprofc_status deflate_zlib(const struct buffer *from, int level, struct buffer *to,
                                  pprofc_error *error) {
  z_stream z = {0};
  zlib_use_memory(&z, from->mem);
  if (deflateInit(&z, level) != Z_OK) return error_nomem(error);
  size_t fed = 0;
  int code = Z_OK;
  while (code == Z_OK && !to->failed) { /* Split the input, because zlib counts bytes in 32 bits. */
    uint8_t made[16384];
    size_t in = from->size - fed < (1u << 30) ? from->size - fed : 1u << 30;
    z.next_in = (Bytef *)from->data + fed;
    z.avail_in = (uInt)in;
    z.next_out = made;
    z.avail_out = sizeof made;
    code = deflate(&z, fed + in == from->size ? Z_FINISH : Z_NO_FLUSH);
    fed += in - z.avail_in;
    buffer_add(to, made, sizeof made - z.avail_out);
  }
  deflateEnd(&z);
  return code == Z_STREAM_END && !to->failed ? PPROFC_OK : error_nomem(error);
}

/* Deflates with libdeflate. Returns false if the caller must use zlib. In the benchmark `tree`,
 * libdeflate needs a third of the time of zlib at level 3, and writes 2 % fewer bytes. */
#ifdef HAVE_LIBDEFLATE
static bool deflate_fast(const struct buffer *from, struct buffer *to) {
  struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
  if (!c) return false;
  size_t most = libdeflate_zlib_compress_bound(c, from->size);
  uint8_t *made = mem_array(from->mem, most, 1);
  size_t size = made ? libdeflate_zlib_compress(c, from->data, from->size, made, most) : 0;
  buffer_add(to, made, size);
  mem_free(from->mem, made, most, 1);
  libdeflate_free_compressor(c);
  return size != 0;
}
#else
static bool deflate_fast(const struct buffer *from, struct buffer *to) {
  (void)from, (void)to;
  return false;
}
#endif

pprofc_status flame_deflate(const struct buffer *from, int level, struct buffer *to,
                            pprofc_error *error) {
  if (from->failed) return error_nomem(error);
  if (level == FLAME_DEFLATE_FAST && from->size && deflate_fast(from, to))
    return to->failed ? error_nomem(error) : PPROFC_OK;
  return deflate_zlib(from, level, to, error);
}

/* ---- the data of the page ---------------------------- */

/* number of parts of the data whose length is given: JSON, frames, nodes, labels */
#define DATA_SIZES 4
#define DATA_PARTS 5 /* number of parts if the data has times; the times are the last part */

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
  struct buffer bytes = buffer_make(page->tree->arena.mem, SIZE_MAX / 2);
  pprofc_status status = data_put_meta(page, cut, &part[0], error);
  if (status == PPROFC_OK) status = flame_pack_frames(page, cut, &bytes, error);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[1], error);
  buffer_clear(&bytes);
  flame_pack_nodes(page, cut, &bytes);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[2], error);
  buffer_clear(&bytes);
  flame_pack_groups(page, cut, &bytes);
  if (status == PPROFC_OK) status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[3], error);
  buffer_clear(&bytes);
  if (status == PPROFC_OK) status = flame_pack_times(page, &bytes, error);
  if (status == PPROFC_OK && bytes.size)
    status = flame_deflate(&bytes, FLAME_DEFLATE_FAST, &part[4], error);
  buffer_free(&bytes);
  return status;
}

static pprofc_status data_write_parts(const struct buffer *part, struct output *out,
                                      pprofc_error *error) {
  output_add_text(out, "PFL1");
  for (size_t i = 0; i < DATA_SIZES; i++) {
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
