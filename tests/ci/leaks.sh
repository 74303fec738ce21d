#!/usr/bin/env bash
# Tests `pprofci leaks` on recorded programs: some leak, and some only seem to leak.
# shellcheck source=tests/ci/common.sh
. "$(dirname "$0")/common.sh"
export PPROF_BINARY_PATH=$testdata/leaks/native
cp -r "$testdata/leaks" recorded

# leaks STATUS ARGUMENT...: runs pprofci leaks. Writes its output and messages to the files `output` and `messages`.
leaks() {
  local wanted=$1
  status=0
  shift
  "$PPROFC_BIN/pprofci" leaks "$@" >"$work/output" 2>"$work/messages" || status=$?
  [ "$status" = "$wanted" ] || broken "pprofci leaks $*: status $status, not $wanted"
}
line() { # TEXT...: one line of the output must have all texts
  local rest
  rest=$(cat "$work/output")
  for text; do rest=$(grep -F -e "$text" <<<"$rest") || broken "no line with '$*'"; done
}
no_line() {
  ! grep -q -e "$1" "$work/output" || broken "the output has '$1'"
}

leaks 2 recorded/goroutines
line "LEAK: 1 place grows without end, main.waitForAnswer main.go:"
line leak goroutine 400 +320 +40 main.waitForAnswer
ok "goroutines that leak"

leaks 2 recorded/map
line "LEAK: 1 place" main.newSession
line "leak " heap "main.newSession main.go:" "< main.leakInMap"
no_line "sawtooth"
ok "a map that leaks slowly, beside much garbage"

leaks 0 recorded/cache
line "no leak"
line "1 steady" "a leak is seen from"
no_line "cache that stopped"
ok "nine profiles cannot show that a cache stopped"

leaks 0 recorded/sawtooth
line "no leak"
line sawtooth main.newRecord
ok "a sawtooth"

for kind in gperftools jemalloc; do
  leaks 2 recorded/$kind
  line "LEAK: 1 place" remember
  [ $kind = jemalloc ] || line "cache that stopped" load_entry
  no_line "scratch"
  ok "a C program, $kind"
done

# Profiles have the order of the times in them, whatever their names are. Without times, numbers in names decide.
mkdir mixed
i=20
for file in recorded/map/*; do cp "$file" "mixed/$i.pb.gz" && i=$((i - 1)); done
leaks 2 mixed
line "LEAK: 1 place" main.newSession
mkdir numbered
i=1
for file in recorded/gperftools/*; do cp "$file" "numbered/leaky.$((i + 4)).heap" && i=$((i + 1)); done
leaks 2 numbered
ok "the order is that of the times, else of the names"

# Reads heap and goroutines from the folders of a capture. The warm-up is not read.
mkdir -p set/heap/warmup set/goroutine/warmup
cp recorded/map/heap-0[3-9]* set/heap/ && cp recorded/map/heap-0[12]* set/heap/warmup/
cp recorded/goroutines/goroutine-0[3-9]* set/goroutine/
cp "$testdata/server_cpu.pb.gz" set/cpu.pb.gz
leaks 2 -warmup 0 -json -folded folded.txt set
python3 - "$work/output" <<'P' || broken "the JSON is wrong"
import json, sys
d = json.load(open(sys.argv[1]))
kinds = {k["kind"]: k for k in d["kinds"]}
assert d["leaks"] == 2 and set(kinds) == {"heap", "goroutine"}, d
for k in kinds.values():
    assert k["judged"] == 7 and k["left_out"] == 0 and k["order"] == "time", k
    assert 0.1 < k["interval_seconds"] < 2, k["interval_seconds"]
    row = k["rows"][0]
    assert row["verdict"] == "leak" and len(row["values"]) == 7 and row["p_adjusted"] < 0.05, row
    assert row["last"] - row["first"] == row["per_interval"] * 6
assert kinds["heap"]["rows"][0]["where"]["function"] == "main.newSession"
assert [f["function"] for f in kinds["heap"]["rows"][0]["stack"]][:2] == ["main.newSession", "main.leakInMap"]
P
has folded.txt "heap;net/http.(*conn).serve;"
grep -qE '^goroutine;main.waitForAnswer;.* 240$' folded.txt || broken "folded goroutines"
has "$work/messages" "skipped 1 profile"
ok "two kinds, JSON, folded stacks"

# The page has the sentence of the table, a chart for each row, and the flame graphs.
leaks 2 -warmup 0 -top 1 -html leaks.html set
has leaks.html "2 places grow without end, first main.waitForAnswer: goroutine 120 → 360, +40 per profile."
has leaks.html "1 more rows; see -top"
[ "$(grep -c '<template data-graph' leaks.html)" = 2 ] || broken "flame graphs of two kinds"
leaks 1 -html no/such/folder/leaks.html set
has "$work/messages" "no/such/folder/leaks.html"
mkdir long
for f in set/goroutine/*; do cp "$f" "long/aääääääääääääääää${f##*/}"; done
leaks 2 -warmup 0 -html leaks.html long
has leaks.html '>aäääääääääää<'
ok "a page"

# Reads the whole folder of a capture, whose sides contain a folder for each kind.
mkdir capture capture/head && mv set capture/head/set
leaks 2 -warmup 0 capture
has "$work/output" "2 places grow"
mkdir capture/base
leaks 1 capture
has "$work/messages" "has the profiles of base and head; pass one of its folders"
ok "folders in folders, and one side of a capture"

# Too few profiles for a verdict, and files that are not profiles.
mkdir few && cp recorded/map/heap-0[12]* few/
leaks 1 few
line "nothing to judge"
line "heap: not judged, 2 profiles are too few: 3 are needed"
leaks 1 few "$testdata/server_b_goroutine.pb.gz"
mkdir none && echo text >none/notes.txt && cp "$testdata/server_cpu.pb.gz" none/
leaks 1 none
has "$work/messages" "no heap or goroutine profiles among the inputs"
has "$work/messages" "skipped 'none/notes.txt': not a profile"
mkdir bad && cp recorded/map/heap-0[1-5]* bad/ && head -c 300 recorded/map/heap-06.pb.gz >bad/heap-06.pb.gz
leaks 1 bad
[ "$(wc -l <"$work/messages")" = 1 ] || broken "more than a line of messages"
leaks 1 there-is-no-such-folder
leaks 1
leaks 1 -floor -1 few
leaks 1 -ignore '(' few
ok "what cannot be judged is status 1"

# A difference of two profiles does not show the memory in use.
"$PPROFC_BIN/pprofc" -proto -symbolize=none -diff_base recorded/map/heap-09.pb.gz -output delta.pb.gz recorded/map/heap-01.pb.gz \
  >"$work/output" 2>&1
mkdir delta && for n in 1 2 3; do cp delta.pb.gz delta/heap-$n.pb.gz; done
leaks 1 delta
has "$work/messages" "it is a difference of two profiles"
ok "differences are refused"

# After a restart of the program, the total of allocations falls.
leaks 0 recorded/map/heap-0[2-4]* recorded/cache
line "heap: 9 profiles" "without the first 4 (the program was restarted)"
line "no leak"
ok "what came before a restart is left out"

# A leak that the garbage collector found. Then a line with many stacks that each grow by less than the floor.
printf '%s\n' 'goroutineleak profile: total 2' '2 @ 0x1001 0x2001' >proved.txt
leaks 2 -json -folded folded.txt proved.txt
has "$work/output" '"proved":true'
leaks 2 proved.txt
line "LEAK: 1 place"
line "leak " "goroutineleak" "(proved by the garbage collector)"
mkdir site
for k in 1 2 3 4 5 6 7 8; do
  { echo "goroutine profile: total 100" && for c in 11 22 33 44 55 66 77 88; do echo "$((k + 3)) @ 0x1001 0x20$c"; done; } >site/g$k.txt
done
leaks 2 -folded folded.txt site
line "leak " goroutine "+48" "(8 stacks)"
[ "$(wc -l <folded.txt)" = 8 ] || broken "the stacks of a site"
ok "proved leaks, and sites"

# The built-in list of ignored functions, and a list of the user.
leaks 0 -ignore '^main\.newSession$' recorded/map
leaks 0 -floor 1000000 recorded/map
leaks 0 -list-ignored
python3 - "$work/output" "$source/docs/LEAKS.md" <<'P' || broken "docs/LEAKS.md and the list differ"
import sys
list_, doc = (open(name).read() for name in sys.argv[1:])
doc = doc.replace("\\|", "|")
rows = list_.splitlines()
for head, pattern in zip(rows[::2], rows[1::2]):
    kind, why = head.split(": ", 1)
    if kind in ("heap", "counts"):
        assert f"| {kind} | `{pattern.strip()}` | " in doc, pattern
P
ok "the ignore list is documented"
