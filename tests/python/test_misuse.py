"""Misuse: an exception that says what is wrong, or made safe."""
import ctypes
import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest

import kiln

SCALE = "kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }"
COPY = "kernel void f(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)]; }"


def scale(context):
    return context.compile(SCALE)["f"]


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float16, np.uint8, np.complex64, np.bool_])
def test_wrong_dtype(context, dtype):
    with pytest.raises(TypeError, match=r"kernel 'f': argument 0 \('x'\): expected an array for 'float\*', got one of"):
        scale(context)[4](np.ones(4, dtype), 2)


def test_not_contiguous(context):
    k, x = scale(context), np.ones((8, 8), np.float32)
    for view in (x[:, ::2], x[:, 1:3], x.T[1:]):
        with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is not contiguous"):
            k[4](view, 2)
    assert (x == 1).all()
    k[8](x[3], 2)
    assert (x[3] == 2).all() and (x[2] == 1).all()


def test_read_only(context):
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is read-only, and the kernel writes to it"):
        scale(context)[4](x, 2)
    context.compile(COPY)["f"][4](x, y)  # it may be read
    assert (y == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        context.compile(COPY)["f"][1](y, b"1234")


def test_no_array(interp):
    k = scale(interp)
    for wrong in (1.5, "text", [1.0, 2.0], object()):
        with pytest.raises(TypeError, match=r"argument 0 \('x'\): expected an array"):
            k[1](wrong, 2)
    for wrong in ("2", None, [2], object()):
        with pytest.raises(TypeError, match=r"argument 1 \('a'\): expected a number"):
            k[1](np.ones(1, np.float32), wrong)


def test_out_of_range(interp):
    k = interp.compile("kernel void f(global int *o, char c, uint u) { o[0] = c + u; }")["f"]
    x = np.zeros(1, np.int32)
    with pytest.raises(OverflowError, match=r"argument 1 \('c'\): 128 is out of the range of 'char'"):
        k[1](x, 128, 0)
    with pytest.raises(OverflowError, match=r"argument 2 \('u'\): -1 is out of the range of 'uint'"):
        k[1](x, 0, -1)
    with pytest.raises(TypeError, match=r"argument 1 \('c'\): expected an integer"):
        k[1](x, 1.5, 0)


INTEGERS = {"char": 7, "uchar": 8, "short": 15, "ushort": 16, "int": 31, "uint": 32, "long": 63, "ulong": 64}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_out_of_range(interp, name):
    bits, signed = INTEGERS[name], not name.startswith("u")
    least, most = -2**bits if signed else 0, 2**bits - 1
    k = interp.compile(f"""kernel void f(global {name} *o, {name} a, {name}2 v) {{
      o[0] = a; o[1] = v.x; o[2] = v.y; }}""")["f"]
    o = np.zeros(3, "iu"[not signed] + str((bits + 7) // 8))
    for number in (least, most):
        k[1](o, number, (number, most))
        assert o.tolist() == [number, number, most]
    for number in (least - 1, most + 1, 10**30, -10**30, 10**5000):
        with pytest.raises(OverflowError, match=fr"argument 1 \('a'\): .* is out of the range of '{name}'"):
            k[1](o, number, (0, 0))
        with pytest.raises(OverflowError, match=fr"argument 2 \('v'\): .* is out of the range of '{name}2'"):
            k[1](o, 0, (0, number))
    with pytest.raises(OverflowError):
        k[1](o, np.uint64(2**64 - 1) if signed else np.int8(-1), (0, 0))


def test_floats_out_of_range(interp):
    k = scale(interp)
    for number in (1e300, -1e39, 3.5e38, 10**400, np.float64(1e300)):
        with pytest.raises(OverflowError, match=r"argument 1 \('a'\): .* is out of the range of 'float'"):
            k[1](np.ones(1, np.float32), number)
    for number in (np.inf, -np.inf, np.nan, 3.4028235e38, 1e-60):
        x = np.ones(1, np.float32)
        k[1](x, number)
        assert np.array_equal(x, np.array([number], np.float32), equal_nan=True)


def test_other_numbers_out_of_range(interp):
    k = interp.compile("kernel void f(global int *x, local int *t) { t[0] = 1; x[0] = t[0]; }")["f"]
    x = np.zeros(1, np.int32)
    k[1](x, np.int64(4))
    for number in (-1, 2**64):
        with pytest.raises(OverflowError, match=r"argument 1 \('t'\)"):
            k[1](x, number)
        for call in (lambda: kiln.Queue(interp, number), lambda: kiln.Buffer(interp, 4, device=number),
                     lambda: kiln.Context("interp", threads=number)):
            with pytest.raises(OverflowError, match="out of the range"):
                call()


def test_empty_sizes(interp):
    k = interp.compile("kernel void f(global int *x) { x[0] = 1; }")["f"]
    x = np.zeros(1, np.int32)
    for size in (0, (0, 4), (4, 0), (2, 2, 0)):
        k[size, None](x)
    assert x[0] == 0
    for local in (0, (0, 1)):
        with pytest.raises(ValueError, match="the local size is 0"):
            k[(4, 4) if isinstance(local, tuple) else 4, local]


def test_wrong_names(interp):
    k = interp.compile("kernel void f(global float *data, float scale, int count) { data[0] = scale * count; }")["f"]
    x = np.ones(1, np.float32)
    with pytest.raises(TypeError, match="kernel 'f' has no argument 'scal': did you mean 'scale'?"):
        k[1](x, scal=1, count=2)
    with pytest.raises(TypeError, match="kernel 'f' has no argument 'zzz': it has data, scale, count"):
        k[1](x, 1, 2, zzz=1)
    with pytest.raises(TypeError, match=r"kernel 'f': argument 1 \('scale'\) is given twice"):
        k[1](x, 1, 2, scale=1)
    with pytest.raises(TypeError, match="takes 3 arguments, got 2"):
        k[1](x, count=1)
    with pytest.raises(TypeError, match="optoins"):
        interp.compile("kernel void f() {}", optoins="-w")


def test_compile_errors_show_the_place(interp):
    with pytest.raises(kiln.CompileError, match=r"bad.cl:2:3: error: use of undeclared identifier 'y'"):
        interp.compile("kernel void f(global int *x) {\n  y[0] = 1;\n}", name="bad.cl")
    with pytest.raises(kiln.NotFoundError, match="f"):
        interp.compile(SCALE)["g"]


class Tensor:
    """An array by DLPack alone; version 1 where max_version is asked for."""

    def __init__(self, array, device=(1, 0), read_only=False):
        self.array, self.device, self.read_only = array, device, read_only

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        assert self.device[0] == 1, "asked for memory that is not of the host"
        if self.read_only:
            raise BufferError("the array is read-only")
        return self.array.__dlpack__()


def test_dlpack(context):
    x = np.ones(4, np.float32)
    scale(context)[4](Tensor(x), 3)
    assert (x == 3).all()
    with pytest.raises(TypeError, match=r"argument 0 \('x'\): .* of a device \(DLPack type 2\)"):
        scale(context)[4](Tensor(x, (2, 0)), 3)
    with pytest.raises(BufferError, match="read-only"):
        scale(context)[4](Tensor(x, read_only=True), 3)


def versioned(array, flags):
    """A capsule of DLPack 1.0 over the array, and whether its deleter was called."""

    class Tensor(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32),
                    ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                    ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                    ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]

    class Managed(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                    ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]

    deleted = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: deleted.append(True))
    shape = (ctypes.c_int64 * 1)(array.size)
    managed = Managed(1, 0, None, ctypes.cast(deleter, ctypes.c_void_p), flags,
                      Tensor(array.ctypes.data, 1, 0, 1, 2, 32, 1, shape, None, 0))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = b"dltensor_versioned"

    class Array:
        keeps = array, deleter, shape, managed, name

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, *, max_version):
            assert max_version == (1, 0)
            return new(ctypes.addressof(managed), name, None)

    return Array(), deleted


def test_dlpack_of_version_1(context):
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    array, deleted = versioned(x, 0)
    scale(context)[4](array, 3)
    assert (x == 3).all() and deleted == [True]
    array, deleted = versioned(x, 1)
    with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is read-only"):
        scale(context)[4](array, 3)
    assert deleted == [True]
    array, deleted = versioned(x, 1)
    context.compile(COPY)["f"][4](array, y)
    assert (y == 3).all() and deleted == [True]


def test_array_freed_while_pending(context):
    k = scale(context)
    with kiln.Queue(context) as queue:
        alive = []
        for _ in range(20):
            x = np.ones(1 << 14, np.float32)
            alive.append(weakref.ref(x))
            event = k(queue, x.size, None, x, 2)
            del x
            gc.collect()
        event.wait()
        queue.finish()
        gc.collect()
        assert not any(ref() is not None for ref in alive)  # nor is it kept for longer


def test_array_that_cannot_be_resized_while_pending(host):
    context = kiln.Context(host)
    data = bytearray(b"\0\0\x80\x3f" * (1 << 12))
    with kiln.Queue(context) as queue:
        event = scale(context)(queue, 1 << 12, None, data, 2)
        event.wait()
        queue.finish()
    data.extend(b"1")  # the launch has ended
    assert data[:4] == b"\0\0\0\x40"


def test_queue_and_event_after_close(context):
    queue = kiln.Queue(context)
    x = np.ones(4, np.float32)
    event = scale(context)(queue, 4, None, x, 2)
    queue.close()
    queue.close()
    assert event.done and (x == 2).all()
    event.wait()
    with pytest.raises(kiln.Error, match="closed"):
        scale(context)(queue, 4, None, x, 2)
    with pytest.raises(kiln.Error, match="closed"):
        queue.finish()


def test_queue_of_another_context(interp):
    other = kiln.Context("interp")
    with kiln.Queue(other) as queue, pytest.raises(kiln.Error, match="context"):
        scale(interp)(queue, 4, None, np.ones(4, np.float32), 2)


def test_objects_that_cannot_be_made():
    for kind in (kiln.Program, kiln.Kernel, kiln.Event):
        with pytest.raises(TypeError, match="not made by calling it"):
            kind()


def test_failing_launch(interp):
    k = interp.compile("kernel void f(global int *x) { x[get_global_id(0) + 100] = 1; }")["f"]
    x = np.zeros(4, np.int32)
    with pytest.raises(kiln.DeviceError, match="argument 'x', which has 16 bytes"):
        k[4](x)
    queue = kiln.Queue(interp)
    event = k(queue, 4, None, x)
    for _ in range(2):
        with pytest.raises(kiln.DeviceError):
            event.wait()
    with pytest.raises(kiln.DeviceError):
        queue.finish()
    queue.close()  # the queue tells it once


def run_python(text):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_exit_with_pending_launches(host):
    out = run_python(f"""
        import kiln, numpy as np
        context = kiln.Context("{host}")
        k = context.compile({SCALE!r})["f"]
        queue = kiln.Queue(context)
        x = np.ones(1 << 14, np.float32)
        for i in range(50):
            k(queue, x.size, None, x, 1.5)
        print("enqueued")
        """)
    assert out == "enqueued\n"


@pytest.mark.skipif("KILN_SANITIZED" in os.environ,
                    reason="threads that a child of fork starts hang in the sanitizer's allocator")
def test_fork_after_open(host):
    out = run_python(f"""
        import os, kiln, numpy as np
        context = kiln.Context("{host}")
        k = context.compile({SCALE!r})["f"]
        x = np.ones(1 << 12, np.float32)
        k[x.size](x, 2)
        pid = os.fork()
        if pid == 0:
            k[x.size](x, 2)
            os._exit(0 if (x == 4).all() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        k[x.size](x, 3)
        assert (x == 6).all()
        print("both")
        """)
    assert out == "both\n"


def test_fork_of_a_device_that_cannot(context):
    if context.backend != "opencl":
        pytest.skip("of opencl alone")
    out = run_python(f"""
        import os, kiln, numpy as np
        context = kiln.Context("opencl")
        k = context.compile({SCALE!r})["f"]
        x = np.ones(16, np.float32)
        k[16](x, 2)
        pid = os.fork()
        if pid == 0:
            try:
                k[16](x, 2)
            except kiln.UnsupportedError as error:
                os._exit(0 if "open another context" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        print("told")
        """)
    assert out == "told\n"


def test_memory_of_ctypes(interp):
    x = (ctypes.c_float * 4)(1, 2, 3, 4)
    scale(interp)[4](x, 2)
    assert list(x) == [2, 4, 6, 8]


def test_array_that_closes_the_queue(context):
    k, queue, x = scale(context), kiln.Queue(context), np.ones(4, np.float32)

    class Closing(Tensor):
        def __dlpack_device__(self):
            queue.close()
            return (1, 0)

    with pytest.raises(kiln.Error, match="closed"):
        k(queue, 4, None, Closing(x), 2)
    assert (x == 1).all()


def test_queue_closed_by_another_thread(host):
    """While launches are enqueued and waited for: each call works, or says that the queue is closed."""
    context = kiln.Context(host)
    k = scale(context)
    alive = []
    for _ in range(20):
        queue = kiln.Queue(context)
        ready = threading.Barrier(4)

        def use():
            x = np.ones(256, np.float32)
            alive.append(weakref.ref(x))
            ready.wait()
            try:
                while True:
                    k(queue, x.size, None, x, 1)
                    queue.finish()
            except kiln.Error as error:
                assert "closed" in str(error)

        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait()
        queue.close()
        for thread in threads:
            thread.join()
    del queue
    gc.collect()
    assert not any(ref() is not None for ref in alive)
