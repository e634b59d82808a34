#!/usr/bin/python3
"""Within one version of the backend ABI the headers only grow at ends (docs/backend.md, "Versions").

    abi.py [--write] FOLDER-OF-HEADERS abi.txt

Compares the headers with abi.txt, what the binary interface was when the version began: members with their offsets and
types, sizes, enumerators, functions, macros and the rows of ops.def. All of it must still be so; what is new must be at
the end of its struct or enumeration. --write makes abi.txt from the headers, when a version begins.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEADERS = ["kiln.h", "ir.h", "backend.h"]
# Structs that may have more members at their ends: the library makes them, or they say how large they are.
GROWING = set("""kiln_base_backend kiln_driver kiln_compile_job kiln_code kiln_driver_config kiln_drv_launch_desc kiln_caps
kiln_function kiln_module kiln_param kiln_context_desc kiln_program_desc kiln_arg_info kiln_cache_item
kiln_launch_desc""".split())
INCREASING = {"member", "enumerator", "op"}  # what is new has a higher number than all that the table has


def clang(folder, source, *options):
    """What clang prints of the source, and where it finds faults."""
    command = [shutil.which("clang-14") or shutil.which("clang") or "", "-std=c11", "-I" + folder, "-fsyntax-only"]
    if not command[0]:
        print("abi.py: clang is not installed")
        sys.exit(77)  # for ctest: skipped
    for option in options:
        command += ["-Xclang", option]
    done = subprocess.run([*command, source], capture_output=True, text=True)
    if done.returncode:
        sys.exit("abi.py: " + done.stderr)
    return done.stdout


def place_of(text):
    """Where a struct without a name is declared, which clang names it by; None: it has a name."""
    found = re.search(r"\((?:unnamed|anonymous)(?: \w+)? at ([^)]*)\)", text)
    return found and found.group(1)


def layouts(text):
    """Of each struct and union in the output of -fdump-record-layouts: its size, and (byte, type, name) of its fields."""
    records = {}
    for block in text.split("*** Dumping AST Record Layout\n")[1:]:
        lines = block.splitlines()
        name = place_of(lines[0]) or lines[0].split("|")[1].strip()
        fields = re.findall(r"^ *([0-9:-]+) \|   (\S.*) (\w+)$", block, re.M)  # fields of fields stand further right
        records[name] = (re.search(r"sizeof=(\d+)", block).group(1), fields)
    return records


def members(records, record, path="", base=0):
    """(byte, name, type) of each field; in place of a field whose struct has no name, the fields of that."""
    for offset, kind, name in records[record][1]:
        byte, _, bits = offset.partition(":")
        dimensions = "".join(re.findall(r"\[\d+\]$", kind))
        if place_of(kind):
            yield from members(records, place_of(kind), f"{path}{name}{dimensions}.", base + int(byte))
        else:
            yield base + int(byte), path + name, kind.replace("_Bool", "bool") + (bits and " : " + bits)


def enumerators(enum):
    """(name, number); the number of the others, at the end, grows."""
    number, values = -1, [v for v in enum.get("inner", []) if v["kind"] == "EnumConstantDecl"]
    for value in values:
        given = value.get("inner", [{}])[0].get("value")
        number = number + 1 if given is None else int(given)
        if value is not values[-1] or not value["name"].endswith("_COUNT"):
            yield value["name"], number


def declared(tree):
    """Rows (kind, owner, name) -> (number, text) of enumerations, functions and types."""
    for node in tree["inner"]:
        name = node.get("name", "")
        if not name.startswith("kiln_"):
            continue
        if node["kind"] == "EnumDecl":
            for value, number in enumerators(node):
                yield ("enumerator", "enum " + name, value), (number, "")
        elif node["kind"] in ("FunctionDecl", "TypedefDecl"):
            kind = node["kind"].removesuffix("Decl").lower()
            yield (kind, "", name), (0, node["type"]["qualType"].replace("_Bool", "bool"))


def read_headers(folder):
    rows = {}
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "abi.c")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(f"#include <kiln/{name}>\n" for name in HEADERS)
        rows.update(declared(json.loads(clang(folder, source, "-ast-dump=json"))))
        records = layouts(clang(folder, source, "-fdump-record-layouts-complete"))
    for record, (size, _) in sorted(records.items()):
        if re.match(r"(struct|union) kiln_\w+$", record):
            rows["size", record, ""] = (int(size), "")
            for byte, name, text in members(records, record):
                rows["member", record, name] = (byte, text)
    for name in HEADERS:
        source = open(f"{folder}/kiln/{name}", encoding="utf-8").read()
        for macro, value in re.findall(r"^#define (KILN_[A-Z_0-9]+) +([^/\n]+)", source, re.M):
            if macro != "KILN_API":
                rows["macro", "", macro] = (0, value.strip())
    source = open(f"{folder}/kiln/ops.def", encoding="utf-8").read()
    for number, row in enumerate(re.findall(r"^KILN_OP\((.*)\)", source, re.M)):
        columns = [column.strip() for column in row.split(",")]
        rows["op", "ops.def", columns[0]] = (number, ", ".join(columns[1:-1]))  # the family is for source text alone
    return rows


def read_table(path):
    rows = {}
    for line in open(path, encoding="utf-8").read().splitlines():
        if not line.startswith("#"):
            kind, owner, name, number, text = line.split("\t")
            rows[kind, owner, name] = (int(number), text)
    return rows


def faults(then, now):
    last = {}  # of each struct and enumeration: the highest number that the table has
    for (kind, owner, _), (number, _) in then.items():
        last[kind, owner] = max(number, last.get((kind, owner), number))
    for key, row in then.items():
        kind, owner, name = key
        if now.get(key) != row and not (kind == "size" and owner.split()[1] in GROWING):
            yield f"{kind} {owner} {name}: {row} has become {now.get(key, 'nothing')}"
    for key, (number, _) in now.items():
        kind, owner, name = key
        if key in then or (kind, owner) not in last or kind not in INCREASING:
            continue
        if number <= last[kind, owner]:
            yield f"{kind} {owner} {name} is new, and not at the end"
        elif kind == "member" and owner.split()[1] not in GROWING:
            yield f"{kind} {owner} {name} is new, but this struct does not grow"


def main():
    write = sys.argv[1:2] == ["--write"]
    folder, table = sys.argv[1 + write:]
    now = read_headers(folder)
    if write:
        with open(table, "w", encoding="utf-8") as file:
            file.write("# Made by abi.py --write, when a version of the backend ABI began. Kind, owner, name, number, text.\n")
            file.write("# A member's number is its offset in bytes.\n")
            for key, (number, text) in now.items():
                file.write("\t".join([*key, str(number), text]) + "\n")
        return
    then = read_table(table)
    found = list(faults(then, now))
    for kind in ("size", "member", "enumerator", "function", "typedef", "macro", "op"):
        if not any(key[0] == kind for key in then) or not any(key[0] == kind for key in now):
            found.append(f"nothing of kind '{kind}' was found")
    if found:
        print(*found, "A change like these needs a new KILN_BACKEND_ABI, and a new abi.txt (abi.py --write).", sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
