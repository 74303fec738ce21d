"""Runs a job of GitHub that publishes to a host on the loopback, and records its output, for tests of pprofci publish.
"""
import os
import subprocess
import sys

import publish_server as host

SHA = {letter: letter * 40 for letter in "abcd"}


def fail(*words):
    print("failed:", *words)
    sys.exit(1)


def run_folder(program, name, base, head, wanted, **environment):
    """Creates the artifacts of pprofci run for two files of results."""
    made = subprocess.run([program, "run", "-one-process", "-bench-base", base, "-bench-head", head, "-out", f"{name}/ci"],
                          env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if made.returncode != wanted:
        fail("run", made.stdout, made.stderr)
    return f"{name}/ci"


class Job:
    """Runs pprofci publish with the environment of a job. `last` has the output of the last run."""

    def __init__(self, program, server, wanted, **environment):
        self.program, self.server, self.wanted = program, server, wanted
        self.last = subprocess.CompletedProcess([], 0, "", "")
        self.environment = {
            "GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": server.base, "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_RUN_ID": "100", "GITHUB_SHA": SHA["a"], "GITHUB_TOKEN": host.TOKEN, "PATH": os.environ["PATH"], **environment}
        for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def check(self, good, *words):
        if not good:
            fail(*words, "\noutput:", self.last.stdout, "\nmessages:", self.last.stderr,
                 "\nrequests:", [r[:2] for r in self.server.state.requests])

    def publish(self, *arguments, wanted=None, env=None, cwd=None):
        """Publishes. Checks that the status is `wanted` or the job's status, that no output has the token, and that
        each request conforms to the API description."""
        wanted = self.wanted if wanted is None else wanted
        own = {**self.environment, **(env or {})}
        self.last = subprocess.run([self.program, "publish", *arguments], env={k: v for k, v in own.items() if v is not None},
                                   capture_output=True, text=True, timeout=120, cwd=cwd, check=False)
        self.check(self.last.returncode == wanted, "publish", *arguments, "status", self.last.returncode, "not", wanted)
        self.check(host.TOKEN not in self.last.stdout + self.last.stderr, "the token was printed")
        wrong = [r for r in self.server.state.requests if r[0] == "WRONG"]
        self.check(not wrong, wrong)
        return self.last

    def one_line(self, *texts):
        """Checks that the message is one line with these texts."""
        lines = self.last.stderr.splitlines()
        self.check(len(lines) == 1 and all(text in lines[0] for text in texts), "not one line with", texts)
