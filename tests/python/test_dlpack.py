"""DLPack in the memory of a device: what one library holds there is an argument as it is."""
import numpy as np
import pytest

import kiln

ADD = "kernel void add(global uchar *x, uchar n) { x[get_global_id(0)] += n; }"
TYPES = {"cpu": 1, "interp": 1, "cuda": 2, "opencl": 4, "rocm": 10}


class Foreign:
    """An array of another library, over the memory of a Buffer."""

    def __init__(self, buffer, device=None):
        self.buffer, self.device = buffer, device

    def __dlpack__(self, **options):
        return self.buffer.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device or self.buffer.__dlpack_device__()


def test_memory_of_the_device_is_not_copied(context):
    kernel = context.compile(ADD)["add"]
    buffer = kiln.Buffer(context, 256)
    buffer.write(np.arange(256, dtype=np.uint8))
    assert buffer.__dlpack_device__() == (TYPES[context.backend], 0)
    before = context.stats()
    kernel[256](Foreign(buffer), 3)
    after = context.stats()
    assert (after.writes, after.reads) == (before.writes, before.reads)
    result = np.empty(256, np.uint8)
    buffer.read(result)
    assert (result == np.arange(256, dtype=np.uint8) + np.uint8(3)).all()


def test_a_capsule_that_nobody_takes(context):
    buffer = kiln.Buffer(context, 16)
    for _ in range(1000):
        buffer.__dlpack__()
    device = buffer.__dlpack_device__()
    capsule = buffer.__dlpack__(max_version=(1, 0), stream=None)
    del buffer, capsule
    assert context.stats().buffers == 0 and device[1] == 0


def test_other_devices_are_refused(context):
    kernel = context.compile(ADD)["add"]
    buffer = kiln.Buffer(context, 16)
    with pytest.raises(TypeError, match="memory of a device .DLPack type 8."):
        kernel[16](Foreign(buffer, (8, 0)), 3)


def test_memory_of_another_context_is_refused():
    try:
        one, two = kiln.Context("opencl"), kiln.Context("opencl")
        buffer = kiln.Buffer(one, 16)
    except (kiln.UnavailableError, kiln.NotFoundError) as error:
        pytest.skip(str(error))
    with pytest.raises(kiln.InvalidError, match="belongs to another cl_context"):
        two.compile(ADD)["add"][16](Foreign(buffer), 3)
