#!/bin/sh
# Tests files and devices that fail. pprofc must print the failed operation and the reason, exit with 2, and leave no
# incomplete output file.
#   fault_io.sh PPROFC TESTDATA
set -u
pprofc=$1
profile=$2/server_cpu.pb.gz
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

complain() {
  echo "$name: $1" >&2
  failures=$((failures + 1))
}

# expect STATUS MESSAGE: checks the last command. Its standard error is in the file err, and must contain MESSAGE.
expect() {
  [ "$status" = "$1" ] || complain "exit status $status in place of $1: $(cat err)"
  grep -qF "$2" err || complain "no '$2' in: $(cat err)"
  [ "$(wc -l <err)" -le 2 ] || complain "more than two lines: $(cat err)"
}

# Checks that the folder contains only the files of the test.
expect_files() {
  rm -f err
  found=$(find . -mindepth 1 | tr '\n' ' ')
  [ "$found" = "$1" ] || complain "files left: $found"
}

name='a full device as standard output'
"$pprofc" -top "$profile" >/dev/full 2>err
status=$?
expect 2 'cannot write standard output: no space left on device'

name='a closed standard output'
"$pprofc" -top "$profile" >&- 2>err
status=$?
expect 2 'cannot write standard output'

name='a closed standard input'
"$pprofc" -top - <&- 2>err
status=$?
expect 2 "cannot read '-'"

name='a reader that goes away'
{ "$pprofc" -raw "$profile" 2>err; echo $? >status; } | head -n 1 >/dev/null
status=$(cat status)
rm -f status
case $status in 0 | 2 | 141) ;; *) complain "exit status $status: $(cat err)" ;; esac

for format in proto top dot speedscope callgrind; do
  name="a full device as output file of -$format"
  "$pprofc" -$format -output=/dev/full "$profile" >/dev/null 2>err
  status=$?
  expect 2 "cannot write '/dev/full': no space left on device"

  name="a folder that is not there, for -$format"
  "$pprofc" -$format -output=missing/out "$profile" >/dev/null 2>err
  status=$?
  expect 2 "cannot write 'missing/out': no such file or directory"

  name="a folder as output file of -$format"
  mkdir taken
  "$pprofc" -$format -output=taken "$profile" >/dev/null 2>err
  status=$?
  expect 2 "cannot write 'taken': is a directory"
  rmdir taken

  # 512 bytes are less than the size of each of these reports.
  name="a file that may not grow, for -$format"
  echo old >kept
  (
    trap '' XFSZ
    ulimit -f 1
    "$pprofc" -$format -output=new "$profile" >/dev/null 2>/dev/null
    echo $? >status
    "$pprofc" -$format -output=kept "$profile" >/dev/null 2>/dev/null
    echo $? >>status
  )
  [ "$(tr '\n' ' ' <status)" = '2 2 ' ] || complain "exit status $(tr '\n' ' ' <status)"
  [ "$(cat kept)" = old ] || complain 'the file that was there is another one now'
  rm -f kept status
  expect_files ''
done

name='a folder as input'
"$pprofc" -top . 2>err
status=$?
expect 2 'is a directory'

name='an input that is not there'
"$pprofc" -top missing.pb.gz 2>err
status=$?
expect 2 'no such file or directory'

# Root may read and write all files, so these tests run only for other users.
if [ "$(id -u)" != 0 ]; then
  name='an input that may not be read'
  cp "$profile" secret && chmod 000 secret
  "$pprofc" -top secret 2>err
  status=$?
  expect 2 "cannot read 'secret': permission denied"
  rm -f secret

  name='a folder that may not be written'
  mkdir locked && chmod 555 locked
  "$pprofc" -proto -output=locked/out "$profile" 2>err
  status=$?
  expect 2 "cannot write 'locked/out': permission denied"
  rmdir locked
fi
expect_files ''
[ $failures = 0 ]
