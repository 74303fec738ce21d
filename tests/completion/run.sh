#!/bin/sh
# Types command lines into a shell that loaded the completion of the programs, and compares the completed lines: run.sh
# SHELL HERE BIN TESTDATA.
set -eu
shell=$1 here=$2 bin=$3 testdata=$4
command -v "$shell" >/dev/null || {
  echo "skipped: no $shell"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$testdata/generator_mem.prof" "$work/mem.prof"
# A profile whose names are commands. The shell that completes the names must not run them.
printf '\012\004\010\001\020\002\012\004\010\002\020\0022\0002\021$(touch${IFS}hit)2\005count' >"$work/evil.prof"
cd "$work"
PATH=$bin:$PATH
export PATH

# The typed text, and the completed text.
cat >cases <<'CASES'
pprofc -colors=p|pprofc -colors=package
pprofc -flame=t|pprofc -flame=text
pprofc -symbolize=f|pprofc -symbolize=fastlocal force
pprofc -symbolize=fa|pprofc -symbolize=fastlocal
pprofc -unit=mini|pprofc -unit=minimum
pprofc -callgrind_stacks=e|pprofc -callgrind_stacks=edges
pprofc -completion=f|pprofc -completion=fish
pprofc -nodecou|pprofc -nodecount=
pprofc -diff_base=mem.prof -sample_index=alloc_o|pprofc -diff_base=mem.prof -sample_index=alloc_objects
pprofc -top -sample_index=inuse_s mem.prof|pprofc -top -sample_index=inuse_space mem.prof
pprofc -diff_base=evil.prof -sample_index=c|pprofc -diff_base=evil.prof -sample_index=count
pprofc -top me|pprofc -top mem.prof
benchstatc -completion=z|benchstatc -completion=zsh
benchstatc -format=cs|benchstatc -format=csv
benchstatc -delta-test=tt|benchstatc -delta-test=ttest
parse_bench_regressions -test=w|parse_bench_regressions -test=welch
parse_bench_regressions -format=gith|parse_bench_regressions -format=github
parse_bench_regressions -out=jso|parse_bench_regressions -out=json=
pprofci r|pprofci run
pprofci -comp|pprofci -completion=
pprofci -completion=f|pprofci -completion=fish
pprofci run -base-r|pprofci run -base-ref=
pprofci run -head=me|pprofci run -head=mem.prof
parse_bench_regressions -direction=it|parse_bench_regressions -direction=items_per_second=higher
CASES
"$shell" "$here/lines.$shell" <cases
[ ! -e hit ] || { echo "a profile ran a command"; exit 1; }
# The programs must accept each proposed word.
for flag in -colors=hot -colors=change -colors=origin -colors=package -callgrind_stacks=proportional \
  -callgrind_stacks=edges -callgrind_stacks=flat; do
  pprofc -flamegraph "$flag" mem.prof >/dev/null 2>err || { cat err; exit 1; }
done
for mode in none local fastlocal force demangle=full demangle=none demangle=templates; do
  pprofc -top -symbolize=$mode mem.prof 2>&1 | grep -q unrecognized && { echo "offers $mode"; exit 1; }
done
echo "completion in $shell: ok"
