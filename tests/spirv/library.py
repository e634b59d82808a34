#!/usr/bin/env python3
"""The extended instructions of OpenCL.std give the bits that the functions of OpenCL C give.

  library.py KILN EXT_DEF [-b BACKEND] [--keep FOLDER]

For each type a kernel that has every instruction which takes it, as SPIR-V (spirv-as) and as OpenCL C, both run on the
same data. Every row of EXT_DEF (jit/spirv/ext.def) must be in some kernel. What function an instruction is stands here a
second time, on purpose: jit/spirv/ext_lower.def is what is tested.
"""
import argparse
import random
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ITEMS = 32
BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "half": 16, "float": 32, "double": 64}
INTS = {8: "char", 16: "short", 32: "int", 64: "long"}

UNARY = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1
 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees
 radians sign""".split()
BINARY = """atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder step
 fmax_common:max fmin_common:min""".split()
TERNARY = "fma mad mix smoothstep fclamp:clamp".split()
FLOAT_UNARY = [form + "_" + name for form in ("half", "native")
               for name in "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split()]
FLOAT_BINARY = [form + "_" + name for form in ("half", "native") for name in ("divide", "powr")]
INT_UNARY = "s_abs u_abs clz ctz popcount".split()
INT_BINARY = [sign + name for sign in ("s_", "u_")
              for name in "abs_diff add_sat hadd rhadd max min mul_hi sub_sat".split()] + ["rotate"]
INT_TERNARY = [sign + name for sign in ("s_", "u_") for name in "clamp mad_hi mad_sat".split()]
ROUNDINGS = ["_rte", "_rtz", "_rtp", "_rtn"]  # FPRoundingMode 0 to 3


class Kernel:
    """One kernel in both languages. A value is (id in SPIR-V, expression in C, type); a type is (element, lanes)."""

    def __init__(self, numbers, element, lanes):
        self.numbers, self.element, self.lanes = numbers, element, lanes
        self.type = (element, lanes)
        self.types, self.constants, self.variables, self.code, self.c = {}, {}, [], [], []
        self.params, self.used, self.count = [], set(), 0  # params: (name, type, data or None, size, space)
        self.results = {}
        self.imports = []

    # ---- SPIR-V
    def new(self):
        self.count += 1
        return f"%t{self.count}"

    def op(self, text):
        name = self.new()
        self.code.append(f"{name} = {text}")
        return name

    def define(self, text):
        if text not in self.types:
            self.types[text] = f"%d{len(self.types)}"
        return self.types[text]

    def spv(self, kind):
        element, lanes = kind
        if element in ("void", "bool"):
            return self.define(f"OpType{element.title()}")
        number = BITS[element]
        is_float = element in ("half", "float", "double")
        scalar = self.define(f"OpTypeFloat {number}" if is_float else f"OpTypeInt {number} 0")
        return scalar if lanes == 1 else self.define(f"OpTypeVector {scalar} {lanes}")

    def pointer(self, space, kind):
        return self.define(f"OpTypePointer {space} {self.spv(kind)}")

    def constant(self, kind, value):
        scalar = self.define(f"OpConstant {self.spv((kind[0], 1))} {value}")
        if kind[1] == 1:
            return scalar
        return self.define(f"OpConstantComposite {self.spv(kind)} " + " ".join([scalar] * kind[1]))

    # ---- C
    @staticmethod
    def name(kind, unsigned=False):
        element, lanes = kind
        return ("u" if unsigned else "") + element + (str(lanes) if lanes > 1 else "")

    # ---- both
    def param(self, name, kind, size, data=None, space="CrossWorkgroup"):
        for known in self.params:
            if known[0] == name:
                return
        self.params.append((name, kind, data, size, space))

    def element_of(self, name, kind, index, space="CrossWorkgroup"):
        pointer = self.op(f"OpInBoundsPtrAccessChain {self.pointer(space, kind)} %{name} {index}")
        return pointer

    def index(self, offset):
        return self.op(f"OpIAdd {self.spv(('long', 1))} %id {self.constant(('long', 1), offset)}") if offset else "%id"

    def input(self, name, kind, data, which=0):
        """Value number `which` of this item in an array of inputs."""
        self.param(name, kind, len(data), data)
        pointer = self.element_of(name, kind, self.index(which * ITEMS))
        bytes_of = BITS[kind[0]] // 8
        value = self.op(f"OpLoad {self.spv(kind)} {pointer} Aligned {bytes_of}")
        return value, f"{name}[i + {which * ITEMS}]", kind

    def result(self, value, text, kind):
        """Stores a result; its C type may be unsigned."""
        name = "out_" + self.name(kind)
        place = self.results.get(kind, 0)
        self.results[kind] = place + 1
        pointer = self.element_of(name, kind, self.index(place * ITEMS))
        self.code.append(f"OpStore {pointer} {value} Aligned {BITS[kind[0]] // 8}")
        self.c.append(f"{name}[i + {place * ITEMS}] = as_{self.name(kind)}({text});")

    def ext(self, name, kind, operands):
        self.used.add(name)
        return self.op(f"OpExtInst {self.spv(kind)} %std {name} " + " ".join(operands))

    def call(self, row, kind, values, unsigned=False):
        """An instruction on values whose result is stored. row: NAME or NAME:FUNCTION."""
        name, _, function = row.partition(":")
        function = function or re.sub("^[su]_", "", name)
        unsigned = unsigned or name.startswith("u_")
        args = [f"as_{self.name(v[2], True)}({v[1]})" if unsigned and v[2][0] in INTS.values() else v[1] for v in values]
        value = self.ext(name, kind, [v[0] for v in values])
        self.result(value, f"{function}({', '.join(args)})", kind)

    def imported(self, name, kind, values):
        """A call of an import; each value ends with the id of its type."""
        function = f"%import{len(self.imports)}"
        self.imports.append((function, name, self.spv(kind), [v[-1] for v in values]))
        return self.op(f"OpFunctionCall {self.spv(kind)} {function} " + " ".join(v[0] for v in values))

    def variable(self, kind, space="Function"):
        name = self.new()
        self.variables.append(f"{name} = OpVariable {self.pointer(space, kind)} Function")
        text = f"v{name[2:]}"
        self.c.append(f"{self.name(kind)} {text};")
        return name, text

    def with_pointer(self, name, kind, values, pointee, spaces=("private", "generic", "global")):
        """A function whose last parameter is a pointer to a second result."""
        for space in spaces:
            if space == "global":
                place = self.results.get(pointee, 0)
                self.results[pointee] = place + 1
                out = "out_" + self.name(pointee)
                pointer = self.element_of(out, pointee, self.index(place * ITEMS))
                text = f"{out} + i + {place * ITEMS}"
            else:
                variable, c_variable = self.variable(pointee)
                pointer, text = variable, "&" + c_variable
                if space == "generic":
                    pointer = self.op(f"OpPtrCastToGeneric {self.pointer('Generic', pointee)} {variable}")
                    text = f"(generic {self.name(pointee)} *)&{c_variable}"
            value = self.ext(name, kind, [v[0] for v in values] + [pointer])
            temp = f"r{value[2:]}"
            self.c.append(f"{self.name(kind)} {temp} = {name}({', '.join([v[1] for v in values] + [text])});")
            self.result(value, temp, kind)
            if space != "global":
                loaded = self.op(f"OpLoad {self.spv(pointee)} {variable} Aligned {BITS[pointee[0]] // 8}")
                self.result(loaded, c_variable, pointee)

    # ---- data
    def floats(self, count, lo=-8.0, hi=8.0):
        special = [0.0, -0.0, 1.0, -1.0, 0.5, float("inf"), float("-inf"), float("nan"), 2.0, 3.0, 100.0]
        return [self.numbers.choice(special) if self.numbers.random() < 0.45 else self.numbers.uniform(lo, hi)
                for _ in range(count)]

    def ints(self, bits, count, lo=None, hi=None):
        lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if lo is None else (lo, hi)
        special = [v for v in (lo, hi, 0, 1, -1, 2) if lo <= v <= hi]
        return [self.numbers.choice(special) if self.numbers.random() < 0.25 else self.numbers.randint(lo, hi)
                for _ in range(count)]

    def data(self, kind, arrays, lo=None, hi=None):
        element, lanes = kind
        step = 4 if lanes == 3 else lanes
        count = arrays * ITEMS * step
        if element in ("half", "float", "double"):
            letter = {"half": "e", "float": "f", "double": "d"}[element]
            return struct.pack(f"<{count}{letter}", *self.floats(count))
        letter = {"char": "b", "short": "h", "int": "i", "long": "q"}[element]
        return struct.pack(f"<{count}{letter}", *self.ints(BITS[element], count, lo, hi))

    # ---- the whole
    def finish(self):
        for kind, places in self.results.items():
            step = 4 if kind[1] == 3 else kind[1]
            self.param("out_" + self.name(kind), kind, places * ITEMS * step * BITS[kind[0]] // 8)

    def assembly(self):
        long_vector = self.define(f"OpTypeVector {self.spv(('long', 1))} 3")
        input_pointer = self.define(f"OpTypePointer Input {long_vector}")
        pointers = [self.pointer(space, kind) for _, kind, _, _, space in self.params]
        function = self.define(f"OpTypeFunction {self.spv(('void', 1))} " + " ".join(pointers))
        declared = []
        for name, _, result, params in self.imports:
            kind = self.define(f"OpTypeFunction {result} " + " ".join(params))
            declared += [f"{name} = OpFunction {result} None {kind}"]
            declared += [f"{name}_{at} = OpFunctionParameter {param}" for at, param in enumerate(params)] + ["OpFunctionEnd"]
        lines = ["OpCapability " + name for name in
                 "Kernel Addresses Linkage Int8 Int16 Int64 Float16 Float16Buffer Float64 Vector16 GenericPointer".split()]
        lines += ['%std = OpExtInstImport "OpenCL.std"', "OpMemoryModel Physical64 OpenCL",
                  'OpEntryPoint Kernel %k "k" %ids', "OpDecorate %ids BuiltIn GlobalInvocationId"]
        lines += [f'OpDecorate {name} LinkageAttributes "{text}" Import' for name, text, _, _ in self.imports]
        lines += [f"{name} = {text}" for text, name in self.types.items()]
        lines += [f"%ids = OpVariable {input_pointer} Input"] + declared + [f"%k = OpFunction {self.spv(('void', 1))} None {function}"]
        lines += [f"%{p[0]} = OpFunctionParameter {pointer}" for p, pointer in zip(self.params, pointers)]
        lines += ["%entry = OpLabel"] + self.variables
        lines += [f"%all = OpLoad {long_vector} %ids", f"%id = OpCompositeExtract {self.spv(('long', 1))} %all 0"]
        return "\n".join(lines + self.code + ["OpReturn", "OpFunctionEnd"]) + "\n"

    def source(self):
        space = {"CrossWorkgroup": "global", "UniformConstant": "constant"}
        params = ", ".join(f"{space[p[4]]} {self.name(p[1])} *{p[0]}" for p in self.params)
        body = "\n  ".join(self.c)
        return f"kernel void k({params}) {{\n  size_t i = get_global_id(0);\n  {body}\n}}\n"


def common(k):
    """What takes numbers of any type."""
    kind, mask = k.type, (INTS[BITS[k.element]], k.lanes)
    inputs = k.data(kind, 3)
    x, y, z = (k.input("a", kind, inputs, which) for which in range(3))
    masks = k.data(mask, 2)
    m = k.input("m", mask, masks)
    k.call("bitselect", kind, [x, y, z])
    k.call("select", kind, [x, y, m])
    scalar = (k.element, 1)
    if k.lanes > 1:
        for space in ("CrossWorkgroup", "UniformConstant"):
            name = "e" if space == "CrossWorkgroup" else "ec"
            data = k.data(scalar, k.lanes)
            k.param(name, scalar, len(data), data, space)
            value = k.ext("vloadn", kind, ["%id", f"%{name}", str(k.lanes)])
            k.result(value, f"vload{k.lanes}(i, {name})", kind)
        k.param("stored", scalar, ITEMS * k.lanes * BITS[k.element] // 8)
        k.ext("vstoren", ("void", 1), [x[0], "%id", "%stored"])
        k.c.append(f"vstore{k.lanes}({x[1]}, i, stored);")
        if k.lanes != 3:
            unsigned = f"as_{k.name(mask, True)}({m[1]})"
            k.result(k.ext("shuffle", kind, [x[0], m[0]]), f"shuffle({x[1]}, {unsigned})", kind)
            k.result(k.ext("shuffle2", kind, [x[0], y[0], m[0]]), f"shuffle2({x[1]}, {y[1]}, {unsigned})", kind)
            pair = k.op(f"OpVectorShuffle {k.spv((k.element, 2))} {x[0]} {y[0]} 0 {k.lanes}")
            text = f"({k.name((k.element, 2))})({x[1]}.s0, {y[1]}.s0)"
            k.result(k.ext("shuffle", kind, [pair, m[0]]), f"shuffle({text}, {unsigned})", kind)
    k.ext("prefetch", ("void", 1), ["%a", "%id"])
    k.c.append("prefetch(a, i);")
    return x, y, z, m


def float_kernel(k):
    kind, ints, scalar = k.type, ("int", k.lanes), (k.element, 1)
    x, y, z, m = common(k)
    n = k.input("n", ints, k.data(ints, 1, -5, 5))
    for row in UNARY + (FLOAT_UNARY if k.element == "float" else []):
        k.call(row, kind, [x])
    for row in BINARY + (FLOAT_BINARY if k.element == "float" else []):
        k.call(row, kind, [x, y])
    for row in TERNARY:
        k.call(row, kind, [x, y, z])
    for row in "ldexp pown rootn".split():
        k.call(row, kind, [x, n])
    k.call("ilogb", ints, [x])
    k.call("nan", kind, [m], unsigned=True)
    for exponent in ("2", "0.5", "-1", "3", "0", "2.5"):
        suffix = {"half": "h", "float": "f", "double": ""}[k.element]
        number = exponent + ("" if "." in exponent else ".0") + suffix
        value = (k.constant(kind, exponent), f"({k.name(kind)})({number})", kind)
        k.call("pow", kind, [x, value])
        if k.element == "float":
            k.call("native_powr", kind, [x, value])
            k.call("half_powr", kind, [x, value])
    for exponent in ("2", "7", "-1", "9"):
        unsigned = str(int(exponent) & 0xffffffff)
        k.call("pown", kind, [x, (k.constant(ints, unsigned), f"({k.name(ints)})({exponent})", ints)])
    for name, pointee in (("fract", kind), ("modf", kind), ("sincos", kind), ("frexp", ints), ("lgamma_r", ints)):
        k.with_pointer(name, kind, [x], pointee)
    k.with_pointer("remquo", kind, [x, y], ints)
    if k.lanes <= 4:
        for row in ["length", "distance"] + (["fast_length", "fast_distance"] if k.element != "double" else []):
            k.call(row, scalar, [x, y][:2 if "distance" in row else 1])
        for row in ["normalize"] + (["fast_normalize"] if k.element != "double" else []):
            k.call(row, kind, [x])
    if k.lanes in (3, 4):
        k.call("cross", kind, [x, y])
    if k.element != "half":
        halves(k, x)


def halves(k, x):
    half = ("half", 1)
    stride = 4 if k.lanes == 3 else k.lanes
    n = str(k.lanes) if k.lanes > 1 else ""
    data = k.data(half, 16)
    if k.element == "float":
        k.param("h", half, len(data), data)
        loads = [("vloada_halfn", f"vloada_half{n}", [str(k.lanes)])]
        loads += [("vload_halfn", f"vload_half{n}", [n])] if n else [("vload_half", "vload_half", [])]
        for name, function, literal in loads:
            k.result(k.ext(name, k.type, ["%id", "%h"] + literal), f"{function}(i, h)", k.type)
    k.param("stored_half", half, 15 * ITEMS * stride * 2)
    for which, (name, function, mode) in enumerate(
            [(name + ("_r" if mode is not None else ""), function + (ROUNDINGS[mode] if mode is not None else ""), mode)
             for name, function in (("vstore_halfn", f"vstore_half{n}") if n else ("vstore_half", "vstore_half"),
                                    ("vstorea_halfn", f"vstorea_half{n}"))
             for mode in (None, 0, 1, 2, 3)]):
        offset = k.index(which * ITEMS)
        literal = ["RTE RTZ RTP RTN".split()[mode]] if mode is not None else []
        k.ext(name, ("void", 1), [x[0], offset, "%stored_half"] + literal)
        k.c.append(f"{function}({x[1]}, i + {which * ITEMS}, stored_half);")


def int_kernel(k):
    kind = k.type
    x, y, z, _ = common(k)
    for row in INT_UNARY:
        k.call(row, kind, [x])
    for row in INT_BINARY:
        k.call(row, kind, [x, y])
    for row in INT_TERNARY:
        k.call(row, kind, [x, y, z])
    if k.element == "int":
        small = k.data(kind, 2, -(1 << 23), (1 << 23) - 1)
        s, t = (k.input("s", kind, small, which) for which in range(2))
        positive = k.data(kind, 2, 0, (1 << 24) - 1)
        p, q = (k.input("p", kind, positive, which) for which in range(2))
        k.call("s_mul24", kind, [s, t])
        k.call("s_mad24", kind, [s, t, x])
        k.call("u_mul24", kind, [p, q])
        k.call("u_mad24", kind, [p, q, x])
    if BITS[k.element] < 64:
        wide, n = (INTS[2 * BITS[k.element]], k.lanes), k.name(kind, True)
        k.call("u_upsample", wide, [x, y])
        k.result(k.ext("s_upsample", wide, [x[0], y[0]]), f"upsample({x[1]}, as_{n}({y[1]}))", wide)


def printing(k):
    """printf, with texts that must be escaped and a string as an argument."""
    texts = ['%d "%s" %5.2f \\ %v4d ?\\?/ %% %hhu\\n', "te\"xt\\t\\x41"]
    raw = [b'%d "%s" %5.2f \\ %v4d ??/ %% %hhu\n\0', b'te"xt\tA\0']
    byte = k.spv(("char", 1))
    pointer = k.pointer("UniformConstant", ("char", 1))
    strings = []
    for text in raw:
        array = k.define(f"OpTypeArray {byte} {k.constant(('int', 1), len(text))}")
        init = k.define(f"OpConstantComposite {array} " + " ".join(k.constant(("char", 1), b) for b in text))
        variable = k.define(f"OpVariable {k.define(f'OpTypePointer UniformConstant {array}')} UniformConstant {init}")
        zero = k.constant(("int", 1), 0)
        strings.append(k.op(f"OpInBoundsAccessChain {pointer} {variable} {zero}"))
    data = k.data(k.type, 1)
    x = k.input("a", k.type, data)
    number = k.op(f"OpConvertSToF {k.spv(('float', 1))} {x[0]}")
    vector = k.op(f"OpCompositeConstruct {k.spv(('int', 4))} {x[0]} {x[0]} {x[0]} {x[0]}")
    small = k.op(f"OpUConvert {byte} {x[0]}")
    value = k.ext("printf", ("int", 1), [strings[0], x[0], strings[1], number, vector, small])
    c = texts[0].replace('"', '\\"').replace("\\ ", "\\\\ ").replace("??/", "?\\?/")
    k.result(value, f'printf("{c}", {x[1]}, "{texts[1]}", (float){x[1]}, (int4)({x[1]}), (uchar){x[1]})'.replace(
        '"te"xt', '"te\\"xt'), ("int", 1))


def imports(k):
    """Functions of OpenCL C by mangled names, and LLVM's, by which clang and its writer of SPIR-V import them."""
    sizes = {"i": ("int", 1), "Dv4_i": ("int", 4), "c": ("char", 1), "Dv2_s": ("short", 2), "m": ("long", 1), "f": ("float", 1),
             "Dv4_f": ("float", 4)}
    inputs = {}
    for kind in sizes.values():
        data = k.data(kind, 3)
        values = [k.input("a" + k.name(kind), kind, data, which) for which in range(3)]
        inputs[kind] = [(*value, k.spv(kind)) for value in values]
    for name, count, result, params, text in (
            ("_Z7add_satDv2_tS_", 2, "Dv2_s", "Dv2_s", "add_sat(as_ushort2({0}), as_ushort2({1}))"),
            ("_Z5rhaddcc", 2, "c", "c", "rhadd({0}, {1})"),
            ("_Z5rhaddhh", 2, "c", "c", "rhadd(as_uchar({0}), as_uchar({1}))"),
            ("_Z6mad_himmm", 3, "m", "m", "mad_hi(as_ulong({0}), as_ulong({1}), as_ulong({2}))"),
            ("_Z14convert_float4Dv4_j", 1, "Dv4_f", "Dv4_i", "convert_float4(as_uint4({0}))"),
            ("_Z14convert_float4Dv4_i", 1, "Dv4_f", "Dv4_i", "convert_float4({0})"),
            ("_Z9isgreaterDv4_fS_", 2, "Dv4_i", "Dv4_f", "isgreater({0}, {1})"),
            ("llvm.usub.sat.v4i32", 2, "Dv4_i", "Dv4_i", "sub_sat(as_uint4({0}), as_uint4({1}))"),
            ("llvm.sadd.sat.i8", 2, "c", "c", "add_sat({0}, {1})"),
            ("llvm.fshl.i32", 3, "i", "i", "(as_uint({0}) << {2}) | ({2} & 31 ? as_uint({1}) >> (32 - ({2} & 31)) : 0u)"),
            ("llvm.fshr.i64", 3, "m", "m", "({2} & 63 ? as_ulong({0}) << (64 - ({2} & 63)) : 0ul) | (as_ulong({1}) >> {2})"),
            ("llvm.fshl.i8", 3, "c", "c", "(char)((((as_uchar({0}) << 8) | as_uchar({1})) << ({2} & 7)) >> 8)"),
            ("llvm.fshr.v2i16", 3, "Dv2_s", "Dv2_s", "convert_short2_sat((int2)(0)) + (short2)("
             "(short)(((as_ushort({0}.x) << 16) | as_ushort({1}.x)) >> ({2}.x & 15)),"
             "(short)(((as_ushort({0}.y) << 16) | as_ushort({1}.y)) >> ({2}.y & 15)))"),
            ("llvm.bswap.i32", 1, "i", "i", "as_uchar4({0}).wzyx"),
            ("llvm.ctpop.v4i32", 1, "Dv4_i", "Dv4_i", "popcount({0})"),
            ("llvm.fmuladd.f32", 3, "f", "f", "mad({0}, {1}, {2})"),
            ("llvm.maxnum.v4f32", 2, "Dv4_f", "Dv4_f", "fmax({0}, {1})")):
        values = inputs[sizes[params]][:count]
        value = k.imported(name, sizes[result], values)
        k.result(value, text.format(*[f"{v[1]}" for v in values]), sizes[result])
    x = inputs[("int", 1)][0]
    truth = k.define(f"OpConstantTrue {k.spv(('bool', 1))}")
    value = k.imported("llvm.abs.i32", ("int", 1), [x, (truth, k.spv(("bool", 1)))])
    k.result(value, f"abs({x[1]})", ("int", 1))
    atomics(k, *inputs[("int", 1)][:2])


def atomics(k, x, y):
    kind = ("int", 1)
    pointer = k.pointer("CrossWorkgroup", kind)
    k.param("counters", kind, 4 * 14 * ITEMS)
    order = (k.constant(kind, 5), "memory_order_seq_cst", k.spv(kind))
    value = k.imported("_Z10atomic_incPU3AS1Vj", kind, [(k.element_of("counters", kind, "%id"), pointer)])
    k.result(value, "atomic_inc(counters + i)", kind)
    value = k.imported("_Z10atomic_decPU3AS1Vi", kind, [(k.element_of("counters", kind, "%id"), pointer)])
    k.result(value, "atomic_dec(counters + i)", kind)
    changes = [("i", name) for name in ("add", "sub", "xchg", "and", "or", "xor", "min", "max")]
    for n, (sign, name) in enumerate(changes + [("j", "min"), ("j", "max")]):
        at = 4 * ITEMS + n * ITEMS
        place = (k.element_of("counters", kind, k.index(at)), pointer)
        number = {"i": "int", "j": "uint"}[sign]
        for operand in (x, y, x):  # each call gives what the one before it has left
            value = k.imported(f"_Z{len(name) + 7}atomic_{name}PU3AS1V{2 * sign}", kind, [place, operand])
            c_place = f"(volatile global {number} *)counters + i + {at}"
            k.result(value, f"atomic_{name}({c_place}, ({number}){operand[1]})", kind)
    place = (k.element_of("counters", kind, k.index(ITEMS)), pointer)
    value = k.imported("_Z25atomic_fetch_max_explicitPU3AS1VU7_Atomicii12memory_order", kind, [place, x, order])
    k.result(value, f"atomic_max(counters + i + {ITEMS}, {x[1]})", kind)
    generic = k.pointer("Generic", kind)
    variable, c_variable = k.variable(kind)
    k.code.append(f"OpStore {variable} {x[0]}")
    expected = k.op(f"OpPtrCastToGeneric {generic} {variable}")
    place = k.op(f"OpPtrCastToGeneric {generic} {k.element_of('counters', kind, k.index(2 * ITEMS))}")
    truth = k.imported("_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomiciPU3AS4ii", ("bool", 1),
                       [(place, generic), (expected, generic), x])
    one, zero = k.constant(kind, 1), k.constant(kind, 0)
    k.result(k.op(f"OpSelect {k.spv(kind)} {truth} {one} {zero}"), f"counters[i + {2 * ITEMS}] == {x[1]}", kind)
    k.c.append(f"if (counters[i + {2 * ITEMS}] == {x[1]}) counters[i + {2 * ITEMS}] = {x[1]};")
    char = k.pointer("Generic", ("char", 1))
    cast = k.op(f"OpBitcast {char} {place}")
    local = k.define(f"OpTypePointer Workgroup {k.spv(('char', 1))}")
    k.imports.append((f"%import{len(k.imports)}", "__to_local", local, [char]))
    value = k.op(f"OpFunctionCall {local} {k.imports[-1][0]} {cast}")
    k.result(k.op(f"OpConvertPtrToU {k.spv(('long', 1))} {value}"), "0L", ("long", 1))


def group_imports(k):
    """Functions of work-items and groups; constants decide what a barrier is."""
    number, wide = ("int", 1), ("long", 1)
    x = (*k.input("a", number, k.data(number, 1)), k.spv(number))
    one, zero = ((k.constant(number, value), str(value), k.spv(number)) for value in (1, 0))
    k.c.append("barrier(CLK_LOCAL_MEM_FENCE);")
    k.imported("_Z7barrierj", ("void", 1), [one])
    k.imported("_Z18work_group_barrierj12memory_scope", ("void", 1), [one, one])
    for name, kind, values, text in (
            ("_Z22get_sub_group_local_idv", number, [], "get_sub_group_local_id()"),
            ("_Z20sub_group_reduce_addi", number, [x], f"sub_group_reduce_add({x[1]})"),
            ("_Z21work_group_reduce_maxi", number, [x], f"work_group_reduce_max({x[1]})"),
            ("_Z13get_global_idj", wide, [zero], "(long)i"),
            ("_Z14get_local_sizej", wide, [zero], "(long)get_local_size(0)")):
        k.result(k.imported(name, kind, values), text, kind)


FAULTS = (  # what the kernel does, and what the message says
    ("fract of an int", lambda k, x, p: k.ext("fract", ("int", 1), [x, p]), "fract: the result has a type"),
    ("fract without a pointer", lambda k, x, p: k.ext("fract", ("float", 1), [k.constant(("float", 1), 1), x]),
     "fract: operand 2 has a type"),
    ("sin of a vector that gives a scalar", lambda k, x, p: k.ext("sin", ("float", 1), [k.constant(("float", 2), 1)]),
     "sin: operand 1 has a type"),
    ("cross of two lanes", lambda k, x, p: k.ext("cross", ("float", 2), [k.constant(("float", 2), 1)] * 2), "cross"),
    ("frexp to constant memory", lambda k, x, p: k.ext("frexp", ("float", 1), [k.constant(("float", 1), 1), "%fixed"]), "frexp"),
    ("vload of another number of lanes", lambda k, x, p: k.ext("vloadn", ("int", 2), ["%id", "%a", "4"]), "4 lanes"),
    ("native_sin of double", lambda k, x, p: k.ext("native_sin", ("double", 1), [k.constant(("double", 1), 1)]), "native_sin"),
    ("a format that is not constant", lambda k, x, p: k.ext("printf", ("int", 1), [p]), "format"),
    ("an unknown import", lambda k, x, p: k.imported("from_nowhere", ("int", 1), [(x, k.spv(("int", 1)))]),
     "undefined import 'from_nowhere'"),
    ("an unknown mangled import", lambda k, x, p: k.imported("_Z7nowherei", ("int", 1), [(x, k.spv(("int", 1)))]),
     "undefined import '_Z7nowherei'"),
    ("types that are not those of the name", lambda k, x, p: k.imported("_Z3absm", ("int", 1), [(x, k.spv(("int", 1)))]),
     "undefined import '_Z3absm'"),
    ("a function of the library's own", lambda k, x, p: k.imported("_Z11__kiln_spv0i", ("int", 1), [(x, k.spv(("int", 1)))]),
     "undefined import '_Z11__kiln_spv0i'"),
    ("what is no function", lambda k, x, p: k.imported("_Z6returni", ("int", 1), [(x, k.spv(("int", 1)))]),
     "undefined import '_Z6returni'"),
)


def check_fault(kiln, folder, number):
    what, make, message = FAULTS[number]
    k = Kernel(random.Random(1), "int", 1)
    x = k.input("a", k.type, k.data(k.type, 1))
    k.param("fixed", k.type, 4, None, "UniformConstant")
    pointer, _ = k.variable(k.type)
    make(k, x[0], pointer)
    file = Path(folder) / f"fault{number}.spvasm"
    file.write_text(k.assembly())
    done = subprocess.run(["spirv-as", "--target-env", "spv1.2", file, "-o", file.with_suffix(".spv")], capture_output=True, text=True)
    if done.returncode:
        return f"{what}: spirv-as: {done.stderr}"
    done = subprocess.run([kiln, "compile", file.with_suffix(".spv"), "-b", "interp", "--emit", "ir", "-o", "/dev/null"],
                          capture_output=True, text=True)
    good = done.returncode == 1 and message in done.stderr and "internal" not in done.stderr
    return None if good else f"{what}: status {done.returncode}, {done.stderr[:500]!r}"


def kernels():
    numbers = random.Random(20)
    for element, all_lanes in {"float": (1, 2, 3, 4, 16), "double": (1, 4), "half": (1, 3, 8), "char": (1, 16), "short": (1, 3),
                               "int": (1, 2, 4), "long": (1, 8)}.items():
        for lanes in all_lanes:
            k = Kernel(numbers, element, lanes)
            (float_kernel if element in ("float", "double", "half") else int_kernel)(k)
            k.finish()
            yield f"{element}{lanes}", k
    k = Kernel(numbers, "int", 1)
    printing(k)
    k.finish()
    yield "printf", k
    k = Kernel(numbers, "int", 1)
    imports(k)
    k.finish()
    yield "imports", k
    k = Kernel(numbers, "int", 1)
    group_imports(k)
    k.finish()
    yield "group_imports", k


def run(kiln, backend, folder, stem, k):
    folder = Path(folder)
    (folder / f"{stem}.spvasm").write_text(k.assembly())
    (folder / f"{stem}.cl").write_text(k.source())
    done = subprocess.run(["spirv-as", "--target-env", "spv1.2", folder / f"{stem}.spvasm", "-o", folder / f"{stem}.spv"],
                          capture_output=True, text=True)
    if done.returncode:
        return f"{stem}: spirv-as: {done.stderr}"
    args, outs = [], []
    for at, (name, _, data, size, _) in enumerate(k.params):
        if data is None:
            args.append(f"zero:u8:{size}")
            outs.append((at, name))
        else:
            (folder / f"{stem}.{name}").write_bytes(data)
            args.append(f"buf:{folder}/{stem}.{name}")
    results = []
    for kind in ("spv", "cl"):
        command = [kiln, "run", folder / f"{stem}.{kind}", "-b", backend, "-g", str(ITEMS), "-l", "4"]
        command += ["--options", "-cl-std=CL3.0 -w"] if kind == "cl" else []
        command += [word for at, name in outs for word in ("-o", f"{at}:{folder}/{stem}.{name}.{kind}")]
        done = subprocess.run(command + args, capture_output=True, text=True)
        if done.returncode:
            return f"{stem}.{kind}: {done.stderr[:2000]}"
        results.append(sorted(done.stdout.splitlines()))  # of groups in any order
    if results[0] != results[1]:
        return f"{stem}: printed {results[0]!r}, and the program in C {results[1]!r}"
    for _, name in outs:
        spv, c = ((folder / f"{stem}.{name}.{kind}").read_bytes() for kind in ("spv", "cl"))
        if spv != c:
            at = next(i for i in range(len(c)) if spv[i] != c[i])
            return f"{stem}: {name} differs from byte {at} of {len(c)} on"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln")
    parser.add_argument("ext_def", type=Path)
    parser.add_argument("-b", "--backend", default="interp")
    parser.add_argument("--keep")
    args = parser.parse_args()
    everything = set(re.findall(r"^KILN_SPV_EXT\((\w+)", args.ext_def.read_text(), re.M))
    used, faults = set(), []
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(2) as pool:
        folder = args.keep or temporary
        Path(folder).mkdir(exist_ok=True)
        runs = []
        for stem, k in kernels():
            used |= k.used
            runs.append(pool.submit(run, args.kiln, args.backend, folder, stem, k))
        runs += [pool.submit(check_fault, args.kiln, folder, number) for number in range(len(FAULTS))]
        faults = [fault for fault in (r.result() for r in runs) if fault]
    if used != everything:
        faults.append(f"not tested: {sorted(everything - used)}")
    print("\n".join(faults) or f"{len(used)} instructions in {len(runs) - len(FAULTS)} kernels")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
