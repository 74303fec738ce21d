#!/bin/sh
# Unpacks libraries for another architecture from this machine's Debian into a folder: sysroot.sh ARCHITECTURE FOLDER.
# The sources of libcurl and libmicrohttpd go to FOLDER/sources. apt uses separate package lists and verifies all
# downloads. Packages and lists of this machine stay the same.
set -eu
. "$(dirname "$0")/../scripts/lib.sh"
architecture=$1 folder=$2

packages="zlib1g-dev libprotobuf-c-dev libdeflate-dev libpcre2-dev libxxhash-dev libiberty-dev libedit-dev libbsd-dev libmd-dev
libncurses-dev libssl-dev libc-ares-dev libcurl4-openssl-dev libmicrohttpd-dev libisal-dev libc6-dev linux-libc-dev"
sources="curl libmicrohttpd"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
. "$(dirname "$0")/apt.sh"
private_apt update
# shellcheck disable=SC2086 # lists of words
(cd "$apt/debs" && rm -f ./*.deb && private_apt download $packages)
# shellcheck disable=SC2086
(cd "$folder/sources" && private_apt source --download-only $sources)
for deb in "$apt/debs"/*.deb; do
  dpkg-deb -x "$deb" "$folder"
  # The list of files with their packages: PATH PACKAGE VERSION SOURCE.
  name=$(dpkg-deb -W --showformat='${Package} ${Version} ${source:Package}' "$deb")
  dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n "s|^\.\(/.*[^/]\)\$|\1 $name|p"
done >"$folder/files.new"
# libmicrohttpd is used without TLS, so its module must not require gnutls.
sed -i "/^Requires.private:/d" "$folder"/usr/lib/*/pkgconfig/libmicrohttpd.pc
mv "$folder/files.new" "$folder/files"
