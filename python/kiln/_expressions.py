"""C expressions over arrays, computed as NumPy computes them: parsed, typed by NumPy itself, and written in C.

An expression is C's, with Python's // and ** beside. Each operation gives the type that NumPy's function gives for
operands of those types, and its value; what NumPy refuses, and what C and Python read differently, is refused.
"""
import difflib
import functools
import math
import operator
import re
import warnings

import numpy as np

from ._kiln import CompileError

C_TYPES = {"b1": "uchar", "f2": "half", "f4": "float", "f8": "double", "i1": "char", "i2": "short", "i4": "int",
           "i8": "long", "u1": "uchar", "u2": "ushort", "u4": "uint", "u8": "ulong"}
_CASTS = {"bool": "?", "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
          "long": "i8", "ulong": "u8", "size_t": "u8", "half": "f2", "float": "f4", "double": "f8"}
_CONSTANTS = {"M_PI": math.pi, "M_E": math.e, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4, "M_1_PI": 1 / math.pi,
              "M_2_PI": 2 / math.pi, "M_SQRT2": math.sqrt(2), "M_SQRT1_2": math.sqrt(0.5), "M_LN2": math.log(2),
              "M_LN10": math.log(10), "M_LOG2E": math.log2(math.e), "M_LOG10E": math.log10(math.e),
              "INFINITY": math.inf, "NAN": math.nan, "true": True, "false": False, "True": True,
              "False": False,
              "FLT_MAX": float(np.finfo("f4").max), "DBL_MAX": float(np.finfo("f8").max),
              "FLT_EPSILON": float(np.finfo("f4").eps), "DBL_EPSILON": float(np.finfo("f8").eps),
              "INT_MIN": -2**31, "INT_MAX": 2**31 - 1, "UINT_MAX": 2**32 - 1, "LONG_MIN": -2**63,
              "LONG_MAX": 2**63 - 1, "ULONG_MAX": 2**64 - 1}
_BOOL, _INDEX = np.dtype("?"), np.dtype("i8")


def c_type(dtype):
    name = C_TYPES.get(dtype.kind + str(dtype.itemsize))
    if name is None or not dtype.isnative:
        raise TypeError(f"arrays of {dtype} are not numbers that kernels compute with")
    return name


# ---- parsing

class Node:
    """An operation and its operands, or a name, or a number. closed: it was in parentheses."""

    def __init__(self, op, args=(), value=None):
        self.op, self.args, self.value, self.closed = op, tuple(args), value, False


_TOKEN = re.compile(r"""\s*(?:(?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<suffix>[a-zA-Z]*)
                    |(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:(),]))""", re.X)
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_BITWISE = {"&", "|", "^"}
_BINARY = {"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8, "<<": 9,
           ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11}
_UNARY = {"-": "neg", "+": "pos", "~": "~", "!": "!"}


class _Parser:
    def __init__(self, text):
        self._text, self._tokens, at = text, [], 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if not match:
                self._at = at + len(text[at:]) - len(text[at:].lstrip())
                self._refuse(f"'{text[self._at]}' is no part of such an expression")
            self._tokens.append((match.lastgroup if match.lastgroup != "suffix" else "number", match, match.start()
                                 + len(match[0]) - len(match[0].lstrip())))
            at = match.end()
        self._next = 0

    def _refuse(self, why, at=None):
        column = (at if at is not None else getattr(self, "_at", len(self._text))) + 1
        raise CompileError(f"{self._text}:1:{column}: error: {why}")

    def _peek(self):
        if self._next == len(self._tokens):
            return None, "the end", len(self._text)
        kind, match, at = self._tokens[self._next]
        return kind, match[0].strip(), at

    def _take(self, text):
        if self._peek()[:2] != ("op", text):
            return False
        self._next += 1
        return True

    def _expect(self, text):
        if not self._take(text):
            self._refuse(f"expected '{text}', found {self._peek()[1]}", self._peek()[2])

    def parse(self):
        root = self._ternary()
        if self._peek()[0]:
            self._refuse(f"expected an operator, found '{self._peek()[1]}'", self._peek()[2])
        return root

    def _ternary(self):
        condition = self._binary(2)
        if not self._take("?"):
            return condition
        yes = self._ternary()
        self._expect(":")
        return Node("where", (condition, yes, self._ternary()))

    def _binary(self, least):
        left = self._unary()
        while True:
            kind, op, at = self._peek()
            if kind != "op" or _BINARY.get(op, 0) < least:
                return left
            self._next += 1
            right = self._binary(_BINARY[op] + 1)
            for side in (left, right):
                mixed = op in _BITWISE and side.op in _COMPARISONS or op in _COMPARISONS and side.op in _BITWISE
                if not side.closed and (mixed or (op in _COMPARISONS and side.op in _COMPARISONS)):
                    self._refuse(f"'{side.op}' and '{op}' without parentheses: C and Python differ", at)
            left = Node(op, (left, right))

    def _unary(self):
        kind, op, at = self._peek()
        if kind == "op" and op in _UNARY:
            self._next += 1
            return Node(_UNARY[op], (self._unary(),))
        base = self._primary()
        if not self._take("**"):
            return base
        return Node("**", (base, self._unary()))

    def _primary(self):
        kind, text, at = self._peek()
        if kind is None:
            self._refuse("expected an expression, found the end", at)
        self._next += 1
        if kind == "number":
            return self._number(self._tokens[self._next - 1][1], at)
        if kind == "name":
            return self._call(text, at) if self._take("(") else self._name(text)
        if text != "(":
            self._refuse(f"expected an expression, found '{text}'", at)
        if self._peek()[1] in _CASTS and self._tokens[self._next + 1:] and self._tokens[self._next + 1][1][0] == ")":
            dtype = _CASTS[self._peek()[1]]
            self._next += 2
            return Node("cast", (self._unary(),), np.dtype(dtype))
        inside = self._ternary()
        self._expect(")")
        inside.closed = True
        return inside

    def _number(self, match, at):
        text, suffix = match["number"], match["suffix"].lower()
        if suffix not in ("", "u", "l", "ul", "lu", "f") or (suffix == "f" and not re.search("[.e]", text)):
            self._refuse(f"'{match[0].strip()}' is no number", at)
        if re.fullmatch(r"0[xX].*|\d+", text) and re.fullmatch("0[0-9]+", text):
            self._refuse(f"'{text}' is an octal number of C, and none of Python's", at)
        return Node("number", value=int(text, 0) if re.fullmatch(r"0[xX].*|\d+", text) else float(text))

    def _name(self, name):
        return Node("number", value=_CONSTANTS[name]) if name in _CONSTANTS else Node("name", value=name)

    def _call(self, name, at):
        args = []
        if not self._take(")"):
            args.append(self._ternary())
            while self._take(","):
                args.append(self._ternary())
            self._expect(")")
        function = FUNCTIONS.get(name)
        if function is None:
            near = difflib.get_close_matches(name, FUNCTIONS, 1)
            self._refuse(f"there is no function '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""), at)
        if len(args) != function.count:
            self._refuse(f"'{name}' takes {function.count} argument{'s' * (function.count > 1)}, got {len(args)}", at)
        return Node(name, args)


def parse(text):
    return _Parser(text).parse()


def names(node):
    """The variables of an expression in the order in which they come up; i is the index."""
    found = [node.value] if node.op == "name" and node.value != "i" else []
    for arg in node.args:
        found += names(arg)
    return list(dict.fromkeys(found))


# ---- how operations are written in C
#
# Each function gets the type to compute in, as a dtype, and the operands in that type. Halves are computed in float,
# and signed integers in unsigned ones, which wrap.

def _c(dtype):
    return c_type(dtype)


def _wide(dtype, text):
    return f"(float){text}" if dtype.char == "e" else text


def _narrow(dtype, text):
    return f"(half)({text})" if dtype.char == "e" else text


def _infix(op, on_bools=None):
    def write(dtype, a, b):
        if dtype.kind == "b":
            return f"({a} {on_bools} {b})"
        if dtype.kind in "iu":
            unsigned = "ulong" if dtype.itemsize == 8 else "uint"
            return f"({_c(dtype)})(({unsigned}){a} {op} ({unsigned}){b})"
        return _narrow(dtype, f"{_wide(dtype, a)} {op} {_wide(dtype, b)}")
    return write


def _compare(op):
    return lambda dtype, a, b: f"(uchar)({_wide(dtype, a)} {op} {_wide(dtype, b)})"


def _helper(name):
    """A function of the preamble, in float for halves."""
    def write(dtype, *args):
        if dtype.kind == "f":
            return _narrow(dtype, f"{name}_{'double' if dtype.itemsize == 8 else 'float'}"
                                  f"({', '.join(_wide(dtype, a) for a in args)})")
        return f"{name}_{_c(dtype)}({', '.join(args)})"
    return write


def _function(name):
    """A function of OpenCL C on floats; of integers, where NumPy gives such, it changes nothing."""
    def write(dtype, *args):
        if dtype.kind != "f":
            return args[0]
        return _narrow(dtype, f"{name}({', '.join(_wide(dtype, a) for a in args)})")
    return write


def _larger(op, propagates):
    def write(dtype, a, b):
        if dtype.kind != "f":
            return f"({a} {op} {b} ? {a} : {b})"
        test = f"isnan({_wide(dtype, a if propagates else b)})"
        return f"({_wide(dtype, a)} {op} {_wide(dtype, b)} || {test} ? {a} : {b})"
    return write


def _absolute(dtype, a):
    if dtype.kind in "bu":
        return a
    return f"({a} < 0 ? {_negative(dtype, a)} : {a})" if dtype.kind == "i" else _function("fabs")(dtype, a)


def _negative(dtype, a):
    if dtype.kind in "iu":
        return f"({_c(dtype)})(0 - ({'ulong' if dtype.itemsize == 8 else 'uint'}){a})"
    return _narrow(dtype, f"-{_wide(dtype, a)}")


def _invert(dtype, a):
    return f"(uchar)!{a}" if dtype.kind == "b" else f"({_c(dtype)})~{a}"


def _sign(dtype, a):
    if dtype.kind == "f":
        wide = _wide(dtype, a)
        return f"({wide} > 0 ? ({_c(dtype)})1 : {wide} < 0 ? ({_c(dtype)})-1 : {wide} == 0 ? ({_c(dtype)})0 : {a})"
    return f"({_c(dtype)})(({a} > 0) - ({a} < 0))" if dtype.kind == "i" else f"({_c(dtype)})({a} != 0)"


def _test(name):
    return lambda dtype, a: f"(uchar)({name}({_wide(dtype, a)}) != 0)" if dtype.kind == "f" else "(uchar)0"


def _finite(dtype, a):
    return _test("isfinite")(dtype, a) if dtype.kind == "f" else "(uchar)1"


def _reciprocal(dtype, a):
    if dtype.kind != "f":
        raise TypeError("'reciprocal' of integers")
    return _narrow(dtype, f"1 / {_wide(dtype, a)}")


def _truth(dtype, *args):
    return f"(uchar)({' && '.join(f'{a} != 0' for a in args)})"


class Function:
    """count: operands. of: NumPy's function, which gives the type and computes numbers. write: to C. computes: in which
    type, of the operands and the result: "result", "common", "each" (every operand in its own), "floats"."""

    def __init__(self, count, of, write, computes="result"):
        self.count, self.of, self.write, self.computes = count, of, write, computes


def _as_float(of):
    """The type of a function that NumPy does not have: that of its nearest relatives."""
    def typed(*args):
        if any(isinstance(a, np.ndarray) for a in args):
            return functools.reduce(np.hypot, args) if len(args) > 1 else np.sin(args[0])
        return of(*args)
    return typed


def _rounded(x):
    return np.round(x)


OPERATORS = {
    "+": Function(2, operator.add, _infix("+", "|")),
    "-": Function(2, operator.sub, _infix("-")),
    "*": Function(2, operator.mul, _infix("*", "&")),
    "/": Function(2, operator.truediv, _infix("/")),
    "//": Function(2, operator.floordiv, _helper("floor_divide")),
    "%": Function(2, operator.mod, _helper("remainder")),
    "**": Function(2, operator.pow, _helper("power")),
    "<<": Function(2, operator.lshift, _helper("shift_left")),
    ">>": Function(2, operator.rshift, _helper("shift_right")),
    "&": Function(2, operator.and_, _infix("&", "&")),
    "|": Function(2, operator.or_, _infix("|", "|")),
    "^": Function(2, operator.xor, _infix("^", "^")),
    "==": Function(2, operator.eq, _compare("=="), "common"),
    "!=": Function(2, operator.ne, _compare("!="), "common"),
    "<": Function(2, operator.lt, _compare("<"), "common"),
    "<=": Function(2, operator.le, _compare("<="), "common"),
    ">": Function(2, operator.gt, _compare(">"), "common"),
    ">=": Function(2, operator.ge, _compare(">="), "common"),
    "&&": Function(2, np.logical_and, _truth, "each"),
    "||": Function(2, np.logical_or, lambda dtype, a, b: f"(uchar)({a} != 0 || {b} != 0)", "each"),
    "!": Function(1, np.logical_not, lambda dtype, a: f"(uchar)({a} == 0)", "each"),
    "neg": Function(1, operator.neg, _negative),
    "pos": Function(1, operator.pos, lambda dtype, a: a),
    "~": Function(1, operator.invert, _invert),
}
FUNCTIONS = {
    "abs": Function(1, np.absolute, _absolute), "fabs": Function(1, np.fabs, _absolute),
    "sign": Function(1, np.sign, _sign), "square": Function(1, np.square, lambda d, a: _infix("*", "&")(d, a, a)),
    "reciprocal": Function(1, np.reciprocal, _reciprocal), "round": Function(1, _rounded, _function("rint")),
    "isnan": Function(1, np.isnan, _test("isnan"), "each"), "isinf": Function(1, np.isinf, _test("isinf"), "each"),
    "isfinite": Function(1, np.isfinite, _finite, "each"),
    "signbit": Function(1, np.signbit, _test("signbit"), "floats"),
    "where": Function(3, np.where, None), "clip": Function(3, np.clip, None),
    "fmod": Function(2, np.fmod, _helper("fmod")),
}
for _name, _c_name in {"sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
                       "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh",
                       "arctanh": "atanh", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log",
                       "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt",
                       "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "radians": "radians",
                       "degrees": "degrees"}.items():
    FUNCTIONS[_name] = FUNCTIONS[_c_name] = Function(1, getattr(np, _name), _function(_c_name))
for _name, _c_name in {"arctan2": "atan2", "hypot": "hypot", "copysign": "copysign"}.items():
    FUNCTIONS[_name] = FUNCTIONS[_c_name] = Function(2, getattr(np, _name), _function(_c_name))
for _names, _op, _nans in ((("min", "minimum"), "<=", True), (("max", "maximum"), ">=", True), (("fmin",), "<=", False),
                           (("fmax",), ">=", False)):
    for _name in _names:
        FUNCTIONS[_name] = Function(2, getattr(np, {"min": "minimum", "max": "maximum"}.get(_name, _name)),
                                    _larger(_op, _nans))
for _name, _op in {"power": "**", "pow": "**", "mod": "%", "remainder": "%", "floor_divide": "//", "true_divide": "/",
                   "divide": "/"}.items():
    FUNCTIONS[_name] = Function(2, np.power if _op == "**" else OPERATORS[_op].of, OPERATORS[_op].write)
FUNCTIONS["clamp"] = FUNCTIONS["clip"]
for _name, _count, _of in (("erf", 1, math.erf), ("erfc", 1, math.erfc), ("tgamma", 1, math.gamma),
                           ("lgamma", 1, math.lgamma), ("rsqrt", 1, lambda x: 1 / math.sqrt(x)),
                           ("exp10", 1, lambda x: 10.0 ** x), ("sinpi", 1, lambda x: math.sin(math.pi * x)),
                           ("cospi", 1, lambda x: math.cos(math.pi * x)), ("fma", 3, lambda a, b, c: a * b + c)):
    FUNCTIONS[_name] = Function(_count, _as_float(_of), _function(_name))
ALL = {**OPERATORS, **FUNCTIONS}

# Whether NumPy compares signed with unsigned integers of 64 bits by their values, and not as doubles.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _EXACT = not bool((np.array([2**53 + 1], "i8") == np.array([2**53], "u8"))[0])

_INT_HELPERS = """
{T} floor_divide_{T}({T} a, {T} b) {{
  if (b == 0) return 0;
  {minus_one}
  return ({T})(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}}
{T} remainder_{T}({T} a, {T} b) {{
  if (b == 0) return 0;
  {no_rest}
  {T} r = ({T})(a % b);
  return r != 0 && (r < 0) != (b < 0) ? ({T})(r + b) : r;
}}
{T} fmod_{T}({T} a, {T} b) {{
  if (b == 0) return 0;
  {no_rest}
  return ({T})(a % b);
}}
{T} power_{T}({T} a, {T} b) {{
  {U} base = ({U})a, result = 1;
  for (ulong n = (ulong)b; n != 0; n >>= 1) {{
    if (n & 1) result *= base;
    base *= base;
  }}
  return ({T})result;
}}
{T} shift_left_{T}({T} a, {T} b) {{ return (ulong)b < {bits} ? ({T})(({U})a << b) : ({T})0; }}
{T} shift_right_{T}({T} a, {T} b) {{ return (ulong)b < {bits} ? ({T})(a >> b) : ({T})(a < 0 ? -1 : 0); }}
"""
_FLOAT_HELPERS = """
{T} remainder_{T}({T} a, {T} b) {{
  {T} r = fmod(a, b);
  if (b == 0) return r;
  if (r == 0) return copysign(({T})0, b);
  return (b < 0) != (r < 0) ? r + b : r;
}}
{T} floor_divide_{T}({T} a, {T} b) {{
  if (b == 0) return a / b;
  {T} r = fmod(a, b), d = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) d -= 1;
  if (d == 0) return copysign(({T})0, a / b);
  {T} whole = floor(d);
  return d - whole > ({T})0.5 ? whole + 1 : whole;
}}
{T} fmod_{T}({T} a, {T} b) {{ return fmod(a, b); }}
{T} power_{T}({T} a, {T} b) {{ return pow(a, b); }}
"""


def preamble(text):
    """What a kernel with this text needs before it."""
    parts = ["#pragma OPENCL FP_CONTRACT OFF\n"]
    if re.search(r"\bhalf\b", text):
        parts.insert(0, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n")
    for name in dict.fromkeys(re.findall(r"\b(?:floor_divide|remainder|fmod|power|shift_left|shift_right)_(\w+)\(",
                                         text)):
        if name in ("float", "double"):
            parts.append(_FLOAT_HELPERS.format(T=name))
            continue
        signed = not name.startswith("u")
        bits = {"char": 8, "short": 16, "int": 32, "long": 64}[name.lstrip("u")]
        wide = "ulong" if bits == 64 else "uint"
        parts.append(_INT_HELPERS.format(T=name, U=wide, bits=bits,
                                         minus_one=f"if (b == -1) return ({name})(0 - ({wide})a);" if signed else "",
                                         no_rest="if (b == -1) return 0;" if signed else ""))
    return "".join(parts)


# ---- typing and writing

class Value:
    """An array's element in C: a type and a text; or a number of Python's."""

    def __init__(self, dtype=None, text=None, number=None, place=None):
        self.dtype, self.text, self.number, self.place = dtype, text, number, place

    @property
    def sample(self):
        return np.ones(1, self.dtype) if self.dtype is not None else self.number


def fold(node, numbers):
    """The value of an expression of numbers alone, as Python and NumPy give it."""
    if node.op == "number":
        return node.value
    if node.op == "name":
        return numbers[node.value]
    args = [fold(arg, numbers) for arg in node.args]
    if node.op == "cast":
        return node.value.type(args[0])
    if node.op == "where":
        return args[1] if args[0] else args[2]
    return ALL[node.op].of(*args)


def number_parts(node, arrays):
    """The largest parts of an expression that hold names of numbers, and of no arrays; whether each is an exponent."""
    found = []

    def walk(node, is_exponent):
        """Whether the part is of numbers alone, and whether it has names."""
        if node.op == "name":
            return node.value not in arrays and node.value != "i", True
        parts = [walk(arg, node.op in ("**", "pow", "power") and k == 1) for k, arg in enumerate(node.args)]
        if all(is_number for is_number, _ in parts):
            return True, any(has_names for _, has_names in parts)
        for k, (arg, (is_number, has_names)) in enumerate(zip(node.args, parts)):
            if is_number and has_names:
                found.append((arg, node.op in ("**", "pow", "power") and k == 1))
        return False, True

    if walk(node, False) == (True, True):
        found.append((node, False))
    return found


class Writer:
    """Statements of C for expressions over the elements of arrays.

    arrays: dtypes by names. numbers: what the parts that number_parts found are now. params: filled with the parts and
    types that become parameters of the kernel."""

    def __init__(self, arrays, numbers, text):
        self._arrays, self._numbers, self._text = arrays, numbers, text
        self.statements, self.params, self.checked = [], [], []
        self._known = {}

    def keep(self, dtype, text):
        """A variable with the value of a text."""
        key = (dtype, text)
        if key not in self._known:
            self._known[key] = f"t{len(self._known)}"
            self.statements.append(f"const {c_type(dtype)} {self._known[key]} = {text};")
        return self._known[key]

    def converted(self, value, dtype):
        """The text of a value in a type."""
        if value.dtype is None:
            return self._number(value, dtype)
        if value.dtype == dtype:
            return value.text
        if dtype.kind == "b":
            return self.keep(dtype, f"({_wide(value.dtype, value.text)} != 0)")
        return self.keep(dtype, f"({c_type(dtype)}){value.text}")

    def _number(self, value, dtype):
        c_type(dtype)
        if value.place is not None:  # it may be another one in the next call
            if (value.place, dtype) not in self.params:
                self.params.append((value.place, dtype))
            return f"n{self.params.index((value.place, dtype))}"
        with np.errstate(all="ignore"):
            number = np.array(value.number).astype(dtype)[()]
        if dtype.kind != "f":
            number = int(number)
            suffix = "ul" if dtype.kind == "u" else "l"
            text = f"({number + 1}{suffix} - 1)" if number == -2**63 else f"{number}{suffix}"
        elif not np.isfinite(number):
            text = "NAN" if np.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"
        else:
            text = float(number).hex()
        return f"({c_type(dtype)})({text})"

    def write(self, node):
        for place, (part, _) in enumerate(self._numbers):
            if part is node:
                return Value(number=self._numbers[place][1], place=place)
        if node.op == "number":
            return Value(number=node.value)
        if node.op == "name":
            return Value(_INDEX, "i_") if node.value == "i" else Value(self._arrays[node.value], f"v_{node.value}")
        args = [self.write(arg) for arg in node.args]
        if all(arg.dtype is None and arg.place is None for arg in args):
            return Value(number=fold(node, {}))
        return self._operation(node, args)

    def _type_of(self, node, args):
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if node.op == "cast":
                    return node.value
                return np.asarray(ALL[node.op].of(*(arg.sample for arg in args))).dtype
        except TypeError as error:
            raise TypeError(f"'{self._text}': {error}") from None

    def _operation(self, node, args):
        dtype = self._type_of(node, args)
        if node.op == "cast":
            return Value(dtype, self.converted(args[0], dtype))
        if node.op == "where":
            condition = self.converted(args[0], _BOOL)
            return Value(dtype, self.keep(dtype, f"{condition} ? {self.converted(args[1], dtype)} : "
                                                 f"{self.converted(args[2], dtype)}"))
        if node.op in ("**", "pow", "power"):
            return self._power(node, args, dtype)
        if node.op in ("clip", "clamp"):
            x, low, high = (self.converted(arg, dtype) for arg in args)
            x = self.keep(dtype, FUNCTIONS["max"].write(dtype, x, low))
            return Value(dtype, self.keep(dtype, FUNCTIONS["min"].write(dtype, x, high)))
        function = ALL[node.op]
        computes = dtype
        if function.computes == "common":
            computes = self._common(args)
            if computes is None:
                return Value(dtype, self._compare_exactly(node.op, args))
        elif function.computes == "each":
            texts = [self.converted(arg, arg.dtype if arg.dtype is not None else np.asarray(arg.number).dtype)
                     for arg in args]
            first = args[0].dtype if args[0].dtype is not None else np.asarray(args[0].number).dtype
            return Value(dtype, self.keep(dtype, function.write(first, *texts)))
        elif function.computes == "floats":
            computes = np.sin(args[0].sample).dtype
        try:
            return Value(dtype, self.keep(dtype, function.write(computes, *(self.converted(arg, computes)
                                                                            for arg in args))))
        except TypeError as error:
            raise TypeError(f"'{self._text}': {error}") from None

    def _common(self, args):
        kinds = [arg.dtype for arg in args]
        if _EXACT and None not in kinds and {kinds[0].char.lower(), kinds[1].char.lower()} <= set("lq") and \
                {kinds[0].kind, kinds[1].kind} == {"i", "u"}:
            return None
        return np.result_type(*(arg.sample for arg in args))

    def _compare_exactly(self, op, args):
        """Of a signed and an unsigned integer of 64 bits."""
        a, b = args
        if a.dtype.kind == "u":
            return self._compare_exactly({"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), (b, a))
        when_negative = int(op in ("<", "<=", "!="))
        return self.keep(_BOOL, f"(uchar)({a.text} < 0 ? {when_negative} : (ulong){a.text} {op} {b.text})")

    def _power(self, node, args, dtype):
        base, exponent = args
        if dtype.kind in "iu":
            if exponent.dtype is None:
                if exponent.number < 0:
                    raise ValueError("Integers to negative integer powers are not allowed.")
            elif exponent.dtype.kind == "i":
                if node.args[1].op != "name" or node.args[1].value == "i":
                    raise TypeError(f"'{self._text}': an exponent that is computed in signed integers may be negative")
                self.checked.append(node.args[1].value)
        a = self.converted(base, dtype)
        if node.op == "**" and exponent.dtype is None and base.dtype is not None and dtype.kind in "iuf":
            if exponent.number == 2:
                return Value(dtype, self.keep(dtype, _infix("*")(dtype, a, a)))
            if exponent.number == 0.5 and dtype.kind == "f":
                return Value(dtype, self.keep(dtype, _function("sqrt")(dtype, a)))
        return Value(dtype, self.keep(dtype, ALL["**"].write(dtype, a, self.converted(exponent, dtype))))
