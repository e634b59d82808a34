"""Arrays on a device with memory of its own, which gets copies of them: a stand-in for AMD's runtime (tests/rocm) or,
with KILN_TEST_DEVICE=cuda, for NVIDIA's driver (tests/cuda)."""
import gc
import os
import weakref

import numpy as np
import pytest

import kiln
from conftest import open_context


@pytest.fixture(scope="module")
def device():
    context = open_context(os.environ.get("KILN_TEST_DEVICE", "rocm"))
    assert not context.devices[0].host_memory
    return context


def moved(context, launch):
    """The bytes that a launch copied to the device and from it."""
    before = context.stats()
    launch()
    after = context.stats()
    return after.written_bytes - before.written_bytes, after.read_bytes - before.read_bytes


# Ranges of one array of eight, as the arguments x and y.
SHARES = [((0, 4), (4, 8)), ((4, 8), (0, 4)), ((0, 5), (4, 8)), ((4, 8), (0, 5)), ((0, 8), (2, 4)), ((2, 4), (0, 8)),
          ((0, 4), (0, 8)), ((0, 8), (0, 8)), ((2, 3), (3, 4)), ((2, 4), (3, 4))]
KERNELS = {"both": "x[0] += 10; y[0] += 100;", "first": "x[0] += 10 + 0 * y[0];", "second": "y[0] += 100 + 0 * x[0];",
           "neither": "z[0] = x[0] + y[0];"}


@pytest.mark.parametrize("which", KERNELS)
@pytest.mark.parametrize("a,b", SHARES)
def test_arrays_that_share_memory(device, which, a, b):
    """Copies of what overlaps would lose what the kernel writes; one copy serves the same array twice."""
    k = device.compile(f"kernel void f(global int *x, global int *y, global int *z) {{ {KERNELS[which]} }}")["f"]
    memory, z = np.arange(8, dtype=np.int32), np.zeros(1, np.int32)
    want = memory.copy()
    want[a[0]] += 10 * (which in ("both", "first"))
    want[b[0]] += 100 * (which in ("both", "second"))
    overlap = max(a[0], b[0]) < min(a[1], b[1]) and a != b
    with kiln.Queue(device) as queue:
        for launch in (k[1], lambda *args: k(queue, 1, None, *args).wait()):
            memory[:] = range(8)
            if overlap and which != "neither":
                with pytest.raises(kiln.InvalidError, match="two arrays overlap, and the kernel writes to them"):
                    launch(memory[slice(*a)], memory[slice(*b)], z)
                assert memory.tolist() == list(range(8))
            else:
                launch(memory[slice(*a)], memory[slice(*b)], z)
                assert memory.tolist() == want.tolist()


COPIES = [("x[0] = y[0];", 16), ("y[0] = x[0];", 16), ("x[0] = 1; y[0] = 2;", 32), ("z[0] = x[0] + y[0];", 4),
          ("x[0]; y[0];", 0)]


@pytest.mark.parametrize("body,back", COPIES)
def test_only_what_is_written_comes_back(device, body, back):
    k = device.compile(f"kernel void f(global int *x, global int *y, global int *z) {{ {body} }}")["f"]
    x, y, z = (np.zeros(n, np.int32) for n in (4, 4, 1))
    with kiln.Queue(device) as queue:
        for launch in (k[1], lambda *args: k(queue, 1, None, *args).wait()):
            assert moved(device, lambda: launch(x, y, z))[1] == back
            assert moved(device, lambda: launch(x, x, z))[1] == min(back, 16)  # once


def test_launches_in_a_queue_see_what_those_before_wrote(device):
    kernel = device.compile("kernel void f(global int *x) { x[get_global_id(0)] *= 2; }")["f"]
    for size in (16, 100000):  # small transfers go another way than large ones
        x = np.ones(size, np.int32)
        with kiln.Queue(device) as queue:
            events = [kernel(queue, size, None, x) for _ in range(5)]
            events[-1].wait()
            assert (x == 32).all()


def test_the_same_array_as_a_source_and_a_result(device):
    k = device.compile("kernel void f(global const int *x, global int *y) { y[0] = x[1] + 1; }")["f"]
    for shuffled in (lambda x: (x, x), lambda x: (x, x[:])):
        x = np.array([1, 2, 3], np.int32)
        k[1](*shuffled(x))
        assert x.tolist() == [3, 2, 3]


def test_memory_of_the_device_is_no_copy(device):
    k = device.compile("kernel void f(global int *x) { x[0] += 1; }")["f"]
    buffer, result = kiln.Buffer(device, 16), np.full(4, 5, np.int32)
    buffer.write(result)
    assert moved(device, lambda: k[1](buffer)) == (0, 0)
    buffer.read(result)
    assert result.tolist() == [6, 5, 5, 5]
    with pytest.raises(BufferError, match="memory of the device"):
        memoryview(buffer)
    assert buffer.__dlpack_device__() == ({"cuda": 2, "rocm": 10}[device.backend], 0)


def test_arrays_are_kept_until_they_are_back(device):
    k = device.compile("kernel void f(global int *x, global int *y) { x[0] = 7; y[0] = 8; }")["f"]
    with kiln.Queue(device) as queue:
        x, data = np.zeros(4, np.int32), bytearray(16)
        alive = weakref.ref(x)
        k(queue, 1, None, x, data)
        view = x[:1]
        del x
        gc.collect()
        assert alive() is not None
        with pytest.raises(BufferError):
            data.append(0)
        queue.finish()
        assert view[0] == 7 and data[0] == 8
        del view
        gc.collect()
        assert alive() is None
        data.append(0)


def test_images(device):
    array = np.arange(60, dtype=np.uint8).reshape(3, 5, 4)
    image = kiln.Image(array, context=device)
    with pytest.raises(BufferError, match="memory of the device: use to_numpy, read and write"):
        memoryview(image)
    for back in (image.to_numpy(), np.asarray(image), np.array(image)):
        assert back.shape == (3, 5, 4) and (back == array).all()
    assert np.asarray(image, np.float32).dtype == np.float32
    image.write(array[::-1].copy())
    assert (image.to_numpy() == array[::-1]).all()
