# SPDX-License-Identifier: Apache-2.0
"""The seal of Ulpine's JSON files: their last member `seal`, 16 hex digits of the xxHash64 (seed 0) of all before it.

io/seal.hpp has the same for C++. In Python, so that the report needs no further package; some 10 MB a second.
"""

import re
import struct

P1, P2, P3, P4, P5 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MASK = (1 << 64) - 1
TAIL = re.compile(rb',\n"seal": "([0-9a-f]{16})"\n\}\n\Z')


def rotated(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def lane(accumulator, word):
    return rotated((accumulator + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    """xxHash64 with seed 0, by its specification (xxHash, doc/xxhash_spec.md)."""
    stripes = len(data) // 32
    if stripes:
        a, b, c, d = (P1 + P2) & MASK, P2, 0, -P1 & MASK
        for w, x, y, z in struct.iter_unpack("<4Q", data[:32 * stripes]):
            a, b, c, d = lane(a, w), lane(b, x), lane(c, y), lane(d, z)
        value = (rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18)) & MASK
        for accumulator in (a, b, c, d):
            value = ((value ^ lane(0, accumulator)) * P1 + P4) & MASK
    else:
        value = P5
    value = (value + len(data)) & MASK
    rest = data[32 * stripes:]
    while len(rest) >= 8:
        value = (rotated(value ^ lane(0, int.from_bytes(rest[:8], "little")), 27) * P1 + P4) & MASK
        rest = rest[8:]
    if len(rest) >= 4:
        value = (rotated(value ^ int.from_bytes(rest[:4], "little") * P1 & MASK, 23) * P2 + P3) & MASK
        rest = rest[4:]
    for byte in rest:
        value = rotated(value ^ byte * P5 & MASK, 11) * P1 & MASK
    value = (value ^ value >> 33) * P2 & MASK
    value = (value ^ value >> 29) * P3 & MASK
    return value ^ value >> 32


def sealed(text):
    """The text of a JSON object with its seal."""
    content = text.rstrip().removesuffix("}").rstrip().encode()
    return (content + f',\n"seal": "{xxh64(content):016x}"\n}}\n'.encode()).decode()


def is_whole(data):
    """Whether the bytes of a JSON file are as they were sealed."""
    tail = TAIL.search(data)
    return tail is not None and int(tail[1], 16) == xxh64(data[:tail.start()])
