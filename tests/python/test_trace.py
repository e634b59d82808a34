"""Traces and counters."""
import json

import numpy as np
import pytest

import kiln

SCALE = "kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }"


def launches(path):
    return [event for event in json.loads(path.read_text()) if event.get("cat") == "kernel"]


def test_a_block_is_traced(tmp_path, monkeypatch, host):
    monkeypatch.setattr(kiln, "_contexts", {})
    path = tmp_path / "run.json"
    path.write_text("of an earlier run")
    x = np.ones(100, np.float32)
    with kiln.trace(path):
        kernel = kiln.compile(SCALE, backend=host)["scale"]  # in a context that is opened here
        kernel[100](x, 2)
    kernel[100](x, 2)
    assert [event["name"] for event in launches(path)] == ["scale"] * 2
    assert launches(path)[0]["args"]["global"] == [100, 1, 1]
    with kiln.trace(path):
        with pytest.raises(ZeroDivisionError), kiln.trace(tmp_path / "inner.json"):
            kernel[100](x, 2)
            kernel[100](x, 2)
            1 / 0
        kernel[100](x, 2)
    assert (len(launches(path)), len(launches(tmp_path / "inner.json"))) == (2, 4)


def test_a_context_is_traced(tmp_path, context):
    path = tmp_path / "run.json"
    context.trace(path)
    context.trace(None)
    assert launches(path) == []
    with pytest.raises(kiln.FileError):
        context.trace(tmp_path / "nowhere" / "run.json")
    with pytest.raises(TypeError):
        context.trace(1.5)


def test_counters(context):
    kernel = context.compile(SCALE)["scale"]
    x = np.ones(256, np.float32)
    before = context.stats()
    kernel[256](x, 2)
    buffer = kiln.Buffer(context, 1000)
    after = context.stats()
    assert after.launches == before.launches + 1
    assert after.loads == before.loads + 1 and after.load_ms > 0
    assert (after.buffers, after.buffer_bytes) == (before.buffers + 1, before.buffer_bytes + 1000)
    assert after.peak_buffer_bytes >= 1024
    del buffer
    assert context.stats().buffers == before.buffers
