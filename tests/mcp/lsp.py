"""pprofc -lsp and -quickfix, by a scripted editor.

  lsp.py PPROFC TESTDATA
"""
import json
import os
import subprocess
import sys
import tempfile

from maker import profile

PROGRAM = sys.argv[1]


class Editor:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "-lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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
        # A line above is new, and the hot line changes: its hint goes away, the others move.
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
        # The difference of two profiles.
        base = os.path.join(folder, "base.pb")
        with open(base, "wb") as out:
            out.write(profile([(stacks[0][0], 40), stacks[1]]))
        lines = subprocess.run([PROGRAM, "-quickfix", f"-diff_base={base}", path], check=True, capture_output=True,
                               text=True).stdout
        assert lines == "shop/cart/hot.go:3:1: 500ms self, 500ms total in main.hot\n", lines
        lines = subprocess.run([PROGRAM, "-quickfix", path], check=True, capture_output=True, text=True).stdout
        assert lines.split("\n")[1] == "other/cold.go:2:1: 100ms self, 100ms total in main.cold", lines


main()
