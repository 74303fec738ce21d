# Reads lines of the form "typed|expected", and types each with a tab into an interactive zsh. Skips lines with several
# proposals, because zsh then keeps the line unchanged.
zmodload zsh/zpty || exit 77
zpty -b shell env TERM=dumb zsh -f -i
send() { zpty -w -n shell "$1" }
# receive PATTERN: reads until the output has the pattern, at most five seconds.
receive() {
  local piece
  output=
  for (( n = 0; n < 500; n++ )); do
    if zpty -r -t shell piece; then output+=$piece; else sleep 0.01; fi
    [[ $output == ${~1} ]] && return 0
  done
  return 1
}
send $'PS1= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste prompt_cr 2>/dev/null; bindkey -e; setopt no_auto_menu no_list_beep\n'
send $'for p in pprofc benchstatc parse_bench_regressions pprofci; do source <($p -completion=zsh); done; print -r -- REA""DY\n'
receive '*READY*' || { print "zsh did not start: $output"; exit 1 }
wrong=0
while IFS='|' read -r typed expected; do
  [[ $expected == *'fastlocal force' ]] && continue
  before=${typed% mem.prof} after=${typed#${typed% mem.prof}}
  # The script types the text after the cursor first, and then moves the cursor to the start of the line.
  send $'\C-u'"$after"$'\C-a'"$before"$'\t'
  sleep 0.3
  send $'\C-aprint -r -- "GOT<\C-e>END"\n'
  receive '*GOT<*>END'$'\r*' || { print "$typed: no answer: $output"; wrong=1; continue }
  got=${${output##*GOT<}%%>END*}
  got=${got%% #}
  # zsh adds the = of a flag when the user types the value, and the = of a value at once.
  [[ ${${got//  / }%=} == ${expected%=} ]] || { print -r -- "$typed: got '$got', expected '$expected'"; wrong=1 }
done
zpty -d shell
exit $wrong
