#!/usr/bin/env bash
# Tests verdicts on functions from several runs per side: functions.sh SOURCE PROGRAMS. Checks the page, the manifest,
# -fail-on, and a merged run.
set -eu
. "$(dirname "$0")/common.sh"
pprofci=$PPROFC_BIN/pprofci
CI_PROFILES=$pprofci
command -v python3 >/dev/null || {
  echo "skipped: no python3"
  exit 77
}

# Writes runs of a program with 14 functions that vary a little, as folded stacks. f1 is the largest function. In the
# head main.f3 takes 60 % more, main.f9 is renamed to main.g9, and main.f12 is new.
runs() { # FOLDER FIRST LAST HEAD
  local r
  mkdir -p "$1"
  for ((r = $2; r <= $3; r++)); do
    awk -v r=$r -v head="$4" 'BEGIN {
      for (i = 1; i <= 14; i++) {
        n = int(4000 / i) + (r * 7 * i) % 23; name = "main.f" i
        if (head && i == 3) n = int(n * 1.6)
        if (head && i == 9) name = "main.g9"
        if (head || i != 12) print "main.main;main.call" i % 4 ";" name " " n
      }
    }' >"$1/run$r.folded"
  done
}
runs base/cpu 1 5 ''
runs head/cpu 6 10 1
runs same/cpu 6 10 ''
echo 'how it was made' >head/cpu/README

# manifest FOLDER EXPRESSION: evaluates a Python expression, with the manifest as m, its first pair as p and the
# comparison of this pair as c.
manifest() { # FOLDER EXPRESSION
  python3 -c 'import json, sys
m = json.load(open(sys.argv[1] + "/manifest.json")); p = m["pairs"][0]; c = p["comparisons"][0]
rows = {row["function"]: row for row in c["functions"]}
sys.exit(not eval(sys.argv[2]))' "$1" "$2" || broken "not so in $1: $2"
}

run 0 run -base base -head head -out o/ci
has messages "skipped 'head/cpu/README': not a profile"
there o/ci/runs/cpu/base/run1.folded o/ci/runs/cpu/head/run10.folded o/ci/cpu_diff_top.txt o/ci/profiles/cpu_base.pb.gz
manifest o/ci '(c["base_runs"], c["head_runs"], c["weak"], p["runs"]["folder"]) == (5, 5, False, "runs/cpu")'
manifest o/ci 'p["runs"]["head"] == ["run%d.folded" % i for i in range(6, 11)]'
manifest o/ci '[row["function"] for row in c["because"]][0] == "main.f3" and c["because"][0]["verdict"] == "grew"'
manifest o/ci 'all(row["low"] < row["delta"] < row["high"] and row["q"] < 0.05 for row in c["because"])'
manifest o/ci 'rows["main.f12"]["verdict"] == "new" and rows["main.f9"]["changed"] and rows["main.f9"]["partner"] == "main.g9"'
manifest o/ci 'rows["main.f1"]["verdict"] == "unchanged" and not rows["main.f1"]["changed"] and c["smallest_change"] == ""'
manifest o/ci 'abs(c["environment"] + c["rest"] + sum(r["delta"] for r in c["functions"] if r["changed"]) - c["total_delta"]) < 1e-6'
has o/ci/flame/cpu_diff.html 'functions changed'
has o/ci/flamegraphs/cpu_diff.svg 'q &lt; 0.0001'
grep -q 'q &lt; 0.0001' o/ci/flamegraphs/cpu_head.svg && broken "a side alone has verdicts"
# The pictures of base and head have no verdicts. The picture of the difference has the verdicts of the file.
python3 - <<'END' || broken "the picture in the page has no verdicts"
import base64, re
page = open("o/ci/index.html", encoding="utf-8").read()
pictures = [base64.b64decode(text).decode() for text in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)]
assert len(pictures) == 3, len(pictures)
for picture, said in zip(pictures, (False, False, True)):
    assert ("q &lt; 0.0001" in picture) == said, picture[:2000]
def color(name):
    return re.search(f'fg:name="{re.escape(name)}".*?<rect[^>]* fill="([^"]+)"', pictures[2], re.DOTALL).group(1)
assert color("main.f1") == color("main.f2") != color("main.f3"), [color(name) for name in ("main.f1", "main.f2", "main.f3")]
assert "grey: noise, not judged or unchanged" in page
END
ok "several runs a side: what grew, what is new, what was renamed, and the rest is noise"

# Splits a function into two that together grow. Page, summary and manifest must show the sum of both parts, like the
# terminal. If the sum did not grow, the split is one row.
split() { # FOLDER FIRST LAST FUNCTION HELPER
  local r
  mkdir -p "$1"
  for ((r = $2; r <= $3; r++)); do
    awk -v r=$r -v f="$4" -v helper="$5" 'BEGIN {
      for (i = 1; i <= 30; i++) print "main;run;lib.fn" i " " 80 + (r * 7 * i) % 17
      print "main;run;svc.f " f + (r * 5) % 13
      if (helper) print "main;run;svc.f;svc.help " helper + (r * 3) % 11
    }' >"$1/run$r.folded"
  done
}
split nets/base/grown 1 5 900 0
split nets/head/grown 6 10 350 900
split nets/base/moved 1 5 900 0
split nets/head/moved 6 10 350 550
run 0 run -base nets/base -head nets/head -out nets/ci
for name in grown moved; do
  "$PPROFC_BIN/pprofc" -noise -top -diff_base=nets/base/$name nets/head/$name 2>/dev/null | sed -n 's/.* inside svc.f: \(net .*\) (.*/\1/p' >nets/$name
  [ -s nets/$name ] || broken "the terminal has no net of $name"
done
for file in index.html summary.md manifest.json; do has nets/ci/$file "Grew inside svc.f: $(cat nets/grown)."; done
manifest nets/ci 'c["because"] and all(row["delta"] > 0 for row in c["because"])'
python3 - <<'END' || broken "a split function is not one row with its net"
import json, re
rows = [r for p in json.load(open("nets/ci/manifest.json"))["pairs"] for r in p["comparisons"][0]["functions"] if r["function"] == "svc.f"]
assert [r["verdict"] for r in rows] == ["shrank", "moved"], rows
row = rows[1]
assert (row["verdict"], row["partner"]) == ("moved", "svc.help"), row
delta, half = re.match(r"net (\S+) ±(\S+) of", open("nets/moved", encoding="utf-8").read()).groups()
assert abs(row["delta"] - float(delta)) < 0.1 and abs((row["high"] - row["low"]) / 2 - float(half)) < 0.1, (row, delta, half)
page = open("nets/ci/index.html", encoding="utf-8").read()
assert re.search(r"<code>svc\.f</code>.*moved <span class=\"place\">svc\.help</span>", page), "page"
END
ok "the net of functions between which cost moved"

# The command in the manifest prints the same rows.
(cd o/ci && PATH=$PPROFC_BIN:$PATH eval "$(python3 -c 'import json; print(json.load(open("manifest.json"))["pairs"][0]["comparisons"][0]["command"].replace("-blame", "-blame -json", 1))')" 2>/dev/null) >blame.json
python3 - <<'END' || broken "pprofc -blame says something else"
import json
c = json.load(open("o/ci/manifest.json"))["pairs"][0]["comparisons"][0]
blame = json.load(open("blame.json"))["blame"]
assert {row["name"]: row["delta"] for row in blame["rows"]} == {
    row["function"]: row["delta"] for row in c["functions"] if row["changed"] and not row["partner"]}, blame
assert blame["total"]["delta"] == c["total_delta"] and blame["rest"]["delta"] == c["rest"]
END
run 0 run -pair base/cpu/ head/cpu -out o/ci
there o/ci/runs/cpu/base/run1.folded
manifest o/ci '[row["function"] for row in c["because"]][0] == "main.f3"'
ok "the command of the manifest, and two folders as -pair"

run 0 run -base base -head same -out o/ci
manifest o/ci 'c["changed"] == 0 and not c["because"] and not p["own"] and "smallest detectable change" in c["smallest_change"] and c["runs_for_5"] > 0'
mkdir one_base one_head
cp base/cpu/run1.folded one_base/cpu.folded
cp head/cpu/run6.folded one_head/cpu.folded
run 0 run -base one_base -head one_head -out o/ci
manifest o/ci 'c["weak"] and (c["base_runs"], c["head_runs"]) == (1, 1) and "runs" not in p'
not_there o/ci/runs/cpu/base/run1.folded
ok "nothing changed: what could have been seen; one run a side is weak"

# ---- conditions ------------------------------------------------------------------------------------------------------

run 2 run -base base -head head -out o/ci -fail-on 'flat>2%'
has output "-fail-on='flat>2%': main.f3 grew by +"
manifest o/ci 'm["regressions"][0]["title"] == "-fail-on=flat>2%" and "main.f3" in m["regressions"][0]["message"]'
has output REGRESSION
manifest o/ci 'm["conclusion"] == "bad" and m["fired"][0]["functions"][0]["function"] == "main.f3" and "main.f3 grew by" in m["headline"]'
run 0 run -base base -head head -out o/ci -fail-on 'flat>2%' -no-fail
run 0 run -base base -head head -out o/ci -fail-on 'flat>50%'
has output 'no regression'
manifest o/ci 'm["conclusion"] == "good" and m["fired"] == [] and m["verdict"] == "no regression"'
run 0 run -base base -head same -out o/ci -fail-on 'flat>0%' -fail-on 'cum>0%'
run 2 run -base base -head head -out o/ci -fail-on 'flat>50%' -fail-on 'name=f12$'
has output "-fail-on='name=f12\$': main.f12 new by +"
run 1 run -base base -head head -out o/ci -fail-on 'flat>10ms'
has output "-fail-on='flat>10ms': no function could be judged"
manifest o/ci 'm["conclusion"] == "bad" and m["headline"] == "The functions could not be judged."'
run 1 run -base base -head head -out none -fail-on 'flat>x'
has messages "-fail-on='flat>x' is not a condition"
run 1 run -base base -head head -out none -fail-on 'name=('
has messages "-fail-on='name=(': "
run 1 run -base base -head head -out none -fail-on ''
has messages '-fail-on is empty'
not_there none
cat >rules.json <<'END'
{"accept": [{"function": "^main\\.f3$", "reason": "checks each word now", "until": "2999-01-31"}]}
END
run 0 run -base base -head head -out o/ci -fail-on 'flat>2%,name=f3$' -noise-rules rules.json
has output 'accepted until 2999-01-31 (checks each word now): main.f3 grew by +'
run 1 run -base base -head head -out o/none -noise-rules no-such-rules.json
has messages "cannot read 'no-such-rules.json'"
echo '{' >rules.json
run 0 run -base base -head head -out o/ci -noise-rules rules.json
manifest o/ci 'c["note"] != "" and not c["functions"]'
ok "-fail-on and its exit status; accepted functions; what cannot be judged"

# ---- many pairs ------------------------------------------------------------------------------------------------------

# Conditions over several comparisons use the level of one comparison.
run 2 run -base base -head head -out legs/one/ci -fail-on 'flat>2%'
run 0 run -base base -head same -out legs/two/ci -fail-on 'flat>2%'
run 2 merge -out all/ci legs/one/ci legs/two/ci
has output "one: -fail-on='flat>2%': main.f3 grew in cpu_diff"
manifest all/ci '[row["function"] for row in c["because"]][0] == "main.f3" and c["base_runs"] == 5 and rows["main.f9"]["partner"] == "main.g9"'
manifest all/ci 'm["fired"][0]["condition"] == "flat>2%" and m["conclusion"] == "bad"'
run 0 merge -out all/ci legs/two/ci
ok "a merged run has the verdicts of its jobs"

# The command removes artifacts of an earlier run.
run 0 run -base base -head head -out o/ci
rm -r base head
mkdir base head
cp one_base/cpu.folded base/other.folded
cp one_head/cpu.folded head/other.folded
run 0 run -base base -head head -out o/ci
not_there o/ci/runs/cpu/base/run1.folded o/ci/cpu_diff_top.txt
ok "runs of an earlier result are removed"
