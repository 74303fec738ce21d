# A Nix expression that builds the source of the release: nix-build pprofc.nix
{ pkgs ? import <nixpkgs> { } }:

let
  linked = with pkgs; [ libdeflate libiberty pcre2 protobufc xxHash zlib ];
  # The programs load these libraries by name at their first use.
  loaded = with pkgs; [ curl isa-l libedit libmicrohttpd sqlite ];
in
pkgs.stdenv.mkDerivation rec {
  pname = "pprofc";
  version = "@VERSION@";

  src = pkgs.fetchurl {
    url = "https://github.com/OWNER/pprofc/releases/download/v${version}/pprofc-${version}.tar.gz";
    sha256 = "@SHA256@";
  };

  nativeBuildInputs = [ pkgs.cmake pkgs.pkg-config pkgs.protobufc ];
  buildInputs = linked ++ loaded;
  NIX_LDFLAGS = "-rpath ${pkgs.lib.makeLibraryPath loaded}";
  dontPatchELF = true;
  cmakeFlags = [ "-DPPROFC_BUILD_TESTS=OFF" "-DPPROFC_LINK_ARCHIVES=OFF" ];

  meta = {
    description = "Compares profiles and benchmarks, and says how certain a difference is";
    homepage = "https://github.com/OWNER/pprofc";
    license = pkgs.lib.licenses.asl20;
    mainProgram = "pprofc";
    platforms = pkgs.lib.platforms.unix;
  };
}
