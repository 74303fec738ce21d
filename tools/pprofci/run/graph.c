/* Packs flame graphs for pages, and reads and writes their files: `pprofcGraph("BASE64")`. */
#include "run/graph.h"

#include "core/base64.h"
#include "run/files.h"
#include "run/text.h"

#define GRAPH_MOST   ((size_t)64 << 20) /* maximum bytes of a graph before base64 */
#define GRAPH_BEFORE STR("pprofcGraph(\"")
#define GRAPH_AFTER  STR("\")\n")

pprofc_status graph_pack(const pprofc_profile *profile, const pprofc_report_options *options,
                         struct arena *arena, pprofc_str *packed, pprofc_error *error) {
  struct buffer data, text;
  pprofc_report_options packing = *options;
  packing.format = "flame";
  packing.argument = "data:all";
  *packed = STR("");
  buffer_init(&data, arena->mem, GRAPH_MOST);
  buffer_init(&text, arena->mem, SIZE_MAX / 2);
  pprofc_status status = pprofc_report(profile, &packing, buffer_write, &data, error);
  bool fits = !data.failed;
  if (status == PPROFC_OK) base64_put(&text, (const uint8_t *)data.data, data.size);
  buffer_free(&data);
  pprofc_str made = buffer_take(&text, arena);
  if (!fits) return PPROFC_OK;
  if (status == PPROFC_OK) *packed = made;
  return status == PPROFC_OK && !made.data ? error_nomem(error) : status;
}

pprofc_status graph_set(struct ci_run *run, struct run_pair *pair, const char *name,
                        pprofc_str packed, pprofc_error *error) {
  if (!packed.size) return PPROFC_OK;
  pair->graph = packed;
  pair->graph_file = text_printf(&run->arena, "flame/%s.js", name);
  return pair->graph_file ? PPROFC_OK : error_nomem(error);
}

static bool graph_is_digit(char c) {
  bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return letter || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
}

/* Returns the base64 text of a graph's file, or "" if the file contains anything else. */
static pprofc_str graph_text(pprofc_str file) {
  if (!str_starts(file, GRAPH_BEFORE) || !str_ends(file, GRAPH_AFTER)) return STR("");
  if (file.size < GRAPH_BEFORE.size + GRAPH_AFTER.size) return STR("");
  pprofc_str text = str_slice(file, GRAPH_BEFORE.size, file.size - GRAPH_AFTER.size);
  for (size_t i = 0; i < text.size; i++)
    if (!graph_is_digit(text.data[i])) return STR("");
  return text;
}

pprofc_status graph_read(struct ci_run *run, struct run_pair *pair, const char *name,
                         pprofc_error *error) {
  struct buffer file;
  pprofc_error ignored;
  const char *path = text_printf(&run->arena, "%s/flame/%s.js", pair->folder, name);
  const char *own = path ? run_take_name(run, name) : NULL;
  if (!own) return error_nomem(error);
  buffer_init(&file, run->mem, 2 * GRAPH_MOST);
  bool found = file_read(path, &file, &ignored) == PPROFC_OK;
  pprofc_str text = found ? graph_text(buffer_str(&file)) : STR("");
  const char *kept = text_keep(&run->arena, text);
  buffer_free(&file);
  if (!kept) return error_nomem(error);
  return graph_set(run, pair, own, (pprofc_str){kept, text.size}, error);
}

extern const unsigned char asset_flame_js[];
extern const size_t asset_flame_js_size;

pprofc_status graph_write_all(struct ci_run *run, pprofc_error *error) {
  const pprofc_str viewer = {(const char *)asset_flame_js, asset_flame_js_size};
  pprofc_status status = PPROFC_OK;
  bool any = false;
  struct buffer file;
  buffer_init(&file, run->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < run->pair_count && status == PPROFC_OK; i++) {
    const struct run_pair *pair = &run->pairs[i];
    if (!pair->graph_file) continue;
    any = true;
    buffer_clear(&file);
    buffer_add_str(&file, GRAPH_BEFORE);
    buffer_add_str(&file, pair->graph);
    buffer_add_str(&file, GRAPH_AFTER);
    if (file.failed) status = error_nomem(error);
    if (status == PPROFC_OK)
      status = files_put(run, false, pair->graph_file, buffer_str(&file), error);
  }
  buffer_free(&file);
  return status == PPROFC_OK && any ? files_put(run, false, GRAPH_VIEWER, viewer, error) : status;
}
