# Links the programs with the archives of the libraries that every start would load (zlib, protobuf-c, libdeflate, PCRE2), if an archive is
# next to the shared library. This makes each start 0.3 ms shorter. The libraries and tests of the project use shared libraries. A
# distribution updates libraries separately, so its packages turn PPROFC_LINK_ARCHIVES off, or take the programs of the target
# packaged_programs, which `all` does not build.
option(PPROFC_LINK_ARCHIVES "link the programs with the archives of libraries, where they are: a shorter start" ON)
include(CheckCSourceCompiles)

# pprofc_link(target library): links pprofc_libraries with the target of the library file `library`. Programs with the property
# PPROFC_ARCHIVES link the archive next to this file instead.
function(pprofc_link target library)
  string(REGEX REPLACE "\\.so$" ".a" archive "${library}")
  if(PPROFC_LINK_ARCHIVES AND archive MATCHES "\\.a$" AND EXISTS "${archive}")
    target_link_libraries(pprofc_libraries INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:PPROFC_ARCHIVES>>,${archive},${target}>)
    set_property(GLOBAL APPEND PROPERTY pprofc_archives ${archive})
  else()
    target_link_libraries(pprofc_libraries INTERFACE ${target})
  endif()
endfunction()

# pprofc_check_archives(): sets PPROFC_ARCHIVES, the value of the programs' property, to ON if the compiler can link the archives into a
# program. A position-independent program cannot contain archives that are not position-independent.
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

# pprofc_packaged(program source): builds the program with shared libraries in packaged/bin, if the other one has archives.
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
