"""Launches: results, sizes, named arguments, several arrays, vectors and structs, printf."""
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import kiln

SCALE = "kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }"


def test_first_example():
    k = kiln.compile(SCALE)["f"]
    x = np.ones(1000, np.float32)
    k[1000](x, 3.0)
    assert (x == 3).all()


def test_every_backend(context):
    k = context.compile(SCALE)["f"]
    x = np.arange(100, dtype=np.float32)
    k[100](x, 2)
    k[50](x, 2)
    want = np.arange(100, dtype=np.float32) * 2
    want[:50] *= 2
    assert (x == want).all()


def test_queue_and_event(context):
    k = context.compile(SCALE)["f"]
    x = np.ones(1000, np.float32)
    with kiln.Queue(context) as queue:
        events = [k(queue, 1000, None, x, 2) for _ in range(5)]
        events[-1].wait()
        assert events[-1].done
        assert (x == 32).all()
        times = events[0].times
        assert times.enqueued_ns <= times.started_ns <= times.ended_ns
        assert events[0].seconds == times.seconds >= 0


def test_sizes(context):
    source = """kernel void f(global int *out) {
      size_t i = get_global_id(0) - get_global_offset(0) + get_global_size(0) * (get_global_id(1) - get_global_offset(1));
      out[i] = get_global_id(0) * 10000 + get_global_id(1) * 100 + get_local_size(0) * 10 + get_local_size(1); }"""
    k = context.compile(source)["f"]
    out = np.zeros(24, np.int32)
    k[(6, 4), (3, 2)](out)
    assert out.reshape(4, 6)[3, 5] == 50332
    k.bind((6, 4), (3, 2), (1, 2))(out)
    assert out.reshape(4, 6)[3, 5] == 60532
    k[(6, 4), None](out)
    assert (out.reshape(4, 6)[2] // 100 == np.arange(6) * 100 + 2).all()


def test_bad_sizes(interp):
    k = interp.compile(SCALE)["f"]
    x = np.ones(4, np.float32)
    with pytest.raises(TypeError, match="local may be None"):
        k[2, 2, 2]
    with pytest.raises(ValueError, match=r"kernel\[\(width, height\), None\]"):
        k[(2, 2), 2]
    with pytest.raises(ValueError, match="not -1"):
        k[-1]
    with pytest.raises(TypeError, match="not 1.5"):
        k[1.5]
    with pytest.raises(ValueError, match="4 dimensions"):
        k[(1, 1, 1, 1), None]
    with pytest.raises(kiln.InvalidError, match="larger than"):
        k[1 << 30, 1 << 30](x, 1)
    k[0](x, 5)
    assert (x == 1).all()


def test_named_arguments(interp):
    k = interp.compile(SCALE)["f"]
    x = np.ones(4, np.float32)
    k[4](a=2, x=x)
    k[4](x, a=2)
    assert (x == 4).all()
    with pytest.raises(TypeError, match="has no argument 'b': it has x, a"):
        k[4](x, b=2)


def test_values_of_every_type(context):
    source = """typedef struct { float x; int y; } pair;
      kernel void f(global double *o, char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul, float f,
                    double d, float4 v, int3 w, ulong n, pair p) {
        o[0] = c; o[1] = uc; o[2] = s; o[3] = us; o[4] = i; o[5] = u; o[6] = l; o[7] = ul; o[8] = f; o[9] = d;
        o[10] = v.x + v.w; o[11] = w.z; o[12] = n; o[13] = p.x; o[14] = p.y; }"""
    k = context.compile(source)["f"]
    out = np.zeros(15)
    pair = np.array([(1.5, 7)], dtype=[("x", "f4"), ("y", "i4")])
    k[1](out, -128, 255, -32768, 65535, -(2**31), 2**32 - 1, -(2**40), 2**52, 0.5, np.float64(0.1),
         (1, 2, 3, 4), [5, 6, 7], np.int64(9), pair[0])
    assert out.tolist() == [-128, 255, -32768, 65535, -(2**31), 2**32 - 1, -(2**40), 2**52, 0.5, 0.1, 5, 7, 9, 1.5, 7]


def test_half(interp):
    k = interp.compile("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                       "kernel void f(global half *x, half a) { x[0] += a; }")["f"]
    x = np.array([1], np.float16)
    k[1](x, 0.5)
    assert x[0] == 1.5
    with pytest.raises(OverflowError, match="half"):
        k[1](x, 1e6)


def test_local_memory(context):
    source = """kernel void f(global int *x, local int *t) {
      size_t i = get_local_id(0), n = get_local_size(0);
      t[i] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = t[n - 1 - i]; }"""
    x = np.arange(8, dtype=np.int32)
    k = context.compile(source)["f"]
    k[8, 4](x, 16)
    assert x.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    with pytest.raises(TypeError, match=r"\('t'\): expected the number of bytes of local memory for 'int\*', got str"):
        k[8, 4](x, "16")


def test_one_array_twice(context):
    k = context.compile("kernel void f(global int *x, global int *y) { x[get_global_id(0)] += y[get_global_id(0)]; }")
    x = np.arange(8, dtype=np.int32)
    k["f"][8](x, x)
    assert x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_empty_arrays_and_null(context):
    k = context.compile("kernel void f(global int *x, global int *y) { if (x) x[0] = y == 0; }")["f"]
    x = np.zeros(1, np.int32)
    k[1](x, None)
    assert x[0] == 1
    x[0] = 0
    k[1](x, np.zeros(0, np.int32))
    assert x[0] == 1


def test_printf(context, capsys):
    k = context.compile('kernel void f(int n) { printf("item %d of %d\\n", (int)get_global_id(0), n); }')["f"]
    k[1](7)
    if context.backend != "opencl":  # PoCL writes to the process's output itself
        assert capsys.readouterr().out == "item 0 of 7\n"


def test_print_callback():
    pieces = []
    context = kiln.Context("interp", print=pieces.append)
    context.compile('kernel void f() { printf("%s %d|", "é", (int)get_global_id(0)); }')["f"][3]()
    assert "".join(pieces) == "é 0|é 1|é 2|"


def test_threads(context):
    k = context.compile(SCALE)["f"]
    arrays = [np.ones(100, np.float32) for _ in range(4)]

    def work(x):
        for _ in range(50):
            k[100](x, 1.01)

    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = np.ones(100, np.float32)
    for _ in range(50):
        want *= np.float32(1.01)
    for x in arrays:
        assert np.allclose(x, want, rtol=1e-6)


def test_device_buffer(context):
    k = context.compile(SCALE)["f"]
    x = np.arange(10, dtype=np.float32)
    buffer = kiln.Buffer(context, x.nbytes)
    assert len(buffer) == buffer.nbytes == 40
    buffer.write(x)
    k[10](buffer, 3)
    back = np.empty_like(x)
    buffer.read(back)
    assert (back == x * 3).all()
    buffer.read(back[:2], offset=8)
    assert back[:2].tolist() == [6, 9]
    if context.devices[0].host_memory and context.backend != "opencl":
        assert np.frombuffer(buffer, np.float32).tolist() == (x * 3).tolist()
    with pytest.raises(kiln.InvalidError, match="do not fit"):
        buffer.write(x, offset=8)


def test_profile(context):
    k = context.compile(SCALE)["f"]
    x = np.ones(1000, np.float32)
    with kiln.profile() as launches:
        k[1000](x, 2)
        with kiln.Queue(context) as queue:
            k(queue, 1000, None, x, 2)
    k[1000](x, 2)
    assert [name for name, _ in launches] == ["f", "f"]
    assert all(times.started_ns <= times.ended_ns and times.seconds >= 0 for _, times in launches)


def test_cache_stats(tmp_path):
    first = kiln.Context("interp", cache_dir=str(tmp_path), cache_mode="rw")
    first.compile(SCALE)
    first.compile(SCALE)
    stats = first.cache_stats()
    assert (stats.compiles, stats.memory_hits, stats.stores) == (1, 1, 1)
    second = kiln.Context("interp", cache_dir=str(tmp_path), cache_mode="rw")
    assert second.compile(SCALE).info.cache == "disk"
    assert second.cache_stats().disk_hits == 1


def test_a_warm_start_loads_no_compiler(tmp_path):
    text = f"""
import kiln, numpy as np
x = np.ones(8, np.float32)
kiln.compile({SCALE!r})["f"][8](x, 3)
assert (x == 3).all()
print("kiln-llvm" in open("/proc/self/maps").read())
"""
    env = {**os.environ, "COMPILE_CACHE_DIR": str(tmp_path), "COMPILE_CACHE": "rw"}
    for _ in range(2):
        out = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True).stdout
    assert out == "False\n"


def test_defines(context):
    source = """
        kernel void f(global long *o) {
            T t = 0;
            o[0] = FLAG + N + BEFORE + (t - 1 > 0);
            o[1] = LEAST; o[2] = sizeof(LEAST); o[3] = LEAST_LONG; o[4] = MOST == ULONG_MAX;
            o[5] = YES * 2 + NO; o[6] = sizeof(HALF); o[7] = sizeof(SMALL);
            o[8] = HALF == 0.5 && SMALL == 0.1f && BIG == 1e300 && INF == -INFINITY && NINE == 9 && TINY == 1e-7;
            constant char *text = TEXT;
            o[9] = text[0] == 'a' && text[2] == '\\\\' && text[5] == 0;
        }"""
    out = np.full(10, -1, np.int64)
    defines = {"FLAG": None, "T": "unsigned int", "N": 4, "LEAST": -2**31, "LEAST_LONG": -2**63, "MOST": 2**64 - 1,
               "YES": True, "NO": np.bool_(False), "HALF": 0.5, "SMALL": np.float32(0.1), "BIG": 1e300,
               "INF": -float("inf"), "NINE": np.int16(9), "TINY": 1e-7, "TEXT": '"a \\\\ b"'}
    context.compile(source, "-DBEFORE=1", defines=defines)["f"][1](out)
    assert out.tolist() == [7, -2**31, 4, -2**63, 1, 2, 8, 4, 1, 1]
    for wrong, error in (({"N": [1]}, TypeError), ({"N": 1j}, TypeError), ({1: 1}, TypeError), ([], TypeError),
                         ({"N": 2**64}, OverflowError), ({"N": -2**63 - 1}, OverflowError), ({"A=B": 1}, ValueError),
                         ({"A B": 1}, kiln.InvalidError)):
        with pytest.raises(error, match="compile: |no macro name"):
            context.compile(source, defines=wrong)
