#!/usr/bin/env python3
"""Tests pprofci publish against a local host that keeps state and fails on purpose: publish.py SOURCE PROGRAMS CACHE.
"""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import publish_server as host
from publish_job import SHA, Job, run_folder

SOURCE, PROGRAMS, CACHE = sys.argv[1:4]
PPROFCI = os.path.join(PROGRAMS, "pprofci")
DESCRIPTION = "@octokit/openapi@23.0.2"


def description():
    """Returns GitHub's own description of its API, from npm, or None."""
    path = os.path.join(CACHE, "openapi", "api.github.com.json")
    if not os.path.exists(path):
        if not shutil.which("npm"):
            print("note: requests are checked against the forms in publish_server.py: there is no npm")
            return None
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["npm", "pack", DESCRIPTION], cwd=folder, capture_output=True, timeout=120, check=False)
            names = os.listdir(folder)
            if made.returncode or not names:
                print("note: requests are checked against the forms in publish_server.py: npm cannot get", DESCRIPTION)
                return None
            with tarfile.open(os.path.join(folder, names[0])) as archive:
                data = archive.extractfile("package/generated/api.github.com.json").read()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as file:
            file.write(data)
        os.replace(path + ".new", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


server = host.start(host.Forms(description()))
state = server.state
job = Job(PPROFCI, server, 0, no_proxy="127.0.0.1")
check, publish, one_line = job.check, job.publish, job.one_line


def ours(number="3"):
    return [c["body"] for c in state.comments if c["number"] == number and c["user"]["login"] == state.login]


def planted(name, count, long=""):
    """Creates a folder whose run has this number of regressions, each with a place."""
    shutil.copytree("bad/ci", name)
    with open(f"{name}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    manifest["regressions"] = [
        {"group": "g", "benchmark": f"B{i}", "file": f"src/f{i}.go", "line": i + 1, "title": f"B{i} slower" + long,
         "message": f"B{i} is slower" + long} for i in range(count)]
    with open(f"{name}/manifest.json", "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return name


def comments():
    publish("-pr", "3", "-to", "comment", good)
    check(len(ours()) == 1 and ours()[0].startswith("<!-- pprofc:default -->\n"), "a first comment")
    check("[Page](https://github.example/o/r/actions/runs/100)" in ours()[0] and "measured aaaaaaa" in ours()[0], "links")
    check("any more" not in ours()[0], "mended what never broke")
    publish("-pr", "3", "-to", "comment", bad, wanted=2, env={"GITHUB_SHA": SHA["b"], "GITHUB_RUN_ID": "101"})
    check(len(ours()) == 1 and "### ✗ Setup-2 is 2.3 times slower" in ours()[0], "updated in place")
    check(job.last.stdout.startswith("REGRESSION: Setup-2") and "comment: updated" in job.last.stdout, "what it prints")
    for commit, run in (("c", "102"), ("d", "103")):
        publish("-pr", "3", "-to", "comment", good, env={"GITHUB_SHA": SHA[commit], "GITHUB_RUN_ID": run})
        check("### ✓ No regressions any more (bbbbbbb had 1)" in ours()[0], "mended in", commit)
    publish("-pr", "3", "-to", "comment", nothing, env={"GITHUB_SHA": SHA["a"], "GITHUB_RUN_ID": "104"})
    check("any more" not in ours()[0] and "### ? " in ours()[0], "nothing compared is no mend")
    publish("-pr", "3", "-to", "comment", bad, wanted=2, env={"GITHUB_RUN_ID": "99"})
    check("### ? " in ours()[0] and "newer run" in job.last.stdout, "an old run wrote over a newer one")
    publish("-pr", "3", "-to", "comment", "-key", "arm", good)
    check(len(ours()) == 2, "another key is another comment")
    print("ok: one comment for each key, updated in place; mended, undecided, and overtaken runs")

    state.reset()
    state.base = server.base
    state.comments = [{"id": i, "number": "3", "user": {"login": "mallory"}, "body": "<!-- pprofc:default -->\nhello"}
                      for i in range(1, 251)]
    state.next_id = 1000
    publish("-pr", "3", "-to", "comment", good)
    check(len(ours()) == 1 and len(state.comments) == 251, "the marker of another author was taken for ours")
    publish("-pr", "3", "-to", "comment", good)
    check(len(ours()) == 1 and [r[0] for r in state.requests][-4:] == ["GET", "GET", "GET", "PATCH"], "not found on page three")
    state.may_ask, state.login = True, "robot"
    publish("-pr", "3", "-to", "comment", good)
    check(len(ours()) == 1 and state.comments[-1]["user"]["login"] == "robot", "the login of a personal token")
    print("ok: a comment is ours by marker and author, through all pages")


def write_manifest(folder, manifest):
    with open(f"{folder}/manifest.json", "w", encoding="utf-8") as file:
        json.dump(manifest, file)


def issues():
    state.reset()
    state.base = server.base
    state.issues = [{"number": 1, "state": "open", "user": {"login": "mallory"}, "body": "<!-- pprofc:default -->\nhello"}]
    with open("worse.md", "w", encoding="utf-8") as file:
        file.write("### 1 benchmark got slower or larger in the last 10 runs of main\n")
    with open("same.md", "w", encoding="utf-8"):
        pass
    publish("-issue", "same.md")
    check(len(state.issues) == 1 and "no issue is open" in job.last.stdout, "an issue about nothing")
    publish("-issue", "worse.md")
    made = state.issues[-1]
    check(len(state.issues) == 2 and made["title"] == "Benchmarks got worse" and "### 1 benchmark" in made["body"], "opened")
    count = len(state.requests)
    publish("-issue", "worse.md")
    check(len(state.issues) == 2 and len(state.requests) == count + 2 and "unchanged" in job.last.stdout, "written again")
    with open("worse.md", "a", encoding="utf-8") as file:
        file.write("\nmore\n")
    publish("-issue", "worse.md")
    check(len(state.issues) == 2 and made["body"].endswith("more\n") and made["state"] == "open", "updated")
    publish("-issue", "same.md")
    check(made["state"] == "closed" and "No benchmark got worse" in made["body"], "closed")
    check(state.issues[0]["body"].endswith("hello") and state.issues[0]["state"] == "open", "the issue of another author was written")
    state.failures = [("POST /repos/o/r/issues", "lost")]
    publish("-issue", "worse.md")
    check(len([i for i in state.issues if i["state"] == "open"]) == 2, "a lost reply made two issues")
    state.failures = [("PATCH", (403, {"message": "Resource not accessible by integration"}, ()))]
    publish("-issue", "same.md", wanted=1)
    one_line("cannot publish the issue", "403")
    publish("-issue", "missing.md", wanted=1)
    publish("-issue", "worse.md", "-to", "comment", wanted=1)
    state.reset()
    gitlab = {"GITHUB_REPOSITORY": None, "GITLAB_CI": "true", "CI_API_V4_URL": server.base, "CI_PROJECT_ID": "42",
              "GITLAB_TOKEN": host.TOKEN, "CI_COMMIT_SHA": SHA["a"]}
    state.may_ask = True
    for name in ("worse.md", "worse.md", "same.md"):
        publish("-issue", name, env=gitlab)
    check([i["state"] for i in state.issues] == ["closed"], "an issue of GitLab", state.issues)
    publish("-issue", "worse.md", "-host", "bitbucket", wanted=1, env={"BITBUCKET_REPO_FULL_NAME": "o/r", "BITBUCKET_TOKEN": host.TOKEN,
                                                                       "BITBUCKET_API_URL": server.base})
    print("ok: one issue for each key: opened, updated, closed")


def lengths():
    folder = "long"
    shutil.copytree("bad/ci", folder)
    os.remove(f"{folder}/summary.md")  # pprofci publish reads only the manifest
    with open(f"{folder}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    parts = manifest["summary"]["parts"]
    at = next(i for i, part in enumerate(parts) if part["title"])
    parts[at:at] = [{"title": "é", "text": ["é" * 24000 + "\n"]}] * 3
    write_manifest(folder, manifest)
    publish("-pr", "4", "-to", "comment,check", folder, wanted=2)
    body = ours("4")[0]
    check("### ✗ Setup-2 is 2.3 times slower" in body and "more sections" in body and len(body.encode()) <= 65536, "cut")
    check(" measurements</summary>" in body, "a short section behind a long one")
    manifest["summary"] = {"sign": "✗ ", "title": "x@<!-- -->" * 20000, "parts": [{"title": "", "text": ["| a |\n" * 30000]}]}
    write_manifest(folder, manifest)
    publish("-pr", "4", "-to", "comment", folder, wanted=2)
    body = ours("4")[0]
    check(len(body.encode()) <= 65536 and body.count("<!--") == body.count("-->") and "more lines" in body, "a long headline")
    print("ok: a comment is cut to 65,536, the verdict is not")


def checks():
    publish("-to", "status,check", planted("many", 120), wanted=2)
    parts = list(state.checks.values())[0]
    check([len(p["output"]["annotations"]) for p in parts] == [50, 50, 20], "batches")
    check(parts[0]["conclusion"] == "failure" and parts[2]["output"]["annotations"][19]["path"] == "src/f119.go", "a check")
    check(state.statuses[0][1]["state"] == "failure" and state.statuses[0][0] == SHA["a"], "a status")
    for folder, flags, wanted, ends in ((good, [], 0, ("success", "success")), (nothing, [], 0, ("error", "neutral")),
                                        (bad, ["-no-fail"], 0, ("success", "neutral"))):
        state.reset()
        publish("-to", "status,check", *flags, folder, wanted=wanted)
        check((state.statuses[0][1]["state"], list(state.checks.values())[0][0]["conclusion"]) == ends, folder, ends)
    state.reset()
    state.checks = {}
    publish("-to", "check", planted("long-notes", 2, "ü" * 40000), wanted=2)
    print("ok: statuses, check runs, annotations in batches of 50")


def failures():
    html = (502, b"<html>bad gateway</html>", [("Content-Type", "text/html")])
    limited = (403, {"message": "You have exceeded a secondary rate limit"}, [("Retry-After", "1")])
    year = 365 * 86400
    reset = (429, {"message": "slow down"}, [("Date", "Sun, 01 Nov 2020 10:00:00 GMT"), ("X-RateLimit-Remaining", "0"),
                                             ("X-RateLimit-Reset", str(1604224800 + 1))])
    for what in (html, limited, reset, (500, {"message": "oops"}), "cut"):
        state.reset()
        state.failures = [("POST .*/statuses", what)]
        publish("-to", "status", good)
        check(len(state.statuses) == 1 and not job.last.stderr, "one failure and another try", what)
    state.reset()
    state.failures = [("POST .*/comments", "lost")]
    publish("-pr", "3", "-to", "comment", good)
    check(len(ours()) == 1, "a reply was lost and the comment occurs twice")
    print("ok: another try after 5xx, rate limits by the server's clock, cut connections; no comment twice")

    broken = [(401, {"message": "Bad credentials"}, "has expired"), (403, {"message": "Resource not accessible"}, "lacks a permission"),
              (404, {"message": "Not Found"}, "does not exist"), (422, {"message": "Validation Failed", "errors": [{"message": "no"}]}, "no"),
              (200, b"<html>log in</html>", "is not JSON"), (301, b"", "where the token is not sent"),
              (401, {"message": "what is " + host.TOKEN}, "what is ***")]
    for code, body, words in broken:
        state.reset()
        headers = [("Content-Type", "text/html")] if isinstance(body, bytes) else []
        if code == 301:
            headers.append(("Location", f"http://localhost:{server.server_address[1]}/repos/o/r/statuses/{SHA['a']}"))
        state.failures = [("POST .*/statuses", (code, body, headers))]
        publish("-to", "status", bad, wanted=2)
        one_line("cannot publish the status: POST ", words)
        check(job.last.stdout.startswith("REGRESSION: ") and len(state.requests) == 1, "the verdict, one request", code)
        state.failures = [("POST .*/statuses", (code, body, headers))]
        publish("-to", "status", "-require-publish", good, wanted=1)
    state.reset()
    state.failures = [("POST .*/statuses", (403, {"message": "Repository was archived"}, []))]
    publish("-to", "status", good)
    check(job.last.stderr.endswith("403 forbidden: Repository was archived\n"), "403 has causes other than permissions", job.last.stderr)
    # The reply to a secondary limit has no Retry-After header, and its reset time belongs to another limit.
    hour = [("X-RateLimit-Remaining", "4000"), ("X-RateLimit-Reset", str(int(time.time()) + 3000))]
    for headers in ([], hour):
        state.failures = [("POST .*/statuses", (403, {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}, headers))]
        publish("-to", "status", "-wait", "30", good)
        one_line("403 rate limited (try again in 60 seconds)")
    state.reset()
    state.failures = [("POST .*/statuses", (403, {"message": "You have triggered an abuse detection mechanism"}, []))]
    publish("-to", "status", good)
    check(len(state.statuses) == 1 and not job.last.stderr, "a minute is waited, and the request sent again")
    state.reset()
    state.failures = [("POST", (429, {"message": "x"}, [("Retry-After", str(year))]))]
    start = time.time()
    publish("-to", "status", good)
    one_line("429 rate limited", f"try again in {year} seconds")
    state.failures = [("POST", "cut")] * 4
    publish("-to", "status", "-wait", "1", good)
    one_line("cannot publish the status")
    check(time.time() - start < 30, "it waited too long")
    state.failures = [("GET .*comments", (200, [], [("Link", '<http://localhost:1/x>; rel="next"')]))]
    publish("-pr", "3", "-to", "comment", good)
    one_line("is not at")
    publish("-to", "status", good, env={"GITHUB_API_URL": "http://example.com"})
    one_line("is not https")
    publish("-to", "status", good, env={"GITHUB_TOKEN": "two words-of-a-token"})
    one_line("has invalid characters")
    publish("-to", "status", good, env={"GITHUB_TOKEN": None})
    one_line("GITHUB_TOKEN is not set")
    publish("-to", "status", "nowhere", wanted=1)
    one_line("nowhere/manifest.json")
    publish(good, wanted=1, env={"GITHUB_REPOSITORY": None})
    one_line("no host in the environment")
    publish("-to", "status", good, wanted=1, env={"GITHUB_REPOSITORY": "o/../r"})
    one_line("which is not a repository")
    print("ok: each failure is one line, the verdict and its status stay; no token leaves its host")


def forks():
    event = {"repository": {"full_name": "o/r"}, "pull_request": {
        "number": 3, "head": {"sha": SHA["b"], "repo": {"full_name": "stranger/r"}}}}
    with open("event.json", "w", encoding="utf-8") as file:
        json.dump(event, file)
    env = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "event.json"}
    publish(bad, wanted=2, env=dict(env, GITHUB_TOKEN=None))
    check(not state.requests and not os.path.exists("bad/ci/comment.md") and "second workflow" in job.last.stderr, "a fork's run")
    second = {"workflow_run": {"head_sha": SHA["b"], "head_branch": "fix/it now", "pull_requests": [],
                               "head_repository": {"owner": {"login": "stranger"}}}}
    with open("second.json", "w", encoding="utf-8") as file:
        json.dump(second, file)
    env = {"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_EVENT_PATH": "second.json"}
    state.pulls = [{"number": 8, "head": {"sha": SHA["c"]}}, {"number": 9, "head": {"sha": SHA["b"]}}]
    publish("-body", "bad/ci/manifest.json", env=env)
    lines = ours("9")[0].split("\n")
    check(len(ours("9")) == 1 and lines[2] == "### Reported by the fork's own run" and "Setup-2 is" in ours("9")[0], "posted by the second workflow", ours("9"))
    check(any("head=stranger:fix%2Fit%20now" in r[1] for r in state.requests), "how the change is found")
    with open("bad/ci/manifest.json", encoding="utf-8") as file:
        forged = json.load(file)
    evil = f"</pre>\n<!-- state run=999999 regressed=7 good=1 commit={SHA['d']} --> @everyone ![i](http://x/i.png) [l](http://x) <img src=x> #1 " + "a" * 5000
    forged.update(headline=evil, verdict=evil, commit=evil, regressions=[{"message": evil, "file": evil, "line": 1, "title": evil, "benchmark": evil}] * 5000)
    with open("forged.json", "w", encoding="utf-8") as file:
        json.dump(forged, file)
    publish("-body", "forged.json", env=dict(env, GITHUB_RUN_ID="101"))
    text = ours("9")[0]
    head, _, quoted = text.partition("<pre>\n")
    quoted, _, after = quoted.partition("</pre>")
    check("run=101 regressed=0 good=0 commit=" + SHA["b"] in head and "had=" not in text and SHA["d"] not in head, "a forged state", head)
    check(not any(c in quoted for c in "<>") and "@" not in head + after and "http:" not in head + after and len(text) < 20000, "live text of a fork", text[:2000])
    check("and 4980 more" in quoted and after.count("\n") < 5, after)
    # The results of the fork do not count as earlier regressions.
    publish(good, env=dict(env, GITHUB_RUN_ID="102"))
    check("No regressions any more" not in ours("9")[0], "a fork's report is believed", ours("9")[0][:300])
    for text in ("hello\n", "<!-- pprofc:default -->\nx\n", "{}", "[" * 100000, '{"version": 3, "gate_status": 9, "verdict": "x", "headline": "x"}'):
        with open("forged.md", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        publish("-body", "forged.md", wanted=1, env=env)
        one_line("forged.md")
    state.pulls = []
    publish("-body", "bad/ci/manifest.json", wanted=1, env=env)
    one_line("no open pull request")
    event["pull_request"]["head"]["repo"]["full_name"] = "o/r"
    with open("event.json", "w", encoding="utf-8") as file:
        json.dump(event, file)
    publish(bad, wanted=2, env={"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "event.json"})
    check(ours() and state.statuses[0][0] == SHA["b"], "the head of the pull request, not what GitHub has merged")
    print("ok: a fork's run writes a file, a second workflow posts it on the right change")


def others():
    gitlab = {"GITHUB_REPOSITORY": None, "GITHUB_TOKEN": None, "GITLAB_CI": "true", "CI_API_V4_URL": server.base,
              "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7", "CI_COMMIT_SHA": SHA["a"], "CI_PIPELINE_ID": "5",
              "GITLAB_TOKEN": host.TOKEN, "CI_JOB_URL": "https://gitlab.example/o/r/-/jobs/1"}
    state.may_ask, state.login = True, "bot"
    publish(bad, "-codequality", "x", env=gitlab, wanted=1)
    one_line("'-codequality' comes after the first input")
    publish(bad, good, env=gitlab, wanted=1)
    one_line("one DIR")
    publish("-codequality", "quality.json", "-metrics", "metrics.txt", planted("quality", 3), env=gitlab, wanted=2)
    publish(good, env=gitlab)
    check(len(state.notes) == 1 and "No regressions any more (aaaaaaa" not in state.notes[0]["body"], "a note")
    check([s[1]["state"] for s in state.statuses] == ["failed", "success"], "statuses of GitLab")
    with open("quality.json", encoding="utf-8") as file:
        quality = json.load(file)
    check(len({q["fingerprint"] for q in quality}) == 3 and quality[1]["location"] == {"path": "src/f1.go", "lines": {"begin": 2}}, quality)
    with open("metrics.txt", encoding="utf-8") as file:
        metrics = file.read().splitlines()
    check(metrics[-1] == "# EOF" and 'benchmark="Setup-2",unit="sec/op"} 1.0' in "\n".join(metrics), "metrics")
    state.reset()
    bitbucket = {"GITHUB_REPOSITORY": None, "BITBUCKET_REPO_FULL_NAME": "o/r", "BITBUCKET_API_URL": server.base,
                 "BITBUCKET_COMMIT": SHA["a"], "BITBUCKET_BUILD_NUMBER": "4", "BITBUCKET_TOKEN": host.TOKEN}
    publish("-to", "check", planted("bucket", 120), env=bitbucket, wanted=2)
    report = state.reports["pprofc-default"]
    check(report[0]["result"] == "FAILED" and [len(notes) for notes in report[1:]] == [100, 20], "a report")
    state.may_ask, state.login, state.base = True, "{robot}", server.base
    state.bucket = [{"id": i, "user": {"uuid": "{other}"}, "content": {"raw": "<!-- pprofc:default -->\nhello"}, "deleted": False} for i in range(5)]
    with open(f"{bad}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    manifest["summary"]["parts"].append({"title": "more", "code": True, "text": ["&lt;a b=&#34;c&#34;&gt; &#39;d&#39; &amp; &#35;\n"]})
    write_manifest(bad, manifest)
    for folder, wanted, sign in ((bad, 2, "FAILED"), (good, 0, "SUCCESSFUL")):
        publish(folder, env=dict(bitbucket, BITBUCKET_PR_ID="5"), wanted=wanted)
        check(state.statuses[-1][1]["state"] == sign and state.statuses[-1][1]["url"] == "https://bitbucket.org/o/r/pipelines/results/4", "a build status")
        said = state.bucket[5]["content"]["raw"]
        check("<details" not in said and "<summary" not in said and "</" not in said and "\n**" in said, said)
        check(folder != bad or "\n    <a b=\"c\"> 'd' & #\n" in said, said)
        check(len(state.bucket) == 6 and "<a href" not in state.bucket[5]["content"]["raw"], "a comment of Bitbucket, on page three")
    check([r[0] for r in state.requests][-5:] == ["GET", "GET", "GET", "PUT", "POST"], "the comment is changed in place")
    state.failures = [("PUT", (404, {"error": {"message": "no such comment"}}))]
    publish("-to", "comment", bad, env=dict(bitbucket, BITBUCKET_PR_ID="5"), wanted=2)
    check(not job.last.stderr and len(state.bucket) == 6, "a comment that went away meanwhile is looked for again")
    publish("-to", "check", good, env=gitlab)
    one_line("gitlab has no checks; use -codequality for a report")
    fork = dict(gitlab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID="43")
    publish(good, env=fork)
    check("second workflow" in job.last.stderr, "a fork on GitLab")
    publish("-page", "https://site.example/pr/7/index.html", "-to", "comment", "-pr", "9", bad, wanted=2)
    check('**<a href="https://site.example/pr/7/index.html#b-1">Setup-2</a>**' in ours("9")[0] and "[Page]" not in ours("9")[0], "links to a page")
    report = "https://github.example/o/r/actions/runs/100/artifacts/5"
    with open(f"{bad}/manifest.json", encoding="utf-8") as file:
        kept = file.read()
    manifest = json.loads(kept)
    for note in manifest["regressions"]:
        note.update(file="a.go", line=3, link="flame/a_diff.html#search=f")
    with open(f"{bad}/manifest.json", "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    state.checks = {}
    publish("-report", report, "-to", "comment,check", "-pr", "9", bad, wanted=2)
    check(f'**<a href="{report}#b-1">Setup-2</a>**' in ours("9")[0] and f'<a href="{report}#method">how' in ours("9")[0], "links into a report")
    sent = list(state.checks.values())[0][0]
    check(sent["details_url"] == report and sent["output"]["annotations"][0]["message"].endswith(f"\n{report}#flame/a_diff.html&search=f"), sent)
    publish("-report", report, "-page", report, bad, wanted=1)
    one_line("-page and -report")
    with open(f"{bad}/manifest.json", "w", encoding="utf-8") as file:
        file.write(kept)
    publish("-markdown", "plain.md", "-json", "plain.json", bad, env={"GITHUB_REPOSITORY": None}, wanted=2)
    with open("plain.json", encoding="utf-8") as file:
        plain = json.load(file)
    check(plain["verdict"] == "REGRESSION" and len(plain["regressions"]) == 1, plain)
    with open("plain.md", encoding="utf-8") as file:
        check(file.read().startswith("### ✗ Setup-2"), "plain Markdown")
    publish("-to", "summary", bad, env={"GITHUB_STEP_SUMMARY": "step.md"}, wanted=2)
    with open("step.md", encoding="utf-8") as file:
        check(file.read().startswith("### ✗ Setup-2"), "the summary of a step")
    state.requests.clear()
    publish("-dry-run", "-pr", "3", "-to", "comment,status,check", bad, env={"GITHUB_TOKEN": None}, wanted=2)
    bodies = [json.loads(line) for line in job.last.stdout.splitlines() if line.startswith("{")]
    check(len(bodies) == 3 and not state.requests and f"POST {server.base}/repos/o/r/check-runs" in job.last.stdout, "a dry run")
    print("ok: GitLab, Bitbucket, files, a dry run")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    data = os.path.join(SOURCE, "testdata")
    one, two = os.path.join(data, "bench_original.txt"), os.path.join(data, "bench_optimized.txt")
    with open("same.txt", "w", encoding="utf-8") as file:
        file.writelines(f"BenchmarkA 1 10{i} ns/op\n" for i in range(6))
    os.mkdir("profiles")
    shutil.copy(os.path.join(data, "generator_cpu.prof"), "profiles/cpu.prof")
    good, bad = run_folder(PPROFCI, "good", "same.txt", "same.txt", 0), run_folder(PPROFCI, "bad", one, two, 2)
    subprocess.run([PPROFCI, "run", "-head", "profiles", "-out", "nothing/ci"], check=True, capture_output=True)
    nothing = "nothing/ci"
    publish("-to", "status", good)
    if "install the package" in job.last.stderr:
        print("skipped:", job.last.stderr.strip())
        os.chdir("/")
        sys.exit(77)
    for test in (comments, issues, lengths, checks, failures, forks, others):
        state.reset()
        state.base = server.base
        test()
    os.chdir("/")
