# Reads "typed|expected" lines; fish says what it would make of the end of each. A line goes on behind no word here: fish completes
# lines up to their end, so what stands behind the cursor is put before it.
for program in pprofc benchstatc parse_bench_regressions pprofci
    $program -completion=fish | source; or exit 1
end
set wrong 0
while read -l line
    set -l parts (string split '|' -- $line)
    set -l typed $parts[1]
    set -l expected $parts[2]
    if string match -q '* mem.prof' -- $typed
        set typed (string replace -r '^(.*) (\S+) mem.prof$' '$1 mem.prof $2' -- $typed)
        set expected (string replace -r '^(.*) (\S+) mem.prof$' '$1 mem.prof $2' -- $expected)
    end
    # The whole word stands before the tab that parts it from its meaning; several in the order of the alphabet.
    set -l offers (complete -C $typed | string replace -r '\t.*' '')
    set -l got (string replace -r '\S*$' '' -- $typed)(string join ' ' -- $offers)
    # Other shells put the = of a flag behind it, and of several answers show what is different. An = at the end does not count.
    set got (string replace -r '=$' '' -- $got)
    set expected (string replace 'fastlocal force' 'fastlocal -symbolize=force' -- (string replace -r '=$' '' -- $expected))
    if test "$got" != "$expected"
        printf '%s: got "%s", expected "%s"\n' $typed $got $expected
        set wrong 1
    end
end
exit $wrong
