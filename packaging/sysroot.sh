#!/bin/sh
# sysroot.sh ARCHITECTURE FOLDER: the libraries of this machine's Debian for another architecture, unpacked into FOLDER, and the
# sources of libcurl and libmicrohttpd in FOLDER/sources. apt checks what it fetches, with lists of its own: neither packages
# nor lists of this machine change.
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
  # Which package a file is of: PATH PACKAGE VERSION SOURCE.
  name=$(dpkg-deb -W --showformat='${Package} ${Version} ${source:Package}' "$deb")
  dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n "s|^\.\(/.*[^/]\)\$|\1 $name|p"
done >"$folder/files.new"
# libmicrohttpd is used without TLS: its module shall not ask for gnutls.
sed -i "/^Requires.private:/d" "$folder"/usr/lib/*/pkgconfig/libmicrohttpd.pc
mv "$folder/files.new" "$folder/files"
