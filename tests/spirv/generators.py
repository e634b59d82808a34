#!/usr/bin/env python3
"""Modules of generators in use beside the OpenCL C that they were made from.

  generators.py KILN [-b BACKEND]              runs src/STEM.cl and each made/STEM.*.spv: their output is the same;
                                               on cpu as many calls of functions remain in their IR
  generators.py KILN -c BACKEND ARCH [STEM]... the modules compile: all, or those of these sources

The first line of each source says how kiln run is called. make.sh has made the modules.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "COMPILE_CACHE": "off"}


def call(*arguments):
    """The output, or what went wrong."""
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    return run.stdout if run.returncode == 0 else f"status {run.returncode}: {run.stderr}"


def calls(kiln, path):
    """How many calls the passes leave: functions that a call costs most, of images and others, are inlined."""
    return call(kiln, "compile", path, "-b", "cpu", "--options", "-cl-std=CL3.0", "--emit", "ir", "-o", "-").count(" call @")


def runs(kiln, backend):
    for source in sorted((HERE / "src").glob("*.cl")):
        arguments = source.read_text().splitlines()[0].removeprefix("// run: ").split()
        wanted = call(kiln, "run", source, "-b", backend, "--options", "-cl-std=CL3.0", *arguments)
        for module in sorted((HERE / "made").glob(source.stem + ".*.spv")):
            got = call(kiln, "run", module, "-b", backend, *arguments)
            wrong = "" if got == wanted and not got.startswith("status") else f"{got}\n  expected\n{wanted}"
            more = calls(kiln, module) - calls(kiln, source) if backend == "cpu" else 0
            yield module, wrong + (f"{more} calls more than in the source's IR" if more else "")


def compiles(kiln, backend, arch, stems):
    for module in sorted((HERE / "made").glob("*.spv")):
        if not stems or module.name.split(".")[0] in stems:
            yield module, call(kiln, "compile", module, "-b", backend, "-a", arch, "-o", os.devnull)


def main():
    kiln, rest = sys.argv[1], sys.argv[2:] or ["-b", "interp"]
    results = list(runs(kiln, rest[1]) if rest[0] == "-b" else compiles(kiln, *rest[1:3], rest[3:]))
    wrong = [f"{module.name}: {what}" for module, what in results if what]
    print("\n".join(wrong + [f"{len(results)} modules, {len(wrong)} failures"]))
    return bool(wrong) or not results


if __name__ == "__main__":
    sys.exit(main())
