#!/usr/bin/python3
"""Within one version of the backend ABI the headers only grow at ends (docs/backend.md, "Versions").

    abi.py [--write] FOLDER-OF-HEADERS abi.txt

Compares the headers with abi.txt, what the binary interface was when the version began: members with their offsets and
types, sizes, enumerators, functions, macros and the rows of ops.def. All of it must still be so; what is new must be at
the end of its struct or enumeration. --write makes abi.txt from the headers, when a version begins.
"""
import re
import sys

try:
    from clang import cindex
    from clang.cindex import CursorKind as Kind, TypeKind
except ImportError:
    print("abi.py: Debian's python3-clang-14 is not installed")
    sys.exit(77)  # for ctest: skipped

HEADERS = ["kiln.h", "ir.h", "backend.h"]
# Structs that may have more members at their ends: the library makes them, or they say how large they are.
GROWING = set("""kiln_base_backend kiln_driver kiln_compile_job kiln_code kiln_driver_config kiln_drv_launch_desc kiln_caps kiln_function
kiln_module kiln_param kiln_context_desc kiln_program_desc kiln_arg_info kiln_cache_item""".split())
RECORDS = {Kind.STRUCT_DECL: "struct", Kind.UNION_DECL: "union"}
INCREASING = {"member", "enumerator", "op"}  # what is new has a higher number than all that the table has


def members(record, path="", base=0):
    """Offset in bits, name and type of each field; in place of a field whose struct has no name, the fields of that."""
    for field in record.type.get_fields():
        element, name, offset = field.type, path + field.spelling, base + field.get_field_offsetof()
        while element.kind == TypeKind.CONSTANTARRAY:
            name += f"[{element.element_count}]"
            element = element.element_type
        inner = element.get_declaration()
        if inner.kind in RECORDS and "(unnamed" in element.spelling:
            yield from members(inner, name + ".", offset)
        else:
            width = f" : {field.get_bitfield_width()}" if field.is_bitfield() else ""
            yield offset, name, element.spelling + width


def declared(cursor):
    """Rows (kind, owner, name) -> (number, text) for one declaration."""
    if cursor.kind in RECORDS and cursor.is_definition():
        owner = f"{RECORDS[cursor.kind]} {cursor.spelling}"
        yield ("size", owner, ""), (cursor.type.get_size(), "")
        for offset, name, text in members(cursor):
            yield ("member", owner, name), (offset, text)
    elif cursor.kind == Kind.ENUM_DECL:
        values = list(cursor.get_children())
        for value in values:
            if value is not values[-1] or not value.spelling.endswith("_COUNT"):  # the number of the others grows
                yield ("enumerator", "enum " + cursor.spelling, value.spelling), (value.enum_value, "")
    elif cursor.kind == Kind.FUNCTION_DECL:
        yield ("function", "", cursor.spelling), (0, cursor.type.spelling)
    elif cursor.kind == Kind.TYPEDEF_DECL:
        yield ("typedef", "", cursor.spelling), (0, cursor.underlying_typedef_type.spelling)


def read_headers(folder):
    text = "".join(f"#include <kiln/{name}>\n" for name in HEADERS)
    unit = cindex.Index.create().parse("abi.c", ["-std=c11", "-I" + folder], unsaved_files=[("abi.c", text)])
    for fault in unit.diagnostics:
        sys.exit(f"abi.py: {fault}")
    rows = {}
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name.startswith(folder):
            rows.update(declared(cursor))
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
            file.write("# A member's number is its offset in bits.\n")
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
