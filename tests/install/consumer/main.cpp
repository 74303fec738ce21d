// The same in C++.
#include <iostream>
#include <memory>
#include <pprofc/pprofc.h>
#include <vector>

int main() {
  std::unique_ptr<pprofc_builder, void (*)(pprofc_builder *)> builder(pprofc_builder_new(nullptr),
                                                                     pprofc_builder_free);
  pprofc_builder_type(builder.get(), "cpu", "milliseconds");
  std::vector<uint32_t> frames{pprofc_builder_frame(builder.get(), "leaf", "a.cpp", 1),
                               pprofc_builder_frame(builder.get(), "main", "a.cpp", 9)};
  int64_t values[] = {12, 30};
  pprofc_builder_sample(builder.get(), frames.data(), 2, &values[0]);
  pprofc_builder_sample(builder.get(), frames.data(), 1, &values[1]);
  pprofc_profile *profile = nullptr;
  pprofc_error error;
  if (pprofc_builder_finish(builder.get(), &profile, &error) != PPROFC_OK) return 1;
  pprofc_samples_view samples;
  pprofc_profile_samples(profile, &samples);
  std::cout << samples.count << " samples, last " << samples.values[1] << "\n";
  pprofc_profile_release(profile);
}
