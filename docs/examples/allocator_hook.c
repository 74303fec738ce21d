/* Writes a heap profile from a hook in an allocator. The profile has every allocation of this
 * program, by call stack.
 *
 *   cc -g allocator_hook.c $(pkg-config --cflags --libs pprofc) -o allocator_hook
 *   ./allocator_hook heap.pb.gz && pprofc -top heap.pb.gz
 *
 * The hook itself must not allocate, so it only stores addresses in a table of fixed size. The
 * program builds the profile later. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <execinfo.h>
#include <link.h>
#include <pprofc/pprofc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STACKS 1024
#define MAX_DEPTH  32

/* Allocations of one call stack. */
struct record {
  void *stack[MAX_DEPTH];
  int depth;
  int64_t count, bytes;
};

static struct record records[MAX_STACKS];
static size_t record_count;

/* The hook, which the allocator calls for each allocation. */
static void note_allocation(size_t size) {
  struct record now = {.depth = 0};
  now.depth = backtrace(now.stack, MAX_DEPTH);
  for (size_t i = 0; i <= record_count && i < MAX_STACKS; i++) {
    struct record *r = &records[i];
    if (i == record_count) {
      *r = now;
      record_count++;
    } else if (memcmp(r->stack, now.stack, sizeof now.stack) != 0) {
      continue;
    }
    r->count++;
    r->bytes += (int64_t)size;
    return;
  }
}

/* The allocator that the program observes. */
static void *my_alloc(size_t size) {
  note_allocation(size);
  return malloc(size);
}

/* Address range of the main program's code; dl_iterate_phdr reports the program first. */
struct code {
  uint64_t start, limit, offset;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *context) {
  struct code *code = context;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    code->start = info->dlpi_addr + segment->p_vaddr;
    code->limit = code->start + segment->p_memsz;
    code->offset = segment->p_offset;
    return 1;
  }
  return 0;
}

/* Adds the mapping that tells pprofc in which file to find symbols. Addresses outside of the
 * mapping remain addresses. */
static uint32_t add_mapping(pprofc_builder *builder, const struct code *code) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  return pprofc_builder_mapping(builder, code->start, code->limit, code->offset, path, "", 0);
}

static uint32_t add_frame(pprofc_builder *builder, const struct code *code, uint32_t mapping,
                          void *return_address) {
  /* A return address is after its call instruction. */
  uint64_t address = (uint64_t)(uintptr_t)return_address - 1;
  if (address < code->start || address >= code->limit) mapping = PPROFC_NONE;
  return pprofc_builder_location(builder, mapping, address, NULL, 0);
}

static pprofc_status write_profile(const char *path, pprofc_error *error) {
  pprofc_builder *builder = pprofc_builder_new(NULL);
  pprofc_profile *profile = NULL;
  pprofc_builder_type(builder, "alloc_objects", "count");
  pprofc_builder_type(builder, "alloc_space", "bytes");
  pprofc_builder_period(builder, "space", "bytes", 1);
  struct code code = {0, 0, 0};
  dl_iterate_phdr(find_code, &code);
  uint32_t mapping = add_mapping(builder, &code);
  for (size_t i = 0; i < record_count; i++) {
    uint32_t frames[MAX_DEPTH];
    int64_t values[] = {records[i].count, records[i].bytes};
    /* Skip the hook's own frame. */
    for (int j = 1; j < records[i].depth; j++)
      frames[j - 1] = add_frame(builder, &code, mapping, records[i].stack[j]);
    pprofc_builder_sample(builder, frames, (size_t)records[i].depth - 1, values);
  }
  pprofc_status status = pprofc_builder_finish(builder, &profile, error);
  if (status == PPROFC_OK) status = pprofc_profile_write_file(profile, path, error);
  pprofc_profile_release(profile);
  pprofc_builder_free(builder);
  return status;
}

/* Makes allocations for the example. */
static void fill(int rounds, size_t size) {
  for (int i = 0; i < rounds; i++) free(my_alloc(size));
}

int main(int argc, char **argv) {
  pprofc_error error;
  if (argc != 2) return fprintf(stderr, "usage: allocator_hook FILE\n"), 1;
  fill(100, 64);
  fill(3, 1 << 20);
  if (write_profile(argv[1], &error) == PPROFC_OK) return 0;
  fprintf(stderr, "allocator_hook: %s\n", error.message);
  return 1;
}
