"""Tests the server of `pprofc -http` without a browser: its replies, its access checks, and that it keeps running.

    server.py PPROFC TESTDATA
"""
import http.client
import gzip
import html
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PPROFC, TESTDATA = sys.argv[1], sys.argv[2]
CPU, FASTER = (os.path.join(TESTDATA, name) for name in ("generator_cpu.prof", "generator_optimized_cpu.prof"))
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAIL", what)


class Server:
    def __init__(self, *arguments, address="localhost:", **more):
        self.home = tempfile.mkdtemp()
        environment = dict(os.environ, XDG_CONFIG_HOME=self.home, HOME=self.home, **more)
        self.child = subprocess.Popen([PPROFC, f"-http={address}", "-no_browser", *arguments], env=environment,
                                      stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.said = self.child.stderr.readline()
        if "libmicrohttpd" in self.said:
            print("skipped:", self.said.strip())
            sys.exit(77)
        self.port = int(re.search(r":(\d+)(/|$)", self.said.strip()).group(1))
        self.origin = f"http://localhost:{self.port}"

    def ask(self, path, method="GET", body=None, ours=False, **headers):
        connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if ours:
            headers["Origin"] = self.origin
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            reply.text = reply.read()
            return reply
        finally:
            connection.close()

    def end(self, number=signal.SIGTERM):
        began = time.monotonic()
        self.child.send_signal(number)
        status = self.child.wait(60)
        return status, time.monotonic() - began


def until(asked):
    """Waits at most a minute until `asked` returns a true value. Returns the value."""
    ends = time.monotonic() + 60
    while True:
        given = asked()
        if given or time.monotonic() > ends:
            return given
        time.sleep(0.1)


def top(*flags):
    return subprocess.run([PPROFC, "-top", "-nodecount=500", *flags], check=True, capture_output=True, text=True).stdout


def check_addresses(server):
    for path, status, place in (("/", 307, "/ui"), ("/top?f=x", 307, "/ui?f=x"), ("/ui/?si=0", 301, "flamegraph?si=0"),
                                ("/ui/flamegraph2?f=a", 301, "flamegraph?f=a"), ("/ui/nosuch", 404, None)):
        reply = server.ask(path)
        check((reply.status, reply.headers["Location"]) == (status, place), f"{path} gives {reply.status} {reply.headers['Location']}")
    for view in ("flamegraph", "top", "graph", "peek?f=mallocgc", "tags", "compare"):
        reply = server.ask("/ui/" + view)
        check(reply.status == 200 and reply.headers["Content-Type"].startswith("text/html"), f"{view} gives {reply.status}")
    for path in ("top?n=abc", "top?f=(", "top?si=nosuch", "top?side=x", "top?base=77", "source?f=zzznosuch", "top?f=%00"):
        check(server.ask("/ui/" + path).status == 400, f"{path} is no 400")
    reply = server.ask("/ui/top?f=json")
    check(b"json.Marshal" in reply.text, "top does not say json.Marshal")


def check_sides(server):
    for side, flags in (("base", [CPU]), ("head", [FASTER]), ("diff", [f"-diff_base={CPU}", FASTER])):
        reply = server.ask(f"/ui/download?side={side}&what=filtered")
        with tempfile.NamedTemporaryFile() as file:
            file.write(reply.text)
            file.flush()
            want = top(*flags).split("\n", 4)[4] if side != "diff" else None
            got = top(file.name).split("\n", 4)[4]
        check(want is None or want == got, f"side {side} is another profile")


def check_downloads(server):
    for what, kind in (("", b"\x1f\x8b"), ("filtered", b"\x1f\x8b"), ("csv", b"name,file"), ("speedscope", b"{"), ("folded", b""),
                       ("flame", b"<!DOCTYPE")):
        reply = server.ask(f"/ui/download?what={what}")
        check(reply.status == 200 and reply.text.startswith(kind), f"download {what} gives {reply.status}")
        check("attachment" in reply.headers["Content-Disposition"], f"download {what} is no attachment")


def check_tables(server):
    """Checks that the CSV file has the rows of the page, and that the server draws a graph if graphviz is installed."""
    for side, words in (("diff", "verdict"), ("head", "flat"), ("base", "flat")):
        reply = server.ask(f"/ui/download?what=csv&side={side}")
        check(reply.status == 200 and words.encode() in reply.text.split(b"\n")[0], f"CSV of {side}: {reply.status} {reply.text[:80]}")
    few, many = (server.ask(f"/ui/download?what=csv&nf=0&ef=0&{more}").text.count(b"\n") for more in ("", "rows=all"))
    check(few == 501 and many > few, f"rows=all has {many} rows, otherwise {few}")
    reply = server.ask("/ui/download?what=svg&f=json")
    if shutil.which("dot"):
        check(reply.status == 200 and reply.text.startswith(b"<?xml") and b"json" in reply.text, f"a graph: {reply.status} {reply.text[:80]}")
    else:
        check(reply.status >= 500 and b"graphviz" in reply.text.lower() + b"dot", f"a graph without graphviz: {reply.status}")
    for path, status in (("download?what=nosuch", 404), ("download?what=csv&f=(", 400), ("download?base=77", 400)):
        check(server.ask("/ui/" + path).status == status, f"{path} is no {status}")


def check_assets(server):
    """Checks that names of assets contain hashes, that browsers may cache assets forever, and that clients that accept
    gzip get compressed assets."""
    page = server.ask("/ui/flamegraph").text.decode()
    names = set(re.findall(r'assets/[\w.-]+', page))
    check(len(names) == 5, f"the page names {sorted(names)}")
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
    for name in names:
        plain, packed = server.ask("/ui/" + name), server.ask("/ui/" + name, Accept_Encoding="gzip, br")
        check(plain.status == 200 and plain.headers["Content-Encoding"] is None, f"{name} plain: {plain.status}")
        check(plain.headers["Content-Type"] == kinds[name.rsplit(".")[-1]], f"{name} is {plain.headers['Content-Type']}")
        check("immutable" in plain.headers["Cache-Control"] and plain.headers["Vary"] == "Accept-Encoding", f"{name} does not stay")
        body = gzip.decompress(packed.text) if packed.headers["Content-Encoding"] == "gzip" else packed.text
        check(body == plain.text and len(body) > 100, f"{name} packed is another file")
        check(server.ask("/ui/" + re.sub(r"-\w+", "-0123456789abcdef", name)).status == 404, f"{name} with another hash is there")


def source_of_hash_words(*arguments):
    server = Server(*arguments)
    page = server.ask("/ui/source?f=hash_words").text.decode()
    server.end()
    return page


def check_listings():
    """Checks that source and disassembly of an existing program equal the output of the command line."""
    folder = os.path.join(TESTDATA, "native")
    sources = [os.path.join(folder, name) for name in ("native_c", "native_c.cpu.prof")]
    server = Server(f"-source_path={folder}", "-trim_path=/app", *sources)
    page = server.ask("/ui/source?f=hash_words").text.decode()
    check(page.count("<details class=routine") >= 1 and 'class="l h4"' in page, "the source of a function is shown, with its hot line")
    check("???" not in page, "the lines of the source are there")
    check("-source_path=FOLDER" not in page, "no hint when all files are here")
    closed = source_of_hash_words(f"-source_path={folder}", "-trim_path=/app", "-safe", *sources)
    check("source files are not opened (-safe)" in closed and "hash_word(words[i])" not in closed, "-safe opens no source file")
    lost = source_of_hash_words("-source_path=/nonexistent", *sources)
    check("-source_path=FOLDER" in lost, "a file that is not here says how to give it")
    page = server.ask("/ui/source?f=.").text.decode()
    check(page.count("<details class=routine") > 3, "all functions of a program")
    check(b"<details" in server.ask("/ui/disasm").text, "without an expression the hottest functions are listed")
    if not shutil.which("objdump"):
        print("no objdump: disassembly is not looked at")
        server.end()
        return
    check("<span class=asm>" in page and "class=inlined" in page, "lines unfold to instructions and inlined calls")
    said = subprocess.run([PPROFC, "-disasm=main|hash_words", *sources], check=True, capture_output=True, text=True).stdout
    page = server.ask("/ui/disasm?f=main%7Chash_words").text.decode()
    functions = re.findall(r"<details class=routine[^>]* data-name=\"([^\"]*)\"", page)
    check(sorted(functions) == sorted(re.findall(r"ROUTINE =+ (\S+)", said)) and len(functions) >= 2, f"disassembly of {functions}")
    flat = [float(number) * (1 if unit == "ms" else 1000)
            for number, unit in re.findall(r'ROUTINE =+ \S+</div><div class="l h0"> *([\d.]+)(m?s)', page)]
    check(page.count('<div class="l h') >= said.count(";") > 20 and 'class="l h4"' in page, "instructions with heat")
    check(len(flat) == len(functions) and flat == sorted(flat, reverse=True), f"functions are in the order of their cost: {flat}")
    check("100%" in page and "Total: " in page, "the total is said")
    reply = server.ask("/ui/disasm?f=zzznosuch")
    check(reply.status == 400 and b"no matches found" in reply.text, f"what matches nothing: {reply.status}")
    server.end()


def check_browser():
    """Checks that the server starts a browser on a terminal, with the options of the command line in the address."""
    with tempfile.TemporaryDirectory() as folder:
        script, said = os.path.join(folder, "browser"), os.path.join(folder, "said")
        with open(script, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" >{said}.new && mv {said}.new {said}\n')
        os.chmod(script, 0o755)
        keyboard, terminal = pty.openpty()
        where = {"BROWSER": f"{script}  --new-window", "XDG_CONFIG_HOME": folder, "HOME": folder, "PATH": os.environ["PATH"]}
        command = [PPROFC, "-http=localhost:", "-focus=json&x", "-nodecount=7", "-hide=^a b$", "-call_tree", CPU]

        def start(**more):
            child = subprocess.Popen(command, env=dict(where, **more), stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, text=True)
            return child, re.search(r"http://\S+", child.stderr.readline()).group(0)
        child, address = start()
        until(lambda: os.path.exists(said))
        with open(said, encoding="ascii") as file:
            words = file.read().split("\n")[:-1]
        check(words[:-1] == ["--new-window"] and words[-1].startswith(address + "/ui/?"), f"the browser got {words}")
        check(set(words[-1].split("?")[1].split("&")) == {"f=json%26x", "n=7", "h=%5Ea%20b%24", "calltree=t"}, f"the address is {words[-1]}")
        child.terminate()
        check(child.wait(60) == 0, "does not end well with a browser")
        child, address = start(BROWSER="/nosuch/browser", PATH=folder)
        line = child.stderr.readline().strip()
        check(line.startswith(address + "/ui/?"), f"without a browser the address is said: {line}")
        child.terminate()
        child.wait(60)
        os.close(keyboard)
        os.close(terminal)


def check_safety(server):
    for name, value in (("Content-Security-Policy", "default-src 'none'"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store")):
        for path in ("/ui/top", "/ui/top?n=abc", "/ui/download", "/ui/nosuch"):
            check(value in (server.ask(path).headers[name] or ""), f"{path} has no {name}")
    check(server.ask("/ui/top", Host="evil.example").status == 421, "a foreign name is answered")
    check(server.ask("/ui/saveconfig?config=x").status == 405, "GET saves")
    check(server.ask("/ui/saveconfig?config=x", "POST").status == 403, "a POST from nowhere saves")
    check(server.ask("/ui/saveconfig?config=x", "POST", Origin="http://evil.example").status == 403, "a foreign POST saves")
    check(server.ask("/ui/graph", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Fetch_Dest="image").status == 403, "a foreign image is drawn")
    check(not os.listdir(server.home), "something was written")


def check_cross_site(server):
    """Checks that requests which a page of another site can send neither read nor change anything."""
    save, delete = "/ui/saveconfig?config=x&f=a", "/ui/deleteconfig?config=x"
    evil = "http://evil.example"
    ways = (
        ("an image", "GET", save, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Fetch_Dest="image"), 405),
        ("a script", "GET", save, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Fetch_Dest="script"), 405),
        ("a style sheet", "GET", save, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Fetch_Dest="style"), 405),
        ("a frame", "GET", save, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="iframe"), 405),
        ("a link that saves", "GET", save, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document"), 405),
        ("a link that deletes", "GET", delete, dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document"), 405),
        ("a form", "POST", save, dict(Origin=evil), 403),
        ("a form in a sandboxed frame", "POST", save, dict(Origin="null"), 403),
        ("a fetch without CORS", "POST", save, dict(Origin=evil, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"), 403),
        ("a fetch that deletes", "DELETE", delete, dict(Origin=evil), 403),
        ("a question before a fetch", "OPTIONS", delete, dict(Origin=evil, Access_Control_Request_Method="DELETE"), 405),
        ("a beacon", "POST", save, dict(Origin=evil, Content_Type="text/plain"), 403),
        ("another port of this machine", "POST", save, dict(Origin="http://localhost:1", Sec_Fetch_Site="same-site"), 403),
        ("our host by https", "POST", save, dict(Origin=f"https://localhost:{server.port}"), 403),
        ("an upload", "POST", "/ui/upload?name=x", dict(Origin=evil), 403),
        ("a reload", "POST", "/ui/reload", dict(Origin=evil), 403),
        ("a prefetch", "GET", "/ui/download", dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Purpose="prefetch"), 403),
        ("a name that is bound to this machine", "GET", "/ui/top", dict(Host=f"evil.example:{server.port}"), 421),
        ("such a name with its own origin", "POST", save,
         dict(Host=f"evil.example:{server.port}", Origin=f"{evil}:{server.port}", Sec_Fetch_Site="same-origin"), 421),
        ("a name that begins as ours", "GET", "/ui/download", dict(Host=f"localhost.evil.example:{server.port}"), 421),
    )
    for what, method, path, headers, status in ways:
        got = server.ask(path, method, **headers).status
        check(got == status, f"{what} gives {got}, not {status}")
    check(not os.listdir(server.home), "another site has saved something")


def check_settings(server):
    def save(i, codes):
        codes.append(server.ask(f"/ui/saveconfig?config=par{i}&f=f{i}", "POST", ours=True).status)
    codes = []
    threads = [threading.Thread(target=save, args=(i, codes)) for i in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    path = os.path.join(server.home, "pprof", "settings.json")
    with open(path, encoding="utf-8") as file:
        names = {config["name"] for config in json.load(file)["configs"]}
    check(codes == [200] * 200 and len(names) == 200, f"of 200 views {len(names)} are saved, {codes.count(200)} accepted")
    check(os.stat(path).st_mode & 0o777 == 0o600, "settings are not private")
    check(server.ask("/ui/deleteconfig?config=par7", "DELETE", ours=True).status == 200, "a view is not deleted")
    check(server.ask("/ui/deleteconfig?config=par7", "DELETE", ours=True).status == 400, "a view is deleted twice")
    check(server.ask("/ui/saveconfig?view=top&f=a", "POST", body="config=form", ours=True).status == 303, "a form does not lead back")


def check_files():
    with tempfile.TemporaryDirectory() as folder:
        live = os.path.join(folder, "live.prof")
        new = os.path.join(folder, "new")
        subprocess.run(["cp", CPU, live], check=True)
        server = Server(live)
        with open(new, "wb") as file:
            file.write(b"\x1f\x8b not a profile")
        os.rename(new, live)
        time.sleep(3.5)
        check(json.loads(server.ask("/ui/status").text)["pending"] == "", "what is no profile is offered")
        subprocess.run(["cp", FASTER, new], check=True)
        os.rename(new, live)
        pending = until(lambda: json.loads(server.ask("/ui/status").text)["pending"])
        check("live.prof changed at" in pending, f"a changed file is not offered: {pending}")
        before = server.ask("/ui/download").text
        check(server.ask("/ui/reload", "POST", ours=True).status == 200, "no reload")
        check(server.ask("/ui/download").text != before, "reload shows the old file")
        check(server.ask("/ui/download?head=1").text == before, "the old version is gone")
        check(server.ask("/ui/top?base=1").status == 200, "the old version is no base")
        with open(CPU, "rb") as file:
            reply = server.ask("/ui/upload?name=dropped.prof", "POST", body=file.read(), ours=True)
        number = json.loads(reply.text)["base"]
        check(server.ask(f"/ui/top?base={number}").status == 200, "a dropped profile is no base")
        check(server.ask("/ui/upload?name=x", "POST", body=b"nonsense", ours=True).status == 400, "nonsense is a profile")
        check(server.end()[0] == 0, "does not end well")
    server = Server(f"old={CPU}", f"new={FASTER}")
    check(server.ask("/ui/download?side=base").text != server.ask("/ui/download?side=head").text, "named profiles are not kept apart")
    server.end()


def check_uploads_share_memory():
    """Checks the common limit of all uploads: the server keeps the first uploads, rejects a later one, and continues."""
    body = "".join(f"main;function{i} 1\n" for i in range(60000)).encode()
    server = Server("-max_memory=48M", CPU)
    statuses = [server.ask("/ui/upload?name=u", "POST", body=body, ours=True).status for _ in range(10)]
    check(statuses[0] == 200 and statuses[-1] == 503 and statuses == sorted(statuses), f"uploads take memory of their own: {statuses}")
    check(server.ask("/ui/top").status == 200, "no page after a refused upload")
    server.end()


def check_names():
    """Checks that the folders distinguish two files of one name, as in sets of a base and a head."""
    with tempfile.TemporaryDirectory() as folder:
        base, head = (os.path.join(folder, side, "cpu", "run.prof") for side in ("base", "head"))
        for source, path in ((CPU, base), (FASTER, head)):
            os.makedirs(os.path.dirname(path))
            shutil.copy(source, path)
        for arguments, names in (([f"-diff_base={base}", head], ("base/cpu/run.prof", "head/cpu/run.prof")), ([f"-diff_base={CPU}", head], ("generator_cpu.prof", "run.prof"))):
            server = Server(*arguments)
            page = server.ask("/ui/compare").text.decode()
            check(all(f">{name}<" in page for name in names), f"the page does not name {names}")
            server.end()


def check_runs():
    """Checks that folders are runs: the page shows their means, and copies the command that prints the means. The
    server reads a changed run again."""
    with tempfile.TemporaryDirectory() as folder:
        for side, sources in (("base", [CPU, CPU]), ("head", [FASTER, FASTER, FASTER])):
            os.mkdir(os.path.join(folder, side))
            for i, source in enumerate(sources):
                shutil.copy(source, os.path.join(folder, side, f"{i}.prof"))
        base, head = os.path.join(folder, "base"), os.path.join(folder, "head")
        server = Server("-noise", "-alpha=0.01", f"-diff_base={base}", head)
        page = server.ask("/ui/top").text.decode()
        for part in ("mean of 2 + 3 runs", "q &lt; 0.01", "base <b>76.73s</b>, head <b>5.33s</b>", "pprofc -top -noise", f"-diff_base={base}/1.prof", f"{head}/2.prof"):
            check(part in re.sub("<small>[^<]*</small> ", "", page), f"the page of runs does not say {part}")
        check("sums over runs" in server.ask("/ui/peek?f=mallocgc").text.decode(), "a command of sums is not marked")
        drawn = ("download?what=svg",) if shutil.which("dot") else ()  # svg needs graphviz; check_tables checks the reply without it
        for path in ("flamedata", "download?what=speedscope", *drawn, "download?what=filtered", "top?side=head", "top?base=1", "top?g=lines"):
            check(server.ask("/ui/" + path).status in (200, 503), f"{path} of runs")
        check("mean of 3 runs" in server.ask("/ui/top?side=head").text.decode(), "the head of runs is their mean")
        server.end()
        server = Server(f"-diff_base={base}", head + "/")
        shutil.copy(FASTER, os.path.join(head, "new.prof"))
        check(re.match(r"head/? changed at", status_with(server, "pending")["pending"]), "a new file in a folder is not offered")
        server.ask("/ui/reload", "POST", ours=True)
        check("mean of 2 + 4 runs" in server.ask("/ui/top").text.decode(), "a new file in a folder is not a run")
        os.remove(os.path.join(base, "1.prof"))
        status_with(server, "pending")
        server.ask("/ui/reload", "POST", ours=True)
        check("mean of 1 + 4 runs" in server.ask("/ui/top").text.decode(), "a file that left a folder is still a run")
        server.end()
        live = os.path.join(folder, "live.prof")
        shutil.copy(CPU, live)
        server = Server("-http_reload=auto", f"-diff_base={CPU}", f"-diff_base={live}", FASTER)
        shutil.copy(FASTER, live)
        until(lambda: json.loads(server.ask("/ui/status").text)["generation"] == 2)
        page = server.ask("/ui/top").text.decode()
        check("mean of 2 + 1 runs" in page and re.search("base <small>[^<]*</small> <b>41030ms</b>", page), "a changed base of several is not read again")
        server.end()
        runs = [os.path.join(folder, f"{name}.cpuprofile") for name in "ab"]
        for run in runs:
            shutil.copy(os.path.join(TESTDATA, "imports", "calls.cpuprofile"), run)
        server = Server("-time_range=30ms,", "-diff_time_range=0s,30ms", *runs)
        check("27.42ms -&gt; 38.61ms" in server.ask("/ui/top").text.decode(), "the runs of base and head have one range of time")
        check(server.ask("/ui/upload?name=x", "POST", body=b"main;f 1\n", ours=True).status == 400, "a dropped profile without times ignores -time_range")
        server.end()
        server = Server("-normalize", f"-diff_base={CPU}", f"-diff_base={CPU}", FASTER)
        check("The base is 2 profiles added up, judged as one run." in server.ask("/ui/top").text.decode(), "-normalize adds up")
        for path in ("top?base=none", "top?side=head"):  # -normalize scales a difference, not a profile alone
            page = server.ask("/ui/" + path).text.decode()
            check("-normalize" not in page and re.search(r"of <b>5\.33s</b> shown", page), f"{path}: the head is not as recorded")
        server.end()
        server = Server("-normalize", f"-diff_base={CPU}", FASTER)
        page = server.ask("/ui/top").text.decode()
        terminal = subprocess.run([PPROFC, "-top", "-noise", "-normalize_by=total", f"-diff_base={CPU}", FASTER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        check(f"<p id=sentence>{terminal.splitlines()[0]}</p>" in page, "with -normalize the page has other verdicts than the terminal")
        check(re.search("recorded base <small>[^<]*</small> <b>76730ms</b>, head <small>[^<]*</small> <b>5330ms</b>", page), "with -normalize the totals are not as recorded")
        lines = server.ask("/ui/top?g=lines").text.decode()
        table = server.ask("/ui/download?what=csv&g=lines").text.decode().splitlines()
        row = dict(zip(table[0].split(","), next(line for line in table if "mgcmark.go:1324" in line).split(",")))
        check(int(row["head flat"]) - int(row["base flat"]) == int(row["flat"]) < 0, f"with -normalize the CSV file has {row}")
        check(re.search(r">2\.52s</td><td[^>]*>0\.72s</td><td[^>]*>-1\.80s<", lines), "with -normalize base and change of a line are not its head")
        server.end()


def check_per_second():
    """Checks that contentions of recordings of different durations are compared per second, and that the page states
    this at each amount."""
    with tempfile.TemporaryDirectory() as folder:
        for side, seconds, delay in (("base", 10, 5), ("head", 20, 15)):
            with open(os.path.join(folder, side), "w") as file:
                file.write(f"--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 1\n"
                           f"ms since reset = {seconds}000\n{delay * 100000} {delay * 10} @ 0x1 0x2\n"
                           "0x1 lock (Lock.java:1)\n0x2 work (Work.java:2)\n")
        base, head = os.path.join(folder, "base"), os.path.join(folder, "head")
        terminal = subprocess.run([PPROFC, "-top", "-noise", f"-diff_base={base}", head], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        server = Server(f"-diff_base={base}", head)
        shown = re.search(r" +(\S+) +(\S+) +(\S+) .* lock", terminal)
        check("per second" in terminal and shown, f"the terminal does not compare per second: {terminal}")
        for view in ("top", "compare", "flamegraph?rows=first"):
            page = server.ask("/ui/" + view).text.decode()
            for part in ("<span>Base per second</span>", "<span>Head per second</span>", "<span>Change per second</span>", "all values per second"):
                check(part in page, f"{view} of contentions does not say {part}")
            for amount in shown.groups() if shown else ():
                check(f">{amount}<" in page, f"{view}: {amount} of the terminal is not in the table")
        csv = server.ask("/ui/download?what=csv").text.decode()
        check(",flat change per second," in csv and ",base flat per second," in csv, f"the CSV does not say per second: {csv}")
        server.end()


def costs_of_tags(profile):
    """Returns the milliseconds of each (key, value) in the tags of a profile."""
    said = subprocess.run([PPROFC, "-tags", "-unit=ms", profile], check=True, capture_output=True, text=True).stdout
    costs, key = {}, ""
    for line in said.splitlines():
        found = re.match(r" *(\S+): Total ", line)
        if found:
            key = found.group(1)
        found = re.match(r" *([\d.]+)ms \( *[\d.]+%\): (.*)$", line)
        if found:
            costs[key, found.group(2)] = float(found.group(1))
    return costs


def check_tags():
    """Checks labels of a difference: base, head, change and a verdict for each value."""
    sides = [os.path.join(TESTDATA, name) for name in ("server_cpu.pb.gz", "server_b_cpu.pb.gz")]
    base, head = (costs_of_tags(side) for side in sides)
    server = Server(f"-diff_base={sides[0]}", sides[1])
    page = html.unescape(server.ask("/ui/tags").text.decode())
    view = page[page.index("<main"):page.index("</main>")]
    check("pprof::base" not in view and "Certain?" in view and "<a href=\"#key-0\">endpoint" in view, "labels of a difference have no table of changes or no index")
    rows = {}
    for key, body in re.findall(r"<section class=key[^>]*><h2>([^<]*)</h2>(.*?)</section>", view, re.S):
        for row in re.findall(r"<tr data-status(.*?)</tr>", body, re.S):
            cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
            amounts = [float(re.match(r"[-+]?[\d.]+", cell).group()) for cell in cells[:3]]
            rows[key, cells[5]] = (*amounts, cells[4])
    check(sorted(rows) == sorted({*base, *head}), f"values of the difference: {sorted(rows)}, not {sorted({*base, *head})}")
    for name, (before, after, change, word) in rows.items():
        wanted = base.get(name, 0), head.get(name, 0)
        check((before, after) == wanted and change == after - before, f"{name}: {before} -> {after} ({change}), not {wanted}")
        check(word in ("unchanged", "rare") or (word in ("shrank", "fell against the rest")) == (change < 0), f"{name}: {change} is called {word}")
    check(rows["endpoint", "search"][3] == "shrank", f"search: {rows['endpoint', 'search']}")
    check("As root of the stacks" in view and "tf=" in view, "labels of a difference have no links")
    lost = html.unescape(server.ask("/ui/source?f=main.rank").text.decode())
    check("could not find file example.com/server/main.go" in lost and "-trim_path" in lost, "a missing file is not named")
    server.end()
    server = Server(f"-source_path={TESTDATA}", sides[0])
    page = server.ask("/ui/source?f=main.rank").text.decode()
    check("To find it, add <code>-trim_path=example.com</code>" in page, "no flags for a file that is here under another prefix")
    server.end()
    folder = os.path.realpath(TESTDATA)
    server = Server(f"-source_path={os.path.dirname(folder)}", sides[0])
    page = server.ask("/ui/source?f=main.rank").text.decode()
    check(f"<code>-source_path={folder} -trim_path=example.com</code>" in page, "no flags for a file in a folder of -source_path")
    server.end()


def check_places():
    """Checks that each page with verdicts has the terminal's line about the place inside which cost moved or grew."""
    for helper, word in ((550, "moved inside svc.f"), (900, "grew inside svc.f")):
        with tempfile.TemporaryDirectory() as folder:
            for side, own, called in (("base", 900, 0), ("head", 350, helper)):
                os.mkdir(os.path.join(folder, side))
                for r in range(4):
                    lines = [f"main;run;lib{i}.fn{j} {90 + (i * 7 + j * 5 + r * 3) % 11}" for i in range(6) for j in range(6)]
                    lines += [f"main;run;svc.f {own + r}"] + ([f"main;run;svc.f;svc.fHelper {called - r}"] if called else [])
                    with open(os.path.join(folder, side, f"{r}.folded"), "w") as file:
                        file.write("\n".join(lines) + "\n")
            sides = [f"-diff_base={os.path.join(folder, 'base')}", os.path.join(folder, "head")]
            terminal = subprocess.run([PPROFC, "-top", "-noise", *sides], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            line = re.search(rf"{word}: net .*", terminal)
            check(line, f"the terminal does not say {word}: {terminal}")
            server = Server(*sides)
            for view in ("top", "compare", "flamegraph?rows=first"):
                page = html.unescape(server.ask("/ui/" + view).text.decode())
                check(line and line.group() in page, f"{view} does not have the line of the terminal: {line and line.group()}")
                check(terminal.split("\n")[0] in page, f"{view} does not have the sentence of the terminal")
            server.end()


def cut_short(path):
    """Writes half of a profile, like a program that is still writing."""
    with open(FASTER, "rb") as file:
        data = file.read()
    with open(path, "r+b") as file:
        file.write(data[:len(data) // 2])
        file.truncate(len(data) // 2)


def status_with(server, name):
    until(lambda: json.loads(server.ask("/ui/status").text)[name])
    return json.loads(server.ask("/ui/status").text)


def check_changing_files():
    """Checks that the server reports a file that becomes shorter, disappears, or changes all the time, and that the
    server never ends."""
    with tempfile.TemporaryDirectory() as folder:
        live, new = os.path.join(folder, "live<b>.prof"), os.path.join(folder, "new")
        subprocess.run(["cp", CPU, live], check=True)
        server = Server(live)
        before = server.ask("/ui/download").text
        cut_short(live)
        status = status_with(server, "broken")
        check(re.search(r"live<b>.prof changed at \d\d:\d\d: cannot read .*truncated gzip stream", status["broken"]) and not status["pending"],
              f"a file that is cut short is said: {status}")
        check(b"live&lt;b&gt;.prof changed at" in server.ask("/ui/top").text, "the page says it")
        check(server.ask("/ui/download").text == before, "what was read stays")
        os.remove(live)
        until(lambda: "no longer exists" in json.loads(server.ask("/ui/status").text)["broken"])
        status = json.loads(server.ask("/ui/status").text)
        check("no longer exists" in status["broken"], f"a file that is gone is said: {status}")
        subprocess.run(["cp", FASTER, live], check=True)
        status = status_with(server, "pending")
        check(status["pending"] and not status["broken"], f"a whole file is offered again: {status}")
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            cut_short(live)
            subprocess.run(["cp", CPU, new], check=True)
            if int(ends * 10) % 2:
                os.rename(new, live)
            time.sleep(0.01)
        check(server.ask("/ui/top").status == 200, "gone after a file that changed all the time")
        check(server.end()[0] == 0, "does not end well after a file that changed all the time")


def check_reload():
    with tempfile.TemporaryDirectory() as folder:
        live = os.path.join(folder, "live.prof")
        for mode, shown in (("auto", 2), ("off", 1)):
            subprocess.run(["cp", CPU, live], check=True)
            server = Server(f"-http_reload={mode}", live)
            before = server.ask("/ui/download").text
            subprocess.run(["cp", FASTER, live], check=True)
            if mode == "auto":
                until(lambda: json.loads(server.ask("/ui/status").text)["generation"] == 2)
            else:
                time.sleep(3.5)
            status = json.loads(server.ask("/ui/status").text)
            check(status["generation"] == shown and not status["pending"], f"-http_reload={mode}: {status}")
            check((server.ask("/ui/download").text != before) == (mode == "auto"), f"-http_reload={mode} shows another profile")
            server.end()


def check_token():
    server = Server(CPU, address="0.0.0.0:")
    token = re.search(r"token=([\w-]{32})", server.said).group(1)
    check(server.ask("/ui/top").status == 403, "no token is needed")
    reply = server.ask(f"/ui/top?f=a&token={token}")
    check(reply.status == 302 and reply.headers["Location"] == "/ui/top?f=a", f"the token leads to {reply.headers['Location']}")
    cookie = reply.headers["Set-Cookie"]
    check("HttpOnly" in cookie and "SameSite=Strict" in cookie, f"the cookie is {cookie}")
    check(server.ask("/ui/top", Cookie=cookie.split(";")[0]).status == 200, "the cookie does not open")
    server.end()


def check_staying_up(server):
    """Checks each kind of bad client alone. stress.py has all of them together."""
    slow = [socket.create_connection(("localhost", server.port)) for _ in range(300)]
    for one in slow:
        one.send(b"GET /ui/top HTTP/1.1\r\nHost: localhost\r\nX-A: ")
    began = time.monotonic()
    check(server.ask("/ui/top").status == 200 and time.monotonic() - began < 8, "slow clients keep others out")
    for one in slow:
        one.close()
    for _ in range(30):
        with socket.create_connection(("localhost", server.port)) as one:
            one.send(f"GET /ui/graph?f=g{_} HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
    check(server.ask("/ui/top").status == 200, "gone after aborted requests")
    try:
        status = server.ask("/ui/saveconfig?config=big", "POST", body=b"a" * (64 << 20), ours=True).status
    except OSError:
        status = 413
    check(status == 413, f"64 MiB of body get {status}")


def check_end_at_work(server):
    """Checks that a signal ends the server while 8 clients send requests."""
    answers = [0]  # seconds of each reply

    def ask_on():
        try:
            for i in range(100000):
                began = time.monotonic()
                server.ask(f"/ui/top?n={i + 1}")
                answers.append(time.monotonic() - began)
        except (OSError, http.client.HTTPException):
            pass
    threads = [threading.Thread(target=ask_on) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    until(lambda: len(answers) > 8)
    status, seconds = server.end(signal.SIGINT)
    check(status == 0 and seconds < 1.5 + 2 * max(answers), f"SIGINT ends it with {status} after {seconds:.1f} s, answers took up to {max(answers):.1f}")
    for thread in threads:
        thread.join()


def main():
    server = Server(f"-diff_base={CPU}", FASTER)
    for part in (check_addresses, check_sides, check_downloads, check_tables, check_assets, check_safety, check_cross_site, check_settings, check_staying_up):
        part(server)
    check_end_at_work(server)
    check_files()
    check_changing_files()
    check_names()
    check_runs()
    check_uploads_share_memory()
    check_reload()
    check_per_second()
    check_places()
    check_tags()
    check_token()
    check_listings()
    check_browser()
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
