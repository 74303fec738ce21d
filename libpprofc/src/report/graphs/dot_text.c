/* Makes the text and the colors of the dot report. */
#include "report/graphs/dot_text.h"

#include "core/escape.h"

#include <math.h>

/* ---- text -------------------------------------------- */

static void add_visible(struct output *out, pprofc_str character, int32_t code, const char *slash) {
  if (code >= 0xA0) output_printf(out, "%su{%x}", slash, (unsigned)code);
  for (size_t i = 0; code < 0xA0 && i < character.size; i++)
    output_printf(out, "%sx%02x", slash, (unsigned char)character.data[i]);
}

/* Returns the end of the characters from `from` on that dot prints without an escape. */
static size_t dot_plain_end(pprofc_str text, size_t from, bool escape) {
  while (from < text.size && text.data[from] >= ' ' && text.data[from] <= '~' &&
         !(escape && (text.data[from] == '"' || text.data[from] == '\\')))
    from++;
  return from;
}

static void dot_add_text(struct output *out, pprofc_str text, bool escape) {
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    i = dot_plain_end(text, i, escape);
    output_add(out, text.data + start, i - start);
    if (i == text.size) return;
    start = i;
    int32_t code = utf8_next(text, &i);
    pprofc_str character = str_slice(text, start, i);
    if (escape && (code == '"' || code == '\\')) {
      output_add_char(out, '\\');
      output_add_char(out, (char)code);
    } else if (code == '\n') {
      output_add_text(out, "\\l");
    } else if (code == '\t' || escape_terminal_clean(character)) {
      output_add_str(out, character);
    } else {
      add_visible(out, character, code, "\\\\");
    }
  }
}

void dot_text(struct output *out, pprofc_str text) {
  dot_add_text(out, text, true);
}

void dot_escaped_text(struct output *out, pprofc_str text) {
  dot_add_text(out, text, false);
}

void dot_loose_text(struct output *out, pprofc_str text) {
  bool ends_string = (text.size && text.data[text.size - 1] == '\\') ||
                     str_find_char(text, '"') < text.size || str_find_char(text, '\n') < text.size;
  dot_add_text(out, text, ends_string);
}

/* ---- names ------------------------------------------- */

/* Breaks a name after "::" and ".". A line break in dot is \n. */
static void add_broken(struct output *out, pprofc_str name) {
  size_t from = 0, i = 0;
  while (i < name.size) {
    pprofc_str rest = str_slice(name, i, name.size);
    const char *instead = NULL;
    size_t size = 1;
    if (str_starts(rest, STR("::"))) {
      instead = "\\n";
      size = 2;
    } else if (str_starts(rest, STR("[...]"))) {
      instead = "[\xE2\x80\xA6]";
      size = 5;
    } else if (rest.data[0] == '.') {
      instead = "\\n";
    }
    if (instead) {
      dot_text(out, str_slice(name, from, i));
      output_add_text(out, instead);
      from = i + size;
    }
    i += size;
  }
  dot_text(out, str_slice(name, from, name.size));
}

bool dot_node_name(struct output *out, const struct graph *g, uint32_t node,
                   const pprofc_allocator *mem) {
  const struct node_info *info = &g->frames.infos[g->nodes[node].info];
  const pprofc_str *texts = g->frames.texts.items;
  pprofc_str file = texts[info->file];
  if (file.size) file = str_path_base(file);
  struct arena arena;
  arena_init(&arena, mem);
  pprofc_str name = shorten_function_name(texts[info->name], &arena);
  bool done = name.data != NULL;
  if (done && info->place->address) {
    output_printf(out, "%016llx", (unsigned long long)info->place->address);
    output_add_text(out, "\\n");
  }
  if (done && name.size) {
    add_broken(out, name);
    output_add_text(out, "\\n");
  }
  /* Append file and line to the name. A node without name, file and line gets the name of its
   * object file. */
  struct node_place place = *info->place;
  place.address = 0;
  bool has_place = !name.size || info->place->line || file.size;
  if (done && has_place) {
    pprofc_str text = frame_name_of(&place, STR(""), file, texts[info->object], STR(""), &arena);
    done = text.data != NULL;
    if (done) {
      dot_loose_text(out, text);
      output_add_text(out, "\\n");
    }
  }
  arena_free(&arena);
  return done;
}

/* ---- colours ----------------------------------------- */

static unsigned channel(double v) {
  return v == v ? (unsigned)(int)(v * 255.0) & 0xFF : 0;
}

void dot_color(struct output *out, double score, bool light) {
  double saturation = light ? 0.1 : 1.0;
  const double value = light ? 0.93 : 0.7;
  if (score > 1.0) score = 1.0;
  if (score < -1.0) score = -1.0;
  /* A score of 0 is grey. The power makes small scores clearly differ from grey. */
  if (fabs(score) < 0.2) saturation *= fabs(score) / 0.2;
  if (score > 0.0) score = pow(score, 0.3);
  if (score < 0.0) score = -pow(-score, 0.3);
  double r = value, g = value, b = value * (1 - saturation);
  if (score < 0.0)
    r = value * (1 + saturation * score);
  else
    g = value * (1 - saturation * score);
  output_printf(out, "#%02x%02x%02x", channel(r), channel(g), channel(b));
}
