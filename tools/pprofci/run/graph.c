/* Packs flame graphs for pages, and reads and writes their files: `pprofcGraph("BASE64")`. */
#include "run/profiles.h"

#include "run/files.h"

#define GRAPH_MOST   ((size_t)64 << 20) /* maximum size in bytes of a graph before base64 */
#define GRAPH_BEFORE STR("pprofcGraph(\"")
#define GRAPH_AFTER  STR("\")\n")

struct graph_data {
  struct buffer text;
  size_t wanted; /* size of all data in bytes, even if the data does not fit into `text` */
};

static int graph_write(void *context, const void *data, size_t size) {
  struct graph_data *to = context;
  to->wanted += size;
  return buffer_write(&to->text, data, size);
}

pprofc_status graph_pack(const pprofc_profile *profile, const pprofc_report_options *options,
                         struct arena *arena, pprofc_str *packed, pprofc_error *error) {
  struct graph_data data = {.wanted = 0};
  struct buffer text = ci_buffer();
  pprofc_report_options packing = *options;
  packing.format = "flame";
  packing.argument = "data:all";
  *packed = STR("");
  buffer_init(&data.text, arena->mem, GRAPH_MOST);
  pprofc_status status = pprofc_report(profile, &packing, graph_write, &data, error);
  if (!data.text.failed) base64_put(&text, (const uint8_t *)data.text.data, data.text.size);
  buffer_free(&data.text);
  pprofc_str made = buffer_take(&text, arena);
  if (data.wanted > GRAPH_MOST) return PPROFC_OK;
  if (status != PPROFC_OK) return status;
  *packed = made;
  return PPROFC_OK;
}

static void graph_save(struct ci_run *run, const char *path, pprofc_str packed) {
  struct buffer file = ci_buffer();
  buffer_add_str(&file, GRAPH_BEFORE);
  buffer_add_str(&file, packed);
  buffer_add_str(&file, GRAPH_AFTER);
  files_put(run, false, path, buffer_str(&file));
  buffer_free(&file);
}

void graph_set(struct ci_run *run, struct run_pair *pair, const char *name, pprofc_str packed) {
  if (!packed.size) return;
  const char *path = text_printf(&run->arena, "flame/%s.js", name);
  if (packed.size <= GRAPHS_MOST) pair->graph = arena_str(&run->arena, packed);
  pair->graph_file = path;
  graph_save(run, path, packed);
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

void graph_read(struct ci_run *run, struct run_pair *pair, const char *name) {
  pprofc_error ignored;
  const char *path = text_printf(&run->arena, "%s/flame/%s.js", pair->folder, name);
  const char *own = run_take_name(run, name);
  struct buffer file = buffer_make(run->mem, 2 * GRAPH_MOST);
  bool found = file_read(path, &file, &ignored) == PPROFC_OK;
  pprofc_str text = found ? graph_text(buffer_str(&file)) : STR("");
  graph_set(run, pair, own, text);
  buffer_free(&file);
}

extern const unsigned char asset_flame_js[];
extern const size_t asset_flame_js_size;

void graph_write_viewer(struct ci_run *run) {
  const pprofc_str viewer = {(const char *)asset_flame_js, asset_flame_js_size};
  for (size_t i = 0; i < run->pair_count; i++)
    if (run->pairs[i].graph_file) {
      files_put(run, false, GRAPH_VIEWER, viewer);
      return;
    }
}
