#!/usr/bin/env bash
# Runs the commands that a user types with a package of the release: packages.sh SOURCE BUILD PART. The part `release`
# creates BUILD/release, from which the other parts take packages.
set -eu
source=$1 build=$2 part=$3
release=$build/release
profile=$source/testdata/generator_cpu.prof
programs="pprofc benchstatc parse_bench_regressions pprofci"
skip() {
  echo "skipped: $*"
  exit 77
}
broken() {
  printf 'failed: %s\n' "$*"
  exit 1
}
need() {
  for tool in "$@"; do command -v "$tool" >/dev/null || skip "no $tool"; done
}
# found NAME: prints the path of the file with this name in the release.
found() {
  [ -f "$release/SHA256SUMS" ] || skip "no release was made"
  local files=("$release"/$1)
  [ ${#files[@]} -eq 1 ] && [ -f "${files[0]}" ] || broken "the release has no $1, or several"
  printf '%s\n' "${files[0]}"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^#define PPROFC_VERSION  *"\(.*\)"/\1/p' "$source/libpprofc/include/pprofc/base.h")

# works FOLDER: checks that the programs of the folder run, and print rows of a profile.
works() {
  for program in $programs; do
    [ "$("$1/$program" -version | sed -n '1s/^[a-z_]* //p')" = "$version" ] || broken "$1/$program -version"
  done
  (cd "$work" && "$1/pprofc" -top -symbolize=none "$profile" 2>/dev/null) | grep -q 'runtime.mallocgc$' || broken "$1/pprofc -top"
}

# documented FOLDER: checks that the folder has the manual pages and the documents.
documented() {
  for program in $programs; do [ -s "$1/share/man/man1/$program.1" ] || broken "no manual page of $program"; done
  [ -s "$1/share/doc/pprofc/docs/CI.md" ] && [ -s "$1/share/doc/pprofc/licenses/zlib1g-dev" ] || broken "no documents"
}

part_release() {
  need git dpkg-deb dpkg-shlibdeps python3 readelf strip
  git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "this is no clone with git"
  "$source/scripts/release.sh" -small "$build" "$release" >"$work/said" 2>&1 || broken "$(cat "$work/said")"
}

part_wheel() {
  need python3 readelf
  python3 -c 'import ensurepip, venv' 2>/dev/null || skip "no python3-venv"
  wheel=$(found 'pprofc-*.whl')
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -q --no-index "$wheel" 2>"$work/said" || broken "$(cat "$work/said")"
  works "$work/venv/bin"
  documented "$work/venv"
  cd "$work"
  cat >use.py <<'END'
import sys, pprofc
head = pprofc.open(sys.argv[1])
print(pprofc.__version__, head.top(1).rows[0].name, len(pprofc.diff(head, head).top().rows))
END
  [ "$(venv/bin/python -W error use.py "$profile")" = "$version runtime.mallocgc 0" ] || broken "the module"
  library=$(find venv -name libpprofc.so)
  needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.' -e '^libm\.' -e '^ld-linux' || true)
  [ -z "$needed" ] || broken "the library of the wheel needs $needed"
  venv/bin/pip uninstall -q -y pprofc
  left=$(find venv -name '*pprofc*')
  [ -z "$left" ] || broken "uninstalling leaves $left"
}

part_npm() {
  need npm node
  package=$(found 'pprofc-*.tgz')
  mkdir "$work/empty"
  cd "$work/empty"
  npm install --offline --no-audit --no-fund --cache "$work/cache" "$package" >"$work/said" 2>&1 || broken "$(cat "$work/said")"
  works "$work/empty/node_modules/.bin"
  npm install --offline --no-audit --no-fund --cache "$work/cache" -g --prefix "$work/global" "$package" >"$work/said" 2>&1 ||
    broken "$(cat "$work/said")"
  works "$work/global/bin"
  [ -s "$work/global/share/man/man1/pprofc.1" ] || broken "no manual page"
  documented "$(dirname "$(find "$work/global/lib" -name package.json)")"
  # The package for another processor fails before it starts a program.
  sed 's/"x64"/"mips"/; s/"arm64"/"mips"/' "$work/empty/node_modules/pprofc-linux-"*/package.json >"$work/package.json"
  mkdir "$work/other" && cd "$work/other" && tar -xzf "$package" && mv "$work/package.json" package/
  ! npm install --offline --no-audit --no-fund --cache "$work/cache" -g --prefix "$work/mips" ./package >"$work/said" 2>&1 || broken "mips"
  grep -q EBADPLATFORM "$work/said" || broken "$(cat "$work/said")"
}

# Checks that the options of CMake in a recipe are options of the project.
options_of() {
  for option in $(grep -o 'PPROFC_[A-Z_]*' "$1" | sort -u); do
    grep -q "^$option:" "$build/CMakeCache.txt" || broken "${1##*/}: CMake has no option $option"
  done
  sum=$(sha256sum <"$release/pprofc-$version.tar.gz" | cut -d ' ' -f 1)
  grep -q "$sum" "$1" || broken "${1##*/}: the sum of the source"
}

part_homebrew() {
  need ruby
  formula=$(found pprofc.rb)
  options_of "$formula"
  # The part of Homebrew that the formula uses. Runs the block `test` with the programs of the build.
  cat >"$work/formula.rb" <<'END'
require "pathname"
class Pathname
  def write(text) = File.write(self, text)
end
class Formula
  class << self
    attr_reader :checks, :said
    %i[desc homepage url sha256 license depends_on uses_from_macos].each { |name| define_method(name) { |*words| (@said ||= {})[name] = words } }
    def test(&block) = @checks = block
  end
  def bin = Pathname.new(ARGV[1])
  def testpath = Pathname.new(Dir.pwd)
  def version = Formula.const_get(:VERSION)
  def shell_output(line) = `#{line} 2>/dev/null`.tap { abort "failed: #{line}" unless $?.success? }
  def assert_match(text, said) = said.include?(text) || abort("no #{text} in: #{said}")
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=/prefix"]
  def system(*words) = puts(words.join(" "))
end
Formula::VERSION = ARGV[2]
load ARGV[0]
Pprofc.new.install
Pprofc.new.instance_eval(&Pprofc.checks)
END
  cd "$work"
  ruby -w formula.rb "$formula" "$build/bin" "$version" >said 2>&1 || broken "$(cat said)"
  grep -qx 'cmake -S . -B build .*-DCMAKE_INSTALL_PREFIX=/prefix' said && grep -qx 'cmake --install build' said || broken "$(cat said)"
}

part_nix() {
  need nix-instantiate
  recipe=$(found pprofc.nix)
  options_of "$recipe"
  export NIX_STATE_DIR=$work/state NIX_STORE_DIR=$work/store NIX_LOG_DIR=$work/log HOME=$work
  # Packages of nixpkgs become names. The expression must have a value, and use only packages in its arguments.
  names=$(sed -n 's/.*\[ \(.*\) \].*/\1/p' "$recipe" | tr ' ' '\n' | sed -n 's/^\(pkgs\.\)\{0,1\}\([a-z][A-Za-z0-9-]*\)$/\2/p' | sort -u)
  cat >"$work/pkgs.nix" <<END
{ stdenv.mkDerivation = all: all; fetchurl = all: "\${all.url} \${all.sha256}";
  lib = { licenses.asl20 = "Apache-2.0"; platforms.unix = [ ]; makeLibraryPath = builtins.concatStringsSep ":"; };
  $(for name in $names; do printf '%s = "%s"; ' "$name" "$name"; done) }
END
  nix-instantiate --eval --strict -E "import $recipe { pkgs = import $work/pkgs.nix; }" >"$work/said" 2>"$work/error" ||
    broken "$(cat "$work/error")"
  grep -q "version = \"$version\"" "$work/said" && grep -q "pprofc-$version.tar.gz $sum" "$work/said" || broken "$(cat "$work/said")"
}

# Runs the steps of the Containerfile that concern pprofc, in folders instead of an image.
part_container() {
  need sha256sum tar
  recipe=$(found Containerfile)
  architecture=$(basename "$(found 'pprofc-*-linux-*.tar.gz')" .tar.gz)
  files=$(sed -n 's|^COPY \(.*\) /tmp/$|\1|p' "$recipe" | sed "s/\${TARGETARCH}/${architecture##*-}/")
  line=$(sed -n 's|^RUN \(cd /tmp .*\)|\1|p' "$recipe" | sed "s|/tmp|$work/tmp|; s|/usr/local|$work/usr/local|")
  [ -n "$files" ] && [ -n "$line" ] || broken "the Containerfile has no steps"
  mkdir -p "$work/tmp" "$work/usr/local"
  # shellcheck disable=SC2086 # a list of words
  (cd "$release" && cp $files "$work/tmp/")
  sh -c "$line" || broken "$line"
  works "$work/usr/local/bin"
  documented "$work/usr/local"
  [ -z "$(ls "$work/tmp")" ] || broken "left in /tmp: $(ls "$work/tmp")"
}

part_module() {
  python=$source/.cache/pytest/bin/python
  [ -x "$python" ] || python=python3
  "$python" -c 'import pytest' 2>/dev/null || skip "no pytest"
  mkdir "$work/pprofc"
  cp "$source"/libpprofc/python/pprofc/* "$work/pprofc/"
  cp "$build/libpprofc/libpprofc.so" "$work/pprofc/"
  export PYTHONPATH=$work PPROFC=$build/bin/pprofc PYTHONDONTWRITEBYTECODE=1
  cd "$work"
  "$python" -m pytest -q -p no:cacheprovider "$source/tests/install/module.py"
}

part_types() {
  python=$source/.cache/pytest/bin/python
  [ -x "$python" ] || python=python3
  "$python" -c 'import mypy' 2>/dev/null || skip "no mypy"
  "$python" -m mypy --strict --cache-dir="$work" "$source/libpprofc/python/pprofc"
}

part_owner() {
  need git python3
  git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "this is no clone with git"
  cd "$source"
  local places=(. ':!scripts/set_owner.sh' ':!tests/install/packages.sh')
  # A published project must have its owner in all places.
  git grep -qE 'OWNER/pprofc|<this repository>' -- "${places[@]}" || return 0
  mkdir "$work/copy"
  (cd "$source" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -c) | tar -x -C "$work/copy"
  cd "$work/copy"
  git init -q . && git add -A
  set_owner=scripts/set_owner.sh
  for wrong in 'a/b' '' '-x' 'a|b'; do ! $set_owner "$wrong" >/dev/null 2>&1 || broken "an owner '$wrong'"; done
  ! $set_owner someone 'ftp://host' >/dev/null 2>&1 || broken "an address with ftp"
  git diff --quiet || broken "a refused name changes files"
  $set_owner a-longer-owner >"$work/said" || broken "set_owner.sh"
  left=$(git grep -nE 'OWNER/pprofc|<this repository>' -- "${places[@]}" || true)
  [ -z "$left" ] || broken "left: $left"
  grep -q 'uses: a-longer-owner/pprofc@v0' docs/CI.md && grep -q '"a-longer-owner/pprofc@v0"' tools/pprofci/init/init.c || broken "not set"
  grep -q 'git clone https://github.com/a-longer-owner/pprofc &&' README.md || broken "README.md"
  grep -q '"OWNER", "MEMBER"' tools/pprofci/assets/init_workflow.yml || broken "a word of GitHub is replaced"
  python3 -B tests/style/sizes.py >"$work/said" || broken "lines that are too long: $(cat "$work/said")"
  ! $set_owner other >"$work/said" 2>&1 || broken "an owner that is set"
  grep -q 'the owner is set' "$work/said" || broken "$(cat "$work/said")"
}

"part_$part"
echo "ok: $part"
