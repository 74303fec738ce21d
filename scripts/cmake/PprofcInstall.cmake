# Installs programs, both libraries, headers, files for pkg-config and find_package, manual pages, and shell completion.
include(CMakePackageConfigHelpers)

if(pprofc_programs)
  install(TARGETS ${pprofc_programs} RUNTIME)
endif()
if(WIN32)
  install(TARGETS pprofc_archive ARCHIVE)
  install(DIRECTORY libpprofc/include/pprofc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  return()
endif()
set_target_properties(pprofc_shared PROPERTIES EXPORT_NAME pprofc)
install(TARGETS pprofc_shared EXPORT pprofcTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/libpprofc/libpprofc.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY libpprofc/include/pprofc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Libraries that a program with the static library also links.
string(REPLACE ";" " " pprofc_requires_text "${pprofc_requires}")
list(TRANSFORM pprofc_private_libraries PREPEND "-l" OUTPUT_VARIABLE pprofc_libs_text)
string(REPLACE ";" " " pprofc_libs_text "${pprofc_libs_text}")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pprofc)
# A relative path, so that the tree may be moved.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(scripts/cmake/pprofc.pc.in pprofc.pc @ONLY)
configure_package_config_file(scripts/cmake/pprofcConfig.cmake.in pprofcConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(pprofcConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(FILES ${PROJECT_BINARY_DIR}/pprofc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/pprofcConfig.cmake ${PROJECT_BINARY_DIR}/pprofcConfigVersion.cmake
  DESTINATION ${package_folder})
install(EXPORT pprofcTargets NAMESPACE pprofc:: DESTINATION ${package_folder})

# Manual pages: an awk script converts docs/man/NAME.1.md.
find_program(AWK awk REQUIRED)
file(GLOB pages CONFIGURE_DEPENDS docs/man/*.1.md)
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WLE)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/man/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND ${AWK} -v version=${PROJECT_VERSION} -f ${PROJECT_SOURCE_DIR}/scripts/man.awk ${page}
            > ${PROJECT_BINARY_DIR}/man/${name}
    DEPENDS ${page} scripts/man.awk
    VERBATIM)
  list(APPEND man_pages ${PROJECT_BINARY_DIR}/man/${name})
endforeach()
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Section 3: a page for each public header, made from its comments, and for each function a page that refers to it.
file(GLOB headers CONFIGURE_DEPENDS libpprofc/include/pprofc/*.h)
list(FILTER headers EXCLUDE REGEX "/pprofc\\.h$")
foreach(header ${headers})
  get_filename_component(name ${header} NAME_WE)
  set(page ${PROJECT_BINARY_DIR}/man/pprofc_${name}.3)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND ${AWK} -v version=${PROJECT_VERSION} -v name=pprofc_${name} -f ${PROJECT_SOURCE_DIR}/scripts/man3.awk ${header}
            > ${page}
    DEPENDS ${header} scripts/man3.awk
    VERBATIM)
  list(APPEND man3_pages ${page})
  # Find the functions at configure time. A changed header configures again.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  execute_process(COMMAND ${AWK} -v names=1 -f ${PROJECT_SOURCE_DIR}/scripts/man3.awk ${header}
    OUTPUT_VARIABLE functions OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" functions "${functions}")
  list(REMOVE_ITEM functions pprofc_${name}) # the function pprofc_report has the page of its header
  foreach(function ${functions})
    file(WRITE ${PROJECT_BINARY_DIR}/man/${function}.3 ".so man3/pprofc_${name}.3\n")
    list(APPEND man3_functions ${PROJECT_BINARY_DIR}/man/${function}.3)
  endforeach()
endforeach()
install(FILES ${man3_pages} ${man3_functions} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
add_custom_target(man ALL DEPENDS ${man_pages} ${man3_pages})

install(FILES docs/SKILL.md DESTINATION ${CMAKE_INSTALL_DATADIR}/pprofc)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Builds all files that are installed, without the tests.
add_custom_target(installed DEPENDS ${pprofc_programs} pprofc_shared pprofc_archive man)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/scripts/cmake/uninstall.cmake VERBATIM)
endif()

# Each program prints its own shell completion, unless it was built for another machine.
function(pprofc_install_completion program shell folder file)
  set(made ${PROJECT_BINARY_DIR}/completion/${shell}/${file})
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/completion/${shell}\")
    execute_process(COMMAND \"$<TARGET_FILE:${program}>\" -completion=${shell}
      OUTPUT_FILE \"${made}\" ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      file(INSTALL \"${made}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${folder}\")
    endif()")
endfunction()
foreach(program ${pprofc_programs})
  pprofc_install_completion(${program} bash bash-completion/completions ${program})
  pprofc_install_completion(${program} zsh zsh/site-functions _${program})
  pprofc_install_completion(${program} fish fish/vendor_completions.d ${program}.fish)
endforeach()
