# pprofc_embed(output files...): makes a C file that holds each file as bytes, `const unsigned char asset_NAME[]` and
# `const size_t asset_NAME_size`, and its SHA-256 in hex, `const char asset_NAME_sha256[]`. NAME is the file's name with
# all but letters and digits as underscores.
function(pprofc_embed output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${ARGN}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    COMMENT "Embedding assets"
    VERBATIM)
endfunction()

# pprofc_concatenate(output files...): one file of several, in that order.
function(pprofc_concatenate output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E cat ${ARGN} > ${output}
    DEPENDS ${ARGN}
    COMMENT "Joining scripts")
endfunction()
