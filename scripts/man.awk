# Converts the Markdown of docs/man to roff. Supports only the syntax that these pages use:
#   # name(section) -- one line     the title, first line of the page
#   ## SECTION, ### Subsection
#   - `-flag`=*value*               a list item whose text follows in lines indented by two blanks
#   two blanks and "- "             a line of its own in the text of a list item
#   lines indented by four blanks   copied unchanged
#   **bold**, *italic*, `code`
# Run with -v version=X.Y.Z.

# Returns text with escaped backslashes and leading dots, which have a meaning in roff.
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}

# Replaces each pair of `mark`, a fixed string, by font changes.
function paired(text, mark, font,    out, open, at) {
  out = ""
  open = 0
  while ((at = index(text, mark)) > 0) {
    out = out substr(text, 1, at - 1) (open ? "\\fR" : font)
    text = substr(text, at + length(mark))
    open = !open
  }
  return out text
}

function inline(text,    parts, count, i, out) {
  # Between backquotes, no other mark has a meaning.
  count = split(text, parts, "`")
  out = ""
  for (i = 1; i <= count; i++) {
    if (i % 2 == 0) {
      out = out "\\fB" escaped(parts[i]) "\\fR"
    } else {
      parts[i] = escaped(parts[i])
      parts[i] = paired(parts[i], "**", "\\fB")
      out = out paired(parts[i], "*", "\\fI")
    }
  }
  return out
}

function leave_verbatim() {
  if (verbatim) print ".fi\n.RE"
  verbatim = 0
}

NR == 1 {
  title = $0
  sub(/^# */, "", title)
  name = title
  sub(/\(.*/, "", name)
  section = title
  sub(/^[^(]*\(/, "", section)
  sub(/\).*/, "", section)
  sub(/^[^-]*-- */, "", title)
  printf ".TH %s %s \"\" \"%s %s\"\n", toupper(name), section, name, version
  print ".nh\n.ad l"
  printf ".SH NAME\n%s \\- %s\n", escaped(name), escaped(title)
  next
}

/^    / {
  if (!verbatim) print (blank ? ".PP\n" : "") ".RS 4\n.nf"
  verbatim = 1
  blank = 0
  text = escaped(substr($0, 5))
  print text
  next
}

/^$/ {
  if (verbatim) print ""
  else blank = 1
  next
}

{ leave_verbatim() }

/^## / {
  print ".SH " escaped(toupper(substr($0, 4)))
  blank = 0
  next
}

/^### / {
  print ".SS " escaped(substr($0, 5))
  blank = 0
  next
}

/^  - / {
  print ".br\n" inline(substr($0, 5))
  next
}

/^- / {
  print ".TP\n" inline(substr($0, 3))
  blank = 0
  next
}

{
  if (blank) print (/^  / ? ".IP" : ".PP")
  blank = 0
  sub(/^ +/, "")
  print inline($0)
}

END { leave_verbatim() }
