# Copies the script INPUT to OUTPUT without indentation and comment lines. pprofc_viewer runs this script.
file(READ ${INPUT} text)
string(REGEX REPLACE "\n +" "\n" text "${text}")
string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
file(WRITE ${OUTPUT} "${text}")
