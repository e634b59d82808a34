"""Modules of SPIR-V as programs: their kernels, constants, and what is refused."""
import pickle
from pathlib import Path

import numpy as np
import pytest

import kiln

SPIRV = Path(__file__).parents[1] / "spirv"


def result_of(program):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    program["paths"][64](values, out, np.int32(40))
    return out


@pytest.mark.parametrize("generator", ["tr19.O0", "be22.O2"])
def test_a_module_computes_what_its_source_does(context, generator):
    module = (SPIRV / "made" / f"paths.{generator}.spv").read_bytes()
    source = (SPIRV / "src" / "paths.cl").read_text()
    program = context.compile(module, kind="spirv")
    wanted = result_of(context.compile(source))
    assert (result_of(program) == wanted).all()
    assert (result_of(pickle.loads(pickle.dumps(program))) == wanted).all()


def test_constants(interp):
    module = (SPIRV / "made" / "paths.tr19.O0.spv").read_bytes()
    with pytest.raises(kiln.Error, match="constant"):
        interp.compile(module, kind="spirv", constants={5: 1})
    with pytest.raises(TypeError, match="constants is a dict"):
        interp.compile(module, kind="spirv", constants=[5])
    with pytest.raises(kiln.Error, match="only programs in SPIR-V"):
        interp.compile("kernel void k() {}", constants={5: 1})


def test_what_is_no_module(interp):
    with pytest.raises(kiln.Error, match="SPIR-V"):
        interp.compile(b"kernel void k() {}", kind="spirv")
    with pytest.raises(kiln.Error, match="'opencl-c', 'ir' or 'spirv'"):
        interp.compile("", kind="metal")
