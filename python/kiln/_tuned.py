"""Tuned kernels: kiln.tune searches, @kiln.tuned makes a function of a kernel and the values to try."""
import functools
import inspect
import re
from typing import Dict, NamedTuple

from . import _kiln


class TuneResult(NamedTuple):
    """What a search found. Times: microseconds of a launch. message: of the first point that was wrong or failed."""

    point: Dict[str, int]
    default_us: float
    best_us: float
    points: int
    compiles: int
    wrong: int
    failed: int
    seconds: float
    message: str


def tune(kernel, args, named=None, *, budget=10.0, points=0, seed=1, tolerance=1e-3, deadline=None, all=False,
         warm=False, progress=None):
    """Searches for the fastest point of a kernel with "#pragma kernel" directives and stores it: a TuneResult.

    args and named: of the launch; arrays have the same contents afterwards as before. budget: seconds. points: at most
    so many, 0: as many as the budget allows. deadline: seconds after which a launch is stopped. all: every point,
    whatever time that takes. warm: caches are not emptied. progress is called as progress(kind, point, us, message),
    with kind "measured", "best", "wrong" or "failed"; an exception of it ends the search, and what was found is stored.
    """
    flags = (1 if all else 0) | (2 if warm else 0)
    return TuneResult(*_kiln._tune(kernel, tuple(args), dict(named or {}), int(budget * 1e9), points, seed, tolerance,
                                   int((deadline or 0) * 1e9), flags, progress))


class _Expression:
    """Stands for a parameter in a function for where=, and writes down what is computed with it."""

    def __init__(self, text):
        self._text = text

    def __bool__(self):
        raise TypeError("where: 'and', 'or', 'not', 'if' and chains such as 1 < a < 9 cannot be written down; write "
                        "(a < 9) & (b < 9), or a string as in #if: \"a < 9 && b < 9\"")


def _operator(name, sign):
    def text_of(value):
        return value._text if isinstance(value, _Expression) else str(int(value))

    setattr(_Expression, f"__{name}__", lambda a, b: _Expression(f"({text_of(a)} {sign} {text_of(b)})"))
    setattr(_Expression, f"__r{name}__", lambda a, b: _Expression(f"({text_of(b)} {sign} {text_of(a)})"))


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "floordiv": "/", "mod": "%", "lshift": "<<", "rshift": ">>",
                     "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "&", "or": "|",
                     "xor": "^"}.items():
    _operator(_name, _sign)


def _restriction(where):
    if isinstance(where, str):
        return where
    names = inspect.signature(where).parameters
    result = where(*map(_Expression, names))
    return result._text if isinstance(result, _Expression) else str(int(result))


def _list(what):
    return (what,) if isinstance(what, (str, int)) or callable(what) else tuple(what)


def _directives(values, tune_options, sets, where, sizes):
    def line(name, text):
        if "\n" in text or "\\" in text:
            raise ValueError(f"{name}: {text!r} is no single line")
        return f"#pragma kernel {name}({text})\n"

    lines = []
    for name, parameters in (("tune", values), ("tune_option", tune_options or {})):
        for parameter, choices in parameters.items():
            lines.append(line(name, f"{parameter} = {', '.join(str(int(choice)) for choice in choices)}"))
    lines += [line("set", f"{name} = {text}") for name, text in (sets or {}).items()]
    lines += [line("restriction", _restriction(one)) for one in (() if where is None else _list(where))]
    lines += [line(name, ", ".join(map(str, _list(what)))) for name, what in sizes if _list(what)]
    return "".join(lines)


def _insert(source, kernel, directives, name):
    """The source with the directives before the kernel; the lines after them keep their numbers."""
    if isinstance(source, bytes):
        source = source.decode()
    found = re.search(rf"^[^\n;{{}}]*\b(?:__)?kernel\b[^;{{}}]*?\b{re.escape(kernel)}\s*\(", source, re.M)
    if not found:
        raise _kiln.NotFoundError(f"tuned: there is no kernel '{kernel}' in the source")
    start = found.start()
    while found.group()[start - found.start()] == "\n":
        start += 1
    line = source.count("\n", 0, start) + 1
    return f'{source[:start]}{directives}#line {line} "{name or "kernel.cl"}"\n{source[start:]}'


class Tuned:
    """A kernel whose launches take the fastest values that are known for their size."""

    def __init__(self, function, compile, name):
        functools.update_wrapper(self, function)
        self._signature = inspect.signature(function)
        self._compile, self._name, self._kernel = compile, name, None

    @property
    def kernel(self):
        """The kiln.Kernel, compiled when it is first wanted."""
        if self._kernel is None:
            self._kernel = self._compile()[self._name]
        return self._kernel

    def _arguments(self, args, named):
        bound = self._signature.bind(*args, **named)
        bound.apply_defaults()
        return bound.args

    def __call__(self, *args, **named):
        self.kernel.tuned(*self._arguments(args, named))

    def enqueue(self, queue, *args, **named):
        """Enqueues a launch on a Queue, or records it in a Graph."""
        return self.kernel.tuned.enqueue(queue, *self._arguments(args, named))

    def tune(self, *args, budget=10.0, points=0, seed=1, tolerance=1e-3, deadline=None, all=False, warm=False,
             progress=None):
        """Searches, for launches of this size, as kiln.tune does, and stores what it finds."""
        return tune(self.kernel, self._arguments(args, {}), budget=budget, points=points, seed=seed,
                    tolerance=tolerance, deadline=deadline, all=all, warm=warm, progress=progress)


def tuned(source, kernel, *, key=(), where=None, problem=(), block=(), divisor=(), options="", tune_options=None,
          sets=None, backend=None, arch=None, context=None, name=None, headers=None, defines=None, **values):
    """Makes a decorator: the function below it names the arguments, its calls launch the kernel.

    Further keywords are the parameters, macros of the source, each with a list of values, the default first. where:
    what points must fulfil: text as in #if, or a function of parameters and integer arguments. problem, block, divisor
    and key: as the directives problem_size, block_size, grid_divisor and tuning_key. tune_options: values of
    --kiln-NAME=V. sets: names for expressions.
    """
    import kiln

    directives = _directives(values, tune_options, sets, where,
                             (("problem_size", problem), ("block_size", block), ("grid_divisor", divisor),
                              ("tuning_key", key)))
    text = _insert(source, kernel, directives, name)

    def compile():
        return kiln.compile(text, options, backend=backend, arch=arch, context=context, name=name, headers=headers,
                            defines=defines)

    return lambda function: Tuned(function, compile, kernel)
