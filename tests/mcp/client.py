"""A small client of pprofc -mcp: sends a request and reads its reply."""
import json
import subprocess

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    def __init__(self, program, *folders, flags=()):
        self.process = subprocess.Popen([program, "-mcp", *flags, *folders], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.number = 0

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None, meta=None):
        self.number += 1
        params = dict(params or {})
        if meta is not None:
            params["_meta"] = meta
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.write(json.dumps(message).encode() + b"\n")
        answer = self.read()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.number, answer
        return answer

    def call(self, tool, **arguments):
        """Returns the text of a reply. Raises an exception for an error of the tool."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, MODERN)["result"]
        text = result["content"][0]["text"]
        assert len(text.encode()) <= max(arguments.get("budget", 4000), 1000), (tool, len(text))
        assert text.startswith(result["structuredContent"]["answer"])
        assert text.startswith("<data>\n") and text.count("</data>") == 1, text
        if result["isError"]:
            raise ValueError(text)
        return text

    def close(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return self.process.wait(timeout=60), rest
