"""A host of repositories on the loopback for tests of pprofci publish. The host keeps comments, statuses, checks and
reports, and sends replies in pages. It checks each request against GitHub's OpenAPI description, or else the documented
forms. It fails if a test sets failures."""
import json
import re
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "ghs_a-token-of-the-test"
PAGE = 100

# The documented form of GitHub's four requests, used if the OpenAPI description is not available.
NOTE = {"type": "object", "required": ["path", "start_line", "end_line", "annotation_level", "message"], "properties": {
    "path": {"type": "string"}, "start_line": {"type": "integer"}, "end_line": {"type": "integer"},
    "annotation_level": {"type": "string", "enum": ["notice", "warning", "failure"]},
    "message": {"type": "string"}, "title": {"type": "string"}, "raw_details": {"type": "string"}}}
OUTPUT = {"type": "object", "required": ["title", "summary"], "properties": {
    "title": {"type": "string"}, "summary": {"type": "string", "maxLength": 65535}, "text": {"type": "string", "maxLength": 65535},
    "annotations": {"type": "array", "maxItems": 50, "items": NOTE}}}
CHECK = {"type": "object", "properties": {
    "name": {"type": "string"}, "head_sha": {"type": "string"}, "details_url": {"type": "string"},
    "status": {"type": "string", "enum": ["queued", "in_progress", "completed"]},
    "conclusion": {"type": "string", "enum": ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"]},
    "output": OUTPUT}}
FORMS = {
    "post /repos/{owner}/{repo}/statuses/{sha}": {"type": "object", "required": ["state"], "properties": {
        "state": {"type": "string", "enum": ["error", "failure", "pending", "success"]}, "target_url": {"type": "string"},
        "description": {"type": "string"}, "context": {"type": "string"}}},
    "post /repos/{owner}/{repo}/check-runs": dict(CHECK, required=["name", "head_sha"]),
    "patch /repos/{owner}/{repo}/check-runs/{check_run_id}": CHECK,
    "post /repos/{owner}/{repo}/issues/{issue_number}/comments": {
        "type": "object", "required": ["body"], "properties": {"body": {"type": "string"}}},
    "patch /repos/{owner}/{repo}/issues/comments/{comment_id}": {
        "type": "object", "required": ["body"], "properties": {"body": {"type": "string"}}},
    "post /repos/{owner}/{repo}/issues": {
        "type": "object", "required": ["title"], "properties": {"title": {"type": "string"}, "body": {"type": "string"}}},
    "patch /repos/{owner}/{repo}/issues/{issue_number}": {
        "type": "object", "properties": {"body": {"type": "string"}, "state": {"type": "string", "enum": ["open", "closed"]}}},
}
KINDS = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}


class Forms:
    """The schemas of request bodies by method and path."""

    def __init__(self, description=None):
        self.root = description or {}
        self.schemas = dict(FORMS)
        if description:
            for key in self.schemas:
                method, path = key.split(" ")
                self.schemas[key] = description["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]

    def wrong(self, key, value):
        return self.check(self.schemas[key], value, "body")

    def check(self, schema, value, where):
        """Returns the error of a value, or None if the value is valid."""
        while "$ref" in schema:
            target = self.root
            for part in schema["$ref"].lstrip("#/").split("/"):
                target = target[part]
            schema = target
        for part in schema.get("allOf", []):
            wrong = self.check(part, value, where)
            if wrong:
                return wrong
        for several in ("oneOf", "anyOf"):
            if several in schema and all(self.check(part, value, where) for part in schema[several]):
                return f"{where} is none of its {several}"
        if value is None:
            return None if schema.get("nullable") else f"{where} is null"
        kind = schema.get("type")
        if kind and not isinstance(value, KINDS[kind]):
            return f"{where} is no {kind}"
        if "enum" in schema and value not in schema["enum"]:
            return f"{where} is '{value}'"
        if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
            return f"{where} has {len(value)} characters"
        if isinstance(value, list):
            return self.check_items(schema, value, where)
        return self.check_members(schema, value, where) if isinstance(value, dict) else None

    def check_items(self, schema, value, where):
        if len(value) > schema.get("maxItems", len(value)):
            return f"{where} has {len(value)} items"
        found = [self.check(schema.get("items", {}), item, f"{where}[{i}]") for i, item in enumerate(value)]
        return next((wrong for wrong in found if wrong), None)

    def check_members(self, schema, value, where):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                return f"{where} has no {name}"
        for name, member in value.items():
            if properties and name not in properties and not schema.get("additionalProperties"):
                return f"{where} has a member {name}, which is not described"
            wrong = self.check(properties.get(name, {}), member, f"{where}.{name}")
            if wrong:
                return wrong
        return None


class State:
    def __init__(self, forms):
        self.forms = forms
        self.reset()

    def reset(self):
        self.issues = []
        self.comments, self.statuses, self.checks, self.reports, self.notes, self.bucket = [], [], {}, {}, [], []
        self.requests = []   # (method, path, body)
        self.failures = []   # (pattern of "METHOD path", (code, headers, body) or "cut" or "lost"), each used once
        self.login = "github-actions[bot]"
        self.may_ask = False # GET /user
        self.pulls = []
        self.next_id = 1
        self.base = ""
        self.elsewhere = []  # requests with a token that another host received

    def id(self):
        self.next_id += 1
        return self.next_id


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, value, headers=()):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response_only(code)
        names = {name.lower() for name, _ in headers}
        if "content-type" not in names:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if "date" not in names:
            self.send_header("Date", formatdate(usegmt=True))
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        state = self.server.state
        size = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(size)
        body = json.loads(text) if text else None
        state.requests.append((self.command, self.path, body))
        for i, (pattern, what) in enumerate(state.failures):
            if re.search(pattern, f"{self.command} {self.path}"):
                del state.failures[i]
                if what == "cut":
                    self.close_connection = True
                    return None
                if what == "lost":  # the server does the work, but sends no reply
                    self.answer = lambda *_, **__: setattr(self, "close_connection", True)
                    break
                return self.answer(*what)
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
        if not token.endswith(TOKEN):
            return self.answer(401, {"message": "Bad credentials", "documentation_url": "x"})
        if not (self.headers.get("User-Agent") or "").startswith("pprofci/"):
            return self.answer(403, {"message": "Request forbidden by administrative rules"})
        return self.route(body)

    do_GET = do_POST = do_PATCH = do_PUT = handle_any

    def route(self, body):
        path = self.path.split("?")[0]
        for pattern, method in ROUTES:
            found = re.fullmatch(pattern, f"{self.command} {path}")
            if found:
                return getattr(self, method)(body, *found.groups())
        return self.answer(404, {"message": "Not Found"})

    def valid(self, key, body):
        wrong = self.server.state.forms.wrong(key, body)
        if wrong:
            self.server.state.requests.append(("WRONG", key, wrong))
            self.answer(422, {"message": "Validation Failed", "errors": [{"message": wrong}]})
        return not wrong

    def user(self, _):
        state = self.server.state
        if not state.may_ask:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        return self.answer(200, {"login": state.login, "username": state.login, "uuid": state.login})

    # GitHub

    def list_comments(self, _, number):
        state = self.server.state
        page = int((re.search(r"[?&]page=(\d+)", self.path) or [0, 1])[1])
        items = [c for c in state.comments if c["number"] == number]
        headers = []
        if page * PAGE < len(items):
            headers = [("Link", f'<{state.base}{self.path.split("&page")[0]}&page={page + 1}>; rel="next", <x>; rel="last"')]
        self.answer(200, items[(page - 1) * PAGE:page * PAGE], headers)

    def add_comment(self, body, number):
        state = self.server.state
        if self.valid("post /repos/{owner}/{repo}/issues/{issue_number}/comments", body):
            if len(body["body"]) > 65536:
                return self.answer(422, {"message": "Validation Failed", "errors": [
                    {"message": "body is too long (maximum is 65536 characters)"}]})
            comment = {"id": state.id(), "number": number, "user": {"login": state.login}, "body": body["body"],
                       "author": {"username": state.login}, "content": {"raw": ""}}
            state.comments.append(comment)
            self.answer(201, comment)

    def change_comment(self, body, number):
        if self.valid("patch /repos/{owner}/{repo}/issues/comments/{comment_id}", body):
            for comment in self.server.state.comments:
                if comment["id"] == int(number):
                    comment["body"] = body["body"]
                    return self.answer(200, comment)
            return self.answer(404, {"message": "Not Found"})

    def list_issues(self, _):
        self.answer(200, [i for i in self.server.state.issues if i["state"] == "open"])

    def add_issue(self, body):
        state = self.server.state
        if self.valid("post /repos/{owner}/{repo}/issues", body):
            issue = {"number": state.id(), "state": "open", "user": {"login": state.login}, **body}
            state.issues.append(issue)
            self.answer(201, issue)

    def change_issue(self, body, number):
        if self.valid("patch /repos/{owner}/{repo}/issues/{issue_number}", body):
            issue = next(i for i in self.server.state.issues if i["number"] == int(number))
            issue.update(body)
            self.answer(200, issue)

    # GitLab's issues

    def gitlab_issues(self, _):
        self.answer(200, [i for i in self.server.state.issues if i["state"] == "opened"])

    def gitlab_add_issue(self, body):
        state = self.server.state
        if set(body) != {"title", "description"}:
            return self.answer(400, {"message": "title is missing"})
        state.issues.append({"iid": state.id(), "state": "opened", "author": {"username": state.login}, **body})
        self.answer(201, state.issues[-1])

    def gitlab_change_issue(self, body, number):
        if set(body) - {"description", "state_event"} or body.get("state_event", "close") != "close":
            return self.answer(400, {"message": "state_event is wrong"})
        issue = next(i for i in self.server.state.issues if i["iid"] == int(number))
        issue["description"] = body["description"]
        issue["state"] = "closed" if "state_event" in body else issue["state"]
        self.answer(200, issue)

    def add_status(self, body, sha):
        if self.valid("post /repos/{owner}/{repo}/statuses/{sha}", body):
            if len(body.get("description", "")) > 140:
                return self.answer(422, {"message": "description is too long (maximum is 140 characters)"})
            self.server.state.statuses.append((sha, body))
            self.answer(201, {"id": 1})

    def add_check(self, body):
        if self.valid("post /repos/{owner}/{repo}/check-runs", body):
            number = self.server.state.id()
            self.server.state.checks[number] = [body]
            self.answer(201, {"id": number})

    def change_check(self, body, number):
        if self.valid("patch /repos/{owner}/{repo}/check-runs/{check_run_id}", body):
            self.server.state.checks[int(number)].append(body)
            self.answer(200, {"id": int(number)})

    def list_pulls(self, _):
        self.answer(200, self.server.state.pulls)

    # GitLab and Bitbucket, with their documented forms

    def list_notes(self, _):
        self.answer(200, self.server.state.notes)

    def add_note(self, body):
        state = self.server.state
        if not isinstance(body, dict) or set(body) != {"body"}:
            return self.answer(400, {"error": "body is missing"})
        note = {"id": state.id(), "author": {"username": state.login}, "body": body["body"], "system": False}
        state.notes.append(note)
        self.answer(201, note)

    def change_note(self, body, number):
        for note in self.server.state.notes:
            if note["id"] == int(number):
                note["body"] = body["body"]
                return self.answer(200, note)
        return self.answer(404, {"message": "404 Not found"})

    def gitlab_status(self, body, sha):
        if body["state"] not in ("pending", "running", "success", "failed", "canceled") or len(body["description"]) > 255:
            return self.answer(400, {"message": "state is wrong"})
        self.server.state.statuses.append((sha, body))
        self.answer(201, {"id": 1})

    def list_bucket(self, _):
        state = self.server.state
        page = int((re.search(r"[?&]page=(\d+)", self.path) or [0, 1])[1])
        found = {"values": state.bucket[(page - 1) * 2:page * 2]}
        if page * 2 < len(state.bucket):
            found["next"] = f"{state.base}{self.path.split('&page')[0]}&page={page + 1}"
        self.answer(200, found)

    def add_bucket(self, body):
        state = self.server.state
        if set(body) != {"content"} or set(body["content"]) != {"raw"} or len(body["content"]["raw"]) > 32768:
            return self.answer(400, {"type": "error", "error": {"message": "Bad request"}})
        state.bucket.append({"id": state.id(), "user": {"uuid": state.login}, "content": body["content"], "deleted": False})
        self.answer(201, state.bucket[-1])

    def change_bucket(self, body, number):
        for comment in self.server.state.bucket:
            if comment["id"] == int(number):
                comment["content"] = body["content"]
                return self.answer(200, comment)
        return self.answer(404, {"type": "error", "error": {"message": "no such comment"}})

    def bucket_status(self, body, sha):
        if body["state"] not in ("INPROGRESS", "SUCCESSFUL", "FAILED", "STOPPED") or not body["key"] or not body["url"]:
            return self.answer(400, {"type": "error", "error": {"message": "Bad request"}})
        self.server.state.statuses.append((sha, body))
        self.answer(201, {"key": body["key"]})

    def report(self, body, name):
        if body["report_type"] not in ("SECURITY", "COVERAGE", "TEST", "BUG") or len(body["details"]) > 2000:
            return self.answer(400, {"error": {"message": "the report is wrong"}})
        self.server.state.reports[name] = [body]
        self.answer(200, {"uuid": "x"})

    def report_notes(self, body, name):
        if len(body) > 100 or any(len(note["summary"]) > 450 for note in body):
            return self.answer(400, {"error": {"message": "too many annotations"}})
        self.server.state.reports[name].append(body)
        self.answer(200, body)


ROUTES = [
    (r"GET /user", "user"),
    (r"GET /repos/o/r/issues/(\d+)/comments", "list_comments"),
    (r"POST /repos/o/r/issues/(\d+)/comments", "add_comment"),
    (r"PATCH /repos/o/r/issues/comments/(\d+)", "change_comment"),
    (r"GET /repos/o/r/issues", "list_issues"),
    (r"POST /repos/o/r/issues", "add_issue"),
    (r"PATCH /repos/o/r/issues/(\d+)", "change_issue"),
    (r"GET /projects/42/issues", "gitlab_issues"),
    (r"POST /projects/42/issues", "gitlab_add_issue"),
    (r"PUT /projects/42/issues/(\d+)", "gitlab_change_issue"),
    (r"POST /repos/o/r/statuses/([0-9a-f]{40})", "add_status"),
    (r"POST /repos/o/r/check-runs", "add_check"),
    (r"PATCH /repos/o/r/check-runs/(\d+)", "change_check"),
    (r"GET /repos/o/r/pulls", "list_pulls"),
    (r"GET /projects/42/merge_requests/7/notes", "list_notes"),
    (r"POST /projects/42/merge_requests/7/notes", "add_note"),
    (r"PUT /projects/42/merge_requests/7/notes/(\d+)", "change_note"),
    (r"POST /projects/42/statuses/([0-9a-f]{40})", "gitlab_status"),
    (r"GET /repositories/o/r/pullrequests/5/comments", "list_bucket"),
    (r"POST /repositories/o/r/pullrequests/5/comments", "add_bucket"),
    (r"PUT /repositories/o/r/pullrequests/5/comments/(\d+)", "change_bucket"),
    (r"POST /repositories/o/r/commit/([0-9a-f]{40})/statuses/build", "bucket_status"),
    (r"PUT /repositories/o/r/commit/[0-9a-f]{40}/reports/([\w.-]+)", "report"),
    (r"POST /repositories/o/r/commit/[0-9a-f]{40}/reports/([\w.-]+)/annotations", "report_notes"),
]


def start(forms):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.state = State(forms)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.base = f"http://127.0.0.1:{server.server_address[1]}"
    server.state.base = server.base
    return server
