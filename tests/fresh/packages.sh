#!/bin/sh
# Tests quickstart.sh and test.sh on machines that lack packages, root rights, sudo or apt: packages.sh SOURCE. Stubs
# replace dpkg-query, apt-get, apt-cache, sudo, id and cmake. The test installs and builds no program.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree"
cp -r "$source/scripts" "$work/tree/"
cd "$work/tree"

# machine USER MISSING...: creates a PATH with the stubs and the tools of every Debian. All packages except MISSING are
# installed.
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

# Checks that one line of the output is exactly this text.
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
  # Without root rights and sudo, one line names all required and recommended packages.
  machine 1000 zlib1g-dev cmake libpcre2-dev
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says_line "$install cmake zlib1g-dev libpcre2-dev"
  calls_no apt-get

  # Without the recommended packages the script continues.
  machine 1000 libpcre2-dev
  run $script
  says_line "$install libpcre2-dev"
  says "the build failed"
  calls_no apt-get

  # If no package is missing, the output does not mention root.
  machine 1000
  run $script
  case $said in *root* | *install*) fail "speaks of installing" ;; esac

  # With sudo, and as root.
  machine 1000 cmake
  stub sudo "echo sudo \"\$@\" >>'$work/calls'; exec \"\$@\""
  run $script
  calls "sudo env"
  calls "--no-install-recommends cmake"
  machine 0 cmake libpcre2-dev
  run $script
  calls "--no-install-recommends cmake"
  calls "--no-install-recommends libpcre2-dev"

  # If sudo is not permitted or apt fails, the script prints the error and the line to type.
  machine 1000 cmake
  stub sudo 'echo user is not in the sudoers file >&2; exit 1'
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says "not in the sudoers file"
  says_line "$install cmake"

  # Without apt, the script uses the installed programs and names the missing ones.
  machine 0 cmake
  rm "$work/bin/apt-get" "$work/bin/cmake"
  run $script
  [ "$status" -eq 1 ] || fail "should end with 1"
  says "this machine has no apt and no cmake; install the equivalents of: cmake"

  machine 0
  stub cmake 'echo cmake version 3.21.9'
  run $script
  says "cmake 3.21 is too old: 3.22 is needed"
done

# All packages are missing. The scripts install only the packages that they need.
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
# The line does not have names that this machine's apt does not know.
# shellcheck disable=SC2086
machine 1000 valgrind chromium
rm "$work/bin/chromium"
run $script
says_line "$install valgrind"
echo "packages: ok"
