#!/usr/bin/env python3
"""Profiles of a fleet, merged and compared on Apache Spark. docs/FLEET.md explains it.

  spark-submit pprofc_fleet.py merge --key 'REGEX' --out FOLDER GLOB ...
  spark-submit pprofc_fleet.py compare FOLDER --base KEY --head KEY [-- FLAG ...]

merge reads all files that the globs match, in any file system that Hadoop knows (hdfs://, s3a://, file:// ...). pprofc
merges the files that have the same key. FOLDER gets

  profiles/KEY.pb.gz   one profile for each key
  functions/           Parquet: one row for each key, sample type and function
  keys/                Parquet: one row for each key and sample type
  broken.jsonl         the files that could not be read, each with the reason

The key of a file is the text that the groups of REGEX match in its path, joined by "/"; without groups, the whole match.
A file without a key is an error unless --skip-others is given. Like Hadoop, the job skips names that begin with "_" or
".". FOLDER must not exist.

compare prints the verdicts of `pprofc -top -noise` on all runs of two keys. It passes flags after -- to pprofc and
returns its exit status.

The result does not depend on the executors, or on how often a task runs. The job merges the files of a key in the order
of their paths, in groups that depend only on the sizes of the files.
"""
import argparse
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

# Maximum number of files and of bytes in one task; number of partial results that the next task merges.
TASK_FILES, TASK_BYTES, FAN_IN = 512, 64 << 20, 32

CELL_SUMS = ("flat_noise", "cum_noise", "samples", "runs", "flat_share", "flat_squares", "cum_share", "cum_squares",
             "machine", "judged_share", "judged_squares")
CELL = ("flat", "cum") + CELL_SUMS
TYPE_SUMS = ("runs", "empty", "total", "squares", "inverse")


class Wrong(Exception):
    """Error that ends the program with a one-line message and status 1."""


# ---- pprofc -------------------------------------------------------------------------------------------------------------


class Partial(collections.namedtuple("Partial", "profile sums broken files")):
    """Merged files of one key: profile (None if all files are broken), sums, broken files with reasons, number of all files."""


def run_merge(pprofc, contents, with_sums):
    """Merges profiles with one pprofc, which reads them as a stream. Returns the profile, its sums, and {index: reason}."""
    with tempfile.TemporaryDirectory() as folder:
        profile, sums, said = (os.path.join(folder, name) for name in ("out.pb.gz", "out.sums", "said"))
        command = [pprofc, "-symbolize=none", "-frames", "-proto", "-output=" + profile]
        with open(said, "wb") as errors:
            child = subprocess.Popen(command + (["-sums=" + sums] if with_sums else []), stdin=subprocess.PIPE,
                                     stdout=subprocess.DEVNULL, stderr=errors)
            try:
                for content in contents:
                    child.stdin.write(struct.pack(">I", len(content)))
                    child.stdin.write(content)
                child.stdin.close()
            except BrokenPipeError:
                pass  # the child prints the reason
            status = child.wait()
        with open(said, encoding="utf-8", errors="replace") as lines:
            text = lines.read()
        broken = {int(n) - 1: reason for n, reason in re.findall(r"^cannot read 'frame (\d+) of standard input': (.*)$", text, re.M)}
        if status == 0:
            return read_file(profile), read_file(sums) if with_sums else None, broken
        if len(broken) == len(contents):
            return None, None, broken
        last = (text.strip().splitlines() or [f"status {status}"])[-1]
        raise Wrong(f"pprofc: {last.removeprefix('pprofc: ')}")


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


# ---- sums ---------------------------------------------------------------------------------------------------------------


def add_sums(parts):
    """Adds up files of pprofc -sums in the given order."""
    types = {}
    for part in parts:
        for given in json.loads(part)["types"]:
            name = given["type"], given["unit"]
            into = types.get(name)
            if into is None:
                types[name] = dict(given, functions={f["function"]: f for f in given["functions"]})
                continue
            for field in TYPE_SUMS:
                into[field] += given[field]
            alike = all(into[f] == given[f] for f in ("sampling", "period")) and not given["mixed_periods"]
            into["mixed_periods"] |= not alike
            into["seconds"] = None if into["seconds"] is None or given["seconds"] is None else into["seconds"] + given["seconds"]
            add_functions(into["functions"], given["functions"])
    for each in types.values():
        each["functions"] = [each["functions"][name] for name in sorted(each["functions"])]
    return json.dumps({"pprofc_sums": 1, "types": list(types.values())}, separators=(",", ":")).encode()


def add_functions(into, functions):
    for given in functions:
        cell = into.setdefault(given["function"], given)
        if cell is given:
            continue
        cell["file"] = cell["file"] or given["file"]
        for field in CELL:
            cell[field] += given[field]


def function_rows(key, sums):
    for each in json.loads(sums)["types"]:
        for f in each["functions"]:
            yield ((key, each["type"], each["unit"], f["function"], f["file"], int(f["flat"]), int(f["cum"]))
                   + tuple(float(f[name]) for name in CELL_SUMS))


def key_rows(key, sums, broken):
    for each in json.loads(sums)["types"]:
        yield ((key, each["type"], each["unit"], each["default"], each["sampling"], float(each["period"]), each["mixed_periods"],
                None if each["seconds"] is None else float(each["seconds"])) + tuple(float(each[name]) for name in TYPE_SUMS)
               + (broken,))


FUNCTION_SCHEMA = ("key string, type string, unit string, function string, file string, flat long, cum long, "
                   + ", ".join(f"{name} double" for name in CELL_SUMS))
KEY_SCHEMA = ("key string, type string, unit string, is_default boolean, sampling string, period double, mixed_periods boolean, "
              "seconds double, " + ", ".join(f"{name} double" for name in TYPE_SUMS) + ", broken long")


# ---- files and keys -----------------------------------------------------------------------------------------------------


def key_of(expression, path):
    """Returns the key that the expression finds in the path, or None."""
    found = expression.search(path)
    if not found:
        return None
    return "/".join(g or "" for g in found.groups()) if found.groups() else found.group()


def list_files(spark, globs):
    """Returns (path, bytes) of all files that the globs match, sorted by path."""
    jvm, conf = spark._jvm, spark._jsc.hadoopConfiguration()
    files = {}
    for glob in globs:
        path = jvm.org.apache.hadoop.fs.Path(glob)
        found = path.getFileSystem(conf).globStatus(path)
        visible = [s for s in found or [] if s.isFile() and s.getPath().getName()[0] not in "_."]
        if not visible:
            raise Wrong(f"no file matches '{glob}'" + (", folders or hidden files only" if found else ""))
        files.update((s.getPath().toString(), s.getLen()) for s in visible)
    return sorted(files.items())


def group_files(files, expression, skip_others):
    """Returns {path: group} and the key of each group. A group is a run of consecutive files of one key."""
    by_key = collections.defaultdict(list)
    for path, size in files:
        key = key_of(expression, path)
        if key is None and not skip_others:
            raise Wrong(f"'{path}' does not match the key's expression (--skip-others leaves such files out)")
        if key is not None:
            by_key[key].append((path, size))
    group_of, keys = {}, []
    for key in sorted(by_key):
        count = size = TASK_FILES
        for path, length in by_key[key]:
            if count >= TASK_FILES or size + length > TASK_BYTES:
                keys.append(key)
                count = size = 0
            group_of[path] = len(keys) - 1
            count, size = count + 1, size + length
    return group_of, keys


def safe_path(key):
    """Returns a path for a key. "/" separates folders, special bytes become %XX, and no part begins with a point."""
    return "/".join(safe_name(part) for part in key.split("/"))


def safe_name(part):
    name = "".join(c if c.isalnum() and c.isascii() or c in "-_." else "".join("%%%02X" % b for b in c.encode()) for c in part)
    return "%2E" + name[1:] if name.startswith(".") else name or "%"


# ---- the job ------------------------------------------------------------------------------------------------------------


def pprofc_here(name):
    """Returns the path on an executor of the pprofc that the driver sent."""
    from pyspark import SparkFiles
    path = SparkFiles.get(name)
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    return path


def merge_group(name, files):
    files = sorted(dict(files).items())  # dict drops the second copy of a file that two globs match
    try:
        profile, sums, broken = run_merge(pprofc_here(name), [bytes(content) for _, content in files], True)
    except Wrong as error:  # pprofc knows only positions in the stream, not names of files
        raise Wrong(re.sub(r"frame (\d+) of standard input", lambda m: files[int(m[1]) - 1][0], str(error))) from None
    return Partial(profile, sums, [(files[i][0], reason) for i, reason in sorted(broken.items())], len(files))


def merge_partials(name, partials):
    """Merges partial results in the given order."""
    broken, files = [b for p in partials for b in p.broken], sum(p.files for p in partials)
    good = [p for p in partials if p.profile is not None]
    if len(good) < 2:
        return Partial(good[0].profile if good else None, good[0].sums if good else None, broken, files)
    profile, _, lost = run_merge(pprofc_here(name), [p.profile for p in good], False)
    if lost:
        raise Wrong("a merged profile could not be read: " + next(iter(lost.values())))
    return Partial(profile, add_sums(p.sums for p in good), broken, files)


def merged(spark, args):
    """Returns an RDD of (key, Partial), one for each key, and the number of files that have a key."""
    group_of, keys = group_files(list_files(spark, args.globs), re.compile(args.key), args.skip_others)
    if not keys:
        raise Wrong("no file has a key")
    context, name = spark.sparkContext, os.path.basename(args.pprofc)
    context.addFile(os.path.abspath(args.pprofc))
    groups, tasks = context.broadcast(group_of), min(len(keys), args.partitions or 4 * context.defaultParallelism)
    read = context.binaryFiles(",".join(args.globs), minPartitions=tasks)
    grouped = read.filter(lambda f: f[0] in groups.value).map(lambda f: (groups.value[f[0]], f)).groupByKey(tasks)
    level = grouped.map(lambda g: (g[0], merge_group(name, g[1])))
    # Groups of a key have consecutive numbers; each level divides the number of partial results by FAN_IN.
    first = {key: n for n, key in reversed(list(enumerate(keys)))}
    owner = [first[key] for key in keys]
    most, span = max(collections.Counter(keys).values()), 1
    while most > 1:
        span, most = span * FAN_IN, -(-most // FAN_IN)
        level = (level.map(lambda p, span=span: ((owner[p[0]], (p[0] - owner[p[0]]) // span), p)).groupByKey(tasks)
                 .map(lambda g: (min(n for n, _ in g[1]), merge_partials(name, [p for _, p in sorted(g[1], key=lambda p: p[0])]))))
    return level.map(lambda p: (keys[p[0]], p[1])), len(group_of)


def write_bytes(spark, path, data):
    """Writes a file to any file system of Hadoop, completely or not at all."""
    jvm, conf = spark._jvm, spark._jsc.hadoopConfiguration()
    target, part = jvm.org.apache.hadoop.fs.Path(path), jvm.org.apache.hadoop.fs.Path(path + ".part")
    system = target.getFileSystem(conf)
    stream = system.create(part, True)
    stream.write(bytearray(data))
    stream.close()
    if not system.rename(part, target):
        raise Wrong(f"cannot write '{path}'")


def command_merge(spark, args):
    out = args.out.rstrip("/")
    path = spark._jvm.org.apache.hadoop.fs.Path(out)
    if path.getFileSystem(spark._jsc.hadoopConfiguration()).exists(path):
        raise Wrong(f"'{out}' is there already")
    results, listed = merged(spark, args)
    results.persist()
    broken, keys, files = [], 0, 0
    try:
        read = results.map(lambda r: r[1].files).sum()
        if read != listed:
            raise Wrong(f"{listed} files were listed, and {read} read: nothing is written")
        good = results.filter(lambda r: r[1].profile is not None)
        for key, partial in results.toLocalIterator():
            broken += [{"file": file, "key": key, "reason": reason} for file, reason in partial.broken]
            if partial.profile is not None:
                keys += 1
                files += max(t["runs"] + t["empty"] for t in json.loads(partial.sums)["types"])
                write_bytes(spark, f"{out}/profiles/{safe_path(key)}.pb.gz", partial.profile)
        functions = good.flatMap(lambda r: list(function_rows(r[0], r[1].sums)))
        spark.createDataFrame(functions, FUNCTION_SCHEMA).write.parquet(out + "/functions")
        of_keys = good.flatMap(lambda r: list(key_rows(r[0], r[1].sums, len(r[1].broken))))
        spark.createDataFrame(of_keys, KEY_SCHEMA).write.parquet(out + "/keys")
        write_bytes(spark, out + "/broken.jsonl", "".join(json.dumps(b) + "\n" for b in broken).encode())
    finally:
        results.unpersist()
    print(f"{files:.0f} profiles of {keys} keys merged, {len(broken)} could not be read" +
          (f": {out}/broken.jsonl" if broken else ""))
    for b in broken[:5]:
        print(f"  {b['file']}: {b['reason']}", file=sys.stderr)
    return 0 if keys else 1


# ---- comparing ----------------------------------------------------------------------------------------------------------


def sums_of_key(spark, folder, key):
    """Returns the sums of a key in the form of pprofc -sums, from the two tables."""
    from pyspark.sql.functions import col
    keys = spark.read.parquet(folder + "/keys").where(col("key") == key).collect()
    if not keys:
        some = [r.key for r in spark.read.parquet(folder + "/keys").select("key").distinct().orderBy("key").limit(5).collect()]
        raise Wrong(f"there is no key '{key}'; there are {', '.join(some)} ...")
    functions = collections.defaultdict(list)
    for row in spark.read.parquet(folder + "/functions").where(col("key") == key).collect():
        functions[row.type, row.unit].append({name: row[name] for name in ("function", "file") + CELL if name in row})
    types = []
    for row in sorted(keys, key=lambda r: (r.type, r.unit)):
        each = {name: row[name] for name in ("type", "unit", "sampling", "period", "mixed_periods", "seconds") + TYPE_SUMS}
        types.append(dict(each, default=row.is_default, functions=functions[row.type, row.unit]))
    return add_sums([json.dumps({"pprofc_sums": 1, "types": types})])


def command_compare(spark, args):
    with tempfile.TemporaryDirectory() as folder:
        for side in ("base", "head"):
            with open(os.path.join(folder, side), "wb") as file:
                file.write(sums_of_key(spark, args.folder.rstrip("/"), getattr(args, side)))
        command = [args.pprofc, "-top", "-noise", *args.flags, "-diff_base=" + os.path.join(folder, "base"), os.path.join(folder, "head")]
        sys.stdout.flush()
        return subprocess.run(command).returncode


# ---- the command line ---------------------------------------------------------------------------------------------------


def parse(argv):
    flags = argv[argv.index("--") + 1:] if "--" in argv else []
    parser = argparse.ArgumentParser(prog="pprofc_fleet.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    merge = commands.add_parser("merge", help="merge profiles by key, and make the tables")
    merge.add_argument("globs", nargs="+", metavar="GLOB")
    merge.add_argument("--key", required=True, metavar="REGEX", help="its groups, found in the path, are the key")
    merge.add_argument("--out", required=True, metavar="FOLDER")
    merge.add_argument("--skip-others", action="store_true", help="leave out files without a key")
    merge.add_argument("--partitions", type=int, metavar="N", help="tasks of a step (4 for each core)")
    compare = commands.add_parser("compare", help="verdicts on the runs of two keys")
    compare.add_argument("folder", metavar="FOLDER")
    compare.add_argument("--base", required=True, metavar="KEY")
    compare.add_argument("--head", required=True, metavar="KEY")
    for command in (merge, compare):
        command.add_argument("--pprofc", default="pprofc", metavar="PROGRAM", help="it is sent to the executors")
    args = parser.parse_args(argv[:argv.index("--")] if "--" in argv else argv)
    args.flags = flags
    return args


def find_program(name):
    from shutil import which
    path = which(name)
    if not path:
        raise Wrong(f"there is no program '{name}' (--pprofc says where pprofc is)")
    return path


def main():
    args = parse(sys.argv[1:])
    from pyspark.sql import SparkSession
    try:
        args.pprofc = find_program(args.pprofc)
        if args.command == "merge":
            re.compile(args.key)
        spark = SparkSession.builder.appName("pprofc_fleet " + args.command).getOrCreate()
        try:
            return (command_merge if args.command == "merge" else command_compare)(spark, args)
        finally:
            spark.stop()
    except re.error as error:
        print(f"pprofc_fleet.py: --key: {error}", file=sys.stderr)
    except Wrong as error:
        print(f"pprofc_fleet.py: {error}", file=sys.stderr)
    except Exception as error:  # the text of Spark's exception contains the exception of the executor
        print(f"pprofc_fleet.py: {reason_of(str(error))}", file=sys.stderr)
    return 1


def reason_of(text):
    """Returns the line with the reason from the text of a failed job."""
    own = re.findall(r"^\S*\bWrong: (.*)$", text, re.M)
    return own[-1] if own else (text.strip().splitlines() or ["failed"])[0]


if __name__ == "__main__":
    sys.exit(main())
