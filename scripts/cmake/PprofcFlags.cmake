# Compiler flags of all targets: warnings, hardening, sanitizers.
add_library(pprofc_flags INTERFACE)

# Support files of 2 GiB and dates after 2038 also on 32-bit machines, and lgamma_r on macOS.
target_compile_definitions(pprofc_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64 _TIME_BITS=64 _REENTRANT)
# With PPROFC_ROOMS, several files are one unit, so a local name may equal a name of another file.
set(warn_shadow -Wshadow)
if(PPROFC_ROOMS)
  set(warn_shadow)
endif()
target_compile_options(pprofc_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion ${warn_shadow} -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off -fno-strict-aliasing
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
# Avoid the x87, which computes with 80 bits, so that the last digits of reports would differ.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "86|AMD64")
  target_compile_options(pprofc_flags INTERFACE -msse2 -mfpmath=sse)
endif()
if(PPROFC_WERROR)
  target_compile_options(pprofc_flags INTERFACE -Werror)
endif()

if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT PPROFC_SANITIZE)
  target_compile_options(pprofc_flags INTERFACE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  if(NOT WIN32 AND NOT APPLE)
    target_link_options(pprofc_flags INTERFACE -Wl,-z,relro,-z,now)
  endif()
endif()

if(PPROFC_SANITIZE)
  target_compile_options(pprofc_flags INTERFACE
    -fsanitize=${PPROFC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  # In instrumented code, gcc does not see all assignments.
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    target_compile_options(pprofc_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(pprofc_flags INTERFACE -fsanitize=${PPROFC_SANITIZE})
endif()
if(PPROFC_BUILD_FUZZERS)
  target_compile_options(pprofc_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(pprofc_flags INTERFACE PPROFC_FUZZING) # core/threshold.h
endif()
