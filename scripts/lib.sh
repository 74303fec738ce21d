# What the scripts share: short messages, and installing what is missing with apt. Sourced, not run.
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

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "cannot run '$1' as root: neither root nor sudo; as root, run: $*"
  fi
}

# Prints those of the packages that are not installed.
missing_packages() {
  for package in "$@"; do
    case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
      *" installed") ;;
      *) printf '%s\n' "$package" ;;
    esac
  done
}

# Runs apt-get quietly; what it said is shown only when it failed.
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

# Package lists are fetched at most once per run.
apt_lists_fresh=no
refresh_lists() {
  [ "$apt_lists_fresh" = no ] || return 0
  say "fetching package lists"
  apt_get update || say "package lists could not be fetched, going on with the old ones"
  apt_lists_fresh=yes
}

# need_packages NAME...: installs what is missing, or ends the script.
need_packages() {
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  have apt-get || die "this machine has no apt; install the equivalents of: $missing"
  refresh_lists
  say "installing $missing"
  # shellcheck disable=SC2086 # a list of words
  apt_get install --no-install-recommends $missing ||
    die "cannot install $missing:
$apt_said"
}

# want_packages NAME...: installs what is missing and can be had; the rest is named.
want_packages() {
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] && have apt-get || return 0
  refresh_lists
  say "installing $missing"
  # shellcheck disable=SC2086
  apt_get install --no-install-recommends $missing && return 0
  for package in $missing; do
    apt_get install --no-install-recommends "$package" || say "going on without $package"
  done
}

# What the build cannot do without, and what it uses when it is there.
build_packages="gcc libc6-dev cmake make pkg-config zlib1g-dev libprotobuf-c-dev protobuf-c-compiler"
optional_packages="libdeflate-dev libjansson-dev libpcre2-dev libxxhash-dev libiberty-dev graphviz binutils"

install_build_tools() {
  # shellcheck disable=SC2086
  need_packages $build_packages
  # shellcheck disable=SC2086
  want_packages $optional_packages
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
  if [ "${version%%.*}" -lt 3 ] || { [ "${version%%.*}" -eq 3 ] && [ "${version#*.}" -lt 25 ]; }; then
    die "cmake $version is too old: 3.25 is needed (Debian 12, Ubuntu 24.04 and later have it)"
  fi
}

processors() {
  nproc 2>/dev/null || echo 2
}

# build FOLDER OPTION...: configures and builds (all, or $build_target), quietly unless it fails.
build() {
  folder=$1
  shift
  mkdir -p "$folder"
  log=$folder/build.log
  say "building in $folder"
  if ! { cmake -S . -B "$folder" "$@" && cmake --build "$folder" -j "$(processors)" ${build_target:+--target "$build_target"}; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "the build failed; all it said is in $log"
  fi
  grep 'optional library not found' "$log" | sed 's/^-- /   /' || true
}
