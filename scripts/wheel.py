#!/usr/bin/python3
"""Builds dist/kiln-VERSION-….whl: the Python package with libkiln, the compiler (LLVM inside of it) and the command.

    wheel.py [--build FOLDER] [--dist FOLDER]

FOLDER is that of a release build, whose files go into the wheel; it is made where there is none. Only the module with
LLVM inside is linked for the wheel. Needs what the build needs, and patchelf and strip. The wheel needs glibc alone, of the version that its name tells;
drivers (libOpenCL, libhsa-runtime64) are looked for when a kernel is to run on them.
"""
import argparse
import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Of the build, and as what it goes into the package.
BINARIES = [
    ("python/kiln/_kiln.abi3.so", "_kiln.abi3.so"),
    ("lib/libkiln.so", "libkiln.so.0"),
    ("lib/kiln-llvm-static.so", "kiln-llvm-static.so"),
    ("kiln", "kiln-command"),
    ("kiln-compile-helper", "kiln-compile-helper"),
]
TARGETS = ["kiln", "kiln-llvm-static", "kiln-python", "kiln_command", "kiln_compile_helper"]
# All that a manylinux wheel may load from the system (of PEP 600's list, what is needed here).
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "libkiln.so.0"}
LICENSES = {
    "LICENSE": os.path.join(ROOT, "LICENSE"),
    "LICENSE.llvm": "/usr/share/doc/llvm-19-dev/copyright",
    "LICENSE.zlib": "/usr/share/doc/zlib1g-dev/copyright",
    "LICENSE.zstd": "/usr/share/doc/libzstd-dev/copyright",
    "LICENSE.libstdc++": "/usr/share/doc/libstdc++-12-dev/copyright",
}


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, **options)


def output(*words):
    return run(*words, stdout=subprocess.PIPE).stdout


def compile_all(build):
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run("cmake", "-S", ROOT, "--preset", "release", "-B", build, "-DKILN_TESTS=OFF", stdout=subprocess.DEVNULL)
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        settings = dict(re.findall(r"^(CMAKE_BUILD_TYPE|KILN_SANITIZE):\w+=(.*)$", cache.read(), re.M))
    if settings != {"CMAKE_BUILD_TYPE": "Release", "KILN_SANITIZE": ""}:
        sys.exit(f"wheel: {build} is no release build: {settings}")
    run("cmake", "--build", build, "--target", *TARGETS, "--", "--quiet")


def stage(build, folder):
    """Copies the package, without debug information, so that its libraries find one another."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(build, "python/kiln"), folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for source, name in BINARIES:
        path = os.path.join(folder, name)
        shutil.copy2(os.path.realpath(os.path.join(build, source)), path)
        run("patchelf", "--set-rpath", "$ORIGIN", path)
        run("strip", "--strip-unneeded", path)
        needed = set(output("patchelf", "--print-needed", path).split())
        if needed - SYSTEM:
            sys.exit(f"wheel: {name} needs {', '.join(sorted(needed - SYSTEM))}, which other machines may lack")


def glibc_version(folder):
    """The newest version of glibc that a file asks for."""
    text = "".join(output("objdump", "-T", os.path.join(folder, name)) for _, name in BINARIES)
    return max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", text))


def metadata(version):
    with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as page:
        description = page.read()
    return f"""Metadata-Version: 2.1
Name: kiln
Version: {version}
Summary: Compute kernels, compiled at run time for the CPU, AMD GPUs and OpenCL devices
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""


def pack(folder, path, version, tag):
    info = f"kiln-{version}.dist-info"
    files = {f"kiln/{name}": os.path.join(folder, name) for name in sorted(os.listdir(folder))}
    files.update({f"{info}/licenses/{name}": source for name, source in LICENSES.items()})
    texts = {
        f"{info}/METADATA": metadata(version),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/entry_points.txt": "[console_scripts]\nkiln = kiln.__main__:main\n",
        f"{info}/top_level.txt": "kiln\n",
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))  # the same bytes from the same build
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow([name, f"sha256={digest}", len(data)])

        for name, source in files.items():
            with open(source, "rb") as file:
                add(name, file.read(), 0o755 if os.access(source, os.X_OK) else 0o644)
        for name, text in texts.items():
            add(name, text.encode(), 0o644)
        rows.writerow([f"{info}/RECORD", "", ""])
        archive.writestr(f"{info}/RECORD", record.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--dist", default=os.path.join(ROOT, "dist"))
    options = parser.parse_args()
    compile_all(options.build)
    folder = os.path.join(options.build, "wheel/kiln")
    stage(options.build, folder)
    with open(os.path.join(ROOT, "include/kiln/kiln.h"), encoding="utf-8") as header:
        version = ".".join(re.findall(r"#define KILN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read()))
    major, minor = glibc_version(folder)[:2]
    tag = f"cp39-abi3-manylinux_{major}_{minor}_x86_64"
    os.makedirs(options.dist, exist_ok=True)
    path = os.path.join(options.dist, f"kiln-{version}-{tag}.whl")
    pack(folder, path, version, tag)
    with zipfile.ZipFile(path) as archive:
        parts = sorted(archive.infolist(), key=lambda entry: -entry.compress_size)
    print(f"{os.path.relpath(path)}: {os.path.getsize(path) / 1e6:.1f} MB; unpacked, packed:")
    for entry in parts[:5]:
        print(f"  {entry.file_size / 1e6:6.1f} {entry.compress_size / 1e6:6.1f} MB  {entry.filename}")


if __name__ == "__main__":
    main()
