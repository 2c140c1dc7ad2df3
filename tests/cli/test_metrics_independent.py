#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Metrics and spectra of the command against the formulas in exact rational and 60-digit arithmetic, numpy's transform and, where there is one, scipy."""
import math
import unittest
from decimal import Decimal, getcontext
from fractions import Fraction

try:
    import netCDF4
    import numpy as np
except ImportError:
    np = None
try:
    import scipy.stats
except ImportError:
    scipy = None

from support import CommandTest

getcontext().prec = 60
RELATIVE = 1e-12


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def exact_metrics(x, y, weights):
    """{name: Decimal or None} of lists of floats without missing values, weighted."""
    x, y, w = ([Fraction(value) for value in values] for values in (x, y, weights))
    total = sum(w)

    def mean(values):
        return sum(a * b for a, b in zip(w, values)) / total
    differences = [a - b for a, b in zip(x, y)]
    squared = mean([d * d for d in differences])
    mean_x, mean_y = mean(x), mean(y)
    variance_x, variance_y = (mean([(v - m) ** 2 for v in values]) for values, m in ((x, mean_x), (y, mean_y)))
    covariance = mean([(a - mean_x) * (b - mean_y) for a, b in zip(x, y)])
    one_sign = mean_x * mean_y > 0
    correlation = decimal(covariance) / (decimal(variance_x) * decimal(variance_y)).sqrt() if variance_x and variance_y else None
    good = [(b == 0 and a == 0) or (b != 0 and Fraction(1, 2) <= a / b <= 2) for a, b in zip(x, y)]
    result = {
        "l2_relative": decimal(squared).sqrt() / decimal(mean([b * b for b in y])).sqrt(),
        "linf": decimal(max(map(abs, differences))),
        "rmse": decimal(squared).sqrt(),
        "mae": decimal(mean([abs(d) for d in differences])),
        "bias": decimal(mean_x - mean_y),
        "nmse": decimal(squared / (mean_x * mean_y)) if one_sign else None,
        "fb": decimal(2 * (mean_x - mean_y) / (mean_x + mean_y)) if one_sign else None,
        "r": correlation,
        "one_minus_r": None if correlation is None else 1 - correlation,
        "fac2": decimal(mean([Fraction(int(g)) for g in good])),
        "mg": None,
        "vg": None,
    }
    if all(a > 0 and b > 0 for a, b in zip(x, y)):
        ratios = [Fraction(decimal(b / a).ln()) for a, b in zip(x, y)]
        result["mg"] = decimal(mean(ratios)).exp()
        result["vg"] = decimal(mean([r * r for r in ratios])).exp()
    return result


@unittest.skipIf(np is None, "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)")
class MetricsTest(CommandTest):
    SHAPE = (3, 4, 7, 9)  # time, level, y, x

    def pairs(self):
        """(name, reference, test) of shape SHAPE; NaN is missing on both sides."""
        random = np.random.default_rng(11)
        smooth = 280 + random.normal(0, 5, self.SHAPE)
        yield "near", smooth, smooth * (1 + 1e-9 * random.normal(size=self.SHAPE))
        yield "far", smooth, smooth[::-1] * 1.3
        wild = random.normal(size=self.SHAPE) * 10.0 ** random.uniform(-60, 60, self.SHAPE)
        yield "wild", wild, wild * random.uniform(0.3, 3, self.SHAPE)
        positive = 10.0 ** random.uniform(-8, 8, self.SHAPE)
        yield "positive", positive, positive * random.uniform(0.9, 1.1, self.SHAPE)
        zeros = np.where(random.uniform(size=self.SHAPE) < 0.3, 0.0, random.uniform(-2, 5, self.SHAPE))
        yield "zeros", zeros, np.where(random.uniform(size=self.SHAPE) < 0.2, 0.0, zeros + 1e-3)
        # One unit in the last place on top of a large mean: what cancels in a naive formula.
        offset = 1e8 + random.integers(0, 4, self.SHAPE).astype(float)
        yield "offset", offset, np.where(random.uniform(size=self.SHAPE) < 0.5, np.nextafter(offset, np.inf), offset)
        land = np.where(random.uniform(size=self.SHAPE) < 0.4, np.nan, smooth)
        yield "land", land, land + random.normal(size=self.SHAPE)

    def write(self, name, fields, area, kind):
        with netCDF4.Dataset(self.folder / name, "w") as file:
            for dimension, size in zip(("time", "lev", "y", "x"), self.SHAPE):
                file.createDimension(dimension, None if dimension == "time" else size)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "hours since 2001-01-01 00:00:00"
            time[:] = np.arange(self.SHAPE[0])
            if area is not None:
                file.createVariable("cell_area", "f8", ("y", "x"))[:] = area
            for field, values in fields.items():
                variable = file.createVariable(field, kind, ("time", "lev", "y", "x"), fill_value=-9e33)
                variable[:] = np.where(np.isnan(values), -9e33, values)
        return self.folder / name

    def check(self, found, expected, what):
        for name, value in expected.items():
            with self.subTest(f"{what} {name}"):
                if value is None:
                    self.assertIsNone(found[name])
                    continue
                self.assertIsNotNone(found[name])
                # r is 1 - (1 - r) in double, and rounded as numbers near 1 are.
                bound = max(Decimal(RELATIVE) * abs(value), Decimal(2) ** -53 if name == "r" else Decimal(0))
                self.assertLessEqual(abs(Decimal(found[name]) - value), bound, f"{found[name]!r} for {value}")

    def test_every_metric_at_every_time_and_level_agrees_with_exact_arithmetic(self):
        random = np.random.default_rng(12)
        pairs = list(self.pairs())
        for weighted in (False, True):
            area = random.uniform(0.1, 3, self.SHAPE[2:]) * 1e6 if weighted else None
            if weighted:
                area[0, 0] = 0.0
            y = self.write("y.nc", {name: a for name, a, _ in pairs}, area, "f8")
            x = self.write("x.nc", {name: b for name, _, b in pairs}, area, "f8")
            answer = self.json("compare", y, x, "--all-times", "--levels", "--json")["variables"]
            for name, a, b in pairs:
                for time in range(self.SHAPE[0]):
                    for level in (None, *range(self.SHAPE[1])):
                        part = (time, slice(None) if level is None else slice(level, level + 1))
                        w = np.broadcast_to(np.ones(self.SHAPE[2:]) if area is None else area, a[part].shape).ravel()
                        kept = ~np.isnan(a[part].ravel()) & (w > 0)
                        expected = exact_metrics(b[part].ravel()[kept], a[part].ravel()[kept], w[kept])
                        found = answer[name if level is None else f"{name}[lev={level}]"][time]
                        self.assertEqual((found["points"], found["missing"]), (kept.sum(), kept.size - kept.sum()))
                        self.check(found, expected, f"{name} time {time} level {level} weights {weighted}")

    @unittest.skipIf(scipy is None, "no scipy (Debian: apt-get install python3-scipy)")
    def test_correlation_agrees_with_scipy(self):
        name, a, b = next(pair for pair in self.pairs() if pair[0] == "far")
        y, x = self.write("y.nc", {name: a}, None, "f8"), self.write("x.nc", {name: b}, None, "f8")
        found = self.json("compare", y, x, "--json")["variables"][name]["r"]
        self.assertAlmostEqual(found, scipy.stats.pearsonr(b[-1].ravel(), a[-1].ravel())[0], delta=RELATIVE)


@unittest.skipIf(np is None, "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)")
class SpectrumTest(CommandTest):
    def field(self, values, name="field.nc", spacing=500.0):
        """h(z, y, x), the planes of values."""
        with netCDF4.Dataset(self.folder / name, "w") as file:
            for dimension, size in zip(("z", "y", "x"), values.shape):
                file.createDimension(dimension, size)
            for axis, size in (("y", values.shape[1]), ("x", values.shape[2])):
                variable = file.createVariable(axis, "f8", (axis,))
                variable.units = "m"
                variable[:] = spacing * np.arange(size)
            file.createVariable("h", "f8", ("z", "y", "x"))[:] = values
        return self.folder / name

    @staticmethod
    def rapsd(plane, spacing):
        """As pysteps.utils.spectral.rapsd has it: the mean of |FFT|^2 / MN over rings of round(sqrt(kx^2 + ky^2))."""
        rows, columns = plane.shape
        longest = max(rows, columns)
        power = np.abs(np.fft.fft2(plane)) ** 2 / plane.size
        waves = [np.fft.fftfreq(size) * size for size in (rows, columns)]
        ring = np.round(np.hypot(waves[0][:, None], waves[1][None, :])).astype(int)
        rings = longest // 2 + 1 if longest % 2 == 0 else longest // 2
        return [r / (longest * spacing) for r in range(rings)], [math.fsum(power[ring == r]) / (ring == r).sum() for r in range(rings)]

    def test_rings_agree_with_numpy(self):
        random = np.random.default_rng(13)
        for rows, columns in ((16, 16), (15, 15), (24, 18), (7, 31)):
            planes = np.cumsum(random.normal(size=(3, rows, columns)), axis=2) + 10
            path = self.field(planes)
            expected = [self.rapsd(plane, 500.0) for plane in planes]
            for level in range(3):
                with self.subTest(f"{rows} x {columns} level {level}"):
                    answer = self.json("spectrum", path, "--variable", "h", "--level", level, "--json")
                    np.testing.assert_allclose(answer["wavenumber"], expected[level][0], rtol=RELATIVE)
                    # Both transforms round in proportion to the largest power.
                    np.testing.assert_allclose(answer["power"], expected[level][1], rtol=RELATIVE, atol=1e-15 * max(expected[level][1]))
            answer = self.json("spectrum", path, "--variable", "h", "--json")
            self.assertEqual(answer["planes"], 3)
            np.testing.assert_allclose(answer["power"], np.mean([power for _, power in expected], axis=0), rtol=RELATIVE, atol=1e-15 * expected[0][1][0])


if __name__ == "__main__":
    unittest.main()
