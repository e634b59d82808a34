#!/usr/bin/env python3
"""Integers of each width from 1 to 64 bits: every instruction that takes them, beside whole numbers of Python.

  widths.py KILN [-b BACKEND] [WIDTH]...

One module for each width: a kernel whose work-items have two numbers each, and constants that OpSpecConstantOp computes.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ITEMS = 16
HEAD = """
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float64
OpCapability BitInstructions
OpCapability ArbitraryPrecisionIntegersINTEL
OpExtension "SPV_KHR_bit_instructions"
OpExtension "SPV_INTEL_arbitrary_precision_integers"
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
"""


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def clamp(value, low, high):
    return max(low, min(high, value))


def reverse(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def binary_model(bits):
    """Functions of the numbers without sign, by instruction; results are cut to the width."""
    s = lambda v: signed(v, bits)
    return {
        "IAdd": lambda x, y: x + y, "ISub": lambda x, y: x - y, "IMul": lambda x, y: x * y,
        "UDiv": lambda x, y: x // y, "UMod": lambda x, y: x % y,
        "SDiv": lambda x, y: quotient(s(x), s(y)), "SRem": lambda x, y: s(x) - quotient(s(x), s(y)) * s(y),
        "SMod": lambda x, y: s(x) % s(y),
        "BitwiseAnd": lambda x, y: x & y, "BitwiseOr": lambda x, y: x | y, "BitwiseXor": lambda x, y: x ^ y,
        "ShiftLeftLogical": lambda x, y: x << y % bits, "ShiftRightLogical": lambda x, y: x >> y % bits,
        "ShiftRightArithmetic": lambda x, y: s(x) >> y % bits,
    }


def compare_model(bits):
    s = lambda v: signed(v, bits)
    return {
        "IEqual": lambda x, y: x == y, "INotEqual": lambda x, y: x != y,
        "ULessThan": lambda x, y: x < y, "ULessThanEqual": lambda x, y: x <= y,
        "UGreaterThan": lambda x, y: x > y, "UGreaterThanEqual": lambda x, y: x >= y,
        "SLessThan": lambda x, y: s(x) < s(y), "SLessThanEqual": lambda x, y: s(x) <= s(y),
        "SGreaterThan": lambda x, y: s(x) > s(y), "SGreaterThanEqual": lambda x, y: s(x) >= s(y),
    }


class Module:
    """The text of one module, and what its results must be."""

    def __init__(self, bits, values):
        self.bits, self.values = bits, values  # values: (x, y, f) of each work-item
        self.mask = (1 << bits) - 1
        self.decorations, self.types, self.code, self.functions = [], {}, [], []
        self.expected, self.names = [], []
        self.count = 0
        self.n = self.int(bits)
        self.word = self.int(64)

    # ---- text
    def new(self):
        self.count += 1
        return f"%t{self.count}"

    def define(self, text):
        if text not in self.types:
            self.types[text] = f"%d{len(self.types)}"
        return self.types[text]

    def int(self, bits):
        return self.define(f"OpTypeInt {bits} 0")

    def vector(self, bits, lanes):
        return self.define(f"OpTypeVector {self.int(bits)} {lanes}")

    def constant(self, value, bits=None):
        bits = bits or self.bits
        return self.define(f"OpConstant {self.int(bits)} {value & (1 << bits) - 1}")

    def op(self, text, decoration=None):
        name = self.new()
        self.code.append(f"{name} = {text}")
        if decoration:
            self.decorations.append(f"OpDecorate {name} {decoration}")
        return name

    # ---- results
    def result(self, label, value, model, bits=None):
        """value: of type i{bits}; model: of x, y, f of a work-item, and cut to the width."""
        bits = bits or self.bits
        wide = value if bits == 64 else self.op(f"OpUConvert {self.word} {value}")
        place = len(self.names)
        self.names.append(label)
        mask = (1 << bits) - 1
        self.expected.append([int(model(*item)) & mask for item in self.values])
        index = self.op(f"OpIAdd {self.word} %id {self.constant(place * ITEMS, 64)}")
        pointer = self.op(f"OpInBoundsPtrAccessChain %ptr %out {index}")
        self.code.append(f"OpStore {pointer} {wide} Aligned 8")

    def text(self):
        gid = self.define(f"OpTypeVector {self.word} 3")
        lines = [HEAD, *self.decorations]
        lines += [f"{name} = {text}" for text, name in self.types.items() if not text.startswith("OpTypeVector")]
        lines += [f"{name} = {text}" for text, name in self.types.items() if text.startswith("OpTypeVector")]
        head = "\n".join(lines)
        body = "\n".join([*self.code])
        return f"""{head}
%void = OpTypeVoid
%ptr = OpTypePointer CrossWorkgroup {self.word}
%in_ptr = OpTypePointer Input {gid}
%gid = OpVariable %in_ptr Input
{chr(10).join(self.globals)}
%fn = OpTypeFunction %void %ptr %ptr %ptr %ptr
%unary_fn = OpTypeFunction {self.n} {self.n}
%k = OpFunction %void None %fn
%out = OpFunctionParameter %ptr
%in_x = OpFunctionParameter %ptr
%in_y = OpFunctionParameter %ptr
%in_f = OpFunctionParameter %ptr
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
%negated = OpFunction {self.n} None %unary_fn
%negated_x = OpFunctionParameter {self.n}
%negated_start = OpLabel
%negated_v = OpSNegate {self.n} %negated_x
OpReturnValue %negated_v
OpFunctionEnd
"""


def operations(m, x, y, count):
    """One instruction each, on values of the width."""
    bits, n = m.bits, m.n
    for name, model in binary_model(bits).items():
        if bits == 1 and name in ("SDiv", "SRem", "SMod"):
            continue  # -1 / -1 is not -1
        second = count if name.startswith("Shift") else y
        m.result(name, m.op(f"Op{name} {n} {x} {second}"), lambda a, b, _, model=model: model(a, b))
    for name, model in {"SNegate": lambda a: -a, "Not": lambda a: ~a, "BitReverse": lambda a: reverse(a, bits),
                        "BitCount": lambda a: bin(a).count("1"), "CopyObject": lambda a: a}.items():
        m.result(name, m.op(f"Op{name} {n} {x}"), lambda a, b, _, model=model: model(a))
    m.result("call", m.op(f"OpFunctionCall {n} %negated {x}"), lambda a, b, _: -a)
    boolean = m.define("OpTypeBool")
    for name, model in compare_model(bits).items():
        test = m.op(f"Op{name} {boolean} {x} {y}")
        chosen = m.op(f"OpSelect {n} {test} {x} {y}")
        m.result(name, chosen, lambda a, b, _, model=model: a if model(a, b) else b)
    half_x = m.op(f"OpShiftRightArithmetic {n} {x} {m.constant(min(1, bits - 1))}")
    half_y = m.op(f"OpShiftRightArithmetic {n} {y} {m.constant(min(1, bits - 1))}")
    if bits > 1:
        s = lambda v: signed(v, bits) >> 1
        m.result("nsw", m.op(f"OpIAdd {n} {half_x} {half_y}", "NoSignedWrap"), lambda a, b, _: s(a) + s(b))
        difference = m.op(f"OpISub {n} {half_x} {half_y}", "NoSignedWrap")
        m.result("nsw sext", m.op(f"OpSConvert {m.word} {difference}") if bits < 64 else difference,
                 lambda a, b, _: s(a) - s(b), 64)


def pairs(m, x, y):
    bits, n = m.bits, m.n
    s = lambda v: signed(v, bits)
    pair = m.define(f"OpTypeStruct {n} {n}")
    for name, low, high in (
            ("IAddCarry", lambda a, b: a + b, lambda a, b: a + b >> bits),
            ("ISubBorrow", lambda a, b: a - b, lambda a, b: a < b),
            ("UMulExtended", lambda a, b: a * b, lambda a, b: a * b >> bits),
            ("SMulExtended", lambda a, b: a * b, lambda a, b: s(a) * s(b) >> bits)):
        both = m.op(f"Op{name} {pair} {x} {y}")
        m.result(name + " 0", m.op(f"OpCompositeExtract {n} {both} 0"), lambda a, b, _, low=low: low(a, b))
        m.result(name + " 1", m.op(f"OpCompositeExtract {n} {both} 1"), lambda a, b, _, high=high: high(a, b))


def fields(m, x, y):
    bits, n = m.bits, m.n
    for offset, count in {(0, bits), (bits // 3, bits - bits // 3), (bits // 2, min(1, bits - bits // 2)), (0, 0)}:
        where = f"{m.constant(offset, 32)} {m.constant(count, 32)}"
        field = lambda a, offset=offset, count=count: a >> offset & (1 << count) - 1
        m.result(f"BitFieldInsert {offset} {count}", m.op(f"OpBitFieldInsert {n} {x} {y} {where}"),
                 lambda a, b, _, o=offset, c=count: a & ~((1 << c) - 1 << o) | (b & (1 << c) - 1) << o)
        m.result(f"BitFieldUExtract {offset} {count}", m.op(f"OpBitFieldUExtract {n} {x} {where}"),
                 lambda a, b, _, field=field: field(a))
        m.result(f"BitFieldSExtract {offset} {count}", m.op(f"OpBitFieldSExtract {n} {x} {where}"),
                 lambda a, b, _, field=field, c=count: signed(field(a), c) if c else 0)


def conversions(m, x, f):
    bits, n = m.bits, m.n
    s = lambda v: signed(v, bits)
    for to in sorted({8, 16, 32, 64, bits % 8 + 1, bits * 7 % 64 + 1, min(64, bits + 1), max(1, bits - 1)}):
        if to == bits:
            continue
        t, low, high, most = m.int(to), -(1 << (to - 1)), (1 << (to - 1)) - 1, (1 << to) - 1
        m.result(f"UConvert {to}", m.op(f"OpUConvert {t} {x}"), lambda a, b, _: a, to)
        m.result(f"SConvert {to}", m.op(f"OpSConvert {t} {x}"), lambda a, b, _: s(a), to)
        m.result(f"UConvert sat {to}", m.op(f"OpUConvert {t} {x}", "SaturatedConversion"),
                 lambda a, b, _, most=most: min(a, most), to)
        m.result(f"SConvert sat {to}", m.op(f"OpSConvert {t} {x}", "SaturatedConversion"),
                 lambda a, b, _, low=low, high=high: clamp(s(a), low, high), to)
        m.result(f"SatConvertSToU {to}", m.op(f"OpSatConvertSToU {t} {x}"),
                 lambda a, b, _, most=most: clamp(s(a), 0, most), to)
        m.result(f"SatConvertUToS {to}", m.op(f"OpSatConvertUToS {t} {x}"),
                 lambda a, b, _, high=high: min(a, high), to)
    if bits < 64:
        address, part = m.op(f"OpConvertPtrToU {m.word} %in_x"), m.op(f"OpConvertPtrToU {n} %in_x")
        rest = m.op(f"OpBitwiseAnd {m.word} {address} {m.constant(m.mask, 64)}")
        wide = m.op(f"OpUConvert {m.word} {part}")
        m.result("ConvertPtrToU", m.op(f"OpISub {m.word} {rest} {wide}"), lambda *_: 0, 64)
    m.result("BitCount of 64", m.op(f"OpBitCount {n} {m.word_x}"), lambda a, b, _: bin(m.word_of[a, b, _]).count("1"))
    double = m.define("OpTypeFloat 64")
    as_bits = lambda v: struct.unpack("<Q", struct.pack("<d", float(v)))[0]
    for name, model in (("ConvertUToF", lambda a: a), ("ConvertSToF", s)):
        v = m.op(f"Op{name} {double} {x}")
        m.result(name, m.op(f"OpBitcast {m.word} {v}"), lambda a, b, _, model=model: as_bits(model(a)), 64)
    low, high, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1, (1 << bits) - 1
    m.result("FToU sat", m.op(f"OpConvertFToU {n} {f}", "SaturatedConversion"), lambda a, b, v: clamp(int(v), 0, most))
    m.result("FToS sat", m.op(f"OpConvertFToS {n} {f}", "SaturatedConversion"),
             lambda a, b, v: clamp(int(v), low, high))
    scale = m.define(f"OpConstant {double} 0x1p-66") if bits < 4 else m.define(f"OpConstant {double} 0x1p{bits - 68}")
    scaled = m.op(f"OpFMul {double} {f} {scale}")
    by = 2.0 ** (-66 if bits < 4 else bits - 68)
    m.result("FToS", m.op(f"OpConvertFToS {n} {scaled}"), lambda a, b, v: int(v * by))
    absolute = m.op(f"OpExtInst {double} %std fabs {scaled}")
    m.result("FToU", m.op(f"OpConvertFToU {n} {absolute}"), lambda a, b, v: int(abs(v) * by))


def extended(m, x, y):
    bits, n = m.bits, m.n
    s = lambda v: signed(v, bits)
    for name, model in (
            ("s_max", lambda a, b: max(s(a), s(b))), ("s_min", lambda a, b: min(s(a), s(b))), ("u_max", max),
            ("u_min", min)):
        m.result(name, m.op(f"OpExtInst {n} %std {name} {x} {y}"), lambda a, b, _, model=model: model(a, b))
    for name, model in (("s_abs", lambda a: abs(s(a))), ("u_abs", lambda a: a),
                        ("clz", lambda a: bits - a.bit_length()), ("popcount", lambda a: bin(a).count("1")),
                        ("ctz", lambda a: (a & -a).bit_length() - 1 if a else bits)):
        m.result(name, m.op(f"OpExtInst {n} %std {name} {x}"), lambda a, b, _, model=model: model(a))


def vectors(m, x, y):
    bits, n = m.bits, m.n
    s = lambda v: signed(v, bits)
    v4, v2 = m.vector(bits, 4), m.vector(bits, 2)
    a = m.op(f"OpCompositeConstruct {v4} {x} {y} {x} {y}")
    b = m.op(f"OpCompositeConstruct {v4} {y} {y} {x} {x}")
    total = m.op(f"OpIMul {v4} {a} {b}")
    total = m.op(f"OpISub {v4} {total} {a}")
    boolean = m.define("OpTypeBool")
    bools = m.define(f"OpTypeVector {boolean} 4")
    less = m.op(f"OpSLessThan {bools} {a} {b}")
    total = m.op(f"OpSelect {v4} {less} {total} {b}")
    mixed = m.op(f"OpVectorShuffle {v2} {total} {a} 3 4")
    models = [lambda p, q, _: p * q - p if s(p) < s(q) else q, lambda p, q, _: q,
              lambda p, q, _: p, lambda p, q, _: q * p - q if s(q) < s(p) else p]
    for lane, model in enumerate(models):
        m.result(f"vector {lane}", m.op(f"OpCompositeExtract {n} {total} {lane}"), model)
    index = m.op(f"OpBitwiseAnd {m.word} %id {m.constant(1, 64)}")
    dynamic = m.op(f"OpVectorExtractDynamic {n} {mixed} {index}")
    m.result("shuffle", m.op(f"OpIAdd {n} {dynamic} {dynamic}"),
             lambda p, q, _: 2 * (p if m.values.index((p, q, _)) & 1 else models[3](p, q, _)))
    part = m.op(f"OpVectorShuffle {v4} {a} {b} 4294967295 1 6 4294967295")
    part = m.op(f"OpUConvert {m.vector(64, 4)} {part}") if bits < 64 else part
    m.result("undefined lanes", m.op(f"OpCompositeExtract {m.word} {part} 1"), lambda p, q, _: q, 64)
    if bits <= 32:
        two = m.op(f"OpBitcast {m.int(2 * bits)} {mixed}")
        m.result("bitcast of 2", two, lambda p, q, _: (models[3](p, q, _) & m.mask) | p << bits, 2 * bits)
        back = m.op(f"OpBitcast {v2} {two}")
        m.result("bitcast to 2", m.op(f"OpCompositeExtract {n} {back} 1"), lambda p, q, _: p)
    if bits in (1, 2, 3, 4, 8, 16): # bits that are bools
        bools = m.define(f"OpTypeVector {boolean} {bits}")
        mask = m.op(f"OpBitcast {bools} {x}")
        m.result("bools", m.op(f"OpSelect {n} {m.op(f'OpAny {boolean} {mask}')} {y} {x}"),
                 lambda p, q, _: q if p else p)
        m.result("bools and back", m.op(f"OpBitcast {n} {mask}"), lambda p, q, _: p)
    if bits in (24, 48):
        bytes3 = m.op(f"OpBitcast {m.vector(bits // 3, 3)} {x}")
        m.result("bitcast to 3", m.op(f"OpCompositeExtract {m.int(bits // 3)} {bytes3} 2"),
                 lambda p, q, _: p >> bits // 3 * 2, bits // 3)


def memory(m, x, y):
    """Values in an array, stored beside each other in reverse order; and an index with a sign."""
    bits, n = m.bits, m.n
    three = m.define(f"OpTypeArray {n} {m.constant(3, 32)}")
    m.globals += [f"%array_ptr = OpTypePointer Function {three}", f"%element_ptr = OpTypePointer Function {n}",
                  f"%byte_ptr = OpTypePointer Function {m.int(8)}"]
    m.code.insert(0, "%array = OpVariable %array_ptr Function")
    places = [m.op(f"OpInBoundsAccessChain %element_ptr %array {m.constant(k, 64)}") for k in range(3)]
    for k, value in ((2, x), (1, y), (0, x)):
        m.code.append(f"OpStore {places[k]} {value}")
    some = m.op(f"OpLoad {n} {places[1]}")
    other = m.op(f"OpLoad {n} {places[2]}")
    m.result("memory", m.op(f"OpISub {n} {other} {some}"), lambda p, q, _: p - q)
    # bytes beyond the value's own are left as they are
    base = m.op(f"OpBitcast %byte_ptr {places[0]}")
    size = (bits + 7) // 8
    last = m.op(f"OpInBoundsPtrAccessChain %byte_ptr {base} {m.constant(size, 64)}")
    m.code.append(f"OpStore {last} {m.constant(0x5a, 8)}")
    m.code.append(f"OpStore {places[0]} {y} Aligned 1")
    m.result("byte after", m.op(f"OpLoad {m.int(8)} {last}"), lambda p, q, _: 0x5a, 8)
    # and bits above its width mean nothing
    for k in range(size):
        at = m.op(f"OpInBoundsPtrAccessChain %byte_ptr {base} {m.constant(k, 64)}")
        m.code.append(f"OpStore {at} {m.constant(0xff, 8)}")
    m.result("bits above", m.op(f"OpLoad {n} {places[0]} Aligned 1"), lambda p, q, _: -1)
    small = m.op(f"OpShiftRightArithmetic {n} {x} {m.constant(max(0, bits - 3))}")  # -4 to 3
    middle = m.op(f"OpInBoundsPtrAccessChain %ptr %in_x {m.constant(4, 64)}")
    pointer = m.op(f"OpPtrAccessChain %ptr {middle} {small}")
    m.result("index", m.op(f"OpLoad {m.word} {pointer} Aligned 8"),
             lambda p, q, _: m.words[4 + (signed(p, bits) >> max(0, bits - 3))], 64)


def flow(m, x, y):
    """A switch whose ways give a phi, in a loop with a phi."""
    bits, n = m.bits, m.n
    labels = sorted({0, 1, m.mask, 1 << (bits - 1), m.mask >> 1})
    boolean, one = m.define("OpTypeBool"), m.constant(1)
    cases = " ".join(f"{value} %case{k}" for k, value in enumerate(labels))
    m.code += ["OpBranch %loop", "%loop = OpLabel",
               f"%v = OpPhi {n} {x} {m.last_label} %w %join", f"%i = OpPhi {m.word} {m.constant(0, 64)} "
               f"{m.last_label} %next %join", f"OpSwitch %v %other {cases}"]
    phi = f"{y} %other"
    m.code += ["%other = OpLabel", "OpBranch %join"]
    for k, value in enumerate(labels):
        m.code += [f"%case{k} = OpLabel", "OpBranch %join"]
        phi += f" {m.constant(value * 3 + k)} %case{k}"
    m.code += ["%join = OpLabel", f"%picked = OpPhi {n} {phi}", f"%w = OpIAdd {n} %picked {one}",
               f"%next = OpIAdd {m.word} %i {m.constant(1, 64)}",
               f"%more = OpULessThan {boolean} %next {m.constant(5, 64)}", "OpBranchConditional %more %loop %done",
               "%done = OpLabel"]

    def model(p, q, _):
        for _ in range(5):
            p = ((labels.index(p) + p * 3 if p in labels else q) + 1) & m.mask
        return p
    m.result("flow", "%w", model)
    m.result("flow, before", "%v", lambda p, q, _: run_until(model, p, q, labels, m.mask))


def run_until(_, p, q, labels, mask):
    for _ in range(4):
        p = ((labels.index(p) + p * 3 if p in labels else q) + 1) & mask
    return p


def constants(m):
    """What OpSpecConstantOp computes, and values for specialization constants."""
    bits, n = m.bits, m.n
    x, y, _ = m.values[1]
    m.decorations += ["OpDecorate %spec_x SpecId 1", "OpDecorate %spec_y SpecId 2"]
    m.globals += [f"%spec_x = OpSpecConstant {n} {x}", f"%spec_y = OpSpecConstant {n} {(y + 1) & m.mask}"]
    spec = lambda text: (m.globals.append(f"{(name := m.new())} = OpSpecConstantOp {text}"), name)[1]
    m.result("spec y", "%spec_y", lambda *_: y)
    for name, model in binary_model(bits).items():
        if bits == 1 and name in ("SDiv", "SRem", "SMod"):
            continue
        shift = name.startswith("Shift")
        second = m.constant(y % bits) if shift else "%spec_y"
        m.result("spec " + name, spec(f"{n} {name} %spec_x {second}"), lambda *_, model=model: model(x, y))
    boolean = m.define("OpTypeBool")
    for name, model in compare_model(bits).items():
        test = spec(f"{boolean} {name} %spec_x %spec_y")
        chosen = spec(f"{n} Select {test} %spec_x %spec_y")
        m.result("spec " + name, chosen, lambda *_, model=model: x if model(x, y) else y)
    m.result("spec SNegate", spec(f"{n} SNegate %spec_x"), lambda *_: -x)
    m.result("spec Not", spec(f"{n} Not %spec_x"), lambda *_: ~x)
    for to in {8, 32, 64, bits * 5 % 64 + 1} - {bits}:
        m.result(f"spec SConvert {to}", spec(f"{m.int(to)} SConvert %spec_x"), lambda *_: signed(x, bits), to)
        m.result(f"spec UConvert {to}", spec(f"{m.int(to)} UConvert %spec_x"), lambda *_: x, to)


def values_of(bits, words, divisors, floats):
    mask = (1 << bits) - 1
    values = []
    for x, y, f in zip(words, divisors, floats):
        y = y & mask or 1
        if bits > 1 and x & mask == 1 << (bits - 1) and y == mask:
            y = 1  # whose quotient would not fit
        values.append((x & mask, y, f))
    return values


def make(bits):
    """The module and the arguments of kiln run."""
    chance = random.Random(bits)
    top = 1 << (bits - 1)
    words = [0, 1, top, top - 1, 2 * top - 1, top + 1, 2 * top - 2, 5]
    words = [v | chance.getrandbits(64) & -(2 * top) for v in words] + [chance.getrandbits(64) for _ in range(8)]
    words = [v & (1 << 64) - 1 for v in words]
    divisors = [3, 2 * top - 1, 2 * top - 1, 2, top, 7, 1] + [chance.getrandbits(64) >> k * 7 for k in range(9)]
    floats = [0.0, 1.5, -1.5, 2.0 ** 66, -2.0 ** 66, top * 0.75, -0.75 * top, 1e3, -1e3]
    floats += [chance.uniform(-2, 2) * top for _ in range(7)]
    values = values_of(bits, words, divisors, floats)
    m = Module(bits, values)
    m.words, m.globals, m.last_label = words, [], "%entry"
    m.code += [f"%ids = OpLoad {m.vector(64, 3)} %gid", f"%id = OpCompositeExtract {m.word} %ids 0"]
    loaded = []
    for name in ("in_x", "in_y", "in_f"):
        pointer = m.op(f"OpInBoundsPtrAccessChain %ptr %{name} %id")
        loaded.append(m.op(f"OpLoad {m.word} {pointer} Aligned 8"))
    m.word_x, m.word_of = loaded[0], dict(zip(values, words))
    x, y = (m.op(f"OpUConvert {m.n} {v}") if bits < 64 else v for v in loaded[:2])
    f = m.op(f"OpBitcast {m.define('OpTypeFloat 64')} {loaded[2]}")
    operations(m, x, y, m.op(f"OpUMod {m.n} {y} {m.constant(bits)}") if bits < m.mask else m.constant(0))
    for add in (pairs, fields, extended, vectors, memory):
        add(m, x, y)
    conversions(m, x, f)
    constants(m)
    flow(m, x, y)
    numbers = lambda items: "list:i64:" + ",".join(str(signed(v, 64)) for v in items)
    as_words = [struct.unpack("<Q", struct.pack("<d", v))[0] for v in floats]
    arguments = ["-g", str(ITEMS), "-p", "0:i64", "--spec", f"2={values[1][1]}", f"zero:i64:{len(m.names) * ITEMS}",
                 numbers(words), numbers([y for _, y, _ in values]), numbers(as_words)]
    return m, arguments


def run(kiln, backend, bits, folder):
    """What is wrong, or nothing; and the number of results."""
    m, arguments = make(bits)
    source, module = Path(folder) / "w.spvasm", Path(folder) / "w.spv"
    source.write_text(m.text())
    done = subprocess.run(["spirv-as", "--target-env", "spv1.4", source, "-o", module], capture_output=True, text=True)
    if done.returncode:
        return done.stderr, 0
    done = subprocess.run([kiln, "run", module, "-b", backend, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "COMPILE_CACHE": "off"})
    if done.returncode or not done.stdout.startswith("0: "):
        return done.stdout + done.stderr, 0
    got = [int(word) & (1 << 64) - 1 for word in done.stdout.split("\n")[0][3:].split()]
    wrong = []
    for k, (name, expected) in enumerate(zip(m.names, m.expected)):
        row = got[k * ITEMS:(k + 1) * ITEMS]
        for item in range(ITEMS):
            if row[item] != expected[item]:
                wrong.append(f"  {name} of {m.values[item]}: {row[item]:#x}, not {expected[item]:#x}")
                break
    return "\n".join(wrong), len(m.names) * ITEMS


def main():
    kiln, rest = sys.argv[1], sys.argv[2:]
    backend = "interp"
    if rest[:1] == ["-b"]:
        backend, rest = rest[1], rest[2:]
    count = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for bits in map(int, rest or range(1, 65)):
            wrong, results = run(kiln, backend, bits, folder)
            count += results
            if wrong or not results:
                faults += 1
                print(f"{bits} bits:\n{wrong}")
    print(f"{count} results, {faults} widths with faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
