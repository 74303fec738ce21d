/* Adds the mappings of the calling process, for a profiler that runs inside the process. */
#include "core/system.h"
#include "profile/builder.h"

#if SYSTEM_LISTS_OBJECTS
#include <elf.h>
#include <link.h>

#define PATH_SIZE          4096
#define BUILD_ID_BYTES_MAX 64

/* Returns the bytes of a segment in memory. Returns NULL if no loaded segment contains them. */
static const uint8_t *process_segment(const struct dl_phdr_info *object, const ElfW(Phdr) * part) {
  for (size_t i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *loaded = &object->dlpi_phdr[i];
    /* If the address is below the segment `loaded`, the subtraction wraps around to a very large
     * number. */
    uint64_t at = part->p_vaddr - loaded->p_vaddr;
    if (loaded->p_type == PT_LOAD && at <= loaded->p_filesz &&
        part->p_filesz <= loaded->p_filesz - at)
      return (const uint8_t *)(uintptr_t)(object->dlpi_addr + part->p_vaddr);
  }
  return NULL;
}

static pprofc_str process_hexadecimal(const uint8_t *bytes, size_t size, char *out) {
  for (size_t i = 0; i < size; i++) {
    out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
    out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
  }
  return (pprofc_str){out, 2 * size};
}

/* Returns the build id in the notes of a segment, or "" if there is no build id. */
static pprofc_str process_note_id(const uint8_t *notes, size_t size, char *out) {
  ElfW(Nhdr) note;
  for (size_t at = 0; size - at >= sizeof note;) {
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note, id = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
    if (id > size || note.n_descsz > size - id) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
        note.n_descsz <= BUILD_ID_BYTES_MAX)
      return process_hexadecimal(notes + id, note.n_descsz, out);
    at = id + (((size_t)note.n_descsz + 3) & ~(size_t)3);
    if (at > size) break;
  }
  return STR("");
}

static pprofc_str process_build_id(const struct dl_phdr_info *object, char *out) {
  pprofc_str id = STR("");
  for (size_t i = 0; !id.size && i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uint8_t *notes = part->p_type == PT_NOTE ? process_segment(object, part) : NULL;
    if (notes) id = process_note_id(notes, part->p_filesz, out);
  }
  return id;
}

/* Adds the segments of an object file that contain code. The loader names the main program "". */
static int process_add_object(struct dl_phdr_info *object, size_t info_size, void *builder) {
  char path[PATH_SIZE], id[2 * BUILD_ID_BYTES_MAX];
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  pprofc_mapping mapping = {.file = str_of(object->dlpi_name),
                            .build_id = process_build_id(object, id)};
  (void)info_size;
  if (!mapping.file.size) {
    ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    mapping.file = (pprofc_str){path, size > 0 ? (size_t)size : 0};
  }
  for (size_t i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uint64_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    mapping.start = start & ~(page - 1);
    mapping.limit = (start + part->p_memsz + page - 1) & ~(page - 1);
    mapping.offset = part->p_offset & ~(page - 1);
    pprofc_builder_add_mapping(builder, &mapping);
  }
  return 0;
}

static void process_add_objects(pprofc_builder *builder) {
  dl_iterate_phdr(process_add_object, builder);
}
#else
static void process_add_objects(pprofc_builder *builder) {
  (void)builder;
}
#endif

void pprofc_builder_process(pprofc_builder *builder) {
  process_add_objects(builder);
  builder_find_mappings(builder);
}

/* ---- mappings of locations --------------------------- */

static int process_compare(const void *a, const void *b) {
  const struct mapping *x = *(const struct mapping *const *)a,
                       *y = *(const struct mapping *const *)b;
  return (x->start > y->start) - (x->start < y->start);
}

bool builder_place_locations(const pprofc_profile *p, uint32_t *mapping) {
  const struct mapping **sorted = mem_array(&p->mem, p->mappings.count, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < p->mappings.count; i++) sorted[i] = &p->mappings.items[i];
  if (p->mappings.count) qsort(sorted, p->mappings.count, sizeof *sorted, process_compare);
  for (size_t i = 0; i < p->locations.count; i++) {
    uint64_t address = p->locations.address[i];
    if (mapping[i] != NONE || !address) continue;
    BISECT(at, p->mappings.count, sorted[at]->start <= address);
    if (at && address < sorted[at - 1]->limit)
      mapping[i] = (uint32_t)(sorted[at - 1] - p->mappings.items);
  }
  mem_free(&p->mem, sorted, p->mappings.count, sizeof *sorted);
  return true;
}
