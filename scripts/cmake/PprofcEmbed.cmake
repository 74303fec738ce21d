# pprofc_embed(output files...): makes a C file that holds each file as bytes, `const unsigned char asset_NAME[]` and
# `const size_t asset_NAME_size`, where NAME is the file's name with dots and dashes as underscores.
function(pprofc_embed output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${ARGN}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    COMMENT "Embedding assets"
    VERBATIM)
endfunction()
