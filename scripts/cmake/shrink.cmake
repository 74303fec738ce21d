# Writes OUTPUT, the script INPUT without indentation and without lines that are comments. Run by pprofc_viewer.
file(READ ${INPUT} text)
string(REGEX REPLACE "\n +" "\n" text "${text}")
string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
file(WRITE ${OUTPUT} "${text}")
