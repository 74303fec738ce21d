/* A user's C program that builds a profile and reads it. */
#include <pprofc/pprofc.h>
#include <stdio.h>

int main(void) {
  pprofc_builder *builder = pprofc_builder_new(NULL);
  pprofc_profile *profile;
  pprofc_error error;
  pprofc_samples_view samples;
  uint32_t frames[2];
  int64_t value = 12;
  pprofc_builder_type(builder, "cpu", "milliseconds");
  frames[0] = pprofc_builder_frame(builder, "leaf", "a.c", 1);
  frames[1] = pprofc_builder_frame(builder, "main", "a.c", 9);
  pprofc_builder_sample(builder, frames, 2, &value);
  value = 30;
  pprofc_builder_sample(builder, frames + 1, 1, &value);
  if (pprofc_builder_finish(builder, &profile, &error) != PPROFC_OK) return puts(error.message);
  pprofc_profile_samples(profile, &samples);
  printf("%lu samples, last %ld\n", (unsigned long)samples.count, (long)samples.values[1]);
  pprofc_profile_release(profile);
  pprofc_builder_free(builder);
  return 0;
}
