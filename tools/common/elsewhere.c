/* Lists flags and commands of other programs, such as perf and go tool pprof. */
#include "elsewhere.h"

#include "core/str.h"

#include <stdio.h>

/* A flag or command of another program, and the words to type instead. A `word` without a hyphen is
 * a command. A # at the end of `word` matches any number. */
struct elsewhere_word {
  const char *program, *word, *advice;
};

static const struct elsewhere_word words[] = {
    {"pprofc", "-o", "-output=FILE"},
    {"pprofc", "-n", "-nodecount=N"},
    {"pprofc", "-c", "-collect=DIR, or -seconds=N"},
    {"pprofc", "-d", "-seconds=N"},
    {"pprofc", "-duration", "-seconds=N"},
    {"pprofc", "-f", "a format: -folded, -speedscope, -flame"},
    {"pprofc", "-format", "a format: -folded, -speedscope, -flame"},
    {"pprofc", "-g", "-tree, or -flame"},
    {"pprofc", "-p", "a URL, or a file that a profiler wrote"},
    {"pprofc", "-pid", "a URL, or a file that a profiler wrote"},
    {"pprofc", "-i", "FILE without a format, for the shell"},
    {"pprofc", "-input", "FILE as the last word"},
    {"pprofc", "-v", "-version"},
    {"pprofc", "-port", "-http=localhost:PORT"},
    {"pprofc", "-serve", "-http=localhost:"},
    {"pprofc", "-top#", "-top -nodecount=N"},
    {"pprofc", "-top=#", "-top -nodecount=N"},
    {"pprofc", "-tree#", "-tree -nodecount=N"},
    {"pprofc", "-limit", "-nodecount=N"},
    {"pprofc", "-seconds", "-seconds=N without a unit"},
    {"pprofc", "-sort", "-cum, or -flat"},
    {"pprofc", "-children", "-cum"},
    {"pprofc", "-no-children", "-flat"},
    {"pprofc", "-percent-limit", "-nodefraction=F"},
    {"pprofc", "-stdio", "-top"},
    {"pprofc", "-html", "-flame -output=FILE.html, or -http=localhost:"},
    {"pprofc", "-csv", "-json"},
    {"pprofc", "-markdown", "-top, or -json"},
    {"pprofc", "-collapsed", "-folded"},
    {"pprofc", "-collapse", "-folded"},
    {"pprofc", "-flamescope", "-folded"},
    {"pprofc", "-baseline", "-diff_base=FILE"},
    {"pprofc", "-before", "-diff_base=FILE"},
    {"pprofc", "-compare", "-diff_base=FILE"},
    {"pprofc", "-diff", "-diff_base=FILE"},
    {"pprofc", "-filter", "-focus=RE"},
    {"pprofc", "-grep", "-focus=RE"},
    {"pprofc", "-exclude", "-ignore=RE"},
    {"pprofc", "-cp", "-colors=TEXT"},
    {"pprofc", "-subtitle", "-title=TEXT"},
    {"pprofc", "-countname", "-unit=TEXT"},
    {"pprofc", "annotate", "-list=RE FILE"},
    {"pprofc", "collapse", "-folded FILE"},
    {"pprofc", "compare", "-top -diff_base=BASE FILE"},
    {"pprofc", "diff", "-top -diff_base=BASE FILE"},
    {"pprofc", "disasm", "-disasm=RE FILE"},
    {"pprofc", "dump", "-raw FILE"},
    {"pprofc", "flame", "-flame FILE"},
    {"pprofc", "flamegraph", "-flame FILE"},
    {"pprofc", "folded", "-folded FILE"},
    {"pprofc", "list", "-list=RE FILE"},
    {"pprofc", "localhost", "http://localhost:PORT"},
    {"pprofc", "merge", "-proto -output=FILE FILE FILE"},
    {"pprofc", "open", "-http=localhost: FILE"},
    {"pprofc", "peek", "-peek=RE FILE"},
    {"pprofc", "raw", "-raw FILE"},
    {"pprofc", "record", "-collect=DIR URL"},
    {"pprofc", "report", "-top FILE"},
    {"pprofc", "script", "-traces FILE"},
    {"pprofc", "serve", "-http=localhost: FILE"},
    {"pprofc", "show", "-top FILE"},
    {"pprofc", "speedscope", "-speedscope FILE"},
    {"pprofc", "stat", "-top FILE"},
    {"pprofc", "svg", "-svg FILE"},
    {"pprofc", "tags", "-tags FILE"},
    {"pprofc", "text", "-top FILE"},
    {"pprofc", "top", "-top FILE"},
    {"pprofc", "traces", "-traces FILE"},
    {"pprofc", "tree", "-tree FILE"},
    {"pprofc", "web", "-http=localhost: FILE"},
    {"benchstatc", "-csv", "-format=csv"},
    {"benchstatc", "-html", "-format=html"},
    {"benchstatc", "-json", "-format=json"},
    {"benchstatc", "-markdown", "-format=markdown"},
    {"benchstatc", "-baseline", "BASE HEAD"},
    {"benchstatc", "-v", "-version"},
    {"benchstatc", "-o", "> FILE after the inputs"},
    {"parse_bench_regressions", "-baseline", "-base=FILE -head=FILE"},
    {"parse_bench_regressions", "-json", "-format=json"},
    {"parse_bench_regressions", "-markdown", "-format=markdown"},
    {"parse_bench_regressions", "-o", "-out=FORMAT=FILE"},
    {"parse_bench_regressions", "-v", "-version"},
    {"pprofci", "-v", "-version"},
    {"pprofci", "compare", "run -base BASE -head HEAD"},
    {"pprofci", "comment", "publish -to comment"},
    {"pprofci", "diff", "run -base BASE -head HEAD"},
    {"pprofci", "record", "run -record PACKAGES"},
    {"pprofci", "report", "run -base BASE -head HEAD"},
    {"pprofci", "upload", "store, or push"},
};

static bool is_digits(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return text.size > 0;
}

/* True if `argument` is `word` or "word=VALUE". Treats '_' in the argument as '-'. */
static bool elsewhere_matches(const char *word, pprofc_str argument) {
  pprofc_str known = str_of(word);
  bool number = str_ends(known, STR("#"));
  if (number) known.size--;
  if (argument.size < known.size) return false;
  for (size_t i = 0; i < known.size; i++)
    if (argument.data[i] != known.data[i] && (argument.data[i] != '_' || known.data[i] != '-'))
      return false;
  pprofc_str rest = str_slice(argument, known.size, argument.size);
  if (number) return is_digits(rest);
  return !rest.size || (word[0] == '-' && rest.data[0] == '=');
}

const char *elsewhere_find(const char *program, const char *argument) {
  pprofc_str text = str_of(argument);
  if (str_starts(text, STR("--"))) text = str_slice(text, 1, text.size);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].program, program) == 0 && elsewhere_matches(words[i].word, text))
      return words[i].advice;
  return NULL;
}

bool elsewhere_add(const char *program, const char *argument, pprofc_error *error) {
  const char *advice = elsewhere_find(program, argument);
  size_t size = strlen(error->message);
  if (!advice) return false;
  snprintf(error->message + size, sizeof error->message - size, " (type %s)", advice);
  return true;
}
