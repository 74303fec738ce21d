/* Describes input that no reader accepts, and suggests a remedy: data and reports of profilers, and
 * files that users of a profiler pass by mistake. */
#include "codec/wire.h"
#include "import/import.h"

#define NEAREST_TEXT 4096u /* number of bytes that decide if the data is text */
#define NEAREST_KEYS 5u    /* maximum number of JSON members in the description */

#define NEAREST_IMAGE "this is an image; pass the profile it was made from"
#define NEAREST_PAGE                                                                               \
  "this is a web page; pass the profile it was made from, or save a profile of a server: curl -o " \
  "cpu.pb.gz http://HOST/debug/pprof/profile"
#define NEAREST_GPROF  "which has no stacks; perf record -g or gperftools records stacks"
#define NEAREST_MASSIF "valgrind --tool=dhat records a heap profile that pprofc reads"
#define NEAREST_MEMRAY "this is memray's data; memray transform speedscope FILE converts it"
#define NEAREST_LINES                                                                              \
  "these are times of lines by line_profiler; python -m cProfile -o FILE SCRIPT records functions"
#define NEAREST_BENCHMARKS "these are results of benchmarks; benchstatc reads them"
#define NEAREST_JSON       "this is JSON of an unknown format" /* followed by the members */

/* ---- first bytes ------------------------------------- */

#define START(bytes, contains, text)                                                               \
  { bytes, sizeof(bytes) - 1, contains, text }

/* Descriptions of data by its first bytes. `bytes` is the start of the data after leading blanks.
 * `contains` is a text that the start of the data must also contain, or NULL. The first row that
 * matches the data applies. */
static const struct {
  const char *bytes;
  size_t size;
  const char *contains, *text;
} nearest_starts[] = {
    START("{", "\"pprofc_sums\"",
          "these are sums over runs; -top -noise -diff_base=SUMS compares two of them"),
    START("{", "\"machine_info\"", "these are results of pytest-benchmark; benchstatc reads them"),
    START("{", NULL, NEAREST_JSON),
    START("[", NULL, NEAREST_JSON),
    START("\x89PNG\r\n", NULL, NEAREST_IMAGE),
    START("<", "<svg", NEAREST_IMAGE),
    START("<!", NULL, NEAREST_PAGE),
    START("<html", NULL, NEAREST_PAGE),
    START("\177ELF", NULL, "this is a program; add its profile: pprofc -top PROGRAM PROFILE"),
    START("PK\3\4", ".trace",
          "this is a trace of Instruments in a zip archive; in Instruments select all rows of the "
          "call tree and save the clipboard after Edit, Deep Copy"),
    START("PK\3\4", NULL, "this is a zip archive; unpack it and pass the profile in it"),
    START("\x28\xB5\x2F\xFD", NULL,
          "this is compressed by zstd; zstd -dc FILE | pprofc -top - reads its content; "
          "heaptrack_print -F OUT -f FILE converts heaptrack's data to folded stacks"),
    START("\x04\x22\x4D\x18", "memray", NEAREST_MEMRAY),
    START("\x04\x22\x4D\x18", NULL,
          "this is compressed by lz4; lz4 -dc FILE | pprofc -top - reads its content"),
    START("bplist", NULL,
          "this is a binary property list, perhaps of Instruments; in Instruments select all rows "
          "of the call tree and save the clipboard after Edit, Deep Copy"),
    START("JAVA PROFILE 1.", NULL,
          "this is a heap dump of Java (hprof); Eclipse's Memory Analyzer reads it"),
    START("2ELIFREP", NULL,
          "this is perf.data of a machine with the other byte order; perf script -i FILE | pprofc "
          "-top - reads it"),
    START("Nettrace", NULL,
          "this is a trace of .NET; dotnet-trace convert --format Speedscope FILE converts it"),
    START("gmon", NULL, "this is gmon.out of gprof, " NEAREST_GPROF),
    START("Flat profile:", NULL, "this is a report of gprof, " NEAREST_GPROF),
    START("Call graph", "granularity: each sample", "this is a report of gprof, " NEAREST_GPROF),
    START("memray", NULL, NEAREST_MEMRAY),
    START("desc: ", "mem_heap_B=", "this is massif's output; " NEAREST_MASSIF),
    START("--", "\nms_print arguments:", "this is a report of ms_print; " NEAREST_MASSIF),
    START("--", "\nProfile data file '",
          "this is a report of callgrind_annotate; pass the callgrind.out file that it names"),
    START("--", "\nEvents recorded:",
          "this is a report of cg_annotate; pass the cachegrind.out file that it names"),
    START(
        "reading file \"", "\nMOST CALLS TO ALLOCATION",
        "this is a report of heaptrack_print; heaptrack_print -F OUT -f FILE writes folded stacks"),
    START("Statistical profiling result from ", NULL,
          "this is a report of node --prof-process; pass the isolate-*.log file that it names"),
    START(
        "_     ._   __/__   _ _  _  _ _/_", NULL,
        "this is text that pyinstrument printed; pyinstrument -r session -o FILE writes a profile"),
    START("\x80", "line_profiler", NEAREST_LINES),
    START("Timer unit: ", "Line #", NEAREST_LINES),
    START("", "\nShowing nodes accounting for ",
          "this is a report of pprof; pass the profile that it was made from"),
    START("v ", "\nX ",
          "this is heaptrack's data; heaptrack_print -F OUT -f FILE converts it to folded stacks"),
    START("go 1.", " trace", "this is an execution trace of Go; go tool trace shows it"),
    START("goroutine ", " [", "this begins like a dump of goroutines, but has no readable stack"),
    START("", "Full thread dump ",
          "this is a thread dump of Java, not a profile; jcmd PID JFR.start records one"),
    START("", " function calls ",
          "this is a table that cProfile printed; python -m cProfile -o FILE SCRIPT writes a "
          "profile"),
    START("# ", "# Event count", "this is the text of perf report; perf script gives the stacks"),
    START("", "\n#1  ",
          "these are stacks of gdb; FlameGraph's stackcollapse-gdb.pl converts them to folded "
          "stacks"),
    START("Level,Function Name,", NULL,
          "this is a call tree of Visual Studio; inferno-collapse-vsprof converts it to folded "
          "stacks"),
    START("Benchmark", NULL, NEAREST_BENCHMARKS),
    START("goos: ", NULL, NEAREST_BENCHMARKS),
};

/* ---- binary formats ---------------------------------- */

static uint32_t nearest_word(pprofc_str data, size_t at, size_t size) {
  uint32_t word = 0;
  for (size_t i = size; i-- > 0;) word = word << 8 | (unsigned char)data.data[at + i];
  return word;
}

/* True for a core dump: an ELF file of type 4, in either byte order. */
static bool nearest_is_core(pprofc_str data) {
  if (data.size < 18 || !str_starts(data, STR("\177ELF"))) return false;
  return data.data[16 + (data.data[5] == 2)] == 4;
}

/* True for a trace of Event Tracing for Windows. A trace begins with a buffer header, which
 * contains its size and, at 0x48, the header of a system event. */
static bool nearest_is_etl(pprofc_str data) {
  if (data.size < 0x50) return false;
  uint32_t size = nearest_word(data, 0, 4), kind = nearest_word(data, 0x4A, 2);
  return size >= 1024 && size <= 16 << 20 && size % 1024 == 0 && (kind == 0xC001 || kind == 0xC002);
}

/* True for a trace of Perfetto, which begins with at least 8 fields whose number is 1. A
 * profile.proto begins with fewer. */
static bool nearest_is_perfetto(pprofc_str data) {
  struct wire wire = wire_over(data.data, data.size);
  struct wire_field field;
  size_t packets = 0;
  for (; packets < 64 && wire.at < wire.end; packets++)
    if (!wire_next(&wire, &field) || field.number != 1 || field.type != WIRE_BYTES) return false;
  return packets >= 8;
}

/* ---- text -------------------------------------------- */

/* Returns the first NEAREST_TEXT bytes after leading blanks. */
static pprofc_str nearest_look(pprofc_str data) {
  while (data.size && char_is_blank(data.data[0])) data = str_slice(data, 1, data.size);
  return str_slice(data, 0, NEAREST_TEXT);
}

static bool nearest_is_text(pprofc_str data) {
  pprofc_str text = str_slice(data, 0, NEAREST_TEXT);
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if ((c < ' ' && !char_is_blank((char)c)) || c == 0x7F) return false;
  }
  return text.size > 0;
}

static bool nearest_has(pprofc_str text, const char *word) {
  return str_find(text, str_of(word)) < text.size;
}

/* ---- JSON -------------------------------------------- */

/* Returns the index of the quote that ends the string of JSON at `from`. */
static size_t nearest_string_end(pprofc_str text, size_t from) {
  while (from < text.size && text.data[from] != '"') from += text.data[from] == '\\' ? 2 : 1;
  return from;
}

/* Writes the names of the first members of an object to `out`: "a, b, c". */
static void nearest_keys(pprofc_str text, char *out, size_t size) {
  size_t depth = 0, keys = 0, used = 0, end;
  for (size_t i = 0; i < text.size && keys < NEAREST_KEYS; i++) {
    char c = text.data[i];
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (c != '"') continue;
    end = nearest_string_end(text, i + 1);
    pprofc_str name = str_slice(text, i + 1, end), rest = str_slice(text, end + 1, text.size);
    i = end;
    if (depth != 1 || !str_starts(str_trim(rest), STR(":")) || name.size > 40) continue;
    int added = snprintf(out + used, size - used, "%s%.*s", keys++ ? ", " : "", STR_ARG(name));
    if (added < 0 || (size_t)added >= size - used) return;
    used += (size_t)added;
  }
}

/* ---- all kinds of data ------------------------------- */

static const char *nearest_form(pprofc_str data) {
  if (nearest_is_core(data)) return "this is a core dump; gdb reads it";
  if (nearest_is_etl(data))
    return "this is a trace of Windows (ETL); open it in PerfView and save the stacks for "
           "speedscope";
  if (nearest_is_perfetto(data))
    return "this is a trace of Perfetto; traceconv profile converts its samples to pprof, "
           "traceconv json its events";
  pprofc_str look = nearest_look(data);
  for (size_t i = 0; i < sizeof nearest_starts / sizeof *nearest_starts; i++)
    if (str_starts(look, (pprofc_str){nearest_starts[i].bytes, nearest_starts[i].size}) &&
        (!nearest_starts[i].contains || nearest_has(look, nearest_starts[i].contains)))
      return nearest_starts[i].text;
  return NULL;
}

void import_nearest(pprofc_str data, char *out, size_t size) {
  pprofc_str look = nearest_look(data);
  const char *sentence = nearest_form(data);
  bool text = nearest_is_text(data), json = sentence && strcmp(sentence, NEAREST_JSON) == 0;
  char keys[160] = "";
  if (json && !text) sentence = "";
  if (json && text && look.data[0] == '{') nearest_keys(look, keys, sizeof keys);
  if (!sentence)
    sentence = text ? "this is text of an unknown format; pprofc -formats lists the known ones, "
                      "such as folded stacks"
                    : "";
  if (json && text)
    snprintf(out, size, "%s%s%s; pprofc -formats lists the known ones", sentence,
             *keys ? ", with the members " : "", keys);
  else
    snprintf(out, size, "%s", sentence);
}
