# Defines functions that download packages without changing the packages and lists of this machine. A script sources
# this file with $architecture and $folder, an absolute path. private_apt runs apt-get for the architecture, with
# package lists in the folder. apt verifies all downloads. private_sources NAME... unpacks the sources of these packages
# into folders of the same names.
# shellcheck shell=sh
apt=$folder/.apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs" "$folder/sources" "$folder/usr/lib"
touch "$apt/status"
# The mirrors of this machine, for binaries of the architecture and for sources.
# shellcheck source=/dev/null disable=SC2016
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(SITE)' 'Created-By: Packages' | sort -u |
  awk -v code="$codename" '$2 == code || index($2, code "-") == 1 {
    print "deb", $1, $2, "main"; print "deb-src", $1, $2, "main" }' >"$apt/sources.list"
[ -s "$apt/sources.list" ] || die "apt of this machine knows no mirror of $codename"

private_apt() {
  apt-get -q -o Acquire::Retries=3 -o Acquire::Languages=none -o Dir::State="$apt" -o Dir::State::Lists="$apt/lists" \
    -o Dir::State::Status="$apt/status" -o Dir::Cache="$apt/cache" -o Dir::Etc::SourceList="$apt/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User= -o APT::Architecture="$architecture" \
    -o APT::Architectures="$architecture" "$@" >"$apt/log" 2>&1 || {
    tail -n 20 "$apt/log" >&2
    die "apt-get $1 failed for $architecture"
  }
}

private_sources() {
  # A mirror may lack the newest sources of security updates. The sources of the release then replace them.
  (cd "$folder/sources" && private_apt source --download-only "$@") || {
    rm -f "$folder/sources"/*
    (cd "$folder/sources" && private_apt source --download-only --target-release "$codename" "$@") || exit 1
  }
  for name in "$@"; do
    rm -rf "${folder:?}/$name"
    dpkg-source --no-check -x "$folder/sources/${name}"_*.dsc "$folder/$name" >>"$folder/log" 2>&1
  done
}
