/* The table of tools. Their schemas, and the checks of arguments, are made from it. */
#include "mcp/call.h"

#define PROFILE                                                                                    \
  { "profile", "File of the profile, as the tool open lists it", ARGUMENT_TEXT, true }
#define BASE                                                                                       \
  { "base", "Profile to compare with: values are differences", ARGUMENT_TEXT, false }
#define FUNCTION                                                                                   \
  {                                                                                                \
    "function", "Name of the function, its handle (f:...), or a part that fits one name",          \
        ARGUMENT_TEXT, true                                                                        \
  }
#define SAMPLE_TYPE                                                                                \
  { "sample_type", "Sample type, as cpu or alloc_space", ARGUMENT_TEXT, false }
#define FOCUS                                                                                      \
  { "focus", "Only samples with a function that matches this regexp", ARGUMENT_TEXT, false }
#define IGNORE                                                                                     \
  { "ignore", "No samples with a function that matches this regexp", ARGUMENT_TEXT, false }
#define BUDGET                                                                                     \
  { "budget", "Bytes of the answer, 1000 to 100000; 4000 without it", ARGUMENT_NUMBER, false }

const struct mcp_tool tools[] = {
    {"open",
     "Look into a profile",
     "Lists the files of this server, or shows the contents of a profile: sample types with "
     "totals, "
     "duration, labels, warnings.",
     tool_open,
     {{"profile", "File or folder; without it all files are listed", ARGUMENT_TEXT, false},
      BUDGET,
      {0}}},
    {"top",
     "Functions that take the most",
     "Shows functions by their own value (flat), or with what they call (sort: cum), as pprof -top "
     "does.",
     tool_top,
     {PROFILE,
      BASE,
      SAMPLE_TYPE,
      {"sort", "flat or cum", ARGUMENT_TEXT, false},
      {"granularity", "functions, lines, files or addresses", ARGUMENT_TEXT, false},
      FOCUS,
      IGNORE,
      {"skip", "Rows that an earlier answer has shown", ARGUMENT_NUMBER, false},
      BUDGET,
      {0}}},
    {"compare",
     "What changed, and is it real",
     "Compares profiles of a base and a head, one or many runs a side: names each function that "
     "changed by more than noise with its line, amount, interval and verdict. More runs a side "
     "find smaller changes.",
     tool_compare,
     {{"base", "Profile, folder, or array of them: the runs before", ARGUMENT_TEXTS, true},
      {"head", "Profile, folder, or array of them: the runs after", ARGUMENT_TEXTS, true},
      SAMPLE_TYPE,
      FOCUS,
      IGNORE,
      BUDGET,
      {0}}},
    {"callers",
     "Who calls a function, and what it calls",
     "Shows callers and callees of one function, and the heaviest paths through it.",
     tool_callers,
     {PROFILE, FUNCTION, BASE, SAMPLE_TYPE, FOCUS, IGNORE, BUDGET, {0}}},
    {"source",
     "Lines of a function",
     "Shows the lines of one function with their values, or with their change when a base is "
     "given; with their text if the file is below the folders of this server.",
     tool_source,
     {PROFILE, FUNCTION, BASE, SAMPLE_TYPE, FOCUS, IGNORE, BUDGET, {0}}},
    {"benchmarks",
     "Benchmarks compared and judged",
     "Compares benchmark results (go test -bench, Google Benchmark, JMH, pytest-benchmark, "
     "hyperfine, criterion, CSV): verdict of the gate, then benchstat's table.",
     tool_benchmarks,
     {{"base", "File or array of files: results before", ARGUMENT_TEXTS, true},
      {"head", "File or array of files: results after", ARGUMENT_TEXTS, true},
      BUDGET,
      {0}}},
    {"history",
     "Change points of benchmarks, leaks of profiles",
     "Finds when a benchmark changed in a series of runs, or what grows without end in heap and "
     "goroutine profiles of one program: oldest first.",
     tool_history,
     {{"runs", "Folder, or array of files with benchmark results or profiles, oldest first",
       ARGUMENT_TEXTS, true},
      BUDGET,
      {0}}},
};

const size_t tool_count = sizeof tools / sizeof *tools;
