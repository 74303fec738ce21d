#!/bin/sh
# Builds libcurl and libmicrohttpd as archives: static_libraries.sh SOURCES PREFIX HOST [SYSROOT]. libcurl has HTTP
# only, with OpenSSL and c-ares; libmicrohttpd has no TLS. SOURCES has the source packages, PREFIX gets the archives,
# and HOST is autoconf's name of the machine. The archives in Debian need libraries that Debian lacks as archives.
set -eu
. "$(dirname "$0")/../scripts/lib.sh"
sources=$(cd "$1" && pwd) prefix=$2 host=$3 sysroot=${4:-}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
work=$prefix/.build
flags="-g0 -O2 -fPIC -ffile-prefix-map=$work=/build"
if [ -n "$sysroot" ]; then
  flags="$flags -isystem $sysroot/usr/include -isystem $sysroot/usr/include/$host"
  LDFLAGS="-L$sysroot/usr/lib/$host"
fi
export LDFLAGS="-static ${LDFLAGS:-}"
# The script keeps only the archives, and runs no program that configure creates.
export CC="$host-gcc" AR="$host-ar" RANLIB="$host-ranlib" CFLAGS="$flags" PKG_CONFIG=false

# unpack NAME: unpacks the source of the package, with Debian's changes.
unpack() {
  rm -rf "${work:?}/$1"
  (cd "$work" && dpkg-source --no-check -x "$sources/$1"_*.dsc "$1") >>"$work/log" 2>&1
}
# make_library NAME OPTION...: configures, builds and installs the folder lib or src/microhttpd.
make_library() {
  name=$1 part=$2
  shift 2
  say "building $name for $host"
  unpack "$name"
  (
    cd "$work/$name" &&
      ./configure -q --host="$host" --prefix="$prefix" --enable-static --disable-shared --disable-dependency-tracking "$@" &&
      make -s -j "$(processors)" -C "$part" &&
      make -s -C "$part" install &&
      { [ ! -d include ] || make -s -C include install; }
  ) >>"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    die "the build of $name failed; all it said is in $work/log"
  }
  mkdir -p "$prefix/share"
  cp "$work/$name/debian/copyright" "$prefix/share/$name.copyright"
  sed -n 's/^Version: //p' "$sources/$name"_*.dsc | head -n 1 >"$prefix/share/$name.version"
}
mkdir -p "$work"
: >"$work/log"
make_library libmicrohttpd src/microhttpd --disable-https --disable-doc --disable-examples --disable-curl
make_library curl lib --with-openssl --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --enable-ares --enable-ipv6 \
  --disable-dict --disable-file --disable-ftp --disable-gopher --disable-imap --disable-ldap --disable-ldaps --disable-mqtt \
  --disable-pop3 --disable-rtsp --disable-smb --disable-smtp --disable-telnet --disable-tftp --disable-manual --disable-alt-svc \
  --disable-ntlm --without-brotli --without-zstd --without-libidn2 --without-libpsl --without-librtmp --without-nghttp2 \
  --without-libssh2 --without-gssapi
[ ! -d "$prefix/include/curl" ] || rm -rf "$work"
