"""Tuned kernels: kiln.tune, Kernel.tuned, @kiln.tuned."""
import numpy as np
import pytest

import kiln

SOURCE = """
kernel void other(global int *x) { x[get_global_id(0)] = 1; }
kernel void scale(int n, float a, global float *x) {
  for (int i = 0; i < RM; i++) {
    int at = get_group_id(0) * RM * LX + i * LX + get_local_id(0);
    if (at < n)
      x[at] *= a;
#ifdef PLANT
    if (RM == PLANT && at == 0)
      x[at] = 7;
#endif
  }
}
"""


@pytest.fixture
def context(tmp_path):
    return kiln.Context("interp", cache_dir=str(tmp_path / "cache"))


def make(context, **more):
    arguments = dict(RM=[2, 1, 4], LX=[16, 8], key=("n",), where=lambda RM, LX: RM * LX <= 32, problem="n", block="LX",
                     divisor="RM * LX", context=context, options="-w")
    arguments.update(more)

    @kiln.tuned(SOURCE, "scale", **arguments)
    def scale(n, a, x):
        """Multiplies."""

    return scale


def test_launches_without_a_record_and_with_one(context):
    scale = make(context)
    assert scale.__doc__ == "Multiplies." and scale.kernel.name == "scale"
    x = np.arange(100, dtype=np.float32)
    scale(100, 2.0, x)
    assert (x == 2 * np.arange(100)).all()
    result = scale.tune(100, 2.0, x, all=True)
    assert (x == 2 * np.arange(100)).all()  # as before
    assert set(result.point) == {"RM", "LX"} and result.points == 5 and result.best_us > 0
    assert (result.wrong, result.failed, result.message) == (0, 0, "")
    scale(n=100, a=0.5, x=x)
    assert (x == np.arange(100)).all()
    again = make(context).tune(100, 2.0, x, all=True)
    assert again.compiles == 0 and again.point == result.point


def test_a_wrong_point_never_wins(context):
    seen = []
    scale = make(context, defines={"PLANT": 4})
    x = np.ones(64, np.float32)
    result = scale.tune(64, 3.0, x, all=True, progress=lambda *event: seen.append(event))
    assert result.wrong == 1 and result.point["RM"] != 4 and result.message
    assert [point["RM"] for kind, point, us, message in seen if kind == "wrong"] == [4]


def test_progress_can_end_it(context):
    def stop(kind, point, us, message):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make(context).tune(64, 3.0, np.ones(64, np.float32), progress=stop)


def test_queues_and_pickles(context):
    import pickle

    scale = make(context)
    x = kiln.Buffer(context, 400)
    x.write(np.ones(100, np.float32))
    with kiln.Queue(context) as queue:
        scale.enqueue(queue, 100, 3.0, x).wait()
    y = np.zeros(100, np.float32)
    x.read(y)
    assert (y == 3).all()
    assert type(pickle.loads(pickle.dumps(scale.kernel.tuned))) is kiln.Launch


def test_what_is_wrong(context):
    with pytest.raises(kiln.NotFoundError, match="no kernel 'nothing'"):
        kiln.tuned(SOURCE, "nothing", RM=[1])
    with pytest.raises(TypeError, match="cannot be written down"):
        kiln.tuned(SOURCE, "scale", RM=[1], where=lambda RM: RM > 1 and RM < 3)
    with pytest.raises(ValueError, match="no single line"):
        kiln.tuned(SOURCE, "scale", RM=[1], where="RM\n#error")
    with pytest.raises(TypeError):
        make(context)(1, 2)
    with pytest.raises(kiln.CompileError):
        make(context, where="NOTHING > 1").kernel
    with pytest.raises(kiln.InvalidError):
        kernel = context.compile("kernel void f(global int *x) {}")["f"]
        kiln.tune(kernel, [np.zeros(4, np.int32)])


def test_lines_keep_their_numbers(context):
    with pytest.raises(kiln.CompileError, match="at.cl:9:"):
        make(context, name="at.cl", options="-DPLANT=nothing_of_this_name", RM=[1]).kernel
