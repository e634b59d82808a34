"""Ctrl-C and other signals while kernels run; stray pointers."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import kiln

SPIN = """kernel void f(global volatile int *go, global int *x) {
  while (*go) ;
  x[get_global_id(0)] += 1;
}"""
SCALE = "kernel void f(global float *x, float a) { x[get_global_id(0)] *= a; }"


class Alarm:
    """Sends the process a signal after a while; the time limit of the test is of the same kind of use."""

    def __init__(self, number=signal.SIGINT, seconds=0.2):
        self._timer = threading.Timer(seconds, os.kill, (os.getpid(), number))

    def __enter__(self):
        self._timer.start()
        return self

    def __exit__(self, *_):
        self._timer.cancel()
        self._timer.join()


@pytest.fixture
def spin(host):
    context = kiln.Context(host, threads=2)
    kernel = context.compile(SPIN)["f"]
    go, x = np.zeros(1, np.int32), np.zeros(256, np.int32)
    kernel[256, 64](go, x)  # compiled and short
    assert (x == 1).all()

    def goes_on():
        go[0] = 0
        for _ in range(3):
            x[:] = 0
            kernel[256, 64](go, x)
            assert (x == 1).all()

    return context, kernel, go, x, goes_on


def test_a_kernel_that_never_ends(spin):
    context, kernel, go, x, goes_on = spin
    for size in (1, 64, 256):
        go[0] = 1
        begin = time.monotonic()
        with Alarm(), pytest.raises(KeyboardInterrupt):
            kernel[size, 1](go, x)
        assert time.monotonic() - begin < 20
        goes_on()


def test_queue_and_event(spin):
    context, kernel, go, x, goes_on = spin
    for wait in (lambda queue, event: event.wait(), lambda queue, event: queue.finish(),
                 lambda queue, event: event.seconds, lambda queue, event: queue.close()):
        go[0] = 1
        queue = kiln.Queue(context)
        events = [kernel(queue, 256, 64, go, x) for _ in range(3)]
        with Alarm(), pytest.raises(KeyboardInterrupt):
            wait(queue, events[0])
        for event in events:
            with pytest.raises(kiln.CancelledError):
                event.wait()
        goes_on()
        queue.close()


def test_block_of_a_queue(spin):
    context, kernel, go, x, goes_on = spin
    go[0] = 1
    with Alarm(), pytest.raises(KeyboardInterrupt):
        with kiln.Queue(context) as queue:
            kernel(queue, 256, 64, go, x)
    goes_on()
    go[0] = 1
    with Alarm(), pytest.raises(KeyboardInterrupt):
        with kiln.Queue(context) as queue:
            kernel(queue, 256, 64, go, x)
            raise ValueError
    goes_on()


def test_a_handler_runs_and_the_kernel_goes_on(spin):
    context, kernel, go, x, _ = spin
    x[:] = 0
    go[0] = 1
    calls = []

    def handler(number, frame):
        calls.append(number)
        go[0] = 0

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with Alarm(signal.SIGUSR1):
            kernel[256, 64](go, x)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert calls == [signal.SIGUSR1] and (x == 1).all()


def test_a_handler_raises_what_it_likes(spin):
    context, kernel, go, x, goes_on = spin
    go[0] = 1

    def handler(number, frame):
        raise ZeroDivisionError("of the handler")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with Alarm(signal.SIGALRM), pytest.raises(ZeroDivisionError, match="of the handler"):
            kernel[256, 64](go, x)
    finally:
        signal.signal(signal.SIGALRM, before)
    goes_on()


def test_another_thread_cancels(spin):
    context, kernel, go, x, goes_on = spin
    go[0] = 1
    queue = kiln.Queue(context)
    event = kernel(queue, 256, 64, go, x)
    threading.Timer(0.1, queue.cancel).start()
    with pytest.raises(kiln.CancelledError):
        event.wait()
    with pytest.raises(kiln.CancelledError):
        queue.finish()
    goes_on()


def test_a_device_of_its_own(context):
    """What cannot be stopped is left behind, with its arrays."""
    if context.backend in ("cpu", "interp"):
        pytest.skip("of other backends")
    kernel = context.compile("""kernel void f(global volatile int *x, int n) {
      for (int i = 0; i < n; i++) x[0] += i; }""")["f"]
    x = np.zeros(1, np.int32)
    kernel[1](x, 1)
    begin = time.monotonic()
    with Alarm(), pytest.raises(KeyboardInterrupt):
        kernel[1](np.zeros(1, np.int32), 2_000_000_000)
    assert time.monotonic() - begin < 20
    y = np.ones(8, np.float32)
    context.compile(SCALE)["f"][8](y, 3)
    assert (y == 3).all()


def run(text, interrupt=False):
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(text)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    if interrupt:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    return child.returncode, out, err


@pytest.mark.skipif("KILN_SANITIZED" in os.environ, reason="the sanitizer's handlers")
def test_exit_while_a_kernel_never_ends(host):
    """The interpreter waits for queues at its exit; Ctrl-C ends that."""
    _, _, err = run(f"""
        import kiln, numpy as np
        context = kiln.Context("{host}")
        k = context.compile({SPIN!r})["f"]
        queues = [kiln.Queue(context) for _ in range(2)]
        go, x = np.ones(1, np.int32), np.zeros(256, np.int32)
        for queue in queues:
            k(queue, 256, 64, go, x)
        print("ready", flush=True)
        """, interrupt=True)
    assert "KeyboardInterrupt" in err, err


@pytest.mark.skipif("KILN_SANITIZED" in os.environ, reason="the sanitizer's handlers")
def test_a_stray_pointer_is_an_exception(cpu):
    text = """
        import kiln, numpy as np
        k = kiln.compile("kernel void f(global int *x, ulong at) { *(global int *)at = 1; x[0] = 2; }")["f"]
        x = np.zeros(1, np.int32)
        for _ in range(3):
            try:
                k[1](x, 0)
            except kiln.DeviceError as error:
                assert "SIGSEGV" in str(error)
        k[1](x, x.ctypes.data)
        print(x[0])
        """
    assert run("import os\nos.environ.pop('COMPILE_FAULTS', None)\n" + textwrap.dedent(text))[:2] == (0, "2\n")
    code, _, _ = run("import os\nos.environ['COMPILE_FAULTS'] = 'off'\n" + textwrap.dedent(text))
    assert code == -signal.SIGSEGV
    code, _, _ = run(textwrap.dedent(text).replace("kiln.compile(", "kiln.Context(faults='off').compile("))
    assert code == -signal.SIGSEGV
