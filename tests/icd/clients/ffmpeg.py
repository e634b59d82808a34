# Filters of FFmpeg that run on OpenCL: each makes frames, which are judged by those of the filter for the CPU of the
# same name, by the same filter's frames of another pixel format, or by PoCL's, where the filter for the CPU computes
# something else. PoCL 3.1 has no format for nv12 and p010. The frames of tonemap and deshake are judged by those of a
# second run: the CPU has no such filters, and deshake takes other points where a bilinear sample's last bit differs.
#   ffmpeg.py list                  names of the cases
#   ffmpeg.py run NAME FILE         makes the frames of a case with the first OpenCL device
#   ffmpeg.py judge NAME FILE DIR   whether the frames are right; DIR keeps those that they are compared with
import os
import subprocess
import sys

WIDTH, HEIGHT, FRAMES = 640, 480, 5
PADDED = WIDTH + 32, HEIGHT + 16
SHARPEN = "0 -1 0 -1 5 -1 0 -1 0"
HDR = "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"
MEAN = "mean"
BLACK = f"color=black:size={WIDTH}x{HEIGHT}:rate=5,format=gray16le"
MAPS = f"{BLACK},geq=lum='mod(X+7\\,{WIDTH})'[x];{BLACK},geq=lum='mod(Y*2\\,{HEIGHT})'[y];"
FRAME = f"w={PADDED[0]}:h={PADDED[1]}:x=10:y=8:color=red"
FADE = "duration=0.4:offset=0.2"

# name: pixel format, filter, who judges, largest difference, pixels at the edges that are not compared: filters differ
# in what they take for pixels beyond. Judges: cpu and a filter's arguments; a name of a case; pocl; a second run.
# A difference of MEAN is one of the mean: groups of tonemap's kernel read what the last one of them changes.
CASES = {
    "avgblur": ("yuv420p", "avgblur_opencl=3", "cpu:avgblur=3", 1, 4),
    "avgblur-nv12": ("nv12", "avgblur_opencl=3", "avgblur", 0, 0),
    "avgblur-rgba": ("rgba", "avgblur_opencl=3", "cpu:avgblur=3", 1, 4),
    "boxblur": ("yuv420p", "boxblur_opencl=lr=3:cr=2", "cpu:boxblur=lr=3:cr=2", 4, 4),
    "boxblur-nv12": ("nv12", "boxblur_opencl=lr=3:cr=2", "boxblur", 0, 0),
    "unsharp": ("yuv420p", "unsharp_opencl=lx=5:ly=5:la=1.5", "pocl", 1, 0),
    "unsharp-nv12": ("nv12", "unsharp_opencl=lx=5:ly=5:la=1.5", "unsharp", 0, 0),
    "convolution": ("gray", f"convolution_opencl='{SHARPEN}'", f"cpu:convolution='{SHARPEN}'", 0, 2),
    "convolution-rgba": ("rgba", f"convolution_opencl='{SHARPEN}:{SHARPEN}:{SHARPEN}:{SHARPEN}'",
                         f"cpu:convolution='{SHARPEN}:{SHARPEN}:{SHARPEN}:{SHARPEN}'", 0, 2),
    "sobel": ("yuv420p", "sobel_opencl", "cpu:sobel", 1, 2),
    "prewitt": ("yuv420p", "prewitt_opencl", "cpu:prewitt", 1, 2),
    "roberts": ("rgba", "roberts_opencl", "cpu:roberts", 1, 2),
    "dilation": ("yuv420p", "dilation_opencl", "cpu:dilation", 0, 0),
    "erosion": ("yuv420p", "erosion_opencl", "cpu:erosion", 0, 0),
    "overlay": ("yuv420p", "overlay_opencl=x=20:y=30", "cpu:overlay=x=20:y=30", 0, 0),
    "overlay-rgba": ("rgba", "overlay_opencl=x=20:y=30", "cpu:overlay=x=20:y=30:format=rgb", 0, 0),
    "nlmeans": ("yuv420p", "nlmeans_opencl=s=3:p=5:r=9", "pocl", 1, 0),
    "tonemap": ("p010", "tonemap_opencl=tonemap=hable:p=bt709:t=bt709:m=bt709:format=nv12", "again", MEAN, 0),
    "transpose": ("yuv420p", "transpose_opencl=dir=clock", "cpu:transpose=dir=clock", 0, 0),
    "transpose-nv12": ("nv12", "transpose_opencl=dir=clock", "transpose", 0, 0),
    "xfade": ("rgba", f"xfade_opencl=transition=wipeleft:{FADE}", f"cpu:xfade=transition=wipeleft:{FADE}", 0, 0),
    "xfade-fade": ("gray", f"xfade_opencl=transition=fade:{FADE}", f"cpu:xfade=transition=fade:{FADE}", 1, 0),
    "pad": ("rgba", f"pad_opencl={FRAME}", f"cpu:pad={FRAME}", 0, 0),
    "colorkey": ("rgba", "colorkey_opencl=color=red:similarity=0.3:blend=0.1", "pocl", 1, 0),
    "deshake": ("yuv420p", "deshake_opencl=tripod=1", "again", 0, 0),
    "deshake-nv12": ("nv12", "deshake_opencl=tripod=1", "deshake", 0, 0),
    "remap": ("rgba", "remap_opencl=interp=near", "pocl", 0, 0),
}
TWO = ("overlay", "xfade")  # filters of two videos


def graph(name, on_device):
    """The graph of filters of a case; not on_device: with the filter for the CPU."""
    pixels, opencl, judge, _, _ = CASES[name]
    kind = name.split("-")[0]
    out = "nv12" if kind == "tonemap" else pixels
    first = f"testsrc2=size={WIDTH}x{HEIGHT}:rate=5"
    text = f"{first},format=p010,{HDR}[a];" if kind == "tonemap" else f"{first},format={pixels}[a];"
    inputs = "a"
    if kind in TWO:
        second = "yuva420p" if name == "overlay" else pixels
        text += f"mandelbrot=size={WIDTH}x{HEIGHT}:rate=5,format={second}[b];"
        inputs = "ab"
    if kind == "remap":
        text += MAPS
        inputs = "axy"
    if not on_device:
        return text + "".join(f"[{i}]" for i in inputs) + judge[len("cpu:"):] + f",format={out}"
    text += "".join(f"[{i}]hwupload[{i}{i}];" for i in inputs) + "".join(f"[{i}{i}]" for i in inputs)
    return f"{text}{opencl},hwdownload,format={out}"


def make(name, on_device, path):
    """Makes the frames of a case; an exception says why it cannot."""
    device = ["-init_hw_device", "opencl=cl:0.0", "-filter_hw_device", "cl"] if on_device else []
    command = ["ffmpeg", "-nostdin", "-y", "-v", "error", *device, "-filter_complex", graph(name, on_device)]
    command += ["-frames:v", str(FRAMES), "-f", "rawvideo", path]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0 or os.path.getsize(path) == 0:
        raise RuntimeError(f"ffmpeg ended with {done.returncode}: {done.stderr}")


def planes(pixels, width, height):
    """(width, height, bytes of a pixel) of each plane of a frame."""
    if pixels == "rgba":
        return [(width, height, 4)]
    if pixels == "gray":
        return [(width, height, 1)]
    return [(width, height, 1)] + [(width // 2, height // 2, 1)] * 2


def differences(ours, right, layout, edge):
    """The largest and the mean difference between bytes of frames, without edge pixels at the edges of each plane."""
    if ours == right:
        return 0, 0
    if len(ours) != len(right):
        return 256, 256
    worst, total, at = 0, 0, 0
    while at < len(ours):
        for width, height, size in layout:
            for y in range(edge, height - edge):
                low, high = at + (y * width + edge) * size, at + ((y + 1) * width - edge) * size
                if ours[low:high] != right[low:high]:
                    row = [abs(a - b) for a, b in zip(ours[low:high], right[low:high])]
                    worst, total = max(worst, *row), total + sum(row)
            at += width * height * size
    return worst, total / len(ours)


def as_nv12(frames, width, height):
    """Frames of yuv420p with the bytes of nv12."""
    out = bytearray()
    luma, chroma = width * height, width * height // 4
    for at in range(0, len(frames), luma + 2 * chroma):
        pairs = bytearray(2 * chroma)
        pairs[0::2] = frames[at + luma:at + luma + chroma]
        pairs[1::2] = frames[at + luma + chroma:at + luma + 2 * chroma]
        out += frames[at:at + luma] + pairs
    return bytes(out)


def judge(name, path, folder):
    """Whether the frames of a case are right, and a sentence."""
    pixels, _, by, most, edge = CASES[name]
    width, height = (HEIGHT, WIDTH) if name.startswith("transpose") else (WIDTH, HEIGHT)
    other = by in CASES
    driver = os.path.basename(os.environ["OCL_ICD_VENDORS"])
    right = os.path.join(folder, f"{name}.{driver if by == 'again' or other else by.split(':')[0]}")
    if not os.path.exists(right):
        if by == "pocl":
            os.environ["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/pocl.icd"
        make(by if other else name, not by.startswith("cpu:"), right)
    with open(path, "rb") as ours, open(right, "rb") as expected:
        ours, expected = ours.read(), expected.read()
    if other:
        expected = as_nv12(expected, width, height)
    if name == "pad":
        width, height = PADDED
    worst, mean = differences(ours, expected, planes(pixels, width, height), edge)
    is_right = mean <= 1 if most == MEAN else worst <= most
    return is_right, f"{name}: differs by {worst}, in the mean by {mean:.2f}, from {by}; allowed: {most}"


def main():
    verb = sys.argv[1]
    if verb == "list":
        print("\n".join(CASES))
    elif verb == "run":
        make(sys.argv[2], True, sys.argv[3])
    else:
        is_right, text = judge(*sys.argv[2:5])
        print(text)
        return 0 if is_right else 1
    return 0


sys.exit(main())
