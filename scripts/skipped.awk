# Prints the tests that ctest skipped, with one line "names: reason" for each reason. Reads Testing/Temporary/LastTest.log, then the output
# of ctest. A skipped test prints "skipped: REASON". A test that skips a part prints "PART: skipped, REASON".
function note(name, reason) {
  if (reason in names) {
    names[reason] = names[reason] ", " name
  } else {
    names[reason] = name
    order[++count] = reason
  }
  told[name] = 1
}
/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
/^Output:$/ { inside = 1 }
/^<end of output>$/ { inside = 0 }
inside && /(^|[ :])skipped[:,]/ {
  sub(/^skipped: /, "")
  note(name, $0)
}
/^\t *[0-9]+ - .* \(Disabled\)$/ { note($3, "an optional library was not found when it was built") }
/^\t *[0-9]+ - .* \(Skipped\)$/ { if (!($3 in told)) note($3, "it did not say why") }
END {
  for (i = 1; i <= count; i++) print names[order[i]] ": " order[i]
}
