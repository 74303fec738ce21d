/* Converts an address in a process to an address in its file. */
#include "symbolize/base_address.h"

#include "symbolize/elf_format.h"

#define PAGE        ((uint64_t)4096)
#define KERNEL_FROM ((uint64_t)1 << 63)
#define PPC64_TEXT  0xc000000000000000u

/* ---- segment of a mapping ---------------------------- */

static const struct elf_segment *text_segment(const struct elf_file *f) {
  struct elf_section text;
  if (!elf_section(f, ".text", &text)) return NULL;
  for (size_t i = 0; i < f->segment_count; i++) {
    const struct elf_segment *s = &f->segments[i];
    if (s->loadable && s->executable && text.address >= s->vaddr &&
        text.address - s->vaddr < s->memory_size)
      return s;
  }
  return NULL;
}

/* True if the mapping of the bytes [offset, offset + size) of the file may contain this segment. */
static bool may_show(const struct elf_segment *s, uint64_t offset, uint64_t size) {
  if (!s->loadable || !s->file_size) return false;
  uint64_t segment_end = s->offset + s->memory_size, end = offset + size;
  if (offset >= segment_end || s->offset >= end) return false;
  uint64_t in_page = s->vaddr & (s->align - 1);
  if (offset < (s->offset > in_page ? s->offset - in_page : 0)) return false;
  /* A mapping that starts in the last, partial page of this segment and extends at least a page
   * past the end of the segment belongs to another segment. */
  return !(offset > s->offset && segment_end < offset + PAGE && end >= segment_end + PAGE);
}

/* Returns the segment of a mapping outside of the kernel. If several segments fit, returns the only
 * segment that contains `address`. Returns NULL if no segment fits, or if several fit and not
 * exactly one of them contains the address. */
static const struct elf_segment *user_segment(const struct elf_file *f,
                                              const struct mapped_range *r, uint64_t address) {
  const struct elf_segment *found = NULL;
  uint64_t size = r->limit - r->start, file_offset = address - r->start + r->offset;
  size_t candidates = 0, decided = 0;
  for (size_t i = 0; i < f->segment_count; i++)
    if (may_show(&f->segments[i], r->offset, size)) {
      candidates++;
      found = &f->segments[i];
    }
  if (candidates <= 1) return found;
  for (size_t i = 0; i < f->segment_count; i++) {
    const struct elf_segment *s = &f->segments[i];
    if (!may_show(s, r->offset, size)) continue;
    if (file_offset < s->offset || file_offset - s->offset >= s->memory_size) continue;
    decided++;
    found = s;
  }
  return decided == 1 ? found : NULL;
}

static bool has_loadable(const struct elf_file *f) {
  for (size_t i = 0; i < f->segment_count; i++)
    if (f->segments[i].loadable) return true;
  return false;
}

/* ---- kernels ----------------------------------------- */

/* An address of a mapping whose base is computed. */
struct question {
  const struct elf_file *file;
  const struct mapped_range *range;
  const struct elf_segment *segment; /* segment of the mapping, or NULL */
  bool symbol_known;
  uint64_t symbol; /* address of the kernel symbol, if it is known */
};

static pprofc_status find_kernel_symbol(struct question *q, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  bool aligned = r->start % PAGE == 0 && r->limit % PAGE == 0 && r->offset % PAGE == 0;
  if (!strstr(q->file->path, "vmlinux") && aligned) return PPROFC_OK;
  char name[64] = "_stext";
  if (r->kernel_symbol.size && r->kernel_symbol.size < sizeof name) {
    memcpy(name, r->kernel_symbol.data, r->kernel_symbol.size);
    name[r->kernel_symbol.size] = '\0';
  }
  return elf_symbol(q->file, name, &q->symbol_known, &q->symbol, error);
}

/* True if the range is a kernel mapping. Its offset is then 0, the start of the kernel text on
 * PowerPC, or the start of the range. */
static bool is_kernel_range(const struct mapped_range *r) {
  if (r->start < KERNEL_FROM || r->limit <= r->start) return false;
  return r->offset == 0 || r->offset == PPC64_TEXT || r->offset == r->start;
}

/* Computes the base if the mapping has one of the known layouts of kernels. Returns false if no
 * layout fits. */
static bool kernel_base(const struct question *q, uint64_t *base) {
  const struct mapped_range *r = q->range;
  bool same_page = q->symbol_known && q->symbol % PAGE == r->start % PAGE;
  uint64_t from_symbol = r->start - q->symbol;
  if (q->segment->vaddr == r->start - r->offset)
    *base = r->offset;
  else if (r->start == 0 && r->limit != 0 && q->symbol_known)
    *base = from_symbol;
  else if (is_kernel_range(r))
    *base = same_page ? from_symbol : r->start - q->segment->vaddr;
  else if (r->start % PAGE != 0 && same_page)
    *base = from_symbol;
  else
    return false;
  return true;
}

/* ---- executables and shared objects ------------------ */

static uint64_t user_base(const struct question *q) {
  return q->range->start - q->range->offset + q->segment->offset - q->segment->vaddr;
}

static pprofc_status exec_base(const struct question *q, uint64_t *base, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  *base = 0;
  if (!q->segment) return PPROFC_OK;
  if (!q->symbol_known && r->start > 0 && r->start < KERNEL_FROM) {
    *base = user_base(q);
    return PPROFC_OK;
  }
  if (kernel_base(q, base)) return PPROFC_OK;
  if (r->start == 0 && r->limit != 0 && !q->symbol_known) {
    *base = r->start - q->segment->vaddr;
    return PPROFC_OK;
  }
  return error_set(error, PPROFC_E_FORMAT,
                   "don't know how to handle EXEC segment: start=0x%llx limit=0x%llx offset=0x%llx",
                   (unsigned long long)r->start, (unsigned long long)r->limit,
                   (unsigned long long)r->offset);
}

static void dyn_base(const struct question *q, uint64_t *base) {
  if (!q->segment)
    *base = q->range->start - q->range->offset;
  else if (!kernel_base(q, base))
    *base = user_base(q);
}

/* Sets q->segment to the segment of the mapping, and the kernel symbol if the file is a kernel. The
 * segment stays NULL if the file has no loadable segment or no segment with .text. */
static pprofc_status find_segment(struct question *q, uint64_t address, pprofc_error *error) {
  const struct mapped_range *r = q->range;
  pprofc_status status = find_kernel_symbol(q, error);
  if (status != PPROFC_OK) return status;
  if (q->symbol_known || r->start >= r->limit || r->limit >= KERNEL_FROM) {
    q->segment = text_segment(q->file);
    return PPROFC_OK;
  }
  if (!has_loadable(q->file)) return PPROFC_OK;
  q->segment = user_segment(q->file, r, address);
  if (q->segment) return PPROFC_OK;
  return error_set(error, PPROFC_E_FORMAT,
                   "failed to find program header for file \"%s\", mapping 0x%llx-0x%llx",
                   q->file->path, (unsigned long long)r->start, (unsigned long long)r->limit);
}

/* True for a mapping of the whole address space and for an empty mapping at 0. The addresses in
 * such a mapping equal the addresses in the file. */
static bool covers_everything(const struct mapped_range *r) {
  return r->start == 0 && r->offset == 0 && (r->limit == UINT64_MAX || r->limit == 0);
}

pprofc_status base_address(const struct elf_file *f, const struct mapped_range *r, uint64_t address,
                           uint64_t *base, pprofc_error *error) {
  *base = 0;
  if (covers_everything(r)) return PPROFC_OK;
  struct question q = {.file = f, .range = r};
  pprofc_status status = find_segment(&q, address, error);
  if (status != PPROFC_OK) return status;
  switch (f->type) {
  case ET_EXEC:
    return exec_base(&q, base, error);
  case ET_DYN:
    dyn_base(&q, base);
    return PPROFC_OK;
  case ET_REL:
    if (r->offset != 0)
      return error_set(error, PPROFC_E_FORMAT,
                       "cannot use a mapping offset with the relocatable file \"%s\"", f->path);
    *base = r->start;
    return PPROFC_OK;
  default:
    return error_set(error, PPROFC_E_FORMAT, "\"%s\" is neither executable nor shared object",
                     f->path);
  }
}
