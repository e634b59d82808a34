"""elementwise and reduce beside NumPy: a table of expressions, operators and types, over values that are awkward.

NumPy says what the type is, what the values are, and what is refused."""
import itertools
import re
import warnings

import numpy as np
import pytest

import kiln

TYPES = "?bBhHiIqQefd"
NAMES = {"abs": np.absolute, "min": np.minimum, "max": np.maximum, "pow": np.power, "asin": np.arcsin,
         "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "clamp": np.clip, "mod": np.mod,
         "M_PI": np.pi}

# What must be NumPy's to the last bit, for floats too.
EXACT = """
x + y; x - y; x * y; x / y; x == y; x != y; x < y; x <= y; x > y; x >= y; -x; +x; abs(x); square(x); max(x, y);
min(x, y); maximum(x, 1); minimum(x, 3); fmax(x, y); fmin(x, y); sign(x); floor(x); ceil(x); trunc(x); rint(x);
isnan(x); isinf(x); isfinite(x); x & y; x | y; x ^ y; ~x; x << y; x >> y; x // y; x % y; x // 3; x % 3; x % -3;
x // -3; x + 1; x - 1; x * 2; x / 2; x + 1.5; 2 * x - y; x * y + x; max(x, 0); x ** 2; x == 1; x > 0.5; clip(x, 1, 5);
clip(x, y, 7); (x > y) & (x < 3); (x < y) | (y == 1); x + y * 0.5; x * x + y * y; mod(x, y); fmod(x, y); 1 / x;
100 // x; 7 % x; x + (y > 1); x * True; -x - -y; (x - y) * (x + y); abs(-x); square(x) - y; x - x % 2; (x > y) ^ (y > 1)
"""
# C's spelling, and NumPy's.
PAIRS = [("x > y ? x : y", "np.where(x > y, x, y)"), ("x ? y : 0", "np.where(x, y, 0)"),
         ("x && y", "np.logical_and(x, y)"), ("x || y", "np.logical_or(x, y)"), ("!x", "np.logical_not(x)"),
         ("x > 1 ? x : -x", "np.where(x > 1, x, -x)"), ("(float)x / 2", "x.astype('f') / np.float32(2)"),
         ("(double)x * y", "x.astype('d') * y"), ("i * x", "np.arange(x.size) * x"),
         ("i % 3 == 0", "np.arange(x.size) % 3 == 0"),
         ("(x > 0) + (y > 0)", "(x > 0) + (y > 0)"), ("where(x > y, 1, 0.5)", "np.where(x > y, 1, 0.5)"),
         ("x != x ? 0 : x", "np.where(x != x, 0, x)"), ("0x10 + x", "16 + x"), ("x * 1e3f", "x * 1e3")]
# Within a few units in the last place.
NEAR = """
sin(x); cos(x); tan(x); asin(x); acos(x); atan(x); arctan(x); sinh(x); cosh(x); tanh(x); arcsinh(x); arccosh(x);
arctanh(x); exp(x); exp2(x); expm1(x); log(x); log2(x); log10(x); log1p(x); sqrt(x); cbrt(x); hypot(x, y); atan2(y, x);
copysign(x, y); fabs(x); radians(x); degrees(x); x * M_PI; sqrt(x * x + 1); exp(-x * x); x ** 0.5; x ** 1.5; pow(x, 3);
sin(x) * cos(y); log(abs(x) + 1); x ** y
"""
UNITS = {"e": 2e-3, "f": 4e-6, "d": 1e-14}


def values(dtype, seed, small=False):
    """Numbers of a type, awkward ones among them; small: but for those that are very large."""
    dtype, random = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, 60).astype(dtype)
    if dtype.kind in "iu":
        numbers = [0, 1, 2, 3, 5, *random.integers(0, 10, 20)]
        numbers += [-1, -2, -3, -7, *random.integers(-9, 0, 15)] if dtype.kind == "i" else []
        limits = [] if small else [np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max - 1]
        return np.array(limits + numbers, dtype)
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7, 1e-3]
    special += [] if small else [np.inf, -np.inf, np.nan, 1e4, -6e4]
    return np.concatenate([special, random.normal(0, 3, 40)]).astype(dtype)


def pair(a, b, small=False):
    """Two arrays in which awkward values meet."""
    x, y = values(a, 1, small), values(b, 2, small)
    size = min(x.size, 24), min(y.size, 24)
    grid = np.array(list(itertools.product(range(size[0]), range(size[1]))))
    return x[grid[:, 0]], y[grid[:, 1]]


def of_numpy(expression, names):
    """The array, or the exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(expression, {"np": np, **{name: getattr(np, name) for name in dir(np) if name.islower()},
                                       **NAMES, **names})
        except (TypeError, ValueError, OverflowError) as error:
            return error
    return np.broadcast_to(np.asarray(result), np.broadcast_shapes(*(np.shape(v) for v in names.values())))


def check(expressions, context, near=False, **names):
    """All that NumPy gives in one kernel, and each that it refuses."""
    wanted = {c: of_numpy(python, names) for c, python in expressions}
    good = [c for c in wanted if isinstance(wanted[c], np.ndarray)]
    for c in wanted:
        if c not in good:
            with pytest.raises((TypeError, ValueError, OverflowError)):
                used = {name: names[name] for name in names if re.search(rf"\b{name}\b", c)}
                kiln.elementwise(c, context=context)(**used)
    used = {name: names[name] for name in names if any(re.search(rf"\b{name}\b", c) for c in good)}
    results = kiln.elementwise(*good, context=context)(**used)
    for c, result in zip(good, results if len(good) > 1 else [results]):
        want = wanted[c]
        types = {name: getattr(value, "dtype", value) for name, value in names.items()}
        assert result.dtype == want.dtype, (c, types, result.dtype, want.dtype)
        with np.errstate(all="ignore"):
            same = (result == want) | ((result != result) & (want != want))
            if near and want.dtype.kind == "f":
                tiny = 1e-7 if want.dtype == "e" else 1e-30
                same |= np.isclose(result.astype("d"), want.astype("d"), UNITS[want.dtype.char], tiny)
        if not same.all():
            at = np.flatnonzero(~same)[0]
            given = {name: value[at] if np.ndim(value) else value for name, value in names.items()}
            pytest.fail(f"{c} of {types}, {given}: {result[at]!r}, and NumPy gives {want[at]!r}")


def both(texts):
    return [(text.strip(), text.strip()) for text in (texts.split(";") if isinstance(texts, str) else texts)]


SOME = list(zip(TYPES, TYPES)) + [("b", "h"), ("B", "b"), ("i", "q"), ("I", "i"), ("q", "Q"), ("h", "e"), ("i", "f"),
                                  ("q", "f"), ("f", "d"), ("?", "b"), ("?", "f"), ("e", "f"), ("d", "i"), ("H", "?")]


@pytest.mark.parametrize("a,b", SOME)
def test_operators(interp, a, b):
    x, y = pair(a, b)
    check(both(EXACT), interp, x=x, y=y)


@pytest.mark.parametrize("a,b", [("i", "i"), ("b", "B"), ("f", "f"), ("d", "q"), ("?", "i"), ("H", "e")])
def test_operators_of_c(interp, a, b):
    x, y = pair(a, b)
    check(PAIRS, interp, x=x, y=y)


@pytest.mark.parametrize("a,b", [("f", "f"), ("d", "d"), ("e", "e"), ("i", "d"), ("b", "b"), ("h", "f")])
def test_functions(interp, a, b):
    x, y = pair(a, b, small=True)
    check(both(NEAR), interp, near=True, x=x, y=abs(y) if np.dtype(b).kind == "i" else y)


@pytest.mark.parametrize("a", "?bBhiqQefd")
@pytest.mark.parametrize("number", [-2, 200, 70000, 2.5, True, np.float32(1.25), np.float64(1e300)])
def test_numbers(interp, a, number):
    texts = ["x + a", "x * a", "a - x", "x / a", "x > a", "x // a", "x % a", "x == a / 2", "max(x, a)", "a * 2 + x"]
    check(both(texts), interp, x=values(a, 3), a=number)


@pytest.mark.parametrize("a,b", [("f", "f"), ("q", "i"), ("B", "b"), ("e", "h"), ("d", "?")])
def test_on_the_cpu(cpu, a, b):
    x, y = pair(a, b)
    check(both(EXACT) + PAIRS, cpu, x=x, y=y)
    x, y = pair(a, b, small=True)
    check(both(NEAR), cpu, near=True, x=x, y=abs(y) if np.dtype(b).kind == "i" else y)


def test_powers_of_integers(interp):
    x = values("q", 1, small=True)
    for exponent in (np.array([0, 1, 2, 3, 63] * 12)[:x.size], values("B", 4, small=True)[:x.size]):
        check(both(["x ** y", "pow(x, y)"]), interp, x=x[:exponent.size], y=exponent)
    for refused in (lambda: kiln.elementwise("x ** y", context=interp)(x, -x), lambda:
                    kiln.elementwise("x ** a", context=interp)(x, -1)):
        with pytest.raises(ValueError, match="negative integer powers"):
            refused()
    with pytest.raises(TypeError, match="may be negative"):
        kiln.elementwise("x ** (y - 1)", context=interp)(x, x)


@pytest.mark.parametrize("text,match", [
    ("x & 1 == 0", "without parentheses"), ("x < y < 3", "without parentheses"), ("x[1]", "no part"),
    ("x = y", "no part"), ("x.s0", "no part|expected"), ("sqr(x)", "did you mean 'sqrt'"), ("x ? y", "expected ':'"),
    ("pow(x)", "takes 2 arguments"),
    ("x +", "expected an expression"), ("(x", "expected"), ("x y", "expected an operator"), ("010 + x", "octal"),
    ("x and y", "expected an operator"), ("", "expected an expression"), ("1.5q * x", "no number")])
def test_what_is_refused(text, match):
    with pytest.raises(kiln.CompileError, match=match):
        kiln.elementwise(text)


# ---- reduce

REDUCTIONS = {"+": np.sum, "*": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "argmax": np.argmax,
              "argmin": np.argmin, "&": np.bitwise_and.reduce, "|": np.bitwise_or.reduce, "^": np.bitwise_xor.reduce}


def same(result, want, rtol):
    assert np.asarray(result).dtype == np.asarray(want).dtype, (result, want)
    assert np.shape(result) == np.shape(want)
    if np.asarray(want).dtype.kind == "f":
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(np.asarray(result, "d"), np.asarray(want, "d"), rtol, rtol, equal_nan=True)
    else:
        assert np.array_equal(result, want)


@pytest.mark.parametrize("operator", REDUCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(interp, operator, dtype):
    x = np.resize(values(dtype, 5, small=True), (3, 4, 70))
    f, want = kiln.reduce(operator, context=interp), REDUCTIONS[operator]
    rtol = {"e": 2e-2, "f": 1e-5}.get(dtype, 1e-12)
    if operator == "*":
        x = np.where(x == 0, 1, x).astype(dtype)[:, :, :5]
    with np.errstate(all="ignore"):
        try:
            want(x, axis=0)
        except TypeError:
            with pytest.raises(TypeError):
                f(x)
            return
        axes = (None, 0, 1, -1) if dtype in "bif" else (None, 1)
        for axis in axes if "arg" in operator or dtype not in "bif" else axes + ((0, 1), (0, 2), (2, 1)):
            everything = axis is None and operator in "&|^"
            same(f(x, axis=axis), want(x.ravel() if everything else x, axis=0 if everything else axis), rtol)
    if operator not in "&|^" and "arg" not in operator:
        same(f(x, axis=1, keepdims=True), want(x, axis=1, keepdims=True), rtol)
        same(f(x.T, axis=0), want(x.T, axis=0), rtol)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 1000, 100_003])
def test_large_reductions(context, n):
    random = np.random.default_rng(n)
    x, y = random.integers(-1000, 1000, n).astype("i4"), random.normal(0, 1, n)
    for operator in ("+", "max", "argmin", "^"):
        same(kiln.reduce(operator, context=context)(x), REDUCTIONS[operator](x), 0)
    same(kiln.reduce("mean", context=context)(y), y.mean(), 1e-9)
    same(kiln.reduce("+", of="x * y", context=context)(x, y), (x * y).sum(), 1e-9)


def test_nans(context):
    for dtype in "fd":
        x = np.array([1, np.nan, 3, np.nan, np.inf] * 100, dtype)
        for operator in ("max", "min", "argmax", "argmin", "+", "mean"):
            same(kiln.reduce(operator, context=context)(x), REDUCTIONS[operator](x), 0)
        y = np.array([[1, 2, np.nan], [4, 3, 2]], dtype)
        for operator in ("max", "min", "argmax", "argmin"):
            same(kiln.reduce(operator, context=context)(y, axis=1), REDUCTIONS[operator](y, axis=1), 0)


def test_nothing(interp):
    for dtype in "?bBqdf":
        empty = np.empty((0, 3), dtype)
        for operator in ("+", "*", "mean", "max", "min", "argmax", "argmin"):
            f, want = kiln.reduce(operator, context=interp), REDUCTIONS[operator]
            for axis in (None, 0, 1):
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        expected = want(empty, axis=axis)
                    except ValueError:
                        with pytest.raises(ValueError):
                            f(empty, axis=axis)
                        continue
                    same(f(empty, axis=axis), expected, 0)


def test_start(interp):
    x = np.arange(5)
    assert kiln.reduce("+", start=10, context=interp)(x) == x.sum(initial=10)
    assert kiln.reduce("max", start=9, context=interp)(x) == 9
    assert kiln.reduce("max", start=9, context=interp)(x[:0]) == 9
    with pytest.raises(TypeError, match="takes no start"):
        kiln.reduce("mean", start=1)
    with pytest.raises(TypeError, match="of a and b"):
        kiln.reduce("a + c", start=1)
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        kiln.reduce("+", context=interp)(x.reshape(1, 5), axis=2)


def test_own_combinations(interp):
    x = np.array([3, 4, 12])
    assert np.isclose(kiln.reduce("hypot(a, b)", start=0, context=interp)(x), 13)
    assert kiln.reduce("abs(a) > abs(b) ? a : b", start=0, context=interp)(np.array([3, -7, 5], np.int8)) == -7
    assert kiln.reduce("a * 10 > b ? a : b", start=0, context=interp)(np.empty(0, np.float32)) == 0


# ---- outputs

def test_several_outputs(context):
    x, y = np.arange(10, dtype=np.int16), np.float32(2)
    whole, rest, larger = kiln.elementwise("x // a", "x % a", "x > a", context=context)(x, a=3)
    assert (whole == x // 3).all() and (rest == x % 3).all() and (larger == (x > 3)).all()
    assert larger.dtype == bool and whole.dtype == np.int16
    out = np.zeros(10, np.float32), np.zeros(10, np.int64)
    results = kiln.elementwise("x * 0.5", "x", context=context)(x, out=out)
    assert results[0] is out[0] and results[1] is out[1]
    assert (out[0] == x * 0.5).all() and (out[1] == x).all()


def test_out_that_overlaps_or_is_strided(interp):
    x = np.arange(10.0)
    kiln.elementwise("x * 2", context=interp)(x[:-1], out=x[1:])
    assert x.tolist() == [0, 0, 2, 4, 6, 8, 10, 12, 14, 16]
    y = np.zeros((4, 2))
    kiln.elementwise("x + 1", context=interp)(np.arange(4), out=y[:, 1])
    assert y.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]
    with pytest.raises(TypeError, match="gives float64, which out, of int32, cannot hold"):
        kiln.elementwise("x / 2", context=interp)(np.arange(4), out=np.zeros(4, np.int32))


def test_bool_arrays(context):
    x = np.array([True, False, True])
    assert kiln.elementwise("x + 1", context=context)(x).tolist() == [2, 1, 2]
    assert kiln.elementwise("!x", context=context)(x).tolist() == [False, True, False]
    assert kiln.elementwise("x ? y : -y", context=context)(x, np.arange(3)).tolist() == [0, -1, 2]
    assert kiln.reduce("+", context=context)(x) == 2 and kiln.reduce("max", context=context)(x) is np.True_
