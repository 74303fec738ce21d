# Reads lines of the form "typed|expected", and prints how fish completes the end of each line. fish completes only the
# end of a line, so this script moves the text after the cursor to the front.
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
    # fish prints the whole word, a tab and a description, in alphabetical order.
    set -l offers (complete -C $typed | string replace -r '\t.*' '')
    set -l got (string replace -r '\S*$' '' -- $typed)(string join ' ' -- $offers)
    # Other shells add the = of a flag. If there are several proposals, they print only the parts that differ. An = at
    # the end does not count.
    set got (string replace -r '=$' '' -- $got)
    set expected (string replace 'fastlocal force' 'fastlocal -symbolize=force' -- (string replace -r '=$' '' -- $expected))
    if test "$got" != "$expected"
        printf '%s: got "%s", expected "%s"\n' $typed $got $expected
        set wrong 1
    end
end
exit $wrong
