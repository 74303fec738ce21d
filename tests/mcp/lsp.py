"""Tests pprofc -lsp and -quickfix with a scripted editor.

  lsp.py PPROFC TESTDATA
"""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse

from maker import profile

PROGRAM = os.path.abspath(sys.argv[1])


class Editor:
    def __init__(self, *arguments, folder=None):
        self.process = subprocess.Popen([PROGRAM, "-lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        cwd=folder)
        self.number = 0

    def send(self, message):
        data = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\nContent-Type: x\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def read(self):
        headers = b""
        while not headers.endswith(b"\r\n\r\n"):
            headers += self.process.stdout.read(1)
        length = int(headers.split(b":")[1].split(b"\r")[0])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params=None):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params or {}})
        answer = self.read()
        assert answer["id"] == self.number, answer
        return answer.get("result", answer.get("error"))


def git(folder, *words, at=0):
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "a"), ("EMAIL", "a@example.com"), ("DATE", f"@{at} +0000"))}
    subprocess.run(["git", "-C", folder, *words], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **names})


def open_file(profile_path, path, *flags, folder=None, capabilities=None):
    """Opens a file in the editor. Returns the editor, the document, and the reply to initialize."""
    editor = Editor(*flags, profile_path, folder=folder)
    with open(path, encoding="ascii") as file:
        item = {"uri": f"file://{path}", "text": file.read()}
    started = editor.request("initialize", {"capabilities": capabilities or {}})
    editor.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    editor.read()
    return editor, {"textDocument": {"uri": item["uri"]}}, started


def hints_of(profile_path, path, *flags, folder=None):
    """Opens a file in the editor. Returns its hints, and the lines with a hover."""
    editor, document, _ = open_file(profile_path, path, *flags, folder=folder)
    with open(path, encoding="ascii") as file:
        text = file.read()
    hints = editor.request("textDocument/inlayHint", document)
    hovers = [n for n in range(len(text.split("\n")))
              if editor.request("textDocument/hover", dict(document, position={"line": n, "character": 0}))]
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0
    return {h["position"]["line"]: h["label"] for h in hints}, hovers


def follow_git(folder):
    """Checks that lines follow later commits and uncommitted changes, and that a changed line has no hint."""
    if not shutil.which("git"):
        print("not tested: lines followed through git, because git is not installed")
        return
    top = os.path.join(folder, "top")
    os.makedirs(os.path.join(top, "app"))
    path, profile_path = os.path.join(top, "app", "old.go"), os.path.join(folder, "then.pb")
    old = "".join(f"line{n}\n" for n in range(1, 11))
    with open(path, "w", encoding="ascii") as file:
        file.write(old)
    git(folder, "init", "-q", top)
    git(top, "add", ".")
    git(top, "commit", "-qm", "first", at=1000)
    stacks = [([("main.f", "app/old.go", n)], n) for n in (2, 4, 6, 9)]
    with open(profile_path, "wb") as out:
        out.write(profile(stacks, time=2000))
    # A commit inserts a line at the top, and changes line 4. An uncommitted change deletes line 7.
    with open(path, "w", encoding="ascii") as file:
        file.write("inserted\n" + old.replace("line4", "changed4"))
    git(top, "commit", "-qam", "second", at=3000)
    with open(path, "w", encoding="ascii") as file:
        file.write("inserted\n" + old.replace("line4", "changed4").replace("line7\n", ""))
    want = {2: "20ms", 6: "60ms", 8: "90ms"}
    want = {line: f"{value} self, {value} total" for line, value in want.items()}
    assert hints_of(profile_path, path) == (want, [2, 6, 8]), hints_of(profile_path, path)
    assert hints_of(profile_path, path, "-source_diff=HEAD~1", folder=top) == (want, [2, 6, 8])
    # Tests the same after the file was renamed.
    git(top, "mv", "app/old.go", "app/new.go")
    git(top, "commit", "-qam", "third", at=4000)
    assert hints_of(profile_path, os.path.join(top, "app", "new.go")) == (want, [2, 6, 8])
    # The profile is newer than the file, so its lines are the lines of the file.
    with open(profile_path, "wb") as out:
        out.write(profile([([("main.f", "app/new.go", 4)], 5)], time=int(time.time()) + 60))
    assert hints_of(profile_path, os.path.join(top, "app", "new.go"))[1] == [3]
    failed = subprocess.run([PROGRAM, "-lsp", "-source_diff=no", profile_path], cwd=top, stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, check=False)
    assert failed.returncode == 2 and "there is no commit 'no'" in failed.stderr, failed


def compare_runs(folder, stacks):
    """Checks hints of a comparison: self value, total, and the change with its interval, from runs of a folder or from
    one pair."""
    path = os.path.join(folder, "runs", "shop", "cart", "hot.go")
    for side, value in (("base", 60), ("head", 90)):
        os.makedirs(os.path.join(folder, side))
        for run in range(5):
            with open(os.path.join(folder, side, f"{run}.pb"), "wb") as out:
                out.write(profile([(stacks[0][0], value + run), (stacks[1][0], 10 + run % 2)] +
                                  [([(f"main.f{n}", "shop/cart/hot.go", 20 + n)], 40 + run % 3 + n) for n in range(20)]))
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="ascii") as file:
        file.write("\n" * 50)
    runs = os.path.join(folder, "base"), os.path.join(folder, "head")
    hints = hints_of(runs[1], path, f"-diff_base={runs[0]}")[0]
    assert re.fullmatch(r"920.0ms self, 920.0ms total, \+300.0ms ±[\d.]+ms", hints[2]), hints
    assert re.fullmatch(r"0 self, 920.0ms total, total \+300.0ms ±[\d.]+ms", hints[6]), hints
    table = subprocess.run([PROGRAM, "-top", "-noise", f"-diff_base={runs[0]}", runs[1]], check=True, capture_output=True, text=True).stdout
    editor, document, _ = open_file(runs[1], path, f"-diff_base={runs[0]}")
    lenses = [lens["command"]["title"] for lens in editor.request("textDocument/codeLens", document)]
    found = next(lens for lens in lenses if lens.startswith("main.hot: "))
    row = next(line for line in table.split("\n") if line.endswith("main.hot")).split()
    # The lens has the numbers of the terminal: base, head, change, half of the interval.
    assert found == f"main.hot: {row[1]} self, {row[1]} total; grew: {row[2]} ±{row[3]}", (found, row)
    header = table[:table.index("       base ")]
    hint = editor.request("textDocument/inlayHint", document)[0]
    assert hint["tooltip"] == header and "Runs: mean of 5 + 5 runs" in header, (hint, header)
    hover = editor.request("textDocument/hover", dict(document, position={"line": 2, "character": 0}))
    assert "called by `main.main`: +300ms" in hover["contents"]["value"] or "called by main.main: +300ms" in hover["contents"]["value"], hover
    assert "    Runs: mean of 5 + 5 runs" in hover["contents"]["value"], hover
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0
    # With one run per side, the hint and the note state this.
    pair = os.path.join(runs[0], "0.pb"), os.path.join(runs[1], "0.pb")
    hints = hints_of(pair[1], path, f"-diff_base={pair[0]}")[0]
    assert re.fullmatch(r"900.0ms self, 900.0ms total, \+300.0ms ±[\d.]+ms, one pair", hints[2]), hints
    # A difference of counts without repetition has no interval.
    for name, value in (("one", 3), ("two", 5)):
        with open(os.path.join(folder, f"{name}.callgrind"), "w", encoding="ascii") as out:
            out.write(f"events: Ir\nfl=shop/cart/hot.go\nfn=hot\n3 {value}000\n")
    hints = hints_of(os.path.join(folder, "two.callgrind"), path, "-diff_base=" + os.path.join(folder, "one.callgrind"))[0]
    assert hints == {2: "5000 self, 5000 total, +2000, one run of each version"}, hints
    # -base subtracts, so there are no sides to compare.
    assert hints_of(pair[1], path, f"-base={pair[0]}")[0][2] == "300ms self, 300ms total"


def many_types(folder):
    """Checks that calls of a comparison are changes per run, for any number of sample types and of runs per side."""
    for side, runs, value in (("base", 1, 40), ("head", 2, 50)):
        os.makedirs(os.path.join(folder, "types", side))
        for run in range(runs):
            with open(os.path.join(folder, "types", side, f"{run}.pb"), "wb") as out:
                out.write(profile([([("main.hot", "hot.go", 3), ("main.main", "main.go", 1)], value)], types=65))
    path = os.path.join(folder, "types", "hot.go")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n" * 5)
    editor, document, _ = open_file(os.path.join(folder, "types", "head"), path,
                                    "-diff_base=" + os.path.join(folder, "types", "base"))
    hover = editor.request("textDocument/hover", dict(document, position={"line": 2, "character": 0}))
    assert "called by main.main: +100ms\n" in hover["contents"]["value"], hover
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0


def open_page(path, folder):
    """Checks that the command of a code lens writes a page that only this user can read, and that the client opens the
    page at the function."""
    source = os.path.join(folder, "page", "shop", "cart", "hot.go")
    os.makedirs(os.path.dirname(source))
    with open(source, "w", encoding="ascii") as file:
        file.write("\n" * 10)
    temporary = os.path.join(folder, "a b#é")
    os.mkdir(temporary)
    os.environ["TMPDIR"] = temporary
    for shows in (True, False):
        capabilities = {"window": {"showDocument": {"support": shows}}}
        editor, document, started = open_file(path, source, capabilities=capabilities)
        lens = next(lens for lens in editor.request("textDocument/codeLens", document) if "main.hot" in lens["command"]["title"])
        assert lens["command"]["command"] in started["capabilities"]["executeCommandProvider"]["commands"]
        assert lens["command"]["arguments"] == ["main.hot"], lens
        assert not os.listdir(temporary)
        for _ in range(2):  # the second time the page exists
            editor.send({"id": "run", "method": "workspace/executeCommand", "params": lens["command"]})
            asked, answer = editor.read(), editor.read()
            address = answer["result"]
            parts = urllib.parse.urlsplit(address)
            page = urllib.parse.unquote(parts.path)
            assert parts.scheme == "file" and parts.fragment == "sel=main.hot", address
            assert os.path.dirname(os.path.dirname(page)) == temporary
            assert stat.S_IMODE(os.stat(page).st_mode) == 0o600 and stat.S_IMODE(os.stat(os.path.dirname(page)).st_mode) == 0o700
            with open(page, encoding="utf-8") as file:
                assert "pprofc-nodes" in file.read()
            if not shows:
                assert asked["method"] == "window/showMessage" and page in asked["params"]["message"], asked
                continue
            assert asked["method"] == "window/showDocument" and asked["params"] == {"uri": address, "external": True}, asked
            editor.send({"id": asked["id"], "result": {"success": True}})
        if shows:  # a client that fails to show it gets the path
            editor.send({"id": asked["id"], "error": {"code": 1, "message": "no browser"}})
            assert page in editor.read()["params"]["message"]
            os.remove(page)  # a deleted page is written again
            editor.send({"id": "again", "method": "workspace/executeCommand", "params": lens["command"]})
            assert os.path.exists(urllib.parse.unquote(urllib.parse.urlsplit(editor.read()["params"]["uri"]).path)) and editor.read()
        for wrong in ({}, {"command": "rm", "arguments": ["main.hot"]}, dict(lens["command"], arguments=["no such"]),
                      dict(lens["command"], arguments=[{}]), dict(lens["command"], arguments={})):
            assert editor.request("workspace/executeCommand", wrong)["code"] == -32602, wrong
        editor.send({"method": "exit"})
        assert editor.process.wait(timeout=30) == 0
        assert not os.listdir(temporary)  # the server removes its files
    os.environ["TMPDIR"] = os.path.join(folder, "no such folder")
    editor, document, _ = open_file(path, source)
    assert editor.request("workspace/executeCommand", lens["command"])["code"] == -32603
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0
    del os.environ["TMPDIR"]


def many_functions(folder):
    """Checks the lenses of a file with 40,000 functions, before and after an edit. Time must grow with the lines, not
    with their square."""
    source, costs = os.path.join(folder, "many.c"), os.path.join(folder, "callgrind.out.many")
    with open(source, "w", encoding="ascii") as text, open(costs, "w", encoding="ascii") as out:
        out.write(f"events: Ir\nfl={source}\n")
        for i in range(40000):
            text.write(f"void f{i}(void);\n")
            out.write(f"fn=f{i}\n{i + 1} {i % 97 + 50}\n")
    editor, document, _ = open_file(costs, source)
    lenses = editor.request("textDocument/codeLens", document)
    assert len(lenses) == 40000 and {lens["range"]["start"]["line"] for lens in lenses} == set(range(40000))
    assert all(lens["range"]["end"]["character"] == len(f"void f{lens['range']['start']['line']}(void);") for lens in lenses)
    with open(source, encoding="ascii") as file:
        text = "// new\n" + file.read()
    changed = dict(document, contentChanges=[{"text": text}])
    editor.send({"method": "textDocument/didChange", "params": changed})
    editor.read()
    assert {lens["range"]["start"]["line"] for lens in editor.request("textDocument/codeLens", document)} == set(range(1, 40001))
    with open(f"/proc/{editor.process.pid}/stat", encoding="ascii") as file:
        seconds = int(file.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
    assert seconds < 10, seconds
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0


def hostile_messages(path, source):
    """Checks that each invalid message gets an error without a crash or a hang, and that the next request gets a reply."""
    editor = Editor(path)
    write, initialize = editor.process.stdin.write, {"capabilities": {}}
    for method in ("textDocument/hover", "textDocument/inlayHint", "workspace/executeCommand", "shutdown", "x"):
        assert editor.request(method)["code"] == -32002, method
    document = {"textDocument": {"uri": f"file://{source}", "text": "\n" * 10}}
    editor.send({"method": "textDocument/didOpen", "params": document})  # the server ignores a message before initialize
    assert editor.request("initialize", initialize)["capabilities"]
    assert editor.request("textDocument/inlayHint", document) == []
    for message, code in ((b"{", -32700), (b"[]", -32600), (b"17", -32600), (b'"x"', -32600), (b"\xff\xfe", -32700), (b"[" * 100000, -32700),
                          (b'{"jsonrpc":"2.0","id":1}', -32600), (b'{"jsonrpc":"1.0","id":1,"method":"shutdown"}', -32600),
                          (b'{"jsonrpc":"2.0","id":{},"method":"x"}', -32600), (b'{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600),
                          (b'{"jsonrpc":"2.0","id":null,"method":"x"}', -32600), (b'{"jsonrpc":"2.0","id":[],"method":"x"}', -32600),
                          (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":[]}', -32600),
                          (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 100_000_000 + b'"}', -32600)):
        write(b"Content-Length: %d\r\n\r\n" % len(message) + message)
        editor.process.stdin.flush()
        answer = editor.read()
        assert answer["error"]["code"] == code, (message[:80], answer)
    # The server skips messages whose headers have no length, a wrong length, or are very long.
    write(b"\r\nX: 1\r\n\r\nContent-Length: x\r\n\r\nContent-Length: -5\r\n\r\nContent-Length: 0\r\n\r\n" + b"y" * 10_000_000 + b"\r\n\r\n")
    for identity in ("", "\u0000\n\"", "x" * 100000, 0, -1, 2**63 - 1):
        editor.send({"id": identity, "method": "textDocument/hover", "params": document})
        assert editor.read()["id"] == identity
    editor.send({"id": 9, "result": {}})  # responses without a request
    editor.send({"id": "x", "error": 1})
    editor.send({"method": "$/cancelRequest", "params": {"id": 1}})
    for uri in ("", "file://", "http://example.com/shop/cart/hot.go", "file:///../../etc/passwd", "file://%", "file:///a%00b/shop/cart/hot.go",
                "file:///" + "a/" * 100000, f"file://{source}/../../cart/hot.go", "untitled:1"):
        editor.send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "text": "x"}}})
        assert editor.read()["method"] == "textDocument/publishDiagnostics", uri
        editor.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})
    for params in ([], 1, None, {"textDocument": 1}, {"textDocument": {"uri": 1}}, {"contentChanges": [1]}):
        for method in ("textDocument/didChange", "textDocument/didClose"):
            editor.send({"method": method, "params": params})
        for method in ("textDocument/hover", "textDocument/inlayHint", "textDocument/codeLens", "workspace/executeCommand"):
            editor.send({"id": 1, "method": method, "params": params})
            assert editor.read()["id"] == 1, (method, params)
    editor.send({"method": "textDocument/didOpen", "params": document})
    editor.read()
    for line in (-1, 2**62, 1.5, "x", None):
        editor.request("textDocument/hover", dict(document, position={"line": line, "character": line}))
        editor.request("textDocument/inlayHint", dict(document, range={"start": {"line": line}, "end": {"line": line}}))
    # The file of the profile becomes shorter, then disappears, while 1,000 requests wait.
    os.truncate(path, 10)
    os.remove(path)
    for number in range(1000):
        editor.send({"id": number, "method": "textDocument/codeLens", "params": document})
    for number in range(1000):
        answer = editor.read()
        assert answer["id"] == number and len(answer["result"]) == 2, answer
    assert editor.request("shutdown") is None
    assert editor.request("textDocument/hover", document)["code"] == -32600
    editor.send({"method": "exit"})
    assert editor.process.wait(timeout=30) == 0
    assert editor.process.stdout.read() == b""


def main():
    with tempfile.TemporaryDirectory() as folder:
        stacks = [([("main.hot", "shop/cart/hot.go", 3), ("main.main", "shop/cart/hot.go", 7)], 90),
                  ([("main.cold", "other/cold.go", 2), ("main.main", "shop/cart/hot.go", 8)], 10)]
        path = os.path.join(folder, "cpu.pb")
        with open(path, "wb") as out:
            out.write(profile(stacks))
        text = "package main\n\nvar é = 1 // 𝒳\n// four\n// five\n// six\n\thot()\n\tcold()\n"
        uri = "file:///home/user%20name/shop/cart/hot.go"
        document = {"textDocument": {"uri": uri}}
        editor = Editor(path)
        started = editor.request("initialize")
        assert started["capabilities"]["inlayHintProvider"] and started["capabilities"]["hoverProvider"]
        editor.send({"method": "initialized", "params": {}})
        editor.send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "text": text}}})
        found = editor.read()
        assert found["method"] == "textDocument/publishDiagnostics" and found["params"]["uri"] == uri
        assert [d["severity"] for d in found["params"]["diagnostics"]] == [4]
        assert found["params"]["diagnostics"][0]["message"] == "main.hot: 900ms self, 900ms total"
        window = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 100, "character": 0}}}
        hints = editor.request("textDocument/inlayHint", dict(document, **window))
        assert sorted((h["position"]["line"], h["label"]) for h in hints) == [
            (2, "900ms self, 900ms total"), (6, "0 self, 900ms total"), (7, "0 self, 100ms total")], hints
        assert [h["position"]["character"] for h in hints if h["position"]["line"] == 2] == [15], hints
        lenses = editor.request("textDocument/codeLens", document)
        assert sorted(lens["command"]["title"] for lens in lenses) == [
            "main.hot: 900ms self, 900ms total", "main.main: 0 self, 1s total"], lenses
        hover = editor.request("textDocument/hover", dict(document, position={"line": 2, "character": 0}))
        assert "called by main.main: 900ms" in hover["contents"]["value"], hover
        assert editor.request("textDocument/hover", dict(document, position={"line": 3, "character": 0})) is None
        # The edit adds a line at the top and changes the hot line. The hint of the hot line disappears, and the other
        # hints move.
        changed = "// new\n" + text.replace("= 1", "= 2")
        editor.send({"method": "textDocument/didChange",
                     "params": dict(document, contentChanges=[{"text": changed}])})
        assert editor.read()["params"]["diagnostics"] == []
        hints = editor.request("textDocument/inlayHint", dict(document, **window))
        assert sorted(h["position"]["line"] for h in hints) == [7, 8], hints
        other = {"textDocument": {"uri": "file:///x/hot.go", "text": text}}
        editor.send({"method": "textDocument/didOpen", "params": other})
        assert editor.read()["params"]["diagnostics"] == []
        editor.send({"method": "textDocument/didClose", "params": document})
        assert editor.request("textDocument/inlayHint", dict(document, **window)) == []
        assert editor.request("workspace/symbol")["code"] == -32601
        assert editor.request("shutdown") is None
        editor.send({"method": "exit"})
        assert editor.process.wait(timeout=30) == 0
        follow_git(folder)
        compare_runs(folder, stacks)
        many_types(folder)
        open_page(path, folder)
        many_functions(folder)
        # The difference of two profiles.
        base = os.path.join(folder, "base.pb")
        with open(base, "wb") as out:
            out.write(profile([(stacks[0][0], 40), stacks[1]]))
        lines = subprocess.run([PROGRAM, "-quickfix", f"-diff_base={base}", path], check=True, capture_output=True,
                               text=True).stdout
        assert re.fullmatch(r"shop/cart/hot.go:3:1: 900.0ms self, 900.0ms total, \+500.0ms ±[\d.]+ms, one pair in main.hot\n", lines), lines
        copy = os.path.join(folder, "copy.pb")
        shutil.copy(path, copy)
        hostile_messages(copy, os.path.join(folder, "page", "shop", "cart", "hot.go"))
        lines = subprocess.run([PROGRAM, "-quickfix", path], check=True, capture_output=True, text=True).stdout
        assert lines.split("\n")[1] == "other/cold.go:2:1: 100ms self, 100ms total in main.cold", lines


main()
