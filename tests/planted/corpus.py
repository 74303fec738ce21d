"""Programs in six languages with planted changes, and functions that record their profiles.

A change replaces one text of one file. CHANGES has changes of one line, in ten functions of four languages. PAIRS has
comparisons with a known answer.
"""
import os
import shutil
import subprocess

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")

# Source files of each language, and their paths in its project.
FILES = {
    "go": {"shop.go": "main.go", "rules.go": "rules/rules.go"},
    "c": {"shop.c.txt": "shop.c"},  # the style tests do not check this file as C
    "c++": {"shop.cc": "shop.cc"},
    "rust": {"shop.rs": "shop.rs"},
    "python": {"shop.py": "shop.py", "rules.py": "rules.py"},
    "node": {"shop.js": "shop.js", "rules.js": "node_modules/rules/index.js"},
}
RUNS = 5
ROUNDS = {"go": 5000, "c": 4000, "c++": 2500, "rust": 2500, "python": 1200, "node": 900}

CHANGES = {
    "go": [
        ("parse", 'strings.Split(line, ",")', "strings.FieldsFunc(line, func(c rune) bool { return c == ',' })"),
        ("index", "found[r.Item] += r.Count", 'found[strings.Join([]string{r.Item, r.ID}, "")] += r.Count'),
        ("total", "rows[i].Price * (rows[i].Count ^ k)", "rows[i].Price % (rows[i].Count ^ k | 1)"),
        ("lookup", "if wanted[r.Item] {", "if wanted[fmt.Sprint(r.Item)] {"),
        ("render", "out.WriteString(strconv.Itoa(r.Count))", 'out.WriteString(fmt.Sprintf("%d", r.Count))'),
        ("clean", "strings.ToUpper(r.Item)", "strings.ToUpper(strings.Repeat(r.Item, 3))"),
        ("order", "return keys[a].Price < keys[b].Price", "return fmt.Sprint(keys[a].Price) < fmt.Sprint(keys[b].Price)"),
        ("encode", "json.Marshal(r)", 'json.MarshalIndent(r, "", " ")'),
        ("price", "rules.Discount(r.Count, 20)", "rules.Discount(r.Count, 160)"),
        ("checksum", "value = value*31 + uint32(text[i])", "value = (value*31 + uint32(text[i])) % (65521 + value%2)"),
    ],
    "c++": [
        ("parse", "atoi(&line[b + 1])", "(int)std::stod(line.substr(b + 1) + \"e0\")"),
        ("index", "found[row.item] += row.count;", 'found[row.item + "/with/a/long/suffix"] += row.count;'),
        ("total", "(row.price * (row.count ^ k)) % 7;", "(row.price * (row.count ^ k)) % (7 + (k & 1));"),
        ("lookup", "wanted.count(row.id);", "wanted.count(row.id + row.item + row.id);"),
        ("render", "std::to_string(row.count);", "std::to_string((double)row.count);"),
        ("clean", "std::string word = row.item;", "std::string word = row.item + row.item + row.item;"),
        ("order", "std::sort(keys.begin(), keys.end());", "std::make_heap(keys.begin(), keys.end()), std::sort_heap(keys.begin(), keys.end());"),
        ("encode", '\\"count\\":%d}", row.item.c_str(), row.count);', '\\"count\\":%g}", row.item.c_str(), row.count / 3.0);'),
        ("price", "discount(row.count, 30);", "discount(row.count, 160);"),
        ("checksum", "% 65521;", "% (65521 + (value & 1));"),
    ],
    "rust": [
        ("parse", "line.split(',').collect();", "line.split(|c: char| c == ',' || c.is_whitespace()).collect();"),
        ("index", "or_insert(0) += row.count;", "or_insert(0) += row.item.chars().rev().filter(|c| c.is_alphabetic()).count() as i64;"),
        ("total", "(row.count ^ black_box(k)) % 7;", "(row.count ^ black_box(k)) % black_box(7);"),
        ("lookup", "wanted.contains_key(row.id.as_str())", 'wanted.contains_key(&format!("{}-{}", row.item, row.id))'),
        ("render", "out.push_str(&row.item);", 'out.push_str(&row.item.replace("-", "/"));'),
        ("clean", "row.item.to_uppercase().len()", "row.item.repeat(3).to_uppercase().len()"),
        ("order", "keys.sort_unstable();", "keys.sort_by_cached_key(|key| key.to_string());"),
        ("encode", "text.push(black_box(c) as char);", "text.insert(0, black_box(c) as char);"),
        ("price", "discount(row.count, 30);", "discount(row.count, 160);"),
        ("checksum", "% 65521;", "% black_box(65521);"),
    ],
    "python": [
        ("parse", 'line.split(",")', 're.split(",", line)'),
        ("index", "found.setdefault(row[1], []).append(row)", "found[row[1]] = sorted(found.get(row[1], []) + [row])"),
        ("total", "int(row[2]) * int(row[3])", 'int("%08d" % int(row[2])) * int(float(row[3]))'),
        ("lookup", "if row[1] in wanted:", "if row[1] in list(wanted):"),
        ("render", '"%s: %s of %s" % (row[0], row[3], row[1])', '"{0!s:>10}: {1!r} of {2!s:<20}".format(row[0], row[3], row[1])'),
        ("clean", 'row[1].strip("- ").lower()', 're.sub("[- ]+", "", row[1]).lower()'),
        ("sort", "key=lambda row: row[2]", "key=lambda row: (int(row[2]), row[1], row[0])"),
        ("encode", "json.dumps(row)", "json.dumps(row, indent=1)"),
        ("price", "discount(int(row[3]), 3)", "discount(int(row[3]), 9)"),
        ("checksum", "ord(text[at])) % 65521", "int(str(ord(text[at])))) % 65521"),
    ],
}


def place(language, folder, changes=()):
    """Writes the sources of a program. `changes` are (file, old, new)."""
    for name, path in FILES[language].items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            text = file.read()
        for changed, old, new in changes:
            if changed == name:
                assert text.count(old) == 1, (language, old, text.count(old))
                text = text.replace(old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    if language == "go":
        with open(os.path.join(folder, "go.mod"), "w", encoding="ascii") as file:
            file.write("module example.com/shop\n\ngo 1.21\n")


def main_file(language):
    return next(iter(FILES[language]))


def line_of(language, file, text):
    """Returns the line number, from 1, of a text of a program."""
    with open(os.path.join(HERE, file), encoding="utf-8") as source:
        before = source.read().split(text)[0]
    return before.count("\n") + 1


BUILDS = {
    "go": ["go", "build", "-trimpath", "-o", "shop", "."],
    "c": ["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", "shop", "shop.c"],
    "c++": ["g++", "-O2", "-g", "-fno-omit-frame-pointer", "-o", "shop", "shop.cc"],
    "rust": ["rustc", "-O", "-g", "-C", "force-frame-pointers=yes", "-C", "symbol-mangling-version=v0", "--crate-name", "shop",
             "-o", "shop", "shop.rs"],
}


def build(language, folder):
    if language in BUILDS:
        subprocess.run(BUILDS[language], cwd=folder, check=True)


def record(pprofc, language, folder, out, kind="cpu", factor=1.0):
    """Records one run into `out`, a small profile.proto with lines and without addresses."""
    rounds = str(round(ROUNDS[language] * factor / (1 if kind == "cpu" else 20)))
    raw = os.path.join(folder, "raw")
    if os.path.exists(raw):
        os.remove(raw)
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if language == "go":
        subprocess.run(["./shop", rounds, raw, kind], **quiet)
    elif language in ("c", "c++", "rust"):
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "dwarf,4096", "-o", raw, "./shop", rounds],
                       **quiet)
    elif language == "python":
        subprocess.run(["/usr/bin/python3", "-S", os.path.join(HERE, "sampler.py"), raw, "shop.py", rounds], **quiet)
    else:
        subprocess.run(["node", "--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", folder, "--cpu-prof-name", "raw", "shop.js", rounds],
                       **quiet)
    subprocess.run([pprofc, "-proto", "-lines", f"-output={out}", raw], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Pair:
    """A comparison with a known answer. `function` is the culprit, or "" without a culprit; `line` is a text on its
    line."""

    def __init__(self, name, language, changes=(), function="", line="", kind="cpu", factor=1.0, verdict="grew"):
        self.name, self.language, self.changes, self.function, self.line = name, language, changes, function, line
        self.kind, self.factor, self.verdict = kind, factor, verdict


def _planted(language, function):
    return next((corpus_file, old, new) for corpus_file, (name, old, new) in
                ((main_file(language), change) for change in CHANGES[language]) if name == function)


SPLIT_GO = ("shop.go", "\tfor i := 0; i < len(text); i++ {\n\t\tvalue = value*31 + uint32(text[i])\n\t}\n\treturn value\n}",
            "\treturn roll(value, text)\n}\n\n//go:noinline\nfunc roll(value uint32, text string) uint32 {\n\tfor i := 0; i < len(text); i++ {\n"
            "\t\tvalue = value*31 + uint32(text[i])\n\t}\n\treturn value\n}")
SPLIT_CC = ("shop.cc", "FUNCTION unsigned checksum(const std::string &text) {\n  unsigned value = 1;\n  for (char c : text) {\n"
            "    value = (value * 31 + (unsigned char)c) % 65521;\n  }\n  return value;\n}",
            "FUNCTION unsigned roll(const std::string &text) {\n  unsigned value = 1;\n  for (char c : text) {\n"
            "    value = (value * 31 + (unsigned char)c) % 65521;\n  }\n  return value;\n}\n\n"
            "FUNCTION unsigned checksum(const std::string &text) {\n  return roll(text) + 0;\n}")
PAIRS = [
    Pair("function-go", "go", [_planted("go", "total")], "main.total", "(rows[i].Count ^ k)"),
    Pair("function-c", "c", [("shop.c.txt", "(rows[i].price * (rows[i].count ^ k)) % 7;", "(rows[i].price * (rows[i].count ^ k)) % (7 + (k & 1));")],
         "total", "(rows[i].count ^ k)"),
    Pair("function-c++", "c++", [_planted("c++", "checksum")], "shop::checksum", "(unsigned char)c) % 65521"),
    Pair("function-python", "python", [_planted("python", "total")], "total", "int(row[2]) * int(row[3])"),
    Pair("function-node", "node", [("shop.js", "row.price * (row.count ^ k) % 7;", "row.price * (row.count ^ k) % (7.5 + k);")], "total", "function total("),
    Pair("callee-go", "go", [("rules.go", "factor *= 0.99", "factor *= 1 - 0.01/float64(step%7+1)/float64(count%5+1)")], "example.com/shop/rules.Discount", "factor *= 0.99"),
    Pair("callee-c", "c", [("shop.c.txt", "value = value * 33 + (unsigned char)text[i];", "value = (value * 33 + (unsigned char)text[i]) % (65521 + (value & 1));")],
         "hash", "value = value * 33"),
    Pair("callee-c++", "c++", [("shop.cc", "if (count > step) factor *= 0.99;", "if (count > step) factor *= 1 - 0.01 / (step % 7 + 1) / (count % 5 + 1);")],
         "discount", "if (count > step)"),
    Pair("library-python", "python", [("rules.py", "0.01 * (count > step)", "round(0.01 * (count > step), 2)")], "discount", "0.01 * (count > step)"),
    Pair("library-node", "node", [("rules.js", "1 - 0.01 * (count > step ? 1 : 0)", "Math.pow(0.99, count > step ? 1.0001 + step / 9 : 0.5)")],
         "discount", "function discount("),
    Pair("moved-go", "go", [SPLIT_GO]),
    Pair("moved-c++", "c++", [SPLIT_CC]),
    Pair("nothing-c", "c"),
    Pair("nothing-python", "python"),
    Pair("slower-go", "go", factor=1.4),
    Pair("slower-node", "node", factor=1.4),
    Pair("allocation-go", "go", [("shop.go", "for k := 0; k < 40; k++ {", "for k := range make([]int, 40+len(rows)%3) {")], "main.total",
         "for k := 0; k < 40", kind="allocs"),
    Pair("allocation-go-callee", "go", [("rules.go", "factor := 1.0", "factor := float64(len(append(make([]byte, 0, 64*steps), 1)))")],
         "example.com/shop/rules.Discount", "factor := 1.0", kind="allocs", verdict="new"),
    Pair("lock-go", "go", [("shop.go", "\tshared += n\n", "\tfor i := 0; i < 2000; i++ {\n\t\tshared += n ^ i\n\t}\n")], "main.count", "mutex.Unlock()",
         kind="mutex"),
    Pair("lock-go-waits", "go", [("shop.go", "\tshared += n\n", "\tshared += n\n\truntime.Gosched()\n")], "main.count", "mutex.Unlock()", kind="mutex"),
]
