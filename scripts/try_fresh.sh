#!/bin/sh
# Tests the instructions of the README on an empty machine. Creates a minimal Debian in a folder, clones the repository into it, and runs
# quickstart.sh. Then runs test.sh in a second clone on a second such system.
#
#   scripts/try_fresh.sh [FOLDER]      needs root, debootstrap and about 2 GB; without FOLDER, uses a temporary one
#
# Clones the last commit. Uses this machine's Debian release, mirror, proxies and certificates.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

[ "$(id -u)" -eq 0 ] || die "must run as root"
need_packages debootstrap git

keep=${1:-}
place=${keep:-$(mktemp -d)}
mkdir -p "$place"
place=$(cd "$place" && pwd)
base=$place/base

unmount() {
  for root in "$place"/*/; do
    for folder in dev/pts dev/shm proc; do
      if mountpoint -q "$root$folder"; then umount -l "$root$folder"; fi
    done
  done
}
finish() {
  unmount
  [ -n "$keep" ] || rm -rf --one-file-system "$place"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Lines for sources.list, from this machine's own release.
# shellcheck source=/dev/null disable=SC2016
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v code="$codename" '$2 == code || index($2, code "-") == 1 || index($2, code "/") == 1 {
    print "deb", $1, $2, $3 }' | sort -u)
[ -n "$sources" ] || die "apt of this machine knows no mirror of $codename"
mirror=$(printf '%s\n' "$sources" | awk -v code="$codename" '$3 == code { print $2; exit }')

if [ ! -x "$base/usr/bin/apt-get" ]; then
  say "making a minimal $codename in $base"
  debootstrap --variant=minbase "$codename" "$base" "$mirror" >"$place/debootstrap.log" 2>&1 || {
    tail -n 20 "$place/debootstrap.log"
    die "debootstrap failed"
  }
fi
printf '%s\n' "$sources" >"$base/etc/apt/sources.list"

# Copy the settings with which this machine reaches its mirrors: proxies, certificates, names.
apt-config dump | grep -iE '^Acquire::(https?|ftp)::' >"$base/etc/apt/apt.conf.d/90host" || true
cp /etc/resolv.conf /etc/hosts "$base/etc/" 2>/dev/null || true
if [ -d /usr/local/share/ca-certificates ]; then
  mkdir -p "$base/usr/local/share/ca-certificates"
  cp -r /usr/local/share/ca-certificates/. "$base/usr/local/share/ca-certificates/"
fi
certificates=/etc/ssl/certs/ca-certificates.crt
if [ -s "$certificates" ]; then
  mkdir -p "$base/etc/ssl/certs"
  cp "$certificates" "$base/etc/ssl/certs/host.crt"
fi

# try NAME COMMAND: creates a fresh system with a fresh clone, and runs COMMAND in it.
try() {
  name=$1
  root=$place/$name
  rm -rf "$root"
  cp -a "$base" "$root"
  mkdir -p "$root/root"
  git clone -q . "$root/root/pprofc"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -sf pts/ptmx "$root/dev/ptmx"
  say "$name: $2 in a fresh clone on a fresh $codename"
  started=$(date +%s)
  status=0
  # Pass only the proxies of the environment.
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${no_proxy:+no_proxy="$no_proxy"} ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/ssl/certs/host.crt} \
    chroot "$root" /bin/sh -c "cd /root/pprofc && $2" >"$place/$name.log" 2>&1 || status=$?
  tail -n "${3:-15}" "$place/$name.log" | sed 's/^/   /'
  say "$name: status $status after $(($(date +%s) - started)) s"
  unmount
  rm -rf --one-file-system "$root"
  [ "$status" -eq 0 ] || die "$2 failed; the last 60 lines were:
$(tail -n 60 "$place/$name.log")"
}

try quickstart ./scripts/quickstart.sh 30
try test ./scripts/test.sh
say "both commands work on a bare $codename"
