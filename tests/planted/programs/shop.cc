// Prices a list of orders; shop ROUNDS. Each function has about a tenth of the time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#define FUNCTION __attribute__((noinline))

struct Row {
  std::string id, item;
  int price, count;
};
using Rows = std::vector<Row>;

double discount(int count, int steps);

namespace shop {

FUNCTION Rows parse(const std::vector<std::string> &lines) {
  Rows rows;
  for (const std::string &line : lines) {
    size_t a = line.find(','), b = line.find(',', a + 1), c = line.find(',', b + 1);
    rows.push_back({line.substr(0, a), line.substr(a + 1, b - a - 1), atoi(&line[b + 1]), atoi(&line[c + 1])});
  }
  return rows;
}

FUNCTION size_t index(const Rows &rows) {
  std::unordered_map<std::string, int> found(1024);
  for (const Row &row : rows) {
    found[row.item] += row.count;
  }
  return found.size();
}

FUNCTION long total(const Rows &rows) {
  long amount = 0;
  for (const Row &row : rows) {
    for (int k = 0; k < 60; k++) {
      amount += (row.price * (row.count ^ k)) % 7;
    }
  }
  return amount;
}

FUNCTION long lookup(const Rows &rows, const std::unordered_map<std::string, int> &wanted) {
  long hits = 0;
  for (const Row &row : rows) {
    hits += wanted.count(row.item);
    hits += wanted.count(row.id);
  }
  return hits;
}

FUNCTION std::string render(const Rows &rows) {
  std::string out;
  for (const Row &row : rows) {
    out += row.id + ": " + row.item;
    out += std::to_string(row.count);
  }
  return out;
}

FUNCTION size_t clean(const Rows &rows) {
  size_t size = 0;
  for (const Row &row : rows) {
    std::string word = row.item;
    for (char &c : word) c = (char)toupper(c);
    size += word.size() + (word[0] == 'I');
  }
  return size;
}

FUNCTION int order(const Rows &rows) {
  std::vector<int> keys;
  for (const Row &row : rows) keys.push_back(row.price * 7919 % 1009);
  std::sort(keys.begin(), keys.end());
  return keys[keys.size() / 2];
}

FUNCTION size_t encode(const Rows &rows) {
  size_t size = 0;
  char text[200];
  for (const Row &row : rows) {
    size += (size_t)snprintf(text, sizeof text, "{\"item\":\"%s\",\"count\":%d}", row.item.c_str(), row.count);
  }
  return size;
}

FUNCTION double price(const Rows &rows) {
  double amount = 0;
  for (const Row &row : rows) {
    amount += discount(row.count, 30);
  }
  return amount;
}

FUNCTION unsigned checksum(const std::string &text) {
  unsigned value = 1;
  for (char c : text) {
    value = (value * 31 + (unsigned char)c) % 65521;
  }
  return value;
}

}  // namespace shop

FUNCTION double discount(int count, int steps) {
  double factor = 1;
  for (int step = 0; step < steps; step++) {
    if (count > step) factor *= 0.99;
  }
  return factor;
}

int main(int count, char **words) {
  std::vector<std::string> lines;
  std::unordered_map<std::string, int> wanted;
  for (int n = 0; n < 1000; n++) {
    lines.push_back(std::to_string(n) + ",item-" + std::to_string(n * 7919 % 512) + "," + std::to_string(n * 31 % 97) + "," +
                    std::to_string(n % 13 + 1));
    wanted["item-" + std::to_string(n * 3 % 512)] = n;
  }
  size_t seen = 0;
  for (int i = 0; i < (count > 1 ? atoi(words[1]) : 1); i++) {
    Rows rows = shop::parse(lines);
    seen += shop::index(rows) + (size_t)shop::total(rows) + (size_t)shop::lookup(rows, wanted) + shop::clean(rows);
    seen += (size_t)shop::order(rows) + shop::encode(rows) + (size_t)shop::price(rows);
    seen += shop::checksum(shop::render(rows));
  }
  std::printf("%zu\n", seen);
}
