/* Describes input of unknown formats and suggests what to do. Profiles, dumps of
 * profilers, packed files and images have a description. */
#include "core/buffer.h"
#include "core/escape.h"
#include "core/json_tree.h"
#include "import/formats.h"

#include <stdio.h>

#define NEAREST_TEXT 4096u /* number of bytes that decide if the data is text */
#define NEAREST_KEYS 5u    /* maximum number of JSON members in the description */

#define NEAREST_IMAGE "this is an image; pass the profile it was made from"

/* ---- bytes at a fixed place -------------------------- */

#define MAGIC(offset, bytes, text)                                                                 \
  { offset, sizeof(bytes) - 1, bytes, text }

static const struct {
  size_t offset, size;
  const char *bytes, *text;
} nearest_magics[] = {
    MAGIC(0, "\x89PNG\r\n", NEAREST_IMAGE),
    MAGIC(0, "\xFF\xD8\xFF", NEAREST_IMAGE),
    MAGIC(0, "GIF8", NEAREST_IMAGE),
    MAGIC(0, "%PDF-", "this is a PDF; pass the profile it was made from"),
    MAGIC(257, "ustar", "this is a tar archive; unpack it and pass the profile in it"),
    MAGIC(0, "\177ELF", "this is a program; add its profile: pprofc -top PROGRAM PROFILE"),
    MAGIC(0, "\x1F\x8B", "this is compressed by gzip twice; gunzip it once"),
    MAGIC(0, "\x28\xB5\x2F\xFD",
          "this is compressed by zstd; zstd -dc FILE | pprofc -top - reads its content; "
          "heaptrack_print -F OUT -f FILE converts heaptrack's data to folded stacks"),
    MAGIC(0,
          "\xFD"
          "7zXZ",
          "this is compressed by xz; xz -dc FILE | pprofc -top - reads its content"),
    MAGIC(0, "BZh",
          "this is compressed by bzip2; bzip2 -dc FILE | pprofc -top - reads its content"),
    MAGIC(0, "\x04\x22\x4D\x18",
          "this is compressed by lz4; lz4 -dc FILE | pprofc -top - reads its content; memray "
          "transform speedscope FILE converts memray's data"),
    MAGIC(0, "bplist",
          "this is a binary property list, perhaps of Instruments; in Instruments select all rows "
          "of the call tree and save the clipboard after Edit, Deep Copy"),
    MAGIC(0, "JAVA PROFILE 1.",
          "this is a heap dump of Java (hprof); Eclipse's Memory Analyzer reads it"),
    MAGIC(0, "2ELIFREP",
          "this is perf.data of a machine with the other byte order; perf script -i FILE | pprofc "
          "-top - reads it"),
    MAGIC(0, "PERFILE2",
          "this is perf.data, which must be a file; or run perf script -i FILE | pprofc -top -"),
    MAGIC(0, "Nettrace",
          "this is a trace of .NET; dotnet-trace convert --format Speedscope FILE converts it"),
    MAGIC(0, "gmon",
          "this is gmon.out of gprof, which has no stacks; perf record -g or gperftools records "
          "stacks"),
    MAGIC(0, "memray", "this is memray's data; memray transform speedscope FILE converts it"),
    MAGIC(0, "version https://git-lfs.github.com/spec/",
          "this is a pointer of Git LFS; git lfs pull fetches the file"),
    MAGIC(0, "Benchmark", "these are results of benchmarks; benchstatc reads them"),
    MAGIC(0, "goos: ", "these are results of benchmarks; benchstatc reads them"),
    MAGIC(0, "desc: --",
          "this is massif's output; valgrind --tool=dhat records a heap profile that pprofc reads"),
    MAGIC(0, "SIMPLEPERF",
          "this is simpleperf's data; simpleperf report-sample --show-callchain and its "
          "stackcollapse.py convert it to folded stacks"),
};

/* ---- bytes with a form ------------------------------- */

static uint32_t nearest_word(pprofc_str data, size_t at, size_t size) {
  uint32_t word = 0;
  for (size_t i = size; i-- > 0;) word = word << 8 | (unsigned char)data.data[at + i];
  return word;
}

/* True for an ELF file of type 4, in either byte order. */
static bool nearest_is_core(pprofc_str data) {
  if (data.size < 18 || !str_starts(data, STR("\177ELF"))) return false;
  return data.data[16 + (data.data[5] == 2)] == 4;
}

/* True for a buffer header of Event Tracing for Windows: its size, and the header of a system
 * event at 0x48. */
static bool nearest_is_etl(pprofc_str data) {
  if (data.size < 0x50) return false;
  uint32_t size = nearest_word(data, 0, 4), kind = nearest_word(data, 0x4A, 2);
  return size >= 1024 && size <= 16 << 20 && size % 1024 == 0 && (kind == 0xC001 || kind == 0xC002);
}

/* True for a trace of Perfetto, in which field 1 repeats. A profile has only a few in a row. */
static bool nearest_is_perfetto(pprofc_str data) {
  size_t at = 0, packets = 0;
  while (at + 1 < data.size && packets < 64 && data.data[at] == 0x0A) {
    uint64_t size = 0;
    unsigned shift = 0;
    for (at++; at < data.size && shift < 28; shift += 7) {
      unsigned char byte = (unsigned char)data.data[at++];
      size |= (uint64_t)(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    if (size > data.size - at) return false;
    at += size;
    packets++;
  }
  return packets >= 8 && (packets == 64 || at >= data.size);
}

/* True for an archive whose first name ends in ".trace" or contains ".trace/". */
static bool nearest_is_trace_zip(pprofc_str data) {
  if (data.size < 30 || !str_starts(data, STR("PK\3\4"))) return false;
  size_t name = nearest_word(data, 26, 2);
  pprofc_str first = str_slice(data, 30, 30 + name);
  return str_find(first, STR(".trace/")) < first.size || str_ends(first, STR(".trace"));
}

static bool nearest_is_zip(pprofc_str data) {
  return str_starts(data, STR("PK\3\4")) || str_starts(data, STR("PK\5\6"));
}

/* ---- text -------------------------------------------- */

static bool nearest_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the first bytes after leading blanks. */
static pprofc_str nearest_look(pprofc_str data) {
  if (str_starts(data, STR("\xEF\xBB\xBF"))) data = str_slice(data, 3, data.size);
  while (data.size && nearest_is_blank(data.data[0])) data = str_slice(data, 1, data.size);
  return str_slice(data, 0, NEAREST_TEXT);
}

static bool nearest_is_text(pprofc_str data) {
  pprofc_str text = str_slice(data, 0, NEAREST_TEXT);
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if ((c < ' ' && !nearest_is_blank((char)c)) || c == 0x7F) return false;
  }
  return text.size > 0;
}

static bool nearest_has(pprofc_str text, const char *word) {
  return str_find(text, str_of(word)) < text.size;
}

static bool nearest_is_svg(pprofc_str text) {
  return (str_starts_any_case(text, STR("<?xml")) || str_starts_any_case(text, STR("<svg"))) &&
         nearest_has(text, "<svg");
}

static bool nearest_is_xctrace(pprofc_str text) {
  return nearest_has(text, "<trace-query-result") || nearest_has(text, "<trace-toc");
}

static bool nearest_is_page(pprofc_str text) {
  static const char *const starts[] = {"<!doctype", "<html", "<head", "<body", "<!--"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (str_starts_any_case(text, str_of(starts[i]))) return true;
  return false;
}

/* True for "go 1.22 trace\0\0\0". */
static bool nearest_is_go_trace(pprofc_str text) {
  return str_starts(text, STR("go 1.")) && nearest_has(str_slice(text, 0, 20), " trace");
}

static bool nearest_is_go_dump(pprofc_str text) {
  return str_starts(text, STR("goroutine ")) && nearest_has(text, " [");
}

static bool nearest_is_jstack(pprofc_str text) {
  return nearest_has(text, "Full thread dump ");
}

static bool nearest_is_perf_report(pprofc_str text) {
  return str_starts(text, STR("# To display the perf.data")) ||
         (str_starts(text, STR("# Samples: ")) && nearest_has(text, "# Event count"));
}

static bool nearest_is_bpftrace(pprofc_str text) {
  return str_starts(text, STR("@")) && nearest_has(text, "[\n") && nearest_has(text, "]: ");
}

static bool nearest_is_gdb(pprofc_str text) {
  return nearest_has(text, "#0  0x") && nearest_has(text, "\n#1  ");
}

static bool nearest_is_heaptrack(pprofc_str text) {
  return str_starts(text, STR("v ")) && nearest_has(text, "\nX ");
}

static const struct {
  bool (*is)(pprofc_str data);
  bool text; /* true to pass the first bytes without leading blanks, false to pass all bytes */
  const char *sentence;
} nearest_forms[] = {
    {nearest_is_core, false, "this is a core dump; gdb reads it"},
    {nearest_is_etl, false,
     "this is a trace of Windows (ETL); open it in PerfView and save the stacks for speedscope"},
    {nearest_is_trace_zip, false,
     "this is a trace of Instruments in a zip archive; in Instruments select all rows of the call "
     "tree and save the clipboard after Edit, Deep Copy"},
    {nearest_is_zip, false, "this is a zip archive; unpack it and pass the profile in it"},
    {nearest_is_perfetto, false,
     "this is a trace of Perfetto; traceconv profile converts its samples to pprof, traceconv json "
     "its events"},
    {nearest_is_svg, true, NEAREST_IMAGE},
    {nearest_is_xctrace, true,
     "this is an export of xctrace; in Instruments select all rows of the call tree and save the "
     "clipboard after Edit, Deep Copy"},
    {nearest_is_page, true,
     "this is a web page; save the profile itself: curl -o cpu.pb.gz "
     "http://HOST/debug/pprof/profile"},
    {nearest_is_go_trace, true, "this is an execution trace of Go; go tool trace shows it"},
    {nearest_is_go_dump, true, "this begins like a dump of goroutines, but has no readable stack"},
    {nearest_is_jstack, true,
     "this is a thread dump of Java, not a profile; jcmd PID JFR.start records one"},
    {nearest_is_perf_report, true, "this is the text of perf report; perf script gives the stacks"},
    {nearest_is_bpftrace, true,
     "these are maps of bpftrace; FlameGraph's stackcollapse-bpftrace.pl converts them to folded "
     "stacks"},
    {nearest_is_gdb, true,
     "these are stacks of gdb; FlameGraph's stackcollapse-gdb.pl converts them to folded stacks"},
    {nearest_is_heaptrack, true,
     "this is heaptrack's data; heaptrack_print -F OUT -f FILE converts it to folded stacks"},
};

/* ---- JSON -------------------------------------------- */

/* Kinds of JSON, identified by a member. */
static const struct {
  const char *key, *sentence;
} nearest_members[] = {
    {"\"pprofc_sums\"",
     "these are sums over runs; -top -noise -diff_base=SUMS compares two of them"},
    {"\"machine_info\"", "these are results of pytest-benchmark; benchstatc reads them"},
    {"\"primaryMetric\"", "these are results of JMH; benchstatc reads them"},
    {"\"resourceProfiles\"", "these are OpenTelemetry's profiles in JSON; set `format: proto` in "
                             "the collector's file exporter"},
};

/* Removes the rest of a string and its closing quote from the text. */
static pprofc_str nearest_take_string(pprofc_str *text) {
  size_t end = 0;
  while (end < text->size && text->data[end] != '"') end += text->data[end] == '\\' ? 2 : 1;
  pprofc_str string = str_slice(*text, 0, end);
  *text = str_slice(*text, end + 1, text->size);
  return string;
}

/* Skips to the next quote. *depth counts open brackets. */
static bool nearest_find_string(pprofc_str *text, size_t *depth) {
  while (text->size) {
    char c = text->data[0];
    *text = str_slice(*text, 1, text->size);
    *depth += c == '{' || c == '[';
    *depth -= (c == '}' || c == ']') && *depth;
    if (c == '"') return true;
  }
  return false;
}

/* Writes the names of the first members of an object: "a, b, c". */
static void nearest_keys(pprofc_str text, char *out, size_t size) {
  size_t depth = 0, keys = 0, used = 0;
  out[0] = '\0';
  while (keys < NEAREST_KEYS && nearest_find_string(&text, &depth)) {
    pprofc_str name = nearest_take_string(&text);
    if (depth != 1 || !str_starts(str_trim(text), STR(":")) || name.size > 40) continue;
    int added = snprintf(out + used, size - used, "%s%.*s", keys ? ", " : "", STR_ARG(name));
    if (added < 0 || (size_t)added >= size - used) return;
    used += (size_t)added;
    keys++;
  }
}

static void nearest_json(pprofc_str text, char *out, size_t size) {
  for (size_t i = 0; i < sizeof nearest_members / sizeof *nearest_members; i++)
    if (nearest_has(text, nearest_members[i].key)) {
      snprintf(out, size, "%s", nearest_members[i].sentence);
      return;
    }
  char keys[160] = "";
  if (text.data[0] == '{') nearest_keys(text, keys, sizeof keys);
  snprintf(out, size, "this is JSON of an unknown format%s%s; pprofc -formats lists the known ones",
           *keys ? ", with the members " : "", keys);
}

/* ---- all --------------------------------------------- */

static const char *nearest_form(pprofc_str data) {
  pprofc_str look = nearest_look(data);
  for (size_t i = 0; i < sizeof nearest_forms / sizeof *nearest_forms; i++)
    if (nearest_forms[i].is(nearest_forms[i].text ? look : data)) return nearest_forms[i].sentence;
  for (size_t i = 0; i < sizeof nearest_magics / sizeof *nearest_magics; i++) {
    size_t at = nearest_magics[i].offset, size = nearest_magics[i].size;
    if (data.size >= at + size && memcmp(data.data + at, nearest_magics[i].bytes, size) == 0)
      return nearest_magics[i].text;
  }
  return NULL;
}

void import_nearest(pprofc_str data, char *out, size_t size) {
  pprofc_str look = nearest_look(data);
  const char *sentence = nearest_form(data);
  bool text = nearest_is_text(data);
  bool json = look.size && (look.data[0] == '{' || look.data[0] == '[');
  if (!sentence)
    sentence = text ? "this is text of an unknown format; pprofc -formats lists the known ones, "
                      "such as folded stacks"
                    : "";
  if (text && json)
    nearest_json(look, out, size);
  else
    snprintf(out, size, "%s", sentence);
}
