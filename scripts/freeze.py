#!/usr/bin/python3
"""Freezes the assembly of many programs, and says which of them another build compiles otherwise.

    freeze.py [--build FOLDER] [--archs LIST] [--options TEXT] [--only PART] [--emit STAGE] [--jobs N]
              save OUT [FOLDER]...
    freeze.py compare BEFORE AFTER

"save" compiles the kernels of tests/exec, tests/counts, bench and examples, and those of each further FOLDER, for each
arch of LIST, and writes OUT/ARCH/PROGRAM.s. A program is a file with the -D, -I and --options of one of the runs in its
head comment ("// run:", see tests/support/exec_test.c), or with a row's options of tests/counts/sources.def. Where a
program does not compile, its file has the exit status and the message. No cache is read or written. TEXT is added to
the options of all programs: --kiln-shape=rows, for instance, which a launch chooses. Files whose path is without PART
are left out. With the stage ll nothing is compiled beyond LLVM's IR, which takes a fifth of the time. FOLDER (build)
has the command and lib/, as a build or a copy of these two has.

"compare" prints the programs whose assembly is not the same, with the number of their instructions, and exits with
status 1 if there are any. A program that only one of the folders has is a difference, too.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["tests/exec", "tests/counts", "bench", "examples"]
ARCHS = "x86-64-v2,x86-64-v3,x86-64-v4,neoverse-v1,gfx942"
SECONDS = 300  # for one program
ENVIRONMENT = {"COMPILE_CACHE": "off", "COMPILE_NUM_THREADS": "1"}


def options_of_run(words):
    """The build options among a run's words, as arguments of kiln compile."""
    options, words = [], iter(words)
    for word in words:
        if word in ("-D", "-I"):
            options.append(word + next(words))
        elif word.startswith(("-D", "-I")):
            options.append(word)
        elif word == "--options":
            options.append("--options=" + next(words))
        elif word.startswith("--options="):
            options.append(word)
    return tuple(options)


def programs_of_file(path):
    """Each set of build options that the file's runs have; one without any where it has no run."""
    text = open(path, encoding="utf-8", errors="replace").read()
    runs = re.findall(r"^// run:(.*)", text, re.MULTILINE)
    return dict.fromkeys(options_of_run(shlex.split(run)) for run in runs) if runs else {(): None}


def programs_of_folder(root, folder):
    for place, folders, files in os.walk(os.path.join(root, folder)):
        folders.sort()
        for file in sorted(files):
            if file.endswith((".cl", ".kir")):
                path = os.path.join(place, file)
                for options in programs_of_file(path):
                    yield root, os.path.relpath(path, root), options


def corpus(others):
    """(folder, file inside of it, build options) of every program."""
    for folder in FOLDERS:
        yield from programs_of_folder(ROOT, folder)
    rows = open(os.path.join(ROOT, "tests/counts/sources.def"), encoding="utf-8").read()
    for file, options in re.findall(r'^\{"(.*)", "(.*)"\}', rows, re.MULTILINE):
        yield ROOT, file, ("--options=" + options,) if options else ()
    for other in others:
        yield from programs_of_folder(os.path.abspath(other), "")


def name_of(file, options):
    words = " ".join(option.removeprefix("--options=") for option in options)
    return file + ("+" + re.sub(r"[^\w.=,-]+", "_", words)[:100] if words else "")


def freeze(kiln, arch, program, given):
    """Writes the file of a program. Whether it compiles."""
    root, file, options = program
    backend = "rocm" if arch.startswith("gfx") else "cpu"
    environment = dict(os.environ, **ENVIRONMENT, LD_LIBRARY_PATH=os.path.join(os.path.dirname(kiln), "lib"))
    command = [kiln, "compile", file, "-b", backend, "-a", arch, "--emit", given.emit, "-o", "-", *options,
               "--options=" + given.options]
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True,
                              timeout=SECONDS)
        compiles = done.returncode == 0
        text = done.stdout if compiles else b"exit status %d\n%s" % (done.returncode, done.stderr)
    except subprocess.TimeoutExpired:
        compiles, text = False, b"no end\n"
    path = os.path.join(given.out, arch, name_of(file, options) + "." + given.emit)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as output:
        output.write(text)
    return compiles


def save(given):
    programs = [program for program in dict.fromkeys(corpus(given.folders)) if given.only in program[1]]
    names = {}
    for _, file, options in programs:
        other = names.setdefault(name_of(file, options), (file, options))
        if other != (file, options):
            sys.exit(f"freeze.py: {other} and {(file, options)} have one name")
    kiln = os.path.join(os.path.abspath(given.build), "kiln")
    if not os.path.exists(kiln):
        sys.exit(f"freeze.py: {kiln} is not built")
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        jobs = [pool.submit(freeze, kiln, arch, program, given)
                for program, arch in itertools.product(programs, given.archs.split(","))]
        failures = sum(not job.result() for job in concurrent.futures.as_completed(jobs))
    print(f"{len(programs)} programs, {len(jobs)} files, of which {failures} did not compile")


def files_below(folder):
    return {os.path.relpath(os.path.join(place, file), folder) for place, _, files in os.walk(folder) for file in files}


def read(folder, file):
    path = os.path.join(folder, file)
    return open(path, "rb").read() if os.path.exists(path) else None


def instructions(text):
    """Of assembly or LLVM's IR."""
    return "none" if text is None else str(len(re.findall(rb"^(\t|  )[^.\s]", text, re.MULTILINE)))


def compare(given):
    files, different = sorted(files_below(given.before) | files_below(given.after)), 0
    if not files:
        sys.exit("freeze.py: the folders have no files")
    for file in files:
        before, after = read(given.before, file), read(given.after, file)
        if before != after:
            different += 1
            print(f"{file}: {instructions(before)} -> {instructions(after)} instructions")
    print(f"{different} of {len(files)} differ")
    return different > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="FOLDER")
    parser.add_argument("--archs", default=ARCHS, metavar="LIST", help=ARCHS)
    parser.add_argument("--options", default="", metavar="TEXT")
    parser.add_argument("--only", default="", metavar="PART")
    parser.add_argument("--emit", default="s", metavar="STAGE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("save")
    verb.add_argument("out")
    verb.add_argument("folders", nargs="*")
    verb.set_defaults(run=save)
    verb = verbs.add_parser("compare")
    verb.add_argument("before")
    verb.add_argument("after")
    verb.set_defaults(run=compare)
    given = parser.parse_args()
    sys.exit(given.run(given))


if __name__ == "__main__":
    main()
