#!/usr/bin/env python3
"""Runs the modules of this folder, which spirv-as assembles.

  cases.py KILN [-b BACKEND] [FILE.spvasm]...

The head of each file is comments: "; run: ARGUMENTS" of kiln run, after it a line "; expect: INDEX: VALUES" for each -p.
"; fails: WORD" instead says that kiln run fails with a message that has the word.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def cases_of(text):
    """(arguments, expected lines, words of the failure) of each run."""
    cases = []
    for line in text.splitlines():
        if not line.startswith(";"):
            break
        key, _, value = line[1:].strip().partition(": ")
        if key == "run":
            cases.append((value.split(), [], []))
        elif key == "expect":
            cases[-1][1].append(value)
        elif key == "fails":
            cases[-1][2].append(value)
    return cases


def run_case(kiln, backend, module, case):
    """What is wrong, or nothing."""
    arguments, expected, words = case
    run = subprocess.run([kiln, "run", module, "-b", backend, *arguments], capture_output=True, text=True, timeout=120,
                         env={**os.environ, "COMPILE_CACHE": "off"})
    got = run.stdout.splitlines()
    if words and run.returncode == 1 and all(word in run.stderr for word in words):
        return ""
    if not words and run.returncode == 0 and got == expected:
        return ""
    wrong = [f"{' '.join(arguments)}: status {run.returncode}", run.stderr.rstrip()]
    got += [""] * len(expected)
    wrong += [f"  expected {line}\n  got      {got[k]}" for k, line in enumerate(expected) if got[k] != line]
    return "\n".join(wrong)


def main():
    kiln, rest = sys.argv[1], sys.argv[2:]
    backend = "interp"
    if rest[:1] == ["-b"]:
        backend, rest = rest[1], rest[2:]
    files = [Path(name) for name in rest] or sorted(Path(__file__).parent.glob("*.spvasm"))
    count = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            module = Path(folder) / (path.stem + ".spv")
            subprocess.run(["spirv-as", "--target-env", "spv1.4", path, "-o", module], check=True)
            for case in cases_of(path.read_text()):
                count += 1
                wrong = run_case(kiln, backend, module, case)
                if wrong:
                    failures += 1
                    print(f"{path.name}: {wrong}")
    print(f"{count} runs, {failures} failures")
    return failures or not count


if __name__ == "__main__":
    sys.exit(bool(main()))
