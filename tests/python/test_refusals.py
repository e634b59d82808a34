"""What each check of an argument refuses, next to the nearest that it accepts: tables, one for each kind of argument.

Expectations are NumPy's (flags of arrays), the module struct's (ranges of floats) or follow from C's types."""
import array
import contextlib
import ctypes
import gc
import itertools
import struct
import sys
import weakref

import numpy as np
import pytest

import kiln
from dlpack_tensor import BFLOAT, BOOL, COMPLEX, FLOAT, INT, OPAQUE, UINT, Foreign

FP16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
# Element types of arrays, as NumPy's characters, that a pointer to a type takes.
TAKES = {"char": "b?", "uchar": "B?", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "lq",
         "ulong": "LQ", "half": "e", "float": "f", "double": "d", "char2": "b?", "int2": "i", "int4": "i", "half2": "e",
         "float2": "fF", "float3": "f", "float4": "fF", "float16": "fF", "double2": "dD", "double4": "dD"}
EVERY = "?bBhHiIlLqQefdgFDG"


def zeros(count, char):
    """An array whose memory is aligned as any vector needs it."""
    size = count * np.dtype(char).itemsize
    memory = np.zeros(size + 128, np.uint8)
    return memory[-memory.ctypes.data % 128:][:size].view(char)


def kernel_of(context, *params, body=""):
    return context.compile(f"{FP16}kernel void f({', '.join(params)}) {{ {body} }}")["f"]


# ---- element types

@pytest.mark.parametrize("name", TAKES)
def test_elements(interp, name):
    k = kernel_of(interp, f"global {name} *x", body="if (x) x[0] = x[1];")
    for char in EVERY:
        x = zeros(64, char)
        if char in TAKES[name]:
            k[1](x)
        else:
            with pytest.raises(TypeError, match=r"argument 0 \('x'\): expected an array for .*, got one of"):
                k[1](x)
        if x.itemsize > 1 or char not in TAKES[name]:
            with pytest.raises(TypeError, match="expected an array for|gives no buffer"):
                k[1](x.astype(x.dtype.newbyteorder(">")))
    if not name[-1].isdigit():
        k[1](bytearray(64))  # raw memory
    for other in (np.zeros(64, "S4"), np.zeros(64, "U1"), np.zeros(64, "M8[s]"), np.zeros(64, [("a", "i4")])):
        with pytest.raises(TypeError):
            k[1](other)


def test_other_byte_order(interp):
    for name in ("short", "uint", "long", "half", "float", "double"):
        k = kernel_of(interp, f"global const {name} *x")
        char = TAKES[name][0]
        with pytest.raises(TypeError, match="in the other byte order"):
            k[1](np.zeros(4, ">" + char))
        k[1](np.zeros(4, "<" + char))
        k[1](np.zeros(4, "=" + char))
    kernel_of(interp, "global const char *x")[1](np.zeros(4, ">i1"))  # one byte has no order
    with pytest.raises(TypeError, match="int32 in the other byte order"):
        kernel_of(interp, "global const int *x")[1]((ctypes.c_int32.__ctype_be__ * 4)())
    kernel_of(interp, "global const int *x")[1]((ctypes.c_int32.__ctype_le__ * 4)())


@pytest.mark.parametrize("format", "cbBhHiIlLqQnN?fd")
def test_formats_of_views(interp, format):
    view = memoryview(bytearray(64)).cast(format)
    kind = "iu"[format in "BHILQN"] if format not in "c?fd" else {"c": "i", "?": "b", "f": "f", "d": "f"}[format]
    for name in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"):
        wanted = np.dtype(TAKES[name][0])
        fits = (kind == wanted.kind or (kind == "b" and wanted.kind in "iu")) and view.itemsize == wanted.itemsize
        k = kernel_of(interp, f"global const {name} *x")
        if fits:
            k[1](view)
        else:
            with pytest.raises(TypeError, match="expected an array"):
                k[1](view)
    with pytest.raises(TypeError, match="elements of"):
        kernel_of(interp, "global const int *x")[1](array.array("u", "abcd"))


@pytest.mark.parametrize("name,bytes", [("float2", 8), ("float3", 16), ("float4", 16), ("double2", 16), ("char2", 2),
                                        ("int16", 64), ("half4", 8)])
def test_whole_vectors(interp, name, bytes):
    k = kernel_of(interp, f"global const {name} *x")
    dtype = np.dtype(TAKES.get(name, {"int16": "i", "half4": "e"}.get(name))[0])
    for count in (0, bytes, 3 * bytes):
        k[1](zeros(count // dtype.itemsize, dtype))
    for count in (bytes - dtype.itemsize, bytes + dtype.itemsize):
        with pytest.raises(ValueError, match=f"{count} bytes are no multiple of the {bytes} of '{name}"):
            k[1](zeros(count // dtype.itemsize, dtype))


# ---- views of NumPy, which judges what is contiguous

VIEWS = ["x", "x.T", "x[::2]", "x[:, ::2]", "x[:, 1:3]", "x[1:3]", "x[::-1]", "x[1:2]", "x[1:2].T", "x[:, 1]",
         "x[:, 1:2]", "x[1]", "x[1, 2:3]", "x[1, ::8]", "x[:0, ::2]", "x[None]", "x[:, None]", "x.T.T",
         "x.reshape(2, 4, 8)[:, 0]", "x.reshape(2, 4, 8).transpose(1, 0, 2)", "np.asfortranarray(x)",
         "np.asfortranarray(x[:1])", "np.broadcast_to(x[0], (8, 8)).copy()", "x.ravel()[3:]", "x.ravel()[::-1]",
         "x.view('u4').view('f')"]


@pytest.mark.parametrize("text", VIEWS)
def test_views(interp, text):
    k = kernel_of(interp, "global float *x", body="if (x) x[get_global_id(0)] += 1;")
    view = eval(text, {"np": np, "x": np.zeros((8, 8), np.float32)})
    if view.flags.c_contiguous:
        k[view.size](view)
        assert (view == 1).all()
        if view.size:
            with pytest.raises(kiln.DeviceError, match=f"which has {view.nbytes} bytes"):
                k[view.size + 1](view)
    else:
        with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is not contiguous in the order of C"):
            k[view.size](view)
        assert not view.any()


# ---- DLPack: shape and strides as NumPy judges them, types, places

STRIDES = [((4,), None), ((4,), (1,)), ((4,), (2,)), ((4,), (0,)), ((4,), (-1,)), ((1,), (7,)), ((1,), (0,)),
           ((2, 3), None), ((2, 3), (3, 1)), ((2, 3), (1, 2)), ((2, 3), (4, 1)), ((2, 3), (3, 2)), ((2, 1), (1, 5)),
           ((2, 1), (2, 1)), ((1, 3), (77, 1)), ((1, 3), (77, 2)), ((0, 3), (9, 9)), ((3, 0), (1, 1)), ((), None),
           ((2, 2, 2), (4, 2, 1)), ((2, 2, 2), (4, 1, 2)), ((2, 1, 2), (2, 9, 1)), ((2, 1, 2), (4, 2, 1))]


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("shape,strides", STRIDES)
def test_strides(interp, version, shape, strides):
    k = kernel_of(interp, "global float *x", body="if (x) x[get_global_id(0)] += 1;")
    memory = np.zeros(64, np.float32)
    view = np.lib.stride_tricks.as_strided(memory[32:], shape, strides and [4 * stride for stride in strides])
    tensor = Foreign(memory[32:], shape, strides, version=version)
    if strides is None or view.flags.c_contiguous:
        k[view.size](tensor)
        assert (memory[32:32 + view.size] == 1).all() and memory.sum() == view.size
    else:
        with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is not contiguous"):
            k[1](tensor)
        assert not memory.any()
    assert tensor.deleted == 1


TENSORS = [("float", FLOAT, 32, 1, True), ("float", FLOAT, 64, 1, False), ("float", FLOAT, 16, 1, False),
           ("float", INT, 32, 1, False), ("float", UINT, 32, 1, False), ("float", BOOL, 32, 1, False),
           ("float", COMPLEX, 64, 1, False), ("float", COMPLEX, 32, 1, False), ("float2", COMPLEX, 64, 1, True),
           ("float4", COMPLEX, 64, 1, True), ("float3", COMPLEX, 64, 1, False), ("float2", COMPLEX, 128, 1, False),
           ("double2", COMPLEX, 128, 1, True), ("float", FLOAT, 32, 2, False), ("half", FLOAT, 16, 1, True),
           ("half", BFLOAT, 16, 1, False), ("half", UINT, 16, 1, False), ("int", INT, 32, 1, True),
           ("int", UINT, 32, 1, False), ("uint", UINT, 32, 1, True), ("uint", INT, 32, 1, False),
           ("int", OPAQUE, 32, 1, False), ("int", 200, 32, 1, False), ("int", INT, 31, 1, True),
           ("int", INT, 33, 1, False), ("char", INT, 8, 1, True), ("uchar", BOOL, 8, 1, True),
           ("char", BOOL, 8, 1, True), ("half", BOOL, 16, 1, False), ("long", INT, 64, 1, True),
           ("ulong", UINT, 64, 1, True), ("double", FLOAT, 64, 1, True)]


@pytest.mark.parametrize("name,code,bits,lanes,fits", TENSORS)
def test_types_of_tensors(interp, name, code, bits, lanes, fits):
    k = kernel_of(interp, f"global const {name} *x")
    tensor = Foreign(np.zeros(64, np.uint64), (16,), code=code, bits=bits, lanes=lanes)
    if fits:
        k[1](tensor)
    else:
        with pytest.raises(TypeError, match=r"argument 0 \('x'\): expected an array for"):
            k[1](tensor)
    assert tensor.deleted == 1


def test_places_of_tensors(interp):
    k = kernel_of(interp, "global float *x", body="x[get_global_id(0)] = 1;")
    memory = np.zeros(8, np.float32)
    k[2](Foreign(memory, (2,), byte_offset=8))
    assert memory.tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    with pytest.raises(kiln.DeviceError, match="which has 8 bytes"):
        k[3](Foreign(memory, (2,), byte_offset=8))
    lying = Foreign(memory, device_type=2)  # __dlpack_device__ says that it is the host's
    with pytest.raises(TypeError, match=r"memory of a device \(DLPack type 2\)"):
        k[1](lying)
    never = Foreign(memory, device=(2, 0))
    with pytest.raises(TypeError, match=r"memory of a device \(DLPack type 2\)"):
        k[1](never)
    assert lying.deleted == 1 and never.deleted == 0  # that one was not asked for
    k[1](Foreign(memory, has_deleter=False))
    k[1](Foreign(memory, has_deleter=False, version=1))


class Odd:
    """An array whose DLPack methods do what they are told."""

    def __init__(self, give, device=lambda: (1, 0)):
        self._give, self._device = give, device

    def __dlpack_device__(self):
        return self._device()

    def __dlpack__(self, **options):
        return self._give()


class OnlyCapsule:
    """An array that does not tell where it is."""

    def __init__(self, foreign):
        self.__dlpack__ = foreign.__dlpack__


def test_odd_tensors(interp):
    k = kernel_of(interp, "global float *x", body="x[0] += 1;")
    x = np.zeros(4, np.float32)
    foreign = Foreign(x)
    k[1](OnlyCapsule(foreign))
    assert x[0] == 1 and foreign.deleted == 1
    capsule = foreign.__dlpack__()
    k[1](Odd(lambda: capsule))
    for give in (lambda: capsule, lambda: None, lambda: x):  # taken already, and what is no capsule
        with pytest.raises((ValueError, TypeError)):
            k[1](Odd(give))
    for error in (BufferError, TypeError, KeyError):
        def fail():
            raise error("of the library")
        with pytest.raises(error, match="of the library"):
            k[1](Odd(fail))
        with pytest.raises(error, match="of the library"):
            k[1](Odd(lambda: foreign.__dlpack__(), fail))
    for device in (None, (), 1, ("cpu", 0)):
        with pytest.raises((TypeError, IndexError)):
            k[1](Odd(lambda: foreign.__dlpack__(), lambda: device))
    assert x[0] == 2 and foreign.deleted == 2


# ---- arrays that are only read

ACCESSES = [("x[0] = 1;", True), ("x[0] += 1;", True), ("atomic_inc(x);", True), ("set(x);", True),
            ("if (n) x[0] = 1;", True), ("y[0] = x[0];", False), ("", False), ("y[0] = (x == 0);", False),
            ("y[0] = get(x);", False)]


@pytest.mark.parametrize("body,writes", ACCESSES)
def test_read_only(context, body, writes):
    k = context.compile("void set(global int *x) { x[0] = 1; } int get(global int *x) { return x[0]; }\n"
                        f"kernel void f(global int *x, global int *y, int n) {{ {body} }}")["f"]
    frozen, y = np.zeros(4, np.int32), np.zeros(4, np.int32)
    frozen.flags.writeable = False
    for x in (frozen, bytes(16), memoryview(bytearray(16)).toreadonly().cast("i"),
              Foreign(np.zeros(4, np.int32), code=INT, version=1, flags=1)):
        if writes:
            with pytest.raises(ValueError, match=r"argument 0 \('x'\): the array is read-only"):
                k[1](x, y, 1)
        else:
            k[1](x, y, 1)
    assert not frozen.any()
    for x in (np.zeros(4, np.int32), bytearray(16), Foreign(np.zeros(4, np.int32), code=INT, version=1)):
        k[1](x, y, 1)


# ---- arrays that share memory

@pytest.mark.parametrize("a,b", [((0, 4), (4, 8)), ((0, 5), (4, 8)), ((0, 8), (0, 8)), ((0, 8), (2, 4)),
                                 ((4, 8), (0, 4)), ((4, 8), (0, 5)), ((0, 4), (0, 8))])
def test_shared_memory(context, a, b):
    """Each work-item has an element of one, and then of the other; a device with copies refuses those that overlap."""
    k = context.compile("kernel void f(global int *x, global int *y) { x[0] += 10; y[0] += 100; }")["f"]
    reads = context.compile("kernel void f(global const int *x, global const int *y, global int *z) { *z = *x + *y; }")
    memory, z = np.arange(8, dtype=np.int32), np.zeros(1, np.int32)
    want = memory.copy()
    want[a[0]] += 10
    want[b[0]] += 100
    overlap = max(a[0], b[0]) < min(a[1], b[1])
    reads["f"][1](memory[slice(*a)], memory[slice(*b)], z)
    assert z[0] == memory[a[0]] + memory[b[0]]
    try:
        k[1](memory[slice(*a)], memory[slice(*b)])
    except kiln.InvalidError as error:
        assert "overlap" in str(error) and overlap and a != b and context.backend not in ("cpu", "interp")
    else:
        assert memory.tolist() == want.tolist()


# ---- numbers

HALF, SINGLE = 65504.0, float(np.finfo("f").max)
FLOATS = {"half": ("<e", [HALF, 65519.99, 65520.0, -65519.99, -65520.0, 65536.0, 6e-8, 2e-8, -0.0, float("inf"),
                          1e300]),
          "float": ("<f", [SINGLE, 3.4028235677973362e38, 3.4028235677973366e38, -3.4028235677973366e38, 1e39, 1e-45,
                           1e-46, -0.0, float("-inf"), 1e300]),
          "double": ("<d", [1.7976931348623157e308, 5e-324, -0.0, float("inf")])}


@pytest.mark.parametrize("name", FLOATS)
def test_floats(interp, name):
    format, numbers = FLOATS[name]
    k = kernel_of(interp, f"global {name} *x", f"{name} a", f"{name}2 v", body="x[0] = a; x[1] = v.x; x[2] = v.y;")
    for number in numbers:
        x = np.zeros(3, format)
        try:
            want = struct.pack(format, number)
        except OverflowError:
            for args in ((number, (0, 0)), (0, (0, number))):
                with pytest.raises(OverflowError, match=f"is out of the range of '{name}"):
                    k[1](x, *args)
        else:
            k[1](x, number, (1, number))
            assert x[0].tobytes() == x[2].tobytes() == want, number


NUMBERS = [(True, "if"), (np.bool_(True), "f"), (1, "if"), (np.int8(1), "if"), (np.uint64(1), "if"), (1.0, "f"),
           (np.float32(1), "f"), (np.float16(1), "f"), ("1", ""), (b"1", ""), (None, ""), ([1], ""), ((1,), ""),
           (1j, ""), (np.array(1), "if"), (np.array(1.0), "f"), (object(), "")]


@pytest.mark.parametrize("number,kinds", NUMBERS, ids=[repr(n)[:12] for n, _ in NUMBERS])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_kinds_of_numbers(interp, number, kinds):
    for name in ("char", "uint", "long", "half", "float", "double"):
        k = kernel_of(interp, f"global {name} *x", f"{name} a", body="*x = a;")
        x = np.zeros(1, TAKES[name][0])
        kind = "f" if x.dtype.kind == "f" else "i"
        if kind in kinds:
            k[1](x, number)
            assert x[0] == 1
        elif not isinstance(number, np.bool_):  # which older NumPys take for an index
            with pytest.raises(TypeError, match=r"argument 1 \('a'\): expected a"):
                k[1](x, number)


@pytest.mark.parametrize("name,lanes", [("int2", 2), ("int3", 3), ("int4", 4), ("float8", 8), ("char16", 16)])
def test_vectors(interp, name, lanes):
    k = kernel_of(interp, "global int *x", f"{name} a", body=f"for (int i = 0; i < {lanes}; i++) x[i] = ((private "
                  f"{name.rstrip('0123456789')} *)&a)[i];")
    x, numbers = np.zeros(lanes, np.int32), list(range(1, lanes + 1))
    for good in (numbers, tuple(numbers), np.array(numbers), range(1, lanes + 1), bytes(numbers)):
        x[:] = 0
        k[1](x, good)
        assert x.tolist() == numbers
    for bad in (numbers[1:], numbers + [1], (), []):
        with pytest.raises(ValueError, match=f"expected a sequence of {lanes} numbers for '{name}', got {len(bad)}"):
            k[1](x, bad)
    for bad in (1, None, set(numbers), iter(numbers), "1" * lanes, [None] * lanes, [[1]] * lanes, [*numbers[1:], "1"]):
        with pytest.raises(TypeError, match=r"argument 1 \('a'\): expected a"):
            k[1](x, bad)


def test_structs(interp):
    k = interp.compile("struct s { int a; short b; };\n"
                       "kernel void f(global int *x, struct s v) { *x = v.a + v.b; }")["f"]
    x = np.zeros(1, np.int32)
    dtype = np.dtype([("a", "i4"), ("b", "i2")], align=True)
    Struct = type("Struct", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_int), ("b", ctypes.c_short)]})
    for good in (np.array((5, 6), dtype), np.array([(5, 6)], dtype)[0], Struct(5, 6), struct.pack("<ihh", 5, 6, 0),
                 bytearray(struct.pack("<ihh", 5, 6, 0))):
        x[0] = 0
        k[1](x, good)
        assert x[0] == 11
    for size in (0, 7, 9, 16):
        with pytest.raises(ValueError, match=f"expected 8 bytes for '.*', got {size}"):
            k[1](x, bytes(size))
    for bad in (5, None, "12345678", [5, 6], memoryview(bytes(16))[::2]):
        with pytest.raises(TypeError, match="expected an object with the bytes of a struct"):
            k[1](x, bad)


def test_local_memory(interp):
    k = kernel_of(interp, "global int *x", "local int *t", body="t[0] = 7; *x = t[0];")
    x = np.zeros(1, np.int32)
    for good in (4, np.uint8(4), 4096):
        x[0] = 0
        k[1](x, good)
        assert x[0] == 7
    for bad in (4.0, "4", None, b"1234", [4]):
        with pytest.raises(TypeError, match="expected the number of bytes of local memory"):
            k[1](x, bad)
    for bad in (-1, 2**64):
        with pytest.raises(OverflowError):
            k[1](x, bad)


# ---- how many arguments, and which

def test_counts_and_names(interp):
    k = kernel_of(interp, "global int *x", "int a", "int b", body="*x = a * 10 + b;")
    x = np.zeros(1, np.int32)
    for args, named in (((x, 1, 2), {}), ((x, 1), {"b": 2}), ((x,), {"b": 2, "a": 1}), ((), {"a": 1, "b": 2, "x": x})):
        x[0] = 0
        k[1](*args, **named)
        assert x[0] == 12
    for given in (0, 1, 2, 4, 5):
        with pytest.raises(TypeError, match=f"takes 3 arguments, got {given}"):
            k[1](*[x, 1, 2, 3, 4][:given])
    for args, named, match in (((x, 1, 2), {"b": 2}, "'b'. is given twice"), ((x, 1), {"a": 2}, "'a'. is given twice"),
                               ((x,), {"a": 2}, "takes 3 arguments, got 2"), ((x, 1), {"c": 2}, "no argument 'c'"),
                               ((x, 1), {"": 2}, "no argument ''")):
        with pytest.raises(TypeError, match=match):
            k[1](*args, **named)
    many = kernel_of(interp, "global int *x", *(f"int a{i}" for i in range(20)),
                     body=f"*x = {' + '.join(f'a{i}' for i in range(20))};")
    many[1](x, *range(20))
    assert x[0] == 190
    many[1](x, *range(10), **{f"a{i}": i for i in range(19, 9, -1)})
    assert x[0] == 190


# ---- macros

def test_macros(interp):
    """Each integer of 64 bits has a spelling that means it, and a type that holds it."""
    numbers = [sign * (2**bits + step) for bits in (0, 7, 31, 32, 40, 63) for step in (-1, 0, 1) for sign in (1, -1)]
    numbers = [n for n in numbers if -2**63 <= n < 2**64] + [2**64 - 1]
    defines = {f"N{i}": number for i, number in enumerate(numbers)}
    text = " ".join(f"o[{i}] = N{i}; o[{i + len(numbers)}] = N{i} < 0;" for i in range(len(numbers)))
    o = np.zeros(2 * len(numbers), np.uint64)
    interp.compile(f"kernel void f(global ulong *o) {{ {text} }}", defines=defines)["f"][1](o)
    assert o.tolist() == [n % 2**64 for n in numbers] + [n < 0 for n in numbers]
    for number in (2**64, -2**63 - 1, 10**30):
        with pytest.raises(OverflowError, match="the macro 'N' is .*, which no integer of 64 bits holds"):
            interp.compile("", defines={"N": number})


# ---- sizes

def test_sizes(interp):
    k = kernel_of(interp, "global int *x", body="atomic_inc(x);")

    def count(launch):
        x = np.zeros(1, np.int32)
        launch(x)
        return x[0]

    for size, items in ((3, 3), ((3,), 3), ([3], 3), ((3, 2), 6), ((3, 2, 2), 12), (np.uint16(3), 3), (True, 1),
                        (0, 0)):
        assert count(k[size, None]) == items
    for size in (-1, 2**64, (), (1, 1, 1, 1), (1, -1), (1, 2**64)):
        with pytest.raises(ValueError):
            k[size, None]
        with pytest.raises(ValueError):
            k.bind(4, None, size)
    for size in (None, 1.0, "1", (1, None), (1, 1.0), {1}):
        with pytest.raises(TypeError):
            k[size, None]
    for size, local in ((4, 2), (4, (2,)), ((4, 2), (2, 2)), ((4, 2, 1), [1, 2, 1])):
        assert count(k[size, local]) == np.prod(size)
    for size, local in ((4, (2, 1)), ((4, 2), 2), ((4, 2), (2, 2, 1)), ((4, 2, 1), (2, 2)), (4, 0), ((4, 4), (2, 0)),
                        (4, ()), (4, -1), (4, (1, 1, 1, 1))):
        with pytest.raises(ValueError):
            k[size, local]
    assert count(k[5, 2]) == 5  # the last group is smaller
    assert count(k.bind(3, None, 2**62)) == count(k.bind((3, 1), (1, 1), (1, 2))) == 3
    with pytest.raises(kiln.InvalidError, match="dimension 1"):
        k.bind(3, None, (1, 2))(np.zeros(1, np.int32))


def test_queues(interp):
    k = kernel_of(interp, "global int *x", body="*x += 1;")
    x = np.zeros(1, np.int32)
    with kiln.Queue(interp) as queue:
        for call in (lambda: k(queue, 1, None, x), lambda: k[1].enqueue(queue, x), lambda: k(queue, 1, None, x=x)):
            call().wait()
        assert x[0] == 3
        for args in ((), (1,), (x, 1, None), (None, 1, None, x)):
            with pytest.raises(TypeError, match="first argument is a Queue"):
                k(*args)
            with pytest.raises(TypeError, match="first argument is a Queue"):
                k[1].enqueue(*args)
        for args in ((queue,), (queue, 1)):
            with pytest.raises(TypeError, match="three arguments before"):
                k(*args)
        with pytest.raises(TypeError, match="takes 1 argument, got 0"):
            k(queue, 1, None)
        with pytest.raises(TypeError, match="global size is None"):
            k(queue, None, None, x)
        for good in (None, 0, 1, 0.5, 1e300, float("inf")):
            queue.set_deadline(good)
        queue.set_deadline(None)
        for bad, error in ((-1, ValueError), (-1e-9, ValueError), (float("nan"), ValueError), ("1", TypeError)):
            with pytest.raises(error):
                queue.set_deadline(bad)
        with pytest.raises(TypeError, match="takes an Event"):
            queue.wait(queue)


def test_buffers(context):
    for size in (0, -1):
        with pytest.raises(kiln.InvalidError, match="a size of"):
            kiln.Buffer(context, size)
    for size, error in ((1.0, TypeError), (2**63, OverflowError), ("4", TypeError)):
        with pytest.raises(error):
            kiln.Buffer(context, size)
    assert len(kiln.Buffer(context, 1)) == 1
    with pytest.raises(kiln.Error):
        kiln.Buffer(context, 4, device=1000)
    buffer = kiln.Buffer(context, 16)
    buffer.write(np.arange(16, dtype=np.uint8))
    part = np.zeros(4, np.uint8)
    for offset in (0, 12):
        buffer.read(part, offset)
        assert part.tolist() == list(range(offset, offset + 4))
        buffer.write(part, offset)
    buffer.read(np.zeros(0, np.uint8), 16)
    for call, offset in itertools.product((buffer.read, buffer.write), (13, 16, 17, -1, 2**62)):
        with pytest.raises(kiln.InvalidError):
            call(part, offset)
    frozen = np.zeros(4, np.uint8)
    frozen.flags.writeable = False
    buffer.write(frozen)
    for call, bad in ((buffer.read, frozen), (buffer.read, np.zeros(8, np.uint8)[::2]), (buffer.read, b"1234"),
                      (buffer.write, np.zeros(8, np.uint8)[::2])):
        with pytest.raises((ValueError, BufferError)):
            call(bad)
    for call in (buffer.read, buffer.write):
        with pytest.raises(TypeError):
            call([1, 2])
    k = context.compile("kernel void f(global int *x) { x[0] = 1; }")["f"]
    k[1](buffer)
    other = kiln.Context("interp")
    with pytest.raises(kiln.InvalidError):
        kernel_of(other, "global int *x", body="x[0] = 1;")[1](buffer)


# ---- lifetimes: a queue keeps what it was given until it is asked again after the launch has run

def test_what_a_queue_keeps(context):
    k = context.compile("kernel void f(global int *a, global int *b, global int *c, global int *d, global int *e) {"
                        "a[0] += 1; b[0] += 1; c[0] += 1; d[0] += 1; e[0] += 1; }")["f"]
    with kiln.Queue(context) as queue:
        x, data, buffer = np.zeros(4, np.int32), bytearray(16), kiln.Buffer(context, 16)
        tensor, versioned = (Foreign(np.zeros(4, np.int32), code=INT, version=v) for v in (0, 1))
        alive, counts = weakref.ref(x), sys.getrefcount(buffer)
        k(queue, 1, None, x, data, buffer, tensor, versioned)
        del x
        gc.collect()
        # None of these calls looks whether the launches have run.
        kept = alive() is not None
        with pytest.raises(BufferError):
            data.append(0)
        assert kept and sys.getrefcount(buffer) == counts + 1 and not tensor.deleted and not versioned.deleted
        queue.finish()
        assert alive() is None and tensor.deleted == versioned.deleted == 1 and sys.getrefcount(buffer) == counts
        data.append(0)


def test_nothing_is_kept_after_a_call(context):
    """Neither by launches that worked nor by those that were refused, whichever argument it was."""
    k = context.compile("kernel void f(global int *x, global int *y, int n) { x[0] = y[0] + n; }")["f"]
    x, y, data, buffer = np.zeros(4, np.int32), np.zeros(4, np.int32), bytearray(16), kiln.Buffer(context, 16)
    objects = x, y, data, buffer
    with kiln.Queue(context) as queue:
        before = [sys.getrefcount(o) for o in objects]
        for first, second in itertools.permutations(objects, 2):
            tensor = Foreign(np.zeros(4, np.int32), code=INT)
            k[1](first, second, 1)
            for args in ((first, second, "1"), (first, 1.5, 1), (tensor, first, 2**31), (first, second),
                         (first, np.zeros(4, np.float32), 1), (first, np.zeros((4, 4), np.int32)[:, 1], 1)):
                with pytest.raises((TypeError, ValueError, OverflowError)):
                    k[1](*args)
                with pytest.raises((TypeError, ValueError, OverflowError)):
                    k(queue, 1, None, *args)
            assert tensor.deleted == 2
        data.append(0)
        del first, second, args
        assert [sys.getrefcount(o) for o in objects] == before


# ---- elementwise and reduce

def test_elements_of_expressions(interp):
    f, total = kiln.elementwise("x + 0", context=interp), kiln.reduce("+", context=interp)
    for char in EVERY:
        x = np.ones(4, char)
        if char in "gFDG":
            for call in (f, total):
                with pytest.raises(TypeError):
                    call(x)
        else:
            assert (f(x) == 1).all() and total(x) == 4
    for bad in (np.array(["a"]), np.array([None]), np.zeros(4, "M8[s]"), np.zeros(4, [("a", "i4")]), "abc", None,
                [[1], 2]):
        with pytest.raises((TypeError, ValueError)):
            f(bad)


AXES = [None, 0, 1, 2, -1, -3, (0,), (0, 1), (1, 0), (2, 0), (-1, 0), (0, 1, 2), (2, 1, 0), (), np.int8(1)]


def test_axes(interp):
    x = np.arange(24).reshape(2, 3, 4)
    total = kiln.reduce("+", context=interp)
    for axis in AXES:
        want = x.sum(axis=axis)
        result = total(x, axis=axis)
        assert np.shape(result) == np.shape(want) and (result == want).all(), axis
        assert np.shape(total(x, axis=axis, keepdims=True)) == x.sum(axis=axis, keepdims=True).shape
    for axis in (3, -4, (0, 3), (0, 0), (0, -3), (1, 1, 2)):
        with pytest.raises(ValueError):
            total(x, axis=axis)
    for axis in (1.0, "0", [0], (0, None)):
        with pytest.raises(TypeError):
            total(x, axis=axis)
    for axis in ((0, 1), (0,)):
        with pytest.raises(TypeError) if len(axis) > 1 else contextlib.nullcontext():
            kiln.reduce("argmax", context=interp)(x, axis=axis)


def test_numbers_one_after_the_other(interp):
    """The types of NumPy follow from each number, whatever numbers came before it."""
    for char in "bBhf":
        f, x = kiln.elementwise("x + a", context=interp), np.arange(4).astype(char)
        for number in (2, 200, -2, 70000, -70000, 2.5, 1e300, True, 2, np.float32(1), np.int64(1), 2**40, 0):
            with np.errstate(all="ignore"):
                try:
                    want = x + number
                except OverflowError:
                    with pytest.raises(OverflowError):
                        f(x, number)
                    continue
            result = f(x, number)
            assert result.dtype == want.dtype and (result == want).all(), (char, number)


def test_powers(interp):
    f, x = kiln.elementwise("x ** y", context=interp), np.array([2, 3])
    assert f(x, np.array([1, 0])).tolist() == [2, 1]
    for y in (np.array([1, -1]), np.array([-1, 0]), -1):
        with pytest.raises(ValueError, match="negative integer powers"):
            f(x, y)
    assert f(x, np.array([-1.0, 1])).tolist() == [0.5, 3]


OUTS = [("x + 1", "i", "i", True), ("x + 1", "i", "q", True), ("x + 1", "i", "h", True), ("x + 1", "i", "d", True),
        ("x + 1", "i", "I", False), ("x + 1", "i", "?", False), ("x * 0.5", "f", "f", True),
        ("x * 0.5", "f", "e", True), ("x * 0.5", "d", "f", True), ("x * 0.5", "f", "q", False),
        ("x > 1", "i", "?", True), ("x > 1", "i", "b", True)]


@pytest.mark.parametrize("text,given,held,fits", OUTS)
def test_out(interp, text, given, held, fits):
    f, x, out = kiln.elementwise(text, context=interp), np.arange(4).astype(given), np.zeros(4, held)
    assert fits == np.can_cast(f(x).dtype, held, "same_kind")
    if fits:
        assert f(x, out=out) is out and (out == f(x).astype(held)).all()
    else:
        with pytest.raises(TypeError, match="cannot hold"):
            f(x, out=out)
    for shape in ((3,), (5,), (1, 4), (4, 1), ()):
        with pytest.raises((ValueError, TypeError)):
            f(x, out=np.zeros(shape, held))
    frozen = np.zeros(4, held)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        f(x, out=frozen)
    assert not frozen.any()


def test_how_many_outs(interp):
    x, a, b = np.arange(4), np.zeros(4, int), np.zeros(4, int)
    f = kiln.elementwise("x", "x * 2", context=interp)
    for outs in ((a,), (a, b, a), ()):
        with pytest.raises(ValueError, match="arrays for 2 results"):
            f(x, out=outs)
    first, second = f(x, out=(a, None))
    assert first is a and (second == x * 2).all()


def test_out_over_its_arguments(interp):
    """As if all were computed before anything is written, whatever shares memory."""
    for x_of, y_of, out_of in ((slice(0, 8), slice(1, 9), slice(1, 9)), (slice(0, 8), slice(1, 9), slice(0, 8)),
                               (slice(2, 10), slice(0, 8), slice(1, 9))):
        memory = np.arange(10)
        want = memory.copy()
        want[out_of] = memory[x_of] + memory[y_of]
        kiln.elementwise("x + y", context=interp)(memory[x_of], memory[y_of], out=memory[out_of])
        assert memory.tolist() == want.tolist()
    memory = np.arange(1, 9, dtype=np.int32)  # elements of another size
    kiln.elementwise("x + 1", context=interp)(memory[:4], out=memory.view(np.int64))
    assert memory.view(np.int64).tolist() == [2, 3, 4, 5]
    a = np.arange(8)  # two results in the same memory: the second stays
    kiln.elementwise("x + 10", "x + 20", context=interp)(np.arange(7), out=(a[:7], a[1:]))
    assert a.tolist() == [10, *range(20, 27)]
