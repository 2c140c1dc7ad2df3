# SPDX-License-Identifier: Apache-2.0
"""Traces and recorded fields as a program of others leaves them, written without Ulpine, by the description of their forms."""
import pathlib
import struct

MASK = (1 << 64) - 1
PRIMES = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def rotated(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def round_of(lane, word):
    return rotated((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """xxHash64 with seed 0, from its specification."""
    at = 0
    if len(data) >= 32:
        lanes = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
        while at + 32 <= len(data):
            lanes = [round_of(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        value = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            value = ((value ^ round_of(0, lane)) * PRIMES[0] + PRIMES[3]) & MASK
    else:
        value = PRIMES[4]
    value = (value + len(data)) & MASK
    while at + 8 <= len(data):
        value = (rotated(value ^ round_of(0, struct.unpack_from("<Q", data, at)[0]), 27) * PRIMES[0] + PRIMES[3]) & MASK
        at += 8
    if at + 4 <= len(data):
        value = (rotated(value ^ struct.unpack_from("<I", data, at)[0] * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2]) & MASK
        at += 4
    for byte in data[at:]:
        value = rotated(value ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    value = (value ^ value >> 33) * PRIMES[1] & MASK
    value = (value ^ value >> 29) * PRIMES[2] & MASK
    return value ^ value >> 32


def text(word):
    data = word.encode()
    return struct.pack("<I", len(data)) + data


def pairs(items):
    return struct.pack("<I", len(items)) + b"".join(text(key) + text(value) for key, value in items)


def number(value):
    """In groups of 7 bits, least first."""
    data = b""
    while value >= 0x80:
        data += bytes([value & 0x7f | 0x80])
        value >>= 7
    return data + bytes([value])


def folded(value):
    return 2 * value if value >= 0 else -2 * value - 1


class Trace:
    """Written record by record; `rank` of `ranks` where it is of one of several. `facts`: names and values of what the run was made with."""

    def __init__(self, path, rank=0, ranks=1, run="", facts=()):
        share = [("rank", str(rank)), ("ranks", str(ranks)), ("run", run)] if ranks > 1 or run else []
        self.path = pathlib.Path(path)
        self.data = b"ULPTRACE" + struct.pack("<I", 3) + pairs([("version", "0.0.0"), *facts, *share]) + text("")
        self.names = {kind: {} for kind in (1, 2, 6)}
        self.checksum(4)

    def chunk(self, kind, content):
        self.data += struct.pack("<BI", kind, len(content)) + content

    def checksum(self, kind):
        self.chunk(kind, struct.pack("<Q", xxh64(self.data)))

    def number_of(self, kind, name, attributes=()):
        known = self.names[kind]
        if name not in known:
            known[name] = len(known)
            self.chunk(kind, text(name) + pairs(attributes))
        return known[name]

    def describe(self, field, **attributes):
        self.number_of(2, field, list(attributes.items()))

    def describe_stage(self, stage, **attributes):
        self.number_of(1, stage, list(attributes.items()))

    def record(self, position, stage, field, blocks, count=None, missing=0, replicated=False):
        """position: ((loop, index), ...); blocks: hashes of the blocks, one an element unless `count` says otherwise."""
        numbers = [(self.number_of(6, loop), folded(index)) for loop, index in position]
        stage, field = self.number_of(1, stage), self.number_of(2, field)
        content = struct.pack("<qB", missing, replicated) if missing or replicated else b""
        content += number(len(numbers)) + b"".join(number(loop) + number(index) for loop, index in numbers)
        content += struct.pack("<HHqQI", stage, field, len(blocks) if count is None else count, sum(blocks) & MASK, len(blocks))
        self.chunk(7 if missing or replicated else 3, content + struct.pack(f"<{len(blocks)}Q", *blocks))

    def write(self, whole=True):
        self.checksum(5 if whole else 4)
        self.path.write_bytes(self.data)


class Fields:
    """Values of fields; a part at a time."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.data = b"ULPFIELD" + struct.pack("<I", 1) + pairs([("rank", "0"), ("ranks", "1")])
        self.last = self.checksum(0, self.data)

    def checksum(self, before, data):
        value = xxh64(struct.pack("<Q", before) + data)
        self.data += struct.pack("<Q", value)
        return value

    def chunk(self, kind, content):
        data = struct.pack("<BQ", kind, len(content)) + content
        self.data += data
        self.last = self.checksum(self.last, data)

    def part(self, position, stage, field, kind, code, axes, values, seconds=float("nan"), unit="", fortran=False):
        """axes: (extent, first, whole) of each, slowest first; values by struct's `code`."""
        content = struct.pack("<I", len(position)) + b"".join(text(loop) + struct.pack("<q", index) for loop, index in position)
        content += text(stage) + text(field) + text(unit) + text(kind) + struct.pack("<dBBB", seconds, struct.calcsize(code), fortran, len(axes))
        content += b"".join(struct.pack("<qqqB", *axis, 0) for axis in axes)
        self.chunk(1, content)
        self.chunk(2, struct.pack(f"<{len(values)}{code}", *values))

    def write(self, whole=True):
        if whole:
            self.chunk(3, b"")
        self.path.write_bytes(self.data)
