"""The scripts of python/examples, and examples/photo.py, check themselves: without matplotlib, small, and with a kernel
that is wrong."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "python" / "examples"
# Small sizes, and a change of the kernel that its check must find.
EXAMPLES = {
    "filter.py": (["--size", "64"], ("gx = at(in, w, h, x + 1, y)", "gx = at(in, w, h, x + 2, y)")),
    "nbody.py": (["--bodies", "128", "--steps", "6"], ("r2 * sqrt(r2)", "r2")),
    "compare.py": (["--count", "2000"], ("x[i] * exp(-r * t[i])", "x[i]")),
}


def run(script, *words, without=("matplotlib",)):
    code = f"import sys, runpy; sys.modules.update(dict.fromkeys({without!r})); sys.argv = {[os.fspath(script), *words]!r}"
    return subprocess.run([sys.executable, "-c", code + "; runpy.run_path(sys.argv[0], run_name='__main__')"],
                          capture_output=True, text=True, timeout=300)


def test_all_are_here():
    assert {path.name for path in FOLDER.glob("*.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_runs_without_matplotlib(name, tmp_path):
    done = run(FOLDER / name, *EXAMPLES[name][0], "--picture", os.fspath(tmp_path / "p.png"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "there is no matplotlib" in done.stdout and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", EXAMPLES)
def test_draws(name, tmp_path):
    pytest.importorskip("matplotlib")
    done = run(FOLDER / name, *EXAMPLES[name][0], "--picture", os.fspath(tmp_path / "p.png"), without=())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("name", EXAMPLES)
def test_finds_a_wrong_result(name, tmp_path):
    words, (right, wrong) = EXAMPLES[name]
    text = (FOLDER / name).read_text()
    changed = re.sub(re.escape(right), wrong, text, count=1)
    assert changed != text
    (tmp_path / name).write_text(changed)
    done = run(tmp_path / name, *words, without=("matplotlib", "numba", "pyopencl"))
    assert done.returncode == 1 and "WRONG" in done.stderr, done.stdout + done.stderr


def test_photo(tmp_path):
    """Its kernels are in a file of their own, which examples/photo.c has, too."""
    folder = FOLDER.parents[1] / "examples"
    done = run(folder / "photo.py", "--size", "96x66", "--picture", os.fspath(tmp_path / "p.ppm"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert len((tmp_path / "p.ppm").read_bytes()) == len("P6\n64 44\n255\n") + 64 * 44 * 3
    text = (folder / "photo.cl").read_text()
    for right, wrong in (("x > 0 ? x - 1", "x > 0 ? x - 0"), ("-0.25f", "-2.5f"), ("+ 0.5f;", "+ 0.1f;"),
                         ("+ 0.5f) /", ") /")):
        assert right in text
        (tmp_path / "photo.cl").write_text(text.replace(right, wrong, 1))
        (tmp_path / "photo.py").write_text((folder / "photo.py").read_text())
        done = run(tmp_path / "photo.py", "--size", "96x66")
        assert done.returncode == 1 and "WRONG" in done.stderr, (right, done.stdout + done.stderr)


def test_compare_names_what_is_absent():
    done = run(FOLDER / "compare.py", "--count", "100", without=("numba", "pyopencl"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Numba +left out: .*numba", done.stdout) and re.search(r"PyOpenCL +left out:", done.stdout)
