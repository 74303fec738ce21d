#!/usr/bin/env bash
# Makes a small release of the build, checks its packages, and runs its programs in an empty folder: small.sh SOURCE
# BUILD.
set -eu
source=$1 build=$2
skip() {
  echo "skipped: $*"
  exit 77
}
broken() {
  printf 'failed: %s\n' "$*"
  exit 1
}
for tool in git dpkg-deb dpkg-shlibdeps python3 readelf strip; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "this is no clone with git"
! grep -q '^PPROFC_SANITIZE:[^=]*=.' "$build/CMakeCache.txt" || skip "programs with sanitizers cannot be static"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$source/scripts/release.sh

# Checks that wrong arguments give a message of one line.
refused() { # TEXT ARGUMENTS
  local text=$1
  shift
  ! "$release" "$@" >"$work/said" 2>&1 || broken "release.sh $*: not refused"
  grep -qF -e "$text" "$work/said" || broken "release.sh $*: $(cat "$work/said")"
}
refused 'is not the folder of a build' -small "$work/none"
refused 'unknown option -x' -x
refused '-small needs the folder of a build' -small
mkdir "$work/full"
touch "$work/full/file"
refused 'is not empty and not a release' -small "$build" "$work/full"
echo "ok: what is refused"

# The test install/release has made the first release.
[ -f "$build/release/SHA256SUMS" ] || skip "no release was made"
cp -r "$build/release" "$work/one"
"$release" -small "$build" "$work/two" >"$work/said" 2>&1 || broken "$(cat "$work/said")"
diff -r "$work/one" "$work/two" >"$work/said" || broken "a second time has other bytes: $(cat "$work/said")"
cd "$work/one"
sha256sum --check --quiet --strict SHA256SUMS || broken "checksums"
[ "$(find . -type f | wc -l)" -eq "$(($(wc -l <SHA256SUMS) + 1))" ] || broken "a file has no checksum"
version=$(sed -n 's/^#define PPROFC_VERSION  *"\(.*\)"/\1/p' "$source/libpprofc/include/pprofc/base.h")
echo "ok: the same bytes twice"

# Checks the dependencies and contents of the packages.
field() {
  dpkg-deb -f "$1"_"$version"_*.deb "$2"
}
dpkg-deb -c libpprofc-dev_*.deb >"$work/dev"
dpkg-deb -c libpprofc0.1_*.deb >"$work/library"
[[ "$(field pprofc Depends)" == *libc6* && "$(field pprofc Recommends)" == *libcurl4*libmicrohttpd12* ]] || broken "what pprofc needs"
[[ "$(field libpprofc-dev Depends)" == *"libpprofc0.1 (= $version)"*zlib1g-dev* ]] || broken "what libpprofc-dev needs"
grep -q 'pkgconfig/pprofc.pc' "$work/dev" || broken "pprofc.pc"
grep -q 'libpprofc.so.0.1 ->' "$work/library" || broken "the name of the library"
mkdir "$work/root"
for deb in *.deb; do dpkg-deb -x "$deb" "$work/root"; done
! find "$work/root" ! -path '*/bin/*' -type f -perm /111 | grep . || broken "a file that is no program is executable"
libraries=$(dirname "$(find "$work/root/usr" -name 'libpprofc.so.0.1')")
profile=$source/testdata/generator_cpu.prof
"$build/bin/pprofc" -symbolize=none -top "$profile" >"$work/expected" 2>/dev/null
"$work/root/usr/bin/pprofc" -symbolize=none -top "$profile" 2>/dev/null | cmp - "$work/expected" || broken "pprofc of the package"
echo 'int main(void) { return pprofc_version()[0] == 0; }' >"$work/use.c"
if command -v cc >/dev/null; then
  cc -include pprofc/pprofc.h -I"$work/root/usr/include" "$work/use.c" -o "$work/use" -L"$libraries" -lpprofc
  LD_LIBRARY_PATH=$libraries "$work/use" || broken "libpprofc of the package"
fi
echo "ok: Debian packages"

# The static programs need no library and no file: they run in an otherwise empty folder.
mkdir -p "$work/empty/tmp"
tar -xzf "pprofc-$version-linux-"*.tar.gz -C "$work/empty" --strip-components=1
for program in pprofc benchstatc parse_bench_regressions pprofci; do
  ! readelf -l "$work/empty/bin/$program" | grep -q INTERP || broken "$program has a loader"
done
cp "$profile" "$work/empty/cpu.prof"
enter=(unshare -r chroot)
[ "$(id -u)" -ne 0 ] || enter=(chroot)
if "${enter[@]}" "$work/empty" /bin/pprofci -version >/dev/null 2>&1; then
  "${enter[@]}" "$work/empty" /bin/pprofc -symbolize=none -top /cpu.prof 2>/dev/null | cmp - "$work/expected" || broken "the static pprofc"
  printf 'top 3\nquit\n' | "${enter[@]}" "$work/empty" /bin/pprofc -symbolize=none /cpu.prof 2>/dev/null | grep -q mallocgc || broken "the shell"
  "${enter[@]}" "$work/empty" /bin/pprofci run -bench-head /none >"$work/said" 2>&1 && broken "a file that is not there"
  grep -q "/none" "$work/said" || broken "$(cat "$work/said")"
else
  "$work/empty/bin/pprofc" -symbolize=none -top "$profile" 2>/dev/null | cmp - "$work/expected" || broken "the static pprofc"
  echo "note: no chroot here; the static programs ran beside the rest of the system"
fi
! "$work/empty/bin/pprofc" -top http://127.0.0.1:1 >"$work/said" 2>&1 || broken "a server that is not there"
grep -qF -e 'this static program was built without libcurl' -e 'cannot fetch' "$work/said" || broken "$(cat "$work/said")"
for license in libc6-dev zlib1g-dev; do
  [ -s "$work/empty/share/doc/pprofc/licenses/$license" ] || broken "no license of $license"
done
echo "ok: static programs"

# Each listed part must have a version, and each package of the release a checksum.
python3 - "$work/one" <<'END'
import hashlib, json, os, sys
folder = sys.argv[1]
name, = (n for n in os.listdir(folder) if n.endswith(".spdx.json"))
with open(os.path.join(folder, name), encoding="utf-8") as file:
    parts = json.load(file)
ids = {p["SPDXID"] for p in parts["packages"]}
assert len(ids) == len(parts["packages"]) and all(p["versionInfo"] for p in parts["packages"]), "versions"
assert all(r["relatedSpdxElement"] in ids for r in parts["relationships"]), "relations"
files = {p["packageFileName"]: p["checksums"][0]["checksumValue"] for p in parts["packages"] if "packageFileName" in p}
for path, digest in files.items():
    with open(os.path.join(folder, path), "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == digest, path
assert {n for n in os.listdir(folder) if n.endswith((".deb", ".gz", ".whl", ".tgz"))} == set(files), "files"
linked = {r["relatedSpdxElement"] for r in parts["relationships"] if r["relationshipType"] == "STATIC_LINK"}
names = {p["name"] for p in parts["packages"] if p["SPDXID"] in linked}
assert {"libc6-dev", "zlib1g-dev"} <= names, names
END
grep -q "COPY SHA256SUMS pprofc-$version-linux-" Containerfile || broken "the Containerfile"
echo "ok: list of parts"
