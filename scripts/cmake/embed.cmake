# Writes OUTPUT, a C file with the bytes of FILES. Run by pprofc_embed.
set(text "/* Generated from the files named below. */\n#include <stddef.h>\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol ${name})
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND text "\n/* ${name} */\nextern const unsigned char asset_${symbol}[];\nextern const size_t asset_${symbol}_size;\n"
    "const unsigned char asset_${symbol}[] = {\n${bytes}0};\nconst size_t asset_${symbol}_size = ${size};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
