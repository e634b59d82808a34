"""The type stubs name what the package has, with the same parameters."""
import ast
import inspect
import pathlib

import kiln

STUBS = ast.parse(pathlib.Path(kiln.__file__).with_name("__init__.pyi").read_text())


def parameters(function, method):
    a = function.args
    names = [arg.arg for arg in a.args + a.kwonlyargs]
    return names[1:] if method else names


def public(obj):
    return {name for name in dir(obj) if not name.startswith("_")} - {"contextlib"}


def test_module_and_stubs_have_the_same_names():
    imported = {alias.asname for node in STUBS.body if isinstance(node, ast.ImportFrom) and node.level
                for alias in node.names}
    named = {node.name for node in STUBS.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert named | imported == public(kiln)


def test_classes():
    for node in STUBS.body:
        if not isinstance(node, ast.ClassDef):
            continue
        real = getattr(kiln, node.name)
        if issubclass(real, BaseException):
            names = [getattr(base, "id", getattr(base, "attr", "")) for base in node.bases]
            assert names == [base.__name__ for base in real.__bases__]
            continue
        fields = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign)]
        if fields:
            assert [field for field in real.__match_args__] == fields, node.name
            continue
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        assert {name for name in methods if not name.startswith("_")} == public(real), node.name
        for name, method in methods.items():
            assert hasattr(real, name)
            text = getattr(getattr(real, name), "__text_signature__", None)
            if not name.startswith("_") and text:
                known = [name for name, p in inspect.signature(getattr(real, name)).parameters.items()
                         if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and name != "self"]
                assert known == parameters(method, True), (node.name, name)
        if "__init__" in methods:
            assert list(inspect.signature(real).parameters) == parameters(methods["__init__"], True), node.name


def test_functions():
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef):
            real = inspect.signature(getattr(kiln, node.name)).parameters.items()
            assert [name for name, p in real if p.kind is not p.VAR_KEYWORD] == parameters(node, False)


def test_marker_and_doc_strings():
    assert pathlib.Path(kiln.__file__).with_name("py.typed").exists()
    for name in public(kiln):
        assert getattr(kiln, name).__doc__, name
