# Turns the Markdown of docs/man into roff. It knows what those pages use and no more:
#   # name(section) -- one line     the title, first line of the page
#   ## SECTION, ### Subsection
#   - `-flag`=*value*               a list item whose text follows in lines indented by two blanks
#   lines indented by four blanks   shown as they are
#   **bold**, *italic*, `code`
# Run with -v version=X.Y.Z.

# Text that stands on its own: backslashes and leading dots mean something to roff.
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}

# Replaces each pair of `mark` by font changes. `mark` is a fixed string, not an expression.
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
  # Inside backquotes nothing else has a meaning.
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
