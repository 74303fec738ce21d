# The programs are linked with the archives of the libraries that every start would load (zlib, protobuf-c, libdeflate, PCRE2), where
# the shared library has its archive beside it: a start is then 0.3 ms shorter. Our libraries and tests take the shared ones.
# Packages of a distribution, whose libraries are updated on their own, turn PPROFC_LINK_ARCHIVES off, or take the programs of the target
# packaged_programs, which is not part of all.
option(PPROFC_LINK_ARCHIVES "link the programs with the archives of libraries, where they are: a shorter start" ON)
include(CheckCSourceCompiles)

# pprofc_link(target library): pprofc_libraries link the target, whose file is the library; programs that have the property
# PPROFC_ARCHIVES link the archive beside it.
function(pprofc_link target library)
  string(REGEX REPLACE "\\.so$" ".a" archive "${library}")
  if(PPROFC_LINK_ARCHIVES AND archive MATCHES "\\.a$" AND EXISTS "${archive}")
    target_link_libraries(pprofc_libraries INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:PPROFC_ARCHIVES>>,${archive},${target}>)
    set_property(GLOBAL APPEND PROPERTY pprofc_archives ${archive})
  else()
    target_link_libraries(pprofc_libraries INTERFACE ${target})
  endif()
endfunction()

# pprofc_check_archives(): PPROFC_ARCHIVES is what the property of programs is set to: on where a program as the compiler makes it can
# have the archives. Those that are not position-independent cannot be in one that is.
function(pprofc_check_archives)
  set(PPROFC_ARCHIVES OFF PARENT_SCOPE)
  get_property(archives GLOBAL PROPERTY pprofc_archives)
  if(NOT archives OR PPROFC_SANITIZE)
    return()
  endif()
  list(TRANSFORM archives REPLACE "(.+)" "-Wl,--whole-archive;\\1;-Wl,--no-whole-archive" OUTPUT_VARIABLE whole)
  set(CMAKE_REQUIRED_LIBRARIES ${whole} Threads::Threads m)
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("int main(void) { return 0; }" PPROFC_ARCHIVES_LINK)
  if(PPROFC_ARCHIVES_LINK)
    set(PPROFC_ARCHIVES ON PARENT_SCOPE)
  else()
    message(STATUS "the archives of libraries cannot be linked with programs: the shared ones are")
  endif()
endfunction()

# pprofc_packaged(program source): the program with the shared libraries, in packaged/bin, where the other one has archives.
function(pprofc_packaged program source)
  if(NOT TARGET packaged_programs)
    add_custom_target(packaged_programs)
  endif()
  if(NOT PPROFC_ARCHIVES)
    return()
  endif()
  add_executable(packaged_${program} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(packaged_${program} PRIVATE ${${program}_has} ${program}_parts pprofc_flags)
  set_target_properties(packaged_${program} PROPERTIES OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/packaged/bin)
  add_dependencies(packaged_programs packaged_${program})
endfunction()
