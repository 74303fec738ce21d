# -DPPROFC_ROOMS=ON compiles all files of a folder together, so that the compiler reads each header once. Builds for
# checks without optimization do so. Other builds compile each file alone, so that it includes all headers that it needs.
option(PPROFC_ROOMS "compile all files of a folder together, for faster builds" OFF)

# pprofc_rooms(target): makes one unit of each folder of the target's files. Generated files stay alone.
function(pprofc_rooms target)
  if(NOT PPROFC_ROOMS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "^${CMAKE_CURRENT_SOURCE_DIR}/(.*)/[^/]*\\.c$")
      string(MAKE_C_IDENTIFIER ${CMAKE_MATCH_1} room)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
