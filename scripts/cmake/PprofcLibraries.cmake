# Finds the libraries. Required: zlib, protobuf-c (with protoc-c), threads. The others are optional: `pprofc -version`
# names the missing ones, and an option that needs a missing library reports this.
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
find_program(PROTOC_C protoc-c REQUIRED)

# The same libraries for pprofc.pc and pprofcConfig.cmake: pkg-config modules, and bare library names.
set(pprofc_requires zlib libprotobuf-c)
set(pprofc_private_libraries pthread m)

add_library(pprofc_libraries INTERFACE)
include(PprofcArchives)
pprofc_link(ZLIB::ZLIB "${ZLIB_LIBRARIES}")
pprofc_link(PkgConfig::PROTOBUF_C "${pkgcfg_lib_PROTOBUF_C_protobuf-c}")
target_link_libraries(pprofc_libraries INTERFACE Threads::Threads m)

# pprofc_optional(NAME module): defines HAVE_NAME and links the library if it is installed.
function(pprofc_optional name module)
  if(PPROFC_OPTIONAL)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
    if(${name}_FOUND)
      list(GET ${name}_LIBRARIES 0 library)
      pprofc_link(PkgConfig::${name} "${pkgcfg_lib_${name}_${library}}")
      target_compile_definitions(pprofc_libraries INTERFACE HAVE_${name}=1)
      set(pprofc_requires ${pprofc_requires} ${module} PARENT_SCOPE)
    else()
      message(STATUS "optional library not found: ${module}")
    endif()
  endif()
endfunction()

pprofc_optional(LIBDEFLATE libdeflate)
pprofc_optional(PCRE2 libpcre2-8)
pprofc_check_archives()

# ISA-L decompresses large profiles. The build needs only its header; pprofc loads the library for such a profile.
if(PPROFC_OPTIONAL)
  find_path(ISAL_INCLUDE isa-l/igzip_lib.h)
  if(ISAL_INCLUDE)
    target_compile_definitions(pprofc_libraries INTERFACE HAVE_ISAL=1)
    target_link_libraries(pprofc_libraries INTERFACE ${CMAKE_DL_LIBS})
  else()
    message(STATUS "optional library not found: libisal")
  endif()
endif()

if(PPROFC_OPTIONAL)
  find_path(XXHASH_INCLUDE xxhash.h)
  if(XXHASH_INCLUDE)
    target_compile_definitions(pprofc_libraries INTERFACE HAVE_XXHASH=1)
  endif()
  find_path(LIBIBERTY_INCLUDE libiberty/demangle.h)
  find_library(LIBIBERTY_LIBRARY NAMES iberty libiberty_pic.a)
  if(LIBIBERTY_INCLUDE AND LIBIBERTY_LIBRARY)
    target_link_libraries(pprofc_libraries INTERFACE ${LIBIBERTY_LIBRARY})
    target_compile_definitions(pprofc_libraries INTERFACE HAVE_LIBIBERTY=1)
    list(APPEND pprofc_private_libraries iberty)
  endif()
endif()

# Libraries of the programs: a server for -http, line editing for the shell, sources over HTTP.
add_library(tool_libraries INTERFACE)
target_link_libraries(tool_libraries INTERFACE ${CMAKE_DL_LIBS})

# pprofc_tool_optional(NAME module): defines HAVE_NAME for the programs. Uses only the headers, because the programs
# load the library when they need it (core/library.h).
function(pprofc_tool_optional name module)
  if(PPROFC_OPTIONAL)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
    if(${name}_FOUND)
      target_include_directories(tool_libraries SYSTEM INTERFACE ${${name}_INCLUDE_DIRS})
      target_compile_definitions(tool_libraries INTERFACE HAVE_${name}=1)
    else()
      message(STATUS "optional library not found: ${module}")
    endif()
  endif()
endfunction()

pprofc_tool_optional(LIBMICROHTTPD libmicrohttpd)
pprofc_tool_optional(LIBEDIT libedit)
pprofc_tool_optional(LIBCURL libcurl)
pprofc_tool_optional(SQLITE3 sqlite3)
