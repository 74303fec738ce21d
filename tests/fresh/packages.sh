#!/bin/sh
# packages.sh SOURCE: quickstart.sh and test.sh on machines that lack packages, root, sudo or apt. Stubs play dpkg-query,
# apt-get, apt-cache, sudo, id and cmake; nothing is installed, nothing is built.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree"
cp -r "$source/scripts" "$work/tree/"
cd "$work/tree"

# machine USER MISSING...: a PATH with the stubs and what every Debian has; all packages but MISSING are installed.
machine() {
  rm -rf "${work:?}/bin"
  mkdir "$work/bin"
  : >"$work/calls"
  for tool in sh env sed tr cat grep awk mktemp rm mkdir tail dirname nproc; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
  done
  user=$1
  shift
  missing=" $* "
  stub id "echo $user"
  stub dpkg-query "for last; do :; done; case '$missing' in *\" \$last \"*) exit 1 ;; esac; echo 'install ok installed'"
  stub apt-get "echo apt-get \"\$@\" >>'$work/calls'"
  stub apt-cache "case \"\$2\" in chromium) exit 1 ;; esac"
  # shellcheck disable=SC2016 # of the stub
  stub cmake 'case "$1" in --version) echo cmake version 3.22.1 ;; *) echo the stub builds nothing; exit 1 ;; esac'
  for tool in chromium node npm; do stub $tool ''; done
}

stub() {
  rm -f "$work/bin/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

run() {
  status=0
  said=$(PATH=$work/bin sh "scripts/$1" 2>&1) || status=$?
}

fail() {
  printf '%s: %s\n--- status %s, said:\n%s\n--- called:\n%s\n' "$script" "$*" "$status" "$said" "$(cat "$work/calls")"
  exit 1
}

# One line of what was said is this, and nothing else.
says_line() {
  printf '%s\n' "$said" | grep -Fx -e "$1" >/dev/null || fail "does not say '$1' in a line of its own"
}

says() {
  case $said in *"$1"*) ;; *) fail "does not say '$1'" ;; esac
}

calls() {
  grep -F -e "$1" "$work/calls" >/dev/null || fail "does not call '$1'"
}

calls_no() {
  if grep -F -e "$1" "$work/calls" >/dev/null; then fail "calls '$1'"; fi
}

install="apt-get update && apt-get install -y --no-install-recommends"
for script in quickstart.sh test.sh; do
  # Neither root nor sudo: one line says all, what is needed and what is wanted.
  machine 1000 zlib1g-dev cmake libpcre2-dev
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says_line "$install cmake zlib1g-dev libpcre2-dev"
  calls_no apt-get

  # Without what is only wanted it goes on.
  machine 1000 libpcre2-dev
  run $script
  says_line "$install libpcre2-dev"
  says "the build failed"
  calls_no apt-get

  # Nothing is missing: nothing is said about root.
  machine 1000
  run $script
  case $said in *root* | *install*) fail "speaks of installing" ;; esac

  # sudo, and root.
  machine 1000 cmake
  stub sudo "echo sudo \"\$@\" >>'$work/calls'; exec \"\$@\""
  run $script
  calls "sudo env"
  calls "--no-install-recommends cmake"
  machine 0 cmake libpcre2-dev
  run $script
  calls "--no-install-recommends cmake"
  calls "--no-install-recommends libpcre2-dev"

  # sudo that is not allowed, apt that fails: their words, and the line.
  machine 1000 cmake
  stub sudo 'echo user is not in the sudoers file >&2; exit 1'
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says "not in the sudoers file"
  says_line "$install cmake"

  # No apt: what is there is used, what is not there is named.
  machine 0 cmake
  rm "$work/bin/apt-get" "$work/bin/cmake"
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says "this machine has no apt and no cmake; install the equivalents of: cmake"

  # A cmake that is too old.
  machine 0
  stub cmake 'echo cmake version 3.21.9'
  run $script
  says "cmake 3.21 is too old: 3.22 is needed"
done

# What nobody asked for is not installed: everything is missing here.
all=$(sed -n 's/^[a-z]*_packages="\(.*\)"$/\1/p' scripts/lib.sh)
script=quickstart.sh
# shellcheck disable=SC2086 # a list of words
machine 0 $all graphviz chromium nodejs npm valgrind libcunit1-dev
run $script
for package in $all; do calls " $package"; done
for package in graphviz chromium nodejs npm valgrind libcunit1-dev; do calls_no " $package"; done
script=test.sh
# shellcheck disable=SC2086
machine 0 $all graphviz valgrind libcunit1-dev
run $script
calls " libcunit1-dev"
calls_no graphviz
# Names that this machine's apt does not have are not in the line.
# shellcheck disable=SC2086
machine 1000 valgrind chromium
rm "$work/bin/chromium"
run $script
says_line "$install valgrind"
echo "packages: ok"
