"""Graphs: launches that are recorded once and run many times."""
import gc

import numpy as np
import pytest

import kiln

SCALE = "kernel void scale(global const int *x, global int *y, int a) { size_t i = get_global_id(0); y[i] = a * x[i]; }"


def scale(context):
    return context.compile(SCALE)["scale"]


def test_runs_what_was_recorded(context):
    k, x, y, z = scale(context), np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)
    graph = kiln.Graph(context)
    first = k(graph, 64, None, x, y, 3)
    second = k[64].enqueue(graph, y, z, a=2)
    assert len(graph) > second > first >= 0 and not y.any() and not z.any()
    with kiln.Queue(context) as queue:
        for n in range(3):
            event = graph.run(queue)
            event.wait()
            assert event.seconds >= 0 and (z == 6 * x).all()
            x += 1  # which each run reads


def test_updates(context):
    if context.backend == "opencl":
        pytest.skip("arrays are copied there: test_updates_of_buffers")
    k, x, y, other = scale(context), np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)
    graph = kiln.Graph(context)
    index = k(graph, 64, None, x, y, 3)
    with kiln.Queue(context) as queue:
        graph.run(queue)
        graph.update(index, k[32], x, other, 5)
        graph.run(queue).wait()
    assert (y == 3 * x).all() and (other[:32] == 5 * x[:32]).all() and not other[32:].any()


def test_updates_of_buffers(context):
    k, x, y = scale(context), kiln.Buffer(context, 256), kiln.Buffer(context, 256)
    ones, got = np.ones(64, np.int32), np.zeros(64, np.int32)
    x.write(ones)
    graph = kiln.Graph(context)
    index = k(graph, 64, None, x, y, 3)
    with kiln.Queue(context) as queue:
        graph.run(queue).wait()
        y.read(got)
        assert (got == 3).all()
        graph.update(index, k[64], x, y, a=7)
        graph.run(queue).wait()
        y.read(got)
        assert (got == 7).all()


def test_outlived_by_its_runs(context):
    k, y = scale(context), np.zeros(64, np.int32)
    graph = kiln.Graph(context)
    k(graph, 64, None, np.full(64, 2, np.int32), y, 4)  # an array that the graph alone knows
    with kiln.Queue(context) as queue:
        graph.run(queue)
        del graph, k
        gc.collect()
    assert (y == 8).all()


def test_refusals(context):
    k, x, y = scale(context), np.zeros(8, np.int32), np.zeros(8, np.int32)
    graph = kiln.Graph(context)
    with pytest.raises(TypeError, match="argument 0 .'x'."):
        k(graph, 8, None, np.zeros(8, np.float32), y, 1)
    with pytest.raises(kiln.InvalidError, match="local size|work-group"):
        k(graph, 8, 1 << 30, x, y, 1)
    index = k(graph, 8, None, x, y, 1)
    with pytest.raises(TypeError, match="Graph.run takes a Queue"):
        graph.run(graph)
    with pytest.raises(TypeError, match="index and a Launch"):
        graph.update(index, k)
    with kiln.Queue(context) as queue:
        graph.run(queue).wait()
        with pytest.raises(kiln.InvalidError, match="finalised"):
            k(graph, 8, None, x, y, 1)
        with pytest.raises(kiln.InvalidError, match="is no launch"):
            graph.update(99, k[8], x, y, 1)
        other = context.compile("kernel void other(global int *x) {}")["other"]
        with pytest.raises(kiln.InvalidError, match="another kernel, 'scale'"):
            graph.update(index, other[8], x)
        graph.run(queue).wait()
    with pytest.raises(kiln.InvalidError, match="closed"):
        graph.run(queue)


def test_deadlines(context):
    k, x, y = scale(context), np.ones(8, np.int32), np.zeros(8, np.int32)
    with kiln.Queue(context) as queue:
        queue.set_deadline(10)
        graph = kiln.Graph(context, stoppable=True)
        k(graph, 8, None, x, y, 9)
        graph.run(queue).wait()
        assert (y == 9).all()
        if context.backend in ("cpu", "interp"):
            graph = kiln.Graph(context)
            k(graph, 8, None, x, y, 1)
            with pytest.raises(kiln.InvalidError, match="deadline"):
                graph.run(queue)
