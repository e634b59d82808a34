"""One-line kernels on NumPy arrays, with NumPy's types and values: elementwise and reduce."""
import difflib
import math

# How reduce shares its work. Neighbouring work-items take neighbouring elements, and each goes through one block.
_LANES = 64
_BLOCK = 4096    # elements, at least
_BLOCKS = 256    # at most
_ALONE = 2048    # elements that one work-item combines at most, where there is one result

# How reduce combines, by the operator's name: an expression of a and b, and NumPy's function.
_OPERATORS = {"+": ("a + b", "add"), "*": ("a * b", "multiply"), "&": ("a & b", "bitwise_and"),
              "|": ("a | b", "bitwise_or"), "^": ("a ^ b", "bitwise_xor"), "min": ("min(a, b)", "minimum"),
              "max": ("max(a, b)", "maximum"), "mean": ("a + b", "add"), "argmin": (None, "argmin"),
              "argmax": (None, "argmax")}


def _names(expression):
    from . import _expressions

    return _expressions.names(_expressions.parse(expression))


class _Function:
    """Expressions over arrays and numbers; kernels are kept by types."""

    def __init__(self, texts, context):
        from . import _expressions

        self._texts, self._context = texts, context
        self._text = ", ".join(texts)
        self._roots = [_expressions.parse(text) for text in texts]
        self._names = list(dict.fromkeys(name for root in self._roots for name in _expressions.names(root)))
        self._plans, self._number_parts = {}, {}

    def _take(self, args, named):
        """Arrays of one shape and numbers by name; the shape."""
        import numpy as np

        if len(args) > len(self._names):
            raise TypeError(f"'{self._text}' has {len(self._names)} variables, got {len(args)} arguments")
        values = dict(zip(self._names, args))
        for name, value in named.items():
            if name not in self._names or name in values:
                near = difflib.get_close_matches(name, self._names, 1) if name not in self._names else []
                raise TypeError(f"'{self._text}': argument '{name}' is no variable of it, or given twice"
                                + (f"; did you mean '{near[0]}'?" if near else ""))
            values[name] = value
        missing = [name for name in self._names if name not in values]
        if missing:
            raise TypeError(f"'{self._text}': argument '{missing[0]}' is missing")
        arrays, numbers = {}, {}
        for name in self._names:
            value = values[name]
            if isinstance(value, np.ndarray) and value.ndim:
                arrays[name] = value
            elif isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
                numbers[name] = value
            elif np.ndim(value):
                arrays[name] = np.asarray(value)
            else:
                numbers[name] = np.asarray(value)[()]
                if not isinstance(numbers[name], (np.bool_, np.integer, np.floating)):
                    raise TypeError(f"'{self._text}': '{name}' is no array and no real number: {value!r}")
        if not arrays:
            raise TypeError(f"'{self._text}': none of the arguments is an array")
        shapes = {array.shape for array in arrays.values()}
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        for name, array in arrays.items():
            if array.shape != shape or not array.flags.c_contiguous:
                arrays[name] = np.ascontiguousarray(np.broadcast_to(array, shape))
        return arrays, numbers, shape

    def _signature(self, arrays, numbers):
        """The parts of the expressions that are numbers, with their values; what the kernel's types follow from."""
        dtypes = tuple((name, array.dtype) for name, array in arrays.items())
        if not numbers:
            return [], (dtypes,)
        import numpy as np

        from ._expressions import fold, number_parts

        key = frozenset(arrays)
        parts = self._number_parts.get(key)
        if parts is None:
            parts = self._number_parts[key] = [part for root in self._roots for part in number_parts(root, arrays)]
        values, kinds = [], []
        for node, is_exponent in parts:
            value = fold(node, numbers)
            values.append((node, value))
            # 127 and 200 are both of uint8, but only one of them is of int8, too, as -1 - 127 is.
            signed = np.min_scalar_type(-1 - int(value)) if isinstance(value, (int, np.integer)) else None
            kinds.append((type(value), np.min_scalar_type(value), signed, value < 0,
                          float(value) if is_exponent and value in (0.5, 2) else None))
        return values, (dtypes, tuple(kinds))

    def _writer(self, arrays, values):
        from ._expressions import Writer

        return Writer({name: array.dtype for name, array in arrays.items()}, values, self._text)

    def _parameters(self, arrays, writer):
        from ._expressions import c_type

        return ([f"global const {c_type(array.dtype)} *p_{name}" for name, array in arrays.items()]
                + [f"{c_type(dtype)} n{k}" for k, (_, dtype) in enumerate(writer.params)])

    def _loads(self, arrays):
        from ._expressions import c_type

        return " ".join(f"const {c_type(array.dtype)} v_{name} = p_{name}[i_];" for name, array in arrays.items())

    def _compile(self, text):
        import kiln

        from ._expressions import preamble

        context = self._context or kiln.context()
        return context.compile(preamble(text) + text, name=self._text)["f"]

    def _values(self, arrays, plan, values):
        """The arguments for what _parameters declares."""
        for name in plan.checked:
            if (arrays[name] < 0).any():
                raise ValueError("Integers to negative integer powers are not allowed.")
        if not plan.params:
            return list(arrays.values())
        import numpy as np

        with np.errstate(all="ignore"):
            numbers = [np.array(values[place][1]).astype(dtype)[()] for place, dtype in plan.params]
        return list(arrays.values()) + [bool(n) if n.dtype.kind == "b" else n for n in numbers]


def _same_places(a, b):
    """Whether element i of one is in the memory of element i of the other."""
    return a.ctypes.data == b.ctypes.data and a.itemsize == b.itemsize


class _Plan:
    def __init__(self, kernel, dtypes, writer):
        self.kernel, self.dtypes, self.params, self.checked = kernel, dtypes, writer.params, writer.checked


class Elementwise(_Function):
    """What elementwise gives: called with arrays and numbers, it gives new arrays, or fills out."""

    def __reduce__(self):
        return Elementwise, (self._texts, self._context)

    def __call__(self, *args, out=None, **named):
        import numpy as np

        arrays, numbers, shape = self._take(args, named)
        values, key = self._signature(arrays, numbers)
        outs = (None,) * len(self._texts) if out is None else (out,) if len(self._texts) == 1 else tuple(out)
        if len(outs) != len(self._texts):
            raise ValueError(f"'{self._text}': out has {len(outs)} arrays for {len(self._texts)} results")
        key += tuple(array.dtype if array is not None else None for array in outs)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._plan(arrays, values, outs)
        results = []
        for array, dtype in zip(outs, plan.dtypes):
            if array is not None and array.shape != shape:
                raise ValueError(f"'{self._text}': out has the shape {array.shape}, the arguments have {shape}")
            direct = array is not None and array.flags.c_contiguous and not any(
                np.may_share_memory(array, other) and not _same_places(array, other)
                for other in [*arrays.values(), *results])
            results.append(array if direct else np.empty(shape, dtype))
        if results[0].size:
            plan.kernel[results[0].size](*self._values(arrays, plan, values), *results)
        for array, result in zip(outs, results):
            if array is not None and array is not result:
                array[...] = result
        results = tuple(result if array is None else array for array, result in zip(outs, results))
        return results if len(results) > 1 else results[0]

    def _plan(self, arrays, values, outs):
        import numpy as np

        from ._expressions import c_type

        writer = self._writer(arrays, values)
        dtypes, stores = [], []
        for k, (root, out) in enumerate(zip(self._roots, outs)):
            value = writer.write(root)
            dtype = value.dtype if value.dtype is not None else np.asarray(value.number).dtype
            if out is not None:
                if not np.can_cast(dtype, out.dtype, "same_kind"):
                    raise TypeError(f"'{self._texts[k]}' gives {dtype}, which out, of {out.dtype}, cannot hold")
                dtype = out.dtype
            stores.append(f"r{k}[i_] = {writer.converted(value, dtype)};")
            dtypes.append(dtype)
        params = self._parameters(arrays, writer) + [f"global {c_type(d)} *r{k}" for k, d in enumerate(dtypes)]
        kernel = self._compile(f"kernel void f({', '.join(params)}) {{\n  const long i_ = get_global_id(0);\n"
                               f"  {self._loads(arrays)}\n  {' '.join(writer.statements + stores)}\n}}\n")
        return _Plan(kernel, dtypes, writer)


class Reduce(_Function):
    """What reduce gives: called with arrays and numbers, it gives a number, or an array where axis is given."""

    def __init__(self, operator, of, start, context):
        super().__init__((of,), context)
        self._operator, self._start = operator, start
        self._combine, self._ufunc = _OPERATORS.get(operator, (operator, None))
        if self._ufunc is None:
            if start is None:
                raise TypeError(f"reduce: '{operator}' needs start, a value that changes nothing")
            unknown = set(_names(operator)) - {"a", "b"}
            if unknown:
                raise TypeError(f"reduce: '{operator}' is an expression of a and b, not of {sorted(unknown)}")
        elif start is not None and operator in ("mean", "argmin", "argmax"):
            raise TypeError(f"reduce: '{operator}' takes no start")

    def __reduce__(self):
        return Reduce, (self._operator, self._texts[0], self._start, self._context)

    def __call__(self, *args, axis=None, keepdims=False, dtype=None, **named):
        import numpy as np

        arrays, numbers, shape = self._take(args, named)
        values, key = self._signature(arrays, numbers)
        axes = self._axes(axis, len(shape))
        count = 1
        for k in axes:
            count *= shape[k]
        kept = tuple(1 if k in axes else size for k, size in enumerate(shape))
        key += (np.dtype(dtype) if dtype is not None else None,)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._plan(arrays, values, dtype)
        if not count:
            result = self._of_nothing(kept, plan)
        else:
            result = self._run(arrays, values, plan, shape, axes)
        result = self._finish(result.reshape(kept), plan, count)
        if not keepdims:
            result = result.reshape([size for k, size in enumerate(shape) if k not in axes])
        return result if result.ndim else result[()]

    def _axes(self, axis, dimensions):
        """The axes that go, in order."""
        import operator

        if axis is None:
            return list(range(dimensions))
        axes = [operator.index(k) for k in (axis if isinstance(axis, tuple) else (axis,))]
        if len(axes) > 1 and self._ufunc in ("argmin", "argmax"):
            raise TypeError(f"reduce: '{self._ufunc}' takes one axis, or None for all")
        for k in axes:
            if not -dimensions <= k < dimensions:
                raise ValueError(f"reduce: axis {k} is out of bounds for {dimensions} dimensions")
        axes = sorted(k % dimensions for k in axes)
        if len(set(axes)) < len(axes):
            raise ValueError("reduce: an axis is given twice")
        return axes

    def _type(self, element, dtype):
        """The type to combine in."""
        import numpy as np

        from ._expressions import Writer, parse

        if dtype is not None:
            return np.dtype(dtype)
        sample = np.ones(1, element)
        if self._operator == "mean":
            return np.dtype("f4") if element.char == "e" else np.mean(sample).dtype
        if self._operator == "+" and element.char == "e":
            return np.dtype("f4")
        if self._ufunc in ("argmin", "argmax"):
            return element
        if self._ufunc is not None:
            try:
                return getattr(np, self._ufunc).reduce(sample).dtype
            except TypeError as error:
                raise TypeError(f"reduce: '{self._operator}': {error}") from None
        while True:  # until a combination of two has the type of each
            combined = Writer({"a": element, "b": element}, [], self._combine).write(parse(self._combine)).dtype
            if combined is None or combined == element or np.promote_types(combined, element) == element:
                return element
            element = np.promote_types(combined, element)

    def _plan(self, arrays, values, dtype):
        """Two kernels: of the expression's values, and of parts that it has left."""
        import numpy as np

        from ._expressions import Writer, c_type, parse

        writer = self._writer(arrays, values)
        value = writer.write(self._roots[0])
        element = value.dtype if value.dtype is not None else np.asarray(value.number).dtype
        computes = self._type(element, dtype)
        if self._operator == "mean" and dtype is not None and computes.kind not in "f":
            raise TypeError(f"reduce: 'mean' in {computes}")
        kind = c_type(computes)
        text = writer.converted(value, computes)
        first = f"{self._loads(arrays)} {' '.join(writer.statements)} const {kind} e_ = {text};"
        final = np.dtype("f2") if dtype is None and computes.char == "f" and element.char == "e" else computes
        params = self._parameters(arrays, writer)
        if self._ufunc in ("argmin", "argmax"):
            final = np.dtype("i8")
            sources = [(params, first + " const long at_e = (long)k_;"),
                       ([f"global const {kind} *x_", "global const long *y_"],
                        f"const {kind} e_ = x_[i_]; const long at_e = y_[i_];")]
            texts = [(params, f"{load} if (is_first_) {{ s_ = e_; at_ = at_e; }} else {self._better(computes)}")
                     for params, load in sources]
        else:
            pair = Writer({"a": computes, "b": computes}, [], self._combine)
            combined = pair.converted(pair.write(parse(self._combine)), computes)
            combine = f"{{ const {kind} v_a = s_, v_b = e_; {' '.join(pair.statements)} s_ = {combined}; }}"
            texts = [(params, f"{load} if (is_first_) s_ = e_; else {combine}") for params, load in
                     ((params, first), ([f"global const {kind} *x_"], f"const {kind} e_ = x_[i_];"))]
        plan = _Plan(None, [final], writer)
        plan.computes, plan.texts, plan.kernels = computes, texts, {}
        return plan

    def _better(self, computes):
        """Takes an element, and its place, if it is smaller or larger: the first of equal ones, or the first NaN."""
        wide = "(float)" if computes.char == "e" else ""
        better = f"{wide}e_ {'<' if self._ufunc == 'argmin' else '>'} {wide}s_"
        equal = f"{wide}e_ == {wide}s_"
        if computes.kind == "f":
            better = f"(isnan({wide}e_) ? !isnan({wide}s_) : {better})"
            equal = f"({equal} || (isnan({wide}e_) && isnan({wide}s_)))"
        return f"if ({better} || ({equal} && at_e < at_)) {{ s_ = e_; at_ = at_e; }}"

    # The array is seen as outer x n x inner, of which n goes. A block of the n elements is gone through by a work-item
    # of each inner position, or, where there is but one, by _LANES of them in turns; "rows" has one for all n elements.
    _PLACES = {"rows": ("o_ = get_global_id(0), b_ = 0, x_id = 0, j_ = 0", "k_ = 0"),
               "lanes": ("x_id = get_global_id(0), b_ = get_global_id(1), o_ = get_global_id(2), j_ = 0",
                         "k_ = b_ * block_ + x_id"),
               "inner": ("x_id = get_global_id(0), b_ = get_global_id(1), o_ = get_global_id(2), j_ = x_id",
                         "k_ = b_ * block_")}

    def _kernel(self, plan, stage, form):
        from ._expressions import c_type

        kernel = plan.kernels.get((stage, form))
        if kernel is None:
            params, step = plan.texts[stage]
            ids, begin = self._PLACES[form]
            kind, lanes = c_type(plan.computes), _LANES if form == "lanes" else 1
            at = {"rows": "o_", "lanes": f"(o_ * blocks_ + b_) * {_LANES} + x_id",
                  "inner": "(o_ * blocks_ + b_) * inner_ + j_"}[form]
            index = "o_ * n_ + k_" if form != "inner" else "(o_ * n_ + k_) * inner_ + j_"
            searches = self._ufunc in ("argmin", "argmax")
            params = params + ["ulong n_", "ulong inner_", "ulong block_", "ulong blocks_", f"global {kind} *r_"]
            params += ["global long *q_"] * searches
            kernel = plan.kernels[stage, form] = self._compile(f"""kernel void f({', '.join(params)}) {{
  const ulong {ids};
  const ulong end_ = b_ + 1 == blocks_ ? n_ : (b_ + 1) * block_;
  ulong {begin};
  {kind} s_;
  {"long at_;" * searches}
  {{ const bool is_first_ = true; const long i_ = (long)({index}); {step} }}
  for (k_ += {lanes}; k_ < end_; k_ += {lanes}) {{
    const bool is_first_ = false;
    const long i_ = (long)({index});
    {step}
  }}
  r_[{at}] = s_;
  {f"q_[{at}] = at_;" * searches}
}}
""")
        return kernel

    def _run(self, arrays, values, plan, shape, axes):
        """The kernels, for one block of neighbouring axes after the other."""
        import numpy as np

        runs = []
        for k in axes:
            if runs and runs[-1][1] == k:
                runs[-1][1] = k + 1
            else:
                runs.append([k, k + 1])
        stage, sources, sizes = 0, self._values(arrays, plan, values), list(shape)
        for begin, end in reversed(runs or [[0, 0]]):
            outer, n, inner = (math.prod(sizes[:begin]), math.prod(sizes[begin:end]), math.prod(sizes[end:]))
            sizes[begin:end] = [1] * (end - begin)
            while True:
                form = "inner" if inner > 1 else "rows" if n <= (_ALONE if outer == 1 else _LANES) else "lanes"
                blocks = 1 if form == "rows" else max(1, min(n // _BLOCK, _BLOCKS // (outer * inner)))
                left = blocks * (_LANES if form == "lanes" else 1)
                block = n // blocks // _LANES * _LANES if blocks > 1 else n
                results = [np.empty(outer * left * inner, plan.computes)]
                if self._ufunc in ("argmin", "argmax"):
                    results.append(np.empty(outer * left * inner, "i8"))
                size = {"rows": outer, "lanes": (_LANES, blocks, outer), "inner": (inner, blocks, outer)}[form]
                self._kernel(plan, stage, form)[size, None](*sources, n, inner, block, blocks, *results)
                stage, sources, n = 1, results, left
                if left == 1:
                    break
        return results[-1]

    def _of_nothing(self, kept, plan):
        import numpy as np

        size = int(np.prod(kept))
        if self._ufunc in ("argmin", "argmax") and size:
            raise ValueError(f"attempt to get {self._ufunc} of an empty sequence")
        if self._operator in ("min", "max") and self._start is None and size:
            raise ValueError(f"zero-size array to reduction operation {self._ufunc} which has no identity")
        if self._ufunc is None or self._operator in ("min", "max"):
            return np.full(size, 0 if self._start is None else self._start, plan.computes)
        if self._ufunc in ("argmin", "argmax"):
            return np.empty(size, "i8")
        return np.full(size, getattr(np, self._ufunc).reduce(np.empty(0, plan.computes)), plan.computes)

    def _finish(self, result, plan, count):
        import numpy as np

        if self._operator == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                result = np.true_divide(result, count, dtype=plan.computes)
        elif self._ufunc is not None and self._start is not None:
            result = getattr(np, self._ufunc)(result, np.array(self._start).astype(plan.computes))
        return result.astype(plan.dtypes[0], copy=False)


def elementwise(expression, *more, context=None):
    """A function of arrays from a C expression: elementwise("x*x + y")(x, y).

    Its variables are its arguments, in the order in which they come up, or by name: arrays, which NumPy's rules make
    the same shape, or numbers. i is the index of an element. Types and values are NumPy's; what it refuses is refused,
    and so is what C and Python read differently. out= is filled instead of a new array. With more expressions it gives
    a tuple of arrays. Compiled once for each combination of types.
    """
    return Elementwise((expression, *more), context)


def reduce(operator, of="x", *, start=None, context=None):
    """A function that combines all elements, as NumPy does: reduce("+")(x), reduce("max", of="abs(x - y)")(x, y).

    operator: one of + * & | ^ min max mean argmin argmax, or a C expression of a and b that may be combined in any
    order, with start, which changes nothing. of: what is combined, an expression as for elementwise. start of a named
    operator is combined with the result. axis=, keepdims= and dtype= are NumPy's.
    """
    return Reduce(operator, of, start, context)
