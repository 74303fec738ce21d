# pprofc_embed(output files...): creates a C file with the bytes of each file, `const unsigned char asset_NAME[]` and
# `const size_t asset_NAME_size`, and their SHA-256 in hex, `const char asset_NAME_sha256[]`. NAME is the file's name,
# with '_' for all characters except letters and digits.
function(pprofc_embed output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${ARGN}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    COMMENT "Embedding assets"
    VERBATIM)
endfunction()

# pprofc_concatenate(output files...): joins the files in this order.
function(pprofc_concatenate output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E cat ${ARGN} > ${output}
    DEPENDS ${ARGN}
    COMMENT "Joining scripts")
endfunction()

# pprofc_embed_packed(folder files...): writes the files to FOLDER/assets.c, compressed by gzip if it is installed.
# FOLDER/table.c lists them: `const struct web_asset web_assets[]`, `const size_t web_asset_count`.
find_program(PPROFC_GZIP gzip)
function(pprofc_embed_packed folder)
  set(packed)
  set(names)
  set(rows)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol ${name})
    set(symbol asset_${symbol}_gz)
    if(PPROFC_GZIP)
      set(pack ${PPROFC_GZIP} -9 -n -c ${file})
    else()
      set(pack ${CMAKE_COMMAND} -E cat ${file})
    endif()
    add_custom_command(
      OUTPUT ${folder}/packed/${name}.gz
      COMMAND ${pack} > ${folder}/packed/${name}.gz
      DEPENDS ${file}
      COMMENT "Packing ${name}")
    list(APPEND packed ${folder}/packed/${name}.gz)
    string(APPEND names "extern const unsigned char ${symbol}[];\nextern const size_t ${symbol}_size;\n"
      "extern const char ${symbol}_sha256[];\n")
    string(APPEND rows "    {\"${name}\", ${symbol}, &${symbol}_size, ${symbol}_sha256},\n")
  endforeach()
  pprofc_embed(${folder}/assets.c ${packed})
  file(GENERATE OUTPUT ${folder}/table.c CONTENT
    "#include \"web/routes.h\"\n\n${names}\nconst struct web_asset web_assets[] = {\n${rows}    {0}};\nconst size_t web_asset_count = sizeof web_assets / sizeof *web_assets - 1;\n")
endfunction()

# pprofc_script(output files...): joins scripts into one script whose names are local.
function(pprofc_script output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E echo "(() => {" > ${output}
    COMMAND ${CMAKE_COMMAND} -E cat ${ARGN} >> ${output}
    COMMAND ${CMAKE_COMMAND} -E echo "})()$<SEMICOLON>" >> ${output}
    DEPENDS ${ARGN}
    COMMENT "Joining scripts"
    VERBATIM)
endfunction()

# pprofc_viewer(output folder): joins the scripts of the viewer, without comments.
function(pprofc_viewer output folder)
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*.js)
  pprofc_script(${output}.whole ${scripts})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${output}.whole -DOUTPUT=${output} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/shrink.cmake
    DEPENDS ${output}.whole ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/shrink.cmake
    COMMENT "Removing comments of the viewer"
    VERBATIM)
endfunction()
