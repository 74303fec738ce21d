"""A file includes its own folder and lower layers only. The layers are read from docs/ARCHITECTURE.md."""
import re

from source import Report, files, read

# The folder that a public header belongs to.
PUBLIC = {"base": "base", "profile": "model", "builder": "model", "transform": "transform",
          "report": "report", "bench": "bench", "pprofc": "tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def layers(text):
    """Folder -> folders that it may include, from lines like `base < unit, model < codec < tools`."""
    allowed = {}
    for line in re.findall(r"^    (base <[\w\s,<]+?)$", text, re.M):
        below = set()
        for group in line.split("<"):
            names = [name.strip() for name in group.split(",")]
            for name in names:
                allowed.setdefault(name, {name}).update(below)
            below.update(names)
    return allowed


def included_layer(path, target, known):
    """The layer of the file that `path` includes, or None when it is not one of ours."""
    parts = target.split("/")
    if len(parts) == 1:
        return "own"
    if parts[0] == "pprofc":
        return PUBLIC.get(parts[1].removesuffix(".h"))
    if parts[0] == "common" and path.startswith("tools/"):
        return "own"
    return parts[0] if parts[0] in known else None


def check(path, text, allowed, report):
    parts = path.split("/")
    layer = "tools" if parts[0] == "tools" else parts[2]
    public = parts[1] == "include"
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if target.endswith(".pb-c.h") and layer == "codec":
            continue
        found = included_layer(path, target, allowed)
        if found is None:
            report.add("layers", f"{path}:{target}", path, line, f"'{target}' belongs to no layer")
        elif public:
            if not target.startswith("pprofc/"):
                report.add("layers", f"{path}:{target}", path, line,
                           f"a public header includes '{target}', which users do not have")
        elif found != "own" and found not in allowed[layer]:
            report.add("layers", f"{path}:{target}", path, line, f"{layer} may not include {found} ('{target}')")


def main():
    allowed = layers(read("docs/ARCHITECTURE.md"))
    report = Report("layers")
    if not {"base", "bench", "report", "tools"} <= allowed.keys():
        report.problems.append("docs/ARCHITECTURE.md:1: the layers are not where this test looks for them")
    paths = files("libpprofc", "tools")
    for path in paths:
        layer = path.split("/")[2]
        if path.startswith("libpprofc/src/") and layer not in allowed:
            report.problems.append(f"{path}:1: docs/ARCHITECTURE.md has no layer '{layer}'")
        else:
            check(path, read(path), allowed, report)
    report.finish(f"{len(paths)} files, {len(allowed)} layers")


if __name__ == "__main__":
    main()
