"""Runs workflows of GitHub Actions. The runner reads a workflow, evaluates expressions, and executes shell steps and
composite actions with the files and variables of a real runner. It simulates the published actions for checkout, caches
and artifacts."""
import fnmatch
import glob
import itertools
import json
import os
import re
import shutil
import subprocess

import yaml

TOKENS = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<name>[A-Za-z_][\w-]*(?:\.[\w*-]+)*)|(?P<sign>&&|\|\||==|!=|!|\(|\)|,))")
SIGNS = {"&&": " and ", "||": " or ", "!": " not "}
FUNCTIONS = ("always", "success", "failure", "cancelled", "format", "contains")


class Broken(Exception):
    """A workflow that a real runner would reject."""


def as_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def lookup(context, name):
    """Returns the value of a path such as github.event.number, or "" if it does not exist."""
    value = context
    for part in name.split("."):
        if not isinstance(value, dict):
            return ""
        value = value.get(part, "")
    return value


def evaluate(text, context, succeeded=True):
    code, at = [], 0
    functions = {"always": lambda: True, "success": lambda: succeeded, "failure": lambda: not succeeded, "cancelled": lambda: False,
                 "format": lambda form, *words: re.sub(r"\{(\d+)\}", lambda m: as_text(words[int(m[1])]), form),
                 "contains": lambda whole, part: as_text(part) in whole}
    while at < len(text.rstrip()):
        token = TOKENS.match(text, at)
        if not token:
            raise Broken(f"the expression '{text}' at '{text[at:]}'")
        at = token.end()
        if token["text"]:
            code.append(repr(token["text"][1:-1].replace("''", "'")))
        elif token["name"] in FUNCTIONS:
            code.append(f"functions['{token['name']}']")
        elif token["name"] in ("true", "false", "null"):
            code.append({"true": "True", "false": "False", "null": "None"}[token["name"]])
        elif token["name"]:
            if token["name"].split(".")[0] not in context:
                raise Broken(f"there is no context {token['name']}")
            code.append(f"lookup(context, '{token['name']}')")
        else:
            code.append(token["number"] or SIGNS.get(token["sign"], token["sign"]))
    return eval("".join(code), {"functions": functions, "lookup": lookup, "context": context})  # pylint: disable=eval-used


def fill(text, context):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: as_text(evaluate(m[1], context)), as_text(text), flags=re.S)


def wanted(condition, context, succeeded):
    """True if the `if` of a step or job is true. A condition without a status function also requires success."""
    if condition is None:
        return succeeded
    text = as_text(condition).strip()
    text = text[3:-2] if text.startswith("${{") else text
    held = bool(evaluate(text, context, succeeded))
    return held if re.search(r"\b(always|success|failure|cancelled)\(", text) else held and succeeded


def read_outputs(path):
    """Reads the lines NAME=VALUE and NAME<<END of a file that a step wrote."""
    found, lines = {}, []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    while lines:
        line = lines.pop(0)
        several = re.fullmatch(r"([\w-]+)<<(\S+)", line)
        if several:
            end = lines.index(several[2])
            found[several[1]] = "\n".join(lines[:end])
            del lines[:end + 1]
        elif "=" in line:
            name, _, value = line.partition("=")
            found[name] = value
        elif line:
            raise Broken(f"the output '{line}'")
    return found


class Runner:
    """State that workflows share: caches, artifacts, the remote repository."""

    def __init__(self, place, remote, actions, environment):
        self.place, self.remote, self.actions, self.environment = place, remote, actions, environment
        self.caches, self.artifacts, self.runs, self.number = {}, {}, 100, 0
        self.hits = []     # keys of restored caches
        self.search = []     # folders to search before the folders of PATH
        self.uploads, self.takes_files = 0, True  # older hosts accept no single file
        self.overrides = {}  # inputs that make the actions of pprofc faster
        self.summary = ""

    def path(self, *names):
        self.number += 1
        return os.path.join(self.place, f"{self.number}-" + "-".join(names))

    def run(self, path, event_name, event, sha, **github):
        """Runs all jobs of a workflow. Returns the result of each job by name: {"result", "log", "steps"}."""
        with open(path, encoding="utf-8") as file:
            workflow = yaml.load(file, yaml.BaseLoader)
        triggers = workflow["on"]
        if event_name not in (triggers if isinstance(triggers, (dict, list)) else [triggers]):
            raise Broken(f"{path} is not for {event_name}")
        self.runs += 1
        event_path = self.path("event.json")
        with open(event_path, "w", encoding="utf-8") as file:
            json.dump(event, file)
        base = {"event_name": event_name, "event": event, "sha": sha, "repository": "o/r", "repository_owner": "o",
                "run_id": str(self.runs), "token": self.environment["token"], "server_url": "https://github.example",
                "api_url": self.environment["api"], "event_path": event_path, "workflow": workflow["name"], **github}
        self.artifacts[base["run_id"]] = {}
        done = {}
        for name, job in workflow["jobs"].items():
            needs = job.get("needs", [])
            needs = [needs] if isinstance(needs, str) else needs
            context = {"github": base, "needs": {n: {"result": done[n]["result"]} for n in needs}}
            good = all(done[n]["result"] == "success" for n in needs)
            if not wanted(job.get("if"), context, good):
                done[name] = {"result": "skipped", "log": "", "steps": {}}
                continue
            matrix = job.get("strategy", {}).get("matrix", {})
            legs = [dict(zip(matrix, values)) for values in itertools.product(*matrix.values())]
            made = [Job(self, base, workflow, job, leg).run() for leg in legs]
            done[name] = {"result": "failure" if any(m["result"] == "failure" for m in made) else "success",
                          "log": "".join(m["log"] for m in made), "steps": made[-1]["steps"], "legs": made}
        return done


class Job:
    def __init__(self, runner, github, workflow, job, matrix):
        self.runner, self.job = runner, job
        self.workspace = runner.path("workspace", "r")
        self.temp = runner.path("temp")
        os.makedirs(self.workspace)
        os.makedirs(self.temp)
        self.github = dict(github, workspace=self.workspace)
        self.context = {"github": self.github, "matrix": matrix, "env": {}, "inputs": {}, "steps": {},
                        "runner": {"os": "Linux", "arch": "X64", "temp": self.temp}, "secrets": {"GITHUB_TOKEN": self.github["token"]}}
        for level in (workflow, job):
            self.context["env"].update({k: fill(v, self.context) for k, v in level.get("env", {}).items()})
        self.variables, self.search, self.log = {}, [], ""
        self.may_write = job.get("permissions", workflow.get("permissions", {}))

    def run(self):
        good, outcomes = self.steps(self.job["steps"], self.context)
        return {"result": "success" if good else "failure", "log": self.log, "steps": outcomes, "workspace": self.workspace}

    def steps(self, steps, context):
        """Runs the steps in a context, which gets the outputs of each step. Returns True if all steps succeeded, and
        the outcome of each step."""
        good, outcomes = True, {}
        for number, step in enumerate(steps):
            name = step.get("name") or step.get("uses") or f"step {number}"
            if not wanted(step.get("if"), context, good):
                outcomes[name] = "skipped"
                continue
            env = {k: fill(v, context) for k, v in step.get("env", {}).items()}
            inputs = {k: fill(v, context) for k, v in step.get("with", {}).items()}
            if "uses" in step:
                ok, outputs = self.use(step["uses"], inputs)
            else:
                ok, outputs = self.shell(step, dict(context, env={**context["env"], **env}), env)
            outcomes[name] = "success" if ok else "failure"
            good = good and (ok or step.get("continue-on-error") == "true")
            if "id" in step:
                context["steps"][step["id"]] = {"outputs": outputs, "outcome": outcomes[name]}
        return good, outcomes

    def shell(self, step, context, env):
        script, output, path, environment = (self.runner.path(n) for n in ("script", "output", "path", "env"))
        with open(script, "w", encoding="utf-8") as file:
            file.write(fill(step["run"], context))
        for name in (output, path, environment):
            open(name, "w", encoding="utf-8").close()
        summary = self.runner.path("summary")
        own = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": output, "GITHUB_PATH": path, "GITHUB_ENV": environment,
               "GITHUB_STEP_SUMMARY": summary, "GITHUB_WORKSPACE": self.workspace, "RUNNER_TEMP": self.temp, "RUNNER_OS": "Linux",
               "HOME": self.temp, "PATH": os.pathsep.join(self.search[::-1] + self.runner.search + [os.environ["PATH"]])}
        for name in ("sha", "repository", "event_name", "event_path", "run_id", "server_url", "api_url", "base_ref", "head_ref"):
            own["GITHUB_" + name.upper()] = as_text(self.github.get(name))
        own.update(self.runner.environment["variables"])
        own.update(context["env"])
        own.update(self.variables)
        own.update(env)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", script] if step.get("shell") == "bash" else ["bash", "-e", script]
        made = subprocess.run(command, cwd=self.workspace, env=own, capture_output=True, text=True, check=False, timeout=600)
        self.log += made.stdout + made.stderr
        self.variables.update(read_outputs(environment))
        with open(path, encoding="utf-8") as file:
            self.search += file.read().split()
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as file:
                self.runner.summary = file.read()
        return made.returncode == 0, read_outputs(output)

    # ---- actions

    def use(self, name, inputs):
        what = name.split("@")[0]
        simulated = {"actions/checkout": self.checkout, "actions/setup-go": lambda _: (True, {}), "actions/cache/restore": self.restore,
                     "actions/cache/save": self.save,
                     "actions/upload-artifact": self.upload, "actions/download-artifact": self.download}
        if what in simulated:
            return simulated[what](inputs)
        if what in self.runner.actions:
            return self.composite(name, self.runner.actions[what], inputs)
        raise Broken(f"there is no action {name}")

    def composite(self, name, folder, given):
        with open(os.path.join(folder, "action.yml"), encoding="utf-8") as file:
            action = yaml.load(file, yaml.BaseLoader)
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise Broken(f"{name} has no input {', '.join(sorted(unknown))}")
        own = dict(self.github, action_path=folder, action_ref=name.split("@")[1], action_repository=name.split("@")[0])
        context = {"github": own, "env": dict(self.context["env"]), "runner": self.context["runner"], "steps": {}}
        inputs = {k: fill(v.get("default", ""), context) for k, v in action["inputs"].items()}
        # Inputs for recording apply only to steps that record.
        own = self.runner.overrides if "record" in given else {k: v for k, v in self.runner.overrides.items() if k in ("version", "mirror")}
        context["inputs"] = {**inputs, **{k: v for k, v in own.items() if k not in ("version", "mirror") or k not in given}}
        context["inputs"].update({k: v for k, v in given.items() if "record" not in given or k not in own})
        good, _ = self.steps(action["runs"]["steps"], context)
        return good, {k: fill(v["value"], context) for k, v in action.get("outputs", {}).items()}

    def checkout(self, inputs):
        folder = os.path.join(self.workspace, inputs.get("path", ""))
        git = ["git", "-c", "advice.detachedHead=false"]
        subprocess.run([*git, "clone", "-q", "--no-checkout", self.runner.remote, folder], check=True)
        subprocess.run([*git, "-C", folder, "checkout", "-q", inputs.get("ref") or self.github["sha"]], check=True)
        return True, {}

    def restore(self, inputs):
        kept = self.runner.caches.get(inputs["key"])
        if kept:
            self.runner.hits.append(inputs["key"])
            shutil.copytree(kept, inputs["path"], symlinks=True, dirs_exist_ok=True)
        return True, {"cache-hit": "true" if kept else ""}

    def save(self, inputs):
        kept = self.runner.path("cache")
        shutil.copytree(inputs["path"], kept, symlinks=True)
        self.runner.caches.setdefault(inputs["key"], kept)
        return True, {}

    def upload(self, inputs):
        found = os.path.join(self.workspace, inputs["path"])
        hidden = inputs.get("include-hidden-files") == "true"
        files = [found] if os.path.isfile(found) else glob.glob(found + "/**", recursive=True, include_hidden=True)
        files = [f for f in files if os.path.isfile(f) and
                 (hidden or not any(part.startswith(".") for part in os.path.relpath(f, self.workspace).split("/")))]
        if not files:
            return inputs.get("if-no-files-found") != "error", {}
        store, kept = self.runner.artifacts[self.github["run_id"]], self.runner.path("artifact")
        alone = inputs.get("archive") == "false"
        if alone and (len(files) != 1 or not self.runner.takes_files):
            self.log += "only one file can be uploaded without an archive\n"
            return False, {}
        artifact = os.path.basename(files[0]) if alone else inputs["name"]
        if artifact in store and inputs.get("overwrite") != "true":
            self.log += f"the artifact {artifact} is there already\n"
            return False, {}
        root = found if os.path.isdir(found) else os.path.dirname(found)
        for name in files:
            to = os.path.join(kept, os.path.relpath(name, root))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(name, to)
        store[artifact] = kept
        self.runner.uploads += 1
        return True, {"artifact-url": f"https://github.example/o/r/actions/runs/{self.github['run_id']}/artifacts/{self.runner.uploads}"}

    def download(self, inputs):
        store = self.runner.artifacts[inputs.get("run-id") or self.github["run_id"]]
        place = os.path.join(self.workspace, inputs.get("path", ""))
        if "name" in inputs and inputs["name"] not in store:
            self.log += f"there is no artifact {inputs['name']}\n"
            return False, {}
        for name, kept in store.items():
            if name == inputs.get("name"):
                shutil.copytree(kept, place, dirs_exist_ok=True)
            elif "name" not in inputs and fnmatch.fnmatch(name, inputs.get("pattern", "*")):
                shutil.copytree(kept, os.path.join(place, name), dirs_exist_ok=True)
        return True, {}
