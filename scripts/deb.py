#!/usr/bin/python3
"""Builds dist/*.deb: the library, its headers, the command, the OpenCL driver and the Python package for Debian.

    deb.py [--build FOLDER] [--dist FOLDER]

Needs what the build needs, and dpkg-dev. DEBFULLNAME and DEBEMAIL, where they are set, name the packager.
"""
import argparse
import email.utils
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = "usr/lib/python3/dist-packages/kiln"

SUMMARY = "compute kernels, compiled at run time"
ABOUT = """Kiln compiles OpenCL C kernels while a program runs and runs them: on the CPU as SIMD code, on AMD GPUs as native
code objects, on other devices through OpenCL. What was compiled once comes from a cache, without a compiler."""

# For each package: the files of the installed tree ({lib}: usr/lib/ARCH), and the fields of its control file.
PACKAGES = {
    "libkiln0": {
        "files": ["{lib}/libkiln.so.0*", "{lib}/kiln/*.so", "usr/libexec/kiln/kiln-compile-helper"],
        "optional": ["{lib}/kiln/kiln-llvm.so", "{lib}/kiln/kiln-http.so", "{lib}/kiln/kiln-redis.so", "{lib}/kiln/kiln-sign.so"],
        "fields": {"Section": "libs", "Suggests": "rocm-device-libs, ocl-icd-libopencl1"},
        "summary": f"{SUMMARY} (library)",
        "about": "This package has the library, with its code generator, which loads LLVM when something is compiled. Without LLVM it runs what others have compiled.",
    },
    "libkiln-dev": {
        "files": ["{lib}/libkiln.so", "{lib}/cmake", "{lib}/pkgconfig", "usr/include"],
        "fields": {"Section": "libdevel", "Depends": "libkiln0 (= {version})"},
        "summary": f"{SUMMARY} (development files)",
        "about": "This package has the headers, and what CMake and pkg-config need.",
    },
    "kiln": {
        "files": ["usr/bin/kiln", "usr/share/man", "usr/share/bash-completion", "usr/share/zsh", "usr/share/fish"],
        "fields": {"Section": "devel"},
        "summary": f"{SUMMARY} (command)",
        "about": "This package has the command kiln, which runs kernels, shows their code and keeps the cache.",
    },
    "kiln-opencl-icd": {
        "files": ["{lib}/libkiln-opencl.so", "etc/OpenCL"],
        "fields": {"Section": "libs", "Provides": "opencl-icd", "Recommends": "ocl-icd-libopencl1 | libopencl1"},
        "summary": f"{SUMMARY} (OpenCL driver)",
        "about": "This package has the OpenCL driver: OpenCL programs see Kiln's devices as a platform.",
    },
    "python3-kiln": {
        "files": [SITE],
        "fields": {"Section": "python", "Depends": "python3 (>= 3.9)", "Recommends": "python3-numpy"},
        "summary": f"{SUMMARY} (Python package)",
        "about": "This package has the Python package kiln, which calls kernels on NumPy arrays and other buffers.",
    },
}
# What lintian is told, with the reason.
OVERRIDES = {
    "initial-upload-closes-no-bugs": ("no upload to Debian, so that there is no bug to close", PACKAGES),
    "package-name-doesnt-match-sonames": ("a driver, which the ICD loader opens by its path", ["kiln-opencl-icd"]),
    "shared-library-lacks-version": ("a driver, which the ICD loader opens by its path", ["kiln-opencl-icd"]),
}
POSTINST = {
    "python3-kiln": "#!/bin/sh\nset -e\nif [ \"$1\" = configure ] && command -v py3compile >/dev/null; then\n"
                    "  py3compile -p python3-kiln\nfi\n",
}
PRERM = {
    "python3-kiln": "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then\n  py3clean -p python3-kiln\nfi\n",
}


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, **options)


def output(*words, **options):
    return run(*words, stdout=subprocess.PIPE, **options).stdout.strip()


# Built with the flags that Debian wants, other ones than those of the release build: no object can be shared with it.
def build_all(build, tree, lib):
    flags = dict(re.findall(r"^(C|CXX|LD)FLAGS=(.*)$", output("dpkg-buildflags"), re.M))
    flags["C"], flags["CXX"] = (re.sub(r"-O2|-g\b", "", flags[name]) + " -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
                                for name in ("C", "CXX"))
    prefix_map = f" -ffile-prefix-map={ROOT}=."
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DKILN_TESTS=OFF", "-DKILN_EXAMPLES=OFF",
        "-DCMAKE_INSTALL_PREFIX=/usr", f"-DCMAKE_INSTALL_LIBDIR={lib.removeprefix('usr/')}",
        "-DCMAKE_SKIP_INSTALL_RPATH=ON", f"-DCMAKE_C_FLAGS={flags['C']}{prefix_map}",
        f"-DCMAKE_CXX_FLAGS={flags['CXX']}{prefix_map}",
        *(f"-DCMAKE_{kind}_LINKER_FLAGS={flags['LD']} -Wl,-z,now" for kind in ("EXE", "SHARED", "MODULE")),
        stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, "--target", "product", "--", "--quiet")
    shutil.rmtree(tree, ignore_errors=True)
    run("cmake", "--install", build, "--strip", env={**os.environ, "DESTDIR": tree}, stdout=subprocess.DEVNULL)
    package = os.path.join(build, "python/kiln")
    if os.path.isdir(package):
        target = os.path.join(tree, SITE)
        shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__"))
        for module in glob.glob(f"{target}/*.so"):
            run("strip", "--strip-unneeded", module)
            run("patchelf", "--remove-rpath", module)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = text.encode()
    with open(path, "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0) if path.endswith(".gz") else data)
    os.chmod(path, mode)


def take(tree, folder, patterns):
    """Moves files into the package. Returns whether there were any."""
    found = [path for pattern in patterns for path in glob.glob(os.path.join(tree, pattern))]
    for path in found:
        target = os.path.join(folder, os.path.relpath(path, tree))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.move(path, target)
    return bool(found)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def library_fields(work, folder, version, optional):
    """What dpkg-shlibdeps finds that the package's binaries need."""
    binaries = [path for path in glob.glob(f"{folder}/**", recursive=True)
                if os.path.isfile(path) and not os.path.islink(path) and is_elf(path)]
    if not binaries:
        return {}
    os.makedirs(f"{folder}/DEBIAN", exist_ok=True)
    write(f"{work}/debian/control", "Source: kiln\n\nPackage: kiln\nArchitecture: any\n")
    write(f"{work}/shlibs.local", f"libkiln 0 libkiln0 (= {version})\n")
    words = []
    for path in sorted(binaries):
        words.append("-dRecommends" if os.path.relpath(path, folder) in optional else "-dDepends")
        words.append(f"-e{path}")
    private = [f"-l{os.path.dirname(path)}" for path in glob.glob(f"{work}/debian/*/usr/lib/*/libkiln.so.0")]
    text = output("dpkg-shlibdeps", "-O", f"-L{work}/shlibs.local", "--ignore-missing-info", *private, *words, cwd=work)
    fields = dict(re.findall(r"^shlibs:(\w+)=(.*)$", text, re.M))
    return {name: ", ".join(part for part in value.split(", ") if not part.startswith("libkiln0 ") or
                            not folder.endswith("/libkiln0")) for name, value in fields.items()}


def documents(folder, name, version, packager):
    doc = f"{folder}/usr/share/doc/{name}"
    with open(f"{ROOT}/CHANGELOG.md", encoding="utf-8") as file:
        write(f"{doc}/changelog.gz", file.read())
    date = email.utils.formatdate(int(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(f"{ROOT}/CHANGELOG.md"))))
    write(f"{doc}/changelog.Debian.gz", f"kiln ({version}) unstable; urgency=medium\n\n  * Built from the project's own "
          f"tree with scripts/deb.py.\n\n -- {packager}  {date}\n")
    write(f"{doc}/copyright", "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
          "Upstream-Name: kiln\n\nFiles: *\nCopyright: 2026 the authors of Kiln\nLicense: Apache-2.0\n"
          " On Debian systems the text of the Apache License, Version 2.0, is in\n"
          " /usr/share/common-licenses/Apache-2.0.\n")


def overrides(folder, name):
    text = "".join(f"# {reason}\n{name}: {tag}\n" for tag, (reason, names) in OVERRIDES.items() if name in names)
    write(f"{folder}/usr/share/lintian/overrides/{name}", text)


def pack(work, dist, name, package, version, arch, packager):
    folder = f"{work}/debian/{name}"
    documents(folder, name, version, packager)
    overrides(folder, name)
    for page in glob.glob(f"{folder}/usr/share/man/man1/*.1"):
        with open(page, encoding="utf-8") as file:
            write(f"{page}.gz", file.read())
        os.remove(page)
    fields = {key: value.format(version=version) for key, value in package["fields"].items()}
    for key, value in library_fields(work, folder, version, package["optional"]).items():
        fields[key] = ", ".join(part for part in (value, fields.get(key)) if part)
    if name == "libkiln0":
        major, minor = version.split(".")[:2]  # before 1.0 a minor version may change anything
        write(f"{folder}/DEBIAN/shlibs", f"libkiln 0 libkiln0 (>= {version}), libkiln0 (<< {major}.{int(minor) + 1}~)\n")
    if name in ("libkiln0", "kiln-opencl-icd"):
        write(f"{folder}/DEBIAN/triggers", "activate-noawait ldconfig\n")
    for script, texts in (("postinst", POSTINST), ("prerm", PRERM)):
        if name in texts:
            write(f"{folder}/DEBIAN/{script}", texts[name], 0o755)
    files = sorted(path for path in glob.glob(f"{folder}/**", recursive=True)
                   if os.path.isfile(path) and not os.path.islink(path) and "/DEBIAN/" not in path)
    settings = [os.path.relpath(path, folder) for path in files if path.startswith(f"{folder}/etc/")]
    if settings:
        write(f"{folder}/DEBIAN/conffiles", "".join(f"/{path}\n" for path in settings))
    sums = output("md5sum", *(os.path.relpath(path, folder) for path in files if os.path.relpath(path, folder)
                              not in settings), cwd=folder)
    write(f"{folder}/DEBIAN/md5sums", sums + "\n")
    size = sum(os.path.getsize(path) for path in files) // 1024 + 1
    about = "\n".join(" " + line for text in (ABOUT, package["about"])
                      for line in [*textwrap.wrap(text.replace("\n", " "), 78), "."])[:-3]
    lines = {"Package": name, "Source": "kiln", "Version": version, "Architecture": arch, "Maintainer": packager,
             "Installed-Size": size, "Priority": "optional", **fields}
    if name == "kiln":
        lines.pop("Source")
    write(f"{folder}/DEBIAN/control", "".join(f"{key}: {value}\n" for key, value in lines.items()) +
          f"Description: {package['summary']}\n{about}\n")
    run("chmod", "-R", "u+rwX,go+rX,go-w", folder)
    path = f"{dist}/{name}_{version}_{arch}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, path, stdout=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=f"{ROOT}/build/deb")
    parser.add_argument("--dist", default=f"{ROOT}/dist")
    options = parser.parse_args()
    build, dist = os.path.abspath(options.build), os.path.abspath(options.dist)
    arch = output("dpkg", "--print-architecture")
    lib = f"usr/lib/{output('dpkg-architecture', '-qDEB_HOST_MULTIARCH')}"
    with open(f"{ROOT}/include/kiln/kiln.h", encoding="utf-8") as header:
        version = ".".join(re.findall(r"#define KILN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read())) + "-1"
    packager = (f"{os.environ.get('DEBFULLNAME', 'Kiln developers')} "
                f"<{os.environ.get('DEBEMAIL', 'kiln@lists.kiln.invalid')}>")
    work = f"{build}/packages"
    shutil.rmtree(work, ignore_errors=True)
    build_all(build, f"{work}/tree", lib)
    os.makedirs(dist, exist_ok=True)
    made = []
    for name, package in PACKAGES.items():
        package["optional"] = [path.format(lib=lib) for path in package.get("optional", [])]
        if take(f"{work}/tree", f"{work}/debian/{name}", [path.format(lib=lib) for path in package["files"]]):
            made.append((name, package))
        else:
            print(f"deb: {name} is left out: this build has none of it")
    rest = [path for path in glob.glob(f"{work}/tree/**", recursive=True) if os.path.isfile(path)]
    if rest:
        sys.exit("deb: these installed files belong to no package: " + ", ".join(rest))
    for name, package in made:
        path = pack(work, dist, name, package, version, arch, packager)
        print(f"{os.path.relpath(path)}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
