"""Checks that a file includes only its own room and lower rooms. The rules are in docs/ARCHITECTURE.md:

    base < unit, model < codec < tools      rooms, each group above the groups before it
    bench: read, print < classic            rooms inside a room; the files of the room itself are below them
    tools: common < pprofc < pprofci        programs; then rooms inside a program
"""
import os
import re

from source import ROOT, Report, files, read

# The room of each public header.
PUBLIC = {"base": "core", "profile": "profile", "builder": "profile", "transform": "transform",
          "report": "pipeline", "bench": "bench", "stats": "stats", "gate": "gate", "samples": "profile",
          "sources": "sources", "symbolize": "symbolize", "graph": "report", "verdict": "verdict", "pprofc": "tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
ORDER = re.compile(r"^    (\w[\w ,]*<[\w ,<]+)$", re.M)
INSIDE = re.compile(r"^    (\w+): (\w[\w ,<]*)$", re.M)


def add_order(allowed, line, prefix=""):
    """Adds one line `a < b, c < d`: each name may be included by itself and by the groups after its own group."""
    below = set()
    for group in line.split("<"):
        names = [prefix + name.strip() for name in group.split(",")]
        for name in names:
            allowed.setdefault(name, {name}).update(below)
        below.update(names)


def layers(text):
    """Returns for each room the rooms that it may include. A room inside another has the name `outer/inner`."""
    allowed = {}
    for line in ORDER.findall(text):
        add_order(allowed, line)
    for outer, line in INSIDE.findall(text):
        if outer in allowed:
            add_order(allowed, line, outer + "/")
    return allowed


def room_of(parts):
    """Returns the room of a path below src: its folder, or the name of a file in src itself."""
    return "/".join(parts[:-1]) or parts[0].rsplit(".", 1)[0]


def is_of_tools(path, target):
    """True if a file of a program includes a file of its own folders, of common, or of another program."""
    program = "/".join(path.split("/")[:2])
    return any(os.path.exists(os.path.join(ROOT, folder, target)) for folder in ("tools", program))


def included_room(path, target, known):
    """Returns the room of the file that `path` includes, or None if the file is not a part of the project."""
    parts = target.split("/")
    if len(parts) == 1:
        return "own"
    if parts[0] == "pprofc":  # this prefix is only for public headers, not for the folder of the program
        return PUBLIC.get(parts[1].removesuffix(".h"))
    if path.startswith("tools/") and is_of_tools(path, target):
        return "own"
    # The common folder of the programs, and the folders of a program (tools/PROGRAM/FOLDER).
    if path.startswith("tools/") and (parts[0] == "common" or parts[0] not in {room.split("/")[0] for room in known}):
        return "own"
    if path.startswith("tools/") and os.path.exists(os.path.join(ROOT, *path.split("/")[:2], target)):
        return "own"  # a folder of the program
    return room_of(parts) if room_of(parts) in known else None


def may_include(room, target, allowed):
    """True if files of `room` may include files of the room `target`."""
    outer, target_outer = room.split("/")[0], target.split("/")[0]
    if outer != target_outer:
        return target_outer in allowed[outer]
    return target in (room, outer) or target in allowed[room]


def check(path, text, allowed, report):
    parts = path.split("/")
    room = "tools" if parts[0] == "tools" else room_of(parts[2:])
    public = parts[1] == "include"
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if target.endswith(".pb-c.h") and room == "codec":
            continue
        found = included_room(path, target, allowed)
        if found is None:
            report.add("layers", f"{path}:{target}", path, line, f"'{target}' belongs to no room of docs/ARCHITECTURE.md (a public header: PUBLIC in tests/style/layers.py)")
        elif public:
            if not target.startswith("pprofc/"):
                report.add("layers", f"{path}:{target}", path, line,
                           f"a public header includes '{target}', which users do not have")
        elif found != "own" and not may_include(room, found, allowed):
            report.add("layers", f"{path}:{target}", path, line, f"{room} may not include {found} ('{target}'); the order is in docs/ARCHITECTURE.md, and what both need goes into a lower room")


def tool_orders(text):
    """Returns the orders inside tools, by the name before the colon: for each name, the names that it may include. The
    key "" has the names above the first group."""
    orders = {}
    for outer, line in INSIDE.findall(text):
        if outer == "tools" or os.path.isdir(os.path.join(ROOT, "tools", outer)):
            orders[outer] = {}
            add_order(orders[outer], line)
            orders[outer][""] = {name.strip() for group in line.split("<")[1:] for name in group.split(",")}
    return orders


def tool_place(path):
    """Returns (program, folder) of a file below tools. The folder is "" for a file in the program's main folder."""
    parts = path.split("/")
    return parts[1], parts[2] if len(parts) > 3 else ""


def tool_target(path, target):
    """Returns the included file below tools, or None."""
    places = [os.path.dirname(path), "/".join(path.split("/")[:2]), "tools", "tools/pprofc", "tools/parse_bench_regressions"]
    return next((f"{place}/{target}" for place in places if os.path.exists(os.path.join(ROOT, place, target))), None)


def tool_may_include(orders, path, target):
    (program, folder), (other, inner) = tool_place(path), tool_place(target)
    order = orders.get(other, {})
    if program != other:
        return other in orders["tools"].get(program, {program}) and inner not in order.get("", ())
    if not inner or not order or os.path.basename(path) == "main.c":
        return True
    return inner not in order[""] if not folder else inner in order.get(folder, {folder})


def check_tools(paths, report):
    """Checks that programs include only lower folders, and only the first rooms of another program. main.c may include
    all."""
    orders = tool_orders(read("docs/ARCHITECTURE.md"))
    if not {"tools", "pprofc", "pprofci"} <= orders.keys():
        report.problems.append("docs/ARCHITECTURE.md:1: the order of tools is not where this test looks for it")
        return
    for path in paths:
        text = read(path)
        for match in INCLUDE.finditer(text) if path.startswith("tools/") else ():
            target = tool_target(path, match.group(1))
            if target and not tool_may_include(orders, path, target):
                line = text.count("\n", 0, match.start()) + 1
                report.add("layers", f"{path}:{match.group(1)}", path, line, f"{'/'.join(filter(None, tool_place(path)))} may not include '{target}'; the order of tools is in docs/ARCHITECTURE.md")


def check_internal(paths, report):
    """Checks that programs use only the public interface, core/, and the internal headers of a list, and that they use
    each header of the list."""
    listed = {line for line in read("tests/style/internal_headers.txt").splitlines() if not line.startswith("#")}
    used = set()
    for path in paths:
        text = read(path)
        for match in INCLUDE.finditer(text) if path.startswith("tools/") else ():
            target = match.group(1)
            internal = os.path.exists(os.path.join(ROOT, "libpprofc/src", target)) and not tool_target(path, target)
            if not internal or target.startswith("core/"):
                continue
            used.add(target)
            if target not in listed:
                report.add("layers", f"{path}:{target}", path, text.count("\n", 0, match.start()) + 1, f"'{target}' is internal to the library: use include/pprofc, or put it into tests/style/internal_headers.txt")
    report.problems += [f"tests/style/internal_headers.txt:1: no program includes {name}: remove the line" for name in sorted(listed - used)]


def main():
    allowed = layers(read("docs/ARCHITECTURE.md"))
    report = Report("layers")
    if not {"codec", "bench", "report", "tools"} <= allowed.keys():
        report.problems.append("docs/ARCHITECTURE.md:1: the rooms are not where this test looks for them")
    paths = files("libpprofc", "tools")
    for path in paths:
        room = room_of(path.split("/")[2:])
        if path.startswith("libpprofc/src/") and room not in allowed:
            report.problems.append(f"{path}:1: docs/ARCHITECTURE.md has no room '{room}': put it into the list and into the order below it")
        else:
            check(path, read(path), allowed, report)
    check_tools(paths, report)
    check_internal(paths, report)
    report.finish(f"{len(paths)} files, {len(allowed)} rooms")


if __name__ == "__main__":
    main()
