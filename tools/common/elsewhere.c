/* Lists flags and commands of other programs, such as perf and go tool pprof. */
#include "flags.h"

/* Flags and commands of other programs, separated by blanks, and the words to type instead. A word
 * without a hyphen is a command. A # at the end of a word matches any number. `program` is our
 * program, or a command of it, as in "pprofci run". */
struct elsewhere_row {
  const char *program, *words, *advice;
};

static const struct elsewhere_row rows[] = {
    {"pprofc", "-o", "-output=FILE"},
    {"pprofc", "-n -limit", "-nodecount=N"},
    {"pprofc", "-c", "-collect=DIR, or -seconds=N"},
    {"pprofc", "-d -duration", "-seconds=N"},
    {"pprofc", "-f -format", "a format: -folded, -speedscope, -flame"},
    {"pprofc", "-g", "-tree, or -flame"},
    {"pprofc", "-p -pid", "a URL, or a file that a profiler wrote"},
    {"pprofc", "-i", "FILE without a format, for the shell"},
    {"pprofc", "-input", "FILE as the last word"},
    {"pprofc", "-v", "-version"},
    {"pprofc", "-port -P -listen -bind", "-http=localhost:PORT"},
    {"pprofc", "-serve", "-http=localhost:"},
    {"pprofc", "-dot -folded -json -proto -raw -speedscope -svg -tree -traces -text",
     "the format without a value, and -output=FILE"},
    {"pprofc", "-top# -top=#", "-top -nodecount=N"},
    {"pprofc", "-tree#", "-tree -nodecount=N"},
    {"pprofc", "-seconds", "-seconds=N without a unit"},
    {"pprofc", "-sort -s", "-cum, or -flat"},
    {"pprofc", "-children", "-cum"},
    {"pprofc", "-no-children", "-flat"},
    {"pprofc", "-percent-limit", "-nodefraction=F"},
    {"pprofc", "-stdio -stat -U", "-top"},
    {"pprofc", "-html", "-flame -output=FILE.html, or -http=localhost:"},
    {"pprofc", "-csv", "-json"},
    {"pprofc", "-markdown", "-top, or -json"},
    {"pprofc", "-collapsed -collapse -flamescope", "-folded"},
    {"pprofc", "-baseline -before -compare -diff", "-diff_base=FILE"},
    {"pprofc", "-filter -grep -comm -comms -dso -dsos -symbols -function", "-focus=RE"},
    {"pprofc", "-exclude", "-ignore=RE"},
    {"pprofc", "-cp -palette -color", "-colors=TEXT"},
    {"pprofc", "-subtitle", "-title=TEXT"},
    {"pprofc", "-countname -nametype", "-unit=TEXT"},
    {"pprofc", "annotate list blame source weblist", "-list=RE FILE"},
    {"pprofc", "collapse folded inferno-collapse-perf stackcollapse-perf.pl stackcollapse",
     "-folded FILE"},
    {"pprofc", "compare diff", "-top -diff_base=BASE FILE"},
    {"pprofc", "disasm", "-disasm=RE FILE"},
    {"pprofc", "dump raw", "-raw FILE"},
    {"pprofc", "flame flamegraph collapse-perf inferno-flamegraph flamegraph.pl graph plot",
     "-flame FILE"},
    {"pprofc", "localhost", "http://localhost:PORT"},
    {"pprofc", "merge", "-proto -output=FILE FILE FILE"},
    {"pprofc", "open serve web load import view ui", "-http=localhost: FILE"},
    {"pprofc", "peek", "-peek=RE FILE"},
    {"pprofc", "record", "-collect=DIR URL"},
    {"pprofc", "report show stat text top tool pprof stats summary print", "-top FILE"},
    {"pprofc", "script traces", "-traces FILE"},
    {"pprofc", "speedscope", "-speedscope FILE"},
    {"pprofc", "svg", "-svg FILE"},
    {"pprofc", "tags", "-tags FILE"},
    {"pprofc", "tree", "-tree FILE"},
    {"pprofc", "-F -freq -event -a -all-cpus -call-graph -max-stack",
     "perf record, then pprofc -top perf.data"},
    {"pprofc",
     "-height -fontsize -fonttype -fontwidth -factor -notes -encoding -bgcolors -negate -random "
     "-hash",
     "-flame without this flag"},
    {"pprofc", "-flamechart -flame-chart", "-speedscope, which keeps the order of time"},
    {"pprofc", "-r -rate -subprocesses -native -idle -gil -nonblocking -full-filenames",
     "py-spy record -f raw -o FILE, then pprofc FILE"},
    {"pprofc", "-warmup -runs -export-json -export-markdown -export-csv -prepare",
     "hyperfine --export-json FILE, then benchstatc FILE"},
    {"pprofc", "-no-open", "-no_browser"},
    {"pprofc", "-save-only -save", "-proto -output=FILE"},
    {"pprofc", "-line -l", "-list=RE"},
    {"pprofc", "-output-format -pretty", "-json, or another format"},
    {"pprofc", "-q -quiet -silent", "2>/dev/null for no messages"},
    {"pprofc", "-help-all -verbose log status commit clone checkout run", "-help"},
    {"pprofc", "inferno-diff-folded diff-folded difffolded.pl", "-folded -diff_base=BASE FILE"},
    {"pprofc", "convert export save", "-proto -output=FILE FILE"},
    {"benchstatc", "-csv", "-format=csv"},
    {"benchstatc", "-html", "-format=html"},
    {"benchstatc", "-json", "-format=json"},
    {"benchstatc", "-markdown", "-format=markdown"},
    {"benchstatc", "-baseline -base -head -old -new -compare -diff compare diff cmp -before -after",
     "BASE HEAD"},
    {"benchstatc", "-alpha -confidence", "a number from 0 to 1"},
    {"benchstatc", "-v", "-version"},
    {"benchstatc", "-o", "> FILE after the inputs"},
    {"benchstatc", "-bench -benchmem -benchtime -count -n -run -cpu",
     "go test -bench=. -count=10 > FILE, then benchstatc FILE"},
    {"benchstatc", "run bench test", "FILE, with the output of go test -bench=. -count=10"},
    {"benchstatc",
     "-warmup -w -runs -r -min-runs -m -max-runs -prepare -p -export-json -export-markdown "
     "-export-csv -N -shell -style",
     "hyperfine --export-json FILE, then benchstatc FILE"},
    {"benchstatc", "-unit -metric", "-filter=.unit:UNIT"},
    {"benchstatc", "-test -method", "-delta-test=TEST"},
    {"benchstatc", "-threshold -fail -fail-on", "parse_bench_regressions -threshold=PERCENT"},
    {"benchstatc", "-group -by", "-table=KEYS, -row=KEYS or -col=KEYS"},
    {"benchstatc", "-verbose log status record report stat", "-help"},
    {"parse_bench_regressions",
     "-baseline -old -new -compare -diff -before -after compare diff cmp", "-base=FILE -head=FILE"},
    {"parse_bench_regressions", "-json", "-format=json"},
    {"parse_bench_regressions", "-markdown", "-format=markdown"},
    {"parse_bench_regressions", "-o", "-out=FORMAT=FILE"},
    {"parse_bench_regressions", "-v", "-version"},
    {"parse_bench_regressions", "-csv", "-format=csv"},
    {"parse_bench_regressions", "-html", "-format=markdown, or benchstatc -format=html"},
    {"parse_bench_regressions", "-fail-threshold -fail -limit -max-regression -alert-threshold",
     "-threshold=PERCENT"},
    {"parse_bench_regressions", "-filter -ignore -only", "-rules=FILE for single benchmarks"},
    {"parse_bench_regressions", "-sort", "benchstatc -sort=ORDER"},
    {"parse_bench_regressions", "-delta-test", "-test=TEST"},
    {"parse_bench_regressions", "-verbose run check test record report", "-help"},
    {"pprofci", "-v", "-version"},
    {"pprofci", "compare diff report compare-to check gate bench test benchstat measure",
     "run -base BASE -head HEAD"},
    {"pprofci", "comment", "publish -to comment"},
    {"pprofci", "record", "run -record PACKAGES"},
    {"pprofci", "upload", "store, or push"},
    {"pprofci", "log show list status", "history STORE"},
    {"pprofci", "exec stat hyperfine", "run -simulate COMMAND, or -walltime COMMAND"},
    {"pprofci", "setup install auth config clone checkout new", "init"},
    {"pprofci", "save add commit", "store -to STORE"},
    {"pprofci", "post pr", "publish"},
    {"pprofci run", "-n -r -rounds", "-count=N"},
    {"pprofci run", "-o -output", "-out=DIR"},
    {"pprofci run", "-warmup -w -prepare -export-json", "-walltime=COMMAND"},
    {"pprofci run", "-baseline -old -new -compare -before -after", "-base=DIR -head=DIR"},
    {"pprofci run", "-fail-threshold -alert-threshold", "-threshold=PERCENT"},
};

static bool is_digits(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return text.size > 0;
}

/* True if `argument` is `known` or "known=VALUE". Treats '_' in the argument as '-'. */
static bool elsewhere_matches(pprofc_str known, pprofc_str argument) {
  bool number = str_ends(known, STR("#"));
  if (number) known.size--;
  if (argument.size < known.size) return false;
  for (size_t i = 0; i < known.size; i++)
    if (argument.data[i] != known.data[i] && (argument.data[i] != '_' || known.data[i] != '-'))
      return false;
  pprofc_str rest = str_slice(argument, known.size, argument.size);
  if (number) return is_digits(rest);
  return !rest.size || (known.data[0] == '-' && rest.data[0] == '=');
}

static bool elsewhere_lists(const struct elsewhere_row *row, pprofc_str argument) {
  pprofc_str rest = str_of(row->words);
  while (rest.size) {
    size_t blank = str_find_char(rest, ' ');
    if (elsewhere_matches(str_slice(rest, 0, blank), argument)) return true;
    rest = str_slice(rest, blank + 1, rest.size);
  }
  return false;
}

const char *elsewhere_find(const char *program, const char *argument) {
  pprofc_str text = str_of(argument);
  if (str_starts(text, STR("--"))) text = str_slice(text, 1, text.size);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].program, program) == 0 && elsewhere_lists(&rows[i], text))
      return rows[i].advice;
  return NULL;
}

bool elsewhere_add(const char *program, const char *argument, pprofc_error *error) {
  const char *advice = elsewhere_find(program, argument);
  size_t size = strlen(error->message);
  if (!advice) return false;
  snprintf(error->message + size, sizeof error->message - size, " (type %s)", advice);
  return true;
}
