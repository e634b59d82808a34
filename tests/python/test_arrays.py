"""One-line kernels: elementwise and reduce, beside NumPy."""
import numpy as np
import pytest

import kiln
from kiln.arrays import _names


def test_names():
    assert _names("x*x + y") == ["x", "y"]
    assert _names("sqrt(x) * 2.5e-3f + M_PI * y2 - 0x1fu + 1e5") == ["x", "y2"]
    assert _names("(float)n / max(i, m) ? v : w0") == ["n", "m", "v", "w0"]
    assert _names("sin ( x ) + sin_x") == ["x", "sin_x"]


def test_elementwise(context):
    f = kiln.elementwise("x*x + y", context=context)
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    assert (f(x, y) == x * x + y).all()
    assert (f(x, y=2) == x * x + 2).all()
    assert (f(y=y, x=3) == 10).all()


def test_types(context):
    f = kiln.elementwise("x + 1", context=context)
    for dtype in "bBhHiIqQfd":
        x = np.arange(100, dtype=dtype)
        assert f(x).dtype == x.dtype and (f(x) == x + 1).all()
    g = kiln.elementwise("x / y", context=context)
    assert g(np.array([7, 8]), 2).tolist() == [3.5, 4]
    result = g(np.array([7, 8]), 2.0)
    assert result.dtype == np.float64 and result.tolist() == [3.5, 4]
    assert g(np.array([1], np.float32), np.array([4.0])).dtype == np.float64


def test_shapes(interp):
    f = kiln.elementwise("x * 10 + y", context=interp)
    x, y = np.arange(3), np.arange(2).reshape(2, 1)
    assert (f(x, y) == x * 10 + y).all()
    matrix = np.arange(12).reshape(3, 4)
    assert (f(matrix.T, 1) == matrix.T * 10 + 1).all()
    assert (f(matrix[:, ::2], matrix[:, 1::2]) == matrix[:, ::2] * 10 + matrix[:, 1::2]).all()
    assert f(np.zeros((0, 3)), 1).shape == (0, 3)
    with pytest.raises(ValueError):
        f(np.zeros(3), np.zeros(4))


def test_out_and_index(interp):
    out = np.zeros((2, 3), np.float32)
    assert kiln.elementwise("i * x", context=interp)(np.ones((2, 3), np.int32), out=out) is out
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="out has the shape"):
        kiln.elementwise("x", context=interp)(np.ones(5), out=out)
    x = np.arange(4.0)
    kiln.elementwise("x * 2", context=interp)(x, out=x)
    assert x.tolist() == [0, 2, 4, 6]


def test_bad_arguments(interp):
    f = kiln.elementwise("x + y", context=interp)
    x = np.ones(3)
    with pytest.raises(TypeError, match="argument 'y' is missing"):
        f(x)
    with pytest.raises(TypeError, match="2 variables, got 3"):
        f(x, x, x)
    with pytest.raises(TypeError, match="argument 'z' is no variable"):
        f(x, z=1)
    with pytest.raises(TypeError, match="argument 'x' is no variable of it, or given twice"):
        f(x, x=1)
    with pytest.raises(TypeError, match="none of the arguments is an array"):
        f(1, 2)
    with pytest.raises(TypeError, match="complex"):
        f(x, x * 1j)
    with pytest.raises(TypeError, match="not numbers"):
        f(x, x.astype(">f8"))
    with pytest.raises(kiln.CompileError, match="expected"):
        kiln.elementwise("x + ", context=interp)(x)


def test_reduce(context):
    x = np.random.default_rng(1).integers(-1000, 1000, 100_003)
    for operator, want in {"+": x.sum(), "max": x.max(), "min": x.min(), "|": np.bitwise_or.reduce(x),
                           "&": np.bitwise_and.reduce(x), "^": np.bitwise_xor.reduce(x)}.items():
        for n in (1, 7, 1000, 100_003):
            want = getattr(np, {"+": "add", "max": "maximum", "min": "minimum", "|": "bitwise_or", "&": "bitwise_and",
                                "^": "bitwise_xor"}[operator]).reduce(x[:n])
            assert kiln.reduce(operator, context=context)(x[:n]) == want
    assert kiln.reduce("*", context=context)(np.arange(1, 11)) == 3628800


def test_reduce_of_expressions(context):
    x, y = np.linspace(0, 1, 50_000), np.linspace(1, 3, 50_000)
    assert np.isclose(kiln.reduce("+", of="x * y", context=context)(x, y), x @ y)
    assert kiln.reduce("max", of="fabs(x - y)", context=context)(x, y) == np.abs(x - y).max()
    assert kiln.reduce("+", of="x > 0.5", context=context)(x, dtype=np.int64) == (x > 0.5).sum()
    longest = kiln.reduce("hypot(a, b)", start=0, context=context)
    assert np.isclose(longest(x), np.sqrt((x * x).sum()))
    with pytest.raises(TypeError, match="needs start"):
        kiln.reduce("hypot(a, b)")


def test_reduce_of_nothing_and_of_types(interp):
    assert kiln.reduce("+", context=interp)(np.zeros(0)) == 0
    with pytest.raises(ValueError, match="no identity"):
        kiln.reduce("max", context=interp)(np.zeros(0, np.float32))
    assert kiln.reduce("&", context=interp)(np.array([7, 3], np.uint8)) == 3
    assert kiln.reduce("+", context=interp)(np.full(300, 200, np.uint8), dtype=np.uint32) == 60_000
