#!/usr/bin/python3
"""Transformations name the kernels that are aimed at their conditions, and each area of aimed.def is named.

check_aimed.py SOURCE: the head comment of a transformation's file ends with a line "Kernels aimed at its conditions
(tests/gen/aimed.def): NAME, NAME.", in which a name is a kernel or an area, which is how several kernels begin.
"""
import pathlib
import re
import sys

FOLDERS = ("backends/llvm/arrange", "backends/llvm/cpu", "backends/llvm/plan", "backends/llvm/spmd", "jit/pass")
LINE = re.compile(r"^// Kernels aimed at its conditions \(tests/gen/aimed\.def\): (.*)\.$", re.MULTILINE)


def main():
    source = pathlib.Path(sys.argv[1])
    kernels = re.findall(r"^AIMED\((\w+)", (source / "tests/gen/aimed.def").read_text(), re.MULTILINE)
    named, faults = set(), []
    for path in sorted(path for folder in FOLDERS for path in (source / folder).glob("*.c")):
        for name in (name for line in LINE.findall(path.read_text()) for name in line.split(", ")):
            found = [kernel for kernel in kernels if kernel == name or kernel.startswith(name + "_")]
            named.update(kernel.split("_")[0] for kernel in found)
            if not found:
                faults.append(f"{path.relative_to(source)}: aimed.def has no kernel '{name}'")
    for area in sorted({kernel.split("_")[0] for kernel in kernels} - named):
        faults.append(f"tests/gen/aimed.def: no head of a transformation's file names '{area}'")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults or not named else 0


sys.exit(main())
