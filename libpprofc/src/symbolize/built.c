/* Reads how a program was built: Go's build information, compilers and shared libraries. */
#include "symbolize/built.h"

#include "core/buffer.h"
#include "symbolize/elf_file.h"

#include <stdio.h>

#define SECTION_MOST ((uint64_t)16 << 20) /* maximum size of a section that is read, in bytes */
#define ITEMS_MOST   200                  /* maximum number of items of each kind */
#define GO_HEADER    32                   /* bytes of the header of Go's build information */
#define GO_MARK      16 /* bytes of the fixed text before and after the list of modules */
#define DYNAMIC_SIZE 16 /* bytes of an entry of .dynamic in a 64-bit file */
#define DT_NEEDED    1

/* Reads a section. `text` stays empty if the file has no such section or if the section is too
 * large. */
static void built_section(const struct elf_file *f, const char *name, struct buffer *text) {
  struct elf_section section;
  buffer_clear(text);
  if (!elf_section(f, name, &section) || section.size > SECTION_MOST) return;
  size_t size = (size_t)section.size;
  if (buffer_reserve(text, size) && elf_read(f, section.offset, text->data, size))
    text->size = size;
}

/* Adds a line unless the lines already contain it. */
static void built_add(struct buffer *lines, pprofc_str item) {
  pprofc_str rest = buffer_str(lines), line;
  size_t count = 0;
  while (rest.size && str_next_line(&rest, &line)) {
    if (str_equal(line, item) || ++count == ITEMS_MOST) return;
    if (!rest.data) break;
  }
  if (!item.size) return;
  if (lines->size) buffer_add_char(lines, '\n');
  for (size_t i = 0; i < item.size; i++)
    buffer_add_char(lines, (unsigned char)item.data[i] < ' ' ? ' ' : item.data[i]);
}

/* Adds the NUL-terminated strings of a section that begin with `start`. */
static void built_add_texts(struct buffer *lines, pprofc_str section, pprofc_str start) {
  pprofc_str text;
  while (section.size && str_next(&section, '\0', &text)) {
    if (str_starts(text, start)) built_add(lines, text);
    if (!section.data) break;
  }
}

/* ---- Go ---------------------------------------------- */

/* Removes a string from the start of *rest and returns it. Its length precedes it as a varint. */
static pprofc_str go_text(pprofc_str *rest) {
  uint64_t size = 0;
  size_t at = 0;
  for (unsigned shift = 0; at < rest->size && shift < 63; shift += 7) {
    unsigned char byte = (unsigned char)rest->data[at++];
    size |= (uint64_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80)) break;
  }
  if (size > rest->size - at) size = 0;
  pprofc_str text = str_slice(*rest, at, at + (size_t)size);
  *rest = str_slice(*rest, at + text.size, rest->size);
  return text;
}

/* Adds a line of Go's list of modules to the flags or to the libraries. Tabs separate the fields:
 * "dep" or "=>", path, version; or "build", KEY=VALUE. Skips keys of the version control system. */
static void go_line(pprofc_str line, struct buffer *flags, struct buffer *libraries) {
  pprofc_str kind, name, version = STR("");
  char text[512];
  if (!str_next(&line, '\t', &kind) || !line.data || !str_next(&line, '\t', &name)) return;
  if (line.data) str_next(&line, '\t', &version);
  if (str_equal(kind, STR("build")) && !str_starts(name, STR("vcs"))) built_add(flags, name);
  if (!str_equal(kind, STR("dep")) && !str_equal(kind, STR("=>"))) return;
  int size = snprintf(text, sizeof text, "%.*s %.*s", STR_ARG(str_slice(name, 0, 300)),
                      STR_ARG(str_slice(version, 0, 100)));
  if (size > 0) built_add(libraries, (pprofc_str){text, (size_t)size});
}

static void go_read(pprofc_str section, struct buffer *compiler, struct buffer *flags,
                    struct buffer *libraries) {
  pprofc_str line;
  if (section.size < GO_HEADER || !(section.data[15] & 2)) return;
  section = str_slice(section, GO_HEADER, section.size);
  built_add(compiler, go_text(&section));
  pprofc_str modules = go_text(&section);
  if (modules.size < 2 * GO_MARK) return;
  modules = str_slice(modules, GO_MARK, modules.size - GO_MARK);
  while (modules.size && str_next_line(&modules, &line)) {
    go_line(line, flags, libraries);
    if (!modules.data) break;
  }
}

/* ---- other compilers --------------------------------- */

/* Adds the names of the shared libraries that the dynamic section lists. */
static void built_needed(pprofc_str dynamic, pprofc_str strings, struct buffer *libraries) {
  for (size_t at = 0; at + DYNAMIC_SIZE <= dynamic.size; at += DYNAMIC_SIZE) {
    uint64_t entry[2];
    memcpy(entry, dynamic.data + at, sizeof entry);
    if (entry[0] != DT_NEEDED || entry[1] >= strings.size) continue;
    pprofc_str name = str_slice(strings, (size_t)entry[1], strings.size);
    built_add(libraries, str_slice(name, 0, str_find_char(name, '\0')));
  }
}

pprofc_status built_read(struct built *built, const char *path, struct arena *arena,
                         pprofc_error *error) {
  struct elf_file file;
  struct buffer texts[5];
  enum { COMPILER, FLAGS, LIBRARIES, SECTION, STRINGS };
  pprofc_status status = elf_open(&file, path, arena->mem, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < 5; i++) buffer_init(&texts[i], arena->mem, SIZE_MAX / 2);
  struct buffer *section = &texts[SECTION];
  built_section(&file, ".go.buildinfo", section);
  go_read(buffer_str(section), &texts[COMPILER], &texts[FLAGS], &texts[LIBRARIES]);
  built_section(&file, ".comment", section);
  built_add_texts(&texts[COMPILER], buffer_str(section), STR(""));
  built_section(&file, ".debug_str", section);
  built_add_texts(&texts[FLAGS], buffer_str(section), STR("GNU C"));
  built_section(&file, ".dynstr", &texts[STRINGS]);
  built_section(&file, ".dynamic", section);
  if (file.is64 && !file.big_endian)
    built_needed(buffer_str(section), buffer_str(&texts[STRINGS]), &texts[LIBRARIES]);
  *built = (struct built){buffer_keep(&texts[COMPILER], arena), buffer_keep(&texts[FLAGS], arena),
                          buffer_keep(&texts[LIBRARIES], arena)};
  bool good = built->compiler.data && built->flags.data && built->libraries.data;
  for (size_t i = 0; i < 5; i++) good = good && !texts[i].failed;
  for (size_t i = 0; i < 5; i++) buffer_free(&texts[i]);
  elf_close(&file);
  return good ? PPROFC_OK : error_nomem(error);
}
