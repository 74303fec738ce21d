# The target static_programs builds the static programs and the shared library of a release; `all`
# does not build it. The target links the objects of the programs with the archives of the
# libraries. The static programs contain libedit, which the other programs load when they need it.
# They also contain libcurl and libmicrohttpd if PPROFC_STATIC_PREFIX has their archives, which
# scripts/release.sh builds.
set(PPROFC_STATIC_PREFIX "" CACHE PATH "folder with lib/libcurl.a and lib/libmicrohttpd.a for the static programs")

# pprofc_static_table(FILE PREFIX FOLDER): writes a line for each function X(PREFIX, NAME) in FOLDER that library_load loads.
function(pprofc_static_table file prefix folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.[ch])
  set(names "")
  foreach(source ${sources})
    file(STRINGS ${source} lines REGEX "X\\([A-Za-z_]*, [A-Za-z0-9_]+\\)")
    string(REGEX MATCHALL "X\\([A-Za-z_]*, [A-Za-z0-9_]+\\)" found "${lines}")
    list(TRANSFORM found REPLACE "X\\(([A-Za-z_]*), ([A-Za-z0-9_]+)\\)" "\\1\\2")
    list(APPEND names ${found})
    if(lines)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endif()
  endforeach()
  list(FILTER names INCLUDE REGEX "^${prefix}")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(TRANSFORM names REPLACE "(.+)" "FUNCTION(\\1)\n")
  string(REPLACE ";" "" text "${names}")
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

set(static_generated ${PROJECT_BINARY_DIR}/static)
add_library(static_loading STATIC EXCLUDE_FROM_ALL tools/common/static/library.c)
target_include_directories(static_loading PRIVATE tools libpprofc/src libpprofc/include ${static_generated})
target_link_libraries(static_loading PRIVATE pprofc_flags)

# The archives that exist. An archive may need the archives after it.
set(static_archives "")
macro(pprofc_static_part name library)
  if(EXISTS ${PPROFC_STATIC_PREFIX}/lib/${library}.a)
    target_compile_definitions(static_loading PRIVATE STATIC_${name}=1)
    target_include_directories(static_loading SYSTEM BEFORE PRIVATE ${PPROFC_STATIC_PREFIX}/include)
    list(APPEND static_archives ${PPROFC_STATIC_PREFIX}/lib/${library}.a ${ARGN})
  endif()
endmacro()
if(PPROFC_STATIC_PREFIX)
  pprofc_static_part(LIBMICROHTTPD libmicrohttpd)
  pprofc_static_part(LIBCURL libcurl -lssl -lcrypto -lcares -lz)
endif()
pprofc_static_table(${static_generated}/static_curl.h curl_ tools)
pprofc_static_table(${static_generated}/static_microhttpd.h MHD_ tools)
pprofc_static_table(${static_generated}/static_edit.h "(el_|histor)" tools/pprofc/shell)
if(LIBEDIT_FOUND)
  target_compile_definitions(static_loading PRIVATE STATIC_LIBEDIT=1)
  list(APPEND static_archives -ledit -ltinfo -lbsd -lmd)
endif()
set(library_archives "")
foreach(part LIBDEFLATE:-ldeflate PCRE2:-lpcre2-8)
  string(REPLACE ":" ";" part ${part})
  list(GET part 0 name)
  if(${name}_FOUND)
    list(GET part 1 option)
    list(APPEND library_archives ${option})
  endif()
endforeach()
if(PPROFC_OPTIONAL AND LIBIBERTY_INCLUDE AND LIBIBERTY_LIBRARY)
  list(APPEND library_archives ${LIBIBERTY_LIBRARY})
endif()
list(APPEND library_archives -lprotobuf-c -lz)
list(APPEND static_archives ${library_archives} -lm -ldl -lpthread)

# The shared library of the wheel, static/libpprofc.so. It needs only the C library.
add_library(static_shared SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:pprofc_objects>)
set_target_properties(static_shared PROPERTIES OUTPUT_NAME pprofc LIBRARY_OUTPUT_DIRECTORY ${static_generated})
target_link_options(static_shared PRIVATE -Wl,-z,relro,-z,now -Wl,--exclude-libs,ALL
  -Wl,--version-script=${PROJECT_BINARY_DIR}/libpprofc/pprofc.map -Wl,-Map=${static_generated}/libpprofc.map)
target_link_libraries(static_shared PRIVATE -Wl,-Bstatic ${library_archives} -Wl,-Bdynamic -lm -ldl -lpthread)

# Joins all objects of a program into one, in which all names but main are local, because libedit has functions with
# equal names. With -u, the linker finds library_load of static_loading before the function of
# libpprofc. The map of the linker lists the archives that it used, for the release's list of parts.
add_custom_target(static_programs DEPENDS static_shared)
foreach(program ${pprofc_programs})
  set(parts $<TARGET_FILE:${program}_parts>)
  if(program STREQUAL pprofc)
    list(APPEND parts $<TARGET_FILE:pprofc_interactive>)
  elseif(program STREQUAL pprofci)
    list(APPEND parts $<TARGET_FILE:pprofc_parts> $<TARGET_FILE:parse_bench_regressions_parts>)
  endif()
  list(APPEND parts $<TARGET_FILE:tool_common> $<TARGET_FILE:pprofc_static>)
  add_library(static_main_${program} STATIC EXCLUDE_FROM_ALL tools/${program}/main.c)
  target_link_libraries(static_main_${program} PRIVATE ${program}_parts pprofc_flags)
  list(PREPEND parts $<TARGET_FILE:static_main_${program}>)
  set(joined ${static_generated}/${program}.o)
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${joined} -Wl,-u,main,-u,library_load -Wl,--start-group $<TARGET_FILE:static_loading> ${parts} -Wl,--end-group
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=main ${joined}
    DEPENDS static_loading static_main_${program} ${parts}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining ${program}.o")
  add_executable(static_${program} EXCLUDE_FROM_ALL ${joined})
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(static_${program} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${static_generated}/bin)
  target_link_options(static_${program} PRIVATE -static-pie -Wl,-z,relro,-z,now -Wl,-Map=${static_generated}/${program}.map)
  target_link_libraries(static_${program} PRIVATE ${static_archives})
  add_dependencies(static_programs static_${program})
endforeach()
