/* Texts of -help: usage, examples, environment and exit statuses, and the help of each flag whose
 * help differs from the shell's help of the same option. The shell prints pprof's texts, and has no
 * help for the values of sort and granularity. */
#include "options.h"

static const char *const usage[] = {"FORMAT [flags] [binary] SOURCE ...",
                                    "[flags] [binary] SOURCE ...",
                                    "-collect=DIR [flags] URL ...",
                                    "-mcp [flags] [FOLDER ...]",
                                    "[FORMAT] -simulate [flags] -- PROGRAM [ARGUMENT ...]",
                                    "-help | -version",
                                    NULL};

static const char *const details[] = {
    "SOURCE is a profile: a file, - for standard input, or a URL such as "
    "http://HOST:PORT/debug/pprof/heap. HOST:PORT alone means a CPU profile from this server. The "
    "report shows the sum of all sources. The first of several sources may be the profiled "
    "program.",
    "Flags come before the first source, with one dash or two. For a flag that is on or off, write "
    "its value after an equals sign: -trim=false.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofc -top cpu.pb.gz", "where the time goes"},
    {"pprofc cpu.pb.gz", "a shell that prints reports of the profile"},
    {"pprofc -top -cum -focus=Parse cpu.pb.gz",
     "stacks with the function Parse, sorted by cost with callees"},
    {"pprofc -top -diff_base=old.pb.gz new.pb.gz", "what got slower and faster"},
    {"pprofc -top -time_range=2s,3s app.cpuprofile", "one second of a recording"},
    {"pprofc -top -alloc_space heap.pb.gz", "what allocates"},
    {"pprofc -proto -output=all.pb.gz one.pb.gz two.pb.gz", "two profiles merged into one"},
    {"pprofc -top -seconds=5 localhost:6060", "where a running Go service spends its time"},
    {"pprofc -collect=today http://localhost:6060",
     "all profiles of a service, as files in a folder"},
    {"pprofc -speedscope -output=cpu.json cpu.pb.gz", "a file for www.speedscope.app"},
    {"pprofc -simulate -- ./bench 100", "instructions and cache misses of one run, by valgrind"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PPROF_BINARY_PATH",
     "folders in which pprofc searches for binaries; default: $HOME/pprof/binaries"},
    {"PPROF_TOOLS", "the same as -tools"},
    {"BROWSER", "browser that -web and -weblist start"},
    {"TMPDIR", "folder for files that pprofc opens in a viewer; default: /tmp"},
    {"PAGER", "program that shows long reports of the shell; default: less"},
    {"XDG_STATE_HOME", "folder for the history of the shell; default: $HOME/.local/state"},
    {"PPROF_TMPDIR", "folder for copies of fetched profiles; default: $HOME/pprof"},
    {"HTTP_PROXY", "proxy for http; also http_proxy"},
    {"HTTPS_PROXY", "proxy for https; also https_proxy"},
    {"NO_PROXY", "hosts without a proxy, separated by commas; also no_proxy"},
    {"SSL_CERT_FILE", "file of trusted certificate authorities; default: the system's"},
    {"SSL_CERT_DIR", "folder of trusted certificate authorities"},
    {"NO_COLOR", "if set, do not print messages in red"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "success"},
    {"1",
     "with -fail_on: an error, an unreadable file, or a condition that pprofc could not check"},
    {"2", "-fail_on found a regression; without -fail_on: an error or an unreadable file"},
    {"3",
     "with -fail_on and -strict: noise may hide a growth by the limit, or base or head has fewer "
     "than 3 runs"},
    {NULL, NULL}};

static const char *const helps[][2] = {
    {"functions", "Print one entry for each function, without file names"},
    {"filefunctions", "Print one entry for each function, with file names"},
    {"files", "Print one entry for each source file"},
    {"lines", "Print one entry for each source line"},
    {"addresses", "Print one entry for each address"},
    {"cum", "Sort the entries of a report by their cost with callees"},
    {"flat", "Sort the entries of a report by their cost without callees"},
    {"call_tree", "Show a function several times: once for each different chain of callers"},
    {"relative_percentages",
     "Show percentages of the samples that the filters keep, instead of all samples"},
    {"unit", "Unit of the printed values"},
    {"trim_path", "Prefix to remove from the paths of source files before pprofc searches them"},
    {"mean", "Show means: the value of the chosen sample type, divided by the value of the first "
             "sample type (the count)"},
    {"sample_index", "Sample type to report, such as alloc_space: a name, or an index from 0"},
    {"divide_by", "Number by which all values are divided"},
    {"normalize", "Scale the profile, so that its total equals the total of the base"},
    {"tagroot", "Add the values of these label keys as frames at the root of stacks"},
    {"tagleaf", "Add the values of these label keys as frames at the leaf of stacks"},
    {"nodecount",
     "Maximum number of nodes (functions) in the report; -1: the default of its format"},
    {"nodefraction", "Hide nodes (functions) below this fraction of the total"},
    {"edgefraction", "Hide edges (calls) below this fraction of the total"},
    {"trim", "Hide small nodes and edges: apply -nodefraction, -edgefraction and the default of "
             "-nodecount"},
    {"focus", "Keep only stacks with a frame that matches this regexp"},
    {"ignore", "Drop stacks with a frame that matches this regexp"},
    {"prune_from", "Remove the callees of the innermost frame that matches this regexp"},
    {"hide", "Remove frames that match this regexp"},
    {"show", "Keep only frames that match this regexp"},
    {"show_from", "Remove the callers of the outermost frame that matches this regexp"},
    {"tagfocus", "Keep only samples with a label that matches this regexp or range"},
    {"tagignore", "Drop samples with a label that matches this regexp or range"},
    {"tagshow", "Keep only labels whose key matches this regexp"},
    {"taghide", "Drop labels whose key matches this regexp"},
    {"noinlines", "Add the cost of inlined functions to their first caller that is not inlined"},
    {"showcolumns", "Show column numbers of lines"}};

void option_help_set(struct command_flags *flags) {
  flags->table.usage = usage;
  flags->table.details = details;
  flags->table.examples = examples;
  flags->table.environment = environment;
  flags->table.statuses = statuses;
  for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
    for (size_t k = 0; k < flags->table.flag_count; k++)
      if (strcmp(helps[i][0], flags->items[k].name) == 0) flags->items[k].help = helps[i][1];
}
