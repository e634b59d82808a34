"""One-line kernels on NumPy arrays: elementwise and reduce."""
import re

_TYPES = {"f2": "half", "f4": "float", "f8": "double", "i1": "char", "i2": "short", "i4": "int", "i8": "long",
          "u1": "uchar", "u2": "ushort", "u4": "uint", "u8": "ulong"}
_WORDS = {"char", "short", "int", "long", "half", "float", "double", "bool", "unsigned", "signed", "const", "sizeof",
          "uchar", "ushort", "uint", "ulong", "size_t", "true", "false", "i"}
_OPERATORS = {"+": ("a + b", 0), "*": ("a * b", 1), "&": ("a & b", -1), "|": ("a | b", 0), "^": ("a ^ b", 0),
              "min": ("min(a, b)", "max"), "max": ("max(a, b)", "min")}
_GROUP, _GROUPS = 256, 64


def _names(expression):
    """The variables of a C expression, in the order in which they come up.

    Names before "(" are functions, names in capitals are macros, i is the index of the element.
    """
    without_numbers = re.sub(r"(?<![\w.])\.?\d[\w.]*", "", expression)
    without_members = re.sub(r"\.\s*[A-Za-z_]\w*", "", without_numbers)
    found = re.findall(r"\b([A-Za-z_]\w*)\b(?!\s*\()", without_members)
    return [name for name in dict.fromkeys(found) if name not in _WORDS and not name.isupper()]


def _c_type(dtype):
    name = _TYPES.get(dtype.kind + str(dtype.itemsize))
    if name is None or not dtype.isnative:
        raise TypeError(f"arrays of {dtype} are not numbers that kernels compute with")
    return name


class _Expression:
    """A C expression over arrays and numbers; programs are kept by types."""

    def __init__(self, expression, names, context):
        self._expression, self._names, self._context = expression, names, context
        self._kernels = {}

    def _take(self, args, named):
        """The arguments by name, arrays and numbers apart; the shape; the result's type."""
        import numpy as np

        if len(args) > len(self._names):
            raise TypeError(f"'{self._expression}' has {len(self._names)} variables, got {len(args)} arguments")
        values = dict(zip(self._names, args))
        for name, value in named.items():
            if name not in self._names or name in values:
                raise TypeError(f"'{self._expression}': argument '{name}' is no variable of it, or given twice")
            values[name] = value
        missing = [name for name in self._names if name not in values]
        if missing:
            raise TypeError(f"'{self._expression}': argument '{missing[0]}' is missing")
        values = {name: values[name] for name in self._names}
        arrays = {name: np.asarray(value) for name, value in values.items() if np.ndim(value)}
        if not arrays:
            raise TypeError(f"'{self._expression}': none of the arguments is an array")
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        arrays = {name: np.ascontiguousarray(np.broadcast_to(array, shape)) for name, array in arrays.items()}
        numbers = {name: value for name, value in values.items() if name not in arrays}
        return arrays, numbers, shape, np.result_type(*arrays.values(), *numbers.values())

    def _parameters(self, arrays, numbers, result):
        """Declarations of parameters, and of the variables of an element."""
        params, variables = [], []
        for name in self._names:
            if name in arrays:
                kind = _c_type(arrays[name].dtype)
                params.append(f"global const {kind} *{name}_")
                variables.append(f"const {kind} {name} = {name}_[i];")
            else:
                number = numbers[name]
                params.append(f"{_c_type(getattr(number, 'dtype', result))} {name}")
        return params, " ".join(variables)

    def _kernel(self, key, make):
        kernel = self._kernels.get(key)
        if kernel is None:
            import kiln

            context = self._context or kiln.context()
            half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if "half" in key else ""
            kernel = self._kernels[key] = context.compile(half + make(), name=self._expression)["f"]
        return kernel

    def _values(self, arrays, numbers):
        return [arrays[name] if name in arrays else numbers[name] for name in self._names]


class Elementwise(_Expression):
    """What elementwise gives: called with arrays and numbers, it gives a new array, or fills out."""

    def __call__(self, *args, out=None, **named):
        import numpy as np

        arrays, numbers, shape, result = self._take(args, named)
        if out is None:
            out = np.empty(shape, result)
        elif out.shape != shape:
            raise ValueError(f"'{self._expression}': out has the shape {out.shape}, the arguments have {shape}")
        params, variables = self._parameters(arrays, numbers, result)
        params.append(f"global {_c_type(out.dtype)} *result_")
        key = ", ".join(params)
        kernel = self._kernel(key, lambda: f"kernel void f({key}) {{\n  size_t i = get_global_id(0); {variables}\n"
                                           f"  result_[i] = {self._expression};\n}}\n")
        if out.size:
            kernel[out.size](*self._values(arrays, numbers), out)
        return out


class Reduce(_Expression):
    """What reduce gives: called with arrays and numbers, it gives a number."""

    def __init__(self, combine, expression, names, start, context):
        super().__init__(expression, names, context)
        self._combine, self._start = combine, start
        self._totals = {}  # kernels that combine the parts

    def __call__(self, *args, dtype=None, **named):
        import numpy as np

        arrays, numbers, shape, result = self._take(args, named)
        result = np.dtype(dtype or result)
        start = self._start
        if start in ("min", "max"):  # the least or greatest number of the type
            limits = np.iinfo(result) if result.kind in "iu" else np.finfo(result)
            start = {"min": -np.inf, "max": np.inf}[start] if result.kind == "f" else getattr(limits, start)
        elif start == -1 and result.kind == "u":
            start = np.iinfo(result).max
        kind = _c_type(result)
        params, variables = self._parameters(arrays, numbers, result)
        params += ["ulong n_", f"{kind} start_", f"global {kind} *result_", f"local {kind} *t_"]
        key = ", ".join(params)
        combine, expression = self._combine, self._expression
        kernel = self._kernel(key, lambda: f"""kernel void f({key}) {{
  {kind} sum_ = start_;
  for (size_t i = get_global_id(0); i < n_; i += get_global_size(0)) {{
    {variables} const {kind} value_ = {expression};
    {{ const {kind} a = sum_, b = value_; sum_ = {combine}; }}
  }}
  size_t l_ = get_local_id(0);
  t_[l_] = sum_;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s_ = get_local_size(0) / 2; s_ > 0; s_ >>= 1) {{
    if (l_ < s_) {{ const {kind} a = t_[l_], b = t_[l_ + s_]; t_[l_] = {combine}; }}
    barrier(CLK_LOCAL_MEM_FENCE);
  }}
  if (l_ == 0) result_[get_group_id(0)] = t_[0];
}}
""")
        size = int(np.prod(shape))
        groups = max(1, min(_GROUPS, size // (4 * _GROUP)))
        parts = np.empty(groups, result)
        kernel[groups * _GROUP, _GROUP](*self._values(arrays, numbers), size, start, parts, _GROUP * result.itemsize)
        if groups == 1:
            return parts[0]
        total = Reduce(self._combine, "x", ["x"], start, self._context)
        total._kernels = self._kernels if expression == "x" else self._totals
        return total(parts, dtype=result)


def elementwise(expression, *, context=None):
    """A function of arrays from a C expression: elementwise("x*x + y")(x, y).

    Its variables are its arguments, in the order in which they come up, or by name: arrays, which NumPy's rules make
    the same shape, or numbers. i is the index of an element. The result has the type that NumPy gives to the arguments;
    out= is filled instead, and has its own. Compiled once for each combination of types.
    """
    return Elementwise(expression, _names(expression), context)


def reduce(operator, of="x", *, start=None, context=None):
    """A function that combines all elements: reduce("+")(x), reduce("max", of="fabs(x - y)")(x, y).

    operator: one of + * & | ^ min max, or a C expression of a and b that may be combined in any order, with start, which
    changes nothing. of: what is combined, an expression as for elementwise. dtype= is the type to combine in.
    """
    combine, neutral = _OPERATORS.get(operator, (operator, start))
    if start is None:
        start = neutral
    if start is None:
        raise TypeError(f"reduce: '{operator}' needs start, a value that changes nothing")
    return Reduce(combine, of, _names(of), start, context)
