#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waves of shallow water on a periodic plane, C-grid, in numpy: waves.py [plain|factored] [STEPS]. `factored` is the same formula with another rounding."""
import sys

import numpy as np
import ulpine

factored = sys.argv[1:2] == ["factored"]
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
nx, ny, width, length, gravity, coriolis = 60, 40, 1e4, 300.0, 0.1, 1e-4
y, x = np.mgrid[0:ny, 0:nx] / [[[ny]], [[nx]]]
h = 1000 + 320 * (x * (1 - x) * y * (1 - y))  # m, in cells; u and v in m s-1, on their western and southern faces
u, v = np.zeros((ny, nx)), np.zeros((ny, nx))


def west(a):
    return np.roll(a, 1, axis=1)


def south(a):
    return np.roll(a, 1, axis=0)


for n in range(1, steps + 1):
    ulpine.step(n)
    fx, fy = u * (west(h) + h) / 2, v * (south(h) + h) / 2
    h -= length / width * ((np.roll(fx, -1, axis=1) - fx) + (np.roll(fy, -1, axis=0) - fy))
    ulpine.stage("water")
    ulpine.state("h", h)
    slope = (h - west(h)) * (gravity / width) if factored else gravity * (h - west(h)) / width
    u += length * (coriolis * (v + west(v)) / 2 - slope)
    ulpine.stage("zonal")
    ulpine.state("u", u)
    v += length * (-coriolis * (u + south(u)) / 2 - gravity * (h - south(h)) / width)
    ulpine.stage("meridional")
    ulpine.state("v", v)

print(f"step {steps}, largest: h {h.max():.9f} m, u {u.max():.11f} m s-1")
