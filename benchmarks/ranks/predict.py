#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the time of a step of each core on many GPUs from rates measured on one and two (docs/results/ranks.md): weak scaling, of the finite-difference core strong scaling too. fp64."""
import math

NODE, NETWORK = 115e9, 50e9    # bytes/s of a halo's messages: measured between two GPUs of a machine; assumed between machines
LATENCY, FAR = 18e-6, 25e-6    # s of an exchange: the same
SHUFFLE = (257e9, 50e9)        # bytes/s out and in at once of large messages: measured by NCCL alone; assumed
VALUE = 8


def link(ranks):
    return (LATENCY, NODE) if ranks <= 8 else (FAR, NETWORK)


def sides(parts, length):
    """Cells along a block's rims across one axis."""
    return min(parts - 1, 2) * length


def differences(nx, ny, parts_x, parts_y, levels=40):
    """Storm: 3 exchanges of the state (8 fields, 7 columns both ways), 8 of the small steps (2 fields, one column each way)."""
    ranks = parts_x * parts_y
    latency, rate = link(ranks)
    rim = sides(parts_x, ny) + sides(parts_y, nx)
    messages = sum(count * (latency + columns * rim * fields * above * VALUE / rate) for count, columns, fields, above in ((3, 3.5, 8, levels + 2), (8, 1, 2, levels)))
    return nx * ny * levels * 13.52e-3 / (384 * 384 * 40) + (messages if ranks > 1 else 0)  # H200


def eddies(parts, nx=1024, ny=512, levels=48):
    """Dry convection in slabs: 3 exchanges of halos (0.48 ms: twice what was measured with 512 columns), 6 redistributions, of which a rank keeps 1/parts. At most 1.6 ms of them go beside stages that need neither (measured on two: 1.5 and 1.6)."""
    compute = 19.82e-3  # H100, measured
    if parts == 1:
        return compute
    near = parts <= 8
    moved = (nx + 2) * ny * levels * VALUE * (parts - 1) / parts
    messages = 0.48e-3 * (1 if near else NODE / NETWORK) + 6 * (moved / SHUFFLE[0 if near else 1] + (parts - 1) * 1e-6)
    return compute + max(messages - 1.6e-3, 0)


def ice(parts_x, parts_y, n=2048):
    """Sea ice, 100 sub-steps: 25 exchanges of 7 values a cell, 4 cells deep, which take 38 us and their bytes (measured: 42 us with one side)."""
    ranks = parts_x * parts_y
    _, rate = link(ranks)
    rim = sides(parts_x, n) + sides(parts_y, n)
    extra = 0 if ranks <= 8 else FAR - LATENCY
    return 30.0e-3 + (25 * (38e-6 + extra + 4 * rim * 7 * VALUE / rate) if ranks > 1 else 0)


def elements(parts_x, parts_y, nx=128, ny=64, levels=60):
    """Bubble, blocks of cells of six tetrahedra: 13.2 ms and 12.84 ns a tetrahedron (H200; a line through three measured meshes); rows computed twice, 5.3 ms for a rim of 128 cells (what two GPUs were measured to take more, less their messages); 284 short exchanges of 20 us, 192 sums, each 5 us longer (assumed) a doubling beyond two."""
    ranks = parts_x * parts_y
    compute = 13.2e-3 + 12.84e-9 * 6 * nx * ny * levels
    if ranks == 1:
        return compute
    rim = sides(parts_x, ny) + sides(parts_y, nx)
    return compute + rim / 128 * 5.3e-3 + 284 * (20e-6 if ranks <= 8 else 20e-6 + FAR - LATENCY) + 192 * 5e-6 * math.log2(ranks / 2)


def line(name, times):
    first = times[0]
    print(f"{name:22}" + "".join("            " if t is None else f"{1e3 * t:6.1f} {100 * first / t:3.0f} %" for t in times))


PARTS = ((1, 1), (1, 2), (2, 2), (2, 4), (8, 8), (25, 40), (100, 100))
if __name__ == "__main__":
    print("weak: ms, efficiency  " + "".join(f"{x * y:12}" for x, y in PARTS))
    line("finite differences", [differences(384, 384, x, y) for x, y in PARTS])
    line("large eddies", [eddies(x * y) if x * y <= 512 else None for x, y in PARTS])
    line("sea ice", [ice(x, y) for x, y in PARTS])
    line("finite elements", [elements(x, y) for x, y in PARTS])
    strong = [differences(384 / x, 768 / y, x, y) if min(384 / x, 768 / y) >= 4 else None for x, y in PARTS]
    print("finite differences, 384 x 768 x 40 in all: ms, speed-up")
    print(" " * 22 + "".join("" if t is None else f"{1e3 * t:6.2f} {strong[0] / t:4.1f} " for t in strong))
