#!/bin/bash
# debian.sh SOURCE SUITE [golden|ahead]: makes a bare Debian or Ubuntu in a chroot, runs scripts/quickstart.sh there as root, and builds and runs the tests
# of the library and the programs as a user. Then runs the golden cases as root. SUITE is a release, such as trixie (Debian 13) or noble
# (Ubuntu 24.04). With golden, runs only the golden cases, as a user and as root. With ahead, only makes the chroot, for a later run.
# Prints why it skips; the status is then 77.
set -euo pipefail
source=$(cd "$1" && pwd)
suite=$2
only=${3:-}
root=$source/.cache/debian/$suite
. "$source/scripts/lib.sh"

skip() {
  echo "skipped: $suite: $1"
  exit 77
}

# Runs the script in a mount namespace, so its mounts end with it.
[ "${PPROFC_DEBIAN_MOUNTS:-}" ] || {
  is_root || skip "only root can make a chroot"
  have debootstrap || skip "no debootstrap"
  unshare --mount true 2>/dev/null || skip "the kernel does not let root mount file systems"
  PPROFC_DEBIAN_MOUNTS=own exec unshare --mount bash "$0" "$source" "$suite" "$only"
}

# Makes the chroot. Debian's debootstrap has no script and often no keys for Ubuntu: all releases of Ubuntu use one script, and without keys
# it checks no signatures.
bootstrap() {
  local ubuntu=http://archive.ubuntu.com/ubuntu script=/usr/share/debootstrap/scripts/gutsy check=
  if [ "$suite" != noble ]; then
    debootstrap --variant=minbase "$suite" "$root.new"
    return
  fi
  [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || check=--no-check-gpg
  debootstrap --variant=minbase --components=main,universe $check "$suite" "$root.new" "$ubuntu" "$script"
}

if [ ! -d "$root" ]; then
  rm -rf "$root.new"
  mkdir -p "$root.new"
  bootstrap >"$root.log" 2>&1 || skip "debootstrap failed; $root.log has its messages"
  mv "$root.new" "$root"
fi
[ "$only" != ahead ] || exit 0
mount -t proc proc "$root/proc" || skip "the kernel does not let root mount proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" || skip "the kernel does not let root mount devpts"
ln -sf pts/ptmx "$root/dev/ptmx"
# apt in the chroot uses the name servers of this machine.
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The release of this machine has the same compiler as the chroot, so ccache finds the objects of other builds.
ccache=()
if [ "${CCACHE_DIR:-}" ] && grep -qx "VERSION_CODENAME=$suite" /etc/os-release; then
  mkdir -p "$CCACHE_DIR" "$root/ccache"
  mount --bind "$CCACHE_DIR" "$root/ccache"
  ccache=(CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DIR=/ccache CCACHE_BASEDIR=/home/tester/pprofc CCACHE_COMPILERCHECK=content)
fi

# in_chroot USER COMMAND: runs a command of the shell in the folder of the sources.
in_chroot() {
  chroot "$root" env -i HOME="/home/$1" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "${ccache[@]}" \
    setpriv --reuid="$1" --regid="$1" --clear-groups sh -euc "cd /home/tester/pprofc; $2"
}

chroot "$root" id tester >/dev/null 2>&1 || chroot "$root" useradd --create-home tester
rm -rf "$root/home/tester/pprofc"
mkdir "$root/home/tester/pprofc"
git -C "$source" archive HEAD | tar -x -C "$root/home/tester/pprofc"

in_chroot root 'apt-get -q update' >"$root.log" 2>&1 || skip "no list of packages; $root.log has the messages of apt"
[ ${#ccache[@]} -eq 0 ] || in_chroot root '. scripts/lib.sh; want_packages ccache' >>"$root.log" 2>&1
in_chroot root './scripts/quickstart.sh' >>"$root.log" 2>&1 || { tail -n 40 "$root.log"; die "quickstart.sh failed in $suite"; }
grep -q 'Dropped\|flat%' "$root.log" || die "quickstart.sh prints no report in $suite"
packages="libcunit1-dev python3"
[ "$only" ] && packages=python3
in_chroot root ". scripts/lib.sh; need_packages $packages" >>"$root.log" 2>&1
chroot "$root" chown -R tester:tester /home/tester/pprofc
if [ "$only" ]; then
  in_chroot tester 'python3 tests/golden/run.py --bin build/bin' | tail -n 3
else
  in_chroot tester '. scripts/lib.sh; build build -DPPROFC_BUILD_TESTS=ON; ! grep warning: build/build.log' ||
    die "the build in $suite fails or warns"
  in_chroot tester 'ctest --test-dir build -j "$(($(nproc) + 1))" -L "unit|golden|examples|flame|completion|shell" -E golden/secrets --output-on-failure >tests.log' ||
    { cat "$root/home/tester/pprofc/tests.log"; die "tests failed in $suite"; }
  tail -n 12 "$root/home/tester/pprofc/tests.log"
fi
in_chroot root 'python3 tests/golden/run.py --bin build/bin' | tail -n 3
