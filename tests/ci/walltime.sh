#!/usr/bin/env bash
# Tests -walltime: walltime.sh SOURCE PROGRAMS. pprofci must reply to a plugin of benchmarks, read its rounds, and judge
# base and head.
set -eu
. "$(dirname "$0")/common.sh"
for peer in git python3; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
. "$source/tests/ci/simulate_common.sh"
plugin="$(python3 -c "import sys; print(sys.executable)") $source/tests/ci/walltime_plugin.py"
maps() { find /tmp -maxdepth 1 -name 'perf-*.map' -newer "$work/begin" -user "$(id -u)" | wc -l; }
touch "$work/begin"

# The command reads its time from a file of the commit.
echo 1000000 >time
printf 'exec %s $(cat time)\n' "$plugin" >bench.sh
git add -A
git commit -qm base
git tag base
echo 1200000 >time
git commit -qam slower

# Without perf the result has only times. The time of an iteration is the median of the rounds, not the summary.
mkdir bin
for program in git sh bash env cat rm chmod; do
  found=$(command -v "$program") && ln -s "$found" bin/
done
PATH=$PWD/bin run 2 -walltime 'sh bench.sh' -base-ref base -count 5 -any-load -out a/ci
grep -q '^regressed: bench.py::test_work.* sec/op *1\.002m → 1\.202m  *+19\.9' "$work/output" || broken "no regression of 20 %"
has "$work/output" 'n=5+5'
has "$work/messages" 'perf is not installed: times only, without profiles'
has a/ci/index.html 'base and head in turns'
has a/ci/index.html "pprofci run -walltime"
[ ! -e /tmp/runner.ctl.fifo ] && [ ! -e /tmp/runner.ack.fifo ] || broken "FIFOs are left"
[ "$(maps)" = 0 ] || broken "maps of compiled code are left in /tmp"
ok "times of base and head"

# On an overloaded machine, no time is a regression.
busy=
for _ in $(seq $((3 * $(nproc)))); do
  while :; do :; done &
  busy="$busy $!"
done
PATH=$PWD/bin run 0 -walltime 'sh bench.sh' -base-ref base -count 5 -out busy/ci
kill $busy
has busy/ci/summary.md 'Could not be judged: the machine was overloaded (load '
has "$work/messages" 'warning: the machine is overloaded: load '
ok "an overloaded machine is named"

# -setup runs before each round, in one folder at a time.
run 0 -walltime 'sh bench.sh' -setup 'test -e time' -base-ref HEAD -count 5 -profile-runs 0 -any-load -out a/ci
has "$work/output" 'no regression'
LOG=$work/log run 0 -walltime 'sh bench.sh' -setup 'pwd >>"$LOG"' -base-ref HEAD -count 4 -profile-runs 0 -any-load -out a/ci
[ "$(wc -l <"$work/log")" = 8 ] && [ "$(sort -u "$work/log" | wc -l)" = 1 ] || broken "the setup ran elsewhere, or not before each round"
ok "no change"

# A setup that loads the plugin finds no FIFO.
run 0 -walltime 'sh bench.sh' -setup "$plugin 1 setup" -base-ref HEAD -count 4 -profile-runs 0 -any-load -out a/ci
has "$work/output" 'no regression'
ok "a setup that loads the plugin"

# The summary of a plugin that sends no message still counts.
run 0 -walltime "$plugin 1000000 silent" -base-ref HEAD -count 4 -profile-runs 0 -any-load -out b/ci
has "$work/output" '1 compared, 0 significant'
grep -rq '10.00m' b/benchdiff || broken "not the median of the summary"
ok "a summary only"

# pprofci replaces the FIFO of an earlier run, but no file of another user.
mkfifo /tmp/runner.ctl.fifo
run 0 -walltime "$plugin 1000000" -count 1 -profile-runs 0 -out b/ci
touch /tmp/runner.ctl.fifo
run 1 -walltime "$plugin 1000000" -count 1 -profile-runs 0 -out c/ci
has "$work/messages" "cannot replace '/tmp/runner.ctl.fifo': it is not a FIFO"
rm /tmp/runner.ctl.fifo
mkfifo /tmp/runner.ack.fifo
sleep 60 <>/tmp/runner.ack.fifo &
run 1 -walltime "$plugin 1000000" -count 1 -profile-runs 0 -out c/ci
kill $!
has "$work/messages" "cannot replace '/tmp/runner.ack.fifo': another runner of benchmarks uses it"
if [ "$(id -u)" = 0 ]; then
  chown 65534 /tmp/runner.ack.fifo
  run 1 -walltime "$plugin 1000000" -count 1 -profile-runs 0 -out c/ci
  has "$work/messages" "cannot replace '/tmp/runner.ack.fifo': it belongs to another user"
fi
rm /tmp/runner.ack.fifo
ok "FIFOs of others"

run 1 -walltime "$plugin 1000000 none" -count 1 -profile-runs 0 -out c/ci
has "$work/messages" 'no benchmark was timed (head)'
run 1 -walltime "$plugin 1000000 bad" -count 1 -profile-runs 0 -out c/ci
has "$work/messages" 'sent a message that is not known'
run 1 -walltime false -count 1 -profile-runs 0 -out c/ci
has "$work/messages" "cannot time 'false' (head): it ended with status 1"
run 1 -walltime ' ' -out c/ci
has "$work/messages" '-walltime is empty'
run 1 -walltime true -record ./... -out c/ci
has "$work/messages" '-walltime cannot be combined with'
run 1 -walltime true -head . -out c/ci
has "$work/messages" '-walltime cannot be combined with -base'
not_there c/ci/index.html
ok "failures"
