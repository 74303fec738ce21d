// A small C++ program with templates, namespaces, lambdas and inlining to be profiled.
#include <gperftools/malloc_extension.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shop {

namespace {
std::uint32_t next(std::uint32_t &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
} // namespace

template <typename T, int N> class Ring {
public:
  void push(T value) {
    items_[at_++ % N] = std::move(value);
  }
  template <typename F> void each(F &&visit) const {
    for (const T &item : items_) visit(item);
  }

private:
  T items_[N] = {};
  unsigned at_ = 0;
};

struct Order {
  std::string name;
  std::vector<std::pair<int, double>> lines;
  double total() const {
    double sum = 0;
    for (const auto &[count, price] : lines) sum += count * price;
    return sum;
  }
  bool operator<(const Order &other) const {
    return total() < other.total();
  }
};

class Book {
public:
  virtual ~Book() = default;
  virtual double add(std::unique_ptr<Order> order) = 0;
};

template <typename Key> class SortedBook final : public Book {
public:
  double add(std::unique_ptr<Order> order) override {
    const double total = order->total();
    recent_.push(total);
    auto &slot = orders_[static_cast<Key>(total)];
    slot.push_back(std::move(order));
    return total;
  }
  double recent() const {
    double sum = 0;
    recent_.each([&sum](double total) { sum += total; });
    return sum;
  }
  std::size_t size() const {
    return orders_.size();
  }

private:
  std::map<Key, std::vector<std::unique_ptr<Order>>> orders_;
  Ring<double, 64> recent_;
};

__attribute__((noinline)) std::unique_ptr<Order> make_order(std::uint32_t &seed) {
  auto order = std::make_unique<Order>();
  order->name = "order number " + std::to_string(next(seed));
  for (std::uint32_t i = next(seed) % 12; i-- > 0;) {
    order->lines.emplace_back(static_cast<int>(next(seed) % 9), next(seed) % 1000 / 100.0);
  }
  return order;
}

__attribute__((noinline)) double fill(Book &book, int orders, std::uint32_t seed) {
  double sum = 0;
  while (orders-- > 0) sum += book.add(make_order(seed));
  return sum;
}

// Heap sort, so that template code shows up with its own frames.
template <typename T>
__attribute__((noinline)) void sift(std::vector<T> &heap, std::size_t root, std::size_t end) {
  for (std::size_t child; (child = 2 * root + 1) < end; root = child) {
    if (child + 1 < end && heap[child] < heap[child + 1]) child++;
    if (!(heap[root] < heap[child])) return;
    std::swap(heap[root], heap[child]);
  }
}

template <typename T> void heap_sort(std::vector<T> &values) {
  for (std::size_t i = values.size() / 2; i-- > 0;) sift(values, i, values.size());
  for (std::size_t end = values.size(); end-- > 1;) {
    std::swap(values[0], values[end]);
    sift(values, 0, end);
  }
}

// Writes tcmalloc's sampled heap ("heap_v2") of this moment.
bool write_sampled_heap(const char *name) {
  std::string text;
  MallocExtension::instance()->GetHeapSample(&text);
  std::FILE *file = std::fopen(name, "w");
  if (file == nullptr) return false;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && whole;
}

} // namespace shop

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  double sum = 0;
  // Never freed, so that a heap profile written at exit still shows it.
  auto &kept = *new std::vector<std::unique_ptr<shop::SortedBook<long>>>;
  for (int round = 0; round < rounds; round++) {
    auto book = std::make_unique<shop::SortedBook<long>>();
    sum += shop::fill(*book, 4000, 7u + static_cast<std::uint32_t>(round));
    std::vector<double> totals;
    std::vector<std::string> names;
    std::uint32_t seed = 1;
    for (int i = 0; i < 4000; i++) {
      auto order = shop::make_order(seed);
      totals.push_back(order->total());
      names.push_back(order->name);
    }
    shop::heap_sort(totals);
    shop::heap_sort(names);
    sum += book->recent() + totals.back() + static_cast<double>(names.back().size());
    if (round % 4 == 0) kept.push_back(std::move(book));
  }
  if (argc > 2 && !shop::write_sampled_heap(argv[2])) return 1;
  std::printf("%.2f %zu\n", sum, kept.size());
  return 0;
}
