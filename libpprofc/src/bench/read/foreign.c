/* Detects files that users pass by mistake: tables of benchmark tools, profiles or web pages. */
#include "bench/read/readers.h"

/* Pattern of a file. The file begins with `start`, and its first 4 KiB contain `inside`. */
struct foreign_file {
  const char *start, *inside, *advice;
};

static const struct foreign_file foreign_files[] = {
    {"", "\nRun on (",
     "this is the table of Google Benchmark; its JSON is read: --benchmark_format=json"},
    {"name,iterations,real_time,cpu_time", "",
     "this is the CSV of Google Benchmark; its JSON is read: --benchmark_format=json"},
    {"Benchmark 1: ", "Time (mean",
     "this is what hyperfine prints; its JSON is read: --export-json FILE"},
    {"", "- benchmark: ",
     "this is the table of pytest-benchmark; its JSON is read: --benchmark-json=FILE"},
    {"Benchmark ", " Mode  Cnt ", "this is the table of JMH; its JSON is read: -rf json -rff FILE"},
    {"", " time:   [", "this is what criterion prints; its folder is read: target/criterion"},
    {"\x89PNG", "", "this is an image; pass the results it was made from"},
    {"\x1f\x8b", "", "this is a gzip file: a profile is for pprofc, packed results for gunzip"},
    {"<!DOCTYPE", "", "this is an HTML page"},
    {"<html", "", "this is an HTML page"},
};

const char *foreign_advice(pprofc_str data) {
  pprofc_str head = str_slice(data, 0, data.size < 4096 ? data.size : 4096);
  for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++) {
    const struct foreign_file *file = &foreign_files[i];
    if (!str_starts(head, str_of(file->start))) continue;
    if (str_find(head, str_of(file->inside)) < head.size) return file->advice;
  }
  return NULL;
}
