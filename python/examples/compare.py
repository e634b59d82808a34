#!/usr/bin/env python3
"""The same computation with NumPy, Numba, PyOpenCL and Kiln: prices of options after Black and Scholes.

    compare.py [--count N] [--picture FILE.png]     the chart needs matplotlib

What is not installed is left out, with the reason. Every result is checked; exits with 1 where one is wrong.
"""
import argparse
import math
import sys
import time

import numpy as np

RATE, SIGMA = 0.02, 0.3
# The normal distribution by Abramowitz and Stegun, 26.2.17, which needs no erf.
SOURCE = """
float cdf(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
  float p = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * exp(-0.5f * x * x) * p;
  return x < 0 ? tail : 1 - tail;
}

kernel void price(global const float *s, global const float *x, global const float *t, global float *call, float r,
                  float v) {
  size_t i = get_global_id(0);
  float root = v * sqrt(t[i]);
  float d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / root;
  call[i] = s[i] * cdf(d1) - x[i] * exp(-r * t[i]) * cdf(d1 - root);
}
"""


def with_numpy(s, x, t):
    def cdf(x):
        k = 1 / (1 + np.float32(0.2316419) * abs(x))
        p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = np.float32(0.39894228) * np.exp(np.float32(-0.5) * x * x) * p
        return np.where(x < 0, tail, 1 - tail)

    def price():
        root = np.float32(SIGMA) * np.sqrt(t)
        d1 = (np.log(s / x) + np.float32(RATE + 0.5 * SIGMA ** 2) * t) / root
        return s * cdf(d1) - x * np.exp(np.float32(-RATE) * t) * cdf(d1 - root)

    return price


def with_numba(s, x, t):
    import numba

    @numba.njit
    def cdf(x):
        k = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * abs(x))
        p = k * (np.float32(0.319381530) + k * (np.float32(-0.356563782) + k * (
            np.float32(1.781477937) + k * (np.float32(-1.821255978) + k * np.float32(1.330274429)))))
        tail = np.float32(0.39894228) * math.exp(np.float32(-0.5) * x * x) * p
        return tail if x < 0 else np.float32(1) - tail

    @numba.njit(parallel=True, fastmath=True)
    def price(s, x, t, call, r, v):
        for i in numba.prange(s.size):
            root = v * math.sqrt(t[i])
            d1 = (math.log(s[i] / x[i]) + (r + np.float32(0.5) * v * v) * t[i]) / root
            call[i] = s[i] * cdf(d1) - x[i] * math.exp(-r * t[i]) * cdf(d1 - root)

    call = np.empty_like(s)

    def run():
        price(s, x, t, call, np.float32(RATE), np.float32(SIGMA))
        return call

    return run


def with_pyopencl(s, x, t):
    import pyopencl as cl

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, SOURCE).build().price
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
    inputs = [cl.Buffer(context, flags, hostbuf=array) for array in (s, x, t)]
    call = np.empty_like(s)
    output = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, call.nbytes)

    def run():
        kernel(queue, s.shape, None, *inputs, output, np.float32(RATE), np.float32(SIGMA))
        cl.enqueue_copy(queue, call, output)
        return call

    return run


def with_kiln(s, x, t):
    import kiln

    kernel = kiln.compile(SOURCE, name="price.cl")["price"][s.size]
    call = np.empty_like(s)

    def run():
        kernel(s, x, t, call, RATE, SIGMA)
        return call

    return run


def exact(s, x, t):
    """In double, by the C library's erfc, for a few of them."""
    def cdf(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    root = SIGMA * math.sqrt(t)
    d1 = (math.log(s / x) + (RATE + 0.5 * SIGMA ** 2) * t) / root
    return s * cdf(d1) - x * math.exp(-RATE * t) * cdf(d1 - root)


def measure(make, s, x, t):
    """The result, and the best time of some runs after the first, which compiles."""
    run = make(s, x, t)
    start = time.perf_counter()
    result = run().copy()
    first, best, begin = time.perf_counter() - start, math.inf, time.perf_counter()
    while time.perf_counter() - begin < 0.3:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return result, first, best


def draw(path, times, count):
    try:
        import matplotlib
    except ImportError:
        print("no chart: there is no matplotlib")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(7, 3))
    bars = axis.barh(list(times), [count / seconds / 1e6 for seconds in times.values()])
    axis.bar_label(bars, fmt="%.0f", padding=3)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.set_xlabel("million options per second")
    figure.tight_layout()
    figure.savefig(path)
    print("chart:", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1 << 20)
    parser.add_argument("--picture", help="a PNG file to write")
    options = parser.parse_args()
    random = np.random.default_rng(3)
    s, x, t = (random.uniform(low, high, options.count).astype(np.float32) for low, high in
               ((5, 30), (1, 100), (0.25, 10)))
    some = range(0, options.count, max(1, options.count // 1000))
    times, wrong = {}, []
    for name, make in {"NumPy": with_numpy, "Numba": with_numba, "PyOpenCL": with_pyopencl,
                       "Kiln": with_kiln}.items():
        try:
            result, first, times[name] = measure(make, s, x, t)
        except Exception as error:  # not installed, or no device for it
            if name == "Kiln":
                raise
            print(f"{name:8}  left out: {error}")
            continue
        error = max(abs(result[i] - exact(float(s[i]), float(x[i]), float(t[i]))) for i in some)
        print(f"{name:8}  {times[name] * 1e3:8.2f} ms   first call {first * 1e3:8.1f} ms   largest error {error:.1e}")
        if not error < 1e-3:
            wrong.append(name)
    if options.picture:
        draw(options.picture, times, options.count)
    if wrong:
        sys.exit(f"compare: WRONG: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
