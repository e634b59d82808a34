#!/usr/bin/env python3
"""Writes the tables of jit/spirv/ from Khronos' grammar: spirv_tables.py [FOLDER]. The folder has
spirv.core.grammar.json and extinst.opencl.std.100.grammar.json (Debian: spirv-headers). The tables are kept in the
repository; a build needs no grammar."""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, '..', 'jit', 'spirv')

# Instructions, or operands of them, that the grammar of 1.6.1 lacks.
NEWER = [
    ('ControlBarrierArriveINTEL', 6142, 'iii'), ('ControlBarrierWaitINTEL', 6143, 'iii'),
    ('ArithmeticFenceEXT', 6145, 'TRi'),
    ('TypeFloat', 22, 'Rne?'), # with an encoding, such as bfloat16
    ('ConstantNull', 46, 'TRi*'), # LLVM 22 repeats the type of an event for each use of it
]

# Capabilities: taken, or read past (also those whose types are refused where they are declared, with their width), or
# refused because of what they stand for. All others are refused without reason.
TAKEN = '''Addresses Linkage Kernel Vector16 Float16Buffer Float16 Float64 Int64 Int64Atomics Groups Int16 Int8
GenericPointer GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot
GroupNonUniformShuffle GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformRotateKHR
ExpectAssumeKHR DotProduct DotProductInputAll DotProductInput4x8Bit DotProductInput4x8BitPacked
AtomicFloat16AddEXT AtomicFloat32AddEXT AtomicFloat64AddEXT AtomicFloat16MinMaxEXT AtomicFloat32MinMaxEXT
AtomicFloat64MinMaxEXT GroupUniformArithmeticKHR BitInstructions SubgroupShuffleINTEL SplitBarrierINTEL
KernelAttributesINTEL SubgroupDispatch ArithmeticFenceEXT ArbitraryPrecisionIntegersINTEL Int4TypeINTEL
SubgroupBufferBlockIOINTEL ImageBasic ImageReadWrite LiteralSampler Sampled1D Image1D SampledBuffer
ImageBuffer'''.split()
IGNORED = '''Matrix OptNoneINTEL OptNoneEXT MemoryAccessAliasingINTEL FPFastMathModeINTEL
UnstructuredLoopControlsINTEL RuntimeAlignedAttributeINTEL CacheControlsINTEL RegisterLimitsINTEL DenormPreserve
SignedZeroInfNanPreserve RoundingModeRTE FPMaxErrorINTEL'''.split()
REFUSED = [
    ('graphics', 'Shader Geometry Tessellation MeshShadingNV MeshShadingEXT RayTracingKHR RayTracingNV RayQueryKHR'),
    ('mipmaps', 'ImageMipmap'),
    ('images in arrays', 'SampledImageArrayDynamicIndexing'),
    ('blocks of images', 'SubgroupImageBlockIOINTEL SubgroupImageMediaBlockIOINTEL'),
    ('pipes', 'Pipes PipeStorage BlockingPipesINTEL'),
    ('queues on the device', 'DeviceEnqueue'),
    ('named barriers', 'NamedBarrier'),
    ('function pointers', 'FunctionPointersINTEL IndirectReferencesINTEL'),
    ('inline assembly', 'AsmINTEL'),
    ('fixed-point numbers', 'ArbitraryPrecisionFixedPointINTEL'),
    ('floats of any width', 'ArbitraryPrecisionFloatingPointINTEL'),
    ('bfloat16', 'BFloat16ConversionINTEL BFloat16TypeKHR BFloat16DotProductKHR BFloat16CooperativeMatrixKHR'),
    ('cooperative matrices', 'CooperativeMatrixKHR CooperativeMatrixNV JointMatrixINTEL'),
    ('memory of a size that is not constant', 'VariableLengthArrayINTEL'),
    ('operations on quads', 'GroupNonUniformQuad'),
]
# Those that the grammar lacks.
NEWER_CAPABILITIES = {
    'SplitBarrierINTEL': 6141, 'ArithmeticFenceEXT': 6144, 'OptNoneEXT': 6094, 'FloatControls2': 6029,
    'BFloat16ConversionINTEL': 6115, 'JointMatrixINTEL': 6118, 'CooperativeMatrixKHR': 6022, 'BFloat16TypeKHR': 5116,
    'BFloat16DotProductKHR': 5117, 'BFloat16CooperativeMatrixKHR': 5118, 'SubgroupBufferPrefetchINTEL': 6220,
    'GlobalVariableFPGADecorationsINTEL': 6189, 'MaskedGatherScatterINTEL': 6427, 'CacheControlsINTEL': 6441,
    'RegisterLimitsINTEL': 6460, 'Subgroup2DBlockIOINTEL': 6228, 'SubgroupMatrixMultiplyAccumulateINTEL': 6236,
    'TensorFloat32RoundingINTEL': 6425, 'LongCompositesINTEL': 6089, 'UntypedPointersKHR': 4473,
    'FPMaxErrorINTEL': 6169,
    'Int4TypeINTEL': 5112, 'Float8EXT': 4212, 'CooperativeMatrixConversionsKHR': 0,
}
EXTENSIONS_TAKEN = '''SPV_KHR_no_integer_wrap_decoration SPV_KHR_linkonce_odr SPV_KHR_expect_assume
SPV_KHR_uniform_group_instructions SPV_KHR_non_semantic_info SPV_KHR_bit_instructions SPV_KHR_subgroup_rotate
SPV_KHR_integer_dot_product SPV_EXT_shader_atomic_float_add SPV_EXT_shader_atomic_float_min_max
SPV_EXT_shader_atomic_float16_add SPV_INTEL_subgroups SPV_INTEL_split_barrier SPV_INTEL_kernel_attributes
SPV_EXT_arithmetic_fence SPV_KHR_float_controls SPV_INTEL_arbitrary_precision_integers
SPV_ALTERA_arbitrary_precision_integers SPV_INTEL_arithmetic_fence SPV_INTEL_int4
SPV_EXT_relaxed_printf_string_address_space'''.split()
EXTENSIONS_IGNORED = '''SPV_INTEL_runtime_aligned SPV_INTEL_cache_controls SPV_INTEL_maximum_registers
SPV_EXT_optnone SPV_INTEL_optnone SPV_INTEL_unstructured_loop_controls
SPV_INTEL_fp_fast_math_mode SPV_INTEL_memory_access_aliasing SPV_INTEL_fp_max_error'''.split()

# What a kernel may use: instructions with another capability are left out.
KERNEL = set(TAKEN) | set(IGNORED) - {'Matrix'} | set('''ImageMipmap Pipes PipeStorage DeviceEnqueue NamedBarrier FunctionPointersINTEL VariableLengthArrayINTEL'''.split())

LETTERS = {
    'IdResultType': 'T', 'IdResult': 'R', 'IdRef': 'i', 'IdScope': 'i', 'IdMemorySemantics': 'i',
    'LiteralInteger': 'n', 'LiteralExtInstInteger': 'n', 'LiteralString': 's', 'LiteralContextDependentNumber': 'v',
    'LiteralSpecConstantOpInteger': 'o', 'PairIdRefIdRef': 'ii', 'PairIdRefLiteralInteger': 'in',
    'PairLiteralIntegerIdRef': 'w', 'MemoryAccess': 'm',
}
# Enumerants that have operands of their own, which end the instruction.
WITH_OPERANDS = {'Decoration': 'en*', 'ExecutionMode': 'en*', 'LoopControl': 'en*', 'ImageOperands': 'ei*'}
WITH_IDS = {'OpDecorateId', 'OpExecutionModeId'}
ENUMS = '''StorageClass ExecutionModel ExecutionMode Decoration FunctionParameterAttribute FPRoundingMode FPFastMathMode
LinkageType Scope GroupOperation MemorySemantics MemoryAccess FunctionControl AddressingModel MemoryModel
PackedVectorFormat Dim ImageOperands SamplerAddressingMode'''.split()

OPS_HEAD = '''\
// Instructions of SPIR-V that modules of the OpenCL environment may have, those included that are refused by their
// capability. KILN_SPV_OP(name, number, operands): a letter for each operand, "?" after it: may be missing, as may all
// that follow; "*": any number of them, up to the end. "(in)*": any number of pairs.
//   T result type         i id                    s string              m memory access, with its operands
//   R result              n literal of one word   v literal of one or more words, up to the end
//   e enumerant or mask   o operation of OpSpecConstantOp, then the operands of that
//   w pairs of literal and label, where the literal has the width of the selector (words.c puts (ni)* or (nni)* there)
// Written by scripts/spirv_tables.py; do not edit.
'''
EXT_HEAD = '''\
// Functions of the set of extended instructions OpenCL.std. KILN_SPV_EXT(name, number, operands): letters of ops.def.
// Written by scripts/spirv_tables.py; do not edit.
'''
CAPABILITY_HEAD = '''\
// KILN_SPV_CAPABILITY(name, number, what, why) and KILN_SPV_EXTENSION(name, what): TAKEN, IGNORED (read past), REFUSED.
// why: what it stands for, where that is worth a word in the message. Extensions that are not here are refused.
// Written by scripts/spirv_tables.py; do not edit.
'''
BUILTIN_HEAD = '''\
// Built-in variables of kernels. KILN_SPV_BUILTIN(name, number).
// Written by scripts/spirv_tables.py; do not edit.
'''
ENUMS_HEAD = '''\
// Enumerants that kernels may have. KILN_SPV_ENUM(kind, name, number).
// Written by scripts/spirv_tables.py; do not edit.
'''


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def of_kernel(row):
    capabilities = row.get('capabilities')
    if row.get('opname', row.get('enumerant')).endswith('AMD'):
        return False
    return not capabilities or any(c in KERNEL for c in capabilities)


def letters(name, operands):
    text = ''
    for operand in operands:
        kind, quantifier = operand['kind'], operand.get('quantifier', '')
        if kind in WITH_OPERANDS:
            letter = 'ei*' if name in WITH_IDS else WITH_OPERANDS[kind]
            text += letter.replace('e', 'e' + quantifier, 1)
            continue
        letter = LETTERS.get(kind, 'e')
        if kind == 'PairLiteralIntegerIdRef':
            quantifier = ''
        text += ('(' + letter + ')' if len(letter) > 1 else letter) + quantifier
    return text


def write(name, head, rows):
    with open(os.path.join(OUT, name), 'w', encoding='utf-8') as file:
        file.write(head)
        file.writelines(row + '\n' for row in rows)
        file.writelines(f'#undef {macro}\n' for macro in sorted(set(re.findall('KILN_SPV_[A-Z]+(?=\\()', head))))


def kind_of(grammar, name):
    return next(k for k in grammar['operand_kinds'] if k['kind'] == name)['enumerants']


def first_of_each(rows):
    seen = set()
    for row in rows:
        value = number(row['value'])
        if value not in seen:
            seen.add(value)
            yield row['enumerant'], value, row


def write_ops(grammar):
    rows = {value: (name, operands) for name, value, operands in NEWER}
    for row in grammar['instructions']:
        if of_kernel(row) and row['opcode'] not in rows:
            rows[row['opcode']] = (row['opname'][2:], letters(row['opname'], row.get('operands', [])))
    write('ops.def', OPS_HEAD, (f'KILN_SPV_OP({n}, {k}, "{o}")' for k, (n, o) in sorted(rows.items())))


def write_ext(grammar):
    write('ext.def', EXT_HEAD, (f'KILN_SPV_EXT({r["opname"]}, {r["opcode"]}, "{letters("", r.get("operands", []))}")'
                                for r in sorted(grammar['instructions'], key=lambda r: r['opcode'])))


def of_graphics(capabilities):
    """Names of those that imply Shader."""
    found = {'Shader'}
    while True:
        more = {row['enumerant'] for row in capabilities if found & set(row.get('capabilities', []))} - found
        if not more:
            return found
        found |= more


def write_capabilities(grammar):
    what = {name: ('REFUSED', why) for why, names in REFUSED for name in names.split()}
    what.update({name: ('TAKEN', '') for name in TAKEN})
    what.update({name: ('IGNORED', '') for name in IGNORED})
    numbers = {}
    names = {}
    for row in kind_of(grammar, 'Capability'):
        numbers.setdefault(number(row['value']), []).append(row['enumerant'])
    for name, value in NEWER_CAPABILITIES.items():
        if value:
            numbers.setdefault(value, []).append(name)
    for value, given in numbers.items(): # the name that a list above has, else the shortest
        names[value] = next((n for n in given if n in what), min(given, key=len))
    rows = []
    graphics = of_graphics(kind_of(grammar, 'Capability'))
    for value, name in sorted(names.items()):
        taken, why = what.get(name, ('REFUSED', ''))
        if name in graphics and (taken, why) == ('REFUSED', ''):
            continue # a module declares Shader, too
        rows.append(f'KILN_SPV_CAPABILITY({name}, {value}, {taken}, "{why}")')
    rows += [f'KILN_SPV_EXTENSION({name}, TAKEN)' for name in sorted(EXTENSIONS_TAKEN)]
    rows += [f'KILN_SPV_EXTENSION({name}, IGNORED)' for name in sorted(set(EXTENSIONS_IGNORED))]
    write('capability.def', CAPABILITY_HEAD, rows)


def write_enums(grammar):
    rows = []
    for kind in ENUMS:
        for name, value, row in first_of_each(kind_of(grammar, kind)):
            if of_kernel(row):
                rows.append(f'KILN_SPV_ENUM({kind}, {name}, {value:#x})' if value > 0xffff else
                            f'KILN_SPV_ENUM({kind}, {name}, {value})')
    write('enums.def', ENUMS_HEAD, rows)
    builtins = [f'KILN_SPV_BUILTIN({name}, {value})'
                for name, value, row in first_of_each(kind_of(grammar, 'BuiltIn')) if of_kernel(row)]
    write('builtin.def', BUILTIN_HEAD, builtins)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else '/usr/include/spirv/unified1'
    with open(os.path.join(folder, 'spirv.core.grammar.json'), encoding='utf-8') as file:
        core = json.load(file)
    with open(os.path.join(folder, 'extinst.opencl.std.100.grammar.json'), encoding='utf-8') as file:
        ext = json.load(file)
    write_ops(core)
    write_ext(ext)
    write_capabilities(core)
    write_enums(core)


main()
