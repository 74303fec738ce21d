# Functions of the scripts: prints messages, and installs missing packages with apt. Source this file.
# shellcheck shell=sh

say() {
  printf '== %s\n' "$*"
}

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

have() {
  command -v "$1" >/dev/null 2>&1
}

is_root() {
  [ "$(id -u)" -eq 0 ]
}

as_root() {
  if is_root; then "$@"; else sudo "$@"; fi
}

# Prints, in one line, which of the packages are not installed.
missing_packages() {
  absent=
  for package in "$@"; do
    case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
      *" installed") ;;
      *) absent="$absent${absent:+ }$package" ;;
    esac
  done
  printf '%s' "$absent"
}

# Runs apt-get without output. If it fails, stores the end of its output in $apt_said.
apt_get() {
  log=$(mktemp)
  if as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
    return 0
  fi
  apt_said=$(tail -n 20 "$log")
  rm -f "$log"
  return 1
}

# Fetches the package lists at most once per run.
apt_lists_fresh=no
refresh_lists() {
  [ "$apt_lists_fresh" = no ] || return 0
  say "fetching package lists"
  apt_get update || say "package lists could not be fetched, going on with the old ones"
  apt_lists_fresh=yes
}

# Prints the command with which root installs packages, for the user to copy.
root_line() {
  printf 'apt-get update && apt-get install -y --no-install-recommends %s\n' "$*"
}

# Prints which of the packages apt knows. Prints all if apt knows no package, as before its first update.
known_packages() {
  known=
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then known="$known${known:+ }$package"; fi
  done
  echo "${known:-$*}"
}

# Checks that a machine without apt has the commands that the build needs.
check_without_apt() {
  for command in cmake make pkg-config protoc-c; do
    have "$command" || die "this machine has no apt and no $command; install the equivalents of: $*"
  done
}

install_wanted() {
  say "installing $*"
  apt_get install --no-install-recommends "$@" && return 0
  for package in "$@"; do
    apt_get install --no-install-recommends "$package" || say "going on without $package"
  done
}

install_needed() {
  say "installing $*"
  apt_get install --no-install-recommends "$@" || die "cannot install $*:
$apt_said
run as root:
$(root_line "$@")"
}

# Prints the packages that a user without root rights must install. Ends the script if a needed
# package is missing.
explain_packages() {
  # shellcheck disable=SC2046,SC2086 # lists of words
  line=$(root_line $needed $(known_packages $wanted))
  if [ -n "$needed" ]; then
    die "packages are missing, and only root or sudo can install them; run as root:
$line"
  fi
  say "going on without $wanted; to have them, run as root:"
  printf '%s\n' "$line"
}

# install_packages NEEDED WANTED, two lists of words: installs missing packages. Ends the script if it cannot install a
# needed package. Only names a wanted package that it cannot install.
install_packages() {
  # shellcheck disable=SC2086
  needed=$(missing_packages $1) wanted=$(missing_packages $2)
  [ -n "$needed$wanted" ] || return 0
  if ! have apt-get; then
    check_without_apt "$needed $wanted"
    return 0
  fi
  if ! is_root && ! have sudo; then
    explain_packages
    return 0
  fi
  refresh_lists
  # shellcheck disable=SC2086
  [ -z "$needed" ] || install_needed $needed
  # shellcheck disable=SC2086
  [ -z "$wanted" ] || install_wanted $wanted
}

# need_packages NAME...: installs missing packages, or ends the script.
need_packages() {
  install_packages "$*" ""
}

# want_packages NAME...: installs missing packages if possible, and names the others.
want_packages() {
  install_packages "" "$*"
}

# The packages that the build needs, and the optional libraries and tools. The last five are for -http, the shell, sources over HTTP, the
# index of a store, and large profiles. Formats that need Graphviz name it when it is missing.
build_packages="gcc libc6-dev cmake make pkg-config zlib1g-dev libprotobuf-c-dev protobuf-c-compiler"
optional_packages="libdeflate-dev libpcre2-dev libxxhash-dev libiberty-dev binutils
libmicrohttpd-dev libedit-dev libcurl4-openssl-dev libsqlite3-dev libisal-dev"

# install_build_tools NEEDED WANTED: installs the packages of the build and of both lists.
install_build_tools() {
  install_packages "$build_packages $1" "$optional_packages $2"
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
  if [ "${version%%.*}" -lt 3 ] || { [ "${version%%.*}" -eq 3 ] && [ "${version#*.}" -lt 22 ]; }; then
    die "cmake $version is too old: 3.22 is needed (Debian 12, Ubuntu 22.04 and later have it)"
  fi
}

processors() {
  nproc 2>/dev/null || echo 2
}

# Prints the number of parallel tests: one more than processors, because tests wait for servers, browsers and clocks.
test_jobs() {
  echo $(($(processors) + 1))
}

# build FOLDER OPTION...: configures and builds all targets, or $build_target. Prints output only if the build fails.
build() {
  folder=$1
  shift
  mkdir -p "$folder"
  log=$folder/build.log
  say "building in $folder"
  # shellcheck disable=SC2086 # a list of words
  if ! { cmake -S . -B "$folder" "$@" && cmake --build "$folder" -j "$(processors)" ${build_target:+--target $build_target}; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    # The end of the log may be from other builds, which continued after the failure.
    grep -n -E -A4 'error:|FAILED' "$log" | head -n 40 >&2 || true
    die "the build failed; all it said is in $log"
  fi
  grep 'optional library not found' "$log" | sed 's/^-- /   /' || true
}
