#!/usr/bin/env python3
"""Compiles and runs the code blocks of a page: the word after ``` says what a block is, and so what is done with it.

  check_blocks.py BUILD PAGE           all blocks of a page
  check_blocks.py BUILD PAGE --wrong   each block must fail, in the way that its comment says

c, cpp       a program is built and run; other text is compiled, as the inside of a function or as a file, with
             preamble.h before it
opencl       kiln compile
ir           kiln compile, as a .kir file
llvm         the LLVM IR is read by clang
python       run, where the package is built and NumPy installed
sh           run in a folder that looks like the source tree; `make` names its targets and makes nothing
console      lines after "$ " are run; the others are what they print, with … for text that varies
usage        must be in what `kiln VERB --help` prints
manifest     kiln warm
plugin       the file beside a plugin: kiln backends lists it
cmake        configured, with a package kiln
text         not code: messages, tables

A comment before a block, alone on its line, changes that:
  <!-- not run: REASON -->     it is parsed only
  <!-- typed: NAME -->         another test runs it: it is parsed only
  <!-- prints: TEXT -->        what it prints, with … for text that varies
  <!-- options: OPTIONS -->    build options of a kernel
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BUILD = pathlib.Path(sys.argv[1]).resolve()
KILN = os.fspath(BUILD / "kiln")
CONFIG = dict(line.split("=", 1) for line in (BUILD / "tests/docs.config").read_text().splitlines())
SKIPPED = []  # (line, reason)


class Wrong(Exception):
    pass


class Block:
    def __init__(self, line, language, marks):
        self.line, self.language, self.marks, self.text = line, language, marks, ""


def blocks_of(page):
    """The blocks of a page, with the comments right before each."""
    found, marks, block, fence = [], {}, None, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        begin = re.match(r"( *)```(.*)$", line)
        if block is None and begin:
            block, fence = Block(number, begin[2].strip(), marks), begin[1]
        elif block is not None and line == fence + "```":
            found.append(block)
            block, marks = None, {}
        elif block is not None:
            block.text += line[len(fence):] + "\n"
        elif mark := re.match(r" *<!-- (not run|typed|prints|options|fails): (.*) -->$", line):
            marks[mark[1]] = mark[2]
        elif line.strip():
            marks = {}
    if block is not None:
        raise SystemExit(f"{page}:{block.line}: the block has no end")
    return found


def run(command, folder, shown=None, status=0, **more):
    """Runs a command and gives what it printed; another exit status is an error."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COMPILE_")}
    environment.update(COMPILE_CACHE_DIR=os.fspath(folder / "cache"), COMPILE_BACKEND=CONFIG["backend"],
                       PATH=f"{folder}/bin:{environment['PATH']}", HOME=os.fspath(folder), LC_ALL="C.UTF-8",
                       PYTHONDONTWRITEBYTECODE="1")
    if CONFIG["sanitize"]:  # programs of the pages end without releasing what they have
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment.update(more)
    done = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, start_new_session=True)
    try:
        text = done.communicate(timeout=60)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        raise
    if done.returncode != status:
        raise Wrong(f"{shown or ' '.join(map(str, command))}: exit status {done.returncode}\n{text}")
    return text


def matches(wanted, printed):
    """Whether the printed text holds the wanted lines one after another; … stands for any text, alone for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"[ \t]*\n"
                      for line in wanted.splitlines())
    return re.search(r"(?m)^" + pattern, printed if printed.endswith("\n") else printed + "\n")


def check_c(block, folder, suffix="c"):
    compiler, standard = (CONFIG["cxx"], "-std=c++17") if suffix == "cpp" else (CONFIG["cc"], "-std=c11")
    flags = [standard, "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include", f"-I{BUILD}/include", f"-I{SOURCE}", f"-I{HERE}"]
    file, text = folder / f"block.{suffix}", block.text.replace("…", "")
    if "int main(" in block.text:
        file.write_text(block.text)
        link = [f"-L{BUILD}/lib", f"-Wl,-rpath,{BUILD}/lib", "-lkiln", *CONFIG["link"].split()]
        run([compiler, *flags, *CONFIG["flags"].split(), "-o", "block", file, *link], folder, "the compiler")
        return run([folder / "block"], folder, "the program")
    includes = "".join(re.findall(r"(?m)^#(?:define|include).*\n", text))
    if not re.search(r"(?m)^(?!if|for|while|switch)\w+ .*\) \{$|^KILN_BACKEND_ENTRY", text):  # no function: the inside of one
        text = "void block(void);\nvoid block(void) {\n" + re.sub(r"(?m)^#(?:define|include).*\n", "", text) + "}\n"
    file.write_text(f'{includes}#include "preamble.h"\n{text}')
    return run([compiler, *flags, "-Wno-unused", "-fsyntax-only", file], folder, "the compiler")


def check_cpp(block, folder):
    return check_c(block, folder, "cpp")


def check_opencl(block, folder):
    (folder / "block.cl").write_text(block.text)
    return run([KILN, "compile", "block.cl", "-o", os.devnull, "--options", block.marks.get("options", "")], folder)


def check_ir(block, folder):
    (folder / "block.kir").write_text(block.text)
    return run([KILN, "compile", "block.kir", "-o", os.devnull], folder)


def check_llvm(block, folder):
    (folder / "block.ll").write_text(block.text)
    clang = shutil.which("clang-19")
    if not clang:
        SKIPPED.append((block.line, "clang-19 is not installed"))
        return ""
    return run([clang, "-S", "-emit-llvm", "-o", os.devnull, "block.ll"], folder)


@functools.cache
def python():
    """The interpreter that runs Kiln's package, or None."""
    program = CONFIG["python"]
    if not program or CONFIG["sanitize"] or subprocess.run([program, "-c", "import numpy"], capture_output=True).returncode:
        return None
    return program


def check_python(block, folder):
    if not python():
        SKIPPED.append((block.line, "the Python package is not built, or NumPy is not installed"))
        compile(block.text, "block", "exec")
        return ""
    (folder / "block.py").write_text(block.text)
    return run([python(), "block.py"], folder, "python", PYTHONPATH=os.fspath(BUILD / "python"))


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def tree(folder):
    """A folder in which the commands of a page find what they name."""
    for name in ("Makefile", "CMakeLists.txt", "CMakePresets.json", "examples", "scripts", "tests", "bench"):
        (folder / name).symlink_to(SOURCE / name)
    (folder / "build").symlink_to(BUILD)
    (folder / "bin").mkdir()
    (folder / "bin/kiln").symlink_to(KILN)
    (folder / "bin/kiln-bench").symlink_to(BUILD / "kiln-bench")
    for name, option in (("make", "-n"), ("ctest", "-N")):  # they name what they would do; an unknown target is an error
        script(folder / "bin" / name, f'exec {shutil.which(name)} {option} "$@" >/dev/null')
    script(folder / "bin/python3", f'exec {python() or "true"} "$@"')
    for file in (HERE / "files").iterdir():
        target = folder / file.name
        if not target.exists():
            shutil.copytree(file, target) if file.is_dir() else shutil.copy(file, target)


def check_sh(block, folder):
    tree(folder)
    (folder / "block.sh").write_text(block.text)
    if "not run" in block.marks or "typed" in block.marks:
        return run(["sh", "-n", "block.sh"], folder)
    return run(["sh", "-e", "block.sh"], folder, "the commands")


def check_console(block, folder):
    tree(folder)
    parts = re.split(r"(?m)^\$ ", block.text)
    if parts[0] or len(parts) < 2:
        raise Wrong("a console block begins with a line '$ COMMAND'")
    for part in parts[1:]:
        command, _, wanted = part.partition("\n")
        while command.endswith("\\"):
            more, _, wanted = wanted.partition("\n")
            command = command[:-1] + more
        try:
            printed = run(["sh", "-c", command], folder, command)
        except Wrong as wrong:  # a command may fail, if the page shows what it says then
            printed = str(wrong).split("\n", 1)[1]
            if not wanted.strip():
                raise
        if wanted.strip() and not matches(wanted, printed):
            raise Wrong(f"{command}: the page says\n{wanted}but it prints\n{printed}")
    return ""


def check_usage(block, folder):
    verb = re.match(r"kiln (\w+)", block.text)
    help_text = run([KILN, verb[1], "--help"] if verb else [KILN, "--help"], folder)
    squeeze = " ".join(block.text.split())
    if squeeze not in " ".join(help_text.split()):
        raise Wrong(f"not in the help text:\n{help_text}")
    return ""


def check_manifest(block, folder):
    tree(folder)
    (folder / "app.manifest").write_text(block.text)
    return run([KILN, "warm", "app.manifest", "-b", CONFIG["backend"]], folder)


def check_plugin(block, folder):
    name = re.search(r"(?m)^name = (.*)$", block.text)
    (folder / "plugins").mkdir()
    (folder / "plugins" / f"{name[1]}.backend").write_text(block.text)
    (folder / "plugins" / f"{name[1]}.so").write_text("")
    text = run([KILN, "backends", "--all"], folder, COMPILE_PLUGIN_PATH=os.fspath(folder / "plugins"))
    description = re.search(r"(?m)^abi = (.*)$", block.text)
    abi = re.search(r"(?m)^#define KILN_BACKEND_ABI (\d+)", (SOURCE / "include/kiln/backend.h").read_text())[1]
    if name[1] not in text or description[1] != abi:
        raise Wrong(f"the plugin is not listed, or its abi is not {abi}:\n{text}")
    return text


def check_cmake(block, folder):
    (folder / "package").mkdir()
    (folder / "package/kiln-config.cmake").write_text("add_library(kiln::kiln INTERFACE IMPORTED)\n"
                                                       "set(kiln_BACKEND_DIR lib/kiln/backends)\n")
    shutil.copy(BUILD / "kiln-config-version.cmake", folder / "package/kiln-config-version.cmake")
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(block C CXX)\n" + block.text)
    for name in re.findall(r"\b\w+\.(?:c|cpp|backend)\b", block.text):
        (folder / name).write_text("")
    return run(["cmake", "-B", "out", "-Dkiln_DIR=package"], folder)


def check_text(block, folder):
    first = block.text.lstrip().split(" ", 1)[0]
    if first in ("kiln", "make", "build/kiln", "$") or first.startswith("COMPILE_"):
        raise Wrong("a command: the block is sh, console or usage")
    return ""


CHECKS = {name[6:]: function for name, function in list(globals().items()) if name.startswith("check_")}


def check(block):
    """What is wrong with a block, or None."""
    with tempfile.TemporaryDirectory(prefix="kiln-docs-") as name:
        try:
            if block.language not in CHECKS:
                raise Wrong(f"'{block.language}' after ``` is no language that is checked")
            if "not run" in block.marks and block.language not in ("sh",):
                raise Wrong("only sh blocks may be left unrun")
            printed = CHECKS[block.language](block, pathlib.Path(name))
            if "prints" in block.marks and not matches(block.marks["prints"], printed):
                raise Wrong(f"it prints\n{printed}")
        except Wrong as wrong:
            return str(wrong)
        except Exception as error:  # of the checks themselves
            return f"{type(error).__name__}: {error}"
    return None


def main():
    page = pathlib.Path(sys.argv[2]).resolve()
    must_fail = sys.argv[3:] == ["--wrong"]
    blocks = blocks_of(page)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(check, blocks))
    failures = 0
    for block, wrong in zip(blocks, results):
        where = f"{page.relative_to(SOURCE)}:{block.line}: {block.language}"
        if must_fail:
            if wrong is None or block.marks["fails"] not in wrong:
                failures += 1
                print(f"{where}: should fail with '{block.marks['fails']}', but: {wrong}")
        elif wrong is not None:
            failures += 1
            print(f"{where}: {wrong}")
    for line, reason in SKIPPED:
        print(f"{page.relative_to(SOURCE)}:{line}: not run: {reason}")
    print(f"{len(blocks)} blocks, {failures} wrong")
    sys.exit(1 if failures else 0)


main()
