#!/usr/bin/env python3
"""Image filters: a Gaussian blur by rows and columns, then the edges of the blurred picture.

    filter.py [--size N] [--picture FILE.png]     the picture needs matplotlib

Checks itself against NumPy; exits with 1 where they differ.
"""
import argparse
import sys
import time

import numpy as np

import kiln

SOURCE = """
constant float weights[7] = {0.030078f, 0.104984f, 0.222250f, 0.285375f, 0.222250f, 0.104984f, 0.030078f};

float at(global const float *in, int w, int h, int x, int y) { return in[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)]; }

// Along (dx, dy).
kernel void blur(global const float *in, global float *out, int w, int h, int dx, int dy) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int i = -3; i <= 3; i++)
    sum += weights[i + 3] * at(in, w, h, x + i * dx, y + i * dy);
  out[y * w + x] = sum;
}

kernel void edges(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  float gx = at(in, w, h, x + 1, y) - at(in, w, h, x - 1, y), gy = at(in, w, h, x, y + 1) - at(in, w, h, x, y - 1);
  out[y * w + x] = hypot(gx, gy);
}
"""


def scene(size):
    """Rings, a square and noise: something with edges."""
    y, x = np.mgrid[0:size, 0:size] / size - 0.5
    picture = 0.5 + 0.5 * np.sin(60 * np.hypot(x, y))
    picture[size // 4:size // 2, size // 4:size // 2] = 1
    picture += np.random.default_rng(1).normal(0, 0.1, (size, size))
    return picture.astype(np.float32)


def with_kiln(picture):
    h, w = picture.shape
    program = kiln.compile(SOURCE, name="filter.cl")
    blur, edges = program["blur"][(w, h), None], program["edges"][(w, h), None]
    half, blurred, outline = np.empty_like(picture), np.empty_like(picture), np.empty_like(picture)
    start = time.perf_counter()
    blur(picture, half, w, h, 1, 0)
    blur(half, blurred, w, h, 0, 1)
    edges(blurred, outline, w, h)
    return blurred, outline, time.perf_counter() - start


def with_numpy(picture):
    weights = [0.030078, 0.104984, 0.222250, 0.285375, 0.222250, 0.104984, 0.030078]
    start = time.perf_counter()
    for axis in (1, 0):
        room = np.pad(picture, [(3, 3) if a == axis else (0, 0) for a in (0, 1)], "edge")
        size = picture.shape[axis]
        picture = sum(np.float32(weight) * np.take(room, range(i, i + size), axis) for i, weight in enumerate(weights))
    room = np.pad(picture, 1, "edge")
    outline = np.hypot(room[1:-1, 2:] - room[1:-1, :-2], room[2:, 1:-1] - room[:-2, 1:-1])
    return picture, outline, time.perf_counter() - start


def draw(path, pictures):
    try:
        import matplotlib
    except ImportError:
        print("no picture: there is no matplotlib")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(pictures), figsize=(4 * len(pictures), 4))
    for axis, (title, picture) in zip(axes, pictures.items()):
        axis.imshow(picture, cmap="gray")
        axis.set_title(title)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path)
    print("picture:", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--picture", help="a PNG file to write")
    options = parser.parse_args()
    picture = scene(options.size)
    with_kiln(picture)  # compiles
    blurred, outline, seconds = with_kiln(picture)
    want_blurred, want_outline, numpy_seconds = with_numpy(picture)
    error = max(abs(blurred - want_blurred).max(), abs(outline - want_outline).max())
    print(f"{options.size} x {options.size}: Kiln {seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms, "
          f"largest difference {error:.1e}")
    if options.picture:
        draw(options.picture, {"picture": picture, "blurred": blurred, "edges": outline})
    if not error < 1e-5:
        sys.exit("filter: WRONG")


if __name__ == "__main__":
    main()
