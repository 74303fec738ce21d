# A Homebrew formula that builds the source of the release. In a tap: brew install NAME/TAP/pprofc
class Pprofc < Formula
  desc "Compares profiles and benchmarks, and says how certain a difference is"
  homepage "https://github.com/OWNER/pprofc"
  url "https://github.com/OWNER/pprofc/releases/download/v@VERSION@/pprofc-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "isa-l"
  depends_on "libdeflate"
  depends_on "libmicrohttpd"
  depends_on "pcre2"
  depends_on "protobuf-c"
  depends_on "xxhash"

  uses_from_macos "curl"
  uses_from_macos "libedit"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DPPROFC_BUILD_TESTS=OFF", "-DPPROFC_LINK_ARCHIVES=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"stacks.folded").write "main;work 3\nmain;rest 1\n"
    assert_match "75.00%", shell_output("#{bin}/pprofc -top stacks.folded")
    assert_match version.to_s, shell_output("#{bin}/pprofci -version")
  end
end
