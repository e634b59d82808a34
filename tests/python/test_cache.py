"""The kernel cache from Python: statistics, warming, bundles."""
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import kiln

SCALE = "kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }"


def source(number):
    return SCALE.replace("*= a", f"*= a + {number}")


@pytest.fixture
def manifest(tmp_path, host, monkeypatch):
    """Recorded by a run of two programs; its cache is a folder that later runs do not use."""
    path = tmp_path / "app.manifest"
    monkeypatch.setenv("COMPILE_RECORD", os.fspath(path))
    context = kiln.Context(host, cache_dir=os.fspath(tmp_path / "recording"))
    for number in (1, 2):
        context.compile(source(number), name=f"scale{number}.cl")["f"][4](np.ones(4, np.float32), 2)
    monkeypatch.delenv("COMPILE_RECORD")
    return path


def test_stats(host, tmp_path):
    context = kiln.Context(host, cache_dir=os.fspath(tmp_path))
    assert context.cache_stats().misses == 0
    for _ in range(3):
        context.compile(SCALE)
    stats = context.cache_stats()
    assert (stats.misses, stats.compiles, stats.memory_hits, stats.misses_by["absent"]) == (1, 1, 2, 1)
    assert stats.bytes_written > 0 and not stats.degraded and stats.evicted == 0
    other = kiln.Context(host, cache_dir=os.fspath(tmp_path))
    other.compile(SCALE)
    assert (other.cache_stats().disk_hits, other.cache_stats().compiles) == (1, 0)


def test_stats_of_the_process():
    before = kiln.cache_stats()
    kiln.compile(source(77), backend="interp")
    kiln.compile(source(77), backend="interp")
    after = kiln.cache_stats()
    assert after.memory_hits == before.memory_hits + 1
    assert after.misses == before.misses + 1 == sum(after.misses_by.values())
    assert after.degraded is False


def test_warm(manifest, host, tmp_path):
    cache, events = tmp_path / "warmed", []
    result = kiln.warm(manifest, cache_dir=cache, progress=events.append)
    assert result.programs >= 2 and result.jobs == result.compiled == len(events)
    assert result.failed == result.damaged == 0 and result.failures == [] and result.bundle is None
    assert {event.program for event in events} == {"scale1.cl", "scale2.cl"}
    assert [event.done for event in events] == list(range(1, result.jobs + 1))
    assert {(event.backend, event.outcome, event.message) for event in events} == {(host, "compiled", "")}
    again = kiln.warm([os.fspath(manifest)], cache_dir=os.fspath(cache))
    assert (again.cached, again.compiled) == (result.jobs, 0)
    context = kiln.Context(host, cache_dir=os.fspath(cache), cache_mode="require")
    x = np.ones(4, np.float32)
    context.compile(source(1), name="scale1.cl")["f"][4](x, 2)
    assert (x == 3).all() and context.cache_stats().compiles == 0


def test_bundle(manifest, host, tmp_path):
    result = kiln.warm([manifest], threads=1, cache_mode="off", export=True)
    assert isinstance(result.bundle, bytes)
    assert kiln.warm([manifest], cache_mode="off", export=tmp_path / "app.bundle").bundle is None
    assert (tmp_path / "app.bundle").read_bytes()[:8] == result.bundle[:8]
    context = kiln.Context(host, cache_dir=os.fspath(tmp_path / "empty"), cache_mode="require")
    with pytest.raises(kiln.NotCachedError):
        context.compile(source(2), name="scale2.cl")
    context.import_bundle(result.bundle)
    context.compile(source(2), name="scale2.cl")
    third = kiln.Context(host, cache_dir=os.fspath(tmp_path / "empty"), cache_mode="require")
    third.import_bundle(memoryview(context.export_bundle()))
    third.compile(source(2), name="scale2.cl")
    with pytest.raises(kiln.InvalidError):
        third.import_bundle(b"no bundle")
    with pytest.raises(TypeError):
        third.import_bundle("no bytes")


def test_warm_for_other_targets(manifest, cpu, tmp_path):
    events = []
    result = kiln.warm(manifest, [("cpu", "x86-64-v3"), "interp"], cache_dir=tmp_path / "c", progress=events.append)
    assert result.jobs == 2 * result.programs and result.failed == 0
    assert {event.backend for event in events} == {"cpu", "interp"}
    assert "x86-64-v3" in {event.arch for event in events}


def test_warm_misuse(manifest, tmp_path):
    with pytest.raises(kiln.NotFoundError, match="nowhere"):
        kiln.warm(tmp_path / "nowhere")
    with pytest.raises(kiln.NotFoundError, match="vulkan"):
        kiln.warm(manifest, "vulkan", cache_dir=tmp_path / "c")
    with pytest.raises(kiln.InvalidError, match="sometimes"):
        kiln.warm(manifest, "interp", cache_mode="sometimes")
    failed = kiln.warm(manifest, cache_mode="sometimes")  # targets of the manifest fail their jobs
    assert failed.failed == failed.jobs and "sometimes" in failed.failures[0].message
    for wrong in (3, [3], [("cpu",)], [("cpu", 3)], [None, ("cpu", "x", "y")]):
        with pytest.raises(TypeError):
            kiln.warm(manifest, wrong)
    for wrong in (3, [3], [b"\0"]):
        with pytest.raises((TypeError, ValueError, kiln.Error)):
            kiln.warm(wrong)
    with pytest.raises(TypeError, match="progress is a function"):
        kiln.warm(manifest, progress=3)


def test_exception_of_progress_ends_it(manifest, tmp_path):
    def fail(event):
        raise RuntimeError(f"after {event.done}")

    with pytest.raises(RuntimeError, match="after 1"):
        kiln.warm(manifest, threads=1, cache_dir=tmp_path / "c", progress=fail)


def test_other_threads_run_while_it_warms(manifest, tmp_path):
    """The progress function runs on the thread that called, and others get their turn."""
    threads = set()
    turns = []
    thread = threading.Thread(target=lambda: turns.append(kiln.warm(manifest, cache_dir=tmp_path / "d")))

    def progress(event):
        threads.add(threading.get_ident())
        if event.done == 1:
            thread.start()

    kiln.warm(manifest, cache_dir=tmp_path / "c", progress=progress)
    thread.join()
    assert threads == {threading.get_ident()} and turns[0].failed == 0


def test_interrupt(tmp_path):
    """Ctrl-C ends it, long before all programs are compiled."""
    path = tmp_path / "app.manifest"
    script = textwrap.dedent(f"""
        import kiln, os, signal, threading, time
        os.environ["COMPILE_RECORD"] = {os.fspath(path)!r}
        context = kiln.Context("interp", cache_dir={os.fspath(tmp_path / "a")!r})
        for i in range(300):
            context.compile({SCALE!r}.replace("*= a", f"*= a + {{i}}"))
        done = []
        def progress(event):
            if not done:
                os.kill(os.getpid(), signal.SIGINT)
            done.append(event)
        try:
            kiln.warm({os.fspath(path)!r}, threads=1, cache_dir={os.fspath(tmp_path / "b")!r}, progress=progress)
        except KeyboardInterrupt:
            print("interrupted")
        """)
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert out.stdout == "interrupted\n", out.stdout + out.stderr
