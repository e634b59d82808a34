#!/usr/bin/python3
"""Plants faults in a copy of the tree, one at a time, and says which of them the quick tests catch.

    planted.py [--area NAME] [--folder FOLDER] [--jobs N] [--fresh] LIST

A LIST (planted/*.tsv) has one fault per line, with tabs between its fields: its area, a file, a text that the file has
once, the text that takes its place ("\\n" is the end of a line), and, where one is known, a reason why no test can see
it. A line "#tests AREA PATTERN" names the tests, as for ctest -R, that are run first for an area; a fault that they do
not catch meets all quick tests.

The copy is built in FOLDER (build/planted). Its file "results" gets a line per fault, and a fault that it has is not
planted again, so that a run can be stopped and continued; --fresh forgets them.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILE_SECONDS = 1200
LOOKS_AT_SOURCES = "^(format|sizes|layers)$"  # these tests say nothing of what a fault does
TEST_SECONDS = 3600


class Fault:
    def __init__(self, line):
        self.line = line
        self.area, self.file, old, new = line.split("\t")[:4]
        self.old, self.new = (text.replace("\\n", "\n") for text in (old, new))


def read_list(path):
    faults, first = [], {}
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("#tests "):
            _, area, pattern = line.split(" ", 2)
            first[area] = pattern
        elif line and not line.startswith("#"):
            faults.append(Fault(line))
    return faults, first


def run(command, folder, seconds):
    """The exit status and output of a command; one that does not end counts as failed."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds,
                              start_new_session=True)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 1, "no end"


class Copy:
    """A clone of the last commit, and its build."""

    def __init__(self, folder, jobs):
        self.source, self.build, self.jobs = os.path.join(folder, "source"), os.path.join(folder, "build"), str(jobs)
        shutil.rmtree(self.source, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", ROOT, self.source], check=True)
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DKILN_WERROR=OFF"]  # a fault may leave a variable unused
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *options], check=True,
                       stdout=subprocess.DEVNULL)

    def compiles(self):
        return run(["cmake", "--build", self.build, "-j", self.jobs], self.source, COMPILE_SECONDS)[0] == 0

    def failing(self, *choice):
        """The first quick test that fails; None if all pass."""
        status, output = run(["ctest", "--test-dir", self.build, "-LE", "slow", "-E", LOOKS_AT_SOURCES, "-j", self.jobs,
                              "--stop-on-failure", *choice], self.source, TEST_SECONDS)
        names = re.findall(r"Test +#\d+: (\S+) \.*\*\*\*", output)
        return (names[0] if names else "ctest itself") if status else None

    def outcome(self, fault, first):
        path = os.path.join(self.source, fault.file)
        text = open(path, encoding="utf-8").read()
        if text.count(fault.old) != 1:
            return "not planted: the file has the text %d times" % text.count(fault.old)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(fault.old, fault.new))
        try:
            if not self.compiles():
                return "not planted: does not compile"
            by = (first and self.failing("-R", first)) or self.failing()
            return "caught by " + by if by else "survived"
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def read_results(path):
    if not os.path.exists(path):
        return {}
    pairs = (line.split("\t", 1) for line in open(path, encoding="utf-8").read().splitlines())
    return {line: outcome for outcome, line in pairs}


def print_scores(faults, results):
    areas, caught = Counter(), Counter()
    for fault in faults:
        outcome = results.get(fault.line, "not planted")
        if not outcome.startswith("not planted"):
            for area in (fault.area, "all"):
                areas[area] += 1
                caught[area] += outcome.startswith("caught")
    for area in areas:
        print(f"{area:24} {caught[area]:4} of {areas[area]:4}  {100 * caught[area] / areas[area]:.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list")
    parser.add_argument("--area")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "planted"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    faults, first = read_list(options.list)
    faults = [fault for fault in faults if options.area in (None, fault.area)]
    os.makedirs(options.folder, exist_ok=True)
    path = os.path.join(options.folder, "results")
    if options.fresh and os.path.exists(path):
        os.remove(path)
    results = read_results(path)
    copy = Copy(options.folder, options.jobs)
    if not copy.compiles():
        sys.exit("planted.py: the tree does not compile without a fault")
    for fault in faults:
        if fault.line in results:
            continue
        results[fault.line] = copy.outcome(fault, first.get(fault.area))
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{results[fault.line]}\t{fault.line}\n")
        print(f"{results[fault.line]:40} {fault.area}: {fault.file}", flush=True)
    print_scores(faults, results)


if __name__ == "__main__":
    main()
