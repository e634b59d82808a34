"""Images and samplers: what arrays become, what kernels see of it, what comes back, and what is refused."""
import copy
import gc
import pickle

import numpy as np
import pytest

import kiln

# Element type and shape of an array, format and dimension asked for; the format and dimension that it gets, and sizes.
MADE = [
    ("u1", (3, 5), None, None, "r:unorm8", "2d", (5, 3)),
    ("u1", (3, 5, 1), None, None, "r:unorm8", "2d", (5, 3)),
    ("u2", (3, 5, 2), None, None, "rg:unorm16", "2d", (5, 3)),
    ("u4", (3, 5, 4), None, None, "rgba:u32", "2d", (5, 3)),
    ("i1", (3, 5), None, None, "r:i8", "2d", (5, 3)),
    ("i2", (3, 5, 2), None, None, "rg:i16", "2d", (5, 3)),
    ("i4", (3, 5, 4), None, None, "rgba:i32", "2d", (5, 3)),
    ("f2", (3, 5, 4), None, None, "rgba:f16", "2d", (5, 3)),
    ("f4", (3, 5), None, None, "r:f32", "2d", (5, 3)),
    ("u1", (3, 5, 4), "rgba:u8", None, "rgba:u8", "2d", (5, 3)),
    ("u1", (3, 5, 4), "u8", None, "rgba:u8", "2d", (5, 3)),
    ("u1", (3, 5, 4), "BGRA", None, "bgra:unorm8", "2d", (5, 3)),
    ("u1", (3, 5, 4), "srgba", None, "srgba:unorm8", "2d", (5, 3)),
    ("i1", (3, 5), "snorm8", None, "r:snorm8", "2d", (5, 3)),
    ("u2", (3, 5), "unorm565", None, "rgb:unorm565", "2d", (5, 3)),
    ("u4", (3, 5), "rgb:unorm101010", None, "rgb:unorm101010", "2d", (5, 3)),
    ("f4", (3, 5), "luminance", None, "luminance:f32", "2d", (5, 3)),
    ("f4", (5,), None, None, "r:f32", "1d", (5,)),
    ("f4", (5, 4), None, "1D", "rgba:f32", "1d", (5,)),
    ("f4", (5, 4), None, "1d_buffer", "rgba:f32", "1d_buffer", (5,)),
    ("f4", (3, 5), None, "1d_array", "r:f32", "1d_array", (5, 3)),
    ("f4", (2, 3, 5), None, "3d", "r:f32", "3d", (5, 3, 2)),
    ("f4", (2, 3, 5, 2), None, None, "rg:f32", "3d", (5, 3, 2)),
    ("u1", (2, 3, 5, 4), None, "2d_array", "rgba:unorm8", "2d_array", (5, 3, 2)),
    ("f4", (3, 5), None, "2d_depth", "depth:f32", "2d_depth", (5, 3)),
    ("u2", (2, 3, 5), None, "2d_array_depth", "depth:unorm16", "2d_array_depth", (5, 3, 2)),
]


@pytest.mark.parametrize("char,shape,format,dimension,got,got_dimension,size", MADE)
def test_from_and_to_arrays(context, char, shape, format, dimension, got, got_dimension, size):
    array = np.arange(np.prod(shape)).reshape(shape).astype(char)
    image = kiln.Image(array, format, dimension, context=context)
    assert (image.format, image.dimension, image.size, image.shape) == (got, got_dimension, size, shape)
    assert image.nbytes == array.nbytes and got in repr(image)
    for back in (image.to_numpy(), np.asarray(image), np.array(image)):
        assert back.dtype == array.dtype and back.shape == shape and (back == array).all()
    array[...] = 7  # the image is a copy
    assert (image.to_numpy() != 7).any()
    image.write(array)
    back = np.zeros_like(array)
    image.read(back)
    assert (back == 7).all()
    assert (np.asarray(image, np.float64) == 7).all()


def test_any_array(interp):
    x = np.arange(48, dtype=np.uint8).reshape(4, 3, 4)
    for view in (x, x[::2], x[:, ::-1], x.transpose(1, 0, 2), x[:, 1:2], np.asfortranarray(x), memoryview(x)):
        image = kiln.Image(view, context=interp)
        assert (image.to_numpy() == np.asarray(view)).all()
    assert kiln.Image([[np.float32(1), np.float32(2)]], context=interp).to_numpy().tolist() == [[1, 2]]


def test_of_sizes(context):
    for sizes, format, dimension, shape, got in (
            ((3, 5), "rgba:f32", None, (3, 5, 4), "2d"), ((3, 5), "r:u8", None, (3, 5), "2d"),
            ((5,), "rg:f16", None, (5, 2), "1d"), ((2, 3, 5), "rgba:i32", None, (2, 3, 5, 4), "3d"),
            ((2, 3, 5), "rgba:i32", "2d_array", (2, 3, 5, 4), "2d_array"), ((3, 5), "r:f32", "1d_array", (3, 5), "1d_array"),
            ((3, 5), "rgb:unorm565", None, (3, 5), "2d")):
        image = kiln.Image(sizes, format, dimension, context=context)
        assert (image.shape, image.dimension, image.format) == (shape, got, format)
        image.write(np.zeros_like(image.to_numpy()))
        assert not image.to_numpy().any()


def test_an_array_of_the_memory(host):
    image = kiln.Image(np.zeros((2, 3), np.int32), context=kiln.Context(host))
    view = np.asarray(image)
    view[1, 2] = 9
    assert image.to_numpy()[1, 2] == 9
    del image
    gc.collect()
    assert view.sum() == 9


READS = """
kernel void f(read_only image2d_t in, global float *out) {
  vstore4(read_imagef(in, (int2)(get_global_id(0), 0)), get_global_id(0), out); }
kernel void i(read_only image2d_t in, global float *out) {
  vstore4(convert_float4(read_imagei(in, (int2)(get_global_id(0), 0))), get_global_id(0), out); }
kernel void u(read_only image2d_t in, global float *out) {
  vstore4(convert_float4(read_imageui(in, (int2)(get_global_id(0), 0))), get_global_id(0), out); }
"""


@pytest.mark.parametrize("char,format,reads,scale", [
    ("u1", None, "f", 255), ("u2", None, "f", 65535), ("u1", "u8", "u", 1), ("u2", "u16", "u", 1), ("u4", None, "u", 1),
    ("i1", None, "i", 1), ("i2", None, "i", 1), ("i4", None, "i", 1), ("i1", "snorm8", "f", 127), ("f2", None, "f", 1),
    ("f4", None, "f", 1)])
def test_what_kernels_read(context, char, format, reads, scale):
    array = np.array([[[0, 1, 2, 3], [100, 50, 25, 12]]], char)
    out = np.zeros((2, 4), np.float32)
    context.compile(READS)[reads][2](kiln.Image(array, format, context=context), out)
    assert np.allclose(out, array[0].astype(np.float32) / scale, rtol=1e-6, atol=0)


def test_writes(context):
    k = context.compile("""kernel void f(write_only image2d_t out, read_only image3d_t in) {
      int2 p = (int2)(get_global_id(0), get_global_id(1));
      write_imagef(out, p, read_imagef(in, (int4)(p, 1, 0)) / 2); }""")["f"]
    in_ = np.random.default_rng(1).random((2, 3, 5, 4)).astype(np.float32)
    image, out = kiln.Image(in_, context=context), kiln.Image((3, 5), "rgba:unorm8", context=context)
    k[out.size, None](out, image)
    assert abs(out.to_numpy() - in_[1] / 2 * 255).max() < 0.501
    with kiln.Queue(context) as queue:
        k(queue, out.size, None, out, kiln.Image(np.ones_like(in_), context=context))  # which the queue keeps
        gc.collect()
    assert (out.to_numpy() == 128).all()


SAMPLERS = [("clamp_to_edge", "nearest", False, [0, 0, 1, 2, 2, 2]), ("clamp", "nearest", False, [0, 0, 1, 2, 0, 0]),
            ("clamp_to_edge", "linear", False, [0, 0, .5, 1.5, 2, 2]), ("clamp", "linear", False, [0, 0, .5, 1.5, 1, 0]),
            ("repeat", "nearest", True, [2, 0, 1, 2, 0, 1]), ("mirrored_repeat", "nearest", True, [0, 0, 1, 2, 2, 1])]


@pytest.mark.parametrize("address,filter,normalized,want", SAMPLERS)
def test_samplers(context, address, filter, normalized, want):
    k = context.compile("""kernel void f(read_only image1d_t in, sampler_t s, float scale, float at, global float *out) {
      int i = get_global_id(0);
      out[i] = read_imagef(in, s, (i - 1 + at) * scale).x; }""")["f"]
    sampler, out = kiln.Sampler(address, filter, normalized), np.zeros(6, np.float32)
    assert (sampler.address, sampler.filter, sampler.normalized) == (address, filter, normalized)
    image = kiln.Image(np.arange(3, dtype=np.float32), context=context)
    k[6](image, sampler, 1 / 3 if normalized else 1, 0 if filter == "linear" else .5, out)
    assert np.allclose(out, want, atol=1e-5), out


def test_samplers_are_values():
    s = kiln.Sampler("repeat", filter="linear", normalized=True)
    assert s == kiln.Sampler("repeat", "linear", True) != kiln.Sampler() and s != 3
    assert len({s, kiln.Sampler(), kiln.Sampler("none", "nearest")}) == 2
    assert pickle.loads(pickle.dumps(s)) == s and copy.deepcopy(s) is s and eval(repr(s)) == s
    assert repr(kiln.Sampler()) == "kiln.Sampler('none', 'nearest')"


def test_reflection(interp):
    a, b = interp.compile("kernel void f(read_only image2d_array_t a, sampler_t b) {}")["f"].args
    assert (a.kind, a.dimension, a.access, a.type_name) == ("image", "2d_array", "read", "image2d_array_t")
    assert (b.kind, b.dimension, b.size) == ("sampler", "", 4)


U = np.zeros((3, 5, 4), np.uint8)
WRONG = [
    (lambda c: kiln.Image(np.zeros((3, 5, 3), np.uint8), context=c), ValueError,
     "3 channels, the last of 3 axes; images have 1, 2 or 4"),
    (lambda c: kiln.Image(np.zeros((3, 5, 16), np.uint8), context=c), ValueError, "dimension='3d' or '2d_array'"),
    (lambda c: kiln.Image(np.zeros((1, 1, 1, 1, 1), np.uint8), context=c), ValueError, "an array of 5 axes"),
    (lambda c: kiln.Image(U, dimension="1d", context=c), ValueError,
     "an array of 3 axes; an image of dimension '1d' takes 1, or 2 with the channels last"),
    (lambda c: kiln.Image(np.zeros((3, 5)), context=c), TypeError, "an array of float64; images are of uint8"),
    (lambda c: kiln.Image(np.zeros((3, 5), np.int64), context=c), TypeError, "an array of int64"),
    (lambda c: kiln.Image(np.zeros((3, 5), bool), context=c), TypeError, "an array of bool"),
    (lambda c: kiln.Image(np.zeros((3, 5), np.complex64), context=c), TypeError, "an array of complex64"),
    (lambda c: kiln.Image(np.zeros((3, 5), ">u2"), context=c), TypeError, "uint16 in the other byte order"),
    (lambda c: kiln.Image("text", context=c), TypeError, "an array of"),
    (lambda c: kiln.Image(U, "rgba:f32", context=c), TypeError, "an array of uint8, and pixels of 'f32' are of float32"),
    (lambda c: kiln.Image(U, "rg", context=c), ValueError, "an array of 4 channels; pixels of the order 'rg' have 2"),
    (lambda c: kiln.Image(np.zeros((3, 5, 4), np.uint16), "unorm565", context=c), ValueError,
     "pixels of the order 'rgb' have 1, packed into one number"),
    (lambda c: kiln.Image(U, "rgba8", context=c), ValueError, "the format 'rgba8' is not understood: .* orders are r a rg"),
    (lambda c: kiln.Image(U, "rgba:unorm9", context=c), ValueError, "the format 'rgba:unorm9' is not understood"),
    (lambda c: kiln.Image(U, "r:u8:", context=c), ValueError, "is not understood"),
    (lambda c: kiln.Image(U, dimension="4d", context=c), ValueError, "the dimension '4d' is not understood; there are 1d"),
    (lambda c: kiln.Image(U, "argb:unorm8", "2d_depth", context=c), kiln.UnsupportedError,
     "a 2D depth image of argb:unorm8, and depth images have"),
    (lambda c: kiln.Image((3, 5), context=c), ValueError, "needs an order and a type"),
    (lambda c: kiln.Image((3, 5), "rgba", context=c), ValueError, "needs an order and a type"),
    (lambda c: kiln.Image((1, 2, 3, 4), "r:u8", context=c), ValueError, "4 sizes; 1, 2 or 3 are possible"),
    (lambda c: kiln.Image((3, 5), "r:u8", "3d", context=c), ValueError, "2 sizes; its dimension has another number"),
    (lambda c: kiln.Image((), "r:u8", context=c), ValueError, "0 sizes"),
    (lambda c: kiln.Image((3, "5"), "r:u8", context=c), TypeError, "str"),
    (lambda c: kiln.Image((3, -5), "r:u8", context=c), ValueError, "a size of -5 pixels"),
    (lambda c: kiln.Image((3, 1 << 40), "r:u8", context=c), ValueError, "a size of 1099511627776 pixels"),
    (lambda c: kiln.Image((3, 0), "r:u8", context=c), ValueError, "a width of 0; 1 to 16384 are possible"),
    (lambda c: kiln.Image((3, 1 << 70), "r:u8", context=c), OverflowError, ""),
    (lambda c: kiln.Image(np.zeros((0, 5), np.uint8), context=c), ValueError, "a height of 0"),
    (lambda c: kiln.Image(np.zeros((1, 20000), np.uint8), context=c), ValueError, "a width of 20000; 1 to 16384"),
    (lambda c: kiln.Image(U, context=3), TypeError, "context is a kiln.Context, or None"),
    (lambda c: kiln.Image(U, context=c, device=7), kiln.NotFoundError, "7"),
    (lambda c: kiln.Image(U, context=c).read(np.zeros((3, 5, 4), np.float32)), TypeError,
     "Image.read: an array of float32, and the image is of uint8"),
    (lambda c: kiln.Image(U, context=c).write(U[:2].copy()), ValueError, "an array of 40 bytes, and the image has 60"),
    (lambda c: kiln.Image(U, context=c).read(bytes(60)), BufferError, ""),
    (lambda c: kiln.Image(U, context=c).write(U[:, ::2]), ValueError, "contiguous"),
    (lambda c: kiln.Sampler("edge"), ValueError, "address is 'none', 'clamp_to_edge', 'clamp', 'repeat' or 'mirr.*, not 'edge'"),
    (lambda c: kiln.Sampler("none", "cubic"), ValueError, "filter is 'nearest' or 'linear', not 'cubic'"),
    (lambda c: kiln.Sampler("repeat"), ValueError, "'repeat' is for normalised coordinates"),
    (lambda c: kiln.Sampler(3), TypeError, "str"),
    (lambda c: pickle.dumps(kiln.Image(U, context=c)), TypeError, "pickle"),
]


@pytest.mark.parametrize("call,error,message", WRONG)
def test_refusals(interp, call, error, message):
    with pytest.raises(error, match=message):
        call(interp)


def test_wrong_arguments(interp):
    k = interp.compile("""kernel void f(read_only image2d_t in, write_only image2d_t out, sampler_t s, global uint *x) {
      x[0] = read_imageui(in, s, (int2)(0, 0)).x; write_imageui(out, (int2)(0, 0), x[0]); }""")["f"]
    image, s, x = kiln.Image(U, "u8", context=interp), kiln.Sampler(), np.zeros(1, np.uint32)
    k[1](image, kiln.Image(U, "u8", context=interp), s, x)
    for args, error, message in (
            ((U, image, s, x), TypeError, r"argument 0 \('in'\): expected a kiln.Image for 'image2d_t', got ndarray"),
            ((None, image, s, x), TypeError, r"argument 0 \('in'\): expected a kiln.Image"),
            ((image, image, 16, x), TypeError, r"argument 2 \('s'\): expected a kiln.Sampler for 'sampler_t', got int"),
            ((image, s, s, x), TypeError, r"argument 1 \('out'\): expected a kiln.Image for 'image2d_t', got Sampler"),
            ((image, kiln.Image(U[0], dimension="1d", context=interp), s, x), ValueError, r"argument 1 \('out'\): .*1D"),
            ((image, kiln.Image(U, "srgba", context=interp), s, x), ValueError, "images of srgba:unorm8 can only be read"),
            ((kiln.Image(U, "u8", context=kiln.Context("interp")), image, s, x), ValueError, "another context"),
    ):
        with pytest.raises(error, match=message):
            k[1](*args)
    with pytest.raises(TypeError, match=r"argument 0 \('x'\): expected an array"):  # no buffer of elements
        interp.compile("kernel void g(global float *x) { x[0] = 1; }")["g"][1](image)
