# A toolchain file: zig for PPROFC_CROSS_HOST, x86_64-freebsd or aarch64-macos, with the libraries in PPROFC_CROSS_ROOT. The folder
# PPROFC_CROSS_ROOT/zig has the commands cc, ar and ranlib, which call zig (tests/install/foreign.sh).
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
set(CMAKE_SYSTEM_NAME FreeBSD)
if(PPROFC_CROSS_HOST MATCHES macos)
  set(CMAKE_SYSTEM_NAME Darwin)
  # CMake searches this tool of Apple, which only an installation needs.
  set(CMAKE_INSTALL_NAME_TOOL true)
endif()
set(CMAKE_C_COMPILER ${PPROFC_CROSS_ROOT}/zig/cc)
set(CMAKE_AR ${PPROFC_CROSS_ROOT}/zig/ar)
set(CMAKE_RANLIB ${PPROFC_CROSS_ROOT}/zig/ranlib)
