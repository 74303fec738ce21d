// Does the same as main.c in C++, with owners for the objects of the library.
#include <iostream>
#include <memory>
#include <pprofc/pprofc.h>
#include <vector>

// An owner for each kind of object, as C++ programs define it.
template <typename T, void (*release)(T *)> struct Release {
  void operator()(T *object) const {
    release(object);
  }
};
template <typename T, void (*release)(T *)> using Owner = std::unique_ptr<T, Release<T, release>>;

// Compares the sum of the values, by the iterator, and of the flat values, by the graph.
static bool sums_are(const pprofc_profile *profile, int64_t expected) {
  pprofc_error error;
  pprofc_sample_iterator *iterator = nullptr;
  pprofc_graph *graph = nullptr;
  pprofc_report_options options;
  pprofc_sample sample;
  int64_t values = 0, flat = 0;
  size_t count = 0;
  pprofc_report_options_init(&options);
  if (pprofc_report_options_set(&options, "trim", "false", &error) != PPROFC_OK ||
      pprofc_sample_iterator_new(profile, 0, SIZE_MAX, &iterator, &error) != PPROFC_OK)
    return false;
  Owner<pprofc_sample_iterator, pprofc_sample_iterator_free> owned_iterator(iterator);
  while (pprofc_sample_iterator_next(iterator, &sample)) values += sample.values[0];
  if (pprofc_graph_new(profile, &options, &graph, &error) != PPROFC_OK) return false;
  Owner<pprofc_graph, pprofc_graph_free> owned_graph(graph);
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
  for (size_t i = 0; i < count; i++) flat += nodes[i].flat;
  return values == expected && flat == expected;
}

// Checks that a gate without results is not a pass.
static bool empty_gate_fails() {
  pprofc_error error;
  pprofc_gate *gate = nullptr;
  if (pprofc_gate_new(nullptr, &gate, &error) != PPROFC_OK) return false;
  Owner<pprofc_gate, pprofc_gate_free> owned(gate);
  return pprofc_gate_judge(gate, &error) == PPROFC_OK && pprofc_gate_exit_status(gate) == 1;
}

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
  if (!sums_are(profile, 42) || !empty_gate_fails()) return 1;
  pprofc_samples_view samples;
  pprofc_profile_samples(profile, &samples);
  std::cout << samples.count << " samples, last " << samples.values[1] << "\n";
  pprofc_profile_release(profile);
}
