#!/usr/bin/env python3
"""A picture from the mosaic of a camera, with the kernels of photo.cl, as photo.c does it.

    photo.py [--size WIDTHxHEIGHT] [--picture FILE.ppm]

Checks itself against NumPy; exits with 1 where they differ.
"""
import argparse
import pathlib
import sys
import time

import numpy as np

import kiln

SOURCE = pathlib.Path(__file__).with_name("photo.cl").read_text()
TABLE = 17
STRICTNESS = 100
f = np.float32


def expose(width, height):
    """What the camera saw: rings of colours, and grain."""
    x, y = np.meshgrid(np.arange(width, dtype=np.uint32), np.arange(height, dtype=np.uint32))
    colour = (y % 2 + x % 2).astype(f)  # red, green or blue
    u, v = x.astype(f) / f(width) - f(0.5), y.astype(f) / f(height) - f(0.5)
    light = f(0.5) + f(0.35) * np.sin(f(60) * (u * u + v * v) + f(1.2) * colour) + f(0.2) * u * (colour - 1)
    h = x * np.uint32(374761393) + y * np.uint32(668265263)
    h = (h ^ h >> 13) * np.uint32(1274126177)
    grain = ((h ^ h >> 16) & 0xffff).astype(f) / f(65535) - f(0.5)
    return (65535 * np.clip(light + f(0.06) * grain, 0, 1)).astype(np.uint16)


def make_table():
    """More contrast, and more colour; blue, green and red are its axes."""
    b, g, r = np.meshgrid(*[np.linspace(0, 1, TABLE)] * 3, indexing="ij")
    colours = np.stack([r, g, b], -1)
    grey = colours @ [0.3, 0.6, 0.1]
    value = np.clip(grey[..., None] + 1.25 * (colours - grey[..., None]), 0, 1)
    table = np.full((TABLE, TABLE, TABLE, 4), 65535, np.uint16)
    table[..., :3] = 65535 * value * value * (3 - 2 * value)
    return table


def with_kiln(mosaic, colours):
    height, width = mosaic.shape
    program = kiln.compile(SOURCE, name="photo.cl")
    raw, table = kiln.Image(mosaic), kiln.Image(colours)  # r:unorm16, and 3D rgba:unorm16
    colour, clean = kiln.Image((height, width), "rgba:f16"), kiln.Image((height, width), "rgba:f16")
    graded = kiln.Image((height, width), "rgba:unorm8")
    out = kiln.Image((height * 2 // 3, width * 2 // 3), "rgba:unorm8")
    between, over_all = (kiln.Sampler("clamp_to_edge", "linear", normalized=n) for n in (False, True))
    start = time.perf_counter()
    program["demosaic"][raw.size, None](raw, colour)
    program["denoise"][raw.size, None](colour, clean, STRICTNESS)
    program["grade"][raw.size, None](clean, table, between, graded)
    program["resize"][out.size, None](graded, over_all, out)
    return out.to_numpy()[..., :3], time.perf_counter() - start


def demosaic(mosaic):
    m = np.pad(mosaic.astype(f) / f(65535), 1, "reflect")
    here, row, column = m[1:-1, 1:-1], (m[1:-1, :-2] + m[1:-1, 2:]) / 2, (m[:-2, 1:-1] + m[2:, 1:-1]) / 2
    corners = (m[:-2, :-2] + m[:-2, 2:] + m[2:, :-2] + m[2:, 2:]) / 4
    cross = (row + column) / 2
    out = np.empty((*mosaic.shape, 3), f)
    for y, x, colours in ((0, 0, (here, cross, corners)), (0, 1, (row, here, column)),
                          (1, 0, (column, here, row)), (1, 1, (corners, cross, here))):
        for channel, values in enumerate(colours):
            out[y::2, x::2, channel] = values[y::2, x::2]
    return out


def denoise(colours):
    height, width, _ = colours.shape
    room = np.pad(colours, ((2, 2), (2, 2), (0, 0)), "edge")
    total, weights = np.zeros_like(colours), np.zeros((height, width, 1), f)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            near = room[2 + dy:2 + dy + height, 2 + dx:2 + dx + width]
            square = ((near - colours) ** 2).sum(-1, keepdims=True)
            weight = np.exp(f(-0.25) * (dx * dx + dy * dy) - f(STRICTNESS) * square)
            total += weight * near
            weights += weight
    return total / weights


def grade(colours, table):
    at = np.clip(colours, 0, 1) * f(TABLE - 1)
    low = np.minimum(at.astype(int), TABLE - 2)
    part = at - low
    total = np.zeros_like(colours)
    for up in np.ndindex(2, 2, 2):  # of red, green and blue
        weight = np.prod(np.where(up, part, 1 - part), -1, keepdims=True)
        r, g, b = np.moveaxis(low + up, -1, 0)
        total += weight * table[b, g, r, :3].astype(f) / f(65535)
    return np.rint(255 * total)


def resize(picture):
    for axis in (0, 1):
        size, out_size = picture.shape[axis], picture.shape[axis] * 2 // 3
        at = (np.arange(out_size) + 0.5) / out_size * size - 0.5
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if a == axis else 1 for a in range(3)])
        picture = (np.take(picture, np.clip(low, 0, size - 1), axis) * (1 - part)
                   + np.take(picture, np.clip(low + 1, 0, size - 1), axis) * part)
    return np.rint(picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", default="1536x1024", help="of the mosaic")
    parser.add_argument("--picture", help="a PPM file to write")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    mosaic, table = expose(width, height), make_table()
    _, first = with_kiln(mosaic, table)  # compiles, or finds the kernels in the cache
    picture, seconds = with_kiln(mosaic, table)
    start = time.perf_counter()
    want = resize(grade(denoise(demosaic(mosaic)), table))
    numpy_seconds = time.perf_counter() - start
    difference = int(abs(picture - want).max())
    print(f"{width} x {height}: Kiln {seconds * 1e3:.1f} ms (at first {first * 1e3:.1f}), NumPy "
          f"{numpy_seconds * 1e3:.1f} ms, largest difference {difference} of 255")
    if options.picture:
        with open(options.picture, "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (picture.shape[1], picture.shape[0]) + picture.tobytes())
    if difference > 2:
        sys.exit("photo: WRONG")


if __name__ == "__main__":
    main()
