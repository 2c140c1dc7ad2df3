#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""digits: the bits that rounding leaves, recounted with numpy and scipy, their hold against quad, resuming, and bad requests."""
import json
import os
import unittest

from support import CASE, CommandTest, INTERRUPT, SMALL

try:
    import netCDF4
    import numpy as np
    import scipy.stats
except ImportError:
    netCDF4 = None

WITHOUT = "no netCDF4 or scipy of Python (numbers are recounted with them) install python3-netcdf4 python3-scipy"
TINY = (*SMALL, "--jobs", "2", "--until", "20 min", "--set", "output.interval='10 min'")
SHARES = {"p05": 0.05, "p50": 0.5, "p95": 0.95, "min": 0}


class DigitsTest(CommandTest):
    def digits(self, folder, *words, code=0):
        self.assert_done("digits", *words, "-o", folder, code=code)
        return json.loads((self.folder / folder / "digits.json").read_text())

    def field(self, found, name):
        return next(field for field in found["fields"] if field["name"] == name)

    @unittest.skipIf(netCDF4 is None, WITHOUT)
    def test_bits_are_those_of_the_formulas_and_hold_against_quad(self):
        found = self.digits("d", CASE, *TINY, "--samples", "8", "--seed", "5", "--stages", "seaice.stress", "--quad-until", "10 min", "--probability", "0.9")
        self.assertEqual((found["schema"], found["samples"], found["seed"], found["arithmetic"]), ("ulpine.digits/1", 8, 5, "e11m52-sr"))
        runs = self.folder / "d/samples/runs"
        names = sorted(path.name for path in runs.iterdir())
        self.assertEqual(len(names), 1 + 8 + 8 + 1, names)
        paths = [runs / f"e11m52-sr{seed}-deterministic" for seed in range(5, 13)]
        penalty = 0.5 * np.log2(7 / scipy.stats.chi2.ppf(0.025, 7)) + np.log2(scipy.stats.norm.ppf(0.95))
        # A sample agrees to its significant bits with probability 0.9 at confidence 0.95: in the mean over what 8 samples may show it is that of Student's t.
        expected = 1 - 2 * scipy.stats.t.sf(2**penalty / np.sqrt(8 / 7), 7)
        self.assertGreater(expected, 0.98)
        checked = 0
        for name in ("sivol", "siu"):
            field = self.field(found, name)
            self.assertEqual(field["times_s"], [0, 600, 1200])
            samples = [netCDF4.Dataset(path / "output.nc")[name][:] for path in paths]
            nearest = netCDF4.Dataset(runs / "fp64-deterministic/output.nc")[name][:]
            quad = netCDF4.Dataset(runs / "quad-deterministic/output.nc")[name][:]
            for time in (1, 2):
                values = np.array([np.ma.filled(sample[time].astype("f8"), np.nan).ravel() for sample in samples])
                scale = float(np.sqrt(np.mean(np.ma.compressed(nearest[time]) ** 2)))
                self.assertAlmostEqual(field["scale"][time] / scale, 1, delta=1e-13)
                inside = ~np.isnan(values).all(0)
                offset = values - values[0]
                spread = offset.std(0)
                bits = (np.log2(scale) - np.log2(spread[inside & (spread > 0)])) - penalty
                self.assertAlmostEqual(field["differing_share"][time], np.mean(spread[inside] > 0), delta=1e-12)
                for share, part in SHARES.items():
                    self.assertAlmostEqual(field["bits"]["significant"][share][time], np.quantile(bits, part), delta=1e-9)
                norm = np.sqrt(np.mean(spread[inside] ** 2)) / scale
                self.assertAlmostEqual(field["bits"]["significant"]["norm"][time], -np.log2(norm) - penalty, delta=1e-9)
            self.assertIsNone(field["quad"]["norm"][2], "the run in quad ends before")
            error = np.ma.filled(nearest[1] - quad[1], np.nan).ravel()
            values = np.array([np.ma.filled(sample[1].astype("f8"), np.nan).ravel() for sample in samples])
            spread = (values - values[0]).std(0)
            differing = spread > 0
            within = np.abs(error[differing]) <= spread[differing] * 2**penalty
            self.assertAlmostEqual(field["quad"]["baseline_within"][1], np.mean(within), delta=1e-12)
            # What is stated: nine in ten points at least. Neighbours err alike, so that the share of one run scatters.
            self.assertGreater(field["quad"]["baseline_within"][1], 0.9)
            self.assertGreater(field["quad"]["samples_within"][1], 0.9)
            checked += 1
        self.assertEqual(checked, 2)
        # A single stage rounds less than all.
        stage = found["stages"][0]
        self.assertEqual(stage["name"], "seaice.stress")
        whole = self.field(found, stage["field"])["bits"]["significant"]["norm"][-1]
        self.assertGreater(stage["bits"]["significant"]["norm"], whole)

    def test_seeds_make_samples_and_an_interrupted_call_goes_on(self):
        words = (CASE, *TINY, "--samples", "4", "--quad-until", "0 s")
        first = self.digits("a", *words)
        process = self.start("digits", *words, "-o", "b")
        self.wait_for(self.folder / "b/samples/runs/fp64-deterministic/run.json")
        code, errors = self.stop(process, INTERRUPT)
        if code != 0:  # it was not yet at its end
            self.assertEqual(code, 130)
            self.assertIn("--resume", errors)
        again = self.digits("b", *words, "--resume")
        self.assert_fails(2, "digits", *words, "-o", "b", says="--resume")
        self.assertEqual(first["fields"], again["fields"])
        others = self.digits("c", *words, "--seed", "9")
        self.assertNotEqual(first["fields"], others["fields"])

    def test_samples_of_any_model_give_the_same_digits(self):
        case = self.digits("a", CASE, *TINY, "--samples", "3", "--quad-until", "10 min")
        runs = self.folder / "a/samples/runs"
        files = [str(runs / f"e11m52-sr{seed}-deterministic/output.nc") for seed in (1, 2, 3)]
        named = self.digits("b", "--samples-from", *files, "--nearest", str(runs / "fp64-deterministic/output.nc"), "--wider", str(runs / "quad-deterministic/output.nc"))
        self.assertEqual(case["fields"], named["fields"])
        self.assertIsNone(named["case"])
        relative = self.digits("c", "--samples-from", *files, "--relative", "--variables", "sivol")
        self.assertEqual([field["name"] for field in relative["fields"]], ["sivol"])
        scaled = self.digits("d", "--samples-from", *files, "--scale", "sivol=0.5", "--variables", "sivol")
        half = self.field(scaled, "sivol")
        whole = self.field(case, "sivol")
        for time in (1, 2):
            shift = np.log2(0.5 / whole["scale"][time]) if netCDF4 else None
            if shift is not None:
                self.assertAlmostEqual(half["bits"]["significant"]["p50"][time], whole["bits"]["significant"]["p50"][time] + shift, delta=1e-9)

    def test_the_page_shows_them(self):
        python = os.environ.get("ULPINE_PYTHON", "/usr/bin/python3")
        words = ("digits", CASE, *TINY, "--samples", "3", "--quad-until", "0 s", "-o", "p")
        self.assert_done(*words, env=dict(os.environ, ULPINE_PYTHON=python))
        page = self.folder / "p/report.html"
        if not page.exists():
            self.skipTest("no page (the report's Python packages are missing) install python3-xarray python3-matplotlib")
        self.assertIn("Digits by stochastic arithmetic", page.read_text())

    def test_bad_requests_say_what_to_do(self):
        small = (*TINY, "-o", "b")
        for words, says in (((CASE, *small, "--arithmetic", "e11m52"), "does not round at random"),
                            ((CASE, *small, "--arithmetic", "e11m52-sr7"), "without a seed"),
                            ((CASE, *small, "--arithmetic", "fp23-sr"), "e11m52-sr"),
                            ((CASE, *small, "--samples", "1"), "--samples"),
                            ((CASE, *small, "--seed", "4294967290"), "2^32"),
                            ((CASE, *small, "--stages", "seaice.stres"), "did you mean 'seaice.stress'"),
                            ((CASE, *small, "--scale", "u"), "FIELD=VALUE"),
                            ((CASE, *small, "--scale", "u=-1"), "positive"),
                            ((CASE, *small, "--scale", "u=1", "--scale", "u=2"), "twice"),
                            ((CASE, *small, "--quad-until", "1 min"), "--quad-until"),
                            (("-o", "b"), "--samples-from"),
                            (("-o", "b", "--samples-from", "absent.nc", "other.nc"), "absent.nc"),
                            *((("-o", "b", "--samples-from", "a.nc", "b.nc", *of_runs), f"{of_runs[0]} requires CASE") for of_runs in
                              (("--set", "name=x"), ("--until", "1 s"), ("--arithmetic", "e8m23-sr"), ("--samples", "3"), ("--seed", "2"), ("--threads", "1"), ("--resume",))),
                            (("-o", "b", "--samples-from", CASE, CASE), "cyclone_quick.toml")):
            self.assert_fails(2, "digits", *words, says=says)

    @unittest.skipIf(netCDF4 is None, WITHOUT)
    def test_a_scale_is_of_a_field_that_is_counted(self):
        for number in range(3):
            with netCDF4.Dataset(self.folder / f"{number}.nc", "w") as file:
                file.createDimension("x", 4)
                file.createVariable("x", "f8", ("x",))[:] = range(4)
                file.createVariable("T", "f8", ("x",))[:] = 280 + 1e-9 * number * np.arange(4)
        names = [f"{number}.nc" for number in range(3)]
        self.assert_fails(2, "digits", "-o", "d", "--samples-from", *names, "--scale", "x=1", says=("0.nc", "'x'", "scale"))
        self.digits("d", "--samples-from", *names, "--scale", "T=1")

    def test_a_sample_counts_once(self):
        for name in ("one.nc", "other.nc"):
            (self.folder / name).write_bytes(name.encode())
        (self.folder / "link.nc").symlink_to("one.nc")
        os.link(self.folder / "one.nc", self.folder / "hard.nc")
        for again in ("one.nc", "./one.nc", "link.nc", "hard.nc"):
            self.assert_fails(2, "digits", "-o", "d", "--samples-from", "one.nc", "other.nc", again, says=(f"{again} is the same file as one.nc", "count as two"))
        (self.folder / "copy.nc").write_bytes((self.folder / "other.nc").read_bytes())
        self.assert_fails(2, "digits", "-o", "d", "--samples-from", "one.nc", "other.nc", "copy.nc", says=("copy.nc has the bytes of other.nc", "count as two"))
        # Where all have the same bytes nothing rounded otherwise, and what is wrong with these files is told.
        self.assertNotIn("bytes of", self.assert_fails(2, "digits", "-o", "d", "--samples-from", "other.nc", "copy.nc"))
        self.assert_fails(2, "digits", "-o", "d", "--samples-from", "one.nc", "other.nc", "--nearest", "copy.nc", "--wider", "./copy.nc", says=("--wider: ./copy.nc", "itself"))


if __name__ == "__main__":
    unittest.main()
