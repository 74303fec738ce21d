#!/usr/bin/env python3
"""Tests action.yml and the examples of docs/examples/ci: workflows.py SOURCE PROGRAMS [PARTS]. A runner of each service
runs them against a local host that keeps comments, statuses and checks. The exit status 77 means that a program is
missing; the test prints its name."""
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

try:
    import yaml
    import runner
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(77)
import publish_server as host
from go_benchmark import GO_BENCHMARK

SOURCE, PROGRAMS = sys.argv[1:3]
EXAMPLES = os.path.join(SOURCE, "docs/examples/ci")
WORK = os.path.realpath(tempfile.mkdtemp())
GIT = ["git", "-c", "user.name=tests", "-c", "user.email=tests@example.com"]
TESTDATA = os.path.join(SOURCE, "testdata")
INSTEAD = {"record": "", "base-ref": "", "bench-base": os.path.join(TESTDATA, "bench_original.txt"),
           "bench-head": os.path.join(TESTDATA, "bench_optimized.txt"), "flags": "-one-process"}
BENCH_C = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  volatile int sum = 0;
  int count = argc > 1 ? atoi(argv[1]) : 10;
  for (int i = 0; i < count * %d; i++) sum += i;
  printf("BenchmarkWork 1000 %d ns/op\\n");
  return 0;
}
"""


def fail(*words):
    print("failed:", *words)
    sys.exit(1)


def check(good, *words):
    if not good:
        fail(*words)


def git(*words, where=None):
    return subprocess.run([*GIT, *words], cwd=where, check=True, capture_output=True, text=True).stdout.strip()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ---- inputs: a release, the action, a repository with a base and a head ---------------------------------------------------


def make_release(folder, version, name="linux-amd64"):
    """Creates a release as scripts/release.sh does, with the programs of this build."""
    place = os.path.join(folder, f"v{version}")
    os.makedirs(place)
    tarball = f"pprofc-{version}-{name}.tar.gz"
    with tarfile.open(os.path.join(place, tarball), "w:gz") as archive:
        for program in ("pprofc", "benchstatc", "parse_bench_regressions", "pprofci"):
            archive.add(os.path.join(PROGRAMS, program), f"pprofc-{version}-{name}/bin/{program}")
    with open(os.path.join(place, tarball), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    write(os.path.join(place, "SHA256SUMS"), f"{digest}  {tarball}\n")
    return digest


def serve_folder(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=folder)

        def log_message(self, *_):
            requests.append(self.path)

    requests = []
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{served.server_address[1]}", requests


def write_side(place, rounds):
    for package in ("parser", "render"):
        write(f"{place}/{package}/words_test.go", GO_BENCHMARK % rounds)
    write(f"{place}/bench.c", BENCH_C % (rounds, rounds))
    write(f"{place}/Makefile", "bench: bench.c\n\t$(CC) -g -O1 -o bench bench.c\n")
    write(f"{place}/go.mod", "module example.com/words\n\ngo 1.19\n")
    write(f"{place}/.gitignore", "/bench\n")


def make_repository():
    """Creates the remote, the base, and the head, which is three times slower."""
    place, remote = os.path.join(WORK, "repository"), os.path.join(WORK, "remote.git")
    os.makedirs(place)
    git("init", "-q", "-b", "main", ".", where=place)
    write_side(place, 2000)
    git("add", ".", where=place)
    git("commit", "-q", "-m", "words: begin", where=place)
    base = git("rev-parse", "HEAD", where=place)
    git("checkout", "-q", "-b", "change", where=place)
    write_side(place, 40000)
    git("commit", "-q", "-a", "-m", "words: go on", where=place)
    head = git("rev-parse", "HEAD", where=place)
    git("clone", "-q", "--bare", place, remote)
    return remote, base, head


def pull_request(fork=False):
    return {"number": 3, "repository": {"name": "r", "full_name": "o/r"},
            "pull_request": {"number": 3, "base": {"sha": BASE, "ref": "main", "repo": {"full_name": "o/r"}},
                             "head": {"sha": HEAD, "ref": "change", "repo": {"full_name": "x/r" if fork else "o/r"}}}}


def example(name):
    return os.path.join(EXAMPLES, name)


def expect(done, job, result, *words):
    check(done[job]["result"] == result, *words, f"the job {job}: {done[job]['result']}, not {result}\n{done[job]['log']}")


def comment():
    found = [c["body"] for c in state.comments if c["number"] == "3"]
    check(len(found) == 1, "comments:", found)
    return found[0]


# ---- examples ---------------------------------------------------------------------------------------------------------------


def without_recording(function):
    """Runs a part with existing results, which are fast and the same in each run. simple_pull_request records, as
    ci/record does."""
    def part():
        state.reset()
        state.base = api.base
        kept = dict(RUNNER.overrides)
        RUNNER.overrides.update(INSTEAD)
        function()
        RUNNER.overrides = kept
    return part


def simple_pull_request():
    if not shutil.which("go"):
        return
    state.reset()
    state.base = api.base
    kept_overrides = dict(RUNNER.overrides)
    RUNNER.overrides.update({"benchtime": "300x", "count": "5", "record": "./parser"})
    done = RUNNER.run(example("pull-request.yml"), "pull_request", pull_request(), HEAD, base_ref="main")
    RUNNER.overrides = kept_overrides
    # On a busy machine the result may be inconclusive, and the comment then states this.
    expect(done, "measure", "success", "measuring")
    regressed = done["publish"]["result"] == "failure"
    check("slower" in comment() if regressed else "### ? " in comment(), comment(), done["publish"]["log"])
    check(len(state.checks) == 1 and not state.statuses, "the check")
    check((next(iter(state.checks.values()))[0]["conclusion"] == "failure") == regressed, "the conclusion")
    kept = RUNNER.artifacts[str(RUNNER.runs)]
    check(os.path.exists(kept["performance"] + "/ci/index.html"), "artifacts", kept)
    check(("slower" in RUNNER.summary.replace("not slower", "")) == regressed, "the job summary:", RUNNER.summary)
    print("ok: pull-request.yml")


@without_recording
def failed_comparison():
    """Checks that a failed comparison is reported in the comment of an earlier result."""
    RUNNER.run(example("pull-request.yml"), "pull_request", pull_request(), HEAD, base_ref="main")
    check("slower" in comment(), comment())
    RUNNER.overrides.update({"bench-head": "nowhere.txt"})
    done = RUNNER.run(example("pull-request.yml"), "pull_request", pull_request(), HEAD, base_ref="main")
    expect(done, "measure", "failure", "a comparison that failed")
    expect(done, "publish", "failure", "a comparison that failed")
    check("slower" not in comment() and "no result" in comment(), comment())
    check([c["conclusion"] for c in next(reversed(state.checks.values()))][-1] != "success", state.checks)
    print("ok: a comparison that fails")


@without_recording
def from_a_fork():
    done = RUNNER.run(example("pull-request.yml"), "pull_request", pull_request(fork=True), HEAD, base_ref="main")
    expect(done, "publish", "failure", "a regression in a fork")
    check(not state.comments and not any(r[0] != "GET" for r in state.requests), "a fork wrote:", state.requests)
    first = str(RUNNER.runs)
    check("performance" in RUNNER.artifacts[first], "the result is not an artifact")
    state.pulls = [{"number": 8, "head": {"sha": BASE}}, {"number": 3, "head": {"sha": HEAD}}]
    event = {"workflow_run": {"id": first, "event": "pull_request", "head_sha": HEAD, "head_branch": "change", "pull_requests": [],
                              "head_repository": {"full_name": "x/r", "owner": {"login": "x"}}},
             "repository": {"name": "r", "full_name": "o/r"}}
    done = RUNNER.run(example("comment.yml"), "workflow_run", event, BASE)
    expect(done, "comment", "success", "the second workflow")
    check("slower" in comment(), comment())
    event["workflow_run"]["head_repository"]["full_name"] = "o/r"
    done = RUNNER.run(example("comment.yml"), "workflow_run", event, BASE)
    expect(done, "comment", "skipped", "the second workflow for the repository itself")
    print("ok: comment.yml")


@without_recording
def matrix():
    done = RUNNER.run(example("matrix.yml"), "pull_request", pull_request(), HEAD, base_ref="main")
    expect(done, "measure", "success", "the matrix")
    expect(done, "verdict", "failure", "the merge")
    check("slower" in comment() and len(state.checks) == 1 and len(state.statuses) == 1, "what was published")
    check(state.statuses[0][1]["state"] == "failure", state.statuses)
    page = RUNNER.artifacts[str(RUNNER.runs)]["performance"]
    for path in ("ci/index.html", "measured-parser/ci/index.html", "measured-render/ci/index.html"):
        check(os.path.exists(f"{page}/{path}"), "no", path)
    print("ok: matrix.yml")


@without_recording
def pages():
    for number in (3, 4):
        event = pull_request()
        event["number"] = number
        done = RUNNER.run(example("pages.yml"), "pull_request", event, HEAD, base_ref="main")
        expect(done, "publish", "failure", "a regression")
        check(done["publish"]["steps"]["put the page on gh-pages"] == "success", done["publish"]["log"])
    files = git("ls-tree", "-r", "--name-only", "gh-pages", where=REMOTE).split("\n")
    check("pr/3/ci/index.html" in files and "pr/4/ci/index.html" in files and ".nojekyll" in files, files)
    check("go.mod" not in files, "the branch has the files of main")
    check("https://o.github.io/r/pr/4/ci/" in state.comments[0]["body"], state.comments[0]["body"])
    print("ok: pages.yml")


def fake_go():
    """Creates a folder with a fake `go test`, whose results are fast and the same in each run."""
    folder = os.path.join(WORK, "fake-go")
    write(f"{folder}/go", "#!/bin/sh\n[ \"$1\" = test ] && cat " + os.path.join(TESTDATA, "bench_original.txt") + "\n")
    os.chmod(f"{folder}/go", 0o755)
    return folder


@without_recording
def history():
    # A first push has no previous commit, and the previous commit of a forced push is missing. The last push is a
    # second run of the same commit.
    RUNNER.search = [fake_go()]
    for sha, before in ((BASE, "0" * 40), (HEAD, "d" * 40), (HEAD, BASE)):
        done = RUNNER.run(example("history.yml"), "push", {"before": before, "ref": "refs/heads/main"}, sha, ref="refs/heads/main")
        expect(done, "store", "success", "the history")
    files = git("ls-tree", "-r", "--name-only", "performance-history", where=REMOTE).split("\n")
    check(all(name.startswith("store/") for name in files) and len(files) > 1, files)
    check(git("rev-list", "--count", "performance-history", where=REMOTE) == "2", "commits of the history")
    RUNNER.search = []
    print("ok: history.yml")


def other_languages():
    for program in ("make", "valgrind", "cc"):
        if not shutil.which(program):
            print(f"skipped: other-languages.yml: no {program}")
            return
    state.reset()
    state.base = api.base
    done = RUNNER.run(example("other-languages.yml"), "pull_request", pull_request(), HEAD, base_ref="main")
    expect(done, "publish", "failure", "a regression")
    check("3 times slower" in comment() or "slower" in comment(), comment())
    check("instructions" in done["measure"]["log"], done["measure"]["log"])
    print("ok: other-languages.yml")


# ---- the action -------------------------------------------------------------------------------------------------------------


def run_action(inputs, name="OWNER/pprofc@v0", steps=(), wanted="success", event="push"):
    """Runs one job with the action. Returns its log and the outputs of the action."""
    path = os.path.join(WORK, "one.yml")
    own = [*steps, {"name": "prepare", "run": f"cp -r '{TESTDATA}' testdata"}, {"id": "pprofc", "uses": name, "with": inputs},
           {"if": "always()", "name": "outputs", "shell": "bash",
            "env": {"A": "${{ steps.pprofc.outputs.verdict }}", "B": "${{ steps.pprofc.outputs.status }}",
                    "C": "${{ steps.pprofc.outputs.page }}", "D": "${{ steps.pprofc.outputs.published }}"},
            "run": 'printf "OUTPUTS|%s|%s|%s|%s\\n" "$A" "$B" "$C" "$D"'}]
    write(path, yaml.safe_dump({"name": "one", "on": event, "jobs": {"one": {"runs-on": "x", "steps": own}}}))
    done = RUNNER.run(path, event, pull_request(), HEAD)
    expect(done, "one", wanted, inputs)
    found = re.search(r"^OUTPUTS\|(.*)\|(.*)\|(.*)\|(.*)$", done["one"]["log"], re.M)
    return done["one"]["log"], found.groups(), done["one"]["legs"][0]["workspace"]


GOOD = {"bench-base": "testdata/bench_original.txt", "bench-head": "testdata/bench_original.txt"}
BAD = {"bench-base": "testdata/bench_original.txt", "bench-head": "testdata/bench_optimized.txt", "flags": "-one-process"}


def action():
    state.reset()
    state.base = api.base
    page = ".docs/artifacts/ci/index.html"
    _, outputs, _ = run_action(GOOD)
    # The results are equal, but noise hides a change of the threshold in more than a fifth of the benchmarks.
    check(outputs == ("inconclusive", "0", page, ""), outputs)
    strict = [{"run": 'echo PPROFC_STRICT=1 >>"$GITHUB_ENV"'}]
    _, outputs, _ = run_action({**GOOD, "publish": "comment", "pr": "3"}, steps=strict, wanted="failure")
    check(outputs == ("inconclusive", "3", page, "true") and "could not be judged" in comment(), outputs, comment())
    _, outputs, _ = run_action(BAD, wanted="failure")
    check(outputs[:3] == ("REGRESSION", "2", page), outputs)
    _, outputs, _ = run_action({**BAD, "fail": "false"})
    check(outputs[:2] == ("REGRESSION", "0"), outputs)
    _, outputs, _ = run_action({"head": "testdata/none", "base": "testdata"}, wanted="failure")
    check(outputs == ("failed", "1", "", ""), outputs)
    _, outputs, where = run_action({"pairs": "testdata/generator_cpu.prof\ntestdata/generator_optimized_cpu.prof\n", "title": "A & B",
                                    "out": "some where/out", "flags": "-threshold\n7"})
    check(outputs[0] == "no benchmarks were compared" and os.path.exists(f"{where}/some where/out/index.html"), outputs)
    _, outputs, _ = run_action({**BAD, "publish": "comment", "pr": "3", "require-publish": "true"}, wanted="failure")
    check(outputs[3] == "true" and "slower" in comment(), outputs)
    report = f"https://github.example/o/r/actions/runs/{RUNNER.runs}/artifacts/{RUNNER.uploads}"
    check(f'**<a href="{report}#b-1">Setup-2</a>**' in comment() and f'<a href="{report}">Page</a>' in comment(), report, comment())
    check(list(RUNNER.artifacts[str(RUNNER.runs)]) == ["report.html"], "the report is not an artifact of its own")
    RUNNER.takes_files = False
    run_action({**BAD, "publish": "comment", "pr": "3", "require-publish": "true"}, wanted="failure")
    check(f"[Page](https://github.example/o/r/actions/runs/{RUNNER.runs})" in comment(), "a host that takes no single file:", comment())
    RUNNER.takes_files = True
    state.failures = [("POST .*statuses", (403, {"message": "Resource not accessible by integration"}, []))]
    log, outputs, _ = run_action({**GOOD, "publish": "status", "sha": HEAD, "require-publish": "true"}, wanted="failure")
    check(outputs[3] == "false" and "cannot publish the status" in log, log)
    state.failures = [("POST .*statuses", (403, {"message": "Resource not accessible by integration"}, []))]
    _, _, where = run_action({**GOOD, "publish": "status", "sha": HEAD, "json": "a.json", "markdown": "b.md"})
    check(os.path.exists(f"{where}/a.json") and os.path.exists(f"{where}/b.md"), "no files")
    del state.requests[:]
    log, _, _ = run_action({**GOOD, "publish": "status", "sha": HEAD, "dry-run": "true"})
    check("POST" in log and not state.requests, log)
    print("ok: inputs and outputs of the action")


def wrong_inputs():
    for inputs, said in (({}, "there is nothing to compare: give base and head"),
                         ({"base": "testdata"}, "-head is missing"),
                         ({"bench-base": "testdata/bench_original.txt"}, "-bench-head is missing"),
                         ({"base": "none", "head": "testdata"}, "'none' is not a folder"),
                         ({"base": "empty", "head": "empty"}, "empty"),
                         ({"pairs": "testdata/generator_cpu.prof"}, "the input pairs has 1 lines"),
                         ({"merge": "none/*"}, "no folder is named 'none/*'"),
                         ({"merge": "empty", **GOOD}, "the input merge joins runs that were made"),
                         ({**GOOD, "fail": "no"}, "the input fail is true or false, not 'no'"),
                         ({**GOOD, "threshold": "much"}, "-threshold must be a percentage, not 'much'"),
                         ({**GOOD, "flags": "-none"}, "none"),
                         ({"record": "-toolexec=./x"}, "-toolexec"), ({"record": "./...", "base-ref": "--help"}, "--help"),
                         ({**GOOD, "version": "../../x"}, "the input version is a version"),
                         ({**GOOD, "version": "9.9.9"}, "there is no release 9.9.9")):
        # -record searches go before the commit.
        if "base-ref" in inputs and not shutil.which("go"):
            continue
        log, outputs, where = run_action({"publish": "comment", "pr": "3", **inputs}, wanted="failure",
                                         steps=[{"uses": "actions/checkout@v4"}, {"run": "mkdir empty"}])
        lines = [line for line in log.split("\n") if line.startswith("pprofc") and said in line]
        check(lines, inputs, "should say", said, "and says", log)
        check(outputs[0] in ("failed", "") and not outputs[2], inputs, outputs)
        check(not os.path.exists(f"{where}/.docs/artifacts/ci/index.html"), inputs, "made a page")
    log, outputs, _ = run_action({"publish": "comment", "pr": "3", "merge": "empty"}, steps=[{"run": "mkdir empty"}], wanted="failure")
    check("cannot read 'empty/manifest.json'" in log and outputs[0] == "failed", log)
    check("no result" in comment() and not state.statuses, "a failed run was published as", comment())
    # An input is a value of a flag, and never code of the shell.
    for text in ("$(touch hacked)", "`touch hacked`", "'; touch hacked; '", '"; touch hacked; "', "${IFS}", "--help", "-h"):
        for name in ("base", "bench-base", "record", "out", "title", "simulate-base", "threshold", "merge", "key", "version"):
            path = os.path.join(WORK, "one.yml")
            steps = [{"uses": "OWNER/pprofc@v0", "with": {name: text, "publish": "comment", "dry-run": "true"}}]
            write(path, yaml.safe_dump({"name": "one", "on": "push", "jobs": {"one": {"runs-on": "x", "steps": steps}}}))
            done = RUNNER.run(path, "push", {}, HEAD)
            check("hacked" not in os.listdir(done["one"]["legs"][0]["workspace"]), name, text)
    with open(os.path.join(SOURCE, "action.yml"), encoding="utf-8") as file:
        scripts = [step["run"] for step in yaml.safe_load(file)["runs"]["steps"] if "run" in step]
    check(scripts and not any("${{" in script for script in scripts), "an expression in a script of action.yml")
    log, _, _ = run_action(GOOD, event="pull_request_target", wanted="failure")
    check("pull_request_target gives the code" in log, log)
    print("ok: inputs that are wrong, or look like flags and commands")


def versions():
    """Tests a release that is downloaded once, and a release with a wrong checksum."""
    RUNNER.caches.clear()
    RUNNER.hits.clear()
    del DOWNLOADS[:]
    run_action(GOOD)
    tarball = "/v0.1.0/pprofc-0.1.0-linux-amd64.tar.gz"
    check(DOWNLOADS == ["/v0.1.0/SHA256SUMS", tarball], DOWNLOADS)
    run_action(GOOD)
    check(DOWNLOADS.count(tarball) == 1 and len(RUNNER.hits) == 1, DOWNLOADS, RUNNER.hits)
    RUNNER.caches.clear()
    run_action({**GOOD, "sha256": DIGEST})
    RUNNER.caches.clear()
    log, outputs, _ = run_action({**GOOD, "sha256": "0" * 64}, wanted="failure")
    check("does not have the SHA-256" in log and outputs == ("", "", "", ""), log)
    check(not RUNNER.caches, "what has a wrong checksum was cached")
    # The version of a tag uses its release if the release exists.
    del RUNNER.overrides["version"]
    run_action(GOOD, name="OWNER/pprofc@v0.1.0")
    check(len(DOWNLOADS) > 2 and any(name.startswith("pprofc-release-linux-amd64-0.1.0-") for name in RUNNER.caches), RUNNER.caches)
    # Without a release, the action builds, and caches the build for this commit of the action.
    RUNNER.caches.clear()
    log, _, _ = run_action(GOOD, name="OWNER/pprofc@v0.0.9")
    check("there is no release 0.0.9: building" in log, log)
    run_action(GOOD, name="OWNER/pprofc@" + "a" * 40)
    key = [name for name in RUNNER.caches if name.endswith("-" + "a" * 40)]
    check(len(key) == 1, RUNNER.caches)
    RUNNER.hits.clear()
    log, _, _ = run_action(GOOD, name="OWNER/pprofc@" + "a" * 40)
    check(RUNNER.hits == key and "building" not in log, log)
    RUNNER.caches.clear()
    run_action(GOOD, name="OWNER/pprofc@main")
    first = set(RUNNER.caches)
    write(os.path.join(ACTION, "tools", "new.c"), "\n")
    run_action(GOOD, name="OWNER/pprofc@main")
    check(len(RUNNER.caches) == 2, "other sources have the same key:", first)
    RUNNER.overrides["version"] = "0.1.0"
    print("ok: releases and builds, fetched and made once")


# ---- GitLab and Jenkins -------------------------------------------------------------------------------------------------------


def service(lines, variables, wanted, shell, where):
    """Runs the lines of a job. Returns the printed text."""
    own = {"PATH": os.environ["PATH"], "HOME": where, "CI": "true", **RUNNER.environment["variables"], **variables}
    made = subprocess.run([*shell, "\n".join(lines)], cwd=where, env=own, capture_output=True, text=True, check=False, timeout=300)
    if made.returncode != wanted:
        fail("status", made.returncode, "not", wanted, lines, made.stdout, made.stderr)
    return made.stdout + made.stderr


def clone(name):
    where = os.path.join(WORK, name, "r")
    os.makedirs(os.path.dirname(where))
    git("clone", "-q", REMOTE, where)
    git("checkout", "-q", HEAD, where=where)
    return where


def component(inputs):
    """Returns the job that the component makes of these inputs. An unknown input is an error, as in GitLab."""
    with open(os.path.join(SOURCE, "templates/compare.yml"), encoding="utf-8") as file:
        head, body = file.read().split("\n---\n")
    declared = yaml.safe_load(head)["spec"]["inputs"]
    unknown = set(inputs) - set(declared)
    check(not unknown, "the component has no input", unknown)
    values = {name: runner.as_text(inputs.get(name, spec.get("default"))) for name, spec in declared.items()}
    used = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", body))
    check(used == set(declared), "inputs that are declared or used only:", used ^ set(declared))
    body = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda m: values[m[1]], body)
    (name, job), = yaml.load(body, yaml.BaseLoader).items()
    return name, job


@without_recording
def gitlab():
    with open(example("gitlab-ci.yml"), encoding="utf-8") as file:
        included, = yaml.safe_load(file)["include"]
    check(included["component"].split("@")[0].endswith("/pprofc/compare"), included)
    state.base, state.may_ask, state.login = api.base, True, "bot"
    where = clone("gitlab")
    inputs = {**included["inputs"], "repository": "file://" + PPROFC, "ref": "v0", **RUNNER.overrides}
    inputs.pop("base-ref")
    name, job = component(inputs)
    check(name == "performance", name)
    predefined = {"CI_PROJECT_DIR": where, "CI_COMMIT_SHA": HEAD, "GITLAB_CI": "true", "CI_API_V4_URL": api.base, "CI_PROJECT_ID": "42",
                  "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE, "CI_PIPELINE_ID": "9", "GITLAB_TOKEN": host.TOKEN,
                  "CI_PIPELINE_SOURCE": "merge_request_event", "CI_PROJECT_URL": "https://gitlab.example/o/r", "CI_JOB_ID": "5",
                  "CI_PIPELINE_URL": "https://gitlab.example/o/r/-/pipelines/9", "CI_JOB_URL": "https://gitlab.example/o/r/-/jobs/5"}
    variables = dict(predefined)
    for key, value in job["variables"].items():
        expand = not isinstance(value, dict)
        text = value if expand else value["value"]
        variables[key] = re.sub(r"\$(\w+)", lambda m: variables.get(m[1], ""), text) if expand else text
    text = service(job["script"], variables, 2, ["bash", "-eo", "pipefail", "-c"], where)
    check(len(state.notes) == 1 and "slower" in state.notes[0]["body"], text, state.notes)
    check(state.statuses[0][1]["state"] == "failed", state.statuses)
    for path in (*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()):
        check(os.path.exists(os.path.join(where, path)), "no", path)
    with open(os.path.join(where, "gl-code-quality.json"), encoding="utf-8") as file:
        check(isinstance(json.load(file), list), "code quality")
    print("ok: the component for GitLab")


@without_recording
def jenkins():
    with open(example("Jenkinsfile"), encoding="utf-8") as file:
        text = file.read()
    check(text.count("{") == text.count("}"), "braces of the Jenkinsfile")
    where = clone("jenkins")
    variables = {"JENKINS_URL": "http://localhost/", "BUILD_NUMBER": "1", "GIT_COMMIT": HEAD, "WORKSPACE": where, "CHANGE_TARGET": "main"}
    for name, value in re.findall(r"^    (\w+) = ['\"](.*)['\"]$", text, re.M):
        variables[name] = re.sub(r"\$\{env\.(\w+) \?: '(.*?)'\}", lambda m: variables.get(m[1]) or m[2], value)
    variables.update({"PPROFC_REPOSITORY": "file://" + PPROFC, "INPUT_VERSION": "0.1.0", "INPUT_MIRROR": MIRROR})
    variables.update({"INPUT_" + k.upper().replace("-", "_"): v for k, v in RUNNER.overrides.items()})
    steps = re.findall(r"^ +sh '(.*)'$", text, re.M)
    check(len(steps) == 2, steps)
    for number, step in enumerate(steps):
        service([step], variables, 2 if number else 0, ["sh", "-xec"], where)
    kept, = re.findall(r"archiveArtifacts artifacts: '(.*?)/\*\*'", text)
    for path in ("ci/index.html", "summary.md"):
        check(os.path.exists(os.path.join(where, kept, path)), "no", path)
    print("ok: the Jenkinsfile")


def private_folder():
    """Checks that scripts/action.sh installs into a private folder of this user, and never runs a file from another
    user or a cache."""
    folder, seen = os.path.join(WORK, "private", "pprofc"), os.path.join(WORK, "planted")
    planted = f"#!/bin/sh\necho planted >>{seen}\n"
    own = {"PATH": os.environ["PATH"], "HOME": WORK, "INPUT_MIRROR": MIRROR, "INPUT_VERSION": "0.1.0", "PPROFC_RELEASE": "0.1.0", "PPROFC_SOURCE": "release",
           "PPROFC_FOLDER": folder, "no_proxy": "127.0.0.1", **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}

    def install(wanted=0, **more):
        made = subprocess.run(["bash", os.path.join(PPROFC, "scripts/action.sh"), "install"], env={**own, **more}, capture_output=True, text=True, check=False)
        check((made.returncode != 0) == bool(wanted) and not os.path.exists(seen), made.returncode, made.stdout, made.stderr, os.path.exists(seen))
        return made.stderr

    def plant():
        write(f"{folder}/bin/pprofci", planted)
        os.chmod(f"{folder}/bin/pprofci", 0o755)

    install()
    check(os.stat(folder).st_mode & 0o777 == 0o700, "the folder is not private")
    plant()
    install()
    plant()
    with open(f"{folder}/pprofc-0.1.0-linux-amd64.tar.gz", "ab") as file:
        file.write(b"more")
    install()
    plant()
    install(wanted=1, INPUT_SHA256="0" * 64)
    install(INPUT_SHA256=DIGEST)
    plant()
    os.chmod(folder, 0o777)
    check("is removed" in install(PPROFC_SOURCE="build"), "a folder that others can write to")
    shutil.rmtree(folder)
    write(f"{WORK}/other/bin/pprofci", planted)
    os.chmod(f"{WORK}/other/bin/pprofci", 0o755)
    os.symlink(f"{WORK}/other", folder)
    install(PPROFC_SOURCE="build")
    if os.getuid() == 0:
        plant()
        os.chown(f"{folder}/bin/pprofci", 12345, 12345)
        check("is removed" in install(PPROFC_SOURCE="build"), "a program of another user")
    os.chmod(os.path.dirname(folder), 0o777)
    check("no program in it is run" in install(wanted=1), "a folder where others can rename")
    made = subprocess.run(["bash", os.path.join(PPROFC, "scripts/action.sh"), "choose"], env={**own, "TMPDIR": "/tmp"}, capture_output=True, text=True, check=False)
    check(f"folder={WORK}/.cache/pprofc/" in made.stdout, made.stdout)
    print("ok: no program of another user is run, and a release is checked each time")


# ---- documents ----------------------------------------------------------------------------------------------------------------


def check_rights(name):
    """Checks that a job which checks out the code of a pull request can only read, and that its checkout keeps no
    credentials."""
    with open(name, encoding="utf-8") as file:
        workflow = yaml.load(file, yaml.BaseLoader)
    check(workflow["permissions"] == {} and "pull_request_target" not in workflow["on"], name, "permissions of the workflow")
    for job in workflow["jobs"].values():
        writes = "write" in job["permissions"].values()
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                own = step["with"]
                trusted = workflow["on"] != "pull_request" or own.get("ref", "").endswith("base.ref }}")
                check(own["persist-credentials"] == ("true" if writes else "false") and (trusted or not writes), name, step)


# The oldest versions that GitHub still serves.
SERVED = {"upload-artifact": 4, "download-artifact": 4, "cache/restore": 4, "cache/save": 4, "checkout": 4, "setup-go": 5}


# The files by which pprofci init recognizes a project.
PROJECTS = {
    "go.mod": "module example.com/a\n\ngo 1.21\n",
    "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\n[dev-dependencies]\ncriterion = "0.5"\n',
    "CMakeLists.txt": "find_package(benchmark REQUIRED)\ntarget_link_libraries(bench benchmark::benchmark)\n",
    "bench/CMakeLists.txt": "find_package(benchmark REQUIRED)\n",
    "pom.xml": "<project><dependencies><dependency><artifactId>jmh-core</artifactId></dependency></dependencies></project>\n",
    "pyproject.toml": '[project]\nname = "a"\ndependencies = ["pytest-benchmark"]\n',
    "package.json": '{"name": "a", "scripts": {"bench": "node bench.js"}}\n',
}


def init_workflow(project, text):
    """Returns the workflow that pprofci init writes for a project."""
    place = os.path.join(WORK, "init", project)
    write(f"{place}/{project}", text)
    git("init", "-q", "-b", "main", ".", where=place)
    made = subprocess.run([f"{PROGRAMS}/pprofci", "init"], cwd=place, capture_output=True, text=True, check=False)
    check(made.returncode == 0, project, made.stderr)
    return f"{place}/.github/workflows/performance.yml"


def documents():
    """Checks that docs/CI_SERVICES.md links each example, and no other file."""
    with open(os.path.join(SOURCE, "docs/CI_SERVICES.md"), encoding="utf-8") as file:
        linked = set(re.findall(r"\]\(examples/ci/([\w.-]+)\)", file.read()))
    check(linked == set(os.listdir(EXAMPLES)), "examples that docs/CI_SERVICES.md links", linked)
    names = [example(n) for n in os.listdir(EXAMPLES) if n.endswith(".yml") and n != "gitlab-ci.yml"]
    for name in names:
        check_rights(name)
    for name in (*names, os.path.join(SOURCE, "action.yml"), os.path.join(SOURCE, "tools/pprofci/assets/init_workflow.yml")):
        with open(name, encoding="utf-8") as file:
            for used, version in re.findall(r"uses: actions/([\w/-]+)@v(\d+)", file.read()):
                check(int(version) >= SERVED.get(used, 1), name, "uses a version that GitHub has retired:", used, version)
    written = [init_workflow(project, text) for project, text in PROJECTS.items()]
    for lint, *flags in (["actionlint", "-no-color"], ["zizmor", "--offline", "--no-progress", "--config", os.path.join(SOURCE, "tests/ci/zizmor.yml")]):
        if not shutil.which(lint):
            print("note: no", lint)
            continue
        made = subprocess.run([lint, *flags, *names, *written], capture_output=True, text=True, check=False)
        check(made.returncode == 0, made.stdout, made.stderr)
    print("ok: docs/CI_SERVICES.md links each example")


def copy_action():
    """Creates a checkout of pprofc with a tag. Its build takes no time; scripts/try_fresh.sh tests the real build."""
    place = os.path.join(WORK, "pprofc")
    for name in ("action.yml", "CMakeLists.txt"):
        os.makedirs(place, exist_ok=True)
        shutil.copy(os.path.join(SOURCE, name), place)
    shutil.copytree(os.path.join(SOURCE, "scripts"), f"{place}/scripts")
    for name in ("libpprofc", "tools", "proto", "docs/man"):
        write(f"{place}/{name}/file", name)
    with open(f"{place}/scripts/lib.sh", "a", encoding="utf-8") as file:
        file.write('install_build_tools() { :; }\nbuild() { say "building in $1"; mkdir -p "$1/bin"; '
                   f"for p in $build_target; do cp '{PROGRAMS}'/$p \"$1/bin/\"; done; }}\n")
    git("init", "-q", "-b", "main", ".", where=place)
    git("add", ".", where=place)
    git("commit", "-q", "-m", "all: begin", where=place)
    git("tag", "v0", where=place)
    return place


for program in ("git", "bash"):
    if not shutil.which(program):
        print("skipped: no", program)
        sys.exit(77)
if not (shutil.which("curl") or shutil.which("wget")):
    print("skipped: neither curl nor wget, with which the action fetches a release")
    sys.exit(77)
for variable in list(os.environ):
    if variable.startswith(("GITHUB_", "CI_", "INPUT_", "PPROFC_", "GIT_")):
        del os.environ[variable]
os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
try:
    RELEASES = os.path.join(WORK, "releases")
    DIGEST = make_release(RELEASES, "0.1.0")
    MIRROR, DOWNLOADS = serve_folder(RELEASES)
    REMOTE, BASE, HEAD = make_repository()
    PPROFC = copy_action()
    ACTION = PPROFC + "-action"
    shutil.copytree(PPROFC, ACTION, ignore=shutil.ignore_patterns(".git"))
    api = host.start(host.Forms())
    state = api.state
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE") if name in os.environ}
    # Uses the Go build cache of the user, because compiling Go's packages takes 20 s of CPU time.
    if shutil.which("go"):
        kept["GOCACHE"] = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
    RUNNER = runner.Runner(WORK, REMOTE, {"OWNER/pprofc": ACTION}, {
        "token": host.TOKEN, "api": api.base,
        "variables": {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "no_proxy": "127.0.0.1", "GIT_CONFIG_GLOBAL": "/dev/null",
                      "GIT_AUTHOR_NAME": "tests", "GIT_AUTHOR_EMAIL": "tests@example.com", **kept}})
    RUNNER.overrides = {"version": "0.1.0", "mirror": MIRROR}
    parts = sys.argv[3:] or ["documents", "action", "wrong_inputs", "versions", "private_folder", "other_languages", "simple_pull_request", "failed_comparison", "from_a_fork",
                             "matrix", "pages", "history", "gitlab", "jenkins"]
    for part in parts:
        globals()[part]()
    if "simple_pull_request" in parts and not shutil.which("go"):
        print("skipped: recording in pull-request.yml: no go")
        sys.exit(77)
finally:
    shutil.rmtree(WORK, ignore_errors=True)
