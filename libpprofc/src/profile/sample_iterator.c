/* Implements the public iterator over samples. It has one buffer for the stack and one for the
 * frames. */
#include "pprofc/samples.h"
#include "profile/stack.h"

struct pprofc_sample_iterator {
  const pprofc_profile *profile;
  struct stack_reader reader;
  size_t next, end;     /* range of the samples that the iterator must still return */
  uint32_t *stack;      /* locations of the current sample; room for max_depth + 1 */
  size_t depth;         /* number of locations in `stack` */
  pprofc_frame *frames; /* frames of the current sample, made on request */
  size_t frame_capacity;
};

pprofc_status pprofc_sample_iterator_new(const pprofc_profile *profile, size_t first, size_t end,
                                         pprofc_sample_iterator **iterator, pprofc_error *error) {
  const pprofc_allocator *mem = &profile->mem;
  const struct samples *samples = &profile->samples;
  pprofc_sample_iterator *made = mem_zero_array(mem, 1, sizeof *made);
  uint32_t *stack = mem_array(mem, samples->max_depth + 1, sizeof *stack);
  if (!made || !stack) {
    mem_free(mem, stack, samples->max_depth + 1, sizeof *stack);
    mem_free(mem, made, 1, sizeof *made);
    return budget_status(mem, error_nomem(error), error);
  }
  made->profile = profile;
  size_t count = samples->tree ? 0 : samples->count;
  made->end = end < count ? end : count;
  made->next = first < made->end ? first : made->end;
  made->reader = stack_reader_at(samples, made->next);
  made->stack = stack;
  *iterator = made;
  return PPROFC_OK;
}

void pprofc_sample_iterator_free(pprofc_sample_iterator *iterator) {
  if (!iterator) return;
  const pprofc_allocator *mem = &iterator->profile->mem;
  ARRAY_FREE(mem, iterator->frames, iterator->frame_capacity);
  mem_free(mem, iterator->stack, iterator->profile->samples.max_depth + 1, sizeof *iterator->stack);
  mem_free(mem, iterator, 1, sizeof *iterator);
}

bool pprofc_sample_iterator_next(pprofc_sample_iterator *iterator, pprofc_sample *sample) {
  const pprofc_profile *p = iterator->profile;
  iterator->depth = 0;
  if (iterator->next >= iterator->end) return false;
  size_t index = iterator->next++;
  iterator->depth = stack_read(&iterator->reader, index, iterator->stack);
  *sample = (pprofc_sample){
      .index = index,
      .values = p->samples.values + index * p->type_count,
      .stack = iterator->stack,
      .depth = iterator->depth,
  };
  return true;
}

/* ---- frames ------------------------------------------ */

/* Returns the number of frames of a location. A location without lines has one frame: an
 * address. */
static size_t sample_frames_of(const struct locations *l, uint32_t location) {
  uint32_t lines = l->line_from[location + 1] - l->line_from[location];
  return lines ? lines : 1;
}

static pprofc_frame sample_frame_bare(const pprofc_profile *p, uint32_t location) {
  return (pprofc_frame){
      .function = STR(""),
      .file = STR(""),
      .address = p->locations.address[location],
      .location = location,
      .function_index = PPROFC_NONE,
  };
}

/* Writes the frames of a location. Returns their number. */
static size_t sample_frames_fill(const pprofc_profile *p, uint32_t location, pprofc_frame *out) {
  const struct locations *l = &p->locations;
  uint32_t from = l->line_from[location], end = l->line_from[location + 1];
  out[0] = sample_frame_bare(p, location);
  for (uint32_t i = from; i < end; i++) {
    pprofc_frame *frame = &out[i - from];
    uint32_t function = l->lines[i].function;
    *frame = sample_frame_bare(p, location);
    frame->line = l->lines[i].line;
    frame->column = l->lines[i].column;
    frame->inlined = i + 1 < end;
    if (function >= p->functions.count) continue;
    frame->function_index = function;
    frame->function = profile_string(p, p->functions.name[function]);
    frame->file = profile_string(p, p->functions.filename[function]);
  }
  return sample_frames_of(l, location);
}

pprofc_status pprofc_sample_iterator_frames(pprofc_sample_iterator *iterator,
                                            const pprofc_frame **frames, size_t *count,
                                            pprofc_error *error) {
  const pprofc_profile *p = iterator->profile;
  size_t needed = 0, made = 0;
  for (size_t i = 0; i < iterator->depth; i++)
    needed += sample_frames_of(&p->locations, iterator->stack[i]);
  if (!ARRAY_RESERVE(&p->mem, iterator->frames, iterator->frame_capacity, needed + 1))
    return budget_status(&p->mem, error_nomem(error), error);
  for (size_t i = 0; i < iterator->depth; i++)
    made += sample_frames_fill(p, iterator->stack[i], iterator->frames + made);
  *frames = iterator->frames;
  *count = made;
  return PPROFC_OK;
}
