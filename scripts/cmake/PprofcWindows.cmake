# Windows: libpprofc/src/core/windows implements the functions of POSIX that Windows lacks. The programs are static, so
# that one file is enough. pprofc has no shell and no servers on Windows, and pprofci is not built.
set(windows ${PROJECT_SOURCE_DIR}/libpprofc/src/core/windows)
set(windows_headers ${PROJECT_BINARY_DIR}/windows)
foreach(header arpa/inet.h dlfcn.h ftw.h netinet/in.h poll.h sys/file.h sys/ioctl.h sys/mman.h sys/socket.h sys/wait.h)
  if(NOT EXISTS ${windows_headers}/${header})
    file(WRITE ${windows_headers}/${header} "")
  endif()
endforeach()
target_include_directories(pprofc_flags INTERFACE ${windows_headers})
target_compile_definitions(pprofc_flags INTERFACE _CRT_RAND_S PCRE2_STATIC)
# The compiler checks formats by the rules of another library, and macros of math.h convert double to float.
target_compile_options(pprofc_flags INTERFACE -include ${windows}/posix.h -Wno-attributes -Wno-format
  -Wno-float-conversion)
# Use only archives. With libz.dll.a, every program would need zlib1.dll.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
# Omit the time of the link, so that the same sources give the same bytes.
target_link_options(pprofc_flags INTERFACE -static -Wl,--no-insert-timestamp)
target_link_libraries(pprofc_flags INTERFACE ssp)
