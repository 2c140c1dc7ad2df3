#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The linear solution of mountain waves against values of an independent computation, and against theory."""
import math
import pathlib
import sys
import unittest

try:
    import numpy as np
except ModuleNotFoundError:
    print("skipped: the linear solution needs numpy")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "fem"))
import linear_mountain as linear  # noqa: E402

# w in m s-1 at y = 0 by height in km: at x = 0, 1, 2, 4, 6 and 10 km, from another program on a square of 1024 km.
ELSEWHERE = {
    0: (0, -2.121, -0.429, -0.040, -0.009, -0.001),
    1: (-0.527, -1.064, -0.448, 0.643, 0.207, 0.022),
    2: (-0.378, -0.403, -0.019, 0.579, -0.064, 0.161),
    3: (-0.166, -0.054, 0.196, 0.358, -0.240, 0.237),
    5: (0.074, 0.126, 0.141, -0.070, -0.268, 0.234),
}


class LinearMountain(unittest.TestCase):
    def test_is_what_another_program_found(self):
        mountain = linear.Mountain()
        x, w = linear.section(mountain, [1000.0 * z for z in ELSEWHERE])
        for row, values in zip(w, ELSEWHERE.values()):
            for km, value in zip((0, 1, 2, 4, 6, 10), values):
                # The square of 512 km and theirs of 1024 km differ by up to 0.004 m s-1 up to 5 km, and they round.
                self.assertAlmostEqual(row[np.abs(x - 1000 * km).argmin()], value, delta=0.0045)

    def test_air_follows_the_ground(self):
        mountain = linear.Mountain(height=1, half_width=2000)
        x, (w,) = linear.section(mountain, [0.0])
        slope = -3 * mountain.height * x / mountain.half_width**2 * (1 + (x / mountain.half_width)**2)**-2.5
        # What the square's edges and the spacing leave of exp(-a K) is below 1e-3 of the largest.
        self.assertLess(np.abs(w - mountain.wind * slope).max(), 2e-3 * mountain.wind * np.abs(slope).max())

    def test_drag_is_the_hydrostatic_one_of_wide_mountains(self):
        def ratio(width):
            mountain = linear.Mountain(half_width=width)
            return linear.drag(mountain, points=1000) / (
                mountain.wind * mountain.frequency * mountain.height**2 * width)
        self.assertAlmostEqual(ratio(1000.0), 0.245419, delta=2e-5)
        self.assertAlmostEqual(ratio(100e3), math.pi / 4, delta=1e-3)
        self.assertLess(ratio(500.0), ratio(1000.0))

    def test_waves_tilt_upstream_with_height(self):
        mountain = linear.Mountain(half_width=5000)
        x, w = linear.section(mountain, [0.0, 1000.0, 2000.0], spacing=500.0, points=1024)
        near = np.abs(x) < 15000
        lowest = [x[near][row[near].argmin()] for row in w]
        self.assertGreater(lowest[0], lowest[1])
        self.assertGreater(lowest[1], lowest[2])


if __name__ == "__main__":
    unittest.main()
