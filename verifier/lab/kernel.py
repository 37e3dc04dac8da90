"""Blocks of a stream, sixteen at a time: HMAC-SHA256 as machine code for this processor, made by LLVM.

The blocks of one round differ only in a number, so sixteen of them are computed in parallel, each in one lane of
vectors of sixteen words. The code here builds plain SHA-256 (FIPS 180-4) over such vectors; LLVM uses the widest
instructions of the processor for it. It needs the extra ``lab``. A test compares it with `Stream`, byte by byte.
"""

from __future__ import annotations

import ctypes
import sys
from bisect import bisect
from collections.abc import Sequence
from functools import reduce
from math import isqrt
from struct import unpack

from llvmlite import binding as llvm
from llvmlite import ir

from fairness.hashing import HASH_SIZE, u64

LANES = 16
GROUP_SIZE = LANES * HASH_SIZE
"""The kernel makes a whole number of blocks of this many bytes."""

_WORD, _VECTOR = ir.IntType(32), ir.VectorType(ir.IntType(32), LANES)
_WORDS = _WORD.as_pointer()
_DIGEST = ir.ArrayType(_VECTOR, 8)
_INNER, _OUTER = 0x36363636, 0x5C5C5C5C
_END = 1 << 31
"""A word with the bit that follows a message."""
_INNER_BITS, _OUTER_BITS = 8 * (64 + 44), 8 * (64 + 32)
"""In bits: the padded key followed by context, round and block number, and followed by the inner digest."""
_KEY, _MESSAGE = range(8), range(8, 18)
"""The places of the seed, and of context and round, among the words that it reads."""
_PRIMES = [n for n in range(2, 312) if all(n % divisor for divisor in range(2, isqrt(n) + 1))]
# FIPS 180-4: the first 32 bits after the point of square roots, and of cube roots, of primes.
_START = [isqrt(prime << 64) & 0xFFFFFFFF for prime in _PRIMES[:8]]
_ROUND = [bisect(range(1 << 35), prime << 96, key=lambda root: root**3) - 1 & 0xFFFFFFFF for prime in _PRIMES]


class Kernel:
    """The machine code, made once (it takes a second), for any number of threads."""

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly(str(_module()))
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
        )
        self.assembly: str = machine.emit_assembly(module)
        self._engine = llvm.create_mcjit_compiler(module, machine)  # The machine code exists as long as this object.
        self._engine.finalize_object()
        # ctypes releases Python's lock during the call.
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64)
        self._run = kind(self._engine.get_function_address("blocks"))

    def blocks(self, seed: bytes, batch_context: bytes, round_number: int, first: int, size: int) -> memoryview:
        """Return ``size`` bytes of a round's stream from block ``first`` on (SPEC 3.3)."""
        groups = -(-size // GROUP_SIZE)
        words = (ctypes.c_uint32 * 18)(*unpack(">18I", seed + batch_context + u64(round_number)))
        made = bytearray(groups * GROUP_SIZE)
        if groups:
            self._run(ctypes.addressof(ctypes.c_char.from_buffer(made)), ctypes.addressof(words), first, groups)
        return memoryview(made)[:size]


def _module() -> ir.Module:
    module = ir.Module()
    module.triple = llvm.get_default_triple()
    _add_blocks(module, _add_compress(module))
    return module


def _add_compress(module: ir.Module) -> ir.Function:
    """Add SHA-256's compression of the vectors of a digest (8) and of a block (16) to those of a digest."""
    function = ir.Function(module, ir.FunctionType(_DIGEST, [_VECTOR] * 24), "compress")
    function.linkage = "internal"
    rotate = _intrinsic(module, "fshr", 3)
    builder = ir.IRBuilder(function.append_basic_block())

    def add(*terms: ir.Value) -> ir.Value:
        return reduce(builder.add, terms)

    def mix(value: ir.Value, *rotations: int, shift: int | None = None) -> ir.Value:
        terms = [builder.call(rotate, [value, value, _every(bits)]) for bits in rotations]
        if shift is not None:
            terms.append(builder.lshr(value, _every(shift)))
        return reduce(builder.xor, terms)

    start, words = function.args[:8], list(function.args[8:])
    for t in range(16, 64):
        early, late = mix(words[t - 15], 7, 18, shift=3), mix(words[t - 2], 17, 19, shift=10)
        words.append(add(words[t - 16], early, words[t - 7], late))
    a, b, c, d, e, f, g, h = start
    for word, constant in zip(words, _ROUND, strict=True):
        choice = builder.xor(g, builder.and_(e, builder.xor(f, g)))
        majority = builder.or_(builder.and_(a, b), builder.and_(c, builder.or_(a, b)))
        first = add(h, mix(e, 6, 11, 25), choice, word, _every(constant))
        a, b, c, d, e, f, g, h = add(first, mix(a, 2, 13, 22), majority), a, b, c, add(d, first), e, f, g
    digest = ir.Constant(_DIGEST, ir.Undefined)
    for index, (before, after) in enumerate(zip(start, (a, b, c, d, e, f, g, h), strict=True)):
        digest = builder.insert_value(digest, builder.add(before, after), index)
    builder.ret(digest)
    return function


def _add_blocks(module: ir.Module, compress: ir.Function) -> None:
    """Add ``blocks(out, words, first, groups)``: ``groups`` times sixteen blocks, starting with block number
    ``first``.
    """
    kind = ir.FunctionType(ir.VoidType(), [_WORDS, _WORDS, _WORD, ir.IntType(64)])
    function = ir.Function(module, kind, "blocks")
    out, words, first, groups = function.args
    swap = _intrinsic(module, "bswap", 1)
    before, loop, after = (function.append_basic_block() for _ in range(3))
    builder = ir.IRBuilder(before)

    def compressed(start: Sequence[ir.Value], block: Sequence[ir.Value]) -> list[ir.Value]:
        digest = builder.call(compress, [*start, *block])
        return [builder.extract_value(digest, index) for index in range(8)]

    def in_all_lanes(word: ir.Value) -> ir.Value:
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(nothing, word, _WORD(0)), nothing, _every(0))

    given = [in_all_lanes(builder.load(builder.gep(words, [_WORD(index)]), typ=_WORD)) for index in range(18)]
    key, message, start = given[:8], given[8:], [_every(word) for word in _START]
    # A key of 8 words is padded to 16 with zeros (RFC 2104). Its two compressions are common to all blocks.
    inner, outer = (
        compressed(start, [builder.xor(word, _every(pad)) for word in (*key, *[_every(0)] * 8)])
        for pad in (_INNER, _OUTER)
    )
    lanes = ir.Constant(_VECTOR, list(range(LANES)))
    numbers_at_first = builder.add(in_all_lanes(first), lanes)
    builder.branch(loop)

    builder.position_at_end(loop)
    group, numbers = builder.phi(ir.IntType(64)), builder.phi(_VECTOR)
    digest = compressed(inner, [*message, numbers, *_ending(5, _INNER_BITS)])
    digest = compressed(outer, [*digest, *_ending(8, _OUTER_BITS)])
    if sys.byteorder == "little":
        digest = [builder.call(swap, [words_of_lanes]) for words_of_lanes in digest]
    for place, vector in enumerate(_transposed(builder, digest)):
        at = builder.add(builder.mul(group, ir.IntType(64)(8)), ir.IntType(64)(place))
        target = builder.gep(builder.bitcast(out, _VECTOR.as_pointer()), [at])
        builder.store(vector, target, align=1)
    next_group = builder.add(group, ir.IntType(64)(1))
    for value, initial, following in (
        (group, ir.IntType(64)(0), next_group),
        (numbers, numbers_at_first, builder.add(numbers, _every(LANES))),
    ):
        value.add_incoming(initial, before)
        value.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", next_group, groups), loop, after)

    builder.position_at_end(after)
    builder.ret_void()


def _transposed(builder: ir.IRBuilder, digest: list[ir.Value]) -> list[ir.Value]:
    """Transpose vectors with one word of all lanes to vectors with all words of two lanes.

    The index of a word among all 128 is word (3 bits), lane (4 bits), and must become lane, word. Interleaving the
    first half with the second, like a shuffle of cards, moves the top bit of each index to the end; three times give
    the result.
    """
    low, high = (
        ir.Constant(_VECTOR, [half * LANES // 2 + place // 2 + place % 2 * LANES for place in range(LANES)])
        for half in range(2)
    )
    for _ in range(3):
        digest = [builder.shuffle_vector(digest[k], digest[k + 4], half) for k in range(4) for half in (low, high)]
    return digest


def _intrinsic(module: ir.Module, name: str, arguments: int) -> ir.Function:
    return ir.Function(module, ir.FunctionType(_VECTOR, [_VECTOR] * arguments), f"llvm.{name}.v{LANES}i32")


def _ending(words: int, bits: int) -> list[ir.Constant]:
    """Return the last words of a message of this many bits (FIPS 180-4, 5.1.1): the end bit, zeros, the length."""
    return [_every(_END), *[_every(0)] * (words - 2), _every(bits)]


def _every(number: int) -> ir.Constant:
    """Return a vector with this number in each lane."""
    return ir.Constant(_VECTOR, [number] * LANES)
