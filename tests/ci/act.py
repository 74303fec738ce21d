#!/usr/bin/env python3
"""Runs docs/examples/ci/pull-request.yml with nektos/act and action.yml of this checkout: act.py SOURCE PROGRAMS ACT.
Actions that copy files replace the actions of GitHub, and a host on the loopback replaces GitHub. The exit status 77
means that a program is missing; the test prints its name."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import publish_server as host
from go_benchmark import GO_BENCHMARK

SOURCE, PROGRAMS, ACT = sys.argv[1:4]
# For each action: folder, version and command. $P is the action's path, $STORE the folder with the artifacts of the
# run.
ACTIONS = {
    "setup-go": ("v6", "go version"),
    "upload-artifact": ("v7", 'mkdir -p "$STORE/$NAME"; if [ -d "$P" ]; then cp -a "$P/." "$STORE/$NAME/"; else cp "$P" "$STORE/$NAME/"; fi'),
    "download-artifact": ("v7", 'for d in "$STORE"/$PATTERN; do mkdir -p "$P/${d##*/}"; cp -a "$d/." "$P/${d##*/}/"; done'),
    # The cache has the programs of this build, so that the action does not build them.
    "cache/restore": ("v5", 'umask 022; mkdir -p "$P/bin"; cp "$PROGRAMS"/pprofc* "$PROGRAMS"/benchstatc "$PROGRAMS"/parse_bench_regressions "$P/bin/"'),
    "cache/save": ("v5", "true"),
}
ACTION = """name: %s
inputs: {name: {default: report}, path: {default: .}, pattern: {default: "*"}, key: {default: ""}, go-version: {default: ""},
  include-hidden-files: {default: ""}, archive: {default: ""}}
outputs: {cache-hit: {value: "true"}, artifact-url: {value: "https://github.example/artifact"}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", P: "${{ inputs.path }}", PATTERN: "${{ inputs.pattern }}", STORE: %s, PROGRAMS: %s}
      run: '%s'
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def git(where, *words):
    own = ["git", "-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    return subprocess.run([*own, *words], cwd=where, check=True, capture_output=True, text=True).stdout.strip()


def make_repository(place):
    """Creates a module whose benchmark is 20 times slower in the change. Returns the event of the pull request."""
    os.makedirs(place)
    git(place, "init", "-q", "-b", "main", ".")
    git(place, "remote", "add", "origin", "https://github.com/o/r.git")
    with open(os.path.join(SOURCE, "docs/examples/ci/pull-request.yml"), encoding="utf-8") as file:
        workflow = file.read()
    short = workflow.replace("record: ./...", "record: ./...\n          benchtime: 300x\n          count: 5")
    assert short != workflow
    commits = []
    for rounds in (2000, 40000):
        write(f"{place}/words_test.go", GO_BENCHMARK % rounds)
        write(f"{place}/go.mod", "module example.com/words\n\ngo 1.19\n")
        write(f"{place}/.github/workflows/performance.yml", short)
        git(place, "add", ".")
        git(place, "commit", "-q", "-m", f"words: {rounds} rounds")
        commits.append(git(place, "rev-parse", "HEAD"))
        if len(commits) == 1:
            git(place, "checkout", "-q", "-b", "change")
    sides = [{"sha": sha, "ref": ref, "repo": {"full_name": "o/r"}} for sha, ref in zip(commits, ("main", "change"))]
    return {"number": 3, "repository": {"name": "r", "full_name": "o/r"}, "pull_request": {"number": 3, "base": sides[0], "head": sides[1]}}


def run_act(work, api):
    event = make_repository(f"{work}/repository")
    write(f"{work}/event.json", json.dumps(event))
    # act copies the whole folder of an action, so it gets a folder without builds.
    for name in ("CMakeLists.txt", "action.yml"):
        write(f"{work}/pprofc/{name}", open(os.path.join(SOURCE, name), encoding="utf-8").read())
    for name in ("libpprofc", "tools", "proto", "scripts", "docs/man"):
        shutil.copytree(os.path.join(SOURCE, name), f"{work}/pprofc/{name}")
    places = {"OWNER/pprofc@v0": f"{work}/pprofc"}
    for name, (version, command) in ACTIONS.items():
        write(f"{work}/actions/{name}/action.yml", ACTION % (name, f"{work}/store", PROGRAMS, command))
        places[f"actions/{name.split('/')[0]}@{version}"] = f"{work}/actions/{name.split('/')[0]}"
    command = [ACT, "pull_request", "-e", f"{work}/event.json", "-P", "ubuntu-latest=-self-hosted", "-s", f"GITHUB_TOKEN={host.TOKEN}",
               "--env", f"GITHUB_API_URL={api}", "--env", "GITHUB_SERVER_URL=https://github.example"]
    for name, place in places.items():
        command += ["--local-repository", f"{name}={place}"]
    # act keeps copies of repositories below HOME, and go needs its own caches.
    own = {**os.environ, "XDG_CACHE_HOME": f"{work}/cache", "XDG_CONFIG_HOME": f"{work}/config"}
    for name in ("GOCACHE", "GOMODCACHE"):
        own[name] = subprocess.run(["go", "env", name], check=True, capture_output=True, text=True).stdout.strip()
    return subprocess.run(command, cwd=f"{work}/repository", env=own, capture_output=True, text=True, timeout=500, check=False)


def main():
    for program in (ACT, "go"):
        if not shutil.which(program):
            print(f"skipped: no {program}")
            sys.exit(77)
    server = host.start(host.Forms())
    with tempfile.TemporaryDirectory() as work:
        work = os.path.realpath(work)
        made = run_act(work, server.base)
        state = server.state
        comments = [c["body"] for c in state.comments if c["number"] == "3"]
        # On a busy machine the result may be inconclusive, and the comment then states this.
        regressed = "slower" in "".join(comments) and "### ? " not in "".join(comments)
        good = {
            "one comment": len(comments) == 1 and (regressed or "### ? " in comments[0]),
            "one check": len(state.checks) == 1,
            "the jobs": made.stdout.count("Job succeeded") == (1 if regressed else 2),
            "the status": (made.returncode != 0) == regressed,
            "the page": os.path.exists(f"{work}/store/performance/ci/index.html"),
            "report.html": os.path.exists(f"{work}/store/report/report.html"),
            "no wrong request": not any(r[0] == "WRONG" for r in state.requests),
            "no token in the log": host.TOKEN not in made.stdout + made.stderr,
        }
        for name, true in good.items():
            print("ok:" if true else "failed:", name)
        if not all(good.values()):
            print(made.stdout[-8000:], made.stderr[-2000:], comments, [r[:2] for r in state.requests])
            sys.exit(1)


main()
