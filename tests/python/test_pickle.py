"""Pickles and copies of contexts, programs, kernels and launches."""
import copy
import multiprocessing
import os
import pickle

import numpy as np
import pytest

import kiln

SOURCE = """#include "scale.h"
kernel void f(global float *x, float a) { x[get_global_id(0)] *= a * SCALE; }"""


def program(context, **options):
    return context.compile(SOURCE, ["-cl-mad-enable"], name="scale.cl", headers={"scale.h": "#define SCALE FACTOR\n"},
                           defines={"FACTOR": 2}, **options)


def scaled(kernel, factor=3):
    x = np.ones(8, np.float32)
    kernel[8](x, factor)
    return x.tolist()


def test_pickle(context):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        made = program(context)
        things = made, made["f"], made["f"][(4, 1), (2, 1)], context
        other, kernel, launch, arrived = pickle.loads(pickle.dumps(things, protocol))
        assert kernel.name == "f" and other.kernels == ["f"] and kernel.program is other
        assert other.context is arrived and arrived.backend == context.backend
        assert scaled(kernel) == scaled(other["f"]) == [6] * 8
        x = np.ones(8, np.float32)
        launch(x, 1)
        assert x.tolist() == [2] * 4 + [1] * 4


def test_copies_are_the_object(interp):
    made = program(interp)
    kernel = made["f"]
    for thing in (interp, made, kernel, kernel[8]):
        assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing
    assert copy.deepcopy({"k": [kernel]})["k"][0] is kernel


def test_contexts_with_options(tmp_path):
    context = kiln.Context("interp", cache_dir=str(tmp_path), cache_mode="rw", threads=1)
    arrived = pickle.loads(pickle.dumps(context))
    assert arrived is pickle.loads(pickle.dumps(context)) is not context
    context.compile(SOURCE.splitlines()[1], "-DSCALE=1")
    assert arrived.compile(SOURCE.splitlines()[1], "-DSCALE=1").info.cache == "disk"


def test_ir(interp):
    made = interp.compile(program(interp).stage("ir"), kind="ir")
    assert scaled(pickle.loads(pickle.dumps(made))["f"]) == [6] * 8


def test_headers_are_those_of_the_compile(interp):
    headers = {"scale.h": "#define SCALE 2\n"}
    made = interp.compile(SOURCE, headers=headers)
    headers["scale.h"] = "#define SCALE 5\n"
    assert scaled(pickle.loads(pickle.dumps(made))["f"]) == [6] * 8


def test_what_cannot(interp):
    with kiln.Queue(interp) as queue:
        event = program(interp)["f"](queue, 8, None, np.ones(8, np.float32), 1)
        for thing in (queue, event, kiln.Buffer(interp, 4)):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(thing)


def test_functions_of_arrays(interp):
    f, total = pickle.loads(pickle.dumps((kiln.elementwise("x * 2"), kiln.reduce("+", of="x + 1"))))
    assert f(np.arange(3)).tolist() == [0, 2, 4] and total(np.arange(3)) == 6


@pytest.mark.skipif("KILN_SANITIZED" in os.environ, reason="processes that fork hang in the sanitizer's allocator")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(host, method):
    kernel = program(kiln.Context(host))["f"]
    scaled(kernel)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(scaled, [(kernel, factor) for factor in range(4)]) == [[2 * n] * 8 for n in range(4)]
