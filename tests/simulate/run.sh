#!/bin/sh
# Checks that two simulations of one program have equal counts, and that a difference is visible: run.sh PPROFC PROGRAM.
set -eu
pprofc=$1 program=$2
command -v valgrind >/dev/null || {
  echo "skipped: valgrind is not installed"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"

# Prints the total of a sample type as a number.
total() {
  "$pprofc" -symbolize=none -top -sample_index="$2" -unit=count "$1" 2>/dev/null |
    sed -n 's/.* of \([0-9]*\)\(ns\)\{0,1\} total.*/\1/p'
}

"$pprofc" -simulate -proto -output=one.pb.gz -- "$program" 20000 >stdout 2>stderr
"$pprofc" -simulate -proto -output=two.pb.gz -- "$program" 20000 >stdout 2>stderr
grep -q '^sum [1-9]' stderr || {
  echo "what the program prints is not on standard error"
  exit 1
}
[ ! -s stdout ]
grep -v '^sum [0-9]*$' stderr | grep . | grep -v '^Generating report' && {
  echo "valgrind says something of a run that did not fail"
  exit 1
}

for type in Ir L1m LLm cycles; do
  one=$(total one.pb.gz $type) two=$(total two.pb.gz $type)
  difference=$((one > two ? one - two : two - one))
  echo "$type: $one, then $two"
  [ "$one" -gt 0 ]
  [ $type != Ir ] || [ $((difference * 1000)) -le "$one" ] || {
    echo "instructions differ by more than 0.1 %"
    exit 1
  }
done

# The estimate follows the weights: no instruction costs less than one cycle.
[ "$(total one.pb.gz cycles)" -gt "$(total one.pb.gz Ir)" ]

# Ten times the work is visible as a difference, in the function that does the work.
"$pprofc" -simulate -top -sample_index=Ir -diff_base=one.pb.gz -- "$program" 200000 2>stderr >diff.txt
grep -q ' walk$' diff.txt

# -simulate also writes a profile without a format flag. After a failure it prints the program's name and the reason.
"$pprofc" -simulate -- "$program" 10 2>stderr | grep -q '^Type: cycles$'
if "$pprofc" -simulate -- false 2>stderr; then exit 1; fi
grep -q "cannot simulate 'false': it ended with status 1" stderr
if PATH=/nonexistent "$pprofc" -simulate -- "$program" 2>stderr; then exit 1; fi
grep -q 'valgrind is not installed' stderr
[ -z "$(ls "$work"/pprof*.callgrind 2>/dev/null)" ]
