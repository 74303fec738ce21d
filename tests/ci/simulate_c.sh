#!/usr/bin/env bash
# Tests -simulate with the benchmarks of a C program that marks them with docs/examples/count.h: simulate_c.sh SOURCE
# PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
for peer in valgrind git cc python3; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
. "$source/tests/ci/simulate_common.sh"

# program STEPS: creates a program whose first benchmark does STEPS steps.
program() {
  cat >bench.c <<END
#include "count.h"
__attribute__((noinline)) static unsigned walk(unsigned steps) {
  unsigned sum = 1;
  for (unsigned i = 0; i < steps; i++) sum = sum * 31 + i;
  return sum;
}
__attribute__((noinline)) static unsigned word(unsigned steps) {
  return walk(steps) + 1;
}
__attribute__((noinline)) static unsigned words(unsigned steps) {
  return word(steps) + 1;
}
__attribute__((noinline)) static unsigned parse_body(unsigned steps) {
  return walk(10) + words(steps);
}
int main(void) {
  volatile unsigned sum = 0;
  count_begin();
  sum += parse_body($1);
  count_end("bench.c::parse, \"1\" <b>");
  count_begin();
  sum += walk(5000);
  count_end("bench.c::walk");
  $2
  return sum == 1;
}
END
}
cp "$source/docs/examples/count.h" .
program 100000 ''
git add -A
git commit -qm base
git tag base

build='cc -O1 -g -o bench bench.c'
# 1 % more instructions are a regression of one benchmark. The other benchmark is unchanged, and an added one is new.
program 101100 'count_begin(); sum += walk(10); count_end("added");'
git commit -qam slower
run 2 -simulate ./bench -setup "$build" -base-ref base -out a/ci
grep -q '^regressed: bench.c::parse,_"1"_<b> instructions .* +1\.[0-9]*%' "$work/output" || broken "no regression of 1 %"
has "$work/output" 'new: added instructions'
has "$work/output" 'threshold 1%'
grep -q 'walk instructions' "$work/output" && broken "an unchanged benchmark is reported"
has a/ci/manifest.json '"instructions"'
there a/ci/index.html a/ci/bench.c__walk_count_diff_top.txt
has a/ci/index.html 'Cycles <small>estimated</small>'
has a/ci/bench.c__parse___1___b__count_head_top.txt 'Type: Ir'
grep -q '<b>_count\|<b> ' a/ci/index.html && broken "a name is markup"
[ -z "$(git worktree list | sed 1d)" ] || broken "a worktree is left"
ok "1 % in one benchmark"

# Two functions call walk. The call with the growth is deeper in the stack than the other call.
python3 -c 'import json; print(json.load(open("a/ci/manifest.json"))["pairs"][0]["own"][0]["function"])' >own
[ "$(cat own)" = walk ] || broken "the function to blame is $(cat own), not walk"
ok "the innermost function"

for side in base head; do
  "$PPROFC_BIN/pprofc" -traces -filefunctions a/ci/profiles/bench.c__walk_count_$side.pb.gz >traces
  grep -q ' walk bench\.c$' traces || broken "$side: the file of a function is not relative to the repository"
done
ok "names of source files"

# Jobs of a matrix get the verdict of each job.
"$PPROFC_BIN/pprofci" merge -out m/ci a/ci >"$work/output" 2>"$work/messages" && broken "a merge passes"
has "$work/output" '+1.10% exact n=2+1'
has "$work/output" '1 regressed'
has m/ci/index.html 'Cycles <small>estimated</small>'

run 0 -no-fail -simulate ./bench -setup "$build" -base-ref base -out a/ci
run 0 -simulate ./bench -setup "$build" -base-ref base -threshold 5 -out a/ci
run 0 -simulate ./bench -setup "$build" -base-ref HEAD -simulate-runs 3 -out a/ci
grep -q '3+1' "$work/output" || broken "the base was not counted three times"
has "$work/output" 'no regression'
grep -q '^regressed\|^inconclusive\|^too few' "$work/output" && broken "an unchanged program is not green"
ok "the same program"

# One commit without a base: counts and profiles, but no verdict.
sh -c "$build"
run 0 -simulate ./bench -out b/ci
has "$work/output" 'no comparison: no base'
there b/ci/bench.c__walk_count_top.txt
git rm -q --cached bench 2>/dev/null || true

# One function of a program without marks.
sed -i '/count_/d' bench.c
cc -O1 -g -o plain bench.c
run 0 -simulate ./plain -simulate-toggle parse_body -out c/ci
there c/ci/parse_body_count_top.txt
has c/ci/parse_body_count_top.txt walk
grep -q 'profiles have no lines' "$work/messages" && broken "a program with debug information lacks lines"
cc -O1 -g0 -o plain bench.c
run 0 -simulate ./plain -simulate-toggle parse_body -out c/ci
has "$work/messages" "profiles have no lines of '$PWD/plain': build it with -g"
ok "one tree, one function"

# The name of a template has 300 characters before the function.
types=$(printf '14a_type_name_%02d' {10..29})
cat >bench.c <<END
#include "count.h"
unsigned parse_body(unsigned steps) __asm__("_ZN4json6parserI${types}E10parse_bodyEj");
__attribute__((noinline)) unsigned parse_body(unsigned steps) {
  unsigned sum = 1;
  for (unsigned i = 0; i < steps; i++) sum = sum * 31 + i;
  return sum;
}
int main(void) {
  count_begin();
  volatile unsigned sum = parse_body(10000);
  count_end("bench.cpp::parse");
  return sum == 1;
}
END
git commit -qam template
git tag template
sed -i 's/sum \* 31 + i/(sum * 31 + i) ^ (sum >> 3)/' bench.c
git commit -qam slower
run 2 -simulate ./bench -setup "$build" -base-ref template -out t/ci
grep -q '^[^ ]*json.*parser.*\.\.\..*parse&*.*body(\.\.\.).* grew by ' t/ci/summary.md || broken "the sentence lacks the function"
grep -q ' 5 + .*sum &gt;&gt; 3' t/ci/summary.md || broken "the changed line is missing"
ok "a long name"

# The name of a Rust function has blanks.
sed -i 's/__asm__("[^"]*")/__asm__("_ZN38_$LT$u64$u20$as$u20$itoa..Unsigned$GT$3fmt17h0123456789abcdefE")/' bench.c
git commit -qam rust
git tag rust
sed -i 's/sum >> 3/sum >> 3 ^ sum >> 5/' bench.c
git commit -qam slower
run 2 -simulate ./bench -setup "$build" -base-ref rust -out t/ci
grep -q '^<code>&lt;u64 as .*Unsigned.*fmt</code> grew by ' t/ci/summary.md || broken "the function is not one piece of code"
ok "a name with blanks"

# A missing benchmark is not a pass.
git checkout -q base
program 100000 ''
sed -i '/"bench.c::walk"/d' bench.c
git commit -qam gone
run 0 -simulate ./bench -setup "$build" -base-ref base -out d/ci
has "$work/output" 'missing: bench.c::walk instructions'
has "$work/output" '4 missing'

# A run without a counted benchmark is an error.
run 1 -simulate ./plain -out e/ci
has "$work/messages" 'no benchmark was counted (head)'
run 1 -simulate ./plain -simulate-toggle no_such_function -out e/ci
has "$work/messages" 'no benchmark was counted (head)'
run 1 -simulate false -out e/ci
has "$work/messages" "cannot count 'false' (head): it ended with status 1"
run 1 -simulate ./no_such_program -out e/ci
has "$work/messages" "cannot count './no_such_program' (head)"
run 1 -simulate ./bench -setup 'echo why it failed >&2; exit 3' -base-ref base -out e/ci
has "$work/messages" '-setup failed (base): status 3: why it failed'
run 1 -simulate ./bench -setup "$build" -base-ref no_such_commit -out e/ci
has "$work/messages" "unknown commit"
run 1 -simulate ' ' -out e/ci
has "$work/messages" '-simulate is empty'
run 1 -simulate './bench "' -out e/ci
has "$work/messages" "cannot read the command"
run 1 -setup true -out e/ci
has "$work/messages" '-setup needs -simulate'
run 1 -simulate ./bench -record ./... -out e/ci
has "$work/messages" '-simulate cannot be combined with -record'
mkdir none
ln -s "$(command -v git)" none/git
PATH=$work/project/none run 1 -simulate ./bench -out e/ci
has "$work/messages" 'valgrind is not installed'
cat >crash.c <<'END'
#include "count.h"
#include <stdlib.h>
int main(void) {
  count_begin();
  count_end("before");
  abort();
}
END
cc -o crash crash.c
run 1 -simulate ./crash -out e/ci
has "$work/messages" "cannot count './crash' (head): it ended with status 134"
not_there e/ci/index.html
ok "failures"
# A process for each benchmark, and parts that name the plugin, as written by plugins for Rust.
cat >isolated.c <<'END'
#include "count.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void measure(const char *name, unsigned steps) {
  volatile unsigned sum = 1;
  if (fork() == 0) {
    count_request(3, "Metadata: test-plugin 1.0");
    count_begin();
    for (unsigned i = 0; i < steps; i++) sum = sum * 31 + i;
    for (unsigned i = 0; i < steps / 10000; i++) free(realloc(malloc(10), 100));
    count_end(name);
    _exit(0);
  }
  wait(0);
}

int main(void) {
  measure("benches/a.rs::group::first[1]", 20000);
  measure("benches/a.rs::group::second", 30000);
  return 0;
}
END
git add isolated.c count.h
git commit -qm isolated
run 0 -simulate ./isolated -setup 'cc -O0 -g -o isolated isolated.c' -base-ref HEAD -out f/ci
there f/ci/benches_a.rs__group__first_1__count_diff_top.txt f/ci/benches_a.rs__group__second_count_diff_top.txt
has "$work/output" '2 pairs of profiles'
grep -q 'first.*4\.000 .*4\.000' f/benchdiff/*.diff || broken "the calls of malloc and realloc are not counted"
ok "a process for each benchmark"

# Python code of an installed module: a map of code has its name, and the folder src of the checkout has its file.
cat >jit.c <<END
#include "count.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) static unsigned walk(unsigned steps) {
  volatile unsigned sum = 1;
  for (unsigned i = 0; i < steps; i++) sum = sum * 31 + i;
  return sum;
}
__attribute__((noinline)) unsigned _PyEval_EvalFrameDefault(unsigned steps) {
  return walk(steps) + 1;
}
int main(int count, char **words) {
  char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[99];
  memcpy(code, (const void *)walk, 256);
  __builtin___clear_cache(code, code + 256);
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = count > 1 ? NULL : fopen(path, "w");
  if (map) fprintf(map, "%lx 100 py::parse:/venv/lib/site-packages/tool/parser.py\n", (unsigned long)code);
  if (map) fclose(map);
  unsigned (*run)(unsigned) = (unsigned (*)(unsigned))code;
  count_begin();
  unsigned sum = run(STEPS) + _PyEval_EvalFrameDefault(100);
  count_end("jit.c::test_parse");
  return sum == 1;
}
END
mkdir -p src/tool
printf 'def parse():\n    return 1\n' >src/tool/parser.py
echo 'cc -O1 -g -DSTEPS=10000 -o jit jit.c' >build.sh
git add jit.c build.sh src
git commit -qm jit
git tag -f base >/dev/null
printf 'def parse():\n    return 2\n' >src/tool/parser.py
echo 'cc -O1 -g -DSTEPS=10500 -o jit jit.c' >build.sh
git commit -qam 'slower parse'
run 2 -simulate ./jit -setup 'sh build.sh' -base-ref base -out g/ci
grep -q '^parse grew by .*; line 2 of src/tool/parser.py changed in it' g/ci/summary.md || broken "the changed line of an installed module is not named"
grep -q 'show only C functions' "$work/messages" && broken "named functions are called unnamed"
ok "a module that is installed from the folder src"

# Without a map, Python's own functions have no names.
run 0 -simulate './jit unnamed' -setup 'sh build.sh' -base-ref HEAD -out g/ci
[ "$(grep -c 'profiles show only C functions of Python' "$work/messages")" = 1 ] || broken "no single message about names"
ok "Python without names"

# pprofci runs pytest with an empty cache, and makes malloc keep blocks by size.
cat >pytest <<'END'
#!/bin/sh
echo "$GLIBC_TUNABLES $PYTEST_ADDOPTS" >variables
exec ./jit
END
chmod +x pytest
sh build.sh
export GLIBC_TUNABLES=glibc.malloc.check=0 PYTEST_ADDOPTS=-x
run 0 -simulate ./pytest -out h/ci
has variables "glibc.malloc.check=0:glibc.malloc.tcache_count=65535 -x -o 'cache_dir=/"
unset GLIBC_TUNABLES PYTEST_ADDOPTS
ok "the variables of pytest"

# With both instruments, instructions decide: a longer time with equal instructions is not a regression.
cat >bench.c <<'END'
#include "count.h"
int main(void) {
  volatile unsigned sum = 1;
  count_begin();
  for (unsigned i = 0; i < STEPS; i++) sum = sum * 31 + i;
  count_end("bench.py::test_work[1, \"a\"]");
  return sum == 1;
}
END
plugin="$(command -v python3) $source/tests/ci/walltime_plugin.py"
echo 'cc -O1 -g -DSTEPS=10000 -o bench bench.c' >build.sh
printf 'exec %s 1000000\n' "$plugin" >bench.sh
git add bench.sh
git commit -qam times
git tag -f base >/dev/null
printf 'exec %s 1200000\n' "$plugin" >bench.sh
git commit -qam 'slower machine'
both() { # STATUS FOLDER
  run "$1" -simulate ./bench -walltime 'sh bench.sh' -setup 'sh build.sh' -base-ref base -count 5 -profile-runs 0 -any-load -out "$2"
}
both 0 i/ci
grep -q '^inconclusive: bench.py::test_work.* sec/op .*+19\.9.*; instructions did not grow: the cause is the machine or the memory system' "$work/output" ||
  broken "equal instructions with a longer time"
has "$work/output" 'no regression'
has "$work/output" '1 compared, '
has i/ci/index.html "pprofci run -simulate ./bench -walltime"
has i/ci/index.html 'no more instructions: the machine or the memory system took longer'
echo 'cc -O1 -g -DSTEPS=10200 -o bench bench.c' >build.sh
git commit -qam 'more instructions'
both 2 i/ci
grep -q '^regressed: bench.py::test_work.* instructions .*+[12]\.' "$work/output" || broken "no regression of 2 %"
grep -q 'sec/op' "$work/output" && broken "a time is judged beside instructions"
ok "instructions and times"

# Creates a program with a thread of V8. The work of this thread during a benchmark does not count.
thread() {
  cat >bench.c <<END
#include "count.h"
#include <pthread.h>
void *worker(void *steps) __asm__("_ZN4node12_GLOBAL__N_120PlatformWorkerThreadEPv");
__attribute__((noinline)) void *worker(void *steps) {
  volatile unsigned sum = 1;
  for (unsigned i = 0; i < *(unsigned *)steps; i++) sum = sum * 31 + i;
  return 0;
}
int main(void) {
  unsigned steps = $1, own = 100000; // more than what waiting for the thread varies by
  pthread_t thread;
  count_begin();
  if (pthread_create(&thread, 0, worker, &steps) != 0 || pthread_join(thread, 0) != 0) return 2;
  for (volatile unsigned i = 0; i < own; i++) {}
  count_end("bench.c::thread");
  return 0;
}
END
  git commit -qam "$1 steps"
}
thread 10000
git tag thread
thread 90000
run 0 -simulate ./bench -setup "$build -pthread" -base-ref thread -out v/ci
has "$work/output" 'no regression'
ok "threads of V8"

# Creates a head with a function that the base lacks. The benchmark has the name of this function, and the picture of
# the difference must still show the base.
named() { # FUNCTION STEPS
  cat >bench.c <<END
#include "count.h"
__attribute__((noinline)) static unsigned $1(unsigned steps) {
  unsigned sum = 1;
  for (unsigned i = 0; i < steps; i++) sum = sum * 31 + i;
  return sum;
}
int main(void) {
  count_begin();
  volatile unsigned sum = $1(5000);
  sum += $1($2);
  count_end("bench.c::later");
  return sum == 1;
}
END
  git commit -qam "$1"
}
named earlier 5000
git tag earlier
named later 9000
run 2 -simulate ./bench -setup "$build" -base-ref earlier -out p/ci
grep -o 'alt="flame graph of [^"]*_diff" src="data:image/svg+xml;base64,[^"]*' p/ci/index.html | sed 's/.*base64,//' | base64 -d >"$work/diff.svg"
has "$work/diff.svg" '; base '
ok "a renamed function"

# Creates a program that calls all allocators. -simulate-bytes must count the exact sizes, and not change the other
# rows. A failed allocation has no bytes.
sizes() { # SIZE
  cat >bench.c <<END
#include "count.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile block;
#define FREE(call) (block = (call), free(block))
int main(void) {
  void *aligned;
  count_begin();
  FREE(malloc($1));
  count_end("bench.c::malloc");
  count_begin();
  FREE(malloc(0));
  FREE(malloc((size_t)-1 / 4));
  FREE(calloc(7, 1001));
  FREE(realloc(realloc(realloc(0, 100), 300), 200));
  FREE(reallocarray(0, 10, 11));
  FREE(aligned_alloc(64, 640));
  FREE(memalign(32, 77));
  if (posix_memalign(&aligned, 64, 123) == 0) free(aligned);
  FREE(strdup("hello"));
  count_end("bench.c::others");
  for (unsigned i = 1; i < 3; i++) {
    count_begin();
    FREE(malloc(1000 * i));
    count_end("bench.c::repeated");
  }
  count_begin();
  block = 0;
  count_end("bench.c::nothing");
  if (fork() == 0) {
    count_begin();
    FREE(malloc(6000000000));
    count_end("bench.c::process");
    _exit(0);
  }
  return wait(0) < 0;
}
END
}
rows() { # FOLDER: prints all rows with their exact values
  python3 -c 'import json, sys
for row in json.load(open(sys.argv[1] + "/manifest.json"))["results"]:
    print(row["benchmark"], row["unit"], row["base"], row["head"])' "$1"
}
sizes 11184810
git add bench.c
git commit -qm sizes
git tag sizes
sizes 5592405
git commit -qam 'other sizes'
export CC='cc -Wall -Wextra -Werror'
run 0 -simulate ./bench -setup "$build" -base-ref sizes -out w/ci
rows w/ci >"$work/without"
run 0 -simulate ./bench -simulate-bytes -setup "$build" -base-ref sizes -out w/ci
rows w/ci >"$work/with"
grep -q 'bytes-allocated' "$work/without" && broken "bytes are counted without the flag"
has w/ci/index.html ' -simulate-bytes -threshold 1'
cat >"$work/wanted" <<'END'
bench.c::malloc bytes-allocated [11184810, 11184810] [5592405]
bench.c::others bytes-allocated [8563, 8563] [8563]
bench.c::repeated bytes-allocated [1000, 1000] [1000]
bench.c::repeated#2 bytes-allocated [2000, 2000] [2000]
bench.c::process bytes-allocated [6000000000, 6000000000] [6000000000]
END
grep bytes-allocated "$work/with" | diff "$work/wanted" - || broken "the bytes differ"
unset CC
grep -v bytes-allocated "$work/with" | diff "$work/without" - || broken "counting bytes changes the other counts"
ok "bytes"

if command -v c++ >/dev/null; then
  cat >bench.cpp <<'END'
#include "count.h"
struct alignas(128) aligned { char text[128]; };
int main() {
  count_begin();
  int *volatile number = new int(1);
  delete number;
  char *volatile text = new char[1023];
  delete[] text;
  aligned *volatile block = new aligned;
  delete block;
  count_end("bench.cpp::new");
}
END
  git add bench.cpp
  git commit -qm new
  run 0 -simulate ./new -simulate-bytes -setup 'c++ -std=c++17 -g -o new bench.cpp' -base-ref HEAD -runs 1 -out x/ci
  rows x/ci | grep -qx 'bench.cpp::new bytes-allocated \[1155\] \[1155\]' || broken "the bytes of new differ"
  ok "bytes of C++"
fi

# Checks that only the row of bytes is missing, as without a compiler, or for a static program.
no_bytes() {
  has x/benchdiff/bench_head.diff allocations
  grep bytes-allocated x/benchdiff/bench_head.diff && broken "a row of bytes for $1"
  ok "no bytes for $1"
}
sh -c "$build"
CC=no_such_compiler run 0 -simulate ./bench -simulate-bytes -out x/ci
[ "$(grep -c 'cannot count bytes: .*no_such_compiler' "$work/messages")" = 1 ] || broken "no message about the compiler"
no_bytes "a missing compiler"
sh -c "$build -static"
LD_PRELOAD=libm.so.6 run 0 -simulate "sh -c 'echo \$LD_PRELOAD >preloaded; exec ./bench'" -simulate-bytes -out x/ci
has preloaded 'bytes.so libm.so.6'
no_bytes "a static program"
