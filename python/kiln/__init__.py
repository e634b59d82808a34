"""Compute kernels, compiled at run time for the CPU, AMD GPUs and OpenCL devices."""
import contextlib
import os as _os

from . import _kiln
from ._kiln import *
from ._kiln import __version__
from ._tuned import TuneResult, Tuned, tune, tuned
from .arrays import elementwise, reduce

_contexts = {}
_traces = []  # files of the blocks with kiln.trace


def context(backend=None, arch=None):
    """The context for a backend and arch that this process shares; opened by the first call."""
    found = _contexts.get((backend, arch))
    if found is None:
        found = _contexts[backend, arch] = Context(backend, arch)
        if _traces:
            found.trace(_traces[-1])
    return found


def compile(source, options="", *, backend=None, arch=None, context=None, name=None, headers=None, kind="opencl-c",
            defines=None, constants=None):
    """Compiles a program, or finds it in the cache: compile(source)["name"] is a kernel.

    options: build options, as one string or a list of words. backend and arch: else COMPILE_BACKEND and COMPILE_ARCH,
    else what this machine has. headers: a dict of names and texts that #include finds first. defines: a dict of macros:
    text, or numbers, which become constants (of a double, unless they are NumPy's float32); None: defined. kind:
    "opencl-c", "ir" (kernel IR as text), or "spirv", whose specialisation constants are a dict of ids and numbers.
    """
    if context is None:
        context = globals()["context"](backend, arch)
    return context.compile(source, options, name=name, headers=headers, kind=kind, defines=defines,
                           constants=constants)


def cache_stats():
    """What the kernel cache did for the contexts that this process shares, all together: a CacheStats.

    Context.cache_stats tells it of one context.
    """
    each = [found.cache_stats() for found in list(_contexts.values()) or [context()]]
    sums = []
    for values in zip(*each):
        if isinstance(values[0], dict):
            sums.append({reason: sum(value[reason] for value in values) for reason in values[0]})
        else:
            sums.append(any(values) if isinstance(values[0], bool) else sum(values))
    return CacheStats(sums)


@contextlib.contextmanager
def profile():
    """Lists the launches of a block: with kiln.profile() as launches: ...

    After the block it is a list of kernel names and Times, in the order of the launches, of all threads.
    """
    entries = []
    before = _kiln._profile(entries)
    try:
        yield entries
    finally:
        _kiln._profile(before)
        entries[:] = [(name, what if isinstance(what, Times) else what.times) for name, what in entries]


@contextlib.contextmanager
def trace(path):
    """Writes what happens in a block to a file for Perfetto or chrome://tracing: with kiln.trace("run.json"): ...

    Of the contexts that this process shares; Context.trace does it for any. The file is replaced.
    """
    path = _os.path.abspath(path)
    open(path, "wb").close()
    _traces.append(path)
    try:
        for found in list(_contexts.values()):
            found.trace(path)
        yield
    finally:
        _traces.pop()
        for found in list(_contexts.values()):
            found.trace(_traces[-1] if _traces else None)
