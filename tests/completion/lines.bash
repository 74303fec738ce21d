# Reads lines of the form "typed|expected". Splits the words at blanks and =, as bash does. The typed line may have text
# after the cursor.
for program in pprofc benchstatc parse_bench_regressions pprofci; do
  source <("$program" -completion=bash) || exit 1
done
wrong=0
while IFS='|' read -r typed expected; do
  before=${typed% mem.prof} after=${typed#"${typed% mem.prof}"}
  read -r -a COMP_WORDS <<<"${before//=/ = }"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  [ -z "$after" ] || COMP_WORDS+=("${after# }")
  COMPREPLY=()
  "_${COMP_WORDS[0]}"
  got="${before%"${COMP_WORDS[COMP_CWORD]}"}${COMPREPLY[*]}$after"
  [ "$got" = "$expected" ] || { printf '%s: got "%s", expected "%s"\n' "$typed" "$got" "$expected"; wrong=1; }
done
exit $wrong
