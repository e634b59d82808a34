# darktable on OpenCL: it develops a raw picture, which is made here, with modules whose kernels use images, and is
# judged by what it makes of it without OpenCL. Its CPU code computes some things differently, at the edges above all,
# so that each module has the mean difference that is right.
#   darktable.py list                   names of the cases
#   darktable.py run NAME FILE DIR      develops the picture; DIR keeps what darktable writes
#   darktable.py judge NAME FILE DIR    whether the picture is right
import array
import math
import os
import shutil
import struct
import subprocess
import sys

WIDTH, HEIGHT = 384, 256
# name: version, parameters of a module beside those that a raw picture has by itself, and the mean difference allowed.
# bilat is local contrast, nlmeans denoises.
MODULES = {
    "raw": (0, "", (), 0.0005),
    "bilat": (3, "Iffff", (1, 0.5, 0.5, 0.25, 0.5), 0.0005),
    "bloom": (1, "fff", (20, 90, 25), 0.005),
    "highpass": (1, "ff", (50, 50), 0.01),
    "nlmeans": (2, "ffff", (2, 50, 0.5, 1), 0.002),
    "sharpen": (1, "fff", (2, 0.5, 0.5), 0.001),
    "soften": (1, "ffff", (50, 100, 0.33, 50), 0.002),
    "velvia": (2, "ff", (25, 1), 0.0005),
}
XMP = """<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="5"
 darktable:raw_params="0" darktable:auto_presets_applied="0" darktable:history_end="1"
 darktable:iop_order_version="2"><darktable:history><rdf:Seq>
<rdf:li darktable:num="0" darktable:operation="{name}" darktable:enabled="1" darktable:modversion="{version}"
 darktable:params="{params}" darktable:multi_name="" darktable:multi_priority="0"/>
</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
"""


def mosaic():
    """A mosaic of waves and squares with noise, 16 bits a pixel, as of a sensor with the pattern RGGB."""
    out, state = array.array("H"), 1
    for y in range(HEIGHT):
        for x in range(WIDTH):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            color = (0, 1, 1, 2)[(y & 1) * 2 + (x & 1)]
            value = 0.35 + 0.3 * math.sin(x / 17 + color) * math.cos(y / 13 - color)
            value = (value + (0.25 if (x // 32 + y // 32) % 2 else 0)) * (0.5, 1, 0.6)[color]
            value += ((state >> 16) % 1000 - 500) / 50000
            out.append(int(512 + 15000 * max(0, min(1, value))))
    return out.tobytes()


def write_dng(path):
    """Writes the mosaic as a DNG: a TIFF with one directory and the tags that a raw converter needs."""
    pixels = mosaic()
    matrix = (6722, -635, -963, -4287, 12460, 2028, -908, 2162, 5668)
    long, short, byte, text, ratio, signed = "I", "H", "B", "s", "II", "ii"
    tags = [
        (254, long, [0]), (256, long, [WIDTH]), (257, long, [HEIGHT]), (258, short, [16]), (259, short, [1]),
        (262, short, [32803]), (271, text, "Kiln"), (272, text, "Test"), (273, long, [0]), (274, short, [1]),
        (277, short, [1]), (278, long, [HEIGHT]), (279, long, [len(pixels)]), (284, short, [1]),
        (33421, short, [2, 2]), (33422, byte, [0, 1, 1, 2]), (50706, byte, [1, 4, 0, 0]), (50707, byte, [1, 1, 0, 0]),
        (50708, text, "Kiln Test"), (50714, short, [512]), (50717, long, [16000]),
        (50721, signed, [(v, 10000) for v in matrix]), (50728, ratio, [(5000, 10000), (1, 1), (6000, 10000)]),
        (50778, short, [21])]
    types = {byte: 1, text: 2, short: 3, long: 4, ratio: 5, signed: 10}
    after, directory, data = 8 + 2 + 12 * len(tags) + 4, b"", b""
    for tag, kind, values in tags:
        if kind == text:
            raw = values.encode() + b"\0"
            count = len(raw)
        elif kind in (ratio, signed):
            raw, count = b"".join(struct.pack("<" + kind, *v) for v in values), len(values)
        else:
            raw, count = struct.pack(f"<{len(values)}{kind}", *values), len(values)
        directory += struct.pack("<HHI", tag, types[kind], count)
        if len(raw) <= 4:
            directory += raw.ljust(4, b"\0")
        else:
            directory += struct.pack("<I", after + len(data))
            data += raw + b"\0" * (len(raw) % 2)
    strip = 10 + 12 * [tag for tag, _, _ in tags].index(273) + 8  # where the file says where the pixels are
    out = bytearray(b"II*\0" + struct.pack("<IH", 8, len(tags)) + directory + struct.pack("<I", 0) + data)
    struct.pack_into("<I", out, strip, len(out))
    with open(path, "wb") as file:
        file.write(out + pixels)


def darktable(folder, picture, xmp, out, *options):
    """Runs darktable-cli with a configuration of its own, and gives what it writes about OpenCL."""
    if os.path.exists(out):
        os.unlink(out)
    command = ["darktable-cli", picture, *xmp, out, "--width", "0", "--height", "0", "--core", "--library", ":memory:"]
    command += ["--configdir", os.path.join(folder, "config"), "--cachedir", os.path.join(folder, "cache")]
    done = subprocess.run([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0 or not os.path.exists(out):
        raise RuntimeError(f"darktable-cli ended with {done.returncode}: {done.stdout}")
    return done.stdout


def allow_cpu_devices(folder):
    """Lets darktable use CPU devices, which it shuts out when it sees them first, and skips its own measurement."""
    config = os.path.join(folder, "config", "darktablerc")
    with open(config, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for i, line in enumerate(lines):
        key, _, value = line.partition("=")
        if key.startswith("cldevice_v") and len(value.split()) > 7:
            words = value.split()
            words[7] = "0"
            lines[i] = f"{key}={' '.join(words)}"
    lines = [line for line in lines if not line.startswith("opencl_checksum=")] + ["opencl_checksum=OFF"]
    with open(config, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def develop(name, out, folder, options):
    """Develops the picture with a module."""
    picture = os.path.join(folder, "picture.dng")
    if not os.path.exists(picture):
        write_dng(picture)
    version, form, values, _ = MODULES[name]
    xmp = []
    if form:
        xmp = [os.path.join(folder, name + ".xmp")]
        with open(xmp[0], "w", encoding="utf-8") as file:
            file.write(XMP.format(name=name, version=version, params=struct.pack("<" + form, *values).hex()))
    return darktable(folder, picture, xmp, out, *options)


def run(name, out, folder):
    """Develops the picture on OpenCL. What darktable keeps of programs goes each time, as drivers have caches."""
    os.makedirs(folder, exist_ok=True)
    own = os.path.join(folder, os.path.basename(os.environ["OCL_ICD_VENDORS"]))
    if not os.path.exists(own):
        os.makedirs(own)
        develop("raw", out, own, ())
        allow_cpu_devices(own)
    shutil.rmtree(os.path.join(own, "cache"), ignore_errors=True)
    log = develop(name, out, own, ("-d", "opencl", "-d", "perf"))
    if "on GPU" not in log:
        raise RuntimeError(f"nothing ran on OpenCL: {log}")


def numbers(path):
    """The numbers of a PFM file."""
    with open(path, "rb") as file:
        kind, _, scale, rest = file.read().split(b"\n", 3)
    assert kind == b"PF" and float(scale) < 0, path
    return array.array("f", rest)


def judge(name, path, folder):
    """Whether a picture is right, and a sentence."""
    right = os.path.join(folder, name + ".pfm")
    if not os.path.exists(right):
        develop(name, right, folder, ("--disable-opencl",))
    ours, expected = numbers(path), numbers(right)
    difference = sum(abs(a - b) for a, b in zip(ours, expected)) / len(expected)
    is_right = len(ours) == len(expected) and difference <= MODULES[name][3]
    return is_right, f"{name}: differs by {difference:.6f} in the mean, allowed: {MODULES[name][3]}"


def main():
    verb = sys.argv[1]
    if verb == "list":
        print("\n".join(MODULES))
    elif verb == "run":
        run(*sys.argv[2:5])
    else:
        is_right, text = judge(*sys.argv[2:5])
        print(text)
        return 0 if is_right else 1
    return 0


sys.exit(main())
