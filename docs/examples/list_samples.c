/* Prints every sample as one line: its frames from the root to the leaf, and its value.
 *
 *   cc list_samples.c $(pkg-config --cflags --libs pprofc) -o list_samples
 *   ./list_samples cpu.pb.gz */
#include <pprofc/pprofc.h>
#include <stdio.h>

/* Prints the frames, which are stored leaf first. Prints an address without a name as a number. */
static void print_frames(const pprofc_frame *frames, size_t count) {
  while (count-- > 0) {
    const pprofc_frame *f = &frames[count];
    if (f->function.size)
      printf("%.*s", (int)f->function.size, f->function.data);
    else
      printf("0x%llx", (unsigned long long)f->address);
    if (count) putchar(';');
  }
}

int main(int argc, char **argv) {
  pprofc_profile *profile = NULL;
  pprofc_sample_iterator *iterator = NULL;
  pprofc_sample sample;
  pprofc_error error;
  pprofc_status status;
  if (argc != 2) return fprintf(stderr, "usage: list_samples PROFILE\n"), 1;
  status = pprofc_profile_read_file(argv[1], NULL, &profile, &error);
  if (status == PPROFC_OK)
    status = pprofc_sample_iterator_new(profile, 0, SIZE_MAX, &iterator, &error);
  while (status == PPROFC_OK && pprofc_sample_iterator_next(iterator, &sample)) {
    const pprofc_frame *frames;
    size_t count;
    status = pprofc_sample_iterator_frames(iterator, &frames, &count, &error);
    if (status != PPROFC_OK) break;
    print_frames(frames, count);
    printf(" %lld\n", (long long)sample.values[pprofc_profile_default_type(profile)]);
  }
  if (status != PPROFC_OK) fprintf(stderr, "list_samples: %s\n", error.message);
  pprofc_sample_iterator_free(iterator);
  pprofc_profile_release(profile);
  return status != PPROFC_OK;
}
