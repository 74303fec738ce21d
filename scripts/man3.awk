# Converts a public header to a manual page of section 3. The first comment is the description, the rulers become
# sections, and each declaration follows the comment above it. Run with -v version=X.Y.Z -v name=pprofc_profile. With -v
# names=1, only prints the functions of the header, one per line: each gets a page that refers to this page.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}

# Returns text with `code` in bold.
function marked(text,    parts, count, i, out) {
  count = split(text, parts, "`")
  out = ""
  for (i = 1; i <= count; i++) out = out (i % 2 == 0 ? "\\fB" parts[i] "\\fR" : parts[i])
  return out
}

# Returns the words of a comment without its marks.
function words(text) {
  gsub(/^[ \t]*\/\*+ ?|[ \t]*\*+\/[ \t]*$/, "", text)
  sub(/^ \* ?/, "", text)
  return text
}

function print_comment(    i, text) {
  for (i = 1; i <= comment_lines; i++) {
    text = words(comment[i])
    if (text ~ /^ *$/) print ".PP"
    else if (text ~ /^  +/) print ".br\n" marked(escaped(text))
    else print marked(escaped(text))
  }
  comment_lines = 0
}

function print_code(    i, in_function) {
  if (!code_lines) return
  in_function = code[1] ~ /^PPROFC_API /
  print ".PP\n.RS 4\n.nf"
  for (i = 1; i <= code_lines; i++) {
    # Remove PPROFC_API, and move continuation lines as far to the left.
    if (!sub(/^PPROFC_API /, "", code[i]) && in_function) sub(/^           /, "", code[i])
    print escaped(code[i])
  }
  print ".fi\n.RE\n.PP"
  code_lines = 0
}

function flush() {
  if (!described && comment_lines) {
    first = words(comment[1])
    sentence = first
    for (i = 2; i <= comment_lines && sentence !~ /[.:]( |$)/; i++) sentence = sentence " " words(comment[i])
    sub(/[.:]( .*)?$/, "", sentence)
    if (!names) {
      printf ".TH %s 3 \"\" \"pprofc %s\"\n.nh\n.ad l\n", toupper(name), version
      printf ".SH NAME\n%s \\- %s\n", escaped(name), escaped(tolower(substr(sentence, 1, 1)) substr(sentence, 2))
      printf ".SH SYNOPSIS\n.nf\n#include <pprofc/%s.h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs pprofc)\n.fi\n", substr(name, 8)
      print ".SH DESCRIPTION"
      print_comment()
      print ".SH DECLARATIONS"
    }
    comment_lines = 0
    described = 1
    return
  }
  if (!code_lines) return
  if (!names) {
    print_comment()
    print_code()
  }
  comment_lines = code_lines = 0
}

# PPROFC_API begins the declaration of a function, whose name is the last word before the first parenthesis.
/^PPROFC_API/ {
  if (names) {
    text = $0
    while (text !~ /\(/ && (getline line) > 0) text = text " " line
    sub(/\(.*/, "", text)
    sub(/.*[ *]/, "", text)
    print text
    next
  }
}
names { next }

/^\/\* ---- / {
  flush()
  title = $0
  gsub(/^\/\* -+ *| *-*[ ]*(\*\/)? *$/, "", title)
  print ".SS " escaped(toupper(substr(title, 1, 1)) substr(title, 2))
  if ($0 !~ /\*\//) ruler = 1
  next
}
ruler { if (/\*\//) ruler = 0; next }

/^#ifdef __cplusplus/ { skip = 3; if (described) flush() }
skip > 0 { skip--; next }
/^#(ifndef|include|endif|if |else)/ || /^#define PPROFC_[A-Z]+_H$/ { next }

/^\/\*/ && !in_code { flush(); in_comment = 1 }
in_comment {
  comment[++comment_lines] = $0
  if (/\*\//) in_comment = 0
  next
}

/^ *$/ { if (!in_code) { flush(); comment_lines = 0 } else code[++code_lines] = $0; next }

{
  code[++code_lines] = $0
  in_code = 0
  depth += gsub(/\{/, "{") - gsub(/\}/, "}")
  if (depth > 0) in_code = 1
}

END {
  if (names) exit
  flush()
  print ".SH SEE ALSO"
  print "pprofc(1), pprofc_base(3), pprofc_profile(3), pprofc_samples(3), pprofc_builder(3), pprofc_transform(3), pprofc_symbolize(3),"
  print "pprofc_graph(3), pprofc_report(3), pprofc_stats(3), pprofc_bench(3), pprofc_gate(3)"
}
