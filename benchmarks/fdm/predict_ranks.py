#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the time of a step of the finite-difference core on many GPUs from measured rates (docs/ranks.md): weak and strong scaling of a storm of 40 levels in fp64."""
CELL = 13.52e-3 / (384 * 384 * 40)  # s, one H200
LEVELS, VALUE = 40, 8
NODE = (18e-6, 115e9)     # s and bytes/s of an exchange, measured between two GPUs of a node
NETWORK = (25e-6, 50e9)   # assumed
EXCHANGES = ((3, 3.5, 8, LEVELS + 2), (8, 1, 2, LEVELS))  # a step: how many, columns each way, fields, levels


def step(nx, ny, parts_x, parts_y):
    """Of blocks of nx x ny columns, s."""
    ranks = parts_x * parts_y
    latency, rate = NODE if ranks <= 8 else NETWORK
    rim = sum(min(parts - 1, 2) * length for parts, length in ((parts_x, ny), (parts_y, nx)))
    messages = sum(count * (latency + columns * rim * fields * levels * VALUE / rate) for count, columns, fields, levels in EXCHANGES)
    return nx * ny * LEVELS * CELL + (messages if ranks > 1 else 0)


print("GPUs    weak ms  efficiency  strong ms  speed-up")
for parts_x, parts_y in ((1, 1), (1, 2), (2, 2), (2, 4), (8, 8), (25, 40), (100, 100)):
    ranks = parts_x * parts_y
    weak, strong = step(384, 384, parts_x, parts_y), step(384 / parts_x, 768 / parts_y, parts_x, parts_y)
    narrow = min(384 / parts_x, 768 / parts_y) < 4
    print(f"{ranks:5}  {1e3 * weak:8.2f}  {100 * step(384, 384, 1, 1) / weak:8.0f} %" + ("" if narrow else f"  {1e3 * strong:9.2f}  {step(384, 768, 1, 1) / strong:8.1f}"))
