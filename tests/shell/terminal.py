"""Tests the shell of pprofc on a pseudo terminal: prompt, editing, history, completion, ^C, pager, colour.

    terminal.py PPROFC TESTDATA [NAME ...]

Each test types keys and checks the output. It types a key when the shell shows its prompt or an expected text, never
after a fixed time. Skips itself (77) without a pseudo terminal.
"""
import fcntl
import os
import re
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROMPT = "(pprofc) "
LIMIT = 30
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z@]|\x1b[=>]|\x07")


class Session:
    """A shell with a separate terminal."""

    def __init__(self, test, *flags, rows=50, **environment):
        self.master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))
        env = dict({k: v for k, v in os.environ.items() if k.endswith("_OPTIONS")}, PATH=f"{test.folder}/bin:" + os.environ["PATH"],
                   HOME=test.folder, XDG_STATE_HOME=f"{test.folder}/state", TERM="xterm", TZ="UTC", LC_ALL="C.UTF-8", PAGER="cat")
        env.update(environment)
        self.child = subprocess.Popen([test.program, "-symbolize=none", *flags, test.profile], stdin=terminal, stdout=terminal,
                                      stderr=terminal, cwd=test.folder, env=env, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(terminal)
        self.raw = b""
        self.seen = 0
        self.wait(PROMPT)

    def text(self):
        return ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r\n", "\n")

    def wait(self, wanted):
        """Reads until `wanted` appears after the previously expected text. Returns the text up to `wanted`."""
        end = time.monotonic() + LIMIT
        while True:
            at = self.text().find(wanted, self.seen)
            if at >= 0:
                before, self.seen = self.text()[self.seen:at], at + len(wanted)
                return before
            if time.monotonic() > end or not self.read(0.2):
                raise AssertionError(f"no {wanted!r} in {self.text()[self.seen:]!r}")

    def read(self, seconds):
        """Reads output. Returns False at the end of the session."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def keys(self, text, wanted=PROMPT):
        os.write(self.master, text.encode())
        return self.wait(wanted)

    def line(self, text, end="\r"):
        """Types a line. Returns the printed text up to the next empty prompt."""
        self.send(text + end)
        return self.answer()

    def send(self, keys):
        """Types keys whose output comes later."""
        self.seen = len(self.text())
        os.write(self.master, keys.encode())

    def answer(self):
        """Returns the text printed since `send`, up to an empty prompt on a separate line."""
        limit = time.monotonic() + LIMIT
        while "\n" not in self.text()[self.seen:] or self.shown() != PROMPT.strip():
            if time.monotonic() > limit or not self.read(0.2):
                raise AssertionError(f"no prompt: {self.text()[self.seen:]!r}")
        start, self.seen = self.seen, len(self.text())
        return self.text()[start:]

    def shown(self):
        """Returns the last line of the screen, after the cursor movements of the editor."""
        line, column = [], 0
        for part in re.finditer(r"\x1b\[(\d*)([A-Za-z@])|(.)", self.raw.decode("utf-8", "replace"), re.S):
            number, letter, char = part.groups()
            count = int(number or 1)
            if char in ("\n", "\r", "\b"):
                line = [] if char == "\n" else line
                column = column - 1 if char == "\b" else 0
            elif char:
                line[column:column + 1] = [char]
                column += 1
            elif letter == "G":
                column = count - 1
            elif letter == "C":
                column += count
            elif letter == "D":
                column -= count
            elif letter == "K":
                del line[column:]
            elif letter == "@":
                line[column:column] = [" "] * count
            elif letter == "P":
                del line[column:column + count]
            line += [" "] * (column - len(line))
        return "".join(line).rstrip()

    def end(self, text="\x04"):
        """Types the last keys. Returns the exit status."""
        if text:
            os.write(self.master, text.encode())
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.read(0.2):
            continue
        status = self.child.wait(LIMIT)
        os.close(self.master)
        return status


class Tests:
    def __init__(self, program, testdata, folder):
        self.program, self.folder = os.path.abspath(program), folder
        self.profile = os.path.join(folder, "cpu.prof")
        shutil.copy(os.path.join(testdata, "generator_cpu.prof"), self.profile)
        os.makedirs(f"{folder}/bin")
        version = subprocess.run([self.program, "-version"], capture_output=True, text=True, check=True).stdout
        self.edits = not re.search(r"libedit +missing", version)

    def script(self, name, text):
        path = f"{self.folder}/bin/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def history(self):
        with open(f"{self.folder}/state/pprofc/history", encoding="utf-8") as file:
            return file.read().splitlines()

    # ---- tests of each build

    def test_prompt_and_leaving(self):
        for last in ("\x04", "quit\r", "q\r", "exit\r"):
            shell = Session(self)
            assert 'Entering interactive mode (type "help"' in shell.text()
            assert "runtime.mallocgc" in shell.line("top1")
            assert shell.end(last) == 0, last

    def test_messages_are_red(self):
        shell = Session(self)
        shell.line("foo")
        assert b'\x1b[0;31munrecognized command: "foo"' in shell.raw, shell.raw
        shell.end()
        plain = Session(self, NO_COLOR="1")
        plain.line("foo")
        assert b"\x1b[0;31m" not in plain.raw
        plain.end()

    def test_interrupt_at_the_prompt(self):
        shell = Session(self)
        assert "^C again or ^D" in shell.line("\x03", "")
        assert "mallocgc" in shell.line("top1")
        assert "^C again or ^D" in shell.line("\x03", "")
        assert shell.end("\x03") == 0

    def test_interrupt_stops_a_report(self):
        self.script("dot", 'echo started >&2; : >"$HOME/started"; exec sleep 60\n')
        shell = Session(self)
        self.start_slow(shell)
        got = shell.line("\x03", "")
        assert "cancelled" in got, got
        assert "mallocgc" in shell.line("top1")
        assert not [name for name in os.listdir(self.folder) if name.endswith(".svg")]
        assert shell.end() == 0

    def test_second_interrupt_ends(self):
        self.script("dot", ": >\"$HOME/started\"; exec sleep 60\n")
        self.script("reader", "trap '' INT; : >\"$HOME/reading\"; exec sleep 60\n")
        shell = Session(self)
        os.write(shell.master, b"top 1 | reader\r")
        self.await_file("reading")
        for _ in range(20):  # two signals at the same time are one signal
            if shell.child.poll() is None:
                os.write(shell.master, b"\x03")
                time.sleep(0.2)
        assert shell.child.wait(LIMIT) == -signal.SIGINT
        os.close(shell.master)

    def start_slow(self, shell):
        os.write(shell.master, b"svg >slow.svg\r")
        self.await_file("started")

    def await_file(self, name):
        path, end = f"{self.folder}/{name}", time.monotonic() + LIMIT
        while not os.path.exists(path):
            assert time.monotonic() < end, f"no {name}"
            time.sleep(0.02)
        os.remove(path)

    def test_pager_for_long_reports(self):
        self.script("page", 'echo "args $*"; sed s/^/paged:/\n')
        shell = Session(self, rows=12, PAGER="page -x y")
        assert "paged" not in shell.line("top1")
        report = shell.line("top 30")
        assert "args -x y\npaged:Showing" in report and report.count("paged:") == 34, report
        assert "paged" not in shell.line("top 30 >f.txt")
        assert "paged" not in shell.line("top 30 | cat")
        shell.end()
        for flags, environment in ((["-no_pager"], "page"), ([], "cat"), ([], ""), ([], "nosuchpager")):
            shell = Session(self, *flags, rows=12, PAGER=environment)
            assert "paged" not in shell.line("top 30") and "runtime" in shell.text()
            shell.end()

    def test_interrupts_are_for_the_pager(self):
        self.script("page", "trap '' INT; cat; : >\"$HOME/reading\"; while [ ! -e \"$HOME/go\" ]; do sleep 0.1; done\n")
        shell = Session(self, rows=12, PAGER="page")
        shell.send("top 30\r")
        self.await_file("reading")
        for _ in range(3):
            os.write(shell.master, b"\x03")
            time.sleep(0.1)
        with open(f"{self.folder}/go", "w", encoding="utf-8"):
            pass
        assert "Showing nodes" in shell.wait(PROMPT)
        assert "Showing top 1 " in shell.line("top 1")
        assert shell.end() == 0

    def test_history_is_kept(self):
        shutil.rmtree(f"{self.folder}/state", ignore_errors=True)
        shell = Session(self)
        shell.line("top1")
        shell.line("")
        shell.line("  focus=json ")
        shell.end()
        assert self.history() == ["top1", "focus=json"], self.history()
        info = os.stat(f"{self.folder}/state/pprofc/history")
        assert stat.S_IMODE(info.st_mode) == 0o600, oct(info.st_mode)
        assert stat.S_IMODE(os.stat(f"{self.folder}/state/pprofc").st_mode) == 0o700

    def test_history_is_cut(self):
        os.makedirs(f"{self.folder}/state/pprofc", exist_ok=True)
        with open(f"{self.folder}/state/pprofc/history", "w", encoding="utf-8") as file:
            file.writelines(f"top {i}\n" for i in range(1200))
            file.write("foo\x1b[2J\nnot whole")
        os.chmod(f"{self.folder}/state/pprofc/history", 0o644)
        shell = Session(self)
        shell.line("o")
        shell.end()
        lines = self.history()
        assert len(lines) == 1000 and lines[0] == "top 201", (len(lines), lines[0])
        assert stat.S_IMODE(os.stat(f"{self.folder}/state/pprofc/history").st_mode) == 0o600

    def test_no_place_for_history(self):
        shell = Session(self, XDG_STATE_HOME="/dev/null", HOME="/dev/null")
        assert "mallocgc" in shell.line("top1")
        assert shell.end() == 0

    def test_output_elsewhere(self):
        """Checks that with standard output in a file, the prompt is on standard error, and the file has only the
        report."""
        with open(f"{self.folder}/out", "w", encoding="utf-8") as out:
            master, terminal = os.openpty()
            child = subprocess.Popen([self.program, "-symbolize=none", self.profile], stdin=terminal, stdout=out, stderr=terminal,
                                     cwd=self.folder, env=dict(os.environ, TERM="xterm", HOME=self.folder), start_new_session=True)
            os.close(terminal)
            os.write(master, b"top1\rquit\r")
            text = b""
            # The end of the terminal is an error, after all output of the program.
            while select.select([master], [], [], LIMIT)[0]:
                try:
                    text += os.read(master, 65536)
                except OSError:
                    break
            assert child.wait(LIMIT) == 0
            os.close(master)
        with open(f"{self.folder}/out", encoding="utf-8") as file:
            assert PROMPT.encode() in text and file.read().startswith("Showing nodes"), text

    # ---- with libedit

    def edit_keys(self):
        shell = Session(self)
        for keys in ("op1\x01t", "junk\x15top1", "top11\x7f", "top1 main\x17", "tp1\x1b[D\x1b[Do"):
            assert "Showing top 1 nodes" in shell.line(keys), keys
        shell.line("focus=cafeé\x1b[D\x7f")
        assert "focus                     = café" in shell.line("o")
        shell.end()

    def edit_recall(self):
        shell = Session(self)
        shell.line("top2")
        shell.line("focus=")
        assert "Showing top 2" in shell.line("\x1b[A\x1b[A")
        shell.end()
        again = Session(self)
        assert "Showing top 2" in again.line("\x1b[A")
        again.line("o")
        assert "Showing top 2" in again.line("\x12top")
        again.end()

    def edit_interrupt_drops_the_line(self):
        shell = Session(self)
        shell.keys("junk", "junk")
        assert "again" not in shell.line("\x03", "")
        assert "mallocgc" in shell.line("top1")
        shell.end()

    def edit_completion(self):
        shell = Session(self)
        complete = [("comm\t", "comments "), ("gran\t", "granularity="), ("\x15granularity=lin\t", "granularity=lines "),
                    ("\x15sort=c\t", "sort=cum "), ("\x15noin\t", "noinlines "), ("\x15mean=t\t", "mean=true "),
                    ("\x15sample_index=c\t", "sample_index=cpu "), ("\x15mean_c\t", "mean_cpu "), 
                    ("\x15help nodec\t", "help nodecount "), ("\x15top 3 runtime.mallocg\t", "runtime.mallocgc "),
                    ("\x15peek shouldVis\t", r"peek regexp.\(\*bitState\).shouldVisit "), ("\x15top -tryBackt\t", r"-regexp.\(\*Regexp\).tryBacktrack "),
                    ("\x15focus=runtime.duffc\t", "focus=runtime.duffcopy "), ("\x15top >cpu.p\t", ">cpu.prof "), ("\x15source bi\t", "source bin/"),
                    ("\x15dif\t", "diff_base ")]
        for keys, wanted in complete:
            shell.keys("\x15" + keys.lstrip("\x15"), "")
            end = time.monotonic() + LIMIT
            while not shell.shown().endswith(wanted.rstrip()):
                assert time.monotonic() < end, (keys, shell.shown())
                shell.read(0.2)
        shell.keys("\x15top\t", "topproto")
        shell.keys("\x15focus=nosuchfunction\t", "nosuchfunction")
        assert "mallocgc" in shell.line("\x15top1")
        shell.end()


def main():
    try:
        os.close(os.openpty()[1])
    except OSError as error:
        print(f"skipped: no pseudo terminal ({error})")
        return 77
    failed = 0
    for name in [n for n in dir(Tests) if n.startswith(("test_", "edit_"))]:
        if len(sys.argv) > 3 and name not in sys.argv[3:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            tests = Tests(sys.argv[1], sys.argv[2], folder)
            if name.startswith("edit_") and not tests.edits:
                print(f"{name}: not run, built without libedit")
                continue
            try:
                getattr(tests, name)()
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{name}: {error!r:.2000}")
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
