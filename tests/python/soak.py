#!/usr/bin/env python3
"""Random calls of the extension, right and wrong ones, from several threads, for a time. For the address sanitizer.

    soak.py SECONDS [SEED]

Exits with 0 if every call gave a result, or an exception that a caller may expect. Results of right calls are checked.
"""
import array
import ctypes
import gc
import os
import random
import sys
import tempfile
import threading
import time

import numpy as np

import kiln

SOURCES = [
    "kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }",
    "kernel void f(global const int *x, global int *y, local int *t, uint n) { size_t l = get_local_id(0);"
    " t[l] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); y[get_global_id(0)] = t[l] + n; }",
    "typedef struct { int a; float b[3]; } s; kernel void f(global s *x, s v, float4 w) { x[get_global_id(0)] = v;"
    " x[0].b[1] = w.z; }",
    "kernel void f(global half *h, char c, ulong u, double d) { h[get_global_id(0)] = c + u + d; }",
    "kernel void f(global int *x, int n) { printf(\"%d %s\\n\", n, \"text\"); x[get_global_id(0)] = n; }",
    "kernel void f(void) {}",
    "kernel void f(global int *x) { x[0] = 1; } kernel void g(global uchar16 *x, uchar b) { x[get_global_id(0)] = b; }",
]
# Of images of any size.
IMAGES = """kernel void f(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)) % get_image_dim(out);
  write_imagef(out, p, read_imagef(in, s, p % get_image_dim(in))); }"""
WRONG_SOURCES = ["", "kernel void f(", "kernel void f(global int *x) { x = y; }", "\0", "#include \"none.h\"\n",
                 "kernel void f(global int *x) { x[0] = 1 " * 50, b"\xff\xfe", "#error no\n", 3, None]
# What a caller may expect of wrong calls.
EXPECTED = (kiln.Error, TypeError, ValueError, OverflowError, KeyError, BufferError, AttributeError, NotImplementedError)


class Tensor:
    """DLPack alone, sometimes of no use."""

    def __init__(self, array, rng):
        self.array, self.device = array, rng.choice([(1, 0), (1, 0), (2, 0), (1,), "text", None, (1 << 70, 0)])
        self.answer = rng.choice([None, None, None, 3, "capsule", ValueError("no")])

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.array.__dlpack__() if self.answer is None else self.answer


class Strange:
    """Whose conversions fail, or do something else."""

    def __init__(self, act):
        self.act = act

    def __index__(self):
        self.act()
        return 3

    def __float__(self):
        self.act()
        return 1.5

    def __bool__(self):
        self.act()
        raise RuntimeError("neither")

    def __len__(self):
        self.act()
        return 4

    def __getitem__(self, index):
        self.act()
        return float(index)


class Soak:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        backends = [name for name in ("cpu", "interp") if name not in os.environ.get("KILN_TEST_WITHOUT", "")]
        self.contexts = [kiln.Context(name, print=lambda text: None, log=lambda level, text: None)
                         for name in backends]
        self.programs, self.queues, self.events, self.things = [], [], [], []
        self.calls = self.failures = 0
        self.folder = tempfile.mkdtemp()

    def act(self):
        """What Python code may do in the middle of a call."""
        choice = self.rng.randrange(6)
        if choice == 0:
            gc.collect()
        elif choice == 1 and self.queues:
            self.rng.choice(self.queues).close()
        elif choice == 2:
            raise RuntimeError("in the middle of a call")
        elif choice == 3 and self.programs:
            self.programs.pop()

    def any_array(self, checked):
        """checked: the backend sees accesses out of bounds, else arrays are large enough for all kernels."""
        rng, n = self.rng, self.rng.choice([0, 1, 3, 64, 256]) if checked else 4096
        kind = rng.choice(["f4", "i4", "f2", "u1", "f8", "c8", "?", ">f4", "O", "U3"])
        x = np.zeros(n, kind)
        return rng.choice([
            lambda: x, lambda: x[::2], lambda: np.zeros((64, 64), kind).T[1:], lambda: Tensor(np.zeros(n, "f4"), rng),
            lambda: bytearray(4 * n), lambda: bytes(4 * n), lambda: memoryview(bytearray(8 * n)),
            lambda: array.array("f", [1] * n), lambda: (ctypes.c_float * max(n, 1))(), lambda: None if checked else x, lambda: 3,
            lambda: kiln.Buffer(rng.choice(self.contexts), max(4 * n, 1)), lambda: np.zeros(n, "i4,f4,f4,f4"),
            lambda: Strange(self.act), lambda: "text", lambda: [1.0] * n,
        ])()

    def any_number(self):
        return self.rng.choice([0, 1, -1, 255, 1 << 31, 1 << 64, -1 << 63, 1.5, float("nan"), 1e39, "1", None, True, 3j,
                                np.float32(2), np.int8(-3), (1, 2, 3, 4), [1.0] * 4, (1, 2), b"1234" * 4, (1, "2", 3, 4),
                                ctypes.c_int(3), Strange(self.act), np.zeros(1, "i4,f4,f4,f4")[0], 64, 256])

    def any_size(self):
        return self.rng.choice([0, 1, 4, 64, (8, 8), (4, 4, 4), (), (1, 1, 1, 1), -1, 1 << 70, None, "4", 1.5, [4],
                                Strange(self.act)])

    def right(self):
        """A call that must work."""
        context, n, factor = self.rng.choice(self.contexts), self.rng.randrange(1, 500), self.rng.randrange(-5, 6)
        x = np.arange(n, dtype=np.float32)
        want = x * np.float32(factor)
        kernel = context.compile(SOURCES[0])["f"]
        if self.rng.random() < 0.5:
            kernel[n](x, factor)
        else:
            with kiln.Queue(context) as queue:
                for _ in range(self.rng.randrange(4)):
                    kernel(queue, n, None, np.ones(n, np.float32), 2)
                event = kernel(queue, n, None, x, a=factor)
                if self.rng.random() < 0.5:
                    event.wait()
                    assert event.done and event.seconds >= 0
        assert (x == want).all(), "a wrong result"

    def compile(self):
        if self.rng.random() < 0.3:
            self.rng.choice(self.contexts).compile(self.rng.choice(WRONG_SOURCES), self.rng.choice(
                ["", "-D", "-Dx=1", ["-DA=\"b c\"", "-w"], [3], 3, "-bad"]), kind=self.rng.choice(["opencl-c", "ir", ""]),
                headers=self.rng.choice([None, {}, {"none.h": ""}, {3: "x"}, {"a": 4}, []]))
        self.programs.append(self.rng.choice(self.contexts).compile(
            self.rng.choice(SOURCES), f"-DN={self.rng.randrange(3)}",
            headers=self.rng.choice([None, {"a.h": "int a;"}, {b"b.h": b""}])))

    def launch(self):
        program = self.rng.choice(self.programs)
        kernel = program[self.rng.choice(program.kernels + ["f", "none"])]
        checked = program.context.backend == "interp"
        args = [4096 if info.kind == "local" and not checked else
                self.any_array(checked) if info.kind == "buffer" and (not checked or self.rng.random() < 0.9) else
                self.any_number() for info in kernel.args]
        if self.rng.random() < 0.1:
            args = args[:-1] if self.rng.random() < 0.5 else args + [1]
        named = {kernel.args[-1].name: args.pop()} if checked and args and self.rng.random() < 0.2 else {}
        if self.rng.random() < 0.1:
            named[self.rng.choice(["x", "q", ""])] = 1
        if self.rng.random() < 0.5 and self.queues:
            self.events.append(kernel(self.rng.choice(self.queues), self.any_size(), self.rng.choice([None, 4, 64]),
                                      *args, **named))
        else:
            kernel[self.any_size(), self.rng.choice([None, 1, 4, (2, 2), 1 << 30])](*args, **named)

    def queue(self):
        choice = self.rng.randrange(8)
        if choice == 0 or not self.queues:
            self.queues.append(kiln.Queue(self.rng.choice(self.contexts), self.rng.choice([0, 0, 0, 0, 9])))
            return
        queue = self.rng.choice(self.queues)
        [queue.finish, queue.close, queue.cancel, lambda: queue.set_deadline(self.rng.choice([None, 1, 0, -1, "x", 1e30])),
         lambda: queue.wait(self.rng.choice(self.events or [3])), lambda: self.queues.remove(queue),
         lambda: self.events and self.rng.choice(self.events).wait()][choice - 1]()

    def look(self):
        things = [*self.contexts, *self.programs, *self.queues, *self.events]
        thing = self.rng.choice(things)
        for name in dir(thing):
            if not name.startswith("_") and name not in ("close", "cancel"):
                value = getattr(thing, name)
                if callable(value) and self.rng.random() < 0.3:
                    value(*self.rng.choice([(), (), (3,), ("ir",), ("none",), (b"bytes",), (1, 2, 3, 4, 5)]))
        repr(thing), hash(thing), thing == 3
        self.rng.choice([kiln.Program, kiln.Event, kiln.Queue, kiln.Buffer, kiln.Context, kiln.Kernel, kiln.Image,
                         kiln.Sampler])(
            *self.rng.choice([(), (3,), ("none",), (self.contexts[0], -1), (self.contexts[0], 1 << 62), (None, None)]))

    def helpers(self):
        x = np.ones(self.rng.randrange(1, 300), self.rng.choice(["f4", "f8", "i4"]))
        context = self.rng.choice(self.contexts)
        if self.rng.random() < 0.3:
            kiln.elementwise(self.rng.choice(["x +", "", "x * y", "3", "x[0]"]), context=context)(x, 2)
        assert (kiln.elementwise("x * x + y", context=context)(x, 2) == 3).all()
        assert kiln.reduce("+", context=context)(x) == x.size

    def buffers(self):
        context = self.rng.choice(self.contexts)
        buffer = kiln.Buffer(context, self.rng.randrange(1, 5000))
        view = np.frombuffer(buffer, np.uint8)
        view[:] = 7
        self.things.append(view)  # it keeps the buffer
        del buffer
        if self.rng.random() < 0.5:
            self.things.clear()
        other = kiln.Buffer(context, 64)
        other.write(self.rng.choice([bytes(64), bytes(65), np.zeros(4), 3, memoryview(b"12")[::-1]]),
                    self.rng.choice([0, 0, 60, -1, 1 << 62]))
        other.read(self.rng.choice([bytearray(64), bytes(3), np.zeros(8), None]), self.rng.choice([0, 0, 63]))

    def image(self, context):
        rng = self.rng
        array = np.zeros(rng.choice([(3, 5), (3, 5), (3, 5, 4), (2, 3, 5, 2), (5,), (3, 5, 3), (0, 5), ()]),
                         rng.choice(["u1", "u2", "f4", "f2", "i4", "f8", ">u2", "O"]))
        return kiln.Image(rng.choice([array, array, array.T, array[::2], (3, 5), (3, -1), (), ("3",), "text", None,
                                      (Strange(self.act), 3), [[1]]]),
                          rng.choice([None, None, None, "rgba", "u8", "r:f32", "rgb:unorm565", "none", "rgba:", b"r"]),
                          rng.choice([None, None, None, "2d", "3d", "1d_array", "2d_depth", "4d"]), context=context)

    def images(self):
        rng, context = self.rng, self.rng.choice(self.contexts)
        image = self.image(context)
        self.things.append(np.asarray(image))  # it keeps the image
        array = image.to_numpy()
        assert array.nbytes == image.nbytes
        image.write(array)
        sampler = kiln.Sampler(rng.choice(["none", "clamp", "clamp_to_edge", "repeat"]), rng.choice(["nearest", "linear"]),
                               normalized=rng.choice([False, False, True, 3]))
        launch = context.compile(IMAGES)["f"].bind(image.size)
        args = [image, rng.choice([self.image(context), image, array, None]), rng.choice([sampler, sampler, 16])]
        if rng.random() < 0.5 and self.queues:
            self.events.append(launch.enqueue(rng.choice(self.queues), *args))
        else:
            launch(*args)
        image.read(rng.choice([array, array, bytes(3), np.zeros(4), None, array.T]))

    def warm(self):
        path = os.path.join(self.folder, str(self.rng.randrange(3)))
        with open(path, "wb") as file:
            file.write(self.rng.randbytes(self.rng.randrange(200)))
        with kiln.profile():
            kiln.warm(self.rng.choice([path, [path], [], 3, [path, 3], path + "none"]), self.rng.choice([None, "interp", 3]),
                      export=self.rng.choice([None, True, 3]), cache_mode="off", progress=self.rng.choice([None, len, 3]))
        self.rng.choice(self.contexts).import_bundle(self.rng.choice([b"", self.rng.randbytes(100), 3]))
        self.contexts[0].import_bundle(self.contexts[0].export_bundle())

    def run(self, until):
        steps = [self.right] * 3 + [self.compile] + [self.launch] * 12 + [self.queue] * 4 + [self.look] + \
            [self.helpers, self.buffers, self.images, self.images, self.warm]
        self.programs = [self.contexts[0].compile(source) for source in SOURCES]
        while time.monotonic() < until:
            self.calls += 1
            try:
                self.rng.choice(steps)()
            except RuntimeError as error:
                if isinstance(error, kiln.Error) or "in the middle" not in str(error) and "neither" not in str(error):
                    if not isinstance(error, EXPECTED):
                        raise
                self.failures += 1
            except IndexError:  # of an empty list of the soak's own
                self.failures += 1
            except EXPECTED as error:
                if isinstance(error, kiln.InternalError):
                    raise
                self.failures += 1
            if len(self.programs) > 20:
                del self.programs[self.rng.randrange(20)]
            if len(self.queues) > 5:
                del self.queues[self.rng.randrange(5)]
            if len(self.events) > 40:
                del self.events[:20]


def main():
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    os.chdir(tempfile.mkdtemp())  # traces are files of any name
    until, problems = time.monotonic() + seconds, []
    soaks = [Soak(seed * 100 + number) for number in range(3)]
    soaks[1].queues = soaks[2].queues = soaks[0].queues  # used by all threads
    soaks[1].contexts = soaks[2].contexts = soaks[0].contexts

    def run(soak):
        try:
            soak.run(until)
        except BaseException as error:
            problems.append(error)
            raise

    threads = [threading.Thread(target=run, args=(soak,)) for soak in soaks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{sum(soak.calls for soak in soaks)} calls, {sum(soak.failures for soak in soaks)} of them refused")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
